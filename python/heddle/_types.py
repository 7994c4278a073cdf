"""Arguments of kernels: what the parameters are (by the kernel's C++ signature, else by its PTX), and Python's values as the
bytes of parameters. Every misfit is a TypeError or ValueError that names the kernel and the parameter, before anything runs."""
from __future__ import annotations

import ctypes
import re
import struct
from typing import Any, List, Optional

try:
    import numpy as np
except ImportError:  # without it there are no arrays; programs and metrics work
    np = None  # type: ignore[assignment]

from ._library import Error

# C++ type: numpy's name
_NUMPY = {"char": "int8", "signed char": "int8", "unsigned char": "uint8", "bool": "bool", "short": "int16", "unsigned short": "uint16",
          "int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64", "long long": "int64",
          "unsigned long long": "uint64", "float": "float32", "double": "float64", "__half": "float16"}
_VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)([1234])$")
_OF_VECTOR = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "longlong": "long long",
              "ulonglong": "unsigned long long"}
_INTEGER = {1: "b", 2: "h", 4: "i", 8: "q"}
_FLOAT = {2: "e", 4: "f", 8: "d"}


def numpy() -> Any:
    """The module, or what to do."""
    if np is None:
        raise Error("arrays need numpy: Debian's package python3-numpy, or pip install numpy")
    return np


def name_of(signature: str) -> str:
    """"f<int>" of "void f<int>(float *)": what stands before the last pair of brackets, without the type of the result."""
    depth = 0
    for at in range(len(signature) - 1 if signature.endswith(")") else -1, -1, -1):
        depth += (signature[at] == ")") - (signature[at] == "(")
        if not depth:
            return signature[:at].removeprefix("void ")
    return signature


def _split(signature: str) -> Optional[List[str]]:
    """Parameter types of "void f<int>(float*, P<1, 2>)"; None: the name alone. Brackets of all kinds are followed."""
    if not signature.endswith(")"):
        return None
    parts, depth, word = [], 0, ""
    begin = len(name_of(signature)) + (len("void ") if signature.startswith("void ") else 0) + 1
    for c in signature[begin:-1]:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and not depth:
            parts.append(word.strip())
            word = ""
        else:
            word += c
    if word.strip() and word.strip() != "void":
        parts.append(word.strip())
    return parts


def _plain(name: str) -> str:
    """A type's name without const, volatile, restrict and blanks at its ends."""
    return re.sub(r"\b(const|volatile|__restrict__|__restrict)\b", " ", name).strip().replace("  ", " ")


def numpy_type(name: str) -> Optional[str]:
    """numpy's name for a C++ type; of a vector (float4) its elements'. None: there is none."""
    vector = _VECTOR.match(name)
    if vector:
        name = _OF_VECTOR.get(vector.group(1), vector.group(1))
    return _NUMPY.get(name)


class Parameter:
    """One parameter of a kernel.

    type:   as C++ writes it ("const float *"), or as PTX does (".f32") where the kernel is extern "C"
    bytes:  its size
    pointer: True, False, or None: not known (PTX has pointers as .u64)
    """

    def __init__(self, index: int, bytes: int, ptx: str, cpp: Optional[str]):
        self.index, self.bytes, self.ptx = index, bytes, ptx
        self.type = cpp or "." + ptx
        self.const = False
        self.of: Optional[str] = None  # numpy's name of what a pointer leads to, or of a value
        self.pointer: Optional[bool] = None if bytes == 8 and ptx in ("u64", "b64", "s64") else False
        if cpp:
            stripped = re.sub(r"\b(__restrict__|__restrict)\b", "", cpp).strip()
            stripped = re.sub(r"\*\s*const$", "*", stripped)
            self.pointer = stripped.endswith(("*", "&")) or "(*)" in stripped
            if self.pointer:
                target = stripped[:-1]
                self.const = bool(re.search(r"\bconst\b", target)) and "*" not in target
                self.of = numpy_type(_plain(target))
            else:
                self.of = numpy_type(_plain(stripped))
        elif self.pointer is False and ptx.startswith("f"):
            self.of = {4: "float32", 8: "float64"}.get(bytes)

    def __repr__(self) -> str:
        return f"<parameter {self.index + 1}: {self.type}>"


def parameters(signature: str, sizes: List[int], ptx: List[str]) -> List[Parameter]:
    types = _split(signature)
    if types is not None and len(types) != len(sizes):
        types = None  # no such C++ name is known; PTX says enough to go on
    return [Parameter(i, sizes[i], ptx[i], types[i] if types else None) for i in range(len(sizes))]


def _kind(value: Any) -> str:
    if np is not None and isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return f"{value!r:.40}" if isinstance(value, (int, float, bool, complex, str)) else f"a {type(value).__name__}"


def check_array(where: str, p: Parameter, value: Any) -> None:
    """May an array of the host or of the device go there?"""
    if p.pointer is False:
        raise TypeError(f"{where} is no pointer, but {_kind(value)} was given")
    dtype = value.dtype
    if dtype.hasobject:
        raise TypeError(f"{where}: an array of {dtype} has Python objects, which a kernel cannot read")
    if not dtype.isnative:
        raise TypeError(f"{where}: an array of {dtype} has its bytes in another order; use a.astype(a.dtype.newbyteorder('='))")
    if p.of:
        wanted = np.dtype(p.of)
        both = {wanted.kind, dtype.kind}
        same = wanted.itemsize == dtype.itemsize and (wanted.kind == dtype.kind or both <= set("iu") or (wanted.itemsize == 1 and both <= set("iubS")))
        if not same:
            raise TypeError(f"{where} needs {wanted}, but the array is of {dtype}; use a.astype('{wanted}')")


def check_contiguous(where: str, value: Any) -> None:
    if not value.flags.c_contiguous:
        raise ValueError(f"{where}: the array is not C-contiguous (shape {value.shape}, strides {value.strides}); use numpy.ascontiguousarray(a)")


def _number(value: Any) -> Any:
    """Python's number for one of numpy or ctypes; None: it is no number."""
    if np is not None and isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    return value if isinstance(value, (int, float)) else None


def _integer(where: str, p: Parameter, value: int) -> bytes:
    bits = 8 * p.bytes
    signed = p.of is None or np_kind(p.of) == "i"
    unsigned = p.of is None or np_kind(p.of) != "i"
    low, high = (-(1 << bits - 1) if signed else 0), ((1 << bits) - 1 if unsigned else (1 << bits - 1) - 1)
    if p.of == "bool":
        low, high = 0, 1
    if not low <= value <= high:
        raise ValueError(f"{where}: {value} does not fit ({low} to {high})")
    return struct.pack("<" + _INTEGER[p.bytes].upper(), value & ((1 << bits) - 1))


def np_kind(name: str) -> str:
    return "f" if name.startswith("float") else "u" if name.startswith("u") else "b" if name == "bool" else "i"


def scalar(where: str, p: Parameter, value: Any) -> bytes:
    """A number, or a struct as it is, as the bytes of a parameter."""
    number = _number(value)
    if number is None or (p.ptx.startswith("b") and p.of is None) or (p.of and _VECTOR.match(_plain(p.type))):
        return _struct(where, p, value)
    if p.bytes not in _INTEGER:
        raise TypeError(f"{where} has {p.bytes} bytes, but {_kind(value)} was given")
    if isinstance(value, ctypes._SimpleCData) and ctypes.sizeof(value) != p.bytes:
        raise TypeError(f"{where} has {p.bytes} bytes, but a {type(value).__name__} has {ctypes.sizeof(value)}")
    if p.of and np_kind(p.of) == "f":
        try:
            return struct.pack("<" + _FLOAT[p.bytes], number)
        except OverflowError:
            raise ValueError(f"{where}: {number} does not fit") from None
    if isinstance(number, float):
        if p.of is None and isinstance(value, (ctypes._SimpleCData, np.generic if np is not None else ctypes._SimpleCData)):
            return _struct(where, p, value)  # extern "C": what was given says what it is
        raise TypeError(f"{where} is no floating-point number, but {_kind(value)} was given")
    return _integer(where, p, number)


def _struct(where: str, p: Parameter, value: Any) -> bytes:
    """Bytes as they are: of a struct of ctypes, of a scalar of numpy, or bytes."""
    if np is not None and isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"{where} is no pointer, but {_kind(value)} was given")
    if isinstance(value, (bytes, bytearray)):
        raw = bytes(value)
    elif isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._SimpleCData)):
        raw = bytes(value)
    elif np is not None and isinstance(value, (np.generic, np.ndarray)) and not value.dtype.hasobject:
        raw = value.tobytes()
    else:
        raise TypeError(f"{where}: {_kind(value)} was given; a struct is passed as a ctypes.Structure, a numpy scalar or bytes"
                        if p.ptx.startswith("b") else f"{where}: {_kind(value)} is no number")
    if len(raw) != p.bytes:
        raise TypeError(f"{where} has {p.bytes} bytes, but {_kind(value)} of {len(raw)} was given")
    return raw


def pointer(where: str, value: int) -> bytes:
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{where}: {value} is no address")
    return struct.pack("<Q", value)


def three(what: str, value: Any, least: int = 1) -> "tuple[int, int, int]":
    """A size in x, y and z: a number, or up to three."""
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"the {what} has one to three numbers, not {len(parts)}")
    out = []
    for part in parts:
        if isinstance(part, bool) or not hasattr(part, "__index__"):
            raise TypeError(f"the {what} is {value!r}: whole numbers are needed")
        n = part.__index__()
        if not least <= n < 1 << 32:
            raise ValueError(f"the {what} is {value!r}: each number is {least} to {(1 << 32) - 1}")
        out.append(n)
    return tuple(out + [1] * (3 - len(out)))  # type: ignore[return-value]
