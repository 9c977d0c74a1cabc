/* test_cores.c - ranks with cores of their own, with the same ones, and on several hosts. */
#include "runtime/run/cores.h"
#include "tests/lib/check.h"

#include <stdbool.h>
#include <stdio.h>

static struct cores_of
rank(const char *host, int first, int n)
{
    struct cores_of r = {0};
    snprintf(r.host, sizeof r.host, "%s", host);
    for (int i = 0; i < n; i++) CPU_SET(first + i, &r.set);
    return r;
}

static bool
is(const struct cores_of *all, int n, int self, int ranks, int before)
{
    struct cores_of mine[n];
    struct cores found[n];
    for (int i = 0; i < n; i++) {
        mine[i] = all[i];
        mine[i].rank = i;
    }
    cores_among(mine, n, found);
    return found[self].ranks == ranks && found[self].before == before;
}

TEST(ranks_that_may_use_all_cores_share_them)
{
    struct cores_of all[] = {rank("a", 0, 4), rank("a", 0, 4), rank("a", 0, 4)};
    CHECK(is(all, 3, 0, 3, 0) && is(all, 3, 1, 3, 1) && is(all, 3, 2, 3, 2));
    CHECK(is(all, 1, 0, 1, 0));
}

/* mpiexec -bind-to core, -bind-to socket */
TEST(ranks_that_are_bound_have_their_own)
{
    struct cores_of core[] = {rank("a", 0, 1), rank("a", 1, 1)};
    CHECK(is(core, 2, 0, 1, 0) && is(core, 2, 1, 1, 0));
    struct cores_of socket[] = {rank("a", 0, 8), rank("a", 8, 8), rank("a", 0, 8), rank("a", 8, 8)};
    CHECK(is(socket, 4, 0, 2, 0) && is(socket, 4, 1, 2, 0));
    CHECK(is(socket, 4, 2, 2, 1) && is(socket, 4, 3, 2, 1));
}

TEST(cores_of_another_host_are_others)
{
    struct cores_of all[] = {rank("a", 0, 2), rank("b", 0, 2), rank("a", 0, 2)};
    CHECK(is(all, 3, 0, 2, 0) && is(all, 3, 1, 1, 0) && is(all, 3, 2, 2, 1));
}

TEST_MAIN(T(ranks_that_may_use_all_cores_share_them), T(ranks_that_are_bound_have_their_own),
          T(cores_of_another_host_are_others))
