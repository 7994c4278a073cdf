// Ten million findings of a kind, or none: prints the seconds of CPU time.  usage: flood KIND BAD
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
__global__ void stores(volatile int *a, int n, int bad) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++) a[(bad ? 1024 : 0) + (t & 1023)] = i;
}
__global__ void loads(volatile int *a, int n, int bad) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++) (void)a[(bad ? 512 : 0) + (t & 511)];
}
__global__ void races(int n, int bad) {
  __shared__ int s[256];
  for (int i = 0; i < n; i++) {
    s[threadIdx.x] = i + threadIdx.x;
    if (!bad) __syncthreads();
    *(volatile int *)&s[threadIdx.x] += s[threadIdx.x ^ 64];
    __syncthreads();
  }
}
int main(int, char **argv) {
  int *a, bad = atoi(argv[2]);
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 2048);
  clock_t start = clock();
  if (!strcmp(argv[1], "stores")) stores<<<100, 256>>>(a, 400, bad);
  if (!strcmp(argv[1], "loads")) loads<<<100, 256>>>(a, 400, bad);
  if (!strcmp(argv[1], "races")) races<<<50, 256>>>(400, bad);
  cudaDeviceSynchronize();
  printf("%.3f\n", (double)(clock() - start) / CLOCKS_PER_SEC);
  cudaFree(a);
}
