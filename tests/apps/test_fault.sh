#!/bin/sh
# test_fault.sh LUNA APP.fa CODE TEXT [options...] - the run ends with CODE and says TEXT, and where.
luna=$1 app=$2 code=$3 text=$4
shift 4
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}"

"$luna" run -q "$@" "$app" >"$work/out" 2>"$work/err"
got=$?
cat "$work/err"
[ $got = "$code" ] || { echo "exit code $got, not $code"; exit 1; }
grep -qF "$text" "$work/err" || { echo "it does not say: $text"; exit 1; }
grep -q "^[^ ]*$(basename "$app"):[0-9]*:[0-9]*: error" "$work/err" || { echo "no place"; exit 1; }
