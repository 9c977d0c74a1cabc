/* cmd_map.c - luna map: which node owned which cell, from a trace. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/map/map.h"
#include "runtime/base/amount.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS = 100 }; /* when stdout is no terminal */

static bool
has_cells(const char *dir, const struct trace_run *run)
{
    if (run->cells.ndims) return true;
    say_error("%s/run.json: %s had no cells, so there is no map of them", dir, run->program);
    say_hint("'cells N, M;' behind the block of main declares them, 'cell x[i][j] => i, j;' binds "
             "fragments to them");
    return false;
}

/* The moment that is asked for, or the end. */
static bool
choose_moment(const struct options *o, const struct trace_run *run, uint64_t *at)
{
    *at = o->at.given ? o->at.ns : run->duration;
    if (*at <= run->duration) return true;
    say_error("--at=%.9gs is beyond the end: the run took %.9g s", (double)*at * 1e-9,
              (double)run->duration * 1e-9);
    say_hint("without --at the map is that of the end");
    return false;
}

static struct owners *
read_owners(const struct options *o, const struct trace_run *run, uint64_t at)
{
    struct owners *x = owners_new(o->arena, run, at);
    for (unsigned i = 0; i < run->nodes; i++)
        if (!trace_read_node(o->arena, o->file, run, i, owners_add, x)) return NULL;
    if (run->nodes == 1) {
        owners_alone(x);
        return x;
    }
    if (!x->told) {
        say_error("%s: no node tells which cells it owns", o->file);
        say_hint("run the program again with --trace=DIR");
        return NULL;
    }
    owners_settle(x);
    return x;
}

static const char *
sides_text(struct arena *a, const struct lattice *l)
{
    const char *text = arena_printf(a, "%d", (int)l->side[0]);
    for (int d = 1; d < l->ndims; d++) text = arena_printf(a, "%sx%d", text, (int)l->side[d]);
    return text;
}

/* The same for every run that ends with these owners: the time of the end is not in it. */
static const char *
title_text(struct arena *a, const struct trace_run *run, const struct moment *at)
{
    const char *title =
        arena_printf(a, "%s: %s cells on %llu node%s", path_base(run->program),
                     sides_text(a, &run->cells), (unsigned long long)run->nodes,
                     run->nodes == 1 ? "" : "s");
    if (run->distributor) title = arena_printf(a, "%s, %s", title, run->distributor);
    if (run->lattice.ndims > 1)
        title = arena_printf(a, "%s %s", title, sides_text(a, &run->lattice));
    if (!at->given) return arena_printf(a, "%s, at the end", title);
    if (!at->ns) return arena_printf(a, "%s, at the start", title);
    return arena_printf(a, "%s, at %s", title, amount_time((double)at->ns * 1e-9).text);
}

/* The clocks of two processes may differ, or the files do not belong together. */
static void
warn_of_twice(struct arena *a, const struct owners *x)
{
    if (!x->twice) return;
    struct lattice_point p = lattice_point(&x->cells, x->twice_cell);
    const char *cell = arena_printf(a, "%d", (int)p.at[0]);
    for (int d = 1; d < x->cells.ndims; d++) cell = arena_printf(a, "%s,%d", cell, (int)p.at[d]);
    say_warning("two nodes tell %u cell%s as theirs, such as [%s] nodes %d and %d: the later line "
                "counts", x->twice, x->twice == 1 ? "" : "s", cell, x->twice_by[0], x->twice_by[1]);
}

static unsigned
terminal_columns(void)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col) return COLUMNS;
    return w.ws_col;
}

int
cmd_picture_out(struct picture *p, bool made, const char *path)
{
    int e = made ? picture_write(p, path) : ENOMEM;
    picture_fini(p);
    return e ? say_unwritten(path, e) : EXIT_DONE;
}

int
cmd_picture_try(const char *path)
{
    int e = strcmp(path, "-") ? file_try(path) : 0;
    return e ? say_unwritten(path, e) : EXIT_DONE;
}

int
cmd_map(struct options *o)
{
    struct trace_run run;
    struct picture p;
    uint64_t at;
    if (!trace_is_folder(o->file) || !trace_read_run(o->arena, o->file, &run)) return EXIT_USAGE;
    if (!has_cells(o->file, &run) || !choose_moment(o, &run, &at)) return EXIT_USAGE;
    struct owners *x = read_owners(o, &run, at);
    if (!x) return EXIT_USAGE;
    const char *title = title_text(o->arena, &run, &o->at);
    warn_of_twice(o->arena, x);
    bool rope = run.distributor && !strcmp(run.distributor, "rope");
    if (o->output) return cmd_picture_out(&p, map_picture(&p, o->arena, x, title, rope), o->output);
    puts(title);
    map_print(stdout, o->arena, x, terminal_columns());
    return EXIT_DONE;
}
