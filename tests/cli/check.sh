# luna check and luna dump: what goes where, and the exit codes.
. "${0%/*}/lib.sh"
hello

run luna check hello.fa
code 0
quiet
out </dev/null
run luna check --format=json hello.fa
code 0
quiet
out_has '{"diagnostics":[],"errors":0,"warnings":0}'

cat >bad.fa <<'E'
sub main() { df x; sya(1); say(y); }
C sub say(int k) ${{ $}}
E
run luna check bad.fa
code 1
out </dev/null
err_has "bad.fa:1:20: error[SYN2]:"
err_has "error[SYN9]:"
run luna run bad.fa
code 1
out </dev/null
err_has "error[SYN2]:"
run luna check --format=json bad.fa
code 1
quiet
out_has '"code":"SYN2"'
out_has '"errors":'
if command -v python3 >/dev/null; then
    cp "$here/out" saved.json
    run python3 -c 'import json,sys; json.load(open(sys.argv[1]))' saved.json
    code 0
fi
# Wrong bytes in a program, and in its name, leave JSON valid: they are U+FFFD.
latin=$(printf 'caf\351.fa')
printf 'sub main() { df caf\351; say("\377"); } // \303\n' >"$latin"
run luna check --format=json "$latin"
code 1
out_has '"file":"caf\ufffd.fa"'
out_has '"message":"invalid symbol: \ufffd"'
run iconv -f UTF-8 -t UTF-8 "$here/out"
code 0

: >empty.fa
run luna check empty.fa
code 1
holds "an empty file is told" -s "$here/err"
run luna run empty.fa
code 1

# What has no end is not read.
mkfifo pipe
for what in /dev/zero pipe .; do
    printf '#include "%s"\nsub main() { }\n' "$what" >special.fa
    run luna check special.fa
    code 1
    err_has "error[PP8]"
done
rm pipe

# A program alone: nothing is compiled, so nothing is said of its functions, and no compiler is needed.
mkdir alone
cp hello.fa alone
run env CC=no-such-cc CXX=no-such-cxx "$LUNA" check alone/hello.fa
code 0
quiet

# Warnings do not stop a run, and a run does not print them.
cat >warn.fa <<'E'
import c_hello(int) as hello;
sub main() { df unused; hello(3); }
E
run luna check warn.fa
code 0
err_has "warning[SYN5.3]"
run luna run warn.fa
code 0
quiet
run luna check warn.fa
err_has "warning[SYN5.3]"

# What becomes of warnings; a run does not ask.
run luna check -Wno-SYN5.3 warn.fa
code 0
quiet
run luna check --format=json -Wno-SYN5 warn.fa
out_has '{"diagnostics":[],"errors":0,"warnings":0}'
run luna check -Werror warn.fa
code 1
err_has "error[SYN5.3]"
err_has "1 error"
run luna check warn.fa -Werror=SYN5
code 1
run luna check -Wno-SYN2 bad.fa
code 1
err_has "error[SYN2]"
# With -Werror no report is lost: passes still go on after a warning.
cat >both.fa <<'E'
#define UNUSED 1
import c_hello(int) as hello;
sub main() { df unused; hello(1 / 0); }
E
run luna check -Werror both.fa
err_has "3 errors"
run luna check -Wno-SYN33 warn.fa
code 2
err_has "no report is called as in '-Wno-SYN33'"
err_has "did you mean 'SYN3'?"
run luna check -W warn.fa
code 2
err_has "docs/messages.md lists the codes"
# In a run, too: no warning becomes an error that is not told then.
run luna run warn.fa
code 0
quiet
for command in "run" "build -o warn" "sim"; do
    run luna $command -Werror=SYN5.3 warn.fa
    code 1
    err_has "error[SYN5.3]"
    err_has "1 error"
done
run luna run -Werror -Wno-SYN5 warn.fa
code 0
quiet

# Who writes and who reads what is proved, but for --proof=off.
cat >missed.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main(int n)
{
    df x, m;
    for i = 0 .. 4 put(x[i], i);
    for i = 0 .. 5 say(x[i]);
    put(m[0], n + 3);
    for i = 1 .. int(m[0]) put(m[i], i);
    say(m[1]);
}
E
sed 's/0 .. 5/0 .. n/' missed.fa >perhaps.fa
for option in --proof=off '--proof --proof=off'; do
    run luna check $option missed.fa
    code 0
    quiet
done
run luna check missed.fa
code 1
err_has "missed.fa:10:24: error[SEM3.3]: 'x[5]' is read for i = 5, but nothing writes it"
err_has "1 error"
run luna check perhaps.fa
code 0
err_has "warning[SEM3.3]: when n >= 5 (say 5), 'x[5]' is read"
err_lacks "'m["
run luna check -Wno-SEM3.3 perhaps.fa
code 0
quiet
run luna check -Werror perhaps.fa
code 1
run luna check -Wpossible perhaps.fa
code 0
err_has "'m["
# A while ends behind a turn for which its condition held.
cat >bounded.fa <<'E'
C sub make(int k, name to) ${{ luna_set_int(to, k); $}}
C sub use(value a) ${{ (void)a; $}}
sub main(int n)
{
    df s, y, e;
    for i = 0 .. n-1 y[i] = make(i);
    s[0] = make(1);
    while s[t] > 0 && t < n, t = 0 .. out e {
        s[t+1] = make(t);
        use(y[t]);
    }
    for i = 0 .. e-1 use(y[i]);
    for i = 0 .. e use(s[i]);
}
E
run luna check -Wpossible bounded.fa
code 0
quiet
run sh -c 'sed "s/t < n/t <= n/" bounded.fa >longer.fa; "$LUNA" check -Wpossible longer.fa'
code 0
err_has "longer.fa:10:13: warning[SEM3.3]: when n = 1, t in the end = 2, 'y[1]' is read for t = 1"
# Comparisons of which no more is known are named, and where they stand; two that exclude each other
# are not both true.
cat >asked.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub setr(name v, real k) ${{ luna_set_real(v, k); $}}
C sub see(value a) ${{ (void)a; $}}
sub main(int n, real r) {
    df a, b, c, d, v[2];
    setr(v[1], 0.5);
    if r == 1.0 seti(a, 1);
    if 2 == r seti(a, 2);
    if r == 1.0 see(a);
    if v[1] < 1.0 seti(b, 1);
    if 1.0 <= v[1] seti(b, 2);
    if v[1] < 1.0 see(b);
    if r > 0.5 seti(c, 1);
    if !(r > 0.5) seti(c, 2);
    see(c);
    if r + 1 > v[1] && n > 3 seti(d, 1); else seti(d, 2);
    see(d);
}
E
run luna check -Wpossible asked.fa
code 0
quiet
sed 's/!(r > 0.5)/n > 3/; s/ else seti(d, 2);//' asked.fa >vague.fa
run luna check -Wpossible vague.fa
code 0
err_has "vague.fa:15:9: warning[SEM3.3]: when '0.5 < r' is false, n = 0, 'c' is read, but"
err_has "vague.fa:13:8: note: '0.5 < r' is asked here"
err_has "'v[1] < (r + 1)' is false, 'd' is read, but nothing writes it"
err_has "vague.fa:16:8: note: 'v[1] < (r + 1)' is asked here"
err_lacks ">="
sed 's/!(r > 0.5)/r <= 0.5/; s/2 == r/1.0 != r/; s/if r == 1.0 see(a)/see(a)/' asked.fa >nan.fa
run luna check -Wpossible nan.fa
code 0
err_has "nan.fa:15:9: warning[SEM3.3]: when '0.5 < r' compares a NaN, 'c' is read, but nothing"
err_has "1 warning"
# Loops with steps: only each k-th int is counted, and nothing but it.
cat >steps.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub see(value a, int b) ${{ (void)a; (void)b; $}}
C sub add(value a, int b, name c) ${{ luna_set_int(c, luna_get_int(a) + b); $}}
sub main(int n) {
    df x, y, z, w, q, r, s;
    for i = 0..n by 2 seti(x[i], i);
    for i = 0..n by 2 see(x[i], i);
    for i = n..0 by -3 seti(y[i], i);
    for i = n..0 by -3 see(y[i], i);
    for i = 0..100 by 5 seti(z[i], i);
    for i = 100..0 by -5 { see(z[i], i); see(z[i], 2*i); }
    seti(w[50], 1);
    for i = 49..0 by -1 add(w[i+1], i, w[i]);
    see(w[0], 1);
    seti(q, 1);
    for i = 3..40 by 7 see(q, i);
    seti(r, 1);
    for i = n..9 by 3 see(r, i);
    for i = 0..n seti(s[i], i);
    for i = 0..n by 2 for j = n..i by -3 see(s[i], j);
}
E
run luna check --proof steps.fa
code 0
out_has "main.x  written once  reads written  1 reader"
out_has "main.y  written once  reads written  1 reader"
out_has "main.z  written once  reads written  2 readers"
out_has "main.w  written once  reads written  1 reader"
out_has "main.q  written once  reads written  6 readers"
out_has "main.r  written once  reads written  readers counted by loops"
out_has "main.s  written once  reads written  readers counted by loops"
for n in -3 0 1 8 9 10 17; do
    run luna run -q -t 5 --stats -Wno-possible steps.fa $n
    code 0
done
# Why nothing is known of an index.
cat >lacks.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub see(value a, int b) ${{ (void)a; (void)b; $}}
sub at(name x, int j, int k) { seti(x[k], j); }
sub main(int n, real r) {
    df a, b, c, d, e, f, g, h;
    for i = 0 .. n seti(a[1000 * i], i);
    for i = 0 .. n for j = 0 .. n seti(b[i * j], i);
    seti(c[0], 1);
    seti(c[1 + c[0]], 2);
    for i = 0 .. n at(d, i, 1000 * i);
    for i = 0 .. n seti(e[1000 * i / 3], i);
    seti(f[int(r)], 1);
    for i = 0 .. n at(g[n * n], i, i);
    for i = 0 .. n seti(h[(i + 1) % n], i);
    see(a[0] + b[0] + d[0] + e[0] + f[0] + g[0][0] + h[0], 0);
}
E
run luna check --proof lacks.fa
code 0
out_has "main.a  unknown: lacks.fa:6:25: an index may wrap around"
out_has "main.b  unknown: lacks.fa:7:40: an index is no sum of counters and ints"
out_has "main.c  unknown: lacks.fa:9:10: an index is a value"
out_has "main.d  unknown: lacks.fa:3:37: an index may wrap around"
out_has "main.e  unknown: lacks.fa:11:25: an index may wrap around"
out_has "main.f  unknown: lacks.fa:12:10: an index is no sum of counters and ints"
out_has "main.g  unknown: lacks.fa:3:37: an index is no sum of counters and ints"
out_has "main.h  unknown: lacks.fa:14:25: an index is divided by an int that may be 0, or go into it often"
# Rings: how long they are may be an int of main, or of a sub.
cat >rings.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub see(value a) ${{ (void)a; $}}
C sub mix(value a, value b, name c) ${{ luna_set_int(c, luna_get_int(a) ^ luna_get_int(b)); $}}
sub ring(int n, int k) {
    df x;
    for i = 0 .. n - 1 seti(x[i], i);
    for i = 0 .. n - 1 see(x[(i + k) % n]);
} @ { require: k >= 0; require: k <= n; }
sub main(int n, int m) {
    df a, b, c, d, e, f, g;
    for i = 0 .. n - 1 seti(a[0][i], i);
    for t = 0 .. m - 1 for i = 0 .. n - 1
        mix(a[t][(i + n - 1) % n], a[t][(i + 1) % n], a[t + 1][i]);
    for i = 0 .. n - 1 for j = 0 .. m - 1 seti(b[i][j], j);
    for i = 0 .. n - 1 for j = 0 .. m - 1 see(b[(i - 1 + n) % n][(j + 2) % m]);
    for i = 1 .. n seti(c[i], i);
    for i = 1 .. n see(c[i % n + 1]);
    for i = 0 .. n - 1 seti(d[i], i);
    for i = 0 .. 2*n - 1 see(d[i % n]);
    for i = 0 .. 1 seti(e[i], i);
    for i = 0 .. 2*n - 1 see(e[i / n]);
    for i = 0 .. n - 1 { seti(f[i], i); seti(g[i], i); }
    for i = 0 .. n - 1 see(f[(i + m) % n]);
    for i = 0 .. 9*n see(g[i % n]);
    ring(n, m);
}
E
run luna check --proof -Wno-SEM3.3 rings.fa
code 0
out_has "ring.x  written once  reads written  1 reader"
out_has "main.a  written once  reads written  0 to 2 readers"
out_has "main.b  written once  reads written  1 reader"
out_has "main.c  written once  reads written  1 reader"
out_has "main.d  written once  reads written  2 readers"
out_has "main.e  written once  reads written  readers counted by loops"
out_has "main.f  unknown: rings.fa:23:28: an index is divided by an int that may be 0, or go into it often"
out_has "main.g  unknown: rings.fa:24:26: an index is divided by an int that may be 0, or go into it often"
for n in 1 2 3 7; do
    run luna run -q -t 3 -Wno-possible rings.fa $n 1
    code 0
done
# Cases: of a || b the second is where the first is not, so that all are counted.
cat >cases.fa <<'E'
C sub start(int k, name x) ${{ luna_set_int(x, k); $}}
C sub one(value a, name x) ${{ luna_set_int(x, luna_get_int(a) + 1); $}}
C sub two(value a, value b, name x) ${{ luna_set_int(x, luna_get_int(a) ^ luna_get_int(b)); $}}
C sub three(value a, value b, value c, name x)
${{ luna_set_int(x, luna_get_int(a) ^ luna_get_int(b) ^ luna_get_int(c)); $}}
sub walls(int n, name x) { start(0, x[-1]); start(0, x[n]); }
sub main(int n) {
    df d, e, f, g, h, u, v, w;
    for i = 0 .. 7 for j = 0 .. 7 start(i, d[0][i][j]);
    for k = 0 .. 7 for i = 0 .. 7 for j = 0 .. 7
        if i == k && j == k one(d[k][i][j], d[k+1][i][j]);
        else if i == k two(d[k][i][j], d[k+1][k][k], d[k+1][i][j]);
        else if j == k two(d[k][i][j], d[k+1][k][k], d[k+1][i][j]);
        else three(d[k][i][j], d[k+1][i][k], d[k+1][k][j], d[k+1][i][j]);
    for i = 0 .. 7 for j = 0 .. 7 one(d[8][i][j], d[9][i][j]);
    for i = 0 .. n for j = 0 .. n start(i, e[i][j]);
    for i = 0 .. n for j = 0 .. n if i == 0 || j == 0 || i == n || j == n one(e[i][j], f[0][i][j]);
    for i = 0 .. 9 start(i, g[i]);
    for i = 0 .. 3 for j = 0 .. 3 for k = 0 .. 3 one(g[i + j + k], f[1][i][4*j+k]);
    for i = 0 .. n start(i, h[i]);
    for i = 0 .. n for j = -1 .. 1 if i + j >= 0 && i + j <= n one(h[i + j], f[4][i][j]);
    walls(n, v);
    walls(n, w);
    for i = 0 .. 7 start(i, w[i + n + 1]);
    for i = 0 .. n one(v[n], f[2][0][i]);
    for i = -1 .. n + 8 if i == -1 || i >= n one(w[i], f[3][0][i]);
    walls(n, u[0]);
    walls(n, u[1]);
    for i = 0 .. n one(u[0][n], f[5][0][i]);
    one(u[1][n], f[6][0][0]);
} @ { require: n >= 1; }
E
run luna check --proof -Wno-SEM3.3 cases.fa
code 0
out_has "main.d  written once  reads written  0 to 15 readers"
out_has "main.e  written once  reads written  0 to 1 reader"
out_has "main.g  written once  reads written  stays: cases.fa:19:54: how often this reads a fragment is not found"
out_has "main.h  written once  reads written  2 to 3 readers"
out_has "main.u  written once  reads written  readers counted by loops, but what cases.fa:6:54 writes stays: other calls need another number"
holds "nothing of v is lost" "$(grep -c '^main.v .* readers counted by loops$' "$here/out")" = 1
holds "nor of w" "$(grep -c '^main.w .* 1 reader$' "$here/out")" = 1
cat >turns.fa <<'E'
C sub set(name v, int k) ${{ luna_set_int(v, k); $}}
C sub use(int k) ${{ (void)k; $}}
sub main() {
    df table, left, n;
    table = set(7);
    left[0] = set(3);
    while left[t], t = 0 .. out n { use(table); left[t + 1] = set(left[t] - 1); }
    use(n);
}
E
# What goes wrong in any case has an example, and does not depend on it.
run sh -c 'sed "/left.0. =/d" turns.fa >never.fa; "$LUNA" check never.fa'
code 1
err_has "never.fa:6:11: error[SEM3.3]: always, as when t in the end = 1, 'left[0]' is read for t = 0, but nothing writes it"
run luna check --proof turns.fa
code 0
out_has "main.table  written once  reads written  stays: turns.fa:5:5: how many readers it has depends on what is not known here"
# Of a value in three only each third turn reads, by a step, by a product, by a condition. Of the two
# branches of an `if` one reads; where one reads more, the value may stay.
cat >thirds.fa <<'E'
C sub set(name v, int k) ${{ luna_set_int(v, k); $}}
C sub step(int k, name v) ${{ luna_set_int(v, k); $}}
C sub use(int k) ${{ (void)k; $}}
sub main() {
    df u, v, w, x, y, z;
    set(u[0], 0); set(v[0], 0); set(w[0], 0); set(x[0], 0); set(y[0], 0); set(z[0], 0);
    for t = 0 .. 98 {
        step(u[t], u[t + 1]);
        step(v[t], v[t + 1]);
        step(w[t], w[t + 1]);
        if t % 3 == 0 use(w[t]);
        if z[t] step(x[t], x[t + 1]); else step(x[t], x[t + 1]);
        set(z[t + 1], t % 2);
        if x[t] > 1 step(y[t], y[t + 1]); else if x[t] < 1 step(y[t], y[t + 1]); else { use(y[t]); step(y[t], y[t + 1]); }
    }
    for t = 0 .. 99 by 3 use(u[t]);
    for t = 0 .. 33 use(v[3 * t]);
}
E
run luna check --proof thirds.fa
code 0
out_has "main.u  written once  reads written  1 to 2 readers"
out_has "main.v  written once  reads written  1 to 2 readers"
out_has "main.w  written once  reads written  0 to 2 readers"
out_has "main.x  written once  written?       0 to 3 readers"
out_has "main.y  written once  written?       0 to 2 readers"
sed '/y\[/s/ .*y.t + 1.); }$//; s/, y,/,/; s/set(y.*z/set(z/' thirds.fa >freed.fa
run luna run -q -t 1 --stats freed.fa
code 0
err_lacks "kept to the end"
# Cases that exclude each other, many of them.
{
    echo 'C sub set(name v, int k) ${{ luna_set_int(v, k); $}}'
    echo 'C sub use(int k) ${{ (void)k; $}}'
    echo 'sub main() { df x; set(x, 7);'
    i=0
    while [ $i -lt 60 ]; do echo "if x == $i use($i); else" && i=$((i + 1)); done
    echo 'use(x); }'
} >many.fa
run timeout 20 "$LUNA" check many.fa
code 0
run luna check --proof -Wno-SEM3.3 perhaps.fa
code 0
out_has "main.x  written once  written?       0 to 1 reader"
out_has "main.m  written once  written?"
run luna dump --pass=prove missed.fa
code 1
err_has "error[SEM3.3]"
for value in on '' OFF; do
    run luna check --proof=$value missed.fa
    code 2
    err_has "--proof stands alone, or as --proof=off, not '$value'"
done
run luna run --proof missed.fa 0
code 2
err_has "--proof alone is an option of 'luna check'; here it is --proof=off"
# What was compiled without is not taken from the cache with it.
run luna run -q -t 1 --proof=off missed.fa 0
code 4
err_has "[RUN10]"
run luna run -q -t 1 missed.fa 0
code 1
err_has "error[SEM3.3]"
run luna run --verbose -t 1 --proof=off missed.fa 0
code 4
err_has "from the cache:"
run luna run --verbose -t 1 perhaps.fa 4
code 0
err_has "from the cache:"
run luna run --verbose -t 1 --proof=off perhaps.fa 4
code 0
err_has "compiling"

# Arguments of main make certain what depends on them; what they make is not kept for others.
run luna check perhaps.fa 4
code 0
quiet
run luna check perhaps.fa 7
code 1
err_has "error[SEM3.3]: with n = 7, 'x[5]' is read for i = 5, but nothing writes it"
run luna check perhaps.fa 1e1
code 1
run luna check perhaps.fa x
code 2
err_has "argument 1 of main, 'n', must be an int, not 'x'"
run luna check perhaps.fa 4 more.fa
code 0
err_has "warning: 'more.fa' is no argument of main"
run luna run --verbose -t 1 perhaps.fa 4
code 0
err_has "from the cache:"
run luna run -t 1 perhaps.fa 7
code 1
out </dev/null
err_has "error[SEM3.3]: with n = 7, 'x[5]' is read for i = 5, but nothing writes it"
run luna run -q -t 1 --proof=off perhaps.fa 7
code 4
err_has "[RUN10]"
luna build perhaps.fa -o perhaps
run ./perhaps 7
code 1
out </dev/null
err_has "perhaps.fa:10:24: error[SEM3.3]: with these arguments of main a fragment of 'x' is read that"
err_has "hint: luna check with these arguments names the fragment"
run ./perhaps 2
code 0
cat >two.fa <<'E'
C sub put(name v, real a) ${{ luna_set_real(v, a); $}}
C sub say(real a, value v) ${{ (void)a; (void)v; $}}
sub main(real a, int n) { df x; for i = 0 .. 4 put(x[i], a); say(a, x[n]); }
E
run luna check two.fa 1.5
code 2
err_has "1 argument of main given, 2 needed"
run luna check two.fa 1.5 4
code 0
run luna check two.fa abc 4
code 2
err_has "argument 1 of main, 'a', must be a real number, not 'abc'"
run luna check two.fa 1.5 -1
code 1
err_has "with n = -1, 'x[-1]' is read"
# Whatever read it is that cannot be served, the run is refused.
cat >either.fa <<'E'
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ (void)k; $}}
sub main(int n)
{
    df x, y;
    for i = 0..3 put(x[i], i);
    for i = 0..n say(x[i]);
    if n > 5 say(x[9]);
    for i = 0..3 put(y[i], i);
    say(y[n]);
    say(y[n + 2]);
}
E
run luna check either.fa
code 0
err_has "when n >= 4 (say 6), 'x[4]' is read"
luna build -q either.fa -o either
for n in -3 -1 2 4 7; do
    run ./either $n
    code 1
    err_has "error[SEM3.3]: with these arguments of main"
done
run ./either 1
code 0
cat >decided.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub part(int k) if k > 2 say(k);
sub main(int n) { if n > 2 say(n); part(n); part(n + 1); }
E
run luna check decided.fa
code 0
quiet
run luna check decided.fa 7
code 0
err_has "warning[SEM5]: with n = 7, this condition is always true where it is met"
err_has "warning[SEM6]: with n = 7, this condition is true for all calls of 'part'"

# Readers that were counted by hand.
cat >promised.fa <<'E'
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ (void)k; $}}
sub main(int n)
{
    df x, y, z;
    for i = 0 .. 9 put(x[i], i) @ { req_count x[i] = 1; };
    for i = 0 .. 9 say(x[i]);
    put(y, 1) @ { req_count y = 1; };
    say(y);
    for i = 0 .. n - 1 put(z[i], i) @ { req_count z[i] = 2; };
    for i = 0 .. n - 1 say(z[i]);
    for i = 1 .. n - 1 say(z[i]);
}
E
run luna check promised.fa
code 0
quiet
run luna check -Wpossible promised.fa
code 0
err_has "warning[SEM3.5]: when n = 2, 'z[0]' has 1 reader, but its req_count for i = 0 is 2: the value will"
sed 's/x\[i\] = 1/x[i] = i > 4/; s/y = 1;/y = 3;/; s/z\[i\] = 2/z[i] = 1/' promised.fa >broken.fa
run luna check broken.fa
code 1
err_has "error[SEM3.5]: 'x[0]' has 1 reader, but its req_count for i = 0 is 0: the program cannot end"
err_has "broken.fa:7:24: note: the DF is read here"
err_has "hint: leave the rule out, luna counts readers itself"
err_has "warning[SEM3.5]: 'y' has 1 reader, but its req_count is 3: the value will stay"
err_has "warning[SEM3.5]: when n >= 2 (say 2), 'z[1]' has 2 readers, but its req_count for i = 1 is 1: the"
run luna check -Wno-SEM3.5 broken.fa
code 1
err_lacks "'y'"
sed 's/x\[i\] = 1/x[i] = i > 4/; s/for i = 0 .. n - 1 .*//' promised.fa >waits.fa
run luna run -q -t 1 waits.fa 2
code 1
run luna run -q -t 1 --proof=off waits.fa 2
code 4
err_has "[RUN10]"

# Calls that wait for each other, each in an iteration of its own.
cat >circle.fa <<'E'
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub next(value a, name v) ${{ luna_set_int(v, 1); (void)a; $}}
C sub say(int k) ${{ (void)k; $}}
sub main(int n)
{
    df x, y, u;
    put(x[0], 1);
    for i = 1 .. 9 next(y[i], x[i]);
    for i = 1 .. 9 next(x[10 - i], y[i]);
    put(u[0], 1);
    for i = 0 .. n next(u[2*i], u[i + 3]);
    say(x[9]);
}
E
run luna check circle.fa
code 1
err_has "circle.fa:9:36: error[SEM3.2]: cyclic dependence: 'y[5]' needs 'x[5]', 'x[5]' needs 'y[5]'"
err_has "circle.fa:9:36: note: 'y[5]' is written here for i = 5"
err_has "circle.fa:8:31: note: 'x[5]' is written here for i = 5"
run luna run -q -t 1 --proof=off circle.fa 0
code 4
sed '/y\[/d; s/2\*i/i/; s/x\[9\]/x[0]/' circle.fa >steps.fa
run luna check steps.fa 9
err_lacks "SEM3.2"
sed '/y\[/d; s/x\[9\]/x[0]/; s/i + 3/2*i - 3/; s/0 .. n/1 .. n/; s/u\[2\*i\], //; s/u\[2\*i - 3\]/u[2*i - 3], u[i]/' \
    circle.fa >self.fa
run luna check self.fa 5
code 1
err_has "error[SEM3.2]: with n = 5, cyclic dependence: 'u[3]' needs 'u[3]'"

# What a sub requires is looked at where it is called, whatever counts.
cat >requires.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub few(int k) { say(k); } @ { require: k < 5; }
sub main(int n)
{
    for i = 0 .. 4 few(i);
    for i = 0 .. 9 if i % 2 == 0 few(i / 2);
    for i = 0 .. n few(i);
}
E
run luna check requires.fa
code 0
quiet
run luna check -Wpossible requires.fa
err_has "requires.fa:7:20: warning[SEM14]: when n >= 5 (say 5), this call for i = 5 does not fulfil what 'few' requires"
run luna check requires.fa 4
code 0
quiet
run luna check requires.fa 9
code 1
err_has "error[SEM14]: with n = 9, this call for i = 5 does not fulfil what 'few' requires: k < 5"
sed 's/0 .. 4 few/0 .. 5 few/' requires.fa >breaks.fa
run luna run -q breaks.fa 2
code 1
err_has "breaks.fa:5:20: error[SEM14]: this call for i = 5 does not fulfil what 'few' requires: k < 5"

# A sub that assigns twice what it was handed is none whose call assigns once.
cat >again.fa <<'E'
C sub seti(name x, int k) ${{ luna_set_int(x, k); $}}
C sub add(int a, int b, name x) ${{ luna_set_int(x, a + b); $}}
C sub say(int k) ${{ (void)k; $}}
sub bad(int n, name r) {
    df a, b;
    seti(r, 5);
    if n > 1 { bad(n - 1, a); bad(n - 2, b); add(a, b, r); }
}
sub round(int n, name w) { seti(w[n], n); if n > 0 round(n - 1, w); }
sub main(int n) { df q, w; bad(n, q); say(q); round(3, w); say(w[1]); }
E
run luna check --proof again.fa
code 0
out_has "bad.a   twice?"
out_has "main.w  unknown: recursion, or too many calls"
out_has "main.q  twice?"
run luna run -q -t 1 again.fa 5
code 1
err_has "error[SEM2.2]: with n = 5, 'q' is assigned twice"
run luna run -q -t 1 --proof=off again.fa 5
code 3
err_has "error[RUN2]"

for pass in prep parse resolve check lower prove emit; do
    run luna dump --pass=$pass hello.fa
    code 0
    quiet
done
holds "emit gives C" -s "$here/out"
run luna dump --pass=emit bad.fa
code 1
err_has "error[SYN2]"
# What an editor of another system saves, and what nobody sees.
printf '\377\376s\000u\000b\000 \000m\000a\000i\000n\000' >wide.fa
run luna check wide.fa
code 1
err_has "wide.fa:1:1: error[PP10]: this file is in UTF-16"
err_has "hint: save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"
err_has "1 error"
printf 'sub main() {\302\240nothing(); }\n' >blank.fa
run luna check blank.fa
code 1
err_has "blank.fa:1:13: error[PP10]: invalid symbol: U+00A0, a no-break space"
err_has "hint: it looks like a blank, or like nothing; write a plain blank"
finish
