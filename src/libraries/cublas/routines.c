/* The routines of cuBLAS, from heddle/cublas_routines.def: each describes its parameters and calls libraries/linear. */
#include "libraries/cublas/handle.h"
#include "libraries/linear/arguments.h"

#define NAMING_function LINEAR_PLAIN
#define NAMING_plain   LINEAR_PLAIN
#define NAMING_index   LINEAR_I
#define NAMING_norm    LINEAR_NORM
#define NAMING_by_real LINEAR_REAL
#define NAMING_as_ex   LINEAR_EX

/* --- the functions --- */

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name
#define ROUTINE(naming_, name_, suffix, routine_, multiplications_, additions_, ...)                                                   \
    cublasStatus_t HEDDLE_CUBLAS_SYMBOL(naming_, name_, suffix)(cublasHandle_t handle HEDDLE_PARAMETERS(__VA_ARGS__))                  \
    {                                                                                                                                  \
        const struct linear_argument arguments_[] = {HEDDLE_MAP(ARGUMENT, __VA_ARGS__)};                                               \
        const struct linear_routine row_ = {.function = TEXT(HEDDLE_CUBLAS_PLAIN(naming_, name_)), .name = #routine_,                     \
                                         .naming = NAMING_##naming_, .type = HEDDLE_TYPE_T, .multiplications = (double)(multiplications_), \
                                         .additions = (double)(additions_)};                                                           \
        return handle_call(handle, &row_, arguments_, sizeof arguments_ / sizeof *arguments_);                                    \
    }
#define HEDDLE_ROUTINES "heddle/cublas_routines.def"
#define HEDDLE_N int
#define HEDDLE_CUBLAS_WIDTH
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#undef HEDDLE_CUBLAS_WIDTH
#define HEDDLE_N int64_t
#define HEDDLE_CUBLAS_WIDTH _64
#define HEDDLE_CUBLAS_WIDE
#include "heddle/cublas_each.h"
