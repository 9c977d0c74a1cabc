/* text.h - the text of a program as a tree, as far as these tests write programs.
 *
 * It is read a second time here, by nothing of the compiler: what must run after what is to be
 * known without luna. So there is less of the language: bodies are in braces; no let, no labels
 * without `cf`, no rules but weight, locator_cyclic, cell and cells; foreign blocks are skipped.
 *
 * Expressions and references stay text (expr.h): pointers into the program's text. */
#ifndef LUNA_TESTS_SCHEDULE_TEXT_H
#define LUNA_TESTS_SCHEDULE_TEXT_H

#include "runtime/base/arena.h"

#include <stdbool.h>

enum { TEXT_ARGS = 8, TEXT_IX = 4, TEXT_DIMS = 2, TEXT_DFS = 24, TEXT_PARAMS = 8, TEXT_OVERS = 2 };

struct text_rule { /* locator_cyclic x[i] => e;  cell x[i] => e1, e2; */
    bool cell;
    const char *name, *ix[TEXT_IX];
    int nix, dims;
    const char *e[TEXT_DIMS];
    struct text_rule *next;
};

struct text_body {
    const char *df[TEXT_DFS];
    int ndfs;
    struct text_stmt *first;
    struct text_rule *rules;
};

enum text_kind { TEXT_CALL, TEXT_FOR, TEXT_WHILE, TEXT_IF, TEXT_REDUCE };

struct text_stmt {
    enum text_kind kind;
    struct text_stmt *next;
    struct text_body *body, *other; /* of an if: its else */
    const char *label;           /* of a call: name[i][j], or NULL */
    const char *callee;          /* of a call; of a reduction, its operation */
    const char *arg[TEXT_ARGS];  /* of a call */
    int nargs;
    const char *counter[TEXT_OVERS], *lo[TEXT_OVERS], *hi[TEXT_OVERS]; /* of for, reduce; a while
                                                                          has hi: its condition */
    int ncounters;
    const char *element, *out;   /* of reduce; a while has out */
    const char *weight, *node;   /* or NULL */
    bool stays;                  /* of for, if, while: where it was made (placed.h) */
};

struct text_sub {
    const char *name, *param[TEXT_PARAMS];
    bool is_name[TEXT_PARAMS];
    int nparams;
    bool seated;                 /* placed.h */
    struct text_body *body;
    struct text_sub *next;
};

/* A text that is none aborts with its place: a test has written it. */
struct text_sub *text_read(struct arena *a, const char *text);

#endif
