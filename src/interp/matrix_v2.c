/* Products of matrices for hosts of level x86-64-v2 (see matrix.h). */
#define MATRIX_OPS matrix_ops_v2
#define MATRIX_VECTOR 16
#include "interp/matrix.h"
