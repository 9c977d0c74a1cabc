/* prep_text.h - what the preprocessor reads: texts whose bytes know where they were written, and
 * the few words it understands (comments, strings, foreign blocks) by where they end. */
#ifndef LUNA_LANG_PREP_PREP_TEXT_H
#define LUNA_LANG_PREP_PREP_TEXT_H

#include "runtime/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- texts ---- */

/* A byte's place: `offset` in the file of `origin` (source.h). A macro's body is kept once and gets
 * an origin with each use; until then its bytes are of PTEXT_OWN. */
struct ptext_spot {
    int origin;
    uint32_t offset;
};
enum { PTEXT_OWN = -1 };

struct ptext_piece {
    uint32_t lo; /* up to the next piece's */
    struct ptext_spot spot;
};

struct ptext {
    const char *data;
    uint32_t size;
    const struct ptext_piece *pieces; /* at least one if size > 0 */
    uint32_t npieces;
};

/* Bytes of memory it takes: a text of many short pieces is more than it looks. */
size_t ptext_cost(const struct ptext *t);
/* The piece that holds byte `at`. */
uint32_t ptext_piece_at(const struct ptext *t, uint32_t at);
/* The place of byte `at`, which may be the end. */
struct ptext_spot ptext_spot(const struct ptext *t, uint32_t at);

/* A text being put together; zeroed: empty. `t` is valid at any time. */
struct ptext_build {
    struct arena *arena;
    struct ptext t;
    char *data;
    struct ptext_piece *pieces;
    uint32_t room, pieces_room;
};

void ptext_add(struct ptext_build *b, const char *bytes, uint32_t size, struct ptext_spot spot);
/* Adds bytes lo..hi-1 of `t`; those of PTEXT_OWN become bytes of `own`. */
void ptext_add_part(struct ptext_build *b, const struct ptext *t, uint32_t lo, uint32_t hi,
                    int own);

/* ---- words ---- */

bool text_is_name_start(char c);
bool text_is_name_char(char c);
bool text_is_blank(char c); /* space, tab, CR, LF */
uint32_t text_name_end(const char *s, uint32_t size, uint32_t at);

/* Behind the backslash at `at` and what it protects: one character, a CR LF being one. */
uint32_t text_protected_end(const char *s, uint32_t size, uint32_t at);

/* An end that is not there. */
#define TEXT_OPEN UINT32_MAX

/* A comment at `at`?  //...  slash-star  `word  */
bool text_is_comment(const char *s, uint32_t size, uint32_t at);
/* Its end: of // the newline, of the others the byte behind. TEXT_OPEN: not closed. */
uint32_t text_comment_end(const char *s, uint32_t size, uint32_t at);
/* The byte behind the string that begins at `at`; one_line:
 * a bare newline does not belong to it. */
uint32_t text_string_end(const char *s, uint32_t size, uint32_t at, bool one_line);

/* A foreign block that begins at `at`, with "${": its inner text is
 * lo..hi-1, the braces of ${{ $}} not counted. `end` is behind it;
 * TEXT_OPEN: not closed. `stop` is its terminator; size 0: malformed. */
struct text_block {
    uint32_t lo, hi, end;
    const char *stop;
    uint32_t stop_size;
    bool braces;
};
struct text_block text_block(const char *s, uint32_t size, uint32_t at);
/* The first line in lo..hi-1 that begins another one, as "C sub f(int k) ${{" does; no line of C
 * reads so. TEXT_OPEN: none. */
uint32_t text_next_block(const char *s, uint32_t lo, uint32_t hi);

#endif
