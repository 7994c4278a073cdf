/* How the rows of cusolver_routines.def become prototypes: the kinds beside those of cublas_parameters.h. */
#ifndef HEDDLE_CUSOLVER_PARAMETERS_H
#define HEDDLE_CUSOLVER_PARAMETERS_H

#include "heddle/cublas_parameters.h"

#define HEDDLE_P_written(name, type, ld, rows, cols)
#define HEDDLE_P_mode(name)                    , cusolverEigMode_t name
#define HEDDLE_P_kind_of(name)                 , cusolverEigType_t name
#define HEDDLE_P_job(name)                     , signed char name
#define HEDDLE_P_flag(name)                    , int name
#define HEDDLE_P_work(name, size)              , HEDDLE_T *name, int size
#define HEDDLE_P_space(name)                   , HEDDLE_T *name
#define HEDDLE_P_real_space(name)              , HEDDLE_R *name
#define HEDDLE_P_room(name)                    , int *name
#define HEDDLE_P_one_info(name)                , int *name
#define HEDDLE_P_jacobi(type, name)            , type name
#define HEDDLE_P_array(access, name, n)        , HEDDLE_CONST_##access HEDDLE_T *name
#define HEDDLE_P_real_array(access, name, n)   , HEDDLE_CONST_##access HEDDLE_R *name
#define HEDDLE_P_optional(access, name, ld, rows, cols, used) , HEDDLE_CONST_##access HEDDLE_T *name, HEDDLE_N ld
#define HEDDLE_P_lists(access, name, ld, rows, cols, ...)     , HEDDLE_T *name[], HEDDLE_N ld
#define HEDDLE_P_solver(name)                  , cusolverDnParams_t name
#define HEDDLE_P_matrix_of(access, name, type, ld, rows, cols, ...) , cudaDataType type, HEDDLE_CONST_##access void *name, HEDDLE_N ld
#define HEDDLE_P_array_of(access, name, type, n, real)        , cudaDataType type, HEDDLE_CONST_##access void *name
#define HEDDLE_P_pivots(access, name, n)       , HEDDLE_CONST_##access int64_t *name
#define HEDDLE_P_buffers(device, device_bytes, host, host_bytes) , void *device, size_t device_bytes, void *host, size_t host_bytes
#define HEDDLE_P_rooms(device, host)           , size_t *device, size_t *host

#endif
