/* How the rows of cublas_routines.def become prototypes: each kind of parameter as C has it, with a comma before it, and the names of functions. May be
 * included more than once. HEDDLE_N, HEDDLE_T ... as in cublas_each.h. */
#ifndef HEDDLE_CUBLAS_PARAMETERS_H
#define HEDDLE_CUBLAS_PARAMETERS_H

#define HEDDLE_CAT3(a, b, c)  HEDDLE_CAT3_(a, b, c)
#define HEDDLE_CAT3_(a, b, c) a##b##c
#define HEDDLE_SUFFIX__v2     _v2
#define HEDDLE_SUFFIX_apart   _v2
#define HEDDLE_SUFFIX_added
#define HEDDLE_CUBLAS_SYMBOL(naming, name, suffix) HEDDLE_CAT3(HEDDLE_NAME_##naming(name), HEDDLE_SUFFIX_##suffix, HEDDLE_CUBLAS_WIDTH)
#define HEDDLE_CUBLAS_PLAIN(naming, name)          HEDDLE_CAT3(HEDDLE_NAME_##naming(name), HEDDLE_CUBLAS_WIDTH, )

/* access to what is pointed to: read only or not, and of which type */
#define HEDDLE_CONST_in const
#define HEDDLE_CONST_out
#define HEDDLE_CONST_io
#define HEDDLE_CONST_update
#define HEDDLE_OF_in     HEDDLE_T
#define HEDDLE_OF_out    HEDDLE_U
#define HEDDLE_OF_io     HEDDLE_U
#define HEDDLE_OF_update HEDDLE_U

#define HEDDLE_P_op(name)                 , cublasOperation_t name
#define HEDDLE_P_uplo(name)               , cublasFillMode_t name
#define HEDDLE_P_side(name)               , cublasSideMode_t name
#define HEDDLE_P_diag(name)               , cublasDiagType_t name
#define HEDDLE_P_size(name)               , HEDDLE_N name
#define HEDDLE_P_batch(name)              , HEDDLE_N name
#define HEDDLE_P_factor(name)             , const HEDDLE_F *name
#define HEDDLE_P_real_factor(name)        , const HEDDLE_R *name
#define HEDDLE_P_factor_as(name, as)      , const void *name, cudaDataType as
#define HEDDLE_P_factor_of(name)          , const void *name
#define HEDDLE_P_factors(name, n)         , const HEDDLE_F *name
#define HEDDLE_P_factor_by(name, as)      , const void *name
#define HEDDLE_P_real_factor_by(name, as) , const void *name
#define HEDDLE_P_scalar_by(name, as)      , void *name
#define HEDDLE_P_real_scalar_by(name, as) , void *name
#define HEDDLE_P_type(name)               , cudaDataType name
#define HEDDLE_P_factors_as(name, n, as)  , const void *name, cudaDataType as
#define HEDDLE_P_scalar_as(name, as)      , void *name, cudaDataType as
#define HEDDLE_P_scalars_as(name, n, as)  , void *name, cudaDataType as
#define HEDDLE_P_scalar(name)             , HEDDLE_F *name
#define HEDDLE_P_real_scalar(name)        , HEDDLE_R *name
#define HEDDLE_P_scalars(name, n)         , HEDDLE_F *name
#define HEDDLE_P_result(name)             , HEDDLE_F *name
#define HEDDLE_P_real_result(name)        , HEDDLE_R *name
#define HEDDLE_P_index(name)              , HEDDLE_N *name
#define HEDDLE_P_result_as(name, as)      , void *name, cudaDataType as
#define HEDDLE_P_vector(access, name, inc, n)                             , HEDDLE_CONST_##access HEDDLE_OF_##access *name, HEDDLE_N inc
#define HEDDLE_P_vector_as(access, name, as, inc, n)                      , HEDDLE_CONST_##access void *name, cudaDataType as, HEDDLE_N inc
#define HEDDLE_P_vectors(access, name, inc, n)                            , HEDDLE_CONST_##access HEDDLE_OF_##access *const name[], HEDDLE_N inc
#define HEDDLE_P_vector_strided(access, name, inc, stride, n)             , HEDDLE_CONST_##access HEDDLE_OF_##access *name, HEDDLE_N inc, long long int stride
#define HEDDLE_P_matrix(access, name, ld, rows, cols, ...)                , HEDDLE_CONST_##access HEDDLE_OF_##access *name, HEDDLE_N ld
#define HEDDLE_P_matrix_as(access, name, as, ld, rows, cols, ...)         , HEDDLE_CONST_##access void *name, cudaDataType as, HEDDLE_N ld
#define HEDDLE_P_matrices(access, name, ld, rows, cols, ...)              , HEDDLE_CONST_##access HEDDLE_OF_##access *const name[], HEDDLE_N ld
#define HEDDLE_P_matrices_as(access, name, as, ld, rows, cols, ...)       , HEDDLE_CONST_##access void *const name[], cudaDataType as, HEDDLE_N ld
#define HEDDLE_P_matrix_strided(access, name, ld, stride, rows, cols, ...) , HEDDLE_CONST_##access HEDDLE_OF_##access *name, HEDDLE_N ld, long long int stride
#define HEDDLE_P_matrix_strided_as(access, name, as, ld, stride, rows, cols, ...) \
    , HEDDLE_CONST_##access void *name, cudaDataType as, HEDDLE_N ld, long long int stride
#define HEDDLE_P_packed(access, name, n)                                  , HEDDLE_CONST_##access HEDDLE_OF_##access *name
#define HEDDLE_P_arrays(access, name, n)                                  , HEDDLE_CONST_##access HEDDLE_OF_##access *const name[]
#define HEDDLE_P_integers(access, name, n)                                , HEDDLE_CONST_##access int *name
#define HEDDLE_P_info(name)               , int *name
#define HEDDLE_P_maybe_info(name)               , int *name
#define HEDDLE_P_host_info(name)          , int *name
#define HEDDLE_P_execution(name)          , cudaDataType name
#define HEDDLE_P_compute(name)            , cublasComputeType_t name
#define HEDDLE_P_algorithm(name)          , cublasGemmAlgo_t name

/* f for each of a list of 1 to 20 tuples: HEDDLE_MAP(f, (a, b), (c)) is f(a, b) f(c). */
#define HEDDLE_MAP(f, ...) HEDDLE_MAP_AT(__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(f, __VA_ARGS__)
#define HEDDLE_MAP_AT(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, n, ...) HEDDLE_MAP_##n
#define HEDDLE_MAP_1(f, x) f x
#define HEDDLE_MAP_2(f, x, ...) f x HEDDLE_MAP_1(f, __VA_ARGS__)
#define HEDDLE_MAP_3(f, x, ...) f x HEDDLE_MAP_2(f, __VA_ARGS__)
#define HEDDLE_MAP_4(f, x, ...) f x HEDDLE_MAP_3(f, __VA_ARGS__)
#define HEDDLE_MAP_5(f, x, ...) f x HEDDLE_MAP_4(f, __VA_ARGS__)
#define HEDDLE_MAP_6(f, x, ...) f x HEDDLE_MAP_5(f, __VA_ARGS__)
#define HEDDLE_MAP_7(f, x, ...) f x HEDDLE_MAP_6(f, __VA_ARGS__)
#define HEDDLE_MAP_8(f, x, ...) f x HEDDLE_MAP_7(f, __VA_ARGS__)
#define HEDDLE_MAP_9(f, x, ...) f x HEDDLE_MAP_8(f, __VA_ARGS__)
#define HEDDLE_MAP_10(f, x, ...) f x HEDDLE_MAP_9(f, __VA_ARGS__)
#define HEDDLE_MAP_11(f, x, ...) f x HEDDLE_MAP_10(f, __VA_ARGS__)
#define HEDDLE_MAP_12(f, x, ...) f x HEDDLE_MAP_11(f, __VA_ARGS__)
#define HEDDLE_MAP_13(f, x, ...) f x HEDDLE_MAP_12(f, __VA_ARGS__)
#define HEDDLE_MAP_14(f, x, ...) f x HEDDLE_MAP_13(f, __VA_ARGS__)
#define HEDDLE_MAP_15(f, x, ...) f x HEDDLE_MAP_14(f, __VA_ARGS__)
#define HEDDLE_MAP_16(f, x, ...) f x HEDDLE_MAP_15(f, __VA_ARGS__)
#define HEDDLE_MAP_17(f, x, ...) f x HEDDLE_MAP_16(f, __VA_ARGS__)
#define HEDDLE_MAP_18(f, x, ...) f x HEDDLE_MAP_17(f, __VA_ARGS__)
#define HEDDLE_MAP_19(f, x, ...) f x HEDDLE_MAP_18(f, __VA_ARGS__)
#define HEDDLE_MAP_20(f, x, ...) f x HEDDLE_MAP_19(f, __VA_ARGS__)

/* The parameters of a row. */
#define HEDDLE_PARAMETERS(...)    HEDDLE_MAP(HEDDLE_PARAMETER, __VA_ARGS__)
#define HEDDLE_PARAMETER(kind, ...) HEDDLE_P_##kind(__VA_ARGS__)

#endif
