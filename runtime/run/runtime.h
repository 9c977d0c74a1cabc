/* runtime.h - runs a compiled program: the one call the command and built programs make. */
#ifndef LUNA_RUNTIME_RUNTIME_H
#define LUNA_RUNTIME_RUNTIME_H

#include "runtime/base/exit.h"
#include "runtime/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

enum { COPIES_OFF = -1 };

struct run_options {
    const char *transport; /* local, mpi; NULL: not said */
    int nodes;     /* 0: one */
    int workers;   /* of each node; 0: as many as there are cores for us, divided by the nodes */
    bool hash;     /* --hash */
    bool hash_values;           /* --hash=values */
    const char *print, *compare; /* --print=NAMES, --compare=FILE; NULL: not given */
    bool stats;    /* --stats */
    bool steal;    /* -b: idle nodes get calls marked stealable */
    bool debug;    /* -g: names kept, fresh memory filled with a pattern */
    bool time;     /* -t alone: TIME: ... sec. at the end */
    bool quiet;
    double progress; /* --progress: a line each so many seconds; 0: on a terminal; below 0: none */
    size_t window; /* waiting calls a worker; 0: the default (node.h) */
    size_t lead;   /* of so many calls for other nodes one has a mark; 0: the default (lead.h) */
    size_t queue;  /* of one worker: above it, it is depth first; 0: the default (node.h) */
    bool sim;      /* on the simulator: virtual time, one thread */
    uint64_t seed;
    int call_ns;   /* of a call of weight 1 there; 0: the default, 1000 */
    uint64_t latency_ns, bandwidth; /* of messages there; bytes a second; 0: the default */
    const char *speed; /* --speed; NULL: all nodes are alike */
    const char *trace; /* --trace=DIR; NULL: off */
    uint64_t trace_every_ns; /* 0: the default, 10 ms */
    bool trace_values; /* --trace-values: calls tell what they read and assign */
    const char *trace_format; /* --trace-format=text|binary; NULL: text */
    const char *distrib; /* --distrib; NULL: patch for programs with cells, else cyclic */
    const char *lattice; /* --lattice=AxB, of nodes; NULL: as even as the factors of N allow */
    const char *start;   /* --start=even|half|FILE; NULL: even */
    const char *place;   /* --place=auto|node0: programs without such rules; NULL: auto */
    long copies; /* --copies: bytes of a node for copies of others' values; 0: the default (life.c),
                  * COPIES_OFF: none */
    const char *balance; /* --balance=off|paper|two-phase; NULL: off */
    const char *balance_every, *balance_threshold, *balance_load; /* NULL: 100ms, 5%, bytes */
    void (*between)(struct worker *w); /* for tests: between turns of a node (sim) */
    /* Tells why main's arguments are refused, better than the program can; false: it cannot. */
    bool (*refused)(void *who);
    void *refused_who;
    const char *program; /* what ranks are to be told alike of the program; NULL: nothing */
    const char *repeat; /* words of the command that repeats this run, for messages; NULL: none */
};

/* Runs `main` with the words of argv; gives the exit code. Messages go to stderr. */
int runtime_run(const struct luna_program *p, const struct run_options *o, int argc, char **argv);

#endif
