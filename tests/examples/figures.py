#!/usr/bin/env python3
"""Run one example under `heddle profile` and compare its report with tests/examples.tsv.

usage: figures.py HEDDLE ROOT PROGRAM      one program: PASSED, exit status 0, every figure
       figures.py HEDDLE ROOT --list       every examples/*.cu has lines in the table, and the table only those

A line of the table: program, arguments (those that begin with '-' are flags for Heddle, '-' is none), kernel (a regular
expression for the whole name before the brackets), number of the launch among those of that kernel (from 1), metric,
expected value. The metric `launches` is how many launches of the
kernel the report has. "A / B" is metric A over metric B of the same launch, "A / KERNEL N" over the same metric of another one. A value "X to Y"
is a range, for figures that are modelled. A program without figures has one line with '-' in the last four columns. A figure must also
stand in the head comment of the program as `metric = value`: what a reader is promised is what is tested.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile


def read_table(root):
    rows = []
    path = root / "tests" / "examples.tsv"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 6:
            sys.exit(f"{path}:{number}: {len(fields)} columns, not 6")
        rows.append(fields)
    return rows


def check_list(root):
    there = {p.stem for p in (root / "examples").glob("*.cu")}
    listed = {row[0] for row in read_table(root)}
    readme = (root / "examples" / "README.md").read_text()
    problems = [f"examples/{name}.cu has no line in tests/examples.tsv" for name in sorted(there - listed)]
    problems += [f"tests/examples.tsv: '{name}' is no example" for name in sorted(listed - there)]
    problems += [f"examples/README.md does not name {name}.cu" for name in sorted(there) if f"({name}.cu)" not in readme]
    return problems


def head_comment(path):
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    text = " ".join(lines)
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def read_launches(log):
    """The launches of a raw CSV page, in order: dictionaries by column name."""
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    if not lines:
        return []
    reader = csv.DictReader(lines)
    return [row for row in reader if row["ID"]]


def promised(head, metric, value):
    return re.search(rf"{re.escape(metric)} = {re.escape(value)}(?![\d.]*\d)", head)


def parts(metric):
    """(metric, what it is divided by: a metric, (kernel, number), or None)"""
    above, _, below = metric.partition(" / ")
    kernel, _, number = below.rpartition(" ")
    return above, (kernel, int(number)) if kernel else below or None


def launches_of(launches, kernel):
    return [l for l in launches if re.fullmatch(f"(void )?({kernel})", l["Kernel Name"].rsplit("(", 1)[0])]


def figure(launches, launch, metric):
    """The figure of this launch, as text."""
    above, below = parts(metric)
    got = launch[above].replace(",", "")
    if below is None:
        return got
    if isinstance(below, tuple):
        others = launches_of(launches, re.escape(below[0]))
        other = others[below[1] - 1][above] if below[1] <= len(others) else "n/a"
    else:
        other = launch[below]
    try:
        return f"{float(got) / float(other.replace(',', '')):.6g}"
    except (ValueError, ZeroDivisionError):
        return f"{got} / {other}"


def as_expected(got, value):
    try:
        if " to " in value:
            least, most = map(float, value.split(" to "))
            return least <= float(got) <= most
        return abs(float(got) - float(value)) <= 1e-6 * abs(float(value))
    except ValueError:
        return False


def run(heddle, root, program, words, rows):
    flags = [word for word in words if word.startswith("-")]
    arguments = [word for word in words if not word.startswith("-")]
    source = root / "examples" / f"{program}.cu"
    named = [parts(row[4]) for row in rows if row[4] not in ("-", "launches")]
    metrics = sorted({above for above, _ in named} | {below for _, below in named if isinstance(below, str)}) or ["launch__grid_size"]
    problems = []
    with tempfile.TemporaryDirectory() as work:
        log = pathlib.Path(work) / "log"
        command = [heddle, "profile", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics),
                   "--log-file", str(log)] + flags + [str(source)] + arguments
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="")
        if done.returncode != 0:
            problems.append(f"exit status {done.returncode}")
        if done.stdout.splitlines()[-1:] != ["PASSED"]:
            problems.append("the last line is not PASSED")
        launches = read_launches(log) if log.exists() else []
    head = head_comment(source)
    for _, _, kernel, number, metric, value in rows:
        if metric == "-":
            continue
        if not promised(head, metric, value):
            problems.append(f"the head of {program}.cu does not say '{metric} = {value}'")
        mine = launches_of(launches, kernel)
        where = f"{kernel} {number}: {metric}"
        if metric == "launches":
            got = str(len(mine))
        elif len(mine) < int(number):
            problems.append(f"{where}: only {len(mine)} launches of this kernel")
            continue
        else:
            got = figure(launches, mine[int(number) - 1], metric)
        print(f"{where} = {got}")
        if not as_expected(got, value):
            problems.append(f"{where} is {got}, expected {value}")
    return problems


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    heddle, root, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    if program == "--list":
        problems = check_list(root)
    else:
        groups = {}
        for row in read_table(root):
            if row[0] == program:
                groups.setdefault(row[1], []).append(row)
        problems = [] if groups else [f"tests/examples.tsv has no line for '{program}'"]
        for arguments, rows in groups.items():
            problems += run(heddle, root, program, [] if arguments == "-" else arguments.split(), rows)
    for problem in problems:
        print(f"{program}: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
