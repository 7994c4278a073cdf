# Edge values through both executors, for two levels of the host: HEDDLE is the command, SOURCES this folder.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/edges.cu" -o "$folder/edges"
for level in x86-64-v2 x86-64-v4; do # v4, or the highest that there is
    HEDDLE_ISA=$level HEDDLE_EXEC=interp "$folder/edges" >"$folder/interp"
    HEDDLE_ISA=$level HEDDLE_EXEC=jit "$folder/edges" >"$folder/jit"
    test "$(wc -l <"$folder/interp")" -gt 100
    diff "$folder/interp" "$folder/jit"
done
echo PASSED
