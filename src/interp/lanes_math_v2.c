/* The math library for x86-64-v2: vectors of 16 bytes. */
#include <emmintrin.h>
#include <math.h>
#include <sleef.h>

#define MATH_TABLE lanes_math_v2
enum { DN = 2, FN = 4 };
typedef __m128d VD;
typedef __m128 VF;
#define SLEEF_D(name, bound) Sleef_cinz_##name##d2_##bound##sse2
#define SLEEF_F(name, bound) Sleef_cinz_##name##f4_##bound##sse2
#define LOAD_D  _mm_loadu_pd
#define STORE_D _mm_storeu_pd
#define LOAD_F  _mm_loadu_ps
#define STORE_F _mm_storeu_ps
static inline VF fused_by_lane(VF a, VF b, VF c)
{
    for (int i = 0; i < FN; i++)
        a[i] = fmaf(a[i], b[i], c[i]);
    return a;
}
#define FUSED fused_by_lane
#include "interp/lanes_math.h"
