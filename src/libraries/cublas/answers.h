/* What cuBLAS and cublasLt answer of themselves alike. */
#ifndef CUBLAS_ANSWERS_H
#define CUBLAS_ANSWERS_H

#include "cublas_v2.h"

/* A status as it is written, and what it says; "unrecognized status" of what is none. */
const char *answers_name(cublasStatus_t status);
const char *answers_text(cublasStatus_t status);

/* A part of the version; CUBLAS_STATUS_INVALID_VALUE: there is no such part, or nowhere to put it. */
cublasStatus_t answers_version(libraryPropertyType type, int *value);

#endif
