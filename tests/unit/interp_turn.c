/* Where warps end their first turn, and for which launches, in kernels looked at by hand. */
#include "target_test.h"

#include "interp/code.h"
#include "interp/interp.h"
#include "space/space.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)\n{\n" \
             ".reg .b32 %r<20>;\n.reg .b64 %q<10>;\n.reg .pred %p<10>;\n"                                                         \
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

static int32_t site_of(const char *body)
{
    struct found f = find(body);
    int32_t site = f.c->turn.site;
    done(&f);
    return site;
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
    assert_int_equal(f.c->turn.site, BEFORE + 2);
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++) {
        uint64_t params[3] = {launch[i].x, launch[i].y, 100};
        assert_int_equal(turn_matters(&f.c->turn, &s, (const char *)params), launch[i].matters);
    }
    done(&f);
    /* The address was loaded: it may be any. */
    f = find("ld.global.u64 %q5, [%q4];\nld.global.u32 %r1, [%q5];\nmov.u32 %r2, 0;\nmov.u32 %r5, 3;\n" LOOP "st.global.u32 [%q3], %r1;\n");
    uint64_t params[3] = {a, b, 100};
    assert_true(turn_matters(&f.c->turn, &s, (const char *)params));
    done(&f);
    space_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_where_not),
        cmocka_unit_test(test_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
