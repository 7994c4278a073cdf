/* What the verifier says of IR that is broken by hand, in each way that it looks for, and that it says nothing of whole IR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ir/edit.h"
#include "ir/operands.h"
#include "ir/verify.h"

static const char text[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [a];\n"
    "ld.param.u32 %r1, [n];\n"
    "ld.global.v2.u32 {%r2, %rd2}, [%rd1];\n" /* a register wider than its element */
    "setp.lt.s32 %p1, %r1, %r2;\n"
    "cvt.rn.f32.s32 %f1, %r1;\n"
    "add.sat.f32 %f2, %f1, %f1;\n"
    "selp.b32 %r3, %r1, %r2, %p1;\n"
    "@%p1 bra THEN;\n"
    "xor.b64 %rd3, %rd2, 1;\n"
    "bra.uni JOIN;\n"
    "THEN:\n"
    "mov.b64 %rd3, %rd2;\n"
    "JOIN:\n"
    "st.global.u64 [%rd1], %rd3;\n"
    "st.global.u32 [%rd1+8], %r3;\n"
    "st.global.f32 [%rd1+12], %f2;\n"
    "ret;\n}\n";

static struct ptx_module *module;

static uint64_t address(const struct ptx_var *v, void *user)
{
    (void)v;
    (void)user;
    return 0x1000;
}

static struct ir_kernel *build(void)
{
    struct diag_list diags;
    diag_init(&diags);
    module = ptx_parse("test", text, strlen(text), &diags);
    assert_non_null(module);
    diag_release(&diags);
    struct ir_kernel *k = ir_build(module, table_get(&module->func_by_name, "k"), address, NULL);
    assert_null(k->problems);
    return k;
}

static struct ir_inst *nth(struct ir_kernel *k, int op, int n)
{
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == op && !n--)
            return &k->insts[i];
    fail_msg("the kernel has no instruction %d of operation %d", n, op);
    return NULL;
}

static struct ir_inst *the(struct ir_kernel *k, int op)
{
    return nth(k, op, 0);
}

/* So many sources more, all 0. */
static void lengthen(struct ir_kernel *k, struct ir_inst *in, int n)
{
    while (n--)
        ir_add_source(k, in, ir_of_value(0));
}

#define CHANGE_SOURCE(in, i, field, value)              \
    do {                                                \
        struct ir_src changed = (in)->src[i];           \
        changed.field = value;                          \
        ir_set_source(k, in, i, changed);               \
    } while (0)

/* Each change, and what is said of it. `k` is the kernel. */
#define LIST_OF_CHANGES                                                                                                                  \
    CHANGE("operation 0 is none of the IR", the(k, PTX_OP_XOR)->op = PTX_OP_UNKNOWN)                                                     \
    CHANGE("operation 9999 is none of the IR", the(k, PTX_OP_XOR)->op = 9999)                                                            \
    CHANGE("there is no type 99", the(k, PTX_OP_XOR)->type = 99)                                                                         \
    CHANGE("there is no state space 9", the(k, PTX_OP_ST)->space = 9)                                                                    \
    CHANGE("2 results and 513 sources", (the(k, PTX_OP_XOR)->ndst = 2, the(k, PTX_OP_XOR)->nsrc = 513))                                  \
    CHANGE("no modifiers", the(k, PTX_OP_XOR)->mods = NULL)                                                                              \
    CHANGE("result 0 is register 500", ir_set_result(k, the(k, PTX_OP_XOR), 0, 500))                                                     \
    CHANGE("source 1 is of kind 7", CHANGE_SOURCE(the(k, PTX_OP_XOR), 1, kind, 7))                                                       \
    CHANGE("source 0 is register -1", CHANGE_SOURCE(the(k, PTX_OP_XOR), 0, reg, IR_NOREG))                                               \
    CHANGE("source 0 is special register 777", ir_set_source(k, the(k, PTX_OP_XOR), 0, (struct ir_src){.kind = IR_SRC_SREG, .sreg = 777})) \
    CHANGE("the guard is register 500", the(k, PTX_OP_XOR)->guard = 500)                                                                 \
    CHANGE("a call of no function", the(k, PTX_OP_XOR)->op = IR_OP_EXTERN)                                                               \
    CHANGE("a branch to block 44", the(k, PTX_OP_BRA)->target = 44)                                                                      \
    CHANGE("a call that comes back to block 44", the(k, PTX_OP_BRA)->after_call = 45)                                                    \
    CHANGE("block 1 has instructions", k->blocks[1].first++)                                                                             \
    CHANGE("block 0 has instructions", k->blocks[0].count = 0)                                                                           \
    CHANGE("has instructions", k->blocks[k->nblocks - 1].count++)                                                                        \
    CHANGE("instructions in blocks", k->nblocks--)                                                                                       \
    CHANGE("is said to be of block 2", the(k, PTX_OP_XOR)->block = 2)                                                                    \
    CHANGE("a branch in the middle of block 0", *the(k, PTX_OP_SETP) = *the(k, PTX_OP_BRA))                                              \
    CHANGE("threads run past the last instruction", ir_delete(&k->insts[k->ninsts - 1]))                                                 \
    CHANGE("'XOR' does not go with type .f32", the(k, PTX_OP_XOR)->type = PTX_F32)                                                       \
    CHANGE("'FABS' does not go with .sat", (the(k, PTX_OP_FADD)->nsrc = 1, the(k, PTX_OP_FADD)->op = PTX_OP_FABS))                       \
    CHANGE("a vector of 3", the(k, PTX_OP_ST)->vec = 3)                                                                                  \
    CHANGE("a vector of 256 bits", the(k, PTX_OP_ST)->vec = 4)                                                                           \
    CHANGE("r8 is .b64 where .u32 is wanted in 'r8 = mov.u32 r3'", the(k, PTX_OP_MOV)->type = PTX_U32) /* arms.c, once */                \
    CHANGE("is .b32 where .b64 is wanted", ir_set_source(k, the(k, PTX_OP_MOV), 0, the(k, PTX_OP_SELP)->src[0]))                         \
    CHANGE("is .f32 where .s32 is wanted", CHANGE_SOURCE(the(k, PTX_OP_SETP), 0, reg, the(k, PTX_OP_FADD)->dst[0]))                      \
    CHANGE("is .pred where .b32 is wanted", ir_set_source(k, the(k, PTX_OP_SELP), 0, the(k, PTX_OP_SELP)->src[2]))                       \
    CHANGE("where .pred is wanted", ir_set_source(k, the(k, PTX_OP_SELP), 2, the(k, PTX_OP_SELP)->src[0]))                               \
    CHANGE("where .pred is wanted", ir_set_result(k, the(k, PTX_OP_SETP), 0, the(k, PTX_OP_SELP)->dst[0]))                               \
    CHANGE("where .u32 or wider is wanted", ir_set_result(k, nth(k, PTX_OP_LD, 2), 1, the(k, PTX_OP_SETP)->dst[0]))                      \
    CHANGE("where .u64 or wider is wanted", ir_set_source(k, the(k, PTX_OP_ST), 1, the(k, PTX_OP_SELP)->src[0]))                         \
    CHANGE("p4 is .pred where .u64 is wanted", ir_set_source(k, nth(k, PTX_OP_LD, 2), 0, the(k, PTX_OP_SELP)->src[2]))                   \
    CHANGE("1 results where 2 belong", nth(k, PTX_OP_LD, 2)->ndst = 1)                                                                   \
    CHANGE("3 sources where 2 belong", lengthen(k, the(k, PTX_OP_XOR), 1))                                                               \
    CHANGE("4 sources where 2 to 3 belong", lengthen(k, the(k, PTX_OP_SETP), 2))                                                         \
    CHANGE("source 1 is a special register", ir_set_source(k, the(k, PTX_OP_XOR), 1, (struct ir_src){.kind = IR_SRC_SREG}))              \
    CHANGE("'!' before source 0, which is no predicate", CHANGE_SOURCE(the(k, PTX_OP_XOR), 0, negated, true))                            \
    CHANGE("a deleted instruction with operands", the(k, PTX_OP_XOR)->op = IR_OP_DELETED)                                                \
    CHANGE("is no predicate", the(k, PTX_OP_XOR)->guard = the(k, PTX_OP_XOR)->dst[0])                                                    \
    CHANGE("block 0 lacks an edge", the(k, PTX_OP_BRA)->target = 3)                                                                      \
    CHANGE("block 1 lacks an edge", ir_delete(nth(k, PTX_OP_BRA, 1)))                                                                    \
    CHANGE("block 0 has an edge to block 1 that nothing takes", the(k, PTX_OP_BRA)->guard = IR_NOREG)                                    \
    CHANGE("lanes meet at block 70", the(k, PTX_OP_BRA)->join = 70)                                                                      \
    CHANGE("r6 is read before it is written in 'st.global", ir_delete(the(k, PTX_OP_FADD)))                                              \
    CHANGE("r8 is read before it is written in 'st.global", ir_delete(the(k, PTX_OP_XOR))) /* on one way */                              \
    CHANGE("r8 is read before it is written in 'st.global", the(k, PTX_OP_XOR)->guard = 4) /* by some lanes */

static void every_complaint(void **state)
{
    (void)state;
    static const char *const expected[] = {
#define CHANGE(what, ...) what,
        LIST_OF_CHANGES
#undef CHANGE
    };
    const int n = sizeof expected / sizeof *expected;
    for (int i = 0; i < n; i++) {
        struct ir_kernel *k = build();
        int at = 0;
#define CHANGE(what, ...) if (at++ == i) { __VA_ARGS__; }
        LIST_OF_CHANGES
#undef CHANGE
        if (ir_verify(k, "test", false) || !k->problems)
            fail_msg("nothing is said where '%s' is wanted", expected[i]);
        if (!strstr(k->problems->text, expected[i]) || strncmp(k->problems->text, "internal error: kernel 'k' after 'test': ", 40))
            fail_msg("'%s' where '%s' is wanted", k->problems->text, expected[i]);
        assert_true(k->problems->internal);
        assert_null(k->problems->next);
        ir_free(k);
        ptx_free(module);
    }
}

static void nothing_of_whole_ir(void **state)
{
    (void)state;
    struct ir_kernel *k = build();
    assert_true(ir_verify(k, "test", false));
    /* Two instructions for opposite lanes write a register together. */
    struct ir_inst *cvt = the(k, PTX_OP_CVT), *add = cvt + 1;
    *add = *cvt;
    cvt->guard = add->guard = 4;
    add->guard_negated = true;
    ir_delete(nth(k, PTX_OP_ST, 2));
    ir_set_result(k, cvt, 0, 6);
    add->dst = cvt->dst;
    assert_true(ir_verify(k, "test", false));
    ir_free(k);
    ptx_free(module);
}

/* What a kernel reads before it writes it when it is built is the program's own affair, and stays so. */
static void the_program_may_leave_registers_unwritten(void **state)
{
    (void)state;
    static const char unwritten[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
                                    ".reg .b32 %r<4>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\nadd.u32 %r2, %r1, 1;\n"
                                    "st.global.u32 [%rd1], %r2;\nret;\n}\n";
    struct diag_list diags;
    diag_init(&diags);
    module = ptx_parse("test", unwritten, strlen(unwritten), &diags);
    struct ir_kernel *k = ir_build(module, table_get(&module->func_by_name, "k"), address, NULL);
    assert_true(ir_verify(k, "test", false));
    ir_delete(the(k, PTX_OP_ADD));
    assert_false(ir_verify(k, "test", false));
    ir_free(k);
    ptx_free(module);
    diag_release(&diags);
}

/* What may not be left out (effects.h) is looked for where somebody asks. */
static void effects_stay(void **state)
{
    (void)state;
    static const char barriers[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
                                   ".reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<3>;\nld.param.u64 %rd1, [a];\n"
                                   "ld.volatile.global.u32 %r1, [%rd1];\nbar.sync 0;\nld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1], %r1;\n"
                                   "bar.warp.sync -1;\nst.global.u32 [%rd1+4], %r1;\nret;\n}\n";
    static const char *const expected[] = {
        NULL, "an effect is missing, of 'st.global.u32 [%rd1+4], %r1'", "an effect is missing, of 'ld.volatile.global.u32",
        "an effect is there more often than before, of 'st.global.u32 [%rd1], %r1'", "an effect that was not there before",
        "lanes or warps wait for each other in another order than before, of 'bar.sync 0'", "in another order than before, of 'bar.warp.sync -1'",
        NULL,
    };
    setenv("HEDDLE_VERIFY", "1", 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct diag_list diags;
        diag_init(&diags);
        module = ptx_parse("test", barriers, strlen(barriers), &diags);
        struct ir_kernel *k = ir_build(module, table_get(&module->func_by_name, "k"), address, NULL);
        struct ir_inst kept = *the(k, PTX_OP_BAR);
        const struct ir_origin *parts[] = {nth(k, PTX_OP_ST, 0)->from, nth(k, PTX_OP_ST, 1)->from};
        switch (i) {
        case 0: ir_delete(nth(k, PTX_OP_LD, 2)); break; /* nobody asked for it */
        case 1: ir_delete(nth(k, PTX_OP_ST, 1)); break;
        case 2: ir_delete(nth(k, PTX_OP_LD, 1)); break;
        case 3: *nth(k, PTX_OP_LD, 2) = *the(k, PTX_OP_ST); break;
        case 4:
            *nth(k, PTX_OP_LD, 2) = *the(k, PTX_OP_ST);
            nth(k, PTX_OP_ST, 0)->from = ir_origin_at(k, kept.from, NULL);
            break;
        case 5:
            *the(k, PTX_OP_BAR) = *nth(k, PTX_OP_BAR, 1);
            *nth(k, PTX_OP_BAR, 1) = kept;
            break;
        case 6: ir_delete(nth(k, PTX_OP_BAR, 1)); break;
        case 7: /* one access for both stores */
            ir_add_source(k, nth(k, PTX_OP_ST, 1), nth(k, PTX_OP_ST, 1)->src[1]);
            nth(k, PTX_OP_ST, 1)->vec = 2;
            nth(k, PTX_OP_ST, 1)->parts = parts;
            ir_delete(nth(k, PTX_OP_ST, 0));
        }
        ir_verify(k, "test", false);
        if (!k->problems != !expected[i] || (expected[i] && !strstr(k->problems->text, expected[i])))
            fail_msg("'%s' where '%s' is wanted", k->problems ? k->problems->text : "nothing", expected[i] ? expected[i] : "nothing");
        ir_free(k);
        ptx_free(module);
        diag_release(&diags);
    }
    unsetenv("HEDDLE_VERIFY");
}

/* All that the table of instructions has but calls, which the IR has not. */
static void every_row_has_operands(void **state)
{
    (void)state;
    for (int op = PTX_OP_UNKNOWN + 1; op < PTX_OP_COUNT; op++) {
        bool coordinates = op == PTX_OP_TEX || op == PTX_OP_TLD4 || op == PTX_OP_SULD || op == PTX_OP_SUST;
        struct ptx_mods mods = {.variant = coordinates ? PTX_TEX_2D : 0};
        struct ir_inst in = {.op = (uint16_t)op, .mods = &mods, .vec = 1};
        struct ir_operands operands;
        if (op != PTX_OP_CALL && op != PTX_OP_WMMA && (!ir_operands(&in, true, &operands) || !ir_operands(&in, false, &operands)))
            fail_msg("'%s' has no row in operands.def", ptx_op_info[op].id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_complaint),
        cmocka_unit_test(nothing_of_whole_ir),
        cmocka_unit_test(the_program_may_leave_registers_unwritten),
        cmocka_unit_test(effects_stay),
        cmocka_unit_test(every_row_has_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
