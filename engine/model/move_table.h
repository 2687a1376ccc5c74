/*
 * move_table.h: the model's table of moves: adds and removes them, and lets bodies follow them.
 */
#ifndef ENGINE_MODEL_MOVE_TABLE_H
#define ENGINE_MODEL_MOVE_TABLE_H

#include "engine/model/model.h"

/* Replaces the move of its body, or adds one: there is room. */
void cn_model_move(struct cn_model *model, const struct cn_move *move);

/* Ends the move of a body, if it has one; the body keeps its velocities. */
void cn_model_drop_move(struct cn_model *model, int body);

/* The velocities with which a body reaches a pose in `time` [s]. */
void cn_move_velocities(const struct cn_model *model, const struct cn_move *move, double time,
    cn_vec3 *velocity, cn_vec3 *spin);

/* At the begin of a tick: sets the velocities of all bodies that have moves. */
void cn_model_aim_moves(struct cn_model *model);

/* At the end of a tick, when the clock has advanced: ends the moves that are over. */
void cn_model_end_moves(struct cn_model *model);

#endif
