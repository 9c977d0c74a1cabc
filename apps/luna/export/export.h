/* export.h - a trace in the formats of other tools, event by event as it is read.
 *
 *     perfetto    JSON of chrome://tracing: ui.perfetto.dev, speedscope
 *     paje        ViTE, pj_dump, StarVZ
 *     otf2        Vampir, Scalasca, otf2-print: an archive, which is a folder
 *     csv         a table of calls; csv-sends: of what was sent
 *     text        a binary trace as one of text, which is a folder
 *
 * A format begins, takes every event of every node, and ends. It writes to a stream and knows no
 * files. */
#ifndef LUNA_APPS_EXPORT_H
#define LUNA_APPS_EXPORT_H

#include "apps/luna/trace/trace_read.h"
#include "runtime/base/buf.h"

#include <stdio.h>

struct export
{
    FILE *out;
    const char *dir; /* of the trace */
    const struct trace_run *run;
    struct arena *arena;
    void *own;       /* of the format */
    struct buf line; /* what is written next; its `failed` stays: out of memory */
    struct buf name; /* a name without its indices, as long as it is needed */
};

struct export_format {
    const char *name, *file; /* the file's usual name, in the folder of the trace */
    void (*begin)(struct export *e);
    trace_event_fn *event; /* `who` is the export */
    void (*end)(struct export *e);
    /* Instead of the end, if it makes a folder, which is not there yet. NULL, or what is wrong. */
    const char *(*folder)(struct export *e, const char *path);
};

/* NULL: there is none of this name. */
const struct export_format *export_format(const char *name);
extern const char *const export_names; /* in words, for messages */

/* Writes out, and empties, the line. */
void export_flush(struct export *e);
/* The name of a call or a fragment without its indices: how many bytes of it. */
size_t export_base(const char *name);

extern const struct export_format export_perfetto, export_paje, export_otf2, export_csv,
    export_csv_sends, export_text;

#endif
