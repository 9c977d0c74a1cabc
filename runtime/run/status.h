/* status.h - what a run does just now: figures in memory that other processes of its user may read,
 * luna top and the first rank among them.
 *
 * Each process of a run has a page of them, a file without a name (memfd), which vanishes with it
 * whatever becomes of it. It is found among the descriptors of the process in /proc. Nobody writes
 * figures while nobody asks: a thread sleeps until somebody does.
 *
 *     reader --asked + 1, wakes--> thread: looks, writes --told = asked, wakes--> reader
 *
 * Readers are in status_read.h. */
#ifndef LUNA_RUNTIME_STATUS_H
#define LUNA_RUNTIME_STATUS_H


#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct nodes;

#define STATUS_FILE "luna-status"
#define STATUS_MARK 0x3173757461747300u /* and behind it how it is laid out */

enum { STATUS_CALLS = 5, STATUS_NAME = 64, STATUS_PLACE = 128, STATUS_LAYOUT = 4 };

/* Calls of one statement that run. */
struct status_call {
    char function[STATUS_NAME], place[STATUS_PLACE]; /* FILE:LINE:COL */
    uint32_t running, known;                         /* of so many the time is known: */
    uint64_t longest_ns;                             /* since then the first of them has run */
};

struct status_node {
    uint64_t calls, sent; /* that have run, messages that are work */
    uint64_t worked_ns;   /* of all its workers */
    int64_t waiting;      /* calls */
};

/* Its outermost loop whose iterations follow each other (loop.h): of the calls that run the
 * iteration that is furthest behind. */
struct status_loop {
    char place[STATUS_PLACE]; /* "": there is none */
    int64_t at, most;         /* at looks before it was there, at most */
    int64_t first, last;      /* last < first: nobody knows where it ends */
    int64_t form;             /* enum loop_form */
};

struct status_now {
    uint64_t at_ns;              /* of clock_ns */
    uint64_t bytes, bytes_most;  /* of memory that fragments are in, and how much there may be */
    uint32_t running, ncalls;    /* calls in all; statements of the first of them: */
    struct status_call call[STATUS_CALLS];
    struct status_loop loop;
};

struct status_page {
    uint64_t mark;
    uint64_t run; /* ranks of one run have the same */
    uint64_t begun_ns;
    int32_t pid, first, here, nodes, workers; /* nodes first .. first + here - 1 of them all */
    int32_t threads; /* of this process: they may be fewer than workers; 0: time does not pass */
    char program[STATUS_NAME];
    atomic_uint asked, told; /* futex words */
    atomic_uint turn;        /* odd: what follows is being written */
    atomic_uint over;
    struct status_now now;
    struct status_node node[];
};

/* A number for a run, which no other of this host has. */
uint64_t status_new_run(void);
/* The run begins. `main`: its first activation; NULL: it begins elsewhere. */
void status_begin(const struct nodes *all, uint64_t run, int threads, const struct frame *main);
void status_end(void);
/* Of this process; what is kept from others for want of memory they could see is in it, too. NULL:
 * there is none. */
struct status_page *status_own(size_t *size);
/* From a signal handler, too: the thread wakes up. */
void status_ask(void);
/* Of the thread: gives when somebody asks, and how often that was; */
unsigned status_await(void);
/* all that is known now is written for those. Who asks meanwhile is told the next time. */
void status_tell(unsigned asked);

#endif
