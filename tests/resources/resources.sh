#!/bin/sh
# `-Xptxas -v` prints what ptxas prints, but for the registers, and `--registers ptxas` asks the one on PATH: here a script that
# answers 77. Where NVIDIA's assembler is, the lines are compared with its own. usage: resources.sh HEDDLE
heddle=$1
cd "$(dirname "$0")" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

"$heddle" build -arch=sm_90 -Xptxas -v kernels.cu -o "$dir/kernels" 2>"$dir/said" || fail "heddle build"
cat >"$dir/want" <<END
ptxas info    : 12 bytes gmem
ptxas info    : Compiling entry function '_Z10shared_onePf' for 'sm_90'
ptxas info    : Function properties for _Z10shared_onePf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used N registers, used 1 barriers, 256 bytes smem (estimated by Heddle)
ptxas info    : Compiling entry function '_Z9local_onePii' for 'sm_90'
ptxas info    : Function properties for _Z9local_onePii
    256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used N registers, used 0 barriers (estimated by Heddle)
END
sed 's/Used [0-9]* registers/Used N registers/' "$dir/said" | diff "$dir/want" - || fail "-Xptxas -v"
"$heddle" run --resource-usage kernels.cu 2>"$dir/again" >"$dir/out" || fail "heddle run --resource-usage"
cmp -s "$dir/said" "$dir/again" || fail "--resource-usage is not -Xptxas -v"
grep -q '^registers [0-9]' "$dir/out" || fail "the program did not run"

# below 9.0 the first bank of constants is told of: 0x160 bytes, and the parameters'
"$heddle" env nvcc -arch=sm_80 -c --resource-usage kernels.cu -o "$dir/kernels.o" 2>"$dir/said80" || fail "nvcc --resource-usage"
grep -q 'Used [0-9]* registers, used 1 barriers, 256 bytes smem, 360 bytes cmem\[0\] (estimated by Heddle)' "$dir/said80" || fail "cmem[0] of shared_one"
grep -q 'Used [0-9]* registers, used 0 barriers, 364 bytes cmem\[0\] (estimated by Heddle)' "$dir/said80" || fail "cmem[0] of local_one"

if command -v ptxas >/dev/null; then
    "$heddle" build -arch=sm_80 -ptx kernels.cu -o "$dir/kernels80.ptx" && ptxas -v -arch=sm_80 "$dir/kernels80.ptx" -o /dev/null 2>&1 |
        grep -o '[0-9]* bytes cmem\[0\]' | sort >"$dir/a80"
    grep -o '[0-9]* bytes cmem\[0\]' "$dir/said80" | sort | diff - "$dir/a80" || fail "cmem[0] is not as ptxas says"
    "$heddle" build -arch=sm_90 -ptx kernels.cu -o "$dir/kernels.ptx" && ptxas -v -arch=sm_90 "$dir/kernels.ptx" -o /dev/null 2>"$dir/real"
    grep -v 'Compile time\|gmem' "$dir/real" | sed 's/Used [0-9]* registers/Used N registers/; s/, [0-9]* bytes cmem\[[0-9]\]//g' | sort >"$dir/a"
    grep -v gmem "$dir/want" | sed 's/ (estimated by Heddle)//; s/, [0-9]* bytes cumulative stack size//' | sort >"$dir/b"
    sed -i 's/, [0-9]* bytes cumulative stack size//' "$dir/a"
    diff "$dir/b" "$dir/a" || fail "not as ptxas says"
fi

mkdir "$dir/bin"
cat >"$dir/bin/ptxas" <<'END'
#!/bin/sh
echo "ptxas info    : Compiling entry function '_Z9local_onePii' for 'sm_90'"
echo "ptxas info    : Used 11 registers, used 0 barriers"
echo "ptxas info    : Compiling entry function '_Z10shared_onePf' for 'sm_90'"
echo "ptxas info    : Used 77 registers, used 1 barriers, 256 bytes smem"
END
chmod +x "$dir/bin/ptxas"
[ "$(PATH=$dir/bin:$PATH "$heddle" run --registers ptxas kernels.cu)" = "registers 77" ] || fail "--registers ptxas"
[ "$(PATH=$dir/bin:$PATH "$heddle" run kernels.cu)" != "registers 77" ] || fail "ptxas was asked unasked"
[ "$(PATH=$dir/bin:$PATH HEDDLE_REGISTERS=ptxas "$dir/kernels")" = "registers 77" ] || fail "HEDDLE_REGISTERS"
printf '#!/bin/sh\necho "ptxas fatal   : nonsense" >&2; exit 1\n' >"$dir/bin/ptxas"
PATH=$dir/bin:$PATH "$heddle" run --registers ptxas kernels.cu && fail "a ptxas that fails"
mkdir "$dir/tools"
PATH=$dir/tools "$heddle" run --registers ptxas kernels.cu 2>"$dir/err" && fail "no ptxas on PATH"
grep -q "there is no 'ptxas' on PATH" "$dir/err" || fail "no message without ptxas"
"$heddle" run --registers nvcc kernels.cu 2>"$dir/err" && fail "a wrong word"
grep -q "wrong value 'nvcc' of '--registers'" "$dir/err" || fail "no message for a wrong word"
exit $failed
