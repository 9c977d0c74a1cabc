/* test_prove.c - what is proved of random programs against what they do.
 *
 * A program is made as a tree, printed as text and compiled; the tree is walked for several values
 * of n, which counts who writes and who reads what. If a fragment has two writers, or a reader and
 * no writer, no run ends well. So:
 *
 *     an error             the walk finds a fault whatever n is
 *     when n >= 2          it finds one for each such n
 *     possible, n = 3      it finds one for this n
 *
 * And most of the faults that are there must be found, or this would test nothing.
 *
 * Some programs say how many readers a value has. Where there are more, no run ends well; where a
 * value is said to stay, it has as many as are named.
 *
 * Some make values of others: those that wait for each other are found in the walk, too.
 *
 * The walk also counts who reads each fragment. What the plan says of an output, for each time it
 * is written, is never less, and mostly just that.
 *
 *     test_prove [FIRST [LAST]]      seeds */
#include "calculate.h"
#include "tree_walk.h"

#include "lang/lang.h"
#include "lang/plan/plan.h"
#include "lang/report/source.h"
#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = -2, MOST = 6 }; /* n */

/* ---- what is said of readers ---- */

struct counted {
    const struct plan *plan;
    const struct source *source;
    const struct plan_site *site[1000]; /* by line */
    bool wrong; /* less is told than there is */
};

/* What the C of a count sees. */
struct sight {
    const struct tree_run *r;
    uint32_t df; /* that is written */
    int local[64]; /* by word */
};

static int32_t
local_of(const void *who, int64_t word)
{
    const struct sight *s = who;
    return s->local[word];
}

/* Of main there is n, of both the DF and e. */
static int32_t
frame_of(const void *who, int64_t word)
{
    const struct sight *s = who;
    return word ? s->r->handed : s->r->n;
}

/* Of both(), which has one. */
static int32_t
df_of(const void *who, int64_t word)
{
    const struct sight *s = who;
    (void)word;
    return (int32_t)s->df;
}

/* The row of the one whose key this is. */
static uint32_t
row_of(const struct counted *says, const char *key)
{
    const struct plan *p = says->plan;
    unsigned df = 0, loop = 0;
    char name[16];
    if (sscanf(key, "%u@%u:", &df, &loop) != 2) return PLAN_NONE;
    if (df < DFS) snprintf(name, sizeof name, "%c", "xyz"[df]);
    else snprintf(name, sizeof name, "t%u", df - DFS);
    for (uint32_t i = 0; i < p->dfs.n; i++) {
        struct place place;
        if (strcmp(p->dfs.row[i].name, name)) continue;
        if (df < DFS) return i;
        if (source_place(says->source, p->dfs.row[i].sym->name.span, 0, &place, NULL) &&
            place.line == loop + 1)
            return i;
    }
    return PLAN_NONE;
}

static long told_exactly, told_more, not_told;

/* Counters by the words their loops give them. */
static void
fill_locals(const struct tree_run *r, const struct counted *says, int line, int depth, int *local)
{
    if (line == LINE_BOTH) {
        local[says->site[LINE_BOTH - 1]->nlocal] = r->counter[DEPTH];
        return;
    }
    for (int d = 0; d < depth; d++) local[says->site[r->loop_line[d]]->nlocal] = r->counter[d];
}

static void
look_at_write(struct tree_run *r, const char *key, int line, int depth)
{
    struct counted *says = r->who;
    const struct plan_site *s = says->site[line];
    const struct plan *p = says->plan;
    const struct plan_arg *arg = &p->args.row[s->arg + s->nargs - 1u];
    int64_t reads = tree_run_readers(r, key), n;
    if (arg->post == PLAN_NONE || p->posts.row[arg->post].kind != PP_PROVED) {
        not_told++;
        return;
    }
    const struct plan_expr *x = &p->exprs.row[p->posts.row[arg->post].count];
    struct sight sees = {.r = r, .df = row_of(says, key)};
    struct calculate_words words = {local_of, frame_of, df_of, &sees};
    fill_locals(r, says, line, depth, sees.local);
    n = x->kind == PE_INT ? x->k : calculate(x->code, &words);
    if (n == -1) { /* of this DF */
        not_told++;
        return;
    }
    if (n == reads) told_exactly++;
    if (n > reads) told_more++;
    if (n >= reads) return;
    fprintf(stderr, "n = %d, %s in line %d: %d readers, told are %d by %s\n", r->n, key, line,
            (int)reads, (int)n, x->kind == PE_INT ? "a number" : x->code);
    says->wrong = true;
}

static void
note_sites(const struct lang *l, struct counted *says)
{
    *says = (struct counted){.plan = l->plan, .source = l->source};
    for (uint32_t i = 0; i < l->plan->sites.n; i++) {
        const struct plan_site *s = &l->plan->sites.row[i];
        struct place place;
        if (!s->stmt || s->kind == PS_TEST || s->kind == PS_TERM) continue;
        if (source_place(l->source, s->stmt->span, 0, &place, NULL) && place.line < 1000)
            says->site[place.line] = s;
    }
}

static long made_up;

/* The one in the body of a `while`, if there is one. */
static void
read_made_up(struct tree_run *r, const struct tree_node *s)
{
    const struct counted *says = r->who;
    const struct plan *p = says->plan;
    const struct plan_site *loop = says->site[s->line];
    const struct plan_site *test = &p->sites.row[p->blocks.row[loop->body].site];
    const struct plan_block *body = &p->blocks.row[test->body];
    const struct plan_site *last = &p->sites.row[body->site + body->nsites - 1];
    if (last->stmt || last->kind != PS_IF) return;
    const struct plan_ref *ref = &p->refs.row[p->ins.row[last->in].ref];
    const struct plan_expr *x = &p->exprs.row[ref->index];
    const char *name = p->dfs.row[ref->df].name;
    if (!strchr("xyz", *name) || name[1]) return; /* w, which has no index */
    tree_run_read(r, *name - 'x', (x->kind == PE_LOCAL ? r->counter[0] : 0) + x->k);
    made_up++;
}

/* Whatever n is: a fragment that is never written, or twice, changes nothing. */
static bool
check_counts(const struct tree *p, const struct lang *l)
{
    struct counted says;
    bool ok = true;
    note_sites(l, &says);
    for (int n = LEAST; n <= MOST; n++) {
        struct tree_run r = tree_run_new(p, n);
        r.who = &says;
        r.on_turn = read_made_up;
        tree_run_walk(&r);
        bool ends = r.steps < TREE_STEPS_MOST;
        if (ends && tree_run_misses(&r) && !tree_is_bad(p, n)) {
            fprintf(stderr, "n = %d: what is read by a reader that is made up is not written\n", n);
            ok = false;
        }
        r.on_write = look_at_write;
        if (ends) tree_run_walk(&r);
        tree_run_free(&r);
    }
    return ok && !says.wrong;
}

/* What is proved to be written once is, and of what is nothing is proved often. */
static long told_once, not_told_once;

static bool
check_once(const struct tree *p, const char *proof)
{
    bool twice[DFS] = {false}, ok = true;
    for (int n = LEAST; n <= MOST; n++) {
        struct tree_run r = tree_run_new(p, n);
        tree_run_walk(&r);
        for (int i = 0; i < DFS; i++) twice[i] |= r.twice[i];
        tree_run_free(&r);
    }
    for (int i = 0; i < DFS; i++) {
        char name[] = {'m', 'a', 'i', 'n', '.', "xyz"[i], ' ', 0};
        const char *line = strstr(proof, name), *once = line ? strstr(line, "written once") : NULL;
        bool told = once && !memchr(line, '\n', (size_t)(once - line));
        told_once += told;
        not_told_once += line && !told && !twice[i];
        if (!told || !twice[i]) continue;
        fprintf(stderr, "%sis written twice: %.60s\n", name, line);
        ok = false;
    }
    return ok;
}

/* ---- what is said ---- */

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

static long errors, likely, possible, faulty, silent, stay, circles;

/* A line that says that a value stays: it has as many readers as that, and not as many as promised,
 * for one n at least: whichever is named. */
static bool
stays(const struct tree *p, const char *line)
{
    const char *has = strstr(line, "' has "), *is = has ? strstr(has, " is ") : NULL, *when;
    const char *name = has;
    long from = LEAST, to = MOST, n, readers, promised;
    char df;
    int index, at;
    while (has && name > line && name[-1] != '\'') name--;
    if (!has || !strchr("xyz", df = *name) || name[1] != '[') return has != NULL;
    if (strstr(line, "in the end")) return true; /* which n that is nobody says */
    when = strstr(line, "(say ");
    if (when) from = to = strtol(when + 5, NULL, 10);
    when = strstr(line, "when n = ");
    if (when) from = to = strtol(when + 9, NULL, 10);
    if (sscanf(name + 2, "%d", &index) != 1 || sscanf(has, "' has %ld", &readers) != 1)
        return false;
    while (is && sscanf(is, " is %ld%n", &promised, &at) != 1) is = strstr(is + 1, " is ");
    bool seen = false;
    for (n = from; n <= to && is; n++) {
        struct tree_run r = tree_run_new(p, (int)n);
        char key[TREE_KEY_MAX];
        tree_run_walk(&r);
        tree_run_key(&r, df - 'x', index, key);
        seen |= r.twice[df - 'x'] || /* of which is it said? */
                (tree_run_promised(&r, key) == promised && tree_run_readers(&r, key) == readers);
        tree_run_free(&r);
    }
    stay++;
    return seen;
}

/* A line that says SEM2.2 or SEM3.3: what it promises must be so. */
static bool
is_true(const struct tree *p, const bool *bad, const char *line)
{
    const char *when = strstr(line, "]: when ");
    long from, to;
    if (strstr(line, "error[")) {
        errors++;
        for (int n = LEAST; n <= MOST; n++)
            if (!bad[n - LEAST]) return false;
        return true;
    }
    if (!when) return true;
    when += 8;
    if (sscanf(when, "n >= %ld", &from) == 1)
        to = MOST;
    else if (sscanf(when, "n <= %ld", &to) == 1)
        from = LEAST;
    else if (sscanf(when, "n is %ld to %ld", &from, &to) != 2) {
        char quote; /* behind n alone the fragment is named */
        if (sscanf(when, "n = %ld, %c", &from, &quote) != 2 || quote != '\'') return true;
        to = from;
    }
    if (from == to)
        possible++;
    else
        likely++;
    for (long n = from; n <= to; n++)
        if (n >= -20 && n <= 20 && !tree_is_bad(p, (int)n)) return false;
    return true;
}

static bool
check_text(const struct tree *p, struct buf *out)
{
    bool bad[MOST - LEAST + 1], all = true, any = false, ok = true;
    for (int n = LEAST; n <= MOST; n++) {
        bad[n - LEAST] = tree_is_bad(p, n);
        all &= bad[n - LEAST];
    }
    for (char *line = strtok(out->data, "\n"); line; line = strtok(NULL, "\n")) {
        bool kept = strstr(line, "[SEM3.5]") && strstr(line, "will stay");
        bool ours = strstr(line, "[SEM2.2]") || strstr(line, "[SEM3.3]") ||
                    strstr(line, "[SEM3.5]") || strstr(line, "[SEM3.2]");
        circles += strstr(line, "[SEM3.2]") != NULL;
        bool told = !ours || (kept ? stays(p, line) : is_true(p, bad, line));
        any |= strstr(line, "[SEM2.") || strstr(line, "[SEM3.") || strstr(line, "[EXT");
        if (told) continue;
        fprintf(stderr, "not so: %s\n", line);
        ok = false;
    }
    faulty += all;
    silent += all && !any;
    return ok;
}

static bool
try_seed(unsigned long seed)
{
    struct tree *p = malloc(sizeof *p);
    struct buf text = {0}, out = {0};
    struct verdicts verdicts = {.possible = true};
    struct lang l;
    if (!tree_make(p, seed)) {
        free(p);
        return true;
    }
    tree_print(&text, p);
    struct text t = {text.data, text.size};
    struct lang_options o = {
        .file = "r.fa",
        .verdicts = &verdicts,
        .tell_proof = true,
        .prep = {.read = read_text, .read_who = &t}};
    bool ok = lang_compile(&l, &o);
    diag_print_text(l.diag, &out);
    buf_str(&out, "");
    /* What check finds by itself is none of our business here; a misspelt program would be. */
    ok = ok && !strstr(out.data, "[PAR") && !strstr(out.data, "[SYN9]") && check_text(p, &out);
    if (ok && l.plan && !diag_errors(l.diag)) ok = check_counts(p, &l);
    buf_str(&l.proof, "");
    if (ok && l.proof.data) ok = check_once(p, l.proof.data);
    if (!ok) fprintf(stderr, "seed %lu\n%.*s", seed, (int)text.size, text.data);
    lang_fini(&l);
    buf_fini(&text);
    buf_fini(&out);
    free(p);
    return ok;
}

/* ---- conditions of which nothing is known ---- */

/* Whether x is proved to be written once, or, as it says, twice. */
static bool
is_proved_once(const char *statements)
{
    struct buf text = {0};
    struct verdicts verdicts = {0};
    struct lang l;
    buf_printf(&text, "C sub half(name x) ${{ luna_set_real(x, 0.5); $}}\n"
                      "C sub put(name x) ${{ luna_set_int(x, 1); $}}\n"
                      "C sub get(value x) ${{ $}}\n"
                      "sub main(int n) { df c, x; half(c[0]); for i = 1 .. n { half(c[i]); "
                      "get(x[i]); }\n%s }\n", statements);
    struct text t = {text.data, text.size};
    struct lang_options o = {.file = "r.fa", .tell_proof = true, .verdicts = &verdicts,
                             .prep = {.read = read_text, .read_who = &t}};
    bool ok = lang_compile(&l, &o), once, twice;
    buf_str(&l.proof, "");
    once = ok && strstr(l.proof.data, "main.x  written once");
    twice = ok && strstr(l.proof.data, "main.x  twice?");
    if (once == twice) {
        struct buf out = {0};
        diag_print_text(l.diag, &out);
        fprintf(stderr, "nothing is said of x: %s\n%.*s\n", statements, (int)out.size, out.data);
        exit(1);
    }
    lang_fini(&l);
    buf_fini(&text);
    return once;
}

static void
check_branches(void)
{
    static const struct {
        bool once;
        const char *statements;
    } cases[] = {
        {true, "if c[0] > 0.1 put(x[0]); else put(x[0]);"},
        {true, "if c[0] > 0.1 put(x[0]); if c[0] <= 0.1 put(x[0]);"},
        {false, "if c[0] > 0.1 put(x[0]); else put(x[0]); if c[1] > 0.1 put(x[0]);"},
        {true, "if c[0] > 0.1 put(x[0]); else if c[1] > 0.1 put(x[0]); else put(x[0]);"},
        {true, "for i = 0 .. n if c[i] > 0.1 put(x[i]); else put(x[i]);"},
        {false, "for i = 0 .. n if c[i] > 0.1 put(x[i]); else put(x[i + 1]);"},
        {false, "for i = 0 .. n if c[i] > 0.1 put(x[i]); else put(x[n - i]);"},
        {true, "for i = 0 .. n if c[i] > 0.1 put(x[2 * i]); else put(x[2 * i + 1]);"},
        {false, "for i = 0 .. n if c[i] > 0.1 put(x[i / 2]); else put(x[i / 2]);"},
        {true, "if c[0] > 0.1 for i = 0 .. n put(x[i]); else for i = 0 .. n put(x[n - i]);"},
        {false, "for k = 0 .. n if c[k] > 0.1 for i = 0 .. n put(x[i]); else put(x[k]);"},
        {true, "for k = 0 .. n if c[k] > 0.1 for i = 0 .. 2 put(x[3 * k + i]);"
               " else for i = 0 .. 1 put(x[3 * k + 2 - i]);"},
        {true, "for i = 0 .. n { if c[i] > 0.1 put(x[i]); else { if c[0] > 0.1 put(x[i]); } }"},
        {true, "for i = 0 .. n if i > 3 put(x[i]); else put(x[i]);"},
        {true, "for i = 0 .. n if !(i > 3) put(x[i]); else put(x[i + 1]);"},
        {false, "for i = 0 .. n if i > 3 put(x[i]); else put(x[i + 1]);"},
        {true, "for i = 0 .. n by 2 put(x[i]); for i = 1 .. n by 2 put(x[i]);"},
        {true, "for i = n .. 0 by -2 put(x[i]); for i = n - 1 .. 0 by -2 put(x[i]);"},
        {false, "for i = 0 .. n by 2 put(x[i]); for i = n .. 0 by -2 put(x[i + 1]);"},
        {true, "for i = 0 .. n by 3 put(x[i / 3]);"},
        {false, "for i = 0 .. n by 3 put(x[i / 4]);"},
        {true, "for i = n .. 0 by -5 for j = 0 .. 4 put(x[i - j]);"},
        {false, "for i = n .. 0 by -5 for j = 0 .. 5 put(x[i - j]);"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(is_proved_once(cases[i].statements) == cases[i].once, "%s", cases[i].statements);
}

int
main(int argc, char **argv)
{
    if (argc == 1) check_branches();
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, wrong = 0;
    unsigned long last = argc > 2   ? strtoul(argv[2], NULL, 10)
                         : argc > 1 ? first
                                    : CHECK_CASES(500);
    for (unsigned long seed = first; seed <= last; seed++) wrong += !try_seed(seed);
    printf("%ld errors, %ld warnings for a range, %ld for one value, %ld that a value stays, "
           "%ld of circles; "
           "of %ld programs that are always wrong nothing is said of %ld\n",
           errors, likely, possible, stay, circles, faulty, silent);
    printf("of outputs, %ld times as many readers were told as there were, %ld times more, "
           "%ld times nothing\n",
           told_exactly, told_more, not_told);
    printf("%ld readers were made up\n", made_up);
    printf("%ld DFs were proved to be written once, %ld were not and are\n", told_once,
           not_told_once);
    /* A tenth of the seeds need not have all of it. */
    bool enough = last - first < 499 || (stay && circles && made_up);
    return wrong != 0 || check_failed || !enough || (argc == 1 && told_exactly < 2 * told_more);
}
