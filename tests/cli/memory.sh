# luna check --memory: how much is alive at most; what a bytes rule says, also against the run.
root=$(cd "${0%/*}/../.." && pwd)
. "${0%/*}/lib.sh"
poisson=$root/apps/poisson3d/poisson3d.fa

# Two levels of each block and face, whatever the order.
run luna check --memory -D GRID=512 -D FG=32 "$poisson"
code 0
quiet
out <<'E'
main.u                2 x 1024 x 1.00 MiB      2.00 GiB  whatever the order
main.x                2 x 2048 x 64.00 KiB   256.00 MiB  whatever the order
main.y                2 x 2048 x 64.00 KiB   256.00 MiB  whatever the order
until_small.residual  1 x 1 x 8 B                   8 B  whatever the order
until_small.steps     1 x 8 B                       8 B  all of them
until_small.part      1 x 1024 x 8 B           8.00 KiB  whatever the order
until_small.wrong     1024 x 8 B               8.00 KiB  all of them
until_small.error_to  1 x 8 B                       8 B  all of them
all nodes together at most 2.50 GiB, without copies on other nodes
E
run luna check --memory=3GiB -D GRID=512 -D FG=32 "$poisson"
code 0
quiet
run luna check --memory=2GiB -D GRID=512 -D FG=32 "$poisson"
code 1
err_has "error[MEM1]: up to 2.50 GiB are alive at once, and 2.00 GiB are allowed"
err_has "note: 'u' takes most: 2 x 1024 x 1.00 MiB"
# The run keeps to it, in any order: what is alive after each call, and the sizes.
run luna run -g -q -n 4 -t 2 -D GRID=32 -D FG=4 -D ITERS=20 -D EPS=0 "$poisson"
code 0
err_lacks RUN18

# ways N: x goes on by itself, y is held back by it, and z by nothing.
cat >ways.fa <<'E'
C sub make(name to) ${{ luna_set_int(to, 1); $}}
C sub both(value a, value b, name to) ${{ luna_set_int(to, 1); $}}
C sub bytes(int n, name to) ${{ luna_create(to, n); $}}
C sub see(value a) ${{ (void)a; $}}
sub main(int n)
{
    df x, y, z, w;
    x[0] = make();
    y[0] = make();
    for t = 0 .. n-1 {
        z[t] = make();
        x[t+1] = both(x[t], z[t]);
        y[t+1] = both(y[t], x[t]);
        bytes(4*t, w[t]);
        see(w[t]);
    }
    see(y[n]);
    see(x[n]);
} @ {
    bytes x[t] => 4;
    bytes y[t] => 4;
    bytes w[t] => 4*t;
}
E
run luna check --memory ways.fa 100
code 0
quiet
out <<'E'
main.x  101 x 4 B          404 B  all of them
main.y  2 x 1 x 4 B          8 B  whatever the order
main.z  100 x ?                ?  how large they are is not known: say it with a bytes rule
main.w  100 x 396 B    38.67 KiB  all of them
all nodes together at most 39.07 KiB, and what is not known, without copies on other nodes
E
# Of nothing it is known.
cat >none.fa <<'E'
C sub make(name to) ${{ luna_set_int(to, 1); $}}
C sub see(value a) ${{ (void)a; $}}
sub main(int n)
{
    df x;
    for i = 1 .. n { make(x[i]); see(x[i]); }
}
E
run luna check --memory none.fa 100
code 0
out <<'E'
main.x  100 x ?            ?  how large they are is not known: say it with a bytes rule
how much all nodes hold together is not known
E
# How many are written is known, also where it is not known who reads which.
cat >read.fa <<'E'
C sub fill(int i, name x) ${{ luna_set_int(x, i); $}}
C sub use(int a) ${{ (void)a; $}}
sub pairs(int half, name x) for b = 0 .. 1 for k = 0 .. half - 1 use(x[b * half + k]);
sub main(int p)
{
    df x;
    for i = 0 .. p - 1 fill(i, x[i]);
    pairs(p / 2, x);
}
E
run luna check --memory read.fa 16
code 0
out <<'E'
main.x  16 x 8 B        128 B  all of them
all nodes together at most 128 B, without copies on other nodes
E
run luna check --memory=1MiB ways.fa 100
code 0
err_has "ways.fa:7:14: warning[MEM1]: how large the values of 'z' are is not known"
err_has "hint: say it behind the block that declares it: @ { bytes z[i] => 8 * N; }"
run luna check --memory ways.fa
code 0
out_has "depends on main's arguments: luna check --memory FILE ARGS"
run luna check --memory=1MiB ways.fa
code 0
err_has "warning[MEM1]: how much of 'x' is alive is not known"
err_has "hint: give main's arguments"
run luna check --proof ways.fa 100
out_has "main.y  written once  reads written  1 reader; 2 levels alive"

# A number that only values tell.
cat >open.fa <<'E'
C sub make(int k, name to) ${{ luna_set_int(to, k); $}}
C sub see(value a, value b) ${{ (void)a, (void)b; $}}
sub main()
{
    df x, n;
    make(3, n);
    for i = 0 .. n make(i, x[i]);
    for i = 0 .. n see(x[i], x[0]);
} @ { bytes x[i] => 4; bytes n => 4; }
E
run luna check --memory open.fa
code 0
out_has "main.x  ? x 4 B            ?  unbounded: how many there are follows from values"
err_has "open.fa:5:8: warning[MEM1]: nothing limits how many values of 'x' are alive"
err_has "hint: a worker makes no new calls while 65536 of its own wait"
run luna check --memory=1GiB open.fa
code 1
err_has "open.fa:5:8: error[MEM1]: nothing limits how many values of 'x' are alive"

# What may wrap around is no value, and does not go on without end.
cat >wraps.fa <<'E'
C sub make(int k, name to) ${{ luna_set_int(to, k); $}}
C sub see(value a) ${{ (void)a; $}}
sub fill(int k, name x) for i = 0 .. 3 make(i, x[i + k + 1]);
sub main(int n)
{
    df x, y, z, q;
    for i = 0 .. n { make(i, x[i + 1]); see(x[i + 1]); }
    for i = 0 .. n + 1 { make(i, y[i]); see(y[i]); }
    make(7, q);
    fill(n, z);
    see(z[n + 1]);
    see(q);
} @ { bytes x[i] => 8; bytes y[i] => 8; bytes z[i] => 8; bytes q => 8; }
E
run luna check --memory wraps.fa
code 0
err_lacks MEM1
for df in x y z; do
    out_has "main.$df  ? x 8 B            ?  depends on main's arguments: luna check --memory FILE ARGS"
done
run luna check --memory wraps.fa 9
code 0
out_has "main.x  10 x 8 B"
out_has "main.y  11 x 8 B"
out_has "main.z  4 x 8 B"
run luna check --memory=1GiB wraps.fa 2147483647
code 0
for df in x y z; do
    out_has "main.$df  ? x 8 B            ?  not known: an index, or the end of a loop, may wrap around"
done
err_lacks "nothing limits"
err_has "warning[MEM1]: how much of 'x' is alive is not known"

# As many as there are ints.
cat >ints.fa <<'E'
C sub make(int k, name to) ${{ luna_set_int(to, k); $}}
C sub see(value a) ${{ (void)a; $}}
sub main(int n)
{
    df x;
    for i = 0 .. n { make(i, x[i]); see(x[i]); }
} @ { bytes x[i] => 8; }
E
for n in 1073741825 2147483646; do
    run luna check --memory ints.fa $n
    code 0
    quiet
    out_has "main.x  $((n + 1)) x 8 B"
done

# A writer that may not be holds nobody back: all y[k][0] wait for z[0], which comes last.
cat >perhaps.fa <<'E'
C sub make(int x, name y) ${{ ((char *)luna_create(y, 1000))[0] = (char)x; $}}
C sub test(value y, int t, int z, name c) ${{ luna_set_int(c, *(const char *)luna_data(y) == t + z); $}}
C sub copy(int a, name b) ${{ luna_set_int(b, a); $}}
sub main()
{
    df y, c, x, z;
    z[1] = copy(0);
    z[0] = copy(x[98]);
    for t = 0..1 y[0][t] = make(1);
    for k = 0..98 for t = 0..1 {
        c[k][t] = test(y[k][t], t, z[t]);
        if c[k][t] x[k] = copy(1);
    }
    for k = 0..97 for t = 0..1 y[k+1][t] = make(x[k]);
} @ { bytes y[k][t] => 1000; }
E
run luna check --memory perhaps.fa
out_has "main.y  198 x 1000 B"
# A run does not know the arguments, and keeps what cannot be counted without them.
cat >stride.fa <<'E'
C sub make(name to) ${{ luna_set_int(to, 1); $}}
C sub step(value a, name to) ${{ luna_set_int(to, luna_get_int(a)); $}}
sub main(int m)
{
    df x;
    make(x[0]);
    for t = 0 .. 99 step(x[m*t], x[m*(t+1)]);
} @ { bytes x[i] => 4; }
E
run luna check --memory stride.fa 1
out_has "main.x  101 x 4 B"
# Rules with conditions; strings; a recursion; more than there is a number for.
cat >more.fa <<'E'
C sub mk(name to) ${{ luna_set_int(to, 1); $}}
C sub text(name to) ${{ luna_set_string(to, "text"); $}}
C sub use(value a) ${{ (void)a; $}}
C sub len(string s) ${{ (void)s; $}}
sub rec(name x, int n) { mk(x[n]); if n > 0 rec(x, n-1); }
sub main(real r)
{
    df a, b, c, d, e;
    for i = 0 .. 3 { mk(a[i]); use(a[i]); }
    for i = 0 .. 3 { mk(b[i]); use(b[i]); }
    for i = 0 .. 3 { text(c[i]); len(c[i]); }
    rec(d, 10);
    for i = 0 .. 10 use(d[i]);
    for i = 0 .. 8000000 for j = 0 .. 8000000 { mk(e[i][j]); use(e[i][j]); }
} @ { bytes a[i] => i < 2 ? 8 : 16; bytes b[i] => r > 2 ? 1 : 9; bytes d[i] => 4; bytes e[i][j] => 1000000; }
E
run luna check --memory=1GiB more.fa 2.5
code 1
out_has "main.a  4 x 16 B"
out_has "main.b  4 x ?"
out_has "main.c  4 x ?"
out_has "main.d  ? x 4 B"
err_has "error[MEM1]: up to 8388608.00 TiB are alive at once"

# What a rule says is held against the run with -g or --stats, also where the name was handed on.
cat >wrong.fa <<'E'
C sub make(int n, name to) ${{ ((char *)luna_create(to, n))[n - 1] = 1; $}}
C sub see(value a) ${{ (void)a; $}}
sub on(int n, name x) { make(n, x); }
sub main(int n)
{
    df x;
    for k = 1 .. 2 { df y; on(8*k, y); see(y); } @ { bytes y => 8*k; }
    on(n, x[3]);
    see(x[3]);
} @ { bytes x[i] => 8*i; }
E


for how in "-g" "--stats -t 2" "-g -n 2"; do
    run luna run -q $how wrong.fa 24
    code 0
    err_lacks RUN18
    run luna run -q $how wrong.fa 25
    code 0
    err_has "wrong.fa:3:25: warning[RUN18]: 'x[3]' has 25 bytes, its bytes rule says 24"
done
run luna run -q wrong.fa 25
code 0
quiet
# A rule that cannot be computed says nothing, and the run is the same as without -g.
for rule in "64 / (k - 3)" "64 % (k - 3)" "8.0e9 * (k == 3)" "8 * k / (k == 3 ? 0 : 1) % (3 - k)"; do
    sed "s|bytes x\[i\] => 8\*i|bytes x[k] => $rule|" wrong.fa >never.fa
    for how in "-g" "--stats -t 2" "-g -n 2"; do
        run luna run -q $how never.fa 24
        code 0
        err_has "never.fa:10:21: warning[RUN18]: "
        err_has ", in the bytes rule of 'x[3]', which says nothing then"
    done
done
err_has "division of 24 by zero"
run luna run -q never.fa 25
code 0
quiet

# Sizes of what was sent, where no rule tells them.
sed '/^ *bytes /d' "$poisson" >plain.fa
cp "$root"/apps/poisson3d/*.c .
luna run -q -n 2 --trace=tr -D ITERS=3 -D EPS=0 plain.fa
run luna check --memory --sizes=tr -D EPS=0 plain.fa
code 0
out_has 'main.u                2 x 16 x ?                   ?  how large they are is not known'
out_has 'main.x                2 x 32 x 2.00 KiB   128.00 KiB  whatever the order'
run luna check --sizes=tr plain.fa
code 0
err_has 'luna: warning: --sizes is for --memory'
run luna check --memory --sizes=nowhere plain.fa
code 2
err_has "no such folder: 'nowhere'"

run luna check --memory=much ways.fa
code 2
err_has "--memory= needs bytes such as 500MiB or 4GiB, not 'much'"
run luna check --memory --proof=off ways.fa
code 2
err_has "--memory counts on what --proof=off switches off"
run luna run --memory ways.fa
code 2
err_has "'--memory' is an option of 'luna check', not of 'luna run'"
finish
