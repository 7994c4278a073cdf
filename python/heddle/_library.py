"""libheddle by ctypes: where it is, its functions as api/heddle/heddle.h declares them, and its statuses as exceptions."""
from __future__ import annotations

import ctypes
import os
import re
import shutil
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Iterator, Optional

VERSION = "0.1.0"  # of heddle.h that the declarations below follow


class Error(Exception):
    """Heddle cannot do what was asked; the text says why. `status` is the number in heddle_status.def, 0: none of it."""

    def __init__(self, text: str, status: int = 0):
        super().__init__(shown(text).removeprefix("error: ").rstrip("\n"))
        self.status = status


class CompileError(Error):
    """The CUDA source does not compile; the text has the compiler's messages, with lines."""


class Fault(Error):
    """A kernel did what a GPU stops it for: a bad address, a failed assertion, a deadlock. The text is ready to print.

    reason:  what it is, in a few words ("illegal memory access")
    kernel:  its name; file, line: where in the source (None, 0: not known); ptx_line: in the PTX
    block, thread: indices (x, y, z); address: of the access
    """

    def __init__(self, text: str, status: int, reason: str, fault: "CFault"):
        super().__init__(text, status)
        self.reason = reason
        self.kernel: str = _text(fault.kernel)
        self.file: Optional[str] = shown(_text(fault.file)) if fault.file else None
        self.line: int = fault.line
        self.ptx_line: int = fault.ptx_line
        self.block = tuple(fault.block)
        self.thread = tuple(fault.thread)
        self.address: int = fault.address


class CompileWarning(UserWarning):
    """What the compiler warned of."""


class StrayAccess(UserWarning):
    """A kernel touched memory outside of every allocation, where a GPU has some mapped, so that it went on."""


def _text(raw: Optional[bytes]) -> str:
    return (raw or b"").decode(errors="replace")


# --- structs of heddle.h ---

class CDeviceInfo(Structure):
    _fields_ = [("id", c_char_p), ("name", c_char_p), ("cc_major", c_int), ("cc_minor", c_int), ("arch", c_int),
                ("multiprocessors", c_int), ("memory_bytes", c_uint64)]


class CKernelInfo(Structure):
    _fields_ = [("name", c_char_p), ("parameters", c_int), ("parameter_bytes", c_size_t), ("static_shared", c_size_t),
                ("local", c_size_t), ("constant", c_size_t), ("registers", c_int), ("max_threads", c_int), ("min_blocks", c_int),
                ("arch", c_int), ("has_effect", c_int)]


class CWindow(Structure):
    _fields_ = [("base", c_uint64), ("bytes", c_uint64), ("set_aside", c_uint64), ("ratio", c_float)]


class CLaunch(Structure):
    _fields_ = [("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("shared_bytes", c_size_t), ("cooperative", c_int),
                ("persisting", CWindow), ("eight_byte_banks", c_int)]


class CFault(Structure):
    _fields_ = [("status", c_int), ("text", c_char_p), ("kernel", c_char_p), ("file", c_char_p), ("line", c_int),
                ("ptx_line", c_int), ("block", c_uint32 * 3), ("thread", c_uint32 * 3), ("address", c_uint64)]


class CLine(Structure):
    _fields_ = [("file", c_char_p), ("line", c_int), ("ptx_line", c_int), ("ptx_text", c_char_p)]


WRITE = ctypes.CFUNCTYPE(None, c_int, c_void_p, c_size_t, c_void_p)
FOUND = ctypes.CFUNCTYPE(None, c_char_p, c_char_p, c_void_p)

_FUNCTIONS = {  # name: (result, parameters)
    "heddle_version": (c_char_p, []),
    "heddle_status_text": (c_char_p, [c_int]),
    "heddle_error_text": (c_char_p, []),
    "heddle_device_open": (c_int, [c_char_p, POINTER(c_void_p)]),
    "heddle_device_close": (None, [c_void_p]),
    "heddle_device_describe": (c_int, [c_void_p, POINTER(CDeviceInfo)]),
    "heddle_device_threads": (c_int, [c_void_p, c_int]),
    "heddle_device_interrupt": (None, [c_void_p]),
    "heddle_output": (c_int, [c_void_p, WRITE, c_void_p]),
    "heddle_alloc": (c_int, [c_void_p, c_size_t, POINTER(c_uint64)]),
    "heddle_free": (c_int, [c_void_p, c_uint64]),
    "heddle_copy_in": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "heddle_copy_out": (c_int, [c_void_p, c_void_p, c_uint64, c_size_t]),
    "heddle_fill": (c_int, [c_void_p, c_uint64, c_uint32, ctypes.c_uint, c_size_t]),
    "heddle_module_load": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "heddle_module_unload": (None, [c_void_p]),
    "heddle_module_variable": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), POINTER(c_size_t)]),
    "heddle_module_kernel": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "heddle_kernel_signature": (c_char_p, [c_void_p]),
    "heddle_kernel_describe": (c_int, [c_void_p, POINTER(CKernelInfo)]),
    "heddle_kernel_parameter": (c_int, [c_void_p, c_int, POINTER(c_size_t), POINTER(c_size_t)]),
    "heddle_kernel_parameter_type": (c_char_p, [c_void_p, c_int]),
    "heddle_launch": (c_int, [c_void_p, POINTER(CLaunch), POINTER(c_void_p), POINTER(c_void_p)]),
    "heddle_last_fault": (POINTER(CFault), []),
    "heddle_last_stray": (c_char_p, []),
    "heddle_occupancy": (c_int, [c_void_p, c_int, c_size_t, POINTER(c_int)]),
    "heddle_check": (c_int, [c_void_p, c_char_p, FOUND, c_void_p]),
    "heddle_collect": (c_int, [c_void_p, c_char_p]),
    "heddle_result_free": (None, [c_void_p]),
    "heddle_result_metric": (c_int, [c_void_p, c_char_p, POINTER(c_double)]),
    "heddle_result_line": (c_int, [c_void_p, c_int, POINTER(CLine)]),
    "heddle_result_line_metric": (c_int, [c_void_p, c_int, c_char_p, POINTER(c_double)]),
    "heddle_result_json": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_size_t)]),
    "heddle_result_read": (c_int, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "heddle_metric_name": (c_char_p, [c_int]),
    "heddle_metric_unit": (c_char_p, [c_char_p]),
    "heddle_metric_trust": (c_char_p, [c_char_p]),
    "heddle_metric_help": (c_char_p, [c_char_p]),
}


# --- where Heddle is ---

def _commands() -> Iterator[Path]:
    """Where the command may be, best first."""
    root = os.environ.get("HEDDLE_ROOT")
    if root:
        yield Path(root, "bin", "heddle")
        return  # who names a place wants no other
    here = Path(os.path.abspath(__file__))
    for folder in (*here.parents, *here.resolve().parents):
        yield folder / "build" / "bin" / "heddle"  # the source tree
        yield folder / "bin" / "heddle"            # a prefix
    found = shutil.which("heddle")
    if found:
        yield Path(found)


_LIBRARY = "libheddle.so"
_found: Optional[Path] = None
_loaded: Optional[ctypes.CDLL] = None


def home() -> Path:
    """The folder with bin/heddle and lib/libheddle.so: a build, or lib/heddle of an installation."""
    global _found
    if _found is None:
        for command in _commands():
            folder = command.resolve().parent.parent
            if command.is_file() and (folder / "lib" / _LIBRARY).exists():
                _found = folder
                break
        else:
            root = os.environ.get("HEDDLE_ROOT")
            raise Error(f"HEDDLE_ROOT is '{root}': there is no bin/heddle with {_LIBRARY}" if root else
                        f"cannot find Heddle ({_LIBRARY} and the command 'heddle'): set HEDDLE_ROOT to the folder that it was built in, "
                        "or to the prefix that it is installed below, or PATH to have 'heddle'")
    return _found


def library() -> ctypes.CDLL:
    """libheddle, loaded at the first call."""
    global _loaded
    if _loaded is None:
        path = home() / "lib" / _LIBRARY
        try:
            lib = ctypes.CDLL(str(path))
        except OSError as e:
            raise Error(f"cannot load '{path}': {e}") from None
        lib.heddle_version.restype = c_char_p
        theirs = _text(lib.heddle_version())
        if theirs.split(".")[:2] != VERSION.split(".")[:2]:
            raise Error(f"'{path}' is Heddle {theirs}, the Python package is of {VERSION}: install both from one build")
        for name, (result, parameters) in _FUNCTIONS.items():
            try:
                function = getattr(lib, name)
            except AttributeError:
                raise Error(f"'{path}' has no function {name}: it is older than the Python package") from None
            function.restype, function.argtypes = result, parameters
        _loaded = lib
    return _loaded


def shown(text: str) -> str:
    """Heddle's text without the folders that source text lies in."""
    return re.sub(r"/\S*/heddle-python-\w+/[0-9a-f]{16}/", "", text)


def must(status: int) -> None:
    """Raises what a call failed with."""
    if status:
        lib = library()
        raise Error(_text(lib.heddle_error_text()) or _text(lib.heddle_status_text(status)), status)


def launch_failure(status: int) -> Error:
    """The calling thread's last launch, which answered `status`, as an exception to be raised."""
    lib = library()
    fault = lib.heddle_last_fault()
    reason = _text(lib.heddle_status_text(status))
    if fault and fault.contents.status == status:
        return Fault(_text(fault.contents.text) or reason, status, reason, fault.contents)
    return Error(_text(lib.heddle_error_text()) or reason, status)


def encoded(text: Any, what: str) -> bytes:
    """Text for the library, which takes no zero bytes."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a {type(text).__name__}: a str is needed")
    if "\0" in text:
        raise ValueError(f"{what} has a zero byte")
    return text.encode()
