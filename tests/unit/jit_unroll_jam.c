/* What a warp's registers have more than the one's before it, and how many warps go together, by hand. */
#include "target_test.h"

#include "jit/unroll_jam.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n" \
             ".reg .b16 %h<10>;\n.reg .b32 %r<20>;\n.reg .b64 %q<10>;\n.reg .f32 %f<40>;\n.reg .pred %p<10>;\n"

struct known {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct shapes *s;
    struct unroll_jam_steps *steps;
};

static struct known find(const char *body, uint32_t x, uint32_t y, int warps)
{
    char text[4096];
    const uint32_t dim[3] = {x, y, 1};
    struct known f;
    snprintf(text, sizeof text, "%s%s\nst.global.u32 [%%q9], %%r0;\nret;\n}\n", HEAD, body);
    f.m = parse_text("jam", text);
    f.k = build_kernel(f.m, "k");
    f.s = shapes_find(f.k, dim);
    f.steps = unroll_jam_find(f.k, f.s, dim, warps ? UNROLL_JAM_WARPS : UNROLL_JAM_ROW, warps, NULL);
    return f;
}

static void done(struct known *f)
{
    unroll_jam_steps_release(f->steps);
    shapes_release(f->s);
    ir_free(f->k);
    ptx_free(f->m);
}

enum { OTHER = 1000000 };

/* Of what instruction `site` writes; OTHER: it is not known. */
static int64_t step(const struct known *f, int32_t site)
{
    int32_t r = f->k->insts[site].dst[0];
    return ir_bit(f->steps->known, r) ? f->steps->by[r] : OTHER;
}

static void test_rows(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.y;\nld.param.u32 %r4, [n];\n"
                          "mad.lo.s32 %r5, %r3, 16, %r2;\nmul.lo.s32 %r6, %r5, %r4;\nmul.wide.u32 %q1, %r2, 64;\n"
                          "sub.s32 %r7, 5, %r5;\nshl.b32 %r8, %r7, 3;\nmul.lo.s32 %r9, %r3, %r4;\n", 16, 16, 4);
    assert_int_equal(step(&f, 0), 0);  /* a warp is two rows of 16: x is the same in each, */
    assert_int_equal(step(&f, 1), 2);  /* and y two more */
    assert_int_equal(step(&f, 2), 0);
    assert_int_equal(step(&f, 3), 0);
    assert_int_equal(step(&f, 4), 2);
    assert_int_equal(step(&f, 5), OTHER); /* 2 n */
    assert_int_equal(step(&f, 6), 128);
    assert_int_equal(step(&f, 7), -2);
    assert_int_equal(step(&f, 8), -16);
    assert_int_equal(step(&f, 9), 0);
    done(&f);
}

static void test_groups_of_warps(void **state)
{
    (void)state;
    static const char both[] = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %warpid;\n";
    struct known f = find(both, 128, 2, 4); /* a group is a row */
    assert_int_equal(step(&f, 0), 32);
    assert_int_equal(step(&f, 1), 0);
    assert_int_equal(step(&f, 2), 1);
    done(&f);
    f = find(both, 64, 4, 4); /* two rows: x is 0, 32, 0, 32 */
    assert_int_equal(step(&f, 0), OTHER);
    assert_int_equal(step(&f, 1), OTHER);
    done(&f);
    f = find(both, 32, 8, 8);
    assert_int_equal(step(&f, 0), 0);
    assert_int_equal(step(&f, 1), 1);
    done(&f);
}

static void test_what_is_set_twice(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\nmov.u32 %r3, %r1;\nmov.u32 %r4, %r1;\nadd.s32 %r5, %r1, 1;\nL:\n"
                          "add.s32 %r2, %r2, 3;\nadd.s32 %r3, %r3, 4;\nadd.s32 %r4, %r4, %r1;\nmov.u32 %r6, %clock;\n"
                          "setp.lt.s32 %p1, %r2, 100;\n@%p1 bra L;\n", 256, 1, 8);
    assert_int_equal(step(&f, 4), 32);
    assert_int_equal(step(&f, 5), 0);     /* a counter */
    assert_int_equal(step(&f, 6), 32);    /* one that began at tid */
    assert_int_equal(step(&f, 7), OTHER); /* 32 more in the first turn, 64 in the second */
    assert_int_equal(step(&f, 8), OTHER); /* time */
    assert_int_equal(step(&f, 9), 0);     /* a predicate */
    done(&f);
}

static void test_blocks_of_a_row(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %warpid;\nshl.b32 %r5, %r2, 9;\n"
                          "add.s32 %r6, %r5, %r1;\nmul.wide.s32 %q1, %r6, 4;\nmul.lo.s32 %r7, %r2, %r3;\n", 256, 1, 0);
    static const int64_t want[] = {0, 1, 0, 0, 512, 512, 2048, OTHER};
    for (int32_t i = 0; i < 8; i++)
        assert_int_equal(step(&f, i), want[i]);
    done(&f);
}

/* Of words whose other half nobody set, and of what is only ever made of itself, nothing is known. */
static void test_what_nobody_set(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\ncvt.u16.u32 %h1, %r1;\nmov.b32 %r2, {%h1, %h2};\nmov.b32 %r0, {%h3, %h4};\nL:\n"
                          "add.u16 %h5, %h5, 1;\nmov.b32 %r3, {%h1, %h5};\nsetp.lt.s32 %p1, %r2, 100;\n@%p1 bra L;\n", 256, 1, 8);
    assert_int_equal(step(&f, 2), OTHER);
    assert_int_equal(step(&f, 3), OTHER);
    assert_int_equal(step(&f, 4), OTHER);
    assert_int_equal(step(&f, 5), OTHER);
    done(&f);
}

/* Registers that lanes differ in: as many warps as there is room for. */
static void test_how_many(void **state)
{
    (void)state;
    static const char loop[] = "ld.param.u64 %q1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %q2, %r1, 4;\nadd.s64 %q9, %q1, %q2;\nmov.u32 %r2, 0;\n"
                               "ld.global.f32 %f1, [%q9];\nL:\nfma.rn.f32 %f1, %f1, %f1, %f1;\nadd.s32 %r2, %r2, 1;\n"
                               "setp.lt.s32 %p1, %r2, 100;\n@%p1 bra L;\nst.global.f32 [%q9], %f1;\n";
    static const struct {
        uint32_t threads;
        const char *level;
        int warps;
    } cases[] = {{256, "x86-64-v4", 8}, {512, "x86-64-v4", 4}, {96, "x86-64-v4", 1}, {64, "x86-64-v4", 2},
                 {256, "x86-64-v3", 2}, {256, "x86-64-v2", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct known f = find(loop, cases[i].threads, 1, 2);
        const uint32_t dim[3] = {cases[i].threads, 1, 1};
        struct unroll_jam_steps *steps = unroll_jam_find(f.k, f.s, dim, UNROLL_JAM_WARPS, (int)cases[i].threads / 32, NULL);
        assert_int_equal(unroll_jam_room(f.k, f.s, steps, cases[i].level, (int)cases[i].threads / 32), cases[i].warps);
        unroll_jam_steps_release(steps);
        done(&f);
    }
}

/* A widening product reads the number with its sign. */
static void test_negative_numbers(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.y;\nmul.wide.s32 %q1, %r1, -16;\nmad.wide.s32 %q2, -4, %r1, 5;\nmul.lo.s32 %r2, %r1, -3;\n", 32, 8, 8);
    assert_int_equal(step(&f, 1), -16);
    assert_int_equal(step(&f, 2), -4);
    assert_int_equal(step(&f, 3), -3);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_groups_of_warps),
                                       cmocka_unit_test(test_what_is_set_twice), cmocka_unit_test(test_blocks_of_a_row), cmocka_unit_test(test_what_nobody_set),
                                       cmocka_unit_test(test_how_many), cmocka_unit_test(test_negative_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
