// Values that were never set: in registers, on one path only, from lanes that take no part.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 128;

__device__ int find(const int *a, int wanted, int *at)
{
    for (int i = 0; i < 8; i++)
        if (a[i] == wanted) {
            *at = i;
            return 1;
        }
    return 0;
}

__global__ void sums(const int *a, int *out)
{
    int sum, at, t = threadIdx.x, scale;
    if (BUG != 1)
        sum = 0;
    for (int i = 0; i < 4; i++)
        sum += a[(t + i) % N]; // @sum
    if (BUG != 2)
        at = 0;
    find(a, t, &at);
    sum += a[at]; // @at
    if (t % 3 == 0)
        scale = 2;
    else if (t % 3 == 1 || BUG != 3)
        scale = 1;
    int moved = sum * scale; // @scale
    if (t % 32 < 24) {
        int other = __shfl_down_sync(0x00ffffff, moved, 8);
        if (BUG == 4 || t % 32 < 16)
            moved += other; // @other
    }
    out[t] = moved; // @out
}

__global__ void flags(int *out)
{
    bool set;
    if (BUG != 5)
        set = threadIdx.x % 2;
    else if (threadIdx.x % 4 == 1)
        set = true;
    if (set)                  // @branch
        out[threadIdx.x] = 1; // @set
}

int main()
{
    int h[N], got[N], f[N], *a, *out, *flag, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = i * 11 % 29;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&flag, sizeof h);
    cudaMemset(flag, 0, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sums<<<1, N>>>(a, out);
    flags<<<1, N>>>(flag);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(f, flag, sizeof h, cudaMemcpyDeviceToHost);
    int want[N];
    for (int t = 0; t < N; t++) {
        int at = 0, sum = 0;
        for (int i = 0; i < 8 && !at; i++)
            at = h[i] == t ? i : 0;
        for (int i = 0; i < 4; i++)
            sum += h[(t + i) % N];
        want[t] = (sum + h[at]) * (t % 3 ? 1 : 2);
    }
    for (int t = 0; t < N; t++)
        bad += got[t] != want[t] + (t % 32 < 16 ? want[t + 8] : 0) || f[t] != t % 2;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
    cudaFree(flag);
}
