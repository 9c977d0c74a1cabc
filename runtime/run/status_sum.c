/* status_sum.c - what the processes of a run have told, added up. */
#include "runtime/run/status_read.h"

#include <string.h>

static double
per_second(const struct status_process *p, uint64_t before, uint64_t now)
{
    uint64_t from = p->before->now.at_ns, to = p->copy->now.at_ns;
    if (!from || to <= from) return -1;
    return now < before ? 0 : (double)(now - before) / (1e-9 * (double)(to - from));
}

double
status_calls_per_s(const struct status_process *p, int node)
{
    return per_second(p, p->before->node[node].calls, p->copy->node[node].calls);
}

double
status_sent_per_s(const struct status_process *p, int node)
{
    return per_second(p, p->before->node[node].sent, p->copy->node[node].sent);
}

double
status_busy(const struct status_process *p, int node)
{
    double busy = p->copy->threads ? per_second(p, p->before->node[node].worked_ns,
                                                p->copy->node[node].worked_ns) : -1;
    busy /= 1e9 * p->copy->workers;
    return busy < 1 ? busy : 1;
}

/* Of those that are at the same loop the one that is furthest behind counts; a loop whose end is
 * known comes before others. */
static void
add_loop(struct status_loop *to, const struct status_loop *l)
{
    if (!*l->place) return;
    bool same = !strcmp(to->place, l->place) && to->form == l->form, ends = l->first <= l->last;
    int64_t at = same && to->at < l->at ? to->at : l->at;
    int64_t most = same && to->most > l->most ? to->most : l->most;
    if (!*to->place || (ends && to->first > to->last)) *to = *l;
    if (!same) return;
    to->at = at;
    to->most = most;
}

static void
add_call(struct status_sum *sum, const struct status_call *c)
{
    int i = 0;
    while (i < sum->ncalls && (strcmp(sum->call[i].place, c->place) != 0 ||
                               strcmp(sum->call[i].function, c->function) != 0))
        i++;
    if (i == STATUS_CALLS) return;
    struct status_call *to = &sum->call[i];
    if (i == sum->ncalls) {
        sum->ncalls++;
        *to = *c;
    } else {
        to->running += c->running;
        to->known += c->known;
        if (c->longest_ns > to->longest_ns) to->longest_ns = c->longest_ns;
    }
    for (; i > 0 && sum->call[i].longest_ns > sum->call[i - 1].longest_ns; i--) {
        struct status_call other = sum->call[i];
        sum->call[i] = sum->call[i - 1];
        sum->call[i - 1] = other;
    }
}

static void
add_process(struct status_sum *sum, const struct status_process *p)
{
    const struct status_page *now = p->copy;
    double seconds = 1e-9 * (double)(now->now.at_ns - now->begun_ns);
    if (seconds > sum->seconds) sum->seconds = seconds;
    sum->told += now->here;
    sum->workers += now->here * now->workers;
    sum->running += now->now.running;
    sum->bytes += now->now.bytes;
    sum->bytes_most = now->now.bytes_most; /* of the host */
    for (int i = 0; i < now->here; i++) {
        double rate = status_calls_per_s(p, i);
        if (rate < 0) sum->calls_per_s = -1;
        else if (sum->calls_per_s >= 0) sum->calls_per_s += rate;
        sum->calls += now->node[i].calls;
        sum->waiting += (uint64_t)now->node[i].waiting;
    }
    for (uint32_t i = 0; i < now->now.ncalls && i < STATUS_CALLS; i++)
        add_call(sum, &now->now.call[i]);
    add_loop(&sum->loop, &now->now.loop);
}

/* Of all nodes. */
static void
add_busy(struct status_sum *sum, const struct status_runs *runs)
{
    double all = 0, most = 0;
    int threads = 0;
    sum->busy = sum->imbalance = -1;
    for (int i = 0; i < runs->n; i++) {
        const struct status_process *p = &runs->process[i];
        if (!p->copy->now.at_ns) continue;
        threads += p->copy->threads;
        for (int k = 0; k < p->copy->here; k++) {
            double busy = status_busy(p, k) * p->copy->workers;
            if (busy < 0) return;
            all += busy;
            if (busy > most) most = busy;
        }
    }
    if (threads) sum->busy = all < threads ? all / threads : 1;
    if (all > 0 && sum->told > 1) sum->imbalance = most * sum->told / all;
}

void
status_add_up(const struct status_runs *runs, struct status_sum *sum)
{
    *sum = (struct status_sum){0};
    for (int i = 0; i < runs->n; i++) {
        const struct status_process *p = &runs->process[i];
        if (!p->copy->now.at_ns) continue;
        sum->nodes = p->copy->nodes;
        add_process(sum, p);
    }
    add_busy(sum, runs);
}
