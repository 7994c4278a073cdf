/* nvcuda::wmma, matrix multiplication by tensor cores (CUDA C++ Programming Guide, "Warp Matrix Functions"), by its names.
 *
 * The functions are the instructions wmma.load, wmma.mma and wmma.store (docs/matrices.md). Sizes of fragments are a GPU's, and so
 * is what lies where in them. */
#ifndef __MMA_H__
#define __MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDA__)
#define HEDDLE_WMMA static __device__ __inline__ __attribute__((always_inline, unused))

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

namespace details {
/* What an element is kept in, and how many of them it holds. */
template <class T> struct element {
    typedef T kept;
    enum { in_word = 1 };
};
template <> struct element<precision::tf32> {
    typedef float kept;
    enum { in_word = 1 };
};
template <> struct element<experimental::precision::u4> {
    typedef unsigned int kept;
    enum { in_word = 8 };
};
template <> struct element<experimental::precision::s4> {
    typedef int kept;
    enum { in_word = 8 };
};
template <> struct element<experimental::precision::b1> {
    typedef unsigned int kept;
    enum { in_word = 32 };
};
/* Elements of A (rows = m) or B (n) in a lane; of half precision there are always 16, some of them twice. */
template <class T, int rows, int k> struct share {
    enum { n = rows * k / 32 };
};
template <int rows, int k> struct share<__half, rows, k> {
    enum { n = 16 };
};
template <class T, int elements> struct __attribute__((aligned(8))) fragment_of {
    enum { num_elements = elements, num_storage_elements = elements / element<T>::in_word };
    typedef T element_type;
    typedef typename element<T>::kept storage_element_type;
    storage_element_type x[elements / element<T>::in_word];
};
}

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;
template <int m, int n, int k, class T, class Layout>
class fragment<matrix_a, m, n, k, T, Layout> : public details::fragment_of<T, details::share<T, m, k>::n> {
};
template <int m, int n, int k, class T, class Layout>
class fragment<matrix_b, m, n, k, T, Layout> : public details::fragment_of<T, details::share<T, n, k>::n> {
};
template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T> : public details::fragment_of<T, m * n / 32> {
};

template <class Use, int m, int n, int k, class T, class Layout>
HEDDLE_WMMA void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const typename details::element<T>::kept &v)
{
    for (int i = 0; i < f.num_storage_elements; i++)
        f.x[i] = v;
}
/* Registers of a fragment: in the text, and as operands. p: a letter for each operand, c: a constraint. */
#define HEDDLE_TEXT_1(p) "{%[" #p "0]}"
#define HEDDLE_TEXT_2(p) "{%[" #p "0], %[" #p "1]}"
#define HEDDLE_TEXT_4(p) "{%[" #p "0], %[" #p "1], %[" #p "2], %[" #p "3]}"
#define HEDDLE_TEXT_8(p) "{%[" #p "0], %[" #p "1], %[" #p "2], %[" #p "3], %[" #p "4], %[" #p "5], %[" #p "6], %[" #p "7]}"
#define HEDDLE_REGS_1(p, c) [p##0] c(p[0])
#define HEDDLE_REGS_2(p, c) HEDDLE_REGS_1(p, c), [p##1] c(p[1])
#define HEDDLE_REGS_4(p, c) HEDDLE_REGS_2(p, c), [p##2] c(p[2]), [p##3] c(p[3])
#define HEDDLE_REGS_8(p, c) HEDDLE_REGS_4(p, c), [p##4] c(p[4]), [p##5] c(p[5]), [p##6] c(p[6]), [p##7] c(p[7])
#define HEDDLE_SHAPE(m, n, k) ".m" #m "n" #n "k" #k "."

namespace details {
template <class Layout> struct is_row {
    enum { value = 0 };
};
template <> struct is_row<row_major> {
    enum { value = 1 };
};
}

/* One matrix of A or B: T its elements, P what a pointer to it is of, R and c a register and its constraint, count of them. */
#define HEDDLE_LOAD_AS(letter, layout, m, n, k, type, c, count)                                                        \
    __asm__ volatile("wmma.load." #letter ".sync.aligned." layout HEDDLE_SHAPE(m, n, k) type " " HEDDLE_TEXT_##count(r) ", [%[p]], %[ld];" \
                     : HEDDLE_REGS_##count(r, "=" c)                                                                   \
                     : [p] "l"(p), [ld] "r"(ld)                                                                        \
                     : "memory")
#define HEDDLE_LOAD(use, letter, m, n, k, T, P, type, R, c, count)                                                     \
    template <class Layout>                                                                                            \
    HEDDLE_WMMA void load_matrix_sync(fragment<use, m, n, k, T, Layout> &f, const P *p, unsigned int ld)               \
    {                                                                                                                  \
        R r[count];                                                                                                    \
        if (details::is_row<Layout>::value)                                                                            \
            HEDDLE_LOAD_AS(letter, "row", m, n, k, type, c, count);                                                    \
        else                                                                                                           \
            HEDDLE_LOAD_AS(letter, "col", m, n, k, type, c, count);                                                    \
        __builtin_memcpy(f.x, r, sizeof r);                                                                            \
    }

/* C and D. */
#define HEDDLE_STORE_AS(layout, m, n, k, type, c, count)                                                               \
    __asm__ volatile("wmma.store.d.sync.aligned." layout HEDDLE_SHAPE(m, n, k) type " [%[p]], " HEDDLE_TEXT_##count(r) ", %[ld];" \
                     :                                                                                                 \
                     : HEDDLE_REGS_##count(r, c), [p] "l"(p), [ld] "r"(ld)                                             \
                     : "memory")
#define HEDDLE_SUMS(m, n, k, T, type, R, with, count)                                                                     \
    HEDDLE_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int ld, layout_t layout) \
    {                                                                                                                  \
        R r[count];                                                                                                    \
        if (layout == mem_row_major)                                                                                   \
            HEDDLE_LOAD_AS(c, "row", m, n, k, type, with, count);                                                         \
        else                                                                                                           \
            HEDDLE_LOAD_AS(c, "col", m, n, k, type, with, count);                                                         \
        __builtin_memcpy(f.x, r, sizeof r);                                                                            \
    }                                                                                                                  \
    HEDDLE_WMMA void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int ld, layout_t layout) \
    {                                                                                                                  \
        R r[count];                                                                                                    \
        __builtin_memcpy(r, f.x, sizeof r);                                                                            \
        if (layout == mem_row_major)                                                                                   \
            HEDDLE_STORE_AS("row", m, n, k, type, with, count);                                                           \
        else                                                                                                           \
            HEDDLE_STORE_AS("col", m, n, k, type, with, count);                                                           \
    }

/* A product: R and c registers of A and B, D's and C's with theirs. */
#define HEDDLE_MMA_AS(op, layouts, m, n, k, types, c, na, nb, cd, nd, cc, nc)                                          \
    __asm__ volatile("wmma.mma" op ".sync.aligned." layouts HEDDLE_SHAPE(m, n, k) types " " HEDDLE_TEXT_##nd(d) ", "    \
                     HEDDLE_TEXT_##na(a) ", " HEDDLE_TEXT_##nb(b) ", " HEDDLE_TEXT_##nc(s) ";"                          \
                     : HEDDLE_REGS_##nd(d, "=" cd)                                                                     \
                     : HEDDLE_REGS_##na(a, c), HEDDLE_REGS_##nb(b, c), HEDDLE_REGS_##nc(s, cc))
#define HEDDLE_MMA_BEGIN(R, na, nb, RD, nd, RC, nc)                                                                    \
    R a[na], b[nb];                                                                                                    \
    RD d[nd];                                                                                                          \
    RC s[nc];                                                                                                          \
    __builtin_memcpy(a, fa.x, sizeof a);                                                                               \
    __builtin_memcpy(b, fb.x, sizeof b);                                                                               \
    __builtin_memcpy(s, fc.x, sizeof s)
#define HEDDLE_MMA_WITH(sat, layouts, m, n, k, types, c, na, nb, cd, nd, cc, nc)                                       \
    if (sat)                                                                                                           \
        HEDDLE_MMA_AS("", layouts, m, n, k, "satfinite." types, c, na, nb, cd, nd, cc, nc);                            \
    else                                                                                                               \
        HEDDLE_MMA_AS("", layouts, m, n, k, types, c, na, nb, cd, nd, cc, nc)
#define HEDDLE_MMA(m, n, k, T, D, C, types, R, c, na, nb, RD, cd, nd, RC, cc, nc)                                      \
    template <class LayoutA, class LayoutB>                                                                            \
    HEDDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, D> &f, const fragment<matrix_a, m, n, k, T, LayoutA> &fa, \
                              const fragment<matrix_b, m, n, k, T, LayoutB> &fb, const fragment<accumulator, m, n, k, C> &fc, \
                              bool saturate = false)                                                                   \
    {                                                                                                                  \
        HEDDLE_MMA_BEGIN(R, na, nb, RD, nd, RC, nc);                                                                   \
        if (details::is_row<LayoutA>::value && details::is_row<LayoutB>::value) {                                      \
            HEDDLE_MMA_WITH(saturate, "row.row", m, n, k, types, c, na, nb, cd, nd, cc, nc);                           \
        } else if (details::is_row<LayoutA>::value) {                                                                  \
            HEDDLE_MMA_WITH(saturate, "row.col", m, n, k, types, c, na, nb, cd, nd, cc, nc);                           \
        } else if (details::is_row<LayoutB>::value) {                                                                  \
            HEDDLE_MMA_WITH(saturate, "col.row", m, n, k, types, c, na, nb, cd, nd, cc, nc);                           \
        } else {                                                                                                       \
            HEDDLE_MMA_WITH(saturate, "col.col", m, n, k, types, c, na, nb, cd, nd, cc, nc);                           \
        }                                                                                                              \
        __builtin_memcpy(f.x, d, sizeof d);                                                                            \
    }

/* Three shapes of the same elements; registers of A and B: of 16, 32 and 8 rows or columns. */
#define HEDDLE_LOADS(m, n, k, T, P, type, R, c, na, nb)                                                                \
    HEDDLE_LOAD(matrix_a, a, m, n, k, T, P, type, R, c, na)                                                            \
    HEDDLE_LOAD(matrix_b, b, m, n, k, T, P, type, R, c, nb)
#define HEDDLE_OF_K16(m, n, na8, na, nb, nb8)                                                                          \
    HEDDLE_LOADS(m, n, 16, __half, __half, "f16", unsigned int, "r", 8, 8)                                             \
    HEDDLE_LOADS(m, n, 16, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned int, "r", na, nb)                            \
    HEDDLE_LOADS(m, n, 16, signed char, signed char, "s8", unsigned int, "r", na8, nb8)                                \
    HEDDLE_LOADS(m, n, 16, unsigned char, unsigned char, "u8", unsigned int, "r", na8, nb8)                            \
    HEDDLE_SUMS(m, n, 16, __half, "f16", unsigned int, "r", 4)                                                         \
    HEDDLE_SUMS(m, n, 16, float, "f32", float, "f", 8)                                                                 \
    HEDDLE_SUMS(m, n, 16, int, "s32", int, "r", 8)                                                                     \
    HEDDLE_MMA(m, n, 16, __half, float, float, "f32.f32", unsigned int, "r", 8, 8, float, "f", 8, float, "f", 8)       \
    HEDDLE_MMA(m, n, 16, __half, float, __half, "f32.f16", unsigned int, "r", 8, 8, float, "f", 8, unsigned int, "r", 4) \
    HEDDLE_MMA(m, n, 16, __half, __half, float, "f16.f32", unsigned int, "r", 8, 8, unsigned int, "r", 4, float, "f", 8) \
    HEDDLE_MMA(m, n, 16, __half, __half, __half, "f16.f16", unsigned int, "r", 8, 8, unsigned int, "r", 4, unsigned int, "r", 4) \
    HEDDLE_MMA(m, n, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", unsigned int, "r", na, nb, float, "f", 8, float, "f", 8) \
    HEDDLE_MMA(m, n, 16, signed char, int, int, "s32.s8.s8.s32", unsigned int, "r", na8, nb8, int, "r", 8, int, "r", 8) \
    HEDDLE_MMA(m, n, 16, unsigned char, int, int, "s32.u8.u8.s32", unsigned int, "r", na8, nb8, int, "r", 8, int, "r", 8)
HEDDLE_OF_K16(16, 16, 2, 4, 4, 2)
HEDDLE_OF_K16(32, 8, 4, 8, 2, 1)
HEDDLE_OF_K16(8, 32, 1, 2, 8, 4)

HEDDLE_LOADS(16, 16, 8, precision::tf32, float, "tf32", unsigned int, "r", 4, 4)
HEDDLE_SUMS(16, 16, 8, float, "f32", float, "f", 8)
HEDDLE_MMA(16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", unsigned int, "r", 4, 4, float, "f", 8, float, "f", 8)
HEDDLE_LOADS(8, 8, 4, double, double, "f64", double, "d", 1, 1)
HEDDLE_SUMS(8, 8, 4, double, "f64", double, "d", 2)
HEDDLE_MMA(8, 8, 4, double, double, double, "f64.f64.f64.f64", double, "d", 1, 1, double, "d", 2, double, "d", 2)
HEDDLE_LOADS(8, 8, 32, experimental::precision::s4, void, "s4", unsigned int, "r", 1, 1)
HEDDLE_LOADS(8, 8, 32, experimental::precision::u4, void, "u4", unsigned int, "r", 1, 1)
HEDDLE_SUMS(8, 8, 32, int, "s32", int, "r", 2)
HEDDLE_MMA(8, 8, 32, experimental::precision::s4, int, int, "s32.s4.s4.s32", unsigned int, "r", 1, 1, int, "r", 2, int, "r", 2)
HEDDLE_MMA(8, 8, 32, experimental::precision::u4, int, int, "s32.u4.u4.s32", unsigned int, "r", 1, 1, int, "r", 2, int, "r", 2)
HEDDLE_LOADS(8, 8, 128, experimental::precision::b1, void, "b1", unsigned int, "r", 1, 1)
HEDDLE_SUMS(8, 8, 128, int, "s32", int, "r", 2)
HEDDLE_WMMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &f,
                           const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &fa,
                           const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &fb,
                           const fragment<accumulator, 8, 8, 128, int> &fc, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    HEDDLE_MMA_BEGIN(unsigned int, 1, 1, int, 2, int, 2);
    if (op == experimental::bmmaBitOpXOR)
        HEDDLE_MMA_AS(".xor.popc", "row.col", 8, 8, 128, "s32.b1.b1.s32", "r", 1, 1, "r", 2, "r", 2);
    else
        HEDDLE_MMA_AS(".and.popc", "row.col", 8, 8, 128, "s32.b1.b1.s32", "r", 1, 1, "r", 2, "r", 2);
    __builtin_memcpy(f.x, d, sizeof d);
}
#undef HEDDLE_TEXT_1
#undef HEDDLE_TEXT_2
#undef HEDDLE_TEXT_4
#undef HEDDLE_TEXT_8
#undef HEDDLE_REGS_1
#undef HEDDLE_REGS_2
#undef HEDDLE_REGS_4
#undef HEDDLE_REGS_8
#undef HEDDLE_SHAPE
#undef HEDDLE_LOAD_AS
#undef HEDDLE_LOAD
#undef HEDDLE_STORE_AS
#undef HEDDLE_SUMS
#undef HEDDLE_MMA_AS
#undef HEDDLE_MMA_BEGIN
#undef HEDDLE_MMA_WITH
#undef HEDDLE_MMA
#undef HEDDLE_LOADS
#undef HEDDLE_OF_K16
/* rounded to the 19 bits that a tensor core reads */
HEDDLE_WMMA float __float_to_tf32(float f)
{
    unsigned int u;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(f));
    return __uint_as_float(u);
}

}
}
#undef HEDDLE_WMMA
#endif

#endif
