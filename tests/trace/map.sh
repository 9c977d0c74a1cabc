#!/bin/sh
# map.sh - luna map as text: who owns which cell, now and earlier; and what is no map.
. "${0%/*}/lib.sh"

# ---- now ----
owned flat 4 '[4,6]' '[2,2]' <<'E'
0 0 0 1 1 1
0 0 0 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
run luna map flat
code 0
quiet
out <<'E'
heat.fa: 4x6 cells on 4 nodes, patch 2x2, at the end

0 0 0 1 1 1
0 0 0 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3

node        cells   pieces  neighbours
0               6        1           2   1 2
1               6        1           2   0 3
2               6        1           2   0 3
3               6        1           2   1 2
10 of 38 pairs of adjacent cells lie on two nodes
E

# ---- earlier: a move counts from its moment on, before anybody has told what it has then ----
later flat 0 '{"t":100000000,"ev":"move","cell":[1,2],"to":1,"txn":"0.1"}' \
    '{"t":300000000,"ev":"move","cell":[1,1],"to":2,"txn":"0.2"}' \
    '{"t":300000000,"ev":"own","cells":[[0,0],[0,1],[0,2],[1,0]]}'
later flat 1 '{"t":200000000,"ev":"own","cells":[[0,3],[0,4],[0,5],[1,2],[1,3],[1,4],[1,5]]}' \
    '{"t":500000000,"ev":"move","cell":[1,2],"to":3,"txn":"1.1"}'
rows_at() {
    run luna map flat --at="$1"
    code 0
    quiet
    sed -n '3,6p' "$here/out" >"$here/rows"
    mv "$here/rows" "$here/out"
}
for t in 0 0ms 99999us; do
    rows_at $t
    out <<'E'
0 0 0 1 1 1
0 0 0 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
done
for t in 100ms 0.2s 299999999ns; do
    rows_at $t
    out <<'E'
0 0 0 1 1 1
0 0 1 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
done
for t in 0.3s 499.9ms; do
    rows_at $t
    out <<'E'
0 0 0 1 1 1
0 2 1 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
done
for t in 0.5s 1s 1000ms; do
    rows_at $t
    out <<'E'
0 0 0 1 1 1
0 2 3 1 1 1
2 2 2 3 3 3
2 2 2 3 3 3
E
done
run luna map flat
out_has "3               7        2           3   0 1 2"
run luna map --at=200ms flat
out_has "heat.fa: 4x6 cells on 4 nodes, patch 2x2, at 200.00 ms"
out_has "1               7        1           3   0 2 3"
run luna map --at=0 flat
out_has "heat.fa: 4x6 cells on 4 nodes, patch 2x2, at the start"
run luna stats flat
out_has "cells moved: 3"

# What a node has at the start it may write a little later.
cp -r flat late
sed -i '1s/"t":0/"t":5000/' late/node-00003.jsonl
run luna map late --at=0
out_has "2 2 2 3 3 3"

# A cell that its node gives up without a word: a hole. Pieces are counted.
owned holes 3 '[3,4]' null <<'E'
0 1 1 0
0 1 1 0
2 2 2 2
E
later holes 2 '{"t":7,"ev":"own","cells":[[2,0],[2,2],[2,3]]}'
run luna map holes
code 0
quiet
out <<'E'
heat.fa: 3x4 cells on 3 nodes, patch, at the end

0 1 1 0
0 1 1 0
2 . 2 2

node        cells   pieces  neighbours
0               4        2           2   1 2
1               4        1           2   0 2
2               3        2           2   0 1
7 of 17 pairs of adjacent cells lie on two nodes
1 of 12 cells is no node's then ('.')
E

# Two nodes tell the same cell as theirs: the later line counts, and it is said.
later holes 0 '{"t":9,"ev":"own","cells":[[0,0],[1,0],[0,3],[1,3],[2,0],[2,1]]}'
run luna map holes
code 0
err <<'E'
luna: warning: two nodes tell 1 cell as theirs, such as [2,0] nodes 0 and 2: the later line counts
E
out_has "0 0 2 2"

# ---- widths: numbers, else letters, else blocks of cells ----
row() { awk -v cells="$1" -v nodes="$2" 'BEGIN {
    for (i = 0; i < cells; i++) printf "%d ", int(i * nodes / cells) }' | owned line "$2" "[$1]" "[$2]"; }
row 20 10
run luna map line
code 0
out <<'E'
heat.fa: 20 cells on 10 nodes, patch, at the end

0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9

node        cells   pieces  neighbours
0               2        1           1   1
1               2        1           2   0 2
2               2        1           2   1 3
3               2        1           2   2 4
4               2        1           2   3 5
5               2        1           2   4 6
6               2        1           2   5 7
7               2        1           2   6 8
8               2        1           2   7 9
9               2        1           1   8
9 of 19 pairs of adjacent cells lie on two nodes
E
row 33 11
run luna map line
out_has " 0  0  0  1  1  1  2  2  2  3  3  3  4  4  4  5  5  5  6  6  6  7  7  7  8  8  8  9  9  9 10 10 10"
row 36 12
run luna map line
out_has "000111222333444555666777888999aaabbb"
out_has "10 a            3        1           2   9 11"
holds "all in their rows" "$(sed -n 3p "$here/out")" = 000111222333444555666777888999aaabbb
row 308 11
run luna map line
out_has "a sign stands for 4 cells: the node that owns most of them"
holds "77 letters" "$(sed -n 4p "$here/out")" = \
    0000000111111122222223333333444444455555556666666777777788888889999999aaaaaaa
row 200 100
run luna map line
out_has "a sign stands for 7 cells: the node that owns most of them"
holds "numbers" "$(sed -n 4p "$here/out" | cut -c1-12)" = " 0  4  7 11 "
out_has "cells of a node: 2 to 2, mean 2.0"
out_has "neighbours of a node: 1 to 2, mean 2.0"
out_has "nodes whose cells are in one piece: 100 of 100"
holds "no line per node" -z "$(grep '^node  ' "$here/out")"

# Blocks of two dimensions; a terminal has its own width.
awk 'BEGIN { for (i = 0; i < 5; i++) { for (j = 0; j < 101; j++) printf "%d ", j % 2 + 2 * (i > 1); print "" } }' |
    owned wide 4 '[5,101]' '[2,2]'
run luna map wide
out_has "a sign stands for 2x2 cells: the node that owns most of them"
holds "three rows" "$(grep -c '^[0-9]\{51\}$' "$here/out")" -eq 3
if command -v script >/dev/null 2>&1; then
    run script -qec "stty cols 20; '$LUNA' map wide" /dev/null
    out_has "a sign stands for 6x6 cells"
else
    skip "a terminal: script is not there"
fi

# ---- three indices: planes ----
owned cube 2 '[2,2,3]' '[2,1,1]' <<'E'
0 0 0
0 0 1

1 1 0
1 1 1
E
run luna map cube
code 0
out <<'E'
heat.fa: 2x2x3 cells on 2 nodes, patch 2x1x1, at the end

plane 0
0 0 0
0 0 1

plane 1
1 1 0
1 1 1

node        cells   pieces  neighbours
0               6        1           1   1
1               6        1           1   0
8 of 20 pairs of adjacent cells lie on two nodes
E

# One node owns all, and need not say so.
cat >alone.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main() { df x; for i = 0 .. 3 seti(x[i], i); } @ { cells 2, 2; cell x[i] => i / 2, i % 2; }
E
run luna run --trace=one alone.fa
code 0
run luna map one
code 0
out_has "alone.fa: 2x2 cells on 1 node"
out_has "0 0"
out_has "0               4        1           0"

# ---- what is no map ----
run luna map
code 2
err_has "no TRACE_DIR was given"
run luna map none
code 2
err <<'E'
luna: error: no such folder: 'none'
hint: TRACE_DIR is the folder that luna run --trace=DIR has written
E
mkdir empty
run luna map empty
code 2
err <<'E'
luna: error: cannot read 'empty/run.json': No such file or directory
hint: a trace is the folder that luna run --trace=DIR has written, with all its files
E
owned nothing 2 null null </dev/null
run luna map nothing
code 2
err <<'E'
luna: error: nothing/run.json: heat.fa had no cells, so there is no map of them
hint: 'cells N, M;' behind the block of main declares them, 'cell x[i][j] => i, j;' binds fragments to them
E
owned nothing 2 '[4]' '[2]' </dev/null
run luna map nothing
code 2
err <<'E'
luna: error: nothing: no node tells which cells it owns
hint: run the program again with --trace=DIR
E
run luna map flat --at=1.5s
code 2
out </dev/null
err <<'E'
luna: error: --at=1.5s is beyond the end: the run took 1 s
hint: without --at the map is that of the end
E
for wrong in 10 ms -1s 1h 1.2.3s 0x1s 1e3s 99999999999s; do
    run luna map flat --at=$wrong
    code 2
    err_has "--at needs a time since the start such as 0, 10ms or 1.5s, not '$wrong'"
done
for none in --at --at=; do
    run luna map flat $none
    code 2
    err_has "--at needs a value: --at=TIME"
done
run luna map flat -o
code 2
err_has "-o needs a value: -o FILE.png"
run luna map flat again
code 2
err_has "'luna map' takes one TRACE_DIR; 'again' is one word too many"
run luna map flat --json
code 2
err_has "'--json' is an option of 'luna stats', not of 'luna map'"
run luna stats flat --at=0
code 2
err_has "'--at' is an option of 'luna map', not of 'luna stats'"
run luna help map
code 0
out_has "usage: luna map TRACE_DIR [--at=TIME] [-o FILE.png]"
out_has "-o FILE.png"
out_lacks() { if grep -qF -- "$1" "$here/out"; then bad "stdout has: $1"; else good; fi; }
out_lacks "PROG"

# Cells that cannot be, in line 1 of node 1; sides that cannot be.
damage() {
    rm -rf tr
    cp -r cube tr
    sed -i "1$2" tr/node-00001.jsonl
    run luna map tr
    code 2
    out </dev/null
    err <<E
luna: error: tr/node-00001.jsonl:1: the trace is damaged: $1
hint: $(hint_of "$1")
E
}
damage 'a cell lies outside those of the run' 's/\[0,1,2\]/[0,1,3]/'
damage 'a cell has the wrong number of indices' 's/\[0,1,2\]/[0,1]/'
damage 'a cell has the wrong number of indices' 's/\[0,1,2\]/null/'
damage 'there are more than three indices' 's/\[0,1,2\]/[0,1,2,0]/'
damage 'an index or side is too large' 's/\[0,1,2\]/[0,1,4294967296]/'
damage 'a number that is 0 or more was expected' 's/\[0,1,2\]/[0,1,-1]/'
damage "'[' was expected" 's/\[0,1,2\]/7/'
damage "',' or ']' was expected" 's/\[0,1,2\]/[0,1,2 4]/'
damage "',' or ']' was expected" 's/\],\[/] [/'
damage '"cells" is no list of cells' 's/\[\[.*\]\]/6/'
damage '"cells" is no number of cells' 's/"own"/"load","bytes":1,"count":1/'
damage 'it lacks a field of its event' 's/"own"/"move"/'
damage 'its "ev" is none of this version' 's/"own"/"owns"/'

sides() {
    rm -rf tr
    cp -r cube tr
    sed -i "s/\"cells\":\[2,2,3\]/\"cells\":$2/" tr/run.json
    run luna map tr
    code 2
    err_has "tr/$1"
}
sides "run.json:2: the trace is damaged: a lattice cannot have such sides" '[2,0,3]'
sides "run.json:2: the trace is damaged: a lattice cannot have such sides" '[65536,65536]'
sides "run.json:2: the trace is damaged: there are more than three indices" '[2,2,3,1]'
sides "run.json:2: the trace is damaged: a number that is 0 or more was expected" '[]'
sides "run.json:2: the trace is damaged: '[' was expected" '"2"'
sed -i 's/"cells":[^ ]* /"cells":null, /' tr/run.json
run luna stats tr
code 2
err_has "tr/node-00000.jsonl:1: the trace is damaged: a cell, but run.json tells of none"
sides "node-00000.jsonl:1: the trace is damaged: a cell has the wrong number of indices" '[2,6]'
sed -i 's/"ev":"end"/"ev":"ends"/' flat/node-00002.jsonl
run luna map flat
code 2
err_has "flat/node-00002.jsonl:2: the trace is damaged: its \"ev\" is none of this version"

# ---- calls tell their cell, one that their node owns ----
cat >mesh.fa <<'E'
C sub first(name x) ${{ luna_set_int(x, 1); $}}
C sub step(value a, value b, name x) ${{ (void)a, (void)b; luna_set_int(x, 2); $}}
C sub say(int a) ${{ (void)a; $}}
sub main()
{
    df u;
    for i = 0 .. 3 for j = 0 .. 5 first(u[0][i][j]);
    for t = 0 .. 8 for i = 0 .. 3 for j = 0 .. 5 step(u[t][i][j], u[t][i][5-j], u[t+1][i][j]);
    say(u[9][2][3]);
}
@ { cells 4, 6; cell u[t][i][j] => i, j; }
E
for how in "run -n 4 -t 1" "run -n 3 -t 2" "sim -n 5"; do
    rm -rf mesh
    run luna $how -q --trace=mesh mesh.fa
    code 0
    holds "$how: each tells it" "$(cat mesh/node-*.jsonl | grep '"exec"' | grep -c '"cell":\[[0-3],[0-5]\]')" = 241
    for file in mesh/node-*.jsonl; do
        mine=$(grep '"own"' "$file")
        for cell in $(sed -n 's/.*"exec".*"cell":\(\[[0-9,]*\]\).*/\1/p' "$file" | sort -u); do
            case $mine in *"$cell"*) ;; *) bad "$how: $file ran for $cell" ;; esac
        done
    done
done
run luna report -o mesh.html mesh
code 0

finish
