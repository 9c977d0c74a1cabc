/* proof.c - see proof.h. */
#include "lang/prove/proof.h"

#include "lang/report/source.h"
#include "runtime/base/vec.h"

#include <string.h>

struct line {
    const char *name;
    struct proof proof;
};

struct proofs {
    struct arena *arena;
    const struct plan *plan;
    struct line *line;
    int n, room;
};

struct proofs *
proofs_new(struct arena *a, const struct plan *p)
{
    struct proofs *list = arena_new_of(a, struct proofs);
    *list = (struct proofs){.arena = a, .plan = p};
    return list;
}

const char *
proofs_name(const struct proofs *list, const struct walk *w, const struct touched *t)
{
    const struct plan *p = list->plan;
    const char *name = arena_printf(list->arena, "%s.%s", p->subs.row[w->sub].sub->name.text,
                                    access_name(w, t->decl));
    /* One DF with two numbers of indices has two lines. */
    if (w->targets[t->decl] != t || t->next)
        for (int i = t->hidden; i < t->n; i++) name = arena_printf(list->arena, "%s[]", name);
    return name;
}

void
proofs_add(struct proofs *list, const struct walk *w, const struct touched *t,
          const struct proof *f)
{
    vec_need(list->arena, list->line, list->n, list->room);
    list->line[list->n++] = (struct line){proofs_name(list, w, t), *f};
}

static void
put_place(const struct access *at, const struct source *s, const char *behind, struct buf *out)
{
    struct place place;
    if (at && source_place(s, at->span, 0, &place, NULL))
        buf_printf(out, "%s:%d:%d%s", place.file, place.line, place.col, behind);
}

static void
put_losses(const struct losses *lost, const struct source *s, struct buf *out)
{
    buf_str(out, ", but what ");
    for (int i = 0; i < lost->n && i < LOSSES_MAX; i++) {
        buf_str(out, i ? ", " : "");
        put_place(lost->at[i], s, "", out);
    }
    buf_str(out, lost->n > LOSSES_MAX ? " and others write" : lost->n > 1 ? " write" : " writes");
    buf_str(out, " stays: other calls need another number");
}

static void
put_readers(const struct proof *f, const struct source *s, struct buf *out)
{
    if (!f->readers) {
        buf_str(out, "stays: ");
        put_place(f->at, s, ": ", out);
    }
    buf_str(out, f->readers ? f->readers : f->stays);
    if (f->lost && f->lost->n) put_losses(f->lost, s, out);
    else if (f->readers && !f->exact && !f->alive.levels)
        buf_str(out, " at most: a value that has fewer stays");
}

static void
put_levels(const struct alive *a, struct buf *out)
{
    const char *what = a->turns ? "turn" : "level";
    if (a->levels) buf_printf(out, "; %d %s%s alive", a->levels, what, a->levels == 1 ? "" : "s");
    buf_str(out, "\n");
}

void
proofs_print(const struct proofs *list, const struct source *s, struct buf *out)
{
    int width = 0;
    for (int i = 0; i < list->n; i++) {
        int n = (int)strlen(list->line[i].name);
        if (n > width) width = n;
    }
    for (int i = 0; i < list->n; i++) {
        const struct proof *f = &list->line[i].proof;
        buf_printf(out, "%-*s  ", width, list->line[i].name);
        if (f->why) {
            buf_str(out, "unknown: ");
            put_place(f->at, s, ": ", out);
            buf_printf(out, "%s\n", f->why);
            continue;
        }
        buf_printf(out, "%-12s  %-13s  ", f->once ? "written once" : "twice?",
                   f->written ? "reads written" : "written?");
        put_readers(f, s, out);
        put_levels(&f->alive, out);
    }
}
