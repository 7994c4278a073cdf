"""Test of tools/kernel_code.py: the machine code and registers that Heddle makes of the kernels of tests/truth/machine/histograms.tsv may
not be further from NVIDIA's assembler than tests/truth/machine/histogram_limits.txt says."""
import collections
import os
import subprocess
import sys
import tempfile

root, heddle = sys.argv[1:3]
tool = os.path.join(root, "tools", "kernel_code.py")
machine = os.path.join(root, "tests", "truth", "machine")
sys.path.insert(0, os.path.join(root, "tools"))
import kernel_code as code  # noqa: E402

TABLE = """k: instructions of the machine code, an estimate
operation      pipe              t4       a100    rtx3080    rtx4090       h200
IADD3          alu                3          3          3          3          1
VIADD          fmaheavy           0          0          0          0          2
all            alu                3          3          3          3          1
# l is the next one, of as many words here
l: instructions of the machine code, an estimate
EXIT           cbu                1          1          1          1          1
"""
found = code.counts_of(TABLE)
assert found["k", 75] == {"IADD3": 3} and found["k", 90] == {"IADD3": 1, "VIADD": 2} and found["l", 80] == {"EXIT": 1}, found
assert code.registers_of("# k for sm_75 (Tesla T4): 36 instructions, 16 registers, an estimate\n") == {("k", 75): 16}

rows = [code.Kernel(90, "a", name, 8, collections.Counter(A=4)) for name in ("_Z2kbv", "_Z2kav", "_ZN3cub1kE")]
assert [one.name for one in code.firsts(rows)] == ["_Z2kav"]
off = [code.Off(rows[0], None, n / 10, n) for n in range(10)]
assert code.summary(off)[0] == 10 and [round(n, 6) for n in code.summary(off)[1:]] == [45, 45, 80, 4.5, 70], code.summary(off)


def run(limits, *words):
    return subprocess.run([sys.executable, tool, *words, "--limits", limits, heddle], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:  # one instruction too many is seen, and a kernel that is not there
    table, limits = os.path.join(folder, "t.tsv"), os.path.join(folder, "limits.txt")
    with open(os.path.join(machine, "histograms.tsv")) as rows, open(table, "w") as file:
        row = next(row for row in rows if row.startswith("90\tvector_ops.nvcc.ptx\t"))
        file.write(row.rstrip("\n") + " NOP=1\n" + row.replace("\t_Z", "\tno_Z"))
    with open(limits, "w") as file:
        file.write("90 0 0 100\n")
    done = run(limits, "--table", table, "--worst", "1")
    assert done.returncode == 1 and "NOP-1" in done.stdout and "sm_90 is beyond its limits" in done.stderr and "no no_Z" in done.stderr, done

done = run(os.path.join(machine, "histogram_limits.txt"))
print(done.stdout + done.stderr)
assert done.returncode == 0 and len(done.stdout.splitlines()) == 5 and "sm_75: 152 kernels" in done.stdout and "sm_90: 158 kernels" in done.stdout
