/* prep_state.h - what the files of the preprocessor share: the stack of texts being read.
 *
 *     level 0   heat.fa     ... for i = 1..$LAST |        each level goes on where it was
 *     level 1   body of LAST            $N-1     |        when the one above has ended
 *     level 2   body of N                  8
 *
 * prep.c walks it, prep_use.c puts macros on it, prep_line.c obeys directives, prep_file.c reads
 * files. Comments and directives are a matter of files: bodies and arguments were cleaned when
 * taken from them. */
#ifndef LUNA_LANG_PREP_PREP_STATE_H
#define LUNA_LANG_PREP_PREP_STATE_H

#include "lang/prep/prep.h"
#include "lang/prep/prep_macro.h"
#include "lang/prep/prep_text.h"

enum {
    PREP_LEVELS_MAX = PREP_INCLUDES_MAX + 1 + PREP_MACROS_MAX,
    PREP_USE_COST = 64,      /* an empty text costs time too */
    PREP_SUGGESTED_MAX = 20, /* looking for the nearest name walks over all */
};

/* An #ifdef or #ifndef that is still open. */
struct cond {
    struct cond *outer;
    const char *word; /* NULL: a faulty one, that was reported */
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
    /* The first string that runs over a line's end: perhaps where a quote was forgotten. */
    uint32_t long_string; /* its offset + 1 */
};

struct prep_state {
    struct arena *arena;
    struct source *source;
    struct diag *diag;
    const struct prep_options *options;
    int options_file; /* of the lines that -D makes */
    struct prep *out;
    int blocks_room, links_room, folders_room;
    struct macros macros;
    struct level levels[PREP_LEVELS_MAX];
    int nlevels, nfiles; /* on the stack */
    bool skips;          /* in a branch not taken */
    size_t expanded, included, text_max; /* bytes */
    bool expanded_enough, included_enough;
    int undefined; /* names reported as such */
    struct ptext_build args; /* of the use being read */
    struct macro_arg *arg;
    int args_room;
};

/* PREP_ERROR(p, PP2, level, lo, hi, "...", ...) reports bytes of a level. */
#define PREP_ERROR(p, code, l, lo, hi, ...)                                                        \
    do {                                                                                           \
        struct ptext_spot spot_ = prep_spot((l), (lo));                                            \
        diag_origin((p)->diag, SEV_ERROR, D_##code, spot_.origin, spot_.offset, (hi) - (lo),       \
                    __VA_ARGS__);                                                                  \
    } while (0)

/* ---- prep.c ---- */
struct level *prep_top(struct prep_state *p);
struct level *prep_push(struct prep_state *p, struct ptext t, int origin, struct macro *macro);
/* The place of a level's byte, for reports. */
struct ptext_spot prep_spot(const struct level *l, uint32_t at);
/* Adds bytes of a level to the plain text; in a skipped branch, only their newlines. */
void prep_put(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi);
void prep_put_lines(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi);
/* Each goes behind the word at l->at; one that is not closed is reported and takes all. */
void prep_skip_comment(struct prep_state *p, struct level *l);
void prep_skip_string(struct prep_state *p, struct level *l);
/* False when it was reported. */
bool prep_skip_block(struct prep_state *p, struct level *l, struct text_block *b);

/* ---- prep_use.c ---- */
/* At $NAME (or #NAME, of old): reads on in the macro's text. */
void prep_take_use(struct prep_state *p, struct level *l);
/* Reports, once for each name, that bytes lo..hi-1 use a
 * macro that is not there; `name`..hi-1 is its name. */
void prep_report_undefined(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi,
                           uint32_t name);
void prep_note_definition(struct prep_state *p, const struct macro *m);

/* ---- prep_line.c ---- */
/* At #word: obeys it. */
void prep_take_directive(struct prep_state *p, struct level *l);

/* ---- prep_file.c ---- */
/* The file of that name: its number, or -1 with the reason in errno (EFBIG: too large). */
int prep_find_file(struct prep_state *p, const char *path);
/* `path` as named in the file that level `l` reads: seen from the working directory. */
const char *prep_beside(struct prep_state *p, const struct level *l, const char *path);
/* Reads on in a file; `o` tells who includes it. */
void prep_push_file(struct prep_state *p, int file, struct origin o);
/* Includes `path`, named in bytes lo..hi-1 of the directive that begins at `start`; `library`: as
 * <path>. */
void prep_include(struct prep_state *p, struct level *l, const char *path, bool library,
                  uint32_t start, uint32_t lo, uint32_t hi);

#endif
