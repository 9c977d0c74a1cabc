/* replay.c - runs a fuzz target on files and folders of files, under any compiler.
 *
 * libFuzzer finds inputs; those worth keeping lie in corpus/ and are run by the normal tests. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    size_t room = 1 << 24;
    uint8_t *bytes = malloc(room);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    /* Of its exact size, so that a sanitizer sees what is read behind it. */
    bytes = realloc(bytes, size ? size : 1);
    fprintf(stderr, "%s: %zu bytes\n", path, size);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static int
replay(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return replay_file(path);
    int n = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char name[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        n += replay(name);
    }
    closedir(dir);
    return n;
}

int
main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) n += replay(argv[i]);
    printf("%d inputs replayed\n", n);
    return n == 0;
}
