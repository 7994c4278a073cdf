// Kernels with accesses of every kind that a launch may count or leave out, for each_metric.py: prints a sum of what they leave.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

enum { N = 4096, BLOCK = 128 };
__constant__ float table[64];

__global__ void loads_stores(const float *__restrict__ a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[(i * 3) % n] = a[i] + __ldg(&a[(i * 17) % n]) * table[i % 7] + table[3];
}

__global__ void shared_tile(const float *a, float *b)
{
    __shared__ float tile[BLOCK * 2];
    tile[threadIdx.x * 2] = a[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    b[blockIdx.x * BLOCK + threadIdx.x] += tile[(BLOCK - 1 - threadIdx.x) * 2];
}

__global__ void atomics(const float *a, float *sums, unsigned *bins, __half *halves)
{
    __shared__ float partial[4];
    __shared__ unsigned counts[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4)
        partial[threadIdx.x] = 0;
    if (threadIdx.x < 32)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&partial[i % 4], a[i] > 0 ? 1.0f : 2.0f);
    atomicAdd(&counts[i * 7 % 32], 1u);
    atomicAdd(&halves[i % 8], __float2half(1.0f));
    atomicMax(&bins[32 + i % 5], (unsigned)i);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&sums[threadIdx.x], partial[threadIdx.x]);
    if (threadIdx.x < 32)
        bins[64 + blockIdx.x * 32 + threadIdx.x] = atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]) >= 0;
}

__global__ void local_and_branches(const float *a, float *b)
{
    float kept[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = i % 16 + 1;
    for (int k = 0; k < n; k++)
        kept[(k * 5 + i) % 16] = a[(i + k) % N];
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += kept[(k * 5 + i) % 16] * (k & 1 ? 2.0f : 0.5f);
    b[i] = i & 4 ? sum : sqrtf(fabsf(sum));
}

__global__ void products(const float *a, float *b, double *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i / n * n + k] * a[k * n + i % n];
    b[i] = sum;
    d[i] = (double)sum * 3 + i;
}

// The last turns read behind the end of an allocation, where an H200 maps memory all the same: machine code for several warps ends there.
__global__ void past_the_end(const float *a, float *b, int turns)
{
    const float *p = a + threadIdx.y * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < turns; k++, p += 128)
        sum += *p != 1e30f;
    b[threadIdx.y * 32 + threadIdx.x] = sum;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void copies(const float *a, float *b)
{
    __shared__ float tile[BLOCK];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[blockIdx.x * BLOCK + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    b[blockIdx.x * BLOCK + threadIdx.x] = tile[threadIdx.x ^ 1];
}
#endif

int main()
{
    static float a[N];
    float *da, *db, *sums, *last, result[4];
    double *dd;
    unsigned *bins;
    __half *halves;
    for (int i = 0; i < N; i++)
        a[i] = (float)(i % 13 - 6);
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof a);
    cudaMalloc(&dd, N * sizeof *dd);
    cudaMalloc(&sums, sizeof result);
    cudaMalloc(&bins, 4096 * sizeof *bins);
    cudaMalloc(&halves, 8 * sizeof *halves);
    cudaMemset(sums, 0, sizeof result);
    cudaMemset(bins, 0, 4096 * sizeof *bins);
    cudaMemset(halves, 0, 8 * sizeof *halves);
    cudaMemset(db, 0, sizeof a);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, a, sizeof table);
    loads_stores<<<N / BLOCK, BLOCK>>>(da, db, N - 5);
    shared_tile<<<N / BLOCK, BLOCK>>>(da, db);
    atomics<<<N / BLOCK, BLOCK>>>(da, sums, bins, halves);
    local_and_branches<<<N / BLOCK, BLOCK>>>(da, db);
    products<<<N / BLOCK, dim3(32, 4)>>>(da, db, dd, 64);
    cudaMalloc(&last, 9 * 128 * sizeof *last);
    cudaMemset(last, 0, 9 * 128 * sizeof *last);
    past_the_end<<<40, dim3(32, 4)>>>(last, db, 12);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    if (p.major >= 8)
        copies<<<N / BLOCK, BLOCK>>>(da, db);
    cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g %s\n", result[0] + result[1] + result[2] + result[3], cudaGetErrorString(cudaDeviceSynchronize()));
}
