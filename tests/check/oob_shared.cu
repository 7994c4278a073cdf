// expect: out-of-bounds 5 8; uninitialised 5 8
// Bug: index one row past a dynamic shared array. Tool: memcheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void rot(int *o, int n) { extern __shared__ int s[]; int t = threadIdx.x; s[t + 8] = t; __syncthreads(); o[t] = s[t]; }
int main(void) {
  int *o; cudaMalloc(&o, 256 * sizeof(int));
  rot<<<1, 256, 256 * sizeof(int)>>>(o, 256);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
