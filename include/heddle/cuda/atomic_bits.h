/* Atomic operations on values of 1, 2, 4 and 8 bytes, for host and device: what cuda::atomic and its like are made of.
 *
 * On the device each is one PTX instruction with its memory order and scope (PTX ISA 9.7.12.4 "atom", 9.7.9.8 "ld"),
 * where there is one: bytes are changed in the 32-bit word around them, and halves of a word by atom.cas.b16. The order
 * seq_cst is a fence.sc before an instruction of the order acq_rel (acquire, release). On the host they are the
 * compiler's builtins. Orders and scopes are constants at nearly every call, so the choices below cost nothing. */
#ifndef HEDDLE_CUDA_ATOMIC_BITS_H
#define HEDDLE_CUDA_ATOMIC_BITS_H

#include "heddle/cuda/scope.h"

#include <cstring>

namespace heddle {

template <::std::size_t N> struct word_of;
template <> struct word_of<1> { typedef ::std::uint8_t type; };
template <> struct word_of<2> { typedef ::std::uint16_t type; };
template <> struct word_of<4> { typedef ::std::uint32_t type; };
template <> struct word_of<8> { typedef ::std::uint64_t type; };

template <class To, class From> HEDDLE_HD To bits_as(const From &v)
{
    static_assert(sizeof(To) == sizeof(From), "a value is read as one of the same size");
    To r;
    __builtin_memcpy(&r, &v, sizeof r);
    return r;
}

#ifdef __CUDA_ARCH__

#pragma push_macro("FN")
#define FN __device__ inline __attribute__((always_inline))

/* HEDDLE_IN_SCOPE(what): what("cta"), what("gpu") or what("sys") */
#define HEDDLE_IN_SCOPE(what)                                                                      \
    if (scope == ::cuda::thread_scope_system) {                                                    \
        what("sys");                                                                               \
    } else if (scope == ::cuda::thread_scope_device) {                                             \
        what("gpu");                                                                               \
    } else {                                                                                       \
        what("cta");                                                                               \
    }

FN bool is_acquire(::cuda::memory_order o) { return o != ::std::memory_order_relaxed && o != ::std::memory_order_release; }
FN bool is_release(::cuda::memory_order o)
{
    return o == ::std::memory_order_release || o == ::std::memory_order_acq_rel || o == ::std::memory_order_seq_cst;
}
FN void lead(::cuda::memory_order o, int scope)
{
    if (o == ::std::memory_order_seq_cst)
        ::cuda::atomic_thread_fence(o, (::cuda::thread_scope)scope);
}

#define HEDDLE_LOAD_IN(sc)                                                                         \
    if (is_acquire(order))                                                                         \
        __asm__ __volatile__("ld.acquire." sc "." HEDDLE_TYPE " %0, [%1];"                         \
                             : HEDDLE_OUT(v) : "l"(p) : "memory");                                 \
    else                                                                                           \
        __asm__ __volatile__("ld.relaxed." sc "." HEDDLE_TYPE " %0, [%1];"                         \
                             : HEDDLE_OUT(v) : "l"(p) : "memory")
#define HEDDLE_STORE_IN(sc)                                                                        \
    if (is_release(order))                                                                         \
        __asm__ __volatile__("st.release." sc "." HEDDLE_TYPE " [%0], %1;"                         \
                             : : "l"(p), HEDDLE_IN(v) : "memory");                                 \
    else                                                                                           \
        __asm__ __volatile__("st.relaxed." sc "." HEDDLE_TYPE " [%0], %1;"                         \
                             : : "l"(p), HEDDLE_IN(v) : "memory")
#define HEDDLE_LOAD_STORE(T, R)                                                                    \
    FN void load_word(const T *p, T *result, ::cuda::memory_order order, int scope)                \
    {                                                                                              \
        R v;                                                                                       \
        lead(order, scope);                                                                        \
        HEDDLE_IN_SCOPE(HEDDLE_LOAD_IN)                                                            \
        *result = (T)v;                                                                            \
    }                                                                                              \
    FN void store_word(T *p, T value, ::cuda::memory_order order, int scope)                       \
    {                                                                                              \
        R v = value;                                                                               \
        lead(order, scope);                                                                        \
        HEDDLE_IN_SCOPE(HEDDLE_STORE_IN)                                                           \
    }
#define HEDDLE_OUT(v) "=h"(v)
#define HEDDLE_IN(v)  "h"(v)
#define HEDDLE_TYPE   "b8"
HEDDLE_LOAD_STORE(::std::uint8_t, ::std::uint16_t)
#undef HEDDLE_TYPE
#define HEDDLE_TYPE "b16"
HEDDLE_LOAD_STORE(::std::uint16_t, ::std::uint16_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=r"(v)
#define HEDDLE_IN(v)  "r"(v)
#define HEDDLE_TYPE   "b32"
HEDDLE_LOAD_STORE(::std::uint32_t, ::std::uint32_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=l"(v)
#define HEDDLE_IN(v)  "l"(v)
#define HEDDLE_TYPE   "b64"
HEDDLE_LOAD_STORE(::std::uint64_t, ::std::uint64_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#undef HEDDLE_LOAD_STORE
#undef HEDDLE_LOAD_IN
#undef HEDDLE_STORE_IN

/* T name(p, v, order, scope): one atom instruction; `op` is its operation and type, R the letter of its registers */
#define HEDDLE_ATOM_SEM(sem, sc)                                                                   \
    __asm__ __volatile__("atom." sem "." sc "." HEDDLE_OP " %0, [%1], %2;"                         \
                         : HEDDLE_OUT(old) : "l"(p), HEDDLE_IN(v) : "memory")
#define HEDDLE_ATOM_IN(sc)                                                                         \
    if (order == ::std::memory_order_relaxed)                                                      \
        HEDDLE_ATOM_SEM("relaxed", sc);                                                            \
    else if (order == ::std::memory_order_acquire || order == ::std::memory_order_consume)         \
        HEDDLE_ATOM_SEM("acquire", sc);                                                            \
    else if (order == ::std::memory_order_release)                                                 \
        HEDDLE_ATOM_SEM("release", sc);                                                            \
    else                                                                                           \
        HEDDLE_ATOM_SEM("acq_rel", sc)
#define HEDDLE_ATOM(name, T)                                                                       \
    FN T name(T *p, T v, ::cuda::memory_order order, int scope)                                    \
    {                                                                                              \
        T old;                                                                                     \
        lead(order, scope);                                                                        \
        HEDDLE_IN_SCOPE(HEDDLE_ATOM_IN)                                                            \
        return old;                                                                                \
    }
#define HEDDLE_OUT(v) "=r"(v)
#define HEDDLE_IN(v)  "r"(v)
#define HEDDLE_OP "exch.b32"
HEDDLE_ATOM(exchange_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "add.u32"
HEDDLE_ATOM(add_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "and.b32"
HEDDLE_ATOM(and_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "or.b32"
HEDDLE_ATOM(or_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "xor.b32"
HEDDLE_ATOM(xor_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "min.u32"
HEDDLE_ATOM(min_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "max.u32"
HEDDLE_ATOM(max_word, ::std::uint32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "min.s32"
HEDDLE_ATOM(min_word, ::std::int32_t)
#undef HEDDLE_OP
#define HEDDLE_OP "max.s32"
HEDDLE_ATOM(max_word, ::std::int32_t)
#undef HEDDLE_OP
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=f"(v)
#define HEDDLE_IN(v)  "f"(v)
#define HEDDLE_OP "add.f32"
HEDDLE_ATOM(add_word, float)
#undef HEDDLE_OP
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=d"(v)
#define HEDDLE_IN(v)  "d"(v)
#define HEDDLE_OP "add.f64"
HEDDLE_ATOM(add_word, double)
#undef HEDDLE_OP
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=l"(v)
#define HEDDLE_IN(v)  "l"(v)
#define HEDDLE_OP "exch.b64"
HEDDLE_ATOM(exchange_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "add.u64"
HEDDLE_ATOM(add_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "and.b64"
HEDDLE_ATOM(and_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "or.b64"
HEDDLE_ATOM(or_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "xor.b64"
HEDDLE_ATOM(xor_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "min.u64"
HEDDLE_ATOM(min_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "max.u64"
HEDDLE_ATOM(max_word, ::std::uint64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "min.s64"
HEDDLE_ATOM(min_word, ::std::int64_t)
#undef HEDDLE_OP
#define HEDDLE_OP "max.s64"
HEDDLE_ATOM(max_word, ::std::int64_t)
#undef HEDDLE_OP
#undef HEDDLE_OUT
#undef HEDDLE_IN
#undef HEDDLE_ATOM
#undef HEDDLE_ATOM_IN
#undef HEDDLE_ATOM_SEM

/* The old value; it was exchanged for `v` when it was `c`. */
#define HEDDLE_CAS_SEM(sem, sc)                                                                    \
    __asm__ __volatile__("atom." sem "." sc ".cas." HEDDLE_TYPE " %0, [%1], %2, %3;"               \
                         : HEDDLE_OUT(old) : "l"(p), HEDDLE_IN(c), HEDDLE_IN(v) : "memory")
#define HEDDLE_CAS_IN(sc)                                                                          \
    if (order == ::std::memory_order_relaxed)                                                      \
        HEDDLE_CAS_SEM("relaxed", sc);                                                             \
    else if (order == ::std::memory_order_acquire || order == ::std::memory_order_consume)         \
        HEDDLE_CAS_SEM("acquire", sc);                                                             \
    else if (order == ::std::memory_order_release)                                                 \
        HEDDLE_CAS_SEM("release", sc);                                                             \
    else                                                                                           \
        HEDDLE_CAS_SEM("acq_rel", sc)
#define HEDDLE_CAS(T)                                                                              \
    FN T cas_word(T *p, T c, T v, ::cuda::memory_order order, int scope)                           \
    {                                                                                              \
        T old;                                                                                     \
        lead(order, scope);                                                                        \
        HEDDLE_IN_SCOPE(HEDDLE_CAS_IN)                                                             \
        return old;                                                                                \
    }
#define HEDDLE_OUT(v) "=h"(v)
#define HEDDLE_IN(v)  "h"(v)
#define HEDDLE_TYPE   "b16"
HEDDLE_CAS(::std::uint16_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=r"(v)
#define HEDDLE_IN(v)  "r"(v)
#define HEDDLE_TYPE   "b32"
HEDDLE_CAS(::std::uint32_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#define HEDDLE_OUT(v) "=l"(v)
#define HEDDLE_IN(v)  "l"(v)
#define HEDDLE_TYPE   "b64"
HEDDLE_CAS(::std::uint64_t)
#undef HEDDLE_TYPE
#undef HEDDLE_OUT
#undef HEDDLE_IN
#undef HEDDLE_CAS
#undef HEDDLE_CAS_IN
#undef HEDDLE_CAS_SEM
#undef HEDDLE_IN_SCOPE

FN ::std::uint8_t cas_word(::std::uint8_t *p, ::std::uint8_t c, ::std::uint8_t v, ::cuda::memory_order order, int scope)
{
    ::std::uint32_t *word = (::std::uint32_t *)((::std::uintptr_t)p & ~(::std::uintptr_t)3);
    unsigned shift = (unsigned)((::std::uintptr_t)p & 3) * 8;
    ::std::uint32_t old, was;
    load_word(word, &old, ::std::memory_order_relaxed, scope);
    while ((::std::uint8_t)(old >> shift) == c) {
        was = cas_word(word, old, (old & ~(0xffu << shift)) | (::std::uint32_t)v << shift, order, scope);
        if (was == old)
            break;
        old = was;
    }
    return (::std::uint8_t)(old >> shift);
}

#pragma pop_macro("FN")

#else

template <class T> inline void load_word(const T *p, T *result, ::cuda::memory_order order, int)
{
    *result = __atomic_load_n(p, (int)order);
}
template <class T> inline void store_word(T *p, T v, ::cuda::memory_order order, int)
{
    __atomic_store_n(p, v, (int)order);
}
template <class T> inline T cas_word(T *p, T c, T v, ::cuda::memory_order order, int)
{
    int fail = order == ::std::memory_order_acq_rel ? (int)::std::memory_order_acquire
             : order == ::std::memory_order_release ? (int)::std::memory_order_relaxed : (int)order;
    __atomic_compare_exchange_n(p, &c, v, false, (int)order, fail);
    return c;
}

#endif

}

#endif
