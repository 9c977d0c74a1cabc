/* resolve.c - being written. */
#include "lang/resolve.h"
void
resolve_run(struct arena *a, struct ast *t, struct diag *d)
{
    (void)a, (void)t, (void)d;
}
void
resolve_dump(const struct ast *t, struct buf *out)
{
    ast_dump(t, true, out);
}
