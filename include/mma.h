/* nvcuda::wmma, matrix multiplication by tensor cores (CUDA C++ Programming Guide, "Warp Matrix Functions"), by its names.
 *
 * Programs that include this header compile, and so do those whose templates name it without using it. The functions stand
 * for the instructions that a GPU would run, wmma.load, wmma.mma and wmma.store; Heddle does not have them yet and says
 * so, by name, when a kernel with one of them is launched (CUDA error 801). Sizes of fragments are a GPU's. */
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
template <class Use, int m, int n, int k, class T, class Layout>
HEDDLE_WMMA void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &, const void *, unsigned int)
{
    __asm__ volatile("wmma.load.sync.aligned;" ::: "memory");
}
template <int m, int n, int k, class T>
HEDDLE_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T> &, const T *, unsigned int, layout_t)
{
    __asm__ volatile("wmma.load.sync.aligned;" ::: "memory");
}
template <int m, int n, int k, class T>
HEDDLE_WMMA void store_matrix_sync(T *, const fragment<accumulator, m, n, k, T> &, unsigned int, layout_t)
{
    __asm__ volatile("wmma.store.sync.aligned;" ::: "memory");
}
template <int m, int n, int k, class D, class T, class LayoutA, class U, class LayoutB, class C>
HEDDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, D> &, const fragment<matrix_a, m, n, k, T, LayoutA> &,
                          const fragment<matrix_b, m, n, k, U, LayoutB> &, const fragment<accumulator, m, n, k, C> &, bool = false)
{
    __asm__ volatile("wmma.mma.sync.aligned;" ::: "memory");
}
HEDDLE_WMMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &,
                           const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &,
                           const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &,
                           const fragment<accumulator, 8, 8, 128, int> &, experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    __asm__ volatile("wmma.mma.sync.aligned;" ::: "memory");
}
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
