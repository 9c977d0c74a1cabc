#!/bin/sh
# faults.sh LUNA [few] - the faults of faults/faults.fa: exit code, place and text on nodes and workers.
# With a second word, for sanitizers: by two workers only, who go each way of the code.
#
#     fault NUMBER CODE TEXT [TEXT...]     each text is in one line of stderr; LINE stands for the
#                                          place of the condition's line
#     among_nodes NUMBER CODE TEXT...      the same; on one node it is none
luna=$1 few=${2:-}
cd "$(dirname "$0")/faults" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
failed=0 one_is_fine=

at() { echo "faults.fa:$(grep -n "$1" faults.fa | cut -d: -f1)"; } # its place
complain() { echo "$*"; cat "$work/err"; failed=1; }

fault() {
    number=$1 code=$2
    shift 2
    line=$(grep -n "if k == $number " faults.fa | cut -d: -f1)
    for how in "-t 1" "-t 2" "-n 2 -t 1" "-n 5 -t 2"; do
        case $few:$how in ?*:*"-t 1") continue ;; esac
        case $one_is_fine:$how in yes:-t*) continue ;; esac
        # shellcheck disable=SC2086
        timeout 60 "$luna" run -q $how faults.fa "$number" 1 >"$work/out" 2>"$work/err"
        got=$?
        [ $got = "$code" ] || complain "$number $how: exit code $got, not $code"
        for text; do
            text=$(echo "$text" | sed "s/LINE/faults.fa:$line/")
            grep -qF -- "$text" "$work/err" || complain "$number $how: it does not say: $text"
        done
        # One message, whatever happens.
        [ "$(grep -c 'error\[' "$work/err")" -le 1 ] || complain "$number $how: too many errors"
    done
}

# SEM1: a string or bytes where a number is needed
fault 1 3 "LINE:35: error[RUN1]: a number is needed, but 'a' is a string" \
    "note: 'a' may be assigned here, by " "luna: note: and by "
fault 2 3 "LINE:36: error[RUN1]: a number is needed, but the value is a string" \
    "hint: 'a' is a string, and + joins those"
fault 3 3 "LINE:30: error[RUN1]: a number is needed, but 'a' is bytes"
fault 4 3 "LINE:31: error[RUN1]: a string is needed, but 'a' is bytes"
fault 5 3 "LINE:31: error[RUN1]: a number is needed, but 'a' is bytes"
fault 6 3 "LINE:31: error[RUN1]: a number is needed, but 'a' is a string, in if"
fault 7 3 "LINE:31: error[RUN1]: a number is needed, but 'a' is a string"
fault 8 3 "LINE:31: error[RUN1]: a number is needed, but 'a' is a string"
fault 9 3 "LINE:31: error[RUN5]: a: get_int failed for type real (in 'sub2'" "called as sub2"

fault 16 3 "LINE:46: error[RUN5]: c[2]: get_int failed for type value (in 'sub2'"
fault 17 3 "LINE:46: error[RUN5]: get_int failed for type string (in 'sub2'" # of an expression

# SEM2: assigned twice; outputs left unset
fault 10 3 "error[RUN2]: 'a[1]' is assigned twice; the second time by seti" "hint:"
fault 11 3 "error[RUN2]: 'a[" "is assigned twice; the second time by seti["
fault 12 3 "LINE:18: error[RUN3]: unset returned without setting 'b'"
fault 13 3 "LINE:18: error[RUN2]: 'a[1]' is assigned twice; the second time by two"
fault 14 3 "LINE:18: error[RUN2]: 'a[1]' is assigned twice; the second time by seti"
fault 15 3 "LINE:18: error[RUN2]: 'a[1]' is assigned twice; the second time by say"

fault 18 3 "error[RUN2]: 'c' is assigned twice; the second time by seti" # of a body's own

# SEM3: fragments that never come, with the cause
stuck() { number=$1; shift; fault "$number" 4 "luna: error[RUN10]: the program cannot go on: " "$@"; }
stuck 20 "1 call waits for 1 fragment" "LINE:18: note: say waits for 'a[1]': nobody writes it; written are [2]"
stuck 21 "2 calls wait for 2 fragments" "LINE:18: note: copy waits for 'a': its writer waits too" \
    "LINE:30: note: copy waits for 'b': its writer waits too"
stuck 22 "say[5] waits for 'a[5]': nobody writes it; written are [0..4]"
stuck 23 "say[1] waits for 'a[3]': nobody writes it; written are 5 of [0..8]"
stuck 24 "LINE:18: note: say waits for 'a[1]': nobody writes it; written are [2]"
stuck 25 "LINE:18: note: copy waits for 'a[1]': its writer waits too"
stuck 26 "say waits for 'a': its req_count promises fewer readers"
stuck 27 "LINE:78: note: say waits for 'a': its req_count promises fewer readers"
stuck 28 "LINE:58: note: say waits for 'a': it was deleted before this call asked"
stuck 29 "note: say waits for 'a': it was deleted before this call asked"
kept="it was written, but kept for no reader that asks: by drop, or by afterpush without req_count"
stuck 30 "say waits for 'a': $kept"
stuck 31 "LINE:18: note: say waits for 'a': no afterpush has sent it to this call"
stuck 32 "note: lab waits for 'a': $kept"
stuck 33 "note: say waits for 'a': its req_count promises fewer readers"
stuck 35 "note: while[1] waits for 'a[1]': nobody writes it; written are 2 of [0..2]"
stuck 36 "note: say waits for 'b': $kept"
stuck 120 "note: say waits for 'a[9]': nobody writes it; still held are [4]"
stuck 121 "note: say waits for 'a[9]': nobody writes it; written are [2]"
stuck 122 "note: say waits for 'a': $kept" # another reader has had it by afterpush
stuck 123 "note: say waits for 'a[0]': nobody writes it, or it has been freed already"
# An index that is computed by a function, which needs no value
stuck 125 "wait for 'x[6]': nobody writes it" "wait for 'x[7]': its writer waits too" \
    "wait for 'x[8]': its writer waits too"
# A while that waits writes nothing of a turn before
stuck 126 "wait for 'd[0][2]': nobody writes it" "while[1] waits for 'a[1]': its writer waits too"
stuck 37 "3001 calls wait for 3001 fragments" "say[0] waits for 'a[0]'"
stuck 60 "LINE:42: note: say waits for 'c': nobody writes it"
stuck 68 "1 call waits for 1 fragment" "say waits for 'c': its req_count promises fewer readers"
stuck 69 "1 call waits for 1 fragment" "say waits for 'c': it was deleted before this call asked"
stuck 61 "note: say waits for 'a[1]': it was deleted before this call asked"

# numbers
fault 40 3 "LINE:22: error[RUN4]: division of 5 by zero, in say"
fault 41 3 "error[RUN4]: division of 5 by zero"
fault 42 3 "error[RUN4]: remainder of 1 by zero"
fault 43 3 "error[RUN1]: % needs two ints, but one of them is real"
fault 44 3 "error[RUN4]: 3e+09 does not fit an int"
fault 45 3 "nan does not fit an int"

for number in 82 83 84 86 87 88; do
    fault $number 3 "LINE:" "error[RUN4]: nan is neither true nor false" \
        "hint: compare it: x == x is 0 for nan alone"
done
for number in 85 89 90 91 94; do # in a reduction, in what is called
    fault $number 3 "error[RUN4]: nan is neither true nor false"
done
for number in 85 108 109; do # which element; and as soon as it comes: of the last two others never do
    fault $number 3 "error[RUN4]: nan is neither true nor false, in reduce[25]"
done

# an argument that fails is pointed at, also of a structured sub; an index or a count is not one
fault 46 3 "LINE:42: error[RUN4]: division of 1 by zero, in seti[3]"
fault 47 3 "LINE:35: error[RUN1]: a number is needed, but the value is a string, in g4" \
    "hint: 'a' is a string, and + joins those"
fault 48 3 "LINE:18: error[RUN4]: division of 1 by zero, in seti"
fault 49 3 "LINE:18: error[RUN4]: division of 1 by zero, in seti"

# ucodes that end the program
fault 50 3 "LINE:18: error[RUN7]: 'leave' called exit(7)"
fault 98 3 "error[RUN7]: 'leave' called quick_exit, called as leave" "hint: a function returns"
# Frames that are left without their ends look to a sanitizer as if somebody still forbade them.
[ -n "$few" ] || fault 100 3 "error[RUN7]: 'leave' called pthread_exit, called as leave" "hint: a function returns"
fault 51 0 "LINE:18: warning[RUN7]: 'leave' called exit(0)" "the run ends here"
fault 52 3 "error[RUN6]: 'die' used an invalid address (SIGSEGV)"
fault 53 3 "error[RUN6]: 'die' called abort (SIGABRT)"
fault 54 3 "error[RUN6]: 'die' divided an integer by zero (SIGFPE)"
[ "$(cat "$work/out")" = before ] || complain "what was printed before a crash is lost"
fault 55 3 "error[RUN5]: value 5 is not good"

# reductions; which of several elements is met first depends on nodes
fault 71 3 "error[RUN14]: 'b[2" "is a string: only numbers and bytes can be reduced" "hint:"
fault 72 3 "error[RUN14]: 'b[" "is an array of 2 doubles, but 'b[" "is an array of 3 doubles"
fault 73 3 "error[RUN14]: 'b[2" "has 12 bytes, which are no whole number of doubles" \
    "hint: int(x[i]), int64, float or complex tell that arrays hold something else; a sub (value, value"
fault 92 3 "error[RUN14]: 'a[" "is an int, not an array of 64-bit ints" \
    "hint: numbers are reduced as x[i], int(x[i]) or real(x[i])"
fault 93 3 "error[RUN14]: 'b[" "has 24 bytes, which are no whole number of complex doubles"
fault 74 3 "error[RUN3]: 'unset2' returned without setting its result"
fault 75 3 "error[RUN14]: there are no elements to reduce" "hint:"
stuck 76 "note: reduce waits for 'a[19]': nobody writes it" "say waits for 'a[20]': its writer waits too"
fault 77 3 "error[RUN5]: no 0 (in 'fails2', called as reduce)"
fault 78 3 "error[RUN14]: a reduction has more than 4294967295 elements" \
    "hint: reduce parts of them, then the results"
stuck 81 "note: reduce waits for 'a[31]': nobody writes it" "say waits for 'a[20]': its writer waits too"
stuck 95 "note: reduce waits for 'a[21]': nobody writes it" "say waits for 'a[20]': its writer waits too"
stuck 96 "note: for waits for 'a[40]': nobody writes it" \
    "say waits for 'a[20]': a statement that may write it waits too"
stuck 97 "note: if waits for 'b[40]': nobody writes it" \
    "say waits for 'a[20]': a statement that may write it waits too"
fault 80 3 "error[RUN2]: 'a[20]' is assigned twice; the second time by"
fault 79 3 "error[RUN14]: 'a[25]' is an int, but 'a[" "is a real"

# what is deleted wrongly
fault 62 3 "error[RUN9]: 'a' is deleted, but requests promised by its req_count are left"
fault 63 3 "error[RUN9]: 'a[1]' is deleted twice"

# After its last reader, or a delete, a fragment is forgotten: only runs that keep names tell of a
# second value or delete then.
past() { # past NUMBER CODE OPTION TEXT
    line=$(grep -n "if k == $1 " faults.fa | cut -d: -f1)
    for how in "-t 1" "-t 2" "-n 3 -t 1"; do
        # shellcheck disable=SC2086
        timeout 60 "$luna" run -q $how faults.fa "$1" 1 >"$work/out" 2>"$work/err" ||
            complain "$1 $how: exit code $?"
        grep -q '\[RUN' "$work/err" && complain "$1 $how: a report without names"
        # shellcheck disable=SC2086
        timeout 60 "$luna" run -q $how "$3" faults.fa "$1" 1 >"$work/out" 2>"$work/err"
        got=$?
        [ $got = "$2" ] || complain "$1 $how $3: exit code $got, not $2"
        grep -qF -- "faults.fa:$line:$4" "$work/err" || complain "$1 $how $3: not: $4"
    done
}
for names in -g --hash; do
    past 65 3 $names "70: error[RUN2]: 'a' is assigned twice; the second time by seti"
    past 67 3 $names "65: error[RUN2]: 'a' is assigned twice; the second time by seti"
done
past 66 0 -g "67: warning[RUN9]: 'a[1]' is deleted here for the second time"

# SEM11 exists on two nodes and more, also where the value lies on the node of its reader
# What a sub requires of its arguments
fault 99 3 "LINE:73: error[RUN15]: 'pos(-4, 2.5, _)' does not fulfil what the sub requires: k > 0" \
    "note: required here"

# Lists: an element that is not set, or set twice; too many of them; some that nobody writes; a value of
# another type
fault 101 3 "LINE:31: error[RUN3]: many returned without setting 'a[22]'"
fault 102 3 "error[RUN2]: 'a[2" "is assigned twice"
fault 103 3 "LINE:23: error[RUN14]: a list has more than 16777216 elements"
stuck 104 "3 calls wait for 2 fragments that will never come" "LINE:19: note: all waits for 'a[28]': nobody writes it" \
    "wait for 'a[20]': its writer waits too"
stuck 106 "2 calls wait for 5 fragments" "LINE:19: note: all waits for 'a[21]': nobody writes it"
stuck 107 "2 calls wait for 40 fragments" "LINE:19: note: reduce waits for 'a[21]': nobody writes it"
fault 105 3 "LINE:19: error[RUN5]: b[1]: get_int failed for type real (in 'all', called as all)" \
    "note: 'b' may be assigned here, by "

# Shapes: what is outside is not assigned, not deleted, and read only where that is something
fault 110 3 "LINE:19: error[RUN17]: 'u[3]' is outside its shape [0..2]" "note: the shape" \
    "hint: let the shape go as far as the indices"
fault 111 3 "LINE:35: error[RUN17]: 'u[3]' is outside its shape [0..2]" \
    "hint: let the shape go as far as the indices, or say what is read beyond it: outside u => 0;"
fault 112 3 "error[RUN17]: 'v[2][2]' is outside its shape [1..2][0..1]" \
    "hint: what is outside may only be read: let the shape go as far as the indices"
fault 113 3 "LINE:19: error[RUN17]: 'v[1][2]' is outside its shape [1..2][0..1]"
fault 114 3 "LINE:19: error[RUN17]: 'u[-1]' is outside its shape [0..2]"
fault 115 3 "error[RUN17]: 'u[0][1]' has 2 indices, but 1 in its shape" "note: the shape"
fault 116 3 "error[RUN17]: 'none[1]' is outside its shape [0..-2147483649]" # k - 1 is no int
fault 117 3 "$(at 'outside q'):23: error[RUN4]: division of 3 by zero, in the outside rule of 'q[3]'" \
    "LINE:34: note: it is needed here, by say" "hint: ask first: b == 0 ? 0 : a / b"
fault 118 3 "error[RUN4]: division of 1 by zero, in the shape of 'r[2]'" \
    "LINE:19: note: it is needed here, by seti"
fault 119 3 "LINE:31: error[RUN16]: 'real(q[3], 0)' is no part: the fragment is outside its shape" \
    "hint: only bytes have parts: let a call make what is there, and the shape go as far"

among_nodes() { one_is_fine=yes; fault "$@"; one_is_fine=; }

# Locators: which rule, and for which statement
among_nodes 130 3 "$(at 'cyclic u.i. => 5'):30: error[RUN4]: division of 5 by zero, in a locator" \
    "note: it is needed here, by s" "hint: ask first: b == 0 ? 0 : a / b"
among_nodes 131 3 "$(at 'replicating v.i. => 5'):35: error[RUN4]: remainder of 5 by zero, in a locator" \
    "LINE:19: note: it is needed here, by say"
among_nodes 132 3 "LINE:68: error[RUN4]: division of 6 by zero, in a locator" \
    "LINE:34: note: it is needed here, by seti[2]"
among_nodes 133 3 "LINE:55: error[RUN4]: remainder of 0 by zero, in a locator" \
    "LINE:19: note: it is needed here, by away"
among_nodes 134 3 "$(at 'cyclic far => 3'):29: error[RUN4]: division of 3 by zero, in a locator" \
    "LINE:19: note: it is needed here, by far"

for number in 34 38 39; do
    "$luna" run -q -n 1 faults.fa $number 1 >"$work/out" 2>"$work/err" ||
        complain "$number: fails on one node"
    for how in "-n 2 -t 1" "-n 2 -t 2" "-n 3 -t 1"; do
        # shellcheck disable=SC2086
        "$luna" run -q $how faults.fa $number 1 >"$work/out" 2>"$work/err"
        [ $? = 4 ] || complain "$number $how: no fault"
        text="say waits for 'a\[1\]': its writer put it on node [01], its reader asked node [012]:"
        grep -q "$text" "$work/err" || complain "$number $how: it does not tell that the locators differ"
    done
done
exit $failed
