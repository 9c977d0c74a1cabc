/* interpret_parts.h - what the files of the interpreter know of each other. */
#ifndef LUNA_TESTS_INTERPRET_PARTS_H
#define LUNA_TESTS_INTERPRET_PARTS_H

#include "interpret.h"

#include "lang/plan/node.h"

#include <setjmp.h>

struct word;
struct full_name { /* as far as its indices go it is what fragments are told apart by */
    uint64_t id;
    uint32_t decl, n;
    int32_t ix[INTERPRET_INDICES];
    const struct word *captured; /* what its shape sees */
};

struct word { /* of a frame */
    struct interpret_value v;
    const struct full_name *name;
};

struct frame {
    struct frame *parent;
    struct task *done; /* the call, if something follows when all is through */
    uint64_t id;
    long alive; /* tasks, and frames inside */
    struct word word[];
};

struct gather { /* a call that waits for its lists */
    struct task *task;
    unsigned left; /* lists that have not come, and one more while it begins */
    struct interpret_value *list; /* by argument */
};

struct fold { /* a reduction on its way, or a list */
    struct task *task;
    struct gather *gather; /* of a list: of this call, as this argument */
    unsigned argument;
    struct full_name name;
    uint32_t n, come, room;
    bool begun; /* all elements have been asked for */
    struct interpret_value *element;
};

struct task {
    const struct plan_site *site;
    struct frame *frame;
    struct fold *fold;      /* of a term and the loops around it, */
    uint32_t element;       /* and its number */
    unsigned at, end, left; /* inputs [at, end) were asked for, `left` of them have not come */
    struct interpret_value *in, *out; /* out: by argument, when the call has ended */
    int64_t local[];
};

struct run {
    const struct plan *plan;
    const struct interpret_setup *setup;
    struct arena *arena;
    struct map *fragments;
    struct interpret_fragment **last;
    struct interpreted result;
    struct task **queue;
    size_t nqueue, first, room;
    uint64_t ids, state;
    bool small; /* main's ints are: what is proved holds */
    jmp_buf over;
};

/* What an expression sees. */
struct seen {
    struct run *run;
    const struct frame *frame;
    const int64_t *local;
    const struct interpret_value *in, *out;
};

_Noreturn void interpret_over(struct run *r, enum interpret_end how, const char *why);

struct interpret_value interpret_row(const struct seen *e, uint32_t row);
int32_t interpret_int(const struct seen *e, uint32_t row);
bool interpret_true(struct interpret_value v);
int32_t interpret_as_int(const struct seen *e, struct interpret_value v);
void interpret_name(const struct seen *e, uint32_t ref, struct full_name *out);
/* It is outside its shape: *v is what is read there; NULL: that is a fault. */
bool interpret_beyond(const struct seen *e, const struct full_name *name,
                      struct interpret_value *v);

#endif
