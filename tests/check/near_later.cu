// expect: out-of-bounds 10 1
// says: 1,048,449 bytes after the nearest allocation
// A finding's neighbour is an allocation that was there when the kernel was launched, not one that the host made while an
// earlier kernel was still running.
#include <cuda_runtime.h>
__global__ void wait(long *a) {
  for (int i = 0; i < 3000; i++)
    atomicAdd((unsigned long long *)a, 1);
}
__global__ void stray(long *a) { a[131072] = 1; }
int main() {
  long *a, *b;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  wait<<<1, 1>>>(a);
  stray<<<1, 1>>>(a);
  cudaMalloc(&b, 128); // nearer than a
  cudaMemset(b, 0, 128);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
