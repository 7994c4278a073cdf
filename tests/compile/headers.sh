# The headers compile without a word for every C++ standard and several architectures, and in plain C and C++.
. "$SOURCES/common.sh"

for std in c++11 c++20; do
    expect 0 "$HEDDLE" build -c -std=$std "$SOURCES/headers.cu" -o h.o
    [ ! -s err ] || { fail "-std=$std says something"; head -5 err; }
done
for arch in sm_52 sm_70; do
    expect 0 "$HEDDLE" build -ptx -arch=$arch "$SOURCES/headers.cu" -o h.ptx
    [ ! -s err ] || { fail "-arch=$arch says something"; head -5 err; }
done
expect 0 "$HEDDLE" build -ptx --use_fast_math "$SOURCES/headers.cu" -o h.ptx

# what is called rather than inlined is exactly what the executors must provide
expect 0 "$HEDDLE" build -ptx "$SOURCES/headers.cu" -o h.ptx
grep -oE '__nv_[a-z0-9_]+' h.ptx | grep -vE '_param_[0-9]+$' | sort -u | sed 's/__nv_//' | tr '\n' ' ' >calls
echo >>calls
same calls <<'END'
cbrtf cos_by cosf erff exp exp10f expf fdimf fmodf hypotf ldexpf log log1pf logf pow pow_basef pow_exponentf pow_restf quarter sin_by sinf sinpif tanf tanhf 
END
# a user's libcu++ before ours: cooperative groups and the primitives take its types
mkdir -p other/cuda/std/__cccl
echo >other/cuda/std/__cccl/version.h
cat >other/cuda/barrier <<'END'
#pragma once
namespace cuda {
enum memory_order { of_the_other };
enum thread_scope { also_of_the_other };
template <unsigned long A> struct aligned_size_t {
    static constexpr unsigned long align = A;
    unsigned long value;
    __host__ __device__ explicit constexpr aligned_size_t(unsigned long n) : value(n) {}
    __host__ __device__ constexpr operator unsigned long() const { return value; }
};
}
END
cat >beside.cu <<'END'
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
__global__ void k(const int *p)
{
    __shared__ int s[32];
    __shared__ __mbarrier_t b;
    auto block = cooperative_groups::this_thread_block();
    __mbarrier_init(&b, cuda::of_the_other + 32);
    cooperative_groups::memcpy_async(block, s, p, cuda::aligned_size_t<16>(sizeof s));
    cooperative_groups::wait(block);
}
END
expect 0 "$HEDDLE" build -c -Iother beside.cu
[ ! -s err ] || { fail "beside another libcu++"; head -5 err; }

cat >host.cpp <<'END'
#include <cuda_runtime.h>
#include <vector>
int main() { float *p; float4 v = make_float4(1, 2, 3, 4); return cudaMalloc(&p, 4) != cudaSuccess && v.x > 0; }
END
cat >host.c <<'END'
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
int f(void) { struct cudaDeviceProp p; dim3 d = {1, 1, 1}; cudaGetDeviceProperties(&p, 0);
    return p.major + (int)d.x + cudaDevAttrWarpSize + cudaErrorIllegalAddress; }
END
cat >driver.c <<'END'
#include <cuda.h>
uint64_t f(void) { return (uint64_t)CUDA_VERSION + (malloc(1) != NULL); }
END
cat >pointers.c <<'END'
#include <cudaTypedefs.h>
PFN_cuMemAlloc_v3020 versioned = cuMemAlloc;
PFN_cuMemAlloc newest = cuMemAlloc;
PFN_cuInit_v2000 first = cuInit;
PFN_cuStreamBeginCapture named = cuStreamBeginCapture;
PFN_cuStreamBeginCapture_v10010 capture = cuStreamBeginCapture;
PFN_cuCtxDestroy_v4000 destroy = cuCtxDestroy;
PFN_cuTensorMapEncodeTiled_v12000 tiled = cuTensorMapEncodeTiled;
END
cp pointers.c pointers.cpp
for f in host.cpp host.c driver.c pointers.c pointers.cpp; do
    expect 0 "$HEDDLE" build -c -Xcompiler -Wall,-Wextra $f
    [ ! -s err ] || { fail "$f says something"; head -5 err; }
done

# tensor cores: fragments have a GPU's sizes, and products are products
cat >wmma.cu <<'END'
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
template <class T, int m, int n, int k> constexpr int elements(int a, int b)
{
    return wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major>::num_elements == a &&
           wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major>::num_elements == b;
}
static_assert(elements<half, 16, 16, 16>(16, 16) && elements<half, 32, 8, 16>(16, 16) && elements<half, 8, 32, 16>(16, 16), "");
static_assert(elements<__nv_bfloat16, 16, 16, 16>(8, 8) && elements<signed char, 32, 8, 16>(16, 4), "");
static_assert(elements<wmma::precision::tf32, 16, 16, 8>(4, 4) && elements<double, 8, 8, 4>(1, 1), "");
static_assert(elements<wmma::experimental::precision::s4, 8, 8, 32>(8, 8) && elements<wmma::experimental::precision::b1, 8, 8, 128>(32, 32), "");
static_assert(wmma::fragment<wmma::accumulator, 16, 16, 16, float>::num_elements == 8, "");
static_assert(sizeof(wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major>) == 8, "");
__global__ void multiply(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void other(float *c) { *c = wmma::__float_to_tf32(1.0f + 1.0f / 4096); }
int main()
{
    float *c, h;
    half *a, ones[256];
    cudaMalloc(&c, 1024);
    cudaMalloc(&a, 512);
    for (half &one : ones)
        one = 1.0f;
    cudaMemcpy(a, ones, 512, cudaMemcpyHostToDevice);
    multiply<<<1, 32>>>(a, a, c);
    cudaMemcpy(&h, c + 255, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
    other<<<1, 1>>>(c);
    cudaMemcpy(&h, c, 4, cudaMemcpyDeviceToHost);
    printf("%a\n", h);
}
END
HEDDLE_ROOT= expect 0 "$HEDDLE" run wmma.cu
printf '16\n0x1p+0\n' | same out
finish
