/* Types of products (see products.h). */
#include "libraries/linear/products.h"

#include "cublas_api.h"

enum { FAST = CUBLAS_COMPUTE_32F_FAST_16F };

/* Without its variants. */
static int plain_compute(int t)
{
    switch (t) {
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUBLAS_COMPUTE_16F;
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUBLAS_COMPUTE_32I;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        return CUBLAS_COMPUTE_32F;
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return CUBLAS_COMPUTE_64F;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        return FAST;
    default:
        return t;
    }
}

bool product_is_there(int compute_type, cudaDataType in, cudaDataType out)
{
    int compute = plain_compute(compute_type);
#define PRODUCT(compute_, in_, out_)                                                               \
    if (compute == (compute_) && in == (in_) && out == (out_))                                     \
        return true;
#include "libraries/linear/products.def"
#undef PRODUCT
    return false;
}
