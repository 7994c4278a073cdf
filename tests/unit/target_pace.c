/* How long a block takes a warp that is alone, by the latencies of a device's description: small kernels worked by hand. The beginning of each:
 * target_test.h. */
#include "target_test.h"

#include "device/device.h"
#include "target/arch.h"
#include "target/code.h"
#include "target/pace.h"

static struct device load(const char *name)
{
    struct diag_list diags;
    struct device d;
    diag_init(&diags);
    assert_true(device_load(&d, name, &diags));
    diag_release(&diags);
    return d;
}

/* Of the kernel's one block on the device: cycles, lines of code, instructions, those of the functions that it calls, and cycles that it waits. */
struct paced {
    int cycles, lines, insts, called, wait, scoreboard;
};

static struct paced paced(const char *statements, const struct device *d, int arch)
{
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    struct code *c = target_code(k, arch, TARGET_ALLOCATED);
    const struct target_pace *p = target_tables(k, &k->arena, arch, d)->pace;
    struct paced is = {(int)(p->block[0].span / PACE_TICKS), (int)p->block[0].lines, c->blocks[0].count, 0, (int)(p->block[0].wait / PACE_TICKS), (int)(p->block[0].scoreboard / PACE_TICKS)};
    for (int32_t b = 1; b < c->nblocks; b++)
        is.called += c->blocks[b].times == TIMES_CALLED ? c->blocks[b].count : 0;
    code_free(c);
    ir_free(k);
    ptx_free(m);
    return is;
}

/* From a load of shared memory to one at the address that it brings: tests/truth/time/pipes.tsv has 23.0 cycles for a word a lane of an H200's, 26.0
 * for two and 32.1 for four; V100: 19 (Jia et al. 2018), whose description does not tell the address's part. */
static void shared(void **state)
{
    (void)state;
    static const char *const load_of[] = {"ld.volatile.shared.u32 %r2, [%r2];", "ld.volatile.shared.v2.u32 {%r2, %r3}, [%r2];", "ld.volatile.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r2];"};
    static const int h200[] = {23, 26, 32};
    struct device d[2] = {load("h200"), load("v100")};
    for (int i = 0; i < 3; i++) {
        char text[2][400];
        for (int n = 0; n < 2; n++)
            snprintf(text[n], sizeof text[n], "mov.u32 %%r2, %%r0; %s %s %s cvt.rn.f32.u32 %%f3, %%r2; add.f32 %%f1, %%f1, %%f3;", load_of[i], load_of[i], n ? load_of[i] : "");
        assert_int_equal(paced(text[1], &d[0], 90).cycles - paced(text[0], &d[0], 90).cycles, h200[i]);
        if (!i)
            assert_int_equal(paced(text[1], &d[1], 70).cycles - paced(text[0], &d[1], 70).cycles, 19);
    }
}

/* Matrices pass the banks one after the other, which adds two cycles each (l1.tsv). pipes.tsv has 34.7 for four and a LOP3, which takes 5.1 behind a
 * load (LDS.U8 beside LDS): 29.6. */
static void matrices(void **state)
{
    (void)state;
    static const char *const load_of[] = {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r2];", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r2];",
                                          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r2];"};
    static const int h200[] = {23, 25, 29};
    struct device d = load("h200");
    for (int i = 0; i < 3; i++) {
        char text[2][400];
        for (int n = 0; n < 2; n++)
            snprintf(text[n], sizeof text[n], "mov.u32 %%r2, %%r0; %s %s %s add.u32 %%r2, %%r2, %%r3; add.u32 %%r2, %%r2, %%r4; add.u32 %%r2, %%r2, %%r5; cvt.rn.f32.u32 %%f3, %%r2; add.f32 %%f1, %%f1, %%f3;",
                     load_of[i], load_of[i], n ? load_of[i] : "");
        assert_int_equal(paced(text[1], &d, 90).cycles - paced(text[0], &d, 90).cycles, h200[i]);
    }
}

/* A line of 128 bytes: 8 instructions since Volta, 12 of Maxwell's and 14 of Kepler's, whose control words come between. */
static void lines_of_code(void **state)
{
    (void)state;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 50; i++)
        strbuf_addf(&s, "fma.rn.f32 %%f1, %%f1, %%f2, %%f1;\n");
    static const int in_line[][2] = {{90, 8}, {70, 8}, {52, 12}, {35, 14}, {20, 16}};
    for (size_t i = 0; i < sizeof in_line / sizeof *in_line; i++) {
        const struct paced is = paced(s.s, NULL, in_line[i][0]);
        assert_true(is.insts > 50);
        assert_int_equal(is.lines, (is.insts + in_line[i][1] - 1) / in_line[i][1]);
    }
    strbuf_release(&s);
}

/* In a called function each instruction needs the one before it. */
static void called(void **state)
{
    (void)state;
    static const char text[] = "cvt.u64.u32 %rd5, %r0; add.s64 %rd5, %rd5, %rd2; div.u64 %rd6, %rd2, %rd5; cvt.rn.f32.u64 %f1, %rd6;";
    struct device d = load("h200");
    const struct paced at_4 = paced(text, &d, 90);
    d.latency_alu *= 2;
    assert_true(at_4.called > 20);
    assert_in_range(paced(text, &d, 90).cycles - at_4.cycles, 4 * at_4.called, 4 * (at_4.called + at_4.insts));
}

/* Words of a pair that are put together and taken apart take no instruction and hide no wait: each turn of two shuffles, one of each word, takes as
 * long as a shuffle (devices/h200.json), the second of them beside the first. */
static void pairs(void **state)
{
    (void)state;
    static const char turn[] = "mov.b64 {%r2, %r3}, %rd3; shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1; shfl.sync.bfly.b32 %r5, %r3, 16, 31, -1; mov.b64 %rd3, {%r4, %r5};";
    static const char end[] = "cvt.rn.f32.u64 %f3, %rd3; add.f32 %f1, %f1, %f3;";
    struct device d = load("h200");
    char text[2][1200];
    snprintf(text[0], sizeof text[0], "cvt.u64.u32 %%rd3, %%r1; add.u64 %%rd3, %%rd3, %%rd2; %s %s", turn, end);
    snprintf(text[1], sizeof text[1], "cvt.u64.u32 %%rd3, %%r1; add.u64 %%rd3, %%rd3, %%rd2; %s %s %s", turn, turn, end);
    const struct paced one = paced(text[0], &d, 90), two = paced(text[1], &d, 90);
    assert_int_equal(two.cycles - one.cycles, d.latency_exchange);
}

/* Doubles take a fixed number of cycles on 9.0, come when they come on 8.0; and branches wait as long as the code says before they wait for where
 * they go: devices/h200.json, tests/truth/machine/stalls.tsv. */
static void doubles(void **state)
{
    (void)state;
    static const char turn[] = "fma.rn.f64 %rd5, %rd5, %rd5, %rd5; ", end[] = "cvt.rn.f32.f64 %f3, %rd5; add.f32 %f1, %f1, %f3;";
    const struct device d = load("h200");
    char text[2][400];
    for (int n = 0; n < 2; n++)
        snprintf(text[n], sizeof text[n], "cvt.f64.f32 %%rd5, %%f2; %s %s %s", turn, n ? turn : "", end);
    assert_int_equal(paced(text[1], &d, 90).cycles - paced(text[0], &d, 90).cycles, 8);
    assert_int_equal(paced(text[1], &d, 90).wait - paced(text[0], &d, 90).wait, 7);
    assert_int_equal(paced(text[1], &d, 90).scoreboard, paced(text[0], &d, 90).scoreboard);
    assert_int_equal(paced(text[1], &d, 80).wait, paced(text[0], &d, 80).wait);
    assert_int_equal(paced(text[1], &d, 80).scoreboard - paced(text[0], &d, 80).scoreboard, 7);
}

/* Cycles from the block's begin to where it waits for asynchronous copies. */
static int waits_at(const char *statements)
{
    const struct device d = load("h200");
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    const struct target_pace *p = target_tables(k, &k->arena, 90, &d)->pace;
    int at = -1;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == PTX_OP_CP_WAIT)
            at = p->access[p->first[i]].at;
    ir_free(k);
    ptx_free(m);
    return at;
}

/* wait_all is the same two instructions as closing a group and waiting for it (sequences.def): the second one waits. */
static void copies(void **state)
{
    (void)state;
    static const char copy[] = "cvt.u32.u64 %r2, %rd1; cp.async.ca.shared.global [%r2], [%rd2], 4; ";
    char text[2][300];
    snprintf(text[0], sizeof text[0], "%scp.async.commit_group; cp.async.wait_group 0; ld.shared.f32 %%f3, [%%r2]; add.f32 %%f1, %%f1, %%f3;", copy);
    snprintf(text[1], sizeof text[1], "%scp.async.wait_all; ld.shared.f32 %%f3, [%%r2]; add.f32 %%f1, %%f1, %%f3;", copy);
    assert_true(waits_at(text[0]) > 0);
    assert_int_equal(waits_at(text[1]), waits_at(text[0]));
}

/* The part that all special quotients execute: 16 instructions of 4 cycles, BSYNC and RET go elsewhere (15 cycles a jump, one of them its own);
 * it is called (14 more), and two registers are moved. */
static void long_way(void **state)
{
    (void)state;
    const struct device d = load("h200");
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of("div.rn.f32 %f1, %f1, %f2;", &m);
    const struct target_pace *p = target_tables(k, &k->arena, 90, &d)->pace;
    assert_non_null(p->part);
    const struct pace_block *part = &p->part[LONG_div_rn_f32][0];
    assert_int_equal(part->span / PACE_TICKS, 16 * 4 + 2 * 4 + 3 * 14);
    assert_int_equal(part->wait / PACE_TICKS, 16 * 3 + 2 * 3);
    assert_int_equal(part->branch / PACE_TICKS, 3 * 14);
    ir_free(k);
    ptx_free(m);
    k = rewritten_of("add.f32 %f1, %f1, %f2;", &m);
    assert_null(target_tables(k, &k->arena, 90, &d)->pace->part);
    ir_free(k);
    ptx_free(m);
}

int main(void)
{
    setenv("HEDDLE_DEVICES", DEVICES, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared), cmocka_unit_test(matrices), cmocka_unit_test(lines_of_code), cmocka_unit_test(called), cmocka_unit_test(pairs),
                                       cmocka_unit_test(doubles), cmocka_unit_test(copies), cmocka_unit_test(long_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
