/*
 * solid_oracle.h: the distance of two cores, computed over every pair of features.
 *
 * Two convex cores that do not overlap are nearest at a vertex and a point of a face, or at two
 * points of edges.  All of these pairs are tried, with faces as fans of triangles.  The cores
 * overlap if a vertex of one is inside the other, or an edge of one passes through the other.  Only
 * the polytopes are shared with the narrowphase.
 */
#ifndef TESTS_SUPPORT_COLLIDE_SOLID_ORACLE_H
#define TESTS_SUPPORT_COLLIDE_SOLID_ORACLE_H

#include "tests/support/collide/solids.h"

static inline double
oracle_clamp(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static inline double
oracle_point_segment(cn_vec3 p, cn_vec3 a, cn_vec3 b)
{
    cn_vec3 d = cn_vec3_sub(b, a), from = cn_vec3_sub(p, a);
    double square = cn_vec3_dot(d, d);
    double t = square > 0.0 ? oracle_clamp(cn_vec3_dot(from, d) / square) : 0.0;
    return cn_vec3_length(cn_vec3_add_scaled(from, -t, d));
}

static inline double
oracle_segments(cn_vec3 a, cn_vec3 b, cn_vec3 c, cn_vec3 d)
{
    cn_vec3 u = cn_vec3_sub(b, a), v = cn_vec3_sub(d, c), w = cn_vec3_sub(a, c);
    double uu = cn_vec3_dot(u, u), uv = cn_vec3_dot(u, v), vv = cn_vec3_dot(v, v);
    double uw = cn_vec3_dot(u, w), vw = cn_vec3_dot(v, w), det = uu * vv - uv * uv;
    double best = fmin(fmin(oracle_point_segment(a, c, d), oracle_point_segment(b, c, d)),
        fmin(oracle_point_segment(c, a, b), oracle_point_segment(d, a, b)));
    if (det > 1e-14 * uu * vv) {
        double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
            cn_vec3 between = cn_vec3_add_scaled(cn_vec3_add_scaled(w, s, u), -t, v);
            best = fmin(best, cn_vec3_length(between));
        }
    }
    return best;
}

/* HUGE_VAL where the foot is outside: then an edge is nearer. */
static inline double
oracle_point_triangle(cn_vec3 p, cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    cn_vec3 n = cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a));
    double length = cn_vec3_length(n);
    if (length == 0.0) {
        return HUGE_VAL;
    }
    const cn_vec3 corner[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        cn_vec3 side = cn_vec3_sub(corner[(i + 1) % 3], corner[i]);
        if (cn_vec3_dot(cn_vec3_cross(side, cn_vec3_sub(p, corner[i])), n) <
            -1e-9 * length * length) {
            return HUGE_VAL;
        }
    }
    return fabs(cn_vec3_dot(n, cn_vec3_sub(p, a))) / length;
}

static inline cn_vec3
oracle_vertex(const struct cn_shape *s, const cn_pose *pose, int i)
{
    return cn_pose_apply(pose, s->core.vertex[i]);
}

/* The least distance of s's vertices from t's faces. */
static inline double
oracle_vertices_faces(
    const struct cn_shape *s, const cn_pose *ps, const struct cn_shape *t, const cn_pose *pt)
{
    double best = HUGE_VAL;
    for (int i = 0; i < t->core.face_count; i++) {
        const struct cn_corner *corner = &t->core.corner[t->core.face[i].corner_first];
        cn_vec3 a = oracle_vertex(t, pt, corner[0].vertex);
        for (int k = 1; k + 1 < t->core.face[i].corner_count; k++) {
            cn_vec3 b = oracle_vertex(t, pt, corner[k].vertex);
            cn_vec3 c = oracle_vertex(t, pt, corner[k + 1].vertex);
            for (int j = 0; j < s->core.vertex_count; j++) {
                best = fmin(best, oracle_point_triangle(oracle_vertex(s, ps, j), a, b, c));
            }
        }
    }
    return best;
}

/* Whether the segment from p to q runs through the inside of t. */
static inline bool
oracle_pierces(cn_vec3 p, cn_vec3 q, const struct cn_shape *t, const cn_pose *pt)
{
    double low = 0.0, high = 1.0;
    cn_vec3 local_p = cn_pose_invert(pt, p), local_q = cn_pose_invert(pt, q);
    for (int i = 0; i < t->core.face_count; i++) {
        const struct cn_face *f = &t->core.face[i];
        double at_p = cn_vec3_dot(f->normal, local_p) - f->offset;
        double at_q = cn_vec3_dot(f->normal, local_q) - f->offset;
        if (at_p >= 0.0 && at_q >= 0.0) {
            return false;
        }
        if (at_p > 0.0) {
            low = fmax(low, at_p / (at_p - at_q));
        } else if (at_q > 0.0) {
            high = fmin(high, at_p / (at_p - at_q));
        }
    }
    return t->core.face_count > 0 && low < high;
}

static inline bool
oracle_edges_pierce(
    const struct cn_shape *s, const cn_pose *ps, const struct cn_shape *t, const cn_pose *pt)
{
    for (int i = 0; i < s->core.edge_count; i++) {
        cn_vec3 p = oracle_vertex(s, ps, s->core.edge[i].tail);
        cn_vec3 q = oracle_vertex(s, ps, s->core.edge[i].head);
        if (oracle_pierces(p, q, t, pt)) {
            return true;
        }
    }
    if (s->core.vertex_count == 1) {
        cn_vec3 p = oracle_vertex(s, ps, 0);
        return oracle_pierces(p, p, t, pt);
    }
    return false;
}

/* The distance of the cores, 0 where they overlap [m]. */
static inline double
oracle_distance(
    const struct cn_shape *s, const cn_pose *ps, const struct cn_shape *t, const cn_pose *pt)
{
    if (oracle_edges_pierce(s, ps, t, pt) || oracle_edges_pierce(t, pt, s, ps)) {
        return 0.0;
    }
    double best = fmin(oracle_vertices_faces(s, ps, t, pt), oracle_vertices_faces(t, pt, s, ps));
    int s_edges = s->core.edge_count, t_edges = t->core.edge_count;
    for (int i = 0; i < (s_edges > 0 ? s_edges : 1); i++) {
        cn_vec3 a = oracle_vertex(s, ps, s_edges > 0 ? s->core.edge[i].tail : 0);
        cn_vec3 b = oracle_vertex(s, ps, s_edges > 0 ? s->core.edge[i].head : 0);
        for (int k = 0; k < (t_edges > 0 ? t_edges : 1); k++) {
            cn_vec3 c = oracle_vertex(t, pt, t_edges > 0 ? t->core.edge[k].tail : 0);
            cn_vec3 d = oracle_vertex(t, pt, t_edges > 0 ? t->core.edge[k].head : 0);
            best = fmin(best, oracle_segments(a, b, c, d));
        }
    }
    return best;
}

#endif
