// expect: read-after-write 15 96; write-after-read 13 96
// A tile is loaded again while slower threads still read it: the second barrier of the loop is missing.
// The count: the warp that comes first overwrites its 32 elements, which the other one has still to read, 3 times; and the other
// way round.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
const int TILE = 64;
template <bool mended> __global__ void last_sums(const int *a, int *out, int n) {
  __shared__ int tile[TILE];
  int sum = 0;
  for (int i = 0; i < n; i += TILE) {
    tile[threadIdx.x] = a[i + threadIdx.x];
    __syncthreads();
    sum += tile[TILE - 1 - threadIdx.x];
    if (mended) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
int main() {
  const int n = 4 * TILE;
  std::vector<int> h(n, 1);
  int *a, *out;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&out, TILE * sizeof(int));
  cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  last_sums<false><<<1, TILE>>>(a, out, n);
  last_sums<true><<<1, TILE>>>(a, out, n);
  cudaMemcpy(h.data(), out, TILE * sizeof(int), cudaMemcpyDeviceToHost);
  puts(h[0] == 4 ? "PASSED" : "FAILED");
  cudaFree(a); cudaFree(out);
}
