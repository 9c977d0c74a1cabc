#!/bin/sh
# fragments.sh - the df lines: what was made of each declaration is what calls assigned, on however many
# nodes; how much was alive, and how long, against figures by hand.
. "${0%/*}/lib.sh"

# Numbers and strings, in frames and not; a copy, a part, a push, a reduction, a while, values that are
# not read, an activation for each k.
cat >many.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub fill(name v, int bytes) ${{ memset(luna_create(v, (size_t)bytes), 1, (size_t)bytes); $}}
C sub again(value v, name w) ${{ luna_copy(w, v); $}}
C sub use(value a) ${{ (void)a; $}}
C sub step(int turn, int y, name next, name go) ${{ luna_set_int(next, y + 1); luna_set_int(go, turn < 6); $}}
sub inner(int k)
{
    df y, two;
    seti(y, k);
    use(y);
    use(y);
    cf put: fill(two[k], 100 * k) @ { req_count two[k] = 2; };
    use(two[k]);
    use(two[k]);
}
sub main()
{
    df x, w, go, s, last, z, unread, n;
    for i = 0..39 {
        cf a[i]: fill(x[i], 1000 + i);
        cf b[i]: again(x[i], w[i]) @ { request x[39 - i]; };
        cf c[i]: use(w[(i + 3) % 40]);
        cf d[i]: seti(n[i], i) >> (z[i]);
        cf e[i]: use(z[i]);
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3*k; locator_cyclic c[k] => k/7; locator_cyclic d[k] => k; locator_cyclic e[k] => 5*k; }
    reduce + n[i] over i = 0..39 => s;
    use(s);
    for k = 1..5 inner(k);
    fill(unread, 5000);
    seti(last[0], 0);
    seti(go[0], 1);
    while go[t], t = 0..out end
        step(t, last[t], last[t + 1], go[t + 1]);
    use(last[end]);
} @ { locator_cyclic x[k] => k+1; locator_cyclic w[k] => 2*k; locator_cyclic z[k] => 3*k; locator_cyclic n[k] => k/5; }
E
sed -i 's/df x, w,/df end, x, w,/' many.fa

# "name made" of what calls have assigned, by the values that exec lines tell.
assigned() {
    cat "$1"/node-*.jsonl | awk '
        /"ev":"exec"/ && (at = index($0, "],\"out\":[")) {
            names = substr($0, at + 9)
            gsub(/["\]}]/, "", names)
            n = split(names, name, ",")
            for (i = 1; i <= n; i++) if (!seen[name[i]]++) { sub(/[[#].*/, "", name[i]); made[name[i]]++ }
        }
        END { for (i in made) print i, made[i] }' | sort
}
# The same of df lines, of the field KEY.
told() { # told DIR KEY
    cat "$1"/node-*.jsonl | awk "$awk_fields"'
        /"ev":"df"/ { sum[text("df")] += number("'"$2"'") }
        END { for (i in sum) print i, sum[i] }' | sort
}

for how in "run -t 1" "run -t 2" "run -n 3 -t 1" "run -n 2 -t 2" "sim -n 7 --seed=3" "sim -n 40"; do
    rm -rf tr
    run luna $how --trace=tr --trace-values many.fa
    code 0
    assigned tr >want
    printf 's 1\nend 1\n' | sort -m want - | sort >all # no call assigns them
    told tr made >got
    holds "$how: $(cat all got)" "$(cat all)" = "$(cat got)"
    told tr bytes >bytes
    holds "$how: bytes" "$(grep -E '^(x|w|two|n|unread|s) ' bytes | tr '\n' ' ')" = \
        "n 160 s 4 two 1500 unread 5000 w 40780 x 40780 "
    run luna stats --json tr
    code 0
    sed -n 's/^ *{"name":"\([^"]*\)","line":[0-9]*,"made":\([0-9]*\),.*/\1 \2/p' "$here/out" | sort >got
    holds "$how: luna stats" "$(cat all)" = "$(cat got)"
    run luna report --json tr
    sed -n 's/^ *{"name":"\([^"]*\)","line":[0-9]*,"made":\([0-9]*\),"bytes":[0-9]*,"biggest".*/\1 \2/p' "$here/out" | sort >got
    holds "$how: luna report" "$(cat all)" = "$(cat got)"
done

# Values that move with their cells are made once.
apps=$(cd "${0%/*}/../../apps" && pwd)
rm -rf tr
run luna sim -q -n 4 --start=half --balance=two-phase --balance-every=200us --balance-threshold=0% --trace=tr --trace-values "$apps/pic2d/pic2d.fa"
code 0
holds "values have moved" "$(cat tr/node-*.jsonl | grep -c '"why":"migrate"')" -gt 20
assigned tr >all
told tr made >got
holds "pic2d: $(diff all got)" "$(cat all)" = "$(cat got)"

# By hand, in time that is exact: the four x live from the ends of their calls until `join` has ended,
# 100 ns after its function; the one that nobody reads until the run ends.
cat >hand.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub fill(name v) ${{ memset(luna_create(v, 1000), 1, 1000); $}}
C sub join(value a, value b, value c, name v) ${{ (void)a; (void)b; (void)c; luna_set_int(v, 1); $}}
sub main()
{
    df x, y;
    for i = 0..2 fill(x[i]) @ { req_count x[i] = 1; };
    fill(x[3]) @ { req_count x[3] = 1; };
    join(x[0], x[1], x[2], y) @ { weight: 10; };
}
E
run luna sim -q -n 1 --trace=tr hand.fa
code 0
grep '"ev":"df"' tr/node-00000.jsonl >got
holds "by hand: $(cat got)" "$(cat got)" = \
'{"ev":"df","df":"x","line":8,"made":4,"bytes":4000,"biggest":1000,"peak":4000,"values":4,"life":46600,"longest":13300,"unread":1,"left":1000}
{"ev":"df","df":"y","line":8,"made":1,"bytes":4,"biggest":4,"peak":0,"values":0,"life":0,"longest":0,"unread":1,"left":0}'
holds "the files" "$(grep '"files"' tr/run.json)" = ' "files":["hand.fa"],'
holds "calls" "$(grep '"sites"' tr/run.json)" = ' "sites":[["fill",0,10],["join",0,11],["fill",0,9]],'
holds "declarations" "$(grep '"dfs"' tr/run.json)" = ' "dfs":[["x",0,8],["y",0,8]],'
run luna stats tr
out_has '           4     3.91 KiB       1000 B     3.91 KiB     11.65 us          1   x, line 8'
out_has '           1          4 B          4 B            -            -          1   y, line 8'
run luna stats --df=x,zz tr
code 0
err_has "luna: no value of 'x' was sent"
err_has "luna: no value of 'zz' was made: is it a name of the program?"

# A value that is taken ends then: one at a time is alive, and only the last until a call has ended.
cat >taken.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub fill(name v) ${{ memset(luna_create(v, 1000), 1, 1000); $}}
C sub pass(value a, name v) ${{ luna_take(v, a); $}}
C sub use(value a) ${{ (void)a; $}}
sub main()
{
    df x;
    fill(x[0]);
    for t = 0..9 pass(x[t], x[t+1]);
    use(x[10]);
}
E
run luna sim -q -n 1 --trace=taken taken.fa
code 0
grep '"ev":"df"' taken/node-00000.jsonl >got
holds "taken: $(cat got)" "$(cat got)" = \
'{"ev":"df","df":"x","line":9,"made":11,"bytes":11000,"biggest":1000,"peak":1000,"values":11,"life":1200,"longest":1100,"unread":0,"left":0}'

# A trace of before has no such lines, and no such table.
sed -i 's/,"lines":[0-9]*//; /"ev":"df"/d' tr/node-00000.jsonl
run luna stats tr
code 0
holds "no table" "$(grep -c 'most bytes in' "$here/out")" = 0
run luna report --json tr
code 0
out_has ' "made":['

finish
