// Reads all that programs take for a GPU's time.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reads_clocks(long long *out)
{
    long long t = clock64();
    unsigned long long g;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
    out[threadIdx.x] = t + clock() + (long long)g;
}

int main(int argc, char **argv)
{
    cudaEvent_t a, b;
    long long *out;
    float ms = -1;
    cudaMalloc(&out, 32 * sizeof *out);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int i = 0; i < 2; i++) {
        cudaEventRecord(a);
        if (argc > 1)
            reads_clocks<<<1, 32>>>(out);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
    }
    puts(ms >= 0 ? "timed" : "FAILED");
}
