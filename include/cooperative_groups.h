/* Cooperative groups: threads that act together, as objects (CUDA C++ Programming Guide, "Cooperative Groups").
 *
 * A group is a kind and, within a warp, a mask of lanes. Lanes of a warp are numbered as their threads are, so a tile of
 * 2^k threads is 2^k neighbouring lanes. Collective calls become shuffles, votes and matches over the mask; the ranks of
 * a coalesced group are the positions among its set bits. grid_group::sync needs all blocks resident, which
 * cudaLaunchCooperativeKernel sees to. A cluster is one block, as launches of larger ones are refused. Tiles of several warps are
 * in heddle/large_tiles.h. Not there: multi_grid_group, barrier_arrive and barrier_wait. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#include <type_traits>

#define HEDDLE_CG __device__ inline __attribute__((always_inline))

extern "C" {
/* Services of the executor. */
__device__ void __heddle_grid_sync(void);
__device__ int __heddle_grid_is_valid(void);
}

namespace cooperative_groups {

class thread_block;
class grid_group;
class coalesced_group;
template <unsigned int Size, class Parent> class thread_block_tile;
template <unsigned int Most> struct block_tile_memory;

namespace details {

struct tile_memory;

enum group_kind { lanes_kind, block_kind, grid_kind, cluster_kind };

HEDDLE_CG unsigned int lane()
{
    unsigned int n;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(n));
    return n;
}
HEDDLE_CG unsigned int lanes_below()
{
    unsigned int m;
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}
HEDDLE_CG unsigned int thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_CG unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_CG unsigned long long block_in_grid()
{
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
HEDDLE_CG unsigned long long grid_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
HEDDLE_CG unsigned int tile_mask(unsigned int size)
{
    return size >= 32 ? ~0u : ((1u << size) - 1) << (lane() & ~(size - 1));
}

/* Shuffles of any type that can be copied bit by bit: by its 4-byte words; numbers by the functions of CUDA. */
template <class T> struct is_word {
    static constexpr bool value = ::std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8);
};
#define HEDDLE_SHUFFLE(name)                                                                       \
    template <class T, class L>                                                                    \
    HEDDLE_CG typename ::std::enable_if<is_word<T>::value, T>::type name(unsigned int mask, const T &v, L at, int width) \
    {                                                                                              \
        return __##name##_sync(mask, v, at, width);                                                \
    }                                                                                              \
    template <class T, class L>                                                                    \
    HEDDLE_CG typename ::std::enable_if<!is_word<T>::value, T>::type name(unsigned int mask, const T &v, L at, int width) \
    {                                                                                              \
        static_assert(::std::is_trivially_copyable<T>::value && sizeof(T) <= 32,                   \
                      "a group shuffles types of at most 32 bytes that can be copied bit by bit"); \
        constexpr int n = (sizeof(T) + 3) / 4;                                                     \
        unsigned int word[n] = {0};                                                                \
        T r;                                                                                       \
        __builtin_memcpy(word, &v, sizeof v);                                                      \
        for (int i = 0; i < n; i++)                                                                \
            word[i] = __##name##_sync(mask, word[i], at, width);                                   \
        __builtin_memcpy(&r, word, sizeof r);                                                      \
        return r;                                                                                  \
    }
HEDDLE_SHUFFLE(shfl)
HEDDLE_SHUFFLE(shfl_up)
HEDDLE_SHUFFLE(shfl_down)
HEDDLE_SHUFFLE(shfl_xor)
#undef HEDDLE_SHUFFLE

}

/* Any group, when which one is known only at run time; the base of all of them. */
class thread_group {
protected:
    details::group_kind kind_;
    unsigned int mask_; /* lanes_kind: its lanes */
    HEDDLE_CG thread_group(details::group_kind kind, unsigned int mask) : kind_(kind), mask_(mask) {}
    friend HEDDLE_CG thread_group tiled_partition(const thread_group &, unsigned int);

public:
    HEDDLE_CG unsigned long long size() const
    {
        return kind_ == details::lanes_kind ? (unsigned long long)__popc(mask_)
             : kind_ == details::grid_kind ? details::grid_blocks() * details::block_size() : details::block_size();
    }
    HEDDLE_CG unsigned long long num_threads() const { return size(); }
    HEDDLE_CG unsigned long long thread_rank() const
    {
        return kind_ == details::lanes_kind ? (unsigned long long)__popc(mask_ & details::lanes_below())
             : kind_ == details::grid_kind ? details::block_in_grid() * details::block_size() + details::thread_in_block()
                                           : details::thread_in_block();
    }
    HEDDLE_CG void sync() const
    {
        if (kind_ == details::lanes_kind) {
            __syncwarp(mask_);
        } else if (kind_ != details::grid_kind) {
            __syncthreads();
        } else {
            __threadfence();
            __syncthreads();
            if (details::thread_in_block() == 0)
                __heddle_grid_sync();
            __syncthreads();
        }
    }
    HEDDLE_CG bool is_valid() const { return kind_ != details::grid_kind || __heddle_grid_is_valid(); }
};

/* All threads of the block. */
class thread_block : public thread_group {
    details::tile_memory *memory_; /* for tiles of several warps; NULL: their own */
    HEDDLE_CG thread_block(details::tile_memory *memory = nullptr) : thread_group(details::block_kind, 0), memory_(memory) {}
    friend HEDDLE_CG thread_block this_thread_block();
    template <unsigned int Most> friend HEDDLE_CG thread_block this_thread_block(block_tile_memory<Most> &);

public:
    HEDDLE_CG details::tile_memory *tile_memory() const { return memory_; }
    static HEDDLE_CG void sync() { __syncthreads(); }
    static HEDDLE_CG unsigned int size() { return details::block_size(); }
    static HEDDLE_CG unsigned int num_threads() { return details::block_size(); }
    static HEDDLE_CG unsigned int thread_rank() { return details::thread_in_block(); }
    static HEDDLE_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static HEDDLE_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static HEDDLE_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static HEDDLE_CG dim3 dim_threads() { return group_dim(); }
    static HEDDLE_CG bool is_valid() { return true; }
};
HEDDLE_CG thread_block this_thread_block() { return thread_block(); }

/* All threads of the grid. */
class grid_group : public thread_group {
    HEDDLE_CG grid_group() : thread_group(details::grid_kind, 0) {}
    friend HEDDLE_CG grid_group this_grid();

public:
    HEDDLE_CG unsigned long long size() const { return num_blocks() * details::block_size(); }
    HEDDLE_CG unsigned long long num_threads() const { return size(); }
    static HEDDLE_CG unsigned long long num_blocks() { return details::grid_blocks(); }
    static HEDDLE_CG unsigned long long block_rank() { return details::block_in_grid(); }
    static HEDDLE_CG unsigned long long thread_rank()
    {
        return details::block_in_grid() * details::block_size() + details::thread_in_block();
    }
    static HEDDLE_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static HEDDLE_CG dim3 dim_blocks() { return group_dim(); }
    static HEDDLE_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
HEDDLE_CG grid_group this_grid() { return grid_group(); }

/* The block's cluster, which is the block. */
class cluster_group : public thread_group {
    HEDDLE_CG cluster_group() : thread_group(details::cluster_kind, 0) {}
    friend HEDDLE_CG cluster_group this_cluster();

public:
    static HEDDLE_CG void sync() { __syncthreads(); }
    static HEDDLE_CG unsigned int size() { return details::block_size(); }
    static HEDDLE_CG unsigned int num_threads() { return details::block_size(); }
    static HEDDLE_CG unsigned int thread_rank() { return details::thread_in_block(); }
    static HEDDLE_CG unsigned int num_blocks() { return 1; }
    static HEDDLE_CG unsigned int block_rank() { return 0; }
    static HEDDLE_CG dim3 dim_blocks() { return dim3(1, 1, 1); }
    static HEDDLE_CG dim3 block_index() { return dim3(0, 0, 0); }
    static HEDDLE_CG dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    template <class T> static HEDDLE_CG T *map_shared_rank(T *p, int) { return p; }
    static HEDDLE_CG unsigned int query_shared_rank(const void *) { return 0; }
};
HEDDLE_CG cluster_group this_cluster() { return cluster_group(); }

/* --- groups within a warp --- */

/* A tile of 1, 2, 4, 8, 16 or 32 neighbouring threads. */
template <unsigned int Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert((Size & (Size - 1)) == 0 && Size > 0 && Size <= 512, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");
    unsigned int meta_rank_, meta_size_;

public:
    HEDDLE_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
        : thread_group(details::lanes_kind, details::tile_mask(Size)), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    template <class Other>
    HEDDLE_CG thread_block_tile(const thread_block_tile<Size, Other> &t)
        : thread_block_tile(t.meta_group_rank(), t.meta_group_size())
    {
    }
    static HEDDLE_CG constexpr unsigned int size() { return Size; }
    static HEDDLE_CG constexpr unsigned int num_threads() { return Size; }
    static HEDDLE_CG unsigned int thread_rank() { return details::lane() & (Size - 1); }
    static HEDDLE_CG unsigned int base() { return details::lane() & ~(Size - 1); }
    static HEDDLE_CG unsigned int mask() { return details::tile_mask(Size); }
    static HEDDLE_CG void sync() { __syncwarp(mask()); }
    HEDDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
    HEDDLE_CG unsigned int meta_group_size() const { return meta_size_; }
    template <class T> HEDDLE_CG T shfl(const T &v, int rank) const { return details::shfl(mask(), v, rank, Size); }
    template <class T> HEDDLE_CG T shfl_up(const T &v, unsigned int n) const
    {
        return details::shfl_up(mask(), v, n, Size);
    }
    template <class T> HEDDLE_CG T shfl_down(const T &v, unsigned int n) const
    {
        return details::shfl_down(mask(), v, n, Size);
    }
    template <class T> HEDDLE_CG T shfl_xor(const T &v, unsigned int n) const
    {
        return details::shfl_xor(mask(), v, (int)n, Size);
    }
    HEDDLE_CG int any(int p) const { return (__ballot_sync(mask(), p) & mask()) != 0; }
    HEDDLE_CG int all(int p) const { return (~__ballot_sync(mask(), p) & mask()) == 0; }
    HEDDLE_CG unsigned int ballot(int p) const { return (__ballot_sync(mask(), p) & mask()) >> base(); }
    template <class T> HEDDLE_CG unsigned int match_any(T v) const
    {
        return (__match_any_sync(mask(), v) & mask()) >> base();
    }
    template <class T> HEDDLE_CG unsigned int match_all(T v, int &p) const
    {
        return (__match_all_sync(mask(), v, &p) & mask()) >> base();
    }
};

/* Lanes of a warp that came together. */
class coalesced_group : public thread_group {
    unsigned int meta_rank_, meta_size_;

    /* The lane of a rank; the own one when there is no such rank. */
    HEDDLE_CG unsigned int lane_of(unsigned int rank) const
    {
        if (mask_ == ~0u)
            return rank & 31;
        return rank < (unsigned int)__popc(mask_) ? __fns(mask_, 0, (int)rank + 1) : details::lane();
    }
    /* The bits of its lanes, pushed together. */
    HEDDLE_CG unsigned int pack(unsigned int bits) const
    {
        if (mask_ == ~0u)
            return bits;
        unsigned int r = 0;
        int at = 0;
        for (unsigned int left = mask_; left; left &= left - 1)
            r |= (bits >> (__ffs((int)left) - 1) & 1) << at++;
        return r;
    }

public:
    HEDDLE_CG explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
        : thread_group(details::lanes_kind, mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    HEDDLE_CG unsigned int size() const { return (unsigned int)__popc(mask_); }
    HEDDLE_CG unsigned int num_threads() const { return size(); }
    HEDDLE_CG unsigned int thread_rank() const { return (unsigned int)__popc(mask_ & details::lanes_below()); }
    HEDDLE_CG unsigned int mask() const { return mask_; }
    HEDDLE_CG void sync() const { __syncwarp(mask_); }
    HEDDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
    HEDDLE_CG unsigned int meta_group_size() const { return meta_size_; }
    template <class T> HEDDLE_CG T shfl(const T &v, unsigned int rank) const
    {
        return details::shfl(mask_, v, (int)lane_of(rank), 32);
    }
    template <class T> HEDDLE_CG T shfl_up(const T &v, int n) const
    {
        unsigned int rank = thread_rank();
        return details::shfl(mask_, v, (int)(rank < (unsigned int)n ? details::lane() : lane_of(rank - (unsigned int)n)), 32);
    }
    template <class T> HEDDLE_CG T shfl_down(const T &v, int n) const
    {
        return details::shfl(mask_, v, (int)lane_of(thread_rank() + (unsigned int)n), 32);
    }
    HEDDLE_CG int any(int p) const { return (__ballot_sync(mask_, p) & mask_) != 0; }
    HEDDLE_CG int all(int p) const { return (~__ballot_sync(mask_, p) & mask_) == 0; }
    HEDDLE_CG unsigned int ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
    template <class T> HEDDLE_CG unsigned int match_any(T v) const { return pack(__match_any_sync(mask_, v)); }
    template <class T> HEDDLE_CG unsigned int match_all(T v, int &p) const
    {
        return pack(__match_all_sync(mask_, v, &p));
    }
};
HEDDLE_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* --- partitions --- */

template <unsigned int Size>
HEDDLE_CG typename ::std::enable_if<Size <= 32, thread_block_tile<Size, thread_block>>::type tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>(details::thread_in_block() / Size,
                                                 (details::block_size() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int ParentSize, class P>
HEDDLE_CG typename ::std::enable_if<Size <= 32, thread_block_tile<Size, thread_block_tile<ParentSize, P>>>::type
tiled_partition(const thread_block_tile<ParentSize, P> &g)
{
    static_assert(Size <= ParentSize, "a tile is no larger than the tile it is made of");
    return thread_block_tile<Size, thread_block_tile<ParentSize, P>>(g.thread_rank() / Size, ParentSize / Size);
}
HEDDLE_CG thread_block_tile<1, void> this_thread() { return thread_block_tile<1, void>(0, 1); }

/* Groups of `size` ranks: of a block, a tile (`size` a power of two), or coalesced threads. */
HEDDLE_CG coalesced_group tiled_partition(const coalesced_group &g, unsigned int size)
{
    unsigned int rank = g.thread_rank(), first = rank / size * size, mask = 0, at = 0;
    for (unsigned int left = g.mask(); left; left &= left - 1, at++)
        if (at >= first && at < first + size)
            mask |= left & (0u - left);
    return coalesced_group(mask, rank / size, (g.size() + size - 1) / size);
}
HEDDLE_CG thread_group tiled_partition(const thread_group &g, unsigned int size)
{
    if (g.kind_ == details::lanes_kind)
        return tiled_partition(coalesced_group(g.mask_), size);
    return thread_group(details::lanes_kind, details::tile_mask(size));
}

/* The lanes whose label is the same. */
template <class G, class Label> HEDDLE_CG coalesced_group labeled_partition(const G &g, Label label)
{
    unsigned int mask = __match_any_sync(g.mask(), label) & g.mask(), groups = 0, rank = 0, own = (unsigned int)__ffs((int)mask);
    for (unsigned int left = g.mask(); left; left &= left - 1) {
        int lane = __ffs((int)left) - 1;
        unsigned int first = (unsigned int)__shfl_sync(g.mask(), (int)own, lane);
        groups += first == (unsigned int)lane + 1;
        rank += first == (unsigned int)lane + 1 && first < own;
    }
    return coalesced_group(mask, rank, groups);
}
template <class G> HEDDLE_CG coalesced_group binary_partition(const G &g, bool p)
{
    unsigned int yes = __ballot_sync(g.mask(), p) & g.mask(), no = g.mask() & ~yes;
    return coalesced_group(p ? yes : no, yes && no ? !p : 0, 1 + (yes && no));
}

/* --- functions over groups --- */

template <class G> HEDDLE_CG void sync(const G &g) { g.sync(); }
template <class G> HEDDLE_CG auto thread_rank(const G &g) -> decltype(g.thread_rank()) { return g.thread_rank(); }
template <class G> HEDDLE_CG auto group_size(const G &g) -> decltype(g.size()) { return g.size(); }
template <class G> HEDDLE_CG bool is_valid(const G &g) { return g.is_valid(); }

/* One thread, the first, does it. */
template <class G, class F, class... Args> HEDDLE_CG void invoke_one(const G &g, F &&f, Args &&...args)
{
    if (g.thread_rank() == 0)
        f(static_cast<Args &&>(args)...);
}
template <class G, class F, class... Args>
HEDDLE_CG auto invoke_one_broadcast(const G &g, F &&f, Args &&...args) -> decltype(f(static_cast<Args &&>(args)...))
{
    decltype(f(static_cast<Args &&>(args)...)) r{};
    if (g.thread_rank() == 0)
        r = f(static_cast<Args &&>(args)...);
    return g.shfl(r, 0);
}

}

#include "heddle/large_tiles.h"

#endif
