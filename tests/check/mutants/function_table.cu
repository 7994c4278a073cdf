// A small interpreter: operations are called through a table of function pointers.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 64, STEPS = 8, KINDS = 3;
typedef int (*operation)(int, int);

__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int sub(int a, int b)
{
    return a - b;
}
__device__ int mul(int a, int b)
{
    return a * b;
}
int host_max(int a, int b)
{
    return a > b ? a : b;
}

__device__ operation table[4];

__global__ void fill(operation from_host)
{
    table[0] = add;
    if (BUG != 1)
        table[1] = sub;
    table[2] = BUG == 3 ? from_host : mul;
}

__global__ void run(const int *code, int *out)
{
    int x = threadIdx.x;
    for (int s = 0; s < STEPS; s++) {
        int k = code[s];
        operation f = BUG == 2 && k == 2 ? table[k + 1] : table[k];
        if (BUG == 4 && s == 3)
            f = (operation)((char *)f + 4);
        x = f(x, s + 1); // @call
    }
    out[threadIdx.x] = x;
}

int main()
{
    int code[STEPS] = {0, 2, 1, 1, 0, 2, 1, 0}, h[N], *c, *out, bad = 0;
    cudaMalloc(&c, sizeof code);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(c, code, sizeof code, cudaMemcpyHostToDevice);
    fill<<<1, 1>>>(host_max);
    run<<<1, N>>>(c, out);
    bad += cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int t = 0; t < N && !bad; t++) {
        int x = t;
        for (int s = 0; s < STEPS; s++)
            x = code[s] == 0 ? x + s + 1 : code[s] == 1 ? x - s - 1 : x * (s + 1);
        bad += h[t] != x;
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(c);
    cudaFree(out);
}
