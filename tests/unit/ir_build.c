/* IR from PTX text: variables, inlining, control flow, loops, liveness, problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ir/ir.h"

#define HEADER ".version 8.4\n.target sm_90\n.address_size 64\n"

static struct ptx_module *module;

static uint64_t address(const struct ptx_var *v, void *user)
{
    (void)user;
    return strcmp(v->name, "nowhere") ? 0x1000 : 0;
}

static struct ir_kernel *build(const char *text)
{
    struct diag_list diags;
    struct strbuf out;
    strbuf_init(&out);
    diag_init(&diags);
    module = ptx_parse("test", text, strlen(text), &diags);
    diag_format_all(&diags, &out);
    if (!module)
        fail_msg("%s", out.s);
    strbuf_release(&out);
    diag_release(&diags);
    const struct ptx_function *f = table_get(&module->func_by_name, "k");
    return ir_build(module, f, address, NULL);
}

static void drop(struct ir_kernel *k)
{
    ir_free(k);
    ptx_free(module);
}

static const struct ir_inst *first(const struct ir_kernel *k, int op)
{
    for (int i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == op)
            return &k->insts[i];
    return NULL;
}

static void an_if_has_its_join(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k(.param .u32 a) {\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
                                       "ld.param.u32 %r1, [a];\n"
                                       "setp.eq.s32 %p1, %r1, 0;\n"
                                       "@%p1 bra ELSE;\n"
                                       "mov.u32 %r2, 1;\n"
                                       "bra.uni END;\n"
                                       "ELSE:\n"
                                       "mov.u32 %r2, 2;\n"
                                       "END:\n"
                                       "add.s32 %r3, %r2, 1;\n"
                                       "ret;\n}\n");
    assert_null(k->problems);
    /* blocks: head 0, then 1, else 2, end 3, and the exit that the builder appends 4 */
    assert_int_equal(k->nblocks, 5);
    const struct ir_inst *bra = first(k, PTX_OP_BRA);
    assert_int_equal(bra->target, 2);
    assert_true(bra->joined);
    assert_int_equal(bra->join, 3);
    assert_int_equal(k->blocks[0].ipdom, 3);
    assert_int_equal(k->blocks[3].idom, 0);
    assert_int_equal(k->blocks[3].ipdom, -1);
    assert_int_equal(k->nloops, 0);
    /* r2 (register 3: after p0 p1 r0 r1) is live into the end, r1 is not */
    int32_t r2 = first(k, PTX_OP_ADD)->src[0].reg, r1 = first(k, PTX_OP_LD)->dst[0];
    assert_true(ir_bit(k->blocks[3].live_in, r2));
    assert_false(ir_bit(k->blocks[3].live_in, r1));
    assert_false(ir_bit(k->blocks[0].live_in, r2));
    drop(k);
}

/* What clang prints for a switch whose default it holds to be unreachable: the cases still meet behind it. */
static void a_way_that_only_leaves_keeps_nobody_from_meeting(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k(.param .u32 a) {\n.reg .pred %p<3>; .reg .b32 %r<4>;\n"
                                       "ld.param.u32 %r1, [a];\n"
                                       "setp.eq.s32 %p1, %r1, 0;\n"
                                       "@%p1 bra ZERO;\n"
                                       "setp.eq.s32 %p2, %r1, 1;\n"
                                       "@%p2 bra ONE;\n"
                                       "bra.uni NEVER;\n"
                                       "ZERO:\n"
                                       "mov.u32 %r2, 1;\n"
                                       "bra.uni END;\n"
                                       "ONE:\n"
                                       "mov.u32 %r2, 2;\n"
                                       "END:\n"
                                       "add.s32 %r3, %r2, 1;\n"
                                       "ret;\n"
                                       "NEVER:\n"
                                       "exit;\n}\n");
    assert_null(k->problems);
    /* blocks: head 0, second test 1, jump to the exit 2, ZERO 3, ONE 4, END 5, NEVER 6, the appended exit 7 */
    assert_int_equal(k->nblocks, 8);
    assert_int_equal(k->blocks[0].ipdom, 5);
    assert_int_equal(k->blocks[1].ipdom, 4);
    assert_int_equal(k->blocks[4].ipdom, 5);
    assert_int_equal(k->blocks[2].ipdom, 6);
    drop(k);
}

static void a_guarded_definition_keeps_the_old_value_alive(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k() {\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
                                       "mov.u32 %r1, 1;\nmov.pred %p1, 1;\nbra L;\nL:\n"
                                       "@%p1 mov.u32 %r1, 2;\nadd.s32 %r2, %r1, %r1;\nret;\n}\n");
    int32_t r1 = k->insts[0].dst[0];
    assert_true(ir_bit(k->blocks[1].live_in, r1));
    const struct ir_inst *guarded = &k->insts[k->blocks[1].first], *sum = guarded + 1;
    assert_true(ir_defines(guarded, r1));
    assert_false(ir_defines(sum, r1)); /* it reads it */
    assert_true(ir_defines(sum, sum->dst[0]));
    assert_null(ir_loop_at(k, 1));
    drop(k);
}

static void a_way_up_in_the_code_is_not_always_a_wait(void **state)
{
    (void)state;
    /* blocks: entry 0, NEXT 1, HEAD 2 (to NEXT), the rest of the loop 3 (to NEXT), end 4. The way back to the loop's
     * header is NEXT falling into HEAD; the two branches up to NEXT count turns, of a loop that waits for nobody */
    struct ir_kernel *k = build(HEADER ".visible .entry k(.param .u32 n) {\n.reg .pred %p<3>; .reg .b32 %r<6>;\n"
                                       "ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nbra.uni HEAD;\n"
                                       "NEXT:\nadd.s32 %r2, %r2, 1;\n"
                                       "HEAD:\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra NEXT;\n"
                                       "setp.lt.s32 %p2, %r2, 100;\n@%p2 bra NEXT;\n"
                                       "ret;\n}\n");
    assert_int_equal(k->nloops, 1);
    assert_ptr_equal(ir_loop_at(k, 2), &k->loops[0]);
    assert_null(ir_loop_at(k, 1));
    int back = 0;
    for (int i = 0; i < k->ninsts; i++) {
        back += k->insts[i].back_edge;
        assert_false(k->insts[i].waiting);
    }
    assert_int_equal(back, 2);
    drop(k);
    /* two ways into the cycle A, B: no natural loop */
    k = build(HEADER ".visible .entry k(.param .u32 n) {\n.reg .pred %p<3>; .reg .b32 %r<6>;\n"
                     "ld.param.u32 %r1, [n];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra B;\n"
                     "A:\nadd.s32 %r1, %r1, 1;\n"
                     "B:\nsetp.lt.s32 %p2, %r1, 100;\n@%p2 bra A;\nret;\n}\n");
    assert_int_equal(k->nloops, 0);
    back = 0;
    for (int i = 0; i < k->ninsts; i++)
        back += k->insts[i].back_edge && k->insts[i].waiting;
    assert_int_equal(back, 1);
    drop(k);
}

static void loops_nest_and_back_edges_are_marked(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k(.param .u32 n) {\n.reg .pred %p<3>; .reg .b32 %r<6>;\n"
                                       "ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
                                       "OUTER:\nmov.u32 %r3, 0;\n"
                                       "INNER:\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra INNER;\n"
                                       "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 bra OUTER;\nret;\n}\n");
    assert_int_equal(k->nloops, 2);
    int inner = k->blocks[2].loop, outer = k->blocks[1].loop;
    assert_int_equal(k->loops[inner].depth, 2);
    assert_int_equal(k->loops[inner].parent, outer);
    assert_int_equal(k->loops[outer].depth, 1);
    assert_false(k->has_waiting_loop);
    for (int i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == PTX_OP_BRA)
            assert_true(k->insts[i].back_edge && !k->insts[i].waiting);
    drop(k);
}

static void waits(const char *body, bool expected)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, HEADER ".extern .func (.param .b32 o) __nv_sinf(.param .b32 x);\n.extern .func (.param .b32 o) vprintf(.param .b64 f, .param .b64 v);\n"
                              ".visible .entry k(.param .u64 a) {\n.reg .pred %%p<3>; .reg .b32 %%r<6>; .reg .b64 %%rd<3>;\n"
                              "ld.param.u64 %%rd1, [a];\nmov.u32 %%r5, 0;\nL:\n%s@%%p1 bra L;\nret;\n}\n", body);
    struct ir_kernel *k = build(text.s);
    if (k->has_waiting_loop != expected)
        fail_msg("%s: waiting %d, expected %d", body, k->has_waiting_loop, expected);
    strbuf_release(&text);
    drop(k);
}

static void waiting_loops_are_found(void **state)
{
    (void)state;
    waits("ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n", false); /* a weak load may be hoisted */
    waits("ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n", true);
    waits("ld.acquire.gpu.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 0;\n", true);
    waits("atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n", true);
    waits("membar.gl;\nld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n", true);
    /* libdevice computes, other calls may let time pass */
    waits("ld.global.f32 %r1, [%rd1];\n{\n.param .b32 p;\nst.param.f32 [p], %r1;\n.param .b32 q;\ncall.uni (q), __nv_sinf, (p);\nld.param.f32 %r2, [q];\n}\n"
          "setp.lt.f32 %p1, %r2, %r1;\n", false);
    waits("{\n.param .b64 p;\nst.param.b64 [p], %rd1;\n.param .b64 v;\nst.param.b64 [v], %rd1;\n.param .b32 q;\ncall.uni (q), vprintf, (p, v);\nld.param.b32 %r2, [q];\n}\n"
          "ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n", true);
    /* an atomic whose result does not decide */
    waits("atom.global.add.u32 %r1, [%rd1], 1;\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, 9;\n", false);
}

static void calls_are_inlined_and_parameters_become_registers(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".func (.param .b32 out) twice(.param .b32 in) {\n.reg .b32 %r<3>;\n"
                                       "ld.param.u32 %r1, [in];\nadd.s32 %r2, %r1, %r1;\nst.param.b32 [out+0], %r2;\nret;\n}\n"
                                       ".visible .entry k(.param .u32 a, .param .u64 b) {\n.reg .b32 %r<4>;\n"
                                       "ld.param.u32 %r1, [a];\n"
                                       "{\n.param .b32 p0;\nst.param.b32 [p0+0], %r1;\n.param .b32 r0;\n"
                                       "call.uni (r0), \n twice, \n (\n p0 \n);\nld.param.b32 %r2, [r0+0];\n}\n"
                                       "ret;\n}\n");
    assert_null(k->problems);
    assert_int_equal(k->nparams, 2);
    assert_int_equal(k->params[1].offset, 8);
    assert_int_equal(k->param_bytes, 16);
    int loads = 0, moves = 0;
    for (int i = 0; i < k->ninsts; i++) {
        loads += ir_is_memory(&k->insts[i]);
        moves += k->insts[i].op == PTX_OP_MOV;
    }
    assert_int_equal(loads, 1); /* the kernel's own parameter */
    assert_int_equal(moves, 4); /* argument in and out of its register, result in and out */
    assert_non_null(first(k, PTX_OP_ADD));
    drop(k);
}

static void call_parameters_whose_address_counts_live_in_memory(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".func f(.param .align 8 .b8 in[8]) {\n.reg .b32 %r<3>;\n"
                                       "ld.param.u32 %r1, [in];\nld.param.u32 %r2, [in+4];\nret;\n}\n"
                                       ".visible .entry k() {\n.reg .b64 %rd<4>;\n"
                                       "{\n.param .align 8 .b8 p0[8];\nst.param.b64 [p0+0], %rd1;\ncall.uni f, (p0);\n}\n"
                                       "ret;\n}\n");
    assert_null(k->problems);
    assert_int_equal(k->scratch_bytes, 8);
    const struct ir_inst *ld = first(k, PTX_OP_LD);
    assert_int_equal(ld->space, IR_SCRATCH);
    drop(k);
}

static void a_parameter_of_a_function_is_reached_through_a_register(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".func f(.param .align 8 .b8 in[16]) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                                       "mov.b64 %rd1, in;\nld.param.u32 %r1, [%rd1+12];\nret;\n}\n"
                                       ".visible .entry k(.param .u64 a) {\n.reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
                                       "mov.b64 %rd1, a;\nld.param.u32 %r1, [%rd1+4];\n"
                                       "{\n.param .align 8 .b8 p0[16];\nst.param.b64 [p0+0], %rd1;\ncall.uni f, (p0);\n}\n"
                                       "ret;\n}\n");
    assert_null(k->problems);
    int params = 0, scratch = 0;
    for (int i = 0; i < k->ninsts; i++) {
        params += k->insts[i].op == PTX_OP_LD && k->insts[i].space == PTX_PARAM;
        scratch += k->insts[i].op == PTX_OP_LD && k->insts[i].space == IR_SCRATCH;
    }
    assert_int_equal(params, 1); /* [%rd1+4] in the kernel */
    assert_int_equal(scratch, 1); /* [%rd1+12] in the function */
    drop(k);
}

static void shared_variables_are_laid_out_and_dynamic_ones_follow(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".shared .align 4 .b8 unused[100];\n.shared .align 1 .b8 a[3];\n"
                                       ".shared .align 8 .b8 b[24];\n.extern .shared .align 16 .b8 d[];\n"
                                       ".visible .entry k() {\n.reg .b64 %rd<4>;\n"
                                       "mov.u64 %rd1, a;\nmov.u64 %rd2, b;\nmov.u64 %rd3, d+4;\nret;\n}\n");
    assert_int_equal(k->shared_static, 32); /* 3, padded to 8, and 24 */
    assert_int_equal(k->shared_dynamic, 32);
    assert_int_equal(k->insts[0].src[0].imm, 0);
    assert_int_equal(k->insts[1].src[0].imm, 8);
    assert_int_equal(k->insts[2].src[0].imm, 36);
    drop(k);
}

static void problems_name_what_is_not_there(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".extern .global .u32 nowhere;\n.func f();\n.func f() {\ncall.uni f, ();\nret;\n}\n"
                                       ".visible .entry k() {\n.reg .b64 %rd<4>;\n"
                                       "mov.u64 %rd1, nowhere;\nwgmma.fence.sync.aligned;\ncall.uni f, ();\nret;\n}\n");
    const struct ir_problem *p = k->problems;
    assert_non_null(p);
    assert_non_null(strstr(p->text, "'nowhere' is declared but defined nowhere"));
    p = p->next;
    assert_non_null(strstr(p->text, "wgmma"));
    assert_non_null(strstr(p->text, "is not implemented"));
    assert_null(p->next);
    drop(k);
}

/* f calls itself behind a guard: its parameter r1 is needed after the call, so the call saves it and the number of the
 * return, 8 bytes, and the frame is 16. Two calls of the kernel have a body each. */
static void a_function_that_calls_itself_is_a_body(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".func (.param .b32 out) f(.param .b32 in) {\n.reg .b32 %r<4>; .reg .pred %p<2>;\n"
                                       "ld.param.u32 %r1, [in];\nmov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
                                       "sub.u32 %r3, %r1, 1;\n{\n.param .b32 p0;\nst.param.b32 [p0+0], %r3;\n.param .b32 r0;\n"
                                       "call (r0), f, (p0);\nld.param.b32 %r2, [r0+0];\n}\nE:\nadd.u32 %r2, %r2, %r1;\n"
                                       "st.param.b32 [out+0], %r2;\nret;\n}\n"
                                       ".visible .entry k(.param .u32 a) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
                                       "{\n.param .b32 p0;\nst.param.b32 [p0+0], %r1;\n.param .b32 r0;\ncall (r0), f, (p0);\nld.param.b32 %r2, [r0+0];\n}\n"
                                       "{\n.param .b32 p0;\nst.param.b32 [p0+0], %r2;\n.param .b32 r0;\ncall (r0), f, (p0);\nld.param.b32 %r2, [r0+0];\n}\n"
                                       "ret;\n}\n");
    int calls = 0, returns = 0, stores = 0, loads = 0;
    assert_null(k->problems);
    assert_true(k->recursive);
    assert_int_equal(k->local_bytes, 0); /* frames are behind the kernel's variables */
    for (int i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        calls += in->after_call != 0;
        returns += in->is_return;
        stores += in->op == PTX_OP_ST && in->space == PTX_LOCAL;
        loads += in->op == PTX_OP_LD && in->space == PTX_LOCAL;
        if (in->is_return)
            assert_int_equal(in->ntargets, 2); /* the kernel's call and the body's */
        if (in->after_call) /* a call comes back to what stands behind it */
            assert_int_equal(k->blocks[in->after_call - 1].first, i + 1);
        if (in->op == PTX_OP_BRA && in->guard != IR_NOREG) /* the lanes of one call meet at its E */
            assert_int_equal(k->insts[k->blocks[in->join].first].op, PTX_OP_ADD);
    }
    assert_int_equal(calls, 4);
    assert_int_equal(returns, 2);
    assert_int_equal(stores, 4);
    assert_int_equal(loads, 4);
    drop(k);
}

/* Of two calls the .local variables lie in one place, behind the caller's: 16 bytes of the kernel, 64 of f or 32 of g and
 * 64 of the f that g calls. Where parameters are in memory, because a function reads half of one, theirs do, too. */
static void calls_that_have_ended_give_their_memory_back(void **state)
{
    static const char call[] = "{\n.param .align 8 .b8 p0[64];\nst.param.b64 [p0+0], %rd1;\n";
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, HEADER ".func f(.param .align 8 .b8 in[64]) {\n.local .align 8 .b8 d[64];\n.reg .b64 %%rd<3>; .reg .b32 %%r<3>;\n"
                       "mov.u64 %%rd1, d;\nld.param.u32 %%r1, [in+4];\nst.local.u32 [%%rd1], %%r1;\nret;\n}\n"
                       ".func g() {\n.local .align 8 .b8 e[32];\n.reg .b64 %%rd<3>;\nmov.u64 %%rd1, e;\n%scall f, (p0);\n}\nret;\n}\n"
                       ".visible .entry k() {\n.local .align 8 .b8 own[16];\n.reg .b64 %%rd<3>;\nmov.u64 %%rd1, own;\n"
                       "%scall f, (p0);\n}\ncall g, ();\ncall g, ();\nret;\n}\n", call, call);
    struct ir_kernel *k = build(text.s);
    static const uint64_t want[] = {0, 16, 16, 48, 16, 48}; /* own; d; e and d; e and d */
    int n = 0;
    assert_null(k->problems);
    assert_int_equal(k->local_bytes, 16 + 32 + 64);
    assert_int_equal(k->scratch_bytes, 64 + 64); /* the kernel's call and g's */
    for (int i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == PTX_OP_MOV) {
            assert_true(n < 6);
            assert_int_equal(k->insts[i].src[0].imm, want[n++]);
        }
    assert_int_equal(n, 6);
    drop(k);
    strbuf_release(&text);
}

static void immediates_take_the_type_of_the_instruction(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k() {\n.reg .f32 %f<3>; .reg .f64 %fd<3>;\n"
                                       "add.f32 %f1, %f2, 0f3F800000;\nadd.f64 %fd1, %fd2, 0d3FF0000000000000;\n"
                                       "add.f32 %f1, %f2, 1.0;\nret;\n}\n");
    assert_int_equal(k->insts[0].src[1].imm, 0x3f800000);
    assert_true(k->insts[1].src[1].imm == UINT64_C(0x3ff0000000000000));
    assert_int_equal(k->insts[2].src[1].imm, 0x3f800000);
    drop(k);
}

static void deleted_instructions_go_and_branches_follow(void **state)
{
    (void)state;
    struct ir_kernel *k = build(HEADER ".visible .entry k() {\n.reg .b32 %r<4>; .reg .pred %p<2>;\n"
                                       "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nmov.u32 %r1, 1;\nL:\nmov.u32 %r2, 2;\n"
                                       "mov.u32 %r3, 3;\nret;\n}\n");
    int before = k->ninsts;
    k->insts[3].op = IR_OP_DELETED; /* mov r2, the first of the target block */
    ir_analyse(k);
    assert_int_equal(k->ninsts, before - 1);
    const struct ir_inst *bra = first(k, PTX_OP_BRA);
    assert_int_equal(k->insts[k->blocks[bra->target].first].src[0].imm, 3);
    drop(k);
}

/* A kernel of blocks given by their ways: "3" goes to 3 or on to the next block, "=3" to 3, "" on, "." ends. The
 * reconvergence points of its branches, -1 where there is none, are compared with `expected`. */
static void reconvergence_of(const char *name, const char *const *ways, const int *expected, int n)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, HEADER ".visible .entry k(.param .u32 a) {\n.reg .pred %%p<2>; .reg .b32 %%r<4>;\n");
    for (int i = 0; i < n; i++) {
        strbuf_addf(&text, "L%d:\n", i);
        strbuf_addf(&text, "ld.param.u32 %%r1, [a];\nsetp.eq.s32 %%p1, %%r1, %d;\n", i);
        if (ways[i][0] == '.')
            strbuf_adds(&text, "ret;\n");
        else if (ways[i][0] == '=')
            strbuf_addf(&text, "bra.uni L%s;\n", ways[i] + 1);
        else if (ways[i][0])
            strbuf_addf(&text, "@%%p1 bra L%s;\n", ways[i]);
    }
    strbuf_adds(&text, "}\n");
    struct ir_kernel *k = build(text.s);
    for (int i = 0; i < n; i++) {
        const struct ir_inst *last = &k->insts[k->blocks[i].first + k->blocks[i].count - 1];
        int got = last->op == PTX_OP_BRA && last->reconvergence ? last->reconvergence->block : -1;
        if (got != expected[i])
            fail_msg("%s: the lanes of block %d meet at %d, not %d", name, i, got, expected[i]);
    }
    drop(k);
    strbuf_release(&text);
}
static void lanes_meet_in_front_of_a_break(void **state)
{
    (void)state;
    static const struct {
        const char *name, *ways[12];
        int meet[12], n;
    } flows[] = {
        /* the machine code of each is in the comment of reconvergence.c by its name there */
        {"if and else", {"2", "=3", "", "."}, {-1, -1, -1, -1}, 4},
        {"for with continue", {"", "4", "4", "", "1", "."}, {-1, -1, -1, -1, -1, -1}, 6},
        {"break in an if", {"", "3", "4", "1", "."}, {-1, 3, -1, -1, -1}, 5},
        {"break alone", {"", "3", "1", "."}, {-1, -1, -1, -1}, 4},
        {"break and continue in an if", {"", "4", "6", "5", "", "1", "."}, {-1, 5, -1, -1, -1, -1, -1}, 7},
        {"two breaks in an if", {"", "4", "5", "5", "1", "."}, {-1, 4, -1, -1, -1, -1}, 6},
        {"break in an if in an if", {"", "5", "4", "6", "", "1", "."}, {-1, 5, 4, -1, -1, -1, -1}, 7},
        /* 1 outer header, 2 inner header; 3 leaves both loops, 4 the inner one, 5 is the inner latch, 6 the outer one */
        {"goto out of two loops, break out of one", {"", "", "5", "8", "6", "2", "1", "", "."}, {-1, -1, 6, -1, 6, 6, 7, -1, -1}, 9},
        {"goto out of two loops", {"", "", "4", "7", "2", "1", "", "."}, {-1, -1, 4, -1, 5, 6, -1, -1}, 8},
        {"chain of gotos", {"2", "3", "4", "", "."}, {3, 3, -1, -1, -1}, 5},
        {"switch that falls through", {"4", "3", "5", "", "=6", "", "."}, {4, 3, -1, -1, -1, -1, -1}, 7},
        {"a || b", {"2", "3", "", "."}, {2, -1, -1, -1}, 4},
        {"return in a loop", {"", "3", "5", "1", "", "."}, {-1, 3, -1, 4, -1, -1}, 6},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        reconvergence_of(flows[i].name, flows[i].ways, flows[i].meet, flows[i].n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_has_its_join),
        cmocka_unit_test(a_way_that_only_leaves_keeps_nobody_from_meeting),
        cmocka_unit_test(a_guarded_definition_keeps_the_old_value_alive),
        cmocka_unit_test(a_way_up_in_the_code_is_not_always_a_wait),
        cmocka_unit_test(loops_nest_and_back_edges_are_marked),
        cmocka_unit_test(waiting_loops_are_found),
        cmocka_unit_test(calls_are_inlined_and_parameters_become_registers),
        cmocka_unit_test(call_parameters_whose_address_counts_live_in_memory),
        cmocka_unit_test(a_parameter_of_a_function_is_reached_through_a_register),
        cmocka_unit_test(shared_variables_are_laid_out_and_dynamic_ones_follow),
        cmocka_unit_test(problems_name_what_is_not_there),
        cmocka_unit_test(a_function_that_calls_itself_is_a_body),
        cmocka_unit_test(calls_that_have_ended_give_their_memory_back),
        cmocka_unit_test(immediates_take_the_type_of_the_instruction),
        cmocka_unit_test(lanes_meet_in_front_of_a_break),
        cmocka_unit_test(deleted_instructions_go_and_branches_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
