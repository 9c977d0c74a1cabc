/* access.h - who touches which fragment: the plan as relations from instances of statements to
 * vectors of indices.
 *
 * One sub at a time: the DFs it declares, within one activation of it. Its calls are followed as
 * far as these DFs are handed on. The vector of a fragment begins with the counters of the loops
 * around its declaration, so `df t` inside `for i` is t[i]. */
#ifndef LUNA_LANG_PROVE_ACCESS_H
#define LUNA_LANG_PROVE_ACCESS_H

#include "lang/prove/form.h"

/* Ints that are fixed while an activation lives. */
enum fixed_kind {
    FIXED_MAIN,  /* a parameter of main, which nobody calls: the user decides */
    FIXED_PARAM, /* of another sub */
    FIXED_VALUE, /* what a fragment holds, as an int */
    FIXED_END,   /* of a while: the counter for which its condition fails */
    FIXED_TRUTH  /* 0 or 1, of a comparison */
};
struct env;
struct lone_fragment { /* one with constant indices, of an activation there is one of */
    const struct env *env;
    uint32_t decl; /* also a name parameter of the sub that is looked at: access_param() */
    int n;
    const int64_t *index;
};
struct fixed {
    enum fixed_kind kind;
    uint32_t word; /* of the frame */
    /* FIXED_VALUE: which fragment; FIXED_END: which one gets it, or PLAN_NONE. */
    struct lone_fragment of;
    const struct sums *from;  /* FIXED_END: at least this, */
    const struct where *goes; /* and if it is more this holds: in the turn before, the condition */
    const struct truth *truth; /* FIXED_TRUTH */
    const char *name;
};
/* left op right, where op is ==, < or >=. */
struct truth {
    const char *left, *right; /* in our words: equal for equal values */
    enum op op;
    bool constant; /* the right one is `value` */
    double value;
    struct span span; /* of the condition that it is of; empty: it is of none */
};

/* What stands around a statement: a chain from the inside out. */
enum step_kind {
    STEP_LOOP,
    STEP_IF,
    STEP_WITHIN, /* an access that only counts where its fragment is within its shape, or is not */
    STEP_CALL
};
struct nesting {
    const struct nesting *up;
    enum step_kind kind;
    const struct plan_site *site;
    const struct env *env;      /* in which it stands */
    int visit;                  /* of its statement: as in struct access */
    int loops;                  /* of the chain, with this one */
    bool sure;                  /* all that is around is known: instances are created */
    const struct sums *lo, *hi; /* STEP_LOOP; NULL: not known */
    enum lack lack;             /* then why, if it is a `for` */
    const struct sums *on;      /* STEP_LOOP: its counter is one of these; NULL: any int between */
    unsigned word;              /* STEP_LOOP: the local word of its counter */
    const struct where *where;  /* STEP_IF, STEP_WITHIN */
    bool other;                 /* STEP_IF: the branch behind `else` */
    const struct env *inside;   /* STEP_CALL */
};

static inline int
nesting_loops(const struct nesting *s)
{
    return s ? s->loops : 0;
}

/* An activation on the way. */
struct bound {     /* what a name parameter stands for */
    uint32_t decl; /* PLAN_NONE: no DF of the sub that is looked at */
    int n, hidden; /* words; so many come from loops around the declaration */
    const struct sums **index;
    enum lack lack; /* of the first index that is not known */
};
struct env {
    const struct env *outer;    /* NULL: the sub that is looked at */
    const struct nesting *call; /* the STEP_CALL */
    uint32_t sub;
    const struct sums **frame;
    enum lack *lack; /* of words of `frame` that are not known */
    struct bound *names;
    const struct sums **local; /* as far as the statement being looked at sees */
};

struct access {
    struct access *next;      /* in textual order */
    const struct nesting *at; /* NULL: nothing is around it */
    const struct env *env;
    const struct plan_site *site;
    int visit; /* what one way to a statement touches has the same number */
    struct span span;
    uint32_t ref;
    const struct sums **index; /* of the whole vector; NULL: not known */
    enum lack lack;            /* of the first of these that is not */
    bool sure;                 /* it happens for just these instances, and with these indices */
    bool ruled;                /* a write whose value may leave */
    bool said;                 /* or the program says that it stays */
    const struct sums *promise; /* how many readers the program says a write has; NULL: nothing */
    int out;                   /* a write: which of its site's arguments; -1: `>>` */
    const struct where *beyond; /* where it is beyond its shape; NULL: it has none */
    bool open;                 /* a read that may be there, and is none */
    bool through;              /* by what the call of argument `out` does, not followed */
};

/* An `if` of the sub that is looked at. */
struct choice {
    struct choice *next;
    const struct nesting *at; /* around it */
    const struct plan_site *site;
    const struct where *yes, *no;
    bool told; /* something was said of it */
};

/* A call in the sub that is looked at. */
struct called {
    struct called *next;
    const struct nesting *step;
};

/* Why a DF is not looked at, or not all is said about it. */
enum {
    DECL_VAGUE = 1, /* recursion, or too many calls */
    DECL_SENT = 2,  /* afterpush, wait */
    DECL_DROPPED = 4,
    DECL_KILLED = 8,
    DECL_TOLD = 16,  /* check has reported a slip */
    DECL_COPIED = 32, /* every node gets a copy */
    DECL_PARAM = 64   /* a name parameter of the sub that is looked at */
};

struct touched {           /* one DF with so many words in its vector */
    struct touched *next;  /* of the same DF */
    struct touched *later; /* of all of the sub, as they come */
    uint32_t decl;
    int n;
    int hidden; /* so many words come from loops around the declaration */
    struct access *writes, *reads, **last_write, **last_read;
};

/* What a sub does with a name parameter. */
struct param_facts {
    bool plain; /* it only assigns it, with no more indices, or hands it on to such */
    bool once;  /* and at most once */
    bool read;  /* it only reads it, with no more indices, or hands it on to such */
    bool ends;  /* it is handed on so many times at most, however deep subs call themselves */
};

/* What main is called with. */
struct main_args {
    int n;
    const bool *known; /* by word of its frame: it is an int, */
    const int64_t *value;
};

/* A call that surely happens, and where it does not fulfil what its sub requires. */
struct breach {
    struct breach *next;
    const struct nesting *at;
    const struct where *where;
    const struct plan_site *site;
    const struct env *inside;
    uint32_t require;
};

struct walk_options {
    bool main_called;
    const struct main_args *args; /* NULL: anything */
    const struct main_args *given; /* by sub: what it is called with; NULL: anything */
    int64_t box;     /* fixed ints are between -box and box - 1, */
    bool wide;       /* but what fragments hold, and where a while ends, may be any int */
    bool summarised; /* calls are not followed, but taken by what is known of their parameters, */
    bool closed;     /* also those that only read what they are handed */
    struct param_facts **params; /* by sub and parameter */
    bool **lost;     /* by sub and parameter: calls that were not followed hand fragments to it */
    int *calls;      /* left to follow */
};

struct walk {
    struct former forms;
    const struct plan *plan;
    uint32_t sub;
    struct walk_options o;
    struct fixed *fixed;
    struct interval *ranges; /* of the fixed */
    int nfixed, fixed_room, ranges_room;
    struct interval *counters;
    int counters_room;
    struct touched **targets; /* by declaration, and behind them by parameter */
    struct touched *all, **last;
    struct choice *choices, **last_choice; /* of which nothing was said, and no macro decides */
    uint8_t *flags; /* likewise: DECL_ */
    const struct where **required; /* of the sub: where its requirements hold */
    uint32_t nrequired;
    struct breach *breaches;
    struct called *called, **last_called;
    bool *asked; /* by word of main's frame: it mattered what it was called with */
    /* Where the walk is. */
    const struct nesting *at; /* or within: who is further in need not say so */
    struct env *env;
    const struct plan_site *site;
    int visit, visits; /* of this statement, and of all so far */
    bool *active; /* by sub */
};

/* No vector of `n` words of one can be one of the other, as far as the ends of words show. */
bool access_apart(const struct access *a, const struct access *b, int n);
/* How many loops are around it. */
int access_loops(const struct access *x);
/* Pairs of accesses are compared: of a DF that is touched this often nothing is said. */
bool access_many(const struct touched *t);

/* Collects what concerns the DFs that `sub` declares. */
void access_walk(struct walk *w, struct arena *a, const struct plan *p, uint32_t sub,
                 const struct walk_options *o);
/* The number, among declarations, of a name parameter of the sub that is looked at. */
uint32_t access_param(const struct plan *p, uint32_t word);
/* A word of the frame of that sub. */
const struct sums *access_word(struct walk *w, uint32_t word);
/* In the program's words. */
const char *access_name(const struct walk *w, uint32_t decl);

bool access_lone_same(const struct lone_fragment *a, const struct lone_fragment *b);

#endif
