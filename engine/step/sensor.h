/*
 * sensor.h: what is within sensors.
 *
 * A sensor is a shape that touches nothing.  At the end of every tick each is held against the
 * shapes of other bodies that are no sensors themselves, that its filter passes (by the rule for
 * shapes that meet), and of which it or the other can move: a static sensor does not notice what is
 * static.  Jointed bodies notice each other.  A shape is within when it overlaps or touches (the
 * exact narrowphase says so); when one comes in or goes there is an event (sensorBegin, sensorEnd:
 * body A is the sensor's, body B the visitor's, the value is the sensor's place among A's shapes).
 *
 * A pipeline (step/pipeline.h) has pairs of sensors of its own, and tells the same of the bodies
 * where they are when a tick begins, since it meets shapes then.
 *
 * What is within is state: a pair is (sensor << 32 | visitor), and pairs stand in ascending order.
 *
 * Cost: all shapes are looked at for each sensor; their boxes decide.
 */
#ifndef ENGINE_STEP_SENSOR_H
#define ENGINE_STEP_SENSOR_H

#include "engine/model/model.h"

/* Finds the pairs, ascending; a result above pair_max means that the list is cut. */
int cn_sensor_find(
    const struct cn_model *model, const cn_pose *pose, uint64_t *pairs, int pair_max);

/* Tells what came and went since model->within[], by events. */
void cn_sensor_tell(struct cn_model *model, const uint64_t *pairs, int pair_count);

/* A body is removed: what was in its sensors, or it in others', no longer is. */
void cn_sensor_forget(struct cn_model *model, int body);

#endif
