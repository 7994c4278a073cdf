// Columns for a convolution 3 x 3 of 16 channels of n x n with a margin of zeros. A thread for each channel and point in blocks
// of 256 writes the 9 numbers around its point, each to a row of its own.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

#define CHANNELS 16

static int n;
static float *in, *columns;

__global__ void im2col(const float *in, float *columns, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, points = n * n;
    if (i >= CHANNELS * points)
        return;
    int x = i % n, y = i / n % n, channel = i / points;
    const float *image = in + channel * points;
    float *column = columns + (size_t)channel * 9 * points + y * n + x;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            *column = sx >= 0 && sx < n && sy >= 0 && sy < n ? image[sy * n + sx] : 0.0f;
            column += points;
        }
}

static void bench_setup(const char *variant, int size)
{
    (void)variant;
    n = size;
    size_t all = (size_t)CHANNELS * n * n;
    in = to_device(bench_floats(all, 1, -1, 2), all);
    columns = device_room<float>(9 * all);
}

static void bench_launch()
{
    im2col<<<(CHANNELS * n * n + 255) / 256, 256>>>(in, columns, n);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)9 * CHANNELS * n * n;
    return {to_host(columns, all), all, 0};
}
