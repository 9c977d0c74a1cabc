/* unroll_parts.h - what the files of this folder know of each other. */
#ifndef LUNA_LANG_UNROLL_UNROLL_PARTS_H
#define LUNA_LANG_UNROLL_UNROLL_PARTS_H

#include "lang/unroll/unroll.h"

#include "runtime/base/vec.h"

#include <setjmp.h>

struct unroll_frame { /* one activation */
    struct unroll_frame *outer;
    uint64_t id;
    uint32_t sub;
    struct unroll_value *word, *local;
    struct unroll_name **name; /* by word: what a name parameter stands for */
};

struct unroll {
    const struct plan *plan;
    struct arena *arena;
    const struct unroll_setup *setup;
    const struct unroll_visitor *visitor;
    struct unroll_frame *frame; /* the innermost, whose memory and that of outer ones is ours */
    struct unroll_fault *fault;
    bool no_memory;
    uint64_t ids, instances; /* with the names they were asked for */
    int depth, loops; /* around the statement */
    struct unroll_repeat *repeat; /* the loop whose turns are compared; NULL: none is */
    int32_t *sides; /* looked for are only those of the lattice; NULL: they are not */
    bool found;
    jmp_buf failed;
    /* Why the last value was not known. */
    const struct plan_site *site; /* in: an input of it, */
    unsigned input;
    const struct symbol *param; /* or this parameter, */
    bool by_zero;               /* or nothing is divided by 0, */
    bool perhaps;               /* which gives 0 where nobody may use it */
};

/* A row; UNROLL_UNKNOWN: only values tell, and u says which. */
struct unroll_value unroll_eval(const struct unroll_instance *x, uint32_t row,
                                const int32_t *index);
/* Not 0 when cut. */
bool unroll_true(struct unroll_value v);
/* `what`: of an index, a bound. */
int32_t unroll_known(const struct unroll_instance *x, struct unroll_value v, const char *what);
/* The shape of what may be read beyond it, by index; false: it has none, or may not. */
struct unroll_shape {
    int64_t lo[UNROLL_INDICES_MAX], hi[UNROLL_INDICES_MAX];
};
bool unroll_open(const struct unroll_instance *x, const struct unroll_name *name,
                 struct unroll_shape *shape);
/* What an input is beyond its shape; false: it is within, or has none. */
bool unroll_value_beyond(const struct unroll_instance *x, const struct plan_in *in,
                         struct unroll_value *v);
/* The frame of what is said of a declaration: what was captured for that. */
struct unroll_frame unroll_captured(const struct unroll_instance *x,
                                    const struct unroll_name *name);
/* Before a value is asked for of which it is to be told why it is not known. */
void unroll_forget(struct unroll *u);
bool unroll_let_of(const struct unroll *u, const struct unroll_name *name, int32_t *value);

/* ---- loops whose turns are alike ---- */

/* Compares them from now on, if they may be. `test`: of a while. */
void unroll_repeat_begin(struct unroll *u, const struct plan_site *loop,
                         const struct plan_site *test, int64_t turns);
void unroll_repeat_turn(struct unroll *u);
/* What a turn has named. */
void unroll_repeat_note(const struct unroll_instance *x, const struct unroll_name *name);
/* How many of the turns that are left may be left out. */
int64_t unroll_repeat_ended(struct unroll *u, int64_t left);
void unroll_repeat_end(struct unroll *u);

#endif
