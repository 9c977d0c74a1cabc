# luna plan: the bill before the run is that of the traced run, by name and pair of nodes; what it
# needs is asked for by name.
awk_fields=$(cat "${0%/*}/../trace/fields.awk") # number("to"), text("df")
root=$(cd "${0%/*}/../.." && pwd)
. "${0%/*}/lib.sh"
poisson=$root/apps/poisson3d/poisson3d.fa

# planned OPTIONS.. FILE..: plan.json, and in `planned` a line for each name and pair: x 0 1 40 40
planned() {
    luna plan --json "$@" >plan.json 2>"$here/err" || return 1
    awk "$awk_fields"'/"from":/ { print text("df"), number("from"), number("to"), number("min"), number("max") }' \
        plan.json | sort >planned
}
# traced OPTIONS.. FILE..: the same of a run, with one number. Where that is one of those beside
# each other in plan.json is told by `within`.
traced() {
    rm -rf tr
    luna ${how:-run -t 1} -q --trace=tr "$@" >/dev/null 2>"$here/err" || return 1
    awk "$awk_fields"'
        /"ev":"send"/ && !/"collective"/ {
            df = text("df")
            sub(/\[.*/, "", df)
            from = FILENAME
            gsub(/.*node-|\.jsonl/, "", from)
            n[df " " from + 0 " " number("to")]++
        }
        END { for (k in n) print k, n[k] }' tr/node-*.jsonl | sort >traced
}
# Rows of `planned` that the run broke, and of the run that the plan lacks.
broken() {
    awk 'NR == FNR { least[$1, $2, $3] = $4; most[$1, $2, $3] = $5; next }
         {
             if ($4 < least[$1, $2, $3] || $4 > most[$1, $2, $3] + 0) print "run:", $0
             delete least[$1, $2, $3]
         }
         END { for (k in least) if (least[k]) print "never:", k }' planned traced
}
# same_as_run OPTIONS.. FILE..: within the plan, and of as many calls.
same_as_run() {
    last="luna plan $*"
    last_code=0
    if ! planned "$@" || ! traced "$@"; then
        bad "no plan or no run"
        return
    fi
    holds "a run sends what its plan says: $(broken | head -3)" -z "$(broken)"
    calls=$(sed -n 's/.*"calls":\([0-9]*\).*/\1/p' plan.json | head -1)
    holds "as many calls" "$calls" = "$(cat tr/node-*.jsonl | grep -c '"ev":"exec"')"
}
# Lists are where their call is, whatever number of counters they have.
cat >lists.fa <<'E'
C sub fill(int k, name x[]) ${{ for (size_t i = 0; i < x->n; i++) luna_set_int(x->df[i], k); $}}
C sub sum(value x[], name s) ${{ luna_set_int(s, (int)x->n); $}}
C sub say(int s) ${{ (void)s; $}}
sub main() {
    df a, s;
    fill(37, a[i][j] over i = 0 .. 1, j = 3 .. 4);
    sum(a[i][j] over i = 0 .. 1, j = 4 .. 4, s[4][0]);
    say(s[4][0]);
} @ { cells 6; cell a[i][j] => j; cell s[j][i] => j; }
E
for nodes in 2 3 6; do same_as_run -n $nodes lists.fa; done
# A shape that grows from turn to turn: turns are not alike. (No run ends: most of x is not written.)
cat >grows.fa <<'E'
C sub put(name x, int k) ${{ luna_set_int(x, k); $}}
C sub see(int k) ${{ (void)k; $}}
sub main(int n) {
    for t = 1 .. n {
        df x[t];
        put(x[0], 1) @ { locator_cyclic: 0; };
        for i = 0 .. 9 see(x[50 * i]) @ { locator_cyclic: 1; };
    } @ { outside x => 7; }
} @ { locator_cyclic x[i] => 0; }
E
run luna plan -n 2 grows.fa 400
code 0
out_has "messages     1800;"
# [k] of the least int is empty.
cat >least.fa <<'E'
C sub put(name x, int k) ${{ luna_set_int(x, k); $}}
C sub see(int k) ${{ (void)k; $}}
sub main(int n) {
    df x[-n - 2147483647], y[n];
    put(y[0], 3);
    see(x[0] + y[0]) @ { locator_cyclic: 1; };
} @ { outside x => 7; outside y => 9; locator_cyclic x[i] => 0; }
E
same_as_run -n 2 least.fa 1
holds "one is sent: $(cat planned)" "$(cat planned)" = "y 0 1 1 1"
sed 's/see(x\[0\] + y\[0\])/see(y[x[4]])/; s/=> 7/=> 1 \/ (n - 1)/' least.fa >never.fa
run luna plan never.fa 1
code 2
err_has "never.fa:6:5: the outside rule of 'x[4]' divides by 0"
# The plan names one number for each.
exact() { holds "a plan without ranges" -z "$(awk '$4 != $5' planned)"; }

# ---- equal: each fragment has one reader on another node ----
for n in 2 3 4 6 16 64; do
    for kind in patch rope block block-cyclic cyclic; do
        same_as_run -n $n --distrib=$kind -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
        exact
        holds "something is sent" -s planned
        for what in AvgSD AvgSS; do # sizes are said by bytes rules
            sd=$(sed -n "s/.*\"$what\":\([0-9.]*\).*/\1/p" plan.json | head -1)
            got=$(luna stats --json tr | sed -n "s/.*\"$what\":\([0-9.]*\).*/\1/p" | head -1)
            holds "$what of the plan, $sd, is that of the run, $got" "$sd" = "$got"
        done
    done
done
# From any start, and on the simulator.
echo "0 0 0 1  0 0 1 1  2 2 3 1  2 2 3 3" >start
for how in "run -t 1" sim; do
    same_as_run -n 4 --start=start -D ITERS=10 -D EPS=0 "$poisson"
    exact
    holds "something is sent" -s planned
    same_as_run -n 6 --distrib=rope --start=half -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
    exact
done
how=
same_as_run -n 8 -D FG=4 -D ITERS=5 "$root/tests/bench/table1.d/cube.fa"
exact
# Loops with steps, up and down.
cat >steps.fa <<'E'
C sub init(name x, int i) ${{ luna_set_int(x, i); $}}
C sub step(value a, value b, name c) ${{ luna_set_int(c, luna_get_int(a) + luna_get_int(b)); $}}
sub main() {
    df u, v;
    for i = 0..62 by 2 init(u[0][i], i);
    for i = 63..1 by -2 init(u[0][i], i);
    for t = 0..198 by 2 {
        for i = 62..0 by -1 step(u[t][i], u[t][i+1], u[t+2][i]);
        step(u[t][63], u[t][0], u[t+2][63]);
    }
    for t = 200..150 by -5 for i = 3..60 by 7 step(u[t/2*2][i], u[200][63-i], v[t][i]);
} @ { cells 8; cell u[t][i] => i / 8; cell v[t][i] => i / 8; }
E
same_as_run -n 4 steps.fa
holds "so many calls: $calls" "$calls" = 6563

last_code=0
# Until the residual is small: what only values tell is given, and reductions send nothing.
planned -n 4 -D ITERS=7 -D EPS=1e-9 --let steps=7 "$poisson"
traced -n 4 -D ITERS=7 -D EPS=1e-9 "$poisson"
holds "a while: $(broken | head -3)" -z "$(broken)"

# ---- within: several readers of a node share a message, or not ----
cat >product.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub block(int k, name b) ${{ memset(luna_create(b, 4096), k, 4096); $}}
C sub add(value a, value b, value c, name sum)
${{ (void)a; (void)b; (void)c; memset(luna_create(sum, 4096), 1, 4096); $}}
sub main(int n)
{
    df a, b, c;
    for i = 0..n-1 for j = 0..n-1 { block(i, a[i][j]); block(j, b[i][j]); block(0, c[i][j][0]); }
    for i = 0..n-1 for j = 0..n-1 for k = 0..n-1
        add(a[i][k], b[k][j], c[i][j][k], c[i][j][k+1]);
} @ { cells n, n; cell a[i][j] => i, j; cell b[i][j] => i, j; cell c[i][j][k] => i, j; }
C head ${{
#include <string.h>
$}}
C sub block(int k, name b) ${{ memset(luna_create(b, 4096), k, 4096); $}}
C sub add(value a, value b, value c, name sum)
${{ (void)a; (void)b; (void)c; memset(luna_create(sum, 4096), 1, 4096); $}}
sub main(int n)
{
    df a, b, c;
    for i = 0..n-1 for j = 0..n-1 { block(i, a[i][j]); block(j, b[i][j]); block(0, c[i][j][0]); }
    for i = 0..n-1 for j = 0..n-1 for k = 0..n-1
        add(a[i][k], b[k][j], c[i][j][k], c[i][j][k+1]);
} @ { cells n, n; cell a[i][j] => i, j; cell b[i][j] => i, j; cell c[i][j][k] => i, j; }
E
for n in 2 4 7; do
    same_as_run -n $n product.fa 8
    holds "several readers" -n "$(awk '$4 != $5' planned)"
done

# Locators, copies, a value that decides where a call runs, what is pushed.
cat >places.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub use(int a, int b) ${{ (void)a; (void)b; $}}
sub both(name x, int to) { cf c: use(x[0], x[1]); } @ { locator_cyclic c => to; locator_cyclic x[i] => i + 1; }
sub main()
{
    df x, y, z, n;
    for i = 0..9 seti(x[i], i) @ { locator_cyclic: i; };
    for i = 0..9 use(x[9 - i], 0) @ { locator_cyclic: 2 * i; };
    seti(y, 5) @ { locator_cyclic: 1; };
    for i = 0..3 use(y, i) @ { locator_cyclic: i; };
    seti(n, 3);
    use(x[1], 7) @ { locator_cyclic: n; };
    both(x, 1);
    seti(z, 1) @ { afterpush z => w; };
    cf w: use(z, 1) @ { wait z; };
} @ { locator_cyclic x[i] => i + 1; locator_replicating y => all; locator_cyclic w => 2; }
E
for n in 2 3 5; do
    planned -n $n --let n=3 places.fa
    traced -n $n places.fa
    holds "places on $n nodes: $(broken | head -3)" -z "$(broken)"
    holds "something is sent" -s planned
done
run luna plan -n 3 places.fa
code 2
err_has "places.fa:12:5: a node follows from the value of 'n', which a plan does not compute"

# ---- what is printed ----
run luna plan -n 4 -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
code 0
quiet
out_has 'calls        704, 176 on the node with most (max/avg 1.000); critical path 11, ideal speed-up 64.0, on 4 nodes 4.00'
out_has 'messages     320; 320.00 KiB a node; AvgSD 1.000'
out_has '0-1 80   0-2 80   1-3 80   2-3 80'
luna run -q -n 4 --trace=sizes -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
# By its bytes rules; without them by a trace.
run luna plan --json -n 4 -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
out_has "$(luna stats --json sizes | grep -o '"AvgSS":[0-9.]*')"
sed '/^ *bytes /d' "$poisson" >plain.fa
run luna plan -n 4 -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 plain.fa
out_has 'messages     320; AvgSD 1.000'
run luna plan -n 4 --sizes=sizes -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 plain.fa
code 0
quiet
out_has 'messages     320; 320.00 KiB a node; AvgSD 1.000'
run luna plan --json -n 4 --sizes=sizes -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 plain.fa
out_has "$(luna stats --json sizes | grep -o '"AvgSS":[0-9.]*')"
luna run -q -n 2 --trace=halves -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
run luna plan -n 4 --sizes=halves -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 plain.fa
code 0
err <<'E'
luna: warning: halves has no send of 'y': bytes are not told
E
run luna plan -D GRID=64 -D FG=8 -D ITERS=10 -D EPS=0 "$poisson"
code 0
out_has 'calls        704; critical path 11, ideal speed-up 64.0'

# So many steps that they would be too many statements: turns that are alike are not walked.
run luna plan -n 4 -D GRID=64 -D FG=8 -D ITERS=10000000 -D EPS=0 "$poisson"
code 0
out_has 'calls        640000064, 160000016 on the node with most (max/avg 1.000); critical path 10000001,'
out_has 'messages     320000000; 305.18 GiB a node; AvgSD 1.000'
run luna plan -n 4 -D GRID=64 -D FG=8 -D ITERS=10000000 -D EPS=1e-9 --let steps=10000000 "$poisson"
code 0
out_has 'messages     320000003..320000048; AvgSD 1.000'
echo 'C sub c(int i) ${{ (void)i; $}}
sub main(int n) for i = 0..n for j = 0..i for k = 1..0 c(k);' >many.fa
run luna plan many.fa 100000
code 2
err_has "these are more than 20000000 statements and fragments they name"
if [ -z "${SANITIZED:-}" ]; then
    run sh -c "ulimit -v 60000; exec '$LUNA' plan many.fa 5000"
    code 5
    err <<'E'
luna: error: out of memory
E
fi

# A chain; a bound that is a value; a weight.
cat >chain.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main(int n)
{
    df x, y;
    seti(x[0], 2);
    for i = 1..n-1 seti(x[i], x[i-1]) @ { weight: 2; };
    for i = 0..x[n-1] seti(y[i], i);
}
E
run luna plan --let 'x[4]=2' chain.fa 5
code 0
quiet
out_has 'calls        8; critical path 6, ideal speed-up 1.3'
out_has 'weight       12; critical path 10, ideal speed-up 1.2'
out_has 'alive        x 2 of 5, y 1 of 3 values, in the order of the text'

# Calls that wait for each other.
cat >circle.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main(int n) { df x; for i = 0..n seti(x[i], x[n-i]); }
E
run luna plan circle.fa 1
err_has 'warning: some calls wait for each other'

# ---- what is wrong ----
run luna plan chain.fa 5
code 2
err_has "chain.fa:7:5: a bound follows from the value of 'x[4]', which a plan does not compute"
err_has "hint: if you know it, give it: --let 'x[4]=INT', or for all of its fragments --let x=INT"
run luna plan -D EPS=0.1 "$poisson"
code 2
err_has "when this loop ends follows from values"
err_has "hint: say it: --let 'steps=INT'"
run luna plan -D EPS=0.1 -D ITERS=50 --let steps=60 "$poisson"
code 2
err_has "this loop does not end with 60: for 50 its condition is false"
run luna plan -D EPS=0.1 --let=steps=-1 "$poisson"
code 2
err_has "the loop begins with 0, it cannot end with -1"
run luna plan --let z=1 --let main.x=1 chain.fa 5
code 0
err <<'E'
luna: warning: --let z=1: nothing asks for this value
E
run luna plan --let x chain.fa 5
code 2
err_has "--let needs NAME=INT, as in --let steps=100, not 'x'"
run luna plan --let x=1.5 chain.fa 5
code 2
err_has "--let x=1.5: '1.5' is no int"
run luna plan --let 'x[a]=1' chain.fa 5
code 2
err_has "--let x[a]=1: indices are written as ints in brackets: x[3][4]=5"
run luna plan --let
code 2
err_has "--let needs a value: --let NAME=INT"
run luna plan chain.fa
code 2
err_has "0 arguments of main given, 1 needed"
run luna plan chain.fa five
code 2
err_has "argument 1 of main, 'n', must be an int, not 'five'"
run luna plan -n 4 --distrib=ropes product.fa 4
code 2
err_has "--distrib=ropes: it is one of cyclic, block, block-cyclic, rope, patch"
run luna plan -n 4 --lattice=3x1 product.fa 4
code 2
err_has "--lattice=3x1 has 3 nodes, but the run has 4 (-n)"
run luna plan -n 4 --start=nowhere product.fa 4
code 2
err_has "--start=nowhere: cannot read it"
run luna plan -n 4 product.fa 0
code 2
err_has "the lattice of cells would be 0 x 0"
run luna plan --sizes=nowhere chain.fa 5
code 2
err_has "no such folder: 'nowhere'"
run luna plan --balance=paper chain.fa 5
code 2
err_has "'--balance' is an option of 'luna run', not of 'luna plan'"
run luna plan
code 2
sed 's/cell a\[i\]\[j\] => i, j/cell a[i][j] => i + 1, j/' product.fa >outside.fa
run luna plan -n 2 outside.fa 4
code 2
err_has "the cell of 'a[3][0]' is outside the lattice"
# What would be the first of an empty list is no fragment, wherever it would be.
cat >empty.fa <<'E'
import seti(name, int) as seti;
import all(value x[], name) as all;
sub main(int n) {
    df x, s;
    for i = 0..4 seti(x[i], i);
    all(x[i] over i = n..n-1, s[0]);
    all(x[i / (n - 5)] over i = n..n-1, s[1]);
} @ { cells 5; cell x[i] => i; }
E
for n in 0 5 9; do
    run luna plan -n 2 empty.fa $n
    code 0
done
# Parts that one node reads again may come as the whole.
cat >parts.fa <<'E'
C sub fill(name x) ${{ luna_create(x, 8000); $}}
C sub use(value a) ${{ (void)a; $}}
sub main() {
    df x;
    for i = 0..3 fill(x[i]);
    for i = 0..3 cf c[i]: use(value(x[(i + 1) % 4], 0, 8));
} @ { locator_cyclic x[i] => i; locator_cyclic c[i] => i; }
E
run luna plan -n 2 parts.fa
code 0
holds "each once" "$(tail -1 "$here/out")" = \
    "not counted  balancing, what loops and reductions send along trees, the end"
sed 's/i + 1) % 4/i + 1) % 2/' parts.fa >again.fa
run luna plan -n 2 again.fa
code 0
out_has "along trees, whole values in place of parts, the end"
echo 'sub main() { df x; say(x); }' >bad.fa
run luna plan bad.fa
code 1
err_has "bad.fa:1:20: error[SYN2]:"
echo 'sub f(int n) if n < 5000 f(n + 1); sub main() f(0);' >deep.fa
run luna plan deep.fa
code 2
err_has "more than 2000 calls of subs inside each other"
# A parameter that is handed a fragment: which one is to be given, by whom.
cat >handed.fa <<'E'
C sub seti(int k, name x) ${{ luna_set_int(x, k); $}}
sub pick(int k, name x) if k > 3 seti(1, x); else seti(2, x);
sub main() { df a, x; seti(5, a); pick(a, x); }
E
run luna plan handed.fa
code 2
err <<'E'
luna: error: handed.fa:2:25: what is done here is a value, that of 'k', which a plan does not compute
hint: the call hands a fragment to it: give that one, --let NAME=INT, or hand an int of counters and arguments
E
run luna plan --let a=5 handed.fa
code 0

finish
