#!/usr/bin/env python3
"""Makes the table of the H200's counts from what measure.sh left: results.tar.gz, or a folder with its files.

Printed: a line `# device, ...`, the names of the columns, and one row a launch in the order of programs.tsv and of launches:
program, args (the launch's number in its program), kernel, grid, block, and one column a metric. Columns of ncu that are no
metric are left out. Exit status: 1 if a program has no counts, did not print PASSED, or a cell of ../exact.txt is no number.

usage: rows.py results.tar.gz|FOLDER [SET] >h200.tsv

  SET   the folder with programs.tsv; default: this folder
"""
import csv
import re
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# measure.sh asks for these; the other columns of the raw page say what device and launch it is
METRIC = r"(smsp|sm|l1tex|lts|dram|gpu)__.*(?<!\.avg|\.min|\.max)$|launch__(registers_per_thread|occupancy_limit_\w+)$"


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def reader_of(place):
    """A function that gives the text of one of the files."""
    if Path(place).is_dir():
        return lambda name: (Path(place) / name).read_text(errors="replace")
    archive = tarfile.open(place)
    return lambda name: archive.extractfile("./" + name).read().decode(errors="replace")


def number(text):
    value = float(text.replace(",", ""))
    return str(int(value)) if value == int(value) else "%.10g" % value


def launches_of(text):
    """[{column: text}] of ncu's raw page."""
    table = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    return [dict(zip(table[0], row)) for row in table[2:]] if table else []


def row_of(program, launch, counts, metrics):
    kernel = re.sub(r"\(.*", "", re.sub(r"\((?:int|unsigned int|bool)\)", "", counts["Kernel Name"]))
    return [program, str(launch), kernel.replace("void ", ""), counts["Grid Size"].replace(" ", ""),
            counts["Block Size"].replace(" ", ""), *(number(counts[m]) for m in metrics)]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__[__doc__.index("usage:"):])
    folder = Path(sys.argv[2]) if len(sys.argv) == 3 else HERE
    read = reader_of(sys.argv[1])
    exact = lines_of(HERE.parent / "exact.txt")
    programs = [line.split("\t")[0] for line in lines_of(folder / "programs.tsv")[1:]]
    print("#", ", ".join(line.strip() for line in read("machine.txt").splitlines()) + ".")
    metrics = []
    for program in programs:
        launches = launches_of(read(f"{program}.csv"))
        if not launches or "PASSED" not in read(f"{program}.txt") or "PASSED" not in read(f"{program}.run.txt"):
            sys.exit(f"{program}: {len(launches)} launches, and it must print PASSED")
        if not metrics:
            metrics = exact + [m for m in launches[0] if re.match(METRIC, m) and m not in exact]
            print("\t".join(["program", "args", "kernel", "grid", "block", *metrics]))
        for i, counts in enumerate(launches):
            try:
                print("\t".join(row_of(program, i, counts, metrics)))
            except (KeyError, ValueError) as e:
                sys.exit(f"{program}, launch {i}: no number: {e}")


if __name__ == "__main__":
    main()
