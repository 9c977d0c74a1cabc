#!/bin/sh
# random.sh LUNA WHAT FROM TO - random programs, of WHAT_random.pl: the same values on any number of nodes,
# whatever stays where it is read, with and without what the compiler has proved, and while cells move.
#
#     parts   they read parts of arrays: some are sent, and arrays stay where they are read
#     lists   they gather and scatter by lists
luna=$1 what=$2 from=$3 to=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" LC_ALL=C # each is another: they would fill the common one
cd "$work" || exit 1
failed=0 parts=0 copies=0 sent=0

run() { # words...: in got the exit code, hash and output
    timeout 100 "$luna" "$@" -q --hash random.fa >out 2>err </dev/null
    code=$?
    got="$code $(grep '^hash ' err | cksum) $(sort out | cksum)"
}

same() {
    run "$@"
    [ "$got" = "$base" ] && return
    failed=$((failed + 1))
    echo "seed $seed: $*: exit code $code; other values than on one node: $(head -5 err)"
    cp random.fa "${TMPDIR:-/tmp}/random.$seed.fa"
}

moving="--balance-every=10 --balance-threshold=0% --start=half --distrib=rope"
for seed in $(seq "$from" "$to"); do
    perl "$here/${what}_random.pl" "$seed" >random.fa || exit 1
    run run -n 1 -t 1
    base=$got
    [ $code = 0 ] || { echo "seed $seed: exit code $code: $(head -5 err)"; exit 1; }
    same run -n 1 -t 3
    same run -n 2 -t 1
    same run -n 3 -t 2
    same run -n 4 -t 1 --copies=8KiB
    same run -n 3 -t 1 --copies=off
    same run -n 3 -t 1 --proof=off
    same sim -n 4 --seed="$seed" --trace=trace
    parts=$((parts + $(cat trace/*.jsonl | grep -c '"part":')))
    sent=$((sent + $(cat trace/*.jsonl | grep -c '"df":"[bp]\[.*"why":"reply"')))
    same sim -n 4 --seed="$seed" --latency=10us --copies=9000 --stats
    copies=$((copies + $(grep -c ' stayed where ' err)))
    grep -q '^} @ { cells' random.fa || continue
    same sim -n $((2 + seed % 3)) --seed="$seed" --balance=two-phase $moving
    same sim -n 4 --seed="$seed" --balance=paper $moving
    same run -n 4 -t 2 --balance=two-phase $moving
done
echo "$failed runs with other values; $parts parts and $sent elements sent; copies in $copies of the programs"
tame=
case $what in
parts) [ $parts -gt $((to - from)) ] && [ $copies -gt 0 ] || tame=1 ;;
lists) [ $sent -gt $((20 * (to - from))) ] || tame=1 ;;
esac
[ -z "$tame" ] || { echo "the programs are too tame"; exit 1; }
[ $failed = 0 ]
