#!/usr/bin/env python3
"""What the device's runtime answers kernels that launch kernels, against a real H200.

usage: compare.py HEDDLE

h200.tsv is what launches.cu printed on an NVIDIA H200 (driver 580.159.04, CUDA 13.0, 2026-11-23; nvcc -arch=sm_90 -std=c++17
-rdc=true launches.cu -lcudadevrt, then ./a.out > h200.tsv). Every line must be equal but for three that tell what a kernel's
cudaMemsetAsync and cudaMemcpyAsync left in memory: that H200 answered cudaSuccess and left it as it was. Here it is what CUDA
documents.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

DOCUMENTED = {"bytes": ["7 7 7 7 3"], "filled": ["7 7 0"], "copied": ["7 7 0", "7 7 0"]}

here = pathlib.Path(__file__).parent
with tempfile.TemporaryDirectory() as scratch:
    program = f"{scratch}/launches"
    built = subprocess.run([sys.argv[1], "build", "-rdc=true", "-std=c++17", str(here / "launches.cu"), "-lcudadevrt", "-o", program],
                           capture_output=True, text=True, timeout=100)
    if built.returncode:
        sys.exit(built.stderr)
    done = subprocess.run([program], capture_output=True, text=True, timeout=100, env=dict(os.environ, HEDDLE_QUIET="1"))
ours, theirs = done.stdout.splitlines(), (here / "h200.tsv").read_text().splitlines()
problems = [] if len(ours) == len(theirs) else [f"{len(ours)} lines, not {len(theirs)}"]
for a, b in zip(ours, theirs):
    what = b.split("\t")[1]
    if b.startswith("result\t") and what in DOCUMENTED:
        b = f"result\t{what}\t{DOCUMENTED[what].pop(0)}"
    if a != b:
        problems.append(f"{a}\n    on the H200 {b}")
print("\n".join(problems))
print(f"{len(theirs) - len(problems)} of {len(theirs)} answers are the H200's")
sys.exit(1 if problems or done.returncode else 0)
