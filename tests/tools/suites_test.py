"""tools/suites.py over two logs of ctest."""
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "suites.py"
LOGS = {
    "test-build.log": "  1/4 Test #12: unit.arena .............   Passed   60.00 sec\n"
                      "10/12 Test  #3: unit.dram ..............***Failed   30.00 sec\n"
                      "  3/4 Test #13: jit.random_v4_1 ........***Skipped   0.00 sec\n"
                      "  4/4 Test #14: jit.rows ...............   Passed  132.00 sec\n",
    "test-build-asan.log": "  1/1 Test #12: unit.arena .............   Passed   12.00 sec\n",
}
TABLE = """| suite | tests | minutes, one test at a time |
|---|--:|--:|
| jit | 2 | 2.2 |
| unit | 2 | 1.5 |
| unit (build-asan) | 1 | 0.2 |
| all | 5 | 3.9 |
"""


def run(folder, *words):
    return subprocess.run([sys.executable, str(TOOL), *words], capture_output=True, text=True, cwd=folder)


with tempfile.TemporaryDirectory() as folder:
    for name, text in LOGS.items():
        (Path(folder) / name).write_text(text)
    done = run(folder, *LOGS)
    assert (done.returncode, done.stdout) == (0, TABLE), done
    page = Path(folder) / "page.md"
    page.write_text("a\n<!-- suites -->\nold\n<!-- end of suites -->\nb\n")
    done = run(folder, "--write", "page.md", *LOGS)
    assert done.returncode == 0 and page.read_text() == f"a\n<!-- suites -->\n{TABLE}<!-- end of suites -->\nb\n", page.read_text()
    page.write_text("a\n")
    done = run(folder, "--write", "page.md", *LOGS)
    assert done.returncode == 1 and "lacks the marks" in done.stderr, done
    assert "run ./test.sh first" in run(folder).stderr
