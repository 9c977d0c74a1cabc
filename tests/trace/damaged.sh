#!/bin/sh
# damaged.sh - luna stats refuses what is no whole trace, and names the line.
. "${0%/*}/lib.sh"
sums
run luna run -n 2 -t 1 --trace=whole spread.fa

# damage LINE TEXT SED: node 1's file, changed so, is refused there for that reason.
damage() {
    rm -rf tr
    cp -r whole tr
    sed -i "$3" tr/node-00001.jsonl
    run luna stats tr
    code 2
    out </dev/null
    err <<E
luna: error: tr/node-00001.jsonl:$1: the trace is damaged: $2
hint: $(hint_of "$2")
E
}
lines=$(wc -l <whole/node-00001.jsonl)
send=$(grep -n '"send"' whole/node-00001.jsonl | head -n 1 | cut -d: -f1)
exec=$(grep -n '"exec"' whole/node-00001.jsonl | head -n 1 | cut -d: -f1)
recv=$(grep -n '"recv"' whole/node-00001.jsonl | head -n 1 | cut -d: -f1)
load=$(grep -n '"load"' whole/node-00001.jsonl | head -n 1 | cut -d: -f1)
damage $lines 'the last event, "end", is missing' '$d'
damage $((lines + 1)) 'something stands behind the last event' '$p'
damage 3 "'{' was expected" '3s/^/x/'
damage 3 "'{' was expected" '3s/.*//'
damage 3 "',' or '}' was expected" '3s/}$//'
damage 3 "something stands behind the closing '}'" '3s/$/}/'
damage 3 'it lacks "ev"' '3s/"ev":"[a-z]*",//'
damage 3 'its "ev" is none of this version' '3s/"ev":"[a-z]*"/"ev":"sent"/'
damage 3 'it lacks a field of its event' '3s/"t":[0-9]*,//'
damage 3 'a field is there twice' '3s/{\("t":[0-9]*\)/{\1,\1/'
damage 3 'a number that is 0 or more was expected' '3s/"t":/"t":-/'
damage 3 'a number is no integer of 64 bits' '3s/"t":/"t":99999999999999999999/'
damage 3 'a number is no integer of 64 bits' '3s/"t":\([0-9]*\)/"t":\1.5/'
damage $exec 'a call ends after the run: is this file of another run?' "${exec}s/\"dur\":/\"dur\":9999999/"
damage $send '"to" is no node of this run' "${send}s/\"to\":[0-9]*/\"to\":2/"
damage $send 'its "why" is none of this version' "${send}s/\"why\":\"[a-z]*\"/\"why\":\"fun\"/"
damage $send '"by" is no call and no message of this run' "${send}s/\"by\":\[[0-9]*/\"by\":[2/"
damage $send '"by" is no call and no message of this run' "${send}s/\"by\":.*\]/\"by\":[1,1,1]/"
damage $send '"by" is no call and no message of this run' "${send}s/\"by\":.*\]/\"by\":[1,0,0]/"
damage $send "'[' was expected" "${send}s/\"by\":.*\]/\"by\":7/"
damage $send "',' was expected" "${send}s/\"by\":.*\]/\"by\":[1]/"
damage $send "',' was expected" "${send}s/\"by\":.*\]/\"by\":[1,0]/"
damage $send "']' was expected" "${send}s/\"by\":.*\]/\"by\":[1,0,1,4]/"
damage $send 'a worker, or "m", was expected' "${send}s/\"by\":.*\]/\"by\":[1,\"n\",1]/"
damage $recv '"from" is no node of this run' "${recv}s/\"from\":[0-9]*/\"from\":2/"
damage $recv 'it lacks a field of its event' "${recv}s/,\"k\":[0-9]*//"
damage $send 'a text does not end' "${send}s/\(\"why\":\"[a-z]*\).*/\1/"
damage $send 'a text has a wrong escape' "${send}s/\"df\":\"/&\\\\q/"
damage $exec '"worker" is none of this run' "${exec}s/\"worker\":0/\"worker\":1/"
damage $load 'it lacks a field of its event' "${load}s/,\"cells\":0//"

# What the workers did: each tells it once, in order; all or none.
worker=$((lines - 1))
damage $worker 'it lacks a field of its event' "${worker}s/,\"naps\":[0-9]*//"
damage $worker 'it lacks a field of its event' "${worker}s/,\"idle\":[0-9]*//"
damage $worker '"worker" is none of this run' "${worker}s/\"worker\":0/\"worker\":1/"
damage $worker 'more time was wasted than idle' "${worker}s/\"wasted\":[0-9]*/\"wasted\":1000000000000000/"
damage $lines '"worker" is out of turn' "${worker}p"
rm -rf whole
run luna run -n 2 -t 2 --trace=whole spread.fa
lines=$(wc -l <whole/node-00001.jsonl)
damage $((lines - 2)) '"worker" is out of turn' "$((lines - 2))d"
df=$(grep -n '"ev":"df"' whole/node-00001.jsonl | head -n 1 | cut -d: -f1)
damage $df 'it lacks a field of its event' "${df}s/,\"made\":[0-9]*//"
damage $((lines - 1)) 'not every worker has told what it did' "$((lines - 1))d"

# Whole lines: the last one counts them. That of a trace of before did not.
missing() { damage "$1" "the run wrote $lines lines here, and $2 are there" "$3"; }
missing $((lines - 1)) $((lines - 1)) 2d
missing $((lines - 1)) $((lines - 1)) "${df}d"
missing $((lines - 9)) $((lines - 9)) 3,11d
missing $((lines + 1)) $((lines + 1)) 2p
holds "the last line has their number" "$(tail -n 1 whole/node-00000.jsonl | field lines)" -eq "$(wc -l <whole/node-00000.jsonl)"
rm -rf tr
cp -r whole tr
sed -i 's/,"lines":[0-9]*//; 3d' tr/node-00001.jsonl
run luna stats tr
code 0

# Cut anywhere it is never taken for whole.
size=$(wc -c <whole/node-00001.jsonl)
for cut in $((size - 1)) $((size - 2)) $((size - 20)) $((size - 60)) $((size / 2)) 10 1 0; do
    rm -rf tr
    cp -r whole tr
    head -c $cut whole/node-00001.jsonl >tr/node-00001.jsonl
    run luna stats tr
    code 2
    err_has "tr/node-00001.jsonl:"
    err_has "the trace is damaged: "
done
{ printf '{\0' && cat whole/node-00001.jsonl; } >tr/node-00001.jsonl
run luna stats tr
code 2
err_has "tr/node-00001.jsonl:1: the trace is damaged: the line has bytes that are no text"

rm tr/node-00001.jsonl
run luna stats tr
code 2
err_has "cannot read 'tr/node-00001.jsonl': No such file or directory"
mkfifo tr/node-00001.jsonl
run timeout 20 "$LUNA" stats tr
code 2
err_has "cannot read 'tr/node-00001.jsonl': it is a FIFO, and a regular file is needed"

# run.json
wrong() {
    rm -rf tr
    cp -r whole tr
    sed -i "$2" tr/run.json
    run luna stats tr
    code 2
    out </dev/null
    err_has "$1"
}
wrong "tr/run.json:5: the trace is damaged: a number that is 0 or more was expected" '5s/:.*/:"2",/'
wrong "tr/run.json:1: the trace is damaged: what was run is not all there" '5d'
wrong "tr/run.json:1: the trace is damaged: its number of nodes or workers cannot be" '5s/:.*/:0,/'
wrong "tr/run.json:1: the trace is damaged: its number of nodes or workers cannot be" '6s/:.*/:999999999,/'
wrong "tr/run.json: the run that writes this trace has not ended" '/"duration"/d; s/"exit_code":0,/"x":1}/'
: >tr/run.json
run luna stats tr
code 2
err_has "tr/run.json:1: the trace is damaged: it is empty"
rm tr/run.json
mkfifo tr/run.json
run timeout 20 "$LUNA" stats tr
code 2
err_has "cannot read 'tr/run.json': it is a FIFO"
rm tr/run.json
run luna stats tr
code 2
err <<'E'
luna: error: cannot read 'tr/run.json': No such file or directory
hint: a trace is the folder that luna run --trace=DIR has written, with all its files
E

run luna stats
code 2
err_has "no TRACE_DIR was given"
run luna stats none
code 2
err_has "no such folder: 'none'"
: >file
run luna stats file
code 2
err_has "'file' is a file, not the folder of a trace"
err_has "hint: TRACE_DIR is the folder that luna run --trace=DIR has written"
run luna stats tr tr
code 2
err_has "'luna stats' takes one TRACE_DIR; 'tr' is one word too many"
run luna stats --hash tr
code 2
err_has "not of 'luna stats'"

finish
