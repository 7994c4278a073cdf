#!/usr/bin/env python3
"""Instructions of quotients, reciprocals and roots of special operands, against an H200 and sums made by hand.

usage: long_ways.py HEDDLE [--ptx FILE FILE]

Profiles truth/machine/long_way.cu and long_ways.cu with all executors, which must count the same. Of the first, whose lanes have the same
operands, what a launch executes beyond the one of ordinary operands is what an H200 executed (truth/machine/long_way.tsv), and of its units
fp64 and xu, too. Of the second, whose lanes have two kinds of operands, MIXED says it: where some lanes go the long way and some the
short one, both are executed, and each group executes BSYNC; of two kinds that go the long way all parts of both. The listings
of machine code have as many instructions. --ptx: device code
from elsewhere, of both.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRUTH = HERE + "/../truth/machine/long_way."
EXECUTORS = "interp", "jit", "jit-first"
ALL, FP64, XU = "smsp__inst_executed.sum", "smsp__inst_executed_pipe_fp64.sum", "smsp__inst_executed_pipe_xu.sum"
METRICS = [ALL, FP64, XU, "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed_op_branch.sum",
           "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"]

# Beyond a launch whose lanes are all short. `short`: 1 for the second BSYNC.
MIXED = {
    ("divide", "f64", "zero", "short"): 63 + 1, ("divide", "f64", "short", "zero"): 63 + 1,
    ("divide", "f64", "zero", "nan"): 63 + 2,     # LOP3 IMAD of a that is NaN
    ("divide", "f64", "nan", "by_nan"): 51 + 5,   # DSETP BRA LOP3 IMAD BRA
    ("divide", "f64", "zero", "invalid"): 63,     # a part of it
    ("divide", "f64", "zero", "small"): 63 + 11,  # what finite numbers do
    ("divide", "f64", "tiny", "small"): 74,       # a part of it
    ("divide", "f64", "exact", "small"): 58 + 6,  # six instructions find that nothing is left to round
    ("divide", "f64", "tiny", "short"): 74 + 1,
    ("divide", "f32", "zero", "nan"): 34 + 1,     # FADD
    ("divide", "f32", "zero", "tiny32"): 95 + 2,  # LOP3 BRA
    ("invert", "f32", "zero", "short"): 18 + 4 + 1,  # and the four instructions that only the short way has
    ("invert", "f32", "zero", "nan"): 18 + 4,     # VIADD ISETP BRA MUFU
    ("root", "f32", "zero", "short"): 6 + 4 + 1,
    ("root", "f32", "negative", "zero"): 9,
    ("root", "f64", "small", "zero"): 19 + 3,     # DSETP BRA DADD
    ("root", "f64", "negative", "short"): 17 + 1,
    ("inverse_root", "f64", "tiny", "zero"): 31 + 2,  # LOP3 IMAD
}


def profile(heddle, executor, program, options, folder):
    log = folder + "/log"
    env = dict(os.environ, HEDDLE_EXEC=executor)
    run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
                          "--log-file", log] + options + program, env=env, capture_output=True, text=True)
    if run.returncode:
        sys.exit("%s: status %d\n%s%s" % (executor, run.returncode, run.stdout[-500:], run.stderr[-2000:]))
    rows = list(csv.DictReader(io.StringIO("".join(line for line in open(log) if line.startswith('"')))))
    rows = [r for r in rows if r["ID"].strip().isdigit()]
    return run.stdout, [[int(row[m].replace(",", "")) for m in METRICS] for row in rows]


def profiles(heddle, program, ptx):
    """What the interpreter counts, and how many launches another executor counts otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        counts = {e: profile(heddle, e, program, ["--device-ptx", ptx] if ptx else [], folder) for e in EXECUTORS}
    bad = 0
    for executor in EXECUTORS:
        for n, (row, first) in enumerate(zip(counts[executor][1], counts["interp"][1])):
            if row != first:
                bad += 1
                print("launch %d: %s counts %s, the interpreter %s" % (n, executor, row, first))
    return *counts["interp"], bad


def same_operands(heddle, ptx):
    truth = list(csv.DictReader(open(TRUTH + "tsv"), delimiter="\t"))
    _, found, bad = profiles(heddle, [TRUTH + "cu", "c"], ptx)
    if len(found) != len(truth):
        sys.exit("%d launches, %d in the table" % (len(found), len(truth)))
    short = {row["operation"]: (row, mine) for row, mine in reversed(list(zip(truth, found)))}
    for row, mine in zip(truth, found):
        base, mine_of_base = short[row["operation"]]
        for m in (ALL, FP64, XU):
            added, want = mine[METRICS.index(m)] - mine_of_base[METRICS.index(m)], int(row[m]) - int(base[m])
            if added != want:
                bad += 1
                print("%s of %s and %s: %d more %s, on an H200 %d" % (row["operation"], row["a"], row["b"], added, m, want))
    print("%d launches of lanes with the same operands, %d figures differ" % (len(found), bad))
    return bad


def mixed_operands(heddle, ptx):
    text, found, bad = profiles(heddle, [HERE + "/long_ways.cu"], ptx)
    names = [tuple(line.split()) for line in re.findall(r"^LAUNCH (.*)$", text, re.M)]
    if "PASSED" not in text or len(names) != len(found):
        sys.exit("%d launches, %d in the report\n%s" % (len(names), len(found), text[-500:]))
    inst = {name: row[0] for name, row in zip(names, found)}
    for name, want in MIXED.items():
        added = inst[name] - inst[name[:2] + ("short", "short")]
        if added != want:
            bad += 1
            print("%s: %d more instructions, by hand %d" % (" ".join(name), added, want))
    print("%d launches of mixed lanes, %d compared with sums by hand, %d differ" % (len(found), len(MIXED), bad))
    return bad


def listed(heddle, ptx):
    """The instructions of the listings of machine code are as many as were counted; in loops some are rounded."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-k", "once", "-c", "72"] + (["--device-ptx", ptx] if ptx else [])
        run = [heddle, "profile", "--device", "h200", "--quiet", "--csv", "--log-file", folder + "/log", "--page"]
        subprocess.run(run + ["source", "--print-source", "sass"] + options + [HERE + "/long_ways.cu"], capture_output=True, check=True)
        rows = [r for r in csv.reader(open(folder + "/log")) if len(r) > 5 and r[0].isdigit()]
        subprocess.run(run + ["raw", "--metrics", ALL] + options + [HERE + "/long_ways.cu"], capture_output=True, check=True)
        metrics = list(csv.DictReader(io.StringIO("".join(line for line in open(folder + "/log") if line.startswith('"')))))
    in_code, counted = (sum(int(float(n.replace(",", ""))) for n in column)
                        for column in ([r[3] for r in rows], [r[ALL] for r in metrics if r["ID"].isdigit()]))
    print("%d instructions in the listings, %d counted" % (in_code, counted))
    return in_code != counted or not counted


def main():
    heddle, ptx = sys.argv[1], sys.argv[3:5] if sys.argv[2:3] == ["--ptx"] else (None, None)
    bad = same_operands(heddle, ptx[0]) + mixed_operands(heddle, ptx[1]) + listed(heddle, ptx[1])
    sys.exit(bad > 0)


main()
