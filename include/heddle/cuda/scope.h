/* What the headers of include/cuda have in common: thread scopes, memory orders, fences (libcu++, "Memory Model").
 *
 * A scope is what CUDA calls it; in PTX: block .cta, device .gpu, system .sys (PTX ISA, "Memory Consistency Model").
 * thread_scope_thread is served as a block. */
#ifndef HEDDLE_CUDA_SCOPE_H
#define HEDDLE_CUDA_SCOPE_H

#include "heddle/cuda/sides.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cuda {

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

namespace std {
using namespace ::std;
using ::std::memory_order;
using ::std::memory_order_relaxed;
using ::std::memory_order_consume;
using ::std::memory_order_acquire;
using ::std::memory_order_release;
using ::std::memory_order_acq_rel;
using ::std::memory_order_seq_cst;
}

using ::std::memory_order;
using ::std::memory_order_relaxed;
using ::std::memory_order_consume;
using ::std::memory_order_acquire;
using ::std::memory_order_release;
using ::std::memory_order_acq_rel;
using ::std::memory_order_seq_cst;

HEDDLE_HD void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
    if (order == memory_order_relaxed)
        return;
#ifdef __CUDA_ARCH__
#define HEDDLE_FENCE(sem)                                                                          \
    if (scope == thread_scope_system)                                                              \
        __asm__ __volatile__("fence." sem ".sys;" : : : "memory");                                 \
    else if (scope == thread_scope_device)                                                         \
        __asm__ __volatile__("fence." sem ".gpu;" : : : "memory");                                 \
    else                                                                                           \
        __asm__ __volatile__("fence." sem ".cta;" : : : "memory")
    if (order == memory_order_seq_cst) {
        HEDDLE_FENCE("sc");
    } else {
        HEDDLE_FENCE("acq_rel");
    }
#undef HEDDLE_FENCE
#else
    (void)scope;
    ::std::atomic_thread_fence(order);
#endif
}

HEDDLE_HD void atomic_signal_fence(memory_order)
{
    __asm__ __volatile__("" : : : "memory");
}

}

#endif
