// Random number generators used in Monte Carlo: Philox4x32-10, xoshiro256** with polar normals, MRG32k3a, scrambled Sobol.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                             \
    if ((call) != cudaSuccess) {                                                \
        fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(cudaGetLastError())); \
        return 2;                                                               \
    }

namespace philox {
struct State { uint32_t c[4]; uint32_t k[2]; };
__host__ __device__ inline uint32_t mulhi(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    return __umulhi(a, b);
#else
    return (uint32_t)((uint64_t)a * b >> 32);
#endif
}
__host__ __device__ inline void ten(State &s)
{
#pragma unroll
    for (int r = 0; r < 10; ++r) {
        uint32_t h0 = mulhi(0xD2511F53u, s.c[0]), l0 = 0xD2511F53u * s.c[0];
        uint32_t h1 = mulhi(0xCD9E8D57u, s.c[2]), l1 = 0xCD9E8D57u * s.c[2];
        s.c[0] = h1 ^ s.c[1] ^ s.k[0];
        s.c[1] = l1;
        s.c[2] = h0 ^ s.c[3] ^ s.k[1];
        s.c[3] = l0;
        s.k[0] += 0x9E3779B9u;
        s.k[1] += 0xBB67AE85u;
    }
}
}

__global__ void philoxUniform(float4 *__restrict__ out, int n, uint64_t seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        philox::State s = {{(uint32_t)i, 0, 0, 0}, {(uint32_t)seed, (uint32_t)(seed >> 32)}};
        philox::ten(s);
        out[i] = make_float4(s.c[0] * 2.3283064e-10f, s.c[1] * 2.3283064e-10f, s.c[2] * 2.3283064e-10f, s.c[3] * 2.3283064e-10f);
    }
}

class Xoshiro {
    uint64_t s[4];
    __host__ __device__ static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
public:
    __host__ __device__ explicit Xoshiro(uint64_t seed)
    {
        for (int i = 0; i < 4; i++) {
            uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            s[i] = z ^ (z >> 31);
        }
    }
    __host__ __device__ uint64_t next()
    {
        const uint64_t r = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
        s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
        return r;
    }
    __host__ __device__ double real() { return (double)(next() >> 11) * 0x1.0p-53; }
};

// Marsaglia's polar method: rejects points outside the circle
__global__ void polarNormals(double *__restrict__ mean, double *__restrict__ square, int draws, uint64_t seed)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    Xoshiro g(seed + (uint64_t)id * 1000003u);
    double m = 0, q = 0;
    for (int d = 0; d < draws; d++) {
        double u, v, r;
        do {
            u = 2 * g.real() - 1;
            v = 2 * g.real() - 1;
            r = u * u + v * v;
        } while (r >= 1.0 || r == 0.0);
        double f = sqrt(-2.0 * log(r) / r);
        m += u * f + v * f;
        q += (u * f) * (u * f) + (v * f) * (v * f);
    }
    mean[id] = m;
    square[id] = q;
}

__host__ __device__ inline double mrgStep(int64_t *a, int64_t *b)
{
    const int64_t m1 = 4294967087LL, m2 = 4294944443LL;
    int64_t p1 = (1403580LL * a[1] - 810728LL * a[0]) % m1;
    if (p1 < 0) p1 += m1;
    a[0] = a[1]; a[1] = a[2]; a[2] = p1;
    int64_t p2 = (527612LL * b[2] - 1370589LL * b[0]) % m2;
    if (p2 < 0) p2 += m2;
    b[0] = b[1]; b[1] = b[2]; b[2] = p2;
    return (p1 <= p2 ? p1 - p2 + m1 : p1 - p2) * 2.328306549295727688e-10;
}

__global__ void mrgWalk(int *__restrict__ ends, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64_t a[3] = {12345 + i, 12345, 12345}, b[3] = {12345, 12345 + 7 * i, 12345};
    int x = 0, y = 0;
    for (int s = 0; s < steps; s++) {
        double u = mrgStep(a, b);
        int dir = (int)(u * 4);
        switch (dir) {
        case 0: x++; break;
        case 1: x--; break;
        case 2: y++; break;
        default: y--;
        }
        if (x * x + y * y > 100) break;
    }
    ends[i] = x * 1000 + y;
}

#define DIMS 6
__constant__ uint32_t directions[DIMS][32];

template <int BLOCK>
__global__ void sobolIntegral(int perThread, uint32_t shift, double *__restrict__ partial)
{
    __shared__ double tree[BLOCK];
    uint32_t index = (blockIdx.x * BLOCK + threadIdx.x) * perThread, x[DIMS];
    const uint32_t gray = index ^ (index >> 1);
    for (int d = 0; d < DIMS; d++) {
        x[d] = shift * (2 * d + 1);
        for (int b = 0; b < 32; b++)
            if (gray >> b & 1) x[d] ^= directions[d][b];
    }
    double sum = 0;
    for (int k = 0; k < perThread; k++, index++) {
        float f = 1;
#pragma unroll
        for (int d = 0; d < DIMS; d++) f *= (fabsf(4.0f * (x[d] * 2.3283064e-10f) - 2.0f) + d) / (1.0f + d);
        sum += f;
        const int c = __ffs(~index) - 1;
        for (int d = 0; d < DIMS; d++) x[d] ^= directions[d][c];
    }
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h) tree[threadIdx.x] += tree[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = tree[0];
}

int main()
{
    int bad = 0;
    const int n = 100000;
    float4 *u;
    CHECK(cudaMalloc(&u, n * sizeof(float4)));
    philoxUniform<<<96, 256>>>(u, n, 0x1234567890abcdefull);
    std::vector<float4> hu(n);
    CHECK(cudaMemcpy(hu.data(), u, n * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 17) {
        philox::State s = {{(uint32_t)i, 0, 0, 0}, {0x90abcdefu, 0x12345678u}};
        philox::ten(s);
        bad += fabsf(hu[i].x - s.c[0] * 2.3283064e-10f) > 1e-6f || fabsf(hu[i].w - s.c[3] * 2.3283064e-10f) > 1e-6f;
    }
    const int threads = 128 * 40, draws = 12;
    double *m, *q;
    CHECK(cudaMalloc(&m, threads * 8));
    CHECK(cudaMalloc(&q, threads * 8));
    polarNormals<<<40, 128>>>(m, q, draws, 99);
    std::vector<double> hm(threads), hq(threads);
    CHECK(cudaMemcpy(hm.data(), m, threads * 8, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hq.data(), q, threads * 8, cudaMemcpyDeviceToHost));
    double am = 0, aq = 0;
    for (int i = 0; i < threads; i++) am += hm[i], aq += hq[i];
    am /= 2.0 * threads * draws; aq /= 2.0 * threads * draws;
    if (fabs(am) > 0.02 || fabs(aq - 1) > 0.02) { printf("normals %g %g\n", am, aq); bad++; }
    const int walkers = 12000, steps = 64;
    int *e;
    CHECK(cudaMalloc(&e, walkers * 4));
    mrgWalk<<<(walkers + 95) / 96, 96>>>(e, walkers, steps);
    std::vector<int> he(walkers);
    CHECK(cudaMemcpy(he.data(), e, walkers * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < walkers; i += 7) {
        int64_t a[3] = {12345 + i, 12345, 12345}, b[3] = {12345, 12345 + 7 * i, 12345};
        int x = 0, y = 0;
        for (int s = 0; s < steps && x * x + y * y <= 100; s++) { int d = (int)(mrgStep(a, b) * 4); if (d == 0) x++; else if (d == 1) x--; else if (d == 2) y++; else y--; }
        bad += he[i] != x * 1000 + y;
    }
    const int deg[DIMS] = {0, 1, 2, 3, 3, 4}, poly[DIMS] = {0, 0, 1, 1, 2, 1};
    const uint32_t init[DIMS][4] = {{1}, {1}, {1, 3}, {1, 3, 1}, {1, 1, 1}, {1, 1, 3, 3}};
    static uint32_t v[DIMS][32];
    for (int d = 0; d < DIMS; d++)
        for (int i = 0; i < 32; i++) {
            const int s = deg[d];
            if (d == 0) { v[d][i] = 1u << (31 - i); continue; }
            if (i < s) { v[d][i] = init[d][i] << (31 - i); continue; }
            v[d][i] = v[d][i - s] ^ (v[d][i - s] >> s);
            for (int k = 1; k < s; k++) if (poly[d] >> (s - 1 - k) & 1) v[d][i] ^= v[d][i - k];
        }
    CHECK(cudaMemcpyToSymbol(directions, v, sizeof v));
    const int blocks = 64, per = 16;
    double *p, hp[blocks], total = 0;
    CHECK(cudaMalloc(&p, sizeof hp));
    sobolIntegral<128><<<blocks, 128>>>(per, 0u, p);
    CHECK(cudaMemcpy(hp, p, sizeof hp, cudaMemcpyDeviceToHost));
    for (double x : hp) total += x;
    total /= (double)blocks * 128 * per;
    if (fabs(total - 1) > 0.01) { printf("sobol %g\n", total); bad++; }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
