/* Products of matrices for hosts of level x86-64-v4 (see matrix.h). */
#define MATRIX_OPS matrix_ops_v4
#define MATRIX_VECTOR 64
#include "interp/matrix.h"
