/*
 * continuous.c: sweeps fast bodies against the shapes in their way; continuous.h states the method.
 *
 * More than 600 lines: one search, whose parts share structures that nothing else should see.
 */
#include "engine/step/pipeline/continuous.h"

#include "engine/base/assert.h"
#include "engine/collide/query/toi.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"

#define SHRINK_SLOPS 4.0
#define SHRINK_WIDTH 0.25    /* largest part of a shape's width */
#define SCALE_MIN 0.5        /* of a core that is made by scaling */
#define FLAT_CORNER 1e-3     /* determinant of the sum of n n' at a corner, n its normals */
#define INSET_MIN 0.5        /* of `shrink`: least depth of a core inside the shape */
#define TARGET_FRACTION 0.25 /* of the depth of the core */
#define TOLERANCE_FRACTION 0.25 /* of the target */
#define GAP_MIN_FRACTION 1e-6   /* of the target: nearer is an overlap */
#define GAP_KEPT 0.9            /* of a gap that is below the target at the start */
#define TURN_SMALL 0.5          /* rad: up to it the boxes at both ends bound the path */
#define FAR 1e30            /* m: beyond all positions */
#define STOP_GRAIN 8            /* bodies that a worker takes at a time */

_Static_assert(CN_HULL_VERTICES_MAX <= CN_POLYGON_VERTICES_MAX, "room of a core");

/* A part of a moving shape, whole and as a core. */
struct mover {
    struct cn_part whole;
    struct cn_convex core;
    cn_vec2 flat[CN_POLYGON_VERTICES_MAX];
    cn_vec3 solid[CN_HULL_VERTICES_MAX];
    double target;
};

/* One body's search. */
struct search {
    const struct cn_continuous *c;
    const struct cn_stop *stops; /* of all bodies */
    int stop_count;
    bool statics; /* whether it tests static shapes; else those of bodies that move */
    struct cn_stop *stop;
    int body;
    struct cn_sweep sweep;
    int shape;
    int part;
    cn_aabb way; /* of the shape, world */
    struct mover mover;
};

static struct cn_sweep
sweep_of(const struct cn_continuous *c, int mover)
{
    const struct cn_start *start = &c->start[mover];
    const struct cn_motion *end = &c->model->motion[c->moving[mover]];
    if (c->model->settings.dimension == CN_PLANAR) {
        return cn_sweep_planar(start->position, start->angle, end->position, end->angle);
    }
    return cn_sweep_spatial(
        start->position, start->orientation, end->position, end->orientation);
}

/*
 * An upper bound of the distance that a body's points moved: the path of its centre, plus the
 * rotation.  In the plane this is the length of the arcs.  In space the rotation is at most half a
 * turn, and the points move by the chord, 2 sin(turn / 2) times their distance.
 */
static double
motion_of(const struct cn_continuous *c, int mover)
{
    const struct cn_start *start = &c->start[mover];
    const struct cn_motion *end = &c->model->motion[c->moving[mover]];
    double reach = c->model->body[c->moving[mover]].reach;
    double way = cn_vec3_length(cn_vec3_sub(end->position, start->position));
    if (c->model->settings.dimension == CN_PLANAR) {
        return way + fabs(end->angle - start->angle) * reach;
    }
    cn_quat q = cn_quat_multiply(end->orientation, cn_quat_conjugate(start->orientation));
    return way + 2.0 * cn_vec3_length((cn_vec3){q.x, q.y, q.z}) * reach;
}

bool
cn_continuous_is_fast(const struct cn_continuous *c, int mover)
{
    const struct cn_model *model = c->model;
    const struct cn_body *body = &model->body[c->moving[mover]];
    if (body->type != CN_DYNAMIC || body->shape_count == 0 || body->quarantined) {
        return false;
    }
    double width = HUGE_VAL;
    for (int i = 0; i < body->shape_count; i++) {
        const struct cn_shape *shape = &model->shape[body->shape_first + i];
        width = shape->sensor ? width : cn_min(width, shape->width);
    }
    return motion_of(c, mover) > CN_CONTINUOUS_FAST * width;
}

/* ---- cores ---- */

/* The depth of a point below the nearest side of a sharp core. */
static double
depth_of(const struct cn_shape *shape, cn_vec3 p)
{
    double depth = HUGE_VAL;
    if (shape->dimension == CN_PLANAR) {
        for (int i = 0; i < shape->vertex_count; i++) {
            cn_vec2 in = {shape->vertex[i].x - p.x, shape->vertex[i].y - p.y};
            depth = cn_min(depth, cn_vec2_dot(in, shape->normal[i]));
        }
    } else {
        for (int i = 0; i < shape->core.face_count; i++) {
            const struct cn_face *face = &shape->core.face[i];
            depth = cn_min(depth, face->offset - cn_vec3_dot(face->normal, p));
        }
    }
    return depth;
}

/* The normals that meet at a corner: their sum, and the sum of n n'. */
struct corner {
    cn_vec3 sum;
    cn_mat33 squares;
};

static void
add_normal(struct corner *corner, cn_vec3 n)
{
    corner->sum = cn_vec3_add(corner->sum, n);
    corner->squares.cx = cn_vec3_add_scaled(corner->squares.cx, n.x, n);
    corner->squares.cy = cn_vec3_add_scaled(corner->squares.cy, n.y, n);
    corner->squares.cz = cn_vec3_add_scaled(corner->squares.cz, n.z, n);
}

static void
add_normals(const struct cn_shape *shape, struct corner *corner)
{
    int n = shape->vertex_count;
    for (int i = 0; i < n; i++) {
        corner[i] = (struct corner){.squares.cz.z = shape->dimension == CN_PLANAR ? 1.0 : 0.0};
    }
    for (int i = 0; i < n && shape->dimension == CN_PLANAR; i++) {
        cn_vec3 normal = {shape->normal[i].x, shape->normal[i].y, 0.0};
        add_normal(&corner[i], normal);
        add_normal(&corner[i + 1 < n ? i + 1 : 0], normal);
    }
    for (int i = 0; i < shape->core.face_count; i++) {
        const struct cn_face *face = &shape->core.face[i];
        for (int k = 0; k < face->corner_count; k++) {
            add_normal(&corner[shape->core.corner[face->corner_first + k].vertex], face->normal);
        }
    }
}

/*
 * Corners that are `shrink` below the adjacent faces: exactly where these are three (two in the
 * plane), else on average.  False where a face would vanish.
 */
static bool
inset_core(const struct cn_shape *shape, double shrink, struct mover *m)
{
    struct corner corner[CN_POLYGON_VERTICES_MAX];
    CN_ASSERT(shape->vertex_count <= CN_POLYGON_VERTICES_MAX);
    add_normals(shape, corner);
    for (int i = 0; i < shape->vertex_count; i++) {
        if (cn_mat33_determinant(&corner[i].squares) < FLAT_CORNER) {
            return false;
        }
        cn_mat33 inverse = cn_mat33_invert_symmetric(&corner[i].squares);
        cn_vec3 out = cn_mat33_apply(&inverse, corner[i].sum);
        m->solid[i] = cn_vec3_add_scaled(cn_convex_vertex(&m->whole.convex, i), -shrink, out);
        if (depth_of(shape, m->solid[i]) < INSET_MIN * shrink) {
            return false;
        }
    }
    return true;
}

/*
 * Makes a sharp core smaller.  If corners are too flat or too sharp, it scales the core about its
 * middle.
 */
static void
shrink_core(const struct cn_shape *shape, double shrink, struct mover *m)
{
    const struct cn_convex *whole = &m->whole.convex;
    if (!inset_core(shape, shrink, m)) {
        cn_vec3 middle = cn_convex_middle(whole);
        double scale = cn_max(SCALE_MIN, 1.0 - shrink / depth_of(shape, middle));
        for (int i = 0; i < whole->vertex_count; i++) {
            cn_vec3 from_middle = cn_vec3_sub(cn_convex_vertex(whole, i), middle);
            m->solid[i] = cn_vec3_add_scaled(middle, scale, from_middle);
        }
    }
    for (int i = 0; i < whole->vertex_count && whole->flat != NULL; i++) {
        m->flat[i] = (cn_vec2){m->solid[i].x, m->solid[i].y};
    }
    m->core.polytope = NULL;
    m->core.flat = whole->flat != NULL ? m->flat : NULL;
    m->core.solid = whole->solid != NULL ? m->solid : NULL;
}

/* Part `part` of a moving shape; false where the part does not exist. *m must not be moved. */
static bool
make_mover(const struct cn_shape *shape, int part, double slop, struct mover *m)
{
    if (!cn_part_get(shape, part, true, &m->whole) || m->whole.kind != CN_PART_CONVEX) {
        return false;
    }
    double shrink = cn_min(SHRINK_SLOPS * slop, SHRINK_WIDTH * shape->width);
    m->target = TARGET_FRACTION * shrink;
    m->core = m->whole.convex;
    if (m->core.radius > shrink) {
        m->core.radius -= shrink;
    } else if (shape->bulge == NULL) {
        shrink_core(shape, shrink, m);
    }
    return true;
}

/* ---- one mover against one obstacle ---- */

/*
 * The time until which the core moves freely; t_max if it meets nothing before.  A core that starts
 * within the target keeps most of its gap; a core without a gap overlaps, and the overlap is
 * ignored.
 */
static double
free_until(struct search *s, struct cn_toi_input *in)
{
    struct cn_toi toi = cn_toi_find(in);
    if (toi.outcome == CN_TOI_TOUCHING) {
        if (toi.gap <= GAP_MIN_FRACTION * in->target) {
            return in->t_max;
        }
        in->target = GAP_KEPT * toi.gap;
        in->tolerance = 0.5 * (toi.gap - in->target);
        toi = cn_toi_find(in);
    }
    s->stop->cut_off_count += toi.outcome == CN_TOI_CUT_OFF;
    return toi.outcome == CN_TOI_APART ? in->t_max : toi.fraction;
}

static void
meet_part(struct search *s, const struct cn_part *part, const struct cn_sweep *sweep, int other)
{
    struct cn_toi_input in = {
        .part = part,
        .part_sweep = sweep,
        .convex = &s->mover.core,
        .convex_sweep = &s->sweep,
        .target = s->mover.target,
        .tolerance = TOLERANCE_FRACTION * s->mover.target,
        .t_max = 1.0,
    };
    /* Shapes come in any order, so an earlier hit does not shorten a search. */
    double t = free_until(s, &in);
    if (t >= 1.0) {
        return;
    }
    struct cn_toi_input whole = in;
    whole.convex = &s->mover.whole.convex;
    whole.target = 0.5 * s->mover.target;
    whole.tolerance = TOLERANCE_FRACTION * whole.target;
    struct cn_toi toi = cn_toi_find(&whole);
    if (toi.outcome == CN_TOI_HIT && toi.fraction < t) {
        t = toi.fraction;
    }
    bool first = t < s->stop->fraction ||
                 (t == s->stop->fraction && s->shape == s->stop->shape && other < s->stop->other);
    if (first) {
        s->stop->fraction = t;
        s->stop->shape = s->shape;
        s->stop->other = other;
    }
}

/* ---- candidates ---- */

/* Index of a value in an ascending array; -1: it is not in the array. */
static int
find_body(const int32_t *sorted, int count, int body)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low] == body ? low : -1;
}

static bool
is_fast(const struct search *s, int mover)
{
    int low = 0, high = s->stop_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->stops[middle].mover < mover) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->stop_count && s->stops[low].mover == mover;
}

static struct cn_sweep
still_at(const struct cn_model *model, int body)
{
    const struct cn_motion *m = &model->motion[body];
    return model->settings.dimension == CN_PLANAR
               ? cn_sweep_planar(m->position, m->angle, m->position, m->angle)
               : cn_sweep_spatial(m->position, m->orientation, m->position, m->orientation);
}

struct meeting {
    struct search *s;
    const struct cn_shape *obstacle;
    const struct cn_sweep *sweep;
    int other;
};

static bool
meet_one(void *context, int i)
{
    const struct meeting *m = context;
    struct cn_part part;
    if (cn_part_get(m->obstacle, i, !m->s->statics, &part)) {
        meet_part(m->s, &part, m->sweep, m->other);
    }
    return true;
}

/* Tests a shape.  Of a static mesh it tests only the parts near the path. */
static void
meet_shape(struct search *s, int other, const struct cn_sweep *sweep)
{
    struct meeting m = {s, &s->c->model->shape[other], sweep, other};
    cn_aabb whole = {{-FAR, -FAR, -FAR}, {FAR, FAR, FAR}};
    if (s->statics && m.obstacle->mesh != NULL) {
        cn_pose pose = cn_sweep_pose(sweep, 0.0);
        whole = cn_aabb_turn_back(&pose, &s->way);
    }
    cn_part_near(m.obstacle, &whole, meet_one, &m);
}

/*
 * Tests a shape near the path.  In the first pass it is a static shape, in the second pass a shape
 * of a body that is not fast.
 */
static bool
visit_shape(void *context, int other)
{
    struct search *s = context;
    const struct cn_model *model = s->c->model;
    CN_ASSERT(other >= 0 && other < model->shape_max);
    int body = model->shape[other].body;
    if (body < 0 || (model->body[body].type == CN_STATIC) != s->statics ||
        !cn_pairs_may_touch(model, s->shape, other)) {
        return true;
    }
    struct cn_sweep sweep = still_at(model, body);
    if (model->shape[other].kind == CN_SHAPE_PLANE) {
        sweep.turn = 0.0; /* in space two equal orientations may differ by rounding */
    }
    int mover = s->statics ? -1 : find_body(s->c->moving, s->c->moving_count, body);
    if (mover >= 0) {
        if (is_fast(s, mover)) {
            return true;
        }
        sweep = sweep_of(s->c, mover);
    }
    meet_shape(s, other, &sweep);
    return true;
}

static cn_aabb
join_boxes(const cn_aabb *a, const cn_aabb *b, double grow)
{
    return (cn_aabb){
        {cn_min(a->low.x, b->low.x) - grow, cn_min(a->low.y, b->low.y) - grow,
            cn_min(a->low.z, b->low.z) - grow},
        {cn_max(a->high.x, b->high.x) + grow, cn_max(a->high.y, b->high.y) + grow,
            cn_max(a->high.z, b->high.z) + grow},
    };
}

/*
 * A box around a shape's path.  A point that rotates by an angle differs from the chord of its arc
 * by less than its radius times the angle squared over eight.
 */
static cn_aabb
way_of(const struct cn_shape *shape, const struct cn_sweep *sweep, double grow)
{
    cn_pose first = cn_sweep_pose(sweep, 0.0), last = cn_sweep_pose(sweep, 1.0);
    cn_aabb a, b;
    if (sweep->turn <= TURN_SMALL) {
        a = cn_shape_aabb(shape, &first, 0.0);
        b = cn_shape_aabb(shape, &last, 0.0);
        grow += 0.125 * sweep->turn * sweep->turn * shape->reach;
    } else {
        a = (cn_aabb){first.position, first.position};
        b = (cn_aabb){last.position, last.position};
        grow += shape->reach;
    }
    return join_boxes(&a, &b, grow);
}

static void
meet_near(struct search *s, const cn_aabb *way, double others_motion)
{
    const struct cn_continuous *c = s->c;
    const cn_aabb wider = join_boxes(way, way, others_motion);
    if (c->proximity != NULL) {
        (s->statics ? cn_proximity_query_fixed : cn_proximity_query)(
            c->proximity, &wider, visit_shape, s);
        return;
    }
    for (int other = 0; other < c->model->shape_count; other++) {
        visit_shape(s, other);
    }
}

/*
 * Tests other fast bodies, up to the time when static shapes stop them; their boxes need not
 * contain their paths.
 */
static void
meet_fast(struct search *s, const cn_aabb *way)
{
    const struct cn_model *model = s->c->model;
    for (int k = 0; k < s->stop_count; k++) {
        int index = s->c->moving[s->stops[k].mover];
        const struct cn_body *body = &model->body[index];
        if (index == s->body) {
            continue;
        }
        struct cn_sweep sweep = sweep_of(s->c, s->stops[k].mover);
        sweep.stop = s->stops[k].fraction_static;
        for (int i = 0; i < body->shape_count; i++) {
            int other = body->shape_first + i;
            cn_aabb box = way_of(&model->shape[other], &sweep, 0.0);
            if (cn_aabb_overlap(&box, way) && cn_pairs_may_touch(model, s->shape, other)) {
                meet_shape(s, other, &sweep);
            }
        }
    }
}

static void
meet_all(struct search *s, double others_motion)
{
    const struct cn_body *body = &s->c->model->body[s->body];
    for (int k = 0; k < body->shape_count; k++) {
        s->shape = body->shape_first + k;
        const struct cn_shape *shape = &s->c->model->shape[s->shape];
        /* Meshes are handled before the step, and stopped where they are deep (pipeline_deep.c). */
        int count = shape->sensor || shape->mesh != NULL ? 0 : cn_part_count(shape);
        for (int i = 0; i < count; i++) {
            if (!make_mover(shape, i, s->c->slop, &s->mover)) {
                continue;
            }
            cn_aabb way = way_of(shape, &s->sweep, 2.0 * s->mover.target);
            s->way = way;
            meet_near(s, &way, others_motion);
            if (!s->statics) {
                meet_fast(s, &way);
            }
        }
    }
}

/* ---- all of them ---- */

struct work {
    const struct cn_continuous *c;
    struct cn_stop *stop;
    int count;
    double slow_motion; /* the largest motion of the bodies that are not fast [m] */
};

static void
begin_search(struct search *s, const struct work *w, int k)
{
    s->c = w->c;
    s->stop = &w->stop[k];
    s->stops = w->stop;
    s->stop_count = w->count;
    CN_ASSERT(s->stop->mover >= 0 && s->stop->mover < w->c->moving_count);
    s->body = w->c->moving[s->stop->mover];
}

static bool
see_static(void *context, int other)
{
    struct search *s = context;
    int body = s->c->model->shape[other].body;
    s->statics = s->statics || (body >= 0 && s->c->model->body[body].type == CN_STATIC);
    return !s->statics;
}

/* Whether static shapes may be near the body's path: usually none are. */
static bool
is_static_near(struct search *s)
{
    const struct cn_continuous *c = s->c;
    if (c->proximity == NULL) {
        return true;
    }
    cn_vec3 from = c->start[s->stop->mover].position, to = c->model->motion[s->body].position;
    cn_aabb first = {from, from}, last = {to, to};
    /* The path's box is larger by two targets on every side; four targets make a shrink. */
    cn_aabb way =
        join_boxes(&first, &last, c->model->body[s->body].reach + 0.5 * SHRINK_SLOPS * c->slop);
    s->statics = false;
    cn_proximity_query_fixed(c->proximity, &way, see_static, s);
    return s->statics;
}

static void
find_static(void *context, int first, int end, int worker)
{
    const struct work *w = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        struct search s;
        begin_search(&s, w, k);
        *s.stop = (struct cn_stop){
            .mover = s.stop->mover, .fraction = 1.0, .shape = -1, .other = -1};
        if (is_static_near(&s)) {
            s.statics = true;
            s.sweep = sweep_of(w->c, s.stop->mover);
            meet_all(&s, 0.0);
        }
        s.stop->fraction_static = s.stop->fraction;
    }
}

/* Reads only the first pass's results of other bodies. */
static void
find_moving(void *context, int first, int end, int worker)
{
    const struct work *w = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        if (w->c->model->body[w->c->moving[w->stop[k].mover]].bullet) {
            struct search s;
            begin_search(&s, w, k);
            s.statics = false;
            s.sweep = sweep_of(w->c, s.stop->mover);
            meet_all(&s, w->slow_motion);
        }
    }
}

static double
slow_motion_of(const struct work *w)
{
    double most = 0.0;
    int next = 0;
    for (int mover = 0; mover < w->c->moving_count; mover++) {
        if (next < w->count && w->stop[next].mover == mover) {
            next++;
        } else {
            most = cn_max(most, motion_of(w->c, mover));
        }
    }
    return 0.5 * CN_PI * most; /* an arc is longer than its chord by at most this factor */
}

void
cn_continuous_find(
    const struct cn_continuous *c, struct cn_stop *stop, int count, struct cn_crew *crew)
{
    CN_ASSERT(count <= c->moving_count);
    struct work w = {c, stop, count, 0.0};
    cn_task_run(crew, find_static, &w, count, STOP_GRAIN);
    bool bullets = false;
    for (int k = 0; k < count; k++) {
        CN_ASSERT(k == 0 || stop[k - 1].mover < stop[k].mover);
        bullets = bullets || c->model->body[c->moving[stop[k].mover]].bullet;
    }
    if (bullets) {
        w.slow_motion = slow_motion_of(&w);
        cn_task_run(crew, find_moving, &w, count, STOP_GRAIN);
    }
}

struct cn_motion
cn_continuous_motion(const struct cn_continuous *c, const struct cn_stop *stop)
{
    CN_ASSERT(stop->mover >= 0 && stop->mover < c->moving_count);
    struct cn_motion motion = c->model->motion[c->moving[stop->mover]];
    if (stop->fraction >= 1.0) {
        return motion;
    }
    struct cn_sweep sweep = sweep_of(c, stop->mover);
    motion.position = cn_vec3_add_scaled(sweep.from, stop->fraction, sweep.along);
    if (sweep.planar) {
        motion.angle = cn_sweep_angle(&sweep, stop->fraction);
        motion.orientation = cn_quat_about_z(motion.angle);
    } else {
        motion.orientation = cn_sweep_orientation(&sweep, stop->fraction);
    }
    return motion;
}
