/* Random kernels in both executors and both tiers of machine code, and where these take over from each other in the middle: the
 * memory they leave and, where launches count, every counter must be equal. Memory must also be what the kernel leaves that
 * nothing has rewritten (HEDDLE_TARGET=none), since rewriting is common to all of those. The verifier looks behind each pass.
 *
 * usage: jit_random FIRST COUNT [digests | interp | files | target | forward]: the kernels of these seeds; a seed is always the same kernel. Each is
 * valid PTX that ends: all loops count down, barriers and shuffles stand where all threads of a block come, addresses are
 * cut to their array. A difference is printed with the seed; `jit_random SEED 0` prints that kernel.
 * digests: prints each seed with a digest of what it left in memory, to compare hosts and instruction sets; interp: the
 * same, of the interpreter alone; files: the same of even seeds, each as a line "seed text digest x y bytes" (a digest of the
 * PTX, one of the memory, the block, how much of the output is compared) and a file SEED.ptx in this folder, with the input in in.bin (random_h200.py);
 * target: the interpreter alone, of rewritten kernels and of others, which is a hundred times as fast.
 * forward: the same, of kernels that only went into SSA, where reads of a copy became reads of what was copied, and out of it.
 * usage: jit_random TABLE: the seeds of a table "seed text digest" (tests/data/random_h200.tsv) by the interpreter; what
 * machine code makes of them the first usage compares with the interpreter. Seeds that are other kernels by now are left out,
 * but 1,000 have to be left.
 * Half of the kernels are of forms.h, for forms of machine code that others rarely take; those of seeds from 2^32 are of rewriting.h, and
 * those of seeds from 2^33 call the math library, which rewriting parts by each lane's argument (target/ways.h). How many of them ran in theirs is
 * printed, and if too few did that is a failure.
 * With HEDDLE_ISA set to a level that the host does not have: exit status 77, skipped.
 * Not compared: which NaN an f64 is (design.md: payloads are outside the promise). */
#include "engine.h"
#include "forms.h"
#include "rewriting.h"
#include "heddle.h"

#include "base/strbuf.h"
#include "interp/interp.h"
#include "interp/lanes.h"
#include "jit/jit.h"
#include "rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTS = 10, LONGS = 4, HALVES = 4, FLOATS = 8, DOUBLES = 4, PREDS = 6, CELLS = 1024,
       OWN = 4, /* the 16 bytes that a thread has in shared and in global memory */
       SLOTS = INTS + LONGS + HALVES + FLOATS + OWN + DOUBLES,
       COUNTERS = 16, /* bytes: one cell for each operation, since blocks come in any order */
       WARP_BYTES = 512, WARPS = 2 * 8, /* memory of each warp alone, in shared and in global memory */
       REST = COUNTERS + WARP_BYTES * WARPS,
       ROWS_AT = 1 << 20 /* behind what is compared: memory that a thread writes and reads itself */ };

struct maker {
    uint64_t seed;
    struct strbuf s;
    int depth, labels, statements;
    int fresh;     /* numbers of registers that one statement sets: %s %w %g %y */
    int breaks;    /* label of a loop that a branch inside may leave, or -1 */
    bool together; /* all threads of the block come here */
    bool calm;     /* nothing is written for others, and nobody looks at other lanes */
    bool full;     /* all warps have 32 lanes: what a shuffle reads of a lane that is not there is undefined */
    bool settled;  /* nothing that PTX leaves open */
    bool math;     /* it calls the math library */
    int limit;     /* statements, about */
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

static int r(struct maker *m)
{
    return (int)below(m, INTS);
}

static int f(struct maker *m)
{
    return (int)below(m, FLOATS);
}

static int d(struct maker *m)
{
    return (int)below(m, DOUBLES);
}

static int q(struct maker *m)
{
    return (int)below(m, LONGS);
}

static int p(struct maker *m)
{
    return (int)below(m, PREDS);
}

static void guard(struct maker *m)
{
    if (!below(m, 6))
        EMIT("@%s%%p%d ", below(m, 2) ? "!" : "", p(m));
}

/* Bits, division, carries, chosen words. */
static void rarer_integer(struct maker *m)
{
    guard(m);
    switch (below(m, 17)) {
    case 0: EMIT("%s.%s %%q%d, %%q%d, %%q%d;\n", PICK("div", "rem", "mul.hi", "mul.hi"), PICK("u64", "s64"), q(m), q(m), q(m)); break;
    case 1: EMIT("mad.hi.%s %%r%d, %%r%d, %%r%d, %%r%d;\n", PICK("u32", "s32"), r(m), r(m), r(m), r(m)); break;
    case 2: EMIT("sad.%s %%r%d, %%r%d, %%r%d, %%r%d;\n", PICK("u32", "s32"), r(m), r(m), r(m), r(m)); break;
    case 3: EMIT("bfe.%s %%r%d, %%r%d, %u, %u;\n", PICK("u32", "s32"), r(m), r(m), below(m, 32), below(m, 40)); break;
    case 4: EMIT("and.b32 %%t, %%r%d, 255;\nbfe.%s %%q%d, %%q%d, %%t, %u;\n", r(m), PICK("u64", "s64"), q(m), q(m), below(m, 70)); break;
    case 5: EMIT("bfi.b32 %%r%d, %%r%d, %%r%d, %%r%d, %u;\n", r(m), r(m), r(m), r(m), below(m, 40)); break;
    case 6: EMIT("and.b32 %%t, %%r%d, 255;\nbfi.b64 %%q%d, %%q%d, %%q%d, %u, %%t;\n", r(m), q(m), q(m), q(m), below(m, 70)); break;
    case 7: EMIT("%s.%s %%r%d, %%q%d;\n", PICK("popc", "clz"), "b64", r(m), q(m)); break;
    case 8: EMIT("%s %%r%d, %%r%d;\n", PICK("bfind.u32", "bfind.s32", "bfind.shiftamt.u32", "bfind.shiftamt.s32"), r(m), r(m)); break;
    case 9: EMIT("%s %%r%d, %%q%d;\nbrev.b64 %%q%d, %%q%d;\n", PICK("bfind.u64", "bfind.s64", "bfind.shiftamt.s64"), r(m), q(m), q(m), q(m)); break;
    case 10: EMIT("shf.%s.b32 %%r%d, %%r%d, %%r%d, %%r%d;\n", PICK("l.wrap", "r.wrap", "l.clamp", "r.clamp"), r(m), r(m), r(m), r(m)); break;
    case 11:
        if (below(m, 2))
            EMIT("prmt.b32 %%r%d, %%r%d, %%r%d, %u;\n", r(m), r(m), r(m), below(m, 65536));
        else
            EMIT("prmt.b32 %%r%d, %%r%d, %%r%d, %%r%d;\n", r(m), r(m), r(m), r(m));
        break;
    case 12: EMIT("%s %%r%d, %%r%d, %%r%d, %%r%d;\n", PICK("dp4a.u32.u32", "dp4a.s32.s32", "dp2a.lo.s32.u32", "dp2a.hi.u32.s32", "mad24.lo.s32", "mad24.hi.u32"),
                  r(m), r(m), r(m), r(m)); break;
    case 13: EMIT("%s %%r%d, %%r%d, %%r%d;\n", PICK("add.sat.s32", "sub.sat.s32", "min.relu.s32", "mul24.lo.u32", "mul24.hi.s32"), r(m), r(m), r(m)); break;
    case 14: {
        bool wide = below(m, 2), sub = below(m, 2);
        const char *t = wide ? "u64" : "u32", *reg = wide ? "q" : "r";
        int n = wide ? LONGS : INTS;
        EMIT("%s.cc.%s %%%s%u, %%%s%u, %%%s%u;\n", sub ? "sub" : "add", t, reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n));
        guard(m);
        EMIT("%s.cc.%s %%%s%u, %%%s%u, %%%s%u;\n", sub ? "subc" : "addc", t, reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n));
        if (!sub || !m->settled) /* a GPU takes a carry for the opposite of a borrow, which PTX does not say */
            EMIT("mad%s.cc.%s %%%s%u, %%%s%u, %%%s%u, %%%s%u;\n", PICK(".lo", ".hi", "c.lo", "c.hi"), t, reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n), reg,
                 below(m, (uint32_t)n), reg, below(m, (uint32_t)n));
        EMIT("%s.%s %%%s%u, %%%s%u, 0;\n", sub ? "subc" : "addc", t, reg, below(m, (uint32_t)n), reg, below(m, (uint32_t)n));
        break;
    }
    case 15: EMIT("%s.%s %%r%d, %%r%d, %d;\n", PICK("div", "rem"), PICK("u32", "s32"), r(m), r(m), (int)below(m, 40) - 10); break;
    default: EMIT("slct.b32.%s %%r%d, %%r%d, %%r%d, %%%s%d;\n", PICK("s32", "f32"), r(m), r(m), r(m), "r", r(m)); break;
    }
}

static void integer(struct maker *m)
{
    if (!below(m, 3)) {
        rarer_integer(m);
        return;
    }
    guard(m);
    switch (below(m, 14)) {
    case 0: EMIT("%s.%s %%r%d, %%r%d, %%r%d;\n", PICK("add", "sub", "mul.lo", "mul.hi", "min", "max"), PICK("u32", "s32"), r(m), r(m), r(m)); break;
    case 1: EMIT("%s.s32 %%r%d, %%r%d, %d;\n", PICK("add", "sub", "mul.lo"), r(m), r(m), (int)below(m, 64) - 16); break;
    case 2: EMIT("mad.lo.%s %%r%d, %%r%d, %%r%d, %%r%d;\n", PICK("u32", "s32"), r(m), r(m), r(m), r(m)); break;
    case 3: EMIT("%s.b32 %%r%d, %%r%d, %%r%d;\n", PICK("and", "or", "xor"), r(m), r(m), r(m)); break;
    case 4: EMIT("%s.%s %%r%d, %%r%d, %u;\n", PICK("shl.b32", "shr.u32", "shr.s32") , "", r(m), r(m), below(m, 40)); break;
    case 5: EMIT("%s %%r%d, %%r%d, %%r%d;\n", PICK("shl.b32", "shr.u32", "shr.s32"), r(m), r(m), r(m)); break;
    case 6: EMIT("%s %%q%d, %%r%d, %%r%d;\n", PICK("mul.wide.u32", "mul.wide.s32"), q(m), r(m), r(m)); break;
    case 7: EMIT("%s.%s %%q%d, %%q%d, %%q%d;\n", PICK("add", "sub", "mul.lo", "min", "max"), PICK("u64", "s64"), q(m), q(m), q(m)); break;
    case 8: EMIT("cvt.%s %%q%d, %%r%d;\n", PICK("u64.u32", "s64.s32"), q(m), r(m)); break;
    case 9: EMIT("cvt.u32.u64 %%r%d, %%q%d;\n", r(m), q(m)); break;
    case 10: EMIT("%s %%r%d, %%r%d;\n", PICK("neg.s32", "abs.s32", "not.b32", "popc.b32", "clz.b32", "brev.b32", "mov.b32", "cnot.b32"), r(m), r(m)); break;
    case 11: EMIT("%s %%r%d, %%r%d, %%r%d;\n", PICK("div.u32", "div.s32", "rem.u32", "rem.s32"), r(m), r(m), r(m)); break;
    case 12: EMIT("lop3.b32 %%r%d, %%r%d, %%r%d, %%r%d, %u;\n", r(m), r(m), r(m), r(m), below(m, 256)); break;
    default: EMIT("selp.b32 %%r%d, %%r%d, %%r%d, %%p%d;\n", r(m), r(m), r(m), p(m)); break;
    }
}

/* Flushing, clamping, conversions. Numbers about 2^-126 come from products with the least normal ones. */
static void rarer_floating(struct maker *m)
{
    switch (below(m, 16)) {
    case 0:
    case 1:
        EMIT("and.b32 %%t, %%r%d, 0x81ffffff;\nmov.b32 %%f%d, %%t;\n", r(m), f(m)); /* about 2^-126, and below */
        guard(m);
        EMIT("%s.f32 %%f%d, %%f%d, %%f%d;\n", PICK("add.rn.ftz", "sub.rn.ftz", "mul.rn.ftz", "div.rn.ftz", "mul.rn.ftz.sat", "min.ftz"), f(m), f(m), f(m));
        return;
    case 2:
        EMIT("and.b32 %%t, %%r%d, 0x80ffffff;\nmov.b32 %%f%d, %%t;\n", r(m), f(m));
        guard(m);
        EMIT("fma.rn.%s.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", PICK("ftz", "sat", "ftz.sat"), f(m), f(m), f(m), f(m));
        return;
    case 3:
        EMIT("and.b32 %%t, %%r%d, 0x80ffffff;\nor.b32 %%t, %%t, 0x3f000000;\nmov.b32 %%f%d, %%t;\nmov.b32 %%f%d, 0x00800000;\n", r(m), 0, 1);
        EMIT("mul.rn.ftz.f32 %%f%d, %%f0, %%f1;\nfma.rn.ftz.f32 %%f%d, %%f0, %%f1, %%f%d;\n", f(m), f(m), f(m));
        return;
    default:
        break;
    }
    guard(m);
    switch (below(m, 15)) {
    case 11: EMIT("%s %%r%d, %%r%d, %%r%d;\n", PICK("add.rn.f16x2", "sub.rn.f16x2", "mul.rn.f16x2", "min.f16x2", "max.f16x2", "mul.rn.ftz.f16x2"), r(m), r(m), r(m)); break;
    case 12: EMIT("fma.rn.f16x2 %%r%d, %%r%d, %%r%d, %%r%d;\n", r(m), r(m), r(m), r(m)); break;
    case 13: EMIT("%s %%h0, %%h1, %%h0;\nneg.f16 %%h1, %%h0;\n", PICK("add.rn.f16", "mul.rn.f16", "sub.rn.f16")); break;
    case 0: EMIT("%s %%f%d, %%f%d;\n", PICK("neg.ftz.f32", "abs.ftz.f32", "sqrt.rn.ftz.f32", "rcp.rn.ftz.f32"), f(m), f(m)); break;
    case 1: EMIT("%s.f32 %%f%d, %%f%d, %%f%d;\n", PICK("copysign", "add.rn.sat", "sub.rn.sat", "max.ftz"), f(m), f(m), f(m)); break;
    case 2: EMIT("%s %%d%d, %%d%d;\n", PICK("neg.f64", "abs.f64", "sqrt.rn.f64", "rcp.rn.f64", "cvt.rni.f64.f64", "cvt.rmi.f64.f64", "cvt.sat.f64.f64"), d(m), d(m)); break;
    case 3: EMIT("cvt.%s %%r%d, %%d%d;\n", PICK("rzi.s32.f64", "rni.u32.f64", "rmi.s32.f64", "rpi.u32.f64"), r(m), d(m)); break;
    case 4: EMIT("cvt.%s %%q%d, %%f%d;\n", PICK("rzi.s64.f32", "rzi.u64.f32", "rni.s64.f32", "rpi.ftz.s64.f32"), q(m), f(m)); break;
    case 5: EMIT("cvt.%s %%q%d, %%d%d;\n", PICK("rzi.s64.f64", "rzi.u64.f64", "rmi.u64.f64"), q(m), d(m)); break;
    case 6: EMIT("cvt.%s %%r%d, %%f%d;\n", PICK("rzi.u8.f32", "rzi.s8.f32", "rni.s16.f32", "rpi.u16.f32", "rpi.ftz.s32.f32", "rmi.ftz.u32.f32"), r(m), f(m)); break;
    case 7: EMIT("cvt.%s %%f%d, %%f%d;\n", PICK("rni.f32.f32", "rzi.f32.f32", "rmi.f32.f32", "rpi.ftz.f32.f32", "sat.f32.f32", "ftz.f32.f32", "f32.f32"), f(m), f(m)); break;
    case 8: EMIT("cvt.rn.ftz%s.f32.f64 %%f%d, %%d%d;\ncvt.ftz.f64.f32 %%d%d, %%f%d;\n", PICK("", ".sat"), f(m), d(m), d(m), f(m)); break;
    case 9: {
        const char *type = PICK("f16", "bf16");
        EMIT("cvt.rn.%s.f32 %%h%u, %%f%d;\n", type, below(m, 2), f(m));
        if (*type == 'f')
            EMIT("cvt.f32.f16 %%f%d, %%h%u;\n", f(m), below(m, 2));
        else
            EMIT("mov.b32 %%r%d, {%%h0, %%h1};\n", r(m));
        break;
    }
    case 10: EMIT("cvt.rn.%s.f32 %%r%d, %%f%d, %%f%d;\n", PICK("f16x2", "bf16x2"), r(m), f(m), f(m)); break;
    default: EMIT("set.%s.%s %%r%d, %%%s%d, %%%s%d;\n", PICK("lt", "ge"), "u32.f32", r(m), "f", f(m), "f", f(m)); break;
    }
}

/* name, arguments and result: f32 or f64 */
#define MATH(FUNCTION)                                                                                                                         \
    FUNCTION(acosf, f, 1) FUNCTION(asin, d, 1) FUNCTION(atan2f, f, 2) FUNCTION(atan2, d, 2) FUNCTION(cosf, f, 1) FUNCTION(erfcf, f, 1)         \
    FUNCTION(exp, d, 1) FUNCTION(expf, f, 1) FUNCTION(fmod, d, 2) FUNCTION(fmodf, f, 2) FUNCTION(hypotf, f, 2) FUNCTION(lgammaf, f, 1)         \
    FUNCTION(log, d, 1) FUNCTION(logf, f, 1) FUNCTION(pow, d, 2) FUNCTION(powf, f, 2) FUNCTION(sin, d, 1) FUNCTION(sinf, f, 1)                 \
    FUNCTION(tanhf, f, 1) FUNCTION(tgamma, d, 1) FUNCTION(fast_expf, f, 1) FUNCTION(sinpif, f, 1) FUNCTION(rcbrtf, f, 1)

static const struct math {
    const char *name;
    char type;
    int arguments;
} math[] = {
#define FUNCTION(name, type, arguments) {"__nv_" #name, #type[0], arguments},
    MATH(FUNCTION)
#undef FUNCTION
};

static void declare_math(struct strbuf *s)
{
    for (size_t i = 0; i < sizeof math / sizeof *math; i++) {
        const char *bits = math[i].type == 'f' ? "b32" : "b64";
        strbuf_addf(s, ".extern .func (.param .%s r) %s(.param .%s a", bits, math[i].name, bits);
        if (math[i].arguments == 2)
            strbuf_addf(s, ", .param .%s b", bits);
        strbuf_adds(s, ");\n");
    }
}

static void call_math(struct maker *m)
{
    const struct math *of = &math[below(m, sizeof math / sizeof *math)];
    int bits = of->type == 'f' ? 32 : 64;
    EMIT("{\n.param .b%d a, b, c;\n", bits);
    for (int i = 0; i < of->arguments; i++)
        EMIT("st.param.f%d [%c], %%%c%d;\n", bits, 'a' + i, of->type, of->type == 'f' ? f(m) : d(m));
    EMIT("call (c), %s, (a%s);\n", of->name, of->arguments == 2 ? ", b" : "");
    EMIT("ld.param.f%d %%%c%d, [c];\n}\n", bits, of->type, of->type == 'f' ? f(m) : d(m));
}

static void floating(struct maker *m)
{
    if (m->math && below(m, 2)) {
        call_math(m);
        return;
    }
    if (!below(m, 3)) {
        rarer_floating(m);
        return;
    }
    guard(m);
    switch (below(m, 12)) {
    case 0: EMIT("%s.f32 %%f%d, %%f%d, %%f%d;\n", PICK("add.rn", "sub.rn", "mul.rn", "min", "max", "div.rn"), f(m), f(m), f(m)); break;
    case 1: EMIT("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", f(m), f(m), f(m), f(m)); break;
    case 2: EMIT("%s.f64 %%d%d, %%d%d, %%d%d;\n", PICK("add.rn", "sub.rn", "mul.rn", "min", "max", "div.rn"), d(m), d(m), d(m)); break;
    case 3: EMIT("fma.rn.f64 %%d%d, %%d%d, %%d%d, %%d%d;\n", d(m), d(m), d(m), d(m)); break;
    case 4: EMIT("%s %%f%d, %%f%d;\n", PICK("neg.f32", "abs.f32", "sqrt.rn.f32", "rcp.rn.f32", "mov.f32"), f(m), f(m)); break;
    case 5: EMIT("cvt.%s %%f%d, %%r%d;\n", PICK("rn.f32.s32", "rn.f32.u32", "rz.f32.s32"), f(m), r(m)); break;
    case 6: EMIT("cvt.%s %%r%d, %%f%d;\n", PICK("rzi.s32.f32", "rzi.u32.f32", "rni.s32.f32", "rmi.s32.f32"), r(m), f(m)); break;
    case 7: EMIT("cvt.f64.f32 %%d%d, %%f%d;\n", d(m), f(m)); break;
    case 8: EMIT("cvt.%s %%f%d, %%d%d;\n", PICK("rn.f32.f64", "rz.f32.f64"), f(m), d(m)); break;
    case 9: EMIT("mov.b32 %%%s;\n", ""); break;
    case 10: EMIT("%s.f32 %%f%d, %%f%d, %%f%d;\n", PICK("add.rn.ftz", "mul.rn.ftz", "add.rz", "mul.rn.sat", "add.rm"), f(m), f(m), f(m)); break;
    default: EMIT("selp.f32 %%f%d, %%f%d, %%f%d, %%p%d;\n", f(m), f(m), f(m), p(m)); break;
    }
}

static void predicate(struct maker *m)
{
    switch (below(m, 10)) {
    case 8: EMIT("setp.%s.%s %%p%d, %%%s, %d;\n", PICK("lt", "le", "gt", "ge", "eq", "ne"), PICK("s32", "u32"), p(m), PICK("me", "lane", "flat"), (int)below(m, 140) - 6); break;
    case 9: /* with a number that is the same for all and known when it runs */
        EMIT("and.b32 %%u, %%x0, %u;\nsub.u32 %%u, %%u, %u;\n", 127u >> below(m, 3), below(m, 3));
        EMIT("setp.%s.%s %%p%d, %s;\n", PICK("lt", "le", "gt", "ge", "eq", "ne"), PICK("s32", "u32"), p(m), PICK("%u, %me", "%me, %u", "%lane, %u", "%u, %flat"));
        break;
    case 5: EMIT("setp.%s.ftz.f32 %%p%d, %%f%d, %%f%d;\n", PICK("lt", "eq", "neu"), p(m), f(m), f(m)); break;
    case 6: EMIT("testp.%s %%p%d, %%f%d;\n", PICK("finite.f32", "infinite.f32", "number.f32", "notanumber.f32", "normal.f32", "subnormal.f32"), p(m), f(m)); break;
    case 7: EMIT("setp.%s.f64 %%p%d, %%d%d, %%d%d;\nset.%s.and.u32.s32 %%r%d, %%r%d, %%r%d, %s%%p%d;\n", PICK("lt", "ge", "equ"), p(m), d(m), d(m), PICK("lt", "ne"), r(m), r(m), r(m), below(m, 2) ? "!" : "", p(m)); break;
    case 0: EMIT("setp.%s.%s %%p%d, %%r%d, %%r%d;\n", PICK("eq", "ne", "lt", "le", "gt", "ge"), PICK("u32", "s32"), p(m), r(m), r(m)); break;
    case 1: EMIT("setp.%s.s32 %%p%d, %%r%d, %d;\n", PICK("lt", "gt", "eq"), p(m), r(m), (int)below(m, 40)); break;
    case 2: EMIT("setp.%s.f32 %%p%d, %%f%d, %%f%d;\n", PICK("lt", "ge", "equ", "num", "neu", "nan"), p(m), f(m), f(m)); break;
    case 3: EMIT("setp.lt.%s.s32 %%p%d, %%r%d, %%r%d, %s%%p%d;\n", PICK("and", "or", "xor"), p(m), r(m), r(m), below(m, 2) ? "!" : "", p(m)); break;
    default: EMIT("%s.pred %%p%d, %%p%d, %%p%d;\n", PICK("and", "or", "xor"), p(m), p(m), p(m)); break;
    }
}

/* The address of a cell of an array of 32-bit cells that the threads share for reading. */
static void read_memory(struct maker *m)
{
    switch (below(m, 5)) {
    case 0: /* any cell of the input */
        EMIT("and.b32 %%t, %%r%d, %d;\nmul.wide.u32 %%a, %%t, 4;\nadd.s64 %%a, %%a, %%in;\n", r(m), CELLS - 1);
        EMIT("ld.global.%s [%%a];\n", "");
        break;
    case 1: /* neighbours */
        EMIT("add.s32 %%t, %%me, %u;\nmul.wide.u32 %%a, %%t, 4;\nadd.s64 %%a, %%a, %%in;\n", below(m, 32));
        break;
    case 2: /* a stride */
        EMIT("mul.lo.s32 %%t, %%me, %u;\nand.b32 %%t, %%t, %d;\nmul.wide.u32 %%a, %%t, 4;\nadd.s64 %%a, %%a, %%in;\n", below(m, 7), CELLS - 1);
        break;
    case 3: /* the same for all */
        EMIT("add.s64 %%a, %%in, %u;\n", 4 * below(m, 64));
        break;
    default:
        EMIT("mul.wide.u32 %%a, %%lane, 16;\nadd.s64 %%a, %%a, %%in;\n");
        EMIT("ld.global.v%s [%%a];\n", "");
        break;
    }
}

/* Sets %a to the address of a cell of so many bytes that each lane picks: of the warp's memory in global, shared or, by its
 * generic address, either; and answers the space's part of the opcode. */
static const char *warp_cell(struct maker *m, unsigned bytes)
{
    static const char *const index[] = {"mov.b32 %%t, %%r%d", "add.s32 %%t, %%lane, %%r%d", "shl.b32 %%t, %%r%d, 3", "mad.lo.s32 %%t, %%lane, 5, %%r%d"};
    if (m->settled)
        EMIT("bar.warp.sync -1;\nmad.lo.s32 %%t, %%lane, %u, %u", 2 * below(m, 8) + 1, below(m, 512)); /* a cell each */
    else
        EMIT(index[below(m, 4)], r(m));
    EMIT(";\nand.b32 %%t, %%t, %u;\nmul.wide.u32 %%a, %%t, %u;\n", WARP_BYTES / bytes - 1, bytes);
    switch (below(m, 4)) {
    case 0: EMIT("add.s64 %%a, %%a, %%warps;\n"); return ".global";
    case 1: EMIT("add.s64 %%a, %%a, %%warpcells;\ncvta.shared.u64 %%a, %%a;\n"); return "";
    case 2: EMIT("add.s64 %%a, %%a, %%warps;\n"); return "";
    default: EMIT("add.s64 %%a, %%a, %%warpcells;\n"); return ".shared";
    }
}

/* Lanes write where they like in their warp's memory, in ascending order, and read again; all of them are here. */
static void scatter(struct maker *m)
{
    const char *ordered = below(m, 5) ? "" : ".volatile";
    for (int i = 0; i < 2; i++) {
        bool load = i || !below(m, 3);
        switch (below(m, 6)) {
        case 0: {
            const char *space = warp_cell(m, 4);
            guard(m);
            EMIT("%s%s%s.u32 ", load ? "ld" : "st", ordered, space);
            load ? EMIT("%%r%d, [%%a];\n", r(m)) : EMIT("[%%a], %%r%d;\n", r(m));
            break;
        }
        case 1: {
            const char *space = warp_cell(m, 2);
            guard(m);
            EMIT("%s%s%s.%s ", load ? "ld" : "st", ordered, space, load ? PICK("u8", "s8", "s16", "u16") : PICK("u8", "u16"));
            load ? EMIT("%%r%d, [%%a];\n", r(m)) : EMIT("[%%a], %%r%d;\n", r(m));
            break;
        }
        case 2: {
            const char *space = warp_cell(m, 8);
            guard(m);
            EMIT("%s%s%s.u64 ", load ? "ld" : "st", ordered, space);
            load ? EMIT("%%q%d, [%%a];\n", q(m)) : EMIT("[%%a], %%q%d;\n", q(m));
            break;
        }
        case 3: {
            const char *space = warp_cell(m, 4);
            guard(m);
            EMIT("%s%s%s.f32 ", load ? "ld" : "st", ordered, space);
            load ? EMIT("%%f%d, [%%a];\n", f(m)) : EMIT("[%%a], %%f%d;\n", f(m));
            break;
        }
        case 4: {
            const char *space = warp_cell(m, 16);
            int x = r(m), y = r(m);
            guard(m);
            if (load)
                EMIT("ld%s%s.v4.u32 {%%r%d, %%t, %%r%d, %%u}, [%%a];\n", ordered, space, x, (x + 1 + y % (INTS - 1)) % INTS);
            else
                EMIT("st%s%s.v4.u32 [%%a], {%%r%d, %%r%d, %%t, %%r%d};\n", ordered, space, x, y, r(m));
            break;
        }
        default: {
            const char *space = warp_cell(m, 8);
            int x = f(m);
            guard(m);
            if (load)
                EMIT("ld%s.v2.f32 {%%f%d, %%f%d}, [%%a];\n", space, x, (x + 1) % FLOATS);
            else
                EMIT("st%s.v2.u32 [%%a], {%%r%d, %%r%d};\n", space, r(m), r(m));
        }
        }
    }
}

/* Lanes change cells of their warp's memory, one after the other; all of them are here. */
static void atomic(struct maker *m)
{
    bool wide = !below(m, 4), same = !below(m, 3), red = below(m, 2);
    bool unordered = m->settled && same; /* what comes of it must not depend on who is first */
    static const char *const words[] = {"add.u32", "add.s32", "min.s32", "max.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32",
                                        "inc.u32", "dec.u32", "add.f32", "exch.b32", "cas.b32"};
    static const char *const longs[] = {"add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64", "exch.b64", "cas.b64"};
    int n = wide ? unordered ? 6 : 8 : unordered ? 9 : 14, which = (int)below(m, (uint32_t)n);
    const char *op = wide ? longs[which] : words[which], *space, *at = "%a";
    if (same) {
        at = below(m, 2) ? "%warps+16" : "%warpcells+8";
        space = at[6] == '+' ? ".global" : ".shared";
        if (m->settled)
            EMIT("bar.warp.sync -1;\n");
    } else {
        space = warp_cell(m, wide ? 8 : 4);
    }
    bool single = strstr(op, "f32"), cas = !strncmp(op, "cas", 3);
    int value = wide ? q(m) : single ? f(m) : r(m);
    red = (red && !cas && strncmp(op, "exch", 4)) || unordered;
    guard(m);
    EMIT("%s%s.%s ", red ? "red" : "atom", space, op);
    if (!red)
        EMIT("%%%s%d, ", wide ? "q" : single ? "f" : "r", wide ? q(m) : single ? f(m) : r(m));
    if (!single && !below(m, 4))
        EMIT("[%s], %u", at, below(m, 50));
    else
        EMIT("[%s], %%%s%d", at, wide ? "q" : single ? "f" : "r", value);
    if (cas)
        EMIT(", %%%s%d", wide ? "q" : "r", wide ? q(m) : r(m));
    EMIT(";\n");
}

/* An array of the thread's own, by an index that is the same for all or not. */
static void local(struct maker *m)
{
    unsigned bytes = 1u << below(m, 4);
    bool load = below(m, 2), same = below(m, 2);
    EMIT("and.b32 %%t, %%%s%d, %u;\nmul.lo.u32 %%t, %%t, %u;\nmov.u32 %%u, cells_own;\nadd.u32 %%t, %%t, %%u;\n", same ? "x" : "r",
         same ? 3 : r(m), 64 / bytes - 1, bytes);
    guard(m);
    if (bytes == 8 && below(m, 2)) {
        load ? EMIT("ld.local.f64 %%d%d, [%%t+64];\n", d(m)) : EMIT("st.local.f64 [%%t+64], %%d%d;\n", d(m));
        return;
    }
    EMIT("%s.local.%s%u ", load ? "ld" : "st", load && below(m, 2) ? "s" : "u", 8 * bytes);
    const char *reg = bytes == 8 ? "q" : "r";
    load ? EMIT("%%%s%d, [%%t];\n", reg, bytes == 8 ? q(m) : r(m)) : EMIT("[%%t], %%%s%d;\n", reg, bytes == 8 ? q(m) : r(m));
}

static void block(struct maker *m);

static void branch(struct maker *m)
{
    int label = m->labels++;
    bool together = m->together;
    m->together = false;
    EMIT("@%s%%p%d bra L%d;\n", below(m, 2) ? "!" : "", p(m), label);
    block(m);
    if (below(m, 2)) {
        EMIT("bra L%dend;\nL%d:\n", label, label);
        block(m);
        if (m->breaks >= 0 && below(m, 2))
            EMIT("@%%p%d bra L%dend;\n", p(m), m->breaks);
        EMIT("L%dend:\n", label);
    } else {
        if (m->breaks >= 0 && below(m, 2))
            EMIT("@%%p%d bra L%dend;\n", p(m), m->breaks);
        EMIT("L%d:\n", label);
    }
    m->together = together;
}

static void loop(struct maker *m)
{
    int label = m->labels++, depth = m->depth, breaks = m->breaks;
    bool together = m->together, alike = below(m, 2);
    bool calm = m->calm;
    m->together = together && alike;
    m->calm |= !m->together && below(m, 2);
    m->breaks = m->together ? -1 : label;
    if (alike)
        EMIT("mov.u32 %%n%d, %u;\n", depth, 1 + below(m, 6));
    else
        EMIT("and.b32 %%n%d, %%r%d, 7;\nadd.s32 %%n%d, %%n%d, 1;\n", depth, r(m), depth, depth);
    EMIT("L%d:\n", label);
    block(m);
    if (!alike && below(m, 2)) {
        EMIT("@%%p%d bra L%dend;\n", p(m), label);
        block(m);
    }
    EMIT("add.s32 %%n%d, %%n%d, -1;\nsetp.gt.s32 %%pl%d, %%n%d, 0;\n@%%pl%d bra L%d;\nL%dend:\n", depth, depth, depth, depth, depth, label, label);
    m->together = together;
    m->calm = calm;
    m->breaks = breaks;
}

/* Every thread writes its own cell of shared memory, all meet, and read others'. */
static void shared(struct maker *m)
{
    static const char *const other[] = {"xor.b32 %t, %flat, 1", "xor.b32 %t, %flat, 16", "add.s32 %t, %flat, 5", "xor.b32 %t, %flat, 63",
                                        "mul.lo.s32 %t, %flat, 3"};
    EMIT("bar.sync 0;\nshl.b32 %%t, %%flat, 2;\nmov.u32 %%u, cells;\nadd.s32 %%t, %%t, %%u;\nst.shared.u32 [%%t], %%r%d;\nbar.sync 0;\n", r(m));
    EMIT("%s;\nand.b32 %%t, %%t, 255;\nshl.b32 %%t, %%t, 2;\nadd.s32 %%t, %%t, %%u;\nld.shared.u32 %%r%d, [%%t];\n", pick(m, other, 5), r(m));
}

static void together(struct maker *m)
{
    switch (m->full ? below(m, 12) : 2 + below(m, 8)) {
    case 0: EMIT("shfl.sync.%s.b32 %%r%d, %%r%d, %u, %s, -1;\n", PICK("bfly", "down", "idx"), r(m), r(m), below(m, 32), "31"); break;
    case 1: EMIT("shfl.sync.up.b32 %%r%d|%%p%d, %%r%d, %u, 0, -1;\n", r(m), p(m), r(m), below(m, 32)); break;
    case 2: EMIT("vote.sync.%s.pred %%p%d, %s%%p%d, -1;\n", PICK("all", "any", "uni"), p(m), below(m, 2) ? "!" : "", p(m)); break;
    case 3: EMIT("vote.sync.ballot.b32 %%r%d, %%p%d, -1;\n", r(m), p(m)); break;
    case 4: shared(m); break;
    case 10:
        if (below(m, 2))
            EMIT("shfl.sync.%s.b32 %%r%d|%%p%d, %%r%d, %%r%d, %s, -1;\n", PICK("bfly", "down", "idx", "up"), r(m), p(m), r(m), r(m), PICK("31", "%r1", "0x101f"));
        else
            EMIT("shfl.sync.%s.b32 %%f%d, %%f%d, %%x%d, 31, -1;\n", PICK("bfly", "down", "idx"), f(m), f(m), 2 + (int)below(m, 2));
        break;
    case 11: EMIT("redux.sync.%s %%r%d, %%r%d, -1;\n", PICK("add.u32", "min.s32", "max.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32"), r(m), r(m)); break;
    case 5:
    case 6: atomic(m); break;
    default: scatter(m); break;
    }
}

static int row_register(void *who, char letter, bool other, int last)
{
    struct maker *m = who;
    int n = letter == 'r' ? INTS : letter == 'q' ? LONGS : letter == 'h' ? HALVES : letter == 'f' ? FLOATS : letter == 'd' ? DOUBLES :
            letter == 'p' ? PREDS : letter == 'n' ? 40 : letter == 'l' ? 256 : 16 / (letter - '0');
    int value = other ? (last + 1) % n : (int)below(m, (uint32_t)n);
    return letter > '0' && letter < '9' ? value * (letter - '0') : value;
}

/* A row of the table. A settled kernel's results are measured, so rows that came later must not change what it is made of. */
static const struct row *any_row(struct maker *m)
{
    uint32_t later = 0;
    for (int i = 0; i < nrows; i++)
        later += m->settled && rows[i].when & ROW_LATER;
    const struct row *row = rows;
    for (uint32_t left = below(m, (uint32_t)nrows - later); left || (m->settled && row->when & ROW_LATER); row++)
        left -= !(m->settled && row->when & ROW_LATER);
    return row;
}

/* An instruction of the table (rows.def). */
static void table(struct maker *m)
{
    const struct row *row = any_row(m);
    static const char *const writing[] = {"st", "atom", "red", "cp", "mbarrier"};
    for (int i = 0; m->calm && i < 5; i++)
        if (!strncmp(row->text, writing[i], strlen(writing[i])))
            return;
    if ((m->settled && row->when & ROW_OPEN) || (row->when & ROW_WARP && !(m->together && m->full)) || (row->when & ROW_BLOCK && !m->together))
        return;
    char guard[16] = "";
    if (!below(m, 6) && !(row->when & ~(unsigned)ROW_OPEN))
        snprintf(guard, sizeof guard, "@%s%%p%d ", below(m, 2) ? "!" : "", p(m));
    row_write(&m->s, row->text, below(m, (uint32_t)row_instances(row->text)), strchr(row->text, ';') ? "" : guard, row_register, m);
}

/* Instructions whose results only the next one reads, so that places of registers change hands. */
struct chain {
    struct maker *m;
    char letter; /* of the register that the last instruction made; 0: none */
    int last, made;
    bool first; /* the operand that is written */
};

static int chain_register(void *who, char letter, bool other, int last)
{
    static const char letters[] = "rqhfd";
    static const int counts[] = {INTS, LONGS, HALVES, FLOATS, DOUBLES};
    struct chain *c = who;
    const char *at = strchr(letters, letter);
    if (c->first && at) {
        c->first = false;
        c->made = counts[at - letters] + c->m->fresh++;
        return c->made;
    }
    if (letter == c->letter && below(c->m, 2))
        return c->last;
    return row_register(c->m, letter, other, last);
}

static void chain(struct maker *m)
{
    static const char *const types[] = {"r", "u32", "q", "u64", "h", "u16", "f", "f32", "d", "f64"};
    struct chain c = {.m = m};
    for (uint32_t n = 2 + below(m, 4); n;) {
        const struct row *row = any_row(m);
        const char *made = strchr(row->text, '$'), *choice = made ? strchr(made, '>') : NULL;
        if (choice && (!strchr(made, '<') || choice < strchr(made, '<')))
            continue; /* what it makes is a choice */
        if ((row->when && !(row->when == ROW_OPEN && !m->settled)) || !made || made[1] == 'p' || made[2] == '|' || strpbrk(row->text, ";[{_"))
            continue;
        c.first = true;
        row_write(&m->s, row->text, below(m, (uint32_t)row_instances(row->text)), "", chain_register, &c);
        c.letter = made[1];
        c.last = c.made;
        n--;
    }
    for (int i = 0; i < 10; i += 2)
        if (*types[i] == c.letter)
            EMIT("mov.%s %%%c%d, %%%c%d;\n", types[i + 1], c.letter, row_register(m, c.letter, false, 0), c.letter, c.last);
}

static void call(struct maker *m)
{
    EMIT("{\n.param .b32 a, b, c;\nst.param.b32 [a], %%r%d;\nst.param.b32 [b], %%r%d;\n", r(m), r(m));
    EMIT("call (c), %s, (a, b);\nld.param.b32 %%r%d, [c];\n}\n", PICK("f0", "f1"), r(m));
}

/* One of four ways by comparisons of a number that nobody needs later: lanes that wait still do while others have gone on. */
static void decision(struct maker *m)
{
    int label = m->labels++, s = m->fresh;
    bool together = m->together;
    m->together = false;
    m->fresh += 3;
    EMIT("and.b32 %%s%d, %%r%d, 3;\nsetp.gt.u32 %%y%d, %%s%d, 1;\n@%%y%d bra L%dhigh;\n", s, r(m), s, s, s, label);
    for (int half = 0; half < 2; half++) {
        EMIT("setp.eq.s32 %%y%d, %%s%d, %d;\n@%%y%d bra L%d%c;\n", s + 1 + half, s, 2 * half, s + 1 + half, label, 'a' + half);
        block(m);
        EMIT("bra L%dend;\nL%d%c:\n", label, label, 'a' + half);
        block(m);
        EMIT(half ? "L%dend:\n" : "bra L%dend;\nL%dhigh:\n", label, label);
    }
    m->together = together;
}

/* One of three ways by an index. */
static void ways(struct maker *m)
{
    int label = m->labels++;
    bool together = m->together;
    m->together = false;
    EMIT("L%dways: .branchtargets L%da, L%db, L%dc;\nand.b32 %%t, %%r%d, 3;\nmin.u32 %%t, %%t, 2;\nbrx.idx %%t, L%dways;\n", label, label, label, label, r(m), label);
    for (int i = 0; i < 3; i++) {
        EMIT("L%d%c:\n", label, 'a' + i);
        block(m);
        if (i < 2)
            EMIT("bra L%dend;\n", label);
    }
    EMIT("L%dend:\n", label);
    m->together = together;
}

static void statement(struct maker *m)
{
    m->statements++;
    uint32_t what = below(m, 30);
    if (m->calm && (what == 14 || what == 15))
        what = 12; /* a load instead of a store */
    if (m->math && what < 2 && m->depth < 3 && m->statements < m->limit) {
        decision(m);
    } else if (what < 6) {
        integer(m);
    } else if (what < 10) {
        floating(m);
    } else if (what < 12) {
        predicate(m);
    } else if (what < 14) {
        read_memory(m);
    } else if (what == 14) {
        EMIT("red.global.%s, %%r%d;\n", PICK("add.u32 [%counter]", "max.s32 [%counter+4]", "xor.b32 [%counter+8]", "or.b32 [%counter+12]"), r(m));
    } else if (what == 15) {
        EMIT("st.global.u32 [%%ours+%u], %%r%d;\nld.global.u32 %%r%d, [%%ours+%u];\n", 4 * below(m, 4), r(m), r(m), 4 * below(m, 4));
    } else if (m->depth < 3 && m->statements < m->limit && what < 18) {
        what == 16 ? branch(m) : loop(m);
    } else if (what >= 23) {
        what >= 27 ? chain(m) : table(m);
    } else if (what == 22) {
        below(m, 2) ? call(m) : m->depth < 3 && m->statements < m->limit && !below(m, 4) ? ways(m) : table(m);
    } else if (what >= 20) {
        local(m);
    } else if (m->together) {
        together(m);
    }
}

/* --- rows: values that are the same along a row of the block, or of a few lanes, times numbers not known before it runs --- */

enum { POOL = 24 };

struct row_pool {
    int of[POOL], n; /* registers %s that have been set */
    int g[4], ng;    /* %g */
};

static int any(struct maker *m, const struct row_pool *w)
{
    return w->of[below(m, (uint32_t)w->n)];
}

static int new_row(struct maker *m, struct row_pool *w)
{
    int s = m->fresh++;
    w->of[w->n < POOL ? w->n++ : (int)below(m, POOL)] = s; /* a full one forgets another */
    return s;
}

static void row_leaf(struct maker *m, struct row_pool *w)
{
    switch (below(m, 9)) {
    case 0: EMIT("mov.u32 %%s%d, %%x2;\n", new_row(m, w)); break;
    case 1: EMIT("shr.u32 %%s%d, %%%s, %u;\n", new_row(m, w), PICK("me", "lane"), 2 + below(m, 3)); break;
    case 2: EMIT("mad.lo.s32 %%s%d, %%x3, %u, %%x2;\n", new_row(m, w), 4 << below(m, 3)); break;
    case 3: EMIT("mov.u32 %%s%d, %%me;\n", new_row(m, w)); break;
    case 4: EMIT("and.b32 %%s%d, %%lane, %u;\n", new_row(m, w), 3u << below(m, 4)); break;
    case 5: EMIT("ld.global.u32 %%s%d, [%%in+%u];\n", new_row(m, w), 20 * below(m, 64)); break; /* a small number */
    case 6: EMIT("and.b32 %%s%d, %%x0, 63;\n", new_row(m, w)); break;
    case 7: EMIT("mov.u32 %%s%d, %%r%d;\n", new_row(m, w), r(m)); break;
    default: EMIT("mov.u32 %%s%d, %d;\n", new_row(m, w), (int)below(m, 40) - 8); break;
    }
}

static void row_float(struct maker *m, struct row_pool *w)
{
    if (w->ng < 2 || (w->ng < 4 && below(m, 2))) {
        EMIT("cvt.rn.f32.s32 %%g%d, %%s%d;\n", m->fresh, any(m, w));
        w->g[w->ng++] = m->fresh++;
        return;
    }
    int a = w->g[below(m, (uint32_t)w->ng)], b = w->g[below(m, (uint32_t)w->ng)], d = m->fresh++;
    switch (below(m, 4)) {
    case 0: EMIT("fma.rn.f32 %%g%d, %%g%d, %%g%d, %%g%d;\n", d, a, b, a); break;
    case 1: EMIT("%s %%g%d, %%g%d;\n", PICK("sqrt.rn.f32", "neg.f32"), d, a); break;
    case 2: EMIT("mov.b32 %%g%d, %%s%d;\n", d, any(m, w)); break;
    default: EMIT("%s.f32 %%g%d, %%g%d, %%g%d;\n", PICK("add.rn", "sub.rn", "mul.rn", "min", "max", "div.rn", "add.rn.ftz"), d, a, b); break;
    }
    w->g[below(m, (uint32_t)w->ng)] = d;
}

static void row_operation(struct maker *m, struct row_pool *w)
{
    int a = any(m, w), b = any(m, w), c = any(m, w), other = any(m, w), x = m->fresh++, d = new_row(m, w);
    switch (below(m, 15)) {
    case 0:
    case 1: EMIT("mul.lo.s32 %%s%d, %%s%d, %%s%d;\n", d, a, b); break;
    case 2: EMIT("mad.lo.s32 %%s%d, %%s%d, %%s%d, %%s%d;\n", d, a, b, c); break;
    case 3: EMIT("%s.s32 %%s%d, %%s%d, %%s%d;\n", PICK("add", "sub"), d, a, b); break;
    case 4: EMIT("%s.%s %%s%d, %%s%d, %%s%d;\n", PICK("min", "max", "div", "rem", "mul.hi"), PICK("u32", "s32"), d, a, b); break;
    case 5: EMIT("%s.b32 %%s%d, %%s%d, %%s%d;\n", PICK("and", "or", "xor"), d, a, b); break;
    case 6: EMIT("%s %%s%d, %%s%d, %%s%d;\n", PICK("shl.b32", "shr.u32", "shr.s32"), d, a, b); break;
    case 7: EMIT("%s %%s%d, %%s%d, %u;\n", PICK("shl.b32", "shr.u32", "shr.s32", "and.b32"), d, a, below(m, 8)); break;
    case 8: EMIT("%s %%s%d, %%s%d;\n", PICK("neg.s32", "abs.s32", "not.b32", "popc.b32", "brev.b32"), d, a); break;
    case 9: EMIT("%s %%w%d, %%s%d, %%s%d;\ncvt.u32.u64 %%s%d, %%w%d;\n", PICK("mul.wide.u32", "mul.wide.s32"), x, a, b, d, x); break;
    case 10: /* near where 32 bits wrap */
        EMIT("add.s32 %%s%d, %%s%d, %u;\n%s %%w%d, %%s%d, 4;\n", d, a, 0x7ffffff0 + below(m, 24), PICK("mul.wide.s32", "mul.wide.u32"), x, d);
        EMIT("add.s64 %%q%d, %%q%d, %%w%d;\n", q(m), q(m), x);
        break;
    case 11: EMIT("setp.%s.s32 %%p%d, %%s%d, %%s%d;\nlop3.b32 %%s%d, %%s%d, %%s%d, %%s%d, %u;\n", PICK("lt", "eq", "ge"), p(m), a, b, d, a, b, c, below(m, 256)); break;
    case 12: EMIT("setp.lt.u32 %%y%d, %%s%d, %%s%d;\nselp.b32 %%s%d, %%s%d, %%s%d, %%y%d;\n", x, a, b, d, c, other, x); break;
    case 13: EMIT("setp.ne.s32 %%y%d, %%x0, %u;\nmov.u32 %%s%d, %%s%d;\n@%s%%y%d mov.u32 %%s%d, %%s%d;\n", x, below(m, 3), d, a, below(m, 2) ? "!" : "", x, d, b); break;
    default:
        EMIT("add.s32 %%s%d, %%s%d, %%s%d;\n", d, a, b);
        row_float(m, w);
        break;
    }
}

/* The index of a cell: the same for a row's lanes or for a few, below `most`, and above it a column. */
static int row_index(struct maker *m, struct row_pool *w, uint32_t most, bool narrow)
{
    int s = m->fresh, d = s + 1;
    m->fresh += 2;
    EMIT("and.b32 %%s%d, %%s%d, %u;\n", s, any(m, w), most - 1);
    switch (below(m, 4)) {
    case 0: EMIT("mov.u32 %%s%d, %%s%d;\n", d, s); break;
    case 1: EMIT("and.b32 %%t, %%lane, %u;\nadd.s32 %%s%d, %%s%d, %%t;\n", 3u << below(m, 4), d, s); break; /* 24 at most */
    default: EMIT("add.s32 %%s%d, %%s%d, %%%s;\n", d, s, narrow ? "six" : "me"); break; /* 15, 127 */
    }
    return d;
}

static void row_load(struct maker *m, struct row_pool *w)
{
    static const char *const spaces[] = {".global", ".global", "", ".shared", ".shared", ""};
    uint32_t from = below(m, 6);
    bool shared = from > 2;
    unsigned vec = below(m, 3) ? 1 : 2u << below(m, 2), at = shared ? 0 : 4 * vec * below(m, 4);
    int i = row_index(m, w, shared ? 128 / vec : 512, shared && vec > 1), a = m->fresh++, d = new_row(m, w);
    EMIT("mul.wide.%s %%w%d, %%s%d, %u;\nadd.s64 %%w%d, %%w%d, %%%s;\n", PICK("u32", "s32"), a, i, 4 * vec, a, a, shared ? "cells" : "in");
    if (from == 5)
        EMIT("cvta.shared.u64 %%w%d, %%w%d;\n", a, a);
    EMIT("mov.u32 %%s%d, 0;\nld%s", d, spaces[from]);
    if (vec == 4)
        EMIT(".v4.u32 {%%r0, %%r%d, %%t, %%s%d}, [%%w%d+%u];\n", 1 + (int)below(m, INTS - 1), d, a, at);
    else if (vec == 2)
        EMIT(".v2.f32 {%%f0, %%f%d}, [%%w%d+%u];\n", 1 + (int)below(m, FLOATS - 1), a, at);
    else
        EMIT(".%s %%s%d, [%%w%d+%u];\n", PICK("u32", "s32", "s16", "u8"), d, a, at);
}

/* To the thread's own 16 bytes in shared and in global memory, or to a cell that two neighbours share: at addresses whose
 * stride from row to row is not known. */
static void row_store(struct maker *m, struct row_pool *w)
{
    bool shared = below(m, 2), two = m->together && m->full && !m->settled && below(m, 2);
    unsigned vec = 1u << below(m, 3);
    const char *space = shared ? "shared" : "global", *own = shared ? "mine" : "ours";
    int a = m->fresh++, b = m->fresh++;
    switch (vec) {
    case 4: EMIT("st.%s.v4.u32 [%%%s], {%%s%d, %%r%d, %%s%d, %%r%d};\n", space, own, any(m, w), r(m), any(m, w), r(m)); break;
    case 2: EMIT("st.%s.v2.f32 [%%%s+8], {%%f%d, %%f%d};\n", space, own, f(m), f(m)); break;
    default:
        EMIT("and.b32 %%s%d, %%me, %d;\nmul.wide.u32 %%w%d, %%s%d, 4;\nadd.s64 %%w%d, %%w%d, %%%s;\n", a, two ? -2 : -1, b, a, b, b, shared ? "line" : "lines");
        EMIT("st%s.u32 [%%w%d], %%%s%d;\n", shared ? ".shared" : below(m, 2) ? ".global" : "", b, two ? "r" : "s", two ? r(m) : any(m, w));
        EMIT("ld.%s.u32 %%r%d, [%%w%d];\n", space, r(m), b);
        return;
    }
    EMIT("ld.%s.u32 %%r%d, [%%%s+%u];\n", space, r(m), own, 8 + 4 * below(m, 2));
}

/* A pointer that goes on in steps. */
static void row_walk(struct maker *m, struct row_pool *w)
{
    int i = row_index(m, w, 512, false), label = m->labels++, step = any(m, w), x = m->fresh, d;
    m->fresh += 3;
    d = new_row(m, w);
    EMIT("mul.wide.u32 %%w%d, %%s%d, 4;\nadd.s64 %%w%d, %%w%d, %%in;\n", x, i, x, x);
    EMIT("and.b32 %%s%d, %%s%d, 31;\nmul.wide.u32 %%w%d, %%s%d, 4;\nmov.u32 %%s%d, 0;\nmov.u32 %%s%d, %u;\n", x, step, x + 1, x, d, x + 1, 1 + below(m, 5));
    EMIT("L%d:\nld.global.u32 %%s%d, [%%w%d];\nadd.s32 %%s%d, %%s%d, %%s%d;\nadd.s64 %%w%d, %%w%d, %%w%d;\n", label, x + 2, x, d, d, x + 2, x, x, x + 1);
    EMIT("add.s32 %%s%d, %%s%d, -1;\nsetp.gt.s32 %%y%d, %%s%d, 0;\n@%%y%d bra L%d;\n", x + 1, x + 1, x + 1, x + 1, x + 1, label);
}

static void lines(struct maker *m)
{
    struct row_pool w = {.n = 0};
    m->statements += 3;
    for (uint32_t n = 3 + below(m, 4); n; n--)
        row_leaf(m, &w);
    for (uint32_t n = 2 + below(m, 10); n; n--)
        row_operation(m, &w);
    for (uint32_t n = 1 + below(m, 3), what; n; n--) {
        what = below(m, 6);
        what < 3 ? row_load(m, &w) : what < 5 ? row_store(m, &w) : row_walk(m, &w);
    }
    for (uint32_t n = below(m, 3); n; n--)
        row_operation(m, &w);
    EMIT("mov.u32 %%r%d, %%s%d;\n", r(m), any(m, &w));
    if (w.ng)
        EMIT("mov.f32 %%f%d, %%g%d;\n", f(m), w.g[0]);
}

static void block(struct maker *m)
{
    m->depth++;
    for (uint32_t n = 1 + below(m, 6); n; n--)
        below(m, 12) || m->statements + 20 > m->limit || m->calm ? statement(m) : lines(m);
    m->depth--;
}

/* Loads and moves that need a register behind a type are put in here, where the text leaves a gap. */
static char *filled(struct maker *m, const char *text)
{
    struct strbuf out;
    strbuf_init(&out);
    for (const char *at = text; *at;) {
        const char *end = strchr(at, '\n');
        size_t n = (size_t)(end - at);
        if (n > 10 && !strncmp(at, "ld.global. ", 11))
            switch (below(m, 3)) {
            case 0: strbuf_addf(&out, "ld.global.u32 %%r%d, [%%a];\n", r(m)); break;
            case 1: strbuf_addf(&out, "ld.global.f32 %%f%d, [%%a];\n", f(m)); break;
            default: strbuf_addf(&out, "ld.global.s8 %%r%d, [%%a+%u];\n", r(m), below(m, 4)); break;
            }
        else if (n > 11 && !strncmp(at, "ld.global.v ", 12))
            strbuf_addf(&out, "ld.global.v4.u32 {%%r%d, %%r%d, %%t, %%u}, [%%a];\n", 0, 1 + r(m) % (INTS - 1));
        else if (n > 8 && strstr(at, "mov.b32 %;") && strstr(at, "mov.b32 %;") < end) {
            strbuf_add(&out, at, (size_t)(strstr(at, "mov.b32 %;") - at));
            if (below(m, 2))
                strbuf_addf(&out, "mov.b32 %%r%d, %%f%d;\n", r(m), f(m));
            else
                strbuf_addf(&out, "mov.b32 %%f%d, %%r%d;\n", f(m), r(m));
        } else {
            const char *dots = strstr(at, ". %r");
            if (dots && dots < end) { /* "shl.b32. %r": no further type */
                strbuf_add(&out, at, (size_t)(dots - at));
                strbuf_add(&out, dots + 1, (size_t)(end - dots));
            } else {
                strbuf_add(&out, at, n + 1);
            }
        }
        at = end + 1;
    }
    return out.s;
}

/* Even seeds: nothing that PTX or CUDA leaves open, so every GPU of this generation leaves the same in memory. Lanes of a warp that
 * write its memory write cells of their own, atomics that meet commute and nobody reads what was there, and of the table
 * rows marked OPEN stay out. */
static bool is_settled(uint64_t seed)
{
    return seed % 2 == 0;
}

/* A quarter of the seeds is for several warps at once, and one for lane-serial loops; all from 2^32 are for rewriting, from 2^33
 * they call the math library. Even seeds below 4,096 stay what they were when tests/data/random_h200.tsv was made. */
static enum form_kind kind_of(uint64_t seed)
{
    uint64_t h = seed * UINT64_C(0x9e3779b97f4a7c15) >> 61;
    if (seed >> 32)
        return seed >> 33 ? FORM_ANY : FORM_REWRITING;
    return (seed < 4096 && is_settled(seed)) || h > 3 ? FORM_ANY : h > 1 ? FORM_BLOCK : FORM_LANE_SERIAL;
}

/* Threads of a block. */
static const uint32_t *shape_of(uint64_t seed)
{
    static const uint32_t shapes[][2] = {{64, 1}, {32, 4}, {16, 16}, {128, 1}, {8, 8}, {100, 1}, {12, 5}, {16, 4}, {8, 16}, {4, 16}};
    enum form_kind kind = kind_of(seed);
    return kind == FORM_ANY ? shapes[seed / 2 % 10] : kind == FORM_REWRITING ? rewriting_shape(seed) : form_shape(kind, seed);
}

/* What stands before the random part: addresses, memory with something in it, registers that differ. A register of an address is
 * written once, as compilers do it: what is written in several places has no shape. */
static void beginning(struct strbuf *s, int fresh, bool calls_math)
{
    strbuf_adds(s, ".version 8.4\n.target sm_90\n.address_size 64\n.const .align 16 .b32 table[16] = {0, 1, -1, 0x7fffffff, 0x80000000, 0x3f800000, 0xbf000000, "
        "0x7f800000, 7, 0x00800000, 0x3c003c00, 0x80000001, 100, 0xffff, 0x40490fdb, 0x12345678};\n"
        ".func (.param .b32 c) f0(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\nld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];\n"
        "setp.lt.s32 %p, %r0, %r1;\n@%p bra less;\nsub.s32 %r0, %r0, %r1;\nless:\nxor.b32 %r0, %r0, 5;\nst.param.b32 [c], %r0;\nret;\n}\n"
        ".func (.param .b32 c) f1(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\nld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];\n"
        "setp.eq.s32 %p, %r0, 0;\nst.param.b32 [c], %r1;\n@%p ret;\nmad.lo.s32 %r0, %r0, %r1, 3;\nst.param.b32 [c], %r0;\nret;\n}\n");
    if (calls_math)
        declare_math(s);
    strbuf_adds(s, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counter, .param .u64 warps, .param .u32 salt)\n{\n"
        ".shared .align 16 .b8 cells[1024], rows[5120], cells_warps[4096];\n.local .align 16 .b8 cells_own[128];\n");
    strbuf_addf(s, ".reg .b32 %%r<%d>, %%t, %%u, %%me, %%lane, %%flat, %%n<8>, %%x<8>;\n.reg .b64 %%q<%d>, %%in, %%own4, %%own8, %%counter, %%warps, %%warpcells, %%a, %%b, %%z<14>;\n"
        ".reg .b16 %%h<%d>;\n.reg .f32 %%f<%d>;\n.reg .f64 %%d<%d>, %%e;\n.reg .pred %%p<%d>, %%pl<8>;\n", INTS + fresh, LONGS + fresh, HALVES + fresh, FLOATS + fresh, DOUBLES + fresh, PREDS);
    strbuf_addf(s, ".reg .b32 %%s<%d>, %%six, %%row;\n.reg .b64 %%w<%d>, %%cells, %%mine, %%ours, %%line, %%lines;\n.reg .f32 %%g<%d>;\n.reg .pred %%y<%d>;\n.reg .b32 %%k<8>;\n",
        fresh, fresh, fresh, fresh);
    strbuf_addf(s, "ld.param.u64 %%in, [in];\nld.param.u64 %%z0, [out];\nld.param.u64 %%counter, [counter];\nld.param.u32 %%x0, [salt];\n"
        "mov.u32 %%me, %%tid.x;\nmov.u32 %%lane, %%laneid;\nmov.u32 %%x1, %%ntid.x;\nmov.u32 %%x2, %%tid.y;\nmad.lo.s32 %%flat, %%x1, %%x2, %%me;\n"
        "mov.u32 %%x3, %%ctaid.x;\nmov.u32 %%x6, %%ntid.y;\nmul.lo.s32 %%x4, %%x6, %%x1;\nmad.lo.s32 %%x5, %%x3, %%x4, %%flat;\n"
        "mul.wide.u32 %%z1, %%x5, 4;\nadd.s64 %%own4, %%z0, %%z1;\nadd.s64 %%own8, %%own4, %%z1;\n");
    strbuf_addf(s, "ld.param.u64 %%z2, [warps];\nshr.u32 %%k0, %%flat, 5;\nmul.wide.u32 %%z3, %%k0, %d;\n"
        "mad.lo.s32 %%k1, %%x3, 8, %%k0;\nmul.wide.u32 %%z4, %%k1, %d;\nadd.s64 %%warps, %%z2, %%z4;\n"
        "mov.u64 %%z5, cells_warps;\nadd.s64 %%warpcells, %%z3, %%z5;\n", WARP_BYTES, WARP_BYTES);
    /* 256 cells of 4 and of 16 bytes in shared memory, 16 of 8 in local memory; blocks have 60 threads or more */
    strbuf_adds(s, "mov.u32 %n0, 0;\nmov.u32 %t, %flat;\nmov.u64 %cells, cells;\n"
        "Lcells:\nsetp.lt.s32 %p0, %t, 256;\nmul.wide.u32 %a, %t, 4;\nadd.s64 %a, %a, %cells;\n@%p0 st.shared.u32 [%a], %t;\n"
        "mul.wide.u32 %a, %t, 16;\nadd.s64 %a, %a, %z5;\n@%p0 st.shared.v4.u32 [%a], {%t, %me, %flat, %x0};\n"
        "add.s32 %t, %t, %x4;\nadd.s32 %n0, %n0, 1;\nsetp.lt.s32 %p0, %n0, 5;\n@%p0 bra Lcells;\n"
        "mov.u32 %n0, 0;\nmov.u64 %a, cells_own;\n"
        "Lown:\nst.local.v2.u32 [%a], {%n0, %lane};\nst.local.u64 [%a+64], 0;\nadd.s64 %a, %a, 8;\nadd.s32 %n0, %n0, 8;\nsetp.lt.s32 %p0, %n0, 64;\n@%p0 bra Lown;\n");
    strbuf_addf(s, "ld.global.u32 %%k2, [%%in];\nadd.s32 %%k3, %%k2, %%x1;\nmul.lo.s32 %%row, %%k3, %%x2;\n" /* in[0] is 0, but who knows */
        "mov.u64 %%z6, rows;\nadd.s32 %%k4, %%row, %%me;\nmul.wide.s32 %%z7, %%k4, 16;\nadd.s64 %%mine, %%z7, %%z6;\n"
        "mul.wide.s32 %%z8, %%row, 4;\nadd.s64 %%z9, %%z8, %%z6;\nadd.s64 %%line, %%z9, 4096;\nand.b32 %%six, %%me, 15;\n"
        "mad.lo.s32 %%k5, %%x3, %%x4, %%k4;\nmul.wide.u32 %%z10, %%k5, 16;\nadd.s64 %%z11, %%z0, %%z10;\nadd.s64 %%ours, %%z11, %d;\n"
        "mad.lo.s32 %%k6, %%x3, %%x4, %%row;\nmul.wide.u32 %%z12, %%k6, 4;\nadd.s64 %%z13, %%z0, %%z12;\nadd.s64 %%lines, %%z13, %d;\n"
        "st.shared.v4.u32 [%%mine], {%%k5, %%k5, %%me, %%x0};\nst.global.v4.u32 [%%ours], {%%k5, %%k5, %%me, %%x0};\n", ROWS_AT, ROWS_AT + 65536);
    strbuf_adds(s, "bar.sync 0;\nmov.u32 %t, 0;\nmov.u32 %u, 0;\nmov.b16 %h0, 0;\nmov.b16 %h1, 1;\nmov.b32 {%h2, %h3}, %x0;\nadd.cc.u32 %t, %t, 0;\n");
    static const char *const ints[] = {"mov.u32 %r0, %me", "mov.u32 %r1, %x0", "mov.u32 %r2, %x2", "mov.u32 %r3, 7", "mov.u32 %r4, %x3",
        "mov.u32 %r5, %lane", "mad.lo.s32 %r6, %x3, %x1, %me", "xor.b32 %r7, %x0, %flat", "shl.b32 %r8, %me, 2", "ld.global.u32 %r9, [%in]"};
    for (int i = 0; i < INTS; i++)
        strbuf_addf(s, "%s;\n", ints[i]);
    for (int i = 0; i < LONGS; i++)
        strbuf_addf(s, "cvt.u64.u32 %%q%d, %%r%d;\n", i, i);
    for (int i = 0; i < FLOATS; i++)
        strbuf_addf(s, "cvt.rn.f32.s32 %%f%d, %%r%d;\n", i, i);
    for (int i = 0; i < DOUBLES; i++)
        strbuf_addf(s, "cvt.rn.f64.s32 %%d%d, %%r%d;\n", i, i + 3);
    for (int i = 0; i < PREDS; i++)
        strbuf_addf(s, "setp.gt.s32 %%p%d, %%r%d, %d;\n", i, i, 3 * i);
}

/* What stands behind it: all that a thread has, and what it made of its memory, goes to global memory. */
static void ending(struct strbuf *s, int threads, bool settled, bool leave)
{
    /* of two cells in one, lest something is lost; f64 are in the upper half, and which NaN they are is open */
    strbuf_addf(s, "mov.u32 %%n0, 0;\nmov.u64 %%b, cells_own;\nLsum:\nld.local.u64 %%a, [%%b];\nmad.lo.s64 %%q0, %%q0, 31, %%a;\nadd.s64 %%b, %%b, 8;\n"
        "add.s32 %%n0, %%n0, 8;\nsetp.lt.s32 %%pl0, %%n0, %d;\n@%%pl0 bra Lsum;\n", settled ? 64 : 128);
    strbuf_adds(s, "bar.sync 0;\nmul.wide.u32 %a, %lane, 16;\nadd.s64 %a, %a, %warpcells;\n");
    for (int i = 0; i < 16; i += 8)
        strbuf_addf(s, "ld.shared.u64 %%b, [%%a+%d];\nmad.lo.s64 %%q1, %%q1, 31, %%b;\n", i);
    int at = 0, slot = 8 * threads; /* of all threads */
    for (int i = 0; i < INTS; i++, at += slot)
        strbuf_addf(s, "st.global.u32 [%%own4+%d], %%r%d;\n", at, i);
    if (leave)
        strbuf_adds(s, "@%p1 exit;\n");
    for (int i = 0; i < LONGS; i++, at += slot)
        strbuf_addf(s, "st.global.u64 [%%own8+%d], %%q%d;\n", at, i);
    for (int i = 0; i < HALVES; i++, at += slot)
        strbuf_addf(s, "st.global.u16 [%%own4+%d], %%h%d;\n", at, i);
    for (int i = 0; i < FLOATS; i++, at += slot)
        strbuf_addf(s, "st.global.f32 [%%own4+%d], %%f%d;\n", at, i);
    for (int i = 0; i < OWN; i++, at += slot)
        strbuf_addf(s, "ld.%s.u64 %%a, [%%%s+%d];\nst.global.u64 [%%own8+%d], %%a;\n", i < 2 ? "shared" : "global", i < 2 ? "mine" : "ours", i % 2 * 8, at);
    for (int i = 0; i < DOUBLES; i++, at += slot)
        strbuf_addf(s, "st.global.f64 [%%own8+%d], %%d%d;\n", at, i);
    strbuf_adds(s, "ret;\n}\n");
}

static char *make(uint64_t seed)
{
    if (kind_of(seed) == FORM_REWRITING)
        return rewriting_make(seed);
    if (kind_of(seed) != FORM_ANY)
        return form_make(kind_of(seed), seed);
    const uint32_t *shape = shape_of(seed);
    struct maker maker = {.seed = seed * 2654435761u + 12345, .breaks = -1, .together = true, .full = shape[0] * shape[1] % 32 == 0, .settled = is_settled(seed), .math = seed >> 33 != 0}, *m = &maker;
    strbuf_init(&m->s);
    m->limit = 25 << below(m, 3);
    for (uint32_t n = 1 + below(m, 4); n || !m->s.len; n -= n > 0)
        block(m);
    char *body = filled(m, m->s.s);
    struct strbuf all;
    strbuf_init(&all);
    beginning(&all, m->fresh + 1, m->math);
    strbuf_adds(&all, body);
    ending(&all, (int)(2 * shape[0] * shape[1]), m->settled, !below(m, 4));
    free(body);
    strbuf_release(&m->s);
    return all.s;
}

/* --- running --- */

struct bench {
    heddle_device *device;
    heddle_ptr in, out, counter, warps, far;
    size_t out_bytes;
    FILE *log; /* HEDDLE_JIT_LOG */
    struct {
        int kernels, in_form, left;
    } plain[4], blocks; /* by kind: launches that do not count, those in the kind's form, those that left it */
};

static void must(heddle_status s, const char *what, uint64_t seed)
{
    if (!s)
        return;
    fprintf(stderr, "seed %" PRIu64 ": %s: %s\n", seed, what, heddle_error_text());
    exit(1);
}

static const char *const counted[] = {
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum", "ptx__inst_executed.sum",
    "ptx__thread_inst_executed.sum", "ptx__branch_passes.sum", "smsp__inst_executed_op_branch.sum", "smsp__sass_branch_targets_threads_divergent.sum",
    "flop_count_sp", "flop_count_dp", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "atomic_transactions",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "idc__requests.sum"};
enum { COUNTED = sizeof counted / sizeof *counted };

/* What launches of machine code collect, for a kernel whose launches count: all, all that is exact, or any of it. The interpreter
 * beside it counts all, or all that is exact. */
static counter_groups groups_of(uint64_t seed)
{
    uint64_t how = seed / 3 % 4, some = seed * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    return how == 0 ? COUNTERS_ALL : how == 1 ? COUNTERS_EXACT : COUNTERS_EXACT & (counter_groups)some;
}

static void run(struct bench *b, heddle_kernel *k, const heddle_launch_config *cfg, const char *exec, uint64_t seed, char *out, double *metrics)
{
    counter_groups groups = groups_of(seed);
    engine_collect(b->device, strcmp(exec, "interp") || groups == COUNTERS_ALL ? groups : COUNTERS_EXACT);
    uint32_t salt = (uint32_t)seed * 2654435761u;
    void *args[] = {&b->in, &b->out, &b->counter, &b->warps, &salt, &b->far};
    heddle_result *result = NULL;
    memset(out, 0, b->out_bytes + REST);
    must(heddle_copy_in(b->device, b->out, out, b->out_bytes), "copy", seed);
    must(heddle_copy_in(b->device, b->counter, out, COUNTERS), "copy", seed);
    must(heddle_copy_in(b->device, b->warps, out, WARP_BYTES * WARPS), "copy", seed);
    setenv("HEDDLE_EXEC", exec, 1);
    must(heddle_launch(k, cfg, args, metrics ? &result : NULL), "launch", seed);
    must(heddle_copy_out(b->device, out, b->out, b->out_bytes), "copy", seed);
    must(heddle_copy_out(b->device, out + b->out_bytes, b->counter, COUNTERS), "copy", seed);
    must(heddle_copy_out(b->device, out + b->out_bytes + COUNTERS, b->warps, WARP_BYTES * WARPS), "copy", seed);
    for (int i = 0; metrics && i < COUNTED; i++)
        if (heddle_result_metric(result, counted[i], &metrics[i]))
            metrics[i] = -1;
    if (result)
        heddle_result_free(result);
}

static bool same(const char *a, const char *b, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 8) {
        double x, y;
        memcpy(&x, a + at, 8);
        memcpy(&y, b + at, 8);
        bool is_double = at / (bytes / SLOTS) >= SLOTS - DOUBLES;
        if (memcmp(a + at, b + at, 8) && !(is_double && x != x && y != y)) {
            fprintf(stderr, "slot %zu, at %zu: %016" PRIx64 " and %016" PRIx64 "\n", at / (bytes / SLOTS), at % (bytes / SLOTS),
                    *(const uint64_t *)(const void *)(a + at), *(const uint64_t *)(const void *)(b + at));
            return false;
        }
    }
    return true;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

static uint64_t digest_text(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *text; text++)
        h = mix(h, (unsigned char)*text);
    return h;
}

/* Of what a kernel left; all NaN of f64 are one. tests/jit/random_h200.py has it, too. */
static uint64_t digest(const char *left, size_t bytes)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t at = 0; at < bytes + REST; at += 8) {
        uint64_t word;
        double x;
        memcpy(&word, left + at, 8);
        memcpy(&x, left + at, 8);
        if (at / (bytes / SLOTS) >= SLOTS - DOUBLES && at < bytes && x != x)
            word = UINT64_C(0x7ff8000000000000);
        h = mix(h, word);
    }
    return h;
}

enum mode { COMPARE, DIGESTS, INTERP, FILES, TARGET, FORWARD, TABLE };

static void save(const char *name, const void *data, size_t bytes)
{
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f)) {
        perror(name);
        exit(1);
    }
}

static void write_file(uint64_t seed, const char *text, const uint32_t *shape, size_t bytes, uint64_t digest_of)
{
    char name[32];
    snprintf(name, sizeof name, "%" PRIu64 ".ptx", seed);
    save(name, text, strlen(text));
    printf("%" PRIu64 " %016" PRIx64 " %016" PRIx64 " %u %u %zu\n", seed, digest_text(text), digest_of, shape[0], shape[1], bytes);
}

/* Which of the forms this kernel was made for it ran in, as the log says. */
static void note_form(struct bench *b, uint64_t seed, uint64_t left)
{
    enum form_kind kind = kind_of(seed);
    char line[1024];
    bool in_form = false, in_block = false;
    while (fgets(line, sizeof line, b->log)) {
        const char *serial = strstr(line, "\"lane_serial\": ");
        bool made = strstr(line, "\"problem\": null") && strstr(line, "\"counting\": false");
        in_block |= made && strstr(line, "\"form\": \"block\"");
        in_form |= made && (kind == FORM_BLOCK ? strstr(line, "\"form\": \"block\"") != NULL
                            : kind == FORM_LANE_SERIAL && serial && atoi(strchr(serial, ':') + 1) > 0);
    }
    clearerr(b->log);
    b->blocks.kernels++;
    b->blocks.in_form += in_block;
    b->blocks.left += in_block && left != 0;
    b->plain[kind].kernels++;
    b->plain[kind].in_form += in_form;
    b->plain[kind].left += left != 0;
}

/* Fails where too few kernels ran in the form that they were made for, or too few of all as whole blocks. How many left that form
 * in the middle is said. */
static bool forms_reached(const struct bench *b)
{
    bool ok = true;
    static const char *const names[] = {"all", "made for whole blocks", "made for lane-serial loops"};
    for (int kind = FORM_ANY; kind <= FORM_LANE_SERIAL; kind++) {
        int kernels = kind ? b->plain[kind].kernels : b->blocks.kernels, in_form = kind ? b->plain[kind].in_form : b->blocks.in_form;
        int left = kind ? b->plain[kind].left : b->blocks.left;
        bool enough = in_form >= kernels / (kind == FORM_LANE_SERIAL ? 2 : 4);
        printf("%s: %d of %d kernels in %s", names[kind], in_form, kernels, kind == FORM_LANE_SERIAL ? "theirs" : "the block form");
        printf(kind == FORM_LANE_SERIAL ? "%.0d%s\n" : ", left by %d%s\n", kind == FORM_LANE_SERIAL ? 0 : left, kernels >= 6 && !enough ? ": too few" : "");
        ok &= kernels < 6 || enough;
    }
    return ok;
}

/* The kernel, rewritten or not, and looked at behind each pass. */
static heddle_kernel *prepare(struct bench *b, const char *text, uint64_t seed, const char *target, heddle_module **module)
{
    heddle_kernel *kernel;
    heddle_kernel_info info;
    setenv("HEDDLE_TARGET", target, 1);
    bool claims = getenv("HEDDLE_VERIFY"); /* else the passes alone are looked at: not forms, and no claims are checked */
    setenv("HEDDLE_VERIFY", "1", 1);
    must(heddle_module_load(b->device, "random", text, strlen(text), module), "module", seed);
    must(heddle_kernel_find(*module, "k", &kernel), "kernel", seed);
    must(heddle_kernel_describe(kernel, &info), target, seed);
    unsetenv("HEDDLE_TARGET");
    if (!claims)
        unsetenv("HEDDLE_VERIFY");
    return kernel;
}

/* The same by the kernel as its PTX says, in the interpreter and, if wanted, as machine code. */
static bool same_as_written(struct bench *b, const char *text, uint64_t seed, const heddle_launch_config *cfg, bool compiled, const char *x, char *y)
{
    heddle_module *module;
    heddle_kernel *kernel = prepare(b, text, seed, "none", &module);
    static const char *const ways[] = {"interp", "jit-first"};
    bool ok = true;
    for (int way = 0; way < 1 + compiled && ok; way++) {
        run(b, kernel, cfg, ways[way], seed, y, NULL);
        ok = same(x, y, b->out_bytes) && !memcmp(x + b->out_bytes, y + b->out_bytes, REST);
        if (!ok)
            printf("seed %" PRIu64 ": not rewritten it leaves something else (%s)\n", seed, ways[way]);
    }
    heddle_module_unload(module);
    return ok;
}

static bool compare(struct bench *b, uint64_t seed, enum mode mode, uint64_t *left)
{
    const uint32_t *shape = shape_of(seed);
    char *text = make(seed);
    heddle_module *module;
    heddle_kernel *kernel = prepare(b, text, seed, mode == FORWARD ? "forward" : "assembler", &module);
    heddle_launch_config cfg = {.grid = {2, 1, 1}, .block = {shape[0], shape[1], 1}};
    b->out_bytes = (size_t)2 * shape[0] * shape[1] * 8 * SLOTS;
    char *x = malloc(b->out_bytes + REST), *y = malloc(b->out_bytes + REST);
    static const char *const ways[] = {"jit", "jit-first", "auto"};
    double counts[2][COUNTED];
    bool counting = seed % 3 == 0 && mode < INTERP, ok = true;
    run(b, kernel, &cfg, "interp", seed, x, counting ? counts[0] : NULL);
    *left = digest(x, b->out_bytes);
    if (mode == FILES)
        write_file(seed, text, shape, b->out_bytes, *left);
    else if (mode == DIGESTS || mode == INTERP)
        printf("%" PRIu64 " %016" PRIx64 "\n", seed, *left);
    if (mode == COMPARE || mode == TARGET || mode == FORWARD || mode == TABLE)
        ok = same_as_written(b, text, seed, &cfg, mode == COMPARE && seed % 7 == 0, x, y);
    jit_hasty = true; /* of "auto": from one to the next in the middle of the launch, which takes another compilation */
    for (int way = 0; way < (seed % 5 ? 2 : 3) && ok && mode < INTERP; way++) {
        jit_long_turns = seed / 2 % 2 ? 1 + seed / 4 % 9 : LONG_TURNS; /* loops are left in the middle */
        uint64_t before = jit_blocks_left;
        if (b->log) /* behind what other ways left there */
            fseek(b->log, 0, SEEK_END);
        run(b, kernel, &cfg, ways[way], seed, y, counting ? counts[1] : NULL);
        if (!counting && !way)
            note_form(b, seed, jit_blocks_left - before);
        ok = same(x, y, b->out_bytes) && !memcmp(x + b->out_bytes, y + b->out_bytes, REST);
        for (int i = 0; counting && i < COUNTED; i++)
            if (counts[1][i] >= 0 && counts[0][i] != counts[1][i]) {
                fprintf(stderr, "%s: %.0f and %.0f\n", counted[i], counts[0][i], counts[1][i]);
                ok = false;
            }
        if (!ok)
            printf("seed %" PRIu64 ": the executors differ (%s)\n", seed, ways[way]);
    }
    free(x);
    free(y);
    heddle_module_unload(module);
    free(text);
    return ok;
}

/* Lines "seed text digest" of a table. */
static uint64_t compare_table(struct bench *b, const char *name, uint64_t *count)
{
    FILE *f = fopen(name, "r");
    char line[256];
    uint64_t seed, was, want, left, bad = 0;
    if (!f) {
        perror(name);
        exit(2);
    }
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64, &seed, &was, &want) != 3)
            continue; /* its head */
        char *text = make(seed);
        bool other = digest_text(text) != was;
        free(text);
        if (other)
            continue;
        ++*count;
        compare(b, seed, TABLE, &left);
        if (left == want)
            continue;
        printf("seed %" PRIu64 ": %016" PRIx64 " here, %016" PRIx64 " in the table\n", seed, left, want);
        bad++;
    }
    fclose(f);
    if (*count >= 1000)
        return bad;
    printf("the table has %" PRIu64 " of the kernels that there are now: let tests/jit/random_h200.py make it anew\n", *count);
    return bad + 1;
}

/* What compiling tells, in a file that is gone with the process. */
static FILE *open_log(void)
{
    char name[] = "/tmp/heddle-jit-random-XXXXXX";
    int fd = mkstemp(name);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f) {
        perror(name);
        exit(2);
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!getenv("HEDDLE_JIT_LOG")) /* else the log is looked at elsewhere */
        setenv("HEDDLE_JIT_LOG", path, 1);
    unlink(name);
    return f;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"", "digests", "interp", "files", "target", "forward"};
    int mode = argc == 4 ? FORWARD : argc == 2 ? TABLE : COMPARE;
    while (argc == 4 && mode && strcmp(argv[3], modes[mode]))
        mode--;
    if (argc != 3 && !mode) {
        fputs("usage: jit_random FIRST COUNT [digests | interp | files | target | forward] or jit_random TABLE\n", stderr);
        return 2;
    }
    uint64_t first = argc == 2 ? 0 : strtoull(argv[1], NULL, 10), count = argc == 2 ? 0 : strtoull(argv[2], NULL, 10), bad = 0, left;
    if (!count && mode != TABLE) {
        char *text = make(first);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    const char *level = getenv("HEDDLE_ISA");
    if (level && strcmp(level, lanes_level())) {
        printf("skipped: this host has no %s\n", level);
        return 77;
    }
    setenv("HEDDLE_JIT_CACHE", "0", 0); /* nobody runs these kernels again */
    setvbuf(stdout, NULL, _IOLBF, 0); /* seeds that were done are known if one crashes */
    struct bench b = {.log = open_log()};
    uint32_t *far = malloc(FORM_FAR * sizeof *far);
    static uint32_t in[CELLS + 8192];
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < CELLS + 8192; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        in[i] = i % 5 ? (uint32_t)x : (uint32_t)i;
    }
    if (mode == FILES)
        save("in.bin", in, sizeof in);
    must(heddle_device_open("h200", &b.device), "device", 0);
    must(heddle_alloc(b.device, sizeof in, &b.in), "memory", 0);
    must(heddle_alloc(b.device, 4 << 20, &b.out), "memory", 0);
    must(heddle_alloc(b.device, COUNTERS, &b.counter), "memory", 0);
    must(heddle_alloc(b.device, WARP_BYTES * WARPS, &b.warps), "memory", 0);
    must(heddle_alloc(b.device, FORM_FAR * sizeof *far, &b.far), "memory", 0);
    form_far(far);
    must(heddle_copy_in(b.device, b.far, far, FORM_FAR * sizeof *far), "copy", 0);
    free(far);
    must(heddle_copy_in(b.device, b.in, in, sizeof in), "copy", 0);
    if (mode == TABLE)
        bad = compare_table(&b, argv[1], &count);
    for (uint64_t s = first; mode != TABLE && s < first + count; s++)
        if (mode != FILES || (is_settled(s) && kind_of(s) == FORM_ANY))
            bad += !compare(&b, s, (enum mode)mode, &left);
    heddle_device_close(b.device);
    printf("%" PRIu64 " kernels, %" PRIu64 " differ\n", count, bad);
    return bad != 0 || (mode < INTERP && !forms_reached(&b));
}
