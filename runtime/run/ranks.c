/* ranks.c - joined by luna_mpi.so; tied to the launcher by death signals and a socket. */
#include "ranks.h"

#include "runtime/base/clean.h"
#include "runtime/base/clock.h"
#include "runtime/base/fdpass.h"
#include "runtime/base/manager.h"
#include "runtime/fault/fault.h"
#include "runtime/net/transport.h"
#include "runtime/run/ask.h"
#include "runtime/run/runtime.h"
#include "runtime/run/siblings.h"
#include "runtime/run/sweep.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct {
    const struct transport_mpi *mpi;
    struct transport *net;
    int supervisor; /* socket; -1: none */
    void (*_Atomic answer)(struct rank_news *news);
    bool orderly, interrupted;
} ranks = {.supervisor = -1};

/* ---- what the launcher has told ---- */

/* NULL: there is no supervisor. */
static const char *
supervisor_name(void)
{
    const char *name = getenv(RANKS_SOCKET);
    return name && *name ? name : NULL;
}

static int
number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? atoi(text) : otherwise;
}

bool
ranks_started(void)
{
    return getenv("PMI_RANK") || getenv("PMI_SIZE") || getenv("PMI_PORT") || getenv("PMIX_RANK") ||
           getenv("OMPI_COMM_WORLD_SIZE") || supervisor_name() ||
           number_of("SLURM_STEP_NUM_TASKS", 1) > 1;
}

void
ranks_linger(uint64_t began_ns, int code)
{
    enum { MOMENT_NS = 150000000 };
    struct timespec until = clock_until(began_ns + MOMENT_NS);
    if (!ranks_started() || supervisor_name()) return; /* of luna's own launcher */
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
    if (!ranks.mpi) manager_abort(code); /* nobody else ends those who wait in MPI_Init */
}

/* Before MPI can tell; what concerns all is said by 0. */
static int
rank_by_launcher(void)
{
    int other = number_of("SLURM_PROCID", number_of("OMPI_COMM_WORLD_RANK", 0));
    return number_of("PMI_RANK", number_of("PMI_ID", other)); /* ID: of mpiexec -pmi-port */
}

bool
ranks_first(void)
{
    return !rank_by_launcher();
}

/* ---- the supervisor ---- */

/* Nothing of the run goes on behind its news: a function that the signal has woken from its sleep
 * would print more. What has been printed and traced is kept; MPI may be in any state. */
static void
answer(int code)
{
    static struct rank_news news;
    void (*tell)(struct rank_news *) = atomic_load(&ranks.answer);
    news.says = RANK_NEWS;
    if (tell) tell(&news);
    send(ranks.supervisor, &news, offsetof(struct rank_news, text) + strlen(news.text),
         MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!news.in_run) return;
    ranks.orderly = false;
    ranks.interrupted = true;
    fault_leave(code);
}

/* It waits to be asked: a sleep of the program that the signal has ended would go on behind it. */
void
ranks_wish(int sig)
{
    const struct rank_word w = {.says = RANK_WISH, .value = sig};
    int saved = errno;
    if (send(ranks.supervisor, &w, sizeof w, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof w)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    errno = saved;
}

/* It asks once, if at all. */
static void
on_supervisor(int sig)
{
    (void)sig;
    int saved = errno;
    struct rank_word w;
    ssize_t n = recv(ranks.supervisor, &w, sizeof w, MSG_DONTWAIT);
    if (n == 0) _exit(EXIT_SYSTEM);
    if (n == sizeof w && w.says == RANK_ASK) answer(w.value);
    errno = saved;
}

/* Takes the streams it sends. */
static void
take_streams(int fd)
{
    int stream[3];
    if (!fdpass_receive(fd, stream, 3)) return;
    for (int i = 0; i < 3; i++) {
        dup2(stream[i], i);
        close(stream[i]);
    }
}

/* Its end is our end, without a thread that waits for it: a signal comes. */
static void
watch_supervisor(int fd)
{
    struct sigaction sa = {.sa_handler = on_supervisor, .sa_flags = SA_RESTART | SA_ONSTACK};
    ranks.supervisor = fd;
    sigaction(SIGIO, &sa, NULL);
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
    on_supervisor(SIGIO); /* perhaps it had gone before */
}

/* The name is free for all when the launcher has gone: who listens now may be somebody else. */
static bool
is_of_us(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) && who.uid == geteuid();
}

/* Nobody would hear how this rank ends. What it says goes to the launcher with mpiexec's words. */
static __attribute__((noreturn)) void
give_up(int e)
{
    fprintf(stderr, RANKS_GAVE_UP "node %d cannot open a socket: %s\n", rank_by_launcher(),
            strerror(e));
    _exit(EXIT_SYSTEM);
}

/* It has gone already, or never was. */
static __attribute__((noreturn)) void
nobody_listens(const char *name)
{
    if (!rank_by_launcher()) {
        clean_print(RANKS_GAVE_UP "nobody listens at '%s', where " RANKS_SOCKET " says that ranks "
                                  "are watched\n", name);
        fprintf(stderr, "hint: the command that has started them is gone, or the variable is to be "
                        "unset\n");
    }
    _exit(EXIT_SYSTEM);
}

static void
meet_supervisor(void)
{
    const char *name = supervisor_name();
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!name || strlen(name) + 2 > sizeof to.sun_path) return;
    memcpy(to.sun_path + 1, name, strlen(name)); /* abstract: no file to leave behind */
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    struct rank_word hello = {RANK_HELLO, rank_by_launcher(), (int32_t)getpid(), 0};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) give_up(errno);
    ask_may_come(); /* the supervisor hands it on from our hello on */
    if (connect(fd, (struct sockaddr *)&to, size)) nobody_listens(name);
    if (!is_of_us(fd) || send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        _exit(EXIT_SYSTEM); /* it has gone already */
    take_streams(fd);
    watch_supervisor(fd);
}

bool
ranks_supervised(void)
{
    return ranks.supervisor >= 0;
}

void
ranks_answer_by(void (*fn)(struct rank_news *news))
{
    atomic_store(&ranks.answer, fn);
}

static void
tell_supervisor(int code, bool ends_all)
{
    struct rank_word end = {RANK_END, rank_by_launcher(), code, ends_all};
    if (ranks.supervisor >= 0)
        send(ranks.supervisor, &end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- beginning ---- */

void
ranks_begin(void)
{
    pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a killed launcher leaves no orphans */
    if (getppid() != parent) _exit(EXIT_SYSTEM);
    ranks_speak_up();
    if (!rank_by_launcher()) return;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC); /* launchers give stdin to rank 0 only */
    if (null >= 0) dup2(null, STDIN_FILENO);
    if (null > STDERR_FILENO) close(null);
}

/* A rank that goes ends the others at once, by mpiexec: they may not have written all yet. */
static void
await_end(void)
{
    char c;
    while (recv(ranks.supervisor, &c, 1, 0) > 0) continue;
}

static void on_leave(int code, bool late);

/* What has failed within MPI cannot end in good order: others might wait for it there. */
static void
host_fail(const char *text)
{
    ranks.orderly = false;
    fault_at_leave(on_leave);
    fault_begin(F_RUN12, LUNA_NONE, "%s", text);
    fault_end(EXIT_SYSTEM);
}

/* Another rank ends the run: not in good order, MPI_Finalize would wait for it. */

static void
host_leave(int code)
{
    fault_forget_leave(on_leave);
    fflush(stdout);
    _exit(code);
}

/* fault_leave() calls it: the others must end too. `late`: from a signal handler, MPI may be in any
 * state. */
static void
on_leave(int code, bool late)
{
    if (ranks.orderly && !late) {
        ranks_end(code);
        return;
    }
    tell_supervisor(code, true);
    if (ranks.interrupted) await_end();
    if (late || ranks.supervisor >= 0 || !ranks.net) return; /* the supervisor ends all */
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDERR_FILENO); /* what is to be said has been said */
    /* The launcher ends all at once, with what it has not yet forwarded of our output. */
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    ranks.mpi->abort(ranks.net, code);
}

static void
refuse(const char *text)
{
    if (!rank_by_launcher()) fprintf(stderr, "luna: error: %s\n", text);
}

/* What lies below MPICH (UCX) reads its environment while it is loaded. What the user has set
 * stays. */
static void
prepare_environment(void)
{
    int here = number_of("MPI_LOCALNRANKS", 0);
    if (here > 0 && here == number_of("PMI_SIZE", 0)) setenv("UCX_TLS", "posix,self,cma", 0);
    setenv("UCX_LOG_FILE", "stderr", 0);   /* stdout is the program's */
    setenv("UCX_HANDLE_ERRORS", "none", 0); /* crashes are ours to tell */
    setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
}

static const struct transport_mpi *
open_module(const char *home)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/lib/luna/luna_mpi.so", home);
    if (access(path, F_OK)) {
        refuse("this build of luna has no MPI: nodes cannot be ranks");
        refuse("hint: install MPICH (libmpich-dev), then build luna again; "
               "or run many nodes in one process: luna run -n N without mpiexec");
        return NULL;
    }
    prepare_environment();
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI opens modules of its own */
    const struct transport_mpi *mpi = module ? dlsym(module, TRANSPORT_MPI_SYMBOL) : NULL;
    if (!mpi) {
        const char *why = dlerror();
        refuse(why ? why : "luna_mpi.so is damaged");
    } else if (strcmp(mpi->version, LUNA_VERSION)) {
        refuse("luna_mpi.so is of another version of luna; install luna again");
        mpi = NULL;
    }
    return mpi;
}

/* As much as the machine has; memory is taken as it is used. LUNA_COMMONS=0: nothing is shared. */
static struct commons_ticket
host_commons(int index)
{
    const char *off = getenv("LUNA_COMMONS");
    if (off && !strcmp(off, "0")) index = -1;
    return commons_open(index, (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
}

/* Of all on a host that see it one tells it: who gets the name, which goes with the process. */
static bool
is_teller(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "luna-ended-%d", (int)getppid());
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    return !bind(fd, (struct sockaddr *)&at, size) || errno != EADDRINUSE;
}

/* We are in MPI_Init, and would stay there. Who tells it ends all, when mpiexec has forwarded it,
 * and keeps the name until mpiexec ends him too. */
static void
sibling_ended(int n, int of)
{
    enum { KILLED_SECONDS = 5 };
    bool first = is_teller();
    if (first)
        fprintf(stderr,
                "luna: error: %d of the %d processes that were started on this host %s ended "
                "without joining the others\n"
                "hint: start all ranks with the same command, options and arguments\n",
                n, of, n == 1 ? "has" : "have");
    nanosleep(&(struct timespec){.tv_nsec = first ? 100000000 : 900000000}, NULL);
    manager_abort(EXIT_USAGE);
    sleep(KILLED_SECONDS);
    _exit(EXIT_USAGE);
}

int
ranks_join(const char *home)
{
    static const struct transport_host host = {.packet_new = packet_new,
                                               .packet_free = packet_free,
                                               .block_new = block_new,
                                               .block_release = block_release,
                                               .block_lend = block_lend,
                                               .block_borrow = block_borrow,
                                               .block_tidy = block_tidy,
                                               .commons_open = host_commons,
                                               .commons_join = commons_join,
                                               .commons_decide = commons_decide,
                                               .fail = host_fail,
                                               .leave = host_leave};
    int code = EXIT_SYSTEM;
    const char *why;
    fault_at_leave(on_leave); /* also for what fails on the way: it has been told */
    if (!(ranks.mpi = open_module(home))) goto fail;
    bool first_here = !number_of("MPI_LOCALRANKID", number_of("SLURM_LOCALID", 0));
    int sweeper = first_here ? sweep_begin() : -1;
    if (!supervisor_name()) siblings_watch(sibling_ended, number_of("MPI_LOCALNRANKS", 0));
    ranks.net = ranks.mpi->open(&host, &why, &code);
    siblings_joined();
    sweep_end(sweeper);
    if (!ranks.net) {
        refuse(why);
        goto fail;
    }
    static char room[32 << 10];
    setvbuf(stdout, room, _IOLBF, sizeof room); /* lines stay whole; MPICH has made it unbuffered */
    return 0;
fail:
    tell_supervisor(code, false);
    return code;
}

bool
ranks_on(void)
{
    return ranks.net != NULL;
}

int
ranks_number(void)
{
    return ranks.net ? ranks.net->node : 0;
}

int
ranks_count(void)
{
    return ranks.net ? ranks.net->nodes : 1;
}

struct transport *
ranks_transport(void)
{
    return ranks.net;
}

/* ---- one program on all ---- */

struct program_word { /* what rank 0 tells before the object */
    char version[32];
    int32_t code;
    uint32_t abi;
    uint64_t size, hash;
};

static void
other_program(const char *what)
{
    fault_begin(F_RUN12, LUNA_NONE, "rank %d runs another %s than rank 0", ranks_number(), what);
    fault_hint("start the same file on all ranks, from the same installation");
    fault_end(EXIT_SYSTEM);
}

static void
bcast_word(struct program_word *w)
{
    snprintf(w->version, sizeof w->version, "%s", LUNA_VERSION);
    w->abi = LUNA_ABI;
    ranks.mpi->bcast(ranks.net, w, sizeof *w);
    if (strcmp(w->version, LUNA_VERSION) || w->abi != LUNA_ABI) other_program("version of luna");
}

int
ranks_bcast_object(int code, struct buf *object)
{
    struct program_word w = {.code = code, .size = object->size};
    bcast_word(&w);
    if (w.code) return w.code;
    if (!w.size) other_program("program"); /* a built one, which has no object to send */
    if (ranks_number()) {
        char *room = malloc(w.size);
        if (!room) fault_nomem();
        ranks.mpi->bcast(ranks.net, room, w.size);
        buf_add(object, room, w.size);
        free(room);
        if (object->failed) fault_nomem();
    } else {
        ranks.mpi->bcast(ranks.net, object->data, w.size);
    }
    return 0;
}

void
ranks_check_program(const struct luna_program *p)
{
    struct program_word w = {.hash = p->hash};
    bcast_word(&w);
    if (w.hash != p->hash) other_program("program");
}

int
ranks_agree(int code)
{
    ranks.mpi->bcast(ranks.net, &code, sizeof code);
    return code;
}

void
ranks_meet(void)
{
    if (ranks.net) ranks.mpi->meet(ranks.net);
}

/* ---- after the run ---- */

void
ranks_sum(uint64_t *v, size_t n)
{
    if (ranks.net) ranks.mpi->sum(ranks.net, v, n);
}

char *
ranks_gather(const void *bytes, size_t size, size_t *total)
{
    return ranks.mpi->gather(ranks.net, bytes, size, total);
}

void
ranks_bcast(void *bytes, size_t size)
{
    if (ranks.net) ranks.mpi->bcast(ranks.net, bytes, size);
}

int64_t
ranks_clock_ask(int other)
{
    return ranks.mpi->clock_ask(ranks.net, other);
}

void
ranks_clock_tell(int other)
{
    ranks.mpi->clock_tell(ranks.net, other);
}

void
ranks_orderly(void)
{
    ranks.orderly = true;
}

int
ranks_end(int code)
{
    if (!ranks.net) return code;
    fault_forget_leave(on_leave);
    code = fault_output(code);
    tell_supervisor(code, false);
    ranks.mpi->close(ranks.net, code);
    return code;
}

void
ranks_speak_up(void)
{
    if (ranks_started() && ranks.supervisor < 0) meet_supervisor();
}

void
ranks_give_up(int code)
{
    if (ranks.net) fault_leave(code);
    tell_supervisor(code, true);
}
