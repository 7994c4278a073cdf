// expect: read-after-write 14 131072; read-after-write 14 245760; uninitialised 14 28672; write-after-read 12 57344
// Bug: tiled matrix product without the barrier between filling the tiles and reading them. Tool: racecheck.
#include <cstdio>
#include <cuda_runtime.h>
#define T 16
__global__ void matmul(const float *A, const float *B, float *C, int n) {
  __shared__ float a[T][T], b[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    a[ty][tx] = A[r * n + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * n + c];
    // missing __syncthreads();
    for (int k = 0; k < T; k++) s += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[r * n + c] = s;
}
int main(void) {
  const int n = 64; float *A, *B, *C; cudaMalloc(&A, n * n * 4); cudaMalloc(&B, n * n * 4); cudaMalloc(&C, n * n * 4);
  cudaMemset(A, 0, n * n * 4); cudaMemset(B, 0, n * n * 4);
  matmul<<<dim3(n / T, n / T), dim3(T, T)>>>(A, B, C, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
