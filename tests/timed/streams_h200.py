"""Device time of small stream programs (streams.cu) beside CUPTI's records of an H200 (h200_streams.tsv): the whole length of each, and which pairs of
commands overlap.

usage: streams_h200.py HEDDLE. Exit status 1: further away than it may be."""
import csv
import itertools
import os
import statistics
import sys

import streams

TIMES = "4"  # the last of so many runs of the case in a process
LENGTH, SINGLE, PAIRS = 0.18, 0.4, 3  # mean and largest error of the length; pairs of which both runs of the H200 say the opposite, at most


def measured():
    """{case: [{command: (begin, end)} of each run]}"""
    runs = {}
    with open(os.path.join(streams.HERE, "h200_streams.tsv")) as f:
        for r in csv.DictReader((x for x in f if x[0] != "#"), delimiter="\t"):
            runs.setdefault(r["case"], {}).setdefault(r["run"], {})[r["command"]] = (int(r["begin"]), int(r["end"]))
    return {case: list(of.values()) for case, of in runs.items()}


def overlaps(at):
    return {p: min(at[p[0]][1], at[p[1]][1]) > max(at[p[0]][0], at[p[1]][0]) for p in itertools.combinations(sorted(at), 2)}


def length(at):
    return max(end for _, end in at.values()) - min(begin for begin, _ in at.values())


def main():
    errors, wrong, pairs = [], 0, 0
    for case, runs in measured().items():
        at = streams.times(sys.argv[1], case, 1, TIMES)
        theirs, ours = statistics.mean(length(r) for r in runs), length(at)
        errors.append(abs(ours / theirs - 1))
        seen, here = [overlaps(r) for r in runs], overlaps(at)
        clear = [p for p in here if all(s[p] == seen[0][p] for s in seen)]
        other = [p for p in clear if here[p] != seen[0][p]]
        pairs, wrong = pairs + len(clear), wrong + len(other)
        print(f"{case}: {theirs / 1000:.1f} us, here {ours / 1000:.1f}" + "".join(f"; {a} and {b} {'overlap' if here[a, b] else 'do not overlap'} here" for a, b in other))
    print(f"length {100 * statistics.mean(errors):.1f} % off in the mean of {len(errors)}, {100 * max(errors):.0f} % at most; {pairs - wrong} of {pairs} pairs overlap or not as there")
    return statistics.mean(errors) > LENGTH or max(errors) > SINGLE or wrong > PAIRS


if __name__ == "__main__":
    sys.exit(main())
