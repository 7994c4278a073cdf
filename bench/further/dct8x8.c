/* The discrete cosine transform of each 8 x 8 tile of an image of n x n. n is a multiple of 8. */
#include "../kernels/bench.h"
#include "dct8x8.h"

static int n;
static float *in, *matrix, *out;

static void dct8x8(const float *restrict in, const float *restrict matrix, float *restrict out, int n)
{
    float turned[TILE][TILE];
    for (int k = 0; k < TILE; k++)
        for (int x = 0; x < TILE; x++)
            turned[k][x] = matrix[x * TILE + k];
#pragma omp parallel for collapse(2)
    for (int top = 0; top < n; top += TILE)
        for (int left = 0; left < n; left += TILE) {
            const float *tile = in + top * n + left;
            float *to = out + top * n + left;
            for (int y = 0; y < TILE; y++) {
                float half[TILE] = {0}, sum[TILE] = {0};
                for (int k = 0; k < TILE; k++)
#pragma omp simd
                    for (int x = 0; x < TILE; x++)
                        half[x] += matrix[y * TILE + k] * tile[k * n + x];
                for (int k = 0; k < TILE; k++)
#pragma omp simd
                    for (int x = 0; x < TILE; x++)
                        sum[x] += half[k] * turned[k][x];
                for (int x = 0; x < TILE; x++)
                    to[y * n + x] = sum[x];
            }
        }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * (size_t)n;
    in = bench_floats(all, 1, -128, 256);
    matrix = cosines();
    out = bench_room(all * sizeof *out);
}

static void bench_launch(void)
{
    dct8x8(in, matrix, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * (size_t)n, 0};
}
