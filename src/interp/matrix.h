/* Products of matrices, D = A B + C, by all lanes of a warp (PTX ISA 8.4, section 9.7.13.4).
 *
 * Built once for each level of the host (matrix_v2.c ...), with MATRIX_OPS as the table's name. All three give the same bits.
 *
 * Fragments. With lane l = 4 g + t and E elements in a register, register r of A has of lane l row g + 8 (r & 1), columns
 * 4 E (r >> 1) + E t and the next E - 1 (of matrices of 8 rows: r is 0). Register r of B has column g, rows 4 E r + E t and the
 * next. So a register as it lies here, lane after lane, is a block of 8 rows and 4 E columns of A, row by row, or of B, column
 * by column. Registers 2 r and 2 r + 1 of C and D have row g + 8 r, columns 2 t and 2 t + 1; of halves register r has both.
 *
 * Numbers. Integers are exact: sums wrap, or with .satfinite are cut off at the ends of s32 when C has been added. Doubles are a
 * chain of fma from C on, k ascending, rounded to nearest. Of the others every product is exact, and C and the products are added
 * in double, k ascending; that sum is rounded once, to float towards zero, to half to nearest. So sums lose no more than a GPU's,
 * which cuts each addend off some bits below the largest one (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA
 * tensor cores", 2021: float results are cut off, subnormals are kept): modelled. Of TF32 the lower 13 bits are not read. */
#include "interp/code.h"
#include "interp/lanes_half.h"

#include <string.h>

enum { MOST_ROWS = 16, COLUMNS = 8, MOST_DEPTH = 64 /* elements of A's row, single bits aside */ };

typedef double column_f64 __attribute__((vector_size(COLUMNS * 8)));
typedef int32_t column_s32 __attribute__((vector_size(COLUMNS * 4)));

/* Where the registers of A, B, C and D lie. */
struct operands {
    const struct ptx_shape_info *shape;
    const void *a[8], *b[4], *c[4];
    void *d[4];
    uint32_t m;    /* lanes that get D */
    char nobody[4][WARP_LANES * 8]; /* of D what no register wants */
};

static int read_places(const struct interp_code *c, const struct warp *w, const struct ptx_mods *mods, char matrix, const place *from,
                       const void **to)
{
    int n = ptx_fragment(mods, matrix).n;
    for (int i = 0; i < n; i++)
        to[i] = place_at(c, w, from[i]);
    return n;
}

static void find_operands(struct operands *o, const struct interp_code *c, const struct warp *w, const struct step *st, uint32_t m)
{
    const struct ptx_mods *mods = st->in->mods;
    const place *from = st->places;
    o->shape = &ptx_shape_info[mods->shape];
    o->m = m;
    from += read_places(c, w, mods, 'A', from, o->a);
    from += read_places(c, w, mods, 'B', from, o->b);
    read_places(c, w, mods, 'C', from, o->c);
    for (int i = 0; i < st->in->ndst; i++)
        o->d[i] = st->d[i] == PLACE_NONE ? o->nobody[i] : place_at(c, w, st->d[i]);
}

/* --- elements --- */

static double of_f16(const void *block, int i)
{
    return f32_f16(((const uint16_t *)block)[i]);
}

static double of_bf16(const void *block, int i)
{
    return f32_bf16(((const uint16_t *)block)[i]);
}

static double of_tf32(const void *block, int i)
{
    return f32_bits(((const uint32_t *)block)[i] & 0xffffe000);
}

static double of_f64(const void *block, int i)
{
    return ((const double *)block)[i];
}

static int32_t of_s8(const void *block, int i)
{
    return ((const int8_t *)block)[i];
}

static int32_t of_u8(const void *block, int i)
{
    return ((const uint8_t *)block)[i];
}

static int32_t of_u4(const void *block, int i)
{
    return ((const uint8_t *)block)[i / 2] >> i % 2 * 4 & 15;
}

static int32_t of_s4(const void *block, int i)
{
    return (of_u4(block, i) ^ 8) - 8;
}

/* A row by row, and B row by row: its registers have it by columns. E: elements in a register. */
#define READ(name, T, E)                                                                                               \
    static void rows_##name(const struct operands *o, T (*to)[MOST_DEPTH])                                             \
    {                                                                                                                  \
        int blocks = o->shape->m / 8, n = blocks * o->shape->k / (4 * (E));                                            \
        for (int r = 0; r < n; r++)                                                                                    \
            for (int i = 0; i < WARP_LANES * (E); i++)                                                                 \
                to[8 * (r % blocks) + i / (4 * (E))][r / blocks * 4 * (E) + i % (4 * (E))] = of_##name(o->a[r], i);    \
    }                                                                                                                  \
    static void columns_##name(const struct operands *o, T (*to)[COLUMNS])                                             \
    {                                                                                                                  \
        for (int r = 0; r < o->shape->k / (4 * (E)); r++)                                                              \
            for (int i = 0; i < WARP_LANES * (E); i++)                                                                 \
                to[r * 4 * (E) + i % (4 * (E))][i / (4 * (E))] = of_##name(o->b[r], i);                                \
    }
READ(f16, double, 2)
READ(bf16, double, 2)
READ(tf32, double, 1)
READ(f64, double, 1)
READ(s8, int32_t, 4)
READ(u8, int32_t, 4)
READ(s4, int32_t, 8)
READ(u4, int32_t, 8)
#undef READ

/* C, and back to D: registers 2 r and 2 r + 1 are the even and the odd columns of rows 8 r and the next. */
#define SUMS(name, T, S, MAKE)                                                                                         \
    static void read_##name(const struct operands *o, T (*to)[COLUMNS])                                                \
    {                                                                                                                  \
        for (int r = 0; r < o->shape->m / 4; r++)                                                                      \
            for (int i = 0; i < WARP_LANES; i++)                                                                       \
                to[r / 2 * 8 + i / 4][i % 4 * 2 + r % 2] = ((const S *)o->c[r])[i];                                    \
    }                                                                                                                  \
    static void write_##name(const struct operands *o, T (*from)[COLUMNS])                                             \
    {                                                                                                                  \
        for (int r = 0; r < o->shape->m / 4; r++)                                                                      \
            for (int i = 0; i < WARP_LANES; i++) {                                                                     \
                S *d = (S *)o->d[r] + i;                                                                               \
                S made = MAKE(from[r / 2 * 8 + i / 4][i % 4 * 2 + r % 2]);                                             \
                *d = o->m >> i & 1 ? made : *d;                                                                        \
            }                                                                                                          \
    }

/* Cut off. Beyond the largest float it is infinite. */
static float cut(double x)
{
    float f = (float)x;
    uint32_t bits = bits_f32(f);
    bool away = __builtin_fabs((double)f) > __builtin_fabs(x) && (bits & 0x7fffffff) != 0x7f800000;
    return x != x ? f32_bits(F32_NAN) : f32_bits(bits - away);
}

static double as_it_is(double x)
{
    return x;
}

static int32_t whole(int32_t x)
{
    return x;
}
SUMS(f32, double, float, cut)
SUMS(f64, double, double, as_it_is)
SUMS(s32, int32_t, int32_t, whole)
#undef SUMS

static void read_halves(const struct operands *o, double (*to)[COLUMNS])
{
    for (int r = 0; r < o->shape->m / 8; r++)
        for (int i = 0; i < WARP_LANES * 2; i++)
            to[8 * r + i / COLUMNS][i % COLUMNS] = f32_f16(((const uint16_t *)o->c[r])[i]);
}

static void write_halves(const struct operands *o, double (*from)[COLUMNS])
{
    for (int r = 0; r < o->shape->m / 8; r++)
        for (int i = 0; i < WARP_LANES * 2; i++) {
            double x = from[8 * r + i / COLUMNS][i % COLUMNS];
            uint16_t *d = (uint16_t *)o->d[r] + i, made = x != x ? 0x7fff : half_f64(x, PTX_RN, 5, 10);
            *d = o->m >> i / 2 & 1 ? made : *d;
        }
}

/* --- products --- */

/* c += a b, four rows at a time: no sum waits for the one before. */
#define MULTIPLY(name, T, COLUMN, ADD)                                                                                 \
    static void multiply_##name(int m, int k, T (*a)[MOST_DEPTH], T (*b)[COLUMNS], T (*c)[COLUMNS])                    \
    {                                                                                                                  \
        for (int i = 0; i < m; i += 4) {                                                                               \
            COLUMN sum[4], with;                                                                                       \
            memcpy(sum, c[i], sizeof sum);                                                                             \
            for (int at = 0; at < k; at++) {                                                                           \
                memcpy(&with, b[at], sizeof with);                                                                     \
                for (int r = 0; r < 4; r++)                                                                            \
                    ADD(sum[r], a[i + r][at], with);                                                                   \
            }                                                                                                          \
            memcpy(c[i], sum, sizeof sum);                                                                             \
        }                                                                                                              \
    }
#define PLUS(sum, a, b) (sum) += (a) * (b) /* exact products: fused or not is one */
#define FUSED(sum, a, b)                                                                                               \
    for (int j = 0; j < COLUMNS; j++)                                                                                  \
        (sum)[j] = __builtin_fma(a, (b)[j], (sum)[j])
MULTIPLY(exact, double, column_f64, PLUS)
MULTIPLY(f64, double, column_f64, FUSED)
MULTIPLY(s32, int32_t, column_s32, PLUS) /* at most 64 times 15 * 15 or 32 times 255 * 255 */
#undef PLUS
#undef FUSED
#undef MULTIPLY

#define PRODUCT(name, element, sums, how)                                                                              \
    static bool mma_##name(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)             \
    {                                                                                                                  \
        struct operands o;                                                                                             \
        double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], d[MOST_ROWS][COLUMNS];                                \
        find_operands(&o, c, w, st, m);                                                                                \
        rows_##element(&o, a);                                                                                         \
        columns_##element(&o, b);                                                                                      \
        read_##sums(&o, d);                                                                                            \
        multiply_##how(o.shape->m, o.shape->k, a, b, d);                                                               \
        write_##sums(&o, d);                                                                                           \
        return true;                                                                                                   \
    }
PRODUCT(f16, f16, f32, exact)
PRODUCT(f16_halves, f16, halves, exact)
PRODUCT(bf16, bf16, f32, exact)
PRODUCT(tf32, tf32, f32, exact)
PRODUCT(f64, f64, f64, f64)
#undef PRODUCT

/* D of the sums of products, and C. */
static void finish_integers(const struct operands *o, bool saturate, int32_t (*sum)[COLUMNS])
{
    int32_t c[MOST_ROWS][COLUMNS] = {{0}};
    read_s32(o, c);
    for (int i = 0; i < o->shape->m; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int64_t all = (int64_t)sum[i][j] + c[i][j];
            int64_t within = all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all;
            sum[i][j] = (int32_t)(uint32_t)(saturate ? within : all);
        }
    write_s32(o, sum);
}

static bool mma_integers(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    static void (*const rows[PTX_ELEMENT_COUNT])(const struct operands *, int32_t (*)[MOST_DEPTH]) = {
        [PTX_ELEMENT_S8] = rows_s8, [PTX_ELEMENT_U8] = rows_u8, [PTX_ELEMENT_S4] = rows_s4, [PTX_ELEMENT_U4] = rows_u4};
    static void (*const columns[PTX_ELEMENT_COUNT])(const struct operands *, int32_t (*)[COLUMNS]) = {
        [PTX_ELEMENT_S8] = columns_s8, [PTX_ELEMENT_U8] = columns_u8, [PTX_ELEMENT_S4] = columns_s4, [PTX_ELEMENT_U4] = columns_u4};
    struct operands o;
    int32_t a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], d[MOST_ROWS][COLUMNS] = {{0}};
    const struct ptx_mods *mods = st->in->mods;
    find_operands(&o, c, w, st, m);
    rows[mods->element[0]](&o, a);
    columns[mods->element[1]](&o, b);
    multiply_s32(o.shape->m, o.shape->k, a, b, d);
    finish_integers(&o, mods->satfinite, d);
    return true;
}

/* Single bits: how many are set in a row of A xor, or and, a column of B; a register has 32 of them. */
static bool mma_bits(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct operands o;
    int32_t d[MOST_ROWS][COLUMNS] = {{0}};
    bool xor = st->in->mods->boolop == PTX_BOOL_XOR;
    find_operands(&o, c, w, st, m);
    int blocks = o.shape->m / 8;
    for (int r = 0; r < o.shape->k / 128; r++)
        for (int i = 0; i < o.shape->m * COLUMNS; i++) {
            const uint32_t *a = (const uint32_t *)o.a[r * blocks + i / 64] + i / 8 % 8 * 4, *b = (const uint32_t *)o.b[r] + i % 8 * 4;
            for (int t = 0; t < 4; t++)
                d[i / 8][i % 8] += __builtin_popcount(xor ? a[t] ^ b[t] : a[t] & b[t]);
        }
    finish_integers(&o, false, d);
    return true;
}

const struct matrix_ops MATRIX_OPS = {{
    [PTX_ELEMENT_F16] = mma_f16, [PTX_ELEMENT_BF16] = mma_bf16, [PTX_ELEMENT_TF32] = mma_tf32, [PTX_ELEMENT_F64] = mma_f64,
    [PTX_ELEMENT_S8] = mma_integers, [PTX_ELEMENT_U8] = mma_integers, [PTX_ELEMENT_S4] = mma_integers,
    [PTX_ELEMENT_U4] = mma_integers, [PTX_ELEMENT_B1] = mma_bits}, mma_f16_halves};
