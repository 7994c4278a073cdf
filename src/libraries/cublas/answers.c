/* Statuses and versions of cuBLAS and cublasLt, from include/heddle/cublas_statuses.def. */
#include "libraries/cublas/answers.h"

const char *answers_name(cublasStatus_t status)
{
    switch (status) {
#define CUBLAS_STATUS(name, value, text)                                                           \
    case name:                                                                                     \
        return #name;
#include "heddle/cublas_statuses.def"
#undef CUBLAS_STATUS
    }
    return "unrecognized status";
}

const char *answers_text(cublasStatus_t status)
{
    switch (status) {
#define CUBLAS_STATUS(name, value, text)                                                           \
    case name:                                                                                     \
        return text;
#include "heddle/cublas_statuses.def"
#undef CUBLAS_STATUS
    }
    return "unrecognized status";
}

cublasStatus_t answers_version(libraryPropertyType type, int *value)
{
    static const int versions[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = versions[type];
    return CUBLAS_STATUS_SUCCESS;
}
