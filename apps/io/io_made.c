/* io_made.c - the files that io_create has made in this process: of which array, and whether they
 * got their name. Who forgets io_close hears of it when the run has ended. */
#include "io.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct made {
    struct made *next;
    char *path, *name;
    bool open;
} *all, **last = &all;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct made *
find(const char *path)
{
    struct made *m = all;
    while (m && strcmp(m->path, path)) m = m->next;
    return m;
}

static struct made *
add(const char *path, const char *name)
{
    struct made *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    *m = (struct made){.path = strdup(path), .name = strdup(name)};
    if (!m->path || !m->name) {
        free(m->path);
        free(m->name);
        free(m);
        return NULL;
    }
    *last = m;
    last = &m->next;
    return m;
}

bool
luna_io_made(const char *path, const char *name, char *before, size_t room)
{
    pthread_mutex_lock(&lock);
    struct made *m = find(path);
    bool other = m && strcmp(m->name, name);
    if (other) snprintf(before, room, "%s", m->name);
    else if (!m) m = add(path, name);
    if (m && !other) m->open = true;
    pthread_mutex_unlock(&lock);
    return !other;
}

void
luna_io_made_whole(const char *path)
{
    pthread_mutex_lock(&lock);
    struct made *m = find(path);
    if (m) m->open = false;
    pthread_mutex_unlock(&lock);
}

/* At the end of a run that ended well. Another process may have closed it: then it is gone. */
__attribute__((destructor)) static void
tell_open(void)
{
    for (const struct made *m = all; m; m = m->next) {
        char part[PATH_MAX + 8];
        struct stat st;
        snprintf(part, sizeof part, "%s.part", m->path);
        if (!m->open || stat(part, &st)) continue;
        fprintf(stderr,
                "luna: warning: '%s' is not whole, and called '%s': no io_close has ended it\n",
                m->path, part);
    }
}
