/* ctext.h - the text of a C or C++ file, token by token, as far as hints need it. */
#ifndef LUNA_APPS_CTEXT_H
#define LUNA_APPS_CTEXT_H

#include <stdbool.h>
#include <stddef.h>

struct word {
    const char *text;
    size_t size;
};

/* At the next token from `at` on: behind blanks, comments and the preprocessor's lines. */
const char *ctext_token(const char *start, const char *at);
bool ctext_is_comment(const char *p);
/* Behind the comment or the literal that begins at `p`. A literal ends with its line in any case:
 * an apostrophe may stand in a number of C++. */
const char *ctext_comment(const char *p);
const char *ctext_literal(const char *p);
/* The word or number at `p`; size 0: there is none. */
struct word ctext_word(const char *p);
bool word_is(struct word w, const char *text);

#endif
