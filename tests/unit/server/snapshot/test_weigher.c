/*
 * test_weigher.c: the weigher against a model that looks at every body for itself: which ones a
 * client has wrongly, how urgent each is, and what it has once the most urgent are as they are now.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/snapshot/scope.h"
#include "server/snapshot/weigher.h"
#include "tests/support/live_blocks.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 60
#define ROUNDS 1500

static const struct wire_precision precision = {1.0 / 4096.0, 1.0 / 8192.0, 1.0 / 2048.0};

struct rig {
    uint64_t random;
    bool is_spatial;
    struct sv_scope *scope;
    struct sv_waits waits;
    struct sv_weigher weigher;
    uint64_t waited[SLOTS]; /* the model's */
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

/* Mostly near 0, sometimes at the edge of a class, sometimes extreme. */
static int32_t
draw_number(struct rig *rig)
{
    static const int32_t edges[] = {3, 4, 5, 39, 40, 41, 42, 409, 410, 4095, 4096, 4097, 100000,
        INT32_MAX, 819, 820, 8192, 8191, 2, 1};
    int32_t number = draw(rig, 3) == 0 ? edges[draw(rig, 20)] : (int32_t)draw(rig, 3);
    return draw(rig, 2) == 0 ? number : -number;
}

static void
draw_entry(struct rig *rig, struct wire_state *state, int i)
{
    state->x[i] = draw_number(rig);
    state->y[i] = draw_number(rig);
    if (rig->is_spatial) {
        state->z[i] = draw_number(rig);
        state->turn_largest[i] = draw(rig, 10) == 0 ? 1 : 0;
        state->turn_a[i] = draw_number(rig);
        state->turn_b[i] = draw_number(rig);
        state->turn_c[i] = draw_number(rig);
    } else {
        state->angle[i] = draw_number(rig);
    }
    if (draw(rig, 3) == 0) {
        state->asleep[i / 8] |= (uint8_t)(1u << i % 8);
        state->asleep_count++;
    }
}

static void
copy_entry(struct wire_state *to, int k, const struct wire_state *from, int i)
{
    to->body[k] = from->body[i];
    to->x[k] = from->x[i];
    to->y[k] = from->y[i];
    if (to->is_spatial) {
        to->z[k] = from->z[i];
        to->turn_largest[k] = from->turn_largest[i];
        to->turn_a[k] = from->turn_a[i];
        to->turn_b[k] = from->turn_b[i];
        to->turn_c[k] = from->turn_c[i];
    } else {
        to->angle[k] = from->angle[i];
    }
    if (wire_state_sleeps(from, i)) {
        to->asleep[k / 8] |= (uint8_t)(1u << k % 8);
        to->asleep_count++;
    }
}

/*
 * A state of the slots in `mask`; bodies that are in `like` often have the same numbers as there.
 */
static struct wire_state *
draw_state(struct rig *rig, uint64_t mask,
    const struct wire_state *like)
{
    int count = 0, k = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        count += (mask >> slot & 1) != 0 ? 1 : 0;
    }
    struct wire_state *state = wire_state_create(count, rig->is_spatial);
    assert_non_null(state);
    state->precision = precision;
    state->tick = 9;
    for (int slot = 0; slot < SLOTS; slot++) {
        int same = -1;
        for (int i = 0; like != NULL && i < like->count; i++) {
            same = like->body[i] == (uint32_t)slot ? i : same;
        }
        if ((mask >> slot & 1) == 0) {
            continue;
        }
        if (same >= 0 && draw(rig, 2) == 0) {
            copy_entry(state, k, like, same);
        } else {
            draw_entry(rig, state, k);
        }
        state->body[k++] = (uint32_t)slot;
    }
    return state;
}

static int
find(const struct wire_state *state, int slot)
{
    for (int i = 0; state != NULL && i < state->count; i++) {
        if (state->body[i] == (uint32_t)slot) {
            return i;
        }
    }
    return -1;
}

/* ---- the model ---- */

static int
class_of(int64_t quanta, double quantum)
{
    int class = 0;
    double bound = 1e-3; /* m, or radians */
    for (int i = 0; i < 4; i++, bound *= 10.0) {
        class += (double)quanta > (double)(int64_t)(bound / quantum) ? 1 : 0;
    }
    return class;
}

static int64_t
away(int32_t a, int32_t b)
{
    return llabs((int64_t)a - b);
}

/* -1: it is right. */
static int
error_of(const struct wire_state *was, int i, const struct wire_state *is, int k)
{
    if (i < 0 || k < 0) {
        return 4;
    }
    const int64_t by[3] = {away(was->x[i], is->x[k]), away(was->y[i], is->y[k]),
        is->is_spatial ? away(was->z[i], is->z[k]) : 0};
    int64_t turns[3] = {0};
    double turn_quantum = precision.angle;
    if (is->is_spatial) {
        if (was->turn_largest[i] != is->turn_largest[k]) {
            return 4;
        }
        turns[0] = away(was->turn_a[i], is->turn_a[k]);
        turns[1] = away(was->turn_b[i], is->turn_b[k]);
        turns[2] = away(was->turn_c[i], is->turn_c[k]);
        turn_quantum = 2.0 * precision.turn;
    } else {
        turns[0] = away(was->angle[i], is->angle[k]);
    }
    int worst = -1;
    for (int c = 0; c < 3; c++) {
        if (by[c] != 0 || turns[c] != 0) {
            int far = class_of(by[c], precision.position);
            int turned = class_of(turns[c], turn_quantum);
            worst = far > worst ? far : worst;
            worst = turned > worst ? turned : worst;
        }
    }
    bool is_other_sleep = wire_state_sleeps(was, i) != wire_state_sleeps(is, k);
    return worst < 0 && is_other_sleep ? 0 : worst;
}

/* 3 in the innermost quarter of the area, 0 in the outermost and beyond. */
static int
nearness(const struct sv_scope *scope, const struct wire_state *now, int k)
{
    if (k < 0 || scope->interest.around == WIRE_AROUND_NOTHING || !scope->has_center) {
        return 0;
    }
    const int64_t at[3] = {now->x[k], now->y[k], now->is_spatial ? now->z[k] : 0};
    int near = 3;
    for (int c = 0; c < 3; c++) {
        for (int part = 1; scope->is_bounded[c] && part <= 3; part++) {
            bool is_beyond = 4 * llabs(at[c] - scope->center[c]) > part * scope->reach[c];
            near = is_beyond && 3 - part < near ? 3 - part : near;
        }
    }
    return near;
}

/* The slots that differ, the most urgent first. */
static int
order_of(struct rig *rig, const struct wire_state *known, const struct wire_state *now,
    int relevant_max, int slots[SLOTS])
{
    int count = 0, relevant = 0, ordered = 0;
    bool is_first[SLOTS] = {false}, is_there[SLOTS] = {false};
    for (int slot = 0; slot < SLOTS; slot++) {
        int i = find(known, slot), k = find(now, slot);
        if (i < 0 && k < 0) {
            continue;
        }
        int error = error_of(known, i, now, k);
        rig->waited[slot] = error < 0 ? 0
            : rig->waited[slot] + 1 + (uint64_t)error + (uint64_t)nearness(rig->scope, now, k);
        is_there[slot] = error >= 0;
        count += error >= 0 ? 1 : 0;
    }
    int all[SLOTS];
    for (int n = 0; n < count; n++) { /* the longest wait, then the lowest slot */
        int best = -1;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (is_there[slot] && (best < 0 || rig->waited[slot] > rig->waited[best])) {
                best = slot;
            }
        }
        is_there[best] = false;
        all[n] = best;
        is_first[best] = relevant < relevant_max &&
            (sv_scope_seen(rig->scope, (uint32_t)best) & SV_SEEN_RELEVANT) != 0;
        relevant += is_first[best] ? 1 : 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < count; n++) {
            if (is_first[all[n]] == (pass == 0)) {
                slots[ordered++] = all[n];
            }
        }
    }
    return count;
}

/* The state that the client knows, with the bodies of `slots` as they are now. */
static struct wire_state *
mix_of(const struct rig *rig, const struct wire_state *known, const struct wire_state *now,
    const int *slots, int count)
{
    struct wire_state *mix = wire_state_create(SLOTS, rig->is_spatial);
    assert_non_null(mix);
    int k = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        bool is_now = false;
        for (int n = 0; n < count; n++) {
            is_now = is_now || slots[n] == slot;
        }
        const struct wire_state *from = is_now ? now : known;
        int i = find(from, slot);
        if (i >= 0) {
            copy_entry(mix, k++, from, i);
        }
    }
    mix->count = k;
    return mix;
}

static void
assert_same(const struct wire_state *found, const struct wire_state *expected)
{
    bool has_every = true;
    assert_int_equal(found->count, expected->count);
    assert_int_equal(found->asleep_count, expected->asleep_count);
    for (int i = 0; i < found->count; i++) {
        assert_int_equal(found->body[i], expected->body[i]);
        assert_int_equal(wire_state_sleeps(found, i), wire_state_sleeps(expected, i));
        has_every = has_every && found->body[i] == (uint32_t)i;
    }
    assert_int_equal(found->has_every_body, has_every);
    assert_int_equal(found->view_hash, wire_state_hash(expected));
    assert_int_equal(found->view_hash, wire_state_hash(found));
}

static void
compare(struct rig *rig, const struct wire_state *known, const struct wire_state *now)
{
    struct sv_weighing weighing;
    int slots[SLOTS], relevant_max = (int)draw(rig, 6);
    assert_true(
        sv_weigh(&weighing, &rig->weigher, &rig->waits, rig->scope, known, now));
    int count = order_of(rig, known, now, relevant_max, slots);
    assert_int_equal(weighing.order_count, count);
    sv_weigh_order(&weighing, rig->scope, relevant_max);
    for (int n = 0; n < count; n++) {
        assert_int_equal(rig->weigher.items[rig->weigher.order[n]].slot, slots[n]);
    }
    struct wire_state *mix = sv_mix_create(&weighing);
    assert_non_null(mix);
    assert_int_equal(mix->tick, now->tick);
    for (int i = 0; i < 4; i++) { /* with a varying number of them */
        int some = (int)draw(rig, (uint64_t)count + 1);
        struct wire_state *expected = mix_of(rig, known, now, slots, some);
        sv_mix(&weighing, mix, some);
        assert_same(mix, expected);
        wire_state_unref(expected);
    }
    sv_mix(&weighing, mix, count);
    assert_same(mix, now);
    wire_state_unref(mix);
}

static void
draw_scope(struct rig *rig)
{
    struct sv_scope *scope = rig->scope;
    scope->interest.around = draw(rig, 2) == 0 ? WIRE_AROUND_NOTHING : WIRE_AROUND_POINT;
    scope->has_center = draw(rig, 4) != 0;
    for (int c = 0; c < 3; c++) {
        scope->is_bounded[c] = draw(rig, 2) == 0;
        scope->center[c] = (int64_t)draw(rig, 50) - 25;
        scope->reach[c] = 4 * (int64_t)(1 + draw(rig, 20));
    }
    for (int slot = 0; slot < SLOTS; slot++) {
        scope->seen[slot] = draw(rig, 4) == 0 ? SV_SEEN_RELEVANT : SV_SEEN_TAGGED;
    }
}

static void
run(bool is_spatial, uint64_t seed)
{
    const struct wire_interest whole = {0};
    long blocks = live_blocks();
    struct rig rig = {.random = seed, .is_spatial = is_spatial};
    rig.scope = sv_scope_create(&whole);
    assert_non_null(rig.scope);
    rig.scope->seen = calloc(SLOTS, 1);
    rig.scope->slot_count = SLOTS;
    struct wire_state *known = NULL;
    uint64_t mask = 0;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t other = draw(&rig, UINT64_C(1) << 30) << 30 | draw(&rig, UINT64_C(1) << 30);
        mask = draw(&rig, 3) == 0 ? other : draw(&rig, 3) == 0 ? mask & other : mask;
        mask = draw(&rig, 40) == 0 ? 0 : draw(&rig, 20) == 0 ? 7 : mask;
        struct wire_state *now = draw_state(&rig, mask, known);
        draw_scope(&rig);
        compare(&rig, known, now);
        if (draw(&rig, 3) == 0) { /* else errors wait longer */
            wire_state_unref(known);
            known = now;
        } else {
            wire_state_unref(now);
        }
        if (draw(&rig, 50) == 0) {
            wire_state_unref(known);
            known = NULL;
        }
    }
    wire_state_unref(known);
    free(rig.waits.waited);
    sv_weigher_finish(&rig.weigher);
    sv_scope_destroy(rig.scope);
    assert_int_equal(live_blocks(), blocks);
}

static void
test_plane(void **state)
{
    (void)state;
    run(false, 1);
}

static void
test_space(void **state)
{
    (void)state;
    run(true, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
