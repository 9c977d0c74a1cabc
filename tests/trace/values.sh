#!/bin/sh
# values.sh - --trace-values: what calls read and assign; and that causes.sh finds what is out of order.
. "${0%/*}/lib.sh"
sums
causes() { run sh "$CAUSES" "$1"; }

# The values that the call itself, its indices and its rules ask for; outputs, then what >> sets. A
# fragment of the same name in another activation is another one.
cat >names.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub two(name a, name b) ${{ luna_set_int(a, 1); luna_set_int(b, 2); $}}
C sub eat(int a, int b) ${{ (void)a; (void)b; $}}
sub inner(int k)
{
    df y;
    cf put: seti(y, k);
    cf get: eat(y, k);
}
sub main()
{
    df x, z, i, s, done;
    cf a: seti(i, 1) >> (done);
    cf b: two(z[i], z[2]);
    cf c: eat(z[1], z[2]) @ { request i; };
    cf d: eat(x + z[2], done);
    cf e: seti(x, 3);
    cf f: eat(s, 0);
    reduce + z[k] over k = 1..2 => s;
    for k = 0..1 inner(k);
}
E
# Of each call: what it read and assigned, identities as letters in the order in which they come.
told() {
    cat "$1"/node-*.jsonl | sed -n 's/.*"cf":"\([^"]*\)".*,"in":\(.*\),"out":\(.*\)}$/\1 \2 \3/p' | sort |
        awk '{
            while (match($0, /\.[0-9a-f]+"/)) {
                id = substr($0, RSTART, RLENGTH - 1)
                if (!(id in letter)) letter[id] = "@" substr("abcdef", ++n, 1)
                $0 = substr($0, 1, RSTART - 1) letter[id] substr($0, RSTART + RLENGTH - 1)
            }
            print
        }'
}
for how in "run -t 1" "run -t 2" "run -n 3 -t 1" "sim -n 3 --seed=5"; do
    rm -rf tr
    run luna $how -q --trace=tr --trace-values names.fa
    code 0
    quiet
    told tr | sed '/"y/s/@[bc]/@?/' >"$here/out"
    out <<'E'
a [] ["i#5@a","done#7@a"]
b ["i#5@a"] ["z[1]#4@a","z[2]#4@a"]
c ["i#5@a","z[1]#4@a","z[2]#4@a"] []
d ["x#3@a","z[2]#4@a","done#7@a"] []
e [] ["x#3@a"]
f ["s#6@a"] []
get ["y#0@?"] []
get ["y#0@?"] []
put [] ["y#0@?"]
put [] ["y#0@?"]
E
    holds "two activations, each with its y" \
        "$(told tr | sed -n 's/^put.*@\(.\).*/\1/p' | sort | tr -d '\n')" = bc
    causes tr
    code 0
    out_has "9 " # all but s, which no call assigns
    run luna stats tr
    code 0
done

# Long lists: a line that does not fit into a buffer is whole.
{
    echo 'C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}'
    echo 'C sub eat(int a, int b) ${{ (void)a; (void)b; $}}'
    echo 'sub main() { df quite_a_long_name_for_a_fragment; for i = 0..1500'
    echo 'seti(quite_a_long_name_for_a_fragment[i][i][i][1000000000], i);'
    echo 'cf all: eat(0, 1) @ { request'
    seq 0 1500 | sed 's/.*/quite_a_long_name_for_a_fragment[&][&][&][1000000000],/; $s/,$//'
    echo '; }; }'
} >long.fa
run luna run -q -t 1 --trace=tr --trace-values long.fa
code 0
causes tr
code 0
out_has "1501 "
holds "a line beyond a buffer" "$(wc -L <tr/node-00000.jsonl)" -gt 65536
run luna stats tr
code 0

# On the simulator the same seed tells the same, and sends are told of, too.
run luna sim -q -n 4 --seed=8 --trace=one --trace-values spread.fa
run luna sim -q -n 4 --seed=8 --trace=two --trace-values spread.fa
holds "the same" "$(cat one/*.jsonl)" = "$(cat two/*.jsonl)"
holds "each send has a value" "$(events one send)" -eq "$(cat one/*.jsonl | grep '"send"' | grep -c '"value":"[a-z]*\[[0-9]*\]#[0-9]*\.[0-9a-f]*"}')"
causes one
code 0
read -r reads sends <"$here/out"
holds "all inputs: $reads" "$reads" -eq 81
holds "all sends: $sends" "$sends" -eq "$(events one send)"
run luna sim -q -n 4 --seed=8 --trace=two spread.fa
holds "the rest is the same" \
    "$(cat one/*.jsonl | sed 's/,"in":.*]}$/}/; s/,"value":"[^"]*"}$/}/')" = "$(cat two/*.jsonl)"

# A trace that lies is found out: a call that begins too early, a value that leaves too early.
lies() { # lies WHAT-IS-FOUND: an event of node 0 of `bad`, which has one call that ends at 200
    mkdir -p bad
    cat >bad/node-00000.jsonl
    printf '%s\n' '{"t":100,"ev":"exec","cf":"a","line":1,"worker":0,"dur":100,"in":[],"out":["x#1"]}' \
        >bad/node-00001.jsonl
    causes bad
    code "$1"
}
lies 0 <<'E'
{"t":200,"ev":"exec","cf":"b","line":1,"worker":0,"dur":1,"in":["x#1"],"out":[]}
{"t":200,"ev":"send","to":1,"df":"x","bytes":4,"dist":1,"why":"push","value":"x#1"}
{"t":10,"ev":"exec","cf":"b","line":1,"worker":0,"dur":1,"in":["x#2","y[1]#1"],"out":["y[2]#1"]}
E
out <<'E'
1 1
E
lies 1 <<'E'
{"t":199,"ev":"exec","cf":"b","line":1,"worker":0,"dur":1,"in":["y#1","x#1"],"out":[]}
E
out_has "x#1: it ended at 200"
lies 1 <<'E'
{"t":199,"ev":"send","to":1,"df":"x","bytes":4,"dist":1,"why":"push","value":"x#1"}
E
out_has "x#1: it ended at 200"
lies 0 <<'E'
{"t":300,"ev":"exec","cf":"again","line":1,"worker":0,"dur":1,"in":[],"out":["x#1"]}
{"t":200,"ev":"exec","cf":"b","line":1,"worker":0,"dur":1,"in":["x#1"],"out":[]}
E
causes no/such
code 1
out_has "no trace in no/such"

run luna run --trace-values spread.fa
code 2
err <<'E'
luna: error: --trace-values says what a trace has: give --trace=DIR too
E
run luna run --trace=tr --trace-values=x spread.fa
code 2
err_has "luna: error: --trace-values takes no value"

finish
