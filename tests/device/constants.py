#!/usr/bin/env python3
"""Device functions of constants: the compiler may compute them, and then the result must be the GPU's.

usage: constants.py HEDDLE [--ftz] [--arch sm_NN] [--seed N] [--keep FILE.cu]

Makes a program that computes each value twice, of constants and of the same values read at run time, and runs it in the
interpreter and as machine code.

- Conversions: every one between numbers (__float2int_rz ..., __half and __nv_bfloat16, C casts), over edge values. What must
  come is computed here, with fractions, from the PTX ISA (cvt): rounded once, the nearest integer that the type has; NaN to an
  integer is 0, or its highest bit alone where one of the two has 64 bits. Casts to 8 and 16 bits go by 32, as nvcc's code does.
  Those of halves also on the host.
- __byte_perm over selectors, whose nibbles' fourth bits are not looked at.
- Every other device function of numbers in include/heddle/device_functions.def, in all its overloads (clang says which):
  twice the same bits, NaN for NaN."""
import argparse
import os
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FUNCTIONS_IN_KERNEL, CONSTANTS_IN_KERNEL = 40, 60

# --- numbers ---

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}  # bits of exponent, of significand
INTEGERS = {"int": (32, True), "unsigned int": (32, False), "short": (16, True), "unsigned short": (16, False),
            "long": (64, True), "unsigned long": (64, False), "long long": (64, True), "unsigned long long": (64, False),
            "signed char": (8, True), "unsigned char": (8, False), "char": (8, True)}
C_NAMES = {"f32": "float", "f64": "double", "f16": "__half", "bf16": "__nv_bfloat16"}


def width(kind):
    return 1 + sum(FORMATS[kind]) if kind in FORMATS else INTEGERS[kind][0]


def decode(kind, bits):
    """A Fraction, or 'nan', 'inf', '-inf', '-0'."""
    if kind in INTEGERS:
        size, signed = INTEGERS[kind]
        return Fraction(bits - (1 << size) if signed and bits >> (size - 1) else bits)
    e, s = FORMATS[kind]
    negative, exponent, rest = bits >> (e + s), bits >> s & (1 << e) - 1, bits & (1 << s) - 1
    if exponent == (1 << e) - 1:
        return "nan" if rest else "-inf" if negative else "inf"
    bias = (1 << e - 1) - 1
    value = Fraction(rest + (1 << s if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - bias - s)
    return "-0" if negative and not value else -value if negative else value


def whole(x, mode):
    down = x.numerator // x.denominator
    if mode == "rz":
        return down + (1 if x < 0 and down != x else 0)
    return {"rd": down, "ru": -(-x.numerator // x.denominator), "rn": round(x)}[mode]


def encode(kind, x, mode):
    """Bits of a number rounded once; None for NaN."""
    e, s = FORMATS[kind]
    sign, top = 1 << (e + s), ((1 << e) - 1) << s
    if x == "nan":
        return None
    if x in ("inf", "-inf", "-0"):
        return {"inf": top, "-inf": sign | top, "-0": sign}[x]
    negative, x = x < 0, abs(x)
    mode = {"ru": "rz", "rd": "ru"}.get(mode, mode) if negative else {"rd": "rz"}.get(mode, mode)
    if not x:
        return 0
    bias = (1 << e - 1) - 1
    exponent = max(x.numerator.bit_length() - x.denominator.bit_length() - 1, 1 - bias)
    while Fraction(2) ** (exponent + 1) <= x:
        exponent += 1
    count = whole(x / Fraction(2) ** (exponent - s), mode)
    bits = ((exponent + bias - 1) << s) + count if count >> s else count
    if bits >= top:
        bits = top if mode in ("rn", "ru") else top - 1
    return (sign if negative else 0) | bits


def flush(kind, bits):
    e, s = FORMATS[kind]
    return bits & 1 << (e + s) if not bits >> s & (1 << e) - 1 else bits


def to_integer(kind, bits, to, mode, wraps=False):
    if wraps and INTEGERS[to][0] < 32:
        return to_integer(kind, bits, "int" if INTEGERS[to][1] else "unsigned int", mode) & (1 << INTEGERS[to][0]) - 1
    size, signed = INTEGERS[to]
    low, high = (-(1 << size - 1), (1 << size - 1) - 1) if signed else (0, (1 << size) - 1)
    x = decode(kind, bits)
    if x == "nan":
        return 1 << size - 1 if size == 64 or kind == "f64" else 0
    n = {"inf": high, "-inf": low, "-0": 0}[x] if isinstance(x, str) else min(max(whole(x, mode), low), high)
    return n & (1 << size) - 1


def edges(kind):
    if kind in INTEGERS:
        size, signed = INTEGERS[kind]
        around = [0, 1, 2, 3, 5, 7, 100, 127, 128, 255, 256, 2047, 2049, 2051, 65519, 65520, 65535]
        around += [(1 << n) + d for n in (24, 25, 31, 32, 53, 54, 63) for d in (-1, 0, 1, 3) if n < size]
        return sorted({v & (1 << size) - 1 for a in around for v in (a, -a)} | {1 << size - 1, (1 << size) - 1, (1 << size - 1) - 1})
    e, s = FORMATS[kind]
    top, sign = ((1 << e) - 1) << s, 1 << (e + s)
    some = [0, 1, (1 << s) - 1, 1 << s, top, top - 1, top | 1 << s - 1, top | 1]
    numbers = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), 1, Fraction(3, 2), Fraction(5, 2), Fraction(7, 2), 100, Fraction(255, 2),
               300, 1000, 40000, 70000, 10 ** 6, 10 ** 10, 10 ** 20, 10 ** 30, Fraction(2049, 2048), 1 + Fraction(1, 1 << 24) + Fraction(1, 1 << 40)]
    numbers += [Fraction(2) ** n for n in (7, 8, 15, 16, 31, 32, 62, 63, 64, 127, 128, -14, -15, -24, -25, -126, -127, -149, -150)]
    for n in numbers:
        bits = encode(kind, Fraction(n), "rn")
        some += [b for b in (bits - 1, bits, bits + 1) if 0 <= b < top]
    return sorted({b for v in some for b in (v, v | sign)})


# --- the program ---

def argument(kind, bits):
    """The constant, as nvcc too would read it."""
    if kind in FORMATS:
        return {"f32": "F", "f64": "D", "f16": "H", "bf16": "B"}[kind] + f"({bits:#x}{'ull' if kind == 'f64' else 'u'})"
    return f"({kind}){bits:#x}{'ull' if width(kind) == 64 else 'u'}"


def literal(kind, bits):
    """A finite float or double as a literal of C."""
    x = struct.unpack("<f" if kind == "f32" else "<d", bits.to_bytes(width(kind) // 8, "little"))[0]
    return x.hex() + ("f" if kind == "f32" else "") if isinstance(decode(kind, bits), Fraction) else None


class Function:
    """expression with {0}, {1} ... over values, each (arguments' bits, wanted), wanted: bits, None for NaN, 'same' as at run time;
    constants: which of the values are tried as constants too, with what text."""

    def __init__(self, name, expression, kinds, result, values, host=False):
        self.name, self.expression, self.kinds, self.result, self.values, self.host = name, expression, kinds, result, values, host
        self.constants = {}

    def try_constants(self, random_, most, text=None):
        text = text or (lambda bits: self.expression.format(*map(argument, self.kinds, bits)))
        for i in sorted(random_.sample(range(len(self.values)), min(most, len(self.values)))):
            if t := text(self.values[i][0]):
                self.constants[i] = t


HEAD = """// Made by tests/device/constants.py.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef unsigned long long u64;
#define HD __host__ __device__ inline
HD float F(unsigned int u) { float f; memcpy(&f, &u, 4); return f; }
HD double D(u64 u) { double d; memcpy(&d, &u, 8); return d; }
HD __half H(unsigned short u) { __half h; memcpy(&h, &u, 2); return h; }
HD __nv_bfloat16 B(unsigned short u) { __nv_bfloat16 h; memcpy(&h, &u, 2); return h; }
template <class T> HD u64 bits(T v) { u64 u = 0; memcpy(&u, &v, sizeof v); return u; }
"""
RUN_TIME = {"f32": "F((unsigned int){})", "f64": "D({})", "f16": "H((unsigned short){})", "bf16": "B((unsigned short){})"}


def chunks(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


def program(functions):
    """One line is printed for each value at run time, on the host where that is asked ('-' elsewhere), and for each constant."""
    lines, main = [HEAD], []
    for n, part in enumerate(chunks(functions, FUNCTIONS_IN_KERNEL)):
        begins = [sum(len(f.values) for f in part[:i]) for i in range(len(part) + 1)]
        lines.append(f"static const u64 in_{n}[][4] = {{")
        lines += ["    " + " ".join("{" + ", ".join(f"{b:#x}ull" for b in (*bits, 0, 0, 0)[:4]) + "}," for bits, _ in f.values) for f in part]
        lines.append("};")
        for where, wanted in (("__global__ void values", lambda f: True), ("static void host", lambda f: f.host)):
            lines.append(f"{where}_{n}(u64 *o, const u64 (*in)[4], int i)\n{{")
            if "global" in where:
                lines.append("    i = threadIdx.x;")
            for f, begin, end in zip(part, begins, begins[1:]):
                if wanted(f):
                    call = f.expression.format(*(RUN_TIME.get(k, f"({k}){{}}").format(f"in[{begin} + i][{j}]") for j, k in enumerate(f.kinds)))
                    lines.append(f"    if (i < {end - begin}) o[{begin} + i] = bits({call});")
            lines.append("}")
        main.append(f"    run(in_{n}, {begins[-1]}, values_{n}, host_{n});")
    constants = [text for f in functions for text in f.constants.values()]
    for n, part in enumerate(chunks(constants, CONSTANTS_IN_KERNEL)):
        lines.append(f"__global__ void constants_{n}(u64 *o)\n{{")
        lines += [f"    o[{i}] = bits({text});" for i, text in enumerate(part)]
        lines.append("}")
        main.append(f"    constants<<<1, 1>>>(device);".replace("constants", f"constants_{n}") + f" show(device, {len(part)});")
    most = max(len(f.values) for f in functions)
    lines.append(f"""
static u64 *device, *inputs, out[{most * FUNCTIONS_IN_KERNEL + CONSTANTS_IN_KERNEL}], host[{most * FUNCTIONS_IN_KERNEL}];
static void show(const u64 *from, int n)
{{
    cudaMemcpy(out, from, n * sizeof *out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%llx\\n", out[i]);
}}
static void run(const u64 (*in)[4], int n, void (*values)(u64 *, const u64 (*)[4], int), void (*on_host)(u64 *, const u64 (*)[4], int))
{{
    cudaMemcpy(inputs, in, n * sizeof *in, cudaMemcpyHostToDevice);
    values<<<1, {most}>>>(device, (const u64 (*)[4])inputs, 0);
    show(device, n);
    for (int i = 0; i < {most}; i++)
        on_host(host, in, i);
    for (int i = 0; i < n; i++)
        printf("%llx\\n", host[i]);
}}
int main()
{{
    cudaMalloc(&device, sizeof out);
    cudaMalloc(&inputs, sizeof out * 4);""")
    return "\n".join(lines + main) + "\n    return cudaGetLastError();\n}\n"


# --- what is asked ---

CONSTANTS = 10  # of each function
SHORT = {"float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16", "int": "int", "uint": "unsigned int", "ll": "long long",
         "ull": "unsigned long long", "short": "short", "ushort": "unsigned short", "char": "signed char", "uchar": "unsigned char"}


def converted(name, source, target, mode, ftz, expression, wraps=False):
    """A conversion over all edge values."""
    values = []
    for v in edges(source):
        x = flush(source, v) if ftz and source == "f32" and target not in ("f16", "bf16") else v
        if target in INTEGERS:
            wanted = to_integer(source, x, target, mode, wraps)
        else:
            wanted = encode(target, decode(source, x), mode)
            if ftz and target == "f32" and source == "f64" and wanted is not None:
                wanted = flush(target, wanted)
        values.append(((v,), wanted))
    return Function(name, expression, (source,), target, values, bool({source, target} & {"f16", "bf16"}))


def conversions(names, ftz, random_):
    functions = []
    for name in names:
        m = re.fullmatch(r"__(float|double|half|bfloat16|u?int|u?ll|u?short)2(float|double|half|bfloat16|u?int|u?ll|u?short|u?char)(?:_(r[nzdu]))?", name)
        if m:
            functions.append(converted(name, SHORT[m[1]], SHORT[m[2]], m[3] or "rn", ftz, name + "({0})"))
    for source in ("f32", "f64", "f16", "bf16"):
        for target in INTEGERS: # halves have operators of their own, which clamp
            functions.append(converted(f"({target}){source}", source, target, "rz", ftz, f"({target}){{0}}", source in ("f32", "f64")))
    pairs = [(source, target) for source in INTEGERS for target in C_NAMES]
    pairs += [("f32", "f64"), ("f64", "f32"), ("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("f32", "f16"), ("f32", "bf16"), ("f64", "f16"), ("f64", "bf16")]
    functions += [converted(f"({target}){source}", source, target, "rn", ftz, f"({C_NAMES[target]}){{0}}") for source, target in pairs]
    for f in functions:
        # with -ftz=true subnormal constants become double as they are, in nvcc's code too
        kept = (lambda bits: f.expression.format(argument("f32", bits[0])) if bits[0] == flush("f32", bits[0]) else None)
        f.try_constants(random_, CONSTANTS, kept if ftz and f.kinds == ("f32",) and f.result == "f64" else None)
    for source in ("f32", "f64"):  # the compiler's own folding
        for target in INTEGERS:
            f = converted(f"({target})literal {source}", source, target, "rz", ftz, f"({target}){{0}}", True)
            f.try_constants(random_, CONSTANTS, lambda bits: (t := literal(source, bits[0])) and f"({target}){t}")
            functions.append(f)
    return functions


def byte_perm(random_):
    selectors = [n << 4 * at | 0x3210 & ~(15 << 4 * at) for at in range(4) for n in range(16)] + [random_.getrandbits(32) for _ in range(192)]
    values = []
    for s in selectors:
        x, y = random_.getrandbits(32) | 0x80, random_.getrandbits(32)
        values.append(((x, y, s), sum(((y << 32 | x) >> 8 * (s >> 4 * i & 7) & 255) << 8 * i for i in range(4))))
    f = Function("__byte_perm", "__byte_perm({0}, {1}, {2})", ("unsigned int",) * 3, "unsigned int", values)
    f.try_constants(random_, len(values))
    return f


# Not functions of their arguments alone, or not numbers' (chapters of device_functions.def).
CHAPTERS = ("integer", "casts", "simd", "dpx", "fast", "fast64", "float", "double", "class", "half", "bf16")
KINDS = {"float": "f32", "double": "f64", "bool": "bool", "__half": "f16", "__nv_bfloat16": "bf16", "half": "f16"} | {k: k for k in INTEGERS}


def table_names():
    """{chapter: [name]} of what device_functions.def says is there."""
    text = re.sub(r"/\*.*?\*/", "", (SOURCE / "include/heddle/device_functions.def").read_text(), flags=re.S)
    chapters = {}
    for m in re.finditer(r"^CUDA_(CHAPTER|THERE|IN_PART)\((\w+)", text, flags=re.M):
        if m[1] == "CHAPTER":
            chapter = chapters.setdefault(m[2], [])
        else:
            chapter.append(m[2])
    return chapters


def signatures(heddle, names, flags):
    """[(name, result, arguments)] of the device functions of numbers by these names, as clang sees them."""
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.cu"
        probe.write_text("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n")
        dry = subprocess.run([heddle, "build", "-ptx", "-dryrun", *flags, "-o", probe.with_suffix(".ptx"), probe], capture_output=True, text=True, check=True)
        command = next(c for c in (dry.stdout + dry.stderr).split("\n") if "--cuda-device-only" in c).split(": ", 1)[1]
        words = shlex.split(command)
        tree = subprocess.run(words[:words.index("-S")] + ["-fsyntax-only", "-Xclang", "-ast-dump", probe], capture_output=True, text=True, check=True).stdout
    found, here, depth = set(), None, 0
    for line in tree.split("\n"):
        m = re.match(r"([| `]*-)(\w+)", line)
        if not m or len(m[1]) > 4 and not here:
            continue
        if not here or len(m[1]) <= depth:
            here = None
            f = m[2] == "FunctionDecl" and re.search(r" (\w+) '([^'(]+) \(([^)]*)\)[^']*'", line)
            if f and f[1] in names:
                here, depth = (f[1], f[2].strip(), tuple(a.strip() for a in f[3].split(",")) if f[3] else ()), len(m[1])
        elif len(m[1]) == depth + 2 and m[2] == "CUDADeviceAttr" and here[2] and all(t in KINDS for t in (here[1], *here[2])):
            found.add(here)
    return sorted(found)


def differential(signatures_, random_, ftz):
    functions = []
    for name, result, arguments in signatures_:
        kinds = tuple(KINDS[a] for a in arguments)
        # with -ftz=true LLVM folds min, max, floor and ceil of subnormal constants without flushing them (nvcc the first two)
        pools = [[v for v in edges(k) if not ftz or k != "f32" or v == flush(k, v)] for k in kinds]
        if name in ("jn", "jnf", "yn", "ynf"):  # take as many steps as their first argument says
            pools[0] = range(64)
        values = [(tuple(random_.choice(p) for p in pools), "same") for _ in range(CONSTANTS)]
        f = Function(f"{name}({', '.join(arguments)})", name + "(" + ", ".join(f"{{{i}}}" for i in range(len(kinds))) + ")", kinds, KINDS[result], values)
        f.try_constants(random_, len(values))
        functions.append(f)
    return functions


# --- run and compare ---

def same(kind, a, b):
    if kind in FORMATS:
        nan = decode(kind, b) == "nan" if b is not None else True
        return decode(kind, a) == "nan" if nan else a == b
    return a == b


# What the compile step knows of constants (src/compile/plugin_math.cpp, as nvcc): the C library's result, where the GPU's function may
# be off by units in the last place. Each as NAME, NAMEf, and as an overload.
KNOWN = {n + f for n in ("acos", "asin", "atan", "cos", "cosh", "exp", "exp2", "log", "log10", "sin", "sinh", "tan", "tanh", "atan2", "fmod", "pow")
         for f in ("", "f")} | {"__expf", "__exp10f", "__logf", "__log2f", "__log10f"}  # by PTX's approximations
ULPS = 2


def near(function, a, b):
    """Constant and GPU's result of a function that the compile step knows."""
    if function.name.partition("(")[0] not in KNOWN or b is None or function.result not in ("f32", "f64"):
        return False
    return decode(function.result, a) not in ("nan", "inf") and abs(a - b) <= ULPS


def compare(functions, text, executor):
    rows = iter([int(line, 16) for line in text.split("\n") if line])
    got = {}  # (function, value, where): bits
    for part in chunks(functions, FUNCTIONS_IN_KERNEL):
        for where in ("run time", "host"):
            for f in part:
                for i in range(len(f.values)):
                    bits = next(rows)
                    if where == "run time" or f.host:
                        got[f, i, where] = bits
    for f in functions:
        for i in f.constants:
            got[f, i, "constant"] = next(rows)
    bad = []
    for (f, i, where), bits in got.items():
        arguments, wanted = f.values[i]
        wanted = got[f, i, "run time"] if wanted == "same" else wanted
        if not same(f.result, bits, wanted) and not (where == "constant" and near(f, bits, wanted)):
            shown = "NaN" if wanted is None else f"{wanted:#x}"
            bad.append(f"{executor}: {f.name} of {', '.join(f'{v:#x}' for v in arguments)}, {where}: {bits:#x}, not {shown}")
    return bad, len(got)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("heddle")
    p.add_argument("--ftz", action="store_true")
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--sample", type=int, help="so many functions, drawn by the seed; else all")
    p.add_argument("--executor", choices=("interp", "jit"), action="append", help="both, unless named")
    p.add_argument("--keep", help="where to leave the program")
    args = p.parse_args()
    random_ = random.Random(args.seed)
    flags = [f"-arch={args.arch}"] + (["-ftz=true"] if args.ftz else [])
    chapters = table_names()
    names = [n for c in CHAPTERS for n in chapters[c]]
    functions = conversions([n for c in ("casts", "half", "bf16") for n in chapters[c]], args.ftz, random_) + [byte_perm(random_)]
    others = signatures(args.heddle, set(names), flags)
    if len({f[0] for f in others}) < 400:
        sys.exit(f"clang names only {len(others)} functions")
    converting = len(functions)
    functions += differential(others, random_, args.ftz)
    if args.sample:
        functions = random_.sample(functions, args.sample)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(args.keep or pathlib.Path(folder) / "constants.cu")
        source.write_text(program(functions))
        built = pathlib.Path(folder) / "constants"
        made = subprocess.run([args.heddle, "build", "-w", *flags, "-o", built, source], capture_output=True, text=True)
        if made.returncode:
            sys.exit(made.stderr[:3000])
        bad = []
        for executor in args.executor or ("interp", "jit"):
            done = subprocess.run([built], capture_output=True, text=True, env=os.environ | {"HEDDLE_EXEC": executor})
            if done.returncode:
                sys.exit(f"{executor}: exit status {done.returncode}\n{done.stderr[-2000:]}")
            wrong, compared = compare(functions, done.stdout, executor)
            bad += wrong
    print(f"{compared} values; there are {converting} conversions with wanted results and {len(others)} functions; seed {args.seed}")
    for line in bad[:60]:
        print(line)
    print(f"FAILED: {len(bad)} wrong" if bad else "PASSED")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
