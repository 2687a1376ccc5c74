/* fill.c: fills the definition of a world from the message of a scene. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)CAIRN__V1__WORLD__DIMENSION__SPATIAL == (int)CN_SPATIAL, "same order");
_Static_assert((int)CAIRN__V1__WORLD__COLLISION__SERIAL == (int)CN_COLLISION_SERIAL, "same order");
_Static_assert((int)CAIRN__V1__WORLD__COLLISION__HYBRID == (int)CN_COLLISION_HYBRID, "same order");
_Static_assert((int)CAIRN__V1__WORLD__COMBINE__MIN == (int)CN_COMBINE_MIN + 1, "one further on");
_Static_assert(
    (int)CAIRN__V1__WORLD__COMBINE__MULTIPLY == (int)CN_COMBINE_MULTIPLY + 1, "one further on");
_Static_assert((int)CAIRN__V1__FORCE__CONSTANT__FRAME__BODY == (int)CN_FRAME_BODY, "same order");
_Static_assert((int)CAIRN__V1__BODY__TYPE__STATIC == (int)CN_STATIC, "same order");
_Static_assert((int)CAIRN__V1__BODY__TYPE__KINEMATIC == (int)CN_KINEMATIC, "same order");

#define PATH_SIZE 96
#define VIEW_HEIGHT_MAX (2 * CN_COORDINATE_MAX)

/* ---- counting ---- */

static enum cn_status
check_most(struct cn_defect *defect, const char *path, size_t count, size_t most)
{
    if (count > most) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "has %zu entries; at most %zu are accepted", count, most);
    }
    return CN_OK;
}

static enum cn_status
count_shapes(const Cairn__V1__Body *body, size_t index, struct scene_counts *count,
    struct cn_defect *defect)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "bodies[%zu].shapes", index);
    enum cn_status status = check_most(defect, path, body->n_shapes, WIRE_SHAPES_PER_BODY_MAX);
    for (size_t k = 0; k < body->n_shapes && status == CN_OK; k++) {
        const Cairn__V1__Shape *shape = body->shapes[k];
        status = scene_shape_count(shape, &count->vertices, defect);
        if (status != CN_OK && defect != NULL) {
            cn_defect_prefix(defect, "bodies[%zu].shapes[%zu].", index, k);
        }
    }
    count->shapes += body->n_shapes;
    return status;
}

enum cn_status
scene_count(const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    *count = (struct scene_counts){.materials = message->n_materials,
        .bodies = message->n_bodies,
        .material_pairs = message->n_material_pairs};
    if (message->n_bodies == 0) {
        return cn_defect_set(defect, CN_LIMIT, "bodies", "are none; a scene has at least one");
    }
    enum cn_status status =
        check_most(defect, "materials", message->n_materials, CN_MATERIALS_MAX);
    if (status == CN_OK) {
        status = check_most(
            defect, "materialPairs", message->n_material_pairs, CN_MATERIAL_PAIRS_MAX);
    }
    if (status == CN_OK) {
        status = check_most(defect, "bodies", message->n_bodies, WIRE_BODIES_MAX);
    }
    for (size_t i = 0; i < message->n_bodies && status == CN_OK; i++) {
        status = count_shapes(message->bodies[i], i, count, defect);
    }
    for (size_t i = 0; i < message->n_forces; i++) {
        switch (message->forces[i]->force_case) {
        case CAIRN__V1__FORCE__FORCE_SPRING:
            count->springs++;
            break;
        case CAIRN__V1__FORCE__FORCE_THRUSTER:
            count->thrusters++;
            break;
        case CAIRN__V1__FORCE__FORCE_CONSTANT:
            count->constants++;
            break;
        default:
            break; /* at most one of each other kind, which scene_fill checks */
        }
    }
    if (status == CN_OK && (count->springs > CN_FORCES_MAX || count->thrusters > CN_FORCES_MAX ||
                               count->constants > CN_FORCES_MAX)) {
        status = cn_defect_set(defect, CN_LIMIT, "forces",
            "have %zu springs, %zu thrusters and %zu constant forces; at most %d of each are "
            "accepted",
            count->springs, count->thrusters, count->constants, CN_FORCES_MAX);
    }
    if (status == CN_OK) {
        status = scene_count_attributes(message, count, defect);
    }
    if (status == CN_OK) {
        status = scene_count_rules(message, count, defect);
    }
    return status == CN_OK ? scene_count_joints(message, count, defect) : status;
}

/* ---- small values ---- */

static cn_vec3
vector_of(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

/* For the engine 0 means "not given", so an explicit 0 must not reach it. */
static enum cn_status
check_not_zero(struct cn_defect *defect, const char *path, bool is_given, double value)
{
    if (is_given && value == 0.0) {
        return cn_defect_set(
            defect, CN_RANGE, path, "is 0; a positive number is accepted, or none at all");
    }
    return CN_OK;
}

static enum cn_status
copy_name(struct cn_defect *defect, const char *path, const char *name, char out[CN_NAME_SIZE])
{
    if (name[0] == '\0') {
        return CN_OK;
    }
    if (strlen(name) >= CN_NAME_SIZE) {
        return cn_defect_set(defect, CN_UNKNOWN, path, "is %s; names have at most %d bytes",
            cn_quote(name).text, CN_NAME_SIZE - 1);
    }
    CN_ASSERT(strlen(name) < CN_NAME_SIZE);
    memset(out, 0, CN_NAME_SIZE);
    memcpy(out, name, strlen(name));
    return CN_OK;
}

/* A count of 32 bits as an int; a count that does not fit is above every limit. */
static int
clip_count(uint32_t count)
{
    return count < INT32_MAX ? (int)count : INT32_MAX;
}

/* ---- the world ---- */

/* Sets the numbers that are given; the others keep their values. */
static void
fill_propagation(
    const Cairn__V1__Propagation *message, struct cn_propagation_settings *settings)
{
    if (message->collision_iterations_set_case != 0) {
        settings->collision_iterations = clip_count(message->collision_iterations);
    }
    if (message->contact_iterations_set_case != 0) {
        settings->contact_iterations = clip_count(message->contact_iterations);
    }
    if (message->contact_sweeps_set_case != 0) {
        settings->contact_sweeps = clip_count(message->contact_sweeps);
    }
    if (message->shock_passes_set_case != 0) {
        settings->shock_passes = clip_count(message->shock_passes);
    }
    if (message->literal_set_case != 0) {
        settings->literal = message->literal;
    }
    if (message->shuffle_set_case != 0) {
        settings->shuffle = clip_count(message->shuffle);
    }
}

static enum cn_status
fill_world(struct wire_scene *scene, struct cn_defect *defect)
{
    const Cairn__V1__World *world = scene->message->world;
    struct cn_settings *settings = &scene->def.settings;
    if (world == NULL) {
        return CN_OK;
    }
    settings->dimension = (enum cn_dimension)world->dimension;
    settings->collision = (enum cn_collision_handling)world->collision;
    if (world->gravity != NULL) {
        settings->gravity = vector_of(world->gravity);
    }
    if (world->tick_rate_set_case == CAIRN__V1__WORLD__TICK_RATE_SET_TICK_RATE) {
        scene->def.tick_rate = world->tick_rate;
    }
    if (world->time_rate_set_case == CAIRN__V1__WORLD__TIME_RATE_SET_TIME_RATE) {
        settings->time_rate = world->time_rate;
    }
    settings->minimum_norm = world->minimum_norm;
    if (world->substeps_set_case == CAIRN__V1__WORLD__SUBSTEPS_SET_SUBSTEPS) {
        settings->substeps = clip_count(world->substeps);
    }
    if (world->sleep_set_case == CAIRN__V1__WORLD__SLEEP_SET_SLEEP) {
        settings->sleep = world->sleep;
    }
    if (world->resting_velocity_set_case != 0) {
        settings->has_resting_velocity = true;
        settings->resting_velocity = world->resting_velocity;
    }
    if (world->propagation != NULL) {
        fill_propagation(world->propagation, &settings->propagation);
    }
    scene->def.event_max = clip_count(world->event_max);
    scene->def.memory_max = (size_t)world->memory_mib << 20;
    if (world->combine_restitution != CAIRN__V1__WORLD__COMBINE__DEFAULT) {
        settings->combine_restitution = (enum cn_combine)(world->combine_restitution - 1);
    }
    if (world->combine_friction != CAIRN__V1__WORLD__COMBINE__DEFAULT) {
        settings->combine_friction = (enum cn_combine)(world->combine_friction - 1);
    }
    scene->def.seed = world->seed;
    enum cn_status status = copy_name(defect, "world.stepper", world->stepper, settings->stepper);
    return status == CN_OK ? copy_name(defect, "world.solver", world->solver, settings->solver)
                           : status;
}

static void
fill_material(const Cairn__V1__Material *material, struct cn_material_def *def)
{
    cn_material_def_init(def);
    def->friction = material->friction;
    def->static_friction =
        material->static_friction_set_case ==
                CAIRN__V1__MATERIAL__STATIC_FRICTION_SET_STATIC_FRICTION
            ? material->static_friction
            : material->friction;
    def->restitution = material->restitution;
    def->rolling_friction = material->rolling_friction;
    def->spinning_friction = material->spinning_friction;
    def->surface_velocity = vector_of(material->surface_velocity);
}

/* ---- bodies ---- */

static enum cn_status
fill_shape(const struct wire_scene *scene, const Cairn__V1__Shape *shape, cn_vec3 **vertices,
    struct cn_shape_def *def, struct cn_defect *defect)
{
    enum cn_status status = scene_shape_fill(shape, vertices, def, defect);
    if (status == CN_OK && def->kind == CN_SHAPE_MESH) {
        status = scene_find_mesh(scene, shape, def, defect);
    }
    if (status == CN_OK && shape->material[0] != '\0') {
        def->material =
            scene_name_find(scene->material_order, scene->count.materials, shape->material);
        if (def->material < 0) {
            return scene_refuse_name(defect, "material", shape->material, "material",
                scene->material_names, scene->count.materials);
        }
    }
    return status;
}

/* The body's rotation and inertia, in the form for the world's dimension. */
static enum cn_status
fill_turn(const struct wire_scene *scene, const Cairn__V1__Body *body, struct cn_body_def *def,
    struct cn_defect *defect)
{
    bool planar = scene->def.settings.dimension == CN_PLANAR;
    if (planar && body->orientation != NULL) {
        return cn_defect_set(defect, CN_DIMENSION, "orientation",
            "is of SPATIAL worlds; in a PLANAR one a body has an angle");
    }
    if (!planar && body->angle != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, "angle",
            "is of PLANAR worlds; in a SPATIAL one a body has an orientation");
    }
    def->angle = body->angle;
    if (body->orientation != NULL) {
        def->orientation = (cn_quat){body->orientation->w, body->orientation->x,
            body->orientation->y, body->orientation->z};
    }
    const Cairn__V1__Inertia *tensor = body->inertia_tensor;
    if (tensor != NULL) {
        def->inertia_tensor = (cn_mat33){{tensor->xx, tensor->xy, tensor->zx},
            {tensor->xy, tensor->yy, tensor->yz}, {tensor->zx, tensor->yz, tensor->zz}};
        if (!cn_body_def_has_tensor(def)) {
            return cn_defect_set(defect, CN_RANGE, "inertiaTensor",
                "is 0; positive moments are accepted, or none at all");
        }
    }
    return CN_OK;
}

static void
fill_motion_limits(const Cairn__V1__Body *body, struct cn_body_def *def)
{
    if (body->gravity_scale_set_case == CAIRN__V1__BODY__GRAVITY_SCALE_SET_GRAVITY_SCALE) {
        def->gravity_scale = body->gravity_scale;
    }
    def->damping_linear = body->linear_damping;
    def->damping_angular = body->angular_damping;
    def->bullet = body->bullet;
    def->sleepless = body->sleepless;
    const Cairn__V1__Locks *locks = body->locks;
    if (locks != NULL) {
        def->locks = (uint8_t)((locks->linear_x ? CN_LOCK_LINEAR_X : 0) |
                               (locks->linear_y ? CN_LOCK_LINEAR_Y : 0) |
                               (locks->linear_z ? CN_LOCK_LINEAR_Z : 0) |
                               (locks->angular_x ? CN_LOCK_ANGULAR_X : 0) |
                               (locks->angular_y ? CN_LOCK_ANGULAR_Y : 0) |
                               (locks->angular_z ? CN_LOCK_ANGULAR_Z : 0));
    }
}

static enum cn_status
fill_body(const struct wire_scene *scene, const Cairn__V1__Body *body, struct cn_body_def *def,
    struct cn_defect *defect)
{
    bool has_mass = body->mass_set_case == CAIRN__V1__BODY__MASS_SET_MASS;
    bool has_inertia = body->inertia_set_case == CAIRN__V1__BODY__INERTIA_SET_INERTIA;
    cn_body_def_init(def);
    def->type = (enum cn_body_type)body->type;
    def->position = vector_of(body->position);
    def->velocity = vector_of(body->velocity);
    def->angular_velocity = vector_of(body->angular_velocity);
    fill_motion_limits(body, def);
    def->has_center = body->center_of_mass != NULL;
    def->center_of_mass = vector_of(body->center_of_mass);
    def->mass = has_mass ? body->mass : 0.0;
    def->inertia = has_inertia ? body->inertia : 0.0;
    enum cn_status status = fill_turn(scene, body, def, defect);
    if (status == CN_OK) {
        status = check_not_zero(defect, "mass", has_mass, def->mass);
    }
    return status == CN_OK ? check_not_zero(defect, "inertia", has_inertia, def->inertia) : status;
}

static enum cn_status
fill_bodies(struct wire_scene *scene, struct cn_defect *defect)
{
    struct cn_shape_def *shape = scene->shapes;
    cn_vec3 *vertices = scene->vertices;
    for (size_t i = 0; i < scene->count.bodies; i++) {
        const Cairn__V1__Body *body = scene->message->bodies[i];
        struct cn_body_def *def = &scene->bodies[i];
        enum cn_status status = fill_body(scene, body, def, defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "bodies[%zu].", i);
            return status;
        }
        def->shapes = shape;
        def->shape_count = (int)body->n_shapes;
        for (size_t k = 0; k < body->n_shapes; k++, shape++) {
            status = fill_shape(scene, body->shapes[k], &vertices, shape, defect);
            if (status != CN_OK) {
                bool is_inside = defect->path[0] != '\0';
                cn_defect_prefix(defect, "bodies[%zu].shapes[%zu]%s", i, k, is_inside ? "." : "");
                return status;
            }
        }
    }
    CN_ASSERT(shape == scene->shapes + scene->count.shapes);
    CN_ASSERT(vertices == scene->vertices + scene->count.vertices);
    return CN_OK;
}

/* ---- forces ---- */

static enum cn_status
find_body(const struct wire_scene *scene, const char *path, const char *name, int *body,
    struct cn_defect *defect)
{
    *body = wire_scene_body_find(scene, name);
    CN_ASSERT(*body < (int)scene->count.bodies);
    return *body >= 0 ? CN_OK
                      : scene_refuse_name(defect, path, name, "body", scene->body_names,
                            scene->count.bodies);
}

static enum cn_status
fill_spring(const struct wire_scene *scene, const Cairn__V1__Force__Spring *spring,
    struct cn_spring_def *def, struct cn_defect *defect)
{
    *def = (struct cn_spring_def){
        .body_a = -1,
        .anchor_a = vector_of(spring->anchor_a),
        .anchor_b = vector_of(spring->anchor_b),
        .stiffness = spring->stiffness,
        .damping = spring->damping,
        .rest_length = spring->rest_length,
    };
    if (spring->body_a[0] != '\0') {
        enum cn_status status =
            find_body(scene, "spring.bodyA", spring->body_a, &def->body_a, defect);
        if (status != CN_OK) {
            return status;
        }
    }
    return find_body(scene, "spring.bodyB", spring->body_b, &def->body_b, defect);
}

static enum cn_status
fill_damping(
    struct wire_scene *scene, const Cairn__V1__Force__Damping *damping, struct cn_defect *defect)
{
    if (scene->damping_force >= 0) {
        return cn_defect_set(defect, CN_DUPLICATE, "damping",
            "is a second one, after forces[%d]; a scene has at most one", scene->damping_force);
    }
    scene->def.settings.damping_linear = damping->linear;
    scene->def.settings.damping_angular = damping->angular;
    return CN_OK;
}

static enum cn_status
fill_gravitation(struct wire_scene *scene, const Cairn__V1__Force__Gravitation *gravitation,
    struct cn_defect *defect)
{
    if (scene->gravitation_force >= 0) {
        return cn_defect_set(defect, CN_DUPLICATE, "gravitation",
            "is a second one, after forces[%d]; a scene has at most one",
            scene->gravitation_force);
    }
    scene->def.settings.gravitation = gravitation->constant;
    return CN_OK;
}

static enum cn_status
fill_constant(struct wire_scene *scene, int index, struct cn_defect *defect)
{
    CN_ASSERT((size_t)scene->def.constant_force_count < scene->count.constants);
    const Cairn__V1__Force__Constant *constant = scene->message->forces[index]->constant;
    struct cn_constant_force_def *def = &scene->constants[scene->def.constant_force_count];
    scene->constant_force[scene->def.constant_force_count++] = index;
    *def = (struct cn_constant_force_def){
        .frame = (enum cn_frame)constant->frame,
        .has_at = constant->at != NULL,
        .at = vector_of(constant->at),
        .force = vector_of(constant->force),
        .torque = vector_of(constant->torque),
    };
    return find_body(scene, "constant.body", constant->body, &def->body, defect);
}

static enum cn_status
fill_force(struct wire_scene *scene, int index, struct cn_defect *defect)
{
    const Cairn__V1__Force *force = scene->message->forces[index];
    enum cn_status status = CN_OK;
    switch (force->force_case) {
    case CAIRN__V1__FORCE__FORCE_DAMPING:
        status = fill_damping(scene, force->damping, defect);
        scene->damping_force = index;
        return status;
    case CAIRN__V1__FORCE__FORCE_SPRING:
        CN_ASSERT((size_t)scene->def.spring_count < scene->count.springs);
        scene->spring_force[scene->def.spring_count] = index;
        return fill_spring(
            scene, force->spring, &scene->springs[scene->def.spring_count++], defect);
    case CAIRN__V1__FORCE__FORCE_THRUSTER: {
        struct cn_thruster_def *def = &scene->thrusters[scene->def.thruster_count];
        CN_ASSERT((size_t)scene->def.thruster_count < scene->count.thrusters);
        scene->thruster_force[scene->def.thruster_count++] = index;
        def->at = vector_of(force->thruster->at);
        def->force = vector_of(force->thruster->force);
        return find_body(scene, "thruster.body", force->thruster->body, &def->body, defect);
    }
    case CAIRN__V1__FORCE__FORCE_GRAVITATION:
        status = fill_gravitation(scene, force->gravitation, defect);
        scene->gravitation_force = index;
        return status;
    case CAIRN__V1__FORCE__FORCE_CONSTANT:
        return fill_constant(scene, index, defect);
    default:
        return cn_defect_set(defect, CN_SYNTAX, "",
            "is empty; one of damping, spring, thruster, gravitation and constant is accepted");
    }
}

/* The engine does not get the view, so this is its only check. */
static enum cn_status
check_view(const Cairn__V1__View *view, struct cn_defect *defect)
{
    if (view == NULL) {
        return CN_OK;
    }
    cn_vec3 center = vector_of(view->center);
    if (view->height != 0.0 && !(view->height >= CN_SIZE_MIN && view->height <= VIEW_HEIGHT_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "view.height",
            "is %.9g; a height is from %.9g to %.9g m", view->height, CN_SIZE_MIN,
            VIEW_HEIGHT_MAX);
    }
    const double members[] = {center.x, center.y};
    for (int i = 0; i < 2; i++) {
        if (!(members[i] >= -CN_COORDINATE_MAX && members[i] <= CN_COORDINATE_MAX)) {
            return cn_defect_set(defect, CN_RANGE, i == 0 ? "view.center.x" : "view.center.y",
                "is %.9g; a coordinate is from %.9g to %.9g m", members[i], -CN_COORDINATE_MAX,
                CN_COORDINATE_MAX);
        }
    }
    return CN_OK;
}

enum cn_status
scene_fill(struct wire_scene *scene, struct cn_defect *defect)
{
    CN_ASSERT(scene->block != NULL && scene->count.bodies == scene->message->n_bodies);
    struct cn_world_def *def = &scene->def;
    cn_world_def_init(def);
    scene->damping_force = scene->gravitation_force = -1;
    def->materials = scene->materials;
    def->material_count = (int)scene->count.materials;
    def->bodies = scene->bodies;
    def->body_count = (int)scene->count.bodies;
    def->meshes = scene->meshes;
    def->mesh_count = scene->mesh_count;
    def->springs = scene->springs;
    def->thrusters = scene->thrusters;
    def->constant_forces = scene->constants;
    enum cn_status status = fill_world(scene, defect);
    for (size_t i = 0; i < scene->count.materials; i++) {
        fill_material(scene->message->materials[i], &scene->materials[i]);
    }
    if (status == CN_OK) {
        status = scene_fill_material_pairs(scene, defect);
    }
    if (status == CN_OK) {
        status = fill_bodies(scene, defect);
    }
    for (size_t i = 0; i < scene->message->n_forces && status == CN_OK; i++) {
        status = fill_force(scene, (int)i, defect);
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "forces[%zu]%s", i, is_inside ? "." : "");
        }
    }
    if (status == CN_OK) {
        status = scene_fill_joints(scene, defect);
    }
    if (status == CN_OK) {
        status = scene_fill_attributes(scene, defect);
    }
    return status == CN_OK ? check_view(scene->message->view, defect) : status;
}
