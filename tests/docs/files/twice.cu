// What docs/jit.md shows the log of.
__global__ void twice(int *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

int main()
{
    int *a;
    cudaMalloc(&a, 1024 * sizeof *a);
    cudaMemset(a, 1, 1024 * sizeof *a);
    twice<<<16, 64>>>(a);
    return cudaDeviceSynchronize() != cudaSuccess;
}
