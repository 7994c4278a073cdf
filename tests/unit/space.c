/* Device memory: addresses computed by hand from the rules in space.h (512-byte steps, granules of 2 MiB, small
 * allocations share a granule of their kind, variables from the top). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "space/registered.h"
#include "space/space.h"

#define MIB UINT64_C(0x100000)
#define B   UINT64_C(0x200000000000)

static struct space sp;

static int open_64(void **state)
{
    (void)state;
    const char *why = NULL;
    return space_open(&sp, 0, 64 * MIB, &why) != SPACE_OK;
}

static int close_it(void **state)
{
    (void)state;
    space_pretend_available(0);
    space_close(&sp);
    return 0;
}

static uint64_t get(uint64_t bytes, enum space_kind kind)
{
    uint64_t a = 0;
    assert_int_equal(space_alloc(&sp, bytes, kind, NULL, &a), SPACE_OK);
    return a;
}

static void is_run(uint64_t address, uint64_t first, uint64_t bytes)
{
    const struct space_run *r = &sp.run[(address - B) / SPACE_GRANULE];
    assert_true(r->bytes == bytes && (!bytes || r->first == first));
}

static void runs_are_granted_together(void **state)
{
    (void)state;
    assert_true(get(100, SPACE_PROGRAM) == B);
    assert_true(get(5 * MIB, SPACE_PROGRAM) == B + 2 * MIB); /* three granules */
    is_run(B, B, 2 * MIB);
    is_run(B + 2 * MIB, B + 2 * MIB, 6 * MIB);
    is_run(B + 7 * MIB, B + 2 * MIB, 6 * MIB);
    is_run(B + 8 * MIB, 0, 0);
    assert_int_equal(space_free(&sp, B + 2 * MIB), SPACE_OK);
    is_run(B + 2 * MIB, 0, 0);
    is_run(B + 7 * MIB, 0, 0);
    is_run(B, B, 2 * MIB);
}

static void addresses_are_first_fit(void **state)
{
    (void)state;
    assert_true(get(1, SPACE_PROGRAM) == B);
    assert_true(get(512, SPACE_PROGRAM) == B + 512);
    assert_true(get(513, SPACE_PROGRAM) == B + 1024);
    assert_true(get(4, SPACE_PROGRAM) == B + 2048);        /* 513 bytes take two steps */
    assert_true(get(MIB, SPACE_PROGRAM) == B + 2560);      /* the largest that shares */
    assert_true(get(MIB + 1, SPACE_PROGRAM) == B + 2 * MIB); /* a granule of its own */
    assert_true(get(5 * MIB, SPACE_PROGRAM) == B + 4 * MIB); /* three granules */
    assert_true(get(MIB, SPACE_PROGRAM) == B + 10 * MIB);  /* 1 MiB - 2560 left in the first: not enough */
    assert_true(get(100, SPACE_PROGRAM) == B + MIB + 2560);  /* but enough for this */
    /* freeing makes holes; neighbours grow together */
    assert_int_equal(space_free(&sp, B + 512), SPACE_OK);
    assert_int_equal(space_free(&sp, B + 1024), SPACE_OK);
    assert_true(get(1536, SPACE_PROGRAM) == B + 512);
    assert_int_equal(space_free(&sp, B + 2 * MIB), SPACE_OK);
    assert_int_equal(space_free(&sp, B + 4 * MIB), SPACE_OK);
    assert_true(get(8 * MIB, SPACE_PROGRAM) == B + 2 * MIB);
}

static void kinds_are_apart(void **state)
{
    (void)state;
    assert_true(get(16, SPACE_VARIABLE) == B + 62 * MIB); /* the last granule of 64 MiB */
    assert_true(get(16, SPACE_PROGRAM) == B);
    assert_true(get(16, SPACE_VARIABLE) == B + 62 * MIB + 512);
    assert_true(get(16, SPACE_ENGINE) == B + 60 * MIB);
    assert_true(get(3 * MIB, SPACE_ENGINE) == B + 56 * MIB);
    assert_true(get(16, SPACE_MANAGED) == B + 2 * MIB);
    assert_true(get(16, SPACE_HOST) == B + 64 * MIB); /* behind the device's memory */
}

static void an_emptied_granule_is_free_for_all(void **state)
{
    (void)state;
    uint64_t a = get(16, SPACE_PROGRAM), b = get(16, SPACE_PROGRAM);
    assert_true(space_ok(&sp, B + 2 * MIB - 1, 1));
    space_free(&sp, a);
    assert_true(space_ok(&sp, a, 16)); /* the granule still holds b */
    space_free(&sp, b);
    assert_false(space_ok(&sp, a, 16));
    assert_true(get(16, SPACE_MANAGED) == B);
}

static void access_is_by_granule(void **state)
{
    (void)state;
    uint64_t a = get(3 * MIB, SPACE_PROGRAM);
    assert_true(space_ok(&sp, a + 4 * MIB - 16, 16));
    assert_false(space_ok(&sp, a + 4 * MIB - 15, 16)); /* the last byte lies in the next granule */
    assert_false(space_ok(&sp, a - 1, 1));
    assert_false(space_ok(&sp, 0, 4));
    assert_false(space_ok(&sp, UINT64_MAX, 4));
    assert_true(space_is_device_address(a));
    assert_false(space_is_device_address(B - 1));
    assert_true(space_is_device_address(SPACE_LOCAL_WINDOW + SPACE_WINDOW_BYTES - 1));
}

static void both_ends_of_free(void **state)
{
    (void)state;
    uint64_t a = get(100, SPACE_PROGRAM), l = get(3 * MIB, SPACE_PROGRAM);
    assert_int_equal(space_free(&sp, a + 4), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, l + 2 * MIB), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, 0), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, B + 60 * MIB), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, a), SPACE_OK);
    assert_int_equal(space_free(&sp, a), SPACE_BAD_ADDRESS); /* twice */
    uint64_t none;
    assert_int_equal(space_alloc(&sp, 0, SPACE_PROGRAM, NULL, &none), SPACE_BAD_ADDRESS);
}

static void memory_comes_back_zero(void **state)
{
    (void)state;
    /* 20 pages and a bit, between two neighbours that must keep their bytes */
    uint64_t a = get(700, SPACE_PROGRAM), m = get(81000, SPACE_PROGRAM), z = get(700, SPACE_PROGRAM);
    memset(space_host(a), 0x11, 700);
    memset(space_host(m), 0xff, 81000);
    memset(space_host(z), 0x22, 700);
    space_free(&sp, m);
    const unsigned char *p = space_host(a), *q = space_host(z);
    assert_true(get(81000, SPACE_PROGRAM) == m);
    for (unsigned char *c = space_host(m), *end = c + 81000; c < end; c++)
        assert_int_equal(*c, 0);
    for (int i = 0; i < 700; i++) {
        assert_int_equal(p[i], 0x11);
        assert_int_equal(q[i], 0x22);
    }
    uint64_t l = get(6 * MIB, SPACE_PROGRAM);
    memset(space_host(l), 0xff, 6 * MIB);
    space_free(&sp, l);
    assert_true(get(6 * MIB, SPACE_PROGRAM) == l);
    assert_int_equal(*(char *)space_host(l), 0);
    assert_int_equal(*((char *)space_host(l) + 6 * MIB - 1), 0);
}

static void random_allocations_never_overlap(void **state)
{
    (void)state;
    enum { N = 300 };
    uint64_t at[N] = {0}, n[N] = {0};
    unsigned r = 12345;
    for (int step = 0; step < 6000; step++) {
        r = r * 1103515245u + 12345u;
        int i = (int)(r >> 16) % N;
        if (at[i]) {
            const unsigned char *p = space_host(at[i]);
            for (uint64_t k = 0; k < n[i]; k++)
                if (p[k] != (unsigned char)(i + 1))
                    fail_msg("allocation %d was overwritten", i);
            assert_int_equal(space_free(&sp, at[i]), SPACE_OK);
            at[i] = 0;
            continue;
        }
        r = r * 1103515245u + 12345u;
        n[i] = 1 + (r >> 12) % ((r & 7) ? 9000 : 200000);
        at[i] = get(n[i], SPACE_PROGRAM);
        unsigned char *p = space_host(at[i]);
        for (uint64_t k = 0; k < n[i]; k++)
            if (p[k])
                fail_msg("byte %d of a new allocation is not zero", (int)k);
        memset(p, i + 1, n[i]);
    }
}

static void find_names_the_allocation_or_the_nearest(void **state)
{
    (void)state;
    struct space_allocation f;
    assert_false(space_find(&sp, B, &f));
    assert_int_equal(f.bytes, 0);
    uint64_t a = get(100, SPACE_PROGRAM), b = get(1000, SPACE_PROGRAM), l = get(3 * MIB, SPACE_PROGRAM), v;
    assert_int_equal(space_alloc(&sp, 40, SPACE_VARIABLE, "table", &v), SPACE_OK);
    assert_true(space_find(&sp, a + 99, &f));
    assert_true(f.address == a && f.bytes == 100 && f.serial == 1 && f.kind == SPACE_PROGRAM);
    assert_false(space_find(&sp, a + 100, &f)); /* one past the end: nearest is a itself */
    assert_true(f.address == a);
    assert_false(space_find(&sp, b - 1, &f)); /* nearer to b */
    assert_true(f.address == b);
    assert_true(space_find(&sp, l + 3 * MIB - 1, &f));
    assert_true(f.address == l);
    assert_false(space_find(&sp, l + 3 * MIB, &f));
    assert_true(f.address == l);
    assert_true(space_find(&sp, v + 1, &f));
    assert_string_equal(f.label, "table");
    assert_false(space_find(&sp, 16, &f));
    assert_true(f.address == a);
    assert_false(space_find(&sp, UINT64_MAX, &f));
    assert_true(f.address == v);
    assert_false(space_find_freed(&sp, b, &f));
    space_free(&sp, b);
    assert_true(space_find_freed(&sp, b + 999, &f));
    assert_true(f.address == b && f.serial == 2);
    assert_false(space_find_freed(&sp, b + 1000, &f));
}

static void note(const struct space_allocation *a, void *user)
{
    uint64_t **p = user;
    *(*p)++ = a->address;
}

static void each_goes_in_order_of_address(void **state)
{
    (void)state;
    uint64_t v = get(4, SPACE_VARIABLE), a = get(4, SPACE_PROGRAM), l = get(9 * MIB, SPACE_PROGRAM),
             b = get(4, SPACE_PROGRAM), seen[8], *p = seen;
    space_each(&sp, note, &p);
    assert_int_equal(p - seen, 4);
    assert_true(seen[0] == a && seen[1] == b && seen[2] == l && seen[3] == v);
}

static void the_device_is_a_limit(void **state)
{
    (void)state;
    uint64_t a, free_bytes, total;
    space_info(&sp, &free_bytes, &total);
    assert_int_equal(total, 64 * MIB);
    assert_int_equal(free_bytes, 64 * MIB);
    assert_int_equal(space_alloc(&sp, 64 * MIB + 1, SPACE_PROGRAM, NULL, &a), SPACE_NO_MEMORY);
    assert_int_equal(space_alloc(&sp, UINT64_MAX, SPACE_PROGRAM, NULL, &a), SPACE_NO_MEMORY);
    get(16, SPACE_PROGRAM);
    space_info(&sp, &free_bytes, &total);
    assert_int_equal(free_bytes, 62 * MIB);
    assert_int_equal(space_alloc(&sp, 63 * MIB, SPACE_PROGRAM, NULL, &a), SPACE_NO_MEMORY);
    a = get(62 * MIB, SPACE_PROGRAM);
    get(SPACE_GRANULE - 512 - MIB, SPACE_PROGRAM); /* still fits into the shared granule */
    get(16 * MIB, SPACE_HOST);                     /* pinned memory is not the device's */
    space_free(&sp, a);
    space_info(&sp, &free_bytes, &total);
    assert_int_equal(free_bytes, 62 * MIB);
}

/* With 160 MiB available: reserve 64 MiB (more than 1/32), so 96 MiB may be granted while nothing is touched. */
static void the_machine_is_a_limit(void **state)
{
    (void)state;
    const char *why;
    struct space big;
    uint64_t a, free_bytes, total;
    assert_int_equal(space_open(&big, 1, 4096 * MIB, &why), SPACE_OK);
    space_pretend_available(160 * MIB);
    space_info(&big, &free_bytes, &total);
    assert_int_equal(free_bytes, 96 * MIB);
    assert_int_equal(space_alloc(&big, 98 * MIB, SPACE_PROGRAM, NULL, &a), SPACE_NO_MEMORY);
    int granted = 0;
    while (granted < 1000 && space_alloc(&big, 10 * MIB, SPACE_PROGRAM, NULL, &a) == SPACE_OK)
        granted++;
    assert_int_equal(granted, 9); /* 90 of 96 MiB */
    space_info(&big, &free_bytes, &total);
    assert_int_equal(free_bytes, 6 * MIB);
    /* touched pages are already missing from what the machine has, so they are not counted twice */
    memset(space_host(a), 1, 10 * MIB);
    space_info(&big, &free_bytes, &total);
    assert_int_equal(free_bytes, 16 * MIB);
    space_close(&big);
}

static int signal_of_child(void (*act)(uint64_t), uint64_t address)
{
    int status;
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        act(address);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void read_it(uint64_t address)
{
    (void)*(volatile char *)(uintptr_t)address;
}

static void write_it(uint64_t address)
{
    *(volatile char *)(uintptr_t)address = 1;
}

static void host_code_cannot_touch_the_programs_view(void **state)
{
    (void)state;
    uint64_t a = get(4096, SPACE_PROGRAM), m = get(4096, SPACE_MANAGED), h = get(4096, SPACE_HOST);
    assert_int_equal(signal_of_child(read_it, a), SIGSEGV);
    assert_int_equal(signal_of_child(write_it, a), SIGSEGV);
    assert_int_equal(signal_of_child(write_it, m), 0);
    assert_int_equal(signal_of_child(write_it, h), 0);
    memcpy((void *)(uintptr_t)m, "managed", 8); /* both views are the same bytes */
    assert_string_equal(space_host(m), "managed");
    space_free(&sp, m);
    assert_int_equal(signal_of_child(read_it, m), SIGSEGV);
}

static void a_taken_range_is_said(void **state)
{
    (void)state;
    struct space again;
    const char *why = NULL;
    assert_int_equal(space_open(&again, 0, 64 * MIB, &why), SPACE_NO_RANGE);
    assert_string_equal(why, "the address range of device memory is already taken");
    assert_int_equal(space_open(&again, SPACE_DEVICES, 64 * MIB, &why), SPACE_NO_RANGE);
    assert_int_equal(space_open(&again, 1, 1000, &why), SPACE_NO_RANGE);
}

static bool add(uint64_t address, uint64_t bytes)
{
    return registered_add(&(struct registered){address, bytes, 0, NULL});
}

static void count(const struct space_allocation *a, void *user)
{
    uint64_t *sum = user;
    *sum = 100 * *sum + a->bytes;
}

/* Ranges of 10 bytes from 0x5000ff8 (two pages), of 5 right behind it, of 3 before it. */
static void registered_ranges(void **state)
{
    struct registered r;
    uint64_t order = 0;
    (void)state;
    assert_false(registered_ok(0x5000ff8, 1));
    assert_false(registered_find(0x5000ff8, &r));
    assert_int_equal(r.bytes, 0);
    assert_true(add(0x5000ff8, 10));
    assert_false(add(0x5001001, 1)); /* its last byte */
    assert_false(add(0x5000ff0, 9)); /* its first */
    assert_false(add(0x5000000, 0x2000));
    assert_false(add(0x5000ff8, 0));
    assert_false(add(UINT64_MAX - 1, 2));
    assert_true(add(0x5001002, 5));
    assert_true(add(0x5000ff5, 3));
    registered_each(count, &order);
    assert_int_equal(order, 31005);

    assert_true(registered_find(0x5001001, &r));
    assert_int_equal(r.address, 0x5000ff8);
    assert_false(registered_find(0x5001007, &r)); /* behind the last */
    assert_int_equal(r.address, 0x5001002);
    assert_false(registered_find(0x10, &r));
    assert_int_equal(r.address, 0x5000ff5);

    assert_true(registered_ok(0x5000000, 4)); /* kernels see whole pages */
    assert_true(registered_ok(0x5001ffc, 4));
    assert_false(registered_ok(0x5002000, 4));
    assert_false(registered_ok(0x4fffffc, 4));
    assert_false(registered_ok(0x5001ffe, 4));

    assert_false(registered_remove(0x5000ff9));
    assert_true(registered_remove(0x5000ff8));
    assert_true(registered_ok(0x5001000, 4)); /* the page of another one */
    assert_true(registered_remove(0x5001002));
    assert_false(registered_ok(0x5001000, 4));
    assert_true(registered_remove(0x5000ff5));
    assert_false(registered_ok(0x5000ff0, 4));
}

/* More than the first list takes, given backwards. */
static void many_registered_ranges(void **state)
{
    (void)state;
    for (uint64_t i = 100; i-- > 0;)
        assert_true(add(0x7000000 + 0x2000 * i, 16));
    for (uint64_t i = 0; i < 100; i++) {
        assert_true(registered_ok(0x7000000 + 0x2000 * i, 16));
        assert_false(registered_ok(0x7001000 + 0x2000 * i, 16));
    }
    for (uint64_t i = 0; i < 100; i++)
        assert_true(registered_remove(0x7000000 + 0x2000 * i));
    assert_false(registered_ok(0x7000000, 1));
}

/* 1,000 bytes behind each: 100 take 1,536, half a MiB and 536 bytes no longer share, a whole granule takes two. */
static void padding_belongs_to_nobody(void **state)
{
    (void)state;
    space_pad(&sp, 1000);
    assert_true(get(100, SPACE_PROGRAM) == B);
    assert_true(get(24, SPACE_PROGRAM) == B + 1536);
    assert_true(get(25, SPACE_PROGRAM) == B + 2560);
    assert_true(get(2 * MIB, SPACE_PROGRAM) == B + 2 * MIB);
    assert_true(get(MIB - 999, SPACE_PROGRAM) == B + 6 * MIB);
    assert_int_equal(space_free(&sp, B + 2 * MIB), SPACE_OK);
    assert_true(get(4 * MIB - 1000, SPACE_PROGRAM) == B + 2 * MIB);
    assert_int_equal(space_free(&sp, B + 1536), SPACE_OK);
    assert_true(get(25, SPACE_PROGRAM) == B + 4096);
    assert_true(get(24, SPACE_PROGRAM) == B + 1536);
}

static uint64_t seen_address, seen_serial;
static int seen, seen_freed;

static void see(const struct space_allocation *a, bool freed, void *user)
{
    assert_ptr_equal(user, &seen);
    seen++;
    seen_freed += freed;
    seen_address = a->address;
    seen_serial = a->serial;
}

static void a_watcher_sees_all(void **state)
{
    (void)state;
    space_watch(&sp, see, &seen);
    get(10, SPACE_PROGRAM);
    get(MIB + 1, SPACE_MANAGED);
    assert_int_equal(seen, 2);
    assert_true(seen_serial == 2);
    assert_int_equal(space_free(&sp, B), SPACE_OK);
    assert_int_equal(space_free(&sp, B), SPACE_BAD_ADDRESS);
    assert_int_equal(seen, 3);
    assert_int_equal(seen_freed, 1);
    assert_true(seen_address == B && seen_serial == 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_64, close_it)
    const struct CMUnitTest tests[] = {
        TEST(runs_are_granted_together),
        TEST(addresses_are_first_fit),
        TEST(kinds_are_apart),
        TEST(an_emptied_granule_is_free_for_all),
        TEST(access_is_by_granule),
        TEST(both_ends_of_free),
        TEST(memory_comes_back_zero),
        TEST(random_allocations_never_overlap),
        TEST(find_names_the_allocation_or_the_nearest),
        TEST(each_goes_in_order_of_address),
        TEST(the_device_is_a_limit),
        TEST(the_machine_is_a_limit),
        TEST(host_code_cannot_touch_the_programs_view),
        TEST(a_taken_range_is_said),
        cmocka_unit_test(registered_ranges),
        cmocka_unit_test(many_registered_ranges),
        TEST(padding_belongs_to_nobody),
        TEST(a_watcher_sees_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
