// What DRAM gives: bytes a nanosecond by kind of access, distance, and threads at work; and how long one load takes beside others.
// usage: dram [GROUP]: stream, stride, random, loaded. Each over arrays that are many times L2. Rows:
//   stream  access bytes-a-lane blocks-a-multiprocessor threads loads-at-once bytes ns bytes-a-ns     of events, best of 5
//   stride  access bytes-apart sector-bytes-asked ns bytes-a-ns     one word a lane, each so far from the next lane's
//   random  access chunk-bytes bytes ns bytes-a-ns MiB              chunks of neighbouring lanes, at random in so many MiB
//   loaded  access multiprocessors warps loads-at-once bytes-a-ns cycles-of-a-load ns-of-a-load    a chain at random in 2 GiB beside streams;
//           readL2: 16 MiB and 2 MiB, which L2 has
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
typedef unsigned U32; typedef unsigned long long U64;

enum kind { READ, WRITE, COPY, READ_WRITE, KINDS };
static const char *const kind_names[] = {"read", "write", "copy", "add one"};
template <class T> __device__ __forceinline__ U32 folded(T v) { return *(U32 *)&v; }
template <> __device__ __forceinline__ U32 folded(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
template <class T> __device__ __forceinline__ T more(T v) { (*(U32 *)&v)++; return v; }
template <int K, class T, int N> __global__ void stream(const T *from, T *to, size_t n, U32 *out) {
    size_t threads = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; U32 sum = 0;
    for (; i + (N - 1) * threads < n; i += N * threads) {
        T v[N];
#pragma unroll
        for (int k = 0; k < N; k++) if (K != WRITE) v[k] = K == READ_WRITE ? to[i + k * threads] : from[i + k * threads]; else { v[k] = T(); *(U32 *)&v[k] = (U32)i; }
#pragma unroll
        for (int k = 0; k < N; k++) if (K == READ) sum ^= folded(v[k]); else to[i + k * threads] = K == READ_WRITE ? more(v[k]) : v[k];
    }
    if (sum == 12345) *out = sum;
}
template <bool W> __global__ void stride(char *at, size_t lanes, size_t apart, U32 *out) {
    size_t threads = (size_t)gridDim.x * blockDim.x; U32 sum = 0;
#pragma unroll 4
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < lanes; i += threads)
        if (W) *(U32 *)(at + i * apart) = (U32)i; else sum ^= *(U32 *)(at + i * apart);
    if (sum == 12345) *out = sum;
}
__device__ __forceinline__ U32 mixed(U32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
template <bool W> __global__ void randoms(char *at, U32 words, U32 chunk_lanes, U32 chunks, U32 *out) { // words: how many chunks there are places for
    U32 threads = gridDim.x * blockDim.x, sum = 0, id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (U32 i = id / chunk_lanes; i < chunks; i += threads / chunk_lanes) {
        U32 *p = (U32 *)at + (size_t)(mixed(i) % words) * chunk_lanes + id % chunk_lanes;
        if (W) *p = i; else sum ^= *p;
    }
    if (sum == 12345) *out = sum;
}

// block 0's first lane follows a chain; the others stream until it has ended
struct loaded_out { U64 cycles, ns, bytes; };
enum { STEPS = 600 };
template <int K, int N> __global__ void __launch_bounds__(1024) loaded(const U32 *chase, U32 start, uint4 *data, size_t n, int sms, volatile int *stop, loaded_out *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        U32 x = start;
        long long settle = clock64(); while (clock64() - settle < 40000) ;
        for (int i = 0; i < 20; i++) x = __ldcg(chase + x);
        U64 ns = nanoseconds(); long long begin = clock64();
        for (int i = 0; i < STEPS; i++) x = __ldcg(chase + x);
        if (x == 0xffffffffu) out->bytes = x;
        out->cycles = clock64() - begin; out->ns = nanoseconds() - ns;
        *stop = 1; __threadfence();
        return;
    }
    if ((int)blockIdx.x > sms) return;
    size_t threads = (size_t)sms * blockDim.x, i = (size_t)(blockIdx.x - 1) * blockDim.x + threadIdx.x; U32 sum = 0; U64 turns = 0, ns = nanoseconds(), took;
    while (!*stop) {
#pragma unroll 1
        for (int r = 0; r < 4; r++) {
            uint4 v[N];
#pragma unroll
            for (int k = 0; k < N; k++) {
                size_t at = i + k * threads; at = at < n ? at : at - n;
                if (K == READ) v[k] = __ldcg(data + at); else data[at] = make_uint4((U32)turns, 0, 0, 0);
            }
#pragma unroll
            for (int k = 0; k < N; k++) if (K == READ) sum ^= folded(v[k]);
            i += N * threads; if (i >= n) i -= n;
            turns++;
        }
    }
    took = nanoseconds() - ns;
    if (sum == 12345) out->bytes = sum;
    if (threadIdx.x == 0) atomicAdd(&out->bytes, turns * N * 16 * blockDim.x * 1000 / took); // bytes a microsecond
}
__global__ void chain_init(U32 *chase, U32 n) { // n is a power of two, so the chain visits every line
    for (U32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) chase[(size_t)i * 32] = (i * 1664525u + 1013904223u) % n * 32;
}

static cudaEvent_t begin_, end_;
template <class F> static double best_ns(F f, int times = 5) {
    double best = 1e30;
    for (int r = 0; r < times + 1; r++) {
        float ms;
        CK(cudaEventRecord(begin_)); f(); CK(cudaGetLastError()); CK(cudaEventRecord(end_)); CK(cudaEventSynchronize(end_)); CK(cudaEventElapsedTime(&ms, begin_, end_));
        if (r) best = std::min(best, ms * 1e6);
    }
    return best;
}
static char *a, *b; static U32 *out; static int sms; static const size_t GIB = (size_t)1 << 30;
static char *from, *to;
static void next_gib() { // another GiB each time: nothing of it is in L2
    static int turn; turn = (turn + 1) % 4;
    from = a + turn * GIB; to = b + turn * GIB;
}
template <int K, class T, int N> static void measure_stream() {
    size_t n = GIB / sizeof(T);
    for (int threads : {128, 256, 512, 1024}) for (int per : {1, 2, 4, 8, 16}) {
        if (per * threads > 2048) continue;
        if (threads != 256 && threads != 1024 && N != 1) continue;
        double ns = best_ns([&] { next_gib(); stream<K, T, N><<<sms * per, threads>>>((T *)from, (T *)to, n, out); });
        double bytes = (double)GIB * (K == COPY || K == READ_WRITE ? 2 : 1);
        printf("stream\t%s\t%d\t%d\t%d\t%d\t%.0f\t%.0f\t%.1f\n", kind_names[K], (int)sizeof(T), per, threads, N, bytes, ns, bytes / ns);
    }
    if (N == 1) { // a thread an element
        double ns = best_ns([&] { next_gib(); stream<K, T, N><<<n / 256, 256>>>((T *)from, (T *)to, n, out); });
        double bytes = (double)GIB * (K == COPY || K == READ_WRITE ? 2 : 1);
        printf("stream\t%s\t%d\tall\t256\t1\t%.0f\t%.0f\t%.1f\n", kind_names[K], (int)sizeof(T), bytes, ns, bytes / ns);
    }
}
template <int K> static void streams() {
    measure_stream<K, U32, 1>(); measure_stream<K, U32, 4>(); measure_stream<K, uint2, 1>(); measure_stream<K, uint4, 1>(); measure_stream<K, uint4, 4>();
}
template <int K, int N> static void measure_loaded(U32 *chase, int *stop, loaded_out *o, const char *where = "", U32 n = 0) {
    const bool l2 = *where; // 16 MiB and a chain in 2 MiB, which L2 has
    static const struct { int sms, warps; } loads[] = {{0, 1}, {8, 32}, {16, 32}, {32, 32}, {64, 32}, {131, 1}, {131, 2}, {131, 4}, {131, 6}, {131, 8}, {131, 12}, {131, 16}, {131, 24}, {131, 32}};
    U32 start = 0;
    if (l2) chain_init<<<sms * 8, 256>>>(chase, 1 << 14);
    for (int again = l2 ? 0 : 1; again < 2; again++) for (auto l : loads) { // the first time brings what L2 is to have
        loaded_out h = {};
        CK(cudaMemset(stop, 0, 4)); CK(cudaMemset(o, 0, sizeof h));
        CK(cudaFuncSetAttribute(loaded<K, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 << 10));
        start += 77777 * 32; // another part of the chain
        loaded<K, N><<<sms, l.warps * 32, 180 << 10>>>(chase, l2 ? 0 : start % (1u << 24) * 32, (uint4 *)a, l2 ? (16 << 20) / 16 : 2 * GIB / 16, l.sms, stop, o);
        CK(cudaGetLastError()); CK(cudaMemcpy(&h, o, sizeof h, cudaMemcpyDeviceToHost));
        if (again) printf("loaded\t%s%s\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\n", kind_names[K], where, l.sms, l.warps, N, h.bytes / 1000., (double)h.cycles / STEPS, (double)h.ns / STEPS);
    }
    if (l2) chain_init<<<sms * 8, 256>>>(chase, n);
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    head("dram");
    cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); sms = d.multiProcessorCount;
    CK(cudaEventCreate(&begin_)); CK(cudaEventCreate(&end_));
    a = device_array<char>(4 * GIB); b = device_array<char>(4 * GIB); out = device_array<U32>(4);
    if (want("stream")) { streams<READ>(); streams<WRITE>(); streams<COPY>(); streams<READ_WRITE>(); }
    if (want("stride")) for (int w = 0; w < 2; w++) for (size_t apart : {4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384, 65536}) {
        size_t lanes = std::min((size_t)1 << 26, 4 * GIB / apart);
        double ns = best_ns([&] { w ? stride<true><<<sms * 8, 256>>>(a, lanes, apart, out) : stride<false><<<sms * 8, 256>>>(a, lanes, apart, out); }, 3);
        double bytes = (double)lanes * std::min((size_t)32, apart);
        printf("stride\t%s\t%zu\t%.0f\t%.0f\t%.1f\n", w ? "write" : "read", apart, bytes, ns, bytes / ns);
    }
    if (want("random")) for (int w = 0; w < 2; w++) for (U32 lanes : {1, 2, 4, 8, 16, 32}) for (size_t mib : {32, 256, 1024, 4096}) {
        if (mib < 4096 && lanes != 1 && lanes != 8 && lanes != 32) continue;
        U32 chunks = (1u << 27) / std::max(lanes, 8u), words = (U32)((mib << 20) / 4 / lanes);
        double ns = best_ns([&] { w ? randoms<true><<<sms * 8, 256>>>(a, words, lanes, chunks, out) : randoms<false><<<sms * 8, 256>>>(a, words, lanes, chunks, out); }, 3);
        double bytes = (double)chunks * lanes * 4;
        printf("random\t%s\t%u\t%.0f\t%.0f\t%.1f\t%zu\n", w ? "write" : "read", lanes * 4, bytes, ns, bytes / ns, mib);
    }
    if (want("loaded")) {
        U32 *chase = (U32 *)(a + 2 * GIB), n = (U32)(2 * GIB / 128); int *stop = device_array<int>(1); loaded_out *o = device_array<loaded_out>(1);
        chain_init<<<sms * 8, 256>>>(chase, n); CK(cudaDeviceSynchronize());
        measure_loaded<READ, 4>(chase, stop, o, "L2", n);
        measure_loaded<READ, 1>(chase, stop, o); measure_loaded<READ, 4>(chase, stop, o); measure_loaded<WRITE, 1>(chase, stop, o);
    }
    return 0;
}
