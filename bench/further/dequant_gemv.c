/* A matrix of n x n in 4-bit integers, with a scale for each 32, times a vector. n is a multiple of 32. */
#include "../kernels/bench.h"
#include "dequant_gemv.h"

static int n;
static uint32_t *matrix;
static float *scale, *x, *y;

static void dequant_gemv(const uint32_t *restrict matrix, const float *restrict scale, const float *restrict x,
                         float *restrict y, int n)
{
#pragma omp parallel for
    for (int row = 0; row < n; row++) {
        float sums[8] = {0}, sum = 0;
        for (int g = 0; g < n / GROUP; g++) {
            const uint32_t *word = matrix + (size_t)row * (size_t)(n / 8) + g * (GROUP / 8);
            const float *in = x + g * GROUP;
            float s = scale[(size_t)row * (size_t)(n / GROUP) + (size_t)g];
            for (int i = 0; i < GROUP / 8; i++)
#pragma omp simd
                for (int k = 0; k < 8; k++)
                    sums[k] += s * (float)((int)(word[i] >> 4 * k & 15) - 8) * in[8 * i + k];
        }
        for (int k = 0; k < 8; k++)
            sum += sums[k];
        y[row] = sum;
    }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * (size_t)n;
    matrix = words(all / 8);
    scale = bench_floats(all / GROUP, 1, 0.01f, 0.1f);
    x = bench_floats((size_t)n, 2, -1, 2);
    y = bench_room((size_t)n * sizeof *y);
}

static void bench_launch(void)
{
    dequant_gemv(matrix, scale, x, y, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){y, (size_t)n, 0};
}
