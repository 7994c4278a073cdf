/* A half-precision type, its pair, and CUDA's functions on them: included once for __half and once for __nv_bfloat16.
 *
 * In: H and H2, the names of type and pair; HOTHER, the other type; PT, PTX's name of the type as a string; N(x), the type's part in the names of
 * conversions (float2half, float2bfloat16); HROUND(f, mode), the bits of a float rounded to nearest, towards zero, up or
 * down (mode 'n', 'z', 'u', 'd'); HCVT, defined where the GPU converts between the type and all others by itself. Out: the types, operators and intrinsics of CUDA Math API, "Half" and
 * "Bfloat16". On the device arithmetic is one PTX instruction, rounded once; on the host it goes through float, which
 * rounds alike for +, -, * and / (24 >= 2 * 11 + 2 bits). Conversions round once; those to integers give the nearest that
 * there is, for NaN 0, and the highest bit alone where the integer has 64 bits (PTX ISA, cvt). Division, roots and transcendental functions go through float on the
 * device too, as CUDA's do, and through the GPU's approximate instructions, so that they cost what they cost there.
 * No include guard: the includer undefines the names. */

#define BOTH static __host__ __device__ __inline__ __attribute__((always_inline, unused))
#define FN   static __device__ __inline__ __attribute__((always_inline, unused))

#ifndef HEDDLE_HALF_CONVERSIONS
#define HEDDLE_HALF_CONVERSIONS
/* Rounded to odd: cut to a float's 24 bits, the last of which is set if something was lost. Rounding that to a half (11 bits,
 * 8) in any mode gives what rounding the number itself gives. */
BOTH float __heddle_odd_float(unsigned long long magnitude, bool negative)
{
    const int cut = 40 - __builtin_clzll(magnitude | 1);
    if (cut > 0)
        magnitude = (magnitude >> cut | ((magnitude & ((1ull << cut) - 1)) != 0)) << cut;
    return negative ? -(float)magnitude : (float)magnitude;
}
BOTH float __heddle_odd(unsigned long long i) { return __heddle_odd_float(i, false); }
BOTH float __heddle_odd(long long i) { return __heddle_odd_float(i < 0 ? 0 - (unsigned long long)i : (unsigned long long)i, i < 0); }
BOTH float __heddle_odd(int i) { return __heddle_odd((long long)i); }
BOTH float __heddle_odd(unsigned int i) { return __heddle_odd((unsigned long long)i); }
BOTH float __heddle_odd(short i) { return __heddle_odd((long long)i); }
BOTH float __heddle_odd(unsigned short i) { return __heddle_odd((unsigned long long)i); }
BOTH float __heddle_odd(double d)
{
    float f = (float)d;
    if ((double)f == d || d != d)
        return f;
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    u = (u - (__builtin_fabs((double)f) > __builtin_fabs(d))) | 1;
    __builtin_memcpy(&f, &u, 4);
    return f;
}
/* a whole number to an integer type, on the host */
template <class T> static __host__ __inline__ T __heddle_clamped(float f)
{
    const bool is_signed = (T)-1 < (T)1;
    const float limit = __builtin_ldexpf(1.0f, 8 * (int)sizeof(T) - is_signed);
    const T highest = (T)(~0ull >> (64 - 8 * (int)sizeof(T) + is_signed));
    if (f != f)
        return sizeof(T) == 8 ? (T)(1ull << 63) : 0;
    return f >= limit ? highest : f < (is_signed ? -limit : 0.0f) ? (T)(is_signed ? -1 - highest : 0) : (T)f;
}
struct __half;
struct __nv_bfloat16;
/* X(type, its name in functions, PTX's, the constraint of its register) */
#define HEDDLE_HALF_INTEGERS(X)                                                                    \
    X(int, int, "s32", "r") X(unsigned int, uint, "u32", "r") X(short, short, "s16", "h")          \
    X(unsigned short, ushort, "u16", "h") X(long long, ll, "s64", "l") X(unsigned long long, ull, "u64", "l")
#endif

struct __attribute__((aligned(2))) H {
    unsigned short __x;
    H() = default;
    __host__ __device__ H(float f) : __x(HBITS(f)) {}
    __host__ __device__ H(double d);
    __host__ __device__ H(int i);
    __host__ __device__ H(unsigned int i);
    __host__ __device__ H(long i);
    __host__ __device__ H(unsigned long i);
    __host__ __device__ H(long long i);
    __host__ __device__ H(unsigned long long i);
    __host__ __device__ H(short i);
    __host__ __device__ H(unsigned short i);
    __host__ __device__ H(const HRAW &r) : __x(r.x) {}
    __host__ __device__ explicit H(const HOTHER &h); /* where both headers are included: half_casts.h */
    __host__ __device__ operator float() const { return HVALUE(__x); }
    __host__ __device__ operator HRAW() const { return HRAW{__x}; }
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
    __host__ __device__ explicit operator double() const { return (double)HVALUE(__x); }
    __host__ __device__ operator char() const;
    __host__ __device__ operator signed char() const;
    __host__ __device__ operator unsigned char() const;
    __host__ __device__ operator short() const;
    __host__ __device__ operator unsigned short() const;
    __host__ __device__ operator int() const;
    __host__ __device__ operator unsigned int() const;
    __host__ __device__ operator long() const;
    __host__ __device__ operator unsigned long() const;
    __host__ __device__ operator long long() const;
    __host__ __device__ operator unsigned long long() const;
};

struct __attribute__((aligned(4))) H2 {
    H x, y;
    H2() = default;
    /* A copy is one access of 32 bits, and no part of a larger one: CUDA's are user-provided, too, so a struct that holds several
     * is copied pair by pair. */
    __host__ __device__ H2(const H2 &pair) { __builtin_memcpy((void *)this, &pair, 4); }
    __host__ __device__ H2 &operator=(const H2 &pair)
    {
        __builtin_memcpy((void *)this, &pair, 4);
        return *this;
    }
    __host__ __device__ H2(const H &a, const H &b) : x(a), y(b) {}
    __host__ __device__ H2(const H2RAW &r) : x(HRAW{r.x}), y(HRAW{r.y}) {}
    __host__ __device__ operator H2RAW() const { return H2RAW{x.__x, y.__x}; }
};

BOTH H __heddle_half(H *, unsigned short bits)
{
    H h;
    h.__x = bits;
    return h;
}
#define OF(bits) __heddle_half((H *)0, bits)
BOTH unsigned int __heddle_word(H2 a) { return (unsigned int)a.y.__x << 16 | a.x.__x; }
BOTH H2 __heddle_pair(H2 *, unsigned int w) { return H2(OF((unsigned short)w), OF((unsigned short)(w >> 16))); }
#define OF2(word) __heddle_pair((H2 *)0, word)

/* ---- arithmetic ---- */
#if defined(__CUDA_ARCH__)
#define ASM1(op, a) ({ unsigned short r_; __asm__(op "." PT " %0, %1;" : "=h"(r_) : "h"((a).__x)); OF(r_); })
#define ASM2(op, a, b) ({ unsigned short r_; __asm__(op "." PT " %0, %1, %2;" : "=h"(r_) : "h"((a).__x), "h"((b).__x)); OF(r_); })
#define ASM3(op, a, b, c)                                                                          \
    ({ unsigned short r_; __asm__(op "." PT " %0, %1, %2, %3;" : "=h"(r_) : "h"((a).__x), "h"((b).__x), "h"((c).__x)); OF(r_); })
#define WORD1(op, a) ({ unsigned int r_; __asm__(op "." PT "x2 %0, %1;" : "=r"(r_) : "r"(__heddle_word(a))); OF2(r_); })
#define WORD2(op, a, b)                                                                            \
    ({ unsigned int r_; __asm__(op "." PT "x2 %0, %1, %2;" : "=r"(r_) : "r"(__heddle_word(a)), "r"(__heddle_word(b))); OF2(r_); })
#define WORD3(op, a, b, c)                                                                         \
    ({ unsigned int r_; __asm__(op "." PT "x2 %0, %1, %2, %3;" : "=r"(r_)                           \
                                : "r"(__heddle_word(a)), "r"(__heddle_word(b)), "r"(__heddle_word(c))); OF2(r_); })
/* true or not of two; 1.0 or 0.0, or all ones or none, of each half */
#define TEST(op, a, b)                                                                             \
    ({ unsigned short r_; __asm__("{\n\t.reg .pred p;\n\tsetp." op "." PT " p, %1, %2;\n\tselp.u16 %0, 1, 0, p;\n\t}" \
                                  : "=h"(r_) : "h"((a).__x), "h"((b).__x)); r_ != 0; })
#define WORDTEST(op, a, b)                                                                         \
    ({ unsigned int r_; __asm__("set." op ".u32." PT "x2 %0, %1, %2;" : "=r"(r_) : "r"(__heddle_word(a)), "r"(__heddle_word(b))); r_; })
#define EITHER(device, host) return device;
#else
#define EITHER(device, host) return host;
#endif

/* Without .rn the assembler may make one instruction of a product and a sum; name##_rn is for who does not want it to. */
#define BINARY(name, op, sign)                                                                     \
    BOTH H name(H a, H b) { EITHER(ASM2(op, a, b), H((float)a sign (float)b)) }                    \
    BOTH H2 name##2(H2 a, H2 b) { EITHER(WORD2(op, a, b), H2(name(a.x, b.x), name(a.y, b.y))) }    \
    BOTH H name##_rn(H a, H b) { EITHER(ASM2(op ".rn", a, b), name(a, b)) }                        \
    BOTH H2 name##2_rn(H2 a, H2 b) { EITHER(WORD2(op ".rn", a, b), name##2(a, b)) }
BINARY(__hadd, "add", +)
BINARY(__hsub, "sub", -)
BINARY(__hmul, "mul", *)
#undef BINARY
#if defined(__CUDA_ARCH__) && defined(HAS_SAT)
/* a * (1 / b) rounds to the nearest half, since quotients of 11 bits by 11 lie further from the middle between two halves
 * than its error, 2^-23 of it. Below 2^-14, where halves have fewer bits, a quotient may be such a middle itself, and the
 * product miss it (tried for all: the largest is 126.5 * 2^-24); below 2^-17 one step of Newton's makes it exact. */
FN H __hdiv(H a_, H b_)
{
    const float a = a_, b = b_;
    float q;
    __asm__("{\n\t.reg .pred small; .reg .f32 r, e, size;\n\t"
            "rcp.approx.ftz.f32 r, %2;\n\tmul.f32 %0, %1, r;\n\tabs.f32 size, %0;\n\t"
            "setp.lt.f32 small, size, 0f37000000;\n\tsetp.gt.and.f32 small, size, 0f00000000, small;\n\t"
            "@small fma.rn.f32 e, %3, %0, %1;\n\t@small fma.rn.f32 %0, e, r, %0;\n\t}"
            : "=&f"(q) : "f"(a), "f"(b), "f"(-b));
    return H(q);
}
#elif defined(__CUDA_ARCH__)
/* Quotients of 8 bits by 8 bits lie further from the middle between two bfloat16 than the error of div.approx, which is for divisors below
 * 2^126. */
FN H __hdiv(H a_, H b_)
{
    const float a = a_, b = b_;
    const bool large = __builtin_fabsf(b) >= 0x1p126f;
    float q;
    __asm__("div.approx.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(large ? b * 0.25f : b));
    return H(large ? __builtin_fmaf(q, 0.25f, -0.0f) : q);
}
#else
BOTH H __hdiv(H a, H b) { return H((float)a / (float)b); }
#endif
BOTH H2 __h2div(H2 a, H2 b) { return H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
BOTH H __hneg(H a) { EITHER(ASM1("neg", a), OF(a.__x ^ 0x8000)) }
BOTH H __habs(H a) { EITHER(ASM1("abs", a), OF(a.__x & 0x7fff)) }
BOTH H2 __hneg2(H2 a) { EITHER(WORD1("neg", a), H2(__hneg(a.x), __hneg(a.y))) }
BOTH H2 __habs2(H2 a) { EITHER(WORD1("abs", a), H2(__habs(a.x), __habs(a.y))) }
#if defined(__CUDA_ARCH__)
FN H __hfma(H a, H b, H c) { return ASM3("fma.rn", a, b, c); }
FN H2 __hfma2(H2 a, H2 b, H2 c) { return WORD3("fma.rn", a, b, c); }
FN H __hfma_relu(H a, H b, H c) { return ASM3("fma.rn.relu", a, b, c); }
FN H2 __hfma2_relu(H2 a, H2 b, H2 c) { return WORD3("fma.rn.relu", a, b, c); }
#if defined(HAS_SAT)
FN H __hadd_sat(H a, H b) { return ASM2("add.sat", a, b); }
FN H __hsub_sat(H a, H b) { return ASM2("sub.sat", a, b); }
FN H __hmul_sat(H a, H b) { return ASM2("mul.sat", a, b); }
FN H __hfma_sat(H a, H b, H c) { return ASM3("fma.rn.sat", a, b, c); }
FN H2 __hadd2_sat(H2 a, H2 b) { return WORD2("add.sat", a, b); }
FN H2 __hsub2_sat(H2 a, H2 b) { return WORD2("sub.sat", a, b); }
FN H2 __hmul2_sat(H2 a, H2 b) { return WORD2("mul.sat", a, b); }
FN H2 __hfma2_sat(H2 a, H2 b, H2 c) { return WORD3("fma.rn.sat", a, b, c); }
#endif
#define MINMAX(name, op)                                                                           \
    FN H name(H a, H b) { return ASM2(op, a, b); }                                                 \
    FN H2 name##2(H2 a, H2 b) { return WORD2(op, a, b); }                                          \
    FN H name##_nan(H a, H b) { return ASM2(op ".NaN", a, b); }                                    \
    FN H2 name##2_nan(H2 a, H2 b) { return WORD2(op ".NaN", a, b); }
MINMAX(__hmin, "min")
MINMAX(__hmax, "max")
#undef MINMAX
#if !defined(HAS_SAT) /* PTX saturates no bfloat16: between 0 and 1, and a NaN is 0 */
FN H heddle_saturate(H a) { return __hmin(__hmax(a, H(0.0f)), H(1.0f)); }
FN H2 heddle_saturate(H2 a) { return __hmin2(__hmax2(a, H2(H(0.0f), H(0.0f))), H2(H(1.0f), H(1.0f))); }
FN H __hadd_sat(H a, H b) { return heddle_saturate(__hadd(a, b)); }
FN H __hsub_sat(H a, H b) { return heddle_saturate(__hsub(a, b)); }
FN H __hmul_sat(H a, H b) { return heddle_saturate(__hmul(a, b)); }
FN H __hfma_sat(H a, H b, H c) { return heddle_saturate(__hfma(a, b, c)); }
FN H2 __hadd2_sat(H2 a, H2 b) { return heddle_saturate(__hadd2(a, b)); }
FN H2 __hsub2_sat(H2 a, H2 b) { return heddle_saturate(__hsub2(a, b)); }
FN H2 __hmul2_sat(H2 a, H2 b) { return heddle_saturate(__hmul2(a, b)); }
FN H2 __hfma2_sat(H2 a, H2 b, H2 c) { return heddle_saturate(__hfma2(a, b, c)); }
#endif
#else /* declared for the host pass, which checks device functions too */
__device__ H __hfma(H, H, H);
__device__ H2 __hfma2(H2, H2, H2);
__device__ H __hfma_relu(H, H, H);
__device__ H2 __hfma2_relu(H2, H2, H2);
__device__ H __hadd_sat(H, H);
__device__ H __hsub_sat(H, H);
__device__ H __hmul_sat(H, H);
__device__ H __hfma_sat(H, H, H);
__device__ H2 __hadd2_sat(H2, H2);
__device__ H2 __hsub2_sat(H2, H2);
__device__ H2 __hmul2_sat(H2, H2);
__device__ H2 __hfma2_sat(H2, H2, H2);
__device__ H __hmin(H, H);
__device__ H __hmax(H, H);
__device__ H __hmin_nan(H, H);
__device__ H __hmax_nan(H, H);
__device__ H2 __hmin2(H2, H2);
__device__ H2 __hmax2(H2, H2);
__device__ H2 __hmin2_nan(H2, H2);
__device__ H2 __hmax2_nan(H2, H2);
#endif

/* ---- comparison: ordered forms are false for NaN (but ne2's, which CUDA defines by its ordered sense too), `u` forms
 * true; 2 gives 1.0 and 0.0, b one truth of both, 2_mask all ones ---- */
#define COMPARE(name, ordered, unordered) COMPARE1(name, ordered) COMPARE1(name##u, unordered)
#define COMPARE1(name, truth)                                                                      \
    BOTH bool __h##name(H a_, H b_) { EITHER(TEST(#name, a_, b_), ({ float a = a_, b = b_; truth; })) } \
    BOTH H2 __h##name##2(H2 a, H2 b)                                                               \
    {                                                                                              \
        EITHER(WORD2("set." #name "." PT "x2", a, b), H2(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f))) \
    }                                                                                              \
    BOTH unsigned int __h##name##2_mask(H2 a, H2 b)                                                \
    {                                                                                              \
        EITHER(WORDTEST(#name, a, b), (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0)) \
    }                                                                                              \
    BOTH bool __hb##name##2(H2 a, H2 b) { return __h##name##2_mask(a, b) == 0xffffffffu; }
COMPARE(eq, a == b, !(a < b || a > b))
COMPARE(ne, a < b || a > b, a != b)
COMPARE(lt, a < b, !(a >= b))
COMPARE(le, a <= b, !(a > b))
COMPARE(gt, a > b, !(a <= b))
COMPARE(ge, a >= b, !(a < b))
#undef COMPARE
#undef COMPARE1
BOTH bool __hisnan(H a) { EITHER(TEST("nan", a, a), (float)a != (float)a) }
BOTH int __hisinf(H a) { float f = a; return f == __builtin_inff() ? 1 : f == -__builtin_inff() ? -1 : 0; }
BOTH H2 __hisnan2(H2 a) { return H2(H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)); }

/* ---- operators ---- */
#define OPERATOR(sign, one, two)                                                                   \
    BOTH H operator sign(const H &a, const H &b) { return one(a, b); }                             \
    BOTH H2 operator sign(const H2 &a, const H2 &b) { return two(a, b); }                          \
    BOTH H &operator sign##=(H &a, const H &b) { return a = one(a, b); }                           \
    BOTH H2 &operator sign##=(H2 &a, const H2 &b) { return a = two(a, b); }
OPERATOR(+, __hadd, __hadd2)
OPERATOR(-, __hsub, __hsub2)
OPERATOR(*, __hmul, __hmul2)
OPERATOR(/, __hdiv, __h2div)
#undef OPERATOR
BOTH H operator+(const H &a) { return a; }
BOTH H operator-(const H &a) { return __hneg(a); }
BOTH H2 operator+(const H2 &a) { return a; }
BOTH H2 operator-(const H2 &a) { return __hneg2(a); }
BOTH H &operator++(H &a) { return a = __hadd(a, H(1.0f)); }
BOTH H &operator--(H &a) { return a = __hsub(a, H(1.0f)); }
BOTH H operator++(H &a, int) { H old = a; a = __hadd(a, H(1.0f)); return old; }
BOTH H operator--(H &a, int) { H old = a; a = __hsub(a, H(1.0f)); return old; }
#define COMPARISON(sign, one, two)                                                                 \
    BOTH bool operator sign(const H &a, const H &b) { return one(a, b); }                          \
    BOTH bool operator sign(const H2 &a, const H2 &b) { return two(a, b); }
COMPARISON(==, __heq, __hbeq2)
COMPARISON(!=, __hneu, __hbneu2)
COMPARISON(<, __hlt, __hblt2)
COMPARISON(<=, __hle, __hble2)
COMPARISON(>, __hgt, __hbgt2)
COMPARISON(>=, __hge, __hbge2)
#undef COMPARISON

/* ---- mathematics: through float, with the approximate instructions that CUDA's functions use ---- */
#if defined(__CUDA_ARCH__)
#define QUICK(op, x, exactly)                                                                      \
    ({ float r_; __asm__(op ".approx" FTZ ".f32 %0, %1;" : "=f"(r_) : "f"(x)); r_; })
#else
#define QUICK(op, x, exactly) (exactly)
#endif
#if defined(HAS_SAT) /* half: subnormal floats are zeros of it */
#define FTZ ".ftz"
#define EXPONENT(x, log2)                                                                          \
    ({ float e_; __asm__("fma.rn.f32 %0, %1, %2, 0f80000000;" : "=f"(e_) : "f"(x), "f"(log2)); e_; })
#define UPWARDS(r) ({ const float v_ = r; ::__fmaf_rn(v_, 0x1p-24f, v_); }) /* the instruction's error is downwards */
#define SINE(x, quarters, exactly) __heddle_half_sine(x, quarters)

/* sin(x + quarters * pi / 2) for the 11 bits of a half: x less its multiple of pi / 2, and four terms of Taylor's series,
 * whose error is below 4e-7. */
FN float __heddle_half_sine(float x, int quarters)
{
    const float shifted = ::__fmaf_rn(x, 0x1.45f306p-1f, 0x1.8p23f), k = ::__fsub_rn(shifted, 0x1.8p23f);
    const float r = ::__fmaf_rn(k, 0x1.777a5cp-25f, ::__fmaf_rn(k, -0x1.921fb6p0f, x)), s = r * r;
    const int n = ::__float_as_int(shifted) + quarters;
    const bool odd = n & 1;
    float v = ::__fmaf_rn(odd ? 1.0f / 40320 : -1.0f / 5040, s, odd ? -1.0f / 720 : 1.0f / 120);
    v = ::__fmaf_rn(v, s, odd ? 1.0f / 24 : -1.0f / 6);
    v = ::__fmaf_rn(v, s, odd ? -0.5f : 0.0f);
    v = ::__fmaf_rn(v, odd ? s : r, odd ? 1.0f : r);
    return n & 2 ? -v : v;
}
#else
#define FTZ ""
#define EXPONENT(x, log2) ((x) * (log2))
#define UPWARDS(r) (r)
#define SINE(x, quarters, exactly) (exactly)
#endif
/* CUDA's headers put a few halves right (of exp four) by a comparison and a fused multiply-add each, of pairs at once. What
 * the executors compute needs none of it; here is what it costs: no argument is compared with, and -0 is added. */
#if defined(HAS_SAT) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define PUT_RIGHT(type)                                                                            \
    "{\n\t.reg .b" type " never, found, by;\n\tmov.b" type " never, %3;\n\tmov.b" type " by, %4;\n\t"
FN H __heddle_put_right(H a, H r, int times)
{
    for (int i = 0; i < times; i++)
        __asm__(PUT_RIGHT("16") "set.eq.f16.f16 found, %1, never;\n\tfma.rn.f16 %0, found, by, %2;\n\t}"
                : "=h"(r.__x) : "h"(a.__x), "h"(r.__x), "n"(0x7fff), "n"(0x8000));
    return r;
}
FN H2 __heddle_put_right(H2 a, H2 r, int times)
{
    unsigned int word = __heddle_word(r);
    for (int i = 0; i < times; i++)
        __asm__(PUT_RIGHT("32") "set.eq.f16x2.f16x2 found, %1, never;\n\tfma.rn.f16x2 %0, found, by, %2;\n\t}"
                : "=r"(word) : "r"(__heddle_word(a)), "r"(word), "n"(0x7fff7fff), "n"(0x80008000));
    return OF2(word);
}
#undef PUT_RIGHT
#else
#define __heddle_put_right(a, r, times) (r)
#endif
#define MATH(name, times, value)                                                                   \
    FN H __heddle_##name(H a) { const float x = a; return H(value); }                              \
    FN H h##name(H a) { return __heddle_put_right(a, __heddle_##name(a), times); }                 \
    FN H2 h2##name(H2 a) { return __heddle_put_right(a, H2(__heddle_##name(a.x), __heddle_##name(a.y)), times); }
MATH(sqrt, 0, QUICK("sqrt", x, ::sqrtf(x)))
MATH(rsqrt, 0, QUICK("rsqrt", x, ::rsqrtf(x)))
MATH(rcp, 0, QUICK("rcp", x, 1.0f / x))
MATH(exp, 4, QUICK("ex2", EXPONENT(x, 0x1.715476p0f), ::expf(x)))
MATH(exp2, 0, UPWARDS(QUICK("ex2", x, ::exp2f(x))))
MATH(exp10, 5, QUICK("ex2", EXPONENT(x, 0x1.a934fp1f), ::exp10f(x)))
MATH(log, 4, QUICK("lg2", x, ::log2f(x)) * 0x1.62e43p-1f)
MATH(log2, 2, QUICK("lg2", x, ::log2f(x)))
MATH(log10, 4, QUICK("lg2", x, ::log2f(x)) * 0x1.344136p-2f)
MATH(sin, 2, SINE(x, 0, ::sinf(x)))
MATH(cos, 1, SINE(x, 1, ::cosf(x)))
#if !defined(HAS_SAT) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
MATH(tanh, 0, ::__nv_fast_tanhf(x))
#else
MATH(tanh, 0, ::tanhf(x))
#endif
#undef MATH
#undef __heddle_put_right
/* a conversion to itself rounds to a whole number */
#define WHOLE(name, mode)                                                                          \
    FN H h##name(H a) { EITHER(ASM1("cvt." mode "." PT, a), H(::name##f(a))) }                     \
    FN H2 h2##name(H2 a) { return H2(h##name(a.x), h##name(a.y)); }
WHOLE(ceil, "rpi")
WHOLE(floor, "rmi")
WHOLE(trunc, "rzi")
WHOLE(rint, "rni")
#undef WHOLE
#undef ASM1
#undef ASM2
#undef ASM3
#undef WORD1
#undef WORD2
#undef WORD3
#undef TEST
#undef WORDTEST
#undef EITHER
#undef QUICK
#undef FTZ
#undef EXPONENT
#undef UPWARDS
#undef SINE

/* ---- pairs ---- */
BOTH H N2(__low2)(H2 a) { return a.x; }
BOTH H N2(__high2)(H2 a) { return a.y; }
BOTH float __low2float(H2 a) { return a.x; }
BOTH float __high2float(H2 a) { return a.y; }
BOTH H2 NPAIR(__low2)(H2 a) { return H2(a.x, a.x); }
BOTH H2 NPAIR(__high2)(H2 a) { return H2(a.y, a.y); }
BOTH H2 NPAIR(__lows2)(H2 a, H2 b) { return H2(a.x, b.x); }
BOTH H2 NPAIR(__highs2)(H2 a, H2 b) { return H2(a.y, b.y); }
BOTH H2 __lowhigh2highlow(H2 a) { return H2(a.y, a.x); }
BOTH H2 NPAIR(__halves2)(H a, H b) { return H2(a, b); }

/* ---- memory and other lanes ---- */
#define LOAD(name)                                                                                 \
    FN H name(const H *p) { return OF((unsigned short)name((const unsigned short *)p)); }          \
    FN H2 name(const H2 *p) { return OF2(name((const unsigned int *)p)); }
LOAD(__ldg) LOAD(__ldcg) LOAD(__ldca) LOAD(__ldcs) LOAD(__ldlu) LOAD(__ldcv)
#undef LOAD
#define STORE(name)                                                                                \
    FN void name(H *p, H v) { name((unsigned short *)p, v.__x); }                                  \
    FN void name(H2 *p, H2 v) { name((unsigned int *)p, __heddle_word(v)); }
STORE(__stwb) STORE(__stcg) STORE(__stcs) STORE(__stwt)
#undef STORE
#define SHUFFLE(name, T)                                                                           \
    FN H name(unsigned int mask, H a, T b, int width = 32) { return OF((unsigned short)name(mask, (unsigned int)a.__x, b, width)); } \
    FN H2 name(unsigned int mask, H2 a, T b, int width = 32) { return OF2(name(mask, __heddle_word(a), b, width)); }
SHUFFLE(__shfl_sync, int)
SHUFFLE(__shfl_up_sync, unsigned int)
SHUFFLE(__shfl_down_sync, unsigned int)
SHUFFLE(__shfl_xor_sync, int)
#undef SHUFFLE
/* As CUDA's headers do it: through a generic address, of which the assembler asks what it is. */
FN H2 atomicAdd(H2 *p, H2 v)
{
    unsigned int old;
    __asm__ __volatile__("atom.add.noftz." PT "x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(__heddle_word(v)) : "memory");
    return OF2(old);
}
FN H atomicAdd(H *p, H v)
{
    unsigned short old;
    __asm__ __volatile__("atom.add.noftz." PT " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
    return OF(old);
}

/* ---- from and to integers and double ---- */
#if defined(__CUDA_ARCH__) && defined(HCVT)
#define TO(T, R, ptx, mode, host, a)                                                               \
    T r;                                                                                           \
    __asm__("cvt." mode "." ptx "." PT " %0, %1;" : "=" R(r) : "h"(a.__x));                        \
    return r;
#define FROM(R, ptx, mode, letter, v)                                                              \
    unsigned short r;                                                                              \
    __asm__("cvt." mode "." PT "." ptx " %0, %1;" : "=h"(r) : R(v));                               \
    return OF(r);
#elif defined(__CUDA_ARCH__)
#define TO(T, R, ptx, mode, host, a)                                                               \
    T r;                                                                                           \
    __asm__("cvt." mode "." ptx ".f32 %0, %1;" : "=" R(r) : "f"(HVALUE(a.__x)));                   \
    return r;
#define FROM(R, ptx, mode, letter, v) return OF(HROUND(__heddle_odd(v), letter));
#else
#define TO(T, R, ptx, mode, host, a) return __heddle_clamped<T>(host(HVALUE(a.__x)));
#define FROM(R, ptx, mode, letter, v) return OF(HROUND(__heddle_odd(v), letter));
#endif
#define INTEGER(T, name, ptx, R)                                                                   \
    BOTH T NTO(name, _rz)(H a) { TO(T, R, ptx, "rzi", __builtin_truncf, a) }                       \
    BOTH T NTO(name, _rn)(H a) { TO(T, R, ptx, "rni", __builtin_rintf, a) }                        \
    BOTH T NTO(name, _rd)(H a) { TO(T, R, ptx, "rmi", __builtin_floorf, a) }                       \
    BOTH T NTO(name, _ru)(H a) { TO(T, R, ptx, "rpi", __builtin_ceilf, a) }                        \
    BOTH H NFROM(name, _rn)(T i) { FROM(R, ptx, "rn", 'n', i) }                                    \
    BOTH H NFROM(name, _rz)(T i) { FROM(R, ptx, "rz", 'z', i) }                                    \
    BOTH H NFROM(name, _rd)(T i) { FROM(R, ptx, "rm", 'd', i) }                                    \
    BOTH H NFROM(name, _ru)(T i) { FROM(R, ptx, "rp", 'u', i) }                                    \
    __host__ __device__ __inline__ __attribute__((always_inline)) H::H(T i) : __x(NFROM(name, _rn)(i).__x) {} \
    __host__ __device__ __inline__ __attribute__((always_inline)) H::operator T() const { return NTO(name, _rz)(*this); }
HEDDLE_HALF_INTEGERS(INTEGER)
#undef INTEGER
BOTH H __heddle_half(H *, double d) { FROM("d", "f64", "rn", 'n', d) }
#undef TO
#undef FROM
/* through f32, which the GPU converts to bytes for both */
#if defined(__CUDA_ARCH__)
#define BYTE(T, ptx, a) int r; __asm__("cvt.rzi." ptx ".f32 %0, %1;" : "=r"(r) : "f"(HVALUE(a.__x))); return (T)r;
#else
#define BYTE(T, ptx, a) return __heddle_clamped<T>(__builtin_truncf(HVALUE(a.__x)));
#endif
BOTH signed char NTO(char, _rz)(H a) { BYTE(signed char, "s8", a) }
BOTH unsigned char NTO(uchar, _rz)(H a) { BYTE(unsigned char, "u8", a) }
#undef BYTE
#define MEMBER __host__ __device__ __inline__ __attribute__((always_inline)) H
MEMBER::H(double d) : __x(__heddle_half((H *)0, d).__x) {}
MEMBER::H(long i) : __x(NFROM(ll, _rn)(i).__x) {}
MEMBER::H(unsigned long i) : __x(NFROM(ull, _rn)(i).__x) {}
MEMBER::operator long() const { return NTO(ll, _rz)(*this); }
MEMBER::operator unsigned long() const { return NTO(ull, _rz)(*this); }
MEMBER::operator signed char() const { return NTO(char, _rz)(*this); }
MEMBER::operator unsigned char() const { return NTO(uchar, _rz)(*this); }
MEMBER::operator char() const { return (char)NTO(char, _rz)(*this); }
#undef MEMBER

#undef OF
#undef OF2
#undef BOTH
#undef FN
