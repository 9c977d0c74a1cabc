/* page.h - a report as text: the figures as JSON, and the page that can be mailed, which is
 * page.html with these figures and the packed calls put in. The same report makes the same bytes.
 *
 * It knows no files: who asks for a text writes it. */
#ifndef LUNA_APPS_PAGE_H
#define LUNA_APPS_PAGE_H

#include "apps/report/segments.h"

struct page_options { /* what is not for everybody's eyes */
    bool paths;       /* names of files with their folders */
    bool hosts;       /* names of hosts */
};

struct page_run {
    const struct report_run *report;
    const struct segments *calls;
};

/* All add to `out`, whose `failed` tells of lack of memory. */
void page_json(struct buf *out, const struct page_run *r, const struct page_options *o);
void page_html(struct buf *out, const struct page_run *r, const struct page_options *o);
/* Two runs side by side, {"a":...,"b":...}: compare.html. */
void page_pair_json(struct buf *out, const struct page_run *a, const struct page_run *b,
                    const struct page_options *o);
void page_pair_html(struct buf *out, const struct page_run *a, const struct page_run *b,
                    const struct page_options *o);

#endif
