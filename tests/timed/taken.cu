// What takes time: quotients of ordinary and of subnormal numbers, asynchronous copies that are waited for at once or two groups later, and loads
// of shared memory behind a barrier that stands behind a way under a predicate.
#include <cstdio>
#include <cuda_runtime.h>

static const int ROUNDS = 64, STAGES = 3, THREADS = 32;

__global__ void quotients(float *p, float y)
{
    float x = p[threadIdx.x];
    for (int i = 0; i < ROUNDS; i++)
        x = y / (x + 1.5f);
    p[threadIdx.x] = x;
}

template <int OPEN> __global__ void copied(const float *from, float *to)
{
    __shared__ float stage[STAGES][THREADS];
    const float *next = from + threadIdx.x;
    float sum = 0;
    auto copy = [&](int i) {
        if (i < ROUNDS)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&stage[i % STAGES][threadIdx.x])),
                         "l"(next + i * 1024));
        asm volatile("cp.async.commit_group;");
    };
    for (int i = 0; i < STAGES - 1; i++)
        copy(i);
    for (int i = 0; i < ROUNDS; i++) {
        copy(i + STAGES - 1);
        asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory");
        sum += stage[i % STAGES][threadIdx.x];
    }
    to[threadIdx.x] = sum;
}

// The way of the first lanes is one instruction under a predicate, so all of it is one block of the machine code.
template <bool WAY> __global__ void behind(const float *from, const int *which, float *to)
{
    __shared__ float part[4 * THREADS];
    const float *mine = part + which[threadIdx.x] % THREADS;
    float sum = 0, more = from[threadIdx.x];
    part[threadIdx.x] = more;
    if (WAY && threadIdx.x < 8)
        part[threadIdx.x + THREADS] = more;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 3 * THREADS; i += 2)
        sum += mine[i];
    to[threadIdx.x] = sum;
}

int main()
{
    float *p, *to, sums[THREADS];
    cudaMalloc(&p, ROUNDS * 4096);
    cudaMalloc(&to, sizeof sums);
    cudaMemset(p, 0, ROUNDS * 4096);
    quotients<<<1, THREADS>>>(p, 1);
    quotients<<<1, THREADS>>>(p, 1e-42f);
    copied<STAGES - 1><<<1, THREADS>>>(p, to);
    copied<0><<<1, THREADS>>>(p, to);
    behind<false><<<1, THREADS>>>(p, (const int *)p, to);
    behind<true><<<1, THREADS>>>(p, (const int *)p, to);
    const bool done = cudaMemcpy(sums, to, sizeof sums, cudaMemcpyDeviceToHost) == cudaSuccess;
    puts(done ? "PASSED" : "FAILED");
    return !done;
}
