#include "engine/collide/query/toi_axis.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

struct cn_rate
cn_rate_of(const struct cn_sweep *sweep, double t)
{
    struct cn_rate rate = {sweep->along, sweep->axis, sweep->turn};
    return t < sweep->stop ? rate : (struct cn_rate){0};
}

/* A height above a plane, its rate, and a bound of the rate's change. */
struct height {
    double h, u, c;
};

/* How long h + u d - c d^2 / 2 stays above 0, for h > 0. */
static double
time_above(struct height v)
{
    double root = sqrt(v.u * v.u + 2.0 * v.c * v.h);
    if (v.u <= 0.0) {
        return root - v.u > 0.0 ? 2.0 * v.h / (root - v.u) : HUGE_VAL;
    }
    return v.c > 0.0 ? (v.u + root) / v.c : HUGE_VAL;
}

/* The height of vertex i along n, from the origin. */
static struct height
height_of(const struct cn_convex *core, int i, const cn_pose *pose, const struct cn_rate *rate,
    cn_vec3 n)
{
    cn_vec3 r = cn_pose_turn(pose, cn_convex_vertex(core, i));
    cn_vec3 round = cn_vec3_cross(rate->axis, r);
    return (struct height){
        .h = cn_vec3_dot(n, pose->position) + cn_vec3_dot(n, r),
        .u = cn_vec3_dot(n, rate->linear) + rate->turn * cn_vec3_dot(n, round),
        .c = rate->turn == 0.0 ? 0.0 : rate->turn * rate->turn * cn_vec3_length(round),
    };
}

/* The moving points of an arc, bounded by their distance from the centre of mass. */
static struct height
height_of_arc(
    const struct cn_convex *core, const cn_pose *pose, const struct cn_rate *rate, cn_vec3 n)
{
    int index;
    cn_vec3 local = cn_convex_support(core, cn_pose_turn_back(pose, cn_vec3_negate(n)), &index);
    double reach = cn_convex_reach(core, (cn_vec3){0.0, 0.0, 0.0});
    return (struct height){
        .h = cn_vec3_dot(n, cn_pose_apply(pose, local)),
        .u = cn_vec3_dot(n, rate->linear) - rate->turn * reach,
    };
}

/* The largest height of A along n: its present height and upper bounds of rate and bend. */
static struct height
highest_of_a(const struct cn_toi_axis *axis, const struct cn_moment *m)
{
    const struct cn_part *part = axis->part;
    CN_ASSERT(part->kind != CN_PART_HOLLOW); /* toi.c handles it */
    cn_vec3 n = axis->normal;
    struct cn_rate rate = cn_rate_of(axis->sweep_a, m->t);
    if (part->kind == CN_PART_PLANE) {
        return (struct height){.h = part->offset + cn_vec3_dot(n, m->a.position)};
    }
    const struct cn_convex *core = &part->convex;
    struct height top = {-HUGE_VAL, -HUGE_VAL, 0.0};
    for (int i = 0; i < core->vertex_count; i++) {
        struct height v = height_of(core, i, &m->a, &rate, n);
        top.h = cn_max(top.h, v.h);
        top.u = cn_max(top.u, v.u);
        top.c = cn_max(top.c, v.c);
    }
    if (core->is_arc) {
        struct height v = height_of_arc(core, &m->a, &rate, cn_vec3_negate(n));
        top.h = cn_max(top.h, -v.h);
        top.u = cn_max(top.u, -v.u);
    }
    return top;
}

static double
sum_of_radii(const struct cn_toi_axis *axis)
{
    double radius = axis->part->kind == CN_PART_CONVEX ? axis->part->convex.radius : 0.0;
    return radius + axis->convex->radius;
}

static double
fixed_time(
    const struct cn_toi_axis *axis, const struct cn_moment *m, double floor, double *least)
{
    const struct cn_convex *core = axis->convex;
    cn_vec3 n = axis->normal;
    struct height top = highest_of_a(axis, m);
    struct cn_rate rate = cn_rate_of(axis->sweep_b, m->t);
    double radius = sum_of_radii(axis), time = HUGE_VAL;
    *least = HUGE_VAL;
    for (int i = 0; i < core->vertex_count + core->is_arc; i++) {
        struct height v = i == core->vertex_count ? height_of_arc(core, &m->b, &rate, n)
                                                  : height_of(core, i, &m->b, &rate, n);
        double above = v.h - top.h - radius;
        struct height over = {above - floor, v.u - top.u, v.c + top.c};
        *least = cn_min(*least, above);
        time = cn_min(time, above > floor ? time_above(over) : 0.0);
    }
    return time;
}

/* The owner of a face that rotates, and the other core. */
struct turning {
    const struct cn_convex *owner, *other;
    const cn_pose *owner_pose, *other_pose;
    struct cn_rate owner_rate, other_rate;
    cn_vec3 local, out; /* of the face: owner's frame, world */
};

static struct turning
turning_of(const struct cn_toi_axis *axis, const struct cn_moment *m)
{
    CN_ASSERT(axis->kind != CN_TOI_AXIS_FIXED && axis->part->kind == CN_PART_CONVEX);
    struct cn_rate rate_a = cn_rate_of(axis->sweep_a, m->t);
    struct cn_rate rate_b = cn_rate_of(axis->sweep_b, m->t);
    struct turning t = {&axis->part->convex, axis->convex, &m->a, &m->b, rate_a, rate_b,
        axis->local, {0.0, 0.0, 0.0}};
    if (axis->kind == CN_TOI_AXIS_OF_B) {
        t = (struct turning){axis->convex, &axis->part->convex, &m->b, &m->a, rate_b, rate_a,
            cn_vec3_negate(axis->local), {0.0, 0.0, 0.0}};
    }
    t.out = cn_pose_turn(t.owner_pose, t.local);
    return t;
}

/* The height of vertex i of the other core above the owner's face. */
static struct height
height_over_face(const struct turning *t, int i, double face, double duration)
{
    cn_vec3 r = cn_pose_turn(t->other_pose, cn_convex_vertex(t->other, i));
    cn_vec3 round = cn_vec3_cross(t->other_rate.axis, r);
    cn_vec3 y = cn_vec3_add(cn_vec3_sub(t->other_pose->position, t->owner_pose->position), r);
    cn_vec3 linear = cn_vec3_sub(t->other_rate.linear, t->owner_rate.linear);
    cn_vec3 rate = cn_vec3_add_scaled(linear, t->other_rate.turn, round);
    cn_vec3 tilt = cn_vec3_cross(t->owner_rate.axis, t->out);
    double turn = t->owner_rate.turn, swing = t->other_rate.turn * cn_vec3_length(round);
    double speed = cn_vec3_length(linear) + swing;
    double farthest = cn_vec3_length(y) + speed * duration;
    return (struct height){
        .h = cn_vec3_dot(t->out, y) - face,
        .u = cn_vec3_dot(t->out, rate) + turn * cn_vec3_dot(tilt, y),
        .c = turn * turn * farthest + 2.0 * turn * speed + t->other_rate.turn * swing,
    };
}

static double
turning_time(const struct cn_toi_axis *axis, const struct cn_moment *m, double duration,
    double floor, double *least)
{
    struct turning t = turning_of(axis, m);
    int index;
    double radius = sum_of_radii(axis), time = HUGE_VAL;
    double face = cn_vec3_dot(t.local, cn_convex_support(t.owner, t.local, &index));
    *least = HUGE_VAL;
    for (int i = 0; i < t.other->vertex_count; i++) {
        struct height v = height_over_face(&t, i, face, duration);
        double above = v.h - radius;
        *least = cn_min(*least, above);
        v.h = above - floor;
        time = cn_min(time, above > floor ? time_above(v) : 0.0);
    }
    return time;
}

double
cn_toi_axis_time(const struct cn_toi_axis *axis, const struct cn_moment *moment, double duration,
    double floor, double *least)
{
    return axis->kind == CN_TOI_AXIS_FIXED ? fixed_time(axis, moment, floor, least)
                                           : turning_time(axis, moment, duration, floor, least);
}
