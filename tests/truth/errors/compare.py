#!/usr/bin/env python3
"""The runtime's answers to wrong and unusual calls, against those of a real H200.

usage: compare.py HEDDLE

h200.tsv is what errors.cu printed on an NVIDIA H200 (driver 580.159.04, CUDA 13.0, 2026-11-21; nvcc -arch=sm_90
-std=c++17 errors.cu, then ./a.out > h200.tsv). Every line must be equal but for the numbers of launches that do not fit:
CUDA 13's runtime answers cudaErrorInvalidValue to all of them, Heddle what CUDA 12 documents
(cudaErrorInvalidConfiguration and others). There, what fails must fail.
"""
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
done = subprocess.run([sys.argv[1], "run", str(here / "errors.cu")], capture_output=True, text=True, timeout=100,
                      env=dict(os.environ, HEDDLE_QUIET="1"))
ours = [line.split("\t") for line in done.stdout.splitlines()]
theirs = [line.split("\t") for line in (here / "h200.tsv").read_text().splitlines()]
problems = [] if len(ours) == len(theirs) else [f"{len(ours)} lines, not {len(theirs)}"]
for a, b in zip(ours, theirs):
    same = a[:2] == b[:2] and (a[2] == "0") == (b[2] == "0") if b[0] == "launch" else a == b
    if not same:
        problems.append(f"{a}, on the H200 {b}")
print("\n".join(problems))
print(f"{len(theirs) - len(problems)} of {len(theirs)} answers are the H200's")
sys.exit(1 if problems or done.returncode else 0)
