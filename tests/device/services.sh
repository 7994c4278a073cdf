# Device printf, assert and the device heap, as programs see them.
. "$SOURCES/../compile/common.sh"

run() { out=$1; shift; "$HEDDLE" run "$@" >"$out" 2>"$out.err"; echo "status $?" >>"$out"; }

run printed "$SOURCES/print.cu"
same printed <<'END'
before the copy
no arguments
1 -2     3|4    |00005|+6| 7
4000000000 10 ff FF 0xff 010
-3 -4 -5 -6 7 123456789abcdef
1.500000 2.35    3.142|2.5     |1.000000e+10 1.000000E-10 0.0001 1E+20 0x1p+0
inf -INF 50%
ab     c|d  |
constant    right|left    |cut local shared
     1|2     |1.000|    3.14
0x1234 1 (null)
%y 9
none
1 2 3
0 3 -1
from the host
after the copy
before synchronising
block 0 thread 0
block 0 thread 1
odd 1
block 1 thread 0
block 1 thread 1
odd 1
block 2 thread 0
block 2 thread 1
odd 1
after synchronising
status 0
END
same printed.err <<'END'
heddle: 17 bytes that kernels printed are lost, as with CUDA: the program ended without cudaDeviceSynchronize() or cudaDeviceReset() after the launch
END
run bad "$SOURCES/print.cu" bad
tail -n 2 bad >tail; same tail <<'END'
cudaErrorIllegalAddress
status 0
END
grep -q 'printf read its format, an argument or a string there' bad.err || { fail "no reason for the fault"; cat bad.err; }

run asserted "$SOURCES/assert.cu"
tail -n 4 asserted >tail; same tail <<'END'
thread 63
710 cudaErrorAssert device-side assert triggered
cudaErrorAssert
status 0
END
grep -c 'thread' asserted >count; same count <<'END'
128
END
grep 'Assertion' asserted.err | sed 's/.*: check/check/; s/.*void check/void check/' | sort | sed -n '1p;$p' >ends; same ends <<'END'
void check(int): block: [0,0,0], thread: [31,0,0] Assertion `i % 64 < n` failed.
void check(int): block: [0,0,0], thread: [63,0,0] Assertion `i % 64 < n` failed.
END
grep -c Assertion asserted.err >count; same count <<'END'
33
END

run heap "$SOURCES/heap.cu"
same heap <<'END'
PASSED
status 0
END
run heap "$SOURCES/heap.cu" twice
same heap <<'END'
cudaErrorIllegalAddress
PASSED
status 0
END
grep -q 'that was freed already' heap.err || { fail "no reason for the fault"; cat heap.err; }

run wild "$SOURCES/pointers.cu" wild
same wild <<'END'
cudaErrorIllegalInstruction
PASSED
status 0
END
has wild.err 'a call through a pointer that is no function of this module and type'
finish
