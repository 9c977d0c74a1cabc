/* compose.h - an operation for tests of reductions: a wrong order shows. */
#ifndef LUNA_TESTS_COMPOSE_H
#define LUNA_TESTS_COMPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* x -> a x + b, composed: associative, and the order matters. */
static inline void
compose(void *who, void *out, const void *const *in, int n, size_t bytes)
{
    (void)who;
    for (size_t at = 0; at < bytes; at += 16) {
        uint64_t a = 1, b = 0, f[2];
        for (int i = 0; i < n; i++) {
            memcpy(f, (const char *)in[i] + at, 16);
            b += a * f[1];
            a *= f[0];
        }
        f[0] = a;
        f[1] = b;
        memcpy((char *)out + at, f, 16);
    }
}

#endif
