#!/bin/sh
# files.sh - the files of a trace: what is in them, when they are whole, where they cannot be.
. "${0%/*}/lib.sh"
sums

# Lines that are of none of the forms of docs/traces.md.
strange() {
    cat "$1"/node-*.jsonl | grep -vE \
        -e '^\{"t":[0-9]+,"ev":"send","to":[0-9]+,"df":"[a-z]+(\[-?[0-9]+\])*","bytes":[0-9]+,"dist":[0-9]+,"why":"(reply|push)"(,"k":[0-9]+)?(,"by":\[[0-9]+,([0-9]+|"m"),[0-9]+\])?\}$' \
        -e '^\{"t":[0-9]+,"ev":"recv","from":[0-9]+,"k":[0-9]+\}$' \
        -e '^\{"t":[0-9]+,"ev":"load","bytes":[0-9]+,"count":[0-9]+,"cells":0\}$' \
        -e '^\{"t":[0-9]+,"ev":"exec","cf":"[a-z]+(\[-?[0-9]+\])*","line":[0-9]+,"worker":[0-9]+,"dur":[0-9]+,"chain":[0-9]+(,"ready":[0-9]+)?(,"by":\[[0-9]+,([0-9]+|"m"),[0-9]+\])?\}$' \
        -e '^\{"t":0,"ev":"own","cells":\[\]\}$' \
        -e '^\{"ev":"df","df":"[a-z]+","line":[0-9]+,"made":[0-9]+,"bytes":[0-9]+,"biggest":[0-9]+,"peak":[0-9]+,"values":[0-9]+,"life":[0-9]+,"longest":[0-9]+,"unread":[0-9]+,"left":[0-9]+\}$' \
        -e '^\{"ev":"worker","worker":[0-9]+,"calls":[0-9]+,"in_calls":[0-9]+,"runtime":[0-9]+,"idle":[0-9]+,"spin":[0-9]+,"sleep":[0-9]+,"wasted":[0-9]+,"steals":[0-9]+,"naps":[0-9]+(,"on":[0-9]+,"off":[0-9]+)?\}$' \
        -e '^\{"ev":"end","ctl_msgs":[0-9]+,"ctl_bytes":[0-9]+,"idle":[0-9]+,"lines":[0-9]+\}$'
}
# What is live at the end, over all nodes.
left() {
    for f in "$1"/node-*.jsonl; do grep '"ev":"load"' "$f" | tail -n 1; done | field count | awk '{ n += $1 } END { print n }'
}

for how in "run -t 1" "run -t 2" "run -n 3 -t 1" "run -n 3 -t 2" "sim -n 7 --seed=3"; do
    nodes=$(echo "$how" | sed -n 's/.*-n \([0-9]*\).*/\1/p')
    rm -rf tr
    run luna $how --proof=off -q --trace=tr spread.fa
    code 0
    quiet
    holds "no line of another form: $(strange tr)" -z "$(strange tr)"
    holds "a file per node" "$(ls tr/node-*.jsonl | wc -l)" -eq "${nodes:-1}"
    holds "an exec per call" "$(events tr exec)" -eq 82
    holds "each call once" "$(cat tr/*.jsonl | grep -o '"cf":"[ab][^"]*"' | sort -u | wc -l)" -eq 80
    holds "a last line each" "$(tail -qn 1 tr/node-*.jsonl | grep -c '"ev":"end"')" -eq "${nodes:-1}"
    holds "one end each" "$(events tr end)" -eq "${nodes:-1}"
    holds "all s are left, no x: $(left tr)" "$(left tr)" -eq 41
    holds "the run is done" "$(field end <tr/run.json)" = done
    run luna $how -q --trace=tr spread.fa
    holds "where readers are counted nothing is left: $(left tr)" "$(left tr)" -eq 0
done

# dist is |a - b|, and what is sent goes elsewhere.
run luna run -n 5 -t 1 --trace=tr spread.fa
for node in 0 1 2 3 4; do
    wrong=$(awk -v me=$node '/"send"/ {
        match($0, /"to":[0-9]+/); d = substr($0, RSTART + 5, RLENGTH - 5) - me
        match($0, /"dist":[0-9]+/); if (d < 0) d = -d
        if (d == 0 || substr($0, RSTART + 7, RLENGTH - 7) != d) print }' tr/node-0000$node.jsonl)
    holds "distances: $wrong" -z "$wrong"
done
# b[i] runs on 3i and puts s[i] on 2i: at home for i = 0 mod 5. a[i] runs on i, x[i] lives on i+1.
holds "puts of s" "$(cat tr/*.jsonl | grep '"df":"s' | grep -c '"why":"push"')" -eq 32
holds "puts of x" "$(cat tr/*.jsonl | grep '"df":"x' | grep -c '"why":"push"')" -eq 40

holds "no files of the seven nodes before" "$(ls tr | grep -c jsonl)" -eq 5

# In the simulator time is virtual: the same seed writes the same files.
run luna sim -n 4 --seed=8 --call-ns=5000 --trace=one spread.fa
run luna sim -n 4 --seed=8 --call-ns=5000 --trace=two spread.fa
for f in 0 1 2 3; do
    holds "node $f is the same" "$(cat one/node-0000$f.jsonl)" = "$(cat two/node-0000$f.jsonl)"
done
# And a trace changes nothing of a run, nor does where things lie in memory: while cells move, too.
apps=$(cd "${0%/*}/../../apps" && pwd)
digest=
for how in "" --trace=other "--trace=other --trace-values" --hash; do
    run luna sim -n 4 --start=half --balance=two-phase --balance-every=200us --balance-threshold=0% $how "$apps/pic2d/pic2d.fa"
    code 0
    now=$(sed -n 's/.*, digest //p' "$here/err")
    holds "the same events with '$how': $now, without $digest" "$now" = "${digest:=$now}"
done
rm -rf other
holds "a call takes its time" "$(cat one/*.jsonl | grep -c '"dur":5000[,}]')" -eq 82
holds "the seed is told" "$(field seed <one/run.json)" = 8

# A shorter run into the same folder: its files are new. The answer and the hashes are those of any run.
run luna run -t 1 --hash --trace=one spread.fa
out <<'E'
820
E
cp "$here/err" want.hash
run luna run -t 1 --hash spread.fa
same err <want.hash
run luna stats one
code 0
out_has "spread.fa on 1 node x 1 worker, local: done"

# Lines of load as often as asked.
run luna sim -n 2 --call-ns=100000 --trace=often --trace-every=500us spread.fa
some=$(events often load)
run luna sim -n 2 --call-ns=100000 --trace=seldom --trace-every=1s spread.fa
holds "more lines of load ($some) when they are asked for" "$some" -gt "$(events seldom load)"

# A program that was built traces too.
run luna build spread.fa -o prog
run ./prog -n 2 --trace=built
code 0
run luna stats built
code 0
out_has "spread.fa on 2 nodes"

# A run that fails leaves a whole trace of what was.
cat >bad.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ if (k == 7) luna_fail("seven"); $}}
C sub crash(int k) ${{ *(volatile int *)(long)(k - 7) = 1; $}}
sub main(int how)
{
    df x;
    for i = 0..7 seti(x[i], i);
    if how == 0 { eat(x[7]); }
    if how == 1 { for i = 2..4 eat(x[4*i]); }
    if how == 2 { crash(x[7]); }
}
E
ends() {
    run luna run --trace=tr $2 bad.fa $1
    code $3
    holds "calls before the fault are there" "$(events tr exec)" -ge 1
    run luna stats tr
    code 0
    out_has ": $4 after"
}
ends 0 "-t 1" 3 fault
ends 0 "-n 3 -t 2" 3 fault
ends 1 "-t 1" 4 stuck
ends 1 "-n 2 -t 1" 4 stuck
ends 2 "-t 1" 3 fault

# One that is interrupted, too: at once, whatever a worker was just about.
cat >long.fa <<'E'
C sub nop(int k) ${{ (void)k; $}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main(int keep) {
    if keep == 0 { for i = 0..1000000000 nop(i); }
    if keep == 1 { df x; for i = 0..1000000000 seti(x[i], i) @ { req_count x[i] = 1; }; }
}
E
run luna build long.fa -o long
for how in "INT -t 6" "TERM -t 6" "INT -t 6" "TERM -t 6" "INT -n 3 -t 2"; do
    begun=$(date +%s)
    keep=0
    case $how in *3*) keep=1 ;; esac
    run timeout -s ${how%% *} .2 ./long ${how#* } --trace=tr $keep
    code 124
    holds "it ends soon" $(($(date +%s) - begun)) -lt 8
    run luna stats tr
    code 0
    out_has ": interrupted after"
done

# Also while the files of the trace before, which are big, are emptied.
for when in .02 .03 .04 .06 .08; do
    run timeout -s TERM .4 ./long -t 6 --trace=tr 0
    run timeout -s INT $when ./long -t 6 --trace=tr 0
    code 124
    run luna stats tr
    code 0
done

# Two signals in a row are one wish, as timeout sends them: one to a process, one to its group.
i=0
while [ $i -lt 5 ]; do
    ./long -t 6 --trace=tr 0 2>err &
    job=$!
    sleep .15
    kill -TERM $job
    kill -TERM $job
    wait $job
    holds "it ends by the signal" $? = 143
    run luna stats tr
    code 0
    out_has ": interrupted after"
    i=$((i + 1))
done
rm -rf tr

# Nowhere to write: told before anything runs.
: >file
run luna run --trace=file spread.fa
code 2
out </dev/null
err <<'E'
luna: error: cannot write the trace 'file': Not a directory
hint: --trace=DIR needs a folder of yours that is there or can be made, and written
E
run luna run --trace=no/such/folder spread.fa
code 2
out </dev/null
err_has "cannot write the trace 'no/such/folder': No such file or directory"
run luna run --trace spread.fa
code 2
err_has "--trace needs a value: --trace=DIR"
for wrong in 10 ms 0ms 5h -1s; do
    run luna run --trace-every=$wrong spread.fa
    code 2
    err_has "--trace-every needs a time such as 500us, 10ms or 1s, not '$wrong'"
done
run luna run --trace-every=1ms spread.fa
code 2
err <<'E'
luna: error: --trace-every says how often a trace tells the load: give --trace=DIR too
E
run luna run -q --trace-every=1ms --report=often.html spread.fa
code 0
run luna run -q -t 1 --trace=full spread.fa
rm full/node-00000.jsonl
mkdir full/node-00000.jsonl
run luna run -t 1 --trace=full spread.fa
code 2
out </dev/null
err_has "cannot write the trace 'full/node-00000.jsonl': Is a directory"

# It can be written no more on the way: told once, the program ends as it should.
cat >fills.fa <<'E'
C head ${{
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
$}}
C sub fill() ${{
    unlink("part/node-00000.jsonl");
    if (mkdir("part/node-00000.jsonl", 0700)) printf("no folder\n");
$}}
C sub work(int i) ${{ (void)i; $}}
C sub say() ${{ printf("went on\n"); $}}
sub main() { fill(); for i = 1..20000 work(i); say(); }
E
run luna run -t 1 --trace=part fills.fa
code 5
out <<'E'
went on
E
err <<'E'
luna: error: cannot write the trace 'part/node-00000.jsonl': Is a directory
hint: the run goes on without a trace
E

# What afterpush sends is a push, under the name of the fragment alone.
cat >pushes.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
sub main()
{
    df x;
    for i = 0..8 {
        cf a[i]: seti(x[i], i) @ { afterpush x[i] => b[i]; };
        cf b[i]: eat(x[i]) @ { wait x[i]; };
    } @ { locator_cyclic a[k] => 0; locator_cyclic b[k] => k; }
} @ { locator_cyclic x[k] => 0; }
E
run luna run -q -n 3 -t 1 --trace=pushed pushes.fa
code 0
holds "six of nine pushes travel" "$(cat pushed/*.jsonl | grep -c '"df":"x\[[0-9]\]","bytes":4,.*"push"')" -eq 6

# A value that went straight to a reader that waits on lives until it has run.
cat >lives.fa <<'E'
C sub big(name v, int n) ${{ luna_create(v, (size_t)n); $}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(value v, int k) ${{ (void)v; (void)k; $}}
sub main()
{
    df x, y, z;
    eat(x, z);
    big(x, 100000) @ { req_count x = 1; };
    seti(y, 1) @ { req_count y = 0; };
    seti(z, 1) @ { req_unlimited z; };
}
E
run luna run -t 1 --trace=lives --trace-every=1us lives.fa
code 0
live() { field bytes <lives/node-00000.jsonl; }
holds "live bytes: $(live | tr '\n' ' ')" "$(live | sort -n | tail -n 1)" -ge 100000
holds "of which the last int is left" "$(live | tail -n 1)" -eq 4

# A name that is no UTF-8 leaves the trace valid.
latin=$(printf 'caf\351.fa')
cp spread.fa "$latin"
run luna run -q -t 1 --trace=latin "$latin"
code 0
run iconv -f UTF-8 -t UTF-8 latin/run.json
code 0
run luna stats latin
code 0
out_has "$(printf 'caf\357\277\275.fa on 1 node')"
run luna stats --json latin
code 0
out_has '"program":"caf\ufffd.fa"'

# A folder that a run writes to is no other run's: of both something would be there.
cat >held.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub hold(string began, string goes_on) ${{
    fclose(fopen(began, "w"));
    fclose(fopen(goes_on, "r"));
$}}
sub main() { hold("began", "goes_on"); }
E
mkfifo began goes_on
luna run -q -t 1 --trace=held held.fa &
cat began
for how in "run" "run -n 2" "sim -n 2"; do
    run luna $how -q --trace=held spread.fa
    code 2
    err_has "luna: error: cannot write the trace 'held': another run writes one there"
    err_has "hint: wait for its end, or give each run a folder of its own"
done
: >goes_on # a write might find nobody there any more
wait
run luna stats held
code 0
out_has "held.fa"
run luna run -q --trace=held spread.fa
code 0

# Without the option nothing is written.
rm -rf latin tr one two often seldom full built part pushed lives held
run luna run spread.fa
holds "no trace" -z "$(find . -name '*.jsonl')"

finish
