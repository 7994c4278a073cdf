#!/usr/bin/env python3
"""Whatever happens to a file of the cache is noticed, and the file is made anew: of every part of the cache
times every damage, the third that the source tree draws (tests/drawn.py).

usage: damage.py HEDDLE
"""
import os, random, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.dont_write_bytecode = True
import drawn

SOURCE = """
#include <cstdio>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main()
{
    int *p;
    cudaMallocManaged(&p, 128);
    add<<<1, 32>>>(p);
    add<<<1, 16>>>(p + 16); // code of its own
    cudaDeviceSynchronize();
    printf("%d\\n", p[0] + VALUE);
    return p[0] != 1;
}
"""
heddle = os.path.abspath(sys.argv[1])
seed = random.SystemRandom().randrange(1 << 31)
random.seed(seed)
print(f"damage.py, seed {seed}")
failures = []


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    """In place, and with the times of before: only the contents tell."""
    times = os.stat(path)
    with open(path, "r+b") as f:
        f.truncate(0)
        f.write(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def flipped(data):
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]


def swap(path, other):
    """The contents of another entry of the same part, which is whole in itself."""
    a, b = read(path), read(other)
    write(path, b)
    write(other, a)


DAMAGES = {
    "empty": lambda path, other: write(path, b""),
    "cut off": lambda path, other: os.truncate(path, random.randrange(1, os.path.getsize(path))),
    "longer": lambda path, other: write(path, read(path) + b"x"),
    "zeros": lambda path, other: write(path, bytes(os.path.getsize(path))),
    "a bit flipped": lambda path, other: write(path, flipped(read(path))),
    "another's": swap,
    "foreign": lambda path, other: os.chown(path, 12345, 12345),
    "open for all to write": lambda path, other: os.chmod(path, 0o777),
    "gone": lambda path, other: os.remove(path),
    "a link": lambda path, other: (os.rename(path, path + "~"), os.symlink(path + "~", path)),
}
if os.geteuid():
    del DAMAGES["foreign"]  # only root can give a file away

with tempfile.TemporaryDirectory() as folder:
    cache = f"{folder}/cache"
    env = {**os.environ, "HEDDLE_CACHE": cache, "HEDDLE_EXEC": "jit", "HEDDLE_JIT_LOG": f"{folder}/jit"}
    with open(f"{folder}/p.cu", "w") as f:
        f.write(SOURCE)

    def run(value, std="c++17"):
        """Runs the program with a value of its own; how many of its kernels' code were compiled."""
        if os.path.exists(f"{folder}/jit"):
            os.remove(f"{folder}/jit")
        p = subprocess.run([heddle, "run", f"-std={std}", f"-DVALUE={value}", "p.cu"], cwd=folder, env=env, capture_output=True, text=True)
        if p.returncode or p.stdout != f"{value + 1}\n" or p.stderr:
            failures.append(f"status {p.returncode}, '{p.stdout}' is printed, {value + 1} is right; {p.stderr}")
        return open(f"{folder}/jit").read().count('"kept": false') if os.path.exists(f"{folder}/jit") else 0

    def files(part, pattern):
        """Of a part, those of a pattern; the one that was used last comes first."""
        found = [os.path.join(at, name) for at, _, names in os.walk(f"{cache}/{part}") for name in names]
        found = [f for f in found if re.fullmatch(pattern, os.path.relpath(f, cache)) and not os.path.islink(f)]
        return sorted(found, key=lambda f: -os.stat(f).st_mtime_ns)

    KINDS = {  # what lies in the cache
        "exe entry": ("exe", r"exe/\w{32}"), "program": ("exe", r"exe/\w{32}/p"),
        "pch entry": ("pch", r"pch/\w{32}"), "precompiled header": ("pch", r"pch/\w{32}/precompiled\.pch"),
        "code": ("code", r"code/\w{32}"),
    }
    run(1000, "c++14")  # another one of each kind
    value = 0
    run(value)
    pairs = drawn.some([(kind, how) for kind in KINDS for how in DAMAGES], 3, "damages")
    for kind, (part, pattern) in KINDS.items():
        for how, damage in DAMAGES.items():
            if (kind, how) not in pairs:
                continue
            before = len(failures)
            wanted = files(part, pattern)
            damage(*wanted[:2])
            if part == "pch":
                value += 1  # else the program is there, and nobody asks for the header
            compiled = run(value)
            if kind == "code" and not compiled:
                failures.append("no code was compiled")
            again = files(part, pattern)
            if how != "another's" and again[0] not in wanted and kind != "precompiled header":
                failures.append(f"no such file is there again: {again}")
            failures.extend(f"'{path}' is still there" for path in again
                            if os.stat(path).st_uid != os.geteuid() or os.stat(path).st_mode & 0o022)
            failures[before:] = [f"{kind}, {how}: {text}" for text in failures[before:]]
            for left in files(part, pattern + "~"):
                os.remove(left)
        print(f"{kind}: {sum(k == kind for k, _ in pairs)} damages")

for text in failures:
    print("FAILED:", text)
print("FAILED" if failures else "PASSED")
sys.exit(bool(failures))
