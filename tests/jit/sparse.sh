# Sparse rows in machine code of v4 and of a level below it, which the source tree draws, and a lane that goes outside of memory in its row: what
# the interpreter says of it. HEDDLE is the command, SOURCES the folder of the programs.
set -e
levels="$(python3 "$SOURCES/../drawn.py" one v2 v3) v4"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/sparse.cu" -o "$folder/sparse"
for level in $levels; do
    HEDDLE_ISA=x86-64-$level HEDDLE_EXEC=jit "$folder/sparse"
done
# What is counted of them is what the interpreter counts, modelled caches aside: where those are, lanes go together.
for level in $levels; do
    for exec in interp jit; do
        HEDDLE_RESULTS="$folder/$exec.results" HEDDLE_CACHES=0 HEDDLE_ISA=x86-64-$level HEDDLE_EXEC=$exec "$folder/sparse"
    done
    python3 -c 'import json, sys
a, b = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
assert len(a) > 5 and len(a) == len(b)
for x, y in zip(a, b):
    assert x["total"] == y["total"] and x["total"]["GLOBAL_LD_SECTORS"] > 0, (x["total"], y["total"])' "$folder/interp.results" "$folder/jit.results"
    rm "$folder/interp.results" "$folder/jit.results"
done
for element in far 60000000 3; do
    for exec in interp jit; do
        HEDDLE_EXEC=$exec "$folder/sparse" $element >"$folder/$exec" 2>&1
    done
    diff "$folder/interp" "$folder/jit"
    grep -q "$(test $element = 3 && echo cudaSuccess || echo cudaErrorIllegalAddress)" "$folder/jit"
done
"$HEDDLE" llvm --as-ir -k products --block 128 "$SOURCES/sparse.cu" | grep -q 'of_lane' # a lane-serial loop
"$HEDDLE" llvm --as-ir --counting -k products --block 128 "$SOURCES/sparse.cu" | grep -q 'of_lane'
! "$HEDDLE" llvm --as-ir -k walks --block 128 "$SOURCES/sparse.cu" | grep -q 'of_lane'
kernels="$SOURCES/../../bench/kernels" # a row for each thread, or for a warp, whose lanes load neighbouring elements
"$HEDDLE" llvm --as-ir -k spmv_thread --block 256 -I "$kernels" "$kernels/spmv.cu" | grep -q 'of_lane'
"$HEDDLE" llvm --as-ir -k spmv_warp --block 256 -I "$kernels" "$kernels/spmv.cu" >"$folder/warp"
grep -q 'spmv_warp' "$folder/warp"
! grep -q 'of_lane' "$folder/warp"
echo ALL DONE
