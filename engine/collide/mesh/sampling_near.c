/*
 * sampling_near.c: selects by lanes the samples of two meshes that may be near each other's
 * surface.
 *
 * Floats say which samples may be nearer than `limit`; doubles decide (sampling.c).  The rounding
 * of floats is added to the limits, so no near sample is left out.
 *
 * Outside the grid's box lanes add the distance to the box's nearest point q and phi there.  The
 * box is convex, so the angle at q between the point and the surface is at least a right angle.
 * The sum is therefore at most sqrt(2) times the distance.
 */
#include "engine/collide/mesh/sampling_near.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh_look.h"
#include "engine/math/scalar.h"

#include <math.h>

#define BENT 1.4143    /* sqrt(2), rounded up */
#define ROUNDING 1e-5  /* largest part of the summed lengths that floats may lose */

#define LIKE_NORMALS 0.8F /* cosine above which two normals are similar */

/* One of the meshes, and the transform of its frame into the other's. */
struct side {
    const struct cn_mesh *mesh;
    struct cn_mesh_turn turn, ahead;
    float limit, near; /* for its points in the other's distance; includes rounding [m] */
};

/* Patches that may be near, and their positions in the other's frame. */
struct near_patches {
    int count;
    uint8_t patch[CN_MESH_PATCHES_MAX];
    struct cn_mesh_room room;
};

/* Samples that may be chosen, in the first mesh's frame, ahead. */
struct choices {
    int count;
    float gap[CN_CHOICES_MAX];
    cn_four place[CN_CHOICES_MAX], normal[CN_CHOICES_MAX]; /* from first to second */
    struct cn_choice choice[CN_CHOICES_MAX];
};

/* The receiver of samples within the limit: they are taken, or become choices. */
struct finder {
    const struct cn_fast_mesh_kernel *kernel;
    cn_sampling_take *take;
    void *context;
    struct choices *choices; /* NULL: samples are taken */
    struct side side[2];
    struct cn_mesh_room around; /* the room of the whole second mesh, in the first one's frame */
};

static void
put_vec3(float to[3], cn_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

/* The least distance from the surface to the sides of a field's box. */
static double
padding_of(const struct cn_mesh *mesh)
{
    const struct cn_field *field = &mesh->field;
    cn_vec3 low = cn_vec3_sub(mesh->bounds.low, field->origin);
    cn_vec3 size = cn_vec3_make(field->spacing * (field->count[0] - 1),
        field->spacing * (field->count[1] - 1), field->spacing * (field->count[2] - 1));
    cn_vec3 high = cn_vec3_sub(cn_vec3_add(field->origin, size), mesh->bounds.high);
    return cn_min(cn_min(cn_min(low.x, low.y), low.z), cn_min(cn_min(high.x, high.y), high.z));
}

static struct cn_mesh_turn
turn_of(const cn_pose *pose)
{
    struct cn_mesh_turn turn;
    put_vec3(turn.axis[0], pose->rotation.cx);
    put_vec3(turn.axis[1], pose->rotation.cy);
    put_vec3(turn.axis[2], pose->rotation.cz);
    put_vec3(turn.origin, pose->position);
    return turn;
}

static float
widen_limit(double limit, double padding, double size)
{
    return (float)((limit < padding ? limit : BENT * limit) + ROUNDING * (size + limit));
}

/* The middle of a rotated box, and its extent along the axes. */
static void
turn_box(const cn_aabb *box, const cn_pose *pose, cn_vec3 *middle, cn_vec3 *reach)
{
    const cn_mat33 *R = &pose->rotation;
    cn_vec3 half = cn_vec3_scale(cn_vec3_sub(box->high, box->low), 0.5);
    *middle = cn_pose_apply(pose, cn_vec3_add(box->low, half));
    *reach = (cn_vec3){
        fabs(R->cx.x) * half.x + fabs(R->cy.x) * half.y + fabs(R->cz.x) * half.z,
        fabs(R->cx.y) * half.x + fabs(R->cy.y) * half.y + fabs(R->cz.y) * half.z,
        fabs(R->cx.z) * half.x + fabs(R->cy.z) * half.y + fabs(R->cz.z) * half.z};
}

/* Whether a rotated box is beyond a side of the other box, by more than the limit. */
static bool
is_beyond(const cn_aabb *box, const cn_pose *pose, const cn_aabb *other, double limit)
{
    cn_vec3 middle, reach;
    turn_box(box, pose, &middle, &reach);
    reach = cn_vec3_add(reach, cn_vec3_make(limit, limit, limit));
    cn_vec3 low = cn_vec3_sub(other->low, reach), high = cn_vec3_add(other->high, reach);
    return middle.x < low.x || middle.x > high.x || middle.y < low.y || middle.y > high.y ||
           middle.z < low.z || middle.z > high.z;
}

/* The room that contains a rotated box and all that is within the limit of it. */
static struct cn_mesh_room
room_around(const cn_aabb *box, const cn_pose *pose, float limit)
{
    cn_vec3 middle, reach;
    turn_box(box, pose, &middle, &reach);
    cn_four at = {(float)middle.x, (float)middle.y, (float)middle.z, 0.0F};
    cn_four far = {(float)reach.x, (float)reach.y, (float)reach.z, 0.0F};
    far += cn_four_splat(limit);
    return (struct cn_mesh_room){at - far, at + far};
}

bool
cn_sampling_is_clear(const struct cn_sampling_query *query)
{
    const cn_aabb *first = &query->mesh[0]->bounds, *second = &query->mesh[1]->bounds;
    return is_beyond(first, &query->pose[0], second, query->limit) ||
           is_beyond(second, &query->pose[1], first, query->limit);
}

static struct side
side_of(const struct cn_sampling_query *query, int i)
{
    const struct cn_mesh *mesh = query->mesh[i], *in = query->mesh[1 - i];
    const cn_pose *pose = &query->pose[i], *ahead = &query->ahead[i];
    double padding = padding_of(in);
    double size = cn_vec3_length(mesh->bounds.low) + cn_vec3_length(mesh->bounds.high) +
                  cn_vec3_length(in->bounds.low) + cn_vec3_length(in->bounds.high);
    double far = cn_max(cn_vec3_length(pose->position), cn_vec3_length(ahead->position));
    return (struct side){mesh, turn_of(pose), turn_of(ahead),
        widen_limit(query->limit, padding, size + far),
        widen_limit(query->near, padding, size + far)};
}

static struct finder
finder_of(const struct cn_sampling_query *query)
{
    struct finder finder = {
        .kernel = query->kernel, .side = {side_of(query, 0), side_of(query, 1)}};
    finder.around = room_around(&query->mesh[1]->bounds, &query->pose[1], finder.side[0].limit);
    return finder;
}

/* Whether the ball is in the room; its middle is the first three of four numbers at `at`. */
static bool
is_in_room(const struct cn_mesh_room *room, const float *at, float radius)
{
    cn_four place = cn_four_load(at), far = cn_four_splat(radius);
    return (cn_four_bits((place + far >= room->low) & (place - far <= room->high)) & 7) == 7;
}

/* Finds the patches of one mesh that are near in the other's field, among those in a room. */
static void
find_near(const struct finder *finder, int i, const struct cn_mesh_room *room,
    struct near_patches *near)
{
    const struct side *of = &finder->side[i];
    const struct cn_mesh *mesh = of->mesh;
    CN_ASSERT(mesh->patch_count <= CN_MESH_PATCHES_MAX);
    struct cn_mesh_looks looks;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    int size = (int)sizeof(*mesh->patch);
    int count = cn_mesh_within(
        room, mesh->patch, size, 0, mesh->patch_count, true, offset);
    for (int k = 0; k < CN_MESH_LANES_MAX; k++) {
        offset[count + k] = 0;
    }
    finder->kernel->reach(&finder->side[1 - i].mesh->field, &of->turn, mesh->patch, offset, count,
        of->limit, &looks);
    cn_four low = {HUGE_VALF, HUGE_VALF, HUGE_VALF, 0.0F}, high = -low;
    near->count = 0;
    for (int k = 0; k < count; k++) {
        int patch = offset[k] / size;
        bool is_near = !(looks.phi[k] > of->limit);
        cn_four far = cn_four_splat(is_near ? mesh->patch[patch].radius + of->limit : -HUGE_VALF);
        cn_four at = {looks.slope[0][k], looks.slope[1][k], looks.slope[2][k], 0.0F};
        near->patch[near->count] = (uint8_t)patch;
        near->count += is_near;
        low = cn_four_min(at - far, low);
        high = cn_four_max(at + far, high);
    }
    near->room = (struct cn_mesh_room){low, high};
}

/* Samples that wait to be looked up. */
struct batch {
    int count;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
};

static void
pad_batch(struct batch *batch)
{
    CN_ASSERT(0 < batch->count && batch->count <= CN_MESH_BATCH);
    for (int i = 0; i < CN_MESH_LANES_MAX; i++) {
        batch->offset[batch->count + i] = 0;
    }
}

static cn_four
turn_point(const struct cn_mesh_turn *turn, cn_four v)
{
    cn_four x = {turn->axis[0][0], turn->axis[0][1], turn->axis[0][2], 0.0F};
    cn_four y = {turn->axis[1][0], turn->axis[1][1], turn->axis[1][2], 0.0F};
    cn_four z = {turn->axis[2][0], turn->axis[2][1], turn->axis[2][2], 0.0F};
    return (x * cn_four_splat(v[0]) + y * cn_four_splat(v[1])) + z * cn_four_splat(v[2]);
}

static cn_four
unit(cn_four v)
{
    float square = cn_four_dot3(v, v);
    return square > 0.0F ? v * cn_four_splat(1.0F / sqrtf(square)) : v;
}

/* Adds a choice; where there is no room it replaces the shallowest. */
static void
add_choice(struct choices *choices, struct cn_choice choice, float gap, cn_four place,
    cn_four normal)
{
    int at = choices->count;
    CN_ASSERT(0 <= at && at <= CN_CHOICES_MAX);
    if (at == CN_CHOICES_MAX) {
        at = 0;
        for (int i = 1; i < CN_CHOICES_MAX; i++) {
            at = choices->gap[i] > choices->gap[at] ? i : at;
        }
        if (!(gap < choices->gap[at])) {
            return;
        }
    } else {
        choices->count++;
    }
    choices->gap[at] = gap;
    choices->place[at] = place;
    choices->normal[at] = normal;
    choices->choice[at] = choice;
}

/* Handles the samples of a batch that are near now, by `now`, or ahead. */
static void
look_ahead(const struct finder *finder, int i, struct batch *batch, const float *now)
{
    const struct side *of = &finder->side[i];
    const struct cn_mesh_turn *to_first = &finder->side[1].ahead;
    const struct cn_mesh_sample *sample = of->mesh->sample;
    struct cn_mesh_looks looks;
    pad_batch(batch);
    finder->kernel->look(&finder->side[1 - i].mesh->field, &of->ahead, sample, batch->offset,
        batch->count, &looks);
    for (int k = 0; k < batch->count; k++) {
        if (looks.phi[k] > of->near && now[k] > of->near) {
            continue;
        }
        int32_t index = batch->offset[k] / (int)sizeof(*sample);
        const float *at = sample[index].at;
        cn_four place = {at[0], at[1], at[2], 0.0F};
        cn_four slope = {looks.slope[0][k], looks.slope[1][k], looks.slope[2][k], 0.0F};
        if (i == 1) {
            const float *origin = to_first->origin;
            place = turn_point(to_first, place) + (cn_four){origin[0], origin[1], origin[2], 0.0F};
        } else {
            slope = -turn_point(to_first, slope);
        }
        add_choice(finder->choices, (struct cn_choice){i == 1, index}, looks.phi[k], place,
            unit(slope));
    }
}

static void
look_up(const struct finder *finder, int i, struct batch *batch)
{
    struct cn_mesh_looks looks;
    float now[CN_MESH_BATCH];
    const struct side *of = &finder->side[i];
    const struct cn_mesh_sample *sample = of->mesh->sample;
    int count = 0;
    pad_batch(batch);
    finder->kernel->look(&finder->side[1 - i].mesh->field, &of->turn, sample, batch->offset,
        batch->count, &looks);
    for (int k = 0; k < batch->count; k++) {
        if (!(looks.phi[k] <= of->limit)) {
            continue;
        }
        if (finder->choices == NULL) {
            finder->take(finder->context, i == 1, batch->offset[k] / (int)sizeof(*sample));
        } else {
            now[count] = looks.phi[k];
            batch->offset[count++] = batch->offset[k];
        }
    }
    batch->count = count;
    if (count > 0) {
        look_ahead(finder, i, batch, now);
    }
    batch->count = 0;
}

/* Looks up the samples of near patches that are in a room, in the other's field. */
static void
look_at_samples(const struct finder *finder, int i, const struct near_patches *near,
    const struct cn_mesh_room *room)
{
    enum { PART = CN_MESH_BATCH / 2 };
    struct batch batch;
    const struct cn_mesh *mesh = finder->side[i].mesh;
    batch.count = 0;
    for (int k = 0; k < near->count; k++) {
        const struct cn_mesh_patch *patch = &mesh->patch[near->patch[k]];
        if (!is_in_room(room, patch->center, patch->radius)) {
            continue;
        }
        for (int s = 0; s < patch->sample_count; s += PART) {
            int left = patch->sample_count - s;
            if (batch.count > PART) {
                look_up(finder, i, &batch);
            }
            batch.count += cn_mesh_within(room, mesh->sample, (int)sizeof(*mesh->sample),
                patch->sample_first + s, left < PART ? left : PART, false,
                batch.offset + batch.count);
        }
    }
    if (batch.count > 0) {
        look_up(finder, i, &batch);
    }
}

static void
find_samples(const struct finder *finder)
{
    struct near_patches near, other;
    find_near(finder, 0, &finder->around, &near);
    if (near.count == 0) {
        return;
    }
    find_near(finder, 1, &near.room, &other);
    if (other.count == 0) {
        return;
    }
    look_at_samples(finder, 0, &near, &other.room);
    look_at_samples(finder, 1, &other, &near.room);
}

void
cn_sampling_near(const struct cn_sampling_query *query, cn_sampling_take *take, void *context)
{
    struct finder finder = finder_of(query);
    finder.take = take;
    finder.context = context;
    find_samples(&finder);
}

/* Marks the chosen samples: repeatedly the deepest that is not near one chosen before. */
static void
choose_samples(struct choices *choices, float spacing, bool chosen[CN_CHOICES_MAX])
{
    float square = spacing * spacing;
    int deepest = -1;
    for (int i = 0; i < choices->count; i++) {
        chosen[i] = false;
        deepest = deepest < 0 || choices->gap[i] < choices->gap[deepest] ? i : deepest;
    }
    while (deepest >= 0) {
        cn_four place = choices->place[deepest], normal = choices->normal[deepest];
        chosen[deepest] = true;
        choices->gap[deepest] = HUGE_VALF;
        deepest = -1;
        for (int i = 0; i < choices->count; i++) {
            cn_four way = choices->place[i] - place;
            if (cn_four_dot3(way, way) < square &&
                cn_four_dot3(choices->normal[i], normal) > LIKE_NORMALS) {
                choices->gap[i] = HUGE_VALF;
            }
            if (choices->gap[i] < (deepest < 0 ? HUGE_VALF : choices->gap[deepest])) {
                deepest = i;
            }
        }
    }
}

int
cn_sampling_choose(
    const struct cn_sampling_query *query, struct cn_choice choice[CN_CHOICES_MAX])
{
    struct finder finder = finder_of(query);
    struct choices choices;
    bool chosen[CN_CHOICES_MAX];
    int count = 0;
    choices.count = 0;
    finder.choices = &choices;
    find_samples(&finder);
    choose_samples(&choices, (float)query->spacing, chosen);
    for (int i = 0; i < choices.count; i++) {
        if (chosen[i]) {
            choice[count++] = choices.choice[i];
        }
    }
    return count;
}
