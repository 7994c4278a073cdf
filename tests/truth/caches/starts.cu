// When do the warps of a launch begin, multiprocessor by multiprocessor?
// usage: starts. Blocks of 1024, 512 and 256 threads fill the GPU; a line for each multiprocessor of one GPC: when its first warp and its 60th began.
// h200_starts.tsv was measured so: ./starts
// Built with nvcc -O3 -arch=sm_90.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ unsigned now() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)); return c; }
__global__ void starts(const float *in, float *out, int n, int it, unsigned *log) {
  unsigned begin = now(), i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i];
#pragma unroll 4
  for (int k = 0; k < it; k++) a += in[(i + k * 4096) & (n - 1)];
  out[i] = a;
  if (!(threadIdx.x & 31)) { log[i / 32 * 2] = begin; log[i / 32 * 2 + 1] = smid(); }
}
int main() {
  static const unsigned gpc[] = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
  const int n = 1 << 20, threads = 1 << 18, warps = threads / 32;
  float *in, *out; unsigned *log; char *flush;
  CK(cudaMalloc(&in, n * 4)); CK(cudaMemset(in, 0, n * 4)); CK(cudaMalloc(&out, threads * 4)); CK(cudaMalloc(&log, warps * 8)); CK(cudaMalloc(&flush, 256 << 20));
  printf("block\tsm\tblocks\tfirst_warp\tsixtieth_warp\n");
  for (int block : {1024, 512, 256}) {
    std::vector<unsigned> h(warps * 2);
    for (int run = 0; run < 2; run++) { // the second one counts: its code is on the GPU
      CK(cudaMemset(flush, run, 256 << 20)); CK(cudaDeviceSynchronize());
      starts<<<threads / block, block>>>(in, out, n, 16, log); CK(cudaDeviceSynchronize());
    }
    CK(cudaMemcpy(h.data(), log, warps * 8, cudaMemcpyDeviceToHost));
    unsigned first = ~0u;
    for (int w = 0; w < warps; w++) if (std::count(gpc, gpc + 16, h[w * 2 + 1])) first = std::min(first, h[w * 2]);
    for (unsigned sm : gpc) {
      std::vector<unsigned> t;
      for (int w = 0; w < warps; w++) if (h[w * 2 + 1] == sm) t.push_back(h[w * 2] - first);
      std::sort(t.begin(), t.end());
      if (t.size() >= 60) printf("%d\t%u\t%zu\t%u\t%u\n", block, sm, t.size() * 32 / block, t[0], t[59]);
    }
  }
  return 0;
}
