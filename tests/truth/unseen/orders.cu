// Orders and runs: rank by counting, shell sort of short rows, segmented scan, unique values, median of row by selection, odd-even merge in a block.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cfloat>
#include <vector>
#include <algorithm>
#include <numeric>
#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static void must(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\nFAILED\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } }

template <typename T, int TILE>
__global__ void rankByCounting(const T *__restrict__ in, int n, T *__restrict__ sorted)
{
    __shared__ T tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const T mine = i < n ? in[i] : T(0);
    int rank = 0;
    for (int base = 0; base < n; base += TILE) {
        if (base + (int)threadIdx.x < n) tile[threadIdx.x] = in[base + threadIdx.x];
        __syncthreads();
        const int len = min(TILE, n - base);
        for (int k = 0; k < len; k++) rank += tile[k] < mine || (tile[k] == mine && base + k < i);
        __syncthreads();
    }
    if (i < n) sorted[rank] = mine;
}

// a row for each thread, in its local memory
template <int LEN>
__global__ void shellRows(const short *__restrict__ in, short *__restrict__ out, int rows)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    short a[LEN];
    for (int i = 0; i < LEN; i++) a[i] = in[i * rows + r];
    for (int gap = LEN / 2; gap > 0; gap = gap == 2 ? 1 : (int)(gap / 2.2f))
        for (int i = gap; i < LEN; i++) {
            const short v = a[i];
            int j = i;
            for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
            a[j] = v;
        }
    for (int i = 0; i < LEN; i++) out[i * rows + r] = a[i];
}

struct Seg { float sum; int head; };
__device__ inline Seg join(Seg a, Seg b) { return {b.head ? b.sum : a.sum + b.sum, a.head | b.head}; }

__global__ void segmentedScan(const float *__restrict__ v, const unsigned char *__restrict__ heads, float *__restrict__ out, Seg *__restrict__ totals, int n)
{
    __shared__ Seg warps[32];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    const int i = block.group_index().x * block.size() + block.thread_rank();
    Seg s = {i < n ? v[i] : 0.0f, i < n ? (int)heads[i] : 0};
    for (unsigned o = 1; o < tile.size(); o *= 2) {
        const Seg b = {tile.shfl_up(s.sum, o), tile.shfl_up(s.head, o)};
        if (tile.thread_rank() >= o) s = join(b, s);
    }
    if (tile.thread_rank() == 31) warps[tile.meta_group_rank()] = s;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        Seg w = tile.thread_rank() < block.size() / 32 ? warps[tile.thread_rank()] : Seg{0, 0};
        for (unsigned o = 1; o < 32; o *= 2) {
            const Seg b = {tile.shfl_up(w.sum, o), tile.shfl_up(w.head, o)};
            if (tile.thread_rank() >= o) w = join(b, w);
        }
        warps[tile.thread_rank()] = w;
    }
    block.sync();
    if (tile.meta_group_rank() > 0) s = join(warps[tile.meta_group_rank() - 1], s);
    if (i < n) out[i] = s.sum;
    if (block.thread_rank() == block.size() - 1) totals[block.group_index().x] = s;
}

__global__ void addCarries(float *__restrict__ out, const unsigned char *__restrict__ heads, const Seg *__restrict__ totals, int n)
{
    __shared__ float carry;
    __shared__ int firstHead;
    if (threadIdx.x == 0) {
        float c = 0;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) { c += totals[b].sum; if (totals[b].head) break; }
        carry = c;
        firstHead = 0;
        const int base = blockIdx.x * blockDim.x;
        while (firstHead < (int)blockDim.x && base + firstHead < n && !heads[base + firstHead]) firstHead++;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (int)threadIdx.x < firstHead) out[i] += carry;
}

// distinct values of a sorted block and how long each run is
__global__ void uniqueRuns(const int *__restrict__ sorted, int *__restrict__ values, int *__restrict__ lengths, int *__restrict__ count)
{
    __shared__ int warpHeads[32];
    __shared__ int start[1025];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5, base = blockIdx.x * blockDim.x;
    const int v = sorted[base + t];
    const bool head = t == 0 || sorted[base + t - 1] != v;
    const unsigned b = __ballot_sync(0xffffffffu, head);
    if (lane == 0) warpHeads[w] = __popc(b);
    __syncthreads();
    int before = 0, all = 0;
    for (int k = 0; k < (int)blockDim.x / 32; k++) { if (k < w) before += warpHeads[k]; all += warpHeads[k]; }
    const int at = before + __popc(b & ((1u << lane) - 1));
    if (head) { start[at] = t; values[base + at] = v; }
    if (t == 0) { start[all] = blockDim.x; count[blockIdx.x] = all; }
    __syncthreads();
    if (t < all) lengths[base + t] = start[t + 1] - start[t];
}

// a warp finds the k-th smallest of a row bit by bit
__global__ void selectKth(const float *__restrict__ rows, int n, int len, int k, float *__restrict__ kth)
{
    const int lane = threadIdx.x & 31, r = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (r >= n) return;
    unsigned prefix = 0, mask = 0;
    int want = k;
    for (int bit = 31; bit >= 0; bit--) {
        int zeros = 0;
        for (int i = lane; i < len; i += 32) {
            unsigned u = __float_as_uint(rows[r * len + i]);
            u ^= (unsigned)((int)u >> 31) | 0x80000000u;
            zeros += (u & mask) == prefix && !(u >> bit & 1);
        }
        zeros = __reduce_add_sync(0xffffffffu, zeros);
        mask |= 1u << bit;
        if (want >= zeros) { want -= zeros; prefix |= 1u << bit; }
        else if (zeros == 1 && bit == 0) break;
    }
    prefix ^= prefix & 0x80000000u ? 0x80000000u : 0xffffffffu;
    if (lane == 0) kth[r] = __uint_as_float(prefix);
}

// Batcher's odd-even merge sort of pairs
template <int N>
__global__ void __launch_bounds__(N / 2) batcher(unsigned long long *__restrict__ pairs)
{
    __shared__ unsigned long long s[N];
    unsigned long long *p = pairs + (size_t)blockIdx.x * N;
    s[threadIdx.x] = p[threadIdx.x];
    s[threadIdx.x + N / 2] = p[threadIdx.x + N / 2];
    for (int size = 2; size <= N; size <<= 1) {
        int stride = size / 2;
        const int offset = threadIdx.x & (stride - 1);
        __syncthreads();
        int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        if (s[pos] > s[pos + stride]) { const auto t = s[pos]; s[pos] = s[pos + stride]; s[pos + stride] = t; }
        stride >>= 1;
        for (; stride > 0; stride >>= 1) {
            __syncthreads();
            pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride && s[pos - stride] > s[pos]) { const auto t = s[pos]; s[pos] = s[pos - stride]; s[pos - stride] = t; }
        }
    }
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
    p[threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

template <typename T> struct Array {
    T *d; size_t n;
    explicit Array(size_t n) : n(n) { must(cudaMalloc((void **)&d, n * sizeof(T))); must(cudaMemset(d, 0, n * sizeof(T))); }
    explicit Array(const std::vector<T> &h) : Array(h.size()) { must(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    ~Array() { cudaFree(d); }
    std::vector<T> host() { std::vector<T> h(n); must(cudaMemcpy((void *)h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return h; }
};

int main()
{
    bool ok = true; unsigned s = 77; auto rnd = [&] { s = s * 1664525u + 1013904223u; return (int)(s >> 8); };
    auto test = [&](bool good, const char *what) { if (!good) { printf("%s\n", what); ok = false; } };
    std::vector<double> d(3000); for (auto &x : d) x = rnd() % 2500; Array<double> ad(d), as(d.size()); rankByCounting<double, 128><<<(3000 + 127) / 128, 128>>>(ad.d, 3000, as.d); std::sort(d.begin(), d.end()); test(as.host() == d, "rank");
    const int rows = 5000; std::vector<short> sh(rows * 40); for (auto &x : sh) x = (short)rnd(); Array<short> ai(sh), ao(sh.size()); shellRows<40><<<(rows + 95) / 96, 96>>>(ai.d, ao.d, rows); auto hs = ao.host();
    for (int r = 0; r < rows; r += 9) { std::vector<short> a(40); for (int i = 0; i < 40; i++) a[i] = sh[i * rows + r]; std::sort(a.begin(), a.end()); for (int i = 0; i < 40; i++) if (a[i] != hs[i * rows + r]) { test(false, "shell"); r = rows; break; } }
    const int n = 60000; std::vector<float> v(n); std::vector<unsigned char> h(n); for (int i = 0; i < n; i++) { v[i] = (float)(rnd() % 10); h[i] = rnd() % (i < 20000 ? 900 : 20) == 0; } Array<float> av(v), aw(n); Array<unsigned char> ah(h); const int blocks = (n + 255) / 256; Array<Seg> at(blocks);
    segmentedScan<<<blocks, 256>>>(av.d, ah.d, aw.d, at.d, n); addCarries<<<blocks, 256>>>(aw.d, ah.d, at.d, n); auto hw = aw.host(); float run = 0; for (int i = 0; i < n; i++) { run = h[i] ? v[i] : run + v[i]; if (run != hw[i]) { test(false, "segments"); break; } }
    const int ub = 120, ut = 512; std::vector<int> u(ub * ut); for (auto &x : u) x = rnd() % 300; for (int b = 0; b < ub; b++) std::sort(u.begin() + b * ut, u.begin() + (b + 1) * ut); Array<int> au(u), uv(u.size()), ul(u.size()), uc(ub); uniqueRuns<<<ub, ut>>>(au.d, uv.d, ul.d, uc.d); auto hv = uv.host(), hl = ul.host(), hc = uc.host();
    for (int b = 0; b < ub; b++) { std::vector<int> e; for (int k = 0; k < hc[b]; k++) e.insert(e.end(), hl[b * ut + k], hv[b * ut + k]); if (!std::equal(e.begin(), e.end(), u.begin() + b * ut) || e.size() != (size_t)ut) { test(false, "runs"); break; } }
    const int sr = 500, sl = 300; std::vector<float> f(sr * sl); for (auto &x : f) x = (rnd() % 20001 - 10000) / 64.0f; Array<float> af(f), ak(sr); selectKth<<<(sr + 3) / 4, 128>>>(af.d, sr, sl, sl / 2, ak.d); auto hk = ak.host(); for (int r = 0; r < sr; r++) { std::nth_element(f.begin() + r * sl, f.begin() + r * sl + sl / 2, f.begin() + (r + 1) * sl); if (f[r * sl + sl / 2] != hk[r]) { test(false, "select"); break; } }
    const int bb = 100; std::vector<unsigned long long> p(bb * 512); for (auto &x : p) x = (unsigned long long)rnd() << 32 | (unsigned)rnd(); Array<unsigned long long> ap(p); batcher<512><<<bb, 256>>>(ap.d); for (int b = 0; b < bb; b++) std::sort(p.begin() + b * 512, p.begin() + (b + 1) * 512); test(ap.host() == p, "batcher");
    must(cudaDeviceSynchronize());
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
