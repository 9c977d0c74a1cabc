/* exec_repeat.c - many calls of one function that take nothing but ints: a loop here instead of a
 * statement made for each. */
#include "exec_parts.h"

#include "runtime/base/ticks.h"
#include "runtime/node/costs.h"
#include "runtime/ucode/crash.h"

enum {
    REPEAT_FIRST = 2, /* calls between two looks at the clock, */
    REPEAT_MOST = 64,
    REPEAT_ALONE = 256, /* of one worker, at most */
    REPEAT_TICKS = 10000 /* and the time until others get a turn: some microseconds */
};

struct repeat {
    struct worker *w;
    const struct recipe *q;
    const struct range *r;
    uint64_t n;
    struct cook c;
};

static inline void
words_fill(luna_actual *a, const struct recipe *q, const struct cook *c)
{
    for (unsigned i = 0; i < q->nargs; i++) a[i].i = recipe_word(&q->arg[i].x, c);
}

/* Aligned: as it fell, the loop took a tenth more or less from one build to the next. */
static __attribute__((aligned(64))) void
repeat(void *who)
{
    struct repeat *x = who;
    luna_word *counter = &x->w->draft->word[x->r->head.at];
    void (*call)(const luna_actual *) = x->q->function->call;
    uint32_t i = (uint32_t)x->r->i;
    for (uint64_t n = x->n; n; n--, i += x->r->step) {
        counter->i = (int32_t)i;
        words_fill(x->w->actual, x->q, &x->c);
        call(x->w->actual);
        if (__builtin_expect(running_looks_after, 0)) running_look_after();
    }
}

/* The next n iterations. */
static void
repeat_some(struct repeat *x, struct range *r, uint64_t n)
{
    struct worker *w = x->w;
    x->n = n;
    running.function = x->q->function->name;
    running.task = w->draft;
    running.site = x->c.e.site;
    if (x->c.p->guard) exec_guard_call(x->c.p, x->c.e.site, w->draft, repeat, x);
    else repeat(x);
    running.site = NULL;
    w->calls += n;
    range_go(r, (uint32_t)n); /* beyond the last one at the end: nobody looks then */
}

/* Nobody else could take any. In pieces: who looks on sees how many have run. */
static void
repeat_alone(struct repeat *x, struct range *r, uint64_t left)
{
    for (uint64_t n = 1, some; left; left -= some, n += n < REPEAT_ALONE) {
        some = n < left ? n : left;
        repeat_some(x, r, some);
        node_lets_look(x->w->node);
    }
}

bool
exec_repeat(struct worker *w, const struct recipe *q, const struct luna_site *site,
            struct range *r)
{
    struct repeat x = {.w = w, .q = q, .r = r};
    uint64_t left = (uint64_t)r->left + 1;
    cook_begin(&x.c, w->node->program, w->draft);
    cook_site(&x.c, site, w->draft);
    uint64_t begun = w->many || w->told ? cpu_ticks() : 0, ticks = begun, n = REPEAT_FIRST;
    if (!w->many) {
        repeat_alone(&x, r, left);
        if (w->told) w->called += cpu_ticks() - begun;
        return true;
    }
    while (left && ticks - begun < REPEAT_TICKS) {
        uint64_t before = ticks;
        if (n > left) n = left;
        repeat_some(&x, r, n);
        left -= n;
        ticks = cpu_ticks();
        cost_learn(&w->known, w->draft->site, (ticks - before) / n);
        w->called += ticks - before;
        n = n < REPEAT_MOST ? 2 * n : n;
    }
    return !left;
}
