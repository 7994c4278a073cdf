"""Programs of Numba, the ones that its documentation begins with: each beside numpy. Needs Numba (Debian: python3-numba), which finds
CUDA's libraries under `heddle env`.
"""
import math
import sys
import warnings

try:
    import numpy as np
    from numba import cuda, float32, vectorize
    from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
except ImportError as missing:
    print("SKIPPED:", missing)
    sys.exit(77)

warnings.simplefilter("ignore")
TILE = 16
failed = []


def expect(name, good):
    if not good:
        failed.append(name)
        print("FAILED:", name)


@cuda.jit
def matmul(a, b, c):
    of_a = cuda.shared.array((TILE, TILE), float32)
    of_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for i in range(a.shape[1] // TILE):
        of_a[ty, tx] = a[y, tx + i * TILE]
        of_b[ty, tx] = b[ty + i * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += of_a[ty, j] * of_b[j, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def histogram(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i], 1)


@cuda.jit(device=True)
def damped(v):
    return math.sin(v) * math.exp(-v) + math.pow(v, 0.3)


@cuda.jit
def mathematics(x, out):
    i = cuda.grid(1)
    if i < x.size:
        multiples = cuda.local.array(4, dtype=float32)
        for k in range(4):
            multiples[k] = x[i] * k
        out[i] = damped(x[i]) + multiples[3]


@cuda.reduce
def total(a, b):
    return a + b


@vectorize(["float32(float32, float32)"], target="cuda")
def affine(a, b):
    return a * b + 1


@cuda.jit
def numbers(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i)


@cuda.jit
def warps(out):
    lane = cuda.laneid
    row = out[cuda.grid(1)]
    row[0] = cuda.shfl_down_sync(0xffffffff, lane, 1)
    row[1] = cuda.shfl_up_sync(0xffffffff, lane, 2)
    row[2] = cuda.shfl_xor_sync(0xffffffff, lane, 5)
    row[3] = cuda.shfl_sync(0xffffffff, lane, 7)
    row[4] = cuda.ballot_sync(0xffffffff, lane % 3 == 0)
    row[5] = cuda.any_sync(0xffffffff, lane == 3)
    row[6] = cuda.all_sync(0xffffffff, lane == 3)
    row[7] = cuda.match_any_sync(0xffffffff, lane % 4)


def main():
    rng = np.random.default_rng(1)
    a, b = rng.random((64, 64), np.float32), rng.random((64, 64), np.float32)
    c = np.zeros_like(a)
    matmul[(4, 4), (TILE, TILE)](a, b, c)
    expect("matmul", np.allclose(c, a @ b, rtol=1e-4))
    x = rng.integers(0, 10, 5000).astype(np.int32)
    bins = np.zeros(10, np.int32)
    histogram[20, 256](x, bins)
    expect("histogram", (bins == np.bincount(x, minlength=10)).all())
    x = rng.random(1000)
    out = np.zeros(1000)
    mathematics[8, 128](x, out)
    expect("mathematics", np.allclose(out, np.sin(x) * np.exp(-x) + x ** 0.3 + 3 * x, rtol=1e-6))
    expect("reduce", np.isclose(total(x), x.sum()))
    x = np.arange(100, dtype=np.float32)
    expect("vectorize", (affine(x, x) == x * x + 1).all())
    out = np.zeros(4096, np.float32)
    numbers[32, 128](create_xoroshiro128p_states(4096, seed=1), out)
    expect("random numbers", 0.48 < out.mean() < 0.52 and 0 <= out.min() and out.max() < 1)
    rows = np.zeros((32, 8), np.uint32)
    warps[1, 32](rows)
    lane = np.arange(32)
    ballot = sum(1 << i for i in range(0, 32, 3))
    groups = [sum(1 << i for i in range(k, 32, 4)) for k in range(4)]
    want = np.stack([np.minimum(lane + 1, 31), np.where(lane < 2, lane, lane - 2), lane ^ 5, lane * 0 + 7, lane * 0 + ballot, lane * 0 + 1,
                     lane * 0, np.array(groups)[lane % 4]], 1)
    expect("warps", (rows == want).all())
    stream = cuda.stream()
    with stream.auto_synchronize():
        there = cuda.to_device(np.arange(10), stream=stream)
    expect("streams", there.copy_to_host().sum() == 45)
    print("FAILED" if failed else "PASSED")
    sys.exit(bool(failed))


main()
