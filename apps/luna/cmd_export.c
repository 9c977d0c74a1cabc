/* cmd_export.c - luna export: a trace for other tools (export/export.h). It is written beside its
 * place, and takes it when it is whole. Devices, pipes and links stay what they are. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/half.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/export/export.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An exit code; it has been told why, if it is not 0. A folder is written at `part`, and meant to
 * be `folder`. */
static int
export_events(const struct options *o, const struct export_format *f, const struct trace_run *run,
              FILE *out, const char *folder, const char *part)
{
    struct export e = {.out = out, .dir = o->file, .run = run, .arena = o->arena};
    bool whole = true;
    f->begin(&e);
    for (unsigned i = 0; whole && i < run->nodes; i++)
        whole = trace_read_node(o->arena, o->file, run, i, f->event, &e);
    const char *bad = NULL;
    if (whole && f->folder) bad = f->folder(&e, part);
    else if (whole) f->end(&e);
    bool fits = !e.line.failed && !e.name.failed;
    buf_fini(&e.line);
    buf_fini(&e.name);
    if (!whole) return EXIT_USAGE;
    if (!fits) say_error("out of memory");
    if (bad) say_error("cannot write '%s': %s", folder, bad);
    return fits && !bad ? EXIT_DONE : EXIT_SYSTEM;
}

/* The file beside `path` that is written first; NULL: it cannot be replaced, but written to. */
static const char *
part_of(struct arena *a, const char **path)
{
    struct stat st;
    char real[PATH_MAX];
    if (lstat(*path, &st)) return arena_printf(a, "%s.part", *path);
    if (stat(*path, &st) || !S_ISREG(st.st_mode) || !realpath(*path, real)) return NULL;
    *path = arena_strdup(a, real);
    return arena_printf(a, "%s.part", *path);
}

static int
say_part(const char *part)
{
    say_error("'%s' is there already", part);
    say_hint("luna export writes there first; if one that was killed has left it, remove it");
    return EXIT_USAGE;
}

static int
export_file(const struct options *o, const struct export_format *f, const struct trace_run *run,
            const char *path)
{
    const char *target = path, *part = part_of(o->arena, &target);
    struct stat st;
    if (part && !lstat(part, &st)) return say_part(part);
    if (part) half_begins(part);
    FILE *out = fopen(part ? part : path, "w");
    if (!out) return say_unwritten(path, errno);
    int code = export_events(o, f, run, out, NULL, NULL);
    errno = 0;
    bool written = !ferror(out);
    written = !fclose(out) && written;
    int e = errno;
    if (!code && written && part && rename(part, target)) {
        e = errno;
        written = false;
    }
    half_is_over();
    if (!code && !written) return say_unwritten(path, e ? e : EIO);
    if (!code && !o->run.quiet) say_note("%s", path);
    return code;
}

/* The folder beside `path`, which may end with strokes. */
static const char *
part_of_folder(struct arena *a, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    return arena_printf(a, "%.*s.part", (int)n, path);
}

/* A format of several files. */
static int
export_folder(const struct options *o, const struct export_format *f, const struct trace_run *run,
              const char *path)
{
    struct stat st;
    bool standard = !strcmp(path, "-");
    if (!*path) return say_unwritten(path, ENOENT); /* the library would write here */
    if (standard || !lstat(path, &st)) {
        if (standard) say_error("'-': what --to=%s writes is a folder", f->name);
        else say_error("'%s' is there already", path);
        say_hint("-o names a folder that is not there yet");
        return EXIT_USAGE;
    }
    const char *part = part_of_folder(o->arena, path);
    if (!lstat(part, &st)) return say_part(part);
    if (mkdir(part, 0777)) return say_unwritten(path, errno);
    rmdir(part); /* the format makes it */
    half_begins(part);
    int code = export_events(o, f, run, NULL, path, part);
    int e = !code && rename(part, path) ? errno : 0;
    half_is_over();
    if (e) return say_unwritten(path, e);
    if (!code && !o->run.quiet) say_note("%s", path);
    return code;
}

static void
pass_over(void *who, unsigned node, const struct trace_event *e)
{
    (void)who, (void)node, (void)e;
}

/* What has gone to stdout cannot be taken back: a damaged trace is found before. */
static bool
is_whole(const struct options *o, const struct trace_run *run)
{
    for (unsigned i = 0; i < run->nodes; i++)
        if (!trace_read_node(o->arena, o->file, run, i, pass_over, NULL)) return false;
    return true;
}

int
cmd_export(struct options *o)
{
    struct trace_run run;
    if (!o->to) {
        say_error("--to=FORMAT is missing: %s", export_names);
        return EXIT_USAGE;
    }
    const struct export_format *f = export_format(o->to);
    if (!f) {
        say_error("--to is %s, not '%s'", export_names, o->to);
        return EXIT_USAGE;
    }
    if (!trace_is_folder(o->file) || !trace_read_run(o->arena, o->file, &run)) return EXIT_USAGE;
    if (f == &export_text && !run.binary) {
        say_error("the trace in '%s' is of text: there is nothing to do", o->file);
        return EXIT_USAGE;
    }
    const char *path = o->output ? o->output : path_join(o->arena, o->file, f->file);
    if (f->folder) return export_folder(o, f, &run, path);
    if (strcmp(path, "-") != 0) return export_file(o, f, &run, path);
    if (!is_whole(o, &run)) return EXIT_USAGE;
    int code = export_events(o, f, &run, stdout, NULL, NULL);
    if (fflush(stdout) && !code) return say_unwritten("-", errno);
    return code;
}
