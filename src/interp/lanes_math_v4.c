/* The math library for x86-64-v4: vectors of 64 bytes. */
#include <immintrin.h>
#include <sleef.h>

#define MATH_TABLE lanes_math_v4
enum { DN = 8, FN = 16 };
typedef __m512d VD;
typedef __m512 VF;
#define SLEEF_D(name, bound) Sleef_cinz_##name##d8_##bound##avx512fnofma
#define SLEEF_F(name, bound) Sleef_cinz_##name##f16_##bound##avx512fnofma
#define LOAD_D  _mm512_loadu_pd
#define STORE_D _mm512_storeu_pd
#define LOAD_F  _mm512_loadu_ps
#define STORE_F _mm512_storeu_ps
#define FUSED   _mm512_fmadd_ps
#include "interp/lanes_math.h"
