// Constant memory: loads of 8 to 128 bits whose lanes take 1 to 32 different elements, by a number of the launch, by the
// block, by the lane, by a table; four warps a launch.
#include "patterns.h"

template <class T> struct table {
  T v[ELEMENTS / 4];
};
__constant__ table<u8> c8;
__constant__ table<u16> c16;
__constant__ table<u32> c32;
__constant__ table<uint2> c64;
__constant__ table<uint4> c128;
template <class T> __device__ const T *constants();
template <> __device__ const u8 *constants<u8>() { return c8.v; }
template <> __device__ const u16 *constants<u16>() { return c16.v; }
template <> __device__ const u32 *constants<u32>() { return c32.v; }
template <> __device__ const uint2 *constants<uint2>() { return c64.v; }
template <> __device__ const uint4 *constants<uint4>() { return c128.v; }

template <class T> __global__ void by_table(const int *at, u32 mask, u32 *out)
{
  int lane = threadIdx.x & 31;
  if (mask >> lane & 1) out[blockIdx.x * 32 + lane] = digest(constants<T>()[at[lane]]);
}
__global__ void by_number(int e, u32 *out) { out[blockIdx.x * 32 + threadIdx.x] = c32.v[e]; }
__global__ void by_literal(int, u32 *out) { out[blockIdx.x * 32 + threadIdx.x] = c32.v[3] + threadIdx.x; }
__global__ void by_block(int, u32 *out) { out[blockIdx.x * 32 + threadIdx.x] = c32.v[blockIdx.x]; }
__global__ void by_lane(int, u32 *out) { out[blockIdx.x * 32 + threadIdx.x] = c32.v[threadIdx.x]; }
__global__ void by_loop(int n, u32 *out)
{
  u32 s = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) s += c32.v[k];
  out[blockIdx.x * 32 + threadIdx.x] = s;
}
__global__ void by_loop_and_lane(int n, u32 *out)
{
  u32 s = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) s += c32.v[k + (threadIdx.x & 3)];
  out[blockIdx.x * 32 + threadIdx.x] = s;
}

template <class T> static void all(const char *type, const std::vector<pattern> &v, u32 *out)
{
  for (auto &p : v) {
    bool inside = true;
    for (int e : p.at) inside &= e < ELEMENTS / 4;
    if (!inside || !want("%s,%s", type, p.title.c_str())) continue;
    int *at = lanes(p);
    CK(cudaMemset(out, 0, 512));
    RUN(by_table<T><<<4, 32>>>(at, p.mask, out));
    auto got = back(out, 128);
    got.erase(got.begin(), got.begin() + 96);
    verdict(got == digests<T>(p));
    CK(cudaFree(at));
  }
}

int main(int argc, char **argv)
{
  init(argc, argv);
  u32 *out = blank<u32>(128);
#define FILL(symbol, T)                                                                                \
  {                                                                                                    \
    table<T> t;                                                                                        \
    for (int i = 0; i < ELEMENTS / 4; i++) element(i, t.v[i]);                                         \
    CK(cudaMemcpyToSymbol(symbol, &t, sizeof t));                                                      \
  }
  FILL(c8, u8) FILL(c16, u16) FILL(c32, u32) FILL(c64, uint2) FILL(c128, uint4)
  all<u32>("32", strided() + grouped() + masked() + shuffled(0, 3), out);
  auto few = grouped() + shuffled(0, 1);
  all<u8>("8", few, out);
  all<u16>("16", few, out);
  all<uint2>("64", few, out);
  all<uint4>("128", few, out);
#define CASE(name, n, expected)                                                                        \
  if (want(#name)) {                                                                                   \
    RUN(name<<<4, 32>>>(n, out));                                                                      \
    auto got = back(out, 128);                                                                         \
    for (int i = 0; i < 128; i++) verdict(got[i] == (u32)(expected));                                  \
  }
  CASE(by_number, 5, word(5, 0))
  CASE(by_literal, 0, word(3, 0) + i % 32)
  CASE(by_block, 0, word(i / 32, 0))
  CASE(by_lane, 0, word(i % 32, 0))
  u32 sums[4] = {0};
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < 20; k++) sums[j] += word(k + j, 0);
  CASE(by_loop, 20, sums[0])
  CASE(by_loop_and_lane, 20, sums[i % 4])
  return finish();
}
