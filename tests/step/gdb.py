#!/usr/bin/env python3
"""Runs gdb over a program of ours and looks for what a case says.

usage: gdb.py HEDDLE CASE.gdb

The case is a file of gdb's commands; its lines `#> TEXT` must be found in what gdb prints, in order, each in one line, where
`...` stands for anything. 77: there is no gdb here. The program is the .cu file of the case's name or else walk.cu, built with -g -G. A case whose
first line begins with "# heddle gdb" is run by that command, which builds it. "# build: WORDS" are further words for `heddle build`.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

heddle, case = sys.argv[1], Path(sys.argv[2])
gdb = shutil.which("gdb")
if not gdb:
    print("skipped: gdb is not installed (Debian's package gdb)")
    sys.exit(77)

source = case.with_suffix(".cu") if case.with_suffix(".cu").exists() else case.parent / "walk.cu"
wanted = [line[3:].rstrip("\n") for line in case.read_text().splitlines() if line.startswith("#> ")]
flags = ["-nx", "-q", "-batch", "-ex", "set pagination off", "-ex", "set width 0", "-x", case]
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "walk"
    if case.read_text().startswith("# heddle gdb"):
        command = [heddle, "gdb", *flags, source]
    else:
        more = re.search(r"^# build: (.*)", case.read_text(), re.M)
        words = [case.parent / w if w.endswith(".cu") else w for w in more[1].split()] if more else []
        subprocess.run([heddle, "build", "-g", "-G", source, *words, "-o", program], check=True)
        command = [gdb, *flags, program]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, stdin=subprocess.DEVNULL)

lines, at = done.stdout.splitlines(), 0
for want in wanted:
    pattern = re.compile(".*".join(re.escape(part) for part in want.split("...")))
    found = next((i for i in range(at, len(lines)) if pattern.search(lines[i])), None)
    if found is None:
        print(done.stdout)
        sys.exit(f"FAILED: no line from {at + 1} on has: {want}")
    at = found
print(f"PASSED: {len(wanted)} of {len(wanted)}")
