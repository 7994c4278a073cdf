/* cuFFT's handles, and the functions that make plans of them (see plan.h). */
#include "libraries/cufft/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cufft/fftw.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table and the counts of references */
static struct plan **plans;                              /* by handle - 1 */
static int places;

/* --- handles --- */

struct plan *plan_of(cufftHandle handle)
{
    struct plan *p = NULL;
    pthread_mutex_lock(&lock);
    if (handle > 0 && handle <= places && plans[handle - 1]) {
        p = plans[handle - 1];
        p->references++;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

void plan_release(struct plan *p)
{
    pthread_mutex_lock(&lock);
    int left = --p->references;
    pthread_mutex_unlock(&lock);
    if (left)
        return;
    fftw_forget(p->kept);
    fftw_forget(p->kept_packed);
    free(p);
}

static int free_place(void)
{
    for (int i = 0; i < places; i++)
        if (!plans[i])
            return i;
    struct plan **more = realloc(plans, (size_t)(places + 16) * sizeof *plans);
    if (!more)
        return -1;
    memset(more + places, 0, 16 * sizeof *more);
    plans = more;
    places += 16;
    return places - 16;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle)
        return CUFFT_INVALID_VALUE;
    struct plan *p = calloc(1, sizeof *p);
    pthread_mutex_lock(&lock);
    int at = p ? free_place() : -1;
    if (at >= 0) {
        *p = (struct plan){.references = 1, .automatic = true};
        plans[at] = p;
        *handle = at + 1;
    }
    pthread_mutex_unlock(&lock);
    if (at < 0)
        free(p);
    return at < 0 ? CUFFT_ALLOC_FAILED : CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan *p = NULL;
    if (handle == CUFFT_PLAN_NULL)
        return CUFFT_SUCCESS;
    pthread_mutex_lock(&lock);
    if (handle > 0 && handle <= places) {
        p = plans[handle - 1];
        plans[handle - 1] = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!p)
        return CUFFT_INVALID_PLAN;
    plan_release(p);
    return CUFFT_SUCCESS;
}

/* --- shapes --- */

int plan_element(const struct plan_shape *s, bool out)
{
    static const int bytes[] = {[PLAN_SINGLE] = 4, [PLAN_DOUBLE] = 8, [PLAN_HALF] = 2, [PLAN_BFLOAT16] = 2};
    bool real = s->form == (out ? PLAN_C2R : PLAN_R2C);
    return bytes[s->precision] * (real ? 1 : 2);
}

static bool is_half(const struct plan_shape *s, bool out) /* the side of a real transform that is complex */
{
    return s->form == (out ? PLAN_R2C : PLAN_C2R);
}

long long plan_along(const struct plan_shape *s, const struct plan_axis *axis, int i, bool out)
{
    return is_half(s, out) && i == s->rank - 1 ? axis[i].n / 2 + 1 : axis[i].n;
}

/* The side of the basic layout. */
static struct plan_side basic_side(const struct plan_shape *s, bool out, bool in_place)
{
    struct plan_side side = {.stride = 1, .dist = 1};
    for (int i = 0; i < s->rank; i++) {
        bool last = i == s->rank - 1;
        long long n = s->n[i];
        if (last && is_half(s, out))
            n = n / 2 + 1;
        else if (last && is_half(s, !out) && in_place)
            n = 2 * (n / 2 + 1);
        side.embed[i] = n;
        side.dist *= n;
    }
    return side;
}

void plan_axes(const struct plan_shape *s, bool in_place, struct plan_axis *axis)
{
    const struct plan_side in = s->basic ? basic_side(s, false, in_place) : s->in, out = s->basic ? basic_side(s, true, in_place) : s->out;
    const long long ie = plan_element(s, false), oe = plan_element(s, true);
    long long is = in.stride * ie, os = out.stride * oe;
    for (int i = s->rank - 1; i >= 0; i--) {
        axis[i] = (struct plan_axis){s->n[i], is, os};
        is *= in.embed[i];
        os *= out.embed[i];
    }
    axis[s->rank] = (struct plan_axis){s->batch, in.dist * ie, out.dist * oe};
}

/* --- making --- */

struct request {
    int rank;
    long long *n, *inembed, istride, idist, *onembed, ostride, odist, batch;
};

static cufftResult check_shape(const struct request *r)
{
    if (r->rank < 1 || r->rank > PLAN_RANK || !r->n)
        return CUFFT_INVALID_VALUE;
    if (r->batch < 1)
        return CUFFT_INVALID_SIZE;
    for (int i = 0; i < r->rank; i++)
        if (r->n[i] < 1)
            return CUFFT_INVALID_SIZE;
    if (!r->inembed != !r->onembed)
        return CUFFT_INVALID_VALUE;
    bool lies = r->istride > 0 && r->ostride > 0 && r->idist > 0 && r->odist > 0;
    return r->inembed && !lies ? CUFFT_INVALID_VALUE : CUFFT_SUCCESS;
}

static void fill(struct plan_shape *s, const struct request *r)
{
    s->rank = r->rank;
    s->batch = r->batch;
    s->basic = !r->inembed || !r->onembed;
    s->in = (struct plan_side){.stride = r->istride, .dist = r->idist};
    s->out = (struct plan_side){.stride = r->ostride, .dist = r->odist};
    for (int i = 0; i < r->rank; i++) {
        s->n[i] = r->n[i];
        s->in.embed[i] = s->basic ? 0 : r->inembed[i];
        s->out.embed[i] = s->basic ? 0 : r->onembed[i];
    }
}

static bool type_form(cufftType type, struct plan_shape *s)
{
    static const struct { cufftType type; enum plan_form form; enum plan_precision precision; } types[] = {
        {CUFFT_C2C, PLAN_C2C, PLAN_SINGLE}, {CUFFT_R2C, PLAN_R2C, PLAN_SINGLE}, {CUFFT_C2R, PLAN_C2R, PLAN_SINGLE},
        {CUFFT_Z2Z, PLAN_C2C, PLAN_DOUBLE}, {CUFFT_D2Z, PLAN_R2C, PLAN_DOUBLE}, {CUFFT_Z2D, PLAN_C2R, PLAN_DOUBLE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) {
            s->form = types[i].form;
            s->precision = types[i].precision;
            return true;
        }
    return false;
}

/* Gives the plan its shape. Half precision: sizes are powers of two (cuFFT API reference, "Half-precision cuFFT Transforms"). */
static cufftResult make(struct plan *p, const struct plan_shape *s, size_t *work)
{
    if (s->precision == PLAN_HALF || s->precision == PLAN_BFLOAT16)
        for (int i = 0; i < s->rank; i++)
            if (s->n[i] & (s->n[i] - 1))
                return CUFFT_NOT_SUPPORTED;
    if (!fftw_open(s->precision == PLAN_DOUBLE))
        return CUFFT_SETUP_FAILED;
    p->shape = *s;
    p->made = true;
    *work = 0;
    return CUFFT_SUCCESS;
}

static cufftResult make_type(cufftHandle handle, const struct request *r, cufftType type, size_t *work)
{
    struct plan *p = plan_of(handle);
    struct plan_shape s = {0};
    if (!p)
        return CUFFT_INVALID_PLAN;
    cufftResult e = !work ? CUFFT_INVALID_VALUE : p->made ? CUFFT_INVALID_PLAN : !type_form(type, &s) ? CUFFT_INVALID_TYPE : check_shape(r);
    if (!e) {
        fill(&s, r);
        e = make(p, &s, work);
    }
    plan_release(p);
    return e;
}

/* cufftPlan...: a handle with its plan, or none. */
static cufftResult whole(cufftHandle *handle, const struct request *r, cufftType type)
{
    size_t work;
    cufftResult e = cufftCreate(handle);
    if (e)
        return e;
    e = make_type(*handle, r, type, &work);
    if (e)
        cufftDestroy(*handle);
    return e;
}

#define LINE(nx, b) (&(struct request){.rank = 1, .n = (long long[]){nx}, .batch = (b)})
#define PLANE(nx, ny) (&(struct request){.rank = 2, .n = (long long[]){nx, ny}, .batch = 1})
#define SPACE(nx, ny, nz) (&(struct request){.rank = 3, .n = (long long[]){nx, ny, nz}, .batch = 1})

/* Copies of int arrays as long long; NULL stays NULL. */
struct wide {
    long long n[PLAN_RANK], inembed[PLAN_RANK], onembed[PLAN_RANK];
};

static long long *widen(long long *to, const int *from, int rank)
{
    for (int i = 0; from && i < rank && i < PLAN_RANK; i++)
        to[i] = from[i];
    return from ? to : NULL;
}

#define MANY(w) (&(struct request){rank, widen(w.n, n, rank), widen(w.inembed, inembed, rank), istride, idist, \
                                   widen(w.onembed, onembed, rank), ostride, odist, batch})
#define MANY64 (&(struct request){rank, n, inembed, istride, idist, onembed, ostride, odist, batch})

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    return whole(plan, LINE(nx, batch), type);
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    return whole(plan, PLANE(nx, ny), type);
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
    return whole(plan, SPACE(nx, ny, nz), type);
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                          cufftType type, int batch)
{
    struct wide w;
    return whole(plan, MANY(w), type);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
    return make_type(plan, LINE(nx, batch), type, workSize);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
    return make_type(plan, PLANE(nx, ny), type, workSize);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    return make_type(plan, SPACE(nx, ny, nz), type, workSize);
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                              cufftType type, int batch, size_t *workSize)
{
    struct wide w;
    return make_type(plan, MANY(w), type, workSize);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                long long int idist, long long int *onembed, long long int ostride, long long int odist, cufftType type,
                                long long int batch, size_t *workSize)
{
    return make_type(plan, MANY64, type, workSize);
}

/* The formats of both sides as a form and a precision. */
static bool formats(cudaDataType in, cudaDataType out, cudaDataType execution, struct plan_shape *s)
{
    static const struct { cudaDataType real, complex; enum plan_precision precision; } all[] = {
        {CUDA_R_32F, CUDA_C_32F, PLAN_SINGLE}, {CUDA_R_64F, CUDA_C_64F, PLAN_DOUBLE},
        {CUDA_R_16F, CUDA_C_16F, PLAN_HALF}, {CUDA_R_16BF, CUDA_C_16BF, PLAN_BFLOAT16},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool real_in = in == all[i].real, real_out = out == all[i].real;
        if ((real_in || in == all[i].complex) && (real_out || out == all[i].complex) && !(real_in && real_out) &&
            (execution == all[i].complex || ((real_in || real_out) && execution == all[i].real))) {
            s->form = real_in ? PLAN_R2C : real_out ? PLAN_C2R : PLAN_C2C;
            s->precision = all[i].precision;
            return true;
        }
    }
    return false;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                                cudaDataType executiontype)
{
    struct plan *p = plan_of(plan);
    struct plan_shape s = {0};
    if (!p)
        return CUFFT_INVALID_PLAN;
    cufftResult e = !workSize ? CUFFT_INVALID_VALUE : p->made ? CUFFT_INVALID_PLAN
                    : !formats(inputtype, outputtype, executiontype, &s) ? CUFFT_INVALID_TYPE : check_shape(MANY64);
    if (!e) {
        fill(&s, MANY64);
        e = make(p, &s, workSize);
    }
    plan_release(p);
    return e;
}

/* --- sizes: the same questions, no plan --- */

static cufftResult estimate(const struct request *r, cufftType type, size_t *work)
{
    struct plan_shape s;
    cufftResult e = !work ? CUFFT_INVALID_VALUE : !type_form(type, &s) ? CUFFT_INVALID_TYPE : check_shape(r);
    if (!e)
        *work = 0;
    return e;
}

static cufftResult size_for(cufftHandle handle, const struct request *r, cufftType type, size_t *work)
{
    struct plan *p = plan_of(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    plan_release(p);
    return estimate(r, type, work);
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
    return estimate(LINE(nx, batch), type, workSize);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
    return estimate(PLANE(nx, ny), type, workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    return estimate(SPACE(nx, ny, nz), type, workSize);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *workSize)
{
    struct wide w;
    return estimate(MANY(w), type, workSize);
}

cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
    return size_for(plan, LINE(nx, batch), type, workSize);
}

cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
    return size_for(plan, PLANE(nx, ny), type, workSize);
}

cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    return size_for(plan, SPACE(nx, ny, nz), type, workSize);
}

cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                             cufftType type, int batch, size_t *workSize)
{
    struct wide w;
    return size_for(plan, MANY(w), type, workSize);
}

cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                               long long int idist, long long int *onembed, long long int ostride, long long int odist, cufftType type,
                               long long int batch, size_t *workSize)
{
    return size_for(plan, MANY64, type, workSize);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                               long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                               long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype)
{
    struct plan *p = plan_of(plan);
    struct plan_shape s;
    if (!p)
        return CUFFT_INVALID_PLAN;
    plan_release(p);
    cufftResult e = !workSize ? CUFFT_INVALID_VALUE : !formats(inputtype, outputtype, executiontype, &s) ? CUFFT_INVALID_TYPE : check_shape(MANY64);
    if (!e)
        *workSize = 0;
    return e;
}

/* --- what a plan works with --- */

cufftResult cufftGetSize(cufftHandle plan, size_t *workSize)
{
    struct plan *p = plan_of(plan);
    if (!p)
        return CUFFT_INVALID_PLAN;
    bool made = p->made;
    plan_release(p);
    if (made && workSize)
        *workSize = 0;
    return !made ? CUFFT_INVALID_PLAN : workSize ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    struct plan *p = plan_of(plan);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    plan_release(p);
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea)
{
    struct plan *p = plan_of(plan);
    (void)workArea; /* transforms need none */
    if (!p)
        return CUFFT_INVALID_PLAN;
    plan_release(p);
    return CUFFT_SUCCESS;
}

cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy, size_t *workSize)
{
    struct plan *p = plan_of(plan);
    if (!p)
        return CUFFT_INVALID_PLAN;
    plan_release(p);
    if (policy != CUFFT_WORKAREA_MINIMAL && policy != CUFFT_WORKAREA_USER && policy != CUFFT_WORKAREA_PERFORMANCE)
        return CUFFT_INVALID_VALUE;
    if (workSize)
        *workSize = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate)
{
    struct plan *p = plan_of(plan);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->automatic = autoAllocate != 0;
    plan_release(p);
    return CUFFT_SUCCESS;
}

/* --- properties --- */

/* Where the property is kept; NULL, and why: there is no such plan, or no such property. A plan that is made keeps its own. */
static long long *property_of(cufftHandle handle, cufftProperty property, struct plan **p, cufftResult *e)
{
    *p = plan_of(handle);
    bool is = property == NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT || property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS;
    *e = !*p ? CUFFT_INVALID_PLAN : is ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
    if (*p && !is)
        plan_release(*p);
    return *e ? NULL : &(*p)->property[property - NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT];
}

cufftResult cufftSetPlanPropertyInt64(cufftHandle plan, cufftProperty property, const long long int inputValueInt)
{
    struct plan *p;
    cufftResult e;
    long long *at = property_of(plan, property, &p, &e);
    if (!at)
        return e;
    if (!p->made)
        *at = inputValueInt;
    e = p->made ? CUFFT_NOT_SUPPORTED : CUFFT_SUCCESS;
    plan_release(p);
    return e;
}

cufftResult cufftGetPlanPropertyInt64(cufftHandle plan, cufftProperty property, long long int *returnPtrValue)
{
    struct plan *p;
    cufftResult e;
    long long *at = property_of(plan, property, &p, &e);
    if (!at)
        return e;
    if (returnPtrValue)
        *returnPtrValue = *at;
    plan_release(p);
    return returnPtrValue ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftResetPlanProperty(cufftHandle plan, cufftProperty property)
{
    return cufftSetPlanPropertyInt64(plan, property, 0);
}

cufftResult cufftGetVersion(int *version)
{
    if (version)
        *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {[MAJOR_VERSION] = CUFFT_VER_MAJOR, [MINOR_VERSION] = CUFFT_VER_MINOR, [PATCH_LEVEL] = CUFFT_VER_PATCH};
    if (!value)
        return CUFFT_INVALID_VALUE;
    if (type != MAJOR_VERSION && type != MINOR_VERSION && type != PATCH_LEVEL)
        return CUFFT_INVALID_TYPE;
    *value = parts[type];
    return CUFFT_SUCCESS;
}
