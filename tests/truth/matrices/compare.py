#!/usr/bin/env python3
"""Every line that `sums.cu` prints under Heddle is one of h200.tsv.

usage: compare.py HEDDLE TRIES
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    heddle, tries = sys.argv[1:]
    known = set(open(HERE + "/h200.tsv"))
    said = subprocess.run([heddle, "run", "--device", "h200", HERE + "/sums.cu", tries], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = said.splitlines(keepends=True)
    other = [line for line in lines if line not in known]
    print("".join(other[:20]), end="")
    print("%d lines, %d other than an H200's" % (len(lines), len(other)))
    sys.exit(bool(other) or len(lines) != 80 * int(tries))


if __name__ == "__main__":
    main()
