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
sub main() { df x, k; seti(k, 3); for i = 0..1 { seti(x[2*i], i); eat(x[int(k)*i]); } }
E
run luna sim -n 2 --seed=9 -b -D A=1 stuck.fa
code 4
err_has "this run is repeated by: luna sim -n 2 --seed=9 -b -D A=1 stuck.fa"
run luna sim -n 2 --proof=off -D "A=(1 + '1')" stuck.fa
code 4
err_has "this run is repeated by: luna sim --seed=0 -n 2 --proof=off -D 'A=(1 + '\\''1'\\'')' stuck.fa"

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
run luna sim -q --proof=off -n 10000 --seed=4 many.fa 15000 14999
code 4
err_has "1 call waits for 1 fragment that will never come"
err_has "b[15000] waits for 'x[15000]'"

run luna sim --seed=x spread.fa
code 2
err <<'E'
luna: error: --seed needs a number from 0 to 2^64 - 1, not 'x'
E

# A call, then a message of 100,000 bytes or so, then a call: how long it takes follows from the
# options. The bounds leave room for the messages, and for what a node listens before a long call.
cat >far.fa <<'E'
C sub big(name v, int n) ${{ luna_create(v, (size_t)n); $}}
C sub eat(value v) ${{ (void)v; $}}
sub main()
{
    df x;
    cf a: big(x, 100000);
    cf b: eat(x);
} @ { locator_cyclic a => 0; locator_cyclic x => 0; locator_cyclic b => 1; }
E
begins() { # begins LEAST MOST: when the second call does, in ns, with the words behind
    least=$1 most=$2
    shift 2
    run luna sim -q -n 2 --seed=3 --trace=trace "$@" far.fa
    code 0
    at=$(sed -n 's/^{"t":\([0-9]*\),"ev":"exec","cf":"b".*/\1/p' trace/node-00001.jsonl)
    holds "b begins at $at with $*" "$at" -ge "$least"
    holds "b begins at $at with $*" "$at" -le "$most"
}
begins 2001000 2025000 --call-ns=2000000 --latency=1us --bandwidth=100GiB/s
begins 1000000 1110000 --latency=1us --bandwidth=100000000/s
begins 15000 620000 --call-ns=1 --latency=100us
begins 150000 6110000 --call-ns=1 --latency=1ms --bandwidth=1GiB/s
begins 15000 25000
holds "x travels" "$(grep -c '"send"' trace/node-00000.jsonl)" -eq 1

run luna sim -n 2 --latency=20us --bandwidth=500MiB/s stuck.fa
code 4
err_has "this run is repeated by: luna sim --seed=0 -n 2 --latency=20us --bandwidth=500MiB/s stuck.fa"

for none in --latency= --bandwidth= --seed=; do
    run luna sim $none spread.fa
    code 2
    err_has "$none"
    err_has "needs a value"
done
for wrong in 0us 1 -1us 1.5us 1h 12345678us; do
    run luna sim "--latency=$wrong" spread.fa
    code 2
    err_has "luna: error: --latency needs a time such as 500us, 10ms or 1s, not '$wrong'"
done
for wrong in 0/s 0GiB/s 1GiB 1 /s -1/s 1.5GiB/s 1GB/s 9223372036854775808/s 8589934592GiB/s; do
    run luna sim "--bandwidth=$wrong" spread.fa
    code 2
    err_has "luna: error: --bandwidth needs bytes per second such as 500MiB/s or 1GiB/s, not '$wrong'"
done
run luna sim --latency spread.fa
code 2
err_has 'luna: error: --latency needs a value: --latency=TIME'
run luna sim --bandwidth spread.fa
code 2
err_has 'luna: error: --bandwidth needs a value: --bandwidth=BYTES/s'
for name in latency=1us bandwidth=1GiB/s; do
    run luna run --$name spread.fa
    code 2
    err_has "luna: error: '--${name%=*}' is an option of 'luna sim', not of 'luna run'"
done

finish
