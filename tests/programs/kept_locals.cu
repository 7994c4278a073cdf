// Words of a small local array that are copied, overwritten and read again keep their values and their types: the front end hides from
// its optimizer that a stored word was loaded (compile/plugin_stores.cpp), which must not change what is stored.
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned long long u64;
static bool failed;

__global__ void converted(const double *d, const unsigned *w, u64 *out, u64 q)
{
    u64 a[4] = {__double2ull_rd(d[threadIdx.x]), 7 + q, q ? 3 / q : 0};
    for (unsigned i = 3; i < 4; i++) a[i] = a[i - 3];
    a[w[threadIdx.x] % 4] = threadIdx.x;
    out[threadIdx.x] = a[0] + 1000 * a[3];
}

__global__ void summed(const float *d, const unsigned *w, u64 *out, u64 q)
{
    float a[4] = {d[threadIdx.x] + 1, (float)q, 3};
    a[3] = a[0];
    a[w[threadIdx.x] % 4] = -2;
    a[1] = a[3];
    out[threadIdx.x] = (u64)(100 + a[0]) + 1000 * (u64)(100 + a[1]);
}

static void expect(const char *what, int i, u64 have, u64 want)
{
    if (have != want) {
        printf("FAILED: %s[%d] is %llu, not %llu\n", what, i, have, want);
        failed = true;
    }
}

int main()
{
    double *d; float *f; unsigned *w; u64 *out;
    cudaMallocManaged(&d, 64 * sizeof *d);
    cudaMallocManaged(&f, 64 * sizeof *f);
    cudaMallocManaged(&w, 64 * sizeof *w);
    cudaMallocManaged(&out, 64 * sizeof *out);
    for (int i = 0; i < 64; i++) {
        d[i] = 100.5 + i;
        f[i] = (float)i;
        w[i] = i;
    }
    converted<<<1, 64>>>(d, w, out, ~0ull);
    cudaDeviceSynchronize();
    for (u64 i = 0; i < 64; i++)
        expect("converted", i, out[i], (i % 4 == 0 ? i : 100 + i) + 1000 * (i % 4 == 3 ? i : 100 + i));
    summed<<<1, 64>>>(f, w, out, 9);
    cudaDeviceSynchronize();
    for (u64 i = 0; i < 64; i++)
        expect("summed", i, out[i], (i % 4 == 0 ? 98 : 101 + i) + 1000 * (i % 4 == 3 ? 98 : 101 + i));
    printf("%s\n", failed ? "FAILED" : "PASSED");
    return failed;
}
