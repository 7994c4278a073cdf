/* The running sum of n numbers: each thread sums a part, then goes over it again from what stands before it. */
#include "bench.h"

#include <omp.h>

static int n;
static uint32_t *in, *out;

static void scan(const uint32_t *restrict in, uint32_t *restrict out, int n)
{
    static uint32_t before[1025]; /* of each part */
#pragma omp parallel
    {
        int parts = omp_get_num_threads(), part = omp_get_thread_num();
        int begin = (int)((int64_t)n * part / parts), end = (int)((int64_t)n * (part + 1) / parts);
        uint32_t sum = 0;
        if (parts > 1)
            for (int i = begin; i < end; i++)
                sum += in[i];
        before[part + 1] = sum;
#pragma omp barrier
#pragma omp single
        for (int p = 0; p < parts; p++)
            before[p + 1] += before[p];
        sum = before[part];
        for (int i = begin; i < end; i++)
            out[i] = sum += in[i];
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    in = bench_room(sizeof *in * (size_t)n);
    for (int i = 0; i < n; i++)
        in[i] = bench_word((uint32_t)i) % 100;
    out = bench_room(sizeof *out * (size_t)n);
}

static void bench_launch(void)
{
    scan(in, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n, 1};
}
