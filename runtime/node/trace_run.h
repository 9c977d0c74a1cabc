/* trace_run.h - run.json of a trace: what was run, and how it has ended. It knows no events. */
#ifndef LUNA_RUNTIME_TRACE_RUN_H
#define LUNA_RUNTIME_TRACE_RUN_H

#include "runtime/node/trace.h"

/* All but its end. False: no memory. */
bool trace_run_begin(const struct luna_program *p, const struct trace_options *o);
void trace_run_fini(void);
/* Writes it, without memory, which a fault may be about. errno, or 0. */
int trace_run_goes_on(void);
/* Its layout is known now, of which it had said nothing. */
int trace_run_lays_out(void);
int trace_run_ends(int exit_code, uint64_t ns);

#endif
