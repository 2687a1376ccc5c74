/*
 * fast_planar_round.c: discs against everything that has vertices.
 *
 * The point of A's core nearest to the disc's middle gives the normal.  If the middle is within the
 * core, the edge with the shortest way out gives it.  There is at most one point, so it needs no
 * name.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"

/*
 * Between core points nearer than this part of the sum of the radii, rounding leaves no direction.
 */
#define NEAR 1e-5f

struct round {
    struct cn_fvec2 between; /* of the middles, world axes */
    float radius, reach;     /* sum of the roundings, and with the margin */
};

static inline struct round
round_of(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin)
{
    float radius = a->radius + b->radius;
    return (struct round){
        {(float)(b->x - a->x), (float)(b->y - a->y)}, radius, radius + margin};
}

/* Writes the point at A's core point `from`, which is relative to A's middle, in world axes. */
static inline void
put(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, const struct round *round,
    struct cn_fvec2 from, struct cn_fvec2 normal, float distance, struct cn_manifold2 *manifold)
{
    float separation = distance - round->radius;
    struct cn_fvec2 p = cn_fvec2_add_scaled(from, a->radius + 0.5f * separation, normal);
    CN_ASSERT(manifold->point_count == 0); /* a disc has one point */
    struct cn_point2 *point = &manifold->point[0];
    manifold->normal_x = normal.x;
    manifold->normal_y = normal.y;
    manifold->point_count = 1;
    point->anchor_ax = a->arm_x + p.x;
    point->anchor_ay = a->arm_y + p.y;
    point->anchor_bx = b->arm_x + (p.x - round->between.x);
    point->anchor_by = b->arm_y + (p.y - round->between.y);
    point->separation = separation;
}

/* The same, with `from` and normal in A's axes. */
static inline void
put_turned(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct round *round, struct cn_fvec2 from, struct cn_fvec2 normal, float distance,
    struct cn_manifold2 *manifold)
{
    struct cn_fvec2 axis = {a->axis_x, a->axis_y};
    put(a, b, round, cn_fvec2_turn(axis, from), cn_fvec2_turn(axis, normal), distance, manifold);
}

void
cn_fast_pair2_circles(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 d = round.between;
    float square = cn_fvec2_dot(d, d);
    if (!(square <= round.reach * round.reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal = {0.0f, 1.0f};
    if (distance > NEAR * round.radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    }
    put(a, b, &round, (struct cn_fvec2){0.0f, 0.0f}, normal, distance, manifold);
}

/* Capsules, boxes: the middle of the disc against a rectangle, which may be flat. */
void
cn_fast_pair2_box_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 c = cn_fvec2_turn_back((struct cn_fvec2){a->axis_x, a->axis_y}, round.between);
    struct cn_fvec2 nearest = {cn_fmax(-a->half_x, cn_fmin(c.x, a->half_x)),
        cn_fmax(-a->half_y, cn_fmin(c.y, a->half_y))};
    struct cn_fvec2 d = cn_fvec2_sub(c, nearest);
    float square = cn_fvec2_dot(d, d);
    if (!(square <= round.reach * round.reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal;
    if (distance > NEAR * round.radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    } else {
        float side_x = fabsf(c.x) - a->half_x, side_y = fabsf(c.y) - a->half_y;
        if (side_x > side_y) {
            normal = (struct cn_fvec2){c.x < 0.0f ? -1.0f : 1.0f, 0.0f};
            nearest.x = normal.x * a->half_x;
            distance = side_x;
        } else {
            normal = (struct cn_fvec2){0.0f, c.y < 0.0f ? -1.0f : 1.0f};
            nearest.y = normal.y * a->half_y;
            distance = side_y;
        }
    }
    put_turned(a, b, &round, nearest, normal, distance, manifold);
}

/* The edge, among those in `mask`, with the largest side of a point; sets that side. */
static inline int
best_edge(const struct cn_fast_core2 *core, struct cn_fvec2 c, uint64_t mask, float *side)
{
    int best = -1;
    *side = -HUGE_VALF;
    for (int i = 0; i < core->count; i++) {
        float s = core->normal_x[i] * c.x + core->normal_y[i] * c.y - core->offset[i];
        bool better = s > *side && (mask >> i & 1U) != 0;
        best = better ? i : best;
        *side = better ? s : *side;
    }
    return best;
}

/* The corner of an edge beyond which the foot of a point lies; -1: the foot is between the ends. */
static inline int
corner_beside(const struct cn_fast_core2 *core, int edge, struct cn_fvec2 c)
{
    CN_ASSERT(0 <= edge && edge < core->count);
    int next = edge + 1 < core->count ? edge + 1 : 0;
    struct cn_fvec2 along = {-core->normal_y[edge], core->normal_x[edge]};
    struct cn_fvec2 from = {core->vertex_x[edge], core->vertex_y[edge]};
    struct cn_fvec2 to = {core->vertex_x[next], core->vertex_y[next]};
    if (cn_fvec2_dot(cn_fvec2_sub(c, from), along) < 0.0f) {
        return edge;
    }
    return cn_fvec2_dot(cn_fvec2_sub(c, to), along) > 0.0f ? next : -1;
}

/* Tests a corner against the disc; `border`: the corner must have the normal. */
static void
meet_corner(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct round *round, struct cn_fvec2 corner, struct cn_fvec2 c, int border,
    struct cn_manifold2 *manifold)
{
    struct cn_fvec2 d = cn_fvec2_sub(c, corner);
    float square = cn_fvec2_dot(d, d);
    if (!(square <= round->reach * round->reach)) {
        return;
    }
    float distance = sqrtf(square), scale = 1.0f / distance;
    struct cn_fvec2 normal = {scale * d.x, scale * d.y};
    if (border < 0 ||
        cn_fast_border2_admits(a->piece, border, normal, CN_FAST2_SECTOR_TIGHT)) {
        put_turned(a, b, round, corner, normal, distance, manifold);
    }
}

void
cn_fast_pair2_polygon_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 c = cn_fvec2_turn_back((struct cn_fvec2){a->axis_x, a->axis_y}, round.between);
    struct cn_fast_room2 room;
    struct cn_fast_core2 core = cn_fast_core2_of(a->piece, &room);
    float side;
    int edge = best_edge(&core, c, UINT64_MAX, &side);
    if (!(side <= round.reach) || edge < 0) {
        return;
    }
    int corner = corner_beside(&core, edge, c);
    if (side > NEAR * round.radius && corner >= 0) {
        struct cn_fvec2 from = {core.vertex_x[corner], core.vertex_y[corner]};
        meet_corner(a, b, &round, from, c, -1, manifold);
        return;
    }
    struct cn_fvec2 normal = {core.normal_x[edge], core.normal_y[edge]};
    put_turned(a, b, &round, cn_fvec2_add_scaled(c, -side, normal), normal, side, manifold);
}

/* Whether the outline's next edge at a corner is a shorter way out for a point than `side`. */
static inline bool
is_neighbours(const struct cn_fast_shape2 *piece, int corner, struct cn_fvec2 neighbour,
    struct cn_fvec2 c, float side)
{
    struct cn_fvec2 from = {piece->vertex_x[corner], piece->vertex_y[corner]};
    return (piece->sectors >> corner & 1) != 0 && (piece->ends >> corner & 1) == 0 &&
           cn_fvec2_dot(neighbour, cn_fvec2_sub(c, from)) > side;
}

/*
 * Takes the real edge above which the disc's middle is highest.  If the foot is beyond the edge's
 * end, it takes the corner there; a normal that this corner does not admit belongs to a neighbour.
 */
void
cn_fast_pair2_border_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 c = cn_fvec2_turn_back((struct cn_fvec2){a->axis_x, a->axis_y}, round.between);
    const struct cn_fast_shape2 *piece = a->piece;
    struct cn_fast_room2 room;
    struct cn_fast_core2 core = cn_fast_core2_of(piece, &room);
    float side, most, least = piece->one_sided ? 0.0f : -round.radius;
    best_edge(&core, c, UINT64_MAX, &most);
    int edge = best_edge(&core, c, piece->borders, &side);
    if (!(most <= round.reach) || edge < 0 || side < least) {
        return;
    }
    int corner = corner_beside(&core, edge, c);
    if (corner >= 0) {
        struct cn_fvec2 from = {core.vertex_x[corner], core.vertex_y[corner]};
        if (side > NEAR * round.radius) {
            meet_corner(a, b, &round, from, c, corner, manifold);
        }
        return;
    }
    int next = edge + 1 < core.count ? edge + 1 : 0;
    if (side < 0.0f &&
        (is_neighbours(piece, edge, cn_fast_border2_first(piece, edge), c, side) ||
            is_neighbours(piece, next, cn_fast_border2_last(piece, next), c, side))) {
        return;
    }
    struct cn_fvec2 normal = {core.normal_x[edge], core.normal_y[edge]};
    put_turned(a, b, &round, cn_fvec2_add_scaled(c, -side, normal), normal, side, manifold);
}
