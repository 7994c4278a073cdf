// expect: out-of-bounds 9 400
// Rows compared with the width and columns with the height. It goes unnoticed as long as images are square.
// The count: rows 20 to 39 of 20 columns lie behind the image.
#include <cstdio>
#include <cuda_runtime.h>
template <bool mended> __global__ void fill(unsigned char *image, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (mended ? row < height && col < width : row < width && col < height)
    image[row * width + col] = (unsigned char)(row + col);
}
int main() {
  const int width = 40, height = 20;
  unsigned char *image, h[width * height];
  cudaMalloc(&image, sizeof h);
  fill<false><<<dim3(3, 3), dim3(16, 16)>>>(image, width, height);
  fill<true><<<dim3(3, 2), dim3(16, 16)>>>(image, width, height);
  cudaMemcpy(h, image, sizeof h, cudaMemcpyDeviceToHost);
  puts(h[width * height - 1] == 58 ? "PASSED" : "FAILED");
  cudaFree(image);
}
