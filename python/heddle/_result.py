"""What launches left behind: metrics of a launch and of its lines, findings of the checkers; as dictionaries and data frames."""
from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ._library import CLine, Error, _text, encoded, library, must, shown

NOT_IMPLEMENTED, NOT_FOUND, INVALID_VALUE = 7, 6, 1  # heddle_status.def


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise Error("data frames need pandas: Debian's package python3-pandas, or pip install pandas") from None
    return pandas


class Metric(NamedTuple):
    """What a metric is. trust: "exact", "exact for this code" or "modelled"."""

    name: str
    unit: str
    trust: str
    help: str


_metrics: Dict[str, Metric] = {}


def metrics() -> Dict[str, Metric]:
    """All metrics by name. Other spellings and nvprof's names are answered, too (docs/reference/metrics.md)."""
    if not _metrics:
        lib, i = library(), 0
        while True:
            name = lib.heddle_metric_name(i)
            if name is None:
                break
            _metrics[_text(name)] = Metric(_text(name), *(_text(of(name)) for of in (lib.heddle_metric_unit, lib.heddle_metric_trust, lib.heddle_metric_help)))
            i += 1
    return dict(_metrics)


class Result:
    """Counters of a launch. result["gld_efficiency"] is a metric, by any of its names; None: it is not computed, or was not
    collected. metrics(), lines() and to_frame() have all of them, `data` what docs/results.md describes."""

    def __init__(self, handle: int, owner: Any = None):
        self._handle: Optional[int] = handle
        self._process = os.getpid()
        self._owner = owner  # keeps the source's file, for reports
        self._data: Optional[Dict[str, Any]] = None

    def __del__(self) -> None:
        try:
            if self._handle is not None and os.getpid() == self._process:
                library().heddle_result_free(self._handle)
                self._handle = None
        except Exception:  # the interpreter ends
            pass

    @classmethod
    def from_json(cls, line: str) -> "Result":
        """From a line of a results file."""
        handle, raw = ctypes.c_void_p(), line.encode()
        must(library().heddle_result_read(raw, len(raw), ctypes.byref(handle)))
        assert handle.value
        return cls(handle.value)

    def to_json(self) -> str:
        """As a line of a results file, which `heddle profile -i` reads."""
        text, n = ctypes.c_char_p(), ctypes.c_size_t()
        must(library().heddle_result_json(self._handle, ctypes.byref(text), ctypes.byref(n)))
        return _text(text.value)

    @property
    def data(self) -> Dict[str, Any]:
        if self._data is None:
            self._data = json.loads(self.to_json())
        return self._data

    @property
    def kernel(self) -> str:
        """The kernel as C++ writes it: "saxpy(int, float, const float *, float *)"."""
        return self.data["kernel_name"]

    @property
    def device(self) -> str:
        return self.data["device_name"]

    @property
    def grid(self) -> "tuple[int, int, int]":
        return tuple(self.data["launch"]["grid"])

    @property
    def block(self) -> "tuple[int, int, int]":
        return tuple(self.data["launch"]["block"])

    @property
    def fault(self) -> Optional[str]:
        """What ended the launch early, or None. Counts are those until then."""
        text = self.data["fault"]
        return text and shown(text)

    def __repr__(self) -> str:
        grid, block = ("x".join(map(str, shape)) for shape in (self.grid, self.block))
        return f"<heddle.Result {self.kernel} [{grid}] x [{block}] on {self.device}>"

    def __getitem__(self, name: str) -> Optional[float]:
        return _value(library().heddle_result_metric, name, self._handle)

    def metrics(self, names: Optional[Iterable[str]] = None) -> Dict[str, Optional[float]]:
        """Values by name: of these metrics (None: n/a), or of all that are there."""
        if names is not None:
            return {name: self[name] for name in names}
        values = {name: self[name] for name in metrics()}
        return {name: value for name, value in values.items() if value is not None}

    def to_frame(self) -> Any:
        """pandas: a row for each metric that is there, with value, unit, trust and help."""
        known = metrics()
        rows = [{"value": value, **known[name]._asdict()} for name, value in self.metrics().items()]
        return _pandas().DataFrame(rows, columns=["name", "value", "unit", "trust", "help"]).set_index("name")

    def lines(self, names: Sequence[str] = ("smsp__inst_executed.sum",)) -> List[Dict[str, Any]]:
        """The source lines that were executed, hottest first: file, line, source (its text) and these metrics. A line
        without source has ptx_line, and its PTX as text."""
        lib, out, line = library(), [], CLine()
        while not lib.heddle_result_line(self._handle, len(out), ctypes.byref(line)):
            file = _text(line.file) if line.file else None
            row: Dict[str, Any] = {"file": file and os.path.basename(file), "line": line.line, "ptx_line": None if file else line.ptx_line,
                                   "source": _source(file, line.line) if file else _text(line.ptx_text)}
            for name in names:
                row[name] = _value(lib.heddle_result_line_metric, name, self._handle, len(out))
            out.append(row)
        return out

    def lines_frame(self, names: Sequence[str] = ("smsp__inst_executed.sum",)) -> Any:
        """pandas: lines() as a data frame."""
        return _pandas().DataFrame(self.lines(names))

    def report(self, *flags: str) -> str:
        """The text that `heddle profile` prints of it; flags as there: report("--page", "source")."""
        from ._program import report_of
        return report_of([self], flags)

    def save(self, path: "str | Path") -> None:
        """Into a file that `heddle profile -i` and heddle.load_profile read."""
        Path(path).write_text(self.to_json())


def _value(function: Any, name: str, *before: Any) -> Optional[float]:
    value = ctypes.c_double()
    status = function(*before, encoded(name, "the name of a metric"), ctypes.byref(value))
    if status == NOT_IMPLEMENTED:
        return None
    if status == NOT_FOUND:
        raise KeyError(_text(library().heddle_error_text()))
    must(status)
    return value.value


_sources: Dict[str, List[str]] = {}


def _source(file: str, line: int) -> str:
    """A line's text without its indent, "" where the file cannot be read."""
    if file not in _sources:
        try:
            _sources[file] = Path(file).read_text(errors="replace").splitlines()
        except OSError:
            return ""
    lines = _sources[file]
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


class Findings(List[Dict[str, Any]]):
    """What the checkers found, a dictionary each (docs/check.md): tool, kind, severity, count, at (file, line, function ...),
    and text. An empty list is false: `assert not kernel[1, 32].check(x)`. `fault`: what ended the kernel early (heddle.Error),
    or None."""

    def __init__(self, findings: Iterable[Dict[str, Any]] = (), fault: Optional[Error] = None):
        super().__init__(findings)
        self.fault = fault

    @property
    def errors(self) -> "Findings":
        """Those that are no warnings."""
        return Findings((f for f in self if f["severity"] == "error"), self.fault)

    def __str__(self) -> str:
        return "\n\n".join(f.get("text") or f"{f['tool']}: {f['kind']}" for f in self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self) or "no findings")

    def to_frame(self) -> Any:
        """pandas: a row for each finding."""
        columns = ["tool", "kind", "severity", "kernel", "file", "line", "function", "access", "space", "bytes", "count", "block", "thread"]
        rows = []
        for f in self:
            case = f["cases"][0] if f["cases"] else {}
            file = f["at"].get("file") if f["at"] else None
            place = {"file": file and os.path.basename(file), "line": f["at"] and f["at"].get("line"), "function": f["at"] and f["at"].get("function")}
            rows.append({**{c: f.get(c) for c in columns}, **place, "block": case.get("block"), "thread": case.get("thread")})
        return _pandas().DataFrame(rows, columns=columns)


class Profile(List[Result]):
    """The launches of a program, in order: a list of heddle.Result.

    output, errors: what the program wrote to stdout and stderr; status: its exit status
    """

    def __init__(self, results: Iterable[Result] = (), output: str = "", errors: str = "", status: int = 0):
        super().__init__(results)
        self.output, self.errors, self.status = output, errors, status

    def report(self, *flags: str) -> str:
        """The text that `heddle profile` prints; flags as there."""
        from ._program import report_of
        return report_of(self, flags)

    def to_frame(self, names: Optional[Sequence[str]] = None) -> Any:
        """pandas: a row for each launch, a column for each metric (these, or all that one of them has)."""
        rows = [{"kernel": r.kernel, "grid": r.grid, "block": r.block, **r.metrics(names)} for r in self]
        return _pandas().DataFrame(rows)

