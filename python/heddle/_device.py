"""Devices and what lies in their memory."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Tuple

from . import _types
from ._library import CDeviceInfo, Error, WRITE, _text, encoded, library, must


class Device:
    """A GPU, by the name of its description ("h200", "k40"; `heddle devices` lists them); without a name HEDDLE_DEVICE of the
    environment, else h200. What kernels print goes to sys.stdout when their launch has ended."""

    def __init__(self, name: Optional[str] = None, threads: Optional[int] = None):
        self._handle: Optional[int] = None
        lib = library()
        handle = ctypes.c_void_p()
        must(lib.heddle_device_open(None if name is None else encoded(name, "the name of a device"), ctypes.byref(handle)))
        self._handle, self._process = handle.value, os.getpid()
        self._lock = threading.RLock()  # one launch at a time, with its settings
        self._parts: "weakref.WeakSet[Any]" = weakref.WeakSet()  # modules and arrays
        self._printed: List[Tuple[int, bytes]] = []
        self._write = WRITE(lambda stream, text, n, user: self._printed.append((stream, ctypes.string_at(text, n))))
        must(lib.heddle_output(handle, self._write, None))
        info = CDeviceInfo()
        must(lib.heddle_device_describe(handle, ctypes.byref(info)))
        self.id: str = _text(info.id)
        self.name: str = _text(info.name)
        self.compute_capability: Tuple[int, int] = (info.cc_major, info.cc_minor)
        self.arch: str = f"sm_{info.arch}"  # that source is compiled for
        self.multiprocessors: int = info.multiprocessors
        self.memory_bytes: int = info.memory_bytes
        if threads is not None:
            must(lib.heddle_device_threads(handle, threads))

    def __repr__(self) -> str:
        return f"<heddle.Device {self.id}: {self.name}{'' if self._handle else ', closed'}>"

    @property
    def handle(self) -> int:
        if self._handle is None:
            raise Error(f"the device '{self.id}' was closed")
        if os.getpid() != self._process:
            raise Error(f"the device '{self.id}' was opened by process {self._process}, of which this one is a fork: open one here (heddle.Device())")
        return self._handle

    def close(self) -> None:
        """Gives everything back. Its modules and arrays cannot be used any more."""
        with self._lock:
            if self._handle is None or os.getpid() != self._process:
                return
            for part in list(self._parts):
                part._release()
            library().heddle_device_close(self._handle)
            self._handle = None

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *what: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter ends: what close() needs may be gone
            pass

    @contextmanager
    def _launching(self) -> Iterator[int]:
        with self._lock:
            try:
                yield self.handle
            finally:
                self._show()

    def _show(self) -> None:
        printed, self._printed[:] = list(self._printed), []
        for stream, text in printed:
            (sys.stderr if stream == 2 else sys.stdout).write(text.decode(errors="replace"))

    # --- arrays ---

    def empty(self, shape: Any, dtype: Any = "float32") -> "Array":
        """An array in the device's memory, with nothing in it that could be relied on."""
        return Array(self, shape, dtype)

    def zeros(self, shape: Any, dtype: Any = "float32") -> "Array":
        a = Array(self, shape, dtype)
        if a.nbytes:
            must(library().heddle_fill(self.handle, a.address, 0, 1, a.nbytes))
        return a

    def array(self, values: Any, dtype: Any = None) -> "Array":
        """A copy of an array of numpy (or of what numpy makes one from)."""
        np = _types.numpy()
        host = np.ascontiguousarray(values, dtype=dtype)
        a = Array(self, np.shape(values), host.dtype)
        a.set(host.reshape(a.shape))
        return a


class Array:
    """An array in a device's memory: what stays there from launch to launch. numpy() or numpy.asarray() copies it out."""

    def __init__(self, device: Device, shape: Any, dtype: Any):
        self._address: Optional[int] = None
        np = _types.numpy()
        self.device = device
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError(f"an array of {self.dtype} has Python objects, which a kernel cannot read")
        self.shape: Tuple[int, ...] = tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
        if any(n < 0 for n in self.shape):
            raise ValueError(f"the shape {self.shape} has a negative number")
        self.size = 1
        for n in self.shape:
            self.size *= n
        self.nbytes: int = self.size * self.dtype.itemsize
        if self.nbytes >= 1 << 63:
            raise Error(f"an array of shape {self.shape} does not fit the device's {device.memory_bytes} bytes")
        at = ctypes.c_uint64()
        must(library().heddle_alloc(device.handle, max(self.nbytes, 1), ctypes.byref(at)))
        self._address = at.value
        device._parts.add(self)

    def __repr__(self) -> str:
        return f"<heddle.Array {self.dtype}{list(self.shape)} on {self.device.id}{'' if self._address is not None else ', freed'}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of no dimension has no length")
        return self.shape[0]

    @property
    def address(self) -> int:
        """Where it begins in the device's memory."""
        if self.device.handle and self._address is not None:
            return self._address
        raise Error(f"the array of {self.dtype}{list(self.shape)} was freed")

    def set(self, values: Any) -> None:
        """Copies an array of the same shape, or a value for all elements, to the device."""
        np = _types.numpy()
        host = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=self.dtype), self.shape))
        if self.nbytes:
            must(library().heddle_copy_in(self.device.handle, self.address, host.ctypes.data, self.nbytes))

    def numpy(self) -> Any:
        """A copy as an array of numpy."""
        host = _types.numpy().empty(self.shape, self.dtype)
        if self.nbytes:
            must(library().heddle_copy_out(self.device.handle, host.ctypes.data, self.address, self.nbytes))
        return host

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def free(self) -> None:
        """Gives its memory back, now and not when the last name of it is gone."""
        if self.address:
            self._release()

    def _release(self) -> None:
        address, self._address = self._address, None
        if address is not None and self.device._handle is not None and os.getpid() == self.device._process:
            library().heddle_free(self.device._handle, address)

    def __del__(self) -> None:
        try:
            self._release()
        except Exception:  # the interpreter ends
            pass


_default: Optional[Device] = None


def device() -> Device:
    """The device that is used where none is named: opened once in each process."""
    global _default
    if _default is None or _default._handle is None or _default._process != os.getpid():
        _default = Device()
    return _default
