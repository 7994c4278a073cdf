/* FFTW's interface to cuFFT (CUDA's cufftw.h): the functions, types and flags of FFTW 3 that cuFFT has. Arrays may be the host's: an
 * execution copies them to the device and back. What each function does here: docs/cufft.md. */
#ifndef _CUFFTW_H_
#define _CUFFTW_H_

#include <stddef.h>
#include <stdio.h>

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define FFTW_FORWARD (-1)
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1

#define FFTW_ESTIMATE 0x01
#define FFTW_MEASURE 0x02
#define FFTW_PATIENT 0x03
#define FFTW_EXHAUSTIVE 0x04
#define FFTW_WISDOM_ONLY 0x05
#define FFTW_DESTROY_INPUT 0x08
#define FFTW_PRESERVE_INPUT 0x0C
#define FFTW_UNALIGNED 0x10

#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex)
typedef double _Complex fftw_complex; /* a program that has included complex.h */
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

typedef struct {
    int n, is, os;
} fftw_iodim;
typedef struct {
    ptrdiff_t n, is, os;
} fftw_iodim64;
typedef fftw_iodim fftwf_iodim;
typedef fftw_iodim64 fftwf_iodim64;

/* X: fftw or fftwf, R: the type of a real number. A plan that cannot be made is NULL. */
#define HEDDLE_CUFFTW(X, R)                                                                                                            \
    typedef void *X##_plan;                                                                                                            \
    X##_plan X##_plan_dft_1d(int n, X##_complex *in, X##_complex *out, int sign, unsigned flags);                                      \
    X##_plan X##_plan_dft_2d(int n0, int n1, X##_complex *in, X##_complex *out, int sign, unsigned flags);                             \
    X##_plan X##_plan_dft_3d(int n0, int n1, int n2, X##_complex *in, X##_complex *out, int sign, unsigned flags);                     \
    X##_plan X##_plan_dft(int rank, const int *n, X##_complex *in, X##_complex *out, int sign, unsigned flags);                        \
    X##_plan X##_plan_dft_r2c_1d(int n, R *in, X##_complex *out, unsigned flags);                                                      \
    X##_plan X##_plan_dft_r2c_2d(int n0, int n1, R *in, X##_complex *out, unsigned flags);                                             \
    X##_plan X##_plan_dft_r2c_3d(int n0, int n1, int n2, R *in, X##_complex *out, unsigned flags);                                     \
    X##_plan X##_plan_dft_r2c(int rank, const int *n, R *in, X##_complex *out, unsigned flags);                                        \
    X##_plan X##_plan_dft_c2r_1d(int n, X##_complex *in, R *out, unsigned flags);                                                      \
    X##_plan X##_plan_dft_c2r_2d(int n0, int n1, X##_complex *in, R *out, unsigned flags);                                             \
    X##_plan X##_plan_dft_c2r_3d(int n0, int n1, int n2, X##_complex *in, R *out, unsigned flags);                                     \
    X##_plan X##_plan_dft_c2r(int rank, const int *n, X##_complex *in, R *out, unsigned flags);                                        \
    X##_plan X##_plan_many_dft(int rank, const int *n, int batch, X##_complex *in, const int *inembed, int istride, int idist,         \
                               X##_complex *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);                \
    X##_plan X##_plan_many_dft_r2c(int rank, const int *n, int batch, R *in, const int *inembed, int istride, int idist,               \
                                   X##_complex *out, const int *onembed, int ostride, int odist, unsigned flags);                      \
    X##_plan X##_plan_many_dft_c2r(int rank, const int *n, int batch, X##_complex *in, const int *inembed, int istride, int idist,     \
                                   R *out, const int *onembed, int ostride, int odist, unsigned flags);                                \
    void X##_execute(const X##_plan plan);                                                                                             \
    void X##_execute_dft(const X##_plan plan, X##_complex *idata, X##_complex *odata);                                                 \
    void X##_execute_dft_r2c(const X##_plan plan, R *idata, X##_complex *odata);                                                       \
    void X##_execute_dft_c2r(const X##_plan plan, X##_complex *idata, R *odata);                                                       \
    void X##_destroy_plan(X##_plan plan);                                                                                              \
    void *X##_malloc(size_t n);                                                                                                        \
    void X##_free(void *pointer);                                                                                                      \
    void X##_cleanup(void);                                                                                                            \
    void X##_set_timelimit(double seconds);
HEDDLE_CUFFTW(fftw, double)
HEDDLE_CUFFTW(fftwf, float)
#undef HEDDLE_CUFFTW

/* Not there: each says its name once; plans are NULL, numbers 0. */
#define HEDDLE_CUFFTW_NOT_THERE(Y, R)                                                                                                  \
    Y##_plan Y##_plan_guru_dft(int rank, const Y##_iodim *dims, int batch_rank, const Y##_iodim *batch_dims, Y##_complex *in,          \
                               Y##_complex *out, int sign, unsigned flags);                                                            \
    Y##_plan Y##_plan_guru_dft_r2c(int rank, const Y##_iodim *dims, int batch_rank, const Y##_iodim *batch_dims, R *in,                \
                                   Y##_complex *out, unsigned flags);                                                                  \
    Y##_plan Y##_plan_guru_dft_c2r(int rank, const Y##_iodim *dims, int batch_rank, const Y##_iodim *batch_dims, Y##_complex *in,      \
                                   R *out, unsigned flags);                                                                            \
    Y##_plan Y##_plan_guru64_dft(int rank, const Y##_iodim64 *dims, int batch_rank, const Y##_iodim64 *batch_dims, Y##_complex *in,    \
                                 Y##_complex *out, int sign, unsigned flags);                                                          \
    Y##_plan Y##_plan_guru64_dft_r2c(int rank, const Y##_iodim64 *dims, int batch_rank, const Y##_iodim64 *batch_dims, R *in,          \
                                     Y##_complex *out, unsigned flags);                                                                \
    Y##_plan Y##_plan_guru64_dft_c2r(int rank, const Y##_iodim64 *dims, int batch_rank, const Y##_iodim64 *batch_dims,                 \
                                     Y##_complex *in, R *out, unsigned flags);                                                         \
    double Y##_cost(const Y##_plan plan);                                                                                              \
    void Y##_flops(const Y##_plan plan, double *add, double *mul, double *fma);                                                        \
    void Y##_print_plan(const Y##_plan plan);                                                                                          \
    int Y##_import_wisdom_from_file(FILE *file);                                                                                       \
    void Y##_export_wisdom_to_file(FILE *file);
HEDDLE_CUFFTW_NOT_THERE(fftw, double)
HEDDLE_CUFFTW_NOT_THERE(fftwf, float)
#undef HEDDLE_CUFFTW_NOT_THERE

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
