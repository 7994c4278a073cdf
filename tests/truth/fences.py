#!/usr/bin/env python3
"""What fences take beside an H200 (caches/h200_fences.tsv): cycles of a round of stores, reductions or loads and a fence, and loads behind it.

usage: fences.py HEDDLE FOLDER    FOLDER: tests/truth/caches. Exit status 1: a case is further away than it may be.
"""
import os
import subprocess
import sys

# Of the rounds with a fence of the device: the furthest, where one multiprocessor has them (which half of L2 is near it decides) and where all have; the
# mean of the latter; and a load that a fence made L1 forget takes more than this share of the H200's.
FAR_ONE, FAR_ALL, MEAN_ALL, FORGOTTEN = 0.75, 0.3, 0.12, 0.7
ROUNDS = "8" # the H200's are means of 64


def rows(lines):
    table = [x.rstrip("\n").split("\t") for x in lines if not x.startswith("#") and x.count("\t") == 3]
    return {(r[0], int(r[1]), int(r[2])): float(r[3]) for r in table[1:] if not r[0].startswith("load again")}


def main():
    heddle, folder = sys.argv[1:]
    with open(f"{folder}/h200_fences.tsv") as f:
        theirs = rows(f)
    run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--log-file", os.devnull, "--metrics", "sm__cycles_elapsed.max", f"{folder}/fences.cu", ROUNDS],
                         stdout=subprocess.PIPE, text=True, check=True)
    ours = rows(run.stdout.splitlines())
    failed, off = 0, []
    for case, cycles in theirs.items():
        name, blocks, _ = case
        error = abs(ours[case] / cycles - 1)
        if name.startswith("load after"):
            far = not name.endswith("block") and ours[case] < FORGOTTEN * cycles
        elif name.endswith("fence"):
            far = error > (FAR_ONE if blocks == 1 else FAR_ALL)
            off += [error] if blocks > 1 else []
        else:
            continue
        failed += far
        print(f"{name}, {blocks} blocks of {case[2]} warps: {cycles:.0f} cycles, here {ours[case]:.0f}{'  TOO FAR' if far else ''}")
    mean = sum(off) / len(off)
    print(f"all multiprocessors: {100 * mean:.1f} % off in the mean of {len(off)}")
    failed += mean > MEAN_ALL
    print(f"{failed} are too far away")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
