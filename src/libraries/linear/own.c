/* Routines that no BLAS has, or not for all types: for each type from own_typed.h, and products of integers. */
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/linear/call.h"

#define LETTER     's'
#define IS_COMPLEX false
#define T          float
#define R          float
#define OWN(name)  s##name
#define CONJ(x)    (x)
#define REAL_OF(x) (x)
#define SIZE_OF(x) fabsf(x)
#include "libraries/linear/own_typed.h"
#undef LETTER
#undef IS_COMPLEX
#undef T
#undef R
#undef OWN
#undef SIZE_OF

#define LETTER     'd'
#define IS_COMPLEX false
#define T          double
#define R          double
#define OWN(name)  d##name
#define SIZE_OF(x) fabs(x)
#include "libraries/linear/own_typed.h"
#undef LETTER
#undef IS_COMPLEX
#undef T
#undef R
#undef OWN
#undef CONJ
#undef REAL_OF
#undef SIZE_OF

#define LETTER     'c'
#define IS_COMPLEX true
#define T          float _Complex
#define R          float
#define OWN(name)  c##name
#define CONJ(x)    conjf(x)
#define REAL_OF(x) crealf(x)
#define SIZE_OF(x) (fabsf(crealf(x)) + fabsf(cimagf(x)))
#include "libraries/linear/own_typed.h"
#undef LETTER
#undef IS_COMPLEX
#undef T
#undef R
#undef OWN
#undef CONJ
#undef REAL_OF
#undef SIZE_OF

#define LETTER     'z'
#define IS_COMPLEX true
#define T          double _Complex
#define R          double
#define OWN(name)  z##name
#define CONJ(x)    conj(x)
#define REAL_OF(x) creal(x)
#define SIZE_OF(x) (fabs(creal(x)) + fabs(cimag(x)))
#include "libraries/linear/own_typed.h"

/* transa transb m n k alpha A lda B ldb beta C ldc, all of 32-bit integers; sums wrap. */
static void igemm(void **v)
{
    int m = *(int *)v[2], n = *(int *)v[3], k = *(int *)v[4];
    ptrdiff_t lda = *(int *)v[7], ldb = *(int *)v[9], ldc = *(int *)v[12];
    uint32_t alpha = *(uint32_t *)v[5], beta = *(uint32_t *)v[10], *c = v[11];
    const uint32_t *a = v[6], *b = v[8];
    bool at = *(char *)v[0] != 'N', bt = *(char *)v[1] != 'N';
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < m; i++) {
            uint32_t sum = 0;
            for (ptrdiff_t l = 0; l < k; l++)
                sum += (at ? a[l + i * lda] : a[i + l * lda]) * (bt ? b[j + l * ldb] : b[l + j * ldb]);
            c[i + j * ldc] = alpha * sum + (beta ? beta * c[i + j * ldc] : 0);
        }
}

own_routine own_find(char letter, const char *name)
{
    static const char order[] = "sdcz";
    static const struct {
        const char *name, *letters;
        own_routine routine[4];
    } routines[] = {
#define OWN_ROUTINE(name, letters) {#name, letters, {s##name, d##name, c##name, z##name}},
#include "libraries/linear/own.def"
#undef OWN_ROUTINE
    };
    if (letter == 'i')
        return !strcmp(name, "gemm") ? igemm : NULL;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (!strcmp(routines[i].name, name) && strchr(routines[i].letters, letter))
            return routines[i].routine[strchr(order, letter) - order];
    return NULL;
}
