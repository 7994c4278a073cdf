/* The math library for x86-64-v3: vectors of 32 bytes. */
#include <immintrin.h>
#include <sleef.h>

#define MATH_TABLE lanes_math_v3
enum { DN = 4, FN = 8 };
typedef __m256d VD;
typedef __m256 VF;
#define SLEEF_D(name, bound) Sleef_cinz_##name##d4_##bound##avx
#define SLEEF_F(name, bound) Sleef_cinz_##name##f8_##bound##avx
#define LOAD_D  _mm256_loadu_pd
#define STORE_D _mm256_storeu_pd
#define LOAD_F  _mm256_loadu_ps
#define STORE_F _mm256_storeu_ps
#define FUSED   _mm256_fmadd_ps
#include "interp/lanes_math.h"
