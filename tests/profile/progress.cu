// Runs for a while: progress.py looks at what the terminal shows meanwhile.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void long_sum(float *out, int turns)
{
    float x = out[threadIdx.x], y = x + 1;
    for (int k = 0; k < turns; k++) {
        x = x * 0.999f + y;
        y = y * 0.999f - x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

int main(int argc, char **argv)
{
    int blocks = atoi(argv[1]), turns = atoi(argv[2]);
    float *out;
    cudaMalloc(&out, (size_t)blocks * 32 * sizeof *out);
    cudaMemset(out, 0, (size_t)blocks * 32 * sizeof *out);
    printf("before");
    fflush(stdout);
    long_sum<<<blocks, 32>>>(out, turns);
    cudaError_t e = cudaDeviceSynchronize();
    printf(" after: %s\n", cudaGetErrorString(e));
}
