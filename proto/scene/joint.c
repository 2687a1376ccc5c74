/* joint.c: fills joints and curves of a definition from the message of a scene. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <stdio.h>

#define PATH_SIZE 64

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

enum cn_status
scene_count_joints(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    count->joints = message->n_joints;
    count->curves = message->n_curves;
    enum cn_status status = check_most(defect, "joints", message->n_joints, WIRE_JOINTS_MAX);
    if (status == CN_OK) {
        status = check_most(defect, "curves", message->n_curves, CN_CURVES_MAX);
    }
    for (size_t i = 0; i < message->n_curves && status == CN_OK; i++) {
        if (message->curves[i]->curve_case == CAIRN__V1__CURVE__CURVE_SPLINE) {
            char path[PATH_SIZE];
            snprintf(path, sizeof(path), "curves[%zu].spline.points", i);
            size_t points = message->curves[i]->spline->n_points;
            status = check_most(defect, path, points, CN_CURVE_POINTS_MAX);
            count->curve_points += points;
        }
    }
    return status;
}

/* ---- small values ---- */

static cn_vec3
vector_of(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

/* For the engine 0 means "as at the start", so an explicit 0 must not reach it. */
static enum cn_status
fill_length(struct cn_joint_def *def, bool is_given, double length, struct cn_defect *defect)
{
    if (is_given && length == 0.0) {
        return cn_defect_set(
            defect, CN_RANGE, "length", "is 0; a positive number is accepted, or none at all");
    }
    def->length = is_given ? length : 0.0;
    return CN_OK;
}

static enum cn_status
fill_bodies(const struct wire_scene *scene, const char *name_a, const char *name_b,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    def->body_a = name_a[0] != '\0' ? wire_scene_body_find(scene, name_a) : -1;
    if (name_a[0] != '\0' && def->body_a < 0) {
        return scene_refuse_name(
            defect, "bodyA", name_a, "body", scene->body_names, scene->count.bodies);
    }
    def->body_b = wire_scene_body_find(scene, name_b);
    CN_ASSERT(def->body_a < (int)scene->count.bodies && def->body_b < (int)scene->count.bodies);
    return def->body_b >= 0 ? CN_OK
                            : scene_refuse_name(defect, "bodyB", name_b, "body",
                                  scene->body_names, scene->count.bodies);
}

static void
fill_limit(const Cairn__V1__Joint__Limit *limit, struct cn_joint_def *def)
{
    if (limit != NULL) {
        def->has_limit = true;
        def->lower = limit->lower;
        def->upper = limit->upper;
        def->restitution = limit->restitution;
    }
}

static enum cn_status
fill_motor(const Cairn__V1__Joint__Motor *motor, struct cn_joint_def *def,
    struct cn_defect *defect)
{
    if (motor == NULL) {
        return CN_OK;
    }
    def->has_motor = true;
    def->motor_speed = motor->speed;
    if (motor->force_max_set_case == CAIRN__V1__JOINT__MOTOR__FORCE_MAX_SET_FORCE_MAX) {
        def->motor_force_max = motor->force_max;
        if (!(motor->force_max >= 0.0 && motor->force_max <= CN_FORCE_MAX)) {
            return cn_defect_set(defect, CN_RANGE, "motor.forceMax",
                "is %.9g; a force is from 0 to %.9g, or none at all: whatever it takes",
                motor->force_max, CN_FORCE_MAX);
        }
    }
    return CN_OK;
}

static void
fill_spring(const Cairn__V1__Joint__Spring *spring, struct cn_joint_def *def)
{
    if (spring != NULL) {
        def->has_spring = true;
        def->stiffness = spring->stiffness;
        def->damping = spring->damping;
        def->rest = spring->rest;
    }
}

/* ---- kinds ---- */

static enum cn_status
fill_ball(const struct wire_scene *scene, const Cairn__V1__Joint__Ball *ball,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    def->anchor_b = vector_of(ball->anchor);
    def->axis = ball->axis != NULL ? vector_of(ball->axis) : def->axis;
    def->cone_axis = vector_of(ball->cone_axis);
    def->has_cone = ball->cone_set_case == CAIRN__V1__JOINT__BALL__CONE_SET_CONE_ANGLE;
    def->cone = def->has_cone ? ball->cone_angle : 0.0;
    def->friction = ball->friction;
    fill_limit(ball->twist, def);
    fill_spring(ball->spring, def);
    return fill_bodies(scene, ball->body_a, ball->body_b, def, defect);
}

static enum cn_status
fill_fixed(const struct wire_scene *scene, const Cairn__V1__Joint__Fixed *fixed,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    def->anchor_b = vector_of(fixed->anchor);
    return fill_bodies(scene, fixed->body_a, fixed->body_b, def, defect);
}

/* Hinge and slider have the same members, except for the hinge's friction. */
#define FILL_AXIAL(name, type)                                                                     \
    static enum cn_status name(const struct wire_scene *scene, const type *from,                   \
        struct cn_joint_def *def, struct cn_defect *defect)                                        \
    {                                                                                              \
        def->anchor_b = vector_of(from->anchor);                                                   \
        def->axis = from->axis != NULL ? vector_of(from->axis) : def->axis;                        \
        fill_limit(from->limit, def);                                                              \
        fill_spring(from->spring, def);                                                            \
        enum cn_status status = fill_bodies(scene, from->body_a, from->body_b, def, defect);       \
        return status == CN_OK ? fill_motor(from->motor, def, defect) : status;                    \
    }
FILL_AXIAL(fill_axis, Cairn__V1__Joint__Hinge)
FILL_AXIAL(fill_slider, Cairn__V1__Joint__Slider)

static enum cn_status
fill_hinge(const struct wire_scene *scene, const Cairn__V1__Joint__Hinge *hinge,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    def->friction = hinge->friction;
    return fill_axis(scene, hinge, def, defect);
}

static enum cn_status
fill_distance(const struct wire_scene *scene, const Cairn__V1__Joint__Distance *distance,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    bool has_length =
        distance->length_set_case == CAIRN__V1__JOINT__DISTANCE__LENGTH_SET_LENGTH;
    def->anchor_a = vector_of(distance->anchor_a);
    def->anchor_b = vector_of(distance->anchor_b);
    fill_limit(distance->limit, def);
    enum cn_status status = fill_bodies(scene, distance->body_a, distance->body_b, def, defect);
    if (status == CN_OK) {
        status = fill_length(def, has_length, distance->length, defect);
    }
    return status == CN_OK ? fill_motor(distance->motor, def, defect) : status;
}

static enum cn_status
fill_rope(const struct wire_scene *scene, const Cairn__V1__Joint__Rope *rope,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    bool has_length = rope->length_set_case == CAIRN__V1__JOINT__ROPE__LENGTH_SET_LENGTH;
    def->restitution = rope->restitution;
    def->anchor_a = vector_of(rope->anchor_a);
    def->anchor_b = vector_of(rope->anchor_b);
    enum cn_status status = fill_bodies(scene, rope->body_a, rope->body_b, def, defect);
    return status == CN_OK ? fill_length(def, has_length, rope->length, defect) : status;
}

static enum cn_status
fill_track(const struct wire_scene *scene, const Cairn__V1__Joint__Track *track,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    def->anchor_b = vector_of(track->anchor);
    def->body_b = wire_scene_body_find(scene, track->body);
    if (def->body_b < 0) {
        return scene_refuse_name(
            defect, "body", track->body, "body", scene->body_names, scene->count.bodies);
    }
    def->curve = scene_name_find(scene->curve_order, scene->count.curves, track->curve);
    CN_ASSERT(def->curve < (int)scene->count.curves);
    if (def->curve < 0) {
        return scene_refuse_name(
            defect, "curve", track->curve, "curve", scene->curve_names, scene->count.curves);
    }
    return fill_motor(track->motor, def, defect);
}

/* Every kind of joint; the engine's table has the same names. */
static enum cn_status
refuse_kindless(struct cn_defect *defect)
{
#define X(name, NAME, text) " " #name
    return cn_defect_set(
        defect, CN_SYNTAX, "", "has no kind; one of these is accepted:" CN_JOINT_TABLE(X));
#undef X
}

#define X(name, NAME, text)                                                                        \
    case CAIRN__V1__JOINT__JOINT_##NAME:                                                           \
        cn_joint_def_init(def, CN_JOINT_##NAME);                                                   \
        status = fill_##name(scene, joint->name, def, defect);                                     \
        prefix = #name ".";                                                                        \
        break;

static enum cn_status
fill_joint(const struct wire_scene *scene, const Cairn__V1__Joint *joint,
    struct cn_joint_def *def, struct cn_defect *defect)
{
    enum cn_status status = CN_OK;
    const char *prefix = "";
    switch (joint->joint_case) {
        CN_JOINT_TABLE(X)
    default:
        return refuse_kindless(defect);
    }
    def->collide = joint->collide;
    def->break_force = joint->break_force;
    def->break_torque = joint->break_torque;
    if (status != CN_OK) {
        cn_defect_prefix(defect, "%s", prefix);
    }
    return status;
}
#undef X

/* ---- curves ---- */

static enum cn_status
fill_curve(const Cairn__V1__Curve *curve, cn_vec3 **points, struct cn_curve_def *def,
    struct cn_defect *defect)
{
    *def = (struct cn_curve_def){0};
    switch (curve->curve_case) {
    case CAIRN__V1__CURVE__CURVE_SPLINE:
        def->kind = CN_CURVE_SPLINE;
        def->closed = curve->spline->closed;
        def->points = *points;
        def->point_count = (int)curve->spline->n_points;
        for (size_t i = 0; i < curve->spline->n_points; i++) {
            *(*points)++ = vector_of(curve->spline->points[i]);
        }
        return CN_OK;
    case CAIRN__V1__CURVE__CURVE_CIRCLE:
        def->kind = CN_CURVE_CIRCLE;
        def->center = vector_of(curve->circle->center);
        def->radius = curve->circle->radius;
        return CN_OK;
    case CAIRN__V1__CURVE__CURVE_LINE:
        def->kind = CN_CURVE_LINE;
        def->from = vector_of(curve->line->from);
        def->to = vector_of(curve->line->to);
        return CN_OK;
    default:
        return cn_defect_set(
            defect, CN_SYNTAX, "", "has no form; one of spline, circle and line is accepted");
    }
}

enum cn_status
scene_fill_joints(struct wire_scene *scene, struct cn_defect *defect)
{
    CN_ASSERT(scene->count.joints == scene->message->n_joints &&
              scene->count.curves == scene->message->n_curves);
    struct cn_world_def *def = &scene->def;
    def->joints = scene->joints;
    def->joint_count = (int)scene->count.joints;
    def->curves = scene->curves;
    def->curve_count = (int)scene->count.curves;
    cn_vec3 *points = scene->curve_points;
    for (size_t i = 0; i < scene->count.curves; i++) {
        enum cn_status status =
            fill_curve(scene->message->curves[i], &points, &scene->curves[i], defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "curves[%zu]", i);
            return status;
        }
    }
    CN_ASSERT(points == scene->curve_points + scene->count.curve_points);
    for (size_t i = 0; i < scene->count.joints; i++) {
        enum cn_status status =
            fill_joint(scene, scene->message->joints[i], &scene->joints[i], defect);
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "joints[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}
