"""Modules and kernels: CUDA source to a module, arguments to a launch."""
from __future__ import annotations

import ctypes
import json
import os
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _types
from ._command import Source, command, refused, scratch
from ._device import Array, Device, device as default_device
from ._library import (CKernelInfo, CLaunch, CompileWarning, Error, FOUND, StrayAccess, _text, encoded, launch_failure, library,
                       must, shown)
from ._result import Findings, Result

Size = Union[int, Sequence[int]]


def compile(source: Union[str, Path], *, name: str = "kernel.cu", options: Sequence[str] = (), device: Optional[Device] = None) -> "Module":
    """Compiles CUDA source for a device and loads its kernels.

    source:   the text; or the path of a .cu file (a pathlib.Path, or a str without a line break)
    name:     what messages and reports call the text
    options:  flags as nvcc has them: ["-DN=16", "-use_fast_math"]
    device:   heddle.Device; default: heddle.device()

    CompileError has the compiler's messages. Warnings are Python warnings (CompileWarning).
    """
    dev = device or default_device()
    file = Source(source, name)
    ptx = scratch()
    flags = [] if any(str(o).lstrip("-").startswith(("arch", "gpu-arch", "gencode")) for o in options) else [f"-arch={dev.arch}"]
    try:
        done = command(["build", "-ptx", *flags, *map(str, options), "-o", str(ptx), file.argument], cwd=file.folder)
        text = "" if done.returncode else ptx.read_text()
    finally:
        ptx.unlink(missing_ok=True)
    if done.returncode:
        raise refused(done.stderr or done.stdout)
    if done.stderr.strip():
        warnings.warn(shown(done.stderr).rstrip("\n"), CompileWarning, stacklevel=2)
    return Module(text, name=file.name, device=dev)


class Module:
    """Kernels and variables of one source. module["saxpy"] is a kernel, by its name with or without parameters and template
    arguments; `for kernel in module` are all of them."""

    def __init__(self, ptx: str, *, name: str = "PTX", device: Optional[Device] = None):
        self._handle: Optional[int] = None
        self.device = device or default_device()
        self.name, self.ptx = name, ptx
        lib, handle = library(), ctypes.c_void_p()
        raw = encoded(ptx, "the PTX")
        must(lib.heddle_module_load(self.device.handle, encoded(name, "the name"), raw, len(raw), ctypes.byref(handle)))
        self._handle = handle.value
        self.device._parts.add(self)
        self.kernels: List[Kernel] = []
        while not lib.heddle_module_kernel(self.handle, len(self.kernels), ctypes.byref(handle)):
            self.kernels.append(Kernel(self, handle.value))

    def __repr__(self) -> str:
        return f"<heddle.Module {self.name}: {', '.join(k.name for k in self.kernels) or 'no kernels'}>"

    @property
    def handle(self) -> int:
        if self.device.handle and self._handle is not None:
            return self._handle
        raise Error(f"the module '{self.name}' was unloaded")

    def __iter__(self) -> "Iterator[Kernel]":
        return iter(self.kernels)

    def __getitem__(self, name: str) -> "Kernel":
        found = [k for k in self.kernels if k._answers_to(name)]
        if len(found) == 1:
            return found[0]
        have = ", ".join(repr(k.signature) for k in (found or self.kernels)) or "none (is anything __global__, and each template instantiated?)"
        raise KeyError(f"{len(found) or 'no'} kernels '{name}' in {self.name}; there are: {have}")

    def variable(self, name: str) -> "Tuple[int, int]":
        """Address and size in bytes of a __device__ or __constant__ variable, by its name in the PTX."""
        at, n = ctypes.c_uint64(), ctypes.c_size_t()
        must(library().heddle_module_variable(self.handle, encoded(name, "the name"), ctypes.byref(at), ctypes.byref(n)))
        return at.value, n.value

    def read(self, name: str, dtype: Any) -> Any:
        """A variable's value as an array of numpy."""
        at, n = self.variable(name)
        np = _types.numpy()
        if n % np.dtype(dtype).itemsize:
            raise ValueError(f"variable '{name}' has {n} bytes: no whole number of {np.dtype(dtype)}")
        host = np.empty(n // np.dtype(dtype).itemsize, dtype)
        must(library().heddle_copy_out(self.device.handle, host.ctypes.data, at, n))
        return host

    def write(self, name: str, values: Any) -> None:
        """Sets a variable from an array of numpy of its size."""
        at, n = self.variable(name)
        host = _types.numpy().ascontiguousarray(values)
        if host.nbytes != n:
            raise ValueError(f"variable '{name}' has {n} bytes, the array {host.nbytes}")
        must(library().heddle_copy_in(self.device.handle, at, host.ctypes.data, n))

    def _release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self.device._handle is not None and os.getpid() == self.device._process:
            library().heddle_module_unload(handle)

    def __del__(self) -> None:
        try:
            self._release()
        except Exception:  # the interpreter ends
            pass


class Kernel:
    """A __global__ function. kernel[grid, block](arguments) launches it:

        kernel[16, 256](n, a, x, y)                      # 16 blocks of 256 threads
        kernel[(4, 4), (16, 16), 1024](x)                # and 1,024 bytes of dynamic shared memory per block
        result = kernel[16, 256].profile(n, a, x, y)     # and counters
        findings = kernel[16, 256].check(n, a, x, y)     # and checkers

    Arguments: numpy arrays are copied to the device and, unless the parameter is a pointer to const, back again;
    heddle.Array stays there; numbers become what the parameter is; structs are ctypes.Structure, numpy scalars or bytes; None
    is the null pointer. cooperative=True: all blocks are resident at the same time, for grid.sync().
    """

    def __init__(self, module: Module, handle: int):
        self.module, self._kernel = module, handle
        self.signature: str = _text(library().heddle_kernel_signature(handle))
        self.name: str = _types.name_of(self.signature)  # "space::f<double, 3>"
        self._known: Optional[List[_types.Parameter]] = None

    def __repr__(self) -> str:
        return f"<heddle.Kernel {self.signature}>"

    def _answers_to(self, name: str) -> bool:
        plain = self.name.split("<")[0]
        return name in (self.signature, self.name, plain, plain.split("::")[-1])

    @property
    def handle(self) -> int:
        return self._kernel if self.module.handle else 0

    @property
    def info(self) -> Dict[str, Any]:
        """What it needs: registers (estimated) and local bytes per thread, shared bytes per block, most threads per block ..."""
        info = CKernelInfo()
        must(library().heddle_kernel_describe(self.handle, ctypes.byref(info)))
        found = {field: getattr(info, field) for field, *_ in CKernelInfo._fields_}
        found["name"] = _text(found["name"])
        return found

    @property
    def parameters(self) -> List[_types.Parameter]:
        if self._known is None:
            lib, sizes, ptx = library(), [], []
            offset, size = ctypes.c_size_t(), ctypes.c_size_t()
            for i in range(self.info["parameters"]):
                must(lib.heddle_kernel_parameter(self.handle, i, ctypes.byref(offset), ctypes.byref(size)))
                sizes.append(size.value)
                ptx.append(_text(lib.heddle_kernel_parameter_type(self.handle, i)))
            self._known = _types.parameters(self.signature, sizes, ptx)
        return self._known

    def occupancy(self, block: Size, shared: int = 0) -> int:
        """Blocks of so many threads that are resident on a multiprocessor at a time."""
        x, y, z = _types.three("block", block)
        n = ctypes.c_int()
        must(library().heddle_occupancy(self.handle, x * y * z, shared, ctypes.byref(n)))
        return n.value

    def __getitem__(self, shape: Any) -> "Launch":
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise TypeError(f"kernel '{self.name}': [grid, block] or [grid, block, bytes of shared memory] is needed, not {shape!r}")
        return Launch(self, *shape)

    def __call__(self, *arguments: Any) -> None:
        raise TypeError(f"kernel '{self.name}' needs a grid and a block: {self.name}[grid, block](...)")


class Launch:
    """A kernel with the shape of its launch: kernel[grid, block] or kernel[grid, block, bytes of dynamic shared memory]."""

    def __init__(self, kernel: Kernel, grid: Size, block: Size, shared: int = 0):
        self.kernel = kernel
        self.grid, self.block = _types.three("grid", grid), _types.three("block", block)
        (self.shared, _, _) = _types.three("dynamic shared memory", shared, least=0)

    def __repr__(self) -> str:
        return f"<heddle.Launch {self.kernel.name}{list(self.grid)}{list(self.block)}>"

    def __call__(self, *arguments: Any, cooperative: bool = False) -> None:
        """Runs the kernel to its end, at full speed."""
        with self.kernel.module.device._launching():
            self._run(arguments, cooperative, False)

    def profile(self, *arguments: Any, metrics: Optional[Sequence[str]] = None, cooperative: bool = False) -> Result:
        """Runs the kernel and answers its counters. `metrics`: no others are counted, which is faster; default: all."""
        if isinstance(metrics, str):
            metrics = metrics.split(",")
        with self.kernel.module.device._launching() as device:
            must(library().heddle_collect(device, None if metrics is None else encoded(",".join(metrics), "the metrics")))
            try:
                result = self._run(arguments, cooperative, True)
            finally:
                library().heddle_collect(device, None)
        assert result
        return result

    def check(self, *arguments: Any, tools: str = "all", cooperative: bool = False) -> Findings:
        """Runs the kernel under the checkers and answers what they found. Bad accesses are not carried out, and the kernel goes
        on. tools: "memcheck", "initcheck", "synccheck", "racecheck", several with commas, or "all"."""
        told: Dict[Tuple[int, int], Dict[str, Any]] = {}

        def found(raw: bytes, text: bytes, user: Any) -> None:
            finding = json.loads(raw)
            finding["text"] = "\n".join(line[1:] for line in shown(_text(text)).rstrip().splitlines())
            told[finding["launch"], finding["id"]] = finding

        callback = FOUND(found)
        with self.kernel.module.device._launching() as device:
            must(library().heddle_check(device, encoded(tools, "the tools"), callback, None))
            try:
                self._run(arguments, cooperative, False, forgiven=CHECK_FAILED)
            except Error as e:
                if not told:  # a fault that no checker tells of
                    raise
                fault: Optional[Error] = e
            else:
                fault = None
            finally:
                library().heddle_check(device, None, FOUND(), None)
        return Findings(told.values(), fault)

    def _run(self, arguments: Sequence[Any], cooperative: bool, counts: bool, forgiven: int = 0) -> Optional[Result]:
        packed = Arguments(self.kernel, arguments)
        config = CLaunch(grid=self.grid, block=self.block, shared_bytes=self.shared, cooperative=int(cooperative))
        out = ctypes.c_void_p()

        def launch() -> Tuple[int, Optional[Error], str]:
            lib = library()
            status = lib.heddle_launch(self.kernel.handle, ctypes.byref(config), packed.pointers, ctypes.byref(out) if counts else None)
            stray = lib.heddle_last_stray()
            return status, launch_failure(status) if status else None, _text(stray)

        status, failure, stray = _interruptible(launch, self.kernel.module.device)
        result = Result(out.value, self.kernel.module) if out.value else None
        if failure and status != forgiven:
            failure.result = result  # type: ignore[attr-defined]  # what was counted until then
            raise failure
        if stray:
            warnings.warn(shown(stray).rstrip(), StrayAccess, stacklevel=3)
        packed.copy_back()
        return result


CHECK_FAILED = 17  # heddle_status.def


def _interruptible(launch: Callable[[], Any], device: Device) -> Any:
    """Calls `launch`. In the main thread, which gets Ctrl-C, another thread does so, and Ctrl-C ends the kernel."""
    if threading.current_thread() is not threading.main_thread():
        return launch()
    answer: List[Any] = []
    thread = threading.Thread(target=lambda: answer.append(launch()), daemon=True)
    try:
        thread.start()
        thread.join()
    except KeyboardInterrupt:
        while thread.is_alive():
            library().heddle_device_interrupt(device.handle)  # of a kernel that runs: it may be about to begin
            thread.join(0.1)
        raise
    return answer[0]


class Arguments:
    """The values of a launch's parameters, and the arrays that go to the device and back with them."""

    def __init__(self, kernel: Kernel, values: Sequence[Any]):
        self.kernel = kernel
        self.copies: List[Tuple[Any, Array, bool]] = []  # of the host, of the device, is copied back
        parameters = kernel.parameters
        if len(values) != len(parameters):
            raise TypeError(f"{kernel.signature}: {len(parameters)} arguments are needed, {len(values)} were given")
        raw = [self._pack(p, value) for p, value in zip(parameters, values)]
        self._buffers = [ctypes.create_string_buffer(b, len(b)) for b in raw]
        self.pointers = (ctypes.c_void_p * max(len(raw), 1))(*[ctypes.addressof(b) for b in self._buffers])

    def _pack(self, p: _types.Parameter, value: Any) -> bytes:
        where = f"{self.kernel.name}: parameter {p.index + 1} ({p.type})"
        np = _types.np
        if isinstance(value, Array):
            _types.check_array(where, p, value)
            if value.device is not self.kernel.module.device:
                raise ValueError(f"{where}: the array is on another device ({value.device.id})")
            return _types.pointer(where, value.address)
        if np is not None and isinstance(value, np.ndarray) and (value.ndim or p.pointer):
            _types.check_array(where, p, value)
            _types.check_contiguous(where, value)
            if not value.flags.writeable and p.pointer and not p.const:
                raise ValueError(f"{where}: the array is read-only, and the kernel may write there")
            return _types.pointer(where, self._on_device(where, p, value).address)
        if value is None:
            if p.pointer is False:
                raise TypeError(f"{where} is no pointer, but None was given")
            return _types.pointer(where, 0)
        if p.pointer:
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{where} needs an array of numpy, a heddle.Array or an address, not {_types._kind(value)}")
            return _types.pointer(where, value.__index__())
        return _types.scalar(where, p, value)

    def _on_device(self, where: str, p: _types.Parameter, host: Any) -> Array:
        """The copy of an array; of one that was given twice, the same."""
        begin, back = host.ctypes.data, bool(host.flags.writeable) and not p.const
        for i, (other, there, was_back) in enumerate(self.copies):
            if other.ctypes.data == begin and other.nbytes == host.nbytes:
                self.copies[i] = (other if was_back else host, there, was_back or back)
                return there
            if (back or was_back) and begin < other.ctypes.data + other.nbytes and other.ctypes.data < begin + host.nbytes:
                raise ValueError(f"{where}: the array overlaps that of another argument, and each would have its own copy; use heddle.Array")
        there = Array(self.kernel.module.device, host.shape, host.dtype)
        there.set(host)
        self.copies.append((host, there, back))
        return there

    def copy_back(self) -> None:
        for host, there, back in self.copies:
            if back and there.nbytes:
                must(library().heddle_copy_out(there.device.handle, host.ctypes.data, there.address, there.nbytes))
