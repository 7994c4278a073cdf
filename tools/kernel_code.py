#!/usr/bin/env python3
"""Compares the machine code and registers of whole kernels, architecture by architecture, with what NVIDIA's assembler makes of them.

    tools/kernel_code.py HEDDLE                        the kernels of tests/truth/machine/histograms.tsv, PTX in tests/truth/ptx
    tools/kernel_code.py --table FILE --ptx FOLDER HEDDLE      a table that tools/machine_code.py printed, of any PTX
    tools/kernel_code.py --first ...                   of each file only the kernel whose name comes first, no function of CUB or Thrust
    tools/kernel_code.py --worst N ...                 the N kernels of each architecture that are furthest off
    tools/kernel_code.py --limits FILE HEDDLE          exit status 1 where a figure is beyond that of the file

What goes out, for each architecture: how many kernels; the error by operation, which is the sum over operations of the difference, over
the assembler's total, functions behind a kernel and long ways included: mean, median and 90th percentile; registers: the mean
error and the share within 6. No assembler is asked.
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys

from operation_code import DEVICES, counted, differences, error

TRUTH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "truth")
LIBRARIES = ("_ZN3cub", "_ZN6thrust")
NEAR = 6  # registers

Kernel = collections.namedtuple("Kernel", "arch file name registers counts")
Off = collections.namedtuple("Off", "kernel counts error registers")  # ours, and how far it is off


def kernels(path):
    with open(path) as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith(("#", "arch\t"))]
    return [Kernel(int(row[0]), row[1], row[2], int(row[3]), counted(row[6])) for row in rows]


def firsts(all_):
    first = {}
    for one in all_:
        if not one.name.startswith(LIBRARIES) and one.name <= first.get((one.arch, one.file), one).name:
            first[one.arch, one.file] = one
    return list(first.values())


def heddle_target(heddle, path, *words):
    devices = ",".join(DEVICES[arch] for arch in sorted(DEVICES))
    return subprocess.run([heddle, "target", "--device", devices, *words, path], capture_output=True, text=True).stdout


def counts_of(text):
    """{(kernel, arch): Counter} of a table of several devices."""
    found, name = collections.defaultdict(collections.Counter), None
    for line in text.splitlines():
        words = line.split()
        if head := re.match(r"(\S+): instructions of the machine code", line):
            name = head.group(1)
        elif name and words[2:] and words[0] != "all" and len(words) == 2 + len(DEVICES) and all(map(str.isdigit, words[2:])):
            for arch, number in zip(sorted(DEVICES), words[2:]):
                found[name, arch][words[0]] += int(number)
    return {key: +counts for key, counts in found.items()}


def registers_of(text):
    """{(kernel, arch): registers} of listings."""
    return {(name, int(arch)): int(n) for name, arch, n in re.findall(r"^# (\S+) for sm_(\d+) .* (\d+) registers, an estimate", text, re.M)}


def compare(heddle, wanted, folder):
    """([Off], [what is missing])"""
    off, missing = [], []
    for file in sorted({one.file for one in wanted}):
        path = os.path.join(folder, file)
        counts, registers = counts_of(heddle_target(heddle, path, "--count")), registers_of(heddle_target(heddle, path))
        for one in wanted:
            key = one.name, one.arch
            if one.file == file and key in counts and key in registers:
                off.append(Off(one, counts[key], error(counts[key], one.counts), registers[key] - one.registers))
            elif one.file == file:
                missing.append("%s: no %s for sm_%d here" % (file, one.name, one.arch))
    return off, missing


def summary(off):
    """Kernels; of operations mean, median and 90th percentile; registers, and per cent within NEAR."""
    errors, registers = sorted(one.error for one in off), [abs(one.registers) for one in off]
    return (len(off), 100 * statistics.mean(errors), 100 * statistics.median(errors), 100 * errors[-1 - len(errors) // 10],
            statistics.mean(registers), 100 * statistics.mean(r <= NEAR for r in registers))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heddle")
    parser.add_argument("--table", default=os.path.join(TRUTH, "machine", "histograms.tsv"))
    parser.add_argument("--ptx", metavar="FOLDER", default=os.path.join(TRUTH, "ptx"))
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--worst", metavar="N", type=int, default=0)
    parser.add_argument("--limits", metavar="FILE")
    args = parser.parse_args()

    wanted = kernels(args.table)
    off, problems = compare(args.heddle, firsts(wanted) if args.first else wanted, args.ptx)
    limits = {}
    if args.limits:
        with open(args.limits) as file:
            limits = {int(line.split()[0]): list(map(float, line.split()[1:])) for line in file if not line.startswith("#")}
    for arch in sorted({one.kernel.arch for one in off}):
        here = sorted((one for one in off if one.kernel.arch == arch), key=lambda one: -one.error)
        n, mean, median, most, registers, near = summary(here)
        print("sm_%d: %d kernels; operations off by %.1f %% in the mean, median %.1f %%, 90th percentile %.0f %%; registers %.2f, %.1f %% within %d"
              % (arch, n, mean, median, most, registers, near, NEAR))
        for one in here[:args.worst]:
            print("  %4.0f %% of %d, %+d registers: %s %s: %s" % (100 * one.error, sum(one.kernel.counts.values()), one.registers, one.kernel.file,
                                                              one.kernel.name, differences(one.counts, one.kernel.counts)))
        if limits and (mean > limits[arch][0] or registers > limits[arch][1] or near < limits[arch][2]):
            problems.append("sm_%d is beyond its limits: %s" % (arch, " ".join(map(str, limits[arch]))))
    for problem in problems or ([] if off else ["no kernels"]):
        print("kernel_code.py: " + problem, file=sys.stderr)
    return int(bool(problems) or not off)


if __name__ == "__main__":
    sys.exit(main())
