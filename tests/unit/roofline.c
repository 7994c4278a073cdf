/* Rooflines and bounds, by hand: the figures of courses, what each resource needs, shapes of launches; pictures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/names.h"
#include "report/numbers.h"
#include "report/roofline.h"

static struct counters c;
static struct launch_facts l;
static struct device_rates rates;
static struct roofline f;

/* A launch that keeps every multiprocessor busy, on this device. */
static void on(const char *device, int64_t blocks, int64_t warps)
{
    struct diag_list diags;
    struct device d;

    diag_init(&diags);
    assert_true(device_load(&d, device, &diags));
    diag_release(&diags);
    device_rates(&d, &rates);
    memset(&l, 0, sizeof l);
    memset(&c, 0, sizeof c);
    l.blocks = blocks;
    l.warps_per_block = warps;
    l.multiprocessors = d.multiprocessors;
    l.schedulers = d.subpartitions;
    l.collected = COUNTERS_ALL;
}

static void count(void)
{
    roofline_init(&f, &c, &l, &rates);
}

/* Matrix multiply: a multiply-add for two floats, 0.25 operations a byte; tiles of 16 fetch a sixteenth. `attainable`: what
 * courses say for DRAM without caches, in GFLOP/s. */
static void matmul(const char *device, double bytes, double intensity, double attainable)
{
    on(device, 4096, 8);
    c.v[COUNTER_FFMA] = 1 << 20;
    c.v[COUNTER_GLOBAL_LD_BYTES] = (uint64_t)(bytes * (1 << 20));
    count();
    assert_float_equal(roofline_intensity(&f, ROOFLINE_LEVEL_ASKED, ROOFLINE_SINGLE), intensity, 1e-12);
    assert_float_equal(roofline_attainable(&f, ROOFLINE_LEVEL_ASKED, ROOFLINE_SINGLE), attainable, 1e-6);
}

/* PMPP: 389 and 6220 GFLOP/s of an A100 (2 % and 32 % of 19,500), meeting at 12.5; 21.6 and 345.6 of a G80, whose book has a
 * peak of 367, while its cores and clock make 345.6: there tiles of 16 reach the ridge exactly. */
static void figures_of_courses(void **state)
{
    (void)state;
    matmul("a100", 8, 0.25, 388.8);
    assert_float_equal(100 * 388.8 / f.precision[ROOFLINE_SINGLE].peak, 1.99, 0.01);
    assert_float_equal(roofline_ridge(&f, ROOFLINE_LEVEL_ASKED, ROOFLINE_SINGLE), 12.53, 0.005);
    matmul("a100", 0.5, 4, 6220.8);
    assert_float_equal(100 * 6220.8 / f.precision[ROOFLINE_SINGLE].peak, 31.9, 0.05);
    matmul("a100", 1 / 16.0, 32, 19491.84); /* beyond the ridge: the peak */
    matmul("g80", 8, 0.25, 21.6);
    matmul("g80", 0.5, 4, 345.6);
    assert_float_equal(roofline_ridge(&f, ROOFLINE_LEVEL_ASKED, ROOFLINE_SINGLE), 4, 1e-9);
}

/* An A100: 108 multiprocessors of 4 schedulers at 1.41 GHz, 64 FP32 and 32 FP64 lanes, 32 load/store units and banks, 5120
 * bytes of L2 a clock, 1555.2 GB/s. In microseconds: */
static void what_resources_need(void **state)
{
    (void)state;
    on("a100", 1080, 8);
    c.v[COUNTER_INST] = 6091200;             /* 108 * 4 * 1.41 G/s: 10 */
    c.v[COUNTER_FADD] = 9745920;             /* 108 * 64 * 1.41: 1 */
    c.v[COUNTER_DFMA] = 9745920;             /* 108 * 32 * 1.41: 2 */
    c.v[COUNTER_GLOBAL_LD_REQUESTS] = 152280; /* 108 * 1.41: 1, and as long again: */
    c.v[COUNTER_SHARED_LD_REQUESTS] = 152280;
    c.v[COUNTER_SHARED_LD_WAVEFRONTS] = 456840; /* 3 */
    c.v[COUNTER_GLOBAL_LD_SECTORS] = 4 * 761400; /* 128 bytes a clock and multiprocessor: 5 */
    c.v[COUNTER_L2_READ_SECTORS] = 5120 * 1410 / 32 * 4; /* 4 */
    c.v[COUNTER_DRAM_READ_SECTORS] = 1555200 / 32 * 6;   /* 6, and */
    c.v[COUNTER_DRAM_WRITE_SECTORS] = 1555200 / 32;      /* 1 more */
    count();
    const double us[ROOFLINE_RESOURCES] = {
        [ROOFLINE_RESOURCE_ISSUE] = 10, [ROOFLINE_RESOURCE_FP32] = 1, [ROOFLINE_RESOURCE_FP64] = 2,
        [ROOFLINE_RESOURCE_LSU] = 2,    [ROOFLINE_RESOURCE_SHARED] = 3, [ROOFLINE_RESOURCE_L1] = 5,
        [ROOFLINE_RESOURCE_L2] = 4,     [ROOFLINE_RESOURCE_DRAM] = 7,
    };
    for (int i = 0; i < ROOFLINE_RESOURCES; i++)
        assert_float_equal(f.resource[i].us, us[i], 1e-9);
    assert_int_equal(f.bound, ROOFLINE_RESOURCE_ISSUE);
    assert_float_equal(f.us, 10, 1e-9);
    assert_int_equal(roofline_main(&f), ROOFLINE_DOUBLE); /* half as many lanes, twice the operations */
    assert_float_equal(roofline_most(&f, ROOFLINE_DOUBLE), 2 * 974.592 * 2 / 2, 1e-9); /* 19.5 M in 10 us: 1949 */
    assert_float_equal(f.level[ROOFLINE_LEVEL_SHARED].bytes, 456840 * 128, 0);
    assert_float_equal(f.sms, 1, 0);
    assert_float_equal(f.last_wave, 1, 1e-12);
    l.collected = COUNTERS_EXACT; /* L2 and DRAM: nothing is known */
    count();
    assert_true(isnan(f.level[ROOFLINE_LEVEL_DRAM].bytes) && isnan(f.resource[ROOFLINE_RESOURCE_L2].us));
    assert_true(isnan(roofline_attainable(&f, ROOFLINE_LEVEL_L2, ROOFLINE_SINGLE)));
    assert_float_equal(f.us, 10, 1e-9);
}

/* 27 blocks of a warp on 108 multiprocessors: a quarter of these, a sixteenth of the schedulers. 162 blocks: two on half of
 * them, 1.5 on average. */
static void shapes(void **state)
{
    (void)state;
    on("a100", 27, 1);
    c.v[COUNTER_INST] = 380700; /* 10 us on 27 schedulers at 1.41 GHz */
    c.v[COUNTER_FFMA] = 2436480 * 4; /* 4 us on 27 multiprocessors */
    c.v[COUNTER_DRAM_READ_SECTORS] = 1555200 / 32;
    count();
    assert_float_equal(f.sms, 0.25, 1e-12);
    assert_float_equal(f.schedulers, 1 / 16.0, 1e-12);
    assert_float_equal(f.resource[ROOFLINE_RESOURCE_ISSUE].us, 10, 1e-9);
    assert_float_equal(f.resource[ROOFLINE_RESOURCE_FP32].us, 4, 1e-9);
    assert_float_equal(f.resource[ROOFLINE_RESOURCE_DRAM].us, 1, 1e-9); /* any multiprocessor gets all of it */
    on("a100", 162, 8);
    count();
    assert_float_equal(f.last_wave, 2 / 1.5, 1e-12);
    assert_float_equal(f.schedulers, 1, 0);
    assert_int_equal(f.bound, ROOFLINE_RESOURCES); /* nothing was counted */
}

/* A G80 has no caches for loads: no levels of that name. On a GTX 980 nobody tells L2's bandwidth, and on a C2050, with
 * transactions of 128 bytes, L1 moves these. */
static void other_devices(void **state)
{
    (void)state;
    on("g80", 100, 8);
    c.v[COUNTER_FFMA] = 100;
    c.v[COUNTER_GLOBAL_LD_SECTORS] = 100;
    c.v[COUNTER_L2_READ_SECTORS] = 100;
    count();
    assert_false(roofline_uses(&f, ROOFLINE_LEVEL_L1));
    assert_true(isnan(roofline_intensity(&f, ROOFLINE_LEVEL_L1, ROOFLINE_SINGLE)));
    assert_false(roofline_uses(&f, ROOFLINE_LEVEL_L2));
    assert_int_equal(f.bound, ROOFLINE_RESOURCE_FP32);
    on("gtx980", 100, 8);
    c.v[COUNTER_L2_READ_SECTORS] = 100;
    count();
    assert_true(roofline_uses(&f, ROOFLINE_LEVEL_L2));
    assert_true(isnan(f.resource[ROOFLINE_RESOURCE_L2].us));
    on("c2050", 100, 8);
    l.by_size = 1;
    c.v[COUNTER_GLOBAL_LD_SECTORS] = 4;
    c.v[COUNTER_L1_TEXTURE_SECTORS] = 1000; /* not through L1 there */
    c.v[COUNTER_GLOBAL_LD_OF_128] = 3;
    c.v[COUNTER_GLOBAL_ST_OF_32] = 2;
    count();
    assert_float_equal(f.level[ROOFLINE_LEVEL_L1].bytes, 3 * 128 + 2 * 32, 0);
    assert_int_equal(f.level[ROOFLINE_LEVEL_L1].trust, TRUST_EXACT);
    assert_int_equal(f.resource[ROOFLINE_RESOURCE_LSU].trust, TRUST_EXACT);
    c.v[COUNTER_LOCAL_LD_SECTORS] = 1; /* a spill, perhaps */
    count();
    assert_int_equal(f.level[ROOFLINE_LEVEL_L1].trust, TRUST_MODELLED);
    assert_int_equal(f.resource[ROOFLINE_RESOURCE_LSU].trust, TRUST_MODELLED);
    c.v[COUNTER_LOCAL_LD_SECTORS] = 0;
    l.by_size = 0;
    count();
    assert_float_equal(f.level[ROOFLINE_LEVEL_L1].bytes, 1004 * 32, 0);
    assert_int_equal(f.level[ROOFLINE_LEVEL_L1].trust, TRUST_MODELLED);
}

static void numbers(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0"},         {0.00312, "0.00312"}, {0.0000312, "3.12e-05"}, {3.14159, "3.14"}, {31.4159, "31.4"}, {999.4, "999"}, {1065.4, "1,065"},
                 {1e9, "1,000,000,000"}, {NAN, "unknown"},     {INFINITY, "none"}};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        number_short(cases[i].v, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void instances(void **state)
{
    static const char *const names[][2] = {
        {"k", "k"},
        {"void aat_shared<33>(float const*, float*)", "aat_shared<33>"},
        {"void a::f<a::g<int> >(a::g<int>)", "f<a::g<int> >"},
        {"operator<<(a<b> const&)", "operator<<(a<b> const&)"},
        {"", ""},
    };
    struct arena a;

    (void)state;
    arena_init(&a);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(name_instance(names[i][0], "m", &a), names[i][1]);
    assert_string_equal(name_instance(NULL, "m", &a), "m");
    arena_release(&a);
}

/* --- pictures --- */

/* Every tag is closed in order and every '&' begins one of XML's five names. */
static void assert_well_formed(const char *s)
{
    char open[32][32];
    int depth = 0;

    for (; *s; s++) {
        char name[32];
        size_t n;

        if (*s == '&') {
            assert_true(!strncmp(s, "&lt;", 4) || !strncmp(s, "&gt;", 4) || !strncmp(s, "&amp;", 5) || !strncmp(s, "&quot;", 6));
            continue;
        }
        assert_int_not_equal(*s, '>');
        if (*s != '<')
            continue;
        n = strcspn(s + 1, " />");
        if (s[1] == '/') {
            n = strcspn(s + 2, ">");
            assert_true(depth > 0 && n == strlen(open[depth - 1]) && !strncmp(open[depth - 1], s + 2, n));
            depth--;
        } else {
            assert_true(n > 0 && n < sizeof name);
            snprintf(name, sizeof name, "%.*s", (int)n, s + 1);
        }
        if (s[1] != '/') {
            s += strcspn(s, ">");
            if (s[-1] != '/')
                strcpy(open[depth++], name);
        } else {
            s += strcspn(s, ">");
        }
        assert_int_equal(*s, '>');
    }
    assert_int_equal(depth, 0);
}

static struct result *launch(const char *kernel, double intensity)
{
    struct result *r = result_new(0);

    r->kernel = r->kernel_name = kernel;
    r->device_id = "a100";
    r->device_name = "A100";
    r->launch = l;
    r->launch.grid[0] = r->launch.grid[1] = r->launch.grid[2] = 1;
    r->rates = rates;
    r->total.v[COUNTER_FFMA] = 1 << 20;
    r->total.v[COUNTER_DRAM_READ_SECTORS] = (uint64_t)((2 << 20) / intensity / 32) + 1;
    return r;
}

static void picture(void **state)
{
    struct result *r[40];
    struct diag_list diags;
    struct strbuf b;
    int n = 0;

    (void)state;
    on("a100", 4096, 8);
    diag_init(&diags);
    strbuf_init(&b);
    r[n++] = launch("plain", 1);
    r[n++] = launch("operator<<(a<b> const &, \"x\")\x01", 1e-6);
    r[n++] = launch("", 1e6);
    r[n++] = launch("copy", 1);
    r[3]->total.v[COUNTER_FFMA] = 0;
    r[n++] = launch("plain", 1); /* the same once more */
    assert_true(roofline_svg(r, n, &b, &diags));
    assert_well_formed(b.s);
    assert_non_null(strstr(b.s, "single precision: 19,492"));
    assert_non_null(strstr(b.s, "DRAM: 1,555 GB/s"));
    assert_non_null(strstr(b.s, "L1, shared memory: 19,492 GB/s"));
    assert_non_null(strstr(b.s, "plain (1, 1, 1)x(0, 0, 0), 2 launches: at most 1,555 GFLOP/s in single precision; bound by DRAM"));
    assert_non_null(strstr(b.s, "copy (1, 1, 1)x(0, 0, 0): no floating-point operations; bound by DRAM"));
    assert_null(strstr(b.s, "nan"));
    assert_null(strstr(b.s, "inf,"));
    r[4]->device_id = "h100";
    assert_false(roofline_svg(r, n, &b, &diags));
    assert_string_equal(diags.first->text, "a roofline is of one device: these launches are of 'a100' and 'h100'");
    memset(&r[0]->rates, 0, sizeof r[0]->rates);
    assert_false(roofline_svg(r, 1, &b, &diags));
    assert_string_equal(diags.first->next->text, "no roof is known of 'a100'");
    diag_release(&diags);
    strbuf_release(&b);
    for (int i = 0; i < n; i++)
        result_free(r[i]);
}

/* Forty launches of any intensity: all are there, and the picture is tall enough that their labels keep apart. */
static void many(void **state)
{
    struct result *r[40];
    struct diag_list diags;
    struct strbuf b;

    (void)state;
    on("a100", 4096, 8);
    diag_init(&diags);
    strbuf_init(&b);
    for (int i = 0; i < 40; i++) {
        r[i] = launch("k", pow(10, i % 13 - 6));
        r[i]->launch.grid[0] = (uint32_t)i + 1;
    }
    assert_true(roofline_svg(r, 40, &b, &diags));
    assert_well_formed(b.s);
    assert_non_null(strstr(b.s, ">40</text>"));
    strbuf_release(&b);
    for (int i = 0; i < 40; i++)
        result_free(r[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_courses), cmocka_unit_test(what_resources_need), cmocka_unit_test(shapes),
        cmocka_unit_test(other_devices),      cmocka_unit_test(numbers),             cmocka_unit_test(picture),
        cmocka_unit_test(many),               cmocka_unit_test(instances),
    };

    setenv("HEDDLE_DEVICES", DEVICES, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
