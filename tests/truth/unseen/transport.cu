// Stochastic transport: photons in a layered slab, neutrons by Woodcock tracking, walk on spheres, direct-simulation collisions.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OR_DIE(stmt) do { cudaError_t r = (stmt); if (r != cudaSuccess) { printf("%s failed: %s\nFAILED\n", #stmt, cudaGetErrorString(r)); return 1; } } while (0)

struct Rng {
    uint32_t s;
    __host__ __device__ explicit Rng(uint32_t seed) { s = seed * 747796405u + 2891336453u; s ^= s >> 15; s |= s == 0; }
    __host__ __device__ float operator()()
    {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        return ((s >> 8) + 0.5f) * 5.9604645e-8f;
    }
};

struct Layer { float z0, z1, mua, mus, g, n; };
__constant__ Layer layers[4];

__device__ float fresnel(float n1, float n2, float ci, float &ct)
{
    if (n1 == n2) { ct = ci; return 0; }
    const float si = sqrtf(1 - ci * ci), st = n1 * si / n2;
    if (st >= 1) { ct = 0; return 1; }
    ct = sqrtf(1 - st * st);
    const float a = n1 * ci - n2 * ct, b = n1 * ci + n2 * ct, c = n1 * ct - n2 * ci, d = n1 * ct + n2 * ci;
    return 0.5f * (a * a / (b * b) + c * c / (d * d));
}

// tallies for each photon: reflected, transmitted, absorbed
__global__ void photonSlab(int photons, int nLayers, float4 *__restrict__ tally)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= photons) return;
    Rng rnd(id);
    float x = 0, y = 0, z = 0, ux = 0, uy = 0, uz = 1, w = 1;
    float refl = 0, trans = 0, absorbed = 0;
    int l = 0, events = 0;
    float left = 0;
    while (w > 0 && events < 400) {
        events++;
        if (left == 0) left = -logf(rnd());
        const Layer L = layers[l];
        const float mut = L.mua + L.mus, s = left / mut;
        const float bound = uz > 0 ? (L.z1 - z) / uz : uz < 0 ? (L.z0 - z) / uz : 1e30f;
        if (bound < s) {
            x += bound * ux; y += bound * uy; z = uz > 0 ? L.z1 : L.z0;
            left -= bound * mut;
            const int next = uz > 0 ? l + 1 : l - 1;
            const float n2 = next < 0 || next >= nLayers ? 1.0f : layers[next].n;
            float ct;
            if (rnd() <= fresnel(L.n, n2, fabsf(uz), ct)) { uz = -uz; continue; }
            if (next < 0) { refl += w; break; }
            if (next >= nLayers) { trans += w; break; }
            const float scale = L.n / n2;
            ux *= scale; uy *= scale; uz = copysignf(ct, uz);
            l = next;
            continue;
        }
        x += s * ux; y += s * uy; z += s * uz;
        left = 0;
        const float dw = w * L.mua / mut;
        absorbed += dw;
        w -= dw;
        float ct;
        if (L.g == 0) ct = 2 * rnd() - 1;
        else { const float t = (1 - L.g * L.g) / (1 - L.g + 2 * L.g * rnd()); ct = (1 + L.g * L.g - t * t) / (2 * L.g); }
        const float st = sqrtf(fmaxf(0.f, 1 - ct * ct));
        float sp, cp;
        sincosf(6.2831853f * rnd(), &sp, &cp);
        if (fabsf(uz) > 0.99999f) { ux = st * cp; uy = st * sp; uz = copysignf(ct, uz); }
        else {
            const float t = sqrtf(1 - uz * uz), nx = st * (ux * uz * cp - uy * sp) / t + ux * ct, ny = st * (uy * uz * cp + ux * sp) / t + uy * ct;
            uz = -st * cp * t + uz * ct;
            ux = nx; uy = ny;
        }
        if (w < 1e-3f) { if (rnd() < 0.1f) w *= 10; else { absorbed += 0; w = 0; } }
    }
    tally[id] = make_float4(refl, trans, absorbed, (float)events);
}

__host__ __device__ inline double crossSection(double x, double y) { return 0.5 + 0.4 * sin(3 * x) * cos(2 * y) + (x > 1 && y > 1 ? 0.8 : 0); }

__global__ void woodcock(int neutrons, double majorant, int *__restrict__ cell, int *__restrict__ flights)
{
    for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < neutrons; id += gridDim.x * blockDim.x) {
        Rng rnd(id + 1000000);
        double x = 1, y = 0.5, phi = 6.283185307179586 * rnd(), dx = cos(phi), dy = sin(phi);
        int hops = 0, where = -1;
        for (; hops < 300; hops++) {
            const double d = -log((double)rnd()) / majorant;
            x += d * dx; y += d * dy;
            if (x < 0 || y < 0 || x >= 2 || y >= 2) break;
            if (rnd() * majorant > crossSection(x, y)) continue;
            if (rnd() < 0.3f) { where = (int)(y * 8) * 16 + (int)(x * 8); break; }
            phi = 6.283185307179586 * rnd();
            sincos(phi, &dy, &dx);
        }
        cell[id] = where;
        flights[id] = hops;
    }
}

// Laplace's equation in a box with a hole: the boundary value where the walk ends
__device__ float sphereWalk(float x, float y, float z, Rng &rnd, float eps)
{
    for (int k = 0; k < 100; k++) {
        const float box = fminf(fminf(1 - fabsf(x), 1 - fabsf(y)), 1 - fabsf(z)), hole = sqrtf(x * x + y * y + z * z) - 0.3f, r = fminf(box, hole);
        if (r < eps) return hole < box ? 1.0f : 0.0f;
        const float c = 2 * rnd() - 1, s = sqrtf(1 - c * c), phi = 6.2831853f * rnd();
        x += r * s * __cosf(phi);
        y += r * s * __sinf(phi);
        z += r * c;
    }
    return 0.5f;
}

__global__ void walkOnSpheres(const float3 *__restrict__ points, int walks, float *__restrict__ value)
{
    __shared__ float sums[4];
    const float3 p = points[blockIdx.x];
    Rng rnd(blockIdx.x * 7919 + threadIdx.x);
    float s = 0;
    for (int w = threadIdx.x; w < walks; w += blockDim.x) s += sphereWalk(p.x, p.y, p.z, rnd, 1e-3f);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) value[blockIdx.x] = (sums[0] + sums[1] + sums[2] + sums[3]) / walks;
}

// hard spheres: random pairs in a cell of 2 * blockDim particles in shared memory
__global__ void dsmcCollide(float3 *__restrict__ vel, int rounds, float rate, unsigned seed)
{
    extern __shared__ float3 v[];
    const int n = 2 * blockDim.x, t = threadIdx.x;
    float3 *mine = vel + (size_t)blockIdx.x * n;
    v[t] = mine[t];
    v[t + blockDim.x] = mine[t + blockDim.x];
    Rng rnd(seed + blockIdx.x * 4099 + t);
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        const int a = t, b = blockDim.x + (t + 17 * r + 5) % blockDim.x;
        const float3 p = v[a], q = v[b];
        const float gx = p.x - q.x, gy = p.y - q.y, gz = p.z - q.z, g = sqrtf(gx * gx + gy * gy + gz * gz);
        const float u = rnd();
        if (u < g * rate) {
            const float c = 1 - 2 * rnd(), s = sqrtf(1 - c * c), phi = 6.2831853f * rnd();
            const float hx = 0.5f * g * s * cosf(phi), hy = 0.5f * g * s * sinf(phi), hz = 0.5f * g * c;
            const float mx = 0.5f * (p.x + q.x), my = 0.5f * (p.y + q.y), mz = 0.5f * (p.z + q.z);
            v[a] = make_float3(mx + hx, my + hy, mz + hz);
            v[b] = make_float3(mx - hx, my - hy, mz - hz);
        }
    }
    __syncthreads();
    mine[t] = v[t];
    mine[t + blockDim.x] = v[t + blockDim.x];
}

int main()
{
    bool good = true;
    const Layer L[3] = {{0, 0.1f, 1, 100, 0.9f, 1.37f}, {0.1f, 0.2f, 1, 10, 0, 1.37f}, {0.2f, 0.4f, 2, 10, 0.7f, 1.4f}};
    CUDA_OR_DIE(cudaMemcpyToSymbol(layers, L, sizeof L));
    const int photons = 12000;
    float4 *dt; CUDA_OR_DIE(cudaMalloc(&dt, photons * sizeof(float4)));
    photonSlab<<<(photons + 127) / 128, 128>>>(photons, 3, dt);
    std::vector<float4> t(photons); CUDA_OR_DIE(cudaMemcpy(t.data(), dt, photons * sizeof(float4), cudaMemcpyDeviceToHost));
    double r = 0, tr = 0, ab = 0; for (auto &p : t) { r += p.x; tr += p.y; ab += p.z; }
    r /= photons; tr /= photons; ab /= photons;
    if (fabs(r + tr + ab - 1) > 0.02 || r < 0.1 || r > 0.4 || ab < 0.3) { printf("photons %g %g %g\n", r, tr, ab); good = false; }
    const int neutrons = 40000; int *dc, *df; CUDA_OR_DIE(cudaMalloc(&dc, neutrons * 4)); CUDA_OR_DIE(cudaMalloc(&df, neutrons * 4));
    woodcock<<<80, 192>>>(neutrons, 1.8, dc, df);
    std::vector<int> c(neutrons), f(neutrons); CUDA_OR_DIE(cudaMemcpy(c.data(), dc, neutrons * 4, cudaMemcpyDeviceToHost)); CUDA_OR_DIE(cudaMemcpy(f.data(), df, neutrons * 4, cudaMemcpyDeviceToHost));
    int off = 0;
    for (int id = 0; id < neutrons; id += 17) {
        Rng rnd(id + 1000000); double x = 1, y = 0.5, phi = 6.283185307179586 * rnd(), dx = cos(phi), dy = sin(phi); int hops = 0, where = -1;
        for (; hops < 300; hops++) { double d = -log((double)rnd()) / 1.8; x += d * dx; y += d * dy; if (x < 0 || y < 0 || x >= 2 || y >= 2) break; if (rnd() * 1.8 > crossSection(x, y)) continue; if (rnd() < 0.3f) { where = (int)(y * 8) * 16 + (int)(x * 8); break; } phi = 6.283185307179586 * rnd(); dx = cos(phi); dy = sin(phi); }
        off += where != c[id] || hops != f[id];
    }
    if (off > 10) { printf("woodcock %d\n", off); good = false; }
    const int pts = 120, walks = 512; std::vector<float3> p(pts); for (int i = 0; i < pts; i++) { float d = 0.32f + 0.66f * i / pts; p[i] = make_float3(d, 0.01f * (i % 7), 0.02f * (i % 3)); }
    float3 *dp; float *dv; CUDA_OR_DIE(cudaMalloc(&dp, pts * 12)); CUDA_OR_DIE(cudaMalloc(&dv, pts * 4)); CUDA_OR_DIE(cudaMemcpy(dp, p.data(), pts * 12, cudaMemcpyHostToDevice));
    walkOnSpheres<<<pts, 128>>>(dp, walks, dv);
    std::vector<float> v(pts); CUDA_OR_DIE(cudaMemcpy(v.data(), dv, pts * 4, cudaMemcpyDeviceToHost));
    double first = 0, last = 0; for (int i = 0; i < 10; i++) { first += v[i] / 10; last += v[pts - 1 - i] / 10; }
    if (first < 0.7 || last > 0.1) { printf("walks %g %g\n", first, last); good = false; }
    const int cells = 150, half = 64, n = cells * half * 2; std::vector<float3> vel(n); Rng g(5); double e0 = 0, e1 = 0, m0 = 0, m1 = 0;
    for (auto &q : vel) { q = make_float3(g() * 2 - 1, g() - 0.5f, g() * 0.1f); e0 += q.x * q.x + q.y * q.y + q.z * q.z; m0 += q.x + q.y + q.z; }
    auto before = vel; float3 *dvel; CUDA_OR_DIE(cudaMalloc(&dvel, n * 12)); CUDA_OR_DIE(cudaMemcpy(dvel, vel.data(), n * 12, cudaMemcpyHostToDevice));
    dsmcCollide<<<cells, half, 2 * half * sizeof(float3)>>>(dvel, 20, 0.5f, 99);
    CUDA_OR_DIE(cudaMemcpy(vel.data(), dvel, n * 12, cudaMemcpyDeviceToHost));
    int changed = 0; for (int i = 0; i < n; i++) { auto &q = vel[i]; e1 += q.x * q.x + q.y * q.y + q.z * q.z; m1 += q.x + q.y + q.z; changed += q.x != before[i].x; }
    if (fabs(e1 / e0 - 1) > 1e-4 || fabs(m1 - m0) > 0.1 || changed < n / 2) { printf("dsmc %g %g %d\n", e1 / e0, m1 - m0, changed); good = false; }
    puts(good ? "PASSED" : "FAILED");
    return !good;
}
