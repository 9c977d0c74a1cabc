# parts_random.pl SEED - a random program that reads parts of arrays, pieces of them and all of them: rows
# and columns of blocks, over a few steps, in any order of the text; placed by cells or by locators.
use strict;
srand(shift);

sub any { $_[int rand @_] }

my ($n, $m, $steps) = (4 + int rand 4, 4 + int rand 4, 1 + int rand 4);
my $cells = rand() < .6;
my ($a, $b, $c) = map { any(3, 40, 300, 700, 1500) } 1 .. 3;

# A number of an array of so many; one that follows counters.
sub number {
    my ($x, $size, $i, $t) = @_;
    my $k = any(int rand $size, "(" . int(rand 4) . " * $i + $t) % $size");
    return "real($x, $k)";
}

sub piece {
    my ($x, $size) = @_;
    my $from = int rand $size;
    my $count = 1 + int rand($size - $from);
    return sprintf "value(%s, %d, %d)", $x, 8 * $from, 8 * $count;
}

sub some_of { rand() < .5 ? $_[0] : piece(@_) }

my $of_a = any('a[t][i]', 'a[t][(i + 1) % N]', 'a[t][int(p, i + j)]');
my $of_b = any('b[t][j]', 'b[t][(j + t) % M]');
my $number_a = any('a[t][i]', 'a[t][(i + N - 1) % N]', 'a[0][i]');
my $number_b = any('b[t][j]', 'b[0][j]', 'b[t][(i + j) % M]');
my $loops = any('for i = 0 .. N - 1 for j = 0 .. M - 1', 'for j = 0 .. M - 1 for i = 0 .. N - 1');
my $place = $cells ? '' : ' locator_cyclic: ' . any('i + j', 'i * 3 + t', 'j', 'i') . ';';
my $after = rand() < .4 ? ' request a[t][i];' : '';
my $rules = "$place$after" ? " @ {$place$after }" : '';
my @body = (
    'for i = 0 .. N - 1 fill(a[0][i], A, i);',
    'for j = 0 .. M - 1 fill(b[0][j], B, j + 7);',
    'ints(p, 64, N);',
    "for t = 0 .. STEPS - 1 $loops { mix(" . some_of($of_a, $a) . ', ' . some_of($of_b, $b) . ', ' .
        number($number_a, $a, any('i', 'j'), 't') . ', ' .
        number($number_b, $b, any('i', 'j'), 't') . ", C, c[t][i][j])$rules; }",
    'for t = 0 .. STEPS - 1 for i = 0 .. N - 1 { mix(' . piece('c[t][i][0]', $c) .
        ', c[t][i][M - 1], ' . number('c[t][i][t % M]', $c, 'i', 't') . ', ' .
        number('c[t][(i + 1) % N][0]', $c, 'i', 't') . ', A, a[t + 1][i]); }',
    'for t = 0 .. STEPS - 1 for j = 0 .. M - 1 { mix(c[t][0][j], ' . piece('c[t][N - 1][j]', $c) .
        ', ' . number('c[t][0][j]', $c, 'j', 't') . ', ' . number('b[t][j]', $b, 'j', 't') .
        ', B, b[t + 1][j]); }',
    'for i = 0 .. N - 1 { sum(' . number('a[STEPS][i]', $a, 'i', 'STEPS') . ', ' .
        number('a[STEPS][(i + 1) % N]', $a, 'i', 'STEPS') . ', ' .
        piece('b[STEPS][i % M]', $b) . ', s[i]); }',
    'reduce + s[i] over i = 0 .. N - 1 => e;',
    'say(e);');
if (rand() < .7) {
    for (my $k = @body; --$k;) {
        my $other = int rand($k + 1);
        @body[$k, $other] = @body[$other, $k];
    }
}
my $where = $cells
    ? 'cells N, M; cell a[t][i] => i, 0; cell b[t][j] => 0, j; cell c[t][i][j] => i, j; cell s[i] => i, 0;'
    : 'locator_cyclic a[t][i] => i; locator_cyclic b[t][j] => j + 1; locator_cyclic c[t][i][j] => i + 2 * j;
       locator_cyclic s[i] => i; locator_cyclic p => 1; locator_cyclic e => 0;';
print <<"END", map({ "    $_\n" } @body), "} @ { $where }\n";
C head \${{
#include <stdio.h>
\$}}
C sub fill(name x, int n, int s) \${{
    double *v = luna_create(x, (size_t)n * 8);
    for (int i = 0; i < n; i++) v[i] = (s * 31 + i * 7) % 101;
\$}}
C sub ints(name x, int n, int m) \${{
    int *v = luna_create(x, (size_t)n * 4);
    for (int i = 0; i < n; i++) v[i] = (i * 5 + 2) % m;
\$}}
C sub mix(value a, value b, real r, real q, int n, name y) \${{
    const double *u = luna_data(a), *w = luna_data(b);
    size_t nu = luna_size(a) / 8, nw = luna_size(b) / 8;
    double *to = luna_create(y, (size_t)n * 8);
    for (size_t i = 0; i < (size_t)n; i++)
        to[i] = (int)(u[i % nu] + 2 * w[i % nw] + r + 3 * q) % 1009;
\$}}
C sub sum(real a, real b, value c, name s) \${{ luna_set_real(s, a + b + (double)luna_size(c)); \$}}
C sub say(real v) \${{ printf("%.17g\\n", v); \$}}
const N = $n;
const M = $m;
const STEPS = $steps;
const A = $a;
const B = $b;
const C = $c;
sub main() {
    df a, b, c, s, p, e;
END
