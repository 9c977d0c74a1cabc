/* members.h - runs a function in p members of a group: threads of this process, or processes.
 *
 * Threads meet through an exchange function, processes by name, so both ways are tested. A member
 * that finds a fault calls BAD: the first one is printed, and makes the run fail. */
#ifndef LUNA_TESTS_MEMBERS_H
#define LUNA_TESTS_MEMBERS_H

#include "collectives/coll.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BAD(...)                                                                                   \
    do {                                                                                           \
        char text_[300];                                                                           \
        int n_ = snprintf(text_, sizeof text_, "%s:%d: ", __FILE__, __LINE__);                     \
        snprintf(text_ + n_, sizeof text_ - (size_t)n_, __VA_ARGS__);                              \
        puts(text_);                                                                               \
        fflush(stdout);                                                                            \
        return 1;                                                                                  \
    } while (0)

/* The machine may have much else to do: what takes longer does not come at all. */
enum { LONG_S = 60 };

static inline double
now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Gives the number of faults. */
typedef int member_fn(struct coll *g, void *arg);

enum kind { THREADS, PROCESSES };

struct members {
    int size;
    const struct coll_setup *setup; /* what else is wanted; NULL: nothing */
    member_fn *fn;
    void *arg;
    pthread_barrier_t barrier;
    char *room; /* of an exchange */
};

struct member_arg {
    struct members *m;
    int rank;
};

/* Threads: everybody writes its part of the room, then reads all of it. */
static inline int
members_exchange(void *who, const void *mine, void *all, size_t bytes)
{
    struct member_arg *a = who;
    memcpy(a->m->room + (size_t)a->rank * bytes, mine, bytes);
    pthread_barrier_wait(&a->m->barrier);
    memcpy(all, a->m->room, (size_t)a->m->size * bytes);
    pthread_barrier_wait(&a->m->barrier);
    return 0;
}

static inline int
member_run(struct members *m, struct coll_setup *setup)
{
    struct coll *g;
    char why[COLL_WHY];
    setup->size = m->size;
    enum err e = coll_new(&g, setup, why);
    if (e) BAD("rank %d of %d: %s: %s", setup->rank, m->size, err_text(e), why);
    int faults = m->fn(g, m->arg);
    coll_free(g);
    return faults;
}

static inline void *
member_thread(void *arg)
{
    struct member_arg *a = arg;
    struct coll_setup setup = a->m->setup ? *a->m->setup : (struct coll_setup){.rank = 0};
    setup.rank = a->rank;
    setup.exchange = members_exchange;
    setup.who = a;
    return (void *)(intptr_t)member_run(a->m, &setup);
}

static inline int
members_threads(struct members *m)
{
    pthread_t thread[64];
    struct member_arg arg[64];
    int faults = 0;
    m->room = malloc((size_t)m->size * 1024);
    pthread_barrier_init(&m->barrier, NULL, (unsigned)m->size);
    for (int i = 0; i < m->size; i++) {
        arg[i] = (struct member_arg){m, i};
        pthread_create(&thread[i], NULL, member_thread, &arg[i]);
    }
    for (int i = 0; i < m->size; i++) {
        void *result;
        pthread_join(thread[i], &result);
        faults += (int)(intptr_t)result;
    }
    pthread_barrier_destroy(&m->barrier);
    free(m->room);
    return faults;
}

static inline int
members_processes(struct members *m)
{
    static int groups;
    pid_t pid[64];
    char name[64];
    snprintf(name, sizeof name, "test.%d.%d", (int)getpid(), groups++);
    fflush(NULL);
    for (int i = 0; i < m->size; i++) {
        if ((pid[i] = fork())) continue;
        struct coll_setup setup = m->setup ? *m->setup : (struct coll_setup){.rank = 0};
        setup.rank = i;
        setup.name = name;
        int faults = member_run(m, &setup);
        fflush(stdout);
        _exit(faults > 100 ? 100 : faults);
    }
    int faults = 0, status;
    for (int i = 0; i < m->size; i++)
        if (waitpid(pid[i], &status, 0) < 0 || !WIFEXITED(status)) faults++;
        else faults += WEXITSTATUS(status);
    return faults;
}

static inline int
members_run(enum kind kind, int size, const struct coll_setup *setup, member_fn *fn, void *arg)
{
    struct members m = {.size = size, .setup = setup, .fn = fn, .arg = arg};
    return kind == THREADS ? members_threads(&m) : members_processes(&m);
}

#endif
