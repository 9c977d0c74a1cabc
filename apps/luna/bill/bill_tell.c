/* bill_tell.c - a bill for people, and as JSON. */
#include "apps/luna/bill/bill.h"
#include "lang/report/source.h"
#include "runtime/base/amount.h"
#include "runtime/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_SHOWN = 16, PAIRS_A_LINE = 4, ACCESSES_SHOWN = 20 };

static const char *
range(struct bill_count n, char *text, size_t size)
{
    if (n.least == n.most) snprintf(text, size, "%" PRIu64, n.most);
    else snprintf(text, size, "%" PRIu64 "..%" PRIu64, n.least, n.most);
    return text;
}

static const char *
name_of(const struct plan *p, uint32_t decl)
{
    return p->dfs.row[decl].name;
}

/* Where the text mentions it. */
static const char *
place_of(const struct bill_access *a, const struct plan *p, const struct source *s, char *text,
         size_t size)
{
    struct place at;
    if (a->input == BILL_NONE || !a->site->spans ||
        !source_place(s, a->site->spans[a->input], 0, &at, NULL))
        return unroll_place(p, a->site->place, text, size);
    snprintf(text, size, "%s:%" PRIu32 ":%" PRIu32, at.file, at.line, at.col);
    return text;
}

/* ---- text ---- */

static double
ratio(double a, double b)
{
    return b > 0 ? a / b : 1;
}

static void
print_calls(const struct bill *b)
{
    double n = b->nodes;
    printf("calls        %" PRIu64, b->calls);
    if (b->nodes > 1)
        printf(", %" PRIu64 " on the node with most (max/avg %.3f)", b->calls_most,
               ratio((double)b->calls_most * n, (double)b->calls));
    printf("; critical path %" PRIu64 ", ideal speed-up %.1f", b->path,
           ratio((double)b->calls, (double)b->path));
    if (b->nodes > 1)
        printf(", on %d nodes %.2f", b->nodes, ratio((double)b->calls, (double)b->calls_most));
    printf("\n");
    if (!b->weighed) return;
    printf("weight       %.6g", b->weight);
    if (b->nodes > 1)
        printf(", %.6g on the node with most (max/avg %.3f)", b->weight_most,
               ratio(b->weight_most * n, b->weight));
    printf("; critical path %.6g, ideal speed-up %.1f", b->path_weight,
           ratio(b->weight, b->path_weight));
    if (b->nodes > 1)
        printf(", on %d nodes %.2f", b->nodes, ratio(b->weight, b->weight_most));
    printf("\n");
}

/* As they are read: one if they look the same. */
static const char *
least_to_most(double least, double most, char text[64])
{
    char other[32];
    int n = snprintf(text, 32, "%.3f", least);
    snprintf(other, sizeof other, "%.3f", most);
    if (strcmp(text, other) != 0) snprintf(text + n, 64 - (size_t)n, "..%s", other);
    return text;
}

static void
print_messages(const struct bill *b)
{
    char text[64];
    struct bill_count bytes;
    printf("messages     %s", range(b->messages, text, sizeof text));
    if (b->messages.most && bill_bytes(b, &bytes, NULL)) {
        double least = (double)bytes.least / b->nodes, most = (double)bytes.most / b->nodes;
        printf("; %s", amount_bytes(least).text);
        if (bytes.least != bytes.most) printf("..%s", amount_bytes(most).text);
        printf(" a node");
    }
    if (b->messages.most) printf("; AvgSD %s", least_to_most(b->far_least, b->far_most, text));
    printf("\n");
}

static int
by_ends(const void *a, const void *b)
{
    const struct bill_pair *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Of both directions together. */
static size_t
join_ends(const struct bill *b, struct bill_pair *out)
{
    size_t n = 0;
    for (size_t i = 0; i < b->npairs; i++) {
        out[i] = b->pairs[i];
        if (out[i].from < out[i].to) continue;
        out[i].from = b->pairs[i].to;
        out[i].to = b->pairs[i].from;
    }
    qsort(out, b->npairs, sizeof *out, by_ends);
    for (size_t i = 0; i < b->npairs; i++) {
        if (n && !by_ends(&out[n - 1], &out[i])) {
            out[n - 1].n.least += out[i].n.least;
            out[n - 1].n.most += out[i].n.most;
        } else {
            out[n++] = out[i];
        }
    }
    return n;
}

static void
print_pairs(const struct bill *b)
{
    char text[64];
    struct bill_pair *p = arena_array(b->arena, struct bill_pair, b->npairs + 1);
    size_t n = join_ends(b, p);
    for (size_t i = 0; i < n && i < PAIRS_SHOWN; i++) {
        printf("%s%d-%d %s", i % PAIRS_A_LINE ? "   " : i ? "\n               " : "  between      ",
               p[i].from, p[i].to, range(p[i].n, text, sizeof text));
    }
    if (n > PAIRS_SHOWN) printf("\n  and %zu more pairs: --json lists them", n - PAIRS_SHOWN);
    if (n) printf("\n");
}

static int
by_most(const void *a, const void *b)
{
    const struct bill_access *x = a, *y = b;
    if (x->n.most != y->n.most) return x->n.most < y->n.most ? 1 : -1;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

static void
print_accesses(const struct bill *b, const struct plan *p, const struct source *s)
{
    char text[64], place[400];
    struct bill_access *a = arena_array(b->arena, struct bill_access, b->naccesses + 1);
    for (size_t i = 0; i < b->naccesses; i++) a[i] = b->accesses[i];
    qsort(a, b->naccesses, sizeof *a, by_most);
    for (size_t i = 0; i < b->naccesses && i < ACCESSES_SHOWN; i++)
        printf("  %-10s %10s   %s%s\n", name_of(p, a[i].decl), range(a[i].n, text, sizeof text),
               place_of(&a[i], p, s, place, sizeof place),
               a[i].input == BILL_NONE ? ", assigned" : "");
    if (b->naccesses > ACCESSES_SHOWN)
        printf("  and %zu more places: --json lists them\n", b->naccesses - ACCESSES_SHOWN);
}

static void
print_alive(const struct bill *b, const struct plan *p)
{
    for (size_t i = 0; i < b->nalive; i++)
        printf("%s%s %" PRIu64 " of %" PRIu64, i ? ", " : "alive        ",
               name_of(p, b->alive[i].decl), b->alive[i].most, b->alive[i].made);
    if (b->nalive) printf(" values, in the order of the text\n");
}

void
bill_print(const struct bill *b, const struct plan *p, const struct source *s)
{
    print_calls(b);
    if (b->nodes > 1) print_messages(b);
    print_pairs(b);
    print_accesses(b, p, s);
    print_alive(b, p);
    if (b->nodes > 1)
        printf("not counted  balancing, what loops and reductions send along trees, %sthe end\n",
               b->parts_again ? "whole values in place of parts, " : "");
}

/* ---- JSON ---- */

static void
put_count(struct json *j, struct bill_count n)
{
    json_key_uint(j, "min", n.least);
    json_key_uint(j, "max", n.most);
}

static void
put_pairs(struct json *j, const struct bill *b, const struct plan *p)
{
    json_key_open(j, "sends", '[');
    for (size_t i = 0; i < b->npairs; i++) {
        json_line(j, 2);
        json_open(j, '{');
        json_key_text(j, "df", name_of(p, b->pairs[i].decl));
        json_key_uint(j, "from", (uint64_t)b->pairs[i].from);
        json_key_uint(j, "to", (uint64_t)b->pairs[i].to);
        put_count(j, b->pairs[i].n);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_accesses(struct json *j, const struct bill *b, const struct plan *p, const struct source *s)
{
    char place[400];
    json_key_open(j, "places", '[');
    for (size_t i = 0; i < b->naccesses; i++) {
        json_line(j, 2);
        json_open(j, '{');
        json_key_text(j, "df", name_of(p, b->accesses[i].decl));
        json_key_text(j, "place", place_of(&b->accesses[i], p, s, place, sizeof place));
        json_key_text(j, "what", b->accesses[i].input == BILL_NONE ? "assigned" : "read");
        put_count(j, b->accesses[i].n);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_alive(struct json *j, const struct bill *b, const struct plan *p)
{
    json_key_open(j, "alive", '[');
    for (size_t i = 0; i < b->nalive; i++) {
        json_line(j, 2);
        json_open(j, '{');
        json_key_text(j, "df", name_of(p, b->alive[i].decl));
        json_key_uint(j, "made", b->alive[i].made);
        json_key_uint(j, "most", b->alive[i].most);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
bill_print_json(const struct bill *b, const struct plan *p, const struct source *s,
                struct buf *out)
{
    struct json j = {.to = out};
    struct bill_count bytes;
    json_open(&j, '{');
    json_key_uint(&j, "nodes", (uint64_t)b->nodes);
    json_key_uint(&j, "calls", b->calls);
    json_key_uint(&j, "calls_most", b->calls_most);
    json_key_uint(&j, "path", b->path);
    json_key_float(&j, "weight", 17, b->weight);
    json_key_float(&j, "weight_most", 17, b->weight_most);
    json_key_float(&j, "weight_path", 17, b->path_weight);
    json_key_open(&j, "messages", '{');
    put_count(&j, b->messages);
    json_close(&j, '}');
    json_key_float(&j, "AvgSD", 17, b->far_least);
    json_key_float(&j, "AvgSD_max", 17, b->far_most);
    if (b->messages.most && bill_bytes(b, &bytes, NULL)) {
        json_key_float(&j, "AvgSS", 17, (double)bytes.least / b->nodes / (1 << 20));
        json_key_float(&j, "AvgSS_max", 17, (double)bytes.most / b->nodes / (1 << 20));
    }
    put_pairs(&j, b, p);
    put_accesses(&j, b, p, s);
    put_alive(&j, b, p);
    json_close(&j, '}');
    buf_printf(out, "\n");
}
