// cuFFTW: FFTW's interface, beside a transform by its definition; arrays of the host and of the device.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include <cufftw.h>

#include "check.h"

typedef std::complex<double> number;

static double value(int i) { return ((i * 7919 + 13) % 101 - 50) / 32.0; }

// The spectrum of n0 x n1 x n2 numbers.
static std::vector<number> spectrum(const std::vector<number> &x, int n0, int n1, int n2, int sign)
{
    std::vector<number> y(x.size());
    for (int o = 0; o < (int)y.size(); o++)
        for (int i = 0; i < (int)x.size(); i++) {
            const double turn = (double)(o / (n1 * n2)) * (i / (n1 * n2)) / n0 + (double)(o / n2 % n1) * (i / n2 % n1) / n1 + (double)(o % n2) * (i % n2) / n2;
            y[o] += x[i] * std::polar(1.0, sign * 2 * M_PI * turn);
        }
    return y;
}

static bool near(double a, double b, double e) { return fabs(a - b) <= e; }

#define PRECISION(X, R, e)                                                                                                                 \
    static bool same_##X(const R (*y)[2], const std::vector<number> &want)                                                                 \
    {                                                                                                                                      \
        bool is = true;                                                                                                                    \
        for (size_t i = 0; i < want.size(); i++)                                                                                           \
            is = is && near(y[i][0], want[i].real(), e) && near(y[i][1], want[i].imag(), e);                                               \
        return is;                                                                                                                         \
    }                                                                                                                                      \
    static void all_##X()                                                                                                                  \
    {                                                                                                                                      \
        const int n0 = 3, n1 = 4, n2 = 5, n = n0 * n1 * n2, dims[3] = {n0, n1, n2};                                                        \
        X##_complex *in = (X##_complex *)X##_malloc(n * sizeof *in), *out = (X##_complex *)X##_malloc(n * sizeof *out), *device;           \
        std::vector<number> x(n), r(n);                                                                                                    \
        for (int i = 0; i < n; i++) {                                                                                                      \
            in[i][0] = (R)value(i), in[i][1] = (R)value(i + 500);                                                                          \
            x[i] = number(in[i][0], in[i][1]), r[i] = value(i);                                                                            \
        }                                                                                                                                  \
        X##_plan p = X##_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);                                                             \
        X##_execute(p);                                                                                                                    \
        CHECK(p && same_##X(out, spectrum(x, 1, 1, n, -1)));                                                                              \
        X##_destroy_plan(p);                                                                                                               \
        p = X##_plan_dft_2d(n0, n1 * n2, in, out, FFTW_BACKWARD, FFTW_MEASURE);                                                            \
        X##_execute_dft(p, in, out);                                                                                                       \
        CHECK(same_##X(out, spectrum(x, 1, n0, n1 * n2, 1)));                                                                             \
        X##_destroy_plan(p);                                                                                                               \
        p = X##_plan_dft_3d(n0, n1, n2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);                                                             \
        X##_execute(p);                                                                                                                    \
        CHECK(same_##X(out, spectrum(x, n0, n1, n2, -1)));                                                                                \
        cudaMalloc((void **)&device, n * sizeof *device); /* in place, on the device */                                                    \
        cudaMemcpy(device, in, n * sizeof *device, cudaMemcpyHostToDevice);                                                                \
        X##_plan q = X##_plan_dft(3, dims, device, device, FFTW_FORWARD, FFTW_ESTIMATE);                                                   \
        X##_execute(q);                                                                                                                    \
        std::vector<number> whole = spectrum(x, n0, n1, n2, -1);                                                                           \
        cudaMemcpy(out, device, n * sizeof *device, cudaMemcpyDeviceToHost);                                                               \
        CHECK(same_##X(out, whole));                                                                                                      \
        X##_destroy_plan(p), X##_destroy_plan(q);                                                                                          \
        int each = n / 4; /* four, every fourth number */                                                                                  \
        p = X##_plan_many_dft(1, &each, 4, in, NULL, 4, 1, out, NULL, 1, each, FFTW_FORWARD, FFTW_ESTIMATE);                               \
        X##_execute(p);                                                                                                                    \
        whole.clear();                                                                                                                     \
        for (int b = 0; b < 4; b++) {                                                                                                      \
            std::vector<number> part;                                                                                                      \
            for (int i = b; i < n; i += 4)                                                                                                 \
                part.push_back(x[i]);                                                                                                      \
            part = spectrum(part, 1, 1, each, -1);                                                                                         \
            whole.insert(whole.end(), part.begin(), part.end());                                                                           \
        }                                                                                                                                  \
        CHECK(same_##X(out, whole));                                                                                                      \
        X##_destroy_plan(p);                                                                                                               \
        /* real numbers there and back: n times what they were */                                                                          \
        R *real = (R *)X##_malloc(n * sizeof *real), *back = (R *)X##_malloc(n * sizeof *back);                                            \
        const std::vector<number> full = spectrum(r, n0, n1, n2, -1);                                                                      \
        for (int way = 0; way < 5; way++) {                                                                                                \
            for (int i = 0; i < n; i++)                                                                                                    \
                real[i] = (R)value(i), back[i] = 0;                                                                                        \
            p = way == 0   ? X##_plan_dft_r2c_1d(n, real, out, FFTW_ESTIMATE)                                                              \
                : way == 1 ? X##_plan_dft_r2c_2d(n0, n1 * n2, real, out, FFTW_ESTIMATE)                                                    \
                : way == 2 ? X##_plan_dft_r2c_3d(n0, n1, n2, real, out, FFTW_ESTIMATE)                                                     \
                : way == 3 ? X##_plan_dft_r2c(3, dims, real, out, FFTW_ESTIMATE)                                                           \
                           : X##_plan_many_dft_r2c(3, dims, 1, real, NULL, 1, 0, out, NULL, 1, 0, FFTW_ESTIMATE);                          \
            q = way == 0   ? X##_plan_dft_c2r_1d(n, out, back, FFTW_ESTIMATE)                                                              \
                : way == 1 ? X##_plan_dft_c2r_2d(n0, n1 * n2, out, back, FFTW_ESTIMATE)                                                    \
                : way == 2 ? X##_plan_dft_c2r_3d(n0, n1, n2, out, back, FFTW_ESTIMATE)                                                     \
                : way == 3 ? X##_plan_dft_c2r(3, dims, out, back, FFTW_ESTIMATE)                                                           \
                           : X##_plan_many_dft_c2r(3, dims, 1, out, NULL, 1, 0, back, NULL, 1, 0, FFTW_ESTIMATE);                          \
            way % 2 ? X##_execute(p) : X##_execute_dft_r2c(p, real, out);                                                                  \
            bool is = way < 2 || (near(out[4][0], full[6].real(), e) && near(out[4][1], full[6].imag(), e)); /* (0, 1, 1) */               \
            way % 2 ? X##_execute(q) : X##_execute_dft_c2r(q, out, back);                                                                  \
            for (int i = 0; i < n; i++)                                                                                                    \
                is = is && near(back[i], n * value(i), n * e);                                                                             \
            CHECK(is);                                                                                                                    \
            X##_destroy_plan(p), X##_destroy_plan(q);                                                                                      \
        }                                                                                                                                  \
        CHECK(!X##_plan_dft_1d(0, in, out, FFTW_FORWARD, FFTW_ESTIMATE));                                                                 \
        X##_iodim d = {n, 1, 1};                                                                                                           \
        CHECK(!X##_plan_guru_dft(1, &d, 0, NULL, in, out, FFTW_FORWARD, FFTW_ESTIMATE));                                                  \
        CHECK(!X##_plan_guru_dft(1, &d, 0, NULL, in, out, FFTW_FORWARD, FFTW_ESTIMATE)); /* says so, once */                              \
        X##_set_timelimit(1);                                                                                                              \
        X##_free(in), X##_free(out), X##_free(real), X##_free(back);                                                                       \
        X##_cleanup();                                                                                                                     \
    }
PRECISION(fftw, double, 1e-12)
PRECISION(fftwf, float, 1e-4)

int main()
{
    double (*x)[2] = (double (*)[2])fftw_malloc(64);
    fftw_plan p = fftw_plan_dft_1d(4, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!p)
        return 77; // has said which package is missing
    fftw_destroy_plan(p);
    fftw_free(x);
    all_fftw(), all_fftwf();
    printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
