#!/usr/bin/env python3
"""A second opinion on results: random CUDA programs, what their kernels leave compared with what g++ says.

Each program (program.py) is compiled three times: by g++ and by clang as ordinary C++, without device code, and by `heddle build`,
every fourth program with -G. g++'s answer is the reference; clang's, made without optimisation and with the threads of a block in
the other order, must be the same, or the program is at fault. The device program runs with the interpreter and with machine code
on each level of the host that is there.

usage: opinion.py HEDDLE [--seed N | --of-tree N] [--kernels N] [--programs N] [--levels v2,v3,v4] [--exec interp,jit-first] [--turn jit]
                         [--folder DIR] [--log FILE]
       opinion.py HEDDLE --shrink SEED.NUMBER [--levels v3] [--exec interp] [--steps N]

Without --seed the seed is new in each run; with --of-tree N it is new with each change of the source tree, so that a run of the
tests can be had again. It is printed, and `--seed N` repeats the run: program i has the seed N + i and as many
kernels as --kernels says (100). A program runs in the ways of --exec on every level, and in those of --turn on one level, which
changes from program to program. Ways are interp, jit-first and jit (HEDDLE_EXEC); written, interpreted as its PTX says; verify,
interpreted with the claims of all analyses checked. Programs with -G are interpreted only, unless --all is given (seconds of
compiling a kernel). A kernel that differs is named as SEED.NUMBER. Where a program does not compile or does not run to its end, its
halves are tried, and theirs, down to single kernels: those that fail are named, and the others compared. --shrink leaves out of a
kernel what it can while it still differs, or fails the same way (in the last of --levels, in the first of --exec), and prints the
rest, with --steps after so many tries at the latest. --folder keeps the last program, --log adds a line of JSON for each program, level and way.

Exit status: 0 nothing differs, 1 something does, 2 the two references differ, 77 none of the levels is there.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True # nothing is left beside the sources
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))
import drawn
import program

PLAIN = ["-std=c++17", "-w", "-fno-strict-aliasing", f"-I{HERE}"]
# -frounding-math: without it g++ 12 makes -x of 0.0f - (float)x, x a whole number, and so -0 of 0 - 0
REFERENCES = {"g++": ["g++", "-x", "c++", "-O1", "-ffp-contract=off", "-fno-math-errno", "-frounding-math", *PLAIN],
              "clang": ["clang++-19", "-x", "c++", "-O0", "-ffp-contract=off", "-DDESCENDING", *PLAIN]}
FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "I", "f64": "Q", "f16": "H", "b16": "H"}
LIMIT = 60, 9 # seconds that a program may take, and that many more for each kernel
WAYS = {"interp": {"HEDDLE_EXEC": "interp"}, "written": {"HEDDLE_EXEC": "interp", "HEDDLE_TARGET": "none"},
        "verify": {"HEDDLE_EXEC": "interp", "HEDDLE_VERIFY": "1"}, "jit-first": {"HEDDLE_EXEC": "jit-first"}, "jit": {"HEDDLE_EXEC": "jit"}}
FEWEST = 0.9 # of a program's kernels that can be compiled must have run as machine code, or of all have had claims asked


class Failed(Exception):
    """A program that did not compile or did not run to its end; `how` in short."""

    def __init__(self, how, details=""):
        super().__init__(how + details)
        self.how = how


def command(line, seconds, **environment):
    name = os.path.basename(line[0])
    try:
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", timeout=seconds, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        raise Failed(f"{name}: not over after {seconds} s")
    if done.returncode:
        said = "\n".join(line for line in done.stderr.splitlines() if not line.startswith("{"))
        raise Failed(f"{name}: status {done.returncode}", f"\n{' '.join(line)}\n{said[:3000]}")
    return done.stderr


class InDoubt(Exception):
    """The two references differ."""


class Batch:
    """A program in a folder, and what its kernels left."""

    def __init__(self, kernels, seed, folder, options):
        self.kernels, self.folder, self.compiled = kernels, folder, False
        self.seconds = LIMIT[0] + LIMIT[1] * len(kernels)
        self.source = f"{folder}/opinion.cu"
        self.debug = seed % 4 == 3
        self.build = [options.heddle, "build", "-std=c++17", "-fmad=false", "-w", f"-I{HERE}", *(["-G"] if self.debug else []),
                      *([f"-DPLANTED_{options.plant.upper()}"] if options.plant else [])]
        about = f"{len(kernels)} kernels of seed {seed}, from {kernels[0].name[1:]} on; heddle {' '.join(self.build[1:])}"
        with open(self.source, "w") as f:
            f.write(program.program(kernels, about))

    def left(self, executable, **environment):
        """The bytes that each kernel left, and stderr."""
        path = f"{self.folder}/left"
        said = command([executable, path], self.seconds, **environment)
        with open(path, "rb") as f:
            data = f.read()
        if len(data) != sum(k.extent for k in self.kernels):
            raise Failed(f"{executable}: {len(data)} bytes left")
        parts, at = [], 0
        for k in self.kernels:
            parts.append(data[at:at + k.extent])
            at += k.extent
        return parts, said

    def reference(self, name):
        command([*REFERENCES[name], self.source, "-o", f"{self.folder}/{name}"], self.seconds)
        return self.left(f"{self.folder}/{name}")[0]

    def compile(self):
        command([*self.build, self.source, "-o", f"{self.folder}/device"], self.seconds)
        self.compiled = True

    def run(self, level, way):
        """What each kernel left, and the kernels that ran as machine code, or whose claims were asked."""
        if not self.compiled:
            self.compile()
        claims = f"{self.folder}/claims"
        parts, said = self.left(f"{self.folder}/device", HEDDLE_ISA=f"x86-64-{level}", HEDDLE_JIT_LOG="-", HEDDLE_JIT_CACHE="0",
                                HEDDLE_VERIFY_LOG=claims, **WAYS[way])
        seen = {m["kernel"] for line in said.splitlines() if line.startswith("{") and not (m := json.loads(line))["problem"]}
        if way == "verify":
            with open(claims) as f: # the kernel, then of each kind its name, how many claims, and how often one was asked
                rows = [line.rstrip("\n").split("\t") for line in f]
            os.remove(claims)
            seen = {row[0] for row in rows if any(int(cell.split()[2]) for cell in row[1:])}
        return parts, seen


def shown(kind, data, at):
    """A value as text, by its type."""
    raw = struct.unpack_from("<" + FORMATS[kind], data, at)[0]
    if kind in ("f32", "f64"):
        return f"{struct.unpack_from('<' + ('f' if kind == 'f32' else 'd'), data, at)[0]!r} ({raw:#x})"
    return f"{raw} ({raw & (1 << 8 * program.SIZE[kind]) - 1:#x})"


def differences(kernel, want, have):
    """(what, thread or index, wanted, found) of the values that differ."""
    for region in kernel.regions:
        for at, name, kind, i in region.values():
            n = program.SIZE[kind]
            if want[at:at + n] != have[at:at + n]:
                yield name, kind, i, shown(kind, want, at), shown(kind, have, at)


def differs(kernel, want, have): # what lies between the members of structs is nobody's
    return want != have and next(differences(kernel, want, have), None) is not None


def tell(seed, kernel, want, have, who):
    found = list(differences(kernel, want, have))
    print(f"kernel {seed}.{kernel.name[1:]} {who}: {len(found)} values differ from g++'s; grid {kernel.grid}, block {kernel.block}")
    for name, kind, i, a, b in found[:4]:
        print(f"    {kind} {name}, thread or place {i}: {a}, here {b}")


def told(seed, kernels, want, have, who):
    """The kernels that differ, each of which is told of."""
    different = [(k, a, b) for k, a, b in zip(kernels, want, have) if differs(k, a, b)]
    for k, a, b in different:
        tell(seed, k, a, b, who)
    return [k for k, _, _ in different]


def host_levels(wanted):
    flags = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "").split()
    there = {"v2": True, "v3": "avx2" in flags and "fma" in flags, "v4": "avx512bw" in flags and "avx512vl" in flags and "avx512dq" in flags}
    return [level for level in wanted if there[level]]


def by_halves(options, seed, kernels, level, way):
    """{kernel: what it left}, those that Batch.run saw, and [(kernel, Failed)] of those that fail by themselves."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            parts, seen = Batch(kernels, seed, folder, options).run(level, way)
            return dict(zip(kernels, parts)), seen, []
    except Failed as e:
        if len(kernels) == 1:
            return {}, set(), [(kernels[0], e)]
    half = len(kernels) // 2
    first, second = (by_halves(options, seed, part, level, way) for part in (kernels[:half], kernels[half:]))
    return {**first[0], **second[0]}, first[1] | second[1], first[2] + second[2]


def run(options, seed, batch, level, way):
    """The same of a whole program: where that fails, parts of it say which of its kernels do."""
    try:
        parts, seen = batch.run(level, way)
        return dict(zip(batch.kernels, parts)), seen, []
    except Failed as whole:
        have, seen, failed = by_halves(options, seed, batch.kernels, level, way)
        if len(failed) in (0, len(batch.kernels)): # in company only, or whatever the kernel is
            raise whole
        return have, seen, failed


def one_program(options, seed, folder, log):
    """The number of kernels that differ somewhere."""
    kernels = [program.Kernel(seed, i) for i in range(options.kernels)]
    batch = Batch(kernels, seed, folder, options)
    begun = time.time()
    want = batch.reference("g++")
    if told(seed, kernels, want, batch.reference("clang"), "in clang's reference"):
        raise InDoubt
    try:
        batch.compile()
    except Failed:
        pass # its runs say which kernels fail
    made = time.time() - begun
    wrong = set()
    for level in options.levels:
        for way in options.exec + (options.turn if level == options.levels[seed % len(options.levels)] else []):
            compiles = way.startswith("jit")
            if batch.debug and compiles and not options.all:
                continue
            begun = time.time()
            have, seen, failed = run(options, seed, batch, level, way)
            who = f"({way}, {level}{', -G' if batch.debug else ''})"
            for k, why in failed:
                print(f"kernel {seed}.{k.name[1:]} {who} fails: {why}")
            there = [(k, w) for k, w in zip(kernels, want) if k in have]
            different = told(seed, [k for k, _ in there], [w for _, w in there], [have[k] for k, _ in there], who)
            wrong |= {k.name for k in different} | {k.name for k, _ in failed}
            row = {"seed": seed, "kernels": len(kernels), "debug": batch.debug, "level": level, "exec": way,
                   "same": len(kernels) - len(different) - len(failed), "different": [k.name for k in different], "failed": [k.name for k, _ in failed],
                   "compiled": len(seen) if compiles else 0, "build_s": round(made, 1), "run_s": round(time.time() - begun, 1)}
            if log:
                log.write(json.dumps(row) + "\n")
                log.flush()
            able = [k.name for k in have if way == "verify" or not k.recursive] # calls of oneself are interpreted
            ran = sum(name in seen for name in able)
            if (compiles or way == "verify") and ran < FEWEST * len(able):
                raise Failed(f"only {ran} of {len(able)} kernels {'ran as machine code' if compiles else 'had claims asked'}")
    return len(wrong)


def shrink(options):
    seed, number = (int(n) for n in options.shrink.split("."))
    kernel = program.Kernel(seed, number)
    level, way = options.levels[-1], options.exec[0]
    about = f"kernel {options.shrink} ({way}, {level})"
    tried = 0

    def outcome(folder):
        """Whether it differs, or how it fails; with it g++'s result and the device's."""
        nonlocal tried
        tried += 1
        batch = Batch([kernel], seed, folder, options)
        try:
            want = batch.reference("g++")[0]
        except Failed:
            return None, None, None
        try:
            have = batch.run(level, way)[0][0]
        except Failed as e:
            return e.how, want, None
        return "differs" if differs(kernel, want, have) else None, want, have

    with tempfile.TemporaryDirectory() as folder:
        first = outcome(folder)[0]
        if not first:
            print(f"{about} does not differ")
            return 2

        def still():
            return tried < options.steps and outcome(folder)[0] == first

        while True: # statements first: an expression made simple needs less of them
            while any([fewer(functions, still) for functions in (kernel.helpers, kernel.pointers)] +
                      [fewer_statements(tree, still) for tree in kernel.trees()]):
                pass
            if not any([simpler(s, still) for tree in kernel.trees() for s in tree.statements]):
                break
        how, want, have = outcome(folder)
        print(kernel.text())
        if have is None:
            print(f"{about}, made smaller in {tried} steps, fails: {how}")
        else:
            tell(seed, kernel, want, have, f"({way}, {level}), made smaller in {tried} steps")
        if differs(kernel, want, Batch([kernel], seed, folder, options).reference("clang")[0]):
            print("the two references differ: the program is at fault")
    return 1


def fewer(things, still):
    """Leaves out runs of a list's members, long ones first; says whether any could be."""
    before, size = len(things), len(things)
    while size:
        at = 0
        while at < len(things):
            whole = list(things)
            del things[at:at + size]
            if not still():
                things[:] = whole
                at += size
        size //= 2
    return len(things) < before


def fewer_statements(tree, still):
    changed = fewer(tree.statements, still) if isinstance(tree, program.Block) else False
    return any([fewer_statements(s, still) for s in (tree.statements if isinstance(tree, program.Block) else tree.kids)]) or changed


def simpler(tree, still):
    """Puts a part of the same type, or zero, in the place of an expression; says whether any could be."""
    if isinstance(tree, program.Block):
        return any([simpler(s, still) for s in tree.statements])
    changed = False
    for i, kid in enumerate(tree.kids):
        if isinstance(kid, program.Node) and kid.type in program.TYPES and kid.kids:
            zero = f"{kid.type}_of((u16)0)" if kid.type in program.SHORTS else f"({kid.type})0"
            for other in [program.Node(zero, type=kid.type)] + [k for k in kid.kids if k.type == kid.type]:
                tree.kids[i] = other
                if still():
                    changed = True
                    break
                tree.kids[i] = kid
        changed = simpler(tree.kids[i], still) or changed
    return changed


def ways(text):
    names = text.split(",")
    if unknown := [n for n in names if n not in WAYS]:
        raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(WAYS)}")
    return names


def tree_seed(n):
    """0: there is no such number, or no repository."""
    seed = drawn.tree_seed() if n is not None else 0
    return seed + (n << 32) if seed else 0


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--of-tree", type=int, metavar="N", help="the N-th seed that follows from the commit's source tree")
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--levels", type=lambda s: s.split(","), default=["v2", "v3", "v4"])
    parser.add_argument("--exec", type=ways, default=["interp", "jit-first"])
    parser.add_argument("--turn", type=ways, default=[])
    parser.add_argument("--folder")
    parser.add_argument("--log")
    parser.add_argument("--all", action="store_true", help="machine code of programs with -G, too: seconds of compiling a kernel")
    parser.add_argument("--shrink")
    parser.add_argument("--steps", type=int, default=1 << 30)
    parser.add_argument("--plant", choices=["bit", "trap"], help="a fault in the device's side, for the test of this test")
    options = parser.parse_args()
    options.levels = host_levels(options.levels)
    if not options.levels:
        return 77
    if options.shrink:
        return shrink(options)
    first = options.seed if options.seed is not None else tree_seed(options.of_tree) or int.from_bytes(os.urandom(4), "little")
    print(f"seed {first}, {options.programs} programs of {options.kernels} kernels, {'+'.join(options.exec)} on {'+'.join(options.levels)}"
          f"{', ' + '+'.join(options.turn) + ' on one of them in turn' if options.turn else ''}")
    wrong = 0
    log = open(options.log, "a") if options.log else None
    for seed in range(first, first + options.programs):
        with tempfile.TemporaryDirectory() as temporary:
            if options.folder:
                os.makedirs(options.folder, exist_ok=True)
            try:
                wrong += one_program(options, seed, options.folder or temporary, log)
            except Failed as e:
                print(f"seed {seed}: {e}")
                return 1
            except InDoubt:
                print(f"seed {seed}: the two references differ: the program is at fault")
                return 2
    print(f"{options.programs * options.kernels - wrong} of {options.programs * options.kernels} kernels without a difference; "
          f"to repeat: --seed {first} --programs {options.programs} --kernels {options.kernels}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
