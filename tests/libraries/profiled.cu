// A kernel and two calls of cuBLAS, for profiled.sh.
#include <cublas_v2.h>
__global__ void fill(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i % 5;
}
int main()
{
    const int n = 256;
    float *a, *b, one = 1, zero = 0, r;
    cublasHandle_t h;
    if (cublasCreate(&h))
        return 77;
    cudaMalloc(&a, 4 * n * n);
    cudaMalloc(&b, 4 * n * n);
    fill<<<n * n / 256, 256>>>(a, n * n);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, a, n, &zero, b, n);
    cublasSnrm2(h, n * n, b, 1, &r);
    cublasDestroy(h);
    return 0;
}
