// What cuSOLVER's dense routines compute and answer: one line a case, "name <tab> status <tab> values as hexadecimal floats"; inputs by a formula. Vectors,
// whose signs are free, stand as the matrix that they make.
//
//   nvcc -std=c++17 -o cusolver cusolver.cu -lcusolver && ./cusolver > cusolver.tsv      (./cusolver wide: the interface with 64-bit sizes, too)
#ifndef TYPED
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

static cusolverDnHandle_t handle;

static double noise(unsigned seed, unsigned i)
{
    unsigned long long s = (seed * 2654435761ull + i + 1) * 6364136223846793005ull + 1442695040888963407ull;
    s ^= s >> 29;
    s *= 0xbf58476d1ce4e5b9ull;
    s ^= s >> 32;
    return (double)(s % 2000001ull) / 1000000.0 - 1.0;
}

template <class T> struct Is { static T make(double re, double) { return (T)re; } };
template <class R> struct Is<std::complex<R>> { static std::complex<R> make(double re, double im) { return {(R)re, (R)im}; } };
static float conjugate(float v) { return v; }
static double conjugate(double v) { return v; }
template <class R> static std::complex<R> conjugate(std::complex<R> v) { return std::conj(v); }

static std::string text(double d)
{
    char s[64];
    snprintf(s, sizeof s, "%a", d);
    return s;
}
static std::string text(float d) { return text((double)d); }
static std::string text(int d) { return std::to_string(d); }
template <class R> static std::string text(std::complex<R> d) { return text((double)d.real()) + "," + text((double)d.imag()); }

template <class T> static std::string text(const std::vector<T> &v)
{
    std::string s;
    for (size_t i = 0; i < v.size(); i++)
        s += (i ? " " : "") + text(v[i]);
    return s;
}

template <class T> static std::vector<T> head(const std::vector<T> &v, int n)
{
    return std::vector<T>(v.begin(), v.begin() + n);
}

template <class T> struct Array {
    std::vector<T> host;
    T *at = nullptr;
    Array(size_t n, unsigned seed) : host(n)
    {
        for (size_t i = 0; i < n; i++)
            host[i] = Is<T>::make(noise(seed, (unsigned)i), noise(seed + 100, (unsigned)i));
        send();
    }
    ~Array() { cudaFree(at); }
    Array(const Array &) = delete;
    void send()
    {
        if (!at)
            cudaMalloc((void **)&at, host.size() * sizeof(T) + 256);
        cudaMemcpy(at, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    const std::vector<T> &get()
    {
        cudaMemcpy(host.data(), at, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return host;
    }
};

static void say(const std::string &name, int status, const std::string &values = "")
{
    printf("%s\t%d\t%s\n", name.c_str(), status, values.c_str());
    fflush(stdout);
}

static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

// a matrix that is Hermitian with a large diagonal, or just any
template <class T> static void hermitian(Array<T> &a, int n, int ld, double diagonal)
{
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++)
            a.host[j + i * ld] = conjugate(a.host[i + j * ld]);
        a.host[j + j * ld] = Is<T>::make(diagonal + j, 0);
    }
    a.send();
}

// U diag(S) V, of n values
template <class T, class R> static std::vector<T> composed(const std::vector<T> &u, int ldu, const std::vector<R> &s, const std::vector<T> &v, int ldv, bool turned, int m, int n, int k)
{
    std::vector<T> out;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            T sum = 0;
            for (int l = 0; l < k; l++)
                sum += u[i + l * ldu] * (T)s[l] * (turned ? conjugate(v[j + l * ldv]) : v[l + j * ldv]);
            out.push_back(sum);
        }
    return out;
}

#define TYPED
#define LETTER "S"
#define NAMED in_S
#define T float
#define C float
#define R float
#define F(name) cusolverDnS##name
#define SY(name) cusolverDnSsy##name
#define OR(name) cusolverDnSor##name
#include "cusolver.cu"
#undef LETTER
#undef NAMED
#undef T
#undef C
#undef R
#undef F
#undef SY
#undef OR
#define LETTER "D"
#define NAMED in_D
#define T double
#define C double
#define R double
#define F(name) cusolverDnD##name
#define SY(name) cusolverDnDsy##name
#define OR(name) cusolverDnDor##name
#include "cusolver.cu"
#undef LETTER
#undef NAMED
#undef T
#undef C
#undef R
#undef F
#undef SY
#undef OR
#define LETTER "C"
#define NAMED in_C
#define T std::complex<float>
#define C cuComplex
#define R float
#define F(name) cusolverDnC##name
#define SY(name) cusolverDnChe##name
#define OR(name) cusolverDnCun##name
#include "cusolver.cu"
#undef LETTER
#undef NAMED
#undef T
#undef C
#undef R
#undef F
#undef SY
#undef OR
#define LETTER "Z"
#define NAMED in_Z
#define T std::complex<double>
#define C cuDoubleComplex
#define R double
#define F(name) cusolverDnZ##name
#define SY(name) cusolverDnZhe##name
#define OR(name) cusolverDnZun##name
#include "cusolver.cu"

static void misuse()
{
    Array<double> a(64, 1), b(64, 2), w(64, 3);
    Array<double> work(100000, 4);
    int *info, *pivots, room = -1;
    cudaMalloc((void **)&info, 64);
    cudaMalloc((void **)&pivots, 64);
    say("misuse.potrf.n_negative", cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, -1, a.at, 4, &room));
    say("misuse.potrf.lda", cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 4, a.at, 3, &room));
    say("misuse.potrf.fill_5", cusolverDnDpotrf_bufferSize(handle, (cublasFillMode_t)5, 4, a.at, 4, &room));
    say("misuse.potrf.good", cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 4, a.at, 4, &room));
    int s = cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, -1, a.at, 4, work.at, 100000, info);
    say("misuse.potrf.run.n_negative", s);
    s = cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, a.at, 3, work.at, 100000, info);
    say("misuse.potrf.run.lda", s);
    s = cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 0, a.at, 4, work.at, 100000, info);
    say("misuse.potrf.run.n_zero", s);
    say("misuse.getrf.m_negative", cusolverDnDgetrf_bufferSize(handle, -1, 4, a.at, 4, &room));
    say("misuse.getrf.lda", cusolverDnDgetrf_bufferSize(handle, 4, 4, a.at, 3, &room));
    say("misuse.getrf.run.lda", cusolverDnDgetrf(handle, 4, 4, a.at, 3, work.at, pivots, info));
    say("misuse.getrs.ldb", cusolverDnDgetrs(handle, CUBLAS_OP_N, 4, 1, a.at, 4, pivots, b.at, 3, info));
    say("misuse.getrs.op_5", cusolverDnDgetrs(handle, (cublasOperation_t)5, 4, 1, a.at, 4, pivots, b.at, 4, info));
    say("misuse.syevd.mode_5", cusolverDnDsyevd_bufferSize(handle, (cusolverEigMode_t)5, CUBLAS_FILL_MODE_LOWER, 4, a.at, 4, w.at, &room));
    say("misuse.syevd.work_small", cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 4, a.at, 4, w.at, work.at, 1, info));
    say("misuse.gesvd.m_less", cusolverDnDgesvd_bufferSize(handle, 3, 4, &room));
    s = cusolverDnDgesvd(handle, 'A', 'A', 3, 4, a.at, 3, w.at, b.at, 3, work.at, 4, work.at + 1000, 50000, nullptr, info);
    say("misuse.gesvd.run.m_less", s);
    s = cusolverDnDgesvd(handle, 'X', 'A', 4, 4, a.at, 4, w.at, b.at, 4, work.at, 4, work.at + 1000, 50000, nullptr, info);
    say("misuse.gesvd.job_x", s);
    say("misuse.geqrf.lda", cusolverDnDgeqrf_bufferSize(handle, 4, 4, a.at, 3, &room));
    say("misuse.ormqr.k_large", cusolverDnDormqr_bufferSize(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, 4, 4, 5, a.at, 4, w.at, b.at, 4, &room));
    say("misuse.orgqr.n_large", cusolverDnDorgqr_bufferSize(handle, 4, 5, 4, a.at, 4, w.at, &room));
}

// The interface with 64-bit sizes.
static void wide_sizes()
{
    Array<double> b(64, 2), work(100000, 4);
    int *info, s;
    cudaMalloc((void **)&info, 64);
    cusolverDnParams_t params;
    say("params", cusolverDnCreateParams(&params));
    size_t device = 0, host = 0;
    Array<double> x(16, 9);
    hermitian(x, 4, 4, 5);
    say("X.potrf.size", cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, x.at, 4, CUDA_R_64F, &device, &host));
    std::vector<char> room_host(host + 1);
    s = cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, x.at, 4, CUDA_R_64F, work.at, device, room_host.data(), host, info);
    say("X.potrf", s, text(x.get()));
    s = cusolverDnXpotrs(handle, params, CUBLAS_FILL_MODE_LOWER, 4, 2, CUDA_R_64F, x.at, 4, CUDA_R_64F, b.at, 4, info);
    b.get();
    say("X.potrs", s, text(head(b.host, 8)));
    Array<double> y(16, 10), z(8, 11);
    int64_t *wide;
    cudaMalloc((void **)&wide, 64);
    say("X.getrf.size", cusolverDnXgetrf_bufferSize(handle, params, 4, 4, CUDA_R_64F, y.at, 4, CUDA_R_64F, &device, &host));
    room_host.resize(host + 1);
    s = cusolverDnXgetrf(handle, params, 4, 4, CUDA_R_64F, y.at, 4, wide, CUDA_R_64F, work.at, device, room_host.data(), host, info);
    int64_t order[4];
    cudaMemcpy(order, wide, sizeof order, cudaMemcpyDeviceToHost);
    say("X.getrf", s, text(y.get()) + " " + std::to_string(order[0]) + " " + std::to_string(order[1]) + " " + std::to_string(order[2]) + " " + std::to_string(order[3]));
    s = cusolverDnXgetrs(handle, params, CUBLAS_OP_T, 4, 2, CUDA_R_64F, y.at, 4, wide, CUDA_R_64F, z.at, 4, info);
    say("X.getrs", s, text(z.get()));
    Array<double> e(16, 12), values(4, 13);
    hermitian(e, 4, 4, 1);
    say("X.syevd.size", cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, e.at, 4, CUDA_R_64F, values.at, CUDA_R_64F, &device, &host));
    room_host.resize(host + 1);
    s = cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, e.at, 4, CUDA_R_64F, values.at, CUDA_R_64F, work.at, device,
                         room_host.data(), host, info);
    say("X.syevd", s, text(values.get()));
    say("X.wrong_type", cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_16F, x.at, 4, CUDA_R_16F, &device, &host));
}

int main(int argc, char **)
{
    if (cusolverDnCreate(&handle)) {
        printf("no cuSOLVER\n");
        return 1;
    }
    in_S::all();
    in_D::all();
    in_C::all();
    in_Z::all();
    misuse();
    if (argc > 1)
        wide_sizes();
    return 0;
}

#else // --- for one element type ---

#define AS(p) ((C *)(p))
#define CASE(name) std::string(name "." LETTER ".")

namespace NAMED {

static std::string integers(const int *at, int n)
{
    std::string s;
    std::vector<int> v(n);
    cudaMemcpy(v.data(), at, n * sizeof(int), cudaMemcpyDeviceToHost);
    return text(v);
}

static void solving(int *info, int *pivots)
{
    int room = 0, s;
    for (int u = 0; u < 2; u++) {
        Array<T> a(30, 1), b(30, 2);
        const std::string at(1, "LU"[u]);
        hermitian(a, 5, 6, 6);
        F(potrf_bufferSize)(handle, fills[u], 5, AS(a.at), 6, &room);
        Array<T> work(room + 1, 9);
        s = F(potrf)(handle, fills[u], 5, AS(a.at), 6, AS(work.at), room, info);
        say(CASE("potrf") + at, s, text(a.get()) + " " + integers(info, 1));
        s = F(potrs)(handle, fills[u], 5, 3, AS(a.at), 6, AS(b.at), 7, info);
        b.get();
        say(CASE("potrs") + at, s, text(head(b.host, 19)));
        F(potri_bufferSize)(handle, fills[u], 5, AS(a.at), 6, &room);
        Array<T> more(room + 1, 9);
        s = F(potri)(handle, fills[u], 5, AS(a.at), 6, AS(more.at), room, info);
        say(CASE("potri") + at, s, text(a.get()));
        Array<T> bad(25, 3);
        hermitian(bad, 5, 5, -1);
        s = F(potrf)(handle, fills[u], 5, AS(bad.at), 5, AS(work.at), room, info);
        say(CASE("potrf.indefinite") + at, s, integers(info, 1));
    }
    Array<T> a(36, 4);
    F(getrf_bufferSize)(handle, 5, 5, AS(a.at), 6, &room);
    Array<T> work(room + 1000, 9);
    s = F(getrf)(handle, 5, 5, AS(a.at), 6, AS(work.at), pivots, info);
    say(CASE("getrf") + "square", s, text(a.get()) + " " + integers(pivots, 5) + " " + integers(info, 1));
    for (int t = 0; t < 3; t++) {
        Array<T> b(15, 5);
        s = F(getrs)(handle, ops[t], 5, 3, AS(a.at), 6, pivots, AS(b.at), 5, info);
        say(CASE("getrs") + "NTC"[t], s, text(b.get()));
    }
    Array<T> tall(36, 6), wide(36, 7), plain(25, 8);
    s = F(getrf)(handle, 6, 4, AS(tall.at), 6, AS(work.at), pivots, info);
    say(CASE("getrf") + "tall", s, text(tall.get()) + " " + integers(pivots, 4));
    s = F(getrf)(handle, 4, 6, AS(wide.at), 6, AS(work.at), pivots, info);
    say(CASE("getrf") + "wide", s, text(wide.get()) + " " + integers(pivots, 4));
    for (int i = 0; i < 5; i++)
        plain.host[i * 6] = Is<T>::make(4 + i, 1);
    plain.send();
    s = F(getrf)(handle, 5, 5, AS(plain.at), 5, AS(work.at), nullptr, info);
    say(CASE("getrf") + "unpivoted", s, text(plain.get()) + " " + integers(info, 1));
    for (auto &v : plain.host)
        v = Is<T>::make(1, 0);
    plain.send();
    s = F(getrf)(handle, 5, 5, AS(plain.at), 5, AS(work.at), pivots, info);
    say(CASE("getrf") + "singular", s, integers(info, 1));
    {
        Array<T> batch(75, 10), right(45, 11);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 5; j++) {
                for (int i = j + 1; i < 5; i++)
                    batch.host[25 * k + j + i * 5] = conjugate(batch.host[25 * k + i + j * 5]);
                batch.host[25 * k + 6 * j] = Is<T>::make(6 + j, 0);
            }
        batch.send();
        std::vector<T *> lists = {batch.at, batch.at + 25, batch.at + 50, right.at, right.at + 15, right.at + 30};
        C **at;
        cudaMalloc((void **)&at, 6 * sizeof(T *));
        cudaMemcpy(at, lists.data(), 6 * sizeof(T *), cudaMemcpyHostToDevice);
        s = F(potrfBatched)(handle, CUBLAS_FILL_MODE_LOWER, 5, at, 5, info, 3);
        std::string lower;
        batch.get();
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 5; j++)
                for (int i = j; i < 5; i++)
                    lower += text(batch.host[25 * k + i + 5 * j]) + " ";
        say(CASE("potrfBatched") + "L", s, lower + integers(info, 3));
        s = F(potrsBatched)(handle, CUBLAS_FILL_MODE_LOWER, 5, 1, at, 5, at + 3, 5, info, 3);
        right.get();
        std::string solved;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 5; i++)
                solved += text(right.host[15 * k + i]) + " ";
        say(CASE("potrsBatched") + "L", s, solved);
        cudaFree(at);
    }
}

static void orthogonal(int *info)
{
    int room = 0, other = 0, s;
    Array<T> a(36, 1), tau(6, 2), c(36, 3);
    F(geqrf_bufferSize)(handle, 6, 4, AS(a.at), 6, &room);
    OR(gqr_bufferSize)(handle, 6, 4, 4, AS(a.at), 6, AS(tau.at), &other);
    room = room > other ? room : other;
    OR(mqr_bufferSize)(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, 6, 5, 4, AS(a.at), 6, AS(tau.at), AS(c.at), 6, &other);
    room = room > other ? room : other;
    OR(mqr_bufferSize)(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 5, 6, 4, AS(a.at), 6, AS(tau.at), AS(c.at), 5, &other);
    room = room > other ? room : other;
    Array<T> work(room + 1, 9);
    s = F(geqrf)(handle, 6, 4, AS(a.at), 6, AS(tau.at), AS(work.at), room, info);
    tau.get();
    a.get();
    say(CASE("geqrf") + "tall", s, text(head(a.host, 24)) + " " + text(head(tau.host, 4)) + " " + integers(info, 1));
    for (int side = 0; side < 2; side++)
        for (int t = 0; t < 3; t++) {
            if (t == (sizeof(T) == sizeof(R) ? 2 : 1))
                continue;
            Array<T> q(36, 3);
            s = OR(mqr)(handle, side ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, ops[t], side ? 5 : 6, side ? 6 : 5, 4, AS(a.at), 6, AS(tau.at), AS(q.at), side ? 5 : 6,
                        AS(work.at), room, info);
            q.get();
            say(CASE("ormqr") + "LR"[side] + "NTC"[t], s, text(head(q.host, 30)));
        }
    s = OR(gqr)(handle, 6, 4, 4, AS(a.at), 6, AS(tau.at), AS(work.at), room, info);
    a.get();
    say(CASE("orgqr") + "tall", s, text(head(a.host, 24)));
}

static void spectra(int *info)
{
    int room = 0, s;
    syevjInfo_t j;
    gesvdjInfo_t g;
    cusolverDnCreateSyevjInfo(&j);
    cusolverDnCreateGesvdjInfo(&g);
    for (int u = 0; u < 2; u++) {
        const std::string at(1, "LU"[u]);
        Array<T> a(30, 1), b(30, 2), e(30, 1), d(30, 1), l(30, 3);
        Array<R> w(5, 4);
        hermitian(a, 5, 6, 1);
        hermitian(e, 5, 6, 1);
        hermitian(d, 5, 6, 1);
        hermitian(b, 5, 6, 8);
        SY(evd_bufferSize)(handle, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(a.at), 6, w.at, &room);
        Array<T> work(room + 1, 9);
        s = SY(evd)(handle, CUSOLVER_EIG_MODE_NOVECTOR, fills[u], 5, AS(a.at), 6, w.at, AS(work.at), room, info);
        say(CASE("syevd.values") + at, s, text(w.get()) + " " + integers(info, 1));
        s = SY(evd)(handle, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(e.at), 6, w.at, AS(work.at), room, info);
        w.get();
        e.get();
        say(CASE("syevd") + at, s, text(w.host) + " " + text(composed<T, R>(e.host, 6, w.host, e.host, 6, true, 5, 5, 5)));
        SY(evj_bufferSize)(handle, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(d.at), 6, w.at, &room, j);
        Array<T> more(room + 1, 9);
        s = SY(evj)(handle, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(d.at), 6, w.at, AS(more.at), room, info, j);
        w.get();
        d.get();
        say(CASE("syevj") + at, s, text(w.host) + " " + text(composed<T, R>(d.host, 6, w.host, d.host, 6, true, 5, 5, 5)));
        Array<T> p(30, 1);
        hermitian(p, 5, 6, 1);
        SY(gvd_bufferSize)(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(p.at), 6, AS(b.at), 6, w.at, &room);
        Array<T> third(room + 1, 9);
        s = SY(gvd)(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, fills[u], 5, AS(p.at), 6, AS(b.at), 6, w.at, AS(third.at), room, info);
        w.get();
        p.get();
        say(CASE("sygvd") + at, s, text(w.host) + " " + text(composed<T, R>(p.host, 6, w.host, p.host, 6, true, 5, 5, 5)));
    }
    const char jobs[] = {'N', 'S', 'A'};
    for (int k = 0; k < 3; k++) {
        Array<T> a(30, 5), u(36, 6), v(36, 7);
        Array<R> sv(4, 8), rwork(100, 9);
        F(gesvd_bufferSize)(handle, 6, 4, &room);
        Array<T> work(room + 1, 9);
        s = F(gesvd)(handle, jobs[k], jobs[k], 6, 4, AS(a.at), 6, sv.at, AS(u.at), 6, AS(v.at), 4, AS(work.at), room, rwork.at, info);
        sv.get();
        u.get();
        v.get();
        say(CASE("gesvd") + jobs[k], s, text(sv.host) + (k ? " " + text(composed<T, R>(u.host, 6, sv.host, v.host, 4, false, 6, 4, 4)) : "") + " " + integers(info, 1));
    }
    for (int econ = 0; econ < 2; econ++)
        for (int shape = 0; shape < 2; shape++) {
            const int m = shape ? 4 : 6, n = shape ? 6 : 4;
            Array<T> a(30, 5), u(36, 6), v(36, 7);
            Array<R> sv(4, 8);
            F(gesvdj_bufferSize)(handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, AS(a.at), m, sv.at, AS(u.at), m, AS(v.at), n, &room, g);
            Array<T> work(room + 1, 9);
            s = F(gesvdj)(handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, AS(a.at), m, sv.at, AS(u.at), m, AS(v.at), n, AS(work.at), room, info, g);
            sv.get();
            u.get();
            v.get();
            say(CASE("gesvdj") + std::to_string(econ) + std::to_string(shape), s, text(sv.host) + " " + text(composed<T, R>(u.host, m, sv.host, v.host, n, true, m, n, 4)));
        }
    cusolverDnDestroySyevjInfo(j);
    cusolverDnDestroyGesvdjInfo(g);
}

static void all()
{
    int *info, *pivots;
    cudaMalloc((void **)&info, 64);
    cudaMalloc((void **)&pivots, 64);
    solving(info, pivots);
    orthogonal(info);
    spectra(info);
    cudaFree(info);
    cudaFree(pivots);
}

} // namespace
#undef AS
#undef CASE
#endif
