/* Products of matrices, D = A B + C, by all lanes of a warp (PTX ISA 8.4, section 9.7.13.4).
 *
 * Built once for each level of the host (matrix_v2.c ...), with MATRIX_OPS as the table's name and MATRIX_VECTOR as the bytes of a
 * vector. All three give the same bits.
 *
 * Fragments. With lane l = 4 g + t and E elements in a register, register r of A has of lane l row g + 8 (r & 1), columns
 * 4 E (r >> 1) + E t and the next E - 1 (of matrices of 8 rows: r is 0). Register r of B has column g, rows 4 E r + E t and the
 * next. So a register as it lies here, lane after lane, is a block of 8 rows and 4 E columns of A, row by row, or of B, column
 * by column. Registers 2 r and 2 r + 1 of C and D have row g + 8 r, columns 2 t and 2 t + 1; of halves register r has both.
 *
 * Numbers. Integers are exact: sums wrap, or with .satfinite are cut off at the ends of s32 when C has been added. Doubles are a
 * chain of fma from C on, k ascending, rounded to nearest. Of TF32 the lower 13 bits are not read.
 *
 * Floating sums are a GPU's (struct grid): every bit of 1.5 million of them is an H200's (tests/truth/matrices). Of other generations
 * the device's description has bits and terms as published, and no GPU of them was asked. */
#include "interp/code.h"
#include "interp/lanes_half.h"

#include <string.h>

enum { MOST_ROWS = 16, COLUMNS = 8, MOST_DEPTH = 64 /* elements of A's row, single bits aside */ };

typedef double part_f64 __attribute__((vector_size(MATRIX_VECTOR), may_alias));
typedef int32_t part_s32 __attribute__((vector_size(MATRIX_VECTOR < COLUMNS * 4 ? MATRIX_VECTOR : COLUMNS * 4), may_alias));

#define ALIGNED _Alignas(64)

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

/* The bits moved make a number 2^112 times too small; infinities and what is no number get their exponent afterwards. Without a
 * branch, for vectors. */
static float of_f16(const void *block, int i)
{
    uint32_t h = ((const uint16_t *)block)[i], rest = (h & 0x7fff) << 13;
    uint32_t bits = bits_f32(f32_bits(rest) * 0x1p112f), top = rest >= 0x0f800000 ? 0x7f800000 : 0;
    return f32_bits(bits | top | (h & 0x8000) << 16);
}

static float of_bf16(const void *block, int i)
{
    return f32_bf16(((const uint16_t *)block)[i]);
}

static float of_tf32(const void *block, int i)
{
    return f32_bits(((const uint32_t *)block)[i] & 0xffffe000);
}

static double of_f64(const void *block, int i)
{
    return ((const double *)block)[i];
}

static double of_e4m3(const void *block, int i)
{
    return f64_fp8(((const uint8_t *)block)[i], true);
}

static double of_e5m2(const void *block, int i)
{
    return f64_fp8(((const uint8_t *)block)[i], false);
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

/* A row by row, and B row by row: its registers have it by columns. E: elements in a register, each of them a V. */
#define READ(name, T, V, E)                                                                                            \
    static void rows_##name(const struct operands *o, T (*to)[MOST_DEPTH])                                             \
    {                                                                                                                  \
        int blocks = o->shape->m / 8, n = blocks * o->shape->k / (4 * (E));                                            \
        for (int r = 0; r < n; r++) {                                                                                  \
            V block[WARP_LANES * (E)];                                                                                 \
            for (int i = 0; i < WARP_LANES * (E); i++)                                                                 \
                block[i] = of_##name(o->a[r], i);                                                                      \
            T(*row)[MOST_DEPTH] = to + 8 * (r % blocks);                                                               \
            for (int g = 0; g < 8; g++)                                                                                \
                for (int i = 0; i < 4 * (E); i++)                                                                      \
                    row[g][r / blocks * 4 * (E) + i] = block[g * 4 * (E) + i];                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void columns_##name(const struct operands *o, T (*to)[COLUMNS])                                             \
    {                                                                                                                  \
        for (int r = 0; r < o->shape->k / (4 * (E)); r++) {                                                            \
            V block[WARP_LANES * (E)];                                                                                 \
            for (int i = 0; i < WARP_LANES * (E); i++)                                                                 \
                block[i] = of_##name(o->b[r], i);                                                                      \
            for (int i = 0; i < 4 * (E); i++)                                                                          \
                for (int g = 0; g < COLUMNS; g++)                                                                      \
                    to[r * 4 * (E) + i][g] = block[g * 4 * (E) + i];                                                   \
        }                                                                                                              \
    }
READ(f16, double, float, 2)
READ(bf16, double, float, 2)
READ(tf32, double, float, 1)
READ(f64, double, double, 1)
READ(e4m3, double, double, 4)
READ(e5m2, double, double, 4)
READ(s8, int32_t, int32_t, 4)
READ(u8, int32_t, int32_t, 4)
READ(s4, int32_t, int32_t, 8)
READ(u4, int32_t, int32_t, 8)
#undef READ

/* C, and back to D: registers 2 r and 2 r + 1 are the even and the odd columns of rows 8 r and the next. */
#define SUMS(name, T, S, MAKE)                                                                                         \
    static void read_##name(const struct operands *o, T (*to)[COLUMNS])                                                \
    {                                                                                                                  \
        T *x = &to[0][0];                                                                                              \
        for (int r = 0; r < o->shape->m / 4; r++)                                                                      \
            for (int i = 0; i < WARP_LANES; i++)                                                                       \
                x[(r / 2 * WARP_LANES + i) * 2 + r % 2] = ((const S *)o->c[r])[i];                                     \
    }                                                                                                                  \
    static void write_##name(const struct operands *o, T (*from)[COLUMNS])                                             \
    {                                                                                                                  \
        S made[MOST_ROWS * COLUMNS];                                                                                   \
        const T *x = &from[0][0];                                                                                      \
        for (int i = 0; i < o->shape->m * COLUMNS; i++)                                                                \
            made[i] = MAKE(x[i]);                                                                                      \
        for (int r = 0; r < o->shape->m / 4; r++)                                                                      \
            for (int i = 0; i < WARP_LANES; i++) {                                                                     \
                S *d = (S *)o->d[r] + i;                                                                               \
                *d = o->m >> i & 1 ? made[(r / 2 * WARP_LANES + i) * 2 + r % 2] : *d;                                  \
            }                                                                                                          \
    }

/* Cut off. From 2^128 on it is infinite. What is nothing has no sign. */
static float cut(double x)
{
    float f = (float)x;
    bool away = __builtin_fabs((double)f) > __builtin_fabs(x) && __builtin_fabs(x) < 0x1p128;
    uint32_t bits = bits_f32(f) - away;
    return x != x ? f32_bits(F32_NAN) : f32_bits(bits & 0x7fffffff ? bits : 0);
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
            to[8 * r + i / COLUMNS][i % COLUMNS] = of_f16(o->c[r], i);
}

/* Adding 1.5 2^52 units rounds to a multiple of the unit, to nearest even. Units of halves are 2^-10 of the number's power of two,
 * 2^-24 at least. */
INLINE uint16_t nearest_half(double x)
{
    double size = __builtin_fabs(x), least = size < 0x1p-14 ? 0x1p-14 : size > 0x1p17 ? 0x1p17 : size;
    double shift = f64_bits((bits_f64(least) & UINT64_C(0x7ff0000000000000)) + (UINT64_C(42) << 52)) * 1.5;
    float f = (float)(size + shift - shift);
    uint32_t bits = bits_f32(f), sign = (uint32_t)(bits_f64(x) >> 48) & 0x8000;
    uint32_t normal = (bits >> 13) - (112u << 10), small = (uint32_t)(int32_t)(f * 0x1p24f);
    uint32_t magnitude = f >= 65536 ? 0x7c00 : f < 0x1p-14f ? small : normal;
    return (uint16_t)(x != x ? 0x7fff : magnitude ? sign | magnitude : 0);
}

static void write_halves(const struct operands *o, double (*from)[COLUMNS])
{
    uint16_t made[MOST_ROWS * COLUMNS];
    const double *x = &from[0][0];
    for (int i = 0; i < o->shape->m * COLUMNS; i++)
        made[i] = nearest_half(x[i]);
    for (int r = 0; r < o->shape->m / 8; r++)
        for (int i = 0; i < WARP_LANES * 2; i++) {
            uint16_t *d = (uint16_t *)o->d[r] + i;
            *d = o->m >> i / 2 & 1 ? made[WARP_LANES * 2 * r + i] : *d;
        }
}

/* --- products --- */

/* c += a b, 8 rows at a time, a vector of columns after the other: no sum waits for the one before, and all lie in registers. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define ROW_FROM(r)  from##r = to[r * width];
#define ROW_TO(r)    to[r * width] = from##r;
#define MULTIPLY(name, T, PART, ADD)                                                                                   \
    static void multiply_##name(int m, int k, T (*a)[MOST_DEPTH], T (*b)[COLUMNS], T (*c)[COLUMNS])                    \
    {                                                                                                                  \
        const int width = (int)(COLUMNS * sizeof(T) / sizeof(PART));                                                   \
        for (int i = 0; i < m; i += 8)                                                                                 \
            for (int p = 0; p < width; p++) {                                                                          \
                PART *to = (PART *)c[i] + p, from0, from1, from2, from3, from4, from5, from6, from7;                   \
                T(*row)[MOST_DEPTH] = a + i;                                                                           \
                EACH_ROW(ROW_FROM)                                                                                     \
                for (int at = 0; at < k; at++) {                                                                       \
                    const PART with = ((const PART *)b[at])[p];                                                        \
                    EACH_ROW(ADD)                                                                                      \
                }                                                                                                      \
                EACH_ROW(ROW_TO)                                                                                       \
            }                                                                                                          \
    }
#define PLUS(r) from##r += row[r][at] * with;
#define FUSED(r)                                                                                                       \
    for (unsigned j = 0; j < sizeof with / 8; j++)                                                                     \
        from##r[j] = __builtin_fma(row[r][at], with[j], from##r[j]);
MULTIPLY(f64, double, part_f64, FUSED)
MULTIPLY(s32, int32_t, part_s32, PLUS) /* at most 64 times 15 * 15 or 32 times 255 * 255 */
#undef PLUS
#undef FUSED
#undef ROW_FROM
#undef ROW_TO
#undef EACH_ROW
#undef MULTIPLY

/* --- floating sums --- */

typedef double row_f64 __attribute__((vector_size(COLUMNS * 8), may_alias));
typedef int64_t row_s64 __attribute__((vector_size(COLUMNS * 8), may_alias));
typedef int32_t row_s32 __attribute__((vector_size(COLUMNS * 4), may_alias));

enum { E4M3_LEAST = -6, F16_LEAST = -14 /* e5m2's, too */, F32_LEAST = -126 /* bf16's and TF32's, too */,
       FRACTION_BITS = 10 /* of the longest factor */, NOTHING = -4096 /* a zero's power of two */ };

/* How a tensor core adds. The products of `terms` elements of a row of A and what there is so far, C at first, are cut off at one place,
 * `bits` below the power of two of the largest of them, or of 2^least; their sum is exact, and is cut off to a float or rounded to
 * a half. A product's power of two is the sum of its factors', and that of a subnormal number is its format's least; zeros have
 * none. H200, 2026-11-23; the form of the rule: Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores", 2025. */
struct grid {
    int bits, terms, least;
    bool halves; /* results */
};

/* The bits of a float below which the generations differ are `bits` - 23: as many more powers of two does an alignment reach down. */
static struct grid grid_of(const struct launch *l, int bits, int element_bytes, bool halves)
{
    enum { FLOAT_BITS = 23, FLOATS_DOWN_TO = -131, HALVES_DOWN_TO = -19 };
    return (struct grid){bits, l->matrix_sum_bytes / element_bytes, (halves ? HALVES_DOWN_TO : FLOATS_DOWN_TO) - (bits - FLOAT_BITS), halves};
}

/* Vectors go to functions by address: how they would go by value differs from level to level of the host. */
static void to_power_of_two(const row_s64 *exponent, row_f64 *to)
{
    *to = (row_f64)((*exponent + 1023) << 52);
}

/* A result as the next addend. */
static double result_of(double x, bool halves)
{
    uint16_t half = halves ? nearest_half(x) : 0;
    return halves ? (double)of_f16(&half, 0) : (double)cut(x);
}

/* A factor is digits 2^(power - FRACTION_BITS), `negative` (all bits) or not (0). */
struct factors {
    double (*a)[MOST_DEPTH], (*b)[COLUMNS];
    struct {
        int32_t digits[MOST_ROWS][MOST_DEPTH], power[MOST_ROWS][MOST_DEPTH], negative[MOST_ROWS][MOST_DEPTH];
    } of_a;
    struct {
        ALIGNED int32_t digits[MOST_DEPTH][COLUMNS];
        ALIGNED int32_t power[MOST_DEPTH][COLUMNS];
        ALIGNED int32_t negative[MOST_DEPTH][COLUMNS];
    } of_b;
    bool special;
};

/* n numbers in a row; answers whether one of them is none, or infinite. */
static bool take_apart(const double *x, int n, int least, int32_t *digits, int32_t *power, int32_t *negative)
{
    int32_t special = 0;
    for (int i = 0; i < n; i++) {
        int64_t bits = (int64_t)bits_f64(x[i]);
        int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1023, p = e < least ? least : e;
        double unit = f64_bits((uint64_t)(FRACTION_BITS - p + 1023) << 52);
        special |= e == 1024;
        digits[i] = e == 1024 ? 0 : (int32_t)(__builtin_fabs(x[i]) * unit);
        power[i] = x[i] == 0 ? NOTHING : p;
        negative[i] = (int32_t)(bits >> 63);
    }
    return special;
}

/* The power of two of the largest addend of each sum. */
static void find_top(const struct factors *f, const struct grid *g, int i, int first, int end, const row_f64 *sum, bool *special, row_s32 *top)
{
    const int least = g->halves ? F16_LEAST : F32_LEAST;
    int32_t beyond = 0;
    for (int j = 0; j < COLUMNS; j++) {
        int power = (int)(bits_f64((*sum)[j]) >> 52 & 0x7ff) - 1023, own = power < least ? least : power;
        beyond |= power == 1024;
        own = (*sum)[j] == 0 ? NOTHING : own;
        (*top)[j] = own < g->least ? g->least : own;
    }
    *special |= beyond;
    for (int k = first; k < end; k++)
        for (int j = 0; j < COLUMNS; j++) {
            int power = f->of_b.power[k][j] + f->of_a.power[i][k];
            (*top)[j] = power > (*top)[j] ? power : (*top)[j];
        }
}

/* Adds the products of row i with elements from `first` to before `end` (at most 8, which 31 bits have room for), cut off `bits` below
 * `top`, in units of that. */
static void add_products(const struct factors *f, const struct grid *g, int i, int first, int end, const row_s32 *top, row_f64 *sum)
{
    const int more = g->bits - 2 * FRACTION_BITS; /* digits of a product to those of the sum */
    row_s32 all = {0};
    for (int k = first; k < end; k++) {
        row_s32 down = *top - *(const row_s32 *)f->of_b.power[k] - f->of_a.power[i][k];
        row_s32 digits = *(const row_s32 *)f->of_b.digits[k] * (f->of_a.digits[i][k] << (more > 0 ? more : 0));
        row_s32 negative = *(const row_s32 *)f->of_b.negative[k] ^ f->of_a.negative[i][k];
        for (int j = 0; j < COLUMNS; j++)
            down[j] = down[j] > 31 ? 31 : down[j];
        if (more < 0)
            digits >>= -more;
        digits = digits >> down;
        all += (digits ^ negative) - negative;
    }
    *sum += __builtin_convertvector(all, row_f64);
}

/* Adds the products of row i with elements from `first` to before `end`. */
static void add_on_grid(const struct factors *f, const struct grid *g, int i, int first, int end, row_f64 *sum)
{
    enum { AT_ONCE = 8 };
    row_s32 top;
    row_s64 lowest, highest;
    row_f64 unit, scale, plain = *sum, all;
    bool special = f->special;
    find_top(f, g, i, first, end, sum, &special, &top);
    lowest = __builtin_convertvector(top, row_s64) - g->bits;
    highest = -lowest;
    to_power_of_two(&lowest, &unit);
    to_power_of_two(&highest, &scale);
    all = __builtin_convertvector(__builtin_convertvector(*sum * scale, row_s32), row_f64);
    for (int k = first; k < end; k += AT_ONCE)
        add_products(f, g, i, k, k + AT_ONCE < end ? k + AT_ONCE : end, &top, &all);
    *sum = all * unit;
    for (int k = first; k < end && special; k++)
        plain += f->a[i][k] * *(const row_f64 *)f->b[k];
    for (int j = 0; j < COLUMNS && special; j++)
        (*sum)[j] = plain[j] - plain[j] != 0 ? plain[j] : (*sum)[j];
}

/* Factors of A and of B have these least powers of two. */
static void multiply_on_grid(const struct grid *g, const struct ptx_shape_info *shape, int least_a, int least_b, double (*a)[MOST_DEPTH],
                             double (*b)[COLUMNS], double (*c)[COLUMNS])
{
    struct factors f;
    f.a = a;
    f.b = b;
    f.special = take_apart(b[0], shape->k * COLUMNS, least_b, f.of_b.digits[0], f.of_b.power[0], f.of_b.negative[0]);
    for (int i = 0; i < shape->m; i++)
        f.special |= take_apart(a[i], shape->k, least_a, f.of_a.digits[i], f.of_a.power[i], f.of_a.negative[i]);
    for (int i = 0; i < shape->m; i++)
        for (int k = 0; k < shape->k; k += g->terms) {
            int end = k + g->terms;
            add_on_grid(&f, g, i, k, end < shape->k ? end : shape->k, (row_f64 *)c[i]);
            for (int j = 0; j < COLUMNS && end < shape->k; j++)
                c[i][j] = result_of(c[i][j], g->halves);
        }
}

#define ON_GRID(least, element_bytes, halves)                                                                          \
    struct grid g = grid_of(w->block->launch, w->block->launch->matrix_sum_bits, element_bytes, halves);               \
    multiply_on_grid(&g, o.shape, least, least, a, b, d)
#define FUSED_CHAIN                           multiply_f64(o.shape->m, o.shape->k, a, b, d)
#define PRODUCT(name, element, sums, how)                                                                              \
    static bool mma_##name(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)             \
    {                                                                                                                  \
        struct operands o;                                                                                             \
        ALIGNED double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], d[MOST_ROWS][COLUMNS];                        \
        find_operands(&o, c, w, st, m);                                                                                \
        rows_##element(&o, a);                                                                                         \
        columns_##element(&o, b);                                                                                      \
        read_##sums(&o, d);                                                                                            \
        how;                                                                                                           \
        write_##sums(&o, d);                                                                                           \
        return true;                                                                                                   \
    }
PRODUCT(f16, f16, f32, ON_GRID(F16_LEAST, 2, false))
PRODUCT(f16_halves, f16, halves, ON_GRID(F16_LEAST, 2, true))
PRODUCT(bf16, bf16, f32, ON_GRID(F32_LEAST, 2, false))
PRODUCT(tf32, tf32, f32, ON_GRID(F32_LEAST, 4, false))
PRODUCT(f64, f64, f64, FUSED_CHAIN)
#undef PRODUCT
#undef FUSED_CHAIN
#undef ON_GRID

/* Where tensor cores have no 8-bit numbers, halves of the same value are multiplied, first those of each register's lower half, then
 * the others; that sum is begun with nothing, and C is added in float. (mma of compute capability 9.0: SASS of ptxas 13.0.) */
static void multiply_as_halves(const struct launch *l, const struct ptx_shape_info *shape, double (*a)[MOST_DEPTH], double (*b)[COLUMNS],
                               double (*c)[COLUMNS])
{
    ALIGNED double lower_a[MOST_ROWS][MOST_DEPTH], lower_b[MOST_DEPTH][COLUMNS], sum[MOST_ROWS][COLUMNS] = {{0}};
    struct grid g = grid_of(l, l->matrix_sum_bits, 2, false);
    for (int k = 0; k < shape->k; k++) {
        int at = (k / 2 % 2 * shape->k + k / 4 * 4) / 2 + k % 2;
        for (int i = 0; i < shape->m; i++)
            lower_a[i][at] = a[i][k];
        memcpy(lower_b[at], b[k], sizeof *lower_b);
    }
    multiply_on_grid(&g, shape, F16_LEAST, F16_LEAST, lower_a, lower_b, sum);
    for (int i = 0; i < shape->m; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[i][j] = (double)(cut(sum[i][j]) + (float)c[i][j]);
}

static bool mma_fp8(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct operands o;
    ALIGNED double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], d[MOST_ROWS][COLUMNS];
    const struct ptx_mods *mods = st->in->mods;
    const struct launch *l = w->block->launch;
    bool e4m3_a = mods->element[0] == PTX_ELEMENT_E4M3, e4m3_b = mods->element[1] == PTX_ELEMENT_E4M3;
    struct grid g = grid_of(l, l->matrix_fp8_bits, 1, false);
    find_operands(&o, c, w, st, m);
    (e4m3_a ? rows_e4m3 : rows_e5m2)(&o, a);
    (e4m3_b ? columns_e4m3 : columns_e5m2)(&o, b);
    read_f32(&o, d);
    if (l->matrix_fp8_bits)
        multiply_on_grid(&g, o.shape, e4m3_a ? E4M3_LEAST : F16_LEAST, e4m3_b ? E4M3_LEAST : F16_LEAST, a, b, d);
    else
        multiply_as_halves(l, o.shape, a, b, d);
    write_f32(&o, d);
    return true;
}

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
    ALIGNED int32_t a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], d[MOST_ROWS][COLUMNS] = {{0}};
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
    [PTX_ELEMENT_E4M3] = mma_fp8, [PTX_ELEMENT_E5M2] = mma_fp8,
    [PTX_ELEMENT_S8] = mma_integers, [PTX_ELEMENT_U8] = mma_integers, [PTX_ELEMENT_S4] = mma_integers,
    [PTX_ELEMENT_U4] = mma_integers, [PTX_ELEMENT_B1] = mma_bits}, mma_f16_halves};
