#include "engine/collide/query/convex.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"


bool
cn_convex_of(const struct cn_shape *shape, struct cn_convex *convex)
{
    bool planar = shape->dimension == CN_PLANAR;
    *convex = (struct cn_convex){
        .vertex_count = shape->vertex_count,
        .flat = planar ? shape->vertex : NULL,
        .solid = planar ? NULL : shape->core.vertex,
        .radius = shape->radius,
        .polytope = shape->core.face_count > 0 ? &shape->core : NULL,
    };
    return shape->vertex_count > 0 && shape->bulge == NULL;
}

struct cn_convex
cn_convex_edge(const cn_vec2 ends[2], double bulge)
{
    CN_ASSERT(bulge >= 0.0);
    struct cn_convex convex = {.vertex_count = 2, .flat = ends};
    if (bulge > 0.0) {
        struct cn_border border = {ends[0], ends[1], bulge};
        convex.is_arc = true;
        convex.bulge = bulge;
        convex.arc_center = cn_border_center(&border);
        convex.arc_radius = cn_border_radius(&border);
    }
    return convex;
}

static bool
is_on_arc(const struct cn_convex *convex, cn_vec2 direction)
{
    struct cn_border border = {convex->flat[0], convex->flat[1], convex->bulge};
    return cn_border_faces(&border, convex->arc_center, direction, 0.0);
}

cn_vec3
cn_convex_support(const struct cn_convex *convex, cn_vec3 direction, int *index)
{
    CN_ASSERT(convex->vertex_count > 0 && (convex->flat != NULL) != (convex->solid != NULL));
    int best = 0;
    if (convex->flat != NULL) {
        cn_vec2 along = {direction.x, direction.y};
        double length = cn_vec2_length(along);
        if (convex->is_arc && length > 0.0 && is_on_arc(convex, along)) {
            *index = -1;
            cn_vec2 c = cn_vec2_add_scaled(convex->arc_center, convex->arc_radius / length, along);
            return (cn_vec3){c.x, c.y, 0.0};
        }
        double most = cn_vec2_dot(convex->flat[0], along);
        for (int i = 1; i < convex->vertex_count; i++) {
            double value = cn_vec2_dot(convex->flat[i], along);
            best = value > most ? i : best;
            most = value > most ? value : most;
        }
    } else {
        double most = cn_vec3_dot(convex->solid[0], direction);
        for (int i = 1; i < convex->vertex_count; i++) {
            double value = cn_vec3_dot(convex->solid[i], direction);
            best = value > most ? i : best;
            most = value > most ? value : most;
        }
    }
    *index = best;
    return cn_convex_vertex(convex, best);
}

double
cn_convex_reach(const struct cn_convex *convex, cn_vec3 from)
{
    double reach = 0.0;
    for (int i = 0; i < convex->vertex_count; i++) {
        cn_vec3 away = cn_vec3_sub(cn_convex_vertex(convex, i), from);
        reach = cn_max(reach, cn_vec3_length(away));
    }
    if (convex->is_arc) {
        cn_vec2 away = cn_vec2_sub(convex->arc_center, (cn_vec2){from.x, from.y});
        reach = cn_max(reach, cn_vec2_length(away) + convex->arc_radius);
    }
    return reach;
}

cn_vec3
cn_convex_middle(const struct cn_convex *convex)
{
    CN_ASSERT(convex->vertex_count > 0);
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < convex->vertex_count; i++) {
        sum = cn_vec3_add(sum, cn_convex_vertex(convex, i));
    }
    return cn_vec3_scale(sum, 1.0 / convex->vertex_count);
}

cn_pose
cn_pose_relative(const cn_pose *a, const cn_pose *b)
{
    return (cn_pose){
        cn_pose_turn_back(a, cn_vec3_sub(b->position, a->position)),
        {cn_pose_turn_back(a, b->rotation.cx), cn_pose_turn_back(a, b->rotation.cy),
            cn_pose_turn_back(a, b->rotation.cz)},
    };
}
