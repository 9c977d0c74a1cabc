/* alike.c - each rank writes what it was told, and the first compares. */
#include "alike.h"

#include "runtime/base/buf.h"
#include "runtime/fault/fault.h"
#include "runtime/run/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was said of an option is a row, which ends with 0. NULL: it was not given. */
static void
add_text(struct buf *b, const char *option, const char *text)
{
    if (text) buf_printf(b, "%s=%s", option, text);
    else buf_printf(b, "no %s", option);
    buf_char(b, 0);
}

static void
add_flag(struct buf *b, const char *option, bool on)
{
    buf_printf(b, "%s%s", on ? "" : "no ", option);
    buf_char(b, 0);
}

static void
add_number(struct buf *b, const char *option, int n)
{
    if (n > 0) buf_printf(b, "%s %d", option, n);
    else buf_printf(b, "no %s", option);
    buf_char(b, 0);
}

static void
add_arguments(struct buf *b, const struct luna_program *p, int argc, char **argv)
{
    for (int i = 0; p->main_params[i]; i++) {
        if (i < argc) buf_printf(b, "'%s' as argument %d of main", argv[i], i + 1);
        else buf_printf(b, "no argument %d of main", i + 1);
        buf_char(b, 0);
    }
}

static void
add_all(struct buf *b, const struct luna_program *p, const struct run_options *o, int argc,
        char **argv)
{
    if (o->program) buf_printf(b, "the program %s", o->program);
    buf_char(b, 0);
    add_number(b, "-n", o->nodes);
    add_text(b, "--place", o->place);
    add_text(b, "--distrib", o->distrib);
    add_text(b, "--lattice", o->lattice);
    add_text(b, "--start", o->start);
    add_text(b, "--balance", o->balance);
    add_text(b, "--balance-every", o->balance_every);
    add_text(b, "--balance-threshold", o->balance_threshold);
    add_text(b, "--balance-load", o->balance_load);
    add_text(b, "--speed", o->speed);
    add_flag(b, "--copies=off", o->copies == COPIES_OFF);
    add_flag(b, "-b", o->steal);
    add_flag(b, "--trace", o->trace != NULL);
    add_flag(b, "--trace-values", o->trace_values);
    add_flag(b, "--stats", o->stats);
    add_flag(b, "--hash", o->hash);
    add_flag(b, "--hash=values", o->hash_values);
    add_flag(b, "--compare", o->compare != NULL);
    add_text(b, "--print", o->print);
    add_arguments(b, p, argc, argv);
    if (b->failed) fault_nomem();
}

static void
tell(const char *own, int rank, const char *theirs)
{
    fprintf(stderr,
            "luna: error: ranks were given different options: rank 0 has %s, rank %d has %s\n"
            "hint: start all ranks with the same options and arguments\n",
            own, rank, theirs);
}

/* The rows of all, one rank behind the other: each tells of the same options. */
static bool
compare(const struct buf *own, const char *all, size_t size)
{
    const char *at = all;
    for (int rank = 0; at < all + size; rank++)
        for (const char *row = own->data; row < own->data + own->size; row += strlen(row) + 1) {
            if (strcmp(row, at)) {
                tell(row, rank, at);
                return false;
            }
            at += strlen(at) + 1;
        }
    return true;
}

bool
alike_check(const struct luna_program *p, const struct run_options *o, int argc, char **argv)
{
    struct buf own = {0};
    size_t size;
    if (!ranks_on()) return true;
    add_all(&own, p, o, argc, argv);
    char *all = ranks_gather(own.data, own.size, &size);
    int same = ranks_agree(!all || compare(&own, all, size));
    free(all);
    buf_fini(&own);
    return same;
}

enum { UNREAD = 1 };

static uint64_t
digest_of(const struct layout *l, int code)
{
    if (code) return UNREAD;
    uint64_t h = 14695981039346656037u; /* FNV-1a, by the number */
    for (uint32_t i = 0; l->owners && i < lattice_size(&l->setup.cells); i++)
        h = (h ^ (uint32_t)l->owners[i]) * 1099511628211u;
    return h;
}

bool
alike_owners(const struct layout *l, int code)
{
    uint64_t own = digest_of(l, code), *all;
    size_t size;
    int same = true;
    if (!ranks_on()) return true;
    all = (void *)ranks_gather(&own, sizeof own, &size);
    for (size_t i = 0; all && same && i < size / sizeof own; i++) {
        same = all[i] == own;
        if (!same)
            fprintf(stderr,
                    "luna: error: --start=%s: rank %zu %s file of this name\n"
                    "hint: copy it to all hosts, or name one that all of them see\n",
                    l->start, i, all[i] == UNREAD ? "cannot use its" : "has another");
    }
    free(all);
    return ranks_agree(same);
}
