// One use of everything that the headers declare for feature groups 1 to 10: it must compile, for every standard.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <math_constants.h>

struct pair {
    float a;
    int b;
};
struct alignas(16) aligned {
    alignas(double) char c[8];
};
template <class T> struct alignas(T) alignas_of {
    alignas(2 * sizeof(T)) T v[2];
};
static_assert(alignof(aligned) == 16 && alignof(alignas_of<int>) == 8, "");
__constant__ float table[16];
__device__ int counter = 3;
extern __shared__ float dynamic[];

__global__ void atomics(int *i, unsigned *u, unsigned long long *ull, float *f, double *d)
{
    atomicAdd(i, 1), atomicAdd(u, 1u), atomicAdd(ull, 1ull), atomicAdd(f, 1.f);
    atomicSub(i, 2), atomicSub(u, 2u), atomicExch(f, 2.f), atomicExch(i, 2);
    atomicMax(i, 3), atomicMin(u, 3u), atomicMax(ull, 3ull), atomicMin((long long *)ull, -3ll);
    atomicInc(u, 5), atomicDec(u, 5), atomicAnd(i, 1), atomicOr(ull, 2ull), atomicXor(u, 7u);
    i[1] = atomicCAS(i, 1, 2) + atomicCAS(u, 1u, 2u) + (int)atomicCAS(ull, 1ull, 2ull);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    atomicAdd(d, 1.0), atomicAdd_block(i, 1), atomicAdd_system(f, 1.f), atomicCAS_block(i, 1, 2);
#endif
}

__global__ void warps(int *out, float x)
{
    __shared__ alignas(alignof(float4)) float room[4];
    room[0] = x;
    int n = threadIdx.x;
    n += __ballot_sync(~0u, n > 3) + __any_sync(~0u, n) + __all_sync(~0u, n) + __activemask();
    n += __shfl_sync(~0u, n, 0) + __shfl_up_sync(~0u, n, 1) + __shfl_xor_sync(~0u, n, 1, 16);
    x += __shfl_down_sync(~0u, x, 1) + (float)__shfl_down_sync(~0u, 1.0, 2);
    n += __ballot(n) + __any(n) + __all(n) + __shfl(n, 1) + __shfl_up(n, 1u);
    x += __shfl_down(x, 2) + __shfl_xor(x, 1);
    __syncwarp();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    int all;
    n += __match_any_sync(~0u, n) + __match_all_sync(~0u, x, &all) + __match_any_sync(~0u, 2.0);
    __nanosleep(10);
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    n += __reduce_add_sync(~0u, 2u) + __reduce_max_sync(~0u, -2);
#endif
    __syncthreads();
    n += __syncthreads_count(n > 3) + __syncthreads_and(n) + __syncthreads_or(n);
    __threadfence(), __threadfence_block(), __threadfence_system();
    out[n & 31] = n + (int)x;
}

__global__ void floats(float *out, const float *__restrict__ in, float x, float y, int n)
{
    float s, c;
    int e;
    sincosf(x, &s, &c), __sincosf(x, &s, &c);
    out[0] = sqrtf(x) + fmaf(x, y, s) + fminf(x, c) + fmaxf(x, y) + fabsf(x) + rsqrtf(x) + cbrtf(x);
    out[1] = sinf(x) + cosf(x) + tanf(x) + expf(x) + logf(x) + powf(x, y) + tanhf(x) + erff(x);
    out[2] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __log2f(x) + __powf(x, y) + __tanf(x);
    out[3] = floorf(x) + ceilf(x) + rintf(x) + truncf(x) + roundf(x) + fmodf(x, y) + fdimf(x, y);
    out[4] = std::sqrt(x) + std::abs(x) + std::max(x, y) + min(x, y) + max(n, 2) + max(2u, n);
    out[5] = __fadd_rn(x, y) + __fmul_rz(x, y) + __fdiv_ru(x, y) + __frcp_rd(x) + __fsqrt_rn(x);
    out[6] = __fdividef(x, y) + __saturatef(x) + copysignf(x, y) + hypotf(x, y) + ldexpf(x, n);
    out[7] = frexpf(x, &e) + modff(x, &s) + isnan(nanf("")) + sinpif(x) + exp10f(x) + log1pf(x) + e;
    out[8] = isnan(x) + isinf(x) + signbit(x) + CUDART_PI_F + CUDART_INF_F + lroundf(x);
    out[9] = __ldg(in) + __ldg((const float4 *)in).x + __ldcg(in) + __ldcs(in) + __ldca(in);
    __stcs(out + 10, x), __stcg(out + 11, x), __stwt(out + 12, x), __stwb(out + 13, x);
    *(float4 *)(out + 16) = make_float4(1, 2, 3, 4);
}

// as nvcc has it: pow is a double but of two floats
template <class A, class B> struct same_type { static constexpr bool is = false; };
template <class A> struct same_type<A, A> { static constexpr bool is = true; };
__global__ void doubles(double *out, double x, double y, float f)
{
    static_assert(same_type<decltype(pow(f, 2)), double>::is && same_type<decltype(std::pow(2, f)), double>::is, "");
    static_assert(same_type<decltype(std::pow(f, f)), float>::is && same_type<decltype(pow(x, f)), double>::is, "");
    out[0] = sqrt(x) + fabs(x) + floor(x) + rsqrt(x) + fma(x, y, x) + fmax(x, 1.0) + max(x, 2.0f);
    out[1] = exp(x) + log(x) + sin(x) + cos(x) + pow(x, y) + pow(x, 2) + ceil(x) + round(x) + pow(f, 2);
    out[2] = __dadd_rn(x, y) + __ddiv_rz(x, y) + __drcp_rn(x) + __dsqrt_ru(x) + __fma_rd(x, y, x);
    out[3] = __hiloint2double(1, 2) + __double2hiint(x) + (double)__double_as_longlong(x);
}

__global__ void integers(int *out, int n, unsigned u, long long l)
{
    out[0] = abs(n) + __clz(n) + __ffs(n) + __brev(u) + __popc(u) + __popcll(l) + __clzll(l);
    out[1] = __mulhi(n, 3) + __umulhi(u, 3) + __umul24(3, u) + __mul24(n, n) + __sad(n, 2, 3);
    out[2] = __byte_perm(n, 2, 3) + __hadd(n, 3) + __rhadd(n, 3) + __funnelshift_l(n, 2, 3);
    out[3] = __float2int_rn(2.5f) + __double2int_rz(2.5) + (int)__int2float_rn(n) + __float_as_int(1.f);
    out[4] = min(l, 3ll) + max(u, 3u) + min(2l, 3l) + max(2ul, 3ul);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
    out[5] = __dp4a(n, 2, 3);
#endif
}

template <int N> __global__ __launch_bounds__(256, 2) void misc(float *out, pair by_value)
{
    __shared__ int tile[N];
    uint3 t = threadIdx;
    dim3 d = blockDim;
    tile[threadIdx.x] = (int)(clock() + clock64()) + warpSize;
    __syncthreads();
    if (t.x == 0)
        printf("%d %f\n", tile[0], by_value.a);
    assert(tile[0] != 1);
    int *p = new int[4];
    void *q = malloc(8);
    if (!q)
        __trap();
    free(q);
    delete[] p;
    out[0] = table[t.y & 15] + counter + d.x + dynamic[0] + by_value.b;
    out[1] = __isShared(tile) + (float)__cvta_generic_to_shared(tile);
    auto twice = [=] __device__(float v) { return 2 * v; };
    out[2] = twice(out[1]);
}

int main()
{
    float *f;
    int *i, n;
    void *v;
    cudaMalloc(&f, 100), cudaMalloc((void **)&i, 100), cudaMallocManaged(&i, 10);
    cudaMallocHost(&f, 10), cudaHostAlloc(&f, 10, cudaHostAllocMapped);
    cudaMemcpyToSymbol(table, f, 64), cudaMemcpyFromSymbol(f, table, 64, 0, cudaMemcpyDeviceToHost);
    cudaGetSymbolAddress(&v, counter);
    size_t size;
    cudaGetSymbolSize(&size, table), cudaMallocPitch(&f, &size, 4, 4);
    misc<3><<<1, 2, 3>>>(f, pair{1, 2});
    misc<4><<<dim3(1, 2), dim3(3), 0, 0>>>(f, pair());
    void *args[] = {&f};
    cudaLaunchKernel(misc<3>, dim3(1), dim3(2), args, 0, 0);
    cudaLaunchKernel((const void *)atomics, 1, 2, args, 0, 0);
    cudaFuncSetAttribute(misc<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, floats);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, doubles, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&n, &n, integers, 0, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream), cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreate(&event), cudaEventCreate(&event, cudaEventDisableTiming);
    cudaEventRecord(event), cudaEventRecord(event, stream), cudaStreamWaitEvent(stream, event, 0);
    cudaMemcpyAsync(f, f, 4, cudaMemcpyDefault, stream);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%d %d %d\n", p.clockRate, p.deviceOverlap, p.memoryClockRate); // gone in CUDA 13
    printf("%d %f %d\n", max(1, 2), min(2.f, 1.0), (int)max(2ul, 3ul));
    printf("%f %s\n", rsqrtf(4.f), cudaGetErrorString(cudaGetLastError()));
    warps<<<1, 32>>>(i, 1.f);
    cudaThreadSynchronize();
    return cudaDeviceReset();
}
