/* Order and registers of the machine code: small kernels worked by hand. The beginning of each (target_test.h): R1 is the stack pointer, a
 * pointer, two loads. */
#include "target_test.h"

#include "target/code.h"
#include "target/fit.h"

struct made {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct code *c;
};

static struct made make(const char *statements, enum target_step after)
{
    struct made a;
    a.k = rewritten_of(statements, &a.m);
    a.c = target_code(a.k, 90, after);
    return a;
}

static void drop(struct made *a)
{
    code_free(a->c);
    ir_free(a->k);
    ptx_free(a->m);
}

/* Where the n-th instruction of the operation stands, or -1. */
static int32_t at(const struct code *c, enum machine_op op, int n)
{
    for (int32_t i = 0; i < c->ninsts; i++)
        if (c->insts[i].op == op && n-- == 0)
            return i;
    return -1;
}

static int registers(const char *statements)
{
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    int n = target_tables(k, &k->arena, ARCH_USUAL)->registers;
    ir_free(k);
    ptx_free(m);
    return n;
}

/* Loads begin before what waits for the first of them. */
static void loads_first(void **state)
{
    (void)state;
    static const char text[] = "ld.global.f32 %f3, [%rd2+64]; add.f32 %f1, %f1, %f3; ld.global.f32 %f4, [%rd2+128]; add.f32 %f1, %f1, %f4;"
                               "ld.global.f32 %f5, [%rd2+256]; add.f32 %f1, %f1, %f5;";
    struct made a = make(text, TARGET_LAID_OUT), b = make(text, TARGET_SCHEDULED);
    assert_true(at(a.c, OP_FADD, 0) < at(a.c, OP_LDG, 3));
    assert_true(at(b.c, OP_FADD, 0) > at(b.c, OP_LDG, 3));
    assert_int_equal(a.c->ninsts, b.c->ninsts);
    assert_int_equal(b.c->insts[0].op, OP_LDC); /* the stack pointer comes first */
    assert_int_equal(b.c->insts[b.c->ninsts - 1].op, OP_EXIT);
    drop(&a);
    drop(&b);
}

/* A load stays behind a store that may be of the same bytes, and on its side of a barrier; one of another space does not. */
static void memory_in_order(void **state)
{
    (void)state;
    struct made a = make("st.global.f32 [%rd2+64], %f1; ld.global.f32 %f3, [%rd2+128]; add.f32 %f1, %f2, %f3;", TARGET_SCHEDULED);
    assert_true(at(a.c, OP_STG, 0) < at(a.c, OP_LDG, 2));
    drop(&a);
    a = make("st.global.f32 [%rd2+64], %f1; ld.const.f32 %f3, [%rd2]; bar.sync 0; ld.global.f32 %f4, [%rd2+128]; add.f32 %f1, %f3, %f4;", TARGET_SCHEDULED);
    assert_true(at(a.c, OP_BAR, 0) < at(a.c, OP_LDG, 1));
    assert_true(at(a.c, OP_STG, 0) < at(a.c, OP_BAR, 0));
    drop(&a);
}

/* Every pair begins at an even register, R1 is nobody else's, and no two values alive at once are in one register: an instruction writes
 * what is still read of another nowhere in this straight line. */
static void places(void **state)
{
    (void)state;
    struct made a = make(".reg .f64 %fd<8>; cvt.f64.f32 %fd1, %f1; cvt.f64.f32 %fd2, %f2; add.f64 %fd3, %fd1, %fd2; mul.f64 %fd4, %fd3, %fd1; fma.rn.f64 %fd5, %fd4, %fd3, %fd2;"
                         "cvt.rn.f32.f64 %f1, %fd5;", TARGET_ALLOCATED);
    for (int32_t i = 0; i < a.c->ninsts; i++) {
        const struct machine_inst *in = &a.c->insts[i];
        for (int r = 0; r < in->nresults; r++) {
            if (in->result[r].file != FILE_REGISTER)
                continue;
            if (in->result[r].words == 2)
                assert_int_equal(in->result[r].number % 2, 0);
            assert_int_equal(in->result[r].number == 1, i == 0);
            assert_true(in->result[r].number + in->result[r].words <= 255);
        }
    }
    drop(&a);
}

/* 40 loaded words, all of which are stored behind the last load. */
static void counted(void **state)
{
    (void)state;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&s, "ld.global.f32 %%f%d, [%%rd2+%d];\n", 10 + i, 64 * i + 64);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&s, "st.global.f32 [%%rd2+%d], %%f%d;\n", 32768 + 64 * i, 10 + i);
    /* 40 words, %f1, the pointer's pair, R1: 44, two above, and one that no pair begins at */
    int n = registers(s.s);
    if (n < 46 || n > 47)
        fail_msg("%d registers for 44 words", n);
    strbuf_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_first), cmocka_unit_test(memory_in_order), cmocka_unit_test(places), cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
