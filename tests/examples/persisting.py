#!/usr/bin/env python3
"""The hits of examples/persisting_window.cu against the size of the window, on an RTX 3090 (seed row 26): the curve, not its exact
height, which is modelled. Prints the share of the hot data's sectors that were found; exit status 1 if the curve is another.

usage: persisting.py HEDDLE ROOT
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

HITS = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"


def main():
    heddle, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        done = subprocess.run([heddle, "profile", "--device", "rtx3090", "--csv", "--page", "raw", "--metrics", HITS, "--log-file", log,
                               str(root / "examples" / "persisting_window.cu")], capture_output=True, text=True)
        rows = [r for r in csv.DictReader(line for line in log.read_text().splitlines() if line.startswith('"')) if r["ID"]]
    hot = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("hot ")]
    if done.returncode or "PASSED" not in done.stdout or len(hot) != 7 or len(rows) != 7:
        sys.exit(done.stdout + done.stderr)
    none, half, whole, twice, four, twice_ratio, four_ratio = (32 * float(r[HITS]) / b for r, b in zip(rows, hot))
    for name, share in (("no window", none), ("half", half), ("all", whole), ("twice", twice), ("four times", four),
                        ("twice, 1/2", twice_ratio), ("four times, 1/4", four_ratio)):
        print(f"{name:16} {100 * share:6.1f} %")
    checks = {
        "nothing is left without a window": none < 0.01,
        "what fits stays": half > 0.98 and whole > 0.98,
        "a larger window thrashes": twice < 0.25 and four < twice,
        "hitRatio keeps a part": twice_ratio > 3 * twice and four_ratio > 3 * four,
    }
    for name, good in checks.items():
        print("ok   " if good else "WRONG", name)
    return not all(checks.values())


if __name__ == "__main__":
    sys.exit(main())
