/* Derivatives: Heston paths, American put on a trinomial tree, SABR smile, credit default swaps, exchange options. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define CUDA(x) check((x), __LINE__)

struct HestonParams { float s0, v0, kappa, theta, sigma, rho, r, strike, T; };

__host__ __device__ inline unsigned int pcg(unsigned long long &state)
{
    unsigned long long old = state;
    state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    unsigned int x = (unsigned int)(((old >> 18) ^ old) >> 27), rot = (unsigned int)(old >> 59);
    return (x >> rot) | (x << ((-rot) & 31));
}

__host__ __device__ inline float2 gaussPair(unsigned long long &st)
{
    float u1 = (pcg(st) + 1.0f) * 2.3283064e-10f, u2 = pcg(st) * 2.3283064e-10f;
    u1 = fmaxf(u1, 1e-9f);
    float r = sqrtf(-2.0f * logf(u1)), s, c;
#ifdef __CUDA_ARCH__
    sincospif(2.0f * u2, &s, &c);
#else
    s = sinf(6.2831853f * u2); c = cosf(6.2831853f * u2);
#endif
    return make_float2(r * c, r * s);
}

__host__ __device__ inline float hestonPath(const HestonParams &p, int steps, unsigned long long seed)
{
    const float dt = p.T / steps, sq = sqrtf(dt), rho2 = sqrtf(1 - p.rho * p.rho);
    float x = logf(p.s0), v = p.v0;
    unsigned long long st = seed;
    for (int i = 0; i < steps; i++) {
        float2 z = gaussPair(st);
        float vp = fmaxf(v, 0.0f), sv = sqrtf(vp);
        x += (p.r - 0.5f * vp) * dt + sv * sq * z.x;
        v += p.kappa * (p.theta - vp) * dt + p.sigma * sv * sq * (p.rho * z.x + rho2 * z.y);
    }
    return fmaxf(expf(x) - p.strike, 0.0f) * expf(-p.r * p.T);
}

__global__ void hestonEuler(HestonParams p, int paths, int steps, float *__restrict__ payoff)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x)
        payoff[i] = hestonPath(p, steps, 0x853c49e6748fea9bULL + 7919ULL * i);
}

struct Option { double spot, strike, rate, vol, years; };

__global__ void trinomialAmericanPut(const Option *opts, int steps, double *price)
{
    extern __shared__ double value[];
    const Option o = opts[blockIdx.x];
    const double dt = o.years / steps, dx = o.vol * sqrt(3.0 * dt), nu = o.rate - 0.5 * o.vol * o.vol, disc = exp(-o.rate * dt);
    const double a = (o.vol * o.vol * dt + nu * nu * dt * dt) / (dx * dx), b = nu * dt / dx;
    const double pu = 0.5 * disc * (a + b), pm = disc * (1.0 - a), pd = 0.5 * disc * (a - b);
    const int width = 2 * steps + 1;
    double *cur = value, *nxt = value + width;
    for (int j = threadIdx.x; j < width; j += blockDim.x) cur[j] = fmax(0.0, o.strike - o.spot * exp((j - steps) * dx));
    for (int n = steps - 1; n >= 0; n--) {
        __syncthreads();
        for (int j = threadIdx.x; j < 2 * n + 1; j += blockDim.x) {
            double hold = pd * cur[j] + pm * cur[j + 1] + pu * cur[j + 2];
            nxt[j] = fmax(hold, o.strike - o.spot * exp((j - n) * dx));
        }
        double *t = cur; cur = nxt; nxt = t;
    }
    __syncthreads();
    if (threadIdx.x == 0) price[blockIdx.x] = cur[0];
}

template <typename real>
__host__ __device__ real sabrVol(real f, real k, real t, real alpha, real beta, real rho, real nu)
{
    const real omb = 1 - beta, fk = pow(f * k, omb * real(0.5)), lfk = log(f / k);
    const real z = nu / alpha * fk * lfk;
    const real zx = fabs(z) < real(1e-5) ? real(1) : z / log((sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho));
    const real l2 = omb * omb * lfk * lfk;
    const real den = fk * (1 + l2 / 24 + l2 * l2 / 1920);
    const real corr = omb * omb * alpha * alpha / (24 * fk * fk) + rho * beta * nu * alpha / (4 * fk) + (2 - 3 * rho * rho) * nu * nu / 24;
    return alpha / den * zx * (1 + corr * t);
}

template <typename real>
__global__ void sabrSurface(real f, const real *__restrict__ expiries, real *__restrict__ vols, int nStrikes, int nExpiries)
{
    int ks = blockIdx.x * blockDim.x + threadIdx.x, te = blockIdx.y * blockDim.y + threadIdx.y;
    if (ks >= nStrikes || te >= nExpiries) return;
    real k = f * (real(0.5) + ks / real(nStrikes));
    vols[te * nStrikes + ks] = sabrVol<real>(f, k, expiries[te], real(0.2), real(0.7), real(-0.3), real(0.4));
}

__constant__ double curveTimes[16], curveRates[16];

__host__ __device__ inline double discountFrom(const double *ts, const double *rs, double t)
{
    int i = 0;
    while (i < 14 && ts[i + 1] < t) i++;
    double w = (t - ts[i]) / (ts[i + 1] - ts[i]);
    return exp(-(rs[i] + w * (rs[i + 1] - rs[i])) * t);
}

__global__ void cdsSpread(const double *__restrict__ hazard, const int *__restrict__ quarters, int n, double recovery, double *__restrict__ spread)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double h = hazard[i];
    double premium = 0, protection = 0, alive = 1;
    for (int q = 1; q <= quarters[i]; q++) {
        const double t = 0.25 * q, next = exp(-h * t), df = discountFrom(curveTimes, curveRates, t);
        premium += 0.25 * df * 0.5 * (alive + next);
        protection += (1 - recovery) * df * (alive - next);
        alive = next;
    }
    spread[i] = protection / premium * 1e4;
}

__device__ double3 margrabeGreeks(double s1, double s2, double sd)
{
    double d1 = log(s1 / s2) / sd + 0.5 * sd, n1 = normcdf(d1), n2 = normcdf(d1 - sd);
    return make_double3(s1 * n1 - s2 * n2, n1, -n2);
}

__global__ void exchangeOptions(const float *__restrict__ s1, const float *__restrict__ s2, float v1, float v2, float rho, float t, int n, float3 *__restrict__ out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sd = sqrtf((v1 * v1 + v2 * v2 - 2 * rho * v1 * v2) * t);
        double3 g = margrabeGreeks(s1[i], s2[i], sd);
        out[i] = make_float3((float)g.x, (float)g.y, (float)g.z);
    }
}

int main()
{
    int errors = 0;
    HestonParams hp = {100, 0.04f, 1.5f, 0.04f, 0.3f, -0.7f, 0.03f, 100, 1};
    const int paths = 30000, steps = 50;
    float *pay; CUDA(cudaMalloc(&pay, paths * sizeof(float)));
    hestonEuler<<<80, 192>>>(hp, paths, steps, pay);
    std::vector<float> hpay(paths);
    CUDA(cudaMemcpy(hpay.data(), pay, paths * 4, cudaMemcpyDeviceToHost));
    double mean = 0;
    for (float x : hpay) mean += x / paths;
    for (int i = 0; i < paths; i += 101) { float w = hestonPath(hp, steps, 0x853c49e6748fea9bULL + 7919ULL * i); if (fabsf(w - hpay[i]) > 0.05f) errors++; }
    if (mean < 8 || mean > 10.5 || errors) printf("heston %g %d\n", mean, errors);
    errors += mean < 8 || mean > 10.5;

    const int nOpt = 140, tree = 150;
    std::vector<Option> o(nOpt);
    for (int i = 0; i < nOpt; i++) o[i] = {90.0 + i % 21, 100, 0.02 + 0.001 * (i % 5), 0.15 + 0.01 * (i % 11), 0.5 + 0.1 * (i % 7)};
    Option *dop; double *dpr; CUDA(cudaMalloc(&dop, nOpt * sizeof(Option))); CUDA(cudaMalloc(&dpr, nOpt * 8));
    CUDA(cudaMemcpy(dop, o.data(), nOpt * sizeof(Option), cudaMemcpyHostToDevice));
    trinomialAmericanPut<<<nOpt, 128, 2 * (2 * tree + 1) * sizeof(double)>>>(dop, tree, dpr);
    std::vector<double> pr(nOpt); CUDA(cudaMemcpy(pr.data(), dpr, nOpt * 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < nOpt; i += 9) {
        double dt = o[i].years / tree, dx = o[i].vol * sqrt(3 * dt), nu = o[i].rate - o[i].vol * o[i].vol / 2, a = (o[i].vol * o[i].vol * dt + nu * nu * dt * dt) / dx / dx, b = nu * dt / dx, df = exp(-o[i].rate * dt);
        std::vector<double> v(2 * tree + 1);
        for (int j = 0; j <= 2 * tree; j++) v[j] = fmax(0., o[i].strike - o[i].spot * exp((j - tree) * dx));
        for (int n = tree - 1; n >= 0; n--) for (int j = 0; j <= 2 * n; j++) v[j] = fmax(df * (0.5 * (a - b) * v[j] + (1 - a) * v[j + 1] + 0.5 * (a + b) * v[j + 2]), o[i].strike - o[i].spot * exp((j - n) * dx));
        if (fabs(v[0] - pr[i]) > 1e-8) { errors++; printf("tree %d %g %g\n", i, v[0], pr[i]); }
    }
    const int nk = 200, ne = 60;
    std::vector<float> ex(ne); for (int i = 0; i < ne; i++) ex[i] = 0.1f + 0.2f * i;
    float *dex, *dv; CUDA(cudaMalloc(&dex, ne * 4)); CUDA(cudaMalloc(&dv, nk * ne * 4));
    CUDA(cudaMemcpy(dex, ex.data(), ne * 4, cudaMemcpyHostToDevice));
    sabrSurface<float><<<dim3((nk + 31) / 32, (ne + 3) / 4), dim3(32, 4)>>>(1.05f, dex, dv, nk, ne);
    std::vector<float> hv(nk * ne); CUDA(cudaMemcpy(hv.data(), dv, nk * ne * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < ne; t++) for (int k = 0; k < nk; k += 3) if (k != nk / 2 && fabs(hv[t * nk + k] / sabrVol<double>(1.05, 1.05 * (0.5 + k / (double)nk), ex[t], 0.2, 0.7, -0.3, 0.4) - 1) > 0.01) errors++;
    if (errors) printf("sabr: %d so far\n", errors);

    double ts[16], rs[16];
    for (int i = 0; i < 16; i++) { ts[i] = 0.8 * i; rs[i] = 0.01 + 0.001 * i; }
    CUDA(cudaMemcpyToSymbol(curveTimes, ts, sizeof ts)); CUDA(cudaMemcpyToSymbol(curveRates, rs, sizeof rs));
    const int nc = 9000;
    std::vector<double> hz(nc), hs(nc); std::vector<int> qs(nc);
    for (int i = 0; i < nc; i++) { hz[i] = 0.005 + i % 97 * 0.001; qs[i] = 4 + i * 7 % 33; }
    double *dh, *dsp; int *dq; CUDA(cudaMalloc(&dh, nc * 8)); CUDA(cudaMalloc(&dsp, nc * 8)); CUDA(cudaMalloc(&dq, nc * 4));
    CUDA(cudaMemcpy(dh, hz.data(), nc * 8, cudaMemcpyHostToDevice)); CUDA(cudaMemcpy(dq, qs.data(), nc * 4, cudaMemcpyHostToDevice));
    cdsSpread<<<(nc + 63) / 64, 64>>>(dh, dq, nc, 0.4, dsp);
    CUDA(cudaMemcpy(hs.data(), dsp, nc * 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < nc; i += 31) {
        double pm = 0, pt = 0, al = 1;
        for (int q = 1; q <= qs[i]; q++) { double nx = exp(-hz[i] * 0.25 * q), df = discountFrom(ts, rs, 0.25 * q); pm += 0.125 * df * (al + nx); pt += 0.6 * df * (al - nx); al = nx; }
        if (fabs(pt / pm * 1e4 - hs[i]) > 1e-6) { errors++; printf("cds %d\n", i); break; }
    }
    const int nm = 30000;
    std::vector<float> a1(nm), a2(nm); for (int i = 0; i < nm; i++) { a1[i] = 80 + i % 41; a2[i] = 90 + i % 23; }
    float *d1, *d2; float3 *dg; CUDA(cudaMalloc(&d1, nm * 4)); CUDA(cudaMalloc(&d2, nm * 4)); CUDA(cudaMalloc(&dg, nm * sizeof(float3)));
    CUDA(cudaMemcpy(d1, a1.data(), nm * 4, cudaMemcpyHostToDevice)); CUDA(cudaMemcpy(d2, a2.data(), nm * 4, cudaMemcpyHostToDevice));
    exchangeOptions<<<(nm + 255) / 256, 256>>>(d1, d2, 0.2f, 0.3f, 0.4f, 0.75f, nm, dg);
    std::vector<float3> hg(nm); CUDA(cudaMemcpy(hg.data(), dg, nm * sizeof(float3), cudaMemcpyDeviceToHost));
    for (int i = 0; i < nm; i += 53) {
        double sd = sqrt((0.04 + 0.09 - 2 * 0.4 * 0.06) * 0.75), e = log((double)a1[i] / a2[i]) / sd + sd / 2, w = a1[i] * 0.5 * erfc(-e / sqrt(2.)) - a2[i] * 0.5 * erfc(-(e - sd) / sqrt(2.));
        if (fabs(w - hg[i].x) > 1e-3) { errors++; printf("margrabe %g %g\n", w, hg[i].x); break; }
    }
    CUDA(cudaDeviceSynchronize());
    printf("%s\n", errors ? "FAILED" : "PASSED");
    return errors != 0;
}
