/* cuFFT's second interface: other number formats, and what is for several GPUs and for callbacks (CUDA's cufftXt.h). The last two
 * are not there: the functions are declared from heddle/fft_functions.def and refuse by name. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include "cudalibxt.h"
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum cufftXtSubFormat_t {
    CUFFT_XT_FORMAT_INPUT = 0,
    CUFFT_XT_FORMAT_OUTPUT = 1,
    CUFFT_XT_FORMAT_INPLACE = 2,
    CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
    CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
    CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 5,
    CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 6,
    CUFFT_FORMAT_UNDEFINED = 7
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
    CUFFT_COPY_HOST_TO_DEVICE = 0,
    CUFFT_COPY_DEVICE_TO_HOST = 1,
    CUFFT_COPY_DEVICE_TO_DEVICE = 2,
    CUFFT_COPY_UNDEFINED = 3
} cufftXtCopyType;

typedef enum cufftXtQueryType_t { CUFFT_QUERY_1D_FACTORS = 0, CUFFT_QUERY_UNDEFINED = 1 } cufftXtQueryType;

typedef struct cufftXt1dFactors_t {
    long long int size, stringCount, stringLength, substringLength, factor1, factor2;
    long long int stringMask, substringMask, factor1Mask, factor2Mask;
    int stringShift, substringShift, factor1Shift, factor2Shift;
} cufftXt1dFactors;

typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef enum cufftXtCallbackType_t {
    CUFFT_CB_LD_COMPLEX = 0,
    CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
    CUFFT_CB_LD_REAL = 2,
    CUFFT_CB_LD_REAL_DOUBLE = 3,
    CUFFT_CB_ST_COMPLEX = 4,
    CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
    CUFFT_CB_ST_REAL = 6,
    CUFFT_CB_ST_REAL_DOUBLE = 7,
    CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

/* What a callback looks like; `size` is the type of its offset. */
#define HEDDLE_CUFFT_CALLBACKS(name, size)                                                                                            \
    typedef cufftComplex (*name##LoadC)(void *dataIn, size offset, void *callerInfo, void *sharedPointer);                            \
    typedef cufftDoubleComplex (*name##LoadZ)(void *dataIn, size offset, void *callerInfo, void *sharedPointer);                      \
    typedef cufftReal (*name##LoadR)(void *dataIn, size offset, void *callerInfo, void *sharedPointer);                               \
    typedef cufftDoubleReal (*name##LoadD)(void *dataIn, size offset, void *callerInfo, void *sharedPointer);                         \
    typedef void (*name##StoreC)(void *dataOut, size offset, cufftComplex element, void *callerInfo, void *sharedPointer);            \
    typedef void (*name##StoreZ)(void *dataOut, size offset, cufftDoubleComplex element, void *callerInfo, void *sharedPointer);      \
    typedef void (*name##StoreR)(void *dataOut, size offset, cufftReal element, void *callerInfo, void *sharedPointer);               \
    typedef void (*name##StoreD)(void *dataOut, size offset, cufftDoubleReal element, void *callerInfo, void *sharedPointer);
HEDDLE_CUFFT_CALLBACKS(cufftCallback, size_t)
HEDDLE_CUFFT_CALLBACKS(cufftJITCallback, unsigned long long)
#undef HEDDLE_CUFFT_CALLBACKS

/* ---- plans and transforms of any number format that cuFFT has ---- */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                               long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                               long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy, size_t *workSize);

/* ---- what is not there ---- */
#define CUFFT_NOT_THERE(name, params) cufftResult name params;
#include "heddle/fft_functions.def"

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
