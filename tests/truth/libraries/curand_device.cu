// cuRAND's device interface: sequences and distributions, one line a case: what, generator, parameters, hash of all values (FNV-1a of
// their bytes), the first values as bits. Builds with nvcc and with heddle. With an argument, one generator: xorwow, mrg32k3a, philox, sobol.
//   nvcc -arch=sm_90 curand_device.cu -lcurand && ./a.out >curand_device.tsv
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

typedef unsigned long long u64;
struct start { u64 seed, sequence, offset; };

static const char *name(curandStateXORWOW_t *) { return "xorwow"; }
static const char *name(curandStateMRG32k3a_t *) { return "mrg32k3a"; }
static const char *name(curandStatePhilox4_32_10_t *) { return "philox"; }

static const char *only; // the generator that is wanted; sobol: the four quasirandom ones; NULL: all
static bool wanted(const char *generator) { return !only || !strcmp(only, generator); }

static u64 hash(const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    u64 h = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ b[i]) * 1099511628211ull;
    return h;
}

static void words(const std::vector<unsigned> &v, int first) // all, and the first of them
{
    printf("\t%016llx\t", hash(v.data(), v.size() * 4));
    for (int i = 0; i < first; i++)
        printf("%s%08x", i ? " " : "", v[i]);
    printf("\n");
}

static unsigned *on_device;
enum { ROOM = 1 << 20 };

static std::vector<unsigned> fetch(size_t n)
{
    std::vector<unsigned> v(n);
    cudaError_t e = cudaMemcpy(v.data(), on_device, n * 4, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        printf("error\t%s\n", cudaGetErrorString(e));
    cudaMemset(on_device, 0, ROOM * 4);
    return v;
}

// ---- raw sequences ----
template <class S> __global__ void raw(start s, int n, unsigned *out)
{
    S state;
    curand_init(s.seed, s.sequence, s.offset, &state);
    for (int i = 0; i < n; i++)
        out[i] = curand(&state);
}

template <class S> static void raws()
{
    if (!wanted(name((S *)0)))
        return;
    static const u64 seeds[] = {0, 1, 2, 42, 1234, 1984, 0xdeadbeef, 1ull << 32, (1ull << 63) + 12345, ~0ull};
    static const u64 places[][2] = {{0, 0}, {1, 0}, {0, 1}, {5, 3}, {1000, 100}, {4095, 7}, {(1u << 20) + 1, 1000003},
                                    {1u << 31, (1u << 31) + 5}, {(1ull << 40) + 17, (1ull << 40) + 3}, {(1ull << 51) - 3, (1ull << 63) + 9}};
    for (u64 seed : seeds)
        for (auto &p : places) {
            start s = {seed, p[0], p[1]};
            raw<S><<<1, 1>>>(s, 1000, on_device);
            printf("raw\t%s\t%llx %llx %llx", name((S *)0), s.seed, s.sequence, s.offset);
            words(fetch(1000), 8);
        }
}

// ---- distributions: `rounds` times what a call gives, words of 32 bits ----
#define DIST(id, type, call)                                                                                             \
    struct id {                                                                                                          \
        typedef type value;                                                                                              \
        static const char *text() { return #id; }                                                                        \
        template <class S> __device__ static type get(S *s, double a, double b) { (void)a, (void)b; return call; }       \
    };
DIST(uniform, float, curand_uniform(s))
DIST(uniform_double, double, curand_uniform_double(s))
DIST(normal, float, curand_normal(s))
DIST(normal_double, double, curand_normal_double(s))
DIST(normal2, float2, curand_normal2(s))
DIST(normal2_double, double2, curand_normal2_double(s))
DIST(log_normal, float, curand_log_normal(s, (float)a, (float)b))
DIST(log_normal_double, double, curand_log_normal_double(s, a, b))
DIST(log_normal2, float2, curand_log_normal2(s, (float)a, (float)b))
DIST(log_normal2_double, double2, curand_log_normal2_double(s, a, b))
DIST(poisson, unsigned, curand_poisson(s, a))
DIST(uniform4, float4, curand_uniform4(s))
DIST(uniform2_double, double2, curand_uniform2_double(s))
DIST(normal4, float4, curand_normal4(s))
DIST(log_normal4, float4, curand_log_normal4(s, (float)a, (float)b))
DIST(poisson4, uint4, curand_poisson4(s, a))
DIST(four, uint4, curand4(s))

template <class S, class D> __global__ void draw(start s, int rounds, double a, double b, typename D::value *out)
{
    S state;
    curand_init(s.seed, s.sequence, s.offset, &state);
    for (int i = 0; i < rounds; i++)
        out[i] = D::get(&state, a, b);
}

template <class S, class D> static void drawn(double a = 0, double b = 0, int words_shown = 32)
{
    static const start starts[] = {{1, 0, 0}, {1234, 0, 0}, {1984, 77, 5}};
    for (start s : starts) {
        int rounds = 256;
        draw<S, D><<<1, 1>>>(s, rounds, a, b, (typename D::value *)on_device);
        printf("draw\t%s\t%s %llx %llx %llx %g %g", name((S *)0), D::text(), s.seed, s.sequence, s.offset, a, b);
        words(fetch(rounds * sizeof(typename D::value) / 4), words_shown);
    }
}

static const double lambdas[] = {0.5, 3.7, 30, 63.9, 64, 500, 3999, 4001, 1e5};

template <class S> static void distributions()
{
    if (!wanted(name((S *)0)))
        return;
    drawn<S, uniform>();
    drawn<S, uniform_double>();
    drawn<S, normal>();
    drawn<S, normal_double>();
    drawn<S, normal2>();
    drawn<S, normal2_double>();
    drawn<S, log_normal>(0.5, 0.25);
    drawn<S, log_normal_double>(0.5, 0.25);
    drawn<S, log_normal2>(0, 1);
    drawn<S, log_normal2_double>(0, 1);
    for (double lambda : lambdas)
        drawn<S, poisson>(lambda, 0, 32);
}

// ---- ways through one sequence: skips, and values kept for the next call ----
template <class S> __global__ void skips(u64 n, u64 sequences, unsigned *out)
{
    S s;
    curand_init(1234, 3, 2, &s);
    out[0] = curand(&s);
    skipahead(n, &s);
    out[1] = curand(&s);
    skipahead_sequence(sequences, &s);
    for (int i = 2; i < 8; i++)
        out[i] = curand(&s);
}

template <class S> __global__ void mixed(unsigned *out)
{
    S s;
    curand_init(1234, 0, 0, &s);
    float *f = (float *)out;
    f[0] = curand_normal(&s);          // keeps a second value
    f[1] = curand_uniform(&s);
    f[2] = curand_log_normal(&s, 0, 1); // another kind: a new pair
    f[3] = curand_normal(&s);
    f[4] = curand_normal(&s);
    f[5] = (float)curand_normal_double(&s);
    f[6] = (float)curand_log_normal_double(&s, 0, 1);
    f[7] = (float)curand_normal_double(&s);
    f[8] = (float)curand_poisson(&s, 5000);
    out[9] = curand(&s);
    S copy = s;
    out[10] = curand(&copy);
    out[11] = curand(&s);
}

template <class S> static void ways()
{
    if (!wanted(name((S *)0)))
        return;
    static const u64 steps[][2] = {{0, 0}, {1, 1}, {3, 2}, {1000, 7}, {1ull << 33, 1ull << 33}, {~0ull, (1ull << 45) + 1}};
    for (auto &p : steps) {
        skips<S><<<1, 1>>>(p[0], p[1], on_device);
        printf("skip\t%s\t%llx %llx", name((S *)0), p[0], p[1]);
        words(fetch(8), 8);
    }
    mixed<S><<<1, 1>>>(on_device);
    printf("mixed\t%s\t0", name((S *)0));
    words(fetch(12), 12);
}

__global__ void subsequences(u64 n, unsigned *out)
{
    curandStateMRG32k3a_t s;
    curand_init(1234, 0, 0, &s);
    skipahead_subsequence(n, &s);
    for (int i = 0; i < 8; i++)
        out[i] = curand(&s);
}

__global__ void fours(int before, unsigned *out) // curand4 at each place within four
{
    curandStatePhilox4_32_10_t s;
    curand_init(1234, 0, 0, &s);
    for (int i = 0; i < before; i++)
        out[i] = curand(&s);
    for (int i = 0; i < 4; i++)
        ((uint4 *)out)[i + 1] = curand4(&s);
    out[20] = curand(&s);
    float4 n = curand_normal4(&s);
    memcpy(out + 24, &n, 16);
}

// ---- the well-known use: one state a thread ----
template <class S> __global__ void begin(S *states, u64 seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}
template <class S> __global__ void use(S *states, unsigned *out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    S s = states[i];
    for (int k = 0; k < rounds; k++)
        out[k * all + i] = curand(&s);
    states[i] = s;
}
template <class S> static void grid()
{
    if (!wanted(name((S *)0)))
        return;
    S *states;
    cudaMalloc(&states, 8192 * sizeof *states);
    begin<<<64, 128>>>(states, 1984);
    use<<<64, 128>>>(states, on_device, 16);
    printf("grid\t%s\t8192 states, 16 values", name((S *)0));
    words(fetch(8192 * 16), 8);
    std::vector<S> back(8192);
    cudaMemcpy(back.data(), states, 8192 * sizeof(S), cudaMemcpyDeviceToHost);
    printf("state\t%s\t%d", name((S *)0), (int)sizeof(S));
    std::vector<unsigned> first(sizeof(S) / 4 * 2); // the last two, as they lie in memory
    memcpy(first.data(), &back[8190], 2 * sizeof(S));
    words(first, (int)first.size());
    cudaFree(states);
}

// ---- Sobol ----
template <class S> struct sobol;
#define SOBOL(S, id, vectors, word)                          \
    template <> struct sobol<S> {                            \
        typedef vectors V;                                   \
        typedef word W;                                      \
        static const char *text() { return id; }             \
    };
SOBOL(curandStateSobol32_t, "sobol32", curandDirectionVectors32_t, unsigned)
SOBOL(curandStateSobol64_t, "sobol64", curandDirectionVectors64_t, u64)
SOBOL(curandStateScrambledSobol32_t, "scrambled32", curandDirectionVectors32_t, unsigned)
SOBOL(curandStateScrambledSobol64_t, "scrambled64", curandDirectionVectors64_t, u64)

template <class W, class V> __device__ void first(V v, W, W offset, curandStateSobol32_t *s) { curand_init(v, offset, s); }
template <class W, class V> __device__ void first(V v, W, W offset, curandStateSobol64_t *s) { curand_init(v, offset, s); }
template <class W, class V> __device__ void first(V v, W c, W offset, curandStateScrambledSobol32_t *s) { curand_init(v, c, offset, s); }
template <class W, class V> __device__ void first(V v, W c, W offset, curandStateScrambledSobol64_t *s) { curand_init(v, c, offset, s); }

template <class S, class D> __global__ void quasi(typename sobol<S>::V *v, typename sobol<S>::W c, typename sobol<S>::W offset, int rounds,
                                                  double a, double b, typename D::value *out)
{
    S s;
    first(*v, c, offset, &s);
    for (int i = 0; i < rounds; i++)
        out[i] = D::get(&s, a, b);
}

DIST(plain, unsigned, (unsigned)curand(s))
DIST(plain64, u64, (u64)curand(s))

template <class S, class D> static void quasis(typename sobol<S>::V *v, u64 c, int dimension, u64 offset, double a = 0, double b = 0)
{
    quasi<S, D><<<1, 1>>>(v + dimension, (typename sobol<S>::W)c, (typename sobol<S>::W)offset, 256, a, b, (typename D::value *)on_device);
    printf("quasi\t%s\t%s %d %llx %g %g", sobol<S>::text(), D::text(), dimension, offset, a, b);
    words(fetch(256 * sizeof(typename D::value) / 4), 16);
}

// Direction vectors of a formula of our own (dimension d: any odd words, shifted), so that the cases need no table; and the library's.
template <class S, class P> static void sobols()
{
    if (!wanted("sobol"))
        return;
    typedef typename sobol<S>::V V;
    typedef typename sobol<S>::W W;
    enum { BITS = sizeof(W) * 8, DIMENSIONS = 4 };
    std::vector<W> h(DIMENSIONS * BITS);
    W x = 1;
    for (int d = 0; d < DIMENSIONS; d++)
        for (int i = 0; i < BITS; i++) {
            x = (W)(x * 6364136223846793005ull + 1442695040888963407ull);
            W m = i ? (W)((x >> (BITS - i)) << 1 | 1) : 1; // i + 1 bits, odd
            h[d * BITS + i] = (W)(m << (BITS - 1 - i));
        }
    V *v;
    cudaMalloc((void **)&v, h.size() * sizeof(W));
    cudaMemcpy(v, h.data(), h.size() * sizeof(W), cudaMemcpyHostToDevice);
    for (int d = 0; d < DIMENSIONS; d++)
        for (u64 offset : {0ull, 1ull, 5ull, 1000000ull, 4294967290ull})
            quasis<S, P>(v, 0x9e3779b97f4a7c15ull, d, offset);
    quasis<S, uniform>(v, 12345, 1, 7);
    quasis<S, uniform_double>(v, 12345, 1, 7);
    quasis<S, normal>(v, 12345, 2, 7);
    quasis<S, normal_double>(v, 12345, 2, 7);
    quasis<S, log_normal>(v, 12345, 3, 7, 0.5, 0.25);
    quasis<S, log_normal_double>(v, 12345, 3, 7, 0.5, 0.25);
    for (double lambda : lambdas)
        quasis<S, poisson>(v, 12345, 1, 7, lambda);
    cudaFree(v);
}

// ---- discrete distributions ----
template <class S> __global__ void discrete(curandDiscreteDistribution_t d, unsigned *out)
{
    S s;
    curand_init(1234, 0, 0, &s);
    for (int i = 0; i < 256; i++)
        out[i] = curand_discrete(&s, d);
}
__global__ void discrete4(curandDiscreteDistribution_t d, uint4 *out)
{
    curandStatePhilox4_32_10_t s;
    curand_init(1234, 0, 0, &s);
    for (int i = 0; i < 64; i++)
        out[i] = curand_discrete4(&s, d);
}
template <class S> static void discretes()
{
    if (!wanted(name((S *)0)))
        return;
    for (double lambda : {0.5, 3.7, 10.0, 100.0, 1000.0, 1999.0, 2001.0, 5000.0}) {
        curandDiscreteDistribution_t d = 0;
        int status = curandCreatePoissonDistribution(lambda, &d);
        if (status == 0)
            discrete<S><<<1, 1>>>(d, on_device);
        printf("discrete\t%s\t%g %d", name((S *)0), lambda, status);
        words(fetch(256), 32);
        if (status == 0 && name((S *)0)[0] == 'p') {
            discrete4<<<1, 1>>>(d, (uint4 *)on_device);
            printf("discrete4\tphilox\t%g %d", lambda, status);
            words(fetch(256), 32);
        }
        if (status == 0)
            status = curandDestroyDistribution(d);
        if (status)
            printf("destroy\t%g\t%d\n", lambda, status);
    }
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    cudaMalloc(&on_device, ROOM * 4);
    cudaMemset(on_device, 0, ROOM * 4);
    raws<curandStateXORWOW_t>();
    raws<curandStateMRG32k3a_t>();
    raws<curandStatePhilox4_32_10_t>();
    ways<curandStateXORWOW_t>();
    ways<curandStateMRG32k3a_t>();
    ways<curandStatePhilox4_32_10_t>();
    for (u64 n : {1ull, 3ull, 1000ull, (1ull << 40) + 1}) {
        if (!wanted("mrg32k3a"))
            break;
        subsequences<<<1, 1>>>(n, on_device);
        printf("subsequence\tmrg32k3a\t%llx", n);
        words(fetch(8), 8);
    }
    for (int before = 0; before < 4 && wanted("philox"); before++) {
        fours<<<1, 1>>>(before, on_device);
        printf("four\tphilox\t%d", before);
        words(fetch(28), 28);
    }
    grid<curandStateXORWOW_t>();
    grid<curandStateMRG32k3a_t>();
    grid<curandStatePhilox4_32_10_t>();
    distributions<curandStateXORWOW_t>();
    distributions<curandStateMRG32k3a_t>();
    distributions<curandStatePhilox4_32_10_t>();
    if (wanted("philox")) {
        drawn<curandStatePhilox4_32_10_t, uniform4>();
        drawn<curandStatePhilox4_32_10_t, uniform2_double>();
        drawn<curandStatePhilox4_32_10_t, normal4>();
        drawn<curandStatePhilox4_32_10_t, log_normal4>(0, 1);
        drawn<curandStatePhilox4_32_10_t, four>();
        for (double lambda : lambdas)
            drawn<curandStatePhilox4_32_10_t, poisson4>(lambda, 0, 32);
    }
    sobols<curandStateSobol32_t, plain>();
    sobols<curandStateSobol64_t, plain64>();
    sobols<curandStateScrambledSobol32_t, plain>();
    sobols<curandStateScrambledSobol64_t, plain64>();
    discretes<curandStateXORWOW_t>();
    discretes<curandStateMRG32k3a_t>();
    discretes<curandStatePhilox4_32_10_t>();
    printf("end\t%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
