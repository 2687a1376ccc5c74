/*
 * pipeline_calm.c: bodies that stand on the ground lose slow speed, and bear heavier bodies.
 *
 * A body stands when a chain of contacts connects it to a body that does not move.  All bodies of
 * the chain are slow.  Each contact bears a load and sticks: its friction is below STICK times the
 * largest friction.  A contact of a disc, ball, capsule or mesh is part of a chain only if the
 * other body does not move.  So bodies that fall, fly, slide, or ride on a vehicle or a belt do
 * not stand.
 *
 * Calm.  A pass over the contacts moves an impulse from a body to the next one.  The slowest sway
 * of a stack of N bodies needs about N^4 passes to end, so a settled stack would sway for hours.
 * Therefore a body that stands, and has a contact that persists (collide/fast/fast_base.h), is
 * slowed by
 *
 *     HOLD g + min(RATE v, MOST g)     [m/s^2],   v: its speed, g: that of gravity
 *
 * RATE damps the sway of a pyramid of 100 rows critically.  With a higher rate it creeps for
 * minutes.  HOLD ends the slowest motion, the lean of a tall stack.
 *
 * In space the body slows evenly during the tick of length T: a loss of speed dv also shortens its
 * way by dv T / 2.  A body that is held with an acceleration a moves by a T^2 (1 + 1 / n) / 2 in n
 * substeps; a T^2 / (2 n) of it remains.  So held bodies creep towards their places of rest at a
 * fifth of the speed.  Without that remainder a stack does not come to rest: its bodies would be
 * held where their contacts push them unevenly.  In the plane the loss of PERIOD ticks is an
 * impulse at the end of a tick, and does not change the way.
 *
 * Heavy on light.  The number of passes until a light body bears a heavy one grows with the ratio
 * of their masses.  The stiffness of a contact is proportional to the mass of its lighter body.  So
 * a body that stands gets the mass of the heaviest body above it:
 *
 *     M_below = max(m_below, M_above)
 *
 * Its inertia grows in proportion; its weight and other forces on it stay.  Forces at rest do not
 * depend on masses.  Within a tick momentum is conserved with M.  A body that a fast body touches
 * keeps its own mass, because what hits it would bounce off the mass above it.
 *
 * Departures: none of the models has either.  Shock propagation (Guendelman et al. 2003) makes
 * bodies below immovable for the bodies above; here they keep the weight that they pass on.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

#define STICK 0.9F
#define RATE 4.0    /* 1/s */
#define MOST 0.04
#define HOLD 0.0002
#define SLOW 4.0    /* thresholds of sleep: faster bodies are not slowed */
#define FALL 2.0    /* ticks of free fall: a body that stands may be faster by the speed of these */
#define RISE 0.5F   /* of a normal along gravity: with less, no body is above the other */
#define AHEAD 8     /* bodies and contacts that are prefetched */
#define SWEEPS_MAX 16 /* over the chains; a body not reached by then does not stand in this tick */

/*
 * Ticks from one slowing to the next.  In the plane a tick is so short that finding the bodies that
 * stand would add 6 % to each.
 */
#define PERIOD_PLANAR 4
#define PERIOD_SPATIAL 1

#define BODY_GRAIN 256    /* bodies that one worker takes at once, */
#define CONTACT_GRAIN 512 /* and contacts */

enum { FAST = 1, STANDS = 2, PERSISTS = 4, HIT = 8 }; /* of a body */

/*
 * Of a contact: it may be part of a chain; it may also connect two bodies that move (its manifold
 * may persist); its manifold is that of the last tick.
 */
enum { HOLDS = 1, LASTS = 2, KEPT = 4 };

struct cn_pipeline_edge {
    int32_t below, above; /* solver bodies */
    int32_t manifold;     /* -1: no body is above the other */
};

bool
cn_pipeline_begin_calm(struct cn_pipeline_tick *t)
{
    t->stand = CN_PIPELINE_TAKE(t, uint8_t, t->p->awake_count);
    t->lightness = CN_PIPELINE_TAKE(t, float, t->p->awake_count);
    t->grip = CN_PIPELINE_TAKE(t, uint8_t, t->contact_count);
    t->edge = CN_PIPELINE_TAKE(t, struct cn_pipeline_edge, t->contact_count);
    return t->edge != NULL;
}

static double
slow_speed(const struct cn_pipeline_tick *t)
{
    return SLOW * cn_sleep_threshold(t->p->model);
}

static double
gravity_of(const struct cn_pipeline_tick *t)
{
    cn_vec3 gravity = t->p->model->settings.gravity;
    return sqrt(cn_vec3_dot(gravity, gravity));
}

static int
period_of(const struct cn_pipeline_tick *t)
{
    bool planar = t->p->model->settings.dimension == CN_PLANAR;
    return planar ? PERIOD_PLANAR : PERIOD_SPATIAL;
}

/* ---- chains ---- */

static double
fast_speed(const struct cn_pipeline_tick *t)
{
    return slow_speed(t) + FALL * gravity_of(t) * t->duration;
}

static void
fast_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    const struct cn_model *model = t->p->model;
    double most = fast_speed(t);
    (void)worker;
    for (int k = first; k < end; k++) {
        int ahead = k + AHEAD < end ? k + AHEAD : k;
        __builtin_prefetch(&model->body[t->p->awake[ahead]].reach);
        bool is_heavy = model->body[t->p->awake[k]].gravity_scale != 0.0;
        t->stand[k] = is_heavy && t->p->ops->speed(t, k) < most ? 0 : FAST;
    }
}

static bool
is_ground(const struct cn_pipeline_tick *t, int32_t body)
{
    const struct cn_pipeline *p = t->p;
    return body == CN_IMPULSE_FIXED ||
           (body < 0 && cn_sleep_stands(&p->model->motion[p->awake[cn_impulse_index(body)]]));
}

static bool
is_belt(const struct cn_impulse_contact *contact)
{
    const float *surface = contact->surface;
    return surface[0] != 0.0F || surface[1] != 0.0F || surface[2] != 0.0F;
}

/* If one of the two stands, both do; whether this is new. */
static bool
spread(struct cn_pipeline_tick *t, const struct cn_pipeline_edge *edge)
{
    uint8_t *a = &t->stand[edge->below], *b = &t->stand[edge->above];
    bool is_new = ((*a ^ *b) & STANDS) != 0;
    *a |= *b & STANDS;
    *b |= *a & STANDS;
    return is_new;
}

/* The lines of a manifold, before `sticks` reads it. */
static void
prefetch(const struct cn_pipeline_tick *t, int contact)
{
    const struct cn_pipeline *p = t->p;
    size_t size = p->ops->manifold_size;
    const char *manifold = p->manifold[p->front];
    manifold += (size_t)t->contact[contact].manifold * size;
    for (size_t at = 0; at < size; at += 64) {
        __builtin_prefetch(manifold + at);
    }
}

/* Notes which body a fast one touches. */
static void
note_hit(struct cn_pipeline_tick *t, int32_t a, int32_t b)
{
    if (a >= 0 && b >= 0 && ((t->stand[a] ^ t->stand[b]) & FAST) != 0) {
        t->stand[(t->stand[a] & FAST) != 0 ? b : a] |= HIT;
    }
}

/* Whether a contact may be part of a chain: HOLDS, and further bits. */
static uint8_t
grip_of(const struct cn_pipeline_tick *t, const struct cn_impulse_contact *contact)
{
    const struct cn_pipeline *p = t->p;
    int32_t a = contact->body_a, b = contact->body_b;
    bool lasts;
    if ((a < 0 && !is_ground(t, a)) || (b < 0 && !is_ground(t, b)) || (a < 0 && b < 0) ||
        (a >= 0 && (t->stand[a] & FAST) != 0) || (b >= 0 && (t->stand[b] & FAST) != 0) ||
        is_belt(contact) ||
        !p->ops->sticks(t, contact->manifold, STICK * contact->friction, &lasts)) {
        return 0;
    }
    bool kept = (p->pair[contact->manifold].flags & CN_TOUCH_KEPT) != 0;
    return (uint8_t)(HOLDS | (lasts ? LASTS : 0) | (kept ? KEPT : 0));
}

static void
grip_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    for (int i = first; i < end; i++) {
        prefetch(t, i + AHEAD < end ? i + AHEAD : i);
        t->grip[i] = grip_of(t, &t->contact[i]);
    }
}

/* Adds a contact to the chains. */
static void
add_contact(struct cn_pipeline_tick *t, int index)
{
    int32_t a = t->ends[index].body_a, b = t->ends[index].body_b;
    uint8_t grip = t->grip[index];
    note_hit(t, a, b);
    if ((grip & HOLDS) == 0) {
        return;
    }
    uint8_t bits = (grip & KEPT) != 0 ? PERSISTS : 0;
    if (a < 0 || b < 0) {
        t->stand[a < 0 ? b : a] |= STANDS | bits;
        return;
    }
    t->stand[a] |= bits;
    t->stand[b] |= bits;
    if ((grip & LASTS) != 0) {
        int32_t manifold = t->contact[index].manifold;
        CN_ASSERT(t->edge_count < t->contact_count && manifold < t->p->front_count);
        struct cn_pipeline_edge *edge = &t->edge[t->edge_count++];
        *edge = (struct cn_pipeline_edge){a, b, manifold};
        (void)spread(t, edge); /* reaches all of a stack that was built upwards */
    }
}

/* Calls `act` with all edges, in descending and ascending order, until it changes nothing. */
static void
sweep(struct cn_pipeline_tick *t,
    bool (*act)(struct cn_pipeline_tick *t, const struct cn_pipeline_edge *edge))
{
    bool did = true;
    for (int s = 0; s < SWEEPS_MAX && did; s++) {
        did = false;
        for (int i = 0; i < t->edge_count; i++) {
            int k = s % 2 == 0 ? t->edge_count - 1 - i : i;
            did = act(t, &t->edge[k]) || did;
        }
    }
}

/* ---- heavy on light ---- */

static bool
bear(struct cn_pipeline_tick *t, const struct cn_pipeline_edge *edge)
{
    float *below = &t->lightness[edge->below], above = t->lightness[edge->above];
    if (edge->manifold < 0 || *below <= above ||
        (t->stand[edge->below] & (STANDS | HIT)) != STANDS) {
        return false;
    }
    *below = above;
    return true;
}

static void
find_above(struct cn_pipeline_tick *t)
{
    cn_vec3 up = cn_vec3_scale(t->p->model->settings.gravity, -1.0 / gravity_of(t));
    for (int i = 0; i < t->edge_count; i++) {
        struct cn_pipeline_edge *edge = &t->edge[i];
        CN_ASSERT(edge->below != edge->above && edge->manifold >= 0);
        float rise = t->p->ops->rise(t, edge->manifold, up);
        if (rise < 0.0F) {
            int32_t below = edge->above;
            edge->above = edge->below;
            edge->below = below;
        }
        edge->manifold = fabsf(rise) < RISE ? -1 : edge->manifold;
    }
}

static void
weigh(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline_ops *ops = t->p->ops;
    for (int k = 0; k < t->p->awake_count; k++) {
        t->lightness[k] = ops->lightness(t, k);
    }
    find_above(t);
    sweep(t, bear);
    for (int k = 0; k < t->p->awake_count; k++) {
        float own = ops->lightness(t, k);
        if (t->lightness[k] < own) {
            ops->weigh(t, k, t->lightness[k] / own);
        }
    }
}

void
cn_pipeline_find_standing(struct cn_pipeline_tick *t)
{
    CN_ASSERT(t->stand != NULL && t->lightness != NULL && t->edge != NULL);
    bool is_uneven = t->p->ops->is_uneven(t);
    t->calms = gravity_of(t) > 0.0 && t->p->model->clock.tick % (uint64_t)period_of(t) == 0;
    t->edge_count = 0;
    t->chains_wait = false;
    if (gravity_of(t) == 0.0 || (!t->calms && !is_uneven)) {
        return;
    }
    cn_task_run(t->crew, fast_task, t, t->p->awake_count, BODY_GRAIN);
    cn_task_run(t->crew, grip_task, t, t->contact_count, CONTACT_GRAIN);
    t->chains_wait = true;
    if (is_uneven) {
        cn_pipeline_chain(t);
        weigh(t);
    }
}

void
cn_pipeline_chain(struct cn_pipeline_tick *t)
{
    if (!t->chains_wait) {
        return;
    }
    t->chains_wait = false;
    for (int i = 0; i < t->contact_count; i++) {
        add_contact(t, i);
    }
    sweep(t, spread);
}

/* ---- calm ---- */

static void
calm_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    const struct cn_pipeline *p = t->p;
    double slow = slow_speed(t), gravity = gravity_of(t);
    double time = t->duration * period_of(t);
    (void)worker;
    for (int k = first; k < end; k++) {
        if ((t->stand[k] & (STANDS | PERSISTS)) != (STANDS | PERSISTS)) {
            continue;
        }
        double speed = p->ops->speed(t, k);
        double loss = time * (HOLD * gravity + cn_min(RATE * speed, MOST * gravity));
        if (speed < slow) {
            p->ops->slow(t, k, loss < speed ? (float)(1.0 - loss / speed) : 0.0F);
        }
    }
}

void
cn_pipeline_calm(struct cn_pipeline_tick *t)
{
    if (t->calms) {
        cn_task_run(t->crew, calm_task, t, t->p->awake_count, BODY_GRAIN);
    }
}
