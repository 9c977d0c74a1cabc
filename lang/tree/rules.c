/* rules.c - the table of the rules of @{ ... }. */
#include "lang/tree/rules.h"

#include "runtime/base/near.h"

#include <string.h>

/* One row per meaningful form. */
static const struct rule_row rows[] = {
    {"locator_cyclic", RULE_LOCATOR_CYCLIC, R_EXPR, ON_NODE, "locator_cyclic: e;", false},
    {"locator_cyclic", RULE_LOCATOR_CYCLIC, R_MAP, ON_ALL, "locator_cyclic x[i] => e;", false},
    {"locator_replicating", RULE_LOCATOR_REPLICATING, R_MAP, ON_ALL,
     "locator_replicating x => all;", false},
    {"request", RULE_REQUEST, R_ENUM, ON_NODE, "request x, y;", true},
    {"wait", RULE_WAIT, R_ENUM, ON_NODE, "wait x, y;", true},
    {"afterpush", RULE_AFTERPUSH, R_MAP, ON_OUTPUT, "afterpush x => label;", true},
    {"req_count", RULE_REQ_COUNT, R_ASSIGN, ON_OUTPUT, "req_count x = e;", true},
    {"req_unlimited", RULE_REQ_UNLIMITED, R_ENUM, ON_OUTPUT, "req_unlimited x, y;", true},
    {"delete", RULE_DELETE, R_ENUM, ON_NODE, "delete x, y;", true},
    {"drop", RULE_DROP, R_ENUM, ON_OUTPUT, "drop x, y;", true},
    {"stealable", RULE_STEALABLE, R_FLAGS, ON_CALL, "stealable;", false},
    {"unroll_at_once", RULE_UNROLL_AT_ONCE, R_FLAGS, ON_LOOP, "unroll_at_once;", false},
    {"nfparam", RULE_NFPARAM, R_ENUM, ON_SUB, "nfparam n;", false},
    {"nfparam", RULE_NFPARAM, R_MAP, ON_CALL, "nfparam n => e;", false},
    {"weight", RULE_WEIGHT, R_EXPR, ON_CALL, "weight: e;", false},
    {"priority", RULE_PRIORITY, R_EXPR, ON_CALL, "priority: e;", false},
    {"cells", RULE_CELLS, R_ENUM, ON_SUB, "cells e1, e2;", false},
    {"cell", RULE_CELL, R_MAP, ON_ALL, "cell x[i][j] => i, j;", false},
    {"bytes", RULE_BYTES, R_MAP, ON_ALL, "bytes x[i][j] => e;", false},
    {"outside", RULE_OUTSIDE, R_MAP, ON_ALL, "outside x => 0.0;", false},
    {"require", RULE_REQUIRE, R_EXPR, ON_SUB, "require: e;", false},
};
enum { ROWS = sizeof rows / sizeof *rows };

enum rule_id
rule_find(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (!strcmp(rows[i].name, name)) return rows[i].id;
    }
    return RULE_UNKNOWN;
}

const struct rule *
rules_of(const struct stmt *s)
{
    return s->body ? s->body->rules : s->rules;
}

const struct rule_row *
rule_row(const char *name, enum rule_kind kind)
{
    const struct rule_row *found = NULL;
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name)) continue;
        if (rows[i].kind == kind) return &rows[i];
        if (!found) found = &rows[i];
    }
    return found;
}

const char *
rule_form(const char *name, enum rule_kind kind)
{
    const struct rule_row *row = rule_row(name, kind);
    return row ? row->form : NULL;
}

const char *
rule_near(const char *name)
{
    struct near near = {.word = name};
    for (int i = 0; i < ROWS; i++) near_try(&near, rows[i].name);
    return near.best;
}
