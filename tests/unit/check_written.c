/* Which bytes were written: ranges, copies and counts against one flag a byte, and a few by hand. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/check.h"
#include "space/heap.h"

enum { BYTES = 1 << 20 };

static const struct heap no_heap;

static struct space pretended(void)
{
    struct space s;

    memset(&s, 0, sizeof s);
    s.base = SPACE_BASE;
    s.bytes = BYTES;
    return s;
}

static void by_hand(void **state)
{
    struct space s = pretended();
    struct check *c = check_open(CHECK_INITCHECK, &s, &no_heap);
    uint64_t first = 0;

    (void)state;
    assert_int_equal(check_unwritten(c, SPACE_BASE, 100, &first), 100);
    assert_int_equal(first, SPACE_BASE);
    check_written(c, SPACE_BASE, 97); /* all but 3 */
    assert_int_equal(check_unwritten(c, SPACE_BASE, 100, &first), 3);
    assert_int_equal(first, SPACE_BASE + 97);
    check_copied(c, SPACE_BASE + 513, SPACE_BASE + 90, 10); /* 7 written ones, 3 others */
    assert_int_equal(check_unwritten(c, SPACE_BASE + 513, 10, &first), 3);
    assert_int_equal(first, SPACE_BASE + 520);
    check_allocated(c, SPACE_BASE, 50); /* as fresh */
    assert_int_equal(check_unwritten(c, SPACE_BASE, 100, &first), 53);
    check_copied(c, SPACE_BASE, 0x1000, 50); /* from the host */
    assert_int_equal(check_unwritten(c, SPACE_BASE, 100, &first), 3);
    check_close(c);
}

static void against_flags(void **state)
{
    enum { ROUNDS = 20000, LONGEST = 1200 };
    static char flags[BYTES];
    struct space s = pretended();
    struct check *c = check_open(CHECK_INITCHECK, &s, &no_heap);
    uint64_t first;

    (void)state;
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t n = (uint64_t)rand() % (round & 1 ? 40 : LONGEST), none = 0, to_first = 0;
        uint64_t at = (uint64_t)rand() % 4096, from = (uint64_t)rand() % 4096; /* crowded: copies overlap */

        switch (rand() % 4) {
        case 0:
            check_written(c, SPACE_BASE + at, n);
            memset(flags + at, 1, n);
            break;
        case 1:
            check_allocated(c, SPACE_BASE + at, n);
            memset(flags + at, 0, n);
            break;
        default:
            check_copied(c, SPACE_BASE + at, SPACE_BASE + from, n);
            memmove(flags + at, flags + from, n);
        }
        for (uint64_t i = n; i-- > 0;)
            if (!flags[from + i]) {
                none++;
                to_first = from + i;
            }
        assert_int_equal(check_unwritten(c, SPACE_BASE + from, n, &first), none);
        if (none)
            assert_int_equal(first, SPACE_BASE + to_first);
    }
    check_close(c);
}

/* The host makes one allocation while a copy ends at the last byte of the one before it. */
static int stop;

static void *copies(void *check)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        check_copied(check, SPACE_BASE + SPACE_ALIGN - 32, SPACE_BASE + 8 * SPACE_ALIGN, 32);
    return NULL;
}

static void beside_a_copy(void **state)
{
    struct space s = pretended();
    struct check *c = check_open(CHECK_INITCHECK, &s, &no_heap);
    uint64_t first, wrong = 0;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, copies, c), 0);
    for (int i = 0; i < 3000000; i++) {
        check_written(c, SPACE_BASE + SPACE_ALIGN, 8);
        wrong += check_unwritten(c, SPACE_BASE + SPACE_ALIGN, 8, &first) != 0;
        check_allocated(c, SPACE_BASE + SPACE_ALIGN, 8);
        wrong += check_unwritten(c, SPACE_BASE + SPACE_ALIGN, 8, &first) != 8;
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(wrong, 0);
    check_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(against_flags), cmocka_unit_test(beside_a_copy)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
