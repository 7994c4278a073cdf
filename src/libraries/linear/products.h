/* Which types a product may have (products.def). */
#ifndef LINEAR_PRODUCTS_H
#define LINEAR_PRODUCTS_H

#include <stdbool.h>

#include "library_types.h"

/* compute: a cublasComputeType_t; in: of A and B; out: of C. */
bool product_is_there(int compute, cudaDataType in, cudaDataType out);

#endif
