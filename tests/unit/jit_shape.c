/* Shapes of registers, against lanes worked out by hand. */
#include "target_test.h"

#include "jit/shape.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n" \
             ".reg .b32 %r<20>;\n.reg .b64 %q<10>;\n.reg .f32 %f<10>;\n.reg .pred %p<10>;\n"

struct known {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct shapes *s;
};

static struct known find(const char *body, uint32_t x, uint32_t y, uint32_t z)
{
    char text[4096];
    const uint32_t dim[3] = {x, y, z};
    struct known f;
    snprintf(text, sizeof text, "%s%s\nst.global.u32 [%%q9], %%r0;\nret;\n}\n", HEAD, body);
    f.m = parse_text("shapes", text);
    f.k = build_kernel(f.m, "k");
    f.s = shapes_find(f.k, dim);
    return f;
}

static void done(struct known *f)
{
    shapes_release(f->s);
    ir_free(f->k);
    ptx_free(f->m);
}

/* The shape of what instruction `site` writes. */
static const struct shape *at(const struct known *f, int32_t site)
{
    assert_true(site < f->k->ninsts && f->k->insts[site].ndst);
    return &f->s->reg[f->k->insts[site].dst[0]];
}

/* Offsets are those that the expression in i gives. */
#define OFFSETS(shape, expression)                              \
    do {                                                        \
        assert_int_equal((shape)->kind, SHAPE_AFFINE);          \
        for (int i = 0; i < SHAPE_LANES; i++)                   \
            assert_int_equal((shape)->offset[i], (expression)); \
    } while (0)

static void test_rows_of_a_warp(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nand.b32 %r3, %r1, 31;\nshr.u32 %r4, %r1, 5;\n"
                          "mov.u32 %r5, %tid.y;\nsub.s32 %r6, 100, %r1;\nand.b32 %r7, %r1, 15;\n", 96, 1, 1);
    OFFSETS(at(&f, 0), i);
    assert_int_equal(at(&f, 0)->zeros, 5); /* lane 0 of a warp has a multiple of 32 */
    assert_true(at(&f, 0)->bounded && at(&f, 0)->low == 0 && at(&f, 0)->high == 64);
    OFFSETS(at(&f, 1), 4 * i);
    OFFSETS(at(&f, 2), i);
    assert_true(shape_uniform(at(&f, 3)));
    assert_true(at(&f, 4)->known && at(&f, 4)->base == 0);
    OFFSETS(at(&f, 5), -i);
    OFFSETS(at(&f, 6), i % 16);
    done(&f);
}

static void test_blocks_of_two_dimensions(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmul.lo.s32 %r3, %r2, 64;\nadd.s32 %r4, %r3, %r1;\n", 16, 16, 1);
    OFFSETS(at(&f, 0), i % 16);
    assert_true(at(&f, 0)->known);
    OFFSETS(at(&f, 1), i / 16);
    OFFSETS(at(&f, 3), i / 16 * 64 + i % 16);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n", 24, 2, 1); /* a warp's rows begin anywhere */
    assert_int_equal(at(&f, 0)->kind, SHAPE_VARYING);
    assert_int_equal(at(&f, 1)->kind, SHAPE_VARYING);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n", 4, 8, 2);
    OFFSETS(at(&f, 0), i % 4);
    OFFSETS(at(&f, 1), i / 4);
    assert_true(shape_uniform(at(&f, 2)));
    done(&f);
}

static void test_indices(void **state)
{
    (void)state;
    int64_t lo, hi;
    const uint32_t dim[3] = {128, 1, 1};
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r2, %r3, %r1;\n"
                          "mul.wide.s32 %q1, %r4, 4;\nmul.lo.s32 %r5, %r1, %r2;\nmul.wide.u32 %q2, %r1, 8;\n", 128, 1, 1);
    OFFSETS(at(&f, 3), i);
    assert_false(at(&f, 3)->bounded); /* the grid is not known */
    OFFSETS(at(&f, 4), 4 * i);
    assert_int_equal(shape_guarded_source(f.k, f.s, dim, &f.k->insts[4], &lo, &hi), 0);
    assert_int_equal(lo, 0);
    assert_int_equal(hi, 31);
    assert_int_equal(at(&f, 5)->kind, SHAPE_VARYING); /* a stride that is not known now */
    OFFSETS(at(&f, 6), 8 * i);
    assert_int_equal(shape_guarded_source(f.k, f.s, dim, &f.k->insts[6], &lo, &hi), -1); /* 0 to 127 cannot wrap */
    done(&f);
}

static void test_wrapping(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, -2;\ncvt.u64.u32 %q1, %r2;\ncvt.s64.s32 %q2, %r2;\n", 32, 4, 1);
    OFFSETS(at(&f, 2), i < 2 ? INT64_C(0xfffffffe) + i : i - 2); /* every lane is known, so lanes 0 and 1 are, too */
    OFFSETS(at(&f, 3), i - 2);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, -2;\ncvt.u64.u32 %q1, %r2;\n", 64, 1, 1);
    assert_int_equal(at(&f, 2)->kind, SHAPE_VARYING); /* it wraps in the first warp, not in the second */
    done(&f);
}

static void test_branches(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nsetp.lt.s32 %p1, %r1, %r2;\nmov.u32 %r3, 1;\nmov.u32 %r4, 5;\n"
                          "@%p1 bra skip;\nmov.u32 %r3, 2;\nloop:\nadd.s32 %r4, %r4, -1;\nsetp.gt.s32 %p2, %r4, 0;\n@%p2 bra loop;\n"
                          "skip:\nadd.s32 %r5, %r3, 1;\nsetp.eq.s32 %p3, %r2, 3;\nmov.u32 %r6, 1;\n@%p3 bra end;\nmov.u32 %r6, 2;\nend:\n"
                          "add.s32 %r7, %r6, 1;\n", 64, 1, 1);
    assert_int_equal(at(&f, 2)->kind, SHAPE_VARYING); /* the predicate */
    assert_true(ir_bit(f.s->parting, 5));
    assert_int_equal(at(&f, 3)->kind, SHAPE_VARYING); /* 1 in some lanes, 2 in others where they meet */
    assert_true(shape_uniform(at(&f, 7)));            /* dead where they meet: one value for all that are there */
    assert_int_equal(at(&f, 10)->kind, SHAPE_VARYING);
    assert_true(shape_uniform(at(&f, 12)));           /* a branch of the whole warp decides */
    assert_true(shape_uniform(at(&f, 15)));
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_warp), cmocka_unit_test(test_blocks_of_two_dimensions), cmocka_unit_test(test_indices),
        cmocka_unit_test(test_wrapping),       cmocka_unit_test(test_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
