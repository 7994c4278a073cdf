// What the texture unit takes: cycles of a multiprocessor for a fetch by a warp, and how long a fetch takes, by kind of texture, filter and footprint.
// usage: tex [FETCH]: only those of this name. Rows:
//   rate   fetch elements footprint warps cycles            cycles of the multiprocessor for a warp's fetch, 8 fetches at once, one multiprocessor
//   chain  fetch elements footprint cycles                  a fetch whose coordinate needs the one before
//   depth  fetch elements footprint warps cycles...        when the first warp has issued each of 32 fetches that nobody uses yet, beside so many
// Textures are small (64 by 64), so L1 has all of them. Footprints: row (32 neighbours of a row), tile (8 by 4), column (32 rows), spread (each lane 3 rows and 5 columns on).
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
typedef unsigned U32; typedef unsigned long long U64;
enum { SIDE = 64, AT_ONCE = 8, TURNS = 64, DEEP = 32 };
enum footprint { ROW, TILE, COLUMN, SPREAD, SAME, FOOTPRINTS };
static const char *const footprint_names[] = {"row", "tile", "column", "spread", "same"};
enum fetch { FETCH1D, POINT, LINEAR, HALVES, ARRAY3D, FETCHES };
static const char *const fetch_names[] = {"tex1Dfetch", "tex2D point", "tex2D linear", "tex2D linear, in the middle of texels", "tex3D linear"};
__device__ __forceinline__ U32 folded(float v) { return __float_as_uint(v); }
__device__ __forceinline__ U32 folded(float4 v) { return __float_as_uint(v.x) ^ __float_as_uint(v.w); }
__device__ __forceinline__ U32 folded(uchar4 v) { return v.x ^ v.w; }
__device__ __forceinline__ float number(float v) { return v; }
__device__ __forceinline__ float number(float4 v) { return v.x; }
template <int F, class T> __device__ __forceinline__ T fetch(cudaTextureObject_t t, float x, float y) {
    if constexpr (F == FETCH1D) return tex1Dfetch<T>(t, (int)x + SIDE * (int)y);
    else if constexpr (F == ARRAY3D) return tex3D<T>(t, x, y, 1.3f);
    else return tex2D<T>(t, x, y);
}
__device__ __forceinline__ void place(int footprint, float *x, float *y) {
    const int lane = threadIdx.x & 31;
    *x = footprint == ROW ? lane : footprint == TILE ? lane % 8 : footprint == COLUMN ? 3 : footprint == SPREAD ? lane * 5 % SIDE : 3;
    *y = footprint == ROW ? 3 : footprint == TILE ? lane / 8 : footprint == COLUMN ? lane : footprint == SPREAD ? lane * 3 % SIDE : 3;
}
template <int F, class T> __global__ void rate(cudaTextureObject_t t, int footprint, float off, float zero, span *spans, U32 *out) {
    float x, y; U32 sum = 0; place(footprint, &x, &y); x += off; y += off;
#pragma unroll 1
    for (int pass = 0; pass < 3; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < TURNS; i++) {
            T v[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) v[k] = fetch<F, T>(t, x, y + k);
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) sum ^= folded(v[k]);
            x += zero; // or the fetches need no loop
        }
        if (sum == 12345) *out = sum;
        span_add(spans + pass, begin, clock64());
    }
}
template <int F, class T> __global__ void chain(cudaTextureObject_t t, int footprint, float off, span *spans, U32 *out) {
    float x, y; place(footprint, &x, &y); x += off; y += off;
    for (int pass = 0; pass < 3; pass++) {
        long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < TURNS; i += 4) {
#pragma unroll
            for (int k = 0; k < 4; k++) x += number(fetch<F, T>(t, x, y));
        }
        if (x == 12345) *out = 1;
        span_add(spans + pass, begin, clock64());
    }
}
template <int F, class T> __global__ void depth(cudaTextureObject_t t, int footprint, float off, U32 *when, U32 *out) { // of warp 0
    float x, y; U32 sum = 0; place(footprint, &x, &y); x += off; y += off;
    for (int pass = 0; pass < 2; pass++) {
        T v[DEEP]; U32 at[DEEP];
        __syncthreads();
        U32 begin = clock();
#pragma unroll
        for (int k = 0; k < DEEP; k++) { v[k] = fetch<F, T>(t, x, y + k % 8); asm volatile("mov.u32 %0, %%clock;" : "=r"(at[k]) :: "memory"); }
#pragma unroll
        for (int k = 0; k < DEEP; k++) { sum ^= folded(v[k]); if (pass && threadIdx.x == 0) when[k] = at[k] - begin; }
        if (sum == 12345) *out = sum;
    }
}
static span *spans; static U32 *out, *when; static const char *only;
static double least(int warps, int steps) {
    span h[3]; double best = 1e30;
    CK(cudaGetLastError()); CK(cudaMemcpy(h, spans, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 3; i++) best = std::min(best, (double)(h[i].end - h[i].begin) / steps / warps);
    return best;
}
static void clear() { span h[3]; for (auto &s : h) s = {INT64_MAX, 0}; CK(cudaMemcpy(spans, h, sizeof h, cudaMemcpyHostToDevice)); }
template <class T> static const char *element(); template <> const char *element<float>() { return "float"; } template <> const char *element<float4>() { return "float4"; } template <> const char *element<uchar4>() { return "uchar4"; }
template <int F, class T> static void measure() {
    if (only && strcmp(only, fetch_names[F])) return;
    cudaTextureObject_t t; cudaResourceDesc r = {}; cudaTextureDesc d = {}; cudaChannelFormatDesc c = cudaCreateChannelDesc<T>();
    void *linear = NULL; cudaArray_t array = NULL; const bool filters = F == LINEAR || F == HALVES || F == ARRAY3D;
    d.readMode = cudaReadModeElementType; d.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    if (F == FETCH1D) {
        CK(cudaMalloc(&linear, SIDE * SIDE * sizeof(T))); CK(cudaMemset(linear, 0, SIDE * SIDE * sizeof(T)));
        r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = linear; r.res.linear.desc = c; r.res.linear.sizeInBytes = SIDE * SIDE * sizeof(T);
    } else {
        if (F == ARRAY3D) CK(cudaMalloc3DArray(&array, &c, make_cudaExtent(SIDE, SIDE, 4)));
        else { CK(cudaMallocArray(&array, &c, SIDE, SIDE)); std::vector<T> zeros(SIDE * SIDE, T()); CK(cudaMemcpy2DToArray(array, 0, 0, zeros.data(), SIDE * sizeof(T), SIDE * sizeof(T), SIDE, cudaMemcpyHostToDevice)); }
        r.resType = cudaResourceTypeArray; r.res.array.array = array;
    }
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    const float off = F == HALVES ? 1.0f : F == LINEAR || F == POINT || F == ARRAY3D ? 0.5f : 0; // linear at .5 is one texel; HALVES: between four
    for (int f = 0; f < FOOTPRINTS; f++) {
        for (int warps : {1, 4, 16, 32}) {
            clear(); rate<F, T><<<1, 32 * warps>>>(t, f, off, 0.0f, spans, out);
            printf("rate\t%s\t%s\t%s\t%d\t%.3f\n", fetch_names[F], element<T>(), footprint_names[f], warps, least(warps, TURNS * AT_ONCE));
        }
        if constexpr (!std::is_same<T, uchar4>::value) { clear(); chain<F, T><<<1, 32>>>(t, f, off, spans, out); printf("chain\t%s\t%s\t%s\t%.2f\n", fetch_names[F], element<T>(), footprint_names[f], least(1, TURNS)); }
        if (f == ROW || f == SPREAD) for (int warps : {1, 4, 16}) {
            U32 h[DEEP]; depth<F, T><<<1, 32 * warps>>>(t, f, off, when, out); CK(cudaGetLastError()); CK(cudaMemcpy(h, when, sizeof h, cudaMemcpyDeviceToHost));
            printf("depth\t%s\t%s\t%s\t%d\t", fetch_names[F], element<T>(), footprint_names[f], warps); for (int k = 0; k < DEEP; k++) printf("%u%c", h[k], k + 1 < DEEP ? ' ' : '\n');
        }
    }
}
int main(int argc, char **argv) {
    only = argc > 1 ? argv[1] : NULL;
    head("tex");
    CK(cudaMalloc(&spans, 3 * sizeof(span))); out = device_array<U32>(4); when = device_array<U32>(DEEP);
    measure<FETCH1D, float>(); measure<FETCH1D, float4>(); measure<FETCH1D, uchar4>();
    measure<POINT, float>(); measure<POINT, float4>(); measure<POINT, uchar4>();
    measure<LINEAR, float>(); measure<LINEAR, float4>(); measure<HALVES, float>(); measure<HALVES, float4>(); measure<ARRAY3D, float>();
    return 0;
}
