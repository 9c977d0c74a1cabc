/* segments.h - all calls of a run, and what else there is much of, as one packed text: numbers of
 * variable length, deflated, in base64. page.html unpacks it.
 *
 *     unit, merged, lanes, dims of each sub, then per lane, each as a column:
 *         n, subs, gaps before (signed), durations, counts (if merged), indices (if not)
 *     segments of the path: lane, from the end of the one before (signed), length
 *     owners of cells at the start; moves: time, cell, to; loads of cells, slice by slice
 *
 * A number is 7 bits a byte, the least first; signed ones alternate (0, -1, 1, -2 ...). Times are
 * rounded to units, ends as well as starts, so that no error adds up. Indices are differences from
 * the last call of the same sub in the lane. */
#ifndef LUNA_APPS_SEGMENTS_H
#define LUNA_APPS_SEGMENTS_H

#include "apps/report/report.h"

enum { SEGMENTS_MOST = 3000000 };

struct segments {
    struct buf packed; /* base64 */
    uint64_t merged;   /* ns: neighbours of one function with smaller gaps are one; 0: none are */
    size_t n;
};

/* False: out of memory. `most`: beyond so many, neighbours are merged. */
bool segments_pack(struct segments *s, const struct report_run *r, size_t most);

#endif
