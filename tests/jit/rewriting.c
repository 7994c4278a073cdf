/* See rewriting.h. Registers: %r %q %h integers of 32, 64 and 16 bits, %f %d floating ones, %p predicates. NaN are made one and the
 * same before they are stored: x * 1 is a move to the assembler, which keeps what NaN it was. */
#include "rewriting.h"

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdio.h>

enum { INTS = 8, LONGS = 5, SHORTS = 3, FLOATS = 6, DOUBLES = 4, PREDS = 5, OWN = 64 /* bytes of a thread in shared memory */,
       LOCAL_WORDS = 7 };

struct maker {
    uint64_t seed;
    struct strbuf s;
    int labels;
    int fresh; /* numbers of %g, which are written once */
};

static uint32_t below(struct maker *m, uint32_t n)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((m->seed >> 33) % n);
}

#define EMIT(...) strbuf_addf(&m->s, __VA_ARGS__)
#define PICK(...) pick(m, (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static const char *pick(struct maker *m, const char *const *of, int n)
{
    return of[below(m, (uint32_t)n)];
}

static uint32_t r(struct maker *m)
{
    return below(m, INTS);
}

static uint32_t q(struct maker *m)
{
    return below(m, LONGS);
}

static uint32_t h(struct maker *m)
{
    return below(m, SHORTS);
}

static uint32_t f(struct maker *m)
{
    return below(m, FLOATS);
}

static uint32_t d(struct maker *m)
{
    return below(m, DOUBLES);
}

static uint32_t p(struct maker *m)
{
    return below(m, PREDS);
}

const uint32_t *rewriting_shape(uint64_t seed)
{
    static const uint32_t shapes[][2] = {{64, 1}, {32, 4}, {16, 4}, {100, 1}, {8, 8}, {12, 5}};
    return shapes[seed / 2 % 6];
}

static void guard(struct maker *m)
{
    if (!below(m, 8))
        EMIT("@%s%%p%u ", below(m, 2) ? "!" : "", p(m));
}

static void constant(struct maker *m)
{
    switch (below(m, 6)) {
    case 0: EMIT("mov.b32 %%r%u, %s;\n", r(m), PICK("0", "1", "-1", "0x7fffffff", "0x80000000", "0x8000ffff", "0xffff0001", "31", "65535")); break;
    case 1: EMIT("mov.b64 %%q%u, %s;\n", q(m), PICK("0", "1", "-1", "0x7fffffffffffffff", "0x80000000", "0xffffffff00000001")); break;
    case 2: EMIT("mov.b16 %%h%u, %s;\n", h(m), PICK("0", "1", "-1", "0x7fff", "255")); break;
    case 3: EMIT("mov.f32 %%f%u, %s;\n", f(m), PICK("0f00000000", "0f80000000", "0f3F800000", "0fBF800000", "0f40200000", "0f7F7FFFFF", "0f00000001", "0f7F800000")); break;
    case 4: EMIT("mov.f64 %%d%u, %s;\n", d(m), PICK("0d0000000000000000", "0d8000000000000000", "0d3FF0000000000000", "0dBFF0000000000000", "0d4004000000000000")); break;
    default: EMIT("mov.pred %%p%u, %s;\n", p(m), PICK("0", "1")); break;
    }
}

static void integer(struct maker *m)
{
    guard(m);
    switch (below(m, 13)) {
    case 0: EMIT("%s %%r%u, %%r%u, %%r%u;\n", PICK("add.s32", "sub.u32", "and.b32", "or.b32", "xor.b32", "mul.lo.s32"), r(m), r(m), r(m)); break;
    case 1: EMIT("%s %%r%u, %%r%u, %%r%u;\n", PICK("add.sat.s32", "sub.sat.s32", "add.u16x2", "add.s16x2", "min.u16x2", "max.s16x2", "min.s32", "max.u32"), r(m), r(m), r(m)); break;
    case 2: EMIT("%s %%q%u, %%q%u, %%q%u;\n", PICK("add.s64", "sub.u64", "and.b64", "or.b64", "xor.b64", "mul.lo.u64"), q(m), q(m), q(m)); break;
    case 3: EMIT("%s %%h%u, %%h%u, %%h%u;\n", PICK("add.s16", "sub.u16", "and.b16", "xor.b16"), h(m), h(m), h(m)); break;
    case 4: EMIT("not.b32 %%r%u, %%r%u;\n", r(m), r(m)); break;
    case 5: EMIT("cvt.%s %%q%u, %%r%u;\n", PICK("u64.u32", "s64.s32"), q(m), r(m)); break;
    case 6: EMIT("cvt.u32.u64 %%r%u, %%q%u;\n", r(m), q(m)); break;
    case 7: EMIT("cvt.%s %%r%u, %%h%u;\n", PICK("u32.u16", "s32.s16", "s32.s8"), r(m), h(m)); break;
    case 8: EMIT("mov.b64 %%q%u, {%%r%u, %%r%u};\n", q(m), r(m), r(m)); break;
    case 9: {
        uint32_t a = r(m), b = (a + 1 + below(m, INTS - 1)) % INTS;
        EMIT("mov.b64 {%%r%u, %%r%u}, %%q%u;\n", a, b, q(m));
        break;
    }
    case 10: EMIT("add.cc.u32 %%r%u, %%r%u, %%r%u;\naddc.u32 %%r%u, %%r%u, 0;\n", r(m), r(m), r(m), r(m), r(m)); break;
    case 11: EMIT("mov.b32 %%r%u, %%r%u;\nmov.b64 %%q%u, %%q%u;\n", r(m), r(m), q(m), q(m)); break;
    default: EMIT("mul.wide.%s %%q%u, %%r%u, %%r%u;\n", PICK("u32", "s32"), q(m), r(m), r(m)); break;
    }
}

static void predicate(struct maker *m)
{
    guard(m);
    switch (below(m, 8)) {
    case 0: EMIT("setp.%s.%s %%p%u, %%r%u, %%r%u;\n", PICK("eq", "ne", "lt", "ge"), PICK("u32", "s32"), p(m), r(m), r(m)); break;
    case 1: EMIT("setp.%s.%s %%p%u, %%r%u, %d;\n", PICK("eq", "ne", "gt", "le"), PICK("u32", "s32"), p(m), r(m), (int)below(m, 5) - 2); break;
    case 2: EMIT("setp.%s.%s %%p%u, %%q%u, %%q%u;\n", PICK("eq", "ne", "lt"), PICK("u64", "s64"), p(m), q(m), q(m)); break;
    case 3: EMIT("setp.%s.f32 %%p%u, %%f%u, %%f%u;\n", PICK("eq", "ne", "lt", "geu", "num", "nan"), p(m), f(m), f(m)); break;
    case 4: EMIT("setp.%s.f64 %%p%u, %%d%u, %%d%u;\n", PICK("eq", "neu", "lt", "ge"), p(m), d(m), d(m)); break;
    case 5: EMIT("%s.pred %%p%u, %%p%u, %%p%u;\n", PICK("and", "or", "xor"), p(m), p(m), p(m)); break;
    case 6: EMIT("setp.lt.and.s32 %%p%u, %%r%u, %%r%u, %s%%p%u;\n", p(m), r(m), r(m), below(m, 2) ? "!" : "", p(m)); break;
    default: EMIT("not.pred %%p%u, %%p%u;\n", p(m), p(m)); break;
    }
}

static void statement(struct maker *m);

static void selection(struct maker *m)
{
    uint32_t kind = below(m, 6);
    int mine = m->fresh;
    m->fresh += kind == 5;
    if (kind < 5)
        guard(m);
    switch (kind) {
    case 0: EMIT("selp.%s %%r%u, %%r%u, %%r%u, %%p%u;\n", PICK("b32", "u32", "s32"), r(m), r(m), r(m), p(m)); break;
    case 1: EMIT("selp.b64 %%q%u, %%q%u, %%q%u, %%p%u;\n", q(m), q(m), q(m), p(m)); break;
    case 2: EMIT("selp.b16 %%h%u, %%h%u, %s, %%p%u;\n", h(m), h(m), PICK("1", "-1", "0"), p(m)); break;
    case 3: EMIT("selp.f32 %%f%u, %%f%u, %%f%u, %%p%u;\n", f(m), f(m), f(m), p(m)); break;
    case 4: EMIT("selp.f64 %%d%u, %%d%u, %%d%u, %%p%u;\n", d(m), d(m), d(m), p(m)); break;
    default: /* of what is made for it alone */
        EMIT("%s.f32 %%g%d, %%f%u, %%f%u;\n", PICK("add", "mul", "sub"), mine, f(m), f(m));
        if (!below(m, 3))
            statement(m);
        EMIT("selp.f32 %%f%u, %%g%d, %%f%u, %%p%u;\n", f(m), mine, f(m), p(m));
        break;
    }
}

/* What is known before the kernel runs, up to a selection by it. */
static void known(struct maker *m)
{
    static const char *const values[] = {"0", "1", "2", "0x7fffffff", "0x80000000", "0xffffffff", "0xffff", "0x10000", "0x8000ffff"};
    static const char *const numbers[] = {"0f00000000", "0f80000000", "0f3F800000", "0fBF800000", "0f40200000", "0f7F7FFFFF", "0f00000001"};
    int k = m->fresh;
    uint32_t by = p(m);
    m->fresh += 3;
    if (below(m, 3)) {
        EMIT("mov.b32 %%k%d, %s;\nmov.b32 %%k%d, %s;\n", k, values[below(m, 9)], k + 1, values[below(m, 9)]);
        EMIT("%s %%k%d, %%k%d, %%k%d;\n", PICK("add.s32", "sub.u32", "add.sat.s32", "sub.sat.s32", "add.u16x2", "add.s16x2", "and.b32", "or.b32", "xor.b32", "min.s16x2", "mul.lo.s32",
             "add.cc.u32"), k + 2, k, k + 1);
        EMIT("setp.%s.%s %%p%u, %%k%d, %s;\n", PICK("eq", "ne", "lt", "gt", "le", "ge"), PICK("s32", "u32"), by, k + 2, values[below(m, 9)]);
    } else {
        EMIT("mov.f32 %%g%d, %s;\nmov.f32 %%g%d, %s;\n", k, numbers[below(m, 7)], k + 1, numbers[below(m, 7)]);
        EMIT("%s.f32 %%g%d, %%g%d, %%g%d;\n", PICK("add", "sub", "mul", "add.rz", "mul.rp", "add.sat", "mul.ftz", "min"), k + 2, k, k + 1);
        EMIT("setp.%s.f32 %%p%u, %%g%d, %s;\n", PICK("eq", "ne", "lt", "gt", "leu", "geu"), by, k + 2, numbers[below(m, 7)]);
    }
    EMIT("selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", r(m), r(m), r(m), by);
}

static void floating(struct maker *m)
{
    uint32_t kind = below(m, 11);
    if (kind < 10)
        guard(m);
    switch (kind) {
    case 0:
    case 1: EMIT("%s.f32 %%f%u, %%f%u, %%f%u;\n", PICK("add", "sub", "mul", "add.rz", "mul.rm", "add.ftz", "mul.sat", "min"), f(m), f(m), f(m)); break;
    case 2: EMIT("fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", f(m), f(m), f(m), f(m)); break;
    case 3: EMIT("mul.f32 %%f%u, %%f%u, %s;\n", f(m), f(m), PICK("0f3F800000", "0fBF800000", "0f40000000")); break;
    case 4: EMIT("%s.f32 %%f%u, %%f%u;\n", PICK("neg", "abs", "cvt.rzi.f32", "cvt.rni.f32", "cvt.sat.f32", "ex2.approx"), f(m), f(m)); break;
    case 5: EMIT("%s.f64 %%d%u, %%d%u, %%d%u;\n", PICK("add", "sub", "mul", "max"), d(m), d(m), d(m)); break;
    case 6: EMIT("mul.f64 %%d%u, %%d%u, %s;\n", d(m), d(m), PICK("0d3FF0000000000000", "0dBFF0000000000000")); break;
    case 7: EMIT("%s %%d%u, %%d%u;\n", PICK("neg.f64", "abs.f64", "cvt.rni.f64.f64"), d(m), d(m)); break;
    case 8: EMIT("cvt.rn.f32.f64 %%f%u, %%d%u;\ncvt.f64.f32 %%d%u, %%f%u;\n", f(m), d(m), d(m), f(m)); break;
    case 9: EMIT("cvt.rn.f32.s32 %%f%u, %%r%u;\ncvt.rzi.s32.f32 %%r%u, %%f%u;\n", f(m), r(m), r(m), f(m)); break;
    default: /* made for the saturation alone */
        EMIT("%s.f32 %%g%d, %%f%u, %%f%u;\ncvt.sat.f32.f32 %%f%u, %%g%d;\n", PICK("add", "mul", "sub", "add.ftz"), m->fresh, f(m), f(m), f(m), m->fresh);
        m->fresh++;
        break;
    }
}

/* A register that an integer of this many bytes can be loaded into: as wide or wider. */
static void any_register(struct maker *m, unsigned bytes)
{
    uint32_t kind = below(m, 4);
    if (bytes <= 2 && kind == 0)
        EMIT("%%h%u", h(m));
    else if (bytes <= 4 && kind < 3)
        EMIT("%%r%u", r(m));
    else
        EMIT("%%q%u", q(m));
}

/* Different registers, some of them wider, some `_`. */
static void registers(struct maker *m, int n, unsigned bytes, bool load)
{
    bool used[INTS] = {false}, wide[LONGS] = {false};
    EMIT("{");
    for (int i = 0; i < n; i++) {
        uint32_t x = r(m), y = q(m);
        if (i)
            EMIT(", ");
        if (load && !below(m, 6)) {
            EMIT("_");
        } else if (bytes == 8 || !below(m, 3)) {
            while (wide[y])
                y = (y + 1) % LONGS;
            wide[y] = true;
            EMIT("%%q%u", y);
        } else {
            while (used[x])
                x = (x + 1) % INTS;
            used[x] = true;
            EMIT("%%r%u", x);
        }
    }
    EMIT("}");
}

/* %mine: 64 bytes of shared memory, aligned to 16; %odd: the same, of which nothing is known; %ours: of global memory; %in: not
 * written by anybody. */
static void address(struct maker *m, const char *space, unsigned bytes)
{
    bool in = *space == 'i';
    const char *base = *space == 's' ? PICK("mine", "mine", "mine", "odd") : in ? PICK("in", "row") : "ours";
    EMIT("[%%%s+%u]", base, below(m, OWN / bytes) * bytes);
}

static void load_from(struct maker *m, const char *space)
{
    static const unsigned sizes[] = {1, 2, 4, 4, 4, 8};
    unsigned bytes = sizes[below(m, 6)];
    const char *name = *space == 's' ? "shared" : "global", *nc = *space == 'i' && !below(m, 3) ? ".nc" : "";
    int n = below(m, 4) ? 1 : bytes <= 4 && below(m, 2) ? 4 : 2;
    char signs[] = {"usb"[below(m, 3)], 0};
    if (bytes == 4 && n == 1 && !below(m, 4)) {
        EMIT("ld.%s%s.f32 %%f%u, ", name, nc, f(m));
    } else if (bytes == 8 && n == 1 && !below(m, 4)) {
        EMIT("ld.%s%s.f64 %%d%u, ", name, nc, d(m));
    } else if (n == 1) {
        EMIT("ld.%s%s.%s%u ", name, nc, signs, bytes * 8);
        any_register(m, bytes);
        EMIT(", ");
    } else {
        EMIT("ld.%s%s.v%d.%s%u ", name, nc, n, signs, bytes * 8);
        registers(m, n, bytes, true);
        EMIT(", ");
    }
    address(m, space, bytes * (unsigned)n);
    EMIT(";\n");
}

static void load(struct maker *m)
{
    load_from(m, PICK("s", "s", "g", "i"));
}

static void store(struct maker *m)
{
    static const unsigned sizes[] = {1, 2, 4, 4, 4, 8};
    const char *space = PICK("s", "s", "g");
    unsigned bytes = sizes[below(m, 6)];
    int n = below(m, 4) ? 1 : bytes <= 4 && below(m, 2) ? 4 : 2;
    if (!below(m, 12))
        guard(m);
    EMIT("st.%s.", *space == 's' ? "shared" : "global");
    if (n > 1)
        EMIT("v%d.", n);
    EMIT("%s%u ", PICK("u", "s", "b"), bytes * 8);
    address(m, space, bytes * (unsigned)n);
    EMIT(", ");
    if (n == 1)
        any_register(m, bytes);
    else
        registers(m, n, bytes, false);
    EMIT(";\n");
}

/* Several beside each other. */
static void neighbours(struct maker *m)
{
    bool loads = below(m, 3) != 0;
    uint32_t line = below(m, OWN / 16) * 16, n = 2 + below(m, 3);
    const char *base = PICK("mine", "mine", "odd");
    for (uint32_t i = 0; i < n; i++) {
        bool wide = !below(m, 4);
        uint32_t x = wide ? q(m) : r(m), at = line + below(m, 4) * 4;
        const char *type = PICK("u32", "s32", "b32", "b32");
        if (loads)
            EMIT("ld.shared.%s %%%c%u, [%%%s+%u];\n", type, wide ? 'q' : 'r', x, base, at);
        else
            EMIT("st.shared.%s [%%%s+%u], %%%c%u;\n", type, base, at, wide ? 'q' : 'r', x);
        if (!below(m, 4))
            EMIT("xor.b32 %%r%u, %%r%u, %%r%u;\n", r(m), r(m), r(m));
    }
}

static void local_array(struct maker *m)
{
    int x = m->fresh;
    bool load = below(m, 2);
    m->fresh += 2;
    if (below(m, 2)) {
        if (load)
            EMIT("ld.local.u32 %%r%u, [array+%u];\n", r(m), below(m, LOCAL_WORDS) * 4);
        else
            EMIT("st.local.u32 [array+%u], %%r%u;\n", below(m, LOCAL_WORDS) * 4, r(m));
        return;
    }
    EMIT("rem.u32 %%k%d, %%r%u, %d;\nmul.wide.u32 %%x%d, %%k%d, 4;\nadd.s64 %%x%d, %%array, %%x%d;\n", x, r(m), LOCAL_WORDS, x, x, x + 1, x);
    if (load)
        EMIT("ld.local.%s %%q%u, [%%x%d];\n", PICK("u32", "s32"), q(m), x + 1);
    else
        EMIT("st.local.u32 [%%x%d], %%r%u;\n", x + 1, r(m));
}

/* Each thread's own word: the order does not matter. */
static void atomic(struct maker *m)
{
    const char *op = PICK("add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "inc.u32");
    bool shared = below(m, 2);
    guard(m);
    EMIT("atom.%s.%s %s%u, [%%%s+%u], %%r%u;\n", shared ? "shared" : "global", op, below(m, 2) ? "%r" : "%u", below(m, 2), shared ? "mine" : "ours",
         below(m, OWN / 4) * 4, r(m));
}

static void call(struct maker *m)
{
    if (below(m, 2))
        EMIT("{.param .b32 x; .param .b32 y; st.param.f32 [x], %%f%u; call.uni (y), %s, (x); ld.param.f32 %%f%u, [y];}\n", f(m), PICK("__nv_acosf", "__nv_asinf"), f(m));
    else
        EMIT("{.param .b64 x; .param .b64 y; st.param.f64 [x], %%d%u; call.uni (y), __nv_atan, (x); ld.param.f64 %%d%u, [y];}\n", d(m), d(m));
}

static void statement(struct maker *m)
{
    switch (below(m, 16)) {
    case 0: constant(m); break;
    case 1:
    case 2: integer(m); break;
    case 3: predicate(m); break;
    case 4:
    case 5: selection(m); break;
    case 6:
    case 7:
    case 8: floating(m); break;
    case 9:
    case 10: load(m); break;
    case 11: store(m); break;
    case 12:
    case 13: neighbours(m); break;
    case 14: (below(m, 3) ? local_array : atomic)(m); break;
    default: below(m, 4) ? known(m) : call(m); break;
    }
}

/* One load in both ways, into registers that may differ in width, and a little more. */
static void branch(struct maker *m)
{
    static const char *const types[] = {"u8", "s8", "b16", "s16", "u32", "s32", "b32"};
    static const unsigned sizes[] = {1, 1, 2, 2, 4, 4, 4};
    int label = m->labels++;
    uint32_t t = below(m, 7), at = below(m, OWN / 4) * 4;
    const char *base = PICK("mine", "in", "ours"), *space = *base == 'm' ? "shared" : "global";
    EMIT("@%s%%p%u bra T%d;\n", below(m, 2) ? "!" : "", p(m), label);
    for (int way = 0; way < 2; way++) {
        if (way)
            EMIT("bra.uni J%d;\nT%d:\n", label, label);
        EMIT("ld.%s.%s ", space, types[t]);
        any_register(m, sizes[t]);
        EMIT(", [%%%s+%u];\n", base, at);
        for (uint32_t n = below(m, 3); n; n--) {
            uint32_t kind = below(m, 4);
            kind == 0 ? integer(m) : kind == 1 ? load_from(m, PICK("s", "i")) : kind == 2 ? store(m) : selection(m);
        }
    }
    EMIT("J%d:\n", label);
}

static void beginning(struct maker *m)
{
    EMIT(".version 8.4\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) __nv_acosf (.param .b32 a);\n"
         ".extern .func (.param .b32 r) __nv_asinf (.param .b32 a);\n.extern .func (.param .b64 r) __nv_atan (.param .b64 a);\n"
         ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counter, .param .u64 warps, .param .u32 salt, .param .u64 far)\n{\n"
         ".shared .align 16 .b8 cells[%d];\n.local .align 4 .b8 array[%d];\n", OWN * 256, LOCAL_WORDS * 4);
    EMIT(".reg .b32 %%r<%d>, %%me, %%y, %%nx, %%ny, %%cta, %%flat, %%all, %%thread, %%salt, %%t, %%u<2>, %%k<2000>;\n.reg .b64 %%q<%d>, %%in, %%row, %%out, %%own, %%ours, %%mine, %%odd, %%array, %%cells, %%a, %%b, %%c<4>, %%x<2000>;\n"
         ".reg .b16 %%h<%d>;\n.reg .f32 %%f<%d>, %%g<2000>, %%z;\n.reg .f64 %%d<%d>;\n.reg .pred %%p<%d>, %%o;\n", INTS, LONGS, SHORTS, FLOATS, DOUBLES, PREDS);
    EMIT("ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u32 %%salt, [salt];\nmov.u32 %%me, %%tid.x;\nmov.u32 %%y, %%tid.y;\nmov.u32 %%nx, %%ntid.x;\n"
         "mov.u32 %%ny, %%ntid.y;\nmov.u32 %%cta, %%ctaid.x;\nmad.lo.s32 %%flat, %%nx, %%y, %%me;\nmul.lo.s32 %%all, %%nx, %%ny;\nmad.lo.s32 %%thread, %%cta, %%all, %%flat;\n"
         "mul.wide.u32 %%c0, %%thread, 8;\nadd.s64 %%own, %%out, %%c0;\nmul.wide.u32 %%c1, %%thread, 16;\nadd.s64 %%row, %%in, %%c1;\n"
         "mul.wide.u32 %%c2, %%flat, %d;\nmov.u64 %%cells, cells;\nadd.s64 %%mine, %%cells, %%c2;\nmov.u64 %%array, array;\n", OWN);
    /* what is written in two places is known nowhere; a thread's own global memory lies before what all store at the end */
    EMIT("mov.b64 %%odd, %%mine;\nsetp.eq.u32 %%o, %%salt, 77;\n@%%o add.s64 %%odd, %%odd, 0;\nmul.wide.u32 %%c3, %%thread, %d;\nadd.s64 %%ours, %%out, %%c3;\n", OWN);
    EMIT("add.cc.u32 %%t, %%salt, 0;\nmov.u32 %%u0, 0;\nmov.u32 %%u1, 0;\n"); /* the carry has a value in all lanes */
    for (int i = 0; i < INTS; i++)
        EMIT("ld.global.u32 %%r%d, [%%row+%d];\n", i, i * 4);
    EMIT("xor.b32 %%r0, %%r0, %%salt;\n");
    for (int i = 0; i < LONGS; i++)
        EMIT("ld.global.u64 %%q%d, [%%row+%d];\n", i, i * 8 + 64);
    for (int i = 0; i < SHORTS; i++)
        EMIT("cvt.u16.u32 %%h%d, %%r%d;\n", i, i);
    for (int i = 0; i < FLOATS; i++)
        EMIT("cvt.rn.f32.s32 %%f%d, %%r%d;\n", i, i);
    for (int i = 0; i < DOUBLES; i++)
        EMIT("cvt.rn.f64.s64 %%d%d, %%q%d;\n", i, i);
    for (int i = 0; i < PREDS; i++)
        EMIT("setp.gt.s32 %%p%d, %%r%d, %d;\n", i, i, 3 * i);
    for (int i = 0; i < OWN; i += 16)
        EMIT("st.shared.v2.u64 [%%mine+%d], {%%q%d, %%q%d};\nst.global.v2.u64 [%%ours+%d], {%%q%d, %%q%d};\n", i, i / 16, i / 16 + 1, i, i / 16 + 1, i / 16);
    for (int i = 0; i < LOCAL_WORDS; i++)
        EMIT("st.local.u32 [array+%d], %%r%d;\n", i * 4, i);
}

/* All that a thread has goes behind its 64 bytes of global memory, two words to a cell; some may have left before. 28 cells. */
static void ending(struct maker *m, int threads)
{
    int at = threads * OWN, slot = threads * 8;
    EMIT("fma.rn.f32 %%z, %%f0, %%f1, %%f2;\nmov.b64 %%b, 0;\n");
    for (int i = 0; i < OWN; i += 8)
        EMIT("ld.shared.u64 %%a, [%%mine+%d];\nmad.lo.s64 %%b, %%b, 31, %%a;\n", i);
    for (int i = 0; i < LOCAL_WORDS; i++)
        EMIT("ld.local.u32 %%a, [array+%d];\nmad.lo.s64 %%b, %%b, 31, %%a;\n", i * 4);
    EMIT("st.global.u64 [%%own+%d], %%b;\n", at);
    for (int i = 0; i < INTS; i += 2)
        EMIT("st.global.v2.u32 [%%own+%d], {%%r%d, %%r%d};\n", at += slot, i, i + 1);
    for (int i = 0; i < LONGS; i++)
        EMIT("st.global.u64 [%%own+%d], %%q%d;\n", at += slot, i);
    EMIT("st.global.v4.u16 [%%own+%d], {%%h0, %%h1, %%h2, %%h0};\nmov.u32 %%t, 1;\n", at += slot);
    for (int i = 0; i < PREDS; i++)
        EMIT("shl.b32 %%t, %%t, 1;\n@%%p%d or.b32 %%t, %%t, 1;\n", i);
    EMIT("st.global.u32 [%%own+%d], %%t;\n", at += slot);
    if (below(m, 2)) /* what follows is needed by those alone that go on */
        EMIT("@%%p%u bra LEAVE;\n", p(m));
    EMIT("setp.num.f32 %%o, %%z, %%z;\nselp.f32 %%z, %%z, 0f7FFFFFFF, %%o;\nst.global.f32 [%%own+%d], %%z;\n", at += slot);
    for (int i = 0; i < FLOATS; i++)
        EMIT("setp.num.f32 %%o, %%f%d, %%f%d;\nselp.f32 %%f%d, %%f%d, 0f7FFFFFFF, %%o;\n", i, i, i, i);
    for (int i = 0; i < FLOATS; i += 2)
        EMIT("st.global.v2.f32 [%%own+%d], {%%f%d, %%f%d};\n", at += slot, i, i + 1);
    for (int i = 0; i < DOUBLES; i++)
        EMIT("setp.num.f64 %%o, %%d%d, %%d%d;\nselp.f64 %%d%d, %%d%d, 0dFFF8000000000000, %%o;\nst.global.f64 [%%own+%d], %%d%d;\n", i, i, i, i, at += slot, i);
    EMIT("LEAVE:\nret;\n}\n");
}

char *rewriting_make(uint64_t seed)
{
    const uint32_t *shape = rewriting_shape(seed);
    struct maker maker = {.seed = seed * 0x9e3779b97f4a7c15u + 777}, *m = &maker;
    strbuf_init(&m->s);
    beginning(m);
    for (uint32_t n = 20 << below(m, 3); n; n--)
        below(m, 12) ? statement(m) : branch(m);
    ending(m, (int)(2 * shape[0] * shape[1]));
    return m->s.s;
}
