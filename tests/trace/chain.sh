#!/bin/sh
# chain.sh - the longest chain of dependent calls: what exec lines say is what awk computes from the
# values that each call reads and assigns; through reductions and a while, lists, parts, pushes.
. "${0%/*}/lib.sh"
chains=$(cat "${0%/*}/chains.awk")

cat >many.fa <<'E'
C head ${{
#include <string.h>
static void pause(int n) { for (volatile int i = 0; i < n; i++) {} }
$}}
C sub seti(name v, int k) ${{ pause(100 * k); luna_set_int(v, k); $}}
C sub fill(name v, int bytes) ${{ pause(bytes); memset(luna_create(v, (size_t)bytes), 1, (size_t)bytes); $}}
C sub again(value v, name w) ${{ luna_copy(w, v); $}}
C sub use(value a, name v) ${{ (void)a; pause(500); luna_set_int(v, 1); $}}
C sub step(int turn, int y, name next, name go) ${{ pause(1000); luna_set_int(next, y + 1); luna_set_int(go, turn < 6); $}}
sub main()
{
    df end, x, w, u, go, s, last, z, n, o, r;
    for i = 0..39 {
        cf a[i]: fill(x[i], 3000 + i) @ { req_count x[i] = 2; };
        cf b[i]: again(x[i], w[i]) @ { request x[39 - i]; };
        cf c[i]: use(w[(i + 3) % 40], u[i]);
        cf d[i]: seti(n[i], i) >> (z[i]);
        cf e[i]: use(z[i], o[i]);
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3*k; locator_cyclic c[k] => k/7; locator_cyclic d[k] => k; locator_cyclic e[k] => 5*k; }
    reduce + n[i] over i = 0..39 => s;
    use(s, r[0]);
    use(r[0], r[1]);
    seti(go[0], 1);
    use(r[1], last[0]);
    while go[t], t = 0..out end
        step(t, last[t], last[t + 1], go[t + 1]);
    use(last[end], r[2]);
    use(end, r[3]);
} @ { locator_cyclic x[k] => k+1; locator_cyclic w[k] => 2*k; locator_cyclic z[k] => 3*k; locator_cyclic n[k] => k/5; locator_cyclic r[k] => k; }
E

# follows DIR: as it should be; the longest is that of luna stats, too.
follows() {
    cat "$1"/node-*.jsonl | grep '"ev":"exec"' | sort -t: -k2,2n |
        awk -v same=s:n,end:go "$awk_fields$chains" >got
    holds "$how: $(head -n 3 got)" $? = 0
    run luna stats --json "$1"
    told=$(sed -n 's/.*"chain":\([0-9.]*\).*/\1/p' "$here/out" | tr -d .)
    holds "$how: luna stats says $told" "$(awk 'END { print $2 }' got)" = "$(expr "$told" + 0)"
}

for how in "run -t 1" "run -t 2" "run -n 3 -t 1" "run -n 2 -t 2" "sim -n 4 --seed=3" "sim -n 40"; do
    rm -rf tr
    run luna $how --trace=tr --trace-values many.fa
    code 0
    follows tr
done

# Cells move, and values with them: chains go on.
apps=$(cd "${0%/*}/../../apps" && pwd)
rm -rf tr
how="pic2d, balanced"
run luna sim -q -n 4 --start=half --balance=two-phase --balance-every=200us --balance-threshold=0% --trace=tr --trace-values "$apps/pic2d/pic2d.fa"
code 0
holds "cells have moved" "$(events tr move)" -gt 20
follows tr

# By hand, where each call takes 1 us: eight elements, combined by a function in three rounds; parts,
# lists, an activation. What waits for the end of one is not followed.
cat >hand.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub plus(value a, value b, name c) ${{ luna_set_int(c, luna_get_int(a) + luna_get_int(b)); $}}
C sub next(value a, name b) ${{ (void)a; luna_set_int(b, 1); $}}
C sub after(int k, name b) ${{ luna_set_int(b, k); $}}
C sub fill(value a, name v) ${{ (void)a; memset(luna_create(v, 4096), 0, 4096); $}}
C sub all(value a[], name b[]) ${{ (void)a; for (size_t i = 0; i < b->n; i++) luna_set_int(b->df[i], 1); $}}
sub inner(name x, name y) { cf deep: next(x, y); }
sub main()
{
    df x, s, u, big, part, number, list, many, y, done, behind, z;
    for i = 0..7 cf each[i]: seti(x[i], i);
    inner(x[0], y) >> (done);
    reduce plus x[i] over i = 0..7 => s;
    cf sum: next(s, u);
    cf big: fill(u, big);
    cf part: next(value(big, 8, 2000), part);
    cf number: after(int(big, 3), number);
    cf lists: all(x[i] over i = 0..7, list[j] over j = 0..1);
    cf many: next(list[1], many) >> (behind);
    cf after: next(behind, z);
    cf done: next(done, x[9]);
} @ { locator_cyclic each[k] => k; locator_cyclic x[k] => k; locator_cyclic list[k] => k+1;
      locator_cyclic big => 2; locator_cyclic part => 1; }
E
for nodes in 1 3 8; do
    run luna sim -q -n $nodes --trace=tr hand.fa
    code 0
    cat tr/node-*.jsonl | grep '"ev":"exec"' | sed 's/.*"cf":"\([a-z]*\).*"chain":\([0-9]*\).*/\1 \2/' |
        sort -u | tr '\n' ' ' >got
    holds "$nodes nodes: $(cat got)" "$(cat got)" = \
        "after 4000 big 6000 deep 2000 done 1000 each 1000 lists 2000 many 3000 number 7000 part 7000 reduce 2000 reduce 3000 reduce 4000 sum 5000 "
done
run luna stats tr
out_has 'longest chain of dependent calls: 7.00 us, '

# Calls are named as in exec lines, and labels are no declarations of fragments.
cat tr/node-*.jsonl | grep '"ev":"exec"' | sed 's/.*"cf":"\([a-z]*\).*"line":\([0-9]*\).*/\1 \2/' | sort -u >got
grep '"sites"' tr/run.json | grep -o '"[a-z]*",0,[0-9]*' | sed 's/"\([a-z]*\)",0,/\1 /' | sort >sites
holds "sites: $(diff got sites)" "$(cat got)" = "$(cat sites)"
holds "dfs" "$(grep '"dfs"' tr/run.json | grep -o '"[a-z]*",0' | tr -d '",0\n')" = \
    xsubigpartnumberlistmanyydonebehindz

# A trace of before tells of none.
sed -i 's/,"chain":[0-9]*//' tr/node-*.jsonl
run luna stats tr
code 0
holds "no chain" "$(grep -c 'longest chain' "$here/out")" = 0

finish
