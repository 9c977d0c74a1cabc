#!/bin/sh
# uses.sh LUNA [few] - values leave as early as with rules by hand: the programs of apps/, which have
# none, beside those of tests/bench/rules, on several nodes. Equal hashes, and what is alive at most
# takes at most 1.02 of the bytes: in the simulator, where each run is the same.
luna=$1 few=${2:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
code=0

fail() {
    echo "$*"
    code=1
}

# BYTES LEFT_BYTES COUNT: most alive, and alive in the end.
alive() { # alive FILE APP OPTION...
    file=$1 app=$2
    shift 2
    "$luna" sim -q --seed=1 "$@" --trace="$work/trace" --trace-every=5us \
        --cpp-dir="$root/apps/$app" "$file" >/dev/null || fail "$file $*: exit code $?"
    "$luna" report --json "$work/trace" |
        sed -n 's/.*"memory":{"peak":\([0-9]*\),"left":\([0-9]*\),"left_count":\([0-9]*\).*/\1 \2 \3/p'
}

hashes() { # hashes FILE APP OPTION...
    file=$1 app=$2
    shift 2
    "$luna" run -q --hash "$@" --cpp-dir="$root/apps/$app" "$file" 2>&1 >/dev/null
}

compare() { # compare APP PERCENT OPTION...
    app=$1 percent=$2
    shift 2
    hand=$root/tests/bench/rules/$app.fa ours=$root/apps/$app/$app.fa
    [ "$(hashes "$hand" "$app" "$@")" = "$(hashes "$ours" "$app" "$@")" ] ||
        fail "$app $*: another hash than with rules"
    by_hand=$(alive "$hand" "$app" "$@") counted=$(alive "$ours" "$app" "$@")
    echo "$app $*: most alive, left, values left: $counted; with rules: $by_hand"
    [ "${counted%% *}" ] && [ $((${counted%% *} * 100)) -le $((${by_hand%% *} * percent)) ] ||
        fail "$app $*: more than $percent % of the bytes with rules"
    "$luna" run -q "$@" "$ours" >/dev/null || fail "$app $*: exit code $?"
}

for nodes in 1 ${few:-2 4}; do
    case $nodes in few | threads) continue ;; esac
    for app in heat1d heat2d matmul pic2d primes; do compare $app 102 -n $nodes; done
    compare poisson3d 102 -n $nodes -D EPS=0 -D ITERS=200
done
# Of residual[t] the writer cannot know that it is not the last, which has one more reader.
compare poisson3d 102 -n 1
[ "${few:-}" ] || compare pic2d 102 -n 4 --balance=two-phase

# Of a recursion that hands on DFs of its own what stays is what the last turn of a loop does not read,
# and what a condition on a value decides about.
levels=$root/tests/programs/levels/levels.fa
left=$(alive "$levels" heat1d)
[ "${left##* }" ] && [ "${left##* }" -le 70 ] || fail "levels leaves values: $left"
left=$(alive "$levels" heat1d --proof=off)
[ "${left##* }" ] && [ "${left##* }" -ge 700 ] || fail "levels leaves few values without counts: $left"

# Nothing of what is counted stays.
left=$(alive "$root/apps/heat1d/heat1d.fa" heat1d)
[ "${left#* }" = "0 0" ] || fail "heat1d leaves values: $left"
exit $code
