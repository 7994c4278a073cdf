#!/usr/bin/env python3
"""Runs the programs of a set under `heddle profile` and compares every launch with an H200's counts.

A cell is one metric of ../exact.txt of one launch; as in tools/accuracy.py it is equal within 0.5 %, and the share is of the
cells that are not 0 on both sides. Printed: a line a program, one a metric that has such cells, and the share of all.
Exit status: 1 if a program did not print PASSED, made other launches, or the share is below --least.

usage: compare.py HEDDLE [--set FOLDER] [--rows FILE] [--code own|nvcc] [--least PERCENT] [--differences] [--only PROGRAM,...]
                  [--timeout SECONDS]

  --set FOLDER    the folder of the programs and of programs.tsv; default: this folder
  --rows FILE     the H200's counts, as rows.py prints them; default: h200.tsv of the set
  --code nvcc     the device code comes from NVIDIA's compiler, which must be on PATH (--front-end nvcc); default: own
  --least PERCENT the share that is wanted; default: 97
  --differences   also a line for each cell that differs: program, launch, kernel, metric, H200, Heddle
"""
import argparse
import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent.parent / "tools"))

import accuracy  # noqa: E402
from accuracy_public import short  # noqa: E402

WORDS = {"own": [], "nvcc": ["--front-end", "nvcc"]}


def table(path):
    """[row] of a file of tab-separated columns with comments."""
    lines = [line for line in Path(path).read_text().splitlines() if line.strip() and not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def same_launches(rows, ours):
    return [short(r["kernel"]) for r in rows] == [short(r["Kernel Name"]) for r in ours]


def percent(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.2f} %)" if whole else "none"


def compare(options, flags, rows):
    """A Comparison; says each program's share."""
    result = accuracy.Comparison(options.code)
    for program, launches in rows.items():
        words = ["-std=c++17", *WORDS[options.code], *flags[program].split(), str(options.set / f"{program}.cu")]
        problem, ours = accuracy.profile(options.heddle, words, options.timeout)
        if not problem and not same_launches(launches, ours):
            problem = f"made the {len(ours)} launches {[short(r['Kernel Name']) for r in ours]}"
        if problem:
            result.failed.append((program, problem))
        before = [sum(c[k] for c in result.cells.values()) for k in (3, 2)]
        for i, row in enumerate(launches):
            result.add(row, {} if problem or i >= len(ours) else ours[i])
        after = [sum(c[k] for c in result.cells.values()) for k in (3, 2)]
        print(f"{program}: {percent(after[0] - before[0], after[1] - before[1])}{', ' + problem if problem else ''}", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("--set", type=Path, default=HERE)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--code", default="own", choices=WORDS)
    parser.add_argument("--least", type=float, default=97.0)
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=120)
    options = parser.parse_args()
    options.rows = options.rows or options.set / "h200.tsv"
    if not options.rows.is_file():
        sys.exit(f"no counts of a GPU yet: '{options.rows}' is missing; measure.sh and rows.py make it")
    flags = {r["program"]: r["flags"] or "" for r in table(options.set / "programs.tsv")}
    rows = {}
    for row in table(options.rows):
        if not options.only or row["program"] in options.only.split(","):
            rows.setdefault(row["program"], []).append(row)
    result = compare(options, flags, rows)
    print()
    for metric, (_, _, nonzero, equal) in result.cells.items():
        if nonzero:
            print(f"{metric}: {percent(equal, nonzero)}")
    if options.differences:
        for row, metric, measured, ours in result.differ:
            print("\t".join((row["program"], row["args"], row["kernel"], metric, accuracy.figure(measured), accuracy.figure(ours))))
    print(f"\nlaunches equal in everything: {percent(result.launches_equal, result.launches)}\nnon-zero exact cells equal: "
          f"{percent(sum(c[3] for c in result.cells.values()), sum(c[2] for c in result.cells.values()))}")
    return 1 if result.failed or 100 * result.share() < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
