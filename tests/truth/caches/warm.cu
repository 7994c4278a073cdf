// What of memory is in L2 after kernels, copies, fills and frees, and what two reads of the clock say of what stands between them.
// usage: warm. Rows of h200_warm.tsv: what, KiB, and of 4096 loads one by one, spread over the memory, the share that took fewer than
// 330 cycles (L2 has the line near), 330 to 479 (in its home, the other half), 480 to 649, more; then the last of the first and of the second half of the memory.
// Rows "clock": what, how many, cycles between. Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define N 4096
#define W(n, v) asm volatile("{.reg .pred q;setp.ne.s32 q,%1,77777;@q mov.u64 %0,%%clock64;}" : "=l"(n) : "r"(v))
__device__ int g[2 * N + 99];
__global__ void look(int *p, long step) { for (int i = 0; i < N; i++) { long a = clock64(); int v; asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(p + (i * 5 % N) * step)); long b; W(b, v); g[i * 5 % N] = b - a; } }
__global__ void rd(int *p, long n, int *o) { int s = 0; for (long i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * 264) s += __ldcg(p + i); if (s == 12345) *o = s; }
__global__ void wr(int *p, long n) { for (long i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * 264) p[i] = 0; }
#define T(n) asm volatile("mov.u64 %0,%%clock64;" : "=l"(n))
#define F asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(y));
#define L(k) asm volatile("ld.global." k ".b32 %0,[%1];" : "=r"(v) : "l"(p));
#define R(i, k) T(a); L(k) W(b, v); g[i] = b - a;
#define M(i, ...) T(a); __VA_ARGS__ T(b); g[i] = b - a;
#define S(i, ...) asm volatile("mov.u32 %0,%%clock;" : "=r"(v)); __VA_ARGS__ asm volatile("mov.u32 %0,%%clock;" : "=r"(u)); g[i] = u - v;
__global__ void clk(int *p, float *q) { long a, b; int v, u; float x = *q, y = q[1];
  for (int k = 0; k < 2; k++) { M(0, ) M(1, F) M(2, F F) M(3, F F F F) M(4, F F F F F F F F) M(5, F F F F F F F F F F F F F F F F) R(6, "cg") R(7, "cg") R(8, "ca") R(9, "ca") M(10, L("ca")) S(11, ) S(12, F F F F F F F F) p += 8 << 20; }
  q[2] = x + v; }
int main() { long B = 512 << 20; char *d, *o, *h = (char *)malloc(B), *c; cudaMalloc(&d, B); cudaMalloc(&o, B); cudaMallocHost(&c, B); memset(h, 0, B); memset(c, 0, B);
  const char *nm[] = {"nothing", "read", "written", "pageable in", "pinned in", "fill", "copied to", "copied from", "pageable out", "pinned out", "read, freed", "read, others in", "read, in", "written, out", "pinned in, read", "read, read"};
  for (long k : {1024, 8192, 24576, 40960, 65536}) for (int w = 0; w < 16; w++) { long n = k << 10; int *p = (int *)d, *f; wr<<<264, 512>>>((int *)o, B / 4); rd<<<264, 512>>>((int *)o, B / 4, p); cudaDeviceSynchronize();
    if (w == 1 || w > 9 && w < 13 || w == 15) rd<<<264, 512>>>(p, n / 4, (int *)o); if (w == 2 || w == 13) wr<<<264, 512>>>(p, n / 4); cudaDeviceSynchronize();
    if (w == 3) cudaMemcpy(p, h, n, cudaMemcpyDefault); if (w == 4 || w == 12 || w == 14) cudaMemcpy(p, c, n, cudaMemcpyDefault); if (w == 5) cudaMemset(p, 0, n); if (w == 6) cudaMemcpy(p, o, n, cudaMemcpyDefault); if (w == 7) cudaMemcpy(o, p, n, cudaMemcpyDefault);
    if (w == 8) cudaMemcpy(h, p, n, cudaMemcpyDefault); if (w == 9 || w == 13) cudaMemcpy(c, p, n, cudaMemcpyDefault); if (w == 10) { cudaMalloc(&f, n); rd<<<264, 512>>>(p = f, n / 4, (int *)o); cudaDeviceSynchronize(); cudaFree(f); cudaMalloc(&f, n); if (p != f) puts("elsewhere"); p = f; } if (w == 11) cudaMemcpy(o, c, 1 << 20, cudaMemcpyDefault);
    if (w > 13) rd<<<264, 512>>>(p, n / 4, (int *)o); cudaDeviceSynchronize();
    look<<<1, 1>>>(p, n / 4 / N); static int t[N]; cudaMemcpyFromSymbol(t, g, sizeof t); int b[4] = {}, m[2] = {}; for (int i = 0; i < N; i++) b[(t[i] > 329) + (t[i] > 479) + (t[i] > 649)]++, m[i >= N / 2] += t[i] > 479;
    printf("%s\t%ld", nm[w], k); for (int i : b) printf("\t%.3f", i / 4096.); printf("\t%.3f\t%.3f\n", m[0] / 2048., m[1] / 2048.); }
  clk<<<1, 32>>>((int *)(d + (400 << 20)), (float *)o); int t[13]; cudaMemcpyFromSymbol(t, g, 52); for (int i = 0; i < 13; i++) printf("clock\t%d\t%d\n", i, t[i]); puts(cudaGetErrorString(cudaDeviceSynchronize())); }
