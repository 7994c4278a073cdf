// Atomics on global memory: every operation and type over a few patterns, with the result used (ATOM) and not (RED);
// addition over many patterns; addresses that the compiler sees to be the same for all lanes.
#include <cuda_fp16.h>
#include "patterns.h"

typedef int s32;
typedef long long s64;

// name, type, what a lane does with its value v, the same on the host over old o, value of a lane, is the order visible
#define OPERATIONS(X)                                                                                  \
  X(add_u32, u32, atomicAdd(p, v), o + v, i + 1, 0)                                                    \
  X(add_s32, s32, atomicAdd(p, v), o + v, 5 - i, 0)                                                    \
  X(add_u64, u64, atomicAdd(p, v), o + v, i + (1ull << 33), 0)                                         \
  X(add_f32, float, atomicAdd(p, v), o + v, i * 0.5f, 0)                                               \
  X(add_f64, double, atomicAdd(p, v), o + v, i * 0.5, 0)                                               \
  X(add_half2, __half2, atomicAdd(p, v), sum(o, v), __floats2half2_rn(i, 1), 0)                        \
  X(add_half, __half, atomicAdd(p, v), sum(o, v), __float2half(i), 0)                                  \
  X(sub_u32, u32, atomicSub(p, v), o - v, i + 1, 0)                                                    \
  X(inc, u32, atomicInc(p, v), o >= v ? 0 : o + 1, 1000, 0)                                            \
  X(dec, u32, atomicDec(p, v), o == 0 || o > v ? v : o - 1, 1000, 0)                                   \
  X(min_s32, s32, atomicMin(p, v), std::min(o, v), 7 - i, 0)                                           \
  X(max_u32, u32, atomicMax(p, v), std::max(o, v), i * 3, 0)                                           \
  X(min_s64, s64, atomicMin(p, v), std::min(o, v), 7 - i, 0)                                           \
  X(max_u64, u64, atomicMax(p, v), std::max(o, v), i * 3, 0)                                           \
  X(and_u32, u32, atomicAnd(p, v), o &v, ~(1u << i), 0)                                                \
  X(or_u32, u32, atomicOr(p, v), o | v, 1u << i, 0)                                                    \
  X(xor_u32, u32, atomicXor(p, v), o ^ v, 1u << i, 0)                                                  \
  X(or_u64, u64, atomicOr(p, v), o | v, 1ull << 2 * i, 0)                                              \
  X(exch_u32, u32, atomicExch(p, v), v, i + 1, 1)                                                      \
  X(exch_u64, u64, atomicExch(p, v), v, i + 1, 1)                                                      \
  X(exch_f32, float, atomicExch(p, v), v, i + 1, 1)                                                    \
  X(cas_u16, u16, atomicCAS(p, (u16)0, v), o ? o : v, i + 1, 1)                                        \
  X(cas_u32, u32, atomicCAS(p, 0u, v), o ? o : v, i + 1, 1)                                            \
  X(cas_u64, u64, atomicCAS(p, 0ull, v), o ? o : v, i + 1, 1)

static __half2 sum(__half2 a, __half2 b)
{
  return __floats2half2_rn(__low2float(a) + __low2float(b), __high2float(a) + __high2float(b));
}
static __half sum(__half a, __half b) { return __float2half(__half2float(a) + __half2float(b)); }

#define KERNELS(name, T, device, host, value, order)                                                   \
  __global__ void red_##name(const int *at, u32 mask, const T *in, T *to, T *)                         \
  {                                                                                                    \
    int lane = threadIdx.x;                                                                            \
    if (mask >> lane & 1) {                                                                            \
      T v = in[lane], *p = to + at[lane];                                                              \
      (void)device;                                                                                    \
    }                                                                                                  \
  }                                                                                                    \
  __global__ void atom_##name(const int *at, u32 mask, const T *in, T *to, T *out)                     \
  {                                                                                                    \
    int lane = threadIdx.x;                                                                            \
    if (mask >> lane & 1) {                                                                            \
      T v = in[lane], *p = to + at[lane];                                                              \
      out[lane] = device;                                                                              \
    }                                                                                                  \
  }
OPERATIONS(KERNELS)

template <class T> static bool same(const T &a, const T &b) { return !memcmp(&a, &b, sizeof a); }

// Runs a variant; `host` is one lane's work. Where the order is visible, an element must be one of its lanes' values.
template <class T, class K, class H> static void one(const pattern &p, K kernel, H host, const std::vector<T> &value, bool used, bool order)
{
  T *in = sent(value), *to = blank<T>(ELEMENTS), *out = blank<T>(32);
  int *at = lanes(p);
  RUN(kernel<<<1, 32>>>(at, p.mask, in, to, out));
  auto got = back(to, ELEMENTS), old = back(out, 32);
  T zero;
  memset(&zero, 0, sizeof zero);
  for (int e = 0; e < ELEMENTS; e++) {
    T expected = zero;
    bool found = false, hit = false, first = false;
    for (int i = 0; i < 32; i++)
      if (p.mask >> i & 1 && p.at[i] == e) {
        expected = host(expected, value[i]);
        found |= same(got[e], value[i]);
        first |= same(old[i], zero);
        hit = true;
      }
    verdict(order && hit ? found : same(got[e], expected), "memory");
    if (used && hit) verdict(first, "result");
  }
  CK(cudaFree(in));
  CK(cudaFree(to));
  CK(cudaFree(out));
  CK(cudaFree(at));
}

// Every lane the same address, and the compiler sees it.
__global__ void uniform_one(u32 *p, u32 *, const u32 *) { atomicAdd(p, 1u); }
__global__ void uniform_two(u32 *p, u32 *, const u32 *) { atomicAdd(p + 1, 2u); }
__global__ void uniform_value(u32 *p, u32 *, const u32 *in) { atomicAdd(p, in[threadIdx.x]); }
__global__ void uniform_block(u32 *p, u32 *, const u32 *in) { atomicAdd(p + blockIdx.x, in[threadIdx.x]); }
__global__ void uniform_loaded(u32 *p, u32 *, const u32 *in) { atomicAdd(p + (in[40] & 1), 1u); }
__global__ void uniform_some(u32 *p, u32 *, const u32 *in) { if (in[threadIdx.x] & 1) atomicAdd(p, 1u); }
__global__ void uniform_loop(u32 *p, u32 *, const u32 *in) { for (u32 k = 0; k < in[threadIdx.x]; k++) atomicAdd(p, 1u); }
__global__ void uniform_max(u32 *p, u32 *, const u32 *in) { atomicMax(p, in[threadIdx.x]); }
__global__ void uniform_or(u32 *p, u32 *, const u32 *in) { atomicOr(p, in[threadIdx.x]); }
__global__ void uniform_exch(u32 *p, u32 *, const u32 *) { atomicExch(p, 7u); }
__global__ void uniform_inc(u32 *p, u32 *, const u32 *) { atomicInc(p, 1000u); }
__global__ void uniform_float(u32 *p, u32 *, const u32 *) { atomicAdd((float *)p, 1.0f); }
__global__ void uniform_u64(u32 *p, u32 *, const u32 *) { atomicAdd((u64 *)p, 1ull); }
__global__ void uniform_used(u32 *p, u32 *out, const u32 *) { out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(p, 1u); }
__global__ void uniform_used_value(u32 *p, u32 *out, const u32 *in) { out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(p, in[threadIdx.x]); }
__global__ void uniform_used_some(u32 *p, u32 *out, const u32 *in) { if (in[threadIdx.x] & 1) out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(p, 1u); }
__global__ void uniform_used_float(u32 *p, u32 *out, const u32 *) { ((float *)out)[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd((float *)p, 1.0f); }

int main(int argc, char **argv)
{
  init(argc, argv);
  std::vector<pattern> all = strided() + grouped() + masked() + shuffled(0, 3), few;
  for (auto &p : all)
    for (const char *n : {"unit", "broadcast", "neighbours=4", "random=16,0", "even,unit"})
      if (p.title == n) few.push_back(p);
#define LAUNCH(name, T, device, host, value, order)                                                    \
  {                                                                                                    \
    bool many = !strcmp(#name, "add_u32") || !strcmp(#name, "add_u64") || !strcmp(#name, "add_f32");   \
    std::vector<T> values(32);                                                                         \
    for (int i = 0; i < 32; i++) values[i] = T(value);                                                 \
    auto on_host = [](T o, T v) { (void)o; return T(host); };                                          \
    for (auto &p : many ? all : few) {                                                                 \
      if (strncmp(#name, "cas", 3) && strncmp(#name, "exch", 4) && want("red,%s,%s", #name, p.title.c_str())) \
        one<T>(p, red_##name, on_host, values, false, order);                                          \
      if ((!many || strcmp(#name, "add_f32")) && want("atom,%s,%s", #name, p.title.c_str()))            \
        one<T>(p, atom_##name, on_host, values, true, order);                                          \
    }                                                                                                  \
  }
  OPERATIONS(LAUNCH)
  std::vector<u32> in(64);
  for (int i = 0; i < 64; i++) in[i] = i % 5;
  u32 *din = sent(in), *out = blank<u32>(256), *p = blank<u32>(64);
#define UNIFORM(name, expected)                                                                        \
  if (want("uniform,%s", #name)) {                                                                     \
    CK(cudaMemset(p, 0, 256));                                                                         \
    RUN(uniform_##name<<<2, 64>>>(p, out, din));                                                       \
    auto got = back(p, 64);                                                                            \
    verdict(expected);                                                                                 \
  }
  u32 total = 0, odd = 0;
  for (u32 v : in) total += v, odd += v & 1;
  float f;
#define AS_FLOAT (memcpy(&f, &got[0], 4), f)
  UNIFORM(one, got[0] == 128)
  UNIFORM(two, got[1] == 256)
  UNIFORM(value, got[0] == 2 * total)
  UNIFORM(block, got[0] == total && got[1] == total)
  UNIFORM(loaded, got[in[40] & 1] == 128)
  UNIFORM(some, got[0] == 2 * odd)
  UNIFORM(loop, got[0] == 2 * total)
  UNIFORM(max, got[0] == 4)
  UNIFORM(or, got[0] == 7)
  UNIFORM(exch, got[0] == 7)
  UNIFORM(inc, got[0] == 128)
  UNIFORM(float, AS_FLOAT == 128)
  UNIFORM(u64, got[0] == 128)
  UNIFORM(used, got[0] == 128)
  UNIFORM(used_value, got[0] == 2 * total)
  UNIFORM(used_some, got[0] == 2 * odd)
  UNIFORM(used_float, AS_FLOAT == 128)
  return finish();
}
