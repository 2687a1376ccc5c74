#include "engine/step/pipeline/sleep.h"

#include "engine/base/assert.h"
#include "engine/base/union_find.h"
#include "engine/math/scalar.h"
#include "engine/model/life.h"

#include <stddef.h>

void
cn_sleep_make(struct cn_sleep *sleep, struct cn_arena *arena, int body_max)
{
    size_t n = (size_t)body_max;
    *sleep = (struct cn_sleep){
        .body_max = body_max,
        .parent = CN_ARENA_TAKE(arena, int32_t, n),
        .state = CN_ARENA_TAKE(arena, uint8_t, n),
    };
}

double
cn_sleep_threshold(const struct cn_model *model)
{
    double gravity = cn_vec3_length(model->settings.gravity);
    return gravity > 0.0 ? cn_min(CN_SLEEP_SPEED, 0.25 * (double)CN_SLEEP_TIME * gravity)
                         : CN_SLEEP_SPEED;
}

void
cn_sleep_watch(struct cn_model *model, int body, double threshold, double duration)
{
    CN_ASSERT(body >= 0 && body < model->body_count && !cn_sleep_asleep(model, body));
    const struct cn_motion *motion = &model->motion[body];
    const struct cn_body *b = &model->body[body];
    struct cn_rest *rest = &model->rest[body];
    double speed = cn_vec3_length(motion->velocity) +
                   cn_vec3_length(motion->angular_velocity) * b->reach;
    bool still = b->type == CN_KINEMATIC ? cn_sleep_stands(motion) : speed < threshold;
    float time = still ? rest->still_time + (float)duration : 0.0F;
    /* Sums of ticks may end a rounding error below the time; a longer time need not be known. */
    rest->still_time = time < CN_SLEEP_TIME * 0.9999F ? time : CN_SLEEP_TIME;
}

/* The bodies that an actuator acts on; -1: none. */
static void
driven_bodies(const struct cn_model *model, int actuator, int bodies[2])
{
    bodies[0] = bodies[1] = -1;
    if (actuator < model->thruster_count) {
        bodies[0] = model->thruster[actuator].body;
        return;
    }
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent && model->joint[i].actuator == actuator) {
            bodies[0] = model->joint[i].body_a;
            bodies[1] = model->joint[i].body_b;
            return;
        }
    }
}

/* The bodies that an input holds; -1: none. */
static void
held_bodies(const struct cn_model *model, const struct cn_held *held, int bodies[2])
{
    bodies[0] = held->target;
    bodies[1] = -1;
    if (held->kind == CN_HELD_ACTUATOR) {
        driven_bodies(model, held->target, bodies);
    }
}

void
cn_sleep_wake_held(struct cn_model *model)
{
    for (int i = 0; i < model->held_count && model->asleep_count > 0; i++) {
        int bodies[2];
        held_bodies(model, &model->held[i], bodies);
        for (int k = 0; k < 2; k++) {
            if (bodies[k] >= 0) {
                cn_model_rouse(model, bodies[k]);
            }
        }
    }
}

/* ---- islands ---- */

/* The place of a body in the ascending list of those that are awake, or -1. */
static int
place_of(const int32_t *awake, int awake_count, int body)
{
    int low = 0, high = awake_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (awake[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < awake_count && awake[low] == body ? low : -1;
}

static void
disturb(struct cn_sleep *sleep, const int32_t *awake, int awake_count, int body)
{
    int place = body < 0 ? -1 : place_of(awake, awake_count, body);
    if (place >= 0) {
        sleep->state[place] |= CN_SLEEP_RESTLESS;
    }
}

bool
cn_sleep_begin(
    struct cn_sleep *sleep, const struct cn_model *model, const int32_t *awake, int awake_count)
{
    CN_ASSERT(awake_count <= sleep->body_max);
    int ready = 0;
    bool never = !model->settings.sleep || model->settings.gravitation != 0.0;
    for (int k = 0; k < awake_count && !never; k++) {
        ready += model->rest[awake[k]].still_time >= CN_SLEEP_TIME ? 1 : 0;
    }
    if (ready == 0) {
        return false;
    }
    for (int k = 0; k < awake_count; k++) {
        const struct cn_body *body = &model->body[awake[k]];
        CN_ASSERT(k == 0 || awake[k - 1] < awake[k]);
        bool restless = body->sleepless || model->rest[awake[k]].still_time < CN_SLEEP_TIME;
        bool moves = body->type == CN_KINEMATIC && !cn_sleep_stands(&model->motion[awake[k]]);
        sleep->parent[k] = k;
        sleep->state[k] = (uint8_t)((restless ? CN_SLEEP_RESTLESS : 0U) |
                                    (moves ? CN_SLEEP_MOVES : 0U));
    }
    for (int i = 0; i < model->spring_count; i++) {
        if (!model->spring[i].absent) {
            disturb(sleep, awake, awake_count, model->spring[i].body_a);
            disturb(sleep, awake, awake_count, model->spring[i].body_b);
        }
    }
    for (int i = 0; i < model->held_count; i++) {
        int bodies[2];
        held_bodies(model, &model->held[i], bodies);
        disturb(sleep, awake, awake_count, bodies[0]);
        disturb(sleep, awake, awake_count, bodies[1]);
    }
    return true;
}

void
cn_sleep_join(struct cn_sleep *sleep, int32_t name_a, int32_t name_b)
{
    CN_ASSERT(name_a < sleep->body_max && name_b < sleep->body_max);
    if (name_a < 0 || name_b < 0) {
        int32_t one = name_a < 0 ? name_b : name_a, other = name_a < 0 ? name_a : name_b;
        if (one >= 0 && other < -1 && (sleep->state[-2 - other] & CN_SLEEP_MOVES) != 0) {
            sleep->state[cn_union_root(sleep->parent, one)] |= CN_SLEEP_RESTLESS;
        }
        return;
    }
    /* Where both are restless already, the union would change nothing. */
    if ((sleep->state[name_a] & sleep->state[name_b] & CN_SLEEP_RESTLESS) != 0) {
        return;
    }
    int32_t a = cn_union_root(sleep->parent, name_a), b = cn_union_root(sleep->parent, name_b);
    uint8_t both = (sleep->state[a] | sleep->state[b]) & CN_SLEEP_RESTLESS;
    sleep->state[a] |= both;
    sleep->state[b] |= both;
    if (both == 0) {
        sleep->parent[a < b ? b : a] = a < b ? a : b;
    }
}

/* Links the rings of the bodies that fell asleep, from the end, so that they ascend. */
static void
link_rings(struct cn_sleep *sleep, struct cn_model *model, const int32_t *awake, int awake_count)
{
    for (int k = awake_count - 1; k >= 0; k--) {
        int first = awake[cn_union_root(sleep->parent, k)];
        if (cn_sleep_asleep(model, awake[k]) && first != awake[k]) {
            model->rest[awake[k]].next = model->rest[first].next;
            model->rest[first].next = awake[k];
        }
    }
}

int
cn_sleep_end(
    struct cn_sleep *sleep, struct cn_model *model, const int32_t *awake, int awake_count)
{
    int fallen = 0;
    for (int k = 0; k < awake_count; k++) {
        int32_t root = cn_union_root(sleep->parent, k);
        if ((sleep->state[root] & CN_SLEEP_RESTLESS) != 0) {
            continue;
        }
        CN_ASSERT(root <= k); /* the root has the lowest place */
        int body = awake[k], first = awake[root];
        CN_ASSERT(!cn_sleep_asleep(model, body));
        model->rest[body].island = first;
        model->rest[body].next = body;
        model->motion[body].velocity = (cn_vec3){0.0, 0.0, 0.0};
        model->motion[body].angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
        cn_model_event(model, CN_EVENT_BODY_SLEEP, body, -1, first);
        fallen++;
    }
    model->asleep_count += fallen;
    CN_ASSERT(model->asleep_count <= model->body_count);
    if (fallen > 0) {
        link_rings(sleep, model, awake, awake_count);
    }
    return fallen;
}
