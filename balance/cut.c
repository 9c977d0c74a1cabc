/* cut.c - equal parts of a row of loads, and whether to plan at all. */
#include "balance.h"

bool
balance_needed(double most, double least, double cell, double threshold)
{
    return most > (1 + threshold) * least && most - least > cell;
}

/* Sums of the same loads in another order may differ by this part. */
static const double slack = 1e-12;

static double
share_of(const double *share, int k)
{
    return share ? share[k] : 1;
}

void
balance_cut(const double *load, int side, int parts, const double *share, double *at)
{
    double total = 0, before = 0, shares = 0, given = 0;
    for (int i = 0; i < side; i++) total += load[i];
    for (int k = 0; k < parts; k++) shares += share_of(share, k);
    at[0] = 0;
    at[parts] = side;
    for (int k = 1, i = 0; k < parts; k++) {
        given += share_of(share, k - 1);
        double wanted = total * given / shares;
        if (total <= 0) {
            at[k] = side * given / shares;
            continue;
        }
        while (i < side && before + load[i] <= wanted + slack * total) before += load[i++];
        double rest = wanted - before;
        at[k] = i + (i < side && rest > 0 ? rest / load[i] : 0);
    }
}

/* ---- whole places ---- */

/* balance_rows lets parts be so much above the least, to leave them where they were. */
static const double spare = .01;
enum { HALVINGS = 30 };

/* Whether no part need be above its share of `level`; where each begins if all begin as early as
 * that allows. */
static bool
fits(const double *load, int side, int parts, const double *share, double level, int *begin)
{
    int end = side;
    for (int k = parts - 1; k >= 0; k--) {
        double room = level * share_of(share, k);
        int at = end;
        while (at > k && load[at - 1] <= room) room -= load[--at];
        if (at == end) return false;
        begin[k] = end = at;
    }
    return end == 0;
}

/* Nearly the lowest level that fits, with spare. */
static double
level_of(const double *load, int side, int parts, const double *share)
{
    double total = 0, heaviest = 0, shares = 0, least = share_of(share, 0);
    for (int i = 0; i < side; i++) {
        total += load[i];
        if (load[i] > heaviest) heaviest = load[i];
    }
    for (int k = 0; k < parts; k++) {
        shares += share_of(share, k);
        if (share_of(share, k) < least) least = share_of(share, k);
    }
    double low = total / shares, high = low + heaviest / least;
    int begin[parts];
    for (int i = 0; i < HALVINGS; i++) {
        double level = (low + high) / 2;
        if (fits(load, side, parts, share, level, begin)) high = level;
        else low = level;
    }
    return high * (1 + spare);
}

void
balance_rows(const double *load, int side, int parts, const double *share, int *begin)
{
    double level = level_of(load, side, parts, share);
    int first[parts];
    begin[0] = 0;
    if (!fits(load, side, parts, share, level, first)) return; /* a load that is no number */
    for (int k = 1, at = 0; k < parts; at = begin[k++]) {
        double room = level * share_of(share, k - 1);
        int last = at;
        while (last < side - (parts - k) && load[last] <= room) room -= load[last++];
        if (begin[k] > last) begin[k] = last;
        if (begin[k] < first[k]) begin[k] = first[k];
        if (begin[k] <= at) begin[k] = at + 1;
    }
}

int
balance_part(double before, double load, double total, int parts)
{
    if (total <= 0) return 0;
    int part = (int)((before + load / 2) * parts / total);
    return part < parts ? part : parts - 1;
}
