/* What sites count as, and the estimate of registers. Expected numbers: ptxas 13.0 for sm_90, disassembled 2026-11-20. */
#include "target_test.h"
#include "device/device.h"
#include "target/pace.h"
#include "target/spacing.h"
#include "target/arch.h"

static struct arena arena;

/* Tables of a kernel of these statements; the kernel is left in *k. */
static const struct target_tables *tables(const char *statements, struct ptx_module **m, struct ir_kernel **k)
{
    static char text[4096];
    snprintf(text, sizeof text,
             ".version 8.4\n.target sm_90\n.address_size 64\n"
             ".extern .func (.param .b32 r) __nv_asinf(.param .b32 a);\n.extern .func (.param .b32 r) __nv_sinf(.param .b32 a);\n"
             ".extern .func (.param .b32 r) __nv_cosf(.param .b32 a);\n"
             ".extern .func (.param .b32 r) __nv_expf(.param .b32 a);\n"
             ".extern .func (.param .b32 r) __nv_sinhf(.param .b32 a);\n.extern .func (.param .b32 r) __nv_coshf(.param .b32 a);\n"
             ".extern .func (.param .b32 r) __nv_pow_basef(.param .b32 a);\n"
             ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .pred %%p<4>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n"
             ".reg .f64 %%d<9>;\nld.param.u64 %%rd0, [p];\nld.global.f32 %%f1, [%%rd0];\nld.global.f32 %%f2, [%%rd0+64];\n"
             "ld.global.f64 %%d1, [%%rd0+128];\nld.global.f64 %%d2, [%%rd0+256];\nld.global.u16 %%h1, [%%rd0+512];\n"
             "%s\nst.global.f32 [%%rd0], %%f0;\nst.global.f64 [%%rd0+128], %%d0;\nst.global.u16 [%%rd0+512], %%h0;\nret;\n}\n",
             statements);
    *m = parse_text("tables.ptx", text);
    *k = build_kernel(*m, "k");
    assert_null((*k)->problems);
    rewrite(*k);
    return target_tables(*k, &arena, ARCH_USUAL, NULL);
}

static void expect(const char *statement, struct target_flops want)
{
    struct ptx_module *m;
    struct ir_kernel *k;
    struct target_flops sum = {0};
    const struct target_tables *t = tables(statement, &m, &k);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const uint16_t *from = &t->flops[i].fadd;
        for (size_t j = 0; j < sizeof sum / sizeof sum.fadd; j++)
            (&sum.fadd)[j] += from[j];
    }
    if (memcmp(&sum, &want, sizeof sum))
        fail_msg("%s: fadd %d fmul %d ffma %d dadd %d dmul %d dfma %d hadd %d hmul %d hfma %d", statement, sum.fadd, sum.fmul, sum.ffma,
                 sum.dadd, sum.dmul, sum.dfma, sum.hadd, sum.hmul, sum.hfma);
    ir_free(k);
    ptx_free(m);
}

static void expansions(void **state)
{
    (void)state;
    expect("add.f32 %f0, %f1, %f2;", (struct target_flops){.fadd = 1});
    expect("sub.f32 %f0, %f1, %f2;", (struct target_flops){.fadd = 1});
    expect("mul.f32 %f0, %f1, %f2;", (struct target_flops){.fmul = 1});
    expect("fma.rn.f32 %f0, %f1, %f2, %f1;", (struct target_flops){.ffma = 1});
    expect("div.rn.f32 %f0, %f1, %f2;", (struct target_flops){.ffma = 5});
    expect("div.approx.f32 %f0, %f1, %f2;", (struct target_flops){.fmul = 1});
    expect("div.full.ftz.f32 %f0, %f1, %f2;", (struct target_flops){.fmul = 1});
    expect("rcp.rn.f32 %f0, %f1;", (struct target_flops){.fadd = 1, .ffma = 2});
    expect("rcp.approx.f32 %f0, %f1;", (struct target_flops){.fmul = 2});
    expect("rcp.approx.ftz.f32 %f0, %f1;", (struct target_flops){0});
    expect("sqrt.rn.f32 %f0, %f1;", (struct target_flops){.fmul = 2, .ffma = 2});
    expect("sqrt.approx.f32 %f0, %f1;", (struct target_flops){0});
    expect("sin.approx.f32 %f0, %f1;", (struct target_flops){.fmul = 1});
    expect("ex2.approx.f32 %f0, %f1;", (struct target_flops){0});
    expect("cvt.sat.f32.f32 %f0, %f1;", (struct target_flops){.fadd = 1});
    expect("add.f64 %d0, %d1, %d2;", (struct target_flops){.dadd = 1});
    expect("div.rn.f64 %d0, %d1, %d2;", (struct target_flops){.ffma = 1, .dmul = 1, .dfma = 7});
    expect("sqrt.rn.f64 %d0, %d1;", (struct target_flops){.dmul = 3, .dfma = 5});
    expect("div.u16 %h0, %h1, %h2;", (struct target_flops){.fmul = 3});
    expect("div.u16 %h0, %h1, 9;", (struct target_flops){.fmul = 1});
}

/* A sign or magnitude is part of the instruction that reads it, unless that is a store or a move. */
static void signs(void **state)
{
    (void)state;
    expect("neg.f32 %f0, %f1;", (struct target_flops){.fadd = 1});
    expect("neg.f32 %f3, %f1; add.f32 %f0, %f3, %f2;", (struct target_flops){.fadd = 1});
    expect("abs.f32 %f3, %f1; min.f32 %f0, %f3, %f2;", (struct target_flops){0});
    expect("neg.f64 %d0, %d1;", (struct target_flops){.dadd = 1});
}

/* Operands that the assembler scales: predicated, and so not counted, unless their register is read again or they are
 * -x or |x|. One of cos and sin of the same value multiplies by 1 / (2 pi). */
static void scaled_operands(void **state)
{
    (void)state;
    expect("lg2.approx.f32 %f0, %f1;", (struct target_flops){0});
    expect("lg2.approx.f32 %f3, %f1; add.f32 %f0, %f3, %f1;", (struct target_flops){.fadd = 1, .fmul = 1});
    expect("add.f32 %f3, %f1, %f2; lg2.approx.f32 %f0, %f1;", (struct target_flops){0}); /* %f3 is read by nobody */
    expect("add.f32 %f3, %f1, %f2; lg2.approx.f32 %f4, %f1; mul.f32 %f0, %f3, %f4;", (struct target_flops){.fadd = 1, .fmul = 1});
    expect("abs.f32 %f3, %f1; lg2.approx.f32 %f0, %f3;", (struct target_flops){.fmul = 1});
    expect("neg.f32 %f3, %f1; ex2.approx.f32 %f0, %f3;", (struct target_flops){.fmul = 1});
    expect("abs.f32 %f3, %f1; ex2.approx.f32 %f0, %f3;", (struct target_flops){0});
    expect("mul.f32 %f3, %f1, %f1; ex2.approx.f32 %f4, %f3; add.f32 %f0, %f3, %f4;", (struct target_flops){.fadd = 1, .fmul = 1});
    expect("abs.f32 %f3, %f1; rsqrt.approx.f32 %f0, %f3;", (struct target_flops){.fmul = 1});
    expect("rsqrt.approx.ftz.f32 %f3, %f1; add.f32 %f0, %f3, %f1;", (struct target_flops){.fadd = 1});
    expect("div.approx.f32 %f3, %f1, %f2; add.f32 %f0, %f3, %f2;", (struct target_flops){.fmul = 1, .ffma = 1});
    expect("div.full.f32 %f3, %f1, %f2; fma.rn.f32 %f0, %f3, %f2, %f1;", (struct target_flops){.ffma = 1, .fmul = 3});
    expect("mov.f32 %f4, 0f40400000; div.approx.f32 %f3, %f1, %f4; add.f32 %f0, %f3, %f1;", (struct target_flops){.ffma = 1});
    expect("div.approx.f32 %f3, 0f40400000, %f2; add.f32 %f0, %f3, %f1;", (struct target_flops){.ffma = 1});
    expect("sin.approx.f32 %f3, %f1; cos.approx.f32 %f4, %f1; mul.f32 %f0, %f3, %f4;", (struct target_flops){.fmul = 2});
    expect("sin.approx.f32 %f3, %f1; cos.approx.f32 %f4, %f2; mul.f32 %f0, %f3, %f4;", (struct target_flops){.fmul = 3});
    expect("rsqrt.approx.ftz.f64 %d0, %d1;", (struct target_flops){0});
    expect("rsqrt.approx.f64 %d0, %d1;", (struct target_flops){.dmul = 2, .dfma = 3});
}

/* ptxas 13.0 -arch=sm_90, 2026-11-28: the last multiplication of an approximate quotient is fused with the sum that reads it.
 * Multiplications under a predicate, for subnormal and huge divisors, are not counted. */
static void quotients_in_sums(void **state)
{
    (void)state;
    expect("div.full.f32 %f3, %f1, %f2; add.f32 %f0, %f3, %f1;", (struct target_flops){.fmul = 1, .ffma = 1});
    expect("rcp.approx.f32 %f3, %f2; add.f32 %f0, %f3, %f1;", (struct target_flops){.fmul = 1, .ffma = 1});
    expect("rcp.approx.ftz.f32 %f3, %f2; add.ftz.f32 %f0, %f3, %f1;", (struct target_flops){.fadd = 1});
    expect("div.approx.f32 %f3, %f1, %f2; add.rn.f32 %f0, %f3, %f1;", (struct target_flops){.fadd = 1, .fmul = 2});
    expect("div.approx.f32 %f3, 0f3f800000, %f2; add.f32 %f0, %f3, %f1;", (struct target_flops){.ffma = 1});
    expect("div.full.ftz.f32 %f3, 0f3f800000, %f2; add.ftz.f32 %f0, %f3, %f1;", (struct target_flops){.ffma = 1});
    expect("div.approx.ftz.f32 %f3, %f1, %f2; add.f32 %f0, %f3, %f1;", (struct target_flops){.fadd = 1, .fmul = 1});
    expect("div.approx.f32 %f3, %f1, %f2; mul.f32 %f5, %f1, %f2; add.f32 %f0, %f3, %f5;", (struct target_flops){.fmul = 3, .ffma = 1});
}

/* Calls of the math library, by the rows of library.def: what all ways of asinf and sinf have in common, and what each has beyond it (all
 * of them are counted here; a lane goes one), what cosf and coshf have done before sinf and sinhf, the base of powf if it is a
 * constant. HFMA2 loads a constant. */
static void library_calls(void **state)
{
    (void)state;
#define CALL(name, result, argument)                                                                    \
    "{ .param .b32 a; st.param.f32 [a], " argument "; .param .b32 r; call.uni (r), " name ", (a); ld.param.f32 " result ", [r]; }"
    expect(CALL("__nv_asinf", "%f0", "%f1"), (struct target_flops){.fmul = 5, .ffma = 8 + 1, .hfma = 2});
    expect(CALL("__nv_sinf", "%f0", "%f1"), (struct target_flops){.fmul = 2, .ffma = 7 + 1 + 2});
    expect(CALL("__nv_sinf", "%f3", "%f1") CALL("__nv_cosf", "%f4", "%f1") "add.f32 %f0, %f3, %f4;",
           (struct target_flops){.fadd = 1, .fmul = 2 + 2 - 1, .ffma = 10 + 10 - 3});
    expect(CALL("__nv_sinf", "%f3", "%f1") CALL("__nv_cosf", "%f4", "%f2") "add.f32 %f0, %f3, %f4;",
           (struct target_flops){.fadd = 1, .fmul = 2 + 2, .ffma = 10 + 10});
    expect(CALL("__nv_sinhf", "%f3", "%f1") CALL("__nv_coshf", "%f4", "%f1") "add.f32 %f0, %f3, %f4;",
           (struct target_flops){.fadd = 1 + 1 + 1 - 1, .fmul = 6 + 4 - 3, .ffma = 7 + 3 - 2, .hfma = 1 + 1});
    expect(CALL("__nv_pow_basef", "%f0", "%f1"), (struct target_flops){.fadd = 9, .fmul = 6, .ffma = 11});
    expect(CALL("__nv_pow_basef", "%f0", "0f40400000"), (struct target_flops){.fadd = 4, .fmul = 5, .ffma = 11});
    /* expf reads -x for nothing, sinf does not */
    expect("neg.f32 %f3, %f1;" CALL("__nv_expf", "%f0", "%f3"), (struct target_flops){.fadd = 1, .fmul = 1, .ffma = 4, .hfma = 1});
    expect("neg.f32 %f3, %f1;" CALL("__nv_sinf", "%f0", "%f3"), (struct target_flops){.fadd = 1, .fmul = 2, .ffma = 10});
    /* expf ends in a product: part of the sums that read it, unless something else does */
    expect(CALL("__nv_expf", "%f0", "%f1"), (struct target_flops){.fadd = 1, .fmul = 1, .ffma = 4, .hfma = 1});
    expect(CALL("__nv_expf", "%f3", "%f1") "add.f32 %f0, %f3, %f2;", (struct target_flops){.fadd = 1, .ffma = 4 + 1, .hfma = 1});
    expect(CALL("__nv_expf", "%f3", "%f1") "sub.f32 %f4, %f2, %f3; sub.f32 %f5, %f3, %f1; min.f32 %f0, %f4, %f5;",
           (struct target_flops){.fadd = 1, .ffma = 4 + 2, .hfma = 1});
    expect(CALL("__nv_expf", "%f3", "%f1") "add.f32 %f4, %f3, %f2; min.f32 %f0, %f4, %f3;",
           (struct target_flops){.fadd = 1 + 1, .fmul = 1, .ffma = 4, .hfma = 1});
    struct ptx_module *m;
    struct ir_kernel *k;
    const struct target_tables *t = tables(CALL("__nv_asinf", "%f0", "%f1") "mov.f64 %d0, %d1; mov.u16 %h0, %h1;", &m, &k);
    static const int ffma[] = {0, 0, 1, 8}; /* which way; what each takes beyond the other, under predicates; the call */
    int seen = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == IR_OP_EXTERN) {
            assert_true(seen < 4);
            assert_int_equal(k->insts[i].guard != IR_NOREG, seen == 1 || seen == 2);
            assert_int_equal(k->insts[i].dst[0] != IR_NOREG, seen == 0 || seen == 3);
            assert_int_equal(t->flops[i].ffma, ffma[seen]);
            seen++;
        }
    assert_int_equal(seen, 4);
    ir_free(k);
    ptx_free(m);
}

/* |x| that a comparison takes for nothing and an integer instruction two branches on needs: done where the second branch
 * is decided (src/target/signs.h). */
static void sign_behind_branches(void **state)
{
    (void)state;
    struct ptx_module *m;
    struct ir_kernel *k;
    const struct target_tables *t = tables("abs.f32 %f3, %f1; mov.f32 %f0, %f2; mov.f64 %d0, %d1; mov.u16 %h0, %h1;\n"
                                           "setp.gt.f32 %p1, %f3, %f2; @%p1 bra $X;\n"
                                           "setp.lt.f32 %p2, %f3, 0f3F800000; @%p2 bra $X;\n"
                                           "mov.b32 %r1, %f3; mul.lo.s32 %r2, %r1, %r1; mov.b32 %f0, %r2;\n$X:", &m, &k);
    int fadd[3] = {0};
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].block < 3)
            fadd[k->insts[i].block] += t->flops[i].fadd;
    assert_int_equal(fadd[0], 0);
    assert_int_equal(fadd[1], 1);
    assert_int_equal(fadd[2], 0);
    ir_free(k);
    ptx_free(m);
}

static void unread_is_not_counted(void **state)
{
    (void)state;
    expect("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f2; mov.f32 %f0, %f1;", (struct target_flops){0});
}

static void blocks(void **state)
{
    struct ptx_module *m;
    struct ir_kernel *k;
    (void)state;
    const struct target_tables *t = tables("setp.gt.f32 %p1, %f1, %f2; @%p1 bra $X; add.f32 %f1, %f1, %f2;\n$X:\n"
                                           "mov.f32 %f0, %f1; mov.f64 %d0, %d1; mov.u16 %h0, %h1;", &m, &k);
    /* R1, the parameter, the descriptor, four loads left of five, FSETP; the branch is a predicate of the addition */
    assert_int_equal(t->blocks[0].instructions, 8);
    assert_int_equal(t->blocks[1].instructions, 1);
    assert_int_equal(t->blocks[1].counted, 0);
    ir_free(k);
    ptx_free(m);
}

/* Branches and jumps of the machine code by how often they are executed: the sums over all sites, with the kernel's EXIT. */
static void expect_flow(const char *statements, const int branches[TARGET_TURNS], const int jumps[TARGET_TURNS], int unrolled)
{
    struct ptx_module *m;
    struct ir_kernel *k;
    const struct target_tables *t = tables(statements, &m, &k);
    int most = 0;
    for (int turn = 0; turn < TARGET_TURNS; turn++) {
        int sum[TARGET_FLOWS] = {0};
        for (int32_t i = 0; i < k->ninsts; i++) {
            for (int flow = 0; flow < TARGET_FLOWS; flow++)
                sum[flow] += t->flow[i][turn][flow];
            most = t->unrolled[i] > most ? t->unrolled[i] : most;
        }
        if (sum[FLOW_BRANCH] != branches[turn] || sum[FLOW_TARGET] != jumps[turn])
            fail_msg("%s: turn %d: %d branches, %d jumps", statements, turn, sum[FLOW_BRANCH], sum[FLOW_TARGET]);
    }
    assert_int_equal(most, unrolled);
    ir_free(k);
    ptx_free(m);
}

#define RESULTS "mov.f32 %f0, %f1; mov.f64 %d0, %d1; mov.u16 %h0, %h1;"
static void flow(void **state)
{
    (void)state;
    /* a predicate of the addition */
    expect_flow("setp.gt.f32 %p1, %f1, %f2; @%p1 bra $X; add.f32 %f1, %f1, %f2;\n$X:\n" RESULTS, (int[TARGET_TURNS]){[TURN_BLOCK] = 1},
                (int[TARGET_TURNS]){0}, 0);
    /* an atomic is not predicated: BRA, and BSYNC, to which each part of the warp comes */
    expect_flow("setp.gt.f32 %p1, %f1, %f2; @%p1 bra $X; red.global.add.f32 [%rd0+640], %f1;\n$X:\n" RESULTS,
                (int[TARGET_TURNS]){[TURN_BLOCK] = 2, [TURN_MEET] = 1}, (int[TARGET_TURNS]){[TURN_BLOCK] = 1}, 0);
    /* four turns side by side: one BRA around them and one back, and BSYNC, to which lanes come that leave earlier; what is left over is
     * under predicates */
    expect_flow("ld.global.u32 %r1, [%rd0+640]; mov.u32 %r2, 0;\n$L:\nfma.rn.f32 %f1, %f1, %f2, %f2; add.s32 %r2, %r2, 1;\n"
                "setp.lt.s32 %p1, %r2, %r1; @%p1 bra $L;\n" RESULTS,
                (int[TARGET_TURNS]){[TURN_BLOCK] = 1, [TURN_VISIT] = 2, [TURN_ROUND] = 1, [TURN_SOME_APART] = 1},
                (int[TARGET_TURNS]){[TURN_VISIT] = 1, [TURN_ROUND] = 1}, 4);
}

static void launch_bounds(void **state)
{
    (void)state;
    struct strbuf b;
    struct arena a;
    strbuf_init(&b);
    arena_init(&a);
    strbuf_adds(&b, ".version 8.4\n.target sm_90\n.address_size 64\n"
                    ".visible .entry k(.param .u64 p)\n.maxntid 1024, 1, 1\n.minnctapersm 2\n{\n.reg .b64 %rd<1>; .reg .b32 %r<64>;\n"
                    "ld.param.u64 %rd0, [p];\n");
    for (int i = 0; i < 64; i++)
        strbuf_addf(&b, "ld.global.u32 %%r%d, [%%rd0+%d];\n", i, 64 * i);
    for (int i = 0; i < 64; i++)
        strbuf_addf(&b, "st.global.u32 [%%rd0+%d], %%r%d;\n", 64 * i + 4, i);
    strbuf_adds(&b, "ret;\n}\n");
    struct ptx_module *m = parse_text("bounds.ptx", b.s);
    struct ir_kernel *k = build_kernel(m, "k");
    rewrite(k);
    assert_int_equal(target_tables(k, &a, ARCH_USUAL, NULL)->registers, 32); /* 65536 / (1024 * 2) */
    ir_free(k);
    ptx_free(m);
    arena_release(&a);
    strbuf_release(&b);
}

static bool is_load(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD) && in->space == PTX_GLOBAL;
}

/* The machine code begins with the load of f1 (the harness) and has a chain of four sums behind it, each four cycles after the one before; the store,
 * of another unit, reads the last sum's result a cycle later. The device's latency of sums, where it is given, takes the place of operations.def's. */
static void pace(void **state)
{
    struct ptx_module *m;
    struct arena a;
    struct device d;
    (void)state;
    arena_init(&a);
    memset(&d, 0xff, sizeof d); /* nothing is known, */
    d.without = 0;               /* and no mechanism is off */
    struct ir_kernel *k = rewritten_of("add.f32 %f1, %f1, 0f3F800000; add.f32 %f1, %f1, 0f3F800000; add.f32 %f1, %f1, 0f3F800000; add.f32 %f1, %f1, 0f3F800000;\n", &m);
    const struct target_tables *plain = target_tables(k, &a, ARCH_USUAL, NULL);
    d.latency_fp32 = 9;
    const struct target_tables *slow = target_tables(k, &a, ARCH_USUAL, &d);
    int32_t load = 0, store = 0;
    while (!is_load(&k->insts[load]))
        load++;
    while (!(ir_is(&k->insts[store], PTX_KIND_STORE) && k->insts[store].space == PTX_GLOBAL))
        store++;
    const struct pace_access *first = &plain->pace->access[plain->pace->first[load]], *last = &plain->pace->access[plain->pace->first[store]];
    const struct pace_access *first_slow = &slow->pace->access[slow->pace->first[load]], *last_slow = &slow->pace->access[slow->pace->first[store]];
    assert_true(first->used > first->at); /* by the first sum */
    assert_int_equal(last->at - first->used, 4 * 4 + 1);
    assert_int_equal(last_slow->at - first_slow->used, 4 * 9 + 1);
    assert_int_equal(last->used, PACE_NEVER); /* nobody reads what a store brings */
    const int32_t block = k->insts[load].block;
    assert_int_equal(plain->pace->block[block].owner, block);
    assert_int_equal(plain->pace->block[block].rounds, 1);
    assert_true(plain->pace->block[block].span >= (uint32_t)(last->at + 1) * PACE_TICKS);
    ir_free(k);
    ptx_free(m);
    arena_release(&a);
}

/* sm_90: two sums of integers are two cycles apart, one of floats goes between them; loads are four apart; behind a branch are five cycles. sm_80 has
 * half the lanes for floats. */
static void spaced(void **state)
{
    (void)state;
    const struct machine_inst sum = {.op = OP_IADD3}, product = {.op = OP_FFMA}, load = {.op = OP_LDG}, branch = {.op = OP_BRA};
    struct spacing s = {0};
    spacing_issue(&s, 90, &sum, 10);
    assert_int_equal(spacing_begin(&s, 90, &sum, 11), 12);
    assert_int_equal(spacing_begin(&s, 90, &product, 11), 11);
    spacing_issue(&s, 90, &product, 11);
    assert_int_equal(spacing_begin(&s, 90, &product, 12), 12);
    assert_int_equal(spacing_begin(&s, 90, &sum, 12), 12);
    spacing_issue(&s, 90, &load, 12);
    assert_int_equal(spacing_begin(&s, 90, &load, 13), 16);
    spacing_issue(&s, 90, &branch, 13);
    assert_int_equal(spacing_begin(&s, 90, &product, 14), 18);
    s = (struct spacing){0};
    spacing_issue(&s, 80, &product, 10);
    assert_int_equal(spacing_begin(&s, 80, &product, 11), 12);
    assert_int_equal(spacing_begin(&s, 52, &product, 11), 11); /* nobody knows */
    assert_int_equal(spacing_result(90, OP_FFMA, 4, OP_FADD, false), 4);
    assert_int_equal(spacing_result(90, OP_IADD3, 4, OP_LDG, false), 5);
    assert_int_equal(spacing_result(75, OP_IADD3, 4, OP_LDG, false), 4);
    assert_int_equal(spacing_result(90, OP_ISETP, 5, OP_BRA, true), 13);
    assert_int_equal(spacing_result(75, OP_ISETP, 5, OP_BRA, true), 12);
    assert_int_equal(spacing_result(90, OP_MUFU, 20, OP_FFMA, false), 20); /* by the scoreboard */
}

/* The accesses of global memory in their order: E goes in front of a store before it. */
static void waits(void **state)
{
    struct ptx_module *m;
    struct arena a;
    char is[16] = "";
    (void)state;
    arena_init(&a);
    struct ir_kernel *k = rewritten_of("ld.global.u64 %rd3, [%rd2+512]; ld.global.f32 %f3, [%rd3]; st.global.f32 [%rd2+1024], %f3;\n"
                                       "ld.global.f32 %f4, [%rd2+2048]; ld.global.f32 %f5, [%rd2+1024]; ld.global.f32 %f6, [%rd0];\n"
                                       "add.f32 %f4, %f4, %f5; add.f32 %f4, %f4, %f6; add.f32 %f1, %f1, %f4;\n", &m);
    const struct target_tables *t = target_tables(k, &a, ARCH_USUAL, NULL);
    for (int32_t i = 0, n = 0; i < k->ninsts; i++)
        if (ir_is_memory(&k->insts[i]) && k->insts[i].space == PTX_GLOBAL && n < 15)
            is[n++] = "-E"[t->early[i]];
    /* f1, the pointer, f3 through it, the store of f3; f4 has the store's base and other bytes, f5 its bytes, f6 another base; f1 */
    assert_string_equal(is, "----E---");
    ir_free(k);
    ptx_free(m);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expansions),
        cmocka_unit_test(signs),
        cmocka_unit_test(scaled_operands),
        cmocka_unit_test(quotients_in_sums),
        cmocka_unit_test(library_calls),
        cmocka_unit_test(sign_behind_branches),
        cmocka_unit_test(unread_is_not_counted),
        cmocka_unit_test(blocks),
        cmocka_unit_test(flow),
        cmocka_unit_test(launch_bounds),
        cmocka_unit_test(waits), cmocka_unit_test(spaced), cmocka_unit_test(pace),
    };
    arena_init(&arena);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return failed;
}
