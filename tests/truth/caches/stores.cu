// Two questions about a GPU, by many launches: which stores reach L2 as one, and when blocks start.
// usage: stores [own|sector|life [PART OF]]. Prints a line for each launch; life prints what it measured. PART OF: of the largest
// launches of own only the PART-th (0 ...) of each OF.
// h200_stores.tsv (own, sector) was measured so, for each of the two groups:
//   ncu --csv --page raw --print-units base --metrics (the columns of h200_stores.tsv) --log-file GROUP.csv ./stores GROUP
// h200_life.txt: ./stores life. Built with nvcc -O3 -arch=sm_90. GAP is no time: the assembler moves stores together.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
static int launch_number; static const char *only;
static bool want(const char *g) { return !only || !strcmp(only, g); }
#define RUN(...) do { printf("LAUNCH %d ", launch_number++); __VA_ARGS__; CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); printf("\n"); fflush(stdout); } while (0)
__device__ void wait_until(long long t) { while (clock64() < t) ; }
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

template <class T> struct St;
template <> struct St<unsigned char> { static __device__ void st(void *p, int v) { asm volatile("st.global.u8 [%0], %1;" :: "l"(p), "r"(v) : "memory"); } };
template <> struct St<unsigned short> { static __device__ void st(void *p, int v) { asm volatile("st.global.u16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); } };
template <> struct St<unsigned> { static __device__ void st(void *p, int v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); } };
template <> struct St<uint2> { static __device__ void st(void *p, int v) { asm volatile("st.global.v2.u32 [%0], {%1,%1};" :: "l"(p), "r"(v) : "memory"); } };
template <> struct St<uint4> { static __device__ void st(void *p, int v) { asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(p), "r"(v) : "memory"); } };

// each thread stores N successive values of T, threads `stride` bytes apart; GAP dependent multiplies between stores
template <class T, int N, int GAP> __global__ void own(char *p, int stride, int lanes) {
  if ((threadIdx.x & 31) >= lanes) return;
  char *q = p + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * stride;
  int v = threadIdx.x | 1;
#pragma unroll
  for (int k = 0; k < N; k++) {
    St<T>::st(q + k * sizeof(T), v);
#pragma unroll
    for (int g = 0; g < GAP; g++) asm volatile("mad.lo.s32 %0, %0, %0, 1;" : "+r"(v));
  }
}
// warps of a block store to sectors that `share` neighbouring warps have together, warp w `delay * w` cycles after the block began
__global__ void shared_sector(char *p, int share, int delay, int bytes_apart) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; __shared__ long long t0;
  if (!threadIdx.x) t0 = clock64() + 200;
  __syncthreads();
  wait_until(t0 + (long long)delay * (threadIdx.x / 32));
  St<unsigned>::st(p + (size_t)(w / share) * 32 * bytes_apart + w % share % 8 * 4, w);
}
// a block's two warps store halves of 32 sectors, the second `delay` cycles later; `other` full sectors by others between
__global__ void halves(char *p, int delay, int reps) {
  int w = threadIdx.x / 32, l = threadIdx.x & 31; long long t = clock64() + 2000;
  __shared__ long long t0; if (!threadIdx.x) t0 = t; __syncthreads(); t = t0;
  for (int i = 0; i < reps; i++) {
    t += 1000;
    wait_until(t + w * delay);
    St<uint4>::st(p + ((size_t)(i * gridDim.x + blockIdx.x) * 32 + l) * 32 + w * 16, l);
  }
}
// the kernel of a copy with misaligned ends, without loads
__global__ void shifted(unsigned *p, int offset) { int i = blockIdx.x * blockDim.x + threadIdx.x; St<unsigned>::st(p + i + offset, i); }
__global__ void shifted_copy(const unsigned *in, unsigned *p, int offset) { int i = blockIdx.x * blockDim.x + threadIdx.x; St<unsigned>::st(p + i + offset, in[i]); }
// blocks that live for different times: when each starts and ends, by its SM's clock
__global__ void life(unsigned *sm, long long *from, long long *to, int spin, int spread) {
  long long t = clock64(); unsigned h = blockIdx.x * 2654435761u >> 16;
  if (!threadIdx.x) { sm[blockIdx.x] = smid(); from[blockIdx.x] = t; }
  wait_until(t + spin + (spread ? h % spread : 0));
  __syncthreads();
  if (!threadIdx.x) to[blockIdx.x] = clock64();
}
#define OWN(T, N, GAP, stride, lanes, grid, block) RUN(printf("own %s n %d gap %d stride %d lanes %d grid %d block %d", #T, N, GAP, stride, lanes, grid, block); own<T, N, GAP><<<grid, block>>>(p, stride, lanes))
#define GAPS(T, N, stride, lanes, grid, block) do { OWN(T, N, 0, stride, lanes, grid, block); OWN(T, N, 1, stride, lanes, grid, block); OWN(T, N, 2, stride, lanes, grid, block); OWN(T, N, 4, stride, lanes, grid, block); OWN(T, N, 8, stride, lanes, grid, block); OWN(T, N, 16, stride, lanes, grid, block); } while (0)
#define SIZES(T, N, stride) do { GAPS(T, N, stride, 1, 1, 32); GAPS(T, N, stride, 32, 1, 32); OWN(T, N, 0, stride, 32, 1, 64); OWN(T, N, 0, stride, 32, 1, 128); OWN(T, N, 0, stride, 32, 1, 256); OWN(T, N, 0, stride, 32, 1, 1024); OWN(T, N, 0, stride, 32, 132, 256); OWN(T, N, 0, stride, 32, 1056, 256); if (largest++ % of == part) OWN(T, N, 0, stride, 32, 4224, 256); OWN(T, N, 4, stride, 32, 1056, 256); } while (0)
int main(int argc, char **argv) {
  if (argc > 1) only = argv[1];
  int part = argc > 3 ? atoi(argv[2]) : 0, of = argc > 3 ? atoi(argv[3]) : 1, largest = 0;
  char *p; CK(cudaMalloc(&p, (size_t)256 << 20)); unsigned *q; CK(cudaMalloc(&q, 64 << 20)); CK(cudaMemset(p, 0, (size_t)256 << 20)); CK(cudaMemset(q, 0, 64 << 20));
  if (want("own")) {
    SIZES(unsigned char, 7, 7); SIZES(unsigned, 3, 12); SIZES(unsigned, 4, 16); SIZES(unsigned, 8, 32); SIZES(uint2, 4, 32); SIZES(uint2, 2, 16); SIZES(uint4, 2, 32); SIZES(unsigned, 2, 8); SIZES(unsigned short, 2, 4); SIZES(unsigned char, 4, 4); SIZES(unsigned char, 8, 32);
  }
  if (want("sector")) {
    for (int share : {2, 8, 64, 1 << 20}) for (int delay : {0, 1, 2, 4, 8, 16, 32, 64, 128}) for (int grid : {1, 132, 1056, 4096}) { if (grid > 1 && delay > 16) continue; RUN(printf("sector share %d delay %d grid %d", share, delay, grid); shared_sector<<<grid, 256>>>(p, share, delay, 1)); }
    for (int grid : {1, 132}) for (int delay : {0, 2, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 256}) RUN(printf("halves delay %d grid %d", delay, grid); halves<<<grid, 64>>>(p, delay, 100));
    for (int grid : {1, 132, 1056, 4096}) for (int off : {0, 1, 4}) { RUN(printf("shifted offset %d grid %d", off, grid); shifted<<<grid, 256>>>((unsigned *)p, off)); RUN(printf("shifted_copy offset %d grid %d", off, grid); shifted_copy<<<grid, 256>>>(q, (unsigned *)p, off)); }
  }
  if (want("life")) {
    int most = 1 << 16; unsigned *sm; long long *from, *to; CK(cudaMallocManaged(&sm, most * 4)); CK(cudaMallocManaged(&from, most * 8)); CK(cudaMallocManaged(&to, most * 8));
    for (int b : {32, 64, 128, 256, 512, 1024}) for (int spin : {500, 2000, 10000}) for (int spread : {0, 1000}) {
      int g = 132 * 2048 / b * 3; if (b < 64) g = 132 * 32 * 3;
      life<<<g, b>>>(sm, from, to, spin, spread); CK(cudaDeviceSynchronize());
      life<<<g, b>>>(sm, from, to, spin, spread); CK(cudaDeviceSynchronize());
      printf("life block %d grid %d spin %d spread %d\n", b, g, spin, spread);
      std::vector<long long> gap, first; std::vector<int> firstgap;
      for (unsigned s = 0; s < 132; s++) {
        std::vector<std::pair<long long, int>> ev; // starts +1, ends -1
        std::vector<long long> st, en;
        for (int i = 0; i < g; i++) if (sm[i] == s) { st.push_back(from[i]); en.push_back(to[i]); }
        std::sort(st.begin(), st.end()); std::sort(en.begin(), en.end());
        size_t seats = 0; while (seats < st.size() && st[seats] < en[0]) seats++;
        for (size_t i = 1; i < seats; i++) first.push_back(st[i] - st[i - 1]);
        for (size_t i = seats; i < st.size(); i++) gap.push_back(st[i] - en[i - seats]); // the i-th start takes the seat of the (i-seats)-th end
        if (s == 0) printf("  SM 0: seats %zu blocks %zu\n", seats, st.size());
      }
      std::sort(gap.begin(), gap.end()); std::sort(first.begin(), first.end());
      auto show = [](const char *n, std::vector<long long> &v) { if (v.empty()) return; printf("  %s n %zu min %lld p10 %lld median %lld p90 %lld max %lld\n", n, v.size(), v[0], v[v.size() / 10], v[v.size() / 2], v[v.size() * 9 / 10], v.back()); };
      show("between first starts", first); show("end to next start", gap);
      // how far from round robin: the number of blocks per SM
      std::vector<int> n(132); for (int i = 0; i < g; i++) n[sm[i]]++; std::sort(n.begin(), n.end()); printf("  blocks an SM: least %d most %d\n", n[0], n[131]);
    }
  }
  return 0;
}
