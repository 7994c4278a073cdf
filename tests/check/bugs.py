#!/usr/bin/env python3
"""`heddle check` on programs with a bug each: what it finds, and how often.

usage: bugs.py HEDDLE FOLDER PROGRAM

The first line of a program is its expectation: "// expect: KIND LINE COUNT; KIND LINE COUNT", or "// expect: nothing".
KIND as in src/check/kinds.def; LINE of the kernel, or where the host called from. A second line "// flags: ..." has further
flags, a line "// says: TEXT" what the report must hold. Every finding must be expected and every expectation found, in both runs: on 1 and on 2
host threads, to the letter.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(heddle, program, threads, flags, out):
    env = dict(os.environ, HEDDLE_THREADS=str(threads))
    # setarch -R: the host's addresses, which a finding may name, are the same in every run
    done = subprocess.run(["setarch", "-R", heddle, "check", *flags, "--json", str(out), str(program)], env=env,
                          capture_output=True, text=True, timeout=100)
    findings = [json.loads(line) for line in out.read_text().splitlines()]
    for f in findings:
        f.pop("pid")
    return done, findings


def line_of(finding):
    if finding["at"]:
        return finding["at"]["line"]
    frame = re.search(r" in \S+:(\d+) \[", finding["backtrace"] or finding["made_backtrace"] or "")
    return int(frame.group(1)) if frame else 0


def main(heddle, folder, name):
    program = pathlib.Path(folder) / f"{name}.cu"
    head, second, *_ = program.read_text().splitlines()
    flags = second.removeprefix("// flags: ").split() if second.startswith("// flags: ") else []
    wanted = sorted(head.removeprefix("// expect: ").split("; ")) if "nothing" not in head else []
    with tempfile.TemporaryDirectory() as tmp:
        one, findings = run(heddle, program, 1, flags, pathlib.Path(tmp) / "one")
        two, again = run(heddle, program, 2, flags, pathlib.Path(tmp) / "two")
    got = sorted(f'{f["kind"]} {line_of(f)} {f["count"]}' for f in findings)
    if "needs a library that is not installed" in one.stderr:
        sys.exit(77)
    problems = []
    if got != wanted:
        problems.append(f"found {got}, expected {wanted}")
    if findings != again:
        problems.append("other findings on two host threads")
    errors = any(f["severity"] == "error" for f in findings)
    if one.returncode != (1 if errors else 0):
        problems.append(f"exit status {one.returncode}")
    summary = sum(f["count"] for f in findings if f["severity"] == "error")
    if f"ERROR SUMMARY: {summary} error" not in one.stderr:
        problems.append("the summary does not say so")
    for text in re.findall(r"^// says: (.*)$", program.read_text(), re.M):
        if text not in one.stderr:
            problems.append(f"the report does not say '{text}'")
    print(one.stderr)
    sys.exit("FAILED: " + "; ".join(problems) if problems else 0)


main(*sys.argv[1:])
