/* amount.h - bytes and times as people read them: 1.33 MiB, 50.00 ms. */
#ifndef LUNA_BASE_AMOUNT_H
#define LUNA_BASE_AMOUNT_H

struct amount {
    char text[32];
};

struct amount amount_bytes(double bytes);
struct amount amount_time(double seconds);

/* The unit for amounts up to `max`: its name, and how much one of it is. */
struct amount_unit {
    const char *name;
    double one;
};
struct amount_unit amount_unit_of_bytes(double max);
struct amount_unit amount_unit_of_time(double max); /* seconds */

#endif
