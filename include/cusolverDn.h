/* cuSOLVER's dense part as the manual of CUDA 12 describes it. The routines are declared from heddle/cusolver_routines.def; docs/cusolver.md says what is there. */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include <stddef.h>
#include <stdint.h>

#include "cublas_api.h"
#include "cuComplex.h"
#include "cusolver_common.h"
#include "driver_types.h"

struct cusolverDnContext;
typedef struct cusolverDnContext *cusolverDnHandle_t;
struct syevjInfo;
typedef struct syevjInfo *syevjInfo_t;
struct gesvdjInfo;
typedef struct gesvdjInfo *gesvdjInfo_t;
struct cusolverDnParams;
typedef struct cusolverDnParams *cusolverDnParams_t;
struct cusolverDnIRSParams;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
struct cusolverDnIRSInfos;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;

typedef enum {
    CUSOLVERDN_GETRF = 0,
    CUSOLVERDN_POTRF = 1
} cusolverDnFunction_t;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t *mode);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function, cusolverAlgMode_t algo);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int *executed_sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int *executed_sweeps);

#pragma push_macro("ROUTINE")
#undef ROUTINE
#include "heddle/cusolver_parameters.h"
#define ROUTINE(naming, name, suffix, routine, multiplications, additions, ...) \
    cusolverStatus_t HEDDLE_DN_##naming(name)(cusolverDnHandle_t handle HEDDLE_PARAMETERS(__VA_ARGS__));
#define HEDDLE_ROUTINES "heddle/cusolver_routines.def"
#define HEDDLE_N int
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#define HEDDLE_N int64_t
#define HEDDLE_CUBLAS_WIDE
#include "heddle/cublas_each.h"
#undef HEDDLE_N
#undef HEDDLE_CUBLAS_WIDE
#undef HEDDLE_ROUTINES
#undef ROUTINE
#pragma pop_macro("ROUTINE")

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#include "heddle/cusolver_missing.h"

#endif
