// cuComplex.h on both sides, by hand-computed values; and a*b+c, which the device fuses and the host does not.
#include <cmath>
#include <cstdio>
#include <cuComplex.h>

__host__ __device__ void compute(double *out)
{
    cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, 4), q = cuCdiv(a, b), m = cuCmul(a, b);
    cuFloatComplex f = cuCfmaf(make_cuComplex(1, 2), make_cuComplex(3, 4), make_cuComplex(5, 6));
    cuDoubleComplex s = cuCsub(cuCadd(a, b), cuConj(a));
    const double all[] = {cuCreal(q), cuCimag(q), cuCreal(m), cuCimag(m), cuCrealf(f), cuCimagf(f), cuCreal(s), cuCimag(s),
                          cuCabs(make_cuDoubleComplex(3e200, -4e200)), cuCabsf(make_cuFloatComplex(0, 0)),
                          cuCabsf(make_cuFloatComplex(1, INFINITY)), cuCreal(cuCdiv(a, make_cuDoubleComplex(1e300, 1e300))),
                          cuCimag(cuComplexFloatToDouble(cuComplexDoubleToFloat(make_cuDoubleComplex(0, 0.5))))};
    for (int i = 0; i < 13; i++)
        out[i] = all[i];
}

__global__ void kernel(double *out) { compute(out); }
__host__ __device__ double square_plus(double x, double y) { return x * x + y; }
__global__ void fused(double x, double y, double *out) { *out = square_plus(x, y); }

// (1+2i)/(3+4i) = (11+2i)/25; (1+2i)(3+4i) = -5+10i; that + 5+6i; (1+2i)+(3+4i)-(1-2i); 5e200; 0; inf; 3/2e300; 0.5
static const double expected[13] = {0.44, 0.08, -5, 10, 0, 16, 3, 8, 5e200, 0, INFINITY, 1.5e-300, 0.5};

static int differences(const char *side, const double *got)
{
    int n = 0;
    for (int i = 0; i < 13; i++)
        if (got[i] != expected[i] && !(fabs(got[i] - expected[i]) <= 1e-15 * fabs(expected[i]))) {
            printf("FAILED: %s, value %d is %.17g, expected %.17g\n", side, i, got[i], expected[i]);
            n++;
        }
    return n;
}

int main()
{
    double *d, h[13], x = 2.891903, y = -3.980364;
    cudaMalloc(&d, sizeof h);
    compute(h);
    int bad = differences("host", h);
    kernel<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    bad += differences("device", h);
    // x*x = 8.363102961409 is rounded on the host only: 4.382738961409 there, one unit in the last place more fused
    fused<<<1, 1>>>(x, y, d);
    cudaMemcpy(h, d, sizeof *h, cudaMemcpyDeviceToHost);
    if (square_plus(x, y) != 4.382738961409 || h[0] != fma(x, x, y) || h[0] == square_plus(x, y)) {
        printf("FAILED: %.17g on the host, %.17g on the device\n", square_plus(x, y), h[0]);
        bad++;
    }
    printf(bad ? "%d FAILED\n" : "PASSED\n", bad);
    return bad != 0;
}
