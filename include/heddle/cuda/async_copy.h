/* Copies from global to shared memory that go on while the thread computes: what cuda::memcpy_async and
 * cooperative_groups::memcpy_async are made of.
 *
 * A group's threads take turns of 16 bytes, or of 8, 4 and 1 when addresses or size are aligned to no more, so that
 * neighbours touch neighbouring memory. From 4 bytes on, between global and shared memory and from compute capability
 * 8.0 on, a turn is one cp.async (PTX ISA 9.7.9.25), which somebody has to wait for; otherwise it is a plain copy. */
#ifndef HEDDLE_CUDA_ASYNC_COPY_H
#define HEDDLE_CUDA_ASYNC_COPY_H

#include "heddle/cuda/sides.h"

#include <cstddef>

#if defined(HEDDLE_OTHER_LIBCUXX)
#include <cuda/barrier>
#else
namespace cuda {

/* A size that promises the alignment of both addresses and of itself. */
template <::std::size_t Alignment> struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    ::std::size_t value;
    __host__ __device__ explicit aligned_size_t(::std::size_t n) : value(n) {}
    HEDDLE_HD operator ::std::size_t() const { return value; }
};

}
#endif

namespace heddle {

/* A group of one thread. */
struct alone {
    HEDDLE_HD unsigned int thread_rank() const { return 0; }
    HEDDLE_HD unsigned int size() const { return 1; }
    HEDDLE_HD void sync() const {}
};

HEDDLE_HD void finish_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __asm__ __volatile__("cp.async.wait_all;" : : : "memory");
#endif
}

template <class T>
HEDDLE_HD void copy_plain(unsigned int rank, unsigned int threads, void *to, const void *from, ::std::size_t n)
{
    for (::std::size_t i = rank; i < n / sizeof(T); i += threads)
        ((T *)to)[i] = ((const T *)from)[i];
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HEDDLE_ASYNC(bytes, hint)                                                                  \
    __device__ inline __attribute__((always_inline)) void copy_async_##bytes(                      \
        unsigned int rank, unsigned int threads, unsigned int to, ::std::size_t from, ::std::size_t n) \
    {                                                                                              \
        for (::std::size_t i = (::std::size_t)rank * bytes; i < n; i += (::std::size_t)threads * bytes) \
            __asm__ __volatile__("cp.async." hint ".shared.global [%0], [%1], " #bytes ";"         \
                                 : : "r"(to + (unsigned int)i), "l"(from + i) : "memory");         \
    }
HEDDLE_ASYNC(16, "cg")
HEDDLE_ASYNC(8, "ca")
HEDDLE_ASYNC(4, "ca")
#undef HEDDLE_ASYNC
#endif

/* The part of one of `threads` threads. True: by copies that go on. */
HEDDLE_HD bool copy_share(unsigned int rank, unsigned int threads, void *to, const void *from, ::std::size_t n)
{
    ::std::size_t bits = (::std::size_t)to | (::std::size_t)from | n;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!(bits & 3) && __isShared(to) && __isGlobal(from)) {
        unsigned int there = (unsigned int)__cvta_generic_to_shared(to);
        ::std::size_t here = __cvta_generic_to_global(from);
        if (!(bits & 15))
            copy_async_16(rank, threads, there, here, n);
        else if (!(bits & 7))
            copy_async_8(rank, threads, there, here, n);
        else
            copy_async_4(rank, threads, there, here, n);
        return true;
    }
#endif
    if (!(bits & 15))
        copy_plain<uint4>(rank, threads, to, from, n);
    else if (!(bits & 7))
        copy_plain<uint2>(rank, threads, to, from, n);
    else if (!(bits & 3))
        copy_plain<unsigned int>(rank, threads, to, from, n);
    else
        copy_plain<unsigned char>(rank, threads, to, from, n);
    return false;
}

}

#endif
