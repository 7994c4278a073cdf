// nvcuda::wmma: every shape, type and layout, from and to global and shared memory, against a product on the host. Numbers are
// small and whole, so results are exact. Besides: fill_fragment, elements of fragments one by one, sums of the other precision.
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
using namespace nvcuda;
static int bad;

// D = A B + C once through global memory, once through shared; LA and so on are leading dimensions.
template <int m, int n, int k, class T, class P, class D, class C, class RowA, class RowB, bool shared>
__global__ void multiply(const P *a, const P *b, const C *c, D *d, int la, int lb, int lc, wmma::layout_t layout)
{
    __shared__ __align__(32) unsigned char memory[32768];
    P *sa = (P *)memory, *sb = (P *)(memory + 8192);
    C *sc = (C *)(memory + 16384);
    D *sd = (D *)(memory + 24576);
    int most = 40 * 40;
    if (shared) {
        for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
            if (i < (int)(8192 / sizeof(P))) sa[i] = a[i], sb[i] = b[i];
            if (i < most && i < (int)(8192 / sizeof(C))) sc[i] = c[i];
            if (i < most && i < (int)(8192 / sizeof(D))) sd[i] = d[i];
        }
        __syncthreads();
    }
    wmma::fragment<wmma::matrix_a, m, n, k, T, RowA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, RowB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fa, shared ? sa : a, la);
    wmma::load_matrix_sync(fb, shared ? sb : b, lb);
    wmma::load_matrix_sync(fc, shared ? sc : c, lc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    if (!shared) {
        wmma::store_matrix_sync(d, fd, lc, layout);
        return;
    }
    wmma::store_matrix_sync(sd, fd, lc, layout);
    __syncthreads();
    for (int i = threadIdx.x; i < most && i < (int)(8192 / sizeof(D)); i += blockDim.x) d[i] = sd[i];
}

template <class T> static T make(int v) { return (T)v; }
template <> __half make<__half>(int v) { return __float2half((float)v); }
template <> __nv_bfloat16 make<__nv_bfloat16>(int v) { return __float2bfloat16((float)v); }
template <class T> static double value(T v) { return (double)v; }
template <> double value<__half>(__half v) { return __half2float(v); }
template <> double value<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }

static unsigned state = 1;
static int number(bool positive)
{
    state = state * 1664525 + 1013904223;
    return (int)(state >> 20) % 9 - (positive ? 0 : 4);
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *p;
    CK(cudaMalloc(&p, 32768));
    CK(cudaMemset(p, 0, 32768));
    CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <int m, int n, int k, class T, class P, class D, class C, class RowA, class RowB, bool shared> static void check(const char *name, wmma::layout_t layout)
{
    bool ra = std::is_same<RowA, wmma::row_major>::value, rb = std::is_same<RowB, wmma::row_major>::value, rc = layout == wmma::mem_row_major;
    int pad = 16 / (int)sizeof(P), padc = 16 / (int)(sizeof(C) < sizeof(D) ? sizeof(C) : sizeof(D));
    int la = (ra ? k : m) + pad, lb = (rb ? n : k) + pad, lc = (rc ? n : m) + padc;
    std::vector<P> a(m * k * 4 + 1024), b(n * k * 4 + 1024);
    std::vector<C> c(40 * 40);
    std::vector<D> d(40 * 40, make<D>(77));
    for (auto &x : a) x = make<P>(number(std::is_same<P, unsigned char>::value));
    for (auto &x : b) x = make<P>(number(std::is_same<P, unsigned char>::value));
    for (auto &x : c) x = make<C>(number(false));
    P *da = upload(a), *db = upload(b);
    C *dc = upload(c);
    D *dd = upload(d);
    multiply<m, n, k, T, P, D, C, RowA, RowB, shared><<<1, 32>>>(da, db, dc, dd, la, lb, lc, layout);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(d.data(), dd, d.size() * sizeof(D), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int at = rc ? i * lc + j : j * lc + i;
            double want = value(c[at]);
            for (int x = 0; x < k; x++)
                want += value(a[ra ? i * la + x : x * la + i]) * value(b[rb ? x * lb + j : j * lb + x]);
            if (value(d[at]) != want && bad++ < 20)
                printf("%s, %d%d%d%d (%d, %d): %g, not %g\n", name, ra, rb, rc, shared, i, j, value(d[at]), want);
        }
    for (int outer = 0; outer < (rc ? m : n); outer++) // what lies between the rows stays
        for (int i = rc ? n : m; i < lc; i++)
            if (value(d[outer * lc + i]) != 77 && bad++ < 20)
                printf("%s, %d%d%d%d: %d behind row %d was written\n", name, ra, rb, rc, shared, i, outer);
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dc)); CK(cudaFree(dd));
}

template <int m, int n, int k, class T, class P, class D, class C, class RowA, class RowB> static void memories(const char *name)
{
    check<m, n, k, T, P, D, C, RowA, RowB, false>(name, wmma::mem_row_major);
    check<m, n, k, T, P, D, C, RowA, RowB, true>(name, wmma::mem_col_major);
    check<m, n, k, T, P, D, C, RowA, RowB, true>(name, wmma::mem_row_major);
    check<m, n, k, T, P, D, C, RowA, RowB, false>(name, wmma::mem_col_major);
}

template <int m, int n, int k, class T, class P, class D, class C> static void layouts(const char *name)
{
    memories<m, n, k, T, P, D, C, wmma::row_major, wmma::row_major>(name);
    memories<m, n, k, T, P, D, C, wmma::row_major, wmma::col_major>(name);
    memories<m, n, k, T, P, D, C, wmma::col_major, wmma::row_major>(name);
    memories<m, n, k, T, P, D, C, wmma::col_major, wmma::col_major>(name);
}

template <int m, int n> static void shape(const char *name)
{
    layouts<m, n, 16, __half, __half, float, float>(name);
    layouts<m, n, 16, __half, __half, __half, __half>(name);
    layouts<m, n, 16, __nv_bfloat16, __nv_bfloat16, float, float>(name);
    layouts<m, n, 16, signed char, signed char, int, int>(name);
    layouts<m, n, 16, unsigned char, unsigned char, int, int>(name);
    memories<m, n, 16, __half, __half, float, __half, wmma::row_major, wmma::col_major>(name);
    memories<m, n, 16, __half, __half, __half, float, wmma::row_major, wmma::col_major>(name);
}

// Elements one by one: D = 2 (A B) with the halving and doubling in fragments; D is also C.
__global__ void elements(const __half *a, const __half *b, float *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
    wmma::fill_fragment(f, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = __hmul(fa.x[i], __float2half(0.5f));
    for (int i = 0; i < 2; i++) wmma::mma_sync(f, fa, fb, f);
    for (int i = 0; i < f.num_elements; i++) f.x[i] = 2 * f.x[i];
    wmma::store_matrix_sync(d, f, 16, wmma::mem_row_major);
}

static void check_elements()
{
    std::vector<__half> a(256), b(256);
    std::vector<float> d(256);
    for (auto &x : a) x = make<__half>(2 * number(false));
    for (auto &x : b) x = make<__half>(number(false));
    __half *da = upload(a), *db = upload(b);
    float *dd = upload(d);
    elements<<<1, 32>>>(da, db, dd);
    CK(cudaMemcpy(d.data(), dd, 1024, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            double want = 2;
            for (int k = 0; k < 16; k++) want += 2 * value(a[i * 16 + k]) * value(b[j * 16 + k]);
            if (d[i * 16 + j] != want && bad++ < 20) printf("elements (%d, %d): %g, not %g\n", i, j, d[i * 16 + j], want);
        }
}

// Nibbles and bits.
using namespace wmma::experimental;
template <class T> __global__ void nibbles(const void *a, const void *b, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> f;
    wmma::fill_fragment(f, 5);
    wmma::load_matrix_sync(fa, a, 64);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::mma_sync(f, fa, fb, f);
    wmma::store_matrix_sync(d, f, 8, wmma::mem_row_major);
}

__global__ void bits(const void *a, const void *b, int *d, bmmaBitOp op)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> f;
    wmma::fill_fragment(f, 5);
    wmma::load_matrix_sync(fa, a, 256);
    wmma::load_matrix_sync(fb, b, 128);
    wmma::bmma_sync(f, fa, fb, f, op);
    wmma::store_matrix_sync(d, f, 8, wmma::mem_row_major);
}

static void check_small()
{
    std::vector<unsigned char> a(512), b(512);
    std::vector<int> d(64);
    for (auto &x : a) x = (unsigned char)(number(false) * 37);
    for (auto &x : b) x = (unsigned char)(number(false) * 51);
    unsigned char *da = upload(a), *db = upload(b);
    int *dd = upload(d);
    for (int round = 0; round < 4; round++) {
        if (round == 0) nibbles<precision::s4><<<1, 32>>>(da, db, dd);
        if (round == 1) nibbles<precision::u4><<<1, 32>>>(da, db, dd);
        if (round >= 2) bits<<<1, 32>>>(da, db, dd, round == 2 ? bmmaBitOpXOR : bmmaBitOpAND);
        CK(cudaMemcpy(d.data(), dd, 256, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int want = 5;
                for (int k = 0; k < 32 && round < 2; k++) {
                    int x = a[i * 32 + k / 2] >> k % 2 * 4 & 15, y = b[j * 16 + k / 2] >> k % 2 * 4 & 15;
                    want += round ? x * y : ((x ^ 8) - 8) * ((y ^ 8) - 8);
                }
                for (int k = 0; k < 128 && round >= 2; k++) {
                    int x = a[i * 32 + k / 8] >> k % 8 & 1, y = b[j * 16 + k / 8] >> k % 8 & 1;
                    want += round == 2 ? x ^ y : x & y;
                }
                if (d[i * 8 + j] != want && bad++ < 20) printf("small %d (%d, %d): %d, not %d\n", round, i, j, d[i * 8 + j], want);
            }
    }
}

int main(int argc, char **)
{
    if (argc > 1) { // a sample, for executors that take long to begin
        memories<16, 16, 16, __half, __half, float, float, wmma::row_major, wmma::col_major>("m16n16k16");
        memories<8, 32, 16, signed char, signed char, int, int, wmma::col_major, wmma::col_major>("m8n32k16 s8");
        memories<32, 8, 16, __half, __half, __half, float, wmma::row_major, wmma::row_major>("m32n8k16, f16");
        check_elements();
        check_small();
        printf(bad ? "FAILED\n" : "PASSED\n");
        return bad != 0;
    }
    shape<16, 16>("m16n16k16");
    shape<32, 8>("m32n8k16");
    shape<8, 32>("m8n32k16");
    layouts<16, 16, 8, wmma::precision::tf32, float, float, float>("m16n16k8 tf32");
    layouts<8, 8, 4, double, double, double, double>("m8n8k4 f64");
    check_elements();
    check_small();
    printf(bad ? "FAILED\n" : "PASSED\n");
    return bad != 0;
}
