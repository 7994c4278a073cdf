#!/usr/bin/env python3
"""Instructions of unrolled loops, of every number of turns and mixed lanes, against sums made by hand.

usage: trips.py HEDDLE [--ptx FILE]

Profiles truth/machine/trips.cu with all executors, which must count the same. What a loop adds to a launch whose lanes do no turns is
compared with what the listing of the machine code (heddle target; ptxas 13.0 makes the same for sm_90) says, by warp:

               few (1 FFMA a turn)                      some (4)                    many (9)
  visit        BSSY PLOP3 IADD3 ISETP BRA               the same                    the same
  4 or more    PLOP3 IADD3                              the same                    the same
  four turns   FFMA*4 IADD3 ISETP BRA                   FFMA*16 ...                 FFMA*36 ...
  visit        BSYNC IADD3 ISETP                        BSYNC IADD3 BSSY ISETP BRA  BSYNC IADD3 BSSY ISETP BRA
  two left     @P FFMA*2 IADD3 PLOP3, each visit        FFMA*8 IADD3 PLOP3          FFMA*18 IADD3 PLOP3
  visit        ISETP                                    BSYNC ISETP                 BSYNC ISETP BRA
  one left     @P FFMA, each visit                      @P FFMA*4, each visit       FFMA*9

Without BSSY and BSYNC where the number of turns is a parameter; there `few` has the same predicates. Each group of lanes that comes to a
BSYNC at its own time executes it. --ptx: device code from elsewhere.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
METRICS = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum"]
WARPS = 16
# kernel: instructions of a turn; whether two turns left over, and one, are under a predicate; whether lanes may do different numbers
LOOPS = {"few": (1, True, True, True), "some": (4, False, True, True), "many": (9, False, False, True),
         "few uniform": (1, True, True, False), "some uniform": (4, False, True, False), "many uniform": (9, False, False, False)}


def turns_of(kind, lane, n):
    return {"same": n, "uniform": n, "mixed": 7 * lane % (n + 1), "half": n if lane < 16 else 0, "one": n if lane == 5 else 0,
            "rising": lane * n // 31}[kind]


def added(loop, kind, n):
    """What the loop adds: instructions of a warp, of its lanes, and those whose predicate holds."""
    body, two_predicated, one_predicated, lanes_differ = LOOPS[loop]
    turns = [turns_of(kind, lane, n) for lane in range(32)]
    here = [t for t in turns if t]
    if not here:
        return 0, 0, 0
    visit, some = len(here), sum(t >= 4 for t in here)
    two, one = sum(t & 2 != 0 for t in here), sum(t & 1 for t in here)
    rounds_of_lanes, rounds = sum(t // 4 for t in here), max(t // 4 for t in here)
    sync = 1 if lanes_differ else 0
    part_two = (2 * body + 2, two_predicated, two)
    part_one = (body, one_predicated, one)
    warp = lane = on = 0

    def each(count, lanes, warps=1, held=None):
        nonlocal warp, lane, on
        warp += count * warps
        lane += count * lanes
        on += count * (lanes if held is None else held)

    each(3 + sync, visit)               # BSSY PLOP3 IADD3 ISETP
    each(1, visit, 1, visit - some)     # BRA: lanes without a round
    each(2, some, some > 0)
    each(4 * body + 2, rounds_of_lanes, rounds)
    each(1, rounds_of_lanes, rounds, rounds_of_lanes - some)
    each(2 + sync, visit)               # BSYNC IADD3 ISETP
    count, predicated, left = part_two
    if predicated:
        each(count, visit, 1, left)
    else:
        each(2 * sync, visit)           # BSSY, BSYNC
        each(1, visit, 1, visit - left)
        each(count, left, left > 0)
    each(1, visit)                      # ISETP
    count, predicated, left = part_one
    if predicated:
        each(count, visit, 1, left)
    else:
        each(1, visit, 1, visit - left)
        each(count, left, left > 0)
    if lanes_differ:                    # further groups that come to a BSYNC
        warp += len({t // 4 for t in here}) - 1
        warp += 0 if two_predicated else 0 < two < visit
        warp += 0 if one_predicated else 0 < one < visit
        warp += visit < 32              # and behind the branch around the loop
    on -= visit                         # that branch is taken by lanes that do none
    return warp, lane, on


def profile(heddle, executor, options, folder):
    log = folder + "/log"
    env = dict(os.environ, HEDDLE_EXEC=executor)
    run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
                          "--log-file", log] + options + [HERE + "/../truth/machine/trips.cu"], env=env, capture_output=True, text=True)
    if run.returncode or "PASSED" not in run.stdout:
        sys.exit("%s: status %d\n%s%s" % (executor, run.returncode, run.stdout[-500:], run.stderr[-2000:]))
    names = re.findall(r"^LAUNCH \d+ (.*)$", run.stdout, re.M)
    rows = list(csv.DictReader(io.StringIO("".join(line for line in open(log) if line.startswith('"')))))
    rows = [r for r in rows if r["ID"].strip().isdigit()]
    if len(rows) != len(names) or not rows:
        sys.exit("%s: %d launches, %d in the report" % (executor, len(names), len(rows)))
    return {name: tuple(int(row[m].replace(",", "")) for m in METRICS) for name, row in zip(names, rows)}


def main():
    heddle, options = sys.argv[1], []
    if sys.argv[2:3] == ["--ptx"]:
        options = ["--device-ptx", sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        counts = {executor: profile(heddle, executor, options, folder) for executor in ("interp", "jit", "jit-first")}
    bad, compared = 0, 0
    first = counts["interp"]
    for executor in counts:
        for name in first:
            if counts[executor].get(name) != first[name]:
                bad += 1
                print("%s: %s counts %s, the interpreter %s" % (name, executor, counts[executor].get(name), first[name]))
    for name, found in first.items():
        kernel, kind, n = name.split()
        loop = kernel + " uniform" if kind == "uniform" else kernel
        if loop not in LOOPS:
            continue
        none = first["%s %s 0" % (kernel, kind)]
        expected = tuple(a + WARPS * b for a, b in zip(none, added(loop, kind, int(n))))
        compared += 1
        if found != expected:
            bad += 1
            print("%s: %s, by hand %s" % (name, found, expected))
    print("%d launches, %d compared with sums by hand, %d differ" % (len(first), compared, bad))
    sys.exit(bad > 0 or compared != 34 * 18)


main()
