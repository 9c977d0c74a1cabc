/* enablers.c - what brought the last input of a call, if the trace tells: a call of its node, or a
 * message, and then the call on the sender that had it sent. */
#include "apps/report/report.h"

enum { HANDED_ON = 64 }; /* messages that only hand on what came, one after the other, at most */

struct report_by
report_by_of(const struct report_run *r, const struct trace_by *by)
{
    uint64_t at = by->what == TRACE_BY_CALL ? by->node * r->stats.run.workers + by->worker
                                            : by->node;
    if (by->what == TRACE_BY_NOBODY || by->k > UINT32_MAX || at >> 30) return (struct report_by){0};
    return (struct report_by){by->what & 3u, (uint32_t)at & 0x3fffffffu, (uint32_t)by->k};
}

/* sent[first[node] + k - 1]: which of `sends` has the first value of the node's k-th message, and
 * one more. */
void
report_number_sends(struct report_run *r)
{
    uint64_t nodes = r->stats.run.nodes, sum = 0;
    uint32_t *most = arena_array(r->arena, uint32_t, nodes + 1);
    r->numbered = arena_array(r->arena, uint64_t, nodes + 1);
    for (size_t i = 0; i < r->nsends; i++)
        if (r->sends[i].k > most[r->sends[i].from]) most[r->sends[i].from] = r->sends[i].k;
    for (uint64_t n = 0; n < nodes; n++) {
        r->numbered[n] = sum;
        sum += most[n];
    }
    r->numbered[nodes] = sum;
    r->numbers = arena_array(r->arena, uint32_t, sum + 1);
    for (size_t i = r->nsends; i-- > 0;)
        if (r->sends[i].k)
            r->numbers[r->numbered[r->sends[i].from] + r->sends[i].k - 1] = (uint32_t)i + 1;
}

const struct report_send *
report_message(const struct report_run *r, struct report_by by)
{
    uint64_t at = by.what == TRACE_BY_MESSAGE ? r->numbered[by.at] + by.k - 1 : UINT64_MAX;
    if (at >= r->numbered[by.what == TRACE_BY_MESSAGE ? by.at + 1 : 0]) return NULL;
    return r->numbers[at] ? &r->sends[r->numbers[at] - 1] : NULL;
}

bool
report_enabler(const struct report_run *r, struct report_by by, size_t *lane, size_t *call)
{
    for (int i = 0; i < HANDED_ON; i++) {
        if (by.what == TRACE_BY_CALL) {
            if (by.at >= r->nlanes || by.k > r->lanes[by.at].n || r->lanes[by.at].sorted)
                return false;
            *lane = by.at;
            *call = by.k - 1;
            return true;
        }
        const struct report_send *s = report_message(r, by);
        if (!s) return false;
        by = s->by;
    }
    return false;
}
