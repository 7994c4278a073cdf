/* Lane functions: values computed by hand, masks, and that all host levels agree. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "interp/lanes_table.h"
#include "ir/edit.h"

static struct ptx_mods mods;

/* the instruction that a test builds up: op, types, then fields of `mods`, and its operands */
static int32_t results[2];
static struct ir_src sources[5]; /* as lop3 with a predicate has */

static struct ir_inst inst(int op, int type, int type2)
{
    memset(&mods, 0, sizeof mods);
    mods.type[0] = (uint8_t)type;
    mods.type[1] = (uint8_t)type2;
    results[0] = results[1] = IR_NOREG;
    for (int i = 0; i < 5; i++)
        sources[i] = ir_of_value(0);
    return (struct ir_inst){.op = (uint16_t)op, .type = (uint8_t)type, .type2 = (uint8_t)type2, .mods = &mods,
                            .ndst = 1, .dst = results, .nsrc = 5, .src = sources};
}

static uint64_t one_lane(const struct ir_inst *in, uint64_t a, uint64_t b, uint64_t c, int abits, int dbits)
{
    uint64_t d[32], va[32], vb[32], vc[32];
    memset(d, 0x5a, sizeof d);
    for (int i = 0; i < 32; i++) {
        memcpy((char *)va + i * abits / 8, &a, (size_t)abits / 8);
        memcpy((char *)vb + i * abits / 8, &b, (size_t)abits / 8);
        memcpy((char *)vc + i * abits / 8, &c, (size_t)abits / 8);
    }
    lanes_fn *f = lanes_find(NULL, in);
    assert_non_null(f);
    f(d, va, vb, vc, NULL, 0x80000001u, in);
    uint64_t first = 0, second = 0, last = 0, untouched = 0x5a5a5a5a5a5a5a5au;
    memcpy(&first, d, (size_t)dbits / 8);
    memcpy(&second, (char *)d + dbits / 8, (size_t)dbits / 8);
    memcpy(&last, (char *)d + 31 * dbits / 8, (size_t)dbits / 8);
    assert_true(first == last);
    assert_int_equal(memcmp(&second, &untouched, (size_t)dbits / 8), 0);
    return first;
}

#define CHECK(op, type, type2, change, a, b, c, abits, dbits, expected)                                             \
    do {                                                                                                            \
        struct ir_inst in = inst(PTX_OP_##op, PTX_##type, PTX_##type2);                                             \
        change;                                                                                                     \
        uint64_t got = one_lane(&in, a, b, c, abits, dbits);                                                        \
        if (got != (uint64_t)(expected))                                                                            \
            fail_msg("%s.%s.%s: %llx, not %llx", #op, #type, #type2, (unsigned long long)got,                       \
                     (unsigned long long)(expected));                                                               \
    } while (0)

static void integers(void **state)
{
    (void)state;
    CHECK(ADD, U32, NOTYPE, , 0xffffffffu, 2, 0, 32, 32, 1);
    CHECK(ADD, S32, NOTYPE, mods.sat = true, 0x7fffffff, 2, 0, 32, 32, 0x7fffffff);
    CHECK(SUB, S32, NOTYPE, mods.sat = true, 0x80000000u, 2, 0, 32, 32, 0x80000000u);
    CHECK(MUL_LO, U64, NOTYPE, , 0xffffffffffffffffu, 3, 0, 64, 64, 0xfffffffffffffffdu);
    CHECK(MUL_HI, S32, NOTYPE, , 0xffffffffu, 2, 0, 32, 32, 0xffffffffu);
    CHECK(MUL_HI, U32, NOTYPE, , 0xffffffffu, 2, 0, 32, 32, 1);
    CHECK(MUL_HI, U64, NOTYPE, , 0xffffffffffffffffu, 0xffffffffffffffffu, 0, 64, 64, 0xfffffffffffffffeu);
    CHECK(MUL_WIDE, S32, NOTYPE, , 0xffffffffu, 3, 0, 32, 64, 0xfffffffffffffffdu);
    CHECK(MUL_WIDE, U16, NOTYPE, , 0xffff, 0xffff, 0, 16, 32, 0xfffe0001u);
    CHECK(MUL24_LO, U32, NOTYPE, , 0xff800001u, 2, 0, 32, 32, 0x1000002);
    CHECK(MUL24_LO, S32, NOTYPE, , 0x00ffffff, 5, 0, 32, 32, 0xfffffffbu);
    CHECK(MUL24_HI, U32, NOTYPE, , 0x00ffffff, 0x00ffffff, 0, 32, 32, 0xfffffe00u);
    CHECK(DIV, S32, NOTYPE, , 0x80000000u, 0xffffffffu, 0, 32, 32, 0x80000000u);
    CHECK(DIV, S32, NOTYPE, , (uint32_t)-7, 2, 0, 32, 32, (uint32_t)-3);
    CHECK(DIV, U32, NOTYPE, , 0xffffffffu, 0xfffffffeu, 0, 32, 32, 1);
    CHECK(DIV, U32, NOTYPE, , 7, 0, 0, 32, 32, 0xffffffffu);
    CHECK(REM, U32, NOTYPE, , 7, 0, 0, 32, 32, 0xffffffffu);
    CHECK(REM, S32, NOTYPE, , (uint32_t)-7, 4, 0, 32, 32, (uint32_t)-3);
    CHECK(REM, S64, NOTYPE, , 0x8000000000000000u, 0xffffffffffffffffu, 0, 64, 64, 0);
    CHECK(SAD, S32, NOTYPE, , (uint32_t)-5, 3, 10, 32, 32, 18);
    CHECK(POPC, B64, NOTYPE, , 0xf00000000000000fu, 0, 0, 64, 32, 8);
    CHECK(CLZ, B32, NOTYPE, , 0, 0, 0, 32, 32, 32);
    CHECK(CLZ, B64, NOTYPE, , 1, 0, 0, 64, 32, 63);
    CHECK(BFIND, S32, NOTYPE, , 0xffffffffu, 0, 0, 32, 32, 0xffffffffu);
    CHECK(BFIND, S32, NOTYPE, , 0xfffffff0u, 0, 0, 32, 32, 3);
    CHECK(BFIND, U64, NOTYPE, mods.shiftamt = true, 1, 0, 0, 64, 32, 63);
    CHECK(BREV, B32, NOTYPE, , 1, 0, 0, 32, 32, 0x80000000u);
    CHECK(SHL, B32, NOTYPE, , 1, 32, 0, 32, 32, 0);
    CHECK(SHR, S32, NOTYPE, , 0x80000000u, 99, 0, 32, 32, 0xffffffffu);
    CHECK(SHR, U32, NOTYPE, , 0x80000000u, 31, 0, 32, 32, 1);
    CHECK(CNOT, B32, NOTYPE, , 0, 0, 0, 32, 32, 1);
    CHECK(BFE, S32, NOTYPE, , 0x00000080u, 4, 4, 32, 32, 0xfffffff8u);
    CHECK(BFE, U32, NOTYPE, , 0x12345678u, 8, 8, 32, 32, 0x56);
    CHECK(PRMT, B32, NOTYPE, , 0x33221100u, 0x77665544u, 0x7531, 32, 32, 0x77553311u);
    CHECK(SHF_L, B32, NOTYPE, mods.variant = PTX_SHF_WRAP, 0x80000000u, 1, 33, 32, 32, 3);
    CHECK(SHF_R, B32, NOTYPE, mods.variant = PTX_SHF_CLAMP, 0x80000000u, 1, 33, 32, 32, 1);
    CHECK(LOP3, B32, NOTYPE, sources[3].imm = 0x96, 0xf0f0f0f0u, 0xccccccccu, 0xaaaaaaaau, 32, 32, 0x96969696u);
    CHECK(DP4A, S32, S32, , 0xff010203u, 0x02010101u, 100, 32, 32, 104);
    CHECK(SLCT, F32, F32, , 1, 2, 0x80000000u, 32, 32, 1);
}

static void floats(void **state)
{
    (void)state;
    const uint32_t one = 0x3f800000u, nan = 0x7fffffffu, denormal = 0x00400000u;
    CHECK(FADD, F32, NOTYPE, , one, one, 0, 32, 32, 0x40000000u);
    CHECK(FADD, F32, NOTYPE, , 0x7f800000u, 0xff800000u, 0, 32, 32, nan);
    CHECK(FADD, F32, NOTYPE, mods.round = PTX_RP, one, 1, 0, 32, 32, 0x3f800001u);
    CHECK(FADD, F32, NOTYPE, mods.round = PTX_RZ, one, 0x80000001u, 0, 32, 32, 0x3f7fffffu);
    CHECK(FADD, F32, NOTYPE, mods.ftz = true, denormal, denormal, 0, 32, 32, 0);
    CHECK(FADD, F32, NOTYPE, , denormal, denormal, 0, 32, 32, 0x00800000u);
    CHECK(FADD, F32, NOTYPE, mods.sat = true, one, one, 0, 32, 32, one);
    /* 2^-126 (1 - 2^-24): a tie that becomes 2^-126 as a subnormal number, but is below it in 24 bits */
    CHECK(FMUL, F32, NOTYPE, , 0x3f7fffff, 0x00800000, 0, 32, 32, 0x00800000);
    CHECK(FMUL, F32, NOTYPE, mods.ftz = true, 0xbf7fffff, 0x00800000, 0, 32, 32, 0x80000000u);
    CHECK(FMA, F32, NOTYPE, mods.ftz = true, 0x3f7fffff, 0x00800000, 0, 32, 32, 0);
    CHECK(FDIV, F32, NOTYPE, mods.ftz = true, 0x00ffffff, 0x40000000, 0, 32, 32, 0);
    CHECK(FMUL, F32, NOTYPE, (mods.ftz = true, mods.round = PTX_RP), 0x3f7fffff, 0x00800000, 0, 32, 32, 0);
    /* 2^-126 (1 - 2^-46): that, too, to 24 bits */
    CHECK(FMUL, F32, NOTYPE, mods.ftz = true, 0x20000001, 0x1ffffffe, 0, 32, 32, 0x00800000);
    CHECK(FMA, F32, NOTYPE, , 0x3f800001u, 0x3f800001u, 0xbf800002u, 32, 32, 0x28800000u);
    CHECK(FDIV, F64, NOTYPE, mods.round = PTX_RM, 0x3ff0000000000000u, 0x4008000000000000u, 0, 64, 64, 0x3fd5555555555555u);
    CHECK(FDIV, F64, NOTYPE, mods.round = PTX_RP, 0x3ff0000000000000u, 0x4008000000000000u, 0, 64, 64, 0x3fd5555555555556u);
    CHECK(SQRT, F32, NOTYPE, , 0x40000000u, 0, 0, 32, 32, 0x3fb504f3u);
    CHECK(FMIN, F32, NOTYPE, , 0, 0x80000000u, 0, 32, 32, 0x80000000u);
    CHECK(FMAX, F32, NOTYPE, , 0x80000000u, 0, 0, 32, 32, 0);
    CHECK(FMIN, F32, NOTYPE, , nan, one, 0, 32, 32, one);
    CHECK(FMIN, F32, NOTYPE, mods.nan = true, nan, one, 0, 32, 32, nan);
    CHECK(COPYSIGN, F32, NOTYPE, , 0x80000000u, one, 0, 32, 32, 0xbf800000u);
}

static void conversions(void **state)
{
    (void)state;
    CHECK(CVT, F32, S32, mods.round = PTX_RN, 0xffffffffu, 0, 0, 32, 32, 0xbf800000u);
    CHECK(CVT, F32, U32, mods.round = PTX_RN, 0xffffffffu, 0, 0, 32, 32, 0x4f800000u);
    CHECK(CVT, F32, U32, mods.round = PTX_RZ, 0xffffffffu, 0, 0, 32, 32, 0x4f7fffffu);
    CHECK(CVT, S32, F32, mods.round = PTX_RZI, 0xbfc00000u, 0, 0, 32, 32, 0xffffffffu);
    CHECK(CVT, S32, F32, mods.round = PTX_RMI, 0xbfc00000u, 0, 0, 32, 32, 0xfffffffeu);
    CHECK(CVT, S32, F32, mods.round = PTX_RZI, 0x4f800000u, 0, 0, 32, 32, 0x7fffffff);
    CHECK(CVT, U32, F32, mods.round = PTX_RZI, 0xbf800000u, 0, 0, 32, 32, 0);
    CHECK(CVT, S32, F32, mods.round = PTX_RZI, 0x7fc00000u, 0, 0, 32, 32, 0);
    CHECK(CVT, S8, S32, mods.sat = true, 300, 0, 0, 32, 8, 0x7f);
    CHECK(CVT, S64, S32, , 0x80000000u, 0, 0, 32, 64, 0xffffffff80000000u);
    CHECK(CVT, U64, U32, , 0x80000000u, 0, 0, 32, 64, 0x80000000u);
    CHECK(CVT, F64, F32, , 0x3fc00000u, 0, 0, 32, 64, 0x3ff8000000000000u);
    CHECK(CVT, F32, F64, mods.round = PTX_RN, 0x3ff8000000000000u, 0, 0, 64, 32, 0x3fc00000u);
    CHECK(CVT, F16, F32, mods.round = PTX_RN, 0x3f801000u, 0, 0, 32, 16, 0x3c00);
    CHECK(CVT, F16, F32, mods.round = PTX_RN, 0x3f803000u, 0, 0, 32, 16, 0x3c02);
    CHECK(CVT, F16, F32, mods.round = PTX_RN, 0x477ff000u, 0, 0, 32, 16, 0x7c00);
    CHECK(CVT, F16, F32, mods.round = PTX_RZ, 0x477ff000u, 0, 0, 32, 16, 0x7bff);
    CHECK(CVT, F16, F32, mods.round = PTX_RN, 0x33000001u, 0, 0, 32, 16, 1);
    CHECK(CVT, F32, F16, , 1, 0, 0, 16, 32, 0x33800000u);
    CHECK(CVT, F32, F16, , 0xfc00, 0, 0, 16, 32, 0xff800000u);
    CHECK(CVT, F32, F32, mods.round = PTX_RPI, 0x3f000000u, 0, 0, 32, 32, 0x3f800000u);
}

/* Registers wider than the types: cvt.s32.s8 from a 32-bit register, cvt.u16.u8 into one of 16. */
static void conversions_between_wide_registers(void **state)
{
    (void)state;
    uint8_t reg_type[2] = {PTX_B32, PTX_B32};
    struct ir_kernel k = {.reg_type = reg_type, .nregs = 2};
    struct ir_inst in = inst(PTX_OP_CVT, PTX_S8, PTX_U32);
    results[0] = 0;
    sources[0] = ir_of_reg(1);
    lanes_fn *f = lanes_find(&k, &in);
    assert_non_null(f);
    uint32_t d[32] = {0}, a[32];
    for (uint32_t i = 0; i < 32; i++)
        a[i] = 0x1f0 + i;
    f(d, a, NULL, NULL, NULL, 0x0000ffffu, &in);
    assert_int_equal((int32_t)d[0], -16);
    assert_int_equal((int32_t)d[15], -1);
    assert_int_equal(d[16], 0);
}

static void predicates(void **state)
{
    (void)state;
    uint32_t p = 0xaaaaaaaau, q = 0xf, r = 0xffffffffu;
    struct ir_inst in = inst(PTX_OP_AND, PTX_PRED, 0);
    lanes_find(NULL, &in)(&r, &p, &q, NULL, NULL, 0xff, &in);
    assert_int_equal(r, 0xffffff0au);
    int32_t a[32], b[32];
    for (int i = 0; i < 32; i++) {
        a[i] = i - 16;
        b[i] = 0;
    }
    in = inst(PTX_OP_SETP, PTX_S32, 0);
    mods.cmp = PTX_LT;
    mods.boolop = PTX_BOOL_AND;
    sources[2].negated = true;
    r = 0;
    lanes_find(NULL, &in)(&r, a, b, &p, NULL, ~0u, &in);
    assert_int_equal(r, 0x5555);
    lanes_find_setp_second(NULL, &in)(&r, a, b, &p, NULL, ~0u, &in);
    assert_int_equal(r, 0x55550000);
    in = inst(PTX_OP_SELP, PTX_B32, 0);
    int32_t d[32];
    lanes_find(NULL, &in)(d, a, b, &p, NULL, ~0u, &in);
    assert_int_equal(d[0], 0);
    assert_int_equal(d[1], -15);
}

static void carry_chains(void **state)
{
    (void)state;
    uint32_t a[32], b[32], d[32], carry = 0;
    for (uint32_t i = 0; i < 32; i++) {
        a[i] = 0xfffffff0u + i; /* 0xfffffff0 to 0xffffffff, then 0 to 15 */
        b[i] = i & 1 ? 0 : 16;
    }
    struct ir_inst in = inst(PTX_OP_ADD, PTX_U32, 0);
    mods.cc = true;
    lanes_find(NULL, &in)(d, a, b, NULL, &carry, ~0u, &in);
    assert_int_equal(carry, 0x5555);
    assert_int_equal(d[2], 2);
    in = inst(PTX_OP_ADDC, PTX_U32, 0);
    lanes_find(NULL, &in)(d, b, b, NULL, &carry, ~0u, &in);
    assert_int_equal(d[0], 33);
    assert_int_equal(d[1], 0);
    assert_int_equal(carry, 0x5555); /* no .cc: kept */
    in = inst(PTX_OP_SUB, PTX_U32, 0);
    mods.cc = true;
    lanes_find(NULL, &in)(d, b, a, NULL, &carry, 0xff00ffffu, &in);
    assert_int_equal(carry, 0xaa00ffffu); /* the borrow, under the mask */
}

static void unknown_combinations_are_not_there(void **state)
{
    (void)state;
    struct ir_inst in = inst(PTX_OP_FDIV, PTX_F16, 0);
    assert_null(lanes_find(NULL, &in));
    in = inst(PTX_OP_LD, PTX_U32, 0);
    assert_null(lanes_find(NULL, &in));
    assert_null(lanes_extract(128, 2, 0));
    assert_null(lanes_extract(32, 2, 2));
}

/* ---- all levels give the same bits ---- */
static uint64_t seed = 42;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Half of the words hold values at the edges of some type. */
static void fill_random(uint64_t *v, int words)
{
    static const uint64_t edges[] = {0, ~UINT64_C(0), 0x7fffffff80000000u, 0x7f800000ff800000u, 0x7ff0000000000000u,
                                     0x3f80000000000001u, 0x8000000000000000u, 0x7c007e00fc008000u, 1, 0x1f00000020u,
                                     0x7fc000007f800001u, 0x7ff8000000000001u, 0x43e0000000000000u, 0x00800000007fffffu};
    for (int i = 0; i < words; i++) {
        uint64_t r = next_random();
        v[i] = r & 1 ? next_random() >> (r >> 8 & 31) : edges[(r >> 8) % (sizeof edges / sizeof edges[0])];
    }
}

static void levels_agree(void **state)
{
    (void)state;
    const int places = (int)(sizeof(struct lanes_table) / sizeof(lanes_fn *));
    for (int round = 0; round < 6; round++)
        for (int n = 0; n < places; n++) {
            struct ir_inst in = inst(PTX_OP_ADD, PTX_U32, PTX_U32);
            uint64_t r = next_random();
            mods.round = (uint8_t)(r % (PTX_RPI + 1));
            mods.cmp = PTX_LT;
            mods.boolop = r >> 8 & 3;
            mods.ftz = r >> 10 & 1;
            mods.sat = r >> 11 & 1;
            mods.nan = r >> 12 & 1;
            mods.xorsign_abs = r >> 13 & 1;
            sources[3].imm = r >> 16 & 255;
            uint64_t src[4][8 * 32], d[3][8 * 32], e[3][8 * 32];
            for (int i = 0; i < 4; i++)
                fill_random(src[i], 8 * 32);
            const uint32_t mask = round == 0 ? ~0u : (uint32_t)next_random();
            for (int l = 0; l < 3; l++) {
                const struct lanes_table *t = lanes_table_of(l);
                if (!t)
                    continue;
                lanes_fn *fn = ((lanes_fn *const *)t)[n];
                assert_int_equal(!fn, !((lanes_fn *const *)lanes_table_of(0))[n]);
                memset(d[l], 0x5a, sizeof d[l]);
                memcpy(e[l], src[3], sizeof e[l]);
                if (fn)
                    fn(d[l], src[0], src[1], src[2], e[l], mask, &in);
                if (memcmp(d[l], d[0], sizeof d[0]) != 0 || memcmp(e[l], e[0], sizeof e[0]) != 0)
                    fail_msg("place %d of the table: level %d differs from level 0", n, l + 2);
            }
        }
}

/* A destination that is one of the sources gets what a destination apart gets. */
static void destination_may_be_a_source(void **state)
{
    (void)state;
    static const int ops[] = {PTX_OP_ADD, PTX_OP_MAD_LO, PTX_OP_FMA, PTX_OP_FMIN, PTX_OP_DIV, PTX_OP_SHL, PTX_OP_BREV,
                              PTX_OP_PRMT, PTX_OP_SHF_L, PTX_OP_LOP3, PTX_OP_SELP, PTX_OP_CVT, PTX_OP_FDIV};
    for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++)
        for (int type = 0; type < PTX_TYPE_COUNT; type++)
            for (int alias = 0; alias < 3; alias++) {
                struct ir_inst in = inst(ops[k], type, type);
                mods.sat = ops[k] == PTX_OP_CVT;
                lanes_fn *fn = lanes_find(NULL, &in);
                if (!fn || type == PTX_PRED || (alias == 2 && ops[k] == PTX_OP_SELP) ||
                    (alias == 1 && ops[k] == PTX_OP_SHL && lanes_type_bits(type) != 32))
                    continue;
                uint64_t src[3][32], expected[32] = {0}, mask = next_random();
                for (int i = 0; i < 3; i++)
                    fill_random(src[i], 32);
                memcpy(expected, src[alias], sizeof expected);
                fn(expected, src[0], src[1], src[2], NULL, (uint32_t)mask, &in);
                fn(src[alias], src[0], src[1], src[2], NULL, (uint32_t)mask, &in);
                assert_memory_equal(src[alias], expected, sizeof expected);
            }
}

/* A float or double function of the outside at one point. */
static double call(const char *name, double x, double y)
{
    float f[3][32];
    double d[3][32];
    bool single = lanes_extern_signature(name)[0] == 'f';
    for (int i = 0; i < 32; i++) {
        f[1][i] = (float)x, f[2][i] = (float)y;
        d[1][i] = x, d[2][i] = y;
    }
    lanes_fn *fn = lanes_find_extern(name);
    assert_non_null(fn);
    if (single)
        fn(f[0], f[1], f[2], NULL, NULL, 2, NULL);
    else
        fn(d[0], d[1], d[2], NULL, NULL, 2, NULL);
    return single ? (double)f[0][1] : d[0][1];
}

/* Reference values: closed forms, and mpmath with 40 digits. */
static void functions_of_the_outside(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double x, y, value;
    } points[] = {
        {"__nv_expf", 1, 0, 2.718281828459045},       {"__nv_exp10f", 2, 0, 100},
        {"__nv_sinpi", 0.25, 0, 0.7071067811865476},  {"__nv_sinpi", 1e15, 0, 0},
        {"__nv_cospi", 1.0 / 3, 0, 0.5},              {"__nv_cospi", 7, 0, -1},
        {"__nv_cospi", 0.5, 0, 0},                    {"__nv_sinpif", -1.5, 0, 1},
        {"__nv_cyl_bessel_i0", 1, 0, 1.2660658777520084}, {"__nv_cyl_bessel_i1", 1, 0, 0.5651591039924851},
        {"__nv_cyl_bessel_i0", 700, 0, 1.529593347671874e302},
        {"__nv_erfinv", 0.5, 0, 0.4769362762044699},  {"__nv_erfinv", 0.9999, 0, 2.7510639057120797},
        {"__nv_erfinv", 1e-10, 0, 8.862269254527581e-11},
        {"__nv_erfcinv", 1.5, 0, -0.4769362762044699}, {"__nv_erfcinv", 1e-100, 0, 15.065574702592647},
        {"__nv_normcdf", -1, 0, 0.15865525393145705}, {"__nv_normcdfinv", 0.975, 0, 1.959963984540054},
        {"__nv_erfcx", 1, 0, 0.427583576155807},      {"__nv_erfcx", 30, 0, 0.018795888861416751},
        {"__nv_rcbrt", 8, 0, 0.5},                    {"__nv_rsqrtf", 4, 0, 0.5},
        {"__nv_hypotf", 3, 4, 5},                     {"__nv_rhypot", 3, 4, 0.2},
        {"__nv_powf", 2, 10, 1024},                   {"__nv_fmod", -7, 4, -3},
        {"__nv_remainder", 7, 4, -1},                 {"__nv_lgamma", 10, 0, 12.801827480081469},
        {"__nv_tgammaf", 5, 0, 24},                   {"__nv_fast_fdividef", 1, 4, 0.25},
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        double got = call(points[i].name, points[i].x, points[i].y), v = points[i].value;
        double unit = lanes_extern_signature(points[i].name)[0] == 'f' ? 0x1p-23 : 0x1p-52;
        if (!(got >= v - 2 * unit * (v < 0 ? -v : v) && got <= v + 2 * unit * (v < 0 ? -v : v)))
            fail_msg("%s(%.17g, %.17g) = %.17g, not %.17g", points[i].name, points[i].x, points[i].y, got, v);
    }
    assert_null(lanes_find_extern("__nv_nonsense"));
    assert_string_equal(lanes_extern_signature("__nv_ldexpf"), "fi:f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats),
        cmocka_unit_test(conversions),
        cmocka_unit_test(conversions_between_wide_registers),
        cmocka_unit_test(predicates),
        cmocka_unit_test(carry_chains),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(destination_may_be_a_source),
        cmocka_unit_test(functions_of_the_outside),
        cmocka_unit_test(unknown_combinations_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
