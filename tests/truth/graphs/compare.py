#!/usr/bin/env python3
"""The runtime's answers of graphs and stream capture, against those of a real H200.

usage: compare.py HEDDLE

h200.tsv is what graphs.cu printed on an NVIDIA H200 (driver 580.159.04, CUDA 13.0, 2026-11-23; nvcc -arch=sm_90 -std=c++17
graphs.cu, then ./a.out > h200.tsv). Every line must be equal. In a chapter that ended in a crash there ("chapter", its name,
a status other than 0), the lines before the crash must be.
"""
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent


def chapters(text):
    """[(name, status, lines)]"""
    found, lines = [], []
    for line in text.splitlines():
        if line.startswith("chapter\t"):
            found.append((*line.split("\t")[1:], lines))
            lines = []
        else:
            lines.append(line)
    return found


done = subprocess.run([sys.argv[1], "run", str(here / "graphs.cu")], capture_output=True, text=True, timeout=200,
                      env=dict(os.environ, HEDDLE_QUIET="1"))
ours = {name: (status, lines) for name, status, lines in chapters(done.stdout)}
problems, compared = [], 0
for name, crashed, b in chapters((here / "h200.tsv").read_text()):
    status, a = ours.get(name, ("none", []))
    if status != "0" or (len(a) != len(b) if crashed == "0" else len(a) < len(b)):
        problems.append(f"chapter '{name}': status {status}, {len(a)} lines, on the H200 {len(b)}")
    for x, y in zip(a, b):
        compared += 1
        if x != y:
            problems.append(f"{x}\n    on the H200 {y}")
print("\n".join(problems))
print(f"{compared - len(problems)} of {compared} answers are the H200's")
sys.exit(1 if problems or compared < 800 or done.returncode else 0)
