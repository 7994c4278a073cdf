#!/usr/bin/env python3
"""Runs programs with a limit of registers under `heddle profile` and compares the traffic of spills with an H200.

In: tests/truth/machine: spills.tsv (local memory of each launch), spills/*.ptx (nvcc's PTX of the programs of this tree; nvcc knows of
the limit, so it is other PTX than without), SPILLS of collect.py (which programs, limits and filters). Public programs are not in this
repository: their results are taken from a folder with a file PROGRAM.LIMIT.csv each (tests/truth/README.md says how). Sectors of local
loads and stores are added up. Out: the page docs/reference/accuracy-spills.md. Exit status: 1 if a program did not print PASSED or had
other launches.

usage: accuracy_spills.py HEDDLE [--public FOLDER] [--write FILE] [--only PROGRAM,...] [--timeout SECONDS]
"""
import argparse
import statistics
import sys
from pathlib import Path

import accuracy
from accuracy_public import results, same_launches, short

MACHINE = accuracy.TRUTH / "machine"
sys.path.insert(0, str(MACHINE))
from collect import SPILLS  # noqa: E402

REGISTERS = "launch__registers_per_thread"
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st")]
NEAR = 0.25  # a kernel's sectors are near the H200's


class Launch:
    """One launch, measured and ours. `name` tells the kernel from others; a kernel with several launches is one."""

    def __init__(self, row, ours):
        self.program, self.limit, self.launch = row["program"], int(row["limit"]), row["launch"]
        self.name = f"`{self.program}` {self.limit}, {short(row['kernel'])}"
        self.kernel = (self.program, self.limit, row["kernel"])
        self.registers = tuple(int(accuracy.number(r[REGISTERS])) for r in (row, ours))
        self.sectors = tuple(sum(accuracy.number(r[m]) for m in SECTORS) for r in (row, ours))

    def error(self):
        return self.sectors[1] / self.sectors[0] - 1 if self.sectors[0] else None


def ptx_of(name, limit):
    """nvcc's PTX of a program of this tree, with this limit; one file is for several limits if it is the same."""
    named = MACHINE / "spills" / f"{name}.{limit}.ptx"
    return named if named.exists() else MACHINE / "spills" / f"{name}.ptx"


def run(heddle, path, limit, filters, timeout):
    name = path.rpartition("/")[2]
    words = [*filters.split(), f"-maxrregcount={limit}", "--device-ptx", str(ptx_of(name, limit)), str(accuracy.TRUTH / f"{path}.cu")]
    return accuracy.profile(heddle, words, timeout, [REGISTERS, *SECTORS])


def compare(heddle, rows, public, only, timeout):
    """([Launch], [what went wrong])"""
    launches, problems = [], []
    for path, limit, filters in SPILLS:
        name = path.rpartition("/")[2]
        mine = [r for r in rows if (r["program"], r["limit"]) == (name, str(limit))]
        if only and name not in only or path.startswith("public/") and not public:
            continue
        if path.startswith("public/"):
            problem, ours = None, results(public, f"{name}.{limit}")
        else:
            problem, ours = run(heddle, path, limit, filters, timeout)
        if not problem and not same_launches(mine, ours):
            problem = "other launches than in spills.tsv"
        if problem:
            problems.append(f"{name}.{limit}: {problem}")
        else:
            launches += [Launch(*pair) for pair in zip(mine, ours)]
    return launches, problems


def kernels_of(launches):
    """{kernel: its launch with the largest error} of those that spill on the H200."""
    kernels = {}
    for one in launches:
        if one.sectors[0] and abs(one.error()) >= abs(kernels[one.kernel].error() if one.kernel in kernels else 0):
            kernels[one.kernel] = one
    return kernels


def summary(launches):
    """[(label, text)]"""
    errors = [one.error() for one in kernels_of(launches).values()]
    none = [one for one in launches if not one.sectors[0]]
    total = [sum(one.sectors[i] for one in launches) for i in (0, 1)]
    return [
        ("launches", f"{len(launches)}"),
        ("kernels that access local memory on the H200", f"{len(errors)}"),
        (f"of these: sectors within {100 * NEAR:.0f} %", f"{sum(abs(e) <= NEAR for e in errors)}"),
        ("of these: median error", f"{100 * statistics.median(map(abs, errors)):.1f} %" if errors else "none"),
        ("sectors of all launches, Heddle over H200", f"{total[1] / total[0]:.3f}" if total[0] else "none"),
        ("launches without local memory on the H200", f"{len(none)}"),
        ("of these: none here either", f"{sum(not one.sectors[1] for one in none)}"),
        ("registers: mean error", f"{statistics.mean(abs(a - b) for a, b in (one.registers for one in launches)):.1f}" if launches else "none"),
    ]


def page(launches):
    out = ["# Spills beside an H200", "",
           "Printed by `tools/accuracy_spills.py`; do not edit. Programs that nvcc built with `-maxrregcount`, so that kernels keep values in",
           "local memory: sectors of local loads and stores, of nvcc's PTX here. Local arrays of a program's own are among them. What the",
           "H200 counted (driver 580.159.04, ncu 2025.3.1, nvcc 13.0.88, 2026-11-29) is in `tests/truth/machine/spills.tsv`.", "",
           "| | |", "| --- | --: |"]
    out += [f"| {label} | {text} |" for label, text in summary(launches)]
    out += ["", "| program and limit, kernel | launch | registers | here | sectors | here | here over H200 |",
            "| --- | --: | --: | --: | --: | --: | --: |"]
    for one in launches:
        if any(one.sectors):
            ratio = f"{one.sectors[1] / one.sectors[0]:.2f}" if one.sectors[0] else ""
            out.append(f"| {one.name} | {one.launch} | {one.registers[0]} | {one.registers[1]} | {one.sectors[0]:,.0f} | "
                       f"{one.sectors[1]:,.0f} | {ratio} |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("--public")
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=300)
    args = parser.parse_args()
    rows, only = accuracy.rows_of("machine/spills.tsv"), [p for p in args.only.split(",") if p]
    unknown = [p for p in only if p not in {r["program"] for r in rows}]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    launches, problems = compare(args.heddle, rows, Path(args.public) if args.public else None, only, args.timeout)
    if args.write:
        Path(args.write).write_text(page(launches))
    for one in launches:
        if any(one.sectors):
            error = one.error()
            print(f"{one.name} {one.launch}: {one.sectors[0]:,.0f}, here {one.sectors[1]:,.0f}" + (f", {100 * error:+.1f} %" if error is not None else ""))
    for label, text in summary(launches):
        print(f"{label}: {text}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
