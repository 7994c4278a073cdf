#!/usr/bin/env python3
"""Whether tests/opinion could find anything: faults that are planted in the device's side, a wrong bit and a trap, are found, named
and made smaller; the same seed makes the same program; and 1,500 kernels use every word, type and kind of statement there is.

usage: selftest.py HEDDLE
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True # nothing is left beside the sources
import program

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))
import drawn


def opinion(plant, *arguments):
    done = subprocess.run([sys.executable, f"{HERE}/opinion.py", sys.argv[1], "--plant", plant, *arguments], capture_output=True, text=True)
    assert done.returncode == 1, done
    return done.stdout


def texts(seed, count):
    return "\n".join(program.Kernel(seed, i).text() for i in range(count))


assert texts(1, 5) == texts(1, 5) != texts(2, 5)

everything = texts(1, 1500) # in the bodies alone: a word counts where it is used, not where it is declared
missing = [name for rows in program.WORDS.values() for name, _ in rows if not re.search(rf"\b{name}\(", everything)]
assert not missing, missing
for what in ("switch", "while", "do {", "break;", "continue;", "case", "else if", " ? ", "NOINLINE", "_pick(", "barrier()", "barrier_count", "barrier_and",
             "barrier_or", "sync_warp", "ballot", "all(", "any(", "match_any", "match_all", "shfl_idx", "shfl_up", "shfl_down", "shfl_xor",
             "reduce_add(", "reduce_min_s", "reduce_xor", "atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor", "atomic_inc",
             "atomic_dec", "atomic_max_f32", "mix_ticket", "quot<", "cut<", "TABLE", "(x0 - 1", "in->l)[", " : ", "alignas(16)"):
    assert what in everything, what
numbers = len(re.findall(r"[(\s,=]\(?-?(?:0x)?\d[\w.+]*", everything))
assert numbers > 10000, numbers

said = opinion("bit", "--seed", "1", "--kernels", "8", "--levels", "v2", "--exec", "interp")
names = re.findall(r"^kernel (1\.\d+) \(interp, v2\): \d+ values differ from g\+\+'s", said, re.M)
assert names, said
name = min(names, key=lambda n: len(program.Kernel(1, int(n[2:])).text())) # the fewest steps
assert "to repeat: --seed 1 --programs 1 --kernels 8" in said, said
before = program.Kernel(1, int(name[2:])).text()
if drawn.tree_seed() % 2: # making kernels smaller takes long: of one kind for each source tree
    said = opinion("bit", "--shrink", name, "--levels", "v2", "--exec", "interp", "--steps", "24")
    assert re.search(rf"^kernel {re.escape(name)} \(interp, v2\), made smaller in \d+ steps: ", said, re.M), said
    assert said.count("\n") < 0.8 * before.count("\n"), said

# kernels that end the program are told from those that do not, also where no other is in their half
ends = {i for i in range(6) if re.search(r"\(\(u32 \*\).*= keep\(", program.Kernel(2, i).text())}
assert 0 < len(ends) < 6, ends
said = opinion("trap", "--seed", "2", "--kernels", "6", "--levels", "v2", "--exec", "interp")
named = re.findall(r"^kernel 2\.(\d+) \(interp, v2\) fails: device: status \d+$", said, re.M)
assert sorted(map(int, named)) == sorted(ends), (said, ends)
assert "differ" not in said.replace("without a difference", "") and f"{6 - len(ends)} of 6 kernels without a difference" in said, said
one = min(ends, key=lambda i: len(program.Kernel(2, i).text()))
if not drawn.tree_seed() % 2:
    said = opinion("trap", "--shrink", f"2.{one}", "--levels", "v2", "--exec", "interp", "--steps", "24")
    assert re.search(rf"^kernel 2\.{one} \(interp, v2\), made smaller in \d+ steps, fails: device: status \d+$", said, re.M), said
    assert said.count("\n") < 0.8 * program.Kernel(2, one).text().count("\n"), said
print("PASSED")
