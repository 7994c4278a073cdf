// Kernels of three streams that wait for one another in loops, twice each way; PASSED at the end.
#include <cstdio>

__global__ void first(volatile int *flag, int *out)
{
    flag[0] = 1;
    while (!flag[1])
        ;
    flag[2] = 1;
    while (flag[3] < 2)
        ;
    *out += 1;
}
__global__ void second(volatile int *flag, int *out)
{
    while (!flag[0])
        ;
    flag[1] = 1;
    while (!flag[2])
        ;
    flag[3] = flag[3] + 1;
    out[1] += 1;
}
__global__ void third(volatile int *flag, int *out)
{
    if (threadIdx.x)
        return;
    while (!flag[3])
        ;
    flag[3] = 2;
    out[2] += 1;
}
__global__ void last(int *out) { out[3] = out[0] + out[1] + out[2]; }

int main()
{
    cudaStream_t s[3];
    int *flag, *out, h[4];
    cudaMalloc(&flag, 64);
    cudaMalloc(&out, 64);
    cudaMemset(flag, 0, 64);
    cudaMemset(out, 0, 64);
    cudaDeviceSynchronize();
    for (cudaStream_t &t : s)
        cudaStreamCreate(&t);
    first<<<1, 1, 0, s[0]>>>(flag, out);
    second<<<1, 1, 0, s[1]>>>(flag, out);
    third<<<1, 64, 0, s[2]>>>(flag, out);
    last<<<1, 1>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    puts(h[3] == 3 ? "PASSED" : "FAILED");
    return h[3] != 3;
}
