/* fault.c - one message, whole, on stderr; then out. Also used from signal handlers: no allocation,
 * no stdio until the program's own output is flushed. */
#include "fault.h"

#include "runtime/base/pool.h"
#include "runtime/name.h"
#include "runtime/progress.h"
#include "runtime/runtime.h"
#include "runtime/trace.h"
#include "runtime/ucode/df.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

_Thread_local struct running running;

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
static void (*leave_hook)(int exit_code, bool late);

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

/* The second is over: what is still in stdio is lost, the message and the exit code are not. */
static void
leave_now(int sig)
{
    (void)sig;
    if (leave_hook) leave_hook(leave_code, true);
    _exit(leave_code);
}

void
fault_set_leave(void (*fn)(int exit_code, bool late))
{
    leave_hook = fn;
}

enum { FLUSH_SECONDS = 1, HOOK_SECONDS = 10 };

static void
leave_within(int seconds)
{
    struct itimerval t = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_REAL, &t, NULL);
}

void
leave(int exit_code)
{
    running.site = NULL; /* exit() from here on is ours */
    /* A lock of stdio may be held by the thread that crashed: flushing gets a second, no more. */
    leave_code = exit_code;
    struct sigaction sa = {.sa_handler = leave_now};
    sigaction(SIGALRM, &sa, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    leave_within(FLUSH_SECONDS);
    fflush(stdout);
    fflush(stderr);
    trace_leave(exit_code);
    if (leave_hook) {
        leave_within(HOOK_SECONDS);
        leave_hook(exit_code, false);
    }
    _exit(exit_code);
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
    add("^");
    for (unsigned i = at->col + 1u; i < at->end_col && i < sizeof text; i++) add("~");
    add("\n");
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
    if (at) add("%s:%u:%u: ", program->files[at->file], at->line, at->col);
    else add("luna: ");
}

#define FAULT_TEXT(code, words) #code,
static const char *const code_text[] = {FAULT_MAP(FAULT_TEXT)};
#undef FAULT_TEXT

static _Thread_local int telling; /* faults this thread has met */

/* Told already, or being told. By this thread: it has met another one on the way, and leaves with
 * what it has said so far. */
static void
told(void)
{
    if (telling == 1) {
        telling++;
        fault_end(EXIT_SYSTEM);
    }
    if (telling) _exit(EXIT_SYSTEM);
    for (;;) pause(); /* another thread will end the process */
}

static void
begin(enum fault_code code, uint32_t place, const char *fmt, va_list ap)
{
    if (atomic_flag_test_and_set(&begun)) told();
    telling = 1;
    add_place(place);
    add("error[%s]: ", code_text[code]);
    add_va(fmt, ap);
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
fault_warn(enum fault_code code, uint32_t place, const char *fmt, ...)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&told)) return;
    char words[1000]; /* not `message`: another thread may be writing its fault there */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    const struct luna_place *at = place_of(place);
    if (at) fprintf(stderr, "%s:%u:%u: ", program->files[at->file], at->line, at->col);
    fprintf(stderr, "warning[%s]: %s\n", code_text[code], words);
}

void
fault_note(uint32_t place, const char *fmt, ...)
{
    va_list ap;
    add_place(place);
    add("note: ");
    va_start(ap, fmt);
    add_va(fmt, ap);
    va_end(ap);
    add("\n");
}

void
fault_hint(const char *fmt, ...)
{
    va_list ap;
    add("hint: ");
    va_start(ap, fmt);
    add_va(fmt, ap);
    va_end(ap);
    add("\n");
}

static void
write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t k = write(fd, text, n);
        if (k <= 0) return;
        text += k;
        n -= (size_t)k;
    }
}

void
fault_set_repeat(const char *command)
{
    repeat = command;
}

void
fault_end(int exit_code)
{
    if (repeat) fault_note(LUNA_NONE, "this run is repeated by: %s", repeat);
    progress_wipe();
    write_all(STDERR_FILENO, message.text, message.used);
    leave(exit_code);
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

void
fault_nomem(void)
{
    uint32_t place = running.site ? running.site->place : LUNA_NONE; /* a ucode asked for it */
    fault_begin(F_RUN12, place, "out of memory: %zu MiB are in use", pool_bytes() >> 20);
    bool values = !nomem_report || nomem_report(nomem_who);
    fault_hint("%s", values ? "free fragments after their last reader (req_count, -->), or use "
                              "smaller ones"
                            : "does a sub call itself, or a while go on, without end?");
    fault_end(EXIT_SYSTEM);
}

/* ---- crashes and exits of ucodes ---- */

static uintptr_t
stack_pointer(const ucontext_t *c)
{
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return c->uc_mcontext.sp;
#else
    (void)c;
    return UINTPTR_MAX / 2;
#endif
}

/* What lies above the stack pointer is memory, unless the pointer has left the stack. */
static bool
stack_ended(const siginfo_t *info, const void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr, sp = stack_pointer(context);
    return address + (64 << 10) > sp && address < sp + (1 << 20);
}

static const char *
crash_text(int sig, const siginfo_t *info, const void *context)
{
    switch (sig) {
    case SIGSEGV:
        return stack_ended(info, context)       ? "used up its stack (SIGSEGV)"
               : info->si_code == SEGV_ACCERR   ? "wrote where it may not (SIGSEGV)"
                                                : "used an invalid address (SIGSEGV)";
    case SIGBUS: return "used an invalid address (SIGBUS)";
    case SIGFPE: return "divided an integer by zero (SIGFPE)";
    case SIGILL: return "ran into an invalid instruction (SIGILL)";
    case SIGABRT: return "called abort (SIGABRT)";
    default: return "was hit by a fatal signal";
    }
}

static void
crash(int sig, siginfo_t *info, void *context)
{
    const struct luna_site *site = running.site;
    if (!site) {
        fault_begin(F_RUN12, LUNA_NONE, "luna itself failed: signal %d outside any ucode", sig);
        fault_hint("if no function has started threads, this is a fault of luna: please report it");
        fault_end(EXIT_SYSTEM);
    }
    char cf[NAME_MAX_TEXT];
    name_cf(program, running.task, cf, sizeof cf);
    fault_begin(F_RUN6, site->place, "'%s' %s, called as %s", running.function,
                crash_text(sig, info, context), cf);
    fault_hint("run with -g and a debugger, or build the ucode with CXX_FLAGS=-fsanitize=address");
    fault_end(EXIT_RUN);
}

/* At exit(), by whoever: of a ucode it is the program's fault, or its way to end. */
static void
exited(int status, void *who)
{
    (void)who;
    const struct luna_site *site = running.site;
    if (!site) return;
    char cf[NAME_MAX_TEXT];
    name_cf(program, running.task, cf, sizeof cf);
    if (status) {
        fault_begin(F_RUN7, site->place, "'%s' called exit(%d), called as %s", running.function,
                    status, cf);
        fault_hint("luna_fail(\"why\") ends the run, too, and says so");
        fault_end(EXIT_RUN);
    }
    if (atomic_flag_test_and_set(&begun))
        for (;;) pause(); /* a fault is being told: its code is the one that counts */
    add_place(site->place);
    add("warning[RUN7]: '%s' called exit(0), called as %s: the run ends here\n", running.function,
        cf);
    fault_end(EXIT_DONE);
}

enum { ALT_STACK = 64 << 10 };

/* Of the thread: a stack that has run out cannot hold the frame of its handler. */
void
crash_handler_thread(void)
{
    stack_t ss = {.ss_sp = malloc(ALT_STACK), .ss_size = ALT_STACK};
    if (ss.ss_sp) sigaltstack(&ss, NULL);
}

void
crash_handler_thread_end(void)
{
    stack_t off = {.ss_flags = SS_DISABLE}, old;
    if (!sigaltstack(&off, &old) && !(old.ss_flags & SS_DISABLE)) free(old.ss_sp);
}

void
crash_handler_install(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction sa = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &sa, NULL);
    on_exit(exited, NULL);
    crash_handler_thread();
}

/* ---- what ucodes call ---- */

bool
running_name_df(const struct luna_df *df, char *text, size_t size)
{
    const struct luna_site *s = running.site;
    const struct task *t = running.task;
    if (!s || !t || !program || !running.df || df < running.df || df >= running.df + s->nargs)
        return false;
    const struct luna_arg *arg = &program->args[s->arg + (size_t)(df - running.df)];
    const struct luna_expr *x = arg->kind == LUNA_A_VALUE ? &program->exprs[arg->row] : NULL;
    bool input = x && x->kind == LUNA_E_IN;
    if (!input && arg->kind != LUNA_A_NAME) return false;
    luna_env e = {.frame = t->frame->word, .local = t->word, .site = s,
                  .in = task_values(s, (struct task *)t)};
    name_ref_of(program, &e, input ? program->ins[s->in + x->a].ref : arg->row, text, size);
    return true;
}

static __attribute__((noreturn)) void
fail(const char *hint, const char *fmt, va_list ap)
{
    char text[1024], cf[NAME_MAX_TEXT];
    vsnprintf(text, sizeof text, fmt, ap);
    if (running.site) {
        name_cf(program, running.task, cf, sizeof cf);
        fault_begin(F_RUN5, running.site->place, "%s (in '%s', called as %s)", text,
                    running.function, cf);
    } else {
        fault_begin(F_RUN5, LUNA_NONE, "%s", text);
    }
    if (hint) fault_hint("%s", hint);
    fault_end(EXIT_RUN);
}

void luna_fail(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2), visibility("default")));

void
luna_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(NULL, fmt, ap);
}

void
running_fail(const char *hint, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(hint, fmt, ap);
}
