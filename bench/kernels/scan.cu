// The running sum of n numbers: in warps by shuffles, in blocks of 256 by shared memory, then the blocks' sums in the same
// way, and added.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static unsigned *in, *out, *sums[4];

__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, int n)
{
    __shared__ unsigned part[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned v = i < n ? in[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        unsigned left = __shfl_up_sync(~0u, v, step);
        if (lane >= step)
            v += left;
    }
    if (lane == 31)
        part[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        v += part[w];
    if (i < n)
        out[i] = v;
    if (threadIdx.x == 255)
        sums[blockIdx.x] = v;
}

__global__ void add_before(unsigned *out, const unsigned *sums, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

static void scan(const unsigned *in, unsigned *out, int n, int level)
{
    int blocks = (n + 255) / 256;
    scan_blocks<<<blocks, 256>>>(in, out, sums[level], n);
    if (blocks > 1) {
        scan(sums[level], sums[level], blocks, level + 1);
        add_before<<<blocks, 256>>>(out, sums[level], n);
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    unsigned *numbers = (unsigned *)bench_room(sizeof *numbers * n);
    for (int i = 0; i < n; i++)
        numbers[i] = bench_word(i) % 100;
    in = to_device(numbers, n);
    out = device_room<unsigned>(n);
    for (int level = 0, size = n; level < 4; level++)
        sums[level] = device_room<unsigned>(size = (size + 255) / 256);
}

static void bench_launch()
{
    scan(in, out, n, 0);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(out, n), (size_t)n, 1};
}
