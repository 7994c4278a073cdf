#!/usr/bin/env python3
"""Branches of the machine code against an H200: how many launches of tests/truth/rules count the same, with nvcc's PTX.

They are modelled, so not all are equal; fewer than before is an error. As written (ptx__...) nothing can be compared: a GPU has no
counter for that.

usage: branch_counts.py HEDDLE
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from accuracy import number  # noqa: E402
from accuracy_rules import run, table  # noqa: E402

METRICS = ["smsp__inst_executed_op_branch.sum", "smsp__sass_branch_targets.sum", "smsp__sass_branch_targets_threads_divergent.sum"]
# At least so many launches are equal, in the order of METRICS; 2026-11-29: 39, 56, 62 of 78; 91, 91, 91 of 91; 95, 95, 118 of 119.
LEAST = {"branches": (36, 53, 60), "local_memory": (91, 91, 91), "math_float": (92, 92, 115)}


def main():
    bad = 0
    rows = table()
    for program, least in LEAST.items():
        problem, ours, names = run(sys.argv[1], program, "nvcc", METRICS, 300)
        if problem or names != [row["args"] for row in rows[program]]:
            sys.exit(f"{program}: {problem or 'other launches than in truth.tsv'}")
        for metric, floor in zip(METRICS, least):
            equal = sum(number(row[metric]) == number(got[metric]) for row, got in zip(rows[program], ours))
            print(f"{program} {metric}: {equal} of {len(ours)} equal, {floor} at least")
            bad += equal < floor
    return bad != 0


sys.exit(main())
