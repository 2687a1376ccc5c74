/*
 * pipeline_events.c: the events of pairs that touch: begin, stay, end, hit, force.
 *
 * A contact that has begun also ends before its body is removed, changes its type or filter, is
 * separated from the other by a joint, or is quarantined.  If the two still touch then, it begins
 * again.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/broad/tree.h"
#include "engine/math/scalar.h"

#define KEY_BITS 64

static void
tell_pair(struct cn_model *model, const struct cn_touch *pair, bool begins)
{
    const struct cn_shape *a = &model->shape[pair->a], *b = &model->shape[pair->b];
    CN_ASSERT(a->body >= 0 && b->body >= 0 && a->body != b->body);
    if ((pair->flags & CN_TOUCH_SENSOR) != 0) {
        const struct cn_shape *sensor = a->sensor ? a : b, *other = a->sensor ? b : a;
        int place = (int)(sensor - model->shape) - model->body[sensor->body].shape_first;
        cn_model_event(model, begins ? CN_EVENT_SENSOR_BEGIN : CN_EVENT_SENSOR_END, sensor->body,
            other->body, place);
    } else if (a->contact_events || b->contact_events) {
        cn_model_event(model, begins ? CN_EVENT_CONTACT_BEGIN : CN_EVENT_CONTACT_END, a->body,
            b->body, 0.0);
    }
}

/* The speed at which a point of contact closes [m/s], if it is met within the tick; else 0. */
static double
approach(const struct cn_pipeline_tick *t, const struct cn_touch *pair, cn_vec3 normal,
    cn_vec3 from_a, cn_vec3 from_b, double separation)
{
    const struct cn_model *model = t->p->model;
    const struct cn_motion *a = &model->motion[model->shape[pair->a].body];
    const struct cn_motion *b = &model->motion[model->shape[pair->b].body];
    cn_vec3 of_a = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, from_a));
    cn_vec3 of_b = cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, from_b));
    double speed = cn_vec3_dot(normal, cn_vec3_sub(of_a, of_b));
    return separation <= speed * t->duration ? speed : 0.0;
}

static cn_vec3
vec3(const float v[3])
{
    return (cn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

/* The fastest point of a manifold of this tick; velocities are those before the solve. */
static double
hit_speed(const struct cn_pipeline_tick *t, const struct cn_touch *pair, int index)
{
    const struct cn_pipeline *p = t->p;
    CN_ASSERT(index >= 0 && index < p->pair_count);
    double speed = 0.0;
    if (p->model->settings.dimension == CN_PLANAR) {
        const struct cn_manifold2 *m =
            (const struct cn_manifold2 *)p->manifold[1 - p->front] + index;
        cn_vec3 normal = {(double)m->normal_x, (double)m->normal_y, 0.0};
        for (int i = 0; i < m->point_count; i++) {
            const struct cn_point2 *point = &m->point[i];
            cn_vec3 a = {(double)point->anchor_ax, (double)point->anchor_ay, 0.0};
            cn_vec3 b = {(double)point->anchor_bx, (double)point->anchor_by, 0.0};
            speed = cn_max(
                speed, approach(t, pair, normal, a, b, (double)point->separation));
        }
        return speed;
    }
    const struct cn_manifold3 *m =
        (const struct cn_manifold3 *)p->manifold[1 - p->front] + index;
    for (int i = 0; i < m->point_count; i++) {
        const struct cn_point3 *point = &m->point[i];
        speed = cn_max(speed, approach(t, pair, vec3(m->normal), vec3(point->anchor_a),
                                  vec3(point->anchor_b), (double)point->separation));
    }
    return speed;
}

/* Whether the shapes of a pair come before those of another one. */
static bool
is_before(const struct cn_touch *x, const struct cn_touch *y)
{
    return x->a < y->a || (x->a == y->a && x->b < y->b);
}

static bool
are_same_shapes(const struct cn_touch *x, const struct cn_touch *y)
{
    return x->a == y->a && x->b == y->b;
}

/* Whether nothing is to be reported of a pair that is alone of its two shapes.  No branches. */
static bool
is_quiet(const struct cn_touch *pair)
{
    bool now = (pair->flags & CN_TOUCH_NOW) != 0;
    bool begun = (pair->manifold >= 0) & ((pair->flags & CN_TOUCH_ENDED) == 0);
    bool solid = (pair->flags & CN_TOUCH_SENSOR) == 0;
    bool hits = (pair->flags & (CN_TOUCH_HITS | CN_TOUCH_STAYS)) != 0 && solid;
    return ((pair->flags & CN_TOUCH_PIECES) == 0) & (now == begun) & !(now & hits);
}

static void
turn_pair(struct cn_touch *pair, int index)
{
    pair->flags &= ~CN_TOUCH_ENDED;
    pair->manifold = (pair->flags & CN_TOUCH_NOW) != 0 ? index : -1;
}

/* Turns all pieces of the two shapes whose first pair is `first`; returns the next pair. */
static int
turn_shapes(struct cn_pipeline_tick *t, int first)
{
    struct cn_pipeline *p = t->p;
    bool touches = false, touched = false;
    double speed = 0.0;
    int i = first;
    do { /* events report all pieces of two shapes as one pair */
        struct cn_touch *pair = &p->pair[i];
        CN_ASSERT(pair->manifold < p->front_count);
        bool now = (pair->flags & CN_TOUCH_NOW) != 0;
        touches = touches || now;
        touched = touched || cn_pipeline_is_begun(pair);
        if (now && (pair->flags & (CN_TOUCH_HITS | CN_TOUCH_SENSOR)) == CN_TOUCH_HITS) {
            speed = cn_max(speed, hit_speed(t, pair, i));
        }
        turn_pair(pair, i++);
    } while (i < p->pair_count && are_same_shapes(&p->pair[i], &p->pair[first]));
    if (touches != touched) {
        tell_pair(p->model, &p->pair[first], touches);
    }
    const struct cn_shape *a = &p->model->shape[p->pair[first].a];
    const struct cn_shape *b = &p->model->shape[p->pair[first].b];
    bool stays = (p->pair[first].flags & (CN_TOUCH_STAYS | CN_TOUCH_SENSOR)) == CN_TOUCH_STAYS;
    if (touches && touched && stays) {
        cn_model_event(p->model, CN_EVENT_CONTACT_STAY, a->body, b->body, 0.0);
    }
    if (speed > 0.0 && speed > cn_shape_hit_min(a, b)) {
        cn_model_event(p->model, CN_EVENT_CONTACT_HIT, a->body, b->body, speed);
    }
    return i;
}

/*
 * Turns the pairs of a piece of the list if none of them has an event, or pieces of shapes;
 * otherwise changes none.
 */
static bool
turn_if_quiet(const struct cn_pipeline *p, int first, int end)
{
    bool quiet = true;
    for (int i = first; i < end && quiet; i++) {
        bool pieces = (p->pair[i].flags & CN_TOUCH_PIECES) != 0;
        CN_ASSERT(i == 0 || pieces || is_before(&p->pair[i - 1], &p->pair[i]));
        quiet = is_quiet(&p->pair[i]);
    }
    for (int i = first; i < end && quiet; i++) {
        CN_ASSERT(p->pair[i].manifold < p->front_count);
        turn_pair(&p->pair[i], i);
    }
    return quiet;
}

static void
turn_task(void *context, int first, int end, int worker)
{
    const struct cn_pipeline_tick *t = context;
    (void)worker;
    for (int start = first; start < end; start += CN_PIPELINE_PAIR_GRAIN) {
        int last = cn_pipeline_piece_end(start, end);
        t->turned[start / CN_PIPELINE_PAIR_GRAIN] = turn_if_quiet(t->p, start, last);
    }
}

/* Turns the pairs first, ..., end - 1, and further pieces of the last two shapes. */
static int
turn_pairs(struct cn_pipeline_tick *t, int first, int end)
{
    struct cn_touch *pair = t->p->pair;
    int i = first;
    while (i < end) {
        if (is_quiet(&pair[i])) {
            turn_pair(&pair[i], i);
            i++;
        } else {
            i = turn_shapes(t, i);
        }
    }
    return i;
}

/* Workers turn the pieces of the list without events.  Then one turns the others, in order. */
static void
turn_pieces(struct cn_pipeline_tick *t)
{
    int count = t->p->pair_count, next = 0;
    cn_task_run(t->crew, turn_task, t, count, CN_PIPELINE_PAIR_GRAIN);
    for (int start = 0; start < count; start += CN_PIPELINE_PAIR_GRAIN) {
        if (!t->turned[start / CN_PIPELINE_PAIR_GRAIN]) {
            next = turn_pairs(
                t, next > start ? next : start, cn_pipeline_piece_end(start, count));
        }
    }
}

void
cn_pipeline_turn(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (cn_crew_size(t->crew) > 1) {
        turn_pieces(t);
    } else {
        (void)turn_pairs(t, 0, p->pair_count);
    }
    p->front = 1 - p->front;
    p->front_count = p->pair_count;
}

/* ---- forces ---- */

/* The normal impulse of a manifold in this tick [N s]. */
static double
impulse_of(const struct cn_pipeline *p, int manifold)
{
    CN_ASSERT(manifold >= 0 && manifold < p->front_count);
    double sum = 0.0;
    if (p->model->settings.dimension == CN_PLANAR) {
        const struct cn_manifold2 *m =
            (const struct cn_manifold2 *)p->manifold[p->front] + manifold;
        for (int i = 0; i < m->point_count; i++) {
            sum += (double)m->point[i].total_impulse;
        }
        return sum;
    }
    const struct cn_manifold3 *m = (const struct cn_manifold3 *)p->manifold[p->front] + manifold;
    for (int i = 0; i < m->point_count; i++) {
        sum += (double)m->point[i].total_impulse;
    }
    return sum;
}

void
cn_pipeline_tell_forces(const struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    for (int i = 0; i < p->pair_count && p->force_count > 0;) {
        const struct cn_touch *first = &p->pair[i];
        bool told = (first->flags & (CN_TOUCH_FORCES | CN_TOUCH_SENSOR)) == CN_TOUCH_FORCES;
        double impulse = 0.0;
        for (; i < p->pair_count && are_same_shapes(&p->pair[i], first); i++) {
            const struct cn_touch *pair = &p->pair[i];
            if (told && cn_pipeline_is_begun(pair)) {
                impulse += impulse_of(p, pair->manifold);
            }
        }
        const struct cn_shape *a = &p->model->shape[first->a], *b = &p->model->shape[first->b];
        double force = impulse / t->duration;
        if (told && force > 0.0 && force > cn_shape_force_min(a, b)) {
            cn_model_event(p->model, CN_EVENT_CONTACT_FORCE, a->body, b->body, force);
        }
    }
}

/* ---- ends that no tick sees ---- */

/*
 * Whether two shapes belong to `body` and to `other` (-1: any other body), and their contact was
 * reported.  Contacts of a body that was made or changed since the last tick are unknown to
 * readers.
 */
static bool
ends_with(const struct cn_model *model, int32_t shape_a, int32_t shape_b, int body, int other)
{
    const struct cn_shape *a = &model->shape[shape_a], *b = &model->shape[shape_b];
    int partner = a->body == body ? b->body : b->body == body ? a->body : -1;
    bool told = a->sensor || b->sensor || a->contact_events || b->contact_events;
    return told && partner >= 0 && (other < 0 || partner == other) &&
           !model->body[body].fresh && !model->body[partner].fresh;
}

static uint16_t *
ended_of(const struct cn_pipeline *p, int entry)
{
    union cn_kept *kept = (union cn_kept *)(p->asleep.kept + (size_t)entry * p->asleep.kept_size);
    return p->model->settings.dimension == CN_PLANAR ? &kept->planar.ended : &kept->spatial.ended;
}

/* The same for sleeping contacts. */
static int
take_sleeping(struct cn_pipeline *p, int body, int other, uint64_t *key)
{
    const struct cn_body *b = &p->model->body[body];
    const struct cn_asleep *asleep = &p->asleep;
    int count = 0;
    for (int shape = b->shape_first; shape < b->shape_first + b->shape_count; shape++) {
        for (int32_t end = cn_asleep_first(asleep, shape); end >= 0;
             end = cn_asleep_next(asleep, end)) {
            uint64_t name = asleep->key[end / 2];
            uint16_t *ended = ended_of(p, end / 2);
            if (*ended != 0 ||
                !ends_with(p->model, cn_asleep_a(name), cn_asleep_b(name), body, other)) {
                continue;
            }
            if (key != NULL) {
                *ended = 1;
                key[count] = name;
            }
            count++;
        }
    }
    return count;
}

int
cn_pipeline_take_ends(struct cn_pipeline *p, int body, int other, uint64_t *key)
{
    CN_ASSERT(body >= 0 && body < p->model->body_count && other != body);
    int count = take_sleeping(p, body, other, key);
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (!cn_pipeline_is_begun(pair) ||
            !ends_with(p->model, pair->a, pair->b, body, other)) {
            continue;
        }
        if (key != NULL) {
            pair->flags |= CN_TOUCH_ENDED;
            key[count] = cn_touch_key(pair);
        }
        count++;
    }
    return count;
}

void
cn_pipeline_tell_ends(struct cn_pipeline *p, uint64_t *key, uint64_t *spare, int count)
{
    cn_tree_sort(key, spare, count, 0, KEY_BITS);
    for (int i = 0; i < count; i++) {
        struct cn_touch pair = {.a = cn_asleep_a(key[i]), .b = cn_asleep_b(key[i])};
        CN_ASSERT(i == 0 || key[i - 1] <= key[i]);
        if (i > 0 && cn_asleep_a(key[i - 1]) == pair.a && cn_asleep_b(key[i - 1]) == pair.b) {
            continue; /* another piece of the same pair */
        }
        pair.flags = cn_pipeline_kind(p->model, pair.a, pair.b);
        tell_pair(p->model, &pair, false);
    }
}

void
cn_pipeline_tell_held(struct cn_pipeline *p, int body)
{
    struct cn_model *model = p->model;
    CN_ASSERT(model->body[body].quarantined);
    int32_t told_a = -1, told_b = -1;
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (!cn_pipeline_is_begun(pair) || !ends_with(model, pair->a, pair->b, body, -1) ||
            cn_pipeline_may_touch(model, pair->a, pair->b)) {
            continue;
        }
        if (pair->a != told_a || pair->b != told_b) {
            tell_pair(model, pair, false);
        }
        told_a = pair->a;
        told_b = pair->b;
        pair->flags |= CN_TOUCH_ENDED;
    }
}
