#!/bin/sh
# stats.sh - luna stats against the same figures computed with awk from the files, and by hand.
. "${0%/*}/lib.sh"
sums

# "AvgSD AvgSS replies pushes" of all sends in DIR, or those of NAME: the mean of means, over senders;
# the mean of sums, over all nodes.
sends() {
    cat "$1"/node-*.jsonl | awk -v name="${2:-}" "$awk_fields"'
        /"ev":"own"/ { n++ }
        /"ev":"send"/ {
            df = text("df")
            sub(/\[.*/, "", df)
            if (name != "" && df != name) next
            why[text("why")]++
            if (text("why") == "collective") next
            sends[n]++
            dist[n] += number("dist")
            bytes += number("bytes")
        }
        END {
            for (i in sends) { senders++; sd += dist[i] / sends[i] }
            printf "%.9g %.9g %d %d\n", senders ? sd / senders : 0, bytes / n / 1048576,
                   why["reply"], why["push"]
        }'
}
# The same as luna stats --json told it.
told() {
    awk '{ if (match($0, /"AvgSD":[^,]*/)) sd = substr($0, RSTART + 8, RLENGTH - 8)
           if (match($0, /"AvgSS":[^,]*/)) ss = substr($0, RSTART + 8, RLENGTH - 8)
           if (match($0, /"reply":{"count":[0-9]+/)) reply = substr($0, RSTART + 17, RLENGTH - 17)
           if (match($0, /"push":{"count":[0-9]+/)) push = substr($0, RSTART + 16, RLENGTH - 16) }
         END { printf "%.9g %.9g %d %d\n", sd, ss, reply, push }' "$here/out"
}

for how in "run -n 3 -t 1" "run -n 4 -t 2" "sim -n 7 --seed=3" "sim -n 16 --seed=5" "run -t 1"; do
    rm -rf tr
    run luna $how --trace=tr spread.fa
    code 0
    run luna stats --json tr
    code 0
    holds "all sends: $(sends tr) = $(told)" "$(sends tr)" = "$(told)"
    run luna stats tr --json --df=s
    holds "those of s: $(sends tr s) = $(told)" "$(sends tr s)" = "$(told)"
    run luna stats tr --json --df=x,s
    holds "both" "$(sends tr)" = "$(told)"
    run luna stats tr --json --df=xs
    holds "none" "$(told)" = "0 0 0 0"
done

# By hand: node 0 sends 1 and 2 far, node 1 once 1 far, node 2 nothing but a collective.
mkdir hand
cat >hand/run.json <<'E'
{"version":"0.1.0", "program":"hand.fa", "hash":"0", "command":["luna"], "nodes":3, "workers":2,
 "transport":"local", "distributor":"rope", "lattice":[3], "cells":[2,2], "seed":null, "later":[4,-4.5e1],
 "hosts":["a\"b"], "start":"", "end":"done", "exit_code":0, "duration":1000000000}
E
cat >hand/node-00000.jsonl <<'E'
{"t":0,"ev":"own","cells":[[0,0],[0,1]]}
{"t":10,"ev":"send","to":1,"df":"u[0]","bytes":1048576,"dist":1,"why":"reply"}
{"t":20,"ev":"send","to":2,"df":"v","bytes":2097152,"dist":2,"why":"migrate"}
{"t":30,"ev":"exec","cf":"step[1][2]","line":41,"worker":1,"dur":500000000}
{"t":40,"ev":"exec","cf":"step[1][3]","line":41,"worker":0,"dur":250000000}
{"t":50,"ev":"exec","cf":"init","line":7,"worker":0,"dur":50000000}
{"t":50000000,"ev":"load","bytes":3145728,"count":2,"cells":2}
{"t":60000000,"ev":"move","cell":[0,1],"to":2,"txn":"0.1"}
{"t":950000000,"ev":"load","bytes":1048576,"count":1,"cells":2}
{"ev":"end","ctl_msgs":3,"ctl_bytes":100,"idle":1000000000}
E
cat >hand/node-00001.jsonl <<'E'
{"ev":"send", "t":10, "to":0, "why":"push", "dist":1, "bytes":1048576, "df":"u[1]", "more":{"a":[1,null]}}
{"t":40000000,"ev":"load","bytes":1048576,"count":2,"cells":1}
{"t":30000000,"ev":"load","bytes":9048576,"count":2,"cells":4}
{"ev":"end","ctl_msgs":4,"ctl_bytes":50}
E
cat >hand/node-00002.jsonl <<'E'
{"t":10,"ev":"send","to":0,"df":"u[1]","bytes":7,"dist":2,"why":"collective"}
{"ev":"end","ctl_msgs":0,"ctl_bytes":0}
E
run luna stats hand
code 0
quiet
out <<'E'
hand.fa on 3 nodes x 2 workers, local: done after 1.000 s

sends            messages          bytes
  reply                   1       1.00 MiB
  push                    1       1.00 MiB
  migrate                 1       2.00 MiB
  collective              1            7 B
  control                 7          150 B
  AvgSD 1.25   distance of a send: mean per node, mean of those that sent
  AvgSS 1.333 MiB   sent by a node: mean of all
  cells moved: 1

live fragments         mean            max  on node   max/mean    cells of a node    moved
    100.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        1
    200.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    300.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    400.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    500.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    600.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    700.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    800.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
    900.00 ms       1.33 MiB       3.00 MiB        0      2.250        0        2        0
      1.000 s     682.67 KiB       1.00 MiB        0      1.500        0        2        0

node        in calls           in protocols                idle              calls
  0          800.00 ms  40.0%   200.00 ms  10.0%     1.000 s  50.0%            3
  1            0.00 us   0.0%     0.00 us   0.0%     2.000 s 100.0%            0
  2            0.00 us   0.0%     0.00 us   0.0%     2.000 s 100.0%            0
  mean       266.67 ms  13.3%    66.67 ms   3.3%     1.667 s  83.3%            1

       count          total           mean   hottest calls
           2      750.00 ms      375.00 ms   step, line 41
           1       50.00 ms       50.00 ms   init, line 7
E
run luna stats hand --df=u
out_has "AvgSD 1  "
out_has "AvgSS 0.6667 MiB"
out_has "of: u"
quiet
run luna stats hand --df=u,uu
code 0
err <<'E'
luna: no value of 'uu' was sent
E
run luna stats --json hand
out_has '"AvgSD":1.25,"AvgSS":1.3333333333333333,'
out_has '"imbalance":2.25,"cells_min":0,"cells_max":2,"moves":1}'
out_has '"control":{"count":7,"bytes":150},"moves":1'
out_has '{"name":"step","line":41,"count":2,"total":0.750000000,"mean":0.375000000}'
out_has '{"node":0,"calls":0.800000000,"protocol":0.200000000,"idle":1.000000000,"count":3}'

finish
