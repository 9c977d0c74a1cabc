/* loop.c - see loop.h. */
#include "runtime/run/loop.h"

#include "runtime/base/mem.h"
#include "runtime/base/peek.h"
#include "runtime/table/eval.h"
#include "runtime/table/task.h"
#include "runtime/ucode/crash.h"

enum { WORDS = 64 }; /* of a call and of a frame that are looked at */

/* Of a sub: is there a loop around all its calls, and which int of its frame is the counter? */
enum around { NOT_YET, ASKING, NO_LOOP, IN_LOOP, WHO_KNOWS };

struct sub_way {
    uint8_t around;
    uint16_t word; /* IN_LOOP: frame[word] - k is the counter of */
    int32_t k;
    uint32_t loop; /* this row of sites */
};

struct loops {
    const struct luna_program *p;
    const luna_word *main;
    uint32_t *outer; /* by site: the outermost loop around it in its sub; LUNA_NONE: none */
    struct sub_way *sub;
};

/* ---- the rows ---- */

static void
walk(struct loops *l, uint32_t block, uint32_t outer)
{
    const struct luna_block *b = &l->p->blocks[block];
    for (uint32_t i = b->site; i < b->site + b->nsites; i++) {
        const struct luna_site *s = &l->p->sites[i];
        bool follows = s->kind == LUNA_S_WHILE ||
                       (s->kind == LUNA_S_FOR && (s->flags & LUNA_F_CARRIED));
        l->outer[i] = outer;
        if (s->kind == LUNA_S_REDUCE || s->kind == LUNA_S_CALL || s->body == LUNA_NONE) continue;
        walk(l, s->body, outer == LUNA_NONE && follows ? i : outer);
        if (s->kind == LUNA_S_IF && s->b != LUNA_NONE) walk(l, s->b, outer);
    }
}

/* Which int that this call hands to its sub is the counter: word `word` of the call's loops, or of
 * its frame. */
static void
follow(struct sub_way *way, const struct luna_program *p, const struct luna_site *call,
       uint8_t kind, uint16_t word, int32_t k)
{
    way->around = WHO_KNOWS;
    for (uint16_t i = 0; i < call->nargs; i++) {
        const struct luna_arg *a = &p->args[call->arg + i];
        const struct luna_expr *x = a->kind == LUNA_A_INT ? &p->exprs[a->row] : NULL;
        if (!x || x->kind != kind || x->a != word) continue;
        way->around = IN_LOOP;
        way->word = i;
        way->k = k + x->k;
        return;
    }
}

static void look_around(struct loops *l, uint32_t sub);

/* By this call alone. */
static struct sub_way
way_by(struct loops *l, const struct luna_site *call, uint32_t outer)
{
    struct sub_way way = {.around = WHO_KNOWS}, *above = &l->sub[call->sub];
    if (above->around == NOT_YET) look_around(l, call->sub);
    if (above->around == IN_LOOP) {
        way.loop = above->loop;
        follow(&way, l->p, call, LUNA_E_FRAME, above->word, above->k);
    } else if (above->around == NO_LOOP && outer == LUNA_NONE) {
        way.around = NO_LOOP;
    } else if (above->around == NO_LOOP) {
        way.loop = outer;
        follow(&way, l->p, call, LUNA_E_LOCAL, l->p->sites[outer].nlocal, 0);
    }
    return way;
}

/* All calls of a sub say the same, or nobody knows; nor in a recursion. */
static void
look_around(struct loops *l, uint32_t sub)
{
    struct sub_way *to = &l->sub[sub], found = {.around = NOT_YET};
    to->around = ASKING;
    for (uint32_t i = 0; i < l->p->nsites && found.around != WHO_KNOWS; i++) {
        const struct luna_site *s = &l->p->sites[i];
        if (s->kind != LUNA_S_EXPAND || s->callee != sub) continue;
        struct sub_way way = way_by(l, s, l->outer[i]);
        bool same = way.around == found.around &&
                    (way.around == NO_LOOP || (way.loop == found.loop && way.word == found.word &&
                                               way.k == found.k));
        if (found.around == NOT_YET || same) found = way;
        else found.around = WHO_KNOWS;
    }
    if (found.around == NOT_YET) found.around = WHO_KNOWS; /* nobody calls it */
    *to = found;
}

struct loops *
loops_new(const struct luna_program *p, const luna_word *main)
{
    struct loops *l = mem_zalloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (struct loops){p, main, mem_zalloc(p->nsites + 1, sizeof *l->outer),
                        mem_zalloc(p->nsubs, sizeof *l->sub)};
    if (!l->outer || !l->sub) {
        loops_free(l);
        return NULL;
    }
    l->sub[p->main].around = NO_LOOP;
    for (uint32_t i = 0; i < p->nsubs; i++) walk(l, p->subs[i].body, LUNA_NONE);
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (l->sub[i].around == NOT_YET) look_around(l, i);
    return l;
}

void
loops_free(struct loops *l)
{
    if (!l) return;
    mem_free(l->outer);
    mem_free(l->sub);
    mem_free(l);
}

/* ---- a call ---- */

struct call { /* copies; of the first two the heads */
    _Alignas(8) char task[sizeof(struct task)], frame[sizeof(struct frame)];
    luna_word local[WORDS], word[WORDS];
};

/* All of it is read while others may free it: what does not fit together is not the call. */
static bool
read_call(const struct luna_program *p, const struct running *r, struct call *c)
{
    const struct task *t = (void *)c->task;
    const struct frame *f = (void *)c->frame;
    uint32_t nwords = p->subs[r->site->sub].nwords;
    if (r->site->nlocal > WORDS || nwords > WORDS) return false;
    if (!r->task || !peek_bytes(c->task, r->task, sizeof c->task)) return false;
    if (t->site >= p->nsites || &p->sites[t->site] != r->site) return false;
    return peek_bytes(c->local, r->task->word, r->site->nlocal * sizeof *c->local) &&
           peek_bytes(c->frame, t->frame, sizeof c->frame) && f->sub == r->site->sub &&
           peek_bytes(c->word, t->frame->word, nwords * sizeof *c->word);
}

/* Without a call of the program's C, which could fail. */
static bool
is_plain(const struct luna_program *p, const struct luna_expr *x, const luna_env *e)
{
    switch ((enum luna_expr_kind)x->kind) {
    case LUNA_E_INT: return true;
    case LUNA_E_LOCAL: return e->local;
    case LUNA_E_FRAME: return e->frame;
    case LUNA_E_QUOTIENT: return is_plain(p, &p->exprs[x->u.terms], e);
    case LUNA_E_AFFINE:
        for (uint16_t i = 0; i < x->a; i++)
            if (p->terms[x->u.terms + i].in_frame ? !e->frame : !e->local) return false;
        return true;
    default: return false;
    }
}

static void
bounds(const struct luna_program *p, const struct luna_site *loop, const luna_env *e,
       struct loop_at *at)
{
    at->ends = loop->kind == LUNA_S_FOR && !loop->nin && is_plain(p, &p->exprs[loop->a], e) &&
               is_plain(p, &p->exprs[loop->b], e);
    if (!at->ends) return;
    at->first = eval_int(p, e, loop->a);
    at->last = eval_int(p, e, loop->b);
    at->ends = loop->step < 0 ? at->first >= at->at && at->at >= at->last
                              : at->first <= at->at && at->at <= at->last;
    if (!at->ends || loop->step == 1) return;
    at->at = (at->at - at->first) / loop->step;
    at->last = (at->last - at->first) / loop->step;
    at->first = 0;
    at->form = LOOP_TURNS;
}

bool
loop_of(const struct loops *l, const struct running *r, struct loop_at *at)
{
    const struct luna_program *p = l->p;
    struct call c;
    if (!r->site || r->site->sub >= p->nsubs) return false;
    const struct sub_way *way = &l->sub[r->site->sub];
    uint32_t outer = l->outer[r->site - p->sites];
    if (way->around == NO_LOOP ? outer == LUNA_NONE : way->around != IN_LOOP) return false;
    if (!read_call(p, r, &c)) return false;
    const struct luna_site *loop = &p->sites[way->around == IN_LOOP ? way->loop : outer];
    luna_env e = {.frame = c.word, .local = c.local, .site = loop};
    at->place = loop->place;
    at->at = (int32_t)c.local[loop->nlocal].i;
    if (way->around == IN_LOOP) { /* of another activation, only main's words are known */
        at->at = (int32_t)(c.word[way->word].i - way->k);
        e.frame = loop->sub == p->main ? l->main : NULL;
        e.local = NULL;
    }
    at->form = LOOP_COUNTER;
    bounds(p, loop, &e, at);
    if (at->ends || loop->kind != LUNA_S_FOR || loop->step > 0) return true;
    at->at = -at->at;
    at->form = LOOP_DOWN;
    return true;
}
