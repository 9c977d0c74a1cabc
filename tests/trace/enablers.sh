#!/bin/sh
# enablers.sh DIR - in a trace, what brought the last input of a call had ended, or come, before the
# call was ready, and the call began later; what brought a value that was sent had, too; and messages
# came after they were sent. Prints how many calls were looked at that a call has made ready, and that a
# message has. What went wrong is told, and the exit code 1.
for file in "$1"/node-*.jsonl; do
    [ -s "$file" ] || { echo "no trace in $1"; exit 1; }
done
exec awk "$(cat "${0%/*}/fields.awk")"'
    function cause(   at, words) { # of the line, into by[1..3]
        at = index($0, ",\"by\":[")
        if (!at) return 0
        words = substr($0, at + 7)
        words = substr(words, 1, index(words, "]") - 1)
        gsub(/"/, "", words)
        return split(words, by, ",") == 3
    }
    function bad(what) {
        if (bads++ < 5) printf "%s, %s:\n  %s\n", FILENAME, what, $0
    }
    # Since when it was there; -1: a message without values, which has no line.
    function since(node, here) {
        if (by[2] == "m") {
            if (!((node, by[1], by[3]) in came)) return -1
            return came[node, by[1], by[3]]
        }
        if (by[1] != node) bad("a call of another node")
        if (!((by[1], by[2], by[3]) in ended)) bad("there is no such call")
        return ended[by[1], by[2], by[3]]
    }
    FNR == 1 {
        node = FILENAME
        sub(/.*node-0*/, "", node)
        node += 0
    }
    pass == 1 && /"ev":"exec"/ {
        w = number("worker")
        ended[node, w, ++calls[node, w]] = number("t") + number("dur")
    }
    pass == 1 && /"ev":"recv"/ { came[node, number("from"), number("k")] = number("t") }
    pass == 1 && /"ev":"send"/ && /"k":/ {
        t = number("t")
        if (!((node, number("k")) in sent) || t < sent[node, number("k")]) sent[node, number("k")] = t
    }
    pass == 2 && /"ev":"recv"/ {
        if (!((number("from"), number("k")) in sent)) bad("nobody has sent it")
        else if (number("t") < sent[number("from"), number("k")]) bad("it came before it was sent")
    }
    pass == 2 && /"ev":"exec"/ && /"ready":/ {
        if (number("t") < number("ready")) bad("it began before it was ready")
        if (!cause()) next
        if (since(node) > number("ready")) bad("it was ready before")
        if (by[2] == "m") messages++
        else enablers++
    }
    pass == 2 && /"ev":"send"/ && cause() && since(node) > number("t") { bad("it was sent before") }
    END {
        print enablers + 0, messages + 0
        exit bads > 0
    }' pass=1 "$1"/node-*.jsonl pass=2 "$1"/node-*.jsonl
