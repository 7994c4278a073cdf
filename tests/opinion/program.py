"""Random CUDA programs for tests/opinion: kernels in the words of words.h and machine.h, made from a seed.

What comes out is a tree for each kernel (Kernel), so that opinion.py can make it smaller, and its text. Everything a kernel does
is defined in C++ and CUDA for whatever values come along: counts of shifts are masked, signed sums are done unsigned, divisors
looked at, conversions out of range go through words that define them, a place in shared or global memory has one writer between
two barriers, and atomics are of the kinds whose order does not show.
"""
import random
import re
import struct as binary

INTS = {"i8": (8, True), "u8": (8, False), "i16": (16, True), "u16": (16, False),
        "i32": (32, True), "u32": (32, False), "i64": (64, True), "u64": (64, False)}
FLOATS = ("f32", "f64")
SHORTS = ("f16", "b16")
TYPES = tuple(INTS) + FLOATS + SHORTS
SIZE = {**{t: w // 8 for t, (w, _) in INTS.items()}, "f32": 4, "f64": 8, "f16": 2, "b16": 2}
# How often a variable has a type, and how often an operation is of one.
LIKELY = {"i8": 2, "u8": 3, "i16": 3, "u16": 3, "i32": 7, "u32": 9, "i64": 5, "u64": 6, "f32": 8, "f64": 5, "f16": 3, "b16": 2}
BLOCKS = [(1, 1, 1), (2, 1, 1), (7, 1, 1), (31, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (96, 1, 1), (100, 1, 1), (128, 1, 1),
          (33, 3, 1), (7, 5, 2), (16, 4, 1), (8, 8, 1), (5, 5, 5), (3, 3, 7), (32, 2, 2), (17, 2, 1), (1, 37, 1), (1, 1, 40),
          (32, 4, 1), (13, 11, 1), (64, 2, 1), (48, 1, 2)]
GRIDS = [(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2)]
WAYS = ("rn", "rz", "ru", "rd")


def word_rows():
    """(name, result, arguments) of every word of words.h that is a plain function."""
    rows = []

    def add(result, arguments, names):
        rows.extend((name, result, tuple(arguments.split())) for name in names.split())
    add("i32", "u32", "clz popc ffs1")
    add("i32", "u64", "clz64 popc64 ffs64")
    add("u32", "u32", "brev vabsss4 vneg2")
    add("u64", "u64", "brev64")
    add("u32", "u32 u32 u32", "byte_perm byte_perm funnel_l funnel_r funnel_lc funnel_rc usad udot4 udot2_hi min3")
    add("i32", "i32 i32", "mul24 mulhi half_add rhalf_add min_i32 max_relu")
    add("u32", "u32 u32", "umul24 umulhi uhalf_add urhalf_add max_u32 vadd4 vsub2 vaddss4 vsubus4 vsubss2 vaddus2 vabsdiffu4 "
        "vabsdiffs2 vavgu4 vmaxs4 vminu2 vcmpgts4 vcmpleu2 vseteq4 vsetltu2 rotl")
    add("i64", "i64 i64", "mul64hi max_i64")
    add("u64", "u64 u64", "umul64hi min_u64")
    add("u32", "i32 i32 u32", "sad")
    add("i32", "i32 i32 i32", "dot4 dot2_lo max3")
    add("u64", "u64 u32", "rotr")
    add("u64", "u32 u32", "wide_mul")
    add("i64", "i32 i32", "wide_mul_s")
    add("i32", "i32", "magnitude")
    add("i64", "i64", "magnitude")
    for t in FLOATS:
        add(t, f"{t} {t}", f"min_{t} max_{t} fmod_{t} remainder_{t} fdim_{t} next_{t} sign_{t}")
        add(t, t, f"floor_{t} ceil_{t} trunc_{t} rint_{t} round_{t} abs_{t} sqrt_{t} logb_{t} fraction_{t} whole_{t}")
        add(t, f"{t} {t} {t}", f"fma_{t} fma_{t}")
        add(t, f"{t} i32", f"ldexp_{t}")
        add("i32", t, f"ilogb_{t} exponent_{t}")
        for way in WAYS:
            add(t, f"{t} {t}", f"{t}_add_{way} {t}_sub_{way} {t}_mul_{way} {t}_div_{way}")
            add(t, t, f"{t}_rcp_{way} {t}_sqrt_{way}")
            add(t, f"{t} {t} {t}", f"{t}_fma_{way}")
    add("f32", "f32", "saturate")
    for way in WAYS:
        for i in ("i32", "u32", "i64", "u64"):
            for f in FLOATS:
                add(i, f, f"{f}_{i}_{way}")
            add("f32", i, f"{i}_f32_{way}")
        for i in ("i64", "u64"):
            add("f64", i, f"{i}_f64_{way}")
        add("f32", "f64", f"f64_f32_{way}")
        for h in SHORTS:
            for i in ("i16", "u16", "i32", "u32", "i64", "u64"):
                add(i, h, f"{h}_{i}_{way}")
                add(h, i, f"{i}_{h}_{way}")
            add(h, "f32", f"f32_{h}_{way}")
    add("f64", "i32", "i32_f64_rn")
    add("f64", "u32", "u32_f64_rn")
    for h in SHORTS:
        add(h, "f64", f"f64_{h}")
        add("f32", h, "widen")
        add(h, f"{h} {h}", "add sub mul over lower higher")
        add(h, f"{h} {h} {h}", "fuse fuse_relu fuse_high")
        add(h, f"{h} {h} {h} {h}", "add_high mul_low")
        add(h, h, "minus size root to_even to_floor to_ceil to_zero")
    add("f16", "f16 f16", "add_sat")
    add("f16", "f16 f16 f16", "fuse_sat")
    return rows


WORDS = {t: [(n, a) for n, r, a in word_rows() if r == t] for t in TYPES}
PLACE = re.compile(r"\$(\d)")


class Node:
    """A text with places for others: of an expression (type given) or a statement (none)."""

    def __init__(self, text, *kids, type=None):
        self.text, self.kids, self.type = text, list(kids), type

    def __str__(self):
        return PLACE.sub(lambda m: str(self.kids[int(m[1])]), self.text)


class Block:
    """Statements in braces."""

    def __init__(self, statements):
        self.statements = statements

    def __str__(self):
        return "{\n" + "".join(f"{s}\n" for s in self.statements) + "}"


class Variable:
    def __init__(self, name, type, fixed=False):
        self.name, self.type, self.fixed = name, type, fixed


class Struct:
    def __init__(self, name, members, align):
        self.name, self.members, self.align = name, members, align # members: (name, type, bits or 0)

    def __str__(self):
        lines = "".join(f"    {t} {n}{f' : {b}' if b else ''};\n" for n, t, b in self.members)
        return f"struct {f'alignas({self.align}) ' if self.align else ''}{self.name} {{\n{lines}}};\n"

    def layout(self):
        """The size, and (offset, member): for structs without bit-fields."""
        at, widest, places = 0, self.align or 1, []
        for n, t, _ in self.members:
            at = -(-at // SIZE[t]) * SIZE[t]
            places.append((at, n, t))
            at += SIZE[t]
            widest = max(widest, SIZE[t])
        return -(-at // widest) * widest, places


class Region:
    """A part of what a kernel leaves: `count` values of a type, or of a struct."""

    def __init__(self, what, type, offset, count):
        self.what, self.type, self.offset, self.count = what, type, offset, count

    def values(self):
        """(offset, name, type, index) of each value."""
        for i in range(self.count):
            if isinstance(self.type, Struct):
                size, places = self.type.layout()
                for at, n, t in places:
                    yield self.offset + i * size + at, f"{self.what}.{n}", t, i
            else:
                yield self.offset + i * SIZE[self.type], self.what, self.type, i


class Scope:
    """What a statement may use. together: "block" where all threads of the block come, "lanes" where those of `mask` do, None."""

    def __init__(self, parent=None, **changes):
        self.variables = list(parent.variables) if parent else []
        self.arrays = list(parent.arrays) if parent else [] # (name, type, size, fixed)
        self.structs = list(parent.structs) if parent else [] # (name, Struct)
        self.uniform = list(parent.uniform) if parent else [] # texts of u32 that the block shares
        self.together = parent.together if parent else None
        self.mask = parent.mask if parent else None
        self.repeat = parent.repeat if parent else 1
        self.loop = parent.loop if parent else None # what break and continue may do: None, "free"
        self.returns = parent.returns if parent else None # a helper's type
        self.inside = parent.inside if parent else 0
        self.memory = parent.memory if parent else False # whether in, out and sh are there
        for name, value in changes.items():
            setattr(self, name, value)


def literal_int(t, v):
    width, signed = INTS[t]
    v &= (1 << width) - 1
    if signed and v >> (width - 1):
        v -= 1 << width
    if width < 32:
        return f"({t}){v}" if v >= 0 else f"({t})({v})"
    suffix = {"i32": "", "u32": "u", "i64": "ll", "u64": "ull"}[t]
    if signed and v == -(1 << (width - 1)):
        return f"(-{-v - 1}{suffix} - 1)"
    return f"{v}{suffix}" if v >= 0 else f"({v}{suffix})"


class Kernel:
    def __init__(self, seed, number):
        self.name = f"k{number}"
        self.r = random.Random(f"{seed}.{number}")
        self.count = 0
        self.left = self.r.choice((20, 35, 60)) # how many more expressions may be made of parts
        self.block, self.grid = self.r.choice(BLOCKS), self.r.choice(GRIDS)
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.total = self.threads * self.grid[0] * self.grid[1]
        self.structs, self.tables, self.helpers, self.pointers, self.shared, self.regions = [], [], [], [], [], []
        self.extent, self.constant, self.gathered = 0, False, {}
        self.make()

    @property
    def recursive(self):
        return any(h.recursive for h in self.helpers)

    # ---- chance ----
    def chance(self, p):
        return self.r.random() < p

    def name_of(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def some_type(self, among=TYPES):
        return self.r.choices(among, [LIKELY[t] for t in among])[0]

    # ---- leaves ----
    def number(self, t):
        r = self.r
        if t in INTS:
            width = INTS[t][0]
            kind = r.random()
            if kind < 0.35:
                v = r.choice((0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000))
            elif kind < 0.6:
                v = r.choice((0, -1, 1 << (width - 1), (1 << (width - 1)) - 1, -2, -3, -7, 1 << r.randrange(width), (1 << r.randrange(width)) - 1))
            else:
                v = r.getrandbits(width) >> r.randrange(width)
                v = -v if self.chance(0.3) else v
            return literal_int(t, v)
        if t in SHORTS:
            if self.chance(0.5):
                return f"{t}_of((u16){r.getrandbits(16)})"
            return f"f32_{t}_rn({self.number('f32')})"
        suffix = "f" if t == "f32" else ""
        kind = r.random()
        if kind < 0.25:
            return "(" + r.choice(("0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.0", "0.1", "10.0", "255.0", "0.75", "1e-3")) + suffix + ")"
        if kind < 0.4:
            special = {"f32": ("__builtin_inff()", "-__builtin_inff()", '__builtin_nanf("")', "0x1.fffffep127f", "0x1p-126f", "0x1p-149f",
                               "-0x1p31f", "0x1p31f", "0x1p32f", "0x1p63f", "-0x1p63f", "0x1p64f", "0x1.fffffep30f", "1e20f", "16777217.0f"),
                       "f64": ("__builtin_inf()", "-__builtin_inf()", '__builtin_nan("")', "0x1.fffffffffffffp1023", "0x1p-1022", "0x1p-1074",
                               "-0x1p31", "2147483647.5", "4294967295.5", "0x1p63", "-0x1p63", "0x1p64", "1e200", "9007199254740993.0",
                               "0x1.ffffffp127", "3e-46")}
            return "(" + r.choice(special[t]) + ")"
        if kind < 0.6:
            v = float(r.randrange(-64, 64)) / r.choice((1, 2, 4, 8))
        elif kind < 0.85:
            v = r.uniform(-1, 1) * 2.0 ** r.randrange(-12, 36)
        else:
            v = r.uniform(-1, 1) * 2.0 ** (r.randrange(-140, 120) if t == "f32" else r.randrange(-1000, 1000))
        if t == "f32":
            v = binary.unpack("f", binary.pack("f", v))[0]
        return f"({v.hex()}{suffix})"

    def leaf(self, t, s):
        """Half of the leaves are constants."""
        if self.constant or self.chance(0.5):
            return Node(self.number(t), type=t)
        found = [v.name for v in s.variables if v.type == t]
        for name, kind in s.structs:
            found += [f"({t}){name}.{m}" if b else f"{name}.{m}" for m, mt, b in kind.members if mt == t]
        if found and self.chance(0.85):
            return Node(f"({text})" if (text := self.r.choice(found)).startswith("(") else text, type=t)
        if t in INTS and self.chance(0.4):
            return Node(f"({t}){self.r.choice(('tid()', 'lane()', 'gid()', 'tid_x()', 'tid_y()', 'bid_x()', 'warp()', 'block_x()', 'grid_x()'))}", type=t)
        if s.memory:
            i = f"({self.index(s)}) % INPUTS"
            where = {"i8": "(i8)in->c", "u8": "in->c", "i16": "(i16)in->s", "u16": "in->s", "i32": "(i32)in->w", "u32": "in->w",
                     "i64": "(i64)in->l", "u64": "in->l", "f32": "in->f", "f64": "in->d", "f16": "in->h", "b16": "in->b"}[t]
            return Node(f"{where}[{i}]", type=t)
        return Node(self.number(t), type=t)

    def index(self, s):
        r = self.r
        near = r.choice(("gid()", "tid()", "tid_x()", f"tid() * {r.choice((2, 3, 5, 32))}u", f"gid() + {r.randrange(200)}u", "lane()"))
        u = [v.name for v in s.variables if v.type == "u32"]
        return r.choice(u) if u and self.chance(0.4) else near

    # ---- expressions ----
    def cond(self, s, d):
        self.left -= 1
        k = self.r.random()
        if k < 0.7 or d <= 0 or self.left < 0:
            t = self.some_type(tuple(INTS) + FLOATS)
            return Node(f"($0 {self.r.choice(('<', '<=', '==', '!=', '>', '>='))} $1)", self.expr(t, s, d - 1), self.expr(t, s, d - 1), type="bool")
        if k < 0.8:
            return Node(f"($0 {self.r.choice(('&&', '||'))} $1)", self.cond(s, d - 1), self.cond(s, d - 1), type="bool")
        if k < 0.84:
            return Node("!$0", self.cond(s, d - 1), type="bool")
        if k < 0.9:
            return Node(f"(($0 >> {self.r.randrange(32)} & 1) != 0)", self.expr("u32", s, d - 1), type="bool")
        if k < 0.94:
            t = self.r.choice(FLOATS)
            return Node(f"{self.r.choice(('is_nan', f'minus_{t}'))}($0)", self.expr(t, s, d - 1), type="bool")
        t = self.r.choice(SHORTS)
        return Node(f"{self.r.choice(('less', 'less_or', 'alike'))}($0, $1)", self.expr(t, s, d - 1), self.expr(t, s, d - 1), type="bool")

    def expr(self, t, s, d):
        if d <= 0 or self.left < 0 or self.chance(0.12):
            return self.leaf(t, s)
        self.left -= 1
        if not self.constant and self.chance(0.08): # nothing but constants in it: for the compiler to fold
            self.constant = True
            e = self.expr(t, s, min(d, 2))
            self.constant = False
            return e
        k = self.r.random()
        if k < 0.08:
            return Node("($0 ? $1 : $2)", self.cond(s, d - 1), self.expr(t, s, d - 1), self.expr(t, s, d - 1), type=t)
        if k < 0.14 and not self.constant:
            e = self.element(t, s, d)
            if e:
                return e
        if k < 0.2 and not self.constant:
            e = self.call(t, s, d)
            if e:
                return e
        if k < (0.38 if t in INTS else 0.55) or t in SHORTS:
            name, arguments = self.r.choice(WORDS[t]) if WORDS[t] else (None, ())
            if name:
                return Node(f"{name}({', '.join(f'${i}' for i in range(len(arguments)))})", *(self.expr(a, s, d - 1) for a in arguments), type=t)
        return self.int_expr(t, s, d) if t in INTS else self.float_expr(t, s, d)

    def element(self, t, s, d):
        arrays = [a for a in s.arrays if a[1] == t]
        if arrays:
            name, _, n, _ = self.r.choice(arrays)
            return Node(f"{name}[$0 % {n}u]", self.expr("u32", s, d - 1), type=t)
        tables = [x for x in self.tables if x[1] == t]
        if tables:
            name, _, n = self.r.choice(tables)
            return Node(f"{name}[$0 % {n}u]", self.expr("u32", s, d - 1), type=t)
        return None

    def int_expr(self, t, s, d):
        width, signed = INTS[t]
        c = "u64" if width == 64 else "u32"
        sub = lambda: self.expr(t, s, d - 1)
        k = self.r.random()
        if k < 0.34:
            op = self.r.choice("+ - * + - * & | ^".split())
            return Node(f"({t})(({c})$0 {op} ({c})$1)" if t != c else f"($0 {op} $1)", sub(), sub(), type=t)
        if k < 0.46:
            n = self.expr("u32", s, d - 1) if self.chance(0.5) else Node(f"{self.r.randrange(width)}u", type="u32")
            if self.chance(0.5):
                return Node(f"({t})(({c})$0 << ($1 & {width - 1}))", sub(), n, type=t)
            return Node(f"({t})($0 >> ($1 & {width - 1}))", sub(), n, type=t)
        if k < 0.56:
            if self.chance(0.5):
                v = self.r.choice((2, 3, 5, 7, 10, 13, 16, 100, 127, 1000, 641, 65537, 1 << 20, 6700417, 10 ** 12, (1 << 61) + 1))
                v = v & ((1 << (width - signed)) - 1) or 3
                v = -v if signed and v > 1 and self.chance(0.3) else v
                return Node(f"({t})($0 {self.r.choice('/%')} {literal_int(t, v)})", sub(), type=t)
            return Node(f"{self.r.choice(('quot', 'rest'))}<{t}>($0, $1)", sub(), sub(), type=t)
        if k < 0.64:
            return Node(self.r.choice((f"({t})(0 - ({c})$0)", f"({t})~$0", f"({t})(({c})$0 + 1)")), sub(), type=t)
        if k < 0.8:
            other = self.some_type(tuple(i for i in INTS if i != t))
            return Node(f"({t})$0", self.expr(other, s, d - 1), type=t)
        if k < 0.84:
            return Node(f"({t})$0", self.cond(s, d - 1), type=t)
        if k < 0.9:
            return Node(f"{self.r.choice(('least', 'most'))}<{t}>($0, $1)", sub(), sub(), type=t)
        if k < 0.95:
            f = self.r.choice(FLOATS)
            return Node(f"cut<{t}>($0)", self.expr(f, s, d - 1), type=t)
        f = {16: self.r.choice(SHORTS), 32: "f32", 64: "f64"}.get(width, "f32")
        return Node(f"({t})bits($0)", self.expr(f, s, d - 1), type=t)

    def float_expr(self, t, s, d):
        k = self.r.random()
        if k < 0.6:
            return Node(f"($0 {self.r.choice('+-*/+-*')} $1)", self.expr(t, s, d - 1), self.expr(t, s, d - 1), type=t)
        if k < 0.66:
            return Node("(-$0)", self.expr(t, s, d - 1), type=t)
        if k < 0.78:
            return Node(f"({t})$0", self.expr(self.some_type(tuple(INTS)), s, d - 1), type=t)
        if k < 0.88:
            other = "f64" if t == "f32" else "f32"
            return Node(f"({t})$0", self.expr(other, s, d - 1), type=t)
        if k < 0.94:
            return Node(f"{t}_of($0)", self.expr("u32" if t == "f32" else "u64", s, d - 1), type=t)
        h = self.r.choice(SHORTS)
        return Node(f"({t})widen($0)", self.expr(h, s, d - 1), type=t)

    def uniform(self, s):
        """A u32 that all threads of the block have."""
        k, known = self.r.random(), s.uniform + ["bid_x()", "bid_y()", "grid_x()", "block_y()"]
        if k < 0.3:
            return f"{self.r.randrange(9)}u"
        if k < 0.7:
            return self.r.choice(known)
        return f"({self.r.choice(known)} {self.r.choice('+*^-')} {self.r.choice(known)})"

    # ---- calls ----
    def call(self, t, s, d):
        if s.repeat > 40 or s.inside: # a helper calls none, so that what is done stays small
            return None
        found = [h for h in self.helpers if h.result == t]
        return self.call_of(self.r.choice(found), s, d) if found else None

    def call_of(self, h, s, d):
        texts, kids = [], []
        for kind in h.parameters:
            if isinstance(kind, Struct):
                have = [n for n, k in s.structs if k is kind]
                texts.append(self.r.choice(have) if have else f"{kind.name}()")
                continue
            if kind == "depth":
                texts.append(f"{self.r.randrange(5)}u" if self.chance(0.5) else f"(${len(kids)} & 3)")
                if texts[-1].startswith("("):
                    kids.append(self.expr("u32", s, d - 1))
                continue
            texts.append(f"${len(kids)}")
            kids.append(self.expr(kind, s, d - 1))
        return Node(f"{h.name}({', '.join(texts)})", *kids, type=h.result)

    # ---- statements ----
    def declare(self, s, t=None, d=2):
        t = t or self.some_type()
        e = self.expr(t, s, d)
        name = self.name_of("v")
        s.variables.append(Variable(name, t))
        return Node(f"{t} {name} = $0;", e)

    def target(self, s, t=None):
        found = [v for v in s.variables if not v.fixed and (t is None or v.type == t)]
        return self.r.choice(found) if found else None

    def some(self, s, n):
        inner = Scope(s)
        return Block([x for _ in range(n) if (x := self.statement(inner))])

    def statement(self, s):
        r, k = self.r, self.r.random()
        if s.together and k < 0.4:
            return self.joint(s)
        k = r.random()
        if self.left < 0 or k < 0.3 or s.inside + s.repeat // 50 > 3:
            return self.assign(s)
        if k < 0.4:
            return self.declare(s)
        if k < 0.55:
            return self.branch(s)
        if k < 0.7:
            return self.repeated(s)
        if k < 0.77:
            return self.switch(s)
        if k < 0.85:
            return self.store(s)
        if k < 0.91:
            return self.struct(s)
        if k < 0.95:
            return self.through_pointer(s)
        if k < 0.97 and s.loop == "free":
            return Node(f"if ($0) {r.choice(('break', 'continue'))};", self.cond(s, 1))
        if k < 0.98 and s.returns:
            return Node("if ($0) return $1;", self.cond(s, 1), self.expr(s.returns, s, 1))
        if k < 0.99 and s.memory and self.gathered:
            return self.gather(s)
        return self.assign(s)

    def assign(self, s):
        v = self.target(s)
        if not v:
            return self.declare(s)
        if v.type in ("u32", "u64") + FLOATS and self.chance(0.35):
            op = self.r.choice("+-*" if v.type in FLOATS else "+-*^|&")
            return Node(f"{v.name} {op}= $0;", self.expr(v.type, s, 2))
        if v.type in ("u8", "u16", "u32", "u64") and self.chance(0.1):
            return Node(f"{v.name}{self.r.choice(('++', '--'))};")
        return Node(f"{v.name} = $0;", self.expr(v.type, s, 3))

    def branch(self, s):
        n = lambda: self.r.randrange(1, 4)
        if s.together and self.chance(0.5):
            if s.together == "block" and self.chance(0.4): # the whole block goes one way
                cond = f"{self.uniform(s)} {self.r.choice(('<', '!=', '>='))} {self.uniform(s)}"
                if self.chance(0.5):
                    return Node(f"if ({cond}) $0 else $1", self.some(Scope(s, inside=s.inside + 1), n()), self.some(Scope(s, inside=s.inside + 1), n()))
                return Node(f"if ({cond}) $0", self.some(Scope(s, inside=s.inside + 1), n()))
            c, yes, no = self.name_of("c"), self.name_of("m"), self.name_of("m")
            part = lambda m: self.some(Scope(s, inside=s.inside + 1, together="lanes", mask=m), n())
            return Node(f"{{ const bool {c} = $0;\nconst u32 {yes} = ballot({s.mask}, {c}), {no} = {s.mask} & ~{yes};\n"
                        f"if ({c}) $1 else $2\n}}", self.cond(s, 2), part(yes), part(no))
        inner = Scope(s, inside=s.inside + 1, together=None)
        if self.chance(0.5):
            return Node("if ($0) $1 else $2", self.cond(s, 2), self.some(inner, n()), self.some(inner, n()))
        if self.chance(0.3):
            return Node("if ($0) $1 else if ($2) $3 else $4", self.cond(s, 1), self.some(inner, n()), self.cond(s, 1), self.some(inner, n()), self.some(inner, 1))
        return Node("if ($0) $1", self.cond(s, 2), self.some(inner, n()))

    def repeated(self, s):
        r = self.r
        most = min(12, 300 // s.repeat)
        if most < 2:
            return self.assign(s)
        turns, i = r.randrange(2, most + 1), self.name_of("j")
        n = r.randrange(1, 4)
        if s.together == "block" and self.chance(0.5): # all threads as often
            inner = Scope(s, inside=s.inside + 1, repeat=s.repeat * turns, loop=None)
            inner.uniform.append(i)
            inner.variables.append(Variable(i, "u32", True))
            count = f"{turns}u" if self.chance(0.5) else f"{self.uniform(s)} % {turns + 1}u"
            return Node(f"for (u32 {i} = 0; {i} < {count}; {i}++) $0", self.some(inner, n))
        if s.together and self.chance(0.5): # lanes leave one by one, and those that stay know of each other
            m, c = self.name_of("m"), self.name_of("n")
            inner = Scope(s, inside=s.inside + 1, repeat=s.repeat * turns, together="lanes", mask=m, loop=None)
            inner.variables.append(Variable(i, "u32", True))
            return Node(f"{{ const u32 {c} = $0 % {turns + 1}u;\nu32 {m} = {s.mask};\nfor (u32 {i} = 0;; {i}++) {{\n"
                        f"{m} = ballot({m}, {i} < {c});\nif ({i} >= {c}) break;\n$1\n}}\n}}", self.expr("u32", s, 2), self.some(inner, n))
        inner = Scope(s, inside=s.inside + 1, repeat=s.repeat * turns, together=None, loop="free")
        k = r.random()
        if k < 0.6:
            t = r.choice(("u32", "i32", "u32", "i32", "u16", "i64", "u8", "u64", "i16"))
            inner.variables.append(Variable(i, t, True))
            constant = self.chance(0.5)
            count = f"{turns}" if constant else f"(i32)($0 % {turns + 1}u)"
            kids = [] if constant else [self.expr("u32", s, 1)]
            if INTS[t][1] and self.chance(0.4):
                return Node(f"for ({t} {i} = ({t})({count}); {i} > 0; {i}--) ${len(kids)}", *kids, self.some(inner, n))
            step = r.choice((1, 1, 1, 2, 3))
            return Node(f"for ({t} {i} = 0; {i} < ({t})({count}); {i} = ({t})({i} + {step})) ${len(kids)}", *kids, self.some(inner, n))
        inner.variables.append(Variable(i, "u32", True))
        if k < 0.8:
            return Node(f"{{ u32 {i} = $0 % {turns + 1}u;\nwhile ({i}) {{\n{i}--;\n$1\n}}\n}}", self.expr("u32", s, 2), self.some(inner, n))
        return Node(f"{{ u32 {i} = 0;\ndo {{\n{i}++;\n$1\n}} while ({i} < {turns}u && $0);\n}}", self.cond(s, 1), self.some(Scope(inner, loop=None), n))

    def switch(self, s):
        n = self.r.choice((2, 3, 4, 6, 9))
        inner = Scope(s, inside=s.inside + 1, together=None, loop=None)
        values = self.r.sample(range(n + 2), n) if self.chance(0.7) else [self.r.randrange(16) * 16 + i for i in range(n)]
        kids, text = [self.expr("u32", s, 2)], ""
        for v in values:
            kids.append(self.some(inner, self.r.randrange(1, 3)))
            text += f"case {v}: ${len(kids) - 1}{' break;' if self.chance(0.75) else ''}\n"
            if len(kids) > 7:
                break
        if self.chance(0.7):
            kids.append(self.some(inner, 1))
            text += f"default: ${len(kids) - 1}\n"
        modulus = n + 2 if max(values) < n + 2 else 256
        return Node(f"switch ($0 % {modulus}u) {{\n{text}}}", *kids)

    def store(self, s):
        arrays = [a for a in s.arrays if not a[3]]
        if not arrays:
            return self.assign(s)
        name, t, n, _ = self.r.choice(arrays)
        return Node(f"{name}[$0 % {n}u] = $1;", self.expr("u32", s, 2), self.expr(t, s, 2))

    def struct(self, s):
        if not s.structs:
            return self.assign(s)
        name, kind = self.r.choice(s.structs)
        m, t, b = self.r.choice(kind.members)
        k = self.r.random()
        if k < 0.45:
            return Node(f"{name}.{m} = $0;", self.expr(t, s, 2))
        others = [n for n, x in s.structs if x is kind and n != name]
        if others and k < 0.6:
            return Node(f"{name} = $0 ? {name} : {self.r.choice(others)};", self.cond(s, 1))
        if s.memory and k < 0.75 and not any(b for _, _, b in kind.members):
            n = 2048 // kind.layout()[0]
            return Node(f"{name} = ((const {kind.name} *)in->l)[$0 % {n}u];", self.expr("u32", s, 1))
        if len(kind.members) < 9:
            return Node(f"{name} = {kind.name}{{{', '.join(f'${i}' for i in range(len(kind.members)))}}};", *(self.expr(x, s, 1) for _, x, _ in kind.members))
        return self.assign(s)

    def through_pointer(self, s):
        a = self.target(s)
        b = self.target(s, a.type) if a else None
        found = [p for p in self.pointers if s.repeat <= 40 and not s.inside]
        if found and self.chance(0.5):
            p = self.r.choice(found)
            v = self.target(s, p.result)
            if v:
                f = self.name_of("fp")
                return Node(f"{{ {p.type} {f} = {p.table}($0);\n{v.name} = {f}($1, $2);\n}}", self.expr("u32", s, 2), self.expr(p.arguments[0], s, 1),
                            self.expr(p.arguments[1], s, 1))
        if not b:
            return self.assign(s)
        p = self.name_of("p")
        return Node(f"{{ {a.type} *{p} = $0 ? &{a.name} : &{b.name};\n*{p} = $1;\n}}", self.cond(s, 1), self.expr(a.type, s, 2))

    # ---- what threads do together ----
    def share(self, t, n):
        name = self.name_of("s")
        self.shared.append((name, t, n))
        return f"sh.{name}"

    def region(self, what, t, count, fill=None):
        size = t.layout()[0] if isinstance(t, Struct) else SIZE[t]
        self.extent = -(-self.extent // 16) * 16
        self.regions.append(Region(what, t, self.extent, count))
        name = t.name if isinstance(t, Struct) else t
        text = f"(({name} *)(out + {self.extent}))"
        self.extent += size * count
        return text

    def joint(self, s):
        k = self.r.random()
        if s.together == "block":
            if k < 0.22:
                return self.exchange(s)
            if k < 0.3:
                return self.votes_of_block(s)
            if k < 0.4:
                return self.shared_atomics(s)
            if k < 0.45:
                return self.tree(s)
            if k < 0.5:
                return self.tickets(s)
        if k < 0.6:
            return self.gather(s)
        if k < 0.66:
            return self.scan(s)
        return self.warp(s)

    def fresh(self, s, t):
        """A variable for the result: one that is there, or the declaration of a new one."""
        v = self.target(s, t)
        if v and self.chance(0.7):
            return v.name, ""
        name = self.name_of("v")
        s.variables.append(Variable(name, t))
        return name, f"{t} {name};\n"

    def exchange(self, s):
        """Each thread writes one place of shared memory, or of global memory, and reads another's."""
        t, n = self.some_type(), self.threads
        slot = self.r.choice(("tid()", f"((tid() + {self.r.randrange(n)}u) % {n}u)", f"({n - 1}u - tid())"))
        value, index = self.expr(t, s, 2), self.expr("u32", s, 2)
        if self.chance(0.2):
            scratch = self.region("scratch", t, self.total) # NaN are kept alike
            text, base = f"{scratch}[gid()] = keep($0);", f"{scratch}[gid() - tid() + $1 % {n}u]"
        else:
            place = self.share(t, n)
            text, base = f"{place}[{slot}] = $0;", f"{place}[$1 % {n}u]"
        v, declaration = self.fresh(s, t)
        return Node(f"{declaration}{text}\nbarrier();\n{v} = {base};\nbarrier();", value, index)

    def votes_of_block(self, s):
        name, t, word = self.r.choice((("barrier_count", "i32", ""), ("barrier_and", "u32", "(u32)"), ("barrier_or", "u32", "(u32)")))
        e = self.cond(s, 2)
        v, declaration = self.fresh(s, t)
        return Node(f"{declaration}{v} = {word}{name}($0);", e)

    def shared_atomics(self, s):
        r = self.r
        n = r.choice((1, 3, 8, 32))
        t, op, first = r.choice((("u32", "add", "0u"), ("i32", "add", "-5"), ("u64", "add", "7ull"), ("u32", "min", "0xffffffffu"), ("i32", "max", "-2147483647"),
                                 ("u64", "max", "0ull"), ("i64", "min", "0x7fffffffffffffffll"), ("u32", "xor", "1u"), ("u32", "or", "0u"),
                                 ("u64", "and", "~0ull"), ("u32", "inc", "0u"), ("u32", "dec", "9u"), ("f32", "add", "0.0f"), ("f64", "add", "0.5"),
                                 ("f32", "largest", "-1.0f")))
        place = self.share(t, n)
        value = self.expr(t, s, 2) if t in INTS else None
        index, test = self.expr("u32", s, 2), self.cond(s, 1)
        kids = [index, test]
        if op in ("inc", "dec"):
            what = f"atomic_{op}(&{place}[$0 % {n}u], {r.randrange(1, 40)}u)" # one limit: the count alone matters
        elif t in FLOATS: # small whole numbers: every sum is exact
            kids.append(self.expr("u32", s, 2))
            what = f"atomic_{'max_f32' if op == 'largest' else op}(&{place}[$0 % {n}u], ({t})(i32)($2 % 513u - 256u))"
        else:
            kids.append(value)
            what = f"atomic_{op}(&{place}[$0 % {n}u], $2)"
        guard = "if ($1) " if self.chance(0.5) else ""
        if not guard:
            kids[1] = Node("true", type="bool")
        read = self.expr("u32", s, 1)
        kids.append(read)
        v, declaration = self.fresh(s, t)
        return Node(f"{declaration}for (u32 i = tid(); i < {n}u; i += threads()) {place}[i] = {first};\nbarrier();\n"
                    f"{guard}{what};\nbarrier();\n{v} = {place}[${len(kids) - 1} % {n}u];\nbarrier();", *kids)

    def tree(self, s):
        t = self.r.choice(("u32", "i32", "u64", "u16", "i64", "u8"))
        c = "u64" if INTS[t][0] == 64 else "u32"
        place, n = self.share(t, self.threads), self.threads
        op = self.r.choice("+^|+")
        e = self.expr(t, s, 2)
        v, declaration = self.fresh(s, t)
        return Node(f"{declaration}{place}[tid()] = $0;\nbarrier();\nfor (u32 d = 1; d < {n}u; d *= 2) {{\n"
                    f"if (tid() % (2 * d) == 0 && tid() + d < {n}u) {place}[tid()] = ({t})(({c}){place}[tid()] {op} ({c}){place}[tid() + d]);\n"
                    f"barrier();\n}}\n{v} = {place}[0];\nbarrier();", e)

    def tickets(self, s):
        """Each thread draws a number; what is made of all of them does not depend on who drew which."""
        place = self.share("u32", 2)
        v, declaration = self.fresh(s, "u32")
        return Node(f"{declaration}for (u32 i = tid(); i < 2; i += threads()) {place}[i] = 0;\nbarrier();\n"
                    f"atomic_add(&{place}[1], (u32)mix_ticket(atomic_add(&{place}[0], 1u)));\nbarrier();\n{v} = {place}[1];\nbarrier();")

    def gather(self, s):
        """An atomic on global memory; each place of an array has one kind only."""
        if s.together is None and not self.gathered:
            return self.assign(s)
        if s.together and (not self.gathered or self.chance(0.3)):
            t, op = self.r.choice((("u32", "add"), ("u64", "add"), ("i32", "add"), ("u32", "max"), ("i32", "min"), ("u64", "xor"), ("i64", "max"), ("u32", "and"), ("u32", "or")))
            n = self.r.choice((1, 4, 33))
            self.gathered[self.region(f"atomic_{op}", t, n)] = (t, op, n)
        place = self.r.choice(list(self.gathered))
        t, op, n = self.gathered[place]
        return Node(f"atomic_{op}(&{place}[$0 % {n}u], $1);", self.expr("u32", s, 2), self.expr(t, s, 2))

    def scan(self, s):
        t = self.r.choice(("u32", "i32", "u64"))
        c = "u64" if t == "u64" else "u32"
        e = self.expr(t, s, 2)
        v, declaration = self.fresh(s, t)
        return Node(f"{declaration}{{ {t} x = $0;\nfor (u32 d = 1; d < 32; d *= 2) {{\nconst {t} y = shfl_up<{t}>({s.mask}, x, d, 32);\n"
                    f"if (lane() >= d && ({s.mask} >> (lane() - d) & 1)) x = ({t})(({c})x + ({c})y);\n}}\n{v} = x;\n}}", e)

    def warp(self, s):
        r, k = self.r, self.r.random()
        if k < 0.45:
            t = r.choice(("u32", "i32", "u64", "i64", "f32", "f64", "u32", "f32", "f16", "b16"))
            kind, width = r.choice(("idx", "idx", "up", "down", "xor")), r.choice((32, 32, 16, 8, 4, 2))
            value = self.expr(t, s, 2)
            n = Node(f"{r.randrange(32)}u", type="u32") if self.chance(0.5) else self.expr("u32", s, 2)
            if kind in ("up", "down"): # CUDA wants the same distance of all
                n = Node(f"{r.randrange(32)}u", type="u32") if s.together != "block" or self.chance(0.7) else Node(f"({self.uniform(s)} & 31)", type="u32")
            v, declaration = self.fresh(s, t)
            return Node(f"{declaration}{v} = shfl_{kind}<{t}>({s.mask}, $0, $1 & 31, {width}u);", value, n)
        if k < 0.62:
            e = self.cond(s, 2)
            v, declaration = self.fresh(s, "u32")
            return Node(f"{declaration}{v} = (u32){r.choice(('ballot', 'ballot', 'all', 'any'))}({s.mask}, $0);", e)
        if k < 0.75:
            t = r.choice(("u32", "u64"))
            e = self.expr(t, s, 2)
            v, declaration = self.fresh(s, "u32")
            return Node(f"{declaration}{v} = match_{r.choice(('any', 'any', 'all'))}({s.mask}, $0{' % 5u' if self.chance(0.5) and t == 'u32' else ''});", e)
        if k < 0.93:
            t = r.choice(("u32", "i32"))
            name = r.choice(("add", "min", "max") + (("and", "or", "xor") if t == "u32" else ()))
            e = self.expr(t, s, 2)
            v, declaration = self.fresh(s, t)
            return Node(f"{declaration}{v} = reduce_{name}{'_s' if t == 'i32' else ''}({s.mask}, $0);", e)
        t = self.some_type()
        place = self.share(t, self.threads)
        value, index = self.expr(t, s, 2), self.expr("u32", s, 1)
        v, declaration = self.fresh(s, t)
        if s.together == "block": # the warp's own part, behind a barrier of the warp
            return Node(f"{declaration}{place}[tid()] = $0;\nsync_warp({s.mask});\n{v} = {place}[warp() * 32 + $1 % warp_size()];\nsync_warp({s.mask});", value, index)
        return Node(f"{declaration}{place}[tid()] = $0;\nsync_warp({s.mask});\n"
                    f"{{ const u32 j = $1 & 31;\n{v} = {place}[{s.mask} >> j & 1 ? warp() * 32 + j : tid()];\n}}\nsync_warp({s.mask});", value, index)

    # ---- the whole ----
    def make_structs(self):
        for _ in range(self.r.choice((0, 1, 1, 1, 2))):
            members = []
            for i in range(self.r.randrange(2, 6)):
                t, b = self.some_type(), 0
                if t in ("u32", "i32", "u16") and self.chance(0.12):
                    b = self.r.randrange(1, 16)
                members.append((f"m{i}", t, b))
            self.structs.append(Struct(f"{self.name}_t{len(self.structs)}", members, self.r.choice((0, 0, 0, 8, 16))))

    def make_helper(self, number):
        h = Helper()
        h.result = self.some_type()
        h.name = f"{self.name}_h{number}"
        h.recursive = self.chance(0.25)
        kinds = ["depth"] if h.recursive else []
        kinds += [self.some_type() for _ in range(self.r.randrange(1, 4))]
        if self.structs and self.chance(0.35):
            kinds.append(self.r.choice(self.structs))
        h.parameters = kinds
        s = Scope(returns=h.result, inside=1)
        texts = []
        for i, kind in enumerate(kinds):
            if isinstance(kind, Struct):
                texts.append(f"{self.r.choice(('{}', '{}', 'const {} &')).format(kind.name)} x{i}")
                if texts[-1].startswith("const"):
                    s.uniform = [] # only read: members below
                    for m, t, b in kind.members:
                        if not b:
                            s.variables.append(Variable(f"x{i}.{m}", t, True))
                else:
                    s.structs.append((f"x{i}", kind))
            elif kind == "depth":
                texts.append(f"u32 x{i}")
                s.variables.append(Variable(f"x{i}", "u32", True))
            else:
                texts.append(f"{kind} x{i}")
                s.variables.append(Variable(f"x{i}", kind))
        body = []
        if self.chance(0.3):
            body.append(self.local_array(s))
        if h.recursive:
            body.append(Node("if (x0 == 0 || $0) return $1;", self.cond(s, 1), self.expr(h.result, s, 1)))
        body += [self.statement(s) for _ in range(self.r.randrange(1, 4))]
        if h.recursive:
            again = lambda: f"{h.name}(x0 - 1{''.join(f', {self.again(k, i, s)}' for i, k in enumerate(kinds) if i)})"
            name = self.name_of("v")
            body.append(Node(f"{h.result} {name} = {again()};"))
            s.variables.append(Variable(name, h.result))
            if self.chance(0.2):
                body.append(Node(f"{name} = {again()};"))
            body.append(self.statement(s))
        body.append(Node("return $0;", self.expr(h.result, s, 2)))
        h.head = f"{self.r.choice(('HD', 'HD', 'NOINLINE'))} {h.result} {h.name}({', '.join(texts)})"
        h.body = Block(body)
        self.helpers.append(h)

    def again(self, kind, i, s):
        return f"x{i}" if isinstance(kind, Struct) else str(self.expr(kind, s, 1))

    def make_pointers(self):
        """Functions of one type, and one that picks one of them."""
        p = Pointers()
        p.result, p.arguments = self.r.choice((("u32", ("u32", "u32")), ("f32", ("f32", "i32")), ("i64", ("i32", "u64"))))
        p.type, p.table = f"{self.name}_f", f"{self.name}_pick"
        p.functions = []
        for i in range(self.r.randrange(2, 5)):
            s = Scope(returns=p.result, inside=1)
            s.variables = [Variable("a", p.arguments[0]), Variable("b", p.arguments[1])]
            f = Helper()
            f.head = f"{self.r.choice(('HD', 'NOINLINE'))} {p.result} {self.name}_p{i}({p.arguments[0]} a, {p.arguments[1]} b)"
            f.body = Block([self.statement(s), Node("return $0;", self.expr(p.result, s, 2))])
            p.functions.append(f)
        names = ", ".join(f"{self.name}_p{i}" for i in range(len(p.functions)))
        p.text = f"typedef {p.result} (*{p.type})({p.arguments[0]}, {p.arguments[1]});\n"
        p.pick = (f"HD {p.type} {p.table}(u32 i)\n{{\n    const {p.type} all[] = {{{names}}};\n    return all[i % {len(p.functions)}u];\n}}\n")
        self.pointers.append(p)

    def local_array(self, s):
        t, n, name = self.some_type(), self.r.choice((2, 3, 4, 5, 8, 16)), self.name_of("a")
        first = ", ".join(str(self.expr(t, s, 1)) for _ in range(min(n, 3)))
        s.arrays.append((name, t, n, False))
        return Node(f"{t} {name}[{n}] = {{{first}}};\nfor (u32 i = {min(n, 3)}; i < {n}; i++) {name}[i] = {name}[i - {min(n, 3)}];")

    def make(self):
        r = self.r
        self.make_structs()
        for _ in range(r.choice((0, 1, 2))):
            t, n = self.some_type(tuple(INTS) + FLOATS), r.choice((2, 5, 8, 17, 32))
            name = f"{self.name}_c{len(self.tables)}"
            self.tables.append((name, t, n))
            self.table_text = getattr(self, "table_text", "") + f"TABLE({t}, {name}, {n}) = {{{', '.join(self.number(t) for _ in range(n))}}};\n"
        for i in range(r.choice((0, 0, 1, 1, 2))):
            self.make_helper(i)
        if self.chance(0.3):
            self.make_pointers()
        self.left = max(self.left, 25)
        # parameters of the kernel: a struct by value, and some numbers
        self.parameters = [(f"q{i}", self.some_type(tuple(INTS) + FLOATS)) for i in range(r.randrange(1, 5))]
        s = Scope(together="block", mask="warp_mask()", memory=True)
        self.argument = Struct(f"{self.name}_p", [(f"n{i}", self.some_type(tuple(INTS) + FLOATS), 0) for i in range(r.randrange(1, 5))], 0)
        for n, t, _ in self.argument.members:
            s.variables.append(Variable(f"p.{n}", t, True))
        for n, t in self.parameters:
            s.variables.append(Variable(n, t, True))
        s.uniform = [v.name for v in s.variables if v.type == "u32"]
        body = [self.declare(s, d=2) for _ in range(r.randrange(3, 6))]
        for _ in range(r.choice((0, 0, 1))):
            body.append(self.local_array(s))
        for kind in self.structs:
            for _ in range(r.choice((1, 1, 2))):
                name = self.name_of("t")
                body.append(Node(f"{kind.name} {name} = {{{', '.join(str(self.expr(t, s, 1)) for _, t, _ in kind.members)}}};"))
                s.structs.append((name, kind))
        body += [self.statement(s) for _ in range(r.randrange(3, 7))]
        # what it leaves: variables, arrays and structs
        kept = [v for v in s.variables if not v.fixed]
        for v in kept[-8:]:
            body.append(Node(f"{self.region(v.name, v.type, self.total)}[gid()] = keep({v.name});"))
        for name, t, n, _ in s.arrays:
            i = r.randrange(n)
            body.append(Node(f"{self.region(f'{name}[{i}]', t, self.total)}[gid()] = keep({name}[{i}]);"))
        for name, kind in s.structs:
            if any(b for _, _, b in kind.members):
                for m, t, b in kind.members:
                    body.append(Node(f"{self.region(f'{name}.{m}', t, self.total)}[gid()] = keep(({t}){name}.{m});" if b else
                                     f"{self.region(f'{name}.{m}', t, self.total)}[gid()] = keep({name}.{m});"))
            else:
                tame = "".join(f"{name}.{m} = keep({name}.{m});\n" for m, t, _ in kind.members if t in FLOATS + SHORTS)
                body.append(Node(f"{tame}{self.region(name, kind, self.total)}[gid()] = {name};"))
        self.body = Block(body)
        self.first = {n: self.number(t) for n, t, _ in self.argument.members} | {n: self.number(t) for n, t in self.parameters}

    def text(self):
        name, p = self.name, self.argument
        out = [str(x) for x in self.structs] + [str(p), getattr(self, "table_text", "")]
        out.append(f"struct {name}_shared {{\n" + "".join(f"    {t} {n}[{c}];\n" for n, t, c in self.shared or [("none", "u32", 1)]) + "};\n")
        out += [f"{h.head}\n{h.body}\n" for h in self.helpers]
        for q in self.pointers:
            out += [q.text] + [f"{f.head}\n{f.body}\n" for f in q.functions] + [q.pick]
        parameters = "".join(f", {t} {n}" for n, t in self.parameters)
        arguments = "".join(f", {n}" for n, _ in self.parameters)
        out.append(f"HD void {name}_body(const inputs *in, u8 *out, {p.name} p{parameters}, {name}_shared &sh)\n{self.body}\n")
        out.append(f"KERNEL({name}, {name}_shared, (const inputs *in, u8 *out, {p.name} p{parameters}), (in, out, p{arguments}, shared))\n")
        first = ", ".join(self.first[n] for n, _, _ in p.members)
        rest = "".join(f", ({t}){self.first[n]}" for n, t in self.parameters)
        shape = f"{{{{{self.grid[0]}, {self.grid[1]}, 1}}, {{{self.block[0]}, {self.block[1]}, {self.block[2]}}}}}"
        out.append(f"static void {name}_run()\n{{\n    const shape s = {shape};\n    const {p.name} p = {{{first}}};\n"
                   f"    LAUNCH({name}, s, {self.extent}, p{rest})\n}}\n")
        return indent("".join(out))

    def trees(self):
        """The bodies of all its functions."""
        return [self.body] + [h.body for h in self.helpers] + [f.body for p in self.pointers for f in p.functions]


class Helper:
    pass


class Pointers:
    pass


def indent(text):
    lines, depth = [], 0
    for line in text.split("\n"):
        line = line.strip()
        lines.append("    " * (depth - (line.startswith("}"))) + line if line else "")
        depth += line.count("{") - line.count("}")
    return "\n".join(lines)


def program(kernels, about):
    """The whole text: about is a line that says what it is."""
    calls = "".join(f"    {k.name}_run();\n" for k in kernels)
    return (f"// {about}\n#include \"machine.h\"\n\n" + "\n".join(k.text() for k in kernels) +
            f"\nvoid programs()\n{{\n{calls}}}\n")
