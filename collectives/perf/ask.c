/* ask.c - see ask.h. */
#include "collectives/perf/ask.h"

#include "runtime/base/near.h"
#include "runtime/base/size.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MOST = 1 << 16, LAUNCHES_MOST = 1000000 };

long
series_next(const struct series *r, long now)
{
    if (!r->times) return now > LONG_MAX - r->add ? LONG_MAX : now + r->add;
    if (!now) return 1;
    return now > LONG_MAX / r->times ? LONG_MAX : now * r->times;
}

long
series_last(const struct series *r)
{
    long last = r->least;
    if (!r->times) return last + (r->most - last) / r->add * r->add;
    for (long next = last; next <= r->most; next = series_next(r, next)) last = next;
    return last;
}

/* ---- values ---- */

static bool
take_number(struct args *r, const struct args_option *t, const char *text, long *out)
{
    long n = size_bytes(text, ""), least = t->kind->least, most = t->kind->most;
    if (n < least || n > most)
        return args_wrong(r, "%s needs a number from %ld to %ld, not '%s'", t->name, least, most,
                          text);
    *out = n;
    return true;
}

static bool
take_long(struct args *r, const struct args_option *t, const char *text)
{
    return take_number(r, t, text, args_at(r, t, long));
}

static bool
take_launches(struct args *r, const struct args_option *t, const char *text)
{
    long n = 0;
    if (!take_number(r, t, text, &n)) return false;
    *args_at(r, t, int) = (int)n;
    return true;
}

static bool
take_percent(struct args *r, const struct args_option *t, const char *text)
{
    char *end;
    double *out = args_at(r, t, double);
    *out = strtod(text, &end);
    if (end != text && !*end && *out > 0 && *out < 100) return true;
    return args_wrong(r, "%s needs a percentage such as 5, not '%s'", t->name, text);
}

/* Names that luna perf knows; it says so when one is strange. */
static bool
take_peers(struct args *r, const struct args_option *t, const char *text)
{
    struct ask *a = r->into;
    for (a->npeers = 0; *text; text += strcspn(text, ",")) {
        if (*text == ',') text++;
        if (a->npeers == ASK_PEERS)
            return args_wrong(r, "%s takes at most %d names", t->name, ASK_PEERS);
        a->peers[a->npeers++] = text;
    }
    return true;
}

static bool
take_confidence(struct args *r, const struct args_option *t, const char *text)
{
    static const char *const names[] = {"90", "95", "99"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(names[i], text)) {
            *args_at(r, t, double) = atoi(text) / 100.0;
            return true;
        }
    return args_wrong(r, "%s is %s, not '%s'", t->name, t->form + 1, text);
}

static bool
take_both_procs(struct args *r, const struct args_option *t, const char *text)
{
    struct series *p = args_at(r, t, struct series);
    if (!take_number(r, t, text, &p->least)) return false;
    p->most = p->least;
    return true;
}

static bool
take_step(struct args *r, const struct args_option *t, const char *text)
{
    struct series *range = args_at(r, t, struct series);
    range->times = 0;
    return take_number(r, t, text, &range->add);
}

static bool
take_factor(struct args *r, const struct args_option *t, const char *text)
{
    return take_number(r, t, text, &args_at(r, t, struct series)->times);
}

static bool
keep_quarters(struct args *r, const struct args_option *t, const char *text)
{
    (void)text;
    *args_at(r, t, double) = 0;
    return true;
}

/* In the order of the enums that they set; "" is what was not given. */
static const char *const modes[] = {"", "synctime", "nosync", NULL};
static const char *const clocks[] = {"", "linear", "ring", "same", NULL};
static const char *const buffers[] = {"producer", "hot", "cold", NULL};
static const char *const units[] = {"usec", "sec", NULL};
static const char *const binds[] = {"none", "core", NULL};
static const char *const picks[] = {"median", "least", NULL};

static const struct args_kind
    word = {.read = args_word, .flags = ARGS_VALUE},
    procs = {.read = take_long, .flags = ARGS_VALUE, .least = 1, .most = PROCS_MOST},
    both_procs = {.read = take_both_procs, .flags = ARGS_VALUE, .least = 1, .most = PROCS_MOST},
    bytes = {.read = take_long, .flags = ARGS_VALUE, .most = INT_MAX},
    step = {.read = take_step, .flags = ARGS_VALUE, .least = 1, .most = INT_MAX},
    factor = {.read = take_factor, .flags = ARGS_VALUE, .least = 2, .most = INT_MAX},
    launches = {.read = take_launches, .flags = ARGS_VALUE, .least = 1, .most = LAUNCHES_MOST},
    percent = {.read = take_percent, .flags = ARGS_VALUE},
    mode = {.read = args_choice, .flags = ARGS_VALUE, .words = modes},
    clocks_kind = {.read = args_choice, .flags = ARGS_VALUE, .words = clocks},
    timer = {.read = args_choice, .flags = ARGS_VALUE, .words = timer_name},
    buffer = {.read = args_choice, .flags = ARGS_VALUE, .words = buffers},
    unit = {.read = args_either, .flags = ARGS_VALUE, .words = units},
    bind = {.read = args_either, .flags = ARGS_VALUE, .words = binds},
    pick = {.read = args_either, .flags = ARGS_VALUE, .words = picks},
    confidence = {.read = take_confidence, .flags = ARGS_VALUE},
    peers = {.read = take_peers, .flags = ARGS_VALUE},
    untrimmed = {.read = keep_quarters},
    cold = {.read = args_put, .least = BUFFERS_COLD},
    list_them = {.read = args_put, .least = SHOW_LIST},
    list_timers = {.read = args_put, .least = SHOW_TIMERS},
    check_timers = {.read = args_put, .least = SHOW_TIMER_CHECK},
    help = {.read = args_put, .least = SHOW_HELP};

/* ---- the options ---- */

#define AT(field) offsetof(struct ask, field)
static const struct args_option table[] = {
    {"-n", NULL, &both_procs, 0, AT(procs), " N", "processes (default: 2)"},
    {"-p", NULL, &procs, 0, AT(procs.least), " N", "from so many processes ..."},
    {"-P", NULL, &procs, 0, AT(procs.most), " N", "... to so many"},
    {"-g", NULL, &step, 0, AT(procs), " D", "adding D (default: 1)"},
    {"-G", NULL, &factor, 0, AT(procs), " F", "or multiplying by F"},
    {"-x", NULL, &bytes, 0, AT(counts.least), " BYTES",
     "from so many bytes (default: 8; KiB, MiB, GiB) ..."},
    {"-X", NULL, &bytes, 0, AT(counts.most), " BYTES", "... to so many (default: 1MiB)"},
    {"-s", NULL, &step, 0, AT(counts), " D", "adding D"},
    {"-S", NULL, &factor, 0, AT(counts), " F", "or multiplying by F (default: 2)"},
    {"-e", NULL, &percent, 0, AT(rules.rse), " PERCENT",
     "stop at this relative standard error, or"},
    {"-E", NULL, &launches, 0, AT(rules.valid), " N", "stop at N valid launches (default: 30)"},
    {"-r", NULL, &launches, 0, AT(rules.least), " N", "at least N launches (default: 10)"},
    {"-R", NULL, &launches, 0, AT(rules.most), " N", "at most N launches (default: 100)"},
    {"-a", NULL, &untrimmed, 0, AT(rules.trim), "", "keep the quarters of least and largest times"},
    {"-z", NULL, &mode, 0, AT(mode), " synctime|nosync",
     "launches start at one time, or follow each other\n"
     "(default: synctime if there is a core for each process)"},
    {"--clocks", NULL, &clocks_kind, 0, AT(clocks), "=linear|ring|same",
     "how clocks are compared (default: same on one host\nwith clock_gettime, else linear)"},
    {"-t", NULL, &timer, 0, AT(timer), " clock_gettime|mpi_wtime|tsc",
     "the timer (default: clock_gettime)"},
    {"--buffers", NULL, &buffer, 0, AT(buffers), "=producer|hot|cold",
     "before a launch senders rewrite their data (default),\n"
     "nobody touches it, or it leaves the caches"},
    {"-d", NULL, &cold, 0, AT(buffers), "", "the same as --buffers=cold"},
    {"-b", NULL, &args_flag, 0, AT(blocking), "", "await non-blocking operations at once"},
    {"-c", NULL, &launches, 0, AT(computes), " N", "pieces of work that overlap (default: 10)"},
    {"--bind", NULL, &bind, 0, AT(bind), "=core|none",
     "processes to cores, in turn (default: core)"},
    {"--confidence", NULL, &confidence, 0, AT(rules.confidence), "=90|95|99",
     "of intervals, % (95)"},
    {"-w", NULL, &unit, 0, AT(seconds), " usec|sec", "the unit of times (default: usec)"},
    {"-o", NULL, &word, 0, AT(per_process), " FILE", "write the columns of each process too"},
    {"-l", NULL, &word, 0, AT(log), " FILE", "write each launch of each process, -m: of process 0"},
    {"-m", NULL, &args_flag, 0, AT(log_master), "", "see -l"},
    {"-q", NULL, &list_them, 0, AT(show), "", "list the benchmarks"},
    {"-T", NULL, &list_timers, 0, AT(show), "", "list the timers"},
    {"-j", NULL, &check_timers, 0, AT(show), "", "check the timers"},
    {"--compare", NULL, &peers, 0, AT(peers), "=PEER,...",
     "side by side: mpich, openmpi, openmpi-sm (its module\ncoll/sm), luna (ours in its place)"},
    {"--turns", NULL, &launches, 0, AT(turns), "=N",
     "with --compare: they take turns N times (default: 3)"},
    {"--pick", NULL, &pick, 0, AT(least), "=median|least",
     "which turn counts (default: median); least: for virtual\n"
     "machines whose cores are now near, now far"},
    {"--json", NULL, &args_flag, 0, AT(json), "", "the results as JSON"},
    {"--plot", NULL, &word, 0, AT(plot), "=FILE.png", "draw time by size too"},
    {"--self-check", NULL, &args_flag, 0, AT(self_check), "", "does this machine measure well?"},
    {"--help", NULL, &help, 0, AT(show), "", "this text"},
};
enum { OPTIONS = sizeof table / sizeof *table };

void
ask_help(FILE *out)
{
    args_help(out, table, OPTIONS, 0, 34);
}

/* ---- words ---- */

static bool
read_bench(struct args *r, const char *name)
{
    struct ask *a = r->into;
    struct near near = {.word = name};
    if (a->bench != LIST_COUNT) return args_wrong(r, "'%s' is one word too many", name);
    a->bench_word = r->i - 1;
    a->bench = list_find(name);
    if (a->bench != LIST_COUNT) return true;
    for (int i = 0; i < LIST_COUNT; i++) near_try(&near, list[i].name);
    if (near.best) args_hint(r, "did you mean '%s'?", near.best);
    else args_hint(r, "'luna perf -q' lists the benchmarks");
    return args_wrong(r, "no benchmark is called '%s'", name);
}

static bool
read_word(struct args *r)
{
    const char *next = r->argv[r->i];
    if (next[0] != '-' || !next[1]) return read_bench(r, args_next(r));
    if (args_read(r)) return true;
    if (r->fault.unknown && !r->fault.hint[0])
        args_hint(r, "'luna help perf' lists the options");
    return false;
}

/* What was not given is -1, and then as usual, or as the other says. */
static bool
settle(struct series *r, long least, long most)
{
    if (r->least < 0) r->least = r->most >= 0 && r->most < least ? r->most : least;
    if (r->most < 0) r->most = r->least > most ? r->least : most;
    return r->least <= r->most;
}

/* The same for launches, of which 10 to 100 are usual; not all of them are valid. */
static bool
settle_launches(struct args *args)
{
    struct rules *r = &((struct ask *)args->into)->rules;
    int usual = r->valid > 50 ? 2 * r->valid : 100;
    if (r->least < 0) r->least = r->most >= 0 && r->most < 10 ? r->most : 10;
    if (r->most < 0) r->most = r->least > usual ? r->least : usual;
    if (r->least > r->most) return args_wrong(args, "-r is more than -R");
    if (r->valid > r->most) return args_wrong(args, "-E is more than -R");
    if (r->rse > 0 && r->most < RSE_LEAST_VALID)
        return args_wrong(args, "-e needs %d valid launches, and -R is less", RSE_LEAST_VALID);
    return true;
}

/* ---- what would have no effect ---- */

/* The first that was given of some options; NULL: none. */
static const char *
one_given(const struct args *r, const char *const *names)
{
    for (; *names; names++)
        if (args_given(r, *names)) return *names;
    return NULL;
}

static const struct args_pair pairs[] = {
    {"-n", "-p", "processes are one number, or a range"},
    {"-n", "-P", "processes are one number, or a range"},
    {"-g", "-G", "a step is added, or multiplied by"},
    {"-s", "-S", "a step is added, or multiplied by"},
    {"-e", "-E", "launches stop by one rule"},
    {"-d", "--buffers", "-d is --buffers=cold"},
    {"-b", "-c", "what is awaited at once overlaps with nothing"},
};

/* Benchmarks and sizes are its own, and it reports nothing but its verdict. */
static bool
fits_self_check(struct args *r)
{
    static const char *const none[] = {"-p", "-P", "-x", "-X", "-s", "-S", "-b", "-c", "-d",
                                       "--buffers", "-o", "-l", "-w", "--compare", "--json",
                                       "--plot", NULL};
    const char *what = one_given(r, none);
    const struct ask *a = r->into;
    if (a->bench != LIST_COUNT) what = list[a->bench].name;
    return !what || args_wrong(r, "--self-check and %s exclude each other", what);
}

static bool
fits_bench(struct args *r)
{
    static const char *const overlap[] = {"-b", "-c", NULL};
    enum list_id bench = ((struct ask *)r->into)->bench, begun = list_begun(bench);
    const char *what = one_given(r, overlap);
    if (!what || list[bench].flags & LIST_OVERLAPS) return true;
    if (begun != LIST_COUNT)
        args_hint(r, "its non-blocking form is %s", list[begun].name);
    return args_wrong(r, "%s is about non-blocking operations, and %s is none", what,
                      list[bench].name);
}

/* What would have no effect, or two at a time. */
static bool
are_of_use(struct args *r)
{
    static const char *const starts[] = {"-e", "-E", "-a", "--confidence", "--clocks", "-l", NULL};
    static const char *const steps[] = {"-g", "-G", NULL}, *const range[] = {"-p", "-P", NULL};
    struct ask *a = r->into;
    const char *step = one_given(r, range) ? NULL : one_given(r, steps);
    const char *start = a->mode == MODE_NOSYNC ? one_given(r, starts) : NULL;
    if (!args_fit(r, pairs, sizeof pairs / sizeof *pairs)) return false;
    if (a->log_master && !a->log)
        return args_wrong(r, "-m is about the lines of -l, which is not given");
    if (a->log && a->per_process && !strcmp(a->log, a->per_process))
        return args_wrong(r, "-o and -l write different lines: '%s' cannot be both", a->log);
    if (!a->npeers && (a->turns || a->least))
        return args_wrong(r, "%s is about turns, which only --compare takes",
                          a->turns ? "--turns" : "--pick");
    if (step)
        return args_wrong(r, "%s steps through processes from -p to -P; through bytes it is %s",
                          step, strcmp(step, "-g") ? "-S" : "-s");
    if (start)
        return args_wrong(r, "%s is about launches of which each is timed: with -z nosync none is",
                          start);
    if (a->self_check) return fits_self_check(r);
    return a->bench == LIST_COUNT || fits_bench(r);
}

/* Do the values go together? */
static bool
fits(struct args *r)
{
    struct ask *a = r->into;
    if (!are_of_use(r)) return false;
    if (!settle_launches(r)) return false;
    if (!a->rules.valid) a->rules.valid = 30;
    if (!a->turns) a->turns = 3;
    a->procs_given = a->procs.least >= 0 || a->procs.most >= 0;
    if (!settle(&a->procs, 2, 2)) return args_wrong(r, "-p is more than -P");
    if (!settle(&a->counts, 8, 1 << 20)) return args_wrong(r, "-x is more than -X");
    if (a->bench == LIST_COUNT && a->show == SHOW_RESULTS && !a->self_check) {
        args_hint(r, "for example: luna perf Bcast; 'luna perf -q' lists them");
        return args_wrong(r, "no BENCHMARK was given");
    }
    return true;
}

bool
ask_read(struct ask *a, int argc, char *const *argv, struct args_fault *fault)
{
    struct args r = {.options = table, .n = OPTIONS, .into = a, .argc = argc, .argv = argv};
    bool fine = true;
    *a = (struct ask){.bench = LIST_COUNT,
                      .procs = {-1, -1, 1, 0},
                      .counts = {-1, -1, 0, 2},
                      .rules = {.least = -1, .most = -1, .trim = .25, .confidence = .95},
                      .computes = 10,
                      .bind = true};
    while (fine && r.i < argc) fine = read_word(&r);
    if (fine) fine = fits(&r);
    *fault = r.fault;
    return fine;
}
