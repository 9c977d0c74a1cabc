/* prep_line.c - directives: #define and the like. They may stand anywhere in a line. */
#include "lang/prep/prep_state.h"

#include "runtime/base/near.h"
#include "runtime/base/vec.h"

#include <string.h>

enum { PARAMS_MAX = 255 };

/* ---- directives: `l->at` is behind the word, `start` at the # ---- */

static void
skip_spaces(struct level *l)
{
    while (l->at < l->t.size && strchr(" \t", l->t.data[l->at])) l->at++;
}

static bool
at_line_end(const struct level *l)
{
    const char *s = l->t.data + l->at;
    size_t left = l->t.size - l->at;
    return !left || *s == '\n' || (left > 1 && s[0] == '\r' && s[1] == '\n');
}

/* A word of a body; what is kept goes to `b`. */
static void
read_body_word(struct prep_state *p, struct level *l, struct ptext_build *b)
{
    const char *s = l->t.data;
    uint32_t size = l->t.size, start = l->at, kept = start;
    struct text_block block;
    if (text_is_comment(s, size, start)) {
        prep_skip_comment(p, l);
        if (s[start] == '/') ptext_add(b, " ", 1, (struct ptext_spot){PTEXT_OWN, start});
        return;
    }
    if (s[start] == '"') {
        l->at = text_string_end(s, size, start, true);
        if (l->at == TEXT_OPEN) {
            PREP_ERROR(p, PP7, l, start, start + 1, "string is not closed on its line");
            const char *newline = memchr(s + start, '\n', size - start);
            l->at = newline ? (uint32_t)(newline - s) : size;
        }
    } else if (s[start] == '$' && start + 1 < size && s[start + 1] == '{') {
        if (!prep_skip_block(p, l, &block)) return;
    } else if (s[start] == '\\') {
        /* A protected newline goes on as a plain one; all else is left to the macro's use. */
        l->at = text_protected_end(s, size, start);
        kept += s[l->at - 1] == '\n';
    } else {
        l->at++;
    }
    ptext_add(b, s + kept, l->at - kept, (struct ptext_spot){PTEXT_OWN, kept});
}

/* The rest of the line, without comments and blanks around. */
static struct ptext
read_body(struct prep_state *p, struct level *l)
{
    struct ptext_build b = {.arena = p->arena};
    skip_spaces(l);
    while (!at_line_end(l)) read_body_word(p, l, &b);
    while (b.t.size && text_is_blank(b.t.data[b.t.size - 1])) b.t.size--;
    return b.t;
}

/* Reports a malformed directive and passes its line. */
#define MALFORMED(p, l, start, ...)                               \
    do {                                                          \
        PREP_ERROR((p), PP2, (l), (start), (l)->at, __VA_ARGS__); \
        read_body((p), (l));                                      \
    } while (0)

/* Reads the name a directive is about; 0 bytes: there is none, and the line was passed. */
static uint32_t
read_name(struct prep_state *p, struct level *l, uint32_t start)
{
    int word = (int)(l->at - start);
    uint32_t word_end = l->at;
    skip_spaces(l);
    if (l->at < l->t.size && text_is_name_start(l->t.data[l->at])) {
        uint32_t name = l->at;
        l->at = text_name_end(l->t.data, l->t.size, name);
        return l->at - name;
    }
    l->at = word_end;
    MALFORMED(p, l, start, "%.*s needs a name", word, l->t.data + start);
    return 0;
}

/* One parameter and the comma or parenthesis behind it; false if malformed. */
static bool
read_param(struct prep_state *p, struct level *l, const char **param, bool *last)
{
    skip_spaces(l);
    uint32_t lo = l->at, size = l->t.size;
    if (lo == size || !text_is_name_start(l->t.data[lo])) return false;
    l->at = text_name_end(l->t.data, size, lo);
    *param = arena_strndup(p->arena, l->t.data + lo, l->at - lo);
    skip_spaces(l);
    if (l->at == size || !strchr(",)", l->t.data[l->at])) return false;
    *last = l->t.data[l->at++] == ')';
    return true;
}

/* Reads "a, b)"; their number, or -1 after a report. */
static int
read_params(struct prep_state *p, struct level *l, uint32_t start, const char **params)
{
    int n = 0;
    skip_spaces(l);
    bool last = l->at < l->t.size && l->t.data[l->at] == ')';
    l->at += last;
    for (; !last; n++) {
        if (n == PARAMS_MAX) {
            MALFORMED(p, l, start, "a macro may have at most %d parameters", PARAMS_MAX);
            return -1;
        }
        if (!read_param(p, l, &params[n], &last)) {
            MALFORMED(p, l, start, "malformed list of parameters");
            diag_hint(p->diag, "write #define NAME(a, b) text");
            return -1;
        }
        for (int i = 0; i < n; i++) {
            if (strcmp(params[i], params[n])) continue;
            MALFORMED(p, l, start, "two parameters are called '%s'", params[n]);
            return -1;
        }
    }
    return n;
}

static void
on_define(struct prep_state *p, struct level *l, uint32_t start)
{
    const char *params[PARAMS_MAX];
    uint32_t size = read_name(p, l, start);
    if (!size) return;
    uint32_t name = l->at - size;
    struct macro *m = macros_get(&p->macros, l->t.data + name, size);
    struct macro new = *m;
    new.where = prep_spot(l, name);
    new.file = l->file;
    new.nparams = -1;
    if (l->at < l->t.size && l->t.data[l->at] == '(') {
        l->at++;
        new.nparams = read_params(p, l, start, params);
        m->reported |= new.nparams < 0; /* its uses are no further faults */
        if (new.nparams < 0) return;
        new.params = arena_grow(p->arena, NULL, 0, sizeof *params * (new.nparams + 1));
        memcpy(new.params, params, sizeof *params * new.nparams);
    }
    int faults = diag_errors(p->diag);
    new.body = read_body(p, l);
    new.asked |= diag_errors(p->diag) > faults; /* one report is enough */
    if (m->defined) {
        PREP_ERROR(p, PP4, l, name, name + size, "macro '%s' is defined twice", m->name);
        prep_note_definition(p, m);
        diag_hint(p->diag, "#undef %s comes first, or #ifndef %s around this one", m->name,
                  m->name);
        return;
    }
    new.defined = true;
    new.used = new.endless = false;
    *m = new;
}

static void
on_undef(struct prep_state *p, struct level *l, uint32_t start)
{
    uint32_t size = read_name(p, l, start);
    if (!size) return;
    struct macro *m = macros_find(&p->macros, l->t.data + l->at - size, size);
    if (m && m->defined) {
        m->defined = false;
        return;
    }
    PREP_ERROR(p, PP3, l, l->at - size, l->at, "#undef of '%.*s', which is not defined", (int)size,
               l->t.data + l->at - size);
}

static struct cond *
cond_push(struct prep_state *p, struct level *l, uint32_t start, const char *word)
{
    struct cond *c = arena_new_of(p->arena, struct cond);
    *c = (struct cond){.outer = l->conds,
                       .at = prep_spot(l, start),
                       .else_at.origin = -1,
                       .word = word,
                       .outer_skips = p->skips};
    l->conds = c;
    return c;
}

/* #ifdef and #ifndef. In a branch that is skipped they only nest. */
static void
cond_begin(struct prep_state *p, struct level *l, uint32_t start, bool if_defined)
{
    struct cond *c = cond_push(p, l, start, if_defined ? "#ifdef" : "#ifndef");
    if (p->skips) return;
    uint32_t size = read_name(p, l, start);
    if (size) {
        struct macro *m = macros_get(&p->macros, l->t.data + l->at - size, size);
        m->asked = true;
        c->taken = m->defined == if_defined;
        skip_spaces(l);
        if (!at_line_end(l) && !text_is_comment(l->t.data, l->t.size, l->at)) {
            PREP_ERROR(p, PP2, l, l->at, l->at + 1, "more than a name behind %s", c->word);
            read_body(p, l);
        }
    }
    p->skips = !c->taken;
}

static void
on_ifdef(struct prep_state *p, struct level *l, uint32_t start)
{
    cond_begin(p, l, start, true);
}

static void
on_ifndef(struct prep_state *p, struct level *l, uint32_t start)
{
    cond_begin(p, l, start, false);
}

/* What C has and we have not: reported, and then obeyed as if its condition held, so that what
 * follows still matches. */
static void
on_if(struct prep_state *p, struct level *l, uint32_t start)
{
    struct cond *c = cond_push(p, l, start, NULL);
    c->taken = true;
    if (p->skips) return;
    PREP_ERROR(p, PP1, l, start, l->at, "unknown directive '#if'");
    diag_hint(p->diag, "there are #ifdef and #ifndef only");
    read_body(p, l);
}

static void
on_elif(struct prep_state *p, struct level *l, uint32_t start)
{
    struct cond *c = l->conds;
    if (c && c->outer_skips) return;
    PREP_ERROR(p, PP1, l, start, l->at, "unknown directive '%.*s'", (int)(l->at - start),
               l->t.data + start);
    diag_hint(p->diag, "there are #ifdef, #ifndef, #else and #endif only");
    if (c) p->skips = c->taken;
    read_body(p, l);
}

static void
on_else(struct prep_state *p, struct level *l, uint32_t start)
{
    struct cond *c = l->conds;
    if (!c) {
        PREP_ERROR(p, PP2, l, start, l->at, "#else without #ifdef or #ifndef");
    } else if (c->else_at.origin >= 0) {
        PREP_ERROR(p, PP2, l, start, l->at, "a second #else");
        diag_note_origin(p->diag, c->else_at.origin, c->else_at.offset, 5, "the first is here");
    } else {
        c->else_at = prep_spot(l, start);
        p->skips = c->outer_skips || c->taken;
    }
}

static void
on_endif(struct prep_state *p, struct level *l, uint32_t start)
{
    if (!l->conds) {
        PREP_ERROR(p, PP2, l, start, l->at, "#endif without #ifdef or #ifndef");
        return;
    }
    p->skips = l->conds->outer_skips;
    l->conds = l->conds->outer;
}

/* The text between the two signs, its place in lo..hi-1; NULL, and nothing is passed: there is
 * none. */
static char *
read_between(struct prep_state *p, struct level *l, char open, char close, uint32_t *lo,
             uint32_t *hi)
{
    skip_spaces(l);
    const char *s = l->t.data;
    uint32_t end = l->at + 1, size = l->t.size;
    if (l->at >= size || s[l->at] != open) return NULL;
    while (end < size && s[end] != close && s[end] != '\n') end++;
    if (end >= size || s[end] != close || end == l->at + 1) return NULL;
    *lo = l->at;
    *hi = l->at = end + 1;
    return arena_strndup(p->arena, s + *lo + 1, *hi - *lo - 2);
}

static char *
read_quoted(struct prep_state *p, struct level *l, uint32_t *lo, uint32_t *hi)
{
    return read_between(p, l, '"', '"', lo, hi);
}

/* Behind a report: the rest of the line, of which a string that is open is no other fault. */
static void
pass_line(struct prep_state *p, struct level *l)
{
    const char *s = l->t.data + l->at;
    size_t left = l->t.size - l->at;
    const char *newline = left ? memchr(s, '\n', left) : NULL;
    if (newline) left = (size_t)(newline - s);
    if (left && *s == '"' && !memchr(s + 1, '"', left - 1)) l->at += (uint32_t)left;
    read_body(p, l);
}

static void
on_include(struct prep_state *p, struct level *l, uint32_t start)
{
    uint32_t lo, hi;
    const char *path = read_quoted(p, l, &lo, &hi);
    bool library = !path && (path = read_between(p, l, '<', '>', &lo, &hi));
    if (path) {
        prep_include(p, l, path, library, start, lo, hi);
        return;
    }
    PREP_ERROR(p, PP2, l, start, l->at, "#include needs a file name in quotes");
    diag_hint(p->diag, "write #include \"name.fa\"");
    pass_line(p, l);
}

/* ---- libraries ---- */

/* Passes the word if it stands here. */
static bool
take_word(struct level *l, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(l);
    const char *s = l->t.data + l->at;
    size_t left = l->t.size - l->at;
    if (left < n || memcmp(s, word, n)) return false;
    if (left > n && !strchr(" \t\"\r\n", s[n])) return false;
    l->at += (uint32_t)n;
    return true;
}

static void
refuse_link(struct prep_state *p, struct level *l, uint32_t start)
{
    PREP_ERROR(p, PP2, l, start, l->at, "#link needs the name of a library in quotes");
    diag_hint(p->diag, "write #link \"openblas\", #link \"mine\" in \"folder\" or "
                       "#link pkg-config \"hdf5\"");
    pass_line(p, l);
}

static void
on_link(struct prep_state *p, struct level *l, uint32_t start)
{
    struct foreign_link new = {.package = take_word(l, "pkg-config")};
    uint32_t lo, hi, dir_lo, dir_hi;
    if (!(new.name = read_quoted(p, l, &lo, &hi))) {
        refuse_link(p, l, start);
        return;
    }
    if (!new.package && take_word(l, "in")) {
        const char *dir = read_quoted(p, l, &dir_lo, &dir_hi);
        if (!dir) {
            refuse_link(p, l, start);
            return;
        }
        new.dir = prep_beside(p, l, dir);
    }
    if (!foreign_is_library(new.name)) {
        PREP_ERROR(p, PP2, l, lo, hi, "'%s' is no name of a %s", new.name,
                   new.package ? "package" : "library");
        if (!new.package)
            diag_hint(p->diag, "the file libNAME.so or libNAME.a has the NAME; flags of a linker "
                               "have no place here, but in LDFLAGS");
        return;
    }
    struct ptext_spot at = prep_spot(l, lo);
    source_origin_place(p->source, at.origin, at.offset, hi - lo, 0, &new.place, NULL);
    vec_need(p->arena, p->out->links, p->out->nlinks, p->links_room);
    p->out->links[p->out->nlinks++] = new;
}

/* ---- all directives ---- */

static const struct directive {
    const char *word;
    void (*run)(struct prep_state *p, struct level *l, uint32_t start);
    bool nests; /* is read in a skipped branch too */
} directives[] = {
    {"#define", on_define, false}, {"#undef", on_undef, false},  {"#include", on_include, false},
    {"#link", on_link, false},
    {"#ifdef", on_ifdef, true},    {"#ifndef", on_ifndef, true}, {"#else", on_else, true},
    {"#endif", on_endif, true},    {"#if", on_if, true},         {"#elif", on_elif, true},
    {"#elifdef", on_elif, true},
};
enum { NDIRECTIVES = sizeof directives / sizeof *directives, NOURS = 8 };

/* From elsewhere: these would own the rest of their line. */
static const char *const foreign_directives[] = {"#line", "#error", "#warning", "#pragma"};

/* The directive that was meant, perhaps. */
static const struct directive *
directive_near(const char *word)
{
    struct near near = {.word = word};
    for (int i = 0; i < NOURS; i++) near_try(&near, directives[i].word);
    for (int i = 0; i < NOURS; i++)
        if (near.best == directives[i].word) return &directives[i];
    return NULL;
}

/* Says what may help, and goes on so that the rest of the program makes sense. */
static void
explain_unknown(struct prep_state *p, struct level *l, uint32_t start, const char *word)
{
    for (size_t i = 0; i < sizeof foreign_directives / sizeof *foreign_directives; i++) {
        if (strcmp(word, foreign_directives[i])) continue;
        read_body(p, l);
        return;
    }
    const struct macro *m = macros_find(&p->macros, word + 1, strlen(word + 1));
    const struct directive *near = directive_near(word);
    if (!strcmp(word, "#def") || !strcmp(word, "#const")) {
        diag_hint(p->diag, "the old '%s NAME text' is written '#define NAME text' now", word);
        on_define(p, l, start);
    } else if (m && m->defined) {
        diag_hint(p->diag, "a macro is used as $%s", m->name);
        l->at = start;
        prep_take_use(p, l);
    } else if (near) {
        diag_hint(p->diag, "did you mean '%s'?", near->word);
        near->run(p, l, start);
    } else {
        diag_hint(p->diag, "old #word comment syntax? It is written `%s now", word + 1);
    }
}

void
prep_take_directive(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, end = text_name_end(l->t.data, l->t.size, start + 1);
    l->at = end;
    const char *word = arena_strndup(p->arena, l->t.data + start, end - start);
    for (int i = 0; i < NDIRECTIVES; i++) {
        const struct directive *d = &directives[i];
        if (strcmp(word, d->word)) continue;
        if (l->macro)
            PREP_ERROR(p, PP1, l, start, end, "a macro cannot expand to a directive");
        else if (!p->skips || d->nests)
            d->run(p, l, start);
        prep_put_lines(p, l, start, l->at);
        return;
    }
    if (p->skips) return;
    PREP_ERROR(p, PP1, l, start, end, "unknown directive '%s'", word);
    if (!l->macro) explain_unknown(p, l, start, word);
    prep_put_lines(p, l, start, l->at);
}
