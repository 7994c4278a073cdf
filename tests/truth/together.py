#!/usr/bin/env python3
"""What multiprocessors of a GPC read at the same time beside an H200 (caches/h200_together.tsv): bytes a cycle, and sectors asked of L2 for each that came.

usage: together.py HEDDLE FOLDER    FOLDER: tests/truth/caches. Exit status 1: a launch is further away than it may be.
"""
import csv
import subprocess
import sys
import tempfile

L2, CAME = "lts__t_sectors_srcunit_tex_op_read.sum", "l1tex__m_xbar2l1tex_read_sectors.sum"
RATE_OFF, SHARE_OFF, CAME_OFF = 0.2, 0.1, 0.01
LAUNCHES = [("8", "1", "0"), ("16", "1", "0"), ("16", "0", "100"), ("132", "1", "0"), ("132", "0", "0")]


def modelled(heddle, folder, launch):
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as log:
        run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", f"{L2},{CAME},sm__cycles_elapsed.max",
                              "--log-file", log.name, f"{folder}/together.cu", *launch], stdout=subprocess.PIPE, text=True, check=True)
        row = [r for r in csv.DictReader(x for x in log if x.startswith('"')) if r["ID"].isdigit()][0]
    return float(run.stdout.split()[-1]), float(row[L2].replace(",", "")), float(row[CAME].replace(",", ""))


def main():
    heddle, folder = sys.argv[1:]
    failed = 0
    with open(f"{folder}/h200_together.tsv") as f:
        measured = {(r["sms"], r["apart"], r["skew"]): r for r in csv.DictReader((x for x in f if x[0] != "#"), delimiter="\t")}
    for launch in LAUNCHES:
        m = measured[launch]
        theirs = float(m["bytes_per_cycle"]), float(m[L2]) / float(m[CAME])
        rate, asked, came = modelled(heddle, folder, launch)
        far = abs(rate / theirs[0] - 1) > RATE_OFF or abs(asked / came - theirs[1]) > SHARE_OFF or abs(came / float(m[CAME]) - 1) > CAME_OFF
        failed += far
        print(f"{' '.join(launch)}: {theirs[0]:.0f} bytes a cycle, here {rate:.0f}; {theirs[1]:.3f} sectors of L2 for each, here {asked / came:.3f}{'  TOO FAR' if far else ''}")
    print(f"{failed} of {len(LAUNCHES)} are too far away")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
