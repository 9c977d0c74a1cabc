#!/bin/sh
# progress.sh - one line on a terminal while a run takes longer than two seconds, and nowhere else; a note
# when all calls of a long run were on the first node.
. "${0%/*}/lib.sh"

cat >long.fa <<'E'
C head ${{
#include <unistd.h>
$}}
C sub snooze(int tenths) ${{ usleep(100000 * tenths); $}}
C sub bad(int k) ${{ luna_fail("number %d", k); $}}
sub main(int tenths) { snooze(tenths); if tenths > 30 bad(tenths); }
E

run "$LUNA" run -c long.fa
if command -v script >/dev/null; then
    export TERM=xterm
    terminal() { run script -qec "$*" /dev/null; }
    terminal "$LUNA run -t 1 long.fa 25"
    code 0
    out_has "luna: 2 s, "
    out_has " calls run, 0 wait, "
    holds "wiped in the end" "$(tail -c 3 "$here/out" | od -An -tx1 | tr -d ' ')" = 1b5b4b
    terminal "$LUNA run -t 1 long.fa 35"
    code 3
    out_has "$(printf '\r\033[Klong.fa:6:')"
    terminal "$LUNA run -t 1 long.fa 1"
    holds "nothing of a short run" ! -s "$here/out"
    terminal "$LUNA run -t 1 -q long.fa 25"
    holds "nothing with -q" ! -s "$here/out"
else
    skip "no script(1) to make a terminal"
fi

run luna run -n 2 -t 1 long.fa 25
code 0
err_has "luna: note: all calls ran on node 0 of 2: give them places by"
holds "in one line" "$(wc -l <"$here/err")" = 1
run luna run -n 2 -t 1 -q long.fa 12
quiet
run luna run -n 2 -t 1 long.fa 2
quiet
run luna run -n 2 -t 1 --stats long.fa 2
err_has "luna: note: all calls ran on node 0 of 2"
run luna run -n 1 long.fa 12
quiet
finish
