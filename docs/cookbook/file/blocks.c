/* blocks.c - a matrix of doubles in blocks, and one file of it that NumPy reads. Each block writes
 * its own rows at their place, so no process ever holds the whole matrix. */
#include <luna.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 128 };

static int
opened(const char *name, int flags)
{
    int fd = open(name, flags, 0666);
    if (fd < 0) luna_fail("cannot open %s: %m", name);
    return fd;
}

static void
written(int fd, const void *bytes, size_t n, off_t at)
{
    if (pwrite(fd, bytes, n, at) != (ssize_t)n) luna_fail("cannot write the matrix: %m");
}

/* The head of an .npy file, version 1.0: magic, length of the text, the text, blanks, line end. */
void
create_file(const char *name, int n, luna_df *ready)
{
    char head[HEAD + 1];
    char text[HEAD];
    int length = snprintf(text, sizeof text,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, n);
    memset(head, ' ', HEAD);
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = HEAD - 10;
    head[9] = 0;
    memcpy(head + 10, text, (size_t)length);
    head[HEAD - 1] = '\n';
    int fd = opened(name, O_WRONLY | O_CREAT | O_TRUNC);
    written(fd, head, HEAD, 0);
    close(fd);
    luna_set_int(ready, 1);
}

void
make_block(int side, int i, int j, luna_df *block)
{
    double *u = luna_create(block, sizeof *u * side * side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) u[y * side + x] = 1000 * (i * side + y) + j * side + x;
}

void
write_block(const char *name, int ready, int n, int side, int i, int j, const luna_df *block,
            luna_df *done)
{
    (void)ready; /* it is an input so that the file is there first */
    const double *u = luna_data(block);
    int fd = opened(name, O_WRONLY);
    for (int y = 0; y < side; y++) {
        off_t place = (off_t)(i * side + y) * n + j * side;
        written(fd, u + y * side, sizeof *u * side, HEAD + (off_t)sizeof *u * place);
    }
    close(fd);
    luna_set_int(done, 1);
}

void
say_done(int blocks)
{
    printf("%d blocks written\n", blocks);
}
