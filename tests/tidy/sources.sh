#!/bin/sh
# sources.sh ROOT - what every source of ours has: a head comment (in the tree itself it names the file),
# lines of at most 100 columns, blanks for indentation, functions of at most 70 lines, nothing left to
# be done; and a name of a struct in one folder only, as far as headers go: a word is one thing. Folders
# inside tests/AREA hold programs of users, who write as they like, and tests: test_*.c.
cd "$1" || exit 2
find . \( -name '*.[chly]' -o -name '*.cpp' \) -not -path './build*' -not -path './.*' \
    \( -not -path './tests/*/*/*' -o -name 'test_*.c' \) |
    sed 's|^\./||' | sort | xargs awk '
    function complain(line, words) { print FILENAME ":" line ": " words; failed = 1 }
    FNR == 1 {
        n = split(FILENAME, part, "/")
        open = 0
        if (!/^(\/\*|\/\/) /) complain(1, "no head comment")
        else if (part[1] != "tests" && !index($0, part[n])) complain(1, "the head comment does not name " part[n])
    }
    length > 100 { complain(FNR, length " columns") }
    /^ *\t/ { complain(FNR, "a tab in the indentation") }
    /[ \t]$/ { complain(FNR, "blanks at the end") }
    /TO[D]O|FIX[M]E|(^|[^X])XX[X]([^X]|$)/ { complain(FNR, "left to be done: " $0) }
    /^{/ && FILENAME !~ /h$/ { open = FNR }
    /^}/ {
        if (open && FNR - open > 70) complain(open, "a function of " FNR - open " lines")
        open = 0
    }
    /^struct [a-z0-9_]+ {/ && FILENAME ~ /h$/ {
        folder = FILENAME
        sub(/[^\/]*$/, "", folder)
        if ($2 in home && home[$2] != folder) complain(FNR, "struct " $2 " is another one in " home[$2])
        home[$2] = folder
    }
    END { exit failed }'
