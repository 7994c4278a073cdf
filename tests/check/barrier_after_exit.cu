// expect: nothing
// Not reported: a barrier that part of a warp skips because those threads have left the kernel (exited threads count as arrived). Tool: synccheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void half(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 48) {
    __syncthreads();
    o[t] = s[63 - t];
  }
}
int main(void) {
  int *o; cudaMalloc(&o, 64 * sizeof(int));
  half<<<1, 64>>>(o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
