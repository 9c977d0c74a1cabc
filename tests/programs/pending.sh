#!/bin/sh
# pending.sh LUNA CALLS [any] - so many calls that wait at once, a recursion so deep, and the end of
# memory. A waiting call takes at most 96 bytes, a level of the recursion 320; with `any` (sanitizers)
# nobody looks.
luna=$1 calls=$2 bytes=${3:-}
cd "$(dirname "$0")/pending" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C

fail() {
    echo "$*"
    exit 1
}

# The peak of a run in KiB.
peak() { # peak PROGRAM CALLS OPTION...
    program=$1 n=$2
    shift 2
    "$luna" run "$@" "$program.fa" "$n" >"$work/out" || fail "$program $n $*: exit code $?"
    read -r reached kib <"$work/out"
    [ "$reached" = "$n" ] || fail "$program $n $*: the answer is $reached"
    echo "$kib"
}

for threads in 1 2; do
    for limit in waits:96 depth:320; do
        program=${limit%:*} most=${limit#*:}
        few=$(peak "$program" 1000 -t $threads) || fail "$few"
        many=$(peak "$program" "$calls" -t $threads) || fail "$many"
        each=$(((many - few) * 1024 / calls))
        echo "$program, $threads workers: $each bytes each"
        [ "$bytes" ] || [ $each -le "$most" ] || fail "more than $most"
    done
done

# Out of memory: who holds it is said, and the exit code is that of the system.
[ "$bytes" ] && exit 0
"$luna" build -q --proof=off full.fa -o "$work/full" || fail "full.fa is not built"
(ulimit -v 1000000 && exec "$work/full" -t 2 100000) >"$work/out" 2>"$work/err"
code=$?
[ $code = 5 ] || fail "exit code $code at the end of memory: $(cat "$work/err")"
grep -q "error\[RUN12\]: out of memory: [0-9]* MiB are in use" "$work/err" &&
    grep -q "full.fa:9:8: note: 'grid' holds [0-9]* KiB" "$work/err" ||
    fail "who holds it is not said: $(cat "$work/err")"

# How deep a recursion is that never comes to its end.
"$luna" build -q endless.fa -o "$work/endless" || fail "endless.fa is not built"
(ulimit -v 600000 && exec "$work/endless" -t 2 5) >"$work/out" 2>"$work/err"
code=$?
[ $code = 5 ] || fail "exit code $code of a recursion without end: $(cat "$work/err")"
grep -q "endless.fa:4:5: note: 'half' is nested 65535 deep, or more" "$work/err" ||
    fail "how deep it is is not said: $(cat "$work/err")"
