#!/usr/bin/env python3
"""Runs programs of tests/truth under `heddle run --timed` and compares event times around single warm launches with an H200's.

In: tests/truth/time/programs.tsv, column `events ns`: the median of 20 launches between two events, each after some others of the same kernel. Device
code: nvcc's PTX (tests/truth/ptx). Out: a line a program and the mean absolute error. Each launch is made six times, so all programs take hours:
name some. Exit status 1 if a program has no such launch, or, with --most, if the mean of all is more percent than this.

usage: accuracy_events.py HEDDLE [--tsv FILE] [--most PERCENT] PROGRAM...
"""
import argparse
import csv
import os
import re
import subprocess
import sys

TRUTH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "truth")
TIME = re.compile(r"^TIME \d+ median_us=(\S+) min_us=\S+ batch_us=\S+ (.*)$", re.M)


def measured():
    with open(os.path.join(TRUTH, "time", "programs.tsv"), encoding="utf-8") as f:
        return {(row["program"], row["args"]): float(row["events ns"]) / 1e3 for row in csv.DictReader(f, delimiter="\t") if row["events ns"]}


def modelled(heddle, program):
    """{args: us}."""
    done = subprocess.run([heddle, "run", "--device", "h200", "--timed", "--device-ptx", os.path.join(TRUTH, "ptx", program + ".nvcc.ptx"),
                           os.path.join(TRUTH, program + ".cu"), "--reps", "1"], capture_output=True, text=True, env=dict(os.environ, HEDDLE_QUIET="1"))
    if done.returncode:
        sys.exit(f"{program}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return {args: float(us) for us, args in TIME.findall(done.stdout)}


def error(rows):
    """Mean, in percent; of none more than any bound."""
    return 100 * sum(abs(us / is_ - 1) for _, _, us, is_ in rows) / len(rows) if rows else float("inf")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("program", nargs="+")
    parser.add_argument("--tsv")
    parser.add_argument("--most", type=float)
    args = parser.parse_args()
    truth, rows, found = measured(), [], True
    for program in args.program:
        own = [(program, variant, us, truth[program, variant]) for variant, us in modelled(args.heddle, program).items() if (program, variant) in truth]
        rows += own
        found = found and bool(own)
        print(f"{program:20} {len(own):4} launches, {error(own):5.1f} %", flush=True)
    print(f"{'all':20} {len(rows):4} launches, {error(rows):5.1f} %")
    if args.tsv:
        with open(args.tsv, "w", encoding="utf-8") as f:
            f.writelines("\t".join((p, a, f"{us:.3f}", f"{is_:.3f}")) + "\n" for p, a, us, is_ in rows)
    if args.most is not None and error(rows) > args.most:
        print(f"the mean of all may be {args.most:g} % at most")
    return 0 if found and (args.most is None or error(rows) <= args.most) else 1


if __name__ == "__main__":
    sys.exit(main())
