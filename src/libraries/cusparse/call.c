/* cuSPARSE's calls (see call.h). */
#include "libraries/cusparse/call.h"

#include <stdio.h>
#include <string.h>

struct scalar scalar_of(cusparseHandle_t handle, const void *p, enum compute c)
{
    struct scalar s = {.device = handle->mode == CUSPARSE_POINTER_MODE_DEVICE ? p : NULL};
    if (!s.device && p)
        memcpy(s.value, p, (size_t)compute_bytes(c));
    return s;
}

const void *scalar_at(const struct scalar *s)
{
    return s->device ? library_host(s->device) : s->value;
}

bool scalar_is_zero(const struct scalar *s, enum compute c)
{
    return !s->device && kernels_of[c].is_zero(s->value);
}

const void *scalar_one(enum compute c)
{
    static const float f32 = 1, c32[2] = {1, 0};
    static const double f64 = 1, c64[2] = {1, 0};
    static const int32_t i32 = 1;
    static const void *const ones[] = {[COMPUTE_F32] = &f32, [COMPUTE_F64] = &f64, [COMPUTE_C32] = c32, [COMPUTE_C64] = c64, [COMPUTE_I32] = &i32};
    return ones[c];
}

const void *scalar_zero(enum compute c)
{
    static const double zero[2];
    (void)c;
    return zero;
}

void call_array(struct call *c, const char *name, const void *at, int64_t bytes, unsigned access)
{
    if (bytes > 0 && c->operands < CALL_OPERANDS)
        c->operand[c->operands++] = (struct library_operand){.name = name, .at = at, .width = (size_t)bytes, .access = access};
}

void call_scalar(struct call *c, const char *name, const struct scalar *s, enum compute as)
{
    if (s->device)
        call_array(c, name, s->device, compute_bytes(as), LIBRARY_READ);
}

static void batched(struct call *c, const char *name, const void *at, int64_t bytes, int batches, int64_t stride, unsigned access)
{
    const int before = c->operands;
    call_array(c, name, at, bytes, access);
    if (c->operands > before && batches > 1 && stride > 0) {
        c->operand[before].depth = (size_t)batches;
        c->operand[before].slice = (size_t)stride;
    }
}

void call_matrix(struct call *c, const struct cusparseSpMatDescr *m, unsigned values, bool structure)
{
    static const char *const names[][3] = {
        [CUSPARSE_FORMAT_CSR] = {"row offsets", "column indices", "values"}, [CUSPARSE_FORMAT_CSC] = {"column offsets", "row indices", "values"},
        [CUSPARSE_FORMAT_COO] = {"row indices", "column indices", "values"}, [CUSPARSE_FORMAT_BSR] = {"block row offsets", "block columns", "values"},
        [CUSPARSE_FORMAT_BLOCKED_ELL] = {"", "block columns", "values"},
    };
    const int first = index_bytes(m->first_type), second = index_bytes(m->second_type), value = type_bytes(m->type);
    if (structure) {
        batched(c, names[m->format][0], m->first, matrix_firsts(m) * first, m->batches, m->first_stride * first, LIBRARY_READ);
        batched(c, names[m->format][1], m->second, matrix_seconds(m) * second, m->batches, m->second_stride * second, LIBRARY_READ);
    }
    if (values)
        batched(c, names[m->format][2], m->values, matrix_values(m) * value, m->batches, m->value_stride * value, values);
}

void call_dense(struct call *c, const char *name, const struct cusparseDnMatDescr *d, unsigned access)
{
    const bool by_row = d->order == CUSPARSE_ORDER_ROW;
    const int64_t n = by_row ? d->rows : d->cols, length = by_row ? d->cols : d->rows;
    const int bytes = type_bytes(d->type), before = c->operands;
    if (n == 0)
        return;
    batched(c, name, d->values, length * bytes, d->batches, d->batch_stride * bytes, access);
    if (c->operands > before) {
        c->operand[before].height = (size_t)n;
        c->operand[before].pitch = (size_t)(d->ld * bytes);
    }
}

int call_shape(const struct cusparseSpMatDescr *m, char *text, size_t size)
{
    static const char *const formats[] = {
        [CUSPARSE_FORMAT_CSR] = "CSR", [CUSPARSE_FORMAT_CSC] = "CSC", [CUSPARSE_FORMAT_COO] = "COO", [CUSPARSE_FORMAT_BSR] = "blocks, BSR",
        [CUSPARSE_FORMAT_BLOCKED_ELL] = "blocked ELL"};
    return snprintf(text, size, "%lld x %lld %s, %lld values", (long long)m->rows, (long long)m->cols, formats[m->format], (long long)matrix_values(m));
}

cusparseStatus_t call_put(struct call *c, cusparseHandle_t handle, cudaError_t (*run)(void *), const void *data, size_t bytes, bool wait)
{
    struct library_call l = {.library = "cuSPARSE", .function = c->function, .flops = c->flops, .peak = c->peak, .operand = c->operand,
                             .operands = c->operands, .data = data, .data_bytes = bytes, .more = c->more, .run = run, .shape = c->shape};
    cudaError_t e = library_call(handle->stream, &l, wait);
    return e == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : e == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_EXECUTION_FAILED;
}
