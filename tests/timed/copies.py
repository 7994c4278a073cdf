"""Modelled times of copies and fills, by events, against what an H200 took (tests/truth/time/host.tsv).

usage: copies.py HEDDLE [--all]

The mean absolute error of each way of copying, over 4 KiB to 256 MiB by factors of four, must not be more than LIMIT says. --all prints each."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = {"pinned": 0.10, "pageable": 0.25, "device to device, async": 0.10, "memset, async": 0.30}


def limit(what):
    return LIMIT.get(what) or LIMIT["pinned" if "pinned" in what else "pageable"]


def main():
    truth = {}
    for line in open(os.path.join(HERE, "..", "truth", "time", "host.tsv")):
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "copy":
            truth[cells[1], int(cells[2])] = float(cells[3])
    done = subprocess.run([sys.argv[1], "run", "--timed", os.path.join(HERE, "copies.cu")], capture_output=True, text=True,
                          env=dict(os.environ, HEDDLE_DEVICE="h200", HEDDLE_QUIET="1"))
    errors = {}
    for line in done.stdout.splitlines():
        what, n, ns = line.split("\t")
        if (what, int(n)) in truth:
            error = float(ns) / truth[what, int(n)] - 1
            errors.setdefault(what, []).append(error)
            if "--all" in sys.argv:
                print(f"{what:32} {n:>10} {float(ns):12.0f} {truth[what, int(n)]:12.0f} {100 * error:6.1f} %")
    wrong = done.returncode != 0 or len(errors) != 10
    for what, e in errors.items():
        mean = sum(map(abs, e)) / len(e)
        print(f"{what:32} {len(e)} sizes, mean absolute error {100 * mean:4.1f} %, at most {100 * limit(what):.0f} % wanted")
        wrong |= mean > limit(what) or len(e) < 7
    print("FAILED" if wrong else "PASSED")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
