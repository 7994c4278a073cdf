// Warps of a block that load what others will store behind a loop: all of them have loaded before any stores, in each executor and form
// (docs/jit.md, "Where warps end a turn").
#include <cstdio>
#include <cuda_runtime.h>

__global__ void shift(int *a, int n, int rounds)
{
    int i = threadIdx.x, x = a[(i + 32) % n];
    for (int k = 0; k < rounds; k++)
        x = x * 3 + k;
    a[i] = x;
}

int main()
{
    const int n = 256, rounds = 5;
    int a[n], *d, wrong = 0;
    for (int i = 0; i < n; i++)
        a[i] = i * 7;
    cudaMalloc(&d, sizeof a);
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    shift<<<1, n>>>(d, n, rounds);
    cudaMemcpy(a, d, sizeof a, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        int x = (i + 32) % n * 7;
        for (int k = 0; k < rounds; k++)
            x = x * 3 + k;
        wrong += a[i] != x;
    }
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
