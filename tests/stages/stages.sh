#!/bin/sh
# `heddle ptx|ir|target`: what they show of pairs.cu (its PTX is kept as clang 19 printed it), and what they refuse.
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

refuse "no kernel is called 'pair'; there are: scale(float \*, int), pairs(float \*)" ir -k pair pairs.ptx
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

# From the source: the same kernel, its lines with their text, the inlined call with its way.
TMPDIR=$dir "$heddle" ir -k _Z5scalePfi pairs.cu >"$dir/out" 2>"$dir/err" || { echo "FAILED: ir pairs.cu"; failed=1; }
grep -q "pairs.cu:10  a\[i + offset\] = twice" "$dir/out" && grep -q "FMA.f32" "$dir/out" &&
    ! grep -q "^kernel _Z5pairs" "$dir/out" || { echo "FAILED: ir of pairs.cu:"; cat "$dir/out"; failed=1; }
[ -z "$(find "$dir" -name 'heddle-*')" ] || { echo "FAILED: left behind: $(ls "$dir")"; failed=1; }
exit $failed
