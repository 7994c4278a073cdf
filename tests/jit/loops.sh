# A lane that goes outside of memory in a loop that others have left: machine code says of it what the interpreter says.
# HEDDLE is the command, SOURCES the folder of the programs.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/loops.cu" -o "$folder/loops"
for element in 0x40000000 0x1000000000 behind 3; do
    for exec in interp jit; do
        HEDDLE_EXEC=$exec "$folder/loops" $element >"$folder/$exec" 2>&1
    done
    diff "$folder/interp" "$folder/jit"
    grep -q "$(test $element = 3 && echo cudaSuccess || echo cudaErrorIllegalAddress)" "$folder/jit"
done
test "$(wc -l <"$folder/jit")" = 1
echo PASSED
