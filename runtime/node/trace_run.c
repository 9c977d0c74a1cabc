/* trace_run.c - run.json. */
#include "trace_run.h"

#include "runtime/base/exit.h"
#include "runtime/base/folder.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/node/owners.h"
#include "runtime/node/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    const struct trace_options *o; /* lent */
    struct buf head;               /* all but clocks and end */
    struct buf clocks;             /* a line; empty: all ranks have one clock */
    size_t from, to;               /* of the layout in the head, which may come later */
    pthread_mutex_t written;       /* while the program runs, and may break off */
} run = {.written = PTHREAD_MUTEX_INITIALIZER};

/* Each begins a line. */
static void
head_key(struct json *j, const char *name)
{
    json_line(j, 1);
    json_key(j, name);
}

static void
head_text(struct json *j, const char *name, const char *text)
{
    head_key(j, name);
    json_text(j, text);
}

/* The words of the command line, as this process was started. */
static void
head_command(struct json *j)
{
    char *words = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/self/cmdline", "re");
    head_key(j, "command");
    json_open(j, '[');
    while (f && getdelim(&words, &room, 0, f) > 0) json_text(j, words);
    json_close(j, ']');
    free(words);
    if (f) fclose(f);
}

/* Each host once, in the order of its first rank. */
static void
head_hosts(struct json *j)
{
    const char *all = run.o->hosts;
    head_key(j, "hosts");
    json_open(j, '[');
    for (size_t i = 0; i < run.o->nhosts; i++) {
        size_t first = 0;
        while (strncmp(all + first * TRACE_HOST, all + i * TRACE_HOST, TRACE_HOST)) first++;
        if (first == i) json_text(j, all + i * TRACE_HOST);
    }
    json_close(j, ']');
}

/* [4,2], or null */
static void
head_sides(struct json *j, const char *name, const struct lattice *l)
{
    head_key(j, name);
    if (l) json_open(j, '[');
    else json_text(j, NULL);
    for (int d = 0; l && d < l->ndims; d++) json_int(j, l->side[d]);
    if (l) json_close(j, ']');
}

static void
head_layout(struct json *j)
{
    const struct layout *l = run.o->layout;
    run.from = j->to->size;
    head_text(j, "distributor", distrib_kind_name(l->setup.kind));
    head_sides(j, "lattice", l->has_cells ? &l->setup.nodes : NULL);
    head_sides(j, "cells", l->has_cells ? &l->setup.cells : NULL);
    run.to = j->to->size;
}

static void
head_run(struct json *j)
{
    head_key(j, "nodes");
    json_int(j, run.o->nodes);
    head_key(j, "workers");
    json_int(j, run.o->workers);
    head_key(j, "cores");
    json_int(j, topo_cores());
    head_text(j, "transport", run.o->transport);
    head_layout(j);
    head_key(j, "seed");
    if (run.o->sim) json_uint(j, run.o->seed);
    else json_text(j, NULL);
    head_hosts(j);
}

/* ---- what the program has ---- */

/* ["step",0,41] */
static void
head_row(struct json *j, const struct luna_program *p, const char *name, uint32_t place)
{
    const struct luna_place *at = place < p->nplaces ? &p->places[place] : NULL;
    json_open(j, '[');
    json_text(j, name);
    json_uint(j, at ? at->file : 0);
    json_uint(j, at ? at->line : 0);
    json_close(j, ']');
}

/* As exec lines call it. NULL: it has none. */
static const char *
site_name(const struct luna_program *p, const struct luna_site *s)
{
    uint32_t label = s->rules == LUNA_NONE ? LUNA_NONE : p->rules[s->rules].label;
    bool combines = s->kind == LUNA_S_REDUCE && s->a == LUNA_R_SUB;
    if (s->kind != LUNA_S_CALL && !combines) return NULL;
    if (label != LUNA_NONE) return p->dfs[p->labels[label].name].name;
    return combines ? "reduce" : p->functions[s->callee].name;
}

static void
head_sites(struct json *j, const struct luna_program *p)
{
    head_key(j, "sites");
    json_open(j, '[');
    for (uint32_t i = 0; i < p->nsites; i++) {
        const char *name = site_name(p, &p->sites[i]);
        if (name) head_row(j, p, name, p->sites[i].place);
    }
    json_close(j, ']');
}

static bool
is_label(const struct luna_program *p, uint32_t df)
{
    for (uint32_t i = 0; i < p->nlabels; i++)
        if (p->labels[i].name == df) return true;
    return false;
}

static void
head_dfs(struct json *j, const struct luna_program *p)
{
    head_key(j, "dfs");
    json_open(j, '[');
    for (uint32_t i = 0; i < p->ndfs; i++)
        if (!is_label(p, i)) head_row(j, p, p->dfs[i].name, p->dfs[i].place);
    json_close(j, ']');
}

static void
head_program(struct json *j, const struct luna_program *p)
{
    head_key(j, "files");
    json_open(j, '[');
    for (uint32_t i = 0; i < p->nfiles; i++) json_text(j, p->files[i]);
    json_close(j, ']');
    head_sites(j, p);
    head_dfs(j, p);
}

static void
head_print(struct buf *b, const struct luna_program *p)
{
    struct json j = {.to = b};
    char start[32] = "", hash[20];
    time_t now = time(NULL);
    struct tm tm;
    strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    snprintf(hash, sizeof hash, "%016" PRIx64, p->hash);
    json_open(&j, '{');
    json_key_text(&j, "version", LUNA_VERSION);
    head_text(&j, "program", p->name);
    head_text(&j, "hash", hash);
    head_command(&j);
    head_run(&j);
    head_text(&j, "start", start);
    head_program(&j, p);
    head_text(&j, "format", run.o->binary ? "binary" : "text");
    buf_str(b, ",\n");
}

bool
trace_run_begin(const struct luna_program *p, const struct trace_options *o)
{
    run.o = o;
    head_print(&run.head, p);
    return !run.head.failed;
}

void
trace_run_fini(void)
{
    buf_fini(&run.head);
    buf_fini(&run.clocks);
}

void
trace_clocks(const struct trace_clock *of, size_t n)
{
    struct json j = {.to = &run.clocks};
    buf_clear(&run.clocks);
    json_open(&j, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(&j, '[');
        json_int(&j, of[i].offset);
        json_int(&j, of[i].drift);
        json_close(&j, ']');
    }
    json_close(&j, ']');
    if (run.clocks.failed) buf_clear(&run.clocks);
}

static int
write_clocks(int fd)
{
    const char before[] = " \"clocks\":", behind[] = ",\n";
    bool one = !run.clocks.size;
    int e = io_write_all(fd, before, sizeof before - 1);
    if (!e) e = io_write_all(fd, one ? "[]" : run.clocks.data, one ? 2 : run.clocks.size);
    return e ? e : io_write_all(fd, behind, sizeof behind - 1);
}

static int
write_run(const char *state, int exit_code, uint64_t ns)
{
    char path[4096], end[256];
    snprintf(path, sizeof path, "%s/run.json", run.o->dir);
    if (state)
        snprintf(end, sizeof end,
                 " \"end\":\"%s\",\n \"exit_code\":%d,\n \"duration\":%" PRIu64 "}\n", state,
                 exit_code, ns);
    else
        snprintf(end, sizeof end, " \"end\":\"running\"}\n");
    int fd = folder_write_file(path, O_CREAT | O_TRUNC);
    if (fd < 0) return errno;
    int e = io_write_all(fd, run.head.data, run.head.size);
    if (!e) e = write_clocks(fd);
    if (!e) e = io_write_all(fd, end, strlen(end));
    if (close(fd) && !e) e = errno;
    return e;
}

static const char *
state_of(int exit_code)
{
    switch (exit_code) {
    case EXIT_DONE: return "done";
    case EXIT_RUN: return "fault";
    case EXIT_STUCK: return "stuck";
    default: return exit_code > EXIT_SIGNAL ? "interrupted" : "failed";
    }
}

int
trace_run_goes_on(void)
{
    return write_run(NULL, 0, 0);
}

int
trace_run_lays_out(void)
{
    struct buf old = run.head, head = {0};
    struct json j = {.to = &head, .comma = true};
    size_t behind = run.to;
    pthread_mutex_lock(&run.written);
    buf_add(&head, old.data, run.from);
    head_layout(&j);
    buf_add(&head, old.data + behind, old.size - behind);
    run.head = head.failed ? old : head;
    int e = head.failed ? ENOMEM : write_run(NULL, 0, 0);
    buf_fini(head.failed ? &head : &old);
    pthread_mutex_unlock(&run.written);
    return e;
}

int
trace_run_ends(int exit_code, uint64_t ns)
{
    pthread_mutex_lock(&run.written);
    int e = write_run(state_of(exit_code), exit_code, ns);
    pthread_mutex_unlock(&run.written);
    return e;
}
