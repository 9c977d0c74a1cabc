/* lower_parts.h - what the files of the lowering pass share.
 *
 *     lower.c        subs, blocks, statements: the order of rows
 *     lower_expr.c   expressions: rows where they are affine, else C by lower_code.c
 *     lower_ref.c    references after let substitution, and their homes
 *     lower_need.c   the inputs of a statement, in rounds
 *     lower_rule.c   the rules of a statement: posts, pushes, labels, its node
 *     lower_seat.c   the node of a sub's calls, where the call of the sub has one
 *     lower_cell.c   the lattice, and where on it the fragments of a declaration are
 *     lower_carry.c  may the iterations of a for feed each other?
 *     lower_elements.c   what follows counters of its own, x[i] over i = a..b
 *     lower_reduce.c     reductions: a statement and, for each element, one more
 *     lower_list.c       lists among the arguments of a call
 *
 * A statement is lowered in two walks. The first collects its inputs (need_*): the values an
 * expression uses are numbered in the order in which they arrive. The second makes rows. */
#ifndef LUNA_LANG_LOWER_LOWER_PARTS_H
#define LUNA_LANG_LOWER_LOWER_PARTS_H

#include "lang/plan/out.h"
#include "lang/plan/plan.h"
#include "lang/report/diag.h"

/* A reference to a DF with all lets replaced: y[1] of `let y = x[3]` is x[3][1]. */
struct dfref {
    struct symbol *sym;
    const struct expr **index;
    int nindices;
    const struct expr *part; /* an E_PART: only so much of it is wanted; NULL: all */
    struct span span;
};

/* Homes that depend on values that have homes that depend on values ... */
enum { LOCATOR_DEPTH_MAX = 8 };

struct need { /* an input of the statement being lowered */
    struct dfref ref;
    uint32_t hash;
    uint16_t kind, round; /* enum plan_in_kind */
    uint32_t order;
};

enum { MENTION_READ = 1, MENTION_WRITE = 2, MENTION_PART = 4 }; /* PART: more indices may follow */
struct mention {
    uint32_t ref;
    uint32_t how;
};

enum { SUB_UNREACHED = -2, SUB_REACHED = -1 }; /* a sub's number; else its row */

struct lower {
    struct arena *a;
    const struct source *source;
    const struct ast *tree;
    struct diag *diag;
    struct plan *p;
    struct sub *sub; /* being lowered, and its row */
    uint32_t sub_row;

    /* The statement being lowered. */
    const struct stmt *stmt;
    const struct rule *rules; /* its own */
    const struct code_block *block; /* it stands in */
    unsigned nlocal;           /* words it sees */
    uint32_t fill_at;          /* the row it will have */
    struct need *needs;
    unsigned nneeds, needs_room;
    unsigned round;         /* in which the phase being collected begins */
    unsigned locator_depth;
    bool counts;   /* a req_count of the statement is being lowered, which may read its outputs */
    bool reads_own; /* one did */

    struct out text; /* scratch of the expression printer */
    struct mention *mentions; /* of the loops being lowered */
    uint32_t nmentions, mentions_room;
    unsigned npushes;
    const char *file; /* the last one seen by lower_place, and its number */
    uint32_t file_row;
    bool deep_reported;
    bool has_cells; /* a sub says `cells` */
    struct captures *captures; /* what is said of a DF is being lowered (lower_cell.c); else NULL */
};

/* ---- lower_ref.c ---- */
/* Through let names and nothing else. */
const struct expr *lower_see(struct lower *l, const struct expr *e);
/* False when it is no reference to a DF. */
bool     lower_flatten(struct lower *l, const struct ref *r, struct dfref *out);
/* The fragment of an E_PART, of which that is wanted. False: there is none, which was reported. */
bool     lower_part(struct lower *l, const struct expr *e, struct dfref *out);
bool     lower_is_df(const struct symbol *sym);
uint32_t lower_ref_hash(struct lower *l, const struct dfref *r);
bool     lower_ref_same(struct lower *l, const struct dfref *a, const struct dfref *b);
bool     lower_has_df(struct lower *l, const struct expr *e);
/* Whether it mentions a counter or DF that only the body of the statement sees. */
bool     lower_names_inside(struct lower *l, const struct expr *e);
/* The expression with the names bound by a locator replaced by the indices of a mention. */
struct expr *lower_bind(struct lower *l, const struct expr *e, const struct expr *const *index);
/* The map locator of a name as the statement sees it; NULL: none, or unfit (reported). */
const struct rule *lower_find_map(struct lower *l, const char *name, int nindices, struct span use);
void     lower_map_blocks(struct lower *l, const struct code_block *b); /* for these two */
/* The same for any statement that has no body, and whatever the number of indices. */
const struct rule *lower_map_of(struct lower *l, const struct stmt *s, const char *name);
uint32_t lower_ref(struct lower *l, const struct dfref *r, bool with_home);
/* In a req_count: which argument of the call is this its output; -1: none. */
int      lower_own(struct lower *l, const struct dfref *r);
uint32_t lower_locator_of(struct lower *l, const struct rule *map, const struct expr *e);

/* ---- lower_expr.c: rows, by what the reader of the row needs ---- */
uint32_t lower_int(struct lower *l, const struct expr *e);
bool     lower_int_may_fail(const struct plan_expr *row); /* which is to be an int */
uint32_t lower_true(struct lower *l, const struct expr *e);
uint32_t lower_real(struct lower *l, const struct expr *e);
uint32_t lower_string(struct lower *l, const struct expr *e);
uint32_t lower_value(struct lower *l, const struct expr *e);
uint32_t lower_ints(struct lower *l, const struct expr *const *e, int n); /* consecutive */

/* ---- lower_need.c ---- */
void     need_begin(struct lower *l);
/* The next inputs are asked for when all so far have come. */
void     need_next_phase(struct lower *l);
void     need_input(struct lower *l, const struct dfref *r, enum plan_in_kind kind);
void     need_expr(struct lower *l, const struct expr *e, enum plan_in_kind kind);
/* What must be known to tell which DF this is and where it lives; not its value. */
void     need_name(struct lower *l, const struct dfref *r, bool with_home, enum plan_in_kind kind);
void     need_end(struct lower *l, struct plan_site *site); /* numbers them, makes their rows */
unsigned need_position(struct lower *l, const struct dfref *r);

/* ---- lower_rule.c ---- */
bool     rule_is(const struct rule *r, enum rule_kind kind, const char *name);
void     rules_need_node(struct lower *l);
void     rules_need_explicit(struct lower *l); /* request, wait */
void     rules_need(struct lower *l);
uint32_t rules_lower(struct lower *l, struct plan_site *site);
uint32_t rules_of_seat(struct lower *l); /* of a statement that has none: where it runs */
uint32_t rules_post(struct lower *l, uint32_t ref); /* what rules the output */
bool     rules_stealable(const struct lower *l);

/* ---- lower_seat.c ---- */
/* Finds out which subs have a seat, or a rank, before any is lowered. */
void     lower_seats(struct lower *l, struct sub *subs);
/* As a row of locators, in the sub being lowered; PLAN_NONE: it has none. */
uint32_t lower_seat(struct lower *l);
/* What the call of a sub tells it, when this is its own node. False: nothing. */
bool     lower_seat_passed(struct lower *l, uint32_t locator, struct plan_nfarg *arg);
/* Likewise of the rank: an expression; and what the call of a sub tells it, of this priority. */
uint32_t lower_rank(struct lower *l);
bool     lower_rank_passed(struct lower *l, uint32_t priority, struct plan_nfarg *arg);
/* Of its frame. */
unsigned lower_words(const struct sub *s);

/* ---- lower_cell.c ---- */
/* The rules behind the block's brace that are about the DFs it declares. */
void     lower_cells(struct lower *l, const struct code_block *b, unsigned nlocal);
/* The word of the captured frame that stands for a word of the block being lowered. */
unsigned lower_capture(struct lower *l, bool in_frame, unsigned word);
/* What must be known to tell on which cell a call without locator runs. */
void     lower_near_needs(struct lower *l, const struct stmt *call);
/* The references it runs with the first of which that is bound to a cell; the first's row. */
uint32_t lower_near(struct lower *l, const struct stmt *call, uint32_t *count);

/* ---- lower_carry.c ---- */
void carry_mention(struct lower *l, uint32_t ref, unsigned how);
/* Mentions since `from` are those of the body of a for whose counter is local word `counter`. */
bool carry_between(struct lower *l, uint32_t from, unsigned counter);

/* ---- lower_elements.c ---- */
struct ranged {
    const struct stmt *stmt;
    const struct reduce_range *ranges;
    struct dfref elem;
    unsigned outer; /* words its owner sees */
    unsigned counters, hoisted;
};
/* Counts its words and gives the counters theirs. */
void          elements_begin(struct lower *l, struct ranged *r);
void          elements_need_bounds(struct lower *l, const struct ranged *r);
void          elements_need_indices(struct lower *l, const struct ranged *r);
/* Of its owner: how many, and these. */
unsigned      elements_ints(const struct ranged *r);
void          elements_args(struct lower *l, const struct ranged *r, struct plan_arg *args);
/* As TERM sees the element, and how many words: each index that needs a value, but no counter, is
 * an int of the owner. */
struct dfref  elements_inside(struct lower *l, const struct ranged *r);
unsigned      elements_words(const struct ranged *r);
/* The block of TERM, with loops around it. */
uint32_t      elements_body(struct lower *l, const struct ranged *r, struct plan_site term);

/* ---- lower_reduce.c ---- */
struct plan_site lower_reduce(struct lower *l, const struct stmt *s, unsigned nlocal);

/* ---- lower_list.c ---- */
struct lists;
/* The first element of an argument, as the call sees it. False: it takes values to tell it. */
bool          list_first(struct lower *l, const struct expr *over, struct dfref *out);
/* Those of a call; what the call needs for them; their rows: args[] as the call sees them, then the
 * block, when nothing more is lowered of the call, which is in row `call`. PLAN_NONE: there are
 * none. */
struct lists *lists_begin(struct lower *l, const struct stmt *s, unsigned nlocal);
void          lists_need(struct lower *l, const struct lists *all);
void          lists_args(struct lower *l, struct lists *all);
uint32_t      lists_lower(struct lower *l, const struct lists *all, uint32_t call);

/* ---- lower.c ---- */
/* A row for a statement that sees `nlocal` words; what follows is about this one. */
struct plan_site lower_site(struct lower *l, const struct stmt *s, enum plan_site_kind kind,
                            unsigned nlocal);
/* What its node depends on, then `request` and `wait`. */
void     lower_rules_first(struct lower *l);
uint32_t lower_function(struct lower *l, struct sub *s); /* the row of an atomic sub */
struct plan_arg lower_int_arg(struct lower *l, const struct expr *e);
uint32_t lower_place(struct lower *l, struct span span);
void     lower_too_large(struct lower *l, struct span span, const char *what, unsigned most);

#endif
