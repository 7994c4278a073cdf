#!/usr/bin/env python3
"""Kernels in CUDA under Heddle beside the same jobs in C with OpenMP: one interleaved run, one table.

usage: kernels.py HEDDLE [--rounds 5] [--times 2] [--threads 2] [--only NAME,...] [--plain] [--interp] [--cc gcc] [--programs DIR] [--check] [--list]
                          [--further [--open]]
       kernels.py HEDDLE --make DIR [--further [--open]]
       kernels.py HEDDLE --draw

For each kernel of bench/kernels/, medians over rounds in which all programs take turns:
  native, plain     milliseconds a launch: CPU time with one thread
  plain / native    of CPU time with one thread, of wall time with as many as --threads says
  Minst/s           million warp instructions a second and core, plain
  with caches       warp instructions a second when the launch counts and models the caches; then nanoseconds of it all for each
                    access of a warp, and for each sector of global and local memory (goals: 25 an access where these are
                    coalesced, as saxpy's; 20 a sector where they are not, as SpMV's)
  counters, records the same launch when it counts (HEDDLE_RESULTS, HEDDLE_CACHES=0), and when a program is told every access
                    (heddle_observe; always one thread), divided by plain
  ns an access      what that costs for each memory access of a warp: plain time, what counters add, what records add
  first / full      plain time of the smaller job in the first tier of machine code (HEDDLE_EXEC=jit-first), divided by that in
                    the full one, which all other columns are of
  compile           CPU milliseconds of all the program's kernels, in the first tier and in the full one: the form for whole
                    warps, and the one for warps whose lanes went different ways where it can be wanted; their PTX
                    instructions (HEDDLE_JIT_LOG). LLVM is loaded before; the process has compiled nothing else
Counts and records, and Minst/s, are of a smaller job (the second size). HEDDLE_EXEC=jit, so that what cannot be compiled
fails instead of being measured in the interpreter; data is made, code compiled and one launch done before the clock starts.
The first round also compares every number of the results with the native program's.

--interp        two more columns: Minst/s of the interpreter, plain and counting (of the smaller job)
--plain         only the first columns: native, plain and what they are of each other
--only          these kernels; --list prints their names
--further       instead of bench/kernels/ the newest five kernels of bench/further/, of the hundred of bench/further.tsv
--open          with --further: the five drawn before these, which are open (they have been tuned on)
--draw          prints all ten with the hashes that drew them: of each row SHA-256 of the list's own SHA-256 (in hexadecimal
                digits) and the row's name, one behind the other; the ten lowest, of which the first five are open
--make          only builds the device programs into DIR, for --programs on a machine without clang (HEDDLE is not used then)
--check         nothing is timed: results of the smaller jobs in both executors, counting and not, against native code, and
                counts of every instruction of one against the other's
--rounds, --times  rounds, and timed launches in each: less of either is faster and noisier
Native code is built by CC -O3 -march=native -ffast-math -fopenmp; device code by heddle build. PoCL runs the tiled multiply
too if OpenCL can be compiled for. Nothing here is asserted but that results are equal: machines are shared and noisy.
"""
import argparse, datetime, hashlib, json, math, os, statistics, subprocess, sys, tempfile, time

BENCH = os.path.dirname(os.path.abspath(__file__))
# name, program, variant, size, smaller size, whether it is one of the ten that the geometric mean is of
KERNELS = [
    ("saxpy", "saxpy", "-", 1 << 24, 1 << 21, True),
    ("naive multiply 32x8", "multiply", "naive", 1024, 256, True),
    ("tiled multiply 16x16", "multiply", "16", 1024, 256, True),
    ("tiled multiply 32x32", "multiply", "32", 1024, 256, True),
    ("transpose", "transpose", "-", 4096, 1024, True),
    ("reduction, shuffle", "reduction", "shuffle", 1 << 24, 1 << 20, True),
    ("reduction, tree", "reduction", "tree", 1 << 24, 1 << 20, True),
    ("histogram", "histogram", "-", 1 << 24, 1 << 21, True),
    ("SpMV, thread a row", "spmv", "thread", 1 << 17, 1 << 14, True),
    ("SpMV, warp a row", "spmv", "warp", 1 << 17, 1 << 14, True),
    ("convolution 7x7", "convolution", "-", 2048, 512, False),
    ("stencil, 7 points", "stencil", "-", 256, 96, False),
    ("scan", "scan", "-", 1 << 24, 1 << 20, False),
    ("n-body", "nbody", "-", 8192, 2048, False),
    ("Black-Scholes", "black_scholes", "-", 1 << 22, 1 << 18, False),
]
DRAWN, OPEN = 10, 5  # kernels of bench/further.tsv that are drawn; the first of them that are open
ONE, MANY = "plain / native, 1 thread", "{} threads" # columns
SAME = 1e-5  # the largest difference over the largest number; counts must be equal (their programs print 0)
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--rounds", type=int, default=5)
ap.add_argument("--times", type=int, default=2)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--plain", action="store_true")
ap.add_argument("--only", default="")
ap.add_argument("--interp", action="store_true")
ap.add_argument("--cc", default="gcc")
ap.add_argument("--programs")
ap.add_argument("--make")
ap.add_argument("--check", action="store_true")
ap.add_argument("--list", action="store_true")
ap.add_argument("--further", action="store_true")
ap.add_argument("--open", action="store_true")
ap.add_argument("--draw", action="store_true")
a = ap.parse_args()
if a.open and not a.further:
    ap.error("--open goes with --further")
MANY = MANY.format(a.threads)


def draw():
    """The rows of bench/further.tsv that are drawn, as (hash, row)."""
    text = open(f"{BENCH}/further.tsv", "rb").read()
    rows = [line.split("\t") for line in text.decode().splitlines()[1:]]
    mark = hashlib.sha256(text).hexdigest()
    return sorted((hashlib.sha256((mark + r[0]).encode()).hexdigest(), r) for r in rows)[:DRAWN]


if a.draw:
    print("\n".join(f"{h}  {'open' if i < OPEN else 'new '}  {r[0]} ({r[1]}): {r[4]}" for i, (h, r) in enumerate(draw())))
    sys.exit(0)
HERE = f"{BENCH}/{'further' if a.further else 'kernels'}"
if a.further:
    KERNELS = [(r[0].replace("_", " "), r[0], "-", int(r[2]), int(r[3]), False) for _, r in (draw()[:OPEN] if a.open else draw()[OPEN:])]
if a.list:
    print("\n".join(k[0] for k in KERNELS))
    sys.exit(0)
heddle = os.path.abspath(a.heddle)
wanted = a.only.split(",") if a.only else [k[0] for k in KERNELS]
# "tiled" means both tiles; commas in a kernel's own name need not be written
chosen = [k for k in KERNELS if any(w.strip().replace(",", "") in k[0].replace(",", "") for w in wanted)] if a.only else KERNELS
if not chosen:
    sys.exit(f"no kernel is called '{a.only}'; --list prints their names")


def note(text):
    print(text, file=sys.stderr, flush=True)


def build_device(folder):
    for program in sorted({k[1] for k in chosen}):
        subprocess.run([heddle, "build", "-o", f"{folder}/{program}.cuda", f"{HERE}/{program}.cu"], check=True)


def build(tmp):
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]
    if not a.programs:
        build_device(tmp)
    for program in sorted({k[1] for k in chosen}):
        if a.programs:
            os.symlink(os.path.abspath(f"{a.programs}/{program}.cuda"), f"{tmp}/{program}.cuda")
        subprocess.run([a.cc, *flags, "-o", f"{tmp}/{program}.native", f"{HERE}/{program}.c", "-lm"], check=True)
    if a.check or not any(k[2] == "16" for k in chosen):
        return False
    made = subprocess.run([a.cc, "-O2", "-o", f"{tmp}/opencl", f"{HERE}/multiply_opencl.c", "-lOpenCL"],
                          stderr=subprocess.DEVNULL).returncode == 0
    if not made:
        note("no OpenCL here (Debian: pocl-opencl-icd, ocl-icd-opencl-dev): PoCL is left out")
    return made


def run(words, threads, **env):
    """The lines that a program prints, as lists of words; what it says on stderr if it fails."""
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "HEDDLE_THREADS": str(threads), "HEDDLE_EXEC": "jit",
           "HEDDLE_JIT_CACHE": "0", "POCL_MAX_PTHREAD_COUNT": str(threads), **env}
    p = subprocess.run(words, capture_output=True, text=True, env=env)
    if p.returncode:
        sys.exit(f"{' '.join(words)}: exit status {p.returncode}\n{p.stderr}")
    return [line.split() for line in p.stdout.splitlines()], p.stderr


def totals(path):
    """Counters of the file's launches together, and how many launches these are."""
    total, launches = {}, 0
    for line in open(path):
        launches += 1
        for key, value in json.loads(line)["total"].items():
            total[key] = total.get(key, 0) + value
    return total, launches


def accesses(total):
    """Memory accesses of warps, as instructions where a request is not one."""
    names = ["GLOBAL_LD_REQUESTS", "GLOBAL_ST_REQUESTS", "GLOBAL_ATOM_REQUESTS", "GLOBAL_RED_REQUESTS", "LOCAL_LD_INST",
             "LOCAL_ST_INST", "SHARED_LD_REQUESTS", "SHARED_ST_REQUESTS", "SHARED_ATOM_REQUESTS", "CONST_REQUESTS"]
    return sum(total.get(n, 0) for n in names)


def sectors(total):
    return sum(n for name, n in total.items() if name.startswith(("GLOBAL_", "LOCAL_")) and name.endswith("_SECTORS") and "LDGSTS" not in name)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Bench:
    def __init__(self, tmp):
        self.tmp, self.opencl, self.seconds, self.counted, self.compiled = tmp, build(tmp), {}, {}, {}
        self.opencl_name, self.wrong = "", []

    def add(self, key, lines):
        self.seconds.setdefault(key, []).extend((float(w[0]), float(w[1])) for w in lines if w[0] != "differs")

    def median(self, name, what, wall=False):
        return statistics.median(s[wall] for s in self.seconds[name, what])

    def compare(self, name, size, lines):
        worst = next(float(w[1]) for w in lines if w[0] == "differs")
        if not 0 <= worst <= SAME:
            self.wrong.append(f"{name}, {size}: results differ by {worst:g}")

    def full(self, kernel, first):
        name, program, variant, size = kernel[:4]
        file, log = f"{self.tmp}/result", f"{self.tmp}/log"
        words = [variant, str(size), str(a.times)]
        for threads in (1, a.threads):
            open(log, "w").close()
            lines, _ = run([f"{self.tmp}/{program}.cuda", *words] + [file] * first, threads, HEDDLE_JIT_LOG=log)
            self.add((name, f"plain{threads}"), lines)
            self.note_compiled(name, log)
            lines, _ = run([f"{self.tmp}/{program}.native", *words] + [file] * first, threads)
            self.add((name, f"native{threads}"), lines)
            if first:
                self.compare(name, f"{threads} threads", lines)
            if variant == "16" and self.opencl:
                words_cl = [f"{self.tmp}/opencl", f"{HERE}/tiled.cl", str(size), str(a.times)]
                lines, said = run(words_cl + [file] * first, threads)
                self.add((name, f"opencl{threads}"), lines)
                self.opencl_name = said.strip()
                if first:
                    self.compare(name + ", PoCL", f"{threads} threads", lines)
        if first:
            os.remove(file)

    def note_compiled(self, name, log):
        made = [json.loads(line) for line in open(log)]
        forms = [[m for m in made if m["form"] == form] for form in ("together", "split")]
        self.compiled.setdefault((name, made[0]["tier"]), []).append([sum(m["cpu_ms"] for m in f) for f in forms] +
                                                                     [sum(m["instructions"] for m in forms[0])])

    def small(self, kernel):
        name, program, variant, _, size = kernel[:5]
        results, log = f"{self.tmp}/results", f"{self.tmp}/log"
        words = [f"{self.tmp}/{program}.cuda", variant, str(size), str(a.times)]
        modes = {"small": {}, "first": {"HEDDLE_EXEC": "jit-first", "HEDDLE_JIT_LOG": log}, "counters": {"HEDDLE_RESULTS": results, "HEDDLE_CACHES": "0"},
                 "caches": {"HEDDLE_RESULTS": results}, "records": {"BENCH_OBSERVE": "1"}}
        if a.interp:
            modes["interp"] = {"HEDDLE_EXEC": "interp"}
            modes["interp counters"] = {"HEDDLE_EXEC": "interp", "HEDDLE_RESULTS": results, "HEDDLE_CACHES": "0"}
        for mode, env in modes.items():
            open(results, "w").close()
            open(log, "w").close()
            self.add((name, mode), run(words, 1, **env)[0])
            if mode == "first":
                self.note_compiled(name, log)
            if mode == "counters":
                total, _ = totals(results)
                self.counted[name] = [n / (a.times + 1) for n in (total["INST"], accesses(total), sectors(total))]

    def run(self):
        for i in range(a.rounds):
            began = time.time()
            for kernel in chosen:
                self.full(kernel, i == 0)
                if not a.plain:
                    self.small(kernel)
            note(f"round {i + 1} of {a.rounds}: {time.time() - began:.0f} s")

    def check(self):
        file, results = f"{self.tmp}/result", f"{self.tmp}/results"
        counting = {"HEDDLE_RESULTS": results, "HEDDLE_CACHES": "0"}
        modes = [{}, {"HEDDLE_EXEC": "jit-first"}, counting, {"HEDDLE_EXEC": "interp", **counting}, {"HEDDLE_RESULTS": results}]
        for name, program, variant, _, size, _ in chosen:
            open(results, "w").close()
            for env in modes:
                run([f"{self.tmp}/{program}.cuda", variant, str(size), "0", file], 2, **env)
                lines, _ = run([f"{self.tmp}/{program}.native", variant, str(size), "0", file], 2)
                self.compare(name, " ".join(f"{k}={v}" for k, v in env.items()) or "HEDDLE_EXEC=jit", lines)
            self.compare_counts(name, results)

    def compare_counts(self, name, path):
        """Those of machine code and of the interpreter, in the file one behind the other, of each launch and each instruction."""
        counts = [(r["total"], r["sites"]) for r in map(json.loads, open(path))]
        each = len(counts) // 3 # launches; the last third models caches
        if not each or counts[:each] != counts[each:2 * each]:
            sys.exit(f"{name}: the interpreter counts otherwise than machine code")

    def row(self, name):
        plain, native = (self.median(name, m) for m in ("plain1", "native1"))
        both = self.median(name, f"plain{a.threads}", True) / self.median(name, f"native{a.threads}", True)
        r = {"native, ms": f"{native * 1e3:.1f}", "plain, ms": f"{plain * 1e3:.1f}", ONE: f"{plain / native:.2f}", MANY: f"{both:.2f}"}
        return r if a.plain else {**r, **self.row_of_small(name)}

    def row_of_small(self, name):
        small = self.median(name, "small")
        inst, access, sector = self.counted[name]
        added = {m: self.median(name, m) - small for m in ("counters", "records")}
        compiled = {tier: [statistics.median(c[i] for c in self.compiled[name, tier]) for i in range(3)] for tier in ("first", "full")}
        r = {"Minst/s": f"{inst / small / 1e6:.0f}", "counters / plain": f"{1 + added['counters'] / small:.2f}",
             "with caches, Minst/s": f"{inst / self.median(name, 'caches') / 1e6:.1f}",
             "ns an access, a sector": "{:.0f}, {:.0f}".format(*(1e9 * self.median(name, "caches") / max(n, 1) for n in (access, sector))),
             "records / plain": f"{1 + added['records'] / small:.2f}", "ns an access: plain": f"{small / access * 1e9:.1f}",
             "counters add": f"{added['counters'] / access * 1e9:.1f}", "records add": f"{added['records'] / access * 1e9:.1f}",
             "first tier / full": f"{self.median(name, 'first') / small:.2f}",
             "compile first, ms": "{:.0f} + {:.0f}".format(*compiled["first"]),
             "compile full, ms (instructions)": "{:.0f} + {:.0f} ({:.0f})".format(*compiled["full"])}
        if a.interp:
            r["interpreter, Minst/s"] = f"{inst / self.median(name, 'interp') / 1e6:.0f}"
            r["its counting"] = f"{inst / self.median(name, 'interp counters') / 1e6:.0f}"
        return r

    def table(self):
        rows = {k[0]: self.row(k[0]) for k in chosen}
        ratios = [ONE, MANY] + ([] if a.plain else ["counters / plain", "records / plain", "first tier / full"])
        whole = len(chosen) == len(KERNELS)
        for title, names in (("geometric mean of the ten", [k[0] for k in chosen if k[5] and whole]),
                             ("of all" if whole else "geometric mean", [k[0] for k in chosen])):
            if len(names) > 1:
                rows[title] = {c: f"{mean([max(float(rows[n][c]), 0.01) for n in names]):.2f}" for c in ratios}
        columns = list(next(iter(rows.values())))
        print("| kernel | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
        for name, r in rows.items():
            print(f"| {name} | " + " | ".join(r.get(c, "") for c in columns) + " |")
        if self.opencl:
            name = next(k[0] for k in chosen if k[2] == "16")
            for t, clock in ((1, "CPU time of one thread"), (a.threads, f"wall time of {a.threads}")):
                cl, plain = self.median(name, f"opencl{t}", t > 1), self.median(name, f"plain{t}", t > 1)
                print(f"\n{name}, {self.opencl_name}, {clock}: {cl * 1e3:.0f} ms; Heddle is {cl / plain:.1f} times as fast.")


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{datetime.date.today()}, {model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start"


if a.make:
    os.makedirs(a.make, exist_ok=True)
    build_device(a.make)
    sys.exit(0)
with tempfile.TemporaryDirectory() as tmp:
    begun, bench = machine(), Bench(tmp)
    if a.check:
        bench.check()
        print(f"{len(chosen)} kernels: {len(bench.wrong)} differ")
    else:
        bench.run()
        print(f"{begun}; medians of {a.rounds} rounds of {a.times} launches\n")
        bench.table()
    for wrong in bench.wrong:
        print(wrong)
    sys.exit(1 if bench.wrong else 0)
