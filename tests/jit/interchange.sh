# Loops that go down columns, in both executors, on the highest level of the host and on one below it, which the source tree draws, and with
# several host threads, on one of these two counted as the interpreter counts; and which fault is told: HEDDLE is the command, SOURCES this folder.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/interchange.cu" -o "$folder/interchange"
HEDDLE_EXEC=interp HEDDLE_VERIFY=1 "$folder/interchange"
set -- $(python3 "$SOURCES/../drawn.py" one "v2 v2" "v3 v3" "v2 v4" "v3 v4")
for level in x86-64-$1 x86-64-v4; do # or the highest that there is
    for threads in 1 3; do
        HEDDLE_ISA=$level HEDDLE_THREADS=$threads HEDDLE_EXEC=jit HEDDLE_JIT_LOG="$folder/log" "$folder/interchange"
    done
    test $level = x86-64-$2 || continue
    for exec in interp jit; do
        HEDDLE_ISA=$level HEDDLE_EXEC=$exec HEDDLE_CACHES=0 HEDDLE_RESULTS="$folder/$exec.results" "$folder/interchange"
    done
    python3 -c 'import json, sys
a, b = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
assert len(a) > 100 and len(a) == len(b)
for x, y in zip(a, b):
    assert x["total"] == y["total"], (x["kernel"], x["total"], y["total"])' "$folder/interp.results" "$folder/jit.results"
    rm "$folder/interp.results" "$folder/jit.results"
done
for arguments in "5 3" "900 1" "1030 50" "4000 99" "255 64"; do
    for threads in 1 2; do
        HEDDLE_THREADS=$threads HEDDLE_EXEC=interp "$folder/interchange" $arguments >"$folder/interp" 2>&1
        HEDDLE_THREADS=$threads HEDDLE_EXEC=jit HEDDLE_VERIFY=1 "$folder/interchange" $arguments >"$folder/jit" 2>&1
        cmp "$folder/interp" "$folder/jit" || { cat "$folder/interp" "$folder/jit"; exit 1; }
    done
done
cat "$folder/jit"
echo "ALL DONE"
