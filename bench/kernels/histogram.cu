// How often each byte value is among n bytes: 256 bins of each block in shared memory, added up at the end.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static unsigned char *in;
static unsigned *bins;

__global__ void histogram(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    unsigned char *bytes = (unsigned char *)bench_room(n);
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)bench_word(i);
    in = to_device(bytes, n);
    bins = device_room<unsigned>(256);
}

static void bench_launch()
{
    CHECK(cudaMemset(bins, 0, 256 * sizeof *bins));
    histogram<<<256, 256>>>(in, n, bins);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(bins, 256), 256, 1};
}
