/* Device descriptions: reading, messages, what follows from the figures by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "device/device.h"
#include "device/mechanisms.h"
#include "device/throughput.h"

static struct device h200;

static char *description(void)
{
    FILE *f = fopen(DEVICES "/h200.json", "rb");
    char *text = calloc(1, 65536);

    assert_non_null(f);
    assert_true(fread(text, 1, 65535, f) > 1000);
    fclose(f);
    return text;
}

/* The messages of a description; it must have some. */
static char *messages_of_text(const char *text, size_t len)
{
    static char all[8192];
    struct strbuf b;
    struct diag_list diags;
    struct device d;

    diag_init(&diags);
    assert_false(device_parse(&d, "d.json", text, len, &diags));
    strbuf_init(&b);
    diag_format_all(&diags, &b);
    snprintf(all, sizeof all, "%s", b.s);
    strbuf_release(&b);
    diag_release(&diags);
    return all;
}

/* Reads the H200's description with `from` replaced by `to`; answers the messages. */
static char *messages_of(const char *from, const char *to)
{
    char *text = description(), *at = strstr(text, from), *all;
    struct strbuf b;

    assert_non_null(at);
    strbuf_init(&b);
    strbuf_add(&b, text, (size_t)(at - text));
    strbuf_adds(&b, to);
    strbuf_adds(&b, at + strlen(from));
    all = messages_of_text(b.s, b.len);
    strbuf_release(&b);
    free(text);
    return all;
}

/* The same with one figure's value replaced. */
static char *messages_with(const char *key, const char *value)
{
    char *text = description(), from[512], to[512], *at, *end;

    snprintf(to, sizeof to, "\n  \"%s\": {\"value\": ", key);
    at = strstr(text, to);
    assert_non_null(at);
    end = strstr(at + strlen(to), at[strlen(to)] == '[' ? "], \"" : ", \"");
    assert_non_null(end);
    end += at[strlen(to)] == '[';
    snprintf(from, sizeof from, "%.*s", (int)(end - at), at);
    strcat(to, value);
    free(text);
    return messages_of(from, to);
}

static void reads_the_h200(void **state)
{
    (void)state;
    assert_string_equal(h200.name, "NVIDIA H200");
    assert_string_equal(h200.id, "h200");
    assert_int_equal(h200.cc_major * 10 + h200.cc_minor, 90);
    assert_int_equal(h200.multiprocessors, 132);
    assert_true(h200.memory_bytes == 150109880320);
    assert_int_equal(h200.max_shared_per_block_optin, 227 * 1024);
    assert_int_equal(h200.shared_per_sm, 228 * 1024);
    assert_int_equal(h200.nshared_configs, 10);
    assert_int_equal(h200.nregister_double_counts, 0);
    assert_string_equal(device_word((enum device_word)h200.dram_type), "HBM3e");
    assert_int_equal(h200.dram_type, DEVICE_WORD_dram_type_HBM3E);
    assert_int_equal(h200.l1_ways, DEVICE_UNKNOWN);
}

/* "d.json:LINE: error: " of the line that begins behind the newline of `key`. */
static const char *place_of(const char *key)
{
    static char place[64];
    char *text = description(), *end = strstr(text, key);
    int line = 2;

    assert_non_null(end);
    for (const char *p = text; p < end; p++)
        line += *p == '\n';
    snprintf(place, sizeof place, "d.json:%d: error: ", line);
    free(text);
    return place;
}

static void names_file_and_figure(void **state)
{
    const char *all;

    (void)state;
    assert_non_null(strstr(messages_with("l2_bytes", "-1"), "error: figure 'l2_bytes' is -1, outside of 0 to"));
    all = messages_with("cc_major", "-1");
    assert_ptr_equal(strstr(all, place_of("\n  \"cc_major\"")), all);
    assert_non_null(strstr(messages_of("\"l2_bytes\"", "\"l2_byte\""), "unknown figure 'l2_byte'; did you mean 'l2_bytes'?"));
    assert_non_null(strstr(messages_of("\"l2_bytes\"", "\"l2_byte\""), "figure 'l2_bytes' is missing: L2 for loads"));
    assert_non_null(strstr(messages_with("multiprocessors", "\"132\""), "figure 'multiprocessors' is not a whole number"));
    assert_non_null(strstr(messages_with("multiprocessors", "132.5"), "figure 'multiprocessors' is not a whole number"));
    assert_non_null(strstr(messages_of("\"unit\": \"kHz\"", "\"unit\": \"MHz\""), "it must be \"kHz\""));
    assert_non_null(strstr(messages_of("{", "{{"), "d.json:1: error: not JSON"));
    assert_non_null(strstr(messages_of("\"heddle_device\": 2", "\"heddle_device\": 7"), "not a device description"));
    assert_non_null(strstr(messages_of("\"sources\": {", "\"source\": {"), "\"sources\" is missing"));
    assert_non_null(strstr(messages_with("dram_type", "\"HMB3\""), "figure 'dram_type' is none of \"GDDR3\""));
    assert_non_null(strstr(messages_with("dram_type", "\"HMB3\""), "; did you mean 'HBM3'?"));
    assert_non_null(strstr(messages_with("shared_configs", "[8192, 0]"), "must list increasing whole numbers from 0"));
    assert_non_null(strstr(messages_with("shared_configs", "[]"), "must be a list of 1 to 16 numbers"));
    assert_non_null(strstr(messages_with("name", "\"\""), "figure 'name' must be a text of 1 to 255 bytes"));
    assert_non_null(strstr(messages_of("\"multiprocessors\": {\"value\"", "\"multiprocessors\": {\"values\""),
                           "figure 'multiprocessors' has no \"value\""));
}

/* Each figure says where it comes from, in one of three ways. */
static void names_missing_origins(void **state)
{
    static const char sms[] = "\"multiprocessors\": {\"value\": 132, \"unit\": \"\", \"source\": \"card: multiprocessor_count\"}";
    static const char ways[] = "\"l1_ways\": {\"value\": null, \"unit\": \"\", \"unknown\": ";
    static const struct { const char *from, *to, *message; } cases[] = {
        {sms, "\"multiprocessors\": {\"value\": 132, \"unit\": \"\"}", "figure 'multiprocessors' has no \"source\": say where"},
        {sms, "\"multiprocessors\": {\"value\": 132, \"unit\": \"\", \"source\": \"\"}", "figure 'multiprocessors' has no \"source\""},
        {sms, "\"multiprocessors\": {\"value\": 132, \"unit\": \"\", \"source\": \"crd: x\"}",
         "figure 'multiprocessors' names the source 'crd', which \"sources\" does not have; did you mean 'card'?"},
        {sms, "\"multiprocessors\": {\"value\": 132, \"unit\": \"\", \"source\": \"card\", \"assumed\": \"x\"}",
         "has more than one of \"source\", \"assumed\" and \"unknown\""},
        {sms, "\"multiprocessors\": {\"value\": null, \"unit\": \"\", \"unknown\": \"x\"}",
         "figure 'multiprocessors' must have a value: it cannot be null"},
        {sms, "\"multiprocessors\": {\"value\": 132, \"unit\": \"\", \"source\": \"card\", \"sorce\": \"x\"}",
         "figure 'multiprocessors' has an unknown member \"sorce\""},
        {ways, "\"l1_ways\": {\"value\": 4, \"unit\": \"\", \"unknown\": ", "its value must be null"},
        {ways, "\"l1_ways\": {\"value\": null, \"unit\": \"\", \"assumed\": ", "figure 'l1_ways' is null: say why in \"unknown\""},
        {"\"sources\": {", "\"sources\": {\"spare\": \"a book\",", "source 'spare' is used by no figure"},
        {"\"sources\": {", "\"sources\": {\"a:b\": \"a book\",", "source 'a:b' must have a name without ':'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(messages_of(cases[i].from, cases[i].to), cases[i].message));
}

/* One false figure for each relation. The H200's: 132 SMs of 128 cores, 66 TPCs, 8 GPCs, 94 slices (and 2 that are off) of
 * 655360 bytes, 188 channels of 32 bits. */
static void names_contradictions(void **state)
{
    static const struct { const char *key, *value, *message; } cases[] = {
        {"fp32_cores", "16895", "'multiprocessors' times 'fp32_per_sm' is not 'fp32_cores'"},
        {"tpcs", "65", "'multiprocessors' is no multiple of 'tpcs'"},
        {"tpcs", "4", "there are more 'gpcs' than 'tpcs'"},
        {"gpc_late_first", "7", "'gpc_late_first' is above 'gpc_late_again'"},
        {"tensor_clock_khz", "0", "do not agree whether there are tensor cores"},
        {"dram_clock_khz", "1600501", "is no multiple of 'dram_clock_khz'"},
        {"single_to_double_ratio", "3", "is not 'fp32_per_sm' over 'fp64_per_sm'"},
        {"max_warps_per_sm", "63", "'max_warps_per_sm' times 'warp_size' is not 'max_threads_per_sm'"},
        {"max_threads_per_block", "4096", "'max_threads_per_block' is above 'max_threads_per_sm'"},
        {"max_block_z", "2048", "a side of a block is above 'max_threads_per_block'"},
        {"max_blocks_per_sm", "65", "'max_blocks_per_sm' is above 'max_warps_per_sm'"},
        {"max_registers_per_block", "131072", "'max_registers_per_block' is above 'registers_per_sm'"},
        {"register_unit", "250", "'registers_per_sm' is no multiple of 'register_unit'"},
        {"max_registers_per_block", "4096", "a warp of 'max_registers_per_thread' needs more than 'max_registers_per_block'"},
        {"barriers_per_sm", "15", "'barriers_per_block' is above 'barriers_per_sm'"},
        {"concurrent_kernels", "0", "'concurrent_kernels' and 'max_resident_grids' do not agree"},
        {"max_shared_per_block", "233472", "'max_shared_per_block' is above 'max_shared_per_block_optin'"},
        {"max_shared_per_block_optin", "233472", "'max_shared_per_block_optin' and 'shared_reserved' together"},
        {"shared_configs", "[0, 8192]", "the last of 'shared_configs' is not 'shared_per_sm'"},
        {"l1_shared_bytes", "131072", "'shared_per_sm' is above 'l1_shared_bytes'"},
        {"l1_bytes", "262145", "'l1_bytes' and the least of 'shared_configs' together"},
        {"l1_sector", "0", "of 'l1_bytes', 'l1_line' and 'l1_sector' some are 0"},
        {"l1_sector", "48", "'l1_line' is no multiple of 'l1_sector'"},
        {"l1_write", "\"none\"", "'l1_write' and 'l1_bytes' do not agree"},
        {"l1_global", "\"never\"", "'l1_global', 'global_l1' and 'l1_bytes' do not agree"},
        {"l2_line", "0", "of 'l2_bytes', 'l2_line' and 'l2_sector' some are 0"},
        {"l2_sector", "24", "'l2_line' is no multiple of 'l2_sector'"},
        {"l2_write", "\"none\"", "'l2_write' and 'l2_bytes' do not agree"},
        {"l2_slices", "0", "'l2_slices' and 'l2_bytes' do not agree"},
        {"l2_slices", "95", "'l2_slices' (and 'l2_slices_off') do not divide 'l2_bytes' into whole lines"},
        {"l2_partitions", "3", "'l2_slices' is no multiple of 'l2_partitions'"},
        {"l2_fetch_bytes", "48", "'l2_fetch_bytes' is no multiple of 'l2_sector'"},
        {"l2_partial_share", "4376", "'l2_partial_share' is above 'l2_dirty_share'"},
        {"persisting_l2_max_bytes", "62914561", "'persisting_l2_max_bytes' is above 'l2_bytes'"},
        {"dram_channels", "187", "'dram_channels' times 'dram_channel_bits' is not 'memory_bus_bits'"},
        {"dram_interleave_bytes", "384", "'dram_row_bytes' is no multiple of 'dram_interleave_bytes'"},
        {"dram_bank_groups", "3", "'dram_banks' is no multiple of 'dram_bank_groups'"},
        {"dram_row_bytes", "1040", "'dram_row_bytes' holds no whole number of bursts"},
        {"dram_t_rc_ps", "28124", "'dram_t_rc_ps' is below 'dram_t_ras_ps'"},
        {"dram_t_rcd_ps", "28126", "'dram_t_ras_ps' is below 'dram_t_rcd_ps'"},
        {"dram_t_ccd_s_ps", "1251", "'dram_t_ccd_s_ps' is longer than a burst takes"}, /* 8 / (2 * 3.201 GHz) = 1249.6 ps */
        {"dram_t_ccd_l_ps", "1", "'dram_t_ccd_l_ps' is below 'dram_t_ccd_s_ps'"},
        {"ecc_kind", "\"none\"", "'ecc' is on, but 'ecc_kind' is \"none\""},
        {"nvlink_links", "0", "do not agree whether there is NVLink"},
        {"latency_l2", "39", "'latency_l2' is below 'latency_l1'"},
        {"latency_dram", "286", "'latency_dram' is below 'latency_l2'"},
    };
    static const char *const relations[] = {
#define RELATION(key, holds, message) message,
#include "device/device_relations.def"
#undef RELATION
    };
    enum { RELATIONS = sizeof relations / sizeof *relations };
    bool seen[RELATIONS] = {false};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *all;

        all = messages_with(cases[i].key, cases[i].value);
        if (!strstr(all, cases[i].message) || !strstr(all, "error: figures contradict each other: "))
            fail_msg("%s = %s: %s", cases[i].key, cases[i].value, all);
        for (int k = 0; k < RELATIONS; k++)
            seen[k] |= strstr(all, relations[k]) != NULL;
    }
    for (int k = 0; k < RELATIONS; k++)
        if (!seen[k] && !strstr(relations[k], "sm_clock_base_khz")) /* the H200 has none: below */
            fail_msg("no case for: %s", relations[k]);
    assert_non_null(strstr(messages_of("\"sm_clock_base_khz\": {\"value\": null, \"unit\": \"kHz\", \"unknown\"",
                                       "\"sm_clock_base_khz\": {\"value\": 1980001, \"unit\": \"kHz\", \"assumed\""),
                           "'sm_clock_base_khz' is above 'sm_clock_khz'"));
}

/* Descriptions cut off anywhere, and with any byte changed, are refused or read, never more than that. */
static void bad_text_is_survived(void **state)
{
    char *text = description();
    size_t n = strlen(text);
    uint32_t random = 12345;

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct diag_list diags;
        struct device d;
        size_t at = (random = random * 1664525 + 1013904223) % n, len = i % 2 ? n : at;
        char *part = malloc(len + 1); /* as long as it must be: a sanitizer sees who reads behind it */

        memcpy(part, text, len);
        if (i % 2)
            part[at] = (char)(random >> 24);
        part = realloc(part, len ? len : 1);
        diag_init(&diags);
        if (!device_parse(&d, "d.json", part, len, &diags))
            assert_true(diags.errors > 0);
        diag_release(&diags);
        free(part);
    }
    free(text);
}

/* Every figure at the ends of its range, and unknown where it may be: refused or computed with, no overflow, no division
 * by nothing. */
static void ends_of_ranges_are_survived(void **state)
{
    int n;
    const struct device_field *f = device_fields(&n);

    (void)state;
    for (int i = 0; i < n; i++) {
        for (int end = 0; f[i].kind == DEVICE_FIGURE && end < 3; end++) {
            char key[128], value[64], *text = description(), *at, *rest;
            struct diag_list diags;
            struct device_rates rates;
            struct device d;
            struct strbuf b;

            snprintf(key, sizeof key, "\n  \"%s\": {\"value\": ", f[i].id);
            at = strstr(text, key);
            assert_non_null(at);
            rest = strstr(at, "\"unit\"");
            snprintf(value, sizeof value, end == 2 ? "null, " : "%lld, ", (long long)(end ? f[i].max : f[i].min));
            strbuf_init(&b);
            strbuf_add(&b, text, (size_t)(at - text) + strlen(key));
            strbuf_adds(&b, value);
            strbuf_adds(&b, "\"unit\": \"");
            strbuf_adds(&b, f[i].unit);
            strbuf_adds(&b, end == 2 ? "\", \"unknown\": \"x\"}" : "\", \"assumed\": \"x\"}");
            strbuf_adds(&b, strchr(rest, '}') + 1);
            diag_init(&diags);
            if (device_parse(&d, "d.json", b.s, b.len, &diags))
                device_rates(&d, &rates);
            for (const struct diag *m = diags.first; m; m = m->next)
                assert_null(strstr(m->text, "unknown member"));
            diag_release(&diags);
            strbuf_release(&b);
            free(text);
        }
    }
}

/* --- what follows from the figures, by hand --- */

/* Bandwidth: two transfers a memory clock times bytes of the bus. V100: 2 * 0.877 GHz * 512 B = 898.0 GB/s (the makers say
 * 900). H200: 2 * 3.201 GHz * 752 B = 4814.3. RTX 3090: 2 * 9.751 GHz * 48 B = 936.1. Float: two operations a core and
 * clock. A100: 2 * 6912 * 1.41 GHz = 19491.8 GFLOP/s. G80: 2 * 128 * 1.35 GHz = 345.6. */
static void headline_rates(void **state)
{
    static const struct { const char *name; int cc, sms, cores; double bandwidth, fp32, fp64; } want[] = {
        {"g80", 10, 16, 128, 86.4, 345.6, 0},
        {"gt200", 13, 30, 240, 141.696, 622.08, 77.76},
        {"c2050", 20, 14, 448, 144.0, 1030.4, 515.2},
        {"k40", 35, 15, 2880, 288.384, 4291.2, 1430.4},
        {"gtx980", 52, 16, 2048, 224.32, 4980.736, 155.648},
        {"p100", 60, 56, 3584, 732.16, 10612.224, 5306.112},
        {"v100", 70, 80, 5120, 898.048, 15667.2, 7833.6},
        {"t4", 75, 40, 2560, 320.064, 8140.8, 254.4},
        {"a100", 80, 108, 6912, 1555.2, 19491.84, 9745.92},
        {"rtx3090", 86, 82, 10496, 936.096, 35581.44, 555.96},
        {"rtx4090", 89, 128, 16384, 1008.096, 82575.36, 1290.24},
        {"h100", 90, 132, 16896, 3352.32, 66908.16, 33454.08},
        {"h200", 90, 132, 16896, 4814.304, 66908.16, 33454.08},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct diag_list diags;
        struct device_rates r;
        struct device d;

        diag_init(&diags);
        assert_true(device_load(&d, want[i].name, &diags));
        diag_release(&diags);
        device_rates(&d, &r);
        assert_int_equal(d.cc_major * 10 + d.cc_minor, want[i].cc);
        assert_int_equal(d.multiprocessors, want[i].sms);
        assert_int_equal(d.fp32_cores, want[i].cores);
        assert_float_equal(r.dram_bandwidth, want[i].bandwidth, 1e-6);
        assert_float_equal(r.fp32, want[i].fp32, 1e-6);
        assert_float_equal(r.fp64, want[i].fp64, 1e-6);
        assert_int_equal(device_code_arch(&d), want[i].cc < 50 ? 50 : want[i].cc);
    }
}

/* Clang 19 makes sm_50 to sm_90: others get the nearest of these, and the report says so. */
static void code_for_each_capability(void **state)
{
    static const struct { int cc, arch; const char *text; } want[] = {
        {10, 50, "device code for sm_50, the oldest that clang 19 makes"},
        {37, 50, "device code for sm_50, the oldest that clang 19 makes"},
        {50, 50, "device code for sm_50"},
        {61, 61, "device code for sm_61"},
        {72, 72, "device code for sm_72"},
        {87, 87, "device code for sm_87"},
        {88, 87, "device code for sm_87"},
        {90, 90, "device code for sm_90"},
        {100, 90, "device code for sm_90, the newest that clang 19 makes"},
        {121, 90, "device code for sm_90, the newest that clang 19 makes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct device d = {.cc_major = want[i].cc / 10, .cc_minor = want[i].cc % 10};
        struct strbuf b;

        strbuf_init(&b);
        assert_int_equal(device_code_arch(&d), want[i].arch);
        device_code_text(want[i].cc / 10, want[i].cc % 10, want[i].arch, &b);
        assert_string_equal(b.s, want[i].text);
        strbuf_release(&b);
    }
}

static struct device_rates rates_of(const char *name)
{
    struct diag_list diags;
    struct device_rates r;
    struct device d;

    diag_init(&diags);
    assert_true(device_load(&d, name, &diags));
    diag_release(&diags);
    device_rates(&d, &r);
    return r;
}

/* The figures of courses. Naive matrix multiply does 0.25 operations a byte: 1555 / 4 = 389 GFLOP/s on an A100, 21.6 on a
 * G80; tiles of 16 do 4: 6220 and 345.6. */
static void rates_of_courses(void **state)
{
    struct device_rates a100 = rates_of("a100"), g80 = rates_of("g80"), v100 = rates_of("v100"), c2050 = rates_of("c2050"),
                        gt200 = rates_of("gt200"), h100 = rates_of("h100");

    (void)state;
    assert_float_equal(a100.dram_bandwidth * 0.25, 388.8, 1e-6);
    assert_float_equal(a100.dram_bandwidth * 4, 6220.8, 1e-6);
    assert_float_equal(a100.ridge_fp32, 19491.84 / 1555.2, 1e-9); /* 12.53 */
    assert_float_equal(a100.tensor_tf32, 2 * 512 * 108 * 1.41, 1e-6); /* 155.9 TFLOP/s */
    assert_float_equal(a100.l2_bandwidth, 5120 * 1.41, 1e-6); /* 5120 bytes a clock */
    assert_float_equal(a100.dram_burst_bytes, 32, 0);
    assert_float_equal(g80.dram_bandwidth * 0.25, 21.6, 1e-6);
    assert_float_equal(g80.dram_bandwidth * 4, 345.6, 1e-6);
    assert_float_equal(g80.shared_bandwidth, 16 * 16 * 4 / 2 * 1.35, 1e-6); /* a bank gives 4 bytes every second clock */
    assert_float_equal(g80.l2_bandwidth, 0, 0); /* it has none */
    assert_float_equal(v100.pcie_bandwidth, 16 * 8.0 / 8 * 128 / 130, 1e-9); /* 15.75, "16 GB/s" */
    assert_float_equal(v100.nvlink_bandwidth, 150, 1e-9);
    assert_float_equal(v100.tensor_fp16, 2 * 512 * 80 * 1.53, 1e-6); /* 125.3 TFLOP/s */
    assert_float_equal(v100.dram_bandwidth_ecc, v100.dram_bandwidth, 0); /* HBM2: ECC costs nothing */
    assert_float_equal(c2050.dram_bandwidth_ecc, 144 * 0.8, 1e-9);
    assert_float_equal(c2050.shared_bandwidth, 14 * 32 * 4 / 2 * 1.15, 1e-6); /* 1030.4 */
    assert_float_equal(c2050.issue, 14 * 2 / 2.0 * 1.15, 1e-9);
    assert_float_equal(gt200.bytes_in_flight, 440 / 1.296 * 141.696, 1e-6);
    assert_float_equal(h100.tensor_fp16, 2 * 2048 * 132 * 1.83, 1e-5); /* 989.4 TFLOP/s */
}

static void count_origin(const struct device_field *f, const struct device_origin *o, void *user)
{
    int *n = user;

    assert_non_null(f->id);
    assert_true(o->text && *o->text);
    n[o->kind]++;
    if (!strcmp(f->id, "multiprocessors"))
        assert_non_null(strstr(o->text, "device attributes: multiprocessor_count"));
}

static void origins_are_told(void **state)
{
    int n[3] = {0, 0, 0}, rows, figures = 0;
    const struct device_field *f = device_fields(&rows);

    (void)state;
    for (int i = 0; i < rows; i++)
        figures += f[i].kind != DEVICE_SECTION;
    assert_true(device_origins(&h200, count_origin, n));
    assert_int_equal(n[DEVICE_SOURCED] + n[DEVICE_ASSUMED] + n[DEVICE_NOT_KNOWN], figures);
    assert_true(n[DEVICE_ASSUMED] > 0 && n[DEVICE_NOT_KNOWN] > 0);
}

/* --- relatives --- */

/* The text of a description that begins as an RTX 3090, with `from` replaced by `to`, or as it is. */
static void begun(struct strbuf *text, const char *from, const char *to)
{
    struct diag_list diags;
    struct device d;
    struct strbuf whole;
    char *at;

    diag_init(&diags);
    assert_true(device_load(&d, "rtx3090", &diags));
    diag_release(&diags);
    strbuf_init(&whole);
    device_begin("mine", &d, &whole);
    strbuf_clear(text);
    at = from ? strstr(whole.s, from) : whole.s;
    assert_non_null(at);
    strbuf_add(text, whole.s, (size_t)(at - whole.s));
    strbuf_adds(text, from ? to : "");
    strbuf_adds(text, at + (from ? strlen(from) : 0));
    strbuf_release(&whole);
}

/* What is not there is the relative's; what is there is not. */
static void relatives_stand_in(void **state)
{
    struct strbuf text;
    struct diag_list diags;
    struct device mine, theirs;

    (void)state;
    strbuf_init(&text);
    begun(&text, "\"memory_bytes\": {\"value\": 25769803776", "\"memory_bytes\": {\"value\": 12884901888");
    diag_init(&diags);
    assert_true(device_load(&theirs, "rtx3090", &diags));
    assert_true(device_parse(&mine, "mine.json", text.s, text.len, &diags));
    assert_string_equal(mine.name, "mine");
    assert_string_equal(mine.from, "rtx3090");
    assert_string_equal(theirs.from, "");
    assert_true(mine.memory_bytes == INT64_C(12884901888));
    assert_int_equal(mine.max_warps_per_sm, 48);
    assert_memory_equal(mine.shared_configs, theirs.shared_configs, sizeof mine.shared_configs);
    assert_int_equal(mine.nshared_configs, theirs.nshared_configs);
    assert_int_equal(mine.latency_l2, theirs.latency_l2);
    diag_release(&diags);
    strbuf_release(&text);
}

static void wrong_relatives_are_named(void **state)
{
    static const struct { const char *from, *to, *message; } cases[] = {
        {"\"from\": \"rtx3090\"", "\"from\": \"rtx309\"", "d.json:3: error: there is no description 'rtx309' to be \"from\"; did you mean 'rtx3090'?"},
        {"\"from\": \"rtx3090\"", "\"from\": \"../devices/rtx3090\"", "there is no description '../devices/rtx3090' to be \"from\""},
        {"\"from\": \"rtx3090\"", "\"from\": 3090", "d.json:3: error: \"from\" must be the name of a description"},
        {"\"from\": \"rtx3090\"", "\"from\": \"\"", "\"from\" must be the name of a description"},
        {"\"l2_bytes\": {\"value\"", "\"l2_line\": {\"value\"",
         "d.json: error: figure 'l2_bytes' is missing, and a relative's cannot stand for it: L2 for loads and stores"},
        {"\"multiprocessors\": {\"value\": 82", "\"multiprocessors\": {\"value\": 80",
         "figures contradict each other: 'multiprocessors' times 'fp32_per_sm' is not 'fp32_cores'"},
        {"\"chip\": {\"value\": \"GA102\", \"assumed\"", "\"chip\": {\"value\": \"GA102\", \"source\"", "which \"sources\" does not have"},
    };
    struct strbuf text;

    (void)state;
    strbuf_init(&text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begun(&text, cases[i].from, cases[i].to);
        assert_non_null(strstr(messages_of_text(text.s, text.len), cases[i].message));
    }
    strbuf_release(&text);
}

struct wanted_origin {
    const char *figure;
    enum device_origin_kind kind;
    const char *text; /* how it begins */
    int seen;
};

static void look_at_origin(const struct device_field *f, const struct device_origin *o, void *user)
{
    for (struct wanted_origin *w = user; w->figure; w++)
        if (!strcmp(w->figure, f->id)) {
            assert_int_equal(o->kind, w->kind);
            assert_memory_equal(o->text, w->text, strlen(w->text));
            w->seen++;
        }
}

/* rtx3060-laptop is from rtx3060 (GA106), that from rtx3070 (GA104), that from rtx3090 (GA102), all 8.6: what belongs to the
 * capability keeps its source through all of them, what belongs to the chip does not. orin is 8.7. */
static void origins_of_relatives(void **state)
{
    struct wanted_origin laptop[] = {
        {"multiprocessors", DEVICE_SOURCED, "deviceQuery on GeForce RTX 3060 Laptop GPU", 0},
        {"max_warps_per_sm", DEVICE_SOURCED, "CUDA C++ Programming Guide", 0},
        {"l1_sector", DEVICE_ASSUMED, "as V100", 0},
        {"l2_ways", DEVICE_RELATIVE, "rtx3090: as A100", 0},
        {"async_engines", DEVICE_RELATIVE, "rtx3090: deviceQuery on GeForce RTX 3090", 0},
        {"l2_clock_khz", DEVICE_NOT_KNOWN, "rtx3090: the maker does not tell it", 0},
        {0},
    };
    struct wanted_origin orin[] = {
        {"cc_minor", DEVICE_SOURCED, "CUDA C++ Programming Guide", 0},
        {"max_warps_per_sm", DEVICE_RELATIVE, "rtx3090: CUDA C++ Programming Guide", 0},
        {0},
    };
    struct { const char *name; struct wanted_origin *want; } cases[] = {{"rtx3060-laptop", laptop}, {"orin", orin}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag_list diags;
        struct device d;

        diag_init(&diags);
        assert_true(device_load(&d, cases[i].name, &diags));
        diag_release(&diags);
        assert_true(device_origins(&d, look_at_origin, cases[i].want));
        for (const struct wanted_origin *w = cases[i].want; w->figure; w++)
            assert_int_equal(w->seen, 1);
    }
}

/* --- names --- */

static void names_that_gpus_are_sold_under(void **state)
{
    static const struct { const char *words, *id; } cases[] = {
        {"GeForce RTX 4090", "rtx4090"},       {"NVIDIA GeForce RTX 3060 Laptop GPU", "rtx3060-laptop"},
        {"RTX 3060 laptop", "rtx3060-laptop"}, {"rtx3060 mobile", "rtx3060-laptop"},
        {"Tesla T4", "t4"},                    {"NVIDIA T4", "t4"},
        {"A100 40GB", "a100"},                 {"A100-SXM4-80GB", "a100-80gb"},
        {"a100_80gb", "a100-80gb"},            {"H100 SXM5", "h100"},
        {"Jetson Nano", "jetson-nano"},        {"Jetson Orin", "orin"},
        {"GTX 1080 Ti", "gtx1080ti"},          {"V100", "v100"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag_list diags;
        struct device d;

        diag_init(&diags);
        assert_true(device_load(&d, cases[i].words, &diags));
        assert_string_equal(d.id, cases[i].id);
        diag_release(&diags);
    }
}

static void near_names_are_suggested(void **state)
{
    static const struct { const char *words, *suggested; } cases[] = {
        {"4090", "; did you mean 'rtx4090'?"},
        {"Jetson AGX Orin", "; did you mean 'orin'"},
        {"RTX 4070 Ti Super", "'rtx4070ti'"},
        {"A100 80GB PCIe", "; did you mean 'a100-80gb'"},
        {"RTX 3090 Ti", "'rtx3090'"},
        {"---", "; `heddle devices` lists the "},
        {"Radeon RX 7900 XTX", "; `heddle devices` lists the "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag_list diags;
        struct device d;

        diag_init(&diags);
        assert_false(device_load(&d, cases[i].words, &diags));
        assert_int_equal(diags.errors, 1);
        assert_non_null(strstr(diags.first->text, cases[i].suggested));
        diag_release(&diags);
    }
}

static void wrong_name_gets_near_match(void **state)
{
    struct diag_list diags;
    struct device d;

    (void)state;
    diag_init(&diags);
    assert_false(device_load(&d, "h201", &diags));
    assert_string_equal(diags.first->text, "no device description 'h201'; did you mean 'h20' or 'h200'?");
    diag_release(&diags);
    diag_init(&diags);
    assert_false(device_load(&d, "../../etc/passwd", &diags));
    assert_int_equal(diags.errors, 1);
    diag_release(&diags);
    diag_init(&diags);
    assert_false(device_load(&d, "/nowhere/x.json", &diags));
    assert_non_null(strstr(diags.first->text, "cannot read '/nowhere/x.json'"));
    diag_release(&diags);
}

static void near_matches(void **state)
{
    (void)state;
    assert_int_equal(near_distance("h200", "h200", 9), 0);
    assert_int_equal(near_distance("h200", "H20", 9), 1);
    assert_int_equal(near_distance("h020", "h200", 9), 1);
    assert_int_equal(near_distance("a100", "h200", 9), 2);
    assert_int_equal(near_distance("kitten", "sitting", 9), 3);
    assert_int_equal(near_distance("kitten", "sitting", 2), 2);
}

/* As the guide has them; 8.7 has no column. */
static void throughput_of_the_guide(void **state)
{
    static const struct {
        enum throughput operation;
        int major, minor, value;
    } cases[] = {
        {THROUGHPUT_FLOAT32, 1, 0, 8},        {THROUGHPUT_SPECIAL, 2, 0, 4},          {THROUGHPUT_FLOAT64, 2, 1, 4},
        {THROUGHPUT_INT_ADD, 3, 0, 160},      {THROUGHPUT_SHIFT, 3, 5, 64},           {THROUGHPUT_SHIFT, 3, 0, 32},
        {THROUGHPUT_LOGIC, 5, 2, 128},        {THROUGHPUT_FLOAT16, 5, 3, 256},        {THROUGHPUT_SPECIAL, 6, 0, 16},
        {THROUGHPUT_FLOAT16, 6, 1, 2},        {THROUGHPUT_BIT_REVERSE, 7, 2, 16},     {THROUGHPUT_FLOAT64, 7, 5, 2},
        {THROUGHPUT_REDUCE, 8, 0, 16},        {THROUGHPUT_CONVERT_64, 8, 6, 2},       {THROUGHPUT_BIT_FIELD, 8, 9, 64},
        {THROUGHPUT_FLOAT32, 9, 0, 128},      {THROUGHPUT_CONVERT, 9, 0, 16},         {THROUGHPUT_INT_ADD, 12, 0, 128},
        {THROUGHPUT_SHUFFLE, 2, 0, THROUGHPUT_NONE},           {THROUGHPUT_INT_MULTIPLY, 6, 1, THROUGHPUT_SEVERAL},
        {THROUGHPUT_BIT_FIELD, 7, 0, THROUGHPUT_SEVERAL},      {THROUGHPUT_FLOAT32, 8, 7, THROUGHPUT_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(throughput_of(cases[i].operation, cases[i].major, cases[i].minor), cases[i].value);
    assert_null(throughput_source(8, 7));
    assert_non_null(strstr(throughput_source(9, 0), "12.6"));
}

static void agrees(const struct device *d, enum throughput operation, int64_t figure)
{
    int told = throughput_of(operation, (int)d->cc_major, (int)d->cc_minor);

    if (told != THROUGHPUT_UNKNOWN && figure != DEVICE_UNKNOWN)
        assert_int_equal(figure, told < 0 ? 0 : told);
}

/* What descriptions have of the same table, though from other copies. Left out: halves on 8.6, where the descriptions have 128, the rate of
 * floats, and the guide 256; the doubles of an H20, which are fewer than its compute capability has. */
static void throughput_agrees_with_descriptions(void **state)
{
    char **names;
    int n = device_names(&names);
    struct diag_list diags;

    (void)state;
    diag_init(&diags);
    for (int i = 0; i < n; i++) {
        struct device d;

        assert_true(device_load(&d, names[i], &diags));
        agrees(&d, THROUGHPUT_FLOAT32, d.fp32_per_sm);
        if (strcmp(d.id, "h20"))
            agrees(&d, THROUGHPUT_FLOAT64, d.fp64_per_sm);
        if (d.cc_major != 8 || d.cc_minor != 6)
            agrees(&d, THROUGHPUT_FLOAT16, d.fp16_per_sm);
        agrees(&d, THROUGHPUT_SPECIAL, d.sfu_per_sm);
        agrees(&d, THROUGHPUT_INT_ADD, d.int32_add_per_sm);
        agrees(&d, THROUGHPUT_INT_MULTIPLY, d.int32_mul_per_sm);
        agrees(&d, THROUGHPUT_SHIFT, d.int32_shift_per_sm);
    }
    device_names_release(names, n);
    diag_release(&diags);
}

/* A mechanism that is off changes the figures of its rows and no others; names go in and come out. */
static void mechanisms_can_be_off(void **state)
{
    mechanism_set off;
    struct strbuf text;
    struct device d = h200;
    (void)state;
    strbuf_init(&text);
    assert_true(mechanisms_read("float_sums,queue", &off, &text));
    mechanisms_write(off, &text);
    assert_string_equal(text.s, "queue,float_sums");
    mechanisms_leave(&d, off);
    assert_false(mechanisms_has(&d, MECHANISM_queue));
    assert_true(mechanisms_has(&d, MECHANISM_tags));
    assert_int_equal(d.lsu_waiting_subpartition, 1024);
    assert_int_equal(d.atomic_word_float_ps, h200.atomic_word_ps);
    d.lsu_waiting_subpartition = h200.lsu_waiting_subpartition;
    d.atomic_word_float_ps = h200.atomic_word_float_ps;
    d.without = 0;
    assert_memory_equal(&d, &h200, sizeof d);
    strbuf_clear(&text);
    assert_false(mechanisms_read("queue,queu", &off, &text));
    assert_string_equal(text.s, "there is no mechanism 'queu' of the model; `heddle profile --without help` lists them");
    assert_true(mechanisms_read("", &off, &text));
    assert_int_equal(off, 0);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_h200),       cmocka_unit_test(names_file_and_figure),
        cmocka_unit_test(names_missing_origins), cmocka_unit_test(names_contradictions),
        cmocka_unit_test(bad_text_is_survived), cmocka_unit_test(ends_of_ranges_are_survived),
        cmocka_unit_test(throughput_of_the_guide), cmocka_unit_test(throughput_agrees_with_descriptions),
        cmocka_unit_test(headline_rates),       cmocka_unit_test(code_for_each_capability),
        cmocka_unit_test(relatives_stand_in),   cmocka_unit_test(wrong_relatives_are_named),
        cmocka_unit_test(origins_of_relatives), cmocka_unit_test(names_that_gpus_are_sold_under),
        cmocka_unit_test(near_names_are_suggested),
        cmocka_unit_test(rates_of_courses),     cmocka_unit_test(origins_are_told),
        cmocka_unit_test(wrong_name_gets_near_match), cmocka_unit_test(near_matches),
        cmocka_unit_test(mechanisms_can_be_off),
    };
    struct diag_list diags;

    setenv("HEDDLE_DEVICES", DEVICES, 1);
    diag_init(&diags);
    if (!device_load(&h200, NULL, &diags)) {
        fprintf(stderr, "%s\n", diags.first->text);
        return 1;
    }
    diag_release(&diags);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
