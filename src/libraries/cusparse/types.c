/* Number formats (see types.h): one row each. */
#include "libraries/cusparse/types.h"

#include <complex.h>
#include <string.h>

#include "libraries/numbers.h"

/* type, bytes, complex, the format that computes when it is a compute type */
static const struct row {
    cudaDataType type;
    int bytes;
    bool pair; /* a complex number */
    enum compute compute;
} rows[] = {
    {CUDA_R_32F, 4, false, COMPUTE_F32},  {CUDA_R_64F, 8, false, COMPUTE_F64}, {CUDA_C_32F, 8, true, COMPUTE_C32},
    {CUDA_C_64F, 16, true, COMPUTE_C64},  {CUDA_R_32I, 4, false, COMPUTE_I32}, {CUDA_R_16F, 2, false, COMPUTES},
    {CUDA_R_16BF, 2, false, COMPUTES},    {CUDA_C_16F, 4, true, COMPUTES},     {CUDA_C_16BF, 4, true, COMPUTES},
    {CUDA_R_8I, 1, false, COMPUTES},
};

static const struct row *row_of(cudaDataType type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

int type_bytes(cudaDataType type)
{
    const struct row *r = row_of(type);
    return r ? r->bytes : 0;
}

bool type_is_complex(cudaDataType type)
{
    const struct row *r = row_of(type);
    return r && r->pair;
}

enum compute type_compute(cudaDataType type)
{
    const struct row *r = row_of(type);
    return r ? r->compute : COMPUTES;
}

int compute_bytes(enum compute c)
{
    static const int bytes[] = {[COMPUTE_F32] = 4, [COMPUTE_F64] = 8, [COMPUTE_C32] = 8, [COMPUTE_C64] = 16, [COMPUTE_I32] = 4};
    return bytes[c];
}

enum library_peak compute_peak(enum compute c, cudaDataType stored)
{
    if (c == COMPUTE_F64 || c == COMPUTE_C64)
        return LIBRARY_DOUBLE;
    if (c == COMPUTE_I32)
        return LIBRARY_INT8_MATRIX;
    return type_bytes(stored) < 4 ? LIBRARY_HALF_MATRIX : LIBRARY_SINGLE;
}

bool type_is(cudaDataType type, enum compute c)
{
    return type_compute(type) == c;
}

bool type_widens(cudaDataType type, enum compute c)
{
    if (type_is(type, c))
        return true;
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return c == COMPUTE_F32;
    case CUDA_R_8I:
        return c == COMPUTE_F32 || c == COMPUTE_I32;
    case CUDA_R_32F:
        return c == COMPUTE_F64 || c == COMPUTE_C32;
    case CUDA_R_64F:
        return c == COMPUTE_C64;
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return c == COMPUTE_C32;
    default:
        return false;
    }
}

/* A number of any real format that is not a double already; a complex one's parts are two of them. */
static float real_at(cudaDataType type, const void *from, int64_t i)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_C_16F:
        return number_from_half(((const uint16_t *)from)[i]);
    case CUDA_R_16BF:
    case CUDA_C_16BF:
        return number_from_bfloat16(((const uint16_t *)from)[i]);
    case CUDA_R_8I:
        return ((const int8_t *)from)[i];
    default:
        return ((const float *)from)[i];
    }
}

void type_widen(cudaDataType type, enum compute c, const void *from, void *to, int64_t n)
{
    if (type_is(type, c))
        memcpy(to, from, (size_t)n * (size_t)compute_bytes(c));
    else if (c == COMPUTE_F32 || (c == COMPUTE_C32 && type != CUDA_R_32F))
        for (int64_t i = 0; i < n * (c == COMPUTE_F32 ? 1 : 2); i++)
            ((float *)to)[i] = real_at(type, from, i);
    else if (c == COMPUTE_I32)
        for (int64_t i = 0; i < n; i++)
            ((int32_t *)to)[i] = ((const int8_t *)from)[i];
    else if (c == COMPUTE_F64)
        for (int64_t i = 0; i < n; i++)
            ((double *)to)[i] = ((const float *)from)[i];
    else if (c == COMPUTE_C32)
        for (int64_t i = 0; i < n; i++)
            ((float _Complex *)to)[i] = ((const float *)from)[i];
    else
        for (int64_t i = 0; i < n; i++)
            ((double _Complex *)to)[i] = ((const double *)from)[i];
}

void type_narrow(cudaDataType type, enum compute c, const void *from, void *to, int64_t n)
{
    const bool half = type == CUDA_R_16F || type == CUDA_C_16F;
    if (type_is(type, c)) {
        memcpy(to, from, (size_t)n * (size_t)compute_bytes(c));
        return;
    }
    n *= type_is_complex(type) ? 2 : 1;
    for (int64_t i = 0; i < n; i++) {
        const float f = c == COMPUTE_F64 ? (float)((const double *)from)[i] : c == COMPUTE_I32 ? (float)((const int32_t *)from)[i] : ((const float *)from)[i];
        if (type == CUDA_R_8I)
            ((int8_t *)to)[i] = (int8_t)f;
        else if (type == CUDA_R_32F)
            ((float *)to)[i] = f;
        else
            ((uint16_t *)to)[i] = half ? number_to_half(f) : number_to_bfloat16(f);
    }
}

bool type_is_zero(cudaDataType type, const void *value)
{
    const char *number = value;
    uint64_t parts[2] = {0, 0};
    const size_t bytes = (size_t)type_bytes(type), part = type_is_complex(type) ? bytes / 2 : bytes;
    switch (part) { /* a width that is known is one load */
    case 8:
        memcpy(&parts[0], number, 8);
        memcpy(&parts[1], number + bytes - 8, 8);
        break;
    case 4:
        memcpy(&parts[0], number, 4);
        memcpy(&parts[1], number + bytes - 4, 4);
        break;
    case 2:
        memcpy(&parts[0], number, 2);
        memcpy(&parts[1], number + bytes - 2, 2);
        break;
    default:
        return !*number;
    }
    const uint64_t sign = type == CUDA_R_32I ? 0 : (uint64_t)1 << (8 * part - 1);
    return !((parts[0] | parts[1]) & ~sign);
}
