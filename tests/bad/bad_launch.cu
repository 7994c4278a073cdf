// Launches that do not fit the device. Each is refused with an error of its own; the device stays usable.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mark(int *out) { *out = 1; }
__global__ void __launch_bounds__(128) small(int *out) { *out = 2; }

static void say(const char *what)
{
    cudaError_t e = cudaGetLastError();
    printf("%s: %d %s\n", what, e, cudaGetErrorName(e));
}

int main()
{
    int *out, h = 0;
    cudaMalloc(&out, sizeof *out);
    mark<<<0, 32>>>(out), say("no blocks");
    mark<<<dim3(1, 65536), 32>>>(out), say("65536 blocks in y");
    mark<<<1, 1025>>>(out), say("1025 threads");
    mark<<<1, dim3(64, 32)>>>(out), say("64 x 32 threads");
    mark<<<1, dim3(1, 1, 65)>>>(out), say("65 threads in z");
    mark<<<1, 0>>>(out), say("no threads");
    small<<<1, 256>>>(out), say("256 threads, launch bounds 128");
    mark<<<1, 32, 49153>>>(out), say("49153 bytes of shared memory, not opted in");
    cudaError_t e = cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000);
    printf("opt in to 300000 bytes: %d\n", e);
    cudaGetLastError();
    mark<<<1, 32>>>(out), say("fits");
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("out = %d\n", h);
    return h != 1;
}
