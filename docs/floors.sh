#!/bin/sh
# floors.sh ROOT - draws the floors of the tree as SVG on stdout, from its #include lines: a box for
# each folder, above those it includes; an arrow to each of them but the next box below, and base,
# which all include. docs/floors.svg is what it draws; tests/docs/floors.sh compares.
set -eu
cd "$1"
export LC_ALL=C

# Which houses stand where, each from top to bottom.
houses() {
    echo "apps/luna: . /apps/report perf map bill build trace draw launch common"
    echo "lang: . unroll emit prove lower plan check resolve parse prep tree report"
    echo "runtime: run turn rebalance exec node ucode table store data fault"
    echo "runtime: planner net base"
    echo "distrib: patch ."
    echo "collectives: perf ops group ."
    echo "balance: ."
}

# FOLDER for each folder with sources, and FOLDER > FOLDER for includes. No numbers: the picture
# changes when the floors do, not with every line.
facts() {
    find runtime lang apps/luna apps/report distrib balance collectives -name '*.[chly]' -o -name '*.cpp' |
        sort | xargs awk '
        FNR == 1 { folder = FILENAME; sub(/\/[^\/]*$/, "", folder); is[folder] }
        match($0, /^#include "[^"]*\//) {
            to = substr($0, 11, RLENGTH - 11)
            if (to != folder) is[folder " > " to]
        }
        END {
            for (f in is) print f
        }' | sort
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
facts >"$work/facts"
houses >"$work/houses"
awk '
    function box(name, x, y) {
        at_x[name] = x; at_y[name] = y; column[name] = house
        boxes = boxes sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x, y, W, H)
        boxes = boxes sprintf("<text x=\"%d\" y=\"%d\">%s</text>\n", x + 8, y + 19, name)
    }
    BEGIN { W = 168; H = 28; GAP = 14; STEP = W + 74 }
    FILENAME ~ /facts$/ && $2 == ">" { use[$1 " " $3]; next }
    FILENAME ~ /facts$/ { files[$1]; next }
    {
        root = $1; sub(/:$/, "", root)
        if ($0 ~ /^runtime: planner|^collectives|^balance/) y += GAP
        else { house++; y = 24 }
        for (i = 2; i <= NF; i++) {
            name = $i == "." ? root : root "/" $i
            if ($i ~ /^\//) name = substr($i, 2) # a house of one floor that stands on some of these
            if (!(name in files)) continue
            box(name, 44 + (house - 1) * STEP, y)
            y += H + GAP
            if (y > height) height = y
        }
    }
    END {
        for (pair in use) {
            split(pair, p, " ")
            if (!(p[1] in at_x) || !(p[2] in at_x) || p[2] == "runtime/base") continue
            if (column[p[1]] != column[p[2]]) continue # houses meet in few places: see the table
            x = at_x[p[1]]; y1 = at_y[p[1]] + H / 2; y2 = at_y[p[2]] + H / 2
            if (y2 - y1 <= H + GAP && y2 > y1) continue
            bend = 10 + (y2 > y1 ? y2 - y1 : y1 - y2) / 14
            if (bend > 40) bend = 40
            arrow[n++] = sprintf("<path d=\"M%d,%d C%d,%d %d,%d %d,%d\"/>", x, y1, x - bend, y1,
                                 x - bend, y2, x, y2)
        }
        for (i = 0; i < n; i++) # in an order that does not depend on awk
            for (j = i + 1; j < n; j++)
                if (arrow[j] < arrow[i]) { t = arrow[i]; arrow[i] = arrow[j]; arrow[j] = t }
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n",
               house * STEP + 20, height
        print "<style>rect{fill:#f4f1ea;stroke:#555}text{font:13px sans-serif}"
        print "path{fill:none;stroke:#3b6ea5;marker-end:url(#a)}</style>"
        print "<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>"
        print "<marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\"" \
              " markerHeight=\"7\" orient=\"auto\">"
        print "<path d=\"M0,0 L8,4 L0,8\" style=\"fill:#3b6ea5;stroke:none;marker-end:none\"/>"
        print "</marker>"
        for (i = 0; i < n; i++) print arrow[i]
        printf "%s</svg>\n", boxes
    }' "$work/facts" "$work/houses"
