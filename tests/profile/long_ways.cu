// Quotients, reciprocals and roots of warps whose lanes have different operands, also behind a branch, in loops and under a predicate.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

enum { LANES = 32, DIVIDE, INVERT, ROOT, INVERSE_ROOT };

template <int OP, class T> __device__ T f(T a, T b)
{
    return OP == DIVIDE ? a / b : OP == INVERT ? T(1) / a : OP == ROOT ? sqrt(a) : a * b;
}
template <> __device__ double f<INVERSE_ROOT>(double a, double) { return rsqrt(a); }

template <int OP, class T> __global__ void once(const T *a, const T *b, T *out)
{
    int i = threadIdx.x;
    out[i] = f<OP>(a[i], b[i]);
}

// `n` of the lanes come there
template <class T> __global__ void behind(const T *a, const T *b, T *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        for (int k = 0; k < 2 + i % 2; k++) {
            out[i] = a[i] / b[i];
            __syncwarp(__activemask());
        }
}

// Each turn's quotient is of the last one's: some lanes come to special operands, at different turns.
template <class T> __global__ void turns(const T *a, const T *b, T *out, int n)
{
    int i = threadIdx.x;
    T x = a[i];
    for (int k = 0; k < n; k++)
        x = x / b[i] + T(k & 1);
    out[i] = sqrt(x);
}

struct Kind { const char *name; double a, b; };
static const Kind kinds[] = {{"short", 1.5, 1.25}, {"zero", 0, 3}, {"by_zero", 3, 0}, {"invalid", 0, 0}, {"nan", NAN, 2}, {"by_nan", 2, NAN},
                             {"negative", -1.5, 0.5}, {"tiny", 1e-310, 3}, {"small", 1e-300, 3}, {"tiny32", 1e-40, 3}, {"inf", INFINITY, 3}, {"exact", 4e-310, 2}};

template <class T> void launches(const char *type)
{
    T *a, *b, *out, of_a[LANES], of_b[LANES];
    cudaMalloc(&a, sizeof of_a), cudaMalloc(&b, sizeof of_b), cudaMalloc(&out, sizeof of_a);
    for (const Kind &first : kinds)
        for (const Kind &second : kinds) {
            for (int i = 0; i < LANES; i++) {
                const Kind &k = i % 3 ? first : second;
                of_a[i] = T(k.a), of_b[i] = T(k.b);
            }
            cudaMemcpy(a, of_a, sizeof of_a, cudaMemcpyHostToDevice);
            cudaMemcpy(b, of_b, sizeof of_b, cudaMemcpyHostToDevice);
            auto say = [&](const char *kernel) { printf("LAUNCH %s %s %s %s\n", kernel, type, first.name, second.name); };
            say("divide"), once<DIVIDE><<<1, LANES>>>(a, b, out);
            say("invert"), once<INVERT><<<1, LANES>>>(a, b, out);
            say("root"), once<ROOT><<<1, LANES>>>(a, b, out);
            if (sizeof(T) == 8)
                say("inverse_root"), once<INVERSE_ROOT><<<1, LANES>>>((double *)a, (double *)b, (double *)out);
            say("behind"), behind<<<1, LANES>>>(a, b, out, 7);
            say("turns"), turns<<<2, LANES>>>(a, b, out, 9);
        }
    cudaFree(a), cudaFree(b), cudaFree(out);
}

int main()
{
    launches<float>("f32");
    launches<double>("f64");
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
}
