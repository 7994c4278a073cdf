#!/usr/bin/env python3
"""Runs the programs of tests/truth under `heddle profile` and compares the modelled caches with an H200's.

In: tests/truth/modelled.tsv, what the H200 counted with cold caches and nvcc's code, one row a launch. Two kinds of device
code: nvcc's PTX and Heddle's own compile step. Out: the page docs/reference/accuracy-caches.md. Launches of left_out.tsv are not
compared. Exit status: 1 if a program did not print PASSED, or, where all programs ran, a figure is beyond its bound (the last
column of the page: the goal, or near what is reached where that is not the goal).

usage: accuracy_caches.py HEDDLE [--write FILE] [--only PROGRAM,...] [--code nvcc,own] [--timeout SECONDS] [--jobs N]
"""
import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor

import accuracy

CODES = {"nvcc": "nvcc's PTX", "own": "Heddle's own compile step"}
L1 = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"
L2_SECTORS = "lts__t_sectors_srcunit_tex.sum"
L2_HITS = "lts__t_sectors_srcunit_tex_lookup_hit.sum"
L2_RATE = "lts__t_sector_hit_rate.pct"
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
METRICS = [L1, L2_SECTORS, L2_HITS, L2_RATE, READ, WRITTEN]
WORST = 8  # launches named for each figure


def rate(hits, sectors):
    return 100 * hits / sectors if sectors else 0.0


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def correlation(pairs):
    mt, mv = mean([t for t, v, _ in pairs]), mean([v for t, v, _ in pairs])
    both = sum((t - mt) * (v - mv) for t, v, _ in pairs)
    return both / math.sqrt(sum((t - mt) ** 2 for t, v, _ in pairs) * sum((v - mv) ** 2 for t, v, _ in pairs))


def nrms(pairs):
    """Root of the mean square of the differences, over the mean of what was measured."""
    return math.sqrt(mean([(t - v) ** 2 for t, v, _ in pairs])) / mean([t for t, v, _ in pairs])


def median(values):
    return sorted(values)[len(values) // 2] if values else float("nan")


class Figures:
    """Pairs (measured, ours, name of the launch) for each question."""

    def __init__(self):
        self.l1, self.sectors, self.hits, self.all_hits, self.read, self.written = [], [], [], [], [], []
        self.launches = 0

    def add(self, row, ours):
        name = f"`{row['program']}` {row['args']} {row['kernel']}"
        t, v = ({m: accuracy.number(x.get(m)) for m in METRICS} for x in (row, ours))
        if any(v[m] is None for m in METRICS):
            return
        self.launches += 1
        if t[L1] > 0.5:
            self.l1.append((t[L1], v[L1], name))
        self.sectors.append((t[L2_SECTORS], v[L2_SECTORS], name))
        if t[L2_SECTORS] and v[L2_SECTORS]:
            self.hits.append((rate(t[L2_HITS], t[L2_SECTORS]), rate(v[L2_HITS], v[L2_SECTORS]), name))
        self.all_hits.append((t[L2_RATE], v[L2_RATE], name))
        self.read.append((t[READ], v[READ], name))
        self.written.append((t[WRITTEN], v[WRITTEN], name))


def points(pairs):
    return mean([abs(t - v) for t, v, _ in pairs])


def relative(pair):
    return abs(pair[0] - pair[1]) / max(pair[0], 1)


def rows_of_page(f):
    """(figure, its text, goal, value, least or None, most or None)"""
    big = [relative(p) for p in f.read if p[0] > 1e6]
    near = mean([relative(p) <= 0.03 for p in f.sectors])
    return [
        ("L1, global loads, launches above 0.5 %: mean error", f"{points(f.l1):.1f} points of {len(f.l1)} launches", "4", points(f.l1), None, 4),
        ("the same: correlation", f"{correlation(f.l1):.4f}", "0.97", correlation(f.l1), 0.97, None),
        ("L2 sectors asked by SMs: launches within 3 %", f"{100 * near:.1f} % of {len(f.sectors)}", "95 %", 100 * near, 88, None),
        ("L2 hit rate of these: mean error", f"{points(f.hits):.1f} points", "5", points(f.hits), None, 5),
        ("L2 hit rate of all, with what one half asks of the other", f"{points(f.all_hits):.1f} points", "", points(f.all_hits), None, 8),
        ("DRAM bytes read: normalised RMS", f"{nrms(f.read):.3f}", "0.10", nrms(f.read), None, 0.10),
        ("the same above 1 MB: median error", f"{100 * median(big):.2f} %", "5 %", 100 * median(big), None, 5),
        ("DRAM bytes written: normalised RMS", f"{nrms(f.written):.3f}", "", nrms(f.written), None, 0.40),
    ]


def bound(row):
    _, _, _, _, least, most = row
    return f"at least {least}" if most is None else f"at most {most}"


def beyond(code, f):
    """What is beyond its bound."""
    return [f"{CODES[code]}: {row[0]}: {row[1]}, {bound(row)}" for row in rows_of_page(f)
            if not (row[4] is None or row[3] >= row[4]) or not (row[5] is None or row[3] <= row[5])]


def worst(title, pairs, error, form):
    lines = ["", f"{title}:", "", "| launch | H200 | Heddle |", "| --- | --: | --: |"]
    for t, v, name in sorted(pairs, key=lambda p: -error(p))[:WORST]:
        lines.append(f"| {name} | {form.format(t)} | {form.format(v)} |")
    return lines


def farthest(f):
    lines = worst("L1 hit rate of global loads, %", f.l1, lambda p: abs(p[0] - p[1]), "{:.1f}")
    lines += worst("L2 sectors asked by SMs", f.sectors, relative, "{:,.0f}")
    lines += worst("L2 hit rate of these, %", f.hits, lambda p: abs(p[0] - p[1]), "{:.1f}")
    return lines + worst("DRAM bytes read", f.read, lambda p: abs(p[0] - p[1]), "{:,.0f}")


def page(figures):
    lines = ["# Modelled caches beside an H200", "",
             "Printed by `tools/accuracy_caches.py build/bin/heddle`. What the H200 counted: `tests/truth/modelled.tsv` (2026-11-20, "
             "cold caches). How the model works: [caches.md](../caches.md). Kernels that race on the GPU are left out. The profiler's own "
             "figures of one launch come from several runs of it, so hit rates of a few launches exceed 100 %.", "",
             "| figure | " + " | ".join(CODES[c] for c in figures) + " | goal | bound |",
             "| --- |" + " --: |" * (len(figures) + 2)]
    columns = [rows_of_page(f) for f in figures.values()]
    for cells in zip(*columns):
        lines.append(f"| {cells[0][0]} | " + " | ".join(c[1] for c in cells) + f" | {cells[0][2]} | {bound(cells[0])} |")
    for code, f in figures.items():
        lines += ["", f"## Farthest off, {CODES[code]}"] + farthest(f)
    return "\n".join(lines) + "\n"


def status(failed):
    """Says what failed; the exit status."""
    for what in failed:
        print(what, file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("heddle", nargs="?")
    parser.add_argument("--raw", help="nothing is run: what tools/sweep.py kept")
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    parser.add_argument("--code", default="nvcc,own")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if (options.heddle is None) == (options.raw is None):
        parser.error("either heddle or --raw FILE")
    done = accuracy.kept(accuracy.raw_lines(options.raw), "open") if options.raw else {}
    rows = accuracy.table("modelled.tsv")
    wanted = [p for p in sorted(rows) if not options.only or p in options.only.split(",")]
    figures, failed = {}, []
    for code in options.code.split(","):
        f = figures[code] = Figures()
        with ThreadPoolExecutor(options.jobs) as pool:
            runs = pool.map(lambda p: done.get((code, p), ("not run", [])) if options.raw
                            else accuracy.run(options.heddle, p, code, options.timeout, METRICS), wanted)
            for program, (problem, ours) in zip(wanted, runs):
                if problem:
                    failed.append(f"{program}, {CODES[code]}: {problem}")
                for row, got in zip(rows[program], ours):
                    if not accuracy.is_left_out(row, L2_SECTORS):
                        f.add(row, got)
                if sys.stderr.isatty():
                    print(f"{program}: {len(ours)} launches", file=sys.stderr)
        if not options.only:
            failed += beyond(code, f)
    text = page(figures)
    if options.write:
        with open(options.write, "w") as out:
            out.write(text)
    print(text, end="")
    return status(failed)


if __name__ == "__main__":
    sys.exit(main())
