/* exp and log of single precision in a few fused multiply-adds: one text, of which both the interpreter's vectors (lanes_math.h) and
 * machine code (jit/llvm/math_forms.c) are made. So their bits are the same.
 *
 * In: V, what stands for a float or a vector of floats, and macros: FORM(name), the head of a function of x; K(c), a constant; FMA, ADD,
 * SUB, MUL; LEAST(c, x) and MOST(c, x), which are x if x is NaN; SCALED(x, n), x * 2^n rounded once, for integral n from -254 to 252;
 * SPLIT(x, k), of positive x the number m from 0.75 to 1.5 and k so that x = m * 2^k; LOG_EDGES(y, x), y but for an x of which SPLIT
 * makes nothing: -infinity of zeros, infinity of itself, NaN of the rest. Out: name_form. NaN may be any.
 *
 * Polynomials are minimax ones, rounded coefficient by coefficient; errors in units of the last place were found by trying a fourth
 * of all floats against double. */

/* x = n * ln 2 + r with |r| < 0.347, where the polynomial errs by 2^-28.2 of the result. In all 0.90. */
FORM(exp)
{
    x = MOST(K(-110), LEAST(K(100), x));
    V n = SUB(FMA(x, K(0x1.715476p+0f), K(0x1.8p+23f)), K(0x1.8p+23f));
    V r = FMA(n, K(-0x1.7f7d1cp-20f), FMA(n, K(-0x1.62e4p-1f), x));
    V p = FMA(K(0x1.6ac782p-10f), r, K(0x1.123de2p-7f));
    p = FMA(p, r, K(0x1.555858p-5f));
    p = FMA(p, r, K(0x1.55548cp-3f));
    p = FMA(p, r, K(0x1.fffffcp-2f));
    p = FMA(p, r, K(1));
    return SCALED(FMA(p, r, K(1)), n);
}

/* x = 2^k * (1 + f): k * ln 2 + f without an error, in `high` and `low`, and f^2 times a polynomial, which errs by 2^-27.9 of
 * log(1 + f). In all 0.94. */
FORM(log)
{
    V k, f = SUB(SPLIT(x, &k), K(1));
    V p = FMA(K(0x1.288162p-7f), f, K(-0x1.cea1cep-5f));
    p = FMA(p, f, K(0x1.ba5858p-4f));
    p = FMA(p, f, K(-0x1.0ba722p-3f));
    p = FMA(p, f, K(0x1.277bfcp-3f));
    p = FMA(p, f, K(-0x1.54f2c4p-3f));
    p = FMA(p, f, K(0x1.99743cp-3f));
    p = FMA(p, f, K(-0x1.000062p-2f));
    p = FMA(p, f, K(0x1.555594p-2f));
    p = FMA(p, f, K(-0.5f));
    V high = FMA(k, K(0x1.62e4p-1f), f), low = SUB(f, FMA(k, K(-0x1.62e4p-1f), high)); /* 16 bits of ln 2: k times it is exact */
    V rest = FMA(k, K(0x1.7f7d1cp-20f), MUL(MUL(f, f), p));
    return LOG_EDGES(ADD(high, ADD(low, rest)), x);
}
