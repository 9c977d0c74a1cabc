/* price.c - start prices, which every node finds for itself from the loads of the rows of
 * cells, and rounds of prices between neighbours (balance/price.h). */
#include "parts.h"

#include "runtime/base/mem.h"

#include <string.h>

/* ---- rows ---- */

void
planner_rows_fill(struct planner *p)
{
    const int32_t *side = p->here.field.cells;
    uint32_t rows = (uint32_t)(side[0] + side[1] + side[2]);
    uint32_t nodes = (uint32_t)(p->here.line.side[0] + p->here.line.side[1] + p->here.line.side[2]);
    planner_sum_init(p, rows + nodes, 0);
    for (int d = 0; d < PRICE_DIMS; rows += (uint32_t)p->here.line.side[d++])
        p->sum[rows + (uint32_t)p->here.point.at[d]] = p->me.speed;
    for (uint32_t i = 0; p->err == OK && i < p->own.n; i++) {
        const struct planner_item *it = &p->own.at[i];
        struct lattice_point at = lattice_point(&p->set.cells, it->cell);
        double load = planner_weight(p, it->load);
        p->sum[at.at[0]] += load;
        p->sum[side[0] + at.at[1]] += load;
        p->sum[side[0] + side[1] + at.at[2]] += load;
    }
}

/* Where the prices of dimension d begin. */
static double *
row_price(const struct planner *p, int d)
{
    double *at = p->row_price;
    for (int k = 0; k < d; k++) at += p->here.field.nodes[k];
    return at;
}

void
planner_rows_done(struct planner *p)
{
    const int32_t *side = p->here.field.cells;
    const double *load = p->sum, *speed = p->sum + side[0] + side[1] + side[2];
    for (int d = 0; d < PRICE_DIMS; load += side[d], speed += p->here.field.nodes[d++]) {
        double *price = row_price(p, d);
        price_start(&p->here.field, d, load, speed, price);
        for (int i = 0; i <= p->here.nnear; i++)
            p->site[i].price = (d ? p->site[i].price : 0) + price[p->site[i].place[d]];
    }
    p->try.price.value = p->site[0].price;
    int32_t *row = p->row;
    for (int d = 0; d < PRICE_DIMS; row += p->here.field.cells[d++])
        price_rows(&p->here.field, d, row_price(p, d), row);
}

int
planner_row(const struct planner *p, uint32_t cell, int d)
{
    if (planner_hurries(p)) return planner_cut_part(p, cell);
    int32_t at = lattice_point(&p->set.cells, cell).at[d];
    for (int k = 0; k < d; k++) at += p->here.field.cells[k];
    return p->row[at];
}

/* ---- rounds ---- */

void
planner_price_start(struct planner *p)
{
    double wanted = p->all.even * p->me.speed;
    price_adjust(&p->here.field, &p->try.price, p->load, wanted, p->try.price_round);
    p->site[0].price = p->try.price.value;
    p->now.left_in = p->here.nnear;
    for (int i = 0; i < p->here.nnear; i++) {
        planner_open(p, PLANNER_PRICE);
        buf_add(&p->mail.out, &p->try.price.value, sizeof p->try.price.value);
        planner_post(p, p->here.near[i]);
    }
}

void
planner_price_hear(struct planner *p, const struct planner_heard *h)
{
    int i = 0;
    while (i < p->here.nnear && p->here.near[i] != h->from) i++;
    if (i == p->here.nnear || h->n != sizeof p->site[0].price) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    memcpy(&p->site[i + 1].price, h->body, h->n);
    p->now.left_in--;
}

/* Each item with the neighbour it goes to is moved to the end; gives how many stay. */
static uint32_t
choose(struct planner *p, unsigned char *best)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->item.n; i++) {
        struct planner_item it = p->item.at[i];
        struct lattice_point at = lattice_point(&p->set.cells, it.cell);
        int k = price_best(&p->here.field, p->site, p->here.nnear + 1, at.at, p->try.price_round);
        /* The first `kept` stay; those behind them, up to i, go. */
        p->item.at[i] = p->item.at[kept];
        best[i] = best[kept];
        p->item.at[k ? i : kept] = it;
        best[k ? i : kept] = (unsigned char)k;
        kept += !k;
    }
    return kept;
}

void
planner_cells_start(struct planner *p)
{
    unsigned char *best = mem_alloc(p->item.n + 1);
    if (!best) {
        planner_fail(p, E_NOMEM);
        return;
    }
    uint32_t kept = choose(p, best);
    p->now.left_in = p->here.nnear;
    for (int k = 1; k <= p->here.nnear; k++) {
        planner_open(p, PLANNER_CELLS);
        for (uint32_t i = kept; i < p->item.n; i++)
            if (best[i] == k) buf_add(&p->mail.out, &p->item.at[i], sizeof *p->item.at);
        planner_post(p, p->here.near[k - 1]);
    }
    p->item.n = kept;
    p->load = 0;
    for (uint32_t i = 0; i < kept; i++) p->load += planner_weight(p, p->item.at[i].load);
    mem_free(best);
}

void
planner_cells_hear(struct planner *p, const struct planner_heard *h)
{
    uint32_t had = p->item.n;
    if (!p->now.left_in) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    planner_unpack_items(p, &p->item, h->body, h->n);
    for (uint32_t i = had; i < p->item.n; i++) p->load += planner_weight(p, p->item.at[i].load);
    p->now.left_in--;
}
