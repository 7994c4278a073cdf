#!/usr/bin/env python3
"""What an H200's compute-sanitizer printed of a program with a bug, and what ours says of it.

usage: h200.py COMPUTE_SANITIZER FOLDER PROGRAM

FOLDER/PROGRAM.txt is what NVIDIA's compute-sanitizer printed (its first line is the command line). Ours runs with the same
flags, but for --print-limit. Every finding of the text must be among ours: the same headline and lines, and the same threads
but for races, whose threads, addresses and counts depend on timing there. Summary counts must be equal but for races.
"""
import os
import pathlib
import re
import subprocess
import sys


def findings(text):
    """The findings of a report, each a list of lines without the prefix."""
    out, now = [], []
    for line in text.splitlines():
        if not line.startswith("========="):
            continue
        line = line[len("========="):].strip()
        if not line:
            out.append(now)
            now = []
        elif line not in ("COMPUTE-SANITIZER",) and "SUMMARY" not in line:
            now.append(line)
    return out


def key(finding):
    """What must be equal: device addresses and offsets in the code are not."""
    head = finding[0]
    race = re.match(r"(?:Error|Warning): .*Potential (\w+) hazard", head)
    if race:
        sides = tuple(re.sub(r"^(\w+) Thread.* in (\S+)$", r"\1 \2", line) for line in finding if " Thread (" in line)
        return race.group(1), sides
    leak = re.match(r"Leaked ([\d,]+) bytes", head)
    if leak:
        return head.split(" at ")[0],
    lines = [re.sub(r"\+0x[0-9a-f]+", "", line) for line in finding[1:] if re.match(r"(at|by thread) ", line)]
    misplaced = [line.split(" is ")[1] for line in finding if line.startswith("Access to ")]
    return (head, *lines, *misplaced)


def sums(text):
    return [line for line in text.splitlines() if "SUMMARY" in line and "printed" not in line and "RACECHECK" not in line]


def main(tool, folder, name):
    truth = (pathlib.Path(folder) / f"{name}.txt").read_text()
    flags = truth.splitlines()[0].split()[2:-1]
    run = subprocess.run([tool, *flags, "--print-limit", "0", "--cases", "128", f"{name}.cu"], capture_output=True,
                         text=True, timeout=200, cwd=folder, env=dict(os.environ, HEDDLE_QUIET="1"))
    ours = {key(f) for f in findings(run.stdout)}
    missing = [f for f in findings(truth) if key(f) not in ours]
    for f in missing:
        print("missing:", key(f))
    problems = ["findings are missing"] if missing else []
    if not findings(truth) and findings(run.stdout):
        problems.append("findings in a clean program")
    if sums(run.stdout) != sums(truth):
        problems.append(f"{sums(run.stdout)}, an H200 has {sums(truth)}")
    if run.returncode:
        problems.append(f"exit status {run.returncode}")
    print(run.stdout[-3000:])
    sys.exit("FAILED: " + "; ".join(problems) if problems else 0)


main(*sys.argv[1:])
