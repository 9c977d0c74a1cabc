# lists_random.pl SEED - a random program that gathers and scatters: rows cut into pieces, columns joined from
# them, sparse rows of any length, over a few steps, in any order of the text; placed by cells or by locators.
use strict;
srand(shift);

sub any { $_[int rand @_] }

my ($n, $m, $steps) = (3 + int rand 5, 2 + int rand 5, 1 + int rand 4);
my $cells = rand() < .6;
my $size = any(1, 3, 40, 700);

# A list of so many, over i or over two counters.
my @columns = ('p[t][i][j] over i = 0 .. N - 1', 'p[t][N - 1 - i][j] over i = 0 .. N - 1',
    'p[t][(i + t) % N][j] over i = 0 .. N - 1', 'p[t][i][(j + k) % M] over i = 0 .. N - 1, k = 0 .. 1',
    'p[t][i][j] over i = 0 .. int(count[j % N]) % N');
my @sparse = ('b[t][int(cols, i + k) % M] over k = 0 .. int(count[i])',
    'b[t][int(count[(i + k) % N]) % M] over k = 0 .. t', 'b[t][k] over k = i % M .. M - 1',
    'b[t][(k + 1) % M] over k = 0 .. i % 3 - 1', 'p[t][int(count[i]) % N][k] over k = 0 .. M - 1');
my $cut = any('p[t][i][j] over j = 0 .. M - 1', 'p[t][i][M - 1 - j] over j = 0 .. M - 1');
my $place = $cells ? '' : ' @ { locator_cyclic: ' . any('i + t', 'i * 3', 'i') . '; }';
my $weight = rand() < .4 ? ' @ { weight: 1 + i % 3; }' : $place;
my @body = (
    'for i = 0 .. N - 1 fill(i, LENGTH, a[0][i]);',
    'for i = 0 .. N - 1 one(i * 7 % M, count[i]);',
    'ints(2 * N + M, cols);',
    "for t = 0 .. STEPS - 1 for i = 0 .. N - 1 { cut(a[t][i], t, $cut)$weight; }",
    'for t = 0 .. STEPS - 1 for j = 0 .. M - 1 { join(t, ' . any(@columns) . ', LENGTH, b[t][j]); }',
    'for t = 0 .. STEPS - 1 for i = 0 .. N - 1 { row(' . any('a[t][i]', 'a[t][(i + 1) % N]') . ', ' .
        any(@sparse) . ", a[t + 1][i])$place; }",
    'ends(a[STEPS][i] over i = 0 .. N - 1, s[i] over i = 0 .. N - 1);',
    'ends(b[t][j] over t = 0 .. STEPS - 1, j = 0 .. M - 1, r[t][j] over t = 0 .. STEPS - 1, j = 0 .. M - 1);',
    'reduce + s[i] over i = 0 .. N - 1 => e[0];',
    'add(r[t][j] over j = 0 .. M - 1, t = 0 .. STEPS - 1, e[1]);',
    'say(e[0], e[1]);');
if (rand() < .7) {
    for (my $k = @body; --$k;) {
        my $other = int rand($k + 1);
        @body[$k, $other] = @body[$other, $k];
    }
}
my $where = $cells
    ? 'cells N, M; cell a[t][i] => i, 0; cell p[t][i][j] => i, j; cell b[t][j] => 0, j; cell count[i] => i, 1;'
    : 'locator_cyclic a[t][i] => i; locator_cyclic p[t][i][j] => i + 2 * j; locator_cyclic b[t][j] => j + 1;
       locator_cyclic s[i] => i; locator_cyclic r[t][j] => t + j; locator_cyclic count[i] => i;
       locator_cyclic cols => 1;';
print <<"END", map({ "    $_\n" } @body), "} @ { $where }\n";
C head \${{
#include <stdio.h>
#include <string.h>
\$}}
C sub fill(int i, int n, name x) \${{
    double *v = luna_create(x, (size_t)n * 8);
    for (int k = 0; k < n; k++) v[k] = (i * 31 + k * 7) % 101;
\$}}
C sub one(int k, name x) \${{ luna_set_int(x, k); \$}}
C sub ints(int n, name x) \${{
    int *v = luna_create(x, (size_t)n * 4);
    for (int k = 0; k < n; k++) v[k] = (k * 5 + 2) % n;
\$}}
C sub cut(value x, int t, name p[]) \${{
    const double *v = luna_data(x);
    size_t n = luna_size(x) / 8;
    for (size_t j = 0; j < p->n; j++) {
        double *to = luna_create(p->df[j], n * 8);
        for (size_t k = 0; k < n; k++) to[k] = v[(k + j) % n] + (double)j / (t + 2);
    }
\$}}
C sub join(int t, value p[], int n, name x) \${{
    double *v = luna_create(x, (size_t)n * 8);
    for (int k = 0; k < n; k++) {
        v[k] = t;
        for (size_t j = 0; j < p->n; j++) v[k] = v[k] * .75 + ((const double *)luna_data(p->df[j]))[k];
    }
\$}}
C sub row(value own, value x[], name y) \${{
    size_t n = luna_size(own) / 8;
    double *v = luna_create(y, n * 8);
    memcpy(v, luna_data(own), n * 8);
    for (size_t j = 0; j < x->n; j++)
        for (size_t k = 0; k < n; k++) v[k] = v[k] / 2 + ((const double *)luna_data(x->df[j]))[n - 1 - k] / (double)(j + 1);
\$}}
C sub ends(value x[], name s[]) \${{
    for (size_t j = 0; j < s->n; j++) luna_set_real(s->df[j], ((const double *)luna_data(x->df[j]))[0]);
\$}}
C sub add(value x[], name s) \${{
    double sum = 0;
    for (size_t j = 0; j < x->n; j++) sum = sum * .5 + luna_get_real(x->df[j]);
    luna_set_real(s, sum);
\$}}
C sub say(real a, real b) \${{ printf("%.17g %.17g\\n", a, b); \$}}
const N = $n;
const M = $m;
const STEPS = $steps;
const LENGTH = $size;
sub main() {
    df a, p, b, cols, count, s, r, e;
END
