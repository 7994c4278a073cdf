// Interest and risk: yields of bonds, a curve of discount factors, simulated short rates, an implicit grid, risk of portfolios.
#include <cstdio>
#include <cmath>
#include <vector>

struct Bond {
    double price, coupon;
    int periods;
    int perYear;
};

struct ShortRate {
    float r0, speed, mean, sigma, dt;
};

__host__ __device__ double presentValue(const Bond &b, double y, double *slope)
{
    double v = 1.0 / (1.0 + y / b.perYear), d = 1.0, sum = 0.0, ds = 0.0;
    for (int k = 1; k <= b.periods; k++) {
        d *= v;
        double c = b.coupon / b.perYear + (k == b.periods ? 100.0 : 0.0);
        sum += c * d;
        ds -= k * c * d;
    }
    *slope = ds * v / b.perYear;
    return sum;
}

__global__ void bondYield(const Bond *bonds, double *yield, int *rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bond b = bonds[i];
    double y = 0.05, step = 1.0;
    int k = 0;
    while (fabs(step) > 1e-11 && k < 50) {
        double slope, v = presentValue(b, y, &slope);
        step = (v - b.price) / slope;
        y -= step;
        k++;
    }
    yield[i] = y;
    rounds[i] = k;
}

// par rates of 1..12 years to discount factors, one curve a thread
__global__ void bootstrapCurve(const float *par, float *factor, int curves)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= curves) return;
    float annuity = 0.0f;
    for (int t = 0; t < 12; t++) {
        float p = par[t * curves + c];
        float df = (1.0f - p * annuity) / (1.0f + p);
        annuity += df;
        factor[t * curves + c] = df;
    }
}

__host__ __device__ inline unsigned lcg(unsigned &s)
{
    s = s * 1664525u + 1013904223u;
    return s;
}

__global__ void shortRatePaths(ShortRate m, int steps, float *discount, float *blockSum)
{
    __shared__ float warps[4];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = path * 747796405u + 12345u;
    float r = m.r0, integral = 0.0f, root = sqrtf(m.dt);
    for (int k = 0; k < steps; k += 2) {
        float u = ((lcg(s) >> 8) + 1) * (1.0f / 16777217.0f);
        float v = (lcg(s) >> 8) * (1.0f / 16777216.0f);
        float radius = sqrtf(-2.0f * logf(u)), sn, cs;
        sincospif(2.0f * v, &sn, &cs);
        integral += r * m.dt;
        r += m.speed * (m.mean - r) * m.dt + m.sigma * root * radius * cs;
        integral += r * m.dt;
        r += m.speed * (m.mean - r) * m.dt + m.sigma * root * radius * sn;
    }
    float d = expf(-integral);
    discount[path] = d;
    for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(0xffffffff, d, o);
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = d;
    __syncthreads();
    if (threadIdx.x == 0) blockSum[blockIdx.x] = (warps[0] + warps[1]) + (warps[2] + warps[3]);
}

// an implicit step in time after another: Thomas's algorithm in arrays of the thread
template <int POINTS>
__global__ void implicitGrid(const float *strike, const float *vol, float *value, int n, int steps, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[POINTS], c[POINTS];
    const float k = strike[i], s2 = vol[i] * vol[i], dt = 1.0f / steps;
    for (int j = 0; j < POINTS; j++) v[j] = fmaxf(k - j * (200.0f / POINTS), 0.0f);
    for (int t = 0; t < steps; t++) {
        c[0] = 0.0f;
        for (int j = 1; j < POINTS - 1; j++) {
            float a = 0.5f * dt * (rate * j - s2 * j * j), b = 1.0f + dt * (s2 * j * j + rate), e = -0.5f * dt * (rate * j + s2 * j * j);
            float m = 1.0f / (b - a * c[j - 1]);
            c[j] = e * m;
            v[j] = (v[j] - a * v[j - 1]) * m;
        }
        v[POINTS - 1] = 0.0f;
        for (int j = POINTS - 2; j >= 1; j--) v[j] -= c[j] * v[j + 1];
    }
    value[i] = v[POINTS / 2];
}

// variance of a portfolio: a block a portfolio, w' C w
__global__ void portfolioVariance(const double *__restrict__ cov, const double *__restrict__ weight, double *var, int assets)
{
    extern __shared__ double w[];
    const double *mine = weight + blockIdx.x * assets;
    for (int a = threadIdx.x; a < assets; a += blockDim.x) w[a] = mine[a];
    __syncthreads();
    double sum = 0;
    for (int r = threadIdx.x; r < assets; r += blockDim.x) {
        double dot = 0;
        for (int c = 0; c < assets; c++) dot += cov[c * assets + r] * w[c];
        sum += dot * w[r];
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) var[blockIdx.x] = w[0] + w[1];
}

template <class T> T *up(const std::vector<T> &v)
{
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <class T> std::vector<T> down(const T *d, int n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
static int wrong;
static void near(const char *what, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * (1 + fabs(want))) && wrong++ < 5) printf("%s: %.9g instead of %.9g\n", what, got, want);
}

int main()
{
    const int n = 1000;
    std::vector<Bond> bonds(n);
    for (int i = 0; i < n; i++) {
        Bond b = {0, 2.0 + i % 6, 4 + i % 37, 1 + i % 2};
        double slope;
        b.price = presentValue(b, 0.01 + 0.0001 * (i * 7 % 800), &slope);
        bonds[i] = b;
    }
    Bond *db = up(bonds);
    double *dy;
    int *dk;
    cudaMalloc(&dy, n * 8);
    cudaMalloc(&dk, n * 4);
    bondYield<<<(n + 63) / 64, 64>>>(db, dy, dk, n);
    auto y = down(dy, n);
    auto k = down(dk, n);
    for (int i = 0; i < n; i++) {
        near("yield", y[i], 0.01 + 0.0001 * (i * 7 % 800), 1e-9);
        if (k[i] < 1 || k[i] > 10) wrong++;
    }

    const int curves = 900;
    std::vector<float> par(12 * curves);
    for (int i = 0; i < 12 * curves; i++) par[i] = 0.01f + 0.0005f * (i % 31) + 0.001f * (i / curves);
    float *dpar = up(par), *ddf;
    cudaMalloc(&ddf, 12 * curves * 4);
    bootstrapCurve<<<(curves + 95) / 96, 96>>>(dpar, ddf, curves);
    auto df = down(ddf, 12 * curves);
    for (int c = 0; c < curves; c++) {
        double annuity = 0;
        for (int t = 0; t < 12; t++) {
            double d = (1 - par[t * curves + c] * annuity) / (1 + par[t * curves + c]);
            annuity += d;
            near("factor", df[t * curves + c], d, 1e-5);
        }
    }

    const int blocks = 16;
    ShortRate m = {0.03f, 0.4f, 0.05f, 0.015f, 1.0f / 24};
    float *dd, *ds;
    cudaMalloc(&dd, blocks * 128 * 4);
    cudaMalloc(&ds, blocks * 4);
    shortRatePaths<<<blocks, 128>>>(m, 48, dd, ds);
    auto dis = down(dd, blocks * 128);
    auto sums = down(ds, blocks);
    for (int b = 0; b < blocks; b++) {
        double total = 0;
        for (int t = 0; t < 128; t++) {
            int path = b * 128 + t;
            unsigned s = path * 747796405u + 12345u;
            double r = m.r0, integral = 0;
            for (int j = 0; j < 48; j += 2) {
                double u = ((lcg(s) >> 8) + 1) / 16777217.0, v = (lcg(s) >> 8) / 16777216.0;
                double radius = sqrt(-2 * log(u)), a = 2 * 3.14159265358979323846 * v;
                integral += r * m.dt;
                r += m.speed * (m.mean - r) * m.dt + m.sigma * sqrt(m.dt) * radius * cos(a);
                integral += r * m.dt;
                r += m.speed * (m.mean - r) * m.dt + m.sigma * sqrt(m.dt) * radius * sin(a);
            }
            near("discount", dis[path], exp(-integral), 1e-4);
            total += dis[path];
        }
        near("sum", sums[b], total, 1e-5);
    }

    const int options = 700;
    std::vector<float> strike(options), vol(options);
    for (int i = 0; i < options; i++) strike[i] = 80.0f + i % 40, vol[i] = 0.15f + 0.002f * (i % 101);
    float *dst = up(strike), *dvol = up(vol), *dval;
    cudaMalloc(&dval, options * 4);
    implicitGrid<40><<<(options + 63) / 64, 64>>>(dst, dvol, dval, options, 20, 0.03f);
    auto val = down(dval, options);
    for (int i = 0; i < options; i++) {
        double v[40], c[40], s2 = (double)vol[i] * vol[i], dt = 0.05, rate = 0.03f;
        for (int j = 0; j < 40; j++) v[j] = fmax(strike[i] - j * 5.0, 0.0);
        for (int t = 0; t < 20; t++) {
            c[0] = 0;
            for (int j = 1; j < 39; j++) {
                double a = 0.5 * dt * (rate * j - s2 * j * j), b = 1 + dt * (s2 * j * j + rate), e = -0.5 * dt * (rate * j + s2 * j * j);
                double q = 1 / (b - a * c[j - 1]);
                c[j] = e * q;
                v[j] = (v[j] - a * v[j - 1]) * q;
            }
            v[39] = 0;
            for (int j = 38; j >= 1; j--) v[j] -= c[j] * v[j + 1];
        }
        near("grid", val[i], v[20], 1e-3);
    }

    const int assets = 50, books = 30;
    std::vector<double> cov(assets * assets), weight(books * assets);
    for (int a = 0; a < assets; a++)
        for (int b = 0; b < assets; b++) cov[a * assets + b] = (a == b ? 0.04 + 0.001 * a : 0.01 * cos(0.1 * (a - b)));
    for (int i = 0; i < books * assets; i++) weight[i] = (i * 37 % 11 - 3) * 0.01;
    double *dcov = up(cov), *dwt = up(weight), *dvar;
    cudaMalloc(&dvar, books * 8);
    portfolioVariance<<<books, 64, assets * sizeof(double)>>>(dcov, dwt, dvar, assets);
    auto var = down(dvar, books);
    for (int p = 0; p < books; p++) {
        double sum = 0;
        for (int a = 0; a < assets; a++)
            for (int b = 0; b < assets; b++) sum += weight[p * assets + a] * cov[a * assets + b] * weight[p * assets + b];
        near("variance", var[p], sum, 1e-10);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
