/*
 * view.c: reading a world.
 *
 * Contact forces are not stored by the step.  They are solved at the present state when they are
 * read, starting from the last step's forces, and kept until the world changes.
 */
#include "engine/world/make.h"
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"
#include "engine/model/attribute_table.h"
#include "engine/constraint/contact_rows.h"
#include "engine/constraint/force.h"
#include "engine/constraint/joint.h"

static void
show_touching(struct cn_view *view, const struct cn_instant *instant)
{
    for (int i = 0; i < instant->contact_count; i++) {
        const struct cn_contact *contact = &instant->contact[i];
        view->contact[i] = (struct cn_contact_view){
            .body_a = contact->body_a,
            .body_b = contact->body_b,
            .id = cn_contact_id(contact),
            .point = contact->point,
            .normal = contact->normal,
            .gap = contact->gap,
            .velocity = instant->rate[i],
            .force = instant->force[i],
        };
        if (instant->friction != NULL) {
            view->contact[i].friction = instant->friction[i];
        }
        if (instant->moment != NULL) {
            view->contact[i].moment = instant->moment[i];
        }
    }
    view->contact_count = instant->contact_count;
}

/*
 * Adds the impulses of the last tick: to a contact that still touches, or as a contact of its own.
 */
static void
show_impulses(struct cn_view *view, const struct cn_model *model)
{
    int touching_count = view->contact_count;
    int next = 0; /* both have nearly the same order: the search continues from the last hit */
    for (int k = 0; k < model->impulse_count; k++) {
        const struct cn_impulse *impulse = &model->impulse[k];
        int left = touching_count;
        while (left > 0 && view->contact[next].id != impulse->id) {
            next = next + 1 < touching_count ? next + 1 : 0;
            left--;
        }
        if (left > 0) {
            view->contact[next].impulse = impulse->impulse;
            continue;
        }
        CN_ASSERT(view->contact_count < 2 * model->contact_max);
        view->contact[view->contact_count] = (struct cn_contact_view){
            .body_a = impulse->body_a,
            .body_b = impulse->body_b,
            .id = impulse->id,
            .point = impulse->point,
            .normal = impulse->normal,
            .gap = model->gap_tolerance, /* separated since; its gap is not computed */
            .impulse = impulse->impulse,
        };
        view->contact_count++;
    }
}

static void
show_bodies(struct cn_view *view, const struct cn_model *model, const struct cn_instant *instant)
{
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_acceleration none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        view->acceleration[i] = instant != NULL ? instant->acceleration[i] : none;
        view->pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
    }
}

/* Shows no contacts, because there is no memory to find them; a later call may succeed. */
static void
show_no_contacts(struct cn_view *view, const struct cn_model *model)
{
    view->contact_count = 0;
    view->has_joint_force = false;
    view->summary = (struct cn_solve_summary){.outcome = CN_SOLVE_INEXACT};
    show_bodies(view, model, NULL);
}

static void
show_joints(struct cn_view *view, const struct cn_model *model, const struct cn_instant *instant)
{
    view->has_joint_force = instant->joint != NULL && model->joint_count <= view->joint_max;
    for (int i = 0; i < CN_JOINT_PARTS * model->joint_count && view->has_joint_force; i++) {
        view->joint_force[i] = 0.0;
    }
    for (int k = 0; k < instant->joint_count && view->has_joint_force; k++) {
        uint64_t id = instant->joint[k].id;
        view->joint_force[CN_JOINT_PARTS * (id >> 8 & 0xffffffU) + (id & 0xffU)] =
            instant->joint[k].force;
    }
}

static void
show_instant(struct cn_view *view, const struct cn_model *model, const struct cn_instant *instant)
{
    show_touching(view, instant);
    show_impulses(view, model);
    show_joints(view, model, instant);
    show_bodies(view, model, instant);
    view->summary = (struct cn_solve_summary){
        .outcome = (enum cn_solve_outcome)instant->note.outcome,
        .is_judged = true,
        .residual = instant->note.residual,
        .iteration_count = instant->note.iteration_count,
        .row_count = instant->note.row_count,
        .heuristic = {.guess_count = instant->note.guess_count,
            .prediction_count = instant->note.prediction_count,
            .fallback_count = instant->note.fallback_count,
            .power = instant->note.fallback_power},
    };
    view->is_current = true;
}

/*
 * Updates the view as far as `work` allows; false: `work` is spent.  The stepper changes only
 * caches; const is cast away for the scratch and the hints.
 */
static bool
update_view(const struct cn_world *world, int64_t work)
{
    struct cn_view *view = world->view;
    struct cn_world *writable = view->world;
    struct cn_slice *slice = &writable->slice;
    for (;;) { /* bounded by the ceiling of contacts */
        if (slice->kind == CN_SLICE_NONE) {
            slice->context = (struct cn_step_context){
                .model = &writable->model, .solver = world->solver, .scratch = world->scratch};
        }
        if (!cn_slice_look(writable, work)) {
            return false;
        }
        if (slice->advance == CN_ADVANCE_TICK) {
            show_instant(view, &world->model, &slice->instant);
            return true;
        }
        if (!cn_world_make_room(writable, slice->context.room_needed)) {
            show_no_contacts(view, &world->model);
            return true;
        }
    }
}

/* Computes contacts and accelerations at the present state, when they are not current. */
static void
make_view_current(const struct cn_world *world)
{
    if (world->view->is_current) {
        return;
    }
    cn_slice_finish_piece(world);
    if (world->production != NULL) {
        cn_view_update_production(world->view, world);
        return;
    }
    (void)update_view(world, CN_WORK_UNLIMITED);
}

bool
cn_world_is_looked_at(const struct cn_world *world)
{
    return world->view->is_current || world->production != NULL;
}

enum cn_step_result
cn_world_look(struct cn_world *world, int64_t work)
{
    CN_ASSERT(!world->model.clock.mid_tick);
    if (cn_world_is_looked_at(world)) {
        return CN_STEP_DONE;
    }
    if (work < CN_WORK_UNLIMITED && !cn_slice_ready(world)) {
        return CN_STEP_MEMORY;
    }
    return update_view(world, work) ? CN_STEP_DONE : CN_STEP_MORE;
}

/* Computes only the poses, which is cheap. */
static const cn_pose *
place_view(const struct cn_world *world)
{
    struct cn_view *view = world->view;
    if (world->production != NULL || view->is_current) {
        make_view_current(world);
        return view->pose;
    }
    cn_slice_finish_piece(world);
    for (int i = 0; i < world->model.body_count; i++) {
        view->pose[i] = cn_motion_pose(&world->model.motion[i], world->model.settings.dimension);
    }
    return view->pose;
}

uint64_t
cn_world_tick(const struct cn_world *world)
{
    return world->model.clock.tick;
}

double
cn_world_time(const struct cn_world *world)
{
    return world->model.clock.time;
}

double
cn_world_tick_rate(const struct cn_world *world)
{
    return world->model.tick_rate;
}

const struct cn_settings *
cn_world_settings(const struct cn_world *world)
{
    return &world->model.settings;
}

double
cn_world_restitution(const struct cn_world *world)
{
    return world->model.material[0].restitution;
}

double
cn_world_resting_velocity(const struct cn_world *world)
{
    const struct cn_stepper *stepper = world->stepper;
    return stepper->resting_velocity != NULL
               ? stepper->resting_velocity(&world->model, world->solver)
               : cn_model_resting_velocity(&world->model, 0.0);
}

double
cn_world_gap_tolerance(const struct cn_world *world)
{
    return world->model.gap_tolerance;
}

int
cn_world_body_count(const struct cn_world *world)
{
    return world->model.body_count;
}

int
cn_world_present_count(const struct cn_world *world)
{
    return cn_slots_count(&world->model.body_slots);
}

/* Everything except the accelerations. */
static void
show_body(const struct cn_world *world, int index, struct cn_body_view *view)
{
    const struct cn_body *body = &world->model.body[index];
    const struct cn_motion *motion = &world->model.motion[index];
    cn_pose pose = cn_motion_pose(motion, world->model.settings.dimension);
    cn_vec3 offset = cn_pose_turn(&pose, body->center);
    *view = (struct cn_body_view){
        .type = body->type,
        .mass = body->mass,
        .inertia = body->inertia.cz.z,
        .inertia_tensor = body->inertia,
        .position = cn_vec3_sub(motion->position, offset),
        .angle = motion->angle,
        .orientation = world->model.settings.dimension == CN_PLANAR
                           ? cn_quat_about_z(motion->angle)
                           : motion->orientation,
        .center = motion->position,
        .velocity = motion->velocity,
        .angular_velocity = motion->angular_velocity,
        .quarantined = body->quarantined,
        .absent = body->absent,
        .generation = body->generation,
        .island = world->model.rest[index].island,
    };
}

void
cn_world_body_view(const struct cn_world *world, int index, struct cn_body_view *view)
{
    CN_ASSERT(0 <= index && index < world->model.body_count);
    if (world->production == NULL) {
        make_view_current(world); /* for the accelerations */
    }
    show_body(world, index, view);
    if (world->view->acceleration != NULL) {
        view->has_acceleration = true;
        view->acceleration = world->view->acceleration[index].linear;
        view->angular_acceleration = world->view->acceleration[index].angular;
    }
}

void
cn_world_body_state(const struct cn_world *world, int index, struct cn_body_view *view)
{
    CN_ASSERT(0 <= index && index < world->model.body_count);
    cn_slice_finish_piece(world);
    show_body(world, index, view);
}

/*
 * Whether a body stands where its definition put it: it is STATIC and has never been of another
 * type.
 */
static bool
stands_as_made(const struct cn_world *world, int body)
{
    const struct cn_made *made = world->made[body];
    return world->model.body[body].type == CN_STATIC &&
           world->source[body] != CN_SOURCE_CHANGED &&
           (made == NULL || made->def.type == CN_STATIC);
}

void
cn_world_body_places(
    const struct cn_world *world, int first, int count, struct cn_body_place *places)
{
    CN_ASSERT(0 <= first && 0 <= count && first + count <= world->model.body_count);
    cn_slice_finish_piece(world);
    enum cn_dimension dimension = world->model.settings.dimension;
    for (int i = 0; i < count; i++) {
        const struct cn_body *body = &world->model.body[first + i];
        const struct cn_motion *motion = &world->model.motion[first + i];
        struct cn_body_place *place = &places[i];
        cn_vec3 center = body->center;
        place->position = motion->position;
        place->angle = motion->angle;
        place->orientation = motion->orientation;
        place->is_static = stands_as_made(world, first + i);
        place->is_asleep = world->model.rest[first + i].island >= 0;
        if (center.x != 0.0 || center.y != 0.0 || center.z != 0.0) {
            cn_pose pose = cn_motion_pose(motion, dimension);
            place->position = cn_vec3_sub(motion->position, cn_pose_turn(&pose, center));
        }
    }
}

int
cn_world_contacts(const struct cn_world *world, const struct cn_contact_view **contacts)
{
    make_view_current(world);
    *contacts = world->view->contact;
    return world->view->contact_count;
}

int
cn_world_contact_count(const struct cn_world *world)
{
    const struct cn_contact_view *contacts;
    return world->production != NULL ? cn_view_count_production(world)
                                     : cn_world_contacts(world, &contacts);
}

int
cn_world_joint_count(const struct cn_world *world)
{
    return world->model.joint_count;
}

static void
show_joint(const struct cn_world *world, int index, const cn_pose *pose, const double *force,
    struct cn_joint_view *view)
{
    const struct cn_model *model = &world->model;
    struct cn_joint_look look;
    cn_joint_look(model, model->motion, pose, index, force, &look);
    *view = (struct cn_joint_view){
        .kind = model->joint[index].kind,
        .body_a = model->joint[index].body_a,
        .body_b = model->joint[index].body_b,
        .point_a = look.point_a,
        .point_b = look.point_b,
        .force = look.force,
        .torque = look.torque,
        .gap = look.gap + 0.0, /* no negative zero */
        .has_coordinate = look.has_coordinate,
        .coordinate = look.coordinate,
        .rate = look.rate,
        .motor = look.motor,
        .absent = model->joint[index].absent,
        .generation = model->joint[index].generation,
    };
}

void
cn_world_joint_view(const struct cn_world *world, int index, struct cn_joint_view *view)
{
    CN_ASSERT(0 <= index && index < world->model.joint_count);
    if (world->production == NULL) {
        make_view_current(world); /* for the forces at the present state */
    }
    const cn_pose *pose = place_view(world);
    const double *force = NULL;
    if (world->production == NULL && world->view->has_joint_force) {
        force = &world->view->joint_force[CN_JOINT_PARTS * (size_t)index];
    }
    show_joint(world, index, pose, force, view);
}

void
cn_world_joint_state(const struct cn_world *world, int index, struct cn_joint_view *view)
{
    CN_ASSERT(0 <= index && index < world->model.joint_count);
    show_joint(world, index, place_view(world), NULL, view);
}

struct cn_energy
cn_world_energy(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    bool planar = model->settings.dimension == CN_PLANAR;
    struct cn_energy energy = {0};
    const cn_pose *pose = place_view(world);
    if (world->production != NULL && !world->view->is_current) {
        return energy; /* no memory for the poses */
    }
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_body *body = &model->body[i];
        if (body->mass_inverse == 0.0) {
            continue;
        }
        const struct cn_motion *motion = &model->motion[i];
        cn_vec3 w = motion->angular_velocity;
        w = planar ? w : cn_pose_turn_back(&pose[i], w);
        cn_vec3 spin = cn_mat33_apply(&body->inertia, w);
        energy.kinetic += 0.5 * body->mass * cn_vec3_dot(motion->velocity, motion->velocity) +
                          0.5 * cn_vec3_dot(w, spin);
    }
    energy.potential = cn_force_potential(model, model->motion, pose);
    energy.total = energy.kinetic + energy.potential;
    return energy;
}

struct cn_solve_summary
cn_world_solve_summary(const struct cn_world *world)
{
    make_view_current(world);
    return world->view->summary;
}

int
cn_world_events(const struct cn_world *world, const struct cn_event **events)
{
    *events = world->model.event;
    return world->model.clock.mid_tick ? world->model.event_count : world->model.event_shown;
}

int
cn_world_events_own(const struct cn_world *world, const struct cn_event **events)
{
    const struct cn_model *model = &world->model;
    CN_ASSERT(!model->clock.mid_tick);
    /* After a restore there is neither a tick nor an event of one. */
    int kept = model->event_kept < model->event_shown ? model->event_kept : model->event_shown;
    *events = model->event + kept;
    return model->event_shown - kept;
}

void
cn_world_events_note(struct cn_world *world, const struct cn_event *event)
{
    CN_ASSERT(!world->model.clock.mid_tick);
    cn_model_event(&world->model, event->kind, event->body_a, event->body_b, event->value);
}

void
cn_world_events_close(struct cn_world *world)
{
    CN_ASSERT(!world->model.clock.mid_tick);
    world->model.event_shown = world->model.event_count;
}

int
cn_world_events_dropped(const struct cn_world *world)
{
    return world->model.event_dropped;
}

int
cn_world_held(const struct cn_world *world, const struct cn_held **held)
{
    *held = world->model.held;
    return world->model.held_count;
}

int
cn_world_attributes(const struct cn_world *world, const struct cn_attribute **attributes)
{
    *attributes = world->model.attribute;
    return world->model.attribute_count;
}

const struct cn_attribute *
cn_world_attribute(const struct cn_world *world, struct cn_owner owner, const char *name)
{
    return cn_model_attribute(&world->model, owner, name);
}

uint64_t
cn_world_attribute_version(const struct cn_world *world)
{
    return world->model.attribute_version;
}

bool
cn_world_has_actuator(const struct cn_world *world, int actuator)
{
    return actuator >= 0 && cn_model_has_actuator(&world->model, actuator);
}

int
cn_world_actuator_body(const struct cn_world *world, int actuator)
{
    CN_ASSERT(actuator >= 0);
    return actuator < world->model.thruster_count ? world->model.thruster[actuator].body : -1;
}
