# --print, --hash=values, --compare: what is told of single values, and where an error began.
. "${0%/*}/lib.sh"
ASAN_OPTIONS=detect_leaks=0 # MPI keeps much to its end
export ASAN_OPTIONS

cat >v.fa <<'E'
import init(int, name) as init;
import step(value, value, int, name) as step;
import fill(real, name) as fill;
import show(int) as show;
sub main(int wrong)
{
    df x, s, y;
    for i = 0 .. 3 init(i, x[0][i]);
    for t = 1 .. 5 for i = 0 .. 3
        cf step[t][i]: step(x[t-1][i], x[t-1][(i+1) % 4], t == 3 && i == 2 ? wrong : 0, x[t][i]);
    fill(0.5, y);
    reduce + int(x[5][i]) over i = 0 .. 3 => s;
    show(s) @ { request y; };
}
E
cat >v.c <<'E'
#include <luna.h>
#include <stdio.h>
void init(int i, luna_df *x) { luna_set_int(x, i * i); }
void step(const luna_df *a, const luna_df *b, int wrong, luna_df *x)
{
    luna_set_int(x, luna_get_int(a) + luna_get_int(b) + wrong);
}
void fill(double first, luna_df *y)
{
    double *x = luna_create(y, 10 * sizeof *x);
    for (int i = 0; i < 10; i++) x[i] = first + i;
}
void show(int s) { printf("%d\n", s); }
E

# ---- --hash=values: sorted, the same however it runs ----
run luna run -t 1 --hash=values v.fa 0
code 0
echo 448 | out
cp "$here/err" good.txt
holds "a line for each value" "$(wc -l <good.txt)" = 26
holds "the form of a line" "$(sed -n 1p good.txt)" = "value main.s int 4 fc88bb013189b458"
holds "sorted by numbers" "$(cut -d' ' -f2 good.txt | sed -n '2p;25p;26p' | tr '\n' ' ')" = \
    "main.x[0][0] main.x[5][3] main.y "
for how in "-t 2" "-n 3 -t 1" "-n 2 -t 2" "-n 3 -t 1 --transport=mpi"; do
    run luna run $how --hash=values v.fa 0
    code 0
    err <good.txt
done
run luna sim -n 4 -q --hash=values v.fa 0
err <good.txt

# Both words, and both are told.
run luna run -t 1 --hash --hash=values v.fa 0
err_has "value main.s int 4 fc88bb013189b458"
err_has "hash main.x 24 "

# ---- --compare ----
for how in "-t 1" "-t 2" "-n 3 -t 1" "-n 3 -t 1 --transport=mpi"; do
    run luna run $how --compare=good.txt v.fa 0
    code 0
    echo "luna: all 26 values are as in 'good.txt'" | err

    run luna run $how --compare=good.txt v.fa 5
    code 3
    echo 468 | out
    err <<'E'
luna: of 26 values in 'good.txt' 7 differ
  here it began: v.fa:10: step[3][2] read the same values and assigned another to x[3][2]
  differs: main.s
  differs: main.x[3][2]
  differs: main.x[4][1]
  differs: main.x[4][2]
  differs: main.x[5][0]
  differs: main.x[5][1]
  differs: main.x[5][2]
E
done

sed 's/main\.x\[5\]\[3\]/main.z/; s/^value main.s int 4 .*/& /' good.txt >other.txt
run luna run -t 1 --compare=other.txt v.fa 0
code 3
err_has "not in the file: main.x[5][3]"

grep -v 'x\[0\]' good.txt >fewer.txt
run luna run -t 1 --compare=fewer.txt v.fa 0
code 3
err_has "luna: of 22 values in 'fewer.txt' 0 differ; 4 are assigned that it does not name"

echo 'value main.gone int 4 0000000000000000' | cat - good.txt >more.txt
run luna run -t 1 --compare=more.txt v.fa 0
code 3
err <<'E'
luna: of 27 values in 'more.txt' 0 differ, 1 are not assigned
  not assigned: main.gone
E

run luna run --compare=v.c v.fa 0
code 2
err_has "--compare=v.c: it has no lines of values, which --hash=values prints"
run luna run --compare=none.txt v.fa 0
code 2
err_has "--compare=none.txt: cannot read it: No such file or directory"
mkfifo fifo.txt
run timeout 20 "$LUNA" run --compare=fifo.txt v.fa 0
code 2
err_has "--compare=fifo.txt: cannot read it: it is a FIFO, and a regular file is needed"
run timeout 20 sh -c 'cat good.txt | "$0" run --compare=/dev/stdin v.fa 0' "$LUNA"
code 0
run timeout 20 bash -c '"$0" run --compare=<(cat good.txt) v.fa 0' "$LUNA"
code 0

# ---- --print ----
for how in "-t 2" "-n 3 -t 1" "-n 2 -t 1 --transport=mpi"; do
    run luna run $how --print='x[2..3][2],s,y' v.fa 5
    code 0
    echo 468 | out
    sort "$here/err" >told
    mv told "$here/err"
    err <<'E'
main.s = 468
main.x[2][2] = 22
main.x[3][2] = 37
main.y = 80 bytes, reals 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 ...
E
done
run luna run -t 1 --print='main.x[0][*]' v.fa 0
holds "all of a row" "$(wc -l <"$here/err")" = 4
run luna run -t 1 --print=x v.fa 0
holds "all of a name" "$(wc -l <"$here/err")" = 24
for name in 'x[99999999999][*]' 'x[5..1][0]' 'x[*][*][*]'; do
    for how in "-t 1" "-n 2 -t 2"; do
        # shellcheck disable=SC2086
        run luna run $how --print="$name" v.fa 0
        code 0
        err_has "luna: note: --print=$name: no such fragment was assigned"
    done
done
run luna run -q -t 1 --print='x[5..1][0]' v.fa 0
code 0
quiet
run luna run --print=z v.fa 0
code 2
err_has "--print: the program has no DF 'z'"
run luna run '--print=x[a]' v.fa 0
code 2
err_has "--print takes x, x[3], x[*], x[1..4][*]; 'x[a]' is none of these"
run luna run --print= v.fa 0
code 2
err_has "--print needs a name of the program"
run luna run --hash=all v.fa
code 2
err_has "--hash stands alone, or as --hash=values, not 'all'"
finish
