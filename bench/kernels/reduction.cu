// The sum of n numbers, two for each thread, a partial sum for each block of 256: "shuffle" (in the warp, then between
// warps) or "tree" (in shared memory). The host adds the partial sums afterwards. n is a multiple of 512.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static bool tree;
static float *in, *out;

__global__ void sum_shuffle(const float *in, float *out)
{
    __shared__ float part[8];
    int tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    float sum = in[i] + in[i + 256];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (tid % 32 == 0)
        part[tid / 32] = sum;
    __syncthreads();
    if (tid < 32) {
        sum = tid < 8 ? part[tid] : 0;
        for (int step = 4; step; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step);
        if (tid == 0)
            out[blockIdx.x] = sum;
    }
}

__global__ void sum_tree(const float *in, float *out)
{
    __shared__ float part[256];
    int tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    part[tid] = in[i] + in[i + 256];
    __syncthreads();
    for (int step = 128; step; step /= 2) {
        if (tid < step)
            part[tid] += part[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

static void bench_setup(const char *variant, int count)
{
    n = count;
    tree = !strcmp(variant, "tree");
    in = to_device(bench_floats(n, 1, 0, 1), n);
    out = device_room<float>(n / 512);
}

static void bench_launch()
{
    if (tree)
        sum_tree<<<n / 512, 256>>>(in, out);
    else
        sum_shuffle<<<n / 512, 256>>>(in, out);
    finish();
}

static struct bench_result bench_result()
{
    static float sum;
    double all = 0;
    float *part = to_host(out, n / 512);
    for (int i = 0; i < n / 512; i++)
        all += part[i];
    sum = (float)all;
    free(part);
    return {&sum, 1, 0};
}
