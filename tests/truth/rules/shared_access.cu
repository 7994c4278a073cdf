// Shared memory: loads and stores of 8 to 128 bits in every pattern of patterns.h, one warp. The load kernel fills with
// 128-bit stores and loads once; the store kernel stores once and loads once.
#include "patterns.h"

template <class T> __global__ void load(const int *at, u32 mask, u32 *out)
{
  __shared__ __align__(16) T s[ELEMENTS];
  T part[16 / sizeof(T)];
  int lane = threadIdx.x;
  for (int i = lane; i < (int)(ELEMENTS * sizeof(T) / 16); i += 32) {
    for (int k = 0; k < (int)(16 / sizeof(T)); k++) element(i * (16 / sizeof(T)) + k, part[k]);
    uint4 v;
    memcpy(&v, part, 16);
    ((uint4 *)s)[i] = v;
  }
  __syncthreads();
  if (mask >> lane & 1) out[lane] = digest(s[at[lane]]);
}
template <class T> __global__ void store(const int *at, const int *read, u32 mask, u32 *out)
{
  __shared__ __align__(16) T s[ELEMENTS];
  int lane = threadIdx.x;
  T v;
  if (mask >> lane & 1) {
    int e = at[lane];
    element(e, v);
    s[e] = v;
  }
  __syncthreads();
  if (mask >> lane & 1) out[lane] = digest(s[read[lane]]);
}

template <class T> static void both(const char *type, const pattern &p, u32 *out, bool stores = true)
{
  int *at = lanes(p), *read = lanes(turned(p));
  if (want("ld,%s,%s", type, p.title.c_str())) {
    CK(cudaMemset(out, 0, 128));
    RUN(load<T><<<1, 32>>>(at, p.mask, out));
    verdict(back(out, 32) == digests<T>(p));
  }
  if (stores && want("st,%s,%s", type, p.title.c_str())) {
    CK(cudaMemset(out, 0, 128));
    RUN(store<T><<<1, 32>>>(at, read, p.mask, out));
    verdict(back(out, 32) == digests<T>(turned(p)));
  }
  CK(cudaFree(at));
  CK(cudaFree(read));
}

int main(int argc, char **argv)
{
  init(argc, argv);
  u32 *out = blank<u32>(32);
  auto all = strided() + grouped() + shuffled(0, 1) + masked(), few = strided() + shuffled(0, 1);
  for (auto &p : few) both<u8>("8", p, out);
  for (auto &p : few) both<u16>("16", p, out);
  for (auto &p : all) both<u32>("32", p, out);
  for (auto &p : all + shuffled(1, 3)) both<uint2>("64", p, out);
  for (auto &p : all + shuffled(1, 3)) both<uint4>("128", p, out);
  for (auto &p : few_lanes()) both<uint2>("64", p, out, false);
  for (auto &p : few_lanes()) both<uint4>("128", p, out, false);
  return finish();
}
