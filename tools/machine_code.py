#!/usr/bin/env python3
"""Counts the operations of the machine code that NVIDIA's assembler makes of PTX, kernel by kernel.

    tools/machine_code.py [--arch 75,80,86,89,90] FILE.ptx ...   one row a kernel: arch, file, kernel, registers, spilled bytes,
                                                                 OPERATION=number ...
    tools/machine_code.py --parts FILE.ptx ...           functions behind a kernel's own code (division, root) in rows of their own
    tools/machine_code.py --list KERNEL FILE.ptx ...     its instructions, one a line: address, guard, operation, raw words

What comes in: PTX, of which only the architecture in the line `.target` is changed. A file that an architecture cannot have is
skipped with a word on stderr. Needs ptxas (part of NVIDIA's toolkit, https://docs.nvidia.com/cuda/cuda-binary-utilities/) and no
disassembler: tests/truth/machine/encodings.tsv names every operation. What goes out: registers and spilled bytes as `ptxas -v`
says them; counts are of the whole section, without the padding behind each part of it: NOPs and a branch to itself. An
instruction that the table lacks is counted under its code, `?1f3=1`. Exit status 77 when there is no ptxas, 1 when a file was
assembled for none of the architectures.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import sass_static

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "tests", "truth", "machine", "encodings.tsv")
ARCHITECTURES = "75,80,86,89,90"
SIZE = 16  # bytes of an instruction
BASE = 0x1FF  # the low bits that every row of the table decides by
EXCHANGE = 0x1B2  # SYNCS.EXCH, which the whole warp does once

Part = collections.namedtuple("Part", "name first instructions")  # name: "own" or a function's; first: an address
Usage = collections.namedtuple("Usage", "registers spill_stores spill_loads")


class Decoder:
    """The table of one architecture (a number, such as 90)."""

    def __init__(self, arch, table=TABLE):
        self.arch = arch
        self.rows = collections.defaultdict(list)
        with open(table) as lines:
            for line in lines:
                if line.startswith(("#", "code\t")):
                    continue
                code, mask, operation, first, last = line.rstrip("\n").split("\t")[:5]
                if int(first) <= arch <= int(last):
                    code = int(code, 16)
                    self.rows[code & BASE].append((int(mask, 16), code, operation))

    def name(self, low, high):
        word = high << 64 | low
        for mask, code, operation in self.rows.get(low & BASE, ()):
            if word & mask == code:
                return operation
        return "?%03x" % (low & 0xFFF)

    def target(self, address, low, high):
        """Where a BRA leads to: an offset from the next instruction, in units of four bytes."""
        offset = (low >> 34 | high << 30) & (1 << 48) - 1
        if self.arch >= 90:
            offset = (offset << 8 | low >> 16 & 0xFF) & (1 << 48) - 1
        offset = (offset ^ 1 << 47) - (1 << 47)
        return address + SIZE + offset * 4

    def trimmed(self, instructions, first):
        """Without the padding at the end: NOPs, then one branch to itself, then NOPs."""
        end = self.before_nops(instructions, len(instructions))
        if end and self.name(*instructions[end - 1]) == "BRA":
            address = first + (end - 1) * SIZE
            if self.target(address, *instructions[end - 1]) == address:
                end = self.before_nops(instructions, end - 1)
        return instructions[:end]

    def before_nops(self, instructions, end):
        while end and self.name(*instructions[end - 1]) == "NOP":
            end -= 1
        return end

    def parts(self, instructions, functions):
        """The kernel's own code, then the functions behind it ({address: name}), each trimmed."""
        edges = [0] + sorted(functions) + [len(instructions) * SIZE]
        return [Part(functions.get(first, "own"), first, self.trimmed(instructions[first // SIZE:end // SIZE], first))
                for first, end in zip(edges, edges[1:])]


def usages(log):
    """{kernel: Usage} from what `ptxas -v` says."""
    found, spills, kernel, function = {}, {}, None, None
    for line in log.splitlines():
        if entry := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = entry.group(1)
        elif properties := re.search(r"Function properties for (\S+)", line):
            function = properties.group(1)
        elif bytes_ := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spills[function] = bytes_.groups()
        elif registers := re.search(r"Used (\d+) registers", line):
            found[kernel] = Usage(int(registers.group(1)), *map(int, spills.get(kernel, (0, 0))))
    return found


def assemble(ptxas, path, arch):
    """({kernel: (instructions, functions)}, {kernel: Usage}), or the assembler's first complaint."""
    with open(path, errors="replace") as file:
        text = re.sub(r"^(\.target\s+)sm_\w+", r"\g<1>sm_" + arch, file.read(), count=1, flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        with open(source, "w") as file:
            file.write(text)
        done = subprocess.run([ptxas, "-v", "-arch=sm_" + arch, source, "-o", cubin], capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line or "fatal" in line]
            return (errors or ["exit status %d" % done.returncode])[0].replace(folder + os.sep, "")
        return sass_static.kernels(cubin), usages(done.stderr)


def counts(decoder, parts):
    found = collections.Counter(decoder.name(*words) for part in parts for words in part.instructions)
    return " ".join("%s=%d" % pair for pair in sorted(found.items()))


def row(arch, path, kernel, usage, *rest):
    return "\t".join(map(str, (arch, os.path.basename(path), kernel, *usage, *rest)))


def rows(decoder, arch, path, code, usage, by_part):
    for kernel, (instructions, functions) in sorted(code.items()):
        parts = decoder.parts(instructions, functions)
        if not by_part:
            yield row(arch, path, kernel, usage[kernel], counts(decoder, parts))
        for part in parts if by_part else ():
            yield row(arch, path, kernel, usage[kernel], part.name, counts(decoder, [part]))


def listing(decoder, arch, code, wanted):
    """The instructions of kernels whose name contains `wanted`, padding left out."""
    for kernel, (instructions, functions) in sorted(code.items()):
        if wanted not in kernel:
            continue
        yield "%s (sm_%s):" % (kernel, arch)
        for part in decoder.parts(instructions, functions):
            if part.first:
                yield part.name + ":"
            for i, (low, high) in enumerate(part.instructions):
                name = decoder.name(low, high)
                yield "%05x %6s %-14s %016x %016x" % (part.first + i * SIZE, guard(name, low), name, low, high)


def guard(name, low):
    """The predicate that decides whether the instruction is carried out, a uniform one for operations of the whole warp."""
    predicate = low >> 12 & 15
    if predicate == 7:
        return ""
    uniform = name.startswith("U") or low & BASE == EXCHANGE
    number = "T" if predicate & 7 == 7 else predicate & 7
    return "@%s%sP%s" % ("!" if predicate & 8 else "", "U" if uniform else "", number)


def head(args):
    version = subprocess.run([args.ptxas, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"V[\d.]+", version)
    yield "# Operations of the machine code that ptxas %s makes of each kernel; spills in bytes." % (version and version.group(0))
    yield "# Made by: tools/machine_code.py%s --arch %s FILE.ptx ..." % (" --parts" if args.parts else "", args.arch)
    part = ["part"] if args.parts else []
    yield "\t".join(["arch", "file", "kernel", "registers", "spill_stores", "spill_loads", *part, "counts"])


def lines_of(args, path, arch, decoder):
    """The lines of one file on one architecture; None if that has no such file."""
    done = assemble(args.ptxas, path, arch)
    if isinstance(done, str):
        print("machine_code.py: %s: skipped on sm_%s: %s" % (path, arch, done), file=sys.stderr)
        return None
    code, usage = done
    if args.list:
        return listing(decoder, arch, code, args.list)
    return rows(decoder, arch, path, code, usage, args.parts)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--arch", default=ARCHITECTURES, help="numbers with commas (%s)" % ARCHITECTURES)
    parser.add_argument("--parts", action="store_true", help="part functions behind a kernel from its own code")
    parser.add_argument("--list", metavar="KERNEL", help="list the instructions of kernels with this in their name")
    parser.add_argument("files", nargs="+")
    return parser.parse_args()


def main():
    args = arguments()
    if not shutil.which(args.ptxas):
        print("machine_code.py: no '%s' here: nothing was counted" % args.ptxas, file=sys.stderr)
        return 77
    if not args.list:
        print("\n".join(head(args)))
    decoders = [(arch, Decoder(int(re.match(r"\d+", arch).group()))) for arch in args.arch.split(",")]
    missing = 0
    for path in args.files:
        made = [lines_of(args, path, *decoder) for decoder in decoders]
        missing += all(lines is None for lines in made)
        for lines in made:
            for line in lines or ():
                print(line, flush=True)
    return int(missing != 0)


if __name__ == "__main__":
    sys.exit(main())
