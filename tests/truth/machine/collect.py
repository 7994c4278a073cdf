#!/usr/bin/env python3
"""Counts the machine instructions of launches with ncu, by pipe and by opcode: on a machine with the GPU, nvcc and ncu.

usage: collect.py OUT [--only WHAT,...] [--budget SECONDS] [--public FOLDER]

WHAT is a kind or KIND:PROGRAM. The kinds, in the order of the work:
  pipes   which pipes each chip has counters for (OUT/pipes.txt)
  ones    ones.cu, a part at a time
  open    the programs of tests/truth
  public  those of ../public/programs.tsv; their sources are FOLDER/RUN, RUN without what follows a dot
  spills  programs with fewer registers than they want (SPILLS below)
  fast    parts of ones.cu with -use_fast_math
  ways    ways.cu: opcodes alone
  trips   trips.cu
When the time is over, the last line names what is left, to be given to --only. Changes no setting of the card.

OUT/launches.tsv   one row a launch, one column a metric
OUT/opcodes.tsv    one row a launch and metric: OPCODE=count ...
OUT/listing.tar    per program: machine code of each kernel once, and how often each of its instructions was executed (xz)
OUT/raw.tar        what ncu printed, and what the compiler and the programs said (xz)
OUT/reports.tar    ncu's reports (xz), the smaller ones first, up to 11 MiB
OUT/log.txt        what happened when
"""
import argparse
import csv
import glob
import io
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TRUTH = os.path.dirname(HERE)
KINDS = ["pipes", "ones", "open", "public", "spills", "fast", "ways", "trips"]
PARTS = ["float", "double", "intrinsics", "half", "integers", "conversions", "atomics", "warps"]
FAST = ["float", "intrinsics", "half"]
CHIPS = ["gv100", "tu102", "ga100", "ga102", "ad102", "gh100", "gb100", "gb202"]
NVCC = ["nvcc", "-w", "-std=c++17", "-O3", "-arch=sm_90", "-Xptxas", "-v"]
# Program, folder or public run; registers; filters that keep the kernels which spill (and some that do not).
SPILLS = [("matmul_coarse", 24, "-k regex:reg4x4"), ("matmul_coarse", 32, "-k regex:reg4x4"),
          ("matmul_coarse", 40, "-k regex:reg4x4"), ("occupancy", 24, "-k regex:regs"),
          ("occupancy", 32, "-k regex:regs"), ("occupancy", 40, "-k regex:regs"), ("occupancy", 64, "-k regex:regs"),
          ("spmv", 24, "-k regex:spmv_ell"), ("rules/local_memory", 24, "-k regex:keep_48|spill"),
          ("rules/local_memory", 40, "-k regex:keep_48"), ("rules/matmul_double", 24, "-k regex:tiled_2x2"),
          ("rules/matmul_double", 32, "-k regex:tiled_2x2"), ("rules/math_double", 24, "-k regex:gamma|pow"),
          ("public/lulesh", 24, "-c 15"), ("public/lulesh", 32, "-c 15"), ("public/lulesh", 40, "-c 15"),
          ("public/lulesh", 64, "-c 15"), ("public/xsbench", 24, "-c 1"), ("public/xsbench", 32, "-c 1"),
          ("public/xsbench", 40, "-c 1"), ("public/bilateral", 24, "-c 3"), ("public/fdtd3d", 24, "-c 2"),
          ("public/convolutionSeparable", 24, "-c 2"), ("public/md", 24, "-c 1")]
FLOPS = ["smsp__sass_thread_inst_executed_op_%s_pred_on.sum" % (t + op) for t in "fdh" for op in ("add", "mul", "fma")]
COUNTS = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
          "smsp__inst_issued.sum", "launch__registers_per_thread"]
LOCAL = ["l1tex__t_%s_pipe_lsu_mem_local_op_%s.sum" % (what, op) for op in ("ld", "st") for what in ("requests", "sectors")]
LOCAL_MORE = ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
              "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", "smsp__inst_executed_op_local_ld.sum",
              "smsp__inst_executed_op_local_st.sum", "launch__stack_size"]
OPCODES = ["sass__inst_executed_per_opcode", "sass__thread_inst_executed_true_per_opcode"]
MODIFIERS = ["sass__inst_executed_per_opcode_with_modifier_all"]
LISTING = ["inst_executed", "thread_inst_executed_true"]
RESERVE = 45  # seconds kept for what follows the last program


def number(text):
    """Of '1,234' or '1234.000000' or '1,234 (ADD: 5; MUL: 1,229)' the text '1234'."""
    text = (text or "").split(" (")[0].replace(",", "").strip()
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value == int(value) else "%.6g" % value


def instances(text):
    """Of '1,234 (ADD: 5; MUL: 1,229)' the pairs (ADD, 5), (MUL, 1229)."""
    found = re.findall(r"([A-Z][A-Z0-9_.]*)\s*[:=]\s*(\d[\d,]*(?:\.\d+)?)", text.partition("(")[2])
    return [(name, number(count.rstrip(","))) for name, count in found]


def table_of(text):
    """ncu's comma-separated page as a list of rows, the row of units left out."""
    table = list(csv.reader(io.StringIO("".join(line for line in text.splitlines(True) if line.startswith('"')))))
    return [dict(zip(table[0], row)) for row in table[2:]] if len(table) > 2 else []


def launch_names(text):
    """The name of each launch that a program announced, in its order."""
    return [m.group(1).strip() for m in re.finditer(r"^LAUNCH \d+ (?:[01] )?(.*)$", text, re.M)]


def keep(path, data):
    with open(path, "wb") as f:
        f.write(lzma.compress(data, preset=3))


class Task:
    def __init__(self, kind, name, folder, sources, flags=(), args="", filters=""):
        self.kind, self.name, self.folder, self.filters = kind, name, folder, filters.split()
        self.sources, self.flags, self.args = sources, list(flags), args.split()
        self.program = re.sub(r"\W", "_", kind + "." + name)
        self.key = kind + ":" + name


def tasks(public):
    runs = {}
    with open(TRUTH + "/public/programs.tsv") as f:
        lines = [line.rstrip("\n").split("\t") for line in f if line[0] != "#"]
    for line in lines[1:]:
        run = dict(zip(lines[0], line + [""] * len(lines[0])))
        runs[run["run"]] = Task("public", run["run"], "%s/%s" % (public, run["run"].split(".")[0]), run["sources"].split(),
                                run["flags"].split(), run["args"], run["filters"])
    out = [Task("ones", p, HERE, ["ones.cu"], ["-DPART=%d" % (PARTS.index(p) + 1)]) for p in PARTS]
    # -lineinfo: as ../ptx was made
    out += [Task("open", os.path.basename(f)[:-3], TRUTH, [os.path.basename(f)], ["-lineinfo"])
            for f in sorted(glob.glob(TRUTH + "/*.cu"))]
    out += runs.values()
    for name, registers, filters in SPILLS:
        limit = ["-maxrregcount=%d" % registers]
        short = "%s.%d" % (os.path.basename(name), registers)
        if name.startswith("public/"):
            run = runs[name[7:]]
            task = Task("spills", short, run.folder, run.sources, run.flags + limit, " ".join(run.args), filters)
        else:
            source = os.path.basename(name) + ".cu"
            limit += [] if "/" in name else ["-lineinfo"]
            task = Task("spills", short, os.path.dirname(TRUTH + "/" + name), [source], limit, "", filters)
        out.append(task)
    out += [Task("fast", p, HERE, ["ones.cu"], ["-DPART=%d" % (PARTS.index(p) + 1), "-use_fast_math"]) for p in FAST]
    return out + [Task("ways", "ways", HERE, ["ways.cu"]), Task("trips", "trips", HERE, ["trips.cu"])]


def reader():
    """ncu's own module that reads reports, or None."""
    root = os.path.dirname(os.path.realpath(shutil.which("ncu") or "ncu"))
    places = [root, os.path.dirname(root), os.path.dirname(os.path.dirname(root))]
    places += glob.glob("/opt/nvidia/nsight-compute/*") + glob.glob("/usr/local/cuda*/nsight-compute*")
    for place in places:
        if os.path.exists(place + "/extras/python/ncu_report.py"):
            sys.path.insert(0, place + "/extras/python")
            try:
                import ncu_report
                return ncu_report
            except Exception as e:  # another Python than it was made for
                print("ncu_report:", repr(e), flush=True)
    return None


def read_report(module, path):
    """Of each launch of a report: {metric: [(opcode, count), ...]} and [(address, instruction, executed, of threads)]."""
    out = []
    context = module.load_report(path)
    for r in range(context.num_ranges()):
        actions = context.range_by_idx(r)
        for a in range(actions.num_actions()):
            action = actions.action_by_idx(a)
            names = set(action.metric_names())
            counts, listing = {}, []

            def pairs(metric):
                m = action.metric_by_name(metric)
                ids = m.correlation_ids()
                return [(ids.value(i), m.value(i)) for i in range(m.num_instances())]

            for metric in OPCODES + MODIFIERS:
                if metric in names:
                    counts[metric] = [(str(name), str(int(n))) for name, n in pairs(metric)]
            if LISTING[0] in names:
                threads = dict(pairs(LISTING[1])) if LISTING[1] in names else {}
                for pc, n in sorted(pairs(LISTING[0])):
                    listing.append((pc, action.sass_by_pc(pc), int(n), int(threads.get(pc, 0))))
            out.append((action.name(), counts, listing))
    return out


class Collection:
    def __init__(self, args):
        self.start, self.budget = time.time(), args.budget
        self.out = os.path.abspath(args.out)
        self.work = tempfile.mkdtemp()
        self.rows, self.opcode_rows, self.columns = [], [], []
        self.lock = threading.Lock()
        self.module = reader()
        for folder in (self.out, self.work + "/raw", self.work + "/listing", self.work + "/reports"):
            os.makedirs(folder, exist_ok=True)
        self.log = open(self.out + "/log.txt", "a")
        self.say("reading reports with", "ncu_report" if self.module else "the printed page")

    def left(self):
        return self.budget - (time.time() - self.start)

    def say(self, *what):
        text = "[%5.1f] " % (time.time() - self.start) + " ".join(str(w) for w in what)
        print(text, flush=True)
        self.log.write(text + "\n")
        self.log.flush()

    def call(self, command, out, limit, folder=None):
        with open(out, "w") as f:
            try:
                process = subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT, cwd=folder or self.work,
                                           start_new_session=True)
            except OSError as e:
                f.write("%s\n" % e)
                return 127
            try:
                return process.wait(max(1, min(limit, self.left())))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # ncu with the program that it profiles
                process.wait()
                return 124

    def pipes(self):
        with open(self.out + "/pipes.txt", "w") as f:
            self.call(["ncu", "--list-chips"], self.work + "/chips", 30)
            f.write("chips: " + open(self.work + "/chips").read().strip() + "\n")
            with ThreadPoolExecutor(len(CHIPS)) as pool:
                list(pool.map(self.query, CHIPS))
            for chip in CHIPS:
                lines = open("%s/query.%s" % (self.work, chip), errors="replace").read().splitlines()
                f.write("\n== %s (%d lines)\n" % (chip, len(lines)))
                f.writelines(line.rstrip() + "\n" for line in lines if re.search("inst_executed_(pipe|op)", line))
                keep("%s/raw/query.%s.xz" % (self.work, chip), "\n".join(lines).encode())
        self.say("pipes.txt")

    def query(self, chip):
        path = "%s/query.%s" % (self.work, chip)
        if not os.path.exists(path):
            if self.call(["ncu", "--query-metrics", "--chips", chip], path, 60):
                self.call(["ncu", "--query-metrics", "--chip", chip], path, 60)
        return path

    def choose_metrics(self, program):
        """What this ncu can count: tried on a launch of the program, for what --query-metrics does not list."""
        text = open(self.query("gh100"), errors="replace").read()
        known = {line.split()[0] for line in text.splitlines() if re.match(r"\w+__\w+", line)}
        self.say("ncu lists", len(known), "metrics")
        pipes = sorted(m for m in known if re.match(r"smsp__inst_executed_pipe_\w+$", m))
        twins = {m.replace("smsp__", "sm__") for m in pipes}
        pipes += sorted(m for m in known if re.match(r"sm__inst_executed_pipe_\w+$", m) and m not in twins)
        base = [m for m in COUNTS + FLOPS + LOCAL if m.startswith("launch__") or m.split(".")[0] in known or not known]
        base += [m + ".sum" for m in pipes]
        more = [m for m in LOCAL_MORE if m.startswith("launch__") or m.split(".")[0] in known]
        self.say(len(pipes), "pipes:", " ".join(p.split("pipe_")[1] for p in pipes))

        def works(metrics, name):
            report = "%s/probe.%s" % (self.work, name)
            log = "%s/raw/probe.%s" % (self.work, name)
            rc = self.call(self.command(metrics) + ["-f", "-o", report, program, "empty normal"], log, 60)
            said = open(log, errors="replace").read()
            return rc == 0 and os.path.exists(report + ".ncu-rep") and not re.search("Failed to find|==ERROR==", said)

        optional = OPCODES + MODIFIERS + LISTING
        if not works(base + more + optional, "all"):
            if not works(base, "base"):
                base = [m for m in base if works([m], m)]
            more = [m for m in more if works([m], m)]
            optional = []
            for name, group in (("opcodes", OPCODES), ("modifiers", MODIFIERS), ("listing", LISTING)):
                if works(base + optional + group, name):
                    optional = optional + group
                else:
                    self.say("ncu cannot count, too:", " ".join(group))
        said = open(self.work + "/raw/probe.all", errors="replace").read()
        passes = re.findall(r"(\d+) pass", said)
        self.say("metrics:", len(base), "and", " ".join(optional), "; passes of the first probe:", " ".join(passes))
        self.metrics = {kind: base + optional + ([] if kind in ("ones", "fast", "trips") else more) for kind in KINDS}
        self.metrics["ways"] = base[:1] + optional

    def command(self, metrics):
        return ["ncu", "--clock-control", "none", "--cache-control", "none", "--metrics", ",".join(metrics)]

    def build(self, task):
        program = "%s/%s" % (self.work, task.program)
        log = "%s/raw/%s.build" % (self.work, task.program)
        rc = self.call(NVCC + task.flags + task.sources + ["-o", program], log, 200, task.folder)
        if rc:
            self.say("build failed:", task.key, open(log, errors="replace").read()[-300:])
        return rc

    def profile(self, task):
        """Whether the program was profiled; its report is read later, beside the next program."""
        base = "%s/reports/%s" % (self.work, task.program)
        said = "%s/raw/%s.out" % (self.work, task.program)
        messages = "%s/raw/%s.ncu" % (self.work, task.program)
        begin = time.time()
        stop = ["--kill", "yes"] if "-c" in task.filters and task.kind in ("public", "spills") else []
        rc = self.call(self.command(self.metrics[task.kind]) + ["--log-file", messages, "-f", "-o", base] + stop + task.filters +
                       ["%s/%s" % (self.work, task.program)] + task.args, said, min(300, self.left() - RESERVE), task.folder)
        done = os.path.exists(base + ".ncu-rep")
        text = open(said, errors="replace").read()
        verdict = "PASSED" if "\nPASSED" in "\n" + text else "FAILED" if "FAILED" in text else "-"
        self.say(task.key, "status", rc, verdict, "%d launches" % len(launch_names(text)), "%.1f s" % (time.time() - begin),
                 "" if done else "NO REPORT")
        return done

    def read(self, task):
        base = "%s/reports/%s.ncu-rep" % (self.work, task.program)
        page = "%s/%s.csv" % (self.work, task.program)
        for instanced in (["--print-metric-instances", "details"], ["--print-metric-instances", "values"], []):
            self.call(["ncu", "--import", base, "--csv", "--page", "raw", "--print-units", "base"] + instanced, page, 120)
            text = open(page, errors="replace").read()
            if table_of(text):
                break
        keep("%s/raw/%s.csv.xz" % (self.work, task.program), text.encode())
        keep(base + ".xz", open(base, "rb").read())
        rows = table_of(text)
        names = launch_names(open("%s/raw/%s.out" % (self.work, task.program), errors="replace").read())
        if len(names) != len(rows):
            names = [""] * len(rows)
        with self.lock:
            try:
                actions = read_report(self.module, base) if self.module else []
            except Exception as e:
                self.say("ncu_report:", task.key, repr(e))
                actions = []
            if len(actions) != len(rows):
                actions = [None] * len(rows)
            self.write_listing(task, [a for a in actions if a], names)
            for k, (row, name, action) in enumerate(zip(rows, names, actions)):
                head = [task.kind, task.name, str(k), name, re.sub(r"^void ", "", row.get("Kernel Name", ""))]
                metrics = [m for m in self.metrics[task.kind] if m not in LISTING]
                self.columns += [m for m in metrics if m not in self.columns]
                size = [row.get(c, "").replace(" ", "") for c in ("Grid Size", "Block Size")]
                self.rows.append((head, size, {m: number(row.get(m)) for m in metrics}))
                for m in OPCODES + MODIFIERS:
                    pairs = action[1].get(m, []) if action else instances(row.get(m) or "")
                    if pairs:
                        self.opcode_rows.append(head + [m, " ".join("%s=%s" % p for p in sorted(pairs))])
        if not rows:
            self.say(task.key, "has no rows;", len(text), "bytes printed")

    def write_listing(self, task, actions, names):
        out, seen = [], {}
        for k, (kernel, _, listing) in enumerate(actions):
            code = tuple(text for _, text, _, _ in listing)
            if code not in seen:
                seen[code] = len(seen)
                out.append("CODE %d %s" % (seen[code], kernel))
                out += ["%x %s" % (pc - listing[0][0], text) for pc, text, _, _ in listing]
            out.append("LAUNCH %d CODE %d %s" % (k, seen[code], names[k]))
            out.append(" ".join("%d/%d" % (n, t) for _, _, n, t in listing))
        if out:
            keep("%s/listing/%s.txt.xz" % (self.work, task.program), ("\n".join(out) + "\n").encode())

    def disassemble(self, task):
        path = "%s/%s.sass" % (self.work, task.program)
        if shutil.which("cuobjdump") and not self.call(["cuobjdump", "-sass", "%s/%s" % (self.work, task.program)], path, 60):
            text = re.sub(r"(?m)^\s+/\* 0x[0-9a-f]{16} \*/\n|\s+/\* 0x[0-9a-f]{16} \*/", "", open(path, errors="replace").read())
            keep("%s/listing/%s.sass.xz" % (self.work, task.program), text.encode())

    def write(self):
        order = lambda head: (KINDS.index(head[0]), head[1], int(head[2]))
        with open(self.out + "/launches.tsv", "w") as f:
            f.write("\t".join(["kind", "program", "launch", "args", "kernel", "grid", "block"] + self.columns) + "\n")
            for head, size, values in sorted(self.rows, key=lambda r: order(r[0])):
                f.write("\t".join(head + size + [values.get(c, "") for c in self.columns]) + "\n")
        with open(self.out + "/opcodes.tsv", "w") as f:
            f.write("\t".join(["kind", "program", "launch", "args", "kernel", "metric", "counts"]) + "\n")
            f.writelines("\t".join(row) + "\n" for row in sorted(self.opcode_rows, key=order))
        for path in glob.glob(self.work + "/raw/*"):
            if not path.endswith(".xz"):
                keep(path + ".xz", open(path, "rb").read())
                os.remove(path)
        for name, limit in (("listing", 6 << 20), ("raw", 6 << 20), ("reports", 11 << 20)):
            size = 0
            with tarfile.open("%s/%s.tar" % (self.out, name), "w") as tar:
                for path in sorted(glob.glob("%s/%s/*.xz" % (self.work, name)), key=os.path.getsize):
                    if size + os.path.getsize(path) < limit:
                        tar.add(path, os.path.basename(path))
                        size += os.path.getsize(path) + 1024
                    else:
                        self.say("left out of %s.tar:" % name, os.path.basename(path), os.path.getsize(path))
        self.say("wrote", len(self.rows), "launches,", len(self.opcode_rows), "rows of opcodes")


def main():
    ap = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    ap.add_argument("out")
    ap.add_argument("--only", default=",".join(KINDS))
    ap.add_argument("--budget", type=float, default=540)
    ap.add_argument("--public", default=TRUTH + "/public/sources")
    args = ap.parse_args()
    only = args.only.split(",")
    todo = [t for t in tasks(os.path.abspath(args.public)) if t.kind in only or t.key in only]
    c = Collection(args)
    if "pipes" in only:
        c.pipes()
    if not todo:
        return c.write()
    builders, readers = ThreadPoolExecutor(len(os.sched_getaffinity(0))), ThreadPoolExecutor(6)
    probe = Task("ones", "warps", HERE, ["ones.cu"], ["-DPART=8"])
    probe.program = "probe"
    ready = builders.submit(c.build, probe)
    built = [(task, builders.submit(c.build, task)) for task in todo]
    left, reading = [], []
    if ready.result() == 0:
        c.choose_metrics(c.work + "/probe")
    else:
        left, built = [t.key for t in todo], []
    for task, b in built:
        if c.left() < RESERVE + 15:
            left.append(task.key)
        elif b.result() == 0:
            if c.profile(task):
                reading.append(readers.submit(c.read, task))
            else:
                left.append(task.key)
            builders.submit(c.disassemble, task)
    builders.shutdown(wait=True, cancel_futures=True)
    for r in reading:
        try:
            r.result()
        except Exception as e:
            c.say("reading:", repr(e))
    c.write()
    for kind in KINDS:  # a kind of which nothing was done is named once
        mine = [t.key for t in todo if t.kind == kind]
        if mine and all(k in left for k in mine) and kind in only:
            left = [k for k in left if k not in mine] + [kind]
    shutil.rmtree(c.work)
    c.say("left: --only " + ",".join(left) if left else "all done")


if __name__ == "__main__":
    main()
