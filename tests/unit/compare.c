/* Comparisons: which launches belong together, rows, ratios, and their three forms. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/compare.h"

static struct arena arena;
static struct diag_list diags;

static struct result *launch(const char *kernel, uint64_t loads, uint64_t sectors)
{
    struct result *r = result_new(0);

    r->kernel = r->kernel_name = kernel;
    r->device_id = "h200";
    r->launch.grid[0] = r->launch.grid[1] = r->launch.grid[2] = 1;
    memcpy(r->launch.block, r->launch.grid, sizeof r->launch.block);
    r->launch.limit = 1;
    r->launch.collected = COUNTERS_EXACT;
    r->total.v[COUNTER_GLOBAL_LD_REQUESTS] = loads;
    r->total.v[COUNTER_GLOBAL_LD_SECTORS] = sectors;
    r->total.v[COUNTER_GLOBAL_LD_BYTES] = 32 * sectors;
    return r;
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    diag_init(&diags);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    diag_release(&diags);
    return 0;
}

static void release(struct result **r, int n)
{
    for (int i = 0; i < n; i++)
        result_free(r[i]);
}

/* a b a against b a c, by name: the first a, then b; the second a and c are alone. */
static void by_name(void **state)
{
    struct result *x[] = {launch("a", 1, 1), launch("void b<1>(int)", 2, 2), launch("a", 3, 3)};
    struct result *y[] = {launch("void b<2>(int)", 4, 4), launch("a", 5, 5), launch("c", 6, 6)};
    struct compare_column columns[] = {{"x.cu", NULL, x, 3}, {"y.cu", NULL, y, 3}};
    struct compare c;

    (void)state;
    assert_true(compare_init(&c, columns, 2, false, &arena, &diags));
    assert_int_equal(c.pages, 2);
    assert_ptr_equal(c.page[0].launch[0], x[0]);
    assert_ptr_equal(c.page[0].launch[1], y[1]);
    assert_ptr_equal(c.page[1].launch[0], x[1]);
    assert_ptr_equal(c.page[1].launch[1], y[0]);
    assert_string_equal(diags.first->text, "x.cu on h200: 1 of 2 launches of 'a' have nothing beside them");
    assert_string_equal(diags.first->next->text, "y.cu on h200: 1 of 1 launches of 'c' have nothing beside them");
    assert_null(diags.first->next->next);
    release(x, 3);
    release(y, 3);
}

static void in_order(void **state)
{
    struct result *x[] = {launch("a", 1, 1), launch("a", 2, 2), launch("a", 3, 3)}, *y[] = {launch("b", 4, 4), launch("b", 5, 5)};
    struct compare_column columns[] = {{"x.cu", "a", x, 3}, {"x.cu", "b", y, 2}};
    struct compare c;

    (void)state;
    assert_true(compare_init(&c, columns, 2, true, &arena, &diags));
    assert_int_equal(c.pages, 2);
    assert_ptr_equal(c.page[1].launch[1], y[1]);
    assert_string_equal(diags.first->text, "'a' of x.cu: 3 launches, of which the first 2 are compared");
    release(x, 3);
    release(y, 2);
}

/* Names that never meet: an error that says which there are; one launch each: these two. */
static void strangers(void **state)
{
    struct result *x[] = {launch("a", 1, 1), launch("b", 2, 2)}, *y[] = {launch("c", 3, 3)};
    struct compare_column columns[] = {{"x.cu", NULL, x, 2}, {"y.cu", NULL, y, 1}};
    struct compare c;

    (void)state;
    assert_false(compare_init(&c, columns, 2, false, &arena, &diags));
    assert_string_equal(diags.first->text, "no kernel of x.cu is launched in all others, too: it has a, b, y.cu has c; choose one "
                                           "of each with -k NAME -k NAME");
    columns[0].n = 1;
    assert_true(compare_init(&c, columns, 2, false, &arena, &diags));
    assert_int_equal(c.pages, 1);
    columns[1].n = 0;
    assert_false(compare_init(&c, columns, 2, false, &arena, &diags));
    assert_string_equal(diags.first->next->text, "y.cu launched no kernel");
    release(x, 2);
    release(y, 1);
}

static void rows(void **state)
{
    struct result *x[] = {launch("a", 1024, 2048), launch("a", 64, 256), launch("a", 1024, 2050)};
    struct compare_column columns[] = {{"dir/\"x\".cu", NULL, x, 1}, {"y.cu", NULL, x + 1, 1}, {"z.cu", NULL, x + 2, 1}};
    struct report_metrics none = {0}, chosen;
    struct compare_options o = {&none, false};
    struct strbuf b;
    struct compare c;
    json_t *j, *row;

    (void)state;
    assert_true(compare_init(&c, columns, 3, false, &arena, &diags));
    strbuf_init(&b);
    compare_text(&c, &o, &b);
    assert_non_null(strstr(b.s, "\"x\".cu  y.cu        z.cu        Trust\n"));
    assert_non_null(strstr(b.s, "  Global loads                                  1,024    64 1/16  1,024     =  exact\n"));
    assert_non_null(strstr(b.s, "  Global load sectors          sector           2,048   256  1/8  2,050 x1.00  exact\n"));
    assert_null(strstr(b.s, "Global load efficiency")); /* 100 % each */
    strbuf_clear(&b);
    o.all = true;
    compare_text(&c, &o, &b);
    assert_non_null(strstr(b.s, "Global load efficiency"));
    assert_null(strstr(b.s, "Global stores")); /* there are none */
    strbuf_clear(&b);
    assert_true(report_metrics_parse(&chosen, "gld_request,dram__bytes_read.sum", &arena, &diags));
    o.metrics = &chosen;
    compare_csv(&c, &o, &b);
    assert_non_null(strstr(b.s, "\n\"0\",\"Metrics\",\"dram__bytes_read.sum\",\"dram__bytes_read.sum\",\"byte\",\"modelled\",\"dir/"
                                "\"\"x\"\".cu\",\"h200\",\"a\",\"n/a\",\"n/a\",\"y.cu\""));
    strbuf_clear(&b);
    compare_json(&c, &o, &b);
    j = json_loads(b.s, 0, NULL);
    row = json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(row, "values"), 1)), 64);
    assert_float_equal(json_real_value(json_array_get(json_object_get(row, "ratios"), 1)), 1 / 16.0, 0);
    json_decref(j);
    strbuf_release(&b);
    release(x, 3);
}

/* Launches in the order of their time, and what bounds each; none of them where one has no time. */
static void times(void **state)
{
    struct result *x[] = {launch("a", 1, 4), launch("a", 1, 4), launch("a", 1, 4)};
    struct compare_column columns[] = {{"x.cu", NULL, x, 1}, {"y.cu", NULL, x + 1, 1}, {"z.cu", NULL, x + 2, 1}};
    static const int64_t ps[] = {2000000, 500000, 1000000};
    struct report_metrics none = {0};
    struct compare_options o = {&none, false};
    struct strbuf b;
    struct compare c;

    (void)state;
    for (int i = 0; i < 3; i++) {
        x[i]->launch.collected = COUNTERS_ALL;
        x[i]->launch.duration_ps = ps[i];
        x[i]->rates.dram_bandwidth = 4000; /* of 2 MB in 500 ns, 1 us and 2 us: 100, 50 and 25 % */
        x[i]->total.v[COUNTER_DRAM_READ_SECTORS] = 62500;
    }
    assert_true(compare_init(&c, columns, 3, false, &arena, &diags));
    strbuf_init(&b);
    compare_text(&c, &o, &b);
    assert_non_null(strstr(b.s, "\nIn order of modelled time: [2] 0.500 us (DRAM), [3] 1.00 us (latency), [1] 2.00 us (latency)\n"));
    assert_non_null(strstr(b.s, "\nTime\n  Duration                     ns    2,000   500  1/4    1,000  1/2  modelled\n"));
    strbuf_clear(&b);
    x[1]->launch.collected = COUNTERS_EXACT;
    compare_text(&c, &o, &b);
    assert_null(strstr(b.s, "In order"));
    strbuf_release(&b);
    release(x, 3);
}

/* Nothing at all, with every device figure at 0. */
static void empty(void **state)
{
    struct result *x[] = {launch("a", 0, 0), launch("a", 0, 0)};
    struct compare_column columns[] = {{"x", NULL, x, 1}, {"y", NULL, x + 1, 1}};
    struct compare_options o = {NULL, false};
    struct strbuf b;
    struct compare c;

    (void)state;
    assert_true(compare_init(&c, columns, 2, false, &arena, &diags));
    strbuf_init(&b);
    compare_text(&c, &o, &b);
    assert_non_null(strstr(b.s, "  no figure differs; --all shows them\n"));
    o.all = true;
    compare_text(&c, &o, &b);
    assert_null(strstr(b.s, "nan"));
    strbuf_release(&b);
    release(x, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_name, setup, teardown),   cmocka_unit_test_setup_teardown(in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(strangers, setup, teardown), cmocka_unit_test_setup_teardown(rows, setup, teardown),
        cmocka_unit_test_setup_teardown(times, setup, teardown),     cmocka_unit_test_setup_teardown(empty, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
