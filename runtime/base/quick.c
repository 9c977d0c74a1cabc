/* quick.c - lines through two moments of both clocks, the first one and the latest. */
#include "quick.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    FIRST_NS = 100000,  /* of comparing, before anything is asked */
    LOOKS = 8,          /* of so many the one is taken that was interrupted least */
    LINES = 64          /* a line that somebody still reads by is not written again for a minute */
};
#define SELDOM_NS 1000000000u

struct both {
    uint64_t ticks, ns;
};

const struct quick_line *_Atomic quick_line;

static struct {
    atomic_flag locked;
    struct both first;
    struct quick_line line[LINES];
    unsigned n;
} quick = {.locked = ATOMIC_FLAG_INIT};

static struct both
both_now(void)
{
    struct both best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < LOOKS; i++) {
        uint64_t before = cpu_ticks(), ns = clock_ns(), apart = cpu_ticks() - before;
        if (apart >= least) continue;
        least = apart;
        best = (struct both){before + apart / 2, ns};
    }
    return best;
}

/* For who has the lock: the line through `first` and now, good for as long again; not below
 * `least`. */
static void
draw_line(struct both now, uint64_t least)
{
    struct quick_line *l = &quick.line[quick.n++ % LINES];
    uint64_t ticks = now.ticks - quick.first.ticks, ns = now.ns - quick.first.ns;
    double rate = (double)ns / (double)ticks;
    double good = ns < SELDOM_NS ? (double)ns : SELDOM_NS;
    *l = (struct quick_line){.ticks = now.ticks, .ns = now.ns > least ? now.ns : least,
                             .rate = (uint64_t)(rate * 4294967296.0),
                             .until = now.ticks + (uint64_t)(good / rate)};
    atomic_store_explicit(&quick_line, l, memory_order_release);
}

static bool
lock(void)
{
    for (int n = 0; atomic_flag_test_and_set_explicit(&quick.locked, memory_order_acquire); n++) {
        if (n > 1000) return false; /* we may be a signal's handler, on top of who holds it */
        sched_yield();
    }
    return true;
}

uint64_t
quick_renew(void)
{
    bool mine = lock();
    const struct quick_line *l = atomic_load_explicit(&quick_line, memory_order_acquire);
    struct both now = both_now();
    if (mine && now.ticks >= l->until) draw_line(now, quick_on(l, l->until));
    if (mine) atomic_flag_clear_explicit(&quick.locked, memory_order_release);
    l = atomic_load_explicit(&quick_line, memory_order_acquire);
    return quick_on(l, cpu_ticks());
}

#if defined(__x86_64__)

/* The system has found out that counters of cores differ, and uses something slower. */
static bool
is_refused(void)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
    char name[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof name - 1);
    if (fd >= 0) close(fd);
    if (n > 0) name[strcspn(name, "\n")] = 0;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (!strcmp(name, slow[i])) return true;
    return false;
}

static bool
is_even(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8 && !is_refused();
}

#else

static bool
is_even(void)
{
    return false;
}

#endif

void
quick_begin(void)
{
    if (atomic_load(&quick_line) || !is_even()) return;
    struct both now = quick.first = both_now();
    while (now.ns - quick.first.ns < FIRST_NS) now = both_now();
    draw_line(now, 0);
}
