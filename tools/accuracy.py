#!/usr/bin/env python3
"""Runs the programs of tests/truth under `heddle profile` and compares every launch with an H200.

Three kinds of device code: nvcc's PTX and Heddle's own compile step (both against nvcc.tsv), clang's PTX (against
clang.tsv). A cell is one metric of one launch; it is equal within 0.5 % of the measured value. Cells that are 0 on both
sides say little, so the share is taken of the others. Cells of left_out.tsv are not compared. Prints the page
docs/reference/accuracy.md; launches that differ are named with the reason that tests/truth/reasons.tsv gives.
Exit status: 1 if a program did not print PASSED, less than 99.5 % of the non-zero cells are equal for one kind of code,
or a difference has no reason; with --check, if the page is another than FILE.

usage: accuracy.py HEDDLE [--write FILE] [--check FILE] [--only PROGRAM,...] [--code nvcc,clang,own] [--timeout SECONDS]
                   [--jobs N]
"""
import argparse
import csv
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TRUTH = Path(__file__).resolve().parent.parent / "tests" / "truth"
CODES = {
    "nvcc": ("nvcc's PTX", "nvcc.tsv"),
    "clang": ("clang's PTX", "clang.tsv"),
    "own": ("Heddle's own compile step", "nvcc.tsv"),
}
TOLERANCE = 0.005
WANTED = 0.995


def lines_of(name):
    text = (TRUTH / name).read_text()
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def rows_of(name):
    return list(csv.DictReader(lines_of(name), delimiter="\t"))


METRICS = lines_of("exact.txt")
LEFT_OUT = rows_of("left_out.tsv")
REASONS = rows_of("reasons.tsv")


def table(name):
    """{program: [row, ...]} in the order of launches."""
    rows = {}
    for row in rows_of(name):
        rows.setdefault(row["program"], []).append(row)
    return rows


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def equal(measured, ours):
    return ours is not None and abs(ours - measured) <= TOLERANCE * max(abs(measured), 1)


def launches_of(log):
    """[{column: text}] of the launches in a file as `heddle profile --csv --page raw` or ncu write it."""
    with open(log, errors="replace") as f:
        got = list(csv.reader(line for line in f if line.startswith('"')))
    return [dict(zip(got[0], row)) for row in got[2:]]


def profile(heddle, words, timeout, metrics=METRICS):
    """(what went wrong or None, [{metric: text}] of the launches) of `heddle profile` with these flags and this program."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        command = [heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base",
                   "--metrics", ",".join(metrics), "--log-file", log, *words]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"ran longer than {timeout} s", []
        rows = launches_of(log) if os.path.exists(log) else []
    if done.returncode or "PASSED" not in done.stdout or "FAILED" in done.stdout:
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        return f"exit status {done.returncode}: {last[:200]}", rows
    return None, rows


def run(heddle, program, code, timeout, metrics=METRICS):
    """The same of a program of tests/truth with this kind of device code."""
    ptx = [] if code == "own" else ["--device-ptx", str(TRUTH / "ptx" / f"{program}.{code}.ptx")]
    return profile(heddle, [*ptx, str(TRUTH / f"{program}.cu")], timeout, metrics)


def raw_lines(path):
    """The lines that tools/sweep.py kept, those that are whole."""
    lines = []
    for line in Path(path).read_text().splitlines() if os.path.exists(path) else []:
        try:
            lines.append(json.loads(line))
        except ValueError:
            print(f"{path}: a line is cut off", file=sys.stderr)
    return lines


def kept(lines, which, without="whole"):
    """{(code, program): (what went wrong or None, [{metric: text}] of the launches)} of a set of programs, of such lines; of runs of the
    same the last one."""
    return {(l["code"], l["program"]): (l["problem"], [dict(zip(l["metrics"], row)) for row in l["rows"]])
            for l in lines if l["set"] == which and l["without"] == without}


def is_left_out(row, metric):
    return any(fnmatch.fnmatchcase(row["kernel"], r["kernel"]) and fnmatch.fnmatchcase(metric, r["metric"]) for r in LEFT_OUT)


def reason_for(code, row, metric):
    for r in REASONS:
        where = ((code, r["code"]), (row["program"], r["program"]), (row["args"], r["args"]), (metric, r["metric"]))
        if all(fnmatch.fnmatchcase(have, pattern) for have, pattern in where):
            return r["reason"]
    return None


class Comparison:
    def __init__(self, code):
        self.code = code
        self.cells = {m: [0, 0, 0, 0] for m in METRICS}  # launches, equal, non-zero, non-zero and equal
        self.differ = []  # (row, metric, measured, ours)
        self.failed = []  # (program, what)
        self.launches = self.launches_equal = 0
        self.programs = {}  # launches equal, launches

    def add(self, row, ours):
        all_equal = True
        compared = [metric for metric in METRICS if not is_left_out(row, metric)]
        if not compared:
            return
        for metric in compared:
            measured, value = number(row[metric]), number(ours.get(metric))
            same = equal(measured, value)
            cell = self.cells[metric]
            cell[0] += 1
            cell[1] += same
            if measured or value:
                cell[2] += 1
                cell[3] += same
            if not same:
                self.differ.append((row, metric, measured, value))
                all_equal = False
        self.launches += 1
        self.launches_equal += all_equal
        count = self.programs.setdefault(row["program"], [0, 0])
        count[0] += all_equal
        count[1] += 1

    def share(self):
        nonzero = sum(c[2] for c in self.cells.values())
        return sum(c[3] for c in self.cells.values()) / nonzero if nonzero else 0.0


def measure(heddle, code, program, rows, timeout):
    """(what went wrong or None, [{metric: text}] of the launches), and says so on stderr."""
    start = time.time()
    problem, ours = run(heddle, program, code, timeout)
    if not problem and len(ours) != len(rows):
        problem = f"{len(ours)} launches instead of {len(rows)}"
    print(f"{code:5} {program:14} {time.time() - start:6.1f} s  {problem or 'PASSED'}", file=sys.stderr)
    return problem, ours


def compare(heddle, codes, only, timeout, jobs):
    """A Comparison for each kind of device code; that many programs run at the same time."""
    work = [(code, program, rows) for code in codes for program, rows in sorted(table(CODES[code][1]).items())
            if not only or program in only]
    results = {code: Comparison(code) for code in codes}
    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda w: measure(heddle, *w, timeout), work))
    for (code, program, rows), (problem, ours) in zip(work, done):
        if problem:
            results[code].failed.append((program, problem))
        for i, row in enumerate(rows):
            results[code].add(row, ours[i] if i < len(ours) else {})
    return list(results.values())


def figure(value):
    return "none" if value is None else f"{value:.10g}"


def page(results):
    out = ["# Accuracy", "",
           "Printed by `tools/accuracy.py`; do not edit. The programs, the device code and the counts of an NVIDIA H200 are in",
           "`tests/truth` (driver 580.159.04, ncu 2025.3.1, 2026-11-20). A cell is one metric of one launch; it is equal within",
           "0.5 %. Equal cells are given among those that are not 0 on both sides. The tests `truth.exact_1` and `_2` run the quick programs, those",
           "with the label `truth` everything ([testing.md](../testing.md)).", "",
           "| device code | compared with | launches | equal in everything | cells not 0 | equal | share |",
           "| --- | --- | --- | --- | --- | --- | --- |"]
    for r in results:
        nonzero = sum(c[2] for c in r.cells.values())
        same = sum(c[3] for c in r.cells.values())
        out.append(f"| {CODES[r.code][0]} | `{CODES[r.code][1]}` | {r.launches} | {r.launches_equal} | {nonzero} | {same} "
                   f"| {100 * r.share():.2f} % |")
    out += ["", "## By program", "",
            "Launches that are equal in everything that is compared, of all.", "",
            "| program | " + " | ".join(CODES[r.code][0] for r in results) + " |",
            "| --- |" + " --- |" * len(results)]
    for program in sorted(set().union(*(r.programs for r in results))):
        out.append(f"| {program} | " + " | ".join("%d of %d" % tuple(r.programs.get(program, (0, 0))) for r in results) + " |")
    out += ["", "Not compared:", ""]
    out += [f"- `{r['kernel']}`, `{r['metric']}`: {r['reason']}" for r in LEFT_OUT]
    out += ["", "## By metric", "", "Cells not 0, and how many of them are equal.", "",
            "| metric | " + " | ".join(CODES[r.code][0] for r in results) + " |",
            "| --- |" + " --- |" * len(results)]
    for metric in METRICS:
        cells = [r.cells[metric] for r in results]
        if any(c[2] for c in cells):
            out.append(f"| `{metric}` | " + " | ".join(f"{c[3]} of {c[2]}" for c in cells) + " |")
    zero = [m for m in METRICS if not any(r.cells[m][2] for r in results)]
    if zero:
        out += ["", "0 in all launches, on the H200 and here: " + ", ".join(f"`{m}`" for m in zero) + "."]
    out += ["", "## Differences", ""]
    if not any(r.differ or r.failed for r in results):
        out.append("None.")
    for r in results:
        out += [f"- {CODES[r.code][0]}, {program}: {what}" for program, what in r.failed]
    rows = [(r, *d) for r in results for d in r.differ]
    if rows:
        out += ["| device code | launch | metric | H200 | Heddle | reason |", "| --- | --- | --- | --- | --- | --- |"]
        for r, row, metric, measured, ours in rows:
            reason = reason_for(r.code, row, metric) or "**not explained**"
            out.append(f"| {r.code} | {row['program']} {row['args']} | `{metric}` | {figure(measured)} | {figure(ours)} "
                       f"| {reason} |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("--write")
    parser.add_argument("--check")
    parser.add_argument("--only", default="")
    parser.add_argument("--code", default="nvcc,clang,own")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    unknown = [c for c in args.code.split(",") if c not in CODES]
    if unknown:
        parser.error(f"no such device code: {unknown[0]}; there are {', '.join(CODES)}")
    only = [p for p in args.only.split(",") if p]
    results = compare(args.heddle, args.code.split(","), only, args.timeout, args.jobs)
    text = page(results)
    stale = args.check and Path(args.check).read_text() != text
    if args.write:
        Path(args.write).write_text(text)
    elif not args.check or stale:
        print(text, end="")
    unexplained = sum(reason_for(r.code, row, m) is None for r in results for row, m, _, _ in r.differ)
    for r in results:
        print(f"{CODES[r.code][0]}: {len(r.failed)} programs failed, {r.launches_equal} of {r.launches} launches equal, "
              f"{100 * r.share():.2f} % of the non-zero cells", file=sys.stderr)
    if stale:
        print(f"{args.check} is not what is printed now", file=sys.stderr)
    bad = stale or unexplained or any(r.failed or r.share() < WANTED for r in results)
    if unexplained:
        print(f"{unexplained} differences have no reason in tests/truth/reasons.tsv", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
