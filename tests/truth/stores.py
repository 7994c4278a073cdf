#!/usr/bin/env python3
"""Compares how many sectors reach L2 of stores that fill a sector in several steps with an H200's count (caches/h200_stores.tsv).

Only launches of group "own": those of group "sector" wait by the clock, which a modelled launch does not follow.

usage: stores.py HEDDLE FOLDER [--draw N]    FOLDER: tests/truth/caches. --draw N: one of N of the launches of most blocks (tests/drawn.py).
Exit status 1: a launch of EXACT differs, or too few are near.
"""
import csv
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drawn

METRIC = "lts__t_sectors_srcunit_tex_op_write.sum"
MEASURED = "l1tex__m_l1tex2xbar_write_sectors.sum"
# Stores of 8 lines keep the pipe for 8 cycles: two warps' stores come 16 apart, and meet; four warps' 32 apart, and do not. Those
# of 4 lines come 16 apart in four warps.
EXACT = {"own unsigned n 8 gap 0 stride 32 lanes 32 grid 1 block 64": 64, "own unsigned n 8 gap 0 stride 32 lanes 32 grid 1 block 128": 1024,
         "own unsigned n 4 gap 0 stride 16 lanes 32 grid 1 block 128": 64, "own uint4 n 2 gap 0 stride 32 lanes 32 grid 1 block 128": 256,
         "own unsigned char n 7 gap 0 stride 7 lanes 32 grid 1 block 128": 28}
LARGEST = " grid 4224 "
NEAR = 0.77  # of the launches, within 10 %: 181 of 220; 153 where all of a warp went at once


def main():
    heddle, folder, *draw = sys.argv[1:]
    of = int(draw[1]) if draw else 1
    part = drawn.tree_seed() % of
    with open(f"{folder}/h200_stores.tsv") as f:
        rows = [r for r in csv.DictReader((x for x in f if not x.startswith("#")), delimiter="\t") if r["group"] == "own"]
    most = [r for r in rows if LARGEST in r["launch"]]
    rows = [r for r in rows if r not in most or most.index(r) % of == part]
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as log:
        subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", METRIC,
                        "--log-file", log.name, f"{folder}/stores.cu", "own", str(part), str(of)], stdout=subprocess.DEVNULL, check=True)
        ours = [r for r in csv.DictReader(x for x in log if x.startswith('"')) if r["ID"].isdigit()]
    near = failed = 0
    for row, got in zip(rows, ours):
        name, theirs, here = row["launch"], float(row[MEASURED]), float(got[METRIC].replace(",", ""))
        near += abs(here - theirs) <= 0.1 * theirs
        if name in EXACT and here != EXACT[name]:
            failed += 1
            print(f"{name}: {here:.0f} instead of {EXACT[name]}")
    print(f"{len(ours)} of {len(rows)} launches, {near} within 10 %, {failed} differ")
    return failed > 0 or len(ours) != len(rows) or near < NEAR * len(rows)


if __name__ == "__main__":
    sys.exit(main())
