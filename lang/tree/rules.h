/* rules.h - the rules of @{ ... } that mean something: how they are written, where they stand. */
#ifndef LUNA_LANG_TREE_RULES_H
#define LUNA_LANG_TREE_RULES_H

#include "lang/tree/ast.h"

enum rule_id {
    RULE_UNKNOWN,
    RULE_LOCATOR_CYCLIC,
    RULE_LOCATOR_REPLICATING,
    RULE_REQUEST,
    RULE_WAIT,
    RULE_AFTERPUSH,
    RULE_REQ_COUNT,
    RULE_REQ_UNLIMITED,
    RULE_DELETE,
    RULE_DROP,
    RULE_STEALABLE,
    RULE_UNROLL_AT_ONCE,
    RULE_NFPARAM,
    RULE_WEIGHT,
    RULE_PRIORITY,
    RULE_CELLS,
    RULE_CELL,
    RULE_BYTES,
    RULE_OUTSIDE,
    RULE_REQUIRE
};

enum rule_owner { /* where a rule may stand */
    ON_CALL = 1,
    ON_FOR = 2,
    ON_WHILE = 4,
    ON_IF = 8,
    ON_LET = 16,
    ON_REDUCE = 32,
    ON_SUB = 64,
    ON_LOOP = ON_FOR | ON_WHILE,
    ON_NODE = ON_CALL | ON_LOOP | ON_IF | ON_REDUCE, /* what runs somewhere */
    ON_OUTPUT = ON_CALL | ON_WHILE | ON_REDUCE,      /* what writes DFs */
    ON_ALL = 127
};

/* One form of a rule; there may be several of one name. */
struct rule_row {
    const char *name;
    enum rule_id id;
    enum rule_kind kind;
    unsigned where; /* enum rule_owner, several */
    const char *form;
    bool names_dfs;
};

/* The row of this name and form; else the first of this name; else NULL. */
const struct rule_row *rule_row(const char *name, enum rule_kind kind);
enum rule_id           rule_find(const char *name);
/* How a rule of this name is written, "weight: e;", in the form asked for if it has it; NULL: there
 * is no such rule. */
const char *rule_form(const char *name, enum rule_kind kind);
/* The rule's name that is meant, if `name` is a slip of the hand; else NULL. */
const char *rule_near(const char *name);
/* The rules that belong to a statement: its own, or those behind its body's brace. */
const struct rule *rules_of(const struct stmt *s);

#endif
