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
cat >full.fa <<'E'
C head ${{
#include <unistd.h>
$}}
C sub fill(name v, int mib) ${{ *(char *)luna_create(v, (size_t)mib << 20) = 1; $}}
C sub late(value a, value b, value c, int tenths)
${{ (void)a, (void)b, (void)c; usleep(100000 * tenths); $}}
sub main(int tenths)
{
    df large, half, part, small, tiny, none;
    fill(large, 120);
    fill(half, 60);
    fill(part[0], 20);
    fill(part[1], 20);
    fill(small, 30);
    fill(tiny, 2);
    fill(none, 1);
    late(large, half, small, tenths) --> (large);
    late(part[0], tiny, none, 0);
}
E
cat >deep.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub main(int n) down(n);
sub down(int n) { if n == 0 say(n); if n != 0 down(n - 2); }
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

    # Beyond half of the memory: the five fragments that hold most of it.
    luna build --proof=off full.fa -o full
    if [ -z "${SANITIZED:-}" ]; then # sanitizers reserve terabytes
        terminal "ulimit -v 400000; exec ./full -t 1 25"
        code 0
        most="'large' 120 MiB, 'half' 60 MiB, 'part' 40 MiB, 'small' 30 MiB, 'tiny' 2 MiB"
        out_has " MiB: $most$(printf '\033')"
    fi
    terminal "./full -t 1 25"
    out_has " MiB$(printf '\033')"
    # A recursion without end: how deep.
    terminal "timeout -s INT 4 '$LUNA' run -t 1 deep.fa 5"
    out_has "calls run, 0 wait, 'down' is nested 65535 deep, or more, "
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
