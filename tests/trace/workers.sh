#!/bin/sh
# workers.sh - a row for each worker: in a trace, of luna stats, of --stats.
. "${0%/*}/lib.sh"
sums

# Lines of workers in DIR that do not agree with the other lines of their file and with the run.
liars() {
    for f in "$1"/node-*.jsonl; do
        awk -v duration="$(field duration <"$1/run.json")" -v file="$f" "$awk_fields"'
            /"ev":"exec"/ { calls[number("worker")]++; dur[number("worker")] += number("dur") }
            /"ev":"worker"/ {
                k = number("worker")
                idle += number("idle")
                if (k != n++) print file ": worker " k " is line " n
                if (number("calls") != calls[k] + 0) print file ": calls of " k
                if (number("in_calls") != dur[k] + 0) print file ": time in calls of " k
                sum = number("in_calls") + number("runtime") + number("idle")
                if (sum != duration) print file ": " k " tells of " sum " ns, not " duration
                if (number("spin") + number("sleep") != number("idle")) print file ": spin and sleep of " k
                if (number("wasted") > number("idle")) print file ": waste of " k
            }
            /"ev":"end"/ && number("idle") != idle { print file ": idle in all" }' "$f"
    done
}
# The table as it was printed to OUT or ERR, without its heading; the calls in it; its workers.
table() { sed -n '/^node  worker/,$p' "$here/$1" | grep -E '^[0-9]+ +[0-9]+ +[0-9]+ '; }
calls() { table "$1" | awk '{ n += $3 } END { print n + 0 }'; }
who() { table "$1" | awk '{ print $1 "." $2 }' | sort | tr '\n' ' '; }
json_rows() { grep -c '"worker":' "$here/out"; }

for how in "run -t 1" "run -t 3" "run -n 3 -t 1" "run -n 2 -t 2" "sim -n 5 --seed=3"; do
    rm -rf tr
    run luna $how --stats --trace=tr spread.fa
    code 0
    holds "all calls, by --stats: $how" "$(calls err)" -eq 82
    told=$(who err)
    holds "each line is true: $(liars tr)" -z "$(liars tr)"
    run luna stats tr
    code 0
    quiet
    holds "all calls, by luna stats: $how" "$(calls out)" -eq 82
    holds "the same workers: $told" "$(who out)" = "$told"
    run luna stats --json tr
    holds "a row each" "$(json_rows)" -eq "$(echo "$told" | wc -w)"
    run luna map tr
    err_lacks "damaged"
done

# Without a trace, as with it; the program's output is the same.
run luna run -n 2 -t 2 --stats spread.fa
code 0
out <<'E'
820
E
holds "who" "$(who err)" = "0.0 0.1 1.0 1.1 "
holds "all calls" "$(calls err)" -eq 82
run luna run -n 2 -t 2 spread.fa
quiet

# While one is in a long call the other sleeps, some time after it has begun to look for work, which may
# take long on a busy machine; so do nodes whose threads have nothing else.
cat >long.fa <<'E'
C head ${{
#include <time.h>
$}}
C sub wait(int ms) ${{ struct timespec t = {0, ms * 1000000}; nanosleep(&t, NULL); $}}
sub main() { wait(900); }
E
for how in "-t 2" "-n 2 -t 1" "-n 2 -t 2"; do
    # Once in a hundred runs it is the other node's thread that has taken the call.
    for attempt in 1 2 3; do
        run luna run $how --trace=tr long.fa
        code 0
        most=$(cat tr/node-*.jsonl | grep '"ev":"worker"' | field sleep | sort -n | tail -n 1)
        [ "$most" -lt 50000000 ] || break
    done
    holds "$how: it slept for $most ns" "$most" -ge 50000000
    run luna stats --json tr
    out_has '"sleep":0.'
done

# In virtual time all of it is known, and both tell the same.
run luna sim --call-ns=5000 --stats --trace=tr spread.fa
table err >want
holds "82 calls of 5 us" "$(awk '{ print $4 $5 }' want)" = "410.00us"
run luna stats tr
table out >got
holds "as luna stats tells it" "$(cat got)" = "$(cat want)"

# More than sixteen: the others are in the JSON.
run luna sim -n 20 --stats --trace=tr spread.fa
holds "sixteen rows" "$(table err | wc -l)" -eq 16
err_has "4 more workers were idle for no longer than these"
table err >want
run luna stats tr
holds "the same sixteen" "$(table out)" = "$(cat want)"
out_has "4 more workers were idle for no longer than these"
run luna stats --json tr
holds "all twenty" "$(json_rows)" -eq 20
run luna sim -n 16 --stats spread.fa
holds "all sixteen" "$(table err | wc -l)" -eq 16
err_lacks "more workers"

# Time in calls is counted however they are run: in a loop, several workers, a sum, a slower node.
cat >calls.fa <<'E'
C head ${{
#include <stdio.h>
#include <time.h>
$}}
C sub spin(int k) ${{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1e9 + (double)(now.tv_nsec - from.tv_nsec) < k * 1e3);
$}}
sub main(int n, int us) { for i = 1..n spin(us); }
E
for how in "-t 1" "-t 2" "-n 2 -t 1" "-n 2 -t 2" "-t 1 --speed=0:0.5"; do
    run luna run $how --stats calls.fa 40 500
    code 0
    holds "40 calls: $how" "$(calls err)" -eq 40
    ms=$(table err | awk '$5 == "ms" { ms += $4 } $5 == "s" { ms += 1000 * $4 } END { print int(ms) }')
    holds "they took at least 20 ms: $ms ($how)" "$ms" -ge 19
done
for how in "-t 1" "-t 2"; do # one at a time, and each is short
    run luna run $how --stats calls.fa 20000 1
    ms=$(table err | awk '$5 == "ms" { ms += $4 } $5 == "s" { ms += 1000 * $4 } END { print int(ms) }')
    holds "they took at least 20 ms: $ms ($how)" "$ms" -ge 19
done

# Calls of node 0 wait for a long one on node 1; its loop has paused meanwhile.
cat >ahead.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub use(int a, int k) ${{ (void)a; (void)k; $}}
sub main()
{
    df x;
    cf far: seti(x, 1) @ { locator_cyclic: 1; weight: 1000.0; };
    for i = 1..1000 use(x, i);
} @ { locator_cyclic x => 1; }
E
run luna sim -n 2 --stats --trace=tr ahead.fa
code 0
wasted=$(sed -n 's/.*"wasted":\([0-9]*\).*/\1/p' tr/node-00000.jsonl)
holds "nearly all of 1 ms was wasted: $wasted" "$wasted" -gt 900000 -a "$wasted" -lt 1010000
holds "not on node 1" "$(sed -n 's/.*"wasted":\([0-9]*\).*/\1/p' tr/node-00001.jsonl)" -eq 0
err_has "luna: note: workers were idle for "
run luna stats tr
out_has "note: workers were idle for "
run luna sim -q -n 2 --stats ahead.fa
err_lacks "note"
run luna sim -n 2 --stats spread.fa
err_lacks "note"

# By hand: of 2 s of two workers 60 and 50 ms were wasted, then 50 and 50.
cat >hand.json <<'E'
{"version":"0.1.0", "program":"hand.fa", "hash":"0", "command":["luna"], "nodes":1, "workers":2,
 "transport":"local", "distributor":"cyclic", "lattice":null, "cells":null, "seed":null,
 "hosts":["a"], "start":"", "end":"done", "exit_code":0, "duration":1000000000}
E
cat >hand.jsonl <<'E'
{"t":0,"ev":"own","cells":[]}
{"t":30,"ev":"exec","cf":"step[1]","line":41,"worker":1,"dur":800000000}
{"ev":"worker","worker":0,"calls":0,"in_calls":0,"runtime":100000000,"idle":900000000,"wasted":60000000,"steals":5,"naps":7}
{"ev":"worker","worker":1,"calls":1,"in_calls":800000000,"runtime":50000000,"idle":150000000,"wasted":50000000,"steals":0,"naps":1}
{"ev":"end","ctl_msgs":0,"ctl_bytes":0,"idle":1050000000}
E
by_hand() {
    rm -rf hand
    mkdir hand
    cp hand.json hand/run.json
    sed "$1" hand.jsonl >hand/node-00000.jsonl
    run luna stats hand
    code 0
    quiet
}
by_hand ''
sed -n '/^node  worker/,/^$/p' "$here/out" >hand.out
mv hand.out "$here/out"
out <<'E'
node  worker        calls    in calls  in runtime  idle: work   idle: none   steals     naps
0          0            0     0.00 us   100.00 ms    60.00 ms    840.00 ms        5        7
0          1            1   800.00 ms    50.00 ms    50.00 ms    100.00 ms        0        1
note: workers were idle for 5.5% of their time although their node had work ('idle: work' above): ready calls that nobody had taken yet (are calls very short, or other processes on the cores?), or loops that had paused because many of their calls wait (does one run far ahead of what its calls need?)

E
run luna stats --json hand
out_has '"wasted":0.055,"each_worker":['
out_has '{"node":0,"worker":0,"calls":0,"in_calls":0.000000000,"runtime":0.100000000,"idle":0.900000000,"wasted":0.060000000,"steals":5,"naps":7},'
quiet
by_hand 's/"wasted":6/"wasted":5/'
holds "a twentieth is not told" "$(grep -c note "$here/out")" -eq 0
by_hand '/"ev":"worker"/d' # a trace of before
holds "no table" "$(table out | wc -l)" -eq 0
holds "all else is told" "$(grep -c 'step, line 41' "$here/out")" -eq 1
run luna stats --json hand
out_has '"wasted":0,"each_worker":[]'

# A worker that has walked the loop of a sum in vain goes on with the loop that makes what is summed,
# if it can: once in five runs at least, whatever else the machine does.
cat >sum.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub half(int x, name y) ${{ for (volatile int k = 0; k < 10000; k++) continue; luna_set_int(y, x); $}}
sub two(int x, name r) { df t; half(x, t); half(t, r); }
sub main()
{
    df one, r, sum;
    seti(one, 1);
    for i = 1..3000 two(one, r[i]);
    reduce + r[i] over i = 1..3000 => sum;
    say(sum);
}
E
least=3000
for k in 1 2 3 4 5; do
    run luna run --stats -t 2 sum.fa
    code 0
    waited=$(grep -o '[0-9]* statements waited' "$here/err")
    [ "${waited%% *}" -ge "$least" ] || least=${waited%% *}
done
holds "most of the sum was not asked for before it was there: $least" "$least" -lt 2000

# A run that breaks off has rows too; what its workers did until then is no idleness.
cat >bad.fa <<'E'
C sub work(int k) ${{ for (volatile int i = 0; i < 1000; i++) continue; (void)k; $}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int a) ${{ if (a == 999) luna_fail("seven"); $}}
sub main()
{
    df x;
    for i = 0..999 { work(i); seti(x[i], i); eat(x[i]); }
}
E
# Others may still be at work then: only where there are none, their lines agree with all others.
breaks_off() {
    rm -rf tr
    run luna $1 --trace=tr bad.fa
    code 3
    run luna stats tr
    code 0
    holds "a row each: $1" "$(table out | wc -l)" -eq "$2"
    holds "calls are told: $1" "$(calls out)" -ge 1
}
breaks_off "run -t 1" 1
holds "each line is true: $(liars tr)" -z "$(liars tr)"
holds "it did more than call" "$(grep -c '"runtime":[1-9]' tr/node-00000.jsonl)" -eq 1
breaks_off "sim -n 2" 2
holds "each line is true: $(liars tr)" -z "$(liars tr)"
breaks_off "run -t 2" 2
breaks_off "run -n 2 -t 1" 2

# A reduction by a function of the program: its calls are for all workers, though one walks the loop.
cat >op.fa <<'E'
C head ${{
#include <stdio.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
$}}
C sub make(int i, name x) ${{ luna_set_int(x, i); $}}
C sub longer(value a, value b, name c) ${{
    for (double t = now(); now() < t + 2e-4;) {}
    luna_set_int(c, luna_get_int(a) + luna_get_int(b));
$}}
C sub say(int s) ${{ printf("%d\n", s); $}}
sub main()
{
    df x, s;
    for i = 0 .. 399 make(i, x[i]);
    reduce longer x[i] over i = 0 .. 399 => s;
    say(s);
}
E
for attempt in 1 2 3 4 5; do # others may keep a worker from its core all the time
    run luna run -t 2 --stats op.fa
    code 0
    out <<'E'
79800
E
    least=$(table err | awk '{ print int($4 * ($5 == "ms" ? 1 : $5 == "s" ? 1000 : 0)) }' |
        sort -n | head -n 1)
    [ "$least" -lt 20 ] || break
done
holds "both call it: of 80 ms $least are on one worker" "$least" -ge 20

finish
