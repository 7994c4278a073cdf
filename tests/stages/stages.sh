#!/bin/sh
# `heddle ptx|ir|target|llvm|asm`: what they show of pairs.cu (its PTX is kept as clang 19 printed it), and what they refuse.
# What the last two show changes with every change of the code's maker: it is not kept, but has to be whole.
# usage: stages.sh HEDDLE; HEDDLE_WRITE_DOCS=1 writes the expected outputs anew: read them before they are committed.
heddle=$1
cd "$(dirname "$0")" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# golden NAME ARGS...: stdout is the file NAME
golden() {
    name=$1
    shift
    "$heddle" "$@" >"$dir/out" 2>"$dir/err" || { echo "FAILED: heddle $*"; cat "$dir/err"; failed=1; }
    [ -z "${HEDDLE_WRITE_DOCS:-}" ] || cp "$dir/out" "$name"
    diff "$name" "$dir/out" || { echo "FAILED: heddle $*: not as in $name"; failed=1; }
}

# refuse PATTERN ARGS...: status 1, nothing on stdout, a message
refuse() {
    pattern=$1
    shift
    "$heddle" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got != 1 ] || [ -s "$dir/out" ] || ! grep -q -e "$pattern" "$dir/err"; then
        echo "FAILED: heddle $*: status $got, wanted 1 and '$pattern'; stderr:"
        cat "$dir/err"
        failed=1
    fi
}

golden pairs.ptx.txt ptx -k pairs pairs.ptx
golden pairs.ir.txt ir pairs.ptx
golden pairs.target.txt target --kernel-name=regex:^pa pairs.ptx

golden pairs.machine.txt target --device h200 --kernel-name pairs pairs.ptx
golden pairs.count.txt target --device t4,h200 --count pairs.ptx
golden pairs.k40.txt target --device k40 --kernel-name pairs pairs.ptx
golden pairs.g80.txt target --device g80,h200 --count --kernel-name pairs pairs.ptx
refuse "(compute capability 10.0): its machine code is not there yet; there is that of 1.0 to 9.0" target --device b200 pairs.ptx
refuse "at most eight devices" target --device g80,c2050,k40,gtx980,v100,t4,a100,l4,h200 pairs.ptx

refuse "no kernel is called 'pair'; there are: scale, pairs" ir -k pair pairs.ptx
refuse "is not a regular expression" ptx -k 'regex:[' pairs.ptx
refuse "nothing.cu: error: cannot read the file" target "$dir/nothing.cu"
refuse "nothing.ptx: error: cannot read the file" target "$dir/nothing.ptx"
refuse "flag '-k' needs a value" ir -k
refuse "unknown flag '--kernels'" ir --kernels pairs.ptx
refuse "no file" ptx
refuse "one file at a time" ptx pairs.ptx pairs.ptx
head -40 pairs.ptx >"$dir/half.ptx"
refuse "half.ptx" ptx "$dir/half.ptx"
printf '.version 8.4\n.target sm_90\n.address_size 64\n' >"$dir/none.ptx"
refuse "there is no kernel in it" ir "$dir/none.ptx"

# The passes of rewriting (those that another HEDDLE_TARGET has are not in the list, and change nothing): their list, the kernel behind one of them, and a name that is none.
"$heddle" ir --passes pairs.ptx >"$dir/out" 2>&1 && grep -q "^pass  *ms  for 2 kernels$" "$dir/out" && grep -q "^group  *[0-9.]*  neighbouring accesses" "$dir/out" &&
    ! grep -q "^kernel\|^forward" "$dir/out" || { echo "FAILED: heddle ir --passes:"; cat "$dir/out"; failed=1; }
for pass in unread group; do
    "$heddle" ir --after $pass -k pairs pairs.ptx >"$dir/$pass" || failed=1
done
grep -q "ld.shared.f32 " "$dir/unread" && ! grep -q "ld.shared.v2.f32 " "$dir/unread" && grep -q "ld.shared.v2.f32 " "$dir/group" ||
    { echo "FAILED: heddle ir --after:"; diff "$dir/unread" "$dir/group"; failed=1; }
for pass in ssa out; do
    "$heddle" ir --after $pass ../truth/ptx/scan.nvcc.ptx >"$dir/$pass" || failed=1
done
grep -q "^  ssa of [0-9]" "$dir/ssa" && grep -q " = phi r" "$dir/ssa" && ! grep -q "^  ssa\| = phi" "$dir/out" ||
    { echo "FAILED: heddle ir --after ssa:"; head -40 "$dir/ssa"; failed=1; }
refuse "'nothing' is not one of ssa, contract," ir --after nothing pairs.ptx
refuse "'group' is not one of selected, laid-out," target --device h200 --after group pairs.ptx
for step in selected laid-out scheduled allocated; do
    "$heddle" target --device h200 --after $step pairs.ptx >"$dir/$step" 2>&1 && grep -q 'STG \[R' "$dir/$step" || { echo "FAILED: heddle target --after $step"; failed=1; }
done
"$heddle" target --device h200 pairs.ptx | cmp - "$dir/allocated" || failed=1
if cmp -s "$dir/laid-out" "$dir/scheduled" || cmp -s "$dir/scheduled" "$dir/allocated"; then
    echo "FAILED: heddle target --after: two steps leave the same"
    failed=1
fi

# From the source: the same kernel, its lines with their text, the inlined call with its way.
TMPDIR=$dir "$heddle" ir -k _Z5scalePfi pairs.cu >"$dir/out" 2>"$dir/err" || { echo "FAILED: ir pairs.cu"; failed=1; }
grep -q "pairs.cu:10  a\[i + offset\] = twice" "$dir/out" && grep -q "fma.rn.f32" "$dir/out" &&
    ! grep -q "^kernel _Z5pairs" "$dir/out" || { echo "FAILED: ir of pairs.cu:"; cat "$dir/out"; failed=1; }
# Machine code: "shows 'PATTERN PATTERN ...' ARGS...": each of them, as a basic regular expression, is in the output; spaces
# in one are written as dots. What LLVM's text is has to compile, and assembly to assemble.
shows() {
    patterns=$1
    shift
    "$heddle" "$@" >"$dir/out" 2>"$dir/err" || { echo "FAILED: heddle $*"; cat "$dir/err"; failed=1; }
    for pattern in $patterns; do
        grep -q -e "$pattern" "$dir/out" || { echo "FAILED: heddle $*: no '$pattern' in"; cat "$dir/out"; failed=1; }
    done
}
whole() { # LANGUAGE: what was shown last
    clang-19 -c -x "$1" -o "$dir/object" "$dir/out" 2>"$dir/err" || { echo "FAILED: clang -x $1:"; cat "$dir/err" "$dir/out"; failed=1; }
    nm "$dir/object" | grep -q " T jit_code" || { echo "FAILED: no function in what clang -x $1 made"; failed=1; }
}
source=';.pairs.cu:18..out.threadIdx.x..=.s.2..*threadIdx.x'
site=';.14.r13.=.add.f32.r11,.r12'
shows "^;.pairs(float for.blocks.of.256.x.1.x.1 define.i32.@jit_code fadd.<4.x.float> $source $site" llvm -k pairs --isa x86-64-v2 pairs.ptx
whole ir
shows "for.blocks.of.64.x.2.x.1.and.x86-64-v3 fadd.<8.x.float> $site" llvm -k pairs --isa x86-64-v3 --block 64x2 pairs.ptx
! grep -q -e '!dbg' -e DILocation "$dir/out" || { echo "FAILED: LLVM's locations in"; cat "$dir/out"; failed=1; }
shows "enter.0x0 state.r kept add.f32" llvm --as-ir -k pairs pairs.ptx
shows "warp.r kept stepped state.r" llvm --as-ir --whole-block -k pairs --block 64x2 pairs.ptx
shows "fadd.<16.x.float> phi $site" llvm -k pairs --isa x86-64-v4 --optimised pairs.ptx
whole ir
# shellcheck disable=SC2086  # words
for form in "" --split --counting "--split --counting"; do
    shows "jit_code: # #.pairs.cu:18 #.14.r13.=.add addps.*ymm" asm -k pairs --isa x86-64-v3 $form pairs.ptx
    whole assembler
    shows "jit_code" llvm -k scale --optimised $form pairs.ptx
    whole ir
done
shows "vaddps.*zmm" asm -k pairs --isa=x86-64-v4 pairs.ptx
shows "addps.*xmm" asm -k pairs --isa=x86-64-v2 pairs.ptx
! grep -q -e ymm -e vmov -e '\.loc' -e '\.debug' "$dir/out" || { echo "FAILED: AVX, or LLVM's locations in"; cat "$dir/out"; failed=1; }
# The size of a block: what the kernel says, unless the flag says otherwise. A kernel that is always interpreted.
cat >"$dir/bounds.cu" <<'END'
__global__ void __launch_bounds__(96) bounded(int *p) { p[threadIdx.x] = 7; }
__global__ void waits(volatile int *p) { while (*p == 0) ; }
END
shows "for.blocks.of.96.x.1.x.1.and.x86-64-v" asm -k bounded "$dir/bounds.cu"
shows "for.blocks.of.32.x.1.x.1.and.x86-64-v #.there.is.no.machine.code.of.it:.it.has.a.loop.that.waits.for.other.threads" \
    asm --block 32 "$dir/bounds.cu"
shows "^;.waits ^;.there.is.no.machine.code.of.it:" llvm -k waits "$dir/bounds.cu"
for size in 0 16x 16x16x4x2 16X16 1025 64x32 -4 "" 4294967296; do
    refuse "flag '--block': '$size' is not a size like 256, 16x16 or 8x8x4, of at most 1024 threads" asm --block="$size" pairs.ptx
done
refuse "flag '--isa': 'avx2' is not x86-64-v2, x86-64-v3 or x86-64-v4" llvm --isa avx2 pairs.ptx
refuse "flag '--isa' needs a value: LEVEL" llvm --isa
refuse "flag '--split' takes no value" asm --split=yes pairs.ptx
refuse "unknown flag '--optimised'" asm --optimised pairs.ptx
refuse "unknown flag '--block'" ir --block 32 pairs.ptx
[ -z "$(find "$dir" -name 'heddle-*')" ] || { echo "FAILED: left behind: $(ls "$dir")"; failed=1; }
exit $failed
