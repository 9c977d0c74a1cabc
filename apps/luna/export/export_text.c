/* export_text.c - a binary trace as one of text: a folder of the same files as a run writes. The
 * lines are printed by what prints those of a run. */
#include "apps/luna/export/export.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/trace/records.h"
#include "runtime/node/trace_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct text_file {
    FILE *f;
    struct buf line; /* room for one */
    const struct lattice *cells;
};

/* A line of its values and all else. */
static bool
line_begin(struct text_file *x, struct trace_line *l, const struct told_text *values)
{
    static const char nothing[TRACE_LINE_ROOM];
    buf_clear(&x->line);
    buf_add(&x->line, nothing, sizeof nothing);
    if (values) buf_add(&x->line, values->text, values->size);
    l->start = l->at = x->line.data;
    return !x->line.failed;
}

static void
add_record(void *who, const struct record *r)
{
    struct text_file *x = who;
    struct trace_line l = {.to = NULL};
    if (r->what == RECORD_TEXT) {
        fwrite(r->line.at, 1, r->line.size, x->f);
        return;
    }
    const struct told_text *values = r->what == RECORD_CALL   ? &r->call.values
                                     : r->what == RECORD_SEND ? &r->send.values
                                                              : NULL;
    if (!line_begin(x, &l, values)) return;
    if (r->what == RECORD_CALL) trace_text_call(&l, &r->call, x->cells);
    else if (r->what == RECORD_SEND) trace_text_send(&l, &r->send);
    else trace_text_recv(&l, &r->recv);
    fwrite(l.start, 1, (size_t)(l.at - l.start), x->f);
}

/* The run, whose files are text now. errno, or 0. */
static int
write_run(struct export *e, const char *to)
{
    static const char was[] = "\"format\":\"binary\"", is[] = "\"format\":\"text\"";
    struct buf old = {0}, new = {0};
    int error = file_read(path_join(e->arena, e->dir, "run.json"), &old);
    const char *at = error ? NULL : strstr(old.data, was);
    if (at) {
        buf_add(&new, old.data, (size_t)(at - old.data));
        buf_str(&new, is);
        buf_str(&new, at + sizeof was - 1);
    }
    if (!error) error = at ? 0 : EIO; /* it has just been read */
    if (new.failed) error = ENOMEM;
    if (!error) error = file_write(path_join(e->arena, to, "run.json"), new.data, new.size, 0666);
    buf_fini(&old);
    buf_fini(&new);
    return error;
}

static int
write_node(struct export *e, unsigned node, const char *to)
{
    char name[32];
    snprintf(name, sizeof name, "node-%05u.jsonl", node);
    struct text_file x = {.f = fopen(path_join(e->arena, to, name), "w"),
                          .cells = &e->run->cells};
    if (!x.f) return errno;
    errno = 0;
    bool whole = trace_read_records(e->arena, e->dir, e->run, node, add_record, &x);
    bool written = whole && !ferror(x.f);
    written = !fclose(x.f) && written;
    int error = x.line.failed ? ENOMEM : written ? 0 : errno ? errno : EIO;
    buf_fini(&x.line);
    return error;
}

static const char *
write_folder(struct export *e, const char *path)
{
    int error = mkdir(path, 0777) ? errno : write_run(e, path);
    for (unsigned i = 0; !error && i < e->run->nodes; i++) error = write_node(e, i, path);
    return error ? strerror(error) : NULL;
}

static void
begin(struct export *e)
{
    (void)e;
}

/* Nothing is written before all was read once. */
static void
see(void *who, unsigned node, const struct trace_event *x)
{
    (void)who, (void)node, (void)x;
}

const struct export_format export_text = {"text", "text", begin, see, NULL, write_folder};
