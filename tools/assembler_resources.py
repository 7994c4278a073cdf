#!/usr/bin/env python3
"""Registers and instructions that the vendor's assembler makes of each kernel, beside Heddle's estimate.

    tools/assembler_resources.py FILE.ptx ... > tests/truth/assembler.tsv     what ptxas says
    tools/assembler_resources.py --heddle build/bin/heddle FILE.ptx ...       how far `heddle target` is from it

Needs ptxas (part of NVIDIA's toolkit). Registers are those of `ptxas -v`; instructions are those in the kernel, functions
behind it left out, with loops left rolled by .pragma "nounroll", so that each is one that the PTX has. Exit status 77 when
there is no ptxas.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import sass_static

NOP, BRANCH = 0x118, 0x147


def ptxas(path, rolled):
    """{kernel: (registers, instructions)}"""
    text = open(path).read()
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        open(source, "w").write(sass_static.without_unrolling(text) if rolled else text)
        done = subprocess.run(["ptxas", "-arch=sm_90", "-v", source, "-o", cubin], capture_output=True, text=True)
        if done.returncode:
            print("%s: %s" % (path, done.stderr.strip().splitlines()[:1]), file=sys.stderr)
            return {}
        registers = {name: int(n) for name, n in
                     re.findall(r"entry function '(\S+)'.*?Used (\d+) registers", done.stderr, re.S)}
        return {name: (registers[name], length(*code)) for name, code in sass_static.kernels(cubin).items() if name in registers}


def length(instructions, functions):
    """Without the padding behind the end, a branch to itself and NOPs, and the functions behind the kernel."""
    end = min((at for at, name in functions.items() if name.startswith("$")), default=len(instructions) * 16) // 16
    codes = [low & 0x1FF for low, _ in instructions[:end]]
    while codes and codes[-1] == NOP:
        codes.pop()
    if codes and codes[-1] == BRANCH:
        codes.pop()
    return sum(code != NOP for code in codes)


def heddle(program, path):
    """{kernel: (registers, instructions)} of `heddle target`"""
    said = subprocess.run([program, "target", path], capture_output=True, text=True).stdout
    found = re.findall(r"^# rewritten from (\S+); about (\d+) registers per thread and (\d+) instructions", said, re.M)
    return {name: (int(registers), int(n)) for name, registers, n in found}


def summary(what, pairs):
    if not pairs:
        return
    off = [abs(mine - theirs) for mine, theirs in pairs]
    best = min(sum(abs(theirs - constant) for _, theirs in pairs) / len(pairs) for constant in range(4, 256))
    print("%-32s %4d kernels  mean error %5.2f  within 3 %5.1f %%  within 6 %5.1f %%  best constant %5.2f" % (
        what, len(pairs), sum(off) / len(off), 100 * sum(x <= 3 for x in off) / len(off),
        100 * sum(x <= 6 for x in off) / len(off), best))


def compare(program, files):
    registers, instructions = [], []
    for path in files:
        mine, theirs, rolled = heddle(program, path), ptxas(path, False), ptxas(path, True)
        for kernel in sorted(mine.keys() & theirs.keys() & rolled.keys()):
            registers.append((mine[kernel][0], theirs[kernel][0]))
            instructions.append((mine[kernel][1], rolled[kernel][1]))
    summary("registers", registers)
    summary("registers, kernels above 24", [x for x in registers if x[1] > 24])
    relative = [abs(a - b) / b for a, b in instructions]
    print("%-32s %4d kernels  mean relative error %.1f %%  median %.1f %%" % (
        "instructions", len(relative), 100 * sum(relative) / len(relative), 100 * sorted(relative)[len(relative) // 2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", metavar="PROGRAM")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if not shutil.which("ptxas"):
        print("assembler_resources.py: no 'ptxas' here: nothing was asked", file=sys.stderr)
        sys.exit(77)
    if args.heddle:
        return compare(args.heddle, args.files)
    version = re.search(r"V[\d.]+", subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout)
    print("# What the vendor's assembler says of each kernel; instructions with loops not unrolled.")
    print("# ptxas %s -arch=sm_90; made by: tools/assembler_resources.py tests/truth/ptx/*.ptx" % (version and version.group(0)))
    print("file\tkernel\tregisters\tinstructions")
    for path in args.files:
        counts, rolled = ptxas(path, False), ptxas(path, True)
        for kernel in sorted(counts):
            print("%s\t%s\t%d\t%d" % (os.path.basename(path), kernel, counts[kernel][0], rolled[kernel][1]))


if __name__ == "__main__":
    main()
