// Block 5 and many behind it write outside of the array, the later ones sooner: what is told is block 5, however many host
// threads there are.
#include <cstdio>

__global__ void late(int *a, int n, int turns)
{
    int x = blockIdx.x;
    for (int i = 0; i < (blockIdx.x < 32 ? turns : 1); i++)
        x = x * 1664525 + 1013904223;
    a[threadIdx.x] = x;
    if (blockIdx.x == 5 || blockIdx.x >= 33)
        a[(size_t)n * (1 + blockIdx.x)] = x;
}

int main()
{
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    late<<<8192, 32>>>(a, 1 << 28, 200000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 1;
}
