/* Rows of heddle/cublas_routines.def as arguments of linear_call: each kind of parameter as a struct linear_argument, and the words of their expressions. */
#ifndef LINEAR_ARGUMENTS_H
#define LINEAR_ARGUMENTS_H

#include "cublas_api.h"
#include "heddle/cublas_parameters.h"
#include "libraries/linear/call.h"
#include "libraries/linear/elements.h"

#define IS_LEFT(side)  ((side) == CUBLAS_SIDE_LEFT)
#define IS_PLAIN(trans) ((trans) == CUBLAS_OP_N)
#define BELOW(uplo, k) ((uplo) == CUBLAS_FILL_MODE_LOWER ? (k) : 0)
#define ABOVE(uplo, k) ((uplo) == CUBLAS_FILL_MODE_LOWER ? 0 : (k))
#define HALF(n)        (0.5 * (double)(n) * ((double)(n) + 1))

/* The type of a computation, as linear/call.h has it. */
static inline cudaDataType compute_type(cublasComputeType_t t)
{
    switch (t) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    default:
        return CUDA_R_32F;
    }
}

/* --- what each kind of parameter is (libraries/linear/call.h) --- */

#define TYPE_in     HEDDLE_TYPE_T
#define TYPE_out    HEDDLE_TYPE_U
#define TYPE_io     HEDDLE_TYPE_U
#define TYPE_update HEDDLE_TYPE_U

#define ACCESS_in     LINEAR_IN
#define ACCESS_out    LINEAR_OUT
#define ACCESS_io     LINEAR_IO
#define ACCESS_update LINEAR_UPDATE

#define SHAPE_full
#define SHAPE_triangle(uplo, diag) , .shape = (uplo) == CUBLAS_FILL_MODE_LOWER ? LINEAR_LOWER : LINEAR_UPPER, .unit = (diag) == CUBLAS_DIAG_UNIT
#define SHAPE_band(lower, upper, order) , .shape = LINEAR_BAND, .below = (lower), .above = (upper), .height = (order)

#define LETTER_OF(name_, letters_)             {.kind = LINEAR_LETTER, .name = #name_, .letters = letters_, .value = (name_)},
#define NUMBERS(kind_, name_, type_, count_, ...) {.kind = LINEAR_##kind_, .name = #name_, .at = name_, .type = type_, .count = count_, __VA_ARGS__},
#define ARRAY(form_, access_, name_, type_, step_, rows_, cols_, ...)                                                                  \
    {.kind = LINEAR_ARRAY, .name = #name_, .at = name_, .type = type_, .value = step_, .form = LINEAR_##form_, .access = ACCESS_##access_, \
     .rows = rows_, .cols = cols_ __VA_ARGS__},

#define A_op(name)               LETTER_OF(name, "NTC")
#define A_uplo(name)             LETTER_OF(name, "LU")
#define A_side(name)             LETTER_OF(name, "LR")
#define A_diag(name)             LETTER_OF(name, "NU")
#define A_size(name_)            {.kind = LINEAR_SIZE, .name = #name_, .value = (name_)},
#define A_batch(name_)           {.kind = LINEAR_BATCH, .name = #name_, .value = (name_)},
#define A_factor(name)           NUMBERS(FACTOR, name, HEDDLE_TYPE_F, 1, .access = LINEAR_IN)
#define A_real_factor(name)      NUMBERS(FACTOR, name, HEDDLE_TYPE_R, 1, .access = LINEAR_IN, .real = true)
#define A_factor_as(name, as)    NUMBERS(FACTOR, name, as, 1, .access = LINEAR_IN)
#define A_factor_of(name)        NUMBERS(FACTOR, name, HEDDLE_TYPE_F, 1, .access = LINEAR_IN, .computed = true)
#define A_factors(name, n)       NUMBERS(FACTOR, name, HEDDLE_TYPE_F, n, .access = LINEAR_IN)
#define A_factor_by(name, as)      A_factor_as(name, as)
#define A_real_factor_by(name, as) NUMBERS(FACTOR, name, as, 1, .access = LINEAR_IN, .real = true)
#define A_scalar_by(name, as)      A_scalar_as(name, as)
#define A_real_scalar_by(name, as) NUMBERS(SCALAR, name, as, 1, .access = LINEAR_IO, .real = true)
#define A_type(name)               A_algorithm(name)
#define A_factors_as(name, n, as)  NUMBERS(FACTOR, name, as, n, .access = LINEAR_IN)
#define A_scalar_as(name, as)      NUMBERS(SCALAR, name, as, 1, .access = LINEAR_IO)
#define A_scalars_as(name, n, as)  NUMBERS(SCALAR, name, as, n, .access = LINEAR_IO)
#define A_scalar(name)           NUMBERS(SCALAR, name, HEDDLE_TYPE_F, 1, .access = LINEAR_IO)
#define A_real_scalar(name)      NUMBERS(SCALAR, name, HEDDLE_TYPE_R, 1, .access = LINEAR_IO, .real = true)
#define A_scalars(name, n)       NUMBERS(SCALAR, name, HEDDLE_TYPE_F, n, .access = LINEAR_IO)
#define A_result(name)           NUMBERS(RESULT, name, HEDDLE_TYPE_F, 1, .access = LINEAR_OUT)
#define A_real_result(name)      NUMBERS(RESULT, name, HEDDLE_TYPE_R, 1, .access = LINEAR_OUT, .real = true)
#define A_result_as(name, as)    NUMBERS(RESULT, name, as, 1, .access = LINEAR_OUT, .real = !element_is_complex(as))
#define A_index(name_)           {.kind = LINEAR_INDEX, .name = #name_, .at = name_, .value = sizeof *name_, .access = LINEAR_OUT},
#define A_vector(access, name, inc, n)                               ARRAY(VECTOR, access, name, TYPE_##access, inc, n, 1)
#define A_vector_as(access, name, as, inc, n)                        ARRAY(VECTOR, access, name, as, inc, n, 1)
#define A_vectors(access, name, inc, n)                              ARRAY(VECTOR, access, name, TYPE_##access, inc, n, 1, , .batches = LINEAR_POINTERS)
#define A_vector_strided(access, name, inc, stride_, n)              ARRAY(VECTOR, access, name, TYPE_##access, inc, n, 1, , .batches = LINEAR_STRIDED, .stride = stride_)
#define A_matrix(access, name, ld, rows, cols, shape)                ARRAY(MATRIX, access, name, TYPE_##access, ld, rows, cols, SHAPE_##shape)
#define A_matrix_as(access, name, as, ld, rows, cols, shape)         ARRAY(MATRIX, access, name, as, ld, rows, cols, SHAPE_##shape)
#define A_matrices(access, name, ld, rows, cols, shape)              ARRAY(MATRIX, access, name, TYPE_##access, ld, rows, cols, , .batches = LINEAR_POINTERS SHAPE_##shape)
#define A_matrices_as(access, name, as, ld, rows, cols, shape)       ARRAY(MATRIX, access, name, as, ld, rows, cols, , .batches = LINEAR_POINTERS SHAPE_##shape)
#define A_matrix_strided(access, name, ld, stride_, rows, cols, shape) \
    ARRAY(MATRIX, access, name, TYPE_##access, ld, rows, cols, , .batches = LINEAR_STRIDED, .stride = stride_ SHAPE_##shape)
#define A_matrix_strided_as(access, name, as, ld, stride_, rows, cols, shape) \
    ARRAY(MATRIX, access, name, as, ld, rows, cols, , .batches = LINEAR_STRIDED, .stride = stride_ SHAPE_##shape)
#define A_packed(access, name, n)     ARRAY(PACKED, access, name, TYPE_##access, 1, (int64_t)(n) * ((int64_t)(n) + 1) / 2, 1)
#define A_arrays(access, name, n)     ARRAY(PACKED, access, name, TYPE_##access, 1, n, 1, , .batches = LINEAR_POINTERS)
#define A_integers(access_, name_, n) {.kind = LINEAR_INTEGERS, .name = #name_, .at = name_, .count = n, .access = ACCESS_##access_},
#define A_info(name_)                 {.kind = LINEAR_INFO, .name = #name_, .at = name_, .count = 1, .access = LINEAR_OUT},
#define A_maybe_info(name_)           {.kind = LINEAR_INFO, .name = #name_, .at = name_, .count = 1, .access = LINEAR_OUT, .optional = true},
#define A_host_info(name_)            {.kind = LINEAR_HOST_INFO, .name = #name_, .at = name_},
#define A_execution(name_)            {.kind = LINEAR_EXECUTION, .name = #name_, .value = (name_)},
#define A_compute(name_)              {.kind = LINEAR_EXECUTION, .name = #name_, .value = compute_type(name_), .count = (name_)},
#define A_algorithm(name_)            {.kind = LINEAR_HINT, .name = #name_, .value = (name_)},

#define ARGUMENT(kind, ...) A_##kind(__VA_ARGS__)

#endif
