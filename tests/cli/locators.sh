#!/bin/sh
# locators.sh - where calls run, by the trace: those of a sub that a locator has placed.
. "${0%/*}/lib.sh"

cat >head.inc <<'E'
C sub put(name x, int v) ${{ luna_set_int(x, v); $}}
C sub add(name x, int a, int b) ${{ luna_set_int(x, a + b); $}}
E
ran() { # ran N program: stdout is then the calls of each node
    rm -rf trace
    run luna sim -q -n "$1" --hash --trace=trace "$2"
    code 0
    cp "$here/err" hashes
    for file in trace/node-*.jsonl; do
        node=${file##*-}
        echo "${node%.jsonl}:" $(sed -n 's/.*"ev":"exec","cf":"\([^"]*\)".*/\1/p' "$file" | sort)
    done >"$here/out"
    run_as_on_one "$2"
}
run_as_on_one() {
    cp "$here/out" calls
    run luna run --hash "$1"
    same err <hashes
    cp calls "$here/out"
}

# Everything in a sub that says nothing else: loops, branches, turns of a while, and subs it calls.
cat >work.fa <<'E'
#include "head.inc"
sub inner(name z, int k) { cf deep[k]: put(z, k); }
sub work(name y, int k) {
    df t, s, w, e;
    cf first[k]: put(t[0], k + 1);
    for i = 1..3 cf loop[k][i]: add(t[i], t[i-1], k);
    if t[3] > 0 { cf cond[k]: add(s, t[3], t[0]) @ { afterpush s => got[k]; req_count s = 1; }; }
    while j < 2 + 0 * t[0], j = 0 .. out w { cf turn[k][j]: put(e[j], j); }
    reduce + t[i] over i = 0..3 => y[1];
    inner(y[2], k);
    cf last[k]: add(y[0], s, w);
    cf got[k]: put(y[3], s) @ { wait s; };
    cf own[k]: put(e[9], k) @ { locator_cyclic: k + 1; };
}
sub main() {
    df y;
    for k = 1..2 work(y[k], k) @ { locator_cyclic: k; };
    cf final: put(y[9][9], y[1][1] + y[2][2]);
}
E
ran 3 work.fa
out <<'E'
00000: final own[2]
00001: cond[1] deep[1] first[1] got[1] last[1] loop[1][1] loop[1][2] loop[1][3] turn[1][0] turn[1][1]
00002: cond[2] deep[2] first[2] got[2] last[2] loop[2][1] loop[2][2] loop[2][3] own[1] turn[2][0] turn[2][1]
E

# Placed by a label, by what a fragment holds, inside a placed sub; and not placed, as ever on node 0.
cat >ways.fa <<'E'
#include "head.inc"
sub at(name v, int k) { cf at[k]: put(v, k); }
sub twice(name v, int k) { at(v[1], k); at(v[2], k + 1) @ { locator_cyclic: k + 1; }; }
sub main() {
    df x, n;
    cf seti: put(n, 2) @ { locator_cyclic: 3; };
    cf here[1]: at(x[1][1], 1);
    at(x[2][2], 2) @ { locator_cyclic: n; };
    twice(x[3], 3) @ { locator_cyclic: -1; };
    at(x[4][1], 7);
    if x[1][1] { twice(x[5], 5); }
    cf end: put(x[6][1], x[1][1] + x[2][2] + x[3][1] + x[3][2] + x[4][1] + x[5][1] + x[5][2]);
} @ { locator_cyclic here[k] => k; }
E
ran 4 ways.fa
out <<'E'
00000: at[4] at[5] at[7] end
00001: at[1]
00002: at[2] at[6]
00003: at[3] seti
E

# Cells come before the seat; what has none sits.
cat >cells.fa <<'E'
#include "head.inc"
sub both(name u, name v, int k) {
    cf bound[k]: put(u[k], k);
    cf free[k]: put(v, k);
    cf after[k]: add(v[1], u[k], 1);
}
sub main() {
    df x, y;
    for k = 0..3 both(x, y[k], k) @ { locator_cyclic: nodes - 1 - node(k); };
    cf end: put(y[4], y[0] + y[1] + y[2] + y[3] + y[0][1] + y[1][1] + y[2][1] + y[3][1]);
} @ { cells 4; cell x[i] => i; }
E
ran 4 cells.fa
out <<'E'
00000: after[0] bound[0] end free[3]
00001: after[1] bound[1] free[2]
00002: after[2] bound[2] free[1]
00003: after[3] bound[3] free[0]
E
run luna plan -n 4 cells.fa
code 0
out_has 'calls        13, 4 on the node with most'

# A loop that runs here as a whole is told to nobody, however many nodes there are.
cat >whole.fa <<'E'
#include "head.inc"
sub many(name v) {
    for i = 0..199 cf put[i]: put(v[i], i);
} @ { locator_cyclic v[i] => 2; }
sub main() {
    df x;
    for k = 0..19 many(x[k]) @ { locator_cyclic: 2; };
    cf end: put(x[20][0], x[0][0] + x[19][199]);
} @ { locator_cyclic x[k][i] => 2; locator_cyclic end => 2; }
E
ran 100 whole.fa
holds "all on one node" "$(grep -c put "$here/out")" = 1
messages=$(cat trace/*.jsonl | sed -n 's/.*"ctl_msgs":\([0-9]*\).*/\1/p' |
    awk '{ n += $1 } END { print n + 0 }')
holds "$messages messages" "$messages" -lt 800
finish
