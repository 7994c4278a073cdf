// expect: out-of-bounds 9 4; uninitialised 9 12
// A local array of 8 elements, of which the first 4 are written: 16 threads read one each, from 4 on.
__global__ void k(int *out, const int *first)
{
    int a[8];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        a[(first[0] + i) & 7] = i;
    out[t] = a[first[0] + 4 + t / 4 + (t >= 12) * 1];
}
int main()
{
    int *out, *first;
    cudaMalloc(&out, 64);
    cudaMalloc(&first, 4);
    cudaMemset(first, 0, 4);
    k<<<1, 16>>>(out, first);
    return cudaDeviceSynchronize() == cudaSuccess;
}
