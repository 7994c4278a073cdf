"""What --cache-control does: with `all`, the default, each launch finds empty caches; with `none` L2 has what launches and copies before have left.
Figures are the same for any number of host threads, and `heddle run --timed` has warm caches.

usage: warm.py HEDDLE"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "warm.cu")
METRICS = ["dram__bytes_read.sum", "lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum", "sm__cycles_elapsed.max"]
CHASE = 4096  # lines of the chase, of which each launch reads a sector


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, HEDDLE_DEVICE="h200", HEDDLE_QUIET="1", **more))
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def profile(heddle, *flags, **more):
    """[{metric: value} of each chase], and what the results say of L2."""
    with tempfile.TemporaryDirectory() as folder:
        log, kept = os.path.join(folder, "log"), os.path.join(folder, "kept")
        run(heddle, "profile", *flags, "--csv", "--page", "raw", "--metrics", ",".join(METRICS), "--log-file", log, "-o", kept, PROGRAM, "print", **more)
        table = list(csv.DictReader(line for line in open(log) if line.startswith('"')))[1:]
        facts = [json.loads(line)["cache_control"] for line in open(kept) if line.startswith("{")]
    return [{m: float(row[m].replace(",", "")) for m in METRICS} for row in table if row["Kernel Name"].startswith("chase")], facts


def main():
    heddle = sys.argv[1]
    read, hit = METRICS[0], METRICS[2]
    cold, facts = profile(heddle)
    assert set(facts) == {"all"}, facts
    assert profile(heddle, "--cache-control", "all") == (cold, facts)
    assert all(launch == cold[0] for launch in cold), cold
    assert cold[0][read] >= CHASE * 64, cold[0]
    warm, facts = profile(heddle, "--cache-control", "none")
    assert set(facts) == {"none"}, facts
    # a launch that read 128 MiB before it leaves nothing of the chase's lines; what the chase has read, or the host copied then, is there
    assert [launch[read] >= CHASE * 64 for launch in warm] == [True, False, False, True], warm
    # half of the lines that were copied are in the other half of L2, which counts as a miss of the near one
    assert [round(launch[hit] / CHASE, 2) for launch in warm] == [0, 1, 0.5, 0], warm
    assert profile(heddle, "--cache-control", "none", HEDDLE_THREADS="3") == (warm, facts)
    report = run(heddle, "profile", "--cache-control", "none", "--section", "MemoryWorkloadAnalysis", "--log-file", "/dev/stdout", PROGRAM, "print")
    assert report.count("caches not flushed") == 6, report
    print(run(heddle, "run", "--timed", PROGRAM))
    assert run(heddle, "run", "--timed", PROGRAM, "print") == run(heddle, "run", "--timed", PROGRAM, "print", HEDDLE_THREADS="3")


if __name__ == "__main__":
    main()
