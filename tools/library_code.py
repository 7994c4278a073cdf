#!/usr/bin/env python3
"""Which machine instructions a call of a math function executes, from what an H200 executed for kernels of one function each.

usage: library_code.py measured FOLDER   > tests/truth/machine/library.tsv
       library_code.py rows              > src/target/library.def

FOLDER is what `tests/truth/machine/collect.py FOLDER --only ways` wrote: ways.cu, each launch one function and one way. Of
the machine code and how often each instruction was executed (listing.tar), `measured` leaves out the kernel around the
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

    def __init__(self, text, executed):
        guard, name, operands = INSTRUCTION.match(text).groups()
        self.text, self.executed = text, executed
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
    """(name, executed instructions) of each launch."""
    codes, code, lines = {}, [], iter(listing.splitlines())
    for line in lines:
        word = line.split(None, 4)
        if word[0] == "CODE":
            code = codes[word[1]] = []
        elif word[0] == "LAUNCH":
            counts = [int(n.split("/")[0]) for n in next(lines).split()]
            yield word[4], [Instruction(t, n) for t, n in zip(codes[word[3]], counts) if n]
        else:
            code.append(line)


def counted(code, positions, warps):
    counts = Counter()
    for i in positions:
        counts[code[i].op] += code[i].executed
    assert all(n % warps == 0 for n in counts.values()), counts
    return Counter({op: n // warps for op, n in counts.items()})


def text_of(counts, order=sorted):
    return " ".join(op + ("*%d" % counts[op] if counts[op] > 1 else "") for op in order(counts) if counts[op])


def measured(folder):
    said = unpacked(folder, "raw", "ways_ways.out.xz")
    arguments = {m.group(1): m.group(2) for m in re.finditer(r"^ARGUMENTS (\S+ \d+) (.*)$", said, re.M)}
    print("# Machine instructions that a warp executes for a call of a function of the math library, all lanes the same way.")
    print("# Without the kernel around it. table: of these, loads of coefficients and their address.")
    print("# NVIDIA H200, driver 580.159.04, ncu 2025.3.1, nvcc 13.0.88, 2026-11-29; made by:")
    print("#   tests/truth/machine/collect.py OUT --only ways; tools/library_code.py measured OUT")
    print("\t".join(["function", "way", "signature", "arguments", "counts", "table"]))
    for name, code in launches(unpacked(folder, "listing", "ways_ways.txt.xz")):
        function, way, signature = name.split()
        warps = sum(inst.executed for inst in code if inst.op == "EXIT")
        counts = counted(code, set(range(len(code))) - around(code), warps)
        if function == "copy":  # what reads the arguments, and nothing else
            assert set(counts) <= {"LOP3", "MOV"}, (name, counts)
            continue
        coefficients = counted(code, table(code) - around(code), warps) if function in WITH_TABLE else Counter()
        print("\t".join([function, way, signature, arguments[function + " " + way], text_of(counts), text_of(coefficients)]))


# ---- the rows

def less(whole, part):
    """The rest of a function without a part of it."""
    assert all(whole[op] >= n for op, n in part.items()), (whole, part)
    return whole - part


def parsed(text):
    return Counter({word.split("*")[0]: int((word + "*1").split("*")[1]) for word in text.split()})


def read_table():
    """{function: {way: counts}}, and the same of the column `table`."""
    counts, tables = {}, {}
    with open(TABLE) as f:
        for row in csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t"):
            counts.setdefault(row["function"], {})[int(row["way"])] = parsed(row["counts"])
            tables.setdefault(row["function"], {})[int(row["way"])] = parsed(row["table"])
    return counts, tables


def flops(name):
    """What extern_flops.def says that the function counts as."""
    text = (TARGET / "extern_flops.def").read_text()
    numbers = re.search(r"EXTERN_FLOPS\(%s,([^)]*)\)" % name, text).group(1).split(",")
    return Counter(dict(zip(["FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA"], map(int, numbers))))


def by_table(f, counts, tables):
    """The coefficients are loaded by the header's own code, and the rest is the function that gets them."""
    return {"%s_by" % f: {way: less(n, tables[f][way]) for way, n in counts[f].items()}}


def sine_and_cosine(pi, f, counts):
    """The cosine is the floating-point operations that extern_flops.def gives it: the second polynomial."""
    whole, stem = counts["sincos" + pi + f], "sincos" + pi
    cosine = flops("__nv_%s_cos%s" % (stem, f)) if (pi, f) != ("pi", "f") else Counter()
    sines = {way: less(n, cosine) for way, n in whole.items() if way < 2}
    cosines = {0: cosine, 1: cosine} if (pi, f) == ("pi", "f") else {0: cosine}
    return {"%s_sin%s" % (stem, f): sines, "%s_cos%s" % (stem, f): cosines}


def power(counts):
    """Two calls cost less by one part when they have the base or the exponent in common."""
    base = counts["powf_twice"][0] - counts["powf_same_base"][0]
    exponent = counts["powf_twice"][0] - counts["powf_same_exponent"][0]
    rest = {way: less(n, base + exponent) for way, n in counts["powf"].items()}
    return {"pow_basef": {0: base}, "pow_exponentf": {0: exponent}, "pow_restf": rest}


def in_parts(counts, tables):
    """{function: {way: counts}} of the functions of extern_flops.def and lanes_extern.def, some of which are parts."""
    out = dict(counts)
    for f in WITH_TABLE:
        out.update(by_table(f, counts, tables))
    for pi in ("", "pi"):
        for f in ("", "f"):
            out.update(sine_and_cosine(pi, f, counts))
    out.update(power(counts))
    out["quarter"] = out["quarter_pi"] = {0: Counter()}
    out["heddle_remquo"] = {0: counts["remquo"][0] - counts["remainder"][0]}
    for whole in [f for f in out if re.match(r"sincos(pi)?f?$|powf_|remquo$", f)]:
        del out[whole]
    for whole in WITH_TABLE + ("powf",):  # called by nobody who has our headers
        out[whole] = {0: counts[whole][0]}
    return out


def operations():
    return re.findall(r"^OPERATION\((\w+),", (TARGET / "operations.def").read_text(), re.M)


def row(name, way, counts, order):
    """LIBRARY(name, way, text), the text in as many strings as the width wants."""
    name = "__" + name if name.startswith("heddle_") else "__nv_" + name
    head, lines = "LIBRARY(%s, %s, " % (name, way), [""]
    for word in text_of(counts, order).split():
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
 * way      ALL: what the function executes whichever way it goes; a number (EXTERN_WAYS of extern_flops.def): what it executes
 *          beyond that when all lanes of a warp go this way. A function without ways has one row, ALL. Many ways execute
 *          the same, some of it under a predicate that does not hold. Of a warp whose lanes go several ways nothing was
 *          measured: what is under branches is then executed for each.
 * text     operations (operations.def) with how often a warp executes them, once when there is no number. Instructions
 *          whose predicate holds for no lane count, too. Constants are part of the function: UMOV, MOV, IMAD and HFMA2.
 *
 * Measured on an H200 (tests/truth/machine/library.tsv has device, date and arguments), nvcc 13.0.88 without -use_fast_math. In
 * functions without ways an ordinary argument; the reduction of large arguments of sin, cos and tan, and other rare paths,
 * are not in it. powi and powif: of a whole exponent that is converted, as nvcc compiles C++'s pow. Loops (fmod, remainder,
 * jn, yn): of the arguments measured.
 *
 * Functions that the device headers call in parts (include/heddle/device/libm.h):
 *   sin_by, cos_by, sinpi_by, cospi_by: the function without the loads of coefficients and their address, which the header's
 *     own code does; __nv_quarter and __nv_quarter_pi, called before, are in them
 *   sincos_cos, sincospi_cos: the polynomial of the cosine, as in extern_flops.def; sincos_sin, sincospi_sin: all else.
 *     sincospi_cosf is all in sincospi_sinf: both polynomials are executed whichever way
 *   __heddle_remquo: what remquo has beyond remainder
 *   pow_basef, pow_exponentf: what two calls of powf save with the same base or exponent; pow_restf: the rest of powf
 *
 * Made by tools/library_code.py. Who includes this defines LIBRARY. */"""


def rows():
    ordered = {op: i for i, op in enumerate(operations())}
    order = lambda counts: sorted(counts, key=lambda op: ordered.get(op, len(ordered)))
    print(HEAD)
    for name, ways in sorted(in_parts(*read_table()).items()):
        common = ways[0]
        for counts in ways.values():
            common = common & counts
        print(row(name, "ALL", common, order))
        if len(ways) > 1:
            for way, counts in sorted(ways.items()):
                print(row(name, way, counts - common, order))
    print("#undef LIBRARY")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "measured":
        return measured(sys.argv[2])
    if sys.argv[1:] == ["rows"]:
        return rows()
    sys.exit("usage: " + __doc__.split("usage: ")[1].split("\n\n")[0])


if __name__ == "__main__":
    main()
