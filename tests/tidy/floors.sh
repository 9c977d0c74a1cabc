#!/bin/sh
# floors.sh ROOT - docs/design.md says of each floor what it must not know: in tables whose last column
# is called so, or "does not know". The first column names floors, in a house if the heading names one.
# No floor is left out, and none is told of that is not there.
cd "$1" || exit 2
failed=0
complain() { echo "$*"; failed=1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

find runtime lang apps/luna apps/report distrib balance collectives -name '*.[chly]' |
    sed 's|/[^/]*$||; s|/ucenv$||' | sort -u >"$work/folders"
awk -F '|' '
    function complain(words) { print "docs/design.md:" FNR ": " words >"/dev/stderr"; failed = 1 }
    /^\|.*(must|does) not know \|$/ {
        table = 1
        house = ""
        if (match($2, /`[^`]+`/)) house = substr($2, RSTART + 1, RLENGTH - 2)
        next
    }
    !/^\|/ { table = 0 }
    !table || /^\|-/ { next }
    {
        if ($(NF - 1) ~ /^ *$/) complain("what must it not know?")
        while (match($2, /`[^`]+`/)) {
            name = house substr($2, RSTART + 1, RLENGTH - 2)
            sub(/\/$/, "", name)
            print name
            $2 = substr($2, RSTART + RLENGTH)
        }
    }
    END { exit failed }' docs/design.md >"$work/told" 2>"$work/flaws" || { cat "$work/flaws"; failed=1; }
for folder in $(sort -u "$work/told"); do
    [ -d "$folder" ] || complain "docs/design.md: there is no $folder"
done
while read -r folder; do
    grep -qxF "$folder" "$work/told" || complain "docs/design.md: what must $folder not know?"
done <"$work/folders"
exit $failed
