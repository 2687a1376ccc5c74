/*
 * fast_spatial_mesh_clear.c: pairs of meshes that are known to be apart.
 *
 * Let every sample of either mesh have an interpolated distance of at least D in the other's field.
 * The slope of a field is at most K (mesh/field.h).  Outside the grid the path to its box adds a
 * slope of at most 1, in directions across it.  So while no point of either body has moved farther
 * than s in the other's frame, all of these distances are at least D - K' s, K' = sqrt(K^2 + 1).
 * While that is above the reach of a tick, nothing would be found, so nothing is looked up.
 *
 * R is the rotation from B's frame into A's, and t the position of B's origin in A's frame.  A
 * point of B moves in A by at most |dR| r_B + |dt|.  A point of A moves in B by at most
 * |dR| (r_A + |t|) + |dt|.  |dR| is 2 sin(angle / 2), which is the root of half the sum of the
 * squares of R's changes.
 */
#include "engine/collide/mesh/fast_spatial_mesh_clear.h"

#include "engine/base/assert.h"

#include <math.h>

#define SPARE_FRACTION 0.5F /* of the smaller width: how far beyond the reach the search goes */
#define SLOW_FRACTION 0.25F  /* of that: pairs that may approach more are always searched */
#define LASTS 4              /* ticks: bounds that last less are not computed for WAITS ticks */
#define WAITS 8
#define ROUNDING 1e-5F       /* of all lengths */
#define CELL_DIAGONAL 0.87F  /* half of it, in cells: the error of phi between exact nodes */

static float
length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far any point of either may have moved in the other's frame. */
static float
moved(const struct cn_fast_mesh_pair *pair, const struct cn_mesh_turn *from,
    const struct cn_mesh_turn *to)
{
    float turned = 0.0F, way[3];
    for (int i = 0; i < 3; i++) {
        way[i] = to->origin[i] - from->origin[i];
        for (int k = 0; k < 3; k++) {
            float by = to->axis[i][k] - from->axis[i][k];
            turned += by * by;
        }
    }
    float reach_a = (float)pair->a->shape->reach + length_of(from->origin);
    float reach_b = (float)pair->b->shape->reach;
    return length_of(way) + sqrtf(0.5F * turned) * (reach_a > reach_b ? reach_a : reach_b);
}

static struct cn_mesh_turn
between_bodies(const struct cn_mesh_gather *g)
{
    const struct cn_fast_mesh_pair *pair = g->pair;
    struct cn_fast_frame a = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    struct cn_fast_frame b = cn_fast_body_frame(pair->place_b, g->between);
    return cn_mesh_turn_between(&b, &a);
}

static float
greater(float x, float y)
{
    return x > y ? x : y;
}

static float
rounding(const struct cn_mesh_gather *g)
{
    float apart = sqrtf(cn_four_dot3(g->between, g->between));
    return ROUNDING *
           (apart + (float)(g->pair->a->shape->reach + g->pair->b->shape->reach));
}

static const struct cn_mesh *
mesh_of(const struct cn_fast_shape3 *shape)
{
    CN_ASSERT(shape->form == CN_FAST3_MESH);
    return shape->shape->mesh->mesh;
}

bool
cn_mesh_is_clear(const struct cn_mesh_gather *g, struct cn_fast_mesh_clear *clear)
{
    if (!(clear->least > g->reach)) {
        return false;
    }
    float K = greater(
        mesh_of(g->pair->a)->field.steepness, mesh_of(g->pair->b)->field.steepness);
    struct cn_mesh_turn from, to = between_bodies(g);
    for (int i = 0; i < 3; i++) {
        from.origin[i] = clear->origin[i];
        for (int k = 0; k < 3; k++) {
            from.axis[i][k] = clear->axis[i][k];
        }
    }
    float lost = sqrtf(K * K + 1.0F) * moved(g->pair, &from, &to) + rounding(g);
    if (clear->least - lost > g->reach) {
        clear->age = (int16_t)(clear->age < LASTS ? clear->age + 1 : LASTS);
        return true;
    }
    clear->wait = clear->age < LASTS ? WAITS : 0;
    clear->least = 0.0F;
    return false;
}

/*
 * The least distance of a mesh's near samples in the other's field; -1 where one is within the
 * limit.
 */
static float
least_of(struct cn_mesh_gather *g, const struct cn_mesh_side *of, const struct cn_mesh_side *in,
    float limit)
{
    struct cn_mesh_near near;
    struct cn_mesh_looks looks;
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    struct cn_mesh_turn turn = cn_mesh_turn_between(&of->frame, &in->frame);
    float least = HUGE_VALF;
    cn_mesh_find_near(g, of, in, NULL, &near);
    for (int i = 0; i < near.count; i++) {
        const struct cn_mesh_patch *patch = &of->mesh->patch[near.patch[i]];
        for (int first = 0; first < patch->sample_count; first += CN_MESH_BATCH) {
            int left = patch->sample_count - first;
            int count = left < CN_MESH_BATCH ? left : CN_MESH_BATCH;
            for (int k = 0; k < count + CN_MESH_LANES_MAX; k++) {
                int sample = patch->sample_first + first + (k < count ? k : 0);
                offset[k] = (int32_t)sizeof(*of->mesh->sample) * sample;
            }
            g->kernel->look(&in->mesh->field, &turn, of->mesh->sample, offset, count, &looks);
            g->sample_count += count;
            for (int k = 0; k < count; k++) {
                least = looks.phi[k] < least ? looks.phi[k] : least;
            }
            if (!(least > limit)) {
                return -1.0F;
            }
        }
    }
    return least;
}

/* Whether samples bound the distance of a mesh.  They do not bound lows along creases. */
static bool
is_smooth(const struct cn_mesh *mesh)
{
    return mesh->crease_spacing == 0.0 && mesh->field.steepness < HUGE_VALF;
}

void
cn_mesh_clear(struct cn_mesh_gather *g, struct cn_fast_mesh_clear *clear)
{
    const struct cn_fast_shape3 *shape_a = g->pair->a, *shape_b = g->pair->b;
    const struct cn_mesh *mesh_a = mesh_of(shape_a), *mesh_b = mesh_of(shape_b);
    float width = shape_a->width < shape_b->width ? shape_a->width : shape_b->width;
    float spare = SPARE_FRACTION * width, reach = g->reach;
    clear->least = 0.0F;
    CN_ASSERT(0 <= clear->wait && clear->wait <= WAITS);
    CN_ASSERT(0 <= clear->age && clear->age <= LASTS);
    if (clear->wait > 0) {
        clear->wait--;
        return;
    }
    if (!is_smooth(mesh_a) || !is_smooth(mesh_b) ||
        reach - g->pair->margin > SLOW_FRACTION * spare) {
        return;
    }
    float off = CELL_DIAGONAL *
                greater((float)mesh_a->field.spacing, (float)mesh_b->field.spacing);
    struct cn_mesh_side a = cn_mesh_side_of(g, true), b = cn_mesh_side_of(g, false);
    g->reach = reach + spare + off;
    float of_a = least_of(g, &a, &b, reach);
    float of_b = of_a < 0.0F ? -1.0F : least_of(g, &b, &a, reach);
    float least = of_a < of_b ? of_a : of_b;
    g->reach = reach;
    if (!(least > reach)) {
        clear->wait = WAITS;
        return;
    }
    struct cn_mesh_turn turn = between_bodies(g);
    for (int i = 0; i < 3; i++) {
        clear->origin[i] = turn.origin[i];
        for (int k = 0; k < 3; k++) {
            clear->axis[i][k] = turn.axis[i][k];
        }
    }
    clear->least = least < reach + spare ? least : reach + spare;
    clear->age = 0;
}
