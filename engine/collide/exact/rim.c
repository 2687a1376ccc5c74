#include "engine/collide/exact/rim.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <stddef.h>

/* Sine between two normals below which a corner counts as smooth. */
#define SMOOTH_SINE 1e-6
#define ENDLESS 1e30

static cn_vec2
turned_vector(const cn_pose *pose, cn_vec2 v)
{
    cn_vec3 t = cn_pose_turn(pose, (cn_vec3){v.x, v.y, 0.0});
    return (cn_vec2){t.x, t.y};
}

static void
bound_edge(struct cn_rim_edge *e)
{
    cn_border_bounds(&e->edge, &e->low, &e->high);
    if (e->is_round) {
        e->low = (cn_vec2){e->center.x - e->radius, e->center.y - e->radius};
        e->high = (cn_vec2){e->center.x + e->radius, e->center.y + e->radius};
    } else if (!e->is_arc) {
        e->low = (cn_vec2){e->low.x - e->radius, e->low.y - e->radius};
        e->high = (cn_vec2){e->high.x + e->radius, e->high.y + e->radius};
    }
    if (e->is_endless) {
        e->low = (cn_vec2){-ENDLESS, -ENDLESS};
        e->high = (cn_vec2){ENDLESS, ENDLESS};
    }
}

static struct cn_rim_edge
straight_edge(cn_vec2 from, cn_vec2 to, cn_vec2 normal, double radius)
{
    return (struct cn_rim_edge){
        .edge = {from, to, 0.0},
        .radius = radius,
        .normal = normal,
        .length = cn_vec2_length(cn_vec2_sub(to, from)),
    };
}

static struct cn_rim_edge
arc_edge(const struct cn_border *edge)
{
    double radius = cn_border_radius(edge);
    return (struct cn_rim_edge){
        .edge = *edge,
        .is_arc = true,
        .center = cn_border_center(edge),
        .radius = edge->bulge < 0.0 ? -radius : radius,
    };
}

/* Makes the corner between an edge that ends with normal `in` and one that starts with `out`. */
static void
make_corner(struct cn_rim_edge *e, cn_vec2 in, cn_vec2 out, bool joins_arc)
{
    double sine = cn_vec2_cross(in, out);
    e->is_smooth = joins_arc && fabs(sine) <= SMOOTH_SINE;
    e->has_corner = e->is_smooth || sine > SMOOTH_SINE;
    e->corner_first = in;
    e->corner_last = out;
}

static cn_vec2
normal_from(const struct cn_rim_edge *e)
{
    return e->is_arc ? cn_border_normal_from(&e->edge) : e->normal;
}

static cn_vec2
normal_to(const struct cn_rim_edge *e)
{
    return e->is_arc ? cn_border_normal_to(&e->edge) : e->normal;
}

static cn_vec2
along_of(cn_vec2 normal)
{
    return (cn_vec2){-normal.y, normal.x};
}

/* Outlines, chains, boxes and polygons: edges one after the other. */
static void
load_edges(struct cn_rim *rim, const struct cn_shape *shape, const cn_pose *pose, cn_vec2 shift)
{
    int n = shape->vertex_count, edges = shape->open ? n - 1 : n;
    CN_ASSERT(edges > 0 && edges + shape->open <= CN_RIM_EDGES_MAX);
    for (int i = 0; i < edges; i++) {
        cn_vec2 from = cn_vec2_add(turned_vector(pose, shape->vertex[i]), shift);
        cn_vec2 to = cn_vec2_add(turned_vector(pose, shape->vertex[(i + 1) % n]), shift);
        double bulge = shape->bulge == NULL ? 0.0 : shape->bulge[i];
        struct cn_border edge = {from, to, bulge};
        rim->edge[i] = bulge != 0.0
                           ? arc_edge(&edge)
                           : straight_edge(from, to, turned_vector(pose, shape->normal[i]), 0.0);
    }
    rim->count = edges;
    for (int i = 0; i < edges; i++) {
        if (i > 0 || !shape->open) {
            const struct cn_rim_edge *before = &rim->edge[(i + edges - 1) % edges];
            make_corner(&rim->edge[i], normal_to(before), normal_from(&rim->edge[i]),
                before->is_arc || rim->edge[i].is_arc);
        }
    }
    if (shape->open) {
        cn_vec2 first = normal_from(&rim->edge[0]), last = normal_to(&rim->edge[edges - 1]);
        make_corner(&rim->edge[0], cn_vec2_scale(along_of(first), -1.0), first, false);
        cn_vec2 end = rim->edge[edges - 1].edge.to;
        rim->edge[edges] = (struct cn_rim_edge){.edge = {end, end, 0.0}, .is_corner_only = true};
        make_corner(&rim->edge[edges], last, along_of(last), false);
        rim->count++;
    }
}

/* A segment with round ends: two chords and two half circles, in the order of the outline. */
static void
load_capsule(struct cn_rim *rim, const struct cn_shape *shape, const cn_pose *pose, cn_vec2 shift)
{
    for (int i = 0; i < 2; i++) {
        cn_vec2 from = cn_vec2_add(turned_vector(pose, shape->vertex[i]), shift);
        cn_vec2 to = cn_vec2_add(turned_vector(pose, shape->vertex[1 - i]), shift);
        cn_vec2 normal = turned_vector(pose, shape->normal[i]);
        rim->edge[i] = straight_edge(from, to, normal, shape->radius);
        struct cn_border end = {
            cn_vec2_add_scaled(to, shape->radius, normal),
            cn_vec2_add_scaled(to, -shape->radius, normal), 1.0};
        rim->edge[2 + i] = arc_edge(&end);
        rim->edge[2 + i].center = to; /* exactly the core's vertex */
        rim->edge[2 + i].radius = shape->radius;
        rim->edge[2 + i].is_round = true; /* the whole circle is in the capsule */
    }
    rim->count = 4;
}

void
cn_rim_load(struct cn_rim *rim, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin)
{
    cn_vec2 shift = {pose->position.x - origin.x, pose->position.y - origin.y};
    rim->is_solid = shape->vertex_count > 2 || shape->kind == CN_SHAPE_OUTLINE;
    rim->is_solid = rim->is_solid && shape->kind != CN_SHAPE_CHAIN;
    if (shape->vertex_count == 0) {
        cn_vec2 normal = turned_vector(pose, shape->plane_normal);
        cn_vec2 foot = cn_vec2_add_scaled(shift, shape->plane_offset, normal);
        rim->edge[0] = straight_edge(foot, cn_vec2_add(foot, along_of(normal)), normal, 0.0);
        rim->edge[0].is_endless = true;
        rim->count = 1;
    } else if (shape->vertex_count == 1) {
        cn_vec2 center = cn_vec2_add(turned_vector(pose, shape->vertex[0]), shift);
        rim->edge[0] = (struct cn_rim_edge){.edge = {center, center, 0.0},
            .is_arc = true,
            .is_round = true,
            .center = center,
            .radius = shape->radius};
        rim->count = 1;
    } else if (shape->vertex_count == 2 && shape->bulge == NULL) {
        load_capsule(rim, shape, pose, shift);
    } else {
        load_edges(rim, shape, pose, shift);
    }
    CN_ASSERT(0 < rim->count && rim->count <= CN_RIM_EDGES_MAX);
    for (int i = 0; i < rim->count; i++) {
        bound_edge(&rim->edge[i]);
    }
}

bool
cn_rim_corner_faces(const struct cn_rim_edge *corner, cn_vec2 direction, double slack)
{
    CN_ASSERT(corner->has_corner);
    return cn_vec2_cross(corner->corner_first, direction) >= -slack &&
           cn_vec2_cross(direction, corner->corner_last) >= -slack;
}

bool
cn_rim_arc_faces(const struct cn_rim_edge *e, cn_vec2 direction, double slack)
{
    CN_ASSERT(e->is_arc);
    return e->is_round || cn_border_faces(&e->edge, e->center, direction, slack);
}

static bool
is_in_segment(const struct cn_rim_edge *e, cn_vec2 point, double side)
{
    bool is_beyond = (side < 0.0) == (e->radius > 0.0);
    return is_beyond && cn_vec2_length(cn_vec2_sub(point, e->center)) < fabs(e->radius);
}

bool
cn_rim_holds(const struct cn_rim *rim, cn_vec2 point)
{
    if (!rim->is_solid) {
        return true;
    }
    int turns = 0;
    for (int i = 0; i < rim->count; i++) {
        const struct cn_rim_edge *e = &rim->edge[i];
        cn_vec2 p = e->edge.from, q = e->edge.to;
        double side = cn_vec2_cross(cn_vec2_sub(q, p), cn_vec2_sub(point, p));
        turns += p.y <= point.y && q.y > point.y && side > 0.0;
        turns -= q.y <= point.y && p.y > point.y && side < 0.0;
        if (e->is_arc && is_in_segment(e, point, side)) {
            turns += e->radius > 0.0 ? 1 : -1;
        }
    }
    return turns > 0;
}
