/* prep_use.c - macros in use: $NAME and $NAME(arguments). */
#include "lang/prep/prep_state.h"

#include "runtime/base/vec.h"

#include <string.h>

void
prep_note_definition(struct prep_state *p, const struct macro *m)
{
    diag_note_origin(p->diag, m->where.origin, m->where.offset, m->name_size,
                     "'%s' is defined here", m->name);
}

/* Whether a file read so far says const NAME. It may stand in a comment: it is for a hint. */
static bool
is_const(const struct prep_state *p, const struct macro *m)
{
    for (int i = 0; i < source_file_count(p->source); i++) {
        size_t size;
        const char *s = source_file_text(p->source, i, &size);
        for (uint32_t at = 0; at < size;) {
            uint32_t word = at, end = text_name_end(s, size, at);
            at = end + (end == word);
            if (end - word != 5 || memcmp(s + word, "const", 5)) continue;
            while (at < size && text_is_blank(s[at])) at++;
            end = text_name_end(s, size, at);
            if (end - at == m->name_size && !memcmp(s + at, m->name, m->name_size)) return true;
        }
    }
    return false;
}

/* Once for each name, at its first use. */
void
prep_report_undefined(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi,
                      uint32_t name)
{
    struct macro *m = macros_get(&p->macros, l->t.data + name, hi - name);
    if (m->reported) return;
    m->reported = true;
    PREP_ERROR(p, PP3, l, lo, hi, "macro '%s' is not defined", m->name);
    bool printed = p->undefined++ < PREP_SUGGESTED_MAX;
    const char *near = printed ? macros_nearest(&p->macros, m->name) : NULL;
    if (printed && is_const(p, m))
        diag_hint(p->diag, "'%s' is a const: write it without '$'", m->name);
    else if (near)
        diag_hint(p->diag, "did you mean '%s'?", near);
    else
        diag_hint(p->diag, "a macro is defined above its first use, or by -D %s=...", m->name);
}

/* All macros in use are given up; the file below goes on. */
static void
unwind_endless(struct prep_state *p, const struct macro *m, uint32_t lo, uint32_t hi)
{
    PREP_ERROR(p, PP6, prep_top(p), lo, hi, "macro '%s' expands without end", m->name);
    while (prep_top(p)->macro) {
        prep_top(p)->macro->endless = true;
        p->nlevels--;
    }
}

/* Looks, across ended macros, for the parenthesis that opens the arguments; goes behind it. */
static bool
find_args(struct prep_state *p)
{
    for (int i = p->nlevels - 1;; i--) {
        struct level *l = &p->levels[i];
        uint32_t at = l->at;
        while (at < l->t.size && text_is_blank(l->t.data[at])) at++;
        if (at == l->t.size && l->macro) continue;
        if (at == l->t.size || l->t.data[at] != '(') return false;
        l->at = at + 1;
        p->nlevels = i + 1;
        return true;
    }
}

static void
arg_add(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    ptext_add_part(&p->args, &l->t, lo, hi, l->origin);
}

/* A string in an argument. Its commas need no protection, but may have it. */
static void
arg_add_string(struct prep_state *p, struct level *l)
{
    const char *s = l->t.data;
    uint32_t done = l->at, at = done;
    prep_skip_string(p, l);
    for (; at + 1 < l->at; at++) {
        if (s[at] != '\\') continue;
        if (strchr(",()", s[at + 1])) {
            arg_add(p, l, done, at);
            done = at + 1;
        }
        at++;
    }
    arg_add(p, l, done, l->at);
}

/* Arguments are bytes lo..hi of one text that grows: its memory is used again for the next use. */
static void
arg_begin(struct prep_state *p, int n)
{
    vec_need(p->arena, p->arg, n, p->args_room);
    p->arg[n].lo = p->args.t.size;
}

/* Blanks around an argument belong to the list, not to it. */
static void
arg_end(struct prep_state *p, int n)
{
    struct macro_arg *a = &p->arg[n];
    const char *s = p->args.t.data;
    a->hi = p->args.t.size;
    while (a->lo < a->hi && text_is_blank(s[a->lo])) a->lo++;
    while (a->hi > a->lo && text_is_blank(s[a->hi - 1])) a->hi--;
}

/* Reads what means nothing here; false if there is none of it. */
static bool
arg_run(struct prep_state *p, struct level *l)
{
    static const bool special[256] = {
        [','] = 1, ['('] = 1, [')'] = 1, ['"'] = 1, ['$'] = 1, ['/'] = 1, ['\\'] = 1, ['`'] = 1};
    const unsigned char *s = (const unsigned char *)l->t.data;
    uint32_t start = l->at;
    while (l->at < l->t.size && !special[s[l->at]]) l->at++;
    arg_add(p, l, start, l->at);
    return l->at > start;
}

/* Reads a comment, a string, a block, a protected character; false at any other. */
static bool
arg_word(struct prep_state *p, struct level *l, int *depth)
{
    const char *s = l->t.data;
    uint32_t start = l->at, next = start + 1;
    struct text_block b;
    if (!l->macro && text_is_comment(s, l->t.size, start)) {
        prep_skip_comment(p, l);
        if (s[start] == '/') ptext_add(&p->args, " ", 1, prep_spot(l, start));
    } else if (s[start] == '"') {
        arg_add_string(p, l);
    } else if (s[start] == '$' && next < l->t.size && s[next] == '{') {
        if (prep_skip_block(p, l, &b)) arg_add(p, l, start, l->at);
    } else if (s[start] == '\\' && next < l->t.size) {
        /* $TWICE($ADD(1\,2\)): the original's way to close what the argument itself opened. */
        if (s[next] == ')' && *depth) --*depth;
        arg_add(p, l, next, next + 1);
        l->at += 2;
    } else {
        return false;
    }
    return true;
}

/* Reads the arguments behind the parenthesis, up to and over the one that closes. Nested ones are
 * kept. Gives their number, or -1 at the end of the file. */
static int
read_args(struct prep_state *p)
{
    int n = 0, depth = 0;
    p->args.t.size = p->args.t.npieces = 0;
    arg_begin(p, 0);
    for (;;) {
        struct level *l = prep_top(p);
        if (l->at == l->t.size) {
            if (!l->macro) return -1;
            p->nlevels--;
            continue;
        }
        if (arg_run(p, l) || arg_word(p, l, &depth)) continue;
        char c = l->t.data[l->at++];
        if (!depth && (c == ',' || c == ')')) {
            arg_end(p, n++);
            if (c == ')') return n;
            arg_begin(p, n);
            continue;
        }
        if (c == '(') depth++;
        if (c == ')') depth--;
        arg_add(p, l, l->at - 1, l->at);
    }
}

/* Each use is an origin of its own, so that a place in the body can tell which use it is about. */
static int
use_origin(struct prep_state *p, const struct macro *m, struct ptext_spot at, uint32_t size)
{
    return source_add_origin(p->source, (struct origin){.file = m->file,
                                                        .use = at.origin,
                                                        .use_offset = at.offset,
                                                        .use_size = size,
                                                        .macro = m->name});
}

static void
report_arguments(struct prep_state *p, const struct macro *m, struct ptext_spot at, uint32_t size,
                 int given)
{
    diag_origin(p->diag, SEV_ERROR, D_PP5, at.origin, at.offset, size,
                "macro '%s' takes %d argument%s, %d given", m->name, m->nparams,
                m->nparams == 1 ? "" : "s", given);
    prep_note_definition(p, m);
    if (given > m->nparams)
        diag_hint(p->diag, "a comma that belongs to an argument is written \\, or in parentheses");
}

/* Puts the body on top, with its arguments if it takes any. `at` is the place of the use, of `size`
 * bytes. All that is copied counts, so that macros that double and double again come to an end. */
static void
expand(struct prep_state *p, struct macro *m, struct ptext_spot at, uint32_t size,
       const struct macro_args *args)
{
    struct ptext_build b = {.arena = p->arena};
    struct ptext t = m->body;
    size_t cost = PREP_USE_COST + ptext_cost(&t) + (args ? ptext_cost(args->text) : 0);
    size_t left = p->text_max - p->expanded;
    bool fits = cost <= left;
    if (fits && args) {
        fits = macro_substitute(&p->macros, m, args, left - cost, &b);
        cost += ptext_cost(&b.t);
        t = b.t;
    }
    if (!fits) {
        diag_origin(p->diag, SEV_ERROR, D_PP6, at.origin, at.offset, size,
                    "macros expand to more than %d MiB of text", (int)(p->text_max >> 20));
        p->expanded_enough = true;
        return;
    }
    p->expanded += cost;
    prep_push(p, t, use_origin(p, m, at, size), m);
}

/* The name of `m` was read; false if no arguments follow. */
static bool
expand_with_args(struct prep_state *p, struct macro *m, struct level *l, uint32_t start)
{
    struct ptext_spot at = prep_spot(l, start);
    uint32_t size = l->at - start;
    if (!find_args(p)) return false;
    struct macro_args args = {.text = &p->args.t, .n = read_args(p)};
    args.arg = p->arg;
    if (args.n < 0) {
        diag_origin(p->diag, SEV_ERROR, D_PP7, at.origin, at.offset, size,
                    "the arguments of macro '%s' are not closed", m->name);
        return true;
    }
    /* All of the use is marked, if its end stands in the same text. */
    if (prep_top(p) == l) {
        struct ptext_spot last = prep_spot(l, l->at - 1);
        if (last.origin == at.origin && last.offset > at.offset) size = last.offset + 1 - at.offset;
    }
    /* $NAME() has one empty argument, or none: as the macro likes. */
    if (!m->nparams && args.n == 1 && args.arg[0].lo == args.arg[0].hi) args.n = 0;
    if (args.n != m->nparams) report_arguments(p, m, at, size, args.n);
    expand(p, m, at, size, &args);
    return true;
}

/* What cannot be replaced leaves its name: the parser takes it for a name, and stumbles less than
 * over nothing at all. */
void
prep_take_use(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, name = start + 1, end = text_name_end(l->t.data, l->t.size, name);
    l->at = end;
    if (p->skips) return;
    struct macro *m = macros_find(&p->macros, l->t.data + name, end - name);
    if (!m || !m->defined) {
        prep_report_undefined(p, l, start, end, name);
    } else if (p->nlevels - p->nfiles == PREP_MACROS_MAX) {
        unwind_endless(p, m, start, end);
        return;
    } else {
        m->used = true;
        bool usable = !m->endless && !p->expanded_enough;
        if (usable && m->nparams < 0) {
            expand(p, m, prep_spot(l, start), end - start, NULL);
            return;
        }
        if (usable && expand_with_args(p, m, l, start)) return;
        if (usable) {
            PREP_ERROR(p, PP5, l, start, end, "macro '%s' is used without its arguments", m->name);
            prep_note_definition(p, m);
        }
    }
    prep_put(p, l, name, end);
}
