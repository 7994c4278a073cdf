// expect: read-after-write 8 32
// Lanes of a warp exchange values through shared memory without __syncwarp(), then with it.
__global__ void k(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    int first = s[t ^ 1];
    __syncwarp();
    s[t] = first;
    __syncwarp();
    out[t] = s[t ^ 1];
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
