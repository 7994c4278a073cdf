// expect: barrier-divergent-warp 10 32; barrier-divergent-warp 13 32
// Bug: a barrier inside a branch that only the odd lanes take, while the others go on to a later barrier. Tool: synccheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void odd(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = o[t];
  if (s[t] & 1) {
    __syncthreads();
    o[t] = s[63 - t] + 1;
  }
  __syncthreads();
  o[t] += s[(t + 1) & 63];
}
int main(void) {
  int h[64], *o; for (int i = 0; i < 64; i++) h[i] = i;
  cudaMalloc(&o, sizeof h); cudaMemcpy(o, h, sizeof h, cudaMemcpyHostToDevice);
  odd<<<1, 64>>>(o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
