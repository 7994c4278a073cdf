#!/usr/bin/env python3
"""A warp whose lanes take several ways of a function of the math library executes each of these ways once.

usage: ways.py HEDDLE

Nvcc's acos of doubles goes one of three ways (EXTERN_WAYS in src/target/extern_ways.def). With A for what all lanes do and w0, w1, w2 for what lanes
of a way do beside, a launch of lanes of ways 0 and 1 executes A + w0 + w1 however many lanes go which way, so that
(0 and 1) + (2 alone) = (0, 1 and 2) + A, and A is the same for each way that is left out. Thread instructions of a way are those of its
lanes. All executors count the same.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <cstdio>
__global__ void one(double *out, const double *in) { out[threadIdx.x] = acos(in[threadIdx.x]); }
int main()
{
  const double of_way[] = {.25, .75, -.75};
  double *in, *out;
  cudaMallocManaged(&in, 256);
  cudaMallocManaged(&out, 256);
  for (int set = 1; set < 8; set++)
    for (int shift = 0; shift < 2; shift++) { // of two ways as many lanes go each, or one lane alone goes the last one
      int way[3], n = 0;
      for (int w = 0; w < 3; w++)
        if (set >> w & 1) way[n++] = w;
      for (int lane = 0; lane < 32; lane++) in[lane] = of_way[shift ? way[lane == 7 ? n - 1 : lane % (n > 1 ? n - 1 : 1)] : way[lane % n]];
      one<<<1, 32>>>(out, in);
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
}
"""
# Rows of __nv_acos in src/target/library.def, added up (but what stands in parentheses, which is among those of all ways).
WAYS = [52, 64, 71]
METRICS = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"]


def profile(heddle, executor, folder):
    log = folder + "/log"
    with open(folder + "/ways.cu", "w") as f:
        f.write(PROGRAM)
    run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
                          "--log-file", log, folder + "/ways.cu"], env=dict(os.environ, HEDDLE_EXEC=executor), capture_output=True, text=True)
    if run.returncode:
        sys.exit("%s: status %d\n%s%s" % (executor, run.returncode, run.stdout, run.stderr))
    rows = csv.DictReader(io.StringIO("".join(line for line in open(log) if line.startswith('"'))))
    return [[int(r[m].replace(",", "")) for m in METRICS] for r in rows if r["ID"].strip().isdigit()]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit("%s: %s, not %s" % (what, found, wanted))


def main():
    with tempfile.TemporaryDirectory() as folder:
        counts = {e: profile(sys.argv[1], e, folder) for e in ("interp", "jit", "jit-first")}
    first = counts["interp"]
    expect("launches", len(first), 14)
    for executor in counts:
        expect(executor, counts[executor], first)
    warp = {s: first[2 * (s - 1)][0] for s in range(1, 8)}
    for s in warp:
        expect("one lane alone, ways %d" % s, first[2 * (s - 1) + 1][0], warp[s])
    alone = [warp[1], warp[2], warp[4]]
    every = [warp[7 - (1 << w)] + alone[w] - warp[7] for w in range(3)]
    expect("what is left without the ways", every, [every[0]] * 3)
    ways = [a - every[0] for a in alone]
    expect("ways", ways, WAYS)
    # lanes of ways 0, 1: 16 each; then 31 and 1
    for shift, lanes in ((0, (16, 16)), (1, (31, 1))):
        expect("thread instructions", first[2 * 2 + shift][1], 32 * every[0] + lanes[0] * ways[0] + lanes[1] * ways[1])
    print("%d instructions, and %s of the ways" % (every[0], ways))


main()
