/*
 * cast_shape.c: convex shapes cast along a line, part by part; overlap tests.  In the frame of the
 * shape.
 */
#include "engine/collide/query/cast.h"

#include "engine/base/assert.h"
#include "engine/collide/query/flat.h"
#include "engine/collide/query/gjk.h"
#include "engine/collide/query/touch.h"
#include "engine/math/scalar.h"

struct sweep {
    const struct cn_convex *moving;
    cn_pose pose;  /* of the moving core in the shape's frame */
    cn_vec3 along;
    double max;
};

struct found {
    double fraction;
    cn_vec3 point, normal;
    bool is_inside;
};

static void
take_hit(struct found *found, double fraction, cn_vec3 point, cn_vec3 normal)
{
    if (fraction < found->fraction) {
        *found = (struct found){.fraction = fraction, .point = point, .normal = normal};
    }
}

static cn_pose
pose_at(const struct sweep *sweep, double t)
{
    cn_pose pose = sweep->pose;
    pose.position = cn_vec3_add_scaled(pose.position, t, sweep->along);
    return pose;
}

static void
take_inside(struct found *found)
{
    *found = (struct found){.is_inside = true};
}

/*
 * The start of a cast; false where the start decides the cast.  Cores that touch or overlap have no
 * normal of their own; the separating axes distinguish the two cases (collide/query/touch.h).
 */
static bool
start_cast(const struct sweep *sweep, const struct cn_part *part, double gap, struct cn_gjk *d,
    struct found *found)
{
    double radius = part->convex.radius + sweep->moving->radius;
    if (d->distance == 0.0 && radius == 0.0) {
        gap = cn_touch_axis(&part->convex, sweep->moving, &sweep->pose, &d->normal);
        int index;
        cn_vec3 down = cn_pose_turn_back(&sweep->pose, cn_vec3_negate(d->normal));
        cn_vec3 low = cn_convex_support(sweep->moving, down, &index);
        d->point_a = cn_pose_apply(&sweep->pose, low);
    }
    if (gap >= -CN_CAST_TOUCH) {
        return true;
    }
    if (!part->one_sided) {
        take_inside(found);
    }
    return false;
}

/* Whether a one-sided part is hit from behind. */
static bool
is_behind(const struct cn_part *part, cn_vec3 normal)
{
    return part->one_sided && cn_vec2_dot((cn_vec2){normal.x, normal.y}, part->front) <= 0.0;
}

/* Casts a planar core by a quick answer; false: it does not decide the cast. */
static bool
cast_flat(const struct sweep *sweep, const struct cn_part *part, struct found *found)
{
    const struct cn_convex *core = &part->convex;
    double radius = core->radius + sweep->moving->radius;
    struct cn_flat_hit hit;
    if (core->flat == NULL || part->one_sided) {
        return false;
    }
    if (!cn_flat_cast_ball(core, sweep->moving, &sweep->pose, sweep->along, radius, &hit)) {
        return cn_flat_misses(
            core, sweep->moving, &sweep->pose, sweep->along, sweep->max, radius);
    }
    if (hit.is_inside) {
        take_inside(found);
    } else if (hit.fraction <= sweep->max) {
        cn_vec2 point = cn_vec2_add_scaled(hit.foot, core->radius, hit.normal);
        take_hit(found, hit.fraction, (cn_vec3){point.x, point.y, 0.0},
            (cn_vec3){hit.normal.x, hit.normal.y, 0.0});
    }
    return true;
}

static void
cast_convex(const struct sweep *sweep, const struct cn_part *part, struct found *found)
{
    CN_ASSERT(part->kind == CN_PART_CONVEX);
    if (cast_flat(sweep, part, found)) {
        return;
    }
    double radius = part->convex.radius + sweep->moving->radius, t = 0.0;
    struct cn_gjk_seed seed = {0};
    struct cn_gjk d, last;
    for (int round = 0; round < CN_CAST_ROUNDS_MAX; round++) {
        cn_pose pose = pose_at(sweep, t);
        cn_gjk(&part->convex, sweep->moving, &pose, &seed, &d);
        double gap = d.bound - radius;
        if (round == 0 && !start_cast(sweep, part, gap, &d, found)) {
            return;
        }
        /* Rounding may end in an overlap of cores: then the plane of the last round was hit. */
        last = round == 0 || d.distance > 0.0 ? d : last;
        double closing = -cn_vec3_dot(last.normal, sweep->along);
        if (closing <= 0.0 || (gap <= CN_CAST_TOUCH && is_behind(part, last.normal))) {
            return;
        }
        if (gap <= CN_CAST_TOUCH) {
            break;
        }
        t += gap / closing;
        if (!(t <= sweep->max)) {
            return;
        }
    }
    take_hit(
        found, t, cn_vec3_add_scaled(last.point_a, part->convex.radius, last.normal), last.normal);
}

static void
cast_plane(const struct sweep *sweep, const struct cn_part *plane, struct found *found)
{
    int index;
    cn_vec3 down = cn_pose_turn_back(&sweep->pose, cn_vec3_negate(plane->normal));
    cn_vec3 low = cn_pose_apply(&sweep->pose, cn_convex_support(sweep->moving, down, &index));
    double gap = cn_vec3_dot(plane->normal, low) - plane->offset - sweep->moving->radius;
    double closing = -cn_vec3_dot(plane->normal, sweep->along);
    if (gap < -CN_CAST_TOUCH) {
        take_inside(found);
    } else if (closing > 0.0) {
        double t = cn_max(0.0, gap / closing);
        cn_vec3 point = cn_vec3_add_scaled(low, t, sweep->along);
        double above = cn_vec3_dot(plane->normal, point) - plane->offset;
        take_hit(found, t, cn_vec3_add_scaled(point, -above, plane->normal), plane->normal);
    }
}

/* The vertices of the moving core leave the circle; the ends of the arc are parts of their own. */
static void
cast_hollow(const struct sweep *sweep, const struct cn_part *part, struct found *found)
{
    double gap = cn_part_hollow_distance(part, sweep->moving, &sweep->pose) - sweep->moving->radius;
    double radius = part->radius - sweep->moving->radius;
    if (gap < -CN_CAST_TOUCH && !part->one_sided) {
        take_inside(found);
    }
    if (gap < -CN_CAST_TOUCH || radius <= 0.0) {
        return;
    }
    cn_vec2 along = {sweep->along.x, sweep->along.y};
    double square = cn_vec2_dot(along, along);
    for (int i = 0; i < sweep->moving->vertex_count; i++) {
        cn_vec3 p = cn_pose_apply(&sweep->pose, cn_convex_vertex(sweep->moving, i));
        cn_vec2 away = cn_vec2_sub((cn_vec2){p.x, p.y}, part->center);
        double middle = -cn_vec2_dot(away, along) / square;
        cn_vec2 nearest = cn_vec2_add_scaled(away, middle, along);
        double half = radius * radius - cn_vec2_dot(nearest, nearest);
        double t = half < 0.0 ? -1.0 : middle + sqrt(half / square);
        cn_vec2 out = cn_vec2_add_scaled(away, t, along);
        if (t < -CN_CAST_TOUCH / sqrt(square) || half < 0.0 || !cn_part_faces(part, out)) {
            continue;
        }
        double length = cn_vec2_length(out);
        cn_vec2 n = cn_vec2_scale(out, -1.0 / length);
        cn_vec2 point = cn_vec2_add_scaled(part->center, part->radius / length, out);
        take_hit(found, cn_max(t, 0.0), (cn_vec3){point.x, point.y, 0.0}, (cn_vec3){n.x, n.y, 0.0});
    }
}

static bool
holds_any(const struct cn_shape *shape, const struct cn_convex *convex, const cn_pose *pose)
{
    cn_vec3 p = cn_pose_apply(pose, cn_convex_vertex(convex, 0));
    return shape->mesh != NULL ? cn_part_mesh_holds(shape, p)
                               : cn_part_holds(shape, (cn_vec2){p.x, p.y});
}

/* The box of everything that a core passes through; only meshes have parts to choose from. */
static cn_aabb
way_of(const struct cn_shape *shape, const struct cn_convex *convex, const cn_pose *pose,
    cn_vec3 along)
{
    double r = convex->radius + CN_CAST_TOUCH;
    cn_aabb box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    if (shape->mesh == NULL) {
        return box;
    }
    for (int i = 0; i < convex->vertex_count; i++) {
        cn_vec3 p = cn_pose_apply(pose, cn_convex_vertex(convex, i)), q = cn_vec3_add(p, along);
        box.low.x = cn_min(box.low.x, cn_min(p.x, q.x) - r);
        box.low.y = cn_min(box.low.y, cn_min(p.y, q.y) - r);
        box.low.z = cn_min(box.low.z, cn_min(p.z, q.z) - r);
        box.high.x = cn_max(box.high.x, cn_max(p.x, q.x) + r);
        box.high.y = cn_max(box.high.y, cn_max(p.y, q.y) + r);
        box.high.z = cn_max(box.high.z, cn_max(p.z, q.z) + r);
    }
    return box;
}

/* A shape that is tested part by part. */
struct meeting {
    const struct cn_shape *shape;
    const struct sweep *sweep;
    struct found found;
};

static bool
cast_part(void *context, int i)
{
    struct meeting *m = context;
    struct cn_part part;
    if (!cn_part_get(m->shape, i, false, &part)) {
        return true;
    }
    if (part.kind == CN_PART_CONVEX) {
        cast_convex(m->sweep, &part, &m->found);
    } else if (part.kind == CN_PART_PLANE) {
        cast_plane(m->sweep, &part, &m->found);
    } else {
        cast_hollow(m->sweep, &part, &m->found);
    }
    return !m->found.is_inside;
}

bool
cn_cast_shape(const struct cn_shape *shape, const cn_pose *pose, const struct cn_convex *moving,
    const cn_pose *moving_pose, cn_vec3 along, double fraction_max, struct cn_cast_hit *hit)
{
    CN_ASSERT(moving->vertex_count > 0 && !moving->is_arc); /* only parts of borders are arcs */
    struct sweep sweep = {moving, cn_pose_relative(pose, moving_pose),
        cn_pose_turn_back(pose, along), fraction_max};
    struct meeting meeting = {shape, &sweep, {.fraction = HUGE_VAL}};
    bool still = cn_vec3_dot(along, along) == 0.0;
    if (still ? cn_overlap(shape, pose, moving, moving_pose)
              : holds_any(shape, moving, &sweep.pose)) {
        take_inside(&meeting.found);
    } else if (!still) {
        cn_aabb way = way_of(shape, moving, &sweep.pose, cn_vec3_scale(sweep.along, fraction_max));
        cn_part_near(shape, &way, cast_part, &meeting);
    }
    struct found found = meeting.found;
    if (!(found.fraction <= fraction_max)) {
        return false;
    }
    *hit = (struct cn_cast_hit){
        .fraction = found.fraction,
        .point = found.is_inside ? moving_pose->position : cn_pose_apply(pose, found.point),
        .normal = cn_pose_turn(pose, found.normal),
        .is_inside = found.is_inside,
    };
    return true;
}

static bool
overlaps_part(const struct cn_part *part, const struct cn_convex *convex, const cn_pose *pose)
{
    if (part->kind == CN_PART_HOLLOW) {
        return cn_part_hollow_distance(part, convex, pose) <= convex->radius;
    }
    if (part->kind == CN_PART_PLANE) {
        int index;
        cn_vec3 down = cn_pose_turn_back(pose, cn_vec3_negate(part->normal));
        cn_vec3 low = cn_pose_apply(pose, cn_convex_support(convex, down, &index));
        return cn_vec3_dot(part->normal, low) - part->offset <= convex->radius;
    }
    double reach = part->convex.radius + convex->radius;
    enum cn_flat_answer answer = cn_flat_overlap(&part->convex, convex, pose, reach);
    return answer == CN_FLAT_UNKNOWN ? cn_gjk_is_within(&part->convex, convex, pose, reach)
                                     : answer == CN_FLAT_OVERLAP;
}

struct touching {
    const struct cn_shape *shape;
    const struct cn_convex *convex;
    const cn_pose *pose;
    bool found;
};

static bool
touch_part(void *context, int i)
{
    struct touching *t = context;
    struct cn_part part;
    t->found = cn_part_get(t->shape, i, false, &part) && overlaps_part(&part, t->convex, t->pose);
    return !t->found;
}

bool
cn_overlap(const struct cn_shape *shape, const cn_pose *pose, const struct cn_convex *convex,
    const cn_pose *convex_pose)
{
    cn_pose relative = cn_pose_relative(pose, convex_pose);
    if (holds_any(shape, convex, &relative)) {
        return true;
    }
    cn_aabb place = way_of(shape, convex, &relative, (cn_vec3){0.0, 0.0, 0.0});
    struct touching touching = {shape, convex, &relative, false};
    cn_part_near(shape, &place, touch_part, &touching);
    return touching.found;
}
