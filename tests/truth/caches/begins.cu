// When do the subpartitions of each multiprocessor begin, and in them each warp? A line for each warp: its cycle is of the clock that a GPC has in common.
// usage: begins. h200_begins.tsv has of each subpartition the first warp's, less the least of the multiprocessor, of blocks of 256 threads: ./begins
// Built with nvcc -O3 -arch=sm_90.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ unsigned wid() { unsigned s; asm volatile("mov.u32 %0, %%warpid;" : "=r"(s)); return s; }
__device__ unsigned now() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)); return c; }
struct row { unsigned begin, end, sm, slot; };
__global__ void starts(const float *in, float *out, int n, int it, row *log) {
    unsigned begin = now(), i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i & (n - 1)];
#pragma unroll 4
  for (int k = 0; k < it; k++) a += in[(i + k * 4096) & (n - 1)];
  out[i & (n - 1)] = a;
  if (!(threadIdx.x & 31)) log[i / 32] = {begin, now(), smid(), wid()};
}
int main() {
  const int n = 1 << 20;
  float *in, *out; row *log; char *flush;
  CK(cudaMalloc(&in, n * 4)); CK(cudaMemset(in, 0, n * 4)); CK(cudaMalloc(&out, n * 4)); CK(cudaMalloc(&log, sizeof(row) << 17)); CK(cudaMalloc(&flush, 256 << 20));
  printf("block\tshared\tgrid\tsm\tctaid\twarp\tslot\tbegin\tend\n");
  struct { int block, shared, grid; } runs[] = {{256, 0, 132}, {256, 0, 264}, {256, 0, 1056}, {512, 0, 528}, {1024, 0, 264}};
  for (auto r : runs) {
    const int warps = r.grid * ((r.block + 31) / 32);
    std::vector<row> h(warps);
    for (int run = 0; run < 2; run++) {
      CK(cudaMemset(flush, run, 256 << 20)); CK(cudaDeviceSynchronize());
      starts<<<r.grid, r.block, r.shared>>>(in, out, n, 16, log); CK(cudaDeviceSynchronize());
    }
    CK(cudaMemcpy(h.data(), log, warps * sizeof(row), cudaMemcpyDeviceToHost));
    for (unsigned sm = 0; sm < 132; sm++) {
      for (int w = 0; w < warps; w++) if (h[w].sm == sm)
        printf("%d\t%d\t%d\t%u\t%d\t%d\t%u\t%u\t%u\n", r.block, r.shared, r.grid, sm, w / (r.block / 32), w % (r.block / 32), h[w].slot, h[w].begin, h[w].end);
    }
  }
  return 0;
}
