// Transforms: radix-4 FFT, Walsh-Hadamard, number-theoretic transform, Goertzel detectors, lifting wavelet 5/3.
#include <cstdio>
#include <cstdint>
#include <complex>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

// in-place decimation in frequency, N a power of four, N / 4 threads; result in digit-reversed order is put right at the end
template <int N, bool INVERSE>
__global__ void __launch_bounds__(N / 4) fftRadix4(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float2 s[N];
    const int t = threadIdx.x;
    const float2 *src = in + (size_t)blockIdx.x * N;
    for (int i = 0; i < 4; i++) s[t + i * (N / 4)] = src[t + i * (N / 4)];
    __syncthreads();
    for (int span = N / 4; span >= 1; span >>= 2) {
        const int k = t % span, base = (t / span) * span * 4 + k;
        float2 a = s[base], b = s[base + span], c = s[base + 2 * span], d = s[base + 3 * span];
        float2 p = cadd(a, c), q = csub(a, c), r = cadd(b, d), u = csub(b, d);
        u = INVERSE ? make_float2(-u.y, u.x) : make_float2(u.y, -u.x);
        float sn, cs;
        sincosf((INVERSE ? 6.2831853071795865f : -6.2831853071795865f) * k / (4 * span), &sn, &cs);
        float2 w1 = make_float2(cs, sn), w2 = cmul(w1, w1), w3 = cmul(w2, w1);
        s[base] = cadd(p, r);
        s[base + span] = cmul(cadd(q, u), w1);
        s[base + 2 * span] = cmul(csub(p, r), w2);
        s[base + 3 * span] = cmul(csub(q, u), w3);
        __syncthreads();
    }
    float2 *dst = out + (size_t)blockIdx.x * N;
    for (int i = 0; i < 4; i++) {
        const int k = t + i * (N / 4);
        unsigned rev = __brev(k) >> (33 - __ffs(N));
        rev = ((rev & 0x55555555u) << 1) | ((rev & 0xaaaaaaaau) >> 1);
        float2 v = s[rev];
        dst[k] = INVERSE ? make_float2(v.x * (1.0f / N), v.y * (1.0f / N)) : v;
    }
}

// 256 values for each warp: five stages between lanes, three in registers
__global__ void walshHadamard(float *data, int rows)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = data[row * 256 + i * 32 + lane];
#pragma unroll
    for (int bit = 1; bit < 32; bit <<= 1)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float o = __shfl_xor_sync(0xffffffffu, v[i], bit);
            v[i] = lane & bit ? o - v[i] : v[i] + o;
        }
#pragma unroll
    for (int h = 1; h < 8; h <<= 1)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (!(i & h)) { const float a = v[i], b = v[i + h]; v[i] = a + b; v[i + h] = a - b; }
#pragma unroll
    for (int i = 0; i < 8; i++) data[row * 256 + i * 32 + lane] = v[i];
}

constexpr uint64_t PRIME = 0xffffffff00000001ull;   // 2^64 - 2^32 + 1
#ifdef __CUDACC__
__device__ inline uint64_t mulp(uint64_t a, uint64_t b)
{
    const uint64_t lo = a * b, hi = __umul64hi(a, b);
    const uint64_t hh = hi >> 32, hl = hi & 0xffffffffu;
    uint64_t r = lo - hh;
    if (lo < hh) r -= 0xffffffffu;
    const uint64_t add = (hl << 32) - hl;
    uint64_t z = r + add;
    if (z < add) z += 0xffffffffu;
    return z >= PRIME ? z - PRIME : z;
}
__device__ inline uint64_t addp(uint64_t a, uint64_t b) { uint64_t s = a + b; return (s < a || s >= PRIME) ? s - PRIME : s; }
__device__ inline uint64_t subp(uint64_t a, uint64_t b) { return a >= b ? a - b : a - b + PRIME; }
#endif

__global__ void ntt(uint64_t *__restrict__ polys, const uint64_t *__restrict__ roots, int logn)
{
    extern __shared__ uint64_t x[];
    const int n = 1 << logn;
    uint64_t *p = polys + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[__brev(i) >> (32 - logn)] = p[i];
    for (int len = 1; len < n; len <<= 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const int k = i & (len - 1), j = ((i - k) << 1) + k;
            const uint64_t u = x[j], v = mulp(x[j + len], roots[k * (n / 2 / len)]);
            x[j] = addp(u, v);
            x[j + len] = subp(u, v);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = x[i];
}

__constant__ float toneCoefficients[8];

__global__ void goertzel(const short *__restrict__ pcm, int frames, int length, float *__restrict__ power)
{
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    for (int tone = 0; tone < 8; tone++) {
        const float c = toneCoefficients[tone];
        float s1 = 0, s2 = 0;
        for (int i = 0; i < length; i++) {
            const float s0 = pcm[i * frames + f] * (1.0f / 32768) + c * s1 - s2;
            s2 = s1;
            s1 = s0;
        }
        power[tone * frames + f] = s1 * s1 + s2 * s2 - c * s1 * s2;
    }
}

__global__ void lift53(const int *__restrict__ in, int *__restrict__ low, int *__restrict__ high, int width, int height)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (2 * k + 1 >= width || y >= height) return;
    const int *r = in + y * width;
    auto detail = [&](int q) {
        int right = 2 * q + 2 < width ? r[2 * q + 2] : r[2 * q];
        return r[2 * q + 1] - ((r[2 * q] + right) >> 1);
    };
    const int d = detail(k), before = k ? detail(k - 1) : d;
    high[y * (width / 2) + k] = d;
    low[y * (width / 2) + k] = r[2 * k] + ((before + d + 2) >> 2);
}

static uint64_t hmul(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b % PRIME); }
static uint64_t hpow(uint64_t b, uint64_t e) { uint64_t r = 1; for (; e; e >>= 1, b = hmul(b, b)) if (e & 1) r = hmul(r, b); return r; }

int main()
{
    bool ok = true;
    const int N = 1024, B = 100;
    std::vector<float2> x(N * B), y(N * B), z(N * B);
    for (int i = 0; i < N * B; i++) x[i] = make_float2((i * 37 % 101) / 50.0f - 1, (i * 53 % 97) / 48.0f - 1);
    float2 *dx, *dy;
    gpuErrchk(cudaMalloc(&dx, N * B * 8)); gpuErrchk(cudaMalloc(&dy, N * B * 8));
    gpuErrchk(cudaMemcpy(dx, x.data(), N * B * 8, cudaMemcpyHostToDevice));
    fftRadix4<N, false><<<B, N / 4>>>(dx, dy);
    gpuErrchk(cudaMemcpy(y.data(), dy, N * B * 8, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemset(dx, 0, N * B * 8));
    fftRadix4<N, true><<<B, N / 4>>>(dy, dx);
    gpuErrchk(cudaMemcpy(z.data(), dx, N * B * 8, cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k += 61) {
        std::complex<double> s = 0;
        for (int i = 0; i < N; i++) s += std::complex<double>(x[N + i].x, x[N + i].y) * std::polar(1.0, -2 * M_PI * i * k / N);
        ok &= fabs(s.real() - y[N + k].x) < 0.02 && fabs(s.imag() - y[N + k].y) < 0.02;
    }
    for (int i = 0; i < N * B; i++) ok &= fabs(x[i].x - z[i].x) < 1e-4 && fabs(x[i].y - z[i].y) < 1e-4;
    if (!ok) puts("fft");
    const int rows = 600;
    std::vector<float> w(rows * 256), wo(rows * 256); for (size_t i = 0; i < w.size(); i++) w[i] = (float)(i * 7919 % 256);
    float *dw; gpuErrchk(cudaMalloc(&dw, w.size() * 4)); gpuErrchk(cudaMemcpy(dw, w.data(), w.size() * 4, cudaMemcpyHostToDevice));
    walshHadamard<<<(rows + 7) / 8, 256>>>(dw, rows);
    gpuErrchk(cudaMemcpy(wo.data(), dw, w.size() * 4, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r += 17) {
        std::vector<float> h(w.begin() + r * 256, w.begin() + r * 256 + 256);
        for (int s = 1; s < 256; s <<= 1) for (int i = 0; i < 256; i++) if (!(i & s)) { float a = h[i], b = h[i + s]; h[i] = a + b; h[i + s] = a - b; }
        for (int i = 0; i < 256; i++) ok &= h[i] == wo[r * 256 + i];
    }
    if (!ok) puts("wht");
    const int logn = 9, n = 1 << logn, polys = 120;
    const uint64_t root = hpow(7, (PRIME - 1) >> logn);
    std::vector<uint64_t> roots(n / 2), p(n * polys), q(n * polys);
    for (int i = 0; i < n / 2; i++) roots[i] = i ? hmul(roots[i - 1], root) : 1;
    for (size_t i = 0; i < p.size(); i++) p[i] = i * 0x9E3779B97F4A7C15ull % PRIME;
    uint64_t *dp, *dr; gpuErrchk(cudaMalloc(&dp, p.size() * 8)); gpuErrchk(cudaMalloc(&dr, roots.size() * 8));
    gpuErrchk(cudaMemcpy(dp, p.data(), p.size() * 8, cudaMemcpyHostToDevice)); gpuErrchk(cudaMemcpy(dr, roots.data(), roots.size() * 8, cudaMemcpyHostToDevice));
    ntt<<<polys, 128, n * 8>>>(dp, dr, logn);
    gpuErrchk(cudaMemcpy(q.data(), dp, q.size() * 8, cudaMemcpyDeviceToHost));
    for (int j = 0; j < polys; j += 29) for (int k = 0; k < n; k += 41) {
        uint64_t s = 0, wk = hpow(root, k), f = 1;
        for (int i = 0; i < n; i++, f = hmul(f, wk)) s = (uint64_t)(((unsigned __int128)s + hmul(p[j * n + i], f)) % PRIME);
        ok &= s == q[j * n + k];
    }
    if (!ok) puts("ntt");
    const int frames = 4000, length = 60; float tc[8]; for (int i = 0; i < 8; i++) tc[i] = 2 * cosf(0.3f + 0.29f * i);
    gpuErrchk(cudaMemcpyToSymbol(toneCoefficients, tc, sizeof tc));
    std::vector<short> pcm(frames * length); for (size_t i = 0; i < pcm.size(); i++) pcm[i] = (short)(i * 40503u >> 3);
    short *dpcm; float *dpow; gpuErrchk(cudaMalloc(&dpcm, pcm.size() * 2)); gpuErrchk(cudaMalloc(&dpow, frames * 32));
    gpuErrchk(cudaMemcpy(dpcm, pcm.data(), pcm.size() * 2, cudaMemcpyHostToDevice));
    goertzel<<<(frames + 63) / 64, 64>>>(dpcm, frames, length, dpow);
    std::vector<float> pw(frames * 8); gpuErrchk(cudaMemcpy(pw.data(), dpow, frames * 32, cudaMemcpyDeviceToHost));
    for (int f = 0; f < frames; f += 23) for (int t = 0; t < 8; t++) { double a = 0, b = 0; for (int i = 0; i < length; i++) { double c = pcm[i * frames + f] / 32768.0 + tc[t] * a - b; b = a; a = c; } ok &= fabs(a * a + b * b - tc[t] * a * b - pw[t * frames + f]) < 0.02; }
    if (!ok) puts("goertzel");
    const int W = 400, H = 200; std::vector<int> im(W * H), lo(W * H / 2), hi(W * H / 2); for (int i = 0; i < W * H; i++) im[i] = (i * 31 ^ i / 7) & 255;
    int *di, *dl, *dh; gpuErrchk(cudaMalloc(&di, W * H * 4)); gpuErrchk(cudaMalloc(&dl, W * H * 2)); gpuErrchk(cudaMalloc(&dh, W * H * 2));
    gpuErrchk(cudaMemcpy(di, im.data(), W * H * 4, cudaMemcpyHostToDevice));
    lift53<<<dim3((W / 2 + 127) / 128, H), 128>>>(di, dl, dh, W, H);
    gpuErrchk(cudaMemcpy(lo.data(), dl, W * H * 2, cudaMemcpyDeviceToHost)); gpuErrchk(cudaMemcpy(hi.data(), dh, W * H * 2, cudaMemcpyDeviceToHost));
    for (int r = 0; r < H; r++) {   // undo
        std::vector<int> v(W); int *l = &lo[r * W / 2], *h = &hi[r * W / 2];
        for (int k = 0; k < W / 2; k++) v[2 * k] = l[k] - ((h[k ? k - 1 : 0] + h[k] + 2) >> 2);
        for (int k = 0; k < W / 2; k++) v[2 * k + 1] = h[k] + ((v[2 * k] + (2 * k + 2 < W ? v[2 * k + 2] : v[2 * k])) >> 1);
        for (int i = 0; i < W; i++) ok &= v[i] == im[r * W + i];
    }
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
