/*
 * joint_check.c: refuses joints and curves that can not be simulated, with an error text.
 *
 * Paths are those of scene.proto from the kind on: "hinge.bodyA", "spline.points[3].x".
 */
#include "engine/world/check/def_check.h"

#include "engine/math/scalar.h"
#include "engine/world/world_inside.h"

#define X(name, NAME, text) #name,
static const char *const kind_names[] = {CN_JOINT_TABLE(X)};
#undef X

/* ---- ends ---- */

static bool
is_body(const struct cn_world_def *def, const struct cn_model *model, int body)
{
    return body >= 0 && body < def->body_count && (model == NULL || !model->body[body].absent);
}

static bool
is_dynamic(const struct cn_world_def *def, const struct cn_model *model, int body)
{
    return body >= 0 && (model == NULL ? def->bodies[body].type : model->body[body].type) ==
                            CN_DYNAMIC;
}

static bool
has_two_anchors(const struct cn_joint_def *joint)
{
    return joint->kind == CN_JOINT_DISTANCE || joint->kind == CN_JOINT_ROPE;
}

static enum cn_status
check_ends(const struct cn_world_def *def, const struct cn_model *model,
    const struct cn_joint_def *joint, struct cn_defect *defect)
{
    const char *path_b = joint->kind == CN_JOINT_TRACK ? "body" : "bodyB";
    if (joint->body_a != -1 && !is_body(def, model, joint->body_a)) {
        return cn_defect_set(defect, CN_REFERENCE, "bodyA", "is number %d; there are %d bodies",
            joint->body_a, def->body_count);
    }
    if (!is_body(def, model, joint->body_b)) {
        return cn_defect_set(defect, CN_REFERENCE, path_b, "is number %d; there are %d bodies",
            joint->body_b, def->body_count);
    }
    if (joint->body_a == joint->body_b) {
        return cn_defect_set(
            defect, CN_REFERENCE, path_b, "is the same body as bodyA; a joint holds two");
    }
    if (!is_dynamic(def, model, joint->body_a) && !is_dynamic(def, model, joint->body_b)) {
        return cn_defect_set(defect, CN_REFERENCE, path_b,
            joint->body_a < 0 ? "can not be moved; a joint to the world holds a DYNAMIC body"
                              : "can not be moved, nor can bodyA; a joint holds a DYNAMIC body");
    }
    const char *anchor = has_two_anchors(joint) ? "anchorB" : "anchor";
    CN_CHECK(check_vector(
        def, defect, "anchorA", joint->anchor_a, CN_COORDINATE_MAX, "a coordinate", "m"));
    return check_vector(
        def, defect, anchor, joint->anchor_b, CN_COORDINATE_MAX, "a coordinate", "m");
}

/* ---- axes and lengths ---- */

static enum cn_status
check_axis(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool planar = def->settings.dimension == CN_PLANAR, hinge = joint->kind == CN_JOINT_HINGE;
    cn_vec3 axis = joint->axis;
    CN_CHECK(check_vector(def, defect, "axis", axis, CN_COORDINATE_MAX, "a coordinate", ""));
    if (planar && hinge && !(axis.x == 0.0 && axis.y == 0.0)) {
        return cn_defect_set(defect, CN_DIMENSION, "axis",
            "is not along z; in a PLANAR world a hinge turns about z");
    }
    if (planar && !hinge) {
        axis.z = 0.0;
    }
    if (!(cn_vec3_length(axis) >= CN_SIZE_MIN)) {
        return cn_defect_set(defect, CN_GEOMETRY, "axis",
            "has length %.9g; an axis has a direction, by a vector of at least %.9g",
            cn_vec3_length(axis), CN_SIZE_MIN);
    }
    return CN_OK;
}

static double
start_length(const struct cn_world_def *def, const struct cn_joint_def *joint)
{
    cn_vec3 apart = cn_vec3_sub(joint->anchor_b, joint->anchor_a);
    if (def->settings.dimension == CN_PLANAR) {
        apart.z = 0.0;
    }
    return cn_vec3_length(apart);
}

static enum cn_status
check_length(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    double start = start_length(def, joint);
    double length = joint->length != 0.0 ? joint->length : start;
    bool rope = joint->kind == CN_JOINT_ROPE, varies = joint->has_limit && !rope;
    CN_CHECK(check_number(
        defect, "length", length, CN_SIZE_MIN, 2.0 * CN_COORDINATE_MAX, "a length", "m"));
    double off = varies ? 0.0 : rope ? start - length : fabs(start - length);
    if (off > CN_JOINT_START_MAX * length) {
        return cn_defect_set(defect, CN_RANGE, "length",
            "is %.9g m, but at the start the anchors are %.9g m apart", length, start);
    }
    return CN_OK;
}

/* ---- limits, motors, springs ---- */

/* The coordinate at the start, the bounds of its limits, and their unit. */
static enum cn_status
check_limit(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool hinge = joint->kind == CN_JOINT_HINGE, distance = joint->kind == CN_JOINT_DISTANCE;
    const char *unit = hinge ? "rad" : "m";
    double high = hinge ? CN_ANGLE_MAX : CN_COORDINATE_MAX;
    double low = distance ? 0.0 : -high;
    double start = distance ? start_length(def, joint) : 0.0;
    CN_CHECK(check_number(defect, "limit.lower", joint->lower, low, high, "a limit", unit));
    CN_CHECK(check_number(defect, "limit.upper", joint->upper, low, high, "a limit", unit));
    if (joint->lower > joint->upper) {
        return cn_defect_set(defect, CN_RANGE, "limit.lower",
            "is %.9g, above the upper limit %.9g", joint->lower, joint->upper);
    }
    double slack = CN_JOINT_START_MAX * cn_max(fabs(start), 1e-3);
    if (start < joint->lower - slack || start > joint->upper + slack) {
        return cn_defect_set(defect, CN_RANGE,
            start < joint->lower ? "limit.lower" : "limit.upper",
            "leaves out the start, which is at %.9g %s", start, unit);
    }
    return CN_OK;
}

static enum cn_status
check_motor(const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool hinge = joint->kind == CN_JOINT_HINGE;
    double high = hinge ? CN_SPIN_MAX : CN_SPEED_MAX;
    if (joint->kind == CN_JOINT_DISTANCE && !joint->has_limit) {
        return cn_defect_set(defect, CN_RANGE, "motor",
            "drives a rod of one length; a limit lets its length vary");
    }
    CN_CHECK(check_number(defect, "motor.speed", joint->motor_speed, -high, high, "a speed",
        hinge ? "rad/s" : "m/s"));
    if (joint->motor_force_max == HUGE_VAL) {
        return CN_OK; /* any force is allowed */
    }
    return check_number(defect, "motor.forceMax", joint->motor_force_max, 0.0, CN_FORCE_MAX,
        "a force", hinge ? "N m" : "N");
}

static enum cn_status
check_free_axis(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool hinge = joint->kind == CN_JOINT_HINGE, slider = joint->kind == CN_JOINT_SLIDER;
    bool distance = joint->kind == CN_JOINT_DISTANCE, track = joint->kind == CN_JOINT_TRACK;
    if ((joint->has_limit && !(hinge || slider || distance)) ||
        (joint->has_motor && !(hinge || slider || distance || track)) ||
        (joint->has_spring && !(hinge || slider))) {
        return cn_defect_set(
            defect, CN_RANGE, "", "has a limit, motor or spring, and no axis that is free for it");
    }
    if (joint->has_limit) {
        CN_CHECK(check_limit(def, joint, defect));
    }
    bool is_rope = joint->kind == CN_JOINT_ROPE;
    if (joint->restitution != 0.0 && !is_rope && !joint->has_limit) {
        return cn_defect_set(
            defect, CN_RANGE, "", "has a restitution, and no limit or rope that it is of");
    }
    CN_CHECK(check_number(defect, is_rope ? "restitution" : "limit.restitution",
        joint->restitution, 0.0, 1.0, "a restitution", ""));
    if (joint->has_motor) {
        CN_CHECK(check_motor(joint, defect));
    }
    CN_CHECK(check_number(
        defect, "breakForce", joint->break_force, 0.0, CN_FORCE_MAX, "a force", "N"));
    CN_CHECK(check_number(
        defect, "breakTorque", joint->break_torque, 0.0, CN_FORCE_MAX, "a torque", "N m"));
    if (!joint->has_spring) {
        return CN_OK;
    }
    double reach = hinge ? CN_ANGLE_MAX : CN_COORDINATE_MAX;
    CN_CHECK(check_number(defect, "spring.stiffness", joint->stiffness, 0.0, CN_STIFFNESS_MAX,
        "a stiffness", hinge ? "N m/rad" : "N/m"));
    CN_CHECK(check_number(defect, "spring.damping", joint->damping, 0.0, CN_DAMPING_MAX, "damping",
        hinge ? "N m s/rad" : "N s/m"));
    return check_number(defect, "spring.rest", joint->rest, -reach, reach,
        hinge ? "an angle" : "a coordinate", hinge ? "rad" : "m");
}

/* ---- tracks and curves ---- */

static cn_vec3
flattened(const struct cn_world_def *def, cn_vec3 v)
{
    return def->settings.dimension == CN_PLANAR ? cn_vec3_make(v.x, v.y, 0.0) : v;
}

/* How far a point is from a curve of the definition. */
static double
distance_to_curve(const struct cn_world_def *def, const struct cn_curve_def *from, cn_vec3 point)
{
    struct cn_curve curve;
    struct cn_curve_knot knot[CN_CURVE_POINTS_MAX + 1];
    cn_curve_def_make(from, def->settings.dimension == CN_PLANAR, &curve, knot);
    struct cn_curve_foot foot = cn_curve_foot_search(&curve, flattened(def, point));
    return cn_vec3_length(cn_vec3_sub(foot.point, flattened(def, point)));
}

static enum cn_status
check_track(const struct cn_world_def *def, const struct cn_model *model,
    const struct cn_joint_def *joint, struct cn_defect *defect)
{
    if (joint->body_a != -1) {
        return cn_defect_set(
            defect, CN_REFERENCE, "bodyA", "is given; a track holds a body to the world");
    }
    if (joint->curve < 0 || joint->curve >= def->curve_count) {
        return cn_defect_set(defect, CN_REFERENCE, "curve", "is number %d; there are %d curves",
            joint->curve, def->curve_count);
    }
    cn_vec3 anchor = flattened(def, joint->anchor_b);
    double distance =
        model == NULL ? distance_to_curve(def, &def->curves[joint->curve], anchor)
                      : cn_vec3_length(cn_vec3_sub(anchor,
                            cn_curve_foot_search(&model->curve[joint->curve], anchor).point));
    if (!(distance <= CN_JOINT_START_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "anchor",
            "is %.9g m off the curve; a body begins on its track, within %.9g m", distance,
            CN_JOINT_START_MAX);
    }
    return CN_OK;
}

static enum cn_status
check_spline(
    const struct cn_world_def *def, const struct cn_curve_def *curve, struct cn_defect *defect)
{
    CN_CHECK(check_count(
        defect, "points", curve->point_count, curve->closed ? 3 : 2, CN_CURVE_POINTS_MAX));
    for (int k = 0; k < curve->point_count; k++) {
        char path[32];
        snprintf(path, sizeof(path), "points[%d]", k);
        CN_CHECK(check_vector(
            def, defect, path, curve->points[k], CN_COORDINATE_MAX, "a coordinate", "m"));
        if (k == 0) {
            continue;
        }
        cn_vec3 way = cn_vec3_sub(curve->points[k], curve->points[k - 1]);
        double step = cn_vec3_length(flattened(def, way));
        if (!(step >= CN_SIZE_MIN)) {
            return cn_defect_set(defect, CN_GEOMETRY, path,
                "is %.9g m from the point before; at least %.9g m are accepted", step, CN_SIZE_MIN);
        }
    }
    int last = curve->point_count - 1;
    double gap = cn_vec3_length(flattened(def, cn_vec3_sub(curve->points[last], curve->points[0])));
    if (curve->closed && !(gap >= CN_SIZE_MIN)) {
        return cn_defect_set(defect, CN_GEOMETRY, "points",
            "end %.9g m from where they begin; a closed spline returns to its first by itself",
            gap);
    }
    return CN_OK;
}

static enum cn_status
check_form(
    const struct cn_world_def *def, const struct cn_curve_def *curve, struct cn_defect *defect)
{
    switch (curve->kind) {
    case CN_CURVE_SPLINE:
        return check_spline(def, curve, defect);
    case CN_CURVE_CIRCLE:
        CN_CHECK(check_vector(
            def, defect, "center", curve->center, CN_COORDINATE_MAX, "a coordinate", "m"));
        return check_number(
            defect, "radius", curve->radius, CN_SIZE_MIN, CN_COORDINATE_MAX, "a radius", "m");
    case CN_CURVE_LINE: {
        CN_CHECK(check_vector(
            def, defect, "from", curve->from, CN_COORDINATE_MAX, "a coordinate", "m"));
        CN_CHECK(
            check_vector(def, defect, "to", curve->to, CN_COORDINATE_MAX, "a coordinate", "m"));
        double length = cn_vec3_length(flattened(def, cn_vec3_sub(curve->to, curve->from)));
        if (!(length >= CN_SIZE_MIN)) {
            return cn_defect_set(defect, CN_GEOMETRY, "to",
                "is %.9g m from where the line begins; a line has a direction", length);
        }
        return CN_OK;
    }
    }
    return cn_defect_set(defect, CN_RANGE, "", "is of no kind that there is");
}

enum cn_status
cn_curve_def_check(const struct cn_world_def *def, int index, struct cn_defect *defect)
{
    static const char *const names[] = {"spline", "circle", "line"};
    const struct cn_curve_def *curve = &def->curves[index];
    enum cn_status status = check_form(def, curve, defect);
    if (status != CN_OK && curve->kind <= CN_CURVE_LINE) {
        cn_defect_prefix(defect, "%s.", names[curve->kind]);
    }
    return status;
}

/* ---- a joint ---- */

static enum cn_status
check_kind(const struct cn_world_def *def, const struct cn_model *model,
    const struct cn_joint_def *joint, struct cn_defect *defect)
{
    CN_CHECK(check_ends(def, model, joint, defect));
    if (joint->kind == CN_JOINT_HINGE || joint->kind == CN_JOINT_SLIDER) {
        CN_CHECK(check_axis(def, joint, defect));
    }
    if (has_two_anchors(joint)) {
        CN_CHECK(check_length(def, joint, defect));
    }
    if (joint->kind == CN_JOINT_TRACK) {
        CN_CHECK(check_track(def, model, joint, defect));
    }
    return check_free_axis(def, joint, defect);
}

enum cn_status
cn_joint_def_check(const struct cn_world_def *def, const struct cn_model *model,
    const struct cn_joint_def *joint, struct cn_defect *defect)
{
    if ((int)joint->kind < 0 || (int)joint->kind >= CN_JOINT_KIND_COUNT) {
        return cn_defect_set(defect, CN_RANGE, "kind", "is %d; there are %d", (int)joint->kind,
            CN_JOINT_KIND_COUNT);
    }
    enum cn_status status = check_kind(def, model, joint, defect);
    if (status != CN_OK) {
        bool is_inside = defect != NULL && defect->path[0] != '\0';
        cn_defect_prefix(defect, "%s%s", kind_names[joint->kind], is_inside ? "." : "");
    }
    return status;
}
