#!/usr/bin/env python3
"""What every command does where it cannot write: it ends non-zero with a sentence, and leaves nothing in TMPDIR.

usage: full.py HEDDLE [WORD]          HEDDLE: the program `heddle`; WORD: only the cases that have it in their name

A row of the table is a command and where its output goes. /dev/full takes its stdout or stderr, or what a flag names. For
files that must not be devices, for TMPDIR and for the cache there is a file system of 16 KiB that is full: this script
mounts it in a namespace of its own, and says so where that is not possible. `ulimit -f` limits a file's size, `ulimit -v`
the address space: both leave a smaller device."""
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
CU = os.path.join(ROOT, "examples", "vector_add.cu")
OTHER = os.path.join(ROOT, "examples", "blur.cu")  # never built before
LIMIT = 120  # s
FULL = r"No space left on device"
STDOUT = r"^heddle: error: cannot write all of the output to stdout"
NEVER = re.compile(r"Stack dump|PLEASE submit|#\d+ 0x|Sanitizer|Aborted|terminate called")

# name, words, stdout, stderr ("full": /dev/full), the sentence on stderr. {cu}: the example; {dev}: /dev/full.
TO_STDOUT = """
--version | help | build --help | build --version | run --help | profile --help | compare --help | check --help
occupancy --help | devices --help | ptx --help | ir --help | target --help | llvm --help | asm --help | env --help
profile --list-sections | profile --query-metrics | devices | devices h200 | devices --json | devices --json h200
devices --compare h200 a100 | devices --compare h200 a100 --json | env | occupancy --block 128 --registers 32 --shared 0
occupancy --json --block 128 --registers 32 --shared 0 | occupancy {cu} | ptx {cu} | ir {cu} | target {cu} | llvm {cu} | asm {cu}
compare {cu} --device h200,a100 | compare {cu} --device h200,a100 --csv | compare {cu} --device h200,a100 --json
env ncu {cu} | env ncu --csv --page raw {cu} | env compute-sanitizer {cu} | env nvcc --version | env nvcc --help
env ncu --version | env nvprof --help | env compute-sanitizer --help | env nvcc --list-gpu-arch
"""
TO_STDERR = ["profile {cu}", "profile --csv --page raw {cu}", "check {cu}"]
TO_FILE = [
    ("profile -f -o {dev} {cu}", "cannot write the report '/dev/full': " + FULL + r"\n.*results of the run are kept in '.*heddle-results"),
    ("profile --log-file {dev} {cu}", "cannot write the report to '/dev/full': " + FULL),
    ("profile --roofline {dev} {cu}", "cannot write the report to '/dev/full': " + FULL),
    ("check --log-file {dev} {cu}", "cannot write the report to '/dev/full': " + FULL),
    ("check --json {dev} {bug}", "cannot write '/dev/full'"),
    ("check --sarif {dev} {cu}", "cannot write '/dev/full'"),
    ("check --save {dev} {cu}", "cannot write '/dev/full'"),
    ("occupancy --block 128 --registers 32 --shared 0 --svg {dev}", "cannot write .*/dev/full"),
]
CLANG = r"it cannot write its output: " + FULL
ON_FULL_DISK = [  # what is on the full disk: the current folder, TMPDIR or the cache
    ("folder", "build {other} -o x", FULL),
    ("folder", "build -c {other}", CLANG),
    ("folder", "build -ptx {other}", CLANG),
    ("folder", "build -E {other} -o x", CLANG),
    ("folder", "profile -o report {cu}", "cannot write the report 'report': " + FULL),
    ("folder", "check --sarif report {cu}", "cannot write 'report'"),
    ("TMPDIR", "build {other} -o {out}/x", FULL),
    ("TMPDIR", "build -c {other} -o {out}/x.o", FULL),
    ("TMPDIR", "run {other}", FULL),
    ("TMPDIR", "profile {cu}", r"cannot write results to '.*': " + FULL),
    ("TMPDIR", "check {bug}", r"cannot write findings to '.*': " + FULL),
    ("TMPDIR", "ptx {other}", FULL),
    ("TMPDIR", "compare {cu} --device h200,a100", r"cannot write results to '.*': " + FULL),
    ("cache", "run {other}", "."),
    ("cache", "profile {other}", "."),
    ("cache", "check {other}", "."),
]


class Place:
    """The folders of one case."""

    def __init__(self, folder):
        self.folder = folder
        self.disk = os.path.join(folder, "full")
        self.cache = os.path.join(folder, "cache")
        self.tmp = os.path.join(folder, "tmp")
        self.out = os.path.join(folder, "out")
        for name in (self.disk, self.tmp, self.out):
            os.makedirs(name, exist_ok=True)
        self.bug = os.path.join(ROOT, "tests", "check", "neighbour.cu")

    def words(self, text):
        return text.format(cu=CU, other=OTHER, dev="/dev/full", out=self.out, bug=self.bug).split()


def run(heddle, place, words, full_out=False, full_err=False, cwd=None, tmp=None, cache=None, limits=()):
    env = dict(os.environ, TMPDIR=tmp or place.tmp, HEDDLE_CACHE=cache or place.cache)
    for name in ("HEDDLE_DEVICE", "HEDDLE_RESULTS", "HEDDLE_EXEC"):
        env.pop(name, None)
    with open("/dev/full", "w") as full:
        p = subprocess.Popen([heddle] + words, env=env, cwd=cwd or place.out, stdin=subprocess.DEVNULL, text=True, errors="replace",
                             stdout=full if full_out else subprocess.DEVNULL, stderr=full if full_err else subprocess.PIPE,
                             preexec_fn=lambda: [resource.setrlimit(*l) for l in limits])
        try:
            err = p.communicate(timeout=LIMIT)[1] or ""
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            return 124, "(took longer than it may)", []
    left = [name for name in os.listdir(tmp or place.tmp) if name != "fill"]
    for name in left:
        subprocess.run(["rm", "-rf", os.path.join(tmp or place.tmp, name)], check=True)
    return p.returncode, err, left


class Table:
    def __init__(self, heddle, place, only):
        self.heddle, self.place, self.only = heddle, place, only
        self.cases = self.bad = 0

    def case(self, name, text, sentence, status=None, keeps=False, **how):
        """Ends non-zero (or with `status`), says the sentence, without a backtrace, and leaves nothing; with `keeps` only what
        it says."""
        if self.only not in name + ": " + text:
            return
        self.cases += 1
        got, err, left = run(self.heddle, self.place, self.place.words(text), **how)
        problem = None
        if got < 0 or got >= 124 or (got == 0 if status is None else got != status):
            problem = f"status {got}"
        elif not how.get("full_err") and not re.search(sentence, err, re.M):
            problem = f"no '{sentence}'"
        elif NEVER.search(err):
            problem = "a backtrace"
        elif [name for name in left if not keeps or f"/{name}'" not in err]:
            problem = f"left in TMPDIR: {' '.join(left)}"
        if problem:
            self.bad += 1
            print(f"{name}: heddle {text}: {problem}\n{err[:3000]}", flush=True)


def fill(disk, left=0):
    """No byte more than `left` can be written; a file of no bytes can be made."""
    with open(os.path.join(disk, "fill"), "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 512):
                pass
        except OSError:
            pass
        f.truncate(f.tell() - left)


def empty(disk):
    subprocess.run(["sh", "-c", 'find "$0" -mindepth 1 -delete', disk], check=True)


def full_disk(table):
    place = table.place
    for where, text, sentence in ON_FULL_DISK:
        empty(place.disk)
        fill(place.disk)
        how = {"folder": {"cwd": place.disk}, "TMPDIR": {"tmp": place.disk}, "cache": {"cache": os.path.join(place.disk, "c")}}[where]
        table.case(f"full {where}", text, sentence, keeps=where == "folder", **how)
    # the disk fills while the program runs: launches whose results were written as a whole are reported, no other is
    empty(place.disk)
    fill(place.disk, left=12288)
    some = r'cannot write results to(.|\n)*Profiling "\w+" - 0(?!(.|\n)*(cut off|Profiling "\w+" - 3))'
    table.case("filling TMPDIR", "profile {cu}", some, tmp=place.disk)


def limits(table):
    smaller = r"limits of this process \(ulimit -v, -f\) leave \d+ MiB of device memory"
    for mib in (4000, 2000):
        table.case(f"ulimit -v {mib} MiB", "run {cu}", smaller, 0, limits=[(resource.RLIMIT_AS, (mib << 20,) * 2)])
    for mib in (1000, 400):
        table.case(f"ulimit -f {mib} MiB", "run {cu}", smaller, 0, limits=[(resource.RLIMIT_FSIZE, (mib << 20,) * 2)])
    table.case("ulimit -f 64 MiB", "run {cu}", "leave no room for device memory", limits=[(resource.RLIMIT_FSIZE, (64 << 20,) * 2)])
    table.case("ulimit -f 12 KiB", "build -c {other}", "File too large", limits=[(resource.RLIMIT_FSIZE, (12 << 10,) * 2)])
    four_kib = [(resource.RLIMIT_FSIZE, (4096,) * 2)]
    table.case("ulimit -f 4 KiB", "devices h200 --json", ".*", 0, limits=four_kib)  # a pipe or /dev/null has no size
    table.case("ulimit -f 4 KiB", "occupancy --block 128 --registers 32 --shared 0 --svg x.svg", "File too large", limits=four_kib)


def main():
    heddle, only = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    if "HEDDLE_FULL_DISK" not in os.environ:  # once more, in a namespace where a disk can be mounted
        enter = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
        try:
            probe = subprocess.run(enter + ["sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode
        except OSError:
            probe = 1
        os.environ["HEDDLE_FULL_DISK"] = "" if probe else "1"
        if not probe:
            os.execvp("unshare", enter + [sys.executable] + sys.argv)
    with tempfile.TemporaryDirectory(prefix="heddle-full-") as folder:
        table = Table(heddle, Place(folder), only)
        place = table.place
        for text in ("run {cu}", "profile {cu}", "check {cu}", "check {bug}", "compare {cu} --device h200,a100"):  # builds them
            run(heddle, place, place.words(text))
        for text in re.split(r" \| |\n", TO_STDOUT.strip()):
            table.case("stdout", text, STDOUT, full_out=True)
        for text in TO_STDERR:
            table.case("stderr", text, "", full_err=True)
        for text, sentence in TO_FILE:
            table.case("file", text, sentence, keeps=True)
        limits(table)
        if os.environ["HEDDLE_FULL_DISK"]:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", place.disk], check=True)
            full_disk(table)
            subprocess.run(["umount", place.disk], check=True)
        else:
            print("no file system can be mounted here: the cases of a full disk are left out")
        print(f"{table.cases} commands that cannot write, {table.bad} not as they should be")
    sys.exit(table.bad > 0 or not table.cases)


if __name__ == "__main__":
    main()
