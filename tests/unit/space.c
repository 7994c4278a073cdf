#define _GNU_SOURCE /* memfd_create */
/* Device memory: addresses computed by hand from the rules in space.h and place.h (512-byte steps, granules of 2 MiB, small
 * allocations share a granule of their kind), and those that an H200 gave for the same calls (truth/space). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "space/registered.h"
#include "space/space.h"

#define MIB UINT64_C(0x100000)
#define B   UINT64_C(0x200000000000)
#define W   (B + 74 * MIB)  /* where the window begins, behind 72 MiB of the context's memory */
#define C   (B - 96 * MIB)  /* below this chunks, above it the context's memory */
#define V   (C - 128 * MIB) /* variables of a device of 64 MiB: below room for chunks of twice as much */
#define H   (W + 24 * MIB)  /* pinned host memory */

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
    struct space_run r = space_run_at(&sp, address);
    assert_true(r.bytes == bytes && (!bytes || r.first == first));
}

static void runs_are_allocations(void **state)
{
    (void)state;
    assert_true(get(100, SPACE_PROGRAM) == B);
    assert_true(get(5 * MIB, SPACE_PROGRAM) == W); /* three granules */
    assert_true(get(1000, SPACE_PROGRAM) == B + 512);
    is_run(B, B, 100);
    is_run(B + 511, B, 100);
    is_run(B + 512, B + 512, 1000);
    is_run(B + 1535, B + 512, 1000);
    is_run(B + 1536, 0, 0);
    is_run(W, W, 5 * MIB);
    is_run(W + 6 * MIB - 1, W, 5 * MIB);
    is_run(W + 6 * MIB, 0, 0);
    is_run(B - 1, 0, 0);
    assert_true(space_holds(&sp, B + 96, 4) && !space_holds(&sp, B + 97, 4) && !space_holds(&sp, B + 508, 8));
    assert_false(space_holds(&sp, 0, 0) || space_holds(&sp, UINT64_MAX - 15, 32) || space_holds(&sp, B, UINT64_MAX));
    assert_true(space_holds(&sp, W, 5 * MIB) && !space_holds(&sp, W, 5 * MIB + 1) && !space_holds(&sp, W - 1, 2));
    assert_true(space_granules_at(&sp, B + 5000).first == B && space_granules_at(&sp, B + 5000).bytes == 2 * MIB);
    assert_true(space_granules_at(&sp, W + 3 * MIB).first == W && space_granules_at(&sp, W + 3 * MIB).bytes == 6 * MIB);
    assert_true(!space_granules_at(&sp, B - 1).bytes && !space_granules_at(&sp, W + 6 * MIB).bytes);
    assert_int_equal(space_free(&sp, W), SPACE_OK);
    assert_int_equal(space_free(&sp, B + 512), SPACE_OK);
    is_run(W, 0, 0);
    is_run(W + 5 * MIB, 0, 0);
    is_run(B + 512, 0, 0);
    is_run(B, B, 100);
    assert_int_equal(space_free(&sp, B), SPACE_OK);
    is_run(B, 0, 0);
}

static void addresses_are_first_fit(void **state)
{
    (void)state;
    assert_true(get(1, SPACE_PROGRAM) == B);
    assert_true(get(512, SPACE_PROGRAM) == B + 512);
    assert_true(get(513, SPACE_PROGRAM) == B + 1024);
    assert_true(get(4, SPACE_PROGRAM) == B + 2048);          /* 513 bytes take two steps */
    assert_true(get(MIB, SPACE_PROGRAM) == B + 2560);
    assert_true(get(2 * MIB, SPACE_PROGRAM) == W);           /* the largest that shares: it needs the next granule */
    assert_true(get(2 * MIB + 1, SPACE_PROGRAM) == W + 2 * MIB); /* granules of its own */
    assert_true(get(5 * MIB, SPACE_PROGRAM) == W + 6 * MIB); /* three granules */
    assert_true(get(MIB, SPACE_PROGRAM) == W + 12 * MIB);    /* 1 MiB - 2560 left in the first: not enough */
    assert_true(get(100, SPACE_PROGRAM) == B + MIB + 2560);  /* but enough for this */
    /* freeing makes holes; neighbours grow together */
    assert_int_equal(space_free(&sp, B + 512), SPACE_OK);
    assert_int_equal(space_free(&sp, B + 1024), SPACE_OK);
    assert_true(get(1536, SPACE_PROGRAM) == B + 512);
    assert_int_equal(space_free(&sp, W + 2 * MIB), SPACE_OK);
    assert_int_equal(space_free(&sp, W + 6 * MIB), SPACE_OK);
    assert_true(get(8 * MIB, SPACE_PROGRAM) == W + 2 * MIB);
}

/* 10 MiB are left in the window: what needs more gets chunks below one another; one that is empty goes. */
static void chunks_go_down(void **state)
{
    (void)state;
    assert_true(get(14 * MIB, SPACE_PROGRAM) == W);
    assert_true(get(12 * MIB, SPACE_PROGRAM) == C - 32 * MIB);
    assert_true(get(3 * MIB, SPACE_PROGRAM) == C - 20 * MIB); /* the lowest place, not the window's rest */
    assert_true(get(18 * MIB, SPACE_PROGRAM) == C - 64 * MIB);
    assert_true(get(16, SPACE_PROGRAM) == C - 46 * MIB);      /* and so for a granule that small ones share */
    assert_int_equal(space_free(&sp, C - 64 * MIB), SPACE_OK);
    assert_int_equal(space_free(&sp, C - 46 * MIB), SPACE_OK); /* nothing is left in that chunk */
    assert_true(get(4 * MIB, SPACE_PROGRAM) == C - 16 * MIB);
    assert_int_equal(space_free(&sp, W), SPACE_OK);
    assert_int_equal(space_free(&sp, C - 20 * MIB), SPACE_OK);
    assert_true(get(44 * MIB, SPACE_PROGRAM) == C - 96 * MIB); /* two times 32 MiB */
}

static void kinds_are_apart(void **state)
{
    (void)state;
    assert_true(get(16, SPACE_VARIABLE) == V);
    assert_true(get(16, SPACE_PROGRAM) == B);
    assert_true(get(16, SPACE_VARIABLE) == V + 512);
    assert_true(get(16, SPACE_ENGINE) == V + 2 * MIB);
    assert_true(get(3 * MIB, SPACE_ENGINE) == V + 4 * MIB);
    assert_true(get(16, SPACE_MANAGED) == C - 32 * MIB); /* a chunk of its own */
    assert_true(get(16, SPACE_HOST) == H);
}

static void an_emptied_granule_is_free_for_all(void **state)
{
    (void)state;
    uint64_t a = get(16, SPACE_VARIABLE), b = get(16, SPACE_VARIABLE);
    assert_true(space_ok(&sp, V + 2 * MIB - 1, 1));
    space_free(&sp, a);
    assert_true(space_ok(&sp, a, 16)); /* the granule still holds b */
    space_free(&sp, b);
    assert_false(space_ok(&sp, a, 16));
    assert_true(get(16, SPACE_ENGINE) == V);
}

static void access_is_by_granule(void **state)
{
    (void)state;
    uint64_t a = get(3 * MIB, SPACE_PROGRAM);
    assert_true(space_ok(&sp, a + 4 * MIB - 16, 16));
    assert_false(space_ok(&sp, a + 4 * MIB - 15, 16)); /* the last byte lies in the next granule */
    assert_true(space_ok(&sp, a - 16, 16)); /* the context's own memory */
    assert_true(space_ok(&sp, C, 16) && space_ok(&sp, B + 2 * MIB, 16));
    assert_false(space_ok(&sp, C - 16, 16));
    assert_false(space_ok(&sp, B, 16)); /* nothing is in the first granule */
    assert_false(space_ok(&sp, 0, 4));
    assert_false(space_ok(&sp, UINT64_MAX, 4));
    assert_true(space_is_device_address(a));
    assert_false(space_is_device_address(SPACE_BASE - 1));
    assert_true(space_is_device_address(SPACE_LOCAL_WINDOW + SPACE_WINDOW_BYTES - 1));
}

static void both_ends_of_free(void **state)
{
    (void)state;
    uint64_t a = get(100, SPACE_PROGRAM), l = get(3 * MIB, SPACE_PROGRAM);
    assert_int_equal(space_free(&sp, a + 4), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, l + 2 * MIB), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, 0), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, W + 20 * MIB), SPACE_BAD_ADDRESS);
    assert_int_equal(space_free(&sp, B + 2 * MIB), SPACE_BAD_ADDRESS); /* the context's */
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
    assert_true(f.address == v);
    assert_false(space_find(&sp, B - 16, &f));
    assert_true(f.address == a);
    assert_false(space_find(&sp, B + 3 * MIB, &f));
    assert_true(f.address == b);
    assert_false(space_find(&sp, W - 16, &f));
    assert_true(f.address == l);
    assert_false(space_find(&sp, UINT64_MAX, &f));
    assert_true(f.address == l);
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
    assert_true(seen[0] == v && seen[1] == a && seen[2] == b && seen[3] == l);
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

/* 1,000 bytes behind each: 100 take 1,536, 2 MiB less 999 bytes no longer share, 4 MiB take three granules. */
static void padding_belongs_to_nobody(void **state)
{
    (void)state;
    space_pad(&sp, 1000);
    assert_true(get(100, SPACE_PROGRAM) == B);
    assert_true(get(24, SPACE_PROGRAM) == B + 1536);
    assert_true(get(25, SPACE_PROGRAM) == B + 2560);
    assert_true(get(4 * MIB, SPACE_PROGRAM) == W);
    assert_true(get(2 * MIB - 999, SPACE_PROGRAM) == W + 6 * MIB);
    assert_int_equal(space_free(&sp, W), SPACE_OK);
    assert_true(get(6 * MIB - 1000, SPACE_PROGRAM) == W);
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

/* --- what an H200 did --- */

#define TRUTH DATA "/../truth/space/"

/* On the H200 the first small allocation was at FIRST, and chunks began below TOP. */
static const uint64_t FIRST = UINT64_C(0x7f6539e00000), TOP = UINT64_C(0x7f6520000000);

static uint64_t here(uint64_t address)
{
    return address >= TOP ? address - FIRST + B : address - TOP + C;
}

static int open_h200(void **state)
{
    (void)state;
    const char *why = NULL;
    space_pretend_available(UINT64_C(200) << 30);
    return space_open(&sp, 0, UINT64_C(141) << 30, &why) != SPACE_OK;
}

static void reopen(void)
{
    const char *why = NULL;
    space_close(&sp);
    assert_int_equal(space_open(&sp, 0, UINT64_C(141) << 30, &why), SPACE_OK);
}

/* Not compared: managed, pinned and stream-ordered memory and variables, which lie elsewhere there (place.h). */
static void allocations_lie_as_on_an_h200(void **state)
{
    (void)state;
    char name[64], last[64] = "", line[200], op;
    int compared = 0, rep, index;
    unsigned long long bytes, address;
    FILE *f = fopen(TRUTH "list.tsv", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(sscanf(line, "%63s %d %d %c %llu %llx", name, &rep, &index, &op, &bytes, &address), 6);
        if (strstr("async async_free managed pinned variable variable_late", name))
            continue;
        if (strcmp(name, last))
            reopen();
        strcpy(last, name);
        if (op == 'f')
            assert_int_equal(space_free(&sp, here(address)), SPACE_OK);
        else if (get(bytes, SPACE_PROGRAM) != here(address))
            fail_msg("%s, operation %d", name, index);
        compared++;
    }
    fclose(f);
    assert_int_equal(compared, 1353);
}

/* Does what a scenario's operations say: "a:3Mx3 s f:1". False: there is one that is not here. */
static bool perform(const char *ops)
{
    uint64_t at[64];
    int n = 0, which;
    for (const char *p = ops; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        char unit = 0;
        unsigned long long bytes = 0;
        int times = 1;
        if (sscanf(p, "f:%d", &which) == 1) {
            assert_int_equal(space_free(&sp, at[which]), SPACE_OK);
            at[n++] = at[which];
        } else if (sscanf(p, "a:%llu%c", &bytes, &unit) >= 1) {
            const char *x = memchr(p, 'x', strcspn(p, " "));
            times = x ? atoi(x + 1) : 1;
            for (int i = 0; i < times; i++)
                at[n++] = get(unit == 'M' ? bytes * MIB : unit == 'K' ? bytes << 10 : bytes, SPACE_PROGRAM);
        } else if (*p != 's') {
            return false;
        }
    }
    return true;
}

/* The operations of a scenario of `jobs`. */
static bool find_ops(const char *name, char *ops)
{
    char line[200], word[64];
    bool found = false;
    FILE *f = fopen(TRUTH "jobs", "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f)) {
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        found = sscanf(line, "walk %63s %*d %*c %*s %*s %*s %*s %n", word, &at) == 1 && at && !strcmp(word, name);
        if (found)
            strcpy(ops, line + at);
    }
    fclose(f);
    return found;
}

/* What was missing there is missing here; what was there is here, but for the granule of the probe's own variables (4 words that
 * are not zero). again_smaller: what the driver loads for cudaMemset has moved its second allocation. */
static void a_gpu_maps_the_same(void **state)
{
    (void)state;
    char name[64], kind[8], word[16], line[300], ops[200];
    unsigned long long target, bytes, words;
    long long from, to;
    int compared = 0, rep, index, error;
    FILE *f = fopen(TRUTH "walk.tsv", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(sscanf(line, "%63s %d %d %7s %llx %llu %15s %lld %lld %*s %d %llu", name, &rep, &index, kind, &target, &bytes, word, &from,
                                &to, &error, &words), 11);
        reopen();
        if (!find_ops(name, ops) || !perform(ops) || words == 4 || !strcmp(name, "again_smaller"))
            continue;
        bool there = !strcmp(word, "there");
        for (long long at = from; at < to; at += 4096)
            if (space_ok(&sp, here(target) + (uint64_t)at, 4) != there)
                fail_msg("%s: %lld is %s on an H200", name, at, word);
        compared++;
    }
    fclose(f);
    assert_true(compared > 100);
}

static void other_devices_are_reached_as_far_as_allowed(void **state)
{
    (void)state;
    struct space other;
    const char *why;
    uint64_t a = get(100, SPACE_PROGRAM), far = 0, managed = 0;
    assert_int_equal(space_open(&other, 1, 64 * MIB, &why), SPACE_OK);
    assert_int_equal(space_alloc(&other, 3 * MIB, SPACE_PROGRAM, NULL, &far), SPACE_OK);
    assert_int_equal(space_alloc(&other, 100, SPACE_MANAGED, NULL, &managed), SPACE_OK);
    assert_true(space_of(a) == &sp && space_of(far) == &other && !space_of(far + 16 * SPACE_STRIDE) && !space_of(0));
    assert_true(space_reach(&sp, a) == &sp && space_reach(&sp, far) == &sp); /* not allowed: where the access fails */
    assert_true(space_reach(&sp, managed) == &other);
    space_let(&sp, &other, SPACE_BY_PEER, true);
    assert_true(space_lets(&sp, &other, SPACE_BY_PEER) && !space_lets(&sp, &other, SPACE_BY_POOL) && !space_lets(&other, &sp, SPACE_BY_PEER));
    assert_true(space_reach(&sp, far) == &other && space_reach(&other, a) == &other);
    assert_true(space_holds(space_reach(&sp, far), far + 3 * MIB - 4, 4) && !space_holds(space_reach(&sp, far), far + 3 * MIB - 3, 4));
    space_let(&sp, &other, SPACE_BY_POOL, true);
    space_let(&sp, &other, SPACE_BY_PEER, false);
    assert_true(space_reach(&sp, far) == &other); /* by the pool */
    space_close(&other);
    assert_true(!space_of(far) && !space_lets(&sp, &other, SPACE_BY_POOL));
}

/* Both spaces are of one process here; the memfd is found by its number as by another process. */
static void imported_memory_is_the_same_bytes(void **state)
{
    (void)state;
    struct space other;
    struct space_share share, large;
    const char *why;
    uint64_t first = get(600, SPACE_PROGRAM), small = get(1000, SPACE_PROGRAM), big = get(5 * MIB, SPACE_PROGRAM), in, in_big, free_before, free_after, total;
    assert_int_equal(space_open(&other, 1, 64 * MIB, &why), SPACE_OK);
    assert_false(space_export(&sp, small + 512, &share) || space_export(&sp, get(100, SPACE_MANAGED), &share));
    assert_true(space_export(&sp, small, &share) && space_export(&sp, big, &large));
    assert_true(share.inside == 1024 && share.bytes == 1000 && share.at % SPACE_GRANULE == 0 && !large.inside && large.bytes == 5 * MIB);
    *(int *)space_host(small) = 17;
    space_info(&other, &free_before, &total);
    assert_int_equal(space_import(&other, &share, &in), SPACE_OK);
    assert_int_equal(space_import(&other, &large, &in_big), SPACE_OK);
    space_info(&other, &free_after, &total);
    assert_true(free_before == free_after); /* no memory of this device */
    assert_true(space_holds(&other, in, 1000) && !space_holds(&other, in, 1001) && !space_holds(&other, in - 1, 1));
    struct space_run whole = space_granules_at(&other, in);
    assert_true(whole.first == in - 1024 && whole.bytes == SPACE_GRANULE);
    assert_int_equal(*(int *)space_host(in), 17);
    *(int *)space_host(in_big + 5 * MIB - 4) = 18;
    assert_int_equal(*(int *)space_host(big + 5 * MIB - 4), 18);
    struct space_allocation found;
    assert_true(space_find(&other, in + 999, &found) && found.kind == SPACE_IMPORTED && found.address == in);
    assert_false(space_export(&other, in, &share)); /* it is not this one's to hand on */
    assert_int_equal(space_free(&other, in), SPACE_OK);
    assert_int_equal(*(int *)space_host(small), 17);
    assert_int_equal(*(int *)space_host(in), 0); /* the device's own again */
    assert_int_equal(space_free(&other, in_big), SPACE_OK);
    assert_int_equal(space_free(&sp, first), SPACE_OK);
    space_close(&other);
}

/* Neighbours that may be touched are one allocation; the rest of the range is none, and nobody else gets it. */
static void mapped_memory_is_where_it_is_put(void **state)
{
    (void)state;
    uint64_t a = 0, b = 0, aligned = 0, free_before, free_after, total;
    assert_int_equal(space_reserve(&sp, 8 * MIB, 0, &a), SPACE_OK);
    assert_int_equal(space_reserve(&sp, 2 * MIB, 16 * MIB, &aligned), SPACE_OK);
    assert_true(aligned % (16 * MIB) == 0);
    assert_int_equal(space_reserve(&sp, MIB, 0, &b), SPACE_BAD_ADDRESS);
    space_pretend_available(UINT64_C(1) << 40);
    space_info(&sp, &free_before, &total);
    assert_int_equal(space_pay(&sp, 65 * MIB), SPACE_NO_MEMORY);
    assert_int_equal(space_pay(&sp, 4 * MIB), SPACE_OK);
    space_info(&sp, &free_after, &total);
    assert_true(free_before - free_after == 4 * MIB);
    int fd = memfd_create("memory", MFD_CLOEXEC);
    assert_true(fd >= 0 && !ftruncate(fd, 6 * MIB));
    assert_true(space_map(&sp, a, 6 * MIB, fd, 0));
    assert_false(space_ok(&sp, a, 4));
    space_access(&sp, a, 2 * MIB, true);
    is_run(a, a, 2 * MIB);
    space_access(&sp, a + 4 * MIB, 2 * MIB, true);
    is_run(a + 5 * MIB, a + 4 * MIB, 2 * MIB);
    assert_false(space_ok(&sp, a + 3 * MIB, 4));
    space_access(&sp, a + 2 * MIB, 2 * MIB, true);
    is_run(a + 5 * MIB, a, 6 * MIB);
    assert_true(space_ok(&sp, a + 3 * MIB, 4) && !space_ok(&sp, a + 6 * MIB, 4));
    *(int *)space_host(a + 3 * MIB) = 77;
    assert_true(get(100, SPACE_VARIABLE) != a); /* a variable's granule is looked for from below, past the range */
    space_access(&sp, a + 2 * MIB, 2 * MIB, false);
    is_run(a, a, 2 * MIB);
    is_run(a + 4 * MIB, a + 4 * MIB, 2 * MIB);
    assert_false(space_ok(&sp, a + 2 * MIB, 4));
    space_access(&sp, a, 2 * MIB, false);
    space_access(&sp, a + 4 * MIB, 2 * MIB, false);
    assert_true(space_map(&sp, a, 6 * MIB, -1, 0));
    assert_int_equal(*(int *)space_host(a + 3 * MIB), 0); /* the space's own memfd again */
    close(fd);
    space_repay(&sp, 4 * MIB);
    space_unreserve(&sp, a, 8 * MIB);
    assert_int_equal(space_reserve(&sp, 8 * MIB, 0, &b), SPACE_OK);
    assert_true(a <= b);
}

int main(void)
{
#define TRUTH_TEST(f) cmocka_unit_test_setup_teardown(f, open_h200, close_it)
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_64, close_it)
    const struct CMUnitTest tests[] = {
        TEST(runs_are_allocations),
        TEST(addresses_are_first_fit),
        TEST(chunks_go_down),
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
        TEST(other_devices_are_reached_as_far_as_allowed),
        TEST(imported_memory_is_the_same_bytes),
        TEST(mapped_memory_is_where_it_is_put),
        TRUTH_TEST(allocations_lie_as_on_an_h200),
        TRUTH_TEST(a_gpu_maps_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
