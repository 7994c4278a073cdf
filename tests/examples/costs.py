#!/usr/bin/env python3
"""Which of two operations takes more warp instructions: kernels of examples/instruction_costs.cu, on GPUs of three generations.

usage: costs.py HEDDLE ROOT"""
import csv
import pathlib
import subprocess
import sys
import tempfile

DEVICES = "t4", "a100", "h200"

# Of each pair the first takes fewer.
FEWER = [
    ("add", "divide"), ("multiply", "divide"), ("multiply_add", "divide"),
    ("reciprocal_root", "square_root"), ("add", "reciprocal_root"),
    ("fast_sine", "sine"), ("fast_power", "power"), ("fast_exponential", "exponential"),
    ("int_add", "int_divide_constant"), ("int_divide_constant", "int_divide"), ("int_remainder_constant", "int_remainder"),
    ("double_add", "double_divide"), ("divide", "double_divide"),
]
# As many: one instruction of the same unit.
SAME = [("add", "multiply"), ("multiply", "multiply_add")]


def counts(heddle, root, device):
    """{kernel: warp instructions}"""
    with tempfile.TemporaryDirectory() as work:
        log = pathlib.Path(work) / "log"
        subprocess.run([heddle, "profile", "--device", device, "--csv", "--page", "raw", "--metrics", "smsp__inst_executed.sum", "--log-file", str(log),
                        str(root / "examples" / "instruction_costs.cu")], check=True, stdout=subprocess.DEVNULL)
        rows = csv.DictReader(line for line in log.read_text().splitlines() if line.startswith('"'))
        return {row["Kernel Name"].split("(")[0]: int(row["smsp__inst_executed.sum"].replace(",", "")) for row in rows if row["ID"]}


def main():
    heddle, root = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    for device in DEVICES:
        n = counts(heddle, root, device)
        print(device, n)
        problems += [f"{device}: {a} takes {n[a]}, {b} {n[b]}: not fewer" for a, b in FEWER if not n[a] < n[b]]
        problems += [f"{device}: {a} takes {n[a]}, {b} {n[b]}: not the same" for a, b in SAME if n[a] != n[b]]
    print("\n".join(problems) or "PASSED")
    return bool(problems)


sys.exit(main())
