// Many blocks in grids of one, two and three dimensions: what of a block has to be its own. `blocks fault N`: block N of 4,000
// reads where nothing is; `blocks late N`: behind a barrier, to which in two of three blocks only one of two warps comes.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void number(unsigned *out, unsigned n)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), i = block * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i + threadIdx.x / 32 + 100000 * blockIdx.y + 1000 * blockIdx.z;
}

// Warps of some blocks leave early, lanes of others part.
__global__ void early(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x % 7 == 3 && threadIdx.x >= 64)
        return;
    if (blockIdx.x % 11 == 5 && threadIdx.x % 3 == blockIdx.x % 3)
        out[i] = i * 5;
    else
        out[i] = i * 3;
}

// More turns in some blocks than a warp has before it is another's turn.
__global__ void turns(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
    for (unsigned k = 0; k < (blockIdx.x % 13 == 7 ? 70u : 3u); k++)
        sum = sum * 3 + k;
    out[i] = sum;
}

// Shared and local memory, a barrier, an atomic.
__global__ void own(unsigned *out, unsigned *total)
{
    __shared__ unsigned sum;
    unsigned local[4] = {blockIdx.x, 1, 2, 3}, zero = sum;
    if (!threadIdx.x)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, local[threadIdx.x % 4] + zero * 0);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (!threadIdx.x)
        atomicAdd(total, 1);
}

// What the block before left in shared memory is not there.
__global__ void zeros(unsigned *out)
{
    __shared__ volatile unsigned mine[67];
    unsigned found = mine[threadIdx.x + 3];
    __syncthreads();
    mine[threadIdx.x + 3] = threadIdx.x + 1;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = found * 1000 + mine[66 - threadIdx.x];
}

__global__ void multiprocessor(unsigned *out)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sm;
}

__global__ void says(unsigned n)
{
    if (blockIdx.x == n && threadIdx.x == 40)
        printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

__global__ void fails(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x == n ? i + (1ull << 36) : i];
}

__global__ void fails_late(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned last[2];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
    if (warp == blockIdx.x % 3)
        return;
    if (threadIdx.x % 32 == 31)
        last[warp] = i;
    __syncthreads();
    out[i] = in[blockIdx.x == n ? last[warp] + (1ull << 36) : last[warp]];
}

// A lane-serial loop (docs/jit.md), 20,000 turns each: it is asked whether to stop before anything else is
// known of the block. It has to be the program's first launch.
__global__ void long_rows(const int *first, const int *column, const float *value, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float sum = 0;
        for (int i = first[row]; i < first[row + 1]; i++)
            sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}

static int sum_rows()
{
    const int n = 64, each = 20000;
    int *first, *column, failed = 0;
    float *value, *x, *y;
    cudaMallocManaged(&first, (n + 1) * sizeof *first);
    cudaMallocManaged(&column, n * each * sizeof *column);
    cudaMallocManaged(&value, n * each * sizeof *value);
    cudaMallocManaged(&x, each * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i <= n; i++)
        first[i] = i * each;
    for (int i = 0; i < n * each; i++) {
        column[i] = i * 7 % each;
        value[i] = i / each;
    }
    for (int i = 0; i < each; i++)
        x[i] = 1;
    long_rows<<<1, 64>>>(first, column, value, x, y, n);
    failed |= cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; i++)
        failed |= y[i] != (float)i * each;
    return failed;
}

static unsigned *p, host[1 << 19];

static int bad(const char *what, unsigned i, unsigned want)
{
    if (host[i] == want)
        return 0;
    printf("FAILED: %s: %u is %u, not %u\n", what, i, host[i], want);
    return 1;
}

static unsigned fetch()
{
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    return cudaGetLastError() != cudaSuccess;
}

int main(int argc, char **argv)
{
    unsigned failed = argc > 2 ? 0 : sum_rows(), n = 4000 * 96 - 17;
    cudaMalloc(&p, sizeof host + 4);
    cudaMemset(p, 0, sizeof host + 4);
    if (argc > 2) {
        (argv[1][0] == 'l' ? fails_late : fails)<<<4000, 64>>>(p, p + 256000, atoi(argv[2]));
        return cudaDeviceSynchronize() != cudaSuccess ? 3 : 0;
    }
    dim3 grids[] = {dim3(4000), dim3(40, 100), dim3(25, 4, 40), dim3(1, 4000)};
    for (dim3 g : grids) {
        cudaMemset(p, 0, sizeof host);
        number<<<g, 96>>>(p, n);
        failed |= fetch();
        for (unsigned i = 0; i < 4000 * 96 && !failed; i++) {
            unsigned block = i / 96, y = block / g.x % g.y, z = block / g.x / g.y;
            failed |= bad("number", i, i < n ? i + i % 96 / 32 + 100000 * y + 1000 * z : 0);
        }
    }
    cudaMemset(p, 0, sizeof host);
    early<<<4000, 128>>>(p);
    failed |= fetch();
    for (unsigned i = 0; i < 4000 * 128 && !failed; i++) {
        unsigned b = i / 128, t = i % 128;
        failed |= bad("early", i, b % 7 == 3 && t >= 64 ? 0 : b % 11 == 5 && t % 3 == b % 3 ? i * 5 : i * 3);
    }
    turns<<<4000, 128>>>(p);
    failed |= fetch();
    for (unsigned i = 0; i < 4000 * 128 && !failed; i++) {
        unsigned sum = i;
        for (unsigned k = 0; k < (i / 128 % 13 == 7 ? 70u : 3u); k++)
            sum = sum * 3 + k;
        failed |= bad("turns", i, sum);
    }
    own<<<4000, 64>>>(p, p + (1 << 19));
    failed |= fetch();
    for (unsigned i = 0; i < 4000 * 64 && !failed; i++)
        failed |= bad("own", i, i / 64 * 16 + 16 * 6);
    zeros<<<4000, 64>>>(p);
    failed |= fetch();
    for (unsigned i = 0; i < 4000 * 64 && !failed; i++)
        failed |= bad("zeros", i, 64 - i % 64);
    unsigned total;
    cudaMemcpy(&total, p + (1 << 19), 4, cudaMemcpyDeviceToHost);
    failed |= total != 4000;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    multiprocessor<<<4000, 32>>>(p);
    failed |= fetch();
    for (unsigned i = 0; i < 4000 * 32 && !failed; i++)
        failed |= bad("multiprocessor", i, i / 32 % prop.multiProcessorCount);
    says<<<4000, 64>>>(3170);
    failed |= cudaDeviceSynchronize() != cudaSuccess;
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
