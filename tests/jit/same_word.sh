# Lanes that store to one word, on one level of the host ($1): both executors find what an H200 found (tests/truth/same_word), and
# keep its rule for every form of address: the interpreter with all types, machine code with the type that the source tree draws. HEDDLE is the command, TESTS the folder of tests.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HEDDLE_ISA=$1
"$HEDDLE" build "$TESTS/truth/same_word/same_word.cu" -o "$folder/measured"
"$HEDDLE" build "$TESTS/device/same_word.cu" -o "$folder/forms"
tail -n +2 "$TESTS/truth/same_word/h200.txt" >"$folder/want"
test "$(wc -l <"$folder/want")" -eq 480
for executor in interp jit; do
    HEDDLE_EXEC=$executor "$folder/measured" >"$folder/got"
    diff "$folder/want" "$folder/got" || { echo "FAILED: $executor"; exit 1; }
done
HEDDLE_EXEC=interp "$folder/forms"
HEDDLE_EXEC=jit "$folder/forms" "$(python3 "$TESTS/drawn.py" one 2 4 8 8x 16)"
echo "ALL DONE"
