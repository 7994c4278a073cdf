/* The largest of 3 x 3 points with stride 2 in n images of 128 x 128. */
#include "../kernels/bench.h"

#define SIDE 128
#define POOLED ((SIDE - 3) / 2 + 1)

static int n;
static float *in, *out;

static void maxpool(const float *restrict in, float *restrict out, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int y = 0; y < POOLED; y++)
            for (int x = 0; x < POOLED; x++) {
                const float *corner = in + (i * SIDE + 2 * y) * SIDE + 2 * x;
                float most = corner[0];
                for (int dy = 0; dy < 3; dy++)
                    for (int dx = 0; dx < 3; dx++)
                        most = fmaxf(most, corner[dy * SIDE + dx]);
                out[(i * POOLED + y) * POOLED + x] = most;
            }
}

static void bench_setup(const char *variant, int images)
{
    (void)variant;
    n = images;
    in = bench_floats((size_t)n * SIDE * SIDE, 1, -1, 2);
    out = bench_room((size_t)n * POOLED * POOLED * sizeof *out);
}

static void bench_launch(void)
{
    maxpool(in, out, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){out, (size_t)n * POOLED * POOLED, 0};
}
