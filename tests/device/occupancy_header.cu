// cuda_occupancy.h, which computes from figures alone, answers as the runtime does: blocks, dynamic shared memory that is left, and
// the best block size, of kernels that take registers, shared memory or neither.
#include <cuda_occupancy.h>
#include <cstdio>

__global__ void plain(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void shared(int *p)
{
    __shared__ int s[3000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void __launch_bounds__(256) registers(double *p)
{
    double x[24];
#pragma unroll
    for (int i = 0; i < 24; i++)
        x[i] = p[threadIdx.x + 256 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 24; i++)
        p[threadIdx.x + 256 * i] = x[i] * x[23 - i];
}

static int failures;

static void check(long got, long want, const char *kernel, const char *what, int threads, size_t dynamic)
{
    if (got != want)
        printf("FAILED: %s: %s of %d threads, %zu bytes: %ld, the runtime says %ld\n", kernel, what, threads, dynamic, got, want), failures++;
}

template <class K> static int each(const char *name, K kernel)
{
    cudaDeviceProp device;
    cudaFuncAttributes function;
    cudaGetDeviceProperties(&device, 0);
    cudaFuncGetAttributes(&function, kernel);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(device.sharedMemPerBlockOptin - function.sharedSizeBytes));
    const cudaOccDeviceProp d = device;
    const cudaOccFuncAttributes f = function;
    const cudaOccDeviceState state;
    int asked = 0, grid, block, grid_here = 0, block_here = 0;
    for (int threads : {1, 32, 33, 96, 128, 200, 256, 512, 768, 1024})
        for (size_t dynamic : {0, 100, 5000, 20000, 40000, 90000}) {
            if (threads > function.maxThreadsPerBlock)
                continue;
            int blocks;
            cudaOccResult r;
            const cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic);
            check(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &d, &f, &state, threads, dynamic), CUDA_OCC_SUCCESS, name, "status", threads, dynamic);
            check(r.activeBlocksPerMultiprocessor, e ? 0 : blocks, name, "blocks", threads, dynamic);
            asked++;
        }
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
    cudaOccMaxPotentialOccupancyBlockSize(&grid_here, &block_here, &d, &f, &state);
    check(block_here, block, name, "the best block", 0, 0);
    check(grid_here, grid, name, "the blocks that fill the device", 0, 0);
    return asked;
}

int main()
{
    const int asked = each("plain", plain) + each("shared", shared) + each("registers", registers);
    cudaOccDeviceProp nothing;
    cudaOccFuncAttributes f;
    cudaOccDeviceState state;
    cudaOccResult r;
    check(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &nothing, &f, &state, 32, 0), CUDA_OCC_ERROR_INVALID_INPUT, "none", "status", 32, 0);
    if (!failures && asked == 162)
        printf("PASSED\n");
    return failures != 0;
}
