/* replay.c - runs a fuzz target on files and folders of files, under any compiler:
 *
 *     replay FILE|FOLDER...           on each
 *     replay -m N FILE|FOLDER...      then on N texts, each made of two of them (mutate.h)
 *     replay -p SEED FILE|FOLDER...   prints one of these texts, and runs nothing
 *
 * What is run is told on stderr before it is. libFuzzer finds inputs; those worth keeping lie in
 * corpus/ and are run by the normal tests. It is a failure, too, if none gets to the end of what is
 * tested. */
#include "must.h"
#include "mutate.h"

#include <dirent.h>
#include <string.h>

enum { FILES_MAX = 4096 };
static struct mutated file[FILES_MAX];
static int files;

static void
read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t room = 1 << 24;
    uint8_t *bytes = malloc(room);
    if (!f || !bytes || files == FILES_MAX) {
        fprintf(stderr, "%s: %s\n", path, f ? "too many" : "cannot be read");
        exit(1);
    }
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    file[files++] = (struct mutated){realloc(bytes, size ? size : 1), size};
}

/* In the order of their names, so that a seed is the same text everywhere. */
static void
read_all(const char *path, void (*then)(const char *path))
{
    struct dirent **entry;
    int n = scandir(path, &entry, NULL, alphasort);
    if (n < 0) then(path);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.') read_all(name, then);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
}

static void
replay_file(const char *path)
{
    read_file(path);
    fprintf(stderr, "%s: %zu bytes\n", path, file[files - 1].size);
    LLVMFuzzerTestOneInput(file[files - 1].bytes, file[files - 1].size);
}

static struct mutated
text_of(uint64_t seed)
{
    const uint64_t n = (uint64_t)files;
    return mutate(&file[seed % n], &file[(seed / n * 31 + seed * 7) % n], seed);
}

int
main(int argc, char **argv)
{
    unsigned long texts = 0, seed = 0;
    int at = 1;
    if (argc > 3 && !strcmp(argv[1], "-m")) texts = strtoul(argv[2], NULL, 10), at = 3;
    else if (argc > 3 && !strcmp(argv[1], "-p")) seed = strtoul(argv[2], NULL, 10), at = 3;
    for (int i = at; i < argc; i++) read_all(argv[i], seed ? read_file : replay_file);
    if (seed && files) {
        struct mutated t = text_of(seed);
        fwrite(t.bytes, 1, t.size, stdout);
        return 0;
    }
    const unsigned long deep = fuzz_deep;
    for (unsigned long s = 1; s <= texts && files; s++) {
        struct mutated t = text_of(s);
        fprintf(stderr, "-p %lu: %zu bytes\n", s, t.size);
        LLVMFuzzerTestOneInput(t.bytes, t.size);
        free(t.bytes);
    }
    printf("%d inputs, %lu of them to the end; %lu made of these, %lu of them to the end\n", files,
           deep, texts, fuzz_deep - deep);
    for (int i = 0; i < files; i++) free(file[i].bytes);
    return !fuzz_deep || (texts && fuzz_deep == deep);
}
