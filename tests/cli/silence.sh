# What is probably not meant is told, and the run goes on.
. "${0%/*}/lib.sh"
cat >p.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ printf("%d\n", k); fflush(stdout); $}}
#ifndef NN
#define NN 3
#endif
sub main(int n) { df a; seti(a, n); say(a + $NN); }
E

# ---- arguments ----
run luna run -t 1 p.fa 5 -t 1
code 0
out <<'E'
8
E
err <<'E'
luna: warning[RUN11]: '-t' and what follows is no argument of main(int n)
hint: options of luna stand before the arguments of main
E
run luna run -t 1 p.fa 5 6
code 0
err <<'E'
luna: warning[RUN11]: '6' is no argument of main(int n)
E
run luna run -t 1 p.fa 5 -6 --stats
code 0
err <<'E'
luna: warning[RUN11]: '-6' and what follows is no argument of main(int n)
hint: options of luna stand before the arguments of main
E
run luna run --stat p.fa 5
code 2
err_has "hint: did you mean '--stats'?"
run luna run -q -t 1 p.fa 5 6
code 0
quiet
luna build p.fa -o p
run ./p 5 6
code 0
err_has "'6' is no argument of main(int n)"
if luna run -n 2 --transport=mpi p.fa 1 >/dev/null 2>&1; then
    run luna run -n 2 --transport=mpi p.fa 5 6
    holds "it is told once" "$(grep -c 'no argument' "$here/err")" = 1
fi

# ---- -D ----
for k in 1 2; do # each run tells, also one that finds the program in the cache
    run luna run -t 1 -D NNN=7 p.fa 5
    code 0
    out <<'E'
8
E
    err <<'E'
luna: warning: -D NNN has no effect: the program uses no macro or const of this name
hint: did you mean 'NN'?
E
done
run luna run -t 1 -D NN=7 p.fa 5
code 0
quiet
run luna check -D NNN=7 -D NN p.fa
err_has "-D NNN has no effect"
err_lacks "-D NN has"

# ---- a real for an int ----
sed 's/say(a + $NN)/say(1.5)/' p.fa >cut.fa
run luna run -t 1 cut.fa 1
code 0
out <<'E'
1
E
err_has "cut.fa:10:41: warning[SYN1]: parameter 1 'k' of 'say' is int, this is a real: it is cut"
err_has "hint: int(1.5) says that it is meant"
sed 's/say(a + $NN)/say(int(1.5))/' p.fa >meant.fa
run luna run -t 1 meant.fa 1
code 0
quiet

# ---- what never ends ----
cat >ever.fa <<'E'
import go(int) as go;
sub again() { go(1); again(); }
sub main() again();
E
cat >ever.c <<'E'
#include <luna.h>
void go(int k) { luna_fail("enough %d", k); }
E
run luna run -t 1 ever.fa
code 1
err_has "error[SEM8]"
# Who calls exit may mean it; also in a file that is included, or by another name.
for text in 'exit(0);' '_exit(0);'; do
    printf '#include <stdlib.h>\n#include <unistd.h>\n#define END %s\n' "$text" >end.h
    printf '#include "end.h"\nvoid go(int k) { if (k) END }\n' >ever.c
    run luna run -t 1 ever.fa
    code 0
    err_has "warning[SEM8]"
done

# ---- an int that wraps around ----
cat >wrap.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main(int n, int how) {
    df a;
    seti(a, n);
    if how == 1 say(a + 1);
    if how == 2 say(n + 1);
    if how == 3 for i = 0 .. 0 say((i - 2) - n);
    if how == 4 say(n * n);
    if how == 5 say(2147483647 + 1);
    if how == 6 say(n - 1);
}
E
told() {
    run luna run -t 1 wrap.fa 2147483647 $1
    code 0
    quiet
    run luna run -g -t 1 wrap.fa 2147483647 $1
    code 0
    err_has "wrap.fa:$2: warning[RUN4]: $3"
}
told 1 9:21 "2147483647 + 1 does not fit an int: it wraps around to -2147483648"
told 2 10:21 "2147483647 + 1 does not fit an int: it wraps around to -2147483648"
told 3 11:36 "-2 - 2147483647 does not fit an int: it wraps around to 2147483647"
told 4 12:21 "2147483647 * 2147483647 does not fit an int: it wraps around to 1"
told 5 13:21 "2147483647 + 1 does not fit an int: it wraps around to -2147483648"
run luna run -g -t 1 wrap.fa 2147483647 6
code 0
quiet

# ---- who has the memory ----
cat >mem.fa <<'E'
C sub big(name v, int mib) ${{ luna_create(v, (size_t)mib << 20); $}}
C sub use(value v) ${{ (void)v; $}}
sub main() { df u, v; for i = 0 .. 2 big(u[i], 4); for i = 0 .. 2 use(u[i]); big(v, 1); use(v); }
E
run luna run -t 1 --stats --proof=off mem.fa
code 0
err_has "luna: most memory at the end: 'u' 12 MiB, 'v' 1 MiB"

# ---- interrupted ----
cat >long.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub nap(int k, name v) ${{ printf("napping\n"); FILE *f = fopen("napping", "w"); fclose(f); sleep(20); luna_set_int(v, k); $}}
C sub use(int k) ${{ (void)k; $}}
sub main() { df a; nap(1, a); for i = 1 .. 3 use(a + i); }
E
luna build long.fa -o long
for signal in INT:130 TERM:143 HUP:129 XCPU:152; do
    for command in "$LUNA run -t 1 long.fa" "./long -t 2"; do
        rm -f napping
        # The shell starts background jobs with SIGINT ignored; env sets it back.
        env --default-signal=INT $command >"$here/out" 2>"$here/err" &
        pid=$!
        last="kill -${signal%:*}: $command"
        for _ in $(seq 200); do
            [ -e napping ] && break
            sleep 0.05
        done
        sleep 0.2
        kill "-${signal%:*}" $pid
        wait $pid
        last_code=$?
        code "${signal#*:}"
        err_has "luna: interrupted by SIG${signal%:*} after"
        err_has "s: 1 call was running, "
        err_has "long.fa:7:20: note: nap was running"
        out_has "napping"
    done
done

# What is ignored from the start stays so: nohup.
rm -f napping
env --default-signal=INT --ignore-signal=HUP ./long -t 2 >"$here/out" 2>"$here/err" &
pid=$!
last="kill -HUP: with nohup"
for _ in $(seq 200); do
    [ -e napping ] && break
    sleep 0.05
done
kill -HUP $pid
sleep 0.2
kill -INT $pid
wait $pid
last_code=$?
code 130
err_has "interrupted by SIGINT"

# The CPU time is used up: the kernel tells it again each second, and waits for nobody in the end.
cat >busy.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub spin(int k) ${{ printf("spinning\n"); for (volatile int i = 1; i; i += 2) continue; $}}
sub main() { spin(1); }
E
luna build busy.fa -o busy
run sh -c 'ulimit -S -t 1; exec ./busy -t 1'
code 152
err_has "luna: interrupted by SIGXCPU after"
err_has "note: spin was running"
out_has "spinning"

# Nobody reads what is printed: no word, and a trace has its end.
cat >says.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub say(int k) ${{ printf("%d\n", k); fflush(stdout); $}}
sub main() { for i = 0 .. 1000000 say(i); }
E
luna build says.fa -o says
for how in "-t 1" "-t 2"; do
    # shellcheck disable=SC2016
    run sh -c '{ ./says $1 --trace=tr; echo $? >code; } | head -n 1' sh "$how"
    err </dev/null
    holds "it has ended as by SIGPIPE" "$(cat code)" = 141
    run luna stats tr
    code 0
    out_has ": interrupted after"
done

# A recursion that never ends, but holds nothing: how deep it is.
cat >deep.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub begun() ${{ fclose(fopen("begun", "w")); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main(int n) { begun(); down(n); }
sub down(int n) { if n == 0 say(n); if n != 0 down(n - 2); }
E
luna build deep.fa -o deep
for how in "-t 1" "-t 2" "-n 3"; do
    rm -f begun
    # shellcheck disable=SC2086
    env --default-signal=INT ./deep $how 5 >"$here/out" 2>"$here/err" &
    pid=$!
    last="kill -INT: deep $how"
    for _ in $(seq 200); do
        [ -e begun ] && break
        sleep 0.05
    done
    sleep 0.5
    kill -INT $pid
    wait $pid
    last_code=$?
    code 130
    err_has "deep.fa:7:5: note: 'down' is nested "
    err_has " deep"
done
finish
