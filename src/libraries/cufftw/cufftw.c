/* FFTW's interface on cuFFT's: a plan keeps its arrays and a plan of cuFFT with explicit strides; an execution waits for its end.
 *
 * Arrays that the device does not reach are copied there and back, gaps between their numbers too. Guru plans (strides of any order)
 * are refused by name: their plan is NULL. */
#include "cufftw.h"

#include <stdbool.h>
#include <stdlib.h>

#include "runtime/library.h"

enum form { C2C, R2C, C2R };

struct wrapped {
    cufftHandle plan;
    cufftType type;
    int sign;
    void *in, *out;
    size_t in_bytes, out_bytes; /* from the first to the last number */
};

/* One side of a plan, in elements. */
struct side {
    const int *embed; /* NULL: the numbers' own sizes */
    int stride, dist;
};

struct request {
    int rank, batch;
    const int *n;
    bool is_double;
    enum form form;
    int sign;
    void *in, *out;
    struct side i, o;
};

/* --- plans --- */

enum { RANK = 3 };

static bool is_real(const struct request *r, bool out)
{
    return r->form == (out ? C2R : R2C);
}

/* Sizes of the side's last axis: of half a spectrum, and of real rows that are padded in place. */
static int last(const struct request *r, bool out)
{
    const int n = r->n[r->rank - 1];
    return is_real(r, !out) ? n / 2 + 1 : is_real(r, out) && r->in == r->out ? 2 * (n / 2 + 1) : n;
}

static void fill(const struct request *r, bool out, int *embed, int *stride, int *dist, size_t *bytes)
{
    const struct side *s = out ? &r->o : &r->i;
    size_t step = (size_t)s->stride, reach = 0;
    for (int a = r->rank - 1; a >= 0; step *= (size_t)embed[a], a--) {
        const int along = a == r->rank - 1 && is_real(r, !out) ? r->n[a] / 2 + 1 : r->n[a];
        embed[a] = s->embed ? s->embed[a] : a == r->rank - 1 ? last(r, out) : r->n[a];
        reach += (size_t)(along - 1) * step;
    }
    *stride = s->stride;
    *dist = s->dist > 0 ? s->dist : (int)step;
    *bytes = (reach + (size_t)(r->batch - 1) * (size_t)*dist + 1) * (r->is_double ? 8 : 4) * (is_real(r, out) ? 1 : 2);
}

static void *make(const struct request *r)
{
    static const cufftType types[2][3] = {{CUFFT_C2C, CUFFT_R2C, CUFFT_C2R}, {CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D}};
    int n[RANK], i[RANK], o[RANK], istride, idist, ostride, odist;
    if (r->rank < 1 || r->rank > RANK || !r->n || r->batch < 1)
        return NULL;
    for (int a = 0; a < r->rank; a++)
        if ((n[a] = r->n[a]) < 1)
            return NULL;
    struct wrapped *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct wrapped){.type = types[r->is_double][r->form], .sign = r->sign, .in = r->in, .out = r->out};
    fill(r, false, i, &istride, &idist, &w->in_bytes);
    fill(r, true, o, &ostride, &odist, &w->out_bytes);
    if (cufftPlanMany(&w->plan, r->rank, n, i, istride, idist, o, ostride, odist, w->type, r->batch) == CUFFT_SUCCESS)
        return w;
    free(w);
    return NULL;
}

/* --- executions --- */

static void transform(const struct wrapped *w, void *in, void *out)
{
    switch (w->type) {
    case CUFFT_C2C:
        cufftExecC2C(w->plan, in, out, w->sign);
        break;
    case CUFFT_R2C:
        cufftExecR2C(w->plan, in, out);
        break;
    case CUFFT_C2R:
        cufftExecC2R(w->plan, in, out);
        break;
    case CUFFT_Z2Z:
        cufftExecZ2Z(w->plan, in, out, w->sign);
        break;
    case CUFFT_D2Z:
        cufftExecD2Z(w->plan, in, out);
        break;
    default:
        cufftExecZ2D(w->plan, in, out);
    }
}

/* Where the device has the array: itself, or a copy (own). NULL: no memory. */
static void *to_device(void *p, size_t bytes, bool *own)
{
    void *d = NULL;
    *own = !library_on_device(p);
    if (!*own)
        return p;
    if (cudaMalloc(&d, bytes) == cudaSuccess && cudaMemcpy(d, p, bytes, cudaMemcpyHostToDevice) == cudaSuccess)
        return d;
    cudaFree(d);
    return NULL;
}

static void from_device(void *p, void *d, size_t bytes, bool own)
{
    if (own)
        cudaMemcpy(p, d, bytes, cudaMemcpyDeviceToHost);
}

static void execute(const struct wrapped *w, void *in, void *out)
{
    const size_t both = w->in_bytes > w->out_bytes ? w->in_bytes : w->out_bytes;
    bool own_in = false, own_out = false;
    void *a = to_device(in, in == out ? both : w->in_bytes, &own_in);
    void *b = in == out ? a : to_device(out, w->out_bytes, &own_out);
    if (a && b) {
        transform(w, a, b);
        cudaStreamSynchronize(0);
        from_device(out, b, in == out ? both : w->out_bytes, in == out ? own_in : own_out);
        from_device(in, a, w->in_bytes, own_in && in != out); /* several dimensions to real numbers overwrite it */
    }
    if (own_in)
        cudaFree(a);
    if (own_out)
        cudaFree(b);
}

static void destroy(struct wrapped *w)
{
    if (w)
        cufftDestroy(w->plan);
    free(w);
}

static void *refuse(const char *what)
{
    library_refuse(what);
    return NULL;
}

/* --- entries --- */

#define EACH(X, R, is_double)                                                                                                                      \
    static void *X##_make(enum form form, int rank, const int *n, int batch, void *in, struct side i, void *out, struct side o, int sign)          \
    {                                                                                                                                              \
        return make(&(struct request){rank, batch, n, is_double, form, sign, in, out, i, o});                                                      \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_1d(int n, X##_complex *in, X##_complex *out, int sign, unsigned flags)                                                   \
    {                                                                                                                                              \
        return X##_plan_dft(1, &n, in, out, sign, flags);                                                                                          \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_2d(int n0, int n1, X##_complex *in, X##_complex *out, int sign, unsigned flags)                                          \
    {                                                                                                                                              \
        return X##_plan_dft(2, (int[]){n0, n1}, in, out, sign, flags);                                                                             \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_3d(int n0, int n1, int n2, X##_complex *in, X##_complex *out, int sign, unsigned flags)                                  \
    {                                                                                                                                              \
        return X##_plan_dft(3, (int[]){n0, n1, n2}, in, out, sign, flags);                                                                         \
    }                                                                                                                                              \
    X##_plan X##_plan_dft(int rank, const int *n, X##_complex *in, X##_complex *out, int sign, unsigned flags)                                     \
    {                                                                                                                                              \
        return X##_plan_many_dft(rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, sign, flags);                                                        \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_r2c_1d(int n, R *in, X##_complex *out, unsigned flags)                                                                   \
    {                                                                                                                                              \
        return X##_plan_dft_r2c(1, &n, in, out, flags);                                                                                            \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_r2c_2d(int n0, int n1, R *in, X##_complex *out, unsigned flags)                                                          \
    {                                                                                                                                              \
        return X##_plan_dft_r2c(2, (int[]){n0, n1}, in, out, flags);                                                                               \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_r2c_3d(int n0, int n1, int n2, R *in, X##_complex *out, unsigned flags)                                                  \
    {                                                                                                                                              \
        return X##_plan_dft_r2c(3, (int[]){n0, n1, n2}, in, out, flags);                                                                           \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_r2c(int rank, const int *n, R *in, X##_complex *out, unsigned flags)                                                     \
    {                                                                                                                                              \
        return X##_plan_many_dft_r2c(rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, flags);                                                          \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_c2r_1d(int n, X##_complex *in, R *out, unsigned flags)                                                                   \
    {                                                                                                                                              \
        return X##_plan_dft_c2r(1, &n, in, out, flags);                                                                                            \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_c2r_2d(int n0, int n1, X##_complex *in, R *out, unsigned flags)                                                          \
    {                                                                                                                                              \
        return X##_plan_dft_c2r(2, (int[]){n0, n1}, in, out, flags);                                                                               \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_c2r_3d(int n0, int n1, int n2, X##_complex *in, R *out, unsigned flags)                                                  \
    {                                                                                                                                              \
        return X##_plan_dft_c2r(3, (int[]){n0, n1, n2}, in, out, flags);                                                                           \
    }                                                                                                                                              \
    X##_plan X##_plan_dft_c2r(int rank, const int *n, X##_complex *in, R *out, unsigned flags)                                                     \
    {                                                                                                                                              \
        return X##_plan_many_dft_c2r(rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, flags);                                                          \
    }                                                                                                                                              \
    X##_plan X##_plan_many_dft(int rank, const int *n, int batch, X##_complex *in, const int *inembed, int istride, int idist, X##_complex *out,   \
                               const int *onembed, int ostride, int odist, int sign, unsigned flags)                                               \
    {                                                                                                                                              \
        (void)flags;                                                                                                                               \
        return X##_make(C2C, rank, n, batch, in, (struct side){inembed, istride, idist}, out, (struct side){onembed, ostride, odist}, sign);       \
    }                                                                                                                                              \
    X##_plan X##_plan_many_dft_r2c(int rank, const int *n, int batch, R *in, const int *inembed, int istride, int idist, X##_complex *out,         \
                                   const int *onembed, int ostride, int odist, unsigned flags)                                                     \
    {                                                                                                                                              \
        (void)flags;                                                                                                                               \
        return X##_make(R2C, rank, n, batch, in, (struct side){inembed, istride, idist}, out, (struct side){onembed, ostride, odist}, -1);         \
    }                                                                                                                                              \
    X##_plan X##_plan_many_dft_c2r(int rank, const int *n, int batch, X##_complex *in, const int *inembed, int istride, int idist, R *out,         \
                                   const int *onembed, int ostride, int odist, unsigned flags)                                                     \
    {                                                                                                                                              \
        (void)flags;                                                                                                                               \
        return X##_make(C2R, rank, n, batch, in, (struct side){inembed, istride, idist}, out, (struct side){onembed, ostride, odist}, 1);          \
    }                                                                                                                                              \
    GURU(X, R, guru, iodim)                                                                                                                        \
    GURU(X, R, guru64, iodim64)                                                                                                                    \
    void X##_execute(const X##_plan plan)                                                                                                          \
    {                                                                                                                                              \
        const struct wrapped *w = plan;                                                                                                            \
        if (w)                                                                                                                                     \
            execute(w, w->in, w->out);                                                                                                             \
    }                                                                                                                                              \
    void X##_execute_dft(const X##_plan plan, X##_complex *in, X##_complex *out)                                                                   \
    {                                                                                                                                              \
        if (plan)                                                                                                                                  \
            execute(plan, in, out);                                                                                                                \
    }                                                                                                                                              \
    void X##_execute_dft_r2c(const X##_plan plan, R *in, X##_complex *out)                                                                         \
    {                                                                                                                                              \
        if (plan)                                                                                                                                  \
            execute(plan, in, out);                                                                                                                \
    }                                                                                                                                              \
    void X##_execute_dft_c2r(const X##_plan plan, X##_complex *in, R *out)                                                                         \
    {                                                                                                                                              \
        if (plan)                                                                                                                                  \
            execute(plan, in, out);                                                                                                                \
    }                                                                                                                                              \
    void X##_destroy_plan(X##_plan plan)                                                                                                           \
    {                                                                                                                                              \
        destroy(plan);                                                                                                                             \
    }                                                                                                                                              \
    void *X##_malloc(size_t n)                                                                                                                     \
    {                                                                                                                                              \
        void *p;                                                                                                                                   \
        return posix_memalign(&p, 64, n) ? NULL : p;                                                                                               \
    }                                                                                                                                              \
    void X##_free(void *pointer)                                                                                                                   \
    {                                                                                                                                              \
        free(pointer);                                                                                                                             \
    }                                                                                                                                              \
    void X##_cleanup(void)                                                                                                                         \
    {                                                                                                                                              \
    }                                                                                                                                              \
    void X##_set_timelimit(double seconds)                                                                                                         \
    {                                                                                                                                              \
        (void)seconds; /* every plan is an estimate */                                                                                             \
    }                                                                                                                                              \
    double X##_cost(const X##_plan plan)                                                                                                           \
    {                                                                                                                                              \
        (void)plan;                                                                                                                                \
        library_refuse(#X "_cost");                                                                                                                \
        return 0;                                                                                                                                  \
    }                                                                                                                                              \
    void X##_flops(const X##_plan plan, double *add, double *mul, double *fma)                                                                     \
    {                                                                                                                                              \
        (void)plan;                                                                                                                                \
        library_refuse(#X "_flops");                                                                                                               \
        *add = *mul = *fma = 0;                                                                                                                    \
    }                                                                                                                                              \
    void X##_print_plan(const X##_plan plan)                                                                                                       \
    {                                                                                                                                              \
        (void)plan;                                                                                                                                \
        library_refuse(#X "_print_plan");                                                                                                          \
    }                                                                                                                                              \
    int X##_import_wisdom_from_file(FILE *file)                                                                                                    \
    {                                                                                                                                              \
        (void)file;                                                                                                                                \
        library_refuse(#X "_import_wisdom_from_file");                                                                                             \
        return 0;                                                                                                                                  \
    }                                                                                                                                              \
    void X##_export_wisdom_to_file(FILE *file)                                                                                                     \
    {                                                                                                                                              \
        (void)file;                                                                                                                                \
        library_refuse(#X "_export_wisdom_to_file");                                                                                               \
    }

/* Plans by strides of any order. */
#define GURU(X, R, kind, iodim)                                                                                                                   \
    X##_plan X##_plan_##kind##_dft(int rank, const X##_##iodim *dims, int batch_rank, const X##_##iodim *batches, X##_complex *in,                 \
                                   X##_complex *out, int sign, unsigned flags)                                                                     \
    {                                                                                                                                              \
        (void)rank, (void)dims, (void)batch_rank, (void)batches, (void)in, (void)out, (void)sign, (void)flags;                                     \
        return refuse(#X "_plan_" #kind "_dft");                                                                                                   \
    }                                                                                                                                              \
    X##_plan X##_plan_##kind##_dft_r2c(int rank, const X##_##iodim *dims, int batch_rank, const X##_##iodim *batches, R *in, X##_complex *out,     \
                                       unsigned flags)                                                                                             \
    {                                                                                                                                              \
        (void)rank, (void)dims, (void)batch_rank, (void)batches, (void)in, (void)out, (void)flags;                                                 \
        return refuse(#X "_plan_" #kind "_dft_r2c");                                                                                               \
    }                                                                                                                                              \
    X##_plan X##_plan_##kind##_dft_c2r(int rank, const X##_##iodim *dims, int batch_rank, const X##_##iodim *batches, X##_complex *in, R *out,     \
                                       unsigned flags)                                                                                             \
    {                                                                                                                                              \
        (void)rank, (void)dims, (void)batch_rank, (void)batches, (void)in, (void)out, (void)flags;                                                 \
        return refuse(#X "_plan_" #kind "_dft_c2r");                                                                                               \
    }

EACH(fftw, double, true)
EACH(fftwf, float, false)
