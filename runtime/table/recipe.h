/* recipe.h - statements prepared once, so that each of a million calls costs little.
 *
 * The rows of a program name each other by number, as a compiler writes them. Before the run they
 * are read once: a recipe holds what a statement's inputs and arguments come from, side by side and
 * resolved. Nearly every index, argument and count is a word of the loops or of the frame plus a
 * constant; whatever else it is stays a row and is left to eval.c.
 *
 *     rows of program.h --recipes_new--> a recipe each --recipe_key, recipe_int--> names, ints
 *
 * Recipes never change and are shared by all nodes of a process.
 *
 * They must not know what is in the store. Why they are made: docs/decisions/0012. */
#ifndef LUNA_RUNTIME_RECIPE_H
#define LUNA_RUNTIME_RECIPE_H

#include "runtime/table/eval.h"
#include "runtime/data/frame.h"
#include "runtime/table/slots.h"
#include "runtime/table/task.h"

enum recipe_from {
    RECIPE_CONSTANT, /* no word */
    RECIPE_LOCAL,
    RECIPE_FRAME,
    RECIPE_ID,       /* the identity of the frame */
    RECIPE_WORDS,    /* of these a word and a constant are taken; else: */
    RECIPE_IN = RECIPE_WORDS, /* an input as it is, of any type; k is its row of exprs[] */
    RECIPE_REAL,     /* a real word of the frame; so is it here */
    RECIPE_ROW       /* k is a row of exprs[] */
};

struct recipe_int { /* a word and a constant */
    uint16_t from, word;
    int32_t k;
};

enum { RECIPE_INDICES = 2 }; /* that nearly all names have, at most */

enum recipe_use { RECIPE_NAMES, RECIPE_ASSIGNS, RECIPE_READS }; /* what a mention is for */

struct recipe_ref {
    uint32_t df, n;                       /* as in struct key */
    struct recipe_int id;
    struct recipe_int ix[RECIPE_INDICES]; /* the first; those not used are constants */
    const struct recipe_int *all;
    uint32_t row;                         /* refs[] */
    bool quick;                           /* not of a parameter, only words in it */
    bool param;                           /* a parameter as it is: word id.word of the frame */
    bool shaped;                          /* its indices are looked at; then it is none of these */
    uint8_t use;                          /* enum recipe_use */
};

struct recipe_in {
    struct recipe_ref ref;
    uint8_t kind, again;          /* as in struct luna_in */
    uint16_t end;                 /* the first input of the next round */
    uint16_t slot;                /* of the frame, bytes from it (slots.h); 0: it has none */
    uint32_t part, turns;         /* as in struct luna_in */
    bool rare;                    /* a part, or it may be beyond a shape */
    bool common;                  /* all turns of the loops around it read the same fragment: */
    uint8_t place;                /* a worker borrows it here (loans.h) */
    bool apart;                   /* it is common, has a slot, or may be beyond a shape */
};

enum recipe_way { WAY_INT, WAY_REAL, WAY_STRING, WAY_IN, WAY_VALUE, WAY_OUT, WAY_LIST };

struct recipe_arg {
    uint8_t way;
    uint8_t drops;       /* OUT: nobody will read it */
    bool twice;          /* IN: another argument is the same input */
    uint16_t in;         /* IN: the value of this input; LIST: of the call's lists */
    uint16_t slot;       /* OUT: of the frame, bytes from it; 0: it has none */
    uint32_t row;        /* exprs[], OUT: refs[] */
    struct recipe_int x; /* INT, REAL: the argument; OUT: how many requests it serves */
    struct recipe_ref ref;
};

struct recipe {
    const struct recipe_in *in;
    const struct recipe_arg *arg;
    const struct luna_function *function; /* of an atomic call, else NULL */
    uint16_t nargs;
    bool asks;    /* all inputs are asked for by name, and wanted whole */
    bool simple;  /* an atomic call that does */
    bool repeats; /* simple, without inputs, outputs, rules: all it has are ints */
    bool makes;   /* it goes on with statements of its own: a sub, a loop, a condition */
    bool pushes;
    bool lists;   /* some of its arguments are lists */
    bool ranked;  /* calls of it have a priority */
    bool at_hand; /* its arguments are inputs, outputs and words */
    bool plain;   /* an atomic call without rules, with one output whose name is at hand, too */
    uint16_t rank; /* its priority is in this word of the frame, plus one; 0: it is its own */
    uint16_t out, nout; /* arguments before the first output; outputs */
    struct frame_shape shape; /* of a call of a structured sub: its frames */
    struct recipe_int lo, hi; /* of a for: its bounds */
};

/* A call of this activation has a priority. One that is not its own, and 0, may be none. */
static inline bool
recipe_ranks(const struct recipe *q, const struct frame *f)
{
    return q->ranked && (!q->rank || f->word[q->rank - 1].i);
}

struct recipes;

/* `slots`: some fragments live in frames (slots.h): what is assigned stays on this node, and nobody
 * wants to know of it. NULL: out of memory. */
struct recipes *recipes_new(const struct luna_program *p, bool slots, bool proved);
void            recipes_free(struct recipes *r);
/* A recipe per statement, in the order of sites[]. */
const struct recipe *recipes_rows(const struct recipes *r);
/* NULL: there are none. */
const struct slots *recipes_slots(const struct recipes *r);
/* Some calls have a priority. */
bool recipes_ranked(const struct recipes *r);
/* By row of dfs[]: some statement may delete fragments of it. NULL: nothing is ever deleted. */
const bool *recipes_deleted(const struct recipes *r);
/* By row of dfs[]: fragments of it stay, or their readers were counted by the compiler. */
const bool *recipes_lent(const struct recipes *r);
/* Most arguments of any atomic call. */
unsigned recipes_args_max(const struct recipes *r);

/* What a recipe is evaluated with: the words of one statement. */
struct cook {
    luna_env e;
    const luna_word *from[RECIPE_WORDS];
    const struct luna_program *p;
    const struct frame *frame;
};

extern const luna_word recipe_zero;

/* For statements of one frame whose words are those of `t`; then cook_site() for each. */
static inline void
cook_begin(struct cook *c, const struct luna_program *p, const struct task *t)
{
    c->e.frame = c->from[RECIPE_FRAME] = t->frame->word;
    c->e.local = c->from[RECIPE_LOCAL] = t->word;
    c->from[RECIPE_CONSTANT] = &recipe_zero;
    c->from[RECIPE_ID] = (const luna_word *)(const void *)&t->frame->id;
    c->e.ix = NULL;
    c->e.temps = NULL;
    c->e.arg = c->e.about = 0;
    c->p = p;
    c->frame = t->frame;
}

static inline void
cook_site(struct cook *c, const struct luna_site *site, struct task *t)
{
    c->e.in = task_values(site, t);
    c->e.site = site;
}

static inline int32_t
recipe_word(const struct recipe_int *x, const struct cook *c)
{
    return (int32_t)((uint32_t)c->from[x->from][x->word].i + (uint32_t)x->k);
}

static inline int32_t
recipe_int(const struct recipe_int *x, const struct cook *c)
{
    if (__builtin_expect(x->from < RECIPE_WORDS, 1)) return recipe_word(x, c);
    if (x->from == RECIPE_IN && c->e.in[x->word].type == LUNA_INT)
        return (int32_t)c->e.in[x->word].w.i;
    return eval_int(c->p, &c->e, (uint32_t)x->k);
}

static inline double
recipe_real(const struct recipe_arg *arg, const struct cook *c)
{
    if (arg->x.from == RECIPE_REAL) return c->e.frame[arg->x.word].d;
    if (arg->x.from == RECIPE_IN && c->e.in[arg->x.word].type == LUNA_REAL)
        return c->e.in[arg->x.word].w.d;
    return eval_real(c->p, &c->e, arg->row);
}

/* A name that came as a parameter, with the indices it brought along. */
static inline void
recipe_key_param(const struct name_ref *r, struct key *k)
{
    k->id = r->id;
    k->df = r->df;
    k->n = r->n;
    k->bound = 0;
    for (uint32_t i = 0; i < r->n; i++) k->ix[i] = name_ref_ix(r)[i];
}

/* Whatever is not quick. */
void recipe_key_slow(const struct recipe_ref *r, const struct cook *c, struct key *k);

/* The name of the fragment: the same as mention_key() of mention.h finds in the rows. */
static inline void
recipe_key(const struct recipe_ref *r, const struct cook *c, struct key *k)
{
    if (__builtin_expect(!r->quick, 0)) {
        if (r->param) recipe_key_param(c->from[RECIPE_FRAME][r->id.word].p, k);
        else recipe_key_slow(r, c, k);
        return;
    }
    k->id = (uint64_t)c->from[r->id.from][r->id.word].i;
    k->df = r->df;
    k->n = r->n;
    k->bound = 0;
    if (!r->n) {
        for (unsigned i = 0; i < RECIPE_INDICES; i++) k->ix[i] = 0;
        return;
    }
    for (unsigned i = 0; i < RECIPE_INDICES; i++) k->ix[i] = recipe_word(&r->ix[i], c);
    for (unsigned i = RECIPE_INDICES; i < r->n; i++) k->ix[i] = recipe_word(&r->all[i], c);
}

#endif
