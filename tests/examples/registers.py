#!/usr/bin/env python3
"""Registers of the tiles of examples/registers.cu: what they must be at least, the estimate's and, if it is on PATH, those of NVIDIA's assembler.

usage: registers.py HEDDLE ROOT"""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

DEVICES = "t4", "a100", "h200"
TILES = 1, 2, 4, 8
BOUND = 65536 // (4 * 256)


def figures(heddle, root, device, by):
    """{kernel: (registers, theoretical occupancy)}"""
    metrics = "launch__registers_per_thread", "sm__maximum_warps_per_active_cycle_pct"
    with tempfile.TemporaryDirectory() as work:
        log = pathlib.Path(work) / "log"
        subprocess.run([heddle, "profile", "--device", device, "--registers", by, "--csv", "--page", "raw", "--metrics", ",".join(metrics), "--log-file",
                        str(log), str(root / "examples" / "registers.cu")], check=True, stdout=subprocess.DEVNULL)
        rows = csv.DictReader(line for line in log.read_text().splitlines() if line.startswith('"'))
        return {row["Kernel Name"].split("(")[0].replace("void ", ""): tuple(float(row[m]) for m in metrics) for row in rows if row["ID"]}


def check(of):
    """What is wrong with them."""
    registers = [of[f"tile<{n}>"][0] for n in TILES]
    problems = [f"tile<{n}> has {r}, fewer than its sums and values" for n, r in zip(TILES, registers) if r < n * n + 2 * n]
    if sorted(set(registers)) != registers:
        problems.append(f"not more with each size: {registers}")
    if of["tile_bounded"][0] > BOUND:
        problems.append(f"tile_bounded has {of['tile_bounded'][0]}, more than {BOUND}")
    if not of["tile<8>"][1] < of["tile_bounded"][1] or not of["tile<8>"][1] < of["tile<1>"][1]:
        problems.append(f"occupancy: {of}")
    return problems


def main():
    heddle, root = sys.argv[1], pathlib.Path(sys.argv[2])
    ways = ["estimate"] + (["ptxas"] if shutil.which("ptxas") else [])
    problems = []
    for device in DEVICES:
        for by in ways:
            of = figures(heddle, root, device, by)
            print(device, by, {kernel: int(registers) for kernel, (registers, _) in of.items()})
            problems += [f"{device}, {by}: {problem}" for problem in check(of)]
    print("\n".join(problems) or "PASSED")
    return bool(problems)


sys.exit(main())
