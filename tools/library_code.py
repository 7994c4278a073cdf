#!/usr/bin/env python3
"""Which machine instructions a call of a math function executes, from what an H200 executed for kernels of one function each.

usage: library_code.py measured FOLDER ONES > tests/truth/machine/library.tsv
       library_code.py rows                 > src/target/library.def

FOLDER is what `tests/truth/machine/collect.py FOLDER --only ways` wrote: ways.cu, each launch one function and one way; ONES what
`--only ones` wrote, of which the intrinsics are taken. Of the machine code and how often each instruction was executed (listing.tar), `measured` leaves out the kernel around the
function: the thread's number, the addresses and loads of arguments, the address and store of the result, the stack pointer,
the exit. What these are, it follows back from the loads and stores through registers; a copy kernel does not tell, since
nvcc computes addresses otherwise in a kernel with branches. `rows` takes what all ways have in common, and divides the
functions that Heddle's device headers call in parts (include/heddle/device/libm.h).
"""
import csv
import lzma
import re
import sys
import tarfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/truth/machine/library.tsv"
TARGET = ROOT / "src/target"
WIDTH = 120
LANES = 32

# ---- machine code

INSTRUCTION = re.compile(r"[0-9a-f]+\s+(?:@!?(U?P\d)\s+)?([A-Z0-9_.]+)\s*(.*)")
REGISTER = re.compile(r"\bU?[RP]\d+\b")
PAIR = re.compile(r"\b(U?R)(\d+)(?=\.64)|desc\[(UR)(\d+)\]")
PREDICATE = re.compile(r"U?P(\d|T)$")
ARGUMENT = re.compile(r"c\[0x0\]\[0x2[123][08]\]")  # the five parameters
STACK_BASE = "c[0x0][0x20]"
WITH_TABLE = ("sin", "cos", "sinpi", "cospi")  # in two parts, of which the first loads coefficients from a table


class Instruction:
    """One line of a listing: its operation, and the registers that it writes and reads."""

    def __init__(self, at, text, executed, lanes):
        guard, name, operands = INSTRUCTION.match(text).groups()
        self.at, self.text, self.executed, self.lanes = at, text, executed, lanes
        self.op, *self.modifiers = name.split(".")
        first, rest = self.written(operands.split(","))
        self.writes = self.pairs(first) | self.wide(first)
        self.reads = self.pairs(rest) | ({guard} if guard else set())
        if self.op == "IMAD" and "WIDE" in self.modifiers:
            self.reads |= next_of(rest.rsplit(",", 1)[-1])

    def written(self, operands):
        """The operands of the instruction in two texts: results (a register, then predicates), and the others."""
        results = 0
        if not re.match(r"ST|EXIT|BRA|BSSY|BSYNC|CALL|RET|WARPSYNC", self.op):
            results = 1
            while results < len(operands) and PREDICATE.match(operands[results].strip()):
                results += 1
        return ",".join(operands[:results]), ",".join(operands[results:])

    def wide(self, result):
        two = self.op in ("LDG", "LDC", "ULDC") and "64" in self.modifiers
        return next_of(result) if two or self.op == "IMAD" and "WIDE" in self.modifiers else set()

    @staticmethod
    def pairs(text):
        registers = set(REGISTER.findall(text))
        for kind, number, uniform, base in PAIR.findall(text):
            registers.add("%s%d" % (kind or uniform, int(number or base) + 1))
        return registers


def next_of(operand):
    return {m.group(1) + str(int(m.group(2)) + 1) for m in re.finditer(r"\b(U?R)(\d+)\b", operand)}


def origin(code, at, registers, stop):
    """The positions of the instructions before `at` that the registers are computed by, not beyond operations of `stop`."""
    found, wanted = set(), [(at, r) for r in registers]
    while wanted:
        before, register = wanted.pop()
        for i in range(before - 1, -1, -1):
            if register in code[i].writes:
                if i not in found and code[i].op not in stop:
                    found.add(i)
                    wanted += [(i, r) for r in code[i].reads]
                break
    return found


def address(code, at, stop=("LDG",)):
    """The same of the address that a load or store at `at` uses."""
    return origin(code, at, Instruction.pairs(re.search(r"desc\[.*?\]\[.*?\]", code[at].text).group(0)), stop)


def around(code):
    """The positions of the kernel around the function."""
    frame = set()
    for i, inst in enumerate(code):
        if inst.op in ("LDG", "STG"):
            path = address(code, i)
            if any(ARGUMENT.search(code[k].text) for k in path):
                frame |= path | {i}
        if inst.op == "EXIT" or "R1" in inst.writes or STACK_BASE in inst.text:
            frame.add(i)
    return frame


def table(code):
    """The positions of loads from a table of coefficients, and of what computes their address from a converted argument."""
    loads = {i for i, inst in enumerate(code) if inst.op == "LDG" and "128" in inst.modifiers and "CONSTANT" in inst.modifiers}
    return loads.union(*(address(code, i, stop=("LDG", "F2I")) for i in loads))


# ---- what was measured

def unpacked(folder, tar, name):
    with tarfile.open("%s/%s.tar" % (folder, tar)) as f:
        return lzma.decompress(f.extractfile(name).read()).decode()


def launches(listing):
    """(name, executed instructions) of each launch. Behind an instruction's warps stand its lanes, those whose predicate holds."""
    codes, code, lines = {}, [], iter(listing.splitlines())
    for line in lines:
        word = line.split(None, 4)
        if word[0] == "CODE":
            code = codes[word[1]] = []
        elif word[0] == "LAUNCH":
            counts = [tuple(map(int, n.split("/"))) for n in next(lines).split()]
            yield word[4], [Instruction(at, t, *n) for at, (t, n) in enumerate(zip(codes[word[3]], counts)) if n[0]]
        else:
            code.append(line)


def counted(code, positions, warps):
    """Instructions that a warp executes, and that a lane does: lanes of one warp may differ, and the mean is rounded."""
    counts, lanes = Counter(), Counter()
    for i in positions:
        counts[code[i].op] += code[i].executed
        lanes[code[i].op] += code[i].lanes
    assert all(n % warps == 0 for n in counts.values()), counts
    return Counter({op: n // warps for op, n in counts.items()}), Counter({op: round(n / warps / LANES) for op, n in lanes.items()})


def text_of(counts, order=sorted):
    return " ".join(op + ("*%d" % counts[op] if counts[op] > 1 else "") for op in order(counts) if counts[op])


def text_with_lanes(counts, lanes):
    """OP*n, or OP*n/m where a lane executes only m of them, the predicate of the others being false."""
    words = []
    for op in sorted(counts):
        off = lanes[op] < counts[op]
        words.append(op + ("*%d" % counts[op] if counts[op] > 1 or off else "") + ("/%d" % lanes[op] if off else ""))
    return " ".join(words)


INTRINSICS = {"f32_%s_fast" % f: "fast_%sf" % (f if f != "div" else "fdivide") for f in ("sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10", "pow", "div")}


def counted_beside(code, common=None):
    """Of a launch: what its warps and lanes execute of the function, or of what all its ways have in common."""
    warps = sum(inst.executed for inst in code if inst.op == "EXIT")
    positions = {i for i, inst in enumerate(code) if common is None or inst.at in common}
    return counted(code, positions - around(code), warps)


OF_ORDER_2 = {"f32_jn": "jnf", "f32_yn": "ynf", "f64_jn": "jn", "f64_yn": "yn"}  # a constant


def of_ones(folder, part, names, way):
    for name, code in launches(unpacked(folder, "listing", "ones_%s.txt.xz" % part)):
        function, kind = name.split()
        if function in names and kind == "normal":
            print("\t".join([names[function], way, "", "ones.cu normal", text_with_lanes(*counted_beside(code)), "", ""]))


def measured(folder, ones):
    said = unpacked(folder, "raw", "ways_ways.out.xz")
    arguments = {m.group(1): m.group(2) for m in re.finditer(r"^ARGUMENTS (\S+ \d+) (.*)$", said, re.M)}
    print("# Machine instructions that a warp executes for a call of a function of the math library, all lanes the same way.")
    print("# Without the kernel around it. OP*n/m: of n that the warp executes a lane executes m, the others' predicate is false; the mean over")
    print("# lanes, rounded. table: of these, loads of coefficients and their address. common: of these, instructions that all ways execute.")
    print("# NVIDIA H200, driver 580.159.04, ncu 2025.3.1, nvcc 13.0.88, 2026-11-29; made by:")
    print("#   tests/truth/machine/collect.py OUT --only ways (and ones); tools/library_code.py measured OUT OUT")
    print("\t".join(["function", "way", "signature", "arguments", "counts", "table", "common"]))
    all_launches, common = list(launches(unpacked(folder, "listing", "ways_ways.txt.xz"))), {}
    for name, code in all_launches:
        executed = {inst.at for inst in code}
        common[name.split()[0]] = common.get(name.split()[0], executed) & executed
    for name, code in all_launches:
        function, way, signature = name.split()
        warps = sum(inst.executed for inst in code if inst.op == "EXIT")
        counts, lanes = counted_beside(code)
        if function == "copy":  # what reads the arguments, and nothing else
            assert set(counts) <= {"LOP3", "MOV"}, (name, counts)
            continue
        coefficients = counted(code, table(code) - around(code), warps)[0] if function in WITH_TABLE else Counter()
        shared = text_with_lanes(*counted_beside(code, common[function]))
        whole = text_with_lanes(counts, lanes)
        print("\t".join([function, way, signature, arguments[function + " " + way], whole, text_of(coefficients), shared if shared != whole else ""]))
    of_ones(ones, "intrinsics", INTRINSICS, "0")
    of_ones(ones, "float", OF_ORDER_2, "constant")
    of_ones(ones, "double", OF_ORDER_2, "constant")


# ---- the rows
# Of an operation OP, the instructions that a lane executes are counted as OP, those whose predicate is false as [OP]. Of each way there
# are two counts: all that it executes, and what of it all ways execute.

def off(op):
    return "[%s]" % op


def less(whole, part):
    """The rest of a function without a part of it, which all ways execute."""
    for counts in whole:
        assert all(counts[op] >= n for op, n in part.items()), (counts, part)
    return tuple(counts - part for counts in whole)


def alone(counts):
    """Of a function that has one way."""
    return {0: (counts, counts)}


def parsed(text):
    counts = Counter()
    for word in text.split():
        op, times, lanes = re.match(r"(\w+)(?:\*(\d+))?(?:/(\d+))?$", word).groups()
        times = int(times or 1)
        counts[op] = int(lanes) if lanes else times
        counts[off(op)] = times - counts[op]
    return +counts


def read_table():
    """{function: {way: (counts, common)}}, {function: {way: counts}} of the column `table`, {function: counts} of a constant argument."""
    counts, tables, constants = {}, {}, {}
    with open(TABLE) as f:
        for row in csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t"):
            if row["way"] == "constant":
                constants[row["function"]] = parsed(row["counts"])
                continue
            counts.setdefault(row["function"], {})[int(row["way"])] = parsed(row["counts"]), parsed(row["common"] or row["counts"])
            tables.setdefault(row["function"], {})[int(row["way"])] = parsed(row["table"])
    return counts, tables, constants


def by_table(f, counts, tables):
    """The coefficients are loaded by the header's own code, and the rest is the function that gets them."""
    return {"%s_by" % f: {way: less(n, tables[f][way]) for way, n in counts[f].items()}}


# The second polynomial of sine and cosine, which the cosine has of its own. In sincospif both are executed whichever way; the cosine
# has one FFMA more where it is not the shorter one.
COSINES = {"sincosf": Counter(FFMA=3), "sincos": Counter(DFMA=6), "sincospi": Counter(DFMA=6), "sincospif": Counter({off("FFMA"): 1})}


def sine_and_cosine(pi, f, counts):
    """The cosine is the second polynomial, the sine all else."""
    whole, stem = counts["sincos" + pi + f], "sincos" + pi
    cosine = COSINES[stem + f]
    sines = {way: less(n, cosine) for way, n in whole.items() if way < 2}
    cosines = alone(cosine) if (pi, f) != ("pi", "f") else {0: (cosine, cosine), 1: (Counter(FFMA=1), Counter(FFMA=1))}
    return {"%s_sin%s" % (stem, f): sines, "%s_cos%s" % (stem, f): cosines}


# Of a constant argument nvcc computes the beginning; others are in the table.
CONSTANTS = {"pow_basef": Counter(FADD=4, FMUL=5, FFMA=11, MOV=1), "pow_exponentf": Counter()}

# What a call does not execute behind one of another function in the same block, of the same argument: a part is done once.
SINE, HYPERBOLIC, PI = "FMUL FFMA*3 FSETP F2I I2FP", "FADD FMUL*3 FFMA*2 FSEL FSETP FRND MUFU*2 LOP3 SHF", "FADD FMUL FFMA*9 FRND F2I"
ARC, DOUBLE_PI = "FMUL*2 FFMA*3 FSEL*2 FSETP*2 MUFU", "DMUL*2 DFMA*2"
SHARED = [("acosf", "asinf", ARC), ("cosf", "sinf", SINE), ("cosf", "tanf", SINE), ("coshf", "sinhf", HYPERBOLIC),
          ("cospi_by", "sinpi_by", DOUBLE_PI), ("cospif", "sinpif", PI), ("sinf", "tanf", SINE)]


def power(counts):
    """Two calls cost less by one part when they have the base or the exponent in common."""
    base = counts["powf_twice"][0][0] - counts["powf_same_base"][0][0]
    exponent = counts["powf_twice"][0][0] - counts["powf_same_exponent"][0][0]
    rest = {way: less(n, base + exponent) for way, n in counts["powf"].items()}
    return {"pow_basef": alone(base), "pow_exponentf": alone(exponent), "pow_restf": rest}


def in_parts(counts, tables):
    """{function: {way: (counts, common)}} of the functions of lanes_extern.def and lanes_math.def, some of which are parts."""
    out = dict(counts)
    for f in WITH_TABLE:
        out.update(by_table(f, counts, tables))
    for pi in ("", "pi"):
        for f in ("", "f"):
            out.update(sine_and_cosine(pi, f, counts))
    out.update(power(counts))
    out["quarter"] = out["quarter_pi"] = alone(Counter())
    out["heddle_remquo"] = alone(counts["remquo"][0][0] - counts["remainder"][0][0])
    for whole in [f for f in out if re.match(r"sincos(pi)?f?$|powf_|remquo$", f)]:
        del out[whole]
    for whole in WITH_TABLE + ("powf",):  # called by nobody who has our headers
        out[whole] = alone(counts[whole][0][0])
    return out


def operations():
    return re.findall(r"^OPERATION\((\w+),", (TARGET / "operations.def").read_text(), re.M)


def common_to(ways):
    """What a warp executes whichever way it goes, and a lane of any way: the others of these it may take or not."""
    common = Counter()
    for op in {op.strip("[]") for counts in ways for op in counts}:
        common[op] = min(counts[op] for counts in ways)
        common[off(op)] = min(counts[op] + counts[off(op)] for counts in ways) - common[op]
    return +common


def beyond(counts, common):
    """What a warp executes beyond that; (OP): what the lanes take of [OP] there."""
    out = Counter()
    for op in {op.strip("[]") for op in counts + common}:
        more = counts[op] + counts[off(op)] - common[op] - common[off(op)]
        taken = counts[op] - common[op]
        out[op] = min(more, taken)
        out[off(op)] = more - out[op]
        out["(%s)" % op] = taken - out[op]
    return +out


def word_of(op, n):
    return op if n == 1 else op[:-1] + "*%d" % n + op[-1] if op[0] in "[(" else "%s*%d" % (op, n)


def row(name, way, counts, order):
    """LIBRARY(name, way, text), the text in as many strings as the width wants."""
    name = "__" + name if name.startswith("heddle_") else "__nv_" + name
    head, lines = "LIBRARY(%s, %s, " % (name, way), [""]
    for op in order(counts):
        word = word_of(op, counts[op])
        if len(head + lines[-1] + word) > WIDTH - 4:
            lines.append("")
        lines[-1] += word + " "
    lines[-1] = lines[-1].rstrip()
    return head + ("\n" + " " * len(head)).join('"%s"' % line for line in lines) + ")"


HEAD = """/* Machine instructions that a call of the math library executes on compute capability 9.0.
 *
 *   LIBRARY(name, way, text)
 *
 * With nvcc these functions are instructions in the kernel; with our compile step they are calls of what the executor provides.
 *
 * way      ALL: instructions that a warp executes whichever way its lanes go; a number (EXTERN_WAYS of extern_ways.def): those that it
 *          executes besides when lanes go this way. A function without ways has one row, ALL. Many ways execute the same, some
 *          of it under a predicate that does not hold. Measured of warps whose lanes all go one way; of three ways and more, what
 *          two have in common stands in both rows.
 * text     operations (operations.def) with how often a warp executes them, once when there is no number. [OP]: the warp
 *          executes it, but no lane, its predicate being false; of ALL, not the lanes of every way. (OP): lanes of this way take
 *          one of ALL's [OP]. Constants are part of the function: UMOV, MOV, IMAD and HFMA2.
 *
 * Measured on an H200 (tests/truth/machine/library.tsv has device, date and arguments), nvcc 13.0.88 without -use_fast_math. In
 * functions without ways an ordinary argument; the reduction of large arguments of sin, cos and tan, and other rare paths,
 * are not in it. powi and powif: of a whole exponent that is converted, as nvcc compiles C++'s pow. Loops (fmod, remainder,
 * jn, yn): of the arguments measured.
 *
 * Functions that the device headers call in parts (include/heddle/device/libm.h):
 *   sin_by, cos_by, sinpi_by, cospi_by: the function without the loads of coefficients and their address, which the header's
 *     own code does; __nv_quarter and __nv_quarter_pi, called before, are in them
 *   sincos_cos, sincospi_cos: the polynomial of the cosine, the second one of nvcc's code; sincos_sin, sincospi_sin: all else.
 *     sincospi_cosf is all in sincospi_sinf: both polynomials are executed whichever way
 *   __heddle_remquo: what remquo has beyond remainder
 *   pow_basef, pow_exponentf: what two calls of powf save with the same base or exponent; pow_restf: the rest of powf
 *
 *   fast_sinf ... : the intrinsics, as PTX of clang's own headers calls them; ours define them by approximations of PTX
 *
 * CONSTANT: the same of a constant first argument: nvcc computes the beginning of powf, and knows the order 2 of jn and yn.
 *
 *   LIBRARY_SHARED(name, other, text)
 *
 * What the second of two such calls, in either order, of the same argument and in one block, does not execute: a part is done once
 * (pairs of functions through nvcc 13.0.88).
 *
 * Made by tools/library_code.py. Who includes this defines the rows that it wants. */
#ifndef LIBRARY
#define LIBRARY(name, way, text)
#endif
#ifndef LIBRARY_SHARED
#define LIBRARY_SHARED(name, other, text)
#endif"""


def rows():
    place = {op: i for i, op in enumerate(operations())}
    marks = ["", "[", "("]
    order = lambda counts: sorted(counts, key=lambda op: (place.get(op.strip("[]()"), len(place)), marks.index(op[0] if op[0] in "[(" else "")))
    counts, tables, constants = read_table()
    constants.update(CONSTANTS)
    print(HEAD)
    for name, ways in sorted(in_parts(counts, tables).items()):
        common = common_to([shared if len(ways) > 1 else whole for whole, shared in ways.values()])
        print(row(name, "ALL", common, order))
        if len(ways) > 1:
            for way, (whole, _) in sorted(ways.items()):
                print(row(name, way, beyond(whole, common), order))
        if name in constants:
            print(row(name, "CONSTANT", constants[name], order))
    for one, other, saved in SHARED:
        print('LIBRARY_SHARED(__nv_%s, __nv_%s, "%s")' % (one, other, saved))
    print("#undef LIBRARY\n#undef LIBRARY_SHARED")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "measured":
        return measured(*sys.argv[2:])
    if sys.argv[1:] == ["rows"]:
        return rows()
    sys.exit("usage: " + __doc__.split("usage: ")[1].split("\n\n")[0])


if __name__ == "__main__":
    main()
