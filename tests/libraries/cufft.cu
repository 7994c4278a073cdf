// cuFFT beside a transform by its definition: random shapes and layouts, streams, plans that go while they are at work, threads.
//   cufft [fault|one]      fault: a call that is given memory of the host; one: a transform, for a profile
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cufftXt.h>

#include "check.h"

typedef std::complex<double> number;
typedef long long ll;

static unsigned state = 1;
static int below(int n) // a random number below n
{
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (unsigned)n);
}

struct side { ll embed[3], stride, dist; };

struct shape {
    int rank;
    ll n[3], batch;
    side in, out;
    cufftType type;
};

static bool real_side(const shape &s, bool out)
{
    return out ? s.type == CUFFT_C2R || s.type == CUFFT_Z2D : s.type == CUFFT_R2C || s.type == CUFFT_D2Z;
}

// How many elements the side has along axis i.
static ll along(const shape &s, bool out, int i)
{
    return real_side(s, !out) && i == s.rank - 1 ? s.n[i] / 2 + 1 : s.n[i];
}

static ll place(const shape &s, const side &l, ll b, const ll *at)
{
    ll p = 0;
    for (int i = 0; i < s.rank; i++)
        p = p * (i ? l.embed[i] : 1) + at[i];
    return p * l.stride + b * l.dist;
}

static side random_side(const shape &s, bool out)
{
    side l;
    l.stride = 1 + below(3);
    l.dist = l.stride;
    for (int i = 0; i < s.rank; i++)
        l.dist *= l.embed[i] = along(s, out, i) + below(3);
    l.dist += below(4);
    return l;
}

static shape random_shape()
{
    static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};
    shape s;
    s.type = types[below(6)];
    s.rank = 1 + below(3);
    s.batch = 1 + below(3);
    for (int i = 0; i < s.rank; i++)
        s.n[i] = 1 + below(s.rank == 1 ? 40 : s.rank == 2 ? 9 : 6);
    s.in = random_side(s, false);
    s.out = random_side(s, true);
    return s;
}

// All positions of a side in turn.
static bool next(const shape &s, bool out, ll *at)
{
    for (int i = s.rank - 1; i >= 0; i--) {
        if (++at[i] < along(s, out, i))
            return true;
        at[i] = 0;
    }
    return false;
}

static int execute(cufftHandle p, cufftType t, void *x, void *y, int direction)
{
    switch (t) {
    case CUFFT_C2C: return cufftExecC2C(p, (cufftComplex *)x, (cufftComplex *)y, direction);
    case CUFFT_Z2Z: return cufftExecZ2Z(p, (cufftDoubleComplex *)x, (cufftDoubleComplex *)y, direction);
    case CUFFT_R2C: return cufftExecR2C(p, (cufftReal *)x, (cufftComplex *)y);
    case CUFFT_D2Z: return cufftExecD2Z(p, (cufftDoubleReal *)x, (cufftDoubleComplex *)y);
    case CUFFT_C2R: return cufftExecC2R(p, (cufftComplex *)x, (cufftReal *)y);
    default: return cufftExecZ2D(p, (cufftDoubleComplex *)x, (cufftDoubleReal *)y);
    }
}

// The whole spectrum by its definition.
static std::vector<number> by_definition(const shape &s, const std::vector<number> &x, int direction)
{
    ll all = 1;
    for (int i = 0; i < s.rank; i++)
        all *= s.n[i];
    std::vector<number> y(all);
    for (ll o = 0; o < all; o++)
        for (ll i = 0; i < all; i++) {
            double turn = 0;
            for (ll a = s.rank - 1, oo = o, ii = i; a >= 0; oo /= s.n[a], ii /= s.n[a], a--)
                turn += (double)(oo % s.n[a] * (ii % s.n[a]) % s.n[a]) / s.n[a];
            y[o] += x[i] * std::polar(1.0, direction * 2 * M_PI * turn);
        }
    return y;
}

static ll row_order(const shape &s, const ll *at)
{
    ll p = 0;
    for (int i = 0; i < s.rank; i++)
        p = p * s.n[i] + at[i];
    return p;
}

// The batch's data: what goes in, the whole of what should come out. For a complex input of a real transform the spectrum of random
// real numbers.
static void make_batch(const shape &s, int direction, std::vector<number> &in, std::vector<number> &out)
{
    ll all = 1;
    for (int i = 0; i < s.rank; i++)
        all *= s.n[i];
    std::vector<number> x(all);
    const bool r2c = real_side(s, false), c2r = real_side(s, true);
    for (number &v : x)
        v = number((below(4001) - 2000) / 1024.0, r2c || c2r ? 0 : (below(4001) - 2000) / 1024.0);
    if (c2r) {
        in = by_definition(s, x, CUFFT_FORWARD);
        out = x;
        for (number &v : out)
            v *= (double)all;
    } else {
        in = x;
        out = by_definition(s, x, direction);
    }
}

template <class T> static void compare(const shape &s, const char *how, int (*make)(cufftHandle *, shape &))
{
    const bool ri = real_side(s, false), ro = real_side(s, true);
    const int direction = ri ? CUFFT_FORWARD : ro ? CUFFT_INVERSE : below(2) ? CUFFT_FORWARD : CUFFT_INVERSE;
    const ll in = s.in.dist * s.batch * (ri ? 1 : 2), out = s.out.dist * s.batch * (ro ? 1 : 2);
    std::vector<T> a(in, (T)7), b(out, (T)-77);
    std::vector<double> want(out, -77);
    double most = 1;
    for (ll i = 0; i < s.batch; i++) {
        std::vector<number> x, y;
        make_batch(s, direction, x, y);
        ll at[3] = {0, 0, 0};
        do {
            ll p = place(s, s.in, i, at);
            number v = x[row_order(s, at)];
            a[ri ? p : 2 * p] = (T)v.real();
            if (!ri)
                a[2 * p + 1] = (T)v.imag();
        } while (next(s, false, at));
        do {
            ll p = place(s, s.out, i, at);
            number v = y[row_order(s, at)];
            want[ro ? p : 2 * p] = v.real();
            if (!ro)
                want[2 * p + 1] = v.imag();
            most = std::max(most, abs(v));
        } while (next(s, true, at));
    }
    T *x, *y;
    cudaMalloc((void **)&x, in * sizeof(T));
    cudaMalloc((void **)&y, out * sizeof(T));
    cudaMemcpy(x, a.data(), in * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(y, b.data(), out * sizeof(T), cudaMemcpyHostToDevice);
    cufftHandle p;
    shape copy = s;
    CHECK(make(&p, copy) == CUFFT_SUCCESS);
    CHECK(execute(p, s.type, x, y, direction) == CUFFT_SUCCESS);
    cudaMemcpy(b.data(), y, out * sizeof(T), cudaMemcpyDeviceToHost);
    CHECK(cufftDestroy(p) == CUFFT_SUCCESS);
    double worst = 0;
    for (ll i = 0; i < out; i++)
        worst = std::max(worst, fabs(b[i] - want[i]));
    if (worst > most * (sizeof(T) == 4 ? 2e-6 : 1e-14)) {
        printf("FAILED: %s: type %x rank %d %lld %lld %lld batch %lld: %g of %g\n", how, s.type, s.rank, s.n[0], s.n[1], s.n[2], s.batch, worst, most);
        failures++;
    }
    cudaFree(x);
    cudaFree(y);
}

static int many(cufftHandle *p, shape &s)
{
    int n[3], i[3], o[3];
    for (int a = 0; a < s.rank; a++)
        n[a] = (int)s.n[a], i[a] = (int)s.in.embed[a], o[a] = (int)s.out.embed[a];
    return cufftPlanMany(p, s.rank, n, i, (int)s.in.stride, (int)s.in.dist, o, (int)s.out.stride, (int)s.out.dist, s.type, (int)s.batch);
}

static int many64(cufftHandle *p, shape &s)
{
    size_t made = 1, asked = 2, whole = 3;
    int e = cufftCreate(p);
    e = e ? e : cufftGetSizeMany64(*p, s.rank, s.n, s.in.embed, s.in.stride, s.in.dist, s.out.embed, s.out.stride, s.out.dist, s.type, s.batch, &asked);
    e = e ? e : cufftMakePlanMany64(*p, s.rank, s.n, s.in.embed, s.in.stride, s.in.dist, s.out.embed, s.out.stride, s.out.dist, s.type, s.batch, &made);
    e = e ? e : cufftGetSize(*p, &whole);
    CHECK(e || (made == asked && made == whole));
    return e;
}

// ---- order ----

__global__ void fill(cufftComplex *x, int n, float v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = make_cuComplex(v, 0);
}

__global__ void scale(cufftComplex *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i].x *= by, x[i].y *= by;
}

static void streams()
{
    enum { N = 4096 };
    cufftComplex *x, *y, h[2];
    cudaStream_t a, b;
    cudaEvent_t done;
    cufftHandle p;
    cudaMalloc((void **)&x, N * sizeof *x);
    cudaMalloc((void **)&y, N * sizeof *x);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    for (int i = 0; i < 20; i++) {
        CHECK(!cufftPlan1d(&p, N, CUFFT_C2C, 1) && !cufftSetStream(p, a));
        fill<<<N / 256, 256, 0, a>>>(x, N, (float)(i + 1));
        CHECK(!cufftExecC2C(p, x, y, CUFFT_FORWARD)); // N (i + 1) at 0
        CHECK(!cufftDestroy(p));                      // what is queued goes on
        fill<<<N / 256, 256, 0, a>>>(x, N, -1.0f);
        cudaEventRecord(done, a);
        cudaStreamWaitEvent(b, done, 0);
        scale<<<N / 256, 256, 0, b>>>(y, N, 0.5f);
        cudaMemcpyAsync(h, y, sizeof h, cudaMemcpyDeviceToHost, b);
        cudaStreamSynchronize(b);
        CHECK(h[0].x == 0.5f * N * (i + 1) && h[0].y == 0 && h[1].x == 0);
    }
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(x);
    cudaFree(y);
}

static void threads()
{
    std::vector<std::thread> all;
    for (int t = 0; t < 4; t++)
        all.emplace_back([t] {
            cufftDoubleComplex *x, h[2];
            const int n = 60 + t;
            cudaMalloc((void **)&x, n * sizeof *x);
            for (int i = 0; i < 20; i++) {
                std::vector<cufftDoubleComplex> v(n, make_cuDoubleComplex(1, t));
                cufftHandle p;
                cudaMemcpy(x, v.data(), n * sizeof *x, cudaMemcpyHostToDevice);
                int e = cufftPlan1d(&p, n, CUFFT_Z2Z, 1);
                e = e ? e : cufftExecZ2Z(p, x, x, i % 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
                cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
                e = e ? e : cufftDestroy(p);
                CHECK(!e && fabs(h[0].x - n) < 1e-9 && fabs(h[0].y - n * t) < 1e-9 && fabs(h[1].x) < 1e-9);
            }
            cudaFree(x);
        });
    for (std::thread &t : all)
        t.join();
}

// ---- the rest of the interface ----

static void sizes()
{
    size_t a, b;
    int n[2] = {8, 12}, part = -1;
    cufftHandle p;
    CHECK(!cufftCreate(&p) && !cufftSetAutoAllocation(p, 0));
    CHECK(!cufftEstimate1d(64, CUFFT_C2C, 2, &a) && !cufftGetSize1d(p, 64, CUFFT_C2C, 2, &b) && a == b);
    CHECK(!cufftEstimate2d(8, 12, CUFFT_R2C, &a) && !cufftGetSize2d(p, 8, 12, CUFFT_R2C, &b) && a == b);
    CHECK(!cufftEstimate3d(4, 8, 12, CUFFT_Z2D, &a) && !cufftGetSize3d(p, 4, 8, 12, CUFFT_Z2D, &b) && a == b);
    CHECK(!cufftEstimateMany(2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 3, &a) &&
          !cufftGetSizeMany(p, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 3, &b) && a == b);
    ll wide[2] = {8, 12};
    CHECK(!cufftXtGetSizeMany(p, 2, wide, NULL, 1, 0, CUDA_C_32F, NULL, 1, 0, CUDA_C_32F, 3, &b, CUDA_C_32F) && a == b);
    CHECK(!cufftMakePlanMany(p, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 3, &b) && a == b);
    CHECK(!cufftXtSetWorkAreaPolicy(p, CUFFT_WORKAREA_MINIMAL, &b));
    CHECK(!cufftDestroy(p));
    CHECK(!cufftCreate(&p) && !cufftMakePlan2d(p, 8, 12, CUFFT_C2C, &a) && !cufftDestroy(p));
    CHECK(!cufftCreate(&p) && !cufftMakePlan3d(p, 8, 12, 4, CUFFT_C2C, &a) && !cufftDestroy(p));
    CHECK(!cufftGetProperty(MAJOR_VERSION, &part) && part == CUFFT_VER_MAJOR);
    CHECK(cufftXtSetCallback(p, NULL, CUFFT_CB_LD_COMPLEX, NULL) == CUFFT_NOT_IMPLEMENTED); // says so, once
    CHECK(cufftXtSetCallback(p, NULL, CUFFT_CB_LD_COMPLEX, NULL) == CUFFT_NOT_IMPLEMENTED);
}

static void plans()
{
    cufftComplex *x, h[8];
    cufftHandle p;
    size_t work;
    int version = 0;
    ll eight = 8, kept = 9;
    cudaMalloc((void **)&x, 512 * sizeof *x);
    cufftComplex ones[512];
    for (cufftComplex &v : ones)
        v = make_cuComplex(1, 0);
    const auto sum = [&](int made, int n) { // of n ones, at 0
        cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice);
        int e = made ? made : cufftXtExec(p, x, x, CUFFT_INVERSE);
        cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
        return !e && !cufftDestroy(p) && h[0].x == n && h[0].y == 0 && h[1].x == 0;
    };
    CHECK(sum(cufftPlan2d(&p, 4, 8, CUFFT_C2C), 32));
    CHECK(sum(cufftPlan3d(&p, 4, 8, 2, CUFFT_C2C), 64));
    CHECK(!cufftCreate(&p) && sum(cufftMakePlan1d(p, 16, CUFFT_C2C, 2, &work), 16));
    CHECK(!cufftCreate(&p) && sum(cufftXtMakePlanMany(p, 1, &eight, NULL, 1, 0, CUDA_C_32F, NULL, 1, 0, CUDA_C_32F, 1, &work, CUDA_C_32F), 8));
    CHECK(!cufftCreate(&p) && !cufftSetPlanPropertyInt64(p, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1));
    CHECK(!cufftGetPlanPropertyInt64(p, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &kept) && kept == 1);
    CHECK(!cufftResetPlanProperty(p, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT));
    CHECK(!cufftGetPlanPropertyInt64(p, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &kept) && kept == 0);
    CHECK(!cufftSetWorkArea(p, x) && sum(cufftMakePlan1d(p, 8, CUFFT_C2C, 1, &work), 8));
    CHECK(!cufftGetVersion(&version) && version == CUFFT_VERSION);
    cudaFree(x);
}

static int fault()
{
    static cufftComplex host[8];
    cufftComplex *x;
    cufftHandle p;
    cudaMalloc((void **)&x, sizeof host);
    int made = cufftPlan1d(&p, 8, CUFFT_C2C, 1), put = cufftExecC2C(p, host, x, CUFFT_FORWARD);
    printf("%d %d %s\n", made, put, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

static int one() // 5 x 1024 x log2 1024 x 3 operations, 3 x 1024 x 8 bytes in and out
{
    cufftComplex *x;
    cufftHandle p;
    cudaMalloc((void **)&x, 3 * 1024 * sizeof *x);
    cudaMemset(x, 0, 3 * 1024 * sizeof *x);
    return cufftPlan1d(&p, 1024, CUFFT_C2C, 3) || cufftExecC2C(p, x, x, CUFFT_FORWARD) || cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "fault"))
        return fault();
    if (argc > 1 && !strcmp(argv[1], "one"))
        return one();
    cufftHandle p;
    if (cufftPlan1d(&p, 8, CUFFT_C2C, 1) == CUFFT_SETUP_FAILED || cufftPlan1d(&p, 8, CUFFT_Z2Z, 1) == CUFFT_SETUP_FAILED)
        return 77; // has said which package is missing
    for (int i = 0; i < 300; i++) {
        shape s = random_shape();
        int (*make)(cufftHandle *, shape &) = i % 2 ? many : many64;
        if (s.type == CUFFT_C2C || s.type == CUFFT_R2C || s.type == CUFFT_C2R)
            compare<float>(s, "advanced layout", make);
        else
            compare<double>(s, "advanced layout", make);
    }
    streams();
    threads();
    sizes();
    plans();
    printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
