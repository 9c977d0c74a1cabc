/* status_read.c - see status_read.h. */
#include "runtime/run/status_read.h"

#include "runtime/base/clock.h"
#include "runtime/run/ranks.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- finding ---- */

/* What another process has written, for a terminal: control characters are not passed on. */
static void
clean(char *text, size_t size)
{
    text[size - 1] = 0;
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static void
copy_page(struct status_process *p)
{
    memcpy(p->copy, p->page, p->size);
    atomic_thread_fence(memory_order_acquire);
    p->copy->here = (int32_t)((p->size - sizeof *p->copy) / sizeof(struct status_node));
    clean(p->copy->program, sizeof p->copy->program);
    clean(p->copy->now.loop.place, sizeof p->copy->now.loop.place);
    for (int i = 0; i < STATUS_CALLS; i++) {
        struct status_call *c = &p->copy->now.call[i];
        clean(c->function, sizeof c->function);
        clean(c->place, sizeof c->place);
    }
}

/* Of a child that a function has forked the page is another's. Seen from a container's outside a
 * process has other numbers than it has for itself: the last is that. */
static bool
is_owner(pid_t pid, pid_t of_page)
{
    char path[64], line[256], *at;
    long last = 0;
    if (pid == of_page) return true;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "NSpid:", 6) != 0) continue;
        at = line + 6;
        for (char *end; last = strtol(at, &end, 10), *end && *end != '\n' && end != at;) at = end;
        break;
    }
    if (f) fclose(f);
    return last == of_page;
}

static bool
is_whole(const struct status_page *p, size_t size, pid_t pid)
{
    return p->mark == STATUS_MARK + STATUS_LAYOUT && p->here > 0 &&
           size == sizeof *p + (size_t)p->here * sizeof(struct status_node) &&
           is_owner(pid, p->pid);
}

static bool
take_page(struct status_process *to, const char *path, pid_t pid)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    *to = (struct status_process){.pid = pid};
    void *at = MAP_FAILED;
    if (!fstat(fd, &st) && (size_t)st.st_size >= sizeof *to->page)
        at = mmap(NULL, to->size = (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) return false;
    to->page = at;
    if (is_whole(to->page, to->size, pid) && (to->copy = calloc(1, to->size)) &&
        (to->before = calloc(1, to->size))) {
        copy_page(to);
        to->copy->now.at_ns = 0;
        return true;
    }
    munmap(at, to->size);
    free(to->copy);
    return false;
}

static bool
find_page(struct status_process *to, pid_t pid)
{
    static const char name[] = "/memfd:" STATUS_FILE " (deleted)";
    char path[64 + NAME_MAX], leads_to[sizeof name + 1];
    bool found = false;
    int folder = snprintf(path, sizeof path, "/proc/%d/fd/", (int)pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        snprintf(path + folder, sizeof path - (size_t)folder, "%s", e->d_name);
        ssize_t n = readlink(path, leads_to, sizeof leads_to);
        if (n == sizeof name - 1 && !memcmp(leads_to, name, sizeof name - 1))
            found = take_page(to, path, pid);
    }
    if (d) closedir(d);
    return found;
}

static bool
add(struct status_runs *runs, const struct status_process *p)
{
    struct status_process *more =
        realloc(runs->process, ((size_t)runs->n + 1) * sizeof *runs->process);
    if (!more) return false;
    runs->process = more;
    more[runs->n++] = *p;
    return true;
}

static void
drop(struct status_process *p)
{
    if (p->page && !p->own) munmap(p->page, p->size);
    free(p->copy);
    free(p->before);
}

static int
order(const void *a, const void *b)
{
    const struct status_page *p = ((const struct status_process *)a)->page,
                             *q = ((const struct status_process *)b)->page;
    if (p->run != q->run) return p->run < q->run ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

void
status_find(struct status_runs *runs)
{
    DIR *d = opendir("/proc");
    *runs = (struct status_runs){0};
    for (struct dirent *e; d && (e = readdir(d));) {
        struct status_process p;
        pid_t pid = (pid_t)atoi(e->d_name);
        if (pid > 0 && find_page(&p, pid) && !add(runs, &p)) drop(&p);
    }
    if (d) closedir(d);
    if (runs->n) qsort(runs->process, (size_t)runs->n, sizeof *runs->process, order);
}

static void
filter(struct status_runs *runs, uint64_t run, bool keep)
{
    int n = 0;
    for (int i = 0; i < runs->n; i++) {
        struct status_process *p = &runs->process[i];
        if ((p->page->run == run) == keep) runs->process[n++] = *p;
        else drop(p);
    }
    runs->n = n;
}

void
status_drop(struct status_runs *runs, uint64_t run)
{
    filter(runs, run, false);
}

/* Also where nobody else could see it. */
static void
add_own(struct status_runs *runs, struct status_page *page, size_t size)
{
    struct status_process p = {.page = page, .size = size, .pid = getpid(), .own = true};
    for (int i = 0; i < runs->n; i++)
        if (runs->process[i].pid == p.pid) return;
    p.copy = calloc(1, size);
    p.before = calloc(1, size);
    if (!p.copy || !p.before || !add(runs, &p)) drop(&p);
}

void
status_find_own(struct status_runs *runs)
{
    size_t size;
    struct status_page *page = status_own(&size);
    *runs = (struct status_runs){0};
    if (!page) return;
    if (ranks_on()) status_find(runs);
    filter(runs, page->run, true);
    add_own(runs, page, size);
}

void
status_free(struct status_runs *runs)
{
    for (int i = 0; i < runs->n; i++) drop(&runs->process[i]);
    free(runs->process);
    *runs = (struct status_runs){0};
}

/* ---- looking ---- */

/* It writes a copy while its turn is odd. */
static bool
take_copy(struct status_process *p)
{
    unsigned turn = atomic_load(&p->page->turn);
    copy_page(p);
    return !(turn & 1) && atomic_load(&p->page->turn) == turn;
}

static void
ask(struct status_process *p)
{
    struct status_page *last = p->before;
    p->before = p->copy;
    p->copy = last;
    p->copy->now.at_ns = 0;
    if (!p->page) return;
    atomic_fetch_add(&p->page->asked, 1);
    syscall(SYS_futex, &p->page->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool
has_gone(const struct status_process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)p->pid);
    return atomic_load(&p->page->over) || access(path, X_OK);
}

/* True: it has told, or has gone. */
static bool
hear(struct status_process *p, uint64_t until_ns)
{
    enum { NAP_NS = 20000000 };
    unsigned asked = atomic_load(&p->page->asked), told;
    while ((int)((told = atomic_load(&p->page->told)) - asked) < 0) {
        struct timespec nap = {.tv_nsec = NAP_NS}; /* who has gone wakes nobody */
        if (has_gone(p) || clock_ns() >= until_ns) return false;
        syscall(SYS_futex, &p->page->told, FUTEX_WAIT, told, &nap, NULL, 0);
    }
    while (!take_copy(p))
        if (clock_ns() >= until_ns) return false;
    return true;
}

int
status_look(struct status_runs *runs, int most_ms)
{
    int n = 0;
    uint64_t until = clock_ns() + (uint64_t)most_ms * 1000000;
    for (int i = 0; i < runs->n; i++) ask(&runs->process[i]);
    for (int i = 0; i < runs->n; i++) {
        struct status_process *p = &runs->process[i];
        if (!p->page) continue;
        if (hear(p, until)) {
            n++;
            continue;
        }
        p->copy->now.at_ns = 0;
        if (!has_gone(p)) continue;
        if (!p->own) munmap(p->page, p->size);
        p->page = NULL;
    }
    return n;
}
