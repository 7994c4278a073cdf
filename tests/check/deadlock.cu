// expect: deadlock 5 1; api-error 13 1
// A named barrier that wants more threads than the block has.
__global__ void k(int *out)
{
    asm volatile("bar.sync 1, 96;");
    out[threadIdx.x] = 1;
}
int main()
{
    int *out;
    cudaMalloc(&out, 256);
    k<<<1, 64>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess;
}
