/* topo.h - the cores we were given: how many, and binding of workers to them. */
#ifndef LUNA_RUNTIME_TOPO_H
#define LUNA_RUNTIME_TOPO_H

#include <pthread.h>
#include <stdbool.h>

/* Cores this process may use: the cpuset it was started with, not those of the machine. */
int  topo_cores(void);
/* Tells how many workers there will be on our cores, and which of all workers of the run is the
 * first there; finds a core for each if they are to be bound. */
void topo_open(int workers, int first);
/* Binds the calling thread, a worker by its number in the run, to a core of its own, cores before
 * hardware threads. Nothing happens when there are more workers than cores. */
void topo_bind_worker(int number);
/* Starts a worker's thread, bound to its core before it begins: else the system may put it behind
 * the thread that starts it, where it waits for a core only to leave it. 0, or an error code. */
int  topo_start_worker(pthread_t *thread, void *(*run)(void *), void *who, int number);
/* More workers than cores: waiting must yield at once. */
bool topo_oversubscribed(void);

#endif
