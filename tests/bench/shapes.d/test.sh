#!/usr/bin/env bash
# test.sh LUNA - do the programs of ../shapes and their peers give the same values? And is a value told
# that differs, a program that fails, a word that is wrong? Programs that differ from these only in
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

# fake TEXT: in place of luna, a command that does this.
fake()
{
    printf '#!/bin/sh\n%s\n' "$1" >"$work/fake"
    chmod +x "$work/fake"
}

ends 2 "there is no part 'chairs'" chairs
ends 2 "there is no option --run=1" --run=1
ends 2 "--runs=none is no number" --runs=none
fake 'echo 0.1 999'
ends 1 'the value of turns 2 3 50 is' --check --luna="$work/fake" turns
fake 'echo 0.1 nan'
ends 1 "is no number: 'nan'" --check --luna="$work/fake" turns
fake 'echo never >&2; exit 4'
ends 1 'failed with 4' --check --luna="$work/fake" turns

ends 0 'values right' --check --luna="$1" turns wide forks quadrature search queens wavefront \
    cholesky gradients --taskbench
exit $failed
