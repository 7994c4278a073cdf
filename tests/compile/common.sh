# Sourced by the tests of this folder: a scratch directory, a cache unless HEDDLE_CACHE names one, and checks that name what failed.
# HEDDLE is the program, HEDDLE_ROOT where it finds headers and the recorder, SOURCES this folder.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
HEDDLE_CACHE=${HEDDLE_CACHE:-$scratch/cache}
TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
export HEDDLE_CACHE HEDDLE_ROOT TMPDIR
cd "$scratch" || exit 1
failures=0

# fail TEXT: one check did not hold
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it, keeps stdout in ./out and stderr in ./err
expect() {
    wanted=$1
    shift
    "$@" >out 2>err
    got=$?
    [ $got = "$wanted" ] || { fail "status $got, not $wanted: $*"; sed 's/^/  | /' err; }
}

# has FILE TEXT / hasnt FILE TEXT: a fixed string is or is not in a file
has() {
    grep -qF -e "$2" "$1" || { fail "'$2' is not in $1:"; head -40 "$1" | sed 's/^/  | /'; }
}
hasnt() {
    ! grep -qF -e "$2" "$1" || { fail "'$2' is in $1:"; grep -F -e "$2" "$1" | head -5 | sed 's/^/  | /'; }
}

# same FILE: its content is what comes on stdin
same() {
    cat >wanted
    cmp -s wanted "$1" || { fail "$1 is not as wanted:"; diff wanted "$1" | sed 's/^/  | /'; }
}

# Nothing of ours may be left in the temporary directory.
finish() {
    [ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
    [ $failures = 0 ] && echo passed
    exit $((failures != 0))
}
