/* Arenas, growing strings, tables and diagnostics. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/pages.h"
#include "base/strbuf.h"
#include "base/table.h"

static void arena_memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        unsigned char *p = arena_alloc(&a, n);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_int_equal(p[0], 0);
        assert_int_equal(p[n - 1], 0);
        memset(p, 0xff, n);
    }
    assert_string_equal(arena_printf(&a, "%s-%d", "x", 7), "x-7");
    arena_release(&a);
}

static void pages_are_zeroed_and_aligned(void **state)
{
    struct pages p = {0};
    (void)state;
    for (int again = 0; again < 2; again++) {
        for (size_t n = 1; n < 9000000; n = n * 3 + 1) {
            alloc_fail_after(n == 1 && again, false); /* the host has no pages */
            unsigned char *v = pages_take(&p, n);
            alloc_fail_after(0, false);
            assert_int_equal((uintptr_t)v % 128, 0);
            for (size_t i = 0; i < n; i += n / 50 + 1)
                assert_int_equal(v[i], 0);
            memset(v, 0xff, n);
        }
        pages_release(&p);
        assert_null(p.blocks);
    }
    assert_int_equal(alloc_shortage(), 0);
}

static void table_finds_what_was_set(void **state)
{
    (void)state;
    struct table t;
    table_init(&t);
    static char keys[1000][8];
    for (int i = 0; i < 1000; i++) {
        sprintf(keys[i], "k%d", i);
        table_set(&t, keys[i], keys[i]);
    }
    for (int i = 0; i < 1000; i++)
        assert_ptr_equal(table_get(&t, keys[i]), keys[i]);
    assert_null(table_get(&t, "k1000"));
    assert_ptr_equal(table_getn(&t, "k12345", 3), keys[12]);
    table_release(&t);
}

static void hash_is_fnv_1a(void **state)
{
    (void)state;
    /* FNV-1a 64 of "a", from the authors' test vectors */
    assert_true(hash_bytes(HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
}

static void a_diagnostic_points_at_its_column(void **state)
{
    (void)state;
    struct diag_list l;
    struct strbuf b;
    diag_init(&l);
    strbuf_init(&b);
    struct diag *d = diag_add(&l, DIAG_ERROR, "saxpy.cu", 14, "instruction '%s' is not implemented", "foo");
    d->ptx_line = 52;
    d->source = "\tfoo %r1;";
    d->column = 2;
    diag_format_all(&l, &b);
    assert_string_equal(b.s, "saxpy.cu:14 (PTX line 52): error: instruction 'foo' is not implemented\n"
                             "    52 | \tfoo %r1;\n"
                             "       | \t^\n");
    assert_int_equal(l.errors, 1);
    strbuf_release(&b);
    diag_release(&l);
}

/* Zeroed, on a large page's border, and its last byte can be written. */
static void pages(void **state)
{
    size_t bytes = (3 << 20) + 5;
    unsigned char *p = alloc_try_pages(bytes);
    (void)state;
    assert_int_equal((uintptr_t)p % (2 << 20), 0);
    assert_int_equal(p[0] | p[bytes / 2] | p[bytes - 1], 0);
    p[bytes - 1] = 1;
    alloc_pages_release(p, bytes);
    assert_null(alloc_try_pages(0));
    alloc_pages_release(NULL, 0);
}

/* An allocation that fails comes from the reserve, once; alloc_try_* answer NULL and note nothing. */
static void a_failure_is_noted(void **state)
{
    (void)state;
    alloc_fail_after(2, false);
    char *first = alloc_zeroed(100), *second = alloc_zeroed(200), *third = alloc_zeroed(300);
    assert_true(alloc_is_short());
    assert_int_equal(alloc_shortage(), 200);
    assert_int_equal(alloc_shortage(), 0);
    assert_false(alloc_is_short());
    for (int i = 0; i < 200; i++)
        assert_int_equal(second[i], 0);
    alloc_fail_after(1, false);
    assert_null(alloc_try_zeroed(100));
    alloc_fail_after(1, false);
    assert_null(alloc_try_aligned(64, 100));
    alloc_fail_after(1, false);
    assert_null(alloc_try_pages(100));
    assert_int_equal(alloc_shortage(), 0);
    alloc_release(first);
    alloc_release(second);
    alloc_release(third);
}

/* What a piece held moves with it: into the reserve, within it, and out of it. */
static void a_piece_keeps_its_bytes(void **state)
{
    static const char text[] = "sixteen bytes are";
    (void)state;
    char *s = alloc_strndup(text, sizeof text);
    alloc_fail_after(1, true);
    s = alloc_resize(s, 1000);
    assert_string_equal(s, text);
    s = alloc_resize(s, 2000);
    assert_string_equal(s, text);
    assert_int_equal(alloc_shortage(), 1000);
    alloc_fail_after(0, false);
    s = alloc_resize(s, 3000);
    assert_string_equal(s, text);
    s[2999] = 1;
    s = alloc_resize(s, 4);
    assert_memory_equal(s, text, 4);
    assert_int_equal(alloc_shortage(), 0);
    alloc_release(s);
}

static void the_reserve_keeps_alignment(void **state)
{
    (void)state;
    alloc_fail_after(1, true);
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        unsigned char *p = alloc_aligned(alignment, 100);
        assert_int_equal((uintptr_t)p % alignment, 0);
        assert_int_equal(p[0] | p[99], 0);
        memset(p, 255, 100);
        alloc_release(p);
    }
    assert_int_equal(alloc_shortage(), 100);
    alloc_fail_after(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_noted),
        cmocka_unit_test(a_piece_keeps_its_bytes),
        cmocka_unit_test(the_reserve_keeps_alignment),
        cmocka_unit_test(pages),
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned), cmocka_unit_test(pages_are_zeroed_and_aligned),
        cmocka_unit_test(table_finds_what_was_set),
        cmocka_unit_test(hash_is_fnv_1a),
        cmocka_unit_test(a_diagnostic_points_at_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
