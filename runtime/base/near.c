/* near.c - see near.h. */
#include "near.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Nobody mistypes a longer word: it was made by a program. */
enum { WORD_MAX = 40 };

static int
least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static char
lower(char c)
{
    return (char)tolower((unsigned char)c);
}

/* Slips from a to b (restricted Damerau-Levenshtein), where another letter costs `other`. Case
 * costs nothing. Only the last three rows are kept. */
static int
distance(const char *a, int na, const char *b, int nb, int other)
{
    int rows[3][WORD_MAX + 1];
    int *two = rows[0], *one = rows[1], *now = rows[2];
    for (int j = 0; j <= nb; j++) one[j] = j;
    for (int i = 1; i <= na; i++) {
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = least(one[j] + 1, now[j - 1] + 1, one[j - 1] + (x != y ? other : 0));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
                now[j] = least(now[j], now[j], two[j - 2] + 1);
        }
        int *spare = two;
        two = one, one = now, now = spare;
    }
    return one[nb];
}

/* --stats goes on where --stat ends, and --start does not. */
static bool
goes_on(const char *candidate, const char *word)
{
    return candidate && !strncmp(candidate, word, strlen(word));
}

void
near_try(struct near *n, const char *candidate)
{
    bool better = goes_on(candidate, n->word) && !goes_on(n->best, n->word);
    int na = (int)strnlen(n->word, WORD_MAX + 1), nb = (int)strnlen(candidate, WORD_MAX + 1);
    int limit = na < 2 ? 0 : na <= 5 ? 1 : na / 3;
    int nearer = n->best ? n->distance - !better : limit;
    if (nearer < limit) limit = nearer;
    if (na > WORD_MAX || nb > WORD_MAX || na - nb > limit || nb - na > limit) return;
    bool doubled = na == 2 && n->word[0] == n->word[1];
    if (na == 2 && nb < na && !doubled) return; /* one letter is near to nothing else */
    if (!strcmp(n->word, candidate)) return; /* right, so not what was meant instead */
    /* One of two letters replaced is another word: u2 is no u1. */
    int slips = distance(n->word, na, candidate, nb, na == 2 ? 2 : 1);
    if (slips > limit) return;
    n->best = candidate;
    n->distance = slips;
}
