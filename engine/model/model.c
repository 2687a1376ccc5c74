#include "engine/model/model.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

void
cn_model_layout_store(
    const struct cn_shape_room *room, struct cn_shape_store *store, struct cn_arena *arena)
{
    store->vertex = CN_ARENA_TAKE(arena, cn_vec2, (size_t)room->outline_count);
    store->normal = CN_ARENA_TAKE(arena, cn_vec2, (size_t)room->outline_count);
    store->bulge = CN_ARENA_TAKE(arena, double, (size_t)room->outline_count);
    store->core.vertex = CN_ARENA_TAKE(arena, cn_vec3, (size_t)room->vertex_count);
    store->core.edge = CN_ARENA_TAKE(arena, struct cn_edge, (size_t)room->edge_count);
    store->core.face = CN_ARENA_TAKE(arena, struct cn_face, (size_t)room->face_count);
    store->core.corner = CN_ARENA_TAKE(arena, struct cn_corner, (size_t)room->corner_count);
    store->mesh = CN_ARENA_TAKE(arena, struct cn_placed_mesh, (size_t)room->mesh_count);
}

void
cn_model_layout(struct cn_model *model, struct cn_arena *arena)
{
    cn_model_layout_store(&model->shape_room, &model->shape_store, arena);
    model->material = CN_ARENA_TAKE(arena, struct cn_material, (size_t)model->material_count);
    model->material_pair =
        CN_ARENA_TAKE(arena, struct cn_material_pair, (size_t)model->material_pair_count);
    model->spring = CN_ARENA_TAKE(arena, struct cn_spring, (size_t)model->spring_count);
    model->thruster = CN_ARENA_TAKE(arena, struct cn_thruster, (size_t)model->thruster_count);
    model->constant_force = CN_ARENA_TAKE(
        arena, struct cn_constant_force, (size_t)model->constant_force_count);
    model->motor_joint = CN_ARENA_TAKE(arena, int32_t, (size_t)model->motor_count);
    model->curve = CN_ARENA_TAKE(arena, struct cn_curve, (size_t)model->curve_count);
    model->knot = CN_ARENA_TAKE(arena, struct cn_curve_knot, (size_t)model->knot_count);
    model->mesh = CN_ARENA_TAKE(arena, struct cn_mesh *, (size_t)model->mesh_count);
}

static void
layout_slots(struct cn_slots *slots, int max, struct cn_arena *arena)
{
    slots->word = CN_ARENA_TAKE(arena, uint64_t, cn_slots_words(max));
    slots->max = max;
}

void
cn_model_layout_columns(struct cn_model *model, struct cn_arena *arena)
{
    size_t bodies = (size_t)model->body_max, shapes = (size_t)model->shape_max;
    size_t joints = (size_t)model->joint_max;
    model->body = CN_ARENA_TAKE(arena, struct cn_body, bodies);
    model->motion = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    model->rest = CN_ARENA_TAKE(arena, struct cn_rest, bodies);
    model->fresh = CN_ARENA_TAKE(arena, int32_t, bodies);
    model->woken = CN_ARENA_TAKE(arena, int32_t, bodies);
    model->shape = CN_ARENA_TAKE(arena, struct cn_shape, shapes);
    model->shape_order = CN_ARENA_TAKE(arena, int32_t, shapes);
    model->joint = CN_ARENA_TAKE(arena, struct cn_joint, joints);
    model->joint_state = CN_ARENA_TAKE(arena, struct cn_joint_state, joints);
    model->joints_of = CN_ARENA_TAKE(arena, struct cn_joint_list, bodies);
    model->joint_link = CN_ARENA_TAKE(arena, struct cn_joint_link, 2 * joints);
    layout_slots(&model->body_slots, model->body_max, arena);
    layout_slots(&model->shape_slots, model->shape_max, arena);
    layout_slots(&model->joint_slots, model->joint_max, arena);
}

void
cn_model_layout_contacts(struct cn_model *model, struct cn_arena *arena)
{
    model->warm = CN_ARENA_TAKE(arena, struct cn_warm_start, (size_t)model->contact_max);
    model->impulse = CN_ARENA_TAKE(arena, struct cn_impulse, (size_t)model->contact_max);
}

/* Whether every piece of a tick, or every pair of bodies, may add an event of this kind. */
static bool
event_may_flood(enum cn_event_kind kind)
{
    return kind == CN_EVENT_IMPACT || kind == CN_EVENT_SQUEEZED || kind == CN_EVENT_OVERLAP ||
           kind == CN_EVENT_STEP_MIN || kind == CN_EVENT_CONTACT_LIMIT ||
           kind == CN_EVENT_CONTACT_BEGIN || kind == CN_EVENT_CONTACT_END ||
           kind == CN_EVENT_CONTACT_HIT || kind == CN_EVENT_CONTACT_STAY ||
           kind == CN_EVENT_CONTACT_FORCE;
}

void
cn_model_event(
    struct cn_model *model, enum cn_event_kind kind, int body_a, int body_b, double value)
{
    CN_ASSERT(kind < CN_EVENT_KIND_COUNT && model->event_count <= model->event_max);
    int max = event_may_flood(kind) ? model->event_max - CN_EVENTS_RESERVED : model->event_max;
    if (model->event_count >= max) {
        model->event_dropped++;
        return;
    }
    model->event[model->event_count] = (struct cn_event){
        .kind = kind,
        .body_a = body_a,
        .body_b = body_b,
        .time = model->clock.time + model->clock.elapsed,
        .value = value,
    };
    model->event_count++;
}

bool
cn_motion_is_bounded(const struct cn_motion *motion)
{
    const double all[] = {motion->position.x, motion->position.y, motion->position.z,
        motion->angle, motion->velocity.x, motion->velocity.y, motion->velocity.z,
        motion->angular_velocity.x, motion->angular_velocity.y, motion->angular_velocity.z};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (!(fabs(all[i]) <= CN_MOTION_MAX)) {
            return false;
        }
    }
    const cn_quat *q = &motion->orientation;
    return isfinite(q->w) && isfinite(q->x) && isfinite(q->y) && isfinite(q->z);
}

void
cn_model_quarantine(struct cn_model *model, int body)
{
    CN_ASSERT(0 <= body && body < model->body_count);
    model->body[body].quarantined = true;
    model->body[body].mass_inverse = 0.0;
    model->body[body].inertia_inverse = cn_mat33_diagonal(0.0, 0.0, 0.0);
}

/*
 * The inverse inertia with locked axes: how an angular impulse about the free axes turns the body.
 * With P the projection on the free axes it is the inverse of P I P on their space, and zero
 * outside.  With two free axes that is a 2 x 2 inverse, with one free axis a reciprocal.  The axes
 * are the body's.
 */
static cn_mat33
invert_unlocked(const cn_mat33 *inertia, uint8_t locks)
{
    const double m[3][3] = {{inertia->cx.x, inertia->cy.x, inertia->cz.x},
        {inertia->cx.y, inertia->cy.y, inertia->cz.y},
        {inertia->cx.z, inertia->cy.z, inertia->cz.z}};
    double inverse[3][3] = {{0.0}};
    int axis[3], count = 0;
    for (int i = 0; i < 3; i++) {
        if (!(locks & CN_LOCK_ANGULAR_X << i)) {
            axis[count++] = i;
        }
    }
    if (count == 3) {
        return cn_mat33_invert_symmetric(inertia);
    }
    if (count == 1) {
        inverse[axis[0]][axis[0]] = 1.0 / m[axis[0]][axis[0]];
    } else if (count == 2) {
        int i = axis[0], k = axis[1];
        double determinant = m[i][i] * m[k][k] - m[i][k] * m[k][i];
        inverse[i][i] = m[k][k] / determinant;
        inverse[k][k] = m[i][i] / determinant;
        inverse[i][k] = inverse[k][i] = -m[i][k] / determinant;
    }
    return (cn_mat33){{inverse[0][0], inverse[1][0], inverse[2][0]},
        {inverse[0][1], inverse[1][1], inverse[2][1]},
        {inverse[0][2], inverse[1][2], inverse[2][2]}};
}

void
cn_model_release(struct cn_model *model, int body)
{
    struct cn_body *released = &model->body[body];
    CN_ASSERT(0 <= body && body < model->body_count);
    released->quarantined = false;
    if (released->type != CN_DYNAMIC) {
        return;
    }
    CN_ASSERT(released->mass > 0.0); /* invariant 5 */
    released->mass_inverse = 1.0 / released->mass;
    bool turns = !(released->locks & CN_LOCK_ANGULAR_Z);
    released->inertia_inverse =
        model->settings.dimension == CN_PLANAR
            ? cn_mat33_diagonal(0.0, 0.0, turns ? 1.0 / released->inertia.cz.z : 0.0)
            : invert_unlocked(&released->inertia, released->locks);
}

double
cn_model_motor_level(const struct cn_model *model, int joint)
{
    double sum = 0.0;
    bool is_held = false;
    for (int k = 0; k < model->held_count; k++) {
        const struct cn_held *held = &model->held[k];
        if (held->kind == CN_HELD_ACTUATOR && held->target == model->joint[joint].actuator) {
            sum += held->stiffness;
            is_held = true;
        }
    }
    CN_ASSERT(!is_held || isfinite(sum)); /* held values are checked where they enter */
    return is_held ? cn_clamp(sum, -1.0, 1.0) : 1.0;
}

int
cn_model_actuator_joint(const struct cn_model *model, int actuator)
{
    int motor = actuator - model->thruster_count;
    if (motor < 0) {
        return -1;
    }
    return motor < model->motor_count ? model->motor_joint[motor] : motor - model->motor_count;
}

bool
cn_model_has_actuator(const struct cn_model *model, int actuator)
{
    if (actuator < model->thruster_count) {
        return actuator >= 0 && !model->thruster[actuator].absent;
    }
    int joint = cn_model_actuator_joint(model, actuator);
    return joint < model->joint_count && model->joint[joint].actuator == actuator;
}

double
cn_model_velocity_rest(const struct cn_model *model)
{
    double length = model->length_min;
    double acceleration = cn_vec3_length(model->settings.gravity);
    return 1e-3 * sqrt(length * (acceleration > length ? acceleration : length));
}
