/* FFTW by dlopen (see fftw.h). Names and types: the FFTW 3.3 manual, "64-bit Guru Interface" and "New-array Execute Functions". */
#include "libraries/cufft/fftw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/library.h"

struct dim {
    ptrdiff_t n, is, os; /* fftw_iodim64 */
};

enum { FFTW_DESTROY_INPUT = 1, FFTW_PRESERVE_INPUT = 1 << 4, FFTW_ESTIMATE = 1 << 6 };

static struct fftw {
    bool tried, there;
    void *(*plan_dft)(int rank, const struct dim *dims, int more, const struct dim *batches, void *in, void *out, int sign, unsigned flags);
    void *(*plan_r2c)(int rank, const struct dim *dims, int more, const struct dim *batches, void *in, void *out, unsigned flags);
    void *(*plan_c2r)(int rank, const struct dim *dims, int more, const struct dim *batches, void *in, void *out, unsigned flags);
    void (*run[3])(const void *plan, void *in, void *out); /* by form */
    void (*destroy)(void *plan);
    int (*alignment)(void *p);
} fftw[2]; /* single, double */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards FFTW's planner, and the lists of plans */

static void *find(void *library, bool is_double, const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "fftw%s_%s", is_double ? "" : "f", name);
    return dlsym(library, whole);
}

static void load(struct fftw *f, bool is_double)
{
    static const char *const names[2][2] = {{"libfftw3f.so.3", NULL}, {"libfftw3.so.3", NULL}};
    void *l = library_open(is_double ? "cuFFT in double precision" : "cuFFT", names[is_double],
                           is_double ? "libfftw3-double3" : "libfftw3-single3");
    f->tried = true;
    if (!l)
        return;
    f->plan_dft = find(l, is_double, "plan_guru64_dft");
    f->plan_r2c = find(l, is_double, "plan_guru64_dft_r2c");
    f->plan_c2r = find(l, is_double, "plan_guru64_dft_c2r");
    f->run[PLAN_C2C] = find(l, is_double, "execute_dft");
    f->run[PLAN_R2C] = find(l, is_double, "execute_dft_r2c");
    f->run[PLAN_C2R] = find(l, is_double, "execute_dft_c2r");
    f->destroy = find(l, is_double, "destroy_plan");
    f->alignment = find(l, is_double, "alignment_of");
    f->there = f->plan_dft && f->plan_r2c && f->plan_c2r && f->run[PLAN_C2C] && f->run[PLAN_R2C] && f->run[PLAN_C2R] && f->destroy && f->alignment;
}

bool fftw_open(bool is_double)
{
    struct fftw *f = &fftw[is_double];
    pthread_mutex_lock(&lock);
    if (!f->tried)
        load(f, is_double);
    bool there = f->there;
    pthread_mutex_unlock(&lock);
    return there;
}

/* --- plans --- */

struct fftw_kept {
    struct fftw_kept *next;
    void *plan; /* NULL: FFTW has none */
    bool in_place, is_double;
    int direction, in, out; /* alignments */
};

void fftw_forget(struct fftw_kept *kept)
{
    pthread_mutex_lock(&lock);
    for (struct fftw_kept *next; kept; kept = next) {
        next = kept->next;
        if (kept->plan)
            fftw[kept->is_double].destroy(kept->plan);
        free(kept);
    }
    pthread_mutex_unlock(&lock);
}

static void *plan(const struct fftw *f, const struct fftw_problem *p, void *in, void *out)
{
    const ptrdiff_t real = p->is_double ? sizeof(double) : sizeof(float), pair = 2 * real;
    const ptrdiff_t ie = p->form == PLAN_R2C ? real : pair, oe = p->form == PLAN_C2R ? real : pair;
    const unsigned flags = FFTW_ESTIMATE | (p->keep ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT);
    struct dim d[PLAN_RANK + 1];
    for (int i = 0; i <= p->rank; i++)
        d[i] = (struct dim){p->axis[i].n, p->axis[i].in / ie, p->axis[i].out / oe};
    switch (p->form) {
    case PLAN_C2C:
        return f->plan_dft(p->rank, d, 1, d + p->rank, in, out, p->direction, flags);
    case PLAN_R2C:
        return f->plan_r2c(p->rank, d, 1, d + p->rank, in, out, flags);
    default:
        return f->plan_c2r(p->rank, d, 1, d + p->rank, in, out, flags);
    }
}

static struct fftw_kept *kept_for(const struct fftw *f, struct fftw_kept **list, const struct fftw_problem *p, void *in, void *out)
{
    struct fftw_kept want = {.in_place = in == out, .is_double = p->is_double, .direction = p->direction, .in = f->alignment(in), .out = f->alignment(out)};
    struct fftw_kept *k = *list;
    for (; k; k = k->next)
        if (k->in_place == want.in_place && k->direction == want.direction && k->in == want.in && k->out == want.out)
            return k;
    k = malloc(sizeof *k);
    if (!k)
        return NULL;
    *k = want;
    k->plan = plan(f, p, in, out);
    k->next = *list;
    *list = k;
    return k;
}

bool fftw_transform(struct fftw_kept **list, const struct fftw_problem *p, void *in, void *out)
{
    const struct fftw *f = &fftw[p->is_double];
    pthread_mutex_lock(&lock);
    struct fftw_kept *k = kept_for(f, list, p, in, out);
    pthread_mutex_unlock(&lock);
    if (!k || !k->plan)
        return false;
    f->run[p->form](k->plan, in, out);
    return true;
}
