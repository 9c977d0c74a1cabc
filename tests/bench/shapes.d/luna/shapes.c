/* shapes.c - the functions of the .fa programs here. Each program ends with told(): it prints the
 * seconds from its first call to its last, and a value by which it is compared with its peers. */
#include "bodies.h"
#include "luna.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
clock_now(luna_df *t)
{
    luna_set_real(t, now_s());
}

void
told(double seconds, double value)
{
    printf("%.9f %.12g\n", seconds, value);
}

void
nothing(int i)
{
    (void)i;
}

/* A number that cannot be before `t`. */
void
set_after(double t, int v, luna_df *x)
{
    (void)t;
    luna_set_int(x, v);
}

void
set(int v, luna_df *x)
{
    luna_set_int(x, v);
}

void
busy(int x, double us, luna_df *next)
{
    busy_us(us);
    luna_set_int(next, x + 1);
}

void
busy_among(int left, int x, int right, double us, luna_df *next)
{
    (void)left, (void)right;
    busy_us(us);
    luna_set_int(next, x + 1);
}

/* Waits if `i` is the last of `every`. */
void
busy_at_times(double t, int i, int every, double us, luna_df *d)
{
    (void)t;
    if (i % every == every - 1) busy_us(us);
    luna_set_int(d, i);
}

/* When it began, and when it ended, in seconds since t. */
void
busy_begin(double t, double us, luna_df *began)
{
    double begin = now_s() - t;
    busy_us(us);
    luna_set_real(began, begin);
}

void
busy_end(double t, double us, luna_df *ended)
{
    busy_us(us);
    luna_set_real(ended, now_s() - t);
}

void
work_on(int x, int rounds, luna_df *next)
{
    luna_set_int(next, work(x, rounds));
}

void
work_on_two(int a, int b, int rounds, luna_df *next)
{
    luna_set_int(next, work(a > b ? a : b, rounds));
}

/* ---- trees ---- */

void
is_far(double a, double b, double tol, luna_df *far)
{
    luna_set_int(far, quad_is_far(a, b, tol));
}

void
rule(double a, double b, luna_df *area)
{
    luna_set_real(area, quad_rule(a, b));
}

void
add(double a, double b, luna_df *sum)
{
    luna_set_real(sum, a + b);
}

void
children(int hash, int depth, int width, luna_df *n)
{
    luna_set_int(n, uts_children(hash, depth, width));
}

void
child(int hash, int k, luna_df *h)
{
    luna_set_int(h, uts_child(hash, k));
}

void
one_more(int below, luna_df *size)
{
    luna_set_int(size, below + 1);
}

static void
put_board(luna_df *df, struct board b)
{
    memcpy(luna_create(df, sizeof b), &b, sizeof b);
}

void
empty_board(int n, luna_df *board)
{
    put_board(board, (struct board){.n = n});
}

void
moves(const luna_df *board, luna_df *n)
{
    luna_set_int(n, queens_moves(luna_data(board)));
}

void
next_board(const luna_df *board, int k, luna_df *next)
{
    put_board(next, queens_next(luna_data(board), k));
}

void
solutions(const luna_df *board, luna_df *n)
{
    luna_set_int(n, queens_count(luna_data(board)));
}
