#!/usr/bin/env python3
"""Compares the device code of Heddle's own compile step with nvcc's, kernel by kernel, without a GPU; writes a page of the rows.

Each program of a list (the form of tools/coverage.py) is built twice under `heddle env`, the second time with
NVCC_APPEND_FLAGS="--front-end nvcc", and both run with the same arguments. Launches are paired by kernel and order. A cell
is one metric of one launch, among tests/truth/exact.txt and MORE; it is equal within 0.5 % of what nvcc's code has
(accuracy.equal). Cells that are 0 on both sides are left out. Cells that differ get a cause, from what the instructions
of both counted (cause_of); the place is the source line where the two differ most.

Out: ROWS, one row a kernel (COLUMNS), or one row a program that could not be compared. A run goes on where the last one
stopped: a program with a row of this Heddle is left out. No list of public programs is in this tree; `own` prints the list of
our own programs. Without nvcc `run` says so and ends with status 77.

Three of sixteen programs are held out, by the MD5 of their name: `run` leaves them alone unless --held-out asks for them, and
whoever mends the compile step does not look at them. Their rows have a file and a page of their own.

usage: front_end.py own                         (run it in the root of the tree)
       front_end.py run LIST ROWS [--held-out] [--heddle FILE] [--only REGEX] [--launches N] [--cpu S] ...
       front_end.py page ROWS [--write FILE | --check FILE]
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import threading

import accuracy
import coverage

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_NVCC = 77
COLUMNS = ["collection", "commit", "program", "kernel", "heddle", "state", "launches", "cells", "equal", "flops", "flops_nvcc", "causes"]
# compared: a row a kernel. The others: a row a program that says in `causes` what went wrong.
STATES = ["compared", "no kernel", "does not build", "nvcc does not build it", "does not run", "other launches"]
MORE = ["smsp__inst_executed_op_shared_atom.sum", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"]
METRICS = accuracy.METRICS + MORE
# Programs that are held out: what the MD5 of their name begins with; in no collection that was looked at as a whole.
HELD_OUT, SEEN = "4ab", ("Heddle", "PolyBench-ACC")
# Flags for all of a program; a function that CUDA 13 no longer declares has its present name there.
SIDES = {"own": "-lineinfo", "nvcc": "-lineinfo --front-end nvcc -DcudaThreadSynchronize=cudaDeviceSynchronize"}

# Which counters of an instruction (src/counters/counters.def) a metric is made of: pattern of the metric, family, counter.
FAMILIES = [
    ("*mem_global_op_ldgsts*", "asynchronous copies", "GLOBAL_LDGSTS_REQUESTS"),
    ("*mem_global_op_ld.sum", "global loads", "GLOBAL_LD_REQUESTS"),
    ("*mem_global_op_st.sum", "global stores", "GLOBAL_ST_REQUESTS"),
    ("*mem_global_op_atom.sum", "global atomics", "GLOBAL_ATOM_REQUESTS"),
    ("*mem_global_op_red.sum", "global reductions", "GLOBAL_RED_REQUESTS"),
    ("*mem_local_op_ld.sum", "local loads", "LOCAL_LD_REQUESTS"),
    ("*mem_local_op_st.sum", "local stores", "LOCAL_ST_REQUESTS"),
    ("*mem_texture*", "texture fetches", "TEXTURE_REQUESTS"),
    ("*op_shared_atom.sum", "shared atomics", "SHARED_ATOM_REQUESTS"),
    ("*shared_ld.sum", "shared loads", "SHARED_LD_REQUESTS"),
    ("*shared_op_ld.sum", "shared loads", "SHARED_LD_REQUESTS"),
    ("*shared_st.sum", "shared stores", "SHARED_ST_REQUESTS"),
    ("*shared_op_st.sum", "shared stores", "SHARED_ST_REQUESTS"),
    *((f"*_op_{f}_pred_on.sum", kind, f.upper()) for letter, kind in (("f", "float"), ("d", "double"), ("h", "half"))
      for f in (letter + "add", letter + "mul", letter + "fma")),
]
ARITHMETIC = {"float": "F", "double": "D", "half": "H"}
BYTES = {"GLOBAL_LD_REQUESTS": "GLOBAL_LD_BYTES", "GLOBAL_ST_REQUESTS": "GLOBAL_ST_BYTES", "SHARED_LD_REQUESTS": "SHARED_LD_BYTES",
         "SHARED_ST_REQUESTS": "SHARED_ST_BYTES"}


# --- causes ---

def family_of(metric):
    """(family, counter) of a metric, (None, None) of those that no instruction counts."""
    return next((f[1:] for f in FAMILIES if accuracy.fnmatch.fnmatchcase(metric, f[0])), (None, None))


def opcode(site):
    """'ld.global.v4.f32' of a site's PTX text, without rounding to nearest, which is the default."""
    return re.sub(r"^@!?%\w+\s+", "", site["text"]).split(None, 1)[0].rstrip(";").replace(".rn", "")


def line_of(site):
    """'file.cu:12': where the kernel has it, not the inlined function of a header."""
    place = site["inlined_at"] or f"{site['file']}:{site['line']}"
    return re.sub(r":0$", "", place.split(", ")[-1].rpartition("/")[2])


def width(site):
    """Bytes that a lane moves with a load or store."""
    words = opcode(site).split(".")
    vector = next((int(w[1:]) for w in words if re.fullmatch(r"v\d", w)), 1)
    bits = re.search(r"\d+$", words[-1])
    return vector * int(bits.group(0)) // 8 if bits else 0


def sums(sites, counter, by=lambda site: None):
    out = collections.Counter()
    for s in sites:
        if s["counters"].get(counter):
            out[by(s)] += s["counters"][counter]
    return out


def total(sites, counter):
    return sum(s["counters"].get(counter, 0) for s in sites)


def same(own, nvcc):
    return accuracy.equal(nvcc, own)


def access_cause(family, counter, own, nvcc):
    """Why loads or stores of a space differ."""
    mine, its = total(own, counter), total(nvcc, counter)
    if same(mine, its) and not same(total(own, BYTES.get(counter, counter)), total(nvcc, BYTES.get(counter, counter))):
        return f"{family}: of other lanes or widths, as many"
    if same(mine, its):
        return f"{family}: as many, of other addresses together"
    if not mine or not its:
        return f"{family}: only in {'nvcc' if its else 'Heddle'}'s code"
    if counter in BYTES and same(total(own, BYTES[counter]), total(nvcc, BYTES[counter])):
        return f"{family}: the same bytes, {'wider' if mine < its else 'narrower'} accesses"
    widths = [sums(sites, counter, width) for sites in (own, nvcc)]
    sites = [sum(1 for s in side if s["counters"].get(counter)) for side in (own, nvcc)]
    if sites[0] == sites[1] and set(widths[0]) == set(widths[1]):
        return f"{family}: as many instructions, carried out {'more' if mine > its else 'less'} often (branches, selects)"
    return f"{family}: {'more' if mine > its else 'fewer'} in Heddle's code"


def arithmetic_cause(kind, own, nvcc):
    """Why additions, products and fused ones differ: other fusing, the same operations more or less often, or other
    operations (the PTX opcode that differs most)."""
    add, mul, fma = (ARITHMETIC[kind] + op for op in ("ADD", "MUL", "FMA"))
    mine, its = ([total(side, c) for c in (add, mul, fma)] for side in (own, nvcc))
    if same(mine[0] + mine[1] + 2 * mine[2], its[0] + its[1] + 2 * its[2]) and not same(mine[2], its[2]):
        return f"{kind}: {'fused more' if mine[2] > its[2] else 'fused less'} than by nvcc"
    opcodes, there = collections.Counter(), []
    for sign, side in ((1, own), (-1, nvcc)):
        there.append(collections.Counter(opcode(s) for s in side if total([s], add) + total([s], mul) + total([s], fma)))
        for c in (add, mul, fma):
            for op, n in sums(side, c, opcode).items():
                opcodes[op] += sign * n
    if there[0] == there[1]:
        return f"{kind}: the same instructions, carried out {'more' if sum(mine) > sum(its) else 'less'} often (branches, selects)"
    op = max(opcodes, key=lambda o: abs(opcodes[o]), default="")
    return f"{kind}: {'more' if opcodes[op] > 0 else 'fewer'} `{op}`"


def atomic_cause(family, counter, own, nvcc):
    kinds = ("GLOBAL_ATOM_REQUESTS", "GLOBAL_RED_REQUESTS")
    mine, its = ([total(side, c) for c in kinds] for side in (own, nvcc))
    if counter in kinds and sum(mine) and same(sum(mine), sum(its)) and not same(mine[0], its[0]):
        return "global atomics: atom for red" if mine[0] > its[0] else "global atomics: red for atom"
    return access_cause(family, counter, own, nvcc)


def cause_of(metric, own, nvcc):
    """The cause of a cell that differs, from the sites (docs/results.md) of Heddle's own code and nvcc's."""
    family, counter = family_of(metric)
    if not family:
        return "other blocks or warps"
    if family in ARITHMETIC:
        return arithmetic_cause(family, own, nvcc)
    if "atomics" in family or "reductions" in family:
        return atomic_cause(family, counter, own, nvcc)
    return access_cause(family, counter, own, nvcc)


def place_of(metric, own, nvcc):
    """The source line whose instructions differ most in what the metric counts."""
    counter = family_of(metric)[1]
    difference = sums(own, counter, line_of)
    difference.subtract(sums(nvcc, counter, line_of))
    return max(difference, key=lambda line: abs(difference[line]), default="")


# --- kernels ---

def flops(row):
    """Operations of a launch, double and single precision and half, a fused one counted twice."""
    return sum((2 if "fma" in m else 1) * (accuracy.number(row.get(m)) or 0) for m in METRICS if "thread_inst_executed_op" in m)


def compare_launch(own, nvcc, causes):
    """(cells, equal ones) of a launch; `own`, `nvcc`: ({metric: text}, sites). Counts causes[cause] and its places."""
    cells = equals = 0
    for metric in METRICS:
        mine, its = (accuracy.number(side[0].get(metric)) or 0 for side in (own, nvcc))
        if not mine and not its:
            continue
        cells += 1
        equals += same(mine, its)
        if not same(mine, its):
            cause = causes.setdefault(cause_of(metric, own[1], nvcc[1]), collections.Counter())
            cause[place_of(metric, own[1], nvcc[1])] += 1
    return cells, equals


def by_kernel(launches):
    """{kernel: [(metrics, sites, name)]} in the order of launches."""
    kernels = {}
    for metrics, result in launches:
        if not result.get("library"):
            name = re.sub(r"^(void|\(anonymous namespace\)::) ?", "", metrics["Kernel Name"])
            kernels.setdefault(result["kernel"], []).append((metrics, result["sites"], name.partition("(")[0]))
    return kernels


def compare(own, nvcc):
    """Rows, without the program's columns, of what both kinds of code launched."""
    own, nvcc = by_kernel(own), by_kernel(nvcc)
    for kernel in dict.fromkeys([*own, *nvcc]):
        mine_all, its_all = own.get(kernel, []), nvcc.get(kernel, [])
        pairs, name = list(zip(mine_all, its_all)), (mine_all or its_all)[0][2]
        if len(mine_all) != len(its_all):
            yield {"kernel": name, "state": "other launches", "causes": f"{len(mine_all)} launches, {len(its_all)} with nvcc's code"}
            continue
        causes, cells, equals = {}, 0, 0
        for mine, its in pairs:
            c, e = compare_launch(mine[:2], its[:2], causes)
            cells, equals = cells + c, equals + e
        yield {"kernel": name, "state": "compared", "launches": len(pairs), "cells": cells, "equal": equals,
               "flops": f"{sum(flops(p[0][0]) for p in pairs):.0f}", "flops_nvcc": f"{sum(flops(p[1][0]) for p in pairs):.0f}",
               "causes": written(causes)}


def written(causes):
    """'CELLS CAUSE @ PLACE; ...', the heaviest first."""
    heavy = sorted(causes.items(), key=lambda c: (-c[1].total(), c[0]))
    return "; ".join(f"{places.total()} {cause} @ {places.most_common(1)[0][0]}" for cause, places in heavy)


def causes_of(row):
    """[(cells, cause, place)] of a row."""
    return [(int(n), cause, place) for part in row["causes"].split("; ") if part
            for n, _, rest in [part.partition(" ")] for cause, _, place in [rest.rpartition(" @ ")]]


# --- programs ---

def launches_of(heddle, report, log, under):
    """[({metric: text}, result)] of a file that `heddle profile -o` wrote."""
    ending, text = under([heddle, "profile", "-i", str(report), "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                          ",".join(METRICS), "--log-file", str(log)])
    if ending.status:
        raise RuntimeError(coverage.complaint(text))
    results = [json.loads(line) for line in report.read_text().splitlines() if line and not line.startswith("#")]
    return list(zip(accuracy.launches_of(log), results))


def measure(row, side, options, scratch, stop):
    """(state that went wrong or None, what, launches) of a program with one kind of device code."""
    limits = {"cpu": options.cpu, "wall": 2 * options.cpu, "memory": options.memory * 2 ** 30}
    env = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")}
    env |= {"HEDDLE_CACHE": options.cache, "NVCC_APPEND_FLAGS": SIDES[side]}
    (scratch / side).mkdir()
    folder, report = coverage.copy(row["folder"], scratch / side), scratch / f"{side}.ncu-rep"
    lacks = coverage.missing_input(folder, row["input"])
    if lacks:
        return "does not run", f"{lacks} is not in the collection", []

    def under(words):
        ending, text = coverage.command(words, folder, env, limits, stop)
        return ending, text.replace(f"{os.path.realpath(scratch)}/{side}/tree/", "")

    failed = coverage.built_state(*under([options.heddle, "env", "sh", "-c", row["build"]]), limits)
    if failed:
        return "does not build" if side == "own" else "nvcc does not build it", failed[1], []
    ending, text = under([options.heddle, "env", "ncu", "--quiet", "-f", "-c", str(options.launches), "-o", str(scratch / side),
                          "--metrics", ",".join(METRICS), "sh", "-c", f"{row['run']} {row['arguments']}".strip()])
    if ending.stopped:
        return "does not run", coverage.stopped_state(ending, limits)[1], []
    if not report.exists():
        return "no kernel" if not ending.status else "does not run", coverage.complaint(text), []
    return None, "", launches_of(options.heddle, report, scratch / f"{side}.csv", under)


def attempt(row, options, stop):
    """The rows of a program."""
    with tempfile.TemporaryDirectory(prefix="front-end-", dir=options.scratch, ignore_cleanup_errors=True) as scratch:
        launches = {}
        for side in SIDES:
            try:
                state, what, launches[side] = measure(row, side, options, pathlib.Path(scratch), stop)
            except (RuntimeError, ValueError) as e:
                state, what = "does not run", str(e)
            if state:
                what = re.sub(r"/\S*/include/", "", what)  # names no folder of this machine
                return [{"kernel": "", "state": state, "causes": f"{side}: {what}"}]
        return list(compare(launches["own"], launches["nvcc"])) or [{"kernel": "", "state": "no kernel", "causes": ""}]


def read_rows(path):
    rows = coverage.read(path, COLUMNS) if pathlib.Path(path).exists() else []
    return rows[1:] if rows and rows[0]["program"] == "program" else rows


def nvcc_there(heddle):
    """Is there a compiler of NVIDIA's: HEDDLE_NVCC, or an nvcc on PATH that is not Heddle?"""
    found = shutil.which(os.environ.get("HEDDLE_NVCC") or "nvcc")
    return bool(found) and os.path.realpath(found) != os.path.realpath(heddle)


def held_out(row):
    """Is the program one that is looked at only once?"""
    return row["collection"] not in SEEN and hashlib.md5(row["program"].encode()).hexdigest()[0] in HELD_OUT


def compare_list(options, version):
    """Adds the rows of the list's programs that have none of this version."""
    stop, done = threading.Event(), {coverage.key(r) for r in read_rows(options.rows) if r["heddle"] == version}
    for row in coverage.read(options.list, coverage.LIST):
        if coverage.key(row) in done or held_out(row) != options.held_out or not re.search(options.only, f"{row['collection']} {row['program']}"):
            continue
        rows = attempt(row, options, stop)
        with open(options.rows, "a") as out:
            for found in rows:
                cells = row | {"heddle": version} | found
                out.write("\t".join(coverage.one_line(str(cells.get(c, "")), 2000) for c in COLUMNS) + "\n")
        coverage.Rows.say(f"{row['program']}: {rows[0]['state']}, {len(rows)} kernels")
    coverage.Rows.say("")


def run(options):
    options.heddle = str(pathlib.Path(options.heddle).resolve())
    if not nvcc_there(options.heddle):
        print("skipped: NVIDIA's compiler is not there (HEDDLE_NVCC, or nvcc on PATH)")
        return NO_NVCC
    if not pathlib.Path(options.rows).exists():
        pathlib.Path(options.rows).write_text("\t".join(COLUMNS) + "\n")
    with tempfile.TemporaryDirectory(prefix="front-end-cache-", dir=options.scratch) as cache:
        options.cache = options.cache or cache
        try:
            compare_list(options, options.commit or coverage.version(options.heddle))
        except KeyboardInterrupt:
            return 130  # what ran has ended and has no row
    return 0


OWN = ["tests/truth", "tests/truth/rules", "tests/device", "tests/programs", "examples"]


def own(_):
    """The list of our own programs: each .cu file with a main."""
    for folder in OWN:
        for path in sorted((ROOT / folder).glob("*.cu")):
            if re.search(r"\bmain\(", path.read_text(errors="replace")):
                build = f"nvcc -std=c++17 -arch=sm_90 {path.name} -o program"
                print("\t".join(["Heddle", "tree", f"{folder}/{path.stem}", f"{ROOT}/./{folder}", build, "./program", "", "", "", ""]))
    return 0


# --- the page ---

def share(rows):
    cells = sum(int(r["cells"]) for r in rows)
    return f"{100 * sum(int(r['equal']) for r in rows) / cells:.2f} %" if cells else "none"


def flops_equal(row):
    """Within 2 %? None if neither code has any."""
    mine, its = float(row["flops"]), float(row["flops_nvcc"])
    return abs(mine - its) <= 0.02 * its if mine or its else None


def table_of(rows):
    yield ("| collection | programs | kernels | launches | cells not 0 | equal | share | each kernel counted once "
           "| kernels equal in everything | flops within 2 % |")
    yield "| --- |" + " --: |" * 9
    for name in [*dict.fromkeys(r["collection"] for r in rows), None]:
        of = [r for r in rows if name in (None, r["collection"])]
        shares = [int(r["equal"]) / int(r["cells"]) for r in of if int(r["cells"])]
        near = [f for f in map(flops_equal, of) if f is not None]
        yield (f"| {name or '**all**'} | {len({coverage.key(r) for r in of})} | {len(of)} | {sum(int(r['launches']) for r in of)} "
               f"| {sum(int(r['cells']) for r in of)} | {sum(int(r['equal']) for r in of)} | {share(of)} "
               f"| {100 * sum(shares) / max(len(shares), 1):.2f} % | {sum(s == 1 for s in shares)} "
               f"| {sum(near)} of {len(near)} kernels |")


def classes_of(rows):
    groups = collections.defaultdict(list)
    for r in rows:
        for cells, cause, place in causes_of(r):
            groups[cause].append((cells / int(r["cells"]), cells, r, place))
    yield "| cause | kernels | cells | of all shares | example |"
    yield "| --- | --: | --: | --: | --- |"
    for cause, of in sorted(groups.items(), key=lambda g: (-sum(o[0] for o in g[1]), g[0])):
        _, _, row, place = max(of, key=lambda o: (o[0], o[1]))
        yield (f"| {coverage.cell(cause)} | {len(of)} | {sum(o[1] for o in of)} | {100 * sum(o[0] for o in of) / len(rows):.2f} % "
               f"| {coverage.cell(row['program'])} {coverage.cell(row['kernel'])}, {place} |")


def line_of_page(row, *columns):
    return f"| {' | '.join(coverage.cell(coverage.one_line(row[c], 600)) for c in columns)} |"


def versions(rows):
    return ', '.join(f'`{c}`' for c in dict.fromkeys(r['heddle'] for r in rows))


def at_first(every, compared):
    """The table of what is compared now, as it was the first time, if that is another."""
    first = {coverage.key(r): r["heddle"] for r in reversed(every) if r["state"] == "compared"}
    now = {coverage.key(r) for r in compared}
    before = [r for r in every if r["heddle"] == first.get(coverage.key(r)) and coverage.key(r) in now and r["state"] == "compared"]
    if before != compared:
        yield f"\nThe same programs when they were first compared ({versions(before)}):\n"
        yield from table_of(before)


def page(rows, source):
    every, last = rows, {coverage.key(r): r["heddle"] for r in rows}
    rows = [r for r in rows if r["heddle"] == last[coverage.key(r)]]
    compared = [r for r in rows if r["state"] == "compared"]
    yield f"""# Heddle's compile step beside nvcc's

Made by `tools/front_end.py` from `{source}`; do not edit. Each program is built twice, once with Heddle's own compile step and once
with `--front-end nvcc`, and both run on the CPU with the same arguments. No GPU is asked. A cell is one metric of one launch (those of
`tests/truth/exact.txt`, shared atomics and half-precision operations); it is equal within 0.5 % of nvcc's. Cells that are 0 on both sides
are left out. Public programs are not in this repository.

Heddle: {versions(compared)}.
"""
    yield from table_of(compared)
    yield from at_first(every, compared)
    yield "\n## Differences by cause\n\nThe share of a cause is the mean over all kernels of its part of a kernel's cells.\n"
    yield from classes_of(compared)
    differ = sorted((r for r in compared if r["cells"] != r["equal"]), key=lambda r: (r["collection"], r["program"], r["kernel"]))
    yield "\n## Kernels that differ\n\n| program | kernel | launches | cells | equal | causes, with cells and place |"
    yield "| --- | --- | --: | --: | --: | --- |"
    yield from (line_of_page(r, "program", "kernel", "launches", "cells", "equal", "causes") for r in differ)
    left = [r for r in rows if r["state"] not in ("compared", "no kernel")]
    if left:
        yield "\n## Not compared\n\n| program | kernel | state | what |\n| --- | --- | --- | --- |"
        yield from (line_of_page(r, "program", "kernel", "state", "causes") for r in left)


def write_page(options):
    return coverage.put_page(options, read_rows(options.rows), page, "front_end.py")


def main(words):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("own", help="print the list of our own programs").set_defaults(do=own)
    r = verbs.add_parser("run", help="compare the programs of a list")
    r.add_argument("list")
    r.add_argument("rows", help="a file of rows, which grows")
    r.add_argument("--held-out", action="store_true", help="compare the programs that are held out, and no others")
    r.add_argument("--heddle", default=ROOT / "build/bin/heddle")
    r.add_argument("--commit", help="what stands for this Heddle in the rows (otherwise git is asked)")
    r.add_argument("--only", default="", metavar="REGEX", help="programs whose 'COLLECTION PROGRAM' has a match")
    r.add_argument("--launches", type=int, default=100, metavar="N", help="launches of a program that are compared (the first 100)")
    r.add_argument("--cpu", type=float, default=120, metavar="S", help="CPU seconds of a build or run (120)")
    r.add_argument("--memory", type=float, default=8, metavar="GIB", help="memory of a build or run (8)")
    r.add_argument("--scratch", help="where folders are copied to (TMPDIR)")
    r.add_argument("--cache", help="a HEDDLE_CACHE to keep (otherwise one for this run)")
    r.set_defaults(do=run)
    p = verbs.add_parser("page", help="write the page of the rows")
    p.add_argument("rows")
    p.add_argument("--write", metavar="FILE")
    p.add_argument("--check", metavar="FILE")
    p.set_defaults(do=write_page)
    options = parser.parse_args(words)
    return options.do(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
