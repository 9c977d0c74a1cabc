/* elements.c - see elements.h. */
#include "elements.h"

#include "runtime/table/mention.h"

void
elements_eval(const struct luna_program *p, const struct luna_site *owner, struct task *t,
              luna_word *word)
{
    luna_env e = mention_env(owner, t);
    memcpy(word, t->word, owner->nlocal * sizeof *word);
    for (unsigned i = 1; i < owner->nargs; i++) {
        e.arg = i + 1;
        word[owner->nlocal + i - 1].i = eval_int(p, &e, p->args[owner->arg + i].row);
    }
    if (e.temps) eval_drop_temps(&e);
}

uint64_t
elements_count(const struct luna_site *owner, const luna_word *word)
{
    uint64_t all = 1;
    for (uint32_t k = 0; k < owner->b; k++) {
        int64_t n = (int64_t)elements_hi(owner, word, k) - elements_lo(owner, word, k) + 1;
        if (n <= 0) return 0;
        if (all <= UINT32_MAX) all *= (uint64_t)n;
    }
    return all <= UINT32_MAX ? all : UINT64_MAX;
}

const struct luna_site *
elements_term(const struct luna_program *p, const struct luna_site *owner)
{
    const struct luna_site *s = &p->sites[p->blocks[owner->body].site];
    while (s->kind == LUNA_S_FOR) s = &p->sites[p->blocks[s->body].site];
    return s;
}

uint32_t
elements_ref(const struct luna_program *p, const struct luna_site *list)
{
    const struct luna_site *term = elements_term(p, list);
    if (list->a) return p->args[term->arg].row;
    return term->nin == 1 ? p->ins[term->in + term->a].ref : LUNA_NONE;
}
