/* runtime.c - from the command line's words to a finished run. */
#include "runtime.h"

#include "runtime/base/pool.h"
#include "runtime/digest.h"
#include "runtime/exec.h"
#include "runtime/fault.h"
#include "runtime/node.h"
#include "runtime/stuck.h"
#include "runtime/topo.h"
#include "runtime/value.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- arguments of main ---- */

static bool
bad_argument(const struct luna_program *p, int i, const char *word, const char *wanted)
{
    fprintf(stderr, "luna: error[RUN11]: argument %d of main, '%s', must be %s, not '%s'\n", i + 1,
            p->main_param_names[i], wanted, word);
    return false;
}

static bool
parse_int(const char *word, luna_word *out)
{
    char *end;
    errno = 0;
    long v = strtol(word, &end, 10);
    if (end == word || *end || errno || v < INT_MIN || v > INT_MAX) return false;
    out->i = v;
    return true;
}

static bool
parse_real(const char *word, luna_word *out)
{
    char *end;
    errno = 0;
    out->d = strtod(word, &end);
    return end != word && !*end && !errno && isfinite(out->d);
}

static bool
parse_argument(const struct luna_program *p, int i, const char *word, luna_word *out)
{
    switch (p->main_params[i]) {
    case 'i': return parse_int(word, out) || bad_argument(p, i, word, "an int");
    case 'r': return parse_real(word, out) || bad_argument(p, i, word, "a real number");
    default:
        out->p = boxed_new(value_of_string(word, strlen(word)));
        return out->p || bad_argument(p, i, word, "small enough for the memory there is");
    }
}

/* What main needs, for the message when words are missing: "main(int n, real eps)". */
static void
print_signature(const struct luna_program *p)
{
    fprintf(stderr, "main(");
    for (int i = 0; p->main_params[i]; i++)
        fprintf(stderr, "%s%s %s", i ? ", " : "",
                p->main_params[i] == 'i'   ? "int"
                : p->main_params[i] == 'r' ? "real"
                                           : "string",
                p->main_param_names[i]);
    fprintf(stderr, ")\n");
}

static struct frame *
main_frame(const struct luna_program *p, int argc, char **argv)
{
    const struct luna_sub *sub = &p->subs[p->main];
    int wanted = (int)strlen(p->main_params);
    if (argc < wanted) {
        fprintf(stderr, "luna: error[RUN11]: %d argument%s of main given, %d needed: ", argc,
                argc == 1 ? "" : "s", wanted);
        print_signature(p);
        return NULL;
    }
    struct frame *f = frame_new(sub, p->main, 0);
    if (!f) fault_nomem();
    for (int i = 0; i < wanted; i++)
        if (!parse_argument(p, i, argv[i], &f->word[i])) {
            frame_free(f, sub);
            return NULL;
        }
    return f;
}

/* ---- memory ---- */

static size_t
file_bytes(const char *path)
{
    FILE *f = fopen(path, "re");
    unsigned long long v = 0;
    if (!f) return 0;
    if (fscanf(f, "%llu", &v) != 1) v = 0; /* "max" */
    fclose(f);
    return (size_t)v;
}

/* Memory is overcommitted: without a limit of our own the kernel would kill us without a word. */
static void
limit_memory(void)
{
    size_t max = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t group = file_bytes("/sys/fs/cgroup/memory.max");
    if (!group) group = file_bytes("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    if (group && group < max) max = group;
    struct rlimit r;
    if (!getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < max)
        max = r.rlim_cur;
    pool_set_bytes_max(max - max / 16);
}

/* ---- the run ---- */

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
print_stats(const struct node *n, double seconds)
{
    uint64_t calls = 0, waits = 0, steals = 0;
    for (int i = 0; i < n->nworkers; i++) {
        calls += n->workers[i].calls;
        waits += n->workers[i].waits;
        steals += n->workers[i].steals;
    }
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    fprintf(stderr,
            "luna: %.3f s, %d worker%s, %llu calls (%.3f us each), %llu statements waited, %llu stolen, "
            "peak memory %ld MiB\n",
            seconds, n->nworkers, n->nworkers == 1 ? "" : "s", (unsigned long long)calls,
            calls ? seconds * 1e6 / (double)calls : 0.0, (unsigned long long)waits,
            (unsigned long long)steals, u.ru_maxrss >> 10);
}

static void
check_rest(struct node *n)
{
    if (stuck_any(n)) stuck_report(n);
}

static enum err
open_all(const struct luna_program *p, const struct run_options *o, int workers, struct node **n)
{
    struct node_options no = {
        .workers = workers, .window = o->window, .debug = o->debug, .hash = o->hash};
    enum err e = o->hash ? digest_open(p, workers) : OK;
    return e == OK ? node_new(n, p, &no) : e;
}

static void
finish(const struct node *n, const struct run_options *o, double seconds)
{
    fflush(stdout);
    if (o->hash) digest_print(stderr);
    if (o->stats) print_stats(n, seconds);
    if (o->time) printf("TIME: %f sec.\n", seconds);
}

int
runtime_run(const struct luna_program *p, const struct run_options *o, int argc, char **argv)
{
    int workers = o->workers > 0 ? o->workers : topo_cores();
    struct node *n = NULL;
    fault_set_program(p);
    limit_memory();
    block_fill_fresh(o->debug);
    struct frame *main = main_frame(p, argc, argv);
    if (!main) return EXIT_USAGE;
    topo_open(workers);
    if (open_all(p, o, workers, &n) != OK) fault_nomem();
    main->id = worker_new_id(&n->workers[0]);
    fault_set_nomem_report(stuck_memory, n);
    crash_handler_install();

    double begun = now();
    node_run(n, main);
    double seconds = now() - begun;

    check_rest(n);
    finish(n, o, seconds);
    crash_handler_thread_end();
    node_free(n);
    if (o->hash) digest_close();
    topo_close();
    pool_thread_flush();
    return EXIT_DONE;
}
