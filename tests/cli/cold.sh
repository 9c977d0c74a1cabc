#!/bin/sh
# cold.sh - with several workers a call goes where the data lies that it reads: two blocks of 64 KiB
# stay with their threads, turn for turn, whichever of these has ended the turn before.
. "${0%/*}/lib.sh"

# The two calls of a turn begin when both threads are there, so each thread runs one of them.
cat >functions.fa <<'E'
C head ${{
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct block { pthread_t thread; char rest[65536]; };
static atomic_int here, stayed;

static void meet(void)
{
    int turn = atomic_fetch_add(&here, 1) / 2;
    while (atomic_load(&here) < 2 * turn + 2) sched_yield();
    for (int i = 0; i < 20000; i++) atomic_load(&here); /* no call is short */
}
$}}
C sub make(name x) ${{
    struct block *b = luna_create(x, sizeof *b);
    meet();
    b->thread = pthread_self();
$}}
C sub use(value x, int turn, name y, name done) ${{
    const struct block *was = luna_data(x);
    struct block *b = luna_create(y, sizeof *b);
    meet();
    b->thread = pthread_self();
    atomic_fetch_add(&stayed, pthread_equal(was->thread, b->thread) != 0);
    luna_set_int(done, turn);
$}}
C sub next(int a, int b, name turn) ${{ luna_set_int(turn, (a + b) / 2 + 1); $}}
C sub tell(int turns) ${{ printf("%d of %d stayed\n", (int)stayed, 2 * turns); $}}
E

# Calls that wait: the end of a turn makes both ready at once.
{
    cat functions.fa
    cat <<'E'
sub main(int turns)
{
    df x, done, turn;
    for b = 0 .. 1 make(x[0][b]);
    next(-1, -1, turn[0]);
    for t = 0 .. turns-1 {
        for b = 0 .. 1 use(x[t][b], turn[t], x[t+1][b], done[t][b]);
        next(done[t][0], done[t][1], turn[t+1]);
    }
    tell(turn[turns]);
}
E
} >ready.fa

# Calls that are made when all is there.
{
    cat functions.fa
    cat <<'E'
sub main(int turns)
{
    df x, done, turn, steps;
    for b = 0 .. 1 make(x[0][b]);
    next(-1, -1, turn[0]);
    while turn[t] < turns, t = 0 .. out steps {
        for b = 0 .. 1 use(x[t][b], t, x[t+1][b], done[t][b]);
        next(done[t][0], done[t][1], turn[t+1]);
    }
    tell(steps);
}
E
} >made.fa

for program in ready made; do
    run luna run -q -t 2 $program.fa 40
    code 0
    out <<'E'
80 of 80 stayed
E
done
finish
