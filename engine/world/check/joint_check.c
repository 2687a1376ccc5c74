/*
 * joint_check.c: refuses joints and curves that can not be simulated, with an error text.
 *
 * Paths are those of scene.proto from the kind on: "hinge.bodyA", "spline.points[3].x".
 */
#include "engine/world/check/def_check.h"

#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/world/world_inside.h"

#define X(name, NAME, text) #name,
static const char *const kind_names[] = {CN_JOINT_TABLE(X)};
#undef X

/* Spatial balls: anything that acts on the turn. */
static bool
ball_turns(const struct cn_joint_def *joint)
{
    return joint->has_limit || joint->has_cone || joint->has_spring || joint->friction != 0.0;
}

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

/* A vector's direction; check_axis has ensured that it has one. */
static cn_vec3
direction_of(cn_vec3 v)
{
    return cn_vec3_scale(v, 1.0 / cn_vec3_length(v));
}

/* The two axes of a ball in space, and the cone. */
static enum cn_status
check_ball(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    if (def->settings.dimension == CN_PLANAR) {
        const char *field = joint->has_cone    ? "coneAngle"
                            : joint->has_limit ? "twist"
                            : joint->has_spring ? "spring"
                                                : "friction";
        return cn_defect_set(defect, CN_DIMENSION, field,
            "is given; in a PLANAR world a ball has none, but a hinge has a limit, spring and "
            "friction");
    }
    CN_CHECK(check_axis(def, joint, defect));
    cn_vec3 cone_axis = joint->cone_axis, axis = direction_of(joint->axis);
    CN_CHECK(check_vector(
        def, defect, "coneAxis", cone_axis, CN_COORDINATE_MAX, "a coordinate", ""));
    double start = 0.0;
    if (!(cone_axis.x == 0.0 && cone_axis.y == 0.0 && cone_axis.z == 0.0)) {
        if (!(cn_vec3_length(cone_axis) >= CN_SIZE_MIN)) {
            return cn_defect_set(defect, CN_GEOMETRY, "coneAxis",
                "has length %.9g; an axis has a direction, by a vector of at least %.9g",
                cn_vec3_length(cone_axis), CN_SIZE_MIN);
        }
        cone_axis = direction_of(cone_axis);
        start = cn_atan2(
            cn_vec3_length(cn_vec3_cross(axis, cone_axis)), cn_vec3_dot(axis, cone_axis));
    }
    if (start > CN_PI - CN_CONE_MIN) {
        return cn_defect_set(defect, CN_GEOMETRY, "coneAxis",
            "is %.9g rad from axis; at most %.9g are accepted", start, CN_PI - CN_CONE_MIN);
    }
    if (joint->has_limit && !(joint->has_cone && joint->cone <= CN_TWIST_CONE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "twist",
            "needs a coneAngle of at most %.9g rad: a twist is not defined at a swing of half a "
            "turn", CN_TWIST_CONE_MAX);
    }
    if (!joint->has_cone) {
        return CN_OK;
    }
    CN_CHECK(check_number(
        defect, "coneAngle", joint->cone, CN_CONE_MIN, CN_PI, "the angle of a cone", "rad"));
    if (start > joint->cone + CN_JOINT_START_MAX) {
        return cn_defect_set(defect, CN_RANGE, "coneAngle",
            "is %.9g, but at the start axis is %.9g rad from coneAxis", joint->cone, start);
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
    bool ball = joint->kind == CN_JOINT_BALL, distance = joint->kind == CN_JOINT_DISTANCE;
    bool turns = ball || joint->kind == CN_JOINT_HINGE;
    const char *unit = turns ? "rad" : "m";
    const char *path[] = {"limit.lower", "limit.upper", "twist.lower", "twist.upper"};
    const char *lower = path[ball ? 2 : 0], *upper = path[ball ? 3 : 1];
    double high = turns ? CN_ANGLE_MAX : CN_COORDINATE_MAX;
    double low = distance ? 0.0 : -high;
    double start = distance ? start_length(def, joint) : 0.0;
    CN_CHECK(check_number(defect, lower, joint->lower, low, high, "a limit", unit));
    CN_CHECK(check_number(defect, upper, joint->upper, low, high, "a limit", unit));
    if (joint->lower > joint->upper) {
        return cn_defect_set(defect, CN_RANGE, lower, "is %.9g, above the upper limit %.9g",
            joint->lower, joint->upper);
    }
    double slack = CN_JOINT_START_MAX * cn_max(fabs(start), 1e-3);
    if (start < joint->lower - slack || start > joint->upper + slack) {
        return cn_defect_set(defect, CN_RANGE, start < joint->lower ? lower : upper,
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

/* Refuses what a kind of joint does not have. */
static enum cn_status
check_fields(const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool hinge = joint->kind == CN_JOINT_HINGE, slider = joint->kind == CN_JOINT_SLIDER;
    bool distance = joint->kind == CN_JOINT_DISTANCE, track = joint->kind == CN_JOINT_TRACK;
    bool ball = joint->kind == CN_JOINT_BALL;
    if ((joint->has_limit && !(hinge || slider || distance || ball)) ||
        (joint->has_motor && !(hinge || slider || distance || track)) ||
        (joint->has_spring && !(hinge || slider || ball))) {
        return cn_defect_set(
            defect, CN_RANGE, "", "has a limit, motor or spring, and no axis that is free for it");
    }
    if (joint->friction != 0.0 && !(hinge || ball)) {
        return cn_defect_set(defect, CN_RANGE, "friction",
            "is %.9g N m; only a hinge and a ball have a friction torque", joint->friction);
    }
    if (joint->friction != 0.0 && joint->has_motor) {
        return cn_defect_set(defect, CN_RANGE, "friction",
            "is %.9g N m beside a motor; a hinge has one of the two", joint->friction);
    }
    if (joint->has_cone && !ball) {
        return cn_defect_set(defect, CN_RANGE, "coneAngle", "is given; only a ball has a cone");
    }
    return check_number(
        defect, "friction", joint->friction, 0.0, CN_FORCE_MAX, "a friction torque", "N m");
}

static enum cn_status
check_spring(const struct cn_joint_def *joint, struct cn_defect *defect)
{
    bool turns = joint->kind == CN_JOINT_HINGE || joint->kind == CN_JOINT_BALL;
    double reach = turns ? CN_ANGLE_MAX : CN_COORDINATE_MAX;
    CN_CHECK(check_number(defect, "spring.stiffness", joint->stiffness, 0.0, CN_STIFFNESS_MAX,
        "a stiffness", turns ? "N m/rad" : "N/m"));
    CN_CHECK(check_number(defect, "spring.damping", joint->damping, 0.0, CN_DAMPING_MAX, "damping",
        turns ? "N m s/rad" : "N s/m"));
    CN_CHECK(check_number(defect, "spring.rest", joint->rest, -reach, reach,
        turns ? "an angle" : "a coordinate", turns ? "rad" : "m"));
    if (joint->kind == CN_JOINT_BALL && joint->rest != 0.0) {
        return cn_defect_set(defect, CN_RANGE, "spring.rest",
            "is %.9g; the spring of a ball rests with axis on coneAxis and twist 0, so 0 is "
            "accepted", joint->rest);
    }
    return CN_OK;
}

static enum cn_status
check_free_axis(
    const struct cn_world_def *def, const struct cn_joint_def *joint, struct cn_defect *defect)
{
    CN_CHECK(check_fields(joint, defect));
    bool ball = joint->kind == CN_JOINT_BALL;
    if (ball && ball_turns(joint)) {
        CN_CHECK(check_ball(def, joint, defect));
    }
    if (joint->has_limit) {
        CN_CHECK(check_limit(def, joint, defect));
    }
    bool is_rope = joint->kind == CN_JOINT_ROPE;
    if (joint->restitution != 0.0 && !is_rope && !joint->has_limit) {
        return cn_defect_set(
            defect, CN_RANGE, "", "has a restitution, and no limit or rope that it is of");
    }
    const char *restitution = is_rope ? "restitution" : "limit.restitution";
    CN_CHECK(check_number(defect, ball ? "twist.restitution" : restitution, joint->restitution,
        0.0, 1.0, "a restitution", ""));
    if (joint->has_motor) {
        CN_CHECK(check_motor(joint, defect));
    }
    CN_CHECK(check_number(
        defect, "breakForce", joint->break_force, 0.0, CN_FORCE_MAX, "a force", "N"));
    CN_CHECK(check_number(
        defect, "breakTorque", joint->break_torque, 0.0, CN_FORCE_MAX, "a torque", "N m"));
    return joint->has_spring ? check_spring(joint, defect) : CN_OK;
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
