#!/usr/bin/env python3
"""What profiling one exact metric costs beside a plain run: CPU time of the whole command, medians of interleaved rounds.

usage: metric.py HEDDLE [--rounds 5] [--whole]
For programs of bench/kernels/, each with a metric that somebody would ask of it: the program alone, `heddle profile` of it with
that metric, and what is allowed: 1.5 times the plain run and 0.2 s. "yes": the median is within that. One round before is not
counted: it leaves machine code in a cache of its own. --whole: one more column, the same with all metrics that are exact; and of a
smaller job plain, that metric, and a whole profile, caches and DRAM with it. Nothing here is asserted: machines are shared and
noisy.
"""
import argparse, os, resource, statistics, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# program, variant, size, launches, metric, size of the smaller job
PROGRAMS = [
    ("saxpy", "-", 1 << 23, 60, "gld_efficiency", 1 << 20),
    ("multiply", "naive", 1024, 20, "gld_transactions_per_request", 256),
    ("multiply", "16", 1024, 10, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 256),
    ("multiply", "32", 1024, 12, "smsp__inst_executed.sum", 256),
    ("transpose", "-", 4096, 12, "gst_transactions", 1024),
    ("reduction", "shuffle", 1 << 24, 30, "branch_efficiency", 1 << 20),
    ("reduction", "tree", 1 << 23, 30, "shared_load_transactions_per_request", 1 << 20),
    ("histogram", "-", 1 << 23, 60, "atomic_transactions", 1 << 20),
    ("spmv", "thread", 1 << 17, 40, "gld_efficiency", 1 << 14),
    ("spmv", "warp", 1 << 17, 40, "gld_efficiency", 1 << 14),
    ("convolution", "-", 2048, 30, "gld_efficiency", 512),
    ("stencil", "-", 256, 10, "gld_transactions", 96),
    ("scan", "-", 1 << 23, 12, "l1_shared_bank_conflict", 1 << 20),
]
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--rounds", type=int, default=5)
ap.add_argument("--whole", action="store_true")
a = ap.parse_args()
heddle = os.path.abspath(a.heddle)


def cpu(words, **env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env={**os.environ, **env})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


with tempfile.TemporaryDirectory() as tmp:
    os.environ["HEDDLE_CACHE"] = f"{tmp}/cache"
    commands = {}
    for program, variant, size, launches, metric, small in PROGRAMS:
        if not os.path.exists(f"{tmp}/{program}"):
            subprocess.run([heddle, "build", "-o", f"{tmp}/{program}", f"{HERE}/kernels/{program}.cu"], check=True)
        job, little = [f"{tmp}/{program}", variant, str(size), str(launches)], [f"{tmp}/{program}", variant, str(small), "2"]
        name = f"{program} {variant}".replace(" -", "")
        commands[name, "plain"] = (job, {})
        commands[name, "one"] = ([heddle, "profile", "--metrics", metric, *job], {})
        if a.whole:
            commands[name, "exact"] = ([heddle, "profile", *job], {"HEDDLE_CACHES": "0"})
            commands[name, "small plain"] = (little, {})
            commands[name, "small one"] = ([heddle, "profile", "--metrics", metric, *little], {})
            commands[name, "small whole"] = ([heddle, "profile", *little], {})
    times = {key: [] for key in commands}
    for i in range(a.rounds + 1):
        for key, (words, env) in commands.items():
            seconds = cpu(words, **env)
            if i:
                times[key].append(seconds)
    median = {key: statistics.median(v) for key, v in times.items()}
    more = ["all exact, s", "small: plain, s", "one metric, s", "whole, s"] if a.whole else []
    print("| program | metric | plain, s | one metric, s | ratio | allowed, s | within |" + "".join(f" {m} |" for m in more))
    print("|---" * (7 + len(more)) + "|")
    for program, variant, size, launches, metric, small in PROGRAMS:
        name = f"{program} {variant}".replace(" -", "")
        plain, one = median[name, "plain"], median[name, "one"]
        row = [name, f"`{metric}`", f"{plain:.2f}", f"{one:.2f}", f"{one / plain:.2f}", f"{1.5 * plain + 0.2:.2f}", "yes" if one <= 1.5 * plain + 0.2 else "no"]
        row += [f"{median[name, k]:.2f}" for k in ("exact", "small plain", "small one", "small whole")] if a.whole else []
        print("| " + " | ".join(row) + " |")
