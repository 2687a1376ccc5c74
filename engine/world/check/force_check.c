/* force_check.c: the forces of a definition; paths begin at the force. */
#include "engine/world/check/def_check.h"

static bool
is_body(const struct cn_world_def *def, int body)
{
    return body >= 0 && body < def->body_count;
}

static bool
is_dynamic(const struct cn_world_def *def, int body)
{
    return is_body(def, body) && def->bodies[body].type == CN_DYNAMIC;
}

enum cn_status
cn_spring_def_check(
    const struct cn_world_def *def, const struct cn_spring_def *spring, struct cn_defect *defect)
{
    double reach = spring->body_a < 0 ? CN_COORDINATE_MAX : CN_SIZE_MAX;
    if (spring->body_a != -1 && !is_body(def, spring->body_a)) {
        return cn_defect_set(defect, CN_REFERENCE, "bodyA", "is number %d; there are %d bodies",
            spring->body_a, def->body_count);
    }
    if (!is_body(def, spring->body_b)) {
        return cn_defect_set(defect, CN_REFERENCE, "bodyB", "is number %d; there are %d bodies",
            spring->body_b, def->body_count);
    }
    if (spring->body_a == spring->body_b) {
        return cn_defect_set(
            defect, CN_REFERENCE, "bodyB", "is the same body as bodyA; a spring joins two");
    }
    if (!is_dynamic(def, spring->body_a) && !is_dynamic(def, spring->body_b)) {
        return cn_defect_set(defect, CN_REFERENCE, "bodyB",
            "can not be moved, nor can bodyA; a spring moves a DYNAMIC body");
    }
    CN_CHECK(check_vector(def, defect, "anchorA", spring->anchor_a, reach, "a coordinate", "m"));
    CN_CHECK(
        check_vector(def, defect, "anchorB", spring->anchor_b, CN_SIZE_MAX, "a coordinate", "m"));
    CN_CHECK(check_number(
        defect, "stiffness", spring->stiffness, 0.0, CN_STIFFNESS_MAX, "a stiffness", "N/m"));
    CN_CHECK(
        check_number(defect, "damping", spring->damping, 0.0, CN_DAMPING_MAX, "damping", "N s/m"));
    return check_number(
        defect, "restLength", spring->rest_length, 0.0, CN_COORDINATE_MAX, "a length", "m");
}

enum cn_status
cn_thruster_def_check(const struct cn_world_def *def, const struct cn_thruster_def *thruster,
    struct cn_defect *defect)
{
    if (!is_body(def, thruster->body)) {
        return cn_defect_set(defect, CN_REFERENCE, "body", "is number %d; there are %d bodies",
            thruster->body, def->body_count);
    }
    if (!is_dynamic(def, thruster->body)) {
        return cn_defect_set(
            defect, CN_REFERENCE, "body", "can not be moved; a thruster pushes a DYNAMIC body");
    }
    CN_CHECK(check_vector(def, defect, "at", thruster->at, CN_SIZE_MAX, "a coordinate", "m"));
    return check_vector(def, defect, "force", thruster->force, CN_FORCE_MAX, "a force", "N");
}

enum cn_status
cn_constant_force_def_check(const struct cn_world_def *def,
    const struct cn_constant_force_def *force, struct cn_defect *defect)
{
    bool planar = def->settings.dimension == CN_PLANAR;
    if (!is_body(def, force->body)) {
        return cn_defect_set(defect, CN_REFERENCE, "body", "is number %d; there are %d bodies",
            force->body, def->body_count);
    }
    if (!is_dynamic(def, force->body)) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "can not be moved; a constant force pushes a DYNAMIC body");
    }
    CN_CHECK(check_number(
        defect, "frame", force->frame, CN_FRAME_WORLD, CN_FRAME_BODY, "a frame", ""));
    if (force->has_at) {
        CN_CHECK(check_vector(def, defect, "at", force->at, CN_SIZE_MAX, "a coordinate", "m"));
    }
    CN_CHECK(check_vector(def, defect, "force", force->force, CN_FORCE_MAX, "a force", "N"));
    cn_vec3 torque = force->torque;
    if (planar && (torque.x != 0.0 || torque.y != 0.0)) {
        return cn_defect_set(defect, CN_DIMENSION, torque.x != 0.0 ? "torque.x" : "torque.y",
            "is %.9g; in a PLANAR world a torque is about z alone",
            torque.x != 0.0 ? torque.x : torque.y);
    }
    const double members[] = {torque.x, torque.y, torque.z};
    for (int i = 0; i < 3; i++) {
        const char *paths[] = {"torque.x", "torque.y", "torque.z"};
        CN_CHECK(check_number(
            defect, paths[i], members[i], -CN_FORCE_MAX, CN_FORCE_MAX, "a torque", "N m"));
    }
    return CN_OK;
}
