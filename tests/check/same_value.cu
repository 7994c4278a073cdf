// expect: write-after-write-same-value 6 63
// 64 threads write the same value to one word: each but the first races with the one before it, and it does not matter.
__global__ void k(int *out)
{
    __shared__ int found;
    found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
int main()
{
    int *out;
    cudaMalloc(&out, 256);
    k<<<1, 64>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
