#!/usr/bin/env python3
"""Compares what `heddle profile` says of public programs with an H200, from results that are there already.

In: tests/truth/public (programs.tsv: what was built and run, h200.tsv and units.tsv: what the H200 counted, left_out.tsv), and folders of
Heddle's results, one for each kind of device code, with a file RUN.csv for each run (how: tests/truth/README.md). The
programs are not in this repository, so no test runs them. Out: the page docs/reference/accuracy-public.md, whose reading is in
tests/truth/public/reading.md. Exit status: 1 if a run's results are missing or have other launches.

usage: accuracy_public.py nvcc=FOLDER own=FOLDER [--write FILE]
"""
import argparse
import sys
from pathlib import Path

import accuracy
import accuracy_caches as caches

PUBLIC = "public/"
DOCS = accuracy.TRUTH.parent.parent / "docs/reference"
REGISTERS = "launch__registers_per_thread"
INSTRUCTIONS = "smsp__inst_executed.sum"
OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct"
EXACT = ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]
MANY = 24  # registers: kernels above it are also told apart
THREADS, TRUE = "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum"
UNITS = {u: f"smsp__inst_executed_pipe_{u}.sum" for u in "alu fma fp64 xu lsu cbu adu uniform".split()}
UNITS["tensor"] = "sm__inst_executed_pipe_tensor.sum"
SHARE = 0.02  # of a launch's warp instructions: units with less are not compared


def short(kernel):
    """The name of a kernel as ncu or Heddle print it, without result, parameters, template arguments and namespaces: ncu leaves
    these out."""
    return kernel.split("(")[0].split("<")[0].split(" ")[-1].split("::")[-1]


def results(folder, run):
    """[{metric: text}] of the launches, [] if there is no such file."""
    path = Path(folder) / f"{run}.csv"
    return accuracy.launches_of(path) if path.exists() else []


def same_launches(rows, ours):
    """Are these the same launches in the same order?"""
    def key(r, kernel, grid, block):
        return short(r[kernel]), r[grid], r[block]
    return ([key(r, "kernel", "grid", "block") for r in rows] ==
            [key(r, "Kernel Name", "Grid Size", "Block Size") for r in ours])


class Public(caches.Figures):
    """The pairs of accuracy_caches, and those of the compiled code."""

    def __init__(self):
        super().__init__()
        self.registers, self.instructions, self.occupancy, self.exact = {}, [], [], []
        self.threads, self.true = [], []
        self.units, self.only_here = {unit: [] for unit in UNITS}, dict.fromkeys(UNITS, 0)

    def add(self, row, ours):
        super().add(row, ours)
        name = f"`{row['program']}` {row['args']} {row['kernel']}"
        t, v = ({m: accuracy.number(x.get(m)) for m in (REGISTERS, INSTRUCTIONS, OCCUPANCY, *EXACT)} for x in (row, ours))
        if any(x is None for x in v.values()):
            return
        self.registers[row["program"].split(".")[0], row["text"]] = (t[REGISTERS], v[REGISTERS], name)
        self.instructions.append((t[INSTRUCTIONS], v[INSTRUCTIONS], name))
        self.occupancy.append((t[OCCUPANCY], v[OCCUPANCY], name))
        self.exact += [(t[m], v[m], f"{name}, `{m}`") for m in EXACT if t[m] or v[m]]

    def add_units(self, row, ours, name):
        t, v = ({m: accuracy.number(x.get(m)) for m in (INSTRUCTIONS, THREADS, TRUE, *UNITS.values())} for x in (row, ours))
        if any(x is None for x in v.values()):
            return
        self.threads.append((t[THREADS], v[THREADS], name))
        self.true.append((t[TRUE], v[TRUE], name))
        for unit, metric in UNITS.items():
            if t[metric] >= SHARE * t[INSTRUCTIONS]:
                self.units[unit].append((t[metric], v[metric], name))
            elif v[metric] >= SHARE * v[INSTRUCTIONS]:
                self.only_here[unit] += 1


def points(pair):
    return abs(pair[0] - pair[1])


def percents(pair):
    return 100 * caches.relative(pair)


def relatives(pairs):
    return [caches.relative(p) for p in pairs]


def percent(truths):
    return f"{100 * caches.mean(truths):.1f} %" if truths else "none"


def unequal(pairs):
    return [p for p in pairs if not accuracy.equal(*p[:2])]


def rows_of_page(f):
    kernels = list(f.registers.values())
    errors = [points(p) for p in kernels]
    many = [p for p in kernels if p[0] > MANY]
    wrong = len(unequal(f.exact))
    ratios = [v / t - 1 for t, v, _ in f.instructions]
    return caches.rows_of_page(f) + [
        ("DRAM bytes read: median error of all launches", f"{caches.median([percents(p) for p in f.read]):.2f} %", ""),
        ("Registers per thread: mean error", f"{caches.points(kernels):.1f} of {len(kernels)} kernels", ""),
        ("the same: median error", f"{caches.median(errors):.0f}", ""),
        ("the same: within 6", percent([d <= 6 for d in errors]), ""),
        (f"the same above {MANY} registers: mean error", f"{caches.points(many):.1f} of {len(many)} kernels", ""),
        (f"the same above {MANY} registers: within 6", percent([d <= 6 for d in map(points, many)]), ""),
        ("Warp instructions: mean error", percent([abs(r) for r in ratios]), ""),
        ("the same with its sign", f"{100 * caches.mean(ratios):+.1f} %", ""),
        ("the same: launches within 10 %", percent([abs(r) <= 0.1 for r in ratios]), ""),
        ("Thread instructions: mean error", percent(relatives(f.threads)), ""),
        ("those with a true predicate: mean error", percent(relatives(f.true)), ""),
        ("Theoretical occupancy: launches equal", percent([p not in unequal(f.occupancy) for p in f.occupancy]), ""),
        ("Requests and sectors of global loads and stores: cells equal", f"{len(f.exact) - wrong} of {len(f.exact)}", ""),
    ]


def cell(page, row, column):
    """A cell of the first table of a page that has such a row and column; "" if none has."""
    header = []
    for line in (DOCS / page).read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells or not header:
            header = cells
        elif cells[0] == row and column in header:
            return cells[header.index(column)]
    return ""


def of_our_programs(label):
    """What our own programs have (nvcc's PTX): the same row of docs/reference/accuracy-caches.md, or one of docs/reference/accuracy-code.md."""
    row = "measured programs, nvcc's PTX"
    code = {"Registers per thread: mean error": (row, "mean error"), "the same: within 6": (row, "within 6"),
            f"the same above {MANY} registers: mean error": (f"... of more than {MANY} registers", "mean error"),
            f"the same above {MANY} registers: within 6": (f"... of more than {MANY} registers", "within 6"),
            "Warp instructions: mean error": ("nvcc's PTX", "mean error"),
            "the same with its sign": ("nvcc's PTX", "mean of all with their sign"),
            "the same: launches within 10 %": ("nvcc's PTX", "within 10 %")}
    return cell("accuracy-code.md", *code[label]) if label in code else cell("accuracy-caches.md", label, caches.CODES["nvcc"])


COLUMNS = [  # of the table by program: head, pairs, error, form
    ("L1", lambda f: f.l1, points, "{:.1f}"), ("L2 sectors", lambda f: f.sectors, percents, "{:.1f} %"),
    ("L2 hits", lambda f: f.hits, points, "{:.1f}"), ("DRAM read", lambda f: f.read, percents, "{:.1f} %"),
    ("instructions", lambda f: f.instructions, percents, "{:.1f} %"),
]


def mean_errors(pairs, runs, error):
    """For each run the mean over its launches; None if it has none with this figure."""
    errors = {run: [error(p) for p in pairs if p[2].startswith(f"`{run}` ")] for run in runs}
    return {run: caches.mean(e) if e else None for run, e in errors.items()}


def by_program(figures, launches):
    lines = ["", "## By program", "",
             f"Mean errors over a run's launches ({' / '.join(caches.CODES[c] for c in figures)}): L1 hit rate of global loads in "
             "points (launches above 0.5 %), L2 sectors, L2 hit rate in points, DRAM bytes read, warp instructions.", "",
             "| run | launches | " + " | ".join(c[0] for c in COLUMNS) + " |", "| --- |" + " --: |" * (1 + len(COLUMNS))]
    columns = [(form, [mean_errors(pairs(f), launches, error) for f in figures.values()]) for _, pairs, error, form in COLUMNS]
    for run, number in launches.items():
        cells = [" / ".join(form.format(e[run]) for e in codes if e[run] is not None) for form, codes in columns]
        lines.append(f"| `{run}` | {number} | " + " | ".join(cells) + " |")
    cells = [" / ".join(form.format(caches.mean([x for x in e.values() if x is not None])) for e in codes) for form, codes in columns]
    lines.append("| each run counted once | | " + " | ".join(cells) + " |")
    return lines


def by_unit(figures):
    some = next(iter(figures.values()))
    lines = ["", "## By unit", "",
             f"Warp instructions by unit (`smsp__inst_executed_pipe_*`), mean error over the launches in which the H200 has {100 * SHARE:.0f} % of its "
             "instructions or more there. Last: launches in which it has less and Heddle has that much.", "",
             "| unit | launches | " + " | ".join(caches.CODES[c] for c in figures) + " | more here only |",
             "| --- |" + " --: |" * (len(figures) + 2)]
    for unit in UNITS:
        cells = [percent(relatives(f.units[unit])) for f in figures.values()]
        here = " / ".join(str(f.only_here[unit]) for f in figures.values())
        lines.append(f"| {unit} | {len(some.units[unit])} | " + " | ".join(cells) + f" | {here} |")
    return lines


def programs():
    lines = ["", "## The programs", "",
             "Chosen, with their sizes, before any figure was seen. Built with `-std=c++17 -O3 -arch=sm_90`, by nvcc 13.0.88 for "
             "the H200.", "",
             "| run | kind | source | flags | arguments | filters |", "| --- | --- | --- | --- | --- | --- |"]
    for r in accuracy.rows_of(PUBLIC + "programs.tsv"):
        source = f"{r['repository']} {r['commit'][:9]}: {r['folder']} ({r['sources']})"
        lines.append("| " + " | ".join((f"`{r['run']}`", r["kind"], source, r["flags"], r["args"], f"`{r['filters']}`")) + " |")
    lines += ["", "Left out, for reasons that no figure had a part in:", ""]
    return lines + [f"- {r['program']}: {r['reason']}" for r in accuracy.rows_of(PUBLIC + "left_out.tsv")]


def page(figures, launches):
    lines = ["# Public programs beside an H200", "",
             f"Printed by `tools/accuracy_public.py`; do not edit. {len(launches)} runs of programs that others wrote, "
             f"{sum(launches.values())} launches: the modelled caches and the compiled code, as [accuracy-caches.md](accuracy-caches.md) "
             "and [accuracy-code.md](accuracy-code.md) have them for the programs of `tests/truth`, from which the rules were taken. "
             "No rule of the caches was made from these launches; some of their kernels were looked at while rules of instructions and registers were made. What the H200 counted (driver 580.159.04, ncu 2025.3.1, 2026-11-22, cold caches) is in "
             "`tests/truth/public/h200.tsv`, by unit in `units.tsv` beside it (2026-11-30). The programs are not in this repository: `tests/truth/public/programs.tsv` and the list "
             "below say where they are, `tests/truth/README.md` with which commands the page is made again.", "",
             "Some programs have one launch, some ten that are much alike, so a mean says less than its number of launches: see also "
             "the table by program.", "",
             "| figure | " + " | ".join(caches.CODES[c] for c in figures) + " | our programs, nvcc's PTX | goal |",
             "| --- |" + " --: |" * (len(figures) + 2)]
    columns = [rows_of_page(f) for f in figures.values()]
    for cells in zip(*columns):
        label, goal = cells[0][0], cells[0][2]
        lines.append(f"| {label} | " + " | ".join(c[1] for c in cells) + f" | {of_our_programs(label)} | {goal} |")
    lines += ["", (accuracy.TRUTH / PUBLIC / "reading.md").read_text().rstrip()]
    lines += by_program(figures, launches) + by_unit(figures)
    for code, f in figures.items():
        lines += ["", f"## Farthest off, {caches.CODES[code]}"] + caches.farthest(f)
        lines += caches.worst("Registers per thread", f.registers.values(), points, "{:.0f}")
        lines += caches.worst("Warp instructions", f.instructions, caches.relative, "{:,.0f}")
        lines += caches.worst("Theoretical occupancy, %", unequal(f.occupancy), points, "{:.1f}")
        lines += caches.worst("Requests and sectors of global loads and stores", unequal(f.exact), caches.relative, "{:,.0f}")
    return "\n".join(lines + programs()) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--write")
    options = parser.parse_args()
    folders = dict(r.partition("=")[::2] for r in options.results)
    for code in folders:
        if code not in caches.CODES:
            parser.error(f"no such device code: '{code}'; there are {', '.join(caches.CODES)}")
    table = {}
    for row in accuracy.rows_of(PUBLIC + "h200.tsv"):
        table.setdefault(row["run"], []).append(row)
    units = {(r["run"], r["launch"]): r for r in accuracy.rows_of(PUBLIC + "units.tsv")}
    figures, failed = {code: Public() for code in folders}, []
    for code, folder in folders.items():
        for run, rows in table.items():
            ours = results(folder, run)
            if not same_launches(rows, ours):
                failed.append(f"{run}, {caches.CODES[code]}: not the launches of h200.tsv")
                continue
            for row, got in zip(rows, ours):
                name = {"program": run, "args": row["launch"], "kernel": short(row["kernel"]), "text": row["kernel"]}
                figures[code].add({**row, **name}, got)
                figures[code].add_units(units[run, row["launch"]], got, f"`{run}` {row['launch']} {name['kernel']}")
    text = page(figures, {run: len(rows) for run, rows in table.items()})
    if options.write:
        Path(options.write).write_text(text)
    else:
        print(text, end="")
    return caches.status(failed)


if __name__ == "__main__":
    sys.exit(main())
