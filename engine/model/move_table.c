#include "engine/model/move_table.h"

#include "engine/base/assert.h"
#include "engine/math/trig.h"

/* The index of a body's move in the table, or where it would be inserted. */
static int
move_place(const struct cn_model *model, int body, bool *found)
{
    int low = 0, high = model->move_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->move[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = low < model->move_count && model->move[low].body == body;
    return low;
}

void
cn_model_move(struct cn_model *model, const struct cn_move *move)
{
    bool found;
    int place = move_place(model, move->body, &found);
    if (!found) {
        CN_ASSERT(model->move_count < model->move_max);
        for (int i = model->move_count; i > place; i--) {
            model->move[i] = model->move[i - 1];
        }
        model->move_count++;
    }
    model->move[place] = *move;
}

void
cn_model_drop_move(struct cn_model *model, int body)
{
    bool found;
    int place = move_place(model, body, &found);
    if (found) {
        model->move_count--;
        for (int i = place; i < model->move_count; i++) {
            model->move[i] = model->move[i + 1];
        }
    }
}

/* The shortest rotation from one orientation to another, as an axis times an angle [rad]. */
static cn_vec3
rotation_between(cn_quat from, cn_quat to)
{
    cn_quat turn = cn_quat_multiply(to, cn_quat_conjugate(from));
    double side = turn.w < 0.0 ? -1.0 : 1.0; /* q and -q are one rotation */
    cn_vec3 axis = {side * turn.x, side * turn.y, side * turn.z};
    double sine = cn_vec3_length(axis); /* of half the angle */
    if (!(sine > 0.0)) {
        return axis;
    }
    return cn_vec3_scale(axis, 2.0 * cn_atan2(sine, side * turn.w) / sine);
}

void
cn_move_velocities(const struct cn_model *model, const struct cn_move *move, double time,
    cn_vec3 *velocity, cn_vec3 *spin)
{
    const struct cn_motion *motion = &model->motion[move->body];
    *velocity = cn_vec3_scale(cn_vec3_sub(move->position, motion->position), 1.0 / time);
    *spin = model->settings.dimension == CN_PLANAR
                ? cn_vec3_make(0.0, 0.0, (move->angle - motion->angle) / time)
                : cn_vec3_scale(
                      rotation_between(motion->orientation, move->orientation), 1.0 / time);
}

/* Shortens a vector that is too long, as after the time rate has grown. */
static cn_vec3
limited(cn_vec3 vector, double length_max)
{
    double length = cn_vec3_length(vector);
    return length > length_max ? cn_vec3_scale(vector, length_max / length) : vector;
}

void
cn_model_aim_moves(struct cn_model *model)
{
    double duration = cn_model_tick_duration(model);
    for (int i = 0; i < model->move_count; i++) {
        const struct cn_move *move = &model->move[i];
        struct cn_motion *motion = &model->motion[move->body];
        CN_ASSERT(move->until_tick > model->clock.tick);
        if (model->body[move->body].quarantined) {
            continue; /* it stands until it is placed, which ends the move */
        }
        double left = (double)(move->until_tick - model->clock.tick);
        cn_move_velocities(
            model, move, left * duration, &motion->velocity, &motion->angular_velocity);
        motion->velocity = limited(motion->velocity, CN_SPEED_MAX);
        motion->angular_velocity = limited(motion->angular_velocity, CN_SPIN_MAX);
    }
}

void
cn_model_end_moves(struct cn_model *model)
{
    const cn_vec3 zero = {0.0, 0.0, 0.0};
    int kept = 0;
    for (int i = 0; i < model->move_count; i++) {
        const struct cn_move move = model->move[i];
        struct cn_motion *motion = &model->motion[move.body];
        if (move.until_tick > model->clock.tick) {
            model->move[kept++] = move;
            continue;
        }
        if (model->body[move.body].quarantined) {
            continue;
        }
        bool planar = model->settings.dimension == CN_PLANAR;
        motion->position = move.position;
        motion->angle = planar ? move.angle : 0.0;
        motion->orientation = planar ? cn_quat_about_z(move.angle) : move.orientation;
        motion->velocity = motion->angular_velocity = zero;
    }
    model->move_count = kept;
}
