/* test_slot.c - each way a slot can go, alone and among many; and threads that put and ask at once:
 * each request is served once, here or where it would have to wait. */
#include "runtime/data/slot.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdint.h>

static const bool alone[] = {true, false};

/* ---- one after the other ---- */

static bool
put(struct slot *s, luna_value v, int32_t uses, bool one)
{
    bool twice = true;
    return slot_put(s, v, uses, one, &twice) && !twice;
}

TEST(a_number_is_kept_for_any)
{
    for (int k = 0; k < 2; k++) {
        struct slot s = {.state = SLOT_EMPTY};
        luna_value v;
        CHECK(put(&s, luna_v_of_real(2.5), SLOT_UNLIMITED, alone[k]));
        for (int n = 0; n < 5; n++) {
            CHECK(slot_take(&s, &v, alone[k]) && v.type == LUNA_REAL && v.w.d == 2.5);
            CHECK(slot_ask(&s, &v, alone[k]) && v.type == LUNA_REAL && v.w.d == 2.5);
        }
        CHECK(slot_state(&s) == SLOT_UNLIMITED);
    }
}

TEST(a_number_is_kept_for_so_many)
{
    for (int k = 0; k < 2; k++) {
        struct slot s = {.state = SLOT_EMPTY};
        luna_value v, old = luna_v_of_int(-1);
        CHECK(put(&s, luna_v_of_int(7), 3, alone[k]));
        CHECK(slot_take(&s, &v, alone[k]) && v.type == LUNA_INT && v.w.i == 7);
        CHECK(slot_state(&s) == 2 && slot_ask(&s, &v, alone[k]) && slot_state(&s) == 1);
        CHECK(slot_take(&s, &v, alone[k]) && v.w.i == 7 && slot_state(&s) == SLOT_GONE);
        CHECK(!slot_take(&s, &old, alone[k]) && !slot_ask(&s, &old, alone[k]));
        CHECK(old.w.i == -1 && slot_state(&s) == SLOT_GONE);
    }
}

TEST(who_asks_first_finds_it_elsewhere)
{
    for (int k = 0; k < 2; k++) {
        struct slot s = {.state = SLOT_EMPTY};
        luna_value v;
        bool twice = true;
        CHECK(!slot_take(&s, &v, alone[k]) && slot_state(&s) == SLOT_EMPTY);
        CHECK(!slot_ask(&s, &v, alone[k]) && slot_state(&s) == SLOT_ELSEWHERE);
        CHECK(!slot_put(&s, luna_v_of_int(1), 1, alone[k], &twice) && !twice);
        CHECK(!slot_ask(&s, &v, alone[k]) && slot_state(&s) == SLOT_ELSEWHERE);
    }
}

TEST(what_is_no_number_or_for_nobody_is_not_kept)
{
    luna_value text = {.type = LUNA_STRING}, bytes = {.type = LUNA_BYTES};
    for (int k = 0; k < 6; k++) {
        struct slot s = {.state = SLOT_EMPTY};
        luna_value v = k < 2 ? text : k < 4 ? bytes : luna_v_of_int(1);
        bool twice = true;
        CHECK(!slot_put(&s, v, k < 4 ? SLOT_UNLIMITED : 0, alone[k % 2], &twice) && !twice);
        CHECK(slot_state(&s) == SLOT_ELSEWHERE && !slot_ask(&s, &v, alone[k % 2]));
    }
}

TEST(a_second_value_is_told_while_the_first_is_here)
{
    for (int k = 0; k < 4; k++) {
        struct slot s = {.state = SLOT_EMPTY};
        luna_value v;
        bool twice = false;
        CHECK(put(&s, luna_v_of_int(1), k < 2 ? SLOT_UNLIMITED : 2, alone[k % 2]));
        CHECK(!slot_put(&s, luna_v_of_int(2), 1, alone[k % 2], &twice) && twice);
        CHECK(slot_take(&s, &v, alone[k % 2]) && v.w.i == 1);
    }
    struct slot s = {.state = SLOT_BUSY}; /* somebody is putting it */
    bool twice = false;
    CHECK(!slot_put(&s, luna_v_of_int(2), 1, false, &twice) && twice);
    s.state = SLOT_GONE; /* forgotten, as in the store */
    CHECK(!slot_put(&s, luna_v_of_int(2), 1, false, &twice) && !twice);
    CHECK(slot_state(&s) == SLOT_GONE);
}

/* ---- at once ---- */

enum { THREADS = 3, SLOTS = CHECK_CASES(200000), PER = 4 /* requests of a thread for each */ };

static struct slot slot[SLOTS];
static atomic_int kept[SLOTS], told[SLOTS], served[SLOTS], sent[SLOTS];
static atomic_int elsewhere[SLOTS]; /* the value was to be put elsewhere */
static atomic_long wrong;

/* How many requests the value of slot i serves; all there are for two of three. */
static int32_t
uses_of(int i)
{
    return i % 3 == 0 ? SLOT_UNLIMITED : i % 3 == 1 ? THREADS * PER : 2;
}

static void
give(int i)
{
    bool twice;
    bool here = slot_put(&slot[i], luna_v_of_int(i), uses_of(i), false, &twice);
    if (here) atomic_fetch_add(&kept[i], 1);
    else if (twice) atomic_fetch_add(&told[i], 1);
    else atomic_fetch_add(&elsewhere[i], 1);
}

static void
ask(int i)
{
    luna_value v = {.type = LUNA_UNSET};
    bool here = i % 2 ? slot_ask(&slot[i], &v, false)
                      : slot_take(&slot[i], &v, false) || slot_ask(&slot[i], &v, false);
    if (here) atomic_fetch_add(&served[i], 1);
    else atomic_fetch_add(&sent[i], 1);
    if (here ? v.type != LUNA_INT || v.w.i != i : v.type != LUNA_UNSET)
        atomic_fetch_add(&wrong, 1);
}

/* All threads go through the slots at about the same time; one of them kept, of every fifth two. */
static void *
hammer(void *who)
{
    int t = (int)(intptr_t)who;
    for (int i = 0; i < SLOTS; i++) {
        for (int n = 0; n < PER; n++) {
            bool first = i % THREADS == t, second = i % 5 == 0 && (i + 1) % THREADS == t;
            if (n == i / THREADS % PER && (first || second)) give(i);
            ask(i);
        }
    }
    return NULL;
}

static bool
adds_up(int i)
{
    int32_t uses = uses_of(i), state = slot_state(&slot[i]);
    int here = atomic_load(&served[i]), gave = i % 5 ? 1 : 2;
    if (here + atomic_load(&sent[i]) != THREADS * PER) return false;
    if (kept[i] + told[i] + elsewhere[i] != gave || kept[i] > 1) return false;
    if (!kept[i]) return state == SLOT_ELSEWHERE && !here && !told[i];
    if (uses == SLOT_UNLIMITED) /* of two values one is told */
        return state == uses && here == THREADS * PER && told[i] == gave - 1;
    return here < uses ? state == uses - here : here == uses && state == SLOT_GONE;
}

TEST(each_request_is_served_once)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < SLOTS; i++) atomic_init(&slot[i].state, SLOT_EMPTY);
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_create(&thread[t], NULL, hammer, (void *)(intptr_t)t));
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    CHECK(!wrong, "%ld", atomic_load(&wrong));
    int all = 0;
    for (int i = 0; i < SLOTS; i++) {
        CHECK(adds_up(i), "slot %d: %d put, %d twice, %d elsewhere, %d served, %d not, state %d",
              i, kept[i], told[i], elsewhere[i], served[i], sent[i], slot_state(&slot[i]));
        all += kept[i];
    }
    CHECK(all, "all have been asked for before");
}

TEST_MAIN(T(a_number_is_kept_for_any), T(a_number_is_kept_for_so_many),
          T(who_asks_first_finds_it_elsewhere), T(what_is_no_number_or_for_nobody_is_not_kept),
          T(a_second_value_is_told_while_the_first_is_here), T(each_request_is_served_once))
