/* Functions for both sides, and the pause of one that waits. */
#ifndef HEDDLE_CUDA_SIDES_H
#define HEDDLE_CUDA_SIDES_H

#include "cuda_runtime.h"

#define HEDDLE_HD __host__ __device__ inline __attribute__((always_inline))

/* A user's libcu++ (NVIDIA's CCCL with -I) comes before Heddle's headers of its names: then those are the types. */
#if __has_include(<cuda/std/__cccl/version.h>) || __has_include(<cuda/std/detail/__config>)
#define HEDDLE_OTHER_LIBCUXX 1
#endif

namespace heddle {

/* Lets other threads run, in a loop that waits for one of them. */
HEDDLE_HD void pause()
{
#ifdef __CUDA_ARCH__
    __asm__ __volatile__("nanosleep.u32 20;" : : : "memory");
#else
    __builtin_ia32_pause();
#endif
}

}

#endif
