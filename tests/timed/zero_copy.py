"""Kernels that read and write page-locked memory of the host in place: bytes a ns against an H200 (tests/truth/time/host.tsv, rows "mapped").

usage: zero_copy.py HEDDLE"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 0.15


def main():
    truth = {}
    for line in open(os.path.join(HERE, "..", "truth", "time", "host.tsv")):
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "mapped":
            truth[cells[1]] = float(cells[4])
    done = subprocess.run([sys.argv[1], "run", "--timed", os.path.join(HERE, "zero_copy.cu")], capture_output=True, text=True,
                          env=dict(os.environ, HEDDLE_DEVICE="h200", HEDDLE_QUIET="1"))
    errors = []
    for line in done.stdout.splitlines():
        what, n, ns = line.split("\t")
        rate = int(n) / float(ns)
        errors.append(abs(rate / truth[what] - 1))
        print(f"{what:22} {rate:6.1f} bytes a ns, on an H200 {truth[what]:6.1f}: {100 * errors[-1]:5.1f} %")
    wrong = done.returncode != 0 or len(errors) != 6 or sum(errors) / len(errors) > LIMIT
    print(f"{'FAILED' if wrong else 'PASSED'}: mean error {100 * sum(errors) / max(1, len(errors)):.1f} %")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
