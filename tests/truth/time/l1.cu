// What a warp's access takes of the load and store unit, by the addresses of its lanes: loads that hit L1, stores, shared and local
// memory, textures; and how many accesses a warp and a multiprocessor can have on their way before the next one has to wait.
// usage: l1 [GROUP]: shape, chain, depth. Rows:
//   shape  access shape warps cycles   cycles of the multiprocessor an access of a warp, one block; loads of all warps from
//                                      the same addresses, which L1 has; stores of each warp to its own 32 KiB
//   chain  access shape cycles         one warp; each address needs the load before, and an addition of 64 bits
//   depth  access warps first...       cycles from one access of the first warp to its next one
//   flight access warps at:number ...  accesses that all warps have begun, so many cycles after the first
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
typedef unsigned U32; typedef unsigned long long U64;

enum { SLOTS = 8, SLOT = 4096, TURNS = 32, PASSES = 3 };
struct args { struct span *span; char *global; const U32 *offsets; U32 *out; U32 zero; cudaTextureObject_t texture; };
__shared__ __align__(128) char shared_bytes[SLOTS * SLOT];

// LOAD, STORE(name, space, bytes, text): %0 to %3 data (or what comes in), %4 an address, %5 a number that is known when compiled, %6 a zero (STORE: where in shared memory)
#define ACCESSES \
    LOAD("LDG", GLOBAL, 4, "ld.global.ca.u32 %0, [%4+%5];") \
    LOAD("LDG.64", GLOBAL, 8, "ld.global.ca.v2.u32 {%0, %1}, [%4+%5];") \
    LOAD("LDG.128", GLOBAL, 16, "ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4+%5];") \
    LOAD("LDG.U8", GLOBAL, 1, "ld.global.ca.u8 %0, [%4+%5];") \
    LOAD("LDG.CONSTANT", GLOBAL, 4, "ld.global.nc.u32 %0, [%4+%5];") \
    STORE("STG", GLOBAL, 4, "st.global.u32 [%4+%5], %0;") \
    STORE("STG.64", GLOBAL, 8, "st.global.v2.u32 [%4+%5], {%0, %1};") \
    STORE("STG.128", GLOBAL, 16, "st.global.v4.u32 [%4+%5], {%0, %1, %2, %3};") \
    STORE("STG.U8", GLOBAL, 1, "st.global.u8 [%4+%5], %0;") \
    LOAD("LDS", SHARED, 4, "ld.volatile.shared.u32 %0, [%4+%5];") \
    LOAD("LDS.64", SHARED, 8, "ld.volatile.shared.v2.u32 {%0, %1}, [%4+%5];") \
    LOAD("LDS.128", SHARED, 16, "ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4+%5];") \
    LOAD("LDS.U8", SHARED, 1, "ld.volatile.shared.u8 %0, [%4+%5];") \
    STORE("STS", SHARED, 4, "st.volatile.shared.u32 [%4+%5], %0;") \
    STORE("STS.64", SHARED, 8, "st.volatile.shared.v2.u32 [%4+%5], {%0, %1};") \
    STORE("STS.128", SHARED, 16, "st.volatile.shared.v4.u32 [%4+%5], {%0, %1, %2, %3};") \
    STORE("STS.U8", SHARED, 1, "st.volatile.shared.u8 [%4+%5], %0;") \
    LOAD("ATOMS.ADD", SHARED, 4, "atom.shared.add.u32 %0, [%4+%5], %6;") \
    LOAD("ATOMS.CAS", SHARED, 4, "atom.shared.cas.b32 %0, [%4+%5], 1, 2;") \
    LOAD("ATOMS.EXCH", SHARED, 4, "atom.shared.exch.b32 %0, [%4+%5], %6;") \
    STORE("ATOMS.ADD, no result", SHARED, 4, "red.shared.add.u32 [%4+%5], %0;") \
    STORE("LDGSTS.32", BOTH, 4, "cp.async.ca.shared.global [%6], [%4+%5], 4;") \
    STORE("LDGSTS.128", BOTH, 16, "cp.async.ca.shared.global [%6], [%4+%5], 16;") \
    STORE("LDGSTS.BYPASS.128", BOTH, 16, "cp.async.cg.shared.global [%6], [%4+%5], 16;") \
    LOAD("TEX", TEXTURE, 4, "") \
    LOAD("LDL", LOCAL, 4, "ld.local.u32 %0, [%4+%5];") \
    LOAD("LDL.128", LOCAL, 16, "ld.local.v4.u32 {%0, %1, %2, %3}, [%4+%5];") \
    STORE("STL", LOCAL, 4, "st.local.u32 [%4+%5], %0;")
enum space { GLOBAL, SHARED, LOCAL, BOTH, TEXTURE };
template <int ID> struct access;
enum { BEGIN = __COUNTER__ };
#define LOAD(...) LOAD_(__COUNTER__ - BEGIN - 1, __VA_ARGS__)
#define LOAD_(id, name_, space_, bytes_, text_) template <> struct access<id> { \
    static const char *name() { return name_; } static const enum space space = space_; static const int bytes = bytes_; static const bool load = true; \
    template <int AT> static __device__ __forceinline__ void go(U32 *v, U64 a, U32 s) { \
        asm volatile(text_ : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(a), "n"(AT), "r"(s) : "memory"); } };
#define STORE(...) STORE_(__COUNTER__ - BEGIN - 1, __VA_ARGS__)
#define STORE_(id, name_, space_, bytes_, text_) template <> struct access<id> { \
    static const char *name() { return name_; } static const enum space space = space_; static const int bytes = bytes_; static const bool load = false; \
    template <int AT> static __device__ __forceinline__ void go(U32 *v, U64 a, U32 s) { \
        asm volatile(text_ :: "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "l"(a), "n"(AT), "r"(s + AT / 8) : "memory"); } };
ACCESSES
enum { COUNT = __COUNTER__ - BEGIN - 1 };

template <int ID, int K> __device__ __forceinline__ void one(const args &p, U64 at, U32 to, U32 offset, U32 *v) {
    typedef access<ID> A;
    if constexpr (A::space == TEXTURE) v[0] = tex1Dfetch<unsigned>(p.texture, offset / 4 + K * (SLOT / 4));
    else A::template go<A::space == LOCAL ? K * 16 : K * SLOT>(v, at, A::load ? p.zero : to);
}
template <int ID> __device__ __forceinline__ U32 used(const U32 *v) {
    return access<ID>::bytes == 16 ? v[0] ^ v[1] ^ v[2] ^ v[3] : access<ID>::bytes == 8 ? v[0] ^ v[1] : v[0];
}
template <int ID> __global__ void __launch_bounds__(1024) shapes(args p) {
    typedef access<ID> A;
    char own[A::space == LOCAL ? 256 : 4];
    U32 lane = threadIdx.x & 31, offset = p.offsets[lane], sum = 0, to = (U32)__cvta_generic_to_shared(shared_bytes) + lane * A::bytes, v[8][4] = {};
    for (U32 i = threadIdx.x; i < sizeof shared_bytes / 4; i += blockDim.x) ((U32 *)shared_bytes)[i] = 0;
    U64 at = A::space == SHARED ? __cvta_generic_to_shared(shared_bytes) + offset
             : A::space == LOCAL ? __cvta_generic_to_local(own) + offset : (U64)p.global + offset + (A::load ? 0 : threadIdx.x / 32 * (SLOTS * SLOT));
    if (A::space == LOCAL) for (int i = 0; i < 64; i++) ((volatile U32 *)own)[i] = p.zero;
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 1
        for (int t = 0; t < TURNS; t++) {
            one<ID, 0>(p, at, to, offset, v[0]); one<ID, 1>(p, at, to, offset, v[1]); one<ID, 2>(p, at, to, offset, v[2]); one<ID, 3>(p, at, to, offset, v[3]);
            one<ID, 4>(p, at, to, offset, v[4]); one<ID, 5>(p, at, to, offset, v[5]); one<ID, 6>(p, at, to, offset, v[6]); one<ID, 7>(p, at, to, offset, v[7]);
            if (A::load) for (int i = 0; i < SLOTS; i++) sum ^= used<ID>(v[i]);
            at += p.zero; offset += p.zero;
        }
        if (A::space == BOTH) asm volatile("cp.async.wait_all;" ::: "memory");
        if (sum == 12345) p.out[lane] = sum;
        span_add(p.span + pass, begin, clock64());
    }
}

// all of the memory is zeros: what is loaded can be added to the address
template <int ID> __global__ void chain(args p) {
    typedef access<ID> A;
    char own[A::space == LOCAL ? 256 : 4];
    U32 lane = threadIdx.x & 31, offset = p.offsets[lane], v[4];
    for (U32 i = threadIdx.x; i < sizeof shared_bytes / 4; i += blockDim.x) ((U32 *)shared_bytes)[i] = 0;
    if (A::space == LOCAL) for (int i = 0; i < 64; i++) ((volatile U32 *)own)[i] = p.zero;
    U64 at = A::space == SHARED ? __cvta_generic_to_shared(shared_bytes) + offset
             : A::space == LOCAL ? __cvta_generic_to_local(own) + offset : (U64)p.global + offset;
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 16
        for (int t = 0; t < 64; t++) {
            if (A::space == TEXTURE) offset += tex1Dfetch<unsigned>(p.texture, offset / 4);
            else { A::template go<0>(v, at, p.zero); at += used<ID>(v); }
        }
        if (at + offset == 12345) p.out[lane] = 1;
        span_add(p.span + pass, begin, clock64());
    }
}

// ---- how many at once
enum deep { DEEP_LDG, DEEP_LDG128, DEEP_LDG32, DEEP_LDG_HIT, DEEP_LDG_HIT32, DEEP_STG, DEEP_STG32, DEEP_LDS, DEEP_LDS32, DEEP_MUFU, DEEP_SHFL, DEEPS };
static const char *const deep_names[] = {"LDG from L2, a line", "LDG.128 from L2, 4 lines", "LDG from L2, 32 lines", "LDG from L1, a line", "LDG from L1, 32 lines of one bank", "STG, a line",
                                         "STG, 32 lines", "LDS, no conflict", "LDS, 32 words of a bank", "MUFU.RSQ", "SHFL"};
template <int K, int DEEP, int THREADS> __global__ void __launch_bounds__(THREADS) depth(args p, U64 *times) {
    U32 v[DEEP][4] = {}, lane = threadIdx.x & 31, warp = threadIdx.x / 32; long long t[DEEP + 1];
    const U32 step = K == DEEP_LDG ? 128 : K == DEEP_LDG128 ? 512 : K == DEEP_LDG_HIT || K == DEEP_STG ? 128 : K == DEEP_LDG_HIT32 ? 4 : 4096;
    const bool far = K == DEEP_LDG32 || K == DEEP_LDG_HIT32 || K == DEEP_STG32, own = K != DEEP_LDG_HIT && K != DEEP_LDG_HIT32;
    const char *at = p.global + (own ? warp * (56 * 4096) : 0) + lane * (far ? 128 : K == DEEP_LDG128 ? 16 : 4);
    U32 word = (U32)__cvta_generic_to_shared(shared_bytes) + lane * (K == DEEP_LDS32 ? 128 : 4); float x[DEEP];
    if (K == DEEP_MUFU || K == DEEP_SHFL) for (int i = 0; i < DEEP; i++) x[i] = i + lane + p.zero;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) { // the first brings the code, and for DEEP_LDG_HIT the lines
        __syncthreads();
        t[0] = clock64();
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            if (K == DEEP_LDG || K == DEEP_LDG32) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(at + i * step) : "memory");
            if (K == DEEP_LDG_HIT || K == DEEP_LDG_HIT32) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(at + i * step) : "memory");
            if (K == DEEP_LDG128) asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3]) : "l"(at + i * step) : "memory");
            if (K == DEEP_STG || K == DEEP_STG32) asm volatile("st.global.u32 [%0], %1;" :: "l"(at + i * step), "r"(lane) : "memory");
            if (K == DEEP_LDS || K == DEEP_LDS32) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i][0]) : "r"(word + i * 4) : "memory");
            if (K == DEEP_MUFU) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x[i]) :: "memory");
            if (K == DEEP_SHFL) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+f"(x[i]) :: "memory");
            t[i + 1] = clock64();
        }
        U32 sum = 0; float s = 0;
#pragma unroll
        for (int i = 0; i < DEEP; i++) { sum ^= K == DEEP_LDG128 ? v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3] : v[i][0]; if (K == DEEP_MUFU || K == DEEP_SHFL) s += x[i]; }
        if (sum == 12345 || s == 1.5f) p.out[lane] = sum;
    }
    if (lane == 0) for (int i = 0; i <= DEEP; i++) times[warp * (DEEP + 1) + i] = t[i];
}

// ---- host
static args p;
static U32 *offsets;
static void lanes_at(const U32 *o) { CK(cudaMemcpy(offsets, o, 32 * 4, cudaMemcpyHostToDevice)); }
static bool chains;
template <int ID> static void measure(const char *shape, const U32 *o) {
    lanes_at(o);
    if (chains) {
        if constexpr (access<ID>::load) {
            double best = 1e30;
            CK(cudaMemset(p.global, 0, 1 << 20));
            CK(cudaFuncSetAttribute(chain<ID>, cudaFuncAttributePreferredSharedMemoryCarveout, 15));
            for (int r = 0; r < 3; r++) {
                struct span spans[PASSES];
                for (int i = 0; i < PASSES; i++) spans[i] = {INT64_MAX, 0};
                CK(cudaMemcpy(p.span, spans, sizeof spans, cudaMemcpyHostToDevice));
                chain<ID><<<1, 32>>>(p);
                CK(cudaGetLastError());
                CK(cudaMemcpy(spans, p.span, sizeof spans, cudaMemcpyDeviceToHost));
                for (int i = 1; i < PASSES; i++) best = std::min(best, (double)(spans[i].end - spans[i].begin));
            }
            printf("chain\t%s\t%s\t%.2f\n", access<ID>::name(), shape, best / 64);
        }
        return;
    }
    for (int w : {1, 4, 16, 32}) {
        if (access<ID>::space == LOCAL && w > 16) continue;
        double best = 1e30;
        // a block's 32 KiB of shared memory, or a driver that hopes for many blocks leaves too little of L1
        CK(cudaFuncSetAttribute(shapes<ID>, cudaFuncAttributePreferredSharedMemoryCarveout, 15));
        for (int r = 0; r < 2; r++) {
            struct span spans[PASSES];
            for (int i = 0; i < PASSES; i++) spans[i] = {INT64_MAX, 0};
            CK(cudaMemcpy(p.span, spans, sizeof spans, cudaMemcpyHostToDevice));
            shapes<ID><<<1, w * 32>>>(p);
            CK(cudaGetLastError());
            CK(cudaMemcpy(spans, p.span, sizeof spans, cudaMemcpyDeviceToHost));
            for (int i = 1; i < PASSES; i++) best = std::min(best, (double)(spans[i].end - spans[i].begin));
        }
        printf("shape\t%s\t%s\t%d\t%.3f\n", access<ID>::name(), shape, w, best / (TURNS * SLOTS) / w);
    }
}
static U32 shuffled(U32 i) { return (i * 13 + 5) % 32; }
static U32 scattered(U32 i) { return (i * 2654435761u >> 12) & 1023; }
template <int ID> static void all_shapes() {
    typedef access<ID> A; const U32 w = A::bytes; U32 o[32]; char name[64];
#define SHAPE(expression, ...) do { snprintf(name, sizeof name, __VA_ARGS__); for (U32 i = 0; i < 32; i++) o[i] = (expression); measure<ID>(name, o); } while (0)
    if constexpr (A::space == LOCAL) {
        SHAPE(0, "same index"); SHAPE(i % 2 * 16, "2 indices"); SHAPE(i % 8 * 16, "8 indices");
    } else {
    SHAPE(i * w, "stride 1");
    SHAPE(0, "same");
    SHAPE(shuffled(i) * w, "shuffled");
    for (U32 s = 2; s * w <= 128; s *= 2) SHAPE(i * w * s, "stride %u", s);
    for (U32 s : {3u, 5u, 33u}) if (s * w < 128 || w == 4) SHAPE((i * w * s) & 4095, "stride %u", s);
    for (U32 n = 2; n <= 32; n *= 2) SHAPE(i % n * 128 + i * w % 128, "%u lines in turn", n);
    for (U32 n = 2; n <= 32; n *= 2) SHAPE(i / (32 / n) * 128 + i * w % 128, "%u lines, groups", n);
    SHAPE(scattered(i) * 4 / w * w & 4095, "random");
    if (w == 4 && A::space != SHARED) { SHAPE(i * 4 + 4, "stride 1 from word 1"); SHAPE(i * 4 + 16, "stride 1 from word 4"); SHAPE(i * 4 + 32, "stride 1 from word 8"); SHAPE(i * 4 + 64, "stride 1 from word 16"); }
    for (U32 n : {2u, 4u, 8u, 16u}) SHAPE(i / n * w, "%u lanes a word", n);
    for (U32 n : {1u, 2u, 4u, 8u, 16u}) SHAPE(i < n ? i * 128 : n * 128 + i * w % 128, "%u lanes in lines of their own", n);
    }
}
template <int ID> static void every_access() { if constexpr (ID < COUNT) { all_shapes<ID>(); every_access<ID + 1>(); } }

template <int K, int DEEP, int THREADS> static void measure_depth(std::initializer_list<int> warps) {
    static U64 t[32 * (DEEP + 1)];
    U64 *times = device_array<U64>(32 * (DEEP + 1));
    for (int w : warps) {
        CK(cudaFuncSetAttribute(depth<K, DEEP, THREADS>, cudaFuncAttributePreferredSharedMemoryCarveout, 15));
        for (int r = 0; r < 2; r++) depth<K, DEEP, THREADS><<<1, w * 32>>>(p, times);
        CK(cudaGetLastError());
        CK(cudaMemcpy(t, times, sizeof t, cudaMemcpyDeviceToHost));
        printf("depth\t%s\t%d\t", deep_names[K], w);
        for (int i = 0; i < DEEP; i++) printf(" %d", (int)(t[i + 1] - t[i]));
        std::vector<U64> all;
        for (int i = 0; i < w; i++) for (int j = 1; j <= DEEP; j++) all.push_back(t[i * (DEEP + 1) + j]);
        std::sort(all.begin(), all.end());
        U64 first = t[0];
        for (int i = 0; i < w; i++) first = std::min(first, t[i * (DEEP + 1)]);
        printf("\nflight\t%s\t%d\t", deep_names[K], w);
        for (U64 at : {16, 32, 64, 96, 128, 192, 256, 320, 384, 512, 768, 1024, 2048, 4096, 8192})
            printf(" %d:%d", (int)at, (int)(std::upper_bound(all.begin(), all.end(), first + at) - all.begin()));
        printf("\n");
    }
    CK(cudaFree(times));
}
template <int K> static void all_depths() {
    if constexpr (K < DEEPS) {
        if (K != DEEP_LDG128) measure_depth<K, K == DEEP_LDG128 ? 8 : 56, 128>({1, 2, 4});
        measure_depth<K, 24, K == DEEP_LDG128 ? 256 : 512>({4, 8});
        if (K != DEEP_LDG128) measure_depth<K, 24, 512>({12, 16});
        all_depths<K + 1>();
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    head("l1");
    p.span = device_array<struct span>(PASSES); p.out = device_array<U32>(1 << 12); p.global = device_array<char>(16 << 20);
    p.offsets = offsets = device_array<U32>(32); p.zero = 0;
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = p.global; r.res.linear.sizeInBytes = 1 << 20;
    r.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    cudaTextureDesc d = {}; d.readMode = cudaReadModeElementType;
    CK(cudaCreateTextureObject(&p.texture, &r, &d, NULL));
    if (want("shape")) every_access<0>();
    if (want("chain")) { chains = true; every_access<0>(); }
    if (want("depth")) all_depths<0>();
    return 0;
}
