#!/usr/bin/env python3
"""What `ops.cu` counts under Heddle is what ops.tsv has of an H200: kernel, and a column for each metric.

usage: ops.py HEDDLE
"""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    wanted = list(csv.DictReader(open(HERE + "/ops.tsv"), delimiter="\t"))
    metrics = [name for name in wanted[0] if name != "kernel"]
    with tempfile.TemporaryDirectory() as folder:
        log = folder + "/log.csv"
        subprocess.run([sys.argv[1], "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                        ",".join(metrics), "--log-file", log, HERE + "/ops.cu"], stdout=subprocess.DEVNULL, check=True)
        rows = list(csv.DictReader(line for line in open(log) if line.startswith('"')))[1:]
    bad = len(rows) != len(wanted)
    for have, want in zip(rows, wanted):
        have = dict(have, kernel=have["Kernel Name"].split("(")[0])
        for name in want:
            if have[name].replace(",", "") != want[name]:
                print("%s %s: %s, %s on the H200" % (want["kernel"], name, have[name], want[name]))
                bad = True
    print("%d launches" % len(rows))
    sys.exit(bad)


if __name__ == "__main__":
    main()
