# The cache of programs and precompiled headers: what makes a new one, what does not, many processes at once.
HEDDLE_CACHE= # its own
. "$SOURCES/common.sh"

cat >p.cu <<'END'
#include "part.h"
__global__ void k() {}
#ifndef N
#define N 0
#endif
int main() { k<<<1, 1>>>(); return PART + N; }
END
echo '#define PART 1' >part.h
made() { # made COUNT: so many executables are in the cache
    n=$(find "$HEDDLE_CACHE/exe" -mindepth 2 -type f | wc -l)
    [ "$n" = "$1" ] || fail "$n executables in the cache, not $1 ($2)"
}
expect 1 "$HEDDLE" run p.cu
made 1 'the first'
expect 1 "$HEDDLE" run p.cu
made 1 'the same again'
touch p.cu part.h
expect 1 "$HEDDLE" run p.cu
made 1 'only touched'
echo '#define PART 2' >part.h
expect 2 "$HEDDLE" run p.cu
made 2 'an included file changed'
expect 7 "$HEDDLE" run -DN=5 p.cu
made 3 'another flag'
expect 2 "$HEDDLE" run p.cu
made 3 'the first flags again'
echo '#define PART 4' >part.h # now the precompiled headers come from the cache too
expect 4 "$HEDDLE" run p.cu
made 4 'an included file changed again'
echo '#define PART 2' >part.h
expect 2 "$HEDDLE" run p.cu
made 4 'the earlier content again'
mkdir other
cp p.cu other
echo '#define PART 9' >other/part.h
expect 9 "$HEDDLE" run other/p.cu
expect 2 "$HEDDLE" run p.cu

# the folder counts where a path is relative; -v shows what is compiled
compiled() { # compiled STATUS FOLDER FLAG...: it is compiled there and ends with STATUS
    wanted=$1 folder=$2
    shift 2
    expect "$wanted" env -C "$folder" "$HEDDLE" run -v "$@"
    has err --cuda-device-only
}
found() { # the same, of the cache
    wanted=$1 folder=$2
    shift 2
    expect "$wanted" env -C "$folder" "$HEDDLE" run -v "$@"
    hasnt err --cuda-device-only
}
mkdir include other/include
echo '#define FROM 3' >include/from.h
echo '#define FROM 4' >other/include/from.h
printf '#include <from.h>\nint main() { return FROM; }\n' >from.cu
compiled 3 . -Iinclude "$PWD/from.cu"
compiled 4 other -Iinclude "$PWD/from.cu"
compiled 3 . "-I$PWD/include" "$PWD/from.cu"
found 3 other "-I$PWD/include" "$PWD/from.cu"

# precompiled headers: one pair serves ordinary macros and include paths, reserved macros get their own
pairs() {
    n=$(find "$HEDDLE_CACHE/pch" -name '*.pch' | wc -l)
    [ "$n" = "$1" ] || fail "$n precompiled headers, not $1 ($2)"
}
pairs 2 'after ordinary flags'
expect 2 "$HEDDLE" run -DNDEBUG p.cu
pairs 4 'NDEBUG reaches assert.h'
cat >a.cu <<'END'
#include <assert.h>
int main() { assert(!"off"); return 5; }
END
expect 5 "$HEDDLE" run -DNDEBUG a.cu

# a header of ours that was only touched
mkdir -p root/cuda
cp -rL "$HEDDLE_ROOT/cuda/include" root/cuda/include
ln -s "$HEDDLE_ROOT/lib" root/lib
HEDDLE_ROOT=$PWD/root expect 2 "$HEDDLE" run p.cu
touch root/cuda/include/cuda_runtime.h
echo '// changed' >>p.cu
HEDDLE_ROOT=$PWD/root expect 2 "$HEDDLE" run p.cu

# what the cache shows, and that nothing is left when it is cleared
expect 0 "$HEDDLE" cache
has out "Cache: $HEDDLE_CACHE"
has out 'programs of `heddle run`'
grep -Eq '^  pch  +precompiled headers +[0-9]+ files? +[0-9.]+ MB$' out || fail 'no line of precompiled headers'
grep -Eq '^  all  +[0-9]+ files? +[0-9.]+ MB of 1073.7 MB$' out || fail 'no sum'
expect 0 "$HEDDLE" cache --clear
grep -Eq '^  all  +0 files +0.0 MB of 1073.7 MB$' out || { fail 'it is not empty'; cat out; }
[ -z "$(find "$HEDDLE_CACHE" -mindepth 2)" ] || fail 'it is not empty'

# many at once on an empty cache
pids=
for i in 1 2 3 4; do
    "$HEDDLE" run p.cu >many.$i 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid"
    got=$?
    [ $got = 2 ] || fail "one of four at once ended with $got"
done
expect 2 "$HEDDLE" run p.cu

# a folder that cannot be used: another one, and that is said once
mkdir shared
chmod 777 shared
other=$TMPDIR/heddle-$(id -u)
expect 2 env -u HEDDLE_CACHE -u XDG_CACHE_HOME HOME=/proc/none "$HEDDLE" run p.cu
has err "heddle: warning: the cache of compiled programs is '$other' from now on: '/proc/none/.cache/heddle': No such file"
expect 2 env -u HEDDLE_CACHE -u XDG_CACHE_HOME HOME=/proc/none "$HEDDLE" run p.cu
same err </dev/null
[ "$(find "$other/exe" -name p | wc -l)" = 1 ] || fail 'the other folder was not used again'
rm -r "$other"
expect 0 env HEDDLE_CACHE="$PWD/shared" "$HEDDLE" build -E p.cu
has err "other users may write to '$PWD/shared' (chmod go-w would help)"
rm -r "$other"

# what bounds it
expect 1 "$HEDDLE" cache --limit 16x
has err "flag '--limit': '16x' is not a size from 16M: a number with K, M or G behind it"
expect 1 "$HEDDLE" cache --limit 15M
expect 1 "$HEDDLE" cache --limit 99999999999G
expect 0 "$HEDDLE" cache --limit 20M
has out ' of 21.0 MB'
find "$HEDDLE_CACHE/pch" -type f -exec touch -d '1 hour ago' {} +
expect 7 "$HEDDLE" run -DNDEBUG -DN=5 p.cu # 12 MB more
expect 0 "$HEDDLE" cache
grep -Eq '^  pch  +precompiled headers +[4-6] files +1[0-9]\.[0-9] MB$' out || { fail 'the first pair is still there'; cat out; }
expect 0 "$HEDDLE" cache --clear
grep -Eq '^  all  +0 files +0.0 MB of 21.0 MB$' out || { fail 'it is not empty'; cat out; }
[ -z "$(find "$HEDDLE_CACHE" -mindepth 2)" ] || fail 'it is not empty'
expect 0 "$HEDDLE" cache --help
has out 'heddle cache --limit 500M'
expect 1 "$HEDDLE" cache --claer
has err "unknown flag '--claer'; did you mean '--clear'?"
expect 1 "$HEDDLE" cache clear
has err "heddle: error: 'clear'? heddle cache [--limit SIZE] [--clear]"
finish
