#!/usr/bin/env python3
"""What print.cu executes under Heddle beside an H200 (print.tsv): warp instructions, thread instructions and those of each unit.

usage: print.py HEDDLE
"""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OFF = {"smsp__inst_executed.sum": 0.005, "smsp__thread_inst_executed.sum": 0.02}  # units: 0.02, and so many instructions of a warp:
OWN = 12  # of the kernel itself, which another compiler may have made


def main():
    wanted = list(csv.DictReader(open(HERE + "/print.tsv"), delimiter="\t"))
    metrics = [name for name in wanted[0] if name.startswith("smsp__")]
    with tempfile.TemporaryDirectory() as folder:
        log = folder + "/log.csv"
        subprocess.run([sys.argv[1], "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                        ",".join(metrics), "--log-file", log, HERE + "/print.cu"], stdout=subprocess.DEVNULL, check=True)
        rows = list(csv.DictReader(line for line in open(log) if line.startswith('"')))[1:]
    bad = len(rows) != len(wanted)
    worst = 0
    for i, (have, want) in enumerate(zip(rows, wanted)):
        bad |= have["Kernel Name"].split("(")[0] != want["kernel"]
        for name in metrics:
            value, truth = float(have[name].replace(",", "")), float(want[name])
            own = OWN * float(want["warps"]) * (32 if "thread" in name else 1)
            if abs(value - truth) > OFF.get(name, 0.02) * truth + own:
                print("launch %d, %s %s: %.0f, %.0f on the H200" % (i, want["kernel"], name, value, truth))
                bad = True
        worst = max(worst, abs(float(have[metrics[0]].replace(",", "")) / float(want[metrics[0]]) - 1) if float(want[metrics[0]]) > 1000 else 0)
    print("%d launches; warp instructions of those that print at most %.2f %% off" % (len(rows), 100 * worst))
    sys.exit(bad)


if __name__ == "__main__":
    main()
