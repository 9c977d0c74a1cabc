/* list.c - see list.h. */
#include "collectives/perf/list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct listed list[LIST_COUNT] = {
#define PAIR(name, iname, flags)                                                                   \
    [LIST_##name] = {#name, flags}, [LIST_##iname] = {#iname, (flags) | LIST_OVERLAPS},
#define ONE(name, flags) [LIST_##name] = {#name, flags},
    LIST_COLLECTIVES(PAIR) LIST_OTHERS(ONE)
#undef PAIR
#undef ONE
};

enum list_id
list_find(const char *name)
{
    int i = 0;
    while (i < LIST_COUNT && strcasecmp(list[i].name, name)) i++;
    return (enum list_id)i;
}

enum list_id
list_theirs(enum list_id ours)
{
    unsigned flags = list[ours].flags;
    if (!(flags & LIST_OURS)) return ours;
    return list_find(list[ours].name + strlen(flags & LIST_SHM ? "Shm" : "Trig"));
}

/* It is the next in the list. */
enum list_id
list_begun(enum list_id id)
{
    int next = (int)id + 1;
    if (next >= LIST_COUNT || list[id].flags & LIST_OVERLAPS) return LIST_COUNT;
    bool begun = list[next].flags == (list[id].flags | LIST_OVERLAPS);
    return begun ? (enum list_id)next : LIST_COUNT;
}

enum list_id
list_ours(enum list_id theirs)
{
    char name[40];
    if (list[theirs].flags & LIST_OURS) return theirs;
    snprintf(name, sizeof name, "Shm%s", list[theirs].name);
    return list_find(name);
}
