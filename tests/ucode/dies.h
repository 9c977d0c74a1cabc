/* dies.h - for calls that end the run: DIES(call, code, text) runs it in a child process and checks
 * how that ended and what it said. The luna_fail and fault_nomem of a run say more; these say the
 * text. */
#ifndef LUNA_TESTS_DIES_H
#define LUNA_TESTS_DIES_H

#include "tests/lib/check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"), noreturn, format(printf, 1, 2))) void
luna_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fflush(stderr);
    _exit(3); /* what the child leaves behind is no leak */
}

struct luna_df;
__attribute__((noreturn, format(printf, 3, 4))) void
running_fail(const struct luna_df *read, const char *hint, const char *fmt, ...)
{
    va_list ap;
    (void)read, (void)hint;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fflush(stderr);
    _exit(3);
}

bool running_name_df(const struct luna_df *df, char *text, size_t size);

/* No call runs, so no DF is an argument of one. */
bool
running_name_df(const struct luna_df *df, char *text, size_t size)
{
    (void)df, (void)text, (void)size;
    return false;
}

void running_asks_too_much(const struct luna_df *df, size_t n);
void
running_asks_too_much(const struct luna_df *df, size_t n)
{
    (void)df, (void)n; /* who asks is known in a run only */
}

__attribute__((noreturn)) void
fault_nomem(void)
{
    fputs("out of memory", stderr);
    _exit(5);
}

#ifdef __cplusplus
}
#endif

/* In the child, stderr is the pipe. */
static inline void
dies_child(int fd)
{
    dup2(fd, 2);
    close(fd);
}

/* The child's exit code, or 256 + its signal; what it printed is in `text`. */
static inline int
dies_wait(pid_t child, int fd, char *text, size_t room)
{
    size_t n = 0;
    ssize_t got;
    while (n + 1 < room && (got = read(fd, text + n, room - 1 - n)) > 0) n += (size_t)got;
    text[n] = 0;
    close(fd);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

#define DIES(call, code, want)                                                                     \
    do {                                                                                           \
        int fd_[2], code_;                                                                         \
        char text_[4096];                                                                          \
        CHECK(!pipe(fd_), "no pipe");                                                              \
        fflush(NULL);                                                                              \
        pid_t child_ = fork();                                                                     \
        if (!child_) {                                                                             \
            dies_child(fd_[1]);                                                                    \
            (void)(call);                                                                          \
            _exit(0);                                                                              \
        }                                                                                          \
        close(fd_[1]);                                                                             \
        code_ = dies_wait(child_, fd_[0], text_, sizeof text_);                                    \
        CHECK(code_ == (code), "%s: exit %d, said '%s'", #call, code_, text_);                     \
        CHECK_STR(text_, want);                                                                    \
    } while (0)

#endif
