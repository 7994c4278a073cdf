/* Calls of routines (see call.h). */
#include "libraries/linear/call.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/linear/elements.h"

struct call {
    struct linear_context context;
    struct linear_routine routine;
    struct linear_argument a[LINEAR_MOST];
    int n;
    char letter;       /* s, d, c, z; i: 32-bit integers */
    int64_t batches;
    host_routine host; /* one of the two */
    own_routine own;
};

/* --- what is computed in --- */

static const struct {
    char letter;
    cudaDataType type, real;
} letters[] = {
    {'s', CUDA_R_32F, CUDA_R_32F}, {'d', CUDA_R_64F, CUDA_R_64F}, {'c', CUDA_C_32F, CUDA_R_32F}, {'z', CUDA_C_64F, CUDA_R_64F}, {'i', CUDA_R_32I, CUDA_R_32I},
};

static cudaDataType type_of(char letter, bool real)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return real ? letters[i].real : letters[i].type;
    return CUDA_R_32F;
}

static char letter_of(cudaDataType t, bool is_complex)
{
    switch (t) {
    case CUDA_R_64F:
    case CUDA_C_64F:
        return is_complex ? 'z' : 'd';
    case CUDA_R_32I:
        return 'i';
    default:
        return is_complex ? 'c' : 's';
    }
}

/* What an argument says, else the type of the first array: copies of doubles are of doubles. */
static cudaDataType execution_of(const struct call *c)
{
    cudaDataType t = c->routine.type;
    for (int i = c->n - 1; i >= 0; i--)
        t = c->a[i].kind == LINEAR_ARRAY ? c->a[i].type : t;
    for (int i = 0; i < c->n; i++)
        t = c->a[i].kind == LINEAR_EXECUTION ? (cudaDataType)c->a[i].value : t;
    return t;
}

static void choose_letter(struct call *c)
{
    bool is_complex = element_is_complex(c->routine.type);
    cudaDataType t = execution_of(c);
    for (int i = 0; i < c->n; i++)
        is_complex = is_complex || ((c->a[i].kind == LINEAR_ARRAY || c->a[i].kind == LINEAR_SCALAR) && element_is_complex(c->a[i].type));
    c->letter = letter_of(t, is_complex);
    for (int i = 0; i < c->n; i++) /* a factor that is given as the computation wants it */
        if (c->a[i].computed)
            c->a[i].type = t == CUDA_R_16F ? CUDA_R_16F : type_of(c->letter, false);
}

/* Real dot products are summed in double precision (dsdot): a GPU's threads sum few numbers each and then in a tree, whose error is
 * that of a handful of additions; a float that a million numbers are added to loses the fourth digit. */
static void find(struct call *c)
{
    static const char *const forms[] = {[LINEAR_PLAIN] = "%c%s", [LINEAR_I] = "i%c%s", [LINEAR_NORM] = "%s%s", [LINEAR_REAL] = "%s%s", [LINEAR_EX] = "%c%s"};
    const struct linear_routine *r = &c->routine;
    bool is_complex = c->letter == 'c' || c->letter == 'z', norm = r->naming == LINEAR_NORM || (is_complex && (!strcmp(r->name, "asum") || !strcmp(r->name, "nrm2")));
    char name[32];
    c->own = own_find(c->letter, r->name);
    if (c->own)
        return;
    if (is_complex && (norm || r->naming == LINEAR_REAL)) /* scnrm2; csscal */
        snprintf(name, sizeof name, forms[LINEAR_NORM], norm ? c->letter == 'c' ? "sc" : "dz" : c->letter == 'c' ? "cs" : "zd", r->name);
    else if (r->naming == LINEAR_I || !strcmp(r->name, "amax"))
        snprintf(name, sizeof name, "i%c%s", c->letter, r->name);
    else if (!is_complex && !strncmp(r->name, "dot", 3))
        snprintf(name, sizeof name, "%s", c->letter == 's' ? "dsdot" : "ddot");
    else
        snprintf(name, sizeof name, "%c%s", c->letter, r->name);
    c->host = host_find(name);
}

/* --- checks --- */

/* How much is forgiven, as by an H200 (tests/truth/libraries/cublas.tsv): of vectors alone (level 1) and in gemv negative sizes are none,
 * and increments may be zero there and in dgmm. */
static bool forgives_sizes(const struct call *c)
{
    bool with_matrix = false;
    for (int i = 0; i < c->n; i++)
        with_matrix = with_matrix || (c->a[i].kind == LINEAR_ARRAY && c->a[i].form != LINEAR_VECTOR);
    return !with_matrix || !strcmp(c->routine.name, "gemv");
}

static bool forgives_increments(const struct call *c)
{
    return forgives_sizes(c) || !strcmp(c->routine.name, "dgmm");
}

static bool is_wrong(const struct call *c, const struct linear_argument *a)
{
    switch (a->kind) {
    case LINEAR_LETTER:
        return a->value < 0 || a->value >= (int64_t)strlen(a->letters);
    case LINEAR_JOB:
        return !a->value || !strchr(a->letters, (int)a->value);
    case LINEAR_ROOM:
        return !a->at;
    case LINEAR_SIZE:
        return a->value < 0 && !forgives_sizes(c);
    case LINEAR_BATCH:
        return a->value < 0;
    case LINEAR_FACTOR:
    case LINEAR_SCALAR:
    case LINEAR_RESULT:
    case LINEAR_INDEX:
    case LINEAR_HOST_INFO:
        return !a->at;
    case LINEAR_ARRAY:
        return a->form == LINEAR_MATRIX ? a->value < (a->rows > 1 ? a->rows : 1) : a->form == LINEAR_VECTOR && !a->value && !forgives_increments(c);
    default:
        return false;
    }
}

static bool is_too_large(const struct linear_argument *a)
{
    return (a->kind == LINEAR_SIZE || a->kind == LINEAR_ARRAY) && (a->value > INT_MAX || a->value < -INT_MAX);
}

/* Which parameter is wrong: LAPACK's info. */
static void tell_info(const struct call *c, int info)
{
    for (int i = 0; i < c->n; i++)
        if (c->a[i].kind == LINEAR_HOST_INFO && c->a[i].at)
            *(int *)c->a[i].at = info;
}

static enum linear_status check(const struct call *c)
{
    for (int i = 0, place = 1; i < c->n; place += 1 + (c->a[i].kind == LINEAR_ARRAY && c->a[i].form != LINEAR_PACKED), i++)
        if (is_wrong(c, &c->a[i])) {
            tell_info(c, -place - (c->a[i].kind == LINEAR_ARRAY));
            return LINEAR_INVALID;
        }
    for (int i = 0; i < c->n; i++)
        if (is_too_large(&c->a[i]) || (c->a[i].kind == LINEAR_ARRAY && !element_bytes(c->a[i].type)))
            return LINEAR_UNSUPPORTED;
    return LINEAR_DONE;
}

/* --- factors --- */

static void load_numbers(struct linear_argument *a)
{
    const char *from = library_host(a->at);
    for (int64_t i = 0; i < a->count; i++)
        element_load(a->type, from + (size_t)i * element_bytes(a->type), a->number[i]);
}

static bool is_zero(const struct linear_argument *a)
{
    return a->number[0][0] == 0 && a->number[0][1] == 0;
}

/* --- operands --- */

static size_t magnitude(int64_t increment)
{
    return (size_t)(increment < 0 ? -increment : increment);
}

/* What of each column is not part of the matrix. */
static void add_shape(struct library_operand *o, const struct linear_argument *a, ptrdiff_t size)
{
    switch (a->shape) {
    case LINEAR_FULL:
        break;
    case LINEAR_LOWER:
        o->skip = a->unit * size;
        o->skip_step = size;
        break;
    case LINEAR_UPPER:
        o->leave = ((ptrdiff_t)a->rows - 1 + a->unit) * size;
        o->leave_step = -size;
        break;
    case LINEAR_BAND:
        o->skip = (ptrdiff_t)a->above * size;
        o->skip_step = -size;
        o->leave = (ptrdiff_t)(a->below - a->height + 1) * size;
        o->leave_step = size;
        break;
    }
}

static struct library_operand operand_of(const struct linear_argument *a, const void *at)
{
    ptrdiff_t size = (ptrdiff_t)element_bytes(a->type);
    size_t bytes = (size_t)size, rows = (size_t)a->rows, cols = (size_t)a->cols;
    struct library_operand o = {.name = a->name, .at = at, .access = a->access & LINEAR_IO};
    switch (a->form) {
    case LINEAR_MATRIX:
        o.width = cols ? rows * bytes : 0;
        o.height = cols;
        o.pitch = (size_t)a->value * bytes;
        add_shape(&o, a, size);
        break;
    case LINEAR_VECTOR:
        o.width = rows ? bytes : 0;
        o.height = a->value ? rows : 1;
        o.pitch = magnitude(a->value) * bytes;
        break;
    case LINEAR_PACKED:
        o.width = rows * bytes;
        break;
    }
    return o;
}

static void add_array(const struct call *c, const struct linear_argument *a, unsigned access, struct library_more *m)
{
    struct library_operand o = operand_of(a, a->at);
    o.access = access;
    if (!o.width || !access)
        return;
    if (a->batches == LINEAR_STRIDED) {
        int64_t stride = a->stride * (int64_t)element_bytes(a->type);
        if (stride < 0)
            o.at = (const char *)o.at + stride * (c->batches - 1);
        o.depth = (size_t)c->batches;
        o.slice = magnitude(stride);
    }
    for (int64_t i = 0; i < (a->batches == LINEAR_POINTERS ? c->batches : 1); i++) {
        if (a->batches == LINEAR_POINTERS)
            o.at = ((const void *const *)library_host(a->at))[i];
        library_more(m, &o);
    }
}

/* Arrays that only a factor of zero would use are not read. */
static void more(void *data, struct library_more *m)
{
    struct call *c = data;
    bool zero = false;
    for (int i = 0; i < c->n; i++) {
        struct linear_argument *a = &c->a[i];
        if (a->kind == LINEAR_FACTOR || a->kind == LINEAR_SCALAR) {
            if (c->context.on_device)
                load_numbers(a);
            zero = a->kind == LINEAR_FACTOR && a->count == 1 && is_zero(a);
        } else if ((a->kind == LINEAR_ARRAY || a->kind == LINEAR_ALSO) && c->batches) {
            unsigned access = a->access == LINEAR_UPDATE ? zero ? LIBRARY_WRITE : LIBRARY_READ | LIBRARY_WRITE : a->access;
            add_array(c, a, access == LIBRARY_READ && zero ? 0 : access, m);
        }
    }
}

/* What is known at once: numbers in device memory, arrays of pointers and integers. */
static int plain_operands(const struct call *c, struct library_operand *o)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct linear_argument *a = &c->a[i];
        size_t bytes = 0;
        unsigned access = a->access;
        if (a->kind == LINEAR_ARRAY && a->batches == LINEAR_POINTERS) {
            bytes = (size_t)c->batches * sizeof(void *);
            access = LIBRARY_READ;
        } else if ((a->kind == LINEAR_INTEGERS && a->at) || (a->kind == LINEAR_INFO && (a->at || !a->optional))) {
            bytes = (size_t)(a->value ? 1 : c->batches) * (size_t)a->count * sizeof(int);
        } else if (c->context.on_device && (a->kind == LINEAR_FACTOR || a->kind == LINEAR_SCALAR || a->kind == LINEAR_RESULT)) {
            bytes = (size_t)a->count * element_bytes(a->type);
        } else if (c->context.on_device && a->kind == LINEAR_INDEX) {
            bytes = (size_t)a->value;
        }
        if (bytes)
            o[n++] = (struct library_operand){.name = a->name, .at = a->at, .width = bytes, .access = access};
    }
    return n;
}

/* --- computing --- */

/* An argument as the routine gets it. */
struct passed {
    char letter;
    int size, step; /* a size; an increment or leading dimension */
    double number[10];
    void *copy;     /* converted elements, or NULL */
};

static void *array_at(const struct linear_argument *a, int64_t batch)
{
    char *at = library_host(a->at);
    if (a->batches == LINEAR_POINTERS)
        return library_host(((void *const *)(void *)at)[batch]);
    return a->batches == LINEAR_STRIDED ? at + batch * a->stride * (int64_t)element_bytes(a->type) : at;
}

/* Vectors by their increment, matrices column by column, between memory and a copy without gaps. */
static void convert_array(const struct linear_argument *a, void *memory, void *copy, cudaDataType computed, bool back)
{
    ptrdiff_t size = (ptrdiff_t)element_bytes(a->type), step = (ptrdiff_t)element_bytes(computed);
    int64_t cols = a->form == LINEAR_MATRIX ? a->cols : 1;
    for (int64_t j = 0; j < cols; j++) {
        char *at = (char *)memory + (a->form == LINEAR_MATRIX ? j * a->value * size : 0), *to = (char *)copy + j * a->rows * step;
        ptrdiff_t apart = a->form == LINEAR_VECTOR ? (ptrdiff_t)magnitude(a->value) * size : size;
        if (back)
            elements_convert(a->type, at, apart, computed, to, step, (size_t)a->rows);
        else
            elements_convert(computed, to, step, a->type, at, apart, (size_t)a->rows);
    }
}

static size_t elements_in(const struct linear_argument *a)
{
    return (size_t)a->rows * (size_t)(a->form == LINEAR_MATRIX ? a->cols : 1);
}

/* Products of floats may be of TF32 numbers where the program allows it: what is only read is rounded. */
static bool is_rounded(const struct call *c, const struct linear_argument *a)
{
    return c->context.tf32 && c->letter == 's' && a->access == LINEAR_IN && !strcmp(c->routine.name, "gemm");
}

/* The copy that the routine works on: with the sign of the increment, so that the order of elements stays. */
static void *array_for(const struct call *c, const struct linear_argument *a, int64_t batch, struct passed *p)
{
    cudaDataType computed = type_of(c->letter, a->real);
    void *memory = array_at(a, batch);
    bool repeated = a->form == LINEAR_VECTOR && !a->value && !strcmp(c->routine.name, "gemv"); /* BLAS refuses an increment of zero */
    if (a->type == computed && !is_rounded(c, a) && !repeated)
        return memory;
    p->copy = malloc(elements_in(a) * element_bytes(computed) + 1);
    if (!p->copy)
        return memory;
    convert_array(a, memory, p->copy, computed, false);
    if (is_rounded(c, a))
        elements_round_tf32(p->copy, elements_in(a));
    p->step = a->form == LINEAR_MATRIX ? (int)(a->rows > 1 ? a->rows : 1) : a->value < 0 ? -1 : 1;
    return p->copy;
}

/* Numbers as the routine computes: packed one behind the other. */
static void pass_numbers(const struct call *c, const struct linear_argument *a, struct passed *p)
{
    cudaDataType t = type_of(c->letter, a->real);
    for (int64_t i = 0; i < a->count; i++)
        element_store(t, (char *)p->number + (size_t)i * element_bytes(t), a->number[i]);
}

static void take_numbers(const struct call *c, const struct linear_argument *a, const struct passed *p)
{
    cudaDataType t = type_of(c->letter, a->real);
    char *to = library_host(a->at);
    for (int64_t i = 0; i < a->count; i++)
        elements_convert(a->type, to + (size_t)i * element_bytes(a->type), 0, t, (const char *)p->number + (size_t)i * element_bytes(t), 0, 1);
}

/* Pointers in the routine's order; how many. */
static int pass(const struct call *c, int64_t batch, struct passed *p, void **v)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct linear_argument *a = &c->a[i];
        p[i] = (struct passed){.size = a->value < 0 ? 0 : (int)a->value, .step = (int)a->value};
        switch (a->kind) {
        case LINEAR_LETTER:
            p[i].letter = a->letters[a->value];
            v[n++] = &p[i].letter;
            break;
        case LINEAR_JOB:
            p[i].letter = (char)a->value;
            v[n++] = &p[i].letter;
            break;
        case LINEAR_SIZE:
            v[n++] = &p[i].size;
            break;
        case LINEAR_FACTOR:
        case LINEAR_SCALAR:
            pass_numbers(c, a, &p[i]);
            v[n++] = p[i].number;
            break;
        case LINEAR_ARRAY:
            v[n++] = array_for(c, a, batch, &p[i]);
            if (a->form != LINEAR_PACKED)
                v[n++] = &p[i].step;
            break;
        case LINEAR_INTEGERS:
        case LINEAR_INFO:
            v[n++] = a->at ? (int *)library_host(a->at) + (a->value ? 0 : batch * a->count) : NULL;
            break;
        default:
            break;
        }
    }
    return n;
}

static void take_back(const struct call *c, int64_t batch, struct passed *p)
{
    for (int i = 0; i < c->n; i++) {
        const struct linear_argument *a = &c->a[i];
        if (a->kind == LINEAR_SCALAR)
            take_numbers(c, a, &p[i]);
        if (p[i].copy && a->access & LIBRARY_WRITE)
            convert_array(a, array_at(a, batch), p[i].copy, type_of(c->letter, a->real), true);
        free(p[i].copy);
    }
}

static const struct linear_argument *result_of(const struct call *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->a[i].kind == LINEAR_RESULT || c->a[i].kind == LINEAR_INDEX)
            return &c->a[i];
    return NULL;
}

static void store_index(const struct linear_argument *r, int i)
{
    if (r->value == 8)
        *(int64_t *)library_host(r->at) = i;
    else
        *(int *)library_host(r->at) = i;
}

/* cuBLAS answers 0 for a norm along increments that are not positive (tests/truth/libraries/cublas.tsv, H200); BLAS from 3.10 on has one. */
static bool is_nothing(const struct call *c)
{
    bool norm = !strcmp(c->routine.name, "nrm2") || !strcmp(c->routine.name, "asum"), backwards = false;
    for (int i = 0; i < c->n; i++)
        backwards = backwards || (c->a[i].kind == LINEAR_ARRAY && c->a[i].value <= 0);
    return norm && backwards;
}

static void compute_function(const struct call *c, const struct linear_argument *r, void **v, int n)
{
    bool real = r->real || c->letter == 's' || c->letter == 'd';
    bool single = (c->letter == 's' && strncmp(c->routine.name, "dot", 3) != 0) || c->letter == 'c'; /* what the host answers */
    double part[2] = {0, 0};
    if (r->kind == LINEAR_INDEX) {
        int i = 0;
        if (c->own) {
            v[n] = &i;
            c->own(v);
        } else {
            i = host_call_int(c->host, v, n);
        }
        store_index(r, i);
        return;
    }
    if (is_nothing(c)) {
        part[0] = 0;
    } else if (real) {
        part[0] = single ? (double)host_call_float(c->host, v, n) : host_call_double(c->host, v, n);
    } else {
        double _Complex z = single ? (double _Complex)host_call_complex(c->host, v, n) : host_call_double_complex(c->host, v, n);
        part[0] = __real__ z;
        part[1] = __imag__ z;
    }
    element_store(r->type, library_host(r->at), part);
}

static cudaError_t run(void *data)
{
    const struct call *c = data;
    const struct linear_argument *result = result_of(c);
    for (int64_t batch = 0; batch < c->batches; batch++) {
        struct passed p[LINEAR_MOST];
        void *v[2 * LINEAR_MOST + 1];
        int n = pass(c, batch, p, v);
        if (result)
            compute_function(c, result, v, n);
        else if (c->own)
            c->own(v);
        else
            host_call(c->host, v, n);
        take_back(c, batch, p);
    }
    return cudaSuccess;
}

static void shape(const void *data, char *text, size_t size)
{
    const struct call *c = data;
    size_t at = 0;
    *text = 0;
    for (int i = 0; i < c->n && at < size; i++)
        if (c->a[i].kind == LINEAR_SIZE || c->a[i].kind == LINEAR_BATCH)
            at += (size_t)snprintf(text + at, size - at, "%s%s %lld", at ? ", " : "", c->a[i].name, (long long)c->a[i].value);
}

/* --- the bound --- */

static enum library_peak peak_of(const struct call *c)
{
    bool product = !strncmp(c->routine.name, "gemm", 4), half = false, eighth = false;
    for (int i = 0; i < c->n; i++)
        if (c->a[i].kind == LINEAR_ARRAY && c->a[i].access == LINEAR_IN) {
            half = half || element_bytes(c->a[i].type) == (element_is_complex(c->a[i].type) ? 4u : 2u);
            eighth = eighth || element_bytes(c->a[i].type) == 1;
        }
    if (c->letter == 'd' || c->letter == 'z')
        return product ? LIBRARY_DOUBLE_MATRIX : LIBRARY_DOUBLE;
    if (!product)
        return LIBRARY_SINGLE;
    return eighth ? LIBRARY_INT8_MATRIX : half ? LIBRARY_HALF_MATRIX : c->context.tf32 ? LIBRARY_TF32_MATRIX : LIBRARY_SINGLE;
}

static double flops_of(const struct call *c)
{
    bool is_complex = c->letter == 'c' || c->letter == 'z';
    double each = c->routine.naming == LINEAR_REAL ? 2 : 6; /* a complex number times a real one */
    return is_complex ? each * c->routine.multiplications + 2 * c->routine.additions : c->routine.multiplications + c->routine.additions;
}

/* --- the call --- */

static void init(struct call *c, const struct linear_context *context, const struct linear_routine *r, const struct linear_argument *a, int n)
{
    *c = (struct call){.context = *context, .routine = *r, .n = n, .batches = 1};
    memcpy(c->a, a, (size_t)n * sizeof *a);
    choose_letter(c);
    for (int i = 0; i < n; i++) {
        if (c->a[i].kind == LINEAR_ARRAY) {
            c->a[i].rows = c->a[i].rows < 0 ? 0 : c->a[i].rows;
            c->a[i].cols = c->a[i].cols < 0 ? 0 : c->a[i].cols;
        }
        if (c->a[i].kind == LINEAR_BATCH)
            c->batches = c->a[i].value;
        if ((c->a[i].kind == LINEAR_FACTOR || c->a[i].kind == LINEAR_SCALAR) && c->a[i].at && !context->on_device)
            load_numbers(&c->a[i]);
    }
}

static bool waits(const struct call *c)
{
    bool host = false;
    for (int i = 0; i < c->n; i++)
        host = host || (!c->context.on_device && (c->a[i].kind == LINEAR_RESULT || c->a[i].kind == LINEAR_INDEX || c->a[i].kind == LINEAR_SCALAR));
    return host;
}

/* By the beginnings of names; BLAS's own are none of them, or harmless. */
static bool needs_lapack(const char *name)
{
    static const char *const those[] = {"getr", "matinv", "geqrf", "gels", "po", "or", "sy", "ges"};
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (!strncmp(name, those[i], strlen(those[i])))
            return true;
    return false;
}

enum linear_status linear_check(const struct linear_context *context, const struct linear_routine *r, const struct linear_argument *a, int n)
{
    struct call c;
    init(&c, context, r, a, n);
    return check(&c);
}

enum linear_status linear_call(const struct linear_context *context, const struct linear_routine *r, const struct linear_argument *a, int n)
{
    struct call c;
    struct library_operand o[LINEAR_MOST];
    init(&c, context, r, a, n);
    enum linear_status s = check(&c);
    if (s)
        return s;
    if (!host_blas(context->library, needs_lapack(r->name)))
        return LINEAR_NO_LIBRARY;
    find(&c);
    if (!c.host && !c.own)
        return LINEAR_UNSUPPORTED;
    tell_info(&c, 0);
    const struct library_call call = {.library = context->library, .function = r->function, .flops = flops_of(&c), .peak = peak_of(&c), .operand = o,
                                      .operands = plain_operands(&c, o), .data = &c, .data_bytes = sizeof c, .more = more, .run = run, .shape = shape};
    return library_call(context->stream, &call, waits(&c)) ? LINEAR_FAILED : LINEAR_DONE;
}
