/* How the rows of cublas_routines.def become the old interface (cublas.h): letters for what to do, factors by value, results returned. Rows with _v2 are in it. */
#ifndef HEDDLE_CUBLAS_OLD_H
#define HEDDLE_CUBLAS_OLD_H

#include "heddle/cublas_parameters.h"

#define HEDDLE_O_op(name)                     , char name
#define HEDDLE_O_uplo(name)                   , char name
#define HEDDLE_O_side(name)                   , char name
#define HEDDLE_O_diag(name)                   , char name
#define HEDDLE_O_size(name)                   , int name
#define HEDDLE_O_factor(name)                 , HEDDLE_F name
#define HEDDLE_O_real_factor(name)            , HEDDLE_R name
#define HEDDLE_O_factors(name, n)             , const HEDDLE_F *name
#define HEDDLE_O_scalar(name)                 , HEDDLE_F *name
#define HEDDLE_O_real_scalar(name)            , HEDDLE_R *name
#define HEDDLE_O_result(name)
#define HEDDLE_O_real_result(name)
#define HEDDLE_O_index(name)
#define HEDDLE_O_vector(access, name, inc, n) , HEDDLE_CONST_##access HEDDLE_OF_##access *name, int inc
#define HEDDLE_O_matrix(access, name, ld, rows, cols, ...) , HEDDLE_CONST_##access HEDDLE_OF_##access *name, int ld
#define HEDDLE_O_packed(access, name, n)      , HEDDLE_CONST_##access HEDDLE_OF_##access *name
#define HEDDLE_OLD_PARAMETER(kind, ...)       HEDDLE_O_##kind(__VA_ARGS__)

/* Every parameter comes with a comma before it: the first one's goes. */
#define HEDDLE_OLD_PARAMETERS(...)            (HEDDLE_WITHOUT_FIRST(HEDDLE_MAP(HEDDLE_OLD_PARAMETER, __VA_ARGS__)))
#define HEDDLE_WITHOUT_FIRST(...)             HEDDLE_WITHOUT_FIRST_(__VA_ARGS__)
#define HEDDLE_WITHOUT_FIRST_(none, ...)      __VA_ARGS__

#define HEDDLE_OLD_RETURNS_plain    void
#define HEDDLE_OLD_RETURNS_by_real  void
#define HEDDLE_OLD_RETURNS_function HEDDLE_F
#define HEDDLE_OLD_RETURNS_index    int
#define HEDDLE_OLD_RETURNS_norm     HEDDLE_R

#endif
