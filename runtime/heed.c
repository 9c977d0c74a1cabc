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

bool
heed_waits(struct heed *h, uint64_t now_ns, uint64_t *rest_ns)
{
    if (!is_tried(h)) return begins(h);
    if (h->restless) {
        if (!h->waits) h->asked = false; /* before we waited: that says nothing */
        h->restless = false;
        h->waits = true;
        h->news_ns = now_ns;
    }
    if (!h->waits || now_ns - h->news_ns >= HEED_NS) return begins(h);
    *rest_ns = HEED_NS - (now_ns - h->news_ns);
    return true;
}
