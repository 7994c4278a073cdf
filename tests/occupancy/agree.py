#!/usr/bin/env python3
"""One answer to how many blocks fit: cudaOccupancy*, the report's section and `heddle occupancy` of the same kernels.

usage: agree.py HEDDLE DEVICE

Profiles kernels.cu on the device. The program prints what the runtime library answers, the profile says what each launch
was told, and the command is asked for every kernel, block and amount of dynamic shared memory that the program tried."""
import csv
import io
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = {"registers": "registers", "warps": "warps", "blocks": "blocks", "barriers": "barriers"}
METRICS = [f"launch__occupancy_limit_{m}" for m in LIMITS.values()] + ["sm__maximum_warps_avg_per_active_cycle"]


def run(words):
    p = subprocess.run(words, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{' '.join(words)}: {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


def asked(heddle, device, source, block, shared):
    """{kernel: its device's entry}, whether it fits or not."""
    p = subprocess.run([heddle, "occupancy", source, "--device", device, "--block", str(block), "--shared", str(shared), "--json"],
                       capture_output=True, text=True)
    return {page["kernel"].split("(")[0]: page["devices"][0] for page in json.loads(p.stdout)}


def main():
    heddle, device = sys.argv[1:]
    source, log = os.path.join(HERE, "kernels.cu"), f"occupancy_{device}.csv"
    out = run([heddle, "profile", "--device", device, "--csv", "--page", "raw", "--log-file", log, "--metrics", ",".join(METRICS), source])
    failed = [line for line in out.splitlines() if "FAILED" in line]
    answers, compared, command = [line.split() for line in out.splitlines()], 0, {}
    active = [(k, int(b), int(s), int(e), int(n)) for kind, *rest in answers if kind == "active" for k, b, s, e, n in [rest]]
    # Each kernel's PTX is compiled once: the command then takes it from a file.
    ptx = f"occupancy_{device}.ptx"
    arch = run([heddle, "occupancy", "--block", "32", "--device", device, "--json"])
    major = json.loads(arch)[0]["devices"][0]
    run([heddle, "build", "-ptx", f"-arch=sm_{max(50, major['cc_major'] * 10 + major['cc_minor'])}", "-o", ptx, source])
    for kernel, block, shared, error, blocks in active:
        if (block, shared) not in command:
            command[block, shared] = asked(heddle, device, ptx, block, shared)
        want = command[block, shared][kernel]["blocks"]
        if error or blocks != want:
            failed.append(f"{kernel}, blocks of {block}, {shared} bytes: error {error}, {blocks} blocks; the command says {want}")
        compared += 1
    for kind, *rest in answers:
        if kind != "best":
            continue
        kernel, shared, grid, block = rest[0], int(rest[1]), int(rest[2]), int(rest[3])
        c = asked(heddle, device, ptx, 32, shared)[kernel]
        want = c["best_block"] if kernel != "bounded" else min(c["best_block"], 128)
        if block != want:
            failed.append(f"{kernel}: best block {block}; the command says {c['best_block']}")
        compared += 1
    with open(log) as f:
        text = f.read()
    rows = list(csv.DictReader(io.StringIO(text[text.index('"ID"'):])))[1:]
    launches = [a for a in active if a[4] > 0 and not (a[0] == "bounded" and a[1] > 128)]
    if len(rows) != len(launches):
        failed.append(f"{len(rows)} launches in the report, {len(launches)} made")
    for row, (kernel, block, shared, _, _) in zip(rows, launches):
        c = command[block, shared][kernel]
        for limit, metric in LIMITS.items():
            name = f"launch__occupancy_limit_{metric}"
            if int(float(row[name].replace(",", ""))) != c["blocks_by"][limit]:
                failed.append(f"{kernel}, blocks of {block}: {name} {row[name]}; the command says {c['blocks_by'][limit]}")
        if float(row[METRICS[-1]].replace(",", "")) != c["warps"]:
            failed.append(f"{kernel}, blocks of {block}: {row[METRICS[-1]]} warps in the report; the command says {c['warps']}")
        compared += 1
    print("\n".join(failed) or f"PASSED: {compared} answers on {device}")
    sys.exit(bool(failed) or compared < 100 or "PASSED" not in out)


main()
