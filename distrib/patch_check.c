/* patch_check.c - are all domains as they should be? */
#include "patch_check.h"

#include "runtime/base/mem.h"

/* All cells during a check: their owners, and which have been seen. */
struct board {
    const struct lattice *cells;
    int nnodes;
    int32_t *owner;
    uint32_t *queue;
    unsigned char *seen, *met; /* per cell; per node: one of its pieces was met */
};

static void
board_fini(struct board *b)
{
    mem_free(b->owner);
    mem_free(b->queue);
    mem_free(b->seen);
    mem_free(b->met);
}

static bool
board_init(struct board *b, const struct lattice *cells, int nnodes)
{
    uint32_t n = lattice_size(cells);
    *b = (struct board){.cells = cells, .nnodes = nnodes};
    b->owner = mem_zalloc(n, sizeof *b->owner);
    b->queue = mem_zalloc(n, sizeof *b->queue);
    b->seen = mem_zalloc(n, 1);
    b->met = mem_zalloc((size_t)nnodes, 1);
    return b->owner && b->queue && b->seen && b->met;
}

/* Marks all cells of the same owner that hang together with `cell`. */
static void
flood(struct board *b, uint32_t cell)
{
    uint32_t head = 0, tail = 0;
    b->seen[cell] = 1;
    b->queue[tail++] = cell;
    while (head < tail) {
        uint32_t c = b->queue[head++];
        for (int s = 0; s < 2 * b->cells->ndims; s++) {
            uint32_t e = lattice_beside(b->cells, c, s);
            if (e == LATTICE_NONE || b->seen[e] || b->owner[e] != b->owner[c]) continue;
            b->seen[e] = 1;
            b->queue[tail++] = e;
        }
    }
}

/* The first flaw, or NULL. */
static const char *
flaw_of(struct board *b)
{
    uint32_t n = lattice_size(b->cells);
    int met = 0;
    for (uint32_t c = 0; c < n; c++) {
        if (b->owner[c] < 0 || b->owner[c] >= b->nnodes)
            return "a cell is given to a node that does not exist";
        if (b->seen[c]) continue;
        if (b->met[b->owner[c]]) return "the cells of a node do not hang together";
        b->met[b->owner[c]] = 1;
        met++;
        flood(b, c);
    }
    return met < b->nnodes ? "a node has no cell" : NULL;
}

enum err
patch_check_start(const struct lattice *cells, int nnodes, int (*owner)(void *who, uint32_t cell),
                  void *who, const char **why)
{
    struct board b;
    enum err e = E_NOMEM;
    if (board_init(&b, cells, nnodes)) {
        for (uint32_t c = 0; c < lattice_size(cells); c++) b.owner[c] = owner(who, c);
        *why = flaw_of(&b);
        e = *why ? E_USER : OK;
    }
    board_fini(&b);
    return e;
}
