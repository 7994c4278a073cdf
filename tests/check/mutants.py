#!/usr/bin/env python3
"""`heddle check` on the planted bugs of tests/check/mutants: which it finds, and that it is silent without them.

usage: mutants.py HEDDLE [--only NAME[:BUG],...] [--class CLASS,...] [--marked] [--part K/N] [--timeout S] [--write FILE] [--update]

mutants.tsv lists the bugs (mutants/README.md says what its columns mean). A program is built with -DBUG=k for each, and
with -DBUG=0 for none. What comes out:

  found      a finding of an expected kind at the expected lines; of a race both
  elsewhere  findings, but all of another kind or at other lines
  missed     no finding; `hang`: and the program did not end in time
  clean      -DBUG=0: PASSED, and no finding that is an error; else `false alarm`, or `fails`
  refused    the program needs what is not implemented

Exits with 0 when all rows come out as their column `now` says, or better, and no clean program has a false alarm. --marked leaves
out the bugs that `now` does not call found. --part K/N: the K-th of N parts. --write: a row for each with what was found.
--update: writes what is found today into the column.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "mutants"
TABLE = FOLDER.with_suffix(".tsv")

# What a kind of the table is in `kind` of a finding (src/check/kinds.def). One that `heddle check` does not have yet stands for
# itself.
KINDS = {
    "race": ["read-after-write", "write-after-read", "write-after-write"],
    "same-value": ["write-after-write-same-value"],
    "out-of-bounds": ["out-of-bounds", "misaligned"],
    "uninitialised": ["uninitialised", "unwritten-copy"],
    "lifetime": ["use-after-free", "use-before-allocation"],
    "bad-free": ["device-free"],
    "barrier": ["barrier-divergent-warp"],
    "collective": ["mask-without-caller", "mask-of-exited"],
}


def rows_of(table):
    with table.open() as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def statement(text, last):
    """The numbers of the lines of the statement whose last line is `last` (0 ...); from 1."""
    first = last
    while first > 0:
        before = re.sub(r"//.*", "", text[first - 1]).strip()
        if not before or before[-1] in ";{}:" or before.startswith("#") or re.match(r"(\} )?(if|else|for|while)\b.*", before):
            break
        first -= 1
    return set(range(first + 1, last + 2))


def marked_lines(program, names):
    """The lines of the statements that have one of the markers "// @NAME", all in one set."""
    text = (FOLDER / f"{program}.cu").read_text().splitlines()
    lines = set()
    for name in names:
        for i, line in enumerate(text):
            if re.search(rf"// @{name}$", line):
                lines |= statement(text, i)
    return lines


def differences(table):
    """What the table and the programs do not have in common."""
    told = {row["program"] for row in table}
    yield from (f"{name} has no row" for name in sorted({p.stem for p in FOLDER.glob("*.cu")} - told))
    for program in sorted(told):
        text = (FOLDER / f"{program}.cu").read_text()
        rows = [row for row in table if row["program"] == program]
        numbers = {0, *map(int, re.findall(r"BUG [!=]= (\d+)", text))}
        if [int(row["bug"]) for row in rows] != sorted(numbers):
            yield f"{program}.cu has the bugs {sorted(numbers)}"
        markers = set(re.findall(r"// @(\w+)$", text, re.M))
        used = {name for row in rows if row["bug"] != "0" for name in row["lines"].split(",")}
        yield from (f"{program}.cu: only one of table and program has '@{name}'" for name in sorted(markers ^ used))


def lines_of(place, program):
    """Lines of the program that a place of a finding names, those that it was inlined into among them."""
    if not place:
        return set()
    named = [f'{place["file"]}:{place["line"]}', *(place["inlined_at"] or "").split(" < ")]
    return {int(n) for file, _, n in (x.rpartition(":") for x in named) if pathlib.Path(file).name == f"{program}.cu"}


def host_lines(backtrace, program):
    return {int(n) for n in re.findall(rf" in (?:\S*/)?{program}\.cu:(\d+) ", backtrace or "")}


def fits(finding, row):
    """Whether a finding is the one that a row expects."""
    kinds = {kind for name in row["kinds"].split(",") for kind in [name, *KINDS.get(name, [])]}
    freed = finding["place"] == "freed" and "lifetime" in kinds
    if finding["kind"] not in kinds and not freed:
        return False
    lines, program = marked_lines(row["program"], row["lines"].split(",")), row["program"]
    at = lines_of(finding["at"], program) or host_lines(finding["backtrace"], program)
    by = lines_of(finding["by"], program)
    return bool(at & lines) and (not by or bool(by & lines))


def check(heddle, row, timeout):
    """Runs one bug: (verdict, what the program printed, its findings)."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / "findings"
        command = [heddle, "check", f'-DBUG={row["bug"]}', "--json", str(out), str(FOLDER / f'{row["program"]}.cu')]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
        try:
            printed, report = run.communicate(timeout=timeout)
            ended = True
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            printed, report = run.communicate()
            ended = False
        findings = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    says = "hang" if not ended else next((w for w in ("PASSED", "FAILED") if w in printed), f"status {run.returncode}")
    if "not implemented" in report:
        return "refused", says, findings
    if row["bug"] == "0":
        alarm = any(f["severity"] == "error" for f in findings)
        return "false alarm" if alarm else "clean" if says == "PASSED" else "fails", says, findings
    if any(fits(f, row) for f in findings):
        return "found", says, findings
    return "elsewhere" if findings else "missed" if ended else "hang", says, findings


def brief(finding, program):
    where = lines_of(finding["at"], program) or host_lines(finding["backtrace"], program)
    by = lines_of(finding["by"], program)
    return f'{finding["kind"]} {",".join(map(str, sorted(where)))}' + (f' by {",".join(map(str, sorted(by)))}' if by else "")


def by_class(results):
    """The table: how many of each class came out how."""
    counts = collections.defaultdict(collections.Counter)
    for row, verdict, _, _ in results:
        counts[row["point"], row["class"]][verdict] += 1
    verdicts = [v for v in ("found", "elsewhere", "missed", "hang", "refused", "clean", "fails", "false alarm")
                if any(c[v] for c in counts.values())]
    print(f'{"point":6}{"class":18}{"of":>5}' + "".join(f"{v:>13}" for v in verdicts))
    for (point, name), c in sorted(counts.items()):
        print(f"{point:6}{name:18}{sum(c.values()):5}" + "".join(f"{c[v]:13}" for v in verdicts))
    bugs = [v for row, v, _, _ in results if row["bug"] != "0"]
    print(f'{bugs.count("found")} of {len(bugs)} bugs found')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heddle")
    parser.add_argument("--only", default="")
    parser.add_argument("--class", dest="classes", default="")
    parser.add_argument("--marked", action="store_true")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--write")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    table = rows_of(TABLE)
    wrong = list(differences(table))
    if wrong:
        sys.exit("FAILED: " + "; ".join(wrong))
    part, of = map(int, args.part.split("/"))
    programs = sorted({row["program"] for row in table})
    taken = {p for i, p in enumerate(programs) if i % of == part - 1}
    only = args.only.split(",") if args.only else []
    rows = [row for row in table if row["program"] in taken
            and (not only or row["program"] in only or f'{row["program"]}:{row["bug"]}' in only)
            and (not args.classes or row["class"] in args.classes.split(","))
            and (not args.marked or row["now"] in ("found", "clean"))]
    results, problems = [], []
    for row in rows:
        verdict, says, findings = check(args.heddle, row, args.timeout)
        results.append((row, verdict, says, findings))
        name = f'{row["program"]}:{row["bug"]}'
        told = "; ".join(dict.fromkeys(brief(f, row["program"]) for f in findings))
        print(f'{verdict:12}{name:22}{row["class"]:16}{says:10}{told}', flush=True)
        if verdict == "false alarm" or (row["now"] in ("found", "clean") and verdict != row["now"]):
            problems.append(f"{name}: {verdict}")
        if row["alone"] == "PASSED" and row["now"] in ("found", "clean") and says != "PASSED":
            problems.append(f"{name}: {says}, not PASSED")
    by_class(results)
    if args.write:
        lines = ["\t".join((row["program"], row["bug"], row["point"], row["class"], verdict, says,
                            "; ".join(dict.fromkeys(brief(f, row["program"]) for f in findings))))
                 for row, verdict, says, findings in results]
        pathlib.Path(args.write).write_text("program\tbug\tpoint\tclass\tverdict\tsays\tfindings\n" + "\n".join(lines) + "\n")
    if args.update:
        for row, verdict, _, _ in results:
            row["now"] = verdict if verdict in ("found", "clean") else "-"
        TABLE.write_text("\n".join("\t".join(r) for r in [table[0].keys(), *(row.values() for row in table)]) + "\n")
    sys.exit("FAILED: " + "; ".join(problems) if problems else 0)


main()
