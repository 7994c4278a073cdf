/* cuFFT's transforms: a call of the library in the plan's stream (runtime/library.h), which FFTW computes.
 *
 * Numbers of FFTW's own precisions are transformed where they lie. 16-bit ones, and what FFTW has no plan for (in place with
 * strides that differ), are packed without gaps before and unpacked behind.
 * Operations: 5 N log2 N for a complex transform of N numbers, half of that for a real one: what FFT benchmarks count (FFTW's
 * "FFT Benchmark Methodology"), whatever the algorithm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libraries/cufft/fftw.h"
#include "libraries/cufft/plan.h"
#include "libraries/numbers.h"
#include "runtime/library.h"

/* One execution. */
struct run {
    struct plan *plan;
    void *in, *out; /* as the caller gave them */
    int direction;
};

static bool in_place(const struct run *r)
{
    return r->in == r->out;
}

/* --- packing --- */

/* Walks over all elements of a side, in row order, batch after batch: an axis that a transform does not have counts to 1. */
struct walk {
    long long n[PLAN_RANK + 1], step[PLAN_RANK + 1]; /* slowest first; bytes */
};

static struct walk walk_of(const struct plan_shape *s, const struct plan_axis *axis, bool out)
{
    struct walk w = {.n = {1, 1, 1, 1}};
    w.n[0] = axis[s->rank].n;
    w.step[0] = out ? axis[s->rank].out : axis[s->rank].in;
    for (int i = 0; i < s->rank; i++) {
        int to = PLAN_RANK - s->rank + i + 1;
        w.n[to] = plan_along(s, axis, i, out);
        w.step[to] = out ? axis[i].out : axis[i].in;
    }
    return w;
}

static long long walk_count(const struct walk *w)
{
    return w->n[0] * w->n[1] * w->n[2] * w->n[3];
}

/* `scalars` numbers from an element to its packed place, or back; returns the next packed place. */
static char *move(enum plan_precision precision, int scalars, char *at, char *packed, bool pack)
{
    const size_t wide = precision == PLAN_DOUBLE ? sizeof(double) : sizeof(float);
    if (precision == PLAN_SINGLE || precision == PLAN_DOUBLE) {
        memcpy(pack ? packed : at, pack ? at : packed, wide * (size_t)scalars);
        return packed + wide * (size_t)scalars;
    }
    const bool half = precision == PLAN_HALF;
    for (int i = 0; i < scalars; i++) {
        uint16_t *narrow = (uint16_t *)at + i;
        float *f = (float *)packed + i;
        if (pack)
            *f = half ? number_from_half(*narrow) : number_from_bfloat16(*narrow);
        else
            *narrow = half ? number_to_half(*f) : number_to_bfloat16(*f);
    }
    return packed + wide * (size_t)scalars;
}

static void move_all(const struct plan_shape *s, const struct walk *w, bool out, char *base, char *packed)
{
    const int scalars = s->form == (out ? PLAN_C2R : PLAN_R2C) ? 1 : 2;
    for (long long b = 0; b < w->n[0]; b++)
        for (long long i = 0; i < w->n[1]; i++)
            for (long long j = 0; j < w->n[2]; j++)
                for (long long k = 0; k < w->n[3]; k++)
                    packed = move(s->precision, scalars, base + b * w->step[0] + i * w->step[1] + j * w->step[2] + k * w->step[3], packed, !out);
}

/* The axes of the packed transform. */
static void pack_axes(const struct plan_shape *s, struct plan_axis *axis)
{
    struct plan_shape packed = *s;
    packed.basic = true;
    packed.precision = s->precision == PLAN_DOUBLE ? PLAN_DOUBLE : PLAN_SINGLE;
    plan_axes(&packed, false, axis);
}

/* --- at the call's turn --- */

static void problem_of(const struct run *r, struct fftw_problem *p)
{
    const struct plan_shape *s = &r->plan->shape;
    *p = (struct fftw_problem){.form = s->form, .is_double = s->precision == PLAN_DOUBLE, .direction = r->direction, .rank = s->rank};
    plan_axes(s, in_place(r), p->axis);
    p->keep = !in_place(r) && !(s->form == PLAN_C2R && s->rank > 1);
}

static cudaError_t run_packed(const struct run *r, struct fftw_problem *p)
{
    const struct plan_shape *s = &r->plan->shape;
    const struct walk in = walk_of(s, p->axis, false), out = walk_of(s, p->axis, true);
    const size_t wide = s->precision == PLAN_DOUBLE ? 16 : 8;
    char *a = malloc((size_t)walk_count(&in) * wide), *b = malloc((size_t)walk_count(&out) * wide);
    bool done = a && b;
    if (done) {
        pack_axes(s, p->axis);
        p->keep = false;
        move_all(s, &in, false, library_host(r->in), a);
        done = fftw_transform(&r->plan->kept_packed, p, a, b);
    }
    if (done)
        move_all(s, &out, true, library_host(r->out), b);
    free(a);
    free(b);
    return done ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t run(void *data)
{
    const struct run *r = data;
    const enum plan_precision precision = r->plan->shape.precision;
    struct fftw_problem p;
    problem_of(r, &p);
    if ((precision == PLAN_SINGLE || precision == PLAN_DOUBLE) &&
        fftw_transform(&r->plan->kept, &p, library_host(r->in), library_host(r->out)))
        return cudaSuccess;
    return run_packed(r, &p);
}

static void release(void *data)
{
    plan_release(((struct run *)data)->plan);
}

static void shape(const void *data, char *text, size_t size)
{
    static const char *const forms[] = {[PLAN_C2C] = "complex", [PLAN_R2C] = "real to complex", [PLAN_C2R] = "complex to real"};
    const struct run *r = data;
    const struct plan_shape *s = &r->plan->shape;
    size_t at = 0;
    for (int i = 0; i < s->rank && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? " x " : "", s->n[i]);
    if (at < size && s->batch > 1)
        at += (size_t)snprintf(text + at, size - at, ", batch %lld", s->batch);
    if (at < size)
        snprintf(text + at, size - at, ", %s%s", forms[s->form], in_place(r) ? ", in place" : "");
}

/* --- what a call touches --- */

/* Steps of a side, shortest first, those that follow one another without a gap taken together. */
struct level {
    size_t n, step;
};

static int levels_of(const struct walk *w, size_t *width, struct level *level)
{
    int n = 0, kept = 0;
    for (int i = 0; i <= PLAN_RANK; i++) {
        struct level l = {(size_t)w->n[i], (size_t)w->step[i]};
        int at = n;
        if (l.n == 1)
            continue;
        for (; at > 0 && level[at - 1].step > l.step; at--)
            level[at] = level[at - 1];
        level[at] = l;
        n++;
    }
    for (int i = 0; i < n; i++)
        if (!kept && level[i].step == *width)
            *width *= level[i].n;
        else
            level[kept++] = level[i];
    return kept;
}

enum { OPERANDS = 64 };

/* Puts the side's operands at `o`; returns how many. More rows of planes than there is room for are one operand of all planes'
 * span. */
static int operands_of(const struct walk *w, bool out, int element, void *base, struct library_operand *o)
{
    struct level level[PLAN_RANK + 1];
    size_t width = (size_t)element, planes = 1;
    int n = levels_of(w, &width, level);
    for (int i = 2; i < n; i++)
        planes *= level[i].n;
    struct library_operand all = {.name = out ? "odata" : "idata", .at = base, .width = width, .access = out ? LIBRARY_WRITE : LIBRARY_READ};
    all.height = n > 0 ? level[0].n : 1;
    all.pitch = n > 0 ? level[0].step : 0;
    all.depth = n > 1 ? level[1].n : 1;
    all.slice = n > 1 ? level[1].step : 0;
    if (planes > OPERANDS / 2) {
        for (int i = 0; i < n; i++)
            width += (level[i].n - 1) * level[i].step;
        o[0] = (struct library_operand){.name = all.name, .at = base, .width = width, .access = all.access};
        return 1;
    }
    for (size_t i = 0; i < planes; i++) {
        size_t third = n > 2 ? i % level[2].n : 0, fourth = n > 3 ? i / level[2].n : 0;
        o[i] = all;
        o[i].at = (char *)base + third * (n > 2 ? level[2].step : 0) + fourth * (n > 3 ? level[3].step : 0);
    }
    return (int)planes;
}

static double operations(const struct plan_shape *s)
{
    double n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= (double)s->n[i];
    return (s->form == PLAN_C2C ? 5 : 2.5) * n * log2(n) * (double)s->batch;
}

static cufftResult put(const char *function, struct plan *p, void *in, void *out, int direction)
{
    static const enum library_peak peaks[] = {
        [PLAN_SINGLE] = LIBRARY_SINGLE, [PLAN_DOUBLE] = LIBRARY_DOUBLE, [PLAN_HALF] = LIBRARY_HALF, [PLAN_BFLOAT16] = LIBRARY_HALF};
    const struct plan_shape *s = &p->shape;
    struct run r = {p, in, out, direction};
    struct library_operand operand[OPERANDS];
    struct plan_axis axis[PLAN_RANK + 1];
    plan_axes(s, in_place(&r), axis);
    const struct walk from = walk_of(s, axis, false), to = walk_of(s, axis, true);
    int n = operands_of(&from, false, plan_element(s, false), in, operand);
    n += operands_of(&to, true, plan_element(s, true), out, operand + n);
    struct library_call c = {.library = "cuFFT", .function = function, .flops = operations(s), .peak = peaks[s->precision], .operand = operand,
                             .operands = n, .run = run, .release = release, .shape = shape, .data = &r, .data_bytes = sizeof r};
    return library_call(p->stream, &c, false) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}

/* --- entries --- */

/* As an H200: which function is called does not matter, the plan says what is done. */
static cufftResult check(const struct plan *p, const void *in, const void *out, int direction)
{
    const struct plan_shape *s = &p->shape;
    if (!p->made)
        return CUFFT_INVALID_PLAN;
    if (s->form == PLAN_R2C ? direction != CUFFT_FORWARD : s->form == PLAN_C2R ? direction != CUFFT_INVERSE : direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
        return CUFFT_INVALID_VALUE;
    if ((uintptr_t)in % (size_t)plan_element(s, false) || (uintptr_t)out % (size_t)plan_element(s, true))
        return CUFFT_INVALID_VALUE;
    return out ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED; /* no input is the device's fault */
}

/* The reference to the plan goes on to the execution, or back. */
static cufftResult execute(const char *function, cufftHandle handle, void *in, void *out, int direction)
{
    struct plan *p = plan_of(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    cufftResult e = check(p, in, out, direction);
    if (!e)
        return put(function, p, in, out, direction);
    plan_release(p);
    return e;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
{
    return execute("cufftExecC2C", plan, idata, odata, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
    return execute("cufftExecR2C", plan, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
    return execute("cufftExecC2R", plan, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction)
{
    return execute("cufftExecZ2Z", plan, idata, odata, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
{
    return execute("cufftExecD2Z", plan, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)
{
    return execute("cufftExecZ2D", plan, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction)
{
    return execute("cufftXtExec", plan, input, output, direction);
}
