/* status.c - see status.h. */
#include "runtime/run/status.h"

#include "runtime/base/clock.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/node/node.h"
#include "runtime/run/loop.h"
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

static struct status_page nobody; /* no run, or no memory: it is asked, and tells nothing */

static struct {
    const struct nodes *all;
    struct status_page *page;
    size_t size;
    int fd;
    luna_word *main; /* what main was called with; NULL: that is not known */
    struct loops *loops; /* NULL: nobody has asked yet */
    struct seen { /* the call of a worker that looks at no clock */
        const struct luna_site *site;
        uint64_t calls, ticks; /* which it was, and since when it is known */
    } seen;
} status = {.page = &nobody, .fd = -1};

/* ---- the page ---- */

/* A file that nobody can make shorter: who reads it cannot fall off its end. -1: there is none, and
 * others of the user see nothing. */
static int
file_new(size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, STATUS_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || (!ftruncate(fd, (off_t)size) &&
                   !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)))
        return fd;
    close(fd);
    return -1;
}

static struct status_page *
page_new(size_t size, int fd)
{
    int flags = MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    return at == MAP_FAILED ? &nobody : at;
}

static luna_word *
main_words(const struct luna_program *p, const struct frame *main)
{
    size_t n = p->subs[p->main].nwords;
    luna_word *w = main ? mem_zalloc(n + 1, sizeof *w) : NULL;
    if (w) memcpy(w, main->word, n * sizeof *w);
    return w;
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
status_begin(const struct nodes *all, uint64_t run, int threads, const struct frame *main)
{
    const struct node *one = all->node[0];
    size_t size = sizeof nobody + (size_t)all->n * sizeof(struct status_node);
    int fd = file_new(size);
    struct status_page *p = page_new(size, fd);
    status.all = all;
    status.size = size;
    status.fd = fd;
    status.page = p;
    status.seen = (struct seen){0};
    if (p == &nobody) return;
    status.main = main_words(one->program, main);
    p->run = run;
    p->begun_ns = clock_ns();
    p->pid = getpid();
    p->first = one->number;
    p->here = all->n;
    p->nodes = one->nodes;
    p->workers = one->nworkers;
    p->threads = threads;
    snprintf(p->program, sizeof p->program, "%s", file_of(one->program->name));
    atomic_thread_fence(memory_order_release);
    p->mark = STATUS_MARK + STATUS_LAYOUT; /* whoever sees it sees all */
}

void
status_end(void)
{
    struct status_page *p = status.page;
    status.page = &nobody;
    if (status.fd >= 0) close(status.fd);
    status.fd = -1;
    if (p == &nobody) return;
    atomic_store(&p->over, 1);
    syscall(SYS_futex, &p->told, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    munmap(p, status.size);
    loops_free(status.loops);
    mem_free(status.main);
    status.loops = NULL;
    status.main = NULL;
}

struct status_page *
status_own(size_t *size)
{
    *size = status.size;
    return status.page == &nobody ? NULL : status.page;
}

/* ---- asking ---- */

void
status_ask(void)
{
    atomic_uint *asked = &status.page->asked;
    atomic_fetch_add(asked, 1);
    syscall(SYS_futex, asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

unsigned
status_await(void)
{
    struct status_page *p = status.page;
    unsigned seen = atomic_load(&p->told), asked;
    while ((asked = atomic_load(&p->asked)) == seen)
        syscall(SYS_futex, &p->asked, FUTEX_WAIT, seen, NULL, NULL, 0);
    return asked;
}

/* ---- the figures ---- */

/* Workers write without asking anybody who looks on: figures for the eye. */
static __attribute__((no_sanitize("thread"))) void
add_worker(struct status_node *to, const struct worker *w)
{
    uint64_t from = *(const volatile uint64_t *)&w->works_from, now = cpu_ticks();
    uint64_t worked = *(const volatile uint64_t *)&w->worked;
    to->calls += *(const volatile uint64_t *)&w->calls;
    to->worked_ns += ticks_to_ns(worked + (from && from < now ? now - from : 0));
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
    uint64_t calls;      /* of the worker that is alone */
    struct loop_at loop; /* place LUNA_NONE: none yet */
};

static void
put_place(char text[STATUS_PLACE], const struct luna_program *p, uint32_t place)
{
    const struct luna_place *at = place < p->nplaces ? &p->places[place] : NULL;
    if (!at) *text = 0;
    else snprintf(text, STATUS_PLACE, "%s:%u:%u", file_of(p->files[at->file]), at->line, at->col);
}

/* The only worker does not look at a clock: a call that ran at the last look has run since then, at
 * least. */
static uint64_t
since_seen(const struct told *t, const struct luna_site *site)
{
    struct seen *s = &status.seen;
    if (!t->calls) return 0;
    if (s->site != site || s->calls != t->calls) *s = (struct seen){site, t->calls, t->ticks};
    return s->ticks;
}

/* The iteration that is furthest behind, of a loop that has an end if there is one. */
static void
tell_loop(struct told *t, const struct running *r)
{
    struct loop_at at;
    if (!status.loops || !loop_of(status.loops, r, &at)) return;
    bool same = at.place == t->loop.place && at.form == t->loop.form;
    if (t->loop.place == LUNA_NONE || (same ? at.at < t->loop.at : at.ends && !t->loop.ends))
        t->loop = at;
}

static void
tell_call(void *who, const struct running *r)
{
    struct told *t = who;
    struct status_now *now = t->now;
    uint32_t i = 0;
    now->running++;
    tell_loop(t, r);
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
    uint64_t begun = r->begun ? r->begun : since_seen(t, r->site);
    if (!begun || begun > t->ticks) return;
    uint64_t ns = ticks_to_ns(t->ticks - begun);
    c->known++;
    if (ns > c->longest_ns) c->longest_ns = ns;
}

static void
put_loop(struct status_loop *to, const struct loop_at *at)
{
    if (at->place == LUNA_NONE) return; /* no call of it ran just now: it is where it was */
    char place[STATUS_PLACE];
    put_place(place, status.all->node[0]->program, at->place);
    if (strcmp(to->place, place) != 0 || to->form != at->form || at->at > to->most)
        to->most = at->at;
    memcpy(to->place, place, sizeof place);
    to->at = at->at;
    to->first = at->ends ? at->first : 0;
    to->last = at->ends ? at->last : -1;
    to->form = at->form;
}

static void
write_page(struct status_page *p)
{
    const struct nodes *all = status.all;
    const struct node *one = all->node[0];
    struct status_loop loop = p->now.loop;
    struct told t = {.now = &p->now, .ticks = cpu_ticks(), .loop = {.place = LUNA_NONE}};
    bool alone = all->n == 1 && one->nworkers == 1;
    if (!status.loops) status.loops = loops_new(one->program, status.main);
    atomic_fetch_add(&p->turn, 1);
    p->now = (struct status_now){
        .at_ns = clock_ns(), .bytes = pool_bytes(), .bytes_most = pool_bytes_max()};
    for (int i = 0; i < all->n; i++) p->node[i] = look_at(all->node[i]);
    if (alone) t.calls = p->node[0].calls;
    running_each(tell_call, &t);
    p->now.loop = loop;
    put_loop(&p->now.loop, &t.loop);
    atomic_fetch_add(&p->turn, 1);
}

void
status_tell(unsigned asked)
{
    struct status_page *p = status.page;
    if (p != &nobody) write_page(p);
    atomic_store(&p->told, asked);
    syscall(SYS_futex, &p->told, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
