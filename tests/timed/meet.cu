// Warps that meet at a barrier go on from there at one time, the last one of them, too: a loop behind it takes as long with four warps, one
// on each subpartition, as with one.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void meet(int n, unsigned *out, int twice)
{
    unsigned x = threadIdx.x + 1;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    if (twice)
        __syncthreads();
    out[threadIdx.x] = x;
}

int main()
{
    unsigned *out;
    float one = 0;
    bool wrong = false;
    cudaEvent_t begin, end;
    cudaMalloc(&out, 4 * 128);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int twice = 0; twice < 2; twice++)
        for (int warps = 1; warps <= 4; warps *= 2) {
            float ms;
            cudaEventRecord(begin);
            meet<<<1, 32 * warps>>>(20000, out, twice);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);
            one = warps == 1 ? ms : one;
            printf("%d warps, %d barriers: %.3f ms\n", warps, 1 + twice, ms);
            wrong |= ms > 1.05f * one || ms < 0.95f * one;
        }
    printf(wrong ? "FAILED\n" : "PASSED\n");
    return wrong;
}
