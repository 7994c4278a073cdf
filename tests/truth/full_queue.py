#!/usr/bin/env python3
"""Launches that keep the queue before the unit of loads and stores full: warps that are active, and what they wait for, beside an H200's counters.

usage: full_queue.py HEDDLE FOLDER    FOLDER: tests/truth. Exit status 1: a launch is further away than it may be.
"""
import csv
import subprocess
import sys
import tempfile

ACTIVE = "sm__warps_active.avg.per_cycle_active"
REASON = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
ACTIVE_OFF = 5.0  # warps of 64
SHARE_OFF = 0.26  # of all that warps wait for; special registers that wait behind reductions (short_scoreboard on the GPU) are part of drain here
# What most warps wait for: loads of 32 lines from L1, an index to constant memory that differs in 4 lanes, a reduction by each warp that then ends.
LAUNCHES = [("matmul_naive", "swapped,16x16", "lg_throttle"), ("constant_index", "constant,distinct=4", "mio_throttle"),
            ("atomics", "red,shift=19", "drain")]


def number(text):
    return float(text.replace(",", "") or 0)


def share(row, reason):
    waits = {k: number(v) for k, v in row.items() if k.startswith(REASON.split("{")[0])}
    return waits[REASON.format(reason)] / sum(waits.values())


def modelled(heddle, folder, program, args, names):
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as log:
        subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(names),
                        "--log-file", log.name, "--device-ptx", f"{folder}/ptx/{program}.nvcc.ptx", f"{folder}/{program}.cu", args],
                       stdout=subprocess.DEVNULL, check=True)
        return [r for r in csv.DictReader(x for x in log if x.startswith('"')) if r["ID"].isdigit()][0]


def main():
    heddle, folder = sys.argv[1:]
    with open(f"{folder}/time/programs.tsv") as f:
        measured = {(r["program"], r["args"]): r for r in csv.DictReader(f, delimiter="\t")}
    names = [ACTIVE] + [k for k in next(iter(measured.values())) if k.startswith(REASON.split("{")[0])]
    failed = 0
    for program, args, reason in LAUNCHES:
        theirs, ours = measured[program, args], modelled(heddle, folder, program, args, names)
        active, shares = [number(r[ACTIVE]) for r in (theirs, ours)], [share(r, reason) for r in (theirs, ours)]
        failed += abs(active[0] - active[1]) > ACTIVE_OFF or abs(shares[0] - shares[1]) > SHARE_OFF
        print(f"{program} {args}: warps {active[0]:.1f}, here {active[1]:.1f}; {reason} {shares[0]:.2f}, here {shares[1]:.2f}")
    print(f"{failed} of {len(LAUNCHES)} are too far away")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
