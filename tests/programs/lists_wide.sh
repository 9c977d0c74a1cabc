#!/bin/sh
# lists_wide.sh LUNA N - lists of N elements, on one worker, several, and nodes: each is there, in
# order, and read once.
luna=$1 n=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" LC_ALL=C
cd "$work" || exit 1
cat >wide.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub fill(name x[]) ${{ for (size_t i = 0; i < x->n; i++) luna_set_int(x->df[i], (int)(i % 1000)); $}}
C sub one(int k, name x) ${{ luna_set_int(x, k); $}}
C sub weigh(value x[], name s) ${{
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += (double)(i % 7) * luna_get_int(x->df[i]);
    luna_set_real(s, sum);
$}}
C sub say(string what, real s) ${{ printf("%s %.0f\n", what, s); $}}
sub main(int n) {
    df x, y, s;
    fill(x[i] over i = 1 .. n);
    weigh(x[n + 1 - i] over i = 1 .. n, s[0]);
    for i = 0 .. n - 1 one(i % 10, y[i]);
    weigh(y[i] over i = 0 .. n - 1, s[1]);
    say("backwards", real(s[0]));
    say("one by one", real(s[1]));
} @ { locator_cyclic x[i] => i; locator_cyclic y[i] => i / 3; locator_cyclic s[i] => i; }
E
want=$(awk -v n="$n" 'BEGIN {
    for (i = 0; i < n; i++) { a += i % 7 * ((n - 1 - i) % 1000); b += i % 7 * (i % 10) }
    printf "backwards %.0f\none by one %.0f\n", a, b }')
failed=0
for how in "-n 1 -t 1" "-n 1 -t 3" "-n 3 -t 1" "-n 2 -t 2"; do
    # shellcheck disable=SC2086
    got=$(timeout 200 "$luna" run -q $how wide.fa "$n" 2>&1 | sort)
    [ "$got" = "$want" ] || { echo "$how: $got, not $want"; failed=1; }
done

# Calls that read before there is anything: a list waits for one element at a time, and not a task for
# each of the 54,000 that are not there. One worker: it is counted, not measured.
cat >early.fa <<'E'
C sub leaf(int i, name m) ${{ luna_set_int(m, i); $}}
C sub best(int i, value a[], value b[], name m) ${{
    int s = 0;
    for (size_t k = 0; k < a->n; k++) {
        int v = luna_get_int(a->df[k]) + luna_get_int(b->df[k]);
        if (!k || v < s) s = v;
    }
    luna_set_int(m, s + i);
$}}
sub main(int n) {
    df m;
    for i = 0 .. n-1 leaf(i, m[i][i]);
    for i = 0 .. n-1 for j = i+1 .. n-1
        best(i, m[i][k] over k = i .. j-1, m[k+1][j] over k = i .. j-1, m[i][j]);
}
E
waited=$("$luna" run -t 1 --stats early.fa 56 2>&1 | sed -n 's/.*, \([0-9]*\) statements waited.*/\1/p')
[ "${waited:-99999}" -le 15000 ] || { echo "$waited elements were waited for"; failed=1; }
exit $failed
