/* FFTW, which computes cuFFT's transforms: opened at the first plan, planned by estimate, one thread, so that results repeat.
 *
 * FFTW's planner is not thread safe: one lock for all that plans. Executions need none. */
#ifndef CUFFT_FFTW_H
#define CUFFT_FFTW_H

#include <stdbool.h>

#include "libraries/cufft/plan.h"

/* Is FFTW there in that precision? If not, says once which package has it. */
bool fftw_open(bool is_double);

/* What FFTW planned for a plan of ours: one for each direction, way of lying and alignment of the arrays. */
struct fftw_kept;
void fftw_forget(struct fftw_kept *kept);

/* A transform without gaps on either side: batches one behind another, the numbers of a batch in row order. */
struct fftw_problem {
    enum plan_form form;
    bool is_double, keep; /* keep: the input is not written to (one axis or complex transforms only) */
    int direction, rank, batches;
    struct plan_axis axis[PLAN_RANK + 1]; /* bytes; the batches behind */
};

/* Transforms. `kept` is where the plans of the caller's shape are kept; false: FFTW has none for such an order of the numbers. */
bool fftw_transform(struct fftw_kept **kept, const struct fftw_problem *p, void *in, void *out);

#endif
