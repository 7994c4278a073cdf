// Atomics on shared memory: every operation and type over a few patterns, addition and compare-and-swap over many; with
// the result used and not; addresses that the compiler sees to be the same for all lanes.
#include "patterns.h"

typedef int s32;
typedef long long s64;

// name, type, what a lane does with its value v, the same on the host over old o, value of a lane, is the order visible
#define OPERATIONS(X)                                                                                  \
  X(add_1, u32, atomicAdd(p, 1u + 0 * v), o + 1, 1, 0)                                                 \
  X(add_u32, u32, atomicAdd(p, v), o + v, i + 1, 0)                                                    \
  X(add_u64, u64, atomicAdd(p, v), o + v, i + (1ull << 33), 0)                                         \
  X(add_f32, float, atomicAdd(p, v), o + v, i * 0.5f, 0)                                               \
  X(add_f64, double, atomicAdd(p, v), o + v, i * 0.5, 0)                                               \
  X(inc, u32, atomicInc(p, v), o >= v ? 0 : o + 1, 1000, 0)                                            \
  X(min_s32, s32, atomicMin(p, v), std::min(o, v), 7 - i, 0)                                           \
  X(max_u64, u64, atomicMax(p, v), std::max(o, v), i * 3, 0)                                           \
  X(and_u32, u32, atomicAnd(p, v), o &v, ~(1u << i), 0)                                                \
  X(or_u32, u32, atomicOr(p, v), o | v, 1u << i, 0)                                                    \
  X(xor_u64, u64, atomicXor(p, v), o ^ v, 1ull << 2 * i, 0)                                            \
  X(exch_u32, u32, atomicExch(p, v), v, i + 1, 1)                                                      \
  X(exch_u64, u64, atomicExch(p, v), v, i + 1, 1)                                                      \
  X(cas_u32, u32, atomicCAS(p, 0u, v), o ? o : v, i + 1, 1)                                            \
  X(cas_u64, u64, atomicCAS(p, 0ull, v), o ? o : v, i + 1, 1)

#define BEGIN(T)                                                                                       \
  __shared__ T s[ELEMENTS];                                                                            \
  int lane = threadIdx.x;                                                                              \
  for (int i = lane; i < ELEMENTS; i += 32) s[i] = 0;                                                  \
  __syncthreads();
#define END                                                                                            \
  __syncthreads();                                                                                     \
  for (int i = lane; i < ELEMENTS; i += 32) to[i] = s[i];
#define KERNELS(name, T, device, host, value, order)                                                   \
  __global__ void red_##name(const int *at, u32 mask, const T *in, T *to, T *)                         \
  {                                                                                                    \
    BEGIN(T)                                                                                           \
    if (mask >> lane & 1) {                                                                            \
      T v = in[lane], *p = s + at[lane];                                                               \
      (void)device;                                                                                    \
    }                                                                                                  \
    END                                                                                                \
  }                                                                                                    \
  __global__ void atom_##name(const int *at, u32 mask, const T *in, T *to, T *out)                     \
  {                                                                                                    \
    BEGIN(T)                                                                                           \
    if (mask >> lane & 1) {                                                                            \
      T v = in[lane], *p = s + at[lane];                                                               \
      out[lane] = device;                                                                              \
    }                                                                                                  \
    END                                                                                                \
  }
OPERATIONS(KERNELS)

template <class T, class K, class H> static void one(const pattern &p, K kernel, H host, const std::vector<T> &value, bool used, bool order)
{
  T *in = sent(value), *to = blank<T>(ELEMENTS), *out = blank<T>(32);
  int *at = lanes(p);
  RUN(kernel<<<1, 32>>>(at, p.mask, in, to, out));
  auto got = back(to, ELEMENTS), old = back(out, 32);
  for (int e = 0; e < ELEMENTS; e++) {
    T expected = 0;
    bool found = false, hit = false, first = false;
    for (int i = 0; i < 32; i++)
      if (p.mask >> i & 1 && p.at[i] == e) {
        expected = host(expected, value[i]);
        found |= got[e] == value[i];
        first |= old[i] == 0;
        hit = true;
      }
    verdict(order && hit ? found : got[e] == expected, "memory");
    if (used && hit) verdict(first, "result");
  }
  CK(cudaFree(in));
  CK(cudaFree(to));
  CK(cudaFree(out));
  CK(cudaFree(at));
}

// Every lane the same address, and the compiler sees it.
#define UNIFORM_KERNEL(name, type, action)                                                             \
  __global__ void uniform_##name(type *out, const u32 *in)                                             \
  {                                                                                                    \
    __shared__ type s[2];                                                                              \
    if (threadIdx.x < 2) s[threadIdx.x] = 0;                                                           \
    __syncthreads();                                                                                   \
    u32 v = in[threadIdx.x];                                                                           \
    (void)v;                                                                                           \
    action;                                                                                            \
    __syncthreads();                                                                                   \
    if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = s[threadIdx.x];                           \
  }
#define UNIFORMS(X)                                                                                    \
  X(one, u32, atomicAdd(s, 1u), 64)                                                                    \
  X(value, u32, atomicAdd(s, v), 126)                                                                  \
  X(some, u32, if (v & 1) atomicAdd(s, 1u), 26)                                                        \
  X(max, u32, atomicMax(s, v), 4)                                                                      \
  X(or, u32, atomicOr(s, v), 7)                                                                        \
  X(u64, u64, atomicAdd(s, 1ull), 64)                                                                  \
  X(float, float, atomicAdd(s, 1.0f), 64)                                                              \
  X(used, u32, atomicMax(s + 1, atomicAdd(s, 1u)), 64)                                                 \
  X(used_value, u32, atomicMax(s + 1, atomicAdd(s, v)), 126)
#define KERNEL(name, type, action, expected) UNIFORM_KERNEL(name, type, action)
UNIFORMS(KERNEL)

int main(int argc, char **argv)
{
  init(argc, argv);
  std::vector<pattern> all = strided() + grouped() + masked() + shuffled(0, 1), few;
  for (auto &p : all)
    for (const char *n : {"unit", "broadcast", "neighbours=4", "random=16,0", "random=256,0", "stride=2", "even,unit"})
      if (p.title == n) few.push_back(p);
#define LAUNCH(name, T, device, host, value, order)                                                    \
  {                                                                                                    \
    bool many = !strcmp(#name, "add_1") || !strcmp(#name, "add_u32") || !strcmp(#name, "cas_u32");     \
    std::vector<T> values(32);                                                                         \
    for (int i = 0; i < 32; i++) values[i] = T(value);                                                 \
    auto on_host = [](T o, T v) { (void)o; (void)v; return T(host); };                                 \
    for (auto &p : many ? all : few) {                                                                 \
      if (strcmp(#name, "cas_u32") && want("red,%s,%s", #name, p.title.c_str()))                       \
        one<T>(p, red_##name, on_host, values, false, order);                                          \
      if (strcmp(#name, "add_1") && want("atom,%s,%s", #name, p.title.c_str()))                        \
        one<T>(p, atom_##name, on_host, values, true, order);                                          \
    }                                                                                                  \
  }
  OPERATIONS(LAUNCH)
  std::vector<u32> in(64);
  for (int i = 0; i < 64; i++) in[i] = i % 5;
  u32 *din = sent(in);
#define UNIFORM(name, type, action, expected)                                                          \
  if (want("uniform,%s", #name)) {                                                                     \
    type *out = blank<type>(4);                                                                        \
    RUN(uniform_##name<<<2, 64>>>(out, din));                                                          \
    auto got = back(out, 4);                                                                           \
    verdict(got[0] == (type)expected && got[2] == (type)expected);                                     \
  }
  UNIFORMS(UNIFORM)
  return finish();
}
