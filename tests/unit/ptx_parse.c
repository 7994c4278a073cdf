/* The PTX parser: what it makes of each construct, and of text that is cut anywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

#define HEAD ".version 8.4\n.target sm_90a\n.address_size 64\n"

/* Parses; fails the test with the messages when it does not. */
static struct ptx_module *parse(const char *text)
{
    struct diag_list diags;
    struct strbuf b;
    diag_init(&diags);
    strbuf_init(&b);
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diags);
    if (!m) {
        diag_format_all(&diags, &b);
        print_error("%s", b.s);
    }
    assert_non_null(m);
    assert_int_equal(diags.errors, 0);
    strbuf_release(&b);
    diag_release(&diags);
    return m;
}

/* One kernel with some registers around the statements. */
static struct ptx_module *kernel(const char *statements)
{
    static char text[16384];
    snprintf(text, sizeof text,
             HEAD ".global .align 4 .u32 g[4];\n.shared .align 16 .b8 sh[64];\n"
                  ".extern .func (.param .b32 r) f1 (.param .b32 a, .param .b64 b);\n"
                  ".visible .entry k(.param .u64 p0, .param .align 8 .b8 p1[16])\n{\n"
                  ".reg .pred %%p<5>; .reg .b16 %%rs<5>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
                  ".reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .v4 .f32 %%v;\n%s\nret;\n}\n",
             statements);
    return parse(text);
}

static const struct ptx_inst *inst(const struct ptx_module *m, int i)
{
    return &m->funcs[m->nfuncs - 1]->insts[i];
}

/* The normal form of the first statement. */
static void prints(const char *statement, const char *expected)
{
    struct ptx_module *m = kernel(statement);
    struct strbuf b;
    strbuf_init(&b);
    ptx_print_inst(m->funcs[m->nfuncs - 1], inst(m, 0), &b);
    assert_string_equal(b.s, expected);
    assert_null(inst(m, 0)->problem);
    strbuf_release(&b);
    ptx_free(m);
}

static void problem(const char *statement, const char *expected)
{
    struct ptx_module *m = kernel(statement);
    const struct ptx_inst *in = inst(m, 0);
    assert_int_equal(in->op, PTX_OP_UNKNOWN);
    assert_string_equal(in->problem, expected);
    assert_int_equal(inst(m, m->funcs[m->nfuncs - 1]->ninsts - 1)->op, PTX_OP_RET);
    ptx_free(m);
}

static void header_and_functions(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD "// comment\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n;\n"
             ".weak .func f(.param .b32 x) .noreturn { ret; }\n"
             ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .f32 b, .param .align 16 .b8 c[48])\n"
             ".maxntid 256 .minnctapersm 4 .maxnreg 64\n{ /* block */ ret; }\n"
             ".entry e() .reqntid 8, 4, 2 { exit; }\n");
    assert_int_equal(m->version, 84);
    assert_int_equal(m->arch, 90);
    assert_int_equal(m->arch_suffix, 'a');
    assert_int_equal(m->nfuncs, 4);
    const struct ptx_function *v = m->funcs[0], *f = m->funcs[1], *k = m->funcs[2], *e = m->funcs[3];
    assert_string_equal(v->name, "vprintf");
    assert_false(v->defined);
    assert_int_equal(v->linkage, PTX_LINK_EXTERN);
    assert_int_equal(v->nparams, 2);
    assert_int_equal(v->ret->size, 4);
    assert_int_equal(f->linkage, PTX_LINK_WEAK);
    assert_false(f->entry);
    assert_true(f->defined);
    assert_true(k->entry);
    assert_int_equal(k->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(k->nparams, 3);
    assert_int_equal(k->params[0]->size, 8);
    assert_int_equal(k->params[0]->align, 8);
    assert_int_equal(k->params[1]->type, PTX_F32);
    assert_int_equal(k->params[2]->size, 48);
    assert_int_equal(k->params[2]->align, 16);
    assert_int_equal(k->params[2]->space, PTX_PARAM);
    assert_int_equal(k->maxntid[0], 256);
    assert_int_equal(k->maxntid[1], 1);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->minnctapersm, 4);
    assert_int_equal(k->maxnreg, 64);
    assert_int_equal(e->reqntid[0] * 100 + e->reqntid[1] * 10 + e->reqntid[2], 842);
    assert_ptr_equal(table_get(&m->func_by_name, "k"), k);
    ptx_free(m);
}

static void without_an_address_size_there_is_a_warning(void **state)
{
    (void)state;
    struct diag_list diags;
    diag_init(&diags);
    const char *text = ".version 8.4\n.target sm_90\n.entry k() { ret; }\n";
    struct ptx_module *m = ptx_parse("x.ptx", text, strlen(text), &diags);
    assert_non_null(m);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(diags.first->severity, DIAG_WARNING);
    assert_string_equal(diags.first->text, "no '.address_size': 64 bits are assumed");
    ptx_free(m);
    diag_release(&diags);
}

static void a_declaration_and_its_definition_are_one(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".func (.param .b32 r) f (.param .b32 a);\n"
                                      ".global .u64 t[1] = {f};\n.extern .global .u32 x;\n"
                                      ".func (.param .b32 r) f (.param .b32 q)\n{ .reg .b32 %r<2>;\n"
                                      "ld.param.b32 %r1, [q]; st.param.b32 [r], %r1; ret; }\n"
                                      ".visible .global .u32 x = 7;\n");
    assert_int_equal(m->nfuncs, 1);
    assert_true(m->funcs[0]->defined);
    assert_ptr_equal(m->vars[0]->reloc[0].func, m->funcs[0]);
    assert_int_equal(m->nvars, 2);
    assert_int_equal(m->vars[1]->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(m->vars[1]->init[0], 7);
    ptx_free(m);
}

static void an_alias_has_the_body_of_its_target(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".visible .func a(.param .b64 x);\n.func b(.param .b64 x) { trap; ret; }\n"
                                      ".entry k() { .param .b64 y; call a, (y); ret; }\n.alias a, b;\n");
    const struct ptx_function *a = m->funcs[2]->insts[0].operand[1].func;
    assert_string_equal(a->name, "a");
    assert_true(a->defined);
    assert_int_equal(a->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(a->insts[0].op, PTX_OP_TRAP);
    ptx_free(m);
}

static void registers_of_a_range_appear_when_used(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry k() { .reg .b32 %r<1000000>; .reg .u32 x, y;\n"
                                      "mov.u32 %r999999, %r7; mov.u32 x, %r7; }\n");
    const struct ptx_function *k = m->funcs[0];
    assert_int_equal(k->nregs, 4); /* x, y, and the two of %r */
    assert_int_equal(k->insts[0].operand[1].reg, k->insts[1].operand[1].reg);
    assert_string_equal(k->regs[k->insts[0].operand[0].reg].name, "%r999999");
    assert_int_equal(k->regs[k->insts[0].operand[0].reg].type, PTX_B32);
    assert_string_equal(k->regs[k->insts[1].operand[0].reg].name, "x");
    ptx_free(m);
}

static void operands(void **state)
{
    (void)state;
    prints("add.s32 %r1, %r2, -5;", "add.s32 %r1, %r2, -5;");
    prints("add.s32 %r1, %r2, 0x1F;", "add.s32 %r1, %r2, 31;");
    prints("add.s32 %r1, %r2, 017;", "add.s32 %r1, %r2, 15;");
    prints("add.s32 %r1, %r2, 0b101U;", "add.s32 %r1, %r2, 5U;");
    prints("add.s32 %r1, %r2, (1+2)*3-4/2;", "add.s32 %r1, %r2, 7;");
    prints("add.s32 %r1, %r2, 2+3*4-10-3+7 % 4;", "add.s32 %r1, %r2, 4;"); /* 14-10-3+3 */
    prints("add.s32 %r1, %r2, -1>>1&6^1;", "add.s32 %r1, %r2, 7;");
    prints("add.s32 %r1, %r2, 0xFFFFFFFFFFFFFFFF/2;", "add.s32 %r1, %r2, 9223372036854775807U;");
    prints("add.s32 %r1, %r2, 1<<4;", "add.s32 %r1, %r2, 16;");
    prints("add.s32 %r1, %r2, WARP_SZ;", "add.s32 %r1, %r2, 32;");
    prints("add.f32 %f1, %f2, 1.5;", "add.f32 %f1, %f2, 0f3FC00000;");
    prints("add.f32 %f1, %f2, -0f3F800000;", "add.f32 %f1, %f2, 0fBF800000;");
    prints("add.f64 %fd1, %fd2, 1e3;", "add.f64 %fd1, %fd2, 0d408F400000000000;");
    prints("add.f32 %f1, %f2, 0d3FF0000000000000;", "add.f32 %f1, %f2, 0f3F800000;");
    prints("add.f32 %r1, %r2, %r3;", "add.f32 %r1, %r2, %r3;"); /* untyped registers */
    prints("mov.b32 %r1, 0f3F800000;", "mov.b32 %r1, 0f3F800000;");
    prints("mov.u32 %r1, %tid.y;", "mov.u32 %r1, %tid.y;");
    prints("mov.u64 %rd1, %clock64;", "mov.u64 %rd1, %clock64;");
    prints("mov.u64 %rd1, g+8;", "mov.u64 %rd1, g+8;");
    prints("mov.u64 %rd1, f1;", "mov.u64 %rd1, f1;");
    prints("mov.u32 %r1, sh;", "mov.u32 %r1, sh;");
    prints("mov.pred %p1, -1;", "mov.pred %p1, -1;");
    prints("mov.f32 %f1, %v.y;", "mov.f32 %f1, %v$y;");
    prints("mov.b64 {%r1, _}, %rd1;", "mov.b64 {%r1, _}, %rd1;");
    prints("mov.b32 %r1, {%rs1, 5};", "mov.b32 %r1, {%rs1, 5};");
    prints("ld.param.u32 %r1, [p1+12];", "ld.param.u32 %r1, [p1+12];");
    prints("ld.u32 %r1, [g+0];", "ld.global.u32 %r1, [g];"); /* the space of the name */
    prints("ld.global.v4.f32 {%f1,%f2,_,%f3}, [%rd1+-4];", "ld.global.v4.f32 {%f1, %f2, _, %f3}, [%rd1+-4];");
    prints("st.global.v2.f32 [%rd1], {%f1, 1.0};", "st.global.v2.f32 [%rd1], {%f1, 0f3F800000};");
    prints("st.shared.u8 [%r1], %rs2;", "st.shared.u8 [%r1], %rs2;");
    prints("st.global.b32 [%rd1], %rd2;", "st.global.b32 [%rd1], %rd2;"); /* wider */
    prints("@!%p1 st.global.u32 [%rd1], 7;", "@!%p1 st.global.u32 [%rd1], 7;");
    prints("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;");
    prints("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;", "setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;");
    prints("atom.global.add.u32 _, [%rd1], 1;", "atom.global.add.u32 _, [%rd1], 1;");
    prints("ld.local.u32 %r1, [16];", "ld.local.u32 %r1, [16];");
}

static void modifiers(void **state)
{
    (void)state;
    prints("mul.wide.s32 %rd1, %r1, 4;", "mul.wide.s32 %rd1, %r1, 4;");
    prints("mad.lo.cc.u32 %r1, %r2, %r3, %r4;", "mad.lo.cc.u32 %r1, %r2, %r3, %r4;");
    prints("fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;", "fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;");
    prints("div.full.ftz.f32 %f1, %f2, %f3;", "div.full.ftz.f32 %f1, %f2, %f3;");
    prints("min.NaN.xorsign.abs.f32 %f1, %f2, %f3;", "min.NaN.xorsign.abs.f32 %f1, %f2, %f3;");
    prints("setp.geu.ftz.f32 %p1, %f1, 0f00000000;", "setp.geu.ftz.f32 %p1, %f1, 0f00000000;");
    prints("setp.hs.u32 %p1, %r1, 4;", "setp.ge.u32 %p1, %r1, 4;");
    prints("set.lt.or.u32.f32 %r1, %f1, %f2, %p1;", "set.lt.or.u32.f32 %r1, %f1, %f2, %p1;");
    prints("slct.ftz.u32.f32 %r1, %r2, %r3, %f1;", "slct.ftz.u32.f32 %r1, %r2, %r3, %f1;");
    prints("shf.l.wrap.b32 %r1, %r2, %r3, 7;", "shf.l.wrap.b32 %r1, %r2, %r3, 7;");
    prints("prmt.f4e.b32 %r1, %r2, %r3, %r4;", "prmt.b32.f4e %r1, %r2, %r3, %r4;");
    prints("lop3.b32 %r1, %r2, %r3, %r4, 0xCA;", "lop3.b32 %r1, %r2, %r3, %r4, 202;");
    prints("bfind.shiftamt.u32 %r1, %r2;", "bfind.shiftamt.u32 %r1, %r2;");
    prints("cvt.rzi.ftz.sat.u8.f32 %rs1, %f1;", "cvt.rzi.ftz.sat.u8.f32 %rs1, %f1;");
    prints("cvt.rn.relu.satfinite.f16x2.f32 %r1, %f1, %f2;", "cvt.rn.relu.satfinite.f16x2.f32 %r1, %f1, %f2;");
    prints("cvta.to.shared.u64 %rd1, %rd2;", "cvta.to.shared.u64 %rd1, %rd2;");
    prints("ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%r1, %r2}, [%rd1];",
           "ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%r1, %r2}, [%rd1];");
    prints("ld.volatile.shared::cta.u32 %r1, [%r2];", "ld.volatile.shared.u32 %r1, [%r2];");
    prints("ld.acquire.gpu.global.u64 %rd1, [%rd2];", "ld.acquire.gpu.global.u64 %rd1, [%rd2];");
    prints("ld.weak.global.cs.u32 %r1, [%rd2];", "ld.global.cs.u32 %r1, [%rd2];");
    prints("st.relaxed.sys.u32 [%rd2], %r1;", "st.relaxed.sys.u32 [%rd2], %r1;");
    prints("atom.shared.cas.acq_rel.cta.b64 %rd1, [%r1], %rd2, %rd3;",
           "atom.acq_rel.cta.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;");
    prints("red.global.max.s32 [%rd1], %r1;", "red.global.max.s32 [%rd1], %r1;");
    prints("fence.acq_rel.gpu;", "fence.acq_rel.gpu;");
    prints("membar.gl;", "membar.gl;");
    prints("bar.sync 1, 64;", "bar.sync 1, 64;");
    prints("bar.cta.red.popc.u32 %r1, 0, %p1;", "bar.red.popc.u32 %r1, 0, %p1;");
    prints("bar.red.or.pred %p1, 0, 64, !%p2;", "bar.red.or.pred %p1, 0, 64, !%p2;");
    prints("bar.warp.sync 0xffffffff;", "bar.warp.sync 4294967295;");
    prints("barrier.sync.aligned 0;", "barrier.sync.aligned 0;");
    prints("vote.sync.ballot.b32 %r1, !%p1, -1;", "vote.sync.ballot.b32 %r1, !%p1, -1;");
    prints("vote.sync.any.pred %p2, %p1, -1;", "vote.sync.any.pred %p2, %p1, -1;");
    prints("match.all.sync.b64 %r1|%p1, %rd1, -1;", "match.all.sync.b64 %r1|%p1, %rd1, -1;");
    prints("redux.sync.xor.b32 %r1, %r2, -1;", "redux.sync.xor.b32 %r1, %r2, -1;");
    prints("dp2a.hi.s32.u32 %r1, %r2, %r3, %r4;", "dp2a.hi.s32.u32 %r1, %r2, %r3, %r4;");
    prints("prefetch.global.L2 [%rd1];", "prefetch.global.L2 [%rd1];");
    prints("testp.subnormal.f64 %p1, %fd1;", "testp.subnormal.f64 %p1, %fd1;");
    prints("pmevent.mask 3;", "pmevent.mask 3;");
    struct ptx_module *m = kernel("ld.relaxed.cta.global.L1::evict_last.L2::256B.f64 %fd1, [%rd1];");
    const struct ptx_mods *mods = &inst(m, 0)->mods;
    assert_int_equal(mods->order, PTX_RELAXED);
    assert_int_equal(mods->scope, PTX_SCOPE_CTA);
    assert_int_equal(mods->space, PTX_GLOBAL);
    assert_int_equal(mods->evict, PTX_EVICT_LAST);
    assert_int_equal(mods->l2_fetch, 8);
    assert_int_equal(mods->vec, 1);
    assert_int_equal(mods->ntypes, 1);
    assert_int_equal(mods->type[0], PTX_F64);
    ptx_free(m);
}

static void parts_of_words(void **state)
{
    (void)state;
    prints("add.s16x2 %r1, %r2, %r3;", "add.s16x2 %r1, %r2, %r3;");
    prints("max.relu.s16x2 %r1, %r2, %r3;", "max.relu.s16x2 %r1, %r2, %r3;");
    prints("min.relu.s32 %r1, %r2, 5;", "min.relu.s32 %r1, %r2, 5;");
    prints("mad24.hi.sat.s32 %r1, %r2, %r3, %r1;", "mad24.hi.sat.s32 %r1, %r2, %r3, %r1;");
    prints("lop3.or.b32 %r1|%p1, %r2, %r3, %r1, 0x3f, !%p2;", "lop3.or.b32 %r1|%p1, %r2, %r3, %r1, 63, !%p2;");
    prints("lop3.and.b32 _|%p1, %r2, %r3, %r1, 0x3f, %p2;", "lop3.and.b32 _|%p1, %r2, %r3, %r1, 63, %p2;");
    prints("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r1;", "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r1;");
    prints("cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r1;", "cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r1;");
    prints("cvt.rna.satfinite.tf32.f32 %r1, %f1;", "cvt.rna.satfinite.tf32.f32 %r1, %f1;");
    prints("cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f1, %f2;", "cvt.rn.relu.satfinite.e4m3x2.f32 %rs1, %f1, %f2;");
    prints("cvt.rn.f16x2.e5m2x2 %r1, %rs1;", "cvt.rn.f16x2.e5m2x2 %r1, %rs1;");
    prints("atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;", "atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;");
    prints("red.add.noftz.bf16 [%rd1], %rs1;", "red.add.noftz.bf16 [%rd1], %rs1;");
    prints("red.global.add.L2::cache_hint.u32 [%rd1], %r2, %rd2;", "red.global.add.L2::cache_hint.u32 [%rd1], %r2, %rd2;");
    prints("ld.global.L2::cache_hint.L2::128B.v2.u32 {%r1, %r2}, [%rd1], %rd2;",
           "ld.global.L2::cache_hint.L2::128B.v2.u32 {%r1, %r2}, [%rd1], %rd2;");
    prints("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %p1, %rd2;",
           "cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %p1, %rd2;");
    prints("ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];", "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];");
    prints("redux.sync.min.abs.NaN.f32 %f1, %f2, %r1;", "redux.sync.min.abs.NaN.f32 %f1, %f2, %r1;");
    prints("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.5;",
           "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0f3F000000;");
    prints("createpolicy.range.global.L2::evict_first.b64 %rd1, [%rd2+4], 256, %r1;",
           "createpolicy.range.global.L2::evict_first.b64 %rd1, [%rd2+4], 256, %r1;");
    prints("createpolicy.cvt.L2.b64 %rd1, 7;", "createpolicy.cvt.L2.b64 %rd1, 7;");
    prints("applypriority.global.L2::evict_normal [%rd1], 128;", "applypriority.global.L2::evict_normal [%rd1], 128;");
    prints("prefetch.global.L2::evict_last [%rd1];", "prefetch.global.L2::evict_last [%rd1];");
    prints("vadd.s32.u32.s32.sat %r1.h1, %r2.b3, %r3.h0, %r1;", "vadd.sat.s32.u32.s32 %r1.h1, %r2.b3, %r3.h0, %r1;");
    prints("vsub.s32.u32.s32.min %r1, %r2, %r3, %r1;", "vsub.s32.u32.s32.min %r1, %r2, %r3, %r1;");
    prints("vmad.s32.s32.u32.sat.shr7 %r1, -%r2.h1, %r3, %r1;", "vmad.sat.s32.s32.u32.shr7 %r1, -%r2.h1, %r3, %r1;");
    prints("vset.s32.u32.lt.max %r1, %r2.b0, %r3, %r1;", "vset.lt.s32.u32.max %r1, %r2.b0, %r3, %r1;");
    prints("vshl.u32.s32.u32.wrap %r1, %r2, 3;", "vshl.wrap.u32.s32.u32 %r1, %r2, 3;");
    prints("vadd2.s32.s32.s32 %r1, %r2, %r3, %r1;", "vadd2.s32.s32.s32 %r1, %r2.h10, %r3.h32, %r1;");
    prints("vadd4.u32.u32.u32.add %r1.b31, %r2.b0000, %r3, %r1;", "vadd4.u32.u32.u32.add %r1.b31, %r2.b0000, %r3.b7654, %r1;");
}

static void copies_and_textures(void **state)
{
    (void)state;
    prints("@%p1 cp.async.cg.shared.global [%r1], [%rd1+16], 16, %r2;", "@%p1 cp.async.cg.shared.global [%r1], [%rd1+16], 16, %r2;");
    prints("cp.async.ca.shared::cta.global.L2::128B [%r1+4], [%rd1], 8, 8;", "cp.async.ca.shared.global.L2::128B [%r1+4], [%rd1], 8, 8;");
    prints("cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;", "cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;");
    prints("cp.async.commit_group;", "cp.async.commit_group;");
    prints("cp.async.wait_all;", "cp.async.wait_all;");
    prints("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}];", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];");
    prints("tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%f1,%f2,%f2}];", "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f1, %f2, %f2}];");
    prints("tex.acube.v4.u32.f32 {%r1,%r2,_,_}, [%rd1, {%r1,%f1,%f2,%f3}];", "tex.acube.v4.u32.f32 {%r1, %r2, _, _}, [%rd1, {%r1, %f1, %f2, %f3}];");
    prints("tld4.b.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}];", "tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];");
    prints("suld.b.2d.v2.b32.clamp {%r1,%r2}, [%rd1, {%r3,%r4}];", "suld.b.2d.v2.b32.clamp {%r1, %r2}, [%rd1, {%r3, %r4}];");
    prints("sust.b.a1d.b64.zero [%rd1, {2,%r4}], {%rd2};", "sust.b.a1d.b64.zero [%rd1, {2, %r4}], %rd2;");
    prints("tex.level.1d.v4.s32.f32 {%r1,%r2,_,_}, [%rd1, %f1], 0f3F800000;", "tex.level.1d.v4.s32.f32 {%r1, %r2, _, _}, [%rd1, {%f1}], 0f3F800000;");
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    problem("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2}, %rd1, %rd2, 1, 1, 1, 0, 0;",
            "instruction 'wgmma.mma_async'");
    problem("cp.async.bulk.commit_group;", "modifier '.bulk' of 'cp.async'");
    prints("cp.async.mbarrier.arrive.shared::cta.noinc.b64 [%r1];", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];");
    prints("cp.async.mbarrier.arrive.b64 [%rd1+8];", "cp.async.mbarrier.arrive.b64 [%rd1+8];");
    problem("cp.async.mbarrier.complete_tx::bytes.b64 [%r1];", "modifier '.complete_tx::bytes' of 'cp.async'");
    prints("mbarrier.init.shared::cta.b64 [sh], 5;", "mbarrier.init.shared.b64 [sh], 5;");
    prints("mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;", "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;");
    prints("mbarrier.try_wait.parity.acquire.cta.b64 %p1, [%rd1], %r2, %r3;",
           "mbarrier.try_wait.parity.acquire.cta.b64 %p1, [%rd1], %r2, %r3;");
    prints("szext.clamp.s32 %r1, %r2, 3;", "szext.clamp.s32 %r1, %r2, 3;");
    prints("bmsk.wrap.b32 %r1, %r2, %r3;", "bmsk.wrap.b32 %r1, %r2, %r3;");
    prints("fns.b32 %r1, %r2, 0, -2;", "fns.b32 %r1, %r2, 0, -2;");
    prints("elect.sync %r1|%p1, 0xffff;", "elect.sync %r1|%p1, 65535;");
    prints("elect.sync _|%p1, %r2;", "elect.sync _|%p1, %r2;");
    prints("discard.global.L2 [%rd1], 128;", "discard.global.L2 [%rd1], 128;");
    prints("griddepcontrol.launch_dependents;", "griddepcontrol.launch_dependents;");
    prints("griddepcontrol.wait;", "griddepcontrol.wait;");
    prints("mbarrier.pending_count.b64 %r1, %rd2;", "mbarrier.pending_count.b64 %r1, %rd2;");
    problem("mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 2;", "modifier '.expect_tx' of 'mbarrier'");
    problem("tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}], {%f1,%f2}, {%f1,%f2};", "modifier '.grad' of 'tex'");
    problem("suld.p.2d.v4.f32.trap {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%r2}];", "modifier '.p' of 'suld'");
    problem("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f1,%f2}];", "an address of several parts of 'tex.2d.v4.f32.f32'");
    problem("frob.s32 %r1, %r2;", "instruction 'frob'");
    problem("ld.global.foo.u32 %r1, [%rd1];", "modifier '.foo' of 'ld'");
    problem("add.rn.s32 %r1, %r2, %r3;", "modifier '.rn' of 'add'");
    problem("div.rn.f16x2 %r1, %r2, %r3;", "type '.f16x2' of 'div'");
    problem("sub.u16x2 %r1, %r2, %r3;", "type '.u16x2' of 'sub'");
    problem("fma.rn.oob.f16 %rs1, %rs2, %rs3, %rs1;", "modifier '.oob' of 'fma'");
    problem("cvt.rna.bf16.f32 %rs1, %f1;", "modifier '.rna' of 'cvt'");
    problem("red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f1};", "modifier '.v4' of 'red'");
    problem("createpolicy.fractional.L2::evict_first.L2::64B.b64 %rd1, 1.0;", "modifier '.L2::64B' of 'createpolicy'");
    problem("add.f32.f16 %f1, %rs1, %f3;", "type '.f16' of 'add'");
    problem("mov.u32 %r1, %clusterid.x;", "special register '%clusterid.x'");
    problem("mov.v4.u32 {%r1,%r2,%r3,%r4}, %tid;", "modifier '.v4' of 'mov'");
    problem("ld.global.u32 %r1, g[1];", "the address form 'g[...]'");
    problem("ld.global.v8.f32 %v, [%rd1];", "a vector of 256 bits of 'ld'");
    problem("barrier.cluster.arrive;", "modifier '.cluster' of 'barrier'");
    struct ptx_module *m = kernel("@!%p2 cp.async.wait_group // all\n  0;");
    struct strbuf b;
    strbuf_init(&b);
    assert_int_equal(inst(m, 0)->guard_negated, true);
    ptx_print_inst(m->funcs[m->nfuncs - 1], inst(m, 0), &b);
    assert_string_equal(b.s, "@!%p2 cp.async.wait_group 0;");
    strbuf_release(&b);
    ptx_free(m);
}

static void a_directive_that_is_not_there_stops_its_function_only(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry a() .reqnctapercluster 2, 1, 1 { ret; }\n.entry b() { ret; }\n"
                                      ".func c(.reg .b32 x) { .reg .b32 y; mov.u32 y, x; ret; }\n");
    assert_string_equal(m->funcs[0]->insts[0].problem, "directive '.reqnctapercluster'");
    assert_int_equal(m->funcs[1]->insts[0].op, PTX_OP_RET);
    assert_string_equal(m->funcs[2]->insts[0].problem, "parameters in registers (.reg)");
    ptx_free(m);
}

static void scopes(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry k() { .reg .b32 %r<3>; .reg .pred p;\n"
                                      "bra L;\n"
                                      "{ .reg .pred p; .reg .f32 %r<2>; setp.eq.f32 p, %r1, %r1; @p bra L; L: }\n"
                                      "setp.eq.s32 p, %r1, 0; L: @p bra L;\n"
                                      "{ bra L; { bra L; L: } } }\n");
    const struct ptx_function *k = m->funcs[0];
    assert_int_equal(k->nlabels, 3);
    int inner = k->insts[2].operand[0].label, outer = k->insts[0].operand[0].label;
    assert_int_not_equal(inner, outer);
    assert_int_equal(k->labels[inner].inst, 3);
    assert_int_equal(k->labels[outer].inst, 4);
    assert_int_equal(k->insts[4].operand[0].label, outer);
    assert_int_equal(k->insts[5].operand[0].label, outer);
    int last = k->insts[6].operand[0].label;
    assert_int_not_equal(last, outer);
    assert_int_equal(k->labels[last].inst, k->ninsts); /* at the end */
    int in1 = (int)k->insts[1].operand[1].reg, out1 = (int)k->insts[3].operand[1].reg;
    assert_int_equal(k->regs[in1].type, PTX_F32);
    assert_int_equal(k->regs[out1].type, PTX_B32);
    assert_string_not_equal(k->regs[in1].name, k->regs[out1].name); /* unique in dumps */
    assert_int_not_equal(k->insts[1].operand[0].reg, k->insts[3].operand[0].reg);
    ptx_free(m);
}

static void the_innermost_declaration_counts(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".func a() { .reg .b32 %r<3>; { .reg .f32 %r1; mov.f32 %r1, 1.0;\n"
                                      "{ .reg .b64 %r<2>; mov.u64 %r1, 1; mov.u32 %r2, 1; } mov.f32 %r1, 1.0; }\n"
                                      "mov.u32 %r1, 1; L: { { bra L; } L: ret; } ret; }\n"
                                      ".func b() { .reg .b32 %r<3>; mov.u32 %r1, 1; L: bra L; }\n");
    const struct ptx_function *a = m->funcs[0], *b = m->funcs[1];
    static const uint8_t types[] = {PTX_F32, PTX_B64, PTX_B32, PTX_F32, PTX_B32};
    for (int i = 0; i < 5; i++)
        assert_int_equal(a->regs[a->insts[i].operand[0].reg].type, types[i]);
    assert_int_equal(a->insts[0].operand[0].reg, a->insts[3].operand[0].reg);
    assert_int_equal(a->labels[a->insts[5].operand[0].label].inst, 6); /* of the block in the middle */
    assert_string_equal(b->regs[0].name, "%r1"); /* names are unique per function only */
    assert_string_equal(b->labels[0].name, "L");
    ptx_free(m);
}

static void calls(void **state)
{
    (void)state;
    struct ptx_module *m = kernel("{ // callseq 0, 0\n"
                                  ".param .b32 param0;\nst.param.b32 [param0+0], %r1;\n"
                                  ".param .b64 param1;\nst.param.b64 [param1+0], %rd1;\n"
                                  ".param .b32 retval0;\n"
                                  "call.uni (retval0), \nf1, \n(\nparam0, \nparam1\n);\n"
                                  "ld.param.b32 %r2, [retval0+0];\n} // callseq 0\n"
                                  "{ .param .b32 param0; .param .b32 retval0;\n"
                                  "prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                  "call (retval0), %rd2, (param0), prototype_1; }\n");
    const struct ptx_function *k = m->funcs[1];
    const struct ptx_inst *direct = &k->insts[2], *indirect = &k->insts[4];
    assert_int_equal(direct->op, PTX_OP_CALL);
    assert_true(direct->mods.uni);
    assert_int_equal(direct->noperands, 3);
    assert_int_equal(direct->operand[0].n, 1);
    assert_int_equal(direct->operand[1].kind, PTX_OPERAND_FUNC);
    assert_ptr_equal(direct->operand[1].func, m->funcs[0]);
    assert_int_equal(direct->operand[2].n, 2);
    assert_ptr_equal(direct->operand[2].elem[0].var, k->vars[0]);
    assert_ptr_equal(direct->operand[0].elem[0].var, k->insts[3].operand[1].elem->var);
    assert_ptr_equal(k->vars[0]->owner, k);
    assert_int_equal(indirect->noperands, 4);
    assert_int_equal(indirect->operand[1].kind, PTX_OPERAND_REG);
    assert_int_equal(indirect->operand[3].proto->nparams, 1);
    assert_int_equal(indirect->operand[3].proto->ret->size, 4);
    assert_ptr_not_equal(indirect->operand[2].elem[0].var, k->vars[0]);
    ptx_free(m);

    m = parse(HEAD ".func g(.param .b32 a) { ret; } .func h() { ret; }\n"
                   ".entry k() { .param .b32 x; .reg .b32 %r<2>; call g, (x); call.uni h; call h, (); call g, (5);\n"
                   "T: .branchtargets A, B;\nA: brx.idx %r1, T; B: ret; }");
    k = m->funcs[2];
    assert_int_equal(k->insts[1].operand[2].n, 0);
    assert_int_equal(k->insts[2].noperands, 3);
    const struct ptx_proto *t = k->insts[4].operand[1].proto;
    assert_int_equal(t->ntargets, 2);
    assert_string_equal(k->labels[t->labels[0]].name, "A");
    assert_int_equal(k->labels[t->labels[1]].inst, 5);
    ptx_free(m);
}

static void variables(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".visible .global .align 8 .b8 a[12] = {1, 0xFF, 255, -1};\n"
             ".const .f32 b[2][2] = {{1.0, 0f40000000}, {3}};\n"
             ".global .u64 c[3] = {a, generic(a)+4, 5};\n"
             ".global .align 1 .b8 d[9] = {7, 0xFF(generic(a)), 0xFF00(generic(a)), 0xFF0000(generic(a)),\n"
             "  0xFF000000(generic(a)), 0xFF00000000(generic(a)), 0xFF0000000000(generic(a)),\n"
             "  0xFF000000000000(generic(a)), 0xFF00000000000000(generic(a))};\n"
             ".global .v4 .u16 e = {1, 2, 3, 4};\n.global .s16 f[] = {-2, 3};\n.global .f64 g = -0.5;\n"
             ".extern .shared .align 16 .b8 s[];\n.weak .shared .align 4 .b8 t[4096];\n.common .global .u32 u[2];\n"
             ".entry k() { .local .align 16 .b8 __local_depot0[40]; .shared .u32 w; ret; }\n");
    struct ptx_var **v = m->vars;
    assert_int_equal(v[0]->size, 12);
    assert_int_equal(v[0]->align, 8);
    assert_memory_equal(v[0]->init, "\x01\xff\xff\xff\0\0\0\0\0\0\0\0", 12);
    float b[4];
    memcpy(b, v[1]->init, sizeof b);
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3 && b[3] == 0);
    assert_int_equal(v[1]->space, PTX_CONST);
    assert_int_equal(v[2]->nrelocs, 2);
    assert_int_equal(v[2]->reloc[0].at, 0);
    assert_ptr_equal(v[2]->reloc[0].var, v[0]);
    assert_false(v[2]->reloc[0].generic);
    assert_int_equal(v[2]->reloc[1].at, 8);
    assert_int_equal(v[2]->reloc[1].addend, 4);
    assert_true(v[2]->reloc[1].generic);
    assert_int_equal(v[2]->init[16], 5);
    assert_int_equal(v[3]->nrelocs, 1);
    assert_int_equal(v[3]->reloc[0].at, 1);
    assert_int_equal(v[3]->reloc[0].bytes, 8);
    assert_int_equal(v[3]->init[0], 7);
    assert_int_equal(v[4]->size, 8);
    assert_int_equal(v[4]->vec, 4);
    assert_int_equal(v[4]->align, 8);
    assert_memory_equal(v[4]->init, "\1\0\2\0\3\0\4\0", 8);
    assert_int_equal(v[5]->size, 4);
    assert_memory_equal(v[5]->init, "\xfe\xff\3\0", 4);
    double g;
    memcpy(&g, v[6]->init, sizeof g);
    assert_true(g == -0.5);
    assert_true(v[7]->unsized);
    assert_int_equal(v[7]->size, 0);
    assert_int_equal(v[7]->linkage, PTX_LINK_EXTERN);
    assert_int_equal(v[8]->linkage, PTX_LINK_WEAK);
    assert_int_equal(v[9]->linkage, PTX_LINK_COMMON);
    assert_null(v[9]->init);
    const struct ptx_function *k = m->funcs[0];
    assert_int_equal(k->nvars, 2);
    assert_int_equal(k->vars[0]->space, PTX_LOCAL);
    assert_int_equal(k->vars[0]->size, 40);
    assert_ptr_equal(k->vars[1]->owner, k);
    ptx_free(m);
}

static void locations_of_clang(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry k() {\n"
                                      ".loc 1 13 0 // f.cu:13:0\n bar.sync 0;\n"
                                      ".loc 1 3 11 // f.cu:3:11 @[ f.cu:8:18 @[ dir/g.h:13:10 ] ]\n bar.sync 0;\n"
                                      ".loc 1 4 1 // f.cu:4:1 @[ broken\n bar.sync 0;\n"
                                      ".loc 1 0 3\n ret; }\n.file 1 \"/src/f.cu\"\n");
    const struct ptx_inst *in = m->funcs[0]->insts;
    assert_string_equal(in[0].loc->file, "/src/f.cu");
    assert_int_equal(in[0].loc->line, 13);
    assert_null(in[0].loc->inlined_at);
    assert_ptr_equal(m->funcs[0]->loc, in[0].loc);
    const struct ptx_loc *l = in[1].loc;
    assert_int_equal(l->line * 100 + l->column, 311);
    assert_int_equal(l->inlined_at->line * 100 + l->inlined_at->column, 818);
    assert_ptr_equal(l->inlined_at->file, l->file); /* the .file with its folder */
    assert_int_equal(l->inlined_at->inlined_at->line, 13);
    assert_string_equal(l->inlined_at->inlined_at->file, "dir/g.h");
    assert_null(l->inlined_at->inlined_at->inlined_at);
    assert_null(in[2].loc->inlined_at);
    assert_int_equal(in[3].loc->line, 0);
    ptx_free(m);
}

static void chains_in_the_names_of_files(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry k() {\n"
                                      ".loc 2 3 11 // f.cu @[ f.cu:8:18 @[ g.h:13:10 ] ]:3:11\n bar.sync 0;\n"
                                      ".loc 1 13 2\n ret; }\n.file 1 \"/src/f.cu\"\n"
                                      ".file 2 \"/src/f.cu @[ /src/f.cu:8:18 @[ g.h:13:10 ] ]\"\n");
    const struct ptx_loc *l = m->funcs[0]->insts[0].loc;
    assert_string_equal(l->file, "/src/f.cu");
    assert_int_equal(l->line, 3);
    assert_string_equal(l->inlined_at->file, "/src/f.cu");
    assert_int_equal(l->inlined_at->line * 100 + l->inlined_at->column, 818);
    assert_string_equal(l->inlined_at->inlined_at->file, "g.h");
    assert_null(l->inlined_at->inlined_at->inlined_at);
    assert_null(m->funcs[0]->insts[1].loc->inlined_at);
    ptx_free(m);
}

static void locations_of_nvcc(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".entry k() {\n.loc 1 70 3\n bar.sync 0;\n"
             ".loc 2 69 9, function_name $L__info_string0, inlined_at 1 70 3\n bar.sync 0;\n"
             ".loc 1 67 3, function_name $L__info_string0+4, inlined_at 2 69 9\n ret; }\n"
             ".file 1 \"a.cu\"\n.file 2 \"b.h\", 1234, 56\n"
             ".section\t.debug_str\n{\n$L__info_string0:\n.b8 102,111,111,0\n.b8 98\n.b8 97,114,0\n\n}\n");
    const struct ptx_loc *l = m->funcs[0]->insts[2].loc;
    assert_string_equal(l->file, "a.cu");
    assert_int_equal(l->line, 67);
    assert_string_equal(l->function, "bar");
    assert_string_equal(l->inlined_at->file, "b.h");
    assert_string_equal(l->inlined_at->function, "foo");
    assert_ptr_equal(l->inlined_at, m->funcs[0]->insts[1].loc);
    assert_ptr_equal(l->inlined_at->inlined_at, m->funcs[0]->insts[0].loc);
    assert_null(l->inlined_at->inlined_at->inlined_at);
    ptx_free(m);
}

static void an_instruction_knows_its_text(void **state)
{
    (void)state;
    const char *text = HEAD ".entry k() { .reg .pred %p<2>; setp.eq.s32 %p1, 1,\n 2;\n  @%p1 ret; }\n";
    struct ptx_module *m = parse(text);
    const struct ptx_inst *in = m->funcs[0]->insts;
    assert_int_equal(in[0].line, 4);
    assert_int_equal(in[0].column, 32);
    assert_int_equal(in[0].text_len, (int)strlen("setp.eq.s32 %p1, 1,\n 2"));
    assert_memory_equal(in[0].text, "setp.eq", 7);
    assert_int_equal(in[1].line, 6);
    assert_int_equal(in[1].column, 3);
    assert_memory_equal(in[1].text, "@%p1 ret", (size_t)in[1].text_len);
    struct arena a;
    arena_init(&a);
    assert_string_equal(ptx_line_text(m, 2, &a), ".target sm_90a");
    assert_string_equal(ptx_line_text(m, 99, &a), "");
    arena_release(&a);
    ptx_free(m);
}

/* Cut anywhere: an error with at least one message, but for the places where a shorter module ends too. */
static void text_cut_anywhere(void **state)
{
    (void)state;
    static const char whole[] =
        HEAD ".global .u32 x[2] = {1, 2};\n.visible .entry k(.param .u64 p)\n.maxntid 32\n{\n"
             "\t.reg .pred %p<2>; .reg .b64 %rd<3>;\n\t.loc 1 2 3 // f.cu:2:3 @[ f.cu:5:6 ]\n"
             "\tld.param.u64 %rd1, [p];\n\t{ .param .b32 a; call.uni f, (a); }\n\twgmma.foo {%rd1}, [%rd2];\n"
             "$L1:\tst.global.v2.u32 [%rd1+4], {1, 2};\n\t@%p1 bra $L1;\n\tret;\n}\n/* end */\n"
             ".section .debug_str { $L__info_string0: .b8 1 }\n";
    size_t first = strlen(HEAD), entry = (size_t)(strstr(whole, "\n.visible") - whole),
           end = (size_t)(strstr(whole, "ret;\n}") - whole) + 6,
           comment = (size_t)(strstr(whole, "/* end") - whole), tail = (size_t)(strstr(whole, ".section") - whole);
    char text[sizeof whole + 64];
    int good = 0;
    for (size_t n = 0; n < sizeof whole; n++) {
        struct diag_list diags;
        diag_init(&diags);
        /* the function and the file that the text needs stand before the cut part */
        int before = snprintf(text, sizeof text, "%.*s", (int)(n < first ? n : first), whole);
        if (n > first)
            before += snprintf(text + before, sizeof text - (size_t)before,
                               ".extern .func f(.param .b32 a);.file 1 \"f.cu\"\n%.*s", (int)(n - first),
                               whole + first);
        struct ptx_module *m = ptx_parse("cut", text, (size_t)before, &diags);
        bool boundary = (n > first && n <= first + 0) || (n >= entry && n <= entry + 1) ||
                        (n >= end && n <= comment) || (n >= comment + 9 && n <= tail) || n >= sizeof whole - 2;
        if (n <= first || boundary || n == first + 1)
            good += m != NULL;
        else if (m)
            fail_msg("text cut at byte %zu is accepted", n);
        assert_true(m || diags.errors > 0);
        assert_true(!m || diags.errors == 0);
        if (boundary && n > first)
            assert_non_null(m);
        ptx_free(m);
        diag_release(&diags);
    }
    assert_true(good > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_functions),
        cmocka_unit_test(without_an_address_size_there_is_a_warning),
        cmocka_unit_test(a_declaration_and_its_definition_are_one),
        cmocka_unit_test(an_alias_has_the_body_of_its_target),
        cmocka_unit_test(registers_of_a_range_appear_when_used),
        cmocka_unit_test(operands),
        cmocka_unit_test(modifiers),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(a_directive_that_is_not_there_stops_its_function_only),
        cmocka_unit_test(scopes),
        cmocka_unit_test(the_innermost_declaration_counts),
        cmocka_unit_test(calls),
        cmocka_unit_test(variables),
        cmocka_unit_test(locations_of_clang),
        cmocka_unit_test(chains_in_the_names_of_files),
        cmocka_unit_test(locations_of_nvcc),
        cmocka_unit_test(parts_of_words),
        cmocka_unit_test(copies_and_textures),
        cmocka_unit_test(an_instruction_knows_its_text),
        cmocka_unit_test(text_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
