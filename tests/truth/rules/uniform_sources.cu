// Additions of one warp to a bin that every lane works out for itself, from sources that lanes share or seem to share:
// shuffles of the whole warp and of tiles, votes, what lanes match or elect, carries, states of barriers in shared
// memory, generic loads of local memory. Bins are 256 bytes apart, so a lane's own request is a sector of its own. Where all
// lanes are known to have one bin the assembler lets one lane add for all.
#include "patterns.h"

// In each lane: `key` is a value of its own, `zero` and `one` are the same everywhere.
#define SOURCES(X)                                                                                                     \
  X(shuffle_whole, __shfl_sync(~0u, key, 3))                                                                           \
  X(shuffle_8, __shfl_sync(~0u, key, 0, 8))                                                                            \
  X(shuffle_16, __shfl_sync(~0u, key, 1, 16))                                                                          \
  X(shuffle_width, __shfl_sync(~0u, key, 0, 32 - (int)zero))                                                           \
  X(shuffle_xor, __shfl_xor_sync(~0u, key, 16))                                                                        \
  X(shuffle_from, __shfl_sync(~0u, key, (int)zero))                                                                    \
  X(shuffle_lane, __shfl_sync(~0u, one, (int)threadIdx.x ^ 1) + (key & 1))                                             \
  X(ballot_whole, __popc(__ballot_sync(~0u, key > 7)))                                                                 \
  X(ballot_halves, __popc(__ballot_sync(threadIdx.x < 16 ? 0xffffu : 0xffff0000u, key > 7)))                           \
  X(any_whole, (u32)__any_sync(~0u, key > 30))                                                                         \
  X(all_halves, (u32)__all_sync(threadIdx.x < 16 ? 0xffffu : 0xffff0000u, key > 7))                                    \
  X(reduce_whole, __reduce_add_sync(~0u, key) & 31)                                                                    \
  X(reduce_halves, __reduce_max_sync(threadIdx.x < 16 ? 0xffffu : 0xffff0000u, key) & 31)                              \
  X(match_any, __popc(__match_any_sync(~0u, key & 3)) + (key & 3))                                                     \
  X(match_all, __popc(matching(key & zero)) & 31)                                                                      \
  X(active, __popc(__activemask()) & 31)                                                                               \
  X(elect, elected())                                                                                                  \
  X(elect_leader, leader())                                                                                            \
  X(carry_add, carried(key, zero))                                                                                     \
  X(carry_mad, carried_product(key, zero))                                                                             \
  X(carry_alike, carried(one, zero))                                                                                   \
  X(barrier_state, arrived(word))                                                                                      \
  X(local_generic, own(key, zero))                                                                                     \
  X(global_generic, *global_at(bins, zero))                                                                            \
  X(shared_generic, *shared_at(word + 1, zero))                                                                        \
  X(volatile_load, *(volatile u32 *)(bins + zero))                                                                     \
  X(atomic_result, atomicAdd(bins + 16383, 1u) & 31)                                                                   \
  X(lane, lane_of() & 31)

typedef unsigned long long u64;
__device__ u32 matching(u32 v)
{
  int p;
  return __match_all_sync(~0u, v, &p);
}
__device__ u32 elected()
{
  u32 r;
  asm volatile("{.reg .pred p; .reg .b32 d; elect.sync d|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(r));
  return r;
}
__device__ u32 leader()
{
  u32 r;
  asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff;}" : "=r"(r));
  return r;
}
__device__ u32 carried(u32 v, u32 zero)
{
  u32 low, high;
  asm volatile("add.cc.u32 %0, %2, 0xfffffff0;\n\taddc.u32 %1, %3, %3;" : "=r"(low), "=r"(high) : "r"(v), "r"(zero));
  return high + (low & zero);
}
__device__ u32 carried_product(u32 v, u32 zero)
{
  u32 low, high;
  asm volatile("mad.lo.cc.u32 %0, %2, 3, 0xffffffd0;\n\tmadc.hi.u32 %1, %3, %3, %3;" : "=r"(low), "=r"(high) : "r"(v), "r"(zero));
  return high + (low & zero);
}
__device__ u32 arrived(u64 *word)
{
  u64 state;
  u32 left, at = (u32)__cvta_generic_to_shared(word);
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
  return left & 31;
}
__device__ u32 own(u32 key, u32 zero)
{
  u32 mine[4] = {key, key, key, key}, r;
  asm volatile("ld.u32 %0, [%1];" : "=r"(r) : "l"(&mine[zero]) : "memory");
  return r;
}
__device__ u32 *global_at(u32 *p, u32 zero)
{
  asm volatile("" : "+l"(p));
  return p + zero;
}
__device__ u32 *shared_at(u64 *p, u32 zero)
{
  u64 at = (u64)p;
  asm volatile("" : "+l"(at));
  return (u32 *)at + zero;
}
__device__ u32 lane_of()
{
  u32 r;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}

// `said`: the bin each lane worked out, for the check; looked up without being part of the addition.
#define KERNELS(name, source)                                                                                          \
  __global__ void name(const u32 *keys, u32 zero, u32 *bins, u32 *said)                                                \
  {                                                                                                                    \
    __shared__ u64 word[2];                                                                                            \
    u32 key = keys[threadIdx.x], one = zero + 1;                                                                       \
    if (threadIdx.x == 0) {                                                                                            \
      asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"((u32)__cvta_generic_to_shared(word)) : "memory");        \
      word[1] = 5;                                                                                                     \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    u32 bin = source;                                                                                                  \
    (void)key, (void)one;                                                                                              \
    atomicAdd(bins + 64 * (bin & 31), threadIdx.x + 1);                                                                \
    said[threadIdx.x] = bin & 31;                                                                                      \
  }
SOURCES(KERNELS)

typedef void kernel_of(const u32 *, u32, u32 *, u32 *);
static u32 *keys, *bins, *said;

static void one(const char *name, kernel_of *f)
{
  if (!want("%s", name)) return;
  CK(cudaMemset(bins, 0, 16384 * 4));
  RUN(f<<<1, 32>>>(keys, 0, bins, said));
  auto got = back(bins, 2048), lanes = back(said, 32);
  std::vector<u32> ref(2048, 0);
  for (int i = 0; i < 32; i++) ref[64 * lanes[i]] += i + 1u;
  verdict(got == ref);
}

int main(int argc, char **argv)
{
  init(argc, argv);
  std::vector<u32> h(32);
  for (int i = 0; i < 32; i++) h[i] = i;
  keys = sent(h);
  bins = blank<u32>(16384);
  said = blank<u32>(32);
#define ONE(name, source) one(#name, name);
  SOURCES(ONE)
  return finish();
}
