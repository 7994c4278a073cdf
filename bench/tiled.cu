// Tiled matrix multiply, 16x16 and 32x32 tiles: the kernel that the reference executor's speed is stated for.
// usage: tiled N TIMES; prints "KERNEL seconds-of-CPU" per launch (process CPU time: all host threads together).
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
#include <cuda_runtime.h>

static double cpu_seconds(void) {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

template <int T> __global__ void tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[T][T], b[T][T];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += T) {
        a[y][x] = A[row * n + k0 + x];
        b[y][x] = B[(k0 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 256, times = argc > 2 ? atoi(argv[2]) : 3;
    std::vector<float> h(n * n);
    for (int i = 0; i < n * n; i++) h[i] = (i % 17) * 0.25f;
    float *A, *B, *C;
    cudaMalloc(&A, n * n * 4);
    cudaMalloc(&B, n * n * 4);
    cudaMalloc(&C, n * n * 4);
    cudaMemcpy(A, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(B, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    for (int t = 0; t < times; t++) {
        double start = cpu_seconds();
        tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(A, B, C, n);
        cudaDeviceSynchronize();
        double middle = cpu_seconds();
        tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(A, B, C, n);
        cudaDeviceSynchronize();
        printf("tiled<16> %.6f\ntiled<32> %.6f\n", middle - start, cpu_seconds() - middle);
    }
    std::vector<float> c(n * n);
    cudaMemcpy(c.data(), C, n * n * 4, cudaMemcpyDeviceToHost);
    float want = 0;
    for (int k = 0; k < n; k++) want += h[(n - 1) * n + k] * h[k * n + n - 1];
    puts(c[n * n - 1] == want ? "PASSED" : "FAILED");
    return c[n * n - 1] != want;
}
