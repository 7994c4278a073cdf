#!/usr/bin/env python3
"""What each mechanism of the model of time is worth: the error of modelled times beside an H200's without it.

In: what tools/sweep.py kept of the open programs with nvcc's PTX, with the whole model and without each mechanism (`sweep.py HEDDLE --raw FILE
--code nvcc --mechanisms all`: 42 programs for each of 43 models), and what the H200 needed (tests/truth/time.tsv). Out: a table, a
mechanism a row, which tools/accuracy_time.py puts on docs/reference/accuracy-time.md. Exit status: 1 if runs are missing.

usage: accuracy_ablations.py --raw FILE --write docs/reference/accuracy-ablations.tsv
"""
import argparse
import datetime
import sys
from pathlib import Path

import accuracy
import accuracy_time
from sweep import WHOLE, mechanisms

CODE = "nvcc"


def launches(truth, raw):
    """{mechanism: [Launch]} of those whose programs all ran, and what is missing."""
    results, missing, lines = {}, [], accuracy.raw_lines(raw)
    for without in dict.fromkeys(line["without"] for line in lines):
        done = accuracy.kept(lines, "open", without)
        got = results[without] = []
        for program, rows in truth.items():
            problem, ours = done.get((CODE, program), ("not run", []))
            if problem or len(ours) != len(rows):
                missing.append(f"{without}, {program}")
                continue
            got += [accuracy_time.Launch(*pair) for pair in zip(rows, ours)]
    return results, missing


def figures(some):
    """[launches, mean, median, 90th percentile, pairs ordered rightly, pairs, distance of stalls, mean error of short ones]"""
    long = [x for x in some if x.measured > accuracy_time.LONG]
    errors = [x.error for x in long]
    right, count = accuracy_time.pairs(long)
    apart = [accuracy_time.distance(x.stalls, x.truth) for x in long if x.stalls and x.truth]
    short = [x.error for x in some if x.measured <= accuracy_time.LONG]
    mean, quantile = accuracy_time.mean, accuracy_time.quantile
    return [len(long), f"{100 * mean(errors):.2f}", f"{100 * quantile(errors, 0.5):.2f}", f"{100 * quantile(errors, 0.9):.2f}", right, count,
            f"{mean(apart):.4f}", f"{100 * mean(short):.2f}"]


HEAD = ["mechanism", "launches", "mean", "median", "p90", "right", "pairs", "stalls", "short"]


def write(options):
    results, missing = launches(accuracy.table("time.tsv"), options.raw)
    wanted = [WHOLE, *mechanisms()]
    missing += [f"{name}: no runs" for name in wanted if name not in results]
    lines = [f"# {datetime.date.today()}: {accuracy_time.CODES[CODE]}, open launches, cold caches. Written by tools/accuracy_ablations.py; do not edit.",
             "\t".join(HEAD)]
    lines += ["\t".join(map(str, [name, *figures(results[name])])) for name in wanted if results.get(name)]
    Path(options.write).write_text("\n".join(lines) + "\n")
    for what in missing:
        print(what, file=sys.stderr)
    return not missing


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--raw", required=True)
    parser.add_argument("--write", required=True)
    return 0 if write(parser.parse_args()) else 1


if __name__ == "__main__":
    sys.exit(main())
