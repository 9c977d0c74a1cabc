/* fault.c - one message, whole, on stderr; then out. Also used from signal handlers: no allocation,
 * no stdio until the program's own output is flushed. */
#include "fault.h"

#include "runtime/base/clean.h"
#include "runtime/base/colour.h"
#include "runtime/base/exit.h"
#include "runtime/base/io.h"
#include "runtime/base/pool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* All that a message needs lies here and not on the heap, whose lock a crash may have left
 * taken. */
static const struct luna_program *program;
static atomic_flag begun = ATOMIC_FLAG_INIT; /* somebody tells the one fault of this run */
static struct {
    char text[16 << 10];
    size_t used;
} message;
static bool (*nomem_report)(void *);
static void *nomem_who;
static const char *repeat;
static volatile sig_atomic_t leave_code;
static volatile sig_atomic_t written; /* the message is; */
static volatile sig_atomic_t exits;   /* the process leaves by exit(), which somebody has called */

/* What others have to do with a message or with leaving: set before threads start. */
enum { LEAVE_HOOKS = 4 };
static void (*leave_hook[LEAVE_HOOKS])(int exit_code, bool late); /* the last is called first */
static void (*message_hook)(void);
static uint32_t (*place_hook)(void);
static atomic_bool leaving;

void
fault_set_program(const struct luna_program *p)
{
    program = p;
}

const struct luna_program *
fault_program(void)
{
    return program;
}

/* ---- leaving ---- */

static void write_message(void);

static void
call_hooks(bool late)
{
    for (int i = LEAVE_HOOKS; i-- > 0;)
        if (leave_hook[i]) leave_hook[i](leave_code, late);
}

/* The time is over: what is still in stdio is lost, the message and the exit code are not. */
static void
leave_now(int sig)
{
    static atomic_flag again = ATOMIC_FLAG_INIT;
    (void)sig;
    if (atomic_flag_test_and_set(&again)) _exit(leave_code);
    if (!written) (void)io_write_all(STDERR_FILENO, message.text, message.used);
    call_hooks(true);
    _exit(leave_code);
}

void
fault_at_leave(void (*fn)(int exit_code, bool late))
{
    int i = 0;
    while (leave_hook[i] && leave_hook[i] != fn) i++;
    assert(i < LEAVE_HOOKS);
    leave_hook[i] = fn;
}

void
fault_forget_leave(void (*fn)(int exit_code, bool late))
{
    for (int i = 0; i < LEAVE_HOOKS; i++)
        if (leave_hook[i] == fn) leave_hook[i] = NULL;
}

void
fault_is_child(void)
{
    memset(leave_hook, 0, sizeof leave_hook);
    message_hook = NULL;
}

void
fault_before_message(void (*fn)(void))
{
    message_hook = fn;
}

void
fault_place_by(uint32_t (*fn)(void))
{
    place_hook = fn;
}

bool
fault_is_leaving(void)
{
    return atomic_load(&leaving);
}

int
fault_output(int exit_code)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char text[200];
    int e = io_flush(stdout);
    if (!e) return exit_code;
    int n = snprintf(text, sizeof text, e == EIO ? "luna: error: cannot write all of stdout\n"
                                                 : "luna: error: cannot write to stdout: %s\n",
                     strerror(e));
    if (!atomic_flag_test_and_set(&told)) (void)io_write_all(STDERR_FILENO, text, (size_t)n);
    return exit_code == EXIT_DONE ? EXIT_SYSTEM : exit_code;
}

enum { FLUSH_SECONDS = 1, HOOK_SECONDS = 10 };

static void
leave_within(int seconds)
{
    struct itimerval t = {.it_value.tv_sec = seconds};
    struct sigaction sa = {.sa_handler = leave_now};
    sigaction(SIGALRM, &sa, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &t, NULL);
}

void
fault_hurry(int exit_code)
{
    leave_code = exit_code;
    leave_within(HOOK_SECONDS);
}

void
fault_leave(int exit_code)
{
    atomic_store(&leaving, true);
    /* A lock of stdio may be held by the thread that crashed: flushing gets a second, no more. */
    leave_code = exit_code;
    written = true;
    leave_within(FLUSH_SECONDS);
    leave_code = fault_output(exit_code);
    fflush(stderr);
    leave_within(HOOK_SECONDS);
    call_hooks(false);
    _exit(leave_code);
}

void
fault_leave_now(void)
{
    leave_now(SIGALRM);
}

/* Destructors and stdio come behind the caller. */
void
fault_end_by_exit(int exit_code)
{
    write_message();
    leave_code = exit_code;
    exits = true;
    atomic_store(&leaving, true);
    leave_within(HOOK_SECONDS);
}

void
fault_exit_ends(void)
{
    if (!exits) return;
    leave_code = fault_output(leave_code);
    fflush(NULL);
    call_hooks(false);
    _exit(leave_code);
}

/* ---- the message ---- */

/* Too long a message is cut. */
static void
add_va(const char *fmt, va_list ap)
{
    size_t room = sizeof message.text - message.used;
    int n = vsnprintf(message.text + message.used, room, fmt, ap);
    if (n > 0) message.used += (size_t)n < room ? (size_t)n : room - 1;
}

static __attribute__((format(printf, 1, 2))) void
add(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_va(fmt, ap);
    va_end(ap);
}

/* Line `line` of a file, without its newline; false when it cannot be read or is too long. */
static bool
read_line(const char *path, uint32_t line, char *text, size_t size)
{
    char chunk[4096];
    uint32_t at = 1;
    size_t used = 0;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool found = false;
    while (!found && (n = read(fd, chunk, sizeof chunk)) > 0)
        for (ssize_t i = 0; i < n && !found; i++) {
            if (chunk[i] == '\n') found = at++ == line;
            else if (at == line && used + 1 < size) text[used++] = chunk[i];
        }
    close(fd);
    text[used] = 0;
    return used && used + 1 < size;
}

/* Read when it is needed: the file may be gone since, then there is no line. */
static void
add_source_line(const struct luna_place *at)
{
    char text[400];
    if (!read_line(program->files[at->file], at->line, text, sizeof text)) return;
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' '; /* tabs and control bytes would move the caret */
    add("%5u | %s\n      | ", at->line, text);
    for (unsigned i = 1; i < at->col; i++) add(" ");
    add("%s^", colour(COLOUR_CARET));
    for (unsigned i = at->col + 1u; i < at->end_col && i < sizeof text; i++) add("~");
    add("%s\n", colour(COLOUR_END));
}

/* What a user has written, names of files too. */
static void
add_clean_va(const char *fmt, va_list ap)
{
    size_t from = message.used;
    add_va(fmt, ap);
    message.used = from + clean_text(message.text + from, "\n\t");
}

static __attribute__((format(printf, 1, 2))) void
add_clean(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_clean_va(fmt, ap);
    va_end(ap);
}

static const struct luna_place *
place_of(uint32_t place)
{
    return program && place < program->nplaces ? &program->places[place] : NULL;
}

static void
add_place(uint32_t place)
{
    const struct luna_place *at = place_of(place);
    if (at) add_clean("%s:%u:%u: ", program->files[at->file], at->line, at->col);
    else add("luna: ");
}

#define FAULT_TEXT(code, words) #code,
static const char *const code_text[] = {FAULT_MAP(FAULT_TEXT)};
#undef FAULT_TEXT

static _Thread_local int telling; /* faults this thread has met */

bool
fault_is_told_elsewhere(void)
{
    return fault_is_leaving() && !telling;
}

/* Told already, or being told. By this thread: it has met another one on the way, and leaves with
 * what it has said so far. */
static void
told(void)
{
    if (telling == 1) {
        telling++;
        fault_end(leave_code ? leave_code : EXIT_SYSTEM);
    }
    if (telling) leave_now(SIGALRM);
    for (;;) pause(); /* another thread will end the process */
}

static void
begin(enum fault_code code, uint32_t place, const char *fmt, va_list ap)
{
    if (atomic_flag_test_and_set(&begun)) told();
    telling = 1;
    add_place(place);
    add("%serror[%s]:%s ", colour(COLOUR_ERROR), code_text[code], colour(COLOUR_END));
    add_clean_va(fmt, ap);
    add("\n");
    if (place_of(place)) add_source_line(place_of(place));
}

void
fault_begin(enum fault_code code, uint32_t place, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    begin(code, place, fmt, ap);
    va_end(ap);
}

void
fault_begin_warning(enum fault_code code, uint32_t place, const char *fmt, ...)
{
    va_list ap;
    if (atomic_flag_test_and_set(&begun))
        for (;;) pause(); /* a fault is being told: its code is the one that counts */
    telling = 1;
    add_place(place);
    add("%swarning[%s]:%s ", colour(COLOUR_WARNING), code_text[code], colour(COLOUR_END));
    va_start(ap, fmt);
    add_clean_va(fmt, ap);
    va_end(ap);
    add("\n");
}

void
fault_warn(enum fault_code code, uint32_t place, const char *fmt, ...)
{
    static atomic_flag told[sizeof code_text / sizeof *code_text]; /* one of each is enough */
    if (atomic_flag_test_and_set(&told[code])) return;
    char words[1000]; /* not `message`: another thread may be writing its fault there */
    char text[3000];  /* one write, less than a pipe may divide: other ranks warn, too */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    const struct luna_place *at = place_of(place);
    int n = 0;
    if (at)
        n = snprintf(text, sizeof text, "%.1800s:%u:%u: ", program->files[at->file], at->line,
                     at->col);
    snprintf(text + n, sizeof text - (size_t)n, "warning[%s]: %s\n", code_text[code], words);
    (void)io_write_all(STDERR_FILENO, text, clean_text(text, "\n\t"));
}

void
fault_note(uint32_t place, const char *fmt, ...)
{
    va_list ap;
    add_place(place);
    add("%snote:%s ", colour(COLOUR_NOTE), colour(COLOUR_END));
    va_start(ap, fmt);
    add_clean_va(fmt, ap);
    va_end(ap);
    add("\n");
}

void
fault_hint(const char *fmt, ...)
{
    va_list ap;
    add("%shint:%s ", colour(COLOUR_NOTE), colour(COLOUR_END));
    va_start(ap, fmt);
    add_clean_va(fmt, ap);
    va_end(ap);
    add("\n");
}

void
fault_set_repeat(const char *command)
{
    repeat = command;
}

static void
write_message(void)
{
    if (repeat) fault_note(LUNA_NONE, "this run is repeated by: %s", repeat);
    fault_message_begins();
    (void)io_write_all(STDERR_FILENO, message.text, message.used);
    written = true;
}

void
fault_message_begins(void)
{
    if (message_hook) message_hook();
}

void
fault_end(int exit_code)
{
    write_message();
    fault_leave(exit_code);
}

void
fault(enum fault_code code, uint32_t place, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    begin(code, place, fmt, ap);
    va_end(ap);
    fault_end(EXIT_RUN);
}

void
fault_set_nomem_report(bool (*report)(void *), void *who)
{
    nomem_report = report;
    nomem_who = who;
}

/* Addresses have ended, not memory: threads reserve some that they may never use. */
static bool
too_few_addresses(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY) return false;
    return pool_bytes() < r.rlim_cur / 2;
}

void
fault_nomem(void)
{
    uint32_t place = place_hook ? place_hook() : LUNA_NONE; /* of a ucode that asked for it */
    fault_begin(F_RUN12, place, "out of memory: %zu MiB are in use", pool_bytes() >> 20);
    if (too_few_addresses()) {
        fault_hint("raise the limit of addresses (ulimit -v), or ask for fewer workers (-t)");
        fault_end(EXIT_SYSTEM);
    }
    bool values = !nomem_report || nomem_report(nomem_who);
    fault_hint("%s", values ? "free fragments after their last reader (req_count, -->), or use "
                              "smaller ones"
                            : "does a sub call itself, or a while go on, without end?");
    fault_end(EXIT_SYSTEM);
}
