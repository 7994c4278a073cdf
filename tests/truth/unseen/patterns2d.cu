// Fields on grids: Gray-Scott, biharmonic phase field, semi-Lagrangian advection, hexagonal diffusion, D3Q15 lattice Boltzmann collision.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <vector>
#include <cuda_runtime.h>

#define TX 32
#define TY 8

template <typename F> struct Pair { F u, v; };

template <typename F>
__host__ __device__ inline Pair<F> reaction(F u, F v, F lapU, F lapV)
{
    const F du = F(0.16), dv = F(0.08), feed = F(0.035), kill = F(0.065);
    F uvv = u * v * v;
    return {u + du * lapU - uvv + feed * (1 - u), v + dv * lapV + uvv - (feed + kill) * v};
}

__global__ void gray_scott(const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ un, float *__restrict__ vn, int nx, int ny)
{
    __shared__ float su[TY + 2][TX + 2], sv[TY + 2][TX + 2];
    const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TX + 2) * (TY + 2); k += TX * TY) {
        int lx = k % (TX + 2), ly = k / (TX + 2), gx = (x0 + lx + nx) % nx, gy = (y0 + ly + ny) % ny;
        su[ly][lx] = u[gy * nx + gx];
        sv[ly][lx] = v[gy * nx + gx];
    }
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    if (x >= nx || y >= ny) return;
    auto lap = [&](float(*s)[TX + 2]) {
        return 0.2f * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx]) + 0.05f * (s[ly - 1][lx - 1] + s[ly - 1][lx + 1] + s[ly + 1][lx - 1] + s[ly + 1][lx + 1]) - s[ly][lx];
    };
    Pair<float> r = reaction(su[ly][lx], sv[ly][lx], lap(su), lap(sv));
    un[y * nx + x] = r.u;
    vn[y * nx + x] = r.v;
}

__host__ __device__ inline int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

__host__ __device__ inline double phaseStep(const double *c, int x, int y, int nx, int ny)
{
    auto at = [&](int dx, int dy) { return c[wrap(y + dy, ny) * nx + wrap(x + dx, nx)]; };
    auto mu = [](double q) { return q * q * q - q; };
    double bi = 20 * at(0, 0) - 8 * (at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1)) + 2 * (at(1, 1) + at(1, -1) + at(-1, 1) + at(-1, -1)) + at(2, 0) + at(-2, 0) + at(0, 2) + at(0, -2);
    double lap = mu(at(1, 0)) + mu(at(-1, 0)) + mu(at(0, 1)) + mu(at(0, -1)) - 4 * mu(at(0, 0));
    return at(0, 0) + 0.01 * (lap - 0.5 * bi);
}

__global__ void cahn_hilliard(const double *__restrict__ c, double *__restrict__ next, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) next[y * nx + x] = phaseStep(c, x, y, nx, ny);
}

__host__ __device__ inline float sampleLinear(const float *f, float x, float y, int nx, int ny)
{
    x = fminf(fmaxf(x, 0.0f), nx - 1.001f);
    y = fminf(fmaxf(y, 0.0f), ny - 1.001f);
    const int i = (int)x, j = (int)y;
    const float a = x - i, b = y - j;
    const float *p = f + j * nx + i;
    return (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[nx] + a * p[nx + 1]);
}

__global__ void advect(const float *__restrict__ q, const float2 *__restrict__ vel, float *__restrict__ out, int nx, int ny, float dt)
{
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x * blockDim.x) {
            const float2 a = vel[y * nx + x];
            const int mx = min(max((int)(x - 0.5f * dt * a.x + 0.5f), 0), nx - 1), my = min(max((int)(y - 0.5f * dt * a.y + 0.5f), 0), ny - 1);
            const float2 m = vel[my * nx + mx];
            out[y * nx + x] = sampleLinear(q, x - dt * m.x, y - dt * m.y, nx, ny);
        }
}

// odd rows are shifted by half a cell: six neighbours
__global__ void hex_diffuse(const int *__restrict__ h, int *__restrict__ out, int nx, int ny, int rounds)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    const int shift = y & 1;
    int sum = 0, best = -1, steep = 0;
    const int ox[6] = {1, -1, shift, shift - 1, shift, shift - 1}, oy[6] = {0, 0, 1, 1, -1, -1};
    const int mine = h[y * nx + x];
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const int xx = x + ox[k], yy = y + oy[k];
        if (xx < 0 || xx >= nx || yy < 0 || yy >= ny) continue;
        const int d = mine - h[yy * nx + xx];
        sum += d;
        if (d > steep) { steep = d; best = k; }
    }
    int v = mine - sum / 8;
    for (int r = 0; r < rounds && v > 0 && best >= 0; r++) v -= (v >> (best + 2)) + 1;
    out[y * nx + x] = v;
}

__constant__ int ex[15] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
__constant__ int ey[15] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, -1, 1, -1, 1};
__constant__ int ez[15] = {0, 0, 0, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1, -1, 1};

template <typename F>
__global__ void lattice15(const F *__restrict__ f, F *__restrict__ g, const unsigned char *__restrict__ solid, int n, F omega)
{
    const int x = threadIdx.x, y = blockIdx.x % n, z = blockIdx.x / n, cells = n * n * n, me = (z * n + y) * n + x;
    if (x >= n) return;
    F v[15], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int k = 0; k < 15; k++) {
        const int from = (wrap(z - ez[k], n) * n + wrap(y - ey[k], n)) * n + wrap(x - ex[k], n);
        v[k] = f[k * cells + from];
        rho += v[k];
        ux += v[k] * ex[k]; uy += v[k] * ey[k]; uz += v[k] * ez[k];
    }
    if (solid[me]) {
        g[me] = v[0];
#pragma unroll
        for (int k = 1; k < 15; k += 2) { g[k * cells + me] = v[k + 1]; g[(k + 1) * cells + me] = v[k]; }
        return;
    }
    ux /= rho; uy /= rho; uz /= rho;
    const F sq = F(1.5) * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int k = 0; k < 15; k++) {
        const F w = k == 0 ? F(2.0 / 9) : k < 7 ? F(1.0 / 9) : F(1.0 / 72), eu = F(3) * (ex[k] * ux + ey[k] * uy + ez[k] * uz);
        g[k * cells + me] = v[k] + omega * (w * rho * (1 + eu + F(0.5) * eu * eu - sq) - v[k]);
    }
}

static void die(const char *s) { printf("%s\nFAILED\n", s); exit(1); }
template <class T> static T *gpu(const std::vector<T> &v) { T *d; if (cudaMalloc(&d, v.size() * sizeof(T)) != cudaSuccess) die("memory"); cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return d; }
template <class T> static std::vector<T> back(T *d, size_t n) { std::vector<T> v(n); if (cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) die("copy"); return v; }

int main(void)
{
    const int nx = 300, ny = 170, n = nx * ny;
    std::vector<float> u(n, 1), v(n, 0);
    for (int i = 0; i < n; i++) if (i % nx > 100 && i % nx < 140 && i / nx > 60 && i / nx < 100) { u[i] = 0.5f; v[i] = 0.25f + (i & 3) * 0.01f; }
    float *du = gpu(u), *dv = gpu(v), *eu = gpu(u), *ev = gpu(v);
    dim3 b(TX, TY), g((nx + TX - 1) / TX, (ny + TY - 1) / TY);
    gray_scott<<<g, b>>>(du, dv, eu, ev, nx, ny);
    gray_scott<<<g, b>>>(eu, ev, du, dv, nx, ny);
    auto ru = back(du, n), rv = back(dv, n);
    for (int s = 0; s < 2; s++) {
        std::vector<float> a(n), c(n);
        for (int y = 0; y < ny; y++) for (int x = 0; x < nx; x++) {
            auto lap = [&](std::vector<float> &q) { float t = -q[y * nx + x]; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dx || dy) t += (dx && dy ? 0.05f : 0.2f) * q[wrap(y + dy, ny) * nx + wrap(x + dx, nx)]; return t; };
            auto r = reaction(u[y * nx + x], v[y * nx + x], lap(u), lap(v)); a[y * nx + x] = r.u; c[y * nx + x] = r.v;
        }
        u = a; v = c;
    }
    for (int i = 0; i < n; i++) if (fabsf(u[i] - ru[i]) > 1e-5f || fabsf(v[i] - rv[i]) > 1e-5f) die("gray_scott");
    std::vector<double> c(n); for (int i = 0; i < n; i++) c[i] = (i * 7919 % 1000) / 500.0 - 1;
    double *dc = gpu(c), *dn = gpu(c);
    cahn_hilliard<<<dim3((nx + 63) / 64, (ny + 1) / 2), dim3(64, 2)>>>(dc, dn, nx, ny);
    auto rc = back(dn, n);
    for (int i = 0; i < n; i++) if (fabs(rc[i] - phaseStep(c.data(), i % nx, i / nx, nx, ny)) > 1e-12) die("cahn_hilliard");
    std::vector<float2> vel(n); for (int i = 0; i < n; i++) vel[i] = make_float2(3 * sinf(i / nx * 0.1f), 2 * cosf(i % nx * 0.07f));
    advect<<<dim3(5, 10), dim3(32, 8)>>>(du, gpu(vel), eu, nx, ny, 1.7f);
    auto ra = back(eu, n);
    for (int y = 0; y < ny; y++) for (int x = 0; x < nx; x++) {
        float2 a = vel[y * nx + x]; int mx = (int)(x - 0.85f * a.x + 0.5f), my = (int)(y - 0.85f * a.y + 0.5f); mx = mx < 0 ? 0 : mx > nx - 1 ? nx - 1 : mx; my = my < 0 ? 0 : my > ny - 1 ? ny - 1 : my;
        float2 m = vel[my * nx + mx]; if (fabsf(ra[y * nx + x] - sampleLinear(u.data(), x - 1.7f * m.x, y - 1.7f * m.y, nx, ny)) > 2e-3f) die("advect");
    }
    std::vector<int> h(n); for (int i = 0; i < n; i++) h[i] = (i * 131) % 997;
    int *dh = gpu(h), *dg = gpu(h);
    hex_diffuse<<<dim3((nx + 99) / 100, ny), 100>>>(dh, dg, nx, ny, 6);
    auto rh = back(dg, n);
    for (int i = 0; i < n; i++) {
        int x = i % nx, y = i / nx, s = y & 1, sum = 0, best = -1, steep = 0, ox[6] = {1, -1, s, s - 1, s, s - 1}, oy[6] = {0, 0, 1, 1, -1, -1};
        for (int k = 0; k < 6; k++) { int xx = x + ox[k], yy = y + oy[k]; if (xx < 0 || xx >= nx || yy < 0 || yy >= ny) continue; int d = h[i] - h[yy * nx + xx]; sum += d; if (d > steep) steep = d, best = k; }
        int w = h[i] - sum / 8; for (int r = 0; r < 6 && w > 0 && best >= 0; r++) w -= (w >> (best + 2)) + 1;
        if (w != rh[i]) die("hex");
    }
    const int L = 40, cells = L * L * L; std::vector<double> f(15 * cells); std::vector<unsigned char> solid(cells);
    for (size_t i = 0; i < f.size(); i++) f[i] = (1 + (i * 37 % 11) * 0.01) * ((int)i / cells == 0 ? 2. / 9 : (int)i / cells < 7 ? 1. / 9 : 1. / 72);
    for (int i = 0; i < cells; i++) solid[i] = i % 17 == 0;
    std::vector<float> ff(f.begin(), f.end()); std::vector<double> zero(f.size(), 0); std::vector<float> fzero(f.size(), 0);
    unsigned char *ds = gpu(solid); double *df = gpu(f), *dq = gpu(zero); float *sf = gpu(ff), *sq = gpu(fzero);
    lattice15<double><<<L * L, 64>>>(df, dq, ds, L, 1.2);
    lattice15<float><<<L * L, 64>>>(sf, sq, ds, L, 1.2f);
    auto rd = back(dq, f.size()); auto rf = back(sq, f.size());
    const int X[15] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1}, Y[15] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, -1, 1, -1, 1}, Z[15] = {0, 0, 0, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1, -1, 1};
    for (int me = 0; me < cells; me++) {
        double p[15], rho = 0, ux = 0, uy = 0, uz = 0;
        for (int k = 0; k < 15; k++) { p[k] = f[k * cells + (wrap(me / L / L - Z[k], L) * L + wrap(me / L % L - Y[k], L)) * L + wrap(me % L - X[k], L)]; rho += p[k]; ux += p[k] * X[k]; uy += p[k] * Y[k]; uz += p[k] * Z[k]; }
        ux /= rho; uy /= rho; uz /= rho;
        for (int k = 0; k < 15; k++) {
            const double eu = X[k] * ux + Y[k] * uy + Z[k] * uz, eq = (k == 0 ? 2. / 9 : k < 7 ? 1. / 9 : 1. / 72) * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy + uz * uz));
            const double want = solid[me] ? p[k == 0 ? 0 : k & 1 ? k + 1 : k - 1] : p[k] + 1.2 * (eq - p[k]);
            if (fabs(want - rd[k * cells + me]) > 1e-12 || fabs(want - rf[k * cells + me]) > 1e-5) die("lattice");
        }
    }
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
    return 0;
}
