/* diag_text.c - reports as text for a terminal: the line of the source, a caret below it, notes. */
#include "lang/report/diag_parts.h"
#include "runtime/base/colour.h"
#include "runtime/base/utf8.h"

#include <stdio.h>
#include <string.h>

/* Reports that a page of a terminal holds; cells of a long
 * line that are shown, and of them left of the caret. */
enum { PRINTED_MAX = 20, LINE_CELLS_MAX = 100, LEFT_CELLS = 40 };

/* Words may hold names of files and what a program says: nothing in them may move the cursor. */
static void
put_clean(struct buf *out, const char *text)
{
    uint32_t c;
    for (size_t n = strlen(text), len; n; text += len, n -= len) {
        len = utf8_take(text, n, &c);
        if (c == '\n' || c == '\t')
            buf_char(out, ' ');
        else if (utf8_unsafe(c))
            buf_char(out, '?');
        else
            buf_add(out, text, len);
    }
}

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
    return *c == '\t' ? 8 - cell % 8 : utf8_cells(*c);
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
        if (utf8_begins(l->text[at])) col++;
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
        else if (utf8_unsafe(c))
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
    buf_printf(out, "%*s | %*s%s^", margin, "", (int)left, "", colour(COLOUR_CARET));
    unsigned end = l->caret_end < l->window_end ? l->caret_end : l->window_end;
    for (unsigned cell = l->caret + 1; cell < end; cell++) buf_char(out, '~');
    buf_printf(out, "%s\n", colour(COLOUR_END));
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

static void
put_report(struct buf *out, const struct report *r)
{
    put_place(out, &r->place);
    buf_printf(out, "%s%s[%s]:%s ",
               colour(r->severity == SEV_ERROR ? COLOUR_ERROR : COLOUR_WARNING),
               diag_severity_text(r->severity), diag_code_text(r->code), colour(COLOUR_END));
    put_clean(out, r->words);
    buf_char(out, '\n');
    put_source(out, &r->place);
    for (const struct note *n = r->notes; n; n = n->next) {
        put_place(out, &n->place);
        buf_printf(out, "%snote:%s ", colour(COLOUR_NOTE), colour(COLOUR_END));
        put_clean(out, n->words);
        buf_char(out, '\n');
    }
    for (const struct note *n = r->hints; n; n = n->next) {
        buf_printf(out, "%shint:%s ", colour(COLOUR_NOTE), colour(COLOUR_END));
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
