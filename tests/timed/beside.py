"""Two equal kernels in two streams and in one, over one of them alone, against an H200 (tests/truth/time/host.tsv, rows "beside"): kernels that leave
room run side by side, and share what the multiprocessors do. How long one alone takes is not looked at here.

usage: beside.py HEDDLE"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEAN, MOST = 0.15, 0.45


def ratios(rows):
    """{"33, two in two streams": over one alone}."""
    return {(blocks, how): rows[f"work, {blocks} x 256 threads, two in {how}"] / rows[f"work, {blocks} x 256 threads"]
            for blocks in (33, 66, 132, 264, 528, 1056) for how in ("two streams", "one stream")}


def main():
    truth = ratios({line.split("\t")[1]: float(line.split("\t")[2]) for line in open(os.path.join(HERE, "..", "truth", "time", "host.tsv"))
                    if line.startswith("beside\twork")})
    done = subprocess.run([sys.argv[1], "run", "--timed", os.path.join(HERE, "beside.cu")], capture_output=True, text=True,
                          env=dict(os.environ, HEDDLE_DEVICE="h200", HEDDLE_QUIET="1"))
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    ours = ratios({line.split("\t")[0]: float(line.split("\t")[1]) for line in done.stdout.splitlines()})
    errors = []
    for key, value in ours.items():
        errors.append(abs(value / truth[key] - 1))
        print(f"{key[0]:5} blocks, two in {key[1]:12} {value:5.2f} times one, on an H200 {truth[key]:5.2f}: {100 * errors[-1]:4.1f} %")
    wrong = sum(errors) / len(errors) > MEAN or max(errors) > MOST
    print(f"{'FAILED' if wrong else 'PASSED'}: mean error {100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
