/* Tiles of several warps: 64, 128, 256 or 512 neighbouring threads (CUDA C++ Programming Guide, "Thread Block Tile").
 *
 * Warps of a tile meet and pass values by shared memory: a word in which each warp of the block has a bit, and 8 bytes for each
 * warp. From compute capability 8.0 on a GPU has that memory beside the program's; here it is the kernel's own, 288 bytes of
 * static shared memory. Before, the program gives it (block_tile_memory, whose sizes are a GPU's).
 *
 * A barrier: a warp sets its bit; the one that completes the tile's clears all of them; the others wait for that.
 * Not there: scans over such tiles, barrier_arrive and barrier_wait. */
#ifndef HEDDLE_LARGE_TILES_H
#define HEDDLE_LARGE_TILES_H

#include "cooperative_groups.h"

namespace cooperative_groups {

namespace details {

struct tile_memory {
    unsigned int arrived; /* bits of warps */
    unsigned int unused[7];
    unsigned long long value[32]; /* of warps */
};

HEDDLE_CG void prepare(tile_memory *m)
{
    __syncthreads(); /* nobody is in a barrier of earlier tiles */
    if (thread_in_block() == 0)
        m->arrived = 0;
    __syncthreads();
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
HEDDLE_CG tile_memory *reserved_memory()
{
    __shared__ tile_memory memory;
    prepare(&memory);
    return &memory;
}
#endif

template <unsigned int Size> class large_tile : public thread_group {
    tile_memory *memory_;
    unsigned int meta_rank_, meta_size_;

    static HEDDLE_CG unsigned int warp() { return thread_in_block() / 32; }
    static HEDDLE_CG unsigned int first_warp() { return warp() & ~(warps - 1); }
    HEDDLE_CG unsigned int arrived() const { return *(volatile unsigned int *)&memory_->arrived; }

public:
    static constexpr unsigned int warps = Size / 32;

    HEDDLE_CG large_tile(tile_memory *memory, unsigned int meta_rank, unsigned int meta_size)
        : thread_group(block_kind, 0), memory_(memory), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    HEDDLE_CG tile_memory *memory() const { return memory_; }
    static HEDDLE_CG constexpr unsigned int size() { return Size; }
    static HEDDLE_CG constexpr unsigned int num_threads() { return Size; }
    static HEDDLE_CG unsigned int thread_rank() { return thread_in_block() & (Size - 1); }
    HEDDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
    HEDDLE_CG unsigned int meta_group_size() const { return meta_size_; }
    HEDDLE_CG void sync() const
    {
        __syncwarp();
        if (lane() == 0) {
            unsigned int own = 1u << warp(), all = ((1ull << warps) - 1) << first_warp();
            __threadfence_block();
            if (((atomicOr(&memory_->arrived, own) | own) & all) == all)
                atomicAnd(&memory_->arrived, ~all);
            while (arrived() & own) {
            }
            __threadfence_block();
        }
        __syncwarp();
    }
    /* The value that `from` threads of it have written into their warps' places: that of warp `rank` of the tile. */
    template <class T> HEDDLE_CG T pass(const T &v, bool from, unsigned int rank) const
    {
        static_assert(::std::is_trivially_copyable<T>::value && sizeof(T) <= 8,
                      "a tile of several warps passes types of at most 8 bytes that can be copied bit by bit");
        unsigned long long word = 0;
        T r;
        __builtin_memcpy(&word, &v, sizeof v);
        if (from)
            *(volatile unsigned long long *)&memory_->value[warp()] = word;
        sync();
        word = *(volatile unsigned long long *)&memory_->value[first_warp() + rank];
        sync();
        __builtin_memcpy(&r, &word, sizeof r);
        return r;
    }
    template <class T> HEDDLE_CG T shfl(const T &v, unsigned int rank) const
    {
        return pass(v, thread_rank() == rank % Size, rank % Size / 32);
    }
    HEDDLE_CG int any(int p) const { return __any_sync(~0u, pass(__any_sync(~0u, p), lane() == 0, lane() % warps)); }
    HEDDLE_CG int all(int p) const { return __all_sync(~0u, pass(__all_sync(~0u, p), lane() == 0, lane() % warps)); }
};

}

#define HEDDLE_LARGE_TILE(Size)                                                                                \
    template <class Parent> class thread_block_tile<Size, Parent> : public details::large_tile<Size> {         \
    public:                                                                                                    \
        HEDDLE_CG thread_block_tile(details::tile_memory *memory, unsigned int meta_rank, unsigned int meta_size) \
            : details::large_tile<Size>(memory, meta_rank, meta_size)                                          \
        {                                                                                                      \
        }                                                                                                      \
        template <class Other>                                                                                 \
        HEDDLE_CG thread_block_tile(const thread_block_tile<Size, Other> &t) : details::large_tile<Size>(t)    \
        {                                                                                                      \
        }                                                                                                      \
    };
HEDDLE_LARGE_TILE(64)
HEDDLE_LARGE_TILE(128)
HEDDLE_LARGE_TILE(256)
HEDDLE_LARGE_TILE(512)
#undef HEDDLE_LARGE_TILE

/* Shared memory for the tiles of a block of at most so many threads. */
template <unsigned int Most = 1024> struct alignas(8) block_tile_memory {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    unsigned char bytes[8];
#else
    unsigned char bytes[32 + Most / 32 * 8];
#endif
};

template <unsigned int Most> HEDDLE_CG thread_block this_thread_block(block_tile_memory<Most> &memory)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    (void)memory;
    return thread_block();
#else
    details::prepare((details::tile_memory *)&memory);
    return thread_block((details::tile_memory *)&memory);
#endif
}

template <unsigned int Size>
HEDDLE_CG typename ::std::enable_if<(Size > 32), thread_block_tile<Size, thread_block>>::type tiled_partition(const thread_block &g)
{
    details::tile_memory *memory = g.tile_memory();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    memory = details::reserved_memory();
#endif
    return thread_block_tile<Size, thread_block>(memory, details::thread_in_block() / Size, (details::block_size() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int ParentSize, class P>
HEDDLE_CG typename ::std::enable_if<(Size > 32), thread_block_tile<Size, thread_block_tile<ParentSize, P>>>::type
tiled_partition(const thread_block_tile<ParentSize, P> &g)
{
    static_assert(Size <= ParentSize, "a tile is no larger than the tile it is made of");
    return thread_block_tile<Size, thread_block_tile<ParentSize, P>>(g.memory(), g.thread_rank() / Size, ParentSize / Size);
}

}

#endif
