/* diag.c - the list of reports: kept in the arena as they come, equal ones once, then sorted. */
#include "lang/report/diag_parts.h"

#include "runtime/base/map.h"
#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a program that is no .fa file at all may cost us in memory; how many levels of macros and
 * files around a place are told. */
enum { KEPT_MAX = 1000, USES_MAX = 8 };

/* ---- the catalogue ---- */

static const struct {
    const char *text, *meaning;
} codes[] = {
#define DIAG_CODE(id, code, meaning) {code, meaning},
#include "lang/report/diag.def"
#undef DIAG_CODE
};

static const struct verdicts no_verdicts;

struct diag *
diag_new(struct arena *a, const struct source *s)
{
    struct diag *d = arena_new_of(a, struct diag);
    d->arena = a;
    d->source = s;
    d->verdicts = &no_verdicts;
    d->seen = map_new_in(a);
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
    strcpy(text + utf8_cut(text, sizeof text - 4), "...");
    return arena_strdup(d->arena, text);
}

/* Equal reports have equal keys: those of a generated program are many and mostly equal. */
static const char *
report_key(struct diag *d, const struct report *r)
{
    const struct place *p = &r->place;
    return arena_printf(d->arena, "%d %d %u %u %s\n%s", r->severity, r->code, p->line, p->col,
                        p->file ? p->file : "", r->words);
}

static void
report_keep(struct diag *d, struct report *r, const char *key)
{
    vec_need(d->arena, d->reports, d->n, d->room);
    r->seq = d->n;
    d->reports[d->n++] = r;
    map_put(d->seen, key, r);
}

/* Makes `r` the current report, unless it was made before. */
static bool
report_begin(struct diag *d, const struct report *like)
{
    d->current = NULL;
    const char *key = report_key(d, like);
    if (map_get(d->seen, key)) return false;
    if (like->severity == SEV_WARNING && d->verdicts->dropped[like->code]) return false;
    if (like->severity == SEV_WARNING && d->verdicts->error[like->code]) d->to_errors++;
    if (d->count[like->severity]++ >= KEPT_MAX) return false;
    struct report *r = arena_new_of(d->arena, struct report);
    *r = *like;
    r->notes_end = &r->notes;
    r->hints_end = &r->hints;
    report_keep(d, r, key);
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

static void
drop_from(struct diag *d, bool (*keep)(const struct report *r, const void *who), const void *who)
{
    int kept = 0;
    for (int i = 0; i < d->n; i++) {
        struct report *r = d->reports[i];
        if (keep(r, who)) {
            d->reports[kept++] = r;
            continue;
        }
        d->count[r->severity]--;
        if (r->severity == SEV_WARNING && d->verdicts->error[r->code]) d->to_errors--;
    }
    d->n = kept;
}

struct codes {
    const enum diag_code *at;
    int n;
};

static bool
is_among(enum diag_code code, const enum diag_code *codes, int n)
{
    for (int i = 0; i < n; i++)
        if (code == codes[i]) return true;
    return false;
}

static bool
is_error_or_among(const struct report *r, const void *who)
{
    const struct codes *codes = who;
    return r->severity == SEV_ERROR || is_among(r->code, codes->at, codes->n);
}

void
diag_keep_warnings(struct diag *d, const enum diag_code *codes, int n)
{
    drop_from(d, is_error_or_among, &(struct codes){codes, n});
}

/* ---- what follows from another error ---- */

bool
diag_has_error(const struct diag *d, enum diag_code code)
{
    for (int i = 0; i < d->n; i++)
        if (d->reports[i]->code == code && d->reports[i]->severity == SEV_ERROR) return true;
    return false;
}

/* An error of the code, and the codes that may follow from it, by their beginnings. */
static const struct follow_up {
    enum diag_code cause;
    const char *effects;
} follow_ups[] = {
    {D_SYN2, "SYN5. SEM3.1 SEM4"},
    {D_SYN9, "SYN5. SEM3.1 SEM4"},
    {D_SYN10, "CC3."},
    {D_SYN12, "SEM2.1 SEM3.1 SEM4"},
};

static bool
begins_with_one(const char *code, const char *words)
{
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        if (!strncmp(code, p, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static bool
is_no_effect(const struct report *r, const void *who)
{
    const struct follow_up *f = who;
    return r->code == f->cause || !begins_with_one(codes[r->code].text, f->effects);
}

static bool
is_error(const struct report *r, const void *who)
{
    (void)who;
    return r->severity == SEV_ERROR;
}

/* A C or C++ compiler's error comes alone: what was found in the rest may change with it. */
void
diag_drop_follow_ups(struct diag *d)
{
    for (size_t i = 0; i < sizeof follow_ups / sizeof *follow_ups; i++)
        if (diag_has_error(d, follow_ups[i].cause)) drop_from(d, is_no_effect, &follow_ups[i]);
    if (diag_has_error(d, D_CC1)) drop_from(d, is_error, NULL);
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
static bool
file_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static int
file_rank(const struct diag *d, const char *name)
{
    if (!name) return -1;
    int n = source_file_count(d->source);
    for (int i = 0; i < n; i++)
        if (file_same(source_file_name(d->source, i), name)) return i;
    return n;
}

/* A compiler's errors first, in its order: the first is most often the cause of the others. */
static int
report_order(const void *left, const void *right)
{
    const struct report *a = *(struct report *const *)left, *b = *(struct report *const *)right;
    bool a_cc = a->code == D_CC1, b_cc = b->code == D_CC1;
    if (a_cc || b_cc) return a_cc && b_cc ? a->seq - b->seq : b_cc - a_cc;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int names = a->place.file && b->place.file ? strcmp(a->place.file, b->place.file) : 0;
    if (names) return names;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.col != b->place.col) return a->place.col < b->place.col ? -1 : 1;
    return a->seq - b->seq;
}

struct report **
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

/* ---- words ---- */

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

const char *
diag_severity_text(enum severity severity)
{
    return severity == SEV_ERROR ? "error" : "warning";
}
