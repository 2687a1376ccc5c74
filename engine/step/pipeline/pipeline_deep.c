/*
 * pipeline_deep.c: bodies stop on their way before meshes get deep in each other.
 *
 * The narrowphase finds contacts of meshes once a tick, for the velocities at its beginning.  A
 * body that is struck in the tick changes its direction.  A body that falls behind a stopped one
 * falls further.  Both may move by more than their thickness, and no contact holds them.  So after
 * the substeps the engine tests all pairs that may have become deep.  Each body of a deep pair
 * moves only a part f of its way, counted from the beginning of the tick, so that the pair is no
 * deeper than
 *
 *     limit = max(LIMIT_FRACTION w, min(4 slop, w / 4)),  w the smaller width,
 *
 * or than its depth at the beginning and a little, if that is more.  Velocities do not change: the
 * next tick finds the contact and treats it as any other.  A stopped body may be in the way of
 * others, which are tested again.  f only decreases, and no pair is too deep where all bodies are
 * at their start, so the rounds end.
 *
 * A pair is skipped if its contacts at the beginning of the tick, and the distance that both bodies
 * have moved since, show that it cannot be deep.  Bodies that move far are also tested on their
 * way, at places at most w / 2 apart, LOOKS_MAX places at most: a body that has passed through
 * another one is as bad as one that is inside it.
 *
 * Bodies that impulses do not stop, such as kinematic ones, do not stop here.  If one of them
 * presses into another body, that body moves its whole way.
 *
 * Determinism: the result depends on poses, shapes and contacts only.  Workers share the tests of a
 * round, which read the fractions of the previous round.  Then fractions change pair by pair.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/collide/query/sweep.h"
#include "engine/math/scalar.h"
#include "engine/step/pipeline/continuous.h"

#include <math.h>

#define LIMIT_FRACTION 0.06F
#define LIMIT_SLOPS 4.0F
#define CREEP_FRACTION 0.01F /* of the limit: a pair may get deeper by this much in a tick */
#define STRIDE_FRACTION 0.5F /* of the smaller width: the distance between places that are tested */
#define LOOKS_MAX 256
#define HALVINGS 5  /* of the way between a place that is not too deep and one that is */
#define ROUNDS 12   /* a body that is too deep after so many rounds stays where the tick began */
#define GRAIN 16    /* pairs that one worker takes at once */

/* The way of a body that moves. */
struct way {
    struct cn_sweep sweep;
    float fraction;     /* the part of the way that it goes, 0 to 1 */
    float moved, turned; /* in all [m, rad] */
    bool stops;         /* fraction may be less than 1 */
    bool is_new;        /* fraction was changed in the last round */
};

/* The result for a pair in a round: how far its bodies may go. */
struct verdict {
    float deep_at_start; /* at most [m]; < 0: they are at least this far apart */
    float fraction_a, fraction_b;
    int32_t look_count; /* in all rounds */
};

struct cn_pipeline_deep {
    struct way *way; /* of each solver body */
    struct verdict *verdict; /* of each pair in wide[] */
    const struct cn_fast_mesh_kernel *kernel;
    float slop;
    int round;
};

bool
cn_pipeline_begin_deep(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    CN_ASSERT(p->model->settings.dimension == CN_SPATIAL);
    struct cn_pipeline_deep *deep = CN_PIPELINE_TAKE(t, struct cn_pipeline_deep, 1);
    struct way *way = CN_PIPELINE_TAKE(t, struct way, p->awake_count);
    struct verdict *verdict = CN_PIPELINE_TAKE(t, struct verdict, p->wide_count);
    if (verdict == NULL) {
        return false;
    }
    *deep = (struct cn_pipeline_deep){
        .way = way,
        .verdict = verdict,
        .kernel = cn_fast_mesh_kernel_find(t->kernel->name),
        .slop = (float)cn_pipeline_slop(p->model),
    };
    t->deep = deep;
    return true;
}

/* ---- ways ---- */

static struct way
way_of(const struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    int body = t->p->awake[k];
    const struct cn_motion *end = &model->motion[body];
    const struct cn_start *start = &t->start[k];
    bool held = t->runaway[k] || model->body[body].quarantined;
    struct way way = {.fraction = 1.0F, .is_new = true};
    way.sweep = held ? cn_sweep_spatial(end->position, end->orientation, end->position,
                           end->orientation)
                     : cn_sweep_spatial(start->position, start->orientation, end->position,
                           end->orientation);
    way.stops = !held && model->body[body].mass_inverse > 0.0;
    way.moved = (float)cn_vec3_length(way.sweep.along);
    way.turned = (float)way.sweep.turn;
    return way;
}

static void
ways_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        t->deep->way[k] = way_of(t, k);
    }
}

/* The way of a shape's body; NULL: it does not move. */
static struct way *
find_way(const struct cn_pipeline_tick *t, int32_t shape)
{
    int32_t name = t->p->solver_body[t->p->shape_body[shape]];
    if (name == CN_IMPULSE_FIXED) {
        return NULL;
    }
    CN_ASSERT(cn_impulse_index(name) < t->p->awake_count);
    return &t->deep->way[cn_impulse_index(name)];
}

static struct cn_place3
place_at(const struct cn_pipeline_tick *t, int32_t shape, const struct way *way, float fraction)
{
    if (way == NULL || fraction >= 1.0F) {
        return ((const struct cn_place3 *)t->p->place)[t->p->shape_body[shape]];
    }
    cn_pose pose = cn_sweep_pose(&way->sweep, (double)fraction);
    return cn_place3_of(&pose);
}

/* ---- pairs ---- */

/* A pair that is tested. */
struct look {
    const struct cn_pipeline_tick *t;
    struct cn_pair pair;
    const struct way *a, *b; /* NULL: it does not move */
    float fraction_a, fraction_b; /* as of the round before */
    struct verdict *verdict;
};

/* The part of its way that a body goes, if no body goes more than the part c. */
static float
part_of(const struct way *way, float fraction, float c)
{
    return way == NULL ? 0.0F : way->stops && c < fraction ? c : fraction;
}

static float
depth_at(const struct look *look, float c, float least)
{
    const struct cn_fast_shape3 *shape = look->t->p->shape;
    struct cn_place3 a = place_at(
        look->t, look->pair.a, look->a, part_of(look->a, look->fraction_a, c));
    struct cn_place3 b = place_at(
        look->t, look->pair.b, look->b, part_of(look->b, look->fraction_b, c));
    const struct cn_fast_mesh_pair pair = {.a = &shape[look->pair.a],
        .b = &shape[look->pair.b],
        .place_a = &a,
        .place_b = &b};
    look->verdict->look_count++;
    return cn_fast_mesh_depth(look->t->deep->kernel, &pair, least);
}

static float
width_of(const struct look *look)
{
    const struct cn_fast_shape3 *shape = look->t->p->shape;
    float a = shape[look->pair.a].width, b = shape[look->pair.b].width;
    return a < b ? a : b;
}

/* How far points of one body may have moved against those of the other. */
static float
motion_of(const struct look *look)
{
    const struct cn_fast_shape3 *shape = look->t->p->shape;
    cn_vec3 way = {0.0, 0.0, 0.0};
    float turned = 0.0F;
    if (look->a != NULL) {
        way = cn_vec3_scale(look->a->sweep.along, (double)look->fraction_a);
        turned += look->fraction_a * look->a->turned * (float)shape[look->pair.a].shape->reach;
    }
    if (look->b != NULL) {
        way = cn_vec3_add_scaled(way, -(double)look->fraction_b, look->b->sweep.along);
        turned += look->fraction_b * look->b->turned * (float)shape[look->pair.b].shape->reach;
    }
    return (float)cn_vec3_length(way) + turned;
}

/*
 * The largest depth when the tick began, by the contacts found then.  If no contact was found and
 * the bodies move far, it is by their boxes.
 */
static float
deepest_found(const struct look *look, const struct cn_fast_mesh_found *found, float far)
{
    const struct cn_fast_shape3 *shape = look->t->p->shape;
    float least = look->t->margin;
    if (found->manifold_count == 0 && motion_of(look) > far + least) {
        struct cn_place3 a = place_at(look->t, look->pair.a, look->a, 0.0F);
        struct cn_place3 b = place_at(look->t, look->pair.b, look->b, 0.0F);
        const struct cn_fast_mesh_pair pair = {.a = &shape[look->pair.a],
            .b = &shape[look->pair.b],
            .place_a = &a,
            .place_b = &b};
        float gap = cn_fast_mesh_gap(&pair);
        return -(gap > least ? gap : least);
    }
    for (int i = 0; i < found->manifold_count; i++) {
        const struct cn_fast_mesh_manifold *m = &found->manifold[i];
        for (int k = 0; k < m->point_count; k++) {
            least = m->point[k].separation < least ? m->point[k].separation : least;
        }
    }
    return -least;
}

/* The last part of the way, before c_deep, at which the pair is not too deep. */
static float
last_free(const struct look *look, float limit, float c_free, float c_deep)
{
    for (int i = 0; i < HALVINGS; i++) {
        float c = 0.5F * (c_free + c_deep);
        if (depth_at(look, c, limit) > limit) {
            c_deep = c;
        } else {
            c_free = c;
        }
    }
    return c_free;
}

static void
stop_before(struct look *look, float limit, int first, int count)
{
    struct verdict *verdict = look->verdict;
    float of_a = look->a != NULL ? look->fraction_a : 0.0F;
    float of_b = look->b != NULL ? look->fraction_b : 0.0F;
    float most = of_a > of_b ? of_a : of_b;
    for (int i = first; i <= count; i++) {
        float c = most * (float)i / (float)count;
        if (!(depth_at(look, c, limit) > limit)) {
            continue;
        }
        float start = depth_at(look, 0.0F, limit);
        if (start > limit) {
            limit = start + CREEP_FRACTION * limit;
            if (!(depth_at(look, c, limit) > limit)) {
                continue;
            }
        }
        float before = most * (float)(i - 1) / (float)count;
        float part = look->t->deep->round < ROUNDS ? last_free(look, limit, before, c) : 0.0F;
        verdict->fraction_a = part_of(look->a, look->fraction_a, part);
        verdict->fraction_b = part_of(look->b, look->fraction_b, part);
        return;
    }
}

static float
limit_of(const struct look *look)
{
    float width = width_of(look), thin = 0.25F * width;
    float slops = LIMIT_SLOPS * look->t->deep->slop, least = slops < thin ? slops : thin;
    return LIMIT_FRACTION * width > least ? LIMIT_FRACTION * width : least;
}

/*
 * Judges a pair.  It is not tested if it was not deep when the tick began and does not move far
 * enough.
 */
static void
judge(struct look *look, int i)
{
    const struct cn_pipeline_tick *t = look->t;
    struct verdict *verdict = look->verdict;
    float limit = limit_of(look), motion = motion_of(look);
    if (t->deep->round == 0) {
        verdict->deep_at_start = deepest_found(look, cn_pipeline_mesh_found(t, i), limit);
    }
    float free = limit - verdict->deep_at_start;
    bool sensor = (cn_pipeline_kind(t->p->model, look->pair.a, look->pair.b) &
                      CN_TOUCH_SENSOR) != 0;
    if (!(motion > free) || sensor ||
        cn_model_passes(t->p->model, look->pair.a, look->pair.b)) {
        return;
    }
    float strides = motion / (STRIDE_FRACTION * width_of(look));
    int count = strides < (float)LOOKS_MAX ? (int)strides + 1 : LOOKS_MAX;
    int first = free > 0.0F ? (int)((float)count * free / motion) + 1 : 1;
    stop_before(look, limit, first < count ? first : count, count);
}

static void
look_at(const struct cn_pipeline_tick *t, int i)
{
    struct verdict *verdict = &t->deep->verdict[i];
    struct look look = {
        .t = t,
        .pair = t->p->wide[i],
        .a = find_way(t, t->p->wide[i].a),
        .b = find_way(t, t->p->wide[i].b),
        .verdict = verdict,
    };
    look.fraction_a = look.a != NULL ? look.a->fraction : 1.0F;
    look.fraction_b = look.b != NULL ? look.b->fraction : 1.0F;
    verdict->fraction_a = look.fraction_a;
    verdict->fraction_b = look.fraction_b;
    verdict->look_count = t->deep->round == 0 ? 0 : verdict->look_count;
    bool is_new = (look.a != NULL && look.a->is_new) || (look.b != NULL && look.b->is_new);
    bool stops = (look.a != NULL && look.a->stops) || (look.b != NULL && look.b->stops);
    if (is_new && stops) {
        judge(&look, i);
    }
}

static void
look_task(void *context, int first, int end, int worker)
{
    (void)worker;
    for (int i = first; i < end; i++) {
        look_at(context, i);
    }
}

/* ---- rounds ---- */

static bool
shorten(struct way *way, float fraction)
{
    if (way == NULL || !(fraction < way->fraction)) {
        return false;
    }
    way->fraction = fraction;
    way->is_new = true;
    return true;
}

static bool
take_verdicts(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    bool any = false;
    for (int k = 0; k < p->awake_count; k++) {
        t->deep->way[k].is_new = false;
    }
    for (int i = 0; i < p->wide_count; i++) {
        const struct verdict *verdict = &t->deep->verdict[i];
        bool a = shorten(find_way(t, p->wide[i].a), verdict->fraction_a);
        bool b = shorten(find_way(t, p->wide[i].b), verdict->fraction_b);
        any = any || a || b;
    }
    return any;
}

/* Puts the stopped bodies where they stop. */
static void
put_stopped(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    for (int k = 0; k < p->awake_count; k++) {
        const struct way *way = &t->deep->way[k];
        if (way->fraction < 1.0F) {
            struct cn_motion *motion = &p->model->motion[p->awake[k]];
            motion->position = cn_sweep_pose(&way->sweep, (double)way->fraction).position;
            motion->orientation = cn_sweep_orientation(&way->sweep, (double)way->fraction);
            p->ops->place(p, p->awake[k]);
        }
    }
}

int
cn_pipeline_stop_deep(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    int look_count = 0;
    if (t->deep == NULL) {
        return 0;
    }
    CN_ASSERT(t->start != NULL && t->deep->round == 0);
    cn_task_run(t->crew, ways_task, t, p->awake_count, GRAIN);
    do {
        cn_task_run(t->crew, look_task, t, p->wide_count, GRAIN);
        t->deep->round++;
    } while (take_verdicts(t));
    put_stopped(t);
    for (int i = 0; i < p->wide_count; i++) {
        look_count += t->deep->verdict[i].look_count;
    }
    return look_count;
}
