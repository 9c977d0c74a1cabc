#!/bin/sh
# progress.sh - one line on a terminal while a run takes longer than two seconds, elsewhere only with
# --progress; a note when all calls of a long run were on the first node.
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
    out_has ", 0 wait, "
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
    out_has "'down' is nested 65535 deep, or more, "
else
    skip "no script(1) to make a terminal"
fi

# Whole lines, into files too. Loops whose end is known, or is not; of which a sub with an int of the
# loop is called; around which none is.
cat >loops.fa <<'E'
C head ${{
#include <unistd.h>
$}}
C sub first(name x) ${{ luna_set_int(x, 0); $}}
C sub step(value a, name b) ${{ usleep(100000); luna_set_int(b, luna_get_int(a) + 1); $}}
sub by_hand(name x, int t) step(x[t-1], x[t]);
sub deeper(name x, int n) for t = 0 .. 2*n - 1 step(x[t], x[t+1]);
sub main(int n, int how)
{
    df x, last;
    first(x[how == 4 ? 3*n : (how == 5 ? 1020 : 0)]);
    if how == 0 for t = 0 .. n - 1 step(x[t], x[t+1]);
    if how == 1 while x[t] < n, t = 0..out last step(x[t], x[t+1]);
    if how == 2 for t = 0 .. n - 1 by_hand(x, t + 1);
    if how == 3 deeper(x, n);
    if how == 4 for t = 3*n .. 3 by -3 step(x[t], x[t-3]);
    if how == 5 by_value(x, last);
}
C sub thousand(name x) ${{ luna_set_int(x, 1020); $}}
sub by_value(name x, name from) {
    thousand(from);
    for t = from .. 1001 by -1 step(x[t], x[t-1]);
}
E
luna run -q loops.fa 0 9 >/dev/null 2>&1 # compiled
progress() {
    run luna run --progress=0.5 "$@"
    code 0
    err_has "luna: 0.5 s, "
    err_has "luna: 1.0 s, "
}
for t in 1 2; do
    progress -q -t $t loops.fa 20 0
    err_has " of 20 (loops.fa:12), about "
    err_has " s to go, "
    err_has " MiB"
    err_lacks "$(printf '\033')"
    progress -t $t loops.fa 20 2
    err_has " of 20 (loops.fa:14), about "
    progress -t $t loops.fa 10 3
    err_has " of 20 (loops.fa:7), about "
    progress -t $t loops.fa 20 4
    err_has " of 20 (loops.fa:16), about "
    progress -t $t loops.fa 20 1
    if grep -Eq 's, iteration [0-9]+ \(loops.fa:13\), ' "$here/err"; then good; else bad "no turn"; fi
    # Down, nobody knows from where: the counter, and of two calls the larger one is behind.
    progress -t $t loops.fa 20 5
    sed -n 's/.*, iteration \(10[01][0-9]\) (loops.fa:22), .*/\1/p' "$here/err" >turns
    holds "it goes down" "$(sort -rnu turns | head -1)" -gt "$(sort -nu turns | head -1)"
    if sort -rnc turns; then good; else bad "it goes up"; fi
done
err_has ", busy 50 %, "
progress -n 2 -t 1 loops.fa 20 0
err_has ", busiest/mean 2.00, "
if [ "${PERF:-0}" = 1 ]; then
    progress -n 3 --transport=mpi loops.fa 20 0 # the first tells it for all
    err_has " of 20 (loops.fa:12), about "
    err_has ", busiest/mean 3.00, "
    holds "one speaks" "$(grep -c '^luna: 1.0 s' "$here/err")" = 1
fi
run luna run -t 1 --progress long.fa 28
err_has "luna: 1 s, "
err_has "luna: 2 s, 1 calls run, 0/s, 0 wait, "
err_has ", snooze (long.fa:6) since "
run luna run -n 1 --progress=off long.fa 12
quiet
for bad in "" 0 x 1x -1 0x inf 100000; do
    run luna run "--progress=$bad" long.fa 1
    code 2
    err_has "luna: error: --progress= needs seconds, such as 10 or 0.5, or off, not '$bad'"
done

run luna run -n 2 -t 1 long.fa 25
code 0
err_has "luna: note: all calls ran on node 0 of 2: give them places by cells or locators, or make them stealable and use -b"
holds "in one line" "$(wc -l <"$here/err")" = 1
run luna run -n 2 -t 1 -q long.fa 12
quiet
run luna run -n 2 -t 1 long.fa 2
quiet
run luna run -n 2 -t 1 --stats -b long.fa 2
err_has "luna: note: all calls ran on node 0 of 2: give them places by cells or locators, or make them stealable"
err_lacks "use -b"
run luna run -n 1 long.fa 12
quiet
finish
