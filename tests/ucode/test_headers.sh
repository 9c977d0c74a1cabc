#!/bin/sh
# test_headers.sh UCODE_DIR CC CXX - the headers of ucodes through the given compilers, and clang if
# there is one: no warning under any standard, and what must not compile does not.
dir=$1 here=$(dirname "$0") failed=0
shift

complain() { echo "$*"; failed=1; }

clean() { # clean WORDS...: compiles, and says nothing
    said=$("$@" -Wall -Wextra -Werror -I"$dir" -fsyntax-only 2>&1) || complain "$*: $said"
}

compiles() { # compiles CXX STATEMENT
    printf '#include "ucenv.h"\nvoid f(DF &x, long l, size_t s, bool b)\n{\n%s%s\n}\n' \
        "$2" '(void)x, (void)l, (void)s, (void)b;' |
        "$1" -std=c++11 -I"$dir" -fsyntax-only -x c++ - 2>/dev/null
}

in_c() {
    for std in c11 gnu17; do clean "$1" -std=$std -pedantic "$here/plain.c"; done
}

in_cxx() {
    for std in c++11 c++17 c++20; do clean "$1" -std=$std -pedantic "$here/old.cpp"; done
    clean "$1" -std=c++11 -DADD_DEBUG_INFO "$here/old.cpp"
    compiles "$1" '' || complain "$1 refuses the frame of what must be refused"
    for text in 'x = s;' 'x.setValue(l);' 'int i = x; (void)i;' 'if (x == x) return;' \
        'x || b;' '-x;'; do
        if compiles "$1" "$text"; then complain "$1 accepts: $text"; fi
    done
}

in_c "$1"
in_cxx "$2"
if command -v clang >/dev/null && [ "$(basename "$1")" != clang ]; then in_c clang; fi
if command -v clang++ >/dev/null && [ "$(basename "$2")" != clang++ ]; then in_cxx clang++; fi
exit $failed
