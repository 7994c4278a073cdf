/* cooperative_groups::memcpy_async, wait and wait_prior (CUDA C++ Programming Guide, "memcpy_async"). Each call's copies
 * are a cp.async group of their own, so wait_prior<N> counts calls. */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include "cooperative_groups.h"
#include "cuda_pipeline.h"
#include "heddle/cuda/async_copy.h"

namespace cooperative_groups {

template <class G> HEDDLE_CG void memcpy_async(const G &g, void *to, const void *from, size_t bytes)
{
    heddle::copy_share((unsigned int)g.thread_rank(), (unsigned int)g.size(), to, from, bytes);
    __pipeline_commit();
}
template <class G, class T, class Size> HEDDLE_CG void memcpy_async(const G &g, T *to, const T *from, Size bytes)
{
    memcpy_async(g, (void *)to, (const void *)from, (size_t)bytes);
}
template <class G, size_t A>
HEDDLE_CG void memcpy_async(const G &g, void *to, const void *from, const cuda::aligned_size_t<A> &bytes)
{
    memcpy_async(g, to, from, (size_t)bytes);
}
/* As many elements as both places have. */
template <class G, class T, class ToLayout, class FromLayout>
HEDDLE_CG void memcpy_async(const G &g, T *to, const ToLayout &room, const T *from, const FromLayout &there)
{
    size_t a = (size_t)room, b = (size_t)there;
    memcpy_async(g, (void *)to, (const void *)from, (a < b ? a : b) * sizeof(T));
}

/* Waits for the copies of all calls but the newest `Calls`, and for the group. */
template <unsigned int Calls, class G> HEDDLE_CG void wait_prior(const G &g)
{
    __pipeline_wait_prior(Calls);
    g.sync();
}
template <class G> HEDDLE_CG void wait(const G &g)
{
    __pipeline_wait_prior(0);
    g.sync();
}

}

#endif
