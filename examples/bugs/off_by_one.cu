// expect: out-of-bounds 7 1
// The bounds test says <=, so one thread goes past the end.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void wrong(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 2.0f * i;
}
__global__ void mended(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2.0f * i;
}
int main() {
  const int n = 1000;
  float *a, last;
  cudaMalloc(&a, n * sizeof(float));
  wrong<<<4, 256>>>(a, n);
  mended<<<4, 256>>>(a, n);
  cudaMemcpy(&last, a + n - 1, sizeof last, cudaMemcpyDeviceToHost);
  puts(last == 1998 ? "PASSED" : "FAILED");
  cudaFree(a);
}
