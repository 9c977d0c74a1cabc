#!/bin/sh
# export.sh - luna export: what other tools read equals the trace, by their own readers where there are any.
. "${0%/*}/lib.sh"
sums
run luna run -n 2 -t 2 --trace=tr spread.fa
code 0
calls=$(events tr exec) sends=$(events tr send) loads=$(events tr load)
holds "there is something: $calls $sends $loads" "$calls" -gt 0 -a "$sends" -gt 0 -a "$loads" -gt 0

# ---- tables ----
run luna export tr --to=csv
code 0
out </dev/null
err_has 'luna: tr/calls.csv'
run luna stats --json tr
total=$(sed -n 's/.*"node":.*"worker":.*"in_calls":\([0-9.]*\).*/\1/p' "$here/out" | awk '{ n += $1 * 1e9 } END { printf "%d", n + .5 }')
holds "a line for each call" "$(($(wc -l <tr/calls.csv) - 1))" = "$calls"
holds "the same time" "$(awk -F, 'NR > 1 { n += $4 } END { printf "%d", n }' tr/calls.csv)" = "$total"
run luna export -q tr --to=csv-sends -o -
code 0
quiet
holds "a line for each value" "$(($(wc -l <"$here/out") - 1))" = "$sends"
bytes=$(cat tr/node-*.jsonl | awk "$awk_fields"' /"ev":"send"/ { n += number("bytes") } END { printf "%d", n }')
holds "the same bytes" "$(awk -F, 'NR > 1 { n += $4 } END { printf "%d", n }' "$here/out")" = "$bytes"

holds "their messages" "$(awk -F, 'NR > 1 && $9 { print $1 "." $9 }' "$here/out" | sort -u | wc -l)" = "$(cat tr/node-*.jsonl | grep -c '"recv"')"

# ---- JSON for Perfetto ----
run luna export -q tr --to=perfetto
code 0
quiet
for pair in "X $calls" "i $sends" "C $loads" "M 8"; do
    set -- $pair
    holds "$2 events '$1'" "$(grep -c "\"ph\":\"$1\"" tr/perfetto.json)" = "$2"
done
# Arrows: from the call that made a value to the first that was ready when it came.
run luna sim -q -n 2 -t 1 --trace=arrows spread.fa
run luna export -q arrows --to=perfetto
ends=$(grep '"ph":"f"' arrows/perfetto.json | sed 's/.*"id":"\([0-9.]*\)".*/\1/' | sort)
holds "there are arrows" "$(echo "$ends" | wc -l)" -gt 5
holds "each has one end" -z "$(echo "$ends" | uniq -d)"
grep '"ph":"s"' arrows/perfetto.json | sed 's/.*"id":"\([0-9.]*\)".*/\1/' | sort >begins
holds "and most begin in a call" "$(echo "$ends" | comm -12 - begins | wc -l)" -gt 5
if command -v python3 >/dev/null; then
    cat >nests.py <<'E'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
last, total = {}, 0
for e in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
    lane = e["pid"], e["tid"]
    assert e["tid"] < 2 and e["ts"] >= last.get(lane, 0) - 1e-6, e
    last[lane] = e["ts"] + e["dur"]
    total += round(e["dur"] * 1000)
print(total == int(sys.argv[2]))
E
    run python3 nests.py tr/perfetto.json "$total"
    code 0
    out <<'E'
True
E
fi

# ---- names ----
owned odd 1 null null </dev/null
later odd 0 '{"t":0,"ev":"exec","cf":"a\"b,c[1][2]","line":3,"worker":0,"dur":0}' \
    '{"t":0,"ev":"exec","cf":"a\"b,c[1][3]","line":3,"worker":0,"dur":7}' \
    '{"t":7,"ev":"exec","cf":"wärme","line":4,"worker":0,"dur":1500,"ready":5,"by":[0,"m",2]}'
run luna export odd --to=csv -o -
code 0
out <<'E'
node,worker,begin,duration,line,function,call,ready,by
0,0,0,0,3,"a""b,c","a""b,c[1][2]",,
0,0,0,7,3,"a""b,c","a""b,c[1][3]",,
0,0,7,1500,4,"wärme","wärme",5,0.m.2
E
run luna export odd --to=perfetto -o -
out_has '"name":"a\"b,c","tid":0,"ts":0.000,"dur":0.007,"args":{"call":"a\"b,c[1][3]","line":3}}'
out_has '"name":"wärme","tid":0,"ts":0.007,"dur":1.500,'

# ---- messages; what was there stays ----
run luna export tr
code 2
err_has '--to=FORMAT is missing: perfetto, paje, otf2, csv, csv-sends or text'
run luna export tr --to=otf3
code 2
err_has "--to is perfetto, paje, otf2, csv, csv-sends or text, not 'otf3'"
run luna export --to=csv
code 2
err_has 'no TRACE_DIR was given'
run luna export --to=csv tr tr
code 2
err_has "'luna export' takes one TRACE_DIR"
run luna export --to=csv none
code 2
err_has "no such folder: 'none'"
run luna export --to=csv -o no/such.csv tr
code 2
err <<'E'
luna: error: cannot write 'no/such.csv': No such file or directory
hint: the folder it goes to must be there
E
if [ -c /dev/full ]; then
    run sh -c '"$LUNA" export --to=csv -o - tr >/dev/full'
    code 5
    err_has "cannot write '-': No space left on device"
fi
cp -r tr cut
echo '{"t":' >>cut/node-00001.jsonl
cp tr/calls.csv before.csv
for format in perfetto paje csv csv-sends; do
    run luna export --to=$format -o cut/calls.csv cut
    code 2
    err_has 'cut/node-00001.jsonl'
    holds "what was there is there" "$(cksum <before.csv)" = "$(cksum <cut/calls.csv)"
    holds "nothing half is left" ! -e cut/calls.csv.part
    run luna export --to=$format -o - cut
    code 2
    holds "nothing is printed" ! -s "$here/out"
done
# Nor is it if memory ends, or luna is ended, on the way.
if [ -z "$SANITIZED" ]; then
    cp -r tr large
    truncate -s 1G large/node-00001.jsonl
    run sh -c 'ulimit -v 300000; exec "$LUNA" export --to=csv large'
    code 5
    err_has "cannot read 'large/node-00001.jsonl': Cannot allocate memory"
    holds "nothing half is left" ! -e large/calls.csv.part
    rm -r large
fi
for signal in TERM HUP; do
    rm -rf slow
    cp -r tr slow
    ln -sf /dev/stdin slow/node-00001.jsonl
    sleep 5 2>/dev/null | "$LUNA" export --to=csv slow 2>/dev/null &
    luna=$! # the last of them
    for i in 1 2 3 4 5 6 7 8 9; do [ -e slow/calls.csv.part ] || sleep 0.$i; done
    holds "it is being written" -e slow/calls.csv.part
    kill -$signal $luna
    wait $luna 2>/dev/null
    ended=$?
    holds "SIG$signal ends it: $ended" $ended -gt 128
    holds "nothing half is left" ! -e slow/calls.csv.part
done
# What is no file stays what it is, and a link leads where it led.
mkfifo pipe
cat pipe >piped.csv &
reader=$!
run luna export -q --to=csv -o pipe tr
code 0
holds "a pipe is a pipe" -p pipe
[ -p pipe ] || kill $reader
wait $reader
holds "and its reader has got it" "$(cksum <before.csv)" = "$(cksum <piped.csv)"
echo old >real.csv
ln -s real.csv link.csv
run luna export -q --to=csv -o link.csv tr
code 0
holds "a link is a link" -h link.csv
holds "to what was written" "$(cksum <before.csv)" = "$(cksum <real.csv)"
ln -s new.csv ahead.csv
run luna export -q --to=csv -o ahead.csv tr
code 0
holds "also if there was nothing yet" -h ahead.csv -a "$(cksum <before.csv)" = "$(cksum <new.csv)"
run luna export --to=csv -o cut tr
code 2
err_has "cannot write 'cut': Is a directory"
if [ -c /dev/full ]; then
    ln -s /dev/full full.csv
    run luna export --to=csv -o full.csv tr
    code 5
    err_has "cannot write 'full.csv': No space left on device"
    holds "a device is a device" -c /dev/full -a -h full.csv
fi
run luna help export
code 0
out_has 'usage: luna export TRACE_DIR --to=FORMAT [-o FILE]'

# ---- OTF2, by its own reader ----
reads_otf2() {
    run luna export tr --to=otf2
    code 0
    err_has 'luna: tr/otf2'
    run otf2-print tr/otf2/traces.otf2
    code 0
    holds "not a word" ! -s "$here/err"
    holds "no warning" -z "$(grep -i 'warning\|error' "$here/out")"
    for pair in "ENTER $calls" "LEAVE $calls" "MPI_SEND $messages" "MPI_RECV $messages"; do
        set -- $pair
        holds "$2 of $1" "$(grep -c "^$1 " "$here/out")" = "$2"
    done
    holds "the same bytes" "$(sed -n 's/^MPI_RECV.*Length: \([0-9]*\).*/\1/p' "$here/out" | awk '{ n += $1 } END { print n }')" = "$bytes"
    holds "the same time" "$(awk '/^ENTER / { n -= $3 } /^LEAVE / { n += $3 } END { printf "%d", n }' "$here/out")" = "$total"
    run luna export tr --to=otf2
    code 2
    err <<'E'
luna: error: 'tr/otf2' is there already
hint: -o names a folder that is not there yet
E
    run luna export tr --to=otf2 -o ''
    code 2
    err_has "luna: error: cannot write ''"
    holds "nothing is written here" ! -e traces.def
    run luna export tr --to=otf2 -o -
    code 2
    err_has "luna: error: '-': what --to=otf2 writes is a folder"
    ASAN_OPTIONS=detect_leaks=0 # of a library that has failed
    export ASAN_OPTIONS
    run sh -c "ulimit -f 1; exec '$LUNA' export tr --to=otf2 -o limited"
    code 5
    err <<'E'
luna: error: cannot write 'limited': File is too large
E
    holds "nothing half is left" -z "$(ls -d limited* 2>/dev/null)"
    run luna export tr --to=otf2 -o tr/run.json/x
    code 2
    holds "one line" "$(wc -l <"$here/err")" = 1
    err_has "luna: error: cannot write 'tr/run.json/x': "
    run luna export cut --to=otf2
    code 2
    holds "nothing of a damaged trace" ! -e cut/otf2
}
messages=$(cat tr/node-*.jsonl | grep -c '"recv"')
if [ ! -e "${LUNA%/*}/lib/luna/luna_otf2.so" ]; then
    run luna export tr --to=otf2
    code 5
    err_has "cannot write 'tr/otf2': this build of luna has no OTF2: install libopen-trace-format2-dev"
    skip "no libopen-trace-format2-dev"
elif ! command -v otf2-print >/dev/null; then
    skip "no otf2-print"
else
    reads_otf2
fi

# ---- Paje, by its own reader ----
run luna export tr --to=paje
code 0
err_has 'luna: tr/trace.paje'
command -v pj_dump >/dev/null || { skip "no pj_dump"; exit 77; }
run pj_dump tr/trace.paje
code 0
holds "not a word" ! -s "$here/err"
holds "states" "$(grep -c '^State' "$here/out")" = "$calls"
holds "variables" "$(grep -c '^Variable' "$here/out")" = "$loads"
holds "events" "$(grep -c '^Event' "$here/out")" = "$sends"
holds "messages with values" "$(grep -c '^Link' "$here/out")" = "$(cat tr/node-*.jsonl | grep -c '"recv"')"
holds "containers" "$(grep -c '^Container' "$here/out")" = 8
# pj_dump rounds to us.
holds "the same time" "$(awk -F', ' -v ns="$total" '/^State/ { n += $6; k++ }
    END { off = n - ns / 1e9; print (off < k / 1e6 && off > -k / 1e6) }' "$here/out")" = 1
run luna export odd --to=paje
run pj_dump odd/trace.paje
code 0
holds "of no time, too" "$(grep -c '^State' "$here/out")" = 3
finish
