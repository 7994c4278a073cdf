/* Result files (docs/results.md): refused with a message, or read and then fit for every report. What was read and written
 * again reads the same. */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "report/compare.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/source_page.h"
#include "report/summary.h"

static const struct report_metrics all = {0};

static void pages(const struct result *r, struct strbuf *out)
{
    report_text(r, &all, out);
    report_raw(r, &all, out);
    report_source(r, true, out);
    report_csv_header(&all, out);
    report_csv_line(r, 0, &all, out);
    strbuf_clear(out);
}

static void side_by_side(struct results *rs, struct strbuf *out, struct diag_list *diags)
{
    const struct compare_column columns[] = {{"a", NULL, rs->result, rs->n}, {"b", NULL, rs->result + rs->n / 2, rs->n - rs->n / 2}};
    const struct compare_options options = {&all, true};
    struct arena a;
    struct compare c;

    arena_init(&a);
    if (compare_init(&c, columns, 2, false, &a, diags)) {
        compare_text(&c, &options, out);
        compare_csv(&c, &options, out);
        compare_json(&c, &options, out);
    }
    arena_release(&a);
    strbuf_clear(out);
}

static void again(const struct results *rs)
{
    struct results second;
    struct diag_list diags;
    char *text[2];
    size_t size[2];

    for (int i = 0; i < 2; i++) {
        FILE *f = open_memstream(&text[i], &size[i]);

        for (int k = 0; k < rs->n; k++)
            result_write(i ? second.result[k] : rs->result[k], f);
        fclose(f);
        if (i)
            break;
        diag_init(&diags);
        if (!results_read(&second, fuzz_file(text[0], size[0]), &diags) || second.n != rs->n)
            fuzz_fail("what was written is not read");
        diag_release(&diags);
    }
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]))
        fuzz_fail("what was written and read is something else");
    results_release(&second);
    free(text[0]);
    free(text[1]);
}

static void use(struct results *rs, struct diag_list *diags)
{
    struct strbuf out;

    strbuf_init(&out);
    for (int i = 0; i < rs->n; i++)
        pages(rs->result[i], &out);
    report_summary(rs->result, rs->n, &all, &(struct summary_style){.per_gpu = true}, &out);
    report_summary(rs->result, rs->n, &all, &(struct summary_style){.csv = true, .sections = SECTIONS_ALL}, &out);
    roofline_svg(rs->result, rs->n, &out, diags);
    side_by_side(rs, &out, diags);
    again(rs);
    diag_format_all(diags, &out);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results rs;
    struct diag_list diags;

    diag_init(&diags);
    if (results_read(&rs, fuzz_file(data, size), &diags) == (diags.errors > 0))
        fuzz_fail("read in spite of errors, or refused without a message");
    if (rs.n)
        use(&rs, &diags);
    results_release(&rs);
    diag_release(&diags);
    return 0;
}
