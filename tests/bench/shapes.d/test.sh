#!/usr/bin/env bash
# test.sh LUNA - do the programs of ../shapes and their peers give the same values? And is a value told
# that differs, or a word that is wrong? Programs that differ from these only in
# when their calls run are left out.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-shapes-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# ends CODE TEXT words of shapes...
ends()
{
    local code=0 want=$1 text=$2
    shift 2
    "$here/../shapes" "$@" >"$work/said" 2>&1 || code=$?
    [ $code = "$want" ] && grep -q -- "$text" "$work/said" && return
    echo "shapes $*: exit code $code, not $want, or not '$text':" && cat "$work/said"
    failed=1
}

# differs TEXT VALUE...: the last of these values of the same program ends the command, and says TEXT.
differs()
{
    local text=$1 code=0
    shift
    (
        set -e
        here=$here/.. check=1 samples=$work/samples
        . "$here/tasks.d/lib.sh"
        . "$here/shapes.d/peers.sh"
        while [ $# -gt 0 ]; do
            [ $# -gt 1 ] || echo "the last"
            compare key "turns 2 3 50" "$1"
            shift
        done
    ) >"$work/said" 2>&1 || code=$?
    [ $code = 1 ] && [ "$(head -n 1 "$work/said")" = "the last" ] &&
        grep -q -- "$text" "$work/said" && return
    echo "values, of which the last must not pass: $code" && cat "$work/said"
    failed=1
}

ends 2 'does not run makes it 1' --runs=x # the usage, to its end
ends 2 "there is no part 'chairs'" chairs
ends 2 "there is no option --run=1" --run=1
ends 2 "--runs=none is no number" --runs=none
ends 2 "--before=none is no luna to run" --before=none
differs 'the value of turns 2 3 50 is 6.001, not 6' 6 6.0000001 6.001
differs "is no number: 'nan'" 6 nan
differs "is no number: 'nan'" nan

ends 0 'values right' --check --luna="$1" turns wide forks quadrature search queens wavefront \
    cholesky gradients --taskbench
exit $failed
