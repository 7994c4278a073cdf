/* What lies in cublasLt's opaque descriptors. */
#ifndef CUBLASLT_DESCRIPTORS_H
#define CUBLASLT_DESCRIPTORS_H

#include <stdbool.h>

#include "cublasLt.h"

#define FIELD(name, value, type, field) type field;
struct layout {
#define ATTRIBUTE_LAYOUT FIELD
#include "heddle/cublaslt_attributes.def"
};
struct matmul {
#define ATTRIBUTE_MATMUL FIELD
#include "heddle/cublaslt_attributes.def"
};
struct transform {
#define ATTRIBUTE_TRANSFORM FIELD
#include "heddle/cublaslt_attributes.def"
};
struct preference {
#define ATTRIBUTE_PREFERENCE FIELD
#include "heddle/cublaslt_attributes.def"
};
#undef FIELD

struct layout *layout_of(cublasLtMatrixLayout_t l);
struct matmul *matmul_of(cublasLtMatmulDesc_t d);
struct transform *transform_of(cublasLtMatrixTransformDesc_t d);

bool lt_is_one(cublasLtHandle_t h);

#endif
