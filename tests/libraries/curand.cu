// cuRAND's host interface as programs use it: order in streams, generators that begin again, values against the device interface,
// moments, statuses. With the argument 'fault': results into memory that is not there.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

static int failed;
#define CHECK(c) ((c) ? 0 : (failed++, printf("FAILED: line %d: %s\n", __LINE__, #c)))
#define OK(c) CHECK((c) == CURAND_STATUS_SUCCESS)

static std::vector<unsigned> fetch(const unsigned *p, size_t n)
{
    std::vector<unsigned> v(n);
    CHECK(cudaMemcpy(v.data(), p, n * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    return v;
}

static curandGenerator_t make(curandRngType_t type, unsigned long long seed, unsigned long long offset = 0)
{
    curandGenerator_t g = nullptr;
    OK(curandCreateGenerator(&g, type));
    OK(curandSetPseudoRandomGeneratorSeed(g, seed));
    OK(curandSetGeneratorOffset(g, offset));
    return g;
}

// The legacy order by the guide: result n is at position n / 4096 of sequence n % 4096.
__global__ void legacy(unsigned long long seed, unsigned *out, int n)
{
    curandState s;
    curand_init(seed, threadIdx.x + blockIdx.x * blockDim.x, 0, &s);
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += 4096)
        out[i] = curand(&s);
}

static void orders()
{
    enum { N = 3 * 4096 + 100 };
    unsigned *a, *b;
    cudaMalloc(&a, N * 4);
    cudaMalloc(&b, N * 4);
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_XORWOW, 987654321);
    OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    OK(curandGenerate(g, a, N));
    legacy<<<16, 256>>>(987654321, b, N);
    CHECK(fetch(a, N) == fetch(b, N));
    OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED)); // another order, from where the generator stands
    OK(curandGenerate(g, b, 100));
    CHECK(fetch(a, 100) != fetch(b, 100));
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandDestroyGenerator(g));
    cudaFree(a);
    cudaFree(b);
}

__global__ void slow(unsigned *p, unsigned *seen, int n)
{
    for (int i = 0; i < 200; i++)
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            seen[k] = p[k];
}

static void streams() // a call runs behind what is in its stream, and its generator may be gone by then
{
    enum { N = 4096 };
    unsigned *p, *seen;
    cudaStream_t s;
    cudaMalloc(&p, N * 4);
    cudaMalloc(&seen, N * 4);
    cudaMemset(p, 0, N * 4);
    cudaStreamCreate(&s);
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 5);
    OK(curandSetStream(g, s));
    slow<<<1, 256, 0, s>>>(p, seen, N);
    OK(curandGenerate(g, p, N));
    OK(curandSetPseudoRandomGeneratorSeed(g, 6)); // not of the call before
    OK(curandDestroyGenerator(g));
    cudaStreamSynchronize(s);
    CHECK(fetch(seen, N) == std::vector<unsigned>(N, 0));
    g = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 5);
    OK(curandGenerate(g, seen, N));
    CHECK(fetch(seen, N) == fetch(p, N));
    OK(curandDestroyGenerator(g));
    cudaStreamDestroy(s);
    cudaFree(p);
    cudaFree(seen);
}

static void again() // seeds and offsets between calls
{
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        unsigned a[20], b[20];
        float f[20];
        curandGenerator_t g, h;
        OK(curandCreateGeneratorHost(&g, type));
        OK(curandCreateGeneratorHost(&h, type));
        OK(curandSetPseudoRandomGeneratorSeed(g, 11));
        OK(curandGenerate(g, a, 10));
        OK(curandSetPseudoRandomGeneratorSeed(g, 11)); // the same: goes on
        OK(curandGenerate(g, a + 10, 10));
        OK(curandSetPseudoRandomGeneratorSeed(h, 11));
        OK(curandGenerate(h, b, 20));
        CHECK(memcmp(a, b, sizeof a) == 0);
        OK(curandSetGeneratorOffset(h, 7)); // absolute
        OK(curandGenerate(h, b, 13));
        CHECK(memcmp(a + 7, b, 13 * 4) == 0);
        OK(curandGenerateUniform(h, f, 4)); // another kind goes on: values 20 to 23
        OK(curandSetGeneratorOffset(g, 20));
        OK(curandGenerate(g, a, 4));
        for (int i = 0; i < 4; i++)
            CHECK(fabsf(f[i] - a[i] * 0x1p-32f) < 1e-6f);
        OK(curandSetPseudoRandomGeneratorSeed(g, 12)); // another one, where the generator stands
        OK(curandGenerate(g, a, 8));
        OK(curandSetPseudoRandomGeneratorSeed(h, 12));
        OK(curandSetGeneratorOffset(h, type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? 21 : 24)); // Philox counts whole turns
        OK(curandGenerate(h, b, 8));
        CHECK(memcmp(a, b, 8 * 4) == 0);
        OK(curandDestroyGenerator(g));
        OK(curandDestroyGenerator(h));
    }
}

static void twister() // lane 0 is the generator of the paper, which the C++ library has; its first turn jumps, others take seven words in a row
{
    std::vector<unsigned> v(3 * 8192 * 8);
    std::vector<double> d(1000);
    curandGenerator_t g;
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937));
    OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
    CHECK(curandSetGeneratorOffset(g, 1) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandGenerate(g, v.data(), 5));
    OK(curandGenerate(g, v.data() + 5, v.size() - 5));
    std::mt19937 m(1234);
    std::vector<unsigned> w(624);
    for (unsigned &x : w)
        x = m();
    CHECK(v[0] == w[0] && v[1] == w[113] && v[7] == w[567]);
    for (int i = 0; i < 8; i++)
        CHECK(v[8192 * 8 + i] == w[1 + 7 * i] && v[2 * 8192 * 8 + i] == w[2 + 7 * i]);
    OK(curandSetPseudoRandomGeneratorSeed(g, 1)); // begins anew
    OK(curandGenerateNormalDouble(g, d.data(), 999, 1, 2));
    double sum = 0;
    for (int i = 0; i < 999; i++)
        sum += d[i];
    CHECK(fabs(sum / 999 - 1) < 5 * 2 / sqrt(999.0));
    OK(curandDestroyGenerator(g));
}

static void moments()
{
    enum { N = 1 << 17 };
    std::vector<float> f(N);
    std::vector<double> d(N);
    std::vector<unsigned> u(N);
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_QUASI_DEFAULT, CURAND_RNG_QUASI_SOBOL64}) {
        curandGenerator_t g;
        OK(curandCreateGeneratorHost(&g, type));
        auto check = [&](auto &v, double mean, double variance, const char *what) {
            double m = 0, s = 0;
            for (auto x : v)
                m += x, s += (double)x * x;
            m /= N, s = s / N - m * m;
            if (fabs(m - mean) > 5 * sqrt(variance / N) || fabs(s - variance) > 6 * variance * sqrt((2 + 1 / variance) / N)) {
                failed++;
                printf("FAILED: type %d, %s: mean %g, variance %g\n", type, what, m, s);
            }
        };
        OK(curandGenerateUniform(g, f.data(), N));
        check(f, 0.5, 1 / 12.0, "uniform");
        OK(curandGenerateUniformDouble(g, d.data(), N));
        check(d, 0.5, 1 / 12.0, "uniform double");
        OK(curandGenerateNormal(g, f.data(), N, -3, 2));
        check(f, -3, 4, "normal");
        OK(curandGenerateNormalDouble(g, d.data(), N, 3, 0.5));
        check(d, 3, 0.25, "normal double");
        OK(curandGenerateLogNormal(g, f.data(), N, 0, 0.25));
        check(f, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625), "log-normal");
        OK(curandGenerateLogNormalDouble(g, d.data(), N, 0, 0.25));
        check(d, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625), "log-normal double");
        for (double mean : {0.01, 0.7, 12.0, 900.0, 1999.5, 7999.0, 390000.0}) {
            OK(curandGeneratePoisson(g, u.data(), N, mean));
            check(u, mean, mean, "Poisson");
        }
        OK(curandDestroyGenerator(g));
    }
}

__global__ void draw(curandDiscreteDistribution_t d, unsigned *out)
{
    curandStatePhilox4_32_10_t s;
    curand_init(3, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    out[blockIdx.x * blockDim.x + threadIdx.x] = curand_discrete(&s, d);
}

static void tables()
{
    enum { N = 1 << 14 };
    unsigned *p;
    curandDiscreteDistribution_t d;
    cudaMalloc(&p, N * 4);
    OK(curandCreatePoissonDistribution(40, &d));
    draw<<<N / 256, 256>>>(d, p);
    double sum = 0;
    for (unsigned x : fetch(p, N))
        sum += x;
    CHECK(fabs(sum / N - 40) < 5 * sqrt(40.0 / N));
    OK(curandDestroyDistribution(d));
    CHECK(curandDestroyDistribution(nullptr) == CURAND_STATUS_NOT_INITIALIZED);
    CHECK(curandCreatePoissonDistribution(0, &d) == CURAND_STATUS_OUT_OF_RANGE);
    cudaFree(p);

    curandDirectionVectors32_t *v;
    curandDirectionVectors64_t *w;
    OK(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors64(&w, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    for (int i = 0; i < 32; i++)
        CHECK(v[0][i] == 1u << (31 - i) && (w[19999][i] >> (63 - i) & 1));
    CHECK(curandGetDirectionVectors32(&v, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
    unsigned *c;
    unsigned long long *k;
    CHECK(curandGetScrambleConstants32(&c) == CURAND_STATUS_INTERNAL_ERROR && curandGetScrambleConstants64(&k) == CURAND_STATUS_INTERNAL_ERROR);
}

static void statuses()
{
    curandGenerator_t g;
    unsigned u[8];
    unsigned long long w[8];
    float f[8];
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, (curandRngType_t)1000})
        CHECK(curandCreateGenerator(&g, type) == CURAND_STATUS_TYPE_ERROR);
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL64));
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandSetQuasiRandomGeneratorDimensions(g, 4));
    CHECK(curandGenerate(g, u, 8) == CURAND_STATUS_TYPE_ERROR);
    OK(curandGenerateLongLong(g, w, 8));
    CHECK(w[0] == 0 && w[1] == 1ull << 63 && w[6] == 0 && w[7] == 1ull << 63); // dimension after dimension
    CHECK(curandGenerateUniform(g, f, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    OK(curandGenerateSeeds(g));
    OK(curandDestroyGenerator(g));
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MRG32K3A));
    CHECK(curandGenerateNormal(g, f, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGeneratePoisson(g, u, 7, 400001) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandGenerateBinomial(g, u, 8, 10, 0.5) == CURAND_STATUS_INTERNAL_ERROR);
    CHECK(curandGenerateBinomial(g, u, 8, 10, 0.5) == CURAND_STATUS_INTERNAL_ERROR); // said once
    CHECK(curandSetStream(nullptr, 0) == CURAND_STATUS_NOT_INITIALIZED);
    OK(curandDestroyGenerator(g));
    int version, major;
    OK(curandGetVersion(&version));
    OK(curandGetProperty(MAJOR_VERSION, &major));
    CHECK(version == CURAND_VERSION && major == version / 1000);
}

static int fault()
{
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_DEFAULT, 1);
    float *f;
    cudaMalloc(&f, 4096);
    curandGenerateUniform(g, f + ((size_t)1 << 38), 100);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **)
{
    if (argc > 1)
        return fault();
    orders();
    streams();
    again();
    twister();
    moments();
    tables();
    statuses();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
