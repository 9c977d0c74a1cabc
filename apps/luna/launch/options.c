/* options.c - the table of options and the three shapes of command lines. */
#include "apps/luna/launch/options.h"

#include "apps/luna/common/say.h"
#include "lang/report/near.h"
#include "runtime/base/duration.h"
#include "runtime/base/size.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPILES = WHO_RUN | WHO_SIM | WHO_BUILD | WHO_CHECK | WHO_OLD,
    RUNS = WHO_RUN | WHO_SIM | WHO_OLD | WHO_PROGRAM,
    READS_TRACE = WHO_STATS | WHO_MAP,
    COMMANDS = WHO_RUN | WHO_SIM | WHO_BUILD | WHO_CHECK | WHO_DUMP | READS_TRACE,
    ALL = COMMANDS | WHO_OLD | WHO_PROGRAM,
    WORKERS_MAX = 4096,
    NODES_MAX = 1 << 16,
    CALL_NS_MAX = 1000000000
};

enum kind {
    FLAG,    /* --name, sets a bool */
    TEXT,    /* --name=VALUE */
    WORD,    /* -o VALUE, -oVALUE */
    DEFINE,  /* -D KEY[=VAL], -DKEY[=VAL] */
    WARNING, /* -Wno-CODE and the like */
    COUNT,   /* --name=N, at least 1 */
    CALL_NS,
    SEED,    /* --name=S, any 64 bits */
    TIME,    /* --name=10ms, into ns */
    RATE,    /* --name=1GiB/s, into bytes a second */
    MOMENT,  /* --name=1.5s, or 0 */
    NODES,   /* -n N */
    THREADS, /* -t N; -t alone asks for the time */
    SANITIZE, /* --name, or --name=WORDS */
    IGNORED, /* --name, or --name=VALUE: known, without effect here */
};

struct option {
    const char *name, *alias;
    enum kind kind;
    unsigned who;
    size_t at; /* in struct options */
    const char *value, *help;
};

/* Without help: kept so that command lines of the original go on working. */
static const struct option table[] = {
#define AT(field) offsetof(struct options, field)
    {"-n", NULL, NODES, RUNS, 0, " N", "how many nodes"},
    {"--transport", NULL, TEXT, WHO_RUN | WHO_OLD | WHO_PROGRAM, AT(run.transport), "=local|mpi",
     "nodes in one process, or ranks (default: mpi under mpiexec, srun)"},
    {"-t", NULL, THREADS, RUNS, 0, "[T]",
     "T workers (default: one per core); alone: print the time"},
    {"--worker-threads-count", NULL, COUNT, RUNS, AT(run.workers), "=T", "the same as -t T"},
    {"--distrib", NULL, TEXT, RUNS, AT(run.distrib), "=cyclic|block|rope|patch",
     "who owns which cell (default: patch if there are cells)"},
    {"--lattice", NULL, TEXT, RUNS, AT(run.lattice), "=AxB[xC]",
     "of nodes, for patch (default: as even as N allows)"},
    {"--start", NULL, TEXT, RUNS, AT(run.start), "=even|half|FILE",
     "who owns which cell at the start (default: even)"},
    {"--balance", NULL, TEXT, RUNS, AT(run.balance), "=off|paper|two-phase",
     "cells change hands while the program runs (default: off)"},
    {"--balance-every", NULL, TEXT, RUNS, AT(run.balance_every), "=100ms|1000",
     "how often: a time, or calls of a node (default: 100ms)"},
    {"--balance-threshold", NULL, TEXT, RUNS, AT(run.balance_threshold), "=5%",
     "above the average by less, nothing moves"},
    {"--balance-load", NULL, TEXT, RUNS, AT(run.balance_load), "=bytes|count|time|weight",
     "what is load: values, or calls (default: bytes)"},
    {"-b", NULL, FLAG, RUNS, AT(run.steal), "",
     "idle nodes take calls marked stealable from others"},
    {"--speed", NULL, TEXT, RUNS, AT(run.speed), "=NODE:S[@MS],...",
     "a node is S times as fast (from MS ms on; above 1: in sim)"},
    {"--seed", NULL, SEED, WHO_SIM, AT(run.seed), "=S", "of all delays (default: 0)"},
    {"--call-ns", NULL, CALL_NS, WHO_SIM, AT(run.call_ns), "=NS",
     "virtual time of a call of weight 1 (default: 1000)"},
    {"--latency", NULL, TIME, WHO_SIM, AT(run.latency_ns), "=TIME",
     "that a message takes, and the seed varies (default: 500ns)"},
    {"--bandwidth", NULL, RATE, WHO_SIM, AT(run.bandwidth), "=BYTES/s",
     "of what a node sends, 64KiB/s or 1GiB/s (default: 6GiB/s)"},
    {"--hash", NULL, FLAG, RUNS, AT(run.hash), "", "print a hash of the values of every name"},
    {"--stats", NULL, FLAG, RUNS, AT(run.stats), "", "print what the run and each worker did"},
    {"--trace", NULL, TEXT, RUNS, AT(run.trace), "=DIR", "write what happens when into a folder"},
    {"--trace-every", NULL, TIME, RUNS, AT(run.trace_every_ns), "=TIME",
     "between lines of load there: 10ms (the default), 500us, 1s"},
    {"--trace-values", NULL, FLAG, RUNS, AT(run.trace_values), "",
     "calls tell there which fragments they read and assign"},
    {"-g", NULL, FLAG, COMPILES | WHO_DUMP | WHO_PROGRAM, AT(run.debug), "",
     "keep names of fragments, fill fresh memory with a pattern"},
    {"--sanitize", NULL, SANITIZE, WHO_RUN | WHO_SIM, AT(sanitize), "[=address,undefined]",
     "find wrong addresses and what C does not define; both are the default"},
    {"-D", NULL, DEFINE, COMPILES | WHO_DUMP, 0, " KEY[=VAL]", "define a macro"},
    {"-O0", NULL, FLAG, COMPILES, AT(o0), "", "compile functions without optimisation"},
    {"-O", NULL, FLAG, COMPILES, AT(o3), "", "compile functions with -O3 (the default)"},
    {"--cpp-dir", NULL, TEXT, COMPILES, AT(cpp_dir), "=A:B",
     "folders whose .c and .cpp files take part (default: FILE's)"},
    {"--cpp-source", NULL, TEXT, COMPILES, AT(cpp_source), "=a.cpp:b.c",
     "more files that take part"},
    {"--build-dir", NULL, TEXT, COMPILES, AT(build_dir), "=DIR", "where intermediate files go"},
    {"--no-cleanup", NULL, FLAG, COMPILES, AT(keep), "", "keep the intermediate files"},
    {"--compile-only", NULL, FLAG, WHO_RUN | WHO_OLD, AT(compile_only), "",
     "compile, keep the files, print the command that runs it"},
    {"-c", NULL, FLAG, WHO_RUN | WHO_OLD, AT(copy_object), "",
     "compile to ./libucodes.so, print the command that runs it"},
    {"--output-file", NULL, TEXT, WHO_RUN | WHO_OLD, AT(output), "=P", "with -c: its name"},
    {"-o", NULL, WORD, WHO_BUILD, AT(output), " PROG", "the executable to make"},
    {"-o", NULL, WORD, WHO_MAP, AT(output), " FILE.png", "make a picture instead of text"},
    {"--at", NULL, MOMENT, WHO_MAP, AT(at), "=TIME",
     "since the start: 0, 10ms, 1.5s (default: the end)"},
    {"--format", NULL, TEXT, WHO_CHECK, AT(format), "=text|json", "how diagnostics are printed"},
    {"-W", NULL, WARNING, WHO_CHECK, 0, "no-CODE, -WCODE",
     "do not report warnings of a code (SEM4, SYN5.6, SYN5, all); do"},
    {"-Werror", NULL, WARNING, WHO_CHECK, 0, "[=CODE]",
     "warnings (of a code) are errors; -Wno-error=CODE: these are not"},
    {"--json", NULL, FLAG, WHO_STATS, AT(json), "", "the same for programs"},
    {"--df", NULL, TEXT, WHO_STATS, AT(df), "=NAMES", "count only sends of these fragments: x,y"},
    {"--plot", NULL, TEXT, WHO_STATS, AT(plot), "=FILE.png",
     "draw the load of each node over time too"},
    {"--pass", NULL, TEXT, WHO_DUMP, AT(pass), "=NAME", "which pass"},
    {"-q", "--quiet", FLAG, ALL, AT(run.quiet), "", "say less"},
    {"--verbose", NULL, FLAG, COMPILES, AT(verbose), "", "say which commands are run, and why"},
    {"--help", NULL, FLAG, ALL, AT(help), "", "this text"},
    {"-u", NULL, IGNORED, RUNS, 0, NULL, NULL},
    {"--luna-home", NULL, IGNORED, COMPILES, 0, NULL, NULL},
    {"--disable-warning", NULL, IGNORED, COMPILES, 0, NULL, NULL},
#undef AT
};
enum { NOPTIONS = sizeof table / sizeof *table };

struct reader {
    struct options *o;
    int argc, i; /* argv[i] is the next word */
    char **argv;
};

void
options_help(enum who who, FILE *out)
{
    for (const struct option *t = table; t < table + NOPTIONS; t++) {
        if (!(t->who & who) || !t->help) continue;
        char left[64];
        const char *gap = t->kind == THREADS ? " " : "";
        snprintf(left, sizeof left, "%s%s%s%s%s", t->name, gap, t->value, t->alias ? ", " : "",
                 t->alias ? t->alias : "");
        fprintf(out, "  %-28s %s\n", left, t->help);
    }
}

/* ---- values ---- */

static bool
all_digits(const char *s)
{
    if (!*s) return false;
    for (; *s; s++)
        if (!isdigit((unsigned char)*s)) return false;
    return true;
}

static bool
read_count(const char *option, const char *text, int max, int *out)
{
    errno = 0;
    long n = all_digits(text) ? strtol(text, NULL, 10) : 0;
    if (n < 1 || errno || n > max) {
        say_error("%s needs a number from 1 to %d, not '%s'", option, max, text);
        return false;
    }
    *out = (int)n;
    return true;
}

static const char *
next_word(struct reader *r)
{
    return r->i < r->argc ? r->argv[r->i++] : NULL;
}

/* The value glued to a short option, or the next word. */
static const char *
word_value(struct reader *r, const struct option *t, const char *glued)
{
    const char *value = *glued ? glued : next_word(r);
    if (!value) say_error("%s needs a value: %s%s", t->name, t->name, t->value ? t->value : " N");
    return value;
}

static bool
take_define(struct reader *r, const char *text)
{
    const char *p = text;
    if (isalpha((unsigned char)*p) || *p == '_')
        while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == text || (*p && *p != '=')) {
        say_error("-D needs KEY or KEY=VAL, not '%s'", text);
        return false;
    }
    words_add(r->o->arena, &r->o->defines, text);
    return true;
}

static bool
take_warning(struct reader *r, const char *text)
{
    const char *near;
    if (verdicts_read(&r->o->verdicts, text, &near)) return true;
    say_error("no report is called as in '-W%s'", text);
    if (near) say_hint("did you mean '%s'?", near);
    else say_hint("for instance -Wno-SYN5 or -Werror=SEM4; docs/messages.md lists the codes");
    return false;
}

/* -t is two options: with a number how many, alone how long. The original had the second only. */
static bool
take_threads(struct reader *r, const char *glued)
{
    struct options *o = r->o;
    if (*glued) return read_count("-t", glued, WORKERS_MAX, &o->run.workers);
    if (r->i < r->argc && all_digits(r->argv[r->i]))
        return read_count("-t", next_word(r), WORKERS_MAX, &o->run.workers);
    o->run.time = true;
    return true;
}

static bool
take_nodes(struct reader *r, const struct option *t, const char *glued)
{
    const char *text = word_value(r, t, glued);
    return text && read_count("-n", text, NODES_MAX, &r->o->run.nodes);
}

static bool
read_seed(const char *option, const char *text, uint64_t *out)
{
    errno = 0;
    *out = all_digits(text) ? strtoull(text, NULL, 10) : 0;
    if (all_digits(text) && !errno) return true;
    say_error("%s needs a number from 0 to 2^64 - 1, not '%s'", option, text);
    return false;
}

static bool
read_time(const char *option, const char *text, uint64_t *ns)
{
    if ((*ns = duration_ns(text))) return true;
    say_error("%s needs a time such as 500us, 10ms or 1s, not '%s'", option, text);
    return false;
}

static bool
read_rate(const char *option, const char *text, uint64_t *out)
{
    long bytes = size_bytes(text, "/s");
    *out = bytes > 0 ? (uint64_t)bytes : 0;
    if (*out) return true;
    say_error("%s needs bytes per second such as 500MiB/s or 1GiB/s, not '%s'", option, text);
    return false;
}

static bool
read_moment(const char *option, const char *text, struct moment *out)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    size_t n = strspn(text, "0123456789.");
    char *end = NULL;
    double count = n && n < 20 ? strtod(text, &end) : -1, one = count == 0 && !text[n] ? 1 : 0;
    for (int i = 0; i < 4; i++)
        if (!strcmp(text + n, units[i].name)) one = units[i].ns;
    *out = (struct moment){true, 0};
    if (end == text + n && one > 0 && count * one < 9e18) {
        out->ns = (uint64_t)(count * one + 0.5);
        return true;
    }
    say_error("%s needs a time since the start such as 0, 10ms or 1.5s, not '%s'", option, text);
    return false;
}

/* What others see when a value is handed over, the thread sanitizer does not. */
static bool
take_sanitizers(struct reader *r, const char *text)
{
    static const char *const known[] = {"address", "undefined", "address,undefined",
                                        "undefined,address"};
    if (!text) text = "address,undefined";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(text, known[i])) r->o->sanitize = text;
    if (r->o->sanitize) {
        r->o->run.debug = true;
        return true;
    }
    say_error("--sanitize finds address, undefined, or both, not '%s'", text);
    return false;
}

static bool
take(struct reader *r, const struct option *t, const char *value)
{
    char *at = (char *)r->o + t->at;
    switch (t->kind) {
    case FLAG: *(bool *)at = true; return true;
    case TEXT: *(const char **)at = value; return true;
    case WORD: return (*(const char **)at = word_value(r, t, value)) != NULL;
    case DEFINE: return (value = word_value(r, t, value)) && take_define(r, value);
    case WARNING: return take_warning(r, value);
    case COUNT: return read_count(t->name, value, WORKERS_MAX, (int *)at);
    case CALL_NS: return read_count(t->name, value, CALL_NS_MAX, (int *)at);
    case SEED: return read_seed(t->name, value, (uint64_t *)(void *)at);
    case TIME: return read_time(t->name, value, (uint64_t *)(void *)at);
    case RATE: return read_rate(t->name, value, (uint64_t *)(void *)at);
    case MOMENT: return read_moment(t->name, value, (struct moment *)(void *)at);
    case NODES: return take_nodes(r, t, value);
    case THREADS: return take_threads(r, value);
    case SANITIZE: return take_sanitizers(r, value);
    case IGNORED: return true;
    }
    return false;
}

/* ---- options ---- */

/* Short options that may be followed at once by their value. */
static bool
may_glue(const struct option *t, const char *rest)
{
    if (t->kind == THREADS || t->kind == NODES) return all_digits(rest);
    return t->kind == WORD || t->kind == DEFINE || t->kind == WARNING;
}

static bool
is_named(const char *name, const char *word, size_t size)
{
    return name && strlen(name) == size && !memcmp(name, word, size);
}

/* Is `word` this option? Then `value` gets what stands behind `=`, or behind a short option; NULL
 * when there is no `=`. */
static bool
matches(const struct option *t, const char *word, const char **value)
{
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t size = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : is_long ? NULL : word + size;
    if (is_named(t->name, word, size) || is_named(t->alias, word, size)) return true;
    *value = word + 2;
    return !is_long && !strncmp(t->name, word, 2) && word[2] && may_glue(t, word + 2);
}

/* An option of this name that `who` takes, else one of others. */
static const struct option *
find(enum who who, const char *word, const char **value)
{
    const struct option *found = NULL;
    for (const struct option *t = table; t < table + NOPTIONS && !(found && found->who & who); t++)
        if ((!found || t->who & who) && matches(t, word, value)) found = t;
    if (found) matches(found, word, value);
    return found;
}

static const char *
who_text(unsigned who)
{
    if (who == WHO_OLD) return "luna";
    if (who & WHO_RUN) return "luna run";
    if (who & WHO_SIM) return "luna sim";
    if (who & WHO_BUILD) return "luna build";
    if (who & WHO_STATS) return "luna stats";
    if (who & WHO_MAP) return "luna map";
    return who & WHO_CHECK ? "luna check" : "luna dump";
}

/* Words that mean nodes and workers elsewhere. */
static const char *
foreign_word(const char *name)
{
    static const char *const words[][2] = {
        {"--nodes", "-n"},   {"--np", "-n"},      {"-np", "-n"}, {"--ranks", "-n"},
        {"--threads", "-t"}, {"--workers", "-t"}, {"-j", "-t"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], name)) return words[i][1];
    return NULL;
}

static bool
unknown(const struct reader *r, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    struct near near = {.word = name};
    const char *meant = r->o->who & RUNS ? foreign_word(name) : NULL;
    for (const struct option *t = table; t < table + NOPTIONS; t++) {
        if (!(t->who & r->o->who) || !t->help) continue;
        if (word[1] != '-') continue; /* one letter is near to every other */
        near_try(&near, t->name);
        if (t->alias) near_try(&near, t->alias);
    }
    say_error("unknown option '%s'", word);
    if (meant || near.best) say_hint("did you mean '%s'?", meant ? meant : near.best);
    else if (r->o->who == WHO_PROGRAM) say_hint("--help lists the options; -- ends them");
    else if (r->o->file) say_hint("an argument of main that begins with '-' goes behind '--'");
    else say_hint("'luna help%s' lists the options", who_text(r->o->who) + 4);
    return false;
}

/* Behind `=`. */
static bool
needs_value(enum kind kind)
{
    return kind == TEXT || kind == COUNT || kind == TIME || kind == RATE || kind == MOMENT;
}

static bool
read_option(struct reader *r, const char *word)
{
    const char *value;
    const struct option *t = find(r->o->who, word, &value);
    if (!t) return unknown(r, word);
    if (!(t->who & r->o->who)) {
        if (r->o->who == WHO_PROGRAM) return unknown(r, word);
        say_error("'%s' is an option of '%s', not of '%s'", t->name, who_text(t->who),
                  who_text(r->o->who));
        return false;
    }
    if (!value && needs_value(t->kind)) {
        say_error("%s needs a value: %s%s", t->name, t->name, t->value);
        return false;
    }
    if (t->kind == FLAG && value && *value) {
        say_error("%s takes no value", t->name);
        return false;
    }
    return take(r, t, value);
}

/* ---- shapes ---- */

/* -5 and -.5 are arguments of main, wherever they stand. */
static bool
is_number(const char *word)
{
    if (!isdigit((unsigned char)word[1]) && word[1] != '.') return false;
    char *end;
    strtod(word, &end);
    return !*end;
}

static bool
is_option(const char *word)
{
    return word[0] == '-' && word[1] && !is_number(word);
}

static bool
take_args(struct reader *r)
{
    r->o->argc = r->argc - r->i;
    r->o->argv = r->argv + r->i;
    unsigned with_args = WHO_RUN | WHO_SIM | WHO_OLD | WHO_PROGRAM;
    if (!r->o->argc || r->o->who & with_args) return true;
    const char *what = r->o->who & READS_TRACE ? "TRACE_DIR" : "FILE";
    say_error("'%s' takes one %s; '%s' is one word too many", who_text(r->o->who), what,
              r->argv[r->i]);
    return false;
}

static bool
take_file(struct reader *r)
{
    r->o->file = next_word(r);
    return true;
}

static bool
read_words(struct reader *r)
{
    struct options *o = r->o;
    bool needs_file = o->who != WHO_PROGRAM;
    while (r->i < r->argc) {
        const char *word = r->argv[r->i];
        if (!strcmp(word, "--")) {
            r->i++;
            return (!needs_file || o->file || take_file(r)) && take_args(r);
        }
        if (is_option(word)) {
            r->i++;
            if (!read_option(r, word)) return false;
        } else if (needs_file && !o->file) {
            if (!take_file(r)) return false;
            if (o->who == WHO_OLD) return take_args(r);
        } else {
            return take_args(r);
        }
    }
    return true;
}

static bool
fits_together(const struct options *o)
{
    if (o->o0 && o->o3) {
        say_error("-O and -O0 exclude each other");
        return false;
    }
    if (o->output && !(o->who & (WHO_BUILD | WHO_MAP)) && !o->copy_object) {
        say_error("--output-file is the name of what -c makes: give -c too");
        return false;
    }
    if (o->run.transport && strcmp(o->run.transport, "local") && strcmp(o->run.transport, "mpi")) {
        say_error("--transport is local or mpi, not '%s'", o->run.transport);
        return false;
    }
    if (o->run.trace_values && !o->run.trace) {
        say_error("--trace-values says what a trace has: give --trace=DIR too");
        return false;
    }
    if (o->format && strcmp(o->format, "text") && strcmp(o->format, "json")) {
        say_error("--format is text or json, not '%s'", o->format);
        return false;
    }
    return true;
}

bool
options_read(struct options *o, struct arena *a, enum who who, int argc, char **argv)
{
    *o = (struct options){.who = who, .arena = a};
    struct reader r = {.o = o, .argc = argc, .argv = argv};
    if (!read_words(&r)) return false;
    if (o->help) return true;
    return fits_together(o);
}
