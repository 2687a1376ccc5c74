#include "engine/collide/query/flat.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Nearer to a decision than this is unknown: a length [m], and a part of the distances. */
#define NEAR 1e-8
#define NEAR_PART 1e-12

#define GRAZE 1e-6 /* the sine of a way along an edge: a ball that touches the edge is unknown */

/* Two cores with straight edges, in the frame of A. */
struct flat_pair {
    const cn_vec2 *a;
    cn_vec2 b[CN_POLYGON_VERTICES_MAX];
    int a_count, b_count;
    double near; /* m */
};

static bool
load_pair(struct flat_pair *pair, const struct cn_convex *a, const struct cn_convex *b,
    const cn_pose *b_in_a)
{
    if (a->flat == NULL || b->flat == NULL || a->is_arc || b->is_arc ||
        b->vertex_count > CN_POLYGON_VERTICES_MAX) {
        return false;
    }
    CN_ASSERT(a->vertex_count >= 1 && b->vertex_count >= 1);
    pair->a = a->flat;
    pair->a_count = a->vertex_count;
    pair->b_count = b->vertex_count;
    cn_vec3 x = b_in_a->rotation.cx, y = b_in_a->rotation.cy, at = b_in_a->position;
    for (int i = 0; i < b->vertex_count; i++) {
        cn_vec2 p = b->flat[i];
        pair->b[i] = (cn_vec2){at.x + x.x * p.x + y.x * p.y, at.y + x.y * p.x + y.y * p.y};
    }
    double size = fabs(at.x) + fabs(at.y) + fabs(a->flat[0].x) + fabs(a->flat[0].y);
    pair->near = NEAR + NEAR_PART * size;
    return isfinite(size);
}

/* An edge of a counter-clockwise polygon, or a side of a segment: outward normal and its square. */
static cn_vec2
edge_normal(const cn_vec2 *vertex, int count, int i)
{
    return cn_vec2_right(cn_vec2_sub(vertex[i + 1 < count ? i + 1 : 0], vertex[i]));
}

/* The least of n . (p - from) over points. */
static double
lowest(const cn_vec2 *point, int count, cn_vec2 from, cn_vec2 n)
{
    double low = cn_vec2_dot(n, cn_vec2_sub(point[0], from));
    for (int i = 1; i < count; i++) {
        low = cn_min(low, cn_vec2_dot(n, cn_vec2_sub(point[i], from)));
    }
    return low;
}

/* Whether `low`, times the length of a normal whose square is given, is above `length`. */
static bool
is_above(double low, double length, double square)
{
    return low > 0.0 && low * low > length * length * square;
}

/* The normals of one core's edges against the other core's points. */
static enum cn_flat_answer
try_sides(const cn_vec2 *owner, int owner_count, const cn_vec2 *other, int other_count,
    double reach, double near)
{
    bool inside = true;
    for (int i = 0; i < owner_count && owner_count > 1; i++) {
        cn_vec2 n = edge_normal(owner, owner_count, i);
        double low = lowest(other, other_count, owner[i], n), square = cn_vec2_dot(n, n);
        if (is_above(low, reach + near, square)) {
            return CN_FLAT_APART;
        }
        inside = inside && is_above(-low, near, square);
    }
    return inside ? CN_FLAT_OVERLAP : CN_FLAT_UNKNOWN;
}

enum cn_flat_answer
cn_flat_overlap(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, double reach)
{
    struct flat_pair pair;
    if (!load_pair(&pair, a, b, b_in_a) || (a->vertex_count < 3 && b->vertex_count < 3)) {
        return CN_FLAT_UNKNOWN;
    }
    enum cn_flat_answer first =
        try_sides(pair.a, pair.a_count, pair.b, pair.b_count, reach, pair.near);
    if (first == CN_FLAT_APART) {
        return first;
    }
    enum cn_flat_answer second =
        try_sides(pair.b, pair.b_count, pair.a, pair.a_count, reach, pair.near);
    return second == CN_FLAT_APART || first == CN_FLAT_OVERLAP ? second : first;
}

/* Whether the sides of `owner` keep the other core away while that moves by `way`. */
static bool
keeps_away(const cn_vec2 *owner, int owner_count, const cn_vec2 *other, int other_count,
    cn_vec2 way, double reach)
{
    for (int i = 0; i < owner_count && owner_count > 1; i++) {
        cn_vec2 n = edge_normal(owner, owner_count, i);
        double low = lowest(other, other_count, owner[i], n);
        low += cn_min(cn_vec2_dot(n, way), 0.0);
        if (is_above(low, reach, cn_vec2_dot(n, n))) {
            return true;
        }
    }
    return false;
}

bool
cn_flat_misses(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    cn_vec3 along, double max, double reach)
{
    struct flat_pair pair;
    cn_vec2 way = {max * along.x, max * along.y};
    if (!load_pair(&pair, a, b, b_in_a)) {
        return false;
    }
    double far = reach + pair.near + NEAR_PART * cn_vec2_length(way);
    cn_vec2 back = {-way.x, -way.y};
    if (keeps_away(pair.a, pair.a_count, pair.b, pair.b_count, way, far) ||
        keeps_away(pair.b, pair.b_count, pair.a, pair.a_count, back, far)) {
        return true;
    }
    for (int side = -1; side <= 1; side += 2) { /* beside the way */
        cn_vec2 n = cn_vec2_scale(cn_vec2_right(way), side);
        double high = -lowest(pair.a, pair.a_count, pair.b[0], cn_vec2_scale(n, -1.0));
        double low = lowest(pair.b, pair.b_count, pair.b[0], n);
        if (is_above(low - high, far, cn_vec2_dot(n, n))) {
            return true;
        }
    }
    return false;
}

/* The interval of the way in which a ball is behind all sides, moved outwards by the reach. */
struct flat_way {
    double enter, leave;
    int edge; /* by which it enters */
};

/* False: unknown. */
static bool
pass_sides(const struct flat_pair *pair, cn_vec2 along, double reach, struct flat_way *way)
{
    double slow = GRAZE * cn_vec2_length(along);
    bool outside = false;
    *way = (struct flat_way){-HUGE_VAL, HUGE_VAL, -1};
    for (int i = 0; i < pair->a_count; i++) {
        cn_vec2 n = edge_normal(pair->a, pair->a_count, i);
        double length = cn_vec2_length(n);
        double gap = cn_vec2_dot(n, cn_vec2_sub(pair->b[0], pair->a[i])) / length - reach;
        double speed = cn_vec2_dot(n, along) / length;
        if (fabs(speed) <= slow && fabs(gap) <= pair->near) {
            return false;
        }
        outside = outside || gap > pair->near;
        if (speed > 0.0 || (speed == 0.0 && gap > 0.0)) {
            way->leave = speed == 0.0 ? -HUGE_VAL : cn_min(way->leave, gap / -speed);
        } else if (speed < 0.0 && gap / -speed > way->enter) {
            way->enter = gap / -speed;
            way->edge = i;
        }
    }
    return outside && (way->edge >= 0 || way->leave < 0.0);
}

/* Where a point comes within `reach` of a corner.  False: unknown. */
static bool
hit_corner(const struct flat_pair *pair, cn_vec2 along, cn_vec2 corner, double reach,
    struct cn_flat_hit *hit)
{
    cn_vec2 away = cn_vec2_sub(pair->b[0], corner);
    double square = cn_vec2_dot(along, along), middle = -cn_vec2_dot(away, along) / square;
    cn_vec2 nearest = cn_vec2_add_scaled(away, middle, along);
    double half = reach * reach - cn_vec2_dot(nearest, nearest);
    if (fabs(half) <= (reach + pair->near) * pair->near || reach <= pair->near) {
        return false;
    }
    if (half > 0.0) {
        double t = middle - sqrt(half / square);
        cn_vec2 out = cn_vec2_add_scaled(away, t, along);
        *hit = (struct cn_flat_hit){
            false, t, corner, cn_vec2_scale(out, 1.0 / cn_vec2_length(out))};
    }
    return true;
}

static double
segment_square(cn_vec2 p, cn_vec2 from, cn_vec2 to)
{
    cn_vec2 edge = cn_vec2_sub(to, from), away = cn_vec2_sub(p, from);
    double square = cn_vec2_dot(edge, edge);
    double part = square > 0.0 ? cn_clamp(cn_vec2_dot(away, edge) / square, 0.0, 1.0) : 0.0;
    away = cn_vec2_add_scaled(away, -part, edge);
    return cn_vec2_dot(away, away);
}

/* Whether the point B is certainly nearer to A's border than `reach`, or in A. */
static bool
is_within(const struct flat_pair *pair, double reach)
{
    double least = reach - pair->near;
    bool inside = true, near = false;
    for (int i = 0; i < pair->a_count; i++) {
        cn_vec2 from = pair->a[i], to = pair->a[i + 1 < pair->a_count ? i + 1 : 0];
        cn_vec2 n = cn_vec2_right(cn_vec2_sub(to, from));
        double gap = cn_vec2_dot(n, cn_vec2_sub(pair->b[0], from));
        inside = inside && is_above(-gap, pair->near, cn_vec2_dot(n, n));
        near = near || (least > 0.0 && segment_square(pair->b[0], from, to) < least * least);
    }
    return inside || near;
}

bool
cn_flat_cast_ball(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    cn_vec3 along, double reach, struct cn_flat_hit *hit)
{
    struct flat_pair pair;
    struct flat_way way;
    cn_vec2 u = {along.x, along.y};
    *hit = (struct cn_flat_hit){.fraction = HUGE_VAL};
    if (a->vertex_count < 3 || b->vertex_count != 1 || !load_pair(&pair, a, b, b_in_a)) {
        return false;
    }
    if (!pass_sides(&pair, u, reach, &way)) {
        hit->is_inside = is_within(&pair, reach);
        return hit->is_inside;
    }
    if (way.enter > way.leave || way.leave < 0.0) {
        return true;
    }
    cn_vec2 from = pair.a[way.edge];
    cn_vec2 edge = cn_vec2_sub(pair.a[way.edge + 1 < pair.a_count ? way.edge + 1 : 0], from);
    cn_vec2 at = cn_vec2_add_scaled(pair.b[0], way.enter, u);
    double part = cn_vec2_dot(cn_vec2_sub(at, from), edge) / cn_vec2_dot(edge, edge);
    if (part < 0.0 || part > 1.0) {
        return hit_corner(
            &pair, u, part < 0.0 ? from : cn_vec2_add_scaled(from, 1.0, edge), reach, hit);
    }
    cn_vec2 n = cn_vec2_right(edge);
    *hit = (struct cn_flat_hit){false, way.enter, cn_vec2_add_scaled(from, part, edge),
        cn_vec2_scale(n, 1.0 / cn_vec2_length(n))};
    return way.enter >= 0.0;
}
