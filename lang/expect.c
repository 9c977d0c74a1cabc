/* expect.c - syntax errors in the user's words. */
#include "lang/parser.h"
#include "parse.tab.h"

#include <stdio.h>
#include <string.h>

void
expect_reserved(struct parser *p, struct token word)
{
    uint64_t bit = (uint64_t)1 << (word.kind & 63);
    if (!(p->told & bit))
        diag(p->diag, SEV_ERROR, D_PAR1, word.span, "'%.*s' is a reserved word, not a name",
             (int)(word.span.hi - word.span.lo), p->text + word.span.lo);
    p->told |= bit;
}

void
expect_report(struct parser *p, const char *const *expected, int n)
{
    p->skipping = true;
    if (p->quiet || p->dead) return;
    struct buf b = {0};
    for (int i = 0; i < n; i++) buf_printf(&b, "%s%s", i ? ", " : "", expected[i]);
    diag(p->diag, SEV_ERROR, D_PAR1, p->last.span, "expected %s", b.data);
    buf_fini(&b);
}
