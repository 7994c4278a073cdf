/* Plans of cuFFT: what a handle stands for.
 *
 * A plan says how many numbers lie where. Each of its two sides has strides in its own elements, real or complex: element (i, j, k) of
 * batch b is at ((i * embed[1] + j) * embed[2] + k) * stride + b * dist (cuFFT API reference, "Advanced Data Layout"). In the basic
 * layout the elements are contiguous, and the real side of a transform in place is padded to whole rows of the complex side:
 * whether it is in place is known at the execution only. */
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cufftXt.h"

enum { PLAN_RANK = 3 };

enum plan_form { PLAN_C2C, PLAN_R2C, PLAN_C2R };
enum plan_precision { PLAN_SINGLE, PLAN_DOUBLE, PLAN_HALF, PLAN_BFLOAT16 };

struct plan_side {
    long long embed[PLAN_RANK], stride, dist; /* elements; embed[0] is not used */
};

struct plan_shape {
    int rank;
    long long n[PLAN_RANK], batch; /* of the real numbers where there are any */
    bool basic;
    struct plan_side in, out; /* not in the basic layout */
    enum plan_form form;
    enum plan_precision precision;
};

/* One axis of a transform or of its batches: how many, and bytes from one to the next on either side. */
struct plan_axis {
    long long n, in, out;
};

struct fftw_kept;

struct plan {
    int references; /* the handle, and each execution that is under way */
    bool made, automatic, area_missing;
    struct plan_shape shape;
    cudaStream_t stream;
    long long property[2];
    struct fftw_kept *kept, *kept_packed; /* fftw.c: as the numbers lie, and without gaps */
};

/* NULL: the handle stands for no plan. The caller gives the reference back. */
struct plan *plan_of(cufftHandle handle);
void plan_release(struct plan *p);

/* Bytes of an element of the side. */
int plan_element(const struct plan_shape *s, bool out);

/* The axes of one transform, slowest first, and of the batches behind them: rank + 1 of them. n is the larger side's. */
void plan_axes(const struct plan_shape *s, bool in_place, struct plan_axis *axis);

/* How many elements a side has along the axis. */
long long plan_along(const struct plan_shape *s, const struct plan_axis *axis, int i, bool out);

#endif
