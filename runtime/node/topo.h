/* topo.h - the cores we were given: how many, and binding of workers to them. */
#ifndef LUNA_RUNTIME_TOPO_H
#define LUNA_RUNTIME_TOPO_H

#include <stdbool.h>

/* Cores this process may use: the cpuset it was started with, not those of the machine. */
int  topo_cores(void);
/* Tells how many workers there will be; finds a core for each if they are to be bound. */
void topo_open(int workers);
/* Binds the calling thread to core `number` of ours, cores before hardware threads. Nothing happens
 * when there are more workers than cores. */
void topo_bind_worker(int number);
/* More workers than cores: waiting must yield at once. */
bool topo_oversubscribed(void);

#endif
