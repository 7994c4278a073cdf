// Graphs and tables of dynamic programming: relaxation, colouring by priorities, k-core, knapsack, matrix chains, transitive closure in bits.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <climits>
#include <cuda_runtime.h>

#define cuda(call) do { cudaError_t err_ = cuda##call; if (err_ != cudaSuccess) { printf("cuda" #call " in line %d: %s\nFAILED\n", __LINE__, cudaGetErrorString(err_)); return 1; } } while (0)

struct Csr { int n; const int *row, *col; };

// distances of the round before are read, new ones written: the same in any order
__global__ void bellmanFordPull(Csr g, const float *__restrict__ weight, const float *__restrict__ dist, float *__restrict__ next, int *__restrict__ parent)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n) return;
    float best = dist[v];
    int from = parent[v];
    for (int e = g.row[v]; e < g.row[v + 1]; e++) {
        const int u = g.col[e];
        const float d = dist[u] + weight[e];
        if (d < best) { best = d; from = u; }
    }
    next[v] = best;
    parent[v] = from;
}

__device__ __host__ inline unsigned priority(unsigned v) { v = (v ^ 61) ^ (v >> 16); v *= 9; v ^= v >> 4; v *= 0x27d4eb2d; return v ^ v >> 15; }

__global__ void colourRound(Csr g, const int *__restrict__ colour, int *__restrict__ next)
{
    for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < g.n; v += blockDim.x * gridDim.x) {
        int mine = colour[v];
        if (mine < 0) {
            const unsigned p = priority(v);
            unsigned long long used = 0;
            bool top = true;
            for (int e = g.row[v]; e < g.row[v + 1] && top; e++) {
                const int u = g.col[e], c = colour[u];
                if (u == v) continue;
                if (c >= 0) used |= 1ull << c;
                else { const unsigned pu = priority(u); if (pu > p || (pu == p && u > v)) top = false; }
            }
            if (top) mine = __ffsll(~used) - 1;
        }
        next[v] = mine;
    }
}

// a warp for each vertex: h-index of the neighbours' estimates, which ends at the core number
__global__ void coreEstimate(Csr g, const int *__restrict__ core, int *__restrict__ next, int *__restrict__ changed)
{
    __shared__ int counts[4][64];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, v = blockIdx.x * 4 + w;
    if (v >= g.n) return;
    const int k = min(core[v], 63);
    counts[w][lane] = counts[w][lane + 32] = 0;
    __syncwarp();
    for (int e = g.row[v] + lane; e < g.row[v + 1]; e += 32) atomicAdd(&counts[w][min(core[g.col[e]], k)], 1);
    __syncwarp();
    int h = k;
    if (lane == 0) {
        int sum = 0;
        for (; h > 0; h--) { sum += counts[w][h]; if (sum >= h) break; }
        next[v] = h;
        changed[v] = h != core[v];
    }
}

// one block an instance; the table of a row in shared memory, twice
template <typename V>
__global__ void knapsack(const V *__restrict__ value, const int *__restrict__ weight, int items, int capacity, V *__restrict__ best, unsigned *__restrict__ taken)
{
    extern __shared__ unsigned char raw[];
    V *cur = reinterpret_cast<V *>(raw), *old = cur + capacity + 1;
    const int inst = blockIdx.x;
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x) old[c] = 0;
    __syncthreads();
    for (int i = 0; i < items; i++) {
        const V v = value[inst * items + i];
        const int w = weight[inst * items + i];
        unsigned bits = 0;
        for (int c = threadIdx.x, r = 0; c <= capacity; c += blockDim.x, r++) {
            V a = old[c];
            if (c >= w) { const V b = old[c - w] + v; if (b > a) { a = b; bits |= 1u << r; } }
            cur[c] = a;
        }
        taken[(inst * items + i) * blockDim.x + threadIdx.x] = bits;
        __syncthreads();
        V *t = cur; cur = old; old = t;
    }
    if (threadIdx.x == 0) best[inst] = old[capacity];
}

__global__ void matrixChain(const int *__restrict__ dims, int n, int *__restrict__ cost)
{
    extern __shared__ int m[];   // m[i * n + j], i <= j
    __shared__ int d[65];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) d[i] = dims[blockIdx.x * (n + 1) + i];
    for (int i = threadIdx.x; i < n; i += blockDim.x) m[i * n + i] = 0;
    for (int len = 2; len <= n; len++) {
        __syncthreads();
        for (int i = threadIdx.x; i + len <= n; i += blockDim.x) {
            const int j = i + len - 1, outer = d[i] * d[j + 1];
            int best = INT_MAX;
            for (int k = i; k < j; k++) best = min(best, m[i * n + k] + m[(k + 1) * n + j] + outer * d[k + 1]);
            m[i * n + j] = best;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) cost[blockIdx.x] = m[n - 1];
}

// reachability in words of 32 vertices: row |= rows of the vertices that it reaches
template <int WORDS>
__global__ void closureStep(const unsigned *__restrict__ reach, unsigned *__restrict__ out, int n)
{
    const int v = blockIdx.x * blockDim.y + threadIdx.y, w = threadIdx.x;
    if (v >= n) return;
    unsigned acc = reach[v * WORDS + w];
    for (int k = 0; k < WORDS; k++) {
        unsigned m = reach[v * WORDS + k];
        while (m) {
            const int b = __ffs(m) - 1;
            m &= m - 1;
            acc |= reach[(k * 32 + b) * WORDS + w];
        }
    }
    out[v * WORDS + w] = acc;
}

template <class T> T *dev(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> host(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    bool ok = true; unsigned s = 1; auto rnd = [&] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    const int n = 6000; std::vector<std::vector<int>> adj(n);
    for (int v = 0; v < n; v++) for (int k = rnd() % 6 + (v % 500 == 0 ? 40 : 1); k--;) { int u = rnd() % 3 ? (v + 1 + rnd() % 40) % n : rnd() % n; if (u == v || std::find(adj[v].begin(), adj[v].end(), u) != adj[v].end()) continue; adj[v].push_back(u); adj[u].push_back(v); }
    std::vector<int> row(1, 0), col; for (auto &a : adj) { col.insert(col.end(), a.begin(), a.end()); row.push_back(col.size()); } const int m = col.size(); std::vector<float> wt(m); for (auto &x : wt) x = 1 + rnd() % 100 / 10.0f;
    Csr g = {n, dev(row), dev(col)}; std::vector<float> dist(n, 1e30f), nd(n); dist[0] = 0; std::vector<int> par(n, -1); float *d0 = dev(dist), *d1 = dev(dist), *dw = dev(wt); int *dp = dev(par);
    for (int r = 0; r < 3; r++) { bellmanFordPull<<<(n + 127) / 128, 128>>>(g, dw, d0, d1, dp); std::swap(d0, d1); for (int v = 0; v < n; v++) { nd[v] = dist[v]; for (int e = row[v]; e < row[v + 1]; e++) nd[v] = std::min(nd[v], dist[col[e]] + wt[e]); } dist = nd; }
    ok &= host(d0, n) == dist; if (!ok) puts("distances");
    std::vector<int> none(n, -1); int *c0 = dev(none), *c1 = dev(none), left = n, rounds = 0; std::vector<int> hc; for (; left && rounds < 6; rounds++) { colourRound<<<24, 192>>>(g, c0, c1); std::swap(c0, c1); hc = host(c0, n); left = std::count(hc.begin(), hc.end(), -1); }
    for (int v = 0; v < n; v++) for (int u : adj[v]) if (hc[v] >= 0 && hc[v] == hc[u]) { puts("colours"); ok = false; v = n - 1; break; } if (left > n / 2) { printf("colours left %d\n", left); ok = false; }
    std::vector<int> core(n); for (int v = 0; v < n; v++) core[v] = adj[v].size(); int *k0 = dev(core), *k1 = dev(core), *kc = dev(core);
    for (int r = 0; r < 2; r++) { coreEstimate<<<(n + 3) / 4, 128>>>(g, k0, k1, kc); std::swap(k0, k1); std::vector<int> nx(n); for (int v = 0; v < n; v++) { int h = std::min(core[v], 63); for (; h > 0; h--) { int c = 0; for (int u : adj[v]) c += std::min(core[u], 63) >= h; if (c >= h) break; } nx[v] = h; } core = nx; }
    if (host(k0, n) != core) { puts("cores"); ok = false; }
    const int inst = 100, items = 30, cap = 900; std::vector<int> kw(inst * items); std::vector<long long> kv(inst * items); for (auto &x : kw) x = 10 + rnd() % 120; for (auto &x : kv) x = 1 + rnd() % 1000; long long *kb; unsigned *kt; cuda(Malloc(&kb, inst * 8)); cuda(Malloc(&kt, inst * items * 128 * 4));
    knapsack<long long><<<inst, 128, 2 * (cap + 1) * 8>>>(dev(kv), dev(kw), items, cap, kb, kt); auto hk = host(kb, inst);
    for (int i = 0; i < inst; i++) { std::vector<long long> t(cap + 1, 0); for (int k = 0; k < items; k++) for (int c = cap; c >= kw[i * items + k]; c--) t[c] = std::max(t[c], t[c - kw[i * items + k]] + kv[i * items + k]); if (t[cap] != hk[i]) { printf("knapsack %d\n", i); ok = false; break; } }
    const int ml = 40, mi = 120; std::vector<int> md(mi * (ml + 1)); for (auto &x : md) x = 1 + rnd() % 50; int *mc; cuda(Malloc(&mc, mi * 4)); matrixChain<<<mi, 64, ml * ml * 4>>>(dev(md), ml, mc); auto hm = host(mc, mi);
    for (int i = 0; i < mi; i += 5) { int *d = &md[i * (ml + 1)]; std::vector<std::vector<int>> t(ml, std::vector<int>(ml, 0)); for (int l = 2; l <= ml; l++) for (int a = 0; a + l <= ml; a++) { int b = a + l - 1; t[a][b] = INT_MAX; for (int k = a; k < b; k++) t[a][b] = std::min(t[a][b], t[a][k] + t[k + 1][b] + d[a] * d[k + 1] * d[b + 1]); } if (t[0][ml - 1] != hm[i]) { printf("chain %d\n", i); ok = false; break; } }
    constexpr int W = 32, nv = W * 32; std::vector<unsigned> reach(nv * W, 0), nx(nv * W); for (int v = 0; v < nv; v++) for (int k = 0; k < 3; k++) { int u = (v + 1 + rnd() % 30) % nv; reach[v * W + u / 32] |= 1u << (u % 32); } unsigned *r0 = dev(reach), *r1 = dev(reach);
    for (int k = 0; k < 2; k++) { closureStep<W><<<nv / 4, dim3(W, 4)>>>(r0, r1, nv); std::swap(r0, r1); nx = reach; for (int v = 0; v < nv; v++) for (int u = 0; u < nv; u++) if (reach[v * W + u / 32] >> (u % 32) & 1) for (int w = 0; w < W; w++) nx[v * W + w] |= reach[u * W + w]; reach = nx; }
    if (host(r0, nv * W) != reach) { puts("closure"); ok = false; }
    cuda(DeviceSynchronize()); puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
