/* test_manager.c - the process is one of those that a manager has started; we are the manager. */
#include "runtime/base/manager.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
    int ours, progressed;
    const char *answer;
} manager;

/* PMI_FD is one end of it. */
static void
begin(void)
{
    int ends[2];
    char number[20];
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    manager.ours = ends[0];
    manager.progressed = 0;
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("PMI_FD", number, 1);
    unsetenv("SLURM_STEP_ID");
}

static void
end(void)
{
    close(atoi(getenv("PMI_FD")));
    if (manager.ours >= 0) close(manager.ours);
    unsetenv("PMI_FD");
}

static void
expect(const char *line)
{
    char got[64] = "";
    ssize_t n = read(manager.ours, got, sizeof got - 1);
    CHECK(n > 0 && !strcmp(got, line), "%s", got);
}

/* After ten calls all others have come. */
static void
progress(void *who)
{
    CHECK(who == &manager);
    if (++manager.progressed != 10) return;
    expect("cmd=barrier_in\n");
    if (manager.answer) {
        CHECK(write(manager.ours, manager.answer, strlen(manager.answer)) > 0);
        return;
    }
    close(manager.ours);
    manager.ours = -1;
}

TEST(all_meet)
{
    begin();
    manager.answer = "cmd=barrier_out rc=0\n";
    CHECK(manager_is_there());
    CHECK(manager_meet(progress, &manager));
    CHECK(manager.progressed >= 10);
    end();
}

TEST(one_that_has_gone_is_not_waited_for)
{
    begin();
    manager.answer = NULL;
    CHECK(!manager_meet(progress, &manager));
    manager_leave();
    end();
    begin();
    manager.answer = "cmd=something_else\n";
    CHECK(!manager_meet(progress, &manager));
    end();
}

static void *
acknowledge(void *who)
{
    static const char words[] = "cmd=finalize_ack\nmore";
    expect("cmd=finalize\n");
    *(bool *)who = write(manager.ours, words, sizeof words - 1) == sizeof words - 1;
    return NULL;
}

TEST(who_leaves_is_heard)
{
    pthread_t thread;
    char rest[8] = "";
    bool written = false;
    begin();
    CHECK(!pthread_create(&thread, NULL, acknowledge, &written));
    manager_leave();
    pthread_join(thread, NULL);
    CHECK(written);
    /* Of what comes behind nothing is taken. */
    ssize_t n = read(atoi(getenv("PMI_FD")), rest, sizeof rest);
    CHECK(n == 4 && !strcmp(rest, "more"), "%s", rest);
    end();
}

TEST(one_that_has_gone_is_known)
{
    begin();
    CHECK(!manager_has_gone());
    close(manager.ours);
    manager.ours = -1;
    CHECK(manager_has_gone());
    end();
    CHECK(!manager_has_gone());
}

TEST(all_are_ended)
{
    begin();
    manager_abort(7);
    expect("cmd=abort exitcode=7\n");
    end();
}

TEST(there_is_none)
{
    begin();
    setenv("SLURM_STEP_ID", "0", 1);
    CHECK(!manager_is_there() && manager_is_srun());
    setenv("MPI_LOCALRANKID", "0", 1); /* mpiexec, in a step of Slurm */
    CHECK(manager_is_there() && !manager_is_srun());
    unsetenv("MPI_LOCALRANKID");
    unsetenv("SLURM_STEP_ID");
    setenv("MPIR_CVAR_PMI_VERSION", "2", 1);
    CHECK(!manager_is_there());
    setenv("MPIR_CVAR_PMI_VERSION", "1", 1);
    CHECK(manager_is_there());
    unsetenv("MPIR_CVAR_PMI_VERSION");
    end();
    CHECK(!manager_is_there());
    setenv("PMI_FD", "", 1);
    CHECK(!manager_is_there());
    unsetenv("PMI_FD");
}

TEST_MAIN(T(all_meet), T(one_that_has_gone_is_not_waited_for), T(who_leaves_is_heard),
          T(one_that_has_gone_is_known), T(all_are_ended), T(there_is_none))
