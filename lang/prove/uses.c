/* uses.c - see uses.h. */
#include "lang/prove/uses.h"

#include "lang/prove/code.h"
#include "lang/prove/ends.h"
#include "runtime/base/vec.h"

#include <string.h>

/* What is known of the readers of what a statement assigns. */
enum known { UNSEEN, NUMBER, CODE, NOTHING };
struct output {
    enum known known;
    bool most; /* other ways to the statement have a smaller number */
    int32_t number;
    const char *code; /* C over L(), F() and DF() */
};

/* Of one output, from all ways that lead to it: a sub is handed now this DF, now that. */
struct told { /* in the order of declarations */
    struct told *next;
    uint32_t decl;
    struct output o;
};
struct tellings {
    struct told *first;
    bool lost; /* also some of which nothing is known */
};

/* A declaration of which numbers were told, and who took them away later. */
struct counted {
    const struct touched *target;
    struct losses *lost;
};

struct uses {
    struct arena *arena;
    const struct plan *plan;
    bool exactly;
    struct tellings *outputs;
    uint32_t *first; /* by site: its outputs, one for each argument */
    const struct release **releases;
    int nreleases, releases_room;
    const struct access **ends;
    int nends, ends_room;
    struct counted *counted;
    int ncounted, counted_room;
    struct tellings **handed; /* by sub and parameter: what it is handed by calls not followed */
};

struct uses *
uses_new(struct arena *a, const struct plan *p, bool exactly)
{
    struct uses *u = arena_new_of(a, struct uses);
    uint32_t n = 0;
    *u = (struct uses){.arena = a, .plan = p, .exactly = exactly};
    u->first = arena_array(a, uint32_t, (size_t)p->sites.n + 1);
    for (uint32_t i = 0; i < p->sites.n; n += p->sites.row[i++].nargs) u->first[i] = n;
    u->outputs = arena_array(a, struct tellings, (size_t)n + 1);
    u->handed = arena_array(a, struct tellings *, (size_t)p->subs.n + 1);
    for (uint32_t i = 0; i < p->subs.n; i++)
        u->handed[i] = arena_array(a, struct tellings, (size_t)p->subs.row[i].nwords + 1);
    return u;
}

static struct tellings *
output_of(struct uses *u, const struct access *x)
{
    uint32_t first = u->first[x->site - u->plan->sites.row];
    if (x->through) return &u->handed[x->site->callee][x->out];
    return x->out < 0 ? NULL : &u->outputs[first + (unsigned)x->out];
}

/* ---- what stands in the way ---- */

static const char *
lack_text(enum lack lack)
{
    switch (lack) {
    case LACK_VALUE:
        return "an index is a value";
    case LACK_WRAPS:
        return "an index may wrap around";
    case LACK_NUMBER:
        return "an index is divided by an int that may be 0, or go into it often";
    default:
        return "an index is no sum of counters and ints";
    }
}

/* Why nothing can be said about the readers of its values; NULL: it can. */
static const char *
unknown(const struct walk *w, const struct touched *t, const struct access **at)
{
    unsigned flags = w->flags[t->decl];
    *at = NULL;
    if (flags & DECL_VAGUE) return "recursion, or too many calls";
    if (flags & DECL_SENT) return "it is sent by afterpush";
    if (flags & DECL_COPIED) return "every node has a copy";
    if (flags & DECL_KILLED) return "it is deleted";
    if (flags & DECL_TOLD) return "an error was reported";
    if (!t->writes) return "nothing writes it";
    if (access_many(t)) return "too many statements touch it";
    for (const struct access *x = t->writes; x; x = x->next) {
        *at = x;
        if (x->said) return "the program says how long it lives";
        if (x->out < 0) return "it is assigned behind >>";
        for (int i = 0; i < t->n; i++)
            if (!x->index[i]) return lack_text(x->lack);
    }
    for (const struct access *x = t->reads; x; x = x->next) {
        *at = x;
        if (x->through) return "it is handed to a recursion";
        for (int i = 0; i < t->n; i++)
            if (!x->index[i]) return lack_text(x->lack);
    }
    *at = NULL;
    return NULL;
}

/* ---- counting ---- */

/* Of one run of an `if` only one branch is, whatever its condition: the two may only write the same
 * vector in the same run. */
static bool
exclude_each_other(struct question *q, const struct access *a, const struct access *b)
{
    struct rel *r = access_rel_branches(q->w, q->sets, a, b, q->t->n, q->number);
    return r && set_empty(q->sets, rel_twice(q->sets, rel_given(q->sets, r, q->all))) == YES;
}

bool
uses_once(struct question *q)
{
    struct sets *s = q->sets;
    for (const struct access *a = q->t->writes; a; a = a->next) {
        struct rel *r = question_rel(q, a);
        if (!r || set_empty(s, rel_twice(s, r)) != YES) return false;
        for (const struct access *b = q->t->writes; b != a; b = b->next) {
            struct rel *other = question_rel(q, b);
            if (!other) return false;
            if (set_empty(s, set_meet(s, rel_range(s, r), rel_range(s, other))) != YES &&
                !exclude_each_other(q, a, b))
                return false;
        }
    }
    return true;
}

/* Whatever is read is surely written. */
static bool
are_reads_written(struct question *q)
{
    struct sets *s = q->sets;
    struct set *all = rel_range(s, rel_of(s, 0, q->t->n, NULL, 0));
    for (const struct access *x = q->t->writes; x; x = x->next) {
        struct rel *r = x->sure ? question_rel(q, x) : NULL;
        if (r) all = set_either(s, all, rel_range(s, r));
    }
    for (const struct access *x = q->t->reads; x; x = x->next) {
        struct rel *r = question_rel(q, x);
        if (!r || set_within(s, rel_range(s, r), all) != YES) return false;
    }
    return true;
}

/* ---- words of the writer ---- */

/* What stands for a counter or a symbol in the code of the writer; NULL: it does not see it. */
struct sight {
    struct question *q;
    const struct access *x;
    const char **symbols, **words;
    bool *hidden_symbols, *hidden_words;
    bool guarded; /* ints that a sub was handed may be beyond the box for which it is proved */
};

static const char **
seen_column(struct sight *v, const struct sets_term *t)
{
    if (t->space == SETS_FROM) return &v->words[t->number];
    int symbol = t->space == SETS_SYMBOL ? v->q->number[t->number] : -1;
    return symbol < 0 ? NULL : &v->symbols[symbol];
}

/* An int that a sub was handed tells of the column it was made of. */
static void
see_argument(struct sight *v, const struct env *env, uint32_t word)
{
    const struct sums *f = env->frame[word];
    if (!f || f->n != 1 || f->pieces[0].conds || f->pieces[0].sum.n != 1) return;
    const struct sets_term *t = f->pieces[0].sum.terms;
    const char **seen = seen_column(v, t);
    if (!seen || *seen || (t->factor != 1 && t->factor != -1)) return;
    long long k = (long long)f->pieces[0].sum.k;
    *seen = t->factor == 1
                ? arena_printf(v->q->arena, "((int64_t)F(%u) - (%lld))", (unsigned)word, k)
                : arena_printf(v->q->arena, "(%lld - (int64_t)F(%u))", k, (unsigned)word);
}

static void
see_frame(struct sight *v, const struct env *env)
{
    const struct question *q = v->q;
    if (env->outer) {
        const struct plan_sub *sub = &q->w->plan->subs.row[env->sub];
        for (uint32_t i = 0; i < sub->nwords; i++) see_argument(v, env, i);
        return;
    }
    for (int i = 0; i < q->symbols; i++) {
        const struct fixed *x = &q->w->fixed[q->old[i]];
        if (x->kind <= FIXED_PARAM)
            v->symbols[i] = arena_printf(q->arena, "(int64_t)F(%u)", (unsigned)x->word);
    }
}

/* Of a statement other than a call, or a list of it, nothing is asked but its number. */
static void
look_around(struct sight *v)
{
    struct question *q = v->q;
    int loops = v->x->at ? v->x->at->loops : 0;
    v->symbols = arena_array(q->arena, const char *, (size_t)q->symbols + 1);
    v->words = arena_array(q->arena, const char *, (size_t)loops + 1);
    v->hidden_symbols = arena_array(q->arena, bool, (size_t)q->symbols + 1);
    v->hidden_words = arena_array(q->arena, bool, (size_t)loops + 1);
    if (v->x->site->kind == PS_CALL || v->x->site->kind == PS_TERM) {
        for (const struct nesting *t = v->x->at; t && t->env == v->x->env; t = t->up)
            if (t->kind == STEP_LOOP)
                v->words[t->loops - 1] = arena_printf(q->arena, "(int64_t)L(%u)", t->word);
        see_frame(v, v->x->env);
    }
    for (int i = 0; i < q->symbols; i++) v->hidden_symbols[i] = !v->symbols[i];
    for (int i = 0; i < loops; i++) v->hidden_words[i] = !v->words[i];
}

/* ---- one output ---- */

static bool
has_guards(const struct sight *v)
{
    const struct question *q = v->q;
    if (!v->guarded) return false;
    for (int i = 0; i < q->symbols; i++)
        if (q->w->fixed[q->old[i]].kind == FIXED_PARAM) return true;
    return false;
}

static void
put_guards(struct buf *b, const struct sight *v)
{
    const struct question *q = v->q;
    for (int i = 0; i < q->symbols && v->guarded; i++)
        if (q->w->fixed[q->old[i]].kind == FIXED_PARAM)
            buf_printf(b, "!LUNA_SMALL(%s) ? -1 : ", v->symbols[i]);
}

static struct output
output_from(struct sight *v, const struct count_text *t)
{
    struct arena *a = v->q->arena;
    struct output o = {.known = NUMBER};
    bool plain = !t->n || (code_is_all(t->pieces) && code_is_number(t->pieces));
    bool guards = has_guards(v);
    if (plain && !guards) {
        o.number = t->n ? code_number_of(t->pieces) : 0;
        return o;
    }
    for (int i = 0; i < v->q->symbols && guards; i++)
        if (v->q->w->fixed[v->q->old[i]].kind == FIXED_PARAM && v->hidden_symbols[i])
            return (struct output){.known = NOTHING};
    struct buf b = {0};
    put_guards(&b, v);
    struct code_columns seen = {v->symbols, v->words};
    code_count(&b, &seen, t);
    o.code = arena_text(a, &b);
    o.known = o.code ? CODE : NOTHING;
    return o;
}

/* Of what was handed to a call that is not followed there is one number for all. */
static bool
is_known(const struct access *x, const struct output *o)
{
    return o->known == NUMBER || (o->known == CODE && !x->through);
}

/* Its readers are not counted: why, and where. */
static struct output
stays(struct proof *f, const struct access *at, const char *why)
{
    f->at = at;
    f->stays = why;
    return (struct output){.known = NOTHING};
}

/* Vectors of values that have fewer readers than they are told, and of all values. */
struct staying {
    struct set *fewer, *all;
};

static void
note_staying(struct question *q, struct staying *stay, struct rel *write, struct set *fewer)
{
    struct sets *s = q->sets;
    struct set *here = rel_range(s, rel_within(s, write, fewer)), *all = rel_range(s, write);
    stay->fewer = stay->fewer ? set_either(s, stay->fewer, here) : here;
    stay->all = stay->all ? set_either(s, stay->all, all) : all;
}

static void
tell_staying(struct question *q, const struct staying *stay, struct proof *f)
{
    struct sets *s = q->sets;
    int n = q->t->n;
    if (!stay->all || !question_reads_sure(q)) return;
    bool *last = arena_array(q->arena, bool, (size_t)n + 1);
    f->exact = set_empty(s, stay->fewer) == YES;
    f->last = last;
    for (int i = 0; i < n; i++) {
        struct rel *on = rel_within(s, access_further(s, q->arena, n, i), stay->fewer);
        struct set *behind = set_meet(s, rel_range(s, on), stay->all);
        last[i] = f->exact || set_empty(s, behind) == YES;
    }
}

static struct output
count_write(struct question *q, const struct access *x, bool guarded, struct count_text *text,
            struct staying *stay, struct proof *f)
{
    struct sight v = {.q = q, .x = x, .guarded = guarded};
    struct rel *write = question_rel(q, x);
    const struct access *lost = x;
    struct count *n = write ? question_readers(q, x, write, &lost) : NULL;
    look_around(&v);
    if (!n)
        return stays(f, lost, write ? "how often this reads a fragment is not found"
                                    : "this has too many cases");
    struct output o = {.known = NOTHING};
    struct set *fewer = NULL;
    if (count_tell(q->sets, n, rel_domain(q->sets, write), v.hidden_symbols, v.hidden_words, text,
                   stay ? &fewer : NULL))
        o = output_from(&v, text);
    if (fewer) note_staying(q, stay, write, fewer);
    if (is_known(x, &o)) return o;
    return stays(f, x, "how many readers it has depends on what is not known here");
}

static bool
same_output(const struct output *a, const struct output *b)
{
    if (a->known != b->known) return false;
    return a->known == NUMBER ? a->number == b->number
           : a->known == CODE ? a->code == b->code || !strcmp(a->code, b->code)
                              : true;
}

/* Another way to the same statement. */
static void
merge(struct output *o, struct output with)
{
    if (o->known == UNSEEN || with.known == NOTHING) *o = with;
    if (with.known == UNSEEN) return;
    if (o->known == NUMBER && with.known == NUMBER) {
        o->most |= with.most || with.number != o->number;
        if (with.number > o->number) o->number = with.number;
    } else if (!same_output(o, &with)) {
        *o = (struct output){.known = NOTHING};
    }
}

static void
tell(struct uses *u, struct tellings *all, uint32_t decl, struct output with)
{
    struct told **at = &all->first;
    while (*at && (*at)->decl < decl) at = &(*at)->next;
    if (!*at || (*at)->decl != decl) {
        struct told *t = arena_new_of(u->arena, struct told);
        *t = (struct told){.next = *at, .decl = decl};
        *at = t;
    }
    merge(&(*at)->o, with);
}

static void
keep_all(struct uses *u, const struct touched *t)
{
    for (const struct access *x = t->writes; x; x = x->next)
        if (output_of(u, x)) tell(u, output_of(u, x), t->decl, (struct output){.known = NOTHING});
}

/* For people: least and most. */
struct range {
    bool any, open;
    int32_t least, most;
};

static void
widen(struct range *r, const struct count_text *t)
{
    bool covered = false;
    for (int i = 0; i <= t->n && !covered; i++) {
        const struct count_piece *p = i < t->n ? &t->pieces[i] : NULL;
        covered = p && code_is_all(p);
        if (p && !code_is_number(p)) {
            r->open = true;
            continue;
        }
        int32_t n = p ? code_number_of(p) : 0;
        if (!r->any || n < r->least) r->least = n;
        if (!r->any || n > r->most) r->most = n;
        r->any = true;
    }
}

static const char *
range_text(struct arena *a, const struct range *r)
{
    const char *s = r->most == 1 ? "" : "s";
    if (r->open) return "readers counted by loops";
    if (r->least == r->most) return arena_printf(a, "%d reader%s", (int)r->most, s);
    return arena_printf(a, "%d to %d reader%s", (int)r->least, (int)r->most, s);
}

static const struct losses *
note_counted(struct uses *u, const struct touched *t)
{
    struct counted counted = {t, arena_new_of(u->arena, struct losses)};
    vec_need(u->arena, u->counted, u->ncounted, u->counted_room);
    u->counted[u->ncounted++] = counted;
    return counted.lost;
}

/* What was found about outputs holds for all of the DF, or for none. */
static bool
count(struct uses *u, struct question *q, bool guarded, bool written, struct proof *f)
{
    struct range range = {0};
    int n = 0;
    *f = (struct proof){0};
    f->why = unknown(q->w, q->t, &f->at);
    f->once = !f->why && uses_once(q);
    f->written = !f->why && are_reads_written(q);
    if (!f->once) f->stays = "it may be assigned twice";
    for (const struct access *x = q->t->writes; x; x = x->next) n++;
    struct output *found = arena_array(u->arena, struct output, (size_t)n + 1);
    bool known = f->once && (f->written || !written);
    struct staying stay = {0};
    n = 0;
    for (const struct access *x = q->t->writes; x && known; x = x->next, n++) {
        struct count_text text = {0};
        found[n] = count_write(q, x, guarded, &text, u->exactly ? &stay : NULL, f);
        known = is_known(x, &found[n]);
        widen(&range, &text);
    }
    f->readers = known ? range_text(u->arena, &range) : NULL;
    if (known) tell_staying(q, &stay, f);
    n = 0;
    for (const struct access *x = q->t->writes; x && known; x = x->next)
        tell(u, output_of(u, x), q->t->decl, found[n++]);
    if (known) f->lost = note_counted(u, q->t);
    return known;
}

bool
uses_count(struct uses *u, struct question *q, bool guarded, bool last, struct proof *f)
{
    bool known = count(u, q, guarded, false, f);
    if (!known && last) keep_all(u, q->t);
    return known;
}

bool
uses_count_with(struct uses *u, struct question *q, bool guarded, const struct release *r,
                struct proof *f)
{
    if (!count(u, q, guarded, true, f)) return false;
    vec_need(u->arena, u->releases, u->nreleases, u->releases_room);
    u->releases[u->nreleases++] = r;
    return true;
}

bool
uses_end_with_call(struct uses *u, struct question *q, struct proof *f)
{
    const struct access *x = ends_with(q);
    if (!x) return false;
    *f = (struct proof){.once = true, .written = are_reads_written(q),
                        .readers = "until the call that reads it has ended",
                        .exact = true};
    vec_need(u->arena, u->ends, u->nends, u->ends_room);
    u->ends[u->nends++] = x;
    return true;
}

/* ---- calls that were not followed ---- */

/* What a sub hands on is lost, too. True: there was something new. */
static bool
hand_on(const struct plan *p, const struct plan_site *s, bool **lost)
{
    bool news = false;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &p->args.row[s->arg + i];
        const struct plan_ref *r = &p->refs.row[arg->row];
        if (arg->kind != PA_NAME || r->base != PB_PARAM || !lost[s->sub][r->word]) continue;
        news |= !lost[s->callee][i];
        lost[s->callee][i] = true;
    }
    return news;
}

static void
lose(struct uses *u, bool **lost)
{
    const struct plan *p = u->plan;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t i = 0; i < p->sites.n; i++)
            if (p->sites.row[i].kind == PS_EXPAND) news |= hand_on(p, &p->sites.row[i], lost);
    }
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        for (unsigned k = 0; k < s->nargs && s->kind != PS_EXPAND; k++) {
            const struct plan_arg *arg = &p->args.row[s->arg + k];
            if (arg->kind != PA_NAME) continue;
            const struct plan_ref *r = &p->refs.row[arg->row];
            if (r->base == PB_PARAM && lost[s->sub][r->word])
                u->outputs[u->first[i] + k].lost = true;
        }
    }
}

/* What is handed where: from a parameter to that of a call, or to who assigns it. */
typedef void hand_fn(struct uses *u, struct tellings *from, struct tellings *to);

static void
each_handed(struct uses *u, hand_fn *along)
{
    const struct plan *p = u->plan;
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        for (unsigned k = 0; k < s->nargs; k++) {
            const struct plan_arg *arg = &p->args.row[s->arg + k];
            if (arg->kind != PA_NAME || p->refs.row[arg->row].base != PB_PARAM) continue;
            struct tellings *to = s->kind == PS_EXPAND ? &u->handed[s->callee][k]
                                                       : &u->outputs[u->first[i] + k];
            along(u, &u->handed[s->sub][p->refs.row[arg->row].word], to);
        }
    }
}

/* What a parameter is handed by calls that were not followed holds for all that assign it. */
static void
hand_down(struct uses *u, struct tellings *from, struct tellings *to)
{
    for (const struct told *t = from->first; t; t = t->next) tell(u, to, t->decl, t->o);
}

static struct told *
told_of(const struct tellings *all, uint32_t decl)
{
    struct told *t = all->first;
    while (t && t->decl != decl) t = t->next;
    return t;
}

static bool
is_lost(const struct tellings *all, uint32_t decl)
{
    const struct told *t = told_of(all, decl);
    return t && t->o.known == NOTHING;
}

/* What is lost below is so for who handed it. */
static void
tell_loss(struct uses *u, struct tellings *from, struct tellings *to)
{
    (void)u;
    for (struct told *t = from->first; t; t = t->next)
        if (is_lost(to, t->decl)) t->o.known = NOTHING;
}

/* What became of what was told of this DF where x writes it. */
static void
note_loss(struct losses *lost, const struct tellings *all, uint32_t decl, const struct access *x)
{
    const struct told *t = all ? told_of(all, decl) : NULL;
    lost->most |= t && t->o.most;
    if (!t || t->o.known != NOTHING) return;
    for (int i = 0; i < lost->n && i < LOSSES_MAX; i++)
        if (lost->at[i]->span.lo == x->span.lo) return;
    if (lost->n < LOSSES_MAX) lost->at[lost->n] = x;
    lost->n++;
}

void
uses_end(struct uses *u, bool **lost)
{
    uint32_t way = u->plan->subs.n; /* as long as one of calls is */
    for (uint32_t i = 0; i < way; i++) each_handed(u, hand_down);
    lose(u, lost);
    for (uint32_t i = 0; i < way; i++) each_handed(u, tell_loss);
    for (int i = 0; i < u->ncounted; i++)
        for (const struct access *x = u->counted[i].target->writes; x; x = x->next)
            note_loss(u->counted[i].lost, output_of(u, x), u->counted[i].target->decl, x);
}

/* ---- into the plan ---- */

static bool
all_told_same(const struct tellings *all)
{
    for (const struct told *t = all->first; t && t->next; t = t->next)
        if (!same_output(&t->o, &t->next->o)) return false;
    return true;
}

/* By the DF that the name stands for; -1 is for those of which nothing is known. */
static struct output
told_by_df(struct uses *u, const struct tellings *all, uint32_t word)
{
    struct buf b = {0};
    bool any = false;
    for (const struct told *t = all->first; t; t = t->next) {
        if (t->o.known == NOTHING) continue;
        buf_printf(&b, "DF(%u) == %u ? ", (unsigned)word, (unsigned)t->decl);
        if (t->o.known == CODE) buf_printf(&b, "(%s) : ", t->o.code);
        else buf_printf(&b, "%d : ", (int)t->o.number);
        any = true;
    }
    buf_str(&b, "-1");
    const char *code = arena_text(u->arena, &b);
    return (struct output){.known = any && code ? CODE : NOTHING, .code = code};
}

/* Of a statement other than a call, or a list of it, the number is not computed. */
static struct output
conclude(struct uses *u, const struct plan *p, const struct plan_site *s, unsigned arg,
         const struct tellings *all)
{
    struct output o = {.known = UNSEEN};
    const struct plan_ref *r = &p->refs.row[p->args.row[s->arg + arg].row];
    if (!all->first) return o;
    if (!all->lost && all_told_same(all)) return all->first->o;
    if ((s->kind == PS_CALL || s->kind == PS_TERM) && r->base == PB_PARAM)
        return told_by_df(u, all, r->word);
    for (const struct told *t = all->first; t; t = t->next) merge(&o, t->o);
    if (all->lost) o.known = NOTHING;
    return o;
}

static uint32_t
post_of(struct plan *p, const struct output *o)
{
    struct plan_expr number = {.kind = PE_INT, .k = o->number};
    struct plan_expr code = {.kind = PE_INT_FN, .text = "readers, as proved"};
    if (o->known == CODE) code.code = plan_text(p, o->code, strlen(o->code));
    struct plan_post row = {PP_PROVED, plan_expr(p, o->known == CODE ? &code : &number)};
    return plan_intern(p, posts, &row, 1);
}

/* Rows of arguments are shared by statements: this one gets its own. */
static void
install_site(struct uses *u, struct plan *p, uint32_t site)
{
    struct plan_site *s = &p->sites.row[site];
    const struct tellings *all = &u->outputs[u->first[site]];
    struct plan_arg *args = arena_array(u->arena, struct plan_arg, (size_t)s->nargs + 1);
    bool any = false;
    for (unsigned i = 0; i < s->nargs; i++) {
        args[i] = p->args.row[s->arg + i];
        struct output o = conclude(u, p, s, i, &all[i]);
        if (o.known != NUMBER && o.known != CODE) continue;
        args[i].post = post_of(p, &o);
        any = true;
    }
    if (any) s->arg = plan_intern(p, args, args, s->nargs);
}

void
uses_install(struct uses *u, struct plan *p)
{
    for (uint32_t i = 0; i < p->sites.n; i++) install_site(u, p, i);
    for (int i = 0; i < u->nends; i++) ends_install(p, u->ends[i]);
    for (int i = 0; i < u->nreleases; i++) release_install(p, u->releases[i]);
}
