/* The pipeline primitives: copies from global to shared memory that go on while the thread computes.
 *
 * CUDA C++ Programming Guide, "Pipeline Primitives Interface". sizeInBytes is 4, 8 or 16 and both pointers are aligned
 * to it; the last zfill bytes are written as zeros instead of being read. Before compute capability 8.0 the copies are
 * plain ones that are done at once. __pipeline_arrive_on is in cuda_awbarrier_primitives.h, with the type it takes. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_runtime.h"

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

#define COPY(hint, bytes)                                                                          \
    if (zfill == 0)                                                                                \
        __asm__ __volatile__("cp.async." hint ".shared.global [%0], [%1], " #bytes ";"             \
                             : : "r"(to), "l"(from) : "memory");                                    \
    else                                                                                           \
        __asm__ __volatile__("cp.async." hint ".shared.global [%0], [%1], " #bytes ", %2;"         \
                             : : "r"(to), "l"(from), "r"((unsigned int)(bytes - zfill)) : "memory")

/* Only the 16-byte form can leave L1 alone (PTX ISA, cp.async). */
FN void __pipeline_memcpy_async(void *__restrict__ dst, const void *__restrict__ src, size_t size,
                                size_t zfill = 0)
{
    size_t from = __cvta_generic_to_global(src);
    unsigned int to = (unsigned int)__cvta_generic_to_shared(dst);
    if (size == 4) {
        COPY("ca", 4);
    } else if (size == 8) {
        COPY("ca", 8);
    } else if (size == 16) {
        COPY("cg", 16);
    } else {
        __trap();
    }
}
#undef COPY

FN void __pipeline_commit(void)
{
    __asm__ __volatile__("cp.async.commit_group;" : : : "memory");
}

/* Waits for all but the newest `prior` groups. `prior` is a constant: the instruction takes nothing else. */
FN void __pipeline_wait_prior(size_t prior)
{
#define WAIT(n)                                                                                    \
    case n:                                                                                        \
        __asm__ __volatile__("cp.async.wait_group " #n ";" : : : "memory");                        \
        break;
    switch (prior) {
        WAIT(0) WAIT(1) WAIT(2) WAIT(3) WAIT(4) WAIT(5) WAIT(6) WAIT(7)
    default: /* waiting for more than was asked is right, only slower */
        __asm__ __volatile__("cp.async.wait_group 8;" : : : "memory");
    }
#undef WAIT
}

#else

FN void __pipeline_memcpy_async(void *__restrict__ dst, const void *__restrict__ src, size_t size,
                                size_t zfill = 0)
{
    for (size_t i = 0; i < size; i++)
        ((char *)dst)[i] = i < size - zfill ? ((const char *)src)[i] : 0;
}
FN void __pipeline_commit(void) {}
FN void __pipeline_wait_prior(size_t) {}

#endif

#pragma pop_macro("FN")

#endif
