// Pictures and orbits computed point by point: rays at spheres, an escape-time fractal, orbits by Runge and Kutta, noise.
// Built with --use_fast_math.
#include <cstdio>
#include <cmath>
#include <vector>
#include <algorithm>

struct vec3 {
    float x, y, z;
    __host__ __device__ vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
};
__host__ __device__ inline vec3 operator+(const vec3 &a, const vec3 &b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline vec3 operator-(const vec3 &a, const vec3 &b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ inline vec3 operator*(const vec3 &a, float s) { return vec3(a.x * s, a.y * s, a.z * s); }
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline vec3 unit(const vec3 &a) { return a * (1.0f / sqrtf(dot(a, a))); }

struct Sphere {
    vec3 centre;
    float radius;
    vec3 colour;
    float mirror;

    __host__ __device__ bool hit(const vec3 &o, const vec3 &d, float &t) const
    {
        vec3 oc = o - centre;
        float b = dot(oc, d), c = dot(oc, oc) - radius * radius, disc = b * b - c;
        if (disc < 0)
            return false;
        float s = sqrtf(disc), near_ = -b - s, far_ = -b + s;
        if (near_ > 1e-3f) {
            t = near_;
            return true;
        }
        if (far_ > 1e-3f) {
            t = far_;
            return true;
        }
        return false;
    }
};

__host__ __device__ vec3 shade(vec3 o, vec3 d, const Sphere *spheres, int n, vec3 light)
{
    vec3 sum;
    float weight = 1.0f;
    for (int bounce = 0; bounce < 3; bounce++) {
        float best = 1e20f, t;
        int which = -1;
        for (int i = 0; i < n; i++)
            if (spheres[i].hit(o, d, t) && t < best) {
                best = t;
                which = i;
            }
        if (which < 0) {
            float g = 0.5f * (d.y + 1.0f);
            return sum + vec3(0.5f * g, 0.7f * g, g) * weight;
        }
        const Sphere &s = spheres[which];
        vec3 p = o + d * best, normal = unit(p - s.centre);
        float lit = dot(normal, light);
        lit = lit > 0 ? lit : 0;
        sum = sum + s.colour * (weight * (1 - s.mirror) * (0.1f + 0.9f * lit));
        weight *= s.mirror;
        if (weight < 0.01f)
            break;
        o = p;
        d = d - normal * (2 * dot(d, normal));
    }
    return sum;
}

__global__ void render(uchar4 *image, int w, int h, const Sphere *spheres, int n, vec3 light)
{
    extern __shared__ char raw[];
    Sphere *s = reinterpret_cast<Sphere *>(raw);
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t < n)
        s[t] = spheres[t];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    vec3 d = unit(vec3((x - w / 2 + 0.5f) / h, (h / 2 - y - 0.5f) / h, 1.0f));
    vec3 c = shade(vec3(0, 0, -4), d, s, n, light);
    image[y * w + x] = make_uchar4(__saturatef(c.x) * 255, __saturatef(c.y) * 255, __saturatef(c.z) * 255, 255);
}

template <int MAX> __host__ __device__ int escape(float cx, float cy)
{
    float x = 0, y = 0;
    int i = 0;
    for (; i < MAX && x * x + y * y < 4.0f; i++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    return i;
}

__global__ void fractal(unsigned short *out, int w, int h, float x0, float y0, float step)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < w * h; p += gridDim.x * blockDim.x)
        out[p] = escape<64>(x0 + p % w * step, y0 + p / w * step);
}

struct Lorenz {
    double sigma, rho, beta;
    __host__ __device__ double3 operator()(const double3 &s) const
    {
        return make_double3(sigma * (s.y - s.x), s.x * (rho - s.z) - s.y, s.x * s.y - beta * s.z);
    }
};

__host__ __device__ inline double3 along(const double3 &a, const double3 &b, double h) { return make_double3(a.x + h * b.x, a.y + h * b.y, a.z + h * b.z); }

template <class Rhs> __host__ __device__ double3 rk4(const Rhs &f, double3 s, double h)
{
    double3 k1 = f(s), k2 = f(along(s, k1, h / 2)), k3 = f(along(s, k2, h / 2)), k4 = f(along(s, k3, h));
    s.x += h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
    s.y += h / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y);
    s.z += h / 6 * (k1.z + 2 * k2.z + 2 * k3.z + k4.z);
    return s;
}

template <class Rhs> __global__ void orbits(Rhs f, double3 *states, int n, double h, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double3 s = states[i];
    for (int k = 0; k < steps; k++)
        s = rk4(f, s, h);
    states[i] = s;
}

__host__ __device__ inline float lattice(int x, int y)
{
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (h & 0xffff) / 65535.0f;
}

__host__ __device__ float fbm(float x, float y, int octaves)
{
    float sum = 0, amp = 0.5f;
    for (int o = 0; o < octaves; o++) {
        float fx = floorf(x), fy = floorf(y), u = x - fx, v = y - fy;
        int ix = (int)fx, iy = (int)fy;
        u = u * u * (3 - 2 * u);
        v = v * v * (3 - 2 * v);
        float a = lattice(ix, iy) * (1 - u) + lattice(ix + 1, iy) * u, b = lattice(ix, iy + 1) * (1 - u) + lattice(ix + 1, iy + 1) * u;
        sum += amp * (a * (1 - v) + b * v);
        x *= 2;
        y *= 2;
        amp *= 0.5f;
    }
    return sum;
}

__global__ void clouds(float *out, int w, int h, float scale, float gamma)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = powf(fbm(x * scale, y * scale, 5), gamma) + 0.1f * sinf(0.05f * x) * __expf(-0.01f * y);
}

int main()
{
    int bad = 0;
    const int w = 130, h = 90, n = 9;
    std::vector<Sphere> s(n);
    for (int i = 0; i < n; i++) {
        s[i].centre = vec3((i % 3 - 1) * 1.3f, (i / 3 - 1) * 1.1f, 0.3f * (i % 4));
        s[i].radius = 0.4f + 0.03f * i;
        s[i].colour = vec3(0.2f + 0.08f * i, 0.9f - 0.07f * i, 0.5f);
        s[i].mirror = i % 2 ? 0.4f : 0.0f;
    }
    vec3 light = unit(vec3(0.5f, 1.0f, -0.8f));
    Sphere *ds;
    uchar4 *di;
    cudaMalloc(&ds, n * sizeof(Sphere));
    cudaMalloc(&di, w * h * 4);
    cudaMemcpy(ds, s.data(), n * sizeof(Sphere), cudaMemcpyHostToDevice);
    render<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8), n * sizeof(Sphere)>>>(di, w, h, ds, n, light);
    std::vector<uchar4> image(w * h);
    cudaMemcpy(image.data(), di, w * h * 4, cudaMemcpyDeviceToHost);
    int off = 0; // a pixel at an edge may see the other side
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            vec3 c = shade(vec3(0, 0, -4), unit(vec3((x - w / 2 + 0.5f) / h, (h / 2 - y - 0.5f) / h, 1.0f)), s.data(), n, light);
            off += fabsf(std::min(1.0f, std::max(0.0f, c.x)) * 255 - image[y * w + x].x) > 2.5f || image[y * w + x].w != 255;
        }
    bad += off > w * h / 100;

    const int fw = 150, fh = 101;
    unsigned short *df;
    cudaMalloc(&df, fw * fh * 2);
    fractal<<<30, 128>>>(df, fw, fh, -2.0f, -1.0f, 0.02f);
    std::vector<unsigned short> f(fw * fh);
    cudaMemcpy(f.data(), df, fw * fh * 2, cudaMemcpyDeviceToHost);
    off = 0;
    for (int p = 0; p < fw * fh; p++) off += f[p] != escape<64>(-2.0f + p % fw * 0.02f, -1.0f + p / fw * 0.02f);
    bad += off > fw * fh / 100;

    const int m = 700;
    std::vector<double3> st(m), r(m);
    for (int i = 0; i < m; i++) st[i] = make_double3(1 + 0.01 * i, 1 - 0.005 * i, 20 + 0.02 * i);
    double3 *dst;
    cudaMalloc(&dst, m * sizeof(double3));
    cudaMemcpy(dst, st.data(), m * sizeof(double3), cudaMemcpyHostToDevice);
    Lorenz lorenz = {10.0, 28.0, 8.0 / 3.0};
    orbits<<<(m + 127) / 128, 128>>>(lorenz, dst, m, 0.005, 40);
    cudaMemcpy(r.data(), dst, m * sizeof(double3), cudaMemcpyDeviceToHost);
    for (int i = 0; i < m; i++) {
        double3 v = st[i];
        for (int k = 0; k < 40; k++) v = rk4(lorenz, v, 0.005);
        bad += !(fabs(v.x - r[i].x) < 1e-9 && fabs(v.y - r[i].y) < 1e-9 && fabs(v.z - r[i].z) < 1e-9);
    }

    float *dc;
    cudaMalloc(&dc, w * h * 4);
    clouds<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(dc, w, h, 0.043f, 1.4f);
    std::vector<float> c(w * h);
    bad += cudaMemcpy(c.data(), dc, w * h * 4, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            bad += !(fabs(powf(fbm(x * 0.043f, y * 0.043f, 5), 1.4f) + 0.1f * sinf(0.05f * x) * expf(-0.01f * y) - c[y * w + x]) < 2e-3);
    printf(bad ? "FAILED\n" : "PASSED\n");
    return bad != 0;
}
