"""Tests of tools/machine_code.py. Without ptxas: the table of encodings, and instructions as nvdisasm named them. With it
(otherwise 77): registers, spills and counts of three files on all architectures are those of tests/truth/machine/histograms.tsv.
Another version of ptxas is skipped too, by name: its choices may differ."""
import os
import shutil
import subprocess
import sys

root = sys.argv[1]
tool = os.path.join(root, "tools", "machine_code.py")
table = os.path.join(root, "tests", "truth", "machine", "encodings.tsv")
truth = os.path.join(root, "tests", "truth", "machine", "histograms.tsv")
sys.path.insert(0, os.path.join(root, "tools"))
import machine_code  # noqa: E402

FILES = ["async_copy.nvcc.ptx", "bfs.nvcc.ptx", "peak_math.nvcc.ptx"]  # the first is skipped on 75
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)

# What nvdisasm of CUDA 13.0 printed: architecture, high and low word, guard, operation.
INSTRUCTIONS = [
    (75, 0x009FEA0003800000, 0x00000F5000008947, "@!P0", "BRA"),
    (75, 0x004B640000005404, 0x0000000E0C107236, "", "HMMA"),
    (90, 0x000FCA0000000000, 0x000000010E0E7836, "", "VIADD"),
    (80, 0x000FE200000001FF, 0x3DF00000FF137435, "", "HFMA2"),
    (120, 0x000FE400078E0200, 0x0000000408087835, "", "IADD"),
    (90, 0x000FCE000FFFE03F, 0x0000003F060B1290, "@UP1", "UIADD3"),
    (90, 0x0000A20008000100, 0x00000004063F85B2, "@!UP0", "SYNCS"),
    (90, 0x000FEC0000000000, 0x00000000000085AB, "@!P0", "CGAERRBAR"),
    (90, 0x000FC00000000000, 0x00000000000079AB, "", "ERRBAR"),
    (90, 0x000FE20008000000, 0x00000000000079C7, "", "UCGABAR_ARV"),
    (90, 0x000FE20008000000, 0x0000000000007DC7, "", "UCGABAR_WAIT"),
    (100, 0x0001E4000C000006, 0x00FF04080A0075EA, "", "UTCHMMA"),
    (100, 0x0001E4000C000306, 0x00FF04080A0075EA, "", "UTCQMMA"),
    (90, 0, 0x1FF, "@P0", "?1ff"),  # no such operation
]
EXIT, NOP = (0x000000000000794D, 0x000FEA0003800000), (0x0000000000007918, 0x000FC00000000000)
TO_ITSELF = {75: (0xFFFFFFF000007947, 0x000FC0000383FFFF), 90: (0xFFFFFFFC00FC7947, 0x000FC0000383FFFF)}
FORWARD = {75: (0x00000F5000007947, 0x000FEA0003800000), 90: (0x0000000100487947, 0x000FEA0003800000)}


def test_table():
    lines = [line.split("\t") for line in open(table).read().splitlines() if not line.startswith("#")]
    assert lines[0] == ["code", "mask", "operation", "first", "last"], lines[0]
    rows = [(int(code, 16), int(mask, 16), name, int(first), int(last)) for code, mask, name, first, last in lines[1:]]
    assert rows == sorted(rows, key=lambda row: (row[0] & 0x1FF, row[0], row[3])), "not sorted"
    for code, mask, name, first, last in rows:
        assert code & ~mask == 0 and mask & 0x1FF == 0x1FF and first <= last, name
        assert {first, last} <= set(ARCHITECTURES), name
    for i, (code, mask, name, first, last) in enumerate(rows):
        for other, its_mask, its_name, its_first, its_last in rows[i + 1:]:
            both = max(first, its_first) <= min(last, its_last)
            assert not both or (code ^ other) & mask & its_mask, "%s and %s have the same code" % (name, its_name)


def test_instructions():
    for arch, high, low, guard, name in INSTRUCTIONS:
        got = machine_code.Decoder(arch).name(low, high)
        assert got == name and machine_code.guard(got, low) == guard, (arch, name, got, machine_code.guard(got, low))


def test_padding():
    for arch, branch in TO_ITSELF.items():
        decoder = machine_code.Decoder(arch)
        assert decoder.trimmed([EXIT, NOP, branch, NOP, NOP], 0x40) == [EXIT]
        assert decoder.trimmed([EXIT, branch, branch], 0) == [EXIT, branch]  # only one
        assert decoder.trimmed([EXIT, FORWARD[arch], NOP], 0) == [EXIT, FORWARD[arch]]
        assert decoder.trimmed([NOP, NOP], 0) == []
        parts = decoder.parts([EXIT, branch, NOP, NOP, EXIT, branch], {0x30: "behind"})
        assert parts == [("own", 0, [EXIT]), ("behind", 0x30, [NOP, EXIT])], parts


def run(*words):
    return subprocess.run([sys.executable, tool, *words], capture_output=True, text=True)


def test_assembled():
    """False where the table is of another version."""
    stored = open(truth).read().splitlines()
    done = run(*(os.path.join(root, "tests", "truth", "ptx", name) for name in FILES))
    made = done.stdout.splitlines()
    assert done.returncode == 0 and "async_copy.nvcc.ptx: skipped on sm_75" in done.stderr, done.stderr
    if stored[0] != made[0]:
        print("skipped: the table and the assembler here differ:\n%s\n%s" % (stored[0], made[0]))
        return False
    wanted = [line for line in stored if not line.startswith("#") and line.split("\t")[1] in ["file", *FILES]]
    made = [line for line in made if not line.startswith("#")]
    assert {line.split("\t")[0] for line in made} == {"arch", "75", "80", "86", "89", "90"}
    for line in sorted(set(made) ^ set(wanted)):
        print("differs: " + line)
    assert sorted(made) == sorted(wanted)
    return True


def test_options():
    path = os.path.join(root, "tests", "truth", "ptx", "bfs.nvcc.ptx")
    listed = run("--arch", "90", "--list", "bfs_push", path).stdout.splitlines()
    counted = run("--arch", "90", "--parts", path).stdout.splitlines()
    row = [line.split("\t") for line in counted if "bfs_push" in line]
    assert len(row) == 1 and row[0][6] == "own", row
    assert listed[0].endswith("bfs_pushiPKiS0_PiiS1_ (sm_90):"), listed[0]
    assert len(listed) - 1 == sum(int(pair.split("=")[1]) for pair in row[0][7].split(" "))
    assert listed[-1].split()[1] == "EXIT", listed[-1]


test_table()
test_instructions()
test_padding()
if not shutil.which("ptxas"):
    refused = run("x.ptx")
    assert refused.returncode == 77 and "no 'ptxas' here" in refused.stderr, refused
    print("skipped but for the table: there is no ptxas here")
    sys.exit(77)
if not test_assembled():
    sys.exit(77)
test_options()
