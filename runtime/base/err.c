/* err.c - the words for each error, from the one list in err.h. */
#include "err.h"

#define ERR_WORDS(name, words) words,
static const char *const err_words[] = {ERR_MAP(ERR_WORDS)};
#undef ERR_WORDS

const char *
err_text(enum err e)
{
    return (unsigned)e < ERR_COUNT ? err_words[e] : "unknown error";
}
