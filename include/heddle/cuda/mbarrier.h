/* The mbarrier instructions on an object of shared memory (PTX ISA 9.7.13.15; compute capability 8.0 on): what cuda::barrier, the
 * barrier primitives and cuda::ptx are made of. Names of namespace cuda are not used, which a user's libcu++ may have. */
#ifndef HEDDLE_CUDA_MBARRIER_H
#define HEDDLE_CUDA_MBARRIER_H

#include "cuda_runtime.h"

#include <cstdint>

namespace heddle {

#if defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)

#pragma push_macro("FN")
#define FN __device__ inline __attribute__((always_inline))

FN bool has_mbarrier(const void *p) { return __isShared(p); }
FN unsigned int mbarrier_at(const void *p) { return (unsigned int)__cvta_generic_to_shared(p); }
FN void mbarrier_init(void *p, unsigned int n)
{
    __asm__ __volatile__("mbarrier.init.shared.b64 [%0], %1;" : : "r"(mbarrier_at(p)), "r"(n) : "memory");
}
FN void mbarrier_inval(void *p)
{
    __asm__ __volatile__("mbarrier.inval.shared.b64 [%0];" : : "r"(mbarrier_at(p)) : "memory");
}
FN ::std::uint64_t mbarrier_arrive(void *p, unsigned int n)
{
    ::std::uint64_t token;
    if (n == 1)
        __asm__ __volatile__("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(mbarrier_at(p)) : "memory");
    else
        __asm__ __volatile__("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                             : "=l"(token) : "r"(mbarrier_at(p)), "r"(n) : "memory");
    return token;
}
FN ::std::uint64_t mbarrier_drop(void *p)
{
    ::std::uint64_t token;
    __asm__ __volatile__("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(mbarrier_at(p)) : "memory");
    return token;
}
FN bool mbarrier_test(const void *p, ::std::uint64_t token)
{
    unsigned int done;
    __asm__ __volatile__("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(mbarrier_at(p)), "l"(token) : "memory");
    return done != 0;
}
FN bool mbarrier_test_parity(const void *p, unsigned int parity)
{
    unsigned int done;
    __asm__ __volatile__("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(mbarrier_at(p)), "r"(parity) : "memory");
    return done != 0;
}
/* The object follows the copies that this thread has issued; `counted`: that is an arrival of its own. */
FN void mbarrier_follow(void *p, bool counted)
{
    if (counted)
        __asm__ __volatile__("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(mbarrier_at(p)) : "memory");
    else
        __asm__ __volatile__("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(mbarrier_at(p)) : "memory");
}
#pragma pop_macro("FN")
#endif

}

#endif
