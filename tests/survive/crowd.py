#!/usr/bin/env python3
"""Two hundred `heddle run` at once, each killed at a random moment: nothing is left that breaks the next.

Some of the programs are in the cache at first, some are compiled, and precompiled headers are made meanwhile.

usage: crowd.py HEDDLE [--runs N] [--seed S]
"""
import argparse, heapq, os, random, signal, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("heddle")
parser.add_argument("--runs", type=int, default=200)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
options = parser.parse_args()
random.seed(options.seed)
print(f"crowd.py --runs {options.runs} --seed {options.seed}")
PROGRAMS, MADE, WITHIN = 8, 6, 2.0  # how many, how many of them before; s after its start when the last is killed
failures = []


def gone(look):
    end = time.monotonic() + 10
    while look() and time.monotonic() < end:
        time.sleep(0.01)
    return look()


with tempfile.TemporaryDirectory() as folder:
    cache, temporary = f"{folder}/cache", f"{folder}/tmp"
    os.mkdir(temporary)
    env = {**os.environ, "HEDDLE_CACHE": cache, "TMPDIR": temporary, "HEDDLE_EXEC": "jit"}
    heddle = os.path.abspath(options.heddle)
    for i in range(PROGRAMS):
        with open(f"{folder}/{i}.cu", "w") as f:
            f.write("__global__ void k(int *p) { *p = %d; }\n"
                    "int main() { int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; }\n" % i)

    def command(i):
        std = [f"-std=c++{20 if i == PROGRAMS - 1 else 17}"]  # the last has precompiled headers of its own
        return [heddle, "run", *std, f"{i}.cu"]

    for i in range(MADE):
        subprocess.run(command(i), cwd=folder, env=env)
    ends, ended = [], []
    for i in range(options.runs):
        which = random.randrange(PROGRAMS)
        p = subprocess.Popen(command(which), cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        heapq.heappush(ends, (time.monotonic() + random.uniform(0, WITHIN), i, which, p))
        while ends and ends[0][0] <= time.monotonic():
            ended.append(heapq.heappop(ends)[2:])
            ended[-1][1].kill()
    while ends:
        at, _, which, p = heapq.heappop(ends)
        time.sleep(max(0, at - time.monotonic()))
        p.kill()
        ended.append((which, p))
    for which, p in ended:
        said = p.communicate()[1]
        if p.returncode not in (which, -signal.SIGKILL) or said:
            failures.append(f"{which}.cu ended with {p.returncode}: {said}")
    print(sum(p.returncode >= 0 for _, p in ended), "of", options.runs, "came to their end")
    left = gone(lambda: os.listdir(temporary))
    if left:
        failures.append(f"left in TMPDIR: {left}")
    extra = set(os.listdir(cache)) - {"exe", "pch", "code", "state"}
    if extra:
        failures.append(f"left in the cache: {extra}")
    for i in range(PROGRAMS):
        for _ in range(2):  # the second time all is there
            p = subprocess.run(command(i), cwd=folder, env=env, capture_output=True, text=True)
            if p.returncode != i or p.stderr:
                failures.append(f"afterwards {i}.cu ended with {p.returncode}: {p.stderr}")

for text in failures:
    print("FAILED:", text)
print("FAILED" if failures else "PASSED")
sys.exit(bool(failures))
