/* stuck.c - the report: who waits for what, and why it never comes. */
#include "stuck_parts.h"

#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/run/ranks.h"
#include "runtime/run/runtime.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"

#include <stdlib.h>

static void
any_waiter(void *who, const struct store_entry *e)
{
    if (e->waiters) *(bool *)who = true;
}

static bool
stuck_any(const struct nodes *all)
{
    bool any = false;
    for (int i = 0; i < all->n && !any; i++) store_each(all->node[i]->store, any_waiter, &any);
    return any;
}

/* ---- the report ---- */

enum { ROWS_MAX = 12 };

struct told { /* what the report will name, and what is known of it */
    size_t n;
    struct key key[ROWS_MAX];
    struct stuck_facts facts[ROWS_MAX];
};

/* All ranks: adds what their stores know at rank 0. */
static void
gather_facts(const struct nodes *all, struct told *t)
{
    ranks_bcast(&t->n, sizeof t->n);
    ranks_bcast(t->key, sizeof t->key);
    for (size_t i = 0; i < t->n; i++) stuck_find_facts(all, &t->key[i], &t->facts[i]);
    if (!ranks_on()) return;
    size_t bytes = t->n * sizeof *t->facts, total;
    char *theirs = ranks_gather(t->facts, bytes, &total);
    for (size_t at = bytes; theirs && at + bytes <= total; at += bytes)
        for (size_t i = 0; i < t->n; i++) {
            struct stuck_facts f;
            memcpy(&f, theirs + at + i * sizeof f, sizeof f);
            stuck_add_facts(&t->facts[i], &f);
        }
    free(theirs);
}

/* Calls that waited together on another node were all served by one answer. */
static void
tell_asked(const struct luna_program *p, const struct missing *m, const char *df)
{
    fault_note(p->dfs[m->key.df & ~KEY_MARKS].place,
               "'%s' was asked for %zu time%s more than promised by its req_count", df, m->asked,
               m->asked == 1 ? "" : "s");
}

static void
tell(struct stuck *r, const struct missing *m, const struct stuck_facts *f)
{
    const struct luna_program *p = r->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    struct buf why = {0};
    name_df(p, &m->key, df, sizeof df);
    if (!m->first) {
        tell_asked(p, m, df);
        return;
    }
    const struct task *first = waiter_call(m->first);
    const luna_env e = {
        .frame = first->frame->word, .local = first->word, .site = stuck_who_waits(p, first)};
    name_site(p, &e, cf, sizeof cf);
    stuck_cause(r, m, f, &why);
    if (m->waiters == 1)
        fault_note(p->sites[first->site].place, "%s waits for '%s': %s", cf, df, why.data);
    else
        fault_note(p->sites[first->site].place, "%s and %zu more wait for '%s': %s", cf,
                   m->waiters - 1, df, why.data);
    buf_fini(&why);
}

/* ---- who else reads what was used up ---- */

enum { READERS_TOLD = 4 };

static bool
is_mention(const struct luna_program *p, uint32_t row, uint32_t df)
{
    return p->refs[row].base != LUNA_B_PARAM && p->refs[row].df == df;
}

static bool
site_reads(const struct luna_program *p, const struct luna_site *s, uint32_t df)
{
    for (unsigned i = 0; i < s->nin; i++)
        if (is_mention(p, p->ins[s->in + i].ref, df)) return true;
    return false;
}

/* It may be read there. */
static bool
site_hands_on(const struct luna_program *p, const struct luna_site *s, uint32_t df)
{
    for (unsigned i = 0; s->kind == LUNA_S_EXPAND && i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind == LUNA_A_NAME && is_mention(p, arg->row, df)) return true;
    }
    return false;
}

static bool
same_line(const struct luna_program *p, uint32_t a, uint32_t b)
{
    return a == b || (a < p->nplaces && b < p->nplaces && p->places[a].file == p->places[b].file &&
                      p->places[a].line == p->places[b].line);
}

/* Besides the call that waits. Which of them had the value nobody has written down; which there are
 * says the text. */
static void
tell_readers(const struct stuck *r, const struct missing *m)
{
    const struct luna_program *p = r->program;
    uint32_t df = m->key.df & ~KEY_MARKS;
    uint32_t waits = p->sites[waiter_call(m->first)->site].place, last = waits;
    int told = 0;
    for (uint32_t i = 0; i < p->nsites && told < READERS_TOLD; i++) {
        const struct luna_site *s = &p->sites[i];
        bool reads = site_reads(p, s, df);
        if (!reads && !site_hands_on(p, s, df)) continue;
        if (same_line(p, s->place, waits) || same_line(p, s->place, last)) continue;
        fault_note(s->place, reads ? "'%s' is read here, too" : "'%s' is handed to a sub here",
                   p->dfs[df].name);
        last = s->place;
        told++;
    }
}

/* Once for each declaration. */
static void
tell_all_readers(const struct stuck *r, const struct told *t, const struct missing *const *row)
{
    for (size_t i = 0; i < t->n; i++) {
        bool first = row[i]->first && stuck_is_used_up(row[i], &t->facts[i]);
        for (size_t k = 0; k < i; k++) first &= row[k]->key.df != row[i]->key.df;
        if (first) tell_readers(r, row[i]);
    }
}

static void
choose(const struct stuck *r, bool circular, struct told *t, const struct missing **row)
{
    for (size_t i = 0; i < r->n && t->n < ROWS_MAX; i++)
        if (r->row[i].circular == circular) {
            row[t->n] = &r->row[i];
            t->key[t->n++] = r->row[i].key;
        }
}

static void
begin_report(const struct stuck *r)
{
    size_t n = r->n + r->unsent;
    if (r->calls)
        fault_begin(
            F_RUN10, LUNA_NONE,
            "the program cannot go on: %zu call%s wait%s for %zu fragment%s that will never "
            "come",
            r->calls, r->calls == 1 ? "" : "s", r->calls == 1 ? "s" : "", n, n == 1 ? "" : "s");
    else
        fault_begin(F_RUN10, LUNA_NONE, "%zu fragment%s asked for more often than promised", n,
                    n == 1 ? " was" : "s were");
}

/* Of all ranks; rank 0 prints. */
static void
report(const struct nodes *all)
{
    struct stuck r = {.all = all, .program = all->node[0]->program};
    struct told *t = mem_zalloc(1, sizeof *t);
    const struct missing *row[ROWS_MAX];
    if (!t) fault_nomem();
    stuck_rows(&r);
    stuck_mark_circular(&r);
    choose(&r, false, t, row); /* causes first, what follows from them behind */
    bool circle = !t->n;
    choose(&r, true, t, row);
    gather_facts(all, t);
    if (ranks_number()) fault_leave(EXIT_STUCK);
    begin_report(&r);
    for (size_t i = 0; i < t->n; i++) tell(&r, row[i], &t->facts[i]);
    tell_all_readers(&r, t, row);
    if (t->n < r.n + r.unsent)
        fault_hint("%zu more missing fragments are not listed", r.n + r.unsent - t->n);
    if (circle)
        fault_hint("they wait for each other, or one for itself: luna check -Wpossible may tell "
                   "how");
    mem_free(r.row);
    mem_free(t);
    fault_end(EXIT_STUCK);
}

void
stuck_end(const struct nodes *all)
{
    uint64_t any = stuck_any(all);
    ranks_sum(&any, 1);
    ranks_bcast(&any, sizeof any);
    if (any) report(all);
}
