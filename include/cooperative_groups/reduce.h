/* cooperative_groups::reduce over tiles and coalesced groups (CUDA C++ Programming Guide, "reduce").
 *
 * From compute capability 8.0 on, 32-bit integers under +, min, max, &, |, ^ take redux.sync. Other tiles exchange with
 * the lane at distance 16, 8, ... 1, and coalesced groups halve by rank, so the order of operations is fixed. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#include "cooperative_groups.h"

#include <atomic>
#include <limits>

namespace cooperative_groups {

#define HEDDLE_OPERATION(name, expression, neutral)                                                \
    template <class T = void> struct name {                                                        \
        HEDDLE_CG T operator()(const T &a, const T &b) const { return expression; }                \
        static HEDDLE_CG T identity() { return neutral; }                                          \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class T> HEDDLE_CG T operator()(const T &a, const T &b) const { return expression; } \
    };
HEDDLE_OPERATION(plus, a + b, T(0))
HEDDLE_OPERATION(less, b < a ? b : a, ::std::numeric_limits<T>::max())
HEDDLE_OPERATION(greater, a < b ? b : a, ::std::numeric_limits<T>::lowest())
HEDDLE_OPERATION(bit_and, a &b, (T)~T(0))
HEDDLE_OPERATION(bit_or, a | b, T(0))
HEDDLE_OPERATION(bit_xor, a ^ b, T(0))
#undef HEDDLE_OPERATION

namespace details {

/* Is Op<T> or Op<void>, on 32-bit integers: then redux.sync does it. */
template <template <class> class Op, class F, class T> struct is_redux {
    typedef typename ::std::decay<F>::type f;
    static constexpr bool value = (::std::is_same<f, Op<T>>::value || ::std::is_same<f, Op<void>>::value) &&
                                  (::std::is_same<T, int>::value || ::std::is_same<T, unsigned int>::value);
};

template <bool direct> struct reducer {
    template <unsigned int N, class P, class T, class F>
    static HEDDLE_CG T run(const thread_block_tile<N, P> &g, T v, F &&op)
    {
        for (unsigned int step = N / 2; step; step /= 2)
            v = op(v, g.shfl_xor(v, step));
        return v;
    }
    template <class T, class F> static HEDDLE_CG T run(const coalesced_group &g, T v, F &&op)
    {
        unsigned int rank = g.thread_rank();
        for (unsigned int n = g.size(), half; n > 1; n = half) {
            half = (n + 1) / 2;
            T other = g.shfl_down(v, (int)half);
            if (rank + half < n)
                v = op(v, other);
        }
        return g.shfl(v, 0);
    }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUX(Op, name)                                                                     \
    template <class T> HEDDLE_CG T redux(unsigned int mask, T v, const Op<T> &) { return __reduce_##name##_sync(mask, v); } \
    template <class T> HEDDLE_CG T redux(unsigned int mask, T v, const Op<void> &) { return __reduce_##name##_sync(mask, v); }
#define HEDDLE_REDUX_BITS(Op, name)                                                                \
    template <class T> HEDDLE_CG T redux(unsigned int mask, T v, const Op<T> &)                    \
    {                                                                                              \
        return (T)__reduce_##name##_sync(mask, (unsigned int)v);                                   \
    }                                                                                              \
    template <class T> HEDDLE_CG T redux(unsigned int mask, T v, const Op<void> &)                 \
    {                                                                                              \
        return (T)__reduce_##name##_sync(mask, (unsigned int)v);                                   \
    }
HEDDLE_REDUX(plus, add)
HEDDLE_REDUX(less, min)
HEDDLE_REDUX(greater, max)
HEDDLE_REDUX_BITS(bit_and, and)
HEDDLE_REDUX_BITS(bit_or, or)
HEDDLE_REDUX_BITS(bit_xor, xor)
#undef HEDDLE_REDUX
#undef HEDDLE_REDUX_BITS
template <> struct reducer<true> {
    template <class G, class T, class F> static HEDDLE_CG T run(const G &g, T v, F &&op) { return redux(g.mask(), v, op); }
};
template <class F, class T> struct takes_redux {
    static constexpr bool value = is_redux<plus, F, T>::value || is_redux<less, F, T>::value ||
                                  is_redux<greater, F, T>::value || is_redux<bit_and, F, T>::value ||
                                  is_redux<bit_or, F, T>::value || is_redux<bit_xor, F, T>::value;
};
#else
template <class F, class T> struct takes_redux {
    static constexpr bool value = false;
};
#endif

}

/* Each warp of a large tile for itself, then the warps' values. */
template <unsigned int Size, class P, class T, class F>
HEDDLE_CG auto reduce(const thread_block_tile<Size, P> &g, T &&v, F &&op) ->
    typename ::std::enable_if<(Size > 32), typename ::std::decay<T>::type>::type
{
    typedef typename ::std::decay<T>::type value;
    constexpr bool redux = details::takes_redux<F, value>::value;
    value r = details::reducer<redux>::run(thread_block_tile<32, void>(0, 1), (value)v, op);
    r = g.pass(r, details::lane() == 0, details::lane() % g.warps);
    return details::reducer<redux>::run(thread_block_tile<(Size > 32 ? Size / 32 : 1), void>(0, 1), r, op);
}

template <class G, class T, class F>
HEDDLE_CG auto reduce(const G &g, T &&v, F &&op) -> typename ::std::decay<T>::type
{
    typedef typename ::std::decay<T>::type value;
    return details::reducer<details::takes_redux<F, value>::value>::run(g, (value)v, static_cast<F &&>(op));
}

/* The reduced value into memory, or into an atomic object by its operation. */
template <class G, class T, class V, class F> HEDDLE_CG void reduce_store_async(const G &g, T *to, V &&v, F &&op)
{
    T r = reduce(g, (T)v, static_cast<F &&>(op));
    if (g.thread_rank() == 0)
        *to = r;
}
template <class G, class A, class V, class F>
HEDDLE_CG auto reduce_store_async(const G &g, A &to, V &&v, F &&op) -> decltype(to.load(), void())
{
    typedef typename A::value_type T;
    T r = reduce(g, (T)v, static_cast<F &&>(op));
    if (g.thread_rank() == 0)
        to.store(r, ::std::memory_order_relaxed);
}
template <class G, class A, class V, class F>
HEDDLE_CG auto reduce_update_async(const G &g, A &to, V &&v, F &&op) -> decltype(to.load(), void())
{
    typedef typename A::value_type T;
    T r = reduce(g, (T)v, op);
    if (g.thread_rank() != 0)
        return;
    T old = to.load(::std::memory_order_relaxed);
    while (!to.compare_exchange_weak(old, op(old, r), ::std::memory_order_relaxed)) {
    }
}

}

#endif
