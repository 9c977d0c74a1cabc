/* launch.c - see launch.h. One loop over epoll; nothing waits elsewhere. */
#include "apps/luna/launch/launch.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/amount.h"
#include "runtime/base/clock.h"
#include "runtime/base/fdpass.h"
#include "runtime/base/io.h"
#include "runtime/base/wish.h"
#include "runtime/run/interrupt.h"
#include "runtime/run/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MPIEXEC "mpiexec"

enum {
    ASK_MS = 500,        /* a rank may take to say what it does */
    LEAVE_MS = 3000,     /* and then to write what it has */
    GRACE_MS = 1000,     /* from the order to end to the kill */
    SAID_BYTES = 4 << 10 /* of mpiexec's own words */
};

struct rank { /* as far as it has told */
    int fd, number;
    pid_t pid;
    bool met, ended, asked, answered, in_run;
};

struct launch {
    struct arena *arena;
    int nranks;
    struct rank *rank; /* in the order in which they came */
    int came, ended_well;
    char name[40];     /* of the socket */
    int listener, signals, said_fd, epoll;
    pid_t mpiexec;
    int mpiexec_status;
    bool mpiexec_gone;
    char said[SAID_BYTES];
    size_t said_size;
    int code;                /* -1: not known yet */
    const struct rank *lost; /* NULL: none */
    int signal;              /* that told us to end; 0: none */
    uint64_t signal_ms;      /* when */
    uint64_t ask_until_ms;   /* 0: nobody is asked what he does */
    uint64_t leave_until_ms; /* 0: nobody has been asked to leave by himself */
    struct rank_news news;   /* of all that have answered */
    uint64_t kill_at_ms;     /* 0: nobody has to end */
};

/* ---- is it wanted? ---- */

bool
launch_wants_ranks(const struct options *o)
{
    if (o->run.sim) return false;
    return o->run.transport ? !strcmp(o->run.transport, "mpi") : ranks_started();
}

int
launch_join(const struct options *o, const char *home)
{
    ranks_begin();
    int code = ranks_join(home);
    if (code) return code;
    bool fits = o->run.nodes <= 0 || o->run.nodes == ranks_count();
    if (!fits && !ranks_number())
        say_error("%d ranks were started, but -n says %d nodes: a node is a rank; leave out -n",
                  ranks_count(), o->run.nodes);
    return ranks_agree(fits) ? 0 : ranks_end(EXIT_USAGE); /* others' -n: alike.h */
}

/* ---- starting ---- */

/* The words we were called with, behind those of mpiexec. */
static const char **
mpiexec_words(struct launch *l)
{
    struct buf line = {0};
    struct words w = {0};
    if (file_read("/proc/self/cmdline", &line) || !line.size) return NULL;
    const char *const before[] = {MPIEXEC, "-launcher", "fork", "-hosts", "localhost", "-n",
                                  arena_printf(l->arena, "%d", l->nranks),
                                  path_real(l->arena, "/proc/self/exe")};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) words_add(l->arena, &w, before[i]);
    char *all = arena_alloc(l->arena, line.size + 1);
    memcpy(all, line.data, line.size);
    all[line.size] = 0;
    for (char *p = all + strlen(all) + 1; p < all + line.size; p += strlen(p) + 1)
        words_add(l->arena, &w, p);
    buf_fini(&line);
    return (const char **)w.at;
}

/* Of the child: mpiexec in a process group of its own, which ends with us. It looks for its parts
 * where its own name is found, and MPIEXEC may be another MPI's in another folder. */
static void
become_mpiexec(const char **words, int said, pid_t parent, const sigset_t *mask)
{
    static const char *const names[] = {"mpiexec.mpich", "mpiexec.hydra", MPIEXEC};
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_SYSTEM);
    dup2(null, 0);
    dup2(said, 1);
    dup2(said, 2);
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        words[0] = names[i];
        execvp(names[i], (char *const *)(void *)words);
    }
    static const char text[] = "mpiexec of MPICH was not found in PATH\n";
    io_write_all(2, text, sizeof text - 1);
    _exit(127);
}

static bool
open_socket(struct launch *l)
{
    uint64_t token[2];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (getrandom(token, sizeof token, 0) != sizeof token) return false;
    snprintf(l->name, sizeof l->name, "luna%016" PRIx64 "%016" PRIx64, token[0], token[1]);
    memcpy(at.sun_path + 1, l->name, strlen(l->name));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(l->name));
    l->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return l->listener >= 0 && !bind(l->listener, (struct sockaddr *)&at, size) &&
           !listen(l->listener, 4096) && !setenv(RANKS_SOCKET, l->name, 1);
}

static bool
watch(struct launch *l, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    return !epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e);
}

static bool
start(struct launch *l)
{
    int pipe_fd[2];
    sigset_t mask, old;
    pid_t self = getpid();
    const char **words = mpiexec_words(l);
    if (!words || !open_socket(l) || pipe2(pipe_fd, O_CLOEXEC)) return false;
    sigemptyset(&mask);
    wish_add(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGUSR1);
    for (int i = 1; i < SIGRTMIN; i++) {
        struct sigaction sa;
        if (sigismember(&mask, i) && !sigaction(i, NULL, &sa) && sa.sa_handler == SIG_IGN)
            sigdelset(&mask, i); /* nohup stays nohup */
    }
    sigprocmask(SIG_BLOCK, &mask, &old);
    l->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->said_fd = pipe_fd[0];
    fcntl(l->said_fd, F_SETFL, O_NONBLOCK);
    fflush(NULL);
    if ((l->mpiexec = fork()) == 0) become_mpiexec(words, pipe_fd[1], self, &old);
    close(pipe_fd[1]);
    return l->mpiexec > 0 && l->signals >= 0 && watch(l, l->listener) && watch(l, l->signals) &&
           watch(l, l->said_fd);
}

/* ---- ending ---- */

static void
order_end(struct launch *l)
{
    if (l->kill_at_ms) return;
    l->kill_at_ms = clock_ms() + GRACE_MS;
    if (!l->mpiexec_gone) kill(l->mpiexec, SIGTERM);
}

/* ---- an interrupt: all are asked, then told to end ---- */

static bool
has_line(const char *text, const char *line, size_t size)
{
    for (; *text; text = strchr(text, '\n') + 1)
        if (!strncmp(text, line, size)) return true;
    return false;
}

enum { CALLS_SHOWN = 5 };

/* Ranks that run the same call say so in the same line. */
static void
add_calls(struct rank_news *all, const char *text)
{
    int shown = 0;
    for (const char *c = all->text; *c; c++) shown += *c == '\n';
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        size_t used = strlen(all->text), size = (size_t)(end - text) + 1;
        if (shown == CALLS_SHOWN || used + size >= sizeof all->text) return;
        if (has_line(all->text, text, size)) continue;
        memcpy(all->text + used, text, size);
        all->text[used + size] = 0;
        shown++;
    }
}

static void
rank_answers(struct launch *l, struct rank *r, const struct rank_news *news)
{
    r->answered = true;
    r->in_run = news->in_run;
    if (!l->ask_until_ms || !news->in_run) return;
    l->news.in_run = 1;
    l->news.calls += news->calls;
    l->news.waits += news->waits;
    if (news->seconds > l->news.seconds) l->news.seconds = news->seconds;
    add_calls(&l->news, news->text);
}

static bool
owes_answer(const struct rank *r)
{
    return r->asked && !r->answered && !r->ended && r->fd >= 0;
}

static bool
all_answered(const struct launch *l)
{
    for (int i = 0; i < l->came; i++)
        if (owes_answer(&l->rank[i])) return false;
    return true;
}

static void
say_interrupted(const struct launch *l)
{
    char head[INTERRUPT_HEAD];
    if (!l->news.in_run) return;
    size_t n = interrupt_head(head, "", l->signal, &l->news);
    (void)io_write_all(STDERR_FILENO, head, n);
    (void)io_write_all(STDERR_FILENO, l->news.text, strlen(l->news.text));
    for (int i = 0; i < l->came; i++)
        if (owes_answer(&l->rank[i]))
            fprintf(stderr, "luna: note: node %d (pid %d) does not answer\n", l->rank[i].number,
                    (int)l->rank[i].pid);
}

static void
ask_all(struct launch *l)
{
    const struct rank_word ask = {.says = RANK_ASK, .value = 128 + l->signal};
    l->ask_until_ms = clock_ms() + ASK_MS;
    for (int i = 0; i < l->came; i++) {
        struct rank *r = &l->rank[i];
        if (!r->met || r->ended || r->fd < 0) continue;
        r->asked = send(r->fd, &ask, sizeof ask, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof ask;
    }
}

static bool
all_left(const struct launch *l)
{
    for (int i = 0; i < l->came; i++)
        if (l->rank[i].in_run && !l->rank[i].ended && l->rank[i].fd >= 0) return false;
    return true;
}

/* Has everybody answered, or time run out? Then those who did are waited for: they write what they
 * have. */
static void
end_asking(struct launch *l)
{
    if (l->ask_until_ms && (all_answered(l) || clock_ms() >= l->ask_until_ms)) {
        say_interrupted(l);
        l->ask_until_ms = 0;
        l->leave_until_ms = clock_ms() + LEAVE_MS;
    }
    if (!l->leave_until_ms || (!all_left(l) && clock_ms() < l->leave_until_ms)) return;
    l->leave_until_ms = 0;
    order_end(l);
}

/* Ranks notice that their sockets close, even when mpiexec and its proxies are no more. */
static void
kill_all(struct launch *l)
{
    for (int i = 0; i < l->came; i++) {
        if (l->rank[i].fd >= 0) close(l->rank[i].fd);
        l->rank[i].fd = -1;
    }
    if (!l->mpiexec_gone) kill(-l->mpiexec, SIGKILL);
    l->kill_at_ms = clock_ms() + GRACE_MS;
}

/* ---- ranks ---- */

static void
rank_comes(struct launch *l)
{
    int fd = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred who;
    socklen_t size = sizeof who;
    if (fd < 0) return;
    if (l->came == l->nranks || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
        who.uid != geteuid() || !watch(l, fd)) {
        close(fd);
        return;
    }
    l->rank[l->came++] = (struct rank){.fd = fd, .number = -1, .pid = who.pid};
}

static void
rank_ends(struct launch *l, struct rank *r, const struct rank_word *w)
{
    r->ended = true;
    if (!w->value && !w->ends_all) {
        if (++l->ended_well == l->nranks && l->code < 0) l->code = EXIT_DONE;
        return;
    }
    if (l->code < 0 && !l->lost) l->code = w->value;
    if (w->ends_all && !l->signal) order_end(l);
}

/* Its socket has closed. A rank that has not said that it ends was lost; the first is the cause. */
static void
rank_goes(struct launch *l, struct rank *r)
{
    close(r->fd);
    r->fd = -1;
    if (r->ended || l->lost || l->kill_at_ms) return;
    l->lost = r;
    l->kill_at_ms = clock_ms() + GRACE_MS; /* mpiexec ends the others; its code is the signal */
}

static void
wished(struct launch *l, int sig)
{
    if (l->signal) {
        if (interrupt_urges(sig, clock_ms() - l->signal_ms)) kill_all(l);
        return;
    }
    l->signal = sig;
    l->signal_ms = clock_ms();
    ask_all(l);
}

/* Our input is that of rank 0; not a terminal's, which would stop it: ranks are no foreground. */
static void
send_streams(const struct rank *r)
{
    bool reads = !r->number && fcntl(STDIN_FILENO, F_GETFD) >= 0 && !isatty(STDIN_FILENO);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    fdpass_send(r->fd, (const int[]){reads ? STDIN_FILENO : null, STDOUT_FILENO, STDERR_FILENO}, 3);
    close(null);
}

static void
rank_speaks(struct launch *l, struct rank *r)
{
    union {
        struct rank_word w;
        struct rank_news news;
    } in;
    const struct rank_word *w = &in.w;
    ssize_t n = recv(r->fd, &in, sizeof in - 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n >= (ssize_t)offsetof(struct rank_news, text) && w->says == RANK_NEWS) {
        ((char *)&in)[n] = 0;
        rank_answers(l, r, &in.news);
    } else if (n != sizeof *w) {
        rank_goes(l, r);
    } else if (w->says == RANK_HELLO && !r->met) {
        r->met = true;
        r->number = w->rank;
        send_streams(r);
    } else if (w->says == RANK_END) {
        rank_ends(l, r, w);
    } else if (w->says == RANK_WISH) {
        wished(l, w->value);
    }
}

/* ---- the loop ---- */

/* The words of a rank that could not come, among those of mpiexec; NULL: there is none, or they are
 * not whole yet. */
static const char *
gave_up(const struct launch *l, size_t *size)
{
    static const char start[] = RANKS_GAVE_UP;
    const char *line = memmem(l->said, l->said_size, start, sizeof start - 1);
    if (!line || l->came == l->nranks) return NULL;
    const char *end = memchr(line, '\n', l->said_size - (size_t)(line - l->said));
    *size = end ? (size_t)(end - line) : 0;
    return end ? line : NULL;
}

static void
take_said(struct launch *l)
{
    char text[1024];
    ssize_t n = read(l->said_fd, text, sizeof text);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->said_fd, NULL);
        return;
    }
    size_t room = sizeof l->said - l->said_size, take = (size_t)n < room ? (size_t)n : room;
    memcpy(l->said + l->said_size, text, take);
    l->said_size += take;
    if (gave_up(l, &take)) order_end(l); /* the others would wait for it, and mpiexec for them */
}

/* To the ranks, which all are on this machine. */
static void
hand_on(const struct launch *l, int sig)
{
    for (int i = 0; i < l->came; i++)
        if (!l->rank[i].ended && l->rank[i].fd >= 0) kill(l->rank[i].pid, sig);
}

static void
take_signal(struct launch *l)
{
    struct signalfd_siginfo s;
    while (read(l->signals, &s, sizeof s) == sizeof s) {
        if (s.ssi_signo == SIGCHLD) {
            if (waitpid(l->mpiexec, &l->mpiexec_status, WNOHANG) == l->mpiexec)
                l->mpiexec_gone = true;
        } else if (s.ssi_signo == SIGUSR1) {
            hand_on(l, SIGUSR1);
        } else {
            wished(l, (int)s.ssi_signo);
        }
    }
}

static void
take_event(struct launch *l, int fd)
{
    if (fd == l->listener) rank_comes(l);
    else if (fd == l->signals) take_signal(l);
    else if (fd == l->said_fd) take_said(l);
    for (int i = 0; i < l->came; i++)
        if (l->rank[i].fd == fd) {
            rank_speaks(l, &l->rank[i]);
            return;
        }
}

/* True when something came before `ms`. Events are in the order in which they happened. */
static bool
turn(struct launch *l, int ms)
{
    struct epoll_event e[64];
    int n = epoll_wait(l->epoll, e, 64, ms);
    for (int i = 0; i < n; i++) take_event(l, e[i].data.fd);
    return n > 0;
}

static bool
ranks_left(const struct launch *l)
{
    for (int i = 0; i < l->came; i++)
        if (l->rank[i].fd >= 0) return true;
    return false;
}

/* For epoll_wait: a time that may have passed; 0: none. */
static int
till(uint64_t ms)
{
    uint64_t now = clock_ms();
    if (!ms) return -1;
    return now >= ms ? 0 : (int)(ms - now);
}

static void
loop(struct launch *l)
{
    while (!l->mpiexec_gone) {
        end_asking(l);
        if (l->kill_at_ms && clock_ms() >= l->kill_at_ms) kill_all(l);
        turn(l, till(l->ask_until_ms     ? l->ask_until_ms
                     : l->leave_until_ms ? l->leave_until_ms
                                         : l->kill_at_ms));
    }
    for (int i = 0; i < 20 && ranks_left(l); i++) turn(l, 10); /* their last words */
    kill_all(l);
    while (turn(l, 0)) continue;
}

/* ---- what came of it ---- */

static int
say_lost(const struct launch *l)
{
    int s = l->mpiexec_status, sig = WIFEXITED(s) ? WEXITSTATUS(s) : 0;
    if (sig == SIGPIPE) return 128 + SIGPIPE; /* nobody reads any more what it prints */
    if (sig > 0 && sig < 32)
        say_error("node %d (pid %d) was lost: signal %d (or _exit(%d))", l->lost->number,
                  (int)l->lost->pid, sig, sig); /* mpiexec tells both alike */
    else
        say_error("node %d (pid %d) was lost", l->lost->number, (int)l->lost->pid);
    return EXIT_SYSTEM;
}

/* It does not know our first option: Open MPI's, say. */
static bool
is_of_another_mpi(const struct launch *l)
{
    static const char option[] = "\"-launcher\"";
    return memmem(l->said, l->said_size, option, sizeof option - 1) != NULL;
}

static int
say_mpiexec(const struct launch *l)
{
    int s = l->mpiexec_status;
    if (is_of_another_mpi(l)) {
        say_error("the mpiexec in PATH is not that of MPICH");
        say_hint("install MPICH (package mpich), or put the folder of its mpiexec first in PATH; "
                 "-n N alone needs no MPI");
        return EXIT_SYSTEM;
    }
    if (WIFSIGNALED(s)) say_error("mpiexec was lost: signal %d", WTERMSIG(s));
    else say_error("mpiexec could not run %d ranks (exit code %d)", l->nranks, WEXITSTATUS(s));
    if (!WIFSIGNALED(s) && WEXITSTATUS(s) == 127)
        say_hint(
            "install MPICH (package mpich), or leave out --transport=mpi: -n N alone needs no MPI");
    fwrite(l->said, 1, l->said_size, stderr);
    return EXIT_SYSTEM;
}

static bool
say_gave_up(const struct launch *l)
{
    size_t size;
    const char *line = gave_up(l, &size);
    if (line) fprintf(stderr, "%.*s\n", (int)size, line);
    return line;
}

static int
verdict(const struct launch *l)
{
    if (l->signal) return 128 + l->signal;
    if (say_gave_up(l)) return EXIT_SYSTEM;
    if (l->lost) return say_lost(l);
    return l->code >= 0 ? l->code : say_mpiexec(l);
}

/* ---- before ---- */

enum { FILES_MIN = 64 }; /* with 16 MPICH fails in words of its own */

static bool
has_files(int processes)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= FILES_MIN) return true;
    say_error("a process may open %ju files, %d ranks need %d", (uintmax_t)r.rlim_cur, processes,
              FILES_MIN);
    say_hint("raise the limit (ulimit -n %d), or leave out --transport=mpi", FILES_MIN);
    return false;
}

enum { ADDRESSES_MIN = 128 << 20 }; /* MPICH and what lies below it, without a program's data */

static bool
has_addresses(int processes)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur >= ADDRESSES_MIN) return true;
    say_error("a process may have %s of memory, each of %d ranks needs %s",
              amount_bytes((double)r.rlim_cur).text, processes,
              amount_bytes((double)ADDRESSES_MIN).text);
    say_hint("raise the limit (ulimit -v unlimited), or leave out --transport=mpi");
    return false;
}

bool
launch_has_shm(int processes, const char *instead)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs)) return true;
    if (fs.f_flag & ST_RDONLY) {
        say_error("/dev/shm is read-only, but ranks share memory there");
        say_hint("mount it to be written (mount -o remount,rw /dev/shm), or %s", instead);
        return false;
    }
    double has = (double)fs.f_bavail * (double)fs.f_frsize / 1e6, wants = 4.3 * processes;
    if (has >= wants) return true;
    say_error("/dev/shm has %.1f MB free, %d ranks need %.1f", has, processes, wants);
    say_hint("make it larger (mount -o remount,size=.. /dev/shm; docker run --shm-size=..), "
             "or %s", instead);
    return false;
}

int
launch_ranks(const struct options *o)
{
    struct launch *l = arena_new_of(o->arena, struct launch);
    l->arena = o->arena;
    l->nranks = o->run.nodes > 0 ? o->run.nodes : 1;
    l->code = -1;
    l->rank = arena_alloc(o->arena, (size_t)l->nranks * sizeof *l->rank);
    if (!has_files(l->nranks) || !has_addresses(l->nranks)) return EXIT_SYSTEM;
    if (!launch_has_shm(l->nranks, "leave out --transport=mpi")) return EXIT_SYSTEM;
    if (!start(l)) {
        say_error("cannot start %d ranks: %s", l->nranks, strerror(errno));
        if (l->mpiexec > 0) kill(-l->mpiexec, SIGKILL);
        return EXIT_SYSTEM;
    }
    loop(l);
    return verdict(l);
}
