/*
 * validate.c: refuses definitions that can not be simulated, with an error text.
 *
 * Paths are those of scene.proto.  Springs, thrusters and damping have arrays or members of their
 * own here, so their paths begin "springs[2]", "thrusters[0]" and "damping".  The caller that made
 * the definition knows their places among a scene's forces.
 */
#include "engine/world/check/def_check.h"
#include "engine/world/world_inside.h"

#include "engine/solve/table/solver_table.h"
#include "engine/step/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 64

/* m/s, rad/s: the rounding error of a velocity across a rotated axis. */
#define LOCKED_SPEED_MAX 1e-9

#define ONE_WAY_NORMAL_MIN 1e-6

/* The least principal moment of a spatial body, as a part of their sum: a needle of 1 : 10 000. */
#define TENSOR_FRACTION_MIN 1e-9

/* ---- settings ---- */

static bool
is_terminated(const char name[CN_NAME_SIZE])
{
    return memchr(name, '\0', CN_NAME_SIZE) != NULL;
}

static enum cn_status
check_stepper(const struct cn_settings *settings, struct cn_defect *defect)
{
    const char *path = "world.stepper", *name = settings->stepper;
    if (!is_terminated(name)) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "is longer than a name's %d bytes", CN_NAME_SIZE - 1);
    }
    const struct cn_stepper *stepper = cn_stepper_find(name);
    if (stepper == NULL) {
        return cn_world_refuse_stepper(defect, path, name);
    }
    if (!(settings->dimension == CN_PLANAR ? stepper->planar : stepper->spatial)) {
        return cn_defect_set(defect, CN_DIMENSION, path,
            "is \"%s\", which can not step a world of this dimension", name);
    }
    return CN_OK;
}

/*
 * Refuses settings of bodies that only solvers of the kind BODIES support, because they would
 * change the motion.
 */
static enum cn_status
check_exact(const struct cn_world_def *def, const char *name, struct cn_defect *defect)
{
    char path[PATH_SIZE];
    CN_CHECK(cn_surfaces_def_check(def, name, defect));
    for (int i = 0; i < def->body_count; i++) {
        if (def->bodies[i].locks & CN_LOCK_LINEAR) {
            snprintf(path, sizeof(path), "bodies[%d].locks", i);
            return cn_world_refuse_locks(defect, path, name);
        }
    }
    return CN_OK;
}

static enum cn_status
check_solver(const struct cn_world_def *def, struct cn_defect *defect)
{
    const struct cn_settings *settings = &def->settings;
    const char *path = "world.solver", *name = settings->solver;
    if (!is_terminated(name)) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "is longer than a name's %d bytes", CN_NAME_SIZE - 1);
    }
    const struct cn_solver *solver = cn_solver_find(name);
    if (solver == NULL) {
        return cn_world_refuse_solver(defect, path, name);
    }
    if (!cn_stepper_fits(cn_stepper_find(settings->stepper), solver)) {
        return cn_defect_set(defect, CN_PAIR, path,
            "is \"%s\", which does not fit the stepper \"%s\"", name, settings->stepper);
    }
    if (!solver->friction && cn_world_def_has_friction(def)) {
        return cn_world_refuse_frictionless(defect, path, name);
    }
    CN_CHECK(cn_moments_def_check(def, solver, defect));
    return solver->kind == CN_SOLVER_BODIES ? CN_OK : check_exact(def, name, defect);
}

static enum cn_status
check_settings(const struct cn_world_def *def, struct cn_defect *defect)
{
    const struct cn_settings *settings = &def->settings;
    CN_CHECK(check_number(
        defect, "world.dimension", settings->dimension, CN_PLANAR, CN_SPATIAL, "a dimension", ""));
    CN_CHECK(check_vector(
        def, defect, "world.gravity", settings->gravity, CN_GRAVITY_MAX, "gravity", "m/s^2"));
    CN_CHECK(check_number(defect, "world.tickRate", def->tick_rate, CN_TICK_RATE_MIN,
        CN_TICK_RATE_MAX, "a tick rate", "Hz"));
    CN_CHECK(check_number(defect, "world.timeRate", settings->time_rate, CN_TIME_RATE_MIN,
        CN_TIME_RATE_MAX, "a time rate", "simulated seconds per second"));
    CN_CHECK(check_number(defect, "world.collision", settings->collision, 0, CN_COLLISION_COUNT - 1,
        "a way of collision", ""));
    CN_CHECK(check_number(defect, "world.combineRestitution", settings->combine_restitution,
        CN_COMBINE_MIN, CN_COMBINE_MULTIPLY, "a way to combine", ""));
    CN_CHECK(check_number(defect, "world.combineFriction", settings->combine_friction,
        CN_COMBINE_MIN, CN_COMBINE_MULTIPLY, "a way to combine", ""));
    CN_CHECK(check_number(defect, "damping.linear", settings->damping_linear, 0.0, CN_DAMPING_MAX,
        "damping", "N s/m"));
    CN_CHECK(check_number(defect, "damping.angular", settings->damping_angular, 0.0, CN_DAMPING_MAX,
        "damping", "N m s"));
    CN_CHECK(check_number(defect, "gravitation.constant", settings->gravitation, 0.0,
        CN_GRAVITATION_MAX, "a constant of gravitation", "N m^2/kg^2"));
    CN_CHECK(check_number(defect, "world.restingVelocity", settings->resting_velocity, 0.0,
        CN_SPEED_MAX, "a resting velocity", "m/s"));
    CN_CHECK(check_number(defect, "world.substeps", settings->substeps, 1, CN_SUBSTEPS_MAX,
        "a number of substeps", ""));
#define X(member, name, least, most, usual, text)                                                  \
    CN_CHECK(check_number(defect, "world.propagation." name, settings->propagation.member, least,  \
        most, "a number", text));
    CN_PROPAGATION_TABLE(X)
#undef X
    CN_CHECK(check_number(defect, "bodyRoom", def->body_room, 0, CN_BODIES_MAX, "room", ""));
    CN_CHECK(check_number(defect, "shapeRoom", def->shape_room, 0, CN_SHAPES_MAX, "room", ""));
    CN_CHECK(check_number(defect, "jointRoom", def->joint_room, 0, CN_JOINTS_MAX, "room", ""));
    CN_CHECK(check_number(defect, "world.eventMax", def->event_max, 0, CN_EVENTS_MAX,
        "a number of events", "in a tick"));
    CN_CHECK(check_stepper(settings, defect));
    return check_solver(def, defect);
}

/* ---- bodies ---- */

/* Checks that the mesh is one of the world's, and that the solver supports meshes. */
static enum cn_status
check_mesh(const struct cn_world_def *def, const struct cn_shape_def *shape,
    struct cn_defect *defect)
{
    int index = shape->mesh.index;
    if (index < 0 || index >= def->mesh_count || def->meshes[index] != shape->mesh.mesh) {
        return cn_defect_set(defect, CN_REFERENCE, "mesh", "is number %d; there are %d meshes",
            index, def->mesh_count);
    }
    return cn_world_check_meshes(def->settings.solver, "mesh", defect);
}

static enum cn_status
check_one_way(const struct cn_world_def *def, const struct cn_shape_def *shape,
    struct cn_defect *defect)
{
    if (shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_MESH || shape->sensor) {
        return cn_defect_set(defect, CN_PAIR, "oneWay",
            "is given to %s; other shapes may be one-way",
            shape->sensor                    ? "a sensor"
            : shape->kind == CN_SHAPE_PLANE ? "a plane"
                                             : "a mesh");
    }
    cn_vec3 normal = shape->one_way_normal;
    CN_CHECK(check_vector(def, defect, "oneWay.normal", normal, CN_COORDINATE_MAX, "a normal", ""));
    normal.z = def->settings.dimension == CN_SPATIAL ? normal.z : 0.0;
    return cn_vec3_length(normal) >= ONE_WAY_NORMAL_MIN
               ? CN_OK
               : cn_defect_set(defect, CN_RANGE, "oneWay.normal",
                     "has a length of %.9g; at least %g is accepted", cn_vec3_length(normal),
                     ONE_WAY_NORMAL_MIN);
}

static enum cn_status
check_shape(const struct cn_world_def *def, const struct cn_body_def *body,
    const struct cn_shape_def *shape, struct cn_defect *defect)
{
    int material_count = def->material_count > 0 ? def->material_count : 1;
    CN_CHECK(cn_shape_check(shape, def->settings.dimension, defect));
    if (shape->material < 0 || shape->material >= material_count) {
        return cn_defect_set(defect, CN_REFERENCE, "material",
            "is number %d; there are %d materials", shape->material, material_count);
    }
    CN_CHECK(check_number(
        defect, "hitSpeedMin", shape->hit_speed_min, 0.0, CN_SPEED_MAX, "a speed", "m/s"));
    CN_CHECK(check_number(
        defect, "forceMin", shape->force_min, 0.0, CN_FORCE_MAX, "a force", "N"));
    if (shape->one_way) {
        CN_CHECK(check_one_way(def, shape, defect));
    }
    if (shape->kind == CN_SHAPE_PLANE && body->type == CN_DYNAMIC) {
        return cn_defect_set(defect, CN_MASS, "plane",
            "is part of a DYNAMIC body; a plane has no end and no mass");
    }
    if (shape->kind == CN_SHAPE_PLANE && cn_vec3_length(body->angular_velocity) > 0.0) {
        return cn_defect_set(defect, CN_RANGE, "plane",
            "is part of a body with an angularVelocity; what has no end moves, and does not turn");
    }
    if (shape->kind == CN_SHAPE_MESH) {
        CN_CHECK(check_mesh(def, shape, defect));
    }
    if (shape->kind == CN_SHAPE_CHAIN && body->type == CN_DYNAMIC) {
        return cn_defect_set(defect, CN_MASS, "chain",
            "is part of a DYNAMIC body; a wall has no inside and no mass: use an outline");
    }
    return CN_OK;
}

/* Checks a number that may be omitted.  Here 0 means omitted; a scene can not write it so. */
static enum cn_status
check_given(struct cn_defect *defect, const char *path, double value, double low, double high,
    const char *what, const char *unit)
{
    return value == 0.0 ? CN_OK : check_number(defect, path, value, low, high, what, unit);
}

/* Whether m, symmetric, is positive definite, by Sylvester's leading minors. */
static bool
is_positive(const cn_mat33 *m)
{
    return m->cx.x > 0.0 && m->cx.x * m->cy.y - m->cy.x * m->cx.y > 0.0 &&
           cn_mat33_determinant(m) > 0.0;
}

/* m + s 1 */
static cn_mat33
add_diagonal(const cn_mat33 *m, double s)
{
    cn_mat33 sum = *m;
    sum.cx.x += s;
    sum.cy.y += s;
    sum.cz.z += s;
    return sum;
}

/*
 * Principal moments are positive, and none is above the sum of the others: then tr(I)/2 - I, the
 * second moments of the mass along the axes, has no negative eigenvalue.  Thin bodies are at that
 * limit.
 */
static enum cn_status
check_tensor(const cn_mat33 *I, const char *path, struct cn_defect *defect)
{
    const cn_vec3 columns[] = {I->cx, I->cy, I->cz};
    for (int i = 0; i < 3; i++) {
        if (!cn_vec3_is_finite(columns[i])) {
            return cn_defect_set(
                defect, CN_FINITE, path, "has a member that is not finite; all must be");
        }
    }
    double trace = I->cx.x + I->cy.y + I->cz.z, least = TENSOR_FRACTION_MIN * trace;
    if (I->cx.y != I->cy.x || I->cx.z != I->cz.x || I->cy.z != I->cz.y) {
        return cn_defect_set(defect, CN_MASS, path, "is not symmetric; a tensor of inertia is");
    }
    if (trace > 3.0 * CN_INERTIA_MAX) {
        return cn_defect_set(defect, CN_RANGE, path,
            "has principal moments above %g kg m^2, the most that is accepted", CN_INERTIA_MAX);
    }
    cn_mat33 above = add_diagonal(I, least > CN_INERTIA_MIN ? -least : -CN_INERTIA_MIN);
    if (!is_positive(&above)) {
        return cn_defect_set(defect, CN_MASS, path,
            "has a principal moment below %.9g kg m^2; each is at least %g, and a part in %g of "
            "their sum",
            least > CN_INERTIA_MIN ? least : CN_INERTIA_MIN, CN_INERTIA_MIN,
            1.0 / TENSOR_FRACTION_MIN);
    }
    cn_mat33 moments = {cn_vec3_negate(I->cx), cn_vec3_negate(I->cy), cn_vec3_negate(I->cz)};
    moments = add_diagonal(&moments, 0.5 * trace + least);
    if (!is_positive(&moments)) {
        return cn_defect_set(defect, CN_MASS, path,
            "has a principal moment above the sum of the other two; no body has");
    }
    return CN_OK;
}

/* Checks that the given mass data fit the world's dimension and are in range. */
static enum cn_status
check_given_weight(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect)
{
    bool planar = def->settings.dimension == CN_PLANAR, tensor = cn_body_def_has_tensor(body);
    CN_CHECK(check_given(defect, "mass", body->mass, CN_MASS_MIN, CN_MASS_MAX, "a mass", "kg"));
    if (!planar && body->inertia != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, "inertia",
            "is of PLANAR worlds; in a SPATIAL one a body has an inertiaTensor");
    }
    if (planar && tensor) {
        return cn_defect_set(defect, CN_DIMENSION, "inertiaTensor",
            "is of SPATIAL worlds; in a PLANAR one a body has an inertia");
    }
    CN_CHECK(check_given(
        defect, "inertia", body->inertia, CN_INERTIA_MIN, CN_INERTIA_MAX, "an inertia", "kg m^2"));
    if (tensor) {
        CN_CHECK(check_tensor(&body->inertia_tensor, "inertiaTensor", defect));
    }
    bool given = body->mass != 0.0 && (planar ? body->inertia != 0.0 : tensor);
    int solid_count = 0;
    for (int k = 0; k < body->shape_count; k++) {
        solid_count += !body->shapes[k].sensor;
    }
    if (body->type == CN_DYNAMIC && solid_count == 0 && !given) {
        return cn_defect_set(defect, CN_MASS, "shapes",
            "are none%s; a DYNAMIC body has a shape, or both mass and %s",
            body->shape_count > 0 ? " but sensors" : "", planar ? "inertia" : "inertiaTensor");
    }
    return CN_OK;
}

static enum cn_status
check_weight(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect)
{
    CN_CHECK(check_given_weight(def, body, defect));
    if (body->type != CN_DYNAMIC) {
        return CN_OK;
    }
    int dense_count = 0, solid_count = 0;
    for (int k = 0; k < body->shape_count; k++) {
        solid_count += !body->shapes[k].sensor;
        dense_count += !body->shapes[k].sensor && body->shapes[k].density > 0.0;
    }
    if (dense_count > 0 && dense_count < solid_count) {
        return cn_defect_set(defect, CN_MASS, "shapes",
            "have a density in %d of %d cases; give all shapes of a body one, or none", dense_count,
            solid_count);
    }
    struct cn_mass_properties weight = cn_body_def_weigh(body, def->settings.dimension);
    CN_CHECK(check_number(defect, "shapes", weight.mass, CN_MASS_MIN, CN_MASS_MAX,
        "the mass by their densities", "kg"));
    if (def->settings.dimension == CN_SPATIAL) {
        return check_tensor(&weight.inertia, "shapes", defect);
    }
    return check_number(defect, "shapes", weight.inertia.cz.z, CN_INERTIA_MIN, CN_INERTIA_MAX,
        "the inertia that they give", "kg m^2");
}

/* For a planar body only the rotation about z is used; the rest is ignored, but must be finite. */
static enum cn_status
check_spin(const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect)
{
    bool planar = def->settings.dimension == CN_PLANAR;
    cn_vec3 spin = body->angular_velocity;
    if (planar) {
        CN_CHECK(check_vector(def, defect, "angularVelocity", spin, HUGE_VAL, "", ""));
        return check_number(defect, "angularVelocity.z", spin.z, -CN_SPIN_MAX, CN_SPIN_MAX,
            "an angular velocity", "rad/s");
    }
    CN_CHECK(check_vector(
        def, defect, "angularVelocity", spin, CN_SPIN_MAX, "an angular velocity", "rad/s"));
    return check_number(defect, "orientation", cn_quat_length(body->orientation), 0.5, 2.0,
        "the length of a quaternion", "");
}

/* Checks gravity scale, damping and locks, and that nothing moves along or about locked axes. */
static enum cn_status
check_motion_limits(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect)
{
    CN_CHECK(check_number(defect, "gravityScale", body->gravity_scale, -CN_GRAVITY_SCALE_MAX,
        CN_GRAVITY_SCALE_MAX, "a scale", ""));
    CN_CHECK(check_number(defect, "linearDamping", body->damping_linear, 0.0, CN_DECAY_MAX,
        "a rate of decay", "1/s"));
    CN_CHECK(check_number(defect, "angularDamping", body->damping_angular, 0.0, CN_DECAY_MAX,
        "a rate of decay", "1/s"));
    CN_CHECK(check_number(defect, "locks", body->locks, 0, CN_LOCK_ALL, "a set of locks", ""));
    if (body->locks != 0 && body->type != CN_DYNAMIC) {
        return cn_defect_set(
            defect, CN_RANGE, "locks", "are given to a body that is not DYNAMIC; nothing moves it");
    }
    cn_vec3 v = body->velocity, w = body->angular_velocity;
    if (def->settings.dimension == CN_PLANAR) {
        v.z = w.x = w.y = 0.0;
    } else {
        cn_mat33 turn = cn_quat_to_mat33(cn_quat_normalize(body->orientation));
        w = cn_vec3_make(cn_vec3_dot(turn.cx, w), cn_vec3_dot(turn.cy, w), cn_vec3_dot(turn.cz, w));
    }
    const double speed[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < 6; i++) {
        if ((body->locks & 1 << i) && !(fabs(speed[i]) <= LOCKED_SPEED_MAX)) {
            return cn_defect_set(defect, CN_RANGE, i < 3 ? "velocity" : "angularVelocity",
                "is %.9g along a locked axis, %c; there it is 0", speed[i], "xyzxyz"[i]);
        }
    }
    return CN_OK;
}

enum cn_status
cn_body_def_check(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect)
{
    bool spatial = def->settings.dimension == CN_SPATIAL;
    CN_CHECK(check_number(defect, "type", body->type, CN_DYNAMIC, CN_KINEMATIC, "a type", ""));
    CN_CHECK(check_vector(
        def, defect, "position", body->position, CN_COORDINATE_MAX, "a coordinate", "m"));
    CN_CHECK(
        check_number(defect, "angle", body->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX, "an angle", "rad"));
    CN_CHECK(
        check_vector(def, defect, "velocity", body->velocity, CN_SPEED_MAX, "a velocity", "m/s"));
    CN_CHECK(check_spin(def, body, defect));
    if (body->type == CN_STATIC &&
        (cn_vec3_dot(body->velocity, body->velocity) > 0.0 || body->angular_velocity.z != 0.0 ||
            (spatial && cn_vec3_length(body->angular_velocity) > 0.0))) {
        return cn_defect_set(defect, CN_RANGE, "velocity",
            "is given to a STATIC body, which does not move; KINEMATIC ones move unpushed");
    }
    CN_CHECK(check_motion_limits(def, body, defect));
    if (body->has_center) {
        CN_CHECK(check_vector(def, defect, "centerOfMass", body->center_of_mass, CN_SIZE_MAX,
            "a coordinate", "m"));
    }
    CN_CHECK(check_count(defect, "shapes", body->shape_count, 0, CN_SHAPES_PER_BODY_MAX));
    for (int k = 0; k < body->shape_count; k++) {
        enum cn_status status = check_shape(def, body, &body->shapes[k], defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "shapes[%d].", k);
            return status;
        }
    }
    return check_weight(def, body, defect);
}

/* ---- all of it ---- */

/* Puts "name[index]." before the path of a row's defect. */
#define CHECK_ROWS(name, count, check, ...)                                                        \
    for (int row = 0; row < (count); row++) {                                                      \
        enum cn_status row_status = check(__VA_ARGS__);                                            \
        if (row_status != CN_OK) {                                                                 \
            cn_defect_prefix(defect, name "[%d].", row);                                           \
            return row_status;                                                                     \
        }                                                                                          \
    }

static enum cn_status
check_shape_sum(const struct cn_world_def *def, struct cn_defect *defect)
{
    int64_t sum = 0;
    for (int i = 0; i < def->body_count; i++) {
        sum += def->bodies[i].shape_count;
    }
    if (sum > CN_SHAPES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "bodies",
            "have %lld shapes in all; at most %d are accepted", (long long)sum, CN_SHAPES_MAX);
    }
    return CN_OK;
}

enum cn_status
cn_world_def_check(const struct cn_world_def *def, struct cn_defect *defect)
{
    CN_CHECK(check_count(defect, "materials", def->material_count, 0, CN_MATERIALS_MAX));
    CN_CHECK(check_count(
        defect, "materialPairs", def->material_pair_count, 0, CN_MATERIAL_PAIRS_MAX));
    if (def->memory_max > CN_WORLD_MEMORY_MAX) {
        return cn_defect_set(defect, CN_RANGE, "world.memoryMib",
            "is %zu; from 1 to %zu MiB are accepted", def->memory_max >> 20,
            CN_WORLD_MEMORY_MAX >> 20);
    }
    CN_CHECK(check_count(defect, "bodies", def->body_count, 0, CN_BODIES_MAX));
    CN_CHECK(check_count(defect, "springs", def->spring_count, 0, CN_FORCES_MAX));
    CN_CHECK(check_count(defect, "thrusters", def->thruster_count, 0, CN_FORCES_MAX));
    CN_CHECK(check_count(defect, "constants", def->constant_force_count, 0, CN_FORCES_MAX));
    CN_CHECK(check_count(defect, "joints", def->joint_count, 0, CN_JOINTS_MAX));
    CN_CHECK(check_count(defect, "curves", def->curve_count, 0, CN_CURVES_MAX));
    CN_CHECK(check_count(defect, "meshes", def->mesh_count, 0, CN_MESHES_MAX));
    CN_CHECK(check_settings(def, defect));
    CHECK_ROWS("materials", def->material_count, cn_material_def_check, def, &def->materials[row],
        defect);
    CN_CHECK(cn_material_pairs_def_check(def, defect));
    CHECK_ROWS("bodies", def->body_count, cn_body_def_check, def, &def->bodies[row], defect);
    CN_CHECK(check_shape_sum(def, defect));
    CHECK_ROWS("springs", def->spring_count, cn_spring_def_check, def, &def->springs[row], defect);
    CHECK_ROWS("thrusters", def->thruster_count, cn_thruster_def_check, def, &def->thrusters[row],
        defect);
    CHECK_ROWS("constants", def->constant_force_count, cn_constant_force_def_check, def,
        &def->constant_forces[row], defect);
    CHECK_ROWS("curves", def->curve_count, cn_curve_def_check, def, row, defect);
    CHECK_ROWS(
        "joints", def->joint_count, cn_joint_def_check, def, NULL, &def->joints[row], defect);
    return cn_attributes_def_check(def, defect);
}
