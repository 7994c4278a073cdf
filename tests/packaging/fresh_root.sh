#!/bin/sh
# Two fresh roots of Debian 12. In the first the source tree's demo runs, is installed under a prefix and used (install.sh), and the
# Debian package is built. In the second the package is installed, used by an ordinary user without HOME, and removed without a trace.
# usage: fresh_root.sh BUILD SOURCE [FOLDER]   (root, debootstrap and a mirror are needed; else it skips with status 77)
#
# FOLDER keeps the roots between runs. The mirror is the one of the host's lists. BUILD is not used: nothing is taken from outside.
set -u
source=$2
work=$(mktemp -d)
folder=${3:-$work}
maker=$folder/maker root=$folder/root
failed=0
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not there"
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | sed -n 's/^deb \(\[[^]]*\] \)\?\(http[^ ]*\) bookworm .*/\2/p; s/^URIs: *\([^ ]*\)$/\1/p' | head -1)
[ -n "$mirror" ] || skip "no mirror of Debian 12 in /etc/apt"

fresh() { # FOLDER
    [ -e "$1/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$1" "$mirror" >"$1.log" 2>&1 || { tail -5 "$1.log"; skip "debootstrap does not end well"; }
    mount -t proc proc "$1/proc" || skip "cannot mount"
}
mkdir -p "$folder"
trap 'umount "$maker/proc" "$root/proc" 2>/dev/null; rm -rf "$work"' EXIT
clean="env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive TERM=dumb"

# the source tree: ./demo.sh installs, builds and runs; then the rest of what is installed, the package, and install.sh
fresh "$maker"
rm -rf "$maker/srv/tree"
mkdir "$maker/srv/tree"
(cd "$source" && git archive HEAD) | tar x -C "$maker/srv/tree"
make="./demo.sh && cmake --build build --target pages changelog nvToolsExt && sh tests/packaging/install.sh /srv/tree/build /srv/tree && cd build && cpack -G DEB"
# shellcheck disable=SC2086  # words
chroot "$maker" $clean sh -c "cd /srv/tree && $make" >"$folder/maker.log" 2>&1 || { tail -30 "$folder/maker.log"; echo "FAILED: in the first root"; exit 1; }
package=$(echo "$maker"/srv/tree/build/*.deb)
fresh "$root"
# shellcheck disable=SC2086  # words
inside() { chroot "$root" $clean "$@"; }
# without HOME, not root
as_user() { chroot "$root" setpriv --reuid=1234 --regid=1234 --clear-groups env -i PATH=/usr/bin:/bin sh -c "cd /tmp/work && $1"; }
# expect PATTERN WORDS: as the user
expect() {
    as_user "$2" >"$root.out" 2>&1 </dev/null && grep -q -e "$1" "$root.out" || {
        echo "FAILED: $2: wanted '$1':"
        tail -20 "$root.out"
        failed=1
    }
}
files() { (cd "$root" && find bin etc lib* opt sbin srv usr var/lib -path 'var/lib/apt' -prune -o -path 'var/lib/dpkg' -prune -o -print 2>/dev/null | sort); }

inside apt-get update >"$root.log" 2>&1
# what the package needs first, so that what it leaves itself can be told from that
inside apt-get install -y --no-install-recommends $(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,/ /g') python3 python3-numpy >>"$root.log" 2>&1 ||
    { tail -5 "$root.log"; echo "FAILED: packages"; exit 1; }
inside ldconfig
files >"$root.before"
cp "$package" "$root/heddle.deb"
inside apt-get install -y --no-install-recommends /heddle.deb >>"$root.log" 2>&1 || { tail -20 "$root.log"; echo "FAILED: installing"; exit 1; }
mkdir -p "$root/tmp/work"
cp "$source"/examples/*.h "$source/examples/vector_add.cu" "$source/examples/matmul_tiled.cu" "$source/tests/program/load.py" "$source/tests/program/kernels.ptx" "$source/tests/docs/files/first.py" "$root/tmp/work"
chown -R 1234:1234 "$root/tmp/work"

expect "^heddle [0-9]" "heddle --version"
expect "." "heddle run vector_add.cu"
expect "dram__bytes_read.sum" "heddle profile --page raw vector_add.cu"
expect "0 errors" "heddle check vector_add.cu"
expect "matmul_tiled" "heddle compare matmul_tiled.cu -k matmul_naive -k matmul_tiled"
expect "mov" "heddle asm vector_add.cu"
expect "." "heddle env nvcc vector_add.cu -o v && ./v"
expect "0 of 1000 are wrong" "python3 load.py libheddle.so.0.1 kernels.ptx"
expect "^50.0 % of what is loaded is used" "python3 first.py"
inside python3 /tmp/work/first.py >"$root.out" 2>&1 || { tail "$root.out"; echo "FAILED: first.py by root, who leaves compiled modules"; failed=1; }
expect "heddle" "cat /usr/share/doc/heddle/README.md"

inside apt-get remove --purge -y heddle >>"$root.log" 2>&1 || { tail -5 "$root.log"; echo "FAILED: removing"; failed=1; }
files >"$root.after"
diff "$root.before" "$root.after" | grep '^[<>]' && { echo "FAILED: the lines above differ before and after"; failed=1; }
[ "$failed" = 0 ] && echo "installed, used and removed"
exit $failed
