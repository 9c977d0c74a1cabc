/* expected.h - a syntax error as its reports see it: what was found, what stood before it, and the
 * tokens that the grammar would have taken. */
#ifndef LUNA_LANG_PARSE_EXPECTED_H
#define LUNA_LANG_PARSE_EXPECTED_H

#include "lang/parse/parser.h"

struct expected {
    struct parser *p;
    const char *const *words;
    int n;
    struct token found, before;
};

bool expected_has(const struct expected *x, const char *word);

/* ---- which part of the grammar we are in, by what it would take ---- */

/* A name that is declared here: then the grammar takes reserved words and complains itself. */
bool expected_new_name(const struct expected *x);
bool expected_item(const struct expected *x);
bool expected_statement(const struct expected *x);
bool expected_operand(const struct expected *x);
bool expected_operator(const struct expected *x);
/* Behind a call: what may follow besides ';' is told only if the user seems to want it. */
bool expected_call_end(const struct expected *x);
/* Behind a name that begins a statement; the others of these tokens belong to `reduce`, or to what
 * stands left of `=`. */
bool expected_call(const struct expected *x);
/* Behind a reference left of `=`, when it can be nothing else. */
bool expected_assignment(const struct expected *x);

/* ---- words ---- */

/* At most 40 bytes of it. */
const char *expected_text(const struct parser *p, struct span at, int *size);
/* As messages name a token, perhaps in `out`. */
const char *expected_token(const struct parser *p, struct token t, char *out, size_t room);
/* Which of these was meant; NULL: none. The list ends in NULL. */
const char *expected_near(const struct parser *p, struct token t, const char *const *words);
/* The same for what was found, and what stands outside of subs. */
const char *expected_near_item(const struct expected *x);

void expected_say(const struct expected *x, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define SAY(x, ...) expected_say(x, (x)->found.span, __VA_ARGS__)
#define HINT(x, ...) diag_hint((x)->p->diag, __VA_ARGS__)

#endif
