/* verdict.h - was a worker idle while a call could run?
 *
 * An interval in which a worker of a node is idle while a call of this node could run and has not
 * begun is *waste*. When a call could run follows from the graph and from when the calls have run;
 * nothing of luna is asked. All times below are the latest that are good, so what is told is waste
 * however kindly one looks at it.
 *
 * Node n *hears* at time t: at once if it is not in a call then, when it has done what it has to
 * make and to handle just then; else when that call ends. A message takes `latency`; whether one
 * that comes as a call begins, or up to three latencies before, was heard before it nobody can
 * tell, so it is heard after it.
 *
 *   a body    is walked on its node, when the values it depends on are there (main at 0)
 *   a thing   is made when its body is walked, `making_ns` after the one before it, on the node of
 *             the body; if that is in a call, after it, unless this is a call of the same body:
 *             what stands in a body is made before a call of it that is not short begins. If it
 *             runs on another node that hears of it a message later; if it stands in a loop,
 *             perhaps through the nodes between them in the tree by which nodes tell each other
 *             of loops
 *   a value   is at its home when its writer has ended, or, if that runs on another node, when
 *             the home hears a message later
 *   an input  is there when the value and the thing are, if the thing runs at the home of the
 *             value. Else a message after the home has the value and has heard that it is wanted:
 *             it knows that when it has made the reader, and of others when it hears a message
 *             that the reader's node has sent after the reader was made there. What this node
 *             reads by itself, a body or a sum, it must hear, too
 *   a sum     is there when the nodes of its elements have heard of it and have the elements, and
 *             each part has come back, perhaps along the tree; if it has more elements than there
 *             are nodes, when all nodes have answered: who has none is not known from afar
 *   a call    could run when it and all its inputs are there
 *
 * So a node in a call answers no request, and a value that nobody had asked for, and whose reader
 * its owner could not know, is not there before that call ends. But only that call: that a node
 * goes on to the next one without having heard and told what it could is waste.
 *
 * One worker waits so long as one interval, without the time in which it made statements or
 * handled messages, as far as the run tells of that (struct turn). With several workers there is as
 * much waste at a time as there are idle workers or calls that could run, whichever is less.
 * Intervals up to `short_ns` do not count. */
#ifndef LUNA_TESTS_SCHEDULE_VERDICT_H
#define LUNA_TESTS_SCHEDULE_VERDICT_H

#include "run.h"

struct verdict_terms {
    int64_t latency_ns; /* the longest of a message */
    int64_t making_ns;  /* of a thing */
    int64_t short_ns;
};

struct verdict {
    int64_t longest, begin; /* interval, and when it begins */
    int node, thing;        /* whose; the call that could have run longest */
    int64_t since;          /* when that could run */
    int64_t sum;            /* of all intervals, times workers */
};

struct verdict verdict_of(const struct graph *g, const struct run *r,
                          const struct verdict_terms *t);

#endif
