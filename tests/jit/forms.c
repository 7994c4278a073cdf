/* Kernels for the unroll-and-jam form and for lane-serial loops (see forms.h). */
#include "forms.h"

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdio.h>

enum { SUMS = 4, WORDS = 5 /* the same for the block */, LOADED = 24, SHARED_WORDS = 2048 };

struct maker {
    uint64_t seed;
    struct strbuf s;
    int depth, labels, statements;
    int fresh;     /* numbers of registers that are written once: %i %a %k */
    int sums;      /* %v that are in use: what several warps keep in the host's registers */
    bool together; /* all warps of the block come here */
    bool looping;
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

void form_far(uint32_t *far)
{
    for (uint32_t i = 0; i < FORM_FAR; i++)
        far[i] = (i * 2654435761u >> 7) % FORM_COLUMNS;
}

const uint32_t *form_shape(enum form_kind kind, uint64_t seed)
{
    static const uint32_t unrolled[][2] = {{64, 1}, {32, 4}, {16, 16}, {128, 1}, {8, 8},   {256, 1},
                                           {16, 4}, {8, 16}, {32, 8},  {64, 4},  {192, 1}, {32, 32}};
    static const uint32_t serial[][2] = {{64, 1}, {32, 4}, {100, 1}, {128, 1}, {16, 4}, {12, 5}};
    return kind == FORM_BLOCK ? unrolled[seed / 2 % 12] : serial[seed / 2 % 6];
}

static void beginning(struct maker *m, const char *registers)
{
    EMIT(".version 8.4\n.target sm_90\n.address_size 64\n.const .align 16 .b32 table[16] = {0, 1, -1, 0x7fffffff, 0x80000000, 7, 100, 0xffff, 3, 5, 9, 2, 8, 6, 4, 77};\n"
         ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counter, .param .u64 warps, .param .u32 salt, .param .u64 far)\n{\n"
         ".shared .align 16 .b8 cells[%d];\n%s", 4 * SHARED_WORDS, registers);
    EMIT(".reg .b32 %%me, %%lane, %%flat, %%row, %%warp, %%y, %%nx, %%ny, %%all, %%cta, %%salt, %%t, %%u, %%n<8>, %%e<8>;\n"
         ".reg .b64 %%in, %%far, %%out, %%own4, %%own8, %%cells, %%mine, %%c<8>;\n.reg .pred %%pl<8>, %%p, %%o;\n"
         "ld.param.u64 %%in, [in];\nld.param.u64 %%far, [far];\nld.param.u64 %%out, [out];\nld.param.u32 %%salt, [salt];\n"
         "mov.u32 %%me, %%tid.x;\nmov.u32 %%y, %%tid.y;\nmov.u32 %%lane, %%laneid;\nmov.u32 %%warp, %%warpid;\nmov.u32 %%cta, %%ctaid.x;\nmov.u32 %%nx, %%ntid.x;\nmov.u32 %%ny, %%ntid.y;\n"
         "mad.lo.s32 %%flat, %%nx, %%y, %%me;\nmul.lo.s32 %%all, %%nx, %%ny;\nmad.lo.s32 %%row, %%cta, %%all, %%flat;\n"
         "mul.wide.u32 %%c0, %%row, 4;\nadd.s64 %%own4, %%out, %%c0;\nadd.s64 %%own8, %%own4, %%c0;\n"
         "mov.u64 %%cells, cells;\nmul.wide.u32 %%c1, %%flat, 4;\nadd.s64 %%mine, %%cells, %%c1;\n"
         "mul.wide.u32 %%c2, %%all, 4;\nadd.s64 %%c3, %%mine, %%c2;\nst.shared.u32 [%%mine], %%row;\nst.shared.u32 [%%c3], %%flat;\nbar.sync 0;\n");
}

static void store(struct maker *m, const char *type, const char *reg, int i, int *at, int threads)
{
    const char *own = type[1] == '6' ? "own8" : "own4";
    EMIT("st.global.%s [%%%s+%d], %%%s%d;\n", type, own, *at, reg, i);
    *at += 8 * threads;
}

/* --- several warps at once --- */

static int v(struct maker *m)
{
    return (int)below(m, (uint32_t)m->sums);
}

static int w(struct maker *m)
{
    return (int)below(m, WORDS);
}

static void into_sum(struct maker *m, const char *what)
{
    int to = v(m);
    switch (below(m, 3)) {
    case 0: EMIT("add.s32 %%v%d, %%v%d, %%%s;\n", to, to, what); break;
    case 1: EMIT("mad.lo.s32 %%v%d, %%v%d, 31, %%%s;\n", to, to, what); break;
    default: EMIT("xor.b32 %%v%d, %%v%d, %%%s;\n", to, to, what); break;
    }
}

/* An index that goes up by a known number from warp to warp, or not: of the block's threads, or of rows so many apart. */
static int affine_index(struct maker *m, uint32_t most)
{
    int i = m->fresh;
    m->fresh += 2;
    EMIT("and.b32 %%i%d, %%s%d, %u;\n", i, w(m), most);
    switch (below(m, 4)) {
    case 0: EMIT("mad.lo.s32 %%i%d, %%i%d, %u, %%me;\n", i + 1, i, 1 + below(m, 7)); break;
    case 1: EMIT("mad.lo.s32 %%i%d, %%i%d, %%y, %%me;\n", i + 1, i); break;
    default: EMIT("mad.lo.s32 %%i%d, %%i%d, %u, %%flat;\n", i + 1, i, 1 + below(m, 4)); break;
    }
    return i + 1;
}

static void affine_load(struct maker *m)
{
    int a = m->fresh++, i;
    const char *base = "in";
    uint32_t from = below(m, 5);
    if (from < 2) {
        i = affine_index(m, 127); /* below 127 * 31 + 256 */
    } else if (from < 4) { /* about a granule's end */
        i = affine_index(m, 127);
        EMIT("add.s32 %%i%d, %%i%d, %u;\n", m->fresh, i, (1u << 19) * (1 + below(m, 2)) - 40 - below(m, 1000));
        i = m->fresh++;
        base = "far";
    } else { /* now here, now there */
        i = affine_index(m, 127);
        EMIT("and.b32 %%k%d, %%s%d, %u;\nsetp.eq.s32 %%o, %%k%d, 1;\nselp.b64 %%a%d, %%in, %%far, %%o;\n", a, w(m), 1 + 2 * below(m, 4), a, m->fresh);
        EMIT("mul.wide.u32 %%a%d, %%i%d, 4;\nadd.s64 %%b%d, %%a%d, %%a%d;\nld.global.u32 %%t, [%%b%d];\n", a, i, a, m->fresh, a, a);
        m->fresh++;
        into_sum(m, "t");
        return;
    }
    EMIT("mul.wide.%s %%a%d, %%i%d, 4;\nadd.s64 %%b%d, %%a%d, %%%s;\n", PICK("u32", "s32"), a, i, a, a, base);
    if (!below(m, 6)) {
        EMIT("ld.global.f32 %%ft, [%%b%d+%u];\nadd.rn.f32 %%f0, %%f0, %%ft;\n", a, 4 * below(m, 4));
        return;
    }
    EMIT("ld.global.%s %%t, [%%b%d+%u];\n", PICK("u32", "s32", "u32", "s8", "u16"), a, 4 * below(m, 4));
    into_sum(m, "t");
}

/* Each thread writes its cell, all meet, and read a neighbour's, or one for all. */
static void tile(struct maker *m)
{
    int a = m->fresh;
    m->fresh += 2;
    EMIT("bar.sync 0;\nst.shared.u32 [%%mine], %%v%d;\nbar.sync 0;\n", v(m));
    switch (below(m, 3)) {
    case 0: EMIT("ld.shared.u32 %%t, [%%mine+%u];\n", 4 * below(m, 64)); break;
    case 1: EMIT("and.b32 %%k%d, %%s%d, 63;\nmul.wide.u32 %%a%d, %%k%d, 4;\nadd.s64 %%b%d, %%a%d, %%cells;\nld.shared.u32 %%t, [%%b%d];\n", a, w(m), a, a, a, a, a); break;
    default: EMIT("and.b32 %%k%d, %%s%d, 63;\nmul.wide.u32 %%a%d, %%k%d, 4;\nadd.s64 %%b%d, %%a%d, %%mine;\nld.shared.s32 %%t, [%%b%d];\n", a, w(m), a, a, a, a, a); break;
    }
    into_sum(m, "t");
}

/* For the block. */
static void word(struct maker *m)
{
    int to = w(m), from = w(m), a = m->fresh++;
    switch (below(m, 5)) {
    case 0: EMIT("mad.lo.s32 %%s%d, %%s%d, %u, %u;\n", to, from, 3 + 2 * below(m, 9), below(m, 99)); break;
    case 1: EMIT("%s %%s%d, %%s%d, %%s%d;\n", PICK("add.s32", "xor.b32", "sub.s32", "min.u32"), to, from, w(m)); break;
    case 2: EMIT("and.b32 %%k%d, %%s%d, 1023;\nmul.wide.u32 %%a%d, %%k%d, 4;\nadd.s64 %%b%d, %%a%d, %%%s;\nld.global.u32 %%s%d, [%%b%d];\n", a, from, a, a, a, a, PICK("in", "far"), to, a); break;
    case 3: EMIT("add.s32 %%s%d, %%s%d, %%n%d;\n", to, from, m->depth > 1 ? (int)below(m, (uint32_t)m->depth - 1) + 1 : 0); break;
    default: EMIT("ld.const.u32 %%s%d, [table+%u];\n", to, 4 * below(m, 16)); break;
    }
}

static void arithmetic(struct maker *m)
{
    int to = v(m), from = v(m);
    switch (below(m, 10)) {
    case 0: EMIT("mad.lo.s32 %%v%d, %%v%d, %u, %%s%d;\n", to, from, 1 + below(m, 9), w(m)); break;
    case 1: EMIT("%s %%v%d, %%v%d, %%v%d;\n", PICK("add.s32", "sub.s32", "xor.b32", "min.s32", "max.u32"), to, from, v(m)); break;
    case 2: EMIT("%s %%v%d, %%v%d, %%%s;\n", PICK("add.s32", "xor.b32"), to, from, PICK("flat", "lane", "me", "y", "warp")); break;
    case 3: EMIT("shf.l.wrap.b32 %%v%d, %%v%d, %%v%d, %u;\n", to, from, from, below(m, 32)); break;
    case 4: EMIT("setp.%s.s32 %%p, %%v%d, %%s%d;\n@%%p add.s32 %%v%d, %%v%d, %u;\n", PICK("lt", "ne", "ge"), from, w(m), to, to, below(m, 100)); break;
    case 5: EMIT("setp.lt.s32 %%p, %%%s, %%s%d;\nselp.b32 %%v%d, %%v%d, %%s%d, %%p;\n", PICK("me", "flat", "lane"), w(m), to, from, w(m)); break;
    case 6: EMIT("cvt.rn.f32.s32 %%ft, %%v%d;\nfma.rn.f32 %%f0, %%f0, 0f3F000000, %%ft;\n", from); break;
    case 7: EMIT("cvt.rn.f32.s32 %%ft, %%s%d;\nmul.rn.f32 %%f0, %%f0, %%ft;\nmov.b32 %%t, %%f0;\n", w(m)); into_sum(m, "t"); break;
    case 8:
        if (!m->together)
            break;
        EMIT("shfl.sync.%s.b32 %%t, %%v%d, %u, 31, -1;\n", PICK("bfly", "idx", "down"), from, below(m, 32));
        into_sum(m, "t");
        break;
    default: EMIT("mul.wide.s32 %%d, %%v%d, %%s%d;\nshr.u64 %%d, %%d, 9;\ncvt.u32.u64 %%t, %%d;\n", from, w(m)); into_sum(m, "t"); break;
    }
}

/* A number of 32 bits that may wrap in some warps, once it is large enough. */
static void wrap(struct maker *m)
{
    int i = m->fresh++;
    EMIT("and.b32 %%k%d, %%s%d, %u;\nadd.s32 %%j%d, %%k%d, %u;\nadd.s32 %%i%d, %%j%d, %%%s;\n", i, w(m), 63u >> below(m, 4), i, i, below(m, 2) ? 0x7fffff80 : 0xffffff80, i, i, PICK("flat", "me"));
    EMIT("%s %%d, %%i%d%s;\nshr.u64 %%d, %%d, %u;\ncvt.u32.u64 %%t, %%d;\n", PICK("mul.wide.s32", "mul.wide.u32"), i, ", 4", below(m, 2) ? 20 : 0);
    into_sum(m, "t");
}

static void unroll_jam_block(struct maker *m, uint32_t most);

/* Warps take different ways, or all the same; outside of loops lanes may part, too. */
static void unroll_jam_branch(struct maker *m)
{
    int label = m->labels++, k = m->fresh++;
    bool together = m->together;
    const char *reg = "o"; /* what is compared for lanes is in another one, lest it has no shape */
    switch (below(m, m->looping ? 5 : 7)) {
    case 0: EMIT("and.b32 %%k%d, %%s%d, 3;\nsetp.eq.s32 %%o, %%k%d, %u;\n", k, w(m), k, below(m, 4)); break;
    case 1: EMIT("setp.%s.s32 %%o, %%cta, %u;\n", PICK("eq", "ne"), below(m, 2)); break;
    case 2: /* warps, rarely */
        EMIT("setp.ge.u32 %%o, %%warp, %u;\nand.b32 %%k%d, %%s%d, 7;\nsetp.eq.and.s32 %%o, %%k%d, %u, %%o;\n", 1 + below(m, 3), k, w(m), k, below(m, 8));
        m->together = false;
        break;
    case 3: /* warps in the second block */
        EMIT("setp.lt.u32 %%o, %%warp, %u;\nsetp.eq.and.u32 %%o, %%cta, 1, %%o;\n", 1 + below(m, 3));
        m->together = false;
        break;
    case 4:
        EMIT("and.b32 %%k%d, %%g%u, %u;\nsetp.eq.s32 %%o, %%k%d, 1;\n", k, below(m, 2), below(m, 2) ? 1 : 31, k);
        m->together = false;
        break;
    default:
        EMIT("setp.%s.s32 %%p, %%%s, %u;\n", PICK("lt", "ne", "ge"), PICK("me", "flat", "lane", "y"), below(m, 40));
        m->together = false;
        reg = "p";
        break;
    }
    EMIT("@%s%%%s bra L%d;\n", PICK("", "!"), reg, label);
    unroll_jam_block(m, 3);
    if (below(m, 2)) {
        EMIT("bra L%dend;\nL%d:\n", label, label);
        unroll_jam_block(m, 3);
        EMIT("L%dend:\n", label);
    } else {
        EMIT("L%d:\n", label);
    }
    m->together = together;
}

static void unroll_jam_loop(struct maker *m)
{
    int label = m->labels++, depth = m->depth;
    bool looping = m->looping;
    m->looping = true;
    if (below(m, 2))
        EMIT("mov.u32 %%n%d, %u;\n", depth, 1 + below(m, depth == 1 && !below(m, 3) ? 40 : 6));
    else
        EMIT("and.b32 %%n%d, %%s%d, %u;\nadd.s32 %%n%d, %%n%d, 1;\n", depth, w(m), 1 + 2 * below(m, 4), depth, depth);
    EMIT("L%d:\n", label);
    unroll_jam_block(m, 5);
    EMIT("add.s32 %%n%d, %%n%d, -1;\nsetp.gt.s32 %%pl%d, %%n%d, 0;\n@%%pl%d bra L%d;\n", depth, depth, depth, depth, depth, label);
    m->looping = looping;
}

static void unroll_jam_block(struct maker *m, uint32_t most)
{
    m->depth++;
    for (uint32_t n = 1 + below(m, most); n; n--) {
        uint32_t what = below(m, 24);
        m->statements++;
        if (what < 6)
            affine_load(m);
        else if (what < 12)
            arithmetic(m);
        else if (what < 15 && m->together) /* else it would not be the block's */
            word(m);
        else if (what < 18 && m->together)
            tile(m);
        else if (what == 18)
            EMIT("st.global.u32 [%%own4+%d], %%v%d;\n", 1 << 20, v(m));
        else if (what == 19 && !below(m, 2))
            wrap(m);
        else if (what < 22 && m->depth < 3 && m->statements < 30)
            unroll_jam_loop(m);
        else if (m->depth < 4 && m->statements < 30 && !below(m, 2))
            unroll_jam_branch(m);
    }
    m->depth--;
}

static void make_unroll_jam(struct maker *m, int threads)
{
    int at = 0;
    m->together = true;
    m->sums = below(m, 3) ? 1 : 2 + (int)below(m, SUMS - 1);
    beginning(m, ".reg .b32 %v<4>, %s<5>, %g<2>, %i<999>, %j<999>, %k<999>;\n.reg .b64 %a<999>, %b<999>, %d;\n.reg .f32 %f<1>, %ft;\n");
    EMIT("mov.u32 %%s0, %%cta;\nand.b32 %%s1, %%salt, 1023;\nld.global.u32 %%s2, [%%in+%u];\nmov.u32 %%s3, %u;\nadd.s32 %%s4, %%s2, %%cta;\n", 20 * below(m, 64), below(m, 500));
    EMIT("mul.wide.u32 %%c4, %%warp, %u;\nadd.s64 %%c5, %%c4, %%in;\nld.global.u32 %%g0, [%%c5];\nadd.s32 %%g1, %%g0, %%warp;\nmov.f32 %%f0, 0f3F800000;\n", 20 * (1 + below(m, 3)));
    for (int i = 0; i < m->sums; i++)
        EMIT("mad.lo.s32 %%v%d, %%row, %u, %%s1;\n", i, 1 + below(m, 9));
    EMIT("mov.u32 %%n0, 3;\nmov.u32 %%n1, 1;\nmov.u32 %%n2, 2;\nmov.u32 %%n3, 2;\n");
    for (uint32_t n = 1 + below(m, 2); n; n--) {
        unroll_jam_block(m, 2);
        m->depth++;
        unroll_jam_loop(m);
        m->depth--;
    }
    for (int i = 0; i < m->sums; i++)
        store(m, "u32", "v", i, &at, threads);
    if (!below(m, 3))
        EMIT("setp.gt.u32 %%p, %%g1, %u;\n@%%p exit;\n", below(m, 40));
    for (int i = 0; i < WORDS; i++)
        store(m, "u32", "s", i, &at, threads);
    store(m, "f32", "f", 0, &at, threads);
}

/* --- lane-serial loops --- */

struct nest {
    int loads, instructions; /* of its loops */
    int loaded, read;        /* %x that the turn has set, and how many of these somebody has read */
    const char *base;        /* of what is read by index */
};

#define TURN(n, ...) ((n)->instructions++, EMIT(__VA_ARGS__))

/* One that nobody has read, if there is one: nobody loads for nothing. */
static int x(struct maker *m, struct nest *n)
{
    return n->read < n->loaded ? n->read++ : (int)below(m, (uint32_t)n->loaded);
}

static void load_to(struct maker *m, struct nest *n, const char *space, const char *address)
{
    int to = n->loaded++;
    n->loads++;
    TURN(n, "ld%s.%s %%x%d, [%s];\n", space, PICK("u32", "s32", "u32", "s16", "u8"), to, address);
}

/* What the lane's column says: in global, shared or constant memory. */
static void by_column(struct maker *m, struct nest *n)
{
    int a = m->fresh++;
    char address[32];
    switch (below(m, 8)) {
    case 0:
        TURN(n, "and.b32 %%t, %%x0, 63;\n");
        TURN(n, "mul.wide.u32 %%a%d, %%t, 4;\n", a);
        TURN(n, "add.s64 %%b%d, %%a%d, %%cells;\n", a, a);
        snprintf(address, sizeof address, "%%b%d", a);
        load_to(m, n, ".shared", address);
        return;
    case 1: /* behind the base, by a negative index */
        TURN(n, "sub.s32 %%t, %%x0, 4096;\n");
        TURN(n, "mul.wide.s32 %%a%d, %%t, 4;\n", a);
        TURN(n, "add.s64 %%b%d, %%a%d, %%%s;\n", a, a, n->base);
        snprintf(address, sizeof address, "%%b%d+16384", a);
        load_to(m, n, ".global", address);
        return;
    case 2: /* an index that wraps, and again */
        TURN(n, "add.u32 %%t, %%x0, %u;\n", 0xfffff800 + below(m, 2000));
        TURN(n, "and.b32 %%t, %%t, 4095;\n");
        TURN(n, "mul.wide.u32 %%a%d, %%t, 4;\n", a);
        TURN(n, "add.s64 %%b%d, %%a%d, %%%s;\n", a, a, n->base);
        snprintf(address, sizeof address, "%%b%d", a);
        load_to(m, n, ".global", address);
        return;
    default:
        TURN(n, "mul.wide.%s %%a%d, %%x0, 4;\n", PICK("u32", "s32"), a);
        TURN(n, "add.s64 %%b%d, %%a%d, %%%s;\n", a, a, n->base);
        snprintf(address, sizeof address, "%%b%d+%u", a, 4 * below(m, 3));
        load_to(m, n, ".global", address);
    }
}

static void along(struct maker *m, struct nest *n)
{
    char address[32];
    snprintf(address, sizeof address, "%%at+%u", 4 * below(m, 6));
    load_to(m, n, ".global", address);
}

static void add_up(struct maker *m, struct nest *n)
{
    int to = (int)below(m, 2), from = x(m, n), other = x(m, n);
    switch (below(m, 11)) {
    case 0: TURN(n, "add.s32 %%v%d, %%v%d, %%x%d;\n", to, to, from); break;
    case 1: TURN(n, "mad.lo.s32 %%v%d, %%v%d, 31, %%x%d;\n", to, to, from); break;
    case 2: TURN(n, "lop3.b32 %%v%d, %%v%d, %%x%d, %%x%d, %u;\n", to, to, from, other, below(m, 256)); break;
    case 3: TURN(n, "cvt.rn.f32.s32 %%f1, %%x%d;\n", from); TURN(n, "fma.rn.f32 %%f0, %%f0, 0f3F000000, %%f1;\n"); break;
    case 4: TURN(n, "mad.lo.s32 %%v%d, %%x%d, %%x%d, %%v%d;\n", to, from, other, to); break;
    case 5: TURN(n, "setp.lt.s32 %%p, %%x%d, %%x%d;\n", from, other); TURN(n, "selp.b32 %%v%d, %%v%d, %%x%d, %%p;\n", to, to, from); break;
    case 6: TURN(n, "setp.ge.or.u32 %%pc, %%x%d, 4000, %%pc;\n", from); break;
    case 7: TURN(n, "mad.wide.u32 %%q0, %%x%d, %%x%d, %%q0;\n", from, other); break;
    case 8: TURN(n, "setp.gt.s32 %%p, %%x%d, %%v%d;\n", from, to); TURN(n, "@%%p mov.b32 %%v%d, %%x%d;\n", to, from); break;
    case 9: TURN(n, "cvt.rn.f64.s32 %%d1, %%x%d;\n", from); TURN(n, "add.rn.f64 %%d0, %%d0, %%d1;\n"); break;
    default: TURN(n, "%s.u32 %%v%d, %%v%d, %%x%d;\n", PICK("min", "max", "sub"), to, to, from); break;
    }
}

/* At least a quarter of loads, and what becomes of them. `rest`: instructions of the loops around it. */
static void turn(struct maker *m, struct nest *n, int rest)
{
    n->loaded = n->read = 0;
    n->loads++;
    TURN(n, "ld.global.u32 %%x0, [%%at];\n"); /* a column */
    n->loaded = n->read = 1;
    for (uint32_t i = 1 + below(m, 3); i; i--)
        below(m, 4) ? by_column(m, n) : along(m, n);
    for (uint32_t i = below(m, 3); i; i--)
        add_up(m, n);
    while (n->loaded < LOADED && 4 * n->loads < n->instructions + rest + n->loaded - n->read)
        along(m, n);
    for (; n->read < n->loaded; n->read += 2)
        TURN(n, "lop3.b32 %%v0, %%v0, %%x%d, %%x%d, 150;\n", n->read, n->read + 1 < n->loaded ? n->read + 1 : 0);
}

/* A lane's row: from %lo on, %len elements. What decides how often a loop turns is in registers of its own: loaded numbers in them
 * would make it a waiting loop (ir.h) if there is a barrier around. */
static void row_of(struct maker *m)
{
    EMIT("mad.lo.s32 %%hash, %%row, %u, %%salt;\n", 3 + 2 * below(m, 200));
    EMIT("shr.u32 %%bits, %%hash, %u;\nand.b32 %%len, %%bits, %u;\n", 3 + below(m, 6), (8u << below(m, 3)) - 1);
    if (below(m, 2)) /* as a table of rows says */
        EMIT("and.b32 %%hash, %%hash, 1023;\nmul.wide.u32 %%c4, %%hash, 4;\nadd.s64 %%c4, %%c4, %%%s;\nld.global.u32 %%lo, [%%c4];\nand.b32 %%lo, %%lo, 4095;\n", PICK("in", "far"));
    else
        EMIT("and.b32 %%lo, %%hash, 2047;\n");
    if (!below(m, 4)) /* about a granule's end */
        EMIT("add.s32 %%lo, %%lo, %u;\n", (1u << 19) - 1024);
}

static void serial_loop(struct maker *m)
{
    int label = m->labels++;
    struct nest n = {.base = PICK("in", "far", "some")};
    bool checked = below(m, 4), nested = !below(m, 3), breaks = !below(m, 3), steps = below(m, 2);
    row_of(m);
    EMIT("mul.wide.s32 %%c5, %%lo, 4;\nadd.s64 %%at, %%c5, %%far;\nmov.u32 %%turn, 0;\nand.b32 %%stop, %%row, %u;\n", 3 + below(m, 20));
    if (checked)
        EMIT("setp.le.s32 %%o, %%len, 0;\n@%%o bra L%dend;\n", label);
    EMIT("L%d:\n", label);
    if (nested) {
        int inner = m->labels++;
        if (below(m, 2)) {
            TURN(&n, "and.b32 %%inner, %%turn, 3;\n");
        } else {
            TURN(&n, "mov.b32 %%inner, %%stop;\n");
            TURN(&n, "min.u32 %%inner, %%inner, 3;\n");
        }
        EMIT("L%d:\n", inner);
        turn(m, &n, 12);
        TURN(&n, "add.s64 %%at, %%at, 4;\n");
        TURN(&n, "add.s32 %%inner, %%inner, -1;\n");
        TURN(&n, "setp.gt.s32 %%pl0, %%inner, 0;\n");
        TURN(&n, "@%%pl0 bra L%d;\n", inner);
    } else {
        turn(m, &n, 10);
    }
    if (breaks) {
        TURN(&n, "setp.eq.s32 %%o, %%turn, %%stop;\n");
        TURN(&n, "@%%o bra L%dend;\n", label);
    }
    if (!below(m, 3)) { /* some turns only */
        int other = m->labels++;
        TURN(&n, "and.b32 %%some_turns, %%turn, 3;\n");
        TURN(&n, "setp.ne.s32 %%o, %%some_turns, 1;\n");
        TURN(&n, "@%%o bra L%d;\n", other);
        add_up(m, &n);
        EMIT("L%d:\n", other);
    }
    TURN(&n, "add.s64 %%at, %%at, %u;\n", steps ? 4 : 8);
    TURN(&n, "add.s32 %%turn, %%turn, 1;\n");
    TURN(&n, "setp.lt.s32 %%pl1, %%turn, %%len;\n");
    TURN(&n, "@%%pl1 bra L%d;\nL%dend:\n", label, label);
    EMIT("add.s32 %%v0, %%v0, %%turn;\n");
    if (below(m, 2)) /* what they took along is asked for */
        EMIT("cvt.u32.u64 %%t, %%at;\nselp.b32 %%u, 1, 7, %%pc;\nmad.lo.s32 %%v1, %%t, %%u, %%v1;\n");
}

static void make_serial(struct maker *m, int threads)
{
    int at = 0, rounds = below(m, 3) ? 0 : m->labels++;
    beginning(m, ".reg .b32 %v<2>, %x<24>, %lo, %len, %turn, %stop, %inner, %some_turns, %rounds, %hash, %bits;\n.reg .b64 %a<999>, %b<999>, %at, %some, %q<1>;\n.reg .f32 %f<2>;\n.reg .f64 %d<2>;\n.reg .pred %pc;\n");
    EMIT("and.b32 %%t, %%lane, %u;\nsetp.eq.s32 %%p, %%t, 1;\nselp.b64 %%some, %%in, %%far, %%p;\n", 1 + 2 * below(m, 2));
    EMIT("mov.u32 %%v0, %%row;\nmov.u32 %%v1, %%salt;\nmov.u64 %%q0, 5;\nmov.f32 %%f0, 0f3F800000;\nmov.f64 %%d0, 0d3FF0000000000000;\nsetp.eq.s32 %%pc, %%lane, 5;\n");
    if (rounds)
        EMIT("mov.u32 %%rounds, %u;\nL%d:\n", 1 + below(m, 3), rounds);
    for (uint32_t n = 1 + below(m, 2); n; n--) {
        int label = m->labels++;
        bool some = !below(m, 4);
        if (some)
            EMIT("setp.%s.u32 %%o, %%%s, %u;\n@%%o bra L%d;\n", PICK("lt", "gt", "ne"), PICK("row", "lane", "flat"), below(m, 64), label);
        serial_loop(m);
        if (some)
            EMIT("L%d:\n", label);
    }
    if (rounds) {
        if (below(m, 2))
            EMIT("bar.sync 0;\n");
        EMIT("add.s32 %%rounds, %%rounds, -1;\nsetp.gt.s32 %%pl2, %%rounds, 0;\n@%%pl2 bra L%d;\n", rounds);
    }
    EMIT("selp.b32 %%t, 3, 4, %%pc;\nadd.s32 %%v1, %%v1, %%t;\n");
    for (int i = 0; i < 2; i++)
        store(m, "u32", "v", i, &at, threads);
    store(m, "f32", "f", 0, &at, threads);
    store(m, "u64", "q", 0, &at, threads);
    store(m, "f64", "d", 0, &at, threads);
}

char *form_make(enum form_kind kind, uint64_t seed)
{
    const uint32_t *shape = form_shape(kind, seed);
    struct maker maker = {.seed = seed * 2654435761u + 777, .labels = 1}, *m = &maker;
    strbuf_init(&m->s);
    (kind == FORM_BLOCK ? make_unroll_jam : make_serial)(m, (int)(2 * shape[0] * shape[1]));
    EMIT("ret;\n}\n");
    return m->s.s;
}
