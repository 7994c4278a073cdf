// expect: out-of-bounds 16 1024; out-of-bounds 17 32; out-of-bounds 22 512
// Tiled matrix product: the block's number is multiplied by the matrix width instead of the tile width, so all blocks but
// the first work far outside. The mended form differs in one line.
// The count: all 512 threads of the two lower blocks read outside of M, in both phases; in the right blocks the last row of the
// second phase leaves N, 16 threads each; the lower blocks write outside of P.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
const int TILE = 16;
template <bool mended> __global__ void product(const float *m, const float *n, float *p, int width) {
  __shared__ float ms[TILE][TILE], ns[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, step = mended ? TILE : width; // wrong: blockIdx.y * width
  int row = blockIdx.y * step + ty, col = blockIdx.x * step + tx;
  float sum = 0;
  for (int k0 = 0; k0 < width; k0 += TILE) {
    ms[ty][tx] = m[row * width + k0 + tx];
    ns[ty][tx] = n[(k0 + ty) * width + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += ms[ty][k] * ns[k][tx];
    __syncthreads();
  }
  p[row * width + col] = sum;
}
int main() {
  const int width = 32;
  size_t bytes = width * width * sizeof(float);
  std::vector<float> h(width * width, 1);
  float *m, *n, *p;
  cudaMalloc(&m, bytes);
  cudaMalloc(&n, bytes);
  cudaMalloc(&p, bytes);
  cudaMemcpy(m, h.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(n, h.data(), bytes, cudaMemcpyHostToDevice);
  product<false><<<dim3(2, 2), dim3(TILE, TILE)>>>(m, n, p, width);
  product<true><<<dim3(2, 2), dim3(TILE, TILE)>>>(m, n, p, width);
  cudaMemcpy(h.data(), p, bytes, cudaMemcpyDeviceToHost);
  puts(h[width * width - 1] == width ? "PASSED" : "FAILED");
  cudaFree(m); cudaFree(n); cudaFree(p);
}
