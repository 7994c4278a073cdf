/* Instructions on parts of words, packed and shortened values, and hints, one statement a line, through the public
 * interface. Expected values by hand from the PTX ISA 8.4 (9.7.1, 9.7.8, 9.7.9, 9.7.16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device_test.h"

/* Runs `body` in one warp with %r0 = tid, %rd0 = global memory of zeroes, and returns the 64 bits that lane 0 leaves in
 * %rd9. */
static uint64_t run(const char *body)
{
    static char text[4000];
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<19>; .reg .b64 %%rd<19>; .reg .f32 %%f<9>;\n"
             ".shared .align 16 .b8 sh[64];\nld.param.u64 %%rd0, [p];\nmov.u32 %%r0, %%tid.x;\nmov.u64 %%rd9, 0;\n"
             "%s\nsetp.eq.u32 %%p8, %%r0, 0;\n@%%p8 st.global.u64 [%%rd0+1024], %%rd9;\nret;\n}\n", body);
    heddle_module *m;
    heddle_kernel *k;
    heddle_ptr p;
    uint64_t r;
    if (heddle_module_load(dev, "test", text, strlen(text), &m))
        fail_msg("%s\n%s", body, heddle_error_text());
    assert_int_equal(heddle_kernel_find(m, "k", &k), HEDDLE_OK);
    assert_int_equal(heddle_alloc(dev, 2048, &p), HEDDLE_OK);
    heddle_fill(dev, p, 0, 4, 512);
    void *args[] = {&p};
    heddle_launch_config cfg = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (heddle_launch(k, &cfg, args, NULL))
        fail_msg("%s\n%s", body, heddle_error_text());
    heddle_copy_out(dev, &r, p + 1024, 8);
    heddle_free(dev, p);
    heddle_module_unload(m);
    return r;
}

/* One instruction with %r9 as its result, of %r1 = a, %r2 = b, %r3 = c (%f1 and %f2 have the bits of a and b). */
static void is(const char *instruction, uint32_t a, uint32_t b, uint32_t c, uint32_t expected)
{
    char body[1000];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, %u;\nmov.u32 %%r2, %u;\nmov.u32 %%r3, %u;\nmov.b32 %%f1, %%r1;\nmov.b32 %%f2, %%r2;\n"
             "cvt.u16.u32 %%h1, %%r1;\n%s\ncvt.u64.u32 %%rd9, %%r9;",
             a, b, c, instruction);
    uint64_t got = run(body);
    if (got != expected)
        fail_msg("%s of %x %x %x is %llx, not %x", instruction, a, b, c, (unsigned long long)got, expected);
}

static void video_of_words(void **state)
{
    (void)state;
    is("vadd.u32.u32.u32 %r9, %r1, %r2;", 0xffffffff, 2, 0, 1);
    is("vadd.u32.u32.u32.sat %r9, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff);
    is("vadd.s32.s32.s32 %r9, %r1.b1, %r2.h1;", 0xf200, 0x80001234, 0, 0xffff7ff2); /* -14 - 32768 */
    is("vadd.u32.u32.u32.sat %r9.b2, %r1.b0, %r2.b0, %r3;", 200, 100, 0x11223344, 0x11ff3344);
    is("vadd.s32.s32.s32 %r9.h1, %r1, %r2, %r3;", 5, 0xffffffff, 0x11223344, 0x00043344);
    is("vsub.s32.u32.u32.max %r9, %r1, %r2, %r3;", 5, 9, 0xfffffffe, 0xfffffffe); /* max(-4, -2) */
    is("vsub.u32.u32.u32.sat %r9, %r1, %r2;", 5, 9, 0, 0);
    is("vabsdiff.u32.s32.s32.add %r9, %r1, %r2, %r3;", 0xfffffffd, 4, 10, 17);
    is("vmin.s32.s32.u32 %r9, %r1, %r2;", 0xffffffff, 1, 0, 0xffffffff);
    is("vmax.u32.u32.u32.min %r9, %r1, %r2, 3;", 7, 9, 0, 3);
    is("vshl.u32.u32.u32.clamp %r9, %r1, %r2;", 1, 40, 0, 0);
    is("vshl.u32.u32.u32.sat.clamp %r9, %r1, %r2;", 1, 40, 0, 0xffffffff);
    is("vshl.u32.u32.u32.wrap %r9, %r1, %r2;", 1, 40, 0, 256);
    is("vshr.s32.s32.u32.clamp %r9, %r1, %r2;", 0xfffffff8, 1, 0, 0xfffffffc);
    is("vmad.u32.u32.u32.shr15 %r9, %r1, %r2, %r3;", 0x10000, 0x8000, 0x7fff, 0x10000);
    is("vmad.u32.u32.u32.po %r9, %r1, %r2, %r3;", 3, 4, 5, 18);
    is("vmad.s32.s32.s32 %r9, -%r1, %r2, %r3;", 3, 4, 5, 0xfffffff9);
    is("vmad.s32.s32.s32 %r9, %r1.h0, %r2.b0, -%r3;", 3, 4, 5, 7);
    is("vmad.s32.s32.s32.sat %r9, %r1, %r2, %r3;", 0x7fffffff, 0x7fffffff, 0, 0x7fffffff);
    is("vset.s32.s32.lt %r9, %r1, %r2;", 0xffffffff, 0, 0, 1);
    is("vset.u32.u32.lt.add %r9, %r1, %r2, %r3;", 0xffffffff, 0, 7, 7);
}

static void video_of_pairs_and_quadruples(void **state)
{
    (void)state;
    is("vadd2.s32.s32.s32.sat %r9, %r1, %r2, %r3;", 0x7fff0001, 0x0001ffff, 0, 0x7fff0000);
    is("vadd2.u32.u32.u32 %r9, %r1.h01, %r2.h33, %r3;", 0xaaaa1111, 0x00050002, 0, 0x1116aaaf);
    is("vavrg2.s32.s32.s32 %r9, %r1, %r2, %r3;", 0xfffd0003, 0, 0, 0xfffe0002); /* -1.5 to -2 */
    is("vavrg4.u32.u32.u32 %r9, %r1, %r2, %r3;", 0x01020304, 0x02020305, 0, 0x02020305);
    is("vabsdiff4.u32.u32.u32.add %r9, %r1, %r2, %r3;", 0x01050903, 0x02030409, 100, 114);
    is("vabsdiff2.u32.s32.s32 %r9, %r1, %r2, %r3;", 0x8000ffff, 0x7fff0001, 0, 0xffff0002);
    is("vadd4.u32.u32.u32 %r9.b20, %r1, %r2, %r3;", 0x01010101, 0x02020202, 0x99999999, 0x99039903);
    is("vsub4.s32.s32.s32.sat %r9, %r1, %r2, %r3;", 0x80000005, 0x01000007, 0, 0x800000fe);
    is("vsub2.u32.u32.u32 %r9, %r1, %r2, %r3;", 0x00010005, 0x00020003, 0, 0xffff0002);
    is("vmin4.u32.u32.u32 %r9, %r1, %r2, %r3;", 0x80017fff, 0x01800080, 0, 0x01010080);
    is("vmin2.s32.s32.s32 %r9, %r1, %r2, %r3;", 0x80000005, 0x00010004, 0, 0x80000004);
    is("vmax2.s32.s32.s32 %r9, %r1, %r2, %r3;", 0x80000005, 0x00010004, 0, 0x00010005);
    is("vmax4.s32.s32.s32 %r9, %r1, %r2, %r3;", 0x80017fff, 0x01800080, 0, 0x01017fff);
    is("vset4.u32.u32.eq %r9, %r1, %r2, %r3;", 0x01020304, 0x01ff03ff, 0, 0x01000100);
    is("vset4.u32.u32.ne.add %r9, %r1, %r2, %r3;", 0x01020304, 0x01ff03ff, 3, 5);
    is("vset2.s32.s32.lt %r9.h1, %r1, %r2, %r3;", 0xffff0000, 0, 0x12345678, 0x00015678);
}

static void pairs_of_integers(void **state)
{
    (void)state;
    is("add.s16x2 %r9, %r1, %r2;", 0x7fff0001, 0x0001ffff, 0, 0x80000000);
    is("add.u16x2 %r9, %r1, %r2;", 0xffff0001, 0x00020003, 0, 0x00010004);
    is("min.s16x2 %r9, %r1, %r2;", 0x80000005, 0x00010004, 0, 0x80000004);
    is("min.u16x2 %r9, %r1, %r2;", 0x80000005, 0x00010004, 0, 0x00010004);
    is("max.u16x2 %r9, %r1, %r2;", 0x80000005, 0x00010004, 0, 0x80000005);
    is("max.relu.s16x2 %r9, %r1, %r2;", 0xfffb0003, 0xfffafff9, 0, 0x00000003);
    is("min.relu.s32 %r9, %r1, %r2;", 0xfffffffb, 3, 0, 0);
    is("max.relu.s32 %r9, %r1, %r2;", 7, 3, 0, 7);
    is("mad24.lo.u32 %r9, %r1, %r2, %r3;", 0xff000003, 5, 2, 17);
    is("mad24.hi.s32 %r9, %r1, %r2, %r3;", 0x800000, 0x10000, 1, 0xff800001);
    is("mad24.hi.sat.s32 %r9, %r1, %r2, %r3;", 0x7fffff, 0x7fffff, 0x7fffffff, 0x7fffffff);
}

static void logic_with_a_predicate(void **state)
{
    (void)state;
    const char *const what[] = {"lop3.or.b32 %r8|%p2, %r1, %r2, %r3, 0xc0, %p1;\nselp.u32 %r9, 100, 0, %p2;\nadd.u32 %r9, %r9, %r8;",
                                "lop3.and.b32 %r8|%p2, %r1, %r2, %r3, 0xc0, !%p1;\nselp.u32 %r9, 100, 0, %p2;\nadd.u32 %r9, %r9, %r8;",
                                "lop3.or.b32 _|%p2, %r1, %r2, %r3, 0xc0, !%p1;\nselp.u32 %r9, 100, 0, %p2;",
                                "lop3.and.b32 %r1|%p1, %r1, %r2, %r3, 0xc0, %p1;\nselp.u32 %r9, 100, 0, %p1;\nadd.u32 %r9, %r9, %r1;"};
    static const struct {
        uint32_t a, b, q, expected[4]; /* d = a & b; p = d != 0 or q, and !q, or !q, and q */
    } rows[] = {{0xf0, 0x0f, 1, {100, 0, 0, 0}}, {0xf0, 0x0f, 0, {0, 0, 100, 0}},
                {0xf0, 0x3f, 1, {148, 48, 100, 148}}, {0xf0, 0x3f, 0, {148, 148, 100, 48}}};
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 4; i++) {
            char text[300];
            snprintf(text, sizeof text, "setp.eq.u32 %%p1, %u, 1;\n%s", rows[r].q, what[i]);
            is(text, rows[r].a, rows[r].b, 0, rows[r].expected[i]);
        }
}

static void short_formats(void **state)
{
    (void)state;
    is("cvt.pack.sat.u8.s32.b32 %r9, %r1, %r2, %r3;", 300, (uint32_t)-5, 0x1234, 0x1234ff00);
    is("cvt.pack.sat.s8.s32.b32 %r9, %r1, %r2, %r3;", 300, (uint32_t)-500, 0, 0x7f80);
    is("cvt.pack.sat.s16.s32 %r9, %r1, %r2;", 40000, (uint32_t)-40000, 0, 0x7fff8000);
    is("cvt.pack.sat.u16.s32 %r9, %r1, %r2;", 40000, (uint32_t)-1, 0, 0x9c400000);
    is("cvt.pack.sat.s4.s32.b32 %r9, %r1, %r2, %r3;", 9, (uint32_t)-9, 0xab, 0xab78);
    is("cvt.pack.sat.u2.s32.b32 %r9, %r1, %r2, %r3;", 5, 1, 0xf, 0xfd);
    is("cvt.rna.tf32.f32 %r9, %f1;", 0x3f801000, 0, 0, 0x3f802000); /* 1 + 2^-11, half a unit */
    is("cvt.rn.tf32.f32 %r9, %f1;", 0x3f801000, 0, 0, 0x3f800000);
    is("cvt.rn.tf32.f32 %r9, %f1;", 0x3f803000, 0, 0, 0x3f804000);
    is("cvt.rz.tf32.f32 %r9, %f1;", 0x3f803fff, 0, 0, 0x3f802000);
    is("cvt.rz.relu.tf32.f32 %r9, %f1;", 0xbf803fff, 0, 0, 0);
    is("cvt.rna.satfinite.tf32.f32 %r9, %f1;", 0xff7fffff, 0, 0, 0xff7fe000);
    is("cvt.rna.tf32.f32 %r9, %f1;", 0xffc00001, 0, 0, 0x7fffffff);
    /* e4m3: 1 = 38, 448 = 7e is the largest, 2^-9 = 01; e5m2: 1 = 3c, 57344 = 7b, 2^-16 = 01 */
    const char *const to_e4m3 = "cvt.rn.satfinite.e4m3x2.f32 %h2, %f1, %f2;\ncvt.u32.u16 %r9, %h2;";
    const char *const to_e5m2 = "cvt.rn.satfinite.e5m2x2.f32 %h2, %f1, %f2;\ncvt.u32.u16 %r9, %h2;";
    is(to_e4m3, 0x3f800000, 0xc47a0000, 0, 0x38fe);                            /* 1, -1000 */
    is(to_e4m3, 0x7fc00000, 0xba83126f, 0, 0x7f81);                            /* NaN, -0.001 */
    is(to_e4m3, 0x43e80000, 0x3a800000, 0, 0x7e00);                            /* 464; 2^-10, half of the least */
    is(to_e4m3, 0x3f880000, 0x3f980000, 0, 0x383a);                            /* 1.0625 and 1.1875: ties to even */
    is(to_e5m2, 0x3f900000, 0x3fb00000, 0, 0x3c3e);                            /* 1.125 and 1.375: ties to even */
    is(to_e5m2, 0x7f800000, 0xff800000, 0, 0x7bfb);
    is("cvt.rn.satfinite.relu.e4m3x2.f32 %h2, %f1, %f2;\ncvt.u32.u16 %r9, %h2;", 0xbf800000, 0x40000000, 0, 0x0040);
    is("cvt.rn.satfinite.e4m3x2.f16x2 %h2, %r1;\ncvt.u32.u16 %r9, %h2;", 0x3c00c000, 0, 0, 0x38c0);
    is("cvt.rn.f16x2.e4m3x2 %r9, %h1;", 0x7e01, 0, 0, 0x5f001800);
    is("cvt.rn.f16x2.e4m3x2 %r9, %h1;", 0x7f80, 0, 0, 0x7fff8000);
    is("cvt.rn.relu.f16x2.e4m3x2 %r9, %h1;", 0x38b8, 0, 0, 0x3c000000);
    is("cvt.rn.f16x2.e5m2x2 %r9, %h1;", 0x7c81, 0, 0, 0x7c008100);
}

static void reductions_of_floats(void **state)
{
    (void)state;
    const char *const values = "cvt.rn.f32.u32 %f1, %r0;\nsub.f32 %f1, %f1, 0f41800000;\n"; /* -16 to 15 */
    static const struct {
        const char *change, *op;
        uint32_t expected;
    } rows[] = {{"", ".min", 0xc1800000}, {"", ".max", 0x41700000}, {"", ".max.abs", 0x41800000}, {"", ".min.abs", 0},
                {"@%p1 mov.f32 %f1, 0fFFC00000;\n", ".min", 0xc1800000}, {"@%p1 mov.f32 %f1, 0fFFC00000;\n", ".min.NaN", 0x7fffffff},
                {"mov.f32 %f1, 0f00000000;\n@%p1 neg.f32 %f1, %f1;\n", ".min", 0x80000000},
                {"mov.f32 %f1, 0f7fc00000;\n", ".max", 0x7fffffff}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text, "%ssetp.eq.u32 %%p1, %%r0, 3;\n%sredux.sync%s.f32 %%f2, %%f1, -1;\nmov.b32 %%r9, %%f2;\ncvt.u64.u32 %%rd9, %%r9;",
                 values, rows[i].change, rows[i].op);
        uint64_t got = run(text);
        if (got != rows[i].expected)
            fail_msg("redux.sync%s: %llx, not %x", rows[i].op, (unsigned long long)got, rows[i].expected);
    }
}

static void atomics_of_halves(void **state)
{
    (void)state;
    /* 32 lanes add 1; a subnormal unit 2^-24 is not flushed */
    assert_int_equal(run("mov.b16 %h1, 0x3c00;\nred.global.add.noftz.f16 [%rd0+2], %h1;\nbar.sync 0;\nld.global.u64 %rd9, [%rd0];"),
                     0x50000000);
    assert_int_equal(run("mov.u32 %r1, 0x3c000001;\nred.relaxed.gpu.global.add.noftz.f16x2 [%rd0], %r1;\nbar.sync 0;\nld.global.u64 %rd9, [%rd0];"),
                     0x50000020);
    assert_int_equal(run("mov.u32 %r1, 0x3f804000;\natom.add.noftz.bf16x2 %r2, [%rd0], %r1;\nbar.sync 0;\nld.global.u64 %rd9, [%rd0];"),
                     0x42004280);
    assert_int_equal(run("setp.eq.u32 %p1, %r0, 0;\nmov.u64 %rd1, 0;\n@%p1 st.shared.u64 [sh], %rd1;\nbar.sync 0;\nmov.b16 %h1, 0x3f80;\n"
                         "atom.shared.cta.relaxed.add.noftz.bf16 %h2, [sh+6], %h1;\nbar.sync 0;\nld.shared.u64 %rd9, [sh];"),
                     0x4200000000000000);
    /* what was there before: 0, 1, ... 31 in the order of the lanes; the last one sees 31 = 4fc0 */
    assert_int_equal(run("mov.b16 %h1, 0x3c00;\natom.global.add.noftz.f16 %h2, [%rd0], %h1;\ncvt.u32.u16 %r2, %h2;\n"
                         "redux.sync.max.u32 %r3, %r2, -1;\ncvt.u64.u32 %rd9, %r3;"), 0x4fc0);
}

static void hints_change_nothing(void **state)
{
    (void)state;
    assert_true(run("createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;") == UINT64_C(0x14f0000000000000));
    assert_true(run("createpolicy.fractional.L2::evict_last.b64 %rd9;") == UINT64_C(0x14f0000000000000));
    assert_true(run("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd9, 0.5;") == UINT64_C(0x1273000000000000));
    assert_true(run("createpolicy.cvt.L2.b64 %rd9, 0x10f0000000000000;") == UINT64_C(0x10f0000000000000));
    const char *const policy = "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd2, [%rd0], 1024, 2048;\nmov.u32 %r1, 42;\n"
                               "prefetch.global.L2::evict_last [%rd0];\nprefetch.global.L2::evict_normal [%rd0];\n"
                               "applypriority.global.L2::evict_normal [%rd0], 128;\n";
    static const char *const accesses[] = {
        "st.global.L1::evict_last.L2::cache_hint.u32 [%rd0], %r1, %rd2;\nld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r9, [%rd0], %rd2;\n",
        "st.global.L2::cache_hint.v2.u32 [%rd0+8], {%r0, %r1}, %rd2;\nld.global.nc.L2::cache_hint.v2.u32 {%r2, %r9}, [%rd0+8], %rd2;\n",
        "st.mmio.relaxed.sys.global.u32 [%rd0], %r1;\nld.mmio.relaxed.sys.global.u32 %r9, [%rd0];\n",
        "red.global.max.L2::cache_hint.u32 [%rd0], %r1, %rd2;\natom.global.add.L2::cache_hint.u32 %r3, [%rd0], 0, %rd2;\nmov.u32 %r9, %r3;\n",
        "st.global.u32 [%rd0], %r1;\nbar.sync 0;\ncp.async.ca.shared.global.L2::cache_hint [sh], [%rd0], 4, %rd2;\n"
        "cp.async.ca.shared.global.L2::cache_hint.L2::128B [sh+8], [%rd0], 4, 4, %rd2;\ncp.async.wait_all;\nld.shared.u32 %r2, [sh];\n"
        "ld.shared.u32 %r3, [sh+8];\nmin.u32 %r9, %r2, %r3;\n"};
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        char text[1500];
        snprintf(text, sizeof text, "%s%scvt.u64.u32 %%rd9, %%r9;", policy, accesses[i]);
        assert_int_equal(run(text), 42);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(video_of_words),       cmocka_unit_test(video_of_pairs_and_quadruples),
        cmocka_unit_test(pairs_of_integers),    cmocka_unit_test(logic_with_a_predicate),
        cmocka_unit_test(short_formats),        cmocka_unit_test(reductions_of_floats),
        cmocka_unit_test(atomics_of_halves),    cmocka_unit_test(hints_change_nothing),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
