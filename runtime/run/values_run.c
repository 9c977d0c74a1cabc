/* values_run.c - the file is read by the first rank, which tells the others. */
#include "values_run.h"

#include "runtime/base/buf.h"
#include "runtime/base/clean.h"
#include "runtime/base/io.h"
#include "runtime/base/mem.h"
#include "runtime/run/layout.h"
#include "runtime/run/ranks.h"
#include "runtime/store/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct buf file; /* --compare's */

bool
values_wanted(const struct run_options *o)
{
    return o->print || o->hash_values || o->compare;
}

static bool
read_all(const char *path)
{
    char bytes[1 << 14];
    FILE *f = fopen(path, "re");
    if (!f) return false;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f));) buf_add(&file, bytes, n);
    bool ok = !ferror(f) && !file.failed;
    fclose(f);
    buf_char(&file, '\n');
    return ok;
}

bool
values_check(const struct luna_program *p, const struct run_options *o)
{
    const char *why = o->print ? values_print_wrong(p, o->print) : NULL;
    if (why) return layout_refuse("%s", why);
    if (!o->compare || ranks_number()) return true;
    if ((why = io_no_file(o->compare)))
        return layout_refuse("--compare=%s: cannot read it: %s", o->compare, why);
    if (!read_all(o->compare))
        return layout_refuse("--compare=%s: cannot read it: %s", o->compare, strerror(errno));
    if (values_lines(file.data)) return true;
    return layout_refuse("--compare=%s: it has no lines of values, which --hash=values prints",
                         o->compare);
}

/* From the first rank to all. */
static bool
bcast_file(void)
{
    uint64_t size = file.size;
    ranks_bcast(&size, sizeof size);
    if (ranks_number()) {
        file = (struct buf){.data = mem_zalloc(1, size + 1), .size = size, .room = size + 1};
        if (!file.data) return false;
    }
    ranks_bcast(file.data, size);
    return true;
}

bool
values_begin(const struct luna_program *p, const struct run_options *o, int workers)
{
    if (o->compare && ranks_on() && !bcast_file()) return false;
    struct values_options vo = {.print = o->print, .list = o->hash_values, .workers = workers,
                                .compare = o->compare ? file.data : NULL};
    bool ok = values_open(p, &vo) == OK;
    buf_fini(&file);
    return ok;
}

/* What all processes have, at the first. */
static void
gather(struct buf *b)
{
    size_t size = 0;
    if (!ranks_on()) return;
    char *all = ranks_gather(b->data ? b->data : "", b->size, &size);
    buf_clear(b);
    if (all) buf_add(b, all, size);
    free(all);
}

static void
print_list(void)
{
    struct buf lines = {0};
    values_listed(&lines);
    gather(&lines);
    if (!ranks_number()) values_print(&lines, stderr);
    buf_fini(&lines);
}

static bool
compare(const char *name)
{
    struct buf differing = {0};
    size_t n;
    uint64_t *met = values_met(&n);
    values_differing(&differing);
    gather(&differing);
    if (met && ranks_on()) ranks_sum(met, n);
    bool same = !met || ranks_number() || values_verdict(name, met, &differing, stderr);
    mem_free(met);
    buf_fini(&differing);
    return same;
}

static void
tell_unprinted(const struct run_options *o)
{
    uint64_t n = values_printed();
    ranks_sum(&n, 1);
    if (!n && !ranks_number() && !o->quiet)
        clean_print("luna: note: --print=%s: no such fragment was assigned\n", o->print);
}

bool
values_end(const struct run_options *o)
{
    if (o->print) tell_unprinted(o);
    if (o->hash_values) print_list();
    bool same = !o->compare || compare(o->compare);
    values_close();
    return same;
}
