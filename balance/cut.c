/* cut.c - equal parts of a row of loads, and whether to plan at all. */
#include "balance.h"

bool
balance_needed(double most, double average, double heaviest, double threshold)
{
    return most > (1 + threshold) * average && most - average > heaviest;
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

int
balance_part(double before, double load, double total, int parts)
{
    if (total <= 0) return 0;
    int part = (int)((before + load / 2) * parts / total);
    return part < parts ? part : parts - 1;
}
