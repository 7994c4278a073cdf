#!/usr/bin/env python3
"""`heddle compare`: the documentation shows what it prints, and its other ways in and out tell the same.

A transcript of a page is a fenced block whose first line is "$ heddle ...": every line is printed, in this order; "..."
stands for any lines. Of lines that end in "modelled" only what stands before their figures is compared, and rows that are equal are printed, too, since estimates
become better.

usage: command.py HEDDLE ROOT"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

HEDDLE, ROOT = sys.argv[1], sys.argv[2]
PAGES = ["docs/compare.md", "docs/profile.md"]
failed = 0


def check(good, what):
    global failed
    if not good:
        failed = 1
        print(f"FAILED: {what}")


def run(command, status=0):
    p = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT,
                       env={**os.environ, "PATH": os.path.dirname(HEDDLE) + ":" + os.environ["PATH"]})
    check(p.returncode == status, f"{command}: status {p.returncode}\n{p.stderr}")
    return p


def plain(line):
    """Without what may change: widths of columns, estimates."""
    if line.endswith("modelled"):
        line = re.sub(r"\s{2,}\S.*", "", line.strip()) + " modelled"
    return re.sub(r"\s+", " ", line).strip()


def the_pages():
    for page in PAGES:
        with open(os.path.join(ROOT, page)) as f:
            transcripts = re.findall(r"```\n\$ (heddle .*)\n((?:.*\n)*?)```", f.read())
        check(transcripts, f"{page}: no transcript")
        for command, shown in transcripts:
            p = run(command + (" --all" if "compare" in command else ""))
            lines = iter([plain(line) for line in (p.stdout + p.stderr).splitlines()])
            for line in shown.splitlines():
                if line and not line.endswith("..."):
                    check(plain(line) in lines, f"{page}: {command}\n  '{line}' is not printed, or not there")


def figures(command):
    """{(row, column): value} of a comparison as JSON."""
    found = {}
    for page in json.loads(run(command + " --json").stdout):
        for row in page["rows"]:
            for i, value in enumerate(row["values"]):
                found[(row["row"], row["unit"], i)] = value
    return found


def other_ways(folder):
    """Kept results, CSV, arguments behind --, a program of two columns with itself."""
    kept = os.path.join(folder, "naive.json")
    both = "examples/matmul_tiled.cu -k matmul_naive -k matmul_tiled"
    run(f"heddle profile -o {kept} examples/matmul_tiled.cu")
    check(figures(f"heddle compare {both}") == figures(f"heddle compare {kept} -k matmul_naive -k matmul_tiled"),
          "kept results differ from the program's")
    lines = list(csv.DictReader(io.StringIO(run(f"heddle compare {both} --csv").stdout)))
    loads = [line for line in lines if line["Row"] == "Global loads"]
    check([(line["Value 1"], line["Value 2"], line["Ratio 2"], line["Trust"]) for line in loads]
          == [("1048576", "65536", "0.0625", "exact")], f"CSV: {loads}")
    p = run("heddle compare examples/matmul_tiled.cu examples/matmul_tiled.cu -k matmul_naive --metrics gld_request -- 32")
    check("gld_request" in p.stdout and " 2,048 " in p.stdout, f"arguments behind --: {p.stdout}")
    check("32 x 32" in p.stderr and "32 x 32" not in p.stdout, "what programs print goes to stderr")
    p = run("heddle compare examples/vector_add.cu examples/vector_add.cu")
    check(p.stdout.count("no figure differs") == 4, f"a program and itself: {p.stdout}")


the_pages()
with tempfile.TemporaryDirectory() as folder:
    other_ways(folder)
sys.exit(failed)
