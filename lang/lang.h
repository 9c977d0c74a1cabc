/* lang.h - the compiler: .fa text in, C text out.
 *
 *     file.fa --prep--> plain text --parse--> tree --resolve--> --check-->
 *             --lower--> plan --prove--> --place--> --emit--> C
 *
 * Each pass is a folder; below them are tree/ and plan/, which they work on, and report/, by which
 * they tell the user. Who may include whom is a table in tests/tidy/includes.sh.
 *
 * lang_compile() walks the passes, stops before the next one when there were errors that make it
 * meaningless, and gives everything the command needs to build the program: the emitted C, the
 * foreign blocks as a C and a C++ text, and the files that were read. */
#ifndef LUNA_LANG_LANG_H
#define LUNA_LANG_LANG_H

#include "lang/prep/prep.h"
#include "lang/report/diag.h"
#include "lang/tree/ast.h"
#include "runtime/base/buf.h"

struct lang_options {
    const char *file;
    struct prep_options prep;
    const char *dump; /* name of a pass whose product goes to `dump_out`, or NULL */
    struct buf *dump_out;
    bool no_proof;    /* --proof=off: nothing is proved, nothing counted */
    bool no_place;    /* where things should be is left to the program */
    bool tell_proof;  /* --proof: `proof` of struct lang gets a line for each DF */
    bool tell_memory; /* --memory: `memory` tells how much is alive */
    uint64_t memory_limit; /* of that, in bytes; 0: none */
    double (*size_of)(const void *who, const char *name); /* of values; below 0: not known */
    const void *size_who;                                 /* NULL: nobody knows */
    const char *const *args; /* of main, as far as they are known */
    int nargs;
    bool debug;       /* -g: names of references are kept in the emitted program */
    const struct verdicts *verdicts; /* on warnings; NULL: they are told */
    const struct ast_outside *outside; /* or NULL */
};

struct plan;

struct lang {
    struct arena *arena;
    struct source *source;
    struct diag *diag;
    struct prep prep;
    struct ast *tree;
    struct plan *plan;
    struct buf c_text;    /* the emitted program: includes luna's program.h alone */
    struct buf c_blocks;  /* C heads and C subs with #line; size 0: none */
    struct buf cpp_blocks; /* the same for C++ */
    struct buf proof; /* what is known about each DF */
    struct buf memory; /* how much is alive at most */
};

/* False: out of memory. Faults of the program are in l->diag; c_text is filled when there were
 * none. lang_fini() is due in any case. */
bool lang_compile(struct lang *l, const struct lang_options *o);
void lang_fini(struct lang *l);

/* The passes in order, for luna help and luna dump; NULL behind the last. */
const char *lang_pass_name(int i);

#endif
