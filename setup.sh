#!/bin/sh
# setup.sh [tests] - from a fresh clone to build/luna: installs what is missing (with apt), configures
# preset `release` and builds in build/ the command and what it needs beside it; with `tests`, them
# too. Running it again does only what is left to do.
set -eu
cd "$(dirname "$0")"

case "$*" in
'') target=luna ;;
tests) target=all ;;
*) echo "usage: ./setup.sh [tests]" >&2; exit 2 ;;
esac

# What each is for: bison, flex: the parser; isl, with gmp: what is proved about indices; hwloc: NUMA;
# png: luna map; zlib: luna report; uthash, xxhash: headers; mpich: the transport between hosts, luna
# perf; pkg-config finds them.
packages="gcc g++ make cmake bison flex libisl-dev libgmp-dev libhwloc-dev libpng-dev zlib1g-dev
uthash-dev libxxhash-dev pkg-config mpich libmpich-dev"

[ $target = luna ] || packages="$packages $(grep -v '^#' tests/packages.txt)"

missing_packages() {
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $packages 2>/dev/null || true)
    for p in $packages; do
        command -v "$p" >/dev/null 2>&1 && continue # cmake may come from elsewhere
        printf '%s\n' "$installed" | grep -qxF "$p installed" || printf ' %s' "$p"
    done
}

# No dpkg: other systems have other names for the same things.
missing_tools() {
    for tool in gcc g++ make cmake bison flex pkg-config; do
        command -v $tool >/dev/null 2>&1 || printf ' %s' "$tool"
    done
    for library in isl hwloc libpng zlib; do
        pkg-config --exists $library 2>/dev/null || printf ' %s' $library
    done
    for header in gmp.h uthash.h xxhash.h; do
        echo "#include <$header>" | gcc -E -x c - >/dev/null 2>&1 || printf ' %s' "$header"
    done
}

# Prints the words that make a command root's, or fails.
as_root() {
    if [ "$(id -u)" = 0 ]; then echo env
    elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then echo sudo
    else return 1; fi
}

give_up() {
    echo "setup.sh: these packages are missing and cannot be installed from here:" >&2
    for p in $1; do echo "    $p" >&2; done
    echo "install them (Debian, Ubuntu: sudo apt-get install$1), then run ./setup.sh again" >&2
    exit 1
}

install_packages() {
    root=$(as_root) || give_up "$1"
    echo "setup.sh: installing$1"
    log=$(mktemp)
    if { $root apt-get update && $root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $1; } >"$log" 2>&1; then
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        give_up "$1"
    fi
}

if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    missing=$(missing_packages)
    [ -z "$missing" ] || install_packages "$missing"
else
    missing=$(missing_tools)
    [ -z "$missing" ] || give_up "$missing"
fi

cmake --preset release >/dev/null
cmake --build --preset release --target $target
