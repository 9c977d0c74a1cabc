/* speed.h - nodes that are slower or faster than others, as --speed says: to try out what a
 * balancer makes of it.
 *
 *     --speed=1:0.5           node 1 is half as fast as the others
 *     --speed=1:2,3:0.25@20   node 3 a quarter as fast, from 20 ms after the start on
 *
 * In the simulator a call takes its weight by the speed of its node. Elsewhere a worker of a slower
 * node waits after a call for as long as the rest would have taken. */
#ifndef LUNA_RUNTIME_SPEED_H
#define LUNA_RUNTIME_SPEED_H

#include <stdbool.h>
#include <stdint.h>

struct speeds;

/* Reads the text of the option, NULL if there is none: then *out is NULL. `simulated`: a node may
 * be faster than it is. False: it was wrong; this has been told, if `tells`. */
bool   speeds_read(struct speeds **out, const char *text, int nodes, bool simulated, bool tells);
void   speeds_free(struct speeds *s);
bool   speeds_has(const struct speeds *s, int node); /* whether anything is said of a node */
double speeds_at(const struct speeds *s, int node, uint64_t ns); /* since the start; else 1 */

/* A call has taken `ns`, which would have been longer at this speed: waits for the rest. */
void   speed_wait(double speed, uint64_t ns);

#endif
