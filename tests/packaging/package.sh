#!/bin/sh
# The Debian package: what lintian says of it, and its files used by an ordinary user without HOME, from another folder.
# Compressed with gzip: xz takes as long as all the rest of cpack.
# usage: package.sh BUILD SOURCE
set -u
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
(cd "$build" && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$work/package") >log 2>&1 || { tail -5 log; echo "FAILED: cpack"; exit 1; }
package=$(echo package/*.deb)
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$package" >said 2>&1 || { cat said; echo "FAILED: lintian"; exit 1; }
    echo "lintian finds nothing"
else
    echo "without lintian, which is not there"
fi
dpkg-deb -f "$package" Depends | grep 'clang-19.*libsleef3' | grep -q libjansson4 || { echo "FAILED: Depends"; exit 1; }
dpkg-deb -x "$package" root
cp "$source"/examples/*.h "$source/examples/vector_add.cu" .
chmod -R a+rX . && chmod 1777 .
user="env -i"
[ "$(id -u)" != 0 ] || user="setpriv --reuid=65534 --regid=65534 --clear-groups env -i"
# expect PATTERN WORDS...
expect() {
    pattern=$1
    shift
    $user PATH="$work/root/usr/bin:/usr/bin:/bin" TMPDIR="$work" "$@" >out 2>&1 </dev/null && { [ -z "$pattern" ] || grep -q -e "$pattern" out; } || { echo "FAILED: $*: wanted '$pattern'"; cat out; exit 1; }
}
expect "^heddle [0-9]" heddle --version
expect "" heddle run vector_add.cu
expect "0 errors" heddle check vector_add.cu
expect "dram__bytes_read.sum" heddle profile --page raw vector_add.cu
expect "" heddle build vector_add.cu -o v
expect "" ./v
expect "^32.0$" env PYTHONPATH="$work/root/usr/lib/python3/dist-packages" python3 -c 'import heddle
print(heddle.compile("__global__ void f() { }\n")["f"][1, 32].profile()["launch__block_size"])'
