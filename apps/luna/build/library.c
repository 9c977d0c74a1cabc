/* library.c - see library.h. */
#include "apps/luna/build/library.h"

#include "apps/luna/common/key.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- missing ones ---- */

/* The packages of Debian that have what is asked for most. */
static const char *
package_of(const char *library)
{
    static const char *const known[][2] = {
        {"openblas", "libopenblas-dev"}, {"blas", "libblas-dev"},
        {"lapack", "liblapack-dev"},     {"lapacke", "liblapacke-dev"},
        {"fftw3", "libfftw3-dev"},       {"fftw3f", "libfftw3-dev"},
        {"gsl", "libgsl-dev"},           {"gslcblas", "libgsl-dev"},
        {"hdf5", "libhdf5-dev"},         {"netcdf", "libnetcdf-dev"},
        {"z", "zlib1g-dev"},             {"zlib", "zlib1g-dev"},
        {"zstd", "libzstd-dev"},         {"lz4", "liblz4-dev"},
        {"png", "libpng-dev"},           {"libpng", "libpng-dev"},
        {"OpenCL", "ocl-icd-opencl-dev"}, {"metis", "libmetis-dev"},
        {"umfpack", "libsuitesparse-dev"}, {"cholmod", "libsuitesparse-dev"},
        {"arpack", "libarpack2-dev"},    {"gmp", "libgmp-dev"},
        {"mpfr", "libmpfr-dev"},         {"gfortran", "gfortran"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], library)) return known[i][1];
    return NULL;
}

static void
hint_package(struct diag *d, const char *library, const char *otherwise)
{
    const char *package = package_of(library);
    if (package) diag_hint(d, "install it (Debian: apt install %s)", package);
    else diag_hint(d, "%s", otherwise);
}

/* Where the program names it; NULL: the command line or LDFLAGS do. */
static const struct foreign_link *
link_of(const struct units *u, const char *library)
{
    const struct prep *p = &u->lang->prep;
    for (int i = 0; i < p->nlinks; i++)
        if (!p->links[i].package && !strcmp(p->links[i].name, library)) return &p->links[i];
    return NULL;
}

static void
report_library(struct units *u, const char *library)
{
    const struct foreign_link *x = link_of(u, library);
    struct diag *d = u->lang->diag;
    if (x && x->dir) {
        diag_at(d, SEV_ERROR, D_CC4, &x->place, "no library '%s' in '%s'", library, x->dir);
        diag_hint(d, "it would be lib%s.so or lib%s.a there", library, library);
        return;
    }
    diag_at(d, SEV_ERROR, D_CC4, x ? &x->place : NULL, "no library '%s'", library);
    hint_package(d, library, "if it is in a folder of yours: #link \"NAME\" in \"FOLDER\"");
}

/* ld and gold: "cannot find -lname", lld: "unable to find library -lname". */
static const char *
name_in_line(struct arena *a, const char *line, size_t size)
{
    static const char *const starts[] = {"cannot find -l", "unable to find library -l"};
    const char *text = arena_strndup(a, line, size);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const char *at = strstr(text, starts[i]);
        if (!at) continue;
        at += strlen(starts[i]);
        return arena_strndup(a, at, strcspn(at, ": \r"));
    }
    return NULL;
}

bool
library_report(struct units *u, const char *log)
{
    struct words seen = {0};
    for (const char *p = log; *p;) {
        size_t n = strcspn(p, "\n");
        const char *name = name_in_line(u->arena, p, n);
        p += n + (p[n] == '\n');
        if (!name || words_have(&seen, name)) continue;
        words_add(u->arena, &seen, name);
        report_library(u, name);
    }
    return seen.n > 0;
}

/* ---- flags ---- */

/* A piece of the key too: objects kept for other flags are none of ours. */
static void
add_flags(struct units *u, struct words *to, const struct words *flags)
{
    for (int i = 0; i < flags->n; i++) {
        words_add(u->arena, to, flags->at[i]);
        key_add(u->tools->key, flags->at[i]);
    }
}

static void
add_plain(struct units *u, const char *name)
{
    words_add(u->arena, &u->tools->link_flags, arena_printf(u->arena, "-l%s", name));
}

/* The linker would wait for a FIFO. False: told. */
static bool
look_at_files(struct units *u, const struct foreign_link *x, const char *dir)
{
    static const char *const ends[] = {"so", "a"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *path = arena_printf(u->arena, "%s/lib%s.%s", dir, x->name, ends[i]);
        const char *why = io_no_file(path);
        if (!why) continue;
        diag_at(u->lang->diag, SEV_ERROR, D_CC4, &x->place, "cannot link '%s': %s", path, why);
        return false;
    }
    return true;
}

/* The run looks where the linker did. */
static void
add_folder(struct units *u, const struct foreign_link *x)
{
    struct words *w = &u->tools->link_flags;
    const char *dir = path_real(u->arena, x->dir);
    struct stat st;
    if (!dir || stat(dir, &st) || !S_ISDIR(st.st_mode)) {
        diag_at(u->lang->diag, SEV_ERROR, D_CC4, &x->place, "no folder '%s' for library '%s'",
                x->dir, x->name);
        diag_hint(u->lang->diag, "folders are named as seen from the file that has the #link");
        return;
    }
    if (!look_at_files(u, x, dir)) return;
    words_add(u->arena, w, arena_printf(u->arena, "-L%s", dir));
    const char *const path[] = {"-Xlinker", "-rpath", "-Xlinker", dir};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) words_add(u->arena, w, path[i]);
    add_plain(u, x->name);
}

/* ---- packages ---- */

enum ask { ASK_CFLAGS, ASK_LIBS, ASK_FILE, ASKS };

static const char *const *
ask_words(struct units *u, enum ask what, const char *package)
{
    static const char *const options[ASKS] = {"--cflags", "--libs", "--path"};
    struct words w = {0};
    const char *const all[] = {"pkg-config", options[what], "--", package, NULL};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) words_add(u->arena, &w, all[i]);
    return w.at;
}

static struct words
answer_of(struct units *u, const struct job *j)
{
    struct words w = {0};
    struct buf text = {0};
    file_take(u->arena, j->log, &text);
    words_split(u->arena, &w, arena_strdup(u->arena, text.size ? text.data : ""), " \t\n");
    buf_fini(&text);
    return w;
}

/* False after a report. */
static bool
package_is_there(struct units *u, const struct foreign_link *x, const struct job *jobs)
{
    struct diag *d = u->lang->diag;
    if (jobs[ASK_CFLAGS].error == ENOENT) {
        diag_at(d, SEV_ERROR, D_CC4, &x->place, "pkg-config was not found, which knows '%s'",
                x->name);
        diag_hint(d, "install it (Debian: apt install pkg-config)");
        return false;
    }
    if (job_is_fine(&jobs[ASK_CFLAGS]) && job_is_fine(&jobs[ASK_LIBS])) return true;
    diag_at(d, SEV_ERROR, D_CC4, &x->place, "pkg-config knows no package '%s'", x->name);
    hint_package(d, x->name,
                 "pkg-config --list-all tells what it knows; PKG_CONFIG_PATH has folders of yours");
    return false;
}

static int
add_package(struct units *u, const struct foreign_link *x, struct buf *inputs)
{
    struct job jobs[ASKS];
    for (int i = 0; i < ASKS; i++)
        jobs[i] = (struct job){.argv = ask_words(u, i, x->name),
                               .log = work_file(u->work, "pkg-config-%d.log", i)};
    if (!jobs_run(jobs, ASKS, u->work->dir)) return 128 + jobs_signal();
    if (!package_is_there(u, x, jobs)) return 0;
    struct words flags = answer_of(u, &jobs[ASK_CFLAGS]), libs = answer_of(u, &jobs[ASK_LIBS]);
    for (int lang = 0; lang < LANGS; lang++) add_flags(u, &u->tools->flags[lang], &flags);
    add_flags(u, &u->tools->link_flags, &libs);
    struct words file = job_is_fine(&jobs[ASK_FILE]) ? answer_of(u, &jobs[ASK_FILE])
                                                     : (struct words){0};
    if (file.n) cache_inputs_add(inputs, INPUT_FILE, file.at[0]);
    return 0;
}

/* ---- all ---- */

int
library_add(struct units *u, struct buf *inputs)
{
    const struct prep *p = &u->lang->prep;
    for (int i = 0; i < p->nlinks; i++) {
        const struct foreign_link *x = &p->links[i];
        int code = 0;
        if (x->package) code = add_package(u, x, inputs);
        else if (x->dir) add_folder(u, x);
        else add_plain(u, x->name);
        if (code) return code;
    }
    for (int i = 0; i < u->options->links.n; i++) {
        const char *name = u->options->links.at[i];
        if (!foreign_is_library(name)) {
            say_error("--link needs the name of a library, as openblas, not '%s'", name);
            return EXIT_USAGE;
        }
        add_plain(u, name);
    }
    return 0;
}
