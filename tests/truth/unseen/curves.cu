// Curves and procedural noise: de Casteljau, non-uniform splines, gradient noise, cellular noise, marching squares, polyline simplification.
#include <cstdio>
#include <cmath>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>

#define CHECK_CUDA(expr) do { if ((expr) != cudaSuccess) { std::printf("%s:%d\nFAILED\n", __FILE__, __LINE__); return 1; } } while (0)

template <typename P, int DEGREE>
__host__ __device__ P deCasteljau(const P *ctrl, float t)
{
    P p[DEGREE + 1];
#pragma unroll
    for (int i = 0; i <= DEGREE; i++) p[i] = ctrl[i];
#pragma unroll
    for (int k = DEGREE; k > 0; k--)
#pragma unroll
        for (int i = 0; i < k; i++) {
            p[i].x += t * (p[i + 1].x - p[i].x);
            p[i].y += t * (p[i + 1].y - p[i].y);
        }
    return p[0];
}

template <int DEGREE>
__global__ void bezierPoints(const float2 *__restrict__ ctrl, float2 *__restrict__ out, int samples)
{
    const int s = threadIdx.x + blockIdx.x * blockDim.x;
    if (s < samples) out[blockIdx.y * samples + s] = deCasteljau<float2, DEGREE>(ctrl + blockIdx.y * (DEGREE + 1), s / (float)(samples - 1));
}

// Cox and de Boor, with the knots in shared memory
__host__ __device__ inline double deBoor(const double *knots, const double *c, int n, int p, double x)
{
    int k = p;
    while (k < n - 1 && knots[k + 1] <= x) k++;
    double d[6];
    for (int j = 0; j <= p; j++) d[j] = c[j + k - p];
    for (int r = 1; r <= p; r++)
        for (int j = p; j >= r; j--) {
            const double a = (x - knots[j + k - p]) / (knots[j + 1 + k - r] - knots[j + k - p]);
            d[j] = (1 - a) * d[j - 1] + a * d[j];
        }
    return d[p];
}

__global__ void splineValues(const double *__restrict__ knots, const double *__restrict__ coef, int n, int p, const double *__restrict__ x, double *__restrict__ y, int m)
{
    extern __shared__ double sk[];
    double *sc = sk + n + p + 1;
    for (int i = threadIdx.x; i < n + p + 1; i += blockDim.x) sk[i] = knots[i];
    for (int i = threadIdx.x; i < n; i += blockDim.x) sc[i] = coef[i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += blockDim.x * gridDim.x) y[i] = deBoor(sk, sc, n, p, x[i]);
}

__constant__ unsigned char perm[512];

__host__ __device__ inline float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
__host__ __device__ inline float mixf(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ inline float gradient(int h, float x, float y, float z)
{
    const int k = h & 15;
    const float u = k < 8 ? x : y, v = k < 4 ? y : (k == 12 || k == 14) ? x : z;
    return ((k & 1) ? -u : u) + ((k & 2) ? -v : v);
}

__host__ __device__ inline float gradientNoise(const unsigned char *p, float x, float y, float z)
{
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    const int X = (int)fx & 255, Y = (int)fy & 255, Z = (int)fz & 255;
    x -= fx; y -= fy; z -= fz;
    const float u = fade(x), v = fade(y), w = fade(z);
    const int A = p[X] + Y, AA = p[A] + Z, AB = p[A + 1] + Z, B = p[X + 1] + Y, BA = p[B] + Z, BB = p[B + 1] + Z;
    return mixf(mixf(mixf(gradient(p[AA], x, y, z), gradient(p[BA], x - 1, y, z), u), mixf(gradient(p[AB], x, y - 1, z), gradient(p[BB], x - 1, y - 1, z), u), v),
                mixf(mixf(gradient(p[AA + 1], x, y, z - 1), gradient(p[BA + 1], x - 1, y, z - 1), u), mixf(gradient(p[AB + 1], x, y - 1, z - 1), gradient(p[BB + 1], x - 1, y - 1, z - 1), u), v), w);
}

__global__ void turbulence(float *__restrict__ out, int w, int h, float scale, int octaves)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0, amp = 1, f = scale;
    for (int o = 0; o < octaves; o++) { sum += amp * fabsf(gradientNoise(perm, x * f, y * f, 0.37f * o)); amp *= 0.5f; f *= 2.03f; }
    out[y * w + x] = sum;
}

__host__ __device__ inline unsigned hash2(int x, int y, unsigned s) { unsigned h = x * 374761393u + y * 668265263u + s * 2246822519u; h = (h ^ h >> 13) * 1274126177u; return h ^ h >> 16; }

__host__ __device__ inline float2 cellular(float x, float y)
{
    const int cx = (int)floorf(x), cy = (int)floorf(y);
    float f1 = 9, f2 = 9;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const unsigned h = hash2(cx + i, cy + j, 3);
            const float dx = cx + i + (h & 0xffff) / 65536.0f - x, dy = cy + j + (h >> 16) / 65536.0f - y, d = dx * dx + dy * dy;
            if (d < f1) { f2 = f1; f1 = d; } else if (d < f2) f2 = d;
        }
    return make_float2(sqrtf(f1), sqrtf(f2));
}

__global__ void cells(float2 *__restrict__ out, int w, int h, float scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h) out[i] = cellular((i % w) * scale, (i / w) * scale);
}

// lengths of the iso line in each cell; 16 cases
__host__ __device__ inline float isoLength(float a, float b, float c, float d, float iso)
{
    const int k = (a > iso) | (b > iso) << 1 | (c > iso) << 2 | (d > iso) << 3;   // a b above d c
    if (k == 0 || k == 15) return 0;
    const float top = (iso - a) / (b - a), right = (iso - b) / (c - b), bottom = (iso - d) / (c - d), left = (iso - a) / (d - a);
    switch (k) {
    case 1: case 14: return hypotf(top, left);
    case 2: case 13: return hypotf(1 - top, right);
    case 4: case 11: return hypotf(1 - bottom, 1 - right);
    case 8: case 7: return hypotf(bottom, 1 - left);
    case 3: case 12: return hypotf(1, left - right);
    case 6: case 9: return hypotf(1, top - bottom);
    case 5: return hypotf(top, left) + hypotf(1 - bottom, 1 - right);
    default: return hypotf(1 - top, right) + hypotf(bottom, 1 - left);
    }
}

__global__ void marchingSquares(const float *__restrict__ f, int w, int h, float iso, float *__restrict__ length, int *__restrict__ rowCount)
{
    __shared__ int warpCount[8];
    const int y = blockIdx.x;
    int n = 0;
    for (int x = threadIdx.x; x < w - 1; x += blockDim.x) {
        const float *p = f + y * w + x;
        const float l = isoLength(p[0], p[1], p[w + 1], p[w], iso);
        length[y * (w - 1) + x] = l;
        n += l > 0;
    }
    for (int o = 16; o; o >>= 1) n += __shfl_down_sync(0xffffffffu, n, o);
    if (threadIdx.x % 32 == 0) warpCount[threadIdx.x / 32] = n;
    __syncthreads();
    if (threadIdx.x == 0) { for (int k = 1; k < (int)blockDim.x / 32; k++) n += warpCount[k]; rowCount[y] = n; }
}

__host__ __device__ inline unsigned long long simplify(const float2 *p, int n, float tol)
{
    unsigned char first[24], last[24];
    int top = 0;
    unsigned long long keep = 1ull | 1ull << (n - 1);
    first[0] = 0; last[0] = n - 1;
    while (top >= 0) {
        const int a = first[top], b = last[top];
        top--;
        float worst = tol;
        int at = -1;
        const float dx = p[b].x - p[a].x, dy = p[b].y - p[a].y, inv = 1 / sqrtf(dx * dx + dy * dy + 1e-12f);
        for (int i = a + 1; i < b; i++) { const float d = fabsf(dx * (p[a].y - p[i].y) - (p[a].x - p[i].x) * dy) * inv; if (d > worst) { worst = d; at = i; } }
        if (at < 0) continue;
        keep |= 1ull << at;
        if (top + 2 < 24) { top++; first[top] = a; last[top] = at; top++; first[top] = at; last[top] = b; }
    }
    return keep;
}

__global__ void simplifyLines(const float2 *__restrict__ pts, int lines, float tol, unsigned long long *__restrict__ keep)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l < lines) keep[l] = simplify(pts + l * 60, 60, tol);
}

template <class T> T *to(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> from(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    bool ok = true; unsigned s = 3; auto u = [&] { s = s * 1103515245u + 12345u; return (s >> 9) / 8388608.0f; };
    const int curves = 60, samples = 500; std::vector<float2> c5(curves * 6); for (auto &p : c5) p = make_float2(u(), u()); float2 *o; CHECK_CUDA(cudaMalloc(&o, curves * samples * 8));
    bezierPoints<5><<<dim3((samples + 127) / 128, curves), 128>>>(to(c5), o, samples); auto ho = from(o, curves * samples);
    for (int i = 0; i < curves * samples; i += 3) { float2 w = deCasteljau<float2, 5>(&c5[i / samples * 6], i % samples / (float)(samples - 1)); ok &= fabsf(w.x - ho[i].x) + fabsf(w.y - ho[i].y) < 1e-5f; } if (!ok) puts("bezier");
    const int nc = 60, p = 3, m = 20000; std::vector<double> kn(nc + p + 1), cf(nc), x(m); for (int i = 0; i < nc + p + 1; i++) kn[i] = i ? kn[i - 1] + 0.2 + u() : 0; for (auto &q : cf) q = u(); for (auto &q : x) q = kn[p] + u() * (kn[nc] - kn[p]); double *y; CHECK_CUDA(cudaMalloc(&y, m * 8));
    splineValues<<<40, 128, (2 * nc + p + 1) * 8>>>(to(kn), to(cf), nc, p, to(x), y, m); auto hy = from(y, m); for (int i = 0; i < m; i += 7) ok &= fabs(hy[i] - deBoor(kn.data(), cf.data(), nc, p, x[i])) < 1e-10; if (!ok) puts("spline");
    unsigned char pm[512]; std::iota(pm, pm + 256, 0); for (int i = 255; i > 0; i--) std::swap(pm[i], pm[(int)(u() * (i + 1))]); for (int i = 0; i < 256; i++) pm[256 + i] = pm[i]; CHECK_CUDA(cudaMemcpyToSymbol(perm, pm, 512));
    const int w = 300, h = 150; float *f; CHECK_CUDA(cudaMalloc(&f, w * h * 4)); turbulence<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(f, w, h, 0.043f, 5); auto hf = from(f, w * h);
    for (int i = 0; i < w * h; i += 13) { float sum = 0, a = 1, q = 0.043f; for (int k = 0; k < 5; k++) { sum += a * fabsf(gradientNoise(pm, (i % w) * q, (i / w) * q, 0.37f * k)); a *= 0.5f; q *= 2.03f; } ok &= fabsf(sum - hf[i]) < 1e-3f; } if (!ok) puts("noise");
    float2 *ce; CHECK_CUDA(cudaMalloc(&ce, w * h * 8)); cells<<<(w * h + 255) / 256, 256>>>(ce, w, h, 0.11f); auto hc = from(ce, w * h); for (int i = 0; i < w * h; i += 7) { float2 q = cellular((i % w) * 0.11f, (i / w) * 0.11f); ok &= fabsf(q.x - hc[i].x) + fabsf(q.y - hc[i].y) < 1e-3f; } if (!ok) puts("cells");
    float *len; int *rc; CHECK_CUDA(cudaMalloc(&len, w * h * 4)); CHECK_CUDA(cudaMalloc(&rc, h * 4)); marchingSquares<<<h - 1, 128>>>(f, w, h, 0.45f, len, rc); auto hl = from(len, (w - 1) * (h - 1)); auto hr = from(rc, h - 1);
    for (int r = 0; r < h - 1; r++) { int n = 0; for (int q = 0; q < w - 1; q++) { float *z = &hf[r * w + q], l = isoLength(z[0], z[1], z[w + 1], z[w], 0.45f); n += l > 0; ok &= fabsf(l - hl[r * (w - 1) + q]) < 1e-3f; } ok &= n == hr[r]; } if (!ok) puts("squares");
    const int lines = 4000; std::vector<float2> pl(lines * 60); for (int i = 0; i < lines * 60; i++) pl[i] = make_float2((float)(i % 60), (i % 60 ? pl[i - 1].y : 0) + u() - 0.5f); unsigned long long *kp; CHECK_CUDA(cudaMalloc(&kp, lines * 8));
    simplifyLines<<<(lines + 63) / 64, 64>>>(to(pl), lines, 0.6f, kp); auto hk = from(kp, lines); int off = 0; for (int l = 0; l < lines; l++) off += hk[l] != simplify(&pl[l * 60], 60, 0.6f); ok &= off < 10;
    ok &= cudaDeviceSynchronize() == cudaSuccess; std::puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
