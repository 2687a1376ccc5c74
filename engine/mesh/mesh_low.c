#include "engine/mesh/mesh_low.h"

#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#include <math.h>

#define ROUNDS 12
#define END 0.02           /* of the remaining interval: a new point is no nearer to its ends */
#define BEYOND 0.01        /* of the segment, past both ends: a minimum at an end is not missed */
#define CLOSE 1e-4         /* of the segment: the accuracy of a minimum */
#define LEVEL 1e-3         /* a slope along the segment below this counts as 0 */
#define SLOPE_MIN 0.25     /* a shorter combined slope: the two faces are opposite */
#define CREASE_COSINE 0.5
#define FALLS 0.1F         /* along the edge; a smaller fall hides less depth */
#define RIDGE_SQUARE 0.9F  /* square of a field's gradient; if less, faces meet nearby */

/* A point of the segment, with phi and its derivative. */
struct spot {
    double t, phi, rise; /* rise: of phi along the segment */
    cn_vec3 slope;
};

struct line {
    cn_low_distance *distance;
    void *context;
    cn_vec3 from, along; /* unit */
};

static struct spot
look_at_spot(const struct line *line, double t)
{
    struct spot spot = {.t = t};
    spot.phi = line->distance(
        line->context, cn_vec3_add_scaled(line->from, t, line->along), &spot.slope);
    spot.rise = cn_vec3_dot(spot.slope, line->along);
    return spot;
}

/*
 * Returns the position where the tangents of two spots meet; one spot falls and the other rises.
 * The position stays a little within the ends of the remaining interval.  Sets *bound to phi where
 * the tangents meet.
 */
static double
meeting_point(const struct spot *low, const struct spot *high, double *bound)
{
    double t = (high->rise * high->t - low->rise * low->t - (high->phi - low->phi)) /
               (high->rise - low->rise);
    double margin = END * (high->t - low->t);
    *bound = low->phi + low->rise * (t - low->t);
    return fmin(fmax(t, low->t + margin), high->t - margin);
}

/*
 * Sets *out from the combination of two slopes that is across the segment, and phi along it.
 * False: the two faces are opposite.
 */
static bool
set_low(const struct line *line, const struct spot *low, const struct spot *high,
    const struct spot *best, struct cn_low *out)
{
    double u = -low->rise / (high->rise - low->rise);
    cn_vec3 across = cn_vec3_add(
        cn_vec3_scale(low->slope, 1.0 - u), cn_vec3_scale(high->slope, u));
    double length = cn_vec3_length(across);
    if (!(length > SLOPE_MIN)) {
        return false;
    }
    out->at = cn_vec3_add_scaled(line->from, best->t, line->along);
    out->normal = cn_vec3_scale(across, 1.0 / length);
    out->gap = best->phi < 0.0 ? best->phi / length : best->phi;
    return true;
}

bool
cn_low_find(cn_low_distance *distance, void *context, cn_vec3 from, cn_vec3 to, double reach,
    struct cn_low *low)
{
    struct line line = {distance, context, from, cn_vec3_sub(to, from)};
    double length = cn_vec3_length(line.along);
    if (!(length > 0.0)) {
        return false;
    }
    line.along = cn_vec3_scale(line.along, 1.0 / length);
    struct spot first = look_at_spot(&line, -BEYOND * length);
    if (!(first.rise < -LEVEL) || first.phi > reach + length) {
        return false;
    }
    struct spot last = look_at_spot(&line, (1.0 + BEYOND) * length);
    if (!(last.rise > LEVEL)) {
        return false;
    }
    struct spot best = first.phi < last.phi ? first : last;
    for (int round = 0; round < ROUNDS && last.t - first.t > CLOSE * length; round++) {
        double bound;
        struct spot next = look_at_spot(&line, meeting_point(&first, &last, &bound));
        best = next.phi < best.phi ? next : best;
        if (fabs(next.rise) <= LEVEL) {
            first = last = next;
            first.rise = -LEVEL;
            last.rise = LEVEL;
            break;
        }
        bool met = next.phi - bound <= CLOSE * length;
        *(next.rise < 0.0 ? &first : &last) = next;
        if (met) {
            break; /* phi is as low as the two tangents allow */
        }
    }
    return set_low(&line, &first, &last, &best, low) && low->gap <= reach;
}

/* ---- a mesh ---- */

double
cn_mesh_low_distance(void *in_mesh, cn_vec3 p, cn_vec3 *slope)
{
    struct cn_in_mesh *in = in_mesh;
    return cn_mesh_slope_from(in->mesh, p, &in->triangle, slope);
}

bool
cn_mesh_low_find(
    const struct cn_mesh *mesh, cn_vec3 from, cn_vec3 to, double reach, struct cn_low *low)
{
    struct cn_in_mesh in = {mesh, -1};
    return cn_low_find(cn_mesh_low_distance, &in, from, to, reach, low);
}

bool
cn_mesh_is_crease(const struct cn_mesh *mesh, int edge)
{
    CN_ASSERT(0 <= edge && edge < mesh->edge_count);
    const struct cn_mesh_edge *e = &mesh->edge[edge];
    return e->sample_count > 0 && cn_vec3_dot(mesh->triangle_normal[e->left],
                                      mesh->triangle_normal[e->right]) < CREASE_COSINE;
}

static struct cn_mesh_part
part_of(const struct cn_mesh *mesh, int edge, int part)
{
    CN_ASSERT(0 <= part && part <= mesh->edge[edge].sample_count);
    const struct cn_mesh_edge *e = &mesh->edge[edge];
    cn_vec3 tail = mesh->vertex[e->tail];
    cn_vec3 step = cn_vec3_scale(
        cn_vec3_sub(mesh->vertex[e->head], tail), 1.0 / (e->sample_count + 1));
    return (struct cn_mesh_part){edge, part, cn_vec3_add_scaled(tail, part, step),
        cn_vec3_add_scaled(tail, part + 1, step)};
}

int
cn_mesh_parts(const struct cn_mesh *mesh, int sample, cn_vec3 slope, struct cn_mesh_part part[2])
{
    CN_ASSERT(0 <= sample && sample < mesh->sample_count);
    int edge = -1 - mesh->sample[sample].feature, count = 0;
    if (edge < 0 || !cn_mesh_is_crease(mesh, edge)) {
        return 0;
    }
    const struct cn_mesh_edge *e = &mesh->edge[edge];
    cn_vec3 along = cn_vec3_sub(mesh->vertex[e->head], mesh->vertex[e->tail]);
    double rise = cn_vec3_dot(slope, along) / cn_vec3_length(along);
    bool ridge = cn_vec3_dot(slope, slope) < (double)RIDGE_SQUARE;
    int at = sample - e->sample_first;
    if (ridge || rise > (double)FALLS) {
        part[count++] = part_of(mesh, edge, at);
    }
    if (ridge || rise < -(double)FALLS) {
        part[count++] = part_of(mesh, edge, at + 1);
    }
    return count;
}
