#!/bin/sh
# test_app.sh LUNA APP.fa EXPECTED [options...] - the program runs, says exactly what EXPECTED holds and
# nothing on stderr, on one worker and on four, and its fragments have the same values on both, on any
# number of nodes, and wherever its cells are. Lines that nothing in the program puts in order are
# compared sorted: EXPECTED is then NAME.sorted. With `long` before the options only two nodes are tried.
# With THREADS in the environment, for their sanitizer: no trace of a run that has one thread.
luna=$1 app=$2 expected=$3 long=0
shift 3
[ "${1:-}" != long ] || { long=1; shift; }

work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}"

fail() {
    echo "$*"
    exit 1
}

for workers in 1 4; do
    timeout 60 "$luna" run -q -t $workers "$@" "$app" >"$work/out" 2>"$work/err" ||
        fail "exit code $? with -t $workers: $(cat "$work/out" "$work/err")"
    case $expected in
    *.sorted) sort -o "$work/out" "$work/out" ;;
    esac
    diff -u "$expected" "$work/out" || fail "another answer with -t $workers"
    [ ! -s "$work/err" ] || fail "with -t $workers it complains: $(cat "$work/err")"
    timeout 60 "$luna" run -q -t $workers --hash "$@" "$app" 2>"$work/hash.$workers" >/dev/null
    grep -q '^hash \* ' "$work/hash.$workers" || fail "no hash: $(cat "$work/hash.$workers")"
done
diff "$work/hash.1" "$work/hash.4" || fail "the values differ between one worker and four"

elsewhere() {
    timeout 60 "$luna" run -q --hash "$@" >/dev/null 2>"$work/hash" || fail "exit code $? with $*"
    diff "$work/hash.1" "$work/hash" || fail "the values differ with $*"
}
# Traced: no call begins before the end of a call whose value it reads.
traced() {
    command=$1
    shift
    timeout 60 "$luna" "$command" -q --hash --trace="$work/trace" --trace-values "$@" "$app" \
        >/dev/null 2>"$work/hash" || fail "exit code $? with $command $*"
    diff "$work/hash.1" "$work/hash" || fail "the values differ with $command $*"
    sh "${0%/*}/../trace/causes.sh" "$work/trace" >"$work/order" || fail "$(cat "$work/order")"
}
elsewhere -n 2 "$@" "$app"
[ -n "${THREADS:-}" ] || traced sim -n 4 "$@"
[ "$long" = 0 ] || exit 0
elsewhere -n 7 "$@" "$app"
for workers in 1 2; do
    [ -n "${THREADS:-}" ] && [ $workers = 1 ] || traced run -t $workers "$@"
    traced run -n 2 -t $workers "$@"
done
grep -q '^ *cells ' "$app" || exit 0
for kind in cyclic block block-cyclic rope patch; do
    elsewhere -n 3 --distrib=$kind "$@" "$app"
done
elsewhere -n 4 --start=half "$@" "$app"
