"""Two kernels beside each other, and kernels beside copies, against an H200 (tests/truth/time/share.cu and share.tsv): how many times as long as alone each of the
two takes until it ends, by events. How long one alone takes is not looked at here.

usage: share.py HEDDLE [all | GROUP | A+B ...]      default: the rows below"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRUTH = os.path.join(HERE, "..", "truth", "time")
ROWS = ["xu+xu", "alu+xu", "shared+shared", "fma+fma", "l2+l2", "fma+xu", "xu+shared", "read+chase", "fma_66+fma_66", "read+read_66", "read+read_8", "hog+fma", "hog_198+hog_198", "fma_66+fma_waves", "fma+d2d", "low_2+come_132",
        "low_50+come_132"]
MEAN, MOST = 0.11, 0.25


def rows(lines):
    """{(group, a, b): (alone a, alone b, together a, together b)}, ns. Which of two alike that come together is the first is not said."""
    found = {}
    for line in lines:
        c = line.rstrip("\n").split("\t")
        if len(c) > 15 and not line.startswith("#"):
            ends = [float(c[8]), float(c[9])]
            found[tuple(c[:3])] = [float(c[4]), float(c[6])] + (sorted(ends) if c[1] == c[2] and c[3] == "0" else ends)
    return found


def run(heddle, what):
    done = subprocess.run([heddle, "run", "--timed", os.path.join(TRUTH, "share.cu"), what, "1"], capture_output=True, text=True,
                          env=dict(os.environ, HEDDLE_DEVICE="h200", HEDDLE_QUIET="1"))
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return rows(done.stdout.splitlines())


def main():
    wanted = sys.argv[2:] or ROWS
    truth = rows(open(os.path.join(TRUTH, "share.tsv")))
    errors, groups = [], {}
    for what in wanted:
        found = run(sys.argv[1], "" if what == "all" else what)
        if not found:
            sys.exit(f"no row {what}")
        for key, ours in found.items():
            theirs = truth[key]
            off = [ours[2 + k] / ours[k] / (theirs[2 + k] / theirs[k]) - 1 for k in (0, 1)]
            errors += [abs(e) for e in off]
            groups.setdefault(key[0], []).extend(abs(e) for e in off)
            print(f"{key[0]:8} {key[1]:13} {key[2]:26}" + "".join(f"  {'ab'[k]}: {ours[2 + k] / ours[k]:5.2f} times alone, on an H200 {theirs[2 + k] / theirs[k]:5.2f} {100 * off[k]:+4.0f} %" for k in (0, 1)))
    for name, some in groups.items():
        print(f"{name}: {100 * sum(some) / len(some):.1f} % of {len(some)}")
    wrong = sum(errors) / len(errors) > MEAN or max(errors) > MOST
    print(f"{'FAILED' if wrong else 'PASSED'}: mean error {100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
