#!/usr/bin/env python3
"""compare.py [-q] [--most PERCENT] THEIRS OURS: what ncu counted (h200.tsv, or a folder of CSV files of collect.sh) against CSV files of `heddle profile`
(run.sh), launch by launch.

-q: only the summary. --most: fails if the mean error of warp instructions over the launches is larger. Errors are relative to theirs, |ours - theirs| / theirs; a mean is over launches, all weighted alike
("launches"), and over kernels, each the mean of its launches ("kernels"). A pipe counts in the launches where it has at
least 1 % of their instructions. Exits 1 where a program or launch has no partner, or a figure that both should have is missing.
"""
import collections
import csv
import glob
import os
import re
import statistics
import sys

INST = "smsp__inst_executed.sum"
THREAD = "smsp__thread_inst_executed.sum"
ON = "smsp__thread_inst_executed_pred_on.sum"
REGS = "launch__registers_per_thread"
TIME = "gpu__time_duration.sum"
PIPE = "smsp__inst_executed_pipe_%s.sum"
PIPES = "alu fma fmaheavy fp64 xu lsu uniform cbu adu tensor tex fp16".split()
FLOP = "smsp__sass_thread_inst_executed_op_%s_pred_on.sum"
FLOPS = "fadd fmul ffma dadd dmul dfma hadd hmul hfma".split()
SECTORS = ["l1tex__t_sectors_pipe_lsu_mem_%s_op_%s.sum" % (s, o) for s in ("global", "local") for o in ("ld", "st")]
L2 = ["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"]
FLOOR = 0.01  # of the instructions


def number(text):
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def read(path):
    """The launches of a file, in order: (kernel, grid, block, {metric: number or None})."""
    lines = open(path, errors="replace", newline="").read().splitlines(keepends=True)
    start = next((i for i, l in enumerate(lines) if re.match(r'"?ID"?,', l)), None)
    if start is None:
        return []
    table = list(csv.reader(l for l in lines[start:] if not l.startswith("==")))
    head, launches = table[0], []
    for row in table[1:]:
        if not row or not row[0].isdigit():  # the row of units
            continue
        cells = dict(zip(head, row))
        figures = {re.sub(r"^sm__(inst_executed)", r"smsp__\1", k): number(v) for k, v in cells.items() if "__" in k}
        launches.append((int(row[0]), cells.get("Kernel Name", ""), cells.get("Grid Size", ""), cells.get("Block Size", ""), figures))
    launches.sort(key=lambda l: l[0])
    return [l[1:] for l in launches]


def read_table(path):
    """{program: launches as of read()} of h200.tsv."""
    programs = collections.defaultdict(list)
    with open(path, newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            figures = {k: number(v) for k, v in row.items() if "__" in k}
            programs[row["program"]].append((row["kernel"], row["grid"], row["block"], figures))
    return programs


def short(kernel):
    """demangled or not: the function's name alone."""
    k = re.sub(r"^(void|static|__global__)\s+", "", kernel)
    k = re.split(r"[<(]", k)[0].strip()
    return k.split("::")[-1].split(" ")[-1]


def shape(text):
    return ",".join(re.findall(r"\d+", text))


def relative(ours, theirs):
    if theirs == 0:
        return 0.0 if ours == 0 else float("inf")
    return abs(ours - theirs) / theirs


def mean(values):
    return sum(values) / len(values) if values else float("nan")


class Errors:
    """Errors of one figure, by launch and by kernel."""

    def __init__(self):
        self.launches, self.kernels, self.signed = [], collections.defaultdict(list), []

    def add(self, kernel, ours, theirs):
        e = relative(ours, theirs)
        self.launches.append(e)
        self.kernels[kernel].append(e)
        self.signed.append((ours - theirs) / theirs if theirs else e)

    def line(self, name):
        e = sorted(self.launches)
        if not e:
            return "%-16s no launches" % name
        return "%-16s %8.2f %% launches %8.2f %% kernels   bias %+8.2f %%  median %6.2f %%  worst %8.2f %%  equal %d  within 5 %% %d  of %d" % (
            name, 100 * mean(e), 100 * mean([mean(k) for k in self.kernels.values()]), 100 * mean(self.signed), 100 * statistics.median(e),
            100 * e[-1], sum(x == 0 for x in e), sum(x <= 0.05 for x in e), len(e))


def main(args):
    quiet = "-q" in args
    args = [a for a in args if a != "-q"]
    most = None
    if "--most" in args:
        most = float(args.pop(args.index("--most") + 1))
        args.remove("--most")
    if len(args) != 2:
        sys.exit(__doc__)
    theirs_at, ours_at = args
    table = read_table(theirs_at) if os.path.isfile(theirs_at) else {}
    names = [sorted(table) if table and d == theirs_at else sorted(os.path.basename(p)[:-4] for p in glob.glob(d + "/*.csv")) for d in args]
    problems = ["%s: only in %s" % (n, args[0] if n in names[0] else args[1]) for n in sorted(set(names[0]) ^ set(names[1]))]
    errors = collections.defaultdict(Errors)
    flops = {op: [0, 0, 0] for op in FLOPS}  # equal, not equal, both 0
    sectors = {s: [0, 0, 0] for s in SECTORS}
    registers, kernel_registers, total, kernels, missing = [], {}, 0, set(), collections.Counter()
    if not quiet:
        print("%-34s %12s %12s %8s %8s %8s  %s  %s" % ("program: kernel", "theirs", "ours", "inst", "threads", "on", "registers", "flops, time"))
    for program in sorted(set(names[0]) & set(names[1])):
        theirs, ours = table[program] if table else read("%s/%s.csv" % (theirs_at, program)), read("%s/%s.csv" % (ours_at, program))
        if len(theirs) != len(ours) or not theirs:
            problems.append("%s: %d launches of theirs, %d of ours" % (program, len(theirs), len(ours)))
        for i, ((tk, tg, tb, t), (ok, og, ob, o)) in enumerate(zip(theirs, ours)):
            if short(tk) != short(ok) or shape(tg) != shape(og) or shape(tb) != shape(ob):
                problems.append("%s launch %d: %s %s %s against %s %s %s" % (program, i, short(tk), tg, tb, short(ok), og, ob))
                continue
            total += 1
            kernel = (program, re.sub(r"\(.*", "", tk))
            kernels.add(kernel)

            def both(metric):
                a, b = t.get(metric), o.get(metric)
                if a is None or b is None:
                    missing[metric + (" of theirs" if a is None else " of ours")] += 1
                    return None
                return a, b

            cells = {}
            for key, metric in (("instructions", INST), ("threads", THREAD), ("threads on", ON)):
                pair = both(metric)
                if pair:
                    errors[key].add(kernel, pair[1], pair[0])
                    cells[key] = "%+7.2f%%" % (100 * (pair[1] - pair[0]) / pair[0]) if pair[0] else "-"
            for pipe in PIPES:
                pair = both(PIPE % pipe)
                if pair and t.get(INST) and pair[0] >= FLOOR * t[INST]:
                    errors["pipe " + pipe].add(kernel, pair[1], pair[0])
            wrong = []
            for op in FLOPS:
                pair = both(FLOP % op)
                if pair:
                    flops[op][2 if pair == (0, 0) else pair[0] != pair[1]] += 1
                    if pair[0] != pair[1]:
                        wrong.append(op)
            for s in SECTORS:
                pair = both(s)
                if pair:
                    sectors[s][2 if pair == (0, 0) else pair[0] != pair[1]] += 1
            for s in L2:
                pair = both(s)
                if pair and pair[0]:
                    errors["L2 " + s.split("_op_")[1].split(".")[0]].add(kernel, pair[1], pair[0])
            regs = both(REGS)
            if regs:
                registers.append(abs(regs[1] - regs[0]))
                kernel_registers[kernel] = registers[-1]
            if not quiet:
                time = t.get(TIME)
                print("%-34s %12.0f %12.0f %8s %8s %8s  %s  %s" % (
                    (program + ": " + short(tk))[:34], t.get(INST) or 0, o.get(INST) or 0, cells.get("instructions", "-"), cells.get("threads", "-"),
                    cells.get("threads on", "-"), "%3d %3d" % regs if regs else "  -   -",
                    ("not equal: " + " ".join(wrong) if wrong else "equal") + ("  %.1f us" % (time / 1e3) if time else "")))
    print("\n%d launches of %d kernels in %d programs" % (total, len(kernels), len(set(k[0] for k in kernels))))
    for key in ["instructions", "threads", "threads on"] + ["pipe " + p for p in PIPES] + ["L2 read", "L2 write"]:
        if key in errors:
            print(errors[key].line(key))
    for what, table in (("flops", flops), ("L1 sectors", sectors)):
        equal, unequal, zero = (sum(v[i] for v in table.values()) for i in range(3))
        print("%-16s %d of %d cells equal (%d more are 0 on both sides)" % (what, equal, equal + unequal, zero))
        for op, (e, u, z) in table.items():
            if e + u:
                print("    %-48s %d of %d equal" % (op, e, e + u))
    for what, list_ in (("registers", registers), ("   of kernels", list(kernel_registers.values()))):
        if list_:
            print("%-16s mean absolute %.2f, within 6: %.1f %%, equal: %.1f %% of %d" % (
                what, mean(list_), 100 * mean([x <= 6 for x in list_]), 100 * mean([x == 0 for x in list_]), len(list_)))
    for m, n in sorted(missing.items()):
        print("no %s in %d launches" % (m, n))
    if most is not None and not 100 * mean(errors["instructions"].launches) <= most:
        problems.append("the mean error of warp instructions is above %g %%" % most)
    for p in problems:
        print("PROBLEM", p)
    return 1 if problems or not total or any(m.startswith((INST, THREAD, REGS)) for m in missing) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
