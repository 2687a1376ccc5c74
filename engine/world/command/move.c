/*
 * move.c: the command that moves a kinematic body to a pose in a number of ticks.
 */
#include "engine/world/command/inside.h"

#include "engine/model/life.h"
#include "engine/model/move_table.h"

/* The move of the command, for the body where it is now. */
static struct cn_move
move_of(const struct cn_model *model, const struct cn_move_body *c)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    const struct cn_motion there = {
        .angle = planar ? c->angle : 0.0,
        .orientation = planar ? cn_quat_about_z(c->angle) : cn_quat_normalize(c->orientation),
    };
    cn_pose pose = cn_motion_pose(&there, model->settings.dimension);
    cn_vec3 offset = cn_pose_turn(&pose, model->body[c->body].center);
    return (struct cn_move){
        .body = c->body,
        .until_tick = model->clock.tick + c->ticks,
        .position = cn_vec3_add(cn_model_flat(model, c->position), offset),
        .angle = there.angle,
        .orientation = there.orientation,
    };
}

static enum cn_status
check_mover(const struct cn_model *model, const struct cn_move_body *c, struct cn_defect *d)
{
    CN_CHECK(cn_command_check_present(model, d, c->body));
    const struct cn_body *body = &model->body[c->body];
    if (body->type != CN_KINEMATIC) {
        return cn_defect_set(
            d, CN_REFERENCE, "body", "is %d, which is not kinematic; only such bodies move so",
            c->body);
    }
    if (body->quarantined) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d, which ran away and is held; placing it sets it free", c->body);
    }
    if (body->locks != 0) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d, whose locks keep it from reaching every pose", c->body);
    }
    if (c->ticks < 1 || c->ticks > CN_MOVE_TICKS_MAX) {
        return cn_defect_set(
            d, CN_RANGE, "ticks", "is %u; from 1 to %d is accepted", c->ticks, CN_MOVE_TICKS_MAX);
    }
    return CN_OK;
}

enum cn_status
cn_check_move_body(const struct cn_world *world, const struct cn_move_body *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    const struct cn_place_body there = {.body = c->body, .position = c->position,
        .angle = c->angle, .orientation = c->orientation};
    CN_CHECK(check_mover(model, c, d));
    CN_CHECK(cn_check_place_body(world, &there, d));
    struct cn_move move = move_of(model, c);
    cn_vec3 velocity, spin;
    cn_move_velocities(
        model, &move, c->ticks * cn_model_tick_duration(model), &velocity, &spin);
    double speed = cn_vec3_length(velocity), turned = cn_vec3_length(spin);
    if (!(speed <= CN_SPEED_MAX)) {
        return cn_defect_set(d, CN_RANGE, "position",
            "takes %g m/s to reach; at most %g is accepted", speed, CN_SPEED_MAX);
    }
    const char *turn = model->settings.dimension == CN_PLANAR ? "angle" : "orientation";
    if (!(turned <= CN_SPIN_MAX)) {
        return cn_defect_set(d, CN_RANGE, turn, "takes %g rad/s to reach; at most %g is accepted",
            turned, CN_SPIN_MAX);
    }
    if (turned > 0.0 && cn_command_has_plane(model, c->body)) {
        return cn_defect_set(d, CN_RANGE, turn,
            "is another than now, and the body has a plane; what has no end does not turn");
    }
    if (model->move_count >= CN_MOVES_MAX) {
        return cn_defect_set(d, CN_LIMIT, "",
            "would be one of more than %d moves of a world", CN_MOVES_MAX);
    }
    return CN_OK;
}

void
cn_apply_move_body(struct cn_world *world, const struct cn_move_body *c)
{
    struct cn_model *model = &world->model;
    struct cn_move move = move_of(model, c);
    cn_model_move(model, &move);
    cn_model_wake(model, c->body);
}
