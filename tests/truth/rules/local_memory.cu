// Local memory: arrays that need an address (indices of the launch, of the lane, from a table; elements of 8 to 128
// bits; all lanes or some) and registers that do not fit (spill_*: the compiler's choice, known only after assembly).
#include "patterns.h"

template <class T> __global__ void array(const int *at, u32 mask, int step, u32 *out)
{
  T a[64];
  int lane = threadIdx.x & 31;
  if (!(mask >> lane & 1)) return;
#pragma unroll 1
  for (int k = 0; k < 64; k++) element(k * step & 63, a[k * step & 63]); // every element once, for all lanes the same
  u32 s = 0;
#pragma unroll 1
  for (int k = 0; k < 8; k++) s += digest(a[(at[lane] + k) & 63]); // by lane
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Written by lane, read alike.
__global__ void scatter(const int *at, u32 mask, int step, u32 *out)
{
  u32 a[16];
  int lane = threadIdx.x & 31;
  if (!(mask >> lane & 1)) return;
#pragma unroll 1
  for (int k = 0; k < 16; k++) a[(at[lane] + k * step) & 15] = word(k, 0);
  u32 s = 0;
#pragma unroll 1
  for (int k = 0; k < 16; k++) s += a[k * step & 15] * (k + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
struct node {
  u32 key;
  u16 left, right;
  u8 tag[8];
};
__global__ void structures(const int *at, u32, int n, u32 *out)
{
  node t[12];
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    t[k].key = word(k, 1);
    t[k].left = (u16)(k * 3);
    t[k].right = (u16)(k * 5);
    for (int j = 0; j < 8; j++) t[k].tag[j] = (u8)(k + j);
  }
  int lane = threadIdx.x & 31;
  node *p = &t[at[lane] % n];
  out[blockIdx.x * blockDim.x + threadIdx.x] = p->key + p->left * p->right + p->tag[at[lane] & 7];
}
__global__ void stack(const int *at, u32, int n, u32 *out)
{
  int lane = threadIdx.x & 31, pending[24], top = 0;
  u32 s = 0;
  pending[top++] = at[lane] % n + 3;
#pragma unroll 1
  while (top) {
    int v = pending[--top];
    s = s * 7 + v;
    if (v > 2) {
      pending[top++] = v - 2;
      if (v & 1) pending[top++] = v / 2;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
static u32 stack_of(int first)
{
  std::vector<int> pending{first};
  u32 s = 0;
  while (!pending.empty()) {
    int v = pending.back();
    pending.pop_back();
    s = s * 7 + v;
    if (v > 2) {
      pending.push_back(v - 2);
      if (v & 1) pending.push_back(v / 2);
    }
  }
  return s;
}
template <int N> __device__ void many_values(const float *in, float *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[N];
#pragma unroll
  for (int k = 0; k < N; k++) a[k] = in[i + k];
#pragma unroll 1
  for (int r = 0; r < 3; r++)
#pragma unroll
    for (int k = 0; k < N; k++) a[k] = fmaf(a[k], 0.5f, a[(k + 7) % N]);
  float s = 0;
#pragma unroll
  for (int k = 0; k < N; k++) s += a[k];
  out[i] = s;
}
__global__ void keep_48(const float *in, float *out) { many_values<48>(in, out); }
__global__ void __launch_bounds__(512, 4) spill_48(const float *in, float *out) { many_values<48>(in, out); }
__global__ void __launch_bounds__(1024, 2) spill_96(const float *in, float *out) { many_values<96>(in, out); }
static float many_values_of(const std::vector<float> &in, int i, int n)
{
  std::vector<float> a(n);
  for (int k = 0; k < n; k++) a[k] = in[i + k];
  for (int r = 0; r < 3; r++)
    for (int k = 0; k < n; k++) a[k] = fmaf(a[k], 0.5f, a[(k + 7) % n]);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[k];
  return s;
}

template <class T> static void all(const char *type, const std::vector<pattern> &v, u32 *out)
{
  for (auto &p : v) {
    if (!want("array,%s,%s", type, p.title.c_str())) continue;
    int *at = lanes(p);
    CK(cudaMemset(out, 0, 512));
    RUN(array<T><<<2, 64>>>(at, p.mask, 5, out));
    auto got = back(out, 128);
    for (int i = 0; i < 128; i++) {
      u32 s = 0;
      for (int k = 0; k < 8; k++) s += digest_of<T>((p.at[i % 32] + k) & 63);
      verdict(got[i] == (p.mask >> i % 32 & 1 ? s : 0));
    }
    CK(cudaFree(at));
  }
}

int main(int argc, char **argv)
{
  init(argc, argv);
  u32 *out = blank<u32>(1024);
  auto groups = grouped(), shuffles = shuffled(0, 1);
  std::vector<pattern> some = {strided()[0], strided()[1], strided()[2], strided()[4], groups[0], groups[6], shuffles[0], shuffles[3]};
  all<u32>("32", some + masked(), out);
  all<u8>("8", some, out);
  all<u16>("16", some, out);
  all<uint2>("64", some, out);
  all<uint4>("128", some, out);
  for (auto &p : some)
    if (want("scatter,%s", p.title.c_str())) {
      RUN(scatter<<<2, 64>>>(lanes(p), p.mask, 3, out));
      auto got = back(out, 128);
      for (int i = 0; i < 128; i++) {
        u32 a[16], s = 0;
        for (int k = 0; k < 16; k++) a[(p.at[i % 32] + k * 3) & 15] = word(k, 0);
        for (int k = 0; k < 16; k++) s += a[k * 3 & 15] * (k + 1);
        verdict(got[i] == s);
      }
    }
  for (auto &p : some)
    if (want("structures,%s", p.title.c_str())) {
      RUN(structures<<<2, 64>>>(lanes(p), p.mask, 12, out));
      auto got = back(out, 128);
      for (int i = 0; i < 128; i++) {
        int e = p.at[i % 32], k = e % 12;
        verdict(got[i] == word(k, 1) + k * 3 * k * 5 + (k + (e & 7)));
      }
    }
  for (auto &p : some)
    if (want("stack,%s", p.title.c_str())) {
      RUN(stack<<<2, 64>>>(lanes(p), p.mask, 9, out));
      auto got = back(out, 128);
      for (int i = 0; i < 128; i++) verdict(got[i] == stack_of(p.at[i % 32] % 9 + 3));
    }
#define CASE(name, n, block)                                                                           \
  if (want(#name)) {                                                                                   \
    std::vector<float> in(1200), ref(1024);                                                            \
    for (auto &x : in) x = (float)uniform(0, 1);                                                       \
    for (int i = 0; i < 1024; i++) ref[i] = many_values_of(in, i, n);                                  \
    float *din = sent(in);                                                                             \
    RUN(name<<<1024 / block, block>>>(din, (float *)out));                                             \
    check(back((float *)out, 1024), ref, 1e-5);                                                        \
  }
  CASE(keep_48, 48, 256) CASE(spill_48, 48, 512) CASE(spill_96, 96, 1024)
  return finish();
}
