// expect: barrier-divergent-warp 12 8
// __syncthreads() in a branch that a part of the block's threads does not take. On a GPU it may hang, or let threads go on
// too early.
// The count: 8 threads of the second warp wait there, its other 24 go past.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void wrong(int *a, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  if (t < n) {
    __syncthreads();
    a[t] = s[n - 1 - t];
  }
  a[t] += t;
}
__global__ void mended(int *a, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < n) a[t] = s[n - 1 - t];
  a[t] += t;
}
int main() {
  int *a, h;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMemset(a, 0, 64 * sizeof(int));
  wrong<<<1, 64>>>(a, 40);
  cudaMemset(a, 0, 64 * sizeof(int));
  mended<<<1, 64>>>(a, 40);
  cudaMemcpy(&h, a + 63, sizeof h, cudaMemcpyDeviceToHost);
  puts(h == 63 ? "PASSED" : "FAILED");
  cudaFree(a);
}
