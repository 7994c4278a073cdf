# Each block of a large kernel begins with a mark that keeps LLVM from copying it, before its loads, which LLVM would order one by
# one behind a mark at its end; a small kernel has none. Both do what the interpreter does. HEDDLE is the command, SOURCES the
# folder of the program.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/large.cu" -o "$folder/large"
"$HEDDLE" build -ptx "$SOURCES/large.cu" -o "$folder/large.ptx"
marks() {
    "$HEDDLE" llvm --optimised --block 128 -k "$@" "$folder/large.ptx" | grep -c 'call void asm sideeffect "", ""()' || true
}
loads_before_marks() {
    "$HEDDLE" llvm --optimised --block 128 -k "$@" "$folder/large.ptx" |
        awk '/^[^ ]*:/ { loads = 0 } / = load / { loads++ } /asm sideeffect "", ""/ { n += loads } END { print n + 0 }'
}
want=$(HEDDLE_EXEC=interp "$folder/large")
for level in v2 v3 v4; do
    test "$(marks large --isa x86-64-$level)" -ge 4
    test "$(loads_before_marks large --isa x86-64-$level)" = 0
    test "$(marks small --isa x86-64-$level)" = 0
    test "$(marks large --isa x86-64-$level --first-tier)" = 0
    test "$(HEDDLE_ISA=x86-64-$level HEDDLE_EXEC=jit HEDDLE_JIT_CACHE=0 "$folder/large")" = "$want"
done
echo ALL DONE
