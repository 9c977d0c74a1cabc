#!/bin/sh
# sees.sh includes|sources - each rule of the test of that name fails where it is broken.
here=$(dirname "$0")
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
failed=0

file() { # file PATH LINES...
    mkdir -p "$root/$(dirname "$1")"
    path=$1
    shift
    printf '%s\n' "$@" >"$root/$path"
}

clean() {
    out=$(sh "$here/$test.sh" "$root") || { echo "not clean: $out"; failed=1; }
}

seen() { # seen TEXT: the test fails and says this; the broken files go
    if out=$(sh "$here/$test.sh" "$root"); then
        echo "not seen: $1"
        failed=1
    else
        case $out in *"$1"*) ;; *) echo "wanted '$1', said: $out"; failed=1 ;; esac
    fi
    rm -rf "${root:?}/lang" "$root/runtime" "$root/distrib" "$root/apps"
    frame
}

frame() {
    file runtime/base/a.h '/* a.h - x */' '#include <stdio.h>'
    file lang/l.c '/* l.c - x */' '#include "runtime/base/a.h"' '#include "l.h"'
    file lang/l.h '/* l.h - x */'
    file runtime/program.h '/* program.h - x */'
    file runtime/r.c '/* r.c - x */' '#include "runtime/program.h"' '#include "distrib/d.h"'
    file distrib/d.h '/* d.h - x */' '#include "runtime/base/a.h"'
}

includes() {
    clean
    file runtime/base/b.c '/* b.c */' '#include "runtime/r.h"'
    file runtime/r.h '/* r.h */'
    seen 'runtime/base/b.c:2: base may not include runtime: runtime/r.h'
    file lang/m.c '/* m.c */' '' '#include "runtime/program.h"'
    seen 'lang/m.c:3: lang may not include public: runtime/program.h'
    file distrib/e.c '/* e.c */' '#  include "../lang/l.h"'
    seen 'distrib/e.c:2: distrib may not include lang: ../lang/l.h'
    file runtime/program.h '/* program.h */' '#include "base/a.h"'
    seen 'runtime/program.h:2: public may not include base: base/a.h'
    file runtime/s.c '/* s.c */' '#include <uthash.h>'
    seen 'runtime/s.c:2: <uthash.h> belongs behind its one door'
    file apps/m.c '/* m.c */' '#include <png.h>'
    seen 'apps/m.c:2: <png.h> belongs behind its one door'
    file distrib/m.c '/* m.c */' '#include <mpi.h>'
    seen 'distrib/m.c:2: <mpi.h> belongs behind its one door'
    file apps/x.c '/* x.c */' '#include "lang/l.h"' '#include "runtime/program.h"'
    clean
}

sources() {
    clean
    file lang/b.c 'int x;'
    seen 'lang/b.c:1: no head comment'
    file lang/b.c '/* a.c - other */'
    seen 'lang/b.c:1: the head comment does not name b.c'
    file lang/b.c '/* b.c */' "$(printf '%101s' x)"
    seen 'lang/b.c:2: 101 columns'
    file lang/b.c '/* b.c */' "$(printf '    \tx')"
    seen 'lang/b.c:2: a tab in the indentation'
    file lang/b.c '/* b.c */' 'x; '
    seen 'lang/b.c:2: blanks at the end'
    file lang/b.c '/* b.c */' "/* TO""DO */"
    seen 'lang/b.c:2: left to be done'
    file lang/b.c '/* b.c */' '{' "$(yes | head -n 71)" '}'
    seen 'lang/b.c:2: a function of 72 lines'
    file lang/b.c '/* b.c */' "$(printf '%100s' x)" '{' "$(yes | head -n 69)" '}'
    clean
}

test=$1
frame
$test
exit $failed
