// A program for the workflows beside it: y = a x + y, checked on the host.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t e = call;                                                                        \
        if (e != cudaSuccess) {                                                                      \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                                        \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 10000;
    float *x, *y;
    CHECK(cudaMallocManaged(&x, n * sizeof *x));
    CHECK(cudaMallocManaged(&y, n * sizeof *y));
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    saxpy<<<(n + 255) / 256, 256>>>(n, 2, x, y);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        if (y[i] != 2.0f * (float)i + 1) {
            printf("FAILED at %d\n", i);
            return 1;
        }
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    printf("PASSED\n");
}
