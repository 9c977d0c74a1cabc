/* parse.h - plain text to tree: Flex and Bison, reentrant; they build, and report only grammar. */
#ifndef LUNA_LANG_PARSE_PARSE_H
#define LUNA_LANG_PARSE_PARSE_H

#include "lang/prep/prep.h"
#include "lang/tree/ast.h"

/* Always gives a whole tree; what could not be read is reported and left out. */
struct ast *parse_run(struct arena *a, const struct source *s, struct diag *d,
                      const struct prep *prep);

#endif
