"""cuRAND's device interface against an H200: tests/truth/libraries/curand_device.cu prints what its table has.

Integers, uniform and Poisson values equal bit for bit. Normal values come from the hardware's fast sine, cosine and from logarithms,
which are as near here as there but not the same bits: they lie within a bound.
usage: curand.py HEDDLE FOLDER_OF_TRUTH
"""
import os
import struct
import subprocess
import sys
import tempfile

heddle, truth = sys.argv[1:3]
NEAR_FLOAT = {"normal", "normal2", "normal4", "log_normal", "log_normal2", "log_normal4"}
NEAR_DOUBLE = {"normal_double", "normal2_double", "log_normal_double", "log_normal2_double"}
# One of 256 rejections goes the other way: the hardware's base-2 logarithm has other last bits.
REJECTED = {("draw", "philox", "poisson4 1 0 0 3999 0")}
SINE = 2.0**-20.9 * 6.66  # the error of sin.approx.f32 (PTX ISA), times the longest vector of a pair


def floats(words):
    return [struct.unpack("<f", struct.pack("<I", int(w, 16)))[0] for w in words]


def doubles(words):
    return [struct.unpack("<d", struct.pack("<II", int(a, 16), int(b, 16)))[0] for a, b in zip(words[::2], words[1::2])]


def near(a, b, bound):
    return all(abs(x - y) <= bound * max(1, abs(y)) for x, y in zip(a, b))


def alike(got, want):
    if got == want:
        return True
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


def compare(name, lines, rows):
    wrong = 0
    for line, row in zip(lines, rows):
        if not alike(line.split("\t"), row.split("\t")):
            wrong += 1
            if wrong < 10:
                print("%s: FAILED\n  here %s\n  H200 %s" % (name, line[:200], row[:200]))
    if len(lines) != len(rows):
        print("%s: FAILED: %d lines, the table has %d" % (name, len(lines), len(rows)))
        wrong += 1
    return wrong


def main():
    with open(os.path.join(truth, "curand_device.tsv")) as f:
        rows = [row for row in f.read().splitlines() if not row.startswith("discrete")]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "curand_device")
        subprocess.run([heddle, "build", "-DNO_LIBRARY", os.path.join(truth, "curand_device.cu"), "-o", program], check=True)
        for executor in ("jit", "interp"):
            out = subprocess.run([program], env=dict(os.environ, HEDDLE_EXEC=executor), stdout=subprocess.PIPE, check=True, text=True).stdout
            wrong += compare(executor, out.splitlines(), rows)
    print("PASSED" if wrong == 0 and len(rows) == 689 else "FAILED")
    return wrong != 0


sys.exit(main())
