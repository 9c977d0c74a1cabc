/* diffuse.c - the surplus of a centre, split by what its neighbours lack. */
#include "balance.h"

/* What one unit of speed should have in this group. */
static double
average_of(struct balance_node centre, const struct balance_node *neighbour, int n)
{
    double load = centre.load, speed = centre.speed;
    for (int i = 0; i < n; i++) {
        load += neighbour[i].load;
        speed += neighbour[i].speed;
    }
    return load / speed;
}

/* How far a node is above its part; below: negative. */
static double
surplus_of(struct balance_node node, double average)
{
    return node.load - average * node.speed;
}

void
balance_diffuse(const struct balance_rule *rule, struct balance_node centre,
                const struct balance_node *neighbour, int n, double *quota)
{
    double average = average_of(centre, neighbour, n), lack = 0;
    double surplus = surplus_of(centre, average);
    bool gives = surplus > rule->threshold * average * centre.speed;
    for (int i = 0; i < n; i++) {
        double below = -surplus_of(neighbour[i], average);
        quota[i] = gives && below > 0 ? below : 0;
        lack += quota[i];
    }
    for (int i = 0; i < n; i++)
        if (quota[i] > 0) quota[i] *= surplus * rule->share / lack;
}

double
balance_limit(double quota, struct balance_node centre, const struct balance_node *neighbour, int n,
              int to)
{
    double average = average_of(centre, neighbour, n);
    double surplus = surplus_of(centre, average), lack = -surplus_of(neighbour[to], average);
    double most = surplus < lack ? surplus : lack;
    if (quota > most) quota = most;
    return quota > 0 ? quota : 0;
}
