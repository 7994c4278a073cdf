// expect: read-after-write 17 63488; uninitialised 17 63488; write-after-read 14 63488
// A row of A in shared memory, loaded with __syncwarp() behind: right as long as the threads of a row are one warp. Here
// threadIdx.x counts rows, so a warp holds one element of each of 32 rows and every row comes from all warps.
// The count: element (r, i) is written by warp i and read by all others: 32 x 31 pairs of warps and elements, 32 lanes, 4 blocks,
// half of them in each order.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
const int TILE = 32;
template <bool mended> __global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float rows[TILE][TILE];
  int r = mended ? threadIdx.y : threadIdx.x, k = mended ? threadIdx.x : threadIdx.y;
  int row = blockIdx.y * TILE + r, col = blockIdx.x * TILE + k;
  rows[r][k] = a[row * TILE + k];
  __syncwarp();
  float sum = 0;
  for (int i = 0; i < TILE; i++) sum += rows[r][i] * b[i * n + col];
  c[row * n + col] = sum;
}
int main() {
  const int n = 64;
  size_t bytes = n * TILE * sizeof(float);
  std::vector<float> h(n * n, 1);
  float *a, *b, *c;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h.data(), bytes, cudaMemcpyHostToDevice);
  product<false><<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
  product<true><<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
  cudaMemcpy(h.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  puts(h[n * n - 1] == TILE ? "PASSED" : "FAILED");
  cudaFree(a); cudaFree(b); cudaFree(c);
}
