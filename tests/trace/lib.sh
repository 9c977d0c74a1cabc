# lib.sh - for tests of traces: the library of the command's tests, and some awk.
awk_fields=$(cat "${0%/*}/../trace/fields.awk") # number("dur"), text("cf")
[ -n "${here:-}" ] || . "${0%/*}/../cli/lib.sh"

# The value of a field of an object in a line of JSON.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
events() { cat "$1"/node-*.jsonl | grep -c "\"ev\":\"$2\""; }

# owned DIR NODES CELLS LATTICE <map: a trace of one second, whose nodes own what the map on stdin
# says: numbers of nodes, a line per first index (one index: one line; three: an empty line between
# planes). Sides are as in JSON: [4,6], null.
owned() {
    rm -rf "$1"
    mkdir "$1"
    cat >"$1/run.json" <<E
{"version":"0.1.0", "program":"heat.fa", "hash":"0", "command":["luna"], "nodes":$2, "workers":1,
 "transport":"local", "distributor":"patch", "lattice":$4, "cells":$3, "seed":null,
 "hosts":["a"], "start":"", "end":"done", "exit_code":0, "duration":1000000000}
E
    awk -v dir="$1" -v nodes="$2" -v sides="$3" '
        BEGIN { dims = gsub(/,/, ",", sides) + 1 }
        NF == 0 { plane++; row = 0; next }
        {
            for (i = 1; i <= NF; i++) {
                cell = i - 1
                if (dims > 1) cell = row + 0 "," cell
                if (dims > 2) cell = plane + 0 "," cell
                cells[$i] = cells[$i] (cells[$i] == "" ? "" : ",") "[" cell "]"
            }
            row++
        }
        END {
            for (n = 0; n < nodes; n++) {
                file = sprintf("%s/node-%05d.jsonl", dir, n)
                printf "{\"t\":0,\"ev\":\"own\",\"cells\":[%s]}\n", cells[n] >file
                print "{\"ev\":\"end\",\"ctl_msgs\":0,\"ctl_bytes\":0}" >file
                close(file)
            }
        }'
}

# later DIR NODE LINE...: more events of the node.
later() {
    file=$1/node-0000$2.jsonl
    shift 2
    sed -i '$d' "$file"
    printf '%s\n' "$@" '{"ev":"end","ctl_msgs":0,"ctl_bytes":0}' >>"$file"
}

# hint_of TEXT: what is said behind it of a damaged trace.
hint_of() {
    case $1 in
    *version) echo "if a newer luna has written it, read it with that; else run the program again with --trace=DIR" ;;
    *) echo "it was cut short or changed: run the program again with --trace=DIR" ;;
    esac
}
