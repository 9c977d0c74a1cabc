/* check_cycle.c - SEM3.2: statements that wait for each other for ever.
 *
 * A statement waits for the one statement that can write what it
 * reads, if there is only one, and for the if, for or while it stands
 * in. A circle of such waits is never left, whatever the input. */
#include "lang/check/check_facts.h"

struct writers { /* of one key, or of one DF */
    int count;
    int use; /* the first */
};

struct cycles {
    struct facts *f;
    struct writers *keys, *dfs;
    struct step *path;
    char *state; /* of sites: enum below */
};

enum { NEW, ON_PATH, DONE, REPORTED };

struct step { /* a statement on the path of the search, and how it got to the next one */
    int site;
    int next_use; /* to look at; last_use: the statement around; last_use + 1: nothing left */
    int via;      /* the use that waits for the next step; NONE: the statement around is next */
};

static void
count_writers(struct cycles *c)
{
    struct facts *f = c->f;
    for (int i = 0; i < f->nuses; i++) {
        const struct use *u = &f->uses[i];
        bool writes = u->kind == USE_WRITE || u->kind == USE_SET || u->kind == USE_OUT ||
                      u->kind == USE_DROP || (u->kind == USE_PASS && f->dfs[u->pass].writes);
        if (!writes) continue;
        struct writers *both[] = {&c->keys[u->target.key], &c->dfs[u->df]};
        for (int k = 0; k < 2; k++) {
            if (!both[k]->count++) both[k]->use = i;
        }
    }
}

/* The only use that can write what `u` reads, or NONE. */
static int
only_writer(const struct cycles *c, const struct use *u)
{
    const struct df_row *d = &c->f->dfs[u->df];
    const struct writers *key = &c->keys[u->target.key], *df = &c->dfs[u->df];
    int depth = u->target.depth;
    bool exact = u->target.constant && depth < 31 && !(d->vague >> depth & 1);
    if (d->sym->kind != SYM_DF || key->count != 1 || (!exact && df->count != 1)) return NONE;
    const struct use *w = &c->f->uses[key->use];
    if (w->soft || w->site == NONE) return NONE;
    if (w->kind == USE_PASS && c->f->dfs[w->pass].writes != 1) return NONE;
    return key->use;
}

static bool
waits(const struct use *u)
{
    return !u->soft && (u->kind == USE_READ || u->kind == USE_REQUEST || u->kind == USE_WAIT);
}

/* The next statement that `s` waits for; NONE when all were given: the one around comes last. */
static int
next_wait(struct cycles *c, struct step *s)
{
    const struct site *site = &c->f->sites[s->site];
    while (s->next_use < site->last_use) {
        const struct use *u = &c->f->uses[s->next_use++];
        int writer = waits(u) ? only_writer(c, u) : NONE;
        if (writer == NONE || c->f->uses[writer].site == s->site) continue; /* itself: EXT3 */
        s->via = s->next_use - 1;
        return c->f->uses[writer].site;
    }
    if (s->next_use++ > site->last_use) return NONE;
    s->via = NONE;
    return site->outer;
}

/* What waits at step `i` of the circle, or NULL: it only stands in the next one. */
static const struct use *
awaited(const struct cycles *c, int i)
{
    return c->path[i].via == NONE ? NULL : &c->f->uses[c->path[i].via];
}

enum { NAMES_MAX = 4 }; /* in one report */

/* "'b' needs 'a', 'a' needs 'b'", from the step `first` of path[from .. n) around. */
static const char *
circle_text(const struct cycles *c, int from, int n, int first)
{
    struct arena *a = c->f->arena;
    const char *text = "", *name = NULL, *start = NULL;
    int names = 0;
    for (int i = first, left = n - from; left--; i = i + 1 == n ? from : i + 1) {
        const struct use *u = awaited(c, i);
        if (!u) continue;
        const char *next = ast_ref_text(a, u->ref);
        if (!start) start = next;
        else if (names++ < NAMES_MAX)
            text = arena_printf(a, "%s'%s' needs '%s', ", text, name, next);
        name = next;
    }
    return arena_printf(a, names > NAMES_MAX ? "%s... '%s' needs '%s'" : "%s'%s' needs '%s'", text,
                        name, start);
}

static void
report_cycle(struct cycles *c, int from, int n)
{
    struct facts *f = c->f;
    int first = NONE;
    bool sure = false;
    for (int i = from; i < n; i++) {
        sure |= facts_certain(f, c->path[i].site);
        if (c->state[c->path[i].site] == REPORTED) return;
    }
    for (int i = from; i < n; i++) {
        c->state[c->path[i].site] = REPORTED;
        if (awaited(c, i) && (first == NONE || c->path[i].via < c->path[first].via)) first = i;
    }
    diag(f->diag, sure ? SEV_ERROR : SEV_WARNING, D_SEM3_2, awaited(c, first)->span,
         "cyclic dependence: %s", circle_text(c, from, n, first));
    for (int i = first, left = n - from, notes = 0; left--; i = i + 1 == n ? from : i + 1) {
        const struct use *u = awaited(c, i);
        if (!u || notes++ == NAMES_MAX) continue;
        diag_note(f->diag, f->uses[c->keys[u->target.key].use].span, "'%s' is written here only",
                  ast_ref_text(f->arena, u->ref));
    }
}

static void
search(struct cycles *c, int start)
{
    struct facts *f = c->f;
    int n = 0;
    c->path[n++] = (struct step){start, f->sites[start].first_use, NONE};
    c->state[start] = ON_PATH;
    while (n) {
        int next = next_wait(c, &c->path[n - 1]);
        if (next == NONE) {
            n--;
            if (c->state[c->path[n].site] == ON_PATH) c->state[c->path[n].site] = DONE;
        } else if (c->state[next] == NEW) {
            c->state[next] = ON_PATH;
            c->path[n++] = (struct step){next, f->sites[next].first_use, NONE};
        } else if (c->state[next] == ON_PATH) {
            int from = n - 1;
            while (c->path[from].site != next) from--;
            report_cycle(c, from, n);
        }
    }
}

void
check_cycles(struct facts *f)
{
    size_t keys = (size_t)forms_count(f->forms) + 1, sites = (size_t)f->nsites + 1;
    struct cycles c = {.f = f,
                       .keys = arena_array(f->arena, struct writers, keys),
                       .dfs = arena_array(f->arena, struct writers, (size_t)f->ndfs + 1),
                       .path = arena_array(f->arena, struct step, sites),
                       .state = arena_array(f->arena, char, sites)};
    count_writers(&c);
    for (int i = 0; i < f->nsites; i++) {
        if (c.state[i] == NEW) search(&c, i);
    }
}
