/* prep.c - a stack of texts is read from the top: files, and above them the macros in use.
 *
 *     level 0   heat.fa     ... for i = 1..$LAST |        each level goes on where it was
 *     level 1   body of LAST            $N-1     |        when the one above has ended
 *     level 2   body of N                  8
 *
 * What is no word of the preprocessor goes to the plain text in long runs. Comments, directives and
 * the end of conditionals are a matter of files; bodies and arguments were cleaned when they were
 * taken. */
#include "lang/prep.h"

#include "lang/prep_macro.h"
#include "lang/prep_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEVELS_MAX = PREP_INCLUDES_MAX + 1 + PREP_MACROS_MAX,
    PARAMS_MAX = 255,
    INCLUDED_BYTES_MAX = 64 << 20, /* a file may be included often */
    USE_COST = 64,                 /* an empty text costs time too */
};

/* An #ifdef or #ifndef that is still open. */
struct cond {
    struct cond *outer;
    const char *word;
    struct ptext_spot at, else_at; /* else_at.origin < 0: no #else yet */
    bool outer_skips, taken;
};

struct level {
    struct ptext t;
    uint32_t at;
    int origin;          /* of its bytes of PTEXT_OWN */
    int file;            /* its number, of a file */
    struct macro *macro; /* NULL: a file */
    struct cond *conds;  /* of a file, innermost first */
    /* The first string that runs over a line's end: where a missing quote was forgotten, perhaps. */
    uint32_t long_string; /* its offset + 1 */
};

struct prep_state {
    struct arena *arena;
    struct source *source;
    struct diag *diag;
    const struct prep_options *options;
    struct prep *out;
    int blocks_room;
    struct macros macros;
    struct level levels[LEVELS_MAX];
    int nlevels, nfiles; /* on the stack */
    bool skips;          /* in a branch not taken */
    size_t expanded, included;
    bool expanded_enough, included_enough;
    struct ptext_build args; /* of the use being read */
    struct macro_arg *arg;
    int args_room;
};

static struct level *
top(struct prep_state *p)
{
    return &p->levels[p->nlevels - 1];
}

static struct ptext_spot
spot_at(const struct level *l, uint32_t at)
{
    struct ptext_spot spot = ptext_spot(&l->t, at);
    if (spot.origin == PTEXT_OWN) spot.origin = l->origin;
    return spot;
}

/* ERROR(p, PP2, level, lo, hi, "...", ...) reports bytes of a level. */
#define ERROR(p, code, l, lo, hi, ...)                                                             \
    do {                                                                                           \
        struct ptext_spot spot_ = spot_at((l), (lo));                                              \
        diag_origin((p)->diag, SEV_ERROR, D_##code, spot_.origin, spot_.offset, (hi) - (lo),       \
                    __VA_ARGS__);                                                                  \
    } while (0)

/* ---- to the plain text ---- */

/* Bytes lo..hi-1 are left out, but for their newlines. */
static void
put_lines(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    if (l->macro) return;
    const char *s = l->t.data, *newline;
    while (lo < hi && (newline = memchr(s + lo, '\n', hi - lo))) {
        lo = newline - s;
        source_add_text(p->source, l->origin, lo, 0, "\n", 1);
        lo++;
    }
}

/* Adds a part that lies in one piece, a CR before LF left out. */
static void
put_bytes(struct prep_state *p, const char *s, uint32_t size, struct ptext_spot spot)
{
    const char *cr;
    while (size > 1 && (cr = memmem(s, size, "\r\n", 2))) {
        uint32_t n = cr - s;
        source_add_text(p->source, spot.origin, spot.offset, 0, s, n);
        s += n + 1;
        size -= n + 1;
        spot.offset += n + 1;
    }
    source_add_text(p->source, spot.origin, spot.offset, 0, s, size);
}

static void
put(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    if (p->skips) {
        put_lines(p, l, lo, hi);
        return;
    }
    for (uint32_t i = lo < hi ? ptext_piece_at(&l->t, lo) : 0; lo < hi; i++) {
        uint32_t stop = i + 1 < l->t.npieces ? l->t.pieces[i + 1].lo : l->t.size;
        if (stop > hi) stop = hi;
        put_bytes(p, l->t.data + lo, stop - lo, spot_at(l, lo));
        lo = stop;
    }
}

/* ---- comments, strings, blocks: each ends at a known place or is reported as open ---- */

static void
skip_comment(struct prep_state *p, struct level *l)
{
    uint32_t end = text_comment_end(l->t.data, l->t.size, l->at);
    if (end == TEXT_OPEN) {
        ERROR(p, PP7, l, l->at, l->at + 2, "comment is not closed");
        diag_hint(p->diag, "close it with */");
        end = l->t.size;
    }
    l->at = end;
}

static void
skip_string(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, end = text_string_end(l->t.data, l->t.size, start, false);
    if (end == TEXT_OPEN) {
        ERROR(p, PP7, l, start, start + 1, "string is not closed");
        if (l->long_string) {
            struct ptext_spot first = spot_at(l, l->long_string - 1);
            diag_note_origin(p->diag, first.origin, first.offset, 1,
                             "this is the first string that runs over the end of its line");
        }
        end = l->t.size;
    }
    if (!l->long_string && memchr(l->t.data + start, '\n', end - start)) l->long_string = start + 1;
    l->at = end;
}

/* Reports what is wrong with a block; false if nothing of it can be used. */
static bool
check_block(struct prep_state *p, struct level *l, const struct text_block *b)
{
    if (!b->stop_size) {
        ERROR(p, PP2, l, l->at, l->at + 2, "'${' must begin a foreign block");
        diag_hint(p->diag, "write ${{ ... $}} or ${<END} ... END; a macro is used as $NAME");
        return false;
    }
    if (b->end == TEXT_OPEN) {
        ERROR(p, PP7, l, l->at, b->lo, "foreign block is not closed");
        diag_hint(p->diag, "it ends with the first '%.*s'", b->stop_size > 40 ? 40 : (int)b->stop_size,
                  b->stop);
        return false;
    }
    return true;
}

/* Passes the block at the current place; false when it was reported. */
static bool
skip_block(struct prep_state *p, struct level *l, struct text_block *b)
{
    *b = text_block(l->t.data, l->t.size, l->at);
    bool good = check_block(p, l, b);
    l->at = good ? b->end : b->stop_size ? l->t.size : l->at + 2;
    return good;
}

static const char *
block_text(struct prep_state *p, const struct level *l, const struct text_block *b, size_t *size)
{
    *size = b->hi - b->lo;
    if (!b->braces) return arena_strndup(p->arena, l->t.data + b->lo, *size);
    char *text = arena_alloc(p->arena, *size + 3);
    text[0] = '{';
    memcpy(text + 1, l->t.data + b->lo, *size);
    text[*size + 1] = '}';
    *size += 2;
    return text;
}

static void
take_block(struct prep_state *p, struct level *l)
{
    struct text_block b;
    uint32_t start = l->at;
    if (!skip_block(p, l, &b) || p->skips) {
        put_lines(p, l, start, l->at);
        return;
    }
    struct prep *out = p->out;
    if (out->nblocks == p->blocks_room) {
        int room = p->blocks_room ? p->blocks_room * 2 : 16;
        out->blocks = arena_grow(p->arena, out->blocks, sizeof *out->blocks * out->nblocks,
                                 sizeof *out->blocks * room);
        p->blocks_room = room;
    }
    struct foreign *f = &out->blocks[out->nblocks];
    f->text = block_text(p, l, &b, &f->size);
    struct ptext_spot first = spot_at(l, b.lo - b.braces), whole = spot_at(l, start);
    source_origin_place(p->source, first.origin, first.offset, 1, 0, &f->place, NULL);
    const char *token = arena_printf(p->arena, "${%d}", out->nblocks++);
    source_add_text(p->source, whole.origin, whole.offset, l->at - start, token, strlen(token));
    put_lines(p, l, start, l->at);
}

/* ---- macros in use ---- */

static struct level *
push(struct prep_state *p, struct ptext t, int origin, struct macro *macro)
{
    struct level *l = &p->levels[p->nlevels++];
    *l = (struct level){.t = t, .origin = origin, .macro = macro};
    p->nfiles += !macro;
    return l;
}

/* All macros in use are given up; the file below goes on. */
static void
unwind_endless(struct prep_state *p, const struct macro *m, uint32_t lo, uint32_t hi)
{
    ERROR(p, PP6, top(p), lo, hi, "macro '%s' expands without end", m->name);
    while (top(p)->macro) {
        top(p)->macro->endless = true;
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
    skip_string(p, l);
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

static void
arg_begin(struct prep_state *p, int n)
{
    if (n == p->args_room) {
        int room = n ? n * 2 : 8;
        p->arg = arena_grow(p->arena, p->arg, sizeof *p->arg * n, sizeof *p->arg * room);
        p->args_room = room;
    }
    p->arg[n].lo = p->args.t.size;
}

static void
arg_end(struct prep_state *p, int n)
{
    struct macro_arg *a = &p->arg[n];
    const char *s = p->args.t.data;
    a->hi = p->args.t.size;
    while (a->lo < a->hi && text_is_blank(s[a->lo])) a->lo++;
    while (a->hi > a->lo && text_is_blank(s[a->hi - 1])) a->hi--;
}

/* Reads what is no comma or parenthesis of the list itself; false at a plain character. */
static bool
arg_word(struct prep_state *p, struct level *l, int *depth)
{
    const char *s = l->t.data;
    uint32_t start = l->at, next = start + 1;
    struct text_block b;
    if (!l->macro && text_is_comment(s, l->t.size, start)) {
        skip_comment(p, l);
        if (s[start] == '/') ptext_add(&p->args, " ", 1, spot_at(l, start));
    } else if (s[start] == '"') {
        arg_add_string(p, l);
    } else if (s[start] == '$' && next < l->t.size && s[next] == '{') {
        if (skip_block(p, l, &b)) arg_add(p, l, start, l->at);
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
        struct level *l = top(p);
        if (l->at == l->t.size) {
            if (!l->macro) return -1;
            p->nlevels--;
            continue;
        }
        if (arg_word(p, l, &depth)) continue;
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

/* ---- macros ---- */

static void
note_definition(struct prep_state *p, const struct macro *m)
{
    diag_note_origin(p->diag, m->where.origin, m->where.offset, m->name_size,
                     "'%s' is defined here", m->name);
}

/* Once for each name, at its first use. */
static void
report_undefined(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi, uint32_t name)
{
    struct macro *m = macros_get(&p->macros, l->t.data + name, hi - name);
    if (m->reported) return;
    m->reported = true;
    ERROR(p, PP3, l, lo, hi, "macro '%s' is not defined", m->name);
    const char *near = macros_nearest(&p->macros, m->name);
    if (near)
        diag_hint(p->diag, "did you mean '%s'?", near);
    else
        diag_hint(p->diag, "a macro is defined above its first use, or by -D %s=...", m->name);
}

static int
use_origin(struct prep_state *p, const struct macro *m, struct ptext_spot at, uint32_t size)
{
    return source_add_origin(p->source, (struct origin){.file = m->file, .use = at.origin,
                                                        .use_offset = at.offset, .use_size = size,
                                                        .macro = m->name});
}

static void
report_arguments(struct prep_state *p, const struct macro *m, struct ptext_spot at, uint32_t size,
                 int given)
{
    diag_origin(p->diag, SEV_ERROR, D_PP5, at.origin, at.offset, size,
                "macro '%s' takes %d argument%s, %d given", m->name, m->nparams,
                m->nparams == 1 ? "" : "s", given);
    note_definition(p, m);
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
    size_t cost = USE_COST + t.size + (args ? args->text->size : 0);
    size_t left = PREP_EXPAND_BYTES_MAX - p->expanded;
    bool fits = cost <= left;
    if (fits && args) {
        fits = macro_substitute(&p->macros, m, args, left - cost, &b);
        cost += b.t.size;
        t = b.t;
    }
    if (!fits) {
        diag_origin(p->diag, SEV_ERROR, D_PP6, at.origin, at.offset, size,
                    "macros expand to more than %d MiB of text", PREP_EXPAND_BYTES_MAX >> 20);
        p->expanded_enough = true;
        return;
    }
    p->expanded += cost;
    push(p, t, use_origin(p, m, at, size), m);
}

/* The name of `m` was read; false if no arguments follow. */
static bool
expand_with_args(struct prep_state *p, struct macro *m, struct level *l, uint32_t start)
{
    struct ptext_spot at = spot_at(l, start);
    uint32_t size = l->at - start;
    if (!find_args(p)) return false;
    struct macro_args args = {.text = &p->args.t, .n = read_args(p)};
    args.arg = p->arg;
    if (args.n < 0) {
        diag_origin(p->diag, SEV_ERROR, D_PP7, at.origin, at.offset, size,
                    "the arguments of macro '%s' are not closed", m->name);
        return true;
    }
    if (top(p) == l) {
        struct ptext_spot last = spot_at(l, l->at - 1);
        if (last.origin == at.origin && last.offset > at.offset) size = last.offset + 1 - at.offset;
    }
    if (!m->nparams && args.n == 1 && args.arg[0].lo == args.arg[0].hi) args.n = 0;
    if (args.n != m->nparams) report_arguments(p, m, at, size, args.n);
    expand(p, m, at, size, &args);
    return true;
}

static void
take_use(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, name = start + 1, end = text_name_end(l->t.data, l->t.size, name);
    l->at = end;
    if (p->skips) return;
    struct macro *m = macros_find(&p->macros, l->t.data + name, end - name);
    if (!m || !m->defined) {
        report_undefined(p, l, start, end, name);
    } else if (p->nlevels - p->nfiles == PREP_MACROS_MAX) {
        unwind_endless(p, m, start, end);
        return;
    } else {
        m->used = true;
        bool usable = !m->endless && !p->expanded_enough;
        if (usable && m->nparams < 0) {
            expand(p, m, spot_at(l, start), end - start, NULL);
            return;
        }
        if (usable && expand_with_args(p, m, l, start)) return;
        if (usable) {
            ERROR(p, PP5, l, start, end, "macro '%s' is used without its arguments", m->name);
            note_definition(p, m);
        }
    }
    put(p, l, name, end);
}

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
        skip_comment(p, l);
        if (s[start] == '/') ptext_add(b, " ", 1, (struct ptext_spot){PTEXT_OWN, start});
        return;
    }
    if (s[start] == '"') {
        l->at = text_string_end(s, size, start, true);
        if (l->at == TEXT_OPEN) {
            ERROR(p, PP7, l, start, start + 1, "string is not closed on its line");
            const char *newline = memchr(s + start, '\n', size - start);
            l->at = newline ? (uint32_t)(newline - s) : size;
        }
    } else if (s[start] == '$' && start + 1 < size && s[start + 1] == '{') {
        if (!skip_block(p, l, &block)) return;
    } else if (s[start] == '\\' && start + 1 < size) {
        /* A protected newline goes on as a plain one; all else is left to the macro's use. */
        kept += text_is_blank(s[start + 1]);
        l->at = kept > start && s[kept] == '\r' && kept + 1 < size && s[kept + 1] == '\n' ? kept + 2
                                                                                     : start + 2;
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
#define MALFORMED(p, l, start, ...)                                                                \
    do {                                                                                           \
        ERROR((p), PP2, (l), (start), (l)->at, __VA_ARGS__);                                       \
        read_body((p), (l));                                                                       \
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
    new.where = spot_at(l, name);
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
    new.body = read_body(p, l);
    if (m->defined) {
        ERROR(p, PP4, l, name, name + size, "macro '%s' is defined twice", m->name);
        note_definition(p, m);
        diag_hint(p->diag, "#undef %s comes first, or #ifndef %s around this one", m->name, m->name);
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
    if (m && m->defined)
        m->defined = false;
    else
        report_undefined(p, l, l->at - size, l->at, l->at - size);
}

/* #ifdef and #ifndef. In a branch that is skipped they only nest. */
static void
cond_begin(struct prep_state *p, struct level *l, uint32_t start, bool if_defined)
{
    struct cond *c = arena_new_of(p->arena, struct cond);
    *c = (struct cond){.outer = l->conds, .at = spot_at(l, start), .else_at.origin = -1,
                       .word = if_defined ? "#ifdef" : "#ifndef", .outer_skips = p->skips};
    l->conds = c;
    if (p->skips) return;
    uint32_t size = read_name(p, l, start);
    if (size) {
        struct macro *m = macros_get(&p->macros, l->t.data + l->at - size, size);
        m->asked = true;
        c->taken = m->defined == if_defined;
        skip_spaces(l);
        bool ends = at_line_end(l) || text_is_comment(l->t.data, l->t.size, l->at);
        if (!ends) MALFORMED(p, l, start, "more than a name behind %s", c->word);
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

static void
on_else(struct prep_state *p, struct level *l, uint32_t start)
{
    struct cond *c = l->conds;
    if (!c) {
        ERROR(p, PP2, l, start, l->at, "#else without #ifdef or #ifndef");
    } else if (c->else_at.origin >= 0) {
        ERROR(p, PP2, l, start, l->at, "a second #else");
        diag_note_origin(p->diag, c->else_at.origin, c->else_at.offset, 5, "the first is here");
    } else {
        c->else_at = spot_at(l, start);
        p->skips = c->outer_skips || c->taken;
    }
}

static void
on_endif(struct prep_state *p, struct level *l, uint32_t start)
{
    if (!l->conds) {
        ERROR(p, PP2, l, start, l->at, "#endif without #ifdef or #ifndef");
        return;
    }
    p->skips = l->conds->outer_skips;
    l->conds = l->conds->outer;
}

/* ---- files ---- */

static ssize_t
read_all(int fd, char *text, size_t room)
{
    size_t size = 0;
    while (size < room) {
        ssize_t n = read(fd, text + size, room - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        size += n;
    }
    return size;
}

/* Reads at most one byte more than we accept. No memory is asked for while the file is open: that may
 * jump away. */
static const char *
read_disk(void *who, struct arena *a, const char *path, size_t *size)
{
    (void)who;
    struct stat st;
    if (stat(path, &st)) return NULL;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    size_t room = PREP_FILE_BYTES_MAX + 1;
    if (S_ISREG(st.st_mode) && (size_t)st.st_size < room) room = st.st_size;
    char *text = arena_alloc(a, room + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    ssize_t n = read_all(fd, text, room);
    int failure = errno;
    close(fd);
    errno = failure;
    *size = n < 0 ? 0 : n;
    return n < 0 ? NULL : text;
}

/* The file of that name: its number, or -1 with the reason in errno (EFBIG: too large). */
static int
find_file(struct prep_state *p, const char *path)
{
    const struct source *s = p->source;
    for (int i = 0; i < source_file_count(s); i++)
        if (source_file_on_disk(s, i) && !strcmp(source_file_name(s, i), path)) return i;
    size_t size = 0;
    errno = ENOENT;
    const char *text = p->options->read ? p->options->read(p->options->read_who, p->arena, path, &size)
                                        : read_disk(NULL, p->arena, path, &size);
    if (!text) return -1;
    if (size > PREP_FILE_BYTES_MAX) {
        errno = EFBIG;
        return -1;
    }
    return source_add_file(p->source, path, text, size, true);
}

/* A zero byte is never part of a program; the passes behind us see blanks. */
static const char *
without_zeros(struct prep_state *p, int origin, const char *text, size_t size)
{
    const char *zero = memchr(text, 0, size);
    if (!zero) return text;
    diag_origin(p->diag, SEV_ERROR, D_PP10, origin, zero - text, 1,
                "zero byte: this is no text file");
    char *copy = arena_strndup(p->arena, text, size);
    for (size_t i = zero - text; i < size; i++)
        if (!copy[i]) copy[i] = ' ';
    return copy;
}

/* Goes on in a file. A mark of the byte order at its start is no text. */
static void
push_file(struct prep_state *p, int file, struct origin o)
{
    struct ptext_piece *all = arena_new_of(p->arena, struct ptext_piece);
    *all = (struct ptext_piece){0, {PTEXT_OWN, 0}};
    o.file = file;
    int origin = source_add_origin(p->source, o);
    size_t size;
    const char *text = source_file_text(p->source, file, &size);
    text = without_zeros(p, origin, text, size);
    struct level *l = push(p, (struct ptext){text, size, all, 1}, origin, NULL);
    l->file = file;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) l->at = 3;
}

/* The path between quotes, its place in lo..hi-1; NULL after a report. */
static char *
read_path(struct prep_state *p, struct level *l, uint32_t start, uint32_t *lo, uint32_t *hi)
{
    skip_spaces(l);
    const char *s = l->t.data;
    uint32_t end = l->at + 1, size = l->t.size;
    bool quoted = l->at < size && s[l->at] == '"';
    while (quoted && end < size && s[end] != '"' && s[end] != '\n') end++;
    if (!quoted || end >= size || s[end] != '"' || end == l->at + 1) {
        MALFORMED(p, l, start, "#include needs a file name in quotes");
        diag_hint(p->diag, "write #include \"name.fa\"");
        return NULL;
    }
    *lo = l->at;
    *hi = l->at = end + 1;
    return arena_strndup(p->arena, s + *lo + 1, *hi - *lo - 2);
}

/* From the working directory, as the original does; else beside the file with the #include. */
static int
find_include(struct prep_state *p, const struct level *l, const char *path, const char **beside)
{
    *beside = NULL;
    int file = find_file(p, path);
    if (file >= 0 || errno != ENOENT || path[0] == '/') return file;
    const char *from = source_file_name(p->source, l->file), *slash = strrchr(from, '/');
    if (!slash) return -1;
    *beside = arena_printf(p->arena, "%.*s/%s", (int)(slash - from), from, path);
    return find_file(p, *beside);
}

static void
report_include(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi, const char *path,
               const char *beside)
{
    int why = errno;
    if (why == EFBIG)
        ERROR(p, PP8, l, lo, hi, "'%s' is larger than %d MiB", path, PREP_FILE_BYTES_MAX >> 20);
    else if (why != ENOENT)
        ERROR(p, PP8, l, lo, hi, "cannot read '%s': %s", path, strerror(why));
    else
        ERROR(p, PP8, l, lo, hi, "include target not found: '%s'", path);
    if (beside && why == ENOENT)
        diag_hint(p->diag, "looked in the working directory and for '%s'", beside);
}

/* False after a report: files include each other without end, or so often that it comes to the same. */
static bool
may_include(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    if (p->included_enough) return false;
    if (p->nfiles > PREP_INCLUDES_MAX)
        ERROR(p, PP9, l, lo, hi, "more than %d files include each other", PREP_INCLUDES_MAX);
    else if (p->included > INCLUDED_BYTES_MAX)
        ERROR(p, PP9, l, lo, hi, "more than %d MiB are included", INCLUDED_BYTES_MAX >> 20);
    else
        return true;
    p->included_enough = true;
    return false;
}

static void
on_include(struct prep_state *p, struct level *l, uint32_t start)
{
    uint32_t lo, hi;
    const char *beside, *path = read_path(p, l, start, &lo, &hi);
    if (!path || !may_include(p, l, lo, hi)) return;
    int file = find_include(p, l, path, &beside);
    if (file < 0) {
        report_include(p, l, lo, hi, path, beside);
        return;
    }
    size_t size;
    source_file_text(p->source, file, &size);
    p->included += size + USE_COST;
    push_file(p, file, (struct origin){.use = l->origin, .use_offset = start, .use_size = hi - start});
}

/* ---- all directives ---- */

static const struct directive {
    const char *word;
    void (*run)(struct prep_state *p, struct level *l, uint32_t start);
    bool nests; /* is read in a skipped branch too */
} directives[] = {
    {"#define", on_define, false}, {"#undef", on_undef, false}, {"#include", on_include, false},
    {"#ifdef", on_ifdef, true},    {"#ifndef", on_ifndef, true}, {"#else", on_else, true},
    {"#endif", on_endif, true},
};
enum { NDIRECTIVES = sizeof directives / sizeof *directives };

/* What people may expect from elsewhere; the rest of the line belongs to these. */
static const char *const foreign_directives[][2] = {
    {"#if", "there are #ifdef and #ifndef only"},
    {"#elif", "there are #ifdef, #ifndef, #else and #endif only"},
    {"#elifdef", "there are #ifdef, #ifndef, #else and #endif only"},
    {"#const", "the old '#const NAME text' is written '#define NAME text' now"},
    {"#def", "the old '#def NAME text' is written '#define NAME text' now"},
    {"#line", NULL},
    {"#error", NULL},
    {"#warning", NULL},
    {"#pragma", NULL},
};

static void
hint_unknown(struct prep_state *p, struct level *l, const char *word)
{
    for (size_t i = 0; i < sizeof foreign_directives / sizeof *foreign_directives; i++) {
        if (strcmp(word, foreign_directives[i][0])) continue;
        if (foreign_directives[i][1]) diag_hint(p->diag, "%s", foreign_directives[i][1]);
        read_body(p, l);
        return;
    }
    const struct macro *m = macros_find(&p->macros, word + 1, strlen(word + 1));
    struct diag_nearest near = {.word = word};
    for (int i = 0; i < NDIRECTIVES; i++) diag_nearest_try(&near, directives[i].word);
    if (m && m->defined) {
        diag_hint(p->diag, "a macro is used as $%s", m->name);
    } else if (near.best) {
        diag_hint(p->diag, "did you mean '%s'?", near.best);
        read_body(p, l);
    } else {
        diag_hint(p->diag, "old #word comment syntax? It is written `%s now", word + 1);
    }
}

static void
take_directive(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, end = text_name_end(l->t.data, l->t.size, start + 1);
    l->at = end;
    const char *word = arena_strndup(p->arena, l->t.data + start, end - start);
    for (int i = 0; i < NDIRECTIVES; i++) {
        const struct directive *d = &directives[i];
        if (strcmp(word, d->word)) continue;
        if (l->macro)
            ERROR(p, PP1, l, start, end, "a macro cannot expand to a directive");
        else if (!p->skips || d->nests)
            d->run(p, l, start);
        put_lines(p, l, start, l->at);
        return;
    }
    if (p->skips) return;
    ERROR(p, PP1, l, start, end, "unknown directive '%s'", word);
    if (!l->macro) hint_unknown(p, l, word);
    put_lines(p, l, start, l->at);
}

/* ---- the walk ---- */

static void
take_comment(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at;
    bool block = l->t.data[start] == '/' && l->t.data[start + 1] == '*';
    skip_comment(p, l);
    if (block && !p->skips) /* it parts words, as a blank does */
        source_add_text(p->source, l->origin, start, l->at - start, " ", 1);
    put_lines(p, l, start, l->at);
}

static void
take_dollar(struct prep_state *p, struct level *l)
{
    const char *s = l->t.data + l->at;
    uint32_t left = l->t.size - l->at;
    if (left > 1 && text_is_name_start(s[1])) {
        take_use(p, l);
    } else if (left > 1 && s[1] == '{') {
        take_block(p, l);
    } else {
        bool closes = left > 2 && s[1] == '}' && s[2] == '}';
        if (!p->skips)
            ERROR(p, PP10, l, l->at, l->at + (closes ? 3 : 1),
                  closes ? "'$}}' closes no block" : "'$' must stand before a macro's name");
        l->at += closes ? 3 : 1;
    }
}

/* At one of / ` " $ # : a word of ours, or a plain character. */
static void
take_special(struct prep_state *p, struct level *l)
{
    const char *s = l->t.data;
    uint32_t start = l->at;
    char next = start + 1 < l->t.size ? s[start + 1] : 0;
    if (s[start] == '"') {
        skip_string(p, l);
        put(p, l, start, l->at);
    } else if (s[start] == '$') {
        take_dollar(p, l);
    } else if (s[start] == '#' && text_is_name_start(next) && next != '_') {
        take_directive(p, l);
    } else if (s[start] != '#' && !l->macro && text_is_comment(s, l->t.size, start)) {
        take_comment(p, l);
    } else {
        l->at++;
        put(p, l, start, l->at);
    }
}

static void
pop(struct prep_state *p)
{
    struct level *l = top(p);
    if (!l->macro) {
        for (const struct cond *c = l->conds; c; c = c->outer) {
            diag_origin(p->diag, SEV_ERROR, D_PP7, c->at.origin, c->at.offset, strlen(c->word),
                        "%s is not closed by #endif", c->word);
            if (c->else_at.origin >= 0)
                diag_note_origin(p->diag, c->else_at.origin, c->else_at.offset, 5,
                                 "this is its #else");
            p->skips = c->outer_skips;
        }
        p->nfiles--;
    }
    p->nlevels--;
}

static void
walk(struct prep_state *p)
{
    static const bool special[256] = {['/'] = 1, ['`'] = 1, ['"'] = 1, ['$'] = 1, ['#'] = 1};
    while (p->nlevels) {
        struct level *l = top(p);
        const unsigned char *s = (const unsigned char *)l->t.data;
        uint32_t start = l->at, at = start;
        while (at < l->t.size && !special[s[at]]) at++;
        l->at = at;
        put(p, l, start, at);
        if (at == l->t.size)
            pop(p);
        else
            take_special(p, l);
    }
}

/* ---- before and after ---- */

/* -D KEY=text. They are lines of a text of their own, so that faults in them have a place. */
static void
define_options(struct prep_state *p)
{
    const struct prep_options *o = p->options;
    struct ptext_build lines = {.arena = p->arena};
    for (int i = 0; i < o->ndefines; i++) {
        const char *line = arena_printf(p->arena, "-D %s\n", o->defines[i]);
        ptext_add(&lines, line, strlen(line), (struct ptext_spot){PTEXT_OWN, lines.t.size});
    }
    int file = source_add_file(p->source, "<command line>", lines.data, lines.t.size, false);
    int origin = source_add_origin(p->source, (struct origin){.file = file, .use = -1});
    uint32_t at = 0;
    for (int i = 0; i < o->ndefines; i++) {
        uint32_t name = at + strlen("-D "), end = name + strlen(o->defines[i]), body = end;
        uint32_t stop = text_name_end(lines.data, end, name);
        at = end + 1;
        if (stop == name || !text_is_name_start(lines.data[name]) ||
            (stop < end && lines.data[stop] != '=')) {
            diag_origin(p->diag, SEV_ERROR, D_PP2, origin, name, end - name,
                        "-D needs NAME or NAME=text");
            continue;
        }
        if (stop < end) body = stop + 1;
        struct macro *m = macros_get(&p->macros, lines.data + name, stop - name);
        struct ptext_build b = {.arena = p->arena};
        ptext_add(&b, lines.data + body, end - body, (struct ptext_spot){PTEXT_OWN, body});
        m->defined = true;
        m->nparams = -1;
        m->body = b.t;
        m->file = file;
        m->where = (struct ptext_spot){origin, name};
    }
}

/* Of the program's own macros; those of the command line and of includes may serve many programs. */
static void
warn_unused(struct prep_state *p)
{
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age)
        if (m->defined && !m->used && !m->asked && m->where.origin == 0)
            diag_origin(p->diag, SEV_WARNING, D_SYN5_1, 0, m->where.offset, m->name_size,
                        "macro '%s' is not used", m->name);
}

static void
report_main_file(struct diag *d, const char *file)
{
    struct place place = {.file = file};
    if (errno == EFBIG)
        diag_at(d, SEV_ERROR, D_PP8, &place, "larger than %d MiB", PREP_FILE_BYTES_MAX >> 20);
    else
        diag_at(d, SEV_ERROR, D_PP8, &place, "cannot be read: %s", strerror(errno));
}

bool
prep_run(struct arena *a, struct source *s, struct diag *d, const char *file,
         const struct prep_options *o, struct prep *out)
{
    static const struct prep_options none;
    struct prep_state *p = arena_new_of(a, struct prep_state);
    *out = (struct prep){0};
    p->arena = p->args.arena = a;
    p->source = s;
    p->diag = d;
    p->options = o ? o : &none;
    p->out = out;
    macros_init(&p->macros, a);
    int number = find_file(p, file);
    if (number < 0) {
        report_main_file(d, arena_strdup(a, file));
        return false;
    }
    push_file(p, number, (struct origin){.use = -1});
    if (p->options->ndefines) define_options(p);
    struct level *l = top(p);
    if (l->t.size - l->at >= 3 && !memcmp(l->t.data + l->at, "#!/", 3)) {
        const char *newline = memchr(l->t.data, '\n', l->t.size);
        l->at = newline ? (uint32_t)(newline - l->t.data) : l->t.size;
    }
    walk(p);
    warn_unused(p);
    return true;
}

void
prep_dump(const struct source *s, const struct prep *p, struct buf *out)
{
    size_t size;
    const char *text = source_text(s, &size);
    buf_add(out, text, size);
    if (size && text[size - 1] != '\n') buf_char(out, '\n');
    for (int i = 0; i < p->nblocks; i++) {
        const struct foreign *f = &p->blocks[i];
        buf_printf(out, "---- ${%d}, %s:%u:%u\n", i, f->place.file, f->place.line, f->place.col);
        buf_add(out, f->text, f->size);
        if (!f->size || f->text[f->size - 1] != '\n') buf_char(out, '\n');
    }
}
