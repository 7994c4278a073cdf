// Kernels of several needs, and what the runtime says of them: agree.py compares it with `heddle occupancy` and with the
// report. Each is launched with each block and each amount of dynamic shared memory that is printed for it.
#include <cstdio>

__global__ void plain(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void tiled(float *p)
{
    __shared__ float a[16][16], b[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16 % 16;
    a[y][x] = p[threadIdx.x];
    b[y][x] = p[threadIdx.x + 1];
    __syncthreads();
    p[threadIdx.x] = a[x][y] + b[x][y];
}

// Many values that live at the same time.
__global__ void wide(float *p)
{
    float v[44];
#pragma unroll
    for (int i = 0; i < 44; i++)
        v[i] = p[threadIdx.x + i * 1024];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 44; i++)
        p[threadIdx.x + (43 - i) * 1024] = v[i];
}

__global__ void asked(float *p)
{
    extern __shared__ float s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(float *p) { p[threadIdx.x] = 2; }

static float *memory;

template <class K> static void ask(const char *name, K kernel, int most)
{
    const int sizes[] = {32, 96, 128, 256, 512};
    const size_t shared[] = {4096, 5120, 12000};
    for (int size : sizes)
        for (size_t bytes : shared) {
            int blocks = -1;
            cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, bytes);
            printf("active %s %d %zu %d %d\n", name, size, bytes, (int)e, blocks);
            if (blocks > 0 && size <= most)
                kernel<<<1, size, bytes>>>(memory);
            if (blocks < 2)
                continue;
            // The memory that can be had with one block less fits that many, and no byte more.
            size_t available = 0;
            int there = 0, more = 0;
            if (cudaOccupancyAvailableDynamicSMemPerBlock(&available, kernel, blocks - 1, size) != cudaSuccess)
                printf("FAILED: no available memory\n");
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&there, kernel, size, available);
            cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&more, kernel, size, available + 1, 0);
            if (there < blocks - 1 || more >= blocks - 1)
                printf("FAILED: %zu bytes available for %d blocks of %s: %d fit, with a byte more %d\n", available,
                       blocks - 1, name, there, more);
        }
    int grid = 0, block = 0, grid2 = 0, block2 = 0;
    if (cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 4096) == cudaSuccess)
        printf("best %s 4096 %d %d\n", name, grid, block);
    cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid2, &block2, kernel, [](int) { return 4096; }, 0, 0);
    if (grid2 != grid || block2 != block)
        printf("FAILED: two best blocks\n");
}

int main()
{
    cudaMalloc(&memory, 1 << 20);
    cudaMemset(memory, 0, 1 << 20);
    ask("plain", plain, 1024);
    ask("tiled", tiled, 1024);
    ask("wide", wide, 1024);
    ask("asked", asked, 1024);
    ask("bounded", bounded, 128);
    cudaError_t e = cudaDeviceSynchronize();
    printf(e ? "FAILED: %s\n" : "PASSED\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
