/* ask.c - see ask.h. */
#include "collectives/perf/ask.h"

#include "runtime/base/size.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MOST = 1 << 16, LAUNCHES_MOST = 1000000 };

long
range_next(const struct range *r, long now)
{
    if (!r->times) return now > LONG_MAX - r->add ? LONG_MAX : now + r->add;
    if (!now) return 1;
    return now > LONG_MAX / r->times ? LONG_MAX : now * r->times;
}

long
range_last(const struct range *r)
{
    long last = r->least;
    if (!r->times) return last + (r->most - last) / r->add * r->add;
    for (long next = last; next <= r->most; next = range_next(r, next)) last = next;
    return last;
}

/* ---- the options ---- */

enum kind {
    FLAG,
    WORD,
    PROCS,
    BOTH_PROCS,
    COUNT,
    STEP,
    FACTOR,
    NUMBER,
    PERCENT,
    CHOICE,
    CONFIDENCE,
    PEERS,
    SHOW,
};

struct option {
    const char *name;
    enum kind kind;
    size_t at;       /* in struct ask */
    int value;       /* FLAG, SHOW: what is set */
    const char *form, *help;
};

/* In the order of the enums that they set. */
static const char *const modes[] = {"", "synctime", "nosync", NULL}; /* "": not given */
static const char *const clocks[] = {"", "linear", "ring", "same", NULL};
static const char *const buffers[] = {"producer", "hot", "cold", NULL};
static const char *const units[] = {"usec", "sec", NULL};
static const char *const binds[] = {"none", "core", NULL};
static const char *const picks[] = {"median", "least", NULL};

#define AT(field) offsetof(struct ask, field)
static const struct option table[] = {
    {"-n", BOTH_PROCS, AT(procs), 0, " N", "processes (default: 2)"},
    {"-p", PROCS, AT(procs.least), 0, " N", "from so many processes ..."},
    {"-P", PROCS, AT(procs.most), 0, " N", "... to so many"},
    {"-g", STEP, AT(procs), 0, " D", "adding D (default: 1)"},
    {"-G", FACTOR, AT(procs), 0, " F", "or multiplying by F"},
    {"-x", COUNT, AT(counts.least), 0, " BYTES",
     "from so many bytes (default: 8; KiB, MiB, GiB) ..."},
    {"-X", COUNT, AT(counts.most), 0, " BYTES", "... to so many (default: 1MiB)"},
    {"-s", STEP, AT(counts), 0, " D", "adding D"},
    {"-S", FACTOR, AT(counts), 0, " F", "or multiplying by F (default: 2)"},
    {"-e", PERCENT, AT(rules.rse), 0, " PERCENT", "stop at this relative standard error, or"},
    {"-E", NUMBER, AT(rules.valid), 0, " N", "stop at N valid launches (default: 30)"},
    {"-r", NUMBER, AT(rules.least), 0, " N", "at least N launches (default: 10)"},
    {"-R", NUMBER, AT(rules.most), 0, " N", "at most N launches (default: 100)"},
    {"-a", FLAG, AT(rules.trim), 0, "", "keep the quarters of least and largest times"},
    {"-z", CHOICE, AT(mode), 0, " synctime|nosync",
     "launches start at one time, or follow each other\n"
     "(default: synctime if there is a core for each process)"},
    {"--clocks", CHOICE, AT(clocks), 0, "=linear|ring|same",
     "how clocks are compared (default: same on one host\nwith clock_gettime, else linear)"},
    {"-t", CHOICE, AT(timer), 0, " clock_gettime|mpi_wtime|tsc",
     "the timer (default: clock_gettime)"},
    {"--buffers", CHOICE, AT(buffers), 0, "=producer|hot|cold",
     "before a launch senders rewrite their data (default),\n"
     "nobody touches it, or it leaves the caches"},
    {"-d", FLAG, AT(buffers), BUFFERS_COLD, "", "the same as --buffers=cold"},
    {"-b", FLAG, AT(blocking), true, "", "await non-blocking operations at once"},
    {"-c", NUMBER, AT(computes), 0, " N", "pieces of work that overlap (default: 10)"},
    {"--bind", CHOICE, AT(bind), 0, "=core|none", "processes to cores, in turn (default: core)"},
    {"--confidence", CONFIDENCE, AT(rules.confidence), 0, "=90|95|99", "of intervals, % (95)"},
    {"-w", CHOICE, AT(seconds), 0, " usec|sec", "the unit of times (default: usec)"},
    {"-o", WORD, AT(per_process), 0, " FILE", "write the columns of each process too"},
    {"-l", WORD, AT(log), 0, " FILE", "write each launch of each process, -m: of process 0"},
    {"-m", FLAG, AT(log_master), true, "", "see -l"},
    {"-q", SHOW, AT(show), SHOW_LIST, "", "list the benchmarks"},
    {"-T", SHOW, AT(show), SHOW_TIMERS, "", "list the timers"},
    {"-j", SHOW, AT(show), SHOW_TIMER_CHECK, "", "check the timers"},
    {"--compare", PEERS, AT(peers), 0, "=PEER,...",
     "side by side: mpich, openmpi, openmpi-sm (its module\ncoll/sm), luna (ours in its place)"},
    {"--turns", NUMBER, AT(turns), 0, "=N", "with --compare: they take turns N times (default: 3)"},
    {"--pick", CHOICE, AT(least), 0, "=median|least",
     "which turn counts (default: median); least: for virtual\n"
     "machines whose cores are now near, now far"},
    {"--json", FLAG, AT(json), true, "", "the results as JSON"},
    {"--plot", WORD, AT(plot), 0, "=FILE.png", "draw time by size too"},
    {"--self-check", FLAG, AT(self_check), true, "", "does this machine measure well?"},
    {"--help", SHOW, AT(show), SHOW_HELP, "", "this text"},
};
enum { OPTIONS = sizeof table / sizeof *table };

const char *
ask_option(int i)
{
    return i < OPTIONS ? table[i].name : NULL;
}

void
ask_help(FILE *out)
{
    for (const struct option *t = table; t < table + OPTIONS; t++) {
        char left[64];
        const char *rest = t->help;
        snprintf(left, sizeof left, "%s%s", t->name, t->form);
        for (const char *gap = left; rest; gap = "") {
            int n = (int)strcspn(rest, "\n");
            fprintf(out, "  %-34s %.*s\n", gap, n, rest);
            rest = rest[n] ? rest + n + 1 : NULL;
        }
    }
}

/* ---- values ---- */

struct reader {
    struct ask *ask;
    struct ask_fault *fault;
    bool given[OPTIONS];
};

static bool __attribute__((format(printf, 2, 3)))
wrong(struct reader *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->fault->text, sizeof r->fault->text, fmt, args);
    va_end(args);
    return false;
}

static bool
take_number(struct reader *r, const char *name, const char *text, long least, long most, long *out)
{
    long n = size_bytes(text, "");
    if (n < least || n > most)
        return wrong(r, "%s needs a number from %ld to %ld, not '%s'", name, least, most, text);
    *out = n;
    return true;
}

static bool
take_int(struct reader *r, const struct option *t, const char *text, int *out)
{
    long n = 0;
    if (!take_number(r, t->name, text, 1, LAUNCHES_MOST, &n)) return false;
    *out = (int)n;
    return true;
}

static bool
take_percent(struct reader *r, const struct option *t, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end && *out > 0 && *out < 100) return true;
    return wrong(r, "%s needs a percentage such as 5, not '%s'", t->name, text);
}

/* `form` is also what is said: " usec|sec". */
static bool
take_choice(struct reader *r, const struct option *t, const char *text)
{
    const char *const *names = timer_name;
    char *at = (char *)r->ask + t->at;
    if (t->at == AT(mode)) names = modes;
    if (t->at == AT(clocks)) names = clocks;
    if (t->at == AT(buffers)) names = buffers;
    if (t->at == AT(seconds)) names = units;
    if (t->at == AT(bind)) names = binds;
    if (t->at == AT(least)) names = picks;
    int n = names == timer_name ? TIMERS : 0, i = 0;
    for (; n ? i < n : names[i] != NULL; i++) {
        if (strcmp(names[i], text)) continue;
        if (names == units || names == binds || names == picks) *(bool *)at = i;
        else memcpy(at, &i, sizeof i); /* an enum */
        return true;
    }
    return wrong(r, "%s is %s, not '%s'", t->name, t->form + 1, text);
}

/* Names that luna perf knows; it says so when one is strange. */
static bool
take_peers(struct reader *r, const char *text)
{
    struct ask *a = r->ask;
    for (a->npeers = 0; *text; text += strcspn(text, ",")) {
        if (*text == ',') text++;
        if (a->npeers == ASK_PEERS) return wrong(r, "--compare takes at most %d names", ASK_PEERS);
        a->peers[a->npeers++] = text;
    }
    return true;
}

static bool
take_confidence(struct reader *r, const struct option *t, const char *text)
{
    static const char *const names[] = {"90", "95", "99"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(names[i], text)) {
            r->ask->rules.confidence = atoi(text) / 100.0;
            return true;
        }
    return wrong(r, "%s is %s, not '%s'", t->name, t->form + 1, text);
}

static bool
take_both_procs(struct reader *r, const char *name, const char *text)
{
    struct range *p = &r->ask->procs;
    if (!take_number(r, name, text, 1, PROCS_MOST, &p->least)) return false;
    p->most = p->least;
    return true;
}

static bool
take_range(struct reader *r, const struct option *t, const char *text)
{
    struct range *range = (struct range *)(void *)((char *)r->ask + t->at);
    if (t->kind == STEP) {
        range->times = 0;
        return take_number(r, t->name, text, 1, INT_MAX, &range->add);
    }
    return take_number(r, t->name, text, 2, INT_MAX, &range->times);
}

static bool
take(struct reader *r, const struct option *t, const char *text)
{
    char *at = (char *)r->ask + t->at;
    int value = t->value;
    switch (t->kind) {
    case FLAG:
        if (t->at == AT(rules.trim)) r->ask->rules.trim = 0;
        else if (t->at == AT(buffers)) r->ask->buffers = BUFFERS_COLD;
        else *(bool *)at = true;
        return true;
    case SHOW: memcpy(at, &value, sizeof value); return true;
    case WORD: *(const char **)(void *)at = text; return true;
    case PROCS: return take_number(r, t->name, text, 1, PROCS_MOST, (long *)(void *)at);
    case BOTH_PROCS: return take_both_procs(r, t->name, text);
    case COUNT: return take_number(r, t->name, text, 0, INT_MAX, (long *)(void *)at);
    case STEP:
    case FACTOR: return take_range(r, t, text);
    case NUMBER: return take_int(r, t, text, (int *)(void *)at);
    case PERCENT: return take_percent(r, t, text, (double *)(void *)at);
    case CHOICE: return take_choice(r, t, text);
    case CONFIDENCE: return take_confidence(r, t, text);
    case PEERS: return take_peers(r, text);
    }
    return false;
}

/* ---- words ---- */

static bool
needs_value(const struct option *t)
{
    return t->kind != FLAG && t->kind != SHOW;
}

/* The option that `word` is, or begins with; *glued: what follows at once, "" if nothing does. */
static const struct option *
find(const char *word, const char **glued)
{
    for (const struct option *t = table; t < table + OPTIONS; t++) {
        size_t n = strlen(t->name);
        if (strncmp(word, t->name, n)) continue;
        *glued = word + n;
        if (!**glued) return t;
        if (word[1] == '-' ? **glued == '=' && needs_value(t) : needs_value(t)) {
            *glued += word[1] == '-';
            return t;
        }
    }
    return NULL;
}

/* How many words it took; 0: it is wrong. */
static int
read_option(struct reader *r, int argc, char *const *argv)
{
    const char *value;
    const struct option *t = find(argv[0], &value);
    if (!t) {
        r->fault->option = argv[0];
        wrong(r, "unknown option '%s'", argv[0]);
        return 0;
    }
    r->given[t - table] = true;
    if (!needs_value(t) || *value) return take(r, t, value);
    if (t->name[1] == '-' || argc < 2) { /* also --plot= */
        wrong(r, "%s needs a value: %s%s", t->name, t->name, t->form);
        return 0;
    }
    return take(r, t, argv[1]) ? 2 : 0;
}

static bool
read_bench(struct reader *r, const char *word)
{
    if (r->ask->bench != LIST_COUNT) return wrong(r, "'%s' is one word too many", word);
    r->ask->bench = list_find(word);
    if (r->ask->bench != LIST_COUNT) return true;
    r->fault->bench = word;
    return wrong(r, "no benchmark is called '%s'", word);
}

/* What was not given is -1, and then as usual, or as the other says. */
static bool
settle(struct range *r, long least, long most)
{
    if (r->least < 0) r->least = r->most >= 0 && r->most < least ? r->most : least;
    if (r->most < 0) r->most = r->least > most ? r->least : most;
    return r->least <= r->most;
}

/* The same for launches, of which 10 to 100 are usual; not all of them are valid. */
static bool
settle_launches(struct reader *reader)
{
    struct rules *r = &reader->ask->rules;
    int usual = r->valid > 50 ? 2 * r->valid : 100;
    if (r->least < 0) r->least = r->most >= 0 && r->most < 10 ? r->most : 10;
    if (r->most < 0) r->most = r->least > usual ? r->least : usual;
    if (r->least > r->most) return wrong(reader, "-r is more than -R");
    if (r->valid > r->most) return wrong(reader, "-E is more than -R");
    if (r->rse > 0 && r->most < RSE_LEAST_VALID)
        return wrong(reader, "-e needs %d valid launches, and -R is less", RSE_LEAST_VALID);
    return true;
}

/* ---- what would have no effect ---- */

static bool
was_given(const struct reader *r, const char *name)
{
    int i = 0;
    while (strcmp(table[i].name, name)) i++;
    return r->given[i];
}

/* The first that was given of some options; NULL: none. */
static const char *
one_given(const struct reader *r, const char *const *names)
{
    for (; *names; names++)
        if (was_given(r, *names)) return *names;
    return NULL;
}

static const char *const pairs[][3] = {
    {"-n", "-p", "processes are one number, or a range"},
    {"-n", "-P", "processes are one number, or a range"},
    {"-g", "-G", "a step is added, or multiplied by"},
    {"-s", "-S", "a step is added, or multiplied by"},
    {"-e", "-E", "launches stop by one rule"},
    {"-d", "--buffers", "-d is --buffers=cold"},
    {"-b", "-c", "what is awaited at once overlaps with nothing"},
};

static bool
exclude_each_other(struct reader *r)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (was_given(r, pairs[i][0]) && was_given(r, pairs[i][1])) {
            wrong(r, "%s and %s exclude each other: %s", pairs[i][0], pairs[i][1], pairs[i][2]);
            return true;
        }
    return false;
}

/* Benchmarks and sizes are its own, and it reports nothing but its verdict. */
static bool
fits_self_check(struct reader *r)
{
    static const char *const none[] = {"-p", "-P", "-x", "-X", "-s", "-S", "-b", "-c", "-d",
                                       "--buffers", "-o", "-l", "-w", "--compare", "--json",
                                       "--plot", NULL};
    const char *what = one_given(r, none);
    if (r->ask->bench != LIST_COUNT) what = list[r->ask->bench].name;
    return !what || wrong(r, "--self-check and %s exclude each other", what);
}

static bool
fits_bench(struct reader *r)
{
    static const char *const overlap[] = {"-b", "-c", NULL};
    enum list_id bench = r->ask->bench, begun = list_begun(bench);
    const char *what = one_given(r, overlap);
    if (!what || list[bench].flags & LIST_OVERLAPS) return true;
    if (begun != LIST_COUNT)
        snprintf(r->fault->hint, sizeof r->fault->hint, "its non-blocking form is %s",
                 list[begun].name);
    return wrong(r, "%s is about non-blocking operations, and %s is none", what, list[bench].name);
}

/* What would have no effect, or two at a time. */
static bool
are_of_use(struct reader *r)
{
    static const char *const starts[] = {"-e", "-E", "-a", "--confidence", "--clocks", "-l", NULL};
    static const char *const steps[] = {"-g", "-G", NULL}, *const range[] = {"-p", "-P", NULL};
    struct ask *a = r->ask;
    const char *step = one_given(r, range) ? NULL : one_given(r, steps);
    const char *start = a->mode == MODE_NOSYNC ? one_given(r, starts) : NULL;
    if (exclude_each_other(r)) return false;
    if (a->log_master && !a->log)
        return wrong(r, "-m is about the lines of -l, which is not given");
    if (a->log && a->per_process && !strcmp(a->log, a->per_process))
        return wrong(r, "-o and -l write different lines: '%s' cannot be both", a->log);
    if (!a->npeers && (a->turns || a->least))
        return wrong(r, "%s is about turns, which only --compare takes",
                     a->turns ? "--turns" : "--pick");
    if (step)
        return wrong(r, "%s steps through processes from -p to -P; through bytes it is %s", step,
                     strcmp(step, "-g") ? "-S" : "-s");
    if (start)
        return wrong(r, "%s is about launches of which each is timed: with -z nosync none is",
                     start);
    if (a->self_check) return fits_self_check(r);
    return a->bench == LIST_COUNT || fits_bench(r);
}

/* Do the values go together? */
static bool
fits(struct reader *r)
{
    struct ask *a = r->ask;
    if (!are_of_use(r)) return false;
    if (!settle_launches(r)) return false;
    if (!a->rules.valid) a->rules.valid = 30;
    if (!a->turns) a->turns = 3;
    a->procs_given = a->procs.least >= 0 || a->procs.most >= 0;
    if (!settle(&a->procs, 2, 2)) return wrong(r, "-p is more than -P");
    if (!settle(&a->counts, 8, 1 << 20)) return wrong(r, "-x is more than -X");
    if (a->bench == LIST_COUNT && a->show == SHOW_RESULTS && !a->self_check) {
        snprintf(r->fault->hint, sizeof r->fault->hint, "for example: luna perf Bcast; "
                 "'luna perf -q' lists them");
        return wrong(r, "no BENCHMARK was given");
    }
    return true;
}

bool
ask_read(struct ask *a, int argc, char *const *argv, struct ask_fault *fault)
{
    struct reader r = {.ask = a, .fault = fault};
    *fault = (struct ask_fault){.text = ""};
    *a = (struct ask){.bench = LIST_COUNT,
                      .procs = {-1, -1, 1, 0},
                      .counts = {-1, -1, 0, 2},
                      .rules = {.least = -1, .most = -1, .trim = .25, .confidence = .95},
                      .computes = 10,
                      .bind = true};
    for (int i = 0; i < argc;) {
        bool is_option = argv[i][0] == '-' && argv[i][1];
        if (!is_option) a->bench_word = i;
        int took = is_option ? read_option(&r, argc - i, argv + i) : read_bench(&r, argv[i]);
        if (!took) return false;
        i += took;
    }
    return fits(&r);
}
