# Nodes that are slower or faster than others: --speed.
. "${0%/*}/lib.sh"

cat >work.fa <<'E'
C head ${{
#include <time.h>
$}}
C sub work(name x, int ms) ${{
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
    luna_set_int(x, ms);
$}}
sub main(int ms) {
    df x;
    for i = 0..1 for k = 0..9
        work(x[i][k], ms) @ { weight: 2; locator_cyclic: i; req_count x[i][k] = 0; };
} @ { locator_cyclic x[i][k] => i; }
E

refused() { # refused COMMAND SPEED TEXT
    run luna "$1" -n 2 "--speed=$2" work.fa 0
    code 2
    err_has "luna: error: --speed=$2: $3"
}
how='it is written as NODE:S or NODE:S@MS, with commas between, as 1:0.5,3:0.25@20'
for text in '' x 1 1: :1 1:x -1:1 1:1@ 1:1@x 1:1@-1 1:1x '1:1,' ',1:1' '1:1;0:1' 1:-1 \
    1:1@9999999999; do
    refused run "$text" "$how"
done
refused run 2:0.5 'there is no node 2, they are 0..1'
refused run 0:1,99999999999:0.5 'there is no node 99999999999, they are 0..1'
refused run 0:0 'a speed is a number from 0.001 to 1000'
refused sim 0:1001 'a speed is a number from 0.001 to 1000'
refused run 0:2 "a node can be made slower, not faster, but in 'luna sim'"
run luna run -n 2 --speed work.fa 0
code 2
err_has 'luna: error: --speed needs a value: --speed=NODE:S[@MS],...'

# On the simulator ten calls of weight 2 take 20 us.
busy() { # busy NODE: the time of the calls of a node in us, and how many
    awk -F'"dur":' '/"exec"/ { sum += $2; n++ } END { print int(sum / 1000), n }' \
        "trace/node-0000$1.jsonl"
}
simulated() { # simulated SPEED OF-NODE-0 OF-NODE-1
    run luna sim -q -n 2 ${1:+--speed=$1} --trace=trace work.fa 0
    code 0
    quiet
    holds "node 0 with $1: $(busy 0)" "$(busy 0)" = "$2 10"
    holds "node 1 with $1: $(busy 1)" "$(busy 1)" = "$3 10"
}
simulated '' 20 20
simulated 1:0.5 20 40
simulated 1:4 20 5
simulated 0:0.5,1:2 40 10
simulated 1:0.5,1:1 20 20
simulated 1:0.001@1000 20 20
run luna sim -n 2 --speed=1:0.5 work.fa 0
cp "$here/err" first
run luna sim -n 2 --speed=1:0.5 work.fa 0
same err <first

# In the middle of a run: calls that begin at 10 us or later take four times as long.
run luna sim -q -n 2 --speed=1:0.25@0.01 --trace=trace work.fa 0
code 0
awk -F'[:,}]' '/"exec"/ { late = $2 >= 10000; slow = $(NF - 1) > 2001
                          bad += late != slow; some[late] = 1 }
               END { exit bad || !some[0] || !some[1] }' trace/node-00001.jsonl
holds "only later calls are slow" $? = 0

# With real time a call of 3 ms takes 12; how much longer is the machine's affair.
check_slowed() {
    set -- $(busy 1)
    holds "ten calls of 3 ms, four times as long: $1 us" "$1" -ge 120000
}
run luna run -q -n 2 -t 1 --speed=1:0.25 --trace=trace work.fa 3
code 0
check_slowed
run luna run -q -n 2 -t 2 --speed=1:0.25 --trace=trace work.fa 3
code 0
check_slowed
run luna build -q work.fa -o work
run ./work -q -n 2 --speed=1:0.25 --trace=trace 3
code 0
check_slowed

cat >stuck.fa <<'E'
C sub eat(int k) ${{ (void)k; $}}
C sub none(name x) ${{ luna_set_int(x, 1); $}}
sub main(int n) { df x; for i = 0..n none(x[i]); eat(x[n + 1]); }
E
run luna sim -n 2 --speed=1:0.5 stuck.fa 1
code 4
err_has "this run is repeated by: luna sim --seed=0 -n 2 --speed=1:0.5 stuck.fa 1"

finish
