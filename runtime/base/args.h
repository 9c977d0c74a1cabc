/* args.h - the words of a command line: a table of options, read into a struct.
 *
 *     struct want { bool loud; int n; const char *to; };
 *
 *     static const struct args_kind count = {.read = args_int, .flags = ARGS_VALUE, .most = 99};
 *     static const struct args_option table[] = {
 *         {"--loud", "-l", &args_flag, 0, offsetof(struct want, loud), "", "say more"},
 *         {"-n", NULL, &count, 0, offsetof(struct want, n), " N", "how many"},
 *         {"--to", NULL, &args_text, 0, offsetof(struct want, to), "=FILE", "where it goes"},
 *     };
 *
 *     struct args a = {.options = table, .n = 3, .into = &want, .argc = argc, .argv = argv};
 *     while (a.i < a.argc) if (!args_read(&a)) return say(a.fault.text, a.fault.hint);
 *
 * A row is an option: its names, its kind (how its value is written and checked, and what is done
 * with it), who takes it, where the value goes, and its line of help. Values of long options stand
 * behind `=`, those of short ones (two letters) follow at once or are the next word.
 *
 * What is wrong is put into words and not printed. Words of the command line are lent. */
#ifndef LUNA_BASE_ARGS_H
#define LUNA_BASE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct args;
struct args_option;

enum args_flags {
    ARGS_VALUE = 1,   /* it needs a value, */
    ARGS_MAYBE = 2,   /* or takes one */
    ARGS_EMPTY = 4,   /* which may be empty: --to= */
    ARGS_DIGITS = 8,  /* of a short option: at once may only follow digits, -n4 */
    ARGS_APART = 16,  /* or nothing */
    ARGS_NEXT = 32,   /* of a long option: the value is behind = or the next word */
};

/* Checks a value and puts it into a->into; false: it is wrong, and args_wrong told. `value` is NULL
 * if there is none; "" behind a short option that may have one. */
typedef bool args_fn(struct args *a, const struct args_option *o, const char *value);

struct args_kind {
    args_fn *read; /* NULL: the option is known, and without effect */
    unsigned flags;
    long least, most;         /* of args_int; args_put puts `least` */
    const char *const *words; /* of args_choice and args_either; NULL behind the last */
};

struct args_option {
    const char *name, *alias; /* alias NULL: none; name "": `help` stands above what follows */
    const struct args_kind *kind;
    unsigned who; /* a set: those who take it; 0: all */
    size_t at;    /* in the struct that is read */
    const char *form, *help; /* help NULL: it is not told of */
};

struct args_fault {
    char text[600], hint[200];        /* what is wrong; what may help, or "" */
    const char *unknown;              /* the word, if it is no option */
    const struct args_option *others; /* which it is, of others */
};

enum { ARGS_MAX = 96 };

struct args {
    const struct args_option *options;
    int n;        /* ARGS_MAX at most */
    unsigned who; /* reads: one of the set of some rows */
    void *into;
    int argc, i; /* argv[i] is the next word */
    char *const *argv;
    bool given[ARGS_MAX]; /* by row */
    struct args_fault fault;
};

/* Reads the next word, which begins with '-', and its value. */
bool args_read(struct args *a);
/* Takes a word; NULL: there is none. */
const char *args_next(struct args *a);
bool args_given(const struct args *a, const char *name);

/* Always false. */
bool args_wrong(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void args_hint(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Two that do not go together. */
struct args_pair {
    const char *one, *other, *why; /* why NULL: that is clear */
};
bool args_fit(struct args *a, const struct args_pair *pairs, size_t n);

/* A line each; a help of several lines has line feeds. `width`: of the left column. */
void args_help(FILE *out, const struct args_option *options, int n, unsigned who, int width);

/* ---- kinds ---- */

extern const struct args_kind args_flag; /* into a bool: true */
extern const struct args_kind args_text; /* into a const char *, also "" */

args_fn args_put;    /* into an int, or an enum: always the same */
args_fn args_int;    /* into an int, from digits */
args_fn args_word;   /* into a const char * */
args_fn args_choice; /* into an int, or an enum: the place among `words` */
args_fn args_either; /* into a bool: the same for two words */

bool args_digits(const char *text); /* nothing else, and some */
/* Where the value goes. */
#define args_at(a, o, type) ((type *)(void *)((char *)(a)->into + (o)->at))

#endif
