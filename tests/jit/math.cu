// Every function of the math library that has a vector form (src/interp/lanes_math.def), bit for bit: by whole warps and by warps that
// are not full, in a loop that lanes leave one by one, with arguments of which lanes that went different ways made each its own. Prints a
// sum over all bits for each function; both executors and all levels of the host must print the same (math.sh).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int N = 4096;

__device__ double argument(double x, int i)
{
    switch (i % 7) {
    case 0: return x;             // any size
    case 1: return x * 1e-3;
    case 2: return fmod(x, 100.0);
    case 3: return fmod(x, 1.0);
    case 4: return -fabs(fmod(x, 750.0));
    case 5: return i % 5 ? x * 1e30 : 0.0 / (i - i % 5 - i); // infinite and no number, too
    default: return fmod(x, 3.0);
    }
}

struct Functions {
    template <class T, class F> static __device__ void apply(F f, const double *x, T *out, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n)
            return;
        T a = (T)argument(x[i], i), b = (T)argument(x[(i * 7 + 3) % n], i * 7 + 3);
        T together = f(a, b), turns = b;
        for (int k = 0; k < i % 4; k++) // lanes leave one by one
            turns = f(turns, a);
        out[2 * i] = together;
        out[2 * i + 1] = turns;
    }
};

#define FUNCTIONS(ONE, TWO)                                                                                                     \
    ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp)     \
    ONE(exp10) ONE(exp2) ONE(expm1) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(sin) ONE(sinh) ONE(tan) ONE(tanh)  \
    ONE(tgamma) TWO(atan2) TWO(hypot) TWO(pow)
#define KERNELS(name, call, callf)                                                                                              \
    __global__ void name##_d(const double *x, double *out, int n)                                                               \
    {                                                                                                                           \
        Functions::apply([](double a, double b) { return call; }, x, out, n);                                                   \
    }                                                                                                                           \
    __global__ void name##_f(const double *x, float *out, int n)                                                                \
    {                                                                                                                           \
        Functions::apply([](float a, float b) { return callf; }, x, out, n);                                                    \
    }
#define ONE(name) KERNELS(name, name(a), name##f(a))
#define TWO(name) KERNELS(name, name(a, b), name##f(a, b))
FUNCTIONS(ONE, TWO)
#undef ONE
#undef TWO
#define FAST(name, call)                                                                                                        \
    __global__ void fast_##name(const double *x, float *out, int n)                                                             \
    {                                                                                                                           \
        Functions::apply([](float a, float b) { return call; }, x, out, n);                                                     \
    }
#define ALL_FAST                                                                                                                \
    FAST(sin, __sinf(a)) FAST(cos, __cosf(a)) FAST(tan, __tanf(a)) FAST(exp, __expf(a)) FAST(exp10, __exp10f(a))                \
    FAST(log, __logf(a)) FAST(log2, __log2f(a)) FAST(log10, __log10f(a)) FAST(pow, __powf(a, b))
ALL_FAST
#undef FAST

template <class T> void print(const char *name, void (*kernel)(const double *, T *, int), const double *x, T *out)
{
    for (int block : {128, 20}) {
        cudaMemset(out, 0, 2 * N * sizeof *out);
        kernel<<<(N + block - 1) / block, block>>>(x, out, N);
        cudaDeviceSynchronize();
        uint64_t sum[2] = {};
        for (int i = 0; i < 2 * N; i++) {
            uint64_t bits = 0;
            memcpy(&bits, &out[i], sizeof *out);
            sum[i % 2] = (sum[i % 2] ^ bits) * 0x100000001b3u;
        }
        printf("%s %d: %016lx %016lx\n", name, block, (long)sum[0], (long)sum[1]);
    }
}

int main()
{
    double *x;
    void *out;
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&out, 2 * N * sizeof(double));
    uint32_t word = 12345;
    for (int i = 0; i < N; i++) {
        word = word * 1664525u + 1013904223u;
        x[i] = ((double)(word >> 1) - 0x1p30) * 0x1p-20;
    }
#define ONE(name) print(#name, name##_d, x, (double *)out), print(#name "f", name##_f, x, (float *)out);
#define FAST(name, call) print("__" #name "f", fast_##name, x, (float *)out);
    FUNCTIONS(ONE, ONE)
    ALL_FAST
    puts(cudaGetLastError() == cudaSuccess ? "DONE" : "FAILED");
}
