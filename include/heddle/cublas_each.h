/* Includes HEDDLE_ROUTINES (cublas_routines.def, cusolver_routines.def) once for each element type. Before: ROUTINE as there; HEDDLE_N the type of sizes.
 *
 * For each type: HEDDLE_T of what is read, HEDDLE_U of what is written, HEDDLE_F of factors, HEDDLE_R real; HEDDLE_TYPE_T ... as values of
 * cudaDataType; HEDDLE_NAME_plain(name) ... the function's name by its naming, HEDDLE_DN_plain(name) ... of cuSOLVER. */
#define HEDDLE_SET 1
#define HEDDLE_T float
#define HEDDLE_U float
#define HEDDLE_F float
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_R_32F
#define HEDDLE_TYPE_U CUDA_R_32F
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasS##name
#define HEDDLE_NAME_function(name) cublasS##name
#define HEDDLE_DN_plain(name) cusolverDnS##name
#define HEDDLE_DN_sy(name) cusolverDnSsy##name
#define HEDDLE_DN_or(name) cusolverDnSor##name
#define HEDDLE_NAME_index(name) cublasIs##name
#define HEDDLE_NAME_norm(name) cublasS##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or
#undef HEDDLE_NAME_index
#undef HEDDLE_NAME_norm

#define HEDDLE_SET 2
#define HEDDLE_T double
#define HEDDLE_U double
#define HEDDLE_F double
#define HEDDLE_R double
#define HEDDLE_TYPE_T CUDA_R_64F
#define HEDDLE_TYPE_U CUDA_R_64F
#define HEDDLE_TYPE_F CUDA_R_64F
#define HEDDLE_TYPE_R CUDA_R_64F
#define HEDDLE_NAME_plain(name) cublasD##name
#define HEDDLE_NAME_function(name) cublasD##name
#define HEDDLE_DN_plain(name) cusolverDnD##name
#define HEDDLE_DN_sy(name) cusolverDnDsy##name
#define HEDDLE_DN_or(name) cusolverDnDor##name
#define HEDDLE_NAME_index(name) cublasId##name
#define HEDDLE_NAME_norm(name) cublasD##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or
#undef HEDDLE_NAME_index
#undef HEDDLE_NAME_norm

#define HEDDLE_SET 4
#define HEDDLE_T cuComplex
#define HEDDLE_U cuComplex
#define HEDDLE_F cuComplex
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_C_32F
#define HEDDLE_TYPE_U CUDA_C_32F
#define HEDDLE_TYPE_F CUDA_C_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasC##name
#define HEDDLE_NAME_function(name) cublasC##name
#define HEDDLE_DN_plain(name) cusolverDnC##name
#define HEDDLE_DN_sy(name) cusolverDnChe##name
#define HEDDLE_DN_or(name) cusolverDnCun##name
#define HEDDLE_NAME_index(name) cublasIc##name
#define HEDDLE_NAME_norm(name) cublasSc##name
#define HEDDLE_NAME_by_real(name) cublasCs##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or
#undef HEDDLE_NAME_index
#undef HEDDLE_NAME_norm
#undef HEDDLE_NAME_by_real

#define HEDDLE_SET 8
#define HEDDLE_T cuDoubleComplex
#define HEDDLE_U cuDoubleComplex
#define HEDDLE_F cuDoubleComplex
#define HEDDLE_R double
#define HEDDLE_TYPE_T CUDA_C_64F
#define HEDDLE_TYPE_U CUDA_C_64F
#define HEDDLE_TYPE_F CUDA_C_64F
#define HEDDLE_TYPE_R CUDA_R_64F
#define HEDDLE_NAME_plain(name) cublasZ##name
#define HEDDLE_NAME_function(name) cublasZ##name
#define HEDDLE_DN_plain(name) cusolverDnZ##name
#define HEDDLE_DN_sy(name) cusolverDnZhe##name
#define HEDDLE_DN_or(name) cusolverDnZun##name
#define HEDDLE_NAME_index(name) cublasIz##name
#define HEDDLE_NAME_norm(name) cublasDz##name
#define HEDDLE_NAME_by_real(name) cublasZd##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or
#undef HEDDLE_NAME_index
#undef HEDDLE_NAME_norm
#undef HEDDLE_NAME_by_real

#define HEDDLE_SET 16
#define HEDDLE_T __half
#define HEDDLE_U __half
#define HEDDLE_F __half
#define HEDDLE_R __half
#define HEDDLE_TYPE_T CUDA_R_16F
#define HEDDLE_TYPE_U CUDA_R_16F
#define HEDDLE_TYPE_F CUDA_R_16F
#define HEDDLE_TYPE_R CUDA_R_16F
#define HEDDLE_NAME_plain(name) cublasH##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or

#define HEDDLE_SET 32
#define HEDDLE_T __half
#define HEDDLE_U __half
#define HEDDLE_F float
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_R_16F
#define HEDDLE_TYPE_U CUDA_R_16F
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasHSH##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or

#define HEDDLE_SET 32
#define HEDDLE_T __half
#define HEDDLE_U float
#define HEDDLE_F float
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_R_16F
#define HEDDLE_TYPE_U CUDA_R_32F
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasHSS##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or

#define HEDDLE_SET 32
#define HEDDLE_T __nv_bfloat16
#define HEDDLE_U __nv_bfloat16
#define HEDDLE_F float
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_R_16BF
#define HEDDLE_TYPE_U CUDA_R_16BF
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasTST##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or

#define HEDDLE_SET 32
#define HEDDLE_T __nv_bfloat16
#define HEDDLE_U float
#define HEDDLE_F float
#define HEDDLE_R float
#define HEDDLE_TYPE_T CUDA_R_16BF
#define HEDDLE_TYPE_U CUDA_R_32F
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_plain(name) cublasTSS##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_plain
#undef HEDDLE_NAME_function
#undef HEDDLE_DN_plain
#undef HEDDLE_DN_sy
#undef HEDDLE_DN_or

#define HEDDLE_SET 64
#define HEDDLE_T void
#define HEDDLE_U void
#define HEDDLE_F void
#define HEDDLE_R void
#define HEDDLE_TYPE_T CUDA_R_32F
#define HEDDLE_TYPE_U CUDA_R_32F
#define HEDDLE_TYPE_F CUDA_R_32F
#define HEDDLE_TYPE_R CUDA_R_32F
#define HEDDLE_NAME_as_ex(name) cublas##name
#define HEDDLE_DN_x(name) cusolverDnX##name
#include HEDDLE_ROUTINES
#undef HEDDLE_SET
#undef HEDDLE_T
#undef HEDDLE_U
#undef HEDDLE_F
#undef HEDDLE_R
#undef HEDDLE_TYPE_T
#undef HEDDLE_TYPE_U
#undef HEDDLE_TYPE_F
#undef HEDDLE_TYPE_R
#undef HEDDLE_NAME_as_ex
#undef HEDDLE_DN_x
