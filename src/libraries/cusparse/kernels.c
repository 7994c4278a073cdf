/* The sets of loops, one for each format that computes (see kernels.h). */
#include "libraries/cusparse/kernels.h"

#include <complex.h>
#include <math.h>

#define E float
#define CONJUGATE(x) (x)
#define ROOT(x) sqrtf(x)
#define SIZE(x) fabsf(x)
#define F(name) f32_##name
#include "libraries/cusparse/kernels_each.h"

#define E double
#define CONJUGATE(x) (x)
#define ROOT(x) sqrt(x)
#define SIZE(x) fabs(x)
#define F(name) f64_##name
#include "libraries/cusparse/kernels_each.h"

#define E float _Complex
#define CONJUGATE(x) conjf(x)
#define ROOT(x) csqrtf(x)
#define SIZE(x) cabsf(x)
#define F(name) c32_##name
#include "libraries/cusparse/kernels_each.h"

#define E double _Complex
#define CONJUGATE(x) conj(x)
#define ROOT(x) csqrt(x)
#define SIZE(x) cabs(x)
#define F(name) c64_##name
#include "libraries/cusparse/kernels_each.h"

#define E int32_t
#define CONJUGATE(x) (x)
#define ROOT(x) (x)
#define SIZE(x) (x)
#define F(name) i32_##name
#include "libraries/cusparse/kernels_each.h"

#define SET(f)                                                                                                          \
    {                                                                                                                   \
        f##_spmv, f##_spmm, f##_sddmm, f##_spgemm_row, f##_take, f##_trsv, f##_scale, f##_is_zero, f##_axpby, f##_rot, f##_dot, \
            f##_ilu0, f##_ic0, f##_add_row, f##_band                                                                     \
    }
const struct kernels kernels_of[COMPUTES] = {
    [COMPUTE_F32] = SET(f32), [COMPUTE_F64] = SET(f64), [COMPUTE_C32] = SET(c32), [COMPUTE_C64] = SET(c64), [COMPUTE_I32] = SET(i32),
};
