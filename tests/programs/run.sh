#!/bin/sh
# run.sh LUNA FOLDER [slow|few|threads] - one program of the language, by its answer.
#
# FOLDER/NAME/NAME.fa runs from its own folder, with the words of NAME.args behind it and the options of
# NAME.opts before it:
#
#     on one worker          stdout is NAME.out, byte by byte; stderr is NAME.err, or has the lines of
#                            NAME.says as parts of its own, else is empty; the exit code is
#                            NAME.code, else 0
#     on two and four        the same lines in any order
#     on 1 to 64 nodes       the same lines, the same exit code, and every fragment has the same value:
#                            --hash says what it says on one node
#     on the simulator       the same, for some seeds
#     with each distributor  the same, if the program has cells; and while load is balanced
#
# On one and two workers, two and three nodes and on the simulator the run is traced, and no call may
# have begun before the end of a call whose value it reads (tests/trace/causes.sh), nor been ready
# before what brought its last input (tests/trace/enablers.sh).
#
# NAME.how tells what a program needs besides: `ordered` (data orders its lines: exact everywhere),
# `one` (one node and one worker only: it shows the order of that, or its end depends on timing),
# `nodes N...` (besides the usual). With `slow` as third word: more nodes, each three times, more
# seeds, and ranks if there is MPICH. With `few`, for sanitizers: nodes and workers enough
# that each way of the code is gone. With `threads`, for their sanitizer: few, and nothing that has one
# thread in a process, as the simulator.
luna=$1 folder=$2 slow= few= threads=
case ${3:-} in
slow) slow=slow ;;
few) few=few ;;
threads) few=few threads=threads ;;
esac
name=$(basename "$folder")
tests=$(cd "${0%/*}/.." && pwd)
causes=$tests/trace/causes.sh enablers=$tests/trace/enablers.sh
cd "$folder" || exit 1

work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
unset CC CXX CXX_FLAGS LDFLAGS LUNA_NO_CLEANUP
failed=0

words() { if [ -f "$name.$1" ]; then cat "$name.$1"; else echo "${2:-}"; fi; }
code=$(words code 0) how=$(words how) options=$(words opts)
args=$(words args)
limit=60

has() { case " $how " in *" $1 "*) ;; *) return 1 ;; esac; }

has_mpich() { . "$tests/lib/mpich.sh" && [ -n "$mpiexec" ]; }

complain() { # a few are enough to see what is wrong
    failed=$((failed + 1))
    echo "$name $last: $*"
    [ $failed -lt 4 ] || exit 1
}

# Runs with these options; what it said is in work/out and work/err.
run_by() {
    last="$*"
    command=$1
    shift
    eval "set -- \"\$@\" $options $name.fa $args"
    timeout $limit "$luna" "$command" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ $got = "$code" ] || complain "exit code $got, not $code: $(head -5 "$work/err")"
}
run() { run_by run "$@"; }

same() { diff -u "$1" "$2" >"$work/diff" || complain "$3: $(head -40 "$work/diff")"; }

# The same lines, whatever their order; of an ordered program the same text.
same_lines() {
    if has ordered; then same "$name.out" "$work/out" "another text"; return; fi
    sort "$name.out" >"$work/want"
    sort "$work/out" >"$work/lines"
    same "$work/want" "$work/lines" "other lines"
}

same_errors() {
    grep -v '^hash ' "$work/err" >"$work/err.said"
    if [ -f "$name.says" ]; then
        while read -r text; do
            grep -qF -- "$text" "$work/err.said" || complain "it does not say: $text"
        done <"$name.says"
    elif [ -f "$name.err" ]; then same "$name.err" "$work/err.said" "other messages"
    elif [ -s "$work/err.said" ]; then complain "it complains: $(cat "$work/err.said")"
    fi
}

# The traced run that was: as many values were read as on one worker.
causes_before() {
    case $code in 1 | 2) return ;; esac # nothing has run
    sh "$enablers" "$work/trace" >"$work/order" || complain "$(cat "$work/order")"
    sh "$causes" "$work/trace" >"$work/order" || complain "$(cat "$work/order")"
    [ "$code" = 0 ] || return
    reads=$(cut -d' ' -f1 "$work/order")
    [ "${reads_there:=$reads}" = "$reads" ] ||
        complain "calls have read $reads values of calls, not $reads_there"
}
traced="--trace=$work/trace --trace-values"

run -t 1 $traced
same "$name.out" "$work/out" "another text"
same_errors
causes_before
if has one || [ $failed != 0 ]; then exit $failed; fi

run -t 4
same_lines
run -t 2 $traced
same_lines
causes_before

run -n 1 -t 1 --hash
grep '^hash ' "$work/err" >"$work/hash"
[ -s "$work/hash" ] || [ "$code" != 0 ] || complain "no hash"

# Anywhere else: the same lines and values.
elsewhere() {
    run_by "$@" --hash
    same_lines
    [ "$code" = 0 ] || return
    grep '^hash ' "$work/err" >"$work/hash.now"
    same "$work/hash" "$work/hash.now" "other values"
}

# Traced, too.
ordered() {
    elsewhere "$@" $traced
    causes_before
}

some="2 3 4 7" workers="1 2 4"
nodes="1 2 3 4 7 16 $(echo "$how" | sed -n 's/.*nodes //p')"
times=1 seeds="1 2 3"
if [ "$slow" ]; then nodes="$nodes 5 9 31 32 64" times="1 2 3" seeds=$(seq 4 40); fi
if [ "$few" ]; then some=7 nodes="2 7" workers="1 3" seeds=1; fi
if [ "$threads" ]; then workers="2 4" seeds=; fi
for n in $nodes; do
    run_it=elsewhere
    case $n in 2 | 3) run_it=ordered ;; esac
    for w in $workers; do
        for time in $times; do $run_it run -n "$n" -t "$w"; done
    done
done
if [ -z "$few" ]; then
    elsewhere run -n 64 -t 1
    elsewhere sim -n 64 --seed=64
fi
for seed in $seeds; do ordered sim -n $((seed % 7 + 2)) --seed="$seed"; done

# Wherever its cells are.
if grep -q '^ *cells ' "$name.fa"; then
    for kind in cyclic block block-cyclic rope patch; do
        for n in $some ${slow:+5 16 64}; do
            elsewhere run -n "$n" -t 1 --distrib=$kind
            elsewhere run -n "$n" -t 2 --distrib=$kind --start=half
        done
        for seed in $seeds; do
            ordered sim -n $((seed % 7 + 2)) --seed="$seed" --distrib=$kind
        done
    done
    elsewhere run -n 6 --lattice=2x3
    elsewhere run -n 6 --lattice=6x1 --start=half
    elsewhere run -n 6 --lattice=6
    for mode in paper two-phase; do
        moving="--balance=$mode --balance-threshold=0% --start=half"
        for n in 2 7 ${slow:+3 4 16 64}; do
            for kind in rope patch; do
                elsewhere run -n "$n" -t 1 $moving --balance-every=20 --distrib=$kind
                elsewhere run -n "$n" -t 2 $moving --balance-every=500us --distrib=$kind
            done
        done
        if [ -z "$threads" ] && has_mpich; then
            elsewhere run -n 4 --transport=mpi -t 1 $moving --balance-every=50
        fi
    done
fi
if [ "$slow" ] && has_mpich; then
    for n in 2 3 5; do elsewhere run -n $n --transport=mpi -t 1; done
fi
exit $failed
