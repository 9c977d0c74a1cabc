#!/bin/sh
# test_headers.sh UCODE_DIR CC CXX - the headers of ucodes through the given compilers, and clang if
# there is one: no warning under any standard, and what must not compile does not.
dir=$1 here=$(dirname "$0") failed=0
shift

complain() { echo "$*"; failed=1; }

clean() { # clean WORDS...: compiles, and says nothing
    said=$("$@" -Wall -Wextra -Werror -I"$dir" -fsyntax-only 2>&1) || complain "$*: $said"
}

# What must not compile, a statement a line. A run for each would be one for the headers each time: one
# function each, behind one of none, and the compiler has to complain about the lines of all but that.
refused='x = s;
x.setValue(l);
int i = x; (void)i;
if (x == x) return;
x || b;
-x;'

functions() { # of statements on stdin; the first of them is line 2
    echo '#include "ucenv.h"'
    awk '{ print "void f" NR "(DF &x, long l, size_t s, bool b) {", $0,
           "(void)x, (void)l, (void)s, (void)b; }" }'
}

refuses() { # refuses CXX
    told=$(printf '\n%s\n' "$refused" | functions |
        LC_ALL=C "$1" -std=c++11 -w -I"$dir" -fsyntax-only -x c++ - 2>&1 |
        sed -n '/^In file included/d; s/.*<stdin>:\([0-9]*\):.*/\1/p' | sort -un | tr '\n' ' ')
    [ "$told" = "3 4 5 6 7 8 " ] ||
        complain "$1 must refuse lines 3 to 8, and line 2 not; it refuses $told"
}

in_c() {
    for std in c11 gnu17; do clean "$1" -std=$std -pedantic "$here/plain.c"; done
}

in_cxx() {
    for std in c++11 c++17 c++20; do clean "$1" -std=$std -pedantic "$here/old.cpp"; done
    clean "$1" -std=c++11 -DADD_DEBUG_INFO "$here/old.cpp"
    refuses "$1"
}

in_c "$1"
in_cxx "$2"
if command -v clang >/dev/null && [ "$(basename "$1")" != clang ]; then in_c clang; fi
if command -v clang++ >/dev/null && [ "$(basename "$2")" != clang++ ]; then in_cxx clang++; fi
exit $failed
