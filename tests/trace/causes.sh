#!/bin/sh
# causes.sh DIR - in a trace of --trace-values no call begins, and no value is sent, before the end of
# the call that assigned what it reads, or what is sent. Prints how many values were looked at that a
# call has assigned: read, then sent. What went wrong is told, and the exit code 1. What was freed may be
# assigned again: then the first time counts.
for file in "$1"/node-*.jsonl; do
    [ -s "$file" ] || { echo "no trace in $1"; exit 1; }
done
exec awk "$(cat "${0%/*}/fields.awk")"'
    function list(from, to,   names) { # the names between two marks, into name[1..]
        names = substr($0, from, to - from)
        gsub(/"/, "", names)
        return split(names, name, ",")
    }
    function bad(what) {
        if (bads++ < 5) printf "%s, %s: %s\n  %s\n", FILENAME, what, "it ended at " end[what], $0
    }
    /"ev":"exec"/ {
        ins = index($0, ",\"in\":[")
        outs = index($0, "],\"out\":[")
        if (!ins) next # an operation of a reduction: what it takes has no names
        t = number("t")
        if (pass == 1) {
            n = list(outs + 9, length($0) - 1)
            for (i = 1; i <= n; i++) {
                ended = t + number("dur")
                if (!(name[i] in end) || ended < end[name[i]]) end[name[i]] = ended
            }
        } else {
            n = list(ins + 7, outs)
            for (i = 1; i <= n; i++) {
                if (!(name[i] in end)) continue # made by a reduction, a while
                reads++
                if (t < end[name[i]]) bad(name[i])
            }
        }
    }
    pass == 2 && /"ev":"send"/ && (at = index($0, ",\"value\":\"")) {
        what = substr($0, at + 10, length($0) - at - 11)
        if (!(what in end)) next
        sends++
        if (number("t") < end[what]) bad(what)
    }
    END {
        print reads + 0, sends + 0
        exit bads > 0
    }' pass=1 "$1"/node-*.jsonl pass=2 "$1"/node-*.jsonl
