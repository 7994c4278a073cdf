/* The reference executor, one small PTX kernel a subject, through the public interface. Expected values by hand from
 * the PTX ISA. Every kernel writes one word a thread to `out`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device_test.h"

enum { MAX = 4096 };

static uint32_t out[MAX];

/* Declarations that every kernel has: %r0 = tid.x, %rd1 = &out[global thread], %rd0 = out. */
static const char head[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>; .reg .f64 %fd<9>;\n"
    ".local .align 8 .b8 depot[64];\n.shared .align 8 .b8 sh[1024];\n"
    "ld.param.u64 %rd0, [p];\nld.param.u32 %r39, [n];\nmov.u32 %r0, %tid.x;\nmov.u32 %r38, %ctaid.x;\n"
    "mov.u32 %r37, %ntid.x;\nmad.lo.s32 %r36, %r38, %r37, %r0;\nmul.wide.u32 %rd1, %r36, 4;\n"
    "add.s64 %rd1, %rd0, %rd1;\n";

static const char *functions = ""; /* in front of the kernel */

static heddle_status try_run(const char *body, unsigned blocks, unsigned threads, uint32_t n, heddle_result **result)
{
    static char text[20000];
    int directives = (int)(strstr(head, ".visible") - head);
    snprintf(text, sizeof text, "%.*s%s%s%s\nret;\n}\n", directives, head, functions, head + directives, body);
    heddle_module *m;
    heddle_kernel *k;
    heddle_ptr p;
    if (heddle_module_load(dev, "test", text, strlen(text), &m))
        fail_msg("%s", heddle_error_text());
    assert_int_equal(heddle_kernel_find(m, "k", &k), HEDDLE_OK);
    assert_int_equal(heddle_alloc(dev, sizeof out, &p), HEDDLE_OK);
    heddle_fill(dev, p, 0xdeadbeef, 4, MAX);
    void *args[] = {&p, &n};
    heddle_launch_config cfg = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = 256};
    heddle_status s = heddle_launch(k, &cfg, args, result);
    heddle_copy_out(dev, out, p, sizeof out);
    heddle_free(dev, p);
    heddle_module_unload(m);
    return s;
}

static void run(const char *body, unsigned blocks, unsigned threads)
{
    if (try_run(body, blocks, threads, 7, NULL))
        fail_msg("%s", heddle_error_text());
}

#define STORE(r) "st.global.u32 [%rd1], " r ";\n"

static void special_registers(void **state)
{
    (void)state;
    run("mov.u32 %r1, %laneid;\nmov.u32 %r2, %warpid;\nmov.u32 %r3, %lanemask_lt;\npopc.b32 %r3, %r3;\n"
        "mad.lo.u32 %r4, %r2, 1000, %r1;\nmad.lo.u32 %r4, %r3, 100000, %r4;\n" STORE("%r4"), 2, 70);
    for (unsigned b = 0; b < 2; b++)
        for (unsigned t = 0; t < 70; t++)
            assert_int_equal(out[b * 70 + t], t % 32 * 100000 + t / 32 * 1000 + t % 32);
    assert_int_equal(out[140], 0xdeadbeef);
}

/* "16-bit mov and cvt instructions may be used to read the lower 16 bits" (PTX ISA 10). */
static void parts_of_special_registers(void **state)
{
    (void)state;
    run("cvt.s32.u16 %r1, %ctaid.x;\nmov.u16 %h1, %tid.x;\ncvt.u32.u16 %r2, %h1;\ncvt.u32.u32 %r3, %ntid.x;\nmov.u32 %r4, %gridid;\n"
        "mov.u64 %rd2, %gridid;\ncvt.u32.u64 %r5, %rd2;\nsub.u32 %r4, %r4, %r5;\nmad.lo.u32 %r4, %r1, 1000000, %r4;\n"
        "mad.lo.u32 %r4, %r3, 1000, %r4;\nadd.u32 %r4, %r4, %r2;\n" STORE("%r4"), 2, 70);
    for (unsigned b = 0; b < 2; b++)
        for (unsigned t = 0; t < 70; t++)
            assert_int_equal(out[b * 70 + t], b * 1000000 + 70000 + t);
}

/* What is done for a whole warp at once is done for some lanes too, and leaves the others alone. */
static void some_lanes_read_what_all_could(void **state)
{
    (void)state;
    run("and.b32 %r8, %r0, 1;\nsetp.eq.u32 %p1, %r8, 1;\nmov.u32 %r1, 1000;\nmov.u32 %r2, 2000;\nmov.u32 %r3, 3000;\n"
        "mov.u64 %rd2, 0;\nmov.u64 %rd3, sh;\n@%p1 mov.u32 %r1, %laneid;\n@%p1 mov.u32 %r2, %ntid.x;\n"
        "@%p1 ld.param.u32 %r3, [n];\n@%p1 cvta.shared.u64 %rd2, %rd3;\nsetp.ne.u64 %p2, %rd2, 0;\n"
        "selp.u32 %r4, 10000, 0, %p2;\nadd.u32 %r4, %r4, %r1;\nadd.u32 %r4, %r4, %r2;\nadd.u32 %r4, %r4, %r3;\n"
        STORE("%r4"), 1, 40);
    for (unsigned t = 0; t < 40; t++)
        assert_int_equal(out[t], t % 2 ? 10000 + t % 32 + 40 + 7 : 6000);
}

/* Addresses up to 1243 of 1280 bytes: the power of two that holds them all is larger than the memory. */
static void addresses_may_end_short_of_a_power_of_two(void **state)
{
    (void)state;
    run("mul.lo.u32 %r9, %r0, 40;\nmov.u32 %r8, sh;\nadd.u32 %r9, %r9, %r8;\nst.shared.u32 [%r9], %r0;\n"
        "ld.shared.u32 %r5, [%r9];\n" STORE("%r5"), 1, 32);
    for (unsigned t = 0; t < 32; t++)
        assert_int_equal(out[t], t);
}

static void divergence_nests_and_meets(void **state)
{
    (void)state;
    /* value: 1 for lanes below 8, 2 for 8-15, 3 for the rest; then activemask shows that all have met */
    run("setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra A;\nsetp.lt.u32 %p2, %r0, 8;\n@%p2 bra B;\nmov.u32 %r1, 2;\nbra C;\n"
        "B:\nmov.u32 %r1, 1;\nC:\nactivemask.b32 %r5;\nbra D;\nA:\nmov.u32 %r1, 3;\nactivemask.b32 %r5;\nD:\n"
        "activemask.b32 %r2;\nsetp.ne.u32 %p3, %r2, 0xffffffff;\n@%p3 mov.u32 %r1, 99;\npopc.b32 %r5, %r5;\n"
        "mad.lo.u32 %r1, %r5, 10, %r1;\n" STORE("%r1"), 1, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 160 + (i < 8 ? 1 : i < 16 ? 2 : 3));
}

static void lanes_leave_loops_at_different_turns(void **state)
{
    (void)state;
    run("mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n"
        "@%p1 bra L;\nactivemask.b32 %r3;\npopc.b32 %r3, %r3;\nmad.lo.u32 %r2, %r3, 1000, %r2;\n" STORE("%r2"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 32000 + i * (i + 1) / 2);
}

static void run_recursive(const char *function, const char *body)
{
    functions = function;
    run(body, 1, 32);
    functions = "";
}

#define CALL(f, result, argument)                                                                                      \
    "{\n.param .b32 p0;\nst.param.b32 [p0+0], " argument ";\n.param .b32 r0;\ncall (r0), " f ", (p0);\n"               \
    "ld.param.b32 " result ", [r0+0];\n}\n"

/* f(n) = lanes that are together behind the branch, + f(n - 1) if n > 0. Lane i calls f(i % 4): in depth d those with
 * i % 4 >= d are together, 32 - 8 d of them. */
static void lanes_of_one_depth_meet(void **state)
{
    (void)state;
    run_recursive(".func (.param .b32 out) f(.param .b32 in) {\n.reg .b32 %r<9>; .reg .pred %p<2>;\nld.param.u32 %r1, [in];\n"
                  "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nsub.u32 %r3, %r1, 1;\n" CALL("f", "%r2", "%r3")
                  "E:\nactivemask.b32 %r4;\npopc.b32 %r4, %r4;\nadd.u32 %r2, %r2, %r4;\nst.param.b32 [out+0], %r2;\nret;\n}\n",
                  "and.b32 %r1, %r0, 3;\n" CALL("f", "%r2", "%r1") "activemask.b32 %r3;\nsetp.ne.u32 %p1, %r3, 0xffffffff;\n"
                  "@%p1 mov.u32 %r2, 99;\n" STORE("%r2"));
    for (int i = 0; i < 32; i++) {
        const uint32_t want[] = {32, 32 + 24, 32 + 24 + 16, 32 + 24 + 16 + 8};
        assert_int_equal(out[i], want[i % 4]);
    }
}

/* A parameter that is written in one piece, read in two, and again after the call: it lives in memory. With (a, b) as
 * the argument f = b if a is 0, else 2 f(a - 1, a + b) + a. */
static void parameters_in_memory_survive_calls(void **state)
{
    (void)state;
    run_recursive(".func (.param .b32 out) f(.param .align 8 .b8 in[8]) {\n.reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<2>;\n"
                  "ld.param.u32 %r1, [in];\nld.param.u32 %r2, [in+4];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
                  "sub.u32 %r3, %r1, 1;\nadd.u32 %r4, %r1, %r2;\nmov.b64 %rd1, {%r3, %r4};\n"
                  "{\n.param .align 8 .b8 p0[8];\nst.param.b64 [p0+0], %rd1;\n.param .b32 r0;\ncall (r0), f, (p0);\n"
                  "ld.param.b32 %r5, [r0+0];\n}\nld.param.u32 %r6, [in];\nmad.lo.u32 %r2, %r5, 2, %r6;\nE:\n"
                  "st.param.b32 [out+0], %r2;\nret;\n}\n",
                  "and.b32 %r1, %r0, 3;\nmov.u32 %r2, 0;\nmov.b64 %rd5, {%r1, %r2};\n{\n.param .align 8 .b8 p0[8];\n"
                  "st.param.b64 [p0+0], %rd5;\n.param .b32 r0;\ncall (r0), f, (p0);\nld.param.b32 %r3, [r0+0];\n}\n" STORE("%r3"));
    for (int i = 0; i < 32; i++) { /* f(0,0); 2 f(0,1) + 1; 2 (2 f(0,3) + 1) + 2; 2 (2 (2 f(0,6) + 1) + 2) + 3 */
        const uint32_t want[] = {0, 3, 16, 59};
        assert_int_equal(out[i], want[i % 4]);
    }
}

/* Each depth takes 16 bytes for n and the return: 1024 hold 64 of them, the first of them the kernel's call. */
static void the_stack_has_an_end(void **state)
{
    (void)state;
    const char *body = CALL("f", "%r2", "%r39") STORE("%r2");
    functions = ".func (.param .b32 out) f(.param .b32 in) {\n.reg .b32 %r<9>; .reg .pred %p<2>;\nld.param.u32 %r1, [in];\n"
                "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nsub.u32 %r3, %r1, 1;\n" CALL("f", "%r2", "%r3")
                "E:\nadd.u32 %r2, %r2, %r1;\nst.param.b32 [out+0], %r2;\nret;\n}\n";
    assert_int_equal(try_run(body, 1, 32, 63, NULL), HEDDLE_OK);
    assert_int_equal(out[5], 63 * 64 / 2);
    assert_int_equal(try_run(body, 1, 32, 64, NULL), HEDDLE_STACK_OVERFLOW);
    assert_non_null(strstr(heddle_last_fault()->text, "cudaLimitStackSize"));
    assert_int_equal(heddle_stack_size(dev, 1 << 20), HEDDLE_INVALID_VALUE);
    assert_int_equal(heddle_stack_size(dev, 1040), HEDDLE_OK);
    assert_int_equal(try_run(body, 1, 32, 64, NULL), HEDDLE_OK);
    assert_int_equal(heddle_stack_size(dev, 1024), HEDDLE_OK);
    functions = "";
}

static void a_guarded_exit_ends_its_lanes_only(void **state)
{
    (void)state;
    run("setp.ge.u32 %p1, %r0, 5;\n@%p1 exit;\n" STORE("%r0"), 1, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 5 ? i : 0xdeadbeef);
}

/* 64 threads: 63 arrivals and one that brings a second; the token's phase ends only with the last of them. */
static void mbarriers_count_arrivals(void **state)
{
    (void)state;
    run("setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [sh+8], 65;\nbar.sync 0;\n"
        "mov.u64 %rd9, 0;\n@!%p1 mbarrier.arrive.shared.b64 %rd9, [sh+8];\nmov.u32 %r9, 0;\n@!%p1 mbarrier.pending_count.b64 %r9, %rd9;\n"
        "bar.sync 0;\nmbarrier.test_wait.parity.shared.b64 %p2, [sh+8], 0;\nbar.sync 0;\n"
        "@%p1 mbarrier.arrive.release.cta.shared.b64 _, [sh+8], 2;\nbar.sync 0;\nmbarrier.test_wait.parity.acquire.cta.shared.b64 %p3, [sh+8], 0;\n"
        "mbarrier.test_wait.parity.shared.b64 %p4, [sh+8], 1;\nselp.u32 %r2, 1000, 0, %p2;\nselp.u32 %r3, 2000, 0, %p3;\n"
        "selp.u32 %r4, 4000, 0, %p4;\nadd.u32 %r9, %r9, %r2;\nadd.u32 %r9, %r9, %r3;\nadd.u32 %r9, %r9, %r4;\n" STORE("%r9"), 1, 64);
    assert_int_equal(out[0], 2000);
    int first = out[1] == 2065; /* lanes that arrive together see what there was before: 65 to come, then 31 or 32 fewer */
    for (unsigned i = 1; i < 64; i++)
        assert_int_equal(out[i], 2000 + (i < 32 ? first ? 65 : 33 : first ? 34 : 65));
}

static void an_mbarrier_is_waited_for_in_a_loop(void **state)
{
    (void)state;
    /* the second warp waits for the first one, which arrives later; then one lane drops out of the next phase */
    run("mov.u32 %r9, sh;\ncvt.u64.u32 %rd9, %r9;\ncvta.shared.u64 %rd9, %rd9;\nsetp.eq.u32 %p1, %r0, 0;\n"
        "@%p1 mbarrier.init.b64 [%rd9], 2;\nbar.sync 0;\nsetp.ge.u32 %p2, %r0, 32;\nmov.u32 %r5, 1;\n@%p2 bra W;\n"
        "setp.eq.u32 %p3, %r0, 31;\nst.shared.u32 [sh+16], 42;\n@%p1 mbarrier.arrive.b64 %rd8, [%rd9];\n"
        "@%p3 mbarrier.arrive_drop.b64 %rd8, [%rd9];\nbra E;\nW:\nmbarrier.try_wait.parity.b64 %p4, [%rd9], 0, 100;\n@!%p4 bra W;\n"
        "ld.shared.u32 %r5, [sh+16];\nE:\nbar.sync 0;\n@%p1 mbarrier.arrive.b64 %rd8, [%rd9];\n"
        "@%p1 mbarrier.pending_count.b64 %r5, %rd8;\n@%p1 mbarrier.test_wait.b64 %p5, [%rd9], %rd8;\n@%p1 selp.u32 %r6, 10, 0, %p5;\n"
        "@%p1 add.u32 %r5, %r5, %r6;\n" STORE("%r5"), 1, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i == 0 ? 11 : i < 32 ? 1 : 42);
}

static void an_mbarrier_follows_copies(void **state)
{
    (void)state;
    run("setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [sh], 32;\n" STORE("%r0") "mov.u32 %r9, sh;\nshl.b32 %r8, %r0, 2;\n"
        "add.u32 %r9, %r9, %r8;\nst.shared.u32 [%r9+64], 7;\nbar.warp.sync -1;\ncp.async.ca.shared.global [%r9+64], [%rd1], 4;\n"
        "ld.shared.u32 %r7, [%r9+64];\ncp.async.mbarrier.arrive.noinc.shared.b64 [sh];\nW:\nmbarrier.test_wait.parity.shared.b64 %p2, [sh], 0;\n"
        "@!%p2 bra W;\nld.shared.u32 %r6, [%r9+64];\nmad.lo.u32 %r6, %r7, 100, %r6;\n" STORE("%r6"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 700 + i);
}

static void mbarriers_that_are_misused(void **state)
{
    (void)state;
    assert_int_equal(try_run("mbarrier.arrive.shared.b64 %rd9, [sh];", 1, 1, 7, NULL), HEDDLE_ILLEGAL_INSTRUCTION);
    assert_non_null(strstr(heddle_error_text(), "not initialised"));
    assert_int_equal(try_run("mbarrier.init.shared.b64 [sh], 1;\nmbarrier.arrive.shared.b64 _, [sh], 2;", 1, 1, 7, NULL),
                     HEDDLE_ILLEGAL_INSTRUCTION);
    assert_non_null(strstr(heddle_error_text(), "more arrivals"));
    assert_int_equal(try_run("mbarrier.init.b64 [%rd0], 1;", 1, 1, 7, NULL), HEDDLE_INVALID_ADDRESS_SPACE);
    assert_int_equal(try_run("mbarrier.init.shared.b64 [sh+4], 1;", 1, 1, 7, NULL), HEDDLE_MISALIGNED_ADDRESS);
    assert_int_equal(try_run("mbarrier.init.shared.b64 [sh], 0;", 1, 1, 7, NULL), HEDDLE_ILLEGAL_INSTRUCTION);
    assert_int_equal(try_run("mbarrier.init.shared.b64 [sh], 1;\nmbarrier.inval.shared.b64 [sh];\nmbarrier.inval.shared.b64 [sh];", 1, 1, 7, NULL),
                     HEDDLE_ILLEGAL_INSTRUCTION);
}

static void shuffles(void **state)
{
    (void)state;
    run("shfl.sync.up.b32 %r1|%p1, %r0, 3, 0, 0xffffffff;\nselp.u32 %r2, 100, 0, %p1;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 3 ? i : i - 3 + 100);
    run("shfl.sync.down.b32 %r1|%p1, %r0, 4, 0x1f, 0xffffffff;\nselp.u32 %r2, 100, 0, %p1;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 28 ? i + 4 + 100 : i);
    /* segments of 8: c = ((32 - 8) << 8) | 0x1f */
    run("shfl.sync.bfly.b32 %r1, %r0, 5, 0x181f, 0xffffffff;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 5);
    run("shfl.sync.idx.b32 %r1, %r0, 2, 0x181f, 0xffffffff;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i / 8 * 8 + 2);
    run("shfl.sync.up.b32 %r1, %r0, 3, 0x1800, 0xffffffff;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 8 < 3 ? i : i - 3);
}

static void lanes_of_one_split_may_name_different_masks(void **state)
{
    (void)state;
    /* tiles of 8: the sum, the votes and the matches of each are its own */
    run("and.b32 %r1, %r0, 24;\nmov.u32 %r2, 255;\nshl.b32 %r2, %r2, %r1;\nredux.sync.add.u32 %r3, %r0, %r2;\n"
        "setp.lt.u32 %p1, %r0, 12;\nvote.sync.ballot.b32 %r4, %p1, %r2;\npopc.b32 %r4, %r4;\nvote.sync.all.pred %p2, %p1, %r2;\n"
        "and.b32 %r5, %r0, 1;\nmatch.any.sync.b32 %r6, %r5, %r2;\npopc.b32 %r6, %r6;\nselp.u32 %r7, 1, 0, %p2;\n"
        "mad.lo.u32 %r3, %r3, 10, %r4;\nmad.lo.u32 %r3, %r3, 10, %r6;\nmad.lo.u32 %r3, %r3, 10, %r7;\nactivemask.b32 %r8;\n"
        "setp.ne.u32 %p3, %r8, -1;\n@%p3 mov.u32 %r3, 0;\n" STORE("%r3"), 1, 32);
    for (unsigned i = 0; i < 32; i++) {
        unsigned t = i / 8;
        assert_int_equal(out[i], (t * 64 + 28) * 1000 + (t == 0 ? 800 : t == 1 ? 400 : 0) + 40 + (t == 0));
    }
}

static void bit_fields_masks_and_elections(void **state)
{
    (void)state;
    /* thread: szext.wrap.s32 of 0x1c8 to t bits; bmsk.clamp from t, 4 bits; the t-th set bit of 0xf0f0 upwards from bit 5 */
    run("mov.u32 %r1, 0x1c8;\nszext.wrap.s32 %r2, %r1, %r0;\nszext.clamp.u32 %r3, %r1, %r0;\nbmsk.clamp.b32 %r4, %r0, 4;\n"
        "mov.u32 %r5, 0xf0f0;\nfns.b32 %r6, %r5, 5, %r0;\nadd.u32 %r7, %r0, 1;\nneg.s32 %r7, %r7;\nfns.b32 %r8, %r5, 5, %r7;\n"
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 mov.u32 %r9, %r2;\nsetp.eq.u32 %p1, %r0, 4;\n@%p1 mov.u32 %r9, %r2;\n"
        "setp.eq.u32 %p1, %r0, 1;\n@%p1 mov.u32 %r9, %r6;\nsetp.eq.u32 %p1, %r0, 5;\n@%p1 mov.u32 %r9, %r6;\n"
        "setp.eq.u32 %p1, %r0, 2;\n@%p1 mov.u32 %r9, %r8;\nsetp.eq.u32 %p1, %r0, 6;\n@%p1 mov.u32 %r9, %r4;\n"
        "setp.eq.u32 %p1, %r0, 30;\n@%p1 mov.u32 %r9, %r4;\nsetp.eq.u32 %p1, %r0, 9;\n@%p1 mov.u32 %r9, %r2;\n"
        "setp.eq.u32 %p1, %r0, 7;\n@%p1 mov.u32 %r9, %r3;\nsetp.eq.u32 %p1, %r0, 8;\n@%p1 mov.u32 %r9, %r6;\n" STORE("%r9"), 1, 32);
    assert_int_equal(out[0], 0);             /* no bits */
    assert_int_equal(out[4], 0xfffffff8);    /* 1000, sign-extended */
    assert_int_equal(out[9], 0xffffffc8);    /* 1 1100 1000 */
    assert_int_equal(out[7], 0x48);          /* 100 1000, zero-extended */
    assert_int_equal(out[1], 5);             /* the first at or above 5 */
    assert_int_equal(out[5], 13);            /* 5 6 7 12 13 */
    assert_int_equal(out[8], 0xffffffff);    /* there are seven */
    assert_int_equal(out[2], 0xffffffff);    /* the third at or below 5: only 5 and 4 */
    assert_int_equal(out[6], 0x3c0);         /* bits 6 to 9 */
    assert_int_equal(out[30], 0xc0000000);   /* bits 30 and 31 */
    run("setp.ge.u32 %p1, %r0, 3;\nmov.u32 %r1, 99;\ngriddepcontrol.wait;\n@%p1 elect.sync %r1|%p2, 0xfffffff8;\n"
        "selp.u32 %r2, 1000, 0, %p2;\ndiscard.global.L2 [%rd0], 128;\n@%p1 add.u32 %r1, %r1, %r2;\ngriddepcontrol.launch_dependents;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 3 ? 99 : i == 3 ? 1003 : 3);
}

static void lanes_meet_at_a_shuffle_from_both_sides_of_a_branch(void **state)
{
    (void)state;
    /* the odd lanes take a detour; the member mask makes everybody wait */
    run("and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra S;\nadd.u32 %r9, %r0, 1;\nS:\n"
        "shfl.sync.bfly.b32 %r2, %r0, 1, 0x1f, 0xffffffff;\n" STORE("%r2"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 1);
}

static void votes(void **state)
{
    (void)state;
    run("setp.lt.u32 %p1, %r0, 3;\nvote.sync.ballot.b32 %r1, %p1, 0xffffffff;\nvote.sync.any.pred %p2, %p1, 0xffffffff;\n"
        "vote.sync.all.pred %p3, %p1, 0xffffffff;\nvote.sync.uni.pred %p4, %p1, 0xffffffff;\n"
        "vote.sync.all.pred %p5, !%p1, 0xffffffff;\n"
        "selp.u32 %r2, 16, 0, %p2;\nadd.u32 %r1, %r1, %r2;\nselp.u32 %r2, 32, 0, %p3;\nadd.u32 %r1, %r1, %r2;\n"
        "selp.u32 %r2, 64, 0, %p4;\nadd.u32 %r1, %r1, %r2;\nselp.u32 %r2, 128, 0, %p5;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1"), 1, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 7 + 16);
}

static void match_and_redux(void **state)
{
    (void)state;
    run("and.b32 %r1, %r0, 3;\nmatch.any.sync.b32 %r2, %r1, 0xffffffff;\n" STORE("%r2"), 1, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 0x11111111u << i % 4);
    run("mov.u32 %r1, 5;\nmatch.all.sync.b32 %r2|%p1, %r1, 0xffffffff;\nselp.u32 %r2, %r2, 1, %p1;\n" STORE("%r2"), 1, 32);
    assert_int_equal(out[3], 0xffffffff);
    run("redux.sync.add.u32 %r1, %r0, 0xffffffff;\n" STORE("%r1"), 1, 32);
    assert_int_equal(out[31], 31 * 32 / 2);
    run("sub.s32 %r1, %r0, 16;\nredux.sync.min.s32 %r1, %r1, 0xffffffff;\n" STORE("%r1"), 1, 32);
    assert_int_equal((int32_t)out[0], -16);
}

static void barriers_order_shared_memory(void **state)
{
    (void)state;
    run("mov.u32 %r1, sh;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\nsub.u32 %r3, 127, %r0;\n"
        "mad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r4, [%r2];\n" STORE("%r4"), 3, 128);
    for (unsigned i = 0; i < 384; i++)
        assert_int_equal(out[i], 127 - i % 128);
    run("setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
        "selp.u32 %r2, 100, 0, %p2;\nadd.u32 %r1, %r1, %r2;\nselp.u32 %r2, 200, 0, %p3;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1"), 1, 96);
    for (int i = 0; i < 96; i++)
        assert_int_equal(out[i], 40 + 200);
    /* warps 1 and 2 exit early: the rest is all that the barrier waits for */
    run("shr.u32 %r1, %r0, 5;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 exit;\nbar.sync 0;\n" STORE("%r0"), 1, 96);
    assert_int_equal(out[31], 31);
}

static void generic_addresses_find_their_space(void **state)
{
    (void)state;
    /* even lanes write to shared, odd ones to local memory, through one store; both read back through one load */
    run("mov.u64 %rd2, sh;\ncvta.shared.u64 %rd2, %rd2;\nmov.u64 %rd3, depot;\ncvta.local.u64 %rd3, %rd3;\n"
        "mul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd2, %rd2, %rd4;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n"
        "selp.b64 %rd5, %rd2, %rd3, %p1;\nadd.u32 %r2, %r0, 50;\nst.u32 [%rd5], %r2;\nld.u32 %r3, [%rd5];\n"
        "isspacep.shared %p2, %rd5;\nselp.u32 %r4, 1000, 0, %p2;\nadd.u32 %r3, %r3, %r4;\nst.u32 [%rd1], %r3;\n", 1, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i + 50 + (i % 2 ? 0 : 1000));
}

static void a_block_is_the_first_of_its_cluster(void **state)
{
    (void)state;
    /* stored through the block's own address, loaded through the cluster's; shared memory is that of block 0 */
    run("mov.u64 %rd2, sh;\nmul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd2, %rd2, %rd4;\nadd.u32 %r2, %r0, 50;\nst.shared.u32 [%rd2], %r2;\n"
        "cvta.shared.u64 %rd3, %rd2;\nmapa.u64 %rd3, %rd3, 0;\nld.u32 %r3, [%rd3];\ngetctarank.u64 %r4, %rd3;\nadd.u32 %r3, %r3, %r4;\n"
        "st.u32 [%rd1], %r3;\n", 1, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i + 50);
    /* of a variable; no block has rank 1, so its address is none */
    run("mapa.shared::cluster.u64 %rd2, sh, 0;\nmov.u64 %rd3, sh;\nsetp.eq.u64 %p1, %rd2, %rd3;\nselp.u32 %r3, 1, 0, %p1;\n"
        "mapa.shared::cluster.u64 %rd2, %rd2, 1;\nsetp.eq.s64 %p2, %rd2, -1;\nselp.u32 %r4, 2, 0, %p2;\nadd.u32 %r3, %r3, %r4;\n"
        "getctarank.shared::cluster.u64 %r4, %rd3;\nadd.u32 %r3, %r3, %r4;\nst.u32 [%rd1], %r3;\n", 1, 32);
    assert_int_equal(out[31], 3);
}

static void loads_and_stores_of_all_widths(void **state)
{
    (void)state;
    run("mov.u32 %r1, 0x8081;\nst.global.u32 [%rd1], %r1;\nld.global.s8 %r2, [%rd1];\nld.global.u8 %r3, [%rd1+1];\n"
        "ld.global.s16 %r4, [%rd1];\nadd.s32 %r2, %r2, %r3;\nadd.s32 %r2, %r2, %r4;\n" STORE("%r2"), 1, 32);
    assert_int_equal((int32_t)out[5], -127 + 128 + (int16_t)0x8081);
    run("mul.wide.u32 %rd2, %r0, 16;\nadd.s64 %rd2, %rd0, %rd2;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r2, %r0, 2;\nadd.u32 %r3, %r0, 3;\n"
        "st.global.v4.u32 [%rd2], {%r0, %r1, %r2, %r3};\nld.global.v2.u32 {%r4, %r5}, [%rd2+8];\nadd.u32 %r4, %r4, %r5;\n"
        "bar.sync 0;\nst.global.u32 [%rd1+2048], %r4;\n", 1, 32);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out[4 * i + 3], i + 3);
        assert_int_equal(out[512 + i], 2 * i + 5);
    }
}

static void atomics(void **state)
{
    (void)state;
    run("atom.global.add.u32 %r1, [%rd0+4096], 1;\n" STORE("%r1"), 2, 64);
    unsigned seen = 0;
    for (int i = 0; i < 128; i++) /* each thread saw another value; 0xdeadbeef is what was there */
        seen += out[i] - 0xdeadbeef;
    assert_int_equal(seen, 127 * 128 / 2);
    assert_int_equal(out[1024], 0xdeadbeef + 128);
    run("mov.u32 %r1, sh;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u32 [%r1], 10;\nbar.sync 0;\n"
        "atom.shared.max.u32 %r2, [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r1];\n" STORE("%r3"), 1, 64);
    assert_int_equal(out[0], 63);
    run("setp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u32 [%rd0+4096], 0;\nbar.sync 0;\natom.global.inc.u32 %r2, [%rd0+4096], 4;\n" STORE("%r2"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 5);
    run("mov.f32 %f1, 0f3F800000;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u32 [%rd0+4096], 0;\nbar.sync 0;\n"
        "red.global.add.f32 [%rd0+4096], %f1;\n", 1, 64);
    assert_int_equal(out[1024], 0x42800000); /* 64.0f */
    run("atom.global.cas.b32 %r1, [%rd0+4096], 0xdeadbeef, 7;\natom.global.exch.b32 %r2, [%rd0+4096], %r0;\n" STORE("%r2"), 1, 2);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[1024], 1);
}

static void vector_moves_and_carries(void **state)
{
    (void)state;
    run("mov.b64 %rd2, {%r0, %r39};\nadd.s64 %rd2, %rd2, 1;\nmov.b64 {%r1, %r2}, %rd2;\nmad.lo.u32 %r1, %r2, 100, %r1;\n" STORE("%r1"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 701 + i);
    run("mov.u32 %r1, 0xffffffff;\nadd.cc.u32 %r2, %r1, %r0;\naddc.u32 %r3, 0, 0;\n" STORE("%r3"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i > 0);
}

static void a_branch_by_table(void **state)
{
    (void)state;
    run("and.b32 %r1, %r0, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx %r1, T;\nA:\nmov.u32 %r2, 10;\nbra E;\nB:\nmov.u32 %r2, 20;\nbra E;\n"
        "C:\nmov.u32 %r2, 30;\nbra E;\nD:\nmov.u32 %r2, 40;\nE:\nactivemask.b32 %r3;\npopc.b32 %r3, %r3;\nadd.u32 %r2, %r2, %r3;\n" STORE("%r2"), 1, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 10 + 10 * (i % 4) + 32);
}

/* --- faults --- */

static void faults(const char *body, unsigned threads, heddle_status status, const char *says)
{
    assert_int_equal(try_run(body, 1, threads, 7, NULL), status);
    const heddle_fault *f = heddle_last_fault();
    assert_non_null(f);
    if (!strstr(f->text, says))
        fail_msg("'%s' is not in:\n%s", says, f->text);
}

static void what_goes_wrong_is_named(void **state)
{
    (void)state;
    faults("add.s64 %rd2, %rd0, 0x40000000;\nst.global.u32 [%rd2], %r0;\n", 32, HEDDLE_ILLEGAL_ADDRESS, "by thread (0,0,0) in block (0,0,0)");
    faults("setp.eq.u32 %p1, %r0, 37;\nmov.u64 %rd2, 0;\nmov.u32 %r1, 0;\n@%p1 ld.global.u32 %r1, [%rd2];\n" STORE("%r1"), 64, HEDDLE_ILLEGAL_ADDRESS, "by thread (37,0,0)");
    faults("mov.u64 %rd2, 8;\nld.global.u32 %r1, [%rd2];\n" STORE("%r1"), 32, HEDDLE_ILLEGAL_ADDRESS, "null pointer");
    faults("mov.u64 %rd2, 0x7f0000001000;\nld.global.u32 %r1, [%rd2];\n" STORE("%r1"), 32, HEDDLE_ILLEGAL_ADDRESS, "is it a host pointer");
    faults("ld.global.u32 %r1, [%rd0+2];\n" STORE("%r1"), 32, HEDDLE_MISALIGNED_ADDRESS, "not a multiple of 4");
    faults("mov.u32 %r1, sh;\nld.shared.u32 %r2, [%r1+5000];\n" STORE("%r2"), 32, HEDDLE_ILLEGAL_ADDRESS, "outside the block's");
    faults("trap;\n", 32, HEDDLE_TRAP, "trap");
    faults("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra L;\nbar.sync 1;\nbra E;\nL:\nbar.sync 2;\nE:\n", 64, HEDDLE_DEADLOCK,
           "wait at barrier 1, which has 32 of 64 threads");
    faults("setp.lt.u32 %p1, %r0, 16;\n@%p1 bra L;\nbar.warp.sync 0xffffffff;\nL:\nbar.sync 0;\n", 32, HEDDLE_DEADLOCK, "wait for lanes 0xffffffff");
}

static void the_earliest_block_is_blamed(void **state)
{
    (void)state;
    heddle_device_threads(dev, 4);
    /* block 3 faults late, the blocks behind it at once: whichever host thread is first, block 3 is told */
    for (int i = 0; i < 50; i++) {
        assert_int_equal(try_run("setp.lt.u32 %p1, %r38, 3;\n@%p1 exit;\nmov.u32 %r1, 0;\nsetp.ne.u32 %p1, %r38, 3;\n@%p1 bra F;\n"
                                 "L:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 2000;\n@%p2 bra L;\nF:\n"
                                 "mov.u64 %rd2, 64;\nst.global.u32 [%rd2], %r1;\n", 40, 64, 0, NULL), HEDDLE_ILLEGAL_ADDRESS);
        assert_int_equal(heddle_last_fault()->block[0], 3);
        assert_int_equal(heddle_last_fault()->thread[0], 0);
    }
}

static void a_missing_instruction_stops_only_its_kernel(void **state)
{
    (void)state;
    assert_int_equal(try_run("wgmma.fence.sync.aligned;\n", 1, 32, 0, NULL), HEDDLE_NOT_IMPLEMENTED);
    assert_non_null(strstr(heddle_error_text(), "wgmma.fence"));
    assert_non_null(strstr(heddle_error_text(), "PTX line"));
}

static void bad_launches_are_refused(void **state)
{
    (void)state;
    assert_int_equal(try_run(STORE("%r0"), 1, 1025, 0, NULL), HEDDLE_INVALID_CONFIGURATION);
    assert_int_equal(try_run(STORE("%r0"), 0, 32, 0, NULL), HEDDLE_INVALID_CONFIGURATION);
    assert_int_equal(try_run(STORE("%r0"), 1, 0, 0, NULL), HEDDLE_INVALID_CONFIGURATION);
}

static void counters_count(void **state)
{
    (void)state;
    heddle_result *r;
    double v;
    /* 2 blocks of 48 threads: 4 warps, half of them 16 lanes. Lanes below 8 of each warp store twice. */
    assert_int_equal(try_run(STORE("%r0") "and.b32 %r1, %r0, 31;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 st.global.u32 [%rd1], %r0;\n"
                             "@!%p1 bra E;\nmov.b32 %f2, %r0;\nadd.f32 %f1, %f2, %f2;\nst.shared.f32 [sh], %f1;\nE:\n", 2, 48, 0, &r), HEDDLE_OK);
    const struct { const char *name; double value; } want[] = {
        {"sm__ctas_launched.sum", 2},
        {"smsp__warps_launched.sum", 4},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 8},
        /* 192 bytes a block from an aligned start: 4 + 2 sectors; the guarded stores 32 bytes each: 1 sector */
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 2 * (4 + 2) + 4},
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 4 * 8},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(heddle_result_metric(r, want[i].name, &v), HEDDLE_OK);
        if (v != want[i].value)
            fail_msg("%s: %g, expected %g", want[i].name, v, want[i].value);
    }
    assert_int_equal(heddle_result_metric(r, "no_such_metric", &v), HEDDLE_NOT_FOUND);
    heddle_result_free(r);
}

static unsigned accesses, first_mask;
static void see(const heddle_access *a, void *user)
{
    (void)user;
    accesses++;
    first_mask = a->mask;
    assert_int_equal(a->space, 'g');
    assert_int_equal(a->op, 's');
    assert_true(a->address[3] - a->address[0] == 12);
}

static void accesses_can_be_observed(void **state)
{
    (void)state;
    heddle_observe(dev, see, NULL);
    run(STORE("%r0"), 3, 40);
    heddle_observe(dev, NULL, NULL);
    assert_int_equal(accesses, 6);
    assert_int_equal(first_mask, 0xff);
}

/* Eight words of global memory (out[64..71] = 100..107) copied to shared memory; %r20 = sh, %rd20 = &out[64]. */
#define ASYNC_BEGIN \
    "mov.u32 %r20, sh;\nadd.u64 %rd20, %rd0, 256;\nshl.b32 %r1, %r0, 2;\nadd.u32 %r21, %r20, %r1;\nst.shared.u32 [%r21], 7;\n" \
    "cvt.u64.u32 %rd2, %r1;\nadd.u64 %rd21, %rd20, %rd2;\nadd.u32 %r2, %r0, 100;\nst.global.u32 [%rd21], %r2;\n"

static void asynchronous_copies_arrive_at_their_wait(void **state)
{
    (void)state;
    /* before the wait: what was there; after it: the copy */
    run(ASYNC_BEGIN "cp.async.ca.shared.global [%r21], [%rd21], 4;\nld.shared.u32 %r3, [%r21];\ncp.async.commit_group;\n"
        "cp.async.wait_group 0;\nld.shared.u32 %r4, [%r21];\nmad.lo.u32 %r4, %r3, 1000, %r4;\n" STORE("%r4"), 1, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], 7000 + 100 + i);
    /* two groups, the older waited for, the newer not; then all, with a copy in no group */
    run(ASYNC_BEGIN "cp.async.ca.shared.global [%r21], [%rd21], 4;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r21+128], [%rd21+-4], 4;\ncp.async.commit_group;\nst.shared.u32 [%r21+128], 1;\nst.shared.u32 [%r21+256], 2;\n"
        "cp.async.ca.shared.global [%r21+256], [%rd21], 4;\ncp.async.wait_group 1;\nld.shared.u32 %r3, [%r21];\n"
        "ld.shared.u32 %r4, [%r21+128];\nld.shared.u32 %r5, [%r21+256];\nmad.lo.u32 %r6, %r4, 1000, %r3;\nmad.lo.u32 %r6, %r5, 10000, %r6;\n"
        "cp.async.wait_all;\nld.shared.u32 %r7, [%r21+256];\nmad.lo.u32 %r6, %r7, 100000, %r6;\n" STORE("%r6"), 1, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], (100 + i) * 100000 + 20000 + 1000 + 100 + i);
    /* groups are per thread: odd lanes commit one more (empty) group, so `wait_group 1` covers their copy only */
    run(ASYNC_BEGIN "and.b32 %r3, %r0, 1;\nsetp.ne.u32 %p1, %r3, 0;\ncp.async.ca.shared.global [%r21], [%rd21], 4;\ncp.async.commit_group;\n"
        "@%p1 cp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 %r4, [%r21];\n" STORE("%r4"), 1, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], i & 1 ? 100 + i : 7);
}

static void asynchronous_copies_have_sizes(void **state)
{
    (void)state;
    /* thread 0 copies 16 bytes of which 6 are read: 100, the low half of 101, zeros */
    run(ASYNC_BEGIN "bar.sync 0;\nsetp.eq.u32 %p1, %r0, 0;\nmov.u32 %r5, 6;\n@%p1 cp.async.cg.shared.global.L2::128B [%r20+16], [%rd20+0], 16, %r5;\n"
        "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r4, [%r21];\n" STORE("%r4"), 1, 8);
    static const unsigned want[] = {7, 7, 7, 7, 100, 101, 0, 0};
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], want[i]);
    /* lanes whose predicate says "ignore" read nothing, not even a bad address, and write zero */
    run(ASYNC_BEGIN "setp.ge.u32 %p1, %r0, 4;\n@%p1 mov.u64 %rd21, 64;\ncp.async.ca.shared.global [%r21], [%rd21], 4, %p1;\n"
        "cp.async.wait_all;\nld.shared.u32 %r4, [%r21];\n" STORE("%r4"), 1, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], i < 4 ? 100 + i : 0);
}

static void asynchronous_copies_fault_and_count(void **state)
{
    (void)state;
    heddle_result *r;
    double v;
    assert_int_equal(try_run(ASYNC_BEGIN "cp.async.ca.shared.global [%r21+2], [%rd21], 4;\n", 1, 8, 0, NULL), HEDDLE_MISALIGNED_ADDRESS);
    assert_int_equal(try_run(ASYNC_BEGIN "mov.u64 %rd21, 64;\ncp.async.ca.shared.global [%r21], [%rd21], 4;\n", 1, 8, 0, NULL),
                     HEDDLE_ILLEGAL_ADDRESS);
    assert_non_null(strstr(heddle_error_text(), "asynchronous copy of 4 bytes"));
    assert_int_equal(try_run(ASYNC_BEGIN "cp.async.ca.shared.global [%r21], [%rd21], 4;\ncp.async.wait_all;\n", 2, 64, 0, &r), HEDDLE_OK);
    static const struct {
        const char *name;
        double value;
    } want[] = {
        /* 4 warps, 128 bytes each: 4 sectors, 1 wavefront; the same among the loads, which there are none of besides */
        {"sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", 4},
        {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", 16},
        {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", 4},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 16},
        {"smsp__sass_inst_executed_op_global_ld.sum", 0},
        {"smsp__sass_inst_executed_op_shared_st.sum", 4}, /* the st.shared of ASYNC_BEGIN */
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(heddle_result_metric(r, want[i].name, &v), HEDDLE_OK);
        if (v != want[i].value)
            fail_msg("%s: %g, expected %g", want[i].name, v, want[i].value);
    }
    heddle_result_free(r);
}

/* Each of the first lanes names a row of 16 bytes; the rows of a matrix go through the banks together (memory/shared.c). */
static void rows_of_matrices_are_checked_and_counted(void **state)
{
    (void)state;
    static const char *const load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r21];\n";
    char body[500];
    static const struct {
        const char *address;
        double wavefronts;
    } rows[] = {{"and.b32 %r21, %r0, 31;\nshl.b32 %r21, %r21, 4;\n", 4},                             /* next to each other */
                {"and.b32 %r21, %r0, 7;\nshl.b32 %r21, %r21, 7;\n", 32}};                            /* 128 bytes apart: on four banks */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heddle_result *r;
        double loads, wavefronts;
        snprintf(body, sizeof body, "%smov.u32 %%r22, sh;\nadd.u32 %%r21, %%r21, %%r22;\n%s%s", rows[i].address, load, STORE("%r5"));
        assert_int_equal(try_run(body, 1, 64, 7, &r), HEDDLE_OK);
        assert_int_equal(heddle_result_metric(r, "smsp__inst_executed_op_ldsm.sum", &loads), HEDDLE_OK);
        assert_int_equal(heddle_result_metric(r, "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", &wavefronts), HEDDLE_OK);
        assert_true(loads == 2 && wavefronts == 2 * rows[i].wavefronts);
        heddle_result_free(r);
    }
    snprintf(body, sizeof body, "mov.u32 %%r21, 8;\n%s%s", load, STORE("%r5"));
    faults(body, 32, HEDDLE_MISALIGNED_ADDRESS, "read of 16 bytes");
    snprintf(body, sizeof body, "mul.lo.u32 %%r21, %%r0, 48;\n%s%s", load, STORE("%r5")); /* lane 27: bytes 1296 to 1311 of 1280 */
    faults(body, 32, HEDDLE_ILLEGAL_ADDRESS, "by thread (27,0,0)");
    faults("stmatrix.sync.aligned.m8n8.x1.b16 [%rd0], %r0;\n", 32, HEDDLE_INVALID_ADDRESS_SPACE, "rows of a matrix lie in shared memory");
    /* lanes that come in two parts wait for each other, and the launch ends at a fault all the same */
    run("mov.u32 %r21, sh;\nmov.u32 %r7, 7;\nst.shared.u32 [%r21], %r7;\nsetp.gt.u32 %p1, %r0, 9;\n@%p1 bra B;\nadd.u32 %r5, %r0, 1;\nbra C;\n"
        "B: add.u32 %r5, %r0, 2;\nC: ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r6, [%r21];\nshr.u32 %r8, %r0, 2;\n"
        "and.b32 %r9, %r0, 3;\nsetp.eq.u32 %p2, %r9, 0;\nselp.u32 %r6, %r6, 100, %p2;\nadd.u32 %r6, %r6, %r5;\n" STORE("%r6"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], (i % 4 ? 100 : 7) + i + (i > 9 ? 2 : 1));
}

/* Where a warp waits or parts, too, a fault ends it. */
static void faults_of_barriers_and_tables_end_the_launch(void **state)
{
    (void)state;
    faults("mov.u32 %r1, 20;\nadd.u32 %r1, %r1, %r39;\nbar.sync %r1;\n", 64, HEDDLE_ILLEGAL_INSTRUCTION, "a block has barriers 0 to 15");
    faults("ts: .branchtargets A, B;\nbrx.idx %r39, ts;\nA: mov.u32 %r1, 1;\nB: mov.u32 %r1, 2;\n", 64, HEDDLE_ILLEGAL_INSTRUCTION,
           "past its list of targets");
}

static void addresses_of_32_bits_wrap(void **state)
{
    (void)state;
    /* as nvcc writes a stencil's halo: the base lies before the array, the offset brings it back */
    run("st.shared.u32 [sh], 41;\nmov.u32 %r2, sh;\nadd.s32 %r2, %r2, -264;\nld.shared.u32 %r3, [%r2+264];\nmov.u32 %r4, -4;\n"
        "ld.shared.u32 %r5, [%r4+4];\nadd.u32 %r3, %r3, %r5;\n" STORE("%r3"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 82);
    /* as clang writes p[~x] with an unsigned x: ~0u * 4 = 0x3fffffffc is not shortened before it is added */
    run("st.shared.u32 [sh], 41;\nmov.u64 %rd3, sh;\nadd.s64 %rd3, %rd3, 0x3fffffffc;\nld.shared.u32 %r3, [%rd3+4];\n"
        STORE("%r3"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 41);
}

static void constants_of_predicates_and_of_words_are_apart(void **state)
{
    (void)state;
    /* a true predicate and -1 have the same first word */
    run("mov.pred %p1, -1;\nadd.s32 %r2, %r0, -1;\nselp.b32 %r3, %r2, 0, %p1;\n" STORE("%r3"), 1, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_predicates_and_of_words_are_apart),
        cmocka_unit_test(faults_of_barriers_and_tables_end_the_launch),
        cmocka_unit_test(rows_of_matrices_are_checked_and_counted),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(parts_of_special_registers),
        cmocka_unit_test(some_lanes_read_what_all_could),
        cmocka_unit_test(addresses_may_end_short_of_a_power_of_two),
        cmocka_unit_test(divergence_nests_and_meets),
        cmocka_unit_test(lanes_leave_loops_at_different_turns),
        cmocka_unit_test(a_guarded_exit_ends_its_lanes_only),
        cmocka_unit_test(mbarriers_count_arrivals),
        cmocka_unit_test(an_mbarrier_is_waited_for_in_a_loop),
        cmocka_unit_test(an_mbarrier_follows_copies),
        cmocka_unit_test(mbarriers_that_are_misused),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(bit_fields_masks_and_elections),
        cmocka_unit_test(lanes_of_one_split_may_name_different_masks),
        cmocka_unit_test(lanes_meet_at_a_shuffle_from_both_sides_of_a_branch),
        cmocka_unit_test(votes),
        cmocka_unit_test(match_and_redux),
        cmocka_unit_test(barriers_order_shared_memory),
        cmocka_unit_test(generic_addresses_find_their_space),
        cmocka_unit_test(a_block_is_the_first_of_its_cluster),
        cmocka_unit_test(loads_and_stores_of_all_widths),
        cmocka_unit_test(atomics),
        cmocka_unit_test(vector_moves_and_carries),
        cmocka_unit_test(a_branch_by_table),
        cmocka_unit_test(what_goes_wrong_is_named),
        cmocka_unit_test(the_earliest_block_is_blamed),
        cmocka_unit_test(a_missing_instruction_stops_only_its_kernel),
        cmocka_unit_test(bad_launches_are_refused),
        cmocka_unit_test(counters_count),
        cmocka_unit_test(lanes_of_one_depth_meet),
        cmocka_unit_test(parameters_in_memory_survive_calls),
        cmocka_unit_test(the_stack_has_an_end),
        cmocka_unit_test(accesses_can_be_observed),
        cmocka_unit_test(addresses_of_32_bits_wrap),
        cmocka_unit_test(asynchronous_copies_arrive_at_their_wait),
        cmocka_unit_test(asynchronous_copies_have_sizes),
        cmocka_unit_test(asynchronous_copies_fault_and_count),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
