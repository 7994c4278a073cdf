// A barrier's number that only the kernel knows, and that no block has: an error that says so, not a launch that never ends.
#include <cstdio>

__global__ void k(int *out, int id)
{
    asm volatile("bar.sync %0;" ::"r"(id));
    out[threadIdx.x] = 1;
}

int main()
{
    int *out, failed = 0;
    cudaMallocManaged(&out, 64 * sizeof *out);
    k<<<1, 64>>>(out, 15);
    failed += cudaDeviceSynchronize() != cudaSuccess || out[63] != 1;
    k<<<1, 64>>>(out, 17);
    failed += cudaDeviceSynchronize() != cudaErrorIllegalInstruction;
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
