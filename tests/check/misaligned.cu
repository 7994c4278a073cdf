// expect: misaligned 7 64
// Bug: float4 load through a pointer that is only 4-byte aligned. Tool: memcheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void sum4(const float *a, float *o) {
  const float4 *p = (const float4 *)(a + 1);
  float4 v = p[threadIdx.x];
  o[threadIdx.x] = v.x + v.y + v.z + v.w;
}
int main(void) {
  float *a, *o; cudaMalloc(&a, 1024 * sizeof(float)); cudaMalloc(&o, 64 * sizeof(float)); cudaMemset(a, 0, 4096);
  sum4<<<1, 64>>>(a, o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
