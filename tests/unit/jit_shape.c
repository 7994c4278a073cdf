/* Shapes of registers, against lanes worked out by hand. */
#include "target_test.h"

#include "base/alloc.h"
#include "interp/interp.h"
#include "jit/jit_code.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n" \
             ".reg .b16 %h<10>;\n.reg .b32 %r<20>;\n.reg .b64 %q<10>;\n.reg .f32 %f<10>;\n.reg .pred %p<10>;\n"

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
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    const uint32_t dim[3] = {128, 1, 1};
    struct known f = find("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r2, %r3, %r1;\n"
                          "mul.wide.s32 %q1, %r4, 4;\nmul.lo.s32 %r5, %r1, %r2;\nmul.wide.u32 %q2, %r1, 8;\n", 128, 1, 1);
    OFFSETS(at(&f, 3), i);
    assert_false(at(&f, 3)->bounded); /* the grid is not known */
    OFFSETS(at(&f, 4), 4 * i);
    assert_int_equal(shape_guarded_source(f.k, f.s, dim, &f.k->insts[4], lo, hi), 0);
    assert_int_equal(lo[0], 0);
    assert_int_equal(hi[0], 31);
    assert_int_equal(at(&f, 5)->kind, SHAPE_VARYING); /* a stride that is not known now */
    OFFSETS(at(&f, 6), 8 * i);
    assert_int_equal(shape_guarded_source(f.k, f.s, dim, &f.k->insts[6], lo, hi), -1); /* 0 to 127 cannot wrap */
    done(&f);
}

static void test_wrapping(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, -2;\ncvt.u64.u32 %q1, %r2;\ncvt.s64.s32 %q2, %r2;\n", 32, 4, 1);
    OFFSETS(at(&f, 2), i < 2 ? i : i - (INT64_C(1) << 32)); /* every lane is known, so lanes 0 and 1 are, too */
    assert_true(at(&f, 2)->known && at(&f, 2)->base == 0xfffffffe);
    OFFSETS(at(&f, 3), i);
    assert_true(at(&f, 3)->known && (int64_t)at(&f, 3)->base == -2);
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

static void test_what_nobody_set(void **state)
{
    (void)state;
    struct known f = find("mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 9;\nselp.b32 %r5, %r5, %r1, %p1;\nadd.s32 %r6, %r7, 1;\n", 64, 1, 1);
    assert_int_equal(at(&f, 2)->kind, SHAPE_VARYING); /* made of itself, and yet in lanes */
    assert_int_equal(at(&f, 3)->kind, SHAPE_VARYING);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\ncvt.u16.u32 %h1, %r1;\nmov.b32 %r2, {%h1, %h2};\nld.param.u32 %r3, [n];\nsetp.eq.s32 %p1, %r3, 0;\n"
             "@%p1 bra other;\nmov.u32 %r2, %r3;\nother:\nmov.b32 %r0, {%h3, %h4};\n", 64, 1, 1);
    assert_int_equal(at(&f, 2)->kind, SHAPE_VARYING); /* one half was set, and n otherwise */
    assert_int_equal(at(&f, 7)->kind, SHAPE_VARYING);
    done(&f);
}

/* A register said to be one value that is made of what lanes differ in: no code, and the reason. */
static void test_shapes_that_contradict_each_other(void **state)
{
    (void)state;
    static const char *const bodies[] = {"mov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, %r1;\nadd.s32 %r3, %r2, 1;\n",
                                         "mov.u32 %r1, %tid.x;\ncvt.u16.u32 %h1, %r1;\nmov.b32 %r3, {%h1, %h1};\n"};
    for (int i = 0; i < 4; i++) {
        const char *why;
        int32_t site;
        struct known f = find(bodies[i % 2], 64, 1, 1);
        struct interp_code *code = interp_compile(f.k, &why, &site);
        struct plan plan = plan_make(f.k, code, f.s, (uint32_t[]){64, 1, 1}, false, ACCESS_ALL);
        int32_t *spill_slot = plan_spill_slots(f.k, code, f.s);
        struct jit_object o = {0};
        struct jit_job job = {.kernel = f.k, .code = code, .shapes = f.s, .level = "x86-64-v2", .row = plan.row, .access = plan.access,
                              .naccesses = plan.naccesses, .resume = plan.resume, .nresume = plan.nresume, .together = plan.resume,
                              .spill_slot = spill_slot, .unrolled = 1, .dim = {64, 1, 1}};
        if (i >= 2)
            f.s->reg[f.k->insts[2].dst[0]] = f.s->reg[f.k->insts[0].dst[0]];
        assert_int_equal(jit_emit(&job, &o), i < 2);
        if (i < 2)
            o.release(&o);
        else
            assert_non_null(strstr(o.problem, "a fault of Heddle: lanes differ in r"));
        alloc_release(spill_slot);
        plan_release(&plan);
        interp_free(code);
        done(&f);
    }
}

/* Offsets are those that the expression in i gives, in so many groups. */
#define GROUPS(shape, groups, expression)                 \
    do {                                                  \
        OFFSETS(shape, expression);                       \
        assert_int_equal(shape_groups(shape), (groups));  \
        assert_false((shape)->known && (groups) > 1);     \
    } while (0)

#define ROWS "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nld.param.u32 %r3, [n];\nmul.lo.s32 %r4, %r2, %r3;\n"

static void test_groups_of_lanes(void **state)
{
    (void)state;
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    const uint32_t half[3] = {16, 16, 1}, quarter[3] = {8, 8, 1};
    static const char body[] = ROWS "add.s32 %r5, %r4, %r1;\nmul.wide.s32 %q1, %r5, 4;\nld.param.u64 %q2, [p];\nadd.s64 %q3, %q2, %q1;\n"
                               "mad.lo.s32 %r6, %r3, %r2, 7;\nmul.wide.s32 %q4, %r2, %r3;\nsub.s32 %r7, %r1, %r4;\n";
    struct known f = find(body, 16, 16, 1);
    GROUPS(at(&f, 1), 1, i / 16); /* tid.y needs but one scalar */
    GROUPS(at(&f, 3), 2, 0);      /* a row's begin: one for each half of the warp */
    GROUPS(at(&f, 4), 2, i % 16);
    GROUPS(at(&f, 5), 2, 4 * (i % 16));
    GROUPS(at(&f, 7), 2, 4 * (i % 16));
    GROUPS(at(&f, 8), 2, 0);
    GROUPS(at(&f, 9), 2, 0);
    GROUPS(at(&f, 10), 2, i % 16);
    assert_int_equal(shape_guarded_source(f.k, f.s, half, &f.k->insts[5], lo, hi), 0); /* row * n + x may wrap in either row */
    assert_true(!lo[0] && !lo[1] && hi[0] == 15 && hi[1] == 15);
    assert_int_equal(shape_guarded_source(f.k, f.s, half, &f.k->insts[9], lo, hi), -1); /* one value in a group: it may wrap */
    done(&f);
    f = find(body, 8, 8, 1);
    GROUPS(at(&f, 1), 1, i / 8);
    GROUPS(at(&f, 3), 4, 0);
    GROUPS(at(&f, 7), 4, 4 * (i % 8));
    GROUPS(at(&f, 10), 4, i % 8);
    assert_int_equal(shape_guarded_source(f.k, f.s, quarter, &f.k->insts[5], lo, hi), 0);
    for (int g = 0; g < 4; g++)
        assert_true(!lo[g] && hi[g] == 7);
    done(&f);
    f = find(body, 4, 8, 1); /* eight rows: too many */
    GROUPS(at(&f, 1), 1, i / 4);
    assert_int_equal(at(&f, 3)->kind, SHAPE_VARYING);
    done(&f);
    f = find(body, 32, 8, 1); /* a row a warp */
    GROUPS(at(&f, 3), 1, 0);
    GROUPS(at(&f, 7), 1, 4 * i);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 4;\nld.param.u32 %r3, [n];\nmul.lo.s32 %r4, %r2, %r3;\n", 64, 1, 1);
    GROUPS(at(&f, 3), 2, 0); /* the block's size does not matter, but what the lanes hold */
    done(&f);
}

static void test_operations_of_groups(void **state)
{
    (void)state;
    static const char body[] = ROWS /* 0 to 3 */
        "min.s32 %r5, %r2, %r3;\ndiv.s32 %r6, %r4, %r3;\nshr.u32 %r7, %r4, %r3;\ncvt.rn.f32.s32 %f1, %r4;\nmul.f32 %f2, %f1, %f1;\n"
        "ld.shared.f32 %f3, [%r4];\nmov.b32 %f4, %r2;\nmov.b32 %f5, %r1;\nsetp.lt.s32 %p1, %r4, %r3;\nsetp.eq.s32 %p2, %r3, 0;\n"
        "selp.b32 %r8, %r2, %r3, %p2;\nselp.b32 %r9, %r4, 0, %p1;\nand.b32 %r10, %r4, 6;\nshl.b32 %r11, %r4, 2;\nmul.lo.s32 %r12, %r1, %r3;\n"
        "cvt.u64.u32 %q1, %r4;\nadd.s32 %r13, %r2, %r3;\nld.shared.u32 %r14, [%r1];\nmax.u32 %r15, %r1, %r2;\n";
    struct known f = find(body, 16, 16, 1);
    GROUPS(at(&f, 4), 2, 0); /* what is the same in a half stays so, whatever is done to it */
    GROUPS(at(&f, 5), 2, 0);
    GROUPS(at(&f, 6), 2, 0);
    GROUPS(at(&f, 7), 2, 0);
    GROUPS(at(&f, 8), 2, 0);
    GROUPS(at(&f, 9), 2, 0);  /* loaded from one address */
    GROUPS(at(&f, 10), 2, 0); /* bits of a float: nothing to add i / 16 to */
    assert_int_equal(at(&f, 11)->kind, SHAPE_VARYING);
    assert_int_equal(at(&f, 12)->kind, SHAPE_VARYING); /* predicates are one, or bits */
    assert_true(shape_uniform(at(&f, 13)));
    GROUPS(at(&f, 14), 2, 0);
    assert_int_equal(at(&f, 15)->kind, SHAPE_VARYING);
    GROUPS(at(&f, 16), 2, 0);
    GROUPS(at(&f, 17), 2, 0);
    assert_int_equal(at(&f, 18)->kind, SHAPE_VARYING); /* tid.x * n: a stride */
    GROUPS(at(&f, 19), 2, 0);
    GROUPS(at(&f, 20), 1, i / 16);
    assert_int_equal(at(&f, 21)->kind, SHAPE_VARYING);
    assert_int_equal(at(&f, 22)->kind, SHAPE_VARYING);
    done(&f);
}

static void test_meetings_of_groups(void **state)
{
    (void)state;
    static const char body[] = ROWS /* 0 to 3 */
        "setp.lt.s32 %p1, %r3, 9;\nadd.s32 %r5, %r4, %r1;\nmov.u32 %r6, 5;\nmov.u32 %r7, %r1;\nmov.u32 %r8, %r2;\n" /* to 8 */
        "shr.u32 %r9, %r1, 3;\nmul.lo.s32 %r10, %r9, %r3;\nmov.u32 %r11, %r4;\n"                                   /* to 11 */
        "loop:\nadd.s32 %r5, %r5, %r3;\nmov.u32 %r6, %r4;\nadd.s32 %r7, %r7, %r3;\n@%p1 mul.lo.s32 %r8, %r8, %r3;\n@%p1 mov.u32 %r11, %r10;\n"
        "add.s32 %r12, %r5, %r6;\nadd.s32 %r13, %r8, %r11;\nadd.s32 %r3, %r3, -1;\nsetp.gt.s32 %p2, %r3, 0;\n@%p2 bra loop;\n"
        "add.s32 %r0, %r7, %r12;\nadd.s32 %r0, %r0, %r13;\nadd.s32 %r0, %r0, %r5;\nadd.s32 %r0, %r0, %r6;\nadd.s32 %r0, %r0, %r8;\nadd.s32 %r0, %r0, %r11;\n";
    struct known f = find(body, 16, 16, 1);
    GROUPS(at(&f, 5), 2, i % 16); /* steps of n */
    GROUPS(at(&f, 6), 2, 0);      /* 5, and a row's begin */
    GROUPS(at(&f, 7), 1, i % 16); /* nothing needs a second group */
    GROUPS(at(&f, 8), 2, 0);      /* tid.y, and its product */
    GROUPS(at(&f, 10), 4, 0);     /* (tid.x / 8) * n */
    GROUPS(at(&f, 11), 4, 0);     /* halves, and quarters */
    GROUPS(at(&f, 17), 2, i % 16);
    GROUPS(at(&f, 18), 4, 0);
    done(&f);
    f = find("mov.u32 %r1, %tid.x;\nld.param.u32 %r3, [n];\nloop:\nadd.s32 %r1, %r1, 32;\nsetp.gt.s32 %p2, %r3, 0;\n@%p2 bra loop;\n"
             "add.s32 %r0, %r1, 0;\n", 32, 4, 1);
    GROUPS(at(&f, 0), 1, i); /* known at first, one scalar in the loop */
    assert_false(at(&f, 0)->known);
    done(&f);
}

/* 0 1 .. 31 in four groups: bases 0 8 16 24 above the base. */
/* Which registers may hold any NaN: sums, and what is moved or shuffled from those alone. */
static void test_lazy_registers(void **state)
{
    (void)state;
    struct known f = find("add.f32 %f1, %f0, 0f3f800000;\nshfl.sync.down.b32 %f2, %f1, 1, 31, -1;\nmov.f32 %f3, %f2;\n"
                          "ld.global.f32 %f4, [%q1];\nmov.f32 %f5, %f4;\nshfl.sync.down.b32 %f6, %f5, 1, 31, -1;\n"
                          "mul.f32 %f7, %f6, %f3;\nmov.f32 %f3, %f7;\nst.global.f32 [%q1], %f3;\n", 32, 1, 1);
    const bool lazy[] = {true, true, true, false, false, false, true, true};
    for (int i = 0; i < 8; i++)
        assert_int_equal(f.s->lazy[f.k->insts[i].dst[0]], lazy[i]);
    done(&f);
}

static void test_shapes_in_more_groups(void **state)
{
    (void)state;
    struct shape s = {.kind = SHAPE_AFFINE, .zeros = 5, .bounded = true, .low = -32, .high = 64}, q;
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = i;
    q = shape_in_groups(&s, 2, 32);
    GROUPS(&q, 4, i % 8);
    assert_int_equal(q.zeros, 3);
    assert_true(q.bounded && q.low == -32 && q.high == 88);
    assert_int_equal(shape_flat(&s, 0), -1);
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = i < 16 ? 0 : INT32_MIN + i % 16; /* a base, and one that wraps */
    q = shape_in_groups(&s, 1, 32);
    GROUPS(&q, 2, i < 16 ? 0 : i % 16);
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = i / 8;
    assert_int_equal(shape_flat(&s, 0), 2);
    s.halved = 2;
    memset(s.offset, 0, sizeof s.offset);
    assert_int_equal(shape_flat(&s, 0), 2);
    assert_false(shape_uniform(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_warp), cmocka_unit_test(test_blocks_of_two_dimensions), cmocka_unit_test(test_indices),
        cmocka_unit_test(test_wrapping),       cmocka_unit_test(test_branches),
        cmocka_unit_test(test_groups_of_lanes), cmocka_unit_test(test_operations_of_groups), cmocka_unit_test(test_meetings_of_groups),
        cmocka_unit_test(test_lazy_registers),
        cmocka_unit_test(test_shapes_in_more_groups), cmocka_unit_test(test_what_nobody_set),
        cmocka_unit_test(test_shapes_that_contradict_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
