/* How often each byte value is among n bytes: four tables for each thread, so that equal neighbours need not wait for each
 * other. n is a multiple of 4. */
#include "bench.h"

static int n;
static unsigned char *in;
static uint32_t bins[256];

static void histogram(const unsigned char *in, int n, uint32_t *bins)
{
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        uint32_t mine[4][256] = {{0}};
#pragma omp for
        for (int i = 0; i < n; i += 4)
            for (int k = 0; k < 4; k++)
                mine[k][in[i + k]]++;
#pragma omp critical
        for (int v = 0; v < 256; v++)
            bins[v] += mine[0][v] + mine[1][v] + mine[2][v] + mine[3][v];
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    in = bench_room((size_t)n);
    for (int i = 0; i < n; i++)
        in[i] = (unsigned char)bench_word((uint32_t)i);
}

static void bench_launch(void)
{
    histogram(in, n, bins);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){bins, 256, 1};
}
