/* unroll.h - all instances of the statements of a plan, one after the other, without values.
 *
 *     for i = 0..1 f(x[i], y[i]);     enter for     enter f, i = 0     enter f, i = 1
 *
 * What an instance names follows from ints: main's arguments, counters, and what `lets` say of
 * fragments. Nothing is called, and nothing is stored: a visitor sees each instance, in the order
 * of the text, what a statement makes before the next one, and asks which fragments and numbers
 * its rows stand for. A number that only values would tell ends the walk, with a fault that names
 * its place.
 *
 * Rows are computed by the arithmetic of the run: ints wrap around, division cuts towards 0. */
#ifndef LUNA_LANG_UNROLL_UNROLL_H
#define LUNA_LANG_UNROLL_UNROLL_H

#include "lang/plan/node.h"
#include "lang/plan/plan.h"

enum {
    UNROLL_INDICES_MAX = 64,
    UNROLL_CAPTURES_MAX = 16,
    UNROLL_DEPTH_MAX = 2000, /* calls of subs inside each other: the walk is recursive */
};

enum unroll_kind { UNROLL_UNKNOWN, UNROLL_INT, UNROLL_REAL };
struct unroll_value {
    enum unroll_kind kind;
    union {
        int64_t i; /* of locals also identities */
        double d;
    } u;
};

/* What a fragment holds, or the end of a while: for all fragments of the name, or for one. */
struct unroll_let {
    const char *name; /* x, or sub.x */
    int n;            /* of indices; 0: all */
    int32_t index[UNROLL_INDICES_MAX];
    int32_t value;
    bool used;
};

/* The name of one fragment, or of those that begin so, as subs are given. */
struct unroll_name {
    uint64_t id; /* of the activation or iteration that declares it; none is 0 */
    uint32_t decl, n, ncaptured;
    int32_t index[UNROLL_INDICES_MAX];
    struct unroll_value captured[UNROLL_CAPTURES_MAX]; /* for what is said of its DF */
};

struct unroll;
struct unroll_instance {
    struct unroll *u;
    const struct plan_site *site;
    const struct unroll_frame *frame;
    const struct unroll_value *local;
    bool ends; /* of a test: its condition fails */
};

/* Turns of a loop that need not be walked: they name what the last one has named, but for indices
 * that move on by `by` in each. Those of the last two turns lie between `low` and `top`. */
struct unroll_shift {
    uint32_t decl, index;
    uint64_t id;
    int32_t by, low, top;
    int32_t high; /* of its shape, if it may be read beyond that */
};
struct unroll_turns {
    const struct plan_site *loop;
    uint64_t n; /* 0: this turn was not as the one before */
    int64_t lag; /* a turn names nothing of turns that are further back */
    const struct unroll_shift *shifts;
    size_t nshifts;
};

/* `around`: what `enter` gave for the statement around; 0: nothing is. */
struct unroll_visitor {
    uint32_t (*enter)(void *who, const struct unroll_instance *x, uint32_t around);
    /* All that a call of a sub, or a reduction, has made was entered; `inside`: what enter gave. Of
     * a call with lists: all elements that it reads; those that it assigns are entered next. */
    void (*leave)(void *who, const struct unroll_instance *x, uint32_t inside);
    /* A turn of a loop has ended. True: the visitor takes the next t->n turns as walked; what
     * comes after names the fragments by their true indices. NULL: all turns are walked. */
    bool (*turn)(void *who, const struct unroll_turns *t);
    void *who;
};

struct unroll_fault {
    char text[600], hint[300]; /* "": there is no hint */
};

struct unroll_setup {
    const struct unroll_value *args; /* of main, by parameter */
    struct unroll_let *lets;
    int nlets;
    int nodes; /* of the run; 0: nobody may ask */
    /* Who had the cell at the start; -1: it is outside the lattice. */
    int (*owner)(void *who, const int32_t *at);
    void *who;
    uint64_t most;    /* instances, and names they are asked for; 0: any number */
    bool every_turn;  /* of loops is walked, whatever the visitor could leave out; */
    const bool *whole; /* or of these, by site. NULL: there are none */
};

/* False: it could not go on, and *fault says why, or it has no text: the visitor has no memory. The
 * arena must have a handler. */
bool unroll_run(struct arena *a, const struct plan *p, const struct unroll_setup *s,
                const struct unroll_visitor *v, struct unroll_fault *fault);

/* ---- for visitors, while they look at an instance: a fault ends the walk ---- */

void unroll_name_of(const struct unroll_instance *x, uint32_t ref, struct unroll_name *out);
/* What is named now is perhaps used by nobody: a division by 0 in it is no fault. */
void unroll_perhaps(const struct unroll_instance *x, bool on);
/* Whether it is written there with just so many indices; its declaration. Needs no values. */
uint32_t unroll_decl_of(const struct unroll_instance *x, uint32_t ref, uint32_t *nindices);
/* An expression as an int; `index`: what it sees as IX, or NULL. */
int32_t unroll_int(const struct unroll_instance *x, uint32_t row, const int32_t *index);
/* As a number. False: it is a value, and that is no fault. */
bool unroll_real(const struct unroll_instance *x, uint32_t row, double *out);
/* The place of a fragment on the lattice of cells, of p->nextents words. False: it is bound to
 * none. */
bool unroll_cell(const struct unroll_instance *x, const struct unroll_name *name, int32_t *at);
/* How large its rule says it is; false: it has none. */
bool unroll_bytes(const struct unroll_instance *x, const struct unroll_name *name, int32_t *bytes);
/* It is no fragment: a read of it is what is said for outside its shape. */
bool unroll_is_beyond(const struct unroll_instance *x, const struct unroll_name *name);
/* Of the lattice, before the walk; false: *fault says why, or it has no text: the lattice would
 * come with a call that does not come. The arena must have a handler. */
bool unroll_extent(struct arena *a, const struct plan *p, const struct unroll_setup *s,
                   int32_t *side, struct unroll_fault *fault);

/* FILE:LINE:COL */
const char *unroll_place(const struct plan *p, uint32_t place, char *text, size_t size);
/* x[3][4] */
const char *unroll_text(const struct plan *p, const struct unroll_name *name, char *text,
                        size_t size);
_Noreturn void unroll_no_memory(const struct unroll_instance *x);
/* Never returns. `hint` may be NULL. */
_Noreturn void unroll_fail(const struct unroll_instance *x, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
