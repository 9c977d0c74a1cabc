# What a program prints arrives, or the run says that it does not: exit code 5, whatever carries it.
. "${0%/*}/lib.sh"
cat >lines.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main(int n) { for i = 1 .. n { say(i) @ { locator_cyclic: i; }; } }
E
cat >silent.fa <<'E'
C sub nothing(int k) ${{ (void)k; $}}
sub main() nothing(1);
E
cat >asked.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main() { df x; seti(x, 1); }
E
luna run -q lines.fa 1 >/dev/null
luna build lines.fa -o lines

# Sends stdout where it cannot be written; stderr is kept.
full() { last="$* >/dev/full"; "$@" >/dev/full 2>"$here/err" </dev/null; last_code=$?; }
closed() { last="$* >&-"; "$@" >&- 2>"$here/err" </dev/null; last_code=$?; }
headed() {
    last="$* | head -1"
    { "$@" 2>"$here/err" </dev/null; echo $? >"$here/code"; } | head -1 >"$here/out"
    last_code=$(cat "$here/code")
}
lost() {
    code 5
    err_has "error: cannot write "
    holds "it is said once" "$(grep -c stdout "$here/err")" = 1
}

for n in 1 100000; do
    full luna run lines.fa $n
    lost
    full ./lines $n
    lost
done
full luna run lines.fa 1
err_has "luna: error: cannot write to stdout: No space left on device"
full luna run -n 2 lines.fa 10
lost
full luna sim -n 2 lines.fa 10
lost
full luna dump --pass=emit lines.fa
lost
full luna help
lost
# What is larger than a buffer of stdio, too: it has failed before it is flushed.
luna run -q --trace=tr lines.fa 10 >/dev/null
for what in "dump --pass=emit lines.fa" "report --json tr" "report tr -o -"; do
    full luna $what
    code 5
    err <<'E'
luna: error: cannot write to stdout: No space left on device
E
done
full luna run silent.fa
code 0
quiet

# What is asked for on stderr, too: there only the exit code can tell. Notes may be lost.
mute() { last="$* 2>/dev/full"; "$@" >"$here/out" 2>/dev/full </dev/null; last_code=$?; }
for what in --hash --hash=values --stats '--print=x'; do
    mute luna run -q $what asked.fa
    code 5
    mute luna run -q -n 2 $what asked.fa
    code 5
done
mute luna run asked.fa
code 0

# A fault of the program stays what it is; what is lost is told beside it.
cat >fails.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub say(int k) ${{ printf("%d\n", k); if (k > 1) luna_fail("no"); $}}
sub main() { say(1); say(2); }
E
full luna run -t 1 fails.fa
code 3
err_has "error[RUN5]: no"
err_has "error: cannot write to stdout"

# A stream that is closed is nobody else's file.
for k in 1 2 3; do
    closed luna run -t 2 --trace=trace$k lines.fa 50
    code 5
    err_has "cannot write to stdout: Bad file descriptor"
    holds "no line of the program is in the trace" -z "$(grep -hx '[0-9]*' trace$k/*)"
done
closed ./lines 5
code 5
closed luna run silent.fa
code 0
export LUNA
run sh -c 'exec "$LUNA" run lines.fa 3 2>&-'
code 0
run sh -c 'exec "$LUNA" run lines.fa 3 <&-'
code 0

# A reader that has gone is no fault.
headed luna run lines.fa 100000
code 141
quiet

if luna run -n 2 --transport=mpi silent.fa 2>/dev/null; then
    full luna run -n 2 --transport=mpi lines.fa 1
    lost
    full luna run -n 2 --transport=mpi lines.fa 2000
    code 5
    err_has "error: cannot write "
    closed luna run -n 2 --transport=mpi lines.fa 4
    code 5
    headed luna run -n 2 --transport=mpi lines.fa 100000
    code 141
    quiet
else
    skip "ranks: there is no MPI"
fi
finish
