/* Half precision: values by hand, and every operation against sums and products in 113 bits, rounded once by the host.
 *
 * The oracle for f16 is __float128: any sum of a product of two f16 and an f16 fits its 113 bits. bf16 spans more, so its
 * double-rounding traps are written out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "interp/lanes_table.h"

static struct ptx_mods mods;
static const int32_t results[2] = {IR_NOREG, IR_NOREG};
static const struct ir_src sources[4];

static uint32_t lane(int op, int type, int type2, uint32_t a, uint32_t b, uint32_t c)
{
    struct ir_inst in = {.op = (uint16_t)op, .type = (uint8_t)type, .type2 = (uint8_t)type2, .mods = &mods, .ndst = 1,
                         .dst = results, .src = sources};
    uint32_t d[32], v[3][32], from[3] = {a, b, c};
    int bits = ptx_type_info[type2 ? type2 : type].bits;
    lanes_fn *f = lanes_find(NULL, &in);
    if (!f)
        fail_msg("%s.%s is not there", ptx_op_info[op].word, ptx_type_info[type].spelling);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 3; k++)
            memcpy((char *)v[k] + i * bits / 8, &from[k], (size_t)bits / 8);
    memset(d, 0x5a, sizeof d);
    f(d, v[0], v[1], v[2], NULL, 0x80000001u, &in);
    int dbits = ptx_type_info[type].bits;
    uint32_t first = 0, second = 0, last = 0;
    memcpy(&first, d, (size_t)dbits / 8);
    memcpy(&second, (char *)d + dbits / 8, (size_t)dbits / 8);
    memcpy(&last, (char *)d + 31 * dbits / 8, (size_t)dbits / 8);
    assert_int_equal(first, last);
    assert_int_equal(second, dbits == 16 ? 0x5a5a : 0x5a5a5a5a);
    return first;
}

#define IS(op, type, change, a, b, c, expected)                                                                     \
    do {                                                                                                            \
        memset(&mods, 0, sizeof mods);                                                                              \
        change;                                                                                                     \
        uint32_t got_ = lane(PTX_OP_##op, PTX_##type, 0, a, b, c);                                                  \
        if (got_ != (expected))                                                                                     \
            fail_msg("line %d: %s.%s: %x, not %x", __LINE__, #op, #type, got_, (uint32_t)(expected));               \
    } while (0)

static void by_hand(void **state)
{
    (void)state;
    /* f16: 1 = 3c00, 2 = 4000, 2^-24 = 0001, 65504 = 7bff */
    IS(FADD, F16, , 0x3c00, 0x4000, 0, 0x4200);
    IS(FADD, F16, , 0x3c00, 0x1000, 0, 0x3c00);              /* 1 + 2^-11: a tie, to even */
    IS(FADD, F16, , 0x3c01, 0x1000, 0, 0x3c02);              /* 1 + 2^-10 + 2^-11: a tie, to even */
    IS(FADD, F16, , 0x7bff, 0x4c00, 0, 0x7c00);              /* 65504 + 16 = 65520: the least that becomes infinite */
    IS(FADD, F16, , 0x7bff, 0x4bff, 0, 0x7bff);
    IS(FADD, F16, , 0x7c00, 0xfc00, 0, 0x7fff);              /* inf - inf */
    IS(FADD, F16, , 0x8000, 0x8000, 0, 0x8000);
    IS(FSUB, F16, , 0x3c00, 0x3c00, 0, 0x0000);
    IS(FMUL, F16, , 0x0001, 0x3800, 0, 0x0000);              /* 2^-24 / 2: a tie, to even */
    IS(FMUL, F16, , 0x0003, 0x3800, 0, 0x0002);              /* 1.5 units */
    IS(FMUL, F16, mods.ftz = true, 0x0200, 0x4000, 0, 0x0000); /* a subnormal operand is zero */
    IS(FMUL, F16, mods.ftz = true, 0x0400, 0xb800, 0, 0x8000); /* a subnormal result is zero of its sign */
    IS(FADD, F16, mods.sat = true, 0x3c00, 0x4000, 0, 0x3c00);
    IS(FADD, F16, mods.sat = true, 0x7e00, 0x4000, 0, 0x0000);
    IS(FMA, F16, , 0x3c01, 0x3c01, 0xbc02, 0x0010);          /* (1 + u)^2 - (1 + 2u) = u^2 = 2^-20 = 16 units */
    IS(FMA, F16, mods.relu = true, 0x3c00, 0xbc00, 0, 0x0000);
    IS(FABS, F16, , 0xc000, 0, 0, 0x4000);
    IS(FNEG, F16, , 0x0000, 0, 0, 0x8000);
    IS(FMIN, F16, , 0x8000, 0x0000, 0, 0x8000);
    IS(FMIN, F16, , 0x7e00, 0x4000, 0, 0x4000);
    IS(FMAX, F16, mods.nan = true, 0x7e00, 0x4000, 0, 0x7fff);
    IS(FMAX, F16, mods.xorsign_abs = true, 0xc000, 0x3c00, 0, 0xc000); /* |2| is larger; signs differ */
    IS(EX2, F16, mods.approx = true, 0xbc00, 0, 0, 0x3800);
    /* pairs: the lower half by itself, the upper half by itself */
    IS(FADD, F16X2, , 0x40003c00, 0x3c003c00, 0, 0x42004000);
    IS(FMA, F16X2, , 0x40003c01, 0x42003c01, 0x3c00bc02, 0x47000010); /* 2 * 3 + 1 = 7 */
    IS(FNEG, F16X2, , 0x80003c00, 0, 0, 0x0000bc00);
    /* bf16: 1 = 3f80, u = 2^-7; 2^-133 = 0001 */
    IS(FADD, BF16, , 0x3f80, 0x3b80, 0, 0x3f80);             /* 1 + 2^-8: a tie, to even */
    IS(FADD, BF16, , 0x3f81, 0x3b80, 0, 0x3f82);
    IS(FMUL, BF16, , 0x0001, 0x3f00, 0, 0x0000);
    IS(FMUL, BF16X2, , 0x40003f80, 0x40403f80, 0, 0x40c03f80);
    /* fma: (1 + u)(1 + u) = 1 + 2u + u^2; the product 1.5 * (1 + u) = 1.5 + 1.5u is a tie between 3fc1 and 3fc2: what is
     * added decides, even when it is 2^-100 and double would lose it */
    IS(FMA, BF16, , 0x3fc0, 0x3f81, 0x0000, 0x3fc2);
    IS(FMA, BF16, , 0x3fc0, 0x3f81, 0x0d80, 0x3fc2);         /* + 2^-100 */
    IS(FMA, BF16, , 0x3fc0, 0x3f81, 0x8d80, 0x3fc1);         /* - 2^-100 */
    IS(FMA, BF16, , 0x3fc0, 0x3f83, 0x0000, 0x3fc4);         /* 1.5 + 4.5u: a tie between 3fc4 and 3fc5 */
    IS(FMA, BF16, , 0x3fc0, 0x3f83, 0x0d80, 0x3fc5);
}

static uint32_t compare(int cmp, int type, uint32_t a, uint32_t b, bool second)
{
    struct ir_inst in = {.op = PTX_OP_SETP, .type = (uint8_t)type, .mods = &mods, .ndst = 1, .dst = results, .src = sources};
    uint32_t p = 0, v[2][32];
    int bits = ptx_type_info[type].bits;
    mods = (struct ptx_mods){.cmp = (uint8_t)cmp};
    for (int i = 0; i < 32; i++) {
        memcpy((char *)v[0] + i * bits / 8, &a, (size_t)bits / 8);
        memcpy((char *)v[1] + i * bits / 8, &b, (size_t)bits / 8);
    }
    (second ? lanes_find_setp_second(NULL, &in) : lanes_find(NULL, &in))(&p, v[0], v[1], NULL, NULL, 5, &in);
    assert_int_equal(p & ~5u, 0);
    return p & 1;
}

static void comparisons(void **state)
{
    (void)state;
    assert_int_equal(compare(PTX_LT, PTX_F16, 0x3c00, 0x3c01, false), 1);
    assert_int_equal(compare(PTX_LT, PTX_F16, 0x3c00, 0x3c01, true), 0);
    assert_int_equal(compare(PTX_EQ, PTX_F16, 0x8000, 0x0000, false), 1);
    assert_int_equal(compare(PTX_NE, PTX_F16, 0x7e00, 0x0000, false), 0);
    assert_int_equal(compare(PTX_NEU, PTX_BF16, 0x7fc0, 0x0000, false), 1);
    assert_int_equal(compare(PTX_GT, PTX_BF16, 0x0001, 0x8001, false), 1);
    /* pairs: p is of the lower halves, q of the upper */
    assert_int_equal(compare(PTX_LT, PTX_F16X2, 0x40003c00, 0x3c004000, false), 1);
    assert_int_equal(compare(PTX_LT, PTX_F16X2, 0x40003c00, 0x3c004000, true), 0);
    mods = (struct ptx_mods){.cmp = PTX_LT};
    assert_int_equal(lane(PTX_OP_SET, PTX_F16X2, PTX_F16X2, 0x40003c00, 0x3c004000, 0), 0x00003c00);
    assert_int_equal(lane(PTX_OP_SET, PTX_U32, PTX_F16X2, 0x3c003c00, 0x40003c00, 0), 0xffff0000);
    assert_int_equal(lane(PTX_OP_SET, PTX_U32, PTX_F16, 0x3c00, 0x4000, 0), 0xffffffff);
    assert_int_equal(lane(PTX_OP_SET, PTX_BF16, PTX_BF16, 0x3f80, 0x4000, 0), 0x3f80);
}

static __float128 wide(uint16_t h)
{
    _Float16 x;
    memcpy(&x, &h, 2);
    return (__float128)x;
}

static uint16_t rounded(__float128 x)
{
    _Float16 h = (_Float16)x;
    uint16_t u;
    memcpy(&u, &h, 2);
    return (u & 0x7fff) > 0x7c00 ? 0x7fff : u;
}

static uint32_t seed = 2463534242u;
static uint32_t next_random(void) /* xorshift32, Marsaglia 2003 */
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    return seed ^= seed << 5;
}

static void against_113_bits(void **state)
{
    (void)state;
    static const uint16_t edges[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
    enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 4000 };
    struct ir_inst in = {.mods = &mods, .ndst = 1, .dst = results, .src = sources, .type = PTX_F16};
    for (int round = 0; round < ROUNDS; round++) {
        uint16_t a[32], b[32], c[32], d[32];
        for (int i = 0; i < 32; i++) {
            a[i] = next_random() % 8 ? (uint16_t)next_random() : edges[next_random() % EDGES];
            b[i] = next_random() % 8 ? (uint16_t)next_random() : edges[next_random() % EDGES];
            c[i] = next_random() % 8 ? (uint16_t)next_random() : edges[next_random() % EDGES];
            if (round & 1) /* near cancellation: c close to -a * b */
                c[i] = (uint16_t)((rounded(wide(a[i]) * wide(b[i])) ^ 0x8000) + next_random() % 5 - 2);
        }
        static const int ops[] = {PTX_OP_FADD, PTX_OP_FSUB, PTX_OP_FMUL, PTX_OP_FMA};
        memset(&mods, 0, sizeof mods);
        for (int o = 0; o < 4; o++) {
            in.op = (uint16_t)ops[o];
            lanes_find(NULL, &in)(d, a, b, c, NULL, ~0u, &in);
            for (int i = 0; i < 32; i++) {
                __float128 x = wide(a[i]), y = wide(b[i]), z = wide(c[i]);
                uint16_t want = rounded(o == 0 ? x + y : o == 1 ? x - y : o == 2 ? x * y : x * y + z);
                if (d[i] != want)
                    fail_msg("%s %04x %04x %04x: %04x, not %04x", ptx_op_info[ops[o]].word, a[i], b[i], c[i], d[i], want);
            }
        }
    }
}

static void levels_agree(void **state)
{
    (void)state;
    static const int ops[] = {PTX_OP_FADD, PTX_OP_FMUL, PTX_OP_FMA, PTX_OP_FMIN, PTX_OP_TANH};
    for (int type = PTX_F16; type <= PTX_BF16X2; type++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (int dyn = 0; dyn < 2; dyn++) {
                struct ir_inst in = {.op = (uint16_t)ops[o], .type = (uint8_t)type, .mods = &mods, .ndst = 1, .dst = results, .src = sources};
                uint32_t a[32], b[32], c[32], first[32] = {0};
                mods = (struct ptx_mods){.ftz = dyn, .relu = dyn && ops[o] == PTX_OP_FMA};
                for (int i = 0; i < 32; i++)
                    a[i] = next_random(), b[i] = next_random(), c[i] = next_random();
                for (int level = 0; level < 3; level++) {
                    const struct lanes_table *t = lanes_table_of(level);
                    uint32_t d[32] = {0};
                    if (!t)
                        continue;
                    lanes_find_in(t, NULL, &in)(d, a, b, c, NULL, level ? ~0u : 0xffffffffu, &in);
                    if (!level)
                        memcpy(first, d, sizeof d);
                    assert_memory_equal(first, d, sizeof d);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(against_113_bits),
        cmocka_unit_test(levels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
