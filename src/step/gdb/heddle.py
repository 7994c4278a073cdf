"""CUDA's words for gdb: which thread of which block a stop is in, and ways to look at another one.

`heddle gdb` loads it; in a gdb that was started otherwise: `source .../gdb/heddle.py`. docs/stepping.md lists what it adds.
It reads struct step_context (src/base/steps.h), whose address generated code keeps in rbx; frames of kernels end at
heddle_thread (src/step/thread.c). Forms of messages and tables are those of cuda-gdb's manual, "Inspecting Program State"."""
import re
import struct

import gdb

INDICES, RESULTS = 36, 104  # offsets in struct step_context
WARP = 32


class Focus:
    """A CUDA thread that has begun: the thread of the process that it runs on, and its place in the grid."""

    def __init__(self, thread, at, frame):
        data = gdb.selected_inferior().read_memory(at, RESULTS + 48).tobytes()
        (self.thread_index, self.block_index, self.block_dim, self.grid_dim) = (struct.unpack_from("<3I", data, INDICES + 12 * i) for i in range(4))
        self.grid, self.sm, self.device = struct.unpack_from("<QII", data, RESULTS + 32)
        self.thread, self.at = thread, at
        self.pc, self.line = frame.pc(), frame.find_sal()

    @property
    def linear(self):
        (x, y, z), (w, h, _) = self.thread_index, self.block_dim
        return x + w * (y + h * z)

    @property
    def order(self):
        return self.block_index[::-1], self.thread_index[::-1]

    def __str__(self):
        return (f"kernel {self.grid - 1}, grid {self.grid}, block {place(self.block_index)}, thread {place(self.thread_index)}, "
                f"device {self.device}, sm {self.sm}, warp {self.linear // WARP}, lane {self.linear % WARP}")


def place(index):
    return "({},{},{})".format(*index)


def focus_of(thread):
    """The CUDA thread on a thread of the process, or None. Selects that thread."""
    thread.switch()
    frame, inner = gdb.newest_frame(), None
    while frame and frame.name() != "heddle_thread":
        frame, inner = frame.older(), frame
    if not frame or not inner:
        return None
    program, shown = gdb.solib_name(inner.pc()), inner
    while shown.newer() and gdb.solib_name(shown.newer().pc()) == program:
        shown = shown.newer()
    while shown != inner and not shown.find_sal().line:
        shown = shown.older()
    return Focus(thread, int(inner.read_register("rbx")) & (1 << 64) - 1, shown)


def all_focuses():
    selected = gdb.selected_thread()
    frame = gdb.selected_frame() if selected else None
    found = [focus_of(t) for t in gdb.selected_inferior().threads()] if selected else []
    if selected:
        selected.switch()
        frame.select()
    return sorted((f for f in found if f), key=lambda f: f.order)


def current():
    selected = gdb.selected_thread()
    if not selected:
        raise gdb.GdbError("The program is not being run.")
    frame = gdb.selected_frame()
    focus = focus_of(selected)
    frame.select()
    return focus


last = None


def stopped(event):
    """Says where a stop is when it is elsewhere than the last one."""
    global last
    focus = current()
    where = focus and (focus.grid, focus.block_index, focus.thread_index)
    if where and where != last:
        print(f"[Switching focus to CUDA {focus}]")
    last = where


def coordinates(text, old, sizes):
    """(5), 5, (1,2): what is not said is 0; "*" and nothing at all leave things as they are."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if not numbers or len(numbers) > 3:
        raise gdb.GdbError(f"'{text}' is no place: (x), (x,y) or (x,y,z)")
    new = tuple(numbers + [0] * (3 - len(numbers)))
    if any(n >= size for n, size in zip(new, sizes)):
        raise gdb.GdbError(f"Invalid coordinates: {place(new)} is outside of {place(sizes)}.")
    return new


class Cuda(gdb.Command):
    """cuda kernel block thread: which CUDA thread is looked at.
cuda [block (x,y,z)] [thread (x,y,z)]: looks at another one, of those that have begun and not ended."""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def invoke(self, words, from_tty):
        now = current()
        if not now:
            raise gdb.GdbError("Focus not set on any active CUDA kernel.")
        asked = re.findall(r"(kernel|grid|block|thread|device|sm|warp|lane)\s*(\([\d\s,]*\)|[\d][\d,]*)?", words)
        if not asked:
            raise gdb.GdbError("usage: cuda block (x,y,z) thread (x,y,z), or: cuda kernel block thread")
        if not any(value for _, value in asked):
            print(", ".join(part for part in re.split(r", (?=[a-z])", str(now)) if part.split()[0] in dict(asked)))
            return
        unknown = [word for word, value in asked if value and word not in ("block", "thread")]
        if unknown:
            raise gdb.GdbError(f"'cuda {unknown[0]}' cannot be chosen here: block and thread can")
        block, thread = now.block_index, now.thread_index
        for word, value in asked:
            if word == "block":
                block = coordinates(value, block, now.grid_dim)
                thread = (0, 0, 0) if "thread" not in dict(asked) else thread
            else:
                thread = coordinates(value, thread, now.block_dim)
        for focus in all_focuses():
            if (focus.grid, focus.block_index, focus.thread_index) == (now.grid, block, thread):
                focus.thread.switch()
                print(f"[Switching focus to CUDA {focus}]")
                gdb.execute("frame")
                return
        raise gdb.GdbError(f"Block {place(block)}, thread {place(thread)} has not begun yet, or has ended.")


class InfoCuda(gdb.Command):
    """info cuda threads, blocks, kernels: those that have begun and not ended."""

    def __init__(self):
        super().__init__("info cuda", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, words, from_tty):
        show = {"threads": self.threads, "blocks": self.blocks, "kernels": self.kernels}.get(words.strip() or "kernels")
        if not show:
            raise gdb.GdbError("info cuda threads, info cuda blocks or info cuda kernels")
        found = all_focuses()
        if not found:
            print("No CUDA kernels.")
            return
        show(found, current())

    def threads(self, found, now):
        """Neighbours at one line are one row."""
        print("  BlockIdx ThreadIdx To BlockIdx ThreadIdx Count  Filename  Line")
        rows = []
        for f in found:
            line = (f.line.symtab.filename.rsplit("/", 1)[-1], f.line.line) if f.line.symtab else ("?", 0)
            if rows and rows[-1][2] == line and rows[-1][1].grid == f.grid:
                rows[-1][1:] = [f, line, rows[-1][3] + 1, rows[-1][4] or bool(now) and f.at == now.at]
            else:
                rows.append([f, f, line, 1, bool(now) and f.at == now.at])
        for first, to, line, count, here in rows:
            print(f"{'*' if here else ' '} {place(first.block_index)} {place(first.thread_index)}    {place(to.block_index)} "
                  f"{place(to.thread_index)} {count:5}  {line[0]} {line[1]:5}")

    def blocks(self, found, now):
        print("  BlockIdx  Threads")
        for block in sorted({f.block_index for f in found}, key=lambda b: b[::-1]):
            print(f"{'*' if now and now.block_index == block else ' '} {place(block)} {sum(f.block_index == block for f in found):8}")

    def kernels(self, found, now):
        print("  Kernel Grid   GridDim  BlockDim  Threads")
        for grid in sorted({f.grid for f in found}):
            of = [f for f in found if f.grid == grid]
            print(f"{'*' if now and now.grid == grid else ' '} {grid - 1:6} {grid:4} {place(of[0].grid_dim)} {place(of[0].block_dim)} {len(of):8}")


Cuda()
InfoCuda()
gdb.events.stop.connect(stopped)
gdb.execute("set print thread-events off")
