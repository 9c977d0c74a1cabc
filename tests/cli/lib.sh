# lib.sh - the library of the tests of the command line, for sh.
#
#     run luna check x.fa        runs it; stdout, stderr and the exit code are kept
#     code 2                     it ended so
#     err <<'E' ... E            stderr was exactly this; out: stdout
#     err_has 'error[SYN10]'     a line of stderr contains this; out_has, err_lacks likewise
#     finish                     the last line of a test
#
# Each test has a folder of its own, its working directory, and a cache of its own; LUNA is the command
# under test. A failed expectation prints the last command and what it gave; others still run.

set -u
: "${LUNA:?the command under test}"
[ -x "$LUNA" ] || exit 1
unset LUNA_NO_CLEANUP CC CXX CXX_FLAGS LDFLAGS TMPDIR 2>/dev/null
LC_ALL=C
here=$(mktemp -d)
trap 'chmod -R u+rwx "$here" 2>/dev/null; rm -rf "$here"' EXIT
trap 'exit 1' INT TERM
mkdir "$here/work" "$here/home" "$here/tmp"
HOME=$here/home
XDG_CACHE_HOME=$here/cache
TMPDIR=$here/tmp
export LC_ALL HOME XDG_CACHE_HOME TMPDIR
cd "$here/work" || exit 1

passed=0
failed=0

luna() { "$LUNA" "$@"; }

run() {
    last="$*"
    "$@" >"$here/out" 2>"$here/err" </dev/null
    last_code=$?
}

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    echo "  after: $last (exit code $last_code)"
    sed 's/^/  stdout: /' "$here/out"
    sed 's/^/  stderr: /' "$here/err"
}

code() { if [ "$last_code" = "$1" ]; then good; else bad "exit code $1 was expected"; fi; }
same() {
    cat >"$here/want"
    if cmp -s "$here/want" "$here/$1"; then good; else
        bad "$1 is not as expected"
        sed 's/^/  wanted: /' "$here/want"
    fi
}
out() { same out; }
# Without what is said only of runs of a second: on a busy machine any run may take one.
err_of_short() { sed -i -E '/^luna: note: (all calls ran on node 0 of|a call lasted) /d' "$here/err"; }
err() { err_of_short; same err; }
quiet() {
    err_of_short
    if [ -s "$here/err" ]; then bad "stderr should be empty"; else good; fi
}
out_has() { if grep -qF -- "$1" "$here/out"; then good; else bad "stdout lacks: $1"; fi; }
err_has() { if grep -qF -- "$1" "$here/err"; then good; else bad "stderr lacks: $1"; fi; }
err_lacks() { if grep -qF -- "$1" "$here/err"; then bad "stderr has: $1"; else good; fi; }
# TIME: ... sec., wherever it is printed; it is taken out, for what is compared after.
time_told() {
    if grep -qE '^TIME: [0-9.]+ sec\.$' "$here/out" "$here/err"; then good; else bad "no TIME"; fi
    sed -i '/^TIME: /d' "$here/out" "$here/err"
}
# A condition of the shell's test, with words for its failure.
holds() {
    words=$1
    shift
    if [ "$@" ]; then good; else bad "not so: $words"; fi
}
skip() { echo "skipped: $1"; }

# What most tests need: hello.fa calls a function in C and one in C++.
hello() {
    cat >hello.fa <<'E'
import c_hello(int) as hello;
import cpp_hello(int) as hi;
sub main() { hello(1); hi(2); }
E
    cat >a.c <<'E'
#include <stdio.h>
void c_hello(int k) { printf("C %d\n", k); }
E
    cat >b.cpp <<'E'
#include <cstdio>
extern "C" void cpp_hello(int k) { printf("C++ %d\n", k); }
E
}

# And p.fa three in p.c.
trio() {
    cat >p.c <<'E'
#include <luna.h>
#include <stdio.h>
void make(int k, /* in */ luna_df *out) { luna_set_int(out, k); }
void add(const luna_df *a, const luna_df *b,
         luna_df *c)
{
    luna_set_int(c, luna_get_int(a) + luna_get_int(b));
}
void show(const luna_df *a) { printf("%d\n", luna_get_int(a)); }
static void hidden(double x) { printf("%g\n", x); }
void norm(const double *v) { printf("%g\n", *v), hidden(*v); }
E
    cat >p.fa <<'E'
import make(int, name) as make;
import add(value, value, name) as add;
import show(value) as show;
sub main()
{
    df a, b, c;
    make(1, a);
    make(2, b);
    add(a, b, c);
    show(c);
}
E
}

# Begins with nothing.
fresh() {
    cd "$here/work" && rm -rf ./* || exit 1
}

# Sums over many nodes: requests, puts at other nodes, calls that go elsewhere with what they know.
sums() {
    cat >spread.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub add(int a, int b, name sum) ${{ luna_set_int(sum, a + b); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main()
{
    df x, s;
    seti(s[0], 0);
    for i = 1..40 {
        cf a[i]: seti(x[i], i) @ { req_count x[i] = 1; };
        cf b[i]: add(x[i], s[i-1], s[i]);
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3*k; }
    say(s[40]);
} @ { locator_cyclic x[k] => k+1; locator_cyclic s[k] => 2*k; }
E
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
    exit
}
