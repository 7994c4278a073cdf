// expect: unwritten-copy 19 1; unwritten-copy 22 1; unwritten-copy 23 1
// says: cudaMemcpy of 400 bytes from
// says: 3 of the bytes were never written
// says: 1 of the bytes were never written
// Copies of bytes to the host that nobody has written: a fill that stops short; a copy between allocations carries
// what was written and what was not.
#include <cuda_runtime.h>
int main() {
  char host[400], *a, *b, *c;
  cudaMalloc(&a, 400);
  cudaMalloc(&b, 400);
  cudaMalloc(&c, 400);
  cudaMemset(a, 1, 397);
  cudaMemcpy(b, a + 300, 97, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, b, 97, cudaMemcpyDeviceToHost);
  cudaMemset(c, 0, 400);
  cudaMemcpy(c + 1, a, 397, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, c, 400, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, a, 400, cudaMemcpyDeviceToHost);
  // rows of which the last bytes are unwritten, and a gap that is not copied
  cudaMemcpy(c + 93, a + 393, 7, cudaMemcpyDeviceToDevice);
  cudaMemcpy2D(host, 100, c + 90, 3, 1, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy2D(host, 20, c + 80, 20, 20, 1, cudaMemcpyDeviceToHost);
  cudaFree(a); cudaFree(b); cudaFree(c);
}
