// Two kernels with a mistake each: the tests of flags run it.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <csignal>
#include <cuda_runtime.h>
namespace first {
template <int N> __global__ void writes(int *a) { a[threadIdx.x + N] = 0; }
}
__global__ void reads(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x]; }
__global__ void many(volatile int *a, int n) {
  for (int i = 0; i < n; i++) a[64 + i % 4] = i;
}
int main(int argc, char **argv) {
  const char *end = argc > 1 ? argv[1] : "";
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 64 * sizeof(int));
  first::writes<2><<<1, 64>>>(a);
  first::writes<3><<<1, 64>>>(a);
  cudaDeviceSynchronize();
  reads<<<1, 64>>>(a, b);
  cudaDeviceSynchronize();
  puts("on stdout");
  fflush(stdout);
  switch (*end) {
  case 'a': abort();
  case 'e': _exit(5);
  case 'k': raise(SIGKILL);
  case 't': raise(SIGTERM);
  case 'c': *(volatile int *)(size_t)argc = 1; break;
  case 'r': return 3;
  case 'm': // in the middle of a kernel that would run for hours
    many<<<1, 1>>>(a, 1 << 30);
    puts("launched");
    fflush(stdout);
    cudaDeviceSynchronize();
  }
  cudaFree(a);
  cudaFree(b);
}
