// Particles: Boris push, cloud-in-cell charge in fixed point, field gather, Hermite forces with jerk, cloth with springs, rigid bodies.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define OK(e) do { if ((e) != cudaSuccess) { printf("%s\nFAILED\n", cudaGetErrorString(cudaGetLastError())); return 1; } } while (0)

struct Particles { double *x, *y, *z, *vx, *vy, *vz; };

__host__ __device__ inline void boris(double &x, double &y, double &z, double &vx, double &vy, double &vz, double dt, int steps)
{
    for (int s = 0; s < steps; s++) {
        const double ex = 0.1 * sin(x), ey = 0.05 * y, ez = -0.02 * z, bz = 1.0 + 0.1 * x, bx = 0.05 * z, h = 0.5 * dt;
        const double ax = vx + h * ex, ay = vy + h * ey, az = vz + h * ez;
        const double tx = h * bx, tz = h * bz, k = 2 / (1 + tx * tx + tz * tz);
        const double px = ax + ay * tz, py = ay + az * tx - ax * tz, pz = az - ay * tx;
        vx = ax + k * py * tz + h * ex;
        vy = ay + k * (pz * tx - px * tz) + h * ey;
        vz = az - k * py * tx + h * ez;
        x += vx * dt; y += vy * dt; z += vz * dt;
    }
}

__global__ void borisPush(Particles p, int n, double dt, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = p.x[i], y = p.y[i], z = p.z[i], vx = p.vx[i], vy = p.vy[i], vz = p.vz[i];
    boris(x, y, z, vx, vy, vz, dt, steps);
    p.x[i] = x; p.y[i] = y; p.z[i] = z; p.vx[i] = vx; p.vy[i] = vy; p.vz[i] = vz;
}

// charges in units of 2^-16: sums of integers, in any order
__global__ void depositCharge(const float2 *__restrict__ pos, int n, unsigned *__restrict__ grid, int nx, int ny)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 p = pos[i];
        const int cx = (int)floorf(p.x), cy = (int)floorf(p.y);
        const unsigned fx = (unsigned)((p.x - cx) * 256), fy = (unsigned)((p.y - cy) * 256);
        const int rx = cx + 1 == nx ? 0 : cx + 1, ry = cy + 1 == ny ? 0 : cy + 1;
        atomicAdd(&grid[cy * nx + cx], (256 - fx) * (256 - fy));
        atomicAdd(&grid[cy * nx + rx], fx * (256 - fy));
        atomicAdd(&grid[ry * nx + cx], (256 - fx) * fy);
        atomicAdd(&grid[ry * nx + rx], fx * fy);
    }
}

__host__ __device__ inline float quadratic(float d) { d = fabsf(d); return d < 0.5f ? 0.75f - d * d : d < 1.5f ? 0.5f * (1.5f - d) * (1.5f - d) : 0.0f; }

__host__ __device__ inline float2 gather9(const float2 *e, float2 p, int nx, int ny)
{
    const int cx = (int)rintf(p.x), cy = (int)rintf(p.y);
    float2 s = make_float2(0, 0);
    for (int j = -1; j <= 1; j++) {
        const float wy = quadratic(p.y - (cy + j));
        for (int i = -1; i <= 1; i++) {
            const float w = wy * quadratic(p.x - (cx + i));
            const float2 v = e[(cy + j + ny) % ny * nx + (cx + i + nx) % nx];
            s.x += w * v.x; s.y += w * v.y;
        }
    }
    return s;
}

__global__ void gatherField(const float2 *__restrict__ field, const float2 *__restrict__ pos, float2 *__restrict__ vel, int n, int nx, int ny, float qm)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 e = gather9(field, pos[i], nx, ny);
    vel[i].x += qm * e.x;
    vel[i].y += qm * e.y;
}

template <int TILE>
__global__ void hermiteForces(const float4 *__restrict__ pm, const float3 *__restrict__ vel, int n, float eps2, float3 *__restrict__ acc, float3 *__restrict__ jerk)
{
    __shared__ float4 sp[TILE];
    __shared__ float3 sv[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 me = i < n ? pm[i] : make_float4(0, 0, 0, 0);
    const float3 v = i < n ? vel[i] : make_float3(0, 0, 0);
    float3 a = make_float3(0, 0, 0), j = a;
    for (int base = 0; base < n; base += TILE) {
        const int k = base + threadIdx.x;
        sp[threadIdx.x] = k < n ? pm[k] : make_float4(0, 0, 0, 0);
        sv[threadIdx.x] = k < n ? vel[k] : make_float3(0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int t = 0; t < TILE; t++) {
            const float dx = sp[t].x - me.x, dy = sp[t].y - me.y, dz = sp[t].z - me.z;
            const float ux = sv[t].x - v.x, uy = sv[t].y - v.y, uz = sv[t].z - v.z;
            const float r2 = dx * dx + dy * dy + dz * dz + eps2, inv = rsqrtf(r2), inv2 = inv * inv, m = sp[t].w * inv * inv2;
            const float rv = 3 * (dx * ux + dy * uy + dz * uz) * inv2;
            a.x += m * dx; a.y += m * dy; a.z += m * dz;
            j.x += m * (ux - rv * dx); j.y += m * (uy - rv * dy); j.z += m * (uz - rv * dz);
        }
        __syncthreads();
    }
    if (i < n) { acc[i] = a; jerk[i] = j; }
}

struct V3 { float x, y, z; };
__host__ __device__ inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline V3 operator*(float s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }

__host__ __device__ inline V3 clothNode(const V3 *now, const V3 *before, int x, int y, int w, int h, float dt)
{
    const int dx[12] = {1, -1, 0, 0, 1, 1, -1, -1, 2, -2, 0, 0}, dy[12] = {0, 0, 1, -1, 1, -1, 1, -1, 0, 0, 2, -2};
    const V3 p = now[y * w + x];
    if (y == 0 && x % 8 == 0) return p;
    V3 f = {0, -9.81f, 0};
    for (int k = 0; k < 12; k++) {
        const int xx = x + dx[k], yy = y + dy[k];
        if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
        const V3 d = now[yy * w + xx] - p;
        const float rest = 0.1f * sqrtf((float)(dx[k] * dx[k] + dy[k] * dy[k])), len = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
        f = f + (k < 4 ? 900.0f : k < 8 ? 400.0f : 100.0f) * (len - rest) / (len + 1e-6f) * d;
    }
    V3 q = p + 0.99f * (p - before[y * w + x]) + dt * dt * f;
    const float r = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z);
    if (r < 0.6f) q = (0.6f / r) * q;
    return q;
}

__global__ void clothStep(const V3 *__restrict__ now, const V3 *__restrict__ before, V3 *__restrict__ next, int w, int h, float dt)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) next[y * w + x] = clothNode(now, before, x, y, w, h, dt);
}

struct Body { float q[4]; float w[3]; float inertia[3]; float m[9]; };

__host__ __device__ inline void spin(Body &b, float dt, int steps)
{
    for (int s = 0; s < steps; s++) {
        float *w = b.w, *I = b.inertia, *q = b.q;
        const float tx = (I[1] - I[2]) * w[1] * w[2] / I[0], ty = (I[2] - I[0]) * w[2] * w[0] / I[1], tz = (I[0] - I[1]) * w[0] * w[1] / I[2];
        w[0] += dt * tx; w[1] += dt * ty; w[2] += dt * tz;
        const float a = -q[1] * w[0] - q[2] * w[1] - q[3] * w[2], i = q[0] * w[0] + q[2] * w[2] - q[3] * w[1], j = q[0] * w[1] + q[3] * w[0] - q[1] * w[2], k = q[0] * w[2] + q[1] * w[1] - q[2] * w[0];
        const float h = 0.5f * dt;
        q[0] += h * a; q[1] += h * i; q[2] += h * j; q[3] += h * k;
        const float n = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int c = 0; c < 4; c++) q[c] *= n;
    }
    const float a = b.q[0], i = b.q[1], j = b.q[2], k = b.q[3];
    const float m[9] = {1 - 2 * (j * j + k * k), 2 * (i * j - k * a), 2 * (i * k + j * a), 2 * (i * j + k * a), 1 - 2 * (i * i + k * k), 2 * (j * k - i * a), 2 * (i * k - j * a), 2 * (j * k + i * a), 1 - 2 * (i * i + j * j)};
    for (int c = 0; c < 9; c++) b.m[c] = m[c];
}

__global__ void spinBodies(Body *bodies, int n, float dt, int steps)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) { Body b = bodies[i]; spin(b, dt, steps); bodies[i] = b; }
}

static double rn(unsigned &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s / 4294967296.0; }
template <class T> T *in(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> out(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    unsigned s = 12345; bool good = true; double e = 0;
    auto report = [&](const char *w, double limit) { if (!(e <= limit)) { printf("%s %g\n", w, e); good = false; } e = 0; };
    const int n = 10000; std::vector<double> c[6]; Particles p; double **f[6] = {&p.x, &p.y, &p.z, &p.vx, &p.vy, &p.vz};
    for (int k = 0; k < 6; k++) { c[k].resize(n); for (auto &v : c[k]) v = rn(s) * 2 - 1; *f[k] = in(c[k]); }
    borisPush<<<(n + 127) / 128, 128>>>(p, n, 0.05, 10);
    auto px = out(p.x, n), pvz = out(p.vz, n);
    for (int i = 0; i < n; i += 3) { boris(c[0][i], c[1][i], c[2][i], c[3][i], c[4][i], c[5][i], 0.05, 10); e = fmax(e, fabs(px[i] - c[0][i]) + fabs(pvz[i] - c[5][i])); }
    report("boris", 1e-10);
    const int nx = 96, ny = 64, np = 50000; std::vector<float2> pos(np); for (auto &q : pos) q = make_float2((float)(rn(s) * nx * 0.9999), (float)(rn(s) * ny * 0.9999));
    unsigned *grid; OK(cudaMalloc(&grid, nx * ny * 4)); OK(cudaMemset(grid, 0, nx * ny * 4)); float2 *dpos = in(pos);
    depositCharge<<<50, 256>>>(dpos, np, grid, nx, ny);
    unsigned long long total = 0; for (unsigned g : out(grid, nx * ny)) total += g; e = fabs(total / 65536.0 - np); report("deposit", 0);
    std::vector<float2> field(nx * ny), vel(np, make_float2(0, 0)); for (auto &q : field) q = make_float2((float)rn(s), (float)rn(s)); float2 *dvel = in(vel);
    gatherField<<<(np + 191) / 192, 192>>>(in(field), dpos, dvel, np, nx, ny, 0.5f);
    auto hv = out(dvel, np); for (int i = 0; i < np; i += 7) { float2 g = gather9(field.data(), pos[i], nx, ny); e = fmax(e, fabs(hv[i].x - 0.5f * g.x) + fabs(hv[i].y - 0.5f * g.y)); } report("gather", 1e-5);
    const int nb = 1000; std::vector<float4> pm(nb); std::vector<float3> v(nb); for (auto &q : pm) q = make_float4((float)rn(s), (float)rn(s), (float)rn(s), 1.0f / nb); for (auto &q : v) q = make_float3((float)rn(s), (float)rn(s), (float)rn(s));
    float3 *acc, *jerk; OK(cudaMalloc(&acc, nb * 12)); OK(cudaMalloc(&jerk, nb * 12));
    hermiteForces<64><<<(nb + 63) / 64, 64>>>(in(pm), in(v), nb, 0.01f, acc, jerk);
    auto ha = out(acc, nb), hj = out(jerk, nb);
    for (int i = 0; i < nb; i += 37) { double a = 0, j = 0; for (int k = 0; k < nb; k++) { double dx = pm[k].x - pm[i].x, dy = pm[k].y - pm[i].y, dz = pm[k].z - pm[i].z, r2 = dx * dx + dy * dy + dz * dz + 0.01, m = pm[k].w / r2 / sqrt(r2); a += m * dx; j += m * (v[k].x - v[i].x - 3 * (dx * (v[k].x - v[i].x) + dy * (v[k].y - v[i].y) + dz * (v[k].z - v[i].z)) / r2 * dx); } e = fmax(e, fabs(a - ha[i].x) + fabs(j - hj[i].x)); } report("hermite", 1e-2);
    const int w = 120, h = 90; std::vector<V3> cl(w * h); for (int i = 0; i < w * h; i++) cl[i] = {(i % w) * 0.1f - 3, 1.0f, (i / w) * 0.11f - 3}; std::vector<V3> a = cl, b = cl, t = cl; V3 *da = in(cl), *db = in(cl), *dc = in(cl);
    for (int k = 0; k < 3; k++) { clothStep<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(da, db, dc, w, h, 0.01f); V3 *sw = db; db = da; da = dc; dc = sw; for (int i = 0; i < w * h; i++) t[i] = clothNode(a.data(), b.data(), i % w, i / w, w, h, 0.01f); b = a; a = t; }
    auto hc = out(da, w * h); for (int i = 0; i < w * h; i++) e = fmax(e, fabs(hc[i].x - a[i].x) + fabs(hc[i].y - a[i].y) + fabs(hc[i].z - a[i].z)); report("cloth", 1e-3);
    std::vector<Body> bs(4000); for (auto &q : bs) { for (float &z : q.q) z = (float)rn(s); for (float &z : q.w) z = (float)rn(s); for (float &z : q.inertia) z = 1 + (float)rn(s); } Body *dbod = in(bs);
    spinBodies<<<(4000 + 95) / 96, 96>>>(dbod, 4000, 0.01f, 20);
    auto hb = out(dbod, 4000); for (int i = 0; i < 4000; i++) { spin(bs[i], 0.01f, 20); for (int k = 0; k < 9; k++) e = fmax(e, fabs(bs[i].m[k] - hb[i].m[k])); } report("bodies", 1e-3);
    OK(cudaDeviceSynchronize());
    puts(good ? "PASSED" : "FAILED");
    return !good;
}
