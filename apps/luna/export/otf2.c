/* otf2.c - luna_otf2.so: an archive of OTF2, written by its library. Calls are regions, messages
 * are those of an MPI communicator whose ranks are the nodes. */
#include "apps/luna/export/otf2.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_EVENTS = 1 << 20, CHUNK_DEFS = 4 << 20, TEXT_MAX = 256 };
/* Strings and groups by number; then those of nodes, locations and regions. */
enum { S_EMPTY, S_PROGRAM, S_MACHINE, S_CLASS, S_WORLD, S_MPI, S_FIRST };
enum { G_LOCATIONS, G_WORLD };

struct archive {
    const struct otf2_trace *t;
    OTF2_Archive *a;
    OTF2_GlobalDefWriter *defs;
    uint32_t strings;
    OTF2_ErrorCode bad, cause; /* what was told us; what was told within the library before */
};

static void
check(struct archive *x, OTF2_ErrorCode e)
{
    if (e != OTF2_SUCCESS && x->bad == OTF2_SUCCESS) x->bad = e;
}

static OTF2_FlushType
before_flush(void *who, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)who, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp
after_flush(void *who, OTF2_FileType type, OTF2_LocationRef location)
{
    const struct archive *x = who;
    (void)type, (void)location;
    return x->t->duration;
}

static const OTF2_FlushCallbacks flushing = {before_flush, after_flush};

/* The caller tells what went wrong, once. Further out it has a vaguer name. */
static OTF2_ErrorCode
note_cause(void *who, const char *file, uint64_t line, const char *function, OTF2_ErrorCode e,
           const char *format, va_list args)
{
    struct archive *x = who;
    (void)file, (void)line, (void)function, (void)format, (void)args;
    if (x->cause == OTF2_SUCCESS) x->cause = e;
    return e;
}

/* The library closes an archive well although it could not write all of it. */
static const char *
failure(const struct archive *x)
{
    OTF2_ErrorCode e = x->cause == OTF2_SUCCESS ? x->bad : x->cause;
    return e == OTF2_SUCCESS ? NULL : OTF2_Error_GetDescription(e);
}

static uint64_t
locations(const struct archive *x)
{
    return x->t->nodes * (x->t->workers + 1);
}

/* ---- events ---- */

static void
put_event(struct archive *x, OTF2_EvtWriter *w, const struct otf2_event *e)
{
    switch (e->what) {
    case OTF2_ENTER: check(x, OTF2_EvtWriter_Enter(w, NULL, e->t, e->region)); break;
    case OTF2_LEAVE: check(x, OTF2_EvtWriter_Leave(w, NULL, e->t, e->region)); break;
    case OTF2_SENDS:
        check(x, OTF2_EvtWriter_MpiSend(w, NULL, e->t, e->region, 0, 0, e->bytes));
        break;
    case OTF2_RECEIVES:
        check(x, OTF2_EvtWriter_MpiRecv(w, NULL, e->t, e->region, 0, 0, e->bytes));
        break;
    }
}

/* Also of locations without any: each has its files. */
static void
put_events(struct archive *x)
{
    const struct otf2_event *e = x->t->events, *end = e + x->t->nevents;
    check(x, OTF2_Archive_OpenEvtFiles(x->a));
    for (uint64_t l = 0; l < locations(x) && x->bad == OTF2_SUCCESS; l++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(x->a, l);
        for (; w && e < end && e->location == l; e++) put_event(x, w, e);
        check(x, w ? OTF2_Archive_CloseEvtWriter(x->a, w) : OTF2_ERROR_MEM_FAULT);
    }
    check(x, OTF2_Archive_CloseEvtFiles(x->a));
    check(x, OTF2_Archive_OpenDefFiles(x->a));
    for (uint64_t l = 0; l < locations(x) && x->bad == OTF2_SUCCESS; l++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(x->a, l);
        check(x, w ? OTF2_Archive_CloseDefWriter(x->a, w) : OTF2_ERROR_MEM_FAULT);
    }
    check(x, OTF2_Archive_CloseDefFiles(x->a));
}

/* ---- definitions ---- */

static uint32_t
add_string(struct archive *x, const char *text)
{
    check(x, OTF2_GlobalDefWriter_WriteString(x->defs, x->strings, text));
    return x->strings++;
}

static uint64_t
events_of(const struct archive *x, uint64_t location, size_t *at)
{
    size_t from = *at;
    while (*at < x->t->nevents && x->t->events[*at].location == location) ++*at;
    return *at - from;
}

static void
put_node(struct archive *x, uint64_t n, size_t *at)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "node %llu", (unsigned long long)n);
    check(x, OTF2_GlobalDefWriter_WriteLocationGroup(
                 x->defs, (OTF2_LocationGroupRef)n, add_string(x, text),
                 OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint64_t w = 0; w <= x->t->workers; w++) {
        uint64_t l = n * (x->t->workers + 1) + w;
        if (w < x->t->workers)
            snprintf(text, sizeof text, "worker %llu.%llu", (unsigned long long)n,
                     (unsigned long long)w);
        else
            snprintf(text, sizeof text, "messages of node %llu", (unsigned long long)n);
        check(x, OTF2_GlobalDefWriter_WriteLocation(
                     x->defs, l, add_string(x, text), OTF2_LOCATION_TYPE_CPU_THREAD,
                     events_of(x, l, at), (OTF2_LocationGroupRef)n));
    }
}

static void
put_regions(struct archive *x)
{
    for (uint32_t i = 0; i < x->t->nregions; i++) {
        uint32_t name = add_string(x, x->t->regions[i].name), line = x->t->regions[i].line;
        check(x, OTF2_GlobalDefWriter_WriteRegion(
                     x->defs, i, name, name, S_EMPTY, OTF2_REGION_ROLE_FUNCTION,
                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, S_PROGRAM, line, line));
    }
}

/* The ranks are the locations that have the messages. */
static void
put_communicator(struct archive *x, uint64_t *members)
{
    uint32_t n = (uint32_t)x->t->nodes;
    for (uint32_t i = 0; i < n; i++)
        members[i] = i * (x->t->workers + 1) + x->t->workers;
    check(x, OTF2_GlobalDefWriter_WriteGroup(x->defs, G_LOCATIONS, S_MPI,
                                             OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                             OTF2_GROUP_FLAG_NONE, n, members));
    for (uint32_t i = 0; i < n; i++) members[i] = i;
    check(x, OTF2_GlobalDefWriter_WriteGroup(x->defs, G_WORLD, S_WORLD,
                                             OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                             OTF2_GROUP_FLAG_NONE, n, members));
    check(x, OTF2_GlobalDefWriter_WriteComm(x->defs, 0, S_WORLD, G_WORLD, OTF2_UNDEFINED_COMM,
                                            OTF2_COMM_FLAG_NONE));
}

static void
put_definitions(struct archive *x, uint64_t *members)
{
    size_t at = 0;
    x->defs = OTF2_Archive_GetGlobalDefWriter(x->a);
    if (!x->defs) {
        check(x, OTF2_ERROR_MEM_FAULT);
        return;
    }
    check(x, OTF2_GlobalDefWriter_WriteClockProperties(x->defs, 1000000000, 0,
                                                       x->t->duration + 1,
                                                       OTF2_UNDEFINED_TIMESTAMP));
    static const char *const fixed[] = {[S_EMPTY] = "", [S_MACHINE] = "machine",
                                        [S_CLASS] = "machine", [S_WORLD] = "nodes",
                                        [S_MPI] = "messages"};
    for (int i = 0; i < S_FIRST; i++) add_string(x, i == S_PROGRAM ? x->t->program : fixed[i]);
    check(x, OTF2_GlobalDefWriter_WriteSystemTreeNode(x->defs, 0, S_MACHINE, S_CLASS,
                                                      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint64_t n = 0; n < x->t->nodes; n++) put_node(x, n, &at);
    put_regions(x);
    put_communicator(x, members);
}

static const char *
write_archive(const struct otf2_trace *t, const char *folder)
{
    struct archive x = {.t = t, .bad = OTF2_SUCCESS, .cause = OTF2_SUCCESS};
    uint64_t *members = malloc((t->nodes + 1) * sizeof *members);
    OTF2_Error_RegisterCallback(note_cause, &x);
    x.a = members ? OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS,
                                      CHUNK_DEFS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                  : NULL;
    if (!x.a) {
        free(members);
        return "the archive cannot be opened";
    }
    check(&x, OTF2_Archive_SetFlushCallbacks(x.a, &flushing, &x));
    check(&x, OTF2_Archive_SetSerialCollectiveCallbacks(x.a));
    check(&x, OTF2_Archive_SetCreator(x.a, "luna " LUNA_VERSION));
    put_events(&x);
    put_definitions(&x, members);
    check(&x, OTF2_Archive_Close(x.a));
    free(members);
    return failure(&x);
}

__attribute__((visibility("default")))
const struct otf2_writer luna_otf2_writer = {LUNA_VERSION, write_archive};
