/* check_flow.c - what is written twice, read but never written, written but never read.
 *
 * An event is something a statement surely does to a fragment: by itself, or inside the sub it
 * calls (then with the place inside). Two events with one key concern one fragment, provided
 * they belong to one run of all loops around both. */
#include "lang/check/check_facts.h"

#include "runtime/base/vec.h"

struct event {
    const struct use *use;
    const struct effect *inside; /* NULL: by the statement itself */
    int key;
    bool write, guarded;
    int next; /* write with the same key, in textual order */
};

struct flow {
    struct facts *f;
    struct event *events;
    int nevents, room;
    int *first, *last; /* writes by key */
    bool *written;     /* by key: something may write it */
    int nkeys;
};

static void
add_event(struct flow *w, struct event e)
{
    vec_need(w->f->arena, w->events, w->nevents, w->room);
    e.next = NONE;
    w->events[w->nevents++] = e;
}

static bool
is_own_counter(void *who, const struct ref *r)
{
    return r->sym && r->sym == who;
}

/* while ..., i = 0 .. out n[i]: this i is none of those the body sees. */
static int
out_key(struct facts *f, const struct use *u)
{
    struct stmt *s = f->sites[u->site].stmt;
    if (s->kind != S_WHILE || !facts_any_ref_in(f, u->ref, is_own_counter, s->counter))
        return u->target.key;
    return forms_intern(f->forms, arena_printf(f->arena, "out%p", (const void *)s));
}

/* What a statement does to the fragment itself, or, if it hands it to a sub, each thing the sub
 * surely does, with the indices the sub puts behind those of the argument. */
static void
add_events(struct flow *w, const struct use *u)
{
    struct facts *f = w->f;
    struct event e = {.use = u, .key = u->target.key, .guarded = u->guarded};
    switch (u->kind) {
    case USE_OUT: e.key = out_key(f, u); /* fall through */
    case USE_WRITE:
    case USE_SET: e.write = true; /* fall through */
    case USE_READ:
    case USE_REQUEST:
    case USE_WAIT: add_event(w, e); return;
    case USE_PASS: break;
    default: return;
    }
    for (const struct effect *m = f->dfs[u->pass].effects; m; m = m->next) {
        e.inside = m;
        e.write = m->write;
        e.guarded = m->guarded;
        e.key = forms_key_with(f->forms, u->target.key, m->suffix);
        add_event(w, e);
    }
}

/* Writes of one key in a list: keys are numbers, so an array serves as the table. */
static void
link_writes(struct flow *w)
{
    w->nkeys = forms_count(w->f->forms);
    w->first = arena_array(w->f->arena, int, (size_t)w->nkeys + 1);
    w->last = arena_array(w->f->arena, int, (size_t)w->nkeys + 1);
    for (int i = 0; i < w->nkeys; i++) w->first[i] = w->last[i] = NONE;
    for (int i = 0; i < w->nevents; i++) {
        struct event *e = &w->events[i];
        if (!e->write) continue;
        if (w->first[e->key] == NONE) w->first[e->key] = i;
        else w->events[w->last[e->key]].next = i;
        w->last[e->key] = i;
    }
}

static const char *
event_text(const struct flow *w, const struct event *e)
{
    const char *text = ast_ref_text(w->f->arena, e->use->ref);
    return e->inside ? arena_printf(w->f->arena, "%s%s", text, e->inside->suffix) : text;
}

static void
note_event(struct flow *w, const struct event *e, const char *words)
{
    diag_note(w->f->diag, e->use->span, "%s", words);
    if (e->inside) diag_note(w->f->diag, e->inside->span, "inside the sub, here");
}

/* What is proved of the DF later would only say it again. */
static void
told(const struct facts *f, const struct use *u)
{
    f->dfs[u->df].sym->told = true;
}

/* ---- one statement: EXT2, EXT3 ---- */

static bool
waits_itself(const struct event *e)
{
    return !e->write && !e->inside;
}

/* Compares write `i` with the events of the same statement, which stand around it. So far to both
 * sides: a statement with thousands of outputs was made by a machine. */
enum { AROUND = 1000 };

static void
check_statement(struct flow *w, int i)
{
    const struct event *e = &w->events[i];
    int from = i;
    while (from && i - from < AROUND && w->events[from - 1].use->site == e->use->site) from--;
    for (int k = from; k < w->nevents && k - i < AROUND; k++) {
        const struct event *o = &w->events[k];
        if (o->use->site != e->use->site) break;
        if (o->key != e->key || o->use == e->use) continue;
        if (waits_itself(o)) {
            told(w->f, e->use);
            diag(w->f->diag, facts_severity(w->f, e->use->site), D_EXT3, e->use->span,
                 "'%s' is both an input and an output of this statement, which waits for itself",
                 event_text(w, e));
            diag_note(w->f->diag, o->use->span, "the input");
            return;
        }
        if (o->write && k < i) {
            told(w->f, e->use);
            diag(w->f->diag, facts_severity(w->f, e->use->site), D_EXT2, e->use->span,
                 "'%s' is an output of this statement twice", event_text(w, e));
            note_event(w, o, "the first time");
            return;
        }
    }
}

/* ---- two statements: SEM2.1 ---- */

/* The statement of the body of `outer` in which `site` stands. */
static int
part_of(const struct facts *f, int outer, int site)
{
    while (f->sites[site].outer != outer) site = f->sites[site].outer;
    return site;
}

/* Whenever one of the two runs that stands less deep in conditions, both do. */
static bool
both_run(const struct facts *f, int a, int b)
{
    int common = facts_common(f, a, b);
    if (common == a || common == b) { /* a while and its body */
        int inner = common == a ? b : a;
        return facts_always(f, part_of(f, common, inner)) && facts_surely_within(f, inner, common);
    }
    if (f->sites[part_of(f, common, a)].other != f->sites[part_of(f, common, b)].other)
        return false; /* branches of one if */
    return facts_surely_within(f, a, common) && facts_surely_within(f, b, common);
}

/* The first value may be gone before the second comes, which then goes unnoticed. */
static bool
may_be_gone(const struct facts *f, const struct event *e)
{
    return e->guarded || f->dfs[e->use->df].kills;
}

/* An error only if both surely happen and the first value is surely still there. */
static void
report_twice(struct flow *w, const struct event *first, const struct event *second)
{
    struct facts *f = w->f;
    bool sure = facts_certain(f, first->use->site) && facts_certain(f, second->use->site) &&
                !may_be_gone(f, first) && !may_be_gone(f, second);
    told(f, second->use);
    diag(f->diag, sure ? SEV_ERROR : SEV_WARNING, D_SEM2_1, second->use->span,
         "'%s' is assigned twice", event_text(w, second));
    if (second->inside) diag_note(f->diag, second->inside->span, "inside the sub, here");
    note_event(w, first, "first assigned here");
    diag_hint(f->diag, "give the two values different indices");
}

/* So many earlier writes are looked at: of a thousand under
 * exclusive conditions most do not matter. */
enum { EARLIER_MAX = 16 };

static void
check_twice(struct flow *w, int key)
{
    for (int i = w->first[key]; i != NONE; i = w->events[i].next) {
        const struct event *second = &w->events[i];
        int looked = 0;
        for (int k = w->first[key]; k != i && looked < EARLIER_MAX; k = w->events[k].next) {
            const struct event *first = &w->events[k];
            looked++;
            if (first->use->site == second->use->site) continue;
            if (!both_run(w->f, first->use->site, second->use->site)) continue;
            report_twice(w, first, second);
            break;
        }
    }
}

/* ---- a statement in a loop: SEM2.1 ---- */

struct inside_loop {
    const struct facts *f;
    int loop;
};

static bool
is_inside(void *who, const struct ref *r)
{
    const struct inside_loop *in = who;
    return r->sym && facts_declared_in(in->f, r->sym, in->loop);
}

/* Does each iteration of the loop mean another fragment: declared in its body, or indexed by
 * something that is? */
static bool
varies(struct facts *f, const struct use *u, int loop)
{
    struct inside_loop in = {f, loop};
    return facts_declared_in(f, u->target.sym, loop) || facts_any_ref_in(f, u->ref, is_inside, &in);
}

/* A for whose bounds the program's input decides. */
static bool
is_open(struct facts *f, const struct stmt *s)
{
    struct known v;
    if (s->kind != S_FOR) return false;
    if (form_fold(s->lo, NULL, &v) && form_fold(s->hi, NULL, &v)) return false;
    return forms_diff(f->forms, forms_of(f->forms, s->hi), forms_of(f->forms, s->lo)).n;
}

static void
report_repeated(struct flow *w, const struct event *e, int loop)
{
    struct facts *f = w->f;
    const struct stmt *s = f->sites[loop].stmt;
    bool sure = f->sites[loop].twice && facts_certain(f, loop) && !may_be_gone(f, e);
    told(f, e->use);
    diag(f->diag, sure ? SEV_ERROR : SEV_WARNING, D_SEM2_1, e->use->span,
         "'%s' is assigned in each iteration of a loop", event_text(w, e));
    if (e->inside) diag_note(f->diag, e->inside->span, "inside the sub, here");
    diag_note(f->diag, s->counter->name.span, "the loop");
    diag_hint(f->diag, "index it by the counter: %s[%s]", ast_ref_text(f->arena, e->use->ref),
              s->counter->name.text);
}

/* Outwards through the loops, as long as what stands between runs whenever the loop does: behind an
 * `if` only one iteration may get there. */
static void
check_repeated(struct flow *w, const struct event *e)
{
    struct facts *f = w->f;
    for (int in = e->use->site, at; (at = f->sites[in].outer) != NONE; in = at) {
        const struct stmt *s = f->sites[at].stmt;
        bool loop = s->kind == S_FOR || s->kind == S_WHILE;
        if (loop && !varies(f, e->use, at) && (f->sites[at].twice || is_open(f, s))) {
            report_repeated(w, e, at);
            return;
        }
        if (!facts_always(f, in)) return;
    }
}

/* ---- read, but not written: SEM3.1, SEM3.4 ---- */

/* Bits of a df_row tell with how many indices a DF is written or read; 31 stands for all beyond. */
static uint32_t
depth_bit(int depth)
{
    return 1u << (depth < 31 ? depth : 31);
}

/* Nothing in the program may write it. */
static bool
is_missing(const struct flow *w, const struct df_row *d, int key, int depth, bool constant)
{
    uint32_t bit = depth_bit(depth);
    if (d->sym->outside && depth == d->sym->nshape) return false; /* it may be beyond its shape */
    if (depth >= 31) return !(d->writes & bit);
    if (!(d->writes & bit)) return true;
    return constant && !(d->vague & bit) && (key >= w->nkeys || !w->written[key]);
}

/* Why the run would stop at it, and how sure that is. */
struct miss {
    const struct use *use;
    const struct effect *inside;
    int depth;
    bool sure;
};

/* A call that hands the DF to a sub which reads what nothing writes. */
static bool
find_inside(const struct flow *w, const struct df_row *d, const struct use *u, struct miss *m)
{
    const struct df_row *p = &w->f->dfs[u->pass];
    for (const struct effect *in = p->effects; in; in = in->next) {
        int depth = u->target.depth + in->depth;
        if (in->write || !u->target.constant) continue;
        int key = forms_key_with(w->f->forms, u->target.key, in->suffix);
        if (!is_missing(w, d, key, depth, true)) continue;
        *m = (struct miss){u, in, depth, facts_certain(w->f, u->site)};
        return true;
    }
    for (int k = 0; k < 31 - u->target.depth; k++) {
        if (!(p->reads >> k & 1) || (d->writes & depth_bit(k + u->target.depth))) continue;
        *m = (struct miss){u, NULL, k + u->target.depth, false};
        return true;
    }
    return false;
}

static bool
find_miss(const struct flow *w, const struct df_row *d, const struct use *u, struct miss *m)
{
    bool reads = u->kind == USE_READ || u->kind == USE_REQUEST || u->kind == USE_WAIT;
    if (u->kind == USE_PASS) return find_inside(w, d, u, m);
    if (!reads) return false;
    if (!is_missing(w, d, u->target.key, u->target.depth, u->target.constant)) return false;
    *m = (struct miss){u, NULL, u->target.depth, !u->soft && facts_certain(w->f, u->site)};
    return true;
}

static const char *
indices(const struct facts *f, int n)
{
    if (!n) return "without indices";
    if (n >= 31) return "with more than 30 indices";
    return arena_printf(f->arena, "with %d %s", n, n == 1 ? "index" : "indices");
}

/* The wrong number of indices is the most common slip, so it is told as such. */
static void
report_miss(struct flow *w, const struct df_row *d, const struct miss *m)
{
    struct facts *f = w->f;
    const struct use *u = m->use;
    bool request = u->kind == USE_REQUEST;
    enum diag_code code = request ? D_SEM3_4 : D_SEM3_1;
    enum severity sev = m->sure ? SEV_ERROR : SEV_WARNING;
    const char *verb = request ? "requested" : "used";
    const char *text = ast_ref_text(f->arena, u->ref);
    told(f, u);
    if (m->inside) text = arena_printf(f->arena, "%s%s", text, m->inside->suffix);
    if (!d->writes) {
        diag(f->diag, sev, code, u->span, "'%s' is %s, but nothing writes it", text, verb);
        diag_hint(f->diag, "a call writes it where a parameter of type name stands");
    } else if (!(d->writes & depth_bit(m->depth))) {
        int k = 0;
        while (!(d->writes >> k & 1)) k++;
        diag(f->diag, sev, code, u->span, "'%s' is %s %s, but written only %s", d->sym->name.text,
             verb, indices(f, m->depth), indices(f, k));
        facts_note_writer(f, d);
    } else {
        diag(f->diag, sev, code, u->span, "'%s' is %s, but nothing writes it", text, verb);
    }
    if (m->inside) diag_note(f->diag, m->inside->span, "it is read here");
}

/* One report for each DF and code, at a place that surely runs if there is one. */
static void
check_missing(struct flow *w, const struct df_row *d)
{
    struct miss best[2] = {{0}, {0}}, m; /* used, requested */
    if (d->sym->kind != SYM_DF) return;
    for (int i = d->first; i != NONE; i = w->f->uses[i].next) {
        const struct use *u = &w->f->uses[i];
        struct miss *b = &best[u->kind == USE_REQUEST];
        if ((b->use && b->sure) || !find_miss(w, d, u, &m)) continue;
        if (!b->use || m.sure) *b = m;
    }
    for (int i = 0; i < 2; i++) {
        if (best[i].use) report_miss(w, d, &best[i]);
    }
}

/* ---- written, but not read: SEM4 ---- */

/* One report a DF. A delete or a push counts as interest in it. */
static void
check_unread(struct flow *w, const struct df_row *d)
{
    struct facts *f = w->f;
    if (d->sym->kind != SYM_DF || !d->writes || d->reads || d->kills || d->pushes) return;
    if (d->sym->name.text[0] == '_') return;
    for (int i = d->first; i != NONE; i = f->uses[i].next) {
        const struct use *u = &f->uses[i];
        bool writes = u->kind == USE_WRITE || u->kind == USE_SET || u->kind == USE_PASS ||
                      (u->kind == USE_OUT && f->sites[u->site].stmt->kind == S_REDUCE);
        if (!writes || u->soft) continue; /* a while must write its counter somewhere */
        diag(f->diag, SEV_WARNING, D_SEM4, d->sym->name.span, "'%s' is written, but never read",
             d->sym->name.text);
        diag_note(f->diag, u->span, "written here");
        return;
    }
}

/* Also dropped values and those a sub may write: here a
 * fragment is missing only if nobody even tries. */
static void
mark_written(struct flow *w)
{
    struct facts *f = w->f;
    w->written = arena_array(f->arena, bool, (size_t)w->nkeys + 1);
    for (int i = 0; i < f->nuses; i++) {
        const struct use *u = &f->uses[i];
        bool writes = u->kind == USE_WRITE || u->kind == USE_SET || u->kind == USE_OUT ||
                      u->kind == USE_DROP || (u->kind == USE_PASS && f->dfs[u->pass].writes & 1);
        if (writes) w->written[u->target.key] = true;
    }
}

void
check_flow(struct facts *f)
{
    struct flow w = {.f = f};
    for (int i = 0; i < f->nuses; i++) {
        if (!f->uses[i].soft && f->uses[i].site != NONE) add_events(&w, &f->uses[i]);
    }
    link_writes(&w);
    mark_written(&w);
    for (int i = 0; i < w.nevents; i++) {
        if (!w.events[i].write) continue;
        check_statement(&w, i);
        check_repeated(&w, &w.events[i]);
    }
    for (int key = 0; key < w.nkeys; key++) {
        if (w.first[key] != NONE) check_twice(&w, key);
    }
    for (int i = 0; i < f->ndfs; i++) {
        check_missing(&w, &f->dfs[i]);
        check_unread(&w, &f->dfs[i]);
    }
}
