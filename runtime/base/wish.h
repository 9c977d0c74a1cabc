/* wish.h - the signals by which somebody wishes that we end: from a keyboard, by kill, because the
 * terminal is gone, or because the CPU time that was allowed is used up. Who is asked by one ends
 * in good order, and as by this signal. */
#ifndef LUNA_BASE_WISH_H
#define LUNA_BASE_WISH_H

#include <signal.h>

enum { WISHES = 4 };
extern const int wish_signal[WISHES];

void wish_add(sigset_t *set);
/* "SIGHUP", or "" for another signal. Signal handlers may ask. */
const char *wish_name(int sig);

#endif
