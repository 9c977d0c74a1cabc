#!/bin/sh
# invariants.sh ROOT - what docs/protocols*.md say is always true is asserted. Each line of a list under
# "What is always true" has a number, of its section and its own. In the code a comment names it,
# "protocols 2.3", on the line of an assert, right above one, or in what only builds with assertions
# have. docs/invariants.md has a row for each, in their order, with a file that does so. Nothing names
# an invariant that is not there.
cd "$1" || exit 2
failed=0
complain() { echo "$*"; failed=1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

awk '
    /^## / { section = $2; on = list = 0 }
    /^What is always true/ { on = 1; list = 0 }
    on && /^[0-9]+\. / { print section "." $1 + 0; list = 1; next }
    on && (list ? /^[^ ]/ : /^$/ && last !~ /:$/) { on = 0 }
    { last = $0 }' docs/protocols.md docs/protocols-balancing.md >"$work/wanted"
[ -s "$work/wanted" ] || complain "docs/protocols.md: nothing is always true"
for twice in $(sort "$work/wanted" | uniq -d); do complain "docs/protocols*.md: two lines are $twice"; done

# Lines "NUMBER FILE LINE asserted|named".
find runtime distrib \( -name '*.c' -o -name '*.h' \) | sort | xargs awk '
    function tell(how) { # of what the line before names
        for (i = 1; i <= n; i++) print number[i], file, line, how
        n = 0
    }
    FNR == 1 { tell(was); debug = other = 0 }
    /^#ifndef NDEBUG/ { debug = 1 }
    /^#ifdef NDEBUG/ { other = 1 }
    /^#else/ { debug = other; other = 0 }
    /^#endif/ { debug = other = 0 }
    {
        held = debug || /assert\(/
        tell(held ? "asserted" : was)
        rest = $0
        while (match(rest, /protocols [0-9]+\.[0-9]+((, | to )[0-9]+\.[0-9]+)*/)) {
            k = split(substr(rest, RSTART + 10, RLENGTH - 10), part, /, | to /)
            for (i = 1; i <= k; i++) number[++n] = part[i]
            rest = substr(rest, RSTART + RLENGTH)
        }
        file = FILENAME; line = FNR; was = held ? "asserted" : "named"
    }
    END { tell(was) }' >"$work/named"

while read -r number; do
    grep -q "^$(echo "$number" | sed 's/\./\\./') .* asserted$" "$work/named" ||
        complain "protocols $number: no assert names it"
done <"$work/wanted"
while read -r number file line how; do
    grep -qxF "$number" "$work/wanted" || complain "$file:$line: there is no $number ($how) in docs/protocols*.md"
done <"$work/named"

sed -n 's/^| \([0-9]*\.[0-9]*\) |.*/\1/p' docs/invariants.md >"$work/rows"
cmp -s "$work/wanted" "$work/rows" ||
    complain "docs/invariants.md: not a row for each, in order: $(diff "$work/wanted" "$work/rows" | grep '^[<>]' | tr '\n' ' ')"
sed -n 's/^| \([0-9]*\.[0-9]*\) | `\([^`]*\)`.*/\1 \2/p' docs/invariants.md | while read -r number file; do
    grep -q "^$number $file [0-9]* asserted$" "$work/named" || echo "docs/invariants.md: $file has no assert of $number"
done >"$work/rows"
[ -s "$work/rows" ] && { cat "$work/rows"; failed=1; }
exit $failed
