/* Where warps end a turn, and for which launches, in kernels looked at by hand. */
#include "target_test.h"

#include "interp/code.h"
#include "interp/interp.h"
#include "base/file.h"
#include "space/space.h"

#include <dirent.h>

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)\n{\n" \
             ".reg .b32 %r<20>;\n.reg .b64 %q<16>;\n.reg .pred %p<10>;\n"                                                         \
             "ld.param.u64 %q0, [x];\nld.param.u64 %q1, [y];\nld.param.u32 %r9, [n];\n" /* instructions 0 to 2 */                  \
             "mov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\nadd.s64 %q3, %q0, %q2;\nadd.s64 %q4, %q1, %q2;\n" /* 3 to 6 */
#define LOOP "L:\nadd.u32 %r1, %r1, %r5;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r9;\n@%p1 bra L;\n"

enum { BEFORE = 7 }; /* instructions of HEAD */

struct found {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct interp_code *c;
};

static struct found find(const char *body)
{
    struct found f;
    const char *problem = NULL;
    int32_t site;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "%s%sret;\n}\n", HEAD, body);
    f.m = parse_text("turns", text.s);
    f.k = build_kernel(f.m, "k");
    f.c = interp_compile(f.k, &problem, &site);
    assert_null(problem);
    strbuf_release(&text);
    return f;
}

static void done(struct found *f)
{
    interp_free(f->c);
    ir_free(f->k);
    ptx_free(f->m);
}

static bool is_behind_barrier(const struct interp_code *c, int turn)
{
    for (int32_t i = 0; i < c->turns.npairs; i++)
        if (c->turns.pair[i].turn == turn)
            return true;
    return false;
}

/* The place of a kind, or -1. There is at most one. */
static int32_t site_in(const struct found *f, bool begin)
{
    int32_t site = -1;
    for (int i = 0; i < f->c->turns.n; i++)
        if (begin ? f->c->turns.at[i].reads != 0 : is_behind_barrier(f->c, i)) {
            assert_int_equal(site, -1);
            site = f->c->turns.at[i].site;
        }
    return site;
}

static int32_t site_of(const char *body)
{
    struct found f = find(body);
    int32_t site = site_in(&f, true);
    done(&f);
    return site;
}

static bool matters(const struct found *f, const struct space *s, const void *params)
{
    uint32_t dim[3] = {256, 1, 1}, grid[3] = {4, 1, 1};
    return turns_wanted(f->c, &(struct range_launch){.dim = dim, .grid = grid, .params = params}, s) != 0;
}

static void test_where(void **state)
{
    (void)state;
    /* loads x, loops, stores x: behind the instruction before the loop */
    assert_int_equal(site_of("ld.global.u32 %r1, [%q3];\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n" LOOP "st.global.u32 [%q3], %r1;\n"), BEFORE + 2);
    /* a uniform branch decides whether there is a turn of the loop: still right before it */
    assert_int_equal(site_of("ld.global.u32 %r1, [%q3];\nmov.u32 %r2, 0;\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra E;\nmov.u32 %r5, 3;\n" LOOP
                             "E:\nst.global.u32 [%q3], %r1;\n"), BEFORE + 4);
    /* lanes decide, and those that do not turn store, too: before the branch */
    assert_int_equal(site_of("ld.global.u32 %r1, [%q3];\nmov.u32 %r2, 0;\nsetp.lt.u32 %p2, %r0, 7;\n@%p2 bra E;\nmov.u32 %r5, 3;\n" LOOP
                             "E:\nst.global.u32 [%q3], %r1;\n"), BEFORE + 2);
    /* lanes decide, and those that do not turn are done */
    assert_int_equal(site_of("setp.ge.u32 %p2, %r0, %r9;\n@%p2 bra E;\nld.global.u32 %r1, [%q3];\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n" LOOP
                             "st.global.u32 [%q3], %r1;\nE:\n"), BEFORE + 4);
    /* an atomic is a write; the last plain instruction is the load itself */
    assert_int_equal(site_of("mov.u32 %r2, 0;\nmov.u32 %r5, 3;\nld.global.u32 %r1, [%q3];\n" LOOP "red.global.add.u32 [%q4], %r1;\n"), BEFORE + 2);
}

static void test_where_not(void **state)
{
    (void)state;
#define INIT "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n"
    assert_int_equal(site_of("ld.global.u32 %r1, [%q3];\nst.global.u32 [%q3], %r1;\n"), -1);       /* no loop */
    assert_int_equal(site_of(INIT LOOP "st.global.u32 [%q3], %r1;\n"), -1);                        /* nothing is read before it */
    assert_int_equal(site_of(INIT "ld.global.nc.u32 %r1, [%q4];\n" LOOP "st.global.u32 [%q3], %r1;\n"), -1); /* nobody may write that */
    assert_int_equal(site_of(INIT "ld.global.u32 %r1, [%q4];\n" LOOP), -1);                        /* nothing is written behind it */
    assert_int_equal(site_of(INIT "ld.global.u32 %r1, [%q4];\nbar.sync 0;\n" LOOP "st.global.u32 [%q3], %r1;\n"), -1); /* all wait anyway */
    assert_int_equal(site_of(INIT "ld.global.u32 %r1, [%q4];\n" LOOP "bar.sync 0;\nst.global.u32 [%q3], %r1;\n"), -1);
}

static void test_when(void **state)
{
    (void)state;
    struct space s;
    uint64_t a, b;
    const char *why;
    assert_int_equal(space_open(&s, 0, UINT64_C(1) << 30, &why), SPACE_OK);
    assert_int_equal(space_alloc(&s, 4096, SPACE_PROGRAM, NULL, &a), SPACE_OK);
    assert_int_equal(space_alloc(&s, 4096, SPACE_PROGRAM, NULL, &b), SPACE_OK);
    struct found f = find("ld.global.u32 %r1, [%q4];\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n" LOOP "st.global.u32 [%q3], %r1;\n");
    const struct {
        uint64_t x, y;
        bool matters;
    } launch[] = {
        {a, b, false}, {a, a, true}, {a, a + 1024, true}, {b + 8, b, true}, {0, 0, false} /* no allocations */
    };
    assert_int_equal(site_in(&f, true), BEFORE + 2);
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        uint64_t params[3] = {launch[i].x, launch[i].y, 100};
        assert_int_equal(matters(&f, &s, params), launch[i].matters);
    }
    done(&f);
    /* The address was loaded: it may be any. */
    f = find("ld.global.u64 %q5, [%q4];\nld.global.u32 %r1, [%q5];\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n" LOOP "st.global.u32 [%q3], %r1;\n");
    uint64_t params[3] = {a, b, 100};
    assert_true(matters(&f, &s, params));
    done(&f);
    space_close(&s);
}

/* --- behind barriers --- */

/* Two shared variables, the lane's and the warp's number: %r6 and %r7. The second variable's address of this thread: %q7. */
#define VARIABLES ".shared .align 4 .b8 a[128];\n.shared .align 4 .b8 b[4096];\n"
#define BARRIER_HEAD                                                                                                                \
    "mov.u64 %q5, a;\nmov.u64 %q6, b;\nand.b32 %r6, %r0, 31;\nshr.u32 %r7, %r0, 5;\n"        /* 7 to 10 */                          \
    "add.s64 %q7, %q6, %q2;\nmul.wide.u32 %q10, %r7, 4;\nadd.s64 %q8, %q5, %q10;\n"            /* 11 to 13: %q8 is a[warp] */          \
    "setp.eq.u32 %p3, %r6, 0;\nsetp.eq.u32 %p4, %r7, 0;\nsetp.eq.u32 %p5, %r0, 0;\n"         /* 14 to 16: lane 0, warp 0, thread 0 */ \
    "mul.wide.u32 %q11, %r6, 4;\nadd.s64 %q9, %q5, %q11;\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n"  /* 17 to 20: %q9 is a[lane] */          \
    "bar.sync 0;\n"                                                                          /* 21 */
enum { BEHIND = 22 };

/* The place in a kernel with this text behind its first barrier. */
static int32_t behind(const char *body)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "%s%s", VARIABLES BARRIER_HEAD, body);
    struct found f = find(text.s);
    int32_t site = site_in(&f, false);
    done(&f);
    strbuf_release(&text);
    return site;
}

static void test_behind_barrier(void **state)
{
    (void)state;
    /* all read a[0], loop, and each warp stores to a: behind the last instruction before the loop */
    assert_int_equal(behind("ld.shared.u32 %r1, [a];\nmov.u32 %r8, 1;\n" LOOP "@%p3 st.shared.u32 [%q8], %r1;\nbar.sync 0;\n"), BEHIND + 1);
    /* without a loop, in a branch that one lane takes: the last instruction before the branch */
    assert_int_equal(behind("ld.shared.u32 %r1, [a];\nmov.u32 %r8, 1;\n@!%p3 bra E;\nst.shared.u32 [%q8], %r8;\nE:\nbar.sync 0;\n"), BEHIND + 1);
    /* the same without a branch: the store is the block's own */
    assert_int_equal(behind("ld.shared.u32 %r1, [a];\nst.shared.u32 [%q8], %r1;\nmov.u32 %r8, 1;\nbar.sync 0;\n"), BEHIND);
    /* a[lane], which some lanes of each warp read */
    assert_int_equal(behind("setp.gt.u32 %p2, %r6, 7;\n@%p2 bra D;\nld.shared.u32 %r1, [%q9];\nD:\nmov.u32 %r8, 1;\n"
                            "@%p3 st.shared.u32 [%q8], %r8;\nbar.sync 0;\n"), BEHIND + 3);
    /* x[0] in global memory, written through the same parameter */
    assert_int_equal(behind("ld.global.u32 %r1, [%q0];\nmov.u32 %r8, 1;\n" LOOP "@%p5 st.global.u32 [%q0], %r1;\nbar.sync 0;\n"), BEHIND + 1);
    /* a loop with the barrier in it: the next turn's store */
    assert_int_equal(behind("T:\n@%p3 st.shared.u32 [%q8], %r1;\nbar.sync 0;\nld.shared.u32 %r1, [%q9];\nadd.u32 %r2, %r2, 1;\n"
                            "setp.lt.u32 %p1, %r2, %r9;\n@%p1 bra T;\n"), BEHIND + 4);
}

static void test_not_behind_barrier(void **state)
{
    (void)state;
#define ALL_READ "ld.shared.u32 %r1, [a];\n"
#define ALL_STORE "@%p3 st.shared.u32 [%q8], %r1;\n"
    assert_int_equal(behind(ALL_READ LOOP "bar.sync 0;\n" ALL_STORE), -1);                             /* a barrier between */
    assert_int_equal(behind(ALL_READ "bar.sync 0;\n" LOOP ALL_STORE), -1);
    assert_int_equal(behind("st.shared.u32 [%q8], %r5;\n" LOOP ALL_READ), -1);                         /* the store comes first */
    assert_int_equal(behind(ALL_READ LOOP "st.shared.u32 [%q7], %r1;\n"), -1);                         /* another variable */
    assert_int_equal(behind("ld.shared.u32 %r8, [%q7];\n" LOOP "st.shared.u32 [%q7], %r1;\n"), -1);    /* each thread its own */
    assert_int_equal(behind("ld.shared.u32 %r8, [%q7+256];\n" LOOP "st.shared.u32 [%q7], %r1;\n"), -1); /* a tree's step */
    assert_int_equal(behind(LOOP ALL_READ ALL_STORE), -1);                                             /* the loop comes first */
    /* one warp reads them all, as a reduction's last step does */
    assert_int_equal(behind("@!%p4 bra E;\nld.shared.u32 %r1, [%q9];\n" LOOP "@%p5 st.shared.u32 [a], %r1;\nE:\nbar.sync 0;\n"), -1);
    assert_int_equal(behind("@!%p5 bra E;\n" ALL_READ LOOP "st.shared.u32 [a], %r1;\nE:\nbar.sync 0;\n"), -1);
    /* what is read changes from turn to turn of the loop around: a buffer of two halves */
    assert_int_equal(behind("T:\nmul.wide.u32 %q12, %r2, 64;\nadd.s64 %q13, %q5, %q12;\nld.shared.u32 %r1, [%q13];\nxor.b32 %r2, %r2, 1;\n"
                            "mul.wide.u32 %q14, %r2, 64;\nadd.s64 %q15, %q8, %q14;\nst.shared.u32 [%q15], %r1;\nbar.sync 0;\n"
                            "setp.lt.u32 %p1, %r1, %r9;\n@%p1 bra T;\n"), -1);
    assert_int_equal(behind("ld.global.u32 %r1, [%q0];\n" LOOP "@%p5 st.global.u32 [%q1], %r1;\n"), -1); /* through another parameter */
    assert_int_equal(behind("ld.global.nc.u32 %r1, [%q0];\n" LOOP "@%p5 st.global.u32 [%q0], %r1;\n"), -1);
}

/* One array in two halves, the second one behind as many words as there are warps, or as the parameter says. */
#define HALF(words)                                                                                                  \
    "mov.u32 %r12, %ntid.x;\nshr.u32 %r10, %r12, 5;\nadd.u32 %r11, " words ", %r7;\nmul.wide.u32 %q12, %r11, 4;\n"  \
    "add.s64 %q13, %q5, %q12;\n@%p3 st.shared.u32 [%q13], %r1;\n"
static void test_halves(void **state)
{
    (void)state;
    for (int by_param = 0; by_param < 2; by_param++) {
        struct found f = find(by_param ? VARIABLES BARRIER_HEAD ALL_READ LOOP HALF("%r9") : VARIABLES BARRIER_HEAD ALL_READ LOOP HALF("%r10"));
        assert_int_equal(site_in(&f, false), BEHIND);
        for (int n = 0; n < 3; n++) {
            uint64_t params[3] = {0, 0, (uint64_t)n};
            uint32_t dim[3] = {64, 1, 1};
            struct range_launch blocks = {.dim = dim}, launch = {.dim = dim, .params = (const char *)params};
            assert_int_equal(turns_wanted(f.c, &blocks, NULL), by_param); /* two warps: the second half begins behind a[1] */
            assert_int_equal(turns_wanted(f.c, &launch, NULL), by_param && !n);
        }
        done(&f);
    }
}

/* No kernel of tests/truth has one behind a barrier: tiled multiplies, reductions, scans, sorts, stencils. */
static void test_usual_kernels(void **state)
{
    (void)state;
    DIR *d = opendir(TESTS "/truth/ptx");
    int with_barrier = 0;
    assert_non_null(d);
    for (struct dirent *file = readdir(d); file; file = readdir(d)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/truth/ptx/%s", TESTS, file->d_name);
        if (!strstr(file->d_name, ".ptx"))
            continue;
        char *text = read_text(path);
        struct ptx_module *m = parse_text(file->d_name, text);
        for (int i = 0; i < m->nfuncs; i++) {
            struct ir_kernel *k = m->funcs[i]->entry ? build_kernel(m, m->funcs[i]->name) : NULL;
            const char *problem;
            int32_t site;
            if (!k)
                continue;
            rewrite(k);
            struct interp_code *c = interp_compile(k, &problem, &site);
            assert_non_null(c);
            for (int t = 0; t < c->turns.n; t++)
                if (is_behind_barrier(c, t))
                    fail_msg("%s: %s ends a turn at %d", file->d_name, k->name, c->turns.at[t].site);
            with_barrier += k->has_barrier;
            interp_free(c);
            ir_free(k);
        }
        ptx_free(m);
        free(text);
    }
    closedir(d);
    assert_true(with_barrier > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_where_not),
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_behind_barrier),
        cmocka_unit_test(test_not_behind_barrier),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_usual_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
