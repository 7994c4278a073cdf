/* Waves and flows on grids: shallow water, electromagnetic fields on a staggered grid, gas in a tube, red and black relaxation,
 * tridiagonal systems by cyclic reduction. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

struct State { float h, hu, hv; };

__host__ __device__ static inline State fluxX(State s, float g)
{
    float u = s.hu / s.h;
    State f = {s.hu, s.hu * u + 0.5f * g * s.h * s.h, s.hv * u};
    return f;
}

__host__ __device__ static inline State fluxY(State s, float g)
{
    float v = s.hv / s.h;
    State f = {s.hv, s.hu * v, s.hv * v + 0.5f * g * s.h * s.h};
    return f;
}

__host__ __device__ State laxFriedrichs(State w, State e, State s, State n, float cx, float cy, float g)
{
    State fw = fluxX(w, g), fe = fluxX(e, g), fs = fluxY(s, g), fn = fluxY(n, g), r;
    r.h = 0.25f * (w.h + e.h + s.h + n.h) - cx * (fe.h - fw.h) - cy * (fn.h - fs.h);
    r.hu = 0.25f * (w.hu + e.hu + s.hu + n.hu) - cx * (fe.hu - fw.hu) - cy * (fn.hu - fs.hu);
    r.hv = 0.25f * (w.hv + e.hv + s.hv + n.hv) - cx * (fe.hv - fw.hv) - cy * (fn.hv - fs.hv);
    return r;
}

__global__ void shallowWater(const State *in, State *out, int nx, int ny, float cx, float cy, float g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int xm = (x + nx - 1) % nx, xp = (x + 1) % nx, ym = (y + ny - 1) % ny, yp = (y + 1) % ny;
    out[y * nx + x] = laxFriedrichs(in[y * nx + xm], in[y * nx + xp], in[ym * nx + x], in[yp * nx + x], cx, cy, g);
}

__global__ void updateH(float *hx, float *hy, const float *ez, int nx, int ny, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y;
    if (i < nx - 1 && j < ny - 1) {
        int at = j * nx + i;
        hx[at] -= c * (ez[at + nx] - ez[at]);
        hy[at] += c * (ez[at + 1] - ez[at]);
    }
}

__global__ void updateE(float *ez, const float *hx, const float *hy, const float *eps, int nx, int ny, float c, float t, int sx, int sy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y;
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    int at = j * nx + i;
    float e = ez[at] + c / eps[at] * (hy[at] - hy[at - 1] - hx[at] + hx[at - nx]);
    if (i == sx && j == sy)
        e += expf(-(t - 3.0f) * (t - 3.0f)) * sinf(2.0f * t);
    ez[at] = e;
}

/* density, momentum, energy of a gas; HLL between neighbours. Each block keeps its cells and one more at each side. */
#define CELLS 64
__host__ __device__ double3 hll(double3 l, double3 r)
{
    const double gamma = 1.4;
    double ul = l.y / l.x, ur = r.y / r.x;
    double pl = (gamma - 1) * (l.z - 0.5 * l.y * ul), pr = (gamma - 1) * (r.z - 0.5 * r.y * ur);
    double al = sqrt(gamma * pl / l.x), ar = sqrt(gamma * pr / r.x);
    double sl = fmin(ul - al, ur - ar), sr = fmax(ul + al, ur + ar);
    double3 fl = {l.y, l.y * ul + pl, (l.z + pl) * ul}, fr = {r.y, r.y * ur + pr, (r.z + pr) * ur};
    if (sl >= 0) return fl;
    if (sr <= 0) return fr;
    double d = 1 / (sr - sl);
    return make_double3((sr * fl.x - sl * fr.x + sl * sr * (r.x - l.x)) * d, (sr * fl.y - sl * fr.y + sl * sr * (r.y - l.y)) * d,
                        (sr * fl.z - sl * fr.z + sl * sr * (r.z - l.z)) * d);
}

__global__ void shockTube(const double3 *in, double3 *out, int n, double k)
{
    __shared__ double3 u[CELLS + 2];
    __shared__ double3 f[CELLS + 1];
    int t = threadIdx.x, i = blockIdx.x * CELLS + t;
    for (int c = t; c < CELLS + 2; c += CELLS) {
        int g = blockIdx.x * CELLS + c - 1;
        u[c] = in[g < 0 ? 0 : g >= n ? n - 1 : g];
    }
    __syncthreads();
    f[t] = hll(u[t], u[t + 1]);
    if (t == 0) f[CELLS] = hll(u[CELLS], u[CELLS + 1]);
    __syncthreads();
    if (i < n) {
        double3 a = u[t + 1];
        a.x -= k * (f[t + 1].x - f[t].x);
        a.y -= k * (f[t + 1].y - f[t].y);
        a.z -= k * (f[t + 1].z - f[t].z);
        out[i] = a;
    }
}

template <bool RED>
__global__ void relax(double *p, const double *rhs, int n, double omega)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int col = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((row & 1) ^ (RED ? 1 : 0));
    if (row < n - 1 && col < n - 1) {
        double *c = p + row * n + col;
        double gs = 0.25 * (c[-1] + c[1] + c[-n] + c[n] - rhs[row * n + col]);
        *c += omega * (gs - *c);
    }
}

__global__ void cyclicReduction(const float *lower, const float *diag, const float *upper, float *x, int n)
{
    extern __shared__ float buf[];
    float *a = buf, *b = a + n, *c = b + n, *d = c + n;
    int i = threadIdx.x, base = blockIdx.x * n;
    a[i] = lower[base + i]; b[i] = diag[base + i]; c[i] = upper[base + i]; d[i] = x[base + i];
    __syncthreads();
    for (int s = 1; s < n; s *= 2) {
        float na = 0, nc = 0, nb = b[i], nd = d[i];
        if (i >= s) {
            float k = a[i] / b[i - s];
            nb -= k * c[i - s];
            nd -= k * d[i - s];
            na = -k * a[i - s];
        }
        if (i + s < n) {
            float k = c[i] / b[i + s];
            nb -= k * a[i + s];
            nd -= k * d[i + s];
            nc = -k * c[i + s];
        }
        __syncthreads();
        a[i] = na; b[i] = nb; c[i] = nc; d[i] = nd;
        __syncthreads();
    }
    x[base + i] = d[i] / b[i];
}

template <class T> static T *make(size_t n, const T *from)
{
    T *p = NULL;
    if (cudaMalloc((void **)&p, n * sizeof(T)) != cudaSuccess) exit(1);
    cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> static void back(T *to, const T *d, size_t n)
{
    if (cudaMemcpy(to, d, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) { puts("FAILED"); exit(1); }
}

int main()
{
    int bad = 0;
    const int nx = 70, ny = 50, cells = nx * ny;
    State *s = new State[cells], *r = new State[cells];
    for (int i = 0; i < cells; i++) {
        float dx = i % nx - 30.0f, dy = i / nx - 22.0f;
        s[i].h = 1.0f + 0.5f * expf(-0.02f * (dx * dx + dy * dy)); s[i].hu = 0.1f * sinf(0.2f * dx); s[i].hv = 0.05f;
    }
    State *ds = make(cells, s), *dr = make(cells, s);
    shallowWater<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(ds, dr, nx, ny, 0.05f, 0.06f, 9.81f);
    back(r, dr, cells);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            State w = laxFriedrichs(s[y * nx + (x + nx - 1) % nx], s[y * nx + (x + 1) % nx], s[(y + ny - 1) % ny * nx + x], s[(y + 1) % ny * nx + x],
                                    0.05f, 0.06f, 9.81f), g = r[y * nx + x];
            bad += fabsf(w.h - g.h) > 1e-4f || fabsf(w.hu - g.hu) > 1e-4f || fabsf(w.hv - g.hv) > 1e-4f;
        }

    float *f = new float[4 * cells], *fd;
    for (int i = 0; i < cells; i++) { f[i] = sinf(0.1f * i); f[cells + i] = cosf(0.3f * i); f[2 * cells + i] = 0.2f; f[3 * cells + i] = 1.0f + i % 5; }
    fd = make(4 * cells, f);
    updateH<<<dim3((nx + 63) / 64, ny), 64>>>(fd + cells, fd + 2 * cells, fd, nx, ny, 0.5f);
    updateE<<<dim3((nx + 31) / 32, ny), 32>>>(fd, fd + cells, fd + 2 * cells, fd + 3 * cells, nx, ny, 0.5f, 2.5f, 20, 25);
    float *g = new float[4 * cells];
    back(g, fd, 4 * cells);
    for (int j = 0; j < ny - 1; j++)
        for (int i = 0; i < nx - 1; i++) {
            int at = j * nx + i;
            f[cells + at] -= 0.5f * (f[at + nx] - f[at]);
            f[2 * cells + at] += 0.5f * (f[at + 1] - f[at]);
        }
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) {
            int at = j * nx + i;
            f[at] += 0.5f / f[3 * cells + at] * (f[2 * cells + at] - f[2 * cells + at - 1] - f[cells + at] + f[cells + at - nx]);
            if (i == 20 && j == 25) f[at] += expf(-0.25f) * sinf(5.0f);
        }
    for (int i = 0; i < 3 * cells; i++) bad += fabsf(f[i] - g[i]) > 1e-5f;

    const int gas = 1000;
    double3 *u = new double3[gas], *v = new double3[gas];
    for (int i = 0; i < gas; i++) {
        double rho = i < 480 ? 1.0 : 0.125, p = i < 480 ? 1.0 : 0.1, vel = i < 300 ? 0.1 * (i % 3) : 0.0;
        u[i] = make_double3(rho, rho * vel, p / 0.4 + 0.5 * rho * vel * vel);
    }
    u[700].y = 3.0 * u[700].x; u[700].z += 4.5 * u[700].x;
    double3 *du = make(gas, u), *dv = make(gas, u);
    shockTube<<<(gas + CELLS - 1) / CELLS, CELLS>>>(du, dv, gas, 0.1);
    back(v, dv, gas);
    for (int i = 0; i < gas; i++) {
        double3 l = hll(u[i ? i - 1 : 0], u[i]), h = hll(u[i], u[i + 1 < gas ? i + 1 : i]);
        bad += fabs(u[i].x - 0.1 * (h.x - l.x) - v[i].x) > 1e-12 || fabs(u[i].z - 0.1 * (h.z - l.z) - v[i].z) > 1e-12;
    }

    const int n = 66;
    double *p = new double[n * n], *q = new double[n * n], *rhs = new double[n * n];
    for (int i = 0; i < n * n; i++) { p[i] = (i % 17) * 0.1; rhs[i] = (i % 5) * 0.01; }
    double *dp = make(n * n, p), *drhs = make(n * n, rhs);
    relax<true><<<dim3(2, 16), dim3(16, 4)>>>(dp, drhs, n, 1.5);
    relax<false><<<dim3(1, 8), dim3(32, 8)>>>(dp, drhs, n, 1.5);
    back(q, dp, n * n);
    for (int colour = 1; colour >= 0; colour--)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++)
                if (((x - 1) & 1) == ((y & 1) ^ colour))
                    p[y * n + x] += 1.5 * (0.25 * (p[y * n + x - 1] + p[y * n + x + 1] + p[y * n + x - n] + p[y * n + x + n] - rhs[y * n + x]) - p[y * n + x]);
    for (int i = 0; i < n * n; i++) bad += fabs(p[i] - q[i]) > 1e-12;

    const int m = 96, systems = 10;
    float *A = new float[4 * m * systems], *X = new float[m * systems];
    for (int i = 0; i < m * systems; i++) {
        A[i] = i % m ? -1.0f : 0.0f;
        A[m * systems + i] = 2.5f + 0.01f * (i % 13);
        A[2 * m * systems + i] = i % m < m - 1 ? -1.1f : 0.0f;
        A[3 * m * systems + i] = 0.1f * (i % 29);
    }
    float *dA = make(4 * m * systems, A);
    cyclicReduction<<<systems, m, 4 * m * sizeof(float)>>>(dA, dA + m * systems, dA + 2 * m * systems, dA + 3 * m * systems, m);
    back(X, dA + 3 * m * systems, m * systems);
    for (int i = 0; i < m * systems; i++) {
        double s = A[m * systems + i] * X[i];
        if (i % m) s += A[i] * X[i - 1];
        if (i % m < m - 1) s += A[2 * m * systems + i] * X[i + 1];
        bad += fabs(s - A[3 * m * systems + i]) > 1e-3;
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
