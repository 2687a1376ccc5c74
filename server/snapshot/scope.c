#include "server/snapshot/scope.h"

#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "proto/quant.h"

#include <stdlib.h>
#include <string.h>

#define HYSTERESIS_PARTS 10 /* a body leaves a tenth of the reach outside of the area */
#define COLUMNS_MAX 8

struct sv_scope *
sv_scope_create(const struct wire_interest *interest)
{
    struct sv_scope *scope = calloc(1, sizeof(*scope));
    if (scope != NULL) {
        scope->interest = *interest;
    }
    return scope;
}

void
sv_scope_destroy(struct sv_scope *scope)
{
    if (scope != NULL) {
        wire_state_unref(scope->shown_last[0]);
        wire_state_unref(scope->shown_last[1]);
        sv_attributes_unref(scope->attributes);
        wire_contacts_unref(scope->contacts_last);
        free(scope->taken);
        free(scope->seen);
        free(scope->lives);
        free(scope);
    }
}

/* ---- the scene ---- */

static unsigned
look_at(const struct sv_scope *scope, const struct wire_scene *scene, int body)
{
    const struct wire_interest *interest = &scope->interest;
    unsigned seen = wire_scene_body_is_relevant(scene, body) ? SV_SEEN_RELEVANT : 0;
    for (int i = 0; i < interest->tag_count; i++) {
        seen |= wire_scene_body_has_tag(scene, body, interest->tags[i]) ? SV_SEEN_TAGGED : 0;
    }
    return seen;
}

/* The stored data of a slot, if it still holds the same body. */
static unsigned
still_inside(const struct sv_scope *scope, int body, uint8_t life)
{
    bool is_same = body < scope->slot_count && scope->lives[body] == life;
    return is_same ? scope->seen[body] & SV_SEEN_INSIDE : 0;
}

bool
sv_scope_look(struct sv_scope *scope, const struct wire_scene *scene,
    const struct cn_world *world, uint32_t generation, uint32_t series)
{
    int body_count = cn_world_body_count(world);
    if (scope->generation == generation && scope->slot_count == body_count) {
        return true;
    }
    uint8_t *seen = calloc((size_t)body_count + 1, 1), *lives = calloc((size_t)body_count + 1, 1);
    if (seen == NULL || lives == NULL) {
        free(seen);
        free(lives);
        return false;
    }
    for (int i = 0; i < body_count; i++) {
        struct cn_body_view body;
        cn_world_body_state(world, i, &body);
        lives[i] = (uint8_t)body.generation;
        unsigned inside = scope->series == series ? still_inside(scope, i, lives[i]) : 0;
        seen[i] = (uint8_t)(look_at(scope, scene, i) | inside);
    }
    free(scope->seen);
    free(scope->lives);
    scope->seen = seen;
    scope->lives = lives;
    scope->slot_count = body_count;
    scope->generation = generation;
    scope->has_center = scope->has_center && scope->series == series;
    scope->series = series;
    return true;
}

/* ---- the area ---- */

static void
set_center(struct sv_scope *scope, cn_vec3 center, double steps)
{
    scope->center[0] = wire_quantise_by(center.x, steps);
    scope->center[1] = wire_quantise_by(center.y, steps);
    scope->center[2] = wire_quantise_by(center.z, steps);
    scope->has_center = true;
}

/* Computes the present place of the area, in this state's quanta. */
static void
place_area(
    struct sv_scope *scope, const struct cn_world *world, const struct wire_state *whole)
{
    const struct wire_interest *interest = &scope->interest;
    double steps = 1.0 / whole->precision.position;
    const double reach[3] = {interest->reach.x, interest->reach.y, interest->reach.z};
    for (int i = 0; i < 3; i++) {
        int64_t quanta = (int64_t)(reach[i] * steps + 0.5), more = quanta / HYSTERESIS_PARTS;
        scope->is_bounded[i] = reach[i] > 0.0;
        scope->reach[i] = quanta;
        scope->far[i] = quanta + (more > 0 ? more : 1);
    }
    if (interest->around == WIRE_AROUND_POINT) {
        set_center(scope, interest->point, steps);
    } else if (interest->body < (uint32_t)cn_world_body_count(world)) {
        struct cn_body_view body;
        cn_world_body_state(world, (int)interest->body, &body);
        if (!body.absent) {
            set_center(scope, body.position, steps);
        }
    }
}

static bool
is_within(const struct sv_scope *scope, const struct wire_state *whole, int entry,
    const int64_t bound[3])
{
    const int64_t at[3] = {whole->x[entry], whole->y[entry],
        whole->is_spatial ? whole->z[entry] : 0};
    for (int i = 0; i < 3; i++) {
        int64_t away = at[i] - scope->center[i];
        if (scope->is_bounded[i] && (away > bound[i] || -away > bound[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the part ---- */

/* Marks the bodies in the area in `taken`; returns their number. */
static int
choose_bodies(struct sv_scope *scope, const struct wire_state *whole)
{
    CN_ASSERT(scope->taken_capacity >= whole->count);
    bool has_area = scope->interest.around != WIRE_AROUND_NOTHING && scope->has_center;
    int count = 0;
    for (int i = 0; i < whole->count; i++) {
        CN_ASSERT(whole->body[i] < (uint32_t)scope->slot_count);
        uint8_t *seen = &scope->seen[whole->body[i]];
        bool was_inside = (*seen & SV_SEEN_INSIDE) != 0;
        bool is_inside =
            has_area && is_within(scope, whole, i, was_inside ? scope->far : scope->reach);
        *seen = (uint8_t)((*seen & ~SV_SEEN_INSIDE) | (is_inside ? SV_SEEN_INSIDE : 0));
        if (*seen != 0) {
            scope->taken[count++] = i;
        }
    }
    return count;
}

static int
columns_of(const struct wire_state *state, int32_t *column[COLUMNS_MAX])
{
    column[0] = state->x;
    column[1] = state->y;
    column[2] = state->is_spatial ? state->z : state->angle;
    column[3] = state->turn_a;
    column[4] = state->turn_b;
    column[5] = state->turn_c;
    return state->is_spatial ? 6 : 3;
}

/* The chosen entries of `whole`, as a separate state. */
static struct wire_state *
part_of(const struct wire_state *whole, const int32_t *taken, int count)
{
    struct wire_state *part = wire_state_create(count, whole->is_spatial);
    if (part == NULL) {
        return NULL;
    }
    wire_state_describe(part, whole);
    int32_t *to[COLUMNS_MAX], *from[COLUMNS_MAX];
    int column_count = columns_of(part, to);
    columns_of(whole, from);
    for (int c = 0; c < column_count; c++) {
        for (int k = 0; k < count; k++) {
            to[c][k] = from[c][taken[k]];
        }
    }
    for (int k = 0; k < count; k++) {
        int i = taken[k];
        part->body[k] = whole->body[i];
        if (whole->is_spatial) {
            part->turn_largest[k] = whole->turn_largest[i];
        }
        if (wire_state_sleeps(whole, i)) {
            part->asleep[k / 8] |= (uint8_t)(1u << k % 8);
            part->asleep_count++;
        }
    }
    part->has_every_body = count == 0 || part->body[count - 1] == (uint32_t)count - 1;
    part->view_hash = wire_state_hash(part);
    return part;
}

struct wire_state *
sv_scope_take(struct sv_scope *scope, const struct cn_world *world, struct wire_state *whole)
{
    if (!scope->interest.is_part) {
        return wire_state_ref(whole);
    }
    if (scope->taken_capacity < whole->count) {
        int32_t *taken = realloc(scope->taken, (size_t)whole->count * sizeof(taken[0]));
        if (taken == NULL) {
            return NULL;
        }
        scope->taken = taken;
        scope->taken_capacity = whole->count;
    }
    if (scope->interest.around != WIRE_AROUND_NOTHING) {
        place_area(scope, world, whole);
    }
    int count = choose_bodies(scope, whole);
    return part_of(whole, scope->taken, count);
}

void
sv_scope_showed(struct sv_scope *scope, struct wire_state *state_take)
{
    wire_state_unref(scope->shown_last[1]);
    scope->shown_last[1] = scope->shown_last[0];
    scope->shown_last[0] = state_take;
}
