/* scope.c - words, and the trail of what to put back. */
#include "lang/resolve/scope.h"

#include "runtime/base/near.h"
#include "lang/tree/names.h"
#include "runtime/base/vec.h"

#include <assert.h>

/* One meaning that was overlaid. Leaving a scope walks the trail backwards, so a name bound twice
 * in a block gets back what it meant before both. */
struct undo {
    struct scope_word *word;
    struct symbol **place; /* in the word: its value or its label */
    struct symbol *old;    /* NULL: it meant nothing outside */
};

struct scope {
    struct arena *arena;
    struct names *names;
    struct undo *trail;
    size_t n, room;
};

struct scope *
scope_new(struct arena *a)
{
    struct scope *s = arena_new_of(a, struct scope);
    s->arena = a;
    s->names = names_new(a);
    return s;
}

/* A word is made at the first mention and never goes: `told_in` and `gone` outlive every scope. */
struct scope_word *
scope_word(struct scope *s, const char *text)
{
    void **slot = names_slot(s->names, text);
    if (!*slot) {
        struct scope_word *w = arena_new_of(s->arena, struct scope_word);
        w->text = text;
        *slot = w;
    }
    return *slot;
}

size_t
scope_mark(const struct scope *s)
{
    return s->n;
}

/* What goes out of sight is remembered as `gone`: a later use is told where the name was declared,
 * instead of that it never was. */
void
scope_leave(struct scope *s, size_t mark)
{
    assert(mark <= s->n && "scopes are left in the order opposite to entering");
    while (s->n > mark) {
        struct undo *u = &s->trail[--s->n];
        if (u->place == &u->word->value) u->word->gone = u->word->value;
        *u->place = u->old;
    }
}

static void
bind(struct scope *s, struct scope_word *w, struct symbol **place, struct symbol *now)
{
    vec_need(s->arena, s->trail, s->n, s->room);
    s->trail[s->n++] = (struct undo){w, place, *place};
    *place = now;
}

void
scope_bind(struct scope *s, struct symbol *value)
{
    struct scope_word *w = scope_word(s, value->name.text);
    bind(s, w, &w->value, value);
}

void
scope_bind_label(struct scope *s, struct symbol *label)
{
    struct scope_word *w = scope_word(s, label->name.text);
    bind(s, w, &w->label, label);
}

/* Innermost names first: of two that are as near, the user means the one declared close by. */
const char *
scope_near_value(const struct scope *s, const char *text)
{
    struct near n = {.word = text};
    for (size_t i = s->n; i-- > 0;)
        if (s->trail[i].place == &s->trail[i].word->value) near_try(&n, s->trail[i].word->text);
    return n.best;
}

const char *
scope_near_label(const struct scope *s, const char *text)
{
    struct near n = {.word = text};
    for (size_t i = s->n; i-- > 0;)
        if (s->trail[i].place == &s->trail[i].word->label) near_try(&n, s->trail[i].word->text);
    return n.best;
}
