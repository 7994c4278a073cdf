#!/usr/bin/env python3
"""What a real GPU answers for every lane function: makes tests/truth/lanes_h200.tsv.

    lanes_truth.py generate DIR   writes DIR/lanes.ptx, DIR/math.cu, DIR/cases.json; leaves out what ptxas refuses
    lanes_truth.py run DIR OUT    on a machine with a GPU and CuPy: runs them, writes OUT

Each case is one PTX instruction (a kernel of its own) over a set of inputs, one per lane. Lines of OUT, tab-separated:
    # ...                                                     header: device, date, command
    in    SET  OPERAND  values                                hexadecimal bits
    case  PTX  OP  TYPE  TYPE2  MODS  SET  DBITS  ABITS  results
    math  NAME  ARGS  RESULT  BOUND  SET  results             functions of CUDA's math library; bound in units
Values are separated by blanks; `v*n` is n times v. DBITS 1 is a predicate. MODS are words like round=RZ, ftz, cmp=LT.
A case with carry has CC results too, after a `|`.
"""
import json
import os
import random
import struct
import subprocess
import sys

LANES = {1: 64, 2: 160, 3: 160}


# ---- input sets ----
def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def edges_int(bits):
    top = 1 << (bits - 1)
    full = (1 << bits) - 1
    return [0, 1, full, top, top - 1, 2, full - 1, 3, top + 1, 0x55, (1 << (bits // 2)) - 1, 7,
            0x80, 0x7f, 0xff, 1 << (bits // 2), full // 3, 100, full - 6, 0x8000, 0x7fff, 10]


F32_EDGES = [0, 0x80000000, 0x3f800000, 0x7f800000, 0x7fc00000, 0x00000001, 0x3f800001, 0x00800000, 0xff800000,
             0xbf800000, 0x7f7fffff, 0x33800000, 0x3f000000, 0x7f800001, 0xffc00000, 0x807fffff, 0x3fc00000,
             0x40200000, 0xbf000000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
             0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x00400000, 0x80800000, 0x42fe0000, 0x43000000,
             0x437f8000, 0x477fef00, 0x477ff000, 0x38800000, 0x387fe000, 0x33000000, 0x33000001, 0x33c00000,
             0x3f801000, 0x3f803000, 0x3eaaaaab, 0x40490fdb, 0xc2c80000, 0x42b17218, 0x4b800000, 0x3f7fffff]
F64_EDGES = [0, 1 << 63, f64(1.0), 0x7ff0000000000000, 0x7ff8000000000000, 1, f64(1.0) + 1, 0x0010000000000000,
             0xfff0000000000000, f64(-1.0), 0x7fefffffffffffff, f64(2.0**-53), f64(0.5), 0x7ff0000000000001,
             0xfff8000000000123, 0x800fffffffffffff, f64(1.5), f64(2.5), f64(-0.5), f64(2147483647.5),
             f64(2147483648.0), f64(-2147483648.5), f64(4294967295.5), f64(2.0**63), f64(-2.0**63), f64(2.0**64),
             f64(1 + 2.0**-24), f64(1 + 2.0**-24 + 2.0**-50), f64(3.4028235677973366e38), f64(2.0**-149),
             f64(2.0**-150), f64(2.0**-126 - 2.0**-151), f64(65504.0), f64(65520.0), f64(65519.999), f64(2.0**-24),
             f64(2.0**-25), f64(2.0**-25 + 2.0**-60), f64(255.5), f64(127.5), f64(-128.5), f64(1 / 3), f64(9e15 + 1)]
F16_EDGES = [0, 0x8000, 0x3c00, 0x7c00, 0x7e00, 1, 0x3c01, 0x0400, 0xfc00, 0xbc00, 0x7bff, 0x3800, 0x7c01, 0xfe01,
             0x03ff, 0x3e00, 0x4100, 0xb800, 0x83ff, 0x5bf8, 0x5800, 0x57f8, 0x7800, 0xf800, 0x3555]
BF16_EDGES = [0, 0x8000, 0x3f80, 0x7f80, 0x7fc0, 1, 0x3f81, 0x0080, 0xff80, 0xbf80, 0x7f7f, 0x3f00, 0x7f81, 0xffc1,
              0x007f, 0x3fc0, 0x4020, 0xbf00, 0x4f00, 0xcf00, 0x5f00, 0x42ff]
# Operands whose products, sums, quotients lie just below 2^-126 and may round up to it; f64 values that do when narrowed.
TINY_EDGES = [0x20000001, 0x1ffffffe, 0x20000000, 0x1fffffff, 0xa0000001, 0x9ffffffe, 0x00800000, 0x80800000,
              0x3f7fffff, 0x3f800001, 0x7e7fffff, 0x7e800000, 0x3f800000, 0x3effffff, 0x00800001, 0x00ffffff,
              0x10000000, 0x90000000, 0x01000000, 0x0e800000, 0x7e800001, 0x7e7ffffe, 0x7e800002, 0x5f7fffff]
TINY64_EDGES = [f64(s * 2.0**-126 * (1 - e)) for s in (1, -1)
                for e in (2.0**-23, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 2.0**-26, 2.0**-40, 2.0**-52, 0, -2.0**-24)]
HALF_PAIR = [0x3c004200, 0x80000001, 0x7c00fc00, 0x7e003800, 0x040083ff, 0x7bff7bff, 0x3c013c00, 0xbc0003ff,
             0x7c017e01, 0x00008000, 0x57f83555, 0xf8007800]
BF16_PAIR = [0x3f804040, 0x80000001, 0x7f80ff80, 0x7fc03f00, 0x0080807f, 0x7f7f7f7f, 0x3f813f80, 0xbf80007f,
             0x7f817fc1, 0x00008000, 0x42ff4020, 0xcf004f00]
SHIFTS = [0, 1, 31, 32, 15, 16, 63, 64, 255, 256, 0xffffffff, 7, 17, 33, 65, 127]
FIELDS = [0, 1, 31, 32, 8, 63, 64, 255, 256, 33, 24, 0x104, 16, 4]
MATH32 = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 2.0, 3.0, -2.5, 10.0, 0.1, -0.7, 1e-6, -1e-6, 1e-30, 100.0, -100.0,
          1e4, 0.99, -0.99, 1.01, 5.5, 20.0, -20.0, 1e10, 3.1415927, 1.5707964, float("inf"), float("-inf"),
          float("nan"), 1e-40]


def edges(kind):
    return {"I16": edges_int(16), "I32": edges_int(32), "I64": edges_int(64), "F32": F32_EDGES, "F64": F64_EDGES,
            "F16": F16_EDGES, "BF16": BF16_EDGES, "F16X2": HALF_PAIR, "BF16X2": BF16_PAIR, "TINY": TINY_EDGES,
            "T64": TINY64_EDGES, "SH": SHIFTS, "FIELD": FIELDS, "P": [0, 1]}[kind]


def value(kind, r):
    if kind in ("SH", "FIELD"):
        return r.randrange(0, 70)
    if kind == "P":
        return r.randrange(2)
    if kind == "TINY":
        return r.choice((0x20000000, 0xa0000000, 0x00800000, 0x80800000, 0x3f800000, 0x7e800000)) + r.randrange(-3, 4) \
            if r.random() < .8 else r.randrange(0x00800000, 0x40000000)
    if kind == "T64":
        return f64(r.choice((1, -1)) * 2.0**-126 * (1 - r.random() * 2.0**-r.randrange(22, 27)))
    if kind == "F32":
        return f32(r.uniform(-4, 4) * 2.0 ** r.randrange(-6, 30)) if r.random() < .7 else r.getrandbits(32)
    if kind == "F64":
        return f64(r.uniform(-4, 4) * 2.0 ** r.randrange(-6, 60)) if r.random() < .7 else r.getrandbits(64)
    bits = {"I16": 16, "I32": 32, "I64": 64, "F16": 16, "BF16": 16, "F16X2": 32, "BF16X2": 32}[kind]
    v = r.getrandbits(bits)
    return v >> r.randrange(bits) if kind[0] == "I" and r.random() < .5 else v


sets = {}


def input_set(*kinds):
    """name of the set of inputs for operands of these kinds"""
    name = ".".join(kinds)
    if name in sets:
        return name
    r = random.Random(name)
    n = LANES[min(len(kinds), 3)]
    rows = []
    if len(kinds) == 1:
        rows = [(v,) for v in edges(kinds[0])[:n]]
    elif len(kinds) == 2:
        rows = [(a, b) for a in edges(kinds[0])[:12] for b in edges(kinds[1])[:12]]
    else:
        rows = [t for t in ((a, b, c) for a in edges(kinds[0])[:8] for b in edges(kinds[1])[:8]
                            for c in edges(kinds[2])[:5])]
        r.shuffle(rows)
        rows = [x + tuple(value(k, r) for k in kinds[3:]) for x in rows[:100]]
    while len(rows) < n:
        rows.append(tuple(value(k, r) for k in kinds))
    sets[name] = [list(col) for col in zip(*rows[:n])]
    return name


# ---- cases ----
cases = []
INT = ["u16", "s16", "u32", "s32", "u64", "s64"]
INT8 = ["u8", "s8"] + INT
BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "b16": 16, "u32": 32, "s32": 32, "b32": 32, "u64": 64, "s64": 64,
        "b64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}


def kind(t):
    return t.upper() if "f" in t else "I%d" % max(BITS[t], 16)


def case(ptx, op, t, kinds, t2="", mods="", dbits=None, abits=None, carry="", pre=""):
    cases.append(dict(ptx=ptx, op=op, type=t.upper(), type2=t2.upper(), mods=mods, set=input_set(*kinds),
                      dbits=dbits or max(BITS[t], 16), abits=abits or 0, carry=carry, pre=pre))


def words(name, m):
    return name + "".join("." + w for w in m)


def integer_cases():
    for t in INT:
        k = kind(t)
        for op, w in [("ADD", "add"), ("SUB", "sub"), ("MUL_LO", "mul.lo"), ("MUL_HI", "mul.hi"), ("DIV", "div"),
                      ("REM", "rem"), ("MIN", "min"), ("MAX", "max")]:
            case(f"{w}.{t} d, a, b", op, t, [k, k])
        for op, w in [("MAD_LO", "mad.lo"), ("MAD_HI", "mad.hi"), ("SAD", "sad")]:
            case(f"{w}.{t} d, a, b, c", op, t, [k, k, k])
        if BITS[t] < 64:
            case(f"mul.wide.{t} d, a, b", "MUL_WIDE", t, [k, k], dbits=2 * BITS[t])
            case(f"mad.wide.{t} d, a, b, c", "MAD_WIDE", t, [k, k, "I%d" % (2 * BITS[t])], dbits=2 * BITS[t])
        if t[0] == "s":
            case(f"abs.{t} d, a", "ABS", t, [k])
            case(f"neg.{t} d, a", "NEG", t, [k])
        case(f"shr.{t} d, a, b", "SHR", t, [k, "SH"])
        if BITS[t] < 32:
            continue
        case(f"bfind.{t} d, a", "BFIND", t, [k], dbits=32)
        case(f"bfind.shiftamt.{t} d, a", "BFIND", t, [k], mods="shiftamt", dbits=32)
        case(f"bfe.{t} d, a, b, c", "BFE", t, [k, "FIELD", "FIELD"])
        for op, w, n in [("ADD", "add.cc", 2), ("SUB", "sub.cc", 2), ("MAD_LO", "mad.lo.cc", 3),
                         ("MAD_HI", "mad.hi.cc", 3)]:
            case(f"{w}.{t} d, " + "a, b, c"[:3 * n - 2], op, t, [k] * n, mods="cc",
                 carry="borrow" if op == "SUB" else "carry")
        for op, w, n in [("ADDC", "addc.cc", 2), ("SUBC", "subc.cc", 2), ("MADC_LO", "madc.lo.cc", 3),
                         ("MADC_HI", "madc.hi.cc", 3)]:
            # the carry comes in from the parity of the lane
            case(f"{w}.{t} d, " + "a, b, c"[:3 * n - 2], op, t, [k] * n, mods="cc carryin",
                 carry="borrow" if op == "SUBC" else "carry")
    for op, w in [("ADD", "add"), ("SUB", "sub")]:
        case(f"{w}.sat.s32 d, a, b", op, "s32", ["I32", "I32"], mods="sat")
    case("mad.hi.sat.s32 d, a, b, c", "MAD_HI", "s32", ["I32"] * 3, mods="sat")
    for t in ("u32", "s32"):
        case(f"mul24.lo.{t} d, a, b", "MUL24_LO", t, ["I32", "I32"])
        case(f"mul24.hi.{t} d, a, b", "MUL24_HI", t, ["I32", "I32"])
        for t2 in ("u32", "s32"):
            case(f"dp4a.{t}.{t2} d, a, b, c", "DP4A", t, ["I32"] * 3, t2=t2)
            for half in ("lo", "hi"):
                case(f"dp2a.{half}.{t}.{t2} d, a, b, c", "DP2A", t, ["I32"] * 3, t2=t2, mods=f"sel={half.upper()}")
    for t in ("b32", "b64"):
        k = kind(t)
        case(f"popc.{t} d, a", "POPC", t, [k], dbits=32)
        case(f"clz.{t} d, a", "CLZ", t, [k], dbits=32)
        case(f"brev.{t} d, a", "BREV", t, [k])
        case(f"bfi.{t} d, a, b, c, e", "BFI", t, [k, k, "FIELD", "FIELD"])
    for t in ("b16", "b32", "b64"):
        k = kind(t)
        for w in ("and", "or", "xor"):
            case(f"{w}.{t} d, a, b", w.upper(), t, [k, k])
        case(f"not.{t} d, a", "NOT", t, [k])
        case(f"cnot.{t} d, a", "CNOT", t, [k])
        case(f"shl.{t} d, a, b", "SHL", t, [k, "SH"])
        case(f"shr.{t} d, a, b", "SHR", t, [k, "SH"])
        case(f"selp.{t} d, a, b, pc", "SELP", t, [k, k, "P"])
        case(f"selp.{t} d, a, b, !pc", "SELP", t, [k, k, "P"], mods="negated")
        for t2 in ("s32", "f32"):
            case(f"slct.{t}.{t2} d, a, b, c", "SLCT", t, [k, k, kind(t2)], t2=t2)
        case(f"slct.ftz.{t}.f32 d, a, b, c", "SLCT", t, [k, k, "F32"], t2="f32", mods="ftz")
        case(f"mov.{t} d, a", "MOV", t, [k])
    for lut in (0x00, 0x01, 0x96, 0xe8, 0xca, 0xfe, 0x80, 0xd8, 0x6a, 0x1e, 0x35, 0xb1):
        case(f"lop3.b32 d, a, b, c, {lut}", "LOP3", "b32", ["I32"] * 3, mods=f"lut={lut}")
    for d in "lr":
        for m in ("clamp", "wrap"):
            case(f"shf.{d}.{m}.b32 d, a, b, c", f"SHF_{d.upper()}", "b32", ["I32", "I32", "SH"],
                 mods=f"variant=SHF_{m.upper()}")
    case("prmt.b32 d, a, b, c", "PRMT", "b32", ["I32"] * 3)
    for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        case(f"prmt.b32.{m} d, a, b, c", "PRMT", "b32", ["I32"] * 3, mods=f"variant=PRMT_{m.upper()}")


def mod_text(m):
    out = []
    for w in m:
        if w in ("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"):
            out.append("round=" + w.upper())
        elif w == "NaN":
            out.append("nan")
        elif w == "xorsign.abs":
            out.append("xorsign_abs")
        elif w:
            out.append(w)
    return " ".join(out)


def float_cases():
    arith = [["rn"], ["rn", "ftz"], ["rn", "sat"], ["rn", "ftz", "sat"], ["rz"], ["rm"], ["rp"], ["rz", "ftz"],
             ["rm", "ftz"], ["rp", "ftz"], ["rz", "sat"], ["rp", "ftz", "sat"]]
    divide = [["rn"], ["rz"], ["rm"], ["rp"], ["rn", "ftz"], ["rz", "ftz"], ["rm", "ftz"], ["rp", "ftz"]]
    double = [["rn"], ["rz"], ["rm"], ["rp"]]
    approx = [["approx"], ["approx", "ftz"]]
    table = [("FADD", "add", 2, arith, double), ("FSUB", "sub", 2, arith, double), ("FMUL", "mul", 2, arith, double),
             ("FMA", "fma", 3, arith, double), ("FMAD", "mad", 3, [["rn"], ["rn", "ftz"]], double),
             ("FDIV", "div", 2, divide + approx + [["full"], ["full", "ftz"]], double),
             ("RCP", "rcp", 1, divide + approx, double + [["approx", "ftz"]]),
             ("SQRT", "sqrt", 1, divide + approx, double), ("RSQRT", "rsqrt", 1, approx, [["approx"]]),
             ("SIN", "sin", 1, approx, []), ("COS", "cos", 1, approx, []), ("LG2", "lg2", 1, approx, []),
             ("EX2", "ex2", 1, approx, []), ("TANH", "tanh", 1, [["approx"]], []),
             ("FABS", "abs", 1, [[], ["ftz"]], [[]]), ("FNEG", "neg", 1, [[], ["ftz"]], [[]]),
             ("FMIN", "min", 2, [[], ["ftz"], ["NaN"], ["ftz", "NaN"], ["xorsign.abs"], ["NaN", "xorsign.abs"]], [[]]),
             ("FMAX", "max", 2, [[], ["ftz"], ["NaN"], ["ftz", "NaN"], ["xorsign.abs"], ["NaN", "xorsign.abs"]], [[]]),
             ("COPYSIGN", "copysign", 2, [[]], [[]])]
    for op, w, n, single, dbl in table:
        for t, forms in (("f32", single), ("f64", dbl)):
            for m in forms:
                case(words(w, m) + f".{t} d, " + "a, b, c"[:3 * n - 2], op, t, [kind(t)] * n, mods=mod_text(m))
    for t in ("f32", "f64"):
        for m in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            case(f"testp.{m}.{t} pd, a", "TESTP", t, [kind(t)], mods="variant=TESTP_" + m.upper(), dbits=1)


def compare_cases():
    six = ["eq", "ne", "lt", "le", "gt", "ge"]
    floats = six + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for t in INT + ["b16", "b32", "b64", "f32", "f64"]:
        for c in floats if t[0] == "f" else six[:2] if t[0] == "b" else six:
            case(f"setp.{c}.{t} pd, a, b", "SETP", t, [kind(t)] * 2, mods="cmp=" + c.upper(), dbits=1)
            if t == "f32":
                case(f"setp.{c}.ftz.{t} pd, a, b", "SETP", t, [kind(t)] * 2, mods="ftz cmp=" + c.upper(), dbits=1)
    for t in ("s32", "f32", "u64"):
        for b in ("and", "or", "xor"):
            for neg in ("", "!"):
                mods = f"cmp=LT boolop={b.upper()}" + (" negated" if neg else "")
                case(f"setp.lt.{b}.{t} pd|pq, a, b, {neg}pc", "SETP", t, [kind(t)] * 2 + ["P"], mods=mods, dbits=1)
                case(f"setp.lt.{b}.{t} pq|pd, a, b, {neg}pc", "SETP", t, [kind(t)] * 2 + ["P"],
                     mods=mods + " second", dbits=1)
    for d in ("u32", "s32", "f32"):
        for t in ("u16", "s32", "u64", "b32", "f32", "f64"):
            for c in ("eq", "geu", "nan") if t[0] == "f" else ("eq", "ne") if t[0] == "b" else ("lt", "ge"):
                case(f"set.{c}.{d}.{t} d, a, b", "SET", d, [kind(t)] * 2, t2=t, mods="cmp=" + c.upper())
        case(f"set.lt.ftz.{d}.f32 d, a, b", "SET", d, ["F32"] * 2, t2="f32", mods="ftz cmp=LT")
        case(f"set.gt.xor.{d}.s32 d, a, b, !pc", "SET", d, ["I32", "I32", "P"], t2="s32",
             mods="cmp=GT boolop=XOR negated")


def cvt_cases():
    def cvt(m, d, s, dreg=None, sreg=None):
        case(words("cvt", m) + f".{d}.{s} d, a", "CVT", d, ["I%d" % sreg if sreg and s[0] in "us" else kind(s)], t2=s,
             mods=mod_text(m), dbits=dreg or max(BITS[d], 16), abits=sreg or max(BITS[s], 16))

    whole = [["rni"], ["rzi"], ["rmi"], ["rpi"]]
    modes = [["rn"], ["rz"], ["rm"], ["rp"]]
    for d in INT8:
        for s in INT8:
            cvt([], d, s)
            cvt(["sat"], d, s)
            if BITS[s] < 32:
                cvt([], d, s, dreg=64, sreg=32)
            if BITS[d] < 32 and BITS[s] == 32:
                cvt(["sat"], d, s, dreg=32, sreg=64)
        for s in ("f32", "f64", "f16", "bf16"):
            for m in whole:
                cvt(m, d, s)
        for m in whole:
            cvt(m + ["ftz"], d, "f32")
        cvt(["rzi", "sat"], d, "f32")
        if BITS[d] < 32:
            cvt(["rni"], d, "f32", dreg=64)
        for f in ("f32", "f64", "f16", "bf16"):
            for m in modes:
                cvt(m, f, d)
        cvt(["rn", "sat"], "f32", d)
    for m in modes:
        cvt(m, "f32", "f64")
        cvt(m + ["ftz"], "f32", "f64")
        cvt(m, "f16", "f32")
        cvt(m, "f16", "f64")
        cvt(m, "bf16", "f32")
        cvt(m, "bf16", "f64")
        cvt(m, "bf16", "f16")
        cvt(m, "f16", "bf16")
    for m in whole:
        for f in ("f32", "f64", "f16", "bf16"):
            cvt(m, f, f)
        cvt(m + ["ftz"], "f32", "f32")
        cvt(m + ["sat"], "f32", "f32")
    for m in ([], ["ftz"], ["sat"], ["ftz", "sat"]):
        cvt(m, "f64", "f32")
        cvt(m, "f32", "f32")
        cvt(m, "f32", "f16")
        cvt(["rn"] + m, "f16", "f32")
        cvt(["rn"] + m, "f32", "f64")
    cvt(["sat"], "f64", "f64")
    cvt(["sat"], "f16", "f16")
    cvt([], "f64", "f16")
    cvt([], "f64", "bf16")
    cvt([], "f32", "bf16")
    for m in (["rn", "relu"], ["rz", "relu"], ["rn", "satfinite"], ["rn", "relu", "satfinite"]):
        cvt(m, "f16", "f32")
        cvt(m, "bf16", "f32")
    for d in ("f16x2", "bf16x2"):
        for m in (["rn"], ["rz"], ["rn", "relu"], ["rz", "relu"], ["rn", "satfinite"]):
            case(words("cvt", m) + f".{d}.f32 d, a, b", "CVT", d, ["F32", "F32"], t2="f32", mods=mod_text(m))


def half_cases():
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        def op(name, w, n, forms):
            for m in forms:
                case(words(w, m) + f".{t} d, " + "a, b, c"[:3 * n - 2], name, t, [kind(t)] * n, mods=mod_text(m))
        arith = [["rn"], ["rn", "ftz"], ["rn", "sat"], ["rn", "ftz", "sat"]]
        for name, w in (("FADD", "add"), ("FSUB", "sub"), ("FMUL", "mul")):
            op(name, w, 2, arith)
        op("FMA", "fma", 3, arith + [["rn", "relu"], ["rn", "ftz", "relu"]])
        op("FNEG", "neg", 1, [[], ["ftz"]])
        op("FABS", "abs", 1, [[], ["ftz"]])
        for name, w in (("FMIN", "min"), ("FMAX", "max")):
            op(name, w, 2, [[], ["ftz"], ["NaN"], ["ftz", "NaN"], ["xorsign.abs"], ["NaN", "xorsign.abs"],
                            ["ftz", "NaN", "xorsign.abs"]])
        op("EX2", "ex2", 1, [["approx"], ["approx", "ftz"]])
        op("TANH", "tanh", 1, [["approx"]])
    for t in ("f16", "bf16"):
        for c in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            case(f"setp.{c}.{t} pd, a, b", "SETP", t, [kind(t)] * 2, mods="cmp=" + c.upper(), dbits=1)
            if t == "f16":
                case(f"setp.{c}.ftz.{t} pd, a, b", "SETP", t, [kind(t)] * 2, mods="ftz cmp=" + c.upper(), dbits=1)
    for c in ("eq", "ltu", "ge", "nan"):
        for t in ("f16", "bf16"):
            for d in ("u32", "s32", "u16", "s16", t):
                case(f"set.{c}.{d}.{t} d, a, b", "SET", d, [kind(t)] * 2, t2=t, mods="cmp=" + c.upper())
        for t in ("f16x2", "bf16x2"):
            for d in ("u32", "s32", t):
                case(f"set.{c}.{d}.{t} d, a, b", "SET", d, [kind(t)] * 2, t2=t, mods="cmp=" + c.upper())


def tiny_cases():
    """.ftz where the exact result is below 2^-126 and the rounded one is not"""
    modes = [[r, "ftz"] for r in ("rn", "rz", "rm", "rp")]
    for op, w, n in (("FADD", "add", 2), ("FSUB", "sub", 2), ("FMUL", "mul", 2), ("FMA", "fma", 3), ("FDIV", "div", 2),
                     ("RCP", "rcp", 1)):
        for m in modes + ([[r, "ftz", "sat"] for r in ("rn", "rp")] if op not in ("FDIV", "RCP") else []):
            case(words(w, m) + ".f32 d, " + "a, b, c"[:3 * n - 2], op, "f32", ["TINY"] * n, mods=mod_text(m))
            if m[1:] == ["ftz"]:
                case(words(w, m[:1]) + ".f32 d, " + "a, b, c"[:3 * n - 2], op, "f32", ["TINY"] * n,
                     mods=mod_text(m[:1]))
    for m in modes:
        for form in (m, m[:1], m + ["sat"]):
            case(words("cvt", form) + ".f32.f64 d, a", "CVT", "f32", ["T64"], t2="f64", mods=mod_text(form))


# ---- kernels ----
REG = {16: "h", 32: "w", 64: "x"}


def kernel(i, c):
    """one case as a kernel: loads a b c e, runs the instruction, stores d, and the carry if there is one"""
    kinds = c["set"].split(".")
    body, names = [], {}
    for j, k in enumerate(kinds):
        name = "abce"[j]
        bits = {"I16": 16, "I32": 32, "I64": 64, "F16": 16, "BF16": 16, "F32": 32, "F64": 64, "T64": 64}.get(k, 32)
        reg = f"%{REG[bits]}{name}"
        body.append(f"mad.lo.u64 %rt, %idx, {bits // 8}, %r{name}; ld.global.b{bits} {reg}, [%rt];")
        names[name] = reg
        if k == "P":
            body.append(f"setp.ne.u32 %pc, {reg}, 0;")
    dbits = c["dbits"]
    names["d"] = f"%{REG.get(dbits, 'w')}d"
    if dbits != 1:
        body.append(f"mov.b{dbits} {names['d']}, 0;")
    op, _, args = c["ptx"].partition(" ")
    out = []
    for a in args.split(", "):
        parts = a.split("|")
        out.append("|".join({"pd": "%pd", "pq": "%pq", "pc": "%pc", "!pc": "!%pc"}.get(p, names.get(p, p)) for p in parts))
    t = "u64" if BITS.get(c["type"].lower()) == 64 else "u32"
    r = "x" if t == "u64" else "w"
    if "carryin" in c["mods"]:
        body.append(f"cvt.{t}.u64 %{r}t, %idx; and.b{t[1:]} %{r}t, %{r}t, 1;")
        body.append(f"sub.cc.{t} %{r}u, 0, %{r}t;" if c["carry"] == "borrow" else f"add.cc.{t} %{r}u, %{r}t, -1;")
    body.append(op + " " + ", ".join(out) + ";")
    if c["carry"]:
        body.append(f"subc.{t} %{r}t, 0, 0; and.b{t[1:]} %{r}t, %{r}t, 1;" if c["carry"] == "borrow"
                    else f"addc.{t} %{r}t, 0, 0;")
        body.append(f"cvt.u32.{t} %wt, %{r}t; mad.lo.u64 %rt, %idx, 4, %re; st.global.b32 [%rt], %wt;"
                    if t == "u64" else "mad.lo.u64 %rt, %idx, 4, %re; st.global.b32 [%rt], %wt;")
    if dbits == 1:
        body.append("selp.u32 %wd, 1, 0, %pd;")
    body.append(f"mad.lo.u64 %rt, %idx, {max(dbits, 16) // 8 if dbits > 1 else 4}, %rout; "
                f"st.global.b{dbits if dbits > 1 else 32} [%rt], {names['d']};")
    regs = " ".join(f".reg .b{b} %{REG[b]}{n};" for b in REG for n in "abcedtu")
    params = ", ".join(f".param .u64 q{n}" for n in ("a", "b", "c", "e", "out"))
    loads = " ".join(f"ld.param.u64 %r{n}, [q{n}];" for n in ("a", "b", "c", "e", "out"))
    return (f".visible .entry k{i}({params})\n{{\n.reg .b64 %ra,%rb,%rc,%re,%rout,%rt,%idx; .reg .b32 %lane; "
            f".reg .pred %pd,%pq,%pc; {regs}\n{loads} mov.u32 %lane, %tid.x; cvt.u64.u32 %idx, %lane;\n"
            + "\n".join(body) + "\nret;\n}\n")


HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"


def compiles(chosen, folder):
    path = os.path.join(folder, "lanes.ptx")
    with open(path, "w") as f:
        f.write(HEAD + "".join(kernel(i, cases[i]) for i in chosen))
    r = subprocess.run(["ptxas", "-arch=sm_90", path, "-o", os.path.join(folder, "lanes.cubin")],
                       capture_output=True, text=True)
    return r.returncode == 0, r.stderr


# ---- functions of the math library: bounds in units of the last place, CUDA C++ Programming Guide 12.4, tables
# "Single-Precision / Double-Precision Mathematical Standard Library Functions with Maximum ULP Error" ----
MATH = """sin 2 2 cos 2 2 tan 4 2 exp 1 1 exp2 2 1 exp10 2 1 expm1 1 1 log 1 1 log2 1 1 log10 2 1 log1p 1 1 sinh 3 2
cosh 2 1 tanh 2 1 asinh 3 3 acosh 4 3 atanh 3 2 asin 2 2 acos 2 2 atan 2 2 erf 2 2 erfc 4 5 erfinv 2 5 erfcinv 4 6
erfcx 4 4 normcdf 5 5 normcdfinv 5 8 tgamma 5 10 lgamma 6 4 cbrt 1 1 rcbrt 1 1 sinpi 1 2 cospi 1 2
cyl_bessel_i0 6 6 cyl_bessel_i1 6 6 j0 9 7 j1 9 7 y0 9 7 y1 9 7 rsqrt 2 1 floor 0 0 ceil 0 0 trunc 0 0 rint 0 0
nearbyint 0 0 round 0 0 logb 0 0 sqrt 0 0""".split()
MATH2 = """pow 4 2 atan2 3 2 hypot 3 2 rhypot 2 1 fmod 0 0 remainder 0 0 fdim 0 0 nextafter 0 0 copysign 0 0 fmin 0 0
fmax 0 0""".split()


def math_cases():
    r = random.Random("math")
    values = MATH32 + [r.uniform(-3, 3) for _ in range(20)] + [r.uniform(0, 1) for _ in range(12)]
    pairs = [(a, b) for a in MATH32[:11] for b in MATH32[:9]] + \
        [(r.uniform(-9, 9), r.uniform(-9, 9)) for _ in range(30)] + \
        [(abs(r.uniform(-9, 9)), r.uniform(-9, 9)) for _ in range(31 - 0)]
    for t, conv in (("f", f32), ("d", f64)):
        sets["M" + t] = [[conv(v) for v in values]]
        sets["M" + t + t] = [[conv(p[0]) for p in pairs[:160]], [conv(p[1]) for p in pairs[:160]]]
    out = []
    for table, n in ((MATH, 1), (MATH2, 2)):
        for name, fb, db in zip(table[::3], table[1::3], table[2::3]):
            out.append(dict(name=name + "f", args="f" * n, result="f", bound=int(fb), set="M" + "f" * n))
            out.append(dict(name=name, args="d" * n, result="d", bound=int(db), set="M" + "d" * n))
    return out


def math_source(m):
    lines = []
    for i, c in enumerate(m):
        t = "float" if c["result"] == "f" else "double"
        args = "a[i], b[i]" if len(c["args"]) == 2 else "a[i]"
        lines.append(f'extern "C" __global__ void m{i}(const {t} *a, const {t} *b, {t} *d) '
                     f'{{ int i = threadIdx.x; d[i] = {c["name"]}({args}); }}')
    return "\n".join(lines) + "\n"


def generate(folder):
    os.makedirs(folder, exist_ok=True)
    integer_cases()
    float_cases()
    compare_cases()
    cvt_cases()
    half_cases()
    tiny_cases()
    chosen = list(range(len(cases)))
    ok, err = compiles(chosen, folder)
    refused = []
    while not ok:
        lines = open(os.path.join(folder, "lanes.ptx")).read().split("\n")
        bad = set()
        for e in err.split("\n"):
            if ", line " in e and "rror" in e:
                n = int(e.split(", line ")[1].split(";")[0])
                while not lines[n - 1].startswith(".visible"):
                    n -= 1
                bad.add(int(lines[n - 1].split(" k")[1].split("(")[0]))
        if not bad:
            sys.exit(err)
        refused += [cases[i]["ptx"] for i in sorted(bad)]
        chosen = [i for i in chosen if i not in bad]
        ok, err = compiles(chosen, folder)
    m = math_cases()
    with open(os.path.join(folder, "math.cu"), "w") as f:
        f.write(math_source(m))
    subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", os.path.join(folder, "math.cubin"),
                    os.path.join(folder, "math.cu")], check=True)
    used = {c["set"] for c in (cases[i] for i in chosen)} | {c["set"] for c in m}
    with open(os.path.join(folder, "cases.json"), "w") as f:
        json.dump(dict(cases=[dict(cases[i], kernel=i) for i in chosen], math=m, sets={k: sets[k] for k in used}), f)
    print(len(chosen), "cases; refused by ptxas:", *refused, sep="\n  ")


# ---- on the GPU ----
def packed(values):
    out, i = [], 0
    while i < len(values):
        n = 1
        while i + n < len(values) and values[i + n] == values[i]:
            n += 1
        out.append("%x" % values[i] + ("*%d" % n if n > 1 else ""))
        i += n
    return " ".join(out)


def width(k):
    return {"I16": 16, "I64": 64, "F16": 16, "BF16": 16, "F64": 64, "T64": 64}.get(k, 32)


def run(folder, out):
    import cupy
    import numpy
    data = json.load(open(os.path.join(folder, "cases.json")))
    dtype = {16: numpy.uint16, 32: numpy.uint32, 64: numpy.uint64}
    device = cupy.cuda.runtime.getDeviceProperties(0)
    arrays = {}
    for name, cols in data["sets"].items():
        w = [64 if name[1] == "d" else 32] * 2 if name[0] == "M" else [width(k) for k in name.split(".")]
        arrays[name] = [cupy.asarray(numpy.array(col, dtype[b])) for col, b in zip(cols, w)]
    module = cupy.RawModule(path=os.path.join(folder, "lanes.cubin"))
    mathmod = cupy.RawModule(path=os.path.join(folder, "math.cubin"))
    with open(out, "w") as f:
        f.write("# %s, compute capability %d.%d, driver %d, %s; tests/truth/lanes_truth.py run (ptxas/nvcc 13.0)\n" %
                (device["name"].decode(), device["major"], device["minor"], cupy.cuda.runtime.driverGetVersion(),
                 __import__("datetime").date.today()))
        for name in sorted(data["sets"]):
            for i, col in enumerate(data["sets"][name]):
                f.write("in\t%s\t%s\t%s\n" % (name, "abce"[i], packed(col)))
        for c in data["cases"]:
            ins = arrays[c["set"]]
            n = len(ins[0])
            d = cupy.zeros(n, dtype[max(c["dbits"], 16) if c["dbits"] > 1 else 32])
            extra = cupy.zeros(n, numpy.uint32)
            args = ins + [extra] * (4 - len(ins))
            if c["carry"]:
                args[3] = extra
            module.get_function("k%d" % c["kernel"])((1,), (n,), tuple(args + [d]))
            text = packed([int(v) for v in d.get()])
            if c["carry"]:
                text += " | " + packed([int(v) for v in extra.get()])
            f.write("\t".join(["case", c["ptx"], c["op"], c["type"], c["type2"] or "NOTYPE", c["mods"] or "-", c["set"],
                               str(c["dbits"]), str(c["abits"]), text]) + "\n")
        for i, c in enumerate(data["math"]):
            ins = arrays[c["set"]]
            d = cupy.zeros(len(ins[0]), ins[0].dtype)
            mathmod.get_function("m%d" % i)((1,), (len(ins[0]),), (ins[0], ins[-1], d))
            f.write("\t".join(["math", "__nv_" + c["name"], c["args"], c["result"], str(c["bound"]), c["set"],
                               packed([int(v) for v in d.get()])]) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "generate":
        generate(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "run":
        run(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
