/* told.c - see told.h. */
#include "apps/luna/build/told.h"

#include "runtime/base/colour.h"
#include "runtime/base/near.h"

#include <stdio.h>

static const enum diag_code told[] = {D_CC3_1, D_SEM8,   D_EXT9, D_EXT3,  D_SYN1,
                                      D_SEM1,  D_LUNA39, D_PAR3, D_EXT19, D_SEM13_1};
enum { TOLD = sizeof told / sizeof *told };

void
told_choose(struct diag *d)
{
    diag_apply_verdicts(d);
    diag_keep_warnings(d, told, TOLD);
}

void
told_vain(const struct lang *l, struct buf *out)
{
    for (const char *const *name = l->prep.vain; name && *name; name++) {
        struct near near = {.word = *name};
        for (const char **m = l->prep.macros; *m; m++)
            if (strcmp(*m, *name)) near_try(&near, *m);
        for (const struct symbol *c = l->tree ? l->tree->consts : NULL; c; c = c->next)
            near_try(&near, c->name.text);
        buf_printf(out,
                   "luna: %swarning:%s -D %s has no effect: the program uses no macro or const "
                   "of this name\n",
                   colour(COLOUR_WARNING), colour(COLOUR_END), *name);
        if (near.best)
            buf_printf(out, "%shint:%s did you mean '%s'?\n", colour(COLOUR_NOTE),
                       colour(COLOUR_END), near.best);
    }
}

/* With colours: where it will be shown is not known. */
void
told_words(const struct lang *l, struct buf *out)
{
    bool was = colour_turn(true);
    diag_print_text(l->diag, out);
    told_vain(l, out);
    colour_turn(was);
}

void
told_show(struct buf *words)
{
    if (!words->size) return;
    if (!*colour(COLOUR_END)) colour_take_away(words->data);
    fputs(words->data, stderr);
}
