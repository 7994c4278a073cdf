// expect: read-after-write 11 666; write-after-read 13 1127
// Bug: Kogge-Stone scan without the second barrier, so a thread may overwrite a value before its neighbour reads it. Tool: racecheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void scan(int *d) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  for (int k = 1; k < 256; k *= 2) {
    __syncthreads();
    int v = t >= k ? s[t - k] : 0;
    // missing __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  d[t] = s[t];
}
int main(void) {
  int *d; cudaMalloc(&d, 1024); cudaMemset(d, 0, 1024);
  scan<<<1, 256>>>(d);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
