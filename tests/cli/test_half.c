/* test_half.c - no half of a file or a folder is left, however the process ends. */
#include "apps/luna/common/half.h"
#include "tests/lib/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char part[] = "test_half.part";

static void
make_file(const char *path)
{
    FILE *f = fopen(path, "w");
    CHECK(f);
    fclose(f);
}

/* More entries than are read at once. */
static void
make_folder(void)
{
    char name[64];
    CHECK(!mkdir(part, 0777) && !mkdir("test_half.part/in", 0777));
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%s/%sfile-%05d", part, i % 2 ? "in/" : "", i);
        make_file(name);
    }
    CHECK(!symlink("../test_half.beside", "test_half.part/link"));
}

TEST(what_is_half_goes)
{
    CHECK(!mkdir("test_half.beside", 0777));
    make_file("test_half.beside/file");
    half_begins(part);
    make_file(part);
    half_is_over();
    CHECK(access(part, F_OK));
    half_begins(part);
    make_folder();
    half_is_over();
    CHECK(access(part, F_OK));
    CHECK(!access("test_half.beside/file", F_OK));
    half_begins("test_half.beside");
    half_is_over();
}

TEST(what_is_whole_stays)
{
    half_begins(part);
    make_folder();
    CHECK(!rename(part, "test_half.whole"));
    half_is_over();
    CHECK(!access("test_half.whole/in/file-00299", F_OK));
    half_begins("test_half.whole");
    half_is_over();
}

TEST(a_signal_leaves_nothing)
{
    int status;
    pid_t child = fork();
    if (!child) {
        half_begins(part);
        make_folder();
        raise(SIGTERM);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CHECK(access(part, F_OK));
}

TEST_MAIN(T(what_is_half_goes), T(what_is_whole_stays), T(a_signal_leaves_nothing))
