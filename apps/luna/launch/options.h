/* options.h - the words of a command line, read into a struct.
 *
 * One table holds every option of the command and of built programs: its spelling, who takes it,
 * where its value goes, and its line of help. Three shapes of command line share it:
 *
 *     luna COMMAND [options] FILE [options] [args]   the first word behind FILE that is no option
 *                                                    or is a number (-5) begins args; so does --
 *     luna [options] FILE [args]                     as the original: all behind FILE are args
 *     PROG [options] [args]                          a built program: no FILE
 */
#ifndef LUNA_APPS_OPTIONS_H
#define LUNA_APPS_OPTIONS_H

#include "apps/luna/common/files.h"
#include "lang/report/verdict.h"
#include "runtime/base/arena.h"
#include "runtime/run/runtime.h"

#include <stdbool.h>
#include <stdio.h>

enum who { /* takes an option: a set */
    WHO_RUN = 1,
    WHO_BUILD = 2,
    WHO_CHECK = 4,
    WHO_DUMP = 8,
    WHO_OLD = 16, /* no command word */
    WHO_PROGRAM = 32,
    WHO_SIM = 64,
    WHO_STATS = 128, /* its FILE is a folder, and so is */
    WHO_MAP = 256,
    WHO_REPORT = 512,
    WHO_PLAN = 1024,
    WHO_EXPORT = 2048, /* a folder, too */
    WHO_TOP = 4096     /* its FILE is a PID */
};

struct moment {
    bool given;
    uint64_t ns; /* since the start of a run */
};

struct options {
    enum who who;
    struct arena *arena;
    const char *file; /* NULL: none was given, or WHO_PROGRAM */
    const char *other; /* a second trace, of luna report; or NULL */
    int argc;         /* words of main */
    char **argv;
    int ngiven;       /* words of the command line behind the command */
    char **given;
    bool help;
    int behind_t; /* which word stands behind a -t without a number */
    struct run_options run;
    struct words defines; /* KEY or KEY=TEXT */
    struct words links;   /* names of libraries */
    struct words lets;    /* NAME=INT, of luna plan */
    const char *cpp_dir, *cpp_source, *build_dir; /* NULL: not given */
    const char *output;                           /* -o, --output-file */
    const char *pass, *format, *df, *plot, *sizes, *to;
    const char *report; /* --report: "" is the usual file; NULL: not given */
    const char *sanitize; /* words for -fsanitize; NULL: none */
    struct moment at; /* --at */
    struct verdicts verdicts; /* -W */
    const char *ignored; /* values of options that have no effect here */
    bool paths, hosts; /* of luna report: told as they are */
    bool json, once, o0, o3, verbose, keep, compile_only, copy_object, tell_proof, no_proof, memory;
    double (*size_of)(const void *who, const char *name); /* of values; below 0: not known */
    const void *size_who;                                 /* NULL: nobody knows */
    long memory_limit; /* --memory=LIMIT; 0: there is none */
};

/* luna run, luna plan: how the command was called. */
const char *options_command(const struct options *o);
/* Reads argv[0..argc). False: it was wrong, and said so. */
bool options_read(struct options *o, struct arena *a, enum who who, int argc, char **argv);
/* Lines of help for the options that `who` takes. */
void options_help(enum who who, FILE *out);

#endif
