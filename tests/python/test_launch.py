"""Compiling, launching, arguments of all kinds, faults."""
import ctypes
import io
import os
import signal
import threading
import unittest
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np

import heddle
from sources import SAXPY

TYPES = """
struct pair { float x; double y; };
template<typename T, int N>
__global__ void sum(T *out, unsigned long long q, short s, pair p, unsigned char c, bool b) { *out = N + q + s + p.x + p.y + c + b; }
template __global__ void sum<double, 3>(double *, unsigned long long, short, pair, unsigned char, bool);
template __global__ void sum<float, 4>(float *, unsigned long long, short, pair, unsigned char, bool);
extern "C" __global__ void plain(int n, float a, double b, unsigned long long q, float *out) { out[n] = a + b + q; }
namespace space { __global__ void inside(float4 v, float2 *out) { out->x = v.x + v.y; out->y = v.z + v.w; } }
__global__ void pointers(int *const *const p, float *__restrict__ out, char c) { out[0] = (p == nullptr) + c; }
__device__ int counts[4];
__constant__ float factor;
__global__ void variables(float *out) { atomicAdd(&counts[threadIdx.x & 3], 1); out[threadIdx.x] = factor; }
__global__ void dynamic(int *out) { extern __shared__ int s[]; s[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
__global__ void difference(const float *a, const float *b, float *out) { *out = *a - *b; }
__global__ void where(int *out) { out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z; }
"""
TOGETHER = """
#include <cooperative_groups.h>
__global__ void together(int *p)
{
    p[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += p[i];
        p[0] = sum;
    }
}
"""
FAULTS = """
#include <cstdio>
#include <cassert>
__global__ void wild(float *p)
{
    p[1ull << 40] = threadIdx.x;
}
__global__ void claim(int n) { printf("thread %d\\n", threadIdx.x); assert(threadIdx.x < n); }
__global__ void forever(volatile int *p) { while (!*p) {} }
"""


class Launches(unittest.TestCase):
    def setUp(self):
        self.x, self.y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)

    def test_arrays_of_numpy_go_and_come_back(self):
        heddle.compile(SAXPY)["saxpy"][4, 256](1000, 2.0, self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * np.arange(1000) + 1)
        np.testing.assert_array_equal(self.x, np.arange(1000))

    def test_arrays_of_the_device_stay_there(self):
        device = heddle.device()
        saxpy = heddle.compile(SAXPY)["saxpy"]
        x, y = device.array(self.x), device.zeros(1000)
        for _ in range(3):
            saxpy[4, 256](1000, 1, x, y)
        np.testing.assert_array_equal(y.numpy(), 3 * self.x)
        np.testing.assert_array_equal(np.asarray(y)[:3], [0, 3, 6])
        y.set(7)
        np.testing.assert_array_equal(y.numpy(), np.full(1000, 7))
        self.assertEqual((len(y), y.nbytes, y.dtype), (1000, 4000, np.float32))
        self.assertEqual(device.array(np.arange(6).reshape(2, 3).T).numpy().tolist(), [[0, 3], [1, 4], [2, 5]])
        self.assertEqual(device.empty(0).numpy().shape, (0,))

    def test_an_array_given_twice_is_one(self):
        heddle.compile(SAXPY)["saxpy"][4, 256](1000, 2, self.y, self.y)
        np.testing.assert_array_equal(self.y, np.full(1000, 3))
        with self.assertRaisesRegex(ValueError, "overlaps"):
            heddle.compile(SAXPY)["saxpy"][1, 32](1, 2, self.y[:500], self.y[400:])
        out, module = np.zeros(1, np.float32), heddle.compile(TYPES)
        module["difference"][1, 1](self.x[1:], self.x[:-1], out)  # both are only read
        self.assertEqual(out[0], 1)

    def test_read_only_arrays(self):
        self.x.flags.writeable = False
        saxpy = heddle.compile(SAXPY)["saxpy"]
        saxpy[4, 256](1000, 2, self.x, self.y)
        self.assertEqual(self.y[10], 21)
        with self.assertRaisesRegex(ValueError, r"saxpy: parameter 4 \(float \*\): the array is read-only"):
            saxpy[4, 256](1000, 2, self.y, self.x)

    def test_scalars_and_structs(self):
        module, out = heddle.compile(TYPES), np.zeros(1)
        class Pair(ctypes.Structure):
            _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_double)]
        scalar = np.zeros((), np.dtype([("x", "f4"), ("y", "f8")], align=True))
        scalar["x"], scalar["y"] = 1, 2
        kernel = module["sum<double, 3>"]
        for pair in (Pair(1, 2), scalar, scalar[()], bytes(Pair(1, 2))):
            kernel[1, 1](out, 4, -5, pair, 7, True)
            self.assertEqual(out[0], 3 + 4 - 5 + 1 + 2 + 7 + 1)
        kernel[1, 1](out, np.uint64(4), np.int16(-5), Pair(1, 2), ctypes.c_uint8(7), np.bool_(False))
        self.assertEqual(out[0], 3 + 4 - 5 + 1 + 2 + 7)
        plain = np.zeros(3, np.float32)
        module["plain"][1, 1](1, 0.5, 0.25, 3, plain)
        module["plain"][1, 1](np.int32(2), np.float64(0.5), ctypes.c_double(1), ctypes.c_uint64(3), plain)
        self.assertEqual(plain.tolist(), [0, 3.75, 4.5])
        vector = np.zeros(2, np.float32)
        module["inside"][1, 1](np.array([1, 2, 3, 4], np.float32).tobytes(), vector)
        self.assertEqual(vector.tolist(), [3, 7])
        module["space::inside"][1, 1]((ctypes.c_float * 4)(4, 3, 2, 1), vector)
        self.assertEqual(vector.tolist(), [7, 3])
        module["pointers"][1, 1](None, plain, -3)
        self.assertEqual(plain[0], -2)

    def test_shapes(self):
        module, out = heddle.compile(TYPES), np.zeros(24, np.int32)
        module["where"][(2, 3, 4), (5, 6, 7)](out)
        self.assertEqual(out.tolist(), [567] * 24)
        module["dynamic"][1, 24, 96](out)
        self.assertEqual(out.tolist(), list(range(23, -1, -1)))
        self.assertEqual(module["where"].occupancy((16, 16)), 8)
        for shape in ((0, 1), (1, -1), (1.5, 1), ((1, 1, 1, 1), 1), (1, 1 << 32), (True, 1), (1, 1, -4)):
            with self.assertRaises((TypeError, ValueError), msg=shape):
                module["where"][shape]
        for wrong in (1, (1, 2, 3, 4)):
            with self.assertRaisesRegex(TypeError, r"\[grid, block\]"):
                module["where"][wrong]
        with self.assertRaisesRegex(heddle.Error, "a block of 2048 threads in x; device h200 allows 1 to 1024"):
            module["where"][1, 2048](out)
        with self.assertRaisesRegex(heddle.Error, "bytes of shared memory per block"):
            module["where"][1, 32, 1 << 20](out)

    def test_cooperative_launches(self):
        kernel = heddle.compile(TOGETHER)["together"]
        p = np.zeros(8, np.int32)
        kernel[8, 32](p, cooperative=True)
        self.assertEqual(p.tolist(), [8] + [1] * 7)
        self.assertEqual(kernel[8, 32].profile(p, cooperative=True)["launch__grid_size"], 8)
        with self.assertRaisesRegex(heddle.Fault, r"grid.sync\(\)"):
            kernel[8, 32](p)

    def test_variables(self):
        module, out = heddle.compile(TYPES), np.zeros(32, np.float32)
        module.write("factor", np.float32(2.5))
        module["variables"][1, 32](out)
        self.assertEqual(out.tolist(), [2.5] * 32)
        self.assertEqual(module.read("counts", np.int32).tolist(), [8] * 4)
        with self.assertRaisesRegex(heddle.Error, "no variable 'nothing'"):
            module.read("nothing", np.int32)
        with self.assertRaisesRegex(ValueError, "has 4 bytes, the array 8"):
            module.write("factor", np.float64(2.5))
        with self.assertRaisesRegex(ValueError, "no whole number of float64"):
            module.read("factor", np.float64)

    def test_wrong_arguments(self):
        saxpy, x, y = heddle.compile(SAXPY)["saxpy"], self.x, self.y
        plain = heddle.compile(TYPES)["plain"]
        for kernel, arguments, error, text in [
                (saxpy, (1, 2, x), TypeError, r"4 arguments are needed, 3 were given"),
                (saxpy, (1, 2, x, y, 5), TypeError, r"4 arguments are needed, 5 were given"),
                (saxpy, (1, 2, x, np.ones(9)), TypeError, r"parameter 4 \(float \*\) needs float32, but the array is of float64; use a.astype\('float32'\)"),
                (saxpy, (1, 2, x.astype(np.int32), y), TypeError, r"parameter 3 .* needs float32, but the array is of int32"),
                (saxpy, (1, 2, x.astype(">f4"), y), TypeError, r"bytes in another order"),
                (saxpy, (1, 2, np.array([None]), y), TypeError, r"Python objects"),
                (saxpy, (1, 2, x, y[::2]), ValueError, r"not C-contiguous \(shape \(500,\), strides \(8,\)\); use numpy.ascontiguousarray"),
                (saxpy, (1, 2, x, np.ones((4, 4), np.float32).T[:2]), ValueError, r"not C-contiguous"),
                (saxpy, (x, 2, x, y), TypeError, r"parameter 1 \(int\) is no pointer, but an array of float32 was given"),
                (saxpy, (1.5, 2, x, y), TypeError, r"parameter 1 \(int\) is no floating-point number, but 1.5 was given"),
                (saxpy, ("1", 2, x, y), TypeError, r"parameter 1 \(int\): '1' is no number"),
                (saxpy, (1 << 31, 2, x, y), ValueError, r"2147483648 does not fit \(-2147483648 to 2147483647\)"),
                (saxpy, (1, 1e300, x, y), ValueError, r"parameter 2 \(float\): 1e\+300 does not fit"),
                (saxpy, (ctypes.c_int64(1), 2, x, y), TypeError, r"parameter 1 \(int\) has 4 bytes, but a c_long has 8"),
                (saxpy, (1, 2, 3.5, y), TypeError, r"parameter 3 .* needs an array of numpy, a heddle.Array or an address, not 3.5"),
                (saxpy, (1, 2, [1.0], y), TypeError, r"needs an array of numpy, .* not a list"),
                (saxpy, (1, 2, -1, y), ValueError, r"-1 is no address"),
                (saxpy, (None, 2, x, y), TypeError, r"parameter 1 \(int\) is no pointer, but None was given"),
                (plain, (1, 2, 3, 4.5, y), TypeError, r"parameter 4 \(.u64\) is no floating-point number"),
                (plain, (y, 2, 3, 4, y), TypeError, r"parameter 1 \(.u32\) is no pointer"),
                (heddle.compile(TYPES)["inside"], (1, x), TypeError, r"parameter 1 \(float4\): 1 was given; a struct is passed as"),
                (heddle.compile(TYPES)["inside"], (b"1234", x), TypeError, r"parameter 1 \(float4\) has 16 bytes, but .* of 4 was given")]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                kernel[1, 32](*arguments)
        with self.assertRaisesRegex(TypeError, r"needs a grid and a block: saxpy\[grid, block\]"):
            saxpy(1, 2, x, y)

    def test_what_is_freed_or_closed_or_elsewhere(self):
        device = heddle.Device("k40")
        module = heddle.compile(SAXPY, device=device)
        self.assertEqual((device.compute_capability, device.id), ((3, 5), "k40"))
        a, b = device.zeros(4), device.zeros(4)
        module["saxpy"][1, 32](4, 1, a, b)
        with self.assertRaisesRegex(ValueError, r"the array is on another device \(k40\)"):
            heddle.compile(SAXPY)["saxpy"][1, 32](4, 1, a, b)
        a.free()
        for use in (a.numpy, a.free, lambda: a.set(1), lambda: module["saxpy"][1, 32](4, 1, a, b)):
            with self.assertRaisesRegex(heddle.Error, r"the array of float32\[4\] was freed"):
                use()
        device.close()
        device.close()
        for use in (b.numpy, lambda: device.zeros(1), lambda: module["saxpy"][1, 32](4, 1, 0, 0), lambda: module.variable("x")):
            with self.assertRaisesRegex(heddle.Error, "the device 'k40' was closed"):
                use()
        with self.assertRaisesRegex(heddle.Error, r"^no device description 'h20x'; did you mean .*'h200'"):
            heddle.Device("h20x")
        with self.assertRaisesRegex(heddle.Error, "device memory"):
            heddle.device().empty(1 << 60)

    def test_fork(self):
        saxpy = heddle.compile(SAXPY)["saxpy"]
        y = heddle.device().zeros(1000)
        child = os.fork()
        if not child:
            status = 1
            try:
                saxpy[4, 256](1000, 2, self.x, self.y)
            except heddle.Error as e:
                status = 2
                if "is a fork" in str(e):
                    heddle.compile(SAXPY)["saxpy"][4, 256](1000, 2, self.x, self.y)
                    status = 0 if self.y[5] == 11 else 3
            os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        saxpy[4, 256](1000, 2, self.x, y)
        self.assertEqual(y.numpy()[5], 10)

    def test_threads(self):
        sums = []
        def work(a):
            saxpy = heddle.compile(SAXPY)["saxpy"]
            y = np.zeros(1000, np.float32)
            for _ in range(5):
                saxpy[4, 256].profile(1000, a, self.x, y, metrics=["gld_efficiency"])
            sums.append((y == 5 * a * self.x).all())
        threads = [threading.Thread(target=work, args=(a,)) for a in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sums, [True] * 4)


class Compiling(unittest.TestCase):
    def test_errors_have_the_compilers_messages(self):
        with self.assertRaisesRegex(heddle.CompileError, r"(?s)^mine.cu:2:5: error: use of undeclared identifier 'y'.*\n +2 \| +y = 1;"):
            heddle.compile("__global__ void f() {\n    y = 1;\n}\n", name="mine.cu")

    def test_warnings_are_warnings(self):
        with self.assertWarnsRegex(heddle.CompileWarning, r"kernel.cu:1:\d+: warning: .*division by zero"):
            heddle.compile("__global__ void f(int *p) { *p = 1 / 0; }\n")

    def test_options(self):
        out = np.zeros(1, np.int32)
        heddle.compile("__global__ void f(int *p) { *p = N; }\n", options=["-DN=42"])["f"][1, 1](out)
        self.assertEqual(out[0], 42)
        with self.assertRaisesRegex(heddle.Error, "--nonsense"):
            heddle.compile("__global__ void f() {}\n", options=["--nonsense"])
        self.assertIn(".target sm_70", heddle.compile(SAXPY, device=heddle.Device("v100")).ptx)
        self.assertIn(".target sm_80", heddle.compile(SAXPY, options=["-arch=sm_80"]).ptx)

    def test_files(self):
        path = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "vector_add.cu")
        self.assertTrue(heddle.compile(path).kernels)
        with self.assertRaisesRegex(heddle.Error, "'nothing.cu': no such file"):
            heddle.compile("nothing.cu")
        for name in ("a/b.cu", "", ".."):
            with self.assertRaisesRegex(ValueError, "no name of a file"):
                heddle.compile(SAXPY, name=name)

    def test_names_of_kernels(self):
        module = heddle.compile(TYPES)
        self.assertEqual(module["sum<float, 4>"].parameters[0].type, "float *")
        self.assertEqual(len(list(module)), 9)
        self.assertEqual([k.name for k in module][:3], ["sum<double, 3>", "sum<float, 4>", "plain"])
        self.assertEqual(module["inside"].name, "space::inside")
        odd = heddle.compile("enum E { A, B };\ntemplate<E e> __global__ void f(void (*g)(int), int *p) {}\ntemplate __global__ void f<B>(void (*)(int), int *);\n")
        self.assertEqual([(k.name, len(k.parameters), k.parameters[0].pointer) for k in odd], [("f<(E)1>", 2, True)])
        with self.assertRaisesRegex(KeyError, "2 kernels 'sum'"):
            module["sum"]
        with self.assertRaisesRegex(KeyError, r"no kernels 'f' in kernel.cu; there are: none \(is anything __global__"):
            heddle.compile("__device__ int f;\n")["f"]

    def test_ptx(self):
        ptx = heddle.compile(SAXPY).ptx
        self.assertEqual(heddle.Module(ptx)["saxpy"].info["parameters"], 4)
        with self.assertRaisesRegex(heddle.Error, r"mine:1"):
            heddle.Module("nonsense", name="mine")
        with self.assertRaisesRegex(ValueError, "zero byte"):
            heddle.Module("a\0b")
        with self.assertRaisesRegex(TypeError, "a str is needed"):
            heddle.Module(b"bytes")


class Faults(unittest.TestCase):
    def test_bad_address(self):
        with self.assertRaisesRegex(heddle.Fault, "kernel.cu:6") as caught:
            heddle.compile(FAULTS)["wild"][2, 32](np.zeros(1, np.float32))
        fault = caught.exception
        self.assertEqual((fault.reason, fault.file, fault.line, fault.block, fault.thread), ("illegal memory access", "kernel.cu", 6, (0, 0, 0), (0, 0, 0)))
        self.assertNotIn("heddle-python", str(fault))
        out = np.zeros(1, np.int32)
        heddle.compile("__global__ void f(int *p) { *p = 1; }\n")["f"][1, 1](out)  # the device goes on
        self.assertEqual(out[0], 1)

    def test_what_was_counted_until_then(self):
        with self.assertRaises(heddle.Fault) as caught:
            heddle.compile(FAULTS)["wild"][2, 32].profile(np.zeros(1, np.float32))
        self.assertIn("illegal memory access", caught.exception.result.fault)

    def test_output_and_assertions(self):
        said, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(complained), self.assertRaises(heddle.Fault) as caught:
            heddle.compile(FAULTS)["claim"][1, 4](3)
        self.assertEqual(said.getvalue(), "".join(f"thread {i}\n" for i in range(4)))
        self.assertRegex(complained.getvalue(), "threadIdx.x < n")
        self.assertEqual(caught.exception.reason, "device-side assertion failed")

    def test_strays(self):
        with self.assertWarnsRegex(heddle.StrayAccess, r"(?s)kernel.cu:6 .*by thread \(232,0,0\) in block \(3,0,0\)") as caught:
            heddle.compile(SAXPY)["saxpy"][4, 256](1001, 2, np.ones(1000, np.float32), np.ones(1000, np.float32))
        self.assertEqual(caught.filename, __file__)

    def test_interrupt(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            heddle.compile(FAULTS)["forever"][1, 32](np.zeros(1, np.int32))
        out = np.zeros(1, np.int32)
        heddle.compile("__global__ void f(int *p) { *p = 1; }\n")["f"][1, 1](out)
        self.assertEqual(out[0], 1)


warnings.simplefilter("error", ResourceWarning)
if __name__ == "__main__":
    unittest.main()
