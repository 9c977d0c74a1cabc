/* test_interpret.c - what is proved of random programs against runs by an interpreter of the plan.
 *
 *     an error, a warning "when n >= 2"    no run ends well, or none with such an n
 *                                          for the fragment that is named
 *     a refusal                            no run with these arguments ends well
 *     a number of readers                  there are never more requests
 *     a value that goes with a call        nobody asks for it later
 *     "written once"                       no run assigns one of them twice
 *     "2 levels alive"                     no more of a line are there when a run has ended
 *     a req_count that is too large        a run has a fragment with just so many readers
 *
 *     test_interpret [FIRST [LAST]]        seeds; LUNA_SEEDS: so many, from 1 on */
#include "interpret.h"
#include "random_program.h"

#include "lang/lang.h"
#include "lang/report/verdict.h"
#include "tests/lib/check.h"

#include <limits.h>
#include <string.h>

enum { STATEMENTS_MOST = 3000, SAMPLES = 17, CASES = 500, DECLS = 64 };

static struct {
    long programs, refused, ended, stuck, twice, faults, longs; /* the latter: runs */
    long errors, ranges, points, untested, refusals, named;
    long exactly, more, untold, levels, args, released, gone; /* the latter: programs */
} seen;

/* ---- programs and their runs ---- */

struct text {
    const char *at;
    size_t size;
};

static const char *
read_text(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct text *t = who;
    (void)a;
    if (strcmp(path, "r.fa")) return NULL;
    *size = t->size;
    return t->at;
}

static bool
compile(struct lang *l, struct text *t, bool proof, const char *const *args)
{
    struct verdicts verdicts = {.possible = true};
    const char *near, *quiet[] = {"no-SYN5", "no-EXT10", "no-SEM4"};
    for (int i = 0; i < 3; i++)
        if (!verdicts_read(&verdicts, quiet[i], &near)) return false;
    struct lang_options o = {.file = "r.fa", .no_proof = !proof, .tell_proof = proof,
                             .args = args, .nargs = args ? 2 : 0, .verdicts = &verdicts,
                             .prep = {.read = read_text, .read_who = t}};
    return lang_compile(l, &o);
}

struct sample {
    int32_t args[2];
    enum interpret_end end;
};

struct program {
    unsigned long seed;
    struct text text;
    const struct plan *plan;
    const char *proof;
    struct lang plain; /* not proved, when that was asked for */
    struct sample sample[SAMPLES];
    bool ok;
};

static void
complain(struct program *p, const int32_t *args, const char *what, const char *about)
{
    if (args) fprintf(stderr, "n = %d, m = %d: ", args[0], args[1]);
    fprintf(stderr, "%s: %s\n", what, about);
    p->ok = false;
}

static struct interpreted
run_how(const struct program *p, const struct plan *plan, struct arena *a, const int32_t *args,
        bool tolerant)
{
    struct interpret_setup s = {.call = random_program_call, .args = args,
                                .most = STATEMENTS_MOST, .seed = p->seed % 3 ? p->seed : 0,
                                .tolerant = tolerant};
    return interpret(a, plan, &s);
}

static struct interpreted
run(const struct program *p, const struct plan *plan, struct arena *a, const int32_t *args)
{
    return run_how(p, plan, a, args, false);
}

/* Where a requirement is broken no run ends well, and nothing is proved for it; another fault may
 * come first. Nor is it where a run is too long to tell. */
static bool
breaks_requirement(const struct program *p, const int32_t *args)
{
    if (!p->plan->requires.n) return false;
    struct arena *a = arena_new();
    enum interpret_end end = run_how(p, p->plan, a, args, true).end;
    arena_free(a);
    return end == FAULT || end == LONG;
}

/* Whether the run would end well if nothing had been proved. */
static bool
ends_unproved(struct program *p, const int32_t *args)
{
    struct arena *a = arena_new();
    if (!p->plain.plan && !compile(&p->plain, &p->text, false, NULL)) exit(1);
    bool ended = p->plain.plan && run(p, p->plain.plan, a, args).end == ENDED;
    arena_free(a);
    return ended;
}

/* ---- what was counted ---- */

static bool
is_proved_once(const struct program *p, const struct interpret_fragment *f)
{
    char name[100];
    const struct plan_decl *d = &p->plan->dfs.row[f->decl];
    snprintf(name, sizeof name, "%s.%s ", p->plan->subs.row[d->sub].sub->name.text, d->name);
    const char *line = strstr(p->proof, name), *once = line ? strstr(line, "written once") : NULL;
    return once && !memchr(line, '\n', (size_t)(once - line));
}

/* How many values of a line are alive at most, along some word; 0: nothing is said. Lines along the
 * counter of a loop around the declaration are left out. A DF that has two numbers of indices has a
 * line for each. */
static int
levels_told(const struct program *p, const struct interpret_fragment *f)
{
    char name[100];
    const struct plan_decl *d = &p->plan->dfs.row[f->decl];
    int size = snprintf(name, sizeof name, "%s.%s", p->plan->subs.row[d->sub].sub->name.text,
                        d->name);
    for (const char *line = p->proof; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, (size_t)size)) continue;
        const char *at = line + size, *end = strchr(line, '\n');
        uint32_t n = 0;
        for (; at[0] == '[' && at[1] == ']'; at += 2) n++;
        if (*at != ' ' || (n && n != f->n)) continue;
        const char *told = strstr(at, "; ");
        int levels;
        char what[10];
        if (!told || (end && told > end)) return 0;
        if (sscanf(told, "; %d %9[a-z] alive", &levels, what) != 2 || *what != 'l') return 0;
        return levels;
    }
    return 0;
}

static bool
is_beside(const struct interpret_fragment *a, const struct interpret_fragment *b, uint32_t word)
{
    if (a->id != b->id || a->decl != b->decl || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (i != word && a->ix[i] != b->ix[i]) return false;
    return true;
}

/* Of its line along that word so many are still there. */
static int
kept_along(const struct interpreted *r, const struct interpret_fragment *f, uint32_t word)
{
    int n = 0;
    for (const struct interpret_fragment *g = r->all; g; g = g->next)
        n += g->state == HERE && is_beside(f, g, word);
    return n;
}

static void
check_levels(struct program *p, const struct sample *s, const struct interpreted *r)
{
    char text[200];
    uint32_t bad[DECLS] = {0}, told[DECLS] = {0}; /* words along which more are there */
    for (const struct interpret_fragment *f = r->all; f; f = f->next) {
        int levels = f->state == HERE && f->n && f->decl < DECLS ? levels_told(p, f) : 0;
        if (!levels) continue;
        seen.levels++;
        told[f->decl] = (1u << f->n) - 1;
        for (uint32_t i = 0; i < f->n; i++)
            if (kept_along(r, f, i) > levels) bad[f->decl] |= 1u << i;
        if (bad[f->decl] == told[f->decl])
            complain(p, s->args, "more values stay than were said to be alive",
                     interpret_text(p->plan, f, text, sizeof text));
    }
}

static void
check_fragment(struct program *p, const struct sample *s, const struct interpret_fragment *f)
{
    char text[200];
    interpret_text(p->plan, f, text, sizeof text);
    if (f->proved && f->uses >= 0 && f->requests > f->uses && !breaks_requirement(p, s->args))
        complain(p, s->args, "it has more readers than were counted", text);
    if (s->end != ENDED || !f->assigned) return;
    if (!f->proved) seen.untold++;
    else if (f->uses == f->requests) seen.exactly++;
    else seen.more++;
}

/* What is told of a DF holds for such arguments of main. */
static bool
is_small(const int32_t *args)
{
    for (int i = 0; i < 2; i++)
        if (args[i] < -(1 << 24) || args[i] >= 1 << 24) return false;
    return true;
}

static void
check_run(struct program *p, struct sample *s)
{
    char text[200];
    struct arena *a = arena_new();
    struct interpreted r = run(p, p->plan, a, s->args);
    s->end = r.end;
    seen.ended += r.end == ENDED, seen.stuck += r.end == STUCK, seen.twice += r.end == TWICE;
    seen.faults += r.end == FAULT, seen.longs += r.end == LONG;
    for (const struct interpret_fragment *f = r.all; f; f = f->next) check_fragment(p, s, f);
    if (r.end == ENDED && is_small(s->args)) check_levels(p, s, &r);
    if (r.end == TWICE && is_small(s->args) && is_proved_once(p, r.at) &&
        !breaks_requirement(p, s->args))
        complain(p, s->args, "it is proved to be written once, and written twice",
                 interpret_text(p->plan, r.at, text, sizeof text));
    if ((r.end == STUCK || r.end == FAULT) && ends_unproved(p, s->args))
        complain(p, s->args, "the run ends well without proofs, not with them",
                 r.at ? interpret_text(p->plan, r.at, text, sizeof text) : r.why);
    for (uint32_t i = 0; i < p->plan->refusals.n; i++) {
        if (!interpret_int_of_main(a, p->plan, s->args, p->plan->refusals.row[i].expr)) continue;
        seen.refusals++;
        if (r.end == ENDED) complain(p, s->args, "it ends well", p->plan->refusals.row[i].text);
    }
    arena_free(a);
}

/* ---- what was said ---- */

static bool
ends(const struct program *p, int32_t n, int32_t m)
{
    struct arena *a = arena_new();
    bool ended = run(p, p->plan, a, (int32_t[]){n, m}).end == ENDED;
    arena_free(a);
    return ended;
}

/* 'x[3][4]' of a line; false: it names no single fragment. */
static bool
read_name(const char *line, char *name, struct interpret_fragment *f)
{
    const char *at = strchr(line, '\'');
    int size;
    if (!at || sscanf(at, "'%20[a-z0-9]%n", name, &size) != 1) return false;
    for (at += size, f->n = 0; *at == '[' && f->n < INTERPRET_INDICES; at += size)
        if (sscanf(at, "[%d]%n", &f->ix[f->n++], &size) != 1 || at[size - 1] != ']') return false;
    return *at == '\'';
}

/* What is said to be assigned twice is, if nothing waits; what nothing is said to write is not
 * written. A DF that is declared in several activations has several fragments of one name. */
static void
check_named(struct program *p, const int32_t *args, const char *line)
{
    char name[24];
    struct interpret_fragment like;
    bool twice = strstr(line, "[SEM2.2]"), missing = strstr(line, "nothing writes it");
    if ((!twice && !missing) || !read_name(line, name, &like)) return;
    struct arena *a = arena_new();
    struct interpreted r = run_how(p, p->plan, a, args, true);
    uint64_t id = 0;
    long times = 0;
    bool many = false;
    for (const struct interpret_fragment *f = r.all; f; f = f->next) {
        if (strcmp(p->plan->dfs.row[f->decl].name, name)) continue;
        many |= id && f->id != id;
        id = f->id;
        if (f->n == like.n && !memcmp(f->ix, like.ix, like.n * sizeof *f->ix) && f->times > times)
            times = f->times;
    }
    seen.named++;
    if (twice && r.end == ENDED && times < 2) complain(p, args, "it is not assigned twice", line);
    if (missing && !many && times) complain(p, args, "it is written", line);
    arena_free(a);
}

/* A range without an end goes on as far as nothing wraps around; an error has none. */
static void
check_range(struct program *p, const char *line, int arg, long from, long to)
{
    bool always = from == LONG_MIN && to == LONG_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &p->sample[i];
        if (s->args[arg] < from || s->args[arg] > to || (!always && !is_small(s->args))) continue;
        if (s->end == ENDED) complain(p, s->args, "this run ends well", line);
        if (always && !strstr(line, "]: always, as when ")) check_named(p, s->args, line);
    }
}

/* "'r < 1' is false": nobody says for which arguments. */
static bool
is_comparison(const char *at)
{
    const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
    return end && (!strncmp(end, "' is true,", 10) || !strncmp(end, "' is false,", 11) ||
                   !strncmp(end, "' compares a NaN,", 17));
}

/* "when N = 3, M = 1, 'x'": with these. Of one that is not named any may be taken. */
static void
check_point(struct program *p, const char *line, const char *at)
{
    bool known[2] = {false, false};
    int v[2] = {0, 0}, size;
    for (char name; sscanf(at, "%c = %d, %n", &name, &v[*at == 'M'], &size) == 2; at += size) {
        if (name != 'N' && name != 'M') break;
        known[name == 'M'] = true;
    }
    bool told = *at == '\'' || !strncmp(at, "cyclic", 6) || !strncmp(at, "this call", 9);
    if (!told || is_comparison(at)) {
        seen.untested++;
        return;
    }
    seen.points++;
    if (known[0] && known[1]) {
        if (ends(p, v[0], v[1])) complain(p, v, "this run ends well", line);
        check_named(p, v, line);
        return;
    }
    for (int w = -2; w < 5; w++) {
        int32_t args[2] = {known[0] ? v[0] : w, known[1] ? v[1] : w};
        if (ends(p, args[0], args[1])) complain(p, args, "this run ends well", line);
        check_named(p, args, line);
    }
}

static void
check_when(struct program *p, const char *line, const char *when)
{
    long from = LONG_MIN, to = LONG_MAX;
    int arg = *when == 'M';
    if ((*when != 'N' && *when != 'M') || when[1] != ' ') {
        seen.untested++;
        return;
    }
    if (sscanf(when + 1, " >= %ld", &from) == 1 || sscanf(when + 1, " <= %ld", &to) == 1 ||
        sscanf(when + 1, " is %ld to %ld", &from, &to) == 2) {
        seen.ranges++;
        check_range(p, line, arg, from, to);
        return;
    }
    check_point(p, line, when);
}

static void
check_line(struct program *p, const char *line)
{
    static const char *const codes[] = {"[SEM2.2]", "[SEM3.3]", "[SEM3.5]", "[SEM3.2]", "[SEM14]"};
    bool ours = false;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        ours |= strstr(line, codes[i]) != NULL;
    if (!ours || strstr(line, "will stay")) return;
    const char *when = strstr(line, "]: when ");
    if (strstr(line, "error[")) {
        seen.errors++;
        check_range(p, line, 0, LONG_MIN, LONG_MAX);
    } else if (when) {
        check_when(p, line, when + 8);
    } else {
        seen.untested++;
    }
}

static void
check_text(struct program *p, struct buf *said)
{
    char *rest = said->data;
    for (char *line; (line = strsep(&rest, "\n"));) check_line(p, line);
}

/* ---- seeds ---- */

static void
choose_samples(struct program *p)
{
    static const int32_t large[][2] = {{2147483647, 1}, {INT32_MIN, 0}, {16777216, 2},
                                       {2, 2147483647}};
    enum { SMALL = SAMPLES - sizeof large / sizeof *large };
    for (int i = 0; i < SMALL; i++) {
        p->sample[i].args[0] = i < 9 ? i - 2 : i - 9;
        p->sample[i].args[1] = (int)((unsigned)i * 5 + p->seed) % 8 - 2;
    }
    for (int i = SMALL; i < SAMPLES; i++)
        memcpy(p->sample[i].args, large[i - SMALL], sizeof *large);
}

/* The same with arguments that are known: what is an error then comes true in this run. */
static void
check_args(struct program *p)
{
    struct lang l;
    struct buf said = {0};
    char n[20], m[20];
    const struct sample *s = &p->sample[p->seed / 4 % SAMPLES];
    const char *args[] = {n, m};
    snprintf(n, sizeof n, "%d", s->args[0]);
    snprintf(m, sizeof m, "%d", s->args[1]);
    if (compile(&l, &p->text, true, args) && l.plan) {
        diag_print_text(l.diag, &said);
        buf_str(&said, "");
        seen.args++;
        if (s->end == ENDED && diag_errors(l.diag))
            complain(p, s->args, "this run ends well", said.data);
    }
    buf_fini(&said);
    lang_fini(&l);
}

/* Readers that are made up, and values that go with a call. */
static void
note_installed(const struct plan *p, const char *proof)
{
    bool released = false;
    for (uint32_t i = 0; i < p->sites.n; i++)
        released |= p->sites.row[i].kind == PS_IF && !p->sites.row[i].stmt;
    seen.released += released;
    seen.gone += strstr(proof, "until the call that reads it has ended") != NULL;
}

static bool
try_text(unsigned long seed, const char *text, size_t size)
{
    struct program p = {.seed = seed, .ok = true, .text = {text, size}};
    struct buf said = {0};
    struct lang l;
    bool made = compile(&l, &p.text, true, NULL);
    diag_print_text(l.diag, &said);
    buf_str(&said, "");
    buf_str(&l.proof, "");
    p.plan = l.plan;
    p.proof = l.proof.data;
    seen.programs++;
    if (!made || strstr(said.data, "[PAR") || strstr(said.data, "[SYN")) {
        complain(&p, NULL, "it is no program", said.data);
    } else if (!l.plan) {
        seen.refused++;
    } else {
        note_installed(p.plan, p.proof);
        choose_samples(&p);
        for (int i = 0; i < SAMPLES; i++) check_run(&p, &p.sample[i]);
        check_text(&p, &said);
        if (seed % 4 == 0) check_args(&p);
    }
    if (!p.ok) fprintf(stderr, "seed %lu\n%.*s\n", seed, (int)size, text);
    lang_fini(&l);
    if (p.plain.arena) lang_fini(&p.plain);
    buf_fini(&said);
    return p.ok;
}

static bool
try_seed(unsigned long seed)
{
    struct buf text = {0};
    random_program(seed, &text);
    bool ok = try_text(seed, text.data, text.size);
    buf_fini(&text);
    return ok;
}

/* Those that seeds have found, in few words. */
static const char *const found[] = {
    /* What a fragment holds need not be small. */
    "sub main(int N, int M) { df x, a; put(a[0], 16777216); "
    "for i = a[0] .. a[0] + 1 put(x[i], 1); get(x[a[0]]); }\n",
    /* Nor need the int where a while ends. */
    "sub main(int N, int M) { df x, w; put(x[16777210], 1); "
    "while x[i] < 20, i = 16777210 .. out w inc(x[i], x[i + 1]); get(x[w]); }\n",
    /* It may begin with any. */
    "sub main(int N, int M) { df x, w, a; put(a, N); while i < 5, i = a .. out w "
    "put(x[i + 1], i); get(x[w * w]); get(x[w]); }\n",
    /* The last one has two readers more than all before it, which stay; */
    "sub main(int N, int M) { df x, w; put(x[0], 0); while x[i] < N, i = 0 .. out w "
    "inc(x[i], x[i + 1]); for k = 1 .. 2 get(x[w]); }\n",
    /* and these have one less now and then. */
    "sub main(int N, int M) { df x, v, z; put(x[0], 1); for i = 0 .. N { put(v[i], i % 2); "
    "if v[i] > 0 add(x[i], v[i], z[i]); else put(z[i], 3); add(x[i], z[i], x[i + 1]); } }\n",
};

static unsigned long
try_found(void)
{
    static const char functions[] =
        "C sub put(name x, int k) ${{ luna_set_int(x, k); $}}\nC sub get(value x) ${{ $}}\n"
        "C sub inc(int a, name x) ${{ luna_set_int(x, a + 1); $}}\n"
        "C sub add(value a, value b, name x) ${{ luna_set_int(x, 1); $}}\n";
    unsigned long wrong = 0;
    char text[2000];
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        int n = snprintf(text, sizeof text, "%s%s", found[i], functions);
        wrong += !try_text(0, text, (size_t)n);
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    const char *many = getenv("LUNA_SEEDS");
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, wrong = 0;
    unsigned long last = argc > 2   ? strtoul(argv[2], NULL, 10)
                         : argc > 1 ? first
                         : many     ? strtoul(many, NULL, 10)
                                    : CHECK_CASES(CASES);
    if (argc == 1) wrong += try_found();
    for (unsigned long seed = first; seed <= last && wrong < 20; seed++) wrong += !try_seed(seed);
    printf("%ld programs, %ld of them refused by check; runs: %ld ended, %ld stuck, %ld assigned "
           "twice, %ld faults, %ld too long\n",
           seen.programs, seen.refused, seen.ended, seen.stuck, seen.twice, seen.faults,
           seen.longs);
    printf("%ld errors, %ld warnings for a range, %ld for a point, %ld not tested; %ld times the "
           "fragment was looked at; %ld runs refused; %ld programs with known arguments\n",
           seen.errors, seen.ranges, seen.points, seen.untested, seen.named, seen.refusals,
           seen.args);
    printf("fragments: readers exactly as counted %ld, fewer %ld, not counted %ld; of those that "
           "stay %ld are in lines of levels; in %ld programs readers are made up, in %ld values go "
           "with a call\n",
           seen.exactly, seen.more, seen.untold, seen.levels, seen.released, seen.gone);
    /* Else this would test nothing. */
    bool enough = last - first < 499 || (seen.errors > 10 && seen.ranges > 20 && seen.points > 20 &&
                                         seen.refusals > 100 && seen.exactly > 10 * seen.more &&
                                         seen.released && seen.gone);
    if (!enough) printf("too little was found\n");
    return wrong != 0 || !enough;
}
