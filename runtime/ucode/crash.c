/* crash.c - what a ucode does wrong on its way: signals, exit(), luna_fail. Handlers of signals
 * allocate nothing: the heap may be spoilt, and its lock taken. */
#include "crash.h"

#include "crash_line.h"

#include "runtime/base/amount.h"
#include "runtime/base/exit.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/sanitizer.h"
#include "runtime/fault/fault.h"
#include "runtime/table/elements.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"
#include "runtime/table/writers.h"
#include "runtime/ucode/df.h"

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

_Thread_local struct running running;

/* ---- crashes and exits ---- */

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

static const void *
code_pointer(const ucontext_t *c)
{
#if defined(__x86_64__)
    return (const void *)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)c->uc_mcontext.pc;
#else
    (void)c;
    return NULL;
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
    case SIGFPE:
        return info->si_code >= FPE_FLTDIV && info->si_code <= FPE_FLTINV
                   ? "met a trap of floating-point arithmetic that it has set (SIGFPE)"
                   : "divided an integer by zero (SIGFPE)";
    case SIGILL: return "ran into an invalid instruction (SIGILL)";
    case SIGABRT: return "called abort (SIGABRT)";
    default: return "was hit by a fatal signal";
    }
}

/* ---- by whom ---- */

static _Atomic enum phase { BEFORE, LOADING, RUNNING, OVER } phase;
static _Thread_local bool known; /* a thread of ours, on which functions are called */

static void
note_running(void *who, const struct running *r)
{
    (void)who;
    fault_note(r->site->place, "'%s' is running", r->function);
}

/* It was no call on a thread of ours: who it can have been, as words, or NULL: luna. Begins the
 * message, which goes on with what was done. */
static bool
begin_outside(enum fault_code code, const char *what)
{
    const char *who = phase == LOADING ? "what runs when the program is loaded, as constructors do,"
                      : phase == OVER  ? "what runs when the program ends, as destructors do,"
                      : !known         ? "a thread that a function has started"
                                       : NULL;
    if (!who) return false;
    fault_begin(code, LUNA_NONE, "%s %s", who, what);
    if (phase == RUNNING) running_each(note_running, NULL);
    return true;
}

/* ---- crashes ---- */

/* What a message is made of may be spoilt as well: another crash goes on behind `fn`. */
static _Thread_local sigjmp_buf *behind;

static void
safely(void (*fn)(void *who), void *who)
{
    sigjmp_buf here;
    if (!sigsetjmp(here, 0)) {
        behind = &here;
        fn(who);
    }
    behind = NULL;
}

static void
note_line(void *context)
{
    char line[512];
    if (crash_line(code_pointer(context), line, sizeof line))
        fault_note(LUNA_NONE, "in the line %s", line);
}

static void
name_call(void *text)
{
    name_cf(fault_program(), running.task, text, NAME_MAX_TEXT);
}

/* ---- children ----
 *
 * A function may fork, and the child may exec or exit; it is no part of the run. Only the thread
 * that forked is there, so it must not go on with calls. */

bool running_looks_after;
static bool in_child;

static void
child_begins(void)
{
    in_child = running_looks_after = true;
    fault_is_child();
}

static _Noreturn void
child_returns(void)
{
    fault_begin(F_RUN7, running.site ? running.site->place : LUNA_NONE,
                "'%s' has returned in a process that it forked", running.function);
    fault_hint("the child of a fork calls exec or _exit");
    fault_end(EXIT_RUN);
}

static fenv_t floating; /* as the run began, and each call begins */

void
running_look_after(void)
{
    if (in_child) child_returns();
    fesetenv(&floating);
}

static void
crashed_outside(const char *what, void *context)
{
    fault_hurry(EXIT_RUN);
    if (begin_outside(F_RUN6, what)) {
        safely(note_line, context);
        fault_hint("luna run -g under gdb stops there");
        fault_end(EXIT_RUN);
    }
    fault_begin(F_RUN12, LUNA_NONE, "luna itself failed: it %s outside any function", what);
    fault_hint("luna run -g, and --sanitize, tell whether a function has written where it may not; "
               "if not, this is a fault of luna: please report it");
    fault_end(EXIT_SYSTEM);
}

static void
crash(int sig, siginfo_t *info, void *context)
{
    if (behind) siglongjmp(*behind, 1);
    if (in_child) { /* as if nobody had watched it */
        signal(sig, SIG_DFL);
        raise(sig);
    }
    while (fault_is_told_elsewhere()) pause(); /* that thread ends the process */
    if (fault_is_leaving()) fault_leave_now();
    const struct luna_site *site = running.site;
    const char *what = crash_text(sig, info, context);
    if (!site) crashed_outside(what, context);
    fault_hurry(EXIT_RUN);
    char cf[NAME_MAX_TEXT] = "?";
    safely(name_call, cf);
    fault_begin(F_RUN6, site->place, "'%s' %s, called as %s", running.function, what, cf);
    safely(note_line, context);
    fault_hint("luna run -g under gdb stops there; luna run --sanitize finds what led to it");
    fault_end(EXIT_RUN);
}

/* A sanitizer has said what is wrong, and in which line of C; this says in which call. */
static void
stopped(void)
{
    const struct luna_site *site = fault_is_leaving() ? NULL : running.site;
    char cf[NAME_MAX_TEXT];
    if (!site) return;
    name_cf(fault_program(), running.task, cf, sizeof cf);
    fault_begin(F_RUN6, site->place, "'%s' was stopped by a sanitizer, called as %s",
                running.function, cf);
    fault_end(EXIT_RUN);
}

/* ---- exits ---- */

static void
end_by_exit(int status)
{
    if (status) fault_hint("luna_fail(\"why\") ends the run, too, and says so");
    fault_end_by_exit(status ? EXIT_RUN : EXIT_DONE);
}

/* exit() by a thread of which we know nothing, or when nothing runs yet. */
static void
exited_outside(int status)
{
    char what[100];
    snprintf(what, sizeof what, "called exit(%d)", status);
    if (begin_outside(F_RUN7, what)) end_by_exit(status ? status : EXIT_RUN);
}

/* At exit(), by whoever: of a ucode it is the program's fault, or its way to end. */
static void
exited(int status, void *who)
{
    (void)who;
    if (in_child) return;
    const struct luna_site *site = running.site;
    while (site && fault_is_told_elsewhere()) pause(); /* that thread ends the process */
    if (fault_is_leaving()) return;
    if (!site && phase == RUNNING && !known) exited_outside(status);
    if (!site) return;
    char cf[NAME_MAX_TEXT];
    name_cf(fault_program(), running.task, cf, sizeof cf);
    if (status)
        fault_begin(F_RUN7, site->place, "'%s' called exit(%d), called as %s", running.function,
                    status, cf);
    else
        fault_begin_warning(F_RUN7, site->place,
                            "'%s' called exit(0), called as %s: the run ends here",
                            running.function, cf);
    end_by_exit(status);
}

/* The last that is called at exit(), behind destructors. */
static void
exit_ends(int status, void *who)
{
    (void)who;
    if (in_child) return;
    if (phase == LOADING && !fault_is_leaving()) exited_outside(status);
    fault_exit_ends();
}

/* Ways to end other than exit(): without a word the run would wait for ever, or seem done. */
static void
ended_by(const char *what)
{
    const struct luna_site *site = running.site;
    char cf[NAME_MAX_TEXT];
    if (!site || in_child || fault_is_leaving()) return;
    name_cf(fault_program(), running.task, cf, sizeof cf);
    fault_begin(F_RUN7, site->place, "'%s' called %s, called as %s", running.function, what, cf);
    fault_hint("a function returns, or calls luna_fail(\"why\"), which ends the run and says so");
    fault_end(EXIT_RUN);
}

static void
exited_quickly(void)
{
    ended_by("quick_exit");
}

static pthread_key_t thread_key; /* whose destructor sees a thread that ends, */
static bool has_thread_key;      /* once there is one */

static void
thread_exited(void *who)
{
    (void)who;
    ended_by("pthread_exit");
}

enum { THREADS = 1024 }; /* beyond so many nobody is asked what he runs */
static _Atomic(struct running *) runs[THREADS];

static void
runs_swap(struct running *from, struct running *to)
{
    for (int i = 0; i < THREADS; i++) {
        struct running *was = from;
        if (atomic_compare_exchange_strong(&runs[i], &was, to)) return;
    }
}

void
running_each(void (*fn)(void *who, const struct running *r), void *who)
{
    for (int i = 0; i < THREADS; i++) {
        const volatile struct running *r = atomic_load(&runs[i]);
        struct running now = {0};
        if (r) now = (struct running){r->site, r->function, r->task, r->df, r->actual, r->begun};
        if (now.site && now.function) fn(who, &now);
    }
}

enum { ALT_STACK = 64 << 10 };

/* Of the thread; NULL: there was no room. Pages, for nobody touches them unless a call crashes. */
static _Thread_local void *alt_stack;

/* A stack that has run out cannot hold the frame of its handler. */
void
crash_handler_thread(void)
{
    known = true;
    if (alt_stack) return; /* the program was loaded by this thread */
    void *room = mmap(NULL, ALT_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    alt_stack = room == MAP_FAILED ? NULL : room;
    if (alt_stack) sigaltstack(&(stack_t){.ss_sp = alt_stack, .ss_size = ALT_STACK}, NULL);
    runs_swap(NULL, &running);
    if (has_thread_key) pthread_setspecific(thread_key, &running);
}

void
crash_handler_thread_end(void)
{
    if (has_thread_key) pthread_setspecific(thread_key, NULL);
    runs_swap(&running, NULL);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    if (alt_stack) munmap(alt_stack, ALT_STACK);
    alt_stack = NULL;
    known = false;
}

static uint32_t
place_here(void)
{
    return running.site ? running.site->place : LUNA_NONE;
}

static void
catch_signals(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    /* A handler may crash itself: what was spoilt is what it looks at. */
    struct sigaction sa = {.sa_sigaction = crash,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    size_t n = sizeof signals / sizeof *signals;
    crash_line_prepare();
    if (sanitizer_here()) {
        sanitizer_on_death(stopped);
        n = 1; /* the others are reported by it, with the line */
    }
    for (size_t i = 0; i < n; i++) sigaction(signals[i], &sa, NULL);
}

void
crash_handler_load(bool begins)
{
    static bool there;
    if (!there) {
        on_exit(exit_ends, NULL);
        catch_signals();
        crash_handler_thread();
    }
    there = true;
    phase = begins ? LOADING : BEFORE;
}

void
crash_handler_install(void)
{
    crash_handler_load(false); /* programs that are linked with luna load nothing */
    crash_handler_thread();    /* a second run of the process */
    const struct luna_program *p = fault_program();
    fegetenv(&floating);
    running_looks_after |= p && p->stays & LUNA_SETS_FLOATING;
    fault_place_by(place_here);
    on_exit(exited, NULL);
    pthread_atfork(NULL, NULL, child_begins);
    at_quick_exit(exited_quickly);
    has_thread_key = !pthread_key_create(&thread_key, thread_exited);
    if (has_thread_key) pthread_setspecific(thread_key, &running);
    phase = RUNNING;
}

void
crash_handler_end(void)
{
    phase = OVER;
    crash_handler_thread_end();
}

/* ---- what ucodes call ---- */

/* Of an element of a list that the running call was given. The words that its name follows from
 * stay: the run ends. */
static uint32_t
element_ref_of(const struct luna_df *df, luna_env *e)
{
    const struct luna_program *p = fault_program();
    const struct luna_site *s = running.site;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        const struct luna_list *seen = running.actual[i].list;
        if (arg->kind != LUNA_A_LIST || !seen->n || df < seen->df[0] || df > seen->df[seen->n - 1])
            continue;
        const struct luna_site *list = &p->sites[p->blocks[s->body].site + arg->row];
        luna_word *word = mem_alloc((elements_words(list) + list->b) * sizeof *word);
        if (!word) return LUNA_NONE;
        struct elements which;
        elements_eval(p, list, (struct task *)running.task, word);
        elements_look(&which, p, list, running.task->frame, word); /* the call has them */
        elements_counters(&which, (uint32_t)(df - seen->df[0]), word);
        *e = (luna_env){.frame = running.task->frame->word, .local = word,
                        .site = elements_term(p, list)};
        return elements_ref(p, list);
    }
    return LUNA_NONE;
}

/* The reference by which the running call was given this DF, as its statement sees it; LUNA_NONE:
 * it is none of its arguments, or the value of an expression. */
static uint32_t
ref_of(const struct luna_df *df, luna_env *e)
{
    const struct luna_site *s = running.site;
    const struct task *t = running.task;
    const struct luna_program *program = fault_program();
    if (!s || !t || !program || !running.df) return LUNA_NONE;
    if (df < running.df || df >= running.df + s->nargs)
        return s->kind == LUNA_S_CALL && s->body != LUNA_NONE ? element_ref_of(df, e) : LUNA_NONE;
    *e = (luna_env){.frame = t->frame->word, .local = t->word, .site = s,
                    .in = task_values(s, (struct task *)t)};
    const struct luna_arg *arg = &program->args[s->arg + (size_t)(df - running.df)];
    if (arg->kind == LUNA_A_NAME) return arg->row;
    const struct luna_expr *x = arg->kind == LUNA_A_VALUE ? &program->exprs[arg->row] : NULL;
    return x && x->kind == LUNA_E_IN ? program->ins[s->in + x->a].ref : LUNA_NONE;
}

bool
running_name_df(const struct luna_df *df, char *text, size_t size)
{
    luna_env e;
    uint32_t ref = ref_of(df, &e);
    if (ref == LUNA_NONE) return false;
    name_ref_of(fault_program(), &e, ref, text, size);
    return true;
}

void
running_asks_too_much(const struct luna_df *df, size_t n)
{
    size_t most = pool_bytes_max();
    char name[300] = "a value";
    if (n <= most || !running.site) return;
    running_name_df(df, name, sizeof name);
    fault_begin(F_RUN12, running.site->place, "'%s' asks for %s for '%s'; this machine has %s",
                running.function, amount_bytes((double)n).text, name,
                amount_bytes((double)most / 15 * 16).text);
    fault_hint("luna_create takes a number of bytes: is it computed as it should?");
    fault_end(EXIT_SYSTEM);
}

static __attribute__((noreturn)) void
fail(const struct luna_df *read, const char *hint, const char *fmt, va_list ap)
{
    char text[1024], cf[NAME_MAX_TEXT];
    luna_env e;
    uint32_t ref = read ? ref_of(read, &e) : LUNA_NONE;
    vsnprintf(text, sizeof text, fmt, ap);
    if (running.site) {
        name_cf(fault_program(), running.task, cf, sizeof cf);
        fault_begin(F_RUN5, running.site->place, "%s (in '%s', called as %s)", text,
                    running.function, cf);
    } else {
        fault_begin(F_RUN5, LUNA_NONE, "%s", text);
    }
    if (ref != LUNA_NONE) writers_note(fault_program(), mention_df(fault_program(), &e, ref));
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
    fail(NULL, NULL, fmt, ap);
}

void luna_fail_text(const char *bytes, size_t size)
    __attribute__((noreturn, visibility("default")));

void
luna_fail_text(const char *bytes, size_t size)
{
    luna_fail("%.*s", size < INT_MAX ? (int)size : INT_MAX, bytes);
}

void
running_fail(const struct luna_df *read, const char *hint, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(read, hint, fmt, ap);
}
