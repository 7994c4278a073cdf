#!/usr/bin/env python3
"""Compares the multiprocessors that a launch's first blocks go to with an H200's (caches/h200_first_blocks.txt).

Launches are compared that began with the first GPC, as every launch does here; on the GPU some go on where the one before ended.
The late TPCs (multiprocessors from 124 on) are 4 and 4 in one order or the other, so they count as alike.

usage: first_blocks.py HEDDLE FOLDER    FOLDER: tests/truth/caches. Exit status 1: a block went elsewhere.
"""
import subprocess
import sys

LATE = 124
FIRST_LAUNCH = "block 1024 grid 1056"  # of the program; late TPCs came again after two turns there, and after five in all others


def launches(lines):
    """("block 256 grid 100", [SM of each block]) of each line."""
    for line in lines:
        if line.startswith("order "):
            name, sms = line[len("order "):].split(":")
            yield name, [int(x) for x in sms.split()]


def alike(sms):
    return [min(x, LATE) for x in sms]


def main():
    heddle, folder = sys.argv[1:]
    wanted, compared, failed = 0, 0, 0
    with open(f"{folder}/h200_first_blocks.txt") as f:
        for name, theirs in launches(f):
            if next(x for x in theirs if x < LATE) != 0 or name == FIRST_LAUNCH:
                continue
            _, threads, _, blocks = name.split()
            run = subprocess.run([heddle, "profile", "--device", "h200", "--log-file", "/dev/null", f"{folder}/first_blocks.cu", threads, blocks],
                                 stdout=subprocess.PIPE, text=True, check=True)
            (_, ours), = launches(run.stdout.splitlines())
            wanted += 1
            compared += len(theirs)
            differ = [i for i, (a, b) in enumerate(zip(alike(theirs), alike(ours))) if a != b]
            if differ or len(theirs) != len(ours):
                failed += 1
                i = differ[0] if differ else -1
                print(f"{name}: {len(differ)} blocks differ, first block {i}: {theirs[i]}, here {ours[i]}")
    print(f"{wanted} launches, {compared} blocks, {failed} launches differ")
    return failed > 0 or wanted < 10


if __name__ == "__main__":
    sys.exit(main())
