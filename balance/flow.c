/* flow.c - diffusion of second order (Muthukrishnan, Ghosh and Schultz). */
#include "flow.h"

#include <math.h>

/* How slowly the longest wave along a side dies out when a part `push` of each difference moves. */
static double
slowest(double push, int32_t side)
{
    return 1 - 2 * push * (1 - cos(M_PI / side));
}

struct flow_pace
flow_pace(const int32_t nodes[3])
{
    int edges = 0;
    int32_t longest = 1;
    for (int d = 0; d < 3; d++) {
        edges += nodes[d] > 2 ? 2 : nodes[d] - 1;
        if (nodes[d] > longest) longest = nodes[d];
    }
    double push = 1. / (edges + 1), slow = longest > 1 ? slowest(push, longest) : 0;
    return (struct flow_pace){
        .push = push, .again = 2 / (1 + sqrt(1 - slow * slow)) - 1, .rounds = 8 * longest};
}

double
flow_level(const struct flow *f)
{
    return f->load / f->speed;
}

void
flow_round(struct flow *f, const struct flow_pace *p, const double *level, const double *speed,
           int n, int round)
{
    double own = flow_level(f), again = round ? p->again : 0;
    for (int i = 0; i < n; i++) {
        double slower = fmin(f->speed, speed[i]);
        f->last[i] = (1 + again) * p->push * (own - level[i]) * slower + again * f->last[i];
        f->sum[i] += f->last[i];
        f->load -= f->last[i];
    }
}
