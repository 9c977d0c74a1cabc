/* test_wish.c - the signals that wish for an end have names, and others none. */
#include "runtime/base/wish.h"
#include "tests/lib/check.h"

#include <string.h>

TEST(a_wish_has_a_name)
{
    sigset_t set;
    sigemptyset(&set);
    wish_add(&set);
    for (int sig = 1; sig < SIGRTMIN; sig++) CHECK(!*wish_name(sig) == !sigismember(&set, sig));
    CHECK(!strcmp(wish_name(SIGHUP), "SIGHUP") && !strcmp(wish_name(SIGXCPU), "SIGXCPU"));
    CHECK(!*wish_name(SIGKILL));
}

TEST_MAIN(T(a_wish_has_a_name))
