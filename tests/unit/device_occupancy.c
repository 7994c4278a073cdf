/* Occupancy: each generation's rule by hand, textbook figures, all launches of an H200, curves against single answers. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "device/occupancy.h"

static struct device load(const char *name)
{
    struct diag_list diags;
    struct device d;

    diag_init(&diags);
    assert_true(device_load(&d, name, &diags));
    diag_release(&diags);
    return d;
}

static struct device_occupancy occupancy(const struct device *d, int threads, int registers, int64_t shared)
{
    struct device_need need = {.threads = threads, .registers = registers, .shared_static = shared};
    struct device_occupancy o;

    device_occupancy(d, &need, &o);
    return o;
}

static void same(enum device_limit want, struct device_occupancy o, enum device_limit also)
{
    assert_int_equal(o.limit, want);
    assert_int_equal(o.limits, 1u << want | 1u << also);
}

#define BY(o, NAME) ((o).by_limit[DEVICE_LIMIT_##NAME])
#define LIMITED(o, NAME, ALSO) same(DEVICE_LIMIT_##NAME, (o), DEVICE_LIMIT_##ALSO)

/* A block's registers, for an even number of warps, in units of 256 (G80) or 512 (GT200). */
static void compute_capability_1(void **state)
{
    struct device g80 = load("g80"), gt200 = load("gt200");
    struct device_occupancy o = occupancy(&g80, 256, 10, 0); /* 8 * 320 = 2560: 3 blocks of 8192 */

    (void)state;
    assert_int_equal(o.warps * 32, 768);
    LIMITED(o, WARPS, REGISTERS);
    o = occupancy(&g80, 256, 11, 0); /* 8 * 352 = 2816: 2 */
    assert_int_equal(o.registers_per_block, 2816);
    assert_int_equal(o.warps * 32, 512);
    LIMITED(o, REGISTERS, REGISTERS);
    o = occupancy(&g80, 96, 10, 0); /* 3 warps count as 4: 1280 = 5 * 256: 6 */
    assert_int_equal(o.registers_per_block, 1280);
    assert_int_equal(o.registers_per_warp, 427);
    assert_int_equal(BY(o, REGISTERS), 6);
    assert_int_equal(BY(o, WARPS), 6); /* 24 / 4 */
    o = occupancy(&gt200, 96, 10, 0); /* 1280 -> 1536: 16384 / 1536 = 10 */
    assert_int_equal(o.registers_per_block, 1536);
    assert_int_equal(BY(o, REGISTERS), 10);
    assert_int_equal(occupancy(&g80, 512, 16, 0).blocks, 1); /* 16 * 512 = 8192 */
    assert_int_equal(occupancy(&g80, 512, 17, 0).refusal, DEVICE_REGISTERS_A_BLOCK);
    assert_int_equal(occupancy(&g80, 32, 124, 0).blocks, 1); /* 2 * 3968 = 7936 -> 7936 = 31 * 256 */
    assert_int_equal(occupancy(&g80, 32, 125, 0).refusal, DEVICE_REGISTERS_A_THREAD);
    assert_int_equal(occupancy(&g80, 513, 8, 0).refusal, DEVICE_THREADS_A_BLOCK);
    assert_int_equal(BY(occupancy(&g80, 64, 8, 2048), SHARED), 8);
    assert_int_equal(BY(occupancy(&g80, 64, 8, 2049), SHARED), 6); /* 2560 */
    assert_int_equal(BY(occupancy(&g80, 64, 8, 5 * 1024), SHARED), 3);
    o = occupancy(&g80, 16 * 16, 10, 2 * 16 * 16 * 4);
    assert_int_equal(o.blocks, 3);
    assert_int_equal(BY(o, SHARED), 8);
    assert_int_equal(o.blocks * o.shared_per_block, 6 * 1024);
}

/* 1.x keeps a kernel's parameters and built-in variables in shared memory: 2048 + 16 + 28 -> 2560: 6. */
static void hidden_shared_memory(void **state)
{
    struct device g80 = load("g80"), h200 = load("h200");
    struct device_need need = {.threads = 64, .registers = 8, .shared_static = 2048};
    struct device_occupancy o;

    (void)state;
    need.shared_hidden = device_hidden_shared(&g80, 28);
    assert_int_equal(need.shared_hidden, 44);
    device_occupancy(&g80, &need, &o);
    assert_int_equal(o.shared_driver, 44);
    assert_int_equal(o.shared_per_block, 2560);
    assert_int_equal(BY(o, SHARED), 6);
    assert_int_equal(device_hidden_shared(&h200, 28), 0);
}

/* A warp's registers in units of 64, or of 128 for some counts; warps in pairs; shared memory in units of 128. */
static void fermi(void **state)
{
    struct device d = load("c2050");
    struct device_occupancy o = occupancy(&d, 64, 20, 1); /* 640; 32768 / 640 = 51 -> 50 warps */

    (void)state;
    assert_int_equal(o.registers_per_warp, 640);
    assert_int_equal(BY(o, REGISTERS), 25);
    assert_int_equal(o.shared_per_block, 128);
    assert_int_equal(BY(o, SHARED), 384);
    LIMITED(o, BLOCKS, BARRIERS);
    o = occupancy(&d, 64, 21, 0); /* 672 -> 768, not 704; 42 warps */
    assert_int_equal(o.registers_per_warp, 768);
    assert_int_equal(BY(o, REGISTERS), 21);
    o = occupancy(&d, 64, 23, 0); /* 736 -> 768 */
    assert_int_equal(o.registers_per_warp, 768);
    o = occupancy(&d, 192, 21, 0); /* 42 / 6 = 7 of 8: 42 of 48 warps */
    assert_int_equal(o.warps, 42);
    LIMITED(o, REGISTERS, REGISTERS);
    assert_int_equal(o.shared_config, 49152); /* the initial one, whatever is needed */
    assert_int_equal(occupancy(&d, 32, 64, 0).refusal, DEVICE_REGISTERS_A_THREAD);
}

static void kepler_to_turing(void **state)
{
    struct device k40 = load("k40"), gtx980 = load("gtx980"), p100 = load("p100"), v100 = load("v100"), t4 = load("t4");
    struct device_occupancy o = occupancy(&k40, 256, 33, 3000); /* 1056 -> 1280; 51 -> 48 warps: 6; 3072: 16 */

    (void)state;
    assert_int_equal(BY(o, REGISTERS), 6);
    assert_int_equal(BY(o, SHARED), 16);
    assert_int_equal(o.shared_config, 49152);
    assert_int_equal(occupancy(&k40, 64, 33, 0).blocks, 16);
    LIMITED(occupancy(&k40, 64, 33, 0), BLOCKS, BARRIERS);
    assert_int_equal(BY(occupancy(&gtx980, 256, 33, 12288), SHARED), 8);
    assert_int_equal(occupancy(&gtx980, 32, 16, 49153).refusal, DEVICE_SHARED_A_BLOCK);
    assert_int_equal(occupancy(&gtx980, 32, 16, 0).warps, 32);
    /* Two parts of the register file, so 51 -> 50 warps. */
    assert_int_equal(BY(occupancy(&p100, 64, 33, 0), REGISTERS), 25);
    assert_int_equal(BY(occupancy(&gtx980, 64, 33, 0), REGISTERS), 24);
    /* 112 registers: 3584; two parts hold 18 warps, but a launch on a GPU of 6.1, of four, could not have more than 16. */
    assert_int_equal(occupancy(&p100, 17 * 32, 112, 0).refusal, DEVICE_REGISTERS_A_BLOCK);
    assert_int_equal(occupancy(&p100, 16 * 32, 112, 0).blocks, 1);
    o = occupancy(&v100, 256, 40, 24576);
    assert_int_equal(BY(o, REGISTERS), 6);
    assert_int_equal(BY(o, SHARED), 4);
    assert_int_equal(BY(occupancy(&v100, 256, 40, 0), SHARED), 32); /* needs none: no limit */
    assert_int_equal(occupancy(&v100, 32, 16, 98304).blocks, 1);
    o = occupancy(&t4, 1024, 64, 0); /* 2048 * 32 = 65536; 32 warps */
    assert_int_equal(o.blocks, 1);
    LIMITED(o, WARPS, REGISTERS);
    assert_int_equal(occupancy(&t4, 1024, 65, 0).refusal, DEVICE_REGISTERS_A_BLOCK); /* 2304 * 32 */
}

/* The driver keeps 1 KiB of each block; textbooks leave it out. */
static void ampere_and_hopper(void **state)
{
    struct device a100 = load("a100"), book = a100, rtx3090 = load("rtx3090"), h200 = load("h200");
    struct device_occupancy o = occupancy(&a100, 768, 32, 0);

    (void)state;
    book.shared_reserved = 0;
    assert_int_equal(o.blocks, 2);
    assert_int_equal(100 * o.warps / a100.max_warps_per_sm, 75);
    LIMITED(o, WARPS, REGISTERS); /* 64 warps by registers: 2 blocks of 24 */
    /* 164 KiB / 2048 threads = 82 bytes a thread. */
    assert_int_equal(book.shared_per_sm / book.max_threads_per_sm, 82);
    assert_int_equal(occupancy(&book, 256, 32, 82 * 256).warps, 64);
    assert_int_equal(occupancy(&book, 256, 32, 83 * 256).warps, 56);
    assert_int_equal(occupancy(&a100, 256, 32, 82 * 256).warps, 56); /* 22016 a block: 7 */
    assert_int_equal(occupancy(&a100, 256, 32, 78 * 256).warps, 64); /* 20992 a block: 8 */
    /* 132 bytes a thread: 1272 threads are 62.1 %; in blocks of 96 threads 13 * 3 = 39 warps, 60.9 %. */
    assert_int_equal(1000 * (book.shared_per_sm / 132) / book.max_threads_per_sm, 621);
    assert_int_equal(occupancy(&book, 96, 32, 132 * 96).warps, 39);
    /* 132 bytes are 32 KiB and the reserve over 256 threads: 5 blocks, 62.5 %, without it, and 4 with it. */
    assert_int_equal(occupancy(&book, 256, 32, 32 * 1024).warps, 40);
    assert_int_equal(occupancy(&a100, 256, 32, 32 * 1024).warps, 32);
    assert_int_equal(occupancy(&rtx3090, 1024, 32, 0).warps, 32); /* of 48 */
    o = occupancy(&h200, 256, 72, 0); /* 2304; 28 warps: 3 blocks */
    assert_int_equal(o.warps, 24);
    LIMITED(o, REGISTERS, REGISTERS);
    o = occupancy(&h200, 256, 20, 84 * 1024); /* 85 KiB of 228: 2 */
    assert_int_equal(o.blocks, 2);
    LIMITED(o, SHARED, SHARED);
    LIMITED(occupancy(&h200, 1, 16, 0), BLOCKS, BARRIERS);
    assert_int_equal(occupancy(&h200, 32, 16, 232448).blocks, 1);
}

static void what_does_not_fit(void **state)
{
    static const struct {
        struct device_need need;
        enum device_refusal refusal;
        enum device_limit limit;
    } bad[] = {
        {{.threads = 1025, .registers = 16}, DEVICE_THREADS_A_BLOCK, DEVICE_LIMIT_WARPS},
        {{.threads = INT_MAX, .registers = INT_MAX}, DEVICE_THREADS_A_BLOCK, DEVICE_LIMIT_WARPS},
        {{.threads = 32, .registers = 256}, DEVICE_REGISTERS_A_THREAD, DEVICE_LIMIT_REGISTERS},
        {{.threads = 1024, .registers = 65}, DEVICE_REGISTERS_A_BLOCK, DEVICE_LIMIT_REGISTERS},
        {{.threads = 32, .shared_static = 232449}, DEVICE_SHARED_A_BLOCK, DEVICE_LIMIT_SHARED},
        {{.threads = 32, .shared_static = 200000, .shared_dynamic = 40000}, DEVICE_SHARED_A_BLOCK, DEVICE_LIMIT_SHARED},
        {{.threads = 32, .shared_static = INT64_MAX, .shared_dynamic = INT64_MAX}, DEVICE_SHARED_A_BLOCK, DEVICE_LIMIT_SHARED},
        {{.threads = 32, .barriers = 17}, DEVICE_BARRIERS_A_BLOCK, DEVICE_LIMIT_BARRIERS},
        {{.threads = 0}, DEVICE_WRONG_NEED, DEVICE_LIMIT_WARPS},
        {{.threads = -32}, DEVICE_WRONG_NEED, DEVICE_LIMIT_WARPS},
        {{.threads = 32, .registers = -1}, DEVICE_WRONG_NEED, DEVICE_LIMIT_WARPS},
        {{.threads = 32, .shared_dynamic = -1}, DEVICE_WRONG_NEED, DEVICE_LIMIT_WARPS},
    };
    struct device h200 = load("h200");

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct device_occupancy o;

        device_occupancy(&h200, &bad[i].need, &o);
        assert_int_equal(o.blocks, 0);
        assert_int_equal(o.warps, 0);
        assert_int_equal(o.refusal, bad[i].refusal);
        assert_int_equal(o.limit, bad[i].limit);
    }
}

/* All launches, with the registers of the profiler (at least 16) and with those of the assembler.
 * tests/data/h200_occupancy.tsv says how it was measured. */
static void launches_of_an_h200(void **state)
{
    FILE *f = fopen(DATA "/h200_occupancy.tsv", "r");
    struct device h200 = load("h200");
    char line[512];
    int rows = 0, same_config = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        int threads, assembler, registers, is_static, dynamic, want[5], config, warps;
        double percent;
        struct device_occupancy o;

        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%*s %*d %d %d %d %d %d %d %d %d %d %d %d %d %lf", &threads, &assembler,
                                &registers, &is_static, &dynamic, &want[0], &want[1], &want[2], &want[3], &want[4],
                                &config, &warps, &percent), 13);
        o = occupancy(&h200, threads, assembler, is_static + dynamic);
        assert_int_equal(o.warps, warps);
        assert_float_equal(100.0 * o.warps / (double)h200.max_warps_per_sm, percent, 0.005);
        o = occupancy(&h200, threads, registers, is_static + dynamic);
        assert_int_equal(o.warps, warps);
        assert_int_equal(BY(o, REGISTERS), want[0]);
        assert_int_equal(BY(o, WARPS), want[2]);
        assert_int_equal(BY(o, BLOCKS), want[3]);
        assert_int_equal(BY(o, BARRIERS), want[4]);
        same_config += o.shared_config == config && o.by_shared_configured == want[1];
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 398);
    assert_int_equal(same_config, 389); /* the driver's choice is modelled: see occupancy.c */
}

/* Each compute capability that CUDA 13's calculator still has, and that a description is of (tests/data/cuda_occupancy.tsv). */
static void as_cuda_13_answers(void **state)
{
    FILE *f = fopen(DATA "/cuda_occupancy.tsv", "r");
    char line[256], name[64];
    int rows = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        int threads, registers, shared, want;
        struct device d;

        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%63s %d %d %d %d", name, &threads, &registers, &shared, &want), 5);
        d = load(name);
        if (occupancy(&d, threads, registers, shared).blocks != want)
            fail_msg("%s", line);
        rows++;
    }
    fclose(f);
    assert_true(rows > 400);
}

/* A curve says for each value what device_occupancy says, and has no step too many. */
static void curve_of(const struct device *d, const struct device_need *need, enum device_axis axis)
{
    struct device_curve c;
    int64_t next = axis == DEVICE_AXIS_SHARED ? 0 : 1;

    device_curve_init(&c, d, need, axis);
    for (int i = 0; i < c.n; i++) {
        const struct device_step *s = &c.steps[i];

        assert_int_equal(s->first, next);
        next = s->last + 1;
        for (int64_t v = s->first; v <= s->last; v += axis == DEVICE_AXIS_SHARED && v + 61 < s->last ? 61 : 1) {
            struct device_need at = *need;
            struct device_occupancy o;

            if (axis == DEVICE_AXIS_THREADS)
                at.threads = (int)v;
            else if (axis == DEVICE_AXIS_REGISTERS)
                at.registers = (int)v;
            else
                at.shared_static = 0, at.shared_dynamic = v;
            device_occupancy(d, &at, &o);
            assert_true(o.blocks == s->at.blocks && o.warps == s->at.warps && o.limits == s->at.limits);
        }
        if (i)
            assert_true(s->at.warps != s[-1].at.warps || s->at.limits != s[-1].at.limits || s->at.blocks != s[-1].at.blocks ||
                        s->at.refusal != s[-1].at.refusal);
        assert_ptr_equal(device_curve_at(&c, s->first), s);
        assert_ptr_equal(device_curve_at(&c, s->last), s);
    }
    assert_int_equal(next - 1, axis == DEVICE_AXIS_THREADS     ? d->max_threads_per_block
                               : axis == DEVICE_AXIS_REGISTERS ? d->max_registers_per_thread
                                                               : d->max_shared_per_block_optin);
    assert_null(device_curve_at(&c, next));
    device_curve_release(&c);
}

static void curves(void **state)
{
    char **names;
    int n = device_names(&names);

    (void)state;
    assert_true(n >= 13);
    for (int i = 0; i < n; i++) {
        struct device d = load(names[i]);
        const struct device_need needs[] = {{.threads = 256, .registers = 24, .shared_static = 3000},
                                            {.threads = 96, .registers = 10, .shared_hidden = 44},
                                            {.threads = 4096, .registers = 999}};

        for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
            for (int axis = 0; axis < DEVICE_AXES; axis++)
                curve_of(&d, &needs[k], (enum device_axis)axis);
    }
    device_names_release(names, n);
}

/* H200, 40 registers: 1280 a warp, 48 warps by registers: 48 warps are 1 block of 1024 (32), 2 of 768 (48). */
static void best_block(void **state)
{
    struct device h200 = load("h200"), g80 = load("g80");
    struct device_need need = {.threads = 1, .registers = 40};

    (void)state;
    assert_int_equal(device_best_block(&h200, &need, 0), 768);
    assert_int_equal(device_best_block(&h200, &need, 600), 512); /* 3 * 16 = 48; 600 is 1200 threads, 576 1152 */
    need.registers = 16;
    assert_int_equal(device_best_block(&h200, &need, 0), 1024);
    assert_int_equal(device_best_block(&g80, &(struct device_need){.registers = 10}, 0), 384); /* 2 of 12 warps */
    need.registers = 256;
    assert_int_equal(device_best_block(&h200, &need, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_capability_1), cmocka_unit_test(hidden_shared_memory), cmocka_unit_test(fermi),
        cmocka_unit_test(kepler_to_turing),     cmocka_unit_test(ampere_and_hopper),    cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(launches_of_an_h200), cmocka_unit_test(as_cuda_13_answers),  cmocka_unit_test(curves),               cmocka_unit_test(best_block),
    };

    setenv("HEDDLE_DEVICES", DEVICES, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
