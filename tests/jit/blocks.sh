# Many blocks in all executors (tests/device/blocks.cu): results, counters, and which block fails. Needs HEDDLE and SOURCES.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build -o "$folder/blocks" "$SOURCES/blocks.cu"
for exec in interp jit jit-first; do
    export HEDDLE_EXEC=$exec
    "$folder/blocks" >"$folder/$exec"
    grep -q '^block 3170, thread 40$' "$folder/$exec"
    grep -q '^PASSED$' "$folder/$exec"
    for block in 0 31 32 777 3999; do
        for how in fault late; do
            HEDDLE_THREADS=1 "$folder/blocks" $how $block >>"$folder/$exec" 2>&1 || [ $? = 3 ]
        done
    done
    HEDDLE_CACHES=0 HEDDLE_RESULTS="$folder/results" "$folder/blocks" >/dev/null
    sed 's/"pid":[0-9]*//' "$folder/results" >"$folder/$exec.counts"
    rm "$folder/results"
done
grep -q 'block (777,0,0)' "$folder/interp"
for exec in jit jit-first; do
    diff "$folder/interp" "$folder/$exec"
    diff "$folder/interp.counts" "$folder/$exec.counts"
done
echo PASSED
