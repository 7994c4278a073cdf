// Point sets: k nearest neighbours by brute force, mean shift, sign hashes, mixture responsibilities, Hausdorff distance.
#include <cstdio>
#include <cfloat>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define HANDLE(err) if (err) { printf("cuda error %d in line %d\n", (int)(err), __LINE__); return 1; }

template <int K>
struct TopK {
    float d[K];
    int id[K];
    __device__ TopK() { for (int i = 0; i < K; i++) { d[i] = FLT_MAX; id[i] = -1; } }
    __device__ void offer(float dist, int who)
    {
        if (dist >= d[K - 1]) return;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            const bool shift = d[i - 1] > dist, here = d[i] > dist;
            if (shift) { d[i] = d[i - 1]; id[i] = id[i - 1]; }
            else if (here) { d[i] = dist; id[i] = who; }
        }
        if (d[0] > dist) { d[0] = dist; id[0] = who; }
    }
};

template <int K, int DIM, int TILE>
__global__ void knnTiled(const float *__restrict__ refs, int nRefs, const float *__restrict__ queries, int nQueries, int *__restrict__ ids)
{
    __shared__ float tile[DIM][TILE];
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    float x[DIM];
    for (int k = 0; k < DIM; k++) x[k] = q < nQueries ? queries[k * nQueries + q] : 0;
    TopK<K> best;
    for (int base = 0; base < nRefs; base += TILE) {
        for (int i = threadIdx.x; i < TILE * DIM; i += blockDim.x) {
            const int r = base + i % TILE;
            tile[i / TILE][i % TILE] = r < nRefs ? refs[i / TILE * nRefs + r] : 1e18f;
        }
        __syncthreads();
        for (int r = 0; r < TILE; r++) {
            float s = 0;
#pragma unroll
            for (int k = 0; k < DIM; k++) { const float d = x[k] - tile[k][r]; s += d * d; }
            best.offer(s, base + r);
        }
        __syncthreads();
    }
    if (q < nQueries)
        for (int k = 0; k < K; k++) ids[q * K + k] = best.id[k];
}

__global__ void meanShift(const float2 *__restrict__ pts, int n, float2 *__restrict__ modes, int *__restrict__ rounds, float bandwidth, int maxRounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float inv = 1 / (2 * bandwidth * bandwidth);
    float2 m = pts[i];
    int r = 0;
    while (r < maxRounds) {
        float sx = 0, sy = 0, sw = 0;
        for (int j = 0; j < n; j++) {
            const float2 p = __ldg(&pts[j]);
            const float dx = p.x - m.x, dy = p.y - m.y, e = (dx * dx + dy * dy) * inv;
            if (e > 4.5f) continue;
            const float w = __expf(-e);
            sx += w * p.x; sy += w * p.y; sw += w;
        }
        const float nx = sx / sw, ny = sy / sw;
        const bool still = fabsf(nx - m.x) + fabsf(ny - m.y) < 1e-3f;
        m = make_float2(nx, ny);
        r++;
        if (still) break;
    }
    modes[i] = m;
    rounds[i] = r;
}

// lane b of a warp computes bit b by its own plane
__global__ void signHash(const float *__restrict__ vectors, const float *__restrict__ planes, int n, int dim, unsigned *__restrict__ codes)
{
    const int lane = threadIdx.x & 31;
    for (int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < n; v += gridDim.x * blockDim.x / 32) {
        float s = 0;
        for (int k = 0; k < dim; k++) s = fmaf(vectors[v * dim + k], planes[k * 32 + lane], s);
        const unsigned bits = __ballot_sync(0xffffffff, s > 0);
        if (lane == 0) codes[v] = bits;
    }
}

struct Gauss { double mx, my, a, b, c, logw; };   // inverse covariance a b; b c

__global__ void responsibilities(const double2 *__restrict__ x, int n, const Gauss *__restrict__ comps, int k, double *__restrict__ resp, double *__restrict__ ll)
{
    extern __shared__ Gauss g[];
    for (int i = threadIdx.x; i < k; i += blockDim.x) g[i] = comps[i];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double top = -1e300, sum = 0;
    for (int j = 0; j < k; j++) {
        const double dx = x[i].x - g[j].mx, dy = x[i].y - g[j].my;
        const double l = g[j].logw + 0.5 * log(g[j].a * g[j].c - g[j].b * g[j].b) - 0.5 * (g[j].a * dx * dx + 2 * g[j].b * dx * dy + g[j].c * dy * dy);
        resp[j * n + i] = l;
        top = fmax(top, l);
    }
    for (int j = 0; j < k; j++) { const double e = exp(resp[j * n + i] - top); resp[j * n + i] = e; sum += e; }
    for (int j = 0; j < k; j++) resp[j * n + i] /= sum;
    ll[i] = top + log(sum);
}

__device__ float blockMax(float v)
{
    __shared__ float w[32];
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : -1.0f;
    if (threadIdx.x < 32) for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, o));
    return v;
}

__global__ void directedHausdorff(const float3 *__restrict__ a, int na, const float3 *__restrict__ b, int nb, float *__restrict__ out)
{
    float worst = -1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < na; i += gridDim.x * blockDim.x) {
        const float3 p = a[i];
        float near = FLT_MAX;
#pragma unroll 4
        for (int j = 0; j < nb; j++) near = fminf(near, norm3df(p.x - b[j].x, p.y - b[j].y, p.z - b[j].z));
        worst = fmaxf(worst, near);
    }
    worst = blockMax(worst);
    if (threadIdx.x == 0) out[blockIdx.x] = worst;
}

static unsigned long long st = 42;
static double uni() { st = st * 6364136223846793005ull + 1; return (st >> 11) * 0x1p-53; }
template <class T> static T *put(const std::vector<T> &v) { T *p = nullptr; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> static std::vector<T> get(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    bool ok = true;
    const int K = 8, D = 6, nr = 1000, nq = 1500;
    std::vector<float> r(D * nr), q(D * nq); for (auto &x : r) x = (float)uni(); for (auto &x : q) x = (float)uni();
    int *ids; HANDLE(cudaMalloc(&ids, nq * K * 4));
    knnTiled<K, D, 128><<<(nq + 63) / 64, 64>>>(put(r), nr, put(q), nq, ids);
    auto hi = get(ids, nq * K);
    for (int i = 0; i < nq; i += 7) {
        std::vector<std::pair<float, int>> all(nr);
        for (int j = 0; j < nr; j++) { float s = 0; for (int k = 0; k < D; k++) { float d = q[k * nq + i] - r[k * nr + j]; s += d * d; } all[j] = {s, j}; }
        auto at = [&](int j) { return all[j].first; };
        float mine = 0, want = 0; for (int k = 0; k < K; k++) mine += at(hi[i * K + k]);
        std::sort(all.begin(), all.end()); for (int k = 0; k < K; k++) want += all[k].first;
        if (fabsf(mine - want) > 1e-4f) { printf("knn %d\n", i); ok = false; break; }
    }
    const int n = 700; std::vector<float2> p(n); for (int i = 0; i < n; i++) p[i] = make_float2(i % 5 * 2 + (float)(uni() + uni() - 1), i % 3 * 3 + (float)(uni() + uni() - 1));
    float2 *modes; int *rounds; HANDLE(cudaMalloc(&modes, n * 8)); HANDLE(cudaMalloc(&rounds, n * 4));
    meanShift<<<(n + 31) / 32, 32>>>(put(p), n, modes, rounds, 0.5f, 12);
    auto hm = get(modes, n);
    for (int i = 0; i < n; i += 13) {
        float2 m = p[i];
        for (int t = 0; t < 12; t++) { float sx = 0, sy = 0, sw = 0; for (auto &z : p) { float dx = z.x - m.x, dy = z.y - m.y, e = (dx * dx + dy * dy) * 2; if (e > 4.5f) continue; float w = expf(-e); sx += w * z.x; sy += w * z.y; sw += w; } float2 o = m; m = make_float2(sx / sw, sy / sw); if (fabsf(m.x - o.x) + fabsf(m.y - o.y) < 1e-3f) break; }
        if (fabsf(m.x - hm[i].x) + fabsf(m.y - hm[i].y) > 0.02f) { printf("shift %d\n", i); ok = false; }
    }
    const int nv = 5000, dim = 50; std::vector<float> v(nv * dim), pl(dim * 32); for (auto &x : v) x = (float)uni() - 0.5f; for (auto &x : pl) x = (float)uni() - 0.5f;
    unsigned *codes; HANDLE(cudaMalloc(&codes, nv * 4));
    signHash<<<66, 128>>>(put(v), put(pl), nv, dim, codes);
    auto hc = get(codes, nv); int off = 0;
    for (int i = 0; i < nv; i += 3) for (int b = 0; b < 32; b++) { double s = 0; for (int k = 0; k < dim; k++) s += (double)v[i * dim + k] * pl[k * 32 + b]; off += (s > 0) != (hc[i] >> b & 1); }
    if (off > 20) { printf("hash %d\n", off); ok = false; }
    const int nx = 9000, kc = 10; std::vector<double2> x(nx); std::vector<Gauss> g(kc); for (auto &z : x) z = make_double2(uni() * 4, uni() * 4); for (auto &z : g) z = {uni() * 4, uni() * 4, 1 + uni(), uni() - 0.5, 1 + uni(), log(0.1)};
    double *resp, *ll; HANDLE(cudaMalloc(&resp, nx * kc * 8)); HANDLE(cudaMalloc(&ll, nx * 8));
    responsibilities<<<(nx + 127) / 128, 128, kc * sizeof(Gauss)>>>(put(x), nx, put(g), kc, resp, ll);
    auto hr = get(resp, nx * kc), hl = get(ll, nx);
    for (int i = 0; i < nx; i += 11) {
        double z = 0, l[kc]; for (int j = 0; j < kc; j++) { double dx = x[i].x - g[j].mx, dy = x[i].y - g[j].my; z += l[j] = 0.1 * sqrt(g[j].a * g[j].c - g[j].b * g[j].b) * exp(-0.5 * (g[j].a * dx * dx + 2 * g[j].b * dx * dy + g[j].c * dy * dy)); }
        for (int j = 0; j < kc; j++) ok &= fabs(l[j] / z - hr[j * nx + i]) < 1e-9; ok &= fabs(log(z) - hl[i]) < 1e-9;
    }
    if (!ok) puts("mixture");
    const int na = 3000, nb = 400; std::vector<float3> a(na), b(nb); for (auto *s : {&a, &b}) for (auto &z : *s) z = make_float3((float)uni(), (float)uni(), (float)uni());
    const int blocks = 24; float *hd; HANDLE(cudaMalloc(&hd, blocks * 4));
    directedHausdorff<<<blocks, 96>>>(put(a), na, put(b), nb, hd);
    auto hh = get(hd, blocks); float worst = 0, mine = *std::max_element(hh.begin(), hh.end());
    for (auto &s : a) { float near = 1e9; for (auto &t : b) near = fminf(near, sqrtf((s.x - t.x) * (s.x - t.x) + (s.y - t.y) * (s.y - t.y) + (s.z - t.z) * (s.z - t.z))); worst = fmaxf(worst, near); }
    if (fabsf(worst - mine) > 1e-5f) { printf("hausdorff %g %g\n", worst, mine); ok = false; }
    HANDLE(cudaDeviceSynchronize());
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
