/* slips.h - syntax errors that we know: habits from other languages, words in the wrong place. */
#ifndef LUNA_LANG_PARSE_SLIPS_H
#define LUNA_LANG_PARSE_SLIPS_H

#include "lang/parse/expected.h"

/* Was it one, and is it told? */
bool slips_told(const struct expected *x);

#endif
