/* prep.c - walks the stack of texts: what is no word of the
 * preprocessor goes to the plain text, in long runs. */
#include "lang/prep/prep_state.h"

#include "runtime/base/vec.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct level *
prep_top(struct prep_state *p)
{
    return &p->levels[p->nlevels - 1];
}

struct ptext_spot
prep_spot(const struct level *l, uint32_t at)
{
    struct ptext_spot spot = ptext_spot(&l->t, at);
    if (spot.origin == PTEXT_OWN) spot.origin = l->origin;
    return spot;
}

/* The caller has looked at the limits: the stack has room for all files and macros there may be. */
struct level *
prep_push(struct prep_state *p, struct ptext t, int origin, struct macro *macro)
{
    assert(p->nlevels < PREP_LEVELS_MAX);
    struct level *l = &p->levels[p->nlevels++];
    *l = (struct level){.t = t, .origin = origin, .macro = macro};
    p->nfiles += !macro;
    return l;
}

/* ---- to the plain text ---- */

/* Bytes lo..hi-1 are left out, but for their newlines: so a line of a dump is a line of the file.
 * Of a macro's body nothing is kept: it stands in a line of another text. */
void
prep_put_lines(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
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
    while ((cr = memchr(s, '\r', size))) {
        uint32_t n = cr - s + 1, left_out = n < size && s[n] == '\n';
        source_add_text(p->source, spot.origin, spot.offset, 0, s, n - left_out);
        s += n;
        size -= n;
        spot.offset += n;
    }
    source_add_text(p->source, spot.origin, spot.offset, 0, s, size);
}

/* In parts that lie in one piece of the text: each has a place of its own in the plain text. */
void
prep_put(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    if (p->skips) {
        prep_put_lines(p, l, lo, hi);
        return;
    }
    for (uint32_t i = lo < hi ? ptext_piece_at(&l->t, lo) : 0; lo < hi; i++) {
        uint32_t stop = i + 1 < l->t.npieces ? l->t.pieces[i + 1].lo : l->t.size;
        if (stop > hi) stop = hi;
        put_bytes(p, l->t.data + lo, stop - lo, prep_spot(l, lo));
        lo = stop;
    }
}

/* ---- comments, strings, blocks: each ends at a known place or is reported as open ---- */

void
prep_skip_comment(struct prep_state *p, struct level *l)
{
    uint32_t end = text_comment_end(l->t.data, l->t.size, l->at);
    if (end == TEXT_OPEN) {
        PREP_ERROR(p, PP7, l, l->at, l->at + 2, "comment is not closed");
        diag_hint(p->diag, "close it with */");
        end = l->t.size;
    }
    l->at = end;
}

void
prep_skip_string(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at, end = text_string_end(l->t.data, l->t.size, start, false);
    if (end == TEXT_OPEN) {
        PREP_ERROR(p, PP7, l, start, start + 1, "string is not closed");
        if (l->long_string) {
            struct ptext_spot first = prep_spot(l, l->long_string - 1);
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
        if (p->skips) return false;
        PREP_ERROR(p, PP2, l, l->at, l->at + 2, "'${' must begin a foreign block");
        diag_hint(p->diag, "write ${{ ... $}} or ${<END} ... END; a macro is used as $NAME");
        return false;
    }
    if (b->end == TEXT_OPEN) {
        PREP_ERROR(p, PP7, l, l->at, b->lo, "foreign block is not closed");
        diag_hint(p->diag, "it ends with the first '%.*s'",
                  b->stop_size > 40 ? 40 : (int)b->stop_size, b->stop);
        return false;
    }
    return true;
}

/* Without its end a block goes on to that of the next one: it ends where that begins. */
static void
end_in_time(struct prep_state *p, struct level *l, struct text_block *b)
{
    uint32_t next = b->braces ? text_next_block(l->t.data, b->lo, b->hi) : TEXT_OPEN;
    if (next == TEXT_OPEN) return;
    struct ptext_spot at = prep_spot(l, next);
    PREP_ERROR(p, PP7, l, l->at, b->lo, "foreign block is not closed");
    diag_note_origin(p->diag, at.origin, at.offset, 1, "here the next one begins");
    diag_hint(p->diag, "it ends with '$}}'");
    b->hi = b->end = next;
}

/* Passes the block at the current place; false when it was reported. */
bool
prep_skip_block(struct prep_state *p, struct level *l, struct text_block *b)
{
    *b = text_block(l->t.data, l->t.size, l->at);
    end_in_time(p, l, b);
    bool good = check_block(p, l, b);
    l->at = good ? b->end : b->stop_size ? l->t.size : l->at + 2;
    return good;
}

/* ${{ ... $}}: the braces belong to the function that is made of it, so they are put back. */
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

/* The plain text gets ${N} with the place of the whole block; the text of the block is kept with
 * the place of its first byte, for #line. */
static void
take_block(struct prep_state *p, struct level *l)
{
    struct text_block b;
    uint32_t start = l->at;
    if (!prep_skip_block(p, l, &b) || p->skips) {
        prep_put_lines(p, l, start, l->at);
        return;
    }
    struct prep *out = p->out;
    vec_need(p->arena, out->blocks, out->nblocks, p->blocks_room);
    struct foreign *f = &out->blocks[out->nblocks];
    f->text = block_text(p, l, &b, &f->size);
    struct ptext_spot first = prep_spot(l, b.lo - b.braces), whole = prep_spot(l, start);
    source_origin_place(p->source, first.origin, first.offset, 1, 0, &f->place, NULL);
    const char *token = arena_printf(p->arena, "${%d}", out->nblocks++);
    source_add_text(p->source, whole.origin, whole.offset, l->at - start, token, strlen(token));
    prep_put_lines(p, l, start, l->at);
}

/* ---- the walk ---- */

static void
take_comment(struct prep_state *p, struct level *l)
{
    uint32_t start = l->at;
    bool block = l->t.data[start] == '/' && l->t.data[start + 1] == '*';
    prep_skip_comment(p, l);
    if (block && !p->skips) /* it parts words, as a blank does */
        source_add_text(p->source, l->origin, start, l->at - start, " ", 1);
    prep_put_lines(p, l, start, l->at);
}

static void
take_dollar(struct prep_state *p, struct level *l)
{
    const char *s = l->t.data + l->at;
    uint32_t left = l->t.size - l->at;
    if (left > 1 && text_is_name_start(s[1])) {
        prep_take_use(p, l);
    } else if (left > 1 && s[1] == '{') {
        take_block(p, l);
    } else {
        bool closes = left > 2 && s[1] == '}' && s[2] == '}';
        if (!p->skips)
            PREP_ERROR(p, PP10, l, l->at, l->at + (closes ? 3 : 1),
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
        prep_skip_string(p, l);
        prep_put(p, l, start, l->at);
    } else if (s[start] == '$') {
        take_dollar(p, l);
    } else if (s[start] == '#' && text_is_name_start(next) && next != '_') {
        prep_take_directive(p, l);
    } else if (s[start] != '#' && !l->macro && text_is_comment(s, l->t.size, start)) {
        take_comment(p, l);
    } else {
        l->at++;
        prep_put(p, l, start, l->at);
    }
}

static void
report_open_cond(struct prep_state *p, const struct cond *c)
{
    diag_origin(p->diag, SEV_ERROR, D_PP7, c->at.origin, c->at.offset, strlen(c->word),
                "%s is not closed by #endif", c->word);
    if (c->else_at.origin >= 0)
        diag_note_origin(p->diag, c->else_at.origin, c->else_at.offset, 5, "this is its #else");
}

/* The top has ended; of a file, conditionals that are still open end with it. */
static void
pop(struct prep_state *p)
{
    struct level *l = prep_top(p);
    p->nlevels--;
    p->nfiles -= !l->macro;
    for (const struct cond *c = l->conds; c; c = c->outer) {
        if (c->word) report_open_cond(p, c);
        p->skips = c->outer_skips;
    }
}

/* Most bytes are none of ours: they are passed in runs up to the next one that might be. Each round
 * looks at the top anew, as a use or an #include pushes a level and an end pops one. */
static void
walk(struct prep_state *p)
{
    static const bool special[256] = {['/'] = 1, ['`'] = 1, ['"'] = 1, ['$'] = 1, ['#'] = 1};
    while (p->nlevels) {
        struct level *l = prep_top(p);
        const unsigned char *s = (const unsigned char *)l->t.data;
        uint32_t start = l->at, at = start;
        while (at < l->t.size && !special[s[at]]) at++;
        l->at = at;
        prep_put(p, l, start, at);
        if (at == l->t.size)
            pop(p);
        else
            take_special(p, l);
    }
}

/* ---- before and after ---- */

/* -D KEY=text, which stands at `name`..`end`-1 of `lines`. */
static void
define_option(struct prep_state *p, const struct ptext *lines, uint32_t name, uint32_t end,
              int origin, int file)
{
    const char *s = lines->data;
    uint32_t stop = text_name_end(s, end, name);
    if (!text_is_name_start(s[name]) || (stop < end && s[stop] != '=')) {
        diag_origin(p->diag, SEV_ERROR, D_PP2, origin, name, end - name,
                    "-D needs NAME or NAME=text");
        return;
    }
    struct macro *m = macros_get(&p->macros, s + name, stop - name);
    struct ptext_build body = {.arena = p->arena};
    if (stop < end) ptext_add_part(&body, lines, stop + 1, end, PTEXT_OWN);
    struct given *g = &p->out->given[p->out->ngiven++];
    *g = (struct given){.name = m->name, .origin = origin, .at = name, .size = end - name};
    if (stop < end) g->text = arena_strndup(p->arena, s + stop + 1, end - stop - 1);
    m->defined = true;
    m->nparams = -1;
    m->body = body.t;
    m->file = file;
    m->where = (struct ptext_spot){origin, name};
}

/* The definitions of the command line are lines of a text
 * of their own: faults in them have a place. */
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
    p->options_file = file;
    p->out->given = arena_array(p->arena, struct given, o->ndefines);
    for (uint32_t i = 0, at = 0; i < (uint32_t)o->ndefines; i++) {
        uint32_t name = at + strlen("-D "), end = name + strlen(o->defines[i]);
        define_option(p, &lines.t, name, end, origin, file);
        at = end + 1;
    }
}

/* Of the program's own macros: the command line and includes may serve many programs. */
static void
warn_unused(struct prep_state *p)
{
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age)
        if (m->defined && !m->used && !m->asked && m->where.origin == 0)
            diag_origin(p->diag, SEV_WARNING, D_SYN5_1, 0, m->where.offset, m->name_size,
                        "macro '%s' is not used", m->name);
}

/* Of equal keys the last counts; one that was undefined again was asked for. */
static const char **
list_vain(const struct prep_state *p)
{
    const char **names = NULL;
    int n = 0;
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age) {
        if (!m->defined || m->used || m->asked || m->file != p->options_file) continue;
        if (!names) names = arena_array(p->arena, const char *, p->options->ndefines + 1);
        names[n++] = m->name;
        names[n] = NULL;
    }
    return names;
}

static const char **
list_macros(const struct prep_state *p)
{
    int n = 0;
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age) n += m->defined;
    const char **names = arena_array(p->arena, const char *, n + 1);
    n = 0;
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age)
        if (m->defined) names[n++] = m->name;
    return names;
}

static const char **
list_params(const struct prep_state *p)
{
    int n = 0;
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age)
        if (m->defined && m->nparams > 0) n += m->nparams;
    const char **names = arena_array(p->arena, const char *, n + 1);
    n = 0;
    for (const struct macro *m = p->macros.oldest; m; m = m->next_by_age)
        for (int i = 0; m->defined && i < m->nparams; i++) names[n++] = m->params[i];
    return names;
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
    p->text_max = p->options->text_bytes_max ? p->options->text_bytes_max : PREP_TEXT_BYTES_MAX;
    macros_init(&p->macros, a);
    int number = prep_find_file(p, file);
    if (number < 0) {
        report_main_file(d, arena_strdup(a, file));
        return false;
    }
    prep_push_file(p, number, (struct origin){.use = -1});
    if (p->options->ndefines) define_options(p);
    struct level *l = prep_top(p);
    if (l->t.size - l->at >= 3 && !memcmp(l->t.data + l->at, "#!/", 3)) {
        const char *newline = memchr(l->t.data, '\n', l->t.size);
        l->at = newline ? (uint32_t)(newline - l->t.data) : l->t.size;
    }
    walk(p);
    warn_unused(p);
    if (p->options->ndefines) out->vain = list_vain(p);
    out->macros = list_macros(p);
    out->params = list_params(p);
    return true;
}

void
prep_asked(struct prep *p, const char *name)
{
    const char **to = p->vain;
    for (const char **from = p->vain; from && *from; from++)
        if (strcmp(*from, name)) *to++ = *from;
    if (to) *to = NULL;
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
