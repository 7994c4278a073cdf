#!/usr/bin/env python3
"""Constants of the model of caches and time stand in the device's description, not in its source.

usage: model_constants.py

Looks through src/clock, through those files of src/memory that model caches and time, and through those of src/target and src/runtime that do, for numbers
other than 0 and 1 (and 2 where it has no name), and through src/device/mechanisms.def for mechanisms that nothing switches off. A number in an enum or a #define goes by that name, another one by
its text. Each must have a row in model_constants.tsv, which says why it is no figure of a device; a row that nothing needs is a mistake,
too. The files of src/memory that are left out are exact rules: what each compute capability does with an access
(docs/generations.md), which no device of it does otherwise.
"""
import csv
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
KINDS = {
    "host": "how this program keeps and finds things, on a host: tables, words of bits, lines of its caches, threads",
    "warp": "32 lanes, and what an instruction may access: 1 to 16 bytes a lane",
    "line": "lines of 128 bytes with sectors of 32, on all devices that have them",
    "unit": "a unit of another one: bits of a fraction, picoseconds",
    "map": "which slice, set or channel an address has: the vendor's hash is not known, or only its shape",
    "executor": "the executor stops a warp and asks again, or how often it walks through code: no figure of the device",
    "chosen": "chosen or read off counters, and the same for all devices: the file's head says from what",
}
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)(?=[uUlL]*\b)")
OTHERS = ("target/latencies.def target/pace.c target/pace.h runtime/call_costs.def runtime/device_time.c runtime/device_time.h runtime/timeline.c "
          "runtime/sharing.c runtime/sharing.h runtime/timeline.h").split()
RULES = "atomics banks cacheline coalescer constant halfwarp lanes lines local memory rules sets sets_lanes sets_v2 sets_v3 sets_v4 shared strides".split()


def plain(text):
    """Without comments, strings and includes, as many lines."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\\n])'", " ", text)
    return re.sub(r"^\s*#\s*include.*$", "", text, flags=re.M)


def names(text):
    """[(begin, end, name)] of where a name gets its value: in an enum, or by a #define."""
    places = [(m.start(2), m.end(2), m[1]) for m in re.finditer(r"^\s*#\s*define\s+(\w+)[ \t]+(.*)$", text, flags=re.M)]
    for enum in re.finditer(r"\benum\b[^;{()]*\{([^}]*)\}", text):
        for m in re.finditer(r"(\w+)\s*=\s*([^,]*)", enum[1]):
            places.append((enum.start(1) + m.start(2), enum.start(1) + m.end(2), m[1]))
    return places


def constants(text):
    """[(line, what)]"""
    text = plain(text)
    places = names(text)
    found = []
    for m in NUMBER.finditer(text):
        name = next((name for begin, end, name in places if begin <= m.start() < end), m[1])
        if m[1] in ("0", "1") or name == "2":
            continue
        found.append((text.count("\n", 0, m.start()) + 1, name))
    return found


def files():
    yield from sorted((SOURCE / "clock").glob("*.[ch]"))
    for path in sorted((SOURCE / "memory").glob("*.[ch]")):
        if path.stem not in RULES:
            yield path
    for file in OTHERS:
        yield SOURCE / file


def missing(rows):
    """Messages."""
    needed = set()
    for path in files():
        file = str(path.relative_to(SOURCE))
        for line, what in constants(path.read_text()):
            needed.add((file, what))
            if (file, what) not in rows:
                yield f"src/{file}:{line}: {what}: a constant of the model is a figure of the device (src/device/device_figures.def, with its source in devices/*.json); " \
                      "if it is none, say so in tests/device/model_constants.tsv"
    for file, what in sorted(rows.keys() - needed):
        yield f"tests/device/model_constants.tsv: src/{file} has no {what}"
    for (file, what), (kind, _) in rows.items():
        if kind not in KINDS:
            yield f"tests/device/model_constants.tsv: {file} {what}: '{kind}' is none of {', '.join(KINDS)}"


def idle_mechanisms():
    """Mechanisms without a figure that nobody asks for."""
    asked = set(re.findall(r"\bMECHANISM_(\w+)", "".join(p.read_text() for p in SOURCE.rglob("*.c"))))
    for m in re.finditer(r"^MECHANISM\((\w+),.*?(?=^MECHANISM|\Z)", plain((SOURCE / "device/mechanisms.def").read_text()), flags=re.M | re.S):
        if "\nOFF(" not in m[0] and m[1] not in asked:
            yield f"src/device/mechanisms.def: nothing switches '{m[1]}' off"


def test_itself():
    text = 'enum { WAYS = 5, /* 7 */ ROOM = 1 << 20 };\n#define FAR 44\nint f(void) { return x * 28 + a[1] + 0x9eu; } // "9"\n'
    assert constants(text.replace("// ", "")) == [(1, "WAYS"), (1, "ROOM"), (2, "FAR"), (3, "28"), (3, "0x9e")], constants(text)


def main():
    test_itself()
    with open(HERE / "model_constants.tsv") as table:
        rows = {(r["file"], r["what"]): (r["kind"], r["reason"]) for r in csv.DictReader((l for l in table if not l.startswith("#")), delimiter="\t")}
    problems = [*missing(rows), *idle_mechanisms()]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
