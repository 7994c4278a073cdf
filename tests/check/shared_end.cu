// expect: out-of-bounds 9 1; out-of-bounds 15 3
// flags: --tool memcheck
// says: is not in the block's 132 bytes of shared memory
// One past the end of a static shared array, whose size is no multiple of 16 bytes, and the gap before the dynamic one.
__global__ void at_end(float *o, int i)
{
    __shared__ float tile[33];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads(), o[threadIdx.x] = tile[threadIdx.x + i];
}
__global__ void in_gap(float *o, int i)
{
    extern __shared__ float more[];
    __shared__ float one[1];
    one[0] = more[threadIdx.x] = 1, o[threadIdx.x] = (&one[0])[threadIdx.x * i];
}
int main()
{
    float *o;
    cudaMalloc(&o, 33 * 4);
    at_end<<<1, 33>>>(o, 1);
    in_gap<<<1, 4, 16>>>(o, 1);
    return cudaDeviceSynchronize() == cudaSuccess;
}
