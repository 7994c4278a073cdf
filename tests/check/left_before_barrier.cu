// expect: barrier-divergent-warp 14 16
// flags: --tool synccheck
// says: by thread (32,0,0) in block (0,0,0)
// A barrier that half a warp goes past. That half does more than exit, so it cannot be taken for threads that have left;
// in `guarded` the threads that skip the barrier do nothing but exit.
#include <cuda_runtime.h>
__global__ void skips(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < 48) {
    s[t] += a[t + 16];
    __syncthreads();
  }
  if (t == 63) a[0] = s[1];
}
__global__ void guarded(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  if (t >= 48) return;
  __syncthreads();
  a[t] = s[63 - t];
}
int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMemset(a, 0, 64 * sizeof(int));
  skips<<<1, 64>>>(a);
  guarded<<<1, 64>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
