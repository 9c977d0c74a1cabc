#!/bin/sh
# turned.sh - several nodes on fewer threads: no node waits for the long call of another while there is
# a thread that has time.
. "${0%/*}/lib.sh"

# The call on node 0 ends when that on node N has run, or after ten seconds. Of two threads one has nodes
# 0 and 2.
cat >turned.fa <<'E'
C head ${{
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
static atomic_int rung;
$}}
C sub wait_for_ring() ${{
    time_t from = time(NULL);
    while (!atomic_load(&rung) && time(NULL) - from < 10) continue;
    puts(atomic_load(&rung) ? "heard" : "waited in vain");
$}}
C sub ring() ${{ atomic_store(&rung, 1); $}}
sub main(int n)
{
    wait_for_ring() @ { locator_cyclic: 0; };
    ring() @ { locator_cyclic: n; };
}
E

# The first two of the cores we may use, with a comma.
two_cores() {
    taskset -cp $$ | sed 's/.*: *//' | tr ',' '\n' |
        awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2) && n < 2; i++) print (n++ ? "," : "") i }' |
        tr -d '\n'
}

if [ "$(nproc)" -lt 2 ]; then
    skip "two cores are needed"
else
    for n in 1 2 3; do
        run taskset -c "$(two_cores)" "$LUNA" run -n 4 -t 1 turned.fa $n
        code 0
        out <<'E'
heard
E
    done
fi

# The same after a tenth of a second in which the other thread had nothing to do and has lain down: it
# must not look a thousand times before it helps, for it sleeps between two looks.
cat >later.fa <<'E'
C head ${{
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
static atomic_int rung;
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void spend(double most)
{
    double from = seconds();
    while (!atomic_load(&rung) && seconds() - from < most) continue;
}
$}}
C sub pause(name over) ${{ spend(.1); luna_set_int(over, 1); $}}
C sub wait_for_ring() ${{
    spend(.9);
    puts(atomic_load(&rung) ? "heard" : "waited in vain");
$}}
C sub ring() ${{ atomic_store(&rung, 1); $}}
sub main()
{
    df over;
    pause(over) @ { locator_cyclic: 0; };
    wait_for_ring() @ { request over; locator_cyclic: 0; };
    ring() @ { request over; locator_cyclic: 2; };
}
E
if [ "$(nproc)" -ge 2 ]; then
    run taskset -c "$(two_cores)" "$LUNA" run -n 4 -t 1 later.fa
    code 0
    out <<'E'
heard
E
fi

# A thread is in a call on node 2; another one helps node 0 of that thread, and is in its call when that on
# node 2 is over. Then it is the turn of node 2, though node 0 had a call ahead when it was taken.
cat >taken.fa <<'E'
C head ${{
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
static atomic_int begun, rung;
static void await(atomic_int *what)
{
    time_t from = time(NULL);
    while (!atomic_load(what) && time(NULL) - from < 10) continue;
}
$}}
C sub wait_for_begin() ${{ await(&begun); $}}
C sub pause(name over) ${{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    luna_set_int(over, 1);
$}}
C sub wait_for_ring() ${{
    atomic_store(&begun, 1);
    await(&rung);
    puts(atomic_load(&rung) ? "heard" : "waited in vain");
$}}
C sub ring() ${{ atomic_store(&rung, 1); $}}
sub main()
{
    df over;
    wait_for_begin() @ { locator_cyclic: 2; };
    pause(over) @ { locator_cyclic: 1; };
    wait_for_ring() @ { request over; locator_cyclic: 0; };
    ring() @ { locator_cyclic: 2; };
}
E
if [ "$(nproc)" -ge 2 ]; then
    run taskset -c "$(two_cores)" "$LUNA" run -n 4 -t 1 taken.fa
    code 0
    out <<'E'
heard
E
fi

finish
