// cuRAND's device interface as programs use it: a state a thread, kept between kernels, as ray tracers do; moments of the distributions;
// the functions on the host (QUALIFIERS); all header names.
#define QUALIFIERS static inline __host__ __device__ __attribute__((unused))
#include <cmath>
#include <cstdio>
#include <cstring>
#include <curand_globals.h>
#include <curand_uniform.h>
#include <curand_normal.h>
#include <curand_normal_static.h>
#include <curand_lognormal.h>
#include <curand_poisson.h>
#include <curand_discrete.h>
#include <curand_discrete2.h>
#include <curand_precalc.h>
#include <curand_mrg32k3a.h>
#include <curand_philox4x32_x.h>
#include <curand_kernel.h>

static int failed;
#define CHECK(c) ((c) ? 0 : (failed++, printf("FAILED: line %d: %s\n", __LINE__, #c)))

enum { THREADS = 1 << 14, ROUNDS = 16 };

template <class S> __global__ void begin(S *states, unsigned long long first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1984, first + i, 0, &states[i]);
}

// Sums of x and x * x: uniform, its double, normal, its double, log of log-normal, Poisson of 5, 100, 5000, and points in the circle.
enum { KINDS = 8 };
template <class S> __global__ void draw(S *states, double *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    S s = states[i];
    double a[KINDS + 1][2] = {};
    for (int k = 0; k < ROUNDS; k++) {
        double x[KINDS] = {curand_uniform(&s), curand_uniform_double(&s), curand_normal(&s), curand_normal_double(&s),
                           log(curand_log_normal(&s, 2, 3)), (double)curand_poisson(&s, 5), (double)curand_poisson(&s, 100),
                           (double)curand_poisson(&s, 5000)};
        for (int j = 0; j < KINDS; j++) {
            a[j][0] += x[j];
            a[j][1] += x[j] * x[j];
        }
        float px = curand_uniform(&s), py = curand_uniform(&s);
        a[KINDS][0] += px * px + py * py <= 1;
    }
    states[i] = s;
    for (int j = 0; j <= KINDS; j++)
        for (int k = 0; k < 2; k++)
            atomicAdd(&sums[2 * j + k], a[j][k]);
}

template <class S> static void moments(const char *name)
{
    static const double mean[KINDS] = {0.5, 0.5, 0, 0, 2, 5, 100, 5000}, variance[KINDS] = {1 / 12.0, 1 / 12.0, 1, 1, 9, 5, 100, 5000};
    const double n = (double)THREADS * ROUNDS;
    S *states;
    double *device, sums[KINDS + 1][2];
    cudaMalloc(&states, THREADS * sizeof *states);
    cudaMalloc(&device, sizeof sums);
    cudaMemset(device, 0, sizeof sums);
    begin<<<THREADS / 64, 64>>>(states, 1ull << 50); // far into the sequences: steps are logarithmic
    draw<<<THREADS / 64, 64>>>(states, device);
    cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
    for (int j = 0; j < KINDS; j++) {
        double m = sums[j][0] / n, v = sums[j][1] / n - m * m;
        if (fabs(m - mean[j]) > 5 * sqrt(variance[j] / n) || fabs(v - variance[j]) > 8 * variance[j] / sqrt(n)) {
            printf("FAILED: %s, kind %d: mean %g for %g, variance %g for %g\n", name, j, m, mean[j], v, variance[j]);
            failed++;
        }
    }
    double circle = sums[KINDS][0] / n * 4, pi = 3.14159265358979;
    CHECK(fabs(circle - pi) < 5 * sqrt(pi * (4 - pi) / n));
    cudaFree(states);
    cudaFree(device);
}

// The same on both sides: bits of integers and uniform values, normal values nearly.
struct values {
    unsigned bits[8];
    float uniform[8], normal[8];
    double uniform_double[8], normal_double[8];
    unsigned poisson[8];
};
template <class S> QUALIFIERS void fill(S *s, values *v)
{
    for (int i = 0; i < 8; i++) {
        v->bits[i] = (unsigned)curand(s);
        v->uniform[i] = curand_uniform(s);
        v->uniform_double[i] = curand_uniform_double(s);
        v->normal[i] = curand_normal(s);
        v->normal_double[i] = curand_normal_double(s);
        v->poisson[i] = curand_poisson(s, 20);
    }
}
template <class S> QUALIFIERS void fill_pseudo(values *v)
{
    S s;
    curand_init(99, 77, 1000003, &s);
    skipahead_sequence(5, &s);
    fill(&s, v);
}
template <class S> __global__ void on_device(values *v) { fill_pseudo<S>(v); }

static void same(const values *a, const values *b)
{
    CHECK(memcmp(a->bits, b->bits, sizeof a->bits) == 0);
    CHECK(memcmp(a->poisson, b->poisson, sizeof a->poisson) == 0);
    for (int i = 0; i < 8; i++) {
        CHECK(fabsf(a->uniform[i] - b->uniform[i]) <= 6e-8f); // host code does not fuse
        CHECK(fabs(a->uniform_double[i] - b->uniform_double[i]) < 3e-16);
        CHECK(fabsf(a->normal[i] - b->normal[i]) < 3e-6f);
        CHECK(fabs(a->normal_double[i] - b->normal_double[i]) < 1e-14);
    }
}

template <class S> static void both_sides()
{
    values *v, host;
    cudaMallocManaged(&v, sizeof *v);
    on_device<S><<<1, 1>>>(v);
    cudaDeviceSynchronize();
    fill_pseudo<S>(&host);
    same(v, &host);
    cudaFree(v);
}

__global__ void sobol_on_device(curandDirectionVectors32_t *d, values *v)
{
    curandStateSobol32_t s;
    curand_init(*d, 12345u, &s);
    skipahead(7u, &s);
    fill(&s, v);
}

static void sobol_both_sides()
{
    values *v, host;
    curandDirectionVectors32_t *d; // dimension 0: van der Corput's sequence
    cudaMallocManaged(&v, sizeof *v);
    cudaMallocManaged(&d, sizeof *d);
    for (int i = 0; i < 32; i++)
        (*d)[i] = 1u << (31 - i);
    sobol_on_device<<<1, 1>>>(d, v);
    cudaDeviceSynchronize();
    curandStateSobol32_t s;
    curand_init(*d, 12345u, &s);
    skipahead<curandStateSobol32_t *>(7u, &s);
    CHECK(s.i == 12352);
    fill(&s, &host);
    same(v, &host);
    unsigned gray = 12352 ^ 12352 >> 1, reversed = 0; // point i is the reverse of i's Gray code
    for (int k = 0; k < 32; k++)
        reversed |= (gray >> k & 1) << (31 - k);
    CHECK(host.bits[0] == reversed);
    cudaFree(v);
    cudaFree(d);
}

int main()
{
    CHECK(sizeof(curandState) == 48 && sizeof(curandStateMRG32k3a) == 48 && sizeof(curandStatePhilox4_32_10) == 64);
    CHECK(sizeof(curandStateSobol32) == 140 && sizeof(curandStateSobol64) == 536);
    moments<curandState>("XORWOW");
    moments<curandStateMRG32k3a_t>("MRG32k3a");
    moments<curandStatePhilox4_32_10_t>("Philox");
    both_sides<curandState>();
    both_sides<curandStateMRG32k3a_t>();
    both_sides<curandStatePhilox4_32_10_t>();
    sobol_both_sides();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
