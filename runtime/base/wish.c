/* wish.c - see wish.h. */
#include "wish.h"

const int wish_signal[WISHES] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
static const char *const names[WISHES] = {"SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU"};

void
wish_add(sigset_t *set)
{
    for (int i = 0; i < WISHES; i++) sigaddset(set, wish_signal[i]);
}

const char *
wish_name(int sig)
{
    for (int i = 0; i < WISHES; i++)
        if (wish_signal[i] == sig) return names[i];
    return "";
}
