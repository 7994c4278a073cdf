"""cuRAND against an H200: what tests/truth/libraries/curand_device.cu and curand_host.cu print, against their tables.

Integers, uniform and Poisson values equal bit for bit, and so do orders and statuses. Normal values come from the hardware's fast
sine, cosine and from logarithms, which are as near here as there but not the same bits: they lie within a bound. Of the device interface
the interpreter makes all; machine code, which takes long to compile, the generator that the source tree draws.
usage: curand.py HEDDLE FOLDER_OF_TRUTH device|host
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drawn

heddle, truth, part = sys.argv[1:4]
NEAR_FLOAT = {"normal", "normal2", "normal4", "log_normal", "log_normal2", "log_normal4"}
NEAR_DOUBLE = {"normal_double", "normal2_double", "log_normal_double", "log_normal2_double"}
# One of 256 rejections goes the other way: the hardware's base-2 logarithm has other last bits.
REJECTED = {("draw", "philox", "poisson4 1 0 0 3999 0")}
SINE = 2.0**-20.9 * 6.66  # the error of sin.approx.f32 (PTX ISA), times the longest vector of a pair
DOUBLE = 2.0**-48
REFUSED_TYPES = {"141", "202", "204"}
GENERATORS = ("xorwow", "mrg32k3a", "philox", "sobol")
LONG = 60000  # values of MT19937 in a call: one row of ten is made


def floats(words):
    return [struct.unpack("<f", struct.pack("<I", int(w, 16)))[0] for w in words]


def doubles(words):
    return [struct.unpack("<d", struct.pack("<II", int(a, 16), int(b, 16)))[0] for a, b in zip(words[::2], words[1::2])]


def wide(words):
    return [struct.unpack("<d", struct.pack("<Q", int(w, 16)))[0] for w in words]


def near(a, b, bound):
    return len(a) == len(b) and all(abs(x - y) <= bound * max(1, abs(y)) for x, y in zip(a, b))


def device_alike(got, want):
    if len(got) < 5 or got[:3] != want[:3] or len(got[4].split()) != len(want[4].split()):
        return False
    a, b = got[4].split(), want[4].split()
    what = got[2].split()[0]
    if got[0] in ("draw", "quasi") and what in NEAR_FLOAT:
        return near(floats(a), floats(b), SINE)
    if got[0] in ("draw", "quasi") and what in NEAR_DOUBLE:
        return near(doubles(a), doubles(b), 2.0**-50)
    if got[0] == "mixed":  # nine numbers, then bits
        return near(floats(a[:9]), floats(b[:9]), SINE) and a[9:] == b[9:]
    if got[0] == "four":  # bits, then four normal values
        return a[:24] == b[:24] and near(floats(a[24:]), floats(b[24:]), SINE)
    return tuple(got[:3]) in REJECTED and a == b


def call_alike(kind, got, want):
    (status, a), (wanted, b) = (x.split(":") for x in (got, want))
    if status != wanted:
        return False
    a, b = (x.replace("..", "").split() for x in (a, b))
    if kind in "nl":
        return near(floats(a), floats(b), SINE)
    return near(wide(a), wide(b), DOUBLE) if kind in "NL" else a == b


def host_alike(got, want):
    if want[0] == "row" and want[2] in REFUSED_TYPES:
        return got == want[:4] + [want[4].split()[0], "create 103"]
    if want[0] == "answer" and want[2] in REFUSED_TYPES | {"0"}:
        return got == want[:3] + ["create 103"]
    if want[0] == "answer" and want[1] == "version":
        return got[2].split()[0::2] == want[2].split()[0::2]
    if want[0] == "vectors" and want[1] in ("102", "104"):
        return got == want[:2] + ["104 104"]
    if want[0] == "constants":
        return got == ["constants", "999 999"]
    kinds = want[4].split()[0] if want[0] == "row" else ""
    if not set(kinds) & set("nNlL") or got[:7] != want[:7] or got[9:] != want[9:]:
        return False
    return all(call_alike(*x) for x in zip(kinds, got[7].split("; "), want[7].split("; ")))


def short(rows):
    """The rows that the program prints when it is to be short."""
    kept, long_runs = [], 0
    for row in rows:
        words = row.split("\t")
        if words[0] == "row" and words[2] == "142" and int(words[4].split()[-1]) > LONG:
            long_runs += 1
            if long_runs % 10 != 1:
                continue
        kept.append(row)
    return kept


def of_generator(rows, generator):
    """The rows of curand_device.cu with this argument."""
    sobol = ("sobol32", "sobol64", "scrambled32", "scrambled64")
    names = sobol if generator == "sobol" else (generator,)
    return [row for row in rows if row.split("\t")[1] in names or row.startswith("end\t")]


def compare(name, lines, rows):
    wrong = 0
    for line, row in zip(lines, rows):
        got, want = line.split("\t"), row.split("\t")
        if got != want and not (device_alike if part == "device" else host_alike)(got, want):
            wrong += 1
            if wrong < 10:
                print("%s: FAILED\n  here %s\n  H200 %s" % (name, line[:300], row[:300]))
    if len(lines) != len(rows):
        print("%s: FAILED: %d lines, the table has %d" % (name, len(lines), len(rows)))
        wrong += 1
    return wrong


def main():
    program = "curand_" + part
    with open(os.path.join(truth, program + ".tsv")) as f:
        rows = f.read().splitlines()
    if part == "host":
        rows = short(rows)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, program)
        subprocess.run([heddle, "build", "-std=c++17", os.path.join(truth, program + ".cu"), "-lcurand", "-o", built], check=True)
        generator = GENERATORS[drawn.tree_seed() % len(GENERATORS)]
        runs = [("jit", [generator], of_generator(rows, generator)), ("interp", [], rows)] if part == "device" else [("jit", ["device", "short"], rows)]
        for executor, words, wanted in runs:
            out = subprocess.run([built, *words], env=dict(os.environ, HEDDLE_EXEC=executor), stdout=subprocess.PIPE, check=True, text=True).stdout
            wrong += compare(" ".join([executor, *words]), [line for line in out.splitlines() if not line.startswith("place\t")], wanted)
            print("%s: %d lines" % (" ".join([executor, *words]), len(wanted)))
    print("PASSED" if wrong == 0 and len(rows) == {"device": 721, "host": 449}[part] else "FAILED")
    return wrong != 0


sys.exit(main())
