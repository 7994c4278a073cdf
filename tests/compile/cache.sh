# The cache of programs and precompiled headers: what makes a new one, what does not, many processes at once.
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
    n=$(find "$HEDDLE_CACHE/exe" -type f | wc -l)
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

# a damaged or lost file in the cache is made again
for f in "$HEDDLE_CACHE"/exe/*/p; do rm "$f"; done
for f in "$HEDDLE_CACHE"/pch/*.list; do echo nonsense >"$f"; done
for f in "$HEDDLE_CACHE"/program/*; do head -c 100 "$f" >x; cp x "$f"; done
expect 2 "$HEDDLE" run p.cu

# many at once on an empty cache
rm -rf "$HEDDLE_CACHE"
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
left=$(find "$HEDDLE_CACHE" -name '*.tmp*')
[ -z "$left" ] || fail "left in the cache: $left"
expect 2 "$HEDDLE" run p.cu
finish
