# Programs that do not say where things are: spread as well as by hand, with the same answers; what is
# printed can be pasted; and whatever the arguments are, no run fails for it.
. "${0%/*}/lib.sh"

apps=$(cd "${0%/*}/../../apps" && pwd)
programs=$(cd "${0%/*}/../bench/place" && pwd)

# ---- the same as by hand ----

# plain APP: its program without rules of place.
plain() {
    perl -0777 -pe 's/^(?!import|\/\/)(.*?)\bcells? [^;{}`\n]*;/$1/mg while /^(?!import|\/\/).*\bcells? [^;{}`\n]*;/m;
        s/#define SAME_AT.*/#define SAME_AT/; s/\} \$SAME_AT/}/g; s/\@ *\{[ \n]*(\$SAME_CELL)?[ \n]*\}//g' \
        "$apps/$1/$1.fa"
}

# told OPTIONS..: in $hash, $sent and $us (of virtual time) what a run of the simulator gives.
told() {
    run luna sim -t 1 -q --distrib=patch --hash --stats "$@"
    code 0
    hash=$(grep '^hash \*' "$here/err")
    sent=$(sed -n 's/.*; \([0-9]*\) values* sent,.*/\1/p' "$here/err")
    us=$(sed -n 's/^luna: \([0-9.]*\) s, .*/\1/p' "$here/err")
    busiest=$(awk '/^node  worker/ {on = 1; next} on && /^ *[0-9]+ +[0-9]+ / && $3 > most {most = $3}
                   END {print most + 0}' "$here/err")
    holds "some node has calls" "$busiest" -gt 0
}

as_by_hand() { # as_by_hand APP OPTIONS..
    app=$1
    shift
    cp "$apps/$app"/*.[ch]* . 2>/dev/null
    plain "$app" >plain.fa
    holds "$app is without rules" -z "$(grep -v '^import\|^//' plain.fa | grep -w 'cells\|cell .*=>')"
    cp "$apps/$app/$app.fa" hand.fa
    # Behind main's brace, or, if rules stand there, among them.
    if grep -q '^@' "by_$app" 2>/dev/null; then { plain "$app" && cat "by_$app"; } >hand.fa
    elif [ -f "by_$app" ]; then { plain "$app" | sed '$d' && cat "by_$app"; } >hand.fa; fi
    for nodes in 2 4 16; do
        told -n $nodes "$@" hand.fa
        hand_sent=${sent:-0} hand_busiest=$busiest hand_hash=$hash
        told -n $nodes "$@" plain.fa
        holds "$app on $nodes nodes: $sent values sent, $hand_sent by hand" \
            $((${sent:-0} * 100)) -le $((hand_sent * 102 + 200))
        holds "$app on $nodes nodes: the busiest has $busiest calls, $hand_busiest by hand" \
            $((busiest * 100)) -le $((hand_busiest * 105))
        holds "$app on $nodes nodes: the same hash" "$hash" = "$hand_hash"
        told -n $nodes --place=node0 "$@" plain.fa
        holds "$app on $nodes nodes: the same hash on node 0" "$hash" = "$hand_hash"
    done
    rm -f ./*.c ./*.h ./*.cpp
}
cat >by_heat1d <<'E'
    cells PARTS; cell u[t][p] => p - 1; cell error_to[p] => p - 1;
    cell first[t][p] => p - 1; cell last[t][p] => p - 1; }
E
cat >by_matmul <<'E'
@ { cells PARTS, PARTS; cell a[i][k] => i, k; cell b[k][j] => k, j; cell c[i][j][k] => i, j; }
E
as_by_hand heat1d -D PARTS=32 -D POINTS=320 -D STEPS=20
as_by_hand heat2d -D BLOCKS=8 -D STEPS=10
as_by_hand poisson3d -D GRID=32 -D FG=8 -D EPS=0 -D ITERS=5
as_by_hand poisson3d -D GRID=16 -D FG=4 -D EPS=0.5
as_by_hand matmul -D PARTS=8 -D ROWS=64
as_by_hand pic2d -D STEPS=4
as_by_hand primes

for program in cholesky wavefront gradients fft; do
    for nodes in 4 16; do
        told -n $nodes -D HAND "$programs/$program.fa"
        hand_sent=$sent hand_hash=$hash
        told -n $nodes "$programs/$program.fa"
        holds "$program on $nodes nodes: $sent values sent, $hand_sent by hand" \
            $((sent * 100)) -le $((hand_sent * 102))
        holds "$program on $nodes nodes: the same hash" "$hash" = "$hand_hash"
    done
done
for program in lu bodies seidel cube transpose; do
    told -n 4 --place=node0 "$programs/$program.fa"
    one_hash=$hash one_busiest=$busiest
    told -n 4 "$programs/$program.fa"
    holds "$program: the same hash as on node 0" "$hash" = "$one_hash"
    holds "$program: the busiest of 4 nodes has $busiest of $one_busiest calls" \
        $((busiest * 2)) -le "$one_busiest"
done

# ---- what is printed can be pasted ----

for program in cholesky gradients fft lu cube transpose; do
    luna check --proof "$programs/$program.fa" >proof 2>/dev/null
    sed -n '/^  main:/,/^  [^ ]/p' proof | grep '^    ' | tr '\n' ' ' >rules
    inner=$(sed -n '/^  main, behind/,/^  [n]/p' proof | grep '^    ' | tr '\n' ' ')
    sed '/^#ifdef HAND/,/^#endif/d' "$programs/$program.fa" >pasted.fa
    if [ "$inner" ]; then
        # Behind the loop over t, whose brace stands alone four columns from the left.
        sed "s|^    }\$|    } @ { $inner }|" pasted.fa >with.fa && mv with.fa pasted.fa
    fi
    echo "@ { $(cat rules) }" >>pasted.fa
    told -n 4 "$programs/$program.fa"
    found_sent=$sent found_busiest=$busiest
    told -n 4 pasted.fa
    holds "$program, pasted: $sent values sent, $found_sent without" "$sent" = "$found_sent"
    holds "$program, pasted: the busiest" "$busiest" = "$found_busiest"
done

# ---- cells that are dealt out go round the nodes ----

spread_by() { # spread_by WORDS FILE OPTIONS..
    words=$1 file=$2
    shift 2
    run luna sim -t 1 -n 4 --call-ns=100000 --stats "$@" "$file"
    code 0
    err_has "luna: $words"
    us=$(sed -n 's/.* 0*\([0-9]*\)\.\([0-9]*\) ms of virtual time.*/\1\2/p' "$here/err")
}
cat >shrinks.fa <<'E'
C sub put(int i, name x) ${{ luna_set_int(x, i); $}}
C sub mix(value a, value b, value c, name x) ${{ luna_set_int(x, luna_get_int(b)); $}}
sub main() {
    df u;
    for i = 0 .. 63 put(i, u[0][i]);
    for t = 0 .. 30 for i = t + 1 .. 62 - t mix(u[t][i-1], u[t][i], u[t][i+1], u[t+1][i]);
}
E
spread_by "patch of 32 cells" "$programs/wavefront.fa" --distrib=patch
boxes=$us
spread_by "block-cyclic of 32 cells" "$programs/wavefront.fa"
holds "a wave takes $us, in boxes $boxes" $((us * 2)) -lt "$boxes"
spread_by "block-cyclic of 8x8 cells" "$programs/lu.fa"
spread_by "patch of 64 cells" "$programs/seidel.fa"
spread_by "patch of 32 cells" shrinks.fa
# Not where cells are to move, or the lattice of nodes is the user's.
spread_by "patch of 32 cells" "$programs/wavefront.fa" --balance=two-phase
spread_by "patch of 32 cells" "$programs/wavefront.fa" --lattice=4
spread_by "patch of 64 cells" "$programs/wavefront.fa" --start=half
run luna plan -n 4 "$programs/lu.fa"
code 0
cp "$here/out" usual
run luna plan -n 4 --distrib=block-cyclic "$programs/lu.fa"
holds "a plan takes the usual distributor" "$(cat "$here/out")" = "$(cat usual)"

# ---- what a sub declares ----

# A solver for each p: all that it makes stays where its result is, and so do its loops.
cat >solve.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub put(int i, name x) ${{ luna_set_int(x, i); $}}
C sub half(int a, name x) ${{ luna_set_int(x, a / 2); $}}
C sub say(int i) ${{ printf("%d\n", i); $}}
sub solve(name r) {
    df x, y, turns;
    put(1000, x[0]);
    while x[t] > 3, t = 0 .. out turns half(x[t], x[t+1]);
    put(turns, y[0]);
    for t = 0 .. 99 half(y[t] + 9, y[t+1]);
    half(y[100] + x[turns], r);
}
sub main(int n) {
    df r, sum;
    for p = 0 .. n-1 solve(r[p]);
    reduce + r[p] over p = 0 .. n-1 => sum;
    say(sum);
}
E
told -n 4 --place=node0 solve.fa 64
one_hash=$hash one_busiest=$busiest
told -n 4 solve.fa 64
holds "solve: the same hash as on node 0" "$hash" = "$one_hash"
holds "solve: $sent values sent" "$sent" = 0
holds "solve: the busiest of 4 nodes has $busiest of $one_busiest calls" \
    $((busiest * 4)) -le $((one_busiest + 4))
messages=$(sed -n 's/.*, \([0-9]*\) messages,.*/\1/p' "$here/err")
holds "solve: $messages messages" "$messages" -le 20
run luna plan -n 4 --let turns=8 solve.fa 64
code 0
out_has "$busiest on the node with most"

# As --proof says it.
run luna check --proof solve.fa
code 0
out_has "  solve, with int p as index 1 of r:"
out_has "    cell x[t] => p % 4096;"
sed -e 's/solve(name r)/solve(int p, name r)/; s/solve(r\[p\])/solve(p, r[p])/' \
    -e '/half(y\[100\]/{n; s/$/ @ { cell x[t] => p; cell y[t] => p; cell turns => p; }/}' \
    -e '/say(sum)/{n; s/$/ @ { cells n; cell r[p] => p; }/}' solve.fa >pasted.fa
told -n 4 pasted.fa 64
holds "solve, pasted: $sent values sent" "$sent" -le 2000
holds "solve, pasted: the busiest" "$busiest" -le $((one_busiest / 4 + 4))

# ---- whatever the arguments are ----

cat >line.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub put(int i, name x) ${{ luna_set_int(x, i); $}}
C sub copy(value a, name x) ${{ luna_set_int(x, luna_get_int(a)); $}}
C sub say(int i) ${{ printf("%d\n", i); $}}
sub main(int n, int far) {
    df x, sum;
    for i = 0 .. n-1 put(i, x[0][i]);
    for t = 0 .. 2 for i = 0 .. n-1 copy(x[t][i], x[t+1][i]);
    put(7, x[0][far]);
    reduce + x[3][i] over i = 0 .. n-1 => sum;
    say(sum);
}
E
for n in 0 1 2 5000 100000; do
    for far in -1 $n 2147483647 -2147483648; do
        run luna run -n 4 -q line.fa $n $far
        code 0
        quiet
        out_has "$(awk "BEGIN {printf \"%d\", ($n * ($n - 1) / 2 + 2147483648) % 4294967296 - 2147483648}")"
    done
done

# What lies beyond the ends of the lattice is of the cells at its ends, also where loops are cut.
cat >ends.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub put(int i, name x) ${{ luna_set_int(x, i * i); $}}
C sub copy(value a, name x) ${{ luna_set_int(x, luna_get_int(a) + 1); $}}
C sub say(int a, int b, int c, int d) ${{ printf("%d %d %d %d\n", a, b, c, d); $}}
sub main()
{
    df u, v;
    for i = 0 .. 999 put(i, u[i]);
    for i = 1000 .. 1500 put(i, u[i]);
    for i = -500 .. -1 put(i, u[i]);
    for i = 0 .. 999 copy(u[i], v[i]);
    for i = 1000 .. 1500 copy(u[i], v[i]);
    for i = -500 .. -1 copy(u[i], v[i]);
    say(v[-500], v[-1], v[1000], v[1500]);
}
E
run luna check --proof ends.fa
out_has 'cells 1000;'
for distrib in patch rope cyclic; do
    run luna sim -q -t 1 -n 4 --distrib=$distrib ends.fa
    code 0
    out_has '250001 2 1000001 2250001'
done

# ---- the option, the note ----

run luna run -n 4 line.fa 8 -1
code 0
err_has 'luna: note: 1 DF is spread over 4 nodes (luna check --proof tells how)'
run luna run -n 4 --place=node0 line.fa 8 -1
err_lacks spread
run luna run line.fa 8 -1
quiet
run luna run -n 4 --place=here line.fa 8 -1
code 2
err_has "luna: error: --place is auto or node0, not 'here'"
for how in --lattice=2x2 --distrib=block-cyclic:2x2; do
    run luna run -n 4 -q $how line.fa 8 -1
    code 2
    err_has 'hint: the cells are those that luna has found (luna check --proof); --place=node0 does without'
done
run luna run -n 4 -q --lattice=2x2 --place=node0 line.fa 8 -1
code 0
run luna check --proof=off line.fa
quiet
run luna run -n 4 --proof=off line.fa 8 -1
err_lacks spread

# Calls that are shorter than a message are told so: of a run that lasts, or is asked.
run luna run -n 4 --stats "$programs/cube.fa"
err_has 'us, less than a message between nodes costs: --place=node0 may be faster'
for how in -q --place=node0 '-n 1'; do
    run luna run -n 4 --stats $how "$programs/cube.fa"
    err_lacks '--place=node0 may be faster'
done
run luna run -n 4 "$programs/cube.fa"
err_lacks '--place=node0 may be faster'
# Nor of the simulator, where nobody has measured how long they are.
run luna sim -n 4 --stats "$programs/cube.fa"
err_lacks '--place=node0 may be faster'
# Longer ones are not: 2 ms, each of which reads a value of another node.
cat >long.fa <<'EOF'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub first(int k, name x) ${{ luna_set_int(x, k); $}}
C sub next(int left, name x) ${{ usleep(2000); luna_set_int(x, left + 1); $}}
C sub show(int k) ${{ printf("%d\n", k); $}}
sub main() {
    df x[0..9][8];
    for i = 0 .. 7 x[0][i] = first(i);
    for t = 0 .. 8 for i = 0 .. 7 x[t + 1][i] = next(x[t][i - 1]);
    show(x[9][7]);
} @ { outside x => 0; }
EOF
run luna run -n 4 --stats long.fa
code 0
err_has 'is spread over 4 nodes'
err_lacks '--place=node0 may be faster'
# A run of more than a second, of whose calls nobody has asked how long they are.
sed -i 's/usleep(2000)/usleep(120000)/' long.fa
run luna run -n 4 long.fa
code 0
err_has 'is spread over 4 nodes'
err_lacks '--place=node0 may be faster'

# What luna plan foretells is what happens.
for place in auto node0; do
    told -n 4 --place=$place line.fa 40 -1
    run luna plan -n 4 --distrib=patch --place=$place line.fa 40 -1
    code 0
    planned=$(sed -n 's/^messages *\([0-9]*\);.*/\1/p' "$here/out")
    holds "$place: $sent values sent, $planned planned" "${sent:-0}" = "${planned:-0}"
done

# ---- what a program with cells leaves open ----

# Squares are not said to be anywhere: they are where the calls are that name them, and nothing travels.
# The sum of all, which node 0 asks for, does.
cat >squares.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub put(int k, name x) ${{ luna_set_int(x, k); $}}
C sub square(int k, name x) ${{ luna_set_int(x, k * k); $}}
C sub add(int a, int b, name x) ${{ luna_set_int(x, a + b); $}}
C sub show(int k) ${{ printf("%d\n", k); $}}
sub main() {
    df x, y, all;
    for i = 0 .. 7 put(i, x[0][i]);
    for t = 0 .. 9 {
        df squares;
        for i = 0 .. 7 square(x[t][i], squares[i]);
        for i = 0 .. 7 add(squares[i] % 1000, 1, x[t + 1][i]);
    }
    reduce + x[10][i] over i = 0 .. 7 => all;
    show(all);
} @ { cells 8; cell x[t][i] => i; }
E
run luna run -n 1 -q squares.fa
code 0
cp "$here/out" "$here/one"
run luna run -n 4 -q --trace="$here/squares" squares.fa
code 0
cmp -s "$here/one" "$here/out" && good || bad "another answer on four nodes"
holds "squares stay where they are" "$(cat "$here"/squares/*.jsonl | grep -c '"df":"squares\[.*"send"\|"send".*"df":"squares\[')" = 0

# A border without a rule, which its neighbour reads, is warned of; not what main reads, too.
cat >border.fa <<'E'
C sub put(int k, name x, name edge) ${{ luna_set_int(x, k); luna_set_int(edge, k); $}}
C sub step(int a, int b, name x, name edge) ${{ luna_set_int(x, a + b); luna_set_int(edge, a); $}}
C sub show(int k) ${{ printf("%d\n", k); $}}
C head ${{
#include <stdio.h>
$}}
sub main() {
    df x, edge;
    for i = 0 .. 7 put(i, x[0][i], edge[0][i]);
    for t = 0 .. 9 for i = 0 .. 7
        step(x[t][i], edge[t][(i + 1) % 8], x[t + 1][i], edge[t + 1][i]);
    show(x[10][3]);
} @ { cells 8; cell x[t][i] => i; }
E
run luna check border.fa
code 0
err_has "border.fa:8:11: warning[EXT21]: 'edge' has no cell rule and lives on node 0, but all calls that name it run at cells"
err_has 'hint: say where it is: cell edge[i][j] => ...;'
sed 's/show(x.10..3.)/show(x[10][3]); show(edge[10][3])/' border.fa >border_read.fa
run luna check border_read.fa
code 0
err_lacks EXT21
# One cell writes it for all: nothing is gained by another place.
sed 's/edge.t.\[(i + 1) % 8\]/edge[t][0]/; s/edge.t + 1..i./rest[t][i]/; s/df x, edge/df x, edge, rest/
    s/for i = 0 .. 7 put.*/for i = 0 .. 7 put(i, x[0][i], rest[99][i]); for t = 0 .. 9 put(t, x[50 + t][0], edge[t][0]);/' border.fa >border_one.fa
run luna check border_one.fa
err_lacks "'edge' has no cell rule"
sed 's/=> i; }/=> i; cell edge[t][i] => i; }/' border.fa >border_ruled.fa
run luna check border_ruled.fa
code 0
err_lacks EXT21

# ---- loops whose bounds are values begin where these are, and a while where its result goes: else all
# wait until the loop around them has come by on node 0, between its calls ----
cat >bounds.fa <<'F'
C sub put(int k, name x) ${{ luna_set_int(x, k); $}}
C sub work(int i, int k, name r) ${{ luna_set_int(r, i + k); $}}
C sub next(int a, name b) ${{ luna_set_int(b, a - 1); $}}
sub main()
{
    df n, r, c, m, s;
    for i = 0 .. 399 {
        put(1 + i % 4, n[i]);
        for j = 0 .. n[i] - 1 work(i, j, r[i][j]);
        put(1 + i % 3, c[i][0]);
        while c[i][t] > 0, t = 0 .. out m[i] next(c[i][t], c[i][t+1]);
    }
    reduce + m[i] over i = 0 .. 399 => s;
    put(s, s[1]);
}
F
run luna sim -n 2 --call-ns=300000 bounds.fa # 2,600 calls
code 0
ms=$(sed -n 's/.* \([0-9]*\)\.[0-9]* ms of virtual time.*/\1/p' "$here/err")
holds "two nodes share them evenly: 390 ms each, in $ms" "${ms:-999}" -le 400

# ---- programs that stay ----

stays() { # stays BODY WHY
    sed "s/luna_set_int(x, i);/$1/" line.fa >stays.fa
    run luna run -n 4 stays.fa 8 -1
    code 0
    err_has "luna: note: all calls run on node 0 of 4: its functions $2"
    run luna run -n 4 -q stays.fa 8 -1
    err_lacks 'all calls run'
}
stays 'static int n; n++; luna_set_int(x, i + 0 * n);' 'have variables that all calls share'
stays 'luna_set_int(x, i + 0 * getchar());' 'read standard input'
finish
