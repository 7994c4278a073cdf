/* C = A B of n x n: "naive" is three loops in the order that suits a cache; any other variant is the same in blocks of
 * 64 x 64 of A, for the kernels with tiles. n is a multiple of 64. */
#include "bench.h"

static int n, naive;
static float *A, *B, *C;

static void multiply(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static void multiply_blocks(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    enum { BLOCK = 64 };
#pragma omp parallel for
    for (int i0 = 0; i0 < n; i0 += BLOCK) {
        memset(c + i0 * n, 0, sizeof *c * BLOCK * (size_t)n);
        for (int k0 = 0; k0 < n; k0 += BLOCK)
            for (int i = i0; i < i0 + BLOCK; i++)
                for (int k = k0; k < k0 + BLOCK; k++)
                    for (int j = 0; j < n; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static void bench_setup(const char *variant, int size)
{
    n = size;
    naive = !strcmp(variant, "naive");
    A = bench_floats((size_t)n * n, 1, 0, 1);
    B = bench_floats((size_t)n * n, 2, 0, 1);
    C = bench_room(sizeof *C * (size_t)n * (size_t)n);
}

static void bench_launch(void)
{
    (naive ? multiply : multiply_blocks)(A, B, C, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){C, (size_t)n * n, 0};
}
