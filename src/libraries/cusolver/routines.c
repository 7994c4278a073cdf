/* The routines of cuSOLVER's dense part, from heddle/cusolver_routines.def: each describes its parameters and calls libraries/linear. */
#include "heddle/cusolver_parameters.h"
#include "libraries/cusolver/solver.h"
#include "libraries/linear/arguments.h"

#define A_written(name_, type_, ld_, rows_, cols_)                                                                                      \
    {.kind = LINEAR_ALSO, .name = #name_, .at = name_, .type = type_, .value = ld_, .form = LINEAR_MATRIX, .access = LINEAR_OUT, .rows = rows_, .cols = cols_},
#define A_mode(name)                    LETTER_OF(name, "NV")
#define A_kind_of(name_)                {.kind = LINEAR_SIZE, .name = #name_, .value = (name_)},
#define A_job(name_)                    {.kind = LINEAR_JOB, .name = #name_, .letters = "ASON", .value = (name_)},
#define A_flag(name_)                   {.kind = LINEAR_SIZE, .name = #name_, .value = (name_)},
#define HINT(name_, at_, value_)        {.kind = LINEAR_HINT, .name = #name_, .at = at_, .value = value_},
#define A_work(name, size)              HINT(name, name, size)
#define A_space(name)                   HINT(name, name, 0)
#define A_real_space(name)              HINT(name, name, 0)
#define A_jacobi(type, name)            HINT(name, name, 0)
#define A_solver(name)                  HINT(name, name, 0)
#define A_buffers(device, device_bytes, host, host_bytes) HINT(device, device, (int64_t)device_bytes) HINT(host, host, (int64_t)host_bytes)
#define A_room(name_)                   {.kind = LINEAR_ROOM, .name = #name_, .at = name_, .value = sizeof *name_},
#define A_rooms(device, host)           A_room(device) A_room(host)
#define A_one_info(name_)               {.kind = LINEAR_INFO, .name = #name_, .at = name_, .count = 1, .value = 1, .access = LINEAR_OUT},
#define A_array(access, name, n)        ARRAY(PACKED, access, name, HEDDLE_TYPE_T, 1, n, 1)
#define A_real_array(access, name, n)   ARRAY(PACKED, access, name, HEDDLE_TYPE_R, 1, n, 1, , .real = true)
#define A_array_of(access, name, type, n, is_real) ARRAY(PACKED, access, name, type, 1, n, 1, , .real = is_real)
#define A_optional(access, name, ld, rows, cols, used) ARRAY(MATRIX, access, name, HEDDLE_TYPE_T, ld, (used) ? (rows) : 0, (used) ? (cols) : 0)
#define A_lists(access, name, ld, rows, cols, shape)   A_matrices(access, name, ld, rows, cols, shape)
#define A_matrix_of(access, name, type, ld, rows, cols, shape) A_matrix_as(access, name, type, ld, rows, cols, shape)
#define A_pivots(access_, name_, n)     {.kind = LINEAR_INTEGERS, .name = #name_, .at = name_, .count = 2 * (int64_t)(n), .access = ACCESS_##access_},

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name
#define ROUTINE(naming_, name_, suffix, routine_, multiplications_, additions_, ...)                                                   \
    cusolverStatus_t HEDDLE_DN_##naming_(name_)(cusolverDnHandle_t handle HEDDLE_PARAMETERS(__VA_ARGS__))                              \
    {                                                                                                                                  \
        const struct linear_argument arguments_[] = {HEDDLE_MAP(ARGUMENT, __VA_ARGS__)};                                               \
        const struct linear_routine row_ = {.function = TEXT(HEDDLE_DN_##naming_(name_)), .name = #routine_, .type = HEDDLE_TYPE_T,    \
                                            .multiplications = (double)(multiplications_), .additions = (double)(additions_)};         \
        return solver_call(handle, &row_, arguments_, sizeof arguments_ / sizeof *arguments_);                                         \
    }
#define HEDDLE_ROUTINES "heddle/cusolver_routines.def"
#define HEDDLE_N int
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#define HEDDLE_N int64_t
#define HEDDLE_CUBLAS_WIDE
#include "heddle/cublas_each.h"
