"""Test of tools/operation_code.py: the machine code that Heddle makes of each operation against the committed counts of NVIDIA's
assembler, architecture by architecture; means may not go above those of tests/truth/machine/operation_limits.txt. With ptxas (another
version is told and left out) the counts of one architecture are made again and compared."""
import os
import shutil
import subprocess
import sys

root, heddle = sys.argv[1:3]
tool = os.path.join(root, "tools", "operation_code.py")
machine = os.path.join(root, "tests", "truth", "machine")
sys.path.insert(0, os.path.join(root, "tools"))
import operation_code as code  # noqa: E402

failed = 0


def check(good, text):
    global failed
    if not good:
        failed = 1
        print("operation_code_test.py:", text)


# Alternatives, letters of types, registers.
check([text for text, _ in code.expanded("add.{u16,f32} $d, $a")] == ["add.u16 $d, $a", "add.f32 $d, $a"], "alternatives")
check([type_ for _, type_ in code.expanded("{min,max}.{u16x2,s64} $d")] == ["u16x2", "s64", "u16x2", "s64"], "types")
check([code.letter(t) for t in ("b8", "f16", "f16x2", "u32", "f32", "s64", "f64")] == list("hhrrsqt"), "letters")
check(abs(code.error(code.counted("A=2 B=1"), code.counted("A=1 C=1")) - 1.5) < 1e-9, "an error")
check(code.differences(code.counted("A=2 B=1"), code.counted("A=2 C=1")) == "B+1 C-1", "differences")

# A kernel that is not as the table says is seen.
truth = code.rows()
check(len({name for _, name in truth}) > 900 and {arch for arch, _ in truth} == set(code.DEVICES), "the table is short")
made, said = code.ours(heddle, 90, [op for op in code.operations() if op.name == "add_f32_d_a_b"])
check(code.error(made.get("add_f32_d_a_b", code.counted("")), truth[90, "add_f32_d_a_b"]) == 0, "add.f32: " + said)
check(code.error(made.get("add_f32_d_a_b", code.counted("")), truth[90, "add_f64_d_a_b"]) > 0, "add.f32 is not add.f64")

done = subprocess.run([sys.executable, tool, "--compare", heddle, "--limits", os.path.join(machine, "operation_limits.txt"), "--worst", "5"])
failed |= done.returncode

if shutil.which("ptxas"):
    with open(code.TABLE) as file:
        version = file.readline().split("ptxas ")[1].split()[0]
    if version in subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout:
        now = dict((name, code.counted(counts)) for name, counts in code.measured("ptxas", 90, code.operations()))
        check(now == {name: counts for (arch, name), counts in truth.items() if arch == 90}, "the table is not what ptxas makes now")
    else:
        print("operation_code_test.py: this is not ptxas %s: the table was not made again" % version)
sys.exit(failed)
