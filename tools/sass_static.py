#!/usr/bin/env python3
"""Counts the memory and floating-point instructions that the vendor's assembler makes of PTX, kernel by kernel.

    tools/sass_static.py [--ptxas PROGRAM] FILE.ptx ... > tests/truth/sass_static.tsv
    tools/sass_static.py --dump KERNEL FILE.ptx      the kernel's instructions, one a line
    tools/sass_static.py --no-pragma ...             leave loops to be unrolled

Needs ptxas (part of NVIDIA's toolkit); no disassembler: the few fields that matter are read from the 128-bit
instructions of compute capability 7.0 to 9.0 directly. Loops get `.pragma "nounroll"`, so that one instruction
of the PTX is one of the machine code, unless the assembler merged, split or dropped it. Slow paths of division and
square root (functions behind the kernel's own code) are not counted; 16-bit division, which is only such a function,
is. Exit status 77 when there is no ptxas.
"""
import argparse
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Opcode (low 9 bits) to name, found by assembling one-instruction kernels.
MEMORY = {0x181: "LDG", 0x186: "STG", 0x184: "LDS", 0x188: "STS", 0x183: "LDL", 0x187: "STL", 0x180: "LD", 0x185: "ST"}
FLOAT = {0x21: "FADD", 0x20: "FMUL", 0x23: "FFMA", 0x29: "DADD", 0x28: "DMUL", 0x2B: "DFMA"}
ATOMIC = {0x1A8: "ATOM", 0x1A9: "ATOM", 0x1A3: "ATOM", 0x18A: "ATOM", 0x18B: "ATOM", 0x18E: "RED", 0x1A6: "RED"}
FLOW = {0x147: "BRA", 0x14D: "EXIT", 0x145: "BSSY", 0x141: "BSYNC", 0x144: "CALL", 0x150: "RET", 0x11D: "BAR",
        0x108: "MUFU", 0x189: "SHFL", 0x18C: "ATOMS", 0x18D: "ATOMS.CAS", 0x192: "MEMBAR", 0x1AE: "LDGSTS"}
WIDTH = ["8", "8", "16", "16", "32", "64", "128", "128"]


def sections(data):
    """Name, type, offset, size, link and index of every section of a 64-bit ELF file."""
    (shoff,) = struct.unpack_from("<Q", data, 40)
    entry, number, names = struct.unpack_from("<HHH", data, 58)
    raw = [struct.unpack_from("<IIQQQQII", data, shoff + i * entry) for i in range(number)]

    def text(table, at):
        start = raw[table][4] + at
        return data[start:data.index(b"\0", start)].decode()

    return [(text(names, r[0]), r[1], r[4], r[5], r[6], i) for i, r in enumerate(raw)], text


def kernels(cubin):
    """{kernel: (instructions as pairs of words, {offset: name of a function behind the kernel})}"""
    data = open(cubin, "rb").read()
    table, text = sections(data)
    functions = collections.defaultdict(dict)
    for _, kind, offset, size, link, _ in table:
        if kind != 2:
            continue
        for at in range(offset, offset + size, 24):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            name = text(link, name)
            if value and name.startswith("$"):
                functions[section][value] = name
    return {name[6:]: ([struct.unpack_from("<QQ", data, offset + at) for at in range(0, size, 16)], functions[i])
            for name, _, offset, size, _, i in table if name.startswith(".text.")}


def decode(low, high):
    opcode = low & 0x1FF
    if opcode in MEMORY:
        return MEMORY[opcode] + "." + WIDTH[high >> 9 & 7]
    return FLOAT.get(opcode) or ATOMIC.get(opcode) or FLOW.get(opcode) or "%03x" % (low & 0xFFF)


def count(instructions, functions):
    slow = [at for at, name in functions.items() if "__cuda" in name]
    end = min(slow, default=len(instructions) * 16) // 16
    if any("16" in name for name in functions.values() if "div" in name or "rem" in name):
        end = len(instructions)
    counts = collections.Counter(decode(*words) for words in instructions[:end])
    return {k: n for k, n in counts.items() if k.split(".")[0] in {*MEMORY.values(), *FLOAT.values(), *ATOMIC.values()}}


def without_unrolling(text):
    """The pragma behind every label that an instruction follows: a loop's header need not be its branch's target."""
    lines, out, follows = text.splitlines(), [], False
    for line in reversed(lines):
        code = line.split("//")[0].strip()
        if re.fullmatch(r"\$\w+:", code):
            if follows:
                out.append('.pragma "nounroll";')
        elif code:
            follows = not code.startswith(("}", ".b8", ".b32", ".b64"))
        out.append(line)
    return "\n".join(reversed(out)) + "\n"


def assemble(ptxas, path, pragma):
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        text = open(path).read()
        open(source, "w").write(without_unrolling(text) if pragma else text)
        done = subprocess.run([ptxas, "-arch=sm_90", source, "-o", cubin], capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s: %s" % (path, done.stderr.strip()))
        return kernels(cubin)


def dump(instructions, functions):
    for i, (low, high) in enumerate(instructions):
        if i * 16 in functions:
            print(functions[i * 16] + ":")
        predicate = low >> 12 & 15
        guard = "" if predicate == 7 else "@%sP%d" % ("!" if predicate & 8 else "", predicate & 7)
        offset = (low >> 40 & 0xFFFFFF ^ 0x800000) - 0x800000
        print("%05x %5s %-10s R%d, R%d, R%d  %+d" % (i * 16, guard, decode(low, high), low >> 16 & 255, low >> 24 & 255,
                                                   low >> 32 & 255, offset))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--dump", metavar="KERNEL")
    parser.add_argument("--no-pragma", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if not shutil.which(args.ptxas):
        print("sass_static.py: no '%s' here: nothing was counted" % args.ptxas, file=sys.stderr)
        sys.exit(77)
    version = subprocess.run([args.ptxas, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"V[\d.]+", version)
    if not args.dump:
        print("# Instructions that the vendor's assembler makes of each kernel, loops not unrolled, slow paths left out.")
        print("# ptxas %s -arch=sm_90; made by: tools/sass_static.py FILE.ptx ..." % (version and version.group(0)))
        print("file\tkernel\tcounts")
    for path in args.files:
        for kernel, (instructions, functions) in sorted(assemble(args.ptxas, path, not args.no_pragma).items()):
            if args.dump:
                if args.dump in kernel:
                    print(kernel + ":")
                    dump(instructions, functions)
                continue
            counts = count(instructions, functions)
            print("%s\t%s\t%s" % (os.path.basename(path), kernel, " ".join("%s=%d" % c for c in sorted(counts.items()))))


if __name__ == "__main__":
    main()
