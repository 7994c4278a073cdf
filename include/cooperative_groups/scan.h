/* cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups (CUDA C++ Programming Guide,
 * "inclusive_scan and exclusive_scan"): distances 1, 2, 4 ... by rank. The first value of an exclusive scan is the
 * operation's neutral one, or T() for operations that are not of cooperative_groups. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

namespace details {

template <class F, class T> struct neutral {
    static HEDDLE_CG T get() { return T(); }
};
template <template <class> class Op, class X, class T> struct neutral<Op<X>, T> {
    template <class O> static HEDDLE_CG auto of(int) -> decltype(O::identity()) { return O::identity(); }
    template <class O> static HEDDLE_CG T of(long) { return T(); }
    static HEDDLE_CG T get() { return of<Op<T>>(0); }
};

}

template <class G, class T, class F>
HEDDLE_CG auto inclusive_scan(const G &g, T &&v, F &&op) -> typename ::std::decay<T>::type
{
    typename ::std::decay<T>::type r = v;
    for (unsigned int step = 1; step < g.size(); step *= 2) {
        typename ::std::decay<T>::type other = g.shfl_up(r, step);
        if (g.thread_rank() >= step)
            r = op(other, r);
    }
    return r;
}
template <class G, class T> HEDDLE_CG auto inclusive_scan(const G &g, T &&v) -> typename ::std::decay<T>::type
{
    return inclusive_scan(g, v, plus<typename ::std::decay<T>::type>());
}

template <class G, class T, class F>
HEDDLE_CG auto exclusive_scan(const G &g, T &&v, F &&op) -> typename ::std::decay<T>::type
{
    typedef typename ::std::decay<T>::type value;
    value r = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? details::neutral<typename ::std::decay<F>::type, value>::get() : r;
}
template <class G, class T> HEDDLE_CG auto exclusive_scan(const G &g, T &&v) -> typename ::std::decay<T>::type
{
    return exclusive_scan(g, v, plus<typename ::std::decay<T>::type>());
}

/* The same on top of an atomic object, which the group's sum is added to. */
template <class G, class A, class T, class F>
HEDDLE_CG auto exclusive_scan_update(const G &g, A &to, T &&v, F &&op) -> typename ::std::decay<T>::type
{
    typedef typename ::std::decay<T>::type value;
    value r = inclusive_scan(g, v, op), old = value();
    if (g.thread_rank() == g.size() - 1) {
        old = to.load(::std::memory_order_relaxed);
        while (!to.compare_exchange_weak(old, op(old, r), ::std::memory_order_relaxed)) {
        }
    }
    old = g.shfl(old, g.size() - 1);
    value before = g.shfl_up(r, 1);
    return g.thread_rank() == 0 ? old : op(old, before);
}
template <class G, class A, class T>
HEDDLE_CG auto exclusive_scan_update(const G &g, A &to, T &&v) -> typename ::std::decay<T>::type
{
    return exclusive_scan_update(g, to, v, plus<typename ::std::decay<T>::type>());
}
template <class G, class A, class T, class F>
HEDDLE_CG auto inclusive_scan_update(const G &g, A &to, T &&v, F &&op) -> typename ::std::decay<T>::type
{
    return op(exclusive_scan_update(g, to, v, op), v);
}
template <class G, class A, class T>
HEDDLE_CG auto inclusive_scan_update(const G &g, A &to, T &&v) -> typename ::std::decay<T>::type
{
    return inclusive_scan_update(g, to, v, plus<typename ::std::decay<T>::type>());
}

}

#endif
