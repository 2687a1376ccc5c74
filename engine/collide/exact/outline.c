#include "engine/collide/exact/outline.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* Changes of a unit vector's component below this are ignored. */
#define STEEPNESS_TIE 1e-9

void
cn_outline_load(
    struct cn_outline *outline, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin)
{
    CN_ASSERT(0 < shape->vertex_count && shape->vertex_count <= CN_POLYGON_VERTICES_MAX);
    cn_vec3 shift = cn_vec3_sub(pose->position, origin);
    outline->count = shape->vertex_count;
    for (int i = 0; i < shape->vertex_count; i++) {
        cn_vec2 v = shape->vertex[i], n = shape->normal[i];
        cn_vec3 vertex = cn_pose_turn(pose, (cn_vec3){v.x, v.y, 0.0});
        cn_vec3 normal = cn_pose_turn(pose, (cn_vec3){n.x, n.y, 0.0});
        outline->vertex[i] = cn_vec2_make(vertex.x + shift.x, vertex.y + shift.y);
        outline->normal[i] = cn_vec2_make(normal.x, normal.y);
    }
}

double
cn_outline_foot(const struct cn_outline *outline, int edge, cn_vec2 point)
{
    cn_vec2 n = outline->normal[edge], along = {-n.y, n.x};
    return cn_vec2_dot(along, cn_vec2_sub(point, outline->vertex[edge]));
}

double
cn_outline_edge_length(const struct cn_outline *outline, int edge)
{
    CN_ASSERT(0 <= edge && edge < outline->count);
    int next = (edge + 1) % outline->count;
    return cn_vec2_length(cn_vec2_sub(outline->vertex[next], outline->vertex[edge]));
}

static struct cn_nearest_feature
nearest_on_edge(const struct cn_outline *outline, int edge, cn_vec2 point, double tie)
{
    int next = (edge + 1) % outline->count;
    cn_vec2 from_start = cn_vec2_sub(point, outline->vertex[edge]);
    double foot = cn_outline_foot(outline, edge, point);
    if (foot < -tie) {
        return (struct cn_nearest_feature){cn_vec2_length(from_start), edge, edge};
    }
    if (foot > cn_outline_edge_length(outline, edge) + tie) {
        cn_vec2 from_end = cn_vec2_sub(point, outline->vertex[next]);
        return (struct cn_nearest_feature){cn_vec2_length(from_end), edge, next};
    }
    double distance = fabs(cn_vec2_dot(outline->normal[edge], from_start));
    return (struct cn_nearest_feature){distance, edge, -1};
}

struct cn_nearest_feature
cn_outline_nearest(const struct cn_outline *outline, cn_vec2 point, double tie)
{
    struct cn_nearest_feature best = {HUGE_VAL, 0, 0};
    for (int i = 0; i < outline->count; i++) {
        cn_vec2 from_start = cn_vec2_sub(point, outline->vertex[i]);
        if (cn_vec2_dot(outline->normal[i], from_start) < -tie) {
            continue; /* behind this edge, so another edge is nearer */
        }
        struct cn_nearest_feature one = nearest_on_edge(outline, i, point, tie);
        bool equal = fabs(one.distance - best.distance) <= tie;
        if (equal ? one.vertex < 0 && best.vertex >= 0 : one.distance < best.distance) {
            best = one;
        }
    }
    return best;
}

int
cn_outline_pick_face(const cn_vec2 *normal, const double *value, int count, double tie)
{
    CN_ASSERT(0 < count && count <= CN_POLYGON_VERTICES_MAX);
    double largest = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        largest = cn_max(largest, value[i]);
    }
    int best = -1;
    for (int i = 0; i < count; i++) {
        bool steeper = best < 0 || fabs(normal[i].y) > fabs(normal[best].y) + STEEPNESS_TIE;
        if (value[i] >= largest - tie && steeper) {
            best = i;
        }
    }
    return best;
}
