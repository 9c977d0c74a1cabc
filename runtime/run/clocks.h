/* clocks.h - how far the clocks of ranks on other hosts are from that of rank 0, when a traced run
 * begins and when it ends: run.json tells it. All ranks call both; on one host nothing is asked. */
#ifndef LUNA_RUNTIME_CLOCKS_H
#define LUNA_RUNTIME_CLOCKS_H

#include <stdint.h>

/* `hosts`: at rank 0, as struct trace_options has them. `zero`: when the trace begins by the clock
 * of this rank. */
void clocks_begin(const char *hosts, uint64_t zero);
/* The run has taken so many ns. */
void clocks_end(uint64_t ns);

#endif
