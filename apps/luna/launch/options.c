/* options.c - the table of options and the three shapes of command lines. */
#include "apps/luna/launch/options.h"

#include "apps/luna/common/say.h"
#include "runtime/base/args.h"
#include "runtime/base/colour.h"
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
    READS_TRACE = WHO_STATS | WHO_MAP | WHO_REPORT | WHO_EXPORT,
    SPREADS = RUNS | WHO_PLAN,
    COMMANDS = WHO_RUN | WHO_SIM | WHO_BUILD | WHO_CHECK | WHO_DUMP | WHO_PLAN | READS_TRACE |
               WHO_TOP,
    ALL = COMMANDS | WHO_OLD | WHO_PROGRAM,
    WORKERS_MAX = 4096,
    NODES_MAX = 1 << 16,
    CALL_NS_MAX = 1000000000
};

/* ---- values ---- */

static bool
take_define(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    const char *p = text;
    (void)t;
    if (isalpha((unsigned char)*p) || *p == '_')
        while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == text || (*p && *p != '='))
        return args_wrong(r, "-D needs KEY or KEY=VAL, not '%s'", text);
    words_add(o->arena, &o->defines, text);
    return true;
}

/* NAME is x, x[3] or sub.x: what is behind it is looked at when the program is known. */
static bool
take_let(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    const char *is = strchr(text, '=');
    if (!is || is == text || !is[1])
        return args_wrong(r, "%s needs NAME=INT, as in %s steps=100, not '%s'", t->name, t->name,
                          text);
    words_add(o->arena, &o->lets, text);
    return true;
}

static bool
take_link(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    (void)t;
    words_add(o->arena, &o->links, text);
    return true;
}

static bool
take_warning(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    const char *near;
    (void)t;
    if (verdicts_read(&o->verdicts, text, &near)) return true;
    if (near) args_hint(r, "did you mean '%s'?", near);
    else args_hint(r, "for instance -Wno-SYN5 or -Werror=SEM4; docs/messages.md lists the codes");
    return args_wrong(r, "no report is called as in '-W%s'", text);
}

/* -t is two options: with a number how many, alone how long. The original had the second only. */
static bool
take_threads(struct args *r, const struct args_option *t, const char *glued)
{
    struct options *o = r->into;
    bool is_next = !*glued && r->i < r->argc && args_digits(r->argv[r->i]);
    if (*glued || is_next) return args_int(r, t, is_next ? args_next(r) : glued);
    o->behind_t = r->i;
    return o->run.time = true;
}

static bool
take_seed(struct args *r, const struct args_option *t, const char *text)
{
    errno = 0;
    *args_at(r, t, uint64_t) = args_digits(text) ? strtoull(text, NULL, 10) : 0;
    if (args_digits(text) && !errno) return true;
    return args_wrong(r, "%s needs a number from 0 to 2^64 - 1, not '%s'", t->name, text);
}

static bool
take_time(struct args *r, const struct args_option *t, const char *text)
{
    if ((*args_at(r, t, uint64_t) = duration_ns(text))) return true;
    return args_wrong(r, "%s needs a time such as 500us, 10ms or 1s, not '%s'", t->name, text);
}

static bool
take_rate(struct args *r, const struct args_option *t, const char *text)
{
    long bytes = size_bytes(text, "/s");
    *args_at(r, t, uint64_t) = bytes > 0 ? (uint64_t)bytes : 0;
    if (bytes > 0) return true;
    return args_wrong(r, "%s needs bytes per second such as 500MiB/s or 1GiB/s, not '%s'", t->name,
                      text);
}

static bool
take_moment(struct args *r, const struct args_option *t, const char *text)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    struct moment *out = args_at(r, t, struct moment);
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
    return args_wrong(r, "%s needs a time since the start such as 0, 10ms or 1.5s, not '%s'",
                      t->name, text);
}

/* What others see when a value is handed over, the thread sanitizer does not. */
static bool
take_sanitizers(struct args *r, const struct args_option *t, const char *text)
{
    static const char *const known[] = {"address", "undefined", "address,undefined",
                                        "undefined,address"};
    struct options *o = r->into;
    if (!text) text = "address,undefined";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(text, known[i])) o->sanitize = text;
    if (!o->sanitize)
        return args_wrong(r, "%s finds address, undefined, or both, not '%s'", t->name, text);
    return o->run.debug = true;
}

static bool
take_hash(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    if (!text) return o->run.hash = true;
    if (!strcmp(text, "values")) return o->run.hash_values = true;
    return args_wrong(r, "%s stands alone, or as %s=values, not '%s'", t->name, t->name, text);
}

static bool
take_report(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    if (text && !*text) return args_wrong(r, "%s= needs the name of a file", t->name);
    o->report = text ? text : "";
    return true;
}

static bool
take_progress(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    char *end = NULL;
    o->run.progress = !text ? 1 : !strcmp(text, "off") ? -1 : strtod(text, &end);
    bool number = end && end != text && !*end && isdigit((unsigned char)*text);
    if (!end || (number && o->run.progress >= 0.1 && o->run.progress <= 86400)) return true;
    return args_wrong(r, "%s= needs seconds, such as 10 or 0.5, or off, not '%s'", t->name, text);
}

static bool
take_proof(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    o->tell_proof = !text;
    o->no_proof = text;
    if (!text && !(o->who & WHO_CHECK))
        return args_wrong(r, "%s alone is an option of 'luna check'; here it is %s=off", t->name,
                          t->name);
    if (!text || !strcmp(text, "off")) return true;
    return args_wrong(r, "%s stands alone, or as %s=off, not '%s'", t->name, t->name, text);
}

static bool
take_place(struct args *r, const struct args_option *t, const char *text)
{
    *args_at(r, t, const char *) = text;
    if (!strcmp(text, "auto") || !strcmp(text, "node0")) return true;
    return args_wrong(r, "%s is auto or node0, not '%s'", t->name, text);
}

static bool
take_copies(struct args *r, const struct args_option *t, const char *text)
{
    long *room = args_at(r, t, long);
    *room = strcmp(text, "off") ? size_bytes(text, "") : COPIES_OFF;
    if (*room > 0 || !strcmp(text, "off")) return true;
    return args_wrong(r, "%s is off, or bytes such as 64MiB or 1GiB, not '%s'", t->name, text);
}

static bool
take_memory(struct args *r, const struct args_option *t, const char *text)
{
    struct options *o = r->into;
    o->memory = true;
    o->memory_limit = text ? size_bytes(text, "") : 0;
    if (!text || o->memory_limit > 0) return true;
    return args_wrong(r, "%s= needs bytes such as 500MiB or 4GiB, not '%s'", t->name, text);
}

static bool
take_colours(struct args *r, const struct args_option *t, const char *text)
{
    return colour_choose(text) ||
           args_wrong(r, "%s is auto, always or never, not '%s'", t->name, text);
}

static const struct args_kind
    word = {.read = args_word, .flags = ARGS_VALUE},
    define = {.read = take_define, .flags = ARGS_VALUE},
    place = {.read = take_place, .flags = ARGS_VALUE},
    copies = {.read = take_copies, .flags = ARGS_VALUE},
    let = {.read = take_let, .flags = ARGS_VALUE | ARGS_NEXT},
    library = {.read = take_link, .flags = ARGS_VALUE},
    warning = {.read = take_warning, .flags = ARGS_MAYBE},
    nodes = {.read = args_int, .flags = ARGS_VALUE | ARGS_DIGITS, .least = 1, .most = NODES_MAX},
    threads = {.read = take_threads, .flags = ARGS_MAYBE | ARGS_DIGITS, .least = 1,
               .most = WORKERS_MAX},
    workers = {.read = args_int, .flags = ARGS_VALUE, .least = 1, .most = WORKERS_MAX},
    call_ns = {.read = args_int, .flags = ARGS_VALUE, .least = 1, .most = CALL_NS_MAX},
    colours = {.read = take_colours, .flags = ARGS_VALUE},
    hash = {.read = take_hash, .flags = ARGS_MAYBE},
    proof = {.read = take_proof, .flags = ARGS_MAYBE},
    progress = {.read = take_progress, .flags = ARGS_MAYBE},
    memory = {.read = take_memory, .flags = ARGS_MAYBE},
    report = {.read = take_report, .flags = ARGS_MAYBE},
    seed = {.read = take_seed, .flags = ARGS_VALUE},
    time_ns = {.read = take_time, .flags = ARGS_VALUE},
    rate = {.read = take_rate, .flags = ARGS_VALUE},
    sanitizers = {.read = take_sanitizers, .flags = ARGS_MAYBE},
    moment = {.read = take_moment, .flags = ARGS_VALUE},
    ignored = {.flags = ARGS_MAYBE | ARGS_APART}; /* known, without effect here */

/* ---- the table ---- */

/* Rows without help are options of the original, which are taken without a word. */
static const struct args_option table[] = {
#define AT(field) offsetof(struct options, field)
    {"", NULL, &ignored, RUNS, 0, NULL,
     "nodes and workers, as in: luna run -n 4 -t 2 FILE"},
    {"-n", NULL, &nodes, SPREADS, AT(run.nodes), " N", "how many nodes"},
    {"--transport", NULL, &args_text, WHO_RUN | WHO_OLD | WHO_PROGRAM,
     AT(run.transport), "=local|mpi",
     "nodes in one process, or ranks (default: mpi under mpiexec, srun)"},
    {"-t", NULL, &threads, WHO_SIM, AT(run.workers), " [1]",
     "a node has one worker, and no more; alone: print the time"},
    {"-t", NULL, &threads, RUNS & ~WHO_SIM, AT(run.workers), " [T]",
     "T workers (default: one per core); alone: print the time"},
    {"--worker-threads-count", NULL, &workers, RUNS, AT(run.workers), "=T", "the same as -t T"},
    {"-b", NULL, &args_flag, RUNS, AT(run.steal), "",
     "idle nodes take calls that are marked stealable from others"},
    {"--speed", NULL, &args_text, RUNS, AT(run.speed), "=NODE:S[@MS],...",
     "a node is S times as fast (from MS ms on; above 1: in sim)"},
    {"", NULL, &ignored, RUNS, 0, NULL,
     "cells, as in: luna run -n 4 --distrib=rope --start=half FILE"},
    {"--distrib", NULL, &args_text, SPREADS, AT(run.distrib),
     "=cyclic|block|block-cyclic[:BxB]|rope|patch",
     "who owns which cell (default: patch if there are cells)"},
    {"--lattice", NULL, &args_text, SPREADS, AT(run.lattice), "=AxB[xC]",
     "the lattice of nodes, for patch, block-cyclic (default: as even as N allows)"},
    {"--start", NULL, &args_text, SPREADS, AT(run.start), "=even|half|FILE",
     "who owns which cell at the start (default: even)"},
    {"--place", NULL, &place, SPREADS, AT(run.place), "=auto|node0",
     "of a program that does not say where things are (default: auto)"},
    {"--copies", NULL, &copies, RUNS, AT(run.copies), "=SIZE|off",
     "room a node for values of others that it reads again (default: auto)"},
    {"", NULL, &ignored, WHO_PLAN, 0, NULL,
     "what only a run tells, as in: luna plan --let steps=100 --sizes=trace FILE"},
    {"--let", NULL, &let, WHO_PLAN, 0, " NAME=INT",
     "the value of a DF, also of x[3] or sub.x; when a while ends"},
    {"--sizes", NULL, &args_text, WHO_PLAN | WHO_CHECK, AT(sizes), "=TRACE_DIR",
     "how large values are: the mean of each name in a trace"},
    {"", NULL, &ignored, RUNS, 0, NULL,
     "balancing, as in: luna run -n 4 --balance=two-phase --balance-load=time FILE"},
    {"--balance", NULL, &args_text, RUNS, AT(run.balance), "=off|paper|two-phase",
     "cells move between nodes while the program runs (default: off)"},
    {"--balance-every", NULL, &args_text, RUNS, AT(run.balance_every), "=100ms|1000",
     "how often: a time, or calls of a node (default: 100ms)"},
    {"--balance-threshold", NULL, &args_text, RUNS, AT(run.balance_threshold), "=5%",
     "how far above the average a node must be before cells move"},
    {"--balance-load", NULL, &args_text, RUNS, AT(run.balance_load), "=bytes|count|time|weight",
     "what counts as load: values, or calls (default: bytes)"},
    {"", NULL, &ignored, WHO_SIM, 0, NULL,
     "the simulator, as in: luna sim -n 64 --seed=7 --latency=2us FILE"},
    {"--seed", NULL, &seed, WHO_SIM, AT(run.seed), "=S", "all delays depend on it (default: 0)"},
    {"--call-ns", NULL, &call_ns, WHO_SIM, AT(run.call_ns), "=NS",
     "virtual time of a call of weight 1 (default: 1000)"},
    {"--latency", NULL, &time_ns, WHO_SIM, AT(run.latency_ns), "=TIME",
     "how long a message takes; the seed varies it (default: 500ns)"},
    {"--bandwidth", NULL, &rate, WHO_SIM, AT(run.bandwidth), "=BYTES/s",
     "how fast a node sends: 64KiB/s, 1GiB/s (default: 6GiB/s)"},
    {"", NULL, &ignored, RUNS, 0, NULL,
     "looking at a run, as in: luna run --stats --trace=DIR FILE"},
    {"--stats", NULL, &args_flag, RUNS, AT(run.stats), "",
     "print what the run and each worker did"},
    {"--progress", NULL, &progress, RUNS, 0, "[=SECONDS|off]",
     "print a line each second, or so many, about how far it is"},
    {"--trace", NULL, &args_text, RUNS, AT(run.trace), "=DIR",
     "write what happens, and when, into a folder"},
    {"--trace-every", NULL, &time_ns, RUNS, AT(run.trace_every_ns), "=TIME",
     "how often to write the load there: 500us, 1s (default: 10ms)"},
    {"--trace-values", NULL, &args_flag, RUNS, AT(run.trace_values), "",
     "write there which fragments each call reads and assigns"},
    {"--trace-format", NULL, &args_text, RUNS, AT(run.trace_format), "=text|binary",
     "lines of text (default), or records that take a tenth of the time"},
    {"--report", NULL, &report, WHO_RUN | WHO_SIM, 0, "[=FILE.html]",
     "make a page that shows where the time went (default: report.html)"},
    {"--hash", NULL, &hash, RUNS, 0, "[=values]",
     "print a hash of the values of every name; of every value"},
    {"--compare", NULL, &args_text, RUNS, AT(run.compare), "=FILE",
     "which values are not as in FILE, of --hash=values, and where that began"},
    {"--print", NULL, &args_text, RUNS, AT(run.print), "=x[3][*]",
     "print the values of these fragments as they are assigned"},
    {"", NULL, &ignored, COMPILES | WHO_DUMP | WHO_PROGRAM, 0, NULL,
     "trouble inside functions, as in: luna run -g FILE"},
    {"-g", NULL, &args_flag, COMPILES | WHO_DUMP | WHO_PROGRAM, AT(run.debug), "",
     "keep names of fragments, fill fresh memory with a pattern"},
    {"--sanitize", NULL, &sanitizers, WHO_RUN | WHO_SIM, AT(sanitize), "[=address,undefined]",
     "find wrong addresses and what C does not define; both are the default"},
    {"", NULL, &ignored, COMPILES | WHO_DUMP | WHO_PLAN, 0, NULL,
     "compiling, as in: CXX_FLAGS=-march=native luna run -D N=100 --cpp-dir=src FILE"},
    {"-D", NULL, &define, COMPILES | WHO_DUMP | WHO_PLAN, 0, " KEY[=VAL]",
     "define a macro, or give a const its value"},
    {"--proof", NULL, &proof, COMPILES, 0, "[=off]",
     "luna check: tell what is known about each DF; off: prove nothing, free nothing"},
    {"--memory", NULL, &memory, WHO_CHECK, 0, "[=LIMIT]",
     "tell how much is alive at most; more than LIMIT, 4GiB say, is an error"},
    {"-O0", NULL, &args_flag, COMPILES, AT(o0), "", "compile functions without optimisation"},
    {"-O", NULL, &args_flag, COMPILES, AT(o3), "", "compile functions with -O3 (the default)"},
    {"--cpp-dir", NULL, &args_text, COMPILES, AT(cpp_dir), "=A:B",
     "folders whose .c and .cpp files take part (default: FILE's)"},
    {"--cpp-source", NULL, &args_text, COMPILES, AT(cpp_source), "=a.cpp:b.c",
     "more files that take part"},
    {"--link", NULL, &library, COMPILES, 0, "=NAME", "a library that functions call"},
    {"--build-dir", NULL, &args_text, COMPILES, AT(build_dir), "=DIR",
     "where intermediate files go"},
    {"--no-cleanup", NULL, &args_flag, COMPILES, AT(keep), "", "keep the intermediate files"},
    {"--compile-only", NULL, &args_flag, WHO_RUN | WHO_OLD, AT(compile_only), "",
     "compile, keep the files, print the command that runs it"},
    {"-c", NULL, &args_flag, WHO_RUN | WHO_OLD, AT(copy_object), "",
     "compile to ./libucodes.so, print the command that runs it"},
    {"--output-file", NULL, &args_text, WHO_RUN | WHO_OLD, AT(output), "=P",
     "the name of the object made by -c"},
    {"", NULL, &ignored, ALL, 0, NULL, "general"},
    {"-o", NULL, &word, WHO_BUILD, AT(output), " PROG", "the executable to make"},
    {"-o", NULL, &word, WHO_REPORT, AT(output), " FILE.html",
     "the page to make; - is stdout (default: TRACE_DIR/report.html)"},
    {"-o", NULL, &word, WHO_MAP, AT(output), " FILE.png", "make a picture instead of text"},
    {"-o", NULL, &word, WHO_EXPORT, AT(output), " FILE",
     "the file to make; - is stdout (default: one in TRACE_DIR)"},
    {"--to", NULL, &args_text, WHO_EXPORT, AT(to), "=FORMAT",
     "perfetto, paje, otf2, csv, csv-sends or text"},
    {"--at", NULL, &moment, WHO_MAP, AT(at), "=TIME",
     "the time since the start: 0, 10ms, 1.5s (default: the end)"},
    {"--format", NULL, &args_text, WHO_CHECK, AT(format), "=text|json",
     "how diagnostics are printed"},
    {"-W", NULL, &warning, COMPILES, 0, "no-CODE, -WCODE",
     "do not report, or report, warnings with a code (SEM4, SYN5, all)"},
    {"-Wpossible", NULL, &warning, COMPILES, 0, "",
     "tell also what goes wrong only for some values"},
    {"-Werror", NULL, &warning, COMPILES, 0, "[=CODE]",
     "make warnings (with a code) errors; -Wno-error=CODE: do not"},
    {"--paths", NULL, &args_flag, WHO_REPORT, AT(paths), "", "show files with their folders"},
    {"--hosts", NULL, &args_flag, WHO_REPORT, AT(hosts), "", "show the names of hosts"},
    {"--json", NULL, &args_flag, WHO_STATS | WHO_REPORT | WHO_PLAN | WHO_TOP, AT(json), "",
     "print JSON, for programs"},
    {"--once", NULL, &args_flag, WHO_TOP, AT(once), "",
     "look once, and print lines (the default where there is no terminal)"},
    {"--df", NULL, &args_text, WHO_STATS, AT(df), "=NAMES",
     "count only sends of these fragments: x,y"},
    {"--plot", NULL, &args_text, WHO_STATS, AT(plot), "=FILE.png",
     "draw the load of each node over time too"},
    {"--pass", NULL, &args_text, WHO_DUMP, AT(pass), "=NAME", "which pass"},
    {"-q", "--quiet", &args_flag, ALL, AT(run.quiet), "", "say less"},
    {"--verbose", NULL, &args_flag, COMPILES, AT(verbose), "",
     "say which commands are run, and why"},
    {"--color", NULL, &colours, ALL, 0, "=auto|always|never",
     "of messages (default: auto, on a terminal without NO_COLOR)"},
    {"--help", "-h", &args_flag, ALL, AT(help), "", "this text"},
    {"-u", NULL, &ignored, RUNS, 0, NULL, NULL},
    {"--luna-home", NULL, &ignored, COMPILES, 0, NULL, NULL},
    {"--disable-warning", NULL, &ignored, COMPILES, 0, NULL, NULL},
#undef AT
};
enum { NOPTIONS = sizeof table / sizeof *table };

void
options_help(enum who who, FILE *out)
{
    args_help(out, table, NOPTIONS, who, 28);
}

/* ---- what is no option ---- */

static const char *
who_text(unsigned who)
{
    if (who == WHO_OLD) return "luna";
    if (who & WHO_RUN) return "luna run";
    if (who & WHO_SIM) return "luna sim";
    if (who & WHO_BUILD) return "luna build";
    if (who & WHO_STATS) return "luna stats";
    if (who & WHO_MAP) return "luna map";
    if (who & WHO_REPORT) return "luna report";
    if (who & WHO_EXPORT) return "luna export";
    if (who & WHO_PLAN) return "luna plan";
    if (who & WHO_TOP) return "luna top";
    return who & WHO_CHECK ? "luna check" : "luna dump";
}

const char *
options_command(const struct options *o)
{
    return who_text(o->who);
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

/* What to say of a word that is no option here; a built program tells of no others. */
static bool
unknown(struct args *r)
{
    const struct options *o = r->into;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(r->fault.unknown, "="), r->fault.unknown);
    const char *meant = o->who & RUNS ? foreign_word(name) : NULL;
    if (r->fault.others && o->who != WHO_PROGRAM) {
        r->fault.hint[0] = 0;
        return args_wrong(r, "'%s' is an option of '%s', not of '%s'", r->fault.others->name,
                          who_text(r->fault.others->who), who_text(o->who));
    }
    if (meant) args_hint(r, "did you mean '%s'?", meant);
    else if (r->fault.hint[0]) return false;
    else if (o->who == WHO_PROGRAM) args_hint(r, "--help lists the options; -- ends them");
    else if (o->file) args_hint(r, "an argument of main that begins with '-' goes behind '--'");
    else args_hint(r, "'luna help%s' lists the options", who_text(o->who) + 4);
    return false;
}

static bool
read_option(struct args *r)
{
    return args_read(r) || (r->fault.unknown && unknown(r));
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
take_args(struct args *r)
{
    struct options *o = r->into;
    o->argc = r->argc - r->i;
    o->argv += r->i;
    unsigned with_args = WHO_RUN | WHO_SIM | WHO_OLD | WHO_PROGRAM | WHO_CHECK |
                         WHO_PLAN;
    if (!o->argc || o->who & with_args) return true;
    return args_wrong(r, "'%s' takes %s %s; '%s' is one word too many", who_text(o->who),
                      o->who == WHO_REPORT ? "one or two" : "one",
                      o->who & READS_TRACE ? "TRACE_DIR" : o->who & WHO_TOP ? "PID" : "FILE",
                      r->argv[r->i]);
}

static bool
read_words(struct args *r)
{
    struct options *o = r->into;
    bool needs_file = o->who != WHO_PROGRAM;
    while (r->i < r->argc) {
        const char *next = r->argv[r->i];
        if (!strcmp(next, "--")) {
            r->i++;
            if (needs_file && !o->file) o->file = args_next(r);
            return take_args(r);
        }
        if (is_option(next)) {
            if (!read_option(r)) return false;
        } else if (needs_file && !o->file) {
            o->file = args_next(r);
            if (o->who == WHO_OLD) return take_args(r);
        } else if (o->who == WHO_REPORT && !o->other) {
            o->other = args_next(r);
        } else {
            return take_args(r);
        }
    }
    return true;
}

/* -t x a.fa: FILE would be x, which is not there, and a.fa an argument. */
static bool
is_number_of_threads(const struct args *r)
{
    const struct options *o = r->into;
    if (!o->run.time || !o->file || o->file != r->argv[o->behind_t]) return false;
    if (!o->argc || file_is_there(o->file)) return false;
    const char *dot = strrchr(o->argv[0], '.');
    return (dot && !strcmp(dot, ".fa")) || file_is_there(o->argv[0]);
}

static bool
fits_together(struct args *r)
{
    static const struct args_pair pairs[] = {{"-O", "-O0", NULL}};
    const struct options *o = r->into;
    const char *transport = o->run.transport;
    if (!args_fit(r, pairs, sizeof pairs / sizeof *pairs)) return false;
    if (is_number_of_threads(r))
        return args_wrong(r, "-t needs a number from 1 to %d, not '%s'", WORKERS_MAX, o->file);
    if (o->who & WHO_SIM && o->run.workers > 1)
        return args_wrong(r, "-t %d: a node of the simulator has one worker; give it more nodes "
                             "(-n) instead", o->run.workers);
    if (o->output && !(o->who & (WHO_BUILD | READS_TRACE)) && !o->copy_object)
        return args_wrong(r, "--output-file is the name of what -c makes: give -c too");
    if (transport && strcmp(transport, "local") && strcmp(transport, "mpi"))
        return args_wrong(r, "--transport is local or mpi, not '%s'", transport);
    if (o->run.trace_values && !o->run.trace)
        return args_wrong(r, "--trace-values says what a trace has: give --trace=DIR too");
    if (o->run.trace_every_ns && !o->run.trace && !o->report)
        return args_wrong(r, "--trace-every says how often a trace tells the load: give "
                             "--trace=DIR too");
    const char *traced_as = o->run.trace_format;
    if (traced_as && !o->run.trace)
        return args_wrong(r, "--trace-format says how a trace is written: give --trace=DIR too");
    if (traced_as && strcmp(traced_as, "text") && strcmp(traced_as, "binary"))
        return args_wrong(r, "--trace-format is text or binary, not '%s'", traced_as);
    if (o->plot && !strcmp(o->plot, "-"))
        return args_wrong(r, "--plot=-: the text goes to stdout; name a file");
    const char *outputs[] = {o->output, o->plot, o->report};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] && file_missed(outputs[i]))
            return args_wrong(r, "'%s' is %s, and no output takes its place", outputs[i],
                              file_missed(outputs[i]));
    if (o->format && strcmp(o->format, "text") && strcmp(o->format, "json"))
        return args_wrong(r, "--format is text or json, not '%s'", o->format);
    if (o->format && !strcmp(o->format, "json") && (o->memory || o->tell_proof))
        return args_wrong(r, "--format=json is for what luna check finds: leave out %s",
                          o->memory ? "--memory" : "--proof");
    return true;
}

bool
options_read(struct options *o, struct arena *a, enum who who, int argc, char **argv)
{
    *o = (struct options){.who = who, .arena = a, .argv = argv, .ngiven = argc, .given = argv};
    struct args r = {
        .options = table, .n = NOPTIONS, .who = who, .into = o, .argc = argc, .argv = argv};
    if (read_words(&r) && (o->help || fits_together(&r))) return true;
    say_error("%s", r.fault.text);
    if (r.fault.hint[0]) say_hint("%s", r.fault.hint);
    return false;
}
