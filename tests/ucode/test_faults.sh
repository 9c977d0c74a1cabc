#!/bin/sh
# test_faults.sh LUNA - faults of the API in a run: exit code 3, the fault, the call and its place.
luna=$1
here=$(dirname "$0")
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
failed=0

complain() { echo "$*"; cat "$work/err"; failed=1; }

fault() { # fault NUMBER LINE TEXT [options...]
    number=$1 line=$2 text=$3
    shift 3
    "$luna" run -q -t 1 "$@" "$here/faults/faults.fa" "$number" >"$work/out" 2>"$work/err"
    code=$?
    [ $code = 3 ] || complain "$number: exit code $code"
    grep -qF "$text" "$work/err" || complain "$number: it does not say '$text'"
    grep -q "faults.fa:$line:[0-9]*: error" "$work/err" || complain "$number: not at line $line"
}

fault 1 12 'get_int failed for type real'
fault 2 12 'get_string failed for type real'
fault 3 12 'get_data failed for type real'
fault 4 12 'y: Cannot getSize(), df is unset'
fault 4 12 'hint: an output has no value before the function sets it'
fault 5 12 'value 2.5 is too small'
fault 11 13 'getData failed for type real'
fault 12 13 'y: Unsupported type in setValue'
fault 13 13 'Unsupported operand types: real and real'
fault 14 13 'no_such_point: point 7'
fault 15 13 'std::out_of_range: '
fault 16 13 'int'
fault 17 13 'get_int failed for type real'
fault 1 12 'x[3]: get_int failed for type real' -g
fault 1 12 'hint: a real is read by luna_get_real, in C++ get_real; cast_int converts it'
exit $failed
