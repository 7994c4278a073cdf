#!/usr/bin/env python3
"""Runs the programs of tests/truth under `heddle profile` and compares the modelled time of every launch with an H200's.

In: tests/truth/time.tsv, what the H200 needed with cold caches and nvcc's code, one row a launch. Two kinds of device code: nvcc's PTX
and Heddle's own compile step. Out: the page docs/reference/accuracy-time.md. An error is |modelled - measured| / measured. The class of
a launch follows from what the H200 counted (class_of). Figures that Heddle does not have are left out and named on the page.
Exit status: 1 if a program did not print PASSED, or, where all programs ran, a figure is beyond its bound.

usage: accuracy_time.py HEDDLE [--set open|fresh|held|sealed|blind|veiled] [--write FILE] [--tsv FILE] [--only PROGRAM,...] [--code nvcc,own] [--timeout SECONDS]
                        [--jobs N]
       accuracy_time.py --raw FILE [--set ...] [--write FILE] [--tsv FILE] [--only PROGRAM,...] [--code nvcc,own]

--set: which programs: open, those that the model was made with; fresh, those of tests/truth/fresh, which nobody had seen who made it; held, those of
tests/truth/held, tests/truth/sealed, tests/truth/blind and tests/truth/veiled, which were held back until the model's code was frozen. --raw: nothing is run;
FILE is what tools/sweep.py kept.

--tsv: a row a launch: program, args, kernel, code, class, measured and modelled cycles and nanoseconds.
"""
import argparse
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import accuracy

CODES = {"nvcc": "nvcc's PTX", "own": "Heddle's own compile step"}
TIME, CYCLES, OCCUPANCY = "gpu__time_duration.sum", "sm__cycles_elapsed.max", "sm__warps_active.avg.pct_of_peak_sustained_active"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = ["barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar",
           "mio_throttle", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait"]
SHARES = {  # of peaks, in percent
    "issue slots": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "compute (sm__throughput)": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory (gpu__compute_memory_throughput)": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "L1 (l1tex__throughput)": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2 (lts__throughput)": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM (dram__throughput)": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
METRICS = [TIME, CYCLES, OCCUPANCY] + [STALL.format(r) for r in REASONS] + list(SHARES.values())
CLASSES = ["atomics", "shared", "latency", "compute", "L1/L2", "DRAM"]
# Of each set: its folder in tests/truth, its table, and where the table is from.
SETS = {
    "open": ("", "time.tsv", "2026-11-20, cold caches, clocks not locked"),
    "fresh": ("fresh", "fresh/h200.tsv", "2026-11-30, cold caches, clocks not locked"),
    "held": ("held", "held/h200.tsv", "2026-11-30, cold caches, clocks not locked"),
    "sealed": ("sealed", "sealed/h200.tsv", "2026-11-30, cold caches, clocks not locked"),
    "blind": ("blind", "blind/h200.tsv", "2026-12-01, cold caches, clocks not locked"),
    "veiled": ("veiled", "veiled/h200.tsv", "2026-12-01, cold caches, clocks not locked"),
}
LONG = 10000      # ns: launches above it are judged apart from those below
PAIR = 1.15       # ratio of the measured times of two variants from which on their order counts
SMS = 132         # of the H200
ROOT = accuracy.TRUTH.parent.parent
ABLATIONS = ROOT / "docs" / "reference" / "accuracy-ablations.tsv"
WORST = 20        # launches named
ATOMICS = 0.10    # of L2's sectors, from which on a launch is one of atomics
BUSY_DRAM = 60    # % of the theoretical rate of DRAM, of which 86 can be reached
BUSY = 50         # % of a unit's peak below which latency is what bounds a launch


def value(row, metric):
    return accuracy.number(row.get(metric)) or 0.0


def class_of(row):
    """What bounds the launch, by the H200's counts: the first that holds.

    atomics: a tenth of L2's sectors are of atomics and reductions. DRAM: it moves 60 % of its theoretical rate. latency: no unit has
    half of its peak. Else the unit with the largest share of its peak: L2; L1, which is called shared where half of its wavefronts are of
    shared memory; the multiprocessor, which is called compute.
    """
    active = value(row, "sm__cycles_active.avg") / max(value(row, CYCLES), 1)
    sectors = value(row, "lts__t_sectors.sum") or value(row, "lts__t_sectors_srcunit_tex.sum")
    atomics = value(row, "lts__t_sectors_op_atom.sum") + value(row, "lts__t_sectors_op_red.sum")
    busy = {"L1": value(row, "l1tex__throughput.avg.pct_of_peak_sustained_active") * active,
            "L2": value(row, "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
            "compute": value(row, "sm__throughput.avg.pct_of_peak_sustained_elapsed")}
    most = max(busy, key=busy.get)
    if atomics >= ATOMICS * max(sectors, 1):
        return "atomics"
    if value(row, "dram__throughput.avg.pct_of_peak_sustained_elapsed") >= BUSY_DRAM:
        return "DRAM"
    if busy[most] < BUSY:
        return "latency"
    if most == "compute":
        return "compute"
    shared = 2 * value(row, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") >= value(row, "l1tex__data_pipe_lsu_wavefronts.sum")
    return "shared" if most == "L1" and shared else "L1/L2"


def shares(row):
    """{reason: share of the warps' cycles}, or None where there are no such figures."""
    got = {r: accuracy.number(row.get(STALL.format(r))) for r in REASONS}
    total = sum(v or 0 for v in got.values())
    if not total or any(v is None for v in got.values()):
        return None
    return {r: v / total for r, v in got.items()}


def distance(a, b):
    """Total variation distance of two sets of shares: 0 (the same) to 1."""
    return sum(abs(a[r] - b[r]) for r in REASONS) / 2


def top(stalls):
    """The reason that most warps wait for; issuing is none."""
    return max((r for r in REASONS if r != "selected"), key=lambda r: stalls[r])


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def quantile(values, q):
    """The value that a share q of the values do not exceed."""
    values = sorted(values)
    return values[min(int(q * len(values)), len(values) - 1)] if values else float("nan")


class Launch:
    """What was measured of a launch and what is modelled."""

    def __init__(self, row, ours):
        self.program, self.args, self.kernel = row["program"], row["args"], row["kernel"]
        self.name = f"`{row['program']}` {row['args']} {row['kernel']}"
        self.kind = class_of(row)
        self.measured, self.modelled = value(row, TIME), accuracy.number(ours.get(TIME))
        self.measured_cycles, self.cycles = value(row, CYCLES), accuracy.number(ours.get(CYCLES))
        self.error = abs(self.modelled - self.measured) / self.measured
        occupancy = accuracy.number(ours.get(OCCUPANCY))
        self.occupancy = None if occupancy is None else abs(occupancy - value(row, OCCUPANCY))
        self.stalls, self.truth = shares(ours), shares(row)
        self.use = {what: (value(row, m), accuracy.number(ours.get(m))) for what, m in SHARES.items()}


def pairs(launches):
    """(ordered rightly, all) of the pairs of one program's variants whose measured times differ by 15 % or more."""
    right = count = 0
    for a, b in combinations(launches, 2):
        if a.program != b.program or a.args == b.args or max(a.measured, b.measured) < PAIR * min(a.measured, b.measured):
            continue
        count += 1
        right += a.modelled != b.modelled and (a.modelled < b.modelled) == (a.measured < b.measured)
    return right, count


def percent(x):
    return "-" if x != x else f"{100 * x:.1f} %"


def ratio(launches):
    """Mean of modelled over measured time, as text."""
    return f"{mean(x.modelled / x.measured for x in launches):.2f}" if launches else "-"


def of(right, count):
    return percent(right / count) + f" of {count}" if count else "-"


def row_of(title, text, figure, goal="", least=None, most=None):
    return title, text, figure, goal, least, most


# What a figure may be at most (or, for the order of pairs, at least): near what is reached now, so that nothing falls behind it unseen.
# In percent where the figure is a share.
BOUNDS = {"mean": 12.5, "median": 7.5, "p90": 29, "short": 11.5, "pairs": 94, "points": 7, "stalls": 0.22, "reason": 70}


def rows_of_page(launches):
    """(figure, its text, value, goal, least or None, most or None)"""
    long = [x for x in launches if x.measured > LONG]
    short = [x for x in launches if x.measured <= LONG]
    errors = [x.error for x in long]
    right, count = pairs(long)
    right_all, count_all = pairs(launches)
    occupancy = [x.occupancy for x in long if x.occupancy is not None]
    stalls = [x for x in long if x.stalls and x.truth]
    apart = [distance(x.stalls, x.truth) for x in stalls]
    reasons = [x for x in stalls if top(x.truth) != "long_scoreboard"]
    named = sum(top(x.stalls) == top(x.truth) for x in reasons)
    by_program = {}
    for x in long:
        by_program.setdefault(x.program, []).append(x.error)
    rows = [
        row_of("launches above 10 us: mean error", f"{percent(mean(errors))} of {len(long)}", 100 * mean(errors), "13 %", most=BOUNDS["mean"]),
        row_of("the same: median", percent(quantile(errors, 0.5)), 100 * quantile(errors, 0.5), "7 %", most=BOUNDS["median"]),
        row_of("the same: 90th percentile", percent(quantile(errors, 0.9)), 100 * quantile(errors, 0.9), "28 %", most=BOUNDS["p90"]),
        row_of("the same: mean of the programs' means", percent(mean(map(mean, by_program.values()))), 0),
        row_of("launches up to 10 us: mean error", f"{percent(mean(x.error for x in short))} of {len(short)}",
               100 * mean(x.error for x in short), "10 %", most=BOUNDS["short"]),
        row_of("pairs of variants above 10 us that differ by 15 %: ordered rightly", of(right, count), 100 * right / max(count, 1), "98 %",
               least=BOUNDS["pairs"]),
        row_of("the same, all launches", of(right_all, count_all), 0),
        row_of("achieved occupancy above 10 us: mean error", f"{mean(occupancy):.1f} points of {len(occupancy)}" if occupancy else "-", mean(occupancy),
               "5", most=BOUNDS["points"]),
        row_of("stall reasons above 10 us: total variation distance", f"{mean(apart):.2f} of {len(stalls)}" if stalls else "-", mean(apart) if apart else 0, "0.22",
               most=BOUNDS["stalls"]),
        row_of("the same, up to 10 us", stalls_short(short), 0),
        row_of("top stall reason, where it is not long scoreboard: right", of(named, len(reasons)), 100 * named / max(len(reasons), 1), "65 %",
               least=BOUNDS["reason"]),
    ]
    return rows


def stalls_short(short):
    stalls = [x for x in short if x.stalls and x.truth]
    return f"{mean(distance(x.stalls, x.truth) for x in stalls):.2f} of {len(stalls)}" if stalls else "-"


# What the figures shall be of programs that nobody had seen, where that is another goal.
FRESH_GOALS = {"launches above 10 us: mean error": "18 %", "the same: median": "11 %", "the same: 90th percentile": "36 %",
               "pairs of variants above 10 us that differ by 15 %: ordered rightly": "97 %"}


def bound(row):
    _, _, _, _, least, most = row
    return "" if least is None and most is None else f"at most {most}" if least is None else f"at least {least}"


def beyond(code, launches):
    """What is beyond its bound."""
    return [f"{CODES[code]}: {row[0]}: {row[1]}, {bound(row)}" for row in rows_of_page(launches)
            if (row[4] is not None and not row[2] >= row[4]) or (row[5] is not None and not row[2] <= row[5])]


def of_classes(results):
    lines = ["", "## By class", "",
             "The class of a launch follows from what the H200 counted; the first that holds:", "",
             f"- atomics: {100 * ATOMICS:.0f} % or more of L2's sectors are of atomics and reductions",
             f"- DRAM: it moves {BUSY_DRAM} % or more of its theoretical rate",
             f"- latency: L1, L2 and the multiprocessor each have less than {BUSY} % of their peak",
             "- else the unit with the largest share of its peak: L2 and L1 (L1/L2), shared memory where half of L1's wavefronts are its "
             "(shared), the multiprocessor (compute)", "",
             "Mean and median error, and the mean of modelled / measured time; launches above 10 us.", "",
             "| class |" + "".join(f" {CODES[c]}: launches | mean | median | modelled / measured |" for c in results),
             "| --- |" + " --: | --: | --: | --: |" * len(results)]
    for kind in CLASSES:
        cells = []
        for launches in results.values():
            some = [x for x in launches if x.measured > LONG and x.kind == kind]
            cells.append(f" {len(some)} | {percent(mean(x.error for x in some))} | {percent(quantile([x.error for x in some], 0.5))} "
                         f"| {ratio(some)} |")
        lines.append(f"| {kind} |" + "".join(cells))
    return lines


def of_programs(results):
    lines = ["", "## By program", "", "Mean error of all launches of a program, of those above 10 us, and the mean of modelled / measured time of all.", "",
             "| program |" + "".join(f" {CODES[c]}: all | above 10 us | modelled / measured |" for c in results),
             "| --- |" + " --: | --: | --: |" * len(results)]
    for program in sorted({x.program for launches in results.values() for x in launches}):
        cells = []
        for launches in results.values():
            some = [x for x in launches if x.program == program]
            cells.append(f" {percent(mean(x.error for x in some))} | {percent(mean(x.error for x in some if x.measured > LONG))} "
                         f"| {ratio(some)} |")
        lines.append(f"| {program} |" + "".join(cells))
    return lines


def farthest(code, launches):
    lines = ["", f"## Farthest off, {CODES[code]}", "", f"The {WORST} launches above 10 us with the largest errors.", "",
             "| launch | class | H200, us | Heddle, us | modelled / measured |", "| --- | --- | --: | --: | --: |"]
    for x in sorted((x for x in launches if x.measured > LONG), key=lambda x: -x.error)[:WORST]:
        lines.append(f"| {x.name} | {x.kind} | {x.measured / 1e3:,.1f} | {x.modelled / 1e3:,.1f} | {x.modelled / x.measured:.2f} |")
    return lines


def of_launches(results):
    """All launches, each on one line for all codes; of those alike in program, arguments and kernel the first beside the first."""
    lines = ["", "## By launch", "", "All launches: what the H200 needed, and modelled / measured time.", "",
             "| program | arguments | kernel | H200, us |" + "".join(f" {CODES[c]} |" for c in results), "| --- | --- | --- | --: |" + " --: |" * len(results)]
    found = {}
    for code, launches in results.items():
        alike = {}
        for x in launches:
            key = x.program, x.args, x.kernel
            alike[key] = alike.get(key, 0) + 1
            found.setdefault((*key, alike[key]), {})[code] = x
    for (program, args, kernel, _), by_code in found.items():
        ratios = "".join(f" {by_code[c].modelled / by_code[c].measured:.2f} |" if c in by_code else " - |" for c in results)
        lines.append(f"| {program} | {args} | {kernel} | {next(iter(by_code.values())).measured / 1e3:,.1f} |{ratios}")
    return lines


def of_reasons(results):
    """Mean shares of the stall reasons, measured and modelled."""
    some = {c: [x for x in launches if x.measured > LONG and x.stalls and x.truth] for c, launches in results.items()}
    if not any(some.values()):
        return ["", "Stall reasons are not compared: Heddle has none."]
    lines = ["", "## What warps wait for", "",
             "Mean shares of the warps' cycles by reason, launches above 10 us; then how often the reason is the top one, measured and modelled.", "",
             "| reason |" + "".join(f" {CODES[c]}: H200 | Heddle | top: H200 | Heddle |" for c in some), "| --- |" + " --: | --: | --: | --: |" * len(some)]
    for reason in REASONS:
        cells = [f" {percent(mean(x.truth[reason] for x in xs))} | {percent(mean(x.stalls[reason] for x in xs))} "
                 f"| {sum(top(x.truth) == reason for x in xs)} | {sum(top(x.stalls) == reason for x in xs)} |" for xs in some.values()]
        lines.append(f"| {reason} |" + "".join(cells))
    return lines


def of_use(results):
    """Shares of peaks: mean difference, and how much of it stays where the measured time stands in the place of the modelled one."""
    lines = ["", "## Use of units", "",
             "Mean difference from the H200's share of the peak, in points, launches above 10 us; and with the measured time in the place of the "
             "modelled one: what the amount of work and the peak leave.", "",
             "| share |" + "".join(f" {CODES[c]}: points | with the measured time |" for c in results), "| --- |" + " --: | --: |" * len(results)]
    for what in SHARES:
        cells = []
        for launches in results.values():
            some = [(x.use[what][0], x.use[what][1], x.modelled / x.measured) for x in launches if x.measured > LONG and x.use[what][1] is not None]
            cells.append(f" {mean(abs(ours - truth) for truth, ours, _ in some):.1f} | {mean(abs(ours * ratio - truth) for truth, ours, ratio in some):.1f} |"
                         if some else " - | - |")
        lines.append(f"| {what} |" + "".join(cells))
    return lines


def ablations():
    """The section of what the model is worth without a mechanism: from the table that tools/accuracy_ablations.py wrote, if there is one."""
    if not ABLATIONS.exists():
        return []
    head, *rows = ABLATIONS.read_text().splitlines()
    rows = [dict(zip(rows[0].split("\t"), row.split("\t"))) for row in rows[1:]]
    whole = next(row for row in rows if row["mechanism"] == "whole")
    lines = ["", "## Without one mechanism", "",
             "The model with all of its mechanisms, and without each of them; `heddle profile --without help` says what each does and what is taken "
             "instead. Launches above 10 us: mean, median and 90th percentile of the errors, in percent; what the mean is more than that of the whole "
             "model; pairs of variants that are ordered rightly; distance of the stall reasons. The last column is the mean error of launches up to 10 us. "
             f"`{ABLATIONS.relative_to(ROOT)}`, {head.lstrip('# ').split('. Written')[0]}.", "",
             "| without | mean | more | median | p90 | pairs | stalls | up to 10 us |", "| --- | --: | --: | --: | --: | --: | --: | --: |"]
    first = [row for row in rows if row is whole]
    others = sorted((row for row in rows if row is not whole), key=lambda row: float(whole["mean"]) - float(row["mean"]))
    for row in first + others:
        name = "nothing: the whole model" if row is whole else f"`{row['mechanism']}`"
        more = float(row["mean"]) - float(whole["mean"])
        lines.append(f"| {name} | {float(row['mean']):.1f} | {'' if row is whole else f'{more:+.1f}'} | {float(row['median']):.1f} | {float(row['p90']):.1f} "
                     f"| {row['right']} of {row['pairs']} | {float(row['stalls']):.3f} | {float(row['short']):.1f} |")
    return lines


def page(results, which):
    _, measured, when = SETS[which]
    lines = ["# Modelled time beside an H200" + ("" if which == "open" else f": {which} programs"), "",
             f"Printed by `tools/accuracy_time.py build/bin/heddle{'' if which == 'open' else ' --set ' + which}`; do not edit. What the H200 needed: "
             f"`tests/truth/{measured}` ({when}). An error is the absolute difference over the measured time. Two collections on the H200 differ by 1.5 % "
             "(median; 90th percentile 4.7 %)." + ("" if which == "open" else f" The set is open: what came out at first sight stands in `tests/truth/{which}/README.md`."), "",
             "| figure | " + " | ".join(CODES[c] for c in results) + " | goal |" + (" bound |" if which == "open" else ""),
             "| --- |" + " --: |" * (len(results) + (2 if which == "open" else 1))]
    for cells in zip(*[rows_of_page(launches) for launches in results.values()]):
        goal = cells[0][3] if which == "open" else FRESH_GOALS.get(cells[0][0], cells[0][3])
        lines.append(f"| {cells[0][0]} | " + " | ".join(c[1] for c in cells) + f" | {goal} |" + (f" {bound(cells[0])} |" if which == "open" else ""))
    lines += of_classes(results) + of_programs(results)
    for code, launches in results.items():
        lines += farthest(code, launches)
    return "\n".join(lines + of_reasons(results) + of_use(results) + (ablations() if which == "open" else []) + of_launches(results)) + "\n"


def table(results):
    """The rows of --tsv."""
    lines = ["\t".join(("program", "args", "kernel", "code", "class", "measured_cycles", "modelled_cycles", "measured_ns", "modelled_ns",
                        "modelled_over_measured"))]
    for code, launches in results.items():
        for x in launches:
            lines.append("\t".join((x.program, x.args, x.kernel, code, x.kind, f"{x.measured_cycles:.0f}", f"{x.cycles or 0:.0f}", f"{x.measured:.0f}",
                                    f"{x.modelled:.0f}", f"{x.modelled / x.measured:.3f}")))
    return "\n".join(lines) + "\n"


def work_of(rows):
    return sum(value(r, "smsp__inst_executed.sum") + value(r, CYCLES) for r in rows)  # cycles: where few warps run long


def source(which, program, code, ptx):
    """The program's source behind the flag that names nvcc's PTX of it, if that is wanted: of open in tests/truth/ptx, else unpacked into
    the folder `ptx`."""
    folder = accuracy.TRUTH / SETS[which][0]
    given = []
    if code == "nvcc" and which == "open":
        given = ["--device-ptx", str(folder / "ptx" / f"{program}.nvcc.ptx")]
    elif code == "nvcc":
        given = ["--device-ptx", str(Path(ptx) / f"{which}.{program}.ptx")]
        with tarfile.open(folder / "ptx.tar.xz") as packed:
            Path(given[1]).write_bytes(packed.extractfile(f"{program}.ptx").read())
    return [*given, str(folder / f"{program}.cu")]


def run(heddle, which, codes, programs, timeout, jobs):
    """{(code, program): (what went wrong or None, [{metric: text}])}; the longest programs begin first."""
    rows = accuracy.table(SETS[which][1])
    work = [(code, p) for p in sorted(programs, key=lambda p: -work_of(rows[p])) for code in codes]
    with tempfile.TemporaryDirectory() as ptx, ThreadPoolExecutor(jobs) as pool:
        return dict(zip(work, pool.map(lambda w: accuracy.profile(heddle, source(which, w[1], w[0], ptx), timeout, METRICS), work)))


def compare(which, codes, programs, done):
    """({code: [Launch]}, [what failed]) of what `run` or sweep.kept gave."""
    rows = accuracy.table(SETS[which][1])
    results, failed = {code: [] for code in codes}, []
    for code in codes:
        for program in programs:
            problem, got = done.get((code, program), ("not run", []))
            if not problem and len(got) != len(rows[program]):
                problem = f"{len(got)} launches instead of {len(rows[program])}"
            if problem:
                failed.append(f"{program}, {CODES[code]}: {problem}")
            for row, ours in zip(rows[program], got):
                if accuracy.number(ours.get(TIME)) is None:
                    failed.append(f"{program} {row['args']}, {CODES[code]}: no {TIME}")
                else:
                    results[code].append(Launch(row, ours))
    return results, failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle", nargs="?")
    parser.add_argument("--set", choices=SETS, default="open")
    parser.add_argument("--raw")
    parser.add_argument("--write")
    parser.add_argument("--tsv")
    parser.add_argument("--only", default="")
    parser.add_argument("--code", default="nvcc,own")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    codes = options.code.split(",")
    unknown = [c for c in codes if c not in CODES]
    if unknown:
        parser.error(f"no such device code: {unknown[0]}; there are {', '.join(CODES)}")
    if (options.heddle is None) == (options.raw is None):
        parser.error("either HEDDLE or --raw FILE")
    known = accuracy.table(SETS[options.set][1])
    only = [p for p in options.only.split(",") if p]
    unknown = [p for p in only if p not in known]
    if unknown:
        parser.error(f"no such program in tests/truth/{SETS[options.set][1]}: {unknown[0]}")
    programs = only or sorted(known)
    done = accuracy.kept(accuracy.raw_lines(options.raw), options.set) if options.raw else run(options.heddle, options.set, codes, programs, options.timeout, options.jobs)
    results, failed = compare(options.set, codes, programs, done)
    if not only and options.set == "open":
        failed += [what for code in codes for what in beyond(code, results[code])]
    if options.tsv:
        with open(options.tsv, "w") as out:
            out.write(table(results))
    text = page(results, options.set)
    if options.write:
        with open(options.write, "w") as out:
            out.write(text)
    print(text, end="")
    for what in failed:
        print(what, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
