/* trace_line.c - buffers, the lines in them, and the files they go to. */
#include "trace_line.h"

#include "runtime/base/clean.h"
#include "runtime/base/clock.h"
#include "runtime/base/folder.h"
#include "runtime/base/indexed.h"
#include "runtime/base/io.h"
#include "runtime/base/mem.h"
#include "runtime/base/wish.h"
#include "runtime/fault/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_FIRST = 4 << 10, /* small at first: the simulator may have 10,000 nodes */
    BUFFER_MAX = 64 << 10,
    HOLDER_NS = 1000000000 /* a disk may be slow */
};

atomic_bool trace_line_leaving;
static atomic_bool failed; /* of the process */

/* ---- files ---- */

void
trace_cannot_write(const char *path, int e, const char *hint)
{
    if (atomic_exchange(&failed, true)) return;
    clean_print("luna: error: cannot write the trace '%s': %s\n", path,
                e == EWOULDBLOCK ? "another run writes one there" : strerror(e));
    fprintf(stderr, "hint: %s\n", hint);
}

int
trace_file_put(const char *path, int flags, const char *text, size_t n)
{
    int fd = folder_write_file(path, flags);
    if (fd < 0) return errno;
    int e = io_write_all(fd, text, n);
    if (close(fd) && !e) e = errno;
    return e;
}

void
trace_file_append(const char *path, const char *text, size_t n)
{
    if (atomic_load(&failed)) return;
    int e = n ? trace_file_put(path, O_APPEND, text, n) : 0;
    if (e) trace_cannot_write(path, e, "the run goes on without a trace");
}

bool
trace_has_failed(void)
{
    return atomic_load(&failed);
}

void
trace_stops(void)
{
    atomic_store(&trace_line_leaving, true);
}

/* ---- buffers ---- */

bool
trace_buffer_init(struct trace_buffer *b, const char *path, bool records, uint32_t worker)
{
    *b = (struct trace_buffer){.path = path, .data = mem_alloc(BUFFER_FIRST), .room = BUFFER_FIRST,
                               .head = records ? TRACE_BLOCK_HEAD : 0, .worker = worker,
                               .held = ATOMIC_FLAG_INIT};
    atomic_init(&b->filled, b->head);
    if (b->data) memset(b->data, 0, b->head);
    return b->data;
}

void
trace_buffer_fini(struct trace_buffer *b)
{
    mem_free(b->data);
}

static _Thread_local struct {
    const struct trace_buffer *buffer;
    sigset_t before;
} held;

/* A signal that ends the run waits until it is let go, for its handler writes all buffers. False:
 * we leave, and its holder has met a fault. */
static bool
hold(struct trace_buffer *b)
{
    sigset_t ending, before;
    uint64_t until = 0;
    if (held.buffer == b) return false;
    sigemptyset(&ending);
    wish_add(&ending);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    while (atomic_flag_test_and_set_explicit(&b->held, memory_order_acquire)) {
        if (!until) until = clock_ns() + HOLDER_NS;
        if (clock_ns() > until) {
            pthread_sigmask(SIG_SETMASK, &before, NULL);
            return false;
        }
        sched_yield();
    }
    held.buffer = b;
    held.before = before;
    return true;
}

static void
let_go(struct trace_buffer *b)
{
    sigset_t before = held.before;
    held.buffer = NULL;
    atomic_flag_clear_explicit(&b->held, memory_order_release);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The lines count before they are there: who leaves now may write the last line behind them. */
static void
write_block(struct trace_buffer *b, size_t bytes, uint64_t lines)
{
    if (b->head) trace_block_seal(b->data, bytes, b->worker, b->blocks, lines);
    atomic_fetch_add_explicit(&b->lines, lines, memory_order_relaxed);
    trace_file_append(b->path, b->data, bytes);
    b->blocks++;
}

void
trace_flush(struct trace_buffer *b)
{
    if (!hold(b)) return;
    uint64_t filled = atomic_load_explicit(&b->filled, memory_order_acquire);
    size_t used = (uint32_t)filled;
    if (used > b->head) write_block(b, used, filled >> 32);
    atomic_store_explicit(&b->filled, b->head, memory_order_release);
    let_go(b);
}

/* Room for one more line: a larger buffer, while it is small, or if the line is too long even for
 * an empty one; else an empty one. */
static void
make_room(struct trace_buffer *b, size_t bytes)
{
    size_t room = b->room * 2;
    char *data = NULL;
    while (room < bytes) room *= 2;
    if ((room <= BUFFER_MAX || b->room < bytes) && hold(b)) {
        data = mem_realloc(b->data, room);
        if (data) b->data = data;
        if (data) b->room = room;
        let_go(b);
    }
    if (!data) trace_flush(b);
}

static size_t
used(const struct trace_buffer *b)
{
    return (uint32_t)atomic_load_explicit(&b->filled, memory_order_relaxed);
}

/* ---- lines ---- */

bool
trace_line_make_room(struct trace_buffer *b, size_t bytes)
{
    for (int n = 0; b->room - used(b) < bytes; n++) {
        if (atomic_load_explicit(&trace_line_leaving, memory_order_relaxed)) return false;
        if (n > 2) fault_nomem(); /* not even for one line */
        make_room(b, bytes);
    }
    return true;
}

void
trace_text(struct trace_line *l, const char *s)
{
    size_t n = strlen(s);
    memcpy(l->at, s, n);
    l->at += n;
}

void
trace_number(struct trace_line *l, const char *before, uint64_t v)
{
    char digits[20];
    int n = 0;
    trace_text(l, before);
    do digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n) *l->at++ = digits[--n];
}

void
trace_name(struct trace_line *l, const char *base, const int32_t *ix, unsigned n)
{
    l->at += indexed_print(l->at, TRACE_NAME_ROOM, base, ix, n);
}
