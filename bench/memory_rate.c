/* How fast the memory model counts: nanoseconds a record by shape, and the ratio to the plain oracle of the tests.
 * Usage: bench_memory_rate [records]. CPU time of one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory/memory.h"
#include "ptx/ptx.h"
#include "../tests/unit/memory_oracle.h"

static struct counters site;
static struct memory model;
static unsigned sink;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned plain(const struct record *r)
{
    if (r->space == PTX_SHARED)
        return oracle_wavefronts(r);
    return r->op == RECORD_RED ? oracle_atomic_sectors(r) : oracle_sectors(r, r->mask);
}

static void measure(const char *name, struct record *r, long n)
{
    double t0 = now(), fast, slow;
    long plain_n = n / 200 + 1;

    for (long i = 0; i < n; i++) {
        r->addr[0] ^= (uint64_t)(i & 7) << 7; /* not the same address twice */
        memory_access(&model, r);
    }
    fast = (now() - t0) / (double)n;
    t0 = now();
    for (long i = 0; i < plain_n; i++)
        sink += plain(r);
    slow = (now() - t0) / (double)plain_n;
    printf("%-34s %7.1f ns a record, plain oracle %9.0f ns, ratio %6.0f\n", name, fast * 1e9, slow * 1e9, slow / fast);
}

static struct record make(int op, int space, int shape, int bytes, int stride, uint32_t mask)
{
    struct record r = {.mask = mask, .op = (uint8_t)op, .space = (uint8_t)space, .shape = (uint8_t)shape,
                       .bytes = (uint8_t)bytes, .stride = stride, .atomic = PTX_ATOMIC_ADD};
    uint32_t x = 12345;

    for (int i = 0; i < 32; i++) {
        x = x * 1664525 + 1013904223;
        r.addr[i] = 65536 + (uint64_t)(x >> 20) * (unsigned)bytes;
    }
    return r;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 2000000;
    struct {
        const char *name;
        struct record r;
    } cases[] = {
        {"global load, uniform", make(RECORD_LOAD, PTX_GLOBAL, RECORD_UNIFORM, 4, 0, ~0u)},
        {"global load, unit stride", make(RECORD_LOAD, PTX_GLOBAL, RECORD_AFFINE, 4, 4, ~0u)},
        {"global load, stride 128", make(RECORD_LOAD, PTX_GLOBAL, RECORD_AFFINE, 4, 128, ~0u)},
        {"global load, stride 44", make(RECORD_LOAD, PTX_GLOBAL, RECORD_AFFINE, 4, 44, ~0u)},
        {"global load, unit stride, half", make(RECORD_LOAD, PTX_GLOBAL, RECORD_AFFINE, 4, 4, 0x55555555)},
        {"global load, random", make(RECORD_LOAD, PTX_GLOBAL, RECORD_EXPLICIT, 4, 0, ~0u)},
        {"global red, random", make(RECORD_RED, PTX_GLOBAL, RECORD_EXPLICIT, 4, 0, ~0u)},
        {"shared load, uniform 128 bits", make(RECORD_LOAD, PTX_SHARED, RECORD_UNIFORM, 16, 0, ~0u)},
        {"shared load, unit stride", make(RECORD_LOAD, PTX_SHARED, RECORD_AFFINE, 4, 4, ~0u)},
        {"shared load, unit stride 64 bits", make(RECORD_LOAD, PTX_SHARED, RECORD_AFFINE, 8, 8, ~0u)},
        {"shared load, stride 132", make(RECORD_LOAD, PTX_SHARED, RECORD_AFFINE, 4, 132, ~0u)},
        {"shared load, stride 128", make(RECORD_LOAD, PTX_SHARED, RECORD_AFFINE, 4, 128, ~0u)},
        {"shared load, stride 8, half", make(RECORD_LOAD, PTX_SHARED, RECORD_AFFINE, 4, 8, 0x55555555)},
        {"shared load, random", make(RECORD_LOAD, PTX_SHARED, RECORD_EXPLICIT, 4, 0, ~0u)},
        {"shared load, random 128 bits", make(RECORD_LOAD, PTX_SHARED, RECORD_EXPLICIT, 16, 0, ~0u)},
    };

    memory_init(&model, &site, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        measure(cases[i].name, &cases[i].r, n);
    return sink == 42;
}
