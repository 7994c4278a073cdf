#!/usr/bin/env python3
"""Commands that are ended by a signal at a random moment leave nothing behind: no process that runs on, no file in TMPDIR, no
file in the cache that is not whole. Launches that a profiled program had finished are reported. The next command works.

usage: kill.py HEDDLE [--kills N] [--seed S]      default: 22 kills, a new seed each time, which is printed
"""
import argparse, fcntl, os, random, re, shutil, signal, subprocess, sys, tempfile, time

SOURCE = """
#include <cstdio>
#include <unistd.h>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main()
{
    int *p;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    for (int i = 0; i < %d; i++) {
        add<<<1, 32>>>(p);
        cudaDeviceSynchronize();
        printf("launch %%d\\n", i);
        fflush(stdout);
        usleep(20000);
    }
    return 0;
}
"""
LAUNCHES = 10
COMMANDS = {  # what is started, and whether the program is compiled for it or there already
    "build": (["build", "-o", "built", "new.cu"], True),
    "lib": (["build", "-lib", "-o", "built.a", "new.cu"], True),
    "ptx": (["ptx", "new.cu"], True),
    "run": (["run", "new.cu"], True),
    "profile": (["profile", "new.cu"], True),
    "profile made": (["profile", "program"], False),
    "check": (["check", "new.cu"], True),
    "check made": (["check", "program"], False),
    "profile script": (["profile", "./script.sh"], False),
    "check script": (["check", "./script.sh"], False),
    "compare": (["compare", "program", "--device", "h200,a100"], False),
}
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
MARK = "HEDDLE_TEST_MARK"
PATIENCE = 10  # s until what was started is gone; nothing is waited for where it is gone at once

parser = argparse.ArgumentParser()
parser.add_argument("heddle")
parser.add_argument("--kills", type=int, default=22)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
options = parser.parse_args()
random.seed(options.seed)
print(f"kill.py --kills {options.kills} --seed {options.seed}")
failures = []


def fail(what, text):
    failures.append(f"{what}: {text}")
    print(f"FAILED: {what}: {text}")


def marked(mark):
    """The processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if f"{MARK}={mark}".encode() in f.read().split(b"\0"):
                    with open(f"/proc/{pid}/cmdline", "rb") as c:
                        found.append(f"{pid} {c.read().replace(bytes(1), b' ').decode(errors='replace')[:100]}")
        except OSError:
            pass
    return found


def gone(look, at_once):
    """What is left of what look() lists: at once, or after as long as it takes."""
    end = time.monotonic() + PATIENCE
    left = look()
    while left and not at_once and time.monotonic() < end:
        time.sleep(0.005)
        left = look()
    return left


with tempfile.TemporaryDirectory() as folder:
    cache, temporary = f"{folder}/cache", f"{folder}/tmp"
    os.mkdir(temporary)
    env = {**os.environ, "HEDDLE_CACHE": cache, "TMPDIR": temporary}
    heddle = os.path.abspath(options.heddle)
    with open(f"{folder}/program.cu", "w") as f:
        f.write(SOURCE % LAUNCHES)
    subprocess.run([heddle, "build", "-o", "program", "program.cu"], cwd=folder, env=env, check=True)
    with open(f"{folder}/script.sh", "w") as f:
        f.write("#!/bin/sh\n./program\n./program\necho done\n")  # a child of a child
    os.chmod(f"{folder}/script.sh", 0o755)

    def once(name, number, sent, delay, group=False):
        """Runs a command, sends the signal after `delay` seconds, to it alone or to its process group; None: to its end. Returns
        how long it took."""
        words, compiled = COMMANDS[name]
        with open(f"{folder}/new.cu", "w") as f:
            f.write(SOURCE % LAUNCHES + f"// {number}\n")
        what = f"{name}, {'group, ' if group else ''}{signal.Signals(sent).name if delay is not None else 'to its end'}, {delay} s"
        started = time.monotonic()
        with open(f"{folder}/out", "w") as out, open(f"{folder}/err", "w") as err:
            p = subprocess.Popen([heddle, *words], cwd=folder, env={**env, MARK: str(number)}, stdout=out, stderr=err,
                                 start_new_session=True)
            try:
                p.wait(delay)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, sent) if group else p.send_signal(sent)
            p.wait()
        took = time.monotonic() - started
        said, printed = open(f"{folder}/err").read(), open(f"{folder}/out").read()
        if delay is None and p.returncode:
            fail(what, f"status {p.returncode}: {said}")
        if p.returncode < 0 and p.returncode != -sent:
            fail(what, f"ended by signal {-p.returncode}")
        left = gone(lambda: marked(number), False)
        if left:
            fail(what, f"runs on: {left}")
        left = gone(lambda: os.listdir(temporary), sent != signal.SIGKILL)
        if left:
            fail(what, f"left in TMPDIR: {left}")
            for entry in left:
                shutil.rmtree(f"{temporary}/{entry}", ignore_errors=True)
        extra = [e for e in os.listdir(cache) if e not in ("exe", "pch", "code", "state")]
        if extra:
            fail(what, f"left in the cache: {extra}")
        if name.startswith("profile") and sent != signal.SIGKILL:
            finished, reported = len(re.findall(r"^launch \d+$", printed, re.M)), said.count("==PROF== Profiling")
            if reported < finished:
                fail(what, f"{finished} launches were finished, {reported} are reported")
        return took

    def guardian_too():
        """A guardian that was killed cannot remove its folder: the next one does, and leaves those that are in use."""
        with open(f"{folder}/new.cu", "w") as f:
            f.write(SOURCE % LAUNCHES + "// guardian\n")
        for left in (True, False):
            p = subprocess.Popen([heddle, "run", "new.cu"], cwd=folder, env={**env, MARK: "guardian"}, stdout=subprocess.DEVNULL)
            while left and p.poll() is None and not os.listdir(temporary):
                time.sleep(0.001)
            if left:
                p.send_signal(signal.SIGSTOP)
                for pid in [m.split()[0] for m in marked("guardian")]:
                    with open(f"/proc/{pid}/comm") as f:
                        if f.read() == "heddle-guard\n":
                            os.kill(int(pid), signal.SIGKILL)
                p.kill()
            p.wait()
            gone(lambda: marked("guardian"), False)
            if left and len(os.listdir(temporary)) != 1:
                fail("guardian", f"the test killed it, so one folder should be left: {os.listdir(temporary)}")
            if left:
                os.mkdir(f"{temporary}/heddle-job-in-use")
                held = os.open(f"{temporary}/heddle-job-in-use", os.O_RDONLY)
                fcntl.flock(held, fcntl.LOCK_EX)
        if p.returncode or os.listdir(temporary) != ["heddle-job-in-use"]:
            fail("guardian", f"status {p.returncode}, in TMPDIR: {os.listdir(temporary)}")
        os.rmdir(f"{temporary}/heddle-job-in-use")
        os.close(held)

    long = {name: once(name, -i, signal.SIGTERM, None) for i, name in enumerate(COMMANDS, 1)}
    for i in range(options.kills):
        name = list(COMMANDS)[i % len(COMMANDS)]
        if random.random() < 0.2:
            shutil.rmtree(f"{cache}/pch", ignore_errors=True)  # so that the moment may be that of making precompiled headers
        once(name, i + 1000, SIGNALS[(i // len(COMMANDS) + i) % 3], random.uniform(0, 1.1 * long[name]), random.random() < 0.5)
    guardian_too()
    for i, name in enumerate(COMMANDS, 5000):
        if name in ("run", "profile"):
            once(name, i, signal.SIGTERM, None)

print("FAILED" if failures else "PASSED")
sys.exit(bool(failures))
