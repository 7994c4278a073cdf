# Programs that end while their kernel is compiled end with status 0 and print nothing: 48 of them, four at a time.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/ends.cu" -o "$folder/program"
export HEDDLE_JIT_CACHE=0
one() { # one NUMBER MODE
    HEDDLE_EXEC=$2 "$folder/program" >"$folder/out.$1" 2>&1 || echo "status $?" >>"$folder/out.$1"
}
for turn in 1 2 3 4 5 6; do
    for mode in jit jit-first; do
        for i in 1 2 3 4; do
            one $i $mode &
        done
        wait
        for i in 1 2 3 4; do
            if [ -s "$folder/out.$i" ]; then
                cat "$folder/out.$i"
                exit 1
            fi
        done
    done
done
