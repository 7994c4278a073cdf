// y = a x + y, a thread for each element.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float *x, *y;

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    x = to_device(bench_floats(n, 1, 0, 1), n);
    y = to_device(bench_floats(n, 2, 0, 1), n);
}

static void bench_launch()
{
    saxpy<<<(n + 255) / 256, 256>>>(n, 0.5f, x, y);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(y, n), (size_t)n, 0};
}
