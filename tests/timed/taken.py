#!/usr/bin/env python3
"""What takes time, by launches that differ in nothing else (taken.cu), on an H200's description.

usage: taken.py HEDDLE SOURCE    Exit status 1: a difference is not what its figures make of it.

A quotient of subnormal numbers calls a function (target/long_ways.def): 95 instructions more, each 4 cycles behind the one before it, some more for
what goes elsewhere: tests/truth/machine/long_way.tsv has the number. Copies of three groups on their way are there three times as fast as copies
that are waited for one by one. 48 loads of shared memory behind a barrier come one behind the other, but do not wait for each other, whatever
is under a predicate in front of the barrier.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import accuracy

ROUNDS, TIMEOUT = 64, 100 # s
METRICS = ("sm__cycles_elapsed.max", "smsp__inst_executed.sum")
LEAST, MOST = 4, 6  # cycles of an instruction of the function, all in all
WAY = 150  # cycles of a way with one store
TIMES = (2, 3)  # what waiting at once takes: three groups on their way, and what a round takes itself


def main():
    heddle, source = sys.argv[1:]
    problem, rows = accuracy.profile(heddle, [source], TIMEOUT, METRICS)
    if problem:
        print(problem)
        return 1
    launch = [[accuracy.number(r[m]) for m in METRICS] for r in rows]
    (short, few), (long, many), (ahead, _), (at_once, _), (plain, _), (way, _) = launch
    more, cycles = many - few, long - short
    each, times = cycles / more, at_once / ahead
    print(f"a long quotient: {more / ROUNDS:.0f} instructions and {cycles / ROUNDS:.0f} cycles more, {each:.2f} each")
    print(f"copies waited for at once: {at_once / ROUNDS:.0f} cycles a round, two groups later {ahead / ROUNDS:.0f}: {times:.2f} times")
    print(f"loads behind a barrier: {plain:.0f} cycles, behind a way and a barrier {way - plain:.0f} more")
    failed = [what for what, right in (("quotients", LEAST <= each <= MOST), ("copies", TIMES[0] <= times <= TIMES[1]),
                                      ("loads", way - plain <= WAY)) if not right]
    print(f"{len(failed)} are not as they should be: {', '.join(failed)}" if failed else "all as they should be")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
