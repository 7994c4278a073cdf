#!/usr/bin/env python3
"""`heddle compare`: its other ways in and out tell the same. What it prints is compared with docs/compare.md (tests/docs).

usage: command.py HEDDLE ROOT"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

HEDDLE, ROOT = sys.argv[1], sys.argv[2]
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
    mix = figures(f"heddle compare {both} --all")
    units = {(row, i): value for (row, unit, i), value in mix.items() if unit == "inst" and (row.isupper() or row in ("Uniform", "Tensor", "Other"))}
    for i in (0, 1):
        check(sum(v for (_, k), v in units.items() if k == i) == mix[("Warp instructions", "inst", i)], f"units: {units}")
    check(units[("LSU", 0)] > 1048576 and units[("LSU", 1)] > 65536 + 655360 + 65536, f"loads and stores: {units}")
    p = run("heddle compare examples/matmul_tiled.cu examples/matmul_tiled.cu -k matmul_naive --metrics gld_request -- 32")
    check("gld_request" in p.stdout and " 2,048 " in p.stdout, f"arguments behind --: {p.stdout}")
    check("32 x 32" in p.stderr and "32 x 32" not in p.stdout, "what programs print goes to stderr")
    p = run("heddle compare examples/vector_add.cu examples/vector_add.cu")
    check(p.stdout.count("no figure differs") == 4, f"a program and itself: {p.stdout}")


with tempfile.TemporaryDirectory() as folder:
    other_ways(folder)
sys.exit(failed)
