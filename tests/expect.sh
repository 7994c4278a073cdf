# Sourced by tests that are scripts: sets failed=1 when something is not as wanted, and shows what came.
failed=0

# expect STATUS PATTERN COMMAND...: exit status, and a pattern in stdout or stderr, which are left in ./out
expect() {
    status=$1 pattern=$2
    shift 2
    "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$status" ] || { [ -n "$pattern" ] && ! grep -q -e "$pattern" out; }; then
        echo "FAILED: $*: status $got, wanted $status and '$pattern':"
        tail -40 out
        failed=1
    fi
}
