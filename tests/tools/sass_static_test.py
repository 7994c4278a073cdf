"""tests/truth/sass_*.tsv is what tools/sass_static.py makes. Skipped (77) without ptxas; another version of it is
skipped too, by name: its choices may differ."""
import os
import shutil
import subprocess
import sys

root = sys.argv[1]
tool = os.path.join(root, "tools", "sass_static.py")
if not shutil.which("ptxas"):
    done = subprocess.run([sys.executable, tool, "--ptxas", "ptxas", "x.ptx"], capture_output=True, text=True)
    assert done.returncode == 77 and "no 'ptxas' here" in done.stderr, done
    print("skipped: there is no ptxas here")
    sys.exit(77)
bad = 0
for table, folder in (("sass_cases.tsv", "tests/ptx/target"), ("sass_static.tsv", "tests/truth/ptx")):
    stored = open(os.path.join(root, "tests", "truth", table)).read().splitlines()
    names = dict.fromkeys(line.split("\t")[0] for line in stored[3:])
    files = [os.path.join(root, folder, name) for name in names]
    done = subprocess.run([sys.executable, tool, *files], capture_output=True, text=True)
    made = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    if stored[1].split()[2] != made[1].split()[2]:
        print("skipped: the table is of ptxas %s, here is %s" % (stored[1].split()[2], made[1].split()[2]))
        sys.exit(77)
    kernels = {line for line in stored if not line.startswith("#")}
    for line in made[2:]:
        if line not in kernels:
            bad += 1
            print("%s lacks: %s" % (table, line))
    bad += len(kernels) != len(made) - 2
sys.exit(bad != 0)
