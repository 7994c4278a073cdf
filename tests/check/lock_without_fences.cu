// expect: read-after-write 11 63; write-after-write 11 63
// The same without fences: nothing says that the sum is written before the lock is seen to be free.
__global__ void k(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            sum += threadIdx.x + 1;
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    out[threadIdx.x] = sum;
}
int main()
{
    int *out;
    cudaMalloc(&out, 256);
    k<<<1, 64>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
