"""What one run of a test draws of a list that takes minutes: other items with each change of the source tree, and the same ones
wherever that tree is tested, so that a failure can be had again.

usage: drawn.py PART OF COMMAND [ARGUMENT ...]
       drawn.py any OF COMMAND [ARGUMENT ...]
       drawn.py one WORD WORD ...

Runs COMMAND if the tree draws PART (1 ...) of OF; else says so, with exit status 77, which means "skipped" to ctest. `any`: COMMAND
runs with two arguments more, the number that the tree draws (0 ...) and OF. `one` prints the word that the tree draws."""
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def tree_seed():
    """32 bits of what is committed; 0 without a repository."""
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD^{tree}"], capture_output=True, text=True)
    return int(done.stdout[:8], 16) if not done.returncode else 0


def some(items, share, what):
    """One of `share` of the items, rounded up, in their order; says so on stdout with the plural noun `what`."""
    items = list(items)
    count = -(-len(items) // share)
    if count < len(items):
        print(f"{count} of {len(items)} {what}, by the source tree", flush=True)
    return [items[i] for i in sorted(random.Random(tree_seed()).sample(range(len(items)), count))]


if __name__ == "__main__":
    if sys.argv[1] == "one":
        print(sys.argv[2 + tree_seed() % len(sys.argv[2:])])
        sys.exit()
    if sys.argv[1] == "any":
        drawn = tree_seed() % int(sys.argv[2])
        print(f"part {drawn + 1} of {sys.argv[2]}, by the source tree", flush=True)
        os.execvp(sys.argv[3], [*sys.argv[3:], str(drawn), sys.argv[2]])
    part, of = int(sys.argv[1]), int(sys.argv[2])
    assert 1 <= part <= of, sys.argv
    drawn = tree_seed() % of + 1
    if drawn != part:
        print(f"skipped: part {part} of {of}; this source tree draws part {drawn}")
        sys.exit(77)
    os.execvp(sys.argv[3], sys.argv[3:])
