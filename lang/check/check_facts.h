/* check_facts.h - what the checks know of a program: its statements in a row, who uses which
 * fragment how, what surely happens and what only may.
 *
 *     tree --walk--> sites, uses --effects--> what each sub does to its parameters --> df rows
 *
 * *May* is a set of index counts: bit k of df.writes says that something with k indices behind
 * the name may be written, in any sub it is handed to. *Surely* is a list: references with
 * constant indices that are written or awaited whenever the sub runs. A site is certain when it
 * runs whenever its sub does; with sub_row.reached it runs for any input of the program.
 *
 * Rows are numbered from 0 and found from the tree by sub.fact - 1 and symbol.fact - 1. */
#ifndef LUNA_LANG_CHECK_CHECK_FACTS_H
#define LUNA_LANG_CHECK_CHECK_FACTS_H

#include "lang/check/check_form.h"
#include "lang/report/diag.h"
#include "lang/tree/rules.h"

#define NONE (-1)

enum use_kind {
    USE_READ,    /* awaited before the statement runs */
    USE_REQUEST, /* by a request rule */
    USE_WAIT,    /* by a wait rule */
    USE_WRITE,   /* output of an atomic call */
    USE_DROP,    /* output that a drop rule throws away */
    USE_SET,     /* >> */
    USE_OUT,     /* of while or reduce */
    USE_KILL,    /* -->, delete */
    USE_PASS,    /* name argument of a structured call */
    USE_COUNT,   /* req_count, req_unlimited, drop */
    USE_PUSH     /* afterpush */
};

/* What a value is, as far as the text tells. */
enum value_kind { VALUE_NOTHING, VALUE_INT, VALUE_REAL, VALUE_STRING, VALUE_BYTES, VALUE_UNKNOWN };

struct use {
    enum use_kind kind;
    bool soft;        /* may not happen even if the statement runs */
    bool broken;      /* of a call that makes no sense: with any more indices, perhaps */
    bool guarded;     /* its post has a count, so it may be gone when a second one comes */
    int site;         /* NONE: a rule of a sub's block */
    int sub;
    int df;           /* row of the symbol behind the reference */
    int pass;         /* USE_PASS: row of the callee's parameter */
    const struct ref *ref;
    struct target target;
    struct span span;
    enum value_kind held; /* of a write */
    int next;         /* use of the same symbol */
    int next_pass;    /* use that passes to the same parameter */
};

/* Something a sub surely does to its parameter. */
struct effect {
    struct effect *next;
    bool write;
    bool guarded;
    int depth;
    const char *suffix; /* "[1]" behind the parameter; constant */
    struct span span;   /* where, in the end */
};

struct df_row {
    struct symbol *sym;
    int first, last;      /* uses in textual order, by use.next */
    int first_pass;       /* passes to this parameter */
    uint32_t reads, writes, kills; /* bit k: with k indices; bit 31: 31 and more */
    uint32_t waits, pushes;        /* by rules; waits are reads, too */
    uint32_t vague;       /* writes whose indices are not all constant */
    struct effect *effects;
    int neffects;
    enum value_kind held; /* by all that is written */
};

struct site {
    struct stmt *stmt;
    int outer;      /* site whose body it stands in, or NONE */
    bool other;     /* and there behind `else` */
    int sub;
    int first_use, last_use; /* [first, last) in uses: its own, not those of its body */
    bool certain;   /* runs whenever its sub does */
    bool once, twice; /* whenever it runs, its body does at least so often; ifs: never twice */
    bool never;       /* an if: its body never runs, but what stands behind `else` */
};

struct sub_row {
    struct sub *sub;
    int first_site, last_site; /* [first, last) */
    bool reached;   /* runs for any input */
    bool reachable; /* runs for some input, perhaps */
    int *calls;     /* sites that call it */
    int ncalls, calls_room;
};

struct facts {
    struct arena *arena;
    struct ast *tree;
    struct diag *diag;
    struct forms *forms;
    struct sub_row *subs;
    int nsubs;
    struct site *sites;
    int nsites, sites_room;
    struct use *uses;
    int nuses, uses_room;
    struct df_row *dfs;
    int ndfs, dfs_room;
    int stamp; /* of the walk over lets, which remember it in symbol.fact */
    int lets;  /* how deep that walk is */
};

struct facts *facts_new(struct arena *a, struct ast *t, struct diag *d);
/* check_effect.c: what subs may and surely do to their parameters; reached and reachable. */
void facts_effects(struct facts *f);

struct df_row *facts_df(const struct facts *f, const struct symbol *s); /* NULL: not used */
struct sub_row *facts_sub(const struct facts *f, const struct sub *s);
/* The site runs for any input. */
bool facts_certain(const struct facts *f, int site);
/* How far it is from the first value of a `for` to the last, the way its counter goes: less than 0,
 * it has no iterations. False: not known. */
bool facts_span(struct facts *f, const struct stmt *s, int64_t *span);
/* Error when the site runs for any input, else warning. */
enum severity facts_severity(const struct facts *f, int site);
/* Whenever the site around it (not NONE) runs, `site` does. */
bool facts_always(const struct facts *f, int site);
/* Whenever `outer` (NONE: the sub) runs its body, or the branch that holds `site`, that runs. */
bool facts_surely_within(const struct facts *f, int site, int outer);
/* The innermost site (or NONE) whose body holds both; a site counts as holding itself. */
int facts_common(const struct facts *f, int a, int b);
/* The name is declared by loop `site` or somewhere in its body. */
bool facts_declared_in(const struct facts *f, const struct symbol *s, int site);
/* Some ucode that may run could end the run by itself. */
bool facts_may_exit(struct facts *f);
/* A piece of the expression came out of a macro: another -D may change it. */
bool facts_from_macro(struct facts *f, const struct expr *e);
/* Any name in the reference or behind its lets for which `test` holds. */
typedef bool facts_test_fn(void *who, const struct ref *r);
bool facts_any_ref_in(struct facts *f, const struct ref *r, facts_test_fn *test, void *who);

/* check_ucode.c: what the text of an inline sub tells; of an output it is remembered in
 * param->fact. */
enum value_kind facts_ucode_output(const struct sub *s, struct symbol *param);
bool facts_ucode_may_exit(const struct sub *s);

/* ---- the checks, one file each ---- */
void check_unused(struct facts *f);
void check_calls(struct facts *f);
void check_consts(struct facts *f);
void check_exprs(struct facts *f);
void check_conditions(struct facts *f);
void check_rules(struct facts *f);
void check_cells(struct facts *f);
void check_shapes(struct facts *f);
void check_requirements(struct facts *f);
void check_flow(struct facts *f);
void check_cycles(struct facts *f);

/* What a block says of the DFs it declares, in check_cell.c. The expressions of
 * `what`, such a rule or shape, are numbers that are known when the block begins. */
void check_fixed(struct facts *f, const struct expr *list, const char *what, enum diag_code code);
bool check_is_about(const struct rule *r, enum rule_id id);
/* The first from `from` on, and before `end`, about the DF of this name; NULL: none. */
const struct rule *check_rule_for(const struct rule *from, const struct rule *end, enum rule_id id,
                                  const char *name);
/* The name is that of a DF of this block, of which nothing was said yet. */
bool check_owner(struct facts *f, const struct rule *rules, const struct rule *r,
                 const struct code_block *b, enum diag_code code);

/* Where the DF gets its value. */
void facts_note_writer(struct facts *f, const struct df_row *d);

#endif
