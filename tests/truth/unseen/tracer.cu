// Small renderers: reflecting spheres, a signed distance field with soft shadows, Newton basins, volume attenuation by 3D DDA.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define HD __host__ __device__

struct vec3 {
    float x, y, z;
    HD vec3() : x(0), y(0), z(0) {}
    HD vec3(float a) : x(a), y(a), z(a) {}
    HD vec3(float a, float b, float c) : x(a), y(b), z(c) {}
    HD vec3 operator+(const vec3 &o) const { return vec3(x + o.x, y + o.y, z + o.z); }
    HD vec3 operator-(const vec3 &o) const { return vec3(x - o.x, y - o.y, z - o.z); }
    HD vec3 operator*(const vec3 &o) const { return vec3(x * o.x, y * o.y, z * o.z); }
    HD vec3 operator*(float s) const { return vec3(x * s, y * s, z * s); }
};
HD inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HD inline float length(vec3 a) { return sqrtf(dot(a, a)); }
HD inline vec3 normalize(vec3 a) { return a * (1.0f / sqrtf(dot(a, a))); }
HD inline vec3 reflect(vec3 d, vec3 n) { return d - n * (2 * dot(d, n)); }

struct Sphere { vec3 c; float r; vec3 colour; float mirror; };
constexpr int SPHERES = 12;
__constant__ char sceneBytes[SPHERES * sizeof(Sphere)];

HD inline int closest(const Sphere *s, vec3 o, vec3 d, float &t)
{
    int hit = -1;
    t = 1e30f;
    for (int i = 0; i < SPHERES; i++) {
        vec3 oc = o - s[i].c;
        float b = dot(oc, d), c = dot(oc, oc) - s[i].r * s[i].r, disc = b * b - c;
        if (disc < 0) continue;
        float q = sqrtf(disc), u = -b - q;
        if (u < 1e-3f) u = -b + q;
        if (u > 1e-3f && u < t) { t = u; hit = i; }
    }
    return hit;
}

HD inline vec3 shade(const Sphere *s, vec3 o, vec3 d, int bounces)
{
    vec3 light = normalize(vec3(1, 2, -1.5f)), sum, weight(1);
    for (int k = 0; k <= bounces; k++) {
        float t, ignore;
        int h = closest(s, o, d, t);
        if (h < 0) { sum = sum + weight * vec3(0.3f, 0.4f, 0.5f + 0.3f * d.y); break; }
        vec3 p = o + d * t, n = normalize(p - s[h].c);
        float diffuse = fmaxf(dot(n, light), 0.0f);
        if (diffuse > 0 && closest(s, p, light, ignore) >= 0) diffuse = 0;
        vec3 half = normalize(light - d);
        float spec = powf(fmaxf(dot(n, half), 0.0f), 40.0f);
        sum = sum + weight * (s[h].colour * (0.1f + 0.9f * diffuse) + vec3(spec * diffuse)) * (1 - s[h].mirror);
        weight = weight * s[h].mirror;
        if (s[h].mirror < 0.05f) break;
        o = p;
        d = reflect(d, n);
    }
    return sum;
}

__global__ void renderSpheres(uchar4 *__restrict__ image, int w, int h, int bounces)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const Sphere *s = reinterpret_cast<const Sphere *>(sceneBytes);
    vec3 c = shade(s, vec3(0, 0.5f, -4), normalize(vec3((x - w / 2) / (float)h, (h / 2 - y) / (float)h, 1)), bounces);
    image[y * w + x] = make_uchar4((unsigned char)(255 * fminf(c.x, 1.0f)), (unsigned char)(255 * fminf(c.y, 1.0f)), (unsigned char)(255 * fminf(c.z, 1.0f)), 255);
}

HD inline float field(vec3 p)
{
    float ground = p.y + 1.0f;
    vec3 q(fabsf(p.x) - 0.7f, fabsf(p.y) - 0.4f, fabsf(p.z) - 0.5f);
    float box = length(vec3(fmaxf(q.x, 0.f), fmaxf(q.y, 0.f), fmaxf(q.z, 0.f))) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0.f) - 0.1f;
    float ring = sqrtf(p.x * p.x + p.z * p.z) - 1.5f;
    float torus = sqrtf(ring * ring + p.y * p.y) - 0.25f;
    float a = box - sinf(6 * p.x) * sinf(6 * p.y) * sinf(6 * p.z) * 0.04f;
    return fminf(ground, fminf(a, torus));
}

HD inline float marchPixel(float u, float v)
{
    vec3 o(0, 1.2f, -4), d = normalize(vec3(u, v - 0.25f, 1));
    float t = 0;
    int i;
    for (i = 0; i < 80; i++) {
        float f = field(o + d * t);
        if (f < 1e-3f * t) break;
        t += f * 0.9f;
        if (t > 20) return 0.8f;
    }
    vec3 p = o + d * t;
    const float e = 1e-3f;
    vec3 n = normalize(vec3(field(p + vec3(e, 0, 0)) - field(p - vec3(e, 0, 0)), field(p + vec3(0, e, 0)) - field(p - vec3(0, e, 0)), field(p + vec3(0, 0, e)) - field(p - vec3(0, 0, e))));
    vec3 l = normalize(vec3(-1, 2, -1));
    float shadow = 1, s = 0.05f;
    for (int k = 0; k < 24 && s < 5; k++) {
        float f = field(p + n * 0.01f + l * s);
        if (f < 1e-3f) { shadow = 0; break; }
        shadow = fminf(shadow, 8 * f / s);
        s += f;
    }
    return 0.1f + 0.9f * fmaxf(dot(n, l), 0.f) * shadow;
}

__global__ void marchField(float *__restrict__ lum, int w, int h)
{
    const int x = blockIdx.x * 8 + threadIdx.x % 8, y = blockIdx.y * 16 + threadIdx.x / 8;
    if (x < w && y < h) lum[y * w + x] = marchPixel((x - w * 0.5f) / h, (h * 0.5f - y) / h);
}

template <typename T> struct complex_t {
    T re, im;
    HD complex_t operator*(complex_t b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
    HD complex_t operator/(complex_t b) const { T n = b.re * b.re + b.im * b.im; return {(re * b.re + im * b.im) / n, (im * b.re - re * b.im) / n}; }
    HD complex_t operator-(complex_t b) const { return {re - b.re, im - b.im}; }
};

template <typename T, int N>
HD int basin(complex_t<T> z, int limit)
{
    for (int i = 0; i < limit; i++) {
        complex_t<T> p = {1, 0};
#pragma unroll
        for (int k = 0; k < N - 1; k++) p = p * z;
        complex_t<T> f = p * z - complex_t<T>{1, 0}, df = {p.re * N, p.im * N};
        if (f.re * f.re + f.im * f.im < T(1e-8)) return i * 8 + (int)(floor(atan2(z.im, z.re) * T(N / 6.283185307179586) + T(0.5)) + N) % N;
        z = z - f / df;
    }
    return -1;
}

template <typename T, int N>
__global__ void newtonBasins(short *__restrict__ out, int w, int h, T scale, int limit)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += blockDim.x * gridDim.x)
        out[i] = (short)basin<T, N>({(i % w - w / 2 + T(0.3)) * scale, (i / w - h / 2 + T(0.7)) * scale}, limit);
}

HD inline float attenuate(const float *rho, int n, vec3 o, vec3 d)
{
    int ix = (int)o.x, iy = (int)o.y, iz = (int)o.z;
    const int sx = d.x > 0 ? 1 : -1, sy = d.y > 0 ? 1 : -1, sz = d.z > 0 ? 1 : -1;
    const float dx = fabsf(1 / d.x), dy = fabsf(1 / d.y), dz = fabsf(1 / d.z);
    float tx = (sx > 0 ? ix + 1 - o.x : o.x - ix) * dx, ty = (sy > 0 ? iy + 1 - o.y : o.y - iy) * dy, tz = (sz > 0 ? iz + 1 - o.z : o.z - iz) * dz;
    float depth = 0, t = 0;
    while ((unsigned)ix < (unsigned)n && (unsigned)iy < (unsigned)n && (unsigned)iz < (unsigned)n) {
        float density = rho[(iz * n + iy) * n + ix], to;
        if (tx < ty && tx < tz) { to = tx; tx += dx; ix += sx; }
        else if (ty < tz) { to = ty; ty += dy; iy += sy; }
        else { to = tz; tz += dz; iz += sz; }
        depth += density * (to - t);
        t = to;
        if (depth > 6) break;
    }
    return expf(-depth);
}

__global__ void xrayVolume(const float *__restrict__ rho, int n, float *__restrict__ film, int w)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= w * w) return;
    vec3 o((p % w + 0.5f) * n / w, (p / w + 0.5f) * n / w, 0.01f);
    film[p] = attenuate(rho, n, o, normalize(vec3(0.11f, -0.23f, 1)));
}

int main()
{
    int bad = 0, off = 0;
    std::vector<Sphere> s(SPHERES);
    for (int i = 0; i < SPHERES; i++) {
        s[i].c = vec3((i % 4 - 1.5f) * 1.1f, (i / 4 - 1) * 0.9f, (i * 5 % 7) * 0.3f); s[i].r = 0.35f + 0.02f * i;
        s[i].colour = vec3(0.2f + 0.06f * i, 0.9f - 0.05f * i, 0.5f); s[i].mirror = i % 3 * 0.3f;
    }
    cudaMemcpyToSymbol(sceneBytes, s.data(), sizeof(Sphere) * SPHERES);
    const int w = 320, h = 200;
    uchar4 *img; float *lum; short *bas; cudaMalloc(&img, w * h * 4); cudaMalloc(&lum, w * h * 4); cudaMalloc(&bas, w * h * 2);
    renderSpheres<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(img, w, h, 3);
    std::vector<uchar4> hi(w * h); cudaMemcpy(hi.data(), img, w * h * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < w * h; i += 7) {
        vec3 c = shade(s.data(), vec3(0, 0.5f, -4), normalize(vec3((i % w - w / 2) / (float)h, (h / 2 - i / w) / (float)h, 1)), 3);
        off += abs(hi[i].x - (int)(255 * fminf(c.x, 1.0f))) > 2;
    }
    if (off > w * h / 7 / 200) { printf("spheres %d\n", off); bad++; }
    marchField<<<dim3((w + 7) / 8, (h + 15) / 16), 128>>>(lum, w, h);
    std::vector<float> hl(w * h); cudaMemcpy(hl.data(), lum, w * h * 4, cudaMemcpyDeviceToHost);
    off = 0; for (int i = 0; i < w * h; i += 19) off += fabsf(hl[i] - marchPixel((i % w - w * 0.5f) / h, (h * 0.5f - i / w) / h)) > 0.02f;
    if (off > w * h / 19 / 100) { printf("field %d\n", off); bad++; }
    std::vector<short> hb(w * h);
    newtonBasins<double, 3><<<100, 128>>>(bas, w, h, 0.011, 40);
    cudaMemcpy(hb.data(), bas, w * h * 2, cudaMemcpyDeviceToHost);
    off = 0; for (int i = 0; i < w * h; i += 11) off += hb[i] != basin<double, 3>({(i % w - w / 2 + 0.3) * 0.011, (i / w - h / 2 + 0.7) * 0.011}, 40);
    newtonBasins<float, 5><<<100, 128>>>(bas, w, h, 0.011f, 40);
    cudaMemcpy(hb.data(), bas, w * h * 2, cudaMemcpyDeviceToHost);
    for (int i = 0; i < w * h; i += 11) off += hb[i] != basin<float, 5>({(i % w - w / 2 + 0.3f) * 0.011f, (i / w - h / 2 + 0.7f) * 0.011f}, 40);
    if (off > w * h / 11 / 30) { printf("basins %d\n", off); bad++; }
    const int n = 64, fw = 160;
    std::vector<float> rho(n * n * n); for (size_t i = 0; i < rho.size(); i++) rho[i] = (i * 2654435761u >> 20 & 255) / 3000.0f + ((i / n / n) > 30 && i % n > 40 ? 0.5f : 0);
    float *dr, *film; cudaMalloc(&dr, rho.size() * 4); cudaMalloc(&film, fw * fw * 4); cudaMemcpy(dr, rho.data(), rho.size() * 4, cudaMemcpyHostToDevice);
    xrayVolume<<<(fw * fw + 127) / 128, 128>>>(dr, n, film, fw);
    std::vector<float> hf(fw * fw); cudaMemcpy(hf.data(), film, fw * fw * 4, cudaMemcpyDeviceToHost);
    off = 0; for (int p = 0; p < fw * fw; p += 5) off += fabsf(hf[p] - attenuate(rho.data(), n, vec3((p % fw + 0.5f) * n / fw, (p / fw + 0.5f) * n / fw, 0.01f), normalize(vec3(0.11f, -0.23f, 1)))) > 0.01f;
    if (off > fw * fw / 5 / 100) { printf("volume %d\n", off); bad++; }
    puts(bad || cudaDeviceSynchronize() != cudaSuccess ? "FAILED" : "PASSED");
    return bad;
}
