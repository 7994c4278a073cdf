// What L2 and the way to it give: bytes a cycle by the multiprocessors that ask and by their warps, atomics and reductions by
// operation and by addresses, and how long one load takes from where.
// usage: l2 [GROUP]: groups, bytes, atomic, latency. Rows, in cycles of the multiprocessors:
//   group   multiprocessors of a GPC (those that a cluster of blocks was seen on)
//   bytes   access set multiprocessors warps bytes cycles ns bytes-a-cycle    one block each; data that L2 has (ld.cg), 128 KiB each;
//                        "that misses L1": ld.ca, 1 MiB each of 16 MiB
//   atomic  operation addresses multiprocessors warps lanes' operations cycles operations-a-cycle
//   chain   operation addresses cycles        each needs the one before, one warp
//   latency multiprocessor: least, 1, 5, 10, 25, 50, 75, 90, 95, 99 of 100 lines, and the most; lines of 4 MiB that L2 has
//   apart   one multiprocessor and another: how many lines are so many cycles nearer to the first (the middle of 5 readings each)
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
#include <cmath>
#include <map>
#include <string>
typedef unsigned U32; typedef unsigned long long U64;

enum { MOST = 256, REGION = 128 << 10 };
struct out { U64 cycles, begin_ns, end_ns; };
struct args { const int *rank; int n; int *arrived; char *base; struct out *out; int turns; U32 zero; };

// -1: this block has no part; else the number of its multiprocessor among the chosen ones, when all of them are there
__device__ int enter(const args &p) {
    __shared__ int rank;
    if (threadIdx.x == 0) {
        rank = p.rank[smid()];
        if (rank >= 0) {
            long long since = clock64();
            atomicAdd(p.arrived, 1);
            while (*(volatile int *)p.arrived < p.n) if (clock64() - since > 400000000) __trap(); // a multiprocessor got no block
        }
    }
    __syncthreads();
    return rank;
}
__device__ void leave(const args &p, int rank, long long begin, U64 begin_ns) {
    __syncthreads();
    if (threadIdx.x == 0) p.out[rank] = {(U64)(clock64() - begin), begin_ns, nanoseconds()};
}

enum kind { READ16, READ4, READ_SECTORS, READ16_L1, READ4_L1, WRITE16, WRITE4, WRITE_SECTORS, KINDS };
static const char *const kind_names[] = {"LDG.128", "LDG", "LDG of 32 sectors", "LDG.128 that misses L1", "LDG that misses L1", "STG.128", "STG", "STG of 32 sectors"};
static __host__ __device__ constexpr int bytes_of(int k) { return k == READ16 || k == WRITE16 || k == READ16_L1 ? 512 : k == READ4 || k == WRITE4 || k == READ4_L1 ? 128 : 1024; }
enum { TOGETHER = 4 };
template <int K> __global__ void __launch_bounds__(1024) bytes(args p) {
    int rank = enter(p); if (rank < 0) return;
    U32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0;
    char *at = p.base + (size_t)rank * REGION + lane * (bytes_of(K) / 32);
    U64 ns = nanoseconds(); long long begin = clock64();
#pragma unroll 1
    for (int t = 0; t < p.turns; t++) {
        char *a = at + (t * warps + warp) * (TOGETHER * bytes_of(K)) % REGION;
        if (K == READ16_L1 || K == READ4_L1) a = p.base + lane * (bytes_of(K) / 32) + ((size_t)rank * REGION + (t * warps + warp) * (TOGETHER * bytes_of(K))) % (128 * REGION);
        U32 v[TOGETHER][4];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            char *b = a + i * bytes_of(K);
            if (K == READ16) asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3]) : "l"(b) : "memory");
            if (K == READ4 || K == READ_SECTORS) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(b) : "memory");
            if (K == READ16_L1) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3]) : "l"(b) : "memory");
            if (K == READ4_L1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(b) : "memory");
            if (K == WRITE16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(b), "r"(t) : "memory");
            if (K == WRITE4 || K == WRITE_SECTORS) asm volatile("st.global.u32 [%0], %1;" :: "l"(b), "r"(t) : "memory");
        }
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            if (K == READ16 || K == READ16_L1) sum ^= v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
            if (K == READ4 || K == READ_SECTORS || K == READ4_L1) sum ^= v[i][0];
        }
    }
    if (sum == 12345) p.out[0].cycles = sum;
    if (K >= WRITE16) __threadfence();
    leave(p, rank, begin, ns);
}

// ATOMIC(name, bytes, gives, text): %0 a result of 32 bits, %1 of 64, %2 the address, %3 an operand of 32 bits, %4 of 64, %5 a float, %6 a double
#define ATOMICS \
    ATOMIC("RED.ADD.U32", 4, 0, "red.global.add.u32 [%2], %3;") \
    ATOMIC("RED.MIN.U32", 4, 0, "red.global.min.u32 [%2], %3;") \
    ATOMIC("RED.OR.B32", 4, 0, "red.global.or.b32 [%2], %3;") \
    ATOMIC("RED.ADD.U64", 8, 0, "red.global.add.u64 [%2], %4;") \
    ATOMIC("RED.ADD.F32", 4, 0, "red.global.add.f32 [%2], %5;") \
    ATOMIC("RED.ADD.F64", 8, 0, "red.global.add.f64 [%2], %6;") \
    ATOMIC("RED.ADD.F16x2", 4, 0, "red.global.add.noftz.f16x2 [%2], %3;") \
    ATOMIC("RED.ADD.BF16x2", 4, 0, "red.global.add.noftz.bf16x2 [%2], %3;") \
    ATOMIC("RED.ADD.F32x4", 16, 0, "red.global.add.v4.f32 [%2], {%5, %5, %5, %5};") \
    ATOMIC("ATOM.ADD.U32", 4, 1, "atom.global.add.u32 %0, [%2], %3;") \
    ATOMIC("ATOM.EXCH.B32", 4, 1, "atom.global.exch.b32 %0, [%2], %3;") \
    ATOMIC("ATOM.CAS.B32", 4, 1, "atom.global.cas.b32 %0, [%2], %3, 2;") \
    ATOMIC("ATOM.ADD.F32", 4, 1, "atom.global.add.f32 %0, [%2], %5;") \
    ATOMIC("ATOM.ADD.U64", 8, 2, "atom.global.add.u64 %1, [%2], %4;") \
    ATOMIC("ATOM.CAS.B64", 8, 2, "atom.global.cas.b64 %1, [%2], %4, 2;") \
    ATOMIC("ATOM.ADD.F64", 8, 2, "atom.global.add.f64 %1, [%2], %6;") \
    ATOMIC("LDG", 4, 1, "ld.global.cg.u32 %0, [%2];") \
    ATOMIC("LDG.64", 8, 2, "ld.global.cg.u64 %1, [%2];") \
    ATOMIC("STG", 4, 0, "st.global.u32 [%2], %3;")
template <int ID> struct atomic;
enum { BEGIN = __COUNTER__ };
#define ATOMIC(...) ATOMIC_(__COUNTER__ - BEGIN - 1, __VA_ARGS__)
#define ATOMIC_(id, name_, bytes_, gives_, text_) template <> struct atomic<id> { \
    static const char *name() { return name_; } static const int bytes = bytes_, gives = gives_; \
    static __device__ __forceinline__ U32 go(U64 at, U32 x) { U32 r = 0; U64 s = 0; \
        asm volatile(text_ : "+r"(r), "+l"(s) : "l"(at), "r"(x), "l"((U64)x), "f"(__uint_as_float(x)), "d"(__hiloint2double(0, x)) : "memory"); \
        return gives == 1 ? r : gives == 2 ? (U32)(s ^ s >> 32) : 0; } };
ATOMICS
enum { COUNT = __COUNTER__ - BEGIN - 1 };
struct pattern { U32 lane, warp, sm, mask, step; bool random; };
template <int ID> __global__ void __launch_bounds__(1024) atomics(args p, pattern a) {
    int rank = enter(p); if (rank < 0) return;
    U32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, sum = 0, seed = (rank * 1024 + threadIdx.x) * 2654435761u;
    U64 at = (U64)p.base + lane * a.lane + warp * a.warp + rank * a.sm;
    U64 ns = nanoseconds(); long long begin = clock64();
#pragma unroll 2
    for (int t = 0; t < p.turns; t++) {
        U64 b = at + (size_t)((t + rank * 7 + warp) & a.mask) * a.step;
        if (a.random) { seed = seed * 1664525u + 1013904223u; b = at + (seed >> 12) % ((8u << 20) / atomic<ID>::bytes) * atomic<ID>::bytes; }
        sum ^= atomic<ID>::go(b, p.zero);
    }
    if (sum == 12345) p.out[0].cycles = sum;
    __threadfence();
    leave(p, rank, begin, ns);
}
template <int ID> __global__ void chain(args p, U32 lane_bytes) {
    U32 r = 0;
    for (int pass = 0; pass < 2; pass++) {
        long long begin = clock64();
        for (int t = 0; t < 64; t++) r = atomic<ID>::go((U64)p.base + (threadIdx.x & 31) * lane_bytes + (r & p.zero), p.zero);
        if (r == 12345) p.out[1].cycles = r;
        p.out[0].cycles = clock64() - begin;
    }
}
// one warp of each chosen multiprocessor after the other: each line by itself
enum { LINES = 2048, APART = 2048 };
__global__ void latency(args p, int only, U64 *took) {
    int s = smid(); if (p.rank[s] != only) return;
    __shared__ U32 arrives;
    for (int pass = 0; pass < 2; pass++)
        for (U32 i = 0; i < LINES; i++) {
            const char *at = p.base + (size_t)(i * 769 % LINES) * APART;
            long long begin = clock64();
            U32 v;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
            *(volatile U32 *)&arrives = v; // stands before the clock is read
            long long end = clock64();
            took[i] = end - begin;
        }
}

// ---- multiprocessors of a GPC: a cluster's blocks are on one
__global__ void seen(U32 *sms) { if (threadIdx.x == 0) sms[blockIdx.x] = smid(); }
static int above[MOST];
static int root(int i) { while (above[i] != i) i = above[i]; return i; }
static std::vector<std::vector<int>> gpcs(int sms) {
    U32 *d = device_array<U32>(4096);
    for (int i = 0; i < sms; i++) above[i] = i;
    CK(cudaFuncSetAttribute(seen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CK(cudaFuncSetAttribute(seen, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int size : {2, 4, 8, 16}) for (int again = 0; again < 8; again++) {
        cudaLaunchAttribute at; at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = size; at.val.clusterDim.y = at.val.clusterDim.z = 1;
        cudaLaunchConfig_t c = {}; c.gridDim = dim3(size * (again < 4 ? 64 : 9)); c.blockDim = dim3(32); c.dynamicSmemBytes = again % 2 ? 120 << 10 : 200 << 10; c.attrs = &at; c.numAttrs = 1;
        std::vector<U32> h(c.gridDim.x);
        CK(cudaLaunchKernelEx(&c, seen, d));
        CK(cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < h.size(); i++) above[root(h[i])] = root(h[i / size * size]);
    }
    std::map<int, std::vector<int>> m;
    for (int i = 0; i < sms; i++) m[root(i)].push_back(i);
    std::vector<std::vector<int>> r;
    for (auto &g : m) { r.push_back(g.second); printf("group\t"); for (int i : g.second) printf(" %d", i); printf("\n"); }
    return r;
}

// ---- host
static args p; static int sms; static int *rank_there;
static std::vector<struct out> results(MOST);
enum { ALONE_BYTES = 180 << 10 }; // dynamic shared memory with which a block has a multiprocessor to itself
static void choose(const std::vector<int> &set) {
    int h[MOST]; std::fill(h, h + MOST, -1);
    for (size_t i = 0; i < set.size(); i++) h[set[i]] = i;
    CK(cudaMemcpy(rank_there, h, sizeof h, cudaMemcpyHostToDevice));
    p.n = set.size();
}
template <class K, class... A> static void launch(K kernel, int warps, A... a) {
    CK(cudaMemset(p.arrived, 0, 4));
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE_BYTES));
    kernel<<<sms, warps * 32, ALONE_BYTES>>>(a...);
    CK(cudaGetLastError());
    CK(cudaMemcpy(results.data(), p.out, sizeof(struct out) * MOST, cudaMemcpyDeviceToHost));
}
struct took { double cycles, ns; };
static struct took took() {
    U64 most = 0, b = ~0ull, e = 0;
    for (int i = 0; i < p.n; i++) { most = std::max(most, results[i].cycles); b = std::min(b, results[i].begin_ns); e = std::max(e, results[i].end_ns); }
    return {(double)most, (double)(e - b)};
}
template <int K> static void measure_bytes(const char *name, const std::vector<int> &set, std::initializer_list<int> warps) {
    choose(set);
    for (int w : warps) {
        p.turns = std::max(4, (int)((1 << 20) / (w * TOGETHER * bytes_of(K)) / (K == READ4 || K == WRITE4 || K == READ4_L1 ? 4 : 1)));
        struct took best = {1e30, 0};
        for (int r = 0; r < 4; r++) { launch(bytes<K>, w, p); struct took t = took(); if (r && t.cycles < best.cycles) best = t; }
        double total = (double)p.n * w * p.turns * TOGETHER * bytes_of(K);
        printf("bytes\t%s\t%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.2f\n", kind_names[K], name, p.n, w, total, best.cycles, best.ns, total / best.cycles);
    }
}
struct set { std::string name; std::vector<int> sms; };
template <int K> static void all_bytes(const std::vector<struct set> &sets) {
    if constexpr (K < KINDS) {
        for (auto &s : sets) measure_bytes<K>(s.name.c_str(), s.sms, {1, 2, 4, 8, 16, 32});
        all_bytes<K + 1>(sets);
    }
}
template <int ID> static void measure_atomic(const char *name, pattern a, int n, int warps) {
    std::vector<int> set; for (int i = 0; i < n; i++) set.push_back(i);
    choose(set);
    p.turns = 32;
    double best = 1e30;
    for (int r = 0; r < 3; r++) { launch(atomics<ID>, warps, p, a); if (r) best = std::min(best, took().cycles); }
    double ops = (double)n * warps * p.turns * 32;
    printf("atomic\t%s\t%s\t%d\t%d\t%.0f\t%.0f\t%.3f\n", atomic<ID>::name(), name, n, warps, ops, best, ops / best);
}
template <int ID> static void all_atomics() {
    if constexpr (ID < COUNT) {
        const U32 w = atomic<ID>::bytes; char name[64];
        for (int n : {1, sms}) for (int warps : {8, 32}) {
            measure_atomic<ID>("one word", {0, 0, 0, 0, 0, false}, n, warps);
            measure_atomic<ID>("a word a multiprocessor", {0, 0, 4096 + 128, 0, 0, false}, n, warps);
            measure_atomic<ID>("a word a warp", {0, 128, 4096 + 128, 0, 0, false}, n, warps);
            measure_atomic<ID>("successive words, the same", {w, 0, 0, 0, 0, false}, n, warps);
            measure_atomic<ID>("successive words, a warp's own", {w, 32 * w, 32 * 32 * w + 128, 0, 0, false}, n, warps);
            measure_atomic<ID>("a sector a lane, a warp's own", {32, 1024, 32 * 1024 + 128, 0, 0, false}, n, warps);
            measure_atomic<ID>("a sector a lane, the same", {32, 0, 0, 0, 0, false}, n, warps);
            measure_atomic<ID>("random in 8 MiB", {0, 0, 0, 0, 0, true}, n, warps);
        }
        for (U32 lines : {2u, 4u, 8u, 16u, 32u, 64u, 256u, 1024u}) {
            snprintf(name, sizeof name, "a word of each of %u lines", lines); measure_atomic<ID>(name, {0, 0, 0, lines - 1, 128, false}, sms, 32);
            snprintf(name, sizeof name, "successive words of %u lines", lines); measure_atomic<ID>(name, {w, 0, 0, lines - 1, 32 * w, false}, sms, 32);
        }
        if (atomic<ID>::gives)
            for (U32 lane : {0u, w, 32u, 128u}) {
                chain<ID><<<1, 32>>>(p, lane);
                CK(cudaMemcpy(results.data(), p.out, sizeof(struct out), cudaMemcpyDeviceToHost));
                printf("chain\t%s\tlanes %u bytes apart\t%.1f\n", atomic<ID>::name(), lane, results[0].cycles / 64.);
            }
        all_atomics<ID + 1>();
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    head("l2");
    cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); sms = d.multiProcessorCount;
    p.rank = rank_there = device_array<int>(MOST); p.arrived = device_array<int>(1); p.base = device_array<char>(64 << 20); p.out = device_array<struct out>(MOST); p.zero = 0;
    std::vector<std::vector<int>> g = gpcs(sms);
    std::vector<int> all; for (int i = 0; i < sms; i++) all.push_back(i);
    std::sort(g.begin(), g.end(), [](const std::vector<int> &a, const std::vector<int> &b) { return a.size() > b.size(); });
    auto part = [](const std::vector<int> &v, size_t n) { return std::vector<int>(v.begin(), v.begin() + std::min(n, v.size())); };
    std::vector<struct set> sets = {{"one", {g[0][0]}}, {"a TPC", part(g[0], 2)}};
    for (size_t n : {4, 8, 12, 16}) if (n < g[0].size()) sets.push_back({"part of a GPC", part(g[0], n)});
    sets.push_back({"a GPC", g[0]});
    if (g[0].size() >= 8) { // multiprocessors of different TPCs
        std::vector<int> odd; for (size_t i = 0; i < g[0].size(); i += 2) odd.push_back(g[0][i]);
        sets.push_back({"a GPC, one of each TPC", odd});
    }
    if (g.size() > 1 && g[1].size() >= 8) {
        sets.push_back({"2 GPCs, one each", {g[0][0], g[1][0]}});
        std::vector<int> two = g[0]; two.insert(two.end(), g[1].begin(), g[1].end()); sets.push_back({"2 GPCs", two});
        std::vector<int> each, four; for (auto &x : g) if (x.size() >= 8) { each.push_back(x[0]); four.insert(four.end(), x.begin(), x.begin() + 4); }
        sets.push_back({"one of each GPC", each}); sets.push_back({"4 of each GPC", four});
    }
    std::vector<int> even; for (int i = 0; i < sms; i += 2) even.push_back(i);
    sets.push_back({"one of each TPC", even}); sets.push_back({"all", all});
    if (want("bytes")) all_bytes<0>(sets);
    if (want("latency")) {
        choose(all);
        CK(cudaFuncSetAttribute(latency, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE_BYTES));
        U64 *t = device_array<U64>(LINES); static U64 h[LINES];
        for (int s = 0; s < sms; s += s < 32 ? 2 : 10) {
            latency<<<sms, 32, ALONE_BYTES>>>(p, s, t);
            CK(cudaGetLastError());
            CK(cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost));
            std::sort(h, h + LINES);
            printf("latency\t%d\t%d", s, (int)h[0]);
            for (int q : {1, 5, 10, 25, 50, 75, 90, 95, 99}) printf(" %d", (int)h[LINES * q / 100]);
            printf(" %d\n", (int)h[LINES - 1]);
        }
    }
    if (want("latency")) {
        choose(all);
        U64 *t = device_array<U64>(LINES); static U64 h[LINES];
        std::vector<std::vector<int>> middle;
        const std::vector<int> some = {0, 2, 4, 6, 8, 10, 12, 14};
        for (int s : some) {
            std::vector<std::vector<double>> v(LINES);
            for (int r = 0; r < 5; r++) {
                latency<<<sms, 32, ALONE_BYTES>>>(p, s, t);
                CK(cudaGetLastError());
                CK(cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost));
                for (int i = 0; i < LINES; i++) v[i].push_back(h[i]);
            }
            middle.emplace_back();
            for (auto &x : v) middle.back().push_back(median(x));
        }
        for (size_t i = 0; i < some.size(); i++) for (size_t j = i + 1; j < some.size(); j++) {
            std::map<int, int> count; // by steps of 5 cycles
            for (int k = 0; k < LINES; k++) count[(int)floor((middle[j][k] - middle[i][k]) / 5.0 + 0.5) * 5]++;
            printf("apart\t%d\t%d\t", some[i], some[j]);
            for (auto &c : count) printf(" %d:%d", c.first, c.second);
            printf("\n");
        }
    }
    if (want("atomic")) all_atomics<0>();
    return 0;
}
