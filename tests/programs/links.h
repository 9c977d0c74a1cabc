/* links.h - looks at every packet of balancing while a program runs on the simulator: it must go
 * between nodes that have to know of each other (docs/protocols-balancing.md, "Who speaks to
 * whom"). */
#ifndef LUNA_TESTS_PROGRAMS_LINKS_H
#define LUNA_TESTS_PROGRAMS_LINKS_H

struct worker;

enum { LINKS_ASTRAY = 99 }; /* the exit code if one goes elsewhere, which is told on stderr */

/* For run_options.between; at most 64 nodes. */
void links_watch(struct worker *w);

#endif
