#!/bin/sh
# pictures.sh - luna map -o and luna stats --plot: the pictures are read back.
. "${0%/*}/lib.sh"
: "${PIXELS:?the program that reads pictures}"

owned flat 4 '[4,6]' '[2,2]' <<'E'
0 0 0 1 1 1
0 0 0 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
later flat 0 '{"t":500000000,"ev":"move","cell":[1,1],"to":2,"txn":"0.1"}'

# "SIZE COLOUR ..." of the points.
pixels() { "$PIXELS" "$@" | tr '\n' ' '; }

# ---- maps ----
# Cells have 48 pixels, from (16, 48) on. Cell (0,1), (1,1), (1,5), (2,0), (3,4); the frame; outside.
points="68,52 68,100 260,100 20,148 212,196 16,60 8,8"
run luna map flat --at=0 -o flat.png
code 0
quiet
out </dev/null
"$LUNA" map flat --at=0 -o - >standard.png
cmp flat.png standard.png
holds "- is stdout" $? = 0
set -- $(pixels flat.png $points)
holds "four colours" "$2" != "$4" -a "$2" != "$5" -a "$5" != "$6" -a "$4" != "$6"
holds "(1,1) is node 0's" "$3" = "$2"
holds "a dark frame in white" "$7 $8" = "202020 ffffff"
shift # the size: the title is shorter below
before=$*

run luna map flat -o flat.png
code 0
set -- $(pixels flat.png $points)
shift
holds "the same colours, but (1,1) is node 2's" "$*" = "$(echo "$before" | awk '{ $2 = $4; print }')"
set -- $(pixels flat.png 64,110 112,110 88,96 88,144)
holds "borders on three sides of it" "$2 $3 $4" = "202020 202020 202020" -a "$5" != 202020

# A number in each domain, in black or white: node 1's is 3 x 2 cells.
holds "node 1 has its number" "$("$PIXELS" flat.png 232,96 | grep -cE '000000|ffffff')" -eq 1

# Indices: rows on the left, columns below.
set -- $("$PIXELS" flat.png count | awk '$2 == "000000" { print $1 }')
all=$1
holds "black is in the picture" "${all:-0}" -gt 0
set -- $(pixels flat.png 8,68 7,69 9,117 38,244)
shift
holds "0 and 1 beside the rows, 0 below: $*" "$*" = "000000 000000 000000 000000"

# With a rope the curve: from cell (0,0) to (0,1) and (1,1), and not from (0,0) to (1,0).
sed 's/"distributor":"[a-z]*"/"distributor":"rope"/' flat/run.json >"$here/run.json"
mkdir rope
cp flat/node-* rope/
cp "$here/run.json" rope/
holds "a rope" "$(grep -c '"distributor":"rope"' rope/run.json)" = 1
run luna map flat --at=0 -o flat.png
run luna map rope --at=0 -o rope.png
code 0
set -- $(pixels flat.png 56,72 88,84 40,84)
plain="$2 $3 $4"
set -- $(pixels rope.png 56,72 88,84 40,84)
holds "the curve: $* after $plain" "$(echo "$plain $2 $3 $4" | awk '{ print $1 != $4, $2 != $5, $3 != $6 }')" = "1 1 0"

# One index and three; a colour per node.
awk 'BEGIN { for (i = 0; i < 30; i++) printf "%d ", i / 3 }' | owned line 10 '[30]' '[10]'
run luna map line -o line.png
code 0
set -- $("$PIXELS" line.png count | awk '$1 > 2000 && $2 !~ /ffffff|202020|000000/ { print $2 }')
holds "10 colours, not $#: $*" $# -eq 10
owned cube 2 '[2,2,3]' '[2,1,1]' <<'E'
0 0 0
0 0 1

1 1 0
1 1 1
E
run luna map cube -o cube.png
code 0
# Planes lie beside each other: 3 cells of 48 pixels and a margin of 16. Cells (0,1,1), (0,1,2), (1,1,1), (1,0,2).
set -- $(pixels cube.png 70,120 120,120 230,120 280,70)
holds "two planes: $*" "$2" = "$5" -a "$3" = "$4" -a "$2" != "$3"

# More cells than pixels.
awk 'BEGIN { for (i = 0; i < 10000; i++) printf "%d ", i / 5000 }' | owned long 2 '[10000]' '[2]'
run luna map long -o long.png
code 0
size=$("$PIXELS" long.png | tr x ' ')
set -- $size
holds "no larger than is good: $size" $1 -lt 4400 -a $1 -gt 3000 -a $2 -lt 400

# ---- curves ----
# Node 0 is at the top all the time, node 3 half way in the second half (its lines are not in order);
# the plot is 890 x 490 pixels from (90, 50) on.
later flat 0 '{"t":0,"ev":"load","bytes":1000,"count":1,"cells":6}' \
    '{"t":1000000000,"ev":"load","bytes":1000,"count":1,"cells":5}'
later flat 3 '{"t":1000000000,"ev":"load","bytes":500,"count":1,"cells":6}' \
    '{"t":500000000,"ev":"load","bytes":500,"count":1,"cells":6}'
run luna stats flat --plot=load.png
code 0
quiet
out_has "cells moved: 1"
set -- $(pixels load.png 310,50 910,50 310,295 910,295 310,410)
holds "node 0 at the top: $*" "$2" = "$3" -a "$2" != ffffff
holds "node 3 in the middle" "$4" = ffffff -a "$5" != ffffff -a "$5" != "$2"
holds "nothing below" "$6" = ffffff
"$PIXELS" load.png count >counts
holds "the legend has four curves" "$(awk '{ print $2 }' counts | grep -c "$2\|$5")" -eq 2
run luna stats --json flat --plot=load.png
code 0
out_has '"moves":1,'

# A trace without any load or time.
owned none 1 '[1]' null <<'E'
0
E
sed -i 's/"duration":[0-9]*/"duration":0/' none/run.json
run luna stats none --plot=none.png
code 0
set -- $(pixels none.png)
holds "axes" "$1" = 1140x600
run luna map none -o none.png
code 0

# ---- where it cannot go ----
cannot() { # WHERE CODE WHY
    run luna map flat -o "$1"
    code "$2"
    err_has "luna: error: cannot write '$1': $3"
    run luna stats flat --plot="$1"
    code "$2"
    err_has "luna: error: cannot write '$1': $3"
}
cannot no/such.png 2 "No such file or directory"
err_has "hint: the folder it goes to must be there"
mkdir folder.png
cannot folder.png 2 "Is a directory"
ln -s /dev/full full.png
cannot full.png 5 "No space left on device"
holds "the device is still there" -c /dev/full

finish
