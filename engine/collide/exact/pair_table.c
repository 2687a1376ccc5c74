/* pair_table.c: the table of pair functions for two forms. */
#include "engine/collide/exact/manifold.h"

#include "engine/collide/exact/pair.h"
#include "engine/math/scalar.h"

#include <stddef.h>

/* The rounding error of a few operations on lengths of the shapes' size. */
#define TIE_RATIO 1e-12

/* [form of A][form of B], the lower form first; pairs below the diagonal are mirrored. */
static cn_pair_function *const pair_functions[CN_FORM_COUNT][CN_FORM_COUNT] = {
    [CN_FORM_PLANE] = {NULL, cn_pair_plane, cn_pair_plane, cn_pair_borders},
    [CN_FORM_POINT] = {NULL, cn_pair_points, cn_pair_point_outline, cn_pair_borders},
    [CN_FORM_OUTLINE] = {NULL, NULL, cn_pair_outlines, cn_pair_borders},
    [CN_FORM_BORDER] = {NULL, NULL, NULL, cn_pair_borders},
    [CN_FORM_HALF_SPACE] = {[CN_FORM_BALL] = cn_pair_half_space,
        [CN_FORM_SEGMENT] = cn_pair_half_space,
        [CN_FORM_POLYTOPE] = cn_pair_half_space},
    [CN_FORM_BALL] = {[CN_FORM_BALL] = cn_pair_round,
        [CN_FORM_SEGMENT] = cn_pair_round,
        [CN_FORM_POLYTOPE] = cn_pair_round},
    [CN_FORM_SEGMENT] = {[CN_FORM_SEGMENT] = cn_pair_round, [CN_FORM_POLYTOPE] = cn_pair_round},
    [CN_FORM_POLYTOPE] = {[CN_FORM_POLYTOPE] = cn_pair_polytopes},
};

static enum cn_form
form_of(const struct cn_shape *shape)
{
    if (shape->dimension == CN_SPATIAL) {
        return shape->vertex_count == 0   ? CN_FORM_HALF_SPACE
               : shape->vertex_count == 1 ? CN_FORM_BALL
               : shape->vertex_count == 2 ? CN_FORM_SEGMENT
                                          : CN_FORM_POLYTOPE;
    }
    CN_ASSERT(shape->dimension == CN_PLANAR);
    if (shape->bulge != NULL) {
        return CN_FORM_BORDER;
    }
    switch (shape->vertex_count) {
    case 0:
        return CN_FORM_PLANE;
    case 1:
        return CN_FORM_POINT;
    default:
        return CN_FORM_OUTLINE;
    }
}

void
cn_collide(const struct cn_shape *a, const cn_pose *pose_a, const struct cn_shape *b,
    const cn_pose *pose_b, double margin, struct cn_manifold *manifold)
{
    CN_ASSERT(a->dimension == b->dimension);
    CN_ASSERT(a->mesh == NULL && b->mesh == NULL); /* collide/mesh handles them */
    manifold->contact_count = 0;
    manifold->separation = HUGE_VAL;

    bool turned = form_of(a) > form_of(b);
    struct cn_pair_input in = {
        .a = turned ? b : a,
        .b = turned ? a : b,
        .pose_a = turned ? pose_b : pose_a,
        .pose_b = turned ? pose_a : pose_b,
        .margin = margin,
        .radius = a->radius + b->radius,
        .tie = TIE_RATIO * (a->reach + b->reach),
    };
    cn_pair_function *function = pair_functions[form_of(in.a)][form_of(in.b)];
    if (function == NULL) {
        CN_ASSERT(a->vertex_count == 0 && b->vertex_count == 0);
        return; /* two planes: neither can move */
    }
    function(&in, manifold);
    CN_ASSERT(manifold->contact_count <= CN_MANIFOLD_CONTACTS_MAX); /* invariant 1 */
    if (turned) {
        cn_manifold_mirror(manifold, pose_a, pose_b);
    }
}
