/* Products of matrices for hosts of level x86-64-v2 (see matrix.h). */
#define MATRIX_OPS matrix_ops_v2
#include "interp/matrix.h"
