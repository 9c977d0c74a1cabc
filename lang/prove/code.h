/* code.h - counts and conditions as C text. */
#ifndef LUNA_LANG_PROVE_CODE_H
#define LUNA_LANG_PROVE_CODE_H

#include "lang/prove/sets.h"
#include "runtime/base/buf.h"

struct code_columns { /* what stands for them, by number */
    const char **symbols, **words;
};

bool code_is_number(const struct count_piece *p);
int32_t code_number_of(const struct count_piece *p);
/* It holds everywhere. */
bool code_is_all(const struct count_piece *p);

/* Where the piece holds. */
void code_where(struct buf *b, const struct code_columns *v, const struct count_piece *p);
void code_count(struct buf *b, const struct code_columns *v, const struct count_text *t);

#endif
