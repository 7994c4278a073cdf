// expect: out-of-bounds 8 96; out-of-bounds 10 96
// The third argument of <<<>>> counts bytes too.
// The count: 128 bytes are 32 elements of 128, which are written once and read once.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void reverse(int *a) {
  extern __shared__ int s[];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
int main() {
  const int n = 128;
  int *a, h[n];
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&a, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  reverse<<<1, n, n>>>(a);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  reverse<<<1, n, n * sizeof(int)>>>(a); // mended
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  puts(h[0] == n - 1 ? "PASSED" : "FAILED");
  cudaFree(a);
}
