/* The arrive/wait barrier primitives (CUDA C++ Programming Guide, "Memory Barrier Primitives Interface"): mbarrier
 * objects in shared memory, compute capability 8.0 on. */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "heddle/cuda/mbarrier.h"

typedef ::std::uint64_t __mbarrier_t;
typedef ::std::uint64_t __mbarrier_token_t;

#pragma push_macro("FN")
#define FN static __device__ __inline__ __attribute__((always_inline))
FN ::std::uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
#if defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
FN void __mbarrier_init(__mbarrier_t *b, ::std::uint32_t expected) { heddle::mbarrier_init(b, expected); }
FN void __mbarrier_inval(__mbarrier_t *b) { heddle::mbarrier_inval(b); }
FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) { return heddle::mbarrier_arrive(b, 1); }
FN __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) { return heddle::mbarrier_drop(b); }
FN bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t t) { return heddle::mbarrier_test(b, t); }
FN ::std::uint32_t __mbarrier_token_pending_count(__mbarrier_token_t t)
{
    ::std::uint32_t n;
    __asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(t));
    return n;
}
/* The copies of the pipeline primitives so far become an arrival. */
FN void __pipeline_arrive_on(__mbarrier_t *b) { heddle::mbarrier_follow(b, false); }
#endif
#pragma pop_macro("FN")

#endif
