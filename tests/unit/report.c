/* Golden reports: tests/data/results.jsonl as text and CSV. HEDDLE_WRITE_DOCS=1 writes the expected files anew: read them
 * before they are committed. The counts are those of two launches of an H200 (copy_stride rd,stride=32; transpose
 * shared,pad=0; 2026-11-20), the rest is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/report.h"

static struct results rs;
static struct arena arena;

static void compare(const char *file, const struct strbuf *text)
{
    char *want = calloc(1, 1 << 18);
    FILE *f;

    if (getenv("HEDDLE_WRITE_DOCS")) {
        f = fopen(file, "w");
        assert_non_null(f);
        fputs(text->s, f);
        fclose(f);
    }
    f = fopen(file, "r");
    assert_non_null(f);
    assert_true(fread(want, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    assert_string_equal(text->s, want);
    free(want);
}

static void details(void **state)
{
    struct strbuf b;

    (void)state;
    strbuf_init(&b);
    for (int i = 0; i < rs.n; i++)
        report_text(rs.result[i], NULL, &b);
    compare("report.txt", &b);
    strbuf_release(&b);
}

static void csv(void **state)
{
    struct report_metrics m = {0};
    struct diag_list diags;
    struct strbuf b;

    (void)state;
    diag_init(&diags);
    assert_true(report_metrics_parse(&m,
                                     "sm__ctas_launched.sum,gld_transactions,launch__waves_per_multiprocessor,"
                                     "dram__bytes_read.sum,gld_efficiency",
                                     &arena, &diags));
    diag_release(&diags);
    strbuf_init(&b);
    report_csv_header(&m, &b);
    for (int i = 0; i < rs.n; i++)
        report_csv_line(rs.result[i], i, &m, &b);
    compare("report.csv", &b);
    assert_non_null(strstr(b.s, "\"0\",\"4711\",\"golden\",\"127.0.0.1\",\"gather(const float *, float *, int, int)\",\"1\","
                                "\"7\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"9.0\",\"4096\",\"1048576\",\"3.878788\","
                                "\"n/a\",\"12.5\"\n"));
    strbuf_release(&b);
}

static void bad_metrics(void **state)
{
    struct report_metrics m = {0};
    struct diag_list diags;

    (void)state;
    diag_init(&diags);
    assert_false(report_metrics_parse(&m, "gld_transaction,inst_executed,", &arena, &diags));
    assert_string_equal(diags.first->text, "unknown metric 'gld_transaction'; did you mean 'gld_transactions'?");
    assert_int_equal(diags.errors, 1);
    assert_false(report_metrics_parse(&m, ",,", &arena, &diags));
    diag_release(&diags);
}

/* A result without sites, without sources, with everything 0: no division by 0, no crash. */
static void empty_result(void **state)
{
    struct result *r = result_new(0);
    struct strbuf b;

    (void)state;
    r->kernel = "k";
    r->device_name = "none";
    strbuf_init(&b);
    report_text(r, NULL, &b);
    report_raw(r, &(struct report_metrics){0}, &b);
    assert_null(strstr(b.s, "nan"));
    assert_null(strstr(b.s, "inf"));
    strbuf_release(&b);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details),
        cmocka_unit_test(csv),
        cmocka_unit_test(bad_metrics),
        cmocka_unit_test(empty_result),
    };
    struct diag_list diags;

    if (chdir(DATA))
        return 1;
    diag_init(&diags);
    arena_init(&arena);
    if (!results_read(&rs, "results.jsonl", &diags)) {
        fprintf(stderr, "%s\n", diags.first->text);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
