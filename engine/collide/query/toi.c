#include "engine/collide/query/toi.h"

#include "engine/base/assert.h"
#include "engine/collide/query/gjk.h"
#include "engine/collide/query/toi_axis.h"
#include "engine/math/scalar.h"

#include <stddef.h>

struct search {
    const struct cn_toi_input *in;
    struct cn_sweep sweep_a, sweep_b; /* about A's centre of mass at the start */
    struct cn_gjk_seed seed;
    struct cn_toi result;
};

static struct cn_moment
moment_at(const struct search *s, double t)
{
    return (struct cn_moment){t, cn_sweep_pose(&s->sweep_a, t), cn_sweep_pose(&s->sweep_b, t)};
}

/* How many different vertices of one core carry the distance. */
static int
feature_size(const int index[4], int count)
{
    CN_ASSERT(0 <= count && count <= 4);
    int size = 0;
    for (int i = 0; i < count; i++) {
        bool is_new = true;
        for (int k = 0; k < i; k++) {
            is_new = is_new && index[k] != index[i];
        }
        size += is_new;
    }
    return size;
}

/* The normal as an axis that is fixed, or that rotates with A or with B. */
static struct cn_toi_axis
axis_of_kind(
    const struct search *s, const struct cn_moment *m, cn_vec3 normal, enum cn_toi_axis_kind kind)
{
    return (struct cn_toi_axis){
        .kind = kind,
        .part = s->in->part,
        .convex = s->in->convex,
        .sweep_a = &s->sweep_a,
        .sweep_b = &s->sweep_b,
        .normal = normal,
        .local = cn_pose_turn_back(kind == CN_TOI_AXIS_OF_B ? &m->b : &m->a, normal),
    };
}

/* The next time at which a sweep stops, or the end. */
static double
limit_after(const struct search *s, double t)
{
    double limit = 1.0;
    limit = s->sweep_a.stop > t ? cn_min(limit, s->sweep_a.stop) : limit;
    return s->sweep_b.stop > t ? cn_min(limit, s->sweep_b.stop) : limit;
}

/* A plane and arcs are proven only by fixed axes. */
static bool
may_turn(const struct search *s)
{
    const struct cn_toi_input *in = s->in;
    return in->part->kind != CN_PART_PLANE && !in->convex->is_arc && !in->part->convex.is_arc;
}

/*
 * The kind of axis that the features suggest.  The axis rotates with the core whose face it belongs
 * to.  So a face that rotates towards a corner does not need a new axis all the time.  Without a
 * face the axis is fixed.
 */
static enum cn_toi_axis_kind
kind_by_features(const struct search *s)
{
    int face = s->sweep_b.planar ? 2 : 3;
    int of_a = feature_size(s->seed.index_a, s->seed.count);
    int of_b = feature_size(s->seed.index_b, s->seed.count);
    if (of_a == face && of_b == 1 && s->sweep_a.turn > 0.0) {
        return CN_TOI_AXIS_OF_A;
    }
    return of_b == face && of_a == 1 && s->sweep_b.turn > 0.0 ? CN_TOI_AXIS_OF_B
                                                              : CN_TOI_AXIS_FIXED;
}

/*
 * The axis among three kinds that proves most.  Any normal may rotate with either core.  A face
 * that rotates towards an edge parallel to it has the features of two edges; with fixed axes the
 * search would approach only as 1 / rounds.
 */
static struct cn_toi_axis
farthest_axis(const struct search *s, const struct cn_moment *m, cn_vec3 normal)
{
    static const enum cn_toi_axis_kind kinds[] = {
        CN_TOI_AXIS_FIXED, CN_TOI_AXIS_OF_A, CN_TOI_AXIS_OF_B};
    struct cn_toi_axis best = {0};
    double farthest = -1.0, limit = limit_after(s, m->t);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct cn_toi_axis axis = axis_of_kind(s, m, normal, kinds[i]);
        double least;
        double time = cn_toi_axis_time(&axis, m, limit - m->t, s->in->target, &least);
        if (time > farthest) {
            farthest = time;
            best = axis;
        }
    }
    return best;
}

static struct cn_toi_axis
axis_of(const struct search *s, const struct cn_moment *m, cn_vec3 normal)
{
    if (!may_turn(s)) {
        return axis_of_kind(s, m, normal, CN_TOI_AXIS_FIXED);
    }
    return s->result.round_count > CN_TOI_ROUNDS_FEW
               ? farthest_axis(s, m, normal)
               : axis_of_kind(s, m, normal, kind_by_features(s));
}

/*
 * Advances as far as an axis proves; true when it reaches t_max.  It aims below the upper end of
 * the tolerance, so that the distance afterwards is within.
 */
static bool
advance_time(struct search *s, struct cn_moment *m, const struct cn_toi_axis *axis)
{
    const struct cn_toi_input *in = s->in;
    for (int step = 0; step < CN_TOI_STEPS_MAX; step++) {
        double least, limit = limit_after(s, m->t);
        double time = cn_toi_axis_time(axis, m, limit - m->t, in->target, &least);
        if (least <= in->target + 0.5 * in->tolerance) {
            return false;
        }
        s->result.step_count++;
        double t = cn_min(m->t + time, limit);
        if (t >= in->t_max) {
            return true;
        }
        *m = moment_at(s, t);
    }
    return false;
}

/* The distance of vertex p of B from a hollow arc, from inside; HUGE_VAL behind the arc. */
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
 * The time of the vertices of B within a hollow arc of a fixed A, each by its whole speed.  The
 * ends of the arc are parts of their own: where only an end is near, time advances by the
 * tolerance.
 */
static double
hollow_time(const struct search *s, const struct cn_moment *m, double *gap, cn_vec3 *normal)
{
    const struct cn_toi_input *in = s->in;
    cn_pose pose = cn_pose_relative(&m->a, &m->b);
    struct cn_rate rate = cn_rate_of(&s->sweep_b, m->t);
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
    struct cn_moment m = moment_at(s, 0.0);
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
gap_at(struct search *s, const struct cn_moment *m, cn_vec3 *normal)
{
    const struct cn_toi_input *in = s->in;
    if (in->part->kind == CN_PART_PLANE) {
        double gap;
        *normal = cn_pose_turn(&m->a, in->part->normal);
        struct cn_toi_axis axis = axis_of(s, m, *normal);
        cn_toi_axis_time(&axis, m, 0.0, in->target, &gap);
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
    struct cn_moment m = moment_at(s, 0.0);
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
        struct cn_toi_axis axis = axis_of(s, &m, s->result.normal);
        if (advance_time(s, &m, &axis)) {
            s->result.outcome = CN_TOI_APART;
            return;
        }
    }
    s->result.outcome = CN_TOI_CUT_OFF;
    s->result.fraction = m.t;
}

static void
begin_search(struct search *s, const struct cn_toi_input *input)
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
    begin_search(&s, input);
    if (input->part->kind == CN_PART_HOLLOW) {
        find_hollow(&s);
    } else {
        find_convex(&s);
    }
    if (s.result.outcome != CN_TOI_APART && input->part->one_sided) {
        cn_vec3 front = {input->part->front.x, input->part->front.y, 0.0};
        front = cn_pose_turn(
            &(cn_pose){.rotation = cn_sweep_pose(input->part_sweep, 0.0).rotation}, front);
        if (cn_vec3_dot(front, s.result.normal) <= 0.0) {
            s.result.outcome = CN_TOI_APART;
        }
    }
    return s.result;
}

double
cn_toi_gap(const struct cn_toi_input *input, double t, cn_vec3 *normal)
{
    CN_ASSERT(input->convex->vertex_count > 0);
    struct search s;
    begin_search(&s, input);
    struct cn_moment m = moment_at(&s, t);
    if (input->part->kind == CN_PART_HOLLOW) {
        double gap;
        hollow_time(&s, &m, &gap, normal);
        return cn_max(gap, 0.0);
    }
    return gap_at(&s, &m, normal);
}
