/*
 * sensor.h: finds the shapes within sensors, and those that touch.
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
 * Contacts are found in the same way for steppers that list only contacts that may be met.  Two
 * shapes touch if one of them wants events of contacts, they may touch, and they are within the gap
 * tolerance, or had an impulse in the tick.  Events are contactBegin, contactEnd and contactStay.
 *
 * The pairs are state: a pair is (sensor << 32 | visitor), or of two shapes that touch (lower << 32
 * | higher).  Pairs are in ascending order.
 *
 * Cost: all shapes are tested for each sensor, and for each shape that wants events of contacts,
 * first by their boxes.
 */
#ifndef ENGINE_STEP_SENSOR_H
#define ENGINE_STEP_SENSOR_H

#include "engine/model/model.h"

/* Whether a shape exists that wants to know how long it touches others. */
bool cn_sensor_has_contacts(const struct cn_model *model);

/*
 * Finds the pairs, ascending, with those of contacts or without; a result above pair_max means that
 * the list is cut.
 */
int cn_sensor_find(const struct cn_model *model, const cn_pose *pose, bool contacts,
    uint64_t *pairs, int pair_max);

/* Reports by events which pairs began and ended since model->within[]. */
void cn_sensor_tell(struct cn_model *model, const uint64_t *pairs, int pair_count);

/*
 * Reports pairs of shapes with a normal force above the least that one of them reports.  The force
 * is that of model->warm[]; `impulses`: and the impulses of the tick over its duration.
 */
void cn_sensor_tell_forces(struct cn_model *model, bool impulses);

/* Ends the pairs of a removed body's sensors, and of its shapes in other sensors. */
void cn_sensor_forget(struct cn_model *model, int body);

#endif
