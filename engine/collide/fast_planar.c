/* fast_planar.c: pieces of planar shapes, and how two of them meet. */
#include "engine/collide/fast_planar.h"

#include "engine/base/assert.h"
#include "engine/collide/fast_planar_pair.h"
#include "engine/collide/manifold.h"

#include <stdbool.h>
#include <string.h>

int
cn_fast_planar_count(const struct cn_shape *shape)
{
    (void)shape;
    return 1;
}

static enum cn_fast_form2
form_of(const struct cn_shape *shape)
{
    if (shape->kind == CN_SHAPE_PLANE) {
        return CN_FAST2_PLANE;
    }
    if (shape->bulge != NULL || shape->vertex_count > CN_FAST_VERTICES_MAX) {
        return CN_FAST2_OTHER;
    }
    switch (shape->vertex_count) {
    case 1:
        return CN_FAST2_CIRCLE;
    case 2:
        return CN_FAST2_CAPSULE;
    default:
        return shape->kind == CN_SHAPE_BOX ? CN_FAST2_BOX : CN_FAST2_POLYGON;
    }
}

/* At the middle of the bounds of the vertices; along an edge of what is longer than wide. */
static cn_vec2
put_frame(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    cn_vec2 low = shape->vertex[0], high = shape->vertex[0];
    for (int i = 1; i < shape->vertex_count; i++) {
        low.x = fmin(low.x, shape->vertex[i].x);
        low.y = fmin(low.y, shape->vertex[i].y);
        high.x = fmax(high.x, shape->vertex[i].x);
        high.y = fmax(high.y, shape->vertex[i].y);
    }
    fast->center_x = (float)(0.5 * (low.x + high.x));
    fast->center_y = (float)(0.5 * (low.y + high.y));
    cn_vec2 axis = {1.0, 0.0};
    if (fast->form == CN_FAST2_CAPSULE || fast->form == CN_FAST2_BOX) {
        axis = (cn_vec2){-shape->normal[0].y, shape->normal[0].x};
    }
    fast->axis_x = (float)axis.x;
    fast->axis_y = (float)axis.y;
    return axis;
}

static void
put_edge(struct cn_fast_shape2 *fast, int i, cn_vec2 vertex, cn_vec2 normal)
{
    fast->vertex_x[i] = (float)vertex.x;
    fast->vertex_y[i] = (float)vertex.y;
    fast->normal_x[i] = (float)normal.x;
    fast->normal_y[i] = (float)normal.y;
    fast->offset[i] = (float)cn_vec2_dot(normal, vertex);
    fast->half_x = fmaxf(fast->half_x, fabsf(fast->vertex_x[i]));
    fast->half_y = fmaxf(fast->half_y, fabsf(fast->vertex_y[i]));
}

static void
put_core(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    cn_vec2 axis = put_frame(shape, fast);
    cn_vec2 center = {(double)fast->center_x, (double)fast->center_y};
    for (int i = 0; i < CN_FAST_VERTICES_MAX; i++) {
        int k = i < shape->vertex_count ? i : 0;
        cn_vec2 v = cn_vec2_sub(shape->vertex[k], center), n = shape->normal[k];
        put_edge(fast, i, (cn_vec2){cn_vec2_dot(axis, v), cn_vec2_cross(axis, v)},
            (cn_vec2){cn_vec2_dot(axis, n), cn_vec2_cross(axis, n)});
    }
}

/* Exactly level, upright and symmetric in its own frame, so that equal boxes meet in equal bits. */
static void
put_box(const struct cn_shape *shape, struct cn_fast_shape2 *fast)
{
    static const double sign_x[] = {-1.0, 1.0, 1.0, -1.0}, sign_y[] = {-1.0, -1.0, 1.0, 1.0};
    static const cn_vec2 normal[] = {{0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}};
    put_frame(shape, fast);
    double x = 0.5 * cn_vec2_length(cn_vec2_sub(shape->vertex[1], shape->vertex[0]));
    double y = 0.5 * cn_vec2_length(cn_vec2_sub(shape->vertex[2], shape->vertex[1]));
    for (int i = 0; i < CN_FAST_VERTICES_MAX; i++) {
        int k = i < 4 ? i : 0;
        put_edge(fast, i, (cn_vec2){sign_x[k] * x, sign_y[k] * y}, normal[k]);
    }
}

void
cn_fast_planar_bake(const struct cn_shape *shape, struct cn_fast_shape2 *pieces)
{
    memset(pieces, 0, sizeof(*pieces));
    pieces->form = (uint8_t)form_of(shape);
    pieces->radius = (float)shape->radius;
    pieces->shape = shape;
    pieces->axis_x = 1.0f;
    switch ((enum cn_fast_form2)pieces->form) {
    case CN_FAST2_CIRCLE: /* its vertex is the middle, all zeros */
        pieces->center_x = (float)shape->vertex[0].x;
        pieces->center_y = (float)shape->vertex[0].y;
        break;
    case CN_FAST2_BOX:
        put_box(shape, pieces);
        break;
    case CN_FAST2_CAPSULE:
    case CN_FAST2_POLYGON:
        put_core(shape, pieces);
        break;
    default:
        return;
    }
    pieces->vertex_count = (uint8_t)shape->vertex_count;
}

static struct cn_fast_pose2
pose_of(const struct cn_fast_shape2 *a, const struct cn_place2 *pa, const struct cn_fast_shape2 *b,
    const struct cn_place2 *pb, float margin)
{
    struct cn_fvec2 turn_a = {pa->cosine, pa->sine}, turn_b = {pb->cosine, pb->sine};
    struct cn_fvec2 axis_a = cn_fvec2_turn(turn_a, (struct cn_fvec2){a->axis_x, a->axis_y});
    struct cn_fvec2 axis_b = cn_fvec2_turn(turn_b, (struct cn_fvec2){b->axis_x, b->axis_y});
    struct cn_fvec2 arm_a = cn_fvec2_turn(turn_a, (struct cn_fvec2){a->center_x, a->center_y});
    struct cn_fvec2 arm_b = cn_fvec2_turn(turn_b, (struct cn_fvec2){b->center_x, b->center_y});
    struct cn_fvec2 between = {
        (float)((pb->x - pa->x) + ((double)arm_b.x - (double)arm_a.x)),
        (float)((pb->y - pa->y) + ((double)arm_b.y - (double)arm_a.y)),
    };
    return (struct cn_fast_pose2){
        .axis_a = axis_a,
        .arm_a = arm_a,
        .arm_b = arm_b,
        .between = between,
        .place_b = cn_fvec2_turn_back(axis_a, between),
        .turn_b = cn_fvec2_turn_back(axis_a, axis_b),
        .margin = margin,
        .tie = CN_FAST2_TIE * margin,
    };
}

/* From the frame of A's piece to world axes and both centres of mass. */
static void
put_manifold(const struct cn_fast_found2 *found, const struct cn_fast_pose2 *pose,
    struct cn_manifold2 *manifold)
{
    struct cn_fvec2 normal = cn_fvec2_turn(pose->axis_a, found->normal);
    manifold->normal_x = normal.x;
    manifold->normal_y = normal.y;
    for (int i = 0; i < found->count; i++) {
        struct cn_fvec2 p = cn_fvec2_turn(pose->axis_a, found->point[i]);
        manifold->point[i] = (struct cn_point2){
            .anchor_ax = pose->arm_a.x + p.x,
            .anchor_ay = pose->arm_a.y + p.y,
            .anchor_bx = pose->arm_b.x + (p.x - pose->between.x),
            .anchor_by = pose->arm_b.y + (p.y - pose->between.y),
            .separation = found->separation[i],
            .feature = found->feature[i],
        };
    }
    manifold->point_count = found->count;
}

static void
mirror(struct cn_manifold2 *manifold)
{
    manifold->normal_x = -manifold->normal_x;
    manifold->normal_y = -manifold->normal_y;
    for (int i = 0; i < manifold->point_count; i++) {
        struct cn_point2 *p = &manifold->point[i];
        float x = p->anchor_ax, y = p->anchor_ay;
        p->anchor_ax = p->anchor_bx;
        p->anchor_ay = p->anchor_by;
        p->anchor_bx = x;
        p->anchor_by = y;
    }
}

static void
carry_over(const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    if (last == NULL || last->point_count == 0 || manifold->point_count == 0) {
        return;
    }
    manifold->rolling_impulse = last->rolling_impulse;
    for (int i = 0; i < manifold->point_count; i++) {
        struct cn_point2 *p = &manifold->point[i];
        for (int k = 0; k < last->point_count; k++) {
            if (last->point[k].feature == p->feature) {
                p->normal_impulse = last->point[k].normal_impulse;
                p->tangent_impulse = last->point[k].tangent_impulse;
            }
        }
    }
}

/* Rows: A's form; NULL: the other way around, or not here. */
static cn_fast_pair2 *const pair_table[CN_FAST2_COUNT][CN_FAST2_COUNT] = {
    [CN_FAST2_CIRCLE] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_circles},
    [CN_FAST2_CAPSULE] =
        {
            [CN_FAST2_CIRCLE] = cn_fast_pair2_capsule_circle,
            [CN_FAST2_CAPSULE] = cn_fast_pair2_polygons,
            [CN_FAST2_BOX] = cn_fast_pair2_polygons,
            [CN_FAST2_POLYGON] = cn_fast_pair2_polygons,
        },
    [CN_FAST2_BOX] =
        {
            [CN_FAST2_CIRCLE] = cn_fast_pair2_box_circle,
            [CN_FAST2_CAPSULE] = cn_fast_pair2_polygons,
            [CN_FAST2_BOX] = cn_fast_pair2_polygons,
            [CN_FAST2_POLYGON] = cn_fast_pair2_polygons,
        },
    [CN_FAST2_POLYGON] =
        {
            [CN_FAST2_CIRCLE] = cn_fast_pair2_polygon_circle,
            [CN_FAST2_CAPSULE] = cn_fast_pair2_polygons,
            [CN_FAST2_BOX] = cn_fast_pair2_polygons,
            [CN_FAST2_POLYGON] = cn_fast_pair2_polygons,
        },
};

static void
collide_pair(cn_fast_pair2 *pair, const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    struct cn_manifold2 *manifold)
{
    struct cn_fast_pose2 pose = pose_of(a, place_a, b, place_b, margin);
    struct cn_fast_found2 found;
    found.count = 0;
    pair(a, b, &pose, &manifold->hint, &found);
    if (found.count > 0) {
        put_manifold(&found, &pose, manifold);
    }
}

void
cn_fast_planar_collide(const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    *manifold = (struct cn_manifold2){.hint = last == NULL ? 0U : last->hint};
    cn_fast_pair2 *pair = pair_table[a->form][b->form], *turned = pair_table[b->form][a->form];
    if (pair != NULL) {
        collide_pair(pair, a, place_a, b, place_b, margin, manifold);
    } else if (turned != NULL) {
        collide_pair(turned, b, place_b, a, place_a, margin, manifold);
        mirror(manifold);
    } else if (a->form == CN_FAST2_OTHER || b->form == CN_FAST2_OTHER) {
        cn_fast_planar_other(a, place_a, b, place_b, margin, manifold);
    } else if (a->form == CN_FAST2_PLANE) {
        cn_fast_planar_plane(a, place_a, b, place_b, margin, manifold);
    } else {
        CN_ASSERT(b->form == CN_FAST2_PLANE);
        cn_fast_planar_plane(b, place_b, a, place_a, margin, manifold);
        mirror(manifold);
    }
    carry_over(last, manifold);
}
