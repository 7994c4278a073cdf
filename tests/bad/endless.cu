// One kernel that ends, then one that never does: Ctrl-C has to end it, and what was measured before is kept.
// Argument: what the endless loop does: "count" (default), "wait" (for a flag that nobody sets), "barrier".
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void first(int *out) { out[threadIdx.x] = threadIdx.x; }

__global__ void count(volatile int *out)
{
    for (;;) out[threadIdx.x]++;
}

__global__ void wait(volatile int *flag)
{
    while (flag[0] != 12345) {}
}

__global__ void barriers(int *out)
{
    for (;;) {
        __syncthreads();
        out[threadIdx.x] += out[255 - threadIdx.x];
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "count";
    int *a;
    cudaMalloc(&a, 256 * sizeof *a);
    first<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    puts("running");
    fflush(stdout);
    if (!strcmp(how, "wait")) wait<<<200, 256>>>(a);
    else if (!strcmp(how, "barrier")) barriers<<<200, 256>>>(a);
    else count<<<200, 256>>>(a);
    cudaDeviceSynchronize();
    puts("never reached");
    return 0;
}
