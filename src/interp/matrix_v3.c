/* Products of matrices for hosts of level x86-64-v3 (see matrix.h). */
#define MATRIX_OPS matrix_ops_v3
#define MATRIX_VECTOR 32
#include "interp/matrix.h"
