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
    unsigned char *p = alloc_pages(bytes);
    (void)state;
    assert_int_equal((uintptr_t)p % (2 << 20), 0);
    assert_int_equal(p[0] | p[bytes / 2] | p[bytes - 1], 0);
    p[bytes - 1] = 1;
    alloc_pages_release(p, bytes);
    assert_null(alloc_pages(0));
    alloc_pages_release(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(table_finds_what_was_set),
        cmocka_unit_test(hash_is_fnv_1a),
        cmocka_unit_test(a_diagnostic_points_at_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
