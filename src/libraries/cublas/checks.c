/* What cuBLAS refuses beyond bad sizes: combinations of types, results that have no place, matrices that overlap. */
#include <string.h>

#include "libraries/cublas/handle.h"
#include "libraries/linear/elements.h"
#include "libraries/linear/products.h"

static cudaDataType real_of(cudaDataType t)
{
    return t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t;
}

static bool is_16_bit(cudaDataType t)
{
    return t == CUDA_R_16F || t == CUDA_R_16BF;
}

/* Level 1 with types as arguments: one type for all vectors, computed in that or for 16 bits in float, which factors are of, too. Norms are real; sums of
 * magnitudes of 16-bit numbers are float. */
static bool vector_types_fit(const struct linear_routine *r, const struct linear_argument *a, int n)
{
    bool norm = !strcmp(r->name, "nrm2") || !strcmp(r->name, "asum");
    cudaDataType t = CUDA_R_32F;
    for (int i = n - 1; i >= 0; i--)
        t = a[i].kind == LINEAR_ARRAY ? a[i].type : t;
    cudaDataType wide = is_16_bit(t) ? CUDA_R_32F : norm ? real_of(t) : t;
    for (int i = 0; i < n; i++)
        if ((a[i].kind == LINEAR_ARRAY && (a[i].type != t || element_bytes(t) == 1)) || (a[i].kind == LINEAR_EXECUTION && (cudaDataType)a[i].value != wide) ||
            (a[i].kind == LINEAR_FACTOR && !a[i].real && a[i].count == 1 && a[i].type != wide) ||
            (a[i].kind == LINEAR_RESULT && a[i].type != (!strcmp(r->name, "asum") ? wide : norm ? real_of(t) : t)))
            return false;
    return true;
}

/* Products with types as arguments. Rows of 8-bit integers begin at multiples of 4 bytes. */
static bool types_fit(const struct linear_routine *r, const struct linear_argument *a, int n)
{
    int compute = CUBLAS_COMPUTE_32F;
    cudaDataType in = CUDA_R_32F, out = CUDA_R_32F;
    bool first = true, fit = true;
    if (r->naming == LINEAR_EX && strcmp(r->name, "gemm"))
        return !strncmp(r->name, "rot", 3) || vector_types_fit(r, a, n);
    if (strcmp(r->name, "gemm") || !strstr(r->function, "Ex"))
        return true;
    for (int i = 0; i < n; i++) {
        if (a[i].kind == LINEAR_EXECUTION)
            compute = (int)a[i].count;
        if (a[i].kind != LINEAR_ARRAY)
            continue;
        if (a[i].access != LINEAR_IN) {
            out = a[i].type;
        } else {
            fit = fit && (first || a[i].type == in) && !(element_is_integer(a[i].type) && a[i].value % 4);
            in = a[i].type;
            first = false;
        }
    }
    return fit && product_is_there(compute, in, out);
}

static const struct linear_argument *named(const struct linear_argument *a, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(a[i].name, name))
            return &a[i];
    return NULL;
}

/* C may be A or B, if that is not transposed and lies as C does. */
static bool in_place_fits(const struct linear_argument *a, int n, const char *op, const char *matrix)
{
    const struct linear_argument *m = named(a, n, matrix), *c = named(a, n, "C");
    return !c->at || m->at != c->at || (named(a, n, op)->value == CUBLAS_OP_N && m->value == c->value);
}

/* A product looks at once whether its matrices are there. */
static bool lacks_matrix(const struct linear_routine *r, const struct linear_argument *a, int n)
{
    for (int i = 0; i < n && !strcmp(r->name, "gemm"); i++)
        if (a[i].kind == LINEAR_ARRAY && !a[i].at && a[i].rows > 0 && a[i].cols > 0)
            return true;
    return false;
}

enum { MATINV_MOST = 32 };

cublasStatus_t check_call(const struct linear_routine *r, const struct linear_argument *a, int n)
{
    for (int i = 0; i < n; i++)
        if ((a[i].kind == LINEAR_RESULT || a[i].kind == LINEAR_INDEX) && !a[i].at)
            return CUBLAS_STATUS_MAPPING_ERROR;
    if (!strcmp(r->name, "geam") && !(in_place_fits(a, n, "transa", "A") && in_place_fits(a, n, "transb", "B")))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!strcmp(r->name, "matinv") && named(a, n, "n")->value > MATINV_MOST)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lacks_matrix(r, a, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    return types_fit(r, a, n) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

bool check_tf32(cublasMath_t math, const struct linear_argument *a, int n)
{
    enum { MODES = 15 }; /* the bits above say how sums are reduced */
    bool tf32 = (math & MODES) == CUBLAS_TF32_TENSOR_OP_MATH;
    for (int i = 0; i < n; i++)
        tf32 = tf32 || (a[i].kind == LINEAR_EXECUTION && a[i].count == CUBLAS_COMPUTE_32F_FAST_TF32);
    return tf32;
}
