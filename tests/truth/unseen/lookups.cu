// Index structures that the host builds and kernels ask: cuckoo table, B+ tree, longest prefix, roaring bitmaps, interpolation search.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <algorithm>
#include <unordered_map>
#include <cuda_runtime.h>

#define ASSERT_CUDA(...) do { cudaError_t _e = (__VA_ARGS__); if (_e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(_e)); return 1; } } while (0)

static const uint64_t EMPTY = ~0ull;

__host__ __device__ inline uint32_t mix(uint32_t k, uint32_t seed)
{
    k ^= seed;
    k ^= k >> 16; k *= 0x7feb352dU;
    k ^= k >> 15; k *= 0x846ca68bU;
    return k ^ k >> 16;
}

// slot: key in the high half, value in the low half
__global__ void cuckooFind(const uint64_t *__restrict__ table, uint32_t mask, const uint32_t *__restrict__ keys, uint32_t *__restrict__ values, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const uint32_t k = keys[i];
        uint32_t v = 0xffffffffu;
#pragma unroll 1
        for (uint32_t h = 0; h < 3; h++) {
            const uint64_t e = table[mix(k, h * 0x9e3779b9U + 1) & mask];
            if ((uint32_t)(e >> 32) == k && e != ~0ull) { v = (uint32_t)e; break; }
        }
        values[i] = v;
    }
}

constexpr int FAN = 16;
struct alignas(64) Node { int32_t key[FAN]; };

// sixteen lanes look at one node: rank by ballot
__global__ void treeRank(const Node *__restrict__ nodes, const int *__restrict__ levelStart, int levels, const int32_t *__restrict__ queries, int n, int *__restrict__ rank)
{
    const int lane = threadIdx.x & 15, half = threadIdx.x & 16;
    const int q = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
    const int32_t x = queries[q < n ? q : n - 1];
    int at = 0;
    for (int l = 0; l < levels; l++) {
        const int32_t k = nodes[levelStart[l] + at].key[lane];
        const unsigned less = __ballot_sync(0xffffffffu, k < x) >> half & 0xffffu;
        const int r = __popc(less);
        at = at * FAN + (l + 1 < levels ? min(r, FAN - 1) : r);
    }
    if (lane == 0 && q < n) rank[q] = at;
}

struct Trie { const uint16_t *first; const uint16_t *more; };

__global__ void longestPrefix(Trie t, const uint32_t *__restrict__ packets, int n, uint16_t *__restrict__ hop, uint8_t *__restrict__ depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t ip = __byte_perm(packets[i], 0, 0x0123);   // network order
    uint16_t e = t.first[ip >> 16];
    int shift = 12, d = 1;
    while (e & 0x8000) {
        e = t.more[(e & 0x7fff) * 16 + (ip >> shift & 15)];
        shift -= 4;
        d++;
    }
    hop[i] = e;
    depth[i] = (uint8_t)d;
}

// containers of 65536 bits: dense ones as words, sparse ones as sorted shorts
struct Container { int dense, offset, count; };

__device__ int countBelow(const uint16_t *s, int n, uint16_t v)
{
    int lo = 0, hi = n;
    while (lo < hi) { const int m = (lo + hi) >> 1; if (s[m] < v) lo = m + 1; else hi = m; }
    return lo;
}

__global__ void intersectContainers(const Container *__restrict__ a, const Container *__restrict__ b, const uint64_t *__restrict__ words, const uint16_t *__restrict__ shorts, int *__restrict__ card)
{
    __shared__ int part[8];
    Container x = a[blockIdx.x], y = b[blockIdx.x];
    int c = 0;
    if (x.dense && y.dense) {
        for (int i = threadIdx.x; i < 1024; i += blockDim.x) c += __popcll(words[x.offset + i] & words[y.offset + i]);
    } else {
        if (x.dense || (!y.dense && x.count > y.count)) { const Container t = x; x = y; y = t; }
        for (int i = threadIdx.x; i < x.count; i += blockDim.x) {
            const uint16_t v = shorts[x.offset + i];
            if (y.dense) c += (int)(words[y.offset + (v >> 6)] >> (v & 63) & 1);
            else { const int p = countBelow(shorts + y.offset, y.count, v); c += p < y.count && shorts[y.offset + p] == v; }
        }
    }
    for (int o = 16; o; o >>= 1) c += __shfl_xor_sync(0xffffffffu, c, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = c;
    __syncthreads();
    if (threadIdx.x == 0) { for (int w = 1; w < (int)blockDim.x / 32; w++) c += part[w]; card[blockIdx.x] = c; }
}

template <typename K>
__global__ void interpolationSearch(const K *__restrict__ sorted, int n, const K *__restrict__ q, int m, int *__restrict__ pos)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    const K x = q[i];
    int lo = 0, hi = n - 1, found = -1;
    while (lo <= hi && x >= sorted[lo] && x <= sorted[hi]) {
        if (sorted[lo] == sorted[hi]) { if (sorted[lo] == x) found = lo; break; }
        int p = lo + (int)((double)(hi - lo) * (double)(x - sorted[lo]) / (double)(sorted[hi] - sorted[lo]));
        const K v = sorted[p];
        if (v == x) { found = p; break; }
        if (v < x) lo = p + 1; else hi = p - 1;
    }
    pos[i] = found;
}

template <class T> struct Buffer {
    T *p = nullptr; size_t n;
    explicit Buffer(size_t n_) : n(n_) { cudaMalloc(&p, n * sizeof(T)); cudaMemset(p, 0, n * sizeof(T)); }
    Buffer(const std::vector<T> &v) : Buffer(v.size()) { cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    ~Buffer() { cudaFree(p); }
    std::vector<T> read() const { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
};

int main()
{
    int bad = 0;
    const int size = 1 << 15, items = 20000, queries = 60000;
    std::vector<uint64_t> table(size, EMPTY); std::unordered_map<uint32_t, uint32_t> ref;
    for (int i = 0; i < items; i++) {
        uint64_t e = (uint64_t)(i * 2654435761u) << 32 | (uint32_t)i * 3u; uint32_t key = e >> 32; bool in = false;
        for (int kick = 0, h = 0; kick < 200 && !in; kick++, h = (h + 1) % 3) { uint64_t &s = table[mix((uint32_t)(e >> 32), h * 0x9e3779b9U + 1) & (size - 1)]; std::swap(s, e); in = e == EMPTY; }
        ref[key] = i * 3u;
        if (!in) ref.erase((uint32_t)(e >> 32));
    }
    std::vector<uint32_t> keys(queries); for (int i = 0; i < queries; i++) keys[i] = (uint32_t)(i * 7 % 35000) * 2654435761u;
    Buffer<uint64_t> dt(table); Buffer<uint32_t> dk(keys), dv(queries);
    cuckooFind<<<64, 256>>>(dt.p, size - 1, dk.p, dv.p, queries);
    ASSERT_CUDA(cudaDeviceSynchronize());
    auto hv = dv.read(); for (int i = 0; i < queries; i++) { auto f = ref.find(keys[i]); bad += hv[i] != (f == ref.end() ? 0xffffffffu : f->second); }
    if (bad) printf("cuckoo %d\n", bad);
    const int levels = 3, leaves = FAN * FAN, n = leaves * FAN; std::vector<int32_t> sorted(n); for (int i = 0; i < n; i++) sorted[i] = i * 5 + i % 3;
    std::vector<Node> nodes(1 + FAN + leaves); std::vector<int> start = {0, 1, 1 + FAN};
    for (int l = 0, width = n; l < levels; l++) { width /= FAN; for (int k = 0; k < n / width; k++) nodes[start[l] + k / FAN].key[k % FAN] = sorted[(k + 1) * width - 1]; }
    std::vector<int32_t> tq(9001); for (int i = 0; i < 9001; i++) tq[i] = i * 7919 % (5 * n + 20) - 5;
    Buffer<Node> dn(nodes); Buffer<int> ds(start), dr(tq.size()); Buffer<int32_t> dq(tq);
    treeRank<<<(9001 * 16 + 127) / 128, 128>>>(dn.p, ds.p, levels, dq.p, 9001, dr.p);
    auto hr = dr.read(); for (int i = 0; i < 9001; i++) if (hr[i] != std::lower_bound(sorted.begin(), sorted.end(), tq[i]) - sorted.begin()) { printf("tree %d: %d\n", tq[i], hr[i]); bad++; break; }
    std::vector<uint16_t> first(65536), more; for (int i = 0; i < 65536; i++) first[i] = i % 500;
    for (int i = 0; i < 65536; i += 3) { int b = more.size() / 16; if (b > 20000) break; first[i] = 0x8000 | b; for (int k = 0; k < 16; k++) more.push_back((i + k) % 400); if (i % 2) { size_t at = b * 16 + i % 16; more[at] = 0x8000 | (b + 1); for (int k = 0; k < 16; k++) more.push_back(600 + k); } }
    const int np = 80000; std::vector<uint32_t> ip(np); for (int i = 0; i < np; i++) ip[i] = mix(i, 77);
    Buffer<uint16_t> df(first), dm(more), dh(np); Buffer<uint32_t> di(ip); Buffer<uint8_t> dd(np);
    longestPrefix<<<(np + 191) / 192, 192>>>(Trie{df.p, dm.p}, di.p, np, dh.p, dd.p);
    auto hh = dh.read(); auto hd = dd.read();
    for (int i = 0; i < np; i++) { uint32_t x = __builtin_bswap32(ip[i]); uint16_t e = first[x >> 16]; int d = 1; for (int s = 12; e & 0x8000; s -= 4, d++) e = more[(e & 0x7fff) * 16 + (x >> s & 15)]; if (e != hh[i] || d != hd[i]) { puts("trie"); bad++; break; } }
    const int cs = 300; std::vector<Container> a(cs), b(cs); std::vector<uint64_t> words; std::vector<uint16_t> shorts; std::vector<std::vector<bool>> sa, sb;
    for (int i = 0; i < 2 * cs; i++) {
        std::vector<bool> set(65536); Container c; c.dense = (i / 2 * 3 + i) % 4 == 0; uint32_t step = c.dense ? 3 + i % 5 : 40 + i * 7 % 200; c.count = 0;
        for (uint32_t v = i; v < 65536; v += step + mix(v, i) % 4) set[v] = true, c.count++;
        if (c.dense) { c.offset = words.size(); for (int k = 0; k < 1024; k++) { uint64_t w = 0; for (int z = 0; z < 64; z++) w |= (uint64_t)set[k * 64 + z] << z; words.push_back(w); } }
        else { c.offset = shorts.size(); for (int v = 0; v < 65536; v++) if (set[v]) shorts.push_back(v); }
        (i % 2 ? b : a)[i / 2] = c; (i % 2 ? sb : sa).push_back(set);
    }
    Buffer<Container> da(a), db(b); Buffer<uint64_t> dw(words); Buffer<uint16_t> dsh(shorts); Buffer<int> dc(cs);
    intersectContainers<<<cs, 128>>>(da.p, db.p, dw.p, dsh.p, dc.p);
    auto hc = dc.read(); for (int i = 0; i < cs; i += 3) { int c = 0; for (int v = 0; v < 65536; v++) c += sa[i][v] && sb[i][v]; if (c != hc[i]) { printf("roaring %d: %d %d\n", i, c, hc[i]); bad++; break; } }
    std::vector<int64_t> srt(50000), iq(30000); int64_t v = -1000000; for (auto &s : srt) s = v += 1 + mix((uint32_t)v, 5) % 1000; for (size_t i = 0; i < iq.size(); i++) iq[i] = i % 3 ? srt[mix(i, 9) % 50000] : (int64_t)mix(i, 3) % 25000000 - 1000000;
    Buffer<int64_t> dso(srt), diq(iq); Buffer<int> dpos(iq.size());
    interpolationSearch<int64_t><<<(30000 + 127) / 128, 128>>>(dso.p, 50000, diq.p, 30000, dpos.p);
    auto hp = dpos.read(); for (int i = 0; i < 30000; i++) { auto f = std::lower_bound(srt.begin(), srt.end(), iq[i]); int w = f != srt.end() && *f == iq[i] ? f - srt.begin() : -1; if (w != hp[i]) { printf("interpolation %d\n", i); bad++; break; } }
    ASSERT_CUDA(cudaDeviceSynchronize());
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
