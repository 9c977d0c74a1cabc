#!/bin/sh
# sees.sh includes|sources|calls|floors|invariants - each rule of the test of that name fails where it is
# broken.
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
    rm -rf "${root:?}/lang" "$root/runtime" "$root/distrib" "$root/apps" "$root/tests" \
        "$root/collectives"
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
    file lang/tree/t.c '/* t.c */' '#include "lang/prep/p.h"'
    file lang/prep/p.h '/* p.h */'
    seen 'lang/tree/t.c:2: lang/tree may not include lang/prep: lang/prep/p.h'
    file lang/tree/t.h '/* t.h */' '#include "lang/l.h"'
    seen 'lang/tree/t.h:2: lang/tree may not include lang: lang/l.h'
    file lang/check/c.c '/* c.c */' '#include "../resolve/r.h"'
    file lang/resolve/r.h '/* r.h */'
    seen 'lang/check/c.c:2: lang/check may not include lang/resolve: ../resolve/r.h'
    file runtime/program.h '/* program.h */' '#include "base/a.h"'
    seen 'runtime/program.h:2: public may not include base: base/a.h'
    file runtime/s.c '/* s.c */' '#include <uthash.h>'
    seen 'runtime/s.c:2: <uthash.h> belongs behind its one door'
    file apps/m.c '/* m.c */' '#include <png.h>'
    seen 'apps/m.c:2: <png.h> belongs behind its one door'
    file distrib/f.c '/* f.c */' '#include "distrib/patch/p.h"'
    file distrib/patch/p.h '/* p.h */' '#include "distrib/d.h"'
    seen 'distrib/f.c:2: distrib may not include distrib/patch: distrib/patch/p.h'
    file collectives/group/g.c '/* g.c */' '#include "collectives/ops/o.h"'
    file collectives/ops/o.h '/* o.h */'
    seen 'collectives/group/g.c:2: coll/group may not include coll/ops: collectives/ops/o.h'
    file distrib/m.c '/* m.c */' '#include <mpi.h>'
    seen 'distrib/m.c:2: <mpi.h> belongs behind its one door'
    file apps/luna/draw/p.c '/* p.c */' '#include "apps/luna/trace/t.h"'
    file apps/luna/trace/t.h '/* t.h */'
    seen 'apps/luna/draw/p.c:2: luna/draw may not include luna/trace: apps/luna/trace/t.h'
    file apps/luna/trace/t.h '/* t.h */' '#include "apps/luna/cmd.h"'
    file apps/luna/cmd.h '/* cmd.h */' '#include "apps/luna/trace/t.h"'
    seen 'apps/luna/trace/t.h:2: luna/trace may not include apps: apps/luna/cmd.h'
    file apps/luna/new/n.c '/* n.c */' '#include "runtime/base/a.h"'
    seen 'apps/luna/new/n.c:2: luna/new may not include base: runtime/base/a.h'
    file apps/x.c '/* x.c */' '#include "lang/l.h"' '#include "runtime/program.h"'
    file lang/prep/p.h '/* p.h */' '#include "lang/tree/t.h"' '#include "runtime/base/a.h"'
    file lang/tree/t.h '/* t.h */'
    file lang/m.c '/* m.c */' '#include "lang/prep/p.h"'
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
    file lang/b.h '/* b.h */' 'struct b {' '};'
    file distrib/b.h '/* b.h */' 'struct b {' '};'
    seen 'lang/b.h:2: struct b is another one in distrib/'
    file runtime/exec/exec_a.h '/* exec_a.h */' 'struct pair {' '};' 'struct other;' \
        'void exec_x(void);' 'struct a *a_y(int i);' 'bool pair_z(void); /* u_v(w) */' 'int pair(int x);' \
        'void other_q(int i);' 'static inline int' 'on_call(int i);' 'int luna_x(void);'
    file runtime/exec/calls.c '/* calls.c */'
    file runtime/node/call.h '/* call.h */' 'int call_x(int i);' 'int calls_y(int i);'
    clean
    file runtime/node/call.h '/* call.h */' 'int on_x(int i);' '' 'int calling_x(int i);'
    seen 'runtime/node/call.h:4: calling_x() does not say where it is at home'
    file runtime/node/call.h '/* call.h */' 'static inline int' 'pair_x(int i)'
    file runtime/exec/exec_a.h '/* exec_a.h */' 'struct pair {' '};'
    seen 'runtime/node/call.h:3: pair_x() does not say where it is at home'
    file lang/call.h '/* call.h */' 'int on_x(int i);'
    seen 'lang/call.h:2: on_x() does not say where it is at home'
    file tests/lang/tree/test_b.c 'int x;'
    seen 'tests/lang/tree/test_b.c:1: no head comment'
    file tests/lang/programs/b.c 'int x; '
    file lang/b.h '/* b.h */' 'struct b {' '};' 'struct b *b_new(void);'
    file lang/c.h '/* c.h */' 'struct b {' '};'
    file distrib/b.h '/* b.h */' 'struct b;' 'struct c {' '};'
    file distrib/b.c '/* b.c */' 'struct b {' '};'
    file lang/b.c '/* b.c */' "$(printf '%100s' x)" '{' "$(yes | head -n 69)" '}'
    clean
}

floors() {
    design '| `base` | tools | what for |'
    clean
    file runtime/new/n.c
    seen 'docs/design.md: what must runtime/new not know?'
    design '| `base` | tools | |'
    seen 'docs/design.md:5: what must it not know?'
    design '| `base`, `old` | tools | x |'
    seen 'docs/design.md: there is no runtime/old'
    design '| `base` | tools | what for |' '' '| `runtime/old` |' # a table of another kind
    clean
}
design() { # design ROW...: of the floors of a runtime, beside one of houses
    rm -rf "$root/runtime/new"
    for folder in runtime/base runtime lang apps/luna apps/report distrib balance collectives; do
        file $folder/a.h
    done
    file docs/design.md '| folder | does not know |' \
        '| `lang/`, `apps/luna/`, `apps/report/`, `distrib/`, `balance/`, `collectives/`, `runtime/` | x |' '' \
        '| floor of `runtime/` | what | must not know |' "$@"
}

promise() { # promise ROW...: of docs/invariants.md; the invariants are 2.1, 2.2 and 9.1
    file docs/invariants.md '| invariant | asserted in |' '|---|---|' "$@"
    file docs/protocols.md '## 2 Two' '' '1. no invariant' '' 'What is always true:' '' '1. This.' '2. That,' \
        '   and more.' '' 'What is always true is told.' '' '7. no invariant'
    file docs/protocols-balancing.md '## 9 Nine' 'What is always true of' 'more:' '' '1. This.' '' 'Text.' '' \
        '2. no invariant'
}
kept() { # kept LINE...: of a source, behind asserts of 2.1 and 9.1
    file runtime/a.c '/* a.c */' '#ifndef NDEBUG' '/* protocols 2.1, 9.1 */' '#endif' "$@"
}
invariants() {
    good='| 2.2 | `runtime/a.c` |'
    promise '| 2.1 | `runtime/a.c` |' "$good" '| 9.1 | `runtime/a.c` |'
    kept 'assert(x); /* protocols 2.2 */'
    clean
    kept '/* protocols 2.2 */' 'assert(x);'
    clean
    kept '#ifdef NDEBUG' '#else' '/* protocols 2.2 */' '#endif'
    clean
    kept '/* protocols 2.2 */' '' 'assert(x);'
    seen 'protocols 2.2: no assert names it'
    kept '#ifdef NDEBUG' '/* protocols 2.2 */' '#endif'
    seen 'protocols 2.2: no assert names it'
    kept 'assert(x); /* protocols 2.2 to 2.3 */'
    seen 'runtime/a.c:5: there is no 2.3 (asserted) in docs/protocols*.md'
    kept 'assert(x); /* protocols 2.2 */' 'x; /* protocols 9.2 */'
    seen 'runtime/a.c:6: there is no 9.2 (named) in docs/protocols*.md'
    kept 'assert(x); /* protocols 2.2 */'
    promise '| 2.1 | `runtime/a.c` |' '| 9.1 | `runtime/a.c` |'
    seen 'docs/invariants.md: not a row for each, in order: < 2.2'
    kept 'assert(x); /* protocols 2.2 */'
    promise '| 2.1 | `runtime/a.c` |' '| 2.2 | `runtime/b.c` |' '| 9.1 | `runtime/a.c` |'
    seen 'docs/invariants.md: runtime/b.c has no assert of 2.2'
    kept 'assert(x); /* protocols 2.2 */'
    promise '| 2.1 | `runtime/a.c` |' "$good" '| 9.1 | `runtime/a.c` |'
    clean
}

floor() { # floor NAME TEXT-OF-C: an archive of one object
    printf '%s\n' "$2" | ${CC:-cc} -x c -c - -o "$root/$1.o" && ar rcs "$root/$1.a" "$root/$1.o"
    rm -f "$root/$1.o"
}

ordered() { # ordered WANTED FLOORS...: WANTED is what it says, nothing: it agrees
    wanted=$1
    shift
    out=$(cd "$root" && sh "$here/calls.sh" "$@" 2>&1)
    code=$?
    [ "$out" = "$wanted" ] && [ $code = $([ -z "$wanted" ] && echo 0 || echo 1) ] ||
        { echo "wanted '$wanted', said with $code: $out"; failed=1; }
}

calls() {
    floor top 'void low(void); int puts(const char *s); void high(void) { low(); puts(""); }'
    floor ground 'static int own; void low(void) { own++; }'
    floor loop 'void high(void); void low(void) { high(); }'
    floor weak 'void high(void) __attribute__((weak)); int x; void low(void) { if (high) high(); }'
    floor data 'extern int x; int *y = &x;'
    ordered '' top.a ground.a
    ordered 'top.a(top.o): low is further up, in ground.a(ground.o)' ground.a top.a
    ordered 'loop.a(loop.o): high is further up, in top.a(top.o)' top.a loop.a
    ordered 'weak.a(weak.o): high is further up, in top.a(top.o)' top.a weak.a
    ordered '' loop.a top.a ground.a
    ordered 'data.a(data.o): x is further up, in weak.a(weak.o)' weak.a data.a
    ordered '' data.a weak.a
    if sh "$here/calls.sh" "$root/top.a" "$root/none.a" 2>/dev/null; then
        echo "an archive that is not there is not missed"
        failed=1
    fi
}

here=$(cd "$here" && pwd)
test=$1
frame
$test
exit $failed
