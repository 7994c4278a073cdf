# The math library's vector forms: machine code of a level of the host prints what the interpreter prints at the lowest one.
# usage: math.sh LEVEL; HEDDLE is the command, SOURCES the folder of the program.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $1 in
x86-64-v4) wanted=avx512f ;;
x86-64-v3) wanted=avx2 ;;
*) wanted=sse4_2 ;;
esac
if ! grep -qw $wanted /proc/cpuinfo; then
    echo "skipped: this processor has no $wanted"
    exit 77
fi
HEDDLE_ISA=x86-64-v2 HEDDLE_EXEC=interp "$HEDDLE" run -std=c++17 "$SOURCES/math.cu" >"$folder/interp"
HEDDLE_ISA=$1 HEDDLE_EXEC=jit-first "$HEDDLE" run -std=c++17 "$SOURCES/math.cu" >"$folder/code"
test "$(wc -l <"$folder/interp")" = 131 # a line for each of 65 functions and both sizes of block, and DONE
diff "$folder/interp" "$folder/code"
echo PASSED
