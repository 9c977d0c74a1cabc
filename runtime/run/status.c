/* status.c - see status.h. */
#include "runtime/run/status.h"

#include "runtime/base/clock.h"
#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/node/node.h"
#include "runtime/run/stuck.h"
#include "runtime/ucode/crash.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct status_page alone; /* for this process only: figures of its nodes have no room */

static struct {
    const struct nodes *all;
    struct status_page *page;
    size_t size;
    int fd;
} status = {.page = &alone, .fd = -1};

/* ---- the page ---- */

/* Nobody can make it shorter: who reads it cannot fall off its end. NULL: there is none. */
static struct status_page *
page_new(size_t size, int *fd)
{
    *fd = (int)syscall(SYS_memfd_create, STATUS_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return NULL;
    void *at = MAP_FAILED;
    if (!ftruncate(*fd, (off_t)size) &&
        !fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at != MAP_FAILED) return at;
    close(*fd);
    *fd = -1;
    return NULL;
}

static const char *
file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

uint64_t
status_new_run(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)getpid() << 40) ^ (uint64_t)t.tv_sec * 1000000007u ^ (uint64_t)t.tv_nsec;
}

void
status_begin(const struct nodes *all, uint64_t run)
{
    const struct node *one = all->node[0];
    size_t size = sizeof alone + (size_t)all->n * sizeof(struct status_node);
    struct status_page *p = page_new(size, &status.fd);
    status.all = all;
    status.size = size;
    status.page = p ? p : &alone;
    if (!p) return;
    p->run = run;
    p->begun_ns = clock_ns();
    p->pid = getpid();
    p->first = one->number;
    p->here = all->n;
    p->nodes = one->nodes;
    p->workers = one->nworkers;
    snprintf(p->program, sizeof p->program, "%s", file_of(one->program->name));
    atomic_thread_fence(memory_order_release);
    p->mark = STATUS_MARK + STATUS_LAYOUT; /* whoever sees it sees all */
}

void
status_end(void)
{
    struct status_page *p = status.page;
    status.page = &alone;
    if (p == &alone) return;
    atomic_store(&p->over, 1);
    syscall(SYS_futex, &p->told, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    munmap(p, status.size);
    close(status.fd);
}

/* ---- asking ---- */

void
status_ask(void)
{
    atomic_uint *asked = &status.page->asked;
    atomic_fetch_add(asked, 1);
    syscall(SYS_futex, asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void
status_await(void)
{
    struct status_page *p = status.page;
    unsigned seen = atomic_load(&p->told);
    while (atomic_load(&p->asked) == seen)
        syscall(SYS_futex, &p->asked, FUTEX_WAIT, seen, NULL, NULL, 0);
}

/* ---- the figures ---- */

/* Workers write without asking anybody who looks on: figures for the eye. */
static __attribute__((no_sanitize("thread"))) void
add_worker(struct status_node *to, const struct worker *w)
{
    to->calls += *(const volatile uint64_t *)&w->calls;
    to->waiting += atomic_load_explicit(&w->waiting, memory_order_relaxed);
}

static struct status_node
look_at(const struct node *n)
{
    struct status_node at = {.sent = atomic_load_explicit(&n->sent, memory_order_relaxed)};
    for (int i = 0; i < n->nworkers; i++) add_worker(&at, &n->workers[i]);
    if (at.waiting < 0) at.waiting = 0;
    return at;
}

struct told {
    struct status_now *now;
    uint64_t ticks;
    const struct luna_site *site[STATUS_CALLS];
};

static void
put_place(char text[STATUS_PLACE], const struct luna_program *p, uint32_t place)
{
    const struct luna_place *at = place < p->nplaces ? &p->places[place] : NULL;
    if (!at) *text = 0;
    else snprintf(text, STATUS_PLACE, "%s:%u:%u", file_of(p->files[at->file]), at->line, at->col);
}

static void
tell_call(void *who, const struct running *r)
{
    struct told *t = who;
    struct status_now *now = t->now;
    uint32_t i = 0;
    now->running++;
    while (i < now->ncalls && t->site[i] != r->site) i++;
    if (i == STATUS_CALLS) return;
    struct status_call *c = &now->call[i];
    if (i == now->ncalls) {
        t->site[now->ncalls++] = r->site;
        *c = (struct status_call){0};
        snprintf(c->function, sizeof c->function, "%s", r->function);
        put_place(c->place, status.all->node[0]->program, r->site->place);
    }
    c->running++;
    if (!r->begun || r->begun > t->ticks) return;
    uint64_t ns = ticks_to_ns(t->ticks - r->begun);
    c->known++;
    if (ns > c->longest_ns) c->longest_ns = ns;
}

void
status_tell(void)
{
    struct status_page *p = status.page;
    unsigned asked = atomic_load(&p->asked);
    if (p != &alone) {
        struct told t = {.now = &p->now, .ticks = cpu_ticks()};
        atomic_fetch_add(&p->turn, 1);
        p->now = (struct status_now){
            .at_ns = clock_ns(), .bytes = pool_bytes(), .bytes_most = pool_bytes_max()};
        running_each(tell_call, &t);
        for (int i = 0; i < status.all->n; i++) p->node[i] = look_at(status.all->node[i]);
        atomic_fetch_add(&p->turn, 1);
    }
    atomic_store(&p->told, asked);
    syscall(SYS_futex, &p->told, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
