#!/bin/sh
# findings.sh - planted faults are named, each first on the page of its run; what is good is left alone.
. "${0%/*}/../trace/lib.sh"
programs=${PROGRAMS:?the folder of planted programs}

names() { sed -n 's/^  {"name":"\([^"]*\)","gain".*/\1/p' "$here/out" | tr '\n' ' '; }

# found "NAMES" HOW: what the page of a run says would help, best first.
found() {
    wanted=$1
    shift
    rm -rf tr
    how=$1
    shift
    run luna $how --trace=tr "$@"
    code 0
    run luna report --json tr
    code 0
    got=$(names)
    holds "$how $*: '$got' = '$wanted'" "${got% }" = "$wanted"
}
gain() { sed -n "s/.*\"name\":\"$1\",\"gain\":\([0-9.]*\),.*/\1/p" "$here/out"; }
about() { holds "a gain of about $2: $(gain "$1")" "$(awk "BEGIN { x = $(gain "$1") - $2; print (x > -.03 && x < .03) }")" = 1; }

# The simulator's times are the same each time, so the figures are exact.
found "one-function" "sim -n 4 --call-ns=50000" "$programs/even.fa"
found "one-function" "sim -n 1 --call-ns=50000" "$programs/even.fa"
found "chain" "sim -n 4 --call-ns=100000" "$programs/chain.fa"
about chain .75
out_has 'The longest chain of calls that need each other takes 20.10 ms, 100 % of the run, and no number'
out_has 'Most of it is in `c`, line 19:'
# In a trace of before it is an estimate, by how many workers were in calls.
sed -i 's/,"chain":[0-9]*//' tr/node-*.jsonl
run luna report --json tr
out_has 'Most of that time was in `c`, line 19.'
about chain .75
# All cells are on one of two nodes, or of more; what it has does not wait for each other.
found "one-node" "sim -n 2 -D WHERE=p/8" "$programs/cells.fa"
about one-node .5
out_has 'The longest chain of calls that read what another one has made takes only 12 % of the run. So spread'
found "one-node" "sim -n 3 -D WHERE=p/8" "$programs/cells.fa"
about one-node .67
sed -i 's/,"chain":[0-9]*//' tr/node-*.jsonl
run luna report --json tr
holds "without chains, too: $(names)" "$(names)" = "one-node "
out_has 'If these calls do not need each other, spread them'
# Half of them are five times as heavy: that is what to say, not that one node was alone.
found "uneven" "sim -n 2 -D BLOCKS=16 -D WEIGHT=(p<8?500:100)" "$programs/cells.fa"
about uneven .4
out_has 'Run it with `--balance=two-phase --balance-load=time`'
# What cannot be moved: three cells on two nodes; calls without a cell.
for balance in --balance=off "--balance=two-phase --balance-load=weight --balance-every=2ms"; do
    found "uneven" "sim -n 2 $balance -D BLOCKS=3" "$programs/cells.fa"
    out_has 'the lightest has 50.00 ms, and would make another node as busy. Make more and smaller ones than 3.'
done
found "uneven" "sim -n 2" "$programs/serial.fa"
out_has '15.30 ms of it was in calls that run for no cell, and do not move'
# Who waits while much is on its way, by a tree.
found "large-messages" "sim -n 4" "$programs/table.fa"
out_has 'Most of it ended with `table`, of which 60 values,'
found "one-function" "sim -n 2" "$programs/cells.fa"
found "uneven" "sim -n 4 --call-ns=50000" "$programs/uneven.fa"
about uneven .69
# 185 calls on node 0, 80 on each of the others: the mean is 106, 79 of 185 are too many.
found "uneven" "sim -n 4 --call-ns=50000 -D HEAVY=125" "$programs/uneven.fa"
about uneven .43
out_has 'Look at the locators'
found "idle-with-work" "sim -n 2" "$programs/ahead.fa"
about idle-with-work .1
out_has 'Begin with what others wait for'
follow="--balance=two-phase --balance-load=weight --balance-every=100us --balance-threshold=0%"
found "balancing one-function" "sim -n 4 $follow" "$programs/chased.fa"
out_has 'moved 5.25 MiB with cells'
found "one-function" "sim -n 4" "$programs/chased.fa"
found "small-messages" "sim -n 2 --call-ns=20000 --latency=20us" "$programs/small.fa"
out_has 'Most of it ended with `x`, of which 400 values were sent.'

# No call runs for most of it: before the first one, and behind the last.
owned idle 1 null null </dev/null
later idle 0 '{"t":600000000,"ev":"exec","cf":"a","line":3,"worker":0,"dur":300000000}'
run luna report --json idle
holds "it is told: $(names)" "$(names)" = "no-calls "
holds "and what it costs" "$(gain no-calls)" = 0.7
out_has 'The first call began after 600.00 ms, and the last one ended 100.00 ms before the run did'
sed -i 's/"end":"done"/"end":"interrupted"/' idle/run.json
run luna report --json idle
holds "what was interrupted did not wait to end" "$(gain no-calls)" = 0.6
owned idle 1 null null </dev/null
sed -i 's/"duration":1000000000/"duration":10000/' idle/run.json
later idle 0 '{"t":6000,"ev":"exec","cf":"a","line":3,"worker":0,"dur":3000}'
run luna report idle
err_has 'luna: idle/report.html: '
err_has '; The run is too short to tell much'
run luna report --json idle
out_has 'In 7.00 us of its 10.00 us no call ran: that is how luna starts and ends.'
holds "a note" "$(gain short-run)" = 0

# On this machine: of what is found that much is certain.
run luna run -t 1 --trace=short "$programs/short.fa"
run luna report short
code 0
err_has 'Make calls longer: at most -'
run luna run -t 1 --proof=off --trace=leak "$programs/leak.fa"
run luna report --json leak
out_has '128 values, 6.10 MiB, were alive when the run ended; the most at any time was 6.10 MiB. 6.10 MiB of them are of `x`, declared in line 9. `luna check'

run luna run -t 2 --trace=asleep "$programs/asleep.fa"
run luna report asleep
code 0
err_has '; Calls do not compute'

# More workers than cores: of waiting nothing is said.
cp -r tr crowd
sed -i 's/"cores":[0-9]*/"cores":1/; s/"transport":"sim"/"transport":"local"/' crowd/run.json
run luna report --json crowd
holds "first of all" "$(names)" = "too-few-cores "
out_has '2 nodes of 1 worker had 1 core. Much of the waiting'
holds "of waiting nothing" "$(grep -c small-messages "$here/out")" = 0

finish
