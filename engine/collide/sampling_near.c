/*
 * sampling_near.c: which samples of two meshes may be near each other's surface, by lanes.
 *
 * Floats say which samples may be nearer than `limit`; doubles decide (sampling.c).  What floats
 * round is allowed for: nothing that is near is left out.  So the result does not depend on lanes,
 * and hardly on floats.
 *
 * Outside the grid's box lanes take the way to the box's nearest point q and from there phi.  The
 * box is convex, so that the angle at q between the point and the surface is no less than a right
 * one, and that way at most sqrt(2) times the distance.
 */
#include "engine/collide/sampling_near.h"

#include "engine/collide/fast_spatial_mesh_inside.h"
#include "engine/math/scalar.h"

#include <math.h>

#define BENT 1.4143    /* sqrt(2), rounded up */
#define ROUNDING 1e-5  /* of the lengths that are added up in floats, no more than this is lost */

/* One of the meshes, and what takes its frame into the other's. */
struct side {
    const struct cn_mesh *mesh;
    struct cn_mesh_turn turn;
    float limit; /* for its points in the other's distance, with all that floats lose [m] */
};

/* A box in a mesh's frame; the fourth lanes are 0. */
struct room {
    cn_four low, high;
};

/* Patches that may be near, and where in the other's frame they reach. */
struct near_patches {
    int count;
    uint8_t patch[CN_MESH_PATCHES_MAX];
    struct room room;
};

struct query {
    const struct cn_fast_mesh_kernel *kernel;
    cn_sampling_take *take;
    void *context;
};

static void
put3(float to[3], cn_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

/* How far a field's box reaches beyond the surface, at the least. */
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

static struct side
side_of(const struct cn_mesh *mesh, const struct cn_mesh *in, const cn_pose *pose, double limit)
{
    struct side side = {.mesh = mesh};
    double size = cn_vec3_length(pose->position) + cn_vec3_length(mesh->bounds.low) +
                  cn_vec3_length(mesh->bounds.high) + cn_vec3_length(in->bounds.low) +
                  cn_vec3_length(in->bounds.high) + limit;
    double bent = limit < padding_of(in) ? limit : BENT * limit;
    side.limit = (float)(bent + ROUNDING * size);
    put3(side.turn.axis[0], pose->rotation.cx);
    put3(side.turn.axis[1], pose->rotation.cy);
    put3(side.turn.axis[2], pose->rotation.cz);
    put3(side.turn.origin, pose->position);
    return side;
}

/* Of a ball whose middle is the first three of four numbers at `at`. */
static bool
is_in_room(const struct room *room, const float *at, float radius)
{
    cn_four place = cn_four_load(at), far = cn_four_splat(radius);
    return (cn_four_bits((place + far >= room->low) & (place - far <= room->high)) & 7) == 7;
}

/* Patches of one mesh that are near in the other's field; where there is a room, of those in it. */
static void
find_near(const struct query *query, const struct side *of, const struct cn_field *in,
    const struct room *room, struct near_patches *near)
{
    const struct cn_mesh *mesh = of->mesh;
    struct cn_mesh_looks looks;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    int count = 0;
    for (int i = 0; i < mesh->patch_count; i++) {
        const struct cn_mesh_patch *patch = &mesh->patch[i];
        if (room == NULL || is_in_room(room, patch->center, patch->radius)) {
            near->patch[count] = (uint8_t)i;
            offset[count++] = (int32_t)sizeof(*mesh->patch) * i;
        }
    }
    for (int i = 0; i < CN_MESH_LANES_MAX; i++) {
        offset[count + i] = 0;
    }
    query->kernel->reach(in, &of->turn, mesh->patch, offset, count, of->limit, &looks);
    cn_four low = {HUGE_VALF, HUGE_VALF, HUGE_VALF, 0.0F}, high = -low;
    near->count = 0;
    for (int i = 0; i < count; i++) {
        if (looks.phi[i] > of->limit) {
            continue;
        }
        float far = mesh->patch[near->patch[i]].radius + of->limit;
        near->patch[near->count++] = near->patch[i];
        cn_four at = {looks.slope[0][i], looks.slope[1][i], looks.slope[2][i], 0.0F};
        low = cn_four_min(at - cn_four_splat(far), low);
        high = cn_four_max(at + cn_four_splat(far), high);
    }
    near->room = (struct room){low, high};
}

/* Samples that wait to be looked up. */
struct batch {
    int count;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
};

static void
look_up(const struct query *query, const struct side *of, const struct cn_field *in, bool second,
    struct batch *batch)
{
    struct cn_mesh_looks looks;
    const struct cn_mesh_sample *sample = of->mesh->sample;
    for (int i = 0; i < CN_MESH_LANES_MAX; i++) {
        batch->offset[batch->count + i] = 0;
    }
    query->kernel->look(in, &of->turn, sample, batch->offset, batch->count, &looks);
    for (int i = 0; i < batch->count; i++) {
        if (looks.phi[i] <= of->limit) {
            query->take(query->context, second, batch->offset[i] / (int)sizeof(*sample));
        }
    }
    batch->count = 0;
}

/* Samples of near patches that are in a room, in the other's field. */
static void
look_at_samples(const struct query *query, const struct side *of, const struct cn_field *in,
    bool second, const struct near_patches *near, const struct room *room)
{
    struct batch batch;
    const struct cn_mesh *mesh = of->mesh;
    batch.count = 0;
    for (int i = 0; i < near->count; i++) {
        const struct cn_mesh_patch *patch = &mesh->patch[near->patch[i]];
        if (!is_in_room(room, patch->center, patch->radius)) {
            continue;
        }
        int end = patch->sample_first + patch->sample_count;
        for (int k = patch->sample_first; k < end; k++) {
            if (batch.count == CN_MESH_BATCH) {
                look_up(query, of, in, second, &batch);
            }
            batch.offset[batch.count] = (int32_t)sizeof(struct cn_mesh_sample) * k;
            batch.count += is_in_room(room, mesh->sample[k].at, 0.0F) ? 1 : 0;
        }
    }
    if (batch.count > 0) {
        look_up(query, of, in, second, &batch);
    }
}

void
cn_sampling_near(const struct cn_fast_mesh_kernel *kernel, const struct cn_mesh *first,
    const cn_pose *first_pose, const struct cn_mesh *second, const cn_pose *second_pose,
    double limit, cn_sampling_take *take, void *context)
{
    const struct query query = {kernel, take, context};
    struct side a = side_of(first, second, first_pose, limit);
    struct side b = side_of(second, first, second_pose, limit);
    struct near_patches near, other;
    find_near(&query, &a, &second->field, NULL, &near);
    if (near.count == 0) {
        return;
    }
    find_near(&query, &b, &first->field, &near.room, &other);
    if (other.count == 0) {
        return;
    }
    look_at_samples(&query, &a, &second->field, false, &near, &other.room);
    look_at_samples(&query, &b, &first->field, true, &other, &near.room);
}
