/* Columns for a convolution 3 x 3 of 16 channels of n x n with a margin of zeros. */
#include "../kernels/bench.h"

#define CHANNELS 16

static int n;
static float *in, *columns;

static void im2col(const float *restrict in, float *restrict columns, int n)
{
#pragma omp parallel for collapse(3)
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int k = 0; k < 9; k++)
            for (int y = 0; y < n; y++) {
                int dx = k % 3 - 1, sy = y + k / 3 - 1;
                float *row = columns + ((channel * 9 + k) * n + y) * n;
                if (sy < 0 || sy >= n) {
                    memset(row, 0, (size_t)n * sizeof *row);
                    continue;
                }
                const float *from = in + (channel * n + sy) * n;
                int first = dx < 0, end = n - (dx > 0);
                if (first)
                    row[0] = 0;
                memcpy(row + first, from + first + dx, (size_t)(end - first) * sizeof *row);
                if (end < n)
                    row[end] = 0;
            }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)CHANNELS * (size_t)n * (size_t)n;
    in = bench_floats(all, 1, -1, 2);
    columns = bench_room(9 * all * sizeof *columns);
}

static void bench_launch(void)
{
    im2col(in, columns, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){columns, (size_t)9 * CHANNELS * (size_t)n * (size_t)n, 0};
}
