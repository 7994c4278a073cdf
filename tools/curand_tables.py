#!/usr/bin/env python3
"""Writes include/heddle/curand/xorwow_powers.h and mrg32k3a_powers.h, powers of the step of two generators, and
src/libraries/curand/mt19937_jump.h, the way from one lane of MT19937 to the next.

XORWOW's step without its counter is linear over GF(2): a matrix of 160 x 160 bits (Marsaglia, Xorshift RNGs, J. Stat. Softw. 8(14),
2003). MRG32k3a's is two matrices of 3 x 3 numbers modulo two primes (L'Ecuyer, Operations Research 47(1), 1999). To skip n steps is
to multiply by the matrix to the power of n; the tables have the powers that n is put together from.

MT19937's step (Matsumoto and Nishimura, ACM TOMACS 8(1), 1998) is a matrix of 19937 x 19937 bits. A jump is a polynomial in it, modulo
its characteristic polynomial, which Berlekamp's and Massey's algorithm finds (Haramoto et al., INFORMS J. Comput. 20(3), 2008).

usage: tools/curand_tables.py [--check]     in the tree's root; --check compares with the files that are there
"""
import sys

WORD = 0xFFFFFFFF
FOLDER = "include/heddle/curand/"
LIBRARY = "src/libraries/curand/"


def xorwow_step(v):
    """The five words of the state after one step, without the counter."""
    t = v[0] ^ (v[0] >> 2)
    return v[1:] + [(v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & WORD]


def as_number(v):
    return sum(word << (32 * i) for i, word in enumerate(v))


def apply(matrix, x):
    """matrix: 160 rows, what each bit of the state becomes."""
    r = 0
    while x:
        low = x & -x
        r ^= matrix[low.bit_length() - 1]
        x ^= low
    return r


def xorwow_tables():
    """For sequences of 2^67 steps and for single steps: the powers 4^0 .. 4^31 of them."""
    matrix = []
    for bit in range(160):
        v = [0] * 5
        v[bit // 32] = 1 << (bit % 32)
        matrix.append(as_number(xorwow_step(v)))
    powers = [matrix]  # of 2^i steps
    while len(powers) < 67 + 63:
        powers.append([apply(powers[-1], row) for row in powers[-1]])
    return [("sequence", [powers[67 + 2 * i] for i in range(32)]), ("step", [powers[2 * i] for i in range(32)])]


MODULI = (2**32 - 209, 2**32 - 22853)
STEPS = (((0, 1, 0), (0, 0, 1), (MODULI[0] - 810728, 1403580, 0)), ((0, 1, 0), (0, 0, 1), (MODULI[1] - 1370589, 0, 527612)))


def square(a, m):
    return tuple(tuple(sum(a[i][k] * a[k][j] for k in range(3)) % m for j in range(3)) for i in range(3))


def mrg_tables():
    """For steps, for subsequences of 2^76 and for sequences of 2^127: the powers 2^0 .. of them, for both moduli."""
    result = []
    for name, first, count in (("step", 0, 64), ("subsequence", 76, 64), ("sequence", 127, 64)):
        for part, (matrix, modulus) in enumerate(zip(STEPS, MODULI)):
            a, powers = matrix, []
            for i in range(first + count):
                if i >= first:
                    powers.append(a)
                a = square(a, modulus)
            result.append((name, part + 1, powers))
    return result


MT_DEGREE = 19937
MT_JUMP = 2048  # a lane is 2^2048 steps behind the one before: measured


def mt_bits(count):
    """One bit of each of so many raw words, from any state."""
    w = [5489]
    for i in range(1, 624):
        w.append((1812433253 * (w[-1] ^ (w[-1] >> 30)) + i) & WORD)
    for k in range(count):
        y = (w[k] & 0x80000000) | (w[k + 1] & 0x7FFFFFFF)
        w.append(w[k + 397] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0))
    return [x & 1 for x in w[624:]]


def shortest_recurrence(bits):
    """Berlekamp and Massey: bit i says whether value n - i is in the sum that gives 0 for every n."""
    c, b, length, since, history = 1, 1, 0, 1, 0
    for n, bit in enumerate(bits):
        history = history << 1 | bit
        if bin(c & history).count("1") & 1:
            before = c
            c ^= b << since
            if 2 * length <= n:
                length, b, since = n + 1 - length, before, 0
        since += 1
    return c


def mt_jump():
    """x^(2^MT_JUMP) modulo the characteristic polynomial, as a number."""
    recurrence = shortest_recurrence(mt_bits(2 * MT_DEGREE))
    below = [MT_DEGREE - i for i in range(1, MT_DEGREE + 1) if recurrence >> i & 1]  # the polynomial but its first term
    spread = [sum((byte >> i & 1) << (2 * i) for i in range(8)).to_bytes(2, "little") for byte in range(256)]
    power = 2
    for _ in range(MT_JUMP):
        power = int.from_bytes(b"".join(spread[byte] for byte in power.to_bytes((MT_DEGREE + 7) // 8, "little")), "little")
        while power >> MT_DEGREE:
            high = power >> MT_DEGREE
            power &= (1 << MT_DEGREE) - 1
            for exponent in below:
                power ^= high << exponent
    return power


def braced(numbers, depth):
    """Numbers as C writes nested arrays of them."""
    if depth == 0:
        return "0x%x" % numbers
    return "{" + ",".join(braced(x, depth - 1) for x in numbers) + "}"


def table(out, head, items, depth):
    out.append(head + " = {")
    line = ""
    for item in items:
        for text in (braced(item, depth) + ",").split(",")[:-1]:
            line += text + ","
            if len(line) > 110:
                out.append(line)
                line = ""
        if depth and line:
            out.append(line)
            line = ""
    if line:
        out.append(line)
    out.append("};")


def xorwow_text():
    out = ["/* Powers of XORWOW's step, a matrix over GF(2); written by tools/curand_tables.py.",
           " *",
           " * heddle_xorwow_<unit>[k][5 * b + w]: word w of what bit b of the state becomes after 4^k units, a unit being one step or",
           " * one sequence of 2^67 steps. Device code reads them from global memory. */",
           "#ifndef HEDDLE_CURAND_XORWOW_POWERS_H", "#define HEDDLE_CURAND_XORWOW_POWERS_H", ""]
    for name, powers in xorwow_tables():
        matrices = [[(row >> (32 * w)) & WORD for row in matrix for w in range(5)] for matrix in powers]
        table(out, "HEDDLE_CURAND_TABLE unsigned int heddle_xorwow_%s[32][800]" % name, matrices, 1)
    return "\n".join(out + ["", "#endif", ""])


def mrg_text():
    out = ["/* Powers of MRG32k3a's steps, matrices modulo 2^32 - 209 and 2^32 - 22853; written by tools/curand_tables.py.",
           " *",
           " * heddle_mrg_<unit><part>[k]: the matrix of 2^k units, a unit being one step, one subsequence of 2^76 steps or one sequence",
           " * of 2^127. */",
           "#ifndef HEDDLE_CURAND_MRG32K3A_POWERS_H", "#define HEDDLE_CURAND_MRG32K3A_POWERS_H", ""]
    for name, part, powers in mrg_tables():
        table(out, "HEDDLE_CURAND_TABLE unsigned int heddle_mrg_%s%d[%d][3][3]" % (name, part, len(powers)), powers, 2)
    return "\n".join(out + ["", "#endif", ""])


def mt_text():
    out = ["/* The polynomial that leads from one lane of MT19937 to the next, 2^%d steps on, a bit a coefficient; written by" % MT_JUMP,
           " * tools/curand_tables.py. */",
           "#ifndef LIBRARIES_CURAND_MT19937_JUMP_H", "#define LIBRARIES_CURAND_MT19937_JUMP_H", "", "#include <stdint.h>", ""]
    jump = mt_jump()
    table(out, "static const uint8_t mt19937_jump[%d]" % (MT_DEGREE // 8 + 1), list(jump.to_bytes(MT_DEGREE // 8 + 1, "little")), 0)
    return "\n".join(out + ["", "#endif", ""])


def main():
    wrong = 0
    for name, text in ((FOLDER + "xorwow_powers.h", xorwow_text()), (FOLDER + "mrg32k3a_powers.h", mrg_text()), (LIBRARY + "mt19937_jump.h", mt_text())):
        if "--check" in sys.argv[1:]:
            if open(name).read() != text:
                print(name + " is not what tools/curand_tables.py writes")
                wrong = 1
        else:
            open(name, "w").write(text)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
