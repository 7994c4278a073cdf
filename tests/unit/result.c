/* Results: a launch written and read again is the same; names; hostile files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "report/result.h"

static char path[] = "/tmp/heddle_result_XXXXXX";

static struct result *sample(void)
{
    struct result *r = result_new(3);

    r->id = 7;
    r->pid = 1234;
    r->process = "a \"quoted\" name";
    r->kernel = "_Z12matmul_tiledILi16EEvPKfS1_Pfiii";
    r->context = 1;
    r->device_id = "h200";
    r->device_name = "NVIDIA H200";
    r->cc_major = 9;
    r->arch = 90;
    r->compiler = "nvcc 13.0";
    r->cache_control = "none";
    r->rates.fp32 = 66908.16;
    r->rates.l2_bandwidth = NAN;
    r->launch.collected = COUNTERS_EXACT;
    r->launch.blocks = 6;
    r->launch.warps_per_block = 4;
    r->launch.shared_dynamic = INT64_C(1) << 40;
    memcpy(r->launch.grid, (uint32_t[]){3, 2, 1}, sizeof r->launch.grid);
    memcpy(r->launch.block, (uint32_t[]){128, 1, 1}, sizeof r->launch.block);
    r->sites[0] = (struct result_site){.site = 4, .file = "m\xff.cu", .line = 12, .column = 3, .ptx_line = 99,
                                       .text = "ld.global.f32 %f1, [%rd1];", .inlined_at = "m.cu:20", .unrolled = 4};
    r->sites[0].counters.v[COUNTER_INST] = 10;
    r->sites[0].counters.v[COUNTER_GLOBAL_LD_SECTORS] = UINT64_C(1) << 53;
    r->sites[1].site = 5; /* never executed */
    r->sites[2].site = 6;
    r->sites[2].counters.v[COUNTER_INST] = 1;
    r->ninsts = 2;
    r->insts = ARENA_ARRAY(&r->arena, struct result_inst, 2);
    r->insts[0] = (struct result_inst){4, ".b0:", "@P0 LDG R1, [R2.64]", 10, 320, 160};
    r->insts[1] = (struct result_inst){-1, NULL, "RET", 0, 0, 0};
    result_sum(r);
    return r;
}

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void written_and_read(void **state)
{
    struct result *r = sample(), *s;
    struct diag_list diags;
    struct results rs;
    FILE *f = fopen(path, "w");
    double v;

    (void)state;
    assert_non_null(f);
    assert_true(result_write(r, f));
    assert_true(result_write(r, f));
    fclose(f);
    diag_init(&diags);
    assert_true(results_read(&rs, path, &diags));
    assert_int_equal(rs.n, 2);
    s = rs.result[1];
    assert_int_equal(s->id, 7);
    assert_string_equal(s->process, r->process);
    assert_string_equal(s->kernel_name, "void matmul_tiled<16>(const float *, const float *, float *, int, int, int)");
    assert_string_equal(s->compiler, "nvcc 13.0");
    assert_string_equal(s->cache_control, "none");
    assert_null(s->fault);
    assert_memory_equal(&s->launch, &r->launch, sizeof r->launch);
    assert_memory_equal(&s->total, &r->total, sizeof r->total);
    assert_int_equal(s->total.v[COUNTER_WARPS], 24);
    assert_true(s->rates.fp32 == 66908.16 && isnan(s->rates.l2_bandwidth) && s->rates.fp64 == 0);
    assert_int_equal(s->nsites, 2);
    assert_int_equal(s->sites[1].site, 6);
    assert_string_equal(s->sites[0].file, "m?.cu");
    assert_string_equal(s->sites[0].inlined_at, "m.cu:20");
    assert_null(s->sites[0].function);
    assert_memory_equal(&s->sites[0].counters, &r->sites[0].counters, sizeof r->total);
    assert_int_equal(s->sites[0].unrolled, 4);
    assert_int_equal(s->sites[1].unrolled, 0);
    assert_int_equal(s->ninsts, 2);
    assert_string_equal(s->insts[0].head, ".b0:");
    assert_string_equal(s->insts[0].text, "@P0 LDG R1, [R2.64]");
    assert_int_equal(s->insts[0].inst, 10);
    assert_int_equal(s->insts[0].thread_inst, 320);
    assert_int_equal(s->insts[0].thread_inst_on, 160);
    assert_int_equal(s->insts[1].site, -1);
    assert_null(s->insts[1].head);
    assert_int_equal(result_metric(s, "sm__ctas_launched.sum", &v), METRIC_OK);
    assert_float_equal(v, 6, 0);
    results_release(&rs);
    diag_release(&diags);
    result_free(r);
}

static const char *message_for(const char *text)
{
    static char message[512];
    struct diag_list diags;
    struct results rs;

    write_text(text);
    diag_init(&diags);
    results_read(&rs, path, &diags);
    assert_int_equal(rs.n, 0);
    assert_int_equal(diags.count, 1);
    snprintf(message, sizeof message, "%d:%s", diags.first->line, diags.first->text);
    results_release(&rs);
    diag_release(&diags);
    return message;
}

static void hostile_files(void **state)
{
    struct result *r = sample();
    struct diag_list diags;
    struct results rs;
    FILE *f = fopen(path, "w+");
    char *text;
    long n;

    (void)state;
    assert_true(result_write(r, f));
    n = ftell(f);
    text = calloc(1, (size_t)n + 1);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    fclose(f);
    for (long cut = 1; cut < n - 1; cut++) { /* cut off anywhere: never a result, never a crash */
        char *part = strndup(text, (size_t)cut);

        assert_non_null(strstr(message_for(part), "1:the last result was cut off"));
        free(part);
    }
    assert_non_null(strstr(message_for("{}\n"), "1:not a result of heddle"));
    assert_non_null(strstr(message_for("[1]\n"), "1:not a result of heddle"));
    assert_non_null(strstr(message_for("hello\n"), "1:not JSON"));
    assert_non_null(strstr(message_for("{\"heddle_result\":1}\n"), "version 1, this heddle reads 2"));
    assert_non_null(strstr(message_for("{\"heddle_result\":2}\n"), "'sites' is not a list"));
    assert_non_null(strstr(message_for("{\"heddle_result\":2,\"sites\":[3]}\n"), "'id' is not a whole number"));
    *strstr(text, "GLOBAL_LD_SECTORS") = 'X';
    assert_non_null(strstr(message_for(text), "'XLOBAL_LD_SECTORS' is no counter of this version"));
    diag_init(&diags);
    assert_false(results_read(&rs, "/nowhere/at/all", &diags));
    diag_release(&diags);
    free(text);
    result_free(r);
}

static void kernel_names(void **state)
{
    static const char *const names[][2] = {
        {"_Z7vec_addPKfS0_Pfi", "vec_add(const float *, const float *, float *, int)"},
        {"_Z12matmul_tiledILi16EEvPKfS1_Pfiii", "void matmul_tiled<16>(const float *, const float *, float *, int, int, int)"},
        {"_Z1fPKjPPKfRKi", "f(const unsigned int *, const float **, const int &)"},
        {"_Z1gI6float4EvPKT_", "void g<float4>(const float4 *)"},
        {"_ZN2ns1kEPKNS_1PEPVi", "ns::k(const ns::P *, int volatile *)"},
        {"_Z1hPKPKi", "h(const int * const *)"},
        {"_ZL4mineP1SPKi$12", "mine(S *, const int *)"},
        {"_ZL4minePi$x", "_ZL4minePi$x"},
        {"saxpy$1", "saxpy$1"},
        {"saxpy", "saxpy"},
        {"_Zbroken", "_Zbroken"},
        {"", ""},
    };
    struct arena a;

    (void)state;
    arena_init(&a);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(result_demangle(&a, names[i][0]), names[i][1]);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(kernel_names),
    };
    int failed;

    close(mkstemp(path));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
