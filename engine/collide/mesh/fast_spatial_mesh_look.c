/* fast_spatial_mesh_look.c: see fast_spatial_mesh_look.h. */
#define CN_WIDE_SINGLE
#include "engine/collide/mesh/fast_spatial_mesh_look.h"

#include "engine/base/assert.h"
#include "engine/mesh/field_float.h"
#include "engine/mesh/mesh_build.h"

/* A shorter slope has no direction: the point is on a ridge of the distance. */
#define SLOPE_MIN 0.1F

_Static_assert(CN_MESH_LANES_MAX <= CN_MESH_SPARE, "lanes read records behind the last");
_Static_assert(CN_MESH_PATCHES_MAX <= CN_MESH_BATCH, "invariant 2");

/* ---- frames ---- */

struct cn_mesh_side
cn_mesh_side_of(const struct cn_mesh_gather *gather, bool is_a)
{
    const struct cn_fast_mesh_pair *pair = gather->pair;
    const struct cn_fast_shape3 *shape = is_a ? pair->a : pair->b;
    CN_ASSERT(shape->form == CN_FAST3_MESH);
    struct cn_fast_frame body = cn_fast_body_frame(is_a ? pair->place_a : pair->place_b,
        is_a ? cn_four_splat(0.0F) : gather->between);
    return (struct cn_mesh_side){
        .mesh = shape->shape->mesh->mesh,
        .frame = {cn_fast_turn(&body, cn_four_load(shape->axis[0])),
            cn_fast_turn(&body, cn_four_load(shape->axis[1])),
            cn_fast_turn(&body, cn_four_load(shape->axis[2])),
            cn_fast_apply(&body, cn_four_load(shape->center))},
        .is_a = is_a,
    };
}

static void
put3(float to[3], cn_four v)
{
    to[0] = v[0];
    to[1] = v[1];
    to[2] = v[2];
}

struct cn_mesh_turn
cn_mesh_turn_between(const struct cn_fast_frame *from, const struct cn_fast_frame *to)
{
    struct cn_mesh_turn turn;
    put3(turn.axis[0], cn_fast_turn_back(to, from->x));
    put3(turn.axis[1], cn_fast_turn_back(to, from->y));
    put3(turn.axis[2], cn_fast_turn_back(to, from->z));
    put3(turn.origin, cn_fast_invert(to, from->origin));
    return turn;
}

const struct cn_fast_frame cn_mesh_world = {
    {1.0F, 0.0F, 0.0F, 0.0F}, {0.0F, 1.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 1.0F, 0.0F},
    {0.0F, 0.0F, 0.0F, 0.0F}};

/* ---- candidates ---- */

/* How fast B leaves A at a point, along a direction [m/s]. */
static float
leaving(const struct cn_mesh_gather *g, cn_four place, cn_four normal)
{
    cn_four of_a = g->velocity_a + cn_four_cross(g->spin_a, place);
    cn_four of_b = g->velocity_b + cn_four_cross(g->spin_b, place - g->between);
    return cn_four_dot3(of_b - of_a, normal);
}

static int
least_urgent(const struct cn_mesh_gather *g)
{
    int least = 0;
    for (int i = 1; i < g->count; i++) {
        least = g->candidate[i].urgency > g->candidate[least].urgency ? i : least;
    }
    return least;
}

/* Adds a candidate.  If there is no room, it replaces the least urgent one. */
static void
add(struct cn_mesh_gather *g, const struct cn_mesh_candidate *candidate)
{
    if (g->count < CN_MESH_CANDIDATES) {
        g->candidate[g->count++] = *candidate;
        return;
    }
    CN_ASSERT(g->count == CN_MESH_CANDIDATES && g->least < g->count); /* invariant 3 */
    if (g->least >= 0 && candidate->urgency >= g->candidate[g->least].urgency) {
        return;
    }
    g->least = g->least >= 0 ? g->least : least_urgent(g);
    if (candidate->urgency < g->candidate[g->least].urgency) {
        g->candidate[g->least] = *candidate;
        g->least = least_urgent(g);
    }
}

void
cn_mesh_offer(struct cn_mesh_gather *g, cn_four point, float phi, cn_four slope, bool of_b)
{
    struct cn_mesh_candidate candidate = {
        .place = point - cn_four_splat(0.5F * phi) * slope,
        .normal = of_b ? -slope : slope,
        .separation = phi,
        .urgency = phi,
    };
    float speed = leaving(g, candidate.place, candidate.normal);
    if (speed < 0.0F) {
        candidate.urgency += speed * g->pair->duration;
    }
    if (candidate.urgency <= g->pair->margin) {
        add(g, &candidate);
    }
}

/* A slope of the mesh's frame as a unit vector in world axes; false if it has no direction. */
static bool
unit_slope(const struct cn_mesh_side *side, cn_four slope, cn_four *unit)
{
    float square = cn_four_dot3(slope, slope);
    if (!(square > SLOPE_MIN * SLOPE_MIN)) {
        return false;
    }
    *unit = cn_fast_turn(&side->frame, slope / cn_four_splat(sqrtf(square)));
    return true;
}

static cn_vec3
to_vec3(cn_four v)
{
    return (cn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

void
cn_mesh_offer_in_field(struct cn_mesh_gather *g, const struct cn_mesh_side *side, cn_four point,
    float phi, cn_four slope, float radius)
{
    cn_four unit;
    if (side->mesh->sharp) {
        cn_vec3 p = to_vec3(cn_fast_invert(&side->frame, point));
        cn_vec3 n = cn_mesh_normal(side->mesh, p);
        slope = cn_four_set3((float)n.x, (float)n.y, (float)n.z);
        phi = (float)cn_mesh_distance(side->mesh, p);
    }
    if (unit_slope(side, slope, &unit)) {
        cn_mesh_offer(g, point - cn_four_splat(radius) * unit, phi - radius, unit, !side->is_a);
    }
}

/* ---- lookups ---- */

float
cn_mesh_look_one(const struct cn_mesh_side *side, cn_four point, cn_four *slope)
{
    struct field_reader reader;
    cn_four at = cn_fast_invert(&side->frame, point);
    cn_wide in[3] = {at[0], at[1], at[2]}, phi, out[3];
    field_reader_make(&reader, &side->mesh->field);
    field_reader_look(&reader, in, &phi, out);
    *slope = cn_four_set3(out[0], out[1], out[2]);
    return phi;
}

void
cn_mesh_look_rows(struct cn_mesh_gather *g, const struct cn_mesh_side *side,
    const float (*row)[4], int count, struct cn_mesh_looks *looks)
{
    CN_ASSERT(0 < count && count <= CN_MESH_BATCH); /* invariant 1 */
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    struct cn_mesh_turn turn = cn_mesh_turn_between(&cn_mesh_world, &side->frame);
    for (int i = 0; i < count + CN_MESH_LANES_MAX; i++) {
        offset[i] = i < count ? (int32_t)(sizeof(row[0])) * i : 0;
    }
    g->kernel->look(&side->mesh->field, &turn, row, offset, count, looks);
    g->sample_count += count;
}

void
cn_mesh_offer_rows(struct cn_mesh_gather *g, const struct cn_mesh_side *side,
    const float (*row)[4], int count, int first, const struct cn_mesh_looks *looks,
    const bool *skip)
{
    CN_ASSERT(first >= 0 && first + count <= CN_MESH_BATCH);
    for (int i = 0; i < count; i++) {
        int k = first + i;
        if (looks->phi[k] - row[i][3] <= g->reach && !(skip != NULL && skip[i])) {
            cn_four slope =
                cn_four_set3(looks->slope[0][k], looks->slope[1][k], looks->slope[2][k]);
            cn_mesh_offer_in_field(g, side, cn_four_set3(row[i][0], row[i][1], row[i][2]),
                looks->phi[k], slope, row[i][3]);
        }
    }
}

/* ---- patches ---- */

struct cn_mesh_room
cn_mesh_room_around(
    const struct cn_mesh_gather *g, const struct cn_mesh_side *of, const struct cn_mesh_side *box)
{
    const cn_aabb *bounds = &box->mesh->bounds;
    struct cn_mesh_turn turn = cn_mesh_turn_between(&box->frame, &of->frame);
    const double middle[3] = {0.5 * (bounds->low.x + bounds->high.x),
        0.5 * (bounds->low.y + bounds->high.y), 0.5 * (bounds->low.z + bounds->high.z)};
    const double half[3] = {0.5 * (bounds->high.x - bounds->low.x),
        0.5 * (bounds->high.y - bounds->low.y), 0.5 * (bounds->high.z - bounds->low.z)};
    cn_four center = cn_four_set3(turn.origin[0], turn.origin[1], turn.origin[2]);
    cn_four reach = cn_four_splat(g->reach * 1.001F);
    for (int k = 0; k < 3; k++) {
        const float *axis = turn.axis[k];
        center = center + cn_four_splat((float)middle[k]) * cn_four_set3(axis[0], axis[1], axis[2]);
        reach = reach + cn_four_splat((float)half[k] * 1.0001F) *
                            cn_four_set3(fabsf(axis[0]), fabsf(axis[1]), fabsf(axis[2]));
    }
    return (struct cn_mesh_room){center - reach, center + reach};
}

void
cn_mesh_find_near(const struct cn_mesh_gather *g, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_room *room, struct cn_mesh_near *near)
{
    const struct cn_mesh *mesh = of->mesh;
    CN_ASSERT(of->is_a != in->is_a && mesh->patch_count <= CN_MESH_PATCHES_MAX); /* invariant 2 */
    struct cn_mesh_looks looks;
    struct cn_mesh_turn turn = cn_mesh_turn_between(&of->frame, &in->frame);
    int32_t offset[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    struct cn_mesh_room around = cn_mesh_room_around(g, of, in);
    int size = (int)sizeof(*mesh->patch);
    int count = cn_mesh_within(room != NULL ? room : &around, mesh->patch, size, 0,
        mesh->patch_count, true, offset);
    for (int i = 0; i < CN_MESH_LANES_MAX; i++) {
        offset[count + i] = 0;
    }
    g->kernel->reach(
        &in->mesh->field, &turn, mesh->patch, offset, count, g->reach, &looks);
    cn_four low = cn_four_set3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = -low;
    near->count = 0;
    for (int i = 0; i < count; i++) {
        int patch = offset[i] / size;
        bool is_near = !(looks.phi[i] > g->reach);
        cn_four far = cn_four_splat(is_near ? mesh->patch[patch].radius + g->reach : -HUGE_VALF);
        cn_four at = cn_four_set3(looks.slope[0][i], looks.slope[1][i], looks.slope[2][i]);
        near->patch[near->count] = (uint8_t)patch;
        near->count += is_near;
        low = cn_four_min(at - far, low);
        high = cn_four_max(at + far, high);
    }
    CN_ASSERT(near->count <= count);
    near->room = (struct cn_mesh_room){low, high};
}
