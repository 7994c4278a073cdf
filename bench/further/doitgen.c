/* A tensor of n x n x n times a matrix of n x n along its last side. */
#include "../kernels/bench.h"

static int n;
static float *tensor, *matrix, *out;

static void doitgen(const float *restrict tensor, const float *restrict matrix, float *restrict out, int n)
{
#pragma omp parallel for collapse(2)
    for (int r = 0; r < n; r++)
        for (int q = 0; q < n; q++) {
            const float *row = tensor + ((size_t)r * (size_t)n + (size_t)q) * (size_t)n;
            float *sum = out + (row - tensor);
            for (int p = 0; p < n; p++)
                sum[p] = 0;
            for (int s = 0; s < n; s++)
                for (int p = 0; p < n; p++)
                    sum[p] += row[s] * matrix[s * n + p];
        }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)n * (size_t)n * (size_t)n;
    tensor = bench_floats(all, 1, 0, 1);
    matrix = bench_floats((size_t)n * (size_t)n, 2, 0, 1);
    out = bench_room(all * sizeof *out);
}

static void bench_launch(void)
{
    doitgen(tensor, matrix, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * (size_t)n * (size_t)n, 0};
}
