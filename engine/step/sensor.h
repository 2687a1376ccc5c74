/*
 * sensor.h: finds the shapes within sensors.
 *
 * A sensor is a shape that has no contacts.  At the end of every tick each sensor is tested against
 * shapes of other bodies.  The other shape is not a sensor, and the sensor's filter accepts it, by
 * the rule for collisions.  At least one of the two can move: a static sensor does not detect
 * static shapes.  Jointed bodies detect each other.  A shape is within when it overlaps or touches,
 * by the exact narrowphase.  When one enters or leaves there is an event (sensorBegin, sensorEnd):
 * body A is the sensor's, body B the visitor's, the value is the sensor's index among A's shapes.
 *
 * A pipeline (step/pipeline/pipeline.h) finds the pairs of its sensors itself.  It reports them for
 * the poses at the start of a tick, because it collides shapes then.
 *
 * The pairs are state: a pair is (sensor << 32 | visitor), and pairs are in ascending order.
 *
 * Cost: all shapes are tested for each sensor, first by their boxes.
 */
#ifndef ENGINE_STEP_SENSOR_H
#define ENGINE_STEP_SENSOR_H

#include "engine/model/model.h"

/* Finds the pairs, ascending; a result above pair_max means that the list is cut. */
int cn_sensor_find(
    const struct cn_model *model, const cn_pose *pose, uint64_t *pairs, int pair_max);

/* Reports by events which pairs began and ended since model->within[]. */
void cn_sensor_tell(struct cn_model *model, const uint64_t *pairs, int pair_count);

/* Ends the pairs of a removed body's sensors, and of its shapes in other sensors. */
void cn_sensor_forget(struct cn_model *model, int body);

#endif
