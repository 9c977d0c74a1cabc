#!/bin/sh
# binary.sh - --trace-format=binary: of the same simulated run both formats say the same, byte by byte, to
# all that read them; what is damaged is refused.
. "${0%/*}/lib.sh"
sums
tests=$(cd "${0%/*}/.." && pwd)
apps=$tests/../apps

# ---- the same run, text and binary ----
both() { # both OPTIONS... FILE
    rm -rf text binary
    run luna sim -q --trace=text "$@"
    code 0
    run luna sim -q --trace=binary --trace-format=binary "$@"
    code 0
    holds "nothing else is in the folder" -z "$(ls binary | grep -v '^node-[0-9]*.ltr$' | grep -v '^run.json$')"
    run luna export -q --to=text -o again binary
    code 0
    quiet
    for file in text/node-*.jsonl; do
        run cmp "$file" "again/${file#text/}"
        code 0
    done
    holds "no other files" "$(ls text)" = "$(ls again)"
    rm -rf again
}
equal() { # equal COMMAND...: what it says of both
    run "$@" text
    code 0
    cp "$here/out" "$here/first"
    run "$@" binary
    code 0
    same out <"$here/first"
}
events_of=0
for nodes in 1 4; do
    for name in cells parts_move reduce_cells push reduce trees stealing lists_cells; do
        program=$tests/programs/$name/$name.fa
        [ $nodes = 1 ] || both -n $nodes --seed=4 "$program"
        both -n $nodes --seed=7 --trace-values -b "$program"
        events_of=$((events_of + $(cat text/*.jsonl | wc -l)))
    done
done
holds "there is much: $events_of" "$events_of" -gt 2000
for how in "--balance=two-phase" "--balance=paper" "--distrib=rope --balance=two-phase --trace-values"; do
    both -n 4 --start=half $how --balance-every=200us --balance-threshold=0% "$apps/pic2d/pic2d.fa"
    holds "cells move" "$(events text move)" -gt 0
    equal luna map
done
both -n 4 -D GRID=16 -D FG=4 -D ITERS=10 -D EPS=0 --seed=5 "$apps/poisson3d/poisson3d.fa"
holds "there is something" "$(events text exec)" -gt 100 -a "$(events text recv)" -gt 10
run luna export -q --to=text -o again binary
cp -r text first
rm -rf text
mv again text
equal luna stats
rm -rf text
mv first text
equal luna export --to=csv -o -
equal luna export --to=csv-sends -o -
equal luna export --to=perfetto -o -
equal luna export --to=paje -o -
equal luna stats
equal luna stats --json
equal luna map
for dir in text binary; do
    run luna report --json -o - $dir
    code 0
    grep -v '"command"\|"start"' "$here/out" | sed 's/"start":"[^"]*"//; s/"command":\[[^]]*\]//; s/--trace[a-z=-]*//g' >"$here/$dir.page"
done
run cmp "$here/text.page" "$here/binary.page"
code 0
run luna report -q text binary
code 0
holds "both are compared" -s binary/compare.html
rm binary/compare.html
bytes=$(cat binary/*.ltr | wc -c) lines=$(cat text/*.jsonl | wc -l)
holds "it is small: $bytes bytes of $lines lines" "$bytes" -lt $((25 * lines))

# ---- runs with threads: causes are in order ----
run luna run -q -n 2 -t 2 --trace=threads --trace-format=binary --trace-values spread.fa
code 0
run luna stats threads
code 0
out_has "spread.fa on 2 nodes x 2 workers"
run luna export -q --to=text threads
code 0
holds "all calls" "$(events threads/text exec)" -eq 82
run sh "$tests/trace/enablers.sh" threads/text
code 0
run sh "$tests/trace/causes.sh" threads/text
code 0
run luna build spread.fa -o prog
run ./prog -n 2 --trace=built --trace-format=binary
code 0
run luna stats built
code 0
out_has "spread.fa on 2 nodes"
run luna run -q -n 2 --report=page.html spread.fa
code 0
holds "a page" -s page.html

# A long one fills blocks of 64 KiB; one line may be longer than a block.
cat >long.fa <<'F'
C sub nop(int i) ${{ (void)i; $}}
sub main(int n) { for i = 1..n nop(i); }
F
both --trace-every=10ms long.fa 40000
holds "several blocks" "$(grep -ao LTR2 binary/node-00000.ltr | wc -l)" -gt 4
cat >wide.fa <<'F'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub count(value x[], name s) ${{ luna_set_int(s, (int)x->n); $}}
sub main(int n) { df x, s; for i = 1..n seti(x[i], i); for k = 1..2 count(x[i] over i = 1..n, s[k]); }
F
both --trace-values -n 2 wide.fa 9000
holds "a long line" "$(wc -L <text/node-00000.jsonl)" -gt 65536

# ---- one folder, one format ----
run luna sim -q -n 5 --trace=tr spread.fa
run luna sim -q -n 2 --trace=tr --trace-format=binary spread.fa
holds "no text is left" "$(ls tr | tr '\n' ' ')" = "node-00000.ltr node-00001.ltr run.json "
run luna sim -q -n 3 --trace=tr --trace-format=text spread.fa
holds "nothing binary is left" "$(ls tr | tr '\n' ' ')" = "node-00000.jsonl node-00001.jsonl node-00002.jsonl run.json "
holds "the format is told" "$(field format <tr/run.json)" = text

# ---- messages ----
run luna run --trace=tr --trace-format=xml spread.fa
code 2
err_has "luna: error: --trace-format is text or binary, not 'xml'"
run luna run --trace-format=binary spread.fa
code 2
err_has "luna: error: --trace-format says how a trace is written: give --trace=DIR too"
run luna run --trace=tr --trace-format spread.fa
code 2
err_has "--trace-format needs a value: --trace-format=text|binary"
run luna export --to=text tr
code 2
err_has "luna: error: the trace in 'tr' is of text: there is nothing to do"
run luna export --to=text binary -o -
code 2
err_has "luna: error: '-': what --to=text writes is a folder"
mkdir there
run luna export --to=text binary -o there
code 2
err <<'F'
luna: error: 'there' is there already
hint: -o names a folder that is not there yet
F
run luna export --to=text binary -o no/where
code 2
err_has "cannot write 'no/where': No such file or directory"
# Nothing half is left when the disk ends, or luna is ended.
run sh -c "ulimit -f 1; exec '$LUNA' export --to=text binary -o limited/"
code 5
err <<'F'
luna: error: cannot write 'limited/': File too large
F
holds "nothing half is left" -z "$(ls -d limited* 2>/dev/null)"
run luna export -q --to=text binary -o strokes//
code 0
holds "only the folder" "$(ls -d strokes*)" = strokes
mkdir kept.part
run luna export --to=text binary -o kept
code 2
err <<'F'
luna: error: 'kept.part' is there already
hint: luna export writes there first; if one that was killed has left it, remove it
F
holds "it is not ours" -d kept.part
sed -i 's/"format":"text"/"format":"xml"/' tr/run.json
run luna stats tr
code 2
err_has "tr/run.json:1: the trace is damaged: its format is none of this version"

# ---- damaged ----
run luna sim -q -n 2 --seed=3 --trace=whole --trace-format=binary spread.fa
size=$(wc -c <whole/node-00001.ltr)
damaged() { # damaged TEXT: tr, whose file of node 1 was changed, is refused for this reason
    for command in "stats" "report" "export --to=csv" "export --to=text"; do
        run luna $command tr
        code 2
        out </dev/null
        err_has "$1"
        err_has "hint: $(hint_of "$1")"
    done
}
again() { rm -rf tr && cp -r whole tr; }
again
head -c $((size - 5)) whole/node-00001.ltr >tr/node-00001.ltr
damaged ': the trace is damaged: a block is cut short'
again
block=0 # the first with records; in front of it are lines of the node
while set -- $(od -An -tu4 -j $((block + 8)) -N 8 tr/node-00001.ltr) && [ "$2" = 4294967295 ]; do
    block=$((block + $1))
done
first=$((block + 32))
"$FLIPS" tr/node-00001.ltr $first 6
damaged "tr/node-00001.ltr:$block: the trace is damaged: a record is of no kind of this version"
again
"$FLIPS" tr/node-00001.ltr $first 130
"$FLIPS" tr/node-00001.ltr $((first + 1)) 4
damaged "tr/node-00001.ltr:$block: the trace is damaged: a record has flags of a later version"
again
echo more >>tr/node-00001.ltr
damaged "tr/node-00001.ltr:$size: the trace is damaged: a block is cut short"
again
head -c 40 whole/node-00001.ltr >>tr/node-00001.ltr
damaged "tr/node-00001.ltr:$size: the trace is damaged: a block is cut short"
again
cat whole/node-00001.ltr >>tr/node-00001.ltr
damaged "tr/node-00001.ltr:$size: the trace is damaged: a block is there twice, or out of turn"
again
printf 'XTR1' | dd of=tr/node-00001.ltr conv=notrunc status=none
damaged 'tr/node-00001.ltr:0: the trace is damaged: no block begins here'
again
printf 'x' | dd of=tr/node-00001.ltr conv=notrunc bs=1 seek=$((size / 2)) status=none
damaged 'the trace is damaged: the checksum of a block is another'
again
last_block=$(grep -abo LTR2 whole/node-00001.ltr | tail -n 1 | cut -d: -f1)
head -c "$last_block" whole/node-00001.ltr >tr/node-00001.ltr
damaged "tr/node-00001.ltr:$last_block: the trace is damaged: the last event, \"end\", is missing"
# Blocks that are missing as a whole, or are there twice.
rm -rf gaps
run luna run -q -t 1 --trace=gaps --trace-format=binary long.fa 40000
code 0
file=node-00000.ltr
grep -abo LTR2 gaps/$file | cut -d: -f1 >starts
lines=$(luna export -q --to=text -o gaps.text gaps && wc -l <gaps.text/node-00000.jsonl)
start() { sed -n "$1p" starts; }
without() { # without BLOCK [TIMES]: so many of it
    rm -rf tr && cp -r gaps tr
    {
        head -c "$(start "$1")" gaps/$file
        for _ in $(seq "${2:-0}"); do
            tail -c +$(($(start "$1") + 1)) gaps/$file | head -c $(($(start $(($1 + 1))) - $(start "$1")))
        done
        tail -c +$(($(start $(($1 + 1))) + 1)) gaps/$file
    } >tr/$file
}
without 3
damaged "tr/$file:$(start 3): the trace is damaged: a block that was written before this one is missing"
without 3 2
damaged "tr/$file:$(start 4): the trace is damaged: a block is there twice, or out of turn"
without 1 # the cells at the start: the node's next block is the load at the end
own=$(start 2) blocks=$(wc -l <starts)
damaged "tr/$file:$(($(start $((blocks - 2))) - own)): the trace is damaged: a block that was written before this one is missing"
without $((blocks - 3)) # the last of the worker: only the count tells
damaged ": the trace is damaged: the run wrote $lines lines here, and "
without $((blocks - 1)) # what the worker did
damaged "tr/$file:$(start $((blocks - 1))): the trace is damaged: a block that was written before this one is missing"
# A trace of before, whose blocks have no numbers.
cp -r "$tests/trace/old" old
for command in stats report; do
    run luna $command old
    code 0
done
run luna export -q --to=text old
code 0
holds "all calls" "$(events old/text exec)" -eq 6
printf 'LTR2' | dd of=old/node-00000.ltr conv=notrunc status=none
run luna stats old
code 2
err_has "old/node-00000.ltr:0: the trace is damaged: a block that was written before this one is missing"
cp -r "$tests/trace/old" mixed
cp whole/node-00000.ltr mixed/
cat "$tests/trace/old/node-00000.ltr" >>mixed/node-00000.ltr
run luna stats mixed
code 2
err_has "mixed/node-00000.ltr:$(wc -c <whole/node-00000.ltr): the trace is damaged: no block begins here"
again
rm tr/node-00001.ltr
run luna stats tr
code 2
err_has "cannot read 'tr/node-00001.ltr': No such file or directory"
# A run that was killed.
cat >kill.fa <<'F'
C head ${{
#include <signal.h>
#include <unistd.h>
$}}
C sub work(int i) ${{ (void)i; if (i == 20000) kill(getpid(), SIGKILL); $}}
sub main() { for i = 1..40000 work(i); }
F
run luna run -t 1 --trace=killed --trace-format=binary kill.fa
holds "it was killed" "$last_code" = 137
run luna stats killed
code 2
err_has "killed/run.json: the run that writes this trace has not ended"
# One with a fault is whole.
cat >bad.fa <<'F'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ if (k == 7) luna_fail("seven"); $}}
sub main() { df x; for i = 0..7 seti(x[i], i); for i = 0..7 eat(x[i]); }
F
for how in "-t 1" "-n 3 -t 2"; do
    run luna run $how --trace=fault --trace-format=binary bad.fa
    code 3
    run luna stats fault
    code 0
    out_has ": fault after"
done

# Every bit, with the checksums put right, too.
cat >few.fa <<'F'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
sub main()
{
    df x;
    for i = 0..2 {
        cf a[i]: seti(x[i], i) @ { locator_cyclic: i; };
        cf b[i]: eat(x[i]) @ { locator_cyclic: i + 1; };
    }
} @ { locator_cyclic x[k] => k + 1; }
F
for how in "" --trace-values; do
    run luna sim -q -n 2 --seed=3 --trace=bits --trace-format=binary $how few.fa
    code 0
    run "$FLIPS" bits
    code 0
    out_has " refused, "
done

finish
