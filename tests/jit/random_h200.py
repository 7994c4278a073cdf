#!/usr/bin/env python3
"""Random kernels on a real GPU: makes tests/data/random_h200.tsv.

    random_h200.py pack JIT_RANDOM DIR FIRST COUNT   the kernels of the even seeds (jit_random ... files) and their launches
    random_h200.py run DIR OUT                       on a machine with a GPU, ptxas and python3: writes OUT/random_h200.tsv

Each kernel is assembled by ptxas there and launched twice. Where the two differ the kernel asks what CUDA does not answer, and
is told of; where they differ from what Heddle's interpreter left, OUT has the memory as SEED.bin, and whether ptxas -O0 agrees.
Lines of random_h200.tsv: seed, digest of the PTX, digest of what the kernel left in memory (tests/jit/random.c says of what).
"""
import collections
import concurrent.futures
import ctypes
import os
import re
import struct
import subprocess
import sys
import time

COUNTERS, WARPS, OUT_BYTES = 16, 512 * 16, 4 << 20
MASK = (1 << 64) - 1
Launch = collections.namedtuple("Launch", "seed text digest x y bytes")


def pack(program, folder, first, count):
    os.makedirs(folder, exist_ok=True)
    lines = subprocess.run([os.path.abspath(program), first, count, "files"], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout
    with open(os.path.join(folder, "launches.txt"), "w") as f:
        f.writelines(line + "\n" for line in lines.splitlines() if line.count(" ") == 5)


def launches(folder):
    with open(os.path.join(folder, "launches.txt")) as f:
        for line in f:
            seed, text, left, x, y, n = line.split()
            yield Launch(int(seed), text, left, int(x), int(y), int(n))


def digest(left, n):
    """digest() of tests/jit/random.c: the last four slots are f64, all of whose NaN are one"""
    h, doubles = 14695981039346656037, n // 8 - 4 * (n // (8 * SLOTS))
    for i, word in enumerate(struct.unpack("<%dQ" % (len(left) // 8), left)):
        if doubles <= i < n // 8 and word & 0x7fffffffffffffff > 0x7ff0000000000000:
            word = 0x7ff8000000000000
        h = (h ^ word) * 1099511628211 & MASK
        h ^= h >> 32
    return "%016x" % h


SLOTS = 34


class Gpu:
    """the driver interface, as far as it is needed"""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context, version = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name, self.driver = name.value.decode(), version.value

    def call(self, name, *args):
        status = getattr(self.cuda, name)(*args)
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError("%s: %s" % (name, (text.value or b"?").decode()))

    def memory(self, n):
        at = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(n))
        return at

    def copy_out(self, at, n):
        data = ctypes.create_string_buffer(n)
        self.call("cuMemcpyDtoH_v2", data, at, ctypes.c_size_t(n))
        return data.raw

    def kernel(self, cubin):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        return module, function


def assemble(folder, seed, level):
    cubin = os.path.join(folder, "%d.O%d.cubin" % (seed, level))
    r = subprocess.run(["ptxas", "-arch=sm_90", "-O%d" % level, os.path.join(folder, "%d.ptx" % seed), "-o", cubin], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True)
    return "" if r.returncode == 0 else r.stdout.strip()


def work(folder, level, seeds, keep):
    """in a process of its own, since a kernel may not come back: prints "done seed digest" for each, with two digests if they differ"""
    gpu = Gpu()
    print("gpu", gpu.driver, gpu.name, flush=True)
    with open(os.path.join(folder, "in.bin"), "rb") as f:
        given = f.read()
    data, out, counter, warps = gpu.memory(len(given)), gpu.memory(OUT_BYTES), gpu.memory(COUNTERS), gpu.memory(WARPS)
    gpu.call("cuMemcpyHtoD_v2", data, given, ctypes.c_size_t(len(given)))
    for launch in launches(folder):
        if launch.seed not in seeds:
            continue
        print("try", launch.seed, flush=True)
        with open(os.path.join(folder, "%d.O%d.cubin" % (launch.seed, level)), "rb") as f:
            module, function = gpu.kernel(f.read())
        salt = ctypes.c_uint32(launch.seed * 2654435761 & 0xffffffff)
        args = (ctypes.c_void_p * 5)(*[ctypes.addressof(a) for a in (data, out, counter, warps, salt)])
        seen = []
        for _ in range(2):
            for at, n in ((out, OUT_BYTES), (counter, COUNTERS), (warps, WARPS)):
                gpu.call("cuMemsetD8_v2", at, ctypes.c_ubyte(0), ctypes.c_size_t(n))
            gpu.call("cuLaunchKernel", function, 2, 1, 1, launch.x, launch.y, 1, 0, None, args, None)
            gpu.call("cuCtxSynchronize")
            seen.append(gpu.copy_out(out, launch.bytes) + gpu.copy_out(counter, COUNTERS) + gpu.copy_out(warps, WARPS))
        gpu.call("cuModuleUnload", module)
        found = [digest(left, launch.bytes) for left in sorted(set(seen))]
        if keep and found[0] != launch.digest:
            with open(os.path.join(keep, "%d.bin" % launch.seed), "wb") as f:
                f.write(seen[0])
        print("done", launch.seed, *found, flush=True)


def on_gpu(folder, level, seeds, keep, device):
    """seed: [digest], two if they differed, or what went wrong"""
    answer, seeds = {}, list(seeds)
    while seeds:
        p = subprocess.Popen([sys.executable, __file__, "work", folder, str(level), ",".join(map(str, seeds)), keep], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        try:
            text = p.communicate(timeout=30 + 0.5 * len(seeds))[0]
        except subprocess.TimeoutExpired:
            p.kill()
            text = p.communicate()[0] + "\ndoes not end"
        tried = None
        for line in text.splitlines():
            word = line.split()
            if word[:1] == ["try"]:
                tried = int(word[1])
            elif word[:1] == ["done"]:
                answer[int(word[1])] = word[2:]
                tried = None
            elif word[:1] == ["gpu"]:
                device.append((" ".join(word[2:]), word[1]))
        if tried is None and len(seeds) != sum(s in answer for s in seeds):
            raise RuntimeError(text)
        if tried is not None:
            answer[tried] = text.splitlines()[-1]
        seeds = [s for s in seeds if s not in answer]
    return answer


def run(folder, out):
    os.makedirs(out, exist_ok=True)
    todo = list(launches(folder))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = dict(zip([t.seed for t in todo], pool.map(lambda t: assemble(folder, t.seed, 3), todo)))
        device, found = [], {}
        chunks = [[t.seed for t in todo[i:i + 75] if not problems[t.seed]] for i in range(0, len(todo), 75)]
        for part in pool.map(lambda c: on_gpu(folder, 3, c, out, device), chunks):
            found.update(part)
        odd = [t.seed for t in todo if found.get(t.seed) != [t.digest] and not problems[t.seed]]
        list(pool.map(lambda seed: assemble(folder, seed, 0), odd))
    slow = on_gpu(folder, 0, odd, "", device) if odd else {}
    name, driver = device[0]
    version = re.search(r"V[\d.]+", subprocess.run(["ptxas", "--version"], stdout=subprocess.PIPE, text=True).stdout).group()
    agree = 0
    with open(os.path.join(out, "random_h200.tsv"), "w") as f, open(os.path.join(out, "differences.txt"), "w") as told:
        f.write("# %s, driver %s, ptxas %s, %s; tests/jit/random_h200.py run\n" % (name, driver, version, time.strftime("%Y-%m-%d", time.gmtime())))
        for t in todo:
            answer = found.get(t.seed)
            if isinstance(answer, list) and len(answer) == 1:
                f.write("%d\t%s\t%s\n" % (t.seed, t.text, answer[0]))
                agree += answer[0] == t.digest
            if answer != [t.digest]:
                told.write("%d: here %s, there %s, with ptxas -O0 %s\n" % (t.seed, t.digest, problems[t.seed] or answer, slow.get(t.seed)))
    print("%d kernels, %d agree; %s" % (len(todo), agree, os.path.join(out, "differences.txt")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["pack"] and len(sys.argv) == 6:
        pack(*sys.argv[2:])
    elif sys.argv[1:2] == ["run"] and len(sys.argv) == 4:
        run(*sys.argv[2:])
    elif sys.argv[1:2] == ["work"] and len(sys.argv) == 6:
        work(sys.argv[2], int(sys.argv[3]), {int(s) for s in sys.argv[4].split(",")}, sys.argv[5])
    else:
        sys.exit(__doc__)
