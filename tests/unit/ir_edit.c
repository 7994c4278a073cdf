/* Operand lists: of any length, and a copy of an instruction does not see what is done to the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/arena.h"
#include "ir/edit.h"

static struct ir_kernel k;

static int setup(void **state)
{
    (void)state;
    arena_init(&k.arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&k.arena);
    return 0;
}

static void lists_of_any_length(void **state)
{
    (void)state;
    struct ir_inst in = {.op = PTX_OP_MMA};
    int32_t reg[IR_OPERANDS];
    for (int i = 0; i < IR_OPERANDS; i++)
        reg[i] = 3 * i;
    ir_set_results(&k, &in, IR_OPERANDS, reg);
    for (int i = 0; i < 300; i++)
        ir_add_source(&k, &in, ir_of_reg(i));
    assert_int_equal(in.ndst, 512);
    assert_int_equal(in.dst[511], 1533);
    assert_int_equal(in.nsrc, 300);
    assert_int_equal(in.src[0].reg, 0);
    assert_int_equal(in.src[299].reg, 299);
    ir_set_sources(&k, &in, 0, NULL);
    assert_int_equal(in.nsrc, 0);
}

static void one_by_one(void **state)
{
    (void)state;
    struct ir_inst in = {.op = PTX_OP_FMA};
    IR_SET_RESULTS(&k, &in, 4, IR_NOREG);
    IR_SET_SOURCES(&k, &in, ir_of_reg(7), ir_of_value(0x3f800000), ir_of_reg(9));
    assert_int_equal(in.ndst, 2);
    assert_int_equal(in.dst[1], IR_NOREG);
    assert_int_equal(in.nsrc, 3);
    assert_int_equal(in.src[1].kind, IR_SRC_IMM);
    assert_int_equal(in.src[1].imm, 0x3f800000);
    assert_int_equal(in.src[2].reg, 9);
}

static void copies_share_and_do_not_see_changes(void **state)
{
    (void)state;
    struct ir_inst a = {.op = PTX_OP_ADD}, b;
    IR_SET_RESULTS(&k, &a, 1);
    IR_SET_SOURCES(&k, &a, ir_of_reg(2), ir_of_reg(3));
    b = a;
    assert_ptr_equal(a.src, b.src);
    ir_set_source(&k, &b, 1, ir_of_value(5));
    ir_set_result(&k, &b, 0, 8);
    assert_int_equal(a.src[1].kind, IR_SRC_REG);
    assert_int_equal(a.src[1].reg, 3);
    assert_int_equal(a.dst[0], 1);
    assert_int_equal(b.src[0].reg, 2);
    assert_int_equal(b.src[1].imm, 5);
    assert_int_equal(b.dst[0], 8);
    ir_add_source(&k, &a, ir_of_reg(6));
    assert_int_equal(a.nsrc, 3);
    assert_int_equal(b.nsrc, 2);
}

static void deleted(void **state)
{
    (void)state;
    struct ir_inst in = {.op = PTX_OP_ADD, .guard = 3, .id = 17};
    IR_SET_RESULTS(&k, &in, 1);
    ir_delete(&in);
    assert_int_equal(in.op, IR_OP_DELETED);
    assert_int_equal(in.ndst + in.nsrc, 0);
    assert_int_equal(in.guard, IR_NOREG);
    assert_int_equal(in.id, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_any_length),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(copies_share_and_do_not_see_changes),
        cmocka_unit_test(deleted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
