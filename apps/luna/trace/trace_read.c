/* trace_read.c - JSON as far as traces need it: objects of numbers, texts and cells, no more. */
#include "apps/luna/trace/trace_read.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/trace/records.h"
#include "runtime/base/indexed.h"
#include "runtime/base/io.h"
#include "runtime/base/vec.h"
#include "runtime/node/trace_block.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const trace_kind_text[TRACE_KINDS] = {"reply", "push", "migrate", "collective"};

enum { NODES_MAX = 1 << 20, WORKERS_MAX = 4096, DEPTH_MAX = 64 };
static const char no_end[] = "the last event, \"end\", is missing";

/* ---- JSON ---- */

struct cells { /* of a line; the memory is kept for the next */
    struct arena *arena;
    uint32_t *at;
    size_t n, room;
    bool listed; /* there was a list, maybe empty */
};

struct json {
    char *at;        /* ends in a 0 byte */
    const char *bad; /* what was wrong; NULL: nothing yet */
    struct arena *arena;           /* of lists of words */
    const struct lattice *lattice; /* cells lie in it */
    struct cells *cells;           /* those of a list go there */
};

static bool
fail(struct json *j, const char *what)
{
    if (!j->bad) j->bad = what;
    return false;
}

static void
space(struct json *j)
{
    while (*j->at && strchr(" \t\r\n", *j->at)) j->at++;
}

/* Goes over `c`; false, and nothing is wrong: another one is there. */
static bool
next_is(struct json *j, char c)
{
    space(j);
    if (*j->at != c) return false;
    j->at++;
    return true;
}

static bool
escape(struct json *j, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = *j->at;
    const char *known = c ? strchr(letters, c) : NULL;
    if (known) {
        *(*out)++ = meant[known - letters];
        j->at++;
        return true;
    }
    for (int i = 1; i <= 4; i++)
        if (c != 'u' || !isxdigit((unsigned char)j->at[i]))
            return fail(j, "a text has a wrong escape");
    char digits[5] = {j->at[1], j->at[2], j->at[3], j->at[4], 0};
    long code = strtol(digits, NULL, 16);
    const char one[] = {(char)code, 0};
    const char *p = code > 0 && code < 128 ? one : "\xef\xbf\xbd"; /* U+FFFD: we write no others */
    while (*p) *(*out)++ = *p++;
    j->at += 5;
    return true;
}

/* In place: the text ends where its closing quote was, or before. */
static bool
read_text(struct json *j, const char **out)
{
    if (!next_is(j, '"')) return fail(j, "a text was expected");
    char *to = j->at;
    *out = to;
    while (*j->at != '"') {
        if (!*j->at || (unsigned char)*j->at < ' ') return fail(j, "a text does not end");
        if (*j->at != '\\') {
            *to++ = *j->at++;
            continue;
        }
        j->at++;
        if (!escape(j, &to)) return false;
    }
    j->at++;
    *to = 0;
    return true;
}

static bool
read_number(struct json *j, uint64_t *out)
{
    space(j);
    char *end = j->at;
    if (!isdigit((unsigned char)*j->at)) return fail(j, "a number that is 0 or more was expected");
    errno = 0;
    *out = strtoull(j->at, &end, 10);
    if (errno || strchr(".eE", *end ? *end : ','))
        return fail(j, "a number is no integer of 64 bits");
    j->at = end;
    return true;
}

static bool skip_value(struct json *j, int depth);

static bool
skip_word(struct json *j)
{
    size_t n = strspn(j->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    static const char *const words[] = {"null", "true", "false"};
    for (int i = 0; i < 3; i++)
        if (n == strlen(words[i]) && !strncmp(j->at, words[i], n)) {
            j->at += n;
            return true;
        }
    char *end = j->at;
    if (n && (*j->at == '-' || isdigit((unsigned char)*j->at))) strtod(j->at, &end);
    if (end == j->at || end != j->at + n) return fail(j, "a value was expected");
    j->at = end;
    return true;
}

static bool
skip_list(struct json *j, bool object, int depth)
{
    const char *name;
    char end = object ? '}' : ']';
    if (depth > DEPTH_MAX) return fail(j, "values are nested too deep");
    if (next_is(j, end)) return true;
    do {
        if (object && (!read_text(j, &name) || !next_is(j, ':')))
            return fail(j, "a name and ':' were expected");
        if (!skip_value(j, depth + 1)) return false;
    } while (next_is(j, ','));
    return next_is(j, end) || fail(j, "',' or a closing bracket was expected");
}

static bool
skip_value(struct json *j, int depth)
{
    const char *text;
    space(j);
    if (*j->at == '"') return read_text(j, &text);
    if (next_is(j, '[')) return skip_list(j, false, depth);
    if (next_is(j, '{')) return skip_list(j, true, depth);
    return skip_word(j);
}

/* ---- lattices and cells ---- */

/* [4,8]: at most three numbers, or the word null, which leaves `n` at 0. */
static bool
read_numbers(struct json *j, int32_t *out, int *n)
{
    *n = 0;
    space(j);
    if (*j->at == 'n') return skip_word(j);
    if (!next_is(j, '[')) return fail(j, "'[' was expected");
    do {
        uint64_t x;
        if (*n == LATTICE_DIMS_MAX) return fail(j, "there are more than three indices");
        if (!read_number(j, &x)) return false;
        if (x > INT32_MAX) return fail(j, "an index or side is too large");
        out[(*n)++] = (int32_t)x;
    } while (next_is(j, ','));
    return next_is(j, ']') || fail(j, "',' or ']' was expected");
}

static bool
read_lattice(struct json *j, struct lattice *out)
{
    int32_t sides[LATTICE_DIMS_MAX];
    int n;
    if (!read_numbers(j, sides, &n)) return false;
    return !n || lattice_init(out, n, sides) || fail(j, "a lattice cannot have such sides");
}

static bool
read_cell(struct json *j, uint32_t *out)
{
    int32_t ix[LATTICE_DIMS_MAX];
    int n;
    if (!j->lattice->ndims) return fail(j, "a cell, but run.json tells of none");
    if (!read_numbers(j, ix, &n)) return false;
    if (n != j->lattice->ndims) return fail(j, "a cell has the wrong number of indices");
    *out = lattice_number(j->lattice, ix);
    return *out != LATTICE_NONE || fail(j, "a cell lies outside those of the run");
}

static bool
add_cell(struct json *j)
{
    struct cells *c = j->cells;
    if (!vec_more(c->arena, c->at, c->n, c->room)) return fail(j, "out of memory");
    return read_cell(j, &c->at[c->n++]);
}

/* The list of an own line, or the number of a load line. */
static bool
read_cells(struct json *j, uint64_t *out)
{
    space(j);
    if (*j->at != '[') return read_number(j, out);
    j->at++;
    j->cells->listed = true;
    if (next_is(j, ']')) return true;
    do
        if (!add_cell(j)) return false;
    while (next_is(j, ','));
    *out = j->cells->n;
    return next_is(j, ']') || fail(j, "',' or ']' was expected");
}

/* ---- other lists ---- */

/* ["luna","run"] */
static bool
read_words(struct json *j, struct trace_words *out)
{
    size_t room = 0;
    *out = (struct trace_words){0};
    if (!next_is(j, '[')) return fail(j, "'[' was expected");
    if (next_is(j, ']')) return true;
    do {
        if (!vec_more(j->arena, out->at, out->n, room)) return fail(j, "out of memory");
        if (!read_text(j, &out->at[out->n++])) return false;
    } while (next_is(j, ','));
    return next_is(j, ']') || fail(j, "',' or ']' was expected");
}

/* A number, or the word null. */
static bool
read_seed(struct json *j, struct trace_run *out)
{
    space(j);
    out->has_seed = *j->at != 'n';
    return out->has_seed ? read_number(j, &out->seed) : skip_word(j);
}

/* [3,0,17], or [3,"m",17]. */
static bool
read_by(struct json *j, struct trace_by *out)
{
    const char *word = "m";
    if (!next_is(j, '[')) return fail(j, "'[' was expected");
    if (!read_number(j, &out->node)) return false;
    if (!next_is(j, ',')) return fail(j, "',' was expected");
    space(j);
    out->what = *j->at == '"' ? TRACE_BY_MESSAGE : TRACE_BY_CALL;
    if (out->what == TRACE_BY_CALL ? !read_number(j, &out->worker) : !read_text(j, &word))
        return false;
    if (strcmp(word, "m")) return fail(j, "a worker, or \"m\", was expected");
    if (!next_is(j, ',')) return fail(j, "',' was expected");
    if (!read_number(j, &out->k)) return false;
    return next_is(j, ']') || fail(j, "']' was expected");
}

/* ---- objects into structs ---- */

struct field {
    const char *name;
    enum { NUMBER, TEXT, LATTICE, CELL, CELLS, WORDS, SEED, BY } type;
    size_t at;
};

static bool
read_field(struct json *j, const struct field *f, void *out)
{
    char *at = (char *)out + f->at;
    switch (f->type) {
    case NUMBER: return read_number(j, (uint64_t *)(void *)at);
    case TEXT: return read_text(j, (const char **)(void *)at);
    case LATTICE: return read_lattice(j, (struct lattice *)(void *)at);
    case CELL: return read_cell(j, (uint32_t *)(void *)at);
    case CELLS: return read_cells(j, (uint64_t *)(void *)at);
    case WORDS: return read_words(j, (struct trace_words *)(void *)at);
    case BY: return read_by(j, (struct trace_by *)(void *)at);
    case SEED: return read_seed(j, (struct trace_run *)(void *)at);
    }
    return false;
}

/* `seen` gets a bit per field of the table that is there. */
static bool
read_object(struct json *j, const struct field *fields, unsigned n, void *out, uint64_t *seen)
{
    const char *name;
    *seen = 0;
    if (!next_is(j, '{')) return fail(j, "'{' was expected");
    do {
        if (!read_text(j, &name) || !next_is(j, ':'))
            return fail(j, "a name and ':' were expected");
        unsigned i = 0;
        while (i < n && strcmp(fields[i].name, name)) i++;
        if (i < n && *seen & UINT64_C(1) << i) return fail(j, "a field is there twice");
        if (!(i < n ? read_field(j, &fields[i], out) : skip_value(j, 0))) return false;
        if (i < n) *seen |= UINT64_C(1) << i;
    } while (next_is(j, ','));
    if (!next_is(j, '}')) return fail(j, "',' or '}' was expected");
    space(j);
    return !*j->at || fail(j, "something stands behind the closing '}'");
}

/* ---- messages ---- */

/* At a line; of a binary file at a byte. What is of no known version is whole for all we know. */
static bool
damaged(const char *path, uint64_t at, const char *what)
{
    say_error("%s:%llu: the trace is damaged: %s", path, (unsigned long long)at, what);
    say_hint(strstr(what, "version")
                 ? "if a newer luna has written it, read it with that; else run the program again "
                   "with --trace=DIR"
                 : "it was cut short or changed: run the program again with --trace=DIR");
    return false;
}

static bool
unreadable(struct arena *a, const char *path, int e)
{
    const char *no_file = io_no_file(path);
    say_error("cannot read '%s': %s", path, no_file ? no_file : strerror(e));
    if (io_is_systems(e)) arena_jump(a, ARENA_TOLD);
    say_hint("a trace is the folder that luna run --trace=DIR has written, with all its files");
    return false;
}

bool
trace_is_folder(const char *dir)
{
    struct stat st;
    if (!dir) {
        say_error("no TRACE_DIR was given");
        say_hint("it is the folder that luna run --trace=DIR has written");
        return false;
    }
    bool there = !stat(dir, &st);
    if (there && S_ISDIR(st.st_mode)) return true;
    say_error(there ? "'%s' is a file, not the folder of a trace" : "no such folder: '%s'", dir);
    say_hint("TRACE_DIR is the folder that luna run --trace=DIR has written");
    return false;
}

/* ---- run.json ---- */

#define AT(field) offsetof(struct trace_run, field)
static const struct field run_fields[] = {
    {"program", TEXT, AT(program)},     {"transport", TEXT, AT(transport)},
    {"nodes", NUMBER, AT(nodes)},       {"workers", NUMBER, AT(workers)},
    {"end", TEXT, AT(end)},             {"exit_code", NUMBER, AT(exit_code)},
    {"duration", NUMBER, AT(duration)}, {"distributor", TEXT, AT(distributor)},
    {"lattice", LATTICE, AT(lattice)},  {"cells", LATTICE, AT(cells)},
    {"version", TEXT, AT(version)},     {"hash", TEXT, AT(hash)},
    {"start", TEXT, AT(start)},         {"command", WORDS, AT(command)},
    {"hosts", WORDS, AT(hosts)},        {"seed", SEED, 0},
    {"cores", NUMBER, AT(cores)},       {"format", TEXT, AT(format)},
};
#undef AT
enum { RUN_FIELDS = sizeof run_fields / sizeof *run_fields, RUN_STARTED = 31, RUN_ENDED = 127 };

static unsigned long
line_of(const char *text, const char *at)
{
    unsigned long n = 1;
    for (; text < at; text++) n += *text == '\n';
    return n;
}

static bool
run_check(const char *path, const struct trace_run *r, uint64_t seen)
{
    if ((seen & RUN_STARTED) != RUN_STARTED)
        return damaged(path, 1, "what was run is not all there");
    if (r->nodes < 1 || r->nodes > NODES_MAX || r->workers < 1 || r->workers > WORKERS_MAX)
        return damaged(path, 1, "its number of nodes or workers cannot be");
    if (r->format && strcmp(r->format, "text") && strcmp(r->format, "binary"))
        return damaged(path, 1, "its format is none of this version");
    if ((seen & RUN_ENDED) == RUN_ENDED) return true;
    say_error("%s: the run that writes this trace has not ended", path);
    say_hint("wait until it has; if it was killed, run it again");
    return false;
}

bool
trace_read_run(struct arena *a, const char *dir, struct trace_run *out)
{
    const char *path = path_join(a, dir, "run.json");
    struct buf b = {0};
    uint64_t seen;
    *out = (struct trace_run){0};
    int e = file_read(path, &b);
    if (e) {
        buf_fini(&b);
        return unreadable(a, path, e);
    }
    char *text = arena_strdup(a, b.data ? b.data : "");
    bool whole = b.data && strlen(b.data) == b.size;
    buf_fini(&b);
    if (!whole) return damaged(path, 1, "it is empty or has bytes that are no text");
    const char *copy = arena_strdup(a, text); /* texts are cut in place: lines are counted here */
    struct json j = {.at = text, .arena = a};
    if (!read_object(&j, run_fields, RUN_FIELDS, out, &seen))
        return damaged(path, line_of(copy, copy + (j.at - text)), j.bad);
    out->binary = out->format && !strcmp(out->format, "binary");
    return run_check(path, out, seen);
}

/* ---- events ---- */

struct raw { /* a line as it is */
    struct trace_event e;
    const char *ev, *why, *txn;
};

enum { F_T, F_EV, F_TO, F_DF, F_BYTES, F_DIST, F_WHY, F_COUNT, F_STEP, F_CELLS, F_CELL, F_TXN, F_CF,
       F_LINE, F_WORKER, F_DUR, F_MSGS, F_CTL_BYTES, F_IDLE, F_BALANCER, F_WALKS, F_HOPS,
       F_FARTHEST, F_CALLS, F_IN_CALLS, F_RUNTIME, F_WASTED, F_STEALS, F_NAPS, F_ON, F_OFF,
       F_READY, F_BY, F_FROM, F_K, F_MADE, F_BIGGEST, F_PEAK, F_VALUES, F_LIFE, F_LONGEST,
       F_UNREAD, F_LEFT, F_CHAIN, F_SPIN, F_SLEEP, F_LINES, FIELDS };

#define AT(field) offsetof(struct raw, field)
static const struct field fields[FIELDS] = {
    [F_T] = {"t", NUMBER, AT(e.t)},
    [F_EV] = {"ev", TEXT, AT(ev)},
    [F_TO] = {"to", NUMBER, AT(e.to)},
    [F_DF] = {"df", TEXT, AT(e.df)},
    [F_BYTES] = {"bytes", NUMBER, AT(e.bytes)},
    [F_DIST] = {"dist", NUMBER, AT(e.dist)},
    [F_WHY] = {"why", TEXT, AT(why)},
    [F_COUNT] = {"count", NUMBER, AT(e.count)},
    [F_STEP] = {"step", NUMBER, AT(e.step)},
    [F_CELLS] = {"cells", CELLS, AT(e.cells)},
    [F_CELL] = {"cell", CELL, AT(e.cell)},
    [F_TXN] = {"txn", TEXT, AT(txn)},
    [F_CF] = {"cf", TEXT, AT(e.cf)},
    [F_LINE] = {"line", NUMBER, AT(e.line)},
    [F_WORKER] = {"worker", NUMBER, AT(e.worker)},
    [F_DUR] = {"dur", NUMBER, AT(e.dur)},
    [F_MSGS] = {"ctl_msgs", NUMBER, AT(e.ctl_msgs)},
    [F_CTL_BYTES] = {"ctl_bytes", NUMBER, AT(e.ctl_bytes)},
    [F_IDLE] = {"idle", NUMBER, AT(e.idle)},
    [F_BALANCER] = {"balancer", NUMBER, AT(e.balancer)},
    [F_WALKS] = {"walks", NUMBER, AT(e.walks)},
    [F_HOPS] = {"hops", NUMBER, AT(e.hops)},
    [F_FARTHEST] = {"farthest", NUMBER, AT(e.farthest)},
    [F_CALLS] = {"calls", NUMBER, AT(e.calls)},
    [F_IN_CALLS] = {"in_calls", NUMBER, AT(e.in_calls)},
    [F_RUNTIME] = {"runtime", NUMBER, AT(e.runtime)},
    [F_WASTED] = {"wasted", NUMBER, AT(e.wasted)},
    [F_STEALS] = {"steals", NUMBER, AT(e.steals)},
    [F_NAPS] = {"naps", NUMBER, AT(e.naps)},
    [F_ON] = {"on", NUMBER, AT(e.on)},
    [F_OFF] = {"off", NUMBER, AT(e.off)},
    [F_READY] = {"ready", NUMBER, AT(e.ready)},
    [F_BY] = {"by", BY, AT(e.by)},
    [F_FROM] = {"from", NUMBER, AT(e.from)},
    [F_K] = {"k", NUMBER, AT(e.k)},
    [F_MADE] = {"made", NUMBER, AT(e.made)},
    [F_BIGGEST] = {"biggest", NUMBER, AT(e.biggest)},
    [F_PEAK] = {"peak", NUMBER, AT(e.peak)},
    [F_VALUES] = {"values", NUMBER, AT(e.values)},
    [F_LIFE] = {"life", NUMBER, AT(e.life)},
    [F_LONGEST] = {"longest", NUMBER, AT(e.longest)},
    [F_UNREAD] = {"unread", NUMBER, AT(e.unread)},
    [F_LEFT] = {"left", NUMBER, AT(e.left)},
    [F_SPIN] = {"spin", NUMBER, AT(e.spin)},
    [F_SLEEP] = {"sleep", NUMBER, AT(e.sleep)},
    [F_CHAIN] = {"chain", NUMBER, AT(e.chain)},
    [F_LINES] = {"lines", NUMBER, AT(e.lines)},
};
#undef AT

#define BIT(f) (UINT64_C(1) << (f))
static const struct event_kind {
    const char *name;
    uint64_t needs;
} kinds[] = {
    [TRACE_EV_SEND] = {"send", BIT(F_T) | BIT(F_TO) | BIT(F_DF) | BIT(F_BYTES) | BIT(F_DIST) |
                                  BIT(F_WHY)},
    [TRACE_EV_RECV] = {"recv", BIT(F_T) | BIT(F_FROM) | BIT(F_K)},
    [TRACE_EV_LOAD] = {"load", BIT(F_T) | BIT(F_BYTES) | BIT(F_COUNT) | BIT(F_CELLS)},
    [TRACE_EV_MOVE] = {"move", BIT(F_T) | BIT(F_CELL) | BIT(F_TO) | BIT(F_TXN)},
    [TRACE_EV_EXEC] = {"exec", BIT(F_T) | BIT(F_CF) | BIT(F_LINE) | BIT(F_WORKER) | BIT(F_DUR)},
    [TRACE_EV_OWN] = {"own", BIT(F_T) | BIT(F_CELLS)},
    [TRACE_EV_DF] = {"df", BIT(F_DF) | BIT(F_LINE) | BIT(F_MADE) | BIT(F_BYTES) |
                              BIT(F_BIGGEST) | BIT(F_PEAK) | BIT(F_VALUES) | BIT(F_LIFE) |
                              BIT(F_LONGEST) | BIT(F_UNREAD) | BIT(F_LEFT)},
    [TRACE_EV_WORKER] = {"worker", BIT(F_WORKER) | BIT(F_CALLS) | BIT(F_IN_CALLS) |
                                      BIT(F_RUNTIME) | BIT(F_IDLE) | BIT(F_WASTED) |
                                      BIT(F_STEALS) | BIT(F_NAPS)},
    [TRACE_EV_END] = {"end", BIT(F_MSGS) | BIT(F_CTL_BYTES)},
};
enum { EVENTS = sizeof kinds / sizeof *kinds };

static bool
is_by(const struct trace_by *by, const struct trace_run *run)
{
    return by->node < run->nodes && by->worker < run->workers && by->k;
}

/* NULL, or what is wrong. */
static const char *
check_event(struct raw *r, const struct trace_run *run, uint64_t seen, bool listed)
{
    unsigned i = 0;
    if (!(seen & BIT(F_EV))) return "it lacks \"ev\"";
    while (i < EVENTS && strcmp(kinds[i].name, r->ev)) i++;
    if (i == EVENTS) return "its \"ev\" is none of this version";
    if ((seen & kinds[i].needs) != kinds[i].needs) return "it lacks a field of its event";
    r->e.ev = (enum trace_ev)i;
    r->e.has_idle = seen & BIT(F_IDLE);
    r->e.has_cell = seen & BIT(F_CELL);
    if (seen & BIT(F_TO) && r->e.to >= run->nodes) return "\"to\" is no node of this run";
    if (seen & BIT(F_FROM) && r->e.from >= run->nodes) return "\"from\" is no node of this run";
    if (seen & BIT(F_BY) && !is_by(&r->e.by, run))
        return "\"by\" is no call and no message of this run";
    if (seen & BIT(F_WORKER) && r->e.worker >= run->workers)
        return "\"worker\" is none of this run";
    if (r->e.ev == TRACE_EV_WORKER && r->e.wasted > r->e.idle)
        return "more time was wasted than idle";
    if (r->e.ev == TRACE_EV_OWN && !listed) return "\"cells\" is no list of cells";
    if (r->e.ev == TRACE_EV_LOAD && listed) return "\"cells\" is no number of cells";
    if (r->e.ev != TRACE_EV_SEND) return NULL;
    for (i = 0; i < TRACE_KINDS; i++)
        if (!strcmp(trace_kind_text[i], r->why)) r->e.kind = (enum trace_kind)i;
    if (!strcmp(trace_kind_text[r->e.kind], r->why)) return NULL;
    return "its \"why\" is none of this version";
}

static const char *
read_event(char *line, size_t size, const struct trace_run *run, struct cells *cells,
           struct raw *r)
{
    uint64_t seen;
    struct json j = {.at = line, .lattice = &run->cells, .cells = cells};
    *r = (struct raw){0};
    cells->n = 0;
    cells->listed = false;
    if (line[size - 1] != '\n') return "the line does not end";
    if (strlen(line) != size) return "the line has bytes that are no text";
    if (!read_object(&j, fields, FIELDS, r, &seen)) return j.bad;
    r->e.owned = cells->at;
    return check_event(r, run, seen, cells->listed);
}

/* Workers tell what they did in their order, each once; all of a node, or none: traces of before
 * had no such lines. NULL, or what is wrong. */
static const char *
check_workers(const struct trace_event *e, const struct trace_run *run, uint64_t *told)
{
    if (e->ev == TRACE_EV_WORKER && e->worker != (*told)++) return "\"worker\" is out of turn";
    if (e->ev != TRACE_EV_END || !*told || *told == run->workers) return NULL;
    return "not every worker has told what it did";
}

struct node_file { /* that is being read */
    struct arena *arena;
    const struct trace_run *run;
    const char *path;
    FILE *f;
    unsigned node;
    trace_event_fn *fn;
    trace_record_fn *record;
    void *who;
    struct cells cells;
    uint64_t told; /* workers */
    uint64_t lines; /* or records */
    bool ended;
    char miscounted[160];
    char name[TRACE_NAME_ROOM + 1];
};

/* The last line tells how many there are; in traces of before it does not. NULL, or what is
 * wrong. */
static const char *
check_lines(struct node_file *n, const struct trace_event *e)
{
    if (e->ev != TRACE_EV_END || !e->lines || e->lines == n->lines) return NULL;
    snprintf(n->miscounted, sizeof n->miscounted,
             "the run wrote %" PRIu64 " lines here, and %" PRIu64 " are there", e->lines, n->lines);
    return n->miscounted;
}

enum { LATE_NS = 10000000 }; /* the end of a run may be told by that much too early */

/* A call of a whole run has ended before it. Clocks of several hosts are not compared yet. NULL, or
 * what is wrong. */
static const char *
check_time(const struct trace_event *e, const struct trace_run *run)
{
    if (e->ev != TRACE_EV_EXEC || run->hosts.n > 1 || strcmp(run->end, "done") != 0) return NULL;
    uint64_t latest = run->duration + run->duration / 16 + LATE_NS;
    return e->t <= latest && e->dur <= latest - e->t ? NULL
                                                     : "a call ends after the run: is this file of "
                                                       "another run?";
}

/* NULL, or what is wrong. */
static const char *
take_event(struct node_file *n, const struct trace_event *e)
{
    const char *bad = check_workers(e, n->run, &n->told);
    if (!bad) bad = check_time(e, n->run);
    n->lines++;
    if (!bad) bad = check_lines(n, e);
    if (bad) return bad;
    n->ended = e->ev == TRACE_EV_END;
    if (n->fn) n->fn(n->who, n->node, e);
    return NULL;
}

static const char *
take_line(struct node_file *n, char *line, size_t size)
{
    struct raw r;
    if (n->ended) return "something stands behind the last event";
    const char *bad = read_event(line, size, n->run, &n->cells, &r);
    return bad ? bad : take_event(n, &r.e);
}

/* ---- lines ---- */

static bool
read_lines(struct node_file *n)
{
    const char *bad = NULL;
    char *line = NULL;
    size_t room = 0;
    unsigned long at = 0;
    for (ssize_t size; !bad && (size = getline(&line, &room, n->f)) > 0;) {
        at++;
        bad = take_line(n, line, (size_t)size);
    }
    int e = bad || feof(n->f) ? 0 : errno; /* getline may lack memory, too */
    free(line);
    if (e) return unreadable(n->arena, n->path, e);
    if (bad) return damaged(n->path, at, bad);
    return n->ended || damaged(n->path, at + 1, no_end);
}

/* ---- records ---- */

static const char *
name_of(struct node_file *n, const struct told_name *name)
{
    n->name[indexed_print(n->name, TRACE_NAME_ROOM, name->base, name->ix, name->n)] = 0;
    return n->name;
}

static struct trace_by
by_of(const struct told_by *by)
{
    if (by->by == TOLD_UNKNOWN) return (struct trace_by){.what = TRACE_BY_NOBODY};
    bool message = by->by == TOLD_MESSAGE;
    return (struct trace_by){.what = message ? TRACE_BY_MESSAGE : TRACE_BY_CALL,
                             .node = (uint64_t)by->node,
                             .worker = message ? 0 : (uint64_t)by->by, .k = by->k};
}

static struct trace_event
event_of_call(struct node_file *n, const struct told_call *c)
{
    return (struct trace_event){
        .ev = TRACE_EV_EXEC, .cf = name_of(n, &c->name), .t = c->t, .line = c->name.line,
        .worker = c->worker, .dur = c->dur, .chain = c->chain,
        .ready = c->ready, .by = by_of(&c->by),
        .has_cell = c->cell != LATTICE_NONE, .cell = c->cell};
}

static struct trace_event
event_of_send(struct node_file *n, const struct told_send *s)
{
    return (struct trace_event){
        .ev = TRACE_EV_SEND, .kind = (enum trace_kind)s->why, .df = name_of(n, &s->name),
        .t = s->t, .to = s->to, .bytes = s->bytes, .dist = s->dist, .k = s->k,
        .by = by_of(&s->by)};
}

static struct trace_event
event_of_recv(const struct told_recv *r)
{
    return (struct trace_event){.ev = TRACE_EV_RECV, .t = r->t, .from = r->from, .k = r->k};
}

/* As check_event, of what a record may have wrong. */
static const char *
check_record(const struct trace_event *e, const struct trace_run *run)
{
    if (e->to >= run->nodes) return "\"to\" is no node of this run";
    if (e->from >= run->nodes) return "\"from\" is no node of this run";
    if (e->by.what != TRACE_BY_NOBODY && !is_by(&e->by, run))
        return "\"by\" is no call and no message of this run";
    if (e->worker >= run->workers) return "\"worker\" is none of this run";
    if (e->has_cell && !run->cells.ndims) return "a cell, but run.json tells of none";
    if (e->has_cell && e->cell >= lattice_size(&run->cells))
        return "a cell lies outside those of the run";
    return NULL;
}

static const char *
take_record(struct node_file *n, struct record *r)
{
    struct trace_event e = {.ev = TRACE_EV_EXEC};
    if (n->record) n->record(n->who, r);
    switch (r->what) {
    case RECORD_TEXT: return take_line(n, r->line.at, r->line.size);
    case RECORD_CALL: e = event_of_call(n, &r->call); break;
    case RECORD_SEND: e = event_of_send(n, &r->send); break;
    case RECORD_RECV: e = event_of_recv(&r->recv); break;
    }
    if (n->ended) return "something stands behind the last event";
    const char *bad = check_record(&e, n->run);
    return bad ? bad : take_event(n, &e);
}

static bool
read_blocks(struct node_file *n)
{
    struct records *all = records_open(n->f, n->node);
    if (!all) return unreadable(n->arena, n->path, ENOMEM);
    const char *bad = NULL;
    uint64_t at;
    struct record r;
    while (!bad && records_next(all, &r)) bad = take_record(n, &r);
    const char *worse = records_bad(all, &at);
    int e = records_error(all);
    records_close(all);
    if (e) return unreadable(n->arena, n->path, e);
    if (worse) bad = worse;
    if (!bad && !n->ended) bad = no_end;
    return !bad || damaged(n->path, at, bad);
}

static bool
read_node(struct node_file *n, const char *dir)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/node-%05u.%s", dir, n->node, n->run->binary ? "ltr" : "jsonl");
    n->path = path;
    n->cells = (struct cells){.arena = n->arena};
    n->f = io_no_file(path) ? NULL : fopen(path, "re");
    if (!n->f) return unreadable(n->arena, path, errno);
    bool whole = n->run->binary ? read_blocks(n) : read_lines(n);
    fclose(n->f);
    return whole;
}

bool
trace_read_node(struct arena *a, const char *dir, const struct trace_run *run, unsigned node,
                trace_event_fn *fn, void *who)
{
    struct node_file n = {.arena = a, .run = run, .node = node, .fn = fn, .who = who};
    return read_node(&n, dir);
}

bool
trace_read_records(struct arena *a, const char *dir, const struct trace_run *run, unsigned node,
                   trace_record_fn *fn, void *who)
{
    struct node_file n = {.arena = a, .run = run, .node = node, .record = fn, .who = who};
    return read_node(&n, dir);
}
