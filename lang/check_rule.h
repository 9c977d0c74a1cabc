/* check_rule.h - the rules of @{ ... } that mean something, their forms and where they may
 * stand. */
#ifndef LUNA_LANG_CHECK_RULE_H
#define LUNA_LANG_CHECK_RULE_H

#include "lang/ast.h"

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
    RULE_CELLS,
    RULE_CELL
};

enum rule_id rule_find(const char *name);
/* How a rule of this name is written, "weight: e;", in the form asked for if it has it; NULL: there
 * is no such rule. */
const char *rule_form(const char *name, enum rule_kind kind);
/* The rules that belong to a statement: its own, or those behind its body's brace. */
const struct rule *rules_of(const struct stmt *s);

#endif
