#include "engine/collide/toi.h"

#include "engine/base/assert.h"
#include "engine/collide/gjk.h"
#include "engine/math/scalar.h"

/* Both poses, with A's centre of mass at the start as origin. */
struct moment {
    double t;
    cn_pose a, b;
};

struct search {
    const struct cn_toi_input *in;
    struct cn_sweep sweep_a, sweep_b; /* from A's centre of mass at the start */
    struct cn_gjk_seed seed;
    struct cn_toi result;
};

static struct moment
moment_at(const struct search *s, double t)
{
    return (struct moment){t, cn_sweep_pose(&s->sweep_a, t), cn_sweep_pose(&s->sweep_b, t)};
}

/* The rate of a sweep at t [m and rad per unit of t]. */
struct rate {
    cn_vec3 linear;
    cn_vec3 axis;
    double turn;
};

static struct rate
rate_of(const struct cn_sweep *sweep, double t)
{
    struct rate rate = {sweep->along, sweep->axis, sweep->turn};
    return t < sweep->stop ? rate : (struct rate){0};
}

/* A height above a plane, its rate, and how much the rate may change. */
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

/* Vertex i along n from the origin. */
static struct height
height_of(const struct cn_convex *core, int i, const cn_pose *pose, const struct rate *rate,
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

/* What moves of an arc: bounded by its distance from the centre of mass. */
static struct height
height_of_arc(const struct cn_convex *core, const cn_pose *pose, const struct rate *rate, cn_vec3 n)
{
    int index;
    cn_vec3 local = cn_convex_support(core, cn_pose_turn_back(pose, cn_vec3_negate(n)), &index);
    double reach = cn_convex_reach(core, (cn_vec3){0.0, 0.0, 0.0});
    return (struct height){
        .h = cn_vec3_dot(n, cn_pose_apply(pose, local)),
        .u = cn_vec3_dot(n, rate->linear) - rate->turn * reach,
    };
}

/* The highest that A comes along n: its present height and upper bounds of rate and bend. */
static struct height
highest(const struct search *s, const struct moment *m, cn_vec3 n)
{
    const struct cn_part *part = s->in->part;
    struct rate rate = rate_of(&s->sweep_a, m->t);
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

/* How high B is above A along n, `least`, and how long it stays above `floor`. */
static double
time_apart(const struct search *s, const struct moment *m, cn_vec3 n, double floor, double *least)
{
    const struct cn_convex *core = s->in->convex;
    struct height top = highest(s, m, n);
    struct rate rate = rate_of(&s->sweep_b, m->t);
    double radius = core->radius;
    radius += s->in->part->kind == CN_PART_CONVEX ? s->in->part->convex.radius : 0.0;
    double time = HUGE_VAL;
    *least = HUGE_VAL;
    for (int i = 0; i < core->vertex_count + core->is_arc; i++) {
        struct height v = i == core->vertex_count ? height_of_arc(core, &m->b, &rate, n)
                                                  : height_of(core, i, &m->b, &rate, n);
        double above = v.h - top.h - radius;
        struct height over = {above - floor, v.u - top.u, v.c + top.c};
        *least = cn_min(*least, above);
        time = above > floor ? cn_min(time, time_above(over)) : 0.0;
    }
    return time;
}

/* The next moment at which a sweep stops, or the end. */
static double
limit_after(const struct search *s, double t)
{
    double limit = 1.0;
    limit = s->sweep_a.stop > t ? cn_min(limit, s->sweep_a.stop) : limit;
    return s->sweep_b.stop > t ? cn_min(limit, s->sweep_b.stop) : limit;
}

/*
 * As far as the plane of normal n proves; true when it reaches t_max.  It aims below the upper end
 * of the tolerance, so that the distance afterwards is within.
 */
static bool
advance(struct search *s, struct moment *m, cn_vec3 n)
{
    const struct cn_toi_input *in = s->in;
    for (int step = 0; step < CN_TOI_STEPS_MAX; step++) {
        double least, time = time_apart(s, m, n, in->target, &least);
        if (least <= in->target + 0.5 * in->tolerance) {
            return false;
        }
        s->result.step_count++;
        double limit = limit_after(s, m->t);
        double t = cn_min(m->t + time, limit);
        if (t >= in->t_max) {
            return true;
        }
        *m = moment_at(s, t);
    }
    return false;
}

/* How near vertex p of B is to a hollow arc, from within; HUGE_VAL behind it. */
static double
hollow_gap(const struct search *s, cn_vec2 p, bool *faces)
{
    const struct cn_part *part = s->in->part;
    cn_vec2 away = cn_vec2_sub(p, part->center);
    double beyond = cn_vec2_length(away) - part->radius;
    *faces = cn_part_faces(part, away);
    if (*faces) {
        return beyond > 2.0 * s->in->tolerance ? HUGE_VAL : -beyond - s->in->convex->radius;
    }
    double to_end = cn_min(cn_vec2_length(cn_vec2_sub(p, part->ends[0])),
        cn_vec2_length(cn_vec2_sub(p, part->ends[1])));
    return to_end - s->in->convex->radius;
}

/*
 * The vertices of B within a hollow arc of an A that stands still, each by its whole speed.  The
 * ends of the arc are parts of their own: what is near them only, goes on by the tolerance.
 */
static double
hollow_time(const struct search *s, const struct moment *m, double *gap, cn_vec3 *normal)
{
    const struct cn_toi_input *in = s->in;
    cn_pose pose = cn_pose_relative(&m->a, &m->b);
    struct rate rate = rate_of(&s->sweep_b, m->t);
    double time = HUGE_VAL;
    *gap = HUGE_VAL;
    *normal = (cn_vec3){0.0, 0.0, 0.0};
    for (int i = 0; i < in->convex->vertex_count; i++) {
        cn_vec3 r = cn_pose_turn(&pose, cn_convex_vertex(in->convex, i));
        cn_vec2 p = {pose.position.x + r.x, pose.position.y + r.y};
        bool faces;
        double above = hollow_gap(s, p, &faces);
        double speed = cn_vec3_length(rate.linear) + rate.turn * cn_vec3_length(r);
        double way = above - in->target;
        time = cn_min(time, (faces ? way : cn_max(way, in->tolerance)) / speed);
        if (faces && above < *gap) {
            cn_vec2 out = cn_vec2_sub(p, in->part->center);
            double length = cn_vec2_length(out);
            *gap = above;
            *normal = cn_pose_turn(&m->a, (cn_vec3){-out.x / length, -out.y / length, 0.0});
        }
    }
    return time;
}

static void
find_hollow(struct search *s)
{
    const struct cn_toi_input *in = s->in;
    CN_ASSERT(cn_sweep_is_still(&s->sweep_a));
    struct moment m = moment_at(s, 0.0);
    for (s->result.round_count = 1; s->result.round_count <= CN_TOI_ROUNDS_MAX;
         s->result.round_count++) {
        double gap, time = hollow_time(s, &m, &gap, &s->result.normal);
        if (m.t == 0.0) {
            s->result.gap = cn_max(gap, 0.0);
        }
        if (gap <= in->target + in->tolerance) {
            s->result.outcome = m.t == 0.0 ? CN_TOI_TOUCHING : CN_TOI_HIT;
            s->result.fraction = m.t;
            return;
        }
        double t = cn_min(m.t + cn_max(time, 0.0), limit_after(s, m.t));
        if (t >= in->t_max) {
            s->result.outcome = CN_TOI_APART;
            return;
        }
        m = moment_at(s, t);
    }
    s->result.outcome = CN_TOI_CUT_OFF;
    s->result.fraction = m.t;
}

/* The gap at a moment, by the axis that proves it. */
static double
gap_at(struct search *s, const struct moment *m, cn_vec3 *normal)
{
    const struct cn_toi_input *in = s->in;
    if (in->part->kind == CN_PART_PLANE) {
        double gap;
        *normal = cn_pose_turn(&m->a, in->part->normal);
        time_apart(s, m, *normal, in->target, &gap);
        return cn_max(gap, 0.0);
    }
    cn_pose relative = cn_pose_relative(&m->a, &m->b);
    struct cn_gjk d;
    cn_gjk(&in->part->convex, in->convex, &relative, &s->seed, &d);
    *normal = cn_pose_turn(&m->a, d.normal);
    return cn_max(0.0, d.bound - in->part->convex.radius - in->convex->radius);
}

static void
find_convex(struct search *s)
{
    const struct cn_toi_input *in = s->in;
    CN_ASSERT(in->part->kind != CN_PART_PLANE || cn_sweep_is_still(&s->sweep_a));
    struct moment m = moment_at(s, 0.0);
    for (s->result.round_count = 1; s->result.round_count <= CN_TOI_ROUNDS_MAX;
         s->result.round_count++) {
        double gap = gap_at(s, &m, &s->result.normal);
        if (m.t == 0.0) {
            s->result.gap = gap;
        }
        if (gap <= in->target + in->tolerance) {
            s->result.outcome = m.t == 0.0 ? CN_TOI_TOUCHING : CN_TOI_HIT;
            s->result.fraction = m.t;
            return;
        }
        if (advance(s, &m, s->result.normal)) {
            s->result.outcome = CN_TOI_APART;
            return;
        }
    }
    s->result.outcome = CN_TOI_CUT_OFF;
    s->result.fraction = m.t;
}

static void
begin(struct search *s, const struct cn_toi_input *input)
{
    *s = (struct search){
        .in = input, .sweep_a = *input->part_sweep, .sweep_b = *input->convex_sweep};
    s->sweep_b.from = cn_vec3_sub(s->sweep_b.from, s->sweep_a.from);
    s->sweep_a.from = (cn_vec3){0.0, 0.0, 0.0};
}

struct cn_toi
cn_toi_find(const struct cn_toi_input *input)
{
    struct search s;
    CN_ASSERT(input->target > 0.0 && input->tolerance > 0.0 && input->t_max <= 1.0);
    begin(&s, input);
    if (input->part->kind == CN_PART_HOLLOW) {
        find_hollow(&s);
    } else {
        find_convex(&s);
    }
    if (s.result.outcome != CN_TOI_APART && input->part->one_sided) {
        cn_vec3 front = {input->part->front.x, input->part->front.y, 0.0};
        front = cn_pose_turn(&(cn_pose){.rotation = cn_sweep_pose(input->part_sweep, 0.0).rotation},
            front);
        if (cn_vec3_dot(front, s.result.normal) <= 0.0) {
            s.result.outcome = CN_TOI_APART;
        }
    }
    return s.result;
}

double
cn_toi_gap(const struct cn_toi_input *input, double t, cn_vec3 *normal)
{
    struct search s;
    begin(&s, input);
    struct moment m = moment_at(&s, t);
    if (input->part->kind == CN_PART_HOLLOW) {
        double gap;
        hollow_time(&s, &m, &gap, normal);
        return cn_max(gap, 0.0);
    }
    return gap_at(&s, &m, normal);
}
