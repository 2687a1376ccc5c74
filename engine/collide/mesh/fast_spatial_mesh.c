/* fast_spatial_mesh.c: chooses the points of two bodies that are looked up. */
#include "engine/collide/mesh/fast_spatial_mesh.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh_clear.h"
#include "engine/collide/mesh/fast_spatial_mesh_edges.h"
#include "engine/collide/mesh/fast_spatial_mesh_look.h"
#include "engine/collide/mesh/fast_spatial_mesh_points.h"
#include "engine/collide/mesh/fast_spatial_mesh_solid.h"

#include <string.h>

const struct cn_fast_mesh_kernel *
cn_fast_mesh_kernel_find(const char *name)
{
    static const struct cn_fast_mesh_kernel *const kernels[] = {
        &cn_fast_mesh_single,
        &cn_fast_mesh_plain,
#if defined(CN_SIMD_X86)
        &cn_fast_mesh_sse2,
        &cn_fast_mesh_avx2,
        &cn_fast_mesh_avx512,
#elif defined(CN_SIMD_ARM)
        &cn_fast_mesh_neon,
#endif
    };
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        if (strcmp(kernels[i]->name, name) == 0) {
            return kernels[i];
        }
    }
    return NULL;
}

/* ---- mesh against mesh ---- */

/* Whether a ball is in the room; its middle is the first three of four numbers at `at`. */
static bool
is_in_room(const struct cn_mesh_room *room, const float *at, float radius)
{
    cn_four place = cn_four_load(at), far = cn_four_splat(radius);
    return (cn_four_bits((place + far >= room->low) & (place - far <= room->high)) & 7) == 7;
}

/* Samples of one mesh that wait to be looked up in the other. */
struct batch {
    int count;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
};

static void
along_creases(struct cn_mesh_gather *g, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_turn *turn, const struct batch *batch,
    const struct cn_mesh_looks *looks, bool *skip)
{
    struct cn_in_mesh context = {in->mesh, -1};
    const struct cn_mesh_creases creases = {
        .gather = g,
        .mesh = of->mesh,
        .turn = turn,
        .low_frame = &in->frame,
        .offset = batch->offset,
        .count = batch->count,
        .distance = cn_mesh_low_distance,
        .context = &context,
        .in_b = !in->is_a,
    };
    cn_mesh_look_along(&creases, looks, skip);
}

static void
look_up(struct cn_mesh_gather *g, const struct cn_mesh_side *of, const struct cn_mesh_side *in,
    const struct cn_mesh_turn *turn, struct batch *batch)
{
    CN_ASSERT(0 < batch->count && batch->count <= CN_MESH_BATCH); /* look.h, invariant 1 */
    struct cn_mesh_looks looks;
    bool skip[CN_MESH_BATCH];
    const struct cn_mesh_sample *sample = of->mesh->sample;
    for (int i = 0; i < CN_MESH_LANES_MAX; i++) {
        batch->offset[batch->count + i] = 0;
    }
    g->kernel->look(&in->mesh->field, turn, sample, batch->offset, batch->count, &looks);
    g->sample_count += batch->count;
    bool has_creases = of->mesh->crease_spacing > 0.0;
    if (has_creases) {
        along_creases(g, of, in, turn, batch, &looks, skip);
    }
    for (int i = 0; i < batch->count; i++) {
        if (looks.phi[i] <= g->reach && !(has_creases && skip[i])) {
            const float *at = sample[batch->offset[i] / (int)sizeof(*sample)].at;
            cn_four point = cn_fast_apply(&of->frame, cn_four_set3(at[0], at[1], at[2]));
            cn_four slope =
                cn_four_set3(looks.slope[0][i], looks.slope[1][i], looks.slope[2][i]);
            cn_mesh_offer_in_field(g, in, point, looks.phi[i], slope, 0.0F);
        }
    }
    batch->count = 0;
}

/* Looks up samples of one mesh, those of near patches in a room, in the other's field. */
static void
against_field(struct cn_mesh_gather *g, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_near *near,
    const struct cn_mesh_room *room)
{
    struct batch batch;
    const struct cn_mesh *mesh = of->mesh;
    struct cn_mesh_turn turn = cn_mesh_turn_between(&of->frame, &in->frame);
    batch.count = 0;
    for (int i = 0; i < near->count; i++) {
        CN_ASSERT(near->patch[i] < mesh->patch_count);
        const struct cn_mesh_patch *patch = &mesh->patch[near->patch[i]];
        if (!is_in_room(room, patch->center, patch->radius)) {
            continue;
        }
        for (int k = 0; k < patch->sample_count; k += CN_MESH_BATCH / 2) {
            int left = patch->sample_count - k;
            if (batch.count > CN_MESH_BATCH / 2) {
                look_up(g, of, in, &turn, &batch);
            }
            batch.count += cn_mesh_within(room, mesh->sample, (int)sizeof(*mesh->sample),
                patch->sample_first + k, left < CN_MESH_BATCH / 2 ? left : CN_MESH_BATCH / 2,
                false, batch.offset + batch.count);
        }
    }
    if (batch.count > 0) {
        look_up(g, of, in, &turn, &batch);
    }
}

/*
 * Begins with the mesh of fewer patches, and finds those near the other.  The other mesh can touch
 * only in the room around them, and the first mesh only in the room around the near patches of the
 * other.
 */
static void
meet_meshes(struct cn_mesh_gather *g)
{
    struct cn_mesh_side a = cn_mesh_side_of(g, true), b = cn_mesh_side_of(g, false);
    bool turned = b.mesh->patch_count < a.mesh->patch_count;
    const struct cn_mesh_side *first = turned ? &b : &a, *second = turned ? &a : &b;
    struct cn_mesh_near near, other;
    cn_mesh_find_near(g, first, second, NULL, &near);
    if (near.count == 0) {
        return;
    }
    cn_mesh_find_near(g, second, first, &near.room, &other);
    if (other.count == 0) {
        return;
    }
    against_field(g, first, second, &near, &other.room);
    against_field(g, second, first, &other, &near.room);
}

/* ---- the pair ---- */

static cn_four
get3(const float v[3])
{
    return cn_four_set3(v[0], v[1], v[2]);
}

static float
length(cn_four v)
{
    return sqrtf(cn_four_dot3(v, v));
}

static void
init(struct cn_mesh_gather *g, const struct cn_fast_mesh_kernel *kernel,
    const struct cn_fast_mesh_pair *pair)
{
    const struct cn_place3 *a = pair->place_a, *b = pair->place_b;
    g->kernel = kernel;
    g->pair = pair;
    g->between = cn_four_set3((float)(b->x - a->x), (float)(b->y - a->y), (float)(b->z - a->z));
    g->velocity_a = get3(pair->motion_a->velocity);
    g->velocity_b = get3(pair->motion_b->velocity);
    g->spin_a = get3(pair->motion_a->spin);
    g->spin_b = get3(pair->motion_b->spin);
    g->sample_count = g->count = 0;
    g->least = -1;
    float turning = length(g->spin_a) * (float)pair->a->shape->reach +
                    length(g->spin_b) * (float)pair->b->shape->reach;
    g->reach = pair->margin +
               pair->duration * (length(g->velocity_b - g->velocity_a) + turning);
}

void
cn_fast_mesh_meet(const struct cn_fast_mesh_kernel *kernel, const struct cn_fast_mesh_pair *pair,
    struct cn_fast_mesh_found *found)
{
    struct cn_mesh_gather g; /* large; an initializer would clear all of it */
    init(&g, kernel, pair);
    bool a = pair->a->form == CN_FAST3_MESH, b = pair->b->form == CN_FAST3_MESH;
    CN_ASSERT(a || b);
    found->sample_count = found->manifold_count = 0;
    bool meshes = a && b, keeps = meshes && pair->clear != NULL;
    if (keeps && cn_mesh_is_clear(&g, pair->clear)) {
        return;
    }
    if (meshes) {
        meet_meshes(&g);
    } else {
        struct cn_mesh_side side = cn_mesh_side_of(&g, a);
        cn_mesh_against_solid(&g, &side);
    }
    if (g.count > 0) {
        cn_mesh_reduce(&g, found);
    } else if (keeps) {
        cn_mesh_clear(&g, pair->clear);
    }
    CN_ASSERT(g.count == 0 || found->manifold_count > 0); /* no candidate is without a manifold */
    found->sample_count = g.sample_count;
}

/* ---- depth ---- */

/* A mesh's box: its middle, and half of its sides, in the frame of A. */
struct box {
    cn_four middle, half;
};

static struct box
box_of(const struct cn_mesh_side *side)
{
    const cn_aabb *bounds = &side->mesh->bounds;
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(bounds->low, bounds->high), 0.5);
    cn_vec3 half = cn_vec3_scale(cn_vec3_sub(bounds->high, bounds->low), 0.5);
    return (struct box){
        cn_fast_apply(&side->frame,
            cn_four_set3((float)middle.x, (float)middle.y, (float)middle.z)),
        cn_four_set3((float)half.x, (float)half.y, (float)half.z)};
}

static cn_four
absolute(cn_four v)
{
    return cn_four_max(v, -v);
}

float
cn_fast_mesh_gap(const struct cn_fast_mesh_pair *pair)
{
    if (pair->a->form != CN_FAST3_MESH || pair->b->form != CN_FAST3_MESH) {
        return -HUGE_VALF;
    }
    const struct cn_place3 *at_a = pair->place_a, *at_b = pair->place_b;
    struct cn_mesh_gather g;
    g.pair = pair;
    g.between = cn_four_set3((float)(at_b->x - at_a->x), (float)(at_b->y - at_a->y),
        (float)(at_b->z - at_a->z));
    struct cn_mesh_side a = cn_mesh_side_of(&g, true), b = cn_mesh_side_of(&g, false);
    struct box box_a = box_of(&a), box_b = box_of(&b);
    cn_four away = box_b.middle - box_a.middle;
    /* B's axes in A's frame; their absolute values give how far B reaches along A's axes. */
    cn_four x = absolute(cn_fast_turn_back(&a.frame, b.frame.x));
    cn_four y = absolute(cn_fast_turn_back(&a.frame, b.frame.y));
    cn_four z = absolute(cn_fast_turn_back(&a.frame, b.frame.z));
    cn_four along_a = absolute(cn_fast_turn_back(&a.frame, away)) - box_a.half -
                      (x * cn_four_splat(box_b.half[0]) + y * cn_four_splat(box_b.half[1]) +
                          z * cn_four_splat(box_b.half[2]));
    cn_four of_a = cn_four_set3(cn_four_dot3(x, box_a.half), cn_four_dot3(y, box_a.half),
        cn_four_dot3(z, box_a.half));
    cn_four along_b = absolute(cn_fast_turn_back(&b.frame, away)) - box_b.half - of_a;
    cn_four most = cn_four_max(along_a, along_b);
    float gap = most[0] > most[1] ? most[0] : most[1];
    return gap > most[2] ? gap : most[2];
}

/* Offers the samples of one mesh that are within the other by more than -reach. */
static void
offer_deep(struct cn_mesh_gather *g, const struct cn_mesh_side *of, const struct cn_mesh_side *in)
{
    struct cn_mesh_near near;
    struct cn_mesh_room room = cn_mesh_room_around(g, of, in);
    cn_mesh_find_near(g, of, in, &room, &near);
    if (near.count > 0) {
        against_field(g, of, in, &near, &room);
    }
}

float
cn_fast_mesh_depth(const struct cn_fast_mesh_kernel *kernel, const struct cn_fast_mesh_pair *pair,
    float least)
{
    static const struct cn_fast_mesh_motion still;
    struct cn_fast_mesh_pair here = {.a = pair->a,
        .b = pair->b,
        .place_a = pair->place_a,
        .place_b = pair->place_b,
        .motion_a = &still,
        .motion_b = &still,
        .margin = -least};
    struct cn_mesh_gather g; /* large; an initializer would clear all of it */
    bool a = pair->a->form == CN_FAST3_MESH, b = pair->b->form == CN_FAST3_MESH;
    CN_ASSERT(a || b);
    init(&g, kernel, &here);
    struct cn_mesh_side side = cn_mesh_side_of(&g, a);
    if (a && b) {
        struct cn_mesh_side other = cn_mesh_side_of(&g, false);
        offer_deep(&g, &side, &other);
        offer_deep(&g, &other, &side);
    } else {
        cn_mesh_against_solid(&g, &side);
    }
    float deepest = least;
    for (int i = 0; i < g.count; i++) {
        deepest = -g.candidate[i].separation > deepest ? -g.candidate[i].separation : deepest;
    }
    return deepest;
}
