#!/usr/bin/env bash
# test.sh LUNA - does ../against find what is slower, and only that? On made-up figures; then some of
# its rows once, at tiny sizes, a luna against itself; and what it says of
# wrong words.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-against-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*" && failed=1; }

# figures NEW SPREAD [AGAIN]: 30 rounds of a row; each figure of the three sides is above its least
# by up to SPREAD; NEW and AGAIN are what these sides are slower by.
figures()
{
    awk -v new="$1" -v spread="$2" -v again="${3:-1}" -v seed="${4:-1}" 'BEGIN {
        srand(seed)
        factor["old"] = 1; factor["new"] = new; factor["again"] = again
        for (k = 0; k < 30; k++)
            for (side in factor)
                printf "a row\t%s\t%.6f\n", side, factor[side] * (1 + spread * rand() * rand())
    }'
}

# judged WORD ARGUMENTS...: what is said of such figures, and with which exit code.
judged()
{
    local word=$1 code=0 want
    shift
    figures "$@" >"$work/samples"
    awk -f "$here/verdict.awk" -v limit=3 "$work/samples" >"$work/said" || code=$?
    case $word in slower) want=1 ;; *) want=0 ;; esac
    [ $code = $want ] || complain "figures $*: exit code $code, not $want"
    [ "$(sed -n 2p "$work/said" | awk '{ print $NF }' | tr -d '0-9.')" = "$word" ] ||
        complain "figures $*: not '$word' but: $(cat "$work/said")"
}

for seed in 1 2 3 4 5 6 7 8 9 10; do
    judged slower 1.10 0.02 1 $seed
    judged slower 1.05 0.01 1 $seed
    judged faster 0.90 0.02 1 $seed
    judged "" 1.00 0.30 1 $seed # noise
    judged "" 1.02 0.01 1 $seed # within the limit
    judged "" 1.05 0.01 1.12 $seed # the old one differs more from itself
done
# A median alone is not enough, nor a minimum.
for side in old new again; do
    for k in 1 2 3 4 5; do printf 'a row\t%s\t1\n' $side; done
    for k in 1 2 3 4 5 6; do printf 'a row\t%s\t%s\n' $side $([ $side = new ] && echo 2 || echo 1.5); done
done >"$work/samples"
awk -f "$here/verdict.awk" -v limit=3 "$work/samples" >"$work/said" || complain "a median alone"
sed -i 's/\t1$/\t0.9/; s/new\t0.9$/new\t1/; s/new\t2/new\t1.5/' "$work/samples"
awk -f "$here/verdict.awk" -v limit=3 "$work/samples" >"$work/said" || complain "a minimum alone"

wrong()
{
    local words=$1 code=0
    shift
    "$here/../against" "$@" >"$work/said" 2>&1 || code=$?
    [ $code = 2 ] || complain "against $*: exit code $code, not 2"
    grep -q "against: $words" "$work/said" || complain "against $*: $(head -n 1 "$work/said")"
}
wrong "against which commit?"
wrong "there is no option --round=3" HEAD --round=3
wrong "--rounds=0 is no number" HEAD --rounds=0
wrong "--limit=much is no percentage" HEAD --limit=much
wrong "there is no table 'chairs'" HEAD --tables=chairs
wrong "'no-such-commit' is no commit" no-such-commit
grep -q 'one in place of REV' "$work/said" || complain "the usage of against is cut off"
wrong "one commit, not 'a' and 'b'" a b
wrong "no row is called 'x'" --old="$1" --luna="$1" --rows=x

"$here/../against" --check --old="$1" --luna="$1" --tables="tasks reduce" --rows='*1*' \
    >"$work/said" 2>&1 ||
    complain "a luna against itself: $(cat "$work/said")"
grep -q '^5 rows run$' "$work/said" || complain "not 5 rows: $(cat "$work/said")"
exit $failed
