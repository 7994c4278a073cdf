// Which multiprocessor gets which block of those that are resident at first?
// usage: first_blocks [THREADS BLOCKS [SPIN]]: the SM of each block, of one launch or of all those of h200_first_blocks.txt. A block
// waits for SPIN cycles, so that none ends before all are given. Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__global__ void order(unsigned *sm, int spin) {
  if (!threadIdx.x) sm[blockIdx.x] = smid();
  long long end = clock64() + spin; while (spin && clock64() < end) ;
}
static unsigned *sm;
static void one(int threads, int blocks, int spin) {
  int first = 132 * 2048 / threads; if (first > blocks) first = blocks;
  std::vector<unsigned> h(blocks);
  order<<<blocks, threads>>>(sm, spin); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), sm, blocks * 4, cudaMemcpyDeviceToHost));
  printf("order block %d grid %d:", threads, blocks); for (int i = 0; i < first; i++) printf(" %u", h[i]); printf("\n");
}
int main(int argc, char **argv) {
  CK(cudaMalloc(&sm, 1 << 20));
  if (argc > 2) one(atoi(argv[1]), atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0);
  else {
    for (int rep = 0; rep < 2; rep++) for (int b : {1024, 512, 256, 128, 64}) for (int g : {1056, 4224}) one(b, g, 400000);
    for (int b : {256, 512}) for (int g : {100, 132, 200, 264, 300, 528, 700, 1024}) one(b, g, 100000);
  }
  return 0;
}
