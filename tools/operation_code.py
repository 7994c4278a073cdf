#!/usr/bin/env python3
"""Compares the machine code of single operations, architecture by architecture, with what NVIDIA's assembler makes of them.

    tools/operation_code.py --ptx 90                 the kernels, one for each operation, as PTX for an architecture
    tools/operation_code.py --measure                what ptxas makes of them: the table tests/truth/machine/operations.tsv
    tools/operation_code.py --compare HEDDLE         `heddle target --count` beside that table: errors, and rows by error
    tools/operation_code.py --compare HEDDLE --limits FILE     exit status 1 where a mean is above the one in the file

What comes in: tests/truth/machine/operations.txt, a line for each operation. In a kernel each lane loads the operands from global
memory and stores the results. What goes out: for each kernel that ptxas assembles, its operations and how many of each; the
error of a kernel is the sum over operations of the difference, over the assembler's total, functions behind the kernel and long
ways included. --measure needs ptxas (exit status 77 without), --compare does not.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import machine_code

MACHINE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "truth", "machine")
OPERATIONS = os.path.join(MACHINE, "operations.txt")
TABLE = os.path.join(MACHINE, "operations.tsv")
DEVICES = {75: "t4", 80: "a100", 86: "rtx3080", 89: "rtx4090", 90: "h200"}

TYPES = {"h": "b16", "r": "b32", "q": "b64", "s": "f32", "t": "f64", "p": "pred"}
SIZES = {"h": 2, "r": 4, "q": 8, "s": 4, "t": 8, "p": 4}
RESULTS, OPERANDS = "defg", "abci"
STEP = 64  # bytes of operands and of results of a lane
HEADER = """.version 8.0
.target sm_%d
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 text[4] = {37, 117, 10, 0};
.const .align 16 .b8 constants[4096];
"""
# Addresses: which letter, and the instructions that make it of the lane's offset %o or of a parameter.
ADDRESSES = {
    "G": "add.u64 %G, %in, 48;",
    "S": "mov.u32 %s32, shared; shl.b32 %o32, %t, 6; add.s32 %S, %s32, %o32;",
    "X": "ld.param.u64 %at, [generic]; add.u64 %X, %at, %o;",
    "L": "mov.u64 %L, stack;",
    "C": "mov.u64 %at, constants; add.u64 %C, %at, %o;",
    "Gu": "ld.param.u64 %at, [generic]; cvta.to.global.u64 %Gu, %at;",
    "Su": "mov.u32 %Su, shared;",
    "Xu": "ld.param.u64 %Xu, [generic];",
    "H": "ld.param.u64 %H, [handle];",
}

Operation = collections.namedtuple("Operation", "name first results unread operands statement")


def letter(type_):
    """The letter of a register for values of a PTX type."""
    if type_ in ("f32", "f64"):
        return {"f32": "s", "f64": "t"}[type_]
    if type_ in ("f16x2", "bf16x2", "u16x2", "s16x2"):
        return "r"
    bits = int(re.search(r"(8|16|32|64)$", type_).group())
    return {8: "h", 16: "h", 32: "r", 64: "q"}[bits]


def expanded(text):
    """(text, the first alternative that is a type) of each choice of the alternatives in braces without $ or %."""
    found = re.search(r"\{([^{}$%;\[\]]*)\}", text) or re.search(r"\{((?:%[\w.]+,)+%[\w.]+)\}", text)
    if not found:
        return [(text, None)]
    texts = []
    for choice in found.group(1).split(","):
        for rest, type_ in expanded(text[:found.start()] + choice + text[found.end():]):
            texts.append((rest, type_ or (choice if re.fullmatch(r"[usbf]+(8|16|32|64)(x2)?", choice) else None)))
    return texts


def signature(text, type_):
    wide = {"h": "r", "r": "q"}
    if type_:
        text = text.replace("T", letter(type_)).replace("W", wide.get(letter(type_), "q"))
    return text.replace("-", "")


def operations(path=OPERATIONS):
    seen, found = collections.Counter(), []
    with open(path) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        first, signs, statement = line.split(" ", 2)
        for text, type_ in expanded(statement):
            results, operands = (signature(part, type_) for part in signs.split(":"))
            name = re.sub(r"\W+", "_", text).strip("_")[:60]
            seen[name] += 1
            if seen[name] > 1:
                name += "__%d" % seen[name]
            found.append(Operation(name, int(first), results.strip("!"), results.startswith("!"), operands, text))
    return found


def kernel(op):
    """The PTX of an operation's kernel."""
    body, statement = [], op.statement
    registers = [".reg .%s %%%s0, %%%s1, %%%s2;" % (TYPES[c], c, c, c) for c in TYPES]
    for i, c in enumerate(op.results):
        registers.append(".reg .%s %%%s;" % (TYPES[c], RESULTS[i]))
    for i, c in enumerate(op.operands):
        registers.append(".reg .%s %%%s;" % (TYPES[c], OPERANDS[i]))
        if c == "p":
            registers.append(".reg .b32 %%w%d;" % i)
            body.append("ld.global.b32 %%w%d, [%%in+%d]; setp.ne.s32 %%%s, %%w%d, 0;" % (i, 8 * i, OPERANDS[i], i))
        else:
            body.append("ld.global.%s %%%s, [%%in+%d];" % (TYPES[c], OPERANDS[i], 8 * i))
    for name in sorted(ADDRESSES, key=len, reverse=True):
        if re.search(r"\$%s\b" % name, statement):
            registers.append(".reg .%s %%%s;" % ("b32" if name[0] == "S" else "b64", name))
            body.append(ADDRESSES[name])
    body.append(re.sub(r"\$(\w+)", r"%\1", statement) + ("" if statement.startswith("{") else ";"))
    for i, c in enumerate(op.results if not op.unread else ""):
        if c == "p":
            registers.append(".reg .b32 %%v%d;" % i)
            body.append("selp.b32 %%v%d, 1, 0, %%%s; st.global.b32 [%%out+%d], %%v%d;" % (i, RESULTS[i], 8 * i, i))
        else:
            body.append("st.global.%s [%%out+%d], %%%s;" % (TYPES[c], 8 * i, RESULTS[i]))
    spaces = []
    if re.search(r"\$Su?\b", statement):
        spaces.append(".shared .align 16 .b8 shared[4096];")
    if "$L" in statement:
        spaces.append(".local .align 16 .b8 stack[16];")
    head = ["ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; cvta.to.global.u64 %gf, %from; cvta.to.global.u64 %gt, %to;",
            "mov.u32 %%t, %%tid.x; mul.wide.u32 %%o, %%t, %d; add.u64 %%in, %%gf, %%o; add.u64 %%out, %%gt, %%o;" % STEP]
    return "\n".join([".visible .entry %s(.param .u64 from, .param .u64 to, .param .u64 generic, .param .u64 handle)" % op.name, "{",
                      ".reg .b64 %from, %to, %gf, %gt, %in, %out, %o, %at; .reg .b32 %t, %s32, %o32;", *registers, *spaces, *head, *body, "ret;", "}", ""])


def ptx(arch, ops):
    return HEADER % arch + "\n".join(kernel(op) for op in ops if op.first <= arch)


def counted(text):
    return collections.Counter({name: int(n) for name, n in (word.split("=") for word in text.split())})


def rows(path=TABLE):
    """{(arch, kernel): Counter}"""
    found = {}
    with open(path) as file:
        for line in file:
            if not line.startswith(("#", "arch")):
                archs, name, counts = line.rstrip("\n").split("\t")
                for arch in archs.split(","):
                    found[int(arch), name] = counted(counts)
    return found


def measured(ptxas, arch, ops):
    """[(kernel, counts)] of what the assembler takes; what it refuses is told."""
    decoder, found = machine_code.Decoder(arch), []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "operations.ptx")

        def assemble(some):
            with open(path, "w") as file:
                file.write(ptx(arch, some))
            return machine_code.assemble(ptxas, path, str(arch))

        some = [op for op in ops if op.first <= arch]
        done = assemble(some)
        while isinstance(done, str):  # one that the architecture does not have: it is found by its line
            line = re.search(r"line (\d+)", done)
            if not line:
                sys.exit("operation_code.py: sm_%d: %s" % (arch, done))
            before = ptx(arch, some).splitlines()[:int(line.group(1))]
            bad = re.search(r"\.entry (\w+)", [text for text in before if ".entry" in text][-1]).group(1)
            print("operation_code.py: sm_%d has no %s: %s" % (arch, bad, done), file=sys.stderr)
            some = [op for op in some if op.name != bad]
            done = assemble(some)
        for name, (instructions, functions) in sorted(done[0].items()):
            found.append((name, machine_code.counts(decoder, decoder.parts(instructions, functions))))
    return found


def ours(heddle, arch, ops):
    """{kernel: Counter} of `heddle target --count`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "operations.ptx")
        with open(path, "w") as file:
            file.write(ptx(arch, ops))
        done = subprocess.run([heddle, "target", "--device", DEVICES[arch], "--count", path], capture_output=True, text=True)
    found, name = {}, None
    for line in done.stdout.splitlines():
        if head := re.match(r"(\w+): instructions of", line):
            name = head.group(1)
            found[name] = collections.Counter()
        elif name and (one := re.match(r"(\S+)\s+\S+\s+(\d+)$", line)) and one.group(1) != "all":
            found[name][one.group(1)] += int(one.group(2))
    return found, done.stderr


def error(ours_, truth):
    return sum(abs(ours_[op] - truth[op]) for op in ours_ | truth) / sum(truth.values())


def differences(ours_, truth):
    return " ".join("%s%+d" % (op, ours_[op] - truth[op]) for op in sorted(ours_ | truth) if ours_[op] != truth[op])


def compare(args):
    truth, ops, failed = rows(), operations(), 0
    limits = {}
    if args.limits:
        with open(args.limits) as file:
            limits = dict(map(float, line.split()[:2]) for line in file if not line.startswith("#"))
    for arch in args.arch:
        wanted = [op for op in ops if (arch, op.name) in truth]
        made, said = ours(args.compare, arch, wanted)
        errors, lacking = [], []
        for op in wanted:
            if op.name in made:
                errors.append((error(made[op.name], truth[arch, op.name]), op))
            else:
                lacking.append(op.name)
        errors.sort(key=lambda pair: -pair[0])
        mean = sum(e for e, _ in errors) / max(len(errors), 1)
        print("sm_%d: %d operations, mean error %.2f %%, %d equal, 90th percentile %.0f %%; not there: %s" % (
            arch, len(errors), 100 * mean, sum(e == 0 for e, _ in errors), 100 * errors[len(errors) // 10][0], " ".join(lacking) or "none"))
        for e, op in errors[:args.worst]:
            print("  %3.0f %% of %d  %s: %s" % (100 * e, sum(truth[arch, op.name].values()), op.name, differences(made[op.name], truth[arch, op.name])))
        if not errors or (limits and (100 * mean > limits[arch] or len(lacking) > 0)):
            print("operation_code.py: sm_%d is above its limit of %s %%\n%s" % (arch, limits.get(arch), said), file=sys.stderr)
            failed = 1
    return failed


def measure(args):
    if not shutil.which(args.ptxas):
        print("operation_code.py: no '%s' here: nothing was counted" % args.ptxas, file=sys.stderr)
        return 77
    version = re.search(r"V[\d.]+", subprocess.run([args.ptxas, "--version"], capture_output=True, text=True).stdout)
    print("# Operations of the machine code that ptxas %s makes of the kernels of operations.txt." % (version and version.group(0)))
    print("# Made by: tools/operation_code.py --measure >tests/truth/machine/operations.tsv")
    print("arch\tkernel\tcounts")
    same = collections.defaultdict(list)
    for arch in args.arch:
        for name, counts in measured(args.ptxas, arch, operations()):
            same[name, counts].append(str(arch))
    for (name, counts), archs in sorted(same.items(), key=lambda row: (row[0][0], row[1])):
        print("%s\t%s\t%s" % (",".join(archs), name, counts))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--arch", type=lambda text: [int(word) for word in text.split(",")], default=list(DEVICES))
    parser.add_argument("--ptx", type=int, metavar="ARCH")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--compare", metavar="HEDDLE")
    parser.add_argument("--limits", metavar="FILE")
    parser.add_argument("--worst", type=int, default=20, help="how many rows to print")
    args = parser.parse_args()
    if args.ptx:
        print(ptx(args.ptx, operations()))
        return 0
    return measure(args) if args.measure else compare(args)


if __name__ == "__main__":
    sys.exit(main())
