/* siblings.c - children of our parent, counted from time to time. */
#include "siblings.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LAUNCHER "hydra_pmi_proxy"
enum {
    LOOK_MS = 500,
    LOOKS = 3 /* mpiexec starts them one after another: so often some are not there, nor come */
};

static struct {
    pthread_t thread;
    void (*ended)(int n, int of);
    pid_t launcher;
    int of, joined; /* a descriptor; -1: nobody watches */
} siblings = {.joined = -1};

/* A line of /proc; "": there is none. */
static void
read_line(pid_t pid, const char *name, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(line, size, f)) *line = 0;
    if (f) fclose(f);
}

static bool
is_launcher(pid_t pid)
{
    char name[32];
    read_line(pid, "comm", name, sizeof name);
    name[strcspn(name, "\n")] = 0;
    return !strcmp(name, LAUNCHER);
}

/* mpiexec may take its time to look for those that have ended. */
static bool
lives(pid_t pid)
{
    char line[256];
    read_line(pid, "stat", line, sizeof line);
    const char *name_end = strrchr(line, ')');
    return name_end && !strchr("ZX", name_end[2]);
}

/* -1: it cannot be seen. */
static int
count_living(void)
{
    char path[64];
    int n = 0;
    pid_t pid;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)siblings.launcher,
             (int)siblings.launcher);
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    while (fscanf(f, "%d", &pid) == 1) n += lives(pid);
    fclose(f);
    return n;
}

static void *
watch(void *who)
{
    int missing = 0, n = 0;
    (void)who;
    while (missing < LOOKS) {
        struct pollfd joined = {.fd = siblings.joined, .events = POLLIN};
        int before = n;
        if (poll(&joined, 1, LOOK_MS) || (n = count_living()) < 0) return NULL;
        missing = n >= siblings.of || n > before ? 0 : missing + 1;
    }
    siblings.ended(siblings.of - n, siblings.of);
    return NULL;
}

void
siblings_watch(void (*ended)(int n, int of), int of)
{
    sigset_t all, old;
    siblings.launcher = getppid();
    siblings.ended = ended;
    siblings.of = of;
    if (of < 2 || !is_launcher(siblings.launcher)) return;
    if ((siblings.joined = eventfd(0, EFD_CLOEXEC)) < 0) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the workers */
    int e = pthread_create(&siblings.thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!e) return;
    close(siblings.joined);
    siblings.joined = -1;
}

void
siblings_joined(void)
{
    uint64_t one = 1;
    if (siblings.joined < 0) return;
    if (write(siblings.joined, &one, sizeof one) == sizeof one)
        pthread_join(siblings.thread, NULL);
    close(siblings.joined);
    siblings.joined = -1;
}
