/* Functions of single precision that machine code computes itself, in vectors: exp and log as the interpreter has them (math_forms.h), and
 * rsqrt. Where the host has AVX-512, its instructions for exponents and edges take the place of integer arithmetic, with the
 * same results. */
#include "jit/llvm/emitter.h"

#include <math.h>
#include <string.h>

static bool has_avx512(const struct emit *e)
{
    return e->width == 16;
}

/* One of LLVM's functions for an instruction of x86; the result is of the first argument's type. */
static LLVMValueRef host_intrinsic(struct emit *e, const char *name, LLVMValueRef *args, int n)
{
    LLVMTypeRef types[6];
    for (int i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    return LLVMBuildCall2(e->b, LLVMFunctionType(types[0], types, (unsigned)n, false), f, args, (unsigned)n, "");
}

static bool has_avx2(const struct emit *e)
{
    return e->width == 8;
}

static LLVMValueRef all_lanes(struct emit *e)
{
    return LLVMConstAllOnes(LLVMInt16TypeInContext(e->cx));
}

static LLVMValueRef rounding_as_it_is(struct emit *e)
{
    return number(e, 32, 4);
}

/* PTX's zeros, and NaNs that lose unless they are signalling ones (VRANGEPS in the Intel SDM, volume 2C). */
LLVMValueRef math_least(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool max)
{
    const uint64_t sign_of_result = 4;
    if (!has_avx512(e))
        return NULL;
    LLVMValueRef args[6] = {a, b, number(e, 32, sign_of_result | max), a, all_lanes(e), rounding_as_it_is(e)};
    return host_intrinsic(e, "llvm.x86.avx512.mask.range.ps.512", args, 6);
}

/* y, but for such x whose class (0 and 1: NaN, 2: 0, 4: -infinity, 5: infinity, 6: negative) has another answer in its four bits of
 * `table`: 2: x, 3: NaN, 4: -infinity, 5: infinity, 6: infinity of x's sign, 8: 0. */
static LLVMValueRef with_edges(struct emit *e, LLVMValueRef y, LLVMValueRef x, uint32_t table)
{
    LLVMValueRef args[6] = {y, x, arith_whole(e, 32, table, 0), number(e, 32, 0), all_lanes(e), rounding_as_it_is(e)};
    return host_intrinsic(e, "llvm.x86.avx512.mask.fixupimm.ps.512", args, 6);
}

static LLVMValueRef constant(struct emit *e, double x)
{
    return float_constant(e, PTX_F32, x, 0);
}

static LLVMValueRef fused(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[3] = {a, b, c};
    return call_intrinsic(e, "llvm.fma", LLVMTypeOf(a), args, 3);
}

static LLVMValueRef if_less(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, a, b, ""), yes, no, "");
}

static LLVMValueRef as_integers(struct emit *e, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->b, x, vector_of(e, e->i32), "");
}

static LLVMValueRef as_floats(struct emit *e, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->b, x, vector_of(e, e->f32), "");
}

/* --- rsqrt --- */

/* 1 - a * r * r, with the product's rounding error if `exactly`. */
static LLVMValueRef rsqrt_residue(struct emit *e, LLVMValueRef a, LLVMValueRef r, bool exactly)
{
    LLVMValueRef less = LLVMBuildFNeg(e->b, r, ""), root = LLVMBuildFMul(e->b, a, r, "");
    LLVMValueRef left = fused(e, less, root, constant(e, 1));
    return exactly ? fused(e, less, fused(e, a, r, LLVMBuildFNeg(e->b, root, "")), left) : left;
}

/* A step of first order. */
static LLVMValueRef rsqrt_step(struct emit *e, LLVMValueRef a, LLVMValueRef r)
{
    return fused(e, LLVMBuildFMul(e->b, r, constant(e, 0.5), ""), rsqrt_residue(e, a, r, false), r);
}

/* And one of second order. */
static LLVMValueRef rsqrt_end(struct emit *e, LLVMValueRef a, LLVMValueRef r)
{
    LLVMValueRef left = rsqrt_residue(e, a, r, true);
    return fused(e, LLVMBuildFMul(e->b, r, left, ""), fused(e, left, constant(e, 0.375), constant(e, 0.5)), r);
}

/* By AVX's estimate of 11.4 bits, which takes numbers below 2^-126 for 0. */
static LLVMValueRef rsqrt_by_avx2(struct emit *e, LLVMValueRef x)
{
    LLVMValueRef least = constant(e, 0x1p-126), infinity = constant(e, INFINITY), none = LLVMConstNull(LLVMTypeOf(x));
    LLVMValueRef a = if_less(e, x, least, LLVMBuildFMul(e->b, x, constant(e, 0x1p24), ""), x);
    LLVMValueRef r = rsqrt_end(e, a, rsqrt_step(e, a, rsqrt_step(e, a, host_intrinsic(e, "llvm.x86.avx.rsqrt.ps.256", &a, 1))));
    r = if_less(e, x, least, LLVMBuildFMul(e->b, r, constant(e, 0x1p12), ""), r);
    r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, infinity, ""), none, r, "");
    LLVMValueRef signed_infinity = as_floats(e, LLVMBuildOr(e->b, as_integers(e, x), as_integers(e, infinity), ""));
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, none, ""), signed_infinity, r, "");
}

/* By AVX-512's estimate r of 14 bits, which processors may differ in, and two steps. The first one ends at most one unit
 * of the last place from the rounded result: it errs by 0.5 for its own rounding, 0.5 for that of a * r, and 0.1. From there the second,
 * of second order, is exact: all 2^24 numbers from 1 to 4, each from these three places, were tried. Of 0 and infinity
 * the steps make NaN. AVX's estimate takes one step more to get there. */
LLVMValueRef math_rsqrt(struct emit *e, LLVMValueRef a)
{
    if (has_avx2(e))
        return rsqrt_by_avx2(e, a);
    if (!has_avx512(e))
        return NULL;
    LLVMValueRef estimate[3] = {a, LLVMConstNull(LLVMTypeOf(a)), all_lanes(e)};
    LLVMValueRef r = host_intrinsic(e, "llvm.x86.avx512.rsqrt14.ps.512", estimate, 3);
    return with_edges(e, rsqrt_end(e, a, rsqrt_step(e, a, r)), a, 0x00800600);
}

/* --- forms --- */

static LLVMValueRef whole(struct emit *e, uint32_t n)
{
    return arith_whole(e, 32, n, 0);
}

static LLVMValueRef power_of_2(struct emit *e, LLVMValueRef n)
{
    return as_floats(e, LLVMBuildShl(e->b, LLVMBuildAdd(e->b, n, whole(e, 127), ""), whole(e, 23), ""));
}

/* In two steps, of which only the second may round. */
static LLVMValueRef scaled(struct emit *e, LLVMValueRef x, LLVMValueRef n)
{
    if (has_avx512(e)) {
        LLVMValueRef args[5] = {x, n, LLVMConstNull(LLVMTypeOf(x)), all_lanes(e), rounding_as_it_is(e)};
        return host_intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512", args, 5);
    }
    LLVMValueRef all = LLVMBuildFPToSI(e->b, n, vector_of(e, e->i32), ""), half = LLVMBuildAShr(e->b, all, whole(e, 1), "");
    x = LLVMBuildFMul(e->b, x, power_of_2(e, half), "");
    return LLVMBuildFMul(e->b, x, power_of_2(e, LLVMBuildSub(e->b, all, half, "")), "");
}

static LLVMValueRef exponent(struct emit *e, LLVMValueRef x)
{
    LLVMValueRef args[4] = {x, LLVMConstNull(LLVMTypeOf(x)), all_lanes(e), rounding_as_it_is(e)};
    return host_intrinsic(e, "llvm.x86.avx512.mask.getexp.ps.512", args, 4);
}

static LLVMValueRef split(struct emit *e, LLVMValueRef x, LLVMValueRef *k)
{
    if (has_avx512(e)) {
        LLVMValueRef from_three_quarters = number(e, 32, 3);
        LLVMValueRef args[5] = {x, from_three_quarters, LLVMConstNull(LLVMTypeOf(x)), all_lanes(e), rounding_as_it_is(e)};
        LLVMValueRef m = host_intrinsic(e, "llvm.x86.avx512.mask.getmant.ps.512", args, 5);
        *k = LLVMBuildFSub(e->b, exponent(e, x), exponent(e, m), "");
        return m;
    }
    LLVMValueRef least = constant(e, 0x1p-126), above = if_less(e, x, least, constant(e, 23), constant(e, 0));
    LLVMValueRef bits = as_integers(e, if_less(e, x, least, LLVMBuildFMul(e->b, x, constant(e, 0x1p23), ""), x));
    LLVMValueRef up = LLVMBuildAShr(e->b, LLVMBuildSub(e->b, bits, whole(e, 0x3f400000), ""), whole(e, 23), "");
    *k = LLVMBuildFSub(e->b, LLVMBuildSIToFP(e->b, up, vector_of(e, e->f32), ""), above, "");
    return as_floats(e, LLVMBuildSub(e->b, bits, LLVMBuildShl(e->b, up, whole(e, 23), ""), ""));
}

static LLVMValueRef log_edges(struct emit *e, LLVMValueRef y, LLVMValueRef x)
{
    if (has_avx512(e))
        return with_edges(e, y, x, 0x03530422);
    LLVMValueRef none = constant(e, 0), infinity = constant(e, (double)INFINITY);
    y = if_less(e, none, x, y, constant(e, (double)NAN));
    y = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, none, ""), constant(e, -(double)INFINITY), y, "");
    return if_less(e, x, infinity, y, x);
}

#define V               LLVMValueRef
#define FORM(name)      static LLVMValueRef name##_form(struct emit *e, LLVMValueRef x)
#define K(c)            constant(e, (double)(c))
#define FMA(l, r, more) fused(e, l, r, more)
#define ADD(l, r)       LLVMBuildFAdd(e->b, l, r, "")
#define SUB(l, r)       LLVMBuildFSub(e->b, l, r, "")
#define MUL(l, r)       LLVMBuildFMul(e->b, l, r, "")
#define LEAST(c, v)     if_less(e, c, v, c, v)
#define MOST(c, v)      if_less(e, v, c, c, v)
#define SCALED(v, n)    scaled(e, v, n)
#define SPLIT(v, up)    split(e, v, up)
#define LOG_EDGES(v, of) log_edges(e, v, of)
#include "interp/math_forms.h"

LLVMValueRef math_form(struct emit *e, enum math_form form, LLVMValueRef x)
{
    if (!strcmp(e->job->level, "x86-64-v2")) /* no fused multiply-add */
        return NULL;
    switch (form) {
    case MATH_FORM_exp: return exp_form(e, x);
    case MATH_FORM_log: return log_form(e, x);
    default: return NULL;
    }
}
