/* values.c - texts of values; each worker has a buffer of its own, so that nobody waits. */
#include "values.h"

#include "digest.h"

#include "runtime/base/clock.h"
#include "runtime/base/map.h"
#include "runtime/base/mem.h"
#include "runtime/base/numeric.h"
#include "runtime/base/vec.h"
#include "runtime/data/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_TEXT = 1024,
    SHOWN_ITEMS = 8,   /* of the bytes of a value, */
    TOLD_BEGINNINGS = 10, /* and of --compare */
    TOLD_DIFFERENT = 20
};

struct own { /* of a worker */
    struct buf listed, differing;
    uint64_t printed;
};

struct line { /* of FILE: one text, perhaps several times */
    uint64_t count, at; /* at: its number */
};

static struct {
    const struct luna_program *program;
    struct values_options o;
    struct own *own;
    struct map *lines, *names; /* of FILE */
    struct line *line;
    atomic_uint_fast64_t *met; /* by number of line */
    size_t n;
} values;

/* ---- texts ---- */

static const char *
sub_of(const struct luna_program *p, const struct luna_decl *d)
{
    return d->sub < p->nsubs ? p->subs[d->sub].name : "?";
}

/* sub.name[i][j] */
static int
name_text(const struct luna_program *p, const struct key *k, char *text, size_t size)
{
    const struct luna_decl *d = &p->dfs[k->df & ~KEY_MARKS];
    int n = snprintf(text, size, "%s.%s", sub_of(p, d), d->name);
    for (uint32_t i = 0; i < k->n && (size_t)n < size; i++)
        n += snprintf(text + n, size - (size_t)n, "[%" PRId32 "]", k->ix[i]);
    return n;
}

static void
line_text(const struct luna_program *p, const struct key *k, const luna_value *v, char *text)
{
    size_t bytes;
    int n = name_text(p, k, text, LINE_TEXT - 64);
    if (n > LINE_TEXT - 65) n = LINE_TEXT - 65;
    value_bytes(v, &bytes);
    snprintf(text + n, 64, " %s %zu %016" PRIx64, value_type_text(v->type), bytes,
             digest_of_value(v));
}

/* ---- --print: name, and behind it numbers, ranges a..b, or * ---- */

/* Takes the part in brackets for an index. False: it does not fit; NULL in *p: it is malformed. */
static bool
index_fits(const char **p, int32_t ix)
{
    const char *s = *p + 1;
    char *end;
    long lo = INT32_MIN, hi = INT32_MAX;
    if (*s == '*') {
        end = (char *)s + 1;
    } else {
        lo = hi = strtol(s, &end, 10);
        if (end == s) return *p = NULL, false;
        if (!strncmp(end, "..", 2)) {
            s = end + 2;
            hi = strtol(s, &end, 10);
            if (end == s) return *p = NULL, false;
        }
    }
    if (*end != ']') return *p = NULL, false;
    *p = end + 1;
    return ix >= lo && ix <= hi;
}

/* Of words with commas between them, one fits. */
static bool
name_fits(const struct luna_decl *d, const char *sub, const char *words, size_t size)
{
    size_t n = strlen(d->name), m = strlen(sub);
    if (size == n && !memcmp(words, d->name, n)) return true;
    return size == m + 1 + n && !memcmp(words, sub, m) && words[m] == '.' &&
           !memcmp(words + m + 1, d->name, n);
}

static bool
is_wanted(const struct luna_program *p, const struct key *k, const char *words)
{
    const struct luna_decl *d = &p->dfs[k->df & ~KEY_MARKS];
    for (const char *w = words; *w; w += strcspn(w, ","), w += *w == ',') {
        size_t size = strcspn(w, "[,");
        if (!name_fits(d, sub_of(p, d), w, size)) continue;
        const char *at = w + size;
        uint32_t i = 0;
        bool fits = true;
        while (at && *at == '[' && i < k->n) fits &= index_fits(&at, k->ix[i++]);
        if (fits && at && *at != '[') return true;
    }
    return false;
}

const char *
values_print_wrong(const struct luna_program *p, const char *words)
{
    static char why[200];
    for (const char *w = words; *w; w += strcspn(w, ","), w += *w == ',') {
        size_t size = strcspn(w, "[,");
        bool known = false;
        for (uint32_t i = 0; i < p->ndfs && !known; i++)
            known = name_fits(&p->dfs[i], sub_of(p, &p->dfs[i]), w, size);
        const char *at = w + size;
        while (at && *at == '[') index_fits(&at, 0);
        if (known && at && (!*at || *at == ',')) continue;
        snprintf(why, sizeof why,
                 known ? "--print takes x, x[3], x[*], x[1..4][*]; '%.*s' is none of these"
                       : "--print: the program has no DF '%.*s'",
                 known ? (int)strcspn(w, ",") : (int)size, w);
        return why;
    }
    return *words ? NULL : "--print needs a name of the program: --print='x[3][*]'";
}

/* Numbers of usual sizes: then the bytes are shown as such. */
static bool
look_real(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0 && !(fabs(x[i]) > 1e-100 && fabs(x[i]) < 1e100)) return false;
    return true;
}

static void
print_bytes(struct buf *b, const void *bytes, size_t size)
{
    double x[SHOWN_ITEMS];
    int32_t i[SHOWN_ITEMS];
    size_t nx = size / sizeof *x < SHOWN_ITEMS ? size / sizeof *x : SHOWN_ITEMS;
    size_t ni = size / sizeof *i < SHOWN_ITEMS ? size / sizeof *i : SHOWN_ITEMS;
    memcpy(x, bytes, nx * sizeof *x);
    memcpy(i, bytes, ni * sizeof *i);
    bool reals = !(size % sizeof *x) && look_real(x, nx), ints = !(size % sizeof *i);
    buf_printf(b, "%zu bytes%s", size, !size ? "" : reals ? ", reals" : ints ? ", ints" : ":");
    for (size_t k = 0; reals && k < nx; k++) buf_printf(b, " %.10g", x[k]);
    for (size_t k = 0; !reals && ints && k < ni; k++) buf_printf(b, " %" PRId32, i[k]);
    const unsigned char *raw = bytes;
    for (size_t k = 0; !reals && !ints && k < size && k < 2 * SHOWN_ITEMS; k++)
        buf_printf(b, " %02x", raw[k]);
    size_t told = reals ? nx * sizeof *x : ints ? ni * sizeof *i : 2 * SHOWN_ITEMS;
    if (size > told) buf_str(b, " ...");
}

/* One write, so that lines of several workers do not mix. */
static void
print_value(const struct key *k, const luna_value *v)
{
    char name[LINE_TEXT];
    struct buf b = {0};
    locale_t theirs = numeric_begin();
    name_text(values.program, k, name, sizeof name);
    buf_printf(&b, "%s = ", name);
    switch (v->type) {
    case LUNA_INT: buf_printf(&b, "%" PRId32, (int32_t)v->w.i); break;
    case LUNA_REAL: buf_printf(&b, "%.17g", v->w.d); break;
    case LUNA_STRING: buf_printf(&b, "\"%s\"", value_block(*v)->data); break;
    default: print_bytes(&b, value_block(*v)->data, value_block(*v)->size);
    }
    numeric_end(theirs);
    buf_char(&b, '\n');
    if (!b.failed) fwrite(b.data, 1, b.size, stderr);
    buf_fini(&b);
}

/* ---- FILE ---- */

static const char *
next_line(const char *text, char *line, size_t size)
{
    size_t n = strcspn(text, "\r\n"), kept = n < size ? n : size - 1;
    memcpy(line, text, kept);
    line[kept] = 0;
    return text + n + strspn(text + n, "\r\n");
}

static bool
is_value_line(const char *line)
{
    return !strncmp(line, "value ", 6);
}

size_t
values_lines(const char *text)
{
    char line[LINE_TEXT];
    size_t n = 0;
    while (*text) {
        text = next_line(text, line, sizeof line);
        n += is_value_line(line);
    }
    return n;
}

/* A name ends where type, size and hash begin: at the third blank from the end. */
static size_t
name_size(const char *line)
{
    return strcspn(line, " ");
}

static bool
read_line(const char *line)
{
    struct line *l = map_get(values.lines, line);
    if (l) return l->count++, true;
    l = &values.line[values.n];
    *l = (struct line){1, values.n++};
    return map_put(values.lines, line, l) &&
           map_put_bytes(values.names, line, name_size(line), l);
}

static bool
read_file(const char *text)
{
    char line[LINE_TEXT + 6];
    size_t n = values_lines(text);
    values.lines = map_new();
    values.names = map_new();
    values.line = mem_zalloc(n + 1, sizeof *values.line);
    values.met = mem_zalloc(n + 1, sizeof *values.met);
    bool ok = values.lines && values.names && values.line && values.met;
    while (ok && *text) {
        text = next_line(text, line, sizeof line);
        if (is_value_line(line)) ok = read_line(line + 6);
    }
    return ok;
}

/* ---- while the program runs ---- */

enum err
values_open(const struct luna_program *p, const struct values_options *o)
{
    values.program = p;
    values.o = *o;
    values.own = mem_zalloc((size_t)o->workers, sizeof *values.own);
    if (!values.own) return E_NOMEM;
    return !o->compare || read_file(o->compare) ? OK : E_NOMEM;
}

void
values_close(void)
{
    for (int i = 0; values.own && i < values.o.workers; i++) {
        buf_fini(&values.own[i].listed);
        buf_fini(&values.own[i].differing);
    }
    if (values.lines) map_free(values.lines);
    if (values.names) map_free(values.names);
    mem_free(values.own);
    mem_free(values.line);
    mem_free(values.met);
    memset(&values, 0, sizeof values);
}

bool
values_known(const struct key *k, const luna_value *v)
{
    char text[LINE_TEXT];
    if (!values.lines) return true;
    line_text(values.program, k, v, text);
    return map_get(values.lines, text) != NULL;
}

/* More of them than FILE has are too many. */
static bool
is_as_in_file(struct own *own, const char *text)
{
    const struct line *l = map_get(values.lines, text);
    if (l && atomic_fetch_add(&values.met[l->at], 1) < l->count) return true;
    bool named = map_get_bytes(values.names, text, name_size(text));
    buf_printf(&own->differing, "%c %s\n", named ? 'd' : 'n', text);
    return false;
}

bool
values_note(int worker, const struct key *k, const luna_value *v)
{
    char text[LINE_TEXT];
    if (!values.own || k->df & KEY_PUSHED) return false;
    struct own *own = &values.own[worker];
    if (values.o.print && is_wanted(values.program, k, values.o.print)) {
        print_value(k, v);
        own->printed++;
    }
    if (!values.o.list && !values.lines) return false;
    line_text(values.program, k, v, text);
    if (values.o.list) buf_printf(&own->listed, "value %s\n", text);
    return values.lines && !is_as_in_file(own, text);
}

void
values_began(int worker, const char *text)
{
    buf_printf(&values.own[worker].differing, "b %020" PRIu64 " %s\n", clock_ns(), text);
}

/* ---- the end ---- */

uint64_t
values_printed(void)
{
    uint64_t n = 0;
    for (int i = 0; i < values.o.workers; i++) n += values.own[i].printed;
    return n;
}

void
values_listed(struct buf *out)
{
    for (int i = 0; i < values.o.workers; i++)
        buf_add(out, values.own[i].listed.data, values.own[i].listed.size);
}

void
values_differing(struct buf *out)
{
    for (int i = 0; i < values.o.workers; i++)
        buf_add(out, values.own[i].differing.data, values.own[i].differing.size);
}

uint64_t *
values_met(size_t *n)
{
    uint64_t *met = mem_zalloc(values.n + 1, sizeof *met);
    for (size_t i = 0; met && i < values.n; i++) met[i] = atomic_load(&values.met[i]);
    *n = values.n;
    return met;
}

/* As a reader would: x[9] before x[10]. */
static int
by_numbers(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a text, sorted; it is cut up for that. */
static char **
sorted_lines(struct buf *text, size_t *n)
{
    char **line = NULL;
    size_t room = 0;
    *n = 0;
    for (char *p = text->data, *rest; p && *p; p = rest) {
        rest = p + strcspn(p, "\n");
        if (*rest) *rest++ = 0;
        if (*n == room) {
            char **more = realloc(line, (room = 2 * room + 64) * sizeof *line);
            if (!more) break;
            line = more;
        }
        line[(*n)++] = p;
    }
    if (*n) qsort(line, *n, sizeof *line, by_numbers);
    return line;
}

void
values_print(struct buf *lines, FILE *out)
{
    size_t n;
    char **line = sorted_lines(lines, &n);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s\n", line[i]);
    free(line);
}

struct missing { /* of FILE's lines, who was not met as often as it stands there */
    const uint64_t *met;
    uint64_t n, all;
    const char *first;
};

static void
count_missing(void *who, const char *key, void *value)
{
    struct missing *m = who;
    const struct line *l = value;
    m->all += l->count;
    if (m->met[l->at] >= l->count) return;
    if (!m->first) m->first = key;
    m->n += l->count - m->met[l->at];
}

static size_t
count_of(char *const *line, size_t n, char kind)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += line[i][0] == kind;
    return count;
}

static void
tell_kind(char *const *line, size_t n, char kind, size_t most, const char *words, FILE *out)
{
    size_t told = 0, all = count_of(line, n, kind);
    for (size_t i = 0; i < n && told < most; i++) {
        if (line[i][0] != kind) continue;
        const char *text = kind == 'b' ? strchr(line[i] + 2, ' ') + 1 : line[i] + 2;
        fprintf(out, "  %s%.*s\n", words, kind == 'b' ? (int)strlen(text) : (int)name_size(text),
                text);
        told++;
    }
    if (all > told) fprintf(out, "  ... and %zu more\n", all - told);
}

bool
values_verdict(const char *name, const uint64_t *met, struct buf *differing, FILE *out)
{
    struct missing m = {.met = met};
    size_t n;
    char **line = sorted_lines(differing, &n);
    map_each(values.lines, count_missing, &m);
    size_t other = count_of(line, n, 'd'), added = count_of(line, n, 'n');
    uint64_t gone = m.n > other ? m.n - other : 0;
    if (!other && !added && !m.n) {
        fprintf(out, "luna: all %" PRIu64 " values are as in '%s'\n", m.all, name);
        free(line);
        return true;
    }
    fprintf(out, "luna: of %" PRIu64 " values in '%s' %zu differ", m.all, name, other);
    if (gone) fprintf(out, ", %" PRIu64 " are not assigned", gone);
    if (added) fprintf(out, "; %zu are assigned that it does not name", added);
    fprintf(out, "\n");
    tell_kind(line, n, 'b', TOLD_BEGINNINGS, "here it began: ", out);
    tell_kind(line, n, 'd', TOLD_DIFFERENT, "differs: ", out);
    tell_kind(line, n, 'n', TOLD_DIFFERENT, "not in the file: ", out);
    if (gone && m.first && !other)
        fprintf(out, "  not assigned: %.*s\n", (int)name_size(m.first), m.first);
    free(line);
    return false;
}
