# The device code of the measured programs is, instruction for instruction, what clang alone makes (tests/truth/ptx/*.clang.ptx),
# where our pass has nothing to change. Left out of the comparison: comments, source lines, debug sections. Every second program is
# looked at, the odd or the even ones, as the source tree draws.
. "$SOURCES/common.sh"

code() {
    sed -e 's,//.*,,' -e 's/[[:space:]][[:space:]]*/ /g' -e 's/^ //' -e 's/ $//' \
        -e '/^\.section/,$d' -e '/^\.loc /d' -e '/^\.file /d' -e '/^\$L__\(tmp\|func_begin\|func_end\)[0-9]*:$/d' \
        -e '/^$/d' "$1"
}
# What the pass changes: copies of structs and vectors (the order of operands in reduction), joined stores, a mask,
# a division, the alignment of local arrays, how often loops are unrolled, what stands before a branch (the order of instructions).
changed=' aat_tile access_order aos_soa async_copy atomics bandwidth constant_index conv2d copy_offset copy_stride divergence grid_shape histogram image_ops l2_persist load_width local_array matmul_coarse matmul_naive matmul_tiled matrix_rowcol merge_path occupancy peak_math pointer_chase radix_pass reduction same_address scan shared_stride shared_width spmv stencil3d struct_size texture2d vector_ops '
compared=0
number=$(python3 "$SOURCES/../drawn.py" one 0 1)
for reference in "$SOURCES"/../truth/ptx/*.clang.ptx; do
    name=$(basename "$reference" .clang.ptx)
    source=$SOURCES/../truth/$name.cu
    [ -e "$source" ] || continue
    number=$((number + 1))
    [ $((number % 2)) = 0 ] || continue
    expect 0 "$HEDDLE" build -ptx "$source" -o ours.ptx
    code "$reference" >wanted.code
    code ours.ptx >ours.code
    case $changed in
    *" $name "*) ! cmp -s wanted.code ours.code || fail "$name is what clang alone makes: take it off the list" ;;
    *) cmp -s wanted.code ours.code || { fail "other instructions for $name:"; diff wanted.code ours.code | head -10; } ;;
    esac
    [ "$(wc -l <ours.code)" -gt 30 ] || fail "$name: nothing was compared"
    compared=$((compared + 1))
done
[ $compared -ge 12 ] || fail "only $compared programs compared, the reference has at least 12"
finish
