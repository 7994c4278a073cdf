// What a fence of the device takes, what it waits for and what it leaves in L1.
// usage: fences [ROUNDS]. One row a case, so many rounds each (64); h200_fences.tsv was measured so: ./fences
// Built with nvcc -O3 -arch=sm_90.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
__device__ long long now() { long long c; asm volatile("mov.u64 %0, %%clock64;" : "=l"(c) :: "memory"); return c; }
// kind: what stands in front of the fence, by each lane. 0 nothing; 1 a store of its own word, 32 in a line; 2 a store to a sector of its own; 3 a
// reduction; 4 a load that misses L1; 5 four stores of lines; 6 like 1, and membar.cta; 7 like 1, without a fence
template <int kind> __global__ void fences(unsigned *data, long long *out, size_t words, int rounds) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  unsigned *p = data + ((size_t)warp * 4096 + (kind == 2 ? lane * 8 : lane)) % words, sum = 0;
  long long begin = 0;
  for (int i = 0; i < rounds + 2; i++) {
    if (i == 2) begin = now();
    unsigned *q = p + i % 4 * 256;
    if (kind == 1 || kind == 2 || kind == 6 || kind == 7) asm volatile("st.global.u32 [%0], %1;" :: "l"(q), "r"(i) : "memory");
    if (kind == 3) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(q), "r"(i) : "memory");
    if (kind == 4) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(q) : "memory"); sum += v; }
    if (kind == 5) for (int k = 0; k < 4; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(q + 32 * k), "r"(i) : "memory");
    if (kind == 6) asm volatile("membar.cta;" ::: "memory");
    else if (kind != 7) asm volatile("membar.gl;" ::: "memory");
  }
  long long end = now();
  if (sum == 12345) data[0] = sum;
  if (!lane) out[warp] = end - begin;
}
// Loads that have been loaded before: cycles of a dependent load in L1, after a fence of the same warp, after one of another warp of the block, and of
// another block on the same SM.
__global__ void after(unsigned *data, long long *out) {
  __shared__ volatile int turn;
  const unsigned warp = threadIdx.x / 32;
  unsigned v, w = 0; long long t[6];
  if (!threadIdx.x) turn = 0;
  __syncthreads();
  auto load = [&](unsigned at) { long long b = now(); asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + (at + w)) : "memory"); w += v; asm volatile("" :: "r"(w)); long long e = now() + (w & 1); return e - b; };
  if (warp == 0) {
    load(0); t[0] = load(0);
    __threadfence(); t[1] = load(0); t[2] = load(0);
    turn = 1; while (turn != 2) ;
    t[3] = load(0); t[4] = load(0);
    asm volatile("membar.cta;" ::: "memory"); t[5] = load(0);
    if (!(threadIdx.x & 31)) for (int i = 0; i < 6; i++) out[i] = t[i];
  } else if (warp == 1) {
    while (turn != 1) ;
    __threadfence();
    turn = 2;
  }
}
static int rounds = 64;
template <int kind> static void run(const char *name, unsigned *data, long long *out, size_t words) {
  static const int shapes[][2] = {{1, 32}, {1, 64}, {1, 128}, {1, 256}, {1, 1024}, {132, 32}, {132, 128}, {132, 256}, {132, 1024}, {264, 1024}};
  for (auto &s : shapes) {
    const int warps = s[0] * s[1] / 32;
    std::vector<long long> h(warps);
    for (int i = 0; i < 2; i++) fences<kind><<<s[0], s[1]>>>(data, out, words, i ? rounds : 1);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), out, warps * 8, cudaMemcpyDeviceToHost));
    double sum = 0; for (auto x : h) sum += x;
    printf("%s\t%d\t%d\t%.1f\n", name, s[0], s[1] / 32, sum / warps / rounds);
  }
}
int main(int argc, char **argv) {
  if (argc > 1) rounds = atoi(argv[1]);
  unsigned *data; long long *out; const size_t words = 64 << 20;
  CK(cudaMalloc(&data, words * 4)); CK(cudaMemset(data, 0, words * 4)); CK(cudaMalloc(&out, 1 << 20));
  printf("case\tblocks\twarps\tcycles\n");
  run<0>("fence", data, out, words); run<1>("store a line, fence", data, out, words); run<2>("store 32 sectors, fence", data, out, words);
  run<3>("reduce a line, fence", data, out, words); run<4>("load a line, fence", data, out, words); run<5>("store 4 lines, fence", data, out, words);
  run<6>("store a line, fence of the block", data, out, words); run<7>("store a line", data, out, words);
  CK(cudaMemset(data, 0, 1 << 20));
  for (int i = 0; i < 3; i++) after<<<1, 64>>>(data, out);
  CK(cudaDeviceSynchronize());
  long long t[6]; CK(cudaMemcpy(t, out, 48, cudaMemcpyDeviceToHost));
  static const char *const names[] = {"load again", "load after its own fence", "load again then", "load after another warp's fence", "load again then", "load after a fence of the block"};
  for (int i = 0; i < 6; i++) printf("%s\t1\t1\t%lld\n", names[i], t[i]);
  return 0;
}
