// Host side of two kernels whose device code comes from a PTX file (--device-ptx): cut.ptx, unknown.ptx.
#include <cstdio>
#include <cuda_runtime.h>

extern "C" __global__ void plain(int *out) { *out = 1; }
extern "C" __global__ void strange(int *out) { *out = 2; }

int main()
{
    int *out, h = 0;
    cudaMalloc(&out, sizeof *out);
    strange<<<1, 1>>>(out);
    cudaError_t e = cudaGetLastError();
    printf("strange: %d %s\n", e, cudaGetErrorName(e));
    strange<<<1, 1>>>(out);
    printf("again: %d\n", cudaGetLastError());
    plain<<<1, 1>>>(out);
    printf("plain: %d\n", cudaGetLastError());
    printf("copy: %d\n", cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    printf("out = %d\n", h);
    return h != 1;
}
