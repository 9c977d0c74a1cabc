/* diag.c - reports are kept in the arena, then sorted and printed as text for people or as JSON. */
#include "lang/report/diag.h"

#include "lang/report/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a terminal page holds; what a program that is no .fa file at all may cost us in memory. */
enum { PRINTED_MAX = 20, KEPT_MAX = 1000, USES_MAX = 8, LINE_CELLS_MAX = 100, LEFT_CELLS = 40 };

struct note {
    struct note *next;
    struct place place; /* file NULL: none */
    const char *words;
};

struct report {
    enum severity severity;
    enum diag_code code;
    struct place place;
    const char *words;
    struct note *notes, **notes_end;
    struct note *hints, **hints_end;
    int rank; /* of its file, while sorting */
    int seq;
    bool shown;
};

struct diag {
    struct arena *arena;
    const struct source *source;
    struct report **reports; /* in the order they came */
    int n, room;
    struct report **seen; /* hash table, to merge equal ones; its size is a power of 2 */
    uint32_t seen_size;
    int count[2];           /* by severity, without the merged */
    int to_errors;          /* of the warnings, if verdicts are applied */
    const struct verdicts *verdicts;
    struct report *current; /* notes go here; NULL: the last report was merged or is one too many */
};

static const struct verdicts no_verdicts;

struct diag *
diag_new(struct arena *a, const struct source *s)
{
    struct diag *d = arena_new_of(a, struct diag);
    d->arena = a;
    d->source = s;
    d->verdicts = &no_verdicts;
    d->seen_size = 64;
    d->seen = arena_array(a, struct report *, d->seen_size);
    return d;
}

const struct source *
diag_source(const struct diag *d)
{
    return d->source;
}

/* ---- taking reports ---- */

static const char *
words_of(struct diag *d, const char *fmt, va_list ap)
{
    /* A name may be a megabyte long; nobody reads that. */
    char text[600];
    int n = vsnprintf(text, sizeof text, fmt, ap);
    if (n < (int)sizeof text) return arena_strdup(d->arena, n < 0 ? fmt : text);
    n = sizeof text - 4;
    while (n && (text[n] & 0xc0) == 0x80) n--;
    strcpy(text + n, "...");
    return arena_strdup(d->arena, text);
}

static uint32_t
report_hash(const struct report *r)
{
    const uint32_t key[] = {r->code, r->place.line, r->place.col};
    uint64_t h = hash_bytes(HASH_FIRST, key, sizeof key);
    h = hash_bytes(h, r->words, strlen(r->words));
    return h ^ h >> 32;
}

static bool
file_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool
report_same(const struct report *a, const struct report *b)
{
    return a->severity == b->severity && a->code == b->code && a->place.line == b->place.line &&
           a->place.col == b->place.col && file_same(a->place.file, b->place.file) &&
           !strcmp(a->words, b->words);
}

/* Open addressing, at most half full: reports of a generated program are many and mostly equal. */
static struct report **
seen_find(const struct diag *d, const struct report *r)
{
    uint32_t i = report_hash(r);
    for (;; i++) {
        struct report **slot = &d->seen[i & (d->seen_size - 1)];
        if (!*slot || report_same(*slot, r)) return slot;
    }
}

static void
seen_grow(struct diag *d)
{
    d->seen_size *= 2;
    d->seen = arena_array(d->arena, struct report *, d->seen_size);
    for (int i = 0; i < d->n; i++) *seen_find(d, d->reports[i]) = d->reports[i];
}

static void
report_keep(struct diag *d, struct report *r)
{
    if ((uint32_t)d->n >= d->seen_size / 2) seen_grow(d);
    if (d->n == d->room) {
        int room = d->room ? d->room * 2 : 16;
        d->reports =
            arena_grow(d->arena, d->reports, sizeof *d->reports * d->n, sizeof *d->reports * room);
        d->room = room;
    }
    r->seq = d->n;
    d->reports[d->n++] = r;
    *seen_find(d, r) = r;
}

/* Makes `r` the current report, unless it was made before. */
static bool
report_begin(struct diag *d, const struct report *like)
{
    d->current = NULL;
    if (*seen_find(d, like)) return false;
    if (like->severity == SEV_WARNING && d->verdicts->dropped[like->code]) return false;
    if (like->severity == SEV_WARNING && d->verdicts->error[like->code]) d->to_errors++;
    if (d->count[like->severity]++ >= KEPT_MAX) return false;
    struct report *r = arena_new_of(d->arena, struct report);
    *r = *like;
    r->notes_end = &r->notes;
    r->hints_end = &r->hints;
    report_keep(d, r);
    d->current = r;
    return true;
}

static void
note_add(struct diag *d, struct note ***end, const struct place *place, const char *words)
{
    struct note *n = arena_new_of(d->arena, struct note);
    if (place) n->place = *place;
    n->words = words;
    **end = n;
    *end = &n->next;
}

/* Where bytes stand: of the plain text, or of an origin's file. */
struct where {
    struct span span;
    int origin; /* -1: span is of the plain text */
};

static bool
where_place(const struct diag *d, struct where w, int depth, struct place *out, const char **why)
{
    uint32_t size = w.span.hi - w.span.lo;
    if (w.origin < 0) return source_place(d->source, w.span, depth, out, why);
    return source_origin_place(d->source, w.origin, w.span.lo, size, depth, out, why);
}

/* Goes to the next use around that is at another place: a macro that uses itself is one note. */
static bool
next_use(const struct diag *d, struct where w, int *depth, struct place *place)
{
    struct place last = *place;
    while (where_place(d, w, ++*depth, place, NULL))
        if (place->line != last.line || place->col != last.col || place->file != last.file)
            return true;
    return false;
}

/* Notes for the macros and files around the place. Of a long chain only the ends tell much. */
static void
report_add_uses(struct diag *d, struct where w)
{
    struct place place = d->current->place;
    int n = 0, depth = 0;
    while (next_use(d, w, &depth, &place)) n++;
    place = d->current->place;
    depth = 0;
    for (int i = 0; i < n; i++) {
        const char *why;
        next_use(d, w, &depth, &place);
        if (n > USES_MAX && i >= USES_MAX / 2 && i < n - USES_MAX / 2) continue;
        where_place(d, w, depth, &place, &why);
        if (n > USES_MAX && i == USES_MAX / 2 - 1)
            why = arena_printf(d->arena, "%s (%d more levels left out)", why, n - USES_MAX);
        note_add(d, &d->current->notes_end, &place, why);
    }
}

static void
report_at(struct diag *d, enum severity sev, enum diag_code code, struct where w, const char *fmt,
          va_list ap)
{
    struct report r = {.severity = sev, .code = code, .words = words_of(d, fmt, ap)};
    bool placed = where_place(d, w, 0, &r.place, NULL);
    if (report_begin(d, &r) && placed) report_add_uses(d, w);
}

void
diag(struct diag *d, enum severity sev, enum diag_code code, struct span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_at(d, sev, code, (struct where){span, -1}, fmt, ap);
    va_end(ap);
}

void
diag_origin(struct diag *d, enum severity sev, enum diag_code code, int origin, uint32_t offset,
            uint32_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_at(d, sev, code, (struct where){{offset, offset + size}, origin}, fmt, ap);
    va_end(ap);
}

void
diag_at(struct diag *d, enum severity sev, enum diag_code code, const struct place *place,
        const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct report r = {.severity = sev, .code = code, .words = words_of(d, fmt, ap)};
    va_end(ap);
    if (place) r.place = *place;
    report_begin(d, &r);
}

static void
note_vat(struct diag *d, const struct place *place, const char *fmt, va_list ap)
{
    if (d->current) note_add(d, &d->current->notes_end, place, words_of(d, fmt, ap));
}

void
diag_note(struct diag *d, struct span span, const char *fmt, ...)
{
    struct place place;
    bool placed = source_place(d->source, span, 0, &place, NULL);
    va_list ap;
    va_start(ap, fmt);
    note_vat(d, placed ? &place : NULL, fmt, ap);
    va_end(ap);
}

void
diag_note_origin(struct diag *d, int origin, uint32_t offset, uint32_t size, const char *fmt, ...)
{
    struct place place;
    bool placed = source_origin_place(d->source, origin, offset, size, 0, &place, NULL);
    va_list ap;
    va_start(ap, fmt);
    note_vat(d, placed ? &place : NULL, fmt, ap);
    va_end(ap);
}

void
diag_note_at(struct diag *d, const struct place *place, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note_vat(d, place, fmt, ap);
    va_end(ap);
}

void
diag_hint(struct diag *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (d->current) note_add(d, &d->current->hints_end, NULL, words_of(d, fmt, ap));
    va_end(ap);
}

/* ---- what the user wants of warnings ---- */

void
diag_set_verdicts(struct diag *d, const struct verdicts *v)
{
    d->verdicts = v;
}

void
diag_apply_verdicts(struct diag *d)
{
    for (int i = 0; i < d->n; i++) {
        struct report *r = d->reports[i];
        if (d->verdicts->error[r->code]) r->severity = SEV_ERROR;
    }
    d->count[SEV_ERROR] += d->to_errors;
    d->count[SEV_WARNING] -= d->to_errors;
    d->to_errors = 0;
}

int
diag_errors(const struct diag *d)
{
    return d->count[SEV_ERROR];
}

int
diag_warnings(const struct diag *d)
{
    return d->count[SEV_WARNING];
}

/* ---- the order of printing ---- */

/* The program first, then its includes as they were read, then what others know of (cc). */
static int
file_rank(const struct diag *d, const char *name)
{
    if (!name) return -1;
    int n = source_file_count(d->source);
    for (int i = 0; i < n; i++)
        if (file_same(source_file_name(d->source, i), name)) return i;
    return n;
}

static int
report_order(const void *left, const void *right)
{
    const struct report *a = *(struct report *const *)left, *b = *(struct report *const *)right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int names = a->place.file && b->place.file ? strcmp(a->place.file, b->place.file) : 0;
    if (names) return names;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.col != b->place.col) return a->place.col < b->place.col ? -1 : 1;
    return a->seq - b->seq;
}

static struct report **
diag_sorted(const struct diag *d)
{
    struct report **sorted = arena_array(d->arena, struct report *, d->n);
    for (int i = 0; i < d->n; i++) {
        sorted[i] = d->reports[i];
        sorted[i]->rank = file_rank(d, sorted[i]->place.file);
    }
    qsort(sorted, d->n, sizeof *sorted, report_order);
    return sorted;
}

/* ---- text that comes from outside ---- */

/* Takes one character: its bytes, and its number or 0xfffd if they are not UTF-8. */
static size_t
utf8_take(const char *text, size_t n, uint32_t *c)
{
    const unsigned char *p = (const unsigned char *)text;
    *c = p[0];
    if (p[0] < 0x80) return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t v = p[0] & (0x7f >> len);
    *c = 0xfffd;
    if (p[0] < 0xc2 || p[0] > 0xf4 || len > n) return 1;
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) return 1;
        v = v << 6 | (p[i] & 0x3f);
    }
    if (v < min[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) return 1;
    *c = v;
    return len;
}

struct range {
    uint32_t lo, hi;
};

static bool
in_ranges(uint32_t c, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].lo && c <= r[i].hi) return true;
    return false;
}

/* Could confuse a terminal or hide what is written (control characters, turns of direction). */
static bool
char_unsafe(uint32_t c)
{
    static const struct range unsafe[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffd, 0xffff},
    };
    return in_ranges(c, unsafe, sizeof unsafe / sizeof *unsafe);
}

/* Columns a terminal needs for it. */
static unsigned
char_cells(uint32_t c)
{
    static const struct range none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0xfe00, 0xfe0f}};
    static const struct range two[] = {
        {0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3}, {0xf900, 0xfaff},
        {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
        {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    if (c < 0x300 || char_unsafe(c)) return 1;
    if (in_ranges(c, none, sizeof none / sizeof *none)) return 0;
    return in_ranges(c, two, sizeof two / sizeof *two) ? 2 : 1;
}

/* Words may hold names of files and what a program says: nothing in them may move the cursor. */
static void
put_clean(struct buf *out, const char *text)
{
    uint32_t c;
    for (size_t n = strlen(text), len; n; text += len, n -= len) {
        len = utf8_take(text, n, &c);
        if (c == '\n' || c == '\t')
            buf_char(out, ' ');
        else if (char_unsafe(c))
            buf_char(out, '?');
        else
            buf_add(out, text, len);
    }
}

/* ---- as text ---- */

static void
put_place(struct buf *out, const struct place *p)
{
    if (!p->file) return;
    put_clean(out, p->file);
    if (p->line) buf_printf(out, ":%u", p->line);
    if (p->line && p->col) buf_printf(out, ":%u", p->col);
    buf_str(out, ": ");
}

/* A line of source as printed: characters have widths, and of a long line a window is shown. */
struct line {
    const char *text;
    size_t size;
    unsigned cells;              /* of the whole line */
    unsigned caret, caret_end;   /* cells from the line's start */
    unsigned window, window_end; /* cells shown */
};

static unsigned
line_char(const struct line *l, size_t at, unsigned cell, size_t *len, uint32_t *c)
{
    *len = utf8_take(l->text + at, l->size - at, c);
    return *c == '\t' ? 8 - cell % 8 : char_cells(*c);
}

/* Finds the cells of the caret. Columns are those of source.c: bytes that begin a character. */
static void
line_measure(struct line *l, const struct place *p)
{
    uint32_t col = 0, c, end_col = p->end_line > p->line ? UINT32_MAX : p->end_col;
    if (end_col < p->col) end_col = p->col; /* unknown */
    unsigned cell = 0, last_word = 0;
    l->caret = l->caret_end = UINT32_MAX;
    for (size_t at = 0, len; at < l->size; at += len) {
        if ((l->text[at] & 0xc0) != 0x80) col++;
        if (col == p->col && l->caret == UINT32_MAX) l->caret = cell;
        if (col == end_col && l->caret_end == UINT32_MAX) l->caret_end = cell;
        cell += line_char(l, at, cell, &len, &c);
        if (c != ' ' && c != '\t') last_word = cell;
    }
    l->cells = cell;
    if (l->caret == UINT32_MAX) l->caret = cell;
    if (l->caret_end == UINT32_MAX) l->caret_end = last_word;
}

static void
line_choose_window(struct line *l)
{
    l->window = 0;
    l->window_end = l->cells;
    if (l->cells <= LINE_CELLS_MAX) return;
    if (l->caret > LINE_CELLS_MAX - LEFT_CELLS) l->window = l->caret - LEFT_CELLS;
    if (l->window + LINE_CELLS_MAX < l->cells) l->window_end = l->window + LINE_CELLS_MAX;
}

static void
put_line(struct buf *out, const struct line *l)
{
    unsigned cell = 0, width;
    uint32_t c;
    if (l->window) buf_str(out, "...");
    for (size_t at = 0, len; at < l->size && cell < l->window_end; at += len, cell += width) {
        width = line_char(l, at, cell, &len, &c);
        if (cell < l->window) continue;
        if (c == '\t')
            buf_printf(out, "%*s", (int)width, "");
        else if (char_unsafe(c))
            buf_char(out, '?');
        else
            buf_add(out, l->text + at, len);
    }
    if (l->window_end < l->cells) buf_str(out, "...");
}

/* Under the first character a caret, under the rest of the line's part tildes. */
static void
put_caret(struct buf *out, const struct line *l, int margin)
{
    unsigned left = l->caret - l->window + (l->window ? 3 : 0);
    buf_printf(out, "%*s | %*s^", margin, "", (int)left, "");
    unsigned end = l->caret_end < l->window_end ? l->caret_end : l->window_end;
    for (unsigned cell = l->caret + 1; cell < end; cell++) buf_char(out, '~');
    buf_char(out, '\n');
}

static void
put_source(struct buf *out, const struct place *p)
{
    if (!p->line || !p->line_text) return;
    struct line l = {.text = p->line_text, .size = p->line_size};
    while (l.size && strchr(" \t\r", l.text[l.size - 1])) l.size--;
    line_measure(&l, p);
    line_choose_window(&l);
    int margin = snprintf(NULL, 0, "%5u", p->line);
    buf_printf(out, "%5u |%s", p->line, l.size ? " " : "");
    put_line(out, &l);
    buf_char(out, '\n');
    if (p->col) put_caret(out, &l, margin);
}

static const char *const severity_text[] = {[SEV_ERROR] = "error", [SEV_WARNING] = "warning"};

static void
put_report(struct buf *out, const struct report *r)
{
    put_place(out, &r->place);
    buf_printf(out, "%s[%s]: ", severity_text[r->severity], diag_code_text(r->code));
    put_clean(out, r->words);
    buf_char(out, '\n');
    put_source(out, &r->place);
    for (const struct note *n = r->notes; n; n = n->next) {
        put_place(out, &n->place);
        buf_str(out, "note: ");
        put_clean(out, n->words);
        buf_char(out, '\n');
    }
    for (const struct note *n = r->hints; n; n = n->next) {
        buf_str(out, "hint: ");
        put_clean(out, n->words);
        buf_char(out, '\n');
    }
}

/* Chooses what is shown: an error is never crowded out by warnings before it. */
static void
choose_shown(struct report **sorted, int n)
{
    int left = PRINTED_MAX;
    for (int i = 0; i < n; i++) sorted[i]->shown = false;
    for (int sev = SEV_ERROR; sev <= SEV_WARNING; sev++)
        for (int i = 0; i < n && left; i++)
            if ((int)sorted[i]->severity == sev) {
                sorted[i]->shown = true;
                left--;
            }
}

static void
put_counts(struct buf *out, int errors, int warnings, const char *after)
{
    if (errors) buf_printf(out, "%d error%s", errors, errors > 1 ? "s" : "");
    if (errors && warnings) buf_str(out, ", ");
    if (warnings) buf_printf(out, "%d warning%s", warnings, warnings > 1 ? "s" : "");
    if (errors || warnings) buf_str(out, after);
}

void
diag_print_text(const struct diag *d, struct buf *out)
{
    struct report **sorted = diag_sorted(d);
    int hidden[2] = {d->count[SEV_ERROR], d->count[SEV_WARNING]};
    choose_shown(sorted, d->n);
    for (int i = 0; i < d->n; i++) {
        if (!sorted[i]->shown) continue;
        hidden[sorted[i]->severity]--;
        put_report(out, sorted[i]);
    }
    put_counts(out, hidden[SEV_ERROR], hidden[SEV_WARNING], " more not shown\n");
    put_counts(out, d->count[SEV_ERROR], d->count[SEV_WARNING], "\n");
}

/* ---- as JSON ---- */

static void
put_json_string(struct buf *out, const char *text)
{
    if (!text) {
        buf_str(out, "null");
        return;
    }
    uint32_t c;
    buf_char(out, '"');
    for (size_t n = strlen(text), len; n; text += len, n -= len) {
        len = utf8_take(text, n, &c);
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", (int)c);
        else if (c == '\n')
            buf_str(out, "\\n");
        else if (c < 0x20 || c == 0x7f || c == 0xfffd)
            buf_printf(out, "\\u%04x", c);
        else
            buf_add(out, text, len);
    }
    buf_char(out, '"');
}

static void
put_json_place(struct buf *out, const struct place *p)
{
    buf_str(out, "\"file\":");
    put_json_string(out, p->file);
    buf_printf(out, ",\"line\":%u,\"col\":%u", p->line, p->col);
}

static void
put_json_hints(struct buf *out, const struct note *hints)
{
    if (!hints || !hints->next) {
        put_json_string(out, hints ? hints->words : NULL);
        return;
    }
    struct buf all = {0};
    for (const struct note *h = hints; h; h = h->next) {
        if (h != hints) buf_str(&all, "; ");
        buf_str(&all, h->words);
    }
    put_json_string(out, all.data);
    out->failed |= all.failed;
    buf_fini(&all);
}

static void
put_json_report(struct buf *out, const struct report *r)
{
    const struct place *p = &r->place;
    buf_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\",", diag_code_text(r->code),
               severity_text[r->severity]);
    put_json_place(out, p);
    buf_printf(out, ",\"end_line\":%u,\"end_col\":%u,\"message\":", p->end_line, p->end_col);
    put_json_string(out, r->words);
    buf_str(out, ",\"notes\":[");
    for (const struct note *n = r->notes; n; n = n->next) {
        buf_char(out, '{');
        put_json_place(out, &n->place);
        buf_str(out, ",\"message\":");
        put_json_string(out, n->words);
        buf_str(out, n->next ? "}," : "}");
    }
    buf_str(out, "],\"hint\":");
    put_json_hints(out, r->hints);
    buf_char(out, '}');
}

void
diag_print_json(const struct diag *d, struct buf *out)
{
    struct report **sorted = diag_sorted(d);
    buf_str(out, "{\"diagnostics\":[");
    for (int i = 0; i < d->n; i++) {
        buf_str(out, i ? ",\n" : "\n");
        put_json_report(out, sorted[i]);
    }
    buf_printf(out, "%s],\"errors\":%d,\"warnings\":%d}\n", d->n ? "\n" : "", d->count[SEV_ERROR],
               d->count[SEV_WARNING]);
}

/* ---- the catalogue ---- */

static const struct {
    const char *text, *meaning;
} codes[] = {
#define DIAG_CODE(id, code, meaning) {code, meaning},
#include "lang/report/diag.def"
#undef DIAG_CODE
};

const char *
diag_code_text(enum diag_code code)
{
    return codes[code].text;
}

const char *
diag_code_meaning(enum diag_code code)
{
    return codes[code].meaning;
}
