/* require.c - see require.h. */
#include "runtime/table/require.h"

#include "runtime/table/eval.h"

#include <inttypes.h>
#include <stdio.h>

const struct luna_require *
require_broken(const struct luna_program *p, const struct luna_sub *sub, const struct frame *f,
               uint32_t place)
{
    const struct luna_site here = {.place = place};
    luna_env e = {.frame = f->word, .site = &here};
    for (uint32_t i = 0; i < sub->nrequire; i++)
        if (!eval_int(p, &e, p->requires[sub->require + i].expr))
            return &p->requires[sub->require + i];
    return NULL;
}

const char *
require_call(const struct luna_sub *sub, const struct frame *f, char text[REQUIRE_CALL])
{
    int n = snprintf(text, REQUIRE_CALL, "%.100s(", sub->name);
    for (int i = 0; sub->params[i] && n < REQUIRE_CALL; i++) {
        size_t room = (size_t)(REQUIRE_CALL - n);
        const char *comma = i ? ", " : "";
        if (sub->params[i] == 'i')
            n += snprintf(text + n, room, "%s%" PRId32, comma, (int32_t)f->word[i].i);
        else if (sub->params[i] == 'r')
            n += snprintf(text + n, room, "%s%g", comma, f->word[i].d);
        else
            n += snprintf(text + n, room, "%s_", comma);
    }
    if (n < REQUIRE_CALL) snprintf(text + n, (size_t)(REQUIRE_CALL - n), ")");
    return text;
}
