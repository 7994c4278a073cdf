#!/usr/bin/env python3
"""How far apart NVIDIA's assembler puts the instructions of a warp, and which results have a barrier of the scoreboard, beside what
src/target/spacing.def and operations.def say.

    tools/stall_counts.py --measure FILE.ptx ...     the table tests/truth/machine/stalls.tsv without its rows of barriers, and
    tools/stall_counts.py --barriers FILE.ptx ...    these; both need ptxas (exit status 77 without)
    tools/stall_counts.py                            compares: exit status 1 where a row of the two is not what the table has

Each instruction has a count in its bits 105 to 108: cycles until the next one is issued. A line of the table: architecture, operation, its unit,
what comes next ("same": an operation of that unit, "guard": a branch or EXIT behind an operation that makes a predicate, else "other"), then
COUNT=HOW OFTEN. Where the third column is "barrier", the counts are of instructions that set a barrier for their result (1=) or none (0=);
instructions of one unit in a row may share one.
"""
import argparse
import collections
import os
import re
import shutil
import sys

import machine_code

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "tests", "truth", "machine", "stalls.tsv")
SPACING = os.path.join(ROOT, "src", "target", "spacing.def")
OPERATIONS = os.path.join(ROOT, "src", "target", "operations.def")
ARCHITECTURES = ("75", "80", "86", "89", "90")
PREDICATES = ("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3")
SEEN = 0.04  # of the pairs; less is no rule
FEWEST = 12  # pairs, or instructions, that say something
LATE = 0.25  # of an operation's instructions that set a barrier: from here on its results come when they come


def operations():
    """[(operation, first and last architecture, unit, FIXED or SCOREBOARD, cycles)]; what differs on some comes behind the rest."""
    with open(OPERATIONS) as file:
        text = file.read()
    rows = [re.findall(r"^%s\((\w+), (\d+), (\d+), (\w+), (\w+), (\d+)" % kind, text, re.M) for kind in ("OPERATION", "ELSEWHERE")]
    return [(op, int(first), int(last), unit, wait, int(cycles)) for op, first, last, unit, wait, cycles in rows[0] + rows[1]]


def units():
    return {op: unit for op, _, _, unit, _, _ in reversed(operations())}


def stall(high):
    return high >> 41 & 15


def sets_barrier(high):
    return (high >> 46 & 7) != 7


def measured(ptxas, arch, paths, unit):
    decoder, found = machine_code.Decoder(int(arch)), collections.defaultdict(collections.Counter)
    for path in paths:
        got = machine_code.assemble(ptxas, path, arch)
        if isinstance(got, str):
            print(f"{path}, sm_{arch}: {got}", file=sys.stderr)
            continue
        for instructions, functions in got[0].values():
            for part in decoder.parts(instructions, functions):
                for words in part.instructions:
                    name = decoder.name(*words)
                    found[name, unit.get(name, "NONE"), "barrier"][int(sets_barrier(words[1]))] += 1
                for one, then in zip(part.instructions, part.instructions[1:]):
                    a, b = decoder.name(*one), decoder.name(*then)
                    guard = a in PREDICATES and b in ("BRA", "EXIT")
                    what = "guard" if guard else "same" if unit.get(a) == unit.get(b) and unit.get(a) != "NONE" else "other"
                    found[a, unit.get(a, "NONE"), what][stall(one[1])] += 1
    return found


def table():
    rows = collections.defaultdict(collections.Counter)
    with open(TABLE) as file:
        for line in file:
            if not line.startswith("#"):
                arch, op, unit, what, counts = line.rstrip("\n").split("\t")
                rows[int(arch), op, unit, what].update({int(k): int(v) for k, v in (c.split("=") for c in counts.split())})
    return rows


def least(counts):
    """The smallest count that is no exception; None: too few pairs."""
    total = sum(counts.values())
    return min(k for k, n in counts.items() if n >= SEEN * total) if total >= FEWEST else None


def joined(rows, wanted):
    return sum((counts for key, counts in rows.items() if wanted(*key)), collections.Counter())


def compare_barriers(rows):
    """How many rows of operations.def call results late that have no barrier, or the other way around."""
    known = operations()
    wrong = checked = 0
    for (arch, op, _, what), counts in sorted(rows.items()):
        here = [(wait, cycles) for name, first, last, _, wait, cycles in known if name == op and first <= arch <= last]
        if what != "barrier" or not here or not here[-1][1] or sum(counts.values()) < FEWEST:
            continue
        checked += 1
        found = "SCOREBOARD" if counts[1] >= LATE * sum(counts.values()) else "FIXED"
        if here[-1][0] != found:
            wrong += 1
            print(f"sm_{arch}: {op}: operations.def {here[-1][0]}, ptxas {found} ({counts[1]} of {sum(counts.values())} set a barrier)")
    print(f"{checked} operations by architecture: {wrong} wait otherwise in the assembler's code")
    return wrong


def compare():
    rows, wrong, checked = table(), 0, 0
    wrong += compare_barriers(rows)
    with open(SPACING) as file:
        text = file.read()
    special = set(re.findall(r"^AGAIN_OP\((\w+),", text, re.M))
    checks = []
    for kind, name, first, last, cycles in re.findall(r"^(AGAIN|AGAIN_OP|BEHIND)\((\w+), (\d+), (\d+), (\d+)\)", text, re.M):
        for arch in map(int, ARCHITECTURES):
            if int(first) <= arch <= int(last):
                wanted = {"AGAIN": lambda a, op, unit, what: a == arch and unit == name and what == "same" and op not in special,
                          "AGAIN_OP": lambda a, op, unit, what: a == arch and op == name and what == "same",
                          "BEHIND": lambda a, op, unit, what: a == arch and op == name and what != "barrier"}[kind]
                checks.append((kind, name, arch, int(cycles), least(joined(rows, wanted))))
    for first, last, cycles in re.findall(r"^GUARD\((\d+), (\d+), (\d+)\)", text, re.M):
        for arch in map(int, ARCHITECTURES):
            if int(first) <= arch <= int(last):
                counts = joined(rows, lambda a, op, unit, what: a == arch and what == "guard")
                checks.append(("GUARD", "", arch, int(cycles), counts.most_common(1)[0][0]))
    for name, first, last, cycles in re.findall(r"^GUARD_OP\((\w+), (\d+), (\d+), (\d+)\)", text, re.M):
        for arch in map(int, ARCHITECTURES):
            if int(first) <= arch <= int(last):
                counts = joined(rows, lambda a, op, unit, what: a == arch and op == name and what == "guard")
                checks.append(("GUARD_OP", name, arch, int(cycles), counts.most_common(1)[0][0] if counts.total() >= FEWEST else None))
    for kind, name, arch, said, found in checks:
        checked += found is not None
        if found is not None and found != said:
            wrong += 1
            print(f"sm_{arch}: {kind} {name}: spacing.def {said}, ptxas {found}")
    print(f"{checked} rows of spacing.def by architecture, {wrong} otherwise in the assembler's code; too few pairs for {len(checks) - checked}")
    return wrong != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--measure", nargs="+", metavar="FILE.ptx")
    parser.add_argument("--barriers", nargs="+", metavar="FILE.ptx")
    args = parser.parse_args()
    if not args.measure and not args.barriers:
        return compare()
    ptxas = shutil.which("ptxas")
    if not ptxas:
        print("skipped: no ptxas")
        return 77
    if args.measure:
        print("# tools/stall_counts.py --measure tests/truth/ptx/*.nvcc.ptx: ptxas 13.0 (V13.0.88), 2026-11-30")
    else:
        print("# tools/stall_counts.py --barriers tests/truth/ptx/*.nvcc.ptx, and the packed sets': ptxas 13.0 (V13.0.88), 2026-12-01")
    unit = units()
    for arch in ARCHITECTURES:
        for key, counts in sorted(measured(ptxas, arch, args.measure or args.barriers, unit).items()):
            if (key[2] == "barrier") == (args.measure is None):
                print("\t".join((arch, *key, " ".join("%d=%d" % c for c in sorted(counts.items())))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
