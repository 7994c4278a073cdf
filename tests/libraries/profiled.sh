#!/bin/sh
# Calls of libraries in profiles, results, comparisons and traces. profiled.sh HEDDLE
set -eu
heddle=$1 here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; cat out; exit 1; }
said() { grep -qF -- "$1" out || fail "'$1' is missing"; }

"$heddle" build "$here/profiled.cu" -o profiled -lcublas
status=0
./profiled >out 2>&1 || status=$?
[ "$status" = 77 ] && { cat out; exit 77; }

"$heddle" profile --log-file out -o kept.json -f --page details ./profiled
[ "$(grep -c 'library call, no counters$' out)" = 2 ] || fail "not two calls"
said "fill(float *, int) (256, 1, 1)x(256, 1, 1)"
sed -n '/^  cublasSgemm/,/A bound/p' out >page
# 2 x 256^3 operations over 66,908 GFLOP/s; 3 x 256 KiB over 4,814 GB/s of DRAM
cat >want <<'WANT'
  cublasSgemm (m 256, n 256, k 256), Context 1, Stream 7, Device 0, CC 9.0, cuBLAS: library call, no counters
    NVIDIA H200
    Section: Library Call
    ---------------------------------------- --------------- ------------------ -------------------
    Metric Name                                  Metric Unit       Metric Value Trust
    ---------------------------------------- --------------- ------------------ -------------------
    Operations                                          FLOP         33,554,432 exact
    Bytes Read                                          byte            524,288 exact
    Bytes Written                                       byte            262,144 exact
    Least Time, single precision                          us              0.501 modelled
    Least Time, DRAM                                      us              0.163 modelled
    ---------------------------------------- --------------- ------------------ -------------------
    Bound by single precision: the call takes at least 0.501 us, so at most 66,908 of 66,908 GFLOP/s.
    A bound, not a prediction. Operations by the call's definition; each byte of its operands once, from DRAM.
WANT
diff want page || fail "another page"
grep -q '"kernel":"cublasSnrm2".*"library":{"name":"cuBLAS","shape":"n 65536","bytes_read":262144,"bytes_written":0,"peak":0,"flops":131072}' kept.json || fail "another result"
"$heddle" profile -i kept.json --log-file out
[ "$(grep -c 'library call, no counters$' out)" = 2 ] || fail "not two calls in what was kept"
"$heddle" profile --csv --metrics inst_executed -k regex:nrm2 --log-file out ./profiled
said '"cublasSnrm2","1","7","(0, 0, 0)","(0, 0, 0)","0","9.0","n/a"'
grep -q fill out && fail "a kernel that was not asked for"
"$heddle" compare kept.json kept.json >out 2>&1 || fail "no comparison"
said "fill"
"$heddle" profile -i kept.json --roofline picture.svg >out 2>&1 || fail "no picture"
"$heddle" env nvprof --print-gpu-summary ./profiled >out 2>&1
said "cublasSgemm [cuBLAS]"

# Where operations are not counted, DRAM bounds; null in results.
"$heddle" build -std=c++17 "$here/cusolver_sp.cu" -o sparse -lcusolver -lcusparse
"$heddle" profile --log-file out -o kept.json -f --page details -k regex:Dcsrlsvqr -c 1 ./sparse >/dev/null 2>&1 || fail "no profile of sparse systems"
said "cusolverSpDcsrlsvqr (n 99, 455 entries), "
said "Operations                                          FLOP                n/a"
# 4 x 100 + 4 x 455 of structure, 8 x 455 values, 8 x 99 of b
said "Bytes Read                                          byte              6,652 exact"
said "    Bound by DRAM: the call takes at least "
said "A bound, not a prediction. Operations are not counted; each byte of its operands once, from DRAM."
grep -q '"flops":null' kept.json || fail "another result"
"$heddle" profile -i kept.json --log-file out --page details
said "Operations are not counted"
echo PASSED
