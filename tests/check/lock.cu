// expect: nothing
// A lock in shared memory with fences on both sides orders what it guards.
__global__ void k(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += threadIdx.x + 1;
            __threadfence_block();
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
