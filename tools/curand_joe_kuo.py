#!/usr/bin/env python3
"""Packs Joe and Kuo's direction numbers for Sobol's sequences into src/libraries/curand/joe_kuo.bin.

The numbers are published at https://web.maths.unsw.edu.au/~fkuo/sobol/ as new-joe-kuo-6.21201: a line a dimension from the second one
on with its number, the degree s of its primitive polynomial, the polynomial's inner coefficients, and m_1 .. m_s. The polynomials are all
primitive ones in order, so only the m are kept: m_i is odd and below 2^i, so i - 1 bits, from the lowest bit of the first byte on.

usage: tools/curand_joe_kuo.py NEW-JOE-KUO-6     in the tree's root
"""
import sys

DIMENSIONS = 20000  # as many as cuRAND has


def main():
    bits = length = 0
    with open(sys.argv[1]) as f:
        for line in f.readlines()[1:DIMENSIONS]:
            _, s, _, *m = map(int, line.split())
            assert len(m) == s and all(x % 2 == 1 and x < 2**(i + 1) for i, x in enumerate(m))
            for i, x in enumerate(m):
                bits |= (x >> 1) << length
                length += i
    with open("src/libraries/curand/joe_kuo.bin", "wb") as f:
        f.write(bits.to_bytes((length + 7) // 8, "little"))


main()
