#!/usr/bin/env python3
"""Runs tests/truth/published/measure.cu on the described GPUs that others measured, and compares with what they published.

In: tests/truth/published/published.tsv. Out: the page docs/reference/accuracy-gpus.md. The ratio is modelled / published.
Exit status: 1 if a ratio is off by more than BOUND and its line does not say why, or, with --check, if the page says something else than
the run: another published figure, or a modelled one that is off by more than DRIFT.

usage: accuracy_gpus.py HEDDLE [--write FILE | --check FILE] [--only GPU,...] [--draw N]

--draw N: one of N GPUs, as the source tree draws (tests/drawn.py).
"""
import argparse
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(ROOT, "tests"))
import drawn  # noqa: E402

FOLDER = os.path.join(ROOT, "tests", "truth", "published")
BOUND, DRIFT = 0.10, 0.03
UNITS = {"shared read": "B/cycle/SM", "l1 read": "B/cycle/SM", "fp32": "FLOP/cycle/SM", "fp64": "FLOP/cycle/SM", "l2 read": "B/cycle",
         "copy to the device": "GB/s", "launch": "us"}  # dram ...: GB/s; the others: cycles


def unit(row):
    return UNITS.get(row) or ("GB/s" if row.startswith("dram ") else "cycles")


def published():
    rows = []
    for line in open(os.path.join(FOLDER, "published.tsv"), encoding="utf-8"):
        if not line.startswith("#"):
            gpu, row, value, source, where, why = line.rstrip("\n").split("\t")
            rows.append({"gpu": gpu, "row": row, "value": float(value), "text": value, "source": source, "where": where, "why": why})
    return rows


def measure(heddle, gpu, rows):
    """{row: modelled}."""
    env = dict(os.environ, HEDDLE_QUIET="1")
    env.pop("HEDDLE_DEVICE", None)
    done = subprocess.run([heddle, "run", "--timed", "--device", gpu, os.path.join(FOLDER, "measure.cu")] + rows, capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{gpu}: {done.stdout}{done.stderr}")
    return {line.split("\t")[0]: float(line.split("\t")[1]) for line in done.stdout.splitlines()}


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def off(row):
    return abs(row["ours"] / row["value"] - 1)


def title(heddle, gpu):
    text = subprocess.run([heddle, "devices", gpu], capture_output=True, text=True, check=True).stdout
    return text.split(" (")[0]


def page(rows, titles):
    within = [r for r in rows if off(r) <= BOUND]
    out = ["# Modelled beside published: other GPUs", "",
           "Printed by `tools/accuracy_gpus.py build/bin/heddle`; do not edit. Small programs that others ran on five GPUs, and the same under"
           " `heddle run --timed --device NAME`, where the GPU's description is all that is known of it. What the rows mean, and who the sources are:"
           " [tests/truth/published](../../tests/truth/published/README.md). Which figures of a description are guesses: `heddle devices NAME --guesses`.", "",
           f"{len(within)} of {len(rows)} are within {100 * BOUND:.0f} %.", ""]
    for gpu in titles:
        mine = [r for r in rows if r["gpu"] == gpu]
        out += [f"## {titles[gpu]} (`{gpu}`)", "", "| row | unit | published | modelled | modelled / published | source, measured on |", "| --- | --- | --: | --: | --: | --- |"]
        for r in mine:
            ratio = f"{r['ours'] / r['value']:.2f}"
            out.append(f"| {r['row']} | {unit(r['row'])} | {r['text']} | {short(r['ours'])} | {f'**{ratio}**' if off(r) > BOUND else ratio} | {r['source']}, {r['where']} |")
        out.append("")
    missed = [r for r in rows if off(r) > BOUND]
    if missed:
        out += ["## What is not reached, and why", ""]
        out += [f"- `{r['gpu']}`, {r['row']}: {r['why'] or 'not known'}" for r in missed]
    return "\n".join(out).rstrip() + "\n"


def lines_of(text):
    """{(gpu, row): (published, modelled)} of a page."""
    found, gpu = {}, None
    for line in text.splitlines():
        head = re.match(r"## .*\(`(\w+)`\)", line)
        gpu = head[1] if head else gpu
        cells = [c.strip() for c in line.strip("|").split("|")]
        if gpu and len(cells) == 6 and cells[0] not in ("row", "---"):
            found[gpu, cells[0]] = cells[2], float(cells[3])
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("heddle")
    p.add_argument("--write")
    p.add_argument("--check")
    p.add_argument("--only")
    p.add_argument("--draw", type=int, default=1)
    a = p.parse_args()
    rows = [r for r in published() if not a.only or r["gpu"] in a.only.split(",")]
    gpus = drawn.some(dict.fromkeys(r["gpu"] for r in rows), a.draw, "GPUs")
    rows = [r for r in rows if r["gpu"] in gpus]
    titles = {gpu: "" for gpu in gpus}
    wrong = 0
    for gpu in titles:
        titles[gpu] = title(a.heddle, gpu)
        ours = measure(a.heddle, gpu, [r["row"] for r in rows if r["gpu"] == gpu])
        for r in rows:
            if r["gpu"] != gpu:
                continue
            r["ours"] = ours[r["row"]]
            fails = off(r) > BOUND and not r["why"]
            wrong += fails
            print(f"{gpu:7} {r['row']:20} {r['text']:>7} published, {short(r['ours']):>6} modelled, {r['ours'] / r['value']:5.2f}"
                  f"{'  WRONG' if fails else '  known: ' + r['why'] if off(r) > BOUND else '  within the bound now, its reason can go' if r['why'] else ''}", flush=True)
    text = page(rows, titles)
    if a.write:
        open(a.write, "w", encoding="utf-8").write(text)
    if a.check:
        says = lines_of(open(a.check, encoding="utf-8").read())
        for r in rows:
            published_there, ours_there = says.get((r["gpu"], r["row"]), ("nothing", 0.0))
            if published_there != r["text"] or abs(ours_there / r["ours"] - 1) > DRIFT:
                print(f"{a.check} says of {r['gpu']}, {r['row']}: {published_there} published, {ours_there} modelled")
                wrong += 1
    print("FAILED" if wrong else "PASSED")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
