#!/usr/bin/env python3
"""Runs the programs of tests/truth/rules under `heddle profile` and compares every launch with an H200.

Two kinds of device code: nvcc's PTX, and Heddle's own compile step, both against truth.tsv (measured with nvcc's code).
A cell is one metric of one launch, among tests/truth/exact.txt and twelve more of shared memory; it is equal within 0.5 % of
the measured value. A difference needs a reason in reasons.tsv: code, program, variant, metric (patterns) and text.
Prints docs/reference/accuracy-rules.md. Exit status: 1 if a program did not print PASSED or a difference has no reason.

usage: accuracy_rules.py HEDDLE [--write FILE] [--only PROGRAM,...] [--code nvcc,own] [--timeout SECONDS]
"""
import argparse
import collections
import csv
import fnmatch
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy import METRICS as EXACT
from accuracy import equal, figure, launches_of, number

RULES = Path(__file__).resolve().parent.parent / "tests" / "truth" / "rules"
METRICS = EXACT + ["smsp__inst_executed_op_shared_atom.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                   "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_shared_stsm.sum",
                   "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
                   "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum",
                   "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
                   "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm.sum",
                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]
CODES = {"nvcc": "nvcc's PTX", "own": "Heddle's own compile step"}


def lines_of(name):
    return [line for line in (RULES / name).read_text().splitlines() if line.strip() and not line.startswith("#")]


def table():
    rows = {}
    for row in csv.DictReader(lines_of("truth.tsv"), delimiter="\t"):
        rows.setdefault(row["program"], []).append(row)
    return rows


def run(heddle, program, code, metrics, timeout):
    """(what went wrong or None, [{metric: text}] of the launches, [variant])"""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        command = [heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base",
                   "--metrics", ",".join(metrics), "--log-file", log]
        if code == "nvcc":
            command += ["--device-ptx", str(RULES / "ptx" / f"{program}.nvcc.ptx")]
        command.append(str(RULES / f"{program}.cu"))
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"ran longer than {timeout} s", [], []
        rows = launches_of(log) if os.path.exists(log) else []
    names = [line.split(" ", 2)[2] for line in done.stdout.splitlines() if line.startswith("LAUNCH ")]
    if done.returncode or "PASSED" not in done.stdout:
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        return f"exit status {done.returncode}: {last[:200]}", rows, names
    return None, rows, names


class Result:
    def __init__(self, code, program):
        self.code, self.program = code, program
        self.launches = self.launches_equal = self.cells = self.cells_equal = 0
        self.problem = self.known = None  # what went wrong, and the reason if it is known
        self.differ = []  # (row, metric, measured, ours, reason or None)


REASONS = list(csv.DictReader(lines_of("reasons.tsv"), delimiter="\t"))


def reason_for(code, row, metric):
    for r in REASONS:
        where = ((code, r["code"]), (row["program"], r["program"]), (row["args"], r["args"]), (metric, r["metric"]))
        if all(fnmatch.fnmatchcase(have, pattern) for have, pattern in where):
            return r["reason"]
    return None


def compare(heddle, code, program, rows, timeout):
    result = Result(code, program)
    metrics = [m for m in METRICS if any(row.get(m) for row in rows)]
    result.problem, ours, names = run(heddle, program, code, metrics, timeout)
    if not result.problem and names != [row["args"] for row in rows]:
        result.problem = "other launches than in truth.tsv"
    if result.problem:
        result.known = reason_for(code, {"program": program, "args": ""}, "launches")
        return result
    for row, got in zip(rows, ours):
        different = False
        for metric in metrics:
            measured, value = number(row[metric]), number(got.get(metric))
            if measured is None:
                continue
            same = equal(measured, value)
            if measured or value:
                result.cells += 1
                result.cells_equal += same
            if not same:
                different = True
                result.differ.append((row, metric, measured, value, reason_for(code, row, metric)))
        result.launches += 1
        result.launches_equal += not different
    return result


def page(results):
    out = ["# Accuracy, rule by rule", "",
           "Printed by `tools/accuracy_rules.py`; do not edit. The programs of `tests/truth/rules` each probe one rule, in many",
           "variants of one launch; an NVIDIA H200 counted them with nvcc 13.0's code (driver 580.159.04, ncu 2025.3.1,",
           "2026-11-21). Our own compile step is compared with the same counts. A cell is one metric of one launch; it is",
           "equal within 0.5 %. Cells that are 0 on both sides are left out.", "",
           "| device code | program | launches | equal in everything | cells not 0 | equal | share |",
           "| --- | --- | --- | --- | --- | --- | --- |"]
    for code in dict.fromkeys(r.code for r in results):
        mine = [r for r in results if r.code == code]
        for r in mine:
            out.append(line_of(CODES[code], f"`{r.program}`", [r]))
        out.append(line_of(CODES[code], "**all**", mine))
    out += ["", "## Differences", ""]
    groups = collections.OrderedDict()
    for r in results:
        if r.problem:
            out += [f"- {CODES[r.code]}, `{r.program}` is not compared: {r.known or r.problem}.", ""]
        for row, metric, measured, value, reason in r.differ:
            key = (r.code, r.program, reason or "**not explained**")
            groups.setdefault(key, []).append(f"{row['args']} {metric.split('.')[0]} {figure(measured)} / {figure(value)}")
    out += ["Cells that differ, by reason, with the first of them: variant, metric, H200 / Heddle.", "",
            "| device code | program | cells | reason | first |", "| --- | --- | --- | --- | --- |"]
    for (code, program, reason), cells in groups.items():
        out.append(f"| {code} | `{program}` | {len(cells)} | {reason} | {cells[0]} |")
    return "\n".join(out) + "\n"


def line_of(code, name, results):
    launches, same = sum(r.launches for r in results), sum(r.launches_equal for r in results)
    cells, equals = sum(r.cells for r in results), sum(r.cells_equal for r in results)
    return f"| {code} | {name} | {launches} | {same} | {cells} | {equals} | {100 * equals / max(cells, 1):.2f} % |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    parser.add_argument("--code", default="nvcc,own")
    parser.add_argument("--timeout", type=int, default=300)
    args = parser.parse_args()
    rows = table()
    unknown = [p for p in args.only.split(",") if p and p not in rows] + [c for c in args.code.split(",") if c not in CODES]
    if unknown:
        parser.error(f"no such program or code: {unknown[0]}")
    results = [compare(args.heddle, code, program, rows[program], args.timeout)
               for code in args.code.split(",") for program in rows if not args.only or program in args.only.split(",")]
    text = page(results)
    if args.write:
        Path(args.write).write_text(text)
    unexplained = [(r, d) for r in results for d in r.differ if not d[4]]
    for r, (row, metric, measured, value, _) in unexplained:
        print(f"{r.code} {r.program} {row['args']} {metric}: H200 {figure(measured)}, Heddle {figure(value)}, no reason")
    for r in results:
        print(f"{r.code:5} {r.program:18} {r.problem or 'PASSED'}, {r.launches_equal} of {r.launches} launches equal, "
              f"{r.cells_equal} of {r.cells} cells")
    return 1 if unexplained or any(r.problem and not r.known for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
