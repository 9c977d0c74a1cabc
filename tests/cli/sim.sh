#!/bin/sh
# sim.sh - luna sim: the same answers, the same events for the same seed, a fault names its repetition.
. "${0%/*}/lib.sh"

sums

run luna run -t 1 --hash spread.fa
code 0
cp "$here/out" want.out
cp "$here/err" want.hash

for n in 1 2 3 7 16; do
    for seed in 1 2 3; do
        run luna sim -q --hash -n $n --seed=$seed spread.fa
        code 0
        same out <want.out
        same err <want.hash
    done
done

# The same seed gives the same events, another seed others.
run luna sim -n 7 --seed=5 spread.fa
cp "$here/err" first
run luna sim -n 7 --seed=5 spread.fa
same err <first
run luna sim -n 7 --seed=6 spread.fa
holds "another seed, other events" "$(cat first)" != "$(cat "$here/err")"

cat >stuck.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
sub main() { df x; for i = 0..1 { seti(x[2*i], i); eat(x[3*i]); } }
E
run luna sim -n 2 --seed=9 -b -D A=1 stuck.fa
code 4
err_has "this run is repeated by: luna sim -n 2 --seed=9 -b -D A=1 stuck.fa"

# Ten thousand nodes: the end is found, and so is what waits for ever.
cat >many.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub add(int a, int b, name s) ${{ luna_set_int(s, a + b); $}}
sub main(int n, int last)
{
    df x, s;
    for i = 0..last { cf a[i]: seti(x[i], i % 7) @ { req_count x[i] = 2; }; }
    for i = 1..n { cf b[i]: add(x[i-1], x[i], s[i]) @ { req_count s[i] = 0; }; }
} @ {
    locator_cyclic a[i] => i;
    locator_cyclic b[i] => 3*i;
    locator_cyclic x[i] => i;
    locator_cyclic s[i] => i + 1;
}
E
run luna run -t 1 --hash many.fa 15000 15000
code 0
cp "$here/err" want.many
run luna sim -q -n 10000 --seed=4 --hash many.fa 15000 15000
code 0
same err <want.many
run luna sim -q -n 10000 --seed=4 many.fa 15000 14999
code 4
err_has "1 call waits for 1 fragment that will never come"
err_has "b[15000] waits for 'x[15000]'"

run luna sim --seed=x spread.fa
code 2
err <<'E'
luna: error: --seed needs a number from 0 to 2^64 - 1, not 'x'
E

finish
