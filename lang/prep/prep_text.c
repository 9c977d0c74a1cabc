/* prep_text.c - texts with places; the ends of comments, strings and blocks. */
#include "lang/prep/prep_text.h"

#include "runtime/base/vec.h"

#include <assert.h>
#include <string.h>

/* Pieces count: in a text of single bytes, each from elsewhere, they are most of its memory. */
size_t
ptext_cost(const struct ptext *t)
{
    return t->size + t->npieces * sizeof *t->pieces;
}

/* The last piece that begins at or before `at`. Pieces cover the text without holes, so it is the
 * one that holds the byte. */
uint32_t
ptext_piece_at(const struct ptext *t, uint32_t at)
{
    assert(t->npieces && at <= t->size);
    uint32_t lo = 0, hi = t->npieces;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->pieces[mid].lo <= at)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

struct ptext_spot
ptext_spot(const struct ptext *t, uint32_t at)
{
    if (!t->npieces) return (struct ptext_spot){PTEXT_OWN, 0};
    const struct ptext_piece *p = &t->pieces[ptext_piece_at(t, at)];
    return (struct ptext_spot){p->spot.origin, p->spot.offset + (at - p->lo)};
}

static void
build_reserve(struct ptext_build *b, uint32_t more)
{
    vec_need_many(b->arena, b->data, b->t.size, more, b->room);
    b->t.data = b->data;
}

/* Does a byte at `spot` follow the last one of the text in its origin too? Then no piece is needed:
 * a file without macros is one piece. */
static bool
build_continues(const struct ptext_build *b, struct ptext_spot spot)
{
    if (!b->t.npieces) return false;
    const struct ptext_piece *last = &b->pieces[b->t.npieces - 1];
    return last->spot.origin == spot.origin &&
           last->spot.offset + (b->t.size - last->lo) == spot.offset;
}

static void
build_add_piece(struct ptext_build *b, struct ptext_piece p)
{
    vec_need(b->arena, b->pieces, b->t.npieces, b->pieces_room);
    b->t.pieces = b->pieces;
    b->pieces[b->t.npieces++] = p;
}

void
ptext_add(struct ptext_build *b, const char *bytes, uint32_t size, struct ptext_spot spot)
{
    if (!size) return;
    build_reserve(b, size);
    if (!build_continues(b, spot)) build_add_piece(b, (struct ptext_piece){b->t.size, spot});
    memcpy(b->data + b->t.size, bytes, size);
    b->t.size += size;
}

/* Bytes lo..hi of another text, piece by piece. What that text calls its own belongs to the origin
 * `own` here: a macro's body, copied into a use of it. */
void
ptext_add_part(struct ptext_build *b, const struct ptext *t, uint32_t lo, uint32_t hi, int own)
{
    if (lo >= hi) return;
    for (uint32_t i = ptext_piece_at(t, lo); lo < hi; i++) {
        uint32_t stop = i + 1 < t->npieces ? t->pieces[i + 1].lo : t->size;
        if (stop > hi) stop = hi;
        struct ptext_spot spot = t->pieces[i].spot;
        if (spot.origin == PTEXT_OWN) spot.origin = own;
        spot.offset += lo - t->pieces[i].lo;
        ptext_add(b, t->data + lo, stop - lo, spot);
        lo = stop;
    }
}

/* ---- words ---- */

bool
text_is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool
text_is_name_char(char c)
{
    return text_is_name_start(c) || (c >= '0' && c <= '9');
}

bool
text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

uint32_t
text_name_end(const char *s, uint32_t size, uint32_t at)
{
    while (at < size && text_is_name_char(s[at])) at++;
    return at;
}

/* Behind a backslash at `at` and the character it protects; CR LF is one character. */
uint32_t
text_protected_end(const char *s, uint32_t size, uint32_t at)
{
    if (size - at > 2 && s[at + 1] == '\r' && s[at + 2] == '\n') return at + 3;
    return size - at > 1 ? at + 2 : size;
}

/* memmem in growing steps: a sanitizer looks at all bytes it is given, though the word is near. */
static const char *
find_word(const char *s, size_t size, const char *word, size_t n)
{
    for (size_t step = 256;; step *= 2) {
        size_t part = size - n > step ? n + step : size;
        const char *found = size >= n ? memmem(s, part, word, n) : NULL;
        if (found || size < n || part == size) return found;
        s += step + 1;
        size -= step + 1;
    }
}

bool
text_is_comment(const char *s, uint32_t size, uint32_t at)
{
    if (s[at] == '`') return true;
    return s[at] == '/' && at + 1 < size && (s[at + 1] == '/' || s[at + 1] == '*');
}

/* A comment to the line's end leaves the newline where it
 * is: lines of the plain text are those of the file. */
uint32_t
text_comment_end(const char *s, uint32_t size, uint32_t at)
{
    if (s[at] == '`') {
        at++;
        while (at < size && (text_is_name_char(s[at]) || s[at] == '\\'))
            at = s[at] == '\\' ? text_protected_end(s, size, at) : at + 1;
        return at;
    }
    if (s[at + 1] == '/') {
        while (at < size && s[at] != '\n')
            at = s[at] == '\\' ? text_protected_end(s, size, at) : at + 1;
        return at;
    }
    const char *end = find_word(s + at + 2, size - at - 2, "*/", 2);
    return end ? (uint32_t)(end + 2 - s) : TEXT_OPEN;
}

/* `one_line`: of a directive, whose text ends with its line. Elsewhere strings go over lines. */
uint32_t
text_string_end(const char *s, uint32_t size, uint32_t at, bool one_line)
{
    for (at++; at < size; at = s[at] == '\\' ? text_protected_end(s, size, at) : at + 1) {
        if (s[at] == '"') return at + 1;
        if (s[at] == '\n' && one_line) return TEXT_OPEN;
    }
    return TEXT_OPEN;
}

/* The text of ${<STOP} is anything up to the first STOP, with no way to protect it: that is the
 * original's rule, and what is inside is C++ that nobody here can read. */
struct text_block
text_block(const char *s, uint32_t size, uint32_t at)
{
    struct text_block b = {.end = TEXT_OPEN};
    uint32_t left = size - at - 2;
    if (left && s[at + 2] == '{') {
        b = (struct text_block){.lo = at + 3, .stop = "$}}", .stop_size = 3, .braces = true};
    } else if (left && s[at + 2] == '<') {
        uint32_t end = at + 3;
        while (end < size && s[end] != '}' && s[end] != '\n') end++;
        if (end == size || s[end] != '}') return b;
        b = (struct text_block){.lo = end + 1, .stop = s + at + 3, .stop_size = end - at - 3};
    }
    if (!b.stop_size) return b;
    const char *stop = find_word(s + b.lo, size - b.lo, b.stop, b.stop_size);
    b.hi = stop ? (uint32_t)(stop - s) : size;
    b.end = stop ? b.hi + b.stop_size : TEXT_OPEN;
    return b;
}

/* "C sub ", "C++ head "... and "${" */
static bool
begins_block(const char *line, uint32_t n)
{
    uint32_t at = 0;
    while (at < n && (line[at] == ' ' || line[at] == '\t')) at++;
    if (at == n || line[at] != 'C') return false;
    at += n - at > 2 && line[at + 1] == '+' && line[at + 2] == '+' ? 3 : 1;
    uint32_t word = at;
    while (word < n && (line[word] == ' ' || line[word] == '\t')) word++;
    uint32_t end = text_name_end(line, n, word), size = end - word;
    bool item = (size == 3 && !memcmp(line + word, "sub", 3)) ||
                (size == 4 && !memcmp(line + word, "head", 4));
    return word > at && item && find_word(line + end, n - end, "${", 2);
}

uint32_t
text_next_block(const char *s, uint32_t lo, uint32_t hi)
{
    for (const char *end = s + lo; (end = memchr(end, '\n', (size_t)(s + hi - end)));) {
        const char *line = ++end, *next = memchr(line, '\n', (size_t)(s + hi - line));
        if (begins_block(line, (uint32_t)((next ? next : s + hi) - line)))
            return (uint32_t)(line - s);
    }
    return TEXT_OPEN;
}
