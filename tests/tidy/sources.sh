#!/bin/sh
# sources.sh ROOT - what every source of ours has: a head comment (in the tree itself it names the file),
# lines of at most 100 columns, blanks for indentation, functions of at most 70 lines, nothing left to
# be done; and a name of a struct in one folder only, as far as headers go: a word is one thing. Folders
# inside tests/AREA hold programs of users, who write as they like, and tests: test_*.c.
#
# A function of a header says where it is at home: its name begins with the name of its folder, with
# a word of the name of a file there, or with a struct of its header. more[] is the table of what a
# folder has besides: on_... are handlers of messages, read_... and write_... what msg.h reads and writes.
cd "$1" || exit 2
find . \( -name '*.[chly]' -o -name '*.cpp' \) -not -path './build*' -not -path './.*' \
    \( -not -path './tests/*/*/*' -o -name 'test_*.c' \) |
    sed 's|^\./||' | sort | xargs awk '
    function complain(line, words) { print FILENAME ":" line ": " words; failed = 1 }
    function add_words(dir, text,    word, i) {
        for (i = split(text, word, /[_ ]/); i; i--) {
            sub(/s$/, "", word[i]) # one or more of them
            words[dir, word[i]] = words[dir, word[i] "s"] = 1
        }
    }
    function at_home(name, dir, file,    i) { # all that stands before some _, and the whole
        for (i = 1; i <= length(name); i++)
            if (substr(name "_", i + 1, 1) == "_" &&
                ((dir, substr(name, 1, i)) in words || (file, substr(name, 1, i)) in words)) return 1
        return 0
    }
    BEGIN {
        more["runtime/exec/"] = more["runtime/rebalance/"] = "on"
        more["runtime/node/"] = "on read write"
        for (dir in more) add_words(dir, more[dir])
        for (i = 1; i < ARGC; i++) {
            n = split(ARGV[i], part, "/")
            dir = substr(ARGV[i], 1, length(ARGV[i]) - length(part[n]))
            sub(/\..*/, "", part[n])
            add_words(dir, part[n])
            if (n > 1) add_words(dir, part[n - 1])
        }
    }
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
    FILENAME !~ /^tests\// && FILENAME ~ /h$/ {
        if (match($0, /^(struct|union|enum) [a-z0-9_]+/) && /[{;]$/)
            words[FILENAME, $2] = words[FILENAME, substr($2, 1, length($2) - 1)] = 1 # the latter: without ;
        gsub(/__attribute__ ?\(\(.*\)\) ?/, "")
        if (/^[a-z]/ && !/^(typedef|static_assert)/ && match($0, /[a-z0-9_]+\(/) &&
            substr($0, RSTART, 5) != "luna_") { # what programs and their functions see
            function_at[++nfunctions] = FILENAME ":" FNR
            function_name[nfunctions] = substr($0, RSTART, RLENGTH - 1)
        }
    }
    END {
        for (i = 1; i <= nfunctions; i++) {
            split(function_at[i], at, ":")
            dir = at[1]
            sub(/[^\/]*$/, "", dir)
            if (at_home(function_name[i], dir, at[1])) continue
            print function_at[i] ": " function_name[i] "() does not say where it is at home"
            failed = 1
        }
        exit failed
    }'
