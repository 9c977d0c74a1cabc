#!/bin/sh
# figures.sh - the figures of luna report are those of luna stats, and of awk from the files.
. "${0%/*}/../trace/lib.sh"
sums

# Of all calls and sends: "calls ns values bytes", and a line for each function: "name line calls ns".
counted() {
    cat "$1"/node-*.jsonl | awk "$awk_fields"'
        /"ev":"send"/ { values++; bytes += number("bytes") }
        /"ev":"exec"/ {
            name = text("cf")
            sub(/\[.*/, "", name)
            name = name " " number("line")
            calls++; ns += number("dur"); n[name]++; sum[name] += number("dur")
        }
        END {
            printf "%d %.0f %d %.0f\n", calls, ns, values, bytes
            for (i in n) printf "%s %d %.0f\n", i, n[i], sum[i] | "sort"
        }'
}

# The same as luna report --json tells it, and per function as luna stats --json does.
rows() { sed -n 's/^ *{"name":"\([^"]*\)","line":\([0-9]*\),"count":\([0-9]*\),"total":\([0-9.]*\),.*/\1 \2 \3 \4/p' "$1"; }
told() {
    awk '{ if (match($0, /"calls":[0-9]+,"in_calls":[0-9]+/) && !seen++) {
               split(substr($0, RSTART, RLENGTH), x, /[:,]/); calls = x[2]; ns = x[4] } }
         /^ "sent":/ {
             gsub(/^ "sent":\[\[|\]\],?$/, ""); m = split($0, row, /\],\[/)
             for (i = 1; i <= m; i++) { split(row[i], x, ","); bytes += x[3]; values += x[4] } }
         END { printf "%d %.0f %d %.0f\n", calls, ns, values, bytes }' "$1"
    rows "$1" | sort
}

for how in "run -n 3 -t 1" "run -n 2 -t 2" "sim -n 7 --seed=3" "sim -n 100" "run -t 1"; do
    rm -rf tr
    run luna $how --trace=tr spread.fa
    code 0
    run luna report --json tr
    code 0
    quiet
    counted tr >want
    told "$here/out" >got
    holds "$how: $(head -n 1 want) = $(head -n 1 got)" "$(cat want)" = "$(cat got)"
    cp "$here/out" report.json
    run luna stats --json tr
    rows report.json >got
    rows "$here/out" | awk '{ sub(/\./, "", $4); sub(/^0+/, "", $4); print $1, $2, $3, $4 + 0 }' >want
    holds "$how: as luna stats" "$(cat want)" = "$(cat got)"
    sum=$(sed -n 's/.*"in_calls":\([0-9]*\),"runtime":\([0-9]*\),"idle":\([0-9]*\),"wasted.*"waits".*/\1 + \2 + \3/p' report.json)
    all=$(sed -n 's/.*"duration":\([0-9]*\),"nodes":\([0-9]*\),"workers":\([0-9]*\).*/\1 * \2 * \3/p' report.json)
    holds "$how: $sum = $all" "$(($sum))" = "$(($all))"
done

# By hand: a gap of node 1 that ends with a value of node 0, one of node 0 that ends with none.
owned hand 2 null null </dev/null
sed -i 's/"duration":1000000000/"duration":1000000/; s/"workers":1,/"workers":1, "cores":4,/' hand/run.json
later hand 0 '{"t":100000,"ev":"exec","cf":"a[1]","line":3,"worker":0,"dur":100000}' \
    '{"t":210000,"ev":"send","to":1,"df":"x[1]","bytes":8,"dist":1,"why":"push"}' \
    '{"t":500000,"ev":"exec","cf":"a[2]","line":3,"worker":0,"dur":100000}' \
    '{"t":600000,"ev":"load","bytes":5000,"count":2,"cells":0}' \
    '{"ev":"worker","worker":0,"calls":2,"in_calls":200000,"runtime":0,"idle":800000,"wasted":0,"steals":0,"naps":1}'
later hand 1 '{"t":0,"ev":"exec","cf":"b","line":7,"worker":0,"dur":100000}' \
    '{"t":300000,"ev":"exec","cf":"c[-1]","line":8,"worker":0,"dur":600000}' \
    '{"t":900000,"ev":"load","bytes":3000,"count":1,"cells":0}' \
    '{"ev":"worker","worker":0,"calls":2,"in_calls":700000,"runtime":50000,"idle":250000,"wasted":50000,"steals":0,"naps":1}'
run luna report --json hand
code 0
# Node 0: 100 before, 300 of its own, 400 behind. Node 1: gaps of 200 and 100, for 200 it was idle.
out_has '"waits":{"others":133333,"own":300000,"start":100000,"end":466667,"nothing":0}'
out_has '"waited":[[1,0,133333]]'
out_has '"sent":[[0,1,8,1]]'
out_has '"balance":0.642857'
out_has '"alone":700000}' # all but 200-300, 500-600, 900-1000
out_has '"path":{"told":0,"calls":2,"in_calls":700000,"messages":1,"in_messages":100000,"between":0'
out_has '{"call":"c[-1]","sub":0,"node":1,"worker":0,"t":300000,"dur":600000}'
out_has '"peak":8000,"left":8000,"left_count":3'

finish
