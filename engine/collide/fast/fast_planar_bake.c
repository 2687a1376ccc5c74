/* fast_planar_bake.c: the pieces of planar shapes, each about its own middle; their poses. */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_cut.h"
#include "engine/collide/fast/fast_planar_pair.h"
#include "engine/math/scalar.h"

#include <string.h>

static enum cn_fast_form2
form_of(const struct cn_shape *shape)
{
    if (shape->kind == CN_SHAPE_PLANE) {
        return CN_FAST2_PLANE;
    }
    if (shape->bulge != NULL) {
        return CN_FAST2_BORDER;
    }
    switch (shape->vertex_count) {
    case 1:
        return CN_FAST2_CIRCLE;
    case 2:
        return CN_FAST2_CAPSULE;
    default:
        break;
    }
    if (shape->vertex_count > CN_FAST_VERTICES_MAX) {
        return CN_FAST2_LARGE;
    }
    return shape->kind == CN_SHAPE_BOX ? CN_FAST2_BOX : CN_FAST2_POLYGON;
}

/*
 * Rounds to a float.  It needs a volatile: gcc 12 at -O2 removes both conversions of two numbers at
 * once.
 */
static double
rounded(double x)
{
    volatile float nearest = (float)x;
    return (double)nearest;
}

/* Sets the centre to the middle of the vertices' bounds. */
static cn_vec2
put_center(const cn_vec2 *vertex, int count, struct cn_fast_shape2 *fast)
{
    CN_ASSERT(count > 0);
    cn_vec2 low = vertex[0], high = vertex[0];
    for (int i = 1; i < count; i++) {
        low = (cn_vec2){cn_min(low.x, vertex[i].x), cn_min(low.y, vertex[i].y)};
        high = (cn_vec2){cn_max(high.x, vertex[i].x), cn_max(high.y, vertex[i].y)};
    }
    cn_vec2 center = {rounded(0.5 * (low.x + high.x)), rounded(0.5 * (low.y + high.y))};
    fast->center_x = (float)center.x;
    fast->center_y = (float)center.y;
    return center;
}

/* Sets the axis along the first edge, for shapes that have right angles or are long. */
static cn_vec2
put_axis(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    cn_vec2 axis = {1.0, 0.0};
    if (fast->form == CN_FAST2_CAPSULE || fast->form == CN_FAST2_BOX) {
        axis = (cn_vec2){-shape->normal[0].y, shape->normal[0].x};
    }
    fast->axis_x = (float)axis.x;
    fast->axis_y = (float)axis.y;
    return axis;
}

static void
put_vertex(struct cn_fast_shape2 *fast, int i, cn_vec2 vertex)
{
    fast->vertex_x[i] = (float)vertex.x;
    fast->vertex_y[i] = (float)vertex.y;
    fast->half_x = fmaxf(fast->half_x, fabsf(fast->vertex_x[i]));
    fast->half_y = fmaxf(fast->half_y, fabsf(fast->vertex_y[i]));
}

static void
put_edge(struct cn_fast_shape2 *fast, int i, cn_vec2 vertex, cn_vec2 normal)
{
    put_vertex(fast, i, vertex);
    fast->normal_x[i] = (float)normal.x;
    fast->normal_y[i] = (float)normal.y;
    fast->offset[i] = (float)cn_vec2_dot(normal, vertex);
}

static void
put_core(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    CN_ASSERT(2 <= shape->vertex_count && shape->vertex_count <= CN_FAST_VERTICES_MAX);
    cn_vec2 center = put_center(shape->vertex, shape->vertex_count, fast);
    cn_vec2 axis = put_axis(shape, fast);
    for (int i = 0; i < CN_FAST_VERTICES_MAX; i++) {
        int k = i < shape->vertex_count ? i : 0;
        cn_vec2 v = cn_vec2_sub(shape->vertex[k], center), n = shape->normal[k];
        put_edge(fast, i, (cn_vec2){cn_vec2_dot(axis, v), cn_vec2_cross(axis, v)},
            (cn_vec2){cn_vec2_dot(axis, n), cn_vec2_cross(axis, n)});
    }
}

/*
 * Makes a box exactly level, upright and symmetric in its own frame, so that equal boxes give equal
 * bits.
 */
static void
put_box(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    static const double sign_x[] = {-1.0, 1.0, 1.0, -1.0}, sign_y[] = {-1.0, -1.0, 1.0, 1.0};
    static const cn_vec2 normal[] = {{0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}};
    CN_ASSERT(shape->vertex_count == 4);
    put_center(shape->vertex, shape->vertex_count, fast);
    put_axis(shape, fast);
    double x = 0.5 * cn_vec2_length(cn_vec2_sub(shape->vertex[1], shape->vertex[0]));
    double y = 0.5 * cn_vec2_length(cn_vec2_sub(shape->vertex[2], shape->vertex[1]));
    for (int i = 0; i < CN_FAST_VERTICES_MAX; i++) {
        int k = i < 4 ? i : 0;
        put_edge(fast, i, (cn_vec2){sign_x[k] * x, sign_y[k] * y}, normal[k]);
    }
}

/* The vertices themselves stay with the shape. */
static void
put_large(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    cn_vec2 center = put_center(shape->vertex, shape->vertex_count, fast);
    for (int i = 0; i < shape->vertex_count; i++) {
        put_vertex(fast, 0, cn_vec2_sub(shape->vertex[i], center)); /* for the bounds */
    }
}

static void
put_border(const struct cn_cut_piece *cut, struct cn_fast_shape2 *fast)
{
    CN_ASSERT(2 <= cut->count && cut->count <= CN_BORDER_VERTICES_MAX); /* invariant 1 */
    cn_vec2 place[CN_CUT_CORNERS_MAX];
    for (int i = 0; i < cut->count; i++) {
        place[i] = cut->corner[i].place;
    }
    cn_vec2 center = put_center(place, cut->count, fast);
    for (int i = 0; i < CN_BORDER_VERTICES_MAX; i++) {
        const struct cn_cut_corner *corner = &cut->corner[i < cut->count ? i : 0];
        put_edge(fast, i, cn_vec2_sub(corner->place, center), corner->normal);
        fast->vertex_x[CN_BORDER_VERTICES_MAX + i] = (float)corner->first.x;
        fast->vertex_y[CN_BORDER_VERTICES_MAX + i] = (float)corner->first.y;
        fast->normal_x[CN_BORDER_VERTICES_MAX + i] = (float)corner->last.x;
        fast->normal_y[CN_BORDER_VERTICES_MAX + i] = (float)corner->last.y;
        if (i < cut->count) {
            fast->borders = (uint8_t)(fast->borders | (corner->is_border ? 1 << i : 0));
            fast->sectors = (uint8_t)(fast->sectors | (corner->has_sector ? 1 << i : 0));
            fast->ends = (uint8_t)(fast->ends | (corner->is_end ? 1 << i : 0));
        }
    }
}

static void
begin_piece(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    CN_ASSERT(0 <= shape->vertex_count && shape->vertex_count <= CN_POLYGON_VERTICES_MAX);
    memset(fast, 0, sizeof(*fast));
    fast->form = (uint8_t)form_of(shape);
    fast->vertex_count = (uint8_t)shape->vertex_count;
    fast->radius = (float)shape->radius;
    fast->shape = shape;
    fast->axis_x = 1.0f;
}

static void
bake_borders(const struct cn_shape *shape, struct cn_fast_shape2 *pieces)
{
    struct cn_cut cut;
    cn_cut_make(&cut, shape);
    for (int i = 0; i < cut.piece_count; i++) {
        struct cn_cut_piece piece = cn_cut_piece_at(&cut, i);
        begin_piece(shape, &pieces[i]);
        pieces[i].vertex_count = (uint8_t)piece.count;
        pieces[i].one_sided = !cut.solid;
        put_border(&piece, &pieces[i]);
    }
}

int
cn_fast_planar_count(const struct cn_shape *shape)
{
    if (form_of(shape) != CN_FAST2_BORDER) {
        return 1;
    }
    struct cn_cut cut;
    cn_cut_make(&cut, shape);
    CN_ASSERT(cut.piece_count > 0);
    return cut.piece_count;
}

void
cn_fast_planar_bake_pieces(const struct cn_shape *shape, struct cn_fast_shape2 *pieces)
{
    begin_piece(shape, pieces);
    switch ((enum cn_fast_form2)pieces->form) {
    case CN_FAST2_CIRCLE: /* its vertex is the middle, all zeros */
        put_center(shape->vertex, 1, pieces);
        break;
    case CN_FAST2_BOX:
        put_box(shape, pieces);
        break;
    case CN_FAST2_CAPSULE:
    case CN_FAST2_POLYGON:
        put_core(shape, pieces);
        break;
    case CN_FAST2_LARGE:
        put_large(shape, pieces);
        break;
    case CN_FAST2_BORDER:
        bake_borders(shape, pieces);
        break;
    case CN_FAST2_PLANE:
    case CN_FAST2_COUNT:
        break;
    }
}

/* ---- poses ---- */

void
cn_fast_planar_place(const struct cn_fast_shape2 *piece, const struct cn_place2 *place,
    struct cn_fast_placed2 *placed)
{
    bool central = piece->center_x == 0.0f && piece->center_y == 0.0f && piece->axis_x == 1.0f &&
                   piece->axis_y == 0.0f;
    struct cn_fvec2 turn = {place->cosine, place->sine}, axis = turn, arm = {0.0f, 0.0f};
    if (!central) {
        axis = cn_fvec2_turn(turn, (struct cn_fvec2){piece->axis_x, piece->axis_y});
        arm = cn_fvec2_turn(turn, (struct cn_fvec2){piece->center_x, piece->center_y});
    }
    *placed = (struct cn_fast_placed2){
        .x = place->x + (double)arm.x,
        .y = place->y + (double)arm.y,
        .axis_x = axis.x,
        .axis_y = axis.y,
        .arm_x = arm.x,
        .arm_y = arm.y,
        .half_x = piece->half_x,
        .half_y = piece->half_y,
        .radius = piece->radius,
        .form = piece->form,
        .vertex_count = piece->vertex_count,
        .central = central,
        .piece = piece,
    };
}

cn_aabb
cn_fast_planar_aabb(const struct cn_fast_placed2 *placed, double margin)
{
    const struct cn_fast_shape2 *piece = placed->piece;
    CN_ASSERT(placed->form == piece->form); /* invariant 2 */
    float ux = placed->axis_x, uy = placed->axis_y;
    float low_x, low_y, high_x, high_y;
    if (placed->form == CN_FAST2_PLANE) {
        cn_pose pose = cn_fast_placed2_pose(placed);
        return cn_shape_aabb(piece->shape, &pose, margin);
    }
    if (placed->form >= CN_FAST2_POLYGON) {
        struct cn_fast_room2 room;
        struct cn_fast_core2 core = cn_fast_core2_of(piece, &room);
        low_x = high_x = ux * core.vertex_x[0] - uy * core.vertex_y[0];
        low_y = high_y = uy * core.vertex_x[0] + ux * core.vertex_y[0];
        for (int i = 1; i < core.count; i++) {
            float x = ux * core.vertex_x[i] - uy * core.vertex_y[i];
            float y = uy * core.vertex_x[i] + ux * core.vertex_y[i];
            low_x = cn_fmin(low_x, x);
            low_y = cn_fmin(low_y, y);
            high_x = cn_fmax(high_x, x);
            high_y = cn_fmax(high_y, y);
        }
    } else {
        high_x = fabsf(ux) * placed->half_x + fabsf(uy) * placed->half_y;
        high_y = fabsf(uy) * placed->half_x + fabsf(ux) * placed->half_y;
        low_x = -high_x;
        low_y = -high_y;
    }
    double radius = (double)placed->radius;
    double grow = margin + radius +
                  CN_FAST2_BOUNDS_SLACK * (radius + (double)(placed->half_x + placed->half_y));
    return (cn_aabb){
        {placed->x + ((double)low_x - grow), placed->y + ((double)low_y - grow), -margin},
        {placed->x + ((double)high_x + grow), placed->y + ((double)high_y + grow), margin},
    };
}

void
cn_fast_core2_load(const struct cn_fast_shape2 *piece, struct cn_fast_room2 *room)
{
    const struct cn_shape *shape = piece->shape;
    CN_ASSERT(piece->form == CN_FAST2_LARGE && piece->vertex_count == shape->vertex_count);
    CN_ASSERT(shape->vertex_count <= CN_POLYGON_VERTICES_MAX); /* room for whole lanes */
    for (int i = 0; i < (shape->vertex_count + 3) / 4 * 4; i++) {
        int k = i < shape->vertex_count ? i : 0;
        double x = shape->vertex[k].x - (double)piece->center_x;
        double y = shape->vertex[k].y - (double)piece->center_y;
        room->vertex_x[i] = (float)x;
        room->vertex_y[i] = (float)y;
        room->normal_x[i] = (float)shape->normal[k].x;
        room->normal_y[i] = (float)shape->normal[k].y;
        room->offset[i] = (float)(shape->normal[k].x * x + shape->normal[k].y * y);
    }
}
