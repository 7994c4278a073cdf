/* Our own routines for one type of elements: included by own.c with T (the type), R (real), LETTER, OWN(name), CONJ(x), and REAL_OF(x). Each gets pointers in
 * the order of its arguments, named in the comment above it. */

#define INT(i)  (*(const int *)v[i])
#define CHAR(i) (*(const char *)v[i])
#define NUM(i)  (*(const T *)v[i])

/* The first element of a vector in its order: with a negative increment, the last one in memory. */
static T *OWN(first)(void *x, int n, int inc)
{
    return (T *)x + (inc < 0 ? (ptrdiff_t)(1 - n) * inc : 0);
}

/* An element of A, A transposed, or conjugated and transposed. */
static T OWN(element)(const T *a, ptrdiff_t ld, char op, ptrdiff_t i, ptrdiff_t j)
{
    return op == 'N' ? a[i + j * ld] : op == 'T' ? a[j + i * ld] : CONJ(a[j + i * ld]);
}

/* n x incx; the index */
static void OWN(amin)(void **v)
{
    int n = INT(0), inc = INT(2), least = 0;
    const T *x = v[1];
    R best = 0;
    for (int i = 0; inc > 0 && i < n; i++) {
        R size = SIZE_OF(x[(ptrdiff_t)i * inc]);
        if (!least || size < best) {
            least = i + 1;
            best = size;
        }
    }
    *(int *)v[3] = least;
}

/* a b c s, as in the first edition of BLAS and in cuBLAS (tests/truth/libraries/cublas.tsv, H200): the turn takes b to 0 and leaves
 * in a its length with a's phase. With a = 0 the two change places, also where b is 0; the host's BLAS, from 3.10 on, does it otherwise. */
static void OWN(rotg)(void **v)
{
    T *a = v[0], *s = v[3];
    R *c = v[2];
    double _Complex p = *a, q = NUM(1); /* of the real types' file too, where no routine asks for it */
    double x = cabs(p), y = cabs(q), sum = x + y, length;
    if (x == 0) {
        *a = (T)q;
        *c = 0;
        *s = 1;
        return;
    }
    length = sum * sqrt(x / sum * (x / sum) + y / sum * (y / sum));
    *c = (R)(x / length);
    *s = (T)(p / x * conj(q) / length);
    *a = (T)(p / x * length);
}

/* n x incx y incy c s */
static void OWN(rotcs)(void **v)
{
    int n = INT(0), incx = INT(2), incy = INT(4);
    T *x = OWN(first)(v[1], n, incx), *y = OWN(first)(v[3], n, incy), s = NUM(6);
    R c = *(const R *)v[5];
    for (int i = 0; i < n; i++, x += incx, y += incy) {
        T t = c * *x + s * *y;
        *y = c * *y - CONJ(s) * *x;
        *x = t;
    }
}

/* transa transb m n alpha A lda beta B ldb C ldc */
static void OWN(geam)(void **v)
{
    int m = INT(2), n = INT(3);
    T alpha = NUM(4), beta = NUM(7), *c = v[10];
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < m; i++) {
            T a = alpha != 0 ? alpha * OWN(element)(v[5], INT(6), CHAR(0), i, j) : 0, b = beta != 0 ? beta * OWN(element)(v[8], INT(9), CHAR(1), i, j) : 0;
            c[i + j * INT(11)] = a + b;
        }
}

/* side m n A lda x incx C ldc */
static void OWN(dgmm)(void **v)
{
    int m = INT(1), n = INT(2), inc = INT(6);
    const T *a = v[3], *x = OWN(first)(v[5], CHAR(0) == 'L' ? m : n, inc);
    T *c = v[7];
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < m; i++)
            c[i + j * INT(8)] = a[i + j * INT(4)] * x[(CHAR(0) == 'L' ? i : j) * inc];
}

static bool OWN(in_triangle)(char uplo, ptrdiff_t i, ptrdiff_t j)
{
    return uplo == 'L' ? i >= j : i <= j;
}

/* uplo trans n k alpha A lda B ldb beta C ldc: alpha A B^T + beta C (of syrkx), or B^H (of herkx) */
static void OWN(rank_k)(void **v, char other, T beta)
{
    int n = INT(2);
    ptrdiff_t ld = INT(11);
    T *c = v[10], zero = 0, *product = calloc((size_t)n * (size_t)n + 1, sizeof *product);
    char plain = 'N';
    int rows = n > 1 ? n : 1;
    if (!product)
        return;
    host_do(LETTER, "gemm", CHAR(1) == 'N' ? &plain : &other, CHAR(1) == 'N' ? &other : &plain, v[2], v[2], v[3], v[4], v[5], v[6], v[7], v[8], &zero, product, &rows);
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            if (OWN(in_triangle)(CHAR(0), i, j))
                c[i + j * ld] = product[i + j * n] + (beta != 0 ? beta * c[i + j * ld] : 0);
    free(product);
}

static void OWN(syrkx)(void **v)
{
    OWN(rank_k)(v, 'T', NUM(9));
}

static void OWN(herkx)(void **v)
{
    T *c = v[10];
    OWN(rank_k)(v, 'C', *(const R *)v[9]);
    for (ptrdiff_t i = 0; i < INT(2); i++)
        c[i + i * INT(11)] = REAL_OF(c[i + i * INT(11)]);
}

static void OWN(copy)(int m, int n, const T *a, ptrdiff_t lda, T *b, ptrdiff_t ldb)
{
    for (ptrdiff_t j = 0; j < n && a != b; j++)
        memcpy(b + j * ldb, a + j * lda, (size_t)m * sizeof *a);
}

/* side uplo trans diag m n alpha A lda B ldb C ldc */
static void OWN(trmmc)(void **v)
{
    OWN(copy)(INT(4), INT(5), v[9], NUM(6) != 0 ? INT(10) : 0, v[11], INT(12));
    host_do(LETTER, "trmm", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[11], v[12]);
}

/* uplo n AP A lda */
static void OWN(tpttr3)(void **v)
{
    const T *packed = v[2];
    T *a = v[3];
    for (ptrdiff_t j = 0; j < INT(1); j++)
        for (ptrdiff_t i = 0; i < INT(1); i++)
            if (OWN(in_triangle)(CHAR(0), i, j))
                a[i + j * INT(4)] = *packed++;
}

/* uplo n A lda AP */
static void OWN(trttp3)(void **v)
{
    const T *a = v[2];
    T *packed = v[4];
    for (ptrdiff_t j = 0; j < INT(1); j++)
        for (ptrdiff_t i = 0; i < INT(1); i++)
            if (OWN(in_triangle)(CHAR(0), i, j))
                *packed++ = a[i + j * INT(3)];
}

/* --- factors of a batch --- */

/* LU without exchanging rows. */
static int OWN(lu)(int m, int n, T *a, ptrdiff_t ld)
{
    int info = 0;
    for (ptrdiff_t k = 0; k < m && k < n; k++) {
        T pivot = a[k + k * ld];
        if (pivot == 0) {
            info = info ? info : (int)k + 1;
            continue;
        }
        for (ptrdiff_t i = k + 1; i < m; i++)
            a[i + k * ld] /= pivot;
        for (ptrdiff_t j = k + 1; j < n; j++)
            for (ptrdiff_t i = k + 1; i < m; i++)
                a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];
    }
    return info;
}

/* n A lda P info */
static void OWN(getrfp)(void **v)
{
    if (v[3])
        host_do(LETTER, "getrf", v[0], v[0], v[1], v[2], v[3], v[4]);
    else
        *(int *)v[4] = OWN(lu)(INT(0), INT(0), v[1], INT(2));
}

/* Pivots that exchange nothing, where there are none. */
static int *OWN(pivots)(int n, void *given)
{
    int *p = malloc(((size_t)n + 1) * sizeof *p);
    for (int i = 0; p && i < n; i++)
        p[i] = given ? ((int *)given)[i] : i + 1;
    return p;
}

/* n A lda P C ldc info */
static void OWN(getric)(void **v)
{
    int n = INT(0), room = 64 * (n ? n : 1), *p = OWN(pivots)(n, v[3]);
    T *work = malloc((size_t)room * sizeof *work);
    OWN(copy)(n, n, v[1], INT(2), v[4], INT(5));
    if (work && p)
        host_do(LETTER, "getri", v[0], v[4], v[5], p, work, &room, v[6]);
    free(work);
    free(p);
}

/* trans n nrhs A lda P B ldb */
static void OWN(getrsp)(void **v)
{
    int info = 0, *p = OWN(pivots)(INT(1), v[5]);
    if (p)
        host_do(LETTER, "getrs", v[0], v[1], v[2], v[3], v[4], p, v[6], v[7], &info);
    free(p);
}

/* n A lda Ainv lda_inv info */
static void OWN(matinv)(void **v)
{
    int *p = OWN(pivots)(INT(0), NULL);
    void *lu[] = {v[0], v[3], v[4], p, v[5]}, *inverse[] = {v[0], v[3], v[4], p, v[3], v[4], v[5]};
    OWN(copy)(INT(0), INT(0), v[1], INT(2), v[3], INT(4));
    OWN(getrfp)(lu);
    if (!INT(5))
        OWN(getric)(inverse);
    free(p);
}

/* m n A lda Tau */
static void OWN(geqrfb)(void **v)
{
    int info = 0, room = 64 * (INT(1) ? INT(1) : 1);
    T *work = malloc((size_t)room * sizeof *work);
    if (work)
        host_do(LETTER, "geqrf", v[0], v[1], v[2], v[3], v[4], work, &room, &info);
    free(work);
}

/* trans m n nrhs A lda C ldc info */
static void OWN(gelsb)(void **v)
{
    int m = INT(1), n = INT(2), room = (m < n ? m : n) + 64 * (m + n + INT(3) + 1), unwanted;
    T *work = malloc((size_t)room * sizeof *work);
    if (work)
        host_do(LETTER, "gels", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], work, &room, v[8] ? v[8] : &unwanted);
    free(work);
}

/* --- cuSOLVER's forms of LAPACK: with memory of their own --- */

/* m n A lda P info */
static void OWN(getrfx)(void **v)
{
    if (v[4])
        host_do(LETTER, "getrf", v[0], v[1], v[2], v[3], v[4], v[5]);
    else
        *(int *)v[5] = OWN(lu)(INT(0), INT(1), v[2], INT(3));
}

/* trans n nrhs A lda P B ldb info */
static void OWN(getrsx)(void **v)
{
    OWN(getrsp)(v);
    *(int *)v[8] = 0;
}

/* The same two with 64-bit pivots. */
static void OWN(getrfw)(void **v)
{
    int n = INT(0) < INT(1) ? INT(0) : INT(1), *narrow = v[4] ? OWN(pivots)(n, NULL) : NULL;
    void *a[] = {v[0], v[1], v[2], v[3], narrow, v[5]};
    OWN(getrfx)(a);
    for (int i = 0; narrow && i < n; i++)
        ((int64_t *)v[4])[i] = narrow[i];
    free(narrow);
}

static void OWN(getrsw)(void **v)
{
    int n = INT(1), *narrow = OWN(pivots)(n, NULL);
    void *a[] = {v[0], v[1], v[2], v[3], v[4], narrow, v[6], v[7], v[8]};
    for (int i = 0; narrow && v[5] && i < n; i++)
        narrow[i] = (int)((int64_t *)v[5])[i];
    OWN(getrsx)(a);
    free(narrow);
}

enum { OWN(BLOCK) = 64 };

/* Elements for a routine that asks for a block of rows of so many. */
static T *OWN(room)(int n, int *elements)
{
    *elements = OWN(BLOCK) * (n + 1);
    return malloc((size_t)*elements * sizeof(T));
}

/* m n A lda tau info */
static void OWN(geqrfx)(void **v)
{
    int elements;
    T *work = OWN(room)(INT(1), &elements);
    if (work)
        host_do(LETTER, "geqrf", v[0], v[1], v[2], v[3], v[4], work, &elements, v[5]);
    free(work);
}

/* m n k A lda tau info */
static void OWN(orgqrx)(void **v)
{
    int elements;
    T *work = OWN(room)(INT(1), &elements);
    if (work)
        host_do(LETTER, IS_COMPLEX ? "ungqr" : "orgqr", v[0], v[1], v[2], v[3], v[4], v[5], work, &elements, v[6]);
    free(work);
}

/* side trans m n k A lda tau C ldc info; real numbers have no conjugate to ask for */
static void OWN(ormqrx)(void **v)
{
    int elements;
    char trans = IS_COMPLEX || CHAR(1) == 'N' ? CHAR(1) : 'T';
    T *work = OWN(room)(INT(2) + INT(3) + OWN(BLOCK), &elements);
    if (work)
        host_do(LETTER, IS_COMPLEX ? "unmqr" : "ormqr", v[0], &trans, v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], work, &elements, v[10]);
    free(work);
}

/* jobz uplo n A lda W info */
static void OWN(syevx)(void **v)
{
    int elements;
    T *work = OWN(room)(INT(2) + 3, &elements);
    R *more = malloc((3 * (size_t)INT(2) + 1) * sizeof *more);
    if (work && more && IS_COMPLEX)
        host_do(LETTER, "heev", v[0], v[1], v[2], v[3], v[4], v[5], work, &elements, more, v[6]);
    else if (work && more)
        host_do(LETTER, "syev", v[0], v[1], v[2], v[3], v[4], v[5], work, &elements, v[6]);
    free(work);
    free(more);
}

/* itype jobz uplo n A lda B ldb W info */
static void OWN(sygvx)(void **v)
{
    int elements;
    T *work = OWN(room)(INT(3) + 3, &elements);
    R *more = malloc((3 * (size_t)INT(3) + 1) * sizeof *more);
    if (work && more && IS_COMPLEX)
        host_do(LETTER, "hegv", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], work, &elements, more, v[9]);
    else if (work && more)
        host_do(LETTER, "sygv", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], work, &elements, v[9]);
    free(work);
    free(more);
}

/* jobu jobvt m n A lda S U ldu VT ldvt info */
static void OWN(gesvdx)(void **v)
{
    int elements;
    T *work = OWN(room)(INT(2) + INT(3) + 5, &elements);
    R *more = malloc((5 * (size_t)(INT(2) + INT(3)) + 1) * sizeof *more);
    if (work && more && IS_COMPLEX)
        host_do(LETTER, "gesvd", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], work, &elements, more, v[11]);
    else if (work && more)
        host_do(LETTER, "gesvd", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], work, &elements, v[11]);
    free(work);
    free(more);
}

/* jobz econ m n A lda S U ldu V ldv info: V, not its conjugate transpose */
static void OWN(gesvdjx)(void **v)
{
    int m = INT(2), n = INT(3), least = m < n ? m : n, rows = INT(1) ? least : n, ld = rows > 1 ? rows : 1;
    char job = CHAR(0) == 'N' ? 'N' : INT(1) ? 'S' : 'A';
    T *turned = malloc(((size_t)ld * (size_t)n + 1) * sizeof *turned), *out = v[9];
    void *a[] = {&job, &job, v[2], v[3], v[4], v[5], v[6], v[7], v[8], turned, &ld, v[11]};
    if (turned)
        OWN(gesvdx)(a);
    for (ptrdiff_t j = 0; turned && job != 'N' && j < rows; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            out[i + j * INT(10)] = CONJ(turned[j + i * ld]);
    free(turned);
}

/* --- symmetric matrices, which BLAS has for real numbers only --- */

/* uplo n alpha A lda x incx beta y incy */
static void OWN(symv)(void **v)
{
    int n = INT(1), incx = INT(6), incy = INT(9);
    ptrdiff_t ld = INT(4);
    const T *a = v[3], *x = OWN(first)(v[5], n, incx), alpha = NUM(2), beta = NUM(7);
    T *y = OWN(first)(v[8], n, incy);
    for (ptrdiff_t i = 0; i < n; i++) {
        T sum = 0;
        for (ptrdiff_t j = 0; j < n && alpha != 0; j++)
            sum += (OWN(in_triangle)(CHAR(0), i, j) ? a[i + j * ld] : a[j + i * ld]) * x[j * incx];
        y[i * incy] = (alpha != 0 ? alpha * sum : 0) + (beta != 0 ? beta * y[i * incy] : 0);
    }
}

/* uplo n alpha x incx A lda */
static void OWN(syr)(void **v)
{
    int n = INT(1), inc = INT(4);
    const T *x = OWN(first)(v[3], n, inc), alpha = NUM(2);
    T *a = v[5];
    for (ptrdiff_t j = 0; j < n && alpha != 0; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            if (OWN(in_triangle)(CHAR(0), i, j))
                a[i + j * INT(6)] += alpha * x[i * inc] * x[j * inc];
}

/* uplo n alpha x incx y incy A lda */
static void OWN(syr2)(void **v)
{
    int n = INT(1), incx = INT(4), incy = INT(6);
    const T *x = OWN(first)(v[3], n, incx), *y = OWN(first)(v[5], n, incy), alpha = NUM(2);
    T *a = v[7];
    for (ptrdiff_t j = 0; j < n && alpha != 0; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            if (OWN(in_triangle)(CHAR(0), i, j))
                a[i + j * INT(8)] += alpha * (x[i * incx] * y[j * incy] + y[i * incy] * x[j * incx]);
}

#undef INT
#undef CHAR
#undef NUM
