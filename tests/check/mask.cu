// expect: mask-without-caller 5 16
// The upper half of the warp calls with a mask that names the lower half.
__global__ void k(int *out)
{
    __syncwarp(0xffff);
    out[threadIdx.x] = 1;
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
