// Half and bfloat16 on device and host: the same functions must give the same bits, and known sums must come out.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 4096 };

template <class H> struct outcome { unsigned short add, mul, div, neg; float back; int truth; };

template <class H> __host__ __device__ outcome<H> both(H a, H b)
{
    outcome<H> r;
    H s = a + b, p = a * b, q = a / b, n = -a;
    memcpy(&r.add, &s, 2); memcpy(&r.mul, &p, 2); memcpy(&r.div, &q, 2); memcpy(&r.neg, &n, 2);
    r.back = (float)a;
    r.truth = (a < b) | (a == b) << 1 | (a != b) << 2 | __hisnan(a) << 3;
    return r;
}

template <class H> __global__ void run(const H *a, const H *b, outcome<H> *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = both(a[i], b[i]);
}

static unsigned seed = 12345;
static unsigned rnd() { return seed = seed * 1664525u + 1013904223u; }

static bool is_nan(unsigned short h, unsigned inf) { return (h & 0x7fffu) > inf; }

template <class H> int compare(const char *name, unsigned inf)
{
    std::vector<H> a(N), b(N);
    std::vector<outcome<H>> got(N);
    for (int i = 0; i < N; i++) {
        unsigned short x = rnd() >> 16, y = rnd() >> 16;
        memcpy(&a[i], &x, 2); memcpy(&b[i], &y, 2);
    }
    H *da, *db; outcome<H> *out;
    cudaMalloc(&da, N * 2); cudaMalloc(&db, N * 2); cudaMalloc(&out, N * sizeof *out);
    cudaMemcpy(da, a.data(), N * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), N * 2, cudaMemcpyHostToDevice);
    run<<<N / 128, 128>>>(da, db, out);
    if (cudaMemcpy(got.data(), out, N * sizeof *out, cudaMemcpyDeviceToHost)) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
    int bad = 0;
    for (int i = 0; i < N; i++) {
        outcome<H> w = both(a[i], b[i]), g = got[i];
        auto same = [inf](unsigned short x, unsigned short y) { return x == y || (is_nan(x, inf) && is_nan(y, inf)); };
        bool ok = same(w.add, g.add) && same(w.mul, g.mul) && same(w.div, g.div) && same(w.neg, g.neg) && w.truth == g.truth &&
                  (w.back == g.back || (w.back != w.back && g.back != g.back));
        if (!ok && bad++ < 3)
            printf("%s %d: %04x %04x %04x %d, host %04x %04x %04x %d\n", name, i, g.add, g.mul, g.div, g.truth, w.add, w.mul, w.div, w.truth);
    }
    cudaFree(da); cudaFree(db); cudaFree(out);
    return bad;
}

__global__ void pairs(float *out)
{
    __half2 a = __floats2half2_rn(1.5f, -2.0f), b = __float2half2_rn(2.0f);
    __half2 f = __hfma2(a, b, __halves2half2(__float2half(1.0f), __float2half(0.5f))); /* 4, -3.5 */
    __nv_bfloat162 g = __hmul2(__floats2bfloat162_rn(3.0f, 0.25f), __float2bfloat162_rn(2.0f)); /* 6, 0.5 */
    __half2 s = __shfl_xor_sync(0xffffffffu, __half2half2(__int2half_rn(threadIdx.x)), 1);
    if (threadIdx.x == 0) {
        out[0] = __low2float(f); out[1] = __high2float(f);
        out[2] = __low2float(g); out[3] = __high2float(g);
        out[4] = __high2float(s);
        out[5] = __half2float(hsqrt(__float2half(9.0f)));
        out[6] = __half2float(__hmax(__float2half(-1.0f), __float2half(-2.0f)));
        out[7] = __half2float(__hadd_sat(__float2half(0.75f), __float2half(0.5f)));
        out[8] = __half2float(__float2half_rz(2049.0f)) + __half2float(__float2half_ru(2049.0f)); /* 2048 + 2050 */
        out[9] = (float)__half2int_rn(__float2half(2.5f)) + (__hbgt2(b, a) ? 10 : 0) + __hgt2(b, a).y.operator float() * 100;
    }
}

__global__ void sum(__half *h, __half2 *h2)
{
    atomicAdd(h, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
}

int main()
{
    int bad = compare<__half>("half", 0x7c00) + compare<__nv_bfloat16>("bfloat16", 0x7f80);
    static const float want[10] = {4, -3.5f, 6, 0.5f, 1, 3, -1, 1, 4098, 112};
    float got[10], *out;
    cudaMalloc(&out, sizeof got);
    pairs<<<1, 32>>>(out);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)) bad++;
    for (int i = 0; i < 10; i++)
        if (got[i] != want[i]) { printf("pairs %d: %g, not %g\n", i, got[i], want[i]); bad++; }
    __half *h; __half2 *h2, back2; __half back[2];
    cudaMalloc(&h, 4); cudaMalloc(&h2, 4); cudaMemset(h, 0, 4); cudaMemset(h2, 0, 4);
    sum<<<2, 100>>>(h + 1, h2);
    cudaMemcpy(back, h, 4, cudaMemcpyDeviceToHost); cudaMemcpy(&back2, h2, 4, cudaMemcpyDeviceToHost);
    if ((float)back[0] != 0 || (float)back[1] != 200 || (float)back2.x != 200 || (float)back2.y != 400) { printf("atomicAdd: %g %g\n", (float)back[1], (float)back2.y); bad++; }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
