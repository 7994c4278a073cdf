// The largest of 3 x 3 points with stride 2 in n images of 128 x 128: a thread for each output, an image for each layer of
// the grid.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

#define SIDE 128
#define POOLED ((SIDE - 3) / 2 + 1)

static int n;
static float *in, *out;

__global__ void maxpool(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= POOLED || y >= POOLED)
        return;
    const float *image = in + (size_t)blockIdx.z * SIDE * SIDE;
    float most = -INFINITY;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            most = fmaxf(most, image[(2 * y + dy) * SIDE + 2 * x + dx]);
    out[(blockIdx.z * POOLED + y) * POOLED + x] = most;
}

static void bench_setup(const char *variant, int images)
{
    (void)variant;
    n = images;
    in = to_device(bench_floats((size_t)n * SIDE * SIDE, 1, -1, 2), (size_t)n * SIDE * SIDE);
    out = device_room<float>((size_t)n * POOLED * POOLED);
}

static void bench_launch()
{
    maxpool<<<dim3((POOLED + 31) / 32, (POOLED + 7) / 8, n), dim3(32, 8)>>>(in, out);
    finish();
}

static struct bench_result bench_result()
{
    size_t all = (size_t)n * POOLED * POOLED;
    return {to_host(out, all), all, 0};
}
