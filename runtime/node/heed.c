/* heed.c - whether a long call begins now. */
#include "heed.h"

/* The call begins; was the wait of any use? */
static bool
begins(struct heed *h)
{
    if (h->waits && h->asked) h->patience = HEED_PATIENCE;
    else if (h->waits && h->patience) h->patience--;
    h->waits = h->asked = h->restless = false;
    return false;
}

static bool
is_tried(struct heed *h)
{
    if (h->waits || h->patience) return true;
    if (++h->skipped % HEED_RARELY) return false;
    return true;
}

static void
note_news(struct heed *h, uint64_t now_ns)
{
    if (!h->waits) {
        h->asked = false; /* before we waited: that says nothing */
        h->since_ns = now_ns;
    }
    h->restless = false;
    h->waits = true;
    h->news_ns = now_ns;
}

bool
heed_waits(struct heed *h, uint64_t call_ns, uint64_t now_ns, uint64_t *rest_ns)
{
    uint64_t quiet_ns = call_ns / HEED_PART < HEED_NS ? call_ns / HEED_PART : HEED_NS;
    uint64_t times = call_ns == UINT64_MAX ? HEED_FIRST : 1;
    if (h->crowd > 1) times *= h->crowd < HEED_CROWD ? h->crowd : HEED_CROWD;
    if (call_ns < HEED_CALL_NS || !is_tried(h)) return begins(h);
    if (h->restless) note_news(h, now_ns);
    uint64_t end = h->news_ns + times * quiet_ns, last = h->since_ns + times * HEED_MOST_NS;
    if (last < end) end = last;
    if (!h->waits || now_ns >= end) return begins(h);
    *rest_ns = end - now_ns;
    return true;
}
