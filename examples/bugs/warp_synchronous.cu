// expect: write-after-read 17 129
// The last steps of a reduction without a barrier, because "a warp runs in step": since compute capability 7.0 it need not.
// __syncwarp() orders the steps.
// The count: the compiler may keep s[t] in a register, as no barrier says that others look at it, and stores it once; by then
// 16 + 24 + 28 + 30 + 31 reads of lanes below wanted it step by step.
#include <cstdio>
#include <cuda_runtime.h>
template <bool mended> __global__ void sum(const int *a, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < 32) {
    for (int d = 32; d > 0; d /= 2) {
      int other = s[t + d];
      if (mended) __syncwarp();
      s[t] += other;
      if (mended) __syncwarp();
    }
    if (t == 0) *out = s[0];
  }
}
int main() {
  int *a, *out, h[64];
  for (int i = 0; i < 64; i++) h[i] = i;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  sum<false><<<1, 64>>>(a, out);
  sum<true><<<1, 64>>>(a, out);
  cudaMemcpy(h, out, sizeof(int), cudaMemcpyDeviceToHost);
  puts(h[0] == 2016 ? "PASSED" : "FAILED");
  cudaFree(a); cudaFree(out);
}
