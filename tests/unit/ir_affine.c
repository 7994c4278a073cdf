/* Sums of sources: what an instruction's result goes up by, by hand. */
#include "target_test.h"

#include "ir/affine.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" \
             ".reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n.reg .f32 %f<4>;\n.reg .pred %p<2>;\n"

enum { OTHER = 1000000 };

/* The second source is known to be 6, whatever it is. */
static bool six(const void *known, const struct ir_inst *in, int i, uint64_t *bits)
{
    (void)known, (void)in;
    *bits = 6;
    return i == 1;
}

/* Of a kernel's first instruction; sources go up by a, b and c. OTHER: by no known number. */
static int64_t step(const char *text, affine_number *number, int64_t a, int64_t b, int64_t c)
{
    const int64_t by[] = {a, b, c};
    int64_t sum = 0;
    struct affine of;
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s\nret;\n}\n", HEAD, text);
    struct ptx_module *m = parse_text("affine", whole);
    struct ir_kernel *k = build_kernel(m, "k");
    bool known = affine_of(&k->insts[0], number, NULL, &of) && affine_step(&of, by, &sum);
    ir_free(k);
    ptx_free(m);
    return known ? sum : OTHER;
}

static void test_sums(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t by[3], sum;
    } cases[] = {
        {"mov.u32 %r0, %r1;", {3}, 3},
        {"cvta.to.global.u64 %q0, %q1;", {-8}, -8},
        {"add.s32 %r0, %r1, %r2;", {3, 4}, 7},
        {"add.s32 %r0, %r1, %r2;", {INT32_MAX, 1}, INT32_MIN}, /* of 32 bits */
        {"add.s64 %q0, %q1, %q2;", {INT32_MAX, 1}, INT64_C(1) << 31},
        {"sub.s32 %r0, %r1, %r2;", {3, 4}, -1},
        {"shl.b32 %r0, %r1, 4;", {-3}, -48},
        {"shl.b32 %r0, %r1, 32;", {1}, OTHER},
        {"shl.b32 %r0, %r1, %r2;", {1}, OTHER},
        {"mul.lo.s32 %r0, %r1, 5;", {3}, 15},
        {"mul.lo.s32 %r0, -5, %r1;", {0, 3}, -15},
        {"mul.lo.s32 %r0, %r1, %r2;", {3, 0}, OTHER},
        {"mul.lo.s32 %r0, %r1, %r2;", {0, 0}, 0}, /* of what does not go up, any product is the same */
        {"mad.lo.s32 %r0, %r1, 5, %r2;", {3, 0, 1}, 16},
        {"mad.lo.s32 %r0, %r1, %r2, %r3;", {0, 0, 9}, 9},
        {"mad.lo.s32 %r0, %r1, %r2, %r3;", {1, 0, 9}, OTHER},
        {"mul.wide.s32 %q0, %r1, -4;", {2}, -8}, /* the number has the operation's sign */
        {"mul.wide.u32 %q0, %r1, -4;", {2}, 2 * INT64_C(0xfffffffc)},
        {"mad.wide.u32 %q0, %r1, 8, %q1;", {2, 0, -1}, 15},
        {"cvt.u32.u64 %r0, %q1;", {(INT64_C(1) << 32) + 5}, 5},
        {"cvt.rn.f32.s32 %f0, %r1;", {1}, OTHER},
        {"cvt.rzi.s32.f32 %r0, %f1;", {1}, OTHER},
        {"add.sat.s32 %r0, %r1, %r2;", {1, 1}, OTHER},
        {"add.cc.u32 %r0, %r1, %r2;", {1, 1}, OTHER},
        {"add.f32 %f0, %f1, %f2;", {1, 1}, OTHER},
        {"and.b32 %r0, %r1, 7;", {1}, OTHER},
        {"mul.hi.u32 %r0, %r1, 7;", {1}, OTHER},
        {"mov.b64 %q0, {%r1, %r2};", {1, 0}, OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (step(cases[i].text, affine_immediate, cases[i].by[0], cases[i].by[1], cases[i].by[2]) != cases[i].sum)
            fail_msg("%s", cases[i].text);
}

/* What is known of a register counts like an immediate. */
static void test_known_registers(void **state)
{
    (void)state;
    assert_int_equal(step("mul.lo.s32 %r0, %r1, %r2;", six, 2, 0, 0), 12);
    assert_int_equal(step("mad.lo.s32 %r0, %r1, %r2, %r3;", six, 2, 0, 1), 13);
    assert_int_equal(step("shl.b32 %r0, %r1, %r2;", six, 1, 0, 0), 64);
}

/* In how many bits sources are read. */
static void test_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int bits, of[3];
    } cases[] = {{"mad.wide.s32 %q0, %r1, 8, %q1;", 64, {32, 32, 64}}, {"mad.lo.s64 %q0, %q1, 8, %q2;", 64, {64, 64, 64}},
                 {"cvt.s64.s32 %q0, %r1;", 64, {32}}, {"cvt.u32.u64 %r0, %q1;", 32, {64}}, {"cvt.u32.u16 %r0, %h1;", 32, {16}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[1024];
        struct affine of;
        snprintf(whole, sizeof whole, "%s%s\nret;\n}\n", HEAD, cases[i].text);
        struct ptx_module *m = parse_text("affine", whole);
        struct ir_kernel *k = build_kernel(m, "k");
        assert_true(affine_of(&k->insts[0], affine_immediate, NULL, &of));
        assert_int_equal(of.bits, cases[i].bits);
        for (int j = 0; j < of.n; j++)
            assert_int_equal(of.of[j].bits, cases[i].of[j]);
        ir_free(k);
        ptx_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_known_registers), cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
