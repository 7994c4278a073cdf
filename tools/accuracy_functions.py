#!/usr/bin/env python3
"""Runs the kernels of one function each under `heddle profile` and compares them with an H200.

tests/truth/machine/ones.cu, compiled by Heddle's own compile step, part by part: about 900 launches with ordinary arguments.
Compared with tests/truth/machine/ones.tsv are warp instructions, kernel and all, and floating-point operations by kind, equal
within 0.5 %. Prints docs/reference/accuracy-functions.md. Exit status: 1 if a part did not print PASSED, fewer than 60
functions are within 10 % with all floating-point operations equal, less than the share that WANTED has are within 10 %, an
intrinsic executes more than the function that it stands for, or the ratio of a function and its intrinsic is more than 10 %
off the H200's; with --check, if the page is another than FILE.

usage: accuracy_functions.py HEDDLE [--write FILE] [--check FILE] [--only PART,...]
       accuracy_functions.py --measured FOLDER   > tests/truth/machine/ones.tsv

FOLDER is what `tests/truth/machine/collect.py FOLDER --only ones` wrote.
"""
import argparse
import collections
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy import equal, launches_of, number

MACHINE = Path(__file__).resolve().parent.parent / "tests" / "truth" / "machine"
PARTS = ["float", "double", "intrinsics", "half", "integers", "conversions", "atomics", "warps"]  # ones.cu's -DPART, from 1
INSTRUCTIONS = "smsp__inst_executed.sum"
FLOPS = ["fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"]
METRICS = [INSTRUCTIONS] + [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in FLOPS]
NEAR = 0.1
FUNCTIONS = 60
WANTED = {"float": 0.9, "double": 0.85, "intrinsics": 0.9, "conversions": 0.9}  # parts whose functions are all rows of tables
PAIRS = [("f32_" + f, "f32_" + fast) for f, fast in (
    ("sin", "sin_fast"), ("cos", "cos_fast"), ("tan", "tan_fast"), ("exp", "exp_fast"), ("exp10", "exp10_fast"), ("log", "log_fast"),
    ("log2", "log2_fast"), ("log10", "log10_fast"), ("pow", "pow_fast"), ("div_rn", "div_fast"))]


def measured(folder):
    print("# Kernels of one function each, ordinary arguments, 4 blocks of 128 threads: warp instructions, and floating-point operations of all threads.")
    print("# NVIDIA H200, driver 580.159.04, ncu 2025.3.1, nvcc 13.0.88, 2026-11-29; made by:")
    print("#   tests/truth/machine/collect.py OUT --only ones; tools/accuracy_functions.py --measured OUT")
    print("\t".join(["part", "function", "instructions"] + FLOPS))
    with open(os.path.join(folder, "launches.tsv")) as f:
        for row in csv.DictReader(f, delimiter="\t"):
            name, _, kind = row["args"].partition(" ")
            if row["kind"] == "ones" and kind == "normal":
                print("\t".join([row["program"], name] + ["%d" % float(row[m] or 0) for m in METRICS]))


class Launch:
    def __init__(self, row, got):
        self.part, self.function = row["part"], row["function"]
        self.truth, self.ours = int(row["instructions"]), number(got[INSTRUCTIONS])
        flops = [(op, int(row[op]), number(got[m])) for op, m in zip(FLOPS, METRICS[1:])]
        self.differ = [f for f in flops if not equal(*f[1:])]

    @property
    def error(self):
        return self.ours / self.truth - 1


def table():
    rows = {}
    with open(MACHINE / "ones.tsv") as f:
        for row in csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t"):
            rows.setdefault(row["part"], {})[row["function"]] = row
    return rows


def run(heddle, part, rows):
    """(what went wrong or None, launches that are in the table)"""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        done = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                               ",".join(METRICS), "--log-file", log, f"-DPART={1 + PARTS.index(part)}", str(MACHINE / "ones.cu")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=900)
        got = launches_of(log) if os.path.exists(log) else []
    names = [line.split(" ", 2)[2].partition(" ")[::2] for line in done.stdout.splitlines() if line.startswith("LAUNCH ")]
    if done.returncode or "PASSED" not in done.stdout or len(names) != len(got):
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        return f"exit status {done.returncode}, {len(got)} launches: {last[:200]}", []
    return None, [Launch(rows[name], values) for (name, kind), values in zip(names, got) if kind == "normal" and name in rows]


def near(launches):
    return [x for x in launches if abs(x.error) <= NEAR]


def ratios(by_name):
    """(function, intrinsic, the H200's ratio, ours)"""
    for f, fast in PAIRS:
        if f in by_name and fast in by_name:
            yield f, fast, by_name[f].truth / by_name[fast].truth, by_name[f].ours / by_name[fast].ours


def faults(launches):
    """What is not as it should be."""
    out = []
    parts = collections.defaultdict(list)
    for x in launches:
        parts[x.part].append(x)
    both = [x for x in near(launches) if not x.differ]
    if len(both) < min(FUNCTIONS, len(launches)):
        out.append(f"{len(both)} functions within {100 * NEAR:.0f} % and with equal operations, not {FUNCTIONS}")
    for part, wanted in WANTED.items():
        if part in parts and len(near(parts[part])) < wanted * len(parts[part]):
            out.append(f"{part}: {len(near(parts[part]))} of {len(parts[part])} within {100 * NEAR:.0f} %, not {100 * wanted:.0f} %")
    for f, fast, truth, ours in ratios({x.function: x for x in launches}):
        if ours < 1 <= truth:
            out.append(f"{fast} executes more than {f}")
        if abs(ours / truth - 1) > NEAR:
            out.append(f"{f} executes {ours:.2f} times what {fast} does, on the H200 {truth:.2f} times")
    return out


def row_of(name, launches):
    errors = [x.error for x in launches]
    mean = lambda values: 100 * sum(values) / len(launches)
    return (f"| {name} | {len(launches)} | {mean(map(abs, errors)):.1f} % | {mean(errors):+.1f} % | {len(near(launches))} | "
            f"{sum(not x.differ for x in launches)} |")


def page(launches):
    out = ["# Accuracy, function by function", "",
           "Printed by `tools/accuracy_functions.py`; do not edit. Each launch is a kernel of one function with ordinary arguments",
           "(`tests/truth/machine/ones.cu`, 4 blocks of 128 threads), compiled by Heddle's own compile step and counted for an H200. Beside it",
           "what an NVIDIA H200 executed of nvcc 13.0's code (`tests/truth/machine/ones.tsv`, driver 580.159.04, ncu 2025.3.1, 2026-11-29).",
           "Instructions are warp instructions of the whole kernel, 13 or more of which are not the function's. Floating-point operations are",
           "equal within 0.5 %, of each kind. The rows of `src/target/library.def` are from other launches, `ways.cu`.", "",
           "| part | functions | mean error of instructions | with its sign | within 10 % | operations equal |", "| --- | --: | --: | --: | --: | --: |"]
    for part in PARTS:
        of_part = [x for x in launches if x.part == part]
        if of_part:
            out.append(row_of(part, of_part))
    out.append(row_of("all", launches))
    out += ["", "## Intrinsics", "", "How many times the instructions of the intrinsic's kernel the function's kernel executes.", "",
            "| function | intrinsic | H200 | Heddle |", "| --- | --- | --: | --: |"]
    out += [f"| `{f}` | `{fast}` | {truth:.2f} | {ours:.2f} |" for f, fast, truth, ours in ratios({x.function: x for x in launches})]
    out += ["", "## Off by more than 10 %", "", "Instructions a warp.", "", "| function | H200 | Heddle | error |", "| --- | --: | --: | --: |"]
    for x in sorted(launches, key=lambda x: -abs(x.error)):
        if abs(x.error) > NEAR:
            out.append(f"| `{x.function}` | {x.truth / 16:.1f} | {x.ours / 16:.1f} | {100 * x.error:+.0f} % |")
    out += ["", "## Operations that differ", "", "A thread.", "", "| function | H200 | Heddle |", "| --- | --- | --- |"]
    for x in launches:
        if x.differ:
            out.append(f"| `{x.function}` | " + " | ".join(", ".join(f"{f[i] / 512:.2f} {f[0]}" for f in x.differ) for i in (1, 2)) + " |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle", nargs="?")
    parser.add_argument("--measured")
    parser.add_argument("--write")
    parser.add_argument("--check")
    parser.add_argument("--only")
    options = parser.parse_args()
    if options.measured:
        return measured(options.measured)
    if not options.heddle:
        parser.error("which heddle?")
    rows, launches, wrong = table(), [], []
    for part in options.only.split(",") if options.only else PARTS:
        problem, of_part = run(options.heddle, part, rows[part])
        launches += of_part
        wrong += [f"{part}: {problem}"] if problem else []
    wrong += faults(launches) if launches else []
    text = page(launches) if launches else ""
    if options.write:
        Path(options.write).write_text(text)
    elif options.check and text != Path(options.check).read_text():
        wrong.append(f"{options.check} is another page: --write makes it again")
    elif not options.check:
        print(text, end="")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
