#!/usr/bin/env python3
"""Makes a set's table of launches from what programs.sh left.

Printed: the columns of another set's table (../held/h200.tsv unless --like says), one row a launch in the order of the programs. `args` is
the variant: the names in the last column of the table of programs in the set's README.md, in their order. A program with another number of
launches than variants is named and left out; then the exit status is 1.

usage: rows.py OUT.csv [OUT.csv ...] --set FOLDER [--like TABLE] >h200.tsv

A program's rows are taken from the last OUT.csv that has them.
"""
import argparse
import csv
import re
import sys
from pathlib import Path

TRUTH = Path(__file__).resolve().parent.parent


def variants_of(readme):
    """{program: [variant]}"""
    rows = re.findall(r"^\| `(\w+)` \|.*\| ((?:`\w+`(?:, )?)+) \|$", readme.read_text(), flags=re.M)
    return {program: re.findall(r"`(\w+)`", names) for program, names in rows}


def launches_of(path):
    """{program: [{column: cell}]}: the rows of launches; those of column names and units go."""
    programs, columns = {}, {}
    with open(path, newline="") as file:
        for program, *cells in csv.reader(file):
            if cells[0] == "ID":
                columns[program], programs[program] = cells, []
            elif cells[0]:
                programs[program].append(dict(zip(columns[program], cells)))
    return programs


def number(text):
    """As the tables have it: at most two places."""
    value = round(float(text.replace(",", "")), 2)
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("csv", nargs="+")
    parser.add_argument("--set", required=True)
    parser.add_argument("--like", default=TRUTH / "held" / "h200.tsv")
    options = parser.parse_args()
    with open(options.like) as like:
        metrics = like.readline().rstrip("\n").split("\t")[4:]
    launches = {program: rows for path in options.csv for program, rows in launches_of(path).items()}
    bad = False
    print("\t".join(["program", "args", "launch", "kernel", *metrics]))
    for program, variants in variants_of(Path(options.set) / "README.md").items():
        rows = launches.get(program, [])
        if len(rows) != len(variants):
            print(f"{program}: {len(rows)} launches, {len(variants)} variants", file=sys.stderr)
            bad = True
            continue
        for i, (variant, row) in enumerate(zip(variants, rows)):
            kernel = re.match(r"(?:void )?(\w+)", row["Kernel Name"])[1]
            print("\t".join([program, variant, str(i), kernel, *(number(row[m]) for m in metrics)]))
    return bad


if __name__ == "__main__":
    sys.exit(main())
